//! Passes over images: the transitions of each target before the first draw and after the last.

use crate::chip::Chip;
use crate::descriptors::TexelFormat;
use crate::draw::desc::{ColorCompression, DccClear, DepthTarget, PlacedImage, TargetPass};
use crate::draw::programs::ImagePrograms;
use crate::draw::record::error::RecordError;
use crate::draw::record::image_copies::ResolveMode;
use crate::draw::record::recorder::Recorder;
use crate::draw::state::Resolved;
use crate::draw::sync::{Access, AccessSet, Barrier, ImageMetadata, ImageState, ImageTransition, Order, SyncError, TransitionPlan};
use crate::layout::Region;
use crate::packet::{Buffer, Queue};
use alloc::vec::Vec;

/// The contents of a target when a pass begins.
///
/// For an example see [`PassTarget`](crate::draw::PassTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadOp<'d> {
    /// The previous contents.
    Load,
    /// Unknown contents: the pass writes the whole image, or the old contents are not used.
    Discard,
    /// A colour, as the bytes of an element in memory order ([`Recorder::clear_color`]).
    Element(&'d [u8]),
    /// A colour for which DCC has a code ([`Recorder::clear_color_fast`]).
    Dcc(DccClear),
    /// The clear values of the depth target ([`Recorder::clear_depth`]).
    Depth,
}

/// The use of an image as a target in a pass.
///
/// For an example see [`PassTarget`](crate::draw::PassTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetUse {
    /// A colour target, with the metadata of its [`TargetImage`](crate::draw::TargetImage).
    Color(Option<ColorCompression>),
    /// A depth and stencil target.
    Depth(DepthTarget),
}

/// A resolve at the end of a pass, of all of level 0 of a multisampled target.
///
/// For an example see [`PassTarget`](crate::draw::PassTarget).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassResolve<'d> {
    /// The single-sample image. Readers of it must wait for writes of compute shaders; its metadata is not in use.
    pub to: PlacedImage<'d>,
    /// The format of the average.
    pub format: TexelFormat,
    /// Average, or the first sample.
    pub mode: ResolveMode,
    /// Accesses to `to` that must end before the resolve.
    pub after: AccessSet,
}

/// A target of a pass: its image, and its states before and after the pass.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::sync::ImageState;
/// use pm4::draw::{ColorFormat, DccClear, LoadOp, PassEnd, PassTarget, PlacedImage, Recorder, TargetImage, TargetUse};
/// use pm4::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
/// use pm4::packet::Queue;
/// let chip = Chip::Navi31;
/// let usage = Usage::Color(ColorUsage::TARGET);
/// let layout = SurfaceLayout::new(chip, &SurfaceDesc { width: 256, height: 256, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
/// let image = PlacedImage::new(&layout, 0x100_0000);
/// let compression = TargetImage::of_layout(&layout, ColorFormat::Rgba8, image.address, 0).compression;
/// let target = PassTarget { load: LoadOp::Dcc(DccClear::Zero), ..PassTarget::new(image, TargetUse::Color(compression), ImageState::Sampled) };
/// assert!(target.end_passes(chip, Queue::Graphics)?.is_empty()); // textures know DCC: nothing is decompressed
/// let mut recorder = Recorder::new(chip);
/// recorder.begin()?;
/// recorder.begin_pass(&[target])?;
/// // … bind the targets, draw …
/// recorder.end_pass(&[target], &PassEnd::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassTarget<'d> {
    /// The image, with all levels, layers and samples.
    pub image: PlacedImage<'d>,
    /// Colour, or depth and stencil.
    pub target: TargetUse,
    /// The state before the pass.
    pub from: ImageState,
    /// The contents at the beginning of the pass.
    pub load: LoadOp<'d>,
    /// The state after the pass; [`Undefined`](ImageState::Undefined) if the result is not needed.
    pub to: ImageState,
    /// A resolve before the transition to that state.
    pub resolve: Option<PassResolve<'d>>,
    /// As [`ImageTransition::shaders`].
    pub shaders: AccessSet,
}

