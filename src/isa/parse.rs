//! From assembly text to an instruction: the inverse of [`Instruction::text`].

use super::error::{EncodeError, ParseError};
use super::export::{Export, ExportTarget};
use super::hwreg::Hwreg;
use super::instruction::Instruction;
use super::memory_instructions::{CachePolicy, Mubuf, Smem};
use super::message;
use super::operand::{Reg, Src};
use super::tables::{Encoding, Op, Operand, wave_registers};
use super::wait_counters::Waitcnt;
use super::words::Words;
use crate::chip::Gfx;
use alloc::string::ToString;
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, ParseError>;

fn syntax<T>(what: &'static str, text: &str) -> Result<T> {
    Err(ParseError::Syntax { what, text: text.to_string() })
}

/// Reads one instruction in the syntax of LLVM's assembler.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa;
/// let wait = isa::parse(Gfx::Gfx9, "s_waitcnt vmcnt(0)")?;
/// assert_eq!(wait.encode(Gfx::Gfx9)?.as_slice(), [0xBF8C_0F70]);
/// // A number is an inline constant where it fits; `lit` asks for a dword of its own.
/// assert_eq!(isa::parse(Gfx::Gfx9, "s_mov_b32 s5, 0")?.encode(Gfx::Gfx9)?.as_slice(), [0xBE85_0080]);
/// assert_eq!(isa::parse(Gfx::Gfx9, "s_mov_b32 s5, lit(0)")?.encode(Gfx::Gfx9)?.as_slice(), [0xBE85_00FF, 0]);
/// # Ok::<(), isa::ParseError>(())
/// ```
///
/// # Errors
/// What cannot be read, and what the generation lacks.
pub fn parse(gfx: Gfx, text: &str) -> Result<Instruction> {
    let text = text.split(';').next().unwrap_or_default().trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let instruction = match name {
        ".long" => raw(rest)?,
        "exp" | "export" => Instruction::Exp(export(gfx, rest)?),
        _ => match Op::from_name(gfx, name) {
            Some(op) => operands(gfx, op, rest.trim())?,
            None if Op::is_name(name) => return syntax("this generation lacks the instruction", name),
            None => return syntax("no such instruction", name),
        },
    };
    instruction.encode(gfx)?;
    Ok(instruction)
}

/// Splits at commas outside brackets.
fn list(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut parts: Vec<&str> = text
        .split(|c: char| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .map(str::trim)
        .collect();
    parts.retain(|part| !part.is_empty());
    parts
}

fn raw(text: &str) -> Result<Instruction> {
    let words: Vec<u32> = list(text).iter().map(|text| word(text)).collect::<Result<_>>()?;
    if words.is_empty() || words.len() > Words::MAX {
        return syntax("one to five dwords are expected", text);
    }
    Ok(Instruction::Raw(Words::from_stream(&words, words.len())))
}

fn number(text: &str) -> Result<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |hex| (hex, 16));
    match i64::from_str_radix(digits, radix) {
        // A second sign would be taken.
        Ok(value) if !digits.starts_with(['-', '+']) => Ok(if negative { value.wrapping_neg() } else { value }),
        _ => syntax("a number is expected", text),
    }
}

/// A number of 32 bits, signed or not.
fn word(text: &str) -> Result<u32> {
    let value = number(text)?;
    match u32::try_from(value).or_else(|_| i32::try_from(value).map(|v| v as u32)) {
        Ok(word) => Ok(word),
        Err(_) => syntax("a number of 32 bits is expected", text),
    }
}

/// A number of 16 bits, signed or not.
fn imm(text: &str) -> Result<u16> {
    let value = number(text)?;
    if (-0x8000..=0xFFFF).contains(&value) { Ok(value as u16) } else { syntax("a number of 16 bits is expected", text) }
}

/// The first number of `5` or of `[5:8]`.
fn first_of(text: &str) -> Option<u8> {
    let Some(range) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return text.parse().ok() };
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let [first, last]: [u8; 2] = [first.parse().ok()?, last.parse().ok()?];
    (first <= last).then_some(first)
}

