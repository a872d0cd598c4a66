//! Dynamic state and user data, brought into registers: what changed is made anew by the functions that [`resolve`](crate::draw::resolve) uses, and written
//! where it differs from what registers hold.

use crate::draw::dynamic::ViewInputs;
use crate::draw::fixed::Viewport;
use crate::draw::objects::{FreeSgprs, Joined, parts};
use crate::draw::parts::{DynamicState, UserWords};
use crate::draw::record_held::Registers;
use crate::draw::sheet::{Untold, Word};
use crate::draw::viewport::{self, Edges};
use crate::draw::{blend, depth, raster};
use crate::packet::{Direct, KnownRegisters, WriteError};
use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

/// Most viewports.
const VIEWPORTS: usize = 16;

/// Dwords of dynamic state and of a plain draw without user data: with one viewport, and with several.
const ONE_VIEWPORT: usize = 80;
const SEVERAL_VIEWPORTS: usize = ONE_VIEWPORT + 12 * VIEWPORTS;

/// Viewports and what follows from them.
pub(super) const VIEW: u8 = parts::VIEWPORTS | parts::SCISSORS;

/// Parts of tests and blending.
const TESTS: u8 = parts::BLEND_CONSTANTS | parts::STENCIL | parts::DEPTH_BIAS | parts::DEPTH_BOUNDS;

/// Consecutive registers: the slot of the first, and their values.
#[inline(always)]
fn row<const N: usize>(words: &[Word<Untold>; N]) -> (usize, [u32; N]) {
    let mut values = [0; N];
    for at in 0..N {
        values[at] = words[at].at().1;
    }
    (words.first().map_or(0, |word| word.at().0), values)
}

/// Consecutive registers of so many viewports as there are.
struct Rows<const N: usize> {
    first: usize,
    values: [u32; N],
    len: usize,
}

impl<const N: usize> Rows<N> {
    fn new() -> Self {
        Self { first: 0, values: [0; N], len: 0 }
    }

    /// Adds registers that stand after those before.
    fn add<const M: usize>(&mut self, words: &[Word<Untold>; M]) {
        let (first, values) = row(words);
        if let Some(places) = self.values.get_mut(self.len..self.len + M) {
            places.copy_from_slice(&values);
            self.first = if self.len == 0 { first } else { self.first };
            self.len += M;
        }
    }

    fn bring<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        registers.bring_run(self.first, self.values.get(..self.len).unwrap_or_default(), out)
    }
}

/// A number that is read by itself. It was stored just before, and what is read together with its neighbours waits until all of them are in the cache: three
/// times as long as all that is made of them. Compilers join plain reads, and leave those of atomic numbers as they are.
#[derive(Debug, Default)]
struct Alone(AtomicU32);

impl Alone {
    #[inline(always)]
    fn set(&mut self, value: f32) {
        *self.0.get_mut() = value.to_bits();
    }

    #[inline(always)]
    fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }
}

impl Clone for Alone {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.0.load(Ordering::Relaxed)))
    }
}

/// The one viewport that most draws have.
#[derive(Debug, Clone, Default)]
pub(super) struct OneViewport {
    numbers: [Alone; 6],
    edges: Edges,
}

impl OneViewport {
    #[inline(always)]
    pub fn set(&mut self, viewport: &Viewport) {
        let [x, y, width, height, min_depth, max_depth] = &mut self.numbers;
        x.set(viewport.x);
        y.set(viewport.y);
        width.set(viewport.width);
        height.set(viewport.height);
        min_depth.set(viewport.min_depth);
        max_depth.set(viewport.max_depth);
        self.edges = Edges::of(viewport);
    }

    #[inline(always)]
    fn viewport(&self) -> Viewport {
        let [x, y, width, height, min_depth, max_depth] = &self.numbers;
        Viewport { x: x.get(), y: y.get(), width: width.get(), height: height.get(), min_depth: min_depth.get(), max_depth: max_depth.get() }
    }
}

/// Parts of dynamic state under a joined state.
#[derive(Clone, Copy)]
pub(super) struct Changes<'a> {
    pub joined: &'a Joined,
    pub state: &'a DynamicState,
    pub one: &'a OneViewport,
    /// Parts that may differ, as bits of [`parts`].
    pub parts: u8,
    /// User SGPRs that may differ.
    pub words: &'a [u32; 3],
    /// The slots of the viewport scissors, where a roll loses them: they are written after all others.
    pub lost: Option<&'a Range<usize>>,
}

