//! Instructions: the assembler's own encodings, refusals, and round trips over everything.

use crate::support;
use pm4::chip::Gfx;
use pm4::isa::WaveSize;
use pm4::isa::hwreg::{self, Hwreg};
use pm4::isa::pops::{self, EntryRegisters, Layers, Outstanding, ProgramEnd, SectionAccess, WaitForm};
use pm4::isa::*;
use pm4::waves::{Section, Setup};
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// The generation of an LLVM target name.
fn gfx(target: &str) -> Gfx {
    match target {
        "gfx900" | "gfx902" => Gfx::Gfx9,
        "gfx1010" => Gfx::Gfx10,
        "gfx1030" => Gfx::Gfx103,
        "gfx1100" => Gfx::Gfx11,
        "gfx1150" => Gfx::Gfx115,
        "gfx1200" => Gfx::Gfx12,
        other => panic!("no target {other}"),
    }
}

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()).map(|l| l.split('\t').collect())
}

fn dwords(text: &str) -> Vec<u32> {
    text.split_whitespace().map(|w| u32::from_str_radix(w, 16).expect("a dword")).collect()
}

const GOLDEN: &str = include_str!("../../isa/isa_golden.tsv");
const MEMORY: &str = include_str!("../../isa/memory_golden.tsv");
const VECTOR: &str = include_str!("../../isa/vector_golden.tsv");
const REJECT: &str = include_str!("../../isa/isa_reject.tsv");
const OPCODES: &str = include_str!("../../isa/isa_opcodes.tsv");
const PROGRAMS: &str = include_str!("../../isa/pops_programs.tsv");

fn both_ways(gfx: Gfx, assembly: &str, words: &[u32]) {
    let parsed = parse(gfx, assembly).unwrap_or_else(|e| panic!("{gfx} refuses `{assembly}`: {e}"));
    let encoded = parsed.encode(gfx).unwrap();
    assert_eq!(encoded.as_slice(), words, "{gfx} {assembly}");
    let decoded = Instruction::decode(gfx, words).unwrap();
    assert_eq!(decoded, parsed, "{gfx} {assembly}");
}

#[test]
fn encodings_equal_those_of_llvm_byte_for_byte() {
    let mut count = 0;
    for row in rows(GOLDEN) {
        let words = dwords(row[3]);
        let bytes: Vec<u8> = row[2].split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
        assert_eq!(words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>(), bytes);
        both_ways(gfx(row[0]), row[1], &words);
        count += 1;
    }
    assert!(count > 40);
    for row in rows(MEMORY).chain(rows(VECTOR)) {
        both_ways(gfx(row[0]), row[1], &dwords(row[2]));
        let text = Instruction::decode(gfx(row[0]), &dwords(row[2])).unwrap().text(gfx(row[0])).to_string();
        assert_eq!(text, row[1]);
    }
}

#[test]
fn text_is_that_of_llvm() {
    for row in rows(GOLDEN) {
        let text = Instruction::decode(gfx(row[0]), &dwords(row[3])).unwrap().text(gfx(row[0])).to_string();
        // The choice of hexadecimal is LLVM's, by instruction.
        let plain = |t: &str| t.replace(" 0x0", " 0").replace(" 0x1", " 1");
        assert_eq!(plain(&text), plain(row[1]), "{}", row[0]);
    }
}

#[test]
fn what_llvm_refuses_is_refused() {
    let mut count = 0;
    for row in rows(REJECT) {
        let result = parse(gfx(row[0]), row[1]);
        assert!(result.is_err(), "{} takes `{}`: {result:?}", row[0], row[1]);
        count += 1;
    }
    assert_eq!(count, 11);
}

#[test]
fn opcode_numbers_equal_those_of_llvm() {
    let targets = ["gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150"];
    for row in OPCODES.lines().skip(1).map(|l| l.split('\t').collect::<Vec<_>>()) {
        for (target, number) in targets.iter().zip(&row[2..]) {
            let op = Op::from_name(gfx(target), row[1]);
            let code = op.and_then(|op| op.code(gfx(target)));
            // GFX11 uses the new name of s_inst_prefetch; the table has one row for each name.
            assert_eq!(code, number.parse().ok(), "{target} {}", row[1]);
        }
    }
}

/// The sequence that a row of the table of programs describes.
fn program(gfx: Gfx, part: &str) -> Vec<u32> {
    let plain = EntryRegisters { collision: 4, scratch: [5, 6, 7], form: WaitForm::Plain };
    let compact = EntryRegisters { collision: 4, scratch: [0, 1, 3], form: WaitForm::Compact };
    let enter = || pops::enter(gfx, &plain).unwrap();
    let exit = || pops::exit(gfx, Outstanding::VECTOR).unwrap();
    let finish = || pops::finish(gfx, ProgramEnd::Plain).unwrap();
    match part {
        "entry" => enter(),
        "entry_aco" => pops::enter(gfx, &compact).unwrap(),
        "exit_release" => exit(),
        "null_export+endpgm" => finish(),
        _ => {
            // GFX9 and GFX10.3 rows spell the wait as ACO or LLVM does; they differ only in unused bits.
            let markers = [5, 6].map(|imm| Instruction::Sopp { op: Op::SNop, imm }.encode(gfx).unwrap()[0]);
            [enter(), markers.to_vec(), exit(), finish()].concat()
        }
    }
}

#[test]
fn sequences_equal_the_known_programs_byte_for_byte() {
    let mut count = 0;
    for row in rows(PROGRAMS) {
        let gfx = gfx(row[0]);
        let words = dwords(row[2]);
        assert_eq!(program(gfx, row[1]), words, "{} {}", row[0], row[1]);
        let decoded = ShaderCode::decode(gfx, &words);
        assert!(!decoded.items().iter().any(|i| matches!(i.instruction, Instruction::Raw(_))));
        assert_eq!(decoded.encode().unwrap(), words);
        count += 1;
    }
    assert_eq!(count, 20);
}

#[test]
fn gfx12_turns_the_wait_around_and_waits_by_counter() {
    assert_eq!(pops::enter(Gfx::Gfx12, &EntryRegisters::default()).unwrap(), [0xBF8B_0002]);
    let exit = disassemble(Gfx::Gfx12, &pops::exit(Gfx::Gfx12, Outstanding::ALL).unwrap()).to_string();
    for wait in ["s_wait_loadcnt 0x0", "s_wait_storecnt 0x0", "s_wait_kmcnt 0x0"] {
        assert!(exit.contains(wait), "{exit}");
    }
}

#[test]
fn the_alternative_end_exists_up_to_gfx103() {
    for gfx in Gfx::iter() {
        assert_eq!(pops::finish(gfx, ProgramEnd::OrderedDone).is_ok(), gfx.major() <= 10, "{gfx}");
        assert_eq!(pops::finish(gfx, ProgramEnd::DeallocVgprs).is_ok(), gfx.major() >= 11, "{gfx}");
        let layers = Layers { mask: 3, wave: WaveSize::W64, scratch: [5, 6, 7], lanes: 8, exec: 10 };
        assert_eq!(pops::intrawave_loop(gfx, &layers, &[]).is_ok(), gfx.major() <= 10, "{gfx}");
    }
}

