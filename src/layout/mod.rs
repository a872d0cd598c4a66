//! Surface layouts: the positions of an image's elements and metadata in memory. [`SurfaceLayout`] is the entry point; see also [the chapter of the
//! guide](crate::guide::layouts).
//!
//! ```
//! use pm4::chip::Chip;
//! use pm4::layout::{Element, SurfaceDesc, SurfaceLayout, SwizzleMode};
//!
//! let layout = SurfaceLayout::new(Chip::Navi21, &SurfaceDesc { width: 256, height: 256, levels: 9, ..SurfaceDesc::new(Element::texel(4)) })?;
//! assert_eq!(layout.plane.mode, SwizzleMode::SW_64KB_R_X);
//! assert_eq!(layout.plane.mips()[0].macro_offset, 131_072); // from GFX10 on the smallest levels are first
//! # Ok::<(), pm4::layout::LayoutError>(())
//! ```

mod blocks;
mod chain;
mod chain9;
mod choose;
mod config;
mod coordinates;
mod desc;
mod equation;
mod error;
mod hierarchical;
mod image_layout;
mod legal;
mod linear;
mod metadata;
mod metadata10;
mod metadata9;
mod metadata_bits;
mod metadata_equation;
mod metadata_equation10;
mod metadata_equation9;
mod metadata_size;
mod modes;
mod orders;
mod pattern_config;
mod pattern_rows;
mod patterns10;
mod patterns103;
mod patterns11;
mod plane;
mod shape;
mod size;
mod swizzle_bits;
mod tiler;
mod views;

pub use choose::BlockLimit;
pub use config::AddressConfig;
pub use desc::{ColorUsage, DepthUsage, Element, HtileUse, SurfaceDesc, Tiling, Usage};
pub use equation::Equation;
pub use error::LayoutError;
pub use hierarchical::Hierarchical;
pub use image_layout::{DccLayout, FmaskLayout, Stencil, SurfaceLayout};
pub use metadata::{MetadataKind, MetadataLayout, MetadataMip};
pub use metadata_equation::{MetadataAddress, MetadataAddresses, MetadataSurface};
pub use modes::SwizzleMode;
pub use plane::{Chain, MAX_LEVELS, Mip, Plane};
pub use tiler::{Linear, Region, Tiler};
