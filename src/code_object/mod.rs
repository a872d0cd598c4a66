//! LLVM code objects: kernels and shaders from any LLVM-based compiler, as dispatches and pipelines of this crate.
//!
//! A code object is an ELF file. HSA code objects (`amdgcn-amd-amdhsa`: OpenCL, HIP and others) contain kernels, each with a 64-byte descriptor and metadata; a
//! [`Kernel`] becomes a PM4 dispatch or an AQL packet. PAL code objects (`amdgcn--amdpal`) contain pipelines, whose metadata states register values; a
//! [`PalPipeline`] becomes a dispatch, or the vertex and pixel stages of a draw. The module reads code objects V3 to V6, as written by LLVM 14 to 22, for
//! processors from GFX9 on. For chips without graphics (gfx90a, gfx942, …) it reads everything and makes AQL packets, but no PM4.
//!
//! Each bit of a descriptor is either kept or refused with the name of its register and field. Damage is an error, never a panic; time and memory are bounded
//! by the size of the file. [The guide](crate::guide::compute) has a chapter about it.
//!
//! ```
//! # #[cfg(feature = "gfx11")] {
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
//! use pm4::chip::Chip;
//! use pm4::code_object::{CodeObject, Launch};
//!
//! let object = CodeObject::parse(file)?;
//! assert_eq!((object.target.to_string(), object.version()), ("gfx1100".to_owned(), Some(6)));
//! let kernel = object.kernel("saxpy").expect("it is in the file");
//! let launch = Launch { image: 0x1_0000_0000, kernarg: 0x2_0000_0000, grid: [1024, 1, 1], ..Launch::default() };
//! let dispatch = kernel.dispatch(Chip::Navi31, &launch)?; // PM4
//! assert_eq!(dispatch.program.address, Some(launch.image + kernel.code_at));
//! let packet = kernel.aql(&launch)?; // AQL
//! assert_eq!(packet.kernel_object, launch.image + kernel.descriptor_at);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod descriptor;
mod descriptor_fields;
mod elf_file;
mod error;
mod image;
mod kernel;
mod launch;
mod msgpack;
mod object;
mod pal;
mod pal_names;
mod pal_pipeline;
mod processor;

pub use arguments::KernelArguments;
pub use descriptor::{DescriptorDefect, KernelDescriptor, KernelField};
pub use descriptor_fields::{DescriptorWord, FieldUse};
pub use error::CodeObjectError;
pub use kernel::{Kernel, KernelArgument};
pub use launch::{Launch, LaunchError};
pub use msgpack::MetadataValue;
pub use object::CodeObject;
pub use pal::{HardwareStage, PalPipeline, PalStage};
pub use pal_names::PalRegister;
pub use pal_pipeline::PalDifference;
pub use processor::{Processor, TargetFeature, TargetId, UnknownProcessor};
