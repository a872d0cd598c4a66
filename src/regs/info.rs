//! The register tables: lookup by address or name, fields, values, sources.

use crate::chip::Gfx;
use crate::regs::BitField;
use core::fmt;
use strum::{Display, EnumString, IntoStaticStr};

/// A range of register addresses. Each has its own SET packet, except `Privileged`.
///
/// For an example see [`Space::of`](crate::regs::Space::of).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Space {
    /// 0x8000 to 0xAFFF. SET_CONFIG_REG reaches it, but only the kernel may write it.
    Config,
    /// 0xB000 to 0xBFFF, graphics shaders up to 0xB7FF, compute from 0xB800.
    Sh,
    /// 0x28000 to 0x28FFF: banked; a write after a draw rolls the context.
    Context,
    /// 0x30000 to 0x3FFFF.
    Uconfig,
    /// 0x2A000 to 0x2AFFF: no SET packet reaches it.
    #[strum(serialize = "priv")]
    Privileged,
}

impl Space {
    /// The space of a byte address; None outside all of them.
    ///
    /// ```
    /// use pm4::regs::Space;
    /// assert_eq!(Space::of(0x2880C), Some(Space::Context));
    /// assert_eq!(Space::of(0x0), None);
    /// ```
    pub const fn of(addr: u32) -> Option<Self> {
        match addr {
            0x8000..0xB000 => Some(Self::Config),
            0xB000..0xC000 => Some(Self::Sh),
            0x28000..0x29000 => Some(Self::Context),
            0x2A000..0x2B000 => Some(Self::Privileged),
            0x30000..0x40000 => Some(Self::Uconfig),
            _ => None,
        }
    }

    /// The plain packet that sets its registers, and the byte address from which the offset in that packet counts, in dwords; None where none does.
    ///
    /// ```
    /// use pm4::regs::Space;
    /// assert_eq!(Space::Context.set_packet(), Some(("SET_CONTEXT_REG", 0x28000)));
    /// ```
    pub const fn set_packet(self) -> Option<(&'static str, u32)> {
        match self {
            Self::Config => Some(("SET_CONFIG_REG", 0x8000)),
            Self::Sh => Some(("SET_SH_REG", 0xB000)),
            Self::Context => Some(("SET_CONTEXT_REG", 0x28000)),
            Self::Uconfig => Some(("SET_UCONFIG_REG", 0x30000)),
            Self::Privileged => None,
        }
    }
}

/// A set of register descriptions: Mesa, Linux, PAL.
///
/// For an example see [`RegisterInfo`](crate::regs::RegisterInfo).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sources(pub(super) u8);

impl Sources {
    /// The names, lower case.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        ["mesa", "linux", "pal"].into_iter().enumerate().filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// Independently maintained descriptions that agree: Mesa's are generated from those of Linux, so both together are one.
    pub fn independent(self) -> u32 {
        u32::from(self.0 & 0b011 != 0) + u32::from(self.0 & 0b100 != 0)
    }
}

/// A list of named values.
///
/// For an example see [`RegisterInfo`](crate::regs::RegisterInfo).
#[derive(Debug)]
pub struct EnumInfo {
    /// AMD's name.
    pub name: &'static str,
    /// A set of flags: any combination is legal.
    pub flags: bool,
    /// Names and values, smallest value first.
    pub entries: &'static [(&'static str, u32)],
    /// Values without a name that drivers are known to write, each with the source that shows it.
    pub values_seen: &'static [(u32, &'static str)],
    /// The sources that list it, where they are not the usual ones of the generation.
    pub sources: Option<Sources>,
    /// What the values mean; empty where nothing is known beyond the names.
    pub doc: &'static str,
    /// What other sources say differently.
    pub note: &'static str,
}

impl EnumInfo {
    /// The name of a value, None when no entry has it.
    pub fn name_of(&self, value: u32) -> Option<&'static str> {
        let found = self.entries.binary_search_by_key(&value, |(_, v)| *v).ok()?;
        self.entries.get(found).map(|(name, _)| *name)
    }

    /// The value of a name.
    pub fn value_of(&self, name: &str) -> Option<u32> {
        self.entries.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }
}

