//! Addresses of elements, and copies between an image and linear memory.

use crate::layout::config::Generation;
use crate::layout::coordinates::Order;
use crate::layout::equation::{self, Equation};
use crate::layout::image_layout::fmask_shape;
use crate::layout::plane::{Mip, Plane};
use crate::layout::shape::{Shape, level_size};
use crate::layout::{LayoutError, SurfaceLayout, SwizzleMode, size, swizzle_bits};

/// Addresses in one plane of an image. Coordinates are in elements, which are blocks for block-compressed formats.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::layout::{Element, SurfaceDesc, SurfaceLayout, Linear, Region};
///
/// let desc = SurfaceDesc { width: 100, height: 60, ..SurfaceDesc::new(Element::texel(4)) };
/// let layout = SurfaceLayout::new(Chip::Navi21, &desc)?;
/// let tiler = layout.tiler()?;
/// assert_eq!(tiler.address([3, 5, 0], 0, 0)?, 156); // x0, x1 and y0 are address bits 2, 3, 4; y2 is bit 7
///
/// let texels: Vec<u8> = (0..100 * 60 * 4).map(|i| i as u8).collect();
/// let mut image = vec![0; layout.size as usize];
/// let all = Region { size: [100, 60, 1], ..Region::default() };
/// let rows = Linear { row: 400, slice: 24_000 };
/// tiler.tile(&all, rows, &texels, &mut image)?;
/// let mut back = vec![0; texels.len()];
/// tiler.detile(&all, rows, &image, &mut back)?;
/// assert_eq!(back, texels);
/// # Ok::<(), pm4::layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiler {
    plane: Plane,
    shape: Shape,
    equation: Option<Equation>,
    generation: Generation,
    /// Bytes of the image before the plane.
    base: u64,
    xor: u64,
}

/// A box of elements of one level and one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    /// Level.
    pub level: u32,
    /// Sample.
    pub sample: u32,
    /// First element: x, y, and the layer or slice.
    pub start: [u32; 3],
    /// Elements in x and y, and layers or slices.
    pub size: [u32; 3],
}

impl Default for Region {
    fn default() -> Self {
        Self { level: 0, sample: 0, start: [0; 3], size: [1; 3] }
    }
}

/// Linear memory, in bytes from the first element of the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one layer or slice to the next.
    pub slice: u64,
}

impl SurfaceLayout {
    /// Returns the tiler of the first plane: colour or depth.
    ///
    /// # Errors
    /// [`LayoutError::Equation`] if no source states the equation of the mode.
    pub fn tiler(&self) -> Result<Tiler, LayoutError> {
        self.tiler_of(&self.plane, &self.shape, 0, self.tile_swizzle)
    }

    /// Returns the tiler of the stencil plane of an image that also has depth.
    ///
    /// # Errors
    /// The errors of [`tiler`](Self::tiler), and [`LayoutError::Excluded`] if the image has no such plane.
    pub fn stencil_tiler(&self) -> Result<Tiler, LayoutError> {
        let stencil = self.stencil.as_ref().ok_or(LayoutError::Excluded { what: "an image without stencil beside depth", with: "addresses of it" })?;
        self.tiler_of(&stencil.plane, &Shape { bytes: 1, ..self.shape }, stencil.offset, 0)
    }

    /// Returns the tiler of FMASK.
    ///
    /// # Errors
    /// The errors of [`tiler`](Self::tiler), and [`LayoutError::Excluded`] if the image has no such plane.
    pub fn fmask_tiler(&self) -> Result<Tiler, LayoutError> {
        let fmask = self.fmask.as_ref().ok_or(LayoutError::Excluded { what: "an image without FMASK", with: "addresses of it" })?;
        let shape = fmask_shape(&self.shape, fmask.element_bytes);
        let plane = size::plane(self.config(), &shape, fmask.mode.number());
        self.tiler_of(&plane, &shape, fmask.offset, fmask.tile_swizzle)
    }

