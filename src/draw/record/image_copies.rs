//! Copies, clears, resolves and mip levels of images, with compute programs of this crate.
//!
//! Programs access texels through image descriptors, so they support every swizzle mode on every generation, and run on both queues. Copies treat elements as
//! unsigned integers of their size, so no format changes a bit. Images must have no metadata in use: their states are
//! [`CopySource`](crate::draw::sync::ImageState::CopySource) and [`CopyTarget`](crate::draw::sync::ImageState::CopyTarget), and a
//! [`TransitionPlan`](crate::draw::sync::TransitionPlan) brings an image into these states. The accesses of these operations are those of compute shaders.

use crate::descriptors::{BufferDesc, ImageDesc, ImageDimension, TexelFormat, ViewRange};
use crate::draw::decide::{ResolvedDispatch, resolve_dispatch};
use crate::draw::desc::{DispatchDesc, Grid, PlacedImage, Program, UserData};
use crate::draw::programs::{Coordinates, ImageProgram, ImagePrograms, SGPRS, VGPRS};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, Order};
use crate::layout::{Linear, Region};
use crate::packet::Buffer;
use strum::{Display, EnumIter, IntoStaticStr};

/// How a resolve combines the samples of a pixel.
///
/// For an example see [`Recorder::resolve_image`](crate::draw::Recorder::resolve_image).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ResolveMode {
    /// Their average, for floats and normalized numbers.
    Average,
    /// Sample 0, in any format, without changing its bits.
    FirstSample,
}

pub(super) fn refused(what: &'static str, why: &'static str) -> RecordError {
    RecordError::Image { what, why }
}

/// Returns the integer format of elements of this size in bytes.
fn integers(bytes: u32) -> Option<TexelFormat> {
    match bytes {
        1 => Some(TexelFormat::R8_UINT),
        2 => Some(TexelFormat::R16_UINT),
        4 => Some(TexelFormat::R32_UINT),
        8 => Some(TexelFormat::R32G32_UINT),
        16 => Some(TexelFormat::R32G32B32A32_UINT),
        _ => None,
    }
}

/// The view of an operation on a level of an image.
pub(super) struct View {
    pub words: [u32; 8],
    pub coordinates: Coordinates,
    pub bytes: u32,
    /// Elements of the level: x, y, layers or slices.
    pub extent: [u32; 3],
}

impl View {
    /// Returns the channels of the view of integers.
    fn channels(&self) -> u32 {
        self.bytes.div_ceil(4)
    }
}

/// Packs x and y, or the z of two images, into one word.
fn pair(low: u32, high: u32) -> u32 {
    low & 0xFFFF | high << 16
}

pub(super) fn inside(what: &'static str, view: &View, start: [u32; 3], size: [u32; 3]) -> Result<(), RecordError> {
    let fits = (0..3).all(|axis| size[axis] > 0 && u64::from(start[axis]) + u64::from(size[axis]) <= view.extent[axis].into());
    if fits { Ok(()) } else { Err(refused(what, "the region is empty, or goes beyond the level of the image")) }
}

/// Checks the bytes between rows and slices of a buffer; returns the bytes of the whole region.
fn spread(what: &'static str, linear: Linear, size: [u32; 3], bytes: u32) -> Result<u32, RecordError> {
    let [width, height, depth] = size.map(u64::from);
    let (row, unit) = (width * u64::from(bytes), u64::from(bytes.min(4)));
    let rows_apart = height == 1 || linear.row >= row;
    let slices_apart = depth == 1 || linear.slice >= (height - 1).saturating_mul(linear.row).saturating_add(row);
    if !rows_apart || !slices_apart || !linear.row.is_multiple_of(unit) || !linear.slice.is_multiple_of(unit) {
        return Err(refused(what, "rows and slices of the buffer do not overlap, and are multiples of an element, or of 4 bytes where it is longer"));
    }
    let all = (depth - 1).checked_mul(linear.slice).zip((height - 1).checked_mul(linear.row)).map(|(slices, rows)| slices.saturating_add(rows));
    let all = all.and_then(|before| u32::try_from(before.saturating_add(row)).ok());
    all.ok_or(refused(what, "the region of the buffer is larger than 4 GiB: copy fewer slices at once"))
}

