//! Every rule: a minimal stream that trips exactly this rule, and the same stream repaired, which trips none. Mistakes in recorded streams:
//! tests/suites/model/cp_mutations.rs.
//!
//! The page of all rules, docs/rules.md, is compared with the table here; `PM4_WRITE_RULES=1` rewrites it.
use crate::mutation;
use crate::rule_cases;
use crate::streams;
use mutation::{Part, Settings};
use pm4::chip::Chip;
use pm4::cp::rules::{self, ChipScope, Judge, Needs, Rule, RuleLevel, Verdict, WatchedWrites};
use pm4::cp::{BoardFacts, CommandProcessor, Finding, FirmwareVersions, QueueId, Severity};
use pm4::packet::gfx11::DispatchDirect;
use pm4::packet::gfx103::DispatchTaskmeshIndirectMultiAce;
use pm4::packet::values::AcquireMemPwsStageSel;
use pm4::packet::{Event, Firmware, Header, Opcode, Queue, Reader, ShaderType};
use rule_cases::{Case, cases};
use std::collections::BTreeSet;
use streams::*;

/// Runs the stream of a case, at 0x10_0000.
pub fn findings(case: &Case, words: &[u32]) -> Vec<Finding> {
    findings_on(mutation::model(case.chip, case.code, case.settings), case, words)
}

/// Runs it on a model with the settings of the case.
pub fn findings_on(model: CommandProcessor<'_>, case: &Case, words: &[u32]) -> Vec<Finding> {
    let part = Part { role: "main".into(), queue: case.queue, addr: 0x10_0000, words: words.to_vec() };
    let memory = case.settings.sdma || case.settings.aql || case.settings.mes;
    let beside = if memory && !case.settings.beside { "memory.bin" } else { "beside" };
    let beside = Part { role: beside.into(), queue: Queue::Compute, addr: 0x20_0000, words: case.beside.clone() };
    let parts = if case.beside.is_empty() { vec![part] } else { vec![part, beside] };
    mutation::run_on(model, case.settings, &parts)
}