    fn tiler_of(&self, plane: &Plane, shape: &Shape, base: u64, swizzle: u32) -> Result<Tiler, LayoutError> {
        let (config, mode) = (self.config(), plane.mode.number());
        let equation = if plane.mode == SwizzleMode::SW_LINEAR {
            None
        } else {
            let volume = shape.dim == crate::layout::shape::Dim::Three;
            let order = Order { mode, thick: shape.thick(config, mode), volume, e: shape.element(), s: shape.fragments };
            Some(equation::of(config, order).ok_or(LayoutError::Equation { mode: plane.mode })?)
        };
        let xor = if equation.is_some() { swizzle_bits::applied(config, mode, swizzle) } else { 0 };
        Ok(Tiler { plane: *plane, shape: *shape, equation, generation: config.generation, base, xor })
    }

    /// Returns the offset in bytes from the start of the image to an element of the first plane. `at` is x, y and the layer or slice, in elements. For many
    /// addresses, use a [`tiler`](Self::tiler).
    ///
    /// # Errors
    /// The errors of [`tiler`](Self::tiler), and [`LayoutError::Outside`].
    pub fn address(&self, at: [u32; 3], sample: u32, level: u32) -> Result<u64, LayoutError> {
        self.tiler()?.address(at, sample, level)
    }
}

/// The part of an address that all elements of a row share.
#[derive(Clone, Copy)]
struct Row {
    /// Start of the row of blocks.
    base: u64,
    /// Inside a block.
    inside: u64,
    tail_x: u32,
}

impl Tiler {
    /// Returns the equation of the plane's blocks; None for linear planes.
    pub fn equation(&self) -> Option<Equation> {
        self.equation
    }

    /// Returns a copy with another XOR of the base address ([`SurfaceLayout::tile_swizzle`]), in units of 256 bytes.
    pub fn with_tile_swizzle(self, layout: &SurfaceLayout, swizzle: u32) -> Self {
        let xor = if self.equation.is_some() { swizzle_bits::applied(layout.config(), self.plane.mode.number(), swizzle) } else { 0 };
        Self { xor, ..self }
    }

    /// Returns the extent of a level in elements: x, y, layers or slices.
    pub fn extent(&self, level: u32) -> [u32; 3] {
        let shape = &self.shape;
        let floor = |size: u32| (size >> level.min(31)).max(1);
        let elements = |texels: u32, unit: u32| floor(texels).div_ceil(unit.max(1));
        let slices = if shape.dim == crate::layout::shape::Dim::Three { floor(shape.slices) } else { shape.slices };
        [elements(shape.width_texels, shape.texels[0]), elements(shape.height_texels, shape.texels[1]), slices]
    }

    /// Returns the offset in bytes from the start of the image to an element.
    ///
    /// # Errors
    /// [`LayoutError::Outside`] for a coordinate, sample or level outside the plane. Levels have their rounded-up sizes.
    pub fn address(&self, at: [u32; 3], sample: u32, level: u32) -> Result<u64, LayoutError> {
        self.check(&Region { level, sample, start: at, size: [1; 3] })?;
        let row = self.row(level, at[1], at[2], sample);
        Ok(self.at(&row, at[0]))
    }

    fn check(&self, region: &Region) -> Result<(), LayoutError> {
        let outside = |what, value, limit| if value < limit { Ok(()) } else { Err(LayoutError::Outside { what, value, limit }) };
        outside("level", region.level, self.shape.levels)?;
        outside("sample", region.sample, 1 << self.shape.fragments)?;
        let shape = &self.shape;
        let slices = if shape.dim == crate::layout::shape::Dim::Three { level_size(shape.slices, region.level) } else { shape.slices };
        let limits = [level_size(shape.width, region.level), level_size(shape.height, region.level), slices];
        for (axis, what) in ["x", "y", "z"].into_iter().enumerate() {
            let last = region.start[axis].saturating_add(region.size[axis]).saturating_sub(1);
            outside(what, last, limits[axis])?;
        }
        Ok(())
    }

    fn mip(&self, level: u32) -> Mip {
        self.plane.mips().get(level as usize).copied().unwrap_or_default()
    }

