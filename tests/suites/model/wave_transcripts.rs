//! Results of runs of the wave model, line by line: the same setup, words and seed give the same run, event by event, on every machine and in every version
//! without a stated change. The texts are in `golden/waves/`.
use crate::golden::{Parts, Random, digest, digest_after, sampled};
use crate::streams::{draw, reg};
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer};
use pm4::isa::{Instruction, WaveSize};
use pm4::packet::Queue;
use pm4::regs;
use pm4::waves::{self, *};
use std::fmt::Write;
use strum::IntoEnumIterator;

/// The events of a run: the first ones as text, the counts of all, and one hash of their order (FNV-1a).
struct Log {
    shown: usize,
    text: String,
    counts: [u64; 8],
    order: u64,
}

impl Log {
    fn new(shown: usize) -> Self {
        Self { shown, text: String::new(), counts: [0; 8], order: digest("") }
    }

    fn note(&mut self, kind: usize, line: &str) {
        self.counts[kind] += 1;
        self.order = digest_after(self.order, line);
        if self.shown > 0 {
            self.shown -= 1;
            let _ = writeln!(self.text, "{line}");
        }
    }
}

impl WaveObserver for Log {
    fn event(&mut self, time: u64, wave: WaveName, event: WaveEvent) {
        let kind = match event {
            WaveEvent::Launch { .. } => 0,
            WaveEvent::Sleep => 1,
            WaveEvent::Wake => 2,
            WaveEvent::Access { .. } => 3,
            WaveEvent::Done => 4,
            WaveEvent::End => 5,
        };
        self.note(kind, &format!("{time} {wave}: {event:?}"));
    }

    fn access(&mut self, time: u64, access: &PixelAccess) {
        let PixelAccess { wave, pixel, samples, read, write, late } = access;
        self.note(6 + usize::from(*late), &format!("{time} {wave}: pixel {pixel:?} samples {samples:x} read {read} write {write} late {late}"));
    }
}

/// A run in a few lines: events, then the report.
fn told(setup: &Setup, words: &[u32], options: RunOptions, shown: usize) -> String {
    let mut log = Log::new(shown);
    let report = waves::run_observed(setup, words, options, &mut log);
    let [launched, slept, woke, accessed, left, ended, reached, late] = log.counts;
    let mut text = log.text;
    let _ = writeln!(
        text,
        "launched {launched} slept {slept} woke {woke} accessed {accessed} left {left} ended {ended} quads {reached} late {late}, order {:016x}",
        log.order
    );
    let Report { waves, overlapped, violations, hung_waves, protocol_errors, findings } = report;
    let _ = writeln!(text, "waves {waves} overlapped {overlapped} violations {violations} hangs {hung_waves} protocol errors {protocol_errors}");
    findings.iter().for_each(|finding| {
        let _ = writeln!(text, "  {finding}");
    });
    waves::lint(setup, words).iter().for_each(|lint| {
        let _ = writeln!(text, "  lint: {lint}");
    });
    text
}

/// Setups that each differ in one respect from the plain one.
fn setups(gfx: Gfx) -> Vec<(&'static str, Setup)> {
    let plain = || Setup::plain(gfx);
    let samples = |log2: u8| Setup { samples_log2: log2, exposed_log2: log2, compared_log2: log2, ..plain() };
    let sample_scope = |log2: u8| Setup { overlap_log2: log2, interlock: InterlockScope::Sample, ..samples(log2) };
    vec![
        ("plain", plain()),
        ("one packer", Setup { packers: 1, ..plain() }),
        ("2 samples", samples(1)),
        ("8 samples", samples(3)),
        ("4 samples, each in order", sample_scope(2)),
        ("8 samples, pairs of them overlap", Setup { overlap_log2: 2, ..samples(3) }),
        ("4 samples, the shader sees 2", Setup { exposed_log2: 1, ..samples(2) }),
        ("4 samples, 1 is compared", Setup { compared_log2: 0, ..samples(2) }),
        ("4 invocations per pixel", Setup { invocations_log2: 2, ..samples(2) }),
        ("waves of 32", Setup { wave: WaveSize::W32, ..plain() }),
        ("rate 2x1", Setup { rate: (2, 1), ..plain() }),
        ("rate 2x2", Setup { rate: (2, 2), ..samples(1) }),
        ("drained", Setup { drain: true, ..plain() }),
        ("without export space", Setup { export_space: false, ..plain() }),
        ("not ordered", Setup { pops: false, ..plain() }),
        ("rate 1x2", Setup { rate: (1, 2), ..samples(1) }),
    ]
}

