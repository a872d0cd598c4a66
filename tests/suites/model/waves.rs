//! The wave model: order is kept where required, violations are found, and draws come from real streams.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer};
use pm4::draw::*;
use pm4::isa::pops::{self, EntryRegisters, WaitForm};
use pm4::isa::{CodeItem, EncodeError, Instruction, Op, Reg, ShaderCode, Src};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Queue, Stream};
use pm4::waves::{self, *};
use strum::IntoEnumIterator;
use support::captured::{all_captures, small_captures};
use support::draws::Case;

/// Waves of the long runs: a million in release builds; an unoptimized build runs fewer.
const MANY: u64 = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };
const SOME: u64 = if cfg!(debug_assertions) { 1_000 } else { 10_000 };

/// Start ids near the points where 10 and 12 bits wrap.
const STARTS: [u32; 8] = [0, 500, 1000, 1020, 1023, 2040, 3000, 4090];

fn setup(gfx: Gfx, samples_log2: u8, scope: InterlockScope) -> Setup {
    let overlap_log2 = if scope == InterlockScope::Sample { samples_log2 } else { 0 };
    Setup { samples_log2, exposed_log2: samples_log2, compared_log2: samples_log2, overlap_log2, interlock: scope, ..Setup::plain(gfx) }
}

fn correct(setup: &Setup) -> Vec<u32> {
    Section::of(setup).words().expect("a section for every setup")
}

fn clean(what: &str, report: &Report) {
    assert!(report.is_clean(), "{what}: {:?}", report.findings.first().map(ToString::to_string));
}

/// A million waves per generation and mode, over samples, start ids and seeds.
fn holds(gfx: Gfx, scope: InterlockScope) {
    let runs = 32;
    let (mut waves, mut overlapped) = (0, 0);
    for run in 0..runs {
        let setup = setup(gfx, (run % 4) as u8, scope);
        let options = RunOptions { waves: MANY / runs, seed: run, start_id: STARTS[run as usize / 4] };
        let report = waves::run(&setup, &correct(&setup), options);
        clean(&format!("{gfx} {scope:?} {options:?}"), &report);
        waves += report.waves;
        overlapped += report.overlapped;
    }
    assert!(waves >= MANY / runs * runs);
    assert!(overlapped > waves / 10, "only {overlapped} of {waves} waves overlap: the test shows little");
}

