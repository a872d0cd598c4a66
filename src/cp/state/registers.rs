//! The register file of a queue: values, how they are known, and which packets wrote them.

use crate::chip::{Chip, Gfx};
use crate::cp::state::place::Origin;
use crate::cp::state::reads::{RuleSet, Watched};
use crate::regs::{Space, lookup};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// A group of registers that streams and reports distinguish.
///
/// For an example see [`RegisterFile`](crate::cp::RegisterFile).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bank {
    /// Context registers. The hardware keeps eight copies (contexts). CLEAR_STATE sets them to their default values.
    Context,
    /// Shader registers of the graphics stages, below byte address 0xB800.
    Sh,
    /// Shader registers of compute, from byte address 0xB800. Only the address decides: drivers write them on the graphics queue without the compute
    /// bit in the header (Mesa 25.0.7 radv_cs.h radeon_set_sh_reg).
    ShCompute,
    /// User configuration.
    Uconfig,
    /// Privileged configuration.
    Config,
}

impl Bank {
    /// All banks.
    pub const ALL: [Self; 5] = [Self::Context, Self::Sh, Self::ShCompute, Self::Uconfig, Self::Config];

    /// Returns the banks of a window.
    pub(in crate::cp) const fn of_space(space: Space) -> &'static [Self] {
        match space {
            Space::Context => &[Self::Context],
            Space::Sh => &[Self::Sh, Self::ShCompute],
            Space::Uconfig => &[Self::Uconfig],
            Space::Config | Space::Privileged => &[Self::Config],
        }
    }

    /// Returns the window of the bank, its first byte address, and the first byte address after it.
    const fn range(self) -> (Space, u32, u32) {
        match self {
            Self::Context => (Space::Context, 0x28000, 0x29000),
            Self::Sh => (Space::Sh, 0xB000, COMPUTE_START),
            Self::ShCompute => (Space::Sh, COMPUTE_START, 0xC000),
            Self::Uconfig => (Space::Uconfig, 0x30000, 0x40000),
            Self::Config => (Space::Config, 0x8000, 0xB000),
        }
    }
}

/// First byte address of the compute registers among the shader registers.
const COMPUTE_START: u32 = 0xB800;

/// Returns the first byte address of a window and the first one after it. No SET packet reaches the privileged registers.
const fn window(space: Space) -> Option<(usize, u32, u32)> {
    match space {
        Space::Config => Some((0, 0x8000, 0xB000)),
        Space::Sh => Some((1, 0xB000, 0xC000)),
        Space::Context => Some((2, 0x28000, 0x29000)),
        Space::Uconfig => Some((3, 0x30000, 0x40000)),
        Space::Privileged => None,
    }
}

/// The index of the context registers among the windows.
const CONTEXT: usize = 2;

/// Returns the window of a byte address and the position in it.
fn slot(addr: u32) -> Option<(usize, usize)> {
    let (index, start, _) = window(Space::of(addr).filter(|_| addr.is_multiple_of(4))?)?;
    Some((index, (addr - start) as usize / 4))
}

/// What is known about a register.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, RegisterState}, packet::Queue};
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "a register", &[0xC001_6900, 0x203, 0x1_8600]);
/// cp.run(&mut ());
/// let registers = cp.registers(Queue::Graphics);
/// assert_eq!(registers.state(0x2880C), RegisterState::Written(0x1_8600));
/// assert_eq!(registers.state(0x28810), RegisterState::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterState {
    /// A packet of the stream wrote this value, or the caller set it ([`set_register`](crate::cp::CommandProcessor::set_register)).
    Written(u32),
    /// CLEAR_STATE set this value and nothing has written the register since.
    Cleared(u32),
    /// The value is unknown: it was loaded from memory that is not mapped in the model, an indirect draw has put an argument into the register, the packet that
    /// wrote it may not have run, or something before the stream has set it ([`partial`](crate::cp::CommandProcessor::partial)).
    Loaded,
    /// Nothing has written the register, and it still holds this reset value. `value` and `field` return None, because a driver must not rely on it. Only
    /// DB_DFSM_CONTROL has this state, and only users of its drain bit use the value: [`DrawView::drain`](crate::cp::DrawView::drain), and with it the rules
    /// POPS-11, POPS-13 and POPS-14.
    Reset(u32),
    /// Nothing has written the register, and no source states its value.
    Unknown,
}

