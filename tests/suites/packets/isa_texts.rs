//! Instructions as words and as text, one per line: the texts are in `golden/isa/`. For groups of many neighbours, a line has their number
//! and one hash of all their texts (FNV-1a).
use crate::golden::{Parts, digest};
use crate::ranges::{ranges, tried};
use pm4::chip::Gfx;
use pm4::isa::hwreg::Hwreg;
use pm4::isa::*;
use std::fmt::Write;
use strum::IntoEnumIterator;

/// One instruction for each name, with operands valid on most generations, and one of each other kind.
fn instructions(gfx: Gfx) -> Vec<Instruction> {
    let cache = CachePolicy::default();
    let of_op = |op: Op| match op.format() {
        Encoding::Sop2 => Instruction::Sop2 { op, dst: Reg::Sgpr(6), src: [Src::Reg(Reg::Sgpr(4)), Src::Reg(Reg::Sgpr(8))] },
        Encoding::Sop1 if op == Op::SSendmsgRtnB32 => Instruction::SendmsgRtn { dst: Reg::Sgpr(6), message: 131 },
        Encoding::Sop1 => {
            Instruction::Sop1 { op, dst: (op != Op::SSetpcB64).then_some(Reg::Sgpr(6)), src: (op != Op::SGetpcB64).then_some(Src::Reg(Reg::Sgpr(8))) }
        }
        Encoding::Sopc => Instruction::Sopc { op, src: [Src::Reg(Reg::Sgpr(4)), Src::Literal(0x1234_5678)] },
        Encoding::Sopk => Instruction::Sopk { op, reg: Reg::Sgpr(6), imm: 0xFFFE },
        Encoding::Sopp => Instruction::Sopp { op, imm: if matches!(op, Op::SSendmsg | Op::SSendmsghalt) { 2 } else { 0 } },
        Encoding::Smem => Instruction::Smem(Smem { op, data: Reg::Sgpr(16), base: Reg::Sgpr(4), offset: 0x10, index: None, cache }),
        Encoding::Mubuf => Instruction::Mubuf(Mubuf {
            op,
            data: 3,
            address: 5,
            index_enable: true,
            offset_enable: false,
            resource: Reg::Sgpr(8),
            scalar_offset: if gfx == Gfx::Gfx12 { Src::Reg(Reg::Sgpr(2)) } else { Src::constant(0) },
            offset: 0x24,
            cache,
        }),
        Encoding::Vop1 => Instruction::Vector(VectorAlu { op, dst: 3, src: [VectorSrc::Vgpr(5), VectorSrc::NONE, VectorSrc::NONE] }),
        Encoding::Vop2 => Instruction::Vector(VectorAlu { op, dst: 3, src: [VectorSrc::s(4), VectorSrc::Vgpr(5), VectorSrc::NONE] }),
        Encoding::Vop3 => {
            let third = if op == Op::VMulLoU32 { VectorSrc::NONE } else { VectorSrc::constant(7) };
            Instruction::Vector(VectorAlu { op, dst: 3, src: [VectorSrc::s(4), VectorSrc::Vgpr(5), third] })
        }
        Encoding::Mimg => Instruction::Image(Image {
            op,
            data: 3,
            address: 5,
            resource: Reg::Sgpr(8),
            channels: 3,
            dim: ImageDim::TwoArray,
            unnormalized: gfx != Gfx::Gfx12,
            cache,
        }),
    };
    let mut list: Vec<Instruction> = Op::iter().map(of_op).collect();
    for (target, done) in [(ExportTarget::Mrt(7), true), (ExportTarget::Mrtz, false), (ExportTarget::Pos(3), true), (ExportTarget::Param(31), false)] {
        list.push(Instruction::Exp(Export { target, sources: [Some(1), None, Some(255), Some(0)], done, ..Export::nothing(gfx) }));
    }
    list.push(Instruction::Exp(Export { compressed: true, sources: [Some(9), Some(9), Some(8), Some(8)], ..Export::nothing(gfx) }));
    for (id, offset, size) in [(1, 0, 32), (25, 0, 2), (20, 4, 8), (63, 31, 1), (64, 0, 1)] {
        let hwreg = Hwreg { id, offset, size };
        list.push(Instruction::Getreg { dst: Reg::Sgpr(5), from: hwreg });
        list.push(Instruction::Setreg { to: hwreg, src: Reg::M0 });
        list.push(Instruction::SetregImm { to: hwreg, value: 0x80 });
    }
    list
}