impl<'a> Changes<'a> {
    /// Dwords that they take at most, a plain draw with them.
    #[inline(always)]
    pub fn most<const PARTS: u8>(&self) -> usize {
        let state = if PARTS == parts::USER_DATA || self.state.viewports.len() < 2 { ONE_VIEWPORT } else { SEVERAL_VIEWPORTS };
        if PARTS & self.parts & parts::USER_DATA == 0 {
            return state;
        }
        let mut words = 0;
        for at in 0..3 {
            if self.words[at] != 0 {
                words += 32 - self.words[at].leading_zeros() as usize - self.words[at].trailing_zeros() as usize;
            }
        }
        // From the first to the last, each in a packet of its own; one that goes along takes less.
        state + 3 * words
    }

    /// Writes what differs of the parts `PARTS`, and no others changed, straight into memory; `rolled` if context registers were written before. The order is
    /// that of [`bring`](Self::bring). What finds no place is told at the end.
    #[inline(always)]
    pub fn bring_directly<'m, const PARTS: u8>(self, rolled: bool, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        // What changes often is in line, so that nothing on its way goes through memory; all else takes the memory along and gives it back.
        let parts = PARTS & self.parts;
        if PARTS != parts::USER_DATA && self.state.viewports.len() != 1 {
            return self.bring_all_directly(rolled, registers, out);
        }
        let mut rolled = rolled;
        if parts & VIEW != 0 {
            let view = self.joined.view(self.state);
            if parts & parts::VIEWPORTS != 0 {
                rolled |= self.viewport(&view, &self.one.viewport(), registers, &mut out).unwrap_or(false);
            }
            if let (None, Some(scissor)) = (self.lost, self.scissor(&view)) {
                let _ = registers.bring(scissor, &mut out);
            }
        }
        if parts & TESTS != 0 {
            let written;
            (out, written) = self.tests_directly(registers, out);
            rolled |= written;
        }
        if parts & parts::USER_DATA != 0 {
            let _ = self.user_data(registers, &mut out);
        }
        if PARTS != parts::USER_DATA
            && let Some(lost) = self.lost.filter(|_| rolled || parts & VIEW != 0)
            && let Some(scissor) = self.scissor(&self.joined.view(self.state))
            && (rolled || !registers.hold(&scissor))
        {
            registers.forget_run(lost.start, lost.len());
            let _ = registers.bring(scissor, &mut out);
        }
        out
    }

    /// The scissor of the one viewport.
    #[inline(always)]
    fn scissor(&self, view: &ViewInputs<'a>) -> Option<(usize, [u32; 2])> {
        viewport::scissor_words(view, 0, &self.one.edges).map(|words| row(&words))
    }

    #[inline(never)]
    fn tests_directly<'m>(self, registers: &mut Registers, mut out: Direct<'m>) -> (Direct<'m>, bool) {
        let written = self.tests(registers, &mut out).unwrap_or(false);
        (out, written)
    }

    #[inline(never)]
    fn bring_all_directly<'m>(self, rolled: bool, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        let rolled = self.bring(registers, &mut out).unwrap_or(false) || rolled;
        if rolled && self.lost.is_some() {
            let _ = self.bring_scissors(registers, &mut out);
        }
        out
    }

    /// Writes what differs: whether it wrote context registers. Scissors that a roll loses are left to [`bring_scissors`](Self::bring_scissors).
    pub fn bring<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
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

    /// The one viewport, with the guard band, without its scissor.
    #[inline(always)]
    fn viewport<O: KnownRegisters>(&self, view: &ViewInputs<'a>, viewport: &Viewport, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let mut written = registers.bring(row(&viewport::guard_band_words(view, slice::from_ref(viewport))), out)?;
        if let Some((transform, range)) = viewport::transform_words(view.gfx, 0, viewport) {
            let ((first, [a, b, c, d, e, f]), (behind, [near, far])) = (row(&transform), row(&range));
            written |= if behind == first + 6 {
                registers.bring((first, [a, b, c, d, e, f, near, far]), out)?
            } else {
                registers.bring((first, [a, b, c, d, e, f]), out)? | registers.bring((behind, [near, far]), out)?
            };
        }
        Ok(written)
    }

    /// Any number of viewports.
    fn viewports<O: KnownRegisters>(&self, view: &ViewInputs<'a>, viewports: &[Viewport], registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let mut written = false;
        if self.parts & parts::VIEWPORTS != 0 {
            written |= registers.bring(row(&viewport::guard_band_words(view, viewports)), out)?;
            let (mut transforms, mut ranges) = (Rows::<{ 8 * VIEWPORTS }>::new(), Rows::<{ 2 * VIEWPORTS }>::new());
            let together = view.gfx.major() >= 12;
            for (transform, range) in (0..).zip(viewports).filter_map(|(index, viewport)| viewport::transform_words(view.gfx, index, viewport)) {
                transforms.add(&transform);
                if together { transforms.add(&range) } else { ranges.add(&range) }
            }
            written |= transforms.bring(registers, out)? | ranges.bring(registers, out)?;
        }
        if self.parts & parts::SCISSORS != 0 {
            let rows = self.scissors();
            let values = rows.values.get(..rows.len).unwrap_or_default();
            written |= if self.lost.is_some() { !registers.hold_run(rows.first, values) } else { rows.bring(registers, out)? };
        }
        Ok(written)
    }

    /// The viewport scissors.
    fn scissors(&self) -> Rows<{ 2 * VIEWPORTS }> {
        let view = self.joined.view(self.state);
        let mut rows = Rows::new();
        view.with_viewports(|viewports| {
            let words = (0..).zip(viewports).filter_map(|(index, viewport)| viewport::scissor_words(&view, index, &Edges::of(viewport)));
            words.for_each(|words| rows.add(&words));
        });
        rows
    }

    /// Writes the viewport scissors that a roll has lost, whatever registers hold.
    pub fn bring_scissors<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<(), WriteError> {
        let rows = self.scissors();
        if let Some(lost) = self.lost {
            registers.forget_run(lost.start, lost.len());
        }
        rows.bring(registers, out).map(|_| ())
    }

    /// The slots of the viewport scissors: the first, and how many.
    pub fn scissor_slots(&self) -> (usize, usize) {
        let rows = self.scissors();
        (rows.first, rows.len)
    }

    fn tests<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let Self { joined, state, parts: changed, .. } = *self;
        let gfx = joined.gfx;
        let mut written = false;
        if let Some(constants) = joined.blend_constants(state).filter(|_| changed & parts::BLEND_CONSTANTS != 0) {
            written |= registers.bring(row(&blend::constant_words(gfx, constants)), out)?;
        }
        if changed & parts::STENCIL != 0 {
            let (front, back) = joined.stencil(state);
            let mut words = Rows::<4>::new();
            depth::stencil_words(gfx, &front, &back).into_iter().flatten().for_each(|word| words.add(&[word]));
            written |= words.bring(registers, out)?;
        }
        if let Some((bias, float)) = joined.depth_bias(state).filter(|_| changed & parts::DEPTH_BIAS != 0) {
            written |= registers.bring(row(&raster::depth_bias_words(gfx, &bias, float)), out)?;
        }
        if let Some(bounds) = joined.depth_bounds(state).filter(|_| changed & parts::DEPTH_BOUNDS != 0) {
            written |= registers.bring(row(&depth::bounds_words(gfx, bounds)), out)?;
        }
        Ok(written)
    }

    /// Writes user SGPRs that changed and that programs read. One that did not change between two that did is written with them.
    #[inline(always)]
    fn user_data<O: KnownRegisters>(&self, registers: &mut Registers, out: &mut O) -> Result<(), WriteError> {
        for at in 0..3 {
            if self.words[at] != 0 {
                self.user_words(&self.joined.free[at], &self.state.user_data[at], self.words[at], registers, out)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn user_words<O: KnownRegisters>(
        &self,
        sgprs: &FreeSgprs,
        words: &UserWords,
        changed: u32,
        registers: &mut Registers,
        out: &mut O,
    ) -> Result<(), WriteError> {
        let there = sgprs.free & words.given;
        let mut wanted = there & changed;
        while wanted != 0 {
            let first = wanted.trailing_zeros();
            // The run ends before two that did not change, or one that is not there.
            let run = (wanted | wanted << 1 & there & wanted >> 1) >> first;
            let count = run.trailing_ones();
            let at = first as usize;
            if let Some(values) = words.values.get(at..at + count as usize) {
                registers.bring_run(sgprs.slot + at, values, out)?;
            }
            wanted &= !((u32::MAX >> (32 - count)) << first);
        }
        Ok(())
    }
}