impl RegisterState {
    /// Returns the value if it was written or cleared.
    pub const fn known(self) -> Option<u32> {
        match self {
            Self::Written(value) | Self::Cleared(value) => Some(value),
            Self::Loaded | Self::Reset(_) | Self::Unknown => None,
        }
    }
}

/// The registers of one queue.
///
/// Each register is a cell of a paged array, so that the cost of reads and writes does not depend on the stream. A page exists once a register in it is
/// written. Addresses are byte addresses.
///
/// ```
/// use pm4::{chip::Chip, cp::{Bank, CommandProcessor}, packet::Queue};
/// # #[cfg(feature = "gfx11")] {
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "one register", &[0xC001_6900, 0x203, 0x1_8600]);
/// cp.run(&mut ());
/// let registers = cp.registers(Queue::Graphics);
/// assert_eq!(registers.value(0x2880C), Some(0x1_8600));
/// assert_eq!(registers.written(Bank::Context).collect::<Vec<_>>(), [(0x2880C, 0x1_8600)]);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RegisterFile {
    chip: Chip,
    windows: [Window; 4],
    /// The context registers that CLEAR_STATE pushed.
    pushed: Option<Box<Window>>,
    /// The rules on draws that a change concerns.
    watched: Watched,
    /// Byte addresses written since the log was last taken, if logging is on.
    log: Option<Vec<u32>>,
}

#[derive(Debug, Clone)]
struct Window {
    cells: Cells,
    /// One bit per register that a packet wrote, for [`RegisterFile::written`].
    written: Box<[u64]>,
    /// Whether CLEAR_STATE has run.
    cleared: bool,
}

/// What is known about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Known {
    /// Nothing wrote it since the start or since CLEAR_STATE.
    #[default]
    Nothing,
    /// A packet wrote its value.
    Written,
    /// Its value was loaded from memory and is unknown.
    Loaded,
    /// A packet wrote its value, but a draw has overwritten it with an argument, or the packet may not have run.
    Overwritten,
    /// A packet that uses the register for its state set the value, without a register write.
    Held,
    /// The caller has set its value.
    Given,
    /// It holds what something before the stream has left.
    Before,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    value: u32,
    known: Known,
    origin: Origin,
}

/// The contents of a register at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Held {
    index: u16,
    window: u8,
    known: Known,
    /// Whether CLEAR_STATE had run, which determines the contents of a register that nothing wrote.
    cleared: bool,
    value: u32,
}

/// Number of cells per page.
const PAGE: usize = 64;

/// The first page of the compute registers, in the window that two banks share.
const COMPUTE_PAGE: usize = (COMPUTE_START as usize - 0xB000) / 4 / PAGE;

/// The cells of a window, in pages that are created when one of their cells changes. A model writes few pages; creating all would be most of its cost.
#[derive(Debug, Clone)]
struct Cells {
    /// The contents of cells in no page: before [`COMPUTE_PAGE`], and from it on.
    rest: [Cell; 2],
    count: usize,
    pages: Box<[Option<Box<[Cell; PAGE]>>]>,
}

impl Cells {
    fn new(count: usize) -> Self {
        Self { rest: [Cell::default(); 2], count, pages: vec![None; count.div_ceil(PAGE)].into_boxed_slice() }
    }

    #[inline]
    fn get(&self, index: usize) -> Option<&Cell> {
        match self.pages.get(index / PAGE)? {
            _ if index >= self.count => None,
            Some(page) => page.get(index % PAGE),
            None => self.rest.get(usize::from(index / PAGE >= COMPUTE_PAGE)),
        }
    }

    #[inline]
    fn get_mut(&mut self, index: usize) -> Option<&mut Cell> {
        if index >= self.count {
            return None;
        }
        let rest = self.rest[usize::from(index / PAGE >= COMPUTE_PAGE)];
        self.pages.get_mut(index / PAGE)?.get_or_insert_with(|| Box::new([rest; PAGE])).get_mut(index % PAGE)
    }

    /// Sets all cells to one content.
    fn fill(&mut self, cell: Cell) {
        self.rest = [cell; 2];
        self.pages.fill(None);
    }

    /// Sets the cells of one bank to one content: a whole window, or the cells on one side of [`COMPUTE_PAGE`].
    fn fill_bank(&mut self, bank: Bank, cell: Cell) {
        let (before, after) = self.pages.split_at_mut(COMPUTE_PAGE);
        match bank {
            Bank::Sh => (self.rest[0], _) = (cell, before.fill(None)),
            Bank::ShCompute => (self.rest[1], _) = (cell, after.fill(None)),
            Bank::Context | Bank::Uconfig | Bank::Config => self.fill(cell),
        }
    }
}