/// The text of the instruction in these words.
fn text(gfx: Gfx, words: &[u32]) -> String {
    match Instruction::decode(gfx, words) {
        Some(instruction) => format!("{} ({} dwords)", instruction.text(gfx), instruction.encode(gfx).map_or(0, |words| words.as_slice().len())),
        None => "nothing".into(),
    }
}

#[test]
fn each_instruction_has_the_expected_words_and_neighbours() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        let mut out = String::new();
        for instruction in instructions(gfx) {
            let words = match instruction.encode(gfx) {
                Ok(words) => words,
                Err(error) => {
                    let _ = writeln!(out, "{error}");
                    continue;
                }
            };
            let words: Vec<u32> = words.as_slice().iter().copied().chain([0x0000_0080, 0xFFFF_FFFF]).collect();
            // Each bit of the first two dwords flipped.
            let mut neighbours = String::new();
            let mut understood = 0;
            for bit in 0..64 {
                let mut other = words.clone();
                other[bit / 32] ^= 1 << (bit % 32);
                let text = text(gfx, &other);
                understood += u32::from(!text.contains(".long"));
                let _ = writeln!(neighbours, "{text}");
            }
            let words: Vec<String> = words[..words.len() - 2].iter().map(|word| format!("{word:08x}")).collect();
            let _ = writeln!(out, "{}: {}; of its neighbours {understood} are known, {:016x}", instruction.text(gfx), words.join(" "), digest(&neighbours));
        }
        parts.add(&gfx.to_string(), &out);
    }
    parts.assert("isa/instructions.txt");
}

/// Modifications of a text, and their names.
type Damage = (&'static str, fn(&str) -> String);

/// Texts, whole and damaged.
#[test]
fn assembly_text_is_parsed_or_refused_as_recorded() {
    let whole = [
        "s_add_u32 s2, s3, 0x12345678",
        "s_and_b64 s[2:3], vcc, exec",
        "s_mov_b32 m0, -16",
        "s_mov_b64 s[4:5], 64",
        "s_cmp_eq_u32 s1, 0.5",
        "s_addk_i32 s3, 0x7fff",
        "s_branch 65535",
        "s_waitcnt vmcnt(3) lgkmcnt(0)",
        "s_waitcnt_vscnt null, 0x0",
        "s_wait_loadcnt 0x3",
        "s_sendmsg sendmsg(MSG_ORDERED_PS_DONE)",
        "s_getreg_b32 s3, hwreg(HW_REG_MODE, 2, 5)",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x10",
        "s_load_dwordx2 s[4:5], s[2:3], 0x8",
        "s_load_b64 s[4:5], s[2:3], 0x8 glc",
        "s_buffer_load_dword s4, s[8:11], s3",
        "buffer_load_dword v1, v2, s[4:7], 0 idxen offset:4095 glc slc",
        "buffer_store_b32 v1, v2, s[4:7], s3 offen",
        "buffer_load_b32 v1, off, s[4:7], null offset:8388607",
        "exp mrt0 v0, off, v2, v3 done vm",
        "export pos3 v0, v1, off, off done row_en",
        ".long 0x12345678, 0x9abcdef0",
        ".long 1, 2, 3, 4, 5",
        ".long 1, 2, 3, 4, 5, 6",
        ".long ,",
        "s_endpgm",
    ];
    let damages: &[Damage] = &[
        ("whole", |text| text.into()),
        ("in capitals", |text| text.to_uppercase()),
        ("with a remark", |text| format!("  {text} ; s_nop")),
        ("without its last word", |text| text.rsplit_once(' ').map_or(String::new(), |(head, _)| head.into())),
        ("with one more", |text| format!("{text}, s9")),
        ("with one more flag", |text| format!("{text} dlc")),
        ("with a flag that is none", |text| format!("{text} often")),
        ("with other registers", |text| text.replace("s[4:5]", "s[5:6]").replace("s[2:3]", "s[3:2]").replace("s[4:7]", "s[6:9]").replace("s3", "s106")),
        ("with the highest registers", |text| text.replace("s3", "s105").replace("v1", "v255").replace("s1", "ttmp15")),
        ("with registers that are too high", |text| text.replace("s3", "s128").replace("v1", "v256").replace("s1", "ttmp16")),
        ("with other numbers", |text| text.replace("0x8", "0xfffff").replace("3)", "63)").replace("4095", "4096").replace("5)", "32)").replace("mrt0", "mrt8")),
        ("with numbers that are larger", |text| {
            text.replace("0x", "0x1").replace("65535", "65536").replace("-16", "-17").replace(" 64", " 65").replace("388607", "388608")
        }),
        ("without commas", |text| text.replace(',', "")),
        ("without brackets", |text| text.replace(['(', '['], "")),
        ("with words left empty", |text| text.replace(", ", ", , ")),
    ];
    let mut parts = Parts::default();
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx11, Gfx::Gfx12] {
        let mut out = String::new();
        for text in whole {
            let words: Vec<&str> = text.split(' ').collect();
            let without = |nth: usize| words.iter().enumerate().filter(|(at, _)| *at != nth).map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
            let turned = |nth: usize| {
                let mut words = words.clone();
                words.swap(nth, nth + 1);
                words.join(" ")
            };
            let mut all: Vec<(String, String)> = damages.iter().map(|(what, damage)| ((*what).to_owned(), damage(text))).collect();
            all.extend((0..words.len() - 1).map(|nth| (format!("without word {nth}"), without(nth))));
            all.extend((1..words.len() - 1).map(|nth| (format!("word {nth} behind the next"), turned(nth))));
            for (what, damaged) in all {
                if what != "whole" && damaged == text {
                    continue;
                }
                let read = match parse(gfx, &damaged) {
                    Ok(instruction) => {
                        let words = instruction.encode(gfx).expect("what is read exists");
                        let words: Vec<String> = words.as_slice().iter().map(|word| format!("{word:08x}")).collect();
                        format!("{} {}", words.join(" "), instruction.text(gfx))
                    }
                    Err(error) => error.to_string(),
                };
                let _ = writeln!(out, "{what}: {damaged:?}: {read}");
            }
        }
        parts.add(&gfx.to_string(), &out);
    }
    parts.assert("isa/texts.txt");
}

