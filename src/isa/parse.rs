//! Parses assembly text into an instruction: the inverse of [`Instruction::text`].

use super::error::{EncodeError, ParseError};
use super::export::Export;
use super::export_target::ExportTarget;
use super::hwreg::Hwreg;
use super::image_instructions::{Image, ImageDim};
use super::instruction::Instruction;
use super::memory_instructions::{CachePolicy, Mubuf, Smem};
use super::message;
use super::operand::{Reg, Src};
use super::program::{CodeItem, ShaderCode};
use super::tables::{Encoding, Op, Operand, wave_registers};
use super::vector_alu::{VectorAlu, VectorSrc};
use super::wait_counters::Waitcnt;
use super::words::Words;
use crate::chip::Gfx;
use alloc::collections::BTreeMap;
use alloc::format;
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
/// [`ParseError`](crate::isa::ParseError) for text that cannot be parsed and for anything that the generation lacks.
pub fn parse(gfx: Gfx, text: &str) -> Result<Instruction> {
    let text = text.split(';').next().unwrap_or_default().trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let instruction = match name {
        ".long" => raw(rest)?,
        "exp" | "export" => Instruction::Exp(export(gfx, rest)?),
        // The short form of a vector instruction, as LLVM names it.
        _ => match Op::from_name(gfx, name.strip_suffix("_e32").filter(|_| name.starts_with("v_")).unwrap_or(name)) {
            Some(op) => operands(gfx, op, rest.trim())?,
            None if Op::is_name(name) => return syntax("this generation lacks the instruction", name),
            None => return syntax("no instruction in this crate has this name (`.long` takes the dwords of others)", name),
        },
    };
    instruction.encode(gfx)?;
    Ok(instruction)
}

impl ShaderCode {
    /// Reads a program: one instruction per line, as for [`parse`], and labels as targets of branches. `;` starts a comment.
    ///
    /// ```
    /// use pm4::chip::Gfx;
    /// use pm4::isa::ShaderCode;
    /// let code = ShaderCode::parse(Gfx::Gfx10, "again:\n s_cmp_lt_u32 s3, s2\n s_cbranch_scc0 again ; until s3 is below s2\n s_endpgm")?;
    /// assert_eq!(code.encode()?, [0xBF0A_0203, 0xBF84_FFFE, 0xBF81_0000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`parse`]; also for a branch to a label that does not exist or is out of reach, and for a label that is defined twice or is a number.
    pub fn parse(gfx: Gfx, text: &str) -> Result<Self> {
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        let mut lines: Vec<&str> = Vec::new();
        for line in text.lines().map(|line| line.split(';').next().unwrap_or_default().trim()).filter(|line| !line.is_empty()) {
            let Some(label) = line.strip_suffix(':').map(str::trim_end) else {
                lines.push(line);
                continue;
            };
            // A number as a branch operand is a distance.
            if !label.starts_with(|first: char| first.is_alphabetic() || "_.$@".contains(first)) || label.contains(char::is_whitespace) {
                return syntax("a label is one word that begins with a letter, `_`, `.`, `$` or `@`", label);
            }
            if labels.insert(label, lines.len()).is_some() {
                return syntax("this label is defined twice", label);
            }
        }
        let labelled = |line: &str| {
            let (branch, label) = line.rsplit_once(char::is_whitespace)?;
            let target = labels.get(label)?;
            let instruction = parse(gfx, &format!("{branch} 0")).ok().filter(|instruction| instruction.branch().is_some())?;
            Some(CodeItem { instruction, target: Some(*target) })
        };
        let items = lines.into_iter().map(|line| labelled(line).map_or_else(|| parse(gfx, line).map(CodeItem::from), Ok));
        // Decoding the words again gives targets to branches that are written with a distance.
        let code = Self::new(gfx, items.collect::<Result<_>>()?);
        Ok(Self::decode(gfx, &code.encode()?))
    }
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
        // The standard parser would accept a second sign.
        Ok(value) if !digits.starts_with(['-', '+']) => Ok(if negative { value.wrapping_neg() } else { value }),
        _ => syntax("a number is expected", text),
    }
}

