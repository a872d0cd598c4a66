//! Programs of shaders: what waves start with, what stages pass on, occupancy, and words of compilers as descriptions.

mod image_programs;
mod link;
mod occupancy;
mod pixel_link;
pub(crate) mod wave_start;
mod words;

pub use image_programs::ImagePrograms;
pub(crate) use image_programs::{Coordinates, ImageProgram, MASK_ROW_LOG2, SGPRS, VGPRS, blit_table};
pub use link::{LinkError, StageLink};
pub use occupancy::{Occupancy, OccupancyLimit, Workgroup, occupancy, pixel_occupancy, register_occupancy, wave_limit};
pub use pixel_link::{LinkedValue, PixelLink, PixelLinkError, PixelRead};
pub use wave_start::{PlacedItem, RegisterMap, SgprItem, SgprMap, VgprItem, VgprMap, WaveStart};
pub use words::{ExportWords, PixelWords, ProgramWords, WordsError};
