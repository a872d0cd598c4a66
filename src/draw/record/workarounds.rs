//! The packets that errata need.

use crate::draw::errata::{self, Does, Situation, WorkaroundPlace};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::packet::values::ReleaseMemEventIndex;
use crate::packet::{Buffer, Event};

impl<B: Buffer> Recorder<B> {
    /// Writes the packets that workarounds need here; returns whether the viewport scissors must be written again.
    #[inline]
    pub(super) fn work_around(&mut self, place: WorkaroundPlace, situation: &Situation) -> Result<bool, RecordError> {
        if self.places.has(place) { self.write_workarounds(place, situation) } else { Ok(false) }
    }

    fn write_workarounds(&mut self, place: WorkaroundPlace, situation: &Situation) -> Result<bool, RecordError> {
        let mut scissors = false;
        for does in errata::at(place, self.chip, *situation) {
            match does {
                Does::Events(events) => events.iter().try_for_each(|&event| self.writer.event(event))?,
                Does::Scissors => scissors = true,
                Does::BottomOfPipe => self.bottom_of_pipe()?,
                Does::Nothing => {}
            }
        }
        Ok(scissors)
    }

    fn bottom_of_pipe(&mut self) -> Result<(), RecordError> {
        let event_index = ReleaseMemEventIndex::END_OF_PIPE;
        on_gfx!(packet self.chip.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            self.writer.emit(&p::ReleaseMem { event_type: Event::BOTTOM_OF_PIPE_TS, event_index, ..Default::default() })
        }})?;
        Ok(())
    }
}