/// Runs a scalar program without memory until it ends, from these values of SGPRs and EXEC; returns EXEC at each `s_nop 7`.
fn exec_at_marks(gfx: Gfx, words: &[u32], sgprs: &[(u8, u32)], exec: u64) -> Vec<u64> {
    const EXEC: usize = 126;
    let program = ShaderCode::decode(gfx, words);
    let (mut regs, mut scc, mut marks, mut at) = ([0u32; 128], false, Vec::new(), 0);
    sgprs.iter().for_each(|(sgpr, value)| regs[usize::from(*sgpr)] = *value);
    (regs[EXEC], regs[EXEC + 1]) = (exec as u32, (exec >> 32) as u32);
    let place = |reg: Reg| match reg {
        Reg::Sgpr(sgpr) => sgpr.into(),
        Reg::ExecLo => EXEC,
        other => panic!("{other:?} is not expected here"),
    };
    for _ in 0..10_000 {
        let Some(item) = program.items().get(at) else { return marks };
        let low = |regs: &[u32; 128], src: Src| match src {
            Src::Reg(reg) => regs[place(reg)],
            Src::Int(value) => i32::from(value) as u32,
            Src::Literal(value) => value,
            other => panic!("{other:?} is not expected here"),
        };
        let wide = |regs: &[u32; 128], src: Src| match src {
            Src::Reg(reg) => u64::from(regs[place(reg) + 1]) << 32 | u64::from(regs[place(reg)]),
            Src::Int(value) => i64::from(value) as u64,
            other => panic!("{other:?} is not expected here"),
        };
        let branches = match item.instruction {
            Instruction::Sop2 { op, dst, src: [a, b] } => {
                let (x, y) = (low(&regs, a), low(&regs, b));
                let result = match op {
                    Op::SAndB32 => Ok(x & y),
                    Op::SLshlB32 => Ok(x << (y & 31)),
                    Op::SSubI32 => Ok(x.wrapping_sub(y)),
                    Op::SBfmB32 => Ok(((1 << (x & 31)) - 1) << (y & 31)),
                    Op::SBfmB64 => Err(((1u64 << (x & 63)) - 1) << (y & 63)),
                    Op::SLshlB64 => Err(wide(&regs, a) << (y & 63)),
                    Op::SAndB64 => Err(wide(&regs, a) & wide(&regs, b)),
                    other => panic!("{other:?} is not expected here"),
                };
                let to = place(dst);
                match result {
                    Ok(value) => regs[to] = value,
                    Err(value) => (regs[to], regs[to + 1]) = (value as u32, (value >> 32) as u32),
                }
                scc = !matches!(op, Op::SBfmB32 | Op::SBfmB64) && result != Ok(0) && result != Err(0);
                false
            }
            Instruction::Sop1 { op, dst: Some(dst), src: Some(src) } => {
                let to = place(dst);
                match op {
                    Op::SMovB32 => regs[to] = low(&regs, src),
                    Op::SMovB64 => {
                        let value = wide(&regs, src);
                        (regs[to], regs[to + 1]) = (value as u32, (value >> 32) as u32);
                    }
                    Op::SFf1I32B32 => regs[to] = Some(low(&regs, src)).filter(|bits| *bits != 0).map_or(u32::MAX, u32::trailing_zeros),
                    Op::SBitset0B32 => regs[to] &= !(1 << (low(&regs, src) & 31)),
                    other => panic!("{other:?} is not expected here"),
                }
                false
            }
            Instruction::Sopc { op: Op::SCmpEqU32, src: [a, b] } => {
                scc = low(&regs, a) == low(&regs, b);
                false
            }
            Instruction::Sopp { op: Op::SNop, imm: 7 } => {
                marks.push(u64::from(regs[EXEC + 1]) << 32 | u64::from(regs[EXEC]));
                false
            }
            Instruction::Sopp { op: Op::SBranch, .. } => true,
            Instruction::Sopp { op: Op::SCbranchScc0, .. } => !scc,
            Instruction::Sopp { op: Op::SCbranchScc1, .. } => scc,
            Instruction::Sopp { op: Op::SCbranchExecz, .. } => regs[EXEC] | regs[EXEC + 1] == 0,
            // Waits.
            Instruction::Sopp { .. } | Instruction::Sopk { .. } => false,
            ref other => panic!("{other:?} is not expected here"),
        };
        at = if branches { item.target.expect("a target") } else { at + 1 };
    }
    panic!("the program does not end");
}

/// INTRAWAVE_COLLISION has a bit for each quad that starts a new layer: the body runs with the lanes of each layer, in order, and EXEC is restored at the end.
#[test]
fn the_loop_over_layers_runs_the_lanes_of_each_layer_once_and_in_order() {
    fn same(mask: u32, lanes: u64) -> bool {
        let chips = [(Gfx::Gfx9, WaveSize::W64), (Gfx::Gfx10, WaveSize::W64), (Gfx::Gfx10, WaveSize::W32), (Gfx::Gfx103, WaveSize::W32)];
        chips.into_iter().all(|(gfx, wave)| {
            let (quads, lanes) = if wave == WaveSize::W64 { (16, lanes) } else { (8, lanes & 0xFFFF_FFFF) };
            let layers = Layers { mask: 3, wave, scratch: [5, 6, 7], lanes: 8, exec: 10 };
            let mark = Instruction::Sopp { op: Op::SNop, imm: 7 }.encode(gfx).expect("an instruction").to_vec();
            let mut words = pops::intrawave_loop(gfx, &layers, &mark).expect("a loop");
            words.extend(&mark);
            let mut seen = exec_at_marks(gfx, &words, &[(3, mask)], lanes);
            let after = seen.pop();
            let starts: Vec<u32> = [0].into_iter().chain((1..quads).filter(|quad| mask >> quad & 1 == 1)).chain([quads]).collect();
            let quad_lanes = |from: u32, to: u32| ((1u128 << (4 * to)) - (1u128 << (4 * from))) as u64;
            let wanted: Vec<u64> = starts.windows(2).map(|layer| lanes & quad_lanes(layer[0], layer[1])).filter(|layer| *layer != 0).collect();
            let same = (&seen, after) == (&wanted, Some(lanes));
            if !same {
                println!("{gfx} {wave:?} {mask:#x} {lanes:#x}: {seen:x?}, then {after:x?}");
            }
            same
        })
    }
    support::property("layers of a wave", 2000, same as fn(u32, u64) -> bool);
    assert!([0, 1, 2, 0x8000, 0xFFFF, 0xFFFF_FFFF].into_iter().all(|mask| same(mask, u64::MAX)));
}

#[test]
fn the_first_load_and_the_last_store_are_coherent_as_the_article_has_it() {
    let flags = |gfx, access| pops::cache(gfx, access).to_string();
    assert_eq!(flags(Gfx::Gfx9, SectionAccess::FirstLoad), " glc");
    assert_eq!(flags(Gfx::Gfx9, SectionAccess::LastStore), " glc");
    assert_eq!(flags(Gfx::Gfx103, SectionAccess::FirstLoad), " glc dlc");
    assert_eq!(flags(Gfx::Gfx10, SectionAccess::LastStore), " glc");
    assert_eq!(flags(Gfx::Gfx115, SectionAccess::FirstLoad), " glc");
    assert_eq!(flags(Gfx::Gfx11, SectionAccess::LastStore), "");
    assert!(Gfx::iter().all(|gfx| flags(gfx, SectionAccess::Between).is_empty()));
}

#[test]
fn wave_registers_are_typed_by_generation() {
    let mode = hwreg::gfx9::Mode(0).with_pops_packer1(true);
    assert_eq!(mode.0, 1 << 25);
    let packer = hwreg::gfx103::PopsPacker(0).with_pops_en(true).with_pops_packer_id(3);
    assert_eq!(packer.0, 7);
    assert!(hwreg::gfx11::Status(1 << 22).oreo_conflict());
    assert_eq!(hwreg::gfx9::HwId(0x0000_6000).se_id(), 3);
    assert_eq!(hwreg::gfx12::ExcpFlagPriv(0).with_memviol(true).0, 0x10);
    assert_eq!(Hwreg::find(Gfx::Gfx9, "TRAPSTS").map(|r| r.id), Some(3));
    assert_eq!(Hwreg::find(Gfx::Gfx11, "POPS_PACKER"), None);
    let registers: usize = Gfx::iter().map(|g| hwreg::wave_registers(g).len()).sum();
    assert_eq!(registers, 139);
}

#[derive(Debug, Clone)]
struct Random(Gfx, Instruction);

fn pick<T: Copy>(g: &mut Gen, of: &[T]) -> T {
    *g.choose(of).unwrap()
}

fn register(g: &mut Gen) -> Reg {
    match u8::arbitrary(g) % 8 {
        0 => pick(g, &[Reg::VccLo, Reg::ExecLo, Reg::FlatScratchLo, Reg::XnackMaskLo]),
        1 => pick(g, &[Reg::VccHi, Reg::ExecHi, Reg::M0, Reg::Null]),
        2 => Reg::Ttmp(u8::arbitrary(g) % 16),
        _ => Reg::Sgpr(u8::arbitrary(g) % 106),
    }
}

