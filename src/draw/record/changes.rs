//! Dynamic state and user data, written into registers: changed parts are computed again with the functions that [`resolve`](crate::draw::resolve) uses, and
//! written if they differ from the registers.

use crate::draw::decide::view_inputs::ViewInputs;
use crate::draw::decide::viewport::{self, Edges};
use crate::draw::decide::{blend, depth, raster};
use crate::draw::desc::dynamic::UserWords;
use crate::draw::desc::{DynamicState, Viewport};
use crate::draw::record::registers::Registers;
use crate::draw::record::runs::Runs;
use crate::draw::sheet::{NoReasons, Word};
use crate::draw::state::joined::{FreeSgprs, Joined, parts};
use crate::packet::{KnownRegisters, WriteError};
use core::ops::Range;

/// Viewports and the state that follows from them.
pub(super) const VIEW: u8 = parts::VIEWPORTS | parts::SCISSORS;

/// Parts of tests and blending.
pub(super) const TESTS: u8 = parts::BLEND_CONSTANTS | parts::STENCIL | parts::DEPTH_BIAS | parts::DEPTH_BOUNDS;

/// Maximum number of viewports.
pub(super) const VIEWPORTS: usize = 16;

/// Returns the values of registers.
#[inline]
pub(super) fn values<const N: usize>(words: &[Word<NoReasons>; N]) -> [u32; N] {
    let mut values = [0; N];
    for at in 0..N {
        values[at] = words[at].at().1;
    }
    values
}

/// Returns consecutive registers as the slot of the first and their values.
#[inline]
fn row<const N: usize>(words: &[Word<NoReasons>; N]) -> (usize, [u32; N]) {
    (words.first().map_or(0, |word| word.at().0), values(words))
}

/// Consecutive registers of the viewports in use.
struct Rows<const N: usize> {
    first: usize,
    values: [u32; N],
    len: usize,
}

impl<const N: usize> Rows<N> {
    fn new() -> Self {
        Self { first: 0, values: [0; N], len: 0 }
    }

    /// Adds registers that follow the previous ones.
    fn add<const M: usize>(&mut self, words: &[Word<NoReasons>; M]) {
        let (first, values) = row(words);
        if let Some(places) = self.values.get_mut(self.len..self.len + M) {
            places.copy_from_slice(&values);
            self.first = if self.len == 0 { first } else { self.first };
            self.len += M;
        }
    }

    fn write<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        registers.write_run(self.first, self.values.get(..self.len).unwrap_or_default(), out)
    }
}

/// Parts of dynamic state under a joined state.
#[derive(Clone, Copy)]
pub(super) struct Changes<'a> {
    pub joined: &'a Joined,
    pub state: &'a DynamicState,
    /// The edges of the only viewport, if there is exactly one.
    pub edges: &'a Edges,
    /// Whether the depth range of the only viewport may differ.
    pub depth: bool,
    /// Parts that may differ, as bits of [`parts`].
    pub parts: u8,
    /// User SGPRs that may differ.
    pub words: &'a [u32; 3],
    /// The slots of the viewport scissors, if a roll loses them; they are then written after all other registers.
    pub lost: Option<&'a Range<usize>>,
}

