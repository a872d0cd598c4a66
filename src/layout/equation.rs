//! Address equations, which turn coordinates into an address inside a block.

use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::coordinates::{Axis, Bit, Order};
use crate::layout::legal::XOR;
use crate::layout::shape::thick;
use crate::layout::{LayoutError, SwizzleMode, orders, pattern_rows};
use alloc::string::String;
use core::fmt::Write;

/// Number of bits of x, y, slices and samples in equations.
const SIZE_BITS: usize = 17;
const SLICE_BITS: usize = 14;
const SAMPLE_BITS: usize = 4;

/// The offset inside a block as an exclusive OR of coordinate bits: every coordinate bit flips a set of address bits.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::layout::{Element, SurfaceDesc, SurfaceLayout, SwizzleMode, Tiling};
///
/// let desc = SurfaceDesc { width: 256, height: 256, tiling: Tiling::Mode(SwizzleMode::SW_64KB_D), ..SurfaceDesc::new(Element::texel(4)) };
/// let equation = SurfaceLayout::new(Chip::Navi31, &desc)?.tiler()?.equation().unwrap();
/// assert_eq!(equation.terms(), "x0 y0 x1 y1 x2 y2 y3 x3 y4 x4 y5 x5 y6 x6"); // from address bit 2 on
/// assert_eq!(equation.offset([1, 2, 0], 0), 0b10_0100);
/// # Ok::<(), pm4::layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equation {
    pub(in crate::layout) element: u32,
    pub(in crate::layout) bytes: u32,
    pub(in crate::layout) x: [u32; SIZE_BITS],
    pub(in crate::layout) y: [u32; SIZE_BITS],
    pub(in crate::layout) z: [u32; SLICE_BITS],
    pub(in crate::layout) sample: [u32; SAMPLE_BITS],
}

/// Returns the address bits that the set bits of a coordinate flip.
fn flips(columns: &[u32], coordinate: u32) -> u32 {
    columns.iter().enumerate().fold(0, |address, (bit, &column)| if coordinate >> bit & 1 == 1 { address ^ column } else { address })
}

impl Equation {
    /// Creates the equation of a mode on a chip, without an image. `volume` is true for three-dimensional images; bytes of an element and samples are powers of
    /// 2.
    ///
    /// # Errors
    /// [`LayoutError::Mode`] for a mode that the generation lacks, [`LayoutError::Limit`] if elements do not have 1, 2, 4, 8 or 16 bytes or samples are not 1,
    /// 2, 4 or 8, [`LayoutError::Equation`] if no source states the equation.
    pub fn new(config: &AddressConfig, mode: SwizzleMode, volume: bool, element_bytes: u32, samples: u32) -> Result<Self, LayoutError> {
        if !matches!(element_bytes, 1 | 2 | 4 | 8 | 16) {
            return Err(LayoutError::Limit { what: "element_bytes", value: element_bytes, limit: "1, 2, 4, 8, 16" });
        }
        if !matches!(samples, 1 | 2 | 4 | 8) {
            return Err(LayoutError::Limit { what: "samples", value: samples, limit: "1, 2, 4, 8" });
        }
        if !mode.exists_on(config.chip().gfx()) || mode == SwizzleMode::SW_LINEAR {
            return Err(LayoutError::Mode { mode, why: "this generation does not have it, or it has no blocks" });
        }
        let number = mode.number();
        let thick = thick(config.generation, number, volume);
        let order = Order { mode: number, thick, volume, e: element_bytes.ilog2(), s: samples.ilog2() };
        of(config, order).ok_or(LayoutError::Equation { mode })
    }

    /// Returns the offset in bytes from the start of the block, for a coordinate in elements and a sample.
    pub fn offset(&self, [x, y, z]: [u32; 3], sample: u32) -> u32 {
        self.x_bits(x) ^ flips(&self.y, y) ^ flips(&self.z, z) ^ flips(&self.sample, sample)
    }

    pub(in crate::layout) fn x_bits(&self, x: u32) -> u32 {
        flips(&self.x, x)
    }

    /// Returns the log2 of the bytes of a block.
    pub fn block_bytes(&self) -> u32 {
        self.bytes
    }

    /// Returns the equation as text: a word for each address bit, starting above the bits inside an element. `x3^y4` is an exclusive OR; 0 stands for no bit.
    pub fn terms(&self) -> String {
        let mut text = String::new();
        for address in self.element..self.bytes {
            let mut word = String::new();
            for (name, columns) in [('x', &self.x[..]), ('y', &self.y[..]), ('z', &self.z[..]), ('s', &self.sample[..])] {
                for (bit, _) in columns.iter().enumerate().filter(|(_, column)| **column >> address & 1 == 1) {
                    let separator = if word.is_empty() { "" } else { "^" };
                    let _ = write!(word, "{separator}{name}{bit}");
                }
            }
            let separator = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{separator}{}", if word.is_empty() { "0" } else { &word });
        }
        text
    }

    fn empty(element: u32, bytes: u32) -> Self {
        Self { element, bytes, x: [0; SIZE_BITS], y: [0; SIZE_BITS], z: [0; SLICE_BITS], sample: [0; SAMPLE_BITS] }
    }

    fn column(&mut self, bit: Bit) -> Option<&mut u32> {
        let index = bit.bit as usize;
        match bit.axis {
            Axis::X => self.x.get_mut(index),
            Axis::Y => self.y.get_mut(index),
            Axis::Z => self.z.get_mut(index),
            Axis::Sample => self.sample.get_mut(index),
        }
    }