/// A register or a group of registers: the first one.
fn register(text: &str) -> Option<Reg> {
    let group = |prefix: &str| first_of(text.strip_prefix(prefix)?);
    Some(match text {
        "vcc" | "vcc_lo" => Reg::VccLo,
        "vcc_hi" => Reg::VccHi,
        "exec" | "exec_lo" => Reg::ExecLo,
        "exec_hi" => Reg::ExecHi,
        "m0" => Reg::M0,
        "null" => Reg::Null,
        "flat_scratch" | "flat_scratch_lo" => Reg::FlatScratchLo,
        "flat_scratch_hi" => Reg::FlatScratchHi,
        "xnack_mask" | "xnack_mask_lo" => Reg::XnackMaskLo,
        "xnack_mask_hi" => Reg::XnackMaskHi,
        _ => group("ttmp").map(Reg::Ttmp).or_else(|| group("s").map(Reg::Sgpr))?,
    })
}

fn need(text: &str) -> Result<Reg> {
    register(text).map_or_else(|| syntax("a scalar register is expected", text), Ok)
}

fn source(text: &str) -> Result<Src> {
    if let Some(src) = register(text).map(Src::Reg).or_else(|| Src::from_name(text)) {
        return Ok(src);
    }
    match call(text, "lit") {
        Some(inside) => Ok(Src::Literal(word(inside.trim())?)),
        None => Ok(Src::constant(word(text)?)),
    }
}

/// `prefix(inside)`.
fn call<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    text.strip_prefix(prefix)?.trim().strip_prefix('(')?.strip_suffix(')')
}

fn hwreg(gfx: Gfx, text: &str) -> Result<Hwreg> {
    let Some(inside) = call(text, "hwreg") else { return syntax("hwreg(…) is expected", text) };
    let parts = list(inside);
    let Some(name) = parts.first().filter(|_| parts.len() <= 3) else { return syntax("a wave register, its offset and its size are expected", text) };
    let id = match name.strip_prefix("HW_REG_") {
        // A register of another place or generation is refused when it is encoded; here only unknown names are.
        Some(known) => match Hwreg::find(gfx, known)
            .or_else(|| wave_registers(gfx).iter().find(|r| r.name == known).and_then(|r| Some(Hwreg { id: r.id?, offset: 0, size: 32 })))
        {
            Some(found) => found.id,
            None => return syntax("this generation lacks the wave register", name),
        },
        None => match u8::try_from(number(name)?) {
            Ok(id) => id,
            Err(_) => return syntax("a register number is expected", name),
        },
    };
    let part = |n: usize, otherwise: u8| parts.get(n).map_or(Ok(i64::from(otherwise)), |t| number(t));
    match (u8::try_from(part(1, 0)?), u8::try_from(part(2, 32)?)) {
        (Ok(offset), Ok(size)) => Ok(Hwreg { id, offset, size }),
        _ => syntax("offset and size are expected", text),
    }
}

fn operands(gfx: Gfx, op: Op, rest: &str) -> Result<Instruction> {
    let parts = list(rest);
    let count = |n: usize| if parts.len() == n { Ok(()) } else { syntax("wrong number of operands", rest) };
    let at = |n: usize| parts.get(n).copied().unwrap_or_default();
    Ok(match op.format() {
        Encoding::Sop2 => {
            count(3)?;
            Instruction::Sop2 { op, dst: need(at(0))?, src: [source(at(1))?, source(at(2))?] }
        }
        Encoding::Sop1 => {
            let (dst, src) = (!op.info().lacks(Operand::Dst), !op.info().lacks(Operand::Src0));
            count(usize::from(dst) + usize::from(src))?;
            let dst = if dst { Some(need(at(0))?) } else { None };
            let src = if src { Some(source(at(usize::from(dst.is_some())))?) } else { None };
            Instruction::Sop1 { op, dst, src }
        }
        Encoding::Sopc => {
            count(2)?;
            Instruction::Sopc { op, src: [source(at(0))?, source(at(1))?] }
        }
        Encoding::Sopk => {
            count(2)?;
            match op {
                Op::SGetregB32 => Instruction::Getreg { dst: need(at(0))?, from: hwreg(gfx, at(1))? },
                Op::SSetregB32 => Instruction::Setreg { to: hwreg(gfx, at(0))?, src: need(at(1))? },
                Op::SSetregImm32B32 => Instruction::SetregImm { to: hwreg(gfx, at(0))?, value: word(at(1))? },
                _ => Instruction::Sopk { op, reg: need(at(0))?, imm: imm(at(1))? },
            }
        }
        Encoding::Sopp => Instruction::Sopp { op, imm: sopp(gfx, op, rest)? },
        Encoding::Smem => Instruction::Smem(smem(op, &parts)?),
        Encoding::Mubuf => Instruction::Mubuf(buffer(op, &parts)?),
    })
}

