//! Clears of whole images by the command processor.
//!
//! The DMA engine has no notion of coordinates or formats: it fills bytes. This clears a whole image if the bytes of an element repeat within a dword, in any
//! swizzle mode, because each byte of a plane receives the value that it would receive as part of an element. It works on every queue and generation, and needs
//! no program. Metadata then states that nothing is compressed. If metadata alone can represent the contents of an image, filling it is enough and writes much
//! less: DCC for some colours, HTILE for depth and stencil.

use crate::draw::desc::{DccClear, DepthClear, DepthFormat, DepthTarget, PlacedImage};
use crate::draw::record::buffers::range;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, MetadataFill, Order};
use crate::layout::{DepthUsage, HtileUse, SurfaceLayout, Usage};
use crate::packet::Buffer;
use alloc::vec::Vec;
use strum::{Display, EnumIter, IntoStaticStr};

/// How a depth and stencil image is cleared: only through its HTILE, or through its whole memory.
///
/// For an example see [`Recorder::clear_depth`](crate::draw::Recorder::clear_depth).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DepthClearWay {
    /// Tiles are marked as cleared; draws take the values from [`DepthTarget::clear`].
    Htile,
    /// Each element is written, and HTILE, if present, states that nothing is compressed.
    Memory,
}

impl DepthClearWay {
    /// Returns the way for a target with this layout. The HTILE way requires HTILE for all levels of the image and, if textures read HTILE, depth of 0 or 1 and
    /// stencil of 0 (Mesa 25.0.7 radv_can_fast_clear_depth); GFX12 has no HTILE. The way depends only on layout, target and values, so readers of the image can
    /// ask for it too.
    pub fn of(layout: &SurfaceLayout, target: &DepthTarget, clear: DepthClear) -> Self {
        let all_levels = layout.htile.as_ref().is_some_and(|htile| htile.levels >= layout.desc().levels);
        let textures = matches!(layout.desc().usage, Usage::Depth(DepthUsage { htile: HtileUse::Texture, .. }));
        let shaders = textures || target.htile.is_some_and(|htile| htile.shader_readable);
        let known_to_shaders = (clear.depth == 0.0 || clear.depth == 1.0) && clear.stencil == 0;
        match target.htile {
            Some(htile) if htile.compressed && all_levels && (!shaders || known_to_shaders) => Self::Htile,
            _ => Self::Memory,
        }
    }
}

/// A part of a clear: the memory to fill and the value.
#[derive(Clone, Copy)]
pub(super) struct Fill {
    pub addr: u64,
    pub bytes: u64,
    pub word: u32,
}

fn refused(what: &'static str, why: &'static str) -> RecordError {
    RecordError::Image { what, why }
}

/// Returns fills for the existing metadata, each with its word.
pub(super) fn metadata(image: &PlacedImage<'_>, fills: &[MetadataFill], word: impl Fn(MetadataFill) -> u32) -> Vec<Fill> {
    let fill = |fill: &MetadataFill| fill.place(image.layout).map(|(offset, bytes)| Fill { addr: image.address + offset, bytes, word: word(*fill) });
    fills.iter().filter_map(fill).collect()
}

/// Returns the dword that fills the depth plane: the same number twice for 16-bit depth.
pub(super) fn depth_word(format: DepthFormat, depth: f32) -> u32 {
    let unorm = |bits: u32| {
        let most = f64::from((1u32 << bits) - 1);
        (f64::from(depth.clamp(0.0, 1.0)) * most + 0.5) as u32
    };
    match format {
        DepthFormat::D16 => unorm(16) * 0x1_0001,
        // 24 bits of depth are the lower bits of 32 (unverified: no manual states it).
        DepthFormat::D24 | DepthFormat::D24s8 => unorm(24),
        DepthFormat::D32 | DepthFormat::D32s8 => depth.to_bits(),
        DepthFormat::S8 => 0,
    }
}