macro_rules! holds {
    ($($name:ident $gfx:ident $scope:ident;)*) => { $(#[test] fn $name() { holds(Gfx::$gfx, InterlockScope::$scope); })* };
}

holds! {
    gfx9_keeps_pixels_in_order Gfx9 Pixel;
    gfx9_keeps_samples_in_order Gfx9 Sample;
    gfx10_keeps_pixels_in_order Gfx10 Pixel;
    gfx10_keeps_samples_in_order Gfx10 Sample;
    gfx103_keeps_pixels_in_order Gfx103 Pixel;
    gfx103_keeps_samples_in_order Gfx103 Sample;
    gfx11_keeps_pixels_in_order Gfx11 Pixel;
    gfx11_keeps_samples_in_order Gfx11 Sample;
    gfx115_keeps_pixels_in_order Gfx115 Pixel;
    gfx115_keeps_samples_in_order Gfx115 Sample;
    gfx12_keeps_pixels_in_order Gfx12 Pixel;
    gfx12_keeps_samples_in_order Gfx12 Sample;
}

#[test]
fn waves_without_an_export_are_ordered_on_gfx9_and_not_on_gfx10() {
    for (gfx, ordered) in [(Gfx::Gfx9, true), (Gfx::Gfx10, false), (Gfx::Gfx103, false)] {
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        let mut code = ShaderCode::decode(gfx, &correct(&setup));
        code.remove_where(|instruction| matches!(instruction, Instruction::Exp(_)));
        let words = code.encode().expect("the rest of the program");
        let report = waves::run(&setup, &words, RunOptions { waves: SOME, seed: 1, start_id: 0 });
        let races = report.findings.iter().any(|finding| !finding.to_string().contains("export"));
        assert_eq!(!races, ordered, "{gfx}: {:?}", report.findings.first().map(ToString::to_string));
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for gfx in Gfx::iter() {
        let setup = setup(gfx, 2, InterlockScope::Sample);
        let mutation = Mutation::find("done-before-memory").unwrap();
        let words = mutation.program(&Section::of(&setup)).unwrap();
        let options = RunOptions { waves: 2000, seed: 9, start_id: 1000 };
        assert_eq!(waves::run(&setup, &words, options), waves::run(&setup, &words, options));
    }
}

#[test]
fn the_compact_entry_and_the_alternative_program_ends_keep_order() {
    for gfx in Gfx::iter() {
        let setup = setup(gfx, 2, InterlockScope::Pixel);
        let mut section = Section::of(&setup);
        section.enter.form = WaitForm::Compact;
        section.end = if gfx.major() >= 11 { pops::ProgramEnd::DeallocVgprs } else { pops::ProgramEnd::OrderedDone };
        let words = section.words().unwrap();
        assert_eq!(waves::lint(&setup, &words), [], "{gfx}");
        clean("compact", &waves::run(&setup, &words, RunOptions { waves: SOME, seed: 3, start_id: 1000 }));
    }
}

#[test]
fn drain_rates_iterations_and_wave_sizes_hold() {
    for gfx in Gfx::iter() {
        let mut cases =
            vec![Setup { invocations_log2: 2, ..setup(gfx, 2, InterlockScope::Sample) }, Setup { invocations_log2: 2, ..setup(gfx, 2, InterlockScope::Pixel) }];
        if gfx.major() >= 10 {
            cases.push(Setup { wave: WaveSize::W32, ..setup(gfx, 1, InterlockScope::Pixel) });
        }
        if gfx.major() <= 10 {
            cases.push(Setup { drain: true, ..setup(gfx, 3, InterlockScope::Pixel) });
        } else {
            cases.extend([(1, 2), (2, 1), (2, 2)].map(|rate| Setup { rate, ..setup(gfx, 1, InterlockScope::Pixel) }));
            cases.push(Setup { rate: (2, 2), ..setup(gfx, 2, InterlockScope::Sample) });
        }
        for setup in cases {
            let report = waves::run(&setup, &correct(&setup), RunOptions { waves: SOME, seed: 5, start_id: 1010 });
            clean(&format!("{setup:?}"), &report);
            assert!(report.overlapped > 0, "{setup:?}");
        }
    }
    // Waves overlap, although without export space no wave detects it.
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        let setup = Setup { export_space: false, ..setup(gfx, 0, InterlockScope::Pixel) };
        let report = waves::run(&setup, &correct(&setup), RunOptions { waves: SOME, ..RunOptions::default() });
        assert!(report.overlapped > 0, "{gfx}");
    }
}

#[test]
fn layers_of_one_wave_run_in_order_and_only_with_the_loop() {
    for gfx in Gfx::iter().filter(|gfx| gfx.major() <= 10) {
        for wave in [WaveSize::W64, WaveSize::W32] {
            if gfx.major() == 9 && wave == WaveSize::W32 {
                continue;
            }
            let mut setup = Setup { wave, ..setup(gfx, 2, InterlockScope::Pixel) };
            setup.arguments.intrawave = ArgumentLoad::BOTH;
            let section = Section::of(&setup);
            assert!(section.layers.is_some());
            let words = section.words().unwrap();
            assert_eq!(waves::lint(&setup, &words), []);
            let options = RunOptions { waves: SOME, seed: 2, start_id: 1000 };
            clean(&format!("{gfx} {wave:?}"), &waves::run(&setup, &words, options));
            let ignored = Section { layers: None, ..section }.words().unwrap();
            assert!(waves::run(&setup, &ignored, options).violations > 0, "{gfx}: overlapping quads of a wave ran at once, unnoticed");
        }
    }
}

#[test]
fn a_section_after_more_arguments_than_there_are_sgprs_is_refused() {
    for gfx in Gfx::iter() {
        for user in 0..=u8::MAX {
            for intrawave in [false, true] {
                let load = ArgumentLoad { shader: intrawave, scan_converter: intrawave };
                let setup = Setup { arguments: Arguments { user, intrawave: load, ..Arguments::ordered(gfx) }, ..Setup::plain(gfx) };
                let words = Section::of(&setup).words();
                match user {
                    0..=32 => assert!(words.is_ok(), "{gfx}, {user} SGPRs of user data: {words:?}"),
                    106.. => assert!(matches!(words, Err(EncodeError::Register { .. })), "{gfx}, {user} SGPRs of user data: {words:?}"),
                    _ => {}
                }
            }
        }
    }
}

// Wave ids.

/// The comparison of the entry sequence, as computed by its words.
fn enters(gfx9: bool, current: u32, newest: u32, exiting: u32) -> bool {
    let newest = if gfx9 && newest > current { newest + 1 } else { newest };
    newest.wrapping_add(!current) < exiting.wrapping_add(!current)
}

/// Runs the straight-line words between the test and the poll, and one poll.
fn words_enter(gfx: Gfx, argument: u32, exiting: u32) -> bool {
    let words = pops::enter(gfx, &EntryRegisters { collision: 4, scratch: [5, 6, 7], form: WaitForm::Plain }).unwrap();
    let (mut s, mut scc) = ([0u32; 8], false);
    s[4] = argument;
    for item in ShaderCode::decode(gfx, &words).items() {
        let value = |src: Src, s: &[u32; 8]| match src {
            Src::Reg(Reg::Sgpr(n)) => s[usize::from(n)],
            Src::PopsExitingWaveId => exiting,
            other => other.value().expect("a constant"),
        };
        match item.instruction {
            Instruction::Sop2 { op, dst: Reg::Sgpr(dst), src } => {
                let (a, b) = (value(src[0], &s), value(src[1], &s));
                s[usize::from(dst)] = match op {
                    Op::SBfeU32 => a >> (b & 31) & ((1 << (b >> 16)) - 1),
                    Op::SAddI32 => a.wrapping_add(b),
                    Op::SAddcU32 => a.wrapping_add(b).wrapping_add(scc.into()),
                    Op::SAndB32 => a & b,
                    Op::SLshl1AddU32 => (a << 1).wrapping_add(b),
                    other => panic!("{other:?}"),
                };
            }
            Instruction::Sop1 { op: Op::SNotB32, dst: Some(Reg::Sgpr(dst)), src: Some(src) } => s[usize::from(dst)] = !value(src, &s),
            Instruction::Sopc { op: Op::SCmpGtU32, src } => scc = value(src[0], &s) > value(src[1], &s),
            Instruction::Sopc { op: Op::SCmpLtU32, src } => return value(src[0], &s) < value(src[1], &s),
            _ => {}
        }
    }
    panic!("no poll")
}

/// The collision word for a wave `distance` back.
fn reported(gfx9: bool, current: u32, distance: u32) -> u32 {
    let newest = current.wrapping_sub(distance) & 0x3FF;
    if gfx9 && newest > current { newest - 1 } else { newest }
}

#[test]
fn the_comparison_is_exact_but_for_gfx9_at_distance_1023() {
    let step = if cfg!(debug_assertions) { 61 } else { 1 };
    for gfx9 in [true, false] {
        let mut wrong_at = std::collections::BTreeSet::new();
        for current in (0..1024u32).step_by(step) {
            for distance in 1..1024u32 {
                let newest = reported(gfx9, current, distance);
                for behind in 0..1024u32 {
                    // The exiting wave is `after` waves older than the current one: past the newest overlapped wave if it is younger.
                    let exiting = current.wrapping_sub(behind) & 0x3FF;
                    if enters(gfx9, current, newest, exiting) != (behind < distance) {
                        wrong_at.insert((gfx9, distance));
                    }
                }
            }
        }
        // GFX9 reports a wave 1023 back as the current id, which escapes the correction; at most 512 ids are live, so no wave is that far back.
        assert_eq!(wrong_at.into_iter().collect::<Vec<_>>(), if gfx9 { vec![(true, 1023)] } else { vec![] });
    }
}

#[test]
fn the_words_compute_that_comparison() {
    for (gfx, gfx9) in [(Gfx::Gfx9, true), (Gfx::Gfx10, false), (Gfx::Gfx103, false)] {
        for current in (0..1024).step_by(33) {
            for distance in (1..1024).step_by(7) {
                for behind in [0, 1, distance - 1, distance, (distance + 1) % 1024, 1023] {
                    let (newest, exiting) = (reported(gfx9, current, distance), current.wrapping_sub(behind) & 0x3FF);
                    let argument = 1 << 31 | 1 << 28 | newest << 16 | current;
                    assert_eq!(words_enter(gfx, argument, exiting), enters(gfx9, current, newest, exiting), "{gfx} {current} {distance} {behind}");
                }
            }
        }
    }
}

// Draws from real streams.

/// The setup of each ordered draw of a stream, and the fields changed by a mutation.
struct Seen {
    scope: Option<InterlockScope>,
    mutation: Option<&'static Mutation>,
    setups: Vec<Setup>,
    dword: usize,
    writes: Vec<(u32, u32)>,
}

impl Observer for Seen {
    fn draw(&mut self, view: &DrawView<'_>) {
        // If the caller states nothing, the registers themselves are compared.
        let per_sample = ["POPS_OVERLAP_NUM_SAMPLES", "OVERRIDE_INTRINSIC_RATE"].iter().any(|f| view.field("DB_SHADER_CONTROL", f).is_some_and(|f| f.is_set()));
        let scope = self.scope.unwrap_or(if per_sample { InterlockScope::Sample } else { InterlockScope::Pixel });
        self.dword = view.place().dword as usize;
        self.setups.extend(view.pops_enabled().then(|| waves::setup(view, scope)));
        for change in self.mutation.iter().flat_map(|m| m.fields()) {
            let Some(field) = view.field(change.register, change.field) else { continue };
            let value = if let ForcedField::Is(value) = change.value { value } else { view.exposed_samples_log2().map_or(0, |f| f.value()) };
            let addr = field.register.addr();
            let before = self.writes.iter().find(|w| w.0 == addr).map_or(field.word, |w| w.1);
            self.writes.retain(|w| w.0 != addr);
            self.writes.push((addr, before & !field.field.mask() | value << field.field.lo & field.field.mask()));
        }
    }
}

fn execute(chip: Chip, streams: &[&[u32]], scope: Option<InterlockScope>, mutation: Option<&'static Mutation>) -> Seen {
    execute_mapped(chip, &[], streams, scope, mutation)
}

/// The same with memory called by the streams.
fn execute_mapped(chip: Chip, memory: &[(u64, Vec<u32>)], streams: &[&[u32]], scope: Option<InterlockScope>, mutation: Option<&'static Mutation>) -> Seen {
    let mut seen = Seen { scope, mutation, setups: Vec::new(), dword: 0, writes: Vec::new() };
    let mut cp = CommandProcessor::new(chip);
    for (addr, words) in memory {
        cp.map("memory", *addr, words);
    }
    for words in streams {
        cp.submit(Queue::Graphics, "stream", words);
    }
    cp.run(&mut seen);
    seen
}

fn record(chip: Chip, desc: &DrawDesc) -> Vec<u32> {
    let mut recorder = Recorder::new(chip);
    // As if packets of another stream had begun streamout.
    recorder.writer();
    recorder.begin().unwrap();
    recorder.draw(&desc.resolve(chip).unwrap()).unwrap();
    recorder.finish().unwrap()
}

fn ordered(interlock: Interlock, samples: u32) -> DrawDesc {
    let shader = Some(PixelShader { writes_memory: true, ..PixelShader::default() });
    DrawDesc::from(PipelineDesc { shader, interlock, samples, ..PipelineDesc::default() })
}

fn scope(interlock: Interlock) -> InterlockScope {
    if interlock.is_per_sample() { InterlockScope::Sample } else { InterlockScope::Pixel }
}

#[test]
fn every_draw_of_the_crate_keeps_order_on_every_chip() {
    for chip in Chip::all() {
        for samples in [1, 2, 4, 8] {
            for interlock in Interlock::iter().filter(|i| i.is_declared()) {
                let seen = execute(chip, &[&record(chip, &ordered(interlock, samples))], Some(scope(interlock)), None);
                let [setup] = &seen.setups[..] else { panic!("{chip}: {} ordered draws", seen.setups.len()) };
                assert_eq!(setup.axiom, None);
                let options = RunOptions { waves: SOME / 4, seed: samples.into(), start_id: 1000 };
                clean(&format!("{chip} {interlock} {samples}x"), &waves::run(setup, &correct(setup), options));
            }
        }
    }
}

#[test]
fn random_draws_run_from_their_own_streams() {
    support::property::<fn(Case, u16) -> bool>("draw, model, waves", 300, |case, seed| {
        let seen = execute(case.chip, &[&record(case.chip, &case.desc)], Some(scope(case.desc.pipeline.interlock)), None);
        assert_eq!(seen.setups.len(), usize::from(case.desc.uses_pops()));
        seen.setups.iter().all(|setup| {
            // Out-of-order rasterization changes the order itself.
            let options = RunOptions { waves: 600, seed: seed.into(), start_id: u32::from(seed) * 7 };
            setup.axiom.is_none() && waves::run(setup, &correct(setup), options).is_clean()
        })
    });
}

#[test]
fn the_collision_word_lies_where_the_draw_puts_it() {
    for user_sgprs in [0, 1, 13, 31, 32] {
        let mut desc = ordered(Interlock::PixelOrdered, 1);
        desc.pipeline.shader.as_mut().unwrap().program.user_data = vec![UserData::Keep; user_sgprs];
        desc.pipeline.expert.intrawave_collision = true;
        let arguments = execute(Chip::Navi21, &[&record(Chip::Navi21, &desc)], None, None).setups[0].arguments;
        assert_eq!(arguments.collision_sgpr(), Some(user_sgprs as u8 + 1));
        assert_eq!(arguments.intrawave_sgpr(), Some(user_sgprs as u8 + 2));
    }
    let gfx11 = execute(Chip::Navi31, &[&record(Chip::Navi31, &ordered(Interlock::PixelOrdered, 1))], None, None).setups[0].arguments;
    assert_eq!(gfx11.collision_sgpr(), None);
}

/// Registers of a captured draw as a stream.
fn golden_stream(chip: Chip, head: &[&str], row: &[&str]) -> Vec<u32> {
    let mut writer = Stream::growable(chip.gfx(), Queue::Graphics);
    for (name, value) in head.iter().zip(row).skip(5) {
        let (Some(register), Some(value)) = (pm4::regs::find(chip.gfx(), name), value.strip_prefix("0x")) else { continue };
        writer.set_reg(register.addr(), u32::from_str_radix(value, 16).unwrap()).unwrap();
    }
    writer.draw_index_auto(3, DrawInitiator::AUTO_INDEX).unwrap();
    writer.into_buffer()
}

#[test]
fn the_draw_state_of_radv_keeps_order() {
    let mut lines = include_str!("../../captures/expected/pops_golden.tsv").lines();
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let mut ordered = 0;
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        let chip: Chip = row[0].parse().unwrap();
        let scope = if row[2].starts_with("sample") { InterlockScope::Sample } else { InterlockScope::Pixel };
        for setup in execute(chip, &[&golden_stream(chip, &head, &row)], Some(scope), None).setups {
            ordered += 1;
            clean(line, &waves::run(&setup, &correct(&setup), RunOptions { waves: 400, seed: ordered, start_id: 1000 }));
        }
    }
    assert!(ordered > 150, "{ordered} ordered draws");
}

#[test]
fn captured_streams_keep_order() {
    let folder = all_captures().unwrap_or_else(small_captures);
    let manifest = std::fs::read_to_string(folder.join("manifest.tsv")).expect("a manifest");
    // Rows of one submit are adjacent: family, case and submit are the key; preamble and main buffers run in their order.
    let rows: Vec<Vec<&str>> = manifest.lines().skip(1).map(|l| l.split('\t').collect()).collect();
    let mut ordered = 0;
    for submit in rows.chunk_by(|a, b| (a[0], a[2], a[6]) == (b[0], b[2], b[6])) {
        let [family, case] = [submit[0][0], submit[0][2]];
        if !case.contains("_ordered") && !case.contains("_unordered") || case.contains("many") {
            continue;
        }
        let read = |row: &&Vec<&str>| -> Option<Vec<u32>> {
            let bytes = std::fs::read(folder.join(row[12])).ok()?;
            Some(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
        };
        let usable = |row: &&Vec<&str>| row[9] == "gfx" && !row[8].starts_with("continue");
        let called = |row: &&Vec<&str>| row[8].contains('.');
        let Some(streams) = submit.iter().filter(|r| usable(r) && !called(r)).map(|row| read(&row)).collect::<Option<Vec<_>>>() else { continue };
        let addr = |row: &Vec<&str>| u64::from_str_radix(row[10].trim_start_matches("0x"), 16).unwrap();
        let memory: Vec<_> = submit.iter().filter(|r| usable(r) && called(r)).filter_map(|row| Some((addr(row), read(&row)?))).collect();
        let mut seen = execute_mapped(family.parse().unwrap(), &memory, &streams.iter().map(Vec::as_slice).collect::<Vec<_>>(), None, None);
        seen.setups.dedup();
        for setup in seen.setups {
            ordered += 1;
            let report = waves::run(&setup, &correct(&setup), RunOptions { waves: 300, seed: ordered, start_id: 1000 });
            clean(&format!("{family} {case}"), &report);
        }
    }
    assert!(ordered >= 4, "{ordered} ordered draws in {}", folder.display());
}

// Mutations.

/// Runs a mutation on a draw of a chip, through its stream.
fn mutate(chip: Chip, mutation: &'static Mutation, interlock: Interlock, options: RunOptions) -> Report {
    let mut stream = record(chip, &ordered(interlock, 4));
    let seen = execute(chip, &[&stream], Some(scope(interlock)), Some(mutation));
    let words = mutation.program(&Section::of(&seen.setups[0])).unwrap();
    let mut writer = Stream::growable(chip.gfx(), Queue::Graphics);
    for (addr, value) in &seen.writes {
        writer.set_reg(*addr, *value).unwrap();
    }
    stream.splice(seen.dword..seen.dword, writer.into_buffer());
    let setup = execute(chip, &[&stream], Some(scope(interlock)), None).setups.remove(0);
    waves::run(&setup, &words, options)
}

#[test]
fn every_mutation_gets_its_verdict_on_every_chip() {
    let mut seen: Vec<(Gfx, Vec<Axiom>)> = Vec::new();
    for chip in Chip::all() {
        let axioms = waves::axioms(chip);
        // Chips of one generation differ only in their axioms: the first chip of each kind gets many seeds.
        let kind = (chip.gfx(), axioms.clone());
        let known = seen.contains(&kind);
        if known && cfg!(debug_assertions) {
            continue;
        }
        let seeds = if known || cfg!(debug_assertions) { 1 } else { 6 };
        seen.push(kind);
        for mutation in MUTATIONS {
            let Some(verdict) = mutation.verdict(chip.gfx(), &axioms) else { continue };
            let run = |seed| mutate(chip, mutation, Interlock::PixelOrdered, RunOptions { waves: 8_000, seed, start_id: 1000 });
            let reports: Vec<Report> = (0..seeds).map(run).collect();
            let name = mutation.name;
            if verdict == ExpectedVerdict::Harmless {
                assert!(reports.iter().all(Report::is_clean), "{chip} {name}");
            } else {
                assert!(reports.iter().all(|r| !r.is_clean()), "{chip}: a run does not notice {name}");
                assert!(seeds == 1 || reports.iter().any(|r| verdict.holds(r)), "{chip} {name}: no run shows {verdict}");
            }
        }
    }
}

/// A run without a finding shows no verdict except that nothing is wrong.
#[test]
fn a_run_without_findings_shows_no_mistake() {
    use ExpectedVerdict::{Hang, HangOrViolation, Harmless, ProtocolError, Violation};
    let setup = setup(Gfx::Gfx11, 0, InterlockScope::Pixel);
    let report = waves::run(&setup, &Section::of(&setup).words().expect("a section"), RunOptions { waves: 200, ..RunOptions::default() });
    assert!(report.waves == 200 && Harmless.holds(&report), "{report:?}");
    assert!([Violation, Hang, HangOrViolation, ProtocolError].iter().all(|verdict| !verdict.holds(&report)));
}

/// No source states the collision word of a drained wave: mistakes in the section are found with the drain as well.
#[test]
fn mistakes_are_found_with_the_drain() {
    for (gfx, name) in [(Gfx::Gfx9, "no-done"), (Gfx::Gfx9, "done-twice"), (Gfx::Gfx9, "packer-not-set"), (Gfx::Gfx103, "no-done")] {
        let mutation = Mutation::find(name).unwrap();
        let setup = Setup { drain: true, ..setup(gfx, 3, InterlockScope::Pixel) };
        let words = mutation.program(&Section::of(&setup)).unwrap();
        let report = waves::run(&setup, &words, RunOptions { waves: SOME, ..RunOptions::default() });
        assert!(mutation.verdict(gfx, &[]).is_some_and(|verdict| verdict.holds(&report)), "{gfx} {name}: {report:?}");
        clean(&format!("{gfx}, drain"), &waves::run(&setup, &correct(&setup), RunOptions { waves: SOME, ..RunOptions::default() }));
    }
}

/// Few waves miss a wait: a short run may show only those that wait for themselves.
#[test]
fn ids_remapped_one_too_high_hang_where_no_order_is_broken() {
    let mutation = Mutation::find("one-minus-current").unwrap();
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        let setup = setup(gfx, 3, InterlockScope::Pixel);
        let words = mutation.program(&Section::of(&setup)).unwrap();
        let verdict = mutation.verdict(gfx, &[]).expect("a verdict");
        let reports = (1..=8).map(|seed| waves::run(&setup, &words, RunOptions { waves: 300, seed, start_id: 0 })).collect::<Vec<_>>();
        assert!(reports.iter().all(|report| verdict.holds(report)), "{gfx}: {verdict}");
        assert!(reports.iter().any(|report| report.violations == 0 && report.hung_waves > 0), "{gfx}");
    }
}

/// A loop unrelated to the section.
#[test]
fn a_wave_that_never_ends_by_itself_waits_for_no_wave() {
    let [nop, branch] = [Instruction::plain(Op::SNop), Instruction::plain(Op::SBranch)].map(CodeItem::from);
    for gfx in Gfx::iter() {
        let code = ShaderCode::new(gfx, vec![nop, CodeItem { target: Some(0), ..branch }]).encode().unwrap();
        let report = waves::run(&setup(gfx, 0, InterlockScope::Pixel), &code, RunOptions { waves: 10, ..RunOptions::default() });
        let Some(WaveFinding::Hang(hang)) = report.findings.first() else { panic!("{gfx}: {:?}", report.findings) };
        assert!(hang.waiting.iter().any(|waiting| waiting.because == "which waits for no wave"), "{gfx}: {hang:?}");
        assert!(hang.waiting.iter().all(|waiting| waiting.at.is_none() || waiting.on.is_none()), "{gfx}: {hang:?}");
    }
}

#[test]
fn the_missing_correction_of_gfx9_shows_only_around_the_wrap() {
    let mutation = Mutation::find("no-wrap-fix").unwrap();
    let setup = setup(Gfx::Gfx9, 0, InterlockScope::Pixel);
    let words = mutation.program(&Section::of(&setup)).unwrap();
    let run = |waves, start_id| waves::run(&setup, &words, RunOptions { waves, seed: 4, start_id });
    assert!(run(1000, 0).is_clean()); // two packers, no id above 1000
    let report = run(20_000, 900);
    let Some(WaveFinding::Violation(violation)) = report.findings.iter().find(|f| matches!(f, WaveFinding::Violation(_))) else { panic!("no violation") };
    // One of the two precedes the wrap, the other follows it.
    assert!(violation.older.id > 900 && violation.younger.id < 124, "{violation:?}");
}

#[test]
fn reports_name_waves_instruction_and_reason() {
    let setup = setup(Gfx::Gfx103, 0, InterlockScope::Pixel);
    let run = |name: &str| {
        let words = Mutation::find(name).unwrap().program(&Section::of(&setup)).unwrap();
        waves::run(&setup, &words, RunOptions { waves: 5000, seed: 1, start_id: 1000 })
    };
    let text = |report: &Report| report.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(text(&run("no-done")).contains("which ended at 0x68 `s_endpgm` without leaving its section"));
    assert!(text(&run("negated-current")).contains("which is itself"));
    assert!(text(&run("done-twice")).contains("leaves the ordered section twice at 0x64 `s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)`"));
    assert!(text(&run("at-or-past")).contains("order violation: wave"));
}

// Lint.

#[test]
fn a_program_without_an_ordered_section_is_checked_for_hazards_alone() {
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103, Gfx::Gfx11, Gfx::Gfx115, Gfx::Gfx12] {
        let plain = Setup { pops: false, interlock: InterlockScope::NoInterlock, ..Setup::plain(gfx) };
        assert_eq!(waves::lint(&plain, &correct(&plain)), [], "{gfx}");
        // A program with a section that the registers do not enable is checked, and a program that runs past its end is always wrong.
        let without_pops = Setup { pops: false, ..Setup::plain(gfx) };
        let words = Mutation::find("done-before-memory").unwrap().program(&Section::of(&Setup::plain(gfx))).unwrap();
        assert!(waves::lint(&without_pops, &words).iter().any(|lint| lint.rule == LintRule::NotDrained), "{gfx}");
        assert!(waves::lint(&plain, &[0xBF80_0000]).iter().any(|lint| lint.rule == LintRule::RunsPastEnd), "{gfx}");
    }
}