/// What occurs on hardware with an erratum.
const AXIOMS: [(&str, Axiom); 2] = [("overlap that is missed", Axiom::MissedOverlap), ("drain that stalls", Axiom::StalledPops)];

#[test]
fn runs_of_sections_are_the_same_everywhere() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        for (name, setup) in setups(gfx) {
            let Ok(words) = Section::of(&setup).words() else {
                parts.add(&format!("{gfx} {name}"), "no section");
                continue;
            };
            let shown = if name == "plain" { 40 } else { 4 };
            for (seed, start_id) in [(1, 0), (2, 1019), (3, 4090)] {
                let options = RunOptions { waves: 60, seed, start_id };
                parts.add(&format!("{gfx} {name}, seed {seed}, from {start_id}"), &told(&setup, &words, options, if seed == 1 { shown } else { 0 }));
            }
        }
        for (name, axiom) in AXIOMS {
            let setup = Setup { axiom: Some(axiom), drain: true, ..Setup::plain(gfx) };
            let words = Section::of(&setup).words().expect("a section");
            parts.add(&format!("{gfx} {name}"), &told(&setup, &words, RunOptions { waves: 200, seed: 1, start_id: 0 }, 0));
        }
    }
    parts.assert("waves/runs.txt");
}

#[test]
fn runs_of_known_mistakes_are_the_same_everywhere() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        for mutation in MUTATIONS {
            for interlock in [InterlockScope::Pixel, InterlockScope::Sample] {
                let log2 = if interlock == InterlockScope::Sample { 2 } else { 0 };
                let setup = Setup { samples_log2: 2, exposed_log2: 2, compared_log2: 2, overlap_log2: log2, interlock, ..Setup::plain(gfx) };
                let title = format!("{gfx} {} {interlock:?}, verdict {:?}", mutation.name, mutation.verdict(gfx, &[]));
                if !sampled(&title) {
                    continue;
                }
                match mutation.program(&Section::of(&setup)) {
                    Ok(words) => parts.add(&title, &told(&setup, &words, RunOptions { waves: 120, seed: 7, start_id: 1000 }, 0)),
                    Err(error) => parts.add(&title, &error.to_string()),
                }
            }
        }
    }
    parts.assert_added("waves/mistakes.txt");
}

