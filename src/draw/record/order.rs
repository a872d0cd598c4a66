//! The order of the packets of a draw.

/// The steps of a draw. A draw on the careful path has all steps; a plain draw leaves out steps that have no effect on it.
pub(super) trait DrawSteps {
    type Error;

    /// Writes the packets that workarounds need before any register of the state changes.
    #[inline]
    fn before_state(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Writes the registers of the state that differ.
    fn state(&mut self) -> Result<(), Self::Error>;

    /// Writes the registers that the call sets in place of the state's values.
    #[inline]
    fn in_place(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Writes the packets that workarounds need after the state, depending on the registers written. Viewport scissors that a roll loses are the last context
    /// registers.
    #[inline]
    fn before_draw(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Writes the width of indices.
    fn index_type(&mut self) -> Result<(), Self::Error>;

    /// Returns the number of views of the draw.
    #[inline]
    fn views(&self) -> u32 {
        1
    }

    /// Writes the SGPRs of the view with this number.
    #[inline]
    fn view(&mut self, _number: u32) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Writes the SGPR of the first instance.
    fn first_instance(&mut self) -> Result<(), Self::Error>;

    /// Writes the number of instances.
    fn instances(&mut self) -> Result<(), Self::Error>;

    /// Returns the number of packets that draw.
    #[inline]
    fn packets(&self) -> usize {
        1
    }

    /// Returns whether the packet with this index is left out.
    #[inline]
    fn skips(&self, _index: usize) -> bool {
        false
    }

    /// Writes the SGPRs that differ between packets: the base vertex, then the index of the draw.
    fn per_packet(&mut self, index: usize) -> Result<(), Self::Error>;

    /// Writes the packet that draws.
    fn packet(&mut self, index: usize) -> Result<(), Self::Error>;

    /// Writes the packets that workarounds need after each packet that draws.
    #[inline]
    fn after_packet(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Writes the packets of a draw, in the order common to all draws. The steps of a plain draw are a few instructions each, so this function is inlined with
/// them.
#[inline(always)]
pub(super) fn write_draw<D: DrawSteps>(draw: &mut D) -> Result<(), D::Error> {
    draw.before_state()?;
    draw.state()?;
    draw.in_place()?;
    draw.before_draw()?;
    draw.index_type()?;
    for view in 0..draw.views() {
        draw.view(view)?;
        draw.first_instance()?;
        draw.instances()?;
        for index in 0..draw.packets() {
            if !draw.skips(index) {
                draw.per_packet(index)?;
                draw.packet(index)?;
                draw.after_packet()?;
            }
        }
    }
    Ok(())
}