#[test]
fn lint_finds_what_stands_in_the_words() {
    let expect = |gfx: Gfx, name: &str, rule: Option<LintRule>| {
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        let words = Mutation::find(name).unwrap().program(&Section::of(&setup)).unwrap();
        let rules: Vec<LintRule> = waves::lint(&setup, &words).iter().map(|l| l.rule).collect();
        assert_eq!(rules.first().copied(), rule, "{gfx} {name}: {rules:?}");
    };
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        expect(gfx, "no-done", Some(LintRule::EndWithoutDone));
        expect(gfx, "done-twice", Some(LintRule::DoneTwice));
        expect(gfx, "done-and-ordered-end", Some(LintRule::DoneTwice));
        expect(gfx, "wait-again-after-done", Some(LintRule::WaitAfterDone));
        expect(gfx, "done-before-memory", Some(LintRule::NotDrained));
        expect(gfx, "done-before-body", Some(LintRule::AccessAfterDone));
        expect(gfx, "no-export", Some(LintRule::MissingExport));
        expect(gfx, "packer-not-set", Some(LintRule::PollWithoutPacker));
        expect(gfx, "no-overlap-test", Some(LintRule::PollWithoutTest));
        expect(gfx, "enter-twice", None);
    }
    for gfx in [Gfx::Gfx11, Gfx::Gfx115, Gfx::Gfx12] {
        expect(gfx, "no-wait-event", Some(LintRule::NoWait));
        expect(gfx, "wait-event-inverted", Some(LintRule::NoWait));
        expect(gfx, "export-without-done", Some(LintRule::EndWithoutDone));
        expect(gfx, "done-before-memory", Some(LintRule::NotDrained));
    }
}