/// Programs without an ordered section: operations on EXEC, wave registers and SCC are visible in the accesses and at the end.
#[test]
fn runs_of_other_programs_are_the_same_everywhere() {
    let load = |gfx: Gfx| match gfx.major() {
        9 | 10 => "buffer_load_dword v1, v0, s[12:15], 0 idxen",
        12 => "buffer_load_b32 v1, v0, s[12:15], null idxen",
        _ => "buffer_load_b32 v1, v0, s[12:15], 0 idxen",
    };
    let programs: &[(&str, &[&str])] = &[
        ("half of the lanes", &["s_mov_b64 s[4:5], 0xffff", "s_and_saveexec_b64 s[6:7], s[4:5]", "LOAD", "s_mov_b64 exec, s[6:7]", "LOAD", "END"]),
        ("half of the lanes, 32 bits", &["s_mov_b32 s4, 0xff", "s_and_saveexec_b32 s6, s4", "LOAD", "s_mov_b32 exec_lo, s6", "LOAD", "END"]),
        (
            "no lanes, by SCC",
            &["s_mov_b64 s[4:5], 0", "s_and_saveexec_b64 s[6:7], s[4:5]", "s_cbranch_scc1 1", "LOAD1", "s_mov_b64 exec, s[6:7]", "LOAD", "END"],
        ),
        ("no lanes, by EXEC", &["s_mov_b64 exec, 0", "s_cbranch_execz 2", "LOAD", "END"]),
        ("a loop of 5", &["s_mov_b32 s4, 5", "s_sub_u32 s4, s4, 1", "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 65533", "LOAD", "END"]),
        (
            "MODE is written and read",
            &["s_mov_b32 s4, 3", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4", "s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 4)", "LOAD", "END"],
        ),
        (
            "the packer from a register",
            &[
                "s_mov_b32 s4, 3",
                "s_setreg_b32 hwreg(25, 0, 2), s4",
                "s_getreg_b32 s5, hwreg(25, 0, 2)",
                "s_cmp_eq_u32 s5, 3",
                "s_cbranch_scc0 2",
                "LOAD",
                "END",
            ],
        ),
        ("a wave register is 32 bits", &["s_mov_b32 s6, 7", "s_getreg_b32 s5, hwreg(HW_REG_MODE)", "s_cmp_eq_u32 s6, 7", "s_cbranch_scc0 2", "LOAD", "END"]),
        ("an end without an end", &["s_nop 0"]),
        ("a jump out", &["s_branch 200", "END"]),
        ("a jump before the beginning", &["s_branch 65000", "END"]),
        (
            "SCC chooses",
            &[
                "s_cmp_eq_u32 s4, s4",
                "s_cselect_b64 s[6:7], exec, 0",
                "s_mov_b64 exec, s[6:7]",
                "LOAD",
                "s_cmp_lg_u32 s4, s4",
                "s_cselect_b64 exec, exec, 1",
                "LOAD",
                "END",
            ],
        ),
        ("waits for nothing", &["s_waitcnt vmcnt(0) lgkmcnt(0)", "LOAD", "s_waitcnt vmcnt(0)", "LOAD", "END"]),
    ];
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        for (name, program) in programs {
            let mut words = Vec::new();
            let mut refused = None;
            for line in *program {
                let text = match *line {
                    "LOAD" | "LOAD1" => load(gfx),
                    "END" => "s_endpgm",
                    other => other,
                };
                match pm4::isa::parse(gfx, text).map(|instruction| instruction.encode(gfx).expect("what is read exists")) {
                    Ok(encoded) => words.extend(encoded.as_slice()),
                    Err(error) => refused = Some(format!("{text}: {error}")),
                }
            }
            let title = format!("{gfx} {name}");
            let setups =
                [Setup { pops: false, packers: 1, ..Setup::plain(gfx) }, Setup { wave: WaveSize::W32, packers: 2, samples_log2: 1, ..Setup::plain(gfx) }];
            match refused {
                Some(error) => parts.add(&title, &error),
                None => setups.iter().for_each(|setup| parts.add(&title, &told(setup, &words, RunOptions { waves: 4, seed: 5, start_id: 0 }, 12))),
            }
        }
    }
    parts.assert("waves/programs.txt");
}

/// One or two dwords differ from the section: another bit, a dword of another place, two swapped, one less, one more.
fn damaged(words: &[u32], random: &mut Random) -> Vec<u32> {
    let mut words = words.to_vec();
    for _ in 0..=random.below(2) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 | 1 => words[at] ^= 1 << random.below(32),
            2 => words[at] = words[other],
            3 => words.swap(at, other),
            4 => drop(words.remove(at)),
            _ => words.insert(at, words[other]),
        }
    }
    words
}

#[test]
fn runs_of_damaged_sections_are_the_same_everywhere() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        let mut random = Random(gfx as u64);
        for number in 0..18 {
            let all = setups(gfx);
            let (name, setup) = &all[random.below(all.len())];
            let Ok(words) = Section::of(setup).words() else { continue };
            let words = damaged(&words, &mut random);
            let title = format!("{gfx} {number}: {name}");
            if sampled(&title) {
                parts.add(&title, &told(setup, &words, RunOptions { waves: 24, seed: number, start_id: 1000 }, 0));
            }
        }
    }
    parts.assert_added("waves/damaged.txt");
}

/// Collects the result of the wave model for each draw.
#[derive(Default)]
struct Setups(Vec<String>);