impl<'a> Changes<'a> {
    /// Writes the differences; returns whether it wrote context registers. Scissors that a roll loses are left to [`write_scissors`](Self::write_scissors).
    pub fn write<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let mut written = false;
        if self.parts & VIEW != 0 {
            let view = self.joined.view(self.state);
            written |= view.with_viewports(|viewports| self.viewports(&view, viewports, registers, out))?;
        }
        if self.parts & TESTS != 0 {
            written |= self.tests(registers, out)?;
        }
        if self.parts & parts::USER_DATA != 0 {
            self.user_data(registers, out)?;
        }
        Ok(written)
    }

    /// Writes any number of viewports.
    fn viewports<O: KnownRegisters>(&self, view: &ViewInputs<'a>, viewports: &[Viewport], registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let mut written = false;
        if self.parts & parts::VIEWPORTS != 0 {
            written |= registers.write(row(&viewport::guard_band_words(view, viewports)), out)?;
            let (mut transforms, mut ranges) = (Rows::<{ 8 * VIEWPORTS }>::new(), Rows::<{ 2 * VIEWPORTS }>::new());
            let together = view.gfx.major() >= 12;
            for (transform, range) in (0..).zip(viewports).filter_map(|(index, viewport)| viewport::transform_words(view, index, viewport)) {
                transforms.add(&transform);
                if together { transforms.add(&range) } else { ranges.add(&range) }
            }
            written |= transforms.write(registers, out)? | ranges.write(registers, out)?;
        }
        if self.parts & parts::SCISSORS != 0 {
            let rows = self.scissors();
            let values = rows.values.get(..rows.len).unwrap_or_default();
            written |= if self.lost.is_some() { !registers.values().hold(rows.first, values) } else { rows.write(registers, out)? };
        }
        Ok(written)
    }

    /// Returns the viewport scissors.
    fn scissors(&self) -> Rows<{ 2 * VIEWPORTS }> {
        let view = self.joined.view(self.state);
        let mut rows = Rows::new();
        view.with_viewports(|viewports| {
            let words = (0..).zip(viewports).filter_map(|(index, viewport)| viewport::scissor_words(&view, index, &Edges::of(viewport)));
            words.for_each(|words| rows.add(&words));
        });
        rows
    }

    /// Writes the viewport scissors that a roll has lost, regardless of the registers' known values.
    pub fn write_scissors<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<(), WriteError> {
        let rows = self.scissors();
        if let Some(lost) = self.lost {
            registers.values_mut().forget_run(lost.start, lost.len());
        }
        rows.write(registers, out).map(|_| ())
    }

    pub fn tests<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let Self { joined, state, parts: changed, .. } = *self;
        let gfx = joined.gfx;
        let mut written = false;
        if let Some(constants) = joined.blend_constants(state).filter(|_| changed & parts::BLEND_CONSTANTS != 0) {
            written |= registers.write(row(&blend::constant_words(gfx, constants)), out)?;
        }
        if changed & parts::STENCIL != 0 {
            let (front, back) = joined.stencil(state);
            let mut words = Rows::<4>::new();
            depth::stencil_words(gfx, &front, &back).into_iter().flatten().for_each(|word| words.add(&[word]));
            written |= words.write(registers, out)?;
        }
        if let Some((bias, format)) = joined.depth_bias(state).filter(|_| changed & parts::DEPTH_BIAS != 0) {
            written |= registers.write(row(&raster::depth_bias_words(gfx, &bias, format)), out)?;
        }
        if let Some(bounds) = joined.depth_bounds(state).filter(|_| changed & parts::DEPTH_BOUNDS != 0) {
            written |= registers.write(row(&depth::bounds_words(gfx, bounds)), out)?;
        }
        Ok(written)
    }

    /// Writes the changed user SGPRs that programs read. A single unchanged SGPR between two changed ones is written with them.
    #[inline]
    pub fn user_data<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<(), WriteError> {
        for at in 0..3 {
            if self.words[at] != 0 {
                self.user_words(&self.joined.free[at], &self.state.user_data.stages[at], self.words[at], registers, out)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn user_words<O: KnownRegisters>(
        &self,
        sgprs: &FreeSgprs,
        words: &UserWords,
        changed: u32,
        registers: &mut Registers,
        out: &mut O,
    ) -> Result<(), WriteError> {
        let there = sgprs.free & words.given;
        for (first, count) in (Runs { there, wanted: there & changed }) {
            if let Some(values) = words.values.get(first..first + count) {
                registers.write_run(sgprs.slot + first, values, out)?;
            }
        }
        Ok(())
    }
}