/// What the end of a pass may need in addition to the targets.
///
/// For an example see [`PassTarget`](crate::draw::PassTarget).
#[derive(Debug, Clone, Copy, Default)]
pub struct PassEnd<'d> {
    /// Draws that write metadata back, as [`PassTarget::end_passes`] requests them, in the order of targets.
    pub passes: &'d [Resolved],
    /// Programs for resolves.
    pub programs: Option<&'d ImagePrograms>,
}

impl<'d> PassTarget<'d> {
    /// Creates a target whose contents before the pass are undefined and not loaded, and which has this state after the pass.
    pub fn new(image: PlacedImage<'d>, target: TargetUse, to: ImageState) -> Self {
        let shaders = ImageTransition::new(ImageState::Undefined, to).shaders;
        Self { image, target, from: ImageState::Undefined, load: LoadOp::Discard, to, resolve: None, shaders }
    }

    /// Returns the state in the pass.
    const fn state(&self) -> ImageState {
        match self.target {
            TargetUse::Color(_) => ImageState::Color,
            TargetUse::Depth(_) => ImageState::Depth,
        }
    }

    fn metadata(&self, chip: Chip) -> ImageMetadata {
        match &self.target {
            TargetUse::Color(compression) => compression.as_ref().map_or(ImageMetadata::NONE, |compression| ImageMetadata::of_color(chip, compression)),
            TargetUse::Depth(depth) => depth.htile.as_ref().map_or(ImageMetadata::NONE, ImageMetadata::of_depth),
        }
    }

    fn transition(&self, chip: Chip, queue: Queue, from: ImageState, to: ImageState) -> Result<TransitionPlan, SyncError> {
        let transition = ImageTransition { metadata: self.metadata(chip), shaders: self.shaders, ..ImageTransition::new(from, to) };
        TransitionPlan::new(chip, queue, &transition)
    }

    /// Returns the states at the end of the pass, in order.
    fn end_states(&self) -> Vec<ImageState> {
        let mut states = alloc::vec![self.state()];
        states.extend(self.resolve.is_some().then_some(ImageState::CopySource));
        states.extend((self.to != ImageState::Undefined).then_some(self.to));
        states
    }

    /// Returns the passes that write back metadata at the end, in order; [`PassEnd::passes`] must have a draw over this target for each. They depend only on
    /// the state after the pass, so a caller can ask for them once.
    ///
    /// # Errors
    /// The errors of [`TransitionPlan::new`].
    pub fn end_passes(&self, chip: Chip, queue: Queue) -> Result<Vec<TargetPass>, SyncError> {
        let mut passes = Vec::new();
        for states in self.end_states().windows(2) {
            if let [from, to] = *states {
                passes.extend(self.transition(chip, queue, from, to)?.passes);
            }
        }
        Ok(passes)
    }
}

fn refused(why: &'static str) -> RecordError {
    RecordError::Image { what: "a target of a pass", why }
}