/// A wait after the end of the section is one mistake of its wave, however often it is retried.
#[test]
fn a_wave_that_waits_after_its_section_does_so_once() {
    let setup = setup(Gfx::Gfx11, 0, InterlockScope::Pixel);
    let words = encoded(Gfx::Gfx11, &["exp mrt0 off, off, off, off done", "s_wait_event 0x0", "s_endpgm"]);
    let report = waves::run(&setup, &words, RunOptions { waves: SOME, ..RunOptions::default() });
    assert!(report.overlapped > 0 && report.protocol_errors == report.waves, "{report:?}");
}

/// A wave that polls without a sleep is reported as waiting, not as not launched.
#[test]
fn a_wave_that_waits_without_sleeping_is_named_as_waiting() {
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        // Waves that wait for themselves, and waves that wait for these.
        let words = Mutation::find("negated-current").unwrap().program(&Section::of(&setup)).unwrap();
        let mut code = ShaderCode::decode(gfx, &words);
        code.remove_where(|instruction| matches!(instruction, Instruction::Sopp { op: Op::SSleep, .. }));
        let report = waves::run(&setup, &code.encode().unwrap(), RunOptions { waves: SOME, ..RunOptions::default() });
        let hang = report.findings.iter().find_map(|finding| if let WaveFinding::Hang(hang) = finding { Some(hang) } else { None });
        let waiting = &hang.unwrap_or_else(|| panic!("{gfx}: no hang")).waiting;
        let says = |text: &str| waiting.iter().filter(|wave| wave.because.starts_with(text)).count();
        assert!(says("which also waits, at ") > 0 && says("which is not launched") == 0, "{gfx}: {waiting:?}");
    }
}

/// The Vega ISA counts wait states; `s_nop N` provides N + 1.
#[test]
fn wait_states_are_those_of_the_instructions_between() {
    let lint = |gfx: Gfx, lines: &[&str], rule: LintRule| {
        let words: Vec<u32> = lines.iter().flat_map(|line| pm4::isa::parse(gfx, line).unwrap().encode(gfx).unwrap().to_vec()).collect();
        waves::lint(&Setup::plain(gfx), &words).iter().any(|lint| lint.rule == rule)
    };
    const SET: &str = "s_setreg_b32 hwreg(HW_REG_MODE, 24, 2), s0";
    const GET: &str = "s_getreg_b32 s1, hwreg(HW_REG_MODE, 24, 2)";
    for (between, is_short) in [
        (&[][..], true),
        (&["s_nop 0"], true),
        (&["s_mov_b32 s2, 0"], true),
        (&["s_nop 1"], false),
        (&["s_nop 0", "s_nop 0"], false),
        (&["s_mov_b32 s2, 0", "s_nop 0"], false),
    ] {
        let lines = [&[SET], between, &[GET, "s_endpgm"]].concat();
        assert_eq!(lint(Gfx::Gfx9, &lines, LintRule::SetregDistance), is_short, "{between:?}");
    }
    // Bit 28 of MODE is VSKIP; other registers have another meaning there.
    for (register, is_vskip) in [("HW_REG_MODE, 28, 1", true), ("HW_REG_MODE, 27, 1", false), ("HW_REG_GPR_ALLOC, 28, 1", false)] {
        let line = format!("s_setreg_b32 hwreg({register}), s0");
        assert_eq!(lint(Gfx::Gfx9, &[&line, "s_endpgm"], LintRule::SetregVskip), is_vskip, "{line}");
    }
    const DEALLOC: &str = "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)";
    for (before, is_missing) in [("s_nop 0", false), ("s_nop 1", false), ("s_mov_b32 s2, 0", true)] {
        assert_eq!(lint(Gfx::Gfx11, &[before, DEALLOC, "s_endpgm"], LintRule::DeallocDistance), is_missing, "{before}");
    }
}

