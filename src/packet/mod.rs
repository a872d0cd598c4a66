//! PM4 packets: headers, formats, reading and writing of command streams.
//!
//! A stream is a slice of 32-bit words. [`Reader`] cuts it into [`Packet`]s without copying; [`Writer`] appends packets to a caller's slice or to a
//! growable [`Stream`]. What is inside a packet (names, bit positions, enums, per generation and engine) comes from the description files in
//! `regdb/packets` as static tables: [`formats`].
//!
//! ```
//! use pm4::chip::Gfx;
//! use pm4::packet::{Queue, Reader, Stream};
//! # #[cfg(feature = "gfx11")] {
//! let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
//! stream.set_reg(0x2880C, 0x1_8600)?; // DB_SHADER_CONTROL
//! stream.draw_index_auto(3, 2)?;
//!
//! let names: Vec<_> = Reader::new(stream.words()).flatten().map(|p| p.name(Gfx::Gfx11)).collect();
//! assert_eq!(names, [Some("SET_CONTEXT_REG"), Some("DRAW_INDEX_AUTO")]);
//! # }
//! # Ok::<(), pm4::packet::WriteError>(())
//! ```

pub mod author;
pub mod body;
mod buffer;
mod chunks;
mod decode;
mod defect;
mod event;
mod filter;
mod format;
mod groups;
mod header;
mod opcode;
mod options;
mod prepared;
mod reader;
mod registers;
mod rules;
mod runs;
mod shadow;
mod spans;
mod spine;
mod tables;
mod window;
mod write_error;
mod writer;
mod writes;

pub use author::{Closed, Open, PacketFields, Value};
pub use body::{Body, Word};
pub use buffer::{Buffer, Fixed};
pub use chunks::{Bounded, Chunk, ChunkSource, CommandBuffer, Finished, Level, Submission};
pub use decode::{FieldValue, Fields};
pub use defect::Defect;
pub use event::Event;
pub use filter::Filtered;
pub use format::{Bits, Condition, Enum, EnumValue, Field, Form, Format, Layout, Repeat, Scope, Size, formats};
pub use groups::register_group;
pub use header::{Header, ShaderType};
pub use opcode::{Engine, Opcode, Queue};
pub use options::{Firmware, Options, RegisterForm};
pub use prepared::Prepared;
pub use reader::{DecodeError, Packet, Reader};
pub use registers::RegisterList;
pub use spine::IbKind;
#[cfg(feature = "gfx9")]
pub use tables::gfx9;
#[cfg(feature = "gfx10")]
pub use tables::gfx10;
#[cfg(feature = "gfx11")]
pub use tables::gfx11;
#[cfg(feature = "gfx12")]
pub use tables::gfx12;
#[cfg(feature = "gfx103")]
pub use tables::gfx103;
#[cfg(feature = "gfx115")]
pub use tables::gfx115;
pub use tables::values;
pub use window::register_index;
pub use write_error::WriteError;
pub use writer::{Stream, Writer};
pub use writes::{RegisterWrite, RegisterWrites};
