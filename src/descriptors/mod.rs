//! Resource descriptors, through which shaders access memory: buffers (V#, 4 dwords), images (T#, 8 dwords) and samplers (S#, 4 dwords).
//!
//! Three layers, each usable on its own:
//!
//! * [`BufferDesc`], [`ImageDesc`] and [`SamplerDesc`] state a resource in API terms; `words` checks every limit of the chip and returns the dwords.
//! * The modules [`gfx9`] to [`gfx12`] hold typed descriptors under their plain names, with one field per bit range. Using a field that a generation lacks is a
//!   compile error. The types convert from dwords and implement `Debug`.
//! * [`DescriptorKind::fields`] lists the fields on a generation, for programs that show descriptors of any chip.
//!
//! Fields, value lists and formats come from `regdb/descriptors/`. Sources: Mesa 25.0.7 register descriptions and ac_descriptors.c, PAL 04/2025 where named.
//! None of this has been run on real hardware.
//!
//! ```
//! use pm4::chip::Chip;
//! use pm4::descriptors::{ImageDesc, TexelFormat, gfx11};
//!
//! let texture = ImageDesc { width: 1920, height: 1080, swizzle: 27, ..ImageDesc::new(0x2345_6789_0000, TexelFormat::R8G8B8A8_UNORM) };
//! let words = texture.words(Chip::Navi31)?;
//! assert_eq!(words[0], 0x4567_8900);
//!
//! let read = gfx11::ImageDescriptor::from(words); // any driver's words
//! assert_eq!((read.width(), read.height(), read.format()), (1919, 1079, gfx11::Gfx11Format::GFX11_FORMAT_8_8_8_8_UNORM));
//! # Ok::<(), pm4::descriptors::DescriptorError>(())
//! ```
//!
//! Using a field that a generation lacks is a compile error. GFX10.1 has no field for a pitch:
//!
//! ```
//! let _ = pm4::descriptors::gfx103::ImageDescriptor::new().with_pitch_msb(true);
//! ```
//! ```compile_fail,E0599
//! let _ = pm4::descriptors::gfx10::ImageDescriptor::new().with_pitch_msb(true);
//! ```

mod buffer_descriptor;
mod compare;
mod error;
mod format_row;
mod image_descriptor;
mod sampler_descriptor;
mod texel_format;
mod typed_descriptor;

pub use buffer_descriptor::{BufferCompression, BufferDesc, BufferSwizzle, OutOfBounds};
pub use compare::Compare;
pub use error::DescriptorError;
pub use format_row::ChannelSource;
pub use image_descriptor::{CompressedBlock, DepthBits, ImageCompression, ImageDesc, ImageDimension, Metadata, ViewRange};
pub use sampler_descriptor::{AddressMode, BorderColor, Filter, MipFilter, Reduction, SamplerDesc};
pub use typed_descriptor::*;