/// Impossible numbers, and programs that are long or endless: every run ends soon.
#[test]
fn setups_and_programs_beyond_hardware_end() {
    let plain = Setup::plain(Gfx::Gfx10);
    for samples_log2 in [4, 63, 64, 255] {
        for invocations_log2 in [0, 63, 255] {
            let arguments = Arguments { user: 255, wave_count: true, ..plain.arguments };
            let setup = Setup { samples_log2, invocations_log2, arguments, ..Setup::plain(Gfx::Gfx10) };
            assert_eq!(setup.arguments.count(), 255);
            waves::run(&setup, &Section::of(&plain).words().expect("a section"), RunOptions { waves: 20, ..RunOptions::default() });
        }
    }
    // s_sendmsg ordered_ps_done without an end: the next instruction is outside the program.
    assert!(!waves::lint(&plain, &[0xBF90_0007; 20_000]).is_empty());
    // A branch far past the start.
    let far = [vec![0xBF80_0000; 70_000], vec![0xBF82_0001, 0xBF80_0000, 0xBF81_0000]].concat();
    let report = waves::run(&plain, &far, RunOptions { waves: 2, ..RunOptions::default() });
    assert!(!format!("{report:?}").contains("LeftProgram"), "{report:?}");
    // Counts to 4096 between two polls.
    let text =
        ["s_mov_b32 s1, 0", "s_add_u32 s1, s1, 1", "s_cmp_lt_u32 s1, 0x1000", "s_cbranch_scc1 0xfffc", "s_add_u32 s0, s0, 1", "s_sleep 1", "s_branch 0xfff8"];
    let words: Vec<u32> =
        text.iter().flat_map(|line| pm4::isa::parse(Gfx::Gfx10, line).expect("an instruction").encode(Gfx::Gfx10).expect("GFX10 has it").to_vec()).collect();
    assert!(waves::run(&plain, &words, RunOptions { waves: 40, ..RunOptions::default() }).hung_waves > 0);
}

/// Each branch jumps over an endless loop or not: by SCC, and by whether VCC or EXEC is zero.
#[test]
fn conditional_branches_are_taken_by_their_condition() {
    let (false_scc, true_scc) = (["s_mov_b32 s1, 1", "s_cmp_lt_u32 s1, 1"], ["s_mov_b32 s1, 0", "s_cmp_lt_u32 s1, 1"]);
    let (no_vcc, some_vcc) = (["s_mov_b32 vcc_lo, 0", "s_mov_b32 vcc_hi, 0"], ["s_mov_b32 vcc_lo, 0", "s_mov_b32 vcc_hi, 2"]);
    let (no_exec, some_exec) = (["s_mov_b32 exec_lo, 0", "s_mov_b32 exec_hi, 0"], ["s_mov_b32 exec_lo, 4", "s_mov_b32 exec_hi, 0"]);
    let cases = [
        (false_scc, "s_cbranch_scc0", true),
        (true_scc, "s_cbranch_scc0", false),
        (false_scc, "s_cbranch_scc1", false),
        (true_scc, "s_cbranch_scc1", true),
        (no_vcc, "s_cbranch_vccz", true),
        (some_vcc, "s_cbranch_vccz", false),
        (no_vcc, "s_cbranch_vccnz", false),
        (some_vcc, "s_cbranch_vccnz", true),
        (no_exec, "s_cbranch_execz", true),
        (some_exec, "s_cbranch_execz", false),
        (no_exec, "s_cbranch_execnz", false),
        (some_exec, "s_cbranch_execnz", true),
    ];
    let gfx = Gfx::Gfx10;
    for (before, branch, taken) in cases {
        let branch = format!("{branch} 1");
        let text = [before[0], before[1], &branch, "s_branch 0xffff", "s_endpgm"];
        let encode = |line: &str| pm4::isa::parse(gfx, line).expect("an instruction").encode(gfx).expect("GFX10 has it").to_vec();
        let words: Vec<u32> = text.into_iter().flat_map(encode).collect();
        let report = waves::run(&Setup::plain(gfx), &words, RunOptions { waves: 1, ..RunOptions::default() });
        assert_eq!(report.hung_waves == 0, taken, "{text:?}: {report:?}");
    }
}

/// The section of a setup with this body: the entry, then lines.
fn section(setup: &Setup, lines: &[&str]) -> Vec<u32> {
    let gfx = setup.gfx;
    let mut words = Section::of(setup).entry().expect("an entry");
    for line in lines {
        words.extend_from_slice(&pm4::isa::parse(gfx, line).unwrap_or_else(|error| panic!("{gfx} {line}: {error}")).encode(gfx).expect("an instruction"));
    }
    words
}

/// The rules that a section breaks, and whether a run is clean.
fn judged(gfx: Gfx, lines: &[&str]) -> (Vec<LintRule>, bool) {
    let setup = setup(gfx, 0, InterlockScope::Pixel);
    let words = section(&setup, lines);
    let report = waves::run(&setup, &words, RunOptions { waves: SOME, ..RunOptions::default() });
    (waves::lint(&setup, &words).iter().map(|lint| lint.rule).collect(), report.is_clean())
}

fn encoded(gfx: Gfx, lines: &[&str]) -> Vec<u32> {
    let one = |line: &&str| pm4::isa::parse(gfx, line).and_then(|i| Ok(i.encode(gfx)?.to_vec())).unwrap_or_else(|error| panic!("{gfx} {line}: {error}"));
    lines.iter().flat_map(one).collect()
}

/// Runs lines before a correct section, in waves that they may break.
fn run_before_section(gfx: Gfx, lines: &[&str]) -> Report {
    let setup = setup(gfx, 0, InterlockScope::Pixel);
    let words = [encoded(gfx, lines), correct(&setup)].concat();
    waves::run(&setup, &words, RunOptions { waves: SOME, ..RunOptions::default() })
}

/// A write of an instruction of another kind is not read as a nonexistent argument.
#[test]
fn registers_that_other_instructions_write_are_known() {
    for gfx in Gfx::iter() {
        let load = if gfx.major() >= 11 { "s_load_b64 s[40:41], s[0:1], 0x0" } else { "s_load_dwordx2 s[40:41], s[0:1], 0x0" };
        let (read_low, read_high) = ("s_add_u32 s42, s40, 1", "s_add_u32 s42, s41, 1");
        let shift = [".long 0x8fa88000", ".long 0x90a88000", ".long 0x90a88000", ".long 0x85a88000", ".long 0x85a88000", ".long 0x85a88000"][gfx as usize];
        let first_lane = ".long 0x7e500500"; // v_readfirstlane_b32 s40, v0
        let mut before = vec![load, shift, first_lane, "s_getpc_b64 s[40:41]"];
        if gfx.major() >= 11 {
            before.push("s_sendmsg_rtn_b32 s40, sendmsg(MSG_RTN_GET_REALTIME)");
        }
        for line in before {
            clean(&format!("{gfx} {line}"), &run_before_section(gfx, &[line, read_low]));
        }
        // v_cmp_eq_u32_sdwa of v0 and v1, into s[40:41] on GFX9 and into s40 on GFX10.
        let compare = if gfx == Gfx::Gfx9 { ".long 0x7d9402f9" } else { ".long 0x7d8402f9" };
        if gfx.major() <= 10 {
            clean(&format!("{gfx}, a comparison with SDWA"), &run_before_section(gfx, &[compare, ".long 0x0606a800", read_low]));
        }
        clean(&format!("{gfx} {load}"), &run_before_section(gfx, &[load, read_high]));
        // Without a write, or after a write of another register, the register has no known value.
        let other = ".long 0x7e000301"; // v_mov_b32 v0, v1
        // v_pk_add_f16 v0, v0, v1: packed instructions have no scalar destination.
        let packed = if gfx == Gfx::Gfx9 { ".long 0xd38f0000" } else { ".long 0xcc0f4000" };
        // Without SDWA a comparison writes VCC: v_cmp_eq_u32 vcc, v0, v1.
        let compare = if gfx == Gfx::Gfx9 { ".long 0x7d940300" } else { ".long 0x7d840300" };
        for lines in [&[read_low][..], &[load, "s_add_u32 s42, s43, 1"], &[other, read_low], &[packed, ".long 0x18020300", read_low], &[compare, read_low]] {
            let report = run_before_section(gfx, lines);
            assert_eq!(report.protocol_errors, report.waves, "{gfx} {lines:?}");
        }
    }
}

