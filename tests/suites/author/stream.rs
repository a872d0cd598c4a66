//! Author and model together: the stream that the recorder writes, executed by the command-processor model.

use crate::golden::is_turn_of;
use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Finding, Observer};
use pm4::draw::*;
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Queue, Reader, Writer, WriterOptions, register_index};
use pm4::regs;
use std::collections::BTreeMap;
use support::draws::{Case, belongs_to_a_path, describes_a_bound_thing, queue_memory};
use support::property;

/// The state at each draw, and the codes of all findings.
#[derive(Default)]
struct Seen {
    draws: Vec<BTreeMap<u32, u32>>,
    codes: Vec<&'static str>,
}

impl Observer for Seen {
    fn draw(&mut self, view: &DrawView<'_>) {
        use pm4::cp::Bank;
        let banks = [Bank::Context, Bank::Sh, Bank::Uconfig];
        self.draws.push(banks.into_iter().flat_map(|bank| view.registers().written(bank)).collect());
    }
    fn finding(&mut self, finding: &Finding) {
        self.codes.push(finding.code);
    }
}

fn record(chip: Chip, draws: &[&Resolved]) -> Vec<u32> {
    let mut recorder = Recorder::new(chip);
    // As if packets from elsewhere had begun streamout.
    recorder.writer();
    recorder.begin_with(&queue_memory()).expect("a preamble");
    for draw in draws {
        recorder.draw(draw).expect("a draw");
    }
    recorder.finish().expect("padding")
}

fn execute(chip: Chip, words: &[u32], relaxed: bool) -> Seen {
    let mut seen = Seen::default();
    let mut cp = CommandProcessor::new(chip);
    cp.relaxed_order(relaxed);
    cp.submit(Queue::Graphics, "test", words);
    cp.run(&mut seen);
    seen
}

fn image(resolved: &Resolved) -> BTreeMap<u32, u32> {
    resolved.image.registers().map(|r| (r.addr, r.value)).collect()
}

fn relaxed(case: &Case) -> bool {
    case.desc.pipeline.order == RasterizationOrder::Relaxed
}

/// Returns the state after the preamble alone.
fn preamble(chip: Chip) -> BTreeMap<u32, u32> {
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(&queue_memory()).expect("a preamble");
    recorder.writer().draw_index_auto(3, DrawInitiator::AUTO_INDEX).expect("a packet");
    execute(chip, &recorder.finish().expect("padding"), true).draws.remove(0)
}

/// With all memory, and written register by register where the generation can do without CLEAR_STATE.
#[test]
fn every_register_of_the_preamble_sets_only_named_bits() {
    let board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 8 };
    for chip in Chip::all() {
        let tessellation = Some(TessellationRings::at(chip, board, 0x1234_0000_0000));
        for clear_method in [ClearMethod::ClearState, ClearMethod::Registers] {
            let mut recorder = Recorder::new(chip).clear_method(clear_method);
            let begun = recorder.begin_with(&QueueMemory { border_colors: 0x100, tessellation, ..queue_memory() });
            assert_eq!(begun.is_ok(), clear_method == ClearMethod::ClearState || chip.gfx().major() >= 11, "{chip} {clear_method:?}");
            for write in Reader::new(recorder.words()).flatten().flat_map(|packet| packet.writes(chip.gfx()).collect::<Vec<_>>()) {
                let register = regs::lookup(chip.gfx(), write.addr).expect("a register");
                assert_eq!(write.value & !register.info().known_bits(), 0, "{chip} {register}");
            }
        }
    }
}