/// A field of a register on one generation.
///
/// ```
/// use pm4::{chip::Gfx, regs};
/// # #[cfg(feature = "gfx11")] {
/// let field = regs::find(Gfx::Gfx11, "DB_SHADER_CONTROL").unwrap().info().field("Z_ORDER").unwrap();
/// assert_eq!((field.lo, field.hi, field.get(0x20)), (4, 5, 2));
/// assert_eq!(field.name_of(2), Some("RE_Z"));
/// # }
/// ```
#[derive(Debug)]
pub struct FieldInfo {
    /// AMD's name.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u8,
    /// Highest bit.
    pub hi: u8,
    /// Named values.
    pub values: Option<&'static EnumInfo>,
    /// The bits are an IEEE 754 number of 32 bits, as the field's doc says.
    pub float: bool,
    /// What it does; empty where nothing is written down.
    pub doc: &'static str,
    /// Chips, sources and names that differ.
    pub note: &'static str,
}

impl FieldInfo {
    /// The field's value in a register word.
    pub const fn get(&self, word: u32) -> u32 {
        self.bits().get(word)
    }

    /// The bits of the field.
    pub const fn mask(&self) -> u32 {
        self.bits().mask()
    }

    /// The name of a value of the field, where it has one.
    pub fn name_of(&self, value: u32) -> Option<&'static str> {
        self.values?.name_of(value)
    }

    /// A value of the field as people read it: its name where it has one, the number of a float, else the bits as a number, from 4096 on in hexadecimal.
    ///
    /// ```
    /// use pm4::{chip::Gfx, regs};
    /// # #[cfg(feature = "gfx11")] {
    /// let text = |register, field, value| regs::find(Gfx::Gfx11, register).unwrap().info().field(field).unwrap().display(value).to_string();
    /// assert_eq!(text("DB_SHADER_CONTROL", "Z_ORDER", 2), "RE_Z");
    /// assert_eq!(text("PA_CL_VPORT_XSCALE", "VPORT_XSCALE", 0x4300_0000), "128.0");
    /// assert_eq!((text("DB_Z_INFO", "MAXMIP", 3), text("CB_COLOR0_BASE", "BASE_256B", 0x1_2345)), ("3".into(), "0x12345".into()));
    /// # }
    /// ```
    pub fn display(&self, value: u32) -> impl fmt::Display + use<> {
        Displayed { name: self.name_of(value), float: self.float, value }
    }

    /// The field as a constant for shifting and masking.
    pub const fn bits(&self) -> BitField {
        BitField::new(self.name, self.lo, self.hi - self.lo + 1)
    }
}

/// A value of a field as people read it.
struct Displayed {
    name: Option<&'static str>,
    float: bool,
    value: u32,
}

impl fmt::Display for Displayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.pad(name),
            // With a point, so that nobody takes it for the bits.
            None if self.float => fmt::Debug::fmt(&f32::from_bits(self.value), f),
            None if self.value < 4096 => fmt::Display::fmt(&self.value, f),
            None => write!(f, "{:#x}", self.value),
        }
    }
}