/// No source states the value that a load returns: some waves take one branch and some the other.
#[test]
fn branches_on_loaded_values_are_taken_both_ways() {
    for (gfx, load) in [(Gfx::Gfx9, "s_load_dword s40, s[0:1], 0x0"), (Gfx::Gfx12, "s_load_b32 s40, s[0:1], 0x0")] {
        let errors = |load| {
            let report = run_before_section(gfx, &[load, "s_cmp_eq_u32 s40, 0", "s_cbranch_scc1 1", "s_setpc_b64 s[0:1]"]);
            assert!(!report.findings.iter().any(|finding| finding.to_string().contains("not a known argument")), "{gfx} {load}: {report:?}");
            report.protocol_errors
        };
        let (some, none, all) = (errors(load), errors("s_mov_b32 s40, 0"), errors("s_mov_b32 s40, 1"));
        assert!(none == 0 && none < some && some < all, "{gfx}: {none}, {some}, {all}");
    }
}

/// A loop on a loaded value ends eventually, however often the value was the same: no such run is reported as endless.
#[test]
fn loops_on_loaded_values_end() {
    for (gfx, load) in [(Gfx::Gfx9, "s_load_dwordx4 s[40:43], s[0:1], 0x0"), (Gfx::Gfx12, "s_load_b128 s[40:43], s[0:1], 0x0")] {
        // Until all four values are 0. Each load has two dwords.
        let lines = [load, "s_or_b32 s40, s40, s41", "s_or_b32 s40, s40, s42", "s_or_b32 s40, s40, s43", "s_cmp_lg_u32 s40, 0", "s_cbranch_scc1 0xfff9"];
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        let words = [encoded(gfx, &lines), correct(&setup)].concat();
        for seed in 0..50 {
            clean(&format!("{gfx} {seed}"), &waves::run(&setup, &words, RunOptions { waves: 1, seed, ..RunOptions::default() }));
        }
    }
}

/// Waves that wait for each other, some with sleeps and some polling without a pause, are recognized as hung after a few turns.
#[test]
fn a_hang_of_sleepers_and_others_is_known_soon() {
    #[derive(Default)]
    struct Wakes(usize);
    impl WaveObserver for Wakes {
        fn event(&mut self, _: u64, _: WaveName, event: WaveEvent) {
            self.0 += usize::from(event == WaveEvent::Wake);
        }
    }
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        for seed in 0..20 {
            let setup = setup(gfx, 0, InterlockScope::Pixel);
            let mut program = ShaderCode::decode(gfx, &Mutation::find("negated-current").unwrap().program(&Section::of(&setup)).unwrap());
            let sleep = program.find(|i| matches!(i, Instruction::Sopp { op: Op::SSleep, .. })).expect("a poll loop");
            // Waves whose load returns 0 omit the sleep.
            let skip = ["s_cmp_eq_u32 s40, 0", "s_cbranch_scc1 1"].map(|line| pm4::isa::parse(gfx, line).expect("an instruction").into());
            program.insert(sleep, &[skip[0], CodeItem { target: Some(3), ..skip[1] }]);
            let words = [encoded(gfx, &["s_load_dword s40, s[0:1], 0x0"]), program.encode().expect("a program")].concat();
            let mut wakes = Wakes::default();
            let report = waves::run_observed(&setup, &words, RunOptions { waves: SOME, seed, ..RunOptions::default() }, &mut wakes);
            assert!(report.hung_waves > 0 && wakes.0 < 10_000, "{gfx} {seed}: {} wakes, {report:?}", wakes.0);
        }
    }
}

/// A sleep ends eventually, also while other waves poll without a pause: it delays them, but they do not wait forever.
#[test]
fn sleepers_look_again_while_others_spin() {
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        for seed in 0..20 {
            let setup = setup(gfx, 0, InterlockScope::Pixel);
            let mut program = ShaderCode::decode(gfx, &correct(&setup));
            let sleep = program.find(|i| matches!(i, Instruction::Sopp { op: Op::SSleep, .. })).expect("a poll loop");
            // Waves whose load returns 0 omit the sleep.
            let skip = ["s_cmp_eq_u32 s40, 0", "s_cbranch_scc1 1"].map(|line| pm4::isa::parse(gfx, line).expect("an instruction").into());
            program.insert(sleep, &[skip[0], CodeItem { target: Some(3), ..skip[1] }]);
            let words = [encoded(gfx, &["s_load_dword s40, s[0:1], 0x0"]), program.encode().expect("a program")].concat();
            clean(&format!("{gfx} {seed}"), &waves::run(&setup, &words, RunOptions { waves: SOME, seed, ..RunOptions::default() }));
        }
    }
}

/// A wave spins for another one that leaves its section in the same turn in which all sleepers wake.
#[test]
fn waves_that_were_waited_for_in_the_same_turn_go_on() {
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        let mut program = ShaderCode::decode(gfx, &correct(&setup));
        program.remove_where(|i| matches!(i, Instruction::Sopp { op: Op::SSleep, .. }));
        let words = [encoded(gfx, &["s_sleep 1"; 3]), program.encode().expect("a program")].concat();
        for seed in 0..200 {
            clean(&format!("{gfx} {seed}"), &waves::run(&setup, &words, RunOptions { waves: 2 + seed % 7, seed, ..RunOptions::default() }));
        }
    }
}

/// Loops that change only their own registers, or wait for an impossible event, end the run as soon as this is certain; a long loop is not a hang.
#[test]
fn loops_that_cannot_end_are_known_from_long_ones() {
    for gfx in Gfx::iter() {
        let hung = |lines: &[&str]| {
            let setup = setup(gfx, 0, InterlockScope::Pixel);
            let words = [encoded(gfx, lines), correct(&setup)].concat();
            waves::run(&setup, &words, RunOptions { waves: 4, ..RunOptions::default() }).hung_waves
        };
        for endless in [
            &["s_branch 0xffff"][..],
            // Counts from 0 to 99 repeatedly.
            &["s_mov_b32 s40, 0", "s_add_u32 s40, s40, 1", "s_cmp_lt_u32 s40, 100", "s_cbranch_scc1 0xfffc", "s_branch 0xfffa"],
        ] {
            assert!(hung(endless) > 0, "{gfx} {endless:?}");
        }
        // Counts to 2 to the power of 17.
        assert_eq!(hung(&["s_mov_b32 s40, 0", "s_add_u32 s40, s40, 1", "s_cmp_lt_u32 s40, 0x20000", "s_cbranch_scc1 0xfffc"]), 0, "{gfx}");
    }
    // As many waves as are live at once, which together execute far more instructions.
    let setup = setup(Gfx::Gfx103, 0, InterlockScope::Pixel);
    let after = |lines: &[&str], waves| {
        let words = [encoded(Gfx::Gfx103, lines), correct(&setup)].concat();
        waves::run(&setup, &words, RunOptions { waves, ..RunOptions::default() })
    };
    let counts = after(&["s_mov_b32 s40, 0", "s_add_u32 s40, s40, 1", "s_cmp_lt_u32 s40, 0x20000", "s_cbranch_scc1 0xfffc"], 32);
    clean("32 waves that count", &counts);
    let loads = vec!["s_load_dword s41, s[0:1], 0x0"; 20];
    // 21 instructions of two, two and one dword per round: back over 45 dwords.
    let text = [vec!["s_mov_b32 s40, 0"], loads, vec!["s_add_u32 s40, s40, 1", "s_cmp_lt_u32 s40, 0x100", "s_cbranch_scc1 0xffd4"]].concat();
    clean("waves that load 5120 values each", &after(&text, 200));
}