/// Parses a signed or unsigned 64-bit number.
fn wide_number(text: &str) -> Result<i64> {
    let unsigned = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+')).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    unsigned.map_or_else(|| number(text), |value| Ok(value as i64))
}

/// Parses a signed or unsigned 32-bit number.
fn word(text: &str) -> Result<u32> {
    let value = number(text)?;
    match u32::try_from(value).or_else(|_| i32::try_from(value).map(|v| v as u32)) {
        Ok(word) => Ok(word),
        Err(_) => syntax("a number of 32 bits is expected", text),
    }
}

/// Parses a signed or unsigned 16-bit number.
fn imm(text: &str) -> Result<u16> {
    let value = number(text)?;
    if (-0x8000..=0xFFFF).contains(&value) { Ok(value as u16) } else { syntax("a number of 16 bits is expected", text) }
}

/// An operand of an instruction: its name and its number of registers.
#[derive(Clone, Copy)]
struct Place {
    name: &'static str,
    count: u8,
}

impl Place {
    fn of(op: Op, operand: Operand) -> Self {
        let name = match operand {
            Operand::Src0 => "the first source",
            Operand::Src1 => "the second source",
            Operand::Src2 => "the third source",
            Operand::Dst | Operand::Imm => "the destination",
        };
        Self { name, count: if op.info().wide(operand) { 2 } else { 1 } }
    }

    /// Returns the first register of a group, if the group has the size of the operand.
    fn first<T>(self, text: &str, (first, found): (T, u32)) -> Result<T> {
        let wanted = self.count.into();
        if found == wanted { Ok(first) } else { Err(ParseError::Registers { operand: self.name, text: text.to_string(), found, wanted }) }
    }
}

/// Parses `5` or `[5:8]` into the first number and the count.
fn numbers(text: &str) -> Option<(u8, u32)> {
    let Some(range) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else { return Some((text.parse().ok()?, 1)) };
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let [first, last]: [u8; 2] = [first.parse().ok()?, last.parse().ok()?];
    (first <= last).then(|| (first, u32::from(last - first) + 1))
}

/// Parses a register or a group of registers into the first register and the count.
fn registers(text: &str) -> Option<(Reg, u32)> {
    let group = |prefix: &str, register: fn(u8) -> Reg| numbers(text.strip_prefix(prefix)?).map(|(first, count)| (register(first), count));
    Some(match text {
        "vcc" => (Reg::VccLo, 2),
        "vcc_lo" => (Reg::VccLo, 1),
        "vcc_hi" => (Reg::VccHi, 1),
        "exec" => (Reg::ExecLo, 2),
        "exec_lo" => (Reg::ExecLo, 1),
        "exec_hi" => (Reg::ExecHi, 1),
        "m0" => (Reg::M0, 1),
        "null" => (Reg::Null, 1),
        "flat_scratch" => (Reg::FlatScratchLo, 2),
        "flat_scratch_lo" => (Reg::FlatScratchLo, 1),
        "flat_scratch_hi" => (Reg::FlatScratchHi, 1),
        "xnack_mask" => (Reg::XnackMaskLo, 2),
        "xnack_mask_lo" => (Reg::XnackMaskLo, 1),
        "xnack_mask_hi" => (Reg::XnackMaskHi, 1),
        _ => group("ttmp", Reg::Ttmp).or_else(|| group("s", Reg::Sgpr))?,
    })
}

/// Returns the register of an operand; None if the text is not a register. NULL is a group of any size.
fn register(place: Place, text: &str) -> Option<Result<Reg>> {
    let (first, found) = registers(text)?;
    Some(if first == Reg::Null { Ok(first) } else { place.first(text, (first, found)) })
}