/// Words of all formats, cut at the end: the resulting number of dwords.
#[test]
fn instruction_lengths_match_the_golden_file() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        let mut out = String::new();
        // Sources that require more dwords, and one that does not; in the first dword and in the second.
        for (what, low, second) in [
            ("a register", 0x000u32, 0u32),
            ("a literal", 0x0FF, 0),
            ("a literal as second source", 0xFF00, 0),
            ("SDWA", 0x0F9, 0),
            ("DPP", 0x0FA, 0),
            ("DPP8", 0x0E9, 0),
            ("DPP8, inactive lanes too", 0x0EA, 0),
            ("three more addresses", 0x006, 0),
            ("a literal in the second dword", 0, 0x1FE00 | 0x100),
            ("a literal as last source", 0, 0xFF << 18 | 0x100 << 18),
            ("lanes in the second dword", 0, 250),
        ] {
            let lengths: Vec<usize> = (0..512u32)
                .map(|prefix| {
                    // The number is in bits 22:16 for vector formats too.
                    let first = prefix << 23 | low & 0x1FF | low >> 9 << 9;
                    let words = [first, second, 0, 0, 0, 0, 0, 0];
                    ShaderCode::decode(gfx, &words).starts().get(1).copied().unwrap_or(words.len())
                })
                .collect();
            // Runs of the same number.
            let mut from = 0;
            let _ = write!(out, "{what}:");
            while from < lengths.len() {
                let run = lengths[from..].iter().take_while(|length| **length == lengths[from]).count();
                let _ = write!(out, " {from:x}..{:x}={}", from + run, lengths[from]);
                from += run;
            }
            out.push('\n');
        }
        parts.add(&gfx.to_string(), &out);
    }
    parts.assert("isa/lengths.txt");
}

