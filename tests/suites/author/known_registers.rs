//! What a recorder knows of the registers: it writes those that differ, in runs, and forgets what was not recorded.

use pm4::chip::Chip;
use pm4::draw::*;
use pm4::packet::Reader;
use std::ops::Range;

/// SPI_SHADER_USER_DATA_PS_0 and on.
const USER_DATA: u32 = 0xB030;

/// A draw with these user SGPRs of its pixel shader, and a viewport at this x.
fn desc(x: f32, user_data: [u32; 8]) -> DrawDesc {
    let program = Program { user_data: user_data.map(UserData::Word).to_vec(), ..Program::default() };
    let shader = Some(PixelShader { program, ..PixelShader::default() });
    let viewport = Viewport { x, ..Viewport::covering((64, 64)) };
    let state = DynamicState { viewports: vec![viewport], ..DynamicState::default() };
    DrawDesc { state, ..DrawDesc::from(PipelineDesc { shader, ..PipelineDesc::default() }) }
}

/// Two of the user SGPRs as given, the others 1.
fn with(at: [usize; 2], value: u32) -> [u32; 8] {
    std::array::from_fn(|sgpr| if at.contains(&sgpr) { value } else { 1 })
}

/// Records a draw: the registers within a range that its packets write, packet by packet.
fn drawn(recorder: &mut Recorder<Vec<u32>>, desc: &DrawDesc, within: Range<u32>) -> Vec<Vec<u32>> {
    let chip = recorder.gpu().chip;
    let before = recorder.words().len();
    recorder.draw(&desc.resolve(chip).expect("a draw")).expect("room");
    let packets = Reader::new(&recorder.words()[before..]).map(|packet| packet.expect("whole packets"));
    let writes = packets.map(|packet| packet.writes(chip.gfx()).map(|write| write.addr).filter(|addr| within.contains(addr)).collect::<Vec<_>>());
    writes.filter(|writes| !writes.is_empty()).collect()
}

#[test]
fn what_changes_is_written_in_runs_and_groups_stay_whole() {
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        // The six words of a viewport's transform from PA_CL_VPORT_XSCALE on; on GFX12 its depth range is among them.
        let transform = 0x2_843C..0x2_8454 + if chip.gfx().major() == 12 { 8 } else { 0 };
        let sgprs = USER_DATA..USER_DATA + 4 * 8;
        let all = |range: &Range<u32>| range.clone().step_by(4).collect::<Vec<_>>();
        let none: [Vec<u32>; 0] = [];
        assert_eq!(drawn(&mut recorder, &desc(0.0, with([2, 4], 1)), sgprs.clone()), [all(&sgprs)], "{chip}");
        assert_eq!(drawn(&mut recorder, &desc(0.0, with([2, 4], 1)), 0..u32::MAX), none, "{chip}");
        assert_eq!(drawn(&mut recorder, &desc(1.0, with([2, 4], 1)), transform.clone()), [all(&transform)], "{chip}");
        // A single unchanged register between two changed ones is written with them.
        assert_eq!(drawn(&mut recorder, &desc(1.0, with([2, 4], 5)), 0..u32::MAX), [[USER_DATA + 8, USER_DATA + 12, USER_DATA + 16]], "{chip}");
        let mut ends = with([2, 4], 5);
        (ends[0], ends[7]) = (9, 9);
        assert_eq!(drawn(&mut recorder, &desc(1.0, ends), 0..u32::MAX), [[USER_DATA], [USER_DATA + 28]], "{chip}");
        // What the caller writes may be any register: all are written again.
        recorder.writer();
        let again = drawn(&mut recorder, &desc(1.0, ends), 0..u32::MAX).concat();
        assert!(sgprs.chain(transform).step_by(4).all(|addr| again.contains(&addr)), "{chip}: {again:x?}");
    }
}

/// A call that is refused after its registers were written leaves what is known as it was; a call that is recorded does not.
#[test]
fn what_is_rolled_back_was_never_held() {
    let beyond = IndexBuffer { address: 0xFFFF_FFFF_F000, indices: 0x1_0000, format: IndexFormat::U16 };
    let indices = Indices { first: 0x8000, count: 3, base_vertex: 0 };
    let refused = DrawCall::Indexed { buffer: beyond, indices, instances: Instances::default() };
    let (one, other) = (desc(0.0, with([0, 1], 1)), desc(0.0, with([0, 1], 5)));
    let none: [Vec<u32>; 0] = [];
    for chip in Chip::all() {
        let mut recorder = Recorder::new(chip);
        recorder.begin().expect("room");
        drawn(&mut recorder, &one, 0..u32::MAX);
        // Refused with the state that is held, and with another one.
        for desc in [&one, &other] {
            let before = recorder.words().len();
            recorder.draw_call(&desc.resolve(chip).expect("a draw"), &refused).expect_err("indices beyond 2^48");
            assert_eq!(recorder.words().len(), before, "{chip}");
            assert_eq!(drawn(&mut recorder, &one, 0..u32::MAX), none, "{chip}");
        }
        for desc in [&other, &one] {
            assert_eq!(drawn(&mut recorder, desc, 0..u32::MAX), [[USER_DATA, USER_DATA + 4]], "{chip}");
        }
        // A caller's writes before a refused call are not undone with it.
        recorder.writer();
        recorder.draw_call(&one.resolve(chip).expect("a draw"), &refused).expect_err("indices beyond 2^48");
        assert!(drawn(&mut recorder, &one, 0..u32::MAX).len() > 5, "{chip}");
    }
}
