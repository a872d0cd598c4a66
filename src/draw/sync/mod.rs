//! Barriers, fences and waits by intent.
//!
//! A [`Barrier`] names the accesses before and after it; [`Plan`] turns it into the packets of a generation, each with its reasons; the `Recorder` writes them.
//! The packets differ:
//!
//! | | GFX9 | GFX10.1, GFX10.3 | GFX11, GFX11.5, GFX12 |
//! |---|---|---|---|
//! | shaders | EVENT_WRITE partial flushes | the same | the same |
//! | what events write | RELEASE_MEM with a fence, WAIT_REG_MEM | the same | RELEASE_MEM and ACQUIRE_MEM of a pixel wait sync; on compute queues a fence |
//! | colour and depth | RELEASE_MEM with a fence, WAIT_REG_MEM | the same, cache actions in the release | RELEASE_MEM and ACQUIRE_MEM of a pixel wait sync, no memory |
//! | caches | PFP_SYNC_ME, ACQUIRE_MEM with CP_COHER_CNTL | ACQUIRE_MEM with GCR_CNTL | the same |
//!
//! Sources: Mesa 25.0.7 radv_cs.c, PAL gfx9CmdUtil.cpp, gfx9Barrier.cpp and gfx12Barrier.cpp, captures of RADV on GFX9 to GFX11. Barriers of GFX12 have not
//! been compared with captures.

mod access;
mod error;
mod fence;
mod image;
mod metadata_words;
mod needs;
mod packets;
mod plan;
mod state;

pub use access::{Access, AccessSet, Barrier, Order};
pub use error::SyncError;
pub use fence::{Fence, FenceAfter, FenceData, Interrupt, Wait, WaitCompare};
pub use image::{ImageMetadata, ImageState, ImageTransition, MetadataFill, TransitionPlan};
pub(crate) use packets::{emit_on, write_wait, write_words};
pub use plan::{Caches, Plan, Planned, Step, SyncAction, WaitStage};
pub use state::{SyncMemory, SyncState};