fn codes(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn each_rule_trips_on_its_mistake_and_not_on_the_repaired_stream() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (bad, good) = (codes(&findings(&case, &case.bad)), codes(&findings(&case, &case.good)));
        if !bad.contains(case.code) || good.contains(case.code) {
            wrong.push(format!("{} on {}: {bad:?} on the mistake, {good:?} on the repaired stream", case.code, case.chip));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// REWIND fetches its own buffer again, not the buffer that called it: a caller that chains to itself never ends.
#[test]
fn rewind_in_a_called_buffer_does_not_end_the_loop_of_its_caller() {
    let called = [raw_packet(Opcode::REWIND, &[1 << 31]), raw_packet(Opcode::NOP, &[0])].concat();
    let loops = [ib(0x20_0000, called.len() as u32), chain(0x10_0000, 8)].concat();
    assert_eq!(loops.len(), 8);
    let mut cp = CommandProcessor::new(N31);
    cp.map("called", 0x20_0000, &called);
    cp.submit_at(Queue::Graphics, "caller", 0x10_0000, &loops);
    let found: Vec<Severity> = Log::of(&mut cp).findings.iter().filter(|finding| finding.code == "IB-02").map(|finding| finding.severity).collect();
    assert_eq!(found, [Severity::Error]);
}

/// The RADV workaround for a count of 0 on GFX10.3: one of two task dispatches runs, selected by memory of the application.
#[test]
fn task_work_under_conditions_is_not_counted() {
    let mesh = raw_packet(Opcode::DISPATCH_TASKMESH_GFX, &[0x90 << 16 | 0x91, 0, 2]);
    let one_of_two = [cond_exec(ADDR, 6), task(), cond_exec(ADDR + 4, 6), task()].concat();
    for (beside, reported) in [(one_of_two, false), (task().repeat(2), true)] {
        let case = rule_cases::case("SYN-27", N21, mesh.clone(), Vec::new()).beside(beside);
        assert_eq!(codes(&findings(&case, &mesh)).contains("SYN-27"), reported);
    }
}

#[test]
fn a_mistake_trips_no_rule_but_its_own() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (bad, good) = (codes(&findings(&case, &case.bad)), codes(&findings(&case, &case.good)));
        let more: Vec<&str> = bad.difference(&good).copied().filter(|code| *code != case.code && !case.also.contains(code)).collect();
        let unused: Vec<&str> = case.also.iter().copied().filter(|code| !bad.contains(code)).collect();
        if !more.is_empty() || !unused.is_empty() {
            wrong.push(format!("{} on {}: also {more:?}, expected and absent {unused:?}", case.code, case.chip));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The severities of the findings of a rule on a stream.
fn severities(code: &'static str, chip: Chip, queue: Queue, settings: Settings, words: &[u32]) -> BTreeSet<Severity> {
    let case = Case { queue, settings, ..rule_cases::case(code, chip, Vec::new(), Vec::new()) };
    findings(&case, words).into_iter().filter(|finding| finding.code == code).map(|finding| finding.severity).collect()
}

/// PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL discards all primitives: there are no pixels.
#[test]
fn rules_on_pixels_leave_draws_alone_that_rasterize_nothing() {
    const STATE: [&str; 6] = ["STA-05", "STA-07", "STA-13", "STA-15", "STA-22", "STA-31"];
    const POPS: [&str; 14] = [
        "POPS-01", "POPS-02", "POPS-03", "POPS-04", "POPS-06", "POPS-07", "POPS-08", "POPS-09", "POPS-10", "POPS-11", "POPS-13", "POPS-17", "POPS-20",
        "POPS-22",
    ];
    let pixels_start = |case: &Case| {
        let no_unit = [set(0xB020, &[1]), reg(N31, "SPI_SHADER_PGM_RSRC4_PS", 0), reg(N31, "SPI_SHADER_PGM_RSRC3_PS", 0), draw()].concat();
        if case.code == "STA-20" { no_unit } else { case.bad.clone() }
    };
    let mut judged = BTreeSet::new();
    for case in cases().iter().filter(|case| case.code == "STA-20" || STATE.contains(&case.code) || POPS.contains(&case.code)) {
        let words = pixels_start(case);
        for (kill, expected) in [(0, true), (1, false)] {
            let all = findings(case, &[reg(case.chip, "PA_CL_CLIP_CNTL", kill << 22), words.clone()].concat());
            assert_eq!(all.iter().any(|finding| finding.code == case.code), expected, "{} with {kill}: {all:?}", case.code);
        }
        judged.insert(case.code);
    }
    assert_eq!(judged.len(), 1 + STATE.len() + POPS.len(), "{judged:?}");
}

/// The same draws and dispatches with counts of 0.
fn of_nothing(words: &[u32]) -> Vec<u32> {
    let mut changed = words.to_vec();
    for packet in Reader::new(words).flatten() {
        let count = match packet.opcode() {
            Some(Opcode::DRAW_INDEX_AUTO | Opcode::DISPATCH_DIRECT | Opcode::DISPATCH_MESH_DIRECT) => 1,
            Some(Opcode::DRAW_INDEX_OFFSET_2) => 3,
            Some(Opcode::DRAW_INDEX_2) => 4,
            _ => continue,
        };
        changed[packet.offset + count] = 0;
    }
    changed
}

/// A draw without vertices has no waves, no primitives and no pixels.
#[test]
fn rules_on_what_draws_launch_leave_draws_alone_that_launch_nothing() {
    let needs = |code: &str| rules::find(code).expect("a rule").needs;
    let mut judged = BTreeSet::new();
    for case in cases().iter().filter(|case| needs(case.code) != Needs::Nothing) {
        let words = of_nothing(&case.bad);
        let none = codes(&findings(case, &words));
        // A draw that takes its count from streamout may always have a count of 0.
        let counted = words == case.bad;
        assert_eq!(none.contains(case.code), counted, "{} on {}: {none:?}", case.code, case.chip);
        judged.extend((!counted).then_some(case.code));
    }
    let declared: BTreeSet<&str> = rules::all().filter(|rule| rule.needs != Needs::Nothing).map(|rule| rule.code).collect();
    assert_eq!(judged, declared);
    // Rules about hangs, or about waves that cannot start.
    for code in ["STA-02", "STA-08", "STA-10", "STA-12", "STA-20", "STA-29", "STA-31", "STA-35", "STA-41", "STA-46", "POPS-01", "POPS-11", "POPS-13"] {
        assert!(declared.contains(code), "{code}");
    }
}

#[test]
fn a_count_of_0_must_be_sure() {
    let none = Settings::default();
    let no_output = [reg(N10, "VGT_SHADER_STAGES_EN", 1 << 5 | 1 << 19), reg(N10, "VGT_GS_MAX_VERT_OUT", 0)].concat();
    let instances = |count: u32| raw_packet(Opcode::NUM_INSTANCES, &[count]);
    let nothing = of_nothing(&draw());
    // The arguments are in the body of a NOP at the start of the stream.
    let indirect = |count: u32, instances: u32| {
        let (arguments, base) = (raw_packet(Opcode::NOP, &[count, instances, 0, 0]), raw_packet(Opcode::SET_BASE, &[1, 0x10_0000, 0]));
        [arguments, base, no_output.clone(), raw_packet(Opcode::DRAW_INDIRECT, &[4, 0, 0, 2])].concat()
    };
    let unmapped = [raw_packet(Opcode::SET_BASE, &[1, 0x70_0000, 0]), no_output.clone(), raw_packet(Opcode::DRAW_INDIRECT, &[4, 0, 0, 2])].concat();
    let after = |calls: &[Vec<u32>]| [no_output.clone(), calls.concat()].concat();
    for (what, words, reported) in [
        ("a draw", after(&[draw()]), true),
        ("no vertices", after(std::slice::from_ref(&nothing)), false),
        ("no instances", after(&[instances(0), draw()]), false),
        ("one instance", after(&[instances(1), draw()]), true),
        ("instances that may have been written", after(&[instances(1), cond_exec(ADDR, 2), instances(0), draw()]), true),
        ("a count from streamout", after(&[opaque()]), true),
        ("a draw after one of nothing", after(&[nothing.clone(), draw()]), true),
        ("arguments of no vertices", indirect(0, 1), false),
        ("arguments of no instances", indirect(3, 0), false),
        ("arguments", indirect(3, 1), true),
        ("arguments that are not known", unmapped, true),
    ] {
        assert_eq!(severities("STA-41", N10, Queue::Graphics, none, &words).is_empty(), !reported, "{what}");
    }
    // The empty index buffer itself hangs the chip, whatever the draw reads from it.
    assert_eq!(severities("STA-03", N10, Queue::Graphics, none, &indexed(0)), BTreeSet::from([Severity::Error]));
    let dispatched = |x: u32, y: u32, z: u32| [rule_cases::masks(N31, 0), raw_packet(Opcode::DISPATCH_DIRECT, &[x, y, z, 1])].concat();
    for (words, reported) in [(dispatched(1, 1, 1), true), (dispatched(0, 1, 1), false), (dispatched(1, 0, 1), false), (dispatched(1, 1, 0), false)] {
        assert_eq!(severities("STA-46", N31, Queue::Graphics, none, &words).is_empty(), !reported, "{words:x?}");
    }
}

/// The needs of a caller's rule count like those of the rules of this crate.
#[test]
fn a_rule_of_a_caller_says_what_it_needs() {
    static OURS: Rule = Rule::new(
        "OURS-01",
        Severity::Error,
        ChipScope::All,
        "a draw",
        "Our test has none.",
        "our test",
        Judge::Draw(|_| Some(Verdict::new("a draw with waves"))),
    )
    .on_work();
    for (words, errors) in [(draw(), 1), (of_nothing(&draw()), 0)] {
        let mut cp = CommandProcessor::new(N31);
        cp.add_rule(&OURS).expect("a new code");
        cp.submit(Queue::Graphics, "stream", &words);
        assert_eq!(cp.run(&mut ()).errors, errors);
    }
}

/// The bits that a rule watches are those that its judge needs: a judge that sees all writes to the same addresses has the same findings.
#[test]
fn a_rule_that_watches_bits_misses_no_value() {
    let mut seen = BTreeSet::new();
    for rule in rules::all() {
        let Judge::Write { watch: WatchedWrites::Bits(watched), judge } = rule.judge else { continue };
        let addrs = watched.iter().map(|(_, addr, _)| *addr).collect::<BTreeSet<_>>();
        let addrs = Vec::leak(addrs.into_iter().collect());
        let all = Judge::Write { watch: WatchedWrites::Addresses(addrs), judge };
        let all: &'static Rule = Box::leak(Box::new(Rule::new("OURS-01", rule.severity, rule.scope, "all writes", "Our test sees them.", "our test", all)));
        for chip in Chip::all() {
            for (addr, bit) in addrs.iter().flat_map(|addr| (0..32).map(move |bit| (*addr, 1u32 << bit))) {
                // One bit, all above it and all below it: single-bit fields, limits of numbers, and whole masks.
                let values = [bit, bit.wrapping_neg(), bit - 1, !bit, (bit - 1) & 0xFFFF, (bit - 1) << 16];
                let words = values.iter().flat_map(|value| set(addr, &[*value])).collect::<Vec<_>>();
                let mut cp = CommandProcessor::new(chip);
                cp.add_rule(all).expect("a new code");
                let stream = Part { role: "main".into(), queue: Queue::Compute, addr: 0x10_0000, words };
                let found = mutation::run_on(cp, Settings::default(), &[stream]);
                let of = |code: &str| found.iter().filter(|finding| finding.code == code).map(|finding| finding.message.clone()).collect::<Vec<_>>();
                assert_eq!(of(rule.code), of("OURS-01"), "{} on {chip}: 0x{addr:05x}, bit 0x{bit:x}", rule.code);
                seen.extend(of("OURS-01").first().map(|_| rule.code));
            }
        }
    }
    assert_eq!(seen, BTreeSet::from(["REG-17", "REG-18"]), "rules that watch bits and have a hit");
}

/// Packets that may not run: the condition is unmapped.
fn perhaps(words: Vec<u32>) -> Vec<u32> {
    [cond_exec(0x90_0000_0000, words.len() as u32), words].concat()
}

/// If a whole stream may not run, errors concern only the words of its packets.
#[test]
fn what_may_not_run_is_an_error_only_by_its_words() {
    let mut lowered = BTreeSet::new();
    for case in cases().into_iter().filter(|case| case.beside.is_empty()) {
        let of_words = |code: &str| code.starts_with("ENC-") || rules::find(code).expect("a rule").words_alone;
        let errors = |words: &[u32], first: u32| {
            let is_error = |finding: &Finding| finding.severity == Severity::Error && finding.place.dword >= first;
            codes(&findings(&case, words).into_iter().filter(is_error).collect::<Vec<_>>())
        };
        // The COND_EXEC itself runs.
        let (sure, unsure) = (errors(&case.bad, 0), errors(&perhaps(case.bad.clone()), 5));
        let wrong: Vec<&str> = unsure.iter().copied().filter(|code| !of_words(code)).collect();
        assert!(wrong.is_empty(), "{} on {}: {wrong:?}", case.code, case.chip);
        lowered.extend(sure.difference(&unsure).copied());
    }
    for code in ["REG-01", "REG-03", "SYN-04", "SYN-20", "STA-22", "POPS-11", "POPS-19"] {
        assert!(lowered.contains(code), "{code}: {lowered:?}");
    }
    for code in ["IB-07", "MEM-01", "MEM-04", "REG-06", "SYN-01", "SYN-14"] {
        assert!(!lowered.contains(code), "{code}: {lowered:?}");
    }
}

/// POS_W_FLOAT needs a perspective barycentric (Mesa, spi_ps_input): a linear one or LINE_STIPPLE_TEX is not enough.
#[test]
fn the_position_needs_a_perspective_barycentric() {
    for chip in [V, N10, N21, N31, STRIX, N48] {
        let inputs = |enabled: u32| {
            let words = [set(0xB020, &[1]), reg(chip, "SPI_PS_INPUT_ADDR", 0xFFFF), reg(chip, "SPI_PS_INPUT_ENA", enabled), draw()].concat();
            severities("STA-22", chip, Queue::Graphics, Settings::default(), &words)
        };
        // The linear barycentrics, and LINE_STIPPLE_TEX: without the position they are not an error.
        for other in [0x10, 0x20, 0x40, 0x70, 0x80] {
            assert_eq!(inputs(other | 0x800), BTreeSet::from([Severity::Error]), "{chip}: 0x{other:x}");
            assert!(!inputs(other).contains(&Severity::Error), "{chip}: 0x{other:x}");
        }
        for perspective in [1, 2, 4, 8] {
            assert!(inputs(perspective | 0x800).is_empty(), "{chip}: 0x{perspective:x}");
        }
    }
}

/// A rule, the queue or engine of the stream, facts stated about the board, the stream, and the expected severities.
type Expected = (&'static str, Chip, Queue, Settings, Vec<u32>, &'static [Severity]);

#[test]
fn what_no_source_is_sure_of_is_not_an_error() {
    use Queue::{Compute, Graphics};
    use Severity::{Error, Info, Warning};
    let none = Settings::default();
    let engines = |count| Settings { board: BoardFacts { shader_engines: Some(count), ..BoardFacts::default() }, ..none };
    let streamout = [reg(V, "VGT_STRMOUT_CONFIG", 1), reg(V, "VGT_STRMOUT_BUFFER_CONFIG", 1), reg(V, "IA_MULTI_VGT_PARAM", 255), draw()].concat();
    let stipple = [set(0xB020, &[1]), reg(N48, "SPI_PS_INPUT_ADDR", 0x82), reg(N48, "SPI_PS_INPUT_ENA", 0x80), draw()].concat();
    let tessellated = |chip| [reg(chip, "VGT_SHADER_STAGES_EN", 0x2004), draw()].concat();
    let untessellated = || [reg(N31, "VGT_SHADER_STAGES_EN", 0x2000), draw()].concat();
    let states_per_bin = |chip| [reg(chip, "PA_SC_BINNER_CNTL_0", 2 << 10), draw()].concat();
    let without_units = |groups: [u32; 3]| {
        let [dim_x, dim_y, dim_z] = groups;
        [rule_cases::masks(N31, 0), one(&DispatchDirect { dim_x, dim_y, dim_z, dispatch_initiator: COMPUTE })].concat()
    };
    let copied = |then: Vec<u32>| [copy_to_register(0xA2CB), then].concat();
    // CS_DONE with a cache action, which the writer refuses.
    let flushed = || raw_release(47 | 6 << 8 | 1 << 12);
    let done = |select: u32| raw_packet(Opcode::RELEASE_MEM, &[48 | 6 << 8, select << 29, 0x1000, 0x80, 1 << 16, 0, 0]);
    let geometry = |stages: u32| [reg(N10, "VGT_SHADER_STAGES_EN", stages), reg(N10, "VGT_GS_MAX_VERT_OUT", 0), draw()].concat();
    let loaded = [store_filled_size(ADDR), load_context(0x2CB)].concat();
    let graphics_dispatch = with_header(dispatch(), |header| header.with_shader_type(ShaderType::Graphics));
    let acquire = |engine: u32| raw_packet(Opcode::ACQUIRE_MEM, &[engine << 31, u32::MAX, 0xFF_FFFF, 0, 0, 10, 0x3_0000]);
    let read_back = |between: Vec<u32>| [write(ADDR, &[1]), between, cond_exec(ADDR, 0)].concat();

    let predicated = |words: Vec<u32>| with_header(words, |header| header.with_predicate(true));
    let grouped = |stages: u32| [reg(N10, "VGT_SHADER_STAGES_EN", stages), reg(N10, "GE_CNTL", 8 << 9), draw()].concat();
    let tiles = |tiles: u32| {
        let depth = [reg(N31, "DB_Z_INFO", 3 | 3 << 2), reg(N31, "DB_RENDER_CONTROL", tiles << 20)].concat();
        [depth, draw()].concat()
    };
    let polled = |addr: u32| [write_register(addr, 0), raw_packet(Opcode::WAIT_REG_MEM, &[3, addr / 4, 0, 1, 1, 4])].concat();
    let write_by = |engine: u32| raw_packet(Opcode::WRITE_DATA, &[5 << 8 | engine << 30, 0x1000, 0x80, 1]);
    let predicate = || raw_packet(Opcode::SET_PREDICATION, &[3 << 16, ADDR as u32, (ADDR >> 32) as u32]);
    let window = |op: u32| raw_packet(Opcode::PERF_COUNTER_WINDOW, &[op]);
    let one_part = || set(0x30800, &[0]);
    let guarded = |addr: u32| raw_packet(Opcode::COND_INDIRECT_BUFFER, &[1, 0x1000, 0x80, 0, 0, 0, 0, addr, 0, 8, 0, 0, 0]);
    // 1600 bytes of arguments from the start of the stream: fewer are mapped.
    let many = |count_in_memory: u32| {
        let draws = raw_packet(Opcode::DRAW_INDIRECT_MULTI, &[0, 0, 0, count_in_memory << 30, 100, 0x10_0000, 0, 16, 2]);
        [raw_packet(Opcode::SET_BASE, &[1, 0x10_0000, 0]), draws].concat()
    };
    let waited = |before: Vec<u32>| [write(ADDR, &[0]), before, wait(ADDR, 3)].concat();
    let beyond = || raw_packet(Opcode::SET_CONTEXT_REG, &[0x400, 1]);
    // The data of the first packet: mapped memory.
    const IN_STREAM: u64 = 0x10_0010;
    let in_stream = |before: Vec<u32>| [write(IN_STREAM, &[0]), before, wait(IN_STREAM, 3)].concat();
    let old_mec = Settings { firmware: FirmwareVersions { mec: Some(99), ..FirmwareVersions::default() }, ..none };
    let counted = |before: Vec<u32>| {
        let task = DispatchTaskmeshIndirectMultiAce {
            ring_entry_loc: 0x240,
            count: 1,
            stride: 12,
            count_indirect_enable: true,
            count_addr: ADDR,
            dispatch_initiator: COMPUTE,
            ..Default::default()
        };
        [write(ADDR, &[0]), before, one(&task)].concat()
    };
    // The second colour in blend factors, with MRT0 alone.
    let blended = |control: u32| {
        let masks = [reg(N31, "CB_TARGET_MASK", 0xF), reg(N31, "CB_SHADER_MASK", 0xF)].concat();
        [masks, reg(N31, "CB_COLOR_CONTROL", 0xCC_0010), reg(N31, "CB_BLEND0_CONTROL", 1 << 30 | control), draw()].concat()
    };
    let no_units = |chip, stages: Vec<u32>, rsrc4: Vec<u32>| [stages, reg(chip, "SPI_SHADER_PGM_RSRC3_GS", 0), rsrc4, draw()].concat();
    let stages = |chip, value| reg(chip, "VGT_SHADER_STAGES_EN", value);
    let cut_on = |chip, value: u32| {
        let before = [state(chip), stages(chip, value), reg(chip, "VGT_GS_MODE", 3), draw()].concat();
        [before, reg(chip, "VGT_GS_MODE", 3 | 1 << 4), draw()].concat()
    };
    let cut = |value: u32| cut_on(N21, value);
    let opaque_then_blend = |chip, export| [reg(chip, "DB_RENDER_CONTROL", 1 << 16), reg(chip, "DB_SHADER_CONTROL", export), draw()].concat();
    let coarse = |chip, control, value| [reg(chip, "PA_SC_AA_CONFIG", 3), reg(chip, control, value), draw()].concat();
    let mesh_draw = || raw_packet(Opcode::DISPATCH_MESH_DIRECT, &[1, 1, 1, 2]);
    let wgp_mode = |value, units| {
        let program = [reg(N21, "SPI_SHADER_PGM_RSRC1_GS", 1 << 27), reg(N21, "SPI_SHADER_PGM_RSRC3_GS", units)].concat();
        [stages(N21, value), program, draw()].concat()
    };
    // Draws with these stages, and a reset of the ids.
    let ordered_after = |draws: &[u32]| {
        let draws: Vec<u32> = draws.iter().flat_map(|value| [stages(N48, *value), draw()].concat()).collect();
        [draws, reg(N48, "GE_GS_ORDERED_ID_BASE", 0)].concat()
    };
    // Draws with streamout: NGG_WAVE_ID_EN.
    let ordered = |between: Vec<u32>| [stages(N48, 1 << 24), draw(), between, reg(N48, "GE_GS_ORDERED_ID_BASE", 0)].concat();
    // The release that writes 1 to ADDR after the shaders.
    let done_with = |event: u32| raw_packet(Opcode::RELEASE_MEM, &[event | 6 << 8, 1 << 29, ADDR as u32, (ADDR >> 32) as u32, 1, 0, 0]);
    let counted_done = |more: u32| raw_packet(Opcode::RELEASE_MEM, &[48 | 6 << 8 | 1 << 31 | more, 0, 0, 0, 0, 0, 0]);
    let counter = |select: u32| raw_acquire([5 << 11 | select << 14 | 1 << 17, u32::MAX, 0xFF, 0, 0, 1 << 31, 0]);
    // DMA_DATA by PFP of data that ME has written.
    let by_pfp = |to: u32| {
        let dma = raw_packet(Opcode::DMA_DATA, &[1 | 3 << 29 | to << 20, ADDR as u32, (ADDR >> 32) as u32, 0x4000, 0x80, 0x40]);
        [write(ADDR, &[3]), dma].concat()
    };
    let dma = |control: u32, command: u32| raw_packet(Opcode::DMA_DATA, &[3 << 29 | 3 << 20 | control, 0x1000, 0x80, 0x4000, 0x80, command]);
    let indices_at = |before: Vec<u32>| [before, raw_packet(Opcode::INDEX_BASE, &[0x1001, 0x80])].concat();
    let bytes = || raw_packet(Opcode::SET_UCONFIG_REG_INDEX, &[2 << 28 | 0x243, 2]);
    let chained = |bits: u32| raw_packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0x80, 8 | bits << 20]);
    let (dump, release_v) = (release_9(ADDR)[..4].to_vec(), release_9(ADDR)[4..].to_vec());
    let rewind = |valid: u32| raw_packet(Opcode::REWIND, &[valid << 31]);
    let colors = || raw_acquire([1 << 25, u32::MAX, 0xFF, 0, 0, 10, 0]);
    let waits_on = |engine: u32| raw_packet(Opcode::WAIT_REG_MEM, &[0x13 | engine << 8, 0x1000, 0x80, 1, u32::MAX, 4]);
    let selects = |low: u32| raw_packet(Opcode::EVENT_WRITE, &[56 | 1 << 8, low, 0]);
    let zpass = |addr: u64| raw_packet(Opcode::EVENT_WRITE_ZPASS, &[addr as u32, (addr >> 32) as u32]);
    let occlusion = raw_packet(Opcode::OCCLUSION_QUERY, &[ADDR as u32, (ADDR >> 32) as u32, 0x2000, 0x80]);
    let fan = |chip| [reg(chip, "VGT_PRIMITIVE_TYPE", 5), reg(chip, "IA_MULTI_VGT_PARAM", 0), draw()].concat();
    let patched = |size: u32| {
        let state = [stages(V, 1 << 2), reg(V, "VGT_LS_HS_CONFIG", 16 | 3 << 8 | 3 << 14), reg(V, "IA_MULTI_VGT_PARAM", size - 1)].concat();
        [state, draw()].concat()
    };
    let legacy_patched = |size: u32| {
        let state = [stages(N10, 1 << 2), reg(N10, "VGT_LS_HS_CONFIG", 16 | 3 << 8 | 3 << 14), reg(N10, "GE_CNTL", 256 << 9 | size)].concat();
        [state, draw()].concat()
    };
    let restarts = |to: u32| {
        let restart = |value| [reg(N10, "GE_MULTI_PRIM_IB_RESET_EN", value), draw()].concat();
        [restart(0), restart(to)].concat()
    };
    let non_events = event(N48, Event::SQ_NON_EVENT).repeat(3);
    // A DMA without CP_SYNC, a release, a wait, and a PFP read of the DMA's destination.
    const WAIT_DMA: u32 = 40 | 5 << 8 | 1 << 7;
    const FILLED: u64 = ADDR + 0x100;
    let filled = |control: u32, wait: Vec<u32>| [one(&filling(FILLED, 1, 4)), raw_release(control), wait, cond_exec(FILLED, 0)].concat();
    let pixels = |stage| one(&pixel_wait(stage));
    let pfp = |version| Settings { firmware: FirmwareVersions { pfp: Some(version), ..FirmwareVersions::default() }, ..none };
    // A release of a clock, and a wait until it is written: the model knows no value.
    let clock = |event: u32| raw_packet(Opcode::RELEASE_MEM, &[event, 3 << 29, ADDR as u32, (ADDR >> 32) as u32, 0, 0, 0]);
    let changed = || raw_packet(Opcode::WAIT_REG_MEM, &[0x14, ADDR as u32, (ADDR >> 32) as u32, 0, u32::MAX, 4]);
    // A predicate in memory: the stream itself has a 0 at this address.
    const ZERO: u64 = 0x10_0010;
    let if_set = |addr: u64| raw_packet(Opcode::SET_PREDICATION, &[4 << 16 | 1 << 8, addr as u32, (addr >> 32) as u32]);
    let dropped = |words: Vec<u32>| [raw_packet(Opcode::NOP, &[0; 8]), if_set(ZERO), predicated(words)].concat();
    let with_vmid = || raw_packet(Opcode::INDIRECT_BUFFER, &[0x2000, 0, 1 << 24 | 8]);
    let odd_header = || with_header(draw(), |header| Header(header.0 | 1 << 4));
    let no_output = || [reg(N10, "VGT_SHADER_STAGES_EN", 1 << 5 | 1 << 19), reg(N10, "VGT_GS_MAX_VERT_OUT", 0)].concat();
    // LOAD_CONTEXT_REG of DB_RENDER_CONTROL.
    let load_tiles = || raw_packet(Opcode::LOAD_CONTEXT_REG, &[ADDR as u32, (ADDR >> 32) as u32, 0, 1]);
    let tiles_and = |more: Vec<u32>| [reg(N31, "DB_Z_INFO", 3 | 3 << 2), reg(N31, "DB_RENDER_CONTROL", 7 << 20), more, draw()].concat();
    let control = |load: u32, shadow: u32| raw_packet(Opcode::CONTEXT_CONTROL, &[load, shadow]);
    let modify = || raw_packet(Opcode::CONTEXT_REG_RMW, &[0x200, 1, 1]);
    let features = |mec: u32, feature: u32| {
        let firmware = FirmwareVersions { mec: Some(mec), me_feature: Some(feature), ..FirmwareVersions::default() };
        Settings { firmware, ..none }
    };
    let group_of = |size: u32| [stages(N10, 1 << 13), reg(N10, "GE_CNTL", size << 9), draw()].concat();
    let hiz_draws = |depth: u32| [reg(N48, "PA_SC_HIZ_INFO", 1), reg(N48, "DB_DEPTH_CONTROL", depth), draw(), draw()].concat();
    let filtered = |chip, samples: u32, positions: u32, exclusion: u32| {
        let state = [reg(chip, "PA_SC_AA_CONFIG", samples), reg(chip, "PA_SU_PRIM_FILTER_CNTL", exclusion << 30)].concat();
        [state, reg(chip, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0", positions), draw()].concat()
    };
    let table: &[Expected] = &[
        // PAL resolves occlusion queries without a wait (RsrcProcMgr::CmdResolveQuery).
        ("SYN-20", N31, Graphics, none, [zpass(ADDR), draw(), zpass(ADDR + 8), occlusion.clone()].concat(), &[]),
        // PFP waits for ME, but ME does not wait for the end of the pipe.
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), cond_exec(ADDR, 0)].concat(), &[Error]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), cond_exec(ADDR, 0), cond_exec(ADDR, 0)].concat(), &[Error]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), sync(), cond_exec(ADDR, 0)].concat(), &[Warning]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), sync(), nop().repeat(400), cond_exec(ADDR, 0)].concat(), &[Warning]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), acquire(0), cond_exec(ADDR, 0)].concat(), &[Warning]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), sync(), wait(ADDR, 1), cond_exec(ADDR, 0)].concat(), &[]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), wait(ADDR, 1), sync(), cond_exec(ADDR, 0)].concat(), &[]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), event(N31, Event::PS_PARTIAL_FLUSH), sync(), cond_exec(ADDR, 0)].concat(), &[]),
        ("SYN-20", N31, Graphics, none, [release(ADDR, 1), event(N31, Event::CS_PARTIAL_FLUSH), sync(), cond_exec(ADDR, 0)].concat(), &[]),
        // A release may wait for the DMA engine, and PFP for the release.
        ("SYN-20", N31, Graphics, none, filled(WAIT_DMA, waits_on(1)), &[]),
        ("SYN-20", N48, Graphics, none, filled(WAIT_DMA, waits_on(1)), &[]),
        ("SYN-20", N21, Graphics, none, filled(WAIT_DMA, waits_on(1)), &[]),
        ("SYN-20", N31, Graphics, none, filled(WAIT_DMA | 1 << 31, pixels(AcquireMemPwsStageSel::CP_PFP)), &[]),
        ("SYN-20", N31, Graphics, none, filled(WAIT_DMA | 1 << 31, pixels(AcquireMemPwsStageSel::CP_ME)), &[Error]),
        ("SYN-20", N31, Graphics, none, filled(WAIT_DMA, waits_on(0)), &[Error]),
        ("SYN-20", N31, Graphics, none, filled(WAIT_DMA, sync()), &[Error]),
        ("SYN-20", N31, Graphics, none, filled(WAIT_DMA & !(1 << 7), waits_on(1)), &[Error]),
        ("SYN-20", V, Graphics, none, filled(WAIT_DMA, waits_on(1)), &[Error]),
        ("SYN-20", N31, Graphics, pfp(2149), filled(WAIT_DMA, waits_on(1)), &[Error]),
        ("SYN-20", N31, Graphics, pfp(2150), filled(WAIT_DMA, waits_on(1)), &[]),
        // It does not wait for the DMA that follows.
        ("SYN-20", N31, Graphics, none, [raw_release(WAIT_DMA), filled(WAIT_DMA & !(1 << 7), waits_on(1))].concat(), &[Error]),
        // With fewer than four engines the field has no effect (RADV radv_get_ia_multi_vgt_param).
        ("STA-33", V, Graphics, none, fan(V), &[Warning]),
        ("STA-33", V, Graphics, engines(4), fan(V), &[Warning]),
        ("STA-33", V, Graphics, engines(2), fan(V), &[]),
        ("STA-33", Chip::Raven, Graphics, none, fan(Chip::Raven), &[]),
        ("STA-33", Chip::Raven, Graphics, engines(1), fan(Chip::Raven), &[]),
        // A multiple is enough (radeonsi si_get_ia_multi_vgt_param).
        ("STA-36", V, Graphics, none, patched(16), &[]),
        ("STA-36", V, Graphics, none, patched(32), &[]),
        ("STA-36", V, Graphics, none, patched(24), &[Warning]),
        ("STA-36", N10, Graphics, none, legacy_patched(32), &[]),
        ("STA-36", N10, Graphics, none, legacy_patched(24), &[Warning]),
        // RESET_EN, not MATCH_ALL_BITS.
        ("STA-27", N10, Graphics, none, restarts(1), &[Warning]),
        ("STA-27", N10, Graphics, none, restarts(2), &[]),
        ("STA-27", N10, Graphics, none, restarts(3), &[Warning]),
        // Three events before any register, even if no draw follows. radeonsi has a release before them.
        ("STA-17", N48, Graphics, none, opaque(), &[Warning]),
        ("STA-17", N48, Graphics, none, [opaque(), dispatch()].concat(), &[Warning]),
        ("STA-17", N48, Graphics, none, [opaque(), non_events.clone()].concat(), &[]),
        ("STA-17", N48, Graphics, none, [opaque(), stages(N48, 0), non_events.clone(), draw()].concat(), &[Warning]),
        ("STA-17", N48, Graphics, none, [opaque(), release(ADDR, 1), non_events.clone(), stages(N48, 0), draw()].concat(), &[]),
        ("STA-17", N48, Graphics, none, [draw(), stages(N48, 0), draw()].concat(), &[]),
        // The legacy pipe has groups of any size, and the pipe in use may be unknown; the register is a context register.
        ("STA-08", N21, Graphics, none, [reg(N21, "GE_CNTL", 8 << 9), draw()].concat(), &[]),
        ("STA-08", N21, Graphics, none, [stages(N21, 1 << 13), load_context(0x2D5), reg(N21, "GE_CNTL", 8 << 9), draw()].concat(), &[]),
        ("STA-08", N21, Graphics, none, [stages(N21, 1 << 13), reg(N21, "GE_CNTL", 8 << 9), draw()].concat(), &[Error]),
        ("STA-08", N21, Graphics, none, [stages(N21, 1 << 13 | 1 << 19), reg(N21, "GE_CNTL", 8 << 9), draw()].concat(), &[]),
        // Whether GS runs, and the compute units of RSRC4, may be unknown. From GFX11 on there is only NGG.
        ("STA-20", V, Graphics, none, no_units(V, Vec::new(), Vec::new()), &[]),
        ("STA-20", V, Graphics, none, no_units(V, stages(V, 1 << 5), Vec::new()), &[Error]),
        ("STA-20", N10, Graphics, none, no_units(N10, Vec::new(), reg(N10, "SPI_SHADER_PGM_RSRC4_GS", 0)), &[]),
        ("STA-20", N10, Graphics, none, no_units(N10, stages(N10, 1 << 13), reg(N10, "SPI_SHADER_PGM_RSRC4_GS", 0)), &[Error]),
        ("STA-20", N31, Graphics, none, no_units(N31, Vec::new(), Vec::new()), &[]),
        ("STA-20", N31, Graphics, none, no_units(N31, Vec::new(), reg(N31, "SPI_SHADER_PGM_RSRC4_GS", 1)), &[]),
        ("STA-20", N31, Graphics, none, no_units(N31, Vec::new(), reg(N31, "SPI_SHADER_PGM_RSRC4_GS", 0)), &[Error]),
        ("STA-20", N48, Graphics, none, no_units(N48, Vec::new(), Vec::new()), &[Error]),
        // The cut mode matters with a geometry shader on the legacy pipe.
        ("STA-04", N21, Graphics, none, cut(1 << 5), &[Warning]),
        ("STA-04", N21, Graphics, none, cut(1 << 5 | 1 << 13), &[]),
        ("STA-04", N21, Graphics, none, cut(0), &[]),
        // radeonsi deliberately writes opaque-then-blend if the pixel shader exports no depth.
        ("STA-16", N31, Graphics, none, opaque_then_blend(N31, 0), &[Info]),
        ("STA-16", N31, Graphics, none, opaque_then_blend(N31, 1), &[Warning]),
        ("STA-16", N48, Graphics, none, [reg(N48, "DB_RENDER_CONTROL", 1 << 16), draw()].concat(), &[Info]),
        // The hangs that RADV names occur on GFX11.
        ("STA-38", N21, Graphics, none, coarse(N21, "DB_VRS_OVERRIDE_CNTL", 1 | 1 << 4), &[Info]),
        ("STA-38", N31, Graphics, none, coarse(N31, "PA_SC_VRS_OVERRIDE_CNTL", 1 | 5 << 4), &[Warning]),
        // MIN and MAX read no factor, and without SEPARATE_ALPHA_BLEND the alpha factors are not read.
        ("STA-05", N31, Graphics, none, blended(15), &[Error]),
        ("STA-05", N31, Graphics, none, blended(15 << 8 | 4 << 5), &[Error]),
        ("STA-05", N31, Graphics, none, blended(15 | 2 << 5), &[]),
        ("STA-05", N31, Graphics, none, blended(15 | 3 << 5), &[]),
        ("STA-05", N31, Graphics, none, blended(15 << 16), &[]),
        ("STA-05", N31, Graphics, none, blended(15 << 16 | 1 << 29), &[Error]),
        ("STA-05", N31, Graphics, none, blended(15 << 24 | 1 << 29 | 2 << 5), &[Error]),
        ("STA-05", N31, Graphics, none, blended(15 << 16 | 1 << 29 | 2 << 21), &[]),
        // A prefetch has no result.
        ("SYN-20", N31, Graphics, none, by_pfp(2), &[]),
        ("SYN-20", N31, Graphics, none, by_pfp(3), &[Error]),
        // PS_DONE comes after the vertex stages, for which something waits.
        ("SYN-26", N48, Graphics, none, ordered(Vec::new()), &[Error]),
        ("SYN-26", N48, Graphics, none, ordered(done_with(48)), &[Error]),
        ("SYN-26", N48, Graphics, none, ordered([done_with(48), wait(ADDR, 1)].concat()), &[]),
        ("SYN-26", N48, Graphics, none, ordered([done_with(47), wait(ADDR, 1)].concat()), &[Error]),
        // Only streamout has ordered ids. Draws without streamout do not end the waves of an earlier draw with it.
        ("SYN-26", N48, Graphics, none, [draw(), reg(N48, "GE_GS_ORDERED_ID_BASE", 0)].concat(), &[Warning]),
        ("SYN-26", N48, Graphics, none, ordered_after(&[0]), &[]),
        ("SYN-26", N48, Graphics, none, ordered_after(&[1 << 24, 0]), &[Error]),
        ("SYN-26", N48, Graphics, none, ordered([event(N48, Event::VS_PARTIAL_FLUSH), stages(N48, 0), draw()].concat()), &[]),
        // A release for which there may have been no wait.
        ("SYN-26", N48, Graphics, none, ordered([done_with(48), stages(N48, 0), draw()].concat()), &[Warning]),
        ("SYN-26", N48, Graphics, none, ordered([counted_done(0), counter(1)].concat()), &[]),
        ("SYN-26", N48, Graphics, none, ordered([counted_done(0), counter(0)].concat()), &[Error]),
        ("SYN-26", N48, Graphics, none, ordered([done_with(48), draw(), wait(ADDR, 1)].concat()), &[Error]),
        // A wait for a value unknown to the model is still a wait.
        ("SYN-24", N31, Graphics, none, [set(0x31118, &[2]), draw(), clock(40 | 5 << 8), changed(), set(0x31118, &[1])].concat(), &[]),
        ("SYN-24", N31, Graphics, none, [set(0x31118, &[2]), draw(), clock(40 | 5 << 8), set(0x31118, &[1])].concat(), &[Error]),
        ("SYN-26", N48, Graphics, none, ordered([clock(48 | 6 << 8), changed()].concat()), &[]),
        // Mesa sends PS_DONE without data if pixel wait sync counts it.
        ("SYN-03", N31, Graphics, none, counted_done(0), &[Info]),
        ("SYN-03", N31, Graphics, none, counted_done(1 << 12), &[Error]),
        ("SYN-03", N21, Graphics, none, counted_done(0), &[Error]),
        // 8-bit indices may lie at any address.
        ("MEM-01", N31, Graphics, none, indices_at(Vec::new()), &[Warning]),
        ("MEM-01", N31, Graphics, none, indices_at(bytes()), &[Warning]),
        ("MEM-01", N31, Graphics, none, indices_at(index_type()), &[Error]),
        ("MEM-01", N31, Graphics, none, raw_packet(Opcode::DRAW_INDEX_2, &[3, 0x1001, 0x80, 3, 0]), &[]),
        // A copy of 0 bytes is harmless; 2^26 bytes leave a bit above the field.
        ("MEM-05", N31, Graphics, none, dma(0, 0), &[Warning]),
        ("MEM-05", N31, Graphics, none, dma(0, 1 << 31), &[Warning]),
        ("MEM-05", N31, Graphics, none, dma(0, 1 << 26), &[Error]),
        ("MEM-05", N31, Graphics, none, dma(1 << 31, 0), &[]),
        // offload_polling is a field.
        ("IB-04", N31, Compute, none, chained(0x9), &[]),
        ("IB-04", N31, Compute, none, chained(0xB), &[Error]),
        ("IB-04", N31, Compute, none, chained(0x1), &[Error]),
        ("IB-04", N31, Compute, none, chained(0x3), &[Error]),
        // ME does not see packets that only PFP executes.
        ("SYN-04", V, Graphics, none, [dump.clone(), cond_exec(ADDR, 8), release_v.clone()].concat(), &[]),
        ("SYN-04", V, Graphics, none, [dump.clone(), chain(0x10_0020, 8), release_v.clone()].concat(), &[]),
        ("SYN-04", V, Graphics, none, [dump.clone(), sync(), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [cond_exec(ADDR, 0), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [cond_exec(ADDR, 8), release_v.clone()].concat(), &[Warning]),
        // The packets between may not run.
        ("SYN-04", V, Graphics, none, [dump.clone(), perhaps(draw()), release_v.clone()].concat(), &[Warning]),
        ("SYN-04", V, Graphics, none, [dump.clone(), perhaps(set(0x2880C, &[0])), release_v.clone()].concat(), &[Warning]),
        ("SYN-04", V, Graphics, none, [dump.clone(), perhaps(nop()), release_v.clone()].concat(), &[]),
        ("SYN-04", V, Graphics, none, [dump.clone(), perhaps(draw()), draw(), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [perhaps(draw()), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [perhaps(dump.clone()), release_v.clone()].concat(), &[]),
        ("SYN-04", V, Graphics, none, [dump.clone(), waits_on(0), release_v.clone()].concat(), &[Error]),
        // For other packets that PFP executes, no source states whether ME sees them.
        ("SYN-04", V, Graphics, none, [dump.clone(), waits_on(1), release_v.clone()].concat(), &[Warning]),
        ("SYN-04", V, Graphics, none, [dump.clone(), write_by(1), release_v.clone()].concat(), &[Warning]),
        ("SYN-04", V, Graphics, none, [dump.clone(), write_by(0), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [dump.clone(), dma(1, 0x40), release_v.clone()].concat(), &[Warning]),
        ("SYN-04", V, Graphics, none, [dump.clone(), dma(0, 0x40), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [dump.clone(), write_by(1), write_by(0), release_v.clone()].concat(), &[Error]),
        ("SYN-04", V, Graphics, none, [write_by(1), release_v.clone()].concat(), &[Error]),
        // One rule per bit.
        ("SYN-07", N31, Graphics, none, colors(), &[Error]),
        ("SYN-07", N31, Compute, none, colors(), &[Error]),
        ("SYN-23", N31, Compute, none, colors(), &[Warning]),
        ("ENC-12", N31, Compute, none, colors(), &[]),
        ("SYN-14", N31, Compute, none, waits_on(1), &[Error]),
        ("ENC-12", N31, Compute, none, waits_on(1), &[]),
        ("ENC-12", N31, Compute, none, waits_on(2), &[Warning]),
        ("ENC-12", N31, Compute, none, write_by(1), &[]),
        // REWIND fetches the loop again each time.
        ("IB-02", N31, Graphics, none, [rewind(1), chain(0x10_0000, 6)].concat(), &[Warning]),
        ("IB-02", N31, Compute, none, [rewind(1), chain_compute(0x10_0000, 6)].concat(), &[Warning]),
        // And an agent outside the stream sets the valid bit.
        ("IB-02", N31, Graphics, none, [rewind(0), chain(0x10_0000, 6)].concat(), &[Warning]),
        ("IB-02", N31, Compute, none, [rewind(0), chain_compute(0x10_0000, 6)].concat(), &[Warning]),
        ("IB-02", N31, Graphics, none, [rewind(1), chain(0x10_0008, 4)].concat(), &[Error]),
        // A selection of counters has no address.
        ("SYN-12", N31, Graphics, none, selects(8), &[]),
        ("SYN-12", N31, Graphics, none, selects(1), &[]),
        ("ENC-12", N31, Graphics, none, selects(1), &[Warning]),
        ("SYN-12", N31, Graphics, none, raw_event(56, 1), &[Error]),
        // PAL builds loops from conditional calls, and nests them on compute queues.
        ("IB-02", N31, Graphics, none, ib(0x10_0000, 8), &[Error]),
        ("IB-02", N31, Graphics, none, guarded(0x10_0000), &[Warning]),
        ("IB-02", N31, Compute, none, ib(0x20_0000, 8), &[Error]),
        ("IB-02", N31, Compute, none, guarded(0x20_0000), &[Warning]),
        // A conditional chain ends its loop or continues with the packets after it.
        ("IB-02", N31, Graphics, none, [cond_exec(ADDR, 4), chain(0x10_0000, 9)].concat(), &[Warning]),
        ("IB-02", N31, Graphics, none, [predicate(), predicated(chain(0x10_0000, 8))].concat(), &[Warning]),
        ("IB-02", N31, Graphics, none, predicated(chain(0x10_0000, 4)), &[Error]),
        ("IB-02", N31, Graphics, none, [cond_exec(ADDR, 2), raw_packet(Opcode::NOP, &[0]), chain(0x10_0000, 11)].concat(), &[Error]),
        // The condition precedes the endless loop: it may never begin.
        ("IB-02", N31, Graphics, none, [cond_exec(ADDR, 4), chain(0x10_0024, 4), chain(0x10_0024, 4)].concat(), &[Warning]),
        ("IB-02", N31, Graphics, none, [cond_exec(ADDR, 1), nop(), chain(0x10_0018, 4)].concat(), &[Error]),
        ("IB-01", N31, Graphics, none, [chain(0x20_0000, 4), draw()].concat(), &[Error]),
        ("IB-01", N31, Graphics, none, [cond_exec(ADDR, 4), chain(0x20_0000, 4), draw()].concat(), &[]),
        ("IB-01", N31, Graphics, none, [predicate(), predicated(chain(0x20_0000, 4)), draw()].concat(), &[]),
        ("IB-01", N31, Graphics, none, [predicated(chain(0x20_0000, 4)), draw()].concat(), &[Error]),
        // Padding of type 2.
        ("IB-01", N31, Graphics, none, [chain(0x20_0000, 4), vec![0x8000_0000; 4]].concat(), &[]),
        // The rest of a buffer that was dumped in full.
        ("IB-01", N31, Graphics, none, [chain(0x20_0000, 4), vec![0; 5]].concat(), &[]),
        ("IB-01", N31, Graphics, none, [chain(0x20_0000, 4), nop(), vec![0; 5]].concat(), &[]),
        ("IB-01", N31, Graphics, none, [chain(0x20_0000, 4), vec![0; 4], draw()].concat(), &[Error]),
        // If unmapped memory may be written by others, the wait may end; mapped memory is written by shaders at most, unless by a fence.
        ("SYN-18", N31, Graphics, none, waited(Vec::new()), &[Warning]),
        ("SYN-18", N31, Graphics, none, [write(0x10_0010, &[0]), wait(0x10_0010, 3)].concat(), &[Error]),
        ("SYN-18", N31, Graphics, none, [write(0x10_0010, &[0]), wait(0x10_0010, 3), write(0x10_0010, &[3])].concat(), &[Error]),
        // PAL resets an event to 0xcafebabe (PAL palGpuEvent.h), RADV to 0 with a release; the CPU sets either. A timeline raised by SDMA continues after that.
        ("SYN-18", N31, Graphics, none, [write(ADDR, &[0xCAFE_BABE]), wait(ADDR, 0xDEAD_BEEF)].concat(), &[Warning]),
        ("SYN-18", N31, Graphics, none, [release(ADDR, 0xCAFE_BABE), dispatch(), wait(ADDR, 0xDEAD_BEEF)].concat(), &[Warning]),
        ("SYN-18", N31, Graphics, none, [release(ADDR, 0), wait(ADDR, 1)].concat(), &[Warning]),
        ("SYN-18", N31, Compute, none, [release(ADDR, 1), wait(ADDR, 2), release(ADDR, 3)].concat(), &[Warning]),
        ("SYN-18", N31, Compute, none, [release(ADDR, 1), wait(ADDR, 2), release(ADDR, 2)].concat(), &[Warning]),
        ("SYN-18", N31, Graphics, none, waited(release(ADDR, 7)), &[Warning]),
        ("SYN-18", N31, Graphics, none, waited(dispatch()), &[Warning]),
        ("SYN-18", N31, Graphics, none, waited(draw()), &[Warning]),
        ("SYN-18", N31, Graphics, none, in_stream([draw(), release(IN_STREAM, 7)].concat()), &[Error]),
        ("SYN-18", N31, Graphics, none, in_stream([release(IN_STREAM, 7), draw()].concat()), &[Error]),
        ("SYN-18", N31, Graphics, none, in_stream([release(IN_STREAM, 7), wait(IN_STREAM, 7), draw()].concat()), &[Error]),
        ("SYN-18", N31, Graphics, none, in_stream([draw(), release(IN_STREAM, 7), wait(IN_STREAM, 7), write(IN_STREAM, &[0])].concat()), &[Error]),
        ("SYN-18", N31, Graphics, none, in_stream(draw()), &[Warning]),
        // The writer of the packets after a REWIND sets its valid bit.
        ("SYN-18", N31, Compute, none, raw_packet(Opcode::REWIND, &[0]), &[Warning]),
        ("SYN-18", N31, Compute, none, [dispatch(), raw_packet(Opcode::REWIND, &[0])].concat(), &[Warning]),
        ("SYN-29", N21, Compute, old_mec, counted(Vec::new()), &[Error]),
        ("SYN-29", N21, Compute, old_mec, counted(release(ADDR, 1)), &[]),
        ("SYN-29", N21, Compute, old_mec, counted(dispatch()), &[Warning]),
        // A packet dropped by the predicate does nothing, but its words are still wrong; work that may not run may be harmless.
        ("STA-03", N10, Graphics, none, indexed(0), &[Error]),
        ("STA-03", N10, Graphics, none, dropped(indexed(0)), &[]),
        ("STA-03", N10, Graphics, none, [if_set(ADDR), predicated(indexed(0))].concat(), &[Warning]),
        ("STA-03", N10, Graphics, none, [if_set(ADDR), indexed(0)].concat(), &[Error]),
        ("STA-03", N10, Graphics, none, [cond_exec(ADDR, 6), indexed(0)].concat(), &[Warning]),
        ("STA-03", N10, Graphics, none, [cond_exec(ADDR, 6), indexed(3), indexed(0)].concat(), &[Error]),
        ("IB-07", N31, Graphics, none, with_vmid(), &[Error]),
        ("IB-07", N31, Graphics, none, dropped(with_vmid()), &[]),
        ("IB-07", N31, Graphics, none, [cond_exec(ADDR, 4), with_vmid()].concat(), &[Error]),
        ("IB-03", N31, Graphics, none, perhaps(empty_ib()), &[Error]),
        ("SYN-01", N31, Graphics, none, perhaps(raw_event(0x14, 5)), &[Error]),
        // A write that may not happen may be harmless.
        ("REG-01", N31, Graphics, none, beyond(), &[Error]),
        ("REG-01", N31, Graphics, none, perhaps(beyond()), &[Warning]),
        ("REG-01", N31, Graphics, none, [perhaps(beyond()), beyond()].concat(), &[Warning, Error]),
        ("REG-01", N31, Graphics, none, [predicate(), predicated(beyond())].concat(), &[Warning]),
        ("REG-02", N31, Graphics, none, set(0x28038, &[2]), &[Error]),
        ("REG-02", N31, Graphics, none, perhaps(set(0x28038, &[2])), &[Warning]),
        ("REG-03", N31, Graphics, none, perhaps(raw_packet(Opcode::SET_CONFIG_REG, &[0x10, 0])), &[Warning]),
        ("POPS-19", N31, Graphics, none, raw_packet(Opcode::SET_CONTEXT_REG, &[0x940, 0]), &[Error]),
        ("POPS-19", N31, Graphics, none, perhaps(raw_packet(Opcode::SET_CONTEXT_REG, &[0x940, 0])), &[Warning]),
        // So may a read, and a read of memory that may not have been written.
        ("SYN-20", N31, Graphics, none, [write(ADDR, &[1]), load_context(0x200)].concat(), &[Error]),
        ("SYN-20", N31, Graphics, none, [write(ADDR, &[1]), perhaps(load_context(0x200))].concat(), &[Warning]),
        ("SYN-20", N31, Graphics, none, [perhaps(write(ADDR, &[1])), load_context(0x200)].concat(), &[]),
        ("SYN-20", N31, Graphics, none, [one(&filling(ADDR, 0, 64)), load_context(0x200)].concat(), &[Error]),
        ("SYN-20", N31, Graphics, none, [one(&filling(ADDR, 0, 64)), perhaps(load_context(0x200))].concat(), &[Warning]),
        ("SYN-20", N31, Graphics, none, [perhaps(one(&filling(ADDR, 0, 64))), load_context(0x200)].concat(), &[]),
        ("SYN-24", N31, Graphics, none, [set(0x31118, &[2]), draw(), perhaps(set(0x31118, &[1]))].concat(), &[Warning]),
        ("ENC-06", N31, Graphics, none, dropped(odd_header()), &[Warning]),
        ("STA-41", N10, Graphics, none, [no_output(), cond_exec(ADDR, 3), draw()].concat(), &[Warning]),
        ("STA-41", N10, Graphics, none, [no_output(), cond_exec(ADDR, 3), draw(), draw()].concat(), &[Warning, Error]),
        ("SYN-29", N21, Compute, old_mec, task_work(0), &[Error]),
        ("SYN-29", N21, Compute, old_mec, [cond_exec(ADDR, task_work(0).len() as u32), task_work(0)].concat(), &[Warning]),
        // Another buffer, or the ring, may have enabled the load.
        ("REG-12", N31, Graphics, none, load_tiles(), &[Info]),
        ("REG-12", N31, Graphics, none, [control(0, 1 << 31), load_tiles()].concat(), &[Info]),
        ("REG-12", N31, Graphics, none, [control(1 << 31, 1 << 31), load_tiles()].concat(), &[Warning]),
        ("REG-12", N31, Graphics, none, [control(1 << 31 | 2, 1 << 31), load_tiles()].concat(), &[]),
        ("STA-15", N31, Graphics, none, tiles_and(load_tiles()), &[]),
        ("STA-15", N31, Graphics, none, tiles_and([control(1 << 31, 1 << 31), load_tiles()].concat()), &[Error]),
        // Packets that the model has not seen, or that may not have run, may have written the register.
        ("REG-10", N31, Graphics, none, modify(), &[Warning]),
        ("REG-10", N31, Graphics, none, [cond_exec(ADDR, 3), set(0x28800, &[0]), modify()].concat(), &[]),
        ("REG-10", N31, Graphics, none, [load_context(0x200), modify()].concat(), &[]),
        ("REG-10", N31, Graphics, none, [ib(0x7001_0000_0000, 8), modify()].concat(), &[]),
        // Between the packets that open and close a window of counters, registers belong to one part at a time; whether a window is open may be unknown.
        ("REG-15", N31, Graphics, none, [window(7), one_part(), draw()].concat(), &[]),
        ("REG-15", N31, Graphics, none, [window(2), one_part(), draw()].concat(), &[Warning]),
        ("REG-15", N31, Graphics, none, [cond_exec(ADDR, 2), window(7), one_part(), draw()].concat(), &[]),
        // The count of the packet is the maximum of the count in memory. Unmapped arguments are unknown, and not an error.
        ("MEM-03", N31, Graphics, none, many(0), &[Info, Error]),
        ("MEM-03", N31, Graphics, none, many(1), &[Info, Warning]),
        // A wait of PFP for ME, which radeonsi and RADV send instead of PFP_SYNC_ME when caches are flushed as well.
        ("SYN-20", N31, Graphics, none, read_back(acquire(1)), &[Error]),
        ("SYN-20", N31, Graphics, none, read_back(acquire(0)), &[]),
        // Reserved bits that RADV has written.
        ("SYN-14", N31, Compute, none, write_by(0), &[]),
        ("SYN-14", N31, Compute, none, write_by(1), &[Warning]),
        // radeonsi has conditional task work.
        ("ENC-11", N31, Compute, none, predicated(dispatch()), &[Error]),
        ("ENC-11", N31, Compute, none, predicated(task()), &[Warning]),
        ("ENC-11", N31, Compute, none, predicated(task_work(1)), &[Error]),
        // RADV makes all packets of the DMA engine conditional: the prefetch of a shader, and copies of an application.
        ("ENC-11", N31, Compute, none, predicated(dma(0, 0x40)), &[Warning]),
        ("ENC-11", N31, Compute, none, predicated(raw_packet(Opcode::DMA_DATA, &[2 << 20, 0x8000, 1, 0x8000, 1, 0x40])), &[Warning]),
        // The legacy pipe has the groups of its geometry shader.
        ("STA-08", N10, Graphics, none, grouped(1 << 5 | 1 << 13), &[Error]),
        ("STA-08", N10, Graphics, none, grouped(1 << 5), &[]),
        // The hardware may change registers that are not documented to change.
        ("SYN-21", V, Graphics, none, polled(0x300FC), &[Error]),
        ("SYN-21", V, Graphics, none, polled(0x30080), &[Warning]),
        ("SYN-18", N31, Graphics, none, polled(0x30080), &[Warning]),
        // 8 samples: 6 tiles.
        ("STA-15", N31, Graphics, none, tiles(6), &[]),
        ("STA-15", N31, Graphics, none, tiles(7), &[Error]),
        ("STA-15", N31, Graphics, none, tiles(0), &[Error]),
        // A smaller limit: no source states that this hangs.
        ("STA-15", N31, Graphics, none, tiles(5), &[Warning]),
        ("STA-15", N31, Graphics, none, tiles(1), &[Warning]),
        ("STA-15", Chip::Phoenix, Graphics, none, tiles(6), &[Warning]),
        ("STA-15", Chip::Phoenix, Graphics, none, tiles(7), &[]),
        ("STA-15", Chip::Phoenix, Graphics, none, tiles(8), &[Error]),
        ("ENC-07", N31, Compute, none, with_header(set(0xB830, &[0]), past_filter), &[Warning]),
        ("STA-10", V, Graphics, engines(2), streamout.clone(), &[Error]),
        ("STA-10", V, Graphics, engines(4), streamout.clone(), &[]),
        ("STA-10", V, Graphics, none, streamout, &[Warning]),
        // No stream shows whether the tessellation factors are sent by message, which the hang requires. radeonsi sends the event on GFX11.5 too.
        ("STA-18", N31, Graphics, none, tessellated(N31), &[Warning]),
        ("STA-18", STRIX, Graphics, none, tessellated(STRIX), &[Warning]),
        // Any event, and a workgroup of another draw.
        ("STA-18", N31, Graphics, none, [tessellated(N31), event(N31, Event::SQ_NON_EVENT)].concat(), &[]),
        ("STA-18", N31, Graphics, none, [tessellated(N31), event(N31, Event::PS_PARTIAL_FLUSH)].concat(), &[]),
        ("STA-18", N31, Graphics, none, [tessellated(N31), release(ADDR, 1)].concat(), &[]),
        ("STA-18", N31, Graphics, none, [tessellated(N31), untessellated()].concat(), &[]),
        ("STA-18", N31, Graphics, none, [event(N31, Event::SQ_NON_EVENT), tessellated(N31)].concat(), &[Warning]),
        // PAL's numbers are feature versions: boards as recorded.
        ("SYN-15", Chip::RaphaelMendocino, Compute, features(18, 38), event(N21, Event::CS_PARTIAL_FLUSH), &[]),
        ("SYN-15", Chip::Raven, Compute, features(427, 47), event(V, Event::CS_PARTIAL_FLUSH), &[Warning]),
        ("SYN-15", N21, Compute, features(100, 34), event(N21, Event::CS_PARTIAL_FLUSH), &[Warning]),
        ("SYN-15", N21, Compute, features(1, 35), event(N21, Event::CS_PARTIAL_FLUSH), &[]),
        // GFX10.3: support for the 32-bit predicate came with feature version 31, whose number was not changed.
        ("ENC-18", N21, Graphics, features(1, 30), if_set(ADDR), &[Error]),
        ("ENC-18", N21, Graphics, features(1, 31), if_set(ADDR), &[Warning]),
        ("ENC-18", N21, Graphics, features(1, 32), if_set(ADDR), &[]),
        ("ENC-18", N10, Graphics, features(1, 31), if_set(ADDR), &[Error]),
        // The kernel calls them deprecated, and no source states that they fail.
        ("ENC-05", V, Compute, none, vec![Header::FILLER.0], &[Warning]),
        // All chips that PAL configures as Navi2x.
        ("STA-04", Chip::Rembrandt, Graphics, none, cut_on(Chip::Rembrandt, 1 << 5), &[Warning]),
        ("STA-04", Chip::RaphaelMendocino, Graphics, none, cut_on(Chip::RaphaelMendocino, 1 << 5), &[Warning]),
        ("STA-04", Chip::Vangogh, Graphics, none, cut_on(Chip::Vangogh, 1 << 5), &[]),
        // PAL has no group from 19 to 23 on GFX10.1; radeonsi writes them.
        ("STA-08", N10, Graphics, none, group_of(19), &[Info]),
        ("STA-08", N10, Graphics, none, group_of(23), &[Info]),
        ("STA-08", N10, Graphics, none, group_of(24), &[]),
        ("STA-08", N10, Graphics, none, group_of(18), &[Error]),
        // RADV sends the release after every draw with HiZ, PAL only after those that write depth or stencil.
        ("STA-39", N48, Graphics, none, hiz_draws(1 << 2), &[Warning]),
        ("STA-39", N48, Graphics, none, hiz_draws(0), &[Info]),
        // Missing samples do not count, and neither does the other axis.
        ("STA-50", N21, Graphics, none, filtered(N21, 0, 0x0800, 3), &[]),
        ("STA-50", N21, Graphics, none, filtered(N21, 1, 0x0800, 3), &[Warning]),
        ("STA-50", N21, Graphics, none, filtered(N21, 0, 0x0008, 3), &[Warning]),
        ("STA-50", N21, Graphics, none, filtered(N21, 1, 0x0008, 2), &[]),
        ("STA-50", N21, Graphics, none, filtered(N21, 1, 0x0080, 1), &[]),
        ("STA-50", N21, Graphics, none, filtered(N21, 1, 0x0080, 2), &[Warning]),
        ("STA-50", N21, Graphics, none, filtered(N21, 1, 0x0800_0000, 3), &[]),
        ("STA-50", N21, Graphics, none, filtered(N21, 2, 0x0800_0000, 3), &[Warning]),
        // A mesh draw of GFX12 has no geometry stage.
        ("STA-41", N48, Graphics, none, [stages(N48, 1 << 19), mesh_draw()].concat(), &[Warning]),
        ("STA-41", N48, Graphics, none, [stages(N48, 1 << 19), reg(N48, "VGT_GS_MAX_VERT_OUT", 0), mesh_draw()].concat(), &[Error]),
        // Older PAL sets three states for up to 4 render backends.
        ("STA-12", N10, Graphics, none, states_per_bin(N10), &[Error]),
        ("STA-12", N21, Graphics, none, states_per_bin(N21), &[Error]),
        ("STA-12", Chip::Vangogh, Graphics, none, states_per_bin(Chip::Vangogh), &[Warning]),
        ("STA-12", Chip::Navi14, Graphics, none, states_per_bin(Chip::Navi14), &[Warning]),
        ("STA-12", Chip::Phoenix, Graphics, none, states_per_bin(Chip::Phoenix), &[Error]),
        ("STA-12", N48, Graphics, none, states_per_bin(N48), &[Error]),
        // Without a workgroup, no wave needs a compute unit.
        ("STA-46", N31, Compute, none, without_units([1, 1, 1]), &[Error]),
        ("STA-46", N31, Compute, none, without_units([0, 1, 1]), &[]),
        ("STA-46", N31, Compute, none, without_units([1, 1, 0]), &[]),
        ("STA-22", N48, Graphics, none, stipple, &[Info]),
        ("STA-24", N31, Graphics, none, graphics_dispatch, &[Info]),
        ("STA-41", N10, Graphics, none, geometry(1 << 5), &[Warning]),
        ("STA-41", N10, Graphics, none, geometry(1 << 5 | 1 << 19), &[Error]),
        // A mesh draw by its packet. Other draws with a geometry shader may have the register from an earlier write.
        ("STA-41", N48, Graphics, none, [stages(N48, 1 << 5), mesh_draw()].concat(), &[Warning]),
        ("STA-41", N48, Graphics, none, [stages(N48, 1 << 5), draw()].concat(), &[]),
        ("STA-41", N48, Graphics, none, [stages(N48, 0), mesh_draw()].concat(), &[]),
        // WGP mode with no unit masked, with a whole WGP masked, and on the legacy pipe.
        ("STA-48", N21, Graphics, none, wgp_mode(1 << 13, 0xFFFD), &[Warning]),
        ("STA-48", N21, Graphics, none, wgp_mode(1 << 13, 0xFFFF), &[]),
        ("STA-48", N21, Graphics, none, wgp_mode(1 << 13, 0xFFF3), &[]),
        ("STA-48", N21, Graphics, none, wgp_mode(1 << 5, 0xFFFD), &[]),
        // The legacy pipe, and a disabled limit.
        ("STA-49", N10, Graphics, none, [stages(N10, 0), reg(N10, "PA_SC_NGG_MODE_CNTL", 0x7FF), draw()].concat(), &[]),
        ("STA-49", N31, Graphics, none, [reg(N31, "PA_SC_NGG_MODE_CNTL", 0x7FF | 1 << 13), draw()].concat(), &[]),
        ("SYN-03", N31, Graphics, none, flushed(), &[Error]),
        ("SYN-03", N31, Compute, none, flushed(), &[Warning]),
        // PS_DONE that writes nothing, a clock, and dwords of GDS, as radeonsi stores the streamout counters.
        ("SYN-03", N31, Graphics, none, done(0), &[Error]),
        ("SYN-03", N31, Graphics, none, done(3), &[Warning]),
        ("SYN-03", N31, Graphics, none, done(5), &[]),
        // RADV counts indirect arguments from an address that Vulkan aligns to 4; nothing else is known to need less alignment than PAL's 8.
        ("MEM-01", N21, Graphics, none, raw_packet(Opcode::SET_BASE, &[1, 0x1004, 0x80]), &[Info]),
        ("MEM-01", N21, Graphics, none, raw_packet(Opcode::SET_BASE, &[1, 0x1002, 0x80]), &[Error]),
        ("MEM-01", N21, Graphics, none, raw_packet(Opcode::SET_BASE, &[4, 0x1004, 0x80]), &[Error]),
        // The value of the register may be unknown, and then it may not change.
        ("SYN-24", N31, Graphics, none, [set(0x31118, &[2]), draw(), set(0x31118, &[1])].concat(), &[Error]),
        ("SYN-24", N31, Graphics, none, [set(0x31118, &[1]), draw(), set(0x31118, &[1])].concat(), &[]),
        ("SYN-24", N31, Graphics, none, [draw(), set(0x31118, &[1])].concat(), &[Warning]),
        ("SYN-24", N31, Graphics, none, [set(0x3111C, &[2]), draw(), set(0x31118, &[1, 1])].concat(), &[Error]),
        ("SYN-24", N31, Graphics, none, [draw(), set(0x30938, &[1])].concat(), &[Warning]),
        ("SYN-25", N21, Graphics, none, loaded, &[Warning]),
        // A draw hangs only if it takes its count from the register, and COPY_DATA has written the count.
        ("SYN-25", N21, Graphics, none, copied(Vec::new()), &[Warning]),
        ("SYN-25", N21, Graphics, none, copied(draw()), &[Warning]),
        ("SYN-25", N21, Graphics, none, copied(opaque()), &[Warning, Error]),
        ("SYN-25", N21, Graphics, none, copied([set(0x28B2C, &[0]), opaque()].concat()), &[Warning]),
        ("SYN-25", N21, Graphics, none, copied([sync(), load_context(0x2CB), opaque()].concat()), &[Warning]),
        ("SYN-25", N21, Graphics, none, [cond_exec(ADDR, 6), copied(opaque())].concat(), &[Warning]),
        ("SYN-25", N21, Graphics, none, opaque(), &[]),
        // The register of the fill again in the first group, or in the last.
        ("ENC-16", N31, Graphics, none, raw_packed(&[4, 0x203 | 0x203 << 16, 0, 0, 0x204 | 0x203 << 16, 0, 0]), &[Warning]),
        ("ENC-16", N31, Graphics, none, raw_packed(&[4, 0x203 | 0x204 << 16, 0, 0, 0x203 | 0x203 << 16, 0, 0]), &[Warning]),
        ("ENC-16", N31, Graphics, none, raw_packed(&[4, 0x203 | 0x204 << 16, 0, 0, 0x205 | 0x203 << 16, 0, 0]), &[]),
        // An unknown buffer, and a packet that may not run: either may have written the scissors.
        ("STA-06", V, Graphics, none, [state(V), draw(), set(0x2880C, &[0x10]), draw()].concat(), &[Warning]),
        // Scissors that are disabled, and enabled again, which rolls the context.
        ("STA-06", V, Graphics, none, [reg(V, "PA_SC_MODE_CNTL_0", 0), draw(), set(0x2880C, &[0x10]), draw()].concat(), &[]),
        ("STA-06", V, Graphics, none, [reg(V, "PA_SC_MODE_CNTL_0", 2), draw(), set(0x2880C, &[0x10]), draw()].concat(), &[Warning]),
        ("STA-06", V, Graphics, none, [reg(V, "PA_SC_MODE_CNTL_0", 0), draw(), reg(V, "PA_SC_MODE_CNTL_0", 2), draw()].concat(), &[Warning]),
        ("STA-06", V, Graphics, none, [state(V), draw(), set(0x2880C, &[0x10]), cond_exec(ADDR, 4), set(0x28250, &[0, 0]), draw()].concat(), &[]),
        ("STA-06", V, Graphics, none, [state(V), draw(), set(0x2880C, &[0x10]), ib(0x7001_0000_0000, 8), draw()].concat(), &[]),
        ("SYN-29", N21, Compute, none, task_work(0), &[Info]),
    ];
    let mut wrong = Vec::new();
    for (code, chip, queue, settings, words, expected) in table {
        let found = severities(code, *chip, *queue, *settings, words);
        if found != expected.iter().copied().collect() {
            wrong.push(format!("{code} on {chip}, {queue:?}: {found:?} instead of {expected:?}: {words:x?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn who_may_write_memory_decides_whether_a_wait_hangs() {
    let found = |cp: &mut CommandProcessor<'_>| {
        let found = streams::Log::of(cp).findings.into_iter().filter(|finding| finding.code == "SYN-18");
        found.map(|finding| (finding.severity, finding.message)).collect::<Vec<_>>()
    };
    // The location of the buffer is unknown, and so is the agent that sets the valid bit in it.
    let rewind = raw_packet(Opcode::REWIND, &[0]);
    for closed in [false, true] {
        let mut cp = CommandProcessor::new(N31);
        cp.closed_memory(closed).submit(Queue::Compute, "without address", &rewind);
        let found = found(&mut cp);
        assert!(matches!(&found[..], [(Severity::Info, message)] if message.contains("has no address")), "{found:?}");
    }
    // An event that the stream resets, and REWIND in a buffer with an address: the CPU may end both, unless the caller states that all memory is mapped.
    let reset = [write(ADDR, &[0]), wait(ADDR, 1)].concat();
    for words in [&reset, &rewind] {
        for (closed, severity) in [(false, Severity::Warning), (true, Severity::Error)] {
            let mut cp = CommandProcessor::new(N31);
            cp.closed_memory(closed).submit_at(Queue::Graphics, "stream", 0x10_0000, words);
            let found = found(&mut cp);
            assert_eq!(found.iter().map(|(severity, _)| *severity).collect::<Vec<_>>(), [severity]);
            assert_eq!(found[0].1.contains("the CPU or another engine"), !closed, "{found:?}");
        }
    }
}

#[test]
fn an_event_that_selects_counters_is_told_as_such() {
    let case = rule_cases::case("SYN-12", N31, Vec::new(), Vec::new());
    let found = findings(&case, &raw_event(56, 1));
    let told = found.iter().find(|finding| finding.code == "SYN-12").expect("a finding");
    assert_eq!(told.message, "PIXEL_PIPE_STAT_CONTROL selects counters with dwords 2 and 3, and the packet has 2 dwords");
    assert!(told.help.as_deref().is_some_and(|help| help.contains("instance_enable")));
}

#[test]
fn a_register_that_the_caller_gives_counts_as_known() {
    let words = [draw(), set(0x31118, &[1])].concat();
    let severities = |given: u32| {
        let mut cp = CommandProcessor::new(N31);
        cp.set_register(QueueId::GRAPHICS, 0x31118, given);
        cp.submit(Queue::Graphics, "stream", &words);
        streams::Log::of(&mut cp).findings.into_iter().filter(|finding| finding.code == "SYN-24").map(|finding| finding.severity).collect::<Vec<_>>()
    };
    assert_eq!((severities(1), severities(2)), (vec![], vec![Severity::Error]));
}

#[test]
fn reads_of_one_packet_count_as_one() {
    let draws = |count| raw_packet(Opcode::DRAW_INDIRECT_MULTI, &[0, 0, 0, 0, count, 0, 0, 16, 2]);
    let unmapped = |words: Vec<u32>| {
        let case = rule_cases::case("MEM-03", N31, Vec::new(), Vec::new());
        let found = findings(&case, &words);
        found.iter().filter(|finding| finding.code == "MEM-03").map(|finding| finding.count).collect::<Vec<_>>()
    };
    let base = raw_packet(Opcode::SET_BASE, &[1, 0x40_0000, 0]);
    assert_eq!(unmapped([base.clone(), draws(1)].concat()), [1]);
    assert_eq!(unmapped([base.clone(), draws(60)].concat()), [1]);
    assert_eq!(unmapped([base.clone(), draws(60), draws(60)].concat()), [2]);
    // A packet that runs twice counts as two.
    let called = [base, draws(60)].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.map("called", ADDR, &called);
    let calls = ib(ADDR, called.len() as u32).repeat(2);
    cp.submit(Queue::Graphics, "calls", &calls);
    let found = streams::Log::of(&mut cp).findings;
    assert_eq!(found.iter().filter(|finding| finding.code == "MEM-03").map(|finding| finding.count).collect::<Vec<_>>(), [2]);
}

#[test]
fn chips_that_a_source_does_not_name_are_left_alone() {
    let ordered = [reg(N48, "DB_SHADER_CONTROL", 1 << 16), reg(N48, "PA_SC_AA_CONFIG", 2 << 20), reg(N48, "DB_Z_INFO", 0), draw()].concat();
    let blend = |chip| [reg(chip, "DB_RENDER_CONTROL", 1 << 16), draw()].concat();
    for (code, chip, words) in [
        ("POPS-09", N48, ordered),
        ("STA-16", Chip::Gfx1200, blend(Chip::Gfx1200)),
        ("SYN-10", STRIX, event(STRIX, Event::FLUSH_AND_INV_DB_META)),
        ("SYN-10", N31, event(N31, Event::FLUSH_AND_INV_CB_META)),
    ] {
        assert!(severities(code, chip, Queue::Graphics, Settings::default(), &words).is_empty(), "{code} on {chip}");
    }
}

#[test]
fn every_rule_has_a_case() {
    let covered: BTreeSet<&str> = cases().iter().map(|case| case.code).collect();
    let bare: Vec<&str> = rules::all().map(|rule| rule.code).filter(|code| !covered.contains(code)).collect();
    // Writes of shaders are reported only by an observer: cp_verdicts.rs.
    assert_eq!(bare, ["SYN-33"]);
}

#[test]
fn codes_are_unique_and_every_rule_names_its_source() {
    let mut seen = BTreeSet::new();
    for rule in rules::all() {
        assert!(seen.insert(rule.code), "{} stands twice", rule.code);
        assert!(!rule.source.is_empty() && rule.explanation.len() > 40 && !rule.title.is_empty(), "{}", rule.code);
    }
}

#[test]
fn levels_silence_raise_and_wake_rules() {
    let words = [set(0x2880C, &[1]), set(0x2880C, &[1])].concat();
    let run = |code: &str, level| {
        let mut cp = CommandProcessor::new(N31);
        assert!(cp.set_rule_level(code, level));
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ())
    };
    assert_eq!(run("PERF-01", RuleLevel::Deny).errors, 1);
    assert_eq!(run("perf-01", RuleLevel::Warn).warnings, 1);
    assert_eq!(run("PERF-01", RuleLevel::Allow).infos, 0);
}

/// The text of the page about the programs of this repository.
const HEAD: &str = "# Rules of the command-processor model

This page lists every rule with its severity, its chips, an explanation and its source. It is
generated from the table in `src/cp/rules` by
`PM4_WRITE_RULES=1 cargo test --test model cp_rules`; do not edit it.

* `check --explain CODE` prints one rule; `--allow`, `--warn` and `--deny CODE` set its level.
* `--pfp-firmware`, `--me-firmware`, `--mec-firmware`, `--me-feature`, `--shader-engines` and
  `--cus-per-array` state facts that some rules need.
* Rules marked *off by default* are reported only with `--warn` or `--deny`.
* Rules marked *reported once*, and findings of severity info about packets, are reported once per
  run, with a count.
* The severity is the worst possible one; if it is lower for a generation or a case, the text says
  so.
* `docs/reviewed-findings.txt` lists error findings on correct captures; the captures of RADV have
  none.
";

#[test]
fn the_page_of_rules_is_the_table() {
    let path = crate::support::repository("docs/rules.md");
    let mut page = HEAD.as_bytes().to_vec();
    pm4::report::all_rule_pages(&mut page).expect("a vector takes everything");
    let page = String::from_utf8(page).expect("text");
    if std::env::var_os("PM4_WRITE_RULES").is_some() {
        std::fs::write(&path, &page).expect("docs can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "docs/rules.md is not the table: run PM4_WRITE_RULES=1 cargo test --test model cp_rules");
}

/// The codes that a stream trips on a chip.
fn judged(chip: pm4::chip::Chip, queue: Queue, words: &[u32]) -> BTreeSet<&'static str> {
    let part = Part { role: "main".into(), queue, addr: 0x10_0000, words: words.to_vec() };
    codes(&mutation::run(chip, "", mutation::Settings::default(), &[part]))
}

#[test]
fn the_rule_and_the_reader_call_the_same_bits_reserved() {
    use Queue::{Compute, Graphics};
    const FILL: u32 = 0x60 << 24 | 2 << 20;
    let acquire = |gfx9: bool, size: u32| {
        let body = [0, u32::MAX, size, 0, 0, 10, 0];
        let len = if gfx9 { 6 } else { 7 };
        [&[pm4::packet::Header::type3(pm4::packet::Opcode::ACQUIRE_MEM, len).0], &body[..len]].concat()
    };
    for chip in pm4::chip::Chip::all() {
        let gfx9 = chip.gfx().major() == 9;
        type Case<'a> = (Queue, Vec<u32>, &'a [(usize, u32)]);
        let cases: [Case<'_>; 11] = [
            // VGT_LS_HS_CONFIG with its index, and an offset of more than 16 bits.
            (Graphics, vec![0xC001_6900, 0x2000_02D6, 1], &[]),
            (Graphics, vec![0xC001_6900, 0x0002_02D6, 1], &[(1, 0x2_0000)]),
            (Compute, vec![0xC001_7602, 0x0004_0207, 1], &[(1, 0x4_0000)]),
            // The sizes that Linux, RADV and radeonsi write, and one with a bit outside all fields.
            (Compute, acquire(gfx9, 0x00FF_FFFF), &[]),
            (Compute, acquire(gfx9, 0x01FF_FFFF), &[]),
            (Compute, acquire(gfx9, 0x03FF_FFFF), &[(3, 0x200_0000)]),
            // DMA_DATA with CP_SYNC on a compute queue, and with a bit outside all fields.
            (Compute, vec![0xC005_5002, FILL | 1 << 31, 0, 0, 0x1000, 0, 4], &[]),
            (Compute, vec![0xC005_5002, FILL | 1 << 3, 0, 0, 0x1000, 0, 4], &[(1, 8)]),
            // INDIRECT_BUFFER with VALID on the graphics queue.
            (Graphics, vec![0xC002_3F00, 0x20_0000, 0, 1 << 23 | 8], &[]),
            // Another rule reports the low bits of an address.
            (Graphics, vec![0xC002_4600, 0x115, 0x1000, 0], &[]),
            (Graphics, vec![0xC000_4600, 0x8000_0407], &[(1, 0x8000_0000)]),
        ];
        for (queue, words, reserved) in cases {
            let read = pm4::packet::Reader::new(&words).flatten().flat_map(|p| p.reserved_bits(chip.gfx(), queue).collect::<Vec<_>>()).collect::<Vec<_>>();
            assert_eq!(read, reserved, "{chip}: {words:x?}");
            assert_eq!(judged(chip, queue, &words).contains("ENC-12"), !reserved.is_empty(), "{chip}: {words:x?}");
        }
    }
}

/// Bits below an address that form a separate field are not part of it: the address of LOAD_SH_REG_INDEX with index 2 (GFX10.3 on) is aligned as it is (AMD
/// cp_pm4 tables in Mesa 2026, PAL gfx9CmdUtil.cpp BuildLoadShRegsIndex and BuildUntypedSrd).
#[test]
fn flags_below_an_address_do_not_misalign_it() {
    let misaligned = |opcode, body: &[u32]| judged(N31, Queue::Graphics, &raw_packet(opcode, body)).contains("MEM-01");
    for (opcode, rest, low, wrong) in [
        (Opcode::LOAD_SH_REG_INDEX, &[0, 0xC, 1][..], 0, false),
        (Opcode::LOAD_SH_REG_INDEX, &[0, 0xC, 1], 2, false),
        // Index 1 has an offset in place of the address.
        (Opcode::LOAD_SH_REG_INDEX, &[0, 0xC, 1], 1, false),
        // The field of context registers has one bit.
        (Opcode::LOAD_CONTEXT_REG_INDEX, &[0, 0x203, 1], 2, true),
        (Opcode::BUILD_UNTYPED_SRD, &[0, 0, 0x2000, 0, 0, 0], 3, false),
        (Opcode::BUILD_UNTYPED_SRD, &[0, 0, 0x2000, 0, 0, 0], 4, true),
        (Opcode::INDEX_ATTRIBUTES_INDIRECT, &[0, 0], 0, false),
        (Opcode::INDEX_ATTRIBUTES_INDIRECT, &[0, 0], 2, true),
    ] {
        assert_eq!(misaligned(opcode, &[&[0x1000 | low], rest].concat()), wrong, "{opcode:?} with {low} in the low bits");
    }
}

/// All bits of an address below its alignment are named, including the lowest.
#[test]
fn a_finding_on_a_misaligned_address_names_its_low_bits() {
    let said = |low: u32| {
        let case = rule_cases::case("MEM-01", N31, Vec::new(), Vec::new());
        let found = findings(&case, &raw_packet(Opcode::SET_BASE, &[1, 0x1230 | low, 0x80])).into_iter().find(|finding| finding.code == "MEM-01");
        found.map(|finding| finding.message.split(" and ").next().expect("a text").to_owned())
    };
    // SET_BASE does not treat bits 1:0 as part of the address.
    assert_eq!([1, 2, 3].map(said), ["the address ends in 0x1", "the address ends in 0x2", "the address ends in 0x3"].map(|text| Some(text.to_owned())));
}

/// PFP loads the count from the dword for its register, anywhere in the range. No source states where the values of a second range are.
#[test]
fn a_stored_count_is_old_where_its_register_is_loaded_from_it() {
    const COUNT: u32 = 0x2CB;
    let stored = store_filled_size(ADDR);
    for (from, ranges, warns) in [
        (ADDR, &[COUNT, 1][..], true),
        (ADDR - 4, &[COUNT - 1, 2], true),
        (ADDR - 8, &[COUNT - 2, 4], true),
        (ADDR, &[COUNT, 1, 0x203, 1], true),
        (ADDR, &[0x203, 1, COUNT, 1], false),
        // Another dword is the one for the register, or the register is before or after the range.
        (ADDR, &[COUNT - 1, 2], false),
        (ADDR - 4, &[COUNT, 2], false),
        (ADDR, &[COUNT + 1, 1], false),
        (ADDR - 4, &[COUNT - 1, 1], false),
        (ADDR, &[COUNT, 0], false),
        // Pairs of offset and value: the offset is in memory.
        (ADDR, &[COUNT | 1 << 31, 1], false),
    ] {
        let load = raw_packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[&[from as u32, (from >> 32) as u32], ranges].concat());
        assert_eq!(judged(N21, Queue::Graphics, &[stored.clone(), load].concat()).contains("SYN-25"), warns, "{from:#x}, {ranges:x?}");
    }
}

mod of_ones_own {
    use super::*;
    use pm4::cp::DrawView;
    use pm4::cp::rules::PacketView;
    use pm4::cp::rules::{ChipScope, Judge, Rule, RuleError, Verdict};
    use pm4::packet::PacketFields;

    fn any_draw(view: &DrawView<'_>) -> Option<Verdict> {
        Some(Verdict::new(format!("draw {}", view.index())))
    }

    fn a_nop(_: &PacketView<'_>) -> Option<Verdict> {
        Some(Verdict::new("a NOP"))
    }

    const fn rule(code: &'static str, scope: ChipScope, judge: Judge) -> Rule {
        Rule::new(code, Severity::Warning, scope, "a title", "an explanation", "a source", judge)
    }

    static DRAWS: Rule = rule("OURS-1", ChipScope::All, Judge::Draw(any_draw));
    static NOPS: Rule = rule("OURS-2", ChipScope::All, Judge::Packet { watch: rules::WatchedPackets::Opcodes(&[Opcode::NOP]), judge: a_nop });
    static OF_GFX9: Rule = rule("OURS-3", ChipScope::Generations(1), Judge::Draw(any_draw));
    static AGAIN: Rule = rule("OURS-1", ChipScope::All, Judge::Draw(any_draw));
    static OF_THE_CRATE: Rule = rule("SYN-18", ChipScope::All, Judge::Draw(any_draw));
    static SPACE: Rule = rule("OURS 1", ChipScope::All, Judge::Draw(any_draw));
    static LONG: Rule = rule("ABCDEFGHIJKLMNOPQ", ChipScope::All, Judge::Draw(any_draw));
    static LONGEST: Rule = rule("ABCDEFGHIJKLMNOP", ChipScope::All, Judge::Draw(any_draw));
    static EMPTY: Rule = rule("", ChipScope::All, Judge::Draw(any_draw));
    static OF_THE_MODEL: Rule = rule("OURS-4", ChipScope::All, Judge::Model);
    /// An address that is not a multiple of 4, and a dword offset in place of an address.
    static ODD_ADDRESS: Rule = rule("OURS-5", ChipScope::All, Judge::Write { watch: rules::WatchedWrites::Addresses(&[0x2_8238, 0x2_8239]), judge: any_write });
    static NO_WINDOW: Rule = rule("OURS-6", ChipScope::All, Judge::Packet { watch: rules::WatchedPackets::Registers(&[0x203], &[]), judge: a_nop });

    fn any_write(_: &rules::WriteView<'_>) -> Option<Verdict> {
        None
    }

    fn found(cp: &mut CommandProcessor<'_>) -> Vec<(&'static str, Severity, String)> {
        let own = Log::of(cp).findings.into_iter().filter(|finding| finding.code.starts_with("OURS"));
        own.map(|finding| (finding.code, finding.severity, finding.message)).collect()
    }

    #[test]
    fn a_rule_is_judged_from_when_it_is_added_and_has_levels_like_any_other() {
        let words = [draw(), one(&pm4::packet::gfx11::Nop::default().followed_by(&[1]))].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "before", &words);
        assert_eq!(found(&mut cp), []);
        for rule in [&DRAWS, &NOPS, &OF_GFX9] {
            cp.add_rule(rule).expect("a rule");
        }
        assert!(cp.rules().any(|rule| rule.code == "OURS-2"));
        cp.submit(Queue::Graphics, "after", &words);
        assert_eq!(found(&mut cp), [("OURS-2", Severity::Warning, "a NOP".into()), ("OURS-1", Severity::Warning, "draw 1".into())]);
        assert!(
            cp.set_rule_level("OURS-1", RuleLevel::Deny) && cp.set_rule_level("OURS-2", RuleLevel::Allow) && !cp.set_rule_level("OURS-9", RuleLevel::Allow)
        );
        cp.submit(Queue::Graphics, "denied", &words);
        assert_eq!(found(&mut cp), [("OURS-1", Severity::Error, "draw 2".into())]);
        let mut other = CommandProcessor::new(V);
        other.add_rule(&OF_GFX9).expect("a rule").submit(Queue::Graphics, "stream", &words);
        assert_eq!(found(&mut other).len(), 1);
    }

    #[test]
    fn a_rule_that_cannot_be_is_refused() {
        let mut cp = CommandProcessor::new(N31);
        cp.add_rule(&DRAWS).expect("a rule");
        for (rule, error) in [
            (&AGAIN, RuleError::CodeTaken { code: "OURS-1" }),
            (&OF_THE_CRATE, RuleError::CodeTaken { code: "SYN-18" }),
            (&SPACE, RuleError::BadCode { code: "OURS 1" }),
            (&LONG, RuleError::BadCode { code: "ABCDEFGHIJKLMNOPQ" }),
            (&EMPTY, RuleError::BadCode { code: "" }),
            (&OF_THE_MODEL, RuleError::NoJudge { code: "OURS-4" }),
            (&ODD_ADDRESS, RuleError::BadAddress { code: "OURS-5", addr: 0x2_8239 }),
            (&NO_WINDOW, RuleError::BadAddress { code: "OURS-6", addr: 0x203 }),
        ] {
            assert_eq!(cp.add_rule(rule).err(), Some(error));
        }
        assert!(cp.add_rule(&LONGEST).is_ok(), "16 letters");
    }

    #[test]
    fn infos_beyond_the_limit_of_findings_name_their_packet() {
        // Cache policies of GFX10, which Mesa writes on GFX11.
        let words = reg(N31, "CB_RMI_GL2_CACHE_CONTROL", 0xAA_0015);
        let mut cp = CommandProcessor::new(N31);
        cp.max_findings(0).submit(Queue::Graphics, "stream", &words);
        assert!(Log::of(&mut cp).findings.iter().all(|finding| finding.packet.is_some()));
    }
}

#[test]
fn shadowed_windows_are_those_whose_enable_is_set() {
    // Context registers, config registers of user mode, shader registers of graphics and of compute (the enables of CONTEXT_CONTROL), with the last register
    // in a shadow of the first and of the last.
    let windows = [
        (1, vec![0x28000, 0x28EFC], vec![0x28F00]),
        (15, vec![0x30000, 0x3FFFC], vec![]),
        (16, vec![0xB000, 0xB7FC], vec![]),
        (24, vec![0xB800, 0xB9F4], vec![0xB9F8]),
    ];
    for enabled in [1, 15, 16, 24] {
        for (window, covered, beyond) in &windows {
            let both = covered.iter().map(|addr| (addr, true)).chain(beyond.iter().map(|addr| (addr, false)));
            for (addr, is_covered) in both {
                let words = [raw_packet(Opcode::CONTEXT_CONTROL, &[1 << 31, 1 << 31 | 1 << enabled]), set(*addr, &[0])].concat();
                let lost = judged(pm4::chip::Chip::Navi31, Queue::Graphics, &words).contains("REG-11");
                assert_eq!(lost, !(is_covered && enabled == *window), "0x{addr:x} with enable {enabled}");
            }
        }
    }
}

#[test]
fn masks_of_compute_units_need_the_index_of_the_kernels_mask() {
    for chip in pm4::chip::Chip::all() {
        // COMPUTE_STATIC_THREAD_MGMT_SE0 and SE1, called COMPUTE_DESTINATION_EN_SE0 and SE1 from GFX10 on.
        let pair = [0xC002_9B02, 0x3000_0216, u32::MAX, u32::MAX];
        let found = judged(chip, Queue::Compute, &pair);
        assert!(!found.contains("REG-05") && !found.contains("REG-06"), "{chip}: {found:?}");
        // COMPUTE_TMPRING_SIZE after SE1 is not a mask; COMPUTE_PGM_LO takes no index.
        let three = [0xC003_9B02, 0x3000_0216, u32::MAX, u32::MAX, 0];
        assert!(judged(chip, Queue::Compute, &three).contains("REG-06"), "{chip}");
        assert!(judged(chip, Queue::Compute, &[0xC001_9B02, 0x3000_020C, 0]).contains("REG-05"), "{chip}");
        assert!(judged(chip, Queue::Compute, &[0xC001_9B02, 0x1000_0216, 0]).contains("REG-05"), "{chip}");
    }
}

/// A writer without a firmware version assumes all features, and so does the model that runs its stream.
#[test]
fn firmware_of_a_writer_is_that_of_the_model() {
    let predicated = |firmware: FirmwareVersions| {
        let case = rule_cases::case("ENC-18", N21, raw_packet(Opcode::SET_PREDICATION, &[0x0004_0100, 0x1000, 0]), Vec::new())
            .with(Settings { firmware, ..Settings::default() });
        findings(&case, &case.bad).iter().filter(|finding| finding.code == "ENC-18").count()
    };
    assert_eq!(predicated(FirmwareVersions::default()), 1);
    assert_eq!(predicated(Firmware::default().into()), 0);
    assert_eq!(predicated(Firmware { me_feature: 30, ..Firmware::default() }.into()), 1);
}