impl<B: Buffer> Recorder<B> {
    /// Begins a pass: transitions each target to the state of a target, and clears it if its [`LoadOp`] requests it. A clear replaces the fills that an
    /// undefined image needs. Afterwards, bind the targets and draw; [`end_pass`](Self::end_pass) ends the pass.
    ///
    /// # Errors
    /// [`RecordError::Image`] for a load of an undefined image, for a clear of an image with several levels (because it would clear all of them), and for a
    /// clear of the other kind of target; those of [`clear_color`](Self::clear_color) and the like, [`SyncError`] for a state that the queue does not have.
    pub fn begin_pass(&mut self, targets: &[PassTarget<'_>]) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| targets.iter().try_for_each(|target| recorder.begin_target(target)))
    }

    fn begin_target(&mut self, target: &PassTarget<'_>) -> Result<(), RecordError> {
        let (chip, queue, own) = (self.chip, self.writer.queue(), target.state());
        let order = Order { after: target.from.accesses(target.shaders), before: own.accesses(target.shaders) };
        let clears = !matches!(target.load, LoadOp::Load | LoadOp::Discard);
        if clears && target.image.layout.desc().levels > 1 {
            return Err(refused("a clear would clear all levels of the image: load it, and clear the level with clear_region() before"));
        }
        match (target.load, &target.target) {
            (LoadOp::Load, _) if target.from == ImageState::Undefined => Err(refused("an undefined image has nothing to load: discard or clear it")),
            (LoadOp::Load, _) => {
                let plan = target.transition(chip, queue, target.from, own)?;
                self.sync(&plan.before)?;
                self.fill_metadata(target.image, &plan.fills, Order::default()).and_then(|()| plan.after.iter().try_for_each(|after| self.sync(after)))
            }
            (LoadOp::Discard, _) => {
                let fills = target.transition(chip, queue, ImageState::Undefined, own)?.fills;
                if !fills.is_empty() {
                    return self.fill_metadata(target.image, &fills, order);
                }
                // Earlier uses of the memory are over.
                let compressed = target.metadata(chip).any();
                let wait = !order.after.is_empty();
                if wait { self.barrier(&Barrier { compressed, ..Barrier::new(order.after, order.before) }).map(|_| ()) } else { Ok(()) }
            }
            (LoadOp::Element(element), TargetUse::Color(_)) => self.clear_color(target.image, element, order),
            (LoadOp::Dcc(clear), TargetUse::Color(Some(_))) => self.clear_color_fast(target.image, clear, order),
            (LoadOp::Dcc(_), TargetUse::Color(None)) => Err(refused("the target has no DCC in use: clear it to an element")),
            (LoadOp::Depth, TargetUse::Depth(depth)) => self.clear_depth(target.image, depth, order),
            _ => Err(refused("the clear is one of the other kind of target")),
        }
    }

    /// Ends a pass: resolves the targets that have a resolve, and transitions each target to its next state, with the draws that write metadata back.
    ///
    /// # Errors
    /// [`RecordError::Image`] if a draw that [`PassTarget::end_passes`] requests is missing or is another pass, and for a resolve without programs; those of
    /// [`resolve_image`](Self::resolve_image) and [`draw_pass`](Self::draw_pass), [`SyncError`] for a state that the queue does not have.
    pub fn end_pass(&mut self, targets: &[PassTarget<'_>], end: &PassEnd<'_>) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| {
            let mut passes = end.passes.iter();
            for target in targets {
                let (mut resolve, states) = (target.resolve, target.end_states());
                for states in states.windows(2) {
                    let [from, to] = *states else { continue };
                    let plan = target.transition(recorder.chip, recorder.writer.queue(), from, to)?;
                    recorder.sync(&plan.before)?;
                    for pass in &plan.passes {
                        match passes.next().filter(|draw| draw.pass == Some(*pass)) {
                            Some(draw) => recorder.draw_pass(draw)?,
                            None => return Err(refused("its metadata is to be written back: PassEnd::passes needs the draws that end_passes() asks for")),
                        }
                    }
                    recorder.fill_metadata(target.image, &plan.fills, Order::default())?;
                    plan.after.iter().try_for_each(|after| recorder.sync(after))?;
                    if let Some(resolve) = resolve.take() {
                        recorder.resolve_target(target, &resolve, end)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn resolve_target(&mut self, target: &PassTarget<'_>, resolve: &PassResolve<'_>, end: &PassEnd<'_>) -> Result<(), RecordError> {
        let programs = end.programs.ok_or(refused("a resolve needs PassEnd::programs"))?;
        let desc = target.image.layout.desc();
        let all = Region { size: [desc.width, desc.height, desc.layers], ..Region::default() };
        // The state before is one of copies by the command processor: shaders wait for earlier drawing themselves.
        let drawn = Access::ColorRead | Access::ColorWrite;
        let after = drawn.iter().chain(resolve.after.iter()).collect();
        self.resolve_image(programs, resolve.format, resolve.mode, target.image, &all, resolve.to, [0; 3], Order { after, before: AccessSet::NONE })
    }
}
