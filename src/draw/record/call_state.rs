//! State of a command buffer left by earlier calls, apart from the registers.

use crate::chip::{Chip, Erratum};
use crate::draw::check::DrawSgprs;
use crate::draw::errata::{DrawFacts, Situation, UNKNOWN_CUT_MODE, WORKAROUNDS, WorkaroundPlace};
use crate::regs;
use core::ops::Range;

/// The state that earlier calls of a command buffer have left.
#[derive(Debug, Clone, Default)]
pub(super) struct CallState {
    /// VGT_INDEX_TYPE, if known: draws without indices overwrite it.
    index_type: Option<u32>,
    /// The last written value of DISABLE_INSTANCE_PACKING, if known.
    packing: Option<u32>,
    /// VGT_NUM_INSTANCES, if known: indirect draws load it.
    instances: Option<u32>,
    /// The facts of the last draw.
    before: Option<DrawFacts>,
    /// Length of the stream after that draw.
    end: usize,
    /// Whether a context register was written since that draw, in memory that is now full.
    rolled: bool,
    /// Whether pipeline statistics are counted, or may be.
    statistics: bool,
    tessellated: bool,
    /// Streamout that has begun but not ended.
    streaming: Option<Streaming>,
    /// Whether other packets may have begun streamout.
    streamed_by_others: bool,
}

/// The streamout destination, from begin to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Streaming {
    /// Buffers with which streamout has begun.
    pub buffers: [bool; 4],
    /// Address of the state of GFX12.
    pub state: u64,
}

impl CallState {
    /// Records that other packets wrote registers that draws use for their state.
    pub fn forget_state(&mut self) {
        (self.index_type, self.packing, self.instances) = (None, None, None);
    }

    /// Records that other packets were written: registers may hold anything, and a draw of any pipeline may have run. The safe assumptions are that it used NGG
    /// (the erratum vgt_flush_ngg_legacy then needs a flush) and that its cut mode differs from any other.
    pub fn forget(&mut self) {
        self.forget_state();
        self.streamed_by_others = true;
        self.before = Some(DrawFacts { ngg: Some(true), cut_mode: Some(UNKNOWN_CUT_MODE), ..DrawFacts::default() });
    }

    /// Records that the buffer runs after draws of its caller, which may also count pipeline statistics.
    pub fn follow_caller(&mut self) {
        self.forget();
        self.statistics = true;
    }

    /// Returns the length of the stream after the last draw.
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns whether a context register was written since the last draw, in memory that is now full.
    pub fn has_rolled(&self) -> bool {
        self.rolled
    }

    /// Records that the stream continues in other memory; `rolled` if a context register was written since the last draw.
    pub fn continue_elsewhere(&mut self, rolled: bool) {
        (self.end, self.rolled) = (0, rolled);
    }

    /// Records a draw that ends at this dword.
    pub fn record_draw(&mut self, situation: &Situation, end: usize) {
        let (before, now) = (situation.before.unwrap_or_default(), situation.now);
        self.before = Some(DrawFacts { restart: now.restart.or(before.restart), cut_mode: now.cut_mode.or(before.cut_mode), ..now });
        self.tessellated |= now.tessellates;
        (self.end, self.rolled) = (end, false);
    }

    /// Records a plain draw that ends at this dword, with the same facts as the previous draw.
    #[inline]
    pub fn record_plain_draw(&mut self, index_type: Option<u32>, end: usize) {
        (self.index_type, self.end) = (index_type, end);
    }

    /// Returns the situation for workarounds at a draw with these facts; `counted` if streamout has counted its vertices.
    pub fn situation(&self, now: DrawFacts, counted: bool) -> Situation {
        Situation { before: self.before, now, statistics: self.statistics, counted, ..Situation::default() }
    }

    /// Returns the situation for workarounds at the end of a command buffer.
    pub fn situation_at_end(&self) -> Situation {
        Situation { tessellated: self.tessellated, ..Situation::default() }
    }