impl Window {
    fn new(dwords: usize) -> Self {
        Self { cells: Cells::new(dwords), written: vec![0; dwords.div_ceil(64)].into_boxed_slice(), cleared: false }
    }

    /// Writes a cell; returns whether its value changed, as far as known.
    #[inline]
    fn write(&mut self, index: usize, value: u32, origin: Origin) -> bool {
        let Some(cell) = self.cells.get_mut(index) else { return false };
        let changed = cell.known != Known::Written || cell.value != value;
        if !matches!(cell.known, Known::Written | Known::Overwritten) {
            set(&mut self.written, index, true);
        }
        *cell = Cell { value, known: Known::Written, origin };
        changed
    }
}

fn set(bits: &mut [u64], index: usize, on: bool) {
    if let Some(word) = bits.get_mut(index / 64) {
        *word = *word & !(1 << (index % 64)) | u64::from(on) << (index % 64);
    }
}

/// Returns the reset value of a register, if a source states it: only for DB_DFSM_CONTROL (PAL gfx9_plus_merged_default.h).
fn reset_value(chip: Chip, addr: u32) -> Option<u32> {
    let dfsm_control = if chip.gfx().major() == 9 { 0x28060 } else { 0x28038 };
    chip.info().dfsm_reset.filter(|_| addr == dfsm_control)
}

impl RegisterFile {
    pub(in crate::cp) fn new(chip: Chip) -> Self {
        let dwords = |space| window(space).map_or(0, |(_, start, end)| (end - start) as usize / 4);
        let counts = [Space::Config, Space::Sh, Space::Context, Space::Uconfig].map(dwords);
        Self { chip, windows: counts.map(Window::new), pushed: None, watched: Watched::new(counts), log: None }
    }

    /// Returns the rules on draws to be judged because a register that they read has changed.
    pub(in crate::cp) fn watched(&mut self) -> &mut Watched {
        &mut self.watched
    }

    /// Records that rules have read a register.
    pub(in crate::cp) fn watch(&mut self, addr: u32, rules: RuleSet) {
        if let Some((window, index)) = slot(addr) {
            self.watched.add(window, index, rules);
        }
    }

    /// Turns the log of register writes on or off.
    pub(in crate::cp) fn set_logging(&mut self, on: bool) {
        self.log = on.then(Vec::new);
    }

    /// Returns the registers that were written since the last call.
    pub(in crate::cp) fn take_log(&mut self) -> Vec<u32> {
        self.log.as_mut().map(core::mem::take).unwrap_or_default()
    }

    fn note(&mut self, addr: u32) {
        if let Some(log) = &mut self.log {
            log.push(addr);
        }
    }

    fn cell(&self, addr: u32) -> Option<(&Window, &Cell)> {
        let (window, index) = slot(addr)?;
        let window = self.windows.get(window)?;
        Some((window, window.cells.get(index)?))
    }

    /// Returns the contents of a register; None if it is in no window, so that it is never known.
    pub(in crate::cp) fn held(&self, addr: u32) -> Option<Held> {
        let (window, index) = slot(addr)?;
        let Window { cells, cleared, .. } = self.windows.get(window)?;
        let Cell { value, known, .. } = *cells.get(index)?;
        Some(Held { index: index as u16, window: window as u8, known, cleared: *cleared, value })
    }

    /// Returns whether a register still has these contents.
    #[inline]
    pub(in crate::cp) fn still_holds(&self, held: &Held) -> bool {
        let Some(Window { cells, cleared, .. }) = self.windows.get(usize::from(held.window)) else { return false };
        cells.get(usize::from(held.index)).is_some_and(|cell| cell.value == held.value && cell.known == held.known) && *cleared == held.cleared
    }

    /// Changes what is known about a register; rules that read it are judged again.
    fn change(&mut self, addr: u32, change: impl FnOnce(&mut Window, usize)) {
        let Some((place, index)) = slot(addr) else { return };
        let Some(window) = self.windows.get_mut(place) else { return };
        change(window, index);
        self.watched.touch(place, index);
        self.note(addr);
    }

    /// Returns the generation whose windows these are.
    pub fn gfx(&self) -> Gfx {
        self.chip.gfx()
    }

