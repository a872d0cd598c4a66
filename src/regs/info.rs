//! The register tables: lookup by address or name, fields, values, sources.

use crate::chip::Gfx;
use crate::regs::BitField;
use core::fmt;
use strum::{Display, EnumString, IntoStaticStr};

/// A range of register addresses. Each space except `Privileged` has its own SET packet.
///
/// For an example see [`Space::of`](crate::regs::Space::of).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Space {
    /// 0x8000 to 0xAFFF. SET_CONFIG_REG reaches these registers, but only the kernel may write them.
    Config,
    /// 0xB000 to 0xBFFF: graphics shaders up to 0xB7FF, compute from 0xB800.
    Sh,
    /// 0x28000 to 0x28FFF. Banked: a write after a draw rolls the context.
    Context,
    /// 0x30000 to 0x3FFFF.
    Uconfig,
    /// 0x2A000 to 0x2AFFF: no SET packet reaches it.
    #[strum(serialize = "priv")]
    Privileged,
}

impl Space {
    /// Returns the space of a byte address; None outside all spaces.
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

    /// Returns the name of the plain packet that sets registers of this space, and the byte address from which that packet counts its offset in dwords. None
    /// for `Privileged`, which no packet sets.
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

/// A set of register descriptions from Mesa, Linux and PAL.
///
/// For an example see [`RegisterInfo`](crate::regs::RegisterInfo).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sources(pub(super) u8);

impl Sources {
    /// Returns the names in lower case.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        ["mesa", "linux", "pal"].into_iter().enumerate().filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// Returns how many independently maintained descriptions are in the set. Mesa's descriptions are generated from those of Linux, so the two count as one.
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
    /// Whether the values are flags, which combine freely.
    pub flags: bool,
    /// Names and values, sorted by value.
    pub entries: &'static [(&'static str, u32)],
    /// Values without a name that drivers are known to write, each with its source.
    pub values_seen: &'static [(u32, &'static str)],
    /// The sources that list the enum, if they differ from the usual sources of the generation.
    pub sources: Option<Sources>,
    /// What the values mean; empty if nothing is known beyond the names.
    pub doc: &'static str,
    /// Where other sources differ.
    pub note: &'static str,
}

impl EnumInfo {
    /// Returns the name of a value; None if no entry has the value.
    pub fn name_of(&self, value: u32) -> Option<&'static str> {
        let found = self.entries.binary_search_by_key(&value, |(_, v)| *v).ok()?;
        self.entries.get(found).map(|(name, _)| *name)
    }

    /// Returns the value of a name; None if no entry has the name.
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
    /// Whether the bits are a 32-bit IEEE 754 number, as the field's documentation says.
    pub float: bool,
    /// What the field does; empty if nothing is documented.
    pub doc: &'static str,
    /// Chips, sources and names that differ.
    pub note: &'static str,
}

impl FieldInfo {
    /// Returns the field's value in a register word.
    pub const fn get(&self, word: u32) -> u32 {
        self.bits().get(word)
    }

    /// Returns the mask of the field's bits.
    pub const fn mask(&self) -> u32 {
        self.bits().mask()
    }

    /// Returns the name of a value of the field, if it has one.
    pub fn name_of(&self, value: u32) -> Option<&'static str> {
        self.values?.name_of(value)
    }

    /// Formats a value of the field for people: its name if it has one, a float as a number, any other value as an integer, in hexadecimal from 4096 up.
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

    /// Returns the field as a constant for shifting and masking.
    pub const fn bits(&self) -> BitField {
        BitField::new(self.name, self.lo, self.hi - self.lo + 1)
    }
}

/// A value of a field, formatted for people.
struct Displayed {
    name: Option<&'static str>,
    float: bool,
    value: u32,
}

impl fmt::Display for Displayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.pad(name),
            // With a decimal point, so that nobody takes the number for the raw bits.
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
    /// Number of elements; 1 for a single register.
    pub count: u32,
    /// Bytes from one element to the next; 0 for a single register.
    pub stride: u32,
    /// Fields, lowest bit first. Bits outside all fields have no name.
    pub fields: &'static [FieldInfo],
    /// Descriptions that list the register.
    pub sources: Sources,
    /// Whether the register has a bit-field struct in the module of its generation.
    pub typed: bool,
    /// Value after CLEAR_STATE, the same for all elements. None for registers that CLEAR_STATE does not touch and for those without a source (Mesa 25.0.7
    /// ac_shadowed_regs.c tables, one lineage: GFX9 to GFX11).
    pub clear: Option<u32>,
    /// The index with which each element must be written, alone in its packet; None for plain registers (sources:
    /// [`register_index`](crate::packet::register_index)).
    pub index: Option<u8>,
    /// An index that drivers write although the register needs none, and the driver that writes it.
    pub index_seen: Option<(u8, &'static str)>,
    /// Bits outside all fields that drivers set, and the driver that sets them.
    pub bits_seen: Option<(u32, &'static str)>,
    /// The name of the group with which the register is written. All registers with this name and the same element number are written together (source:
    /// [`register_group`](crate::packet::register_group)). None for registers that are written one by one.
    pub group: Option<&'static str>,
    /// Whether a write after a draw rolls the context (Mesa 25.0.7 ac_gather_context_rolls.c): true for every context register and, so far, for no other.
    pub rolls: bool,
    /// Other names of the same register.
    pub aliases: &'static [&'static str],
    /// What the register controls; empty if nothing is documented.
    pub doc: &'static str,
    /// Chips with a different address, and doubtful fields.
    pub note: &'static str,
}

