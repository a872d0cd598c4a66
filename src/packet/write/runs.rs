//! Register writes one by one and in runs.

use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::groups;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::windows::{self, COMPUTE_START, GRBM_GFX_INDEX, Window, is_broadcast, shader_type};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::position::OpenRun;
use crate::packet::write::writer::Writer;

/// Registers of one packet.
struct Piece {
    registers: usize,
    /// Of a register that goes alone.
    index: Option<u8>,
    /// Where the packet ends, however many registers join it.
    end: u32,
}

impl<B: Buffer> Writer<B> {
    /// Makes the next register write start a new packet.
    pub fn break_run(&mut self) {
        self.run = None;
    }

    /// Writes a register, addressed in bytes. The window follows from the address; a write right after the last one joins its packet. Registers of which
    /// [`register_index`](crate::packet::register_index) knows an index are written with it, alone, unless
    /// [`WriterOptions::indexed`](crate::packet::WriterOptions) is off.
    ///
    /// A register that the generation lacks is still written: RADV writes one (0x30900 on GFX9), and rule REG-02 of the model warns. A single register of a
    /// group ([`register_group`](crate::packet::register_group)) is refused: write the group with [`set_regs`](Self::set_regs).
    ///
    /// # Errors
    /// [`MisalignedRegister`](WriteError::MisalignedRegister), [`NoWindow`](WriteError::NoWindow), [`KernelRegister`](WriteError::KernelRegister) for the
    /// config window, which is privileged, [`TornGroup`](WriteError::TornGroup) unless [`WriterOptions::whole_groups`](crate::packet::WriterOptions) is off,
    /// [`NotAvailable`](WriteError::NotAvailable) (context registers on a compute queue), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain),
    /// [`SpanSplit`](WriteError::SpanSplit).
    #[inline]
    pub fn set_reg(&mut self, addr: u32, value: u32) -> Result<(), WriteError> {
        self.set_regs(addr, &[value])
    }

    /// Writes consecutive registers from `addr` (bytes) on.
    ///
    /// # Errors
    /// The errors of [`set_reg`](Self::set_reg); all registers are written or none.
    #[inline]
    pub fn set_regs(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        if groups::tears(self.gfx(), addr, values.len()) {
            self.whole(addr, values.len())?;
        }
        self.join(addr, values)
    }

    /// Refuses registers that begin or end inside a group.
    #[cold]
    pub(in crate::packet) fn whole(&self, addr: u32, registers: usize) -> Result<(), WriteError> {
        match groups::torn(self.gfx(), addr, registers).filter(|_| self.options().whole_groups) {
            Some(group) => Err(WriteError::TornGroup { addr, first: group.start, last: group.end - 4 }),
            None => Ok(()),
        }
    }

    /// Writes consecutive registers that are whole groups together with those before and after.
    #[inline]
    pub(in crate::packet) fn join(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        if let Some(run) = self.run
            && run.next == addr
            && (run.end - addr) as usize / 4 >= values.len()
            && self.len() - run.header - 1 + values.len() <= Header::MAX_BODY
            && self.len() + values.len() <= self.end
            && selection(addr, values).is_none_or(|value| is_broadcast(value) && !self.bypasses_filter())
        {
            if !self.buffer.push(values) {
                return Err(self.full(window_of(addr)?.set, values.len()));
            }
            if let Some(header) = self.buffer.word_mut(run.header) {
                *header += (values.len() as u32) << 16;
            }
            self.run = Some(OpenRun { next: addr + 4 * values.len() as u32, ..run });
            self.invalidate_state();
            return Ok(());
        }
        self.start_run(addr, values)
    }

    /// Register writes that need a header of their own, or several.
    fn start_run(&mut self, addr: u32, values: &[u32]) -> Result<(), WriteError> {
        let Some(last) = values.len().checked_sub(1) else { return Ok(()) };
        let window = window_of(addr)?;
        let last = u32::try_from(last).ok().and_then(|n| n.checked_mul(4)).and_then(|n| addr.checked_add(n)).unwrap_or(!3);
        if last >= window.end {
            return Err(WriteError::NoWindow { addr: last });
        }
        self.check(window.set)?;
        let first = self.piece(window, addr, values);
        if first.registers == values.len() && first.index.is_none() {
            return self.run_of(window, addr, first.end, values);
        }
        self.pieces(window, addr, values, first)
    }

    /// One packet without an index.
    fn run_of(&mut self, window: Window, addr: u32, end: u32, values: &[u32]) -> Result<(), WriteError> {
        let dwords = 2 + values.len();
        self.admit(window.set, dwords)?;
        let header = Header::type3(window.set, 1 + values.len()).with_shader_type(shader_type(window, addr)).with_reset_filter_cam(self.bypasses_filter());
        let at = self.len();
        let Some([first, offset, rest @ ..]) = self.buffer.grow(dwords) else { return Err(self.full(window.set, dwords)) };
        *first = header.0;
        *offset = (addr - window.start) / 4;
        // A call of memcpy takes longer than the few registers of a usual run.
        for (to, value) in rest.iter_mut().zip(values) {
            *to = *value;
        }
        self.written(window.set, at);
        self.run = Some(OpenRun { header: at, next: addr + 4 * values.len() as u32, end });
        if let Some(value) = selection(addr, values) {
            self.select_instances(value);
        }
        Ok(())
    }

