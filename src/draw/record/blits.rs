//! Blits: copies of areas between images of different size and format, by a compute program.
//!
//! For each texel of the target, the program computes its source position, loads one texel or the neighbours there, and stores their mean. It uses no sampler,
//! so
//! results are those of 32-bit floats, rounded once if the format of the target requires it.

use crate::descriptors::{Filter, TexelFormat};
use crate::draw::desc::address::is_address;
use crate::draw::desc::{CallError, PlacedImage};
use crate::draw::programs::{Coordinates, ImageProgram, ImagePrograms, blit_table};
use crate::draw::record::error::RecordError;
use crate::draw::record::image_copies::{View, inside, refused};
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, AccessSet, Order};
use crate::packet::Buffer;

/// An area of a level of an image, between two corners.
///
/// For an example see [`Recorder::blit_image`](crate::draw::Recorder::blit_image).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlitArea<'l> {
    /// The image.
    pub image: PlacedImage<'l>,
    /// The format in which texels are read or written; it has the size of the image's elements.
    pub format: TexelFormat,
    /// The level.
    pub level: u32,
    /// A corner: x, y, and the first layer or slice.
    pub start: [u32; 3],
    /// The opposite corner, exclusive. If it is before `start` along an axis, the area is mirrored along that axis.
    pub end: [u32; 3],
}

/// A blit from one area to another, which may differ in size and format.
///
/// For an example see [`Recorder::blit_image`](crate::draw::Recorder::blit_image).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blit<'l> {
    /// The source.
    pub from: BlitArea<'l>,
    /// The target.
    pub to: BlitArea<'l>,
    /// [`Nearest`](Filter::Nearest), or [`Linear`](Filter::Linear): a mean of the two nearest texels along each axis. Beyond the edge of the level the last texel
    /// counts.
    pub filter: Filter,
}

impl Blit<'_> {
    /// Bytes of the table that a blit reads.
    pub const TABLE_BYTES: u64 = 4 * blit_table::DWORDS as u64;
}

/// What kind of numbers a format has.
#[derive(PartialEq, Eq)]
enum Numbers {
    Float,
    Unsigned,
    Signed,
}

impl Numbers {
    fn of(format: TexelFormat) -> Self {
        let name: &'static str = format.into();
        match name {
            _ if name.contains("UINT") => Self::Unsigned,
            _ if name.contains("SINT") => Self::Signed,
            _ => Self::Float,
        }
    }
}

const WHAT: &str = "a blit";

impl BlitArea<'_> {
    /// The corner that is nearest to the first texel.
    fn first(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis: usize| self.start[axis].min(self.end[axis]))
    }

    fn size(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis: usize| self.start[axis].abs_diff(self.end[axis]))
    }
}

/// What a blit cannot do, whatever the images are.
fn check(blit: &Blit<'_>) -> Result<(), RecordError> {
    let (from, to) = (blit.from.format, blit.to.format);
    let name: &'static str = to.into();
    let checks = [
        (Numbers::of(from) == Numbers::of(to), "integers stay integers with or without a sign, and other numbers do not become integers"),
        (blit.filter == Filter::Nearest || Numbers::of(from) == Numbers::Float, "integers have no mean: take the nearest texel"),
        (!name.contains("SRGB"), "shaders store no sRGB: a draw does, or a view of the same bytes without it"),
        ([from, to].iter().all(|format| !format.is_block_compressed()), "blocks are neither filtered nor made"),
        ([from, to].iter().all(|format| format.depth_and_stencil().is_none()), "depth and stencil are drawn, or copied without a change"),
    ];
    checks.into_iter().find(|(fine, _)| !fine).map_or(Ok(()), |(_, why)| Err(refused(WHAT, why)))
}

/// The table of the program.
fn table(blit: &Blit<'_>, source: &View, target: &View) -> [u32; blit_table::DWORDS] {
    let mut words = [0; blit_table::DWORDS];
    let mut put = |at: usize, value: u32| {
        if let Some(word) = words.get_mut(at) {
            *word = value;
        }
    };
    source.words.iter().zip(blit_table::SOURCE..).for_each(|(word, at)| put(at, *word));
    target.words.iter().zip(blit_table::TARGET..).for_each(|(word, at)| put(at, *word));
    for axis in 0..3 {
        let (from, to) = ([blit.from.start[axis], blit.from.end[axis]], [blit.to.start[axis], blit.to.end[axis]]);
        let length = |[start, end]: [u32; 2]| f64::from(end) - f64::from(start);
        // The source's edge that the first texel of the target begins with.
        let offset = if to[0] <= to[1] { from[0] } else { from[1] };
        put(blit_table::SCALES + axis, ((length(from) / length(to)) as f32).to_bits());
        put(blit_table::OFFSETS + axis, (offset as f32).to_bits());
        put(blit_table::LAST + axis, source.extent[axis] - 1);
        put(blit_table::FIRST + axis, blit.to.first()[axis]);
    }
    put(blit_table::LAYER, blit.from.first()[2]);
    words
}