fn need(place: Place, text: &str) -> Result<Reg> {
    register(place, text).unwrap_or_else(|| syntax("a scalar register is expected", text))
}

fn source(place: Place, text: &str) -> Result<Src> {
    if let Some(register) = register(place, text) {
        return register.map(Src::Reg);
    }
    if let Some(src) = Src::from_name(text, place.count) {
        return Ok(src);
    }
    match call(text, "lit") {
        Some(inside) => Ok(Src::Literal(word(inside.trim())?)),
        None if place.count == 1 => Ok(Src::constant(word(text)?)),
        None => wide_number(text).and_then(|value| Src::wide_constant(value).map_or_else(|| syntax("a number of 32 bits is expected", text), Ok)),
    }
}

/// Returns the text inside `prefix(inside)`.
fn call<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    text.strip_prefix(prefix)?.trim().strip_prefix('(')?.strip_suffix(')')
}

fn hwreg(gfx: Gfx, text: &str) -> Result<Hwreg> {
    let Some(inside) = call(text, "hwreg") else { return syntax("hwreg(…) is expected", text) };
    let parts = list(inside);
    let Some(name) = parts.first().filter(|_| parts.len() <= 3) else { return syntax("a wave register, its offset and its size are expected", text) };
    let id = match name.strip_prefix("HW_REG_") {
        // Encoding refuses registers of other generations; here only unknown names are refused.
        Some(known) => match wave_registers(gfx).iter().find(|r| r.assembly == Some(known) || r.name == known).and_then(|r| r.id) {
            Some(id) => id,
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
    let place = |operand| Place::of(op, operand);
    let one = |name| Place { name, count: 1 };
    Ok(match op.format() {
        Encoding::Sop2 => {
            count(3)?;
            Instruction::Sop2 { op, dst: need(place(Operand::Dst), at(0))?, src: [source(place(Operand::Src0), at(1))?, source(place(Operand::Src1), at(2))?] }
        }
        Encoding::Sop1 if op == Op::SSendmsgRtnB32 => {
            count(2)?;
            Instruction::SendmsgRtn { dst: need(place(Operand::Dst), at(0))?, message: answered(gfx, at(1))? }
        }
        Encoding::Sop1 => {
            let (dst, src) = (!op.info().lacks(Operand::Dst), !op.info().lacks(Operand::Src0));
            count(usize::from(dst) + usize::from(src))?;
            let dst = if dst { Some(need(place(Operand::Dst), at(0))?) } else { None };
            let src = if src { Some(source(place(Operand::Src0), at(usize::from(dst.is_some())))?) } else { None };
            Instruction::Sop1 { op, dst, src }
        }
        Encoding::Sopc => {
            count(2)?;
            Instruction::Sopc { op, src: [source(place(Operand::Src0), at(0))?, source(place(Operand::Src1), at(1))?] }
        }
        Encoding::Sopk => {
            count(2)?;
            match op {
                Op::SGetregB32 => Instruction::Getreg { dst: need(one("the destination"), at(0))?, from: hwreg(gfx, at(1))? },
                Op::SSetregB32 => Instruction::Setreg { to: hwreg(gfx, at(0))?, src: need(one("the source"), at(1))? },
                Op::SSetregImm32B32 => Instruction::SetregImm { to: hwreg(gfx, at(0))?, value: word(at(1))? },
                _ => Instruction::Sopk { op, reg: need(place(Operand::Dst), at(0))?, imm: imm(at(1))? },
            }
        }
        Encoding::Sopp => Instruction::Sopp { op, imm: sopp(gfx, op, rest)? },
        Encoding::Smem => Instruction::Smem(smem(gfx, op, &parts)?),
        Encoding::Mubuf => Instruction::Mubuf(buffer(gfx, op, &parts)?),
        Encoding::Mimg => Instruction::Image(image(gfx, op, &parts)?),
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 => Instruction::Vector(computation(op, &parts)?),
    })
}

/// Returns the immediate of `sendmsg(MSG_NAME)` or of `sendmsg(message, operation, stream)` in numbers, of which the last two are optional; None for other
/// text.
fn sendmsg(gfx: Gfx, text: &str) -> Option<Result<u16>> {
    let inside = call(text, "sendmsg")?.trim();
    Some(match inside.strip_prefix("MSG_") {
        Some(name) => message::from_name(gfx, name).map_or_else(|| syntax("no such message", name), Ok),
        None => numbered_message(gfx, inside),
    })
}

fn numbered_message(gfx: Gfx, inside: &str) -> Result<u16> {
    let parts = message::parts(gfx);
    if inside.split(',').count() > parts.len() {
        return syntax("a message by name, or numbers of message, operation and stream are expected", inside);
    }
    inside.split(',').map(str::trim).zip(parts).try_fold(0, |imm, (text, (what, most, at))| match u16::try_from(number(text)?) {
        Ok(value) if value <= most => Ok(imm | value << at),
        _ => syntax(what, text),
    })
}

/// Parses the message of s_sendmsg_rtn_b32: in the form of s_sendmsg, or as a number.
fn answered(gfx: Gfx, text: &str) -> Result<u8> {
    let number = sendmsg(gfx, text).map_or_else(|| number(text), |imm| imm.map(i64::from))?;
    u8::try_from(number).or_else(|_| syntax("the number of a message has 8 bits", text))
}

/// Returns the counters of s_waitcnt, which are separated by spaces and at most one `&` or comma (LLVM).
fn counters(rest: &str) -> impl Iterator<Item = &str> {
    let sign = |n: usize| move |c: char| n > 0 && matches!(c, '&' | ',');
    rest.split_inclusive(')').map(str::trim).enumerate().map(move |(n, part)| part.strip_prefix(sign(n)).unwrap_or(part).trim_start())
}

fn sopp(gfx: Gfx, op: Op, rest: &str) -> Result<u16> {
    if rest.is_empty() && (op.info().lacks(Operand::Imm) || op == Op::SEndpgm) {
        return Ok(0);
    }
    if let Some(message) = sendmsg(gfx, rest).filter(|_| matches!(op, Op::SSendmsg | Op::SSendmsghalt)) {
        return message;
    }
    if op == Op::SWaitcnt && rest.contains('(') {
        let mut wait = Waitcnt::default();
        for part in counters(rest) {
            let (counter, text) = match (call(part, "vmcnt"), call(part, "expcnt"), call(part, "lgkmcnt")) {
                (Some(text), ..) => (&mut wait.vm, text),
                (_, Some(text), _) => (&mut wait.exp, text),
                (.., Some(text)) => (&mut wait.lgkm, text),
                _ if part.is_empty() || part.starts_with(['&', ',']) => return syntax("a counter is expected", rest),
                _ => return syntax("no such counter", part),
            };
            match u8::try_from(number(text.trim())?) {
                Ok(count) => *counter = Some(count),
                Err(_) => return syntax("a count of 8 bits is expected", text),
            }
        }
        return if wait.fits(gfx) { Ok(wait.imm(gfx)) } else { syntax("a count is larger than its field", rest) };
    }
    imm(rest)
}

fn vgpr(place: Place, text: &str) -> Result<u8> {
    match text.strip_prefix('v').and_then(numbers) {
        Some(group) => place.first(text, group),
        None => syntax("a vector register is expected", text),
    }
}

fn export(gfx: Gfx, rest: &str) -> Result<Export> {
    let (target, rest) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest, ""));
    let Some(target) = ExportTarget::from_name(target) else { return syntax("no such export target", target) };
    let mut export = Export { target, sources: [None; 4], unused: 0, compressed: false, done: false, valid_mask: false, row: false };
    let parts = list(rest);
    if parts.len() != 4 {
        return syntax("four channels are expected", rest);
    }
    for (channel, part) in parts.iter().enumerate() {
        let mut words = part.split_whitespace();
        let source = words.next().unwrap_or_default();
        export.sources[channel] = if source == "off" { None } else { Some(vgpr(Place { name: "a channel", count: 1 }, source)?) };
        for flag in words {
            match (flag, flag.strip_prefix("unused:")) {
                ("done", _) => export.done = true,
                ("compr", _) => export.compressed = true,
                ("vm", _) => export.valid_mask = true,
                ("row_en", _) => export.row = true,
                (_, Some(bits)) => export.unused = self::word(bits)?,
                _ => return syntax("no such flag", flag),
            }
        }
    }
    if target.code(gfx).is_none() {
        return Err(EncodeError::Target { target, gfx }.into());
    }
    Ok(export)
}