fn source(g: &mut Gen) -> Src {
    match u8::arbitrary(g) % 8 {
        0 => Src::Int((u8::arbitrary(g) % 81) as i8 - 16),
        1 => Src::Float(u8::arbitrary(g) % 9),
        2 => Src::constant(u32::arbitrary(g)),
        3 => pick(g, &[Src::PopsExitingWaveId, Src::Scc, Src::Vccz, Src::Execz, Src::SharedBase, Src::SharedLimit, Src::PrivateBase, Src::PrivateLimit]),
        _ => Src::Reg(register(g)),
    }
}

/// A generation has only the targets that its instruction set lists.
#[test]
fn exports_have_the_targets_of_their_generation() {
    use ExportTarget::{DualSource, Mrt, Mrtz, Null, Param, Pos, Prim};
    let (old, new) = (|gfx: Gfx| gfx.major() <= 10, |gfx: Gfx| gfx.major() >= 11);
    for gfx in Gfx::iter() {
        for (target, code, exists) in [
            (Mrt(7), 7, true),
            (Mrt(8), 8, false),
            (Mrtz, 8, true),
            (Null, 9, old(gfx)),
            (Pos(3), 15, true),
            (Pos(4), 16, gfx.major() >= 10),
            (Pos(5), 17, false),
            (Prim, 20, gfx.major() >= 10),
            (DualSource(1), 22, new(gfx)),
            (DualSource(2), 23, false),
            (Param(31), 63, old(gfx)),
            (Param(32), 64, false),
        ] {
            assert_eq!(target.code(gfx), exists.then_some(code), "{gfx} {target:?}");
        }
    }
}

fn instruction(g: &mut Gen) -> Instruction {
    let ops: Vec<Op> = Op::iter().collect();
    let op = pick(g, &ops);
    let flag = |g: &mut Gen| u8::arbitrary(g).is_multiple_of(4);
    let hwreg = |g: &mut Gen| Hwreg { id: u8::arbitrary(g) % 33, offset: u8::arbitrary(g) % 32, size: 1 + u8::arbitrary(g) % 32 };
    match (u8::arbitrary(g) % 6, op.format()) {
        (0, _) => {
            let target = match u8::arbitrary(g) % 7 {
                0 => ExportTarget::Mrtz,
                1 => ExportTarget::Null,
                2 => ExportTarget::Prim,
                3 => ExportTarget::Pos(u8::arbitrary(g) % 5),
                4 => ExportTarget::DualSource(u8::arbitrary(g) % 2),
                5 => ExportTarget::Param(u8::arbitrary(g) % 32),
                _ => ExportTarget::Mrt(u8::arbitrary(g) % 8),
            };
            let compressed = flag(g);
            let mut sources = [0; 4].map(|_| Option::<u8>::arbitrary(g));
            if compressed {
                sources = [0, 0, 2, 2].map(|channel| sources[channel].filter(|_| bool::arbitrary(g)));
            }
            // A compressed VGPR contains two channels.
            let byte = |channel: usize| if compressed { channel / 2 } else { channel };
            let used = (0..4).filter(|channel| sources[*channel].is_some()).fold(0, |used: u32, channel| used | 0xFF << (8 * byte(channel)));
            let unused = u32::arbitrary(g) & !used;
            Instruction::Exp(Export { target, sources, unused, compressed, done: bool::arbitrary(g), valid_mask: flag(g), row: flag(g) })
        }
        (1, _) => match u8::arbitrary(g) % 3 {
            0 => Instruction::Getreg { dst: register(g), from: hwreg(g) },
            1 => Instruction::Setreg { to: hwreg(g), src: register(g) },
            _ => Instruction::SetregImm { to: hwreg(g), value: u32::arbitrary(g) },
        },
        (_, Encoding::Sop2) => Instruction::Sop2 { op, dst: register(g), src: [source(g), source(g)] },
        (_, Encoding::Sop1) if op == Op::SSendmsgRtnB32 => Instruction::SendmsgRtn { dst: register(g), message: u8::arbitrary(g) },
        (_, Encoding::Sop1) => Instruction::Sop1 { op, dst: (op != Op::SSetpcB64).then(|| register(g)), src: (op != Op::SGetpcB64).then(|| source(g)) },
        (_, Encoding::Sopc) => Instruction::Sopc { op, src: [source(g), source(g)] },
        (_, Encoding::Sopk) => Instruction::Sopk { op, reg: register(g), imm: u16::arbitrary(g) },
        (_, Encoding::Sopp) => Instruction::Sopp { op, imm: if flag(g) { u16::arbitrary(g) } else { 0 } },
        (_, Encoding::Smem) => {
            let offset = (i32::arbitrary(g)) >> (8 + u32::arbitrary(g) % 20);
            let cache = CachePolicy { glc: flag(g), dlc: flag(g), scope: u8::from(flag(g)), hint: u8::from(flag(g)), ..CachePolicy::default() };
            Instruction::Smem(Smem { op, data: register(g), base: register(g), offset, index: flag(g).then(|| register(g)).filter(|r| *r != Reg::Null), cache })
        }
        (_, Encoding::Mubuf) => Instruction::Mubuf(Mubuf {
            op,
            data: u8::arbitrary(g),
            address: u8::arbitrary(g),
            index_enable: bool::arbitrary(g),
            offset_enable: bool::arbitrary(g),
            resource: register(g),
            scalar_offset: source(g),
            offset: u32::arbitrary(g) % 5000,
            cache: CachePolicy { glc: flag(g), dlc: flag(g), slc: flag(g), scope: u8::from(flag(g)), hint: u8::from(flag(g)) },
        }),
        (_, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3) => {
            let vector = |g: &mut Gen| if flag(g) { VectorSrc::Scalar(source(g)) } else { VectorSrc::Vgpr(u8::arbitrary(g)) };
            let sources = match (op.format(), op) {
                (Encoding::Vop1, _) => 1,
                (Encoding::Vop2, _) | (_, Op::VMulLoU32) => 2,
                _ => 3,
            };
            let src = std::array::from_fn(|n| match n {
                1 if op.format() == Encoding::Vop2 => VectorSrc::Vgpr(u8::arbitrary(g)),
                _ if n < sources => vector(g),
                _ => VectorSrc::NONE,
            });
            Instruction::Vector(VectorAlu { op, dst: u8::arbitrary(g), src })
        }
        (_, Encoding::Mimg) => {
            let dims = [ImageDim::One, ImageDim::Two, ImageDim::Three, ImageDim::OneArray, ImageDim::TwoArray, ImageDim::TwoMsaa, ImageDim::TwoMsaaArray];
            Instruction::Image(Image {
                op,
                data: u8::arbitrary(g),
                address: u8::arbitrary(g),
                resource: register(g),
                channels: 1 + u8::arbitrary(g) % 15,
                dim: pick(g, &dims),
                unnormalized: bool::arbitrary(g),
                cache: CachePolicy { glc: flag(g), dlc: flag(g), slc: flag(g), scope: u8::from(flag(g)), hint: u8::from(flag(g)) },
            })
        }
    }
}

impl Arbitrary for Random {
    /// Instructions of the generation: refused ones are drawn again.
    fn arbitrary(g: &mut Gen) -> Self {
        let all: Vec<Gfx> = Gfx::iter().collect();
        let gfx = pick(g, &all);
        loop {
            let instruction = instruction(g);
            if instruction.encode(gfx).is_ok() {
                return Self(gfx, instruction);
            }
        }
    }
}

#[test]
fn decoding_inverts_encoding() {
    support::property::<fn(Random) -> bool>("decode(encode(x)) == x", 60_000, |Random(gfx, instruction): Random| {
        let words = instruction.encode(gfx).unwrap();
        let mut stream = words.to_vec();
        stream.extend([0xFFFF_FFFF, 0]); // the following words change nothing
        Instruction::decode(gfx, &stream) == Some(instruction)
    });
}

#[test]
fn parsing_inverts_text() {
    support::property::<fn(Random) -> bool>("parse(text(x)) == x", 20_000, |Random(gfx, instruction): Random| {
        let text = instruction.text(gfx).to_string();
        let same = parse(gfx, &text) == Ok(instruction);
        if !same {
            println!("{gfx} `{text}` {:?}", parse(gfx, &text));
        }
        same
    });
}

