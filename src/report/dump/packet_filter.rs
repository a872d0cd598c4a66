//! Filters of packets.

use crate::chip::Gfx;
use crate::packet::{Opcode, Packet, Queue};
use crate::regs;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The packets that [`Dump`](super::Dump) prints: those that match all conditions. An empty filter matches all.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{Dump, DumpOptions, PacketFilter}};
/// # #[cfg(feature = "gfx11")] {
/// let filter = PacketFilter::default().register(Gfx::Gfx11, "DB_SHADER_CONTROL")?;
/// let mut out = Vec::new();
/// let mut dump = Dump::new(&mut out, &DumpOptions::new(Gfx::Gfx11, Queue::Graphics)).unwrap().filter(filter);
/// dump.begin("a.bin");
/// dump.words(&[0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2]).unwrap();
/// assert!(!dump.end().unwrap());
/// let text = String::from_utf8_lossy(&out);
/// assert!(text.contains("SET_CONTEXT_REG") && !text.contains("DRAW_INDEX_AUTO"));
/// # }
/// # Ok::<(), pm4::report::FilterError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PacketFilter {
    from: Option<usize>,
    to: Option<usize>,
    packets: Vec<Opcode>,
    registers: Vec<Wanted>,
    text: Vec<String>,
}

/// A register by its address, or all whose names have a common prefix.
#[derive(Debug, Clone)]
enum Wanted {
    Address(u32),
    Beginning(String),
}

/// A packet or register name that the generation does not have.
///
/// For an example see [`PacketFilter`](crate::report::PacketFilter).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The generation has no packet with this name.
    #[error("no packet of {gfx} is called {name:?}; names are as in AMD's headers, for example DRAW_INDEX_AUTO")]
    NoPacket {
        /// The generation.
        gfx: Gfx,
        /// The requested value.
        name: String,
    },
    /// The generation has no register with this name.
    #[error("no register of {gfx} is called {name:?}; give a name, the beginning of names such as CB_COLOR0_*, or a byte address such as 0x28000")]
    NoRegister {
        /// The generation.
        gfx: Gfx,
        /// The requested value.
        name: String,
    },
}

/// Returns the addresses of a register, one for each element of an array.
fn elements(register: &regs::RegisterInfo) -> impl Iterator<Item = u32> + use<> {
    let (addr, stride) = (register.addr, register.stride);
    (0..register.count).map(move |element| addr + element * stride)
}

/// Returns whether the name of the register at an address begins with `start`; an element of an array has its own name.
fn begins(gfx: Gfx, addr: u32, start: &str) -> bool {
    regs::lookup(gfx, addr).is_some_and(|register| match register.element() {
        0 => register.info().name.starts_with(start),
        _ => register.to_string().starts_with(start),
    })
}

impl PacketFilter {
    /// Selects packets whose header is at or after this dword.
    #[must_use]
    pub fn from(mut self, dword: usize) -> Self {
        self.from = Some(dword);
        self
    }

    /// Selects packets whose header is at or before this dword.
    #[must_use]
    pub fn to(mut self, dword: usize) -> Self {
        self.to = Some(dword);
        self
    }

    /// Selects packets with this name (upper or lower case). Call it again to add further names.
    ///
    /// # Errors
    /// The generation has no such packet.
    pub fn packet(mut self, gfx: Gfx, name: &str) -> Result<Self, FilterError> {
        match Opcode::from_name(gfx, &name.to_ascii_uppercase()) {
            Some(opcode) => self.packets.push(opcode),
            None => return Err(FilterError::NoPacket { gfx, name: name.to_owned() }),
        }
        Ok(self)
    }

    /// Selects packets that write or name a register. `name` is a register name, the beginning of names followed by `*` (`CB_COLOR0_*`), or a byte address such
    /// as `0x28000`. Call it again to add further registers.
    ///
    /// # Errors
    /// The generation has no such register.
    pub fn register(mut self, gfx: Gfx, name: &str) -> Result<Self, FilterError> {
        let unknown = || FilterError::NoRegister { gfx, name: name.to_owned() };
        if let Some(digits) = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
            let addr = Some(digits).filter(|digits| !digits.starts_with('+')).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            self.registers.push(Wanted::Address(addr.ok_or_else(unknown)?));
            return Ok(self);
        }
        let name = name.to_ascii_uppercase();
        if let Some(start) = name.strip_suffix('*') {
            let known = regs::registers(gfx).any(|info| info.name.starts_with(start) || elements(info).any(|addr| begins(gfx, addr, start)));
            self.registers.push(known.then(|| Wanted::Beginning(start.to_owned())).ok_or_else(unknown)?);
            return Ok(self);
        }
        self.registers.push(Wanted::Address(regs::find(gfx, &name).ok_or_else(unknown)?.addr()));
        Ok(self)
    }

    /// Selects packets whose printed form contains this text, ignoring case.
    #[must_use]
    pub fn text(mut self, part: &str) -> Self {
        self.text.push(part.to_lowercase());
        self
    }

    /// Returns whether all packets match.
    pub fn is_empty(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.packets.is_empty() && self.registers.is_empty() && self.text.is_empty()
    }

    /// Returns whether a dword is in the selected range.
    pub(super) fn in_range(&self, dword: usize) -> bool {
        self.from.is_none_or(|from| dword >= from) && self.to.is_none_or(|to| dword <= to)
    }

    /// Returns whether a packet matches by name and registers.
    pub(super) fn shows(&self, packet: &Packet<'_>, gfx: Gfx) -> bool {
        let named = || packet.opcode().is_some_and(|opcode| self.packets.contains(&opcode));
        (self.packets.is_empty() || named()) && (self.registers.is_empty() || self.touches(packet, gfx))
    }

    fn touches(&self, packet: &Packet<'_>, gfx: Gfx) -> bool {
        let wanted = |addr: u32| {
            self.registers.iter().any(|wanted| match wanted {
                Wanted::Address(wanted) => *wanted == addr,
                Wanted::Beginning(start) => begins(gfx, addr, start),
            })
        };
        packet.writes(gfx).any(|write| wanted(write.addr)) || packet.fields(gfx, Queue::Graphics).filter_map(|field| field.register()).any(wanted)
    }

    /// Returns whether the printed form of a packet contains the selected text. Colours are not part of it.
    pub(super) fn has_text(&self, printed: &str) -> bool {
        self.text.is_empty() || {
            let printed = super::without_colour(printed).to_lowercase();
            self.text.iter().all(|part| printed.contains(part.as_str()))
        }
    }
}
