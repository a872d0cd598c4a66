//! Dynamic state and user data, brought into registers: what changed is computed again by the functions that [`resolve`](crate::draw::resolve) uses, and written
//! where it differs from what registers hold.

use crate::draw::decide::view_inputs::ViewInputs;
use crate::draw::decide::viewport::{self, Edges, ViewSlots, view_slots};
use crate::draw::decide::{blend, depth, raster};
use crate::draw::desc::dynamic::UserWords;
use crate::draw::desc::{DynamicState, Viewport};
use crate::draw::record::held::Registers;
use crate::draw::sheet::{NoReasons, Word};
use crate::draw::state::joined::{FreeSgprs, Joined, parts};
use crate::packet::{Direct, KnownRegisters, WriteError};
use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

/// Most viewports.
const VIEWPORTS: usize = 16;

/// Dwords of a scissor; of the one viewport with its scissor, depth range and the guard band; of all other state but user data; of all with several viewports.
const SCISSOR: usize = 4;
const ONE_VIEWPORT: usize = SCISSOR + (2 + 6) + (2 + 2) + (2 + 4);
const TESTS_DWORDS: usize = 32;
const SEVERAL_VIEWPORTS: usize = ONE_VIEWPORT + TESTS_DWORDS + 12 * VIEWPORTS;

/// Viewports and what follows from them.
pub(super) const VIEW: u8 = parts::VIEWPORTS | parts::SCISSORS;

/// Parts of tests and blending.
const TESTS: u8 = parts::BLEND_CONSTANTS | parts::STENCIL | parts::DEPTH_BIAS | parts::DEPTH_BOUNDS;

/// The values of registers.
#[inline(always)]
fn values<const N: usize>(words: &[Word<NoReasons>; N]) -> [u32; N] {
    let mut values = [0; N];
    for at in 0..N {
        values[at] = words[at].at().1;
    }
    values
}