impl RegisterInfo {
    /// Splits the name pattern of an array into the text before and after the element number.
    fn around_number(&self) -> Option<(&'static str, &'static str)> {
        // Most registers are not arrays. Searching for a character is faster than searching for a string.
        let (before, after) = Some(self.pattern).filter(|pattern| !pattern.is_empty())?.split_once('{')?;
        Some((before, after.strip_prefix('}')?))
    }

    /// Returns the space of the register.
    pub fn space(&self) -> Space {
        Space::of(self.addr).unwrap_or(Space::Privileged)
    }

    /// Returns the field with this name.
    pub fn field(&self, name: &str) -> Option<&'static FieldInfo> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Returns the mask of all bits that belong to a field.
    pub fn known_bits(&self) -> u32 {
        self.fields.iter().fold(0, |mask, f| mask | f.mask())
    }
}

/// One register at one address: a single register or one element of an array.
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
    /// Returns the register's table entry, which all elements of an array share.
    pub fn info(self) -> &'static RegisterInfo {
        self.info
    }

    /// Returns the element number within the array; 0 for a single register.
    pub fn element(self) -> u32 {
        self.element
    }

    /// Returns the byte address of this element.
    pub fn addr(self) -> u32 {
        self.info.addr + self.element * self.info.stride
    }

    /// Returns the fields, lowest bit first.
    pub fn fields(self) -> &'static [FieldInfo] {
        self.info.fields
    }

    /// Returns the name with the element number in its place: `CB_COLOR3_INFO`.
    pub fn name(self) -> impl fmt::Display {
        self
    }
}

impl fmt::Display for RegRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info.around_number() {
            Some((before, after)) if self.element > 0 => {
                // Padding applies to the whole name, so that callers can align it.
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

/// Consecutive groups of registers of equal size.
pub(crate) struct Groups {
    /// Byte address of the first register.
    pub first: u32,
    /// Size of one group in bytes.
    pub bytes: u32,
    pub count: u32,
}

/// One bit per context register and one for the end of the space. A set bit means that the register continues a group that an earlier register began.
pub(crate) type InnerBits = [u64; 0x400 / 64 + 1];

pub(crate) struct Tables {
    /// Registers with an index, sorted by address.
    pub indexed_sh: &'static [(u32, u8)],
    pub indexed_context: &'static [(u32, u8)],
    pub indexed_uconfig: &'static [(u32, u8)],
    pub groups: &'static [Groups],
    pub inner: InnerBits,
    /// Indices into `REGISTERS`: one for each address that has a register, sorted by address.
    rows: &'static [u16],
    /// Runs of addresses without a gap, sorted: the dword address of the first, and its index in `rows`.
    runs: &'static [(u16, u16)],
    /// Indices into `ENUMS`, sorted by name.
    enums: &'static [u16],
    lineage: &'static [(&'static str, &'static str)],
}

impl Tables {
    /// Returns a run of registers without a gap: the dword address of the first, and the index of each.
    fn run(&self, number: usize) -> Option<(u16, &'static [u16])> {
        let (first, start) = *self.runs.get(number)?;
        let end = self.runs.get(number + 1).map_or(self.rows.len(), |(_, start)| usize::from(*start));
        Some((first, self.rows.get(usize::from(start)..end)?))
    }
}

/// Defaults for what field rows of the generated table leave out.
const FIELD: FieldInfo = FieldInfo { name: "", lo: 0, hi: 0, values: None, float: false, doc: "", note: "" };

/// Defaults for what register rows leave out.
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

/// Returns the item with this number in a table for all generations.
fn item<T>(table: &'static [T], number: u16) -> Option<&'static T> {
    table.get(usize::from(number))
}

/// Returns the register at a byte address of a generation.
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

/// Returns all registers of a generation in address order; an array counts as one register.
pub fn registers(gfx: Gfx) -> impl Iterator<Item = &'static RegisterInfo> {
    let tables = tables(gfx);
    let runs = (0..tables.runs.len()).filter_map(|number| tables.run(number));
    let addresses = runs.flat_map(|(first, rows)| (first..).zip(rows));
    // An array is listed where it begins.
    addresses.filter_map(|(dword, row)| item(&REGISTERS, *row).filter(|info| info.addr == 4 * u32::from(dword)))
}

/// Returns all value lists of a generation, sorted by name.
pub fn enums(gfx: Gfx) -> impl Iterator<Item = &'static EnumInfo> {
    tables(gfx).enums.iter().filter_map(|number| item(&ENUMS, *number))
}

/// Returns the descriptions from which the registers of a generation were taken: short name and title.
pub fn lineage(gfx: Gfx) -> &'static [(&'static str, &'static str)] {
    tables(gfx).lineage
}

/// Returns the register with this name or alias. An array is found under the name of its first element or of any other.
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