    /// Returns what is known about the register at a byte address.
    pub fn state(&self, addr: u32) -> RegisterState {
        let Some((window, cell)) = self.cell(addr) else { return RegisterState::Unknown };
        match cell.known {
            Known::Written | Known::Held | Known::Given => RegisterState::Written(cell.value),
            Known::Loaded | Known::Overwritten | Known::Before => RegisterState::Loaded,
            Known::Nothing => {
                let default = || lookup(self.gfx(), addr)?.info().clear;
                match window.cleared {
                    true => default().map_or(RegisterState::Unknown, RegisterState::Cleared),
                    false => reset_value(self.chip, addr).map_or(RegisterState::Unknown, RegisterState::Reset),
                }
            }
        }
    }

    /// Returns the value of the register if it is known: written, given by the caller, or given by CLEAR_STATE.
    pub fn value(&self, addr: u32) -> Option<u32> {
        self.state(addr).known()
    }

    /// Returns whether a packet has written this value and the register still holds it.
    #[inline]
    pub(in crate::cp) fn holds(&self, addr: u32, value: u32) -> bool {
        self.cell(addr).is_some_and(|(_, cell)| cell.known == Known::Written && cell.value == value)
    }

    /// Returns the packet that wrote or loaded the register last; None if nothing did since CLEAR_STATE. Also None for a value that the caller set.
    pub fn origin(&self, addr: u32) -> Option<Origin> {
        let (_, cell) = self.cell(addr)?;
        (!matches!(cell.known, Known::Nothing | Known::Given | Known::Before)).then_some(cell.origin)
    }

