//! The view of a draw.

use crate::chip::{Chip, Gfx};
use crate::cp::state::history::History;
use crate::cp::state::memory::Memory;
use crate::cp::state::names::Names;
use crate::cp::state::options::ModelOptions;
use crate::cp::state::pipe::Pipe;
use crate::cp::state::place::{Origin, Place, QueueId};
use crate::cp::state::reads::Reads;
use crate::cp::state::registers::{Bank, RegisterFile, RegisterState};
use crate::cp::state::rolls::{Contexts, Roll};
use crate::packet::{Packet, Queue};
use crate::regs::{FieldInfo, RegRef, Register};
use alloc::vec::Vec;

/// A draw or dispatch with its register state. The view borrows everything from the model and copies nothing.
///
/// ```
/// use pm4::cp::{CommandProcessor, DrawView, FieldState, Observer, Roll};
/// # #[cfg(feature = "gfx11")] {
/// struct Print;
/// impl Observer for Print {
///     fn draw(&mut self, view: &DrawView<'_>) {
///         let mask = view.value(0x28238); // CB_TARGET_MASK
///         assert_eq!((view.name(), mask), ("DRAW_INDEX_AUTO", Some(0xF)));
///         println!("written by {:?}", view.origin(0x28238));
///         // A field by name, with the packet that wrote its register.
///         let depth: FieldState = view.field("DB_SHADER_CONTROL", "Z_EXPORT_ENABLE").unwrap();
///         assert_eq!((depth.value(), depth.origin.map(|origin| origin.place.dword)), (1, Some(3)));
///         assert!(view.drain().is_none(), "GFX11 has no such field");
///         // Two context registers were written since the previous draw.
///         let roll: Roll = view.roll();
///         assert_eq!((roll.source, roll.changed), (None, 2));
///     }
/// }
/// let stream = [0xC001_6900, 0x8E, 0xF, 0xC001_6900, 0x203, 1, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
/// cp.submit(pm4::packet::Queue::Graphics, "draw", &stream);
/// assert_eq!(cp.run(&mut Print).draws, 1);
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DrawView<'v> {
    pub(in crate::cp) chip: Chip,
    pub(in crate::cp) queue: Queue,
    pub(in crate::cp) place: Place,
    pub(in crate::cp) packet: Packet<'v>,
    /// Its name, if it is not a PM4 packet.
    pub(in crate::cp) named: Option<&'static str>,
    pub(in crate::cp) index: u64,
    pub(in crate::cp) draws_before: u64,
    pub(in crate::cp) packet_index: u64,
    pub(in crate::cp) registers: &'v RegisterFile,
    pub(in crate::cp) names: &'v Names,
    pub(in crate::cp) options: &'v ModelOptions,
    pub(in crate::cp) history: &'v History,
    pub(in crate::cp) contexts: &'v Contexts,
    pub(in crate::cp) id: QueueId,
    pub(in crate::cp) memory: &'v Memory<'v>,
    pub(in crate::cp) pipe: &'v Pipe,
    /// The record of reads while a rule judges.
    pub(in crate::cp) reads: Option<&'v Reads>,
}

impl<'v> DrawView<'v> {
    /// Records that more than registers is read.
    pub(in crate::cp) fn reads_more(&self) {
        if let Some(reads) = self.reads {
            reads.more();
        }
    }

    /// Returns the chip that executes the packet.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the generation of the chip.
    pub fn gfx(&self) -> Gfx {
        self.chip.gfx()
    }

    /// Returns the queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// Returns the number of the queue, which distinguishes several queues of a kind.
    pub fn queue_id(&self) -> QueueId {
        self.id
    }

    /// Returns the context of the draw: whether it is new, and what was written for it.
    #[inline]
    pub fn roll(&self) -> Roll {
        self.reads_more();
        self.contexts.now()
    }

    /// Returns the byte addresses of the context registers that were written with a different value since the previous draw.
    pub fn changed_context(&self) -> impl Iterator<Item = u32> + use<> {
        self.reads_more();
        self.contexts.writes.changed().iter()
    }

    /// Returns the byte addresses of the context registers that were written since the previous draw without a change of value.
    pub fn redundant_context(&self) -> impl Iterator<Item = u32> + use<> {
        self.reads_more();
        self.contexts.writes.redundant().iter()
    }

