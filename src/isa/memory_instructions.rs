//! Memory instructions: scalar loads, and vector loads, stores and atomics through a buffer descriptor.
//!
//! Layouts: LLVM SMInstructions.td and BUFInstructions.td; tested against its assembler's output (`tests/isa/`).

use super::Op;
use super::error::EncodeError;
use super::operand::{Reg, Src};
use super::tables::Encoding;
use super::words::Words;
use crate::chip::Gfx;
use core::fmt;

/// Cache flags of a memory instruction.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{self, CachePolicy, Instruction};
/// let load = isa::parse(Gfx::Gfx10, "buffer_load_dword v1, off, s[4:7], 0 glc dlc")?;
/// let Instruction::Mubuf(load) = load else { panic!() };
/// assert_eq!(load.cache, CachePolicy { glc: true, dlc: true, ..CachePolicy::default() });
/// // GFX9 has no such flag.
/// assert!(Instruction::Mubuf(load).encode(Gfx::Gfx9).is_err());
/// # Ok::<(), isa::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CachePolicy {
    /// Up to GFX11.5: loads miss the caches of the compute unit, stores are written through, atomics return the old value.
    pub glc: bool,
    /// GFX10 to GFX11.5: device-level coherence; on GFX10 a load misses L1 as well.
    pub dlc: bool,
    /// Up to GFX11.5, vector memory: streaming.
    pub slc: bool,
    /// GFX12: scope of coherence: 0 compute unit, 1 engine, 2 device, 3 system.
    pub scope: u8,
    /// GFX12: temporal hint, 3 bits for vector memory, 2 for scalar memory.
    pub hint: u8,
}

const SCOPES: [&str; 4] = ["SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"];

impl CachePolicy {
    pub(super) fn check(self, gfx: Gfx, hint_bits: u8, has_slc: bool) -> Result<(), EncodeError> {
        let major = gfx.major();
        let flags = [
            ("glc", self.glc, major < 12),
            ("dlc", self.dlc, (10..12).contains(&major)),
            ("slc", self.slc, major < 12 && has_slc),
            ("scope", self.scope != 0, major >= 12 && self.scope < 4),
            ("th", self.hint != 0, major >= 12 && self.hint < 1 << hint_bits),
        ];
        match flags.iter().find(|(_, set, exists)| *set && !exists) {
            Some((flag, ..)) => Err(EncodeError::Flag { flag, gfx }),
            None => Ok(()),
        }
    }

    /// Returns whether an atomic with these flags returns the old value: glc, or bit 0 of the temporal hint on GFX12 (LLVM TH_ATOMIC_RETURN).
    pub const fn returns(self, gfx: Gfx) -> bool {
        if gfx.major() >= 12 { self.hint & 1 != 0 } else { self.glc }
    }