/// Control words of vector instructions: the meaning of each bit, and the refusals.
#[test]
fn control_words_decode_as_recorded() {
    let mut parts = Parts::default();
    for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx11] {
        let mut out = String::new();
        let bases: [(&str, u32); 4] = [("all 0", 0), ("dwords", 0x0606_0606), ("lanes", 0xFF00_E400), ("rows", 0xFF01_1101)];
        for (base, word) in bases {
            for bit in 0..33 {
                let word = if bit == 32 { word } else { word ^ 1 << bit };
                let sdwa = Sdwa::decode(gfx, word, false).map(|found| format!("{found:?}"));
                let compare = Sdwa::decode(gfx, word, true).map(|found| format!("{:?}", found.result));
                let dpp = Dpp::decode(gfx, word).map(|found| format!("{found:?}"));
                let dpp8 = Dpp8::decode(gfx, word).map(|found| format!("{:?}", (found.register, found.lanes)));
                let _ = writeln!(out, "{base} {word:08x}: {sdwa:?} {compare:?} {dpp:?} {dpp8:?}");
            }
        }
        // Patterns of lanes: the existing codes.
        let codes: Vec<String> = (0..512u32).filter_map(|code| Some(format!("{code:x} {:?}", Dpp::decode(gfx, code << 8 | 0xFF00_0000)?.lanes))).collect();
        let _ = writeln!(out, "lanes: {}, {:016x}", codes.len(), digest(&codes.join("\n")));
        codes.iter().filter(|code| !code.contains("QuadPerm")).for_each(|code| {
            let _ = writeln!(out, "  {code}");
        });
        for dpp in [
            Dpp { bank_mask: 16, ..Dpp::new(DppLanes::RowMirror) },
            Dpp { row_mask: 16, ..Dpp::new(DppLanes::RowMirror) },
            Dpp { bank_mask: 15, row_mask: 0, ..Dpp::new(DppLanes::RowMirror) },
            Dpp { fetch_inactive: true, ..Dpp::new(DppLanes::RowMirror) },
            Dpp::new(DppLanes::RowShl(0)),
            Dpp::new(DppLanes::RowShl(1)),
            Dpp::new(DppLanes::RowShr(15)),
            Dpp::new(DppLanes::RowRor(16)),
            Dpp::new(DppLanes::RowShare(15)),
            Dpp::new(DppLanes::RowXmask(16)),
            Dpp::new(DppLanes::QuadPerm([3, 2, 1, 4])),
            Dpp::new(DppLanes::WaveRol),
        ] {
            let _ = writeln!(out, "{dpp:?}: {:x?}", dpp.encode(gfx).map_err(|error| error.to_string()));
        }
        for lanes in [[0, 1, 2, 3, 4, 5, 6, 7], [7; 8], [8, 0, 0, 0, 0, 0, 0, 0]] {
            let _ = writeln!(out, "{lanes:?}: {:x?}", Dpp8 { register: 1, lanes }.encode(gfx).map_err(|error| error.to_string()));
        }
        for sgpr in [0, 127, 128] {
            let sdwa = Sdwa { result: SdwaResult::Compare(Some(sgpr)), ..Sdwa::default() };
            let _ = writeln!(out, "compare into {sgpr}: {:x?}", sdwa.encode(gfx).map_err(|error| error.to_string()));
        }
        for multiplier in [3, 4] {
            let result = SdwaResult::Vector { select: SdwaSelect::Word(1), unused: SdwaUnused::Preserve, clamp: true, multiplier };
            let _ = writeln!(out, "multiplier {multiplier}: {:x?}", Sdwa { result, ..Sdwa::default() }.encode(gfx).map_err(|error| error.to_string()));
        }
        for select in [SdwaSelect::Byte(3), SdwaSelect::Byte(4), SdwaSelect::Word(1), SdwaSelect::Word(2)] {
            let sdwa = Sdwa { source0: SdwaSource { select, scalar: true, ..SdwaSource::default() }, ..Sdwa::default() };
            let _ = writeln!(out, "source {select:?}: {:x?}", sdwa.encode(gfx).map_err(|error| error.to_string()));
        }
        parts.add(&gfx.to_string(), &out);
    }
    parts.assert("isa/control_words.txt");
}

/// Registers and sources by their numbers, and with counts of registers that must be aligned.
#[test]
fn operands_have_the_expected_numbers() {
    let mut parts = Parts::default();
    for gfx in Gfx::iter() {
        let mut out = String::new();
        for code in 0..=255u8 {
            let reg = Reg::from_code(gfx, code).map(|reg| format!("{reg} {:?}", reg.code(gfx)));
            let src = Src::from_code(gfx, code, Some(0xABCD)).map(|src| format!("{src} {:?} {:x?}", src.code(gfx), src.value()));
            let _ = writeln!(out, "{code}: {} | {}", reg.unwrap_or_default(), src.unwrap_or_default());
        }
        for code in 0..64 {
            let target = ExportTarget::from_code(gfx, code).map(|target| format!("{target} {:?}", target.code(gfx)));
            let _ = writeln!(out, "target {code}: {}", target.unwrap_or_default());
        }
        for imm in [0u16, 1, 0xF, 0x3F, 0x70, 0xF00, 0x3F00, 0xC000, 0xFFFF, 0x8080] {
            let waits = Waitcnt::from_imm(gfx, imm);
            let _ = writeln!(out, "waits {imm:x}: {waits:?} {:x}", waits.imm(gfx));
        }
        parts.add(&gfx.to_string(), &out);
    }
    parts.assert("isa/operands.txt");
}