/// Returns the clear values of a target, and whether the image has only stencil; refuses a target that does not match the image.
pub(super) fn depth_clear(what: &'static str, layout: &SurfaceLayout, target: &DepthTarget) -> Result<(DepthClear, bool), RecordError> {
    let (stencil_alone, stencil) = match layout.desc().usage {
        Usage::Depth(depth) => (false, depth.stencil),
        Usage::Stencil => (true, true),
        _ => return Err(refused(what, "the image has neither depth nor stencil: call clear_color()")),
    };
    let format = target.format;
    let bytes = if matches!(format, DepthFormat::D16) { 2 } else { 4 };
    let fits = (format == DepthFormat::S8) == stencil_alone && format.has_stencil() == stencil && (stencil_alone || layout.plane.element_bytes == bytes);
    if !fits {
        return Err(refused(what, "the format of the target is not that of the image"));
    }
    let clear = target.clear.ok_or(refused(what, "the target has no clear values: set `DepthTarget::clear`"))?;
    if target.hiz.is_some() || target.his.is_some() {
        return Err(refused(what, "no source states the contents of HiZ and HiS after the clear: set `DepthTarget::hiz` and `his` to None"));
    }
    Ok((clear, stencil_alone))
}

impl<B: Buffer> Recorder<B> {
    /// Clears a whole colour image (all levels, layers and samples) to an element, given as its bytes in memory order, as many as an element of the layout has.
    /// The DMA engine fills the memory of the image; DCC, CMASK and FMASK then state that nothing is compressed. Afterwards the image may be in any state.
    ///
    /// # Errors
    /// [`RecordError::Image`] for an image of depth or stencil, and for an element that cannot be expressed as a repeated dword ([`PlacedImage::fill_word`]);
    /// those of [`fill_buffer`](Self::fill_buffer).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::cp::CommandProcessor;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{PlacedImage, Recorder};
    /// use pm4::layout::{Element, SurfaceDesc, SurfaceLayout};
    /// use pm4::packet::Queue;
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 16, height: 16, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// let image = PlacedImage::new(&layout, 0x100_0000);
    /// recorder.clear_color(image, &[255, 0, 0, 255], Order::between(Access::PixelRead, Access::ColorWrite))?;
    /// let (words, memory) = (recorder.finish()?, vec![0; layout.size as usize / 4]);
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.map("image", image.address, &memory);
    /// cp.submit(Queue::Graphics, "clear", &words);
    /// cp.run(&mut ());
    /// assert_eq!(cp.memory(image.address + layout.address([3, 5, 0], 0, 0)?), Some(0xFF00_00FF));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_color(&mut self, image: PlacedImage<'_>, element: &[u8], order: Order) -> Result<(), RecordError> {
        if matches!(image.layout.desc().usage, Usage::Depth(_) | Usage::Stencil) {
            return Err(refused("a clear of colour", "the image has depth or stencil: call clear_depth()"));
        }
        let why = "the element is not a repetition of a dword, or has another number of bytes than the image's: another one needs a program";
        let word = image.fill_word(element).ok_or(refused("a clear of colour", why))?;
        let mut fills = alloc::vec![Fill { addr: image.address, bytes: image.layout.plane.size, word }];
        fills.extend(metadata(&image, &[MetadataFill::Dcc, MetadataFill::Cmask, MetadataFill::Fmask], |fill| fill.uncompressed(image.layout)));
        self.fill_all("a clear of colour", &image, &fills, order)
    }

    /// Clears a colour image only through its metadata: the DCC keys determine the contents of the whole image, and with several samples CMASK states that each
    /// pixel has one fragment. Only metadata is written. Readers must have DCC in use; readers without DCC need a pass first
    /// ([`TransitionPlan`](crate::draw::sync::TransitionPlan)). [`DccClear::Registers`] needs the colour in
    /// [`ColorCompression::clear_words`](crate::draw::ColorCompression::clear_words), and an elimination before shaders read the image.
    ///
    /// # Errors
    /// [`RecordError::Image`] for an image without DCC or with levels that have none, for a colour for which the generation has no code, and for
    /// [`DccClear::Single`], whose pixels a program would have to write; those of [`fill_buffer`](Self::fill_buffer).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Order, SyncMemory};
    /// use pm4::draw::{DccClear, PlacedImage, Recorder};
    /// use pm4::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let usage = Usage::Color(ColorUsage::TARGET);
    /// let layout = SurfaceLayout::new(Chip::Navi21, &SurfaceDesc { width: 1920, height: 1080, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let mut recorder = Recorder::new(Chip::Navi21);
    /// recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: None });
    /// recorder.begin()?;
    /// recorder.clear_color_fast(PlacedImage::new(&layout, 0x100_0000), DccClear::AlphaOne, Order::between(Access::ColorWrite, Access::ColorWrite))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_color_fast(&mut self, image: PlacedImage<'_>, clear: DccClear, order: Order) -> Result<(), RecordError> {
        let what = "a clear by DCC";
        let Some(dcc) = image.layout.dcc.as_ref().filter(|dcc| dcc.metadata.levels >= image.layout.desc().levels) else {
            return Err(refused(what, "the image or some of its levels have no DCC in memory: call clear_color()"));
        };
        if dcc.display.is_some() {
            return Err(refused(what, "the display engine has separate keys, which must be copied afterwards: call clear_color()"));
        }
        if clear == DccClear::Single {
            return Err(refused(what, "the colour is in the first pixel of each block, which a program writes"));
        }
        let code = clear.code(self.chip.gfx()).ok_or(refused(what, "the generation has no code for this colour: call clear_color()"))?;
        // With DCC, CMASK of multisampled images has C for each tile (Mesa 25.0.7 radv_get_cmask_fast_clear_value).
        let word = |fill: MetadataFill| if fill == MetadataFill::Cmask { 0xCCCC_CCCC } else { u32::from(code) * 0x0101_0101 };
        let fills = metadata(&image, &[MetadataFill::Dcc, MetadataFill::Cmask], word);
        self.fill_all(what, &image, &fills, order)
    }

    /// Clears a whole depth and stencil image (all levels, layers and samples) to the values of the target ([`DepthTarget::clear`]). [`DepthClearWay::of`]
    /// determines the way: if HTILE can mark tiles as cleared, only HTILE is filled, and draws must use the same target; otherwise the memory of both aspects
    /// is filled, and HTILE states that nothing is compressed. Neither way draws: a draw with [`TargetPass::DepthClear`](crate::draw::TargetPass) is for parts
    /// of an image, and [`clear_aspect`](Self::clear_aspect) for depth or stencil alone.
    ///
    /// # Errors
    /// [`RecordError::Image`] for an image without depth and stencil, a target without clear values or of another format, and a target of GFX12 with HiZ or HiS,
    /// because no source of this crate states their contents after a clear; those of [`fill_buffer`](Self::fill_buffer).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{DepthClear, DepthClearWay, DepthFormat, DepthTarget, PlacedImage, Recorder};
    /// use pm4::layout::{DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let usage = Usage::Depth(DepthUsage::default());
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 1920, height: 1080, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let image = PlacedImage::new(&layout, 0x100_0000);
    /// let clear = DepthClear { depth: 1.0, stencil: 0 };
    /// let target = DepthTarget { clear: Some(clear), ..DepthTarget::of_layout(&layout, DepthFormat::D32, image.address, 0) };
    /// assert_eq!(DepthClearWay::of(&layout, &target, clear), DepthClearWay::Htile);
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.clear_depth(image, &target, Order::between(Access::DepthWrite, Access::DepthWrite))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_depth(&mut self, image: PlacedImage<'_>, target: &DepthTarget, order: Order) -> Result<(), RecordError> {
        let (what, layout, format) = ("a clear of depth", image.layout, target.format);
        let (clear, stencil_alone) = depth_clear(what, layout, target)?;
        let stencil_word = u32::from(clear.stencil) * 0x0101_0101;
        let htile = target.htile.unwrap_or_default();
        let way = DepthClearWay::of(layout, target, clear);
        let mut fills = Vec::new();
        if way == DepthClearWay::Memory {
            let word = if stencil_alone { stencil_word } else { depth_word(format, clear.depth) };
            fills.push(Fill { addr: image.address, bytes: layout.plane.size, word });
            let plane = layout.stencil.as_ref().map(|stencil| Fill { addr: image.address + stencil.offset, bytes: stencil.plane.size, word: stencil_word });
            fills.extend(plane);
        }
        let word = if way == DepthClearWay::Htile { htile.cleared(clear) } else { htile.expanded() };
        fills.extend(metadata(&image, &[MetadataFill::Htile], |_| word));
        self.fill_all(what, &image, &fills, order)
    }

    /// Fills metadata with the state that nothing is compressed, which a transition needs for an image that comes into use
    /// ([`TransitionPlan::fills`](crate::draw::sync::TransitionPlan::fills)). Metadata that the layout lacks is skipped. HTILE receives no shading rates.
    ///
    /// # Errors
    /// [`RecordError::Image`] for a misaligned image; those of [`fill_buffer`](Self::fill_buffer).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{ImageMetadata, ImageState, ImageTransition, Order, SyncMemory, TransitionPlan};
    /// use pm4::draw::{ColorFormat, PlacedImage, Recorder, TargetImage};
    /// use pm4::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// use pm4::packet::Queue;
    /// let chip = Chip::Navi21;
    /// let usage = Usage::Color(ColorUsage::TARGET);
    /// let layout = SurfaceLayout::new(chip, &SurfaceDesc { width: 256, height: 256, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let image = PlacedImage::new(&layout, 0x100_0000);
    /// let target = TargetImage::of_layout(&layout, ColorFormat::Rgba8, image.address, 0);
    /// let metadata = ImageMetadata::of_color(chip, &target.compression.unwrap());
    /// let transition = ImageTransition { metadata, ..ImageTransition::new(ImageState::Undefined, ImageState::Color) };
    /// let plan = TransitionPlan::new(chip, Queue::Graphics, &transition)?;
    /// let mut recorder = Recorder::new(chip);
    /// recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: None });
    /// recorder.begin()?;
    /// recorder.sync(&plan.before)?;
    /// recorder.fill_metadata(image, &plan.fills, Order::default())?;
    /// if let Some(after) = &plan.after {
    ///     recorder.sync(after)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_metadata(&mut self, image: PlacedImage<'_>, fills: &[MetadataFill], order: Order) -> Result<(), RecordError> {
        let fills = metadata(&image, fills, |fill| fill.uncompressed(image.layout));
        if fills.is_empty() && order == Order::default() {
            return self.may_sync();
        }
        self.fill_all("a fill of metadata", &image, &fills, order)
    }

    /// Performs all fills as one operation.
    pub(super) fn fill_all(&mut self, what: &'static str, image: &PlacedImage<'_>, fills: &[Fill], order: Order) -> Result<(), RecordError> {
        if !image.address.is_multiple_of(image.layout.align.into()) {
            return Err(refused(what, "the address of the image is not a multiple of what its layout is aligned to"));
        }
        if image.layout.config().chip().gfx() != self.chip.gfx() {
            return Err(refused(what, "the layout is one of another generation than the recorder's"));
        }
        for Fill { addr, bytes, .. } in fills {
            range("the memory of an image", *addr, *bytes)?;
        }
        self.ordered_compressed(order, Access::CopyWrite.into(), |recorder| {
            fills.iter().try_for_each(|fill| recorder.dma_fill(fill.word, fill.addr, fill.bytes))
        })
    }
}
