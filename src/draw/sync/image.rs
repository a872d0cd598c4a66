//! States of images: their accesses, the metadata that may be in use, and transitions between states.

use crate::chip::{Chip, Erratum};
use crate::descriptors::CompressedBlock;
use crate::draw::desc::{ColorCompression, DccBlocks, Htile, TargetPass};
use crate::draw::sync::access::{Access, AccessSet, Barrier};
use crate::draw::sync::error::SyncError;
use crate::draw::sync::plan::Plan;
use crate::packet::Queue;
use alloc::vec::Vec;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// The use of an image between two transitions.
///
/// For an example see [`ImageTransition`](crate::draw::sync::ImageTransition).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ImageState {
    /// No use: contents and metadata are lost. Earlier uses of the memory have ended.
    Undefined,
    /// A colour target, blended to or written.
    Color,
    /// A depth and stencil target, tested and written.
    Depth,
    /// A depth and stencil target that is only tested.
    DepthRead,
    /// Read by shaders.
    Sampled,
    /// Read and written by shaders.
    Storage,
    /// Source of copies by the command processor or SDMA, which do not support metadata. Copies by shaders read it as [`Sampled`](Self::Sampled).
    CopySource,
    /// Target of such copies.
    CopyTarget,
    /// Read by the display engine or the CPU. No source of this crate states which DCC a display reads, so none is in use.
    Present,
}

/// The metadata of an image, and what can read it.
///
/// ```
/// use pm4::draw::sync::{ImageMetadata, ImageState};
/// use pm4::draw::{ColorCompression, Dcc};
/// # #[cfg(feature = "gfx11")] {
/// use pm4::chip::Chip;
/// let dcc = Dcc { address: 0x20_0000, blocks: None };
/// let image = ImageMetadata::of_color(Chip::Navi31, &ColorCompression { dcc: Some(dcc), ..ColorCompression::default() });
/// assert!(ImageState::Sampled.allows(Chip::Navi31, &image).dcc.is_some()); // descriptors name DCC
/// assert!(ImageState::CopySource.allows(Chip::Navi31, &image).dcc.is_none()); // the DMA engine copies bytes
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ImageMetadata {
    /// Blocks of DCC (GFX9 to GFX11.5). On GFX12, DCC belongs to the pages, and all clients support it.
    pub dcc: Option<DccBlocks>,
    /// CMASK (GFX9 to GFX10.3).
    pub cmask: bool,
    /// FMASK (GFX9 to GFX10.3).
    pub fmask: bool,
    /// Whether shaders read FMASK while samples are compressed ([`Fmask::single_fragments`](crate::draw::Fmask::single_fragments)).
    pub fmask_readable: bool,
    /// Whether blocks may be cleared to the colour in registers ([`ColorCompression::clear_words`]), which shaders do not know.
    pub register_clears: bool,
    /// HTILE (GFX9 to GFX11.5).
    pub htile: bool,
    /// Whether shaders read depth while it is compressed ([`Htile::shader_readable`]).
    pub htile_readable: bool,
}

impl ImageMetadata {
    /// No metadata.
    pub const NONE: Self = Self { dcc: None, cmask: false, fmask: false, fmask_readable: false, register_clears: false, htile: false, htile_readable: false };

    /// Returns the metadata of a colour target.
    pub fn of_color(chip: Chip, compression: &ColorCompression) -> Self {
        if chip.gfx().major() >= 12 {
            return Self::NONE;
        }
        Self {
            dcc: compression.dcc.map(|dcc| dcc.blocks.unwrap_or(DccBlocks::of(chip))),
            cmask: compression.cmask.is_some(),
            fmask: compression.fmask.is_some_and(|fmask| fmask.compressed),
            fmask_readable: compression.fmask.is_some_and(|fmask| fmask.single_fragments),
            register_clears: compression.clear_words.is_some(),
            ..Self::NONE
        }
    }

    /// Returns the metadata of a depth target.
    pub fn of_depth(htile: &Htile) -> Self {
        Self { htile: true, htile_readable: htile.shader_readable, ..Self::NONE }
    }

    /// Returns whether there is any metadata.
    pub fn any(&self) -> bool {
        self.dcc.is_some() || self.cmask || self.fmask || self.htile
    }
}

/// Returns whether shaders write DCC with blocks of these sizes (Mesa 25.0.7 ac_surface_supports_dcc_image_stores). On chips whose image loads do not work with
/// it, drivers do not write it.
fn shaders_write(chip: Chip, blocks: DccBlocks) -> bool {
    let version = chip.gfx().version();
    let sizes = (blocks.independent_64, blocks.independent_128, blocks.largest);
    let written = match sizes {
        (false, true, CompressedBlock::B128) => version >= (10, 1),
        (true, true, CompressedBlock::B64) => version >= (10, 3),
        (false, true, CompressedBlock::B256) => version >= (11, 5),
        _ => false,
    };
    written && !chip.has(Erratum::ImageLoadDcc)
}