impl Observer for Setups {
    fn draw(&mut self, view: &DrawView<'_>) {
        let mut texts: Vec<String> = [InterlockScope::Pixel, InterlockScope::Sample].map(|scope| format!("{:?}", waves::setup(view, scope))).to_vec();
        texts.dedup_by_key(|text| text.replace("Sample", "Pixel"));
        self.0.push(format!("{} {:?}", texts.join(" "), waves::arguments(view)));
    }
}

/// Registers that determine how waves are packed and their initial state.
const REGISTERS: [&str; 17] = [
    "DB_EQAA",
    "PA_SC_AA_CONFIG",
    "PA_SC_MODE_CNTL_1",
    "DB_SHADER_CONTROL",
    "DB_Z_INFO",
    "DB_STENCIL_INFO",
    "DB_DFSM_CONTROL",
    "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL",
    "GE_VRS_RATE",
    "PA_CL_VRS_CNTL",
    "SPI_SHADER_COL_FORMAT",
    "SPI_SHADER_Z_FORMAT",
    "SPI_PS_IN_CONTROL",
    "SPI_SHADER_PGM_RSRC1_PS",
    "SPI_SHADER_PGM_RSRC2_PS",
    "PA_SC_SHADER_CONTROL",
    "DB_RENDER_CONTROL",
];

/// Collects the shading rate of each draw.
#[derive(Default)]
struct Rates(Vec<(u8, u8)>);

impl Observer for Rates {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.0.push(waves::setup(view, InterlockScope::Pixel).rate);
    }
}

#[test]
fn pops_forces_the_finest_shading_rate_on_gfx10_3_alone() {
    for (chip, ordered, rate) in [
        (Chip::Navi21, false, (2, 1)),
        (Chip::Navi21, true, (1, 1)),
        (Chip::Navi31, false, (2, 1)),
        (Chip::Navi31, true, (2, 1)),
        (Chip::Gfx1201, true, (2, 1)),
    ] {
        let field = |register: &str, field: &str, value: u32| {
            let register = regs::find(chip.gfx(), register).expect("the register");
            value << register.info().field(field).expect("the field").lo
        };
        let ordering = field("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER", ordered.into());
        let words = [reg(chip, "DB_SHADER_CONTROL", ordering), reg(chip, "GE_VRS_RATE", field("GE_VRS_RATE", "RATE_X", 1)), draw()].concat();
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "a", &words);
        let mut seen = Rates::default();
        cp.run(&mut seen);
        assert_eq!(seen.0, [rate], "{chip}, POPS {ordered}");
    }
}

/// Collects whether each draw allocates export space.
#[derive(Default)]
struct Spaces(Vec<bool>);

impl Observer for Spaces {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.0.push(waves::setup(view, InterlockScope::Pixel).export_space);
    }
}

#[test]
fn formats_of_exports_that_are_not_known_count_as_allocated() {
    for chip in [Chip::Vega10, Chip::Navi21, Chip::Navi31, Chip::Gfx1201] {
        let (color, depth) = (|value: u32| reg(chip, "SPI_SHADER_COL_FORMAT", value), |value: u32| reg(chip, "SPI_SHADER_Z_FORMAT", value));
        for (state, allocates) in [
            (vec![], true),
            (color(0), true),
            (depth(0), true),
            ([color(0), depth(0)].concat(), false),
            // The format of target 1 is irrelevant.
            ([color(0x10), depth(0)].concat(), false),
            ([color(1), depth(0)].concat(), true),
            ([color(0), depth(1)].concat(), true),
        ] {
            let words = [state, draw()].concat();
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "a", &words);
            let mut seen = Spaces::default();
            cp.run(&mut seen);
            assert_eq!(seen.0, [allocates], "{chip}: {words:x?}");
        }
    }
}