    fn row(&self, level: u32, y: u32, z: u32, sample: u32) -> Row {
        let (plane, mip) = (&self.plane, self.mip(level));
        let Some(equation) = &self.equation else {
            let element = if plane.element_bytes == 12 { 4 } else { u64::from(plane.element_bytes) };
            let base = self.base + u64::from(z) * plane.slice_size + mip.offset + u64::from(y) * u64::from(mip.pitch) * element;
            return Row { base, inside: 0, tail_x: 0 };
        };
        let [bw, bh, bd] = plane.block;
        let bytes = equation.block_bytes();
        let tail_y = y + u32::from(mip.tail[1]);
        let inside = u64::from(equation.offset([0, tail_y, z], sample)) ^ self.xor;
        if self.generation == Generation::Gfx9 {
            let chain = plane.chain.map_or([1, 1], |chain| [chain.pitch / bw, chain.height / bh]).map(u64::from);
            let block_row = (u64::from(z / bd) * chain[1] + u64::from(y / bh)) * chain[0];
            return Row { base: self.base + mip.macro_offset + (block_row << bytes), inside: inside ^ u64::from(mip.tail_offset), tail_x: 0 };
        }
        let in_tail = level >= plane.first_tail;
        let block_row = if in_tail { 0 } else { u64::from(y / bh) * u64::from(mip.pitch / bw) };
        let base = self.base + u64::from(z / bd) * plane.slice_size * u64::from(bd) + mip.macro_offset + (block_row << bytes);
        Row { base, inside, tail_x: mip.tail[0].into() }
    }

    fn at(&self, row: &Row, x: u32) -> u64 {
        match &self.equation {
            None => row.base + u64::from(x) * u64::from(self.plane.element_bytes),
            Some(equation) => {
                let inside = row.inside ^ u64::from(equation.x_bits(x + row.tail_x));
                let block = u64::from(x / self.plane.block[0]) << equation.block_bytes();
                row.base + block + inside
            }
        }
    }

    /// Copies a region from linear memory into the image.
    ///
    /// # Errors
    /// [`LayoutError::Outside`] for a region beyond the image, [`LayoutError::Buffer`] if a buffer is too small. Nothing is written in these cases.
    pub fn tile(&self, region: &Region, linear: Linear, from: &[u8], image: &mut [u8]) -> Result<(), LayoutError> {
        self.check_buffers(region, linear, from.len(), image.len())?;
        self.each(region, linear, |element, there, here| {
            if let (Some(to), Some(from)) = (image.get_mut(here..here + element), from.get(there..there + element)) {
                to.copy_from_slice(from);
            }
        });
        Ok(())
    }

    /// Copies a region from the image to linear memory.
    ///
    /// # Errors
    /// The errors of [`tile`](Self::tile).
    pub fn detile(&self, region: &Region, linear: Linear, image: &[u8], to: &mut [u8]) -> Result<(), LayoutError> {
        self.check_buffers(region, linear, to.len(), image.len())?;
        self.each(region, linear, |element, there, here| {
            if let (Some(to), Some(from)) = (to.get_mut(there..there + element), image.get(here..here + element)) {
                to.copy_from_slice(from);
            }
        });
        Ok(())
    }

    fn check_buffers(&self, region: &Region, linear: Linear, bytes: usize, image: usize) -> Result<(), LayoutError> {
        let [w, h, d] = region.size.map(u64::from);
        if w == 0 || h == 0 || d == 0 {
            return Ok(());
        }
        self.check(region)?;
        let row = w * u64::from(self.plane.element_bytes);
        let needs = linear.slice.saturating_mul(d - 1).saturating_add(linear.row.saturating_mul(h - 1)).saturating_add(row);
        if (bytes as u64) < needs {
            return Err(LayoutError::Buffer { what: "linear memory", bytes: bytes as u64, needs });
        }
        let needs = self.base + self.plane.size;
        if (image as u64) < needs {
            return Err(LayoutError::Buffer { what: "the image", bytes: image as u64, needs });
        }
        Ok(())
    }

    /// Calls `copy` with the bytes of an element and its offsets in linear memory and in the image.
    fn each(&self, region: &Region, linear: Linear, mut copy: impl FnMut(usize, usize, usize)) {
        let element = self.plane.element_bytes as usize;
        let [w, h, d] = region.size;
        let [x0, y0, z0] = region.start;
        for z in 0..d {
            for y in 0..h {
                let row = self.row(region.level, y0 + y, z0 + z, region.sample);
                let there = u64::from(z) * linear.slice + u64::from(y) * linear.row;
                for x in 0..w {
                    copy(element, there as usize + x as usize * element, self.at(&row, x0 + x) as usize);
                }
            }
        }
    }
}
