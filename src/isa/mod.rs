//! Shader instructions: the scalar and control part of the instruction set, exports, memory accesses, and the vector instructions that this crate's programs
//! need.
//!
//! * [`Instruction`] has typed operands; [`Instruction::encode`], [`Instruction::decode`] and [`Instruction::text`] convert, [`parse`] reads assembly.
//! * [`ShaderCode`] holds a whole program in which branches follow their targets; [`disassemble`] prints any dwords.
//! * [`hwreg`] contains the registers of a wave, typed by generation.
//! * [`Sdwa`], [`Dpp`], [`Dpp8`] are the control dwords of vector instructions.
//! * [`pops`] writes the ordered section.
//!
//! Numbers and names come from `regdb/isa/`. Sources: LLVM 19.1.7 assembler (GFX9 to GFX11.5), LLVM instruction descriptions (GFX12), Linux 6.12 register
//! headers, AMD ISA manuals.
//!
//! ```
//! use pm4::chip::Gfx;
//! use pm4::isa;
//! let words = [0xBF8B_0000, 0x1234_5678];
//! assert_eq!(isa::parse(Gfx::Gfx11, "s_wait_event 0x0").unwrap().encode(Gfx::Gfx11).unwrap().as_slice(), &words[..1]);
//! print!("{}", isa::disassemble(Gfx::Gfx11, &words)); // what is not understood prints as .long
//! ```

mod error;
mod export;
mod export_target;
pub mod hwreg;
mod image_instructions;
mod instruction;
mod length;
mod memory_instructions;
pub mod message;
mod operand;
mod operand_checks;
mod parse;
pub mod pops;
mod program;
mod scalar_writes;
mod tables;
mod vector;
mod vector_alu;
mod wait_counters;
mod wave_size;
mod words;

pub use error::{EncodeError, ParseError};
pub use export::Export;
pub use export_target::ExportTarget;
pub use image_instructions::{Image, ImageDim};
pub use instruction::Instruction;
pub use memory_instructions::{CachePolicy, Mubuf, Smem};
pub use operand::{Reg, Src};
pub use parse::parse;
pub use program::{CodeItem, ShaderCode, disassemble};
pub(crate) use scalar_writes::{may_write_condition, may_write_sgprs};
pub use tables::{Encoding, Op, Operand};
pub use vector::{Dpp, Dpp8, DppLanes, Sdwa, SdwaResult, SdwaSelect, SdwaSource, SdwaUnused};
pub use vector_alu::{VectorAlu, VectorSrc};
pub use wait_counters::Waitcnt;
pub use wave_size::WaveSize;
pub use words::Words;
