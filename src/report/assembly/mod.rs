//! From the output of [`dump`](super::dump) back to the stream: JSON records or text, line by line.

mod assembler;
mod error;
mod from_json;
mod from_text;
mod packet;

pub use assembler::{Assembler, assemble};
#[cfg(feature = "input")]
pub(crate) use assembler::{Part, Salvaged};
pub use error::AssemblyError;
