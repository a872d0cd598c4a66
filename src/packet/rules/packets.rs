//! Rules of single packets: predication, copies, dispatches, calls, draws, constants.

use crate::packet::read::fields::addresses;
use crate::packet::rules::candidate::Candidate;
use crate::packet::rules::limits::{empty_index_buffer, ib_size};
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::opcode::Queue;

impl Candidate<'_> {
    pub(super) fn address_not_zero(&self, name: &'static str) -> Result<(), WriteError> {
        let zero = addresses(self.form, self.view(), self.gfx, self.fixed, self.tail).any(|address| address.name == name && address.value == 0);
        if zero { self.broken(name, "an address is needed", "PAL gfx9CmdUtil.cpp BuildOcclusionQuery") } else { Ok(()) }
    }

    pub(super) fn set_predication(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildSetPredication";
        let op = self.get("pred_op");
        self.demand(self.get("continue_bit") == 0 || matches!(op, 1 | 2), "continue_bit", "only zpass and primcount predicates continue", SOURCE)
    }

    pub(super) fn copy_data(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildCopyData";
        let across = self.get("dst_sel") == 1;
        self.demand(!across || self.queue == Queue::Graphics && self.get("engine_sel") == 0, "dst_sel", "only ME has memory_sync_across_grbm", SOURCE)?;
        // Performance counters (4) may be privileged.
        if self.get("dst_sel") == 0 { self.user_registers("dst_reg_offset", 1 + self.get("count_sel")) } else { Ok(()) }
    }

    pub(super) fn dispatch(&self, initiator: u64) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildDispatchDirect";
        const TWO_D: &str = "PAL gfx12CmdUtil.cpp BuildDispatchDirect";
        let bit = |n: u32| initiator >> n & 1 == 1;
        self.demand(bit(0), "dispatch_initiator", "COMPUTE_SHADER_EN must be set", SOURCE)?;
        if self.gfx.major() >= 12 {
            let (partial, ordered, dimensions, ping_pong, interleave) = (bit(1), bit(3), bit(5), bit(12), bit(18));
            let simple = !partial && !dimensions;
            self.demand(
                !interleave || simple && !ordered,
                "dispatch_initiator",
                "INTERLEAVE_2D_EN excludes USE_THREAD_DIMENSIONS, PARTIAL_TG_EN and ORDERED_APPEND_ENBL",
                TWO_D,
            )?;
            self.demand(!ping_pong || simple, "dispatch_initiator", "PING_PONG_EN excludes USE_THREAD_DIMENSIONS and PARTIAL_TG_EN", TWO_D)?;
        }
        Ok(())
    }

    pub(super) fn indirect_buffer(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildIndirectBuffer";
        ib_size(self.get("ib_size") as u32)?;
        if self.queue == Queue::Compute {
            self.demand(self.get("valid") == 1, "valid", "must be 1 on compute queues", SOURCE)?;
            if self.get("chain") == 0 {
                return Err(WriteError::CallOnCompute);
            }
        }
        if self.secondary && self.get("chain") == 0 { Err(WriteError::Nesting) } else { Ok(()) }
    }

    pub(super) fn conditional_buffers(&self) -> Result<(), WriteError> {
        // PAL patches both, whatever the mode.
        ib_size(self.get("ib_size1") as u32)?;
        ib_size(self.get("ib_size2") as u32)
    }

    pub(super) fn index_buffer(&self, field: &'static str) -> Result<(), WriteError> {
        empty_index_buffer(self.gfx, self.field(field) == Some(0))
    }

    /// USE_OPAQUE takes the count from a register.
    pub(super) fn use_opaque(&self) -> Result<(), WriteError> {
        let opaque = self.inner("draw_initiator", "USE_OPAQUE") == 1;
        self.demand(!opaque || self.get("index_count") == 0, "index_count", "must be 0 with USE_OPAQUE", "PAL gfx9CmdUtil.cpp BuildDrawIndexAuto")
    }

    pub(super) fn load_const_ram(&self) -> Result<(), WriteError> {
        self.demand(self.get("start_addr").is_multiple_of(32), "start_addr", "must be a multiple of 32 bytes", "PAL gfx9CmdUtil.cpp BuildLoadConstRam")?;
        self.demand(self.get("num_dw").is_multiple_of(8), "num_dw", "must be whole groups of 8 dwords", "PAL gfx9CmdUtil.cpp BuildLoadConstRam")
    }
}
