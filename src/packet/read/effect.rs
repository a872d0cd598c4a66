//! Effects of packets as data.

use crate::packet::formats::effect_row::Timing;
use crate::packet::read::register_writes::RegisterWrite;
use crate::packet::wire::opcode::Engine;
use crate::packet::wire::windows::{GRBM_BROADCAST, GRBM_GFX_INDEX};
use crate::regs::Space;

/// One effect of a packet.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Action, Engine, Queue, Reader, Timing};
/// let stream = [0xC001_6900, 0x203, 0x1_8600]; // SET_CONTEXT_REG
/// let packet = Reader::new(&stream).next().expect("a packet").expect("it is whole");
/// let effects = packet.effects(Gfx::Gfx11, Queue::Graphics);
/// let set = effects.iter().find(|effect| matches!(effect.action, Action::Set { write, .. } if write.addr == 0x2880C)).unwrap();
/// assert_eq!((set.engine, set.timing), (Engine::Me, Timing::Issue));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect<'a> {
    /// The engine that causes the effect.
    pub engine: Engine,
    /// When it takes place.
    pub timing: Timing,
    /// Whether the effect may not take place, or only partly: effects per render backend are certain only for the first.
    pub uncertain: bool,
    /// What it does.
    pub action: Action<'a>,
}

/// The action of an [`Effect`].
///
/// For an example see [`Effect`](crate::packet::Effect).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action<'a> {
    /// A register receives a value from the packet.
    Set {
        /// The register and the value.
        write: RegisterWrite,
        /// The packet names an index in addition to the register: the CP may change the value on its way (the CU masks of the kernel).
        indexed: bool,
        /// The register is part of the state that the packet sets, without a register write (NUM_INSTANCES sets VGT_NUM_INSTANCES); it rolls no context.
        state: bool,
    },
    /// Some bits of a register change; the others stay.
    Modify {
        /// Byte address.
        addr: u32,
        /// The bits that change.
        mask: u32,
        /// Their new value.
        value: u32,
    },
    /// Consecutive registers receive values that the packet does not contain.
    Unknown {
        /// Byte address of the first one.
        addr: u32,
        /// Number of registers.
        registers: u32,
        /// The registers are part of the state that the packet sets, or receive arguments of a draw; this rolls no context.
        state: bool,
    },
    /// Any register of a window may change.
    UnknownWindow(Space),
    /// Memory is read.
    Read {
        /// The address.
        at: MemoryAddress,
        /// Size in bytes.
        bytes: u64,
    },
    /// Memory is written.
    Write {
        /// The address.
        at: MemoryAddress,
        /// Size in bytes.
        bytes: u64,
        /// The data, if the packet contains it.
        data: WrittenData<'a>,
    },
    /// Memory that the packet does not name may change, and registers with it: no source describes the packet.
    Anything,
    /// Another buffer is executed.
    Run {
        /// Its address.
        addr: u64,
        /// Its length in dwords.
        dwords: u32,
        /// Whether the engine does not return.
        last: bool,
    },
    /// The next dwords of the stream may not be executed.
    Skip {
        /// Number of dwords.
        dwords: u32,
    },
    /// A base address of SET_BASE changes.
    Base {
        /// Number of the base address.
        index: u8,
        /// Whether it is the copy for compute work; only index 1 has two copies (PAL gfx9Pm4Optimizer.cpp MustKeepSetBase).
        compute: bool,
        /// The address.
        addr: u64,
    },
    /// The next draw takes another context.
    Rolls,
    /// The engine waits: for a condition, or for what the timing says ([`Dma`](Timing::Dma), [`EndOfPipe`](Timing::EndOfPipe)), which ends by itself.
    Waits,
}

/// The effect on the selection of instances that register writes reach (GRBM_GFX_INDEX).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) enum Selection {
    /// The register is written with this value, of which the broadcast bits count.
    Written(u32),
    /// The value is not known.
    Unknown,
}

impl Effect<'_> {
    /// Returns the change of the selection; None if it stays unchanged. Called buffers, and packets that may change any register, leave the selection
    /// unchanged.
    pub(in crate::packet) fn selection(&self) -> Option<Selection> {
        match self.action {
            Action::Set { write, .. } if write.addr == GRBM_GFX_INDEX => Some(Selection::Written(write.value)),
            Action::Modify { addr: GRBM_GFX_INDEX, mask, value } => match mask & GRBM_BROADCAST {
                0 => None,
                GRBM_BROADCAST => Some(Selection::Written(value)),
                _ => Some(Selection::Unknown),
            },
            Action::Unknown { addr, registers, .. } => {
                let at = GRBM_GFX_INDEX.checked_sub(addr)? / 4;
                (at < registers).then_some(Selection::Unknown)
            }
            _ => None,
        }
    }
}

/// The address of a memory access.
///
/// For an example see [`Packet::effects`](crate::packet::Packet::effects).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryAddress {
    /// At an address that the packet names.
    At(u64),
    /// After an address of SET_BASE.
    Base {
        /// Number of the base address.
        index: u8,
        /// The copy for compute work.
        compute: bool,
        /// Bytes after it.
        offset: u64,
    },
    /// The address is in memory.
    Unknown,
}

/// The dwords that a packet writes to memory, as far as it contains them.
///
/// For an example see [`Packet::effects`](crate::packet::Packet::effects).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenData<'a> {
    /// Not in the packet.
    None,
    /// Consecutive dwords.
    Words(&'a [u32]),
    /// All to the same dword, where the last one stays.
    Last(&'a [u32]),
    /// Up to two dwords; for a longer range the first one repeats.
    Value(u64),
}

impl WrittenData<'_> {
    /// Returns the dword written `offset` bytes (a multiple of 4) after the address; None if the packet does not contain it.
    #[must_use]
    pub fn dword(&self, offset: u64) -> Option<u32> {
        match *self {
            Self::None => None,
            Self::Words(words) => words.get(usize::try_from(offset / 4).ok()?).copied(),
            Self::Last(words) => words.last().copied().filter(|_| offset == 0),
            Self::Value(value) if offset == 4 => Some((value >> 32) as u32),
            Self::Value(value) => Some(value as u32),
        }
    }
}