/// A pair that is NULL does not extend into EXEC, and a 64-bit floating-point constant is a double-precision number.
#[test]
fn operands_of_64_bits_have_all_their_bits() {
    const JUMP: &str = "s_setpc_b64 s[0:1]";
    let double = |line: &'static str, high: &'static str| vec![line, high, "s_cbranch_scc1 1", JUMP];
    for gfx in Gfx::iter() {
        let mut all = vec![
            double("s_mov_b64 s[40:41], 1.0", "s_cmp_eq_u32 s41, 0x3ff00000"),
            double("s_mov_b64 s[40:41], -4.0", "s_cmp_eq_u32 s41, 0xc0100000"),
            double("s_mov_b64 s[40:41], 0.15915494309189532", "s_cmp_eq_u32 s40, 0x6dc9c882"),
            double("s_mov_b32 s41, 1.0", "s_cmp_eq_u32 s41, 0x3f800000"),
        ];
        if gfx.major() >= 10 {
            all.push(double("s_mov_b64 s[40:41], null", "s_cmp_eq_u32 s41, 0"));
            all.push(vec!["s_and_b64 null, exec, 0", "s_cbranch_execnz 1", JUMP]);
        }
        for lines in all {
            clean(&format!("{gfx} {lines:?}"), &run_before_section(gfx, &lines));
        }
    }
}

/// POPS article: a wave that ends before it sets its packer may send the message, but need not. ACO's early exits on GFX11 have no wait either.
#[test]
fn a_wave_that_enters_no_section_may_leave_it_at_once() {
    let run = |gfx: Gfx, lines: &[&str]| {
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        waves::run(&setup, &encoded(gfx, lines), RunOptions { waves: SOME, ..RunOptions::default() })
    };
    const OLD: [&str; 2] = ["exp null off, off, off, off done vm", "s_endpgm"];
    const MESSAGE: &str = "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)";
    let early = |report: &Report| report.findings.iter().any(|f| f.to_string().contains("is still in its own"));
    for (gfx, packer) in [
        (Gfx::Gfx9, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 24, 2), 1"),
        (Gfx::Gfx10, "s_setreg_imm32_b32 hwreg(25, 0, 3), 1"),
        (Gfx::Gfx103, "s_setreg_imm32_b32 hwreg(25, 0, 3), 1"),
    ] {
        clean(&gfx.to_string(), &run(gfx, &[&[MESSAGE], &OLD[..]].concat()));
        clean(&gfx.to_string(), &run(gfx, &OLD));
        // With the packer set, or after an access, it has to wait.
        assert!(early(&run(gfx, &[&[packer, MESSAGE], &OLD[..]].concat())), "{gfx}");
        let access = ["buffer_load_dword v1, v0, s[12:15], 0 idxen", "s_waitcnt vmcnt(0)", MESSAGE];
        assert!(early(&run(gfx, &[&access[..], &OLD].concat())), "{gfx}");
    }
    for (gfx, load, wait) in [
        (Gfx::Gfx11, "buffer_load_b32 v1, v0, s[12:15], 0 idxen", "s_waitcnt vmcnt(0)"),
        (Gfx::Gfx12, "buffer_load_b32 v1, v0, s[12:15], null idxen", "s_wait_loadcnt 0x0"),
    ] {
        let end = ["exp mrt0 off, off, off, off done", "s_endpgm"];
        clean(&gfx.to_string(), &run(gfx, &end));
        assert!(early(&run(gfx, &[&[load, wait], &end[..]].concat())), "{gfx}");
    }
}

/// RDNA3 ISA, 16.2: these waits add a register and a constant, in 6 bits.
#[test]
fn waits_with_a_register_add_it_to_their_constant() {
    const END: [&str; 3] = ["s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)", "exp null off, off, off, off done vm", "s_endpgm"];
    let drained = |register: &str, wait: &str| judged(Gfx::Gfx103, &[&[register, "buffer_store_dword v1, v0, s[12:15], 0 idxen", wait], &END[..]].concat());
    let all = || vec![LintRule::NotDrained];
    assert_eq!(drained("s_nop 0", "s_waitcnt_vscnt null, 0x0"), (vec![], true));
    assert_eq!(drained("s_nop 0", "s_waitcnt_vscnt null, 0x40"), (vec![], true));
    assert_eq!(drained("s_nop 0", "s_waitcnt_vscnt null, 0x3f"), (all(), false));
    assert_eq!(drained("s_mov_b32 s40, 63", "s_waitcnt_vscnt s40, 0x0"), (all(), false));
    // A run knows the register, the lint does not.
    assert_eq!(drained("s_mov_b32 s40, 63", "s_waitcnt_vscnt s40, 0x1"), (all(), true));
    assert_eq!(drained("s_mov_b32 s40, 0", "s_waitcnt_vscnt s40, 0x0"), (all(), true));
}

/// POPS article, Exiting the ordered section: `lgkm` in some cases.
#[test]
fn scalar_loads_of_ordered_data_are_awaited() {
    const END: [&str; 3] = ["s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)", "exp null off, off, off, off done vm", "s_endpgm"];
    const LOAD: &str = "s_buffer_load_dword s40, s[12:15], 0x0";
    const OTHER: &str = "s_buffer_load_dword s40, s[16:19], 0x0";
    let run = |resource: Option<Reg>, lines: &[&str]| {
        let setup = Setup { resource, ..setup(Gfx::Gfx103, 0, InterlockScope::Pixel) };
        let words = section(&setup, &[lines, &END].concat());
        let report = waves::run(&setup, &words, RunOptions { waves: SOME, ..RunOptions::default() });
        (waves::lint(&setup, &words).iter().map(|lint| lint.rule).collect::<Vec<_>>(), report.is_clean())
    };
    let ordered = Some(Reg::Sgpr(12));
    assert_eq!(run(ordered, &[LOAD]), (vec![LintRule::NotDrained], false));
    assert_eq!(run(ordered, &[LOAD, "s_waitcnt vmcnt(0)"]), (vec![LintRule::NotDrained], false));
    assert_eq!(run(ordered, &[LOAD, "s_waitcnt lgkmcnt(0)"]), (vec![], true));
    assert_eq!(run(ordered, &[OTHER, "s_load_dword s40, s[12:13], 0x0"]), (vec![], true));
    // A scalar load is a load of constants unless its descriptor is known to be that of ordered data.
    assert_eq!(run(None, &[LOAD]), (vec![], true));
}

/// The lint warns of a path that accesses ordered data and leaves the section without waiting for the access.
#[test]
fn lint_finds_paths_around_the_wait() {
    const BODY: [&str; 4] = ["buffer_store_b32 v1, v0, s[12:15], 0 idxen", "s_waitcnt_vscnt null, 0x0", "exp mrt0 off, off, off, off done", "s_endpgm"];
    let rules = |lines: &[&str]| {
        let setup = setup(Gfx::Gfx11, 0, InterlockScope::Pixel);
        waves::lint(&setup, &encoded(Gfx::Gfx11, lines)).iter().map(|lint| lint.rule).collect::<Vec<_>>()
    };
    let entry = ["s_wait_event 0x0"];
    assert_eq!(rules(&[&entry, &BODY[..]].concat()), []);
    assert_eq!(rules(&[&["s_bitcmp1_b32 s0, 16", "s_cbranch_scc0 1", "s_wait_event 0x0"], &BODY[..]].concat()), [LintRule::NoWait]);
    // An exit before the section, after a load that may be of other data.
    let exit = ["buffer_load_b32 v1, v0, s[12:15], 0 idxen", "s_waitcnt vmcnt(0)", "s_cbranch_scc0 3", "exp mrt0 off, off, off, off done", "s_endpgm"];
    assert_eq!(rules(&[&exit[..], &entry, &BODY].concat()), []);
}