    /// Returns the registers of a bank that packets wrote, with their values, in the order of their addresses. Registers that were loaded from memory the model
    /// has not seen and those that only CLEAR_STATE set are not among them.
    pub fn written(&self, bank: Bank) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (space, from, to) = bank.range();
        let (index, start, _) = window(space).unwrap_or_default();
        let window = &self.windows[index];
        let cells = (from - start) as usize / 4..(to - start) as usize / 4;
        set_bits(&window.written, cells).filter_map(move |index| Some((start + index as u32 * 4, window.cells.get(index)?.value)))
    }

    /// Passes the result of [`written`](Self::written), with whether the register certainly holds each value. Works on a page of cells at a time, for callers
    /// that ask at each draw.
    #[cfg(feature = "report")]
    #[inline]
    pub(crate) fn each_written(&self, bank: Bank, mut visit: impl FnMut(u32, u32, bool)) {
        let (space, from, to) = bank.range();
        let Some((place, start, _)) = window(space) else { return };
        let Some(Window { cells, written, .. }) = self.windows.get(place) else { return };
        // Banks begin and end at multiples of 64 registers, as pages do.
        let pages = (from - start) as usize / (4 * PAGE)..(to - start) as usize / (4 * PAGE);
        for ((mut word, page), at) in written.iter().copied().zip(&cells.pages).zip(0..).skip(pages.start).take(pages.len()) {
            let Some(page) = page else { continue };
            while word != 0 {
                let index = word.trailing_zeros() as usize;
                word &= word - 1;
                if let Some(cell) = page.get(index) {
                    visit(start + 4 * (at * PAGE + index) as u32, cell.value, matches!(cell.known, Known::Written | Known::Held | Known::Given));
                }
            }
        }
    }

    /// Writes the register; returns whether its value changed, as far as known. Addresses outside all windows have no register.
    #[inline]
    pub(in crate::cp) fn write(&mut self, addr: u32, value: u32, origin: Origin) -> bool {
        let Some((place, index)) = slot(addr) else { return false };
        let changed = self.windows.get_mut(place).is_some_and(|window| window.write(index, value, origin));
        self.note(addr);
        if changed {
            self.watched.touch(place, index);
        }
        changed
    }

    /// Writes consecutive registers of one window from a byte address on, reports for each whether its value changed, and returns how many changed. It keeps no
    /// log; if one is requested, packets run one by one.
    #[inline]
    pub(in crate::cp) fn write_run(&mut self, addr: u32, values: &[u32], origin: Origin, mut on_write: impl FnMut(u32, bool)) -> u32 {
        let Some((place, first)) = slot(addr) else { return 0 };
        let Some(window) = self.windows.get_mut(place) else { return 0 };
        let mut count = 0;
        for ((value, index), addr) in values.iter().zip(first..).zip((addr..).step_by(4)) {
            let changed = window.write(index, *value, origin);
            if changed {
                self.watched.touch(place, index);
            }
            on_write(addr, changed);
            count += u32::from(changed);
        }
        count
    }

    /// Sets a register to a value that the caller knows. Returns false if no window has the register.
    pub(in crate::cp) fn set_from_outside(&mut self, addr: u32, value: u32) -> bool {
        self.change(addr, |window, index| {
            if let Some(cell) = window.cells.get_mut(index) {
                *cell = Cell { value, known: Known::Given, origin: Origin::default() };
            }
        });
        slot(addr).is_some()
    }

    /// Makes all registers unknown: they hold what something before the stream has left.
    pub(in crate::cp) fn forget(&mut self) {
        for window in &mut self.windows {
            window.written.fill(0);
            window.cells.fill(Cell { known: Known::Before, ..Cell::default() });
        }
        self.pushed = None;
        self.watched.touch_all();
    }

    /// Makes the register unknown because a draw packet puts an argument into it, or because the packet that wrote it may not have run;
    /// [`written`](Self::written) still returns what was written.
    pub(in crate::cp) fn overwrite(&mut self, addr: u32, origin: Origin) {
        self.change(addr, |window, index| {
            if let Some(cell) = window.cells.get_mut(index) {
                let known = if matches!(cell.known, Known::Written | Known::Overwritten) { Known::Overwritten } else { Known::Loaded };
                *cell = Cell { known, origin, ..*cell };
            }
        });
    }

    /// Makes the register unknown because the model cannot know its value.
    pub(in crate::cp) fn load(&mut self, addr: u32, origin: Origin) {
        self.change(addr, |window, index| {
            set(&mut window.written, index, false);
            if let Some(cell) = window.cells.get_mut(index) {
                *cell = Cell { known: Known::Loaded, origin, ..*cell };
            }
        });
    }

    /// Sets the register that a packet uses for its state (NUM_INSTANCES and VGT_NUM_INSTANCES), without a register write.
    pub(in crate::cp) fn hold(&mut self, addr: u32, value: u32, origin: Origin) {
        self.change(addr, |window, index| {
            if let Some(cell) = window.cells.get_mut(index) {
                let known = if matches!(cell.known, Known::Written | Known::Overwritten) { Known::Written } else { Known::Held };
                *cell = Cell { value, known, origin };
            }
        });
    }

    /// Makes all registers of a bank unknown; returns their number.
    pub(in crate::cp) fn lose(&mut self, bank: Bank, origin: Origin) -> u64 {
        let (space, from, to) = bank.range();
        if let Some((window, start, _)) = window(space) {
            let window = &mut self.windows[window];
            window.cells.fill_bank(bank, Cell { known: Known::Loaded, origin, ..Cell::default() });
            // Banks begin and end at multiples of 64 registers.
            window.written[(from - start) as usize / 256..(to - start) as usize / 256].fill(0);
        }
        self.watched.touch_all();
        if self.log.is_some() {
            (from..to).step_by(4).for_each(|addr| self.note(addr));
        }
        u64::from(to - from) / 4
    }

    /// Executes CLEAR_STATE: sets the context registers to their defaults.
    pub(in crate::cp) fn clear_context(&mut self) {
        let window = &mut self.windows[CONTEXT];
        window.written.fill(0);
        window.cells.fill(Cell::default());
        window.cleared = true;
        self.watched.touch_all();
    }

    /// Executes the push of CLEAR_STATE: keeps a copy of the context registers.
    pub(in crate::cp) fn push_context(&mut self) {
        self.pushed = Some(Box::new(self.windows[CONTEXT].clone()));
    }

    /// Records that the pushed registers may have changed.
    pub(in crate::cp) fn forget_pushed(&mut self) {
        self.pushed = None;
    }

    /// Executes the pop of CLEAR_STATE: restores the pushed registers. Without a push, no source states the values of the registers, so they become unknown.
    pub(in crate::cp) fn pop_context(&mut self, origin: Origin) {
        match self.pushed.take() {
            Some(window) => {
                self.windows[CONTEXT] = *window;
                self.watched.touch_all();
            }
            None => {
                self.lose(Bank::Context, origin);
            }
        }
    }
}

/// Returns the positions of the set bits of a range, in order.
pub(in crate::cp) fn set_bits(bits: &[u64], range: core::ops::Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let words = range.start / 64..range.end.div_ceil(64);
    let found = words.flat_map(move |at| {
        let mut word = bits.get(at).copied().unwrap_or(0);
        core::iter::from_fn(move || {
            let lowest = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(at * 64 + lowest)
        })
    });
    found.filter(move |index| range.contains(index))
}
