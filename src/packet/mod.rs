//! PM4 packets: headers, formats, reading and writing of command streams.
//!
//! A stream is a slice of 32-bit words. [`Reader`] cuts it into [`Packet`]s without copying; [`Writer`] appends packets to a caller's slice or to a
//! growable [`Stream`]. What is inside a packet (names, bit positions, enums, per generation and engine) comes from the description files in
//! `regdb/packets` as static tables: [`formats`].
//!
//! ```
//! use pm4::chip::Gfx;
//! use pm4::packet::{Queue, Reader, Stream, layouts::DrawInitiator};
//! # #[cfg(feature = "gfx11")] {
//! let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
//! stream.set_reg(0x2880C, 0x1_8600)?; // DB_SHADER_CONTROL
//! stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?;
//!
//! let names: Vec<_> = Reader::new(stream.words()).flatten().map(|p| p.name(Gfx::Gfx11)).collect();
//! assert_eq!(names, [Some("SET_CONTEXT_REG"), Some("DRAW_INDEX_AUTO")]);
//! # }
//! # Ok::<(), pm4::packet::WriteError>(())
//! ```

mod rules;
mod state;
mod wire;
mod write;

pub use rules::write_error::{FieldCondition, WriteError};
pub(crate) use rules::{MOST_IN_PACKED_N, most_in_packed_n};
pub use state::filter::FilteredWriter;
#[cfg(feature = "self-test")]
pub(crate) use state::known::self_test as known_self_test;
#[cfg(feature = "draw")]
pub(crate) use state::known::{KnownValues, SlotSet};
pub use state::prepared::PreparedState;
pub use wire::defect::Defect;
pub use wire::effects::{Action, Effect, EffectKinds, MemoryAddress, Timing, Work, WrittenData};
pub use wire::event::Event;
#[cfg(feature = "report")]
pub(crate) use wire::fields::DecodedSplitValue;
pub use wire::fields::{AddressValue, FieldValue, Fields};
pub use wire::formats::{
    AddressLimits, Bits, Condition, Enum, EnumValue, Field, FieldRegister, FirmwareCounter, FirmwareNeed, Form, FormSize, Format, Layout, RepeatedGroup, Scope,
    SplitValue, ToleratedBits, formats,
};
pub(crate) use wire::groups::inside_group;
pub use wire::groups::register_group;
pub use wire::header::{Header, ShaderType};
pub use wire::opcode::{Engine, Opcode, Queue};
#[cfg(feature = "overlay")]
pub use wire::overlay;
#[cfg(feature = "overlay")]
pub use wire::overlay::{Body, Word};
pub use wire::reader::{DecodeError, Packet, Reader};
pub use wire::register_writes::{RegisterWrite, RegisterWrites};
pub use wire::structs;
pub use wire::structs::{ClosedPacket, Emit, OpenPacket, PacketFields, Value, WholePacket};
#[cfg(feature = "gfx9")]
pub use wire::tables::gfx9;
#[cfg(feature = "gfx10")]
pub use wire::tables::gfx10;
#[cfg(feature = "gfx11")]
pub use wire::tables::gfx11;
#[cfg(feature = "gfx12")]
pub use wire::tables::gfx12;
#[cfg(feature = "gfx103")]
pub use wire::tables::gfx103;
#[cfg(feature = "gfx115")]
pub use wire::tables::gfx115;
pub use wire::tables::{layouts, values};
pub use wire::windows::register_index;
pub(crate) use wire::windows::{CONTEXT, Window, next_indexed};
pub use write::buffer::{Buffer, FixedBuffer};
pub use write::chunks::{BufferLevel, Chunk, ChunkSource, Chunks, CommandBuffer, FinishedBuffer, StreamError, Submission};
pub(crate) use write::direct::{Direct, KnownRegisters, SetPacket};
pub use write::lists::RegisterList;
pub use write::shortcuts::IbKind;
pub(crate) use write::shortcuts::{counted_draw, indexed_draw, instances_packet};
#[cfg(feature = "draw")]
pub(crate) use write::writer::Mark;
pub use write::writer::{Stream, Writer};
pub use write::writer_options::{Firmware, RegisterForm, WriterOptions};
