//! Packets of the caller between draws, and the state that they may have changed.

use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::packet::{Action, Buffer, EffectKinds, Emit, IbKind, Reader, Writer};

/// Selects the shader engines, arrays and instances that register writes reach.
const GRBM_GFX_INDEX: u32 = 0x3_0800;

impl<B: Buffer> Recorder<B> {
    /// Returns the packet writer, for packets between draws. Afterwards the recorder treats all registers and earlier draws as unknown: the next draw writes
    /// all its registers again, and the packets that workarounds need after any draw. [`emit`](Self::emit) writes a packet without this cost;
    /// [`words`](Self::words) only reads. Pipeline statistics must be started by [`count_statistics`](Self::count_statistics), which remembers them.
    pub fn writer(&mut self) -> &mut Writer<B> {
        self.forget();
        self.writer.invalidate_state();
        &mut self.writer
    }

    /// Writes a packet between draws. The next draw writes again what the packet may change according to its effects; everything else stays known.
    ///
    /// # Errors
    /// The errors of [`Writer::emit`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, Recorder};
    /// use pm4::packet::{PacketFields, gfx11::SetContextReg};
    /// let draw = DrawDesc::default().resolve(Chip::Navi31)?;
    /// let mut recorder = Recorder::secondary(Chip::Navi31);
    /// recorder.draw(&draw)?;
    /// recorder.emit(&SetContextReg { reg_offset: 0x203, ..Default::default() }.followed_by(&[0]))?; // DB_SHADER_CONTROL
    /// let before = recorder.words().len();
    /// recorder.draw(&draw)?;
    /// assert_eq!(recorder.words()[before..][..2], [0xC001_6900, 0x203]); // written again, and the number of instances with it
    /// assert_eq!(recorder.words()[before..].len(), 3 + 2 + 3);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn emit<P: Emit>(&mut self, packet: &P) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(recorder.writer.emit(packet)?))?;
        // The packet is the last one, regardless of the memory to which it was written.
        self.observe(self.writer.len() - self.writer.last_packet().len());
        Ok(())
    }

    /// Calls the buffer of this many dwords at an address. Its effects are unknown, so the next draw writes all its registers.
    ///
    /// # Errors
    /// Those of [`Writer::indirect_buffer`]; [`WriteError::Nesting`](crate::packet::WriteError::Nesting) in a secondary command buffer, which must not call
    /// others.
    pub fn call(&mut self, addr: u64, dwords: u32) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(recorder.writer.indirect_buffer(IbKind::Call, addr, dwords)?))?;
        self.forget();
        Ok(())
    }

    /// Forgets the state that packets of the caller may have changed.
    fn observe(&mut self, from: usize) {
        let (gfx, queue) = (self.writer.gfx(), self.writer.queue());
        self.bound.forget_registers();
        for packet in Reader::new(self.writer.words().get(from..).unwrap_or_default()).flatten() {
            let held = &mut self.held;
            packet.visit_effects(gfx, queue, &mut |effect| match effect.action {
                // GRBM_GFX_INDEX now selects other instances, whose values are unknown.
                Action::Set { write, .. } if write.addr == GRBM_GFX_INDEX => held.forget(),
                Action::Set { write, .. } => held.set(write.addr, None),
                Action::Modify { addr, .. } => held.set(addr, None),
                Action::Unknown { addr, registers, .. } => (0..registers).for_each(|n| held.set(addr.wrapping_add(4 * n), None)),
                Action::UnknownWindow(_) | Action::Anything | Action::Run { .. } => held.forget(),
                // Draws themselves check whether they may be skipped.
                Action::Skip { .. } => {}
                Action::Read { .. } | Action::Write { .. } | Action::Base { .. } | Action::Rolls | Action::Waits => {}
            });
            match packet.opcode().map(|opcode| opcode.effect_kinds(gfx)) {
                Some(kinds) if !kinds.intersects(EffectKinds::REGISTERS.or(EffectKinds::DRAW).or(EffectKinds::RUNS)) => {
                    if kinds.intersects(EffectKinds::STATE) {
                        self.calls.forget_state();
                    }
                }
                _ => self.calls.forget(),
            }
        }
    }
}