/// A label before every instruction and at the end; branches by label, or by number.
#[test]
fn a_program_of_lines_parses_to_its_words() {
    for gfx in Gfx::iter() {
        let code = ShaderCode::decode(gfx, &Section::of(&Setup::plain(gfx)).words().expect("a section"));
        let mut by_label = String::new();
        let mut by_number = String::new();
        for (n, item) in code.items().iter().enumerate() {
            let line = code.line(n).to_string();
            let name = line.split_whitespace().next().unwrap_or_default();
            let labelled = item.target.map_or(line.clone(), |target| format!("{name}  l{target} ; to {target}"));
            by_label += &format!("l{n}:\n\t{labelled}\n\n");
            by_number += &format!("{line}\n");
        }
        by_label += &format!("l{}:", code.items().len());
        assert_eq!(ShaderCode::parse(gfx, &by_label).expect("a program"), code, "{by_label}");
        assert_eq!(ShaderCode::parse(gfx, &by_number).expect("a program"), code, "{by_number}");
    }
    for wrong in ["s_branch gone", "a:\na:\ns_endpgm", "a:\ns_nop a", "a: s_endpgm", ":\ns_endpgm", "4:\ns_branch 4", "a b:\ns_branch b"] {
        assert!(ShaderCode::parse(Gfx::Gfx9, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn any_stream_disassembles_and_encodes_back() {
    support::property::<fn(Vec<u32>, Vec<u8>) -> bool>("any words", 3_000, |words: Vec<u32>, formats: Vec<u8>| {
        Gfx::iter().all(|gfx| {
            // Half of the words get the first bits of a real format.
            let words: Vec<u32> = words
                .iter()
                .zip(formats.iter().chain(std::iter::repeat(&0)))
                .map(|(word, format)| match format % 8 {
                    0..4 => *word,
                    4 => word | 0xBF80_0000,
                    5 => word & 0x3FFF_FFFF | 0x8000_0000,
                    6 => word & 0x03FF_FFFF | 0xF800_0000,
                    _ => word & 0x03FF_FFFF | 0xE000_0000,
                })
                .collect();
            let program = ShaderCode::decode(gfx, &words);
            assert!(program.to_string().lines().count() == program.items().len());
            let untouched = program.encode().map(|encoded| encoded == words);
            untouched != Ok(false)
        })
    });
}

#[test]
fn control_words_of_vector_instructions_round_trip_where_they_are_legal() {
    support::property::<fn(u32, bool) -> bool>("sdwa and dpp", 20_000, |word: u32, compare: bool| {
        Gfx::iter().all(|gfx| {
            let sdwa = Sdwa::decode(gfx, word, compare);
            let dpp = Dpp::decode(gfx, word);
            let dpp8 = Dpp8::decode(gfx, word);
            let exact = sdwa.is_none_or(|s| s.encode(gfx) == Ok(word))
                && dpp.is_none_or(|d| d.encode(gfx) == Ok(word))
                && dpp8.is_none_or(|d| d.encode(gfx) == Ok(word));
            exact && (gfx.major() <= 10 || sdwa.is_none()) && (gfx.major() > 9 || dpp8.is_none())
        })
    });
    for (lanes, since, until) in [
        (DppLanes::QuadPerm([3, 2, 1, 0]), 9, 12),
        (DppLanes::RowShl(1), 9, 12),
        (DppLanes::RowMirror, 9, 12),
        (DppLanes::WaveShl, 9, 9),
        (DppLanes::RowBroadcast31, 9, 9),
        (DppLanes::RowShare(5), 10, 12),
        (DppLanes::RowXmask(1), 10, 12),
    ] {
        for gfx in Gfx::iter() {
            assert_eq!(Dpp::new(lanes).encode(gfx).is_ok(), (since..=until).contains(&gfx.major()), "{lanes:?} {gfx}");
        }
    }
}

#[test]
fn sources_of_sdwa_keep_their_flags() {
    use pm4::isa::{SdwaSelect, SdwaSource};
    let selects = [SdwaSelect::Dword, SdwaSelect::Byte(0), SdwaSelect::Byte(3), SdwaSelect::Word(0), SdwaSelect::Word(1)];
    for (select, flags) in selects.into_iter().flat_map(|select| (0..16u32).map(move |flags| (select, flags))) {
        let has = |bit: u32| flags >> bit & 1 == 1;
        let source = SdwaSource { select, sign_extend: has(0), negate: has(1), absolute: has(2), scalar: has(3) };
        for (source0, source1) in [(source, SdwaSource::default()), (SdwaSource::default(), source)] {
            let control = Sdwa { register: 5, source0, source1, ..Sdwa::default() };
            for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103] {
                let word = control.encode(gfx).unwrap_or_else(|error| panic!("{gfx} {control:?}: {error}"));
                assert_eq!(Sdwa::decode(gfx, word, false), Some(control), "{gfx} {word:#010x}");
            }
        }
    }
}

#[test]
fn vector_instructions_take_as_many_dwords_as_their_literal_and_lanes_ask_for() {
    // v_add_f32_e64 v0, v1, v2; with a literal as a source (255); with lanes (DPP 250, DPP8 233) from GFX11 on.
    let first = 0xD503_0000;
    for (second, dwords) in [(0x0002_0501, [2; 5]), (0x0002_04FF, [3; 5]), (0x0002_04FA, [2, 2, 3, 3, 3]), (0x0002_04E9, [2, 2, 3, 3, 3])] {
        for (gfx, dwords) in Gfx::iter().skip(1).zip(dwords) {
            // Two instructions of one dword follow, one of which ends the program on each generation.
            let words: Vec<u32> = [first, second, 0].into_iter().take(dwords).chain([0xBF81_0000, 0xBFB0_0000]).collect();
            let program = ShaderCode::decode(gfx, &words);
            assert_eq!(program.items().len(), 3, "{gfx}: {second:#010x}: {:?}", program.items());
        }
    }
}

/// A field 255 is a literal only where the instruction has a source there: LLVM's words, and how many of them it reads.
#[test]
fn fields_without_a_source_have_no_literal() {
    for (gfx, words, dwords) in [
        (Gfx::Gfx9, [0xBE84_1CFF, 0], 1), // s_getpc_b64
        (Gfx::Gfx103, [0xBE84_1FFF, 0], 1),
        (Gfx::Gfx12, [0xBE84_47FF, 0], 1),
        (Gfx::Gfx11, [0xBE84_4DFF, 0], 1), // s_sendmsg_rtn_b64
        (Gfx::Gfx9, [0xBF11_FF04, 0], 1),  // s_set_gpr_idx_on
        (Gfx::Gfx9, [0xBF11_04FF, 0], 2),
        (Gfx::Gfx10, [0xD5B1_00D9, 0x0255_FF22], 2),  // VOP1 in three-source format
        (Gfx::Gfx10, [0xD503_0000, 0x03FE_0501], 2),  // v_add_f32
        (Gfx::Gfx10, [0xD501_0000, 0x03FE_0501], 3),  // v_cndmask_b32
        (Gfx::Gfx103, [0xD528_0000, 0x03FE_0501], 3), // v_add_co_ci_u32
        (Gfx::Gfx11, [0xD520_0000, 0x03FE_0501], 3),
        (Gfx::Gfx11, [0xD700_0000, 0x03FE_0501], 2), // v_add_co_u32
        (Gfx::Gfx11, [0xD613_0000, 0x03FE_0501], 3), // v_fma_f32
        (Gfx::Gfx12, [0xD680_0000, 0x0001_FE04], 2), // v_s_exp_f32
        (Gfx::Gfx10, [0xCC01_4000, 0x1BFE_0501], 2), // v_pk_mul_lo_u16
        (Gfx::Gfx10, [0xCC0E_4000, 0x1BFE_0501], 3), // v_pk_fma_f16
    ] {
        let starts = ShaderCode::decode(gfx, &[words[0], words[1], 0, 0]).starts();
        assert_eq!(starts[1], dwords, "{gfx}: {words:08x?}");
    }
}

/// LLVM's words of instructions that hold a constant of 32 bits without a source 255.
#[test]
fn instructions_with_a_constant_of_their_own_have_its_dword() {
    let dual = [[0xC850_0501, 0x0002_0104], [0xCA02_0104, 0x0300_0501], [0xCA04_0104, 0x0300_0501]];
    for (gfx, scalar_floats) in [(Gfx::Gfx11, false), (Gfx::Gfx115, true), (Gfx::Gfx12, true)] {
        // The constant looks like s_endpgm.
        let decoded = |words: &[u32]| ShaderCode::decode(gfx, &[words, &[0xBFB0_0000, 0xBFB0_0000]].concat()).items().len();
        for words in dual {
            assert_eq!(decoded(&words), 2, "{gfx}: {words:08x?}");
        }
        for word in [0xA281_0302, 0xA301_0302] {
            assert_eq!(decoded(&[word]), if scalar_floats { 2 } else { 3 }, "{gfx}: {word:08x}");
        }
    }
}

/// Numbers of 32 bits in operands of 64 bits: LLVM's words.
#[test]
fn constants_of_64_bits_are_inline_only_with_their_value() {
    for (gfx, assembly, words) in [
        (Gfx::Gfx9, "s_mov_b64 s[0:1], 0xffffffff", &[0xBE80_01FF, 0xFFFF_FFFF][..]),
        (Gfx::Gfx103, "s_mov_b64 s[0:1], 0xffffffff", &[0xBE80_04FF, 0xFFFF_FFFF]),
        (Gfx::Gfx12, "s_mov_b64 s[0:1], 0xffffffff", &[0xBE80_01FF, 0xFFFF_FFFF]),
        (Gfx::Gfx10, "s_mov_b64 s[0:1], -1", &[0xBE80_04C1]),
        (Gfx::Gfx10, "s_mov_b64 s[0:1], 0xffffffffffffffff", &[0xBE80_04C1]),
        (Gfx::Gfx9, "s_mov_b64 s[0:1], -17", &[0xBE80_01FF, 0xFFFF_FFEF]),
        (Gfx::Gfx9, "s_mov_b64 s[0:1], lit(0)", &[0xBE80_01FF, 0]),
        (Gfx::Gfx9, "s_and_b64 s[0:1], s[2:3], 0xfffffffe", &[0x8680_FF02, 0xFFFF_FFFE]),
        (Gfx::Gfx11, "s_cmp_eq_u64 s[0:1], 0xffffffff", &[0xBF10_FF00, 0xFFFF_FFFF]),
        // The second source of a shift has 32 bits.
        (Gfx::Gfx9, "s_lshl_b64 s[0:1], s[2:3], 0xffffffff", &[0x8E80_C102]),
        (Gfx::Gfx9, "s_mov_b64 s[0:1], 0x3f000000", &[0xBE80_01FF, 0x3F00_0000]),
        (Gfx::Gfx9, "s_mov_b64 s[0:1], 0.5", &[0xBE80_01F0]),
        (Gfx::Gfx9, "s_mov_b64 s[0:1], 0.15915494309189532", &[0xBE80_01F8]),
        (Gfx::Gfx10, "s_mov_b64 s[0:1], src_shared_base", &[0xBE80_04EB]),
        (Gfx::Gfx11, "s_mov_b64 s[0:1], src_scc", &[0xBE80_01FD]),
    ] {
        both_ways(gfx, assembly, words);
        let text = Instruction::decode(gfx, words).expect("an instruction").text(gfx).to_string();
        both_ways(gfx, &text, words);
    }
    assert_eq!(Instruction::decode(Gfx::Gfx9, &[0xBE80_01F8]).expect("a move").text(Gfx::Gfx9).to_string(), "s_mov_b64 s[0:1], 0.15915494309189532");
    for refused in ["s_mov_b64 s[0:1], 0.15915494", "s_mov_b64 s[0:1], 0x100000000", "s_mov_b32 s0, 0xffffffffffffffff"] {
        assert!(parse(Gfx::Gfx9, refused).is_err(), "{refused}");
    }
}

/// The field of a source holds the number of the message (LLVM's words).
#[test]
fn a_message_with_an_answer_has_its_number() {
    for gfx in [Gfx::Gfx11, Gfx::Gfx115, Gfx::Gfx12] {
        for (message, text, word) in [
            ("2", "sendmsg(MSG_HS_TESSFACTOR)", 0xBE80_4C02),
            ("131", "sendmsg(MSG_RTN_GET_REALTIME)", 0xBE80_4C83),
            ("sendmsg(MSG_RTN_GET_DOORBELL)", "sendmsg(MSG_RTN_GET_DOORBELL)", 0xBE80_4C80),
            ("sendmsg(MSG_RTN_GET_TBA_TO_PC)", "sendmsg(MSG_RTN_GET_TBA_TO_PC)", 0xBE80_4C86),
            ("sendmsg(0, 0, 0)", "sendmsg(0, 0, 0)", 0xBE80_4C00),
            ("255", "sendmsg(255, 0, 0)", 0xBE80_4CFF),
        ] {
            both_ways(gfx, &format!("s_sendmsg_rtn_b32 s0, {message}"), &[word]);
            let printed = Instruction::decode(gfx, &[word]).expect("a message").text(gfx).to_string();
            assert_eq!(printed, format!("s_sendmsg_rtn_b32 s0, {text}"), "{gfx}");
            both_ways(gfx, &printed, &[word]);
        }
        for refused in ["s3", "256", "-1", "sendmsg(MSG_NOTHING)"] {
            assert!(parse(gfx, &format!("s_sendmsg_rtn_b32 s0, {refused}")).is_err(), "{gfx} {refused}");
        }
    }
    let newest = |gfx| parse(gfx, "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_SE_AID_ID)").and_then(|i| Ok(i.encode(gfx)?.to_vec()));
    assert_eq!(newest(Gfx::Gfx12), Ok(vec![0xBE80_4C87]));
}

/// What LLVM refuses as "invalid operand": the message names the operand and its size.
#[test]
fn groups_of_registers_have_the_size_of_their_operand() {
    for (text, message) in [
        ("s_mov_b32 s[4:9], 0", "registers of the destination: 1; `s[4:9]` has 6"),
        ("s_and_b64 s4, s[2:3], s[6:7]", "registers of the destination: 2; `s4` has 1"),
        ("s_and_b64 s[4:5], s[2:3], s6", "registers of the second source: 2; `s6` has 1"),
        ("s_mov_b32 exec, 0", "registers of the destination: 1; `exec` has 2"),
        ("s_mov_b64 exec_lo, 0", "registers of the destination: 2; `exec_lo` has 1"),
        ("s_cmp_eq_u32 vcc, 0", "registers of the first source: 1; `vcc` has 2"),
        ("s_getreg_b32 s[4:5], hwreg(HW_REG_MODE)", "registers of the destination: 1; `s[4:5]` has 2"),
        ("s_load_dword s1, s2, 0x0", "registers of the base: 2; `s2` has 1"),
        ("s_load_dword s4, s[4:7], 0x0", "registers of the base: 2; `s[4:7]` has 4"),
        ("s_load_dword s4, s[4:5], s[6:7]", "registers of the offset: 1; `s[6:7]` has 2"),
        ("s_load_dwordx2 s4, s[2:3], 0x0", "registers of the data: 2; `s4` has 1"),
        ("buffer_load_dwordx4 v1, v2, s[4:7], 0 idxen", "registers of the data: 4; `v1` has 1"),
        ("buffer_load_dword v1, v2, s12, 0 idxen", "registers of the resource: 4; `s12` has 1"),
        ("buffer_load_dword v1, v2, s[4:7], 0 idxen offen", "registers of the address: 2; `v2` has 1"),
        ("buffer_load_dword v1, v[2:3], s[4:7], 0 idxen", "registers of the address: 1; `v[2:3]` has 2"),
        ("buffer_load_dword v1, v2, s[4:7], 0", "an address needs idxen, offen or both: `v2`"),
        ("buffer_load_dword v1, off, s[4:7], 0 idxen", "idxen and offen need an address: `off`"),
        ("exp mrt0 v[0:1], off, off, off", "registers of a channel: 1; `v[0:1]` has 2"),
    ] {
        assert_eq!(parse(Gfx::Gfx10, text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
    }
    for (text, words) in [
        ("s_mov_b32 s[4:4], 0", &[0xBE84_0380][..]),
        ("s_mov_b64 null, 0", &[0xBEFD_0480]),
        ("s_mov_b64 s[2:3], null", &[0xBE82_047D]),
        ("buffer_load_dword v1, v[2:3], s[4:7], 0 idxen offen", &[0xE030_3000, 0x8001_0102]),
    ] {
        both_ways(Gfx::Gfx10, text, words);
    }
}

/// Number, operation and stream of a message (LLVM's words).
#[test]
fn a_message_may_be_numbers_of_message_operation_and_stream() {
    for (gfx, message, word) in [
        (Gfx::Gfx9, "3, 0, 0", 0xBF90_0003),
        (Gfx::Gfx10, "3", 0xBF90_0003),
        (Gfx::Gfx10, " 3 , 1 , 0x2 ", 0xBF90_0213),
        (Gfx::Gfx103, "3, 7", 0xBF90_0073),
        (Gfx::Gfx11, "3, 0, 0", 0xBFB6_0003),
        (Gfx::Gfx12, "128, 0", 0xBFB6_0080),
    ] {
        both_ways(gfx, &format!("s_sendmsg sendmsg({message})"), &[word]);
    }
    both_ways(Gfx::Gfx11, "s_sendmsg_rtn_b32 s0, sendmsg(0x83, 0x0)", &[0xBE80_4C83]);
    for (refused, message) in [
        ("3, 8", "an operation of a message is a number from 0 to 7: `8`"),
        ("3, -1", "an operation of a message is a number from 0 to 7: `-1`"),
        ("3, 2, 4", "a stream of a message is a number from 0 to 3: `4`"),
        ("16, 0, 0", "the number of a message has 4 bits, from GFX11 on 8: `16`"),
        ("3, 0,", "a number is expected: ``"),
        ("", "a number is expected: ``"),
        ("3, 0, 0, 0", "a message by name, or numbers of message, operation and stream are expected: `3, 0, 0, 0`"),
    ] {
        let parsed = parse(Gfx::Gfx10, &format!("s_sendmsg sendmsg({refused})")).map_err(|error| error.to_string());
        assert_eq!(parsed, Err(message.to_owned()), "{refused}");
    }
    for refused in ["s_sendmsg_rtn_b32 s0, sendmsg(3, 0, 1)", "s_nop sendmsg(MSG_INTERRUPT)"] {
        assert!(parse(Gfx::Gfx11, refused).is_err(), "{refused}");
    }
}

/// Number 3 of the temporal hints of loads and stores has one name at system scope and another one elsewhere: LLVM's words, and what it refuses.
#[test]
fn temporal_hints_go_with_their_scope() {
    let (load, store) = ("buffer_load_b32 v1, v2, s[4:7], s3 offen", "buffer_store_b32 v1, v2, s[4:7], s3 offen");
    let (atomic, scalar) = ("buffer_atomic_add_u32 v1, v2, s[4:7], s3 offen", "s_load_b32 s1, s[2:3], 0x0");
    for (access, flags, words) in [
        (load, "th:TH_DEFAULT", &[0xC405_0003, 0x4080_0801, 2][..]),
        (load, "scope:SCOPE_SYS th:TH_LOAD_BYPASS", &[0xC405_0003, 0x40BC_0801, 2]),
        (store, "scope:SCOPE_SYS th:TH_DEFAULT", &[0xC406_8003, 0x408C_0801, 2]),
        (store, "th:TH_STORE_RT_WB", &[0xC406_8003, 0x40B0_0801, 2]),
        (store, "th:TH_STORE_RT_WB scope:SCOPE_DEV", &[0xC406_8003, 0x40B8_0801, 2]),
        (store, "th:TH_STORE_NT_WB scope:SCOPE_SYS", &[0xC406_8003, 0x40FC_0801, 2]),
        (atomic, "th:TH_ATOMIC_RT_RETURN", &[0xC40D_4003, 0x4090_0801, 2]),
        (scalar, "th:TH_DEFAULT", &[0xF400_0041, 0xF800_0000]),
        (scalar, "th:TH_LOAD_LU", &[0xF580_0041, 0xF800_0000]),
    ] {
        both_ways(Gfx::Gfx12, &format!("{access} {flags}"), words);
    }
    let of_scope = |hint| format!("BYPASS belongs to SCOPE_SYS, LU and WB to the other scopes: `{hint}`");
    for (access, flags, message) in [
        (store, "th:TH_STORE_BYPASS scope:SCOPE_DEV", of_scope("th:TH_STORE_BYPASS")),
        (store, "th:TH_STORE_WB scope:SCOPE_SYS", of_scope("th:TH_STORE_WB")),
        (store, "scope:SCOPE_SYS th:TH_STORE_RT_WB", of_scope("th:TH_STORE_RT_WB")),
        (load, "th:TH_LOAD_BYPASS scope:SCOPE_CU", of_scope("th:TH_LOAD_BYPASS")),
        (load, "th:TH_LOAD_LU scope:SCOPE_SYS", of_scope("th:TH_LOAD_LU")),
        (scalar, "th:TH_LOAD_BYPASS", of_scope("th:TH_LOAD_BYPASS")),
        (scalar, "th:TH_LOAD_LU scope:SCOPE_SYS", of_scope("th:TH_LOAD_LU")),
        (load, "th:TH_LOAD_RT_WB", "no such flag: `th:TH_LOAD_RT_WB`".to_owned()),
        (load, "th:TH_LOAD_NT th:TH_LOAD_HT", "a flag is given twice: `th:TH_LOAD_HT`".to_owned()),
        (scalar, "scope:SCOPE_SE scope:SCOPE_SE", "a flag is given twice: `scope:SCOPE_SE`".to_owned()),
    ] {
        assert_eq!(parse(Gfx::Gfx12, &format!("{access} {flags}")).map_err(|error| error.to_string()), Err(message), "{access} {flags}");
    }
    for refused in ["glc glc", "th:TH_DEFAULT", "scope:SCOPE_CU"] {
        assert!(parse(Gfx::Gfx11, &format!("{load} {refused}")).is_err(), "{refused}");
    }
}

/// LLVM prints numbers that have no name (and reads few of them); cascades have their names at device and system scope, and are read with them at any.
#[test]
fn temporal_hints_without_a_name_are_numbers() {
    let (load, atomic) = ("buffer_load_b32 v1, v2, s[4:7], s3 offen", "buffer_atomic_or_b32 v1, v2, s[4:7], s3 offen");
    for (access, flags, words) in [
        (load, "th:0x7", [0xC405_0003, 0x40F0_0801, 2]),
        (atomic, "th:TH_ATOMIC_0x6", [0xC40F_4003, 0x40E0_0801, 2]),
        (atomic, "th:TH_ATOMIC_0x4 scope:SCOPE_SE", [0xC40F_4003, 0x40C4_0801, 2]),
        (atomic, "th:TH_ATOMIC_CASCADE_NT scope:SCOPE_DEV", [0xC40F_4003, 0x40E8_0801, 2]),
        (atomic, "th:TH_ATOMIC_0x5 scope:SCOPE_SYS", [0xC40F_4003, 0x40DC_0801, 2]),
    ] {
        let text = format!("{access} {flags}");
        both_ways(Gfx::Gfx12, &text, &words);
        assert_eq!(Instruction::decode(Gfx::Gfx12, &words).map(|i| i.text(Gfx::Gfx12).to_string()), Some(text));
    }
    both_ways(Gfx::Gfx12, &format!("{load} th:7"), &[0xC405_0003, 0x40F0_0801, 2]);
    both_ways(Gfx::Gfx12, &format!("{atomic} th:TH_ATOMIC_CASCADE_NT"), &[0xC40F_4003, 0x40E0_0801, 2]);
    for refused in ["th:8", "th:0x8", "th:+7", "th:0x+7", "th:TH_LOAD_0x7", "th:TH_ATOMIC_7", "th:"] {
        assert!(parse(Gfx::Gfx12, &format!("{load} {refused}")).is_err(), "{refused}");
    }
}

/// LLVM: `s_endpgm 1`. The immediate has no meaning.
#[test]
fn an_end_of_the_program_may_have_an_immediate() {
    for (gfx, word) in [(Gfx::Gfx9, 0xBF81_0001), (Gfx::Gfx103, 0xBF81_0001), (Gfx::Gfx11, 0xBFB0_0001), (Gfx::Gfx12, 0xBFB0_0001)] {
        both_ways(gfx, "s_endpgm 1", &[word]);
        both_ways(gfx, "s_endpgm", &[word - 1]);
        assert!(!Instruction::decode(gfx, &[word]).expect("a word").falls_through(), "{gfx}");
    }
}

/// LLVM 19.1.7: GFX11 still has these two, GFX12 does not.
#[test]
fn messages_to_stall_and_halt_waves_exist_up_to_gfx11() {
    for (message, number) in [("MSG_STALL_WAVE_GEN", 5), ("MSG_HALT_WAVES", 6)] {
        let text = format!("s_sendmsg sendmsg({message})");
        for (gfx, word) in [(Gfx::Gfx9, 0xBF90_0000), (Gfx::Gfx103, 0xBF90_0000), (Gfx::Gfx11, 0xBFB6_0000), (Gfx::Gfx115, 0xBFB6_0000)] {
            both_ways(gfx, &text, &[word | number]);
        }
        assert!(parse(Gfx::Gfx12, &text).is_err());
    }
}

/// LLVM takes some wave registers by number alone, and others by names of its own.
#[test]
fn wave_registers_are_printed_as_assemblers_take_them() {
    for (gfx, id, text) in [
        (Gfx::Gfx9, 8, "hwreg(8)"),
        (Gfx::Gfx9, 13, "hwreg(13)"),
        (Gfx::Gfx10, 4, "hwreg(4)"),
        (Gfx::Gfx10, 20, "hwreg(HW_REG_FLAT_SCR_LO)"),
        (Gfx::Gfx10, 21, "hwreg(HW_REG_FLAT_SCR_HI)"),
        (Gfx::Gfx10, 22, "hwreg(HW_REG_XNACK_MASK)"),
        (Gfx::Gfx103, 20, "hwreg(HW_REG_FLAT_SCR_LO)"),
        (Gfx::Gfx11, 21, "hwreg(HW_REG_FLAT_SCR_HI)"),
        (Gfx::Gfx12, 26, "hwreg(26)"),
        (Gfx::Gfx12, 1, "hwreg(HW_REG_MODE)"),
    ] {
        let read = Instruction::Getreg { dst: Reg::Sgpr(0), from: Hwreg { id, offset: 0, size: 32 } };
        let printed = read.text(gfx).to_string();
        assert_eq!(printed, format!("s_getreg_b32 s0, {text}"), "{gfx}");
        assert_eq!(parse(gfx, &printed), Ok(read), "{gfx}");
    }
}

#[test]
fn counters_of_a_wait_may_have_signs_between_them() {
    for between in [" ", ", ", " & ", "&", ","] {
        both_ways(Gfx::Gfx10, &format!("s_waitcnt vmcnt(0){between}lgkmcnt(0)"), &[0xBF8C_0070]);
    }
    both_ways(Gfx::Gfx10, "s_waitcnt vmcnt( 0 ) lgkmcnt(0)", &[0xBF8C_0070]);
    for refused in ["vmcnt(0) &", "& vmcnt(0)", "vmcnt(0) | lgkmcnt(0)", "vmcnt(0) && lgkmcnt(0)", "vmcnt(0) &, lgkmcnt(0)", "vmcnt(0),,lgkmcnt(0)"] {
        assert!(parse(Gfx::Gfx10, &format!("s_waitcnt {refused}")).is_err(), "{refused}");
    }
}

#[test]
fn vector_instructions_are_skipped_with_all_their_dwords() {
    // v_mov_b32 with a literal, v_mov_b32 with SDWA and with DPP, a store, then the end.
    let words = [0x7E00_02FF, 0x1234_5678, 0x7E00_02F9, 0x0006_0601, 0x7E00_02FA, 0xFF00_1101, 0xDC70_8000, 0x007F_0100, 0xBF81_0000];
    let program = ShaderCode::decode(Gfx::Gfx9, &words);
    assert_eq!(program.items().len(), 5);
    assert_eq!(program.items()[4].instruction, Instruction::plain(Op::SEndpgm));
}

#[test]
fn branches_follow_their_targets_through_edits() {
    let words = pops::enter(Gfx::Gfx103, &EntryRegisters { collision: 4, scratch: [5, 6, 7], form: WaitForm::Plain }).unwrap();
    let mut program = ShaderCode::decode(Gfx::Gfx103, &words);
    program.insert(3, &[Instruction::plain(Op::SNop).into()]);
    program.remove(3);
    assert_eq!(program.encode().unwrap(), words);
    let end = program.items().len();
    assert_eq!(program.items()[1].target, Some(end));
}

#[test]
fn masks_end_at_bit_31_whatever_the_bits_are() {
    let register = Hwreg { id: 1, offset: 0, size: 32 };
    for (offset, size) in (0..=u8::MAX).flat_map(|offset| (0..=u8::MAX).map(move |size| (offset, size))) {
        let bits = (0..32).filter(|bit| (u32::from(offset)..u32::from(offset) + u32::from(size)).contains(bit)).fold(0u32, |mask, bit| mask | 1 << bit);
        assert_eq!(register.bits(offset, size).mask(), bits, "{offset}, {size}");
    }
}

#[test]
fn literals_that_could_be_inline_constants_stay_literals_in_text() {
    let floats = [0x3F00_0000, 0xBF80_0000, 0xC080_0000, 0x3E22_F983];
    for gfx in Gfx::iter() {
        for value in (-17..=65).map(|n: i32| n as u32).chain(floats).chain([0x8000_0000]) {
            let literal = Src::Literal(value);
            for written in [
                Instruction::Sop1 { op: Op::SMovB32, dst: Some(Reg::Sgpr(3)), src: Some(literal) },
                Instruction::Sop2 { op: Op::SAddI32, dst: Reg::Sgpr(3), src: [Src::s(4), literal] },
                Instruction::Sop2 { op: Op::SAddI32, dst: Reg::Sgpr(3), src: [literal, Src::constant(1)] },
                Instruction::Sopc { op: Op::SCmpEqI32, src: [literal, literal] },
            ] {
                let words = written.encode(gfx).expect("an instruction");
                let text = Instruction::decode(gfx, &words).expect("an instruction").text(gfx).to_string();
                assert_eq!(parse(gfx, &text).and_then(|i| Ok(i.encode(gfx)?)), Ok(words), "{gfx}: {text}");
            }
        }
    }
}

#[test]
fn registers_that_do_not_exist_are_printed_and_not_encoded() {
    let instruction = Instruction::Sop1 { op: Op::SMovB64, dst: Some(Reg::Sgpr(255)), src: Some(Src::Int(0)) };
    assert_eq!(instruction.text(Gfx::Gfx10).to_string(), "s_mov_b64 s[255:256], 0");
    assert!(instruction.encode(Gfx::Gfx10).is_err());
    // Nor targets beyond a program.
    let mut code = ShaderCode::decode(Gfx::Gfx10, &[0xBF81_0000]);
    code.append(&[CodeItem { target: Some(usize::MAX), ..code.items()[0] }]);
    code.insert(0, &[CodeItem { target: Some(usize::MAX), ..code.items()[0] }]);
    assert!(code.encode().is_err());
}

/// LLVM does not disassemble a group of registers that passes v255.
#[test]
fn groups_of_vector_registers_end_at_v255() {
    for gfx in Gfx::iter() {
        let scalar_offset = if gfx == Gfx::Gfx12 { Src::Reg(Reg::Sgpr(2)) } else { Src::constant(0) };
        let access = |data, address| Mubuf {
            op: Op::BufferLoadDwordx2,
            data,
            address,
            index_enable: true,
            offset_enable: true,
            resource: Reg::Sgpr(8),
            scalar_offset,
            offset: 0,
            cache: CachePolicy::default(),
        };
        let words = |data, address| Instruction::Mubuf(access(data, address)).encode(gfx);
        let last = words(254, 254).expect("the last pair");
        assert_eq!(Instruction::decode(gfx, &last), Some(Instruction::Mubuf(access(254, 254))), "{gfx}");
        for (data, address) in [(255, 0), (0, 255)] {
            assert!(matches!(words(data, address), Err(EncodeError::OutOfRange { limit: 254, .. })), "{gfx}");
            // The same words with the number of the register raised by one.
            let plain = words(if data == 255 { 254 } else { 0 }, if address == 255 { 254 } else { 0 }).expect("a pair");
            let raised = |at: usize, shift: u32| {
                let mut words = plain.to_vec();
                words[at] += 1 << shift;
                words
            };
            let raised = match (gfx == Gfx::Gfx12, data == 255) {
                (false, true) => raised(1, 8),
                (true, true) => raised(1, 0),
                (false, false) => raised(1, 0),
                (true, false) => raised(2, 0),
            };
            assert!(matches!(Instruction::decode(gfx, &raised), Some(Instruction::Raw(_))), "{gfx} {data} {address}");
        }
    }
}

/// Mesa's ACO has 0x80 in the bytes of channels that are off, and enables channels 0 and 2 of compressed exports (enabled_channels 0x5). LLVM prints the same
/// text, without the unused bits.
#[test]
fn exports_keep_the_bytes_that_no_channel_uses() {
    for (gfx, words, text) in [
        (Gfx::Gfx11, [0xF800_0800, 0x8080_8080], "exp mrt0 off, off, off, off done unused:0x80808080"),
        (Gfx::Gfx11, [0xF800_0803, 0x8080_0100], "exp mrt0 v0, v1, off, off done unused:0x80800000"),
        (Gfx::Gfx103, [0xF800_1890, 0x8080_8080], "exp null off, off, off, off done vm unused:0x80808080"),
        (Gfx::Gfx103, [0xF800_1C0F, 0x8080_0100], "exp mrt0 v0, v0, v1, v1 done compr vm unused:0x80800000"),
        (Gfx::Gfx103, [0xF800_1C05, 0x8080_0100], "exp mrt0 v0, off, v1, off done compr vm unused:0x80800000"),
        (Gfx::Gfx103, [0xF800_1C08, 0x0000_0100], "exp mrt0 off, off, off, v1 done compr vm"),
        (Gfx::Gfx9, [0xC400_1C0F, 0x8080_0100], "exp mrt0 v0, v0, v1, v1 done compr vm unused:0x80800000"),
    ] {
        let export = Instruction::decode(gfx, &words).expect("an instruction");
        assert!(matches!(export, Instruction::Exp(_)), "{gfx} {words:08x?}: {}", export.text(gfx));
        assert_eq!(export.text(gfx).to_string(), text, "{gfx}");
        both_ways(gfx, text, &words);
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused_and_not_cut() {
    for text in [
        ".long 0x100000000",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x100000000",
        "s_load_dword s5, s[2:3], 0x100000010",
        "buffer_load_dword v1, off, s[4:7], 0 offset:0x100000010",
        "s_waitcnt vmcnt(300)",
        "s_mov_b32 s5, lit(0x100000000)",
        // Parts that say nothing are no parts that are passed over.
        "s_waitcnt lgkmcnt(64)",
        "s_waitcnt expcnt(8)",
        "s_mov_b64 s[2:xyz], s[4:5]",
        "s_mov_b64 s[2:3], s[5:4]",
        "s_mov_b64 s[2:3], s[4:]",
        "s_mov_b32 s5, --5",
        "s_mov_b32 s5, 0x-5",
        "s_mov_b32 s5, +5",
        "s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 32, 1)",
    ] {
        assert!(matches!(parse(Gfx::Gfx10, text), Err(ParseError::Syntax { .. })), "{text}: {:?}", parse(Gfx::Gfx10, text));
    }
}

#[test]
fn a_branch_keeps_its_instruction_when_others_come_or_go_before_it_or_there() {
    let nop = |imm| CodeItem::from(Instruction::Sopp { op: Op::SNop, imm });
    let branch = |target| CodeItem { target: Some(target), ..CodeItem::from(Instruction::Sopp { op: Op::SBranch, imm: 0 }) };
    let code = || ShaderCode::new(Gfx::Gfx11, vec![branch(2), nop(1), nop(2), nop(3)]);
    let target = |code: &ShaderCode| {
        let item = code.items().iter().find_map(|item| item.target).expect("a branch");
        code.items().get(item).map(|item| item.instruction)
    };
    let nop_of = |imm| Some(nop(imm).instruction);
    assert_eq!(target(&code()), nop_of(2));
    for at in 0..4 {
        let mut more = code();
        more.insert(at, &[nop(9), nop(8)]);
        assert_eq!(target(&more), nop_of(2), "two come at {at}");
    }
    // A branch to a removed instruction goes to the instruction after it.
    for (at, goes_to) in [(1, nop_of(2)), (2, nop_of(3)), (3, nop_of(2))] {
        let mut fewer = code();
        fewer.remove(at);
        assert_eq!(target(&fewer), goes_to, "{at} goes");
    }
}

#[test]
fn immediates_of_16_bits_accept_what_fits_signed_or_not() {
    for (text, value) in [("-32768", Some(0x8000)), ("-1", Some(0xFFFF)), ("65535", Some(0xFFFF)), ("0xffff", Some(0xFFFF)), ("-32769", None), ("65536", None)]
    {
        let parsed = parse(Gfx::Gfx10, &format!("s_movk_i32 s0, {text}")).ok().map(|instruction| match instruction {
            Instruction::Sopk { imm, .. } => imm,
            other => panic!("{other:?}"),
        });
        assert_eq!(parsed, value, "{text}");
    }
}

#[test]
fn what_a_format_does_not_have_is_not_encoded() {
    let plain = Export { compressed: true, ..Export::nothing(Gfx::Gfx9) };
    let words = |sources, unused| Instruction::Exp(Export { sources, unused, ..plain }).encode(Gfx::Gfx9);
    assert!(words([Some(1), Some(1), Some(2), Some(2)], 0xFFFF_0000).is_ok());
    for other in [[Some(1), Some(3), None, None], [None, None, Some(1), Some(3)]] {
        let error = words(other, 0);
        assert!(matches!(error, Err(EncodeError::OutOfRange { value: 3, least: 1, limit: 1, .. })), "{error:?}");
    }
    // Bits in the byte of a VGPR are not unused.
    let error = words([None, None, Some(1), None], 0x8000);
    assert!(matches!(error, Err(EncodeError::OutOfRange { value: 0x8000, limit: 0, .. })), "{error:?}");
    // An operation of another format.
    let load = Smem { op: Op::SMovB32, data: Reg::Sgpr(4), base: Reg::Sgpr(2), offset: 8, index: None, cache: CachePolicy::default() };
    for gfx in Gfx::iter() {
        assert!(matches!(Instruction::Smem(load).encode(gfx), Err(EncodeError::WrongFormat { op: Op::SMovB32, .. })), "{gfx}");
        // Operands that the instruction has are there, and no others.
        for (op, dst, src, fine) in [
            (Op::SMovB32, Some(Reg::Sgpr(4)), Some(Src::Int(0)), true),
            (Op::SMovB32, None, Some(Src::Int(0)), false),
            (Op::SMovB32, Some(Reg::Sgpr(4)), None, false),
            (Op::SGetpcB64, Some(Reg::Sgpr(4)), None, true),
            (Op::SGetpcB64, Some(Reg::Sgpr(4)), Some(Src::Int(0)), false),
            (Op::SSetpcB64, None, Some(Src::Reg(Reg::Sgpr(4))), true),
            (Op::SSetpcB64, Some(Reg::Sgpr(4)), Some(Src::Reg(Reg::Sgpr(4))), false),
        ] {
            let encoded = Instruction::Sop1 { op, dst, src }.encode(gfx);
            let as_wanted = if fine { encoded.is_ok() } else { matches!(encoded, Err(EncodeError::WrongFormat { .. })) };
            assert!(as_wanted, "{gfx} {op:?} {dst:?} {src:?}: {encoded:?}");
        }
    }
}