    /// Reads a flag of an instruction; false if there is no such flag.
    pub(super) fn parse(&mut self, gfx: Gfx, op: Op, word: &str) -> Result<bool, EncodeError> {
        match (word, word.split_once(':')) {
            ("glc", _) => self.glc = true,
            ("dlc", _) => self.dlc = true,
            ("slc", _) => self.slc = true,
            // Value 0 of these flags is refused too, because LLVM does not know them before GFX12.
            (_, Some(("th", _))) if gfx.major() < 12 => return Err(EncodeError::Flag { flag: "th", gfx }),
            (_, Some(("scope", _))) if gfx.major() < 12 => return Err(EncodeError::Flag { flag: "scope", gfx }),
            (_, Some(("th", hint))) => match Hints::of(op).number(hint) {
                Some(hint) => self.hint = hint,
                None => return Ok(false),
            },
            (_, Some(("scope", name))) => match SCOPES.iter().position(|s| *s == name) {
                Some(scope) => self.scope = scope as u8,
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns whether the name of a temporal hint belongs to a scope other than that of these flags (LLVM: "scope and th combination is not valid").
    pub(super) fn other_scope(self, op: Op, hint: &str) -> bool {
        let hints = Hints::of(op);
        let place = hints.place(hint).filter(|_| hints.differs_at_system_scope());
        place.is_some_and(|place| Hints::at(place) == AT_SYSTEM_SCOPE.1 && (place == AT_SYSTEM_SCOPE.0) != self.system_scope())
    }

    fn system_scope(self) -> bool {
        SCOPES.get(usize::from(self.scope)) == SCOPES.last()
    }
}

/// Names of the temporal hints of GFX12 after `TH_`, by number (LLVM AMDGPUInstPrinter::printTH). Number 3 of loads and stores has a different name at system
/// scope, stored after the last number.
struct Hints(&'static str, [&'static str; 9]);

const LOADS: Hints = Hints("TH_LOAD_", ["RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", "", "BYPASS"]);
const STORES: Hints = Hints("TH_STORE_", ["RT", "NT", "HT", "WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB", "BYPASS"]);
const ATOMICS: Hints = Hints("TH_ATOMIC_", ["RT", "RETURN", "NT", "NT_RETURN", "CASCADE_RT", "", "CASCADE_NT", "", ""]);

/// The index of the name at system scope and the number to which it belongs.
const AT_SYSTEM_SCOPE: (usize, u8) = (8, 3);

/// The first number of cascading atomics, and the narrowest scope in which cascading has a meaning.
const FIRST_CASCADE: u8 = 4;
const DEVICE_SCOPE: u8 = 2;

/// The name of number 0 for every instruction.
const DEFAULT_HINT: &str = "TH_DEFAULT";

/// Names that are accepted but not written, each with the name that is written: LLVM 19 has RT_WB for WB; RT_RETURN is a second name of RETURN.
const OTHER_NAMES: [(&str, &str); 2] = [("TH_STORE_RT_WB", "TH_STORE_WB"), ("TH_ATOMIC_RT_RETURN", "TH_ATOMIC_RETURN")];

impl Hints {
    fn of(op: Op) -> &'static Self {
        match (op.is_atomic(), op.is_store()) {
            (true, _) => &ATOMICS,
            (_, true) => &STORES,
            _ => &LOADS,
        }
    }

    /// Returns the index of a name.
    fn place(&self, name: &str) -> Option<usize> {
        if name == DEFAULT_HINT {
            return Some(0);
        }
        let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, written)| written);
        let name = name.strip_prefix(self.0).filter(|name| !name.is_empty())?;
        self.1.iter().position(|known| *known == name)
    }

    /// Returns the number at an index.
    fn at(place: usize) -> u8 {
        if place == AT_SYSTEM_SCOPE.0 { AT_SYSTEM_SCOPE.1 } else { place as u8 }
    }

    /// Returns the number of a name, or the number itself: `5`, `0x5`, and `TH_ATOMIC_0x5` for atomics.
    fn number(&self, name: &str) -> Option<u8> {
        let digits = name.strip_prefix(self.before_number()).unwrap_or(name);
        let numbered = match digits.strip_prefix("0x") {
            Some(hex) => u8::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+')),
            None => name.parse().ok().filter(|_| !name.starts_with('+')),
        };
        self.place(name).map(Self::at).or(numbered)
    }

    /// Returns the prefix of a number without a name (LLVM).
    fn before_number(&self) -> &'static str {
        if self.0 == ATOMICS.0 { ATOMICS.0 } else { "" }
    }

    /// Returns whether a number has a different name at system scope.
    fn differs_at_system_scope(&self) -> bool {
        self.1.get(AT_SYSTEM_SCOPE.0).is_some_and(|name| !name.is_empty())
    }

    /// Returns the name of a number other than 0; None if it has none. LLVM prints the names of cascades only at device and system scope, and accepts them at
    /// any scope.
    fn name(&self, cache: CachePolicy) -> Option<&'static str> {
        if self.0 == ATOMICS.0 && cache.hint >= FIRST_CASCADE && cache.scope < DEVICE_SCOPE {
            return None;
        }
        let wide = cache.hint == AT_SYSTEM_SCOPE.1 && cache.system_scope();
        let system = self.1.get(AT_SYSTEM_SCOPE.0).filter(|name| wide && !name.is_empty());
        system.or_else(|| self.1.get(usize::from(cache.hint))).copied().filter(|name| !name.is_empty())
    }
}

