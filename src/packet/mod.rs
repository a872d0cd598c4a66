//! PM4 packets: headers, formats, reading and writing of command streams.
//!
//! A stream is a slice of 32-bit words. [`Reader`] splits it into [`Packet`]s without copying; [`Writer`] appends packets to a caller's slice or to a growable
//! [`Stream`]. The contents of packets (names, bit positions, enums, per generation and engine) come from the description files in `regdb/packets` as static
//! tables: [`formats`].
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

#[cfg(feature = "alloc")]
mod encode;
mod for_gfx;
mod formats;
#[cfg(feature = "alloc")]
mod read;
#[cfg(feature = "alloc")]
mod rules;
#[cfg(feature = "alloc")]
mod state;
mod tables;
mod typed;
mod wire;
#[cfg(feature = "alloc")]
mod write;

pub use formats::effect_row::{Timing, Work};
pub use formats::field::{Bits, Condition, Enum, EnumValue, Field, FieldRegister, Layout};
pub use formats::format::{AddressLimits, FirmwareCounter, FirmwareNeed, Form, FormSize, Format, RepeatedGroup, SplitValue, ToleratedBits};
#[cfg(feature = "alloc")]
pub use read::defect::Defect;
#[cfg(feature = "alloc")]
pub use read::effect::{Action, Effect, MemoryAddress, WrittenData};
#[cfg(feature = "report")]
pub(crate) use read::fields::DecodedSplitValue;
#[cfg(feature = "alloc")]
pub use read::fields::{AddressValue, FieldValue, Fields};
#[cfg(feature = "alloc")]
pub use read::packet::Packet;
#[cfg(feature = "alloc")]
pub use read::reader::{DecodeError, Reader};
#[cfg(feature = "alloc")]
pub use read::register_writes::{RegisterWrite, RegisterWrites};
#[cfg(feature = "alloc")]
pub use rules::firmware::Firmware;
#[cfg(feature = "alloc")]
pub use rules::write_error::{FieldCondition, WriteError};
#[cfg(feature = "alloc")]
pub(crate) use rules::{MOST_IN_PACKED_N, most_in_packed_n};
#[cfg(feature = "alloc")]
pub use state::filter::FilteredWriter;
#[cfg(feature = "draw")]
pub(crate) use state::known::{KnownValues, SlotSet};
#[cfg(feature = "alloc")]
pub use state::prepared::PreparedState;
pub use tables::effect_kinds::EffectKinds;
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
pub use tables::lookup::formats;
#[cfg(feature = "overlay")]
pub use typed::overlay::{Body, Word};
pub use typed::packet_fields::{ClosedPacket, Emit, OpenPacket, PacketFields, Value, WholePacket};
pub use wire::event::Event;
pub(crate) use wire::groups::inside_group;
pub use wire::groups::register_group;
pub use wire::header::{Header, ShaderType};
pub use wire::opcode::{Engine, Opcode, Queue};
pub use wire::scope::Scope;
pub use wire::windows::register_index;
pub(crate) use wire::windows::{CONTEXT, Window, next_indexed};
#[cfg(feature = "alloc")]
pub use write::buffer::{Buffer, FixedBuffer};
#[cfg(feature = "alloc")]
pub use write::chunks::{Chunk, ChunkSource, Chunks};
#[cfg(feature = "alloc")]
pub use write::command_buffer::{CommandBuffer, FinishedBuffer, StreamError};
#[cfg(feature = "alloc")]
pub(crate) use write::direct::{Direct, KnownRegisters, SetPacket};
#[cfg(feature = "alloc")]
pub use write::levels::{BufferLevel, IbKind};
#[cfg(feature = "alloc")]
pub use write::lists::RegisterList;
#[cfg(feature = "alloc")]
pub(crate) use write::shortcuts::{counted_draw, indexed_draw, instances_packet};
#[cfg(feature = "alloc")]
pub use write::submission::Submission;
#[cfg(feature = "draw")]
pub(crate) use write::writer::Mark;
#[cfg(feature = "alloc")]
pub use write::writer::{Stream, Writer};
#[cfg(feature = "alloc")]
pub use write::writer_options::{RegisterForm, WriterOptions};

pub mod structs {
    //! Packets as structs with all their fields, and their encoder and decoder.
    //!
    //! The modules [`gfx9`](crate::packet::gfx9) to [`gfx12`](crate::packet::gfx12) contain one struct per packet that user mode may write, with the fields of
    //! that generation; using a field that the generation lacks is a compile error. Fields left to `..Default::default()` are 0. Addresses are whole, not split
    //! into halves; words with the layout of registers have [named bits](crate::packet::layouts). A field that exists only in some uses of the packet is an
    //! `Option`: the encoder refuses a packet that lacks a required field, or has a field for which the other fields leave no room.

    pub use super::tables::generated::structs::*;
    pub use super::typed::packet_fields::{ClosedPacket, Emit, Members, OpenPacket, PacketFields, Slot, StructLayout, Value, Values, WholePacket};
}

#[cfg(feature = "overlay")]
pub mod overlay {
    //! Typed bodies: every packet as a struct over its words, bit for bit.
    //!
    //! One struct for each distinct layout; the modules `gfx9` to `gfx12` give them plain names for one generation. A word of several fields is a [`Word`] that
    //! converts to and from its bit-field struct in [`words`]; reserved bits survive both conversions. Most programs want [`structs`](crate::packet::structs):
    //! whole addresses, named values, each field checked.
    //!
    //! ```
    //! use pm4::packet::overlay::{DrawIndexAuto, words::EventWriteControl};
    //! use pm4::packet::{Body, Opcode, Word};
    //! let draw = DrawIndexAuto { index_count: 3, draw_initiator: 2 };
    //! assert_eq!(DrawIndexAuto::OPCODE, Opcode::DRAW_INDEX_AUTO);
    //! assert_eq!(draw.words(), [3, 2]);
    //!
    //! let flush = Word::<EventWriteControl>::from_raw(0x410).get();
    //! assert_eq!((flush.event_type(), flush.event_index()), (0x10, 4)); // PS_PARTIAL_FLUSH
    //! ```
    //!
    //! Bodies implement zerocopy's `IntoBytes` and `FromBytes`: they overlay words in place. They are for callers that read raw words; to write packets, use
    //! the structs of [`structs`](crate::packet::structs). The feature `overlay` is off by default because it makes `cargo check` of the crate take 1.5 times
    //! as long.

    pub use super::tables::generated::overlay::*;
    pub use super::typed::overlay::{Body, BodyWord, Word};
}
