//! How a rule is judged: on which draws, packets or register writes, and by which function.

use crate::chip::Chip;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::registers::RegisterFile;
use crate::cp::view::draw_view::DrawView;
use crate::packet::{Opcode, Queue};
use crate::regs::Space;

/// How a rule is judged.
///
/// A rule on packets and a rule on register writes; for one on draws see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule):
///
/// ```
/// use pm4::cp::rules::{ChipScope, Judge, PacketView, Rule, RuleError, Verdict, WatchedPackets, WatchedWrites, WriteView};
/// use pm4::cp::{CommandProcessor, Severity};
/// use pm4::packet::Opcode;
///
/// static NO_FULL_WAIT: Rule = Rule::new(
///     "OURS-02",
///     Severity::Warning,
///     ChipScope::All,
///     "PS_PARTIAL_FLUSH",
///     "Our driver waits with fences.",
///     "our driver's conventions",
///     Judge::Packet { watch: WatchedPackets::Opcodes(&[Opcode::EVENT_WRITE]), judge: full_wait },
/// );
///
/// fn full_wait(view: &PacketView<'_>) -> Option<Verdict> {
///     // Bits 5:0 of the first dword after the header are the event: 16 is PS_PARTIAL_FLUSH.
///     (view.bits(0, 0, 5) == 16).then(|| Verdict::new("the packet waits for all pixel shaders").help("use RELEASE_MEM and WAIT_REG_MEM"))
/// }
///
/// static ONLY_ZERO: Rule = Rule::new(
///     "OURS-03",
///     Severity::Error,
///     ChipScope::FROM_GFX10,
///     "DB_SHADER_CONTROL is not 0",
///     "This test must not use it.",
///     "our test",
///     Judge::Write { watch: WatchedWrites::Addresses(&[0x2880C]), judge: not_zero },
/// );
///
/// fn not_zero(view: &WriteView<'_>) -> Option<Verdict> {
///     (view.value() != 0).then(|| Verdict::new(format!("0x{:08x} is written", view.value())).register("DB_SHADER_CONTROL"))
/// }
/// # #[cfg(feature = "gfx11")] {
/// // SET_CONTEXT_REG DB_SHADER_CONTROL = 1; EVENT_WRITE PS_PARTIAL_FLUSH, index 4
/// let stream = [0xC001_6900, 0x203, 1, 0xC000_4600, 0x410];
/// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
/// cp.add_rule(&NO_FULL_WAIT)?.add_rule(&ONLY_ZERO)?;
/// cp.submit(pm4::packet::Queue::Graphics, "test", &stream);
/// let summary = cp.run(&mut ());
/// assert_eq!((summary.warnings, summary.errors), (1, 1));
/// // A code can be given once.
/// assert_eq!(cp.add_rule(&ONLY_ZERO).err(), Some(RuleError::CodeTaken { code: "OURS-03" }));
/// # }
/// # Ok::<(), RuleError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Judge {
    /// At each draw, from the register state.
    Draw(fn(&DrawView<'_>) -> Option<Verdict>),
    /// At each dispatch, from the register state.
    Dispatch(fn(&DrawView<'_>) -> Option<Verdict>),
    /// At each packet that the rule selects.
    Packet {
        /// The packets on which the judge is called.
        watch: WatchedPackets,
        /// The judge.
        judge: fn(&PacketView<'_>) -> Option<Verdict>,
    },
    /// At each register write that the rule selects.
    Write {
        /// The writes on which the judge is called.
        watch: WatchedWrites,
        /// The judge.
        judge: fn(&WriteView<'_>) -> Option<Verdict>,
    },
    /// By the model itself while it executes: the rule is about packets and buffers.
    Model,
}

impl Judge {
    /// Judges packets with these opcodes.
    pub(in crate::cp) const fn on_opcodes(opcodes: &'static [Opcode], judge: fn(&PacketView<'_>) -> Option<Verdict>) -> Self {
        Self::on_packets(WatchedPackets::Opcodes(opcodes), judge)
    }

    /// Judges these packets.
    pub(in crate::cp) const fn on_packets(watch: WatchedPackets, judge: fn(&PacketView<'_>) -> Option<Verdict>) -> Self {
        Self::Packet { watch, judge }
    }
}

/// The register writes on which a rule is checked.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy)]
pub enum WatchedWrites {
    /// Writes to these byte addresses.
    Addresses(&'static [u32]),
    /// Writes that set at least one of these bits: the chips, a byte address, and the bits. Writes that drivers send all the time and that set none of them
    /// cost as little as those that no rule watches.
    Bits(&'static [(ChipScope, u32, u32)]),
    /// Writes to addresses without a register on the generation, or beyond the window of the packet.
    NoRegister,
    /// Writes that set bits without a field.
    UnnamedBits,
    /// Writes that may put a value without a name into a field with an enum.
    UnnamedValues,
}

impl WatchedWrites {
    /// Returns the byte addresses that it names: the chips for which it does, and the bits that a write must set, None for any write.
    pub(crate) fn addresses(self) -> impl Iterator<Item = (ChipScope, u32, Option<u32>)> {
        let (addrs, bits): (&[u32], &[_]) = match self {
            Self::Addresses(addrs) => (addrs, &[]),
            Self::Bits(bits) => (&[], bits),
            Self::NoRegister | Self::UnnamedBits | Self::UnnamedValues => (&[], &[]),
        };
        let any = addrs.iter().map(|addr| (ChipScope::All, *addr, None));
        any.chain(bits.iter().map(|(scope, addr, bits)| (*scope, *addr, Some(*bits))))
    }
}

/// A register write that a rule looks at.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy)]
pub struct WriteView<'v> {
    pub(in crate::cp) chip: Chip,
    pub(in crate::cp) queue: Queue,
    pub(in crate::cp) space: Space,
    pub(in crate::cp) addr: u32,
    pub(in crate::cp) value: u32,
    pub(in crate::cp) outside: bool,
    /// Registers before and after it are written by the same packet, in a row.
    pub(in crate::cp) within: bool,
    /// A packet loads it from memory, as one of a range of several registers.
    pub(in crate::cp) loaded: bool,
    pub(in crate::cp) registers: &'v RegisterFile,
}

impl WriteView<'_> {
    /// Returns the chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// Returns the window of the packet.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Byte address of the register.
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// What is written.
    pub fn value(&self) -> u32 {
        self.value
    }

    /// Returns whether the address is beyond the window of the packet.
    pub fn is_outside_window(&self) -> bool {
        self.outside
    }

    /// Returns whether the packet writes registers in a row, and this is neither the first nor the last one.
    pub fn is_within_run(&self) -> bool {
        self.within
    }

    /// Returns the registers before the write.
    pub fn registers(&self) -> &RegisterFile {
        self.registers
    }
}