#[test]
fn the_model_sees_exactly_the_preamble_and_the_resolved_image() {
    property::<fn(Case) -> bool>("emitted stream -> model == image", 3000, |case| {
        let resolved = case.resolve();
        let seen = execute(case.chip, &record(case.chip, &[&resolved]), relaxed(&case));
        let mut expected = preamble(case.chip);
        expected.extend(image(&resolved));
        // User SGPRs that differ between draws, and the register that can stop instance packing, belong to the call.
        let sgprs = resolved.draw_sgprs();
        expected.extend([sgprs.base_vertex, sgprs.first_instance, sgprs.draw_index].into_iter().flatten().map(|addr| (addr, 0)));
        // One workgroup of a mesh shader.
        expected.extend(sgprs.groups.into_iter().flat_map(|first| [0, 4, 8].map(|at| (first + at, 1))));
        if case.chip.has(Erratum::InstancePacking) {
            expected.insert(regs::find(case.chip.gfx(), "VGT_INDEX_TYPE").expect("all generations have it").addr(), 0);
        }
        seen.draws == [expected]
    });
}

#[test]
fn no_rule_finds_anything_in_what_the_builder_emits() {
    property::<fn(Case) -> quickcheck::TestResult>("no finding", 3000, |case| {
        let seen = execute(case.chip, &record(case.chip, &[&case.resolve()]), relaxed(&case));
        // Expert options and an explicit drain are reported on purpose, with severity info.
        // No stream shows whether depth was ever initialized: STA-63.
        let meant = |code: &&str| case.desc.pipeline.drain == Drain::On && *code == "POPS-12" || *code == "STA-63";
        // Rings, stages and targets; rules of state before STA-29 report features of random draws, such as programs without an address.
        // User data that a description keeps is the caller's: STA-54.
        let judged = |code: &str| code.starts_with("POPS") || code.starts_with("STA") && code >= "STA-29" && code != "STA-54";
        let found: Vec<_> = seen.codes.iter().filter(|c| judged(c) && !meant(c)).collect();
        if found.is_empty() { quickcheck::TestResult::passed() } else { quickcheck::TestResult::error(format!("{found:?} for {:?}", case)) }
    });
}

#[test]
fn no_state_leaks_from_one_draw_into_the_next() {
    property::<fn(Case, Case) -> bool>("no leak", 2000, |first, second| {
        let chip = second.chip;
        let (Ok(before), after) = (first.desc.resolve(chip), second.resolve()) else { return true };
        let alone = execute(chip, &record(chip, &[&after]), true);
        let followed = execute(chip, &record(chip, &[&before, &after]), true);
        // State of things that the second draw does not bind stays, and nothing reads it.
        let state = |seen: &Seen| -> BTreeMap<u32, u32> {
            let open = |addr| describes_a_bound_thing(chip, addr) || belongs_to_a_path(chip, addr);
            let decided = |addr: &u32| after.image.get(*addr).is_some() || !open(*addr);
            seen.draws.last().map_or(BTreeMap::new(), |d| d.iter().filter(|(a, _)| decided(a)).map(|(a, v)| (*a, *v)).collect())
        };
        state(&alone) == state(&followed)
    });
}

/// A broken field of a POPS draw, and the only rule that must report it.
#[derive(Clone, Copy)]
struct Break {
    name: &'static str,
    register: &'static str,
    field: &'static str,
    value: fn(u32) -> u32,
    applies: fn(&Case, &Resolved) -> bool,
    code: &'static str,
}

fn field(resolved: &Resolved, register: &str, field: &str) -> Option<u32> {
    let found = regs::find(resolved.chip.gfx(), register)?;
    Some(found.info().field(field)?.get(resolved.image.get(found.addr())?))
}

fn old(case: &Case) -> bool {
    case.chip.gfx() <= Gfx::Gfx103
}