/// Numbers in the text of instructions: the accepted ones, the result at the limits, and the messages about others.
#[test]
fn numbers_of_instructions_are_accepted_between_the_recorded_limits() {
    let texts = [
        "s_mov_b32 s#, s4",
        "s_mov_b64 s[4:5], s[#:#1]",
        "s_mov_b32 s3, #",
        "s_mov_b32 s3, -#",
        "s_mov_b32 s3, lit(#)",
        "s_mov_b32 ttmp#, s4",
        "s_addk_i32 s3, #",
        "s_addk_i32 s3, -#",
        "s_cmpk_eq_u32 s3, #",
        "s_branch #",
        "s_nop #",
        "s_sleep #",
        "s_waitcnt vmcnt(#)",
        "s_waitcnt lgkmcnt(#)",
        "s_waitcnt expcnt(#)",
        "s_waitcnt_vscnt null, #",
        "s_wait_loadcnt #",
        "s_wait_loadcnt_dscnt #",
        "s_sendmsg #",
        "s_sendmsg sendmsg(#)",
        "s_getreg_b32 s3, hwreg(#)",
        "s_getreg_b32 s3, hwreg(HW_REG_MODE, #, 1)",
        "s_getreg_b32 s3, hwreg(HW_REG_MODE, 0, #)",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE), #",
        "s_load_dword s#, s[2:3], 0x8",
        "s_load_dwordx2 s[#:#1], s[2:3], 0x8",
        "s_load_b64 s[4:5], s[#:#1], 0x8",
        "s_load_dword s4, s[2:3], #",
        "s_load_dword s4, s[2:3], -#",
        "s_buffer_load_dword s4, s[#:#3], s3",
        "s_buffer_load_b32 s4, s[8:11], #",
        "buffer_load_dword v#, off, s[4:7], 0",
        "buffer_load_b32 v1, v#, s[4:7], 0 offen",
        "buffer_load_dword v1, off, s[#:#3], 0",
        "buffer_store_dword v1, off, s[4:7], s# offset:16",
        "buffer_store_dword v1, off, s[4:7], 0 offset:#",
        "buffer_store_b32 v1, off, s[4:7], null offset:#",
        "buffer_store_dwordx4 v[#:#3], off, s[4:7], 0",
        "global_load_dword v1, v[#:#1], off",
        "global_store_dword v[2:3], v1, off offset:#",
        "global_load_b32 v1, v2, s[4:5] offset:-#",
        "exp mrt# v0, v1, v2, v3 done",
        "exp pos# v0, v1, v2, v3 done",
        "exp param# v0, v1, v2, v3",
        "exp mrt0 v#, off, off, off done vm",
        "export mrt0 v0, v1, v2, v# done",
        ".long #",
    ];
    let mut parts = Parts::default();
    for text in texts {
        let mut told = std::collections::BTreeMap::<String, Vec<String>>::new();
        for gfx in Gfx::iter() {
            let read = |number: u64| {
                let text = text.replace("#1", &(u128::from(number) + 1).to_string()).replace("#3", &(u128::from(number) + 3).to_string());
                match parse(gfx, &text.replace('#', &number.to_string())) {
                    Ok(instruction) => {
                        let words = instruction.encode(gfx).expect("what is read exists");
                        Ok(words.as_slice().iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" "))
                    }
                    Err(error) => Err(error.to_string().replace(&number.to_string(), "N")),
                }
            };
            // All operands of registers: they occur in groups.
            let known = tried(u64::from(u32::MAX) + 1).chain(0..130).map(|number| (number, read(number))).collect();
            // The words have as many dwords as the number requires.
            let answer = |read: &Result<String, String>| {
                read.as_ref().map(String::len).map_err(|error| error.split(['(', '\'', '"']).next().unwrap_or_default().to_owned())
            };
            let mut lines = String::new();
            let all = ranges(known, read, answer);
            for range in all.iter().take(8) {
                let _ = match (&range.begin, &range.end) {
                    (Err(error), _) => writeln!(lines, "    {}..{}: {error}", range.first, range.last),
                    (Ok(begin), Ok(end)) if begin != end => writeln!(lines, "    {}..{}: {begin} to {end}", range.first, range.last),
                    (Ok(begin), _) => writeln!(lines, "    {}: {begin}", range.first),
                };
            }
            if all.len() > 8 {
                let rest: String = all.iter().skip(8).map(|range| format!("{} {} {:?} {:?}\n", range.first, range.last, range.begin, range.end)).collect();
                let _ = writeln!(lines, "    and {} ranges more, {:08x}", all.len() - 8, digest(&rest) as u32);
            }
            told.entry(lines).or_default().push(gfx.to_string());
        }
        let text_of_all: String = told.into_iter().map(|(lines, chips)| format!("{}:\n{lines}", chips.join(", "))).collect();
        parts.add(text, &text_of_all);
    }
    parts.assert("isa/numbers.txt");
}