/// The last combiner, and 8 samples on GFX12 (STA-28), give no coarse rate.
#[test]
fn a_last_combiner_of_1x1_and_8_samples_on_gfx12_shade_at_1x1() {
    const LAST: &str = "VRS_OVERRIDE_RATE_COMBINER_MODE";
    const PA: &str = "PA_SC_VRS_OVERRIDE_CNTL";
    const SAMPLES: (&str, &str) = ("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES");
    for (chip, state, rate) in [
        (Chip::Navi31, &[(PA, LAST, 2)][..], (1, 1)),
        (Chip::Navi31, &[(PA, LAST, 1)], (1, 1)),
        (Chip::Navi31, &[(PA, LAST, 3)], (2, 1)),
        (Chip::Navi31, &[(PA, LAST, 2), (PA, "VRS_RATE", 5)], (2, 1)),
        (Chip::Navi31, &[(PA, LAST, 2), (PA, "VRS_SURFACE_ENABLE", 1)], (2, 1)),
        (Chip::Navi21, &[("DB_VRS_OVERRIDE_CNTL", LAST, 2)], (1, 1)),
        (Chip::Gfx1201, &[(PA, LAST, 2)], (1, 1)),
        (Chip::Gfx1201, &[(SAMPLES.0, SAMPLES.1, 3)], (1, 1)),
        (Chip::Gfx1201, &[(SAMPLES.0, SAMPLES.1, 2)], (2, 1)),
        (Chip::Navi31, &[(SAMPLES.0, SAMPLES.1, 3)], (2, 1)),
    ] {
        let mut words = std::collections::BTreeMap::new();
        for (register, field, value) in state.iter().chain(&[("GE_VRS_RATE", "RATE_X", 1)]) {
            let info = regs::find(chip.gfx(), register).expect("the register").info();
            *words.entry(*register).or_insert(0) |= value << info.field(field).expect("the field").lo;
        }
        let stream: Vec<u32> = words.iter().flat_map(|(register, value)| reg(chip, register, *value)).chain(draw()).collect();
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "a", &stream);
        let mut seen = Rates::default();
        cp.run(&mut seen);
        assert_eq!(seen.0, [rate], "{chip} {state:?}");
    }
}

#[test]
fn each_register_bit_changes_the_wave_setup_as_recorded() {
    let mut parts = Parts::default();
    for chip in [Chip::Vega10, Chip::Raven, Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1150, Chip::Gfx1201] {
        // The ordered draw of each generation, and a draw without any state.
        let told = |words: &[u32]| {
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "a", words);
            let mut seen = Setups::default();
            cp.run(&mut seen);
            seen.0.pop().expect("a draw")
        };
        let base = |name: &str| match name {
            "DB_SHADER_CONTROL" => {
                let register = regs::find(chip.gfx(), name).expect("the register");
                register.info().field("PRIMITIVE_ORDERED_PIXEL_SHADER").map_or(0, |field| 1 << field.lo)
            }
            "PA_SC_AA_CONFIG" => 0x0030_0002,
            "DB_EQAA" => 0x0000_0222,
            "DB_Z_INFO" => 0x8,
            _ => 0,
        };
        let exists = |name: &&str| regs::find(chip.gfx(), name).is_some();
        let names: Vec<&str> = REGISTERS.into_iter().filter(exists).collect();
        let with = |other: Option<(&str, u32)>| {
            let value = |name: &str| other.filter(|(of, _)| *of == name).map_or(base(name), |(_, value)| value);
            [names.iter().flat_map(|name| reg(chip, name, value(name))).collect(), draw()].concat()
        };
        let plain = told(&with(None));
        let mut text = format!("no state: {}\nplain: {plain}\n", told(&draw()));
        for name in &names {
            for bit in 0..32 {
                let now = told(&with(Some((name, base(name) ^ 1 << bit))));
                if now != plain {
                    let changed: Vec<&str> = now.split(", ").zip(plain.split(", ")).filter(|(now, plain)| now != plain).map(|(now, _)| now).collect();
                    let _ = writeln!(text, "{name} bit {bit}: {}", changed.join(", "));
                }
            }
        }
        parts.add(&chip.to_string(), &text);
    }
    parts.assert("waves/setups.txt");
}

