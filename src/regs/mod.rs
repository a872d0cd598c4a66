//! Registers: tables of all known registers, and typed structs of those that drivers program.
//!
//! * [`lookup`] finds the register at an address of a generation; [`registers`] lists all registers; [`find`] searches by name.
//! * The modules [`gfx9`] to [`gfx12`] hold the typed registers under their plain names. Using a field that a generation lacks is a compile error.
//! * [`Register`] ties a typed register to its name and address; [`BitField`] constants serve `const` code and hot paths.
//!
//! All data comes from `regdb/`; each table entry names the sources of its register.
//!
//! ```
//! use pm4::chip::Gfx;
//! use pm4::regs::{self, Register, gfx11};
//!
//! let control = gfx11::DbShaderControl::new().with_z_order(gfx11::ZOrder::LATE_Z).with_primitive_ordered_pixel_shader(true).with_override_intrinsic_rate_enable(true);
//! assert_eq!(u32::from(control), 0x0201_0000);
//! assert_eq!(gfx11::DbShaderControl::addr(Gfx::Gfx11), Some(0x2880C));
//! assert_eq!(regs::lookup(Gfx::Gfx11, 0x2880C).unwrap().to_string(), "DB_SHADER_CONTROL");
//! ```
//!
//! A register or field that a generation lacks is a compile error. OVERRIDE_INTRINSIC_RATE exists from GFX11 on:
//!
//! ```
//! let _ = pm4::regs::gfx11::DbShaderControl::new().with_override_intrinsic_rate(0);
//! ```
//! ```compile_fail,E0599
//! let _ = pm4::regs::gfx10::DbShaderControl::new().with_override_intrinsic_rate(0);
//! ```
//!
//! GFX11 removed POPS_OVERLAP_NUM_SAMPLES:
//!
//! ```
//! let _ = pm4::regs::gfx103::DbShaderControl::new().with_pops_overlap_num_samples(0);
//! ```
//! ```compile_fail,E0599
//! let _ = pm4::regs::gfx11::DbShaderControl::new().with_pops_overlap_num_samples(0);
//! ```
//!
//! GFX11 also removed DB_DFSM_CONTROL:
//!
//! ```
//! let _ = pm4::regs::gfx103::DbDfsmControl::new();
//! ```
//! ```compile_fail,E0433
//! let _ = pm4::regs::gfx11::DbDfsmControl::new();
//! ```

#[macro_use]
mod ladder;
pub(crate) mod bit_struct;
mod bits;
mod info;
mod place;
mod typed;

pub use bit_struct::FieldType;
pub use bits::BitField;
pub(crate) use info::tables;
pub use info::{EnumInfo, FieldInfo, RegRef, RegisterInfo, Sources, Space, enums, find, lineage, lookup, registers};
pub(crate) use ladder::by_name;
pub use place::RegisterPlace;
pub use typed::*;