/// A register, or an array of them, on one generation.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::regs::{self, EnumInfo, RegisterInfo, Sources};
/// # #[cfg(feature = "gfx11")] {
/// // The context registers that only one source describes.
/// let few = |sources: Sources| sources.independent() < 2;
/// for RegisterInfo { name, addr, sources, .. } in regs::registers(Gfx::Gfx11).filter(|info| info.rolls && few(info.sources)) {
///     println!("{addr:#x} {name}: {}", sources.names().collect::<Vec<_>>().join(", "));
/// }
/// let control: &RegisterInfo = regs::find(Gfx::Gfx11, "DB_SHADER_CONTROL").unwrap().info();
/// assert_eq!((control.addr, control.clear, control.sources.independent()), (0x2880C, Some(0), 2));
/// let orders: &EnumInfo = control.field("Z_ORDER").unwrap().values.unwrap();
/// assert_eq!((orders.name_of(0), orders.value_of("RE_Z")), (Some("LATE_Z"), Some(2)));
/// # }
/// ```
#[derive(Debug)]
pub struct RegisterInfo {
    /// AMD's name; of the first element for an array.
    pub name: &'static str,
    pub(super) pattern: &'static str,
    pub(super) first: u32,
    /// Byte address of the first element.
    pub addr: u32,
    /// Elements; 1 for a single register.
    pub count: u32,
    /// Bytes from one element to the next; 0 for a single register.
    pub stride: u32,
    /// Fields, lowest bit first. Bits that none covers are unnamed.
    pub fields: &'static [FieldInfo],
    /// Descriptions that list the register.
    pub sources: Sources,
    /// Whether the register has a bit-field struct in the module of its generation.
    pub typed: bool,
    /// Value after CLEAR_STATE, the same for all elements; None for registers it does not touch and where no source states it
    /// (Mesa 25.0.7 ac_shadowed_regs.c tables, one lineage: GFX9 to GFX11).
    pub clear: Option<u32>,
    /// The index with which each element must be written, alone in its packet; None for plain registers
    /// ([`register_index`](crate::packet::register_index) has the sources).
    pub index: Option<u8>,
    /// An index that drivers write although none is needed, and which driver does.
    pub index_seen: Option<(u8, &'static str)>,
    /// Bits without a field that drivers set, and which driver does.
    pub bits_seen: Option<(u32, &'static str)>,
    /// The group in which it is written whole: the elements of one number in all registers with this name
    /// ([`register_group`](crate::packet::register_group) has the source). None for registers that are written one by one.
    pub group: Option<&'static str>,
    /// Whether a write after a draw rolls the context (Mesa 25.0.7 ac_gather_context_rolls.c): so far true for every context register and for no other register.
    pub rolls: bool,
    /// Other names of the same register.
    pub aliases: &'static [&'static str],
    /// What it controls; empty where nothing is written down.
    pub doc: &'static str,
    /// Chips with another address, doubtful fields.
    pub note: &'static str,
}

impl RegisterInfo {
    /// The text before and behind the number of an element, in an array.
    fn around_number(&self) -> Option<(&'static str, &'static str)> {
        // Most registers are no arrays. A character is found faster than a text.
        let (before, after) = Some(self.pattern).filter(|pattern| !pattern.is_empty())?.split_once('{')?;
        Some((before, after.strip_prefix('}')?))
    }

    /// Its space.
    pub fn space(&self) -> Space {
        Space::of(self.addr).unwrap_or(Space::Privileged)
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&'static FieldInfo> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Bits that some field names.
    pub fn known_bits(&self) -> u32 {
        self.fields.iter().fold(0, |mask, f| mask | f.mask())
    }
}

/// One register at one address: an array element or a single register.
///
/// ```
/// use pm4::{chip::Gfx, regs};
/// # #[cfg(feature = "gfx11")] {
/// let register = regs::find(Gfx::Gfx11, "CB_BLEND1_CONTROL").unwrap();
/// assert_eq!((register.element(), register.info().name), (1, "CB_BLEND0_CONTROL"));
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RegRef {
    info: &'static RegisterInfo,
    element: u32,
}

impl RegRef {
    /// The register's table entry, shared by all elements of an array.
    pub fn info(self) -> &'static RegisterInfo {
        self.info
    }

    /// The element of the array, 0 for a single register.
    pub fn element(self) -> u32 {
        self.element
    }

    /// Byte address of this element.
    pub fn addr(self) -> u32 {
        self.info.addr + self.element * self.info.stride
    }

    /// The fields, lowest bit first.
    pub fn fields(self) -> &'static [FieldInfo] {
        self.info.fields
    }

    /// The name with the element's number in its place, `CB_COLOR3_INFO`.
    pub fn name(self) -> impl fmt::Display {
        self
    }
}

impl fmt::Display for RegRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info.around_number() {
            Some((before, after)) if self.element > 0 => {
                // The width of the whole name counts, so that callers can align it.
                let number = self.info.first + self.element;
                let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
                write!(f, "{before}{number}{after}")?;
                let length = before.len() + digits + after.len();
                (length..f.width().unwrap_or(0)).try_for_each(|_| f.write_str(" "))
            }
            _ => f.pad(self.info.name),
        }
    }
}

/// Equal groups of registers in a row.
pub(crate) struct Groups {
    /// Byte address of the first register.
    pub first: u32,
    /// Bytes of one group.
    pub bytes: u32,
    pub count: u32,
}

/// One bit per context register, and one for the end of the space: it continues a group that an earlier register began.
pub(crate) type InnerBits = [u64; 0x400 / 64 + 1];

pub(crate) struct Tables {
    /// Registers with an index, by address.
    pub indexed_sh: &'static [(u32, u8)],
    pub indexed_context: &'static [(u32, u8)],
    pub indexed_uconfig: &'static [(u32, u8)],
    pub groups: &'static [Groups],
    pub inner: InnerBits,
    /// Numbers in `REGISTERS`: one for each address that has a register, by address.
    rows: &'static [u16],
    /// Runs of addresses without a gap: the dword address of the first, and its place in `rows`.
    runs: &'static [(u16, u16)],
    /// Numbers in `ENUMS`, by name.
    enums: &'static [u16],
    lineage: &'static [(&'static str, &'static str)],
}