/// Scalar instructions with registers of every kind, and constants.
fn scalar(gfx: Gfx, random: &mut Random) -> Instruction {
    use pm4::isa::{Encoding, Op, Reg, Src};
    const NAMED: [Reg; 9] = [Reg::VccLo, Reg::VccHi, Reg::ExecLo, Reg::ExecHi, Reg::M0, Reg::Ttmp(4), Reg::Null, Reg::FlatScratchLo, Reg::XnackMaskLo];
    let ops: Vec<Op> =
        Op::iter().filter(|op| matches!(op.format(), Encoding::Sop2 | Encoding::Sop1 | Encoding::Sopc | Encoding::Sopk) && op.code(gfx).is_some()).collect();
    loop {
        let op = ops[random.below(ops.len())];
        // Few registers, so that results interact; pairs begin at even ones.
        let reg = |random: &mut Random| if random.below(5) == 0 { NAMED[random.below(NAMED.len())] } else { Reg::Sgpr(40 + random.below(8) as u8) };
        let src = |random: &mut Random| match random.below(8) {
            0 => Src::Int(random.below(81) as i8 - 16),
            1 => Src::Float(random.below(9) as u8),
            2 => Src::Literal(random.next() as u32),
            3 => [Src::Scc, Src::Vccz, Src::Execz][random.below(3)],
            _ => Src::Reg(reg(random)),
        };
        let instruction = match op.format() {
            Encoding::Sop2 => {
                let sources = [src(random), src(random)];
                Instruction::Sop2 { op, dst: reg(random), src: sources }
            }
            Encoding::Sop1 => {
                let source = src(random);
                Instruction::Sop1 { op, dst: Some(reg(random)), src: Some(source) }
            }
            Encoding::Sopc => Instruction::Sopc { op, src: [src(random), src(random)] },
            _ => Instruction::Sopk { op, reg: reg(random), imm: random.next() as u16 },
        };
        // The model immediately reports instructions that end or call.
        let leaves = matches!(op, Op::SSetpcB64 | Op::SSwappcB64 | Op::SGetpcB64 | Op::SCallB64);
        if instruction.encode(gfx).is_ok() && !leaves {
            return instruction;
        }
    }
}

/// Waves compute before their section, and end early if a bit of the result is 0: 32 random programs per line.
#[test]
fn what_scalar_code_computes_decides_where_waves_end() {
    use pm4::isa::{Op, Reg, Src};
    let mut text = String::from("# tests/suites/model/wave_transcripts.rs explains this file.\n");
    for gfx in Gfx::iter() {
        let setup = Setup::plain(gfx);
        let section = Section::of(&setup).words().expect("a section");
        let mut random = Random(100 + gfx as u64);
        for line in 0..12 {
            let (mut all, mut ended) = (digest(""), 0);
            for _ in 0..32 {
                let mut code: Vec<Instruction> = (40..48)
                    .map(|n| Instruction::Sop1 { op: Op::SMovB32, dst: Some(Reg::Sgpr(n)), src: Some(Src::Literal(random.next() as u32 >> random.below(32))) })
                    .collect();
                code.extend((0..2 + random.below(10)).map(|_| scalar(gfx, &mut random)));
                if random.below(4) > 0 {
                    let bit = Src::Int(random.below(32) as i8);
                    code.push(Instruction::Sopc { op: Op::SBitcmp1B32, src: [Src::Reg(Reg::Sgpr(40 + random.below(8) as u8)), bit] });
                }
                code.push(Instruction::Sopp { op: Op::SCbranchScc1, imm: 1 });
                code.push(Instruction::plain(Op::SEndpgm));
                let words: Vec<u32> =
                    code.iter().flat_map(|one| one.encode(gfx).expect("it exists").as_slice().to_vec()).chain(section.iter().copied()).collect();
                let told = told(&setup, &words, RunOptions { waves: 6, seed: 1, start_id: 0 }, 0);
                ended += u32::from(told.contains("accessed 0"));
                all = digest_after(all, &told);
            }
            let _ = writeln!(text, "{gfx} {line}: {ended} end early, {all:016x}");
        }
    }
    crate::golden::assert_golden("waves/scalar.txt", &text);
}