    /// Several packets, or one with an index; `piece` is the first.
    #[cold]
    fn pieces(&mut self, window: Window, addr: u32, values: &[u32], piece: Piece) -> Result<(), WriteError> {
        let (mut wanted, mut at, mut left) = (0, addr, values);
        while !left.is_empty() {
            let Piece { registers: n, index, .. } = self.piece(window, at, left);
            if index.is_some() {
                self.check(self.set_indexed(window))?;
            }
            (wanted, at, left) = (wanted + 2 + n, at + 4 * n as u32, &left[n..]);
        }
        self.admit(window.set, wanted)?;
        if self.buffer.room() < wanted {
            return Err(self.full(window.set, wanted));
        }
        let (mut piece, mut at, mut left) = (piece, addr, values);
        while !left.is_empty() {
            let (now, later) = left.split_at(piece.registers);
            match (piece.index, now) {
                (Some(index), [value]) => self.indexed(at, *value, index)?,
                _ => self.run_of(window, at, piece.end, now)?,
            }
            (at, left) = (at + 4 * now.len() as u32, later);
            piece = self.piece(window, at, left);
        }
        Ok(())
    }

    /// Returns the registers from `addr` on that one packet takes. Graphics and compute registers of the SH window differ in the header, registers with an
    /// index go alone, what follows a choice of instances has another header, and a packet has at most MAX_BODY dwords.
    fn piece(&self, window: Window, addr: u32, values: &[u32]) -> Piece {
        let mut end = match window {
            windows::SH if addr < COMPUTE_START => COMPUTE_START,
            windows::UCONFIG if selection(addr, values).is_some_and(|value| !is_broadcast(value)) => GRBM_GFX_INDEX + 4,
            _ => window.end,
        };
        let mut index = None;
        if self.options().indexed
            && let Some((at, own)) = windows::next_indexed(self.gfx(), addr)
        {
            if at == addr {
                (index, end) = (Some(own), addr + 4);
            } else {
                end = end.min(at);
            }
        }
        Piece { registers: values.len().min((end - addr) as usize / 4).min(Header::MAX_BODY - 1), index, end }
    }

    /// Writes one register with an index in bits 31:28 of the offset, alone in its packet: SET_UCONFIG_REG_INDEX, SET_SH_REG_INDEX, or SET_CONTEXT_REG.
    /// Old firmware of GFX9 gets SET_UCONFIG_REG with the index, and SET_SH_REG without.
    ///
    /// # Errors
    /// The errors of [`set_reg`](Self::set_reg), and [`Index`](WriteError::Index) for an index that is not 1 to 15.
    pub fn set_reg_indexed(&mut self, addr: u32, value: u32, index: u8) -> Result<(), WriteError> {
        self.whole(addr, 1)?;
        self.indexed(addr, value, index)?;
        if addr == GRBM_GFX_INDEX {
            self.select_instances(value);
        }
        Ok(())
    }

    /// Writes the packet alone.
    fn indexed(&mut self, addr: u32, value: u32, index: u8) -> Result<(), WriteError> {
        let window = window_of(addr)?;
        if !(1..=15).contains(&index) {
            return Err(WriteError::Index { addr, index });
        }
        let set = self.set_indexed(window);
        let index = if window == windows::SH && set == window.set { 0 } else { index };
        let offset = (addr - window.start) / 4;
        let offset = offset | (u32::from(index) << 28);
        let header = Header::type3(set, 2).with_shader_type(shader_type(window, addr)).with_reset_filter_cam(self.bypasses_filter());
        self.begin_packet(header, 3)?;
        self.continued(&[offset, value]);
        Ok(())
    }

    /// Returns the packet for a register with an index.
    pub(in crate::packet) fn set_indexed(&self, window: Window) -> Opcode {
        let known = self.options().firmware.supports(window.set_index, self.gfx(), self.queue());
        if known { window.set_index } else { window.set }
    }
}

/// What consecutive writes put into GRBM_GFX_INDEX, if it is among them.
fn selection(addr: u32, values: &[u32]) -> Option<u32> {
    let at = GRBM_GFX_INDEX.wrapping_sub(addr) as usize / 4;
    values.get(at).copied()
}

/// Returns the window of a register that user mode may write.
pub(in crate::packet) fn window_of(addr: u32) -> Result<Window, WriteError> {
    if addr & 3 != 0 {
        return Err(WriteError::MisalignedRegister { addr });
    }
    match Window::of(addr) {
        Some(windows::CONFIG) => Err(WriteError::KernelRegister { addr }),
        found => found.ok_or(WriteError::NoWindow { addr }),
    }
}
