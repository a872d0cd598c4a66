//! Dwords that a draw takes when little changes, beside those of RADV (Mesa 25.0.7) for the same change.

#[path = "../examples/common/draw_cases.rs"]
mod draw_cases;

use draw_cases::CASES;
use pm4::chip::{Chip, Erratum};
use pm4::draw::*;
use pm4::packet::{Event, Opcode, Reader};

const CHIPS: [&str; 5] = ["vega10", "navi10", "navi21", "navi31", "gfx1201"];

/// Size of RADV's command buffers for 2,000 draws less those for 1,000, over 1,000.
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

/// What each case compares. The same state: draw, draw_indexed, viewport, scissor, blend_constants and stencil_ref (no dword of either is for them, nothing
/// reads them). Otherwise:
/// push_constants: here all 16 dwords are SGPRs; RADV's compiler takes some from memory, whose address it writes.
/// vertex_buffer: here the SGPR with the address of the descriptor; the descriptor in memory is the caller's. RADV writes it, and several SGPRs.
/// instances: here their number; RADV is asked for another first instance as well, which its shader does not read either.
/// pipeline_switch: the same change of state. RADV writes all registers of both programs and their inputs, here those that differ are written.
/// The events of the erratum opaque_draw_events are not counted: RADV writes them for other draws.
#[test]
fn a_draw_takes_no_more_dwords_than_radvs() {
    const DRAWS: usize = 100;
    for (case, (name, radv)) in CASES.iter().zip(RADV) {
        assert_eq!(case.name, name);
        for (chip, radv) in CHIPS.iter().zip(radv) {
            let chip: Chip = chip.parse().expect("a chip");
            let resolved = case.resolve(chip).expect("a draw");
            let dwords = resolved.dwords_per_draw(chip, DRAWS).expect("room") - events(chip, &resolved, DRAWS);
            println!("{name} {chip}: {dwords}, RADV {radv}");
            assert!(dwords <= f64::from(radv), "{name} on {chip}: {dwords} dwords, RADV {radv}");
            // Both states are there: what changes is in the stream.
            let differ = resolved.images()[0] != resolved.images()[1];
            assert!(!differ || dwords > 3.0, "{name} on {chip}");
        }
    }
}

/// Dwords a draw of SQ_NON_EVENT where the erratum puts it behind opaque draws.
fn events(chip: Chip, case: &draw_cases::Resolutions, draws: usize) -> f64 {
    if !chip.has(Erratum::OpaqueDrawEvents) {
        return 0.0;
    }
    let count = |draws| {
        let mut recorder = Recorder::new(chip);
        case.record(&mut recorder, draws).expect("room");
        let event = |word: &u32| word & 0x3F == u32::from(Event::SQ_NON_EVENT.0);
        let packets = Reader::new(recorder.words()).flatten();
        packets.filter(|p| p.opcode() == Some(Opcode::EVENT_WRITE) && p.body.first().is_some_and(event)).map(|p| p.dwords()).sum::<usize>()
    };
    (count(2 * draws) - count(draws)) as f64 / draws as f64
}