impl Tables {
    /// A run of registers without a gap: the dword address of the first, and a row for each.
    fn run(&self, number: usize) -> Option<(u16, &'static [u16])> {
        let (first, start) = *self.runs.get(number)?;
        let end = self.runs.get(number + 1).map_or(self.rows.len(), |(_, start)| usize::from(*start));
        Some((first, self.rows.get(usize::from(start)..end)?))
    }
}

/// What rows of fields in the generated table leave out.
const FIELD: FieldInfo = FieldInfo { name: "", lo: 0, hi: 0, values: None, float: false, doc: "", note: "" };

/// What rows of registers leave out.
const REGISTER: RegisterInfo = RegisterInfo {
    name: "",
    pattern: "",
    first: 0,
    addr: 0,
    count: 0,
    stride: 0,
    fields: &[],
    sources: Sources(0),
    typed: false,
    clear: None,
    index: None,
    index_seen: None,
    bits_seen: None,
    group: None,
    rolls: false,
    aliases: &[],
    doc: "",
    note: "",
};

include!(concat!(env!("OUT_DIR"), "/registers.rs"));

/// The item of that number in a table of all generations.
fn item<T>(table: &'static [T], number: u16) -> Option<&'static T> {
    table.get(usize::from(number))
}

/// The register at a byte address of a generation.
///
/// ```
/// use pm4::chip::Gfx;
/// let register = pm4::regs::lookup(Gfx::Gfx10, 0x28038).unwrap();
/// assert_eq!(register.to_string(), "DB_DFSM_CONTROL"); // GFX9 has DB_Z_INFO there
/// assert!(pm4::regs::lookup(Gfx::Gfx10, 0x28039).is_none());
/// ```
pub fn lookup(gfx: Gfx, addr: u32) -> Option<RegRef> {
    let dword = u16::try_from(addr / 4).ok().filter(|_| addr.is_multiple_of(4))?;
    let tables = tables(gfx);
    let number = tables.runs.partition_point(|(first, _)| *first <= dword).checked_sub(1)?;
    let (first, rows) = tables.run(number)?;
    let row = *rows.get(usize::from(dword - first))?;
    let info = item(&REGISTERS, row)?;
    Some(RegRef { info, element: (addr - info.addr).checked_div(info.stride).unwrap_or(0) })
}

/// All registers of a generation in the order of their addresses, arrays once.
pub fn registers(gfx: Gfx) -> impl Iterator<Item = &'static RegisterInfo> {
    let tables = tables(gfx);
    let runs = (0..tables.runs.len()).filter_map(|number| tables.run(number));
    let addresses = runs.flat_map(|(first, rows)| (first..).zip(rows));
    // An array is listed where it begins.
    addresses.filter_map(|(dword, row)| item(&REGISTERS, *row).filter(|info| info.addr == 4 * u32::from(dword)))
}

/// All value lists of a generation by name.
pub fn enums(gfx: Gfx) -> impl Iterator<Item = &'static EnumInfo> {
    tables(gfx).enums.iter().filter_map(|number| item(&ENUMS, *number))
}

/// Which descriptions the registers of a generation were taken from: short name and title.
pub fn lineage(gfx: Gfx) -> &'static [(&'static str, &'static str)] {
    tables(gfx).lineage
}

/// The register of that name, or with that alias: an array under its first element's name or any element's.
///
/// ```
/// use pm4::chip::Gfx;
/// assert_eq!(pm4::regs::find(Gfx::Gfx11, "CB_COLOR3_INFO").unwrap().addr(), 0x28C70 + 3 * 0x3C);
/// ```
pub fn find(gfx: Gfx, name: &str) -> Option<RegRef> {
    registers(gfx).find_map(|info| {
        if info.name == name || info.aliases.contains(&name) {
            return Some(RegRef { info, element: 0 });
        }
        let (before, after) = info.around_number()?;
        let number: u32 = name.strip_prefix(before)?.strip_suffix(after)?.parse().ok()?;
        let element = number.checked_sub(info.first).filter(|e| *e < info.count)?;
        Some(RegRef { info, element })
    })
}