    fn flip(&mut self, bit: Bit, address: u64) {
        if let Some(column) = self.column(bit) {
            *column ^= address as u32;
        }
    }
}

/// Returns the equation of a tiled mode; None if no source states it.
pub(in crate::layout) fn of(config: &AddressConfig, order: Order) -> Option<Equation> {
    match config.generation {
        Generation::Gfx9 => Some(gfx9(config, order)),
        Generation::Gfx12 => Some(in_sequence(config, order)),
        _ if matches!(order.mode, 24 | 27 | 28 | 31) || order.mode == 26 && order.thick => patterned(config, order),
        _ => Some(folded(config, order)),
    }
}

/// Returns the equation of Z_X, R_X and thick 64KB_D_X from GFX10 to GFX11.5: 256 bytes in the order of the mode, then a pattern.
fn patterned(config: &AddressConfig, order: Order) -> Option<Equation> {
    let pattern = pattern_rows::pattern(config, order.mode, order.e, order.s)?;
    let mut equation = Equation::empty(order.e, blocks::block_bytes(config, order.mode));
    let mut address = order.e;
    if order.mode != 26 {
        for bit in orders::micro_of_pattern(config, order) {
            equation.flip(bit, 1 << address);
            address += 1;
        }
    }
    for bits in pattern_rows::read(pattern) {
        for bit in bits {
            equation.flip(bit, 1 << address);
        }
        address += 1;
    }
    Some(equation)
}

/// Returns an equation in which every address bit is one coordinate bit.
fn in_sequence(config: &AddressConfig, order: Order) -> Equation {
    let mut equation = Equation::empty(order.e, blocks::block_bytes(config, order.mode));
    for (address, bit) in (order.e..equation.bytes).zip(orders::sequence(config, order)) {
        equation.flip(bit, 1 << address);
    }
    equation
}

/// Returns the equation of S and D modes from GFX10 to GFX11.5: pipe bits are XORed with the coordinate bits above them, and with slices.
fn folded(config: &AddressConfig, order: Order) -> Equation {
    let bytes = blocks::block_bytes(config, order.mode);
    let inside = order.mode < 20;
    let pipes = if XOR >> order.mode & 1 == 1 { u32::from(config.pipes).min(bytes - 8) } else { 0 };
    let mut equation = Equation::empty(order.e, bytes);
    for (address, bit) in (order.e..64).zip(orders::sequence(config, order)) {
        if address < bytes || !inside {
            equation.flip(bit, fold(1 << address, pipes, 0, order.thick) & ((1 << bytes) - 1));
        }
    }
    if order.mode >= 20 && !order.thick {
        for i in (0..pipes).filter(|&i| pipes - 1 - i < config.effective_pipes()) {
            equation.flip(Bit { axis: Axis::Z, bit: pipes - 1 - i }, 1 << (8 + i));
        }
    }
    equation
}

/// XORs the low bits of an address in units of 256 bytes with the bits above them, in reverse: pipes first, then banks.
fn fold(address: u64, pipes: u32, banks: u32, thick: bool) -> u64 {
    let units = fold_low(address >> 8, pipes, thick);
    let above = fold_low(units >> pipes, banks, thick);
    above << (8 + pipes) | (units & ((1 << pipes) - 1)) << 8 | address & 0xFF
}

fn fold_low(units: u64, count: u32, thick: bool) -> u64 {
    let mut low = 0;
    for i in 0..count {
        // In thick blocks, the bits above come in pairs: one of y and z, one of x.
        let flips = if thick { units >> (count + 2 * i) ^ units >> (count + 2 * i + 1) } else { units >> (count + i) };
        low |= (flips & 1) << (count - 1 - i);
    }
    units ^ low
}

/// Returns the equation of a GFX9 mode; all modes follow the same rules (Mesa 25.0.7 gfx9addrlib.cpp).
fn gfx9(config: &AddressConfig, order: Order) -> Equation {
    let bytes = blocks::block_bytes(config, order.mode);
    let xor = XOR >> order.mode & 1 == 1;
    let across = order.mode >= 20;
    let pipes = if xor { config.all_pipes().min(bytes - 8) } else { 0 };
    let banks = if xor { (bytes - 8 - pipes).min(config.banks.into()) } else { 0 };
    let mut equation = Equation::empty(order.e, bytes);
    let mask = (1u64 << bytes) - 1;
    let depth_order = order.mode & 3 == 0;
    // In all modes except Z modes, samples take the top bits of the block.
    let top = if depth_order { bytes } else { bytes - order.s };
    for (address, bit) in (order.e..64).zip(orders::sequence(config, order)) {
        if across || address < top {
            equation.flip(bit, fold(1 << address, pipes, banks, order.thick) & mask);
        }
    }
    if !depth_order {
        for bit in 0..order.s {
            equation.flip(Bit { axis: Axis::Sample, bit }, fold(1 << (top + bit), pipes, banks, order.thick) & mask);
        }
    }
    if across && order.s == 0 && !order.thick {
        for bit in 0..pipes {
            equation.flip(Bit { axis: Axis::Z, bit }, 1 << (8 + pipes - 1 - bit));
        }
        for bit in 0..banks {
            equation.flip(Bit { axis: Axis::Z, bit: pipes + bit }, 1 << (8 + pipes + banks - 1 - bit));
        }
    }
    equation
}
