//! Dwords per draw when little changes, compared with those of RADV (Mesa 25.0.7) for the same change.

#[path = "../../../examples/common/draw_cases.rs"]
mod draw_cases;

use crate::golden;
use draw_cases::{CASES, Objects};
use pm4::chip::Chip;
use pm4::draw::*;

const CHIPS: [&str; 5] = ["vega10", "navi10", "navi21", "navi31", "gfx1201"];

/// The size of RADV's command buffers for 2,000 draws minus that for 1,000, divided by 1,000.
const RADV: [(&str, [u32; 5]); 11] = [
    ("draw", [3, 3, 6, 3, 3]),
    ("draw_indexed", [6, 6, 6, 6, 6]),
    ("push_constants", [13, 13, 16, 13, 13]),
    ("viewport", [25, 34, 37, 25, 23]),
    ("scissor", [7, 7, 10, 7, 7]),
    ("blend_constants", [3, 3, 6, 3, 3]),
    ("stencil_ref", [3, 3, 6, 3, 3]),
    ("vertex_buffer", [13, 13, 16, 13, 13]),
    ("pipeline_switch", [91, 103, 106, 94, 100]),
    ("pipeline+viewport+push", [109, 125, 128, 116, 120]),
    ("instances", [5, 5, 8, 5, 5]),
];

/// The compared changes. In draw, draw_indexed, viewport, scissor, blend_constants and stencil_ref, the changed state is the same (neither driver writes a
/// dword for the last two, which nothing reads). Otherwise:
/// push_constants: here all 16 dwords are in SGPRs; RADV's compiler reads some from memory, whose address it writes.
/// vertex_buffer: both write a descriptor to memory and its address to an SGPR; RADV writes several SGPRs.
/// instances: here the number of instances; RADV is also given another first instance, which its shader does not read either.
/// pipeline_switch: the same change of state. RADV writes all registers of both programs and their inputs; here only registers that differ are written.
#[test]
fn a_draw_needs_no_more_dwords_than_radvs() {
    const DRAWS: usize = 100;
    for (case, (name, radv)) in CASES.iter().zip(RADV) {
        assert_eq!(case.name, name);
        for (chip, radv) in CHIPS.iter().zip(radv) {
            let chip: Chip = chip.parse().expect("a chip");
            let objects = case.objects(chip).expect("a pipeline");
            let dwords = objects.dwords_per_draw(DRAWS).expect("room");
            println!("{name} {chip}: {dwords}, RADV {radv}");
            assert!(dwords <= f64::from(radv), "{name} on {chip}: {dwords} dwords, RADV {radv}");
            // The change is in the stream.
            let silent = ["draw", "draw_indexed", "blend_constants", "stencil_ref"].contains(&name);
            assert!(silent || dwords > 3.0, "{name} on {chip}");
        }
    }
}

/// Dwords of three draws of one case after three of another, and of the preamble: the recorder writes differences. From the third draw on little changes; the
/// first draw of a case writes everything that differs from the previous case.
#[test]
fn changes_between_draws_have_the_expected_costs() {
    let chips = CHIPS.map(|chip| chip.parse::<Chip>().expect("a chip"));
    let mut text = format!("# tests/suites/author/draw_costs.rs tells what this is. Columns: {}\n\n", CHIPS.join(", "));
    let mut line = |what: String, dwords: [usize; 5]| text += &format!("{what:<50}{}\n", dwords.map(|dwords| format!("{dwords:>5}")).concat());
    for (first, second) in CASES.iter().flat_map(|first| CASES.iter().map(move |second| (first, second))) {
        let sections = chips.map(|chip| {
            let (before, after) = (first.objects(chip).expect("a pipeline"), second.objects(chip).expect("a pipeline"));
            let mut recorder = Recorder::new(chip);
            let mut ends = vec![0];
            before.begin(&mut recorder).expect("room");
            for objects in [&before, &after, &before] {
                objects.record(&mut recorder, &mut Objects::upload(), 3).expect("room");
                ends.push(recorder.words().len());
            }
            [ends[1] - ends[0], ends[2] - ends[1], ends[3] - ends[2]]
        });
        if first.name == second.name {
            line(format!("the preamble, and 3 of {}", first.name), sections.map(|[first, ..]| first));
        }
        line(format!("3 of {} after {}", second.name, first.name), sections.map(|[_, second, _]| second));
        line(format!("3 of {} after that", first.name), sections.map(|[.., third]| third));
    }
    golden::assert_golden("draw/costs.txt", &text);
}