impl ImageState {
    /// Returns the accesses of the state; `shaders` gives those of shaders.
    pub(crate) fn accesses(self, shaders: AccessSet) -> AccessSet {
        let of = |reads: bool, writes: bool| shaders.iter().filter(|access| if access.writes() { writes } else { reads }).collect();
        match self {
            Self::Undefined => AccessSet::NONE,
            Self::Color => Access::ColorRead | Access::ColorWrite,
            Self::Depth => Access::DepthRead | Access::DepthWrite,
            Self::DepthRead => Access::DepthRead.into(),
            Self::Sampled => of(true, false),
            Self::Storage => of(true, true),
            Self::CopySource => Access::CopyRead.into(),
            Self::CopyTarget => Access::CopyWrite.into(),
            Self::Present => Access::HostRead.into(),
        }
    }

    /// Returns the metadata that may be in use in this state: writers of the image keep it up to date, and readers understand it. Sources: descriptors name DCC
    /// and HTILE (Mesa 25.0.7 gfx10_make_texture_descriptor), not CMASK; shaders of GFX9 cannot write DCC, later ones with some blocks; the DMA engine has no
    /// descriptor.
    pub fn allows(self, chip: Chip, image: &ImageMetadata) -> ImageMetadata {
        let ImageMetadata { dcc, fmask, fmask_readable, htile, htile_readable, .. } = *image;
        match self {
            Self::Undefined | Self::CopySource | Self::CopyTarget | Self::Present => ImageMetadata::NONE,
            Self::Color => ImageMetadata { htile: false, htile_readable: false, ..*image },
            Self::Depth | Self::DepthRead => ImageMetadata { htile, htile_readable, ..ImageMetadata::NONE },
            Self::Sampled => {
                let (fmask, htile) = (fmask && fmask_readable, htile && htile_readable);
                ImageMetadata { dcc, fmask, fmask_readable, htile, htile_readable, ..ImageMetadata::NONE }
            }
            Self::Storage => ImageMetadata { dcc: dcc.filter(|blocks| shaders_write(chip, *blocks)), ..ImageMetadata::NONE },
        }
    }
}

/// A transition of an image from one state to another.
///
/// ```
/// # #[cfg(feature = "gfx103")] {
/// use pm4::chip::Chip;
/// use pm4::draw::sync::{ImageMetadata, ImageState, ImageTransition, TransitionPlan};
/// use pm4::draw::{ColorCompression, Dcc, TargetPass};
/// use pm4::packet::Queue;
/// let dcc = Dcc { address: 0x20_0000, blocks: None };
/// let metadata = ImageMetadata::of_color(Chip::Navi21, &ColorCompression { dcc: Some(dcc), ..ColorCompression::default() });
/// let plan = |from, to| TransitionPlan::new(Chip::Navi21, Queue::Graphics, &ImageTransition { metadata, ..ImageTransition::new(from, to) });
/// let sampled = plan(ImageState::Color, ImageState::Sampled)?; // made once, written each frame: recorder.sync(&sampled.before)
/// assert!(sampled.passes.is_empty() && sampled.after.is_none());
/// let copied = plan(ImageState::Color, ImageState::CopySource)?;
/// assert_eq!(copied.passes, [TargetPass::DccDecompress]); // recorder.draw_pass between both barriers
/// # }
/// # Ok::<(), pm4::draw::sync::SyncError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageTransition {
    /// The state before.
    pub from: ImageState,
    /// The state after.
    pub to: ImageState,
    /// Accesses of shaders to the image, in either state; for [`Sampled`](ImageState::Sampled), only the reads count.
    pub shaders: AccessSet,
    /// The metadata that the image has.
    pub metadata: ImageMetadata,
    /// As [`Barrier::coherent_l2`].
    pub coherent_l2: bool,
}

impl ImageTransition {
    /// Creates a transition of an image without metadata that pixel and compute shaders use.
    pub fn new(from: ImageState, to: ImageState) -> Self {
        let shaders = Access::PixelRead | Access::PixelWrite | Access::ComputeRead | Access::ComputeWrite;
        Self { from, to, shaders, metadata: ImageMetadata::NONE, coherent_l2: false }
    }
}

/// Metadata that must be filled before use, so that it states that nothing is compressed.
///
/// For an example see [`TransitionPlan::fills`](crate::draw::sync::TransitionPlan::fills).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum MetadataFill {
    /// DCC keys.
    Dcc,
    /// CMASK.
    Cmask,
    /// FMASK: each sample has its own fragment.
    Fmask,
    /// HTILE: expanded, with the whole range of depth.
    Htile,
}