    pub fn count_statistics(&mut self, on: bool) {
        self.statistics = on;
    }

    #[inline]
    pub fn index_type(&self) -> Option<u32> {
        self.index_type
    }

    pub fn set_index_type(&mut self, index_type: Option<u32>) {
        self.index_type = index_type;
    }

    pub fn packing(&self) -> Option<u32> {
        self.packing
    }

    pub fn set_packing(&mut self, packing: u32) {
        self.packing = Some(packing);
    }

    #[inline]
    pub fn instances(&self) -> Option<u32> {
        self.instances
    }

    #[inline]
    pub fn set_instances(&mut self, instances: Option<u32>) {
        self.instances = instances;
    }

    pub fn streaming(&self) -> Option<Streaming> {
        self.streaming
    }

    pub fn set_streaming(&mut self, streaming: Option<Streaming>) {
        self.streaming = streaming;
    }

    /// Returns whether streamout may have begun.
    pub fn may_stream(&self) -> bool {
        self.streaming.is_some() || self.streamed_by_others
    }
}

/// The places at which the chip's errata need packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places(u16);

impl Places {
    pub fn of(chip: Chip) -> Self {
        Self(WORKAROUNDS.iter().filter(|workaround| chip.has(workaround.erratum)).fold(0, |places, workaround| places | 1 << workaround.place as u16))
    }

    #[inline]
    pub fn has(self, place: WorkaroundPlace) -> bool {
        self.0 >> place as u16 & 1 == 1
    }
}

/// Returns the slots of the registers that a context roll loses: PA_SC_VPORT_SCISSOR_0_TL to _15_BR on some chips, none on others.
pub(super) fn lost_by_rolls(chip: Chip) -> Option<Range<usize>> {
    let slots = regs::slots(chip.gfx());
    let lost = slots.partition_point(|addr| *addr < 0x2_8250)..slots.partition_point(|addr| *addr < 0x2_82D0);
    chip.has(Erratum::ViewportScissor).then_some(lost)
}

/// The contents of a call's SGPRs after its last draw; None if unknown. A call without the SGPR does not change it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SgprValues {
    pub base_vertex: Option<u32>,
    pub first_instance: Option<u32>,
    pub draw_index: Option<u32>,
    pub groups: [Option<u32>; 3],
    pub view: Option<u32>,
}

impl SgprValues {
    /// Returns the contents of SGPRs, as far as `held` knows them by their addresses.
    pub fn held(sgprs: &DrawSgprs, held: impl Fn(u32) -> Option<u32>) -> Self {
        let of = |sgpr: Option<u32>| sgpr.and_then(&held);
        let group = |n: u32| of(sgprs.groups.map(|first| first + 4 * n));
        Self {
            base_vertex: of(sgprs.base_vertex),
            first_instance: of(sgprs.first_instance),
            draw_index: of(sgprs.draw_index),
            groups: [group(0), group(1), group(2)],
            view: None,
        }
    }

    /// Returns the addresses of the existing SGPRs, with their values.
    pub fn of(self, sgprs: &DrawSgprs) -> impl Iterator<Item = (u32, Option<u32>)> + use<> {
        let [x, y, z] = self.groups;
        let group = |n: u32| sgprs.groups.map(|first| first + 4 * n);
        let all = [
            // Only task work fills this SGPR, with a value that is unknown here.
            (sgprs.ring_entry, None),
            (sgprs.base_vertex, self.base_vertex),
            (sgprs.first_instance, self.first_instance),
            (sgprs.draw_index, self.draw_index),
            (group(0), x),
            (group(1), y),
            (group(2), z),
            (sgprs.view_index[0], self.view),
            (sgprs.view_index[1], self.view),
        ];
        all.into_iter().filter_map(|(sgpr, value)| Some((sgpr?, value)))
    }
}