const BREAKS: [Break; 9] = [
    Break {
        name: "the drain bit that the erratum needs is cleared",
        register: "DB_DFSM_CONTROL",
        field: "POPS_DRAIN_PS_ON_OVERLAP",
        value: |_| 0,
        applies: |case, _| {
            matches!(case.chip, Chip::Vega10 | Chip::Raven) && (case.desc.pipeline.samples == 8 || case.desc.targets.depth.is_some_and(|d| d.samples == 8))
        },
        code: "POPS-11",
    },
    Break {
        name: "partial squads launch as usual while Navi1x drains",
        register: "DB_RENDER_OVERRIDE2",
        field: "PARTIAL_SQUAD_LAUNCH_CONTROL",
        value: |_| 0,
        applies: |case, _| case.chip.gfx() == Gfx::Gfx10 && case.desc.pipeline.drain == Drain::On,
        code: "POPS-13",
    },
    Break {
        name: "the intrinsic rate is not overridden",
        register: "DB_SHADER_CONTROL",
        field: "OVERRIDE_INTRINSIC_RATE_ENABLE",
        value: |_| 0,
        applies: |case, _| !old(case),
        code: "POPS-07",
    },
    Break {
        name: "the blend rate is left in the override",
        register: "DB_SHADER_CONTROL",
        field: "OVERRIDE_INTRINSIC_RATE",
        value: |_| 2,
        applies: |case, _| !old(case) && case.desc.pipeline.samples != 4,
        code: "POPS-08",
    },
    Break {
        name: "overlap samples fit neither interlock",
        register: "DB_SHADER_CONTROL",
        field: "POPS_OVERLAP_NUM_SAMPLES",
        value: |_| 1,
        applies: |case, _| old(case) && case.desc.pipeline.samples != 2,
        code: "POPS-06",
    },
    Break {
        name: "DB_Z_INFO has fewer samples than the shader sees",
        register: "DB_Z_INFO",
        field: "NUM_SAMPLES",
        value: |v| v - 1,
        applies: |case, _| case.chip.gfx().major() == 11 && case.desc.pipeline.samples > 1 && case.desc.targets.depth.is_none(),
        code: "POPS-09",
    },
    Break {
        name: "only the scan converter loads the collision wave id",
        register: "SPI_SHADER_PGM_RSRC2_PS",
        field: "LOAD_COLLISION_WAVEID",
        value: |_| 0,
        applies: |case, _| old(case) && !case.desc.pipeline.expert.intrawave_collision,
        code: "POPS-02",
    },
    Break {
        name: "only the SPI loads the collision wave id",
        register: "PA_SC_SHADER_CONTROL",
        field: "LOAD_COLLISION_WAVEID",
        value: |_| 0,
        applies: |case, _| old(case) && !case.desc.pipeline.expert.intrawave_collision,
        code: "POPS-02",
    },
    Break {
        name: "the export space of a draw without a depth export is gone",
        register: "SPI_SHADER_COL_FORMAT",
        field: "COL0_EXPORT_FORMAT",
        value: |_| 0,
        applies: |_, resolved| field(resolved, "SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT") == Some(0),
        code: "POPS-01",
    },
];

/// Returns the same stream with one field changed just before the draw.
fn broken(resolved: &Resolved, b: &Break) -> Vec<u32> {
    let gfx = resolved.chip.gfx();
    let register = regs::find(gfx, b.register).expect("the chip has it");
    let bits = register.info().field(b.field).expect("the chip has it").bits();
    let old = resolved.image.get(register.addr()).expect("the image has it");
    let mut writer = Writer::growable(gfx, Queue::Graphics);
    // The image is written register by register.
    writer.set_options(WriterOptions { whole_groups: false, ..WriterOptions::default() });
    writer.load_and_shadow_nothing().expect("a packet");
    if gfx < Gfx::Gfx12 {
        writer.clear_state().expect("a packet");
    }
    for r in resolved.image.registers() {
        let value = if r.addr == register.addr() { bits.put(old, (b.value)(bits.get(old))) } else { r.value };
        match register_index(gfx, r.addr) {
            Some(index) => writer.set_reg_indexed(r.addr, value, index).expect("a packet"),
            None => writer.set_reg(r.addr, value).expect("a packet"),
        }
    }
    writer.num_instances(1).expect("a packet");
    writer.draw_index_auto(3, DrawInitiator::AUTO_INDEX).expect("a packet");
    writer.into_buffer()
}