/// Any instruction that puts bit 31 of COLLISION_WAVEID into SCC is a test of it.
#[test]
fn lint_knows_the_tests_of_the_overlap_bit() {
    let gfx = Gfx::Gfx103;
    let setup = setup(gfx, 0, InterlockScope::Pixel);
    let untested = |test: &[&str]| {
        let packer = ["s_setreg_imm32_b32 hwreg(25, 0, 3), 1"];
        let poll = ["s_add_i32 s5, src_pops_exiting_wave_id, 0", "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)", "exp null off, off, off, off done vm", "s_endpgm"];
        let words = encoded(gfx, &[&packer, test, &["s_cbranch_scc1 0"], &poll[..]].concat());
        waves::lint(&setup, &words).iter().any(|lint| lint.rule == LintRule::PollWithoutTest)
    };
    for test in [
        &["s_bitcmp1_b32 s1, 31"][..],
        &["s_cmp_lt_i32 s1, 0"],
        &["s_cmp_gt_i32 s1, -1"],
        &["s_cmp_le_i32 0, s1"],
        &["s_cmp_ge_u32 s1, 0x80000000"],
        &["s_and_b32 s10, s1, 0x80000000"],
        &["s_lshr_b32 s10, s1, 31"],
        &["s_bfe_u32 s10, s1, 0x1001f"],
        &["s_bitcmp1_b32 s1, 31", "s_mov_b32 s10, 0"],
        // A vector instruction unknown to the model (v_readfirstlane_b32 s10, v0) writes no condition code.
        &["s_bitcmp1_b32 s1, 31", ".long 0x7e140500"],
        &["s_bitcmp1_b32 s1, 31", "s_cselect_b64 vcc, -1, 0", "s_cbranch_vccnz 0", "s_cmp_eq_u32 s2, 0"],
    ] {
        assert!(!untested(test), "{test:?}");
    }
    for other in [
        &["s_bitcmp1_b32 s1, 30"][..],
        &["s_bitcmp1_b32 s2, 31"],
        &["s_cmp_gt_i32 s1, 0"],
        &["s_and_b32 s10, s1, 0xc0000000"],
        &["s_mov_b32 s10, s1"],
        &["s_bitcmp1_b32 s1, 31", "s_cmp_eq_u32 s2, 0"],
        // The condition code is the carry.
        &["s_bitcmp1_b32 s1, 31", "s_addc_u32 s10, s2, s3"],
        &["s_bitcmp1_b32 s1, 31", "s_subb_u32 s10, s2, s3"],
        // It is the overflow, which small numbers do not cause.
        &["s_bitcmp1_b32 s1, 31", "s_add_i32 s10, s2, s3"],
        &["s_bitcmp1_b32 s1, 31", "s_sub_i32 s10, s2, s3"],
        &["s_bitcmp1_b32 s1, 31", "s_and_saveexec_b64 s[10:11], s[2:3]"],
        // s_or_saveexec_b64 s[10:11], s[2:3], which is unknown to the model.
        &["s_bitcmp1_b32 s1, 31", ".long 0xbe8a2502"],
        // Branches that do not depend on the condition code.
        &["s_bitcmp1_b32 s1, 31", "s_cbranch_vccnz 0", "s_cmp_eq_u32 s2, 0"],
        &["s_bitcmp1_b32 s1, 31", "s_cbranch_execz 0", "s_cmp_eq_u32 s2, 0"],
        &["s_bitcmp1_b32 s1, 31", "s_branch 0", "s_cmp_eq_u32 s2, 0"],
    ] {
        assert!(untested(other), "{other:?}");
    }
}

/// LOADCNT and STORECNT are in bits 13:8 of the waits for two counters, DSCNT is in bits 5:0 (LLVM).
#[test]
fn waits_for_two_counters_have_vector_memory_in_the_upper_bits() {
    let run = |wait: &str| {
        let (load, store) = (format!("s_wait_loadcnt_dscnt {wait}"), format!("s_wait_storecnt_dscnt {wait}"));
        const LOAD: &str = "buffer_load_b32 v1, v0, s[12:15], null idxen scope:SCOPE_DEV";
        const STORE: &str = "buffer_store_b32 v1, v0, s[12:15], null idxen scope:SCOPE_DEV";
        judged(Gfx::Gfx12, &[LOAD, &load, STORE, &store, "export mrt0 off, off, off, off done", "s_endpgm"])
    };
    assert_eq!(run("0x3f"), (vec![], true));
    assert_eq!(run("0x3f00"), (vec![LintRule::NotDrained], false));
}

/// An atomic that returns the old value counts as a load, one without a return value as a store.
#[test]
fn atomics_that_return_a_value_count_as_loads() {
    const OLD: [&str; 3] = ["s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)", "exp null off, off, off, off done vm", "s_endpgm"];
    const GFX11: [&str; 2] = ["exp mrt0 off, off, off, off done", "s_endpgm"];
    const GFX12: [&str; 2] = ["export mrt0 off, off, off, off done", "s_endpgm"];
    const LOADS: &str = "s_waitcnt vmcnt(0)";
    const STORES: &str = "s_waitcnt_vscnt null, 0x0";
    for (gfx, access, loads, stores, end) in [
        (Gfx::Gfx10, "buffer_atomic_add v1, v0, s[12:15], 0 idxen glc", LOADS, STORES, &OLD[..]),
        (Gfx::Gfx103, "buffer_atomic_add v1, v0, s[12:15], 0 idxen glc", LOADS, STORES, &OLD),
        (Gfx::Gfx11, "buffer_atomic_add_u32 v1, v0, s[12:15], 0 idxen glc", LOADS, STORES, &GFX11),
        (Gfx::Gfx12, "buffer_atomic_add_u32 v1, v0, s[12:15], null idxen th:TH_ATOMIC_RETURN", "s_wait_loadcnt 0x0", "s_wait_storecnt 0x0", &GFX12),
    ] {
        let silent = access.replace(" glc", "").replace(" th:TH_ATOMIC_RETURN", "");
        for (access, wait, is_right) in [(access, loads, true), (access, stores, false), (&silent, stores, true), (&silent, loads, false)] {
            let rules = if is_right { vec![] } else { vec![LintRule::NotDrained] };
            assert_eq!(judged(gfx, &[&[access, wait], end].concat()), (rules, is_right), "{gfx} {access}, {wait}");
        }
    }
}

/// POPS article, Export requirements: the export required of every shader has DONE.
#[test]
fn an_export_without_done_is_not_the_export_that_a_shader_needs() {
    for (gfx, stores) in [(Gfx::Gfx9, "s_nop 0"), (Gfx::Gfx10, "s_waitcnt_vscnt null, 0x0"), (Gfx::Gfx103, "s_waitcnt_vscnt null, 0x0")] {
        let body = ["buffer_load_dword v1, v0, s[12:15], 0 idxen glc", "s_waitcnt vmcnt(0)", stores, "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)"];
        let run = |exports: &[&str]| judged(gfx, &[&body[..], exports, &["s_endpgm"]].concat());
        assert_eq!(run(&["exp mrt0 v0, v0, v0, v0 vm"]), (vec![LintRule::MissingExport], false), "{gfx}");
        assert_eq!(run(&["exp mrt0 v0, v0, v0, v0 vm", "exp mrtz v0, off, off, off done vm"]), (vec![], true), "{gfx}");
    }
}

/// Vega ISA, 4.5: a scalar instruction that writes M0, then s_sendmsg.
#[test]
fn all_scalar_writes_of_m0_need_a_wait_state_before_a_message() {
    let short = |line: &str| judged(Gfx::Gfx9, &[line, "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)", "s_endpgm"]).0.contains(&LintRule::MessageAfterM0);
    for write in ["s_mov_b32 m0, 5", "s_add_i32 m0, s1, 5", "s_movk_i32 m0, 0x5", "s_addk_i32 m0, 0x5", "s_getreg_b32 m0, hwreg(HW_REG_STATUS)"] {
        assert!(short(write), "{write}");
    }
    for other in ["s_cmpk_eq_i32 m0, 0x5", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), m0", "s_movk_i32 s5, 0x5"] {
        assert!(!short(other), "{other}");
    }
}

#[test]
fn lint_looks_at_every_path() {
    // An early end after the packer's setup: s_cbranch_scc1 to an export and an end without the message.
    let setup = setup(Gfx::Gfx10, 0, InterlockScope::Pixel);
    let mut program = ShaderCode::decode(Gfx::Gfx10, &correct(&setup));
    let end = program.items().len();
    let exit = pops::finish(Gfx::Gfx10, pops::ProgramEnd::Plain).unwrap();
    program.append(ShaderCode::decode(Gfx::Gfx10, &exit).items());
    let body = program.find(|i| matches!(i, Instruction::Mubuf(_))).unwrap();
    program.insert(body, &[Instruction::plain(Op::SCbranchScc1).into()]);
    program.retarget(body + 1, body);
    let mut items = program.items().to_vec();
    items[body].target = Some(end + 1);
    let lints = waves::lint(&setup, &ShaderCode::new(Gfx::Gfx10, items).encode().unwrap());
    assert_eq!(lints.iter().map(|l| l.rule).collect::<Vec<_>>(), [LintRule::EndWithoutDone]);
    assert_eq!(lints[0].at.instruction, end + 2);
}

#[test]
fn any_words_can_be_linted_and_run() {
    support::property::<fn(Vec<u32>, u8) -> bool>("any words", 200, |words, gfx| {
        let gfx = Gfx::iter().nth(usize::from(gfx) % 6).unwrap();
        let setup = setup(gfx, 0, InterlockScope::Pixel);
        let scalar: Vec<u32> = words.iter().map(|w| if w % 3 == 0 { w | 0xBF80_0000 } else { *w }).collect();
        waves::lint(&setup, &scalar);
        waves::run(&setup, &scalar, RunOptions { waves: 20, seed: 1, start_id: 0 }).waves <= 20
    });
}