    /// Returns the history of the queue.
    pub(in crate::cp) fn history(&self) -> &'v History {
        self.reads_more();
        self.history
    }

    /// Returns the differences between two draws: registers that were written for one of them and hold another value for the other, by address.
    ///
    /// `other` holds the registers of the other draw, which the caller has kept ([`RegisterFile`] clones).
    pub fn differences(&self, other: &RegisterFile) -> impl Iterator<Item = (u32, RegisterState, RegisterState)> {
        self.reads_more();
        let mut addrs: Vec<u32> = Bank::ALL.into_iter().flat_map(|bank| self.written(bank).chain(other.written(bank))).map(|(addr, _)| addr).collect();
        addrs.sort_unstable();
        addrs.dedup();
        let (mine, theirs) = (self.registers, other.clone());
        addrs.into_iter().map(move |addr| (addr, mine.state(addr), theirs.state(addr))).filter(|(_, mine, theirs)| mine != theirs)
    }

    /// Returns the place of the packet's header.
    pub fn place(&self) -> Place {
        self.reads_more();
        self.place
    }

    /// Returns the packet; its offset counts from the start of the buffer. For an AQL queue, it is the equivalent DISPATCH_DIRECT.
    pub fn packet(&self) -> &Packet<'v> {
        self.reads_more();
        &self.packet
    }

    /// Returns AMD's name of the packet, or the name of an AQL packet.
    pub fn name(&self) -> &'static str {
        self.reads_more();
        self.named.or_else(|| self.packet.name(self.gfx())).unwrap_or("UNKNOWN")
    }

    /// Returns the number of earlier draws and dispatches on all queues.
    pub fn index(&self) -> u64 {
        self.reads_more();
        self.index
    }

    /// Returns the number of earlier draws on the queue; dispatches do not count.
    pub fn draws_before(&self) -> u64 {
        self.reads_more();
        self.draws_before
    }

    /// Returns the number of packets that the queue executed earlier.
    pub fn packet_index(&self) -> u64 {
        self.reads_more();
        self.packet_index
    }

    /// Returns whether the packet has the predicate bit (bit 0 of the header). A packet that the predicate drops never reaches
    /// [`Observer::draw`](crate::cp::Observer::draw); see [`Observer::dropped`](crate::cp::Observer::dropped). If the model does not know the predicate, it
    /// executes the packet.
    pub fn is_predicated(&self) -> bool {
        self.reads_more();
        self.packet.header.is_predicated()
    }

    /// Returns the settings of the model.
    pub fn options(&self) -> &'v ModelOptions {
        self.options
    }

    /// Returns the registers of the queue before the packet.
    pub fn registers(&self) -> &'v RegisterFile {
        self.reads_more();
        self.registers
    }

    /// Returns what is known about the register at a byte address.
    pub fn state(&self, addr: u32) -> RegisterState {
        if let Some(reads) = self.reads {
            reads.register(addr);
        }
        self.registers.state(addr)
    }

    /// Returns the value of the register at a byte address if it is known.
    pub fn value(&self, addr: u32) -> Option<u32> {
        self.state(addr).known()
    }

    /// Returns a typed register, if its value is known. Also None if this generation has a different layout of the register: use the type for the generation
    /// that [`gfx`](Self::gfx) returns.
    pub fn get<R: Register>(&self) -> Option<R> {
        self.value(R::addr(self.gfx())?).map(R::from)
    }

    /// Returns an element of a typed array of registers.
    pub fn element<R: Register>(&self, index: u32) -> Option<R> {
        self.value(R::place(self.gfx())?.element(index)?).map(R::from)
    }

    /// Returns the packet that wrote the register last.
    pub fn origin(&self, addr: u32) -> Option<Origin> {
        self.reads_more();
        self.registers.origin(addr)
    }

    /// Like [`origin`](Self::origin), for a result that is only reported and decides nothing, as in a [`FieldState`].
    pub(in crate::cp) fn teller(&self, addr: u32) -> Option<Origin> {
        self.registers.origin(addr)
    }

    /// Returns the registers of a bank that were written, in the order of their addresses.
    pub fn written(&self, bank: Bank) -> impl Iterator<Item = (u32, u32)> + 'v {
        self.reads_more();
        self.registers.written(bank)
    }

    /// Returns the register with this name on this generation.
    pub fn register(&self, name: &str) -> Option<RegRef> {
        self.names.find(name)
    }

    /// Returns whether this generation has a field of a register.
    pub(in crate::cp) fn has_field(&self, register: &str, field: &str) -> bool {
        self.names.field(register, field).is_some()
    }

    /// Returns a field of a register by name. None if this generation has no such field or its value is unknown.
    pub fn field(&self, register: &str, field: &str) -> Option<FieldState> {
        let (register, field) = self.names.field(register, field)?;
        let word = self.value(register.addr())?;
        Some(FieldState { register, field, word, origin: self.registers.origin(register.addr()) })
    }
}

/// A field of a register at a draw.
///
/// For an example see [`DrawView`](crate::cp::DrawView).
#[derive(Debug, Clone, Copy)]
pub struct FieldState {
    /// The register.
    pub register: RegRef,
    /// The field.
    pub field: &'static FieldInfo,
    /// The whole register.
    pub word: u32,
    /// The packet that wrote the register; None for the value of CLEAR_STATE.
    pub origin: Option<Origin>,
}

impl FieldState {
    /// Returns the value of the field.
    pub fn value(&self) -> u32 {
        self.field.get(self.word)
    }

    /// Returns whether the field is not 0.
    pub fn is_set(&self) -> bool {
        self.value() != 0
    }

    /// Returns the register's word with another value in this field.
    pub fn with(&self, value: u32) -> u32 {
        self.word & !self.field.mask() | value << self.field.lo & self.field.mask()
    }
}