impl CachePolicy {
    /// Returns the text of the flags of an instruction, each preceded by a space.
    pub(super) fn text(self, op: Op) -> impl fmt::Display {
        CacheText(self, Hints::of(op))
    }
}

struct CacheText(CachePolicy, &'static Hints);

impl fmt::Display for CacheText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(cache, hints) = self;
        match hints.name(*cache) {
            Some(name) => cache.write(f, format_args!("{}{name}", hints.0)),
            None => cache.write(f, format_args!("{}{:#x}", hints.before_number(), cache.hint)),
        }
    }
}

/// Prints the flags, with the temporal hint as a number, because its names depend on the instruction.
impl fmt::Display for CachePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, format_args!("{:#x}", self.hint))
    }
}

impl CachePolicy {
    fn write(&self, f: &mut fmt::Formatter<'_>, hint: fmt::Arguments<'_>) -> fmt::Result {
        for (name, set) in [("glc", self.glc), ("dlc", self.dlc), ("slc", self.slc)] {
            if set {
                write!(f, " {name}")?;
            }
        }
        if self.hint != 0 {
            write!(f, " th:{hint}")?;
        }
        match SCOPES.get(usize::from(self.scope)) {
            Some(name) if self.scope != 0 => write!(f, " scope:{name}"),
            _ => Ok(()),
        }
    }
}

pub(super) const fn bit(set: bool, at: u32) -> u32 {
    (set as u32) << at
}

pub(super) const fn has(word: u32, at: u32) -> bool {
    word >> at & 1 == 1
}

pub(super) fn limit(what: &'static str, value: i64, range: core::ops::RangeInclusive<i64>) -> Result<(), EncodeError> {
    if range.contains(&value) { Ok(()) } else { Err(EncodeError::OutOfRange { what, value, least: *range.start(), limit: *range.end() }) }
}

/// Returns the number of an instruction, checked against its format.
pub(super) fn code(op: Op, gfx: Gfx, format: Encoding) -> Result<u32, EncodeError> {
    if op.format() != format {
        return Err(EncodeError::WrongFormat { op, gfx });
    }
    op.code(gfx).map(u32::from).ok_or(EncodeError::Absent { op, gfx })
}

/// Returns the code of the first register of a group, which must not be NULL.
pub(super) fn group(reg: Reg, gfx: Gfx, count: u8) -> Result<u32, EncodeError> {
    if reg == Reg::Null { Err(EncodeError::Register { reg, gfx }) } else { reg.check(gfx, count).map(u32::from) }
}

/// A scalar load.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{CachePolicy, Instruction, Op, Reg, Smem};
/// let load = Smem { op: Op::SLoadDwordx4, data: Reg::Sgpr(8), base: Reg::Sgpr(2), offset: 16, index: None, cache: CachePolicy::default() };
/// let load = Instruction::Smem(load);
/// assert_eq!(load.text(Gfx::Gfx103).to_string(), "s_load_dwordx4 s[8:11], s[2:3], 0x10");
/// assert_eq!(load.encode(Gfx::Gfx103)?.as_slice(), [0xF408_0201, 0xFA00_0010]);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Smem {
    /// The instruction.
    pub op: Op,
    /// First register of the destination.
    pub data: Reg,
    /// First register of the address pair, or of the buffer descriptor.
    pub base: Reg,
    /// Bytes added to the address.
    pub offset: i32,
    /// A register added to the address.
    pub index: Option<Reg>,
    /// Cache flags.
    pub cache: CachePolicy,
}

impl Smem {
    const fn prefix(gfx: Gfx) -> u32 {
        if gfx.major() == 9 { 0b11_0000 } else { 0b11_1101 }
    }

    pub(super) fn is(gfx: Gfx, word: u32) -> bool {
        word >> 26 == Self::prefix(gfx)
    }

    /// Returns the number of base registers, which hold an address or a descriptor.
    pub(super) fn base_registers(op: Op) -> u8 {
        if op.info().name.starts_with("s_buffer") { 4 } else { 2 }
    }

    /// Returns whether the base is the descriptor of a buffer.
    pub(crate) fn base_is_descriptor(&self) -> bool {
        Self::base_registers(self.op) == 4
    }