#[test]
fn breaking_one_pops_field_trips_exactly_its_rule() {
    for b in &BREAKS {
        let mut hits = 0;
        for chip in Chip::all() {
            for desc in pops_matrix() {
                let Ok(resolved) = desc.resolve(chip) else { continue };
                let case = Case { chip, desc };
                if !(b.applies)(&case, &resolved) {
                    continue;
                }
                hits += 1;
                if hits > 1 && !is_turn_of(hits) {
                    continue;
                }
                let codes = execute(chip, &broken(&resolved, b), false).codes;
                // Findings that the intact stream causes on purpose (explicit drain, no rings) do not count.
                let intact = execute(chip, &broken(&resolved, &Break { value: |v| v, ..*b }), false).codes;
                let new: Vec<_> = codes.into_iter().filter(|c| !intact.contains(c)).collect();
                assert_eq!(new, [b.code], "{}: {chip} {:?}", b.name, case.desc);
            }
        }
        assert!(hits > 0, "{}: no draw to break", b.name);
    }
}

/// Returns ordered draws over samples, depth, targets and drain.
fn pops_matrix() -> Vec<DrawDesc> {
    let mut all = Vec::new();
    for interlock in [Interlock::PixelOrdered, Interlock::SampleOrdered] {
        for samples in [1, 2, 4, 8] {
            for depth in [None, Some(samples), Some(8)] {
                for color in [vec![], vec![(TargetImage::default(), TargetBlend::default())]] {
                    for drain in [Drain::Auto, Drain::On] {
                        let depth = depth.map(|samples| DepthTarget::new(DepthFormat::D32, samples));
                        let shader = Some(PixelShader { writes_memory: true, ..PixelShader::default() });
                        all.push(
                            DrawDesc {
                                pipeline: PipelineDesc { shader, interlock, samples, drain, ..PipelineDesc::default() },
                                targets: TargetsDesc { depth, ..TargetsDesc::default() },
                                ..DrawDesc::default()
                            }
                            .with_colors(color.clone()),
                        );
                    }
                }
            }
        }
    }
    all
}

#[test]
fn the_reset_default_of_the_drain_is_judged_on_navi1x() {
    let desc = DrawDesc::from(PipelineDesc { interlock: Interlock::PixelOrdered, drain: Drain::ResetDefault, ..PipelineDesc::default() });
    for chip in [Chip::Navi10, Chip::Navi12, Chip::Navi14] {
        let resolved = desc.resolve(chip).expect("a draw");
        // No preamble: nothing clears state or writes DB_DFSM_CONTROL.
        let mut recorder = Recorder::secondary(chip);
        recorder.draw(&resolved).expect("a draw");
        let codes = execute(chip, &recorder.finish().expect("padding"), false).codes;
        assert!(codes.contains(&"POPS-14") && !codes.contains(&"POPS-13"), "{chip}: {codes:?}");
        // The same without the workaround hangs.
        let b = Break { name: "", register: "DB_RENDER_OVERRIDE2", field: "PARTIAL_SQUAD_LAUNCH_CONTROL", value: |_| 0, applies: |_, _| true, code: "POPS-13" };
        let words = broken(&resolved, &b);
        let start = Reader::new(&words).flatten().nth(2).expect("packets").offset; // without CONTEXT_CONTROL and CLEAR_STATE
        assert!(execute(chip, &words[start..], false).codes.contains(&"POPS-13"), "{chip}");
    }
}

#[test]
fn a_small_buffer_is_an_error_and_no_half_packet() {
    let resolved = DrawDesc::default().resolve(Chip::Navi31).expect("a draw");
    let whole = record(Chip::Navi31, &[&resolved]);
    for size in 0..whole.len() {
        let mut memory = vec![0; size];
        let mut recorder = Recorder::fixed(Chip::Navi31, &mut memory);
        let result = recorder.begin().and_then(|()| recorder.draw(&resolved));
        let written = recorder.writer().words().to_vec();
        assert!(Reader::new(&written).all(|p| p.is_ok()), "{size}");
        assert!(result.is_ok() || written.len() <= size, "{size}");
    }
}
