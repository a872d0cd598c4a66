//! Why a packet was not written.

use crate::chip::Gfx;
use crate::packet::formats::field::Enum;
use crate::packet::wire::event::Event;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use crate::packet::wire::scope::Scope;
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;

/// Returns what is wrong with a header for a body of this number of dwords.
fn body_size(header: Header, dwords: usize) -> String {
    let most = Header::MAX_BODY;
    if dwords > most {
        format!("a body of {dwords} dwords is too long: a packet has at most {most}")
    } else if header.packet_type() == 3 && dwords == 0 && header.opcode() != Opcode::NOP {
        format!("{} without a body: only NOP may have none", header.opcode())
    } else {
        format!("header {header} does not describe a type 3 packet with a body of {}", counted(dwords, "dword"))
    }
}

/// Why a packet was not written. The buffer is as it was before.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Queue, WriteError, Writer}};
/// # #[cfg(feature = "gfx11")] {
/// let mut memory = [0; 2];
/// let mut stream = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
/// assert!(matches!(stream.set_reg(0x2880C, 0), Err(WriteError::Full { .. })));
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The buffer is too small.
    #[error("buffer full: {packet} needs {}; free: {room}", counted(*wanted, "dword"))]
    Full {
        /// The packet that was to be written.
        packet: Opcode,
        /// Dwords that the packet needs.
        wanted: usize,
        /// Dwords that are free.
        room: usize,
    },
    /// No SET packet reaches the address.
    #[error("register {addr:#x} is outside the windows of all SET packets")]
    NoWindow {
        /// Byte address.
        addr: u32,
    },
    /// A register address is not a multiple of 4.
    #[error("register address {addr:#x} is not a multiple of 4")]
    MisalignedRegister {
        /// Byte address.
        addr: u32,
    },
    /// The index is not 1 to 15.
    #[error("register {addr:#x}: index {index} is not allowed; it must be 1 to 15")]
    Index {
        /// Byte address.
        addr: u32,
        /// The index.
        index: u8,
    },
    /// Registers that belong together are written together: with one [`set_regs`](crate::packet::Writer::set_regs) or in one list
    /// ([`register_group`](crate::packet::register_group)).
    #[error(
        "a write that starts at {addr:#x} covers only a part of the registers {first:#x} to {last:#x}, which must be written together (PAL gfx9Pm4Optimizer.cpp IsRegisterMustWrite)"
    )]
    TornGroup {
        /// First byte address of the write.
        addr: u32,
        /// First register of the group.
        first: u32,
        /// Last register of the group.
        last: u32,
    },
    /// The generation or the queue lacks the packet; or a prepared state, which begins with this packet, was made for another generation or queue than this.
    #[error("{packet} does not exist on the {queue:?} queue of {gfx}")]
    NotAvailable {
        /// The packet.
        packet: Opcode,
        /// Queue of the stream.
        queue: Queue,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// A struct of a packet with the fields of another generation or another queue. This one has the packet with other fields, and another struct for it.
    #[error("this struct of {packet} has the fields of another generation or queue: take that of `packet::{gfx}` for the {queue:?} queue")]
    OtherStruct {
        /// The packet.
        packet: Opcode,
        /// Queue of the stream.
        queue: Queue,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// The header is not of type 3, its count does not fit the body, the body is longer than 16383 dwords, or a packet other than NOP has none.
    #[error("{}", body_size(*header, *dwords))]
    BodySize {
        /// The header.
        header: Header,
        /// Dwords of the body.
        dwords: usize,
    },
    /// A header bit that the engine of the queue lacks: predicate is for graphics, reset_filter_cam for graphics from GFX10 on (elsewhere it hangs).
    #[error("header {header} of {packet} sets {bit}{}", if *bit == RESERVED { String::new() } else { format!(", which the {queue:?} queue of {gfx} does not have") })]
    HeaderBit {
        /// The packet.
        packet: Opcode,
        /// The header.
        header: Header,
        /// Name of the bit.
        bit: &'static str,
        /// Queue of the stream.
        queue: Queue,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// A header lacks a bit without which the packet does something else (shader_type) or register writes can be lost (reset_filter_cam).
    #[error("header {header} of {packet} does not set {bit}, which the {queue:?} queue of {gfx} needs")]
    HeaderBitMissing {
        /// The packet.
        packet: Opcode,
        /// The header.
        header: Header,
        /// Name of the bit.
        bit: &'static str,
        /// Queue of the stream.
        queue: Queue,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// The packet has no form of this size on the queue.
    #[error("{packet} of {dwords} dwords: it does not have this size on the {queue:?} queue of {gfx}")]
    NoForm {
        /// The packet.
        packet: Opcode,
        /// Dwords with the header.
        dwords: usize,
        /// Queue of the stream.
        queue: Queue,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// Bits that belong to no field of the packet.
    #[error("{packet}: dword {dword} sets reserved bits {bits:#010x}")]
    ReservedBits {
        /// Name of the packet.
        packet: &'static str,
        /// Dword of the packet; 0 is the header.
        dword: usize,
        /// The bits.
        bits: u32,
    },
    /// The memory of a chunk is not aligned.
    #[error("{packet}: address {addr:#x} is not a multiple of {align}")]
    Misaligned {
        /// The packet.
        packet: Opcode,
        /// The address.
        addr: u64,
        /// What it must be a multiple of.
        align: u64,
    },
    /// An indirect buffer has 1 to 0xFFFFF dwords.
    #[error("INDIRECT_BUFFER: a buffer of {dwords} dwords; it must have 1 to 1048575")]
    IbSize {
        /// Its size.
        dwords: u32,
    },
    /// Compute queues have no second level of indirect buffers; only chains work there.
    #[error("INDIRECT_BUFFER cannot call on a compute queue, only chain")]
    CallOnCompute,
    /// Nothing may follow a chained INDIRECT_BUFFER: the engine does not return.
    #[error("{packet} after a chained INDIRECT_BUFFER would never be executed: put it before the chain")]
    AfterChain {
        /// The packet that was to be written.
        packet: Opcode,
    },
    /// The number names no event on this generation.
    #[error("EVENT_WRITE: {gfx} has no event {number}", number = event.0)]
    UnknownEvent {
        /// The event.
        event: Event,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// Timestamp events may hang in EVENT_WRITE; send them with RELEASE_MEM.
    #[error("EVENT_WRITE: {name} is a timestamp event and may hang the GPU; use RELEASE_MEM")]
    TimestampEvent {
        /// Name of the event.
        name: &'static str,
    },
    /// Sample events need an address, other events must not have one.
    #[error("EVENT_WRITE: {name} {}", if *.sample { "needs an address" } else { "must not have an address" })]
    EventAddress {
        /// Name of the event.
        name: &'static str,
        /// Whether it is a sample event.
        sample: bool,
    },
    /// Compute queues accept CS_PARTIAL_FLUSH and events of indices 0 and 2, on GFX11 also 8 to 11; not those of the graphics pipe.
    #[error("EVENT_WRITE: {name} (index {index}) is an event that compute queues do not have")]
    EventOnCompute {
        /// Name of the event.
        name: &'static str,
        /// Its index.
        index: u8,
    },
    /// A field of a packet cannot hold the number.
    #[error("{packet}: {field} = {value:#x} does not fit, {max:#x} is the limit")]
    FieldTooLarge {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The value that was to be written.
        value: u64,
        /// The largest value.
        max: u64,
    },
    /// An address is not aligned as its field demands.
    #[error("{packet}: {field} = {addr:#x} is not a multiple of {align}")]
    FieldMisaligned {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The address.
        addr: u64,
        /// What it must be a multiple of.
        align: u64,
    },
    /// Addresses have 48 bits, above which bit 47 may be repeated; those of some packets have fewer.
    #[error("{packet}: {field} = {addr:#x} is beyond the {bits} bits of an address")]
    AddressTooWide {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The address.
        addr: u64,
        /// Bits of the largest address.
        bits: u8,
    },
    /// A typed register of another generation.
    #[error("{register}{} is not a register of {gfx}", Layout(*.layout))]
    OtherGeneration {
        /// Its name.
        register: &'static str,
        /// The first generation with its layout, of those that are compiled in.
        layout: Option<Gfx>,
        /// The generation of the stream.
        gfx: Gfx,
    },
    /// An array of registers has fewer elements.
    #[error("{register} has {} on {gfx}, and index {index} is beyond them", counted(*count, "element"))]
    NoElement {
        /// Its name.
        register: &'static str,
        /// The requested element.
        index: u32,
        /// The number of elements.
        count: u32,
        /// The generation of the stream.
        gfx: Gfx,
    },
    /// No packet changes some bits of the register: only those of context and user configuration registers.
    #[error("{register} is a shader register: no packet can modify only a part; write the whole register")]
    NoModify {
        /// Its name.
        register: &'static str,
    },
    /// The word of this field has bits that the generation lacks.
    #[error("{packet}: {field} sets {bits}, which {gfx} does not have")]
    NoSuchBits {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Name of the bits.
        bits: &'static str,
        /// The generation.
        gfx: Gfx,
    },
    /// The generation gives the number no meaning in this field.
    #[error("{packet}: {field} = {value} has no meaning on this queue of {gfx}")]
    UnknownValue {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The number.
        value: u32,
        /// Generation of the stream.
        gfx: Gfx,
    },
    /// The other fields of the packet require this one.
    #[error("{packet}: {field} is missing{}", Because("it is needed where", *.condition))]
    FieldMissing {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The condition that requires it; None if the packet always has it.
        condition: Option<FieldCondition>,
    },
    /// The field has no meaning with the other fields of the packet as they are.
    #[error("{packet}: {field} is given, but has no meaning here{}", Because("it needs", *.condition))]
    FieldUnused {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
        /// The condition that does not hold; None if the generation or queue lacks the field.
        condition: Option<FieldCondition>,
    },
    /// Two fields share their bits and say different things.
    #[error("{packet}: {field} contradicts another field in the same bits")]
    FieldConflict {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field.
        field: &'static str,
    },
    /// The hardware does not accept this combination.
    #[error("{packet}: {field} = {value:#x}: {rule} ({source_of_rule})")]
    Rule {
        /// Name of the packet.
        packet: &'static str,
        /// Name of the field that breaks the rule.
        field: &'static str,
        /// Its value.
        value: u64,
        /// What the hardware requires.
        rule: &'static str,
        /// The source of the claim.
        source_of_rule: &'static str,
    },
    /// Only the kernel driver writes this packet.
    #[error("only the kernel driver may write {packet}")]
    KernelOnly {
        /// Name of the packet.
        packet: &'static str,
    },
    /// A register that only the kernel driver writes.
    #[error("register {addr:#x} is a config register: only the kernel driver may write it")]
    KernelRegister {
        /// Byte address.
        addr: u32,
    },
    /// What follows the fixed fields must be whole groups, one at least.
    #[error("{packet}: the fixed fields are followed by {}, which must be one or more groups of {group}", counted(*dwords, "dword"))]
    Tail {
        /// Name of the packet.
        packet: &'static str,
        /// Dwords given.
        dwords: usize,
        /// Dwords of a group.
        group: usize,
    },
    /// A packet needs newer firmware than the options of the stream state.
    #[error("{packet} needs {engine:?} firmware {needed}, but the options of the writer state {given}")]
    Firmware {
        /// Name of the packet.
        packet: &'static str,
        /// The engine whose firmware it is.
        engine: Engine,
        /// The first version with the packet.
        needed: u32,
        /// The version of the options.
        given: u32,
    },
    /// A packet needs a newer feature version than the options of the stream state.
    #[error("{packet} in this form needs ME feature version {needed}, but the options of the writer state {given}")]
    MeFeature {
        /// Name of the packet.
        packet: &'static str,
        /// The first version with the feature.
        needed: u32,
        /// The version of the options.
        given: u32,
    },
    /// Chunks have 32 to 0xFFFF8 dwords.
    #[error("a chunk of {}: it must have 32 to 1048568", counted(*dwords, "dword"))]
    ChunkSize {
        /// The requested number of dwords.
        dwords: usize,
    },
    /// The source of chunks has no more memory.
    #[error("no memory for a chunk of {dwords} dwords")]
    NoMemory {
        /// Dwords of the chunk.
        dwords: usize,
    },
    /// Only a primary buffer calls, only a secondary one is called: the graphics queue has one level of calls.
    #[error("only a primary command buffer can be submitted or call, and only a secondary one can be called")]
    Nesting,
    /// The other command buffer was built for another generation or queue.
    #[error("the other command buffer is of another generation or queue")]
    OtherStream,
    /// A range that may be skipped ends between packets: skipping it would continue inside this one.
    #[error("{packet} of {dwords} dwords crosses the end of a range that COND_EXEC or PRED_EXEC may skip; dwords left in the range: {left}")]
    SpanSplit {
        /// The packet that was to be written.
        packet: Opcode,
        /// Dwords that the packet needs.
        dwords: usize,
        /// Dwords that the range has left.
        left: usize,
    },
    /// A range that may be skipped is not filled yet.
    #[error("a range that COND_EXEC or PRED_EXEC may skip is not full; dwords missing: {left}")]
    SpanOpen {
        /// Dwords that the range has left.
        left: usize,
    },
    /// An index buffer of 0 indices hangs GFX10.1 (PAL waIndexBufferZeroSize).
    #[error("an index buffer of 0 indices (INDEX_BUFFER_SIZE, or max_size of an indexed draw) hangs GFX10.1: bind a buffer of one index")]
    EmptyIndexBuffer,
}

/// The generation of a layout, in words.
struct Layout(Option<Gfx>);

impl core::fmt::Display for Layout {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.map_or(Ok(()), |gfx| write!(f, " as {gfx} has it"))
    }
}

/// A condition on another field, as part of an error.
///
/// ```
/// use pm4::{chip::Gfx, packet::{FieldCondition, Queue, Stream, WriteError}};
/// # #[cfg(feature = "gfx11")] {
/// use pm4::packet::{PacketFields, gfx11::WriteData};
/// // Without dst_sel the packet writes a register, and has no address in memory.
/// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
/// let error = stream.emit(&WriteData { dst_mem_addr: Some(0x1000), ..Default::default() }.followed_by(&[7])).unwrap_err();
/// println!("{error}");
/// let WriteError::FieldUnused { condition: Some(FieldCondition { field, .. }), .. } = error else { panic!("{error:?}") };
/// assert_eq!(field, "dst_sel");
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FieldCondition {
    /// The other field.
    pub field: &'static str,
    /// Its values, or those that it must not have.
    pub values: &'static [u32],
    /// Whether the values are those that it must not have.
    pub not: bool,
    /// The value that it has.
    pub found: u32,
    pub(in crate::packet) names: Option<&'static Enum>,
    pub(in crate::packet) view: Scope,
}

impl PartialEq for FieldCondition {
    fn eq(&self, other: &Self) -> bool {
        (self.field, self.values, self.not, self.found) == (other.field, other.values, other.not, other.found)
    }
}

impl Eq for FieldCondition {}

impl FieldCondition {
    fn value(&self, value: u32, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.names.and_then(|names| names.name_of(self.view, value)) {
            Some(name) => f.write_str(name),
            None => write!(f, "{value}"),
        }
    }
}

impl core::fmt::Display for FieldCondition {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.field, if self.not { "other than " } else { "= " })?;
        for (i, value) in self.values.iter().enumerate() {
            f.write_str(if i > 0 { " or " } else { "" })?;
            self.value(*value, f)?;
        }
        write!(f, ", but {} is ", self.field)?;
        self.value(self.found, f)
    }
}

/// The name of [`HeaderBit`](WriteError::HeaderBit) for bits that no header may set.
pub(super) const RESERVED: &str = "a reserved bit: bits 7:3 must be 0";

/// A condition after a sentence.
struct Because(&'static str, Option<FieldCondition>);

impl core::fmt::Display for Because {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.1.map_or(Ok(()), |condition| write!(f, ": {} {condition}", self.0))
    }
}