    pub(super) fn encode(&self, gfx: Gfx) -> Result<Words, EncodeError> {
        let op = code(self.op, gfx, Encoding::Smem)?;
        self.cache.check(gfx, 2, false)?;
        let data = u32::from(self.data.check(gfx, self.op.info().data)?);
        let base = group(self.base, gfx, Self::base_registers(self.op))?;
        let index = self.index.map(|reg| reg.check(gfx, 1)).transpose()?.map(u32::from);
        let half = if gfx.major() == 12 { 1 << 23 } else { 1 << 20 };
        limit("an offset in bytes", self.offset.into(), -half..=half - 1)?;
        let head = Self::prefix(gfx) << 26 | data << 6 | base >> 1;
        let offset = self.offset as u32 & (2 * half - 1) as u32;
        let null = || u32::from(Reg::Null.code(gfx).unwrap_or(0));
        let CachePolicy { glc, dlc, scope, hint, .. } = self.cache;
        Ok(match gfx.major() {
            9 => {
                let both = self.offset != 0 && index.is_some();
                let head = head | op << 18 | bit(glc, 16);
                match index {
                    None => Words::two(head | bit(true, 17), offset),
                    Some(index) if !both => Words::two(head, index),
                    Some(index) => Words::two(head | bit(true, 17) | bit(true, 14), offset | index << 25),
                }
            }
            10 => Words::two(head | op << 18 | bit(glc, 16) | bit(dlc, 14), offset | index.unwrap_or_else(null) << 25),
            11 => Words::two(head | op << 18 | bit(glc, 14) | bit(dlc, 13), offset | index.unwrap_or_else(null) << 25),
            _ => Words::two(head | op << 13 | u32::from(scope) << 21 | u32::from(hint) << 23, offset | index.unwrap_or_else(null) << 25),
        })
    }

    pub(super) fn decode(gfx: Gfx, words: [u32; 2]) -> Option<Self> {
        let [head, tail] = words;
        let major = gfx.major();
        let op = Op::from_code(gfx, Encoding::Smem, if major == 12 { head >> 13 & 0x3F } else { head >> 18 & 0xFF })?;
        let width = if major == 12 { 24 } else { 21 };
        let signed = ((tail << (32 - width)) as i32) >> (32 - width);
        let register = |code: u32| Reg::from_code(gfx, code as u8);
        let (offset, index) = match (major, has(head, 17), has(head, 14)) {
            (9, true, false) => (signed, None),
            (9, false, _) => (0, Some(register(tail & 0x7F)?)),
            (9, true, true) => (signed, Some(register(tail >> 25)?)),
            _ => (signed, Some(register(tail >> 25)?).filter(|reg| *reg != Reg::Null)),
        };
        let cache = match major {
            9 => CachePolicy { glc: has(head, 16), ..CachePolicy::default() },
            10 => CachePolicy { glc: has(head, 16), dlc: has(head, 14), ..CachePolicy::default() },
            11 => CachePolicy { glc: has(head, 14), dlc: has(head, 13), ..CachePolicy::default() },
            _ => CachePolicy { scope: (head >> 21 & 3) as u8, hint: (head >> 23 & 3) as u8, ..CachePolicy::default() },
        };
        Some(Self { op, data: register(head >> 6 & 0x7F)?, base: register((head & 0x3F) << 1)?, offset, index, cache })
    }

    pub(super) fn write(&self, gfx: Gfx, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.base.group(Self::base_registers(self.op));
        write!(f, "{} {}, {base}, ", self.op.name(gfx), self.data.group(self.op.info().data))?;
        match self.index {
            Some(index) if self.offset < 0 => write!(f, "{index} offset:-{:#x}", self.offset.unsigned_abs())?,
            Some(index) if self.offset > 0 => write!(f, "{index} offset:{:#x}", self.offset)?,
            Some(index) => write!(f, "{index}")?,
            None if self.offset < 0 => write!(f, "-{:#x}", self.offset.unsigned_abs())?,
            None => write!(f, "{:#x}", self.offset)?,
        }
        write!(f, "{}", self.cache.text(self.op))
    }
}

