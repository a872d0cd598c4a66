//! Events, fences, cache control and waits.

use crate::chip::Gfx;
use crate::packet::rules::candidate::Candidate;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::event::Event;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Opcode, Queue};

/// gl1_range and gl2_range: from base on, for size.
const RANGED: u64 = 2;
/// Bytes that a ranged cache operation covers at most.
const RANGE_LIMIT: u64 = 64 << 10;

impl Candidate<'_> {
    pub(super) fn event_write(&self) -> Result<(), WriteError> {
        let event = Event(self.get("event_type") as u8);
        let (Some(name), Some(index)) = (event.name(self.gfx), event.index(self.gfx)) else { return Err(WriteError::UnknownEvent { event, gfx: self.gfx }) };
        if event.is_timestamp(self.gfx) {
            return Err(WriteError::TimestampEvent { name });
        }
        self.demand(self.get("event_index") == u64::from(index), "event_index", "the index must fit the event", "PAL gfx9CmdUtil.cpp VgtEventIndex")?;
        if event.is_sample(self.gfx) != (self.fixed.len() == 3) {
            return Err(WriteError::EventAddress { name, sample: event.is_sample(self.gfx) });
        }
        // Index 4 is the partial flush of compute shaders there, and of all graphics shaders elsewhere.
        let graphics = matches!(event, Event::PS_PARTIAL_FLUSH | Event::VS_PARTIAL_FLUSH | Event::VGT_FLUSH);
        if self.queue == Queue::Compute && (graphics || !index_on_compute(self.gfx, index)) {
            return Err(WriteError::EventOnCompute { name, index });
        }
        let replaced = matches!(event, Event::CACHE_FLUSH | Event::CACHE_FLUSH_AND_INV_EVENT | Event::DB_CACHE_FLUSH_AND_INV | Event::FLUSH_AND_INV_DB_META);
        self.not_replaced(replaced)
    }

    pub(super) fn release_mem(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal";
        let event = Event(self.get("event_type") as u8);
        let index = self.get("event_index");
        // PS_DONE and CS_DONE.
        let end_of_shader = event.is_shader_done(self.gfx);
        self.demand(end_of_shader || event.is_timestamp(self.gfx), "event_type", "an end-of-pipe timestamp event, PS_DONE or CS_DONE is needed", SOURCE)?;
        self.demand(index == if end_of_shader { 6 } else { 5 }, "event_index", "must be 5 for end-of-pipe timestamps, 6 for PS_DONE and CS_DONE", SOURCE)?;
        self.not_replaced(event == Event::CACHE_FLUSH_TS)?;
        self.ordered_write_back()?;
        let data = self.get("data_sel");
        if end_of_shader && self.gfx.major() < 12 {
            const ACTIONS: [&str; 9] = [
                "gcr_cntl",
                "tcl1_vol_action_ena",
                "tc_vol_action_ena",
                "tc_wb_action_ena",
                "tcl1_action_ena",
                "tc_action_ena",
                "tc_nc_action_ena",
                "tc_wc_action_ena",
                "tc_md_action_ena",
            ];
            for action in ACTIONS {
                self.demand(self.get(action) == 0, action, "shader-done events cannot have cache actions", SOURCE)?;
            }
            // 5: dwords of GDS, as radeonsi stored the counters of streamout (Mesa 2021, si_state_streamout.c gfx10_emit_streamout_end).
            self.demand(matches!(data, 1 | 2 | 5), "data_sel", "shader-done events must write 32 or 64 bits, or dwords of GDS", SOURCE)?;
        }
        let low = self.fixed.get(2).copied().unwrap_or(0);
        let high = self.fixed.get(3).copied().unwrap_or(0);
        self.demand(data == 0 || (low | high) != 0, "data_sel", "data needs an address", SOURCE)?;
        // SYN-04: on GFX9 a graphics end-of-pipe release that does not directly follow ZPASS_DONE hangs.
        if self.gfx.major() == 9 && self.queue == Queue::Graphics && !end_of_shader {
            let before = self.before();
            let zpass = before.first().is_some_and(|&h| Header(h).opcode() == Opcode::EVENT_WRITE)
                && before.get(1).is_some_and(|w| Event((w & 0x3F) as u8).is_depth_counter_dump());
            self.demand(zpass, "event_type", "the packet before must be EVENT_WRITE ZPASS_DONE or PIXEL_PIPE_STAT_DUMP", "Mesa 25.0.7 radv_cs.c; PAL 11/2023")?;
        }
        Ok(())
    }

    pub(super) fn acquire_mem(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildAcquireMemInternal";
        let cntl = self.get("coher_cntl");
        // CB_ACTION_ENA, DB_ACTION_ENA
        let graphics_caches = cntl & (3 << 25) != 0;
        self.demand(self.gfx.major() < 11 || !graphics_caches, "coher_cntl", "GFX11 and later have no CB and DB actions", SOURCE)?;
        self.demand(self.queue == Queue::Graphics || !graphics_caches, "coher_cntl", "a compute queue has no CB or DB", SOURCE)?;
        let gcr = self.get("gcr_cntl");
        self.ordered_write_back()?;
        if self.gfx.major() >= 10 && gcr != 0 {
            self.range()?;
        }
        if self.get("pws_ena") == 1 {
            const PWS: &str = "PAL gfx9CmdUtil.cpp BuildAcquireMemGfxPws";
            let stage = self.get("pws_stage_sel");
            self.demand(self.get("pws_ena2") == 1, "pws_ena2", "both enable bits must be set", PWS)?;
            self.demand(stage != 2 || self.gfx.major() > 11, "pws_stage_sel", "the stage pre_color hangs", PWS)?;
            self.demand(gcr == 0 || matches!(stage, 4 | 5), "pws_stage_sel", "cache actions need the stage cp_pfp or cp_me", PWS)?;
        }
        Ok(())
    }

    pub(super) fn wait(&self) -> Result<(), WriteError> {
        self.demand(self.get("function") < 7, "function", "function 7 is reserved", "PAL gfx9CmdUtil.cpp WaitRegMemFunc")?;
        let write_and_wait = self.get("operation") == 1;
        let me = self.queue == Queue::Graphics && self.get("engine_sel") == 0;
        self.demand(!write_and_wait || !me, "operation", "ME cannot write a register and wait", "packet headers of PAL and Mesa (2026)")
    }

    /// SYN-10: Navi3x and Phoenix, not GFX11.5. FLUSH_AND_INV_CB_META is not among them: RADV sends it there.
    fn not_replaced(&self, replaced: bool) -> Result<(), WriteError> {
        let holds = !replaced || self.gfx.version() != (11, 0);
        self.demand(holds, "event_type", "may hang GFX11: send CACHE_FLUSH_AND_INV_TS_EVENT with RELEASE_MEM instead", "PAL waReplaceEventsWithTsEvents")
    }

    fn ordered_write_back(&self) -> Result<(), WriteError> {
        let bits = |name| self.inner("gcr_cntl", name);
        let ordered = bits("glk_wb") == 0 || bits("gl2_wb") == 0 || bits("seq") == 1;
        self.demand(ordered, "gcr_cntl", "writing GLK and GL2 back together needs seq = 1", "PAL gfx9CmdUtil.cpp BuildAcquireMemInternal")
    }

    /// What a cache operation of ACQUIRE_MEM covers: a real range that is short, or everything.
    fn range(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp UseRangeBasedGcr";
        let pws = self.get("pws_ena") == 1;
        let (size, size_hi, base, base_hi, unit) = if pws {
            ("gcr_size", "gcr_size_hi", "gcr_base_lo", "gcr_base_hi", 128)
        } else {
            ("coher_size", "coher_size_hi", "coher_base_lo", "coher_base_hi", 256)
        };
        let ranged = self.inner("gcr_cntl", "gl1_range") == RANGED || self.inner("gcr_cntl", "gl2_range") == RANGED;
        if ranged {
            let short = self.get(size_hi) == 0 && self.get(size) * unit <= RANGE_LIMIT;
            return self.demand(short, size, "a ranged operation covers 64 KiB at most", SOURCE);
        }
        let everything = self.get(size) == u64::from(u32::MAX) && self.get(base) == 0 && self.get(base_hi) == 0;
        self.demand(everything, size, "an operation without range needs base 0 and a size of all ones", SOURCE)
    }
}

/// MEC header: event indices 0, 2, 4, on GFX11 also 8 to 11.
fn index_on_compute(gfx: Gfx, index: u8) -> bool {
    matches!(index, 0 | 2 | 4) || gfx.major() == 11 && (8..=11).contains(&index)
}