/// A packet of the caller costs the next draw the registers that it may have changed, and no others.
#[test]
fn a_packet_of_the_caller_costs_what_it_may_have_changed() {
    use pm4::packet::gfx11::*;
    use pm4::packet::{Emit, PacketFields};
    fn cost(packet: &impl Emit) -> usize {
        let objects = CASES[0].objects(Chip::Navi31).expect("a pipeline");
        let mut recorder = Recorder::new(Chip::Navi31);
        objects.begin(&mut recorder).expect("room");
        objects.record(&mut recorder, &mut Objects::upload(), 3).expect("room");
        recorder.emit(packet).expect("room");
        let before = recorder.words().len();
        objects.record(&mut recorder, &mut Objects::upload(), 1).expect("room");
        recorder.words().len() - before
    }
    let draw = cost(&Nop::default().followed_by(&[1, 2, 3]));
    assert_eq!(draw, 3, "a NOP changes nothing");
    // A register and the number of instances; a register that no draw needs.
    let (shader_control, marker) = (SetContextReg { reg_offset: 0x203, ..Default::default() }, SetUconfigReg { reg_offset: 0x340 });
    assert_eq!(cost(&shader_control.followed_by(&[0])), draw + 3 + 2);
    assert_eq!(cost(&marker.followed_by(&[0])), draw + 2);
    assert_eq!(cost(&ContextRegRmw { reg_offset: 0x203, reg_mask: 1, reg_data: 1 }), draw + 3 + 2);
    // Other instances of registers, and a buffer that may write all of them.
    let all = cost(&SetUconfigReg { reg_offset: 0x200 }.followed_by(&[0]));
    assert!(all > draw + 100, "{all}");
    assert_eq!(cost(&IndirectBuffer { ib_base: 0x1000, ib_size: 4, ..Default::default() }), all);
}

/// The cases record the state that they describe: the model sees it at every draw.
#[test]
fn the_cases_draw_what_they_describe() {
    for chip in CHIPS.map(|chip| chip.parse::<Chip>().expect("a chip")) {
        for case in &CASES {
            let objects = case.objects(chip).expect("a pipeline");
            let mut recorder = Recorder::new(chip);
            objects.begin(&mut recorder).expect("room");
            objects.record(&mut recorder, &mut Objects::upload(), 7).expect("room");
            let state = recorder.dynamic_state().clone();
            let last = objects.last(7, &state).resolve(chip).expect("a draw").image;
            let mut cp = pm4::cp::CommandProcessor::new(chip);
            let words = recorder.finish().expect("room");
            cp.submit(pm4::packet::Queue::Graphics, "stream", &words);
            let mut seen = Seen { image: &last, draws: 0, wrong: Vec::new() };
            cp.run(&mut seen);
            assert_eq!((seen.draws, &seen.wrong), (7, &vec![]), "{} on {chip}", case.name);
        }
    }
}

/// Pairs that were joined in another command buffer draw the same dwords.
#[test]
fn pairs_of_another_recorder_draw_the_same() {
    for chip in CHIPS.map(|chip| chip.parse::<Chip>().expect("a chip")) {
        for case in &CASES {
            let objects = case.objects(chip).expect("a pipeline");
            let mut pairs = PairCache::default();
            let mut streams = Vec::new();
            for _ in 0..2 {
                let mut recorder = Recorder::new(chip).with_pairs(pairs);
                objects.begin(&mut recorder).expect("room");
                objects.record(&mut recorder, &mut Objects::upload(), 7).expect("room");
                pairs = recorder.take_pairs();
                // Objects that were taken are recreated on demand.
                objects.record(&mut recorder, &mut Objects::upload(), 7).expect("room");
                streams.push(recorder.finish().expect("room"));
            }
            assert_eq!(streams[0], streams[1], "{} on {chip}", case.name);
        }
    }
}

/// Compares the state at the last draw.
struct Seen<'i> {
    image: &'i RegisterImage,
    draws: u32,
    wrong: Vec<u32>,
}

impl pm4::cp::Observer for Seen<'_> {
    fn draw(&mut self, view: &pm4::cp::DrawView<'_>) {
        self.draws += 1;
        self.wrong = self.image.registers().filter(|r| view.value(r.addr) != Some(r.value)).map(|r| r.addr).collect();
    }
}