/// A vector load, store or atomic through a buffer descriptor.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{CachePolicy, Instruction, Mubuf, Op, Reg, Src};
/// // Stores v1 at the offset that v0 holds, through the descriptor in s4 to s7.
/// let store = Instruction::Mubuf(Mubuf {
///     op: Op::BufferStoreDword,
///     data: 1,
///     address: 0,
///     index_enable: false,
///     offset_enable: true,
///     resource: Reg::Sgpr(4),
///     scalar_offset: Src::Int(0),
///     offset: 8,
///     cache: CachePolicy::default(),
/// });
/// assert_eq!(store.text(Gfx::Gfx103).to_string(), "buffer_store_dword v1, v0, s[4:7], 0 offen offset:8");
/// assert_eq!(store.encode(Gfx::Gfx103)?.as_slice(), [0xE070_1008, 0x8001_0100]);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mubuf {
    /// The instruction.
    pub op: Op,
    /// First VGPR of the data.
    pub data: u8,
    /// First VGPR of the address; 0 if neither `index_enable` nor `offset_enable` is set.
    pub address: u8,
    /// Whether the address holds an index.
    pub index_enable: bool,
    /// Whether the address holds an offset.
    pub offset_enable: bool,
    /// First register of the descriptor, four registers.
    pub resource: Reg,
    /// A scalar added to the address; a register on GFX12.
    pub scalar_offset: Src,
    /// Bytes added to the address: 12 bits, 23 on GFX12.
    pub offset: u32,
    /// Cache flags.
    pub cache: CachePolicy,
}

impl Mubuf {
    const fn prefix(gfx: Gfx) -> u32 {
        if gfx.major() == 12 { 0b11_0001 } else { 0b11_1000 }
    }

    pub(super) fn is(gfx: Gfx, word: u32) -> bool {
        word >> 26 == Self::prefix(gfx)
    }

    /// Returns the number of dwords of the instruction.
    pub(super) const fn dwords(gfx: Gfx) -> usize {
        if gfx.major() == 12 { 3 } else { 2 }
    }