/// Refuses flags that are given twice, regardless of their values.
fn once(flags: &str) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for word in flags.split_whitespace() {
        let kind = word.split(':').next().unwrap_or(word);
        if seen.contains(&kind) {
            return syntax("a flag is given twice", word);
        }
        seen.push(kind);
    }
    Ok(())
}

/// Refuses the name of a temporal hint that belongs to another scope.
fn hint_of_scope(cache: CachePolicy, op: Op, flags: &str) -> Result<()> {
    let hint = |word: &&str| word.strip_prefix("th:").is_some_and(|hint| cache.other_scope(op, hint));
    flags.split_whitespace().find(hint).map_or(Ok(()), |word| syntax("BYPASS belongs to SCOPE_SYS, LU and WB to the other scopes", word))
}

fn smem(gfx: Gfx, op: Op, parts: &[&str]) -> Result<Smem> {
    let [data, base, rest] = parts else { return syntax("three operands are expected", parts.first().unwrap_or(&"")) };
    let data = need(Place { name: "the data", count: op.info().data }, data)?;
    let base = need(Place { name: "the base", count: Smem::base_registers(op) }, base)?;
    let mut load = Smem { op, data, base, offset: 0, index: None, cache: CachePolicy::default() };
    for (n, word) in rest.split_whitespace().enumerate() {
        match word.strip_prefix("offset:") {
            Some(offset) => load.offset = self::word(offset)? as i32,
            None if n == 0 => match register(Place { name: "the offset", count: 1 }, word) {
                Some(reg) => load.index = Some(reg?).filter(|reg| *reg != Reg::Null),
                None => load.offset = self::word(word)? as i32,
            },
            None if load.cache.parse(gfx, op, word)? => {}
            None => return syntax("no such flag", word),
        }
    }
    once(rest)?;
    hint_of_scope(load.cache, op, rest)?;
    Ok(load)
}