impl<B: Buffer> Recorder<B> {
    /// Copies an area of an image to an area of another size or format: scaled, mirrored, and filtered according to the filter. Layers of
    /// arrays are copied one to one; volumes are scaled along z as well. Metadata of the images must not be in use, as for [`copy_image`](Self::copy_image).
    ///
    /// `table` is the GPU address of [`Blit::TABLE_BYTES`] of memory, a multiple of 64, used only by this blit: the command processor writes the program's
    /// table
    /// there. Earlier work must no longer use this memory, and the commands must not be executed again before it is rewritten.
    ///
    /// # Errors
    /// Those of [`clear_region`](Self::clear_region); [`RecordError::Image`] for formats of different kinds of numbers, for a mean of integers, for sRGB (which
    /// shaders cannot store), for block formats, depth and stencil, for different numbers of layers, and for overlapping areas of one level;
    /// [`CallError::Address`] for the table.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::descriptors::{Filter, TexelFormat};
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{Blit, BlitArea, ImagePrograms, PlacedImage, Recorder};
    /// use pm4::layout::{SurfaceDesc, SurfaceLayout};
    /// let chip = Chip::Navi31;
    /// let programs = ImagePrograms::new(chip, 0x1_0000)?;
    /// let image = |format: TexelFormat, size| SurfaceLayout::new(chip, &SurfaceDesc { width: size, height: size, ..SurfaceDesc::new(format.into()) });
    /// let (large, small) = (image(TexelFormat::R32G32B32A32_SFLOAT, 64)?, image(TexelFormat::R8G8B8A8_UNORM, 48)?);
    /// let area = |layout, address, format, size| {
    ///     BlitArea { image: PlacedImage::new(layout, address), format, level: 0, start: [0; 3], end: [size, size, 1] }
    /// };
    /// let from = area(&large, 0x100_0000, TexelFormat::R32G32B32A32_SFLOAT, 64);
    /// let to = area(&small, 0x200_0000, TexelFormat::R8G8B8A8_UNORM, 48);
    /// let mut recorder = Recorder::new(chip);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// let blit = Blit { from, to, filter: Filter::Linear };
    /// recorder.blit_image(&programs, &blit, 0x300_0000, Order::between(Access::ColorWrite, Access::PixelRead))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn blit_image(&mut self, programs: &ImagePrograms, blit: &Blit<'_>, table: u64, order: Order) -> Result<(), RecordError> {
        check(blit)?;
        let Blit { from, to, filter } = *blit;
        let source = self.view(WHAT, from.image, Some(from.format), from.level, false)?;
        let target = self.view(WHAT, to.image, Some(to.format), to.level, false)?;
        let (from_size, to_size) = (from.size(), to.size());
        inside(WHAT, &source, from.first(), from_size)?;
        inside(WHAT, &target, to.first(), to_size)?;
        let volumes = [&source, &target].map(|view| view.coordinates == Coordinates::Volume);
        if volumes[0] != volumes[1] {
            return Err(refused(WHAT, "a volume becomes a volume alone"));
        }
        let straight = [from, to].iter().all(|area| area.start[2] < area.end[2]);
        if !volumes[0] && (from_size[2] != to_size[2] || !straight) {
            return Err(refused(WHAT, "layers go one to one: there are as many on both sides, in the same order"));
        }
        let apart = (0..3).any(|axis| {
            let (a, b) = (from.first()[axis], to.first()[axis]);
            a >= b + to_size[axis] || b >= a + from_size[axis]
        });
        if from.image.address == to.image.address && from.level == to.level && !apart {
            return Err(refused(WHAT, "source and target overlap: texels would be read after they were written"));
        }
        if !is_address(table, 64) {
            return Err(CallError::Address { what: "the table of a blit", addr: table, align: 64 }.into());
        }
        let program = ImageProgram::Blit { linear: filter == Filter::Linear, from: source.coordinates, to: target.coordinates };
        let mut user = [0; 16];
        (user[0], user[1]) = (table as u32, (table >> 32) as u32);
        let words = self::table(blit, &source, &target);
        self.all_or_nothing(|recorder| {
            recorder.update_buffer(table, &words, Order { after: AccessSet::NONE, before: Access::ConstantRead.into() })?;
            recorder.image_dispatch(WHAT, programs, program, &user, to_size, order)
        })
    }
}