    /// Returns the groups of vector registers: description, first register, count.
    fn registers(&self) -> [(&'static str, u8, u8); 2] {
        let address = u8::from(self.index_enable) + u8::from(self.offset_enable);
        // An access without an address still stores the bits of one address register.
        [("the first register of data", self.data, self.op.info().data), ("the first register of an address", self.address, address.max(1))]
    }

    /// Returns the instruction if all its registers exist. Words with registers beyond v255 are not an instruction (LLVM 19 does not disassemble it).
    fn checked(self) -> Option<Self> {
        let exist = self.registers().into_iter().all(|(_, first, count)| u32::from(first) + u32::from(count) <= 256);
        exist.then_some(self)
    }

    pub(super) fn encode(&self, gfx: Gfx) -> Result<Words, EncodeError> {
        let op = code(self.op, gfx, Encoding::Mubuf)?;
        self.cache.check(gfx, 3, true)?;
        let resource = group(self.resource, gfx, 4)?;
        let scalar = u32::from(self.scalar_offset.check(gfx, 1)?);
        let wrong = EncodeError::Source { src: self.scalar_offset, gfx };
        if self.scalar_offset.literal().is_some() {
            return Err(wrong);
        }
        let highest = if gfx.major() == 12 { (1 << 23) - 1 } else { (1 << 12) - 1 };
        limit("an offset in bytes", self.offset.into(), 0..=highest)?;
        for (what, first, count) in self.registers() {
            limit(what, first.into(), 0..=256 - i64::from(count))?;
        }
        let CachePolicy { glc, dlc, slc, scope, hint } = self.cache;
        let (idxen, offen) = (self.index_enable, self.offset_enable);
        let head = Self::prefix(gfx) << 26 | self.offset;
        let tail = u32::from(self.address) | u32::from(self.data) << 8 | resource >> 2 << 16 | scalar << 24;
        let old = bit(offen, 12) | bit(idxen, 13) | bit(glc, 14) | op << 18;
        Ok(match gfx.major() {
            9 => Words::two(head | old | bit(slc, 17), tail),
            10 => Words::two(head | old | bit(dlc, 15), tail | bit(slc, 22)),
            11 => Words::two(head | bit(slc, 12) | bit(dlc, 13) | bit(glc, 14) | op << 18, tail | bit(offen, 22) | bit(idxen, 23)),
            _ => {
                if scalar > 127 {
                    return Err(wrong);
                }
                let data =
                    u32::from(self.data) | resource << 9 | u32::from(scope) << 18 | u32::from(hint) << 20 | VBUFFER_FORMAT | bit(offen, 30) | bit(idxen, 31);
                Words::three(Self::prefix(gfx) << 26 | op << 14 | scalar, data, u32::from(self.address) | self.offset << 8)
            }
        })
    }

    pub(super) fn decode(gfx: Gfx, words: [u32; 3]) -> Option<Self> {
        let [head, tail, third] = words;
        let major = gfx.major();
        let op = Op::from_code(gfx, Encoding::Mubuf, if major == 12 { head >> 14 & 0xFF } else { head >> 18 & if major == 11 { 0xFF } else { 0x7F } })?;
        if major == 12 {
            let found = Self {
                op,
                data: tail as u8,
                address: third as u8,
                index_enable: has(tail, 31),
                offset_enable: has(tail, 30),
                resource: Reg::from_code(gfx, u8::try_from(tail >> 9 & 0x1FF).ok()?)?,
                scalar_offset: Src::Reg(Reg::from_code(gfx, (head & 0x7F) as u8)?),
                offset: third >> 8,
                cache: CachePolicy { scope: (tail >> 18 & 3) as u8, hint: (tail >> 20 & 7) as u8, ..CachePolicy::default() },
            };
            return found.checked();
        }
        let (offen, idxen) = if major == 11 { (has(tail, 22), has(tail, 23)) } else { (has(head, 12), has(head, 13)) };
        let cache = match major {
            9 => CachePolicy { glc: has(head, 14), slc: has(head, 17), ..CachePolicy::default() },
            10 => CachePolicy { glc: has(head, 14), dlc: has(head, 15), slc: has(tail, 22), ..CachePolicy::default() },
            _ => CachePolicy { glc: has(head, 14), dlc: has(head, 13), slc: has(head, 12), ..CachePolicy::default() },
        };
        let found = Self {
            op,
            data: (tail >> 8) as u8,
            address: tail as u8,
            index_enable: idxen,
            offset_enable: offen,
            resource: Reg::from_code(gfx, (tail >> 16 & 0x1F) as u8 * 4)?,
            scalar_offset: Src::from_code(gfx, (tail >> 24) as u8, None)?,
            offset: head & 0xFFF,
            cache,
        };
        found.checked()
    }

    pub(super) fn write(&self, gfx: Gfx, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vgprs = |first: u8, count: u8| VgprText(first, count);
        write!(f, "{} {}, ", self.op.name(gfx), vgprs(self.data, self.op.info().data))?;
        match u8::from(self.index_enable) + u8::from(self.offset_enable) {
            0 if self.address == 0 => f.write_str("off")?,
            // If an access does not use an address, the address field has no meaning but is part of the encoding.
            0 => write!(f, "off:v{}", self.address)?,
            count => write!(f, "{}", vgprs(self.address, count))?,
        }
        write!(f, ", {}, {}", self.resource.group(4), self.scalar_offset)?;
        for (name, set) in [("idxen", self.index_enable), ("offen", self.offset_enable)] {
            if set {
                write!(f, " {name}")?;
            }
        }
        if self.offset != 0 {
            write!(f, " offset:{}", self.offset)?;
        }
        write!(f, "{}", self.cache.text(self.op))
    }
}

/// The format field of an untyped access on GFX12 (LLVM VBUFFER encoding).
const VBUFFER_FORMAT: u32 = 1 << 23;

pub(super) struct VgprText(pub u8, pub u8);

impl fmt::Display for VgprText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1 <= 1 { write!(f, "v{}", self.0) } else { write!(f, "v[{}:{}]", self.0, u16::from(self.0) + u16::from(self.1) - 1) }
    }
}