fn buffer(gfx: Gfx, op: Op, parts: &[&str]) -> Result<Mubuf> {
    let [data, address, resource, rest] = parts else { return syntax("four operands are expected", parts.first().unwrap_or(&"")) };
    let mut words = rest.split_whitespace();
    let mut access = Mubuf {
        op,
        data: vgpr(Place { name: "the data", count: op.info().data }, data)?,
        address: 0,
        index_enable: false,
        offset_enable: false,
        resource: need(Place { name: "the resource", count: 4 }, resource)?,
        scalar_offset: source(Place { name: "the scalar offset", count: 1 }, words.next().unwrap_or_default())?,
        offset: 0,
        cache: CachePolicy::default(),
    };
    for word in words {
        match (word, word.strip_prefix("offset:")) {
            ("idxen", _) => access.index_enable = true,
            ("offen", _) => access.offset_enable = true,
            (_, Some(offset)) => access.offset = self::word(offset)?,
            _ if access.cache.parse(gfx, op, word)? => {}
            _ => return syntax("no such flag", word),
        }
    }
    once(rest)?;
    hint_of_scope(access.cache, op, rest)?;
    let place = |count| Place { name: "the address", count };
    access.address = match (address.strip_prefix("off"), u8::from(access.index_enable) + u8::from(access.offset_enable)) {
        (Some(""), 0) => 0,
        (Some(rest), 0) => vgpr(place(1), rest.trim_start_matches(':'))?,
        (None, 0) => return syntax("an address needs idxen, offen or both", address),
        (Some(_), _) => return syntax("idxen and offen need an address", address),
        (None, count) => vgpr(place(count), address)?,
    };
    Ok(access)
}