/// Consecutive registers: the slot of the first, and their values.
#[inline(always)]
fn row<const N: usize>(words: &[Word<NoReasons>; N]) -> (usize, [u32; N]) {
    (words.first().map_or(0, |word| word.at().0), values(words))
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

    /// Adds registers that are after those before.
    fn add<const M: usize>(&mut self, words: &[Word<NoReasons>; M]) {
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
    /// The depth range may be another one than that of the previous draw: the viewport's has changed, or whether depth is clamped to it.
    pub depth_changed: bool,
}

impl OneViewport {
    #[inline(always)]
    pub fn set(&mut self, viewport: &Viewport, depth_changed: bool) {
        self.depth_changed |= depth_changed;
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
    /// Whether there is one viewport, as most draws have.
    #[inline(always)]
    fn is_one_viewport(&self) -> bool {
        self.state.viewports.len() == 1
    }

    /// Dwords that the parts `PARTS` take at most.
    #[inline(always)]
    pub fn most<const PARTS: u8>(&self) -> usize {
        let state = match PARTS {
            parts::USER_DATA => 0,
            parts::SCISSORS => SCISSOR,
            VIEW => ONE_VIEWPORT,
            _ if self.is_one_viewport() => ONE_VIEWPORT + TESTS_DWORDS,
            _ => SEVERAL_VIEWPORTS,
        };
        // From the first to the last: one after the other in a packet, or every other one in a packet of its own, which takes less than this.
        let most = |words: u32| if words == 0 { 0 } else { 2 * (32 - words.leading_zeros() - words.trailing_zeros()) as usize + 1 };
        let [pixel, vertices, hull] = *self.words;
        state
            + match PARTS {
                parts::USER_DATA => most(pixel | vertices),
                _ if PARTS & parts::USER_DATA != 0 => most(pixel) + most(vertices) + most(hull),
                _ => 0,
            }
    }

    /// Writes what differs of the parts `PARTS`, and no others changed, straight into memory; `rolled` if context registers were written before. They follow a
    /// draw with a viewport of the same joined state, or one like it, so that it is known what registers of viewports hold. Parts of viewports alone are asked
    /// for where there is one, user data alone where it is [known](Self::is_known_user_data). The order is that of [`bring`](Self::bring). What finds no place is an error at the end.
    #[inline(always)]
    pub fn bring_directly<'m, const PARTS: u8>(self, rolled: bool, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        match PARTS {
            parts::USER_DATA => return self.known_user_data(registers, out),
            // The slots of a generation are constants: with them there is nothing to check about places.
            parts::SCISSORS => on_gfx!(self.joined.gfx, r => self.scissor(false, &view_slots!(r), registers, &mut out)),
            VIEW => on_gfx!(self.joined.gfx, r => {
                let rolled = self.viewport(&view_slots!(r), registers, &mut out);
                self.scissor(rolled, &view_slots!(r), registers, &mut out);
            }),
            // What changes often is inlined, so that nothing on its way goes through memory; all else takes the memory along and gives it back.
            _ if self.is_one_viewport() => {
                let (mut rolled, slots) = (rolled, registers.view);
                if self.parts & parts::VIEWPORTS != 0 {
                    rolled |= self.viewport(&slots, registers, &mut out);
                }
                if self.parts & VIEW != 0 && self.lost.is_none() {
                    self.scissor(false, &slots, registers, &mut out);
                }
                if self.parts & TESTS != 0 {
                    let written;
                    (out, written) = self.tests_directly(registers, out);
                    rolled |= written;
                }
                if self.parts & parts::USER_DATA != 0 {
                    let _ = self.user_data(registers, &mut out);
                }
                if self.lost.is_some() && (rolled || self.parts & VIEW != 0) {
                    self.scissor(rolled, &slots, registers, &mut out);
                }
            }
            _ => return self.bring_all_directly(rolled, registers, out),
        }
        out
    }

    /// The one viewport, with the guard band, without its scissor: whether it wrote.
    #[inline(always)]
    fn viewport(&self, slots: &ViewSlots, registers: &mut Registers, out: &mut Direct<'_>) -> bool {
        let (view, viewport) = (self.joined.view(self.state), self.one.viewport());
        let mut written = registers.change(slots.guard_band, values(&viewport::guard_band_words(&view, slice::from_ref(&viewport))), out);
        if let Some((transform, range)) = viewport::transform_words(&view, 0, &viewport) {
            let ([a, b, c, d, e, f], [near, far]) = (values(&transform), values(&range));
            written |= if slots.together() {
                registers.change(slots.transform, [a, b, c, d, e, f, near, far], out)
            } else {
                registers.change(slots.transform, [a, b, c, d, e, f], out) | (self.one.depth_changed && registers.change(slots.range, [near, far], out))
            };
        }
        written
    }

    /// The scissor of the one viewport: written again where the context `rolled` and a roll loses it.
    #[inline(always)]
    fn scissor(&self, rolled: bool, slots: &ViewSlots, registers: &mut Registers, out: &mut Direct<'_>) {
        let Some(words) = viewport::scissor_words(&self.joined.view(self.state), 0, &self.one.edges) else { return };
        let again = rolled && self.lost.is_some();
        let written = registers.change_or(again, slots.scissor, values(&words), out);
        if written && self.lost.is_some() {
            registers.forget_other_scissors(slots);
        }
    }

    /// Whether user SGPRs of only one stage changed, the stage does not tessellate, and it is known what they hold.
    #[inline(always)]
    pub fn is_known_user_data(words: &[u32; 3], given: &[u32; 3], known: &[u32; 3]) -> bool {
        let [pixel, vertices, hull] = *words;
        hull == 0 && if pixel == 0 { given[1] == known[1] } else { vertices == 0 && given[0] == known[0] }
    }

    /// Writes such user SGPRs.
    #[inline(always)]
    fn known_user_data<'m>(&self, registers: &mut Registers, out: Direct<'m>) -> Direct<'m> {
        match *self.words {
            [0, words, _] => self.known_user_words::<1>(words, registers, out),
            [words, ..] => self.known_user_words::<0>(words, registers, out),
        }
    }

    #[inline(always)]
    fn known_user_words<'m, const AT: usize>(&self, changed: u32, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        let (sgprs, words) = (&self.joined.free[AT], &self.state.user_data.stages[AT]);
        let there = sgprs.free & words.given;
        for (first, count) in (Runs { there, wanted: there & changed }) {
            let (slot, values) = (sgprs.slot + first, words.values.get(first..).unwrap_or_default());
            match (count, values) {
                (1, [a, ..]) => drop(registers.change(slot, [*a], &mut out)),
                (2, [a, b, ..]) => drop(registers.change(slot, [*a, *b], &mut out)),
                (4, [a, b, c, d, ..]) => drop(registers.change(slot, [*a, *b, *c, *d], &mut out)),
                _ => out = registers.change_run(slot, values.get(..count).unwrap_or_default(), out),
            }
        }
        out
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

    /// Any number of viewports.
    fn viewports<O: KnownRegisters>(&self, view: &ViewInputs<'a>, viewports: &[Viewport], registers: &mut Registers, out: &mut O) -> Result<bool, WriteError> {
        let mut written = false;
        if self.parts & parts::VIEWPORTS != 0 {
            written |= registers.bring(row(&viewport::guard_band_words(view, viewports)), out)?;
            let (mut transforms, mut ranges) = (Rows::<{ 8 * VIEWPORTS }>::new(), Rows::<{ 2 * VIEWPORTS }>::new());
            let together = view.gfx.major() >= 12;
            for (transform, range) in (0..).zip(viewports).filter_map(|(index, viewport)| viewport::transform_words(view, index, viewport)) {
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
        if let Some((bias, format)) = joined.depth_bias(state).filter(|_| changed & parts::DEPTH_BIAS != 0) {
            written |= registers.bring(row(&raster::depth_bias_words(gfx, &bias, format)), out)?;
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
                self.user_words(&self.joined.free[at], &self.state.user_data.stages[at], self.words[at], registers, out)?;
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
        for (first, count) in (Runs { there, wanted: there & changed }) {
            if let Some(values) = words.values.get(first..first + count) {
                registers.bring_run(sgprs.slot + first, values, out)?;
            }
        }
        Ok(())
    }
}

/// Runs of user SGPRs that are wanted, one bit each: the first, and how many.
struct Runs {
    there: u32,
    wanted: u32,
}

impl Iterator for Runs {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Self { there, wanted } = *self;
        if wanted == 0 {
            return None;
        }
        let first = wanted.trailing_zeros();
        // A run ends before two that are not wanted, or one that is not there.
        let run = (wanted | wanted << 1 & there & wanted >> 1) >> first;
        let count = run.trailing_ones();
        self.wanted = wanted & (u64::MAX << (first + count)) as u32;
        Some((first as usize, count as usize))
    }
}

#[cfg(feature = "self-test")]
pub(crate) mod self_test {
    use super::*;
    use alloc::vec::Vec;

    /// Runs cover the wanted SGPRs. A run continues over one SGPR that is not wanted, if the program has it, and ends before two of them. No run has an SGPR
    /// that the program does not have.
    pub(crate) fn runs_of_user_sgprs_hold_what_is_wanted() {
        for (there, wanted) in (0u32..1 << 8).flat_map(|there| (0u32..1 << 8).map(move |wanted| (there, wanted & there))) {
            for shift in [0, 24] {
                let runs: Vec<(usize, usize)> = Runs { there: there << shift, wanted: wanted << shift }.collect();
                let covered = runs.iter().flat_map(|(first, count)| *first..first + count).fold(0u32, |all, sgpr| all | 1 << sgpr);
                let between = wanted << 1 & there & !wanted & wanted >> 1;
                assert_eq!(covered, (wanted | between) << shift, "{wanted:b} of {there:b}: {runs:?}");
                // No run begins where another one ends.
                assert!(runs.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0), "{wanted:b} of {there:b}: {runs:?}");
            }
        }
    }
}
