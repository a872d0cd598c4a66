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

mod formats;
mod read;
mod rules;
mod state;
mod tables;
mod typed;
mod wire;
mod write;

pub use formats::format::{
    AddressLimits, Bits, Condition, Enum, EnumValue, Field, FieldRegister, FirmwareCounter, FirmwareNeed, Form, FormSize, Format, Layout, RepeatedGroup, Scope,
    SplitValue, ToleratedBits, formats,
};
pub use read::defect::Defect;
pub use read::effects::{Action, Effect, EffectKinds, MemoryAddress, Timing, Work, WrittenData};
#[cfg(feature = "report")]
pub(crate) use read::fields::DecodedSplitValue;
pub use read::fields::{AddressValue, FieldValue, Fields};
pub use read::reader::{DecodeError, Packet, Reader};
pub use read::register_writes::{RegisterWrite, RegisterWrites};
pub use rules::write_error::{FieldCondition, WriteError};
pub(crate) use rules::{MOST_IN_PACKED_N, most_in_packed_n};
pub use state::filter::FilteredWriter;
pub use state::prepared::PreparedState;
#[cfg(feature = "gfx9")]
pub use tables::generated::gfx9;
#[cfg(feature = "gfx10")]
pub use tables::generated::gfx10;
#[cfg(feature = "gfx11")]
pub use tables::generated::gfx11;
#[cfg(feature = "gfx12")]
pub use tables::generated::gfx12;
#[cfg(feature = "gfx103")]
pub use tables::generated::gfx103;
#[cfg(feature = "gfx115")]
pub use tables::generated::gfx115;
pub use tables::generated::{layouts, values};
#[cfg(feature = "overlay")]
pub use typed::overlay;
#[cfg(feature = "overlay")]
pub use typed::overlay::{Body, Word};
pub use typed::packet_fields as structs;
pub use typed::packet_fields::{ClosedPacket, Emit, OpenPacket, PacketFields, Value, WholePacket};
pub use wire::event::Event;
pub(crate) use wire::groups::inside_group;
pub use wire::groups::register_group;
pub use wire::header::{Header, ShaderType};
pub use wire::opcode::{Engine, Opcode, Queue};
pub use wire::windows::register_index;
pub(crate) use wire::windows::{CONTEXT, Window, next_indexed};
pub use write::buffer::{Buffer, FixedBuffer};
pub use write::chunks::{BufferLevel, Chunk, ChunkSource, Chunks, CommandBuffer, FinishedBuffer, StreamError, Submission};
pub(crate) use write::direct::{Direct, KnownRegisters, SetPacket};
pub use write::lists::RegisterList;
pub use write::shortcuts::IbKind;
pub(crate) use write::shortcuts::{counted_draw, indexed_draw, instances_packet};
pub use write::writer::{Stream, Writer};
pub use write::writer_options::{Firmware, RegisterForm, WriterOptions};