fn vector_source(place: Place, text: &str) -> Result<VectorSrc> {
    if text.strip_prefix('v').and_then(numbers).is_some() { vgpr(place, text).map(VectorSrc::Vgpr) } else { source(place, text).map(VectorSrc::Scalar) }
}

fn computation(op: Op, parts: &[&str]) -> Result<VectorAlu> {
    let count = VectorAlu::sources_of(op);
    if parts.len() != count + 1 {
        return syntax("wrong number of operands", parts.first().unwrap_or(&""));
    }
    let mut src = [VectorSrc::NONE; 3];
    for (n, (to, part)) in src.iter_mut().zip(parts.get(1..).unwrap_or_default()).enumerate() {
        let operand = [Operand::Src0, Operand::Src1, Operand::Src2].get(n).copied().unwrap_or(Operand::Src2);
        *to = vector_source(Place::of(op, operand), part)?;
    }
    Ok(VectorAlu { op, dst: vgpr(Place::of(op, Operand::Dst), parts.first().unwrap_or(&""))?, src })
}

/// Parses `v4`, `v[4:6]`, or on GFX12 consecutive registers in brackets, into the first register and the count. Before GFX12, brackets are another encoding.
fn addresses(gfx: Gfx, text: &str) -> Option<(u8, u32)> {
    let listed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|_| gfx.major() >= 12);
    let Some(inside) = listed else { return numbers(text.strip_prefix('v')?).filter(|(_, count)| gfx.major() < 12 || *count == 1) };
    let registers = inside.split(',').map(|part| part.trim().strip_prefix('v')?.parse().ok()).collect::<Option<Vec<u8>>>()?;
    let first = *registers.first()?;
    let follow = registers.iter().zip(first..=u8::MAX).all(|(register, wanted)| *register == wanted);
    (follow && registers.len() <= 4).then_some((first, registers.len() as u32))
}

fn image(gfx: Gfx, op: Op, parts: &[&str]) -> Result<Image> {
    let [data, address, rest] = parts else { return syntax("three operands are expected", parts.first().unwrap_or(&"")) };
    let mut words = rest.split_whitespace();
    let resource = need(Place { name: "the resource", count: 8 }, words.next().unwrap_or_default())?;
    let mut access = Image { op, data: 0, address: 0, resource, channels: 0, dim: ImageDim::Two, unnormalized: false, cache: CachePolicy::default() };
    for word in words {
        match (word, word.split_once(':')) {
            ("unorm", _) => access.unnormalized = true,
            ("da", _) if gfx.major() == 9 => access.dim = ImageDim::TwoArray,
            (_, Some(("dmask", mask))) => access.channels = u8::try_from(number(mask)?).or_else(|_| syntax("a mask of four channels is expected", mask))?,
            (_, Some(("dim", name))) if gfx.major() > 9 => match ImageDim::from_name(name) {
                Some(dim) => access.dim = dim,
                None => return syntax("no such dimension", name),
            },
            _ if access.cache.parse(gfx, op, word)? => {}
            _ => return syntax("no such flag", word),
        }
    }
    once(rest)?;
    hint_of_scope(access.cache, op, rest)?;
    access.data = vgpr(Place { name: "the data", count: access.channels.count_ones().max(1) as u8 }, data)?;
    let place = Place { name: "the address", count: access.shown_addresses(gfx) };
    access.address = match addresses(gfx, address) {
        Some(found) => place.first(address, found)?,
        None => return syntax("vector registers are expected", address),
    };
    Ok(access)
}