/// The steps between two states of an image: planned once, written as often as needed.
///
/// For an example see [`ImageTransition`](crate::draw::sync::ImageTransition).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransitionPlan {
    /// The barrier before passes and fills; the whole barrier if there are none.
    pub before: Plan,
    /// Passes over the image that write back metadata which the new state does not support, in this order
    /// ([`Recorder::draw_pass`](crate::draw::Recorder::draw_pass)). A transition that needs passes is refused on a compute queue.
    pub passes: Vec<TargetPass>,
    /// Metadata that comes into use without valid contents, to be filled by the DMA engine or by compute work. A
    /// clear that writes the whole image is equivalent.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{ImageMetadata, ImageState, ImageTransition, MetadataFill, TransitionPlan};
    /// use pm4::draw::Htile;
    /// use pm4::packet::Queue;
    /// let metadata = ImageMetadata::of_depth(&Htile { address: 0x20_0000, ..Htile::default() });
    /// let transition = ImageTransition { metadata, ..ImageTransition::new(ImageState::Undefined, ImageState::Depth) };
    /// let plan = TransitionPlan::new(Chip::Navi31, Queue::Graphics, &transition)?;
    /// assert_eq!(plan.fills, [MetadataFill::Htile]);
    /// # Ok::<(), pm4::draw::sync::SyncError>(())
    /// ```
    pub fills: Vec<MetadataFill>,
    /// The barrier after passes and fills.
    pub after: Option<Plan>,
}

impl TransitionPlan {
    /// Plans a transition. The same transition always gives the same packets.
    ///
    /// # Errors
    /// [`SyncError::NotOnQueue`] for states or passes that the queue does not run, [`SyncError::NoPass`] if a chip cannot write metadata back.
    pub fn new(chip: Chip, queue: Queue, transition: &ImageTransition) -> Result<Self, SyncError> {
        let ImageTransition { from, to, shaders, metadata, coherent_l2 } = *transition;
        let (held, allowed) = (from.allows(chip, &metadata), to.allows(chip, &metadata));
        let (passes, fills) = (passes_between(&held, &allowed), fills_between(from, &held, &allowed));
        if let Some(pass) = passes.iter().find(|pass| chip.gfx().major() > pass.last_generation().0) {
            return Err(SyncError::NoPass { chip, pass: *pass });
        }
        let compressed = held.any() || allowed.any();
        let barrier = |from, to| Plan::new(chip, queue, &Barrier { from, to, compressed, coherent_l2 });
        // The accesses of the passes and fills themselves.
        let middle = match (passes.first(), fills.is_empty()) {
            (Some(pass), _) if pass.is_color_pass() => Access::ColorRead | Access::ColorWrite,
            (Some(_), _) => Access::DepthRead | Access::DepthWrite,
            (None, false) => Access::CopyWrite.into(),
            (None, true) => AccessSet::NONE,
        };
        let (source, target) = (from.accesses(shaders), to.accesses(shaders));
        Ok(match middle.is_empty() {
            true => Self { before: barrier(source, target)?, passes, fills, after: None },
            false => Self { before: barrier(source, middle)?, passes, fills, after: Some(barrier(middle, target)?) },
        })
    }
}

/// Returns the passes that write back metadata which is in use but no longer allowed. The decompression of DCC also eliminates clears.
fn passes_between(held: &ImageMetadata, allowed: &ImageMetadata) -> Vec<TargetPass> {
    let dcc = held.dcc.is_some() && allowed.dcc.is_none();
    let passes = [
        (dcc, TargetPass::DccDecompress),
        (held.register_clears && !allowed.register_clears && !dcc, TargetPass::EliminateFastClear),
        (held.fmask && !allowed.fmask, TargetPass::FmaskDecompress),
        (held.htile && !allowed.htile, TargetPass::DepthDecompress),
    ];
    passes.into_iter().filter_map(|(needed, pass)| needed.then_some(pass)).collect()
}

/// Returns the metadata that comes into use but does not describe the contents of the image. Decompressed metadata describes them, and stays correct while only
/// the image is written. HTILE also has depth ranges, which other writers leave unchanged (Mesa 25.0.7 radv_handle_depth_image_transition fills it anew;
/// unverified, because no manual states it).
fn fills_between(from: ImageState, held: &ImageMetadata, allowed: &ImageMetadata) -> Vec<MetadataFill> {
    let undefined = from == ImageState::Undefined;
    let fills = [
        (undefined && allowed.dcc.is_some(), MetadataFill::Dcc),
        (undefined && allowed.cmask, MetadataFill::Cmask),
        (undefined && allowed.fmask, MetadataFill::Fmask),
        (!held.htile && allowed.htile, MetadataFill::Htile),
    ];
    fills.into_iter().filter_map(|(needed, fill)| needed.then_some(fill)).collect()
}