impl<B: Buffer> Recorder<B> {
    /// Returns a view of a level, of the format, or of integers of the size of an element.
    pub(super) fn view(&self, what: &'static str, image: PlacedImage<'_>, format: Option<TexelFormat>, level: u32, samples: bool) -> Result<View, RecordError> {
        let (layout, desc) = (image.layout, image.layout.desc());
        if layout.config().chip().gfx() != self.chip.gfx() {
            return Err(refused(what, "the layout is one of another generation than the recorder's"));
        }
        if (desc.samples > 1) != samples || desc.samples != desc.fragments {
            return Err(refused(what, "the number of samples: a resolve has a source of several, each stored; all other images have one"));
        }
        if desc.dimension == ImageDimension::One {
            return Err(refused(what, "there are no programs for images of one dimension"));
        }
        let blocks = desc.element.width > 1 || desc.element.height > 1;
        if blocks && desc.levels > 1 {
            return Err(refused(what, "of block-compressed images, only those with one level can be viewed as integers"));
        }
        if level >= desc.levels {
            return Err(refused(what, "the image does not have the level"));
        }
        let bytes = desc.element.bytes;
        let own = integers(bytes).ok_or(refused(what, "elements of 12 bytes have no format that shaders store"))?;
        let format = format.unwrap_or(own);
        if format.bytes() != bytes {
            return Err(refused(what, "the format does not have the size of the image's elements"));
        }
        let all = layout.image_desc(image.address, format);
        let compressible = layout.compressible && self.chip.gfx().major() >= 12;
        let view = ImageDesc {
            // Stores to a cube go to its faces.
            dimension: if all.dimension == ImageDimension::Three { ImageDimension::Three } else { ImageDimension::Two },
            width: desc.width.div_ceil(desc.element.width),
            height: desc.height.div_ceil(desc.element.height),
            view_levels: if samples { None } else { Some(ViewRange { first: level, count: 1 }) },
            compression: if compressible { layout.compression(image.address, false) } else { Default::default() },
            view_of_blocks: blocks,
            ..all
        };
        let floor = |size: u32| (size >> level.min(31)).max(1);
        let volume = view.dimension == ImageDimension::Three;
        let coordinates = match (volume, desc.layers > 1) {
            (true, _) => Coordinates::Volume,
            (_, true) => Coordinates::Array,
            _ => Coordinates::Plane,
        };
        let extent = [floor(view.width), floor(view.height), if volume { floor(desc.depth) } else { desc.layers }];
        Ok(View { words: view.words(self.chip)?, coordinates, bytes, extent })
    }