fn sopp(gfx: Gfx, op: Op, rest: &str) -> Result<u16> {
    if rest.is_empty() && op.info().lacks(Operand::Imm) {
        return Ok(0);
    }
    if let Some(name) = call(rest, "sendmsg").and_then(|inside| inside.trim().strip_prefix("MSG_")) {
        return message::from_name(gfx, name).map_or_else(|| syntax("no such message", name), Ok);
    }
    if op == Op::SWaitcnt && rest.contains('(') {
        let mut wait = Waitcnt::default();
        for part in rest.split_whitespace() {
            let (counter, text) = match (call(part, "vmcnt"), call(part, "expcnt"), call(part, "lgkmcnt")) {
                (Some(text), ..) => (&mut wait.vm, text),
                (_, Some(text), _) => (&mut wait.exp, text),
                (.., Some(text)) => (&mut wait.lgkm, text),
                _ => return syntax("no such counter", part),
            };
            match u8::try_from(number(text)?) {
                Ok(count) => *counter = Some(count),
                Err(_) => return syntax("a count of 8 bits is expected", text),
            }
        }
        return if wait.fits(gfx) { Ok(wait.imm(gfx)) } else { syntax("a count is larger than its field", rest) };
    }
    imm(rest)
}

fn vgpr(text: &str) -> Result<u8> {
    text.strip_prefix('v').and_then(first_of).map_or_else(|| syntax("a vector register is expected", text), Ok)
}

fn export(gfx: Gfx, rest: &str) -> Result<Export> {
    let (target, rest) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest, ""));
    let Some(target) = ExportTarget::from_name(target) else { return syntax("no such export target", target) };
    let mut export = Export { target, sources: [None; 4], compressed: false, done: false, valid_mask: false, row: false };
    let parts = list(rest);
    if parts.len() != 4 {
        return syntax("four channels are expected", rest);
    }
    for (channel, part) in parts.iter().enumerate() {
        let mut words = part.split_whitespace();
        let source = words.next().unwrap_or_default();
        export.sources[channel] = if source == "off" { None } else { Some(vgpr(source)?) };
        for flag in words {
            match flag {
                "done" => export.done = true,
                "compr" => export.compressed = true,
                "vm" => export.valid_mask = true,
                "row_en" => export.row = true,
                _ => return syntax("no such flag", flag),
            }
        }
    }
    if export.compressed {
        export.sources = [export.sources[0], export.sources[2], None, None];
    }
    if target.code(gfx).is_none() {
        return Err(EncodeError::Target { target, gfx }.into());
    }
    Ok(export)
}

fn smem(op: Op, parts: &[&str]) -> Result<Smem> {
    let [data, base, rest] = parts else { return syntax("three operands are expected", parts.first().unwrap_or(&"")) };
    let mut load = Smem { op, data: need(data)?, base: need(base)?, offset: 0, index: None, cache: CachePolicy::default() };
    for (n, word) in rest.split_whitespace().enumerate() {
        match word.strip_prefix("offset:") {
            Some(offset) => load.offset = self::word(offset)? as i32,
            None if n == 0 => match register(word) {
                Some(reg) => load.index = Some(reg).filter(|reg| *reg != Reg::Null),
                None => load.offset = self::word(word)? as i32,
            },
            None if load.cache.parse(word) => {}
            None => return syntax("no such flag", word),
        }
    }
    Ok(load)
}

fn buffer(op: Op, parts: &[&str]) -> Result<Mubuf> {
    let [data, address, resource, rest] = parts else { return syntax("four operands are expected", parts.first().unwrap_or(&"")) };
    let mut words = rest.split_whitespace();
    let address = match address.strip_prefix("off") {
        Some("") => 0,
        Some(rest) => vgpr(rest.trim_start_matches(':'))?,
        None => vgpr(address)?,
    };
    let mut access = Mubuf {
        op,
        data: vgpr(data)?,
        address,
        index_enable: false,
        offset_enable: false,
        resource: need(resource)?,
        scalar_offset: source(words.next().unwrap_or_default())?,
        offset: 0,
        cache: CachePolicy::default(),
    };
    for word in words {
        match (word, word.strip_prefix("offset:")) {
            ("idxen", _) => access.index_enable = true,
            ("offen", _) => access.offset_enable = true,
            (_, Some(offset)) => access.offset = self::word(offset)?,
            _ if access.cache.parse(word) => {}
            _ => return syntax("no such flag", word),
        }
    }
    Ok(access)
}