    /// Clears a region of a level of a colour image to an element, given as its bytes in memory order, as many as an element of the layout has. A program
    /// stores texels, so any element and any region are possible; use [`clear_color`](Self::clear_color) for whole images.
    ///
    /// # Errors
    /// [`RecordError::Image`] for an image that is multisampled, one-dimensional, of another generation or has elements of 12 bytes, for a region beyond it,
    /// and for programs of another chip; [`RecordError::ComputeNotBegun`] before the preamble of dispatches; those of [`barrier`](Self::barrier).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{ImagePrograms, PlacedImage, Recorder};
    /// use pm4::layout::{Element, Region, SurfaceDesc, SurfaceLayout};
    /// let programs = ImagePrograms::new(Chip::Navi21, 0x1_0000)?;
    /// let layout = SurfaceLayout::new(Chip::Navi21, &SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(8)) })?;
    /// let mut recorder = Recorder::new(Chip::Navi21);
    /// recorder.set_sync_memory(pm4::draw::sync::SyncMemory { fence: Some(0x1000), zpass: None });
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// let region = Region { start: [8, 8, 0], size: [16, 4, 1], ..Region::default() };
    /// let order = Order::between(Access::PixelRead, Access::PixelRead);
    /// recorder.clear_region(&programs, PlacedImage::new(&layout, 0x100_0000), &region, &[1, 2, 3, 4, 5, 6, 7, 8], order)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_region(&mut self, programs: &ImagePrograms, image: PlacedImage<'_>, region: &Region, element: &[u8], order: Order) -> Result<(), RecordError> {
        let what = "a clear of a region";
        let view = self.view(what, image, None, region.level, false)?;
        inside(what, &view, region.start, region.size)?;
        if element.len() != view.bytes as usize {
            return Err(refused(what, "the element has another number of bytes than the image's"));
        }
        let byte = |at: usize| u32::from(element.get(at).copied().unwrap_or(0)) << (8 * (at % 4));
        let words: [u32; 4] = core::array::from_fn(|word| (4 * word..4 * word + 4).map(byte).sum());
        let [x, y, z] = region.start;
        let mut user = [0; 16];
        user[..8].copy_from_slice(&view.words);
        user[8..12].copy_from_slice(&words);
        (user[12], user[13]) = (pair(x, y), z);
        self.image_dispatch(what, programs, ImageProgram::Fill { to: view.coordinates }, &user, region.size, order)
    }

    /// Copies a region from a buffer to a level of an image. `linear` gives the bytes from one row of the buffer to the next, and from one slice or layer to
    /// the next; `from` is the address of the first element. All are multiples of the element size, or of 4 bytes if elements are longer.
    ///
    /// # Errors
    /// The errors of [`clear_region`](Self::clear_region); [`RecordError::Image`] for overlapping rows or slices in the buffer, and for more than 4 GiB.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{ImagePrograms, PlacedImage, Recorder};
    /// use pm4::layout::{Element, Linear, Region, SurfaceDesc, SurfaceLayout};
    /// let programs = ImagePrograms::new(Chip::Navi31, 0x1_0000)?;
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let image = PlacedImage::new(&layout, 0x100_0000);
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// let (all, linear) = (Region { size: [64, 64, 1], ..Region::default() }, Linear { row: 256, slice: 0 });
    /// recorder.copy_buffer_to_image(&programs, 0x20_0000, linear, image, &all, Order::between(Access::HostRead, Access::PixelRead))?;
    /// recorder.copy_image_to_buffer(&programs, image, &all, 0x30_0000, linear, Order::between(Access::ColorWrite, Access::HostRead))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_buffer_to_image(
        &mut self,
        programs: &ImagePrograms,
        from: u64,
        linear: Linear,
        image: PlacedImage<'_>,
        region: &Region,
        order: Order,
    ) -> Result<(), RecordError> {
        let what = "a copy of a buffer to an image";
        let (view, user) = self.beside_buffer(what, from, linear, image, region)?;
        self.image_dispatch(what, programs, ImageProgram::FromBuffer { bytes: view.bytes, to: view.coordinates }, &user, region.size, order)
    }

    /// Copies a region from a level of an image to a buffer, the reverse of [`copy_buffer_to_image`](Self::copy_buffer_to_image). Memory between rows and
    /// slices of the buffer is not changed.
    ///
    /// # Errors
    /// The errors of [`copy_buffer_to_image`](Self::copy_buffer_to_image).
    pub fn copy_image_to_buffer(
        &mut self,
        programs: &ImagePrograms,
        image: PlacedImage<'_>,
        region: &Region,
        to: u64,
        linear: Linear,
        order: Order,
    ) -> Result<(), RecordError> {
        let what = "a copy of an image to a buffer";
        let (view, user) = self.beside_buffer(what, to, linear, image, region)?;
        self.image_dispatch(what, programs, ImageProgram::ToBuffer { bytes: view.bytes, from: view.coordinates }, &user, region.size, order)
    }

    fn beside_buffer(&self, what: &'static str, addr: u64, linear: Linear, image: PlacedImage<'_>, region: &Region) -> Result<(View, [u32; 16]), RecordError> {
        let view = self.view(what, image, None, region.level, false)?;
        inside(what, &view, region.start, region.size)?;
        let all = spread(what, linear, region.size, view.bytes)?;
        if !addr.is_multiple_of(view.bytes.min(4).into()) {
            return Err(refused(what, "the address of the buffer is a multiple of an element, or of 4 bytes where it is longer"));
        }
        let [x, y, z] = region.start;
        let mut user = [0; 16];
        user[..4].copy_from_slice(&BufferDesc::raw(addr, all).words(self.chip)?);
        user[4..12].copy_from_slice(&view.words);
        // A single row or slice needs no distance to the next.
        user[12] = if region.size[1] > 1 { linear.row as u32 } else { 0 };
        user[13] = if region.size[2] > 1 { linear.slice as u32 } else { 0 };
        (user[14], user[15]) = (pair(x, y), z);
        Ok((view, user))
    }

    /// Copies a region from a level of an image to a level of another or the same image; elements must have the same size. The region is that of the source;
    /// layers of one image may be slices of the other.
    ///
    /// # Errors
    /// The errors of [`clear_region`](Self::clear_region); [`RecordError::Image`] for elements of different sizes, and for regions of one level that overlap.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{ImagePrograms, PlacedImage, Recorder};
    /// use pm4::layout::{Element, Region, SurfaceDesc, SurfaceLayout, Tiling};
    /// let programs = ImagePrograms::new(Chip::Gfx1201, 0x1_0000)?;
    /// let desc = SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(4)) };
    /// let tiled = SurfaceLayout::new(Chip::Gfx1201, &desc)?;
    /// let linear = SurfaceLayout::new(Chip::Gfx1201, &SurfaceDesc { tiling: Tiling::Linear, ..desc })?;
    /// let mut recorder = Recorder::new(Chip::Gfx1201);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// let region = Region { size: [32, 32, 1], ..Region::default() };
    /// let (from, to) = (PlacedImage::new(&tiled, 0x100_0000), PlacedImage::new(&linear, 0x200_0000));
    /// recorder.copy_image(&programs, from, &region, to, 0, [16, 16, 0], Order::between(Access::ColorWrite, Access::HostRead))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::too_many_arguments)] // two places and a region
    pub fn copy_image(
        &mut self,
        programs: &ImagePrograms,
        from: PlacedImage<'_>,
        region: &Region,
        to: PlacedImage<'_>,
        to_level: u32,
        to_start: [u32; 3],
        order: Order,
    ) -> Result<(), RecordError> {
        let what = "a copy of an image";
        let source = self.view(what, from, None, region.level, false)?;
        let target = self.view(what, to, None, to_level, false)?;
        if source.bytes != target.bytes {
            return Err(refused(what, "the elements of both images have different sizes"));
        }
        let apart = (0..3).any(|axis| region.start[axis].abs_diff(to_start[axis]) >= region.size[axis]);
        if from.address == to.address && region.level == to_level && !apart {
            return Err(refused(what, "source and target overlap: texels would be read after they were written"));
        }
        let program = ImageProgram::Copy { channels: source.channels(), from: source.coordinates, to: target.coordinates };
        self.between_images(what, programs, program, (&source, region.start), (&target, to_start), region.size, order)
    }

    /// Resolves a region of a multisampled image into a single-sample image with a program. This works on every generation and is the only way on GFX11 and
    /// later (a draw with [`TargetPass::Resolve`](crate::draw::TargetPass::Resolve) is for GFX9 to GFX10.3). Averages are those of `format`, in 32-bit floats.
    /// FMASK, if present, must state that each sample has its own fragment ([`TargetPass::FmaskDecompress`](crate::draw::TargetPass::FmaskDecompress)).
    ///
    /// # Errors
    /// Those of [`copy_image`](Self::copy_image); [`RecordError::Image`] for an average of integers or of sRGB, which shaders do not store, and for a source
    /// with 1 or 16 samples.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::descriptors::TexelFormat;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{ImagePrograms, PlacedImage, Recorder, ResolveMode};
    /// use pm4::layout::{Element, Region, SurfaceDesc, SurfaceLayout};
    /// let programs = ImagePrograms::new(Chip::Navi31, 0x1_0000)?;
    /// let desc = SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(4)) };
    /// let (several, one) = (SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { samples: 4, fragments: 4, ..desc })?, SurfaceLayout::new(Chip::Navi31, &desc)?);
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// let (from, to) = (PlacedImage::new(&several, 0x100_0000), PlacedImage::new(&one, 0x200_0000));
    /// let (all, order) = (Region { size: [64, 64, 1], ..Region::default() }, Order::between(Access::ColorWrite, Access::PixelRead));
    /// recorder.resolve_image(&programs, TexelFormat::R8G8B8A8_UNORM, ResolveMode::Average, from, &all, to, [0, 0, 0], order)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::too_many_arguments)] // two places, a region and how
    pub fn resolve_image(
        &mut self,
        programs: &ImagePrograms,
        format: TexelFormat,
        mode: ResolveMode,
        from: PlacedImage<'_>,
        region: &Region,
        to: PlacedImage<'_>,
        to_start: [u32; 3],
        order: Order,
    ) -> Result<(), RecordError> {
        let what = "a resolve";
        let format = match mode {
            ResolveMode::Average => Some(averaged(what, format)?),
            ResolveMode::FirstSample => None,
        };
        let source = self.view(what, from, format, region.level, true)?;
        let target = self.view(what, to, format, 0, false)?;
        if source.bytes != target.bytes {
            return Err(refused(what, "the elements of both images have different sizes"));
        }
        let samples = from.layout.desc().samples;
        if samples > 8 {
            return Err(refused(what, "there are programs for 2, 4 and 8 samples"));
        }
        let (from, to) = (source.coordinates, target.coordinates);
        if [from, to].contains(&Coordinates::Volume) {
            return Err(refused(what, "there are no programs for volumes"));
        }
        let program = match mode {
            ResolveMode::Average => ImageProgram::Average { samples, from, to },
            ResolveMode::FirstSample => ImageProgram::FirstSample { channels: source.channels(), from, to },
        };
        self.between_images(what, programs, program, (&source, region.start), (&target, to_start), region.size, order)
    }

    /// Generates the levels of an image after `first`, each from the previous level. A texel is the average of 2 x 2 texels of `format`, in 32-bit floats. At
    /// an odd edge, the last row or column is used twice.
    ///
    /// # Errors
    /// Those of [`clear_region`](Self::clear_region); [`RecordError::Image`] for integers and sRGB, for volumes, and for a `first` without a level after it.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::descriptors::TexelFormat;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{ImagePrograms, PlacedImage, Recorder};
    /// use pm4::layout::{SurfaceDesc, SurfaceLayout};
    /// let format = TexelFormat::R8G8B8A8_UNORM;
    /// let programs = ImagePrograms::new(Chip::Navi31, 0x1_0000)?;
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 64, height: 64, levels: 7, ..SurfaceDesc::new(format.into()) })?;
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// recorder.generate_levels(&programs, format, PlacedImage::new(&layout, 0x100_0000), 0, Order::between(Access::ColorWrite, Access::PixelRead))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate_levels(
        &mut self,
        programs: &ImagePrograms,
        format: TexelFormat,
        image: PlacedImage<'_>,
        first: u32,
        order: Order,
    ) -> Result<(), RecordError> {
        let what = "mip levels";
        let format = averaged(what, format)?;
        let last = image.layout.desc().levels - 1;
        if first >= last {
            return Err(refused(what, "the image has no level after the first one"));
        }
        let own = Access::ComputeRead | Access::ComputeWrite;
        self.all_or_nothing(|recorder| {
            for level in first..last {
                let source = recorder.view(what, image, Some(format), level, false)?;
                let target = recorder.view(what, image, Some(format), level + 1, false)?;
                if source.coordinates == Coordinates::Volume {
                    return Err(refused(what, "there are no programs for volumes"));
                }
                let mut user = two_images(what, &source, &target)?;
                user[12] = pair(source.extent[0] - 1, source.extent[1] - 1);
                let after = if level == first { order.after } else { own };
                let before = if level + 1 == last { order.before } else { Access::ComputeRead.into() };
                let program = ImageProgram::Halve { of: source.coordinates };
                recorder.image_dispatch(what, programs, program, &user, target.extent, Order { after, before })?;
            }
            Ok(())
        })
    }

    #[allow(clippy::too_many_arguments)] // a verb and its two places
    fn between_images(
        &mut self,
        what: &'static str,
        programs: &ImagePrograms,
        program: ImageProgram,
        (source, from): (&View, [u32; 3]),
        (target, to): (&View, [u32; 3]),
        size: [u32; 3],
        order: Order,
    ) -> Result<(), RecordError> {
        inside(what, source, from, size)?;
        inside(what, target, to, size)?;
        let mut user = two_images(what, source, target)?;
        (user[12], user[13], user[14]) = (pair(from[0], from[1]), pair(to[0], to[1]), pair(from[2], to[2]));
        self.image_dispatch(what, programs, program, &user, size, order)
    }

    /// Dispatches a program with its user SGPRs, one thread per texel.
    pub(super) fn image_dispatch(
        &mut self,
        what: &'static str,
        programs: &ImagePrograms,
        program: ImageProgram,
        user: &[u32; 16],
        size: [u32; 3],
        order: Order,
    ) -> Result<(), RecordError> {
        let resolved = self.program(what, programs, program, user, ([8, 8, 1], Grid::Threads(size)))?;
        let own = Access::ComputeRead | Access::ComputeWrite;
        self.apart(|recorder| recorder.ordered(order, own, |recorder| recorder.dispatch(&resolved)))
    }

    /// A dispatch of a program of this crate, in workgroups of a size.
    pub(super) fn program(
        &self,
        what: &'static str,
        programs: &ImagePrograms,
        program: ImageProgram,
        user: &[u32; 16],
        (group, grid): ([u32; 3], Grid),
    ) -> Result<ResolvedDispatch, RecordError> {
        if programs.chip() != self.chip {
            return Err(refused(what, "the programs are for another chip"));
        }
        let address = programs.place(program).ok_or(refused(what, "there is no program for it"))?;
        let user_data = user.map(UserData::Word).to_vec();
        let program = Program { address: Some(address), vgprs: VGPRS, sgprs: SGPRS, user_data, ..Program::default() };
        let dispatch = DispatchDesc { program, group, grid, thread_ids: 2, ..DispatchDesc::default() };
        Ok(resolve_dispatch(&dispatch, self.gpu())?)
    }
}

/// Returns the format, if its texels can be averaged and stored.
fn averaged(what: &'static str, format: TexelFormat) -> Result<TexelFormat, RecordError> {
    let name: &'static str = format.into();
    match name {
        _ if name.contains("UINT") || name.contains("SINT") => Err(refused(what, "integers have no average: take the first sample")),
        _ if name.contains("SRGB") => Err(refused(what, "shaders store no sRGB: a draw does, or a view of the same bytes without it")),
        _ => Ok(format),
    }
}

/// Returns the user SGPRs of two images: six words each, and the rest of the seventh words as halves of a shared word.
fn two_images(what: &'static str, source: &View, target: &View) -> Result<[u32; 16], RecordError> {
    let mut user = [0; 16];
    for (at, view) in [(0, source), (6, target)] {
        user[at..at + 6].copy_from_slice(&view.words[..6]);
        if view.words[6] & !0xFF_FF00 != 0 || view.words[7] != 0 {
            return Err(refused(what, "a view has metadata, for which there is no room in the user SGPRs"));
        }
    }
    user[15] = pair(source.words[6] >> 8, target.words[6] >> 8);
    Ok(user)
}
