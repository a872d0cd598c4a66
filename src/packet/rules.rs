//! What the hardware does not take although every field fits: checked before a packet is written.

use super::buffer::Buffer;
use super::event::Event;
use super::format::{Form, Format, Scope};
use super::header::Header;
use super::opcode::{Engine, Opcode, Queue};
use super::options::Firmware;
use super::write_error::WriteError;
use super::writer::Writer;
use crate::chip::Gfx;

/// A packet on its way into a stream.
struct Candidate<'a> {
    packet: &'static str,
    form: &'static Form,
    view: Scope,
    fixed: &'a [u32],
    tail: &'a [u32],
    gfx: Gfx,
    queue: Queue,
    firmware: Firmware,
    /// The packet before it.
    last: &'a [u32],
}

/// Whether a packet without anything behind its fixed fields says nothing.
pub(super) fn needs_tail(format: &Format) -> bool {
    !matches!(format.name, "NOP" | "EXECUTE_INDIRECT_V2")
}

/// All rules that concern the packet.
pub(super) fn check<B: Buffer>(format: &'static Format, form: &'static Form, fixed: &[u32], tail: &[u32], writer: &Writer<B>) -> Result<(), WriteError> {
    let (gfx, queue) = (writer.gfx(), writer.queue());
    let view = form.scope.and(Scope::queue(gfx, queue));
    let c = Candidate { packet: format.name, form, view, fixed, tail, gfx, queue, firmware: writer.firmware(), last: writer.last_packet() };
    if format.kernel {
        return Err(WriteError::KernelOnly { packet: format.name });
    }
    let dispatch_initiator = c.field("dispatch_initiator");
    if let Some(initiator) = dispatch_initiator {
        c.dispatch(initiator)?;
    }
    match format.name {
        "EVENT_WRITE" => c.event_write(),
        "RELEASE_MEM" => c.release_mem(),
        "ACQUIRE_MEM" => c.acquire_mem(),
        "WAIT_REG_MEM" | "WAIT_REG_MEM64" => c.wait(),
        "SET_PREDICATION" => c.set_predication(),
        "COPY_DATA" => c.copy_data(),
        "INDIRECT_BUFFER" => c.indirect_buffer(),
        "COND_INDIRECT_BUFFER" => c
            .not_zero("ib_size1", "a buffer of size 0 is illegal", "PAL gfxCmdStream.cpp")
            .and_then(|()| c.not_zero("ib_size2", "a buffer of size 0 is illegal", "PAL gfxCmdStream.cpp")),
        "INDEX_BUFFER_SIZE" => c.index_buffer("index_buffer_size"),
        "DRAW_INDEX_2" | "DRAW_INDEX_OFFSET_2" => c.index_buffer("max_size"),
        "DRAW_INDEX_AUTO" => c.draw_index_auto(),
        "DRAW_INDIRECT" | "DRAW_INDEX_INDIRECT" | "DRAW_INDIRECT_MULTI" | "DRAW_INDEX_INDIRECT_MULTI" => {
            c.aligned("data_offset", 4, "PAL gfx9CmdUtil.cpp BuildDrawIndirect")
        }
        "DISPATCH_INDIRECT" => c.aligned("addr_lo", 4, "PAL gfx9CmdUtil.cpp BuildDispatchIndirectMec"),
        "ATOMIC_MEM" => c.atomic_mem(),
        "PRIME_UTCL2" => c.aligned("addr_lo", 4096, "PAL gfx9CmdUtil.cpp BuildPrimeUtcL2"),
        "OCCLUSION_QUERY" => c.address_not_zero("start_addr").and_then(|()| c.address_not_zero("query_addr")),
        "FENCE_WAIT_MULTI" => c.fences(),
        "EVENT_WRITE_ZPASS" => c.needs(Engine::Pfp, Firmware::PFP_ZPASS),
        "EXECUTE_INDIRECT_V2" if gfx.major() == 11 => c.needs(Engine::Pfp, Firmware::PFP_EXECUTE_INDIRECT_V2),
        "PERF_COUNTER_WINDOW" if queue == Queue::Compute => c.needs(Engine::Mec, Firmware::MEC_COUNTER_WINDOW),
        "PERF_COUNTER_WINDOW" => c.needs(Engine::Pfp, Firmware::PFP_COUNTER_WINDOW),
        "SET_CONTEXT_REG_PAIRS_PACKED" | "SET_SH_REG_PAIRS_PACKED" | "SET_SH_REG_PAIRS_PACKED_N" => c.packed(),
        "SET_CONTEXT_REG" | "SET_SH_REG" | "SET_UCONFIG_REG" | "SET_UCONFIG_REG_INDEX" | "SET_SH_REG_INDEX" | "SET_CONTEXT_REG_INDEX" => c.set_reg(),
        _ => Ok(()),
    }
}

impl Candidate<'_> {
    /// The value of a field that means something in this packet.
    fn field(&self, name: &str) -> Option<u64> {
        let field = self.form.fields.iter().find(|f| f.name == name && f.scope.intersects(self.view) && f.when.iter().all(|c| c.holds(self.fixed)))?;
        let word = usize::from(field.dword).checked_sub(1).and_then(|i| self.fixed.get(i))?;
        Some(field.get(*word).into())
    }

    fn get(&self, name: &str) -> u64 {
        self.field(name).unwrap_or(0)
    }

    fn broken(&self, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        Err(WriteError::Rule { packet: self.packet, field, value: self.get(field), rule, source_of_rule: source })
    }

    fn demand(&self, holds: bool, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        if holds { Ok(()) } else { self.broken(field, rule, source) }
    }

    fn not_zero(&self, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        self.demand(self.field(field) != Some(0), field, rule, source)
    }

    fn aligned(&self, field: &'static str, align: u64, _source: &'static str) -> Result<(), WriteError> {
        match self.field(field) {
            Some(addr) if !addr.is_multiple_of(align) => Err(WriteError::FieldMisaligned { packet: self.packet, field, addr, align }),
            _ => Ok(()),
        }
    }

    fn address_not_zero(&self, field: &'static str) -> Result<(), WriteError> {
        let half = |suffix: &str| self.form.fields.iter().find(|f| f.name.strip_suffix(suffix) == Some(field)).map_or(0, |f| self.get(f.name));
        self.demand(half("_lo") | half("_hi") != 0, field, "an address is needed", "PAL gfx9CmdUtil.cpp BuildOcclusionQuery")
    }

    fn needs(&self, engine: Engine, needed: u32) -> Result<(), WriteError> {
        let given = if engine == Engine::Mec { self.firmware.mec } else { self.firmware.pfp };
        if given < needed { Err(WriteError::Firmware { packet: self.packet, engine, needed, given }) } else { Ok(()) }
    }

    fn event_write(&self) -> Result<(), WriteError> {
        let event = Event(self.get("event_type") as u8);
        let (Some(name), Some(index)) = (event.name(self.gfx), event.index(self.gfx)) else { return Err(WriteError::UnknownEvent { event, gfx: self.gfx }) };
        if event.is_timestamp(self.gfx) {
            return Err(WriteError::TimestampEvent { name });
        }
        self.demand(self.get("event_index") == u64::from(index), "event_index", "the index must be that of the event", "PAL gfx9CmdUtil.cpp VgtEventIndex")?;
        if event.is_sample(self.gfx) != (self.fixed.len() == 3) {
            return Err(WriteError::EventAddress { name, sample: event.is_sample(self.gfx) });
        }
        if self.queue == Queue::Compute && !index_on_compute(self.gfx, index) {
            return Err(WriteError::EventOnCompute { name, index });
        }
        Ok(())
    }

    fn release_mem(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildReleaseMemInternal";
        let event = Event(self.get("event_type") as u8);
        let index = self.get("event_index");
        // PS_DONE and CS_DONE, end of shader.
        let end_of_shader = matches!(event, Event::PS_DONE | Event::CS_DONE);
        self.demand(end_of_shader || event.is_timestamp(self.gfx), "event_type", "an end-of-pipe timestamp event, PS_DONE or CS_DONE is needed", SOURCE)?;
        self.demand(index == if end_of_shader { 6 } else { 5 }, "event_index", "5 for end-of-pipe timestamps, 6 for PS_DONE and CS_DONE", SOURCE)?;
        let data = self.get("data_sel");
        if end_of_shader && self.gfx.major() < 12 {
            const ACTIONS: [&str; 8] = [
                "gcr_cntl",
                "tcl1_vol_action_ena",
                "tc_vol_action_ena",
                "tc_wb_action_ena",
                "tcl1_action_ena",
                "tc_action_ena",
                "tc_nc_action_ena",
                "tc_md_action_ena",
            ];
            for action in ACTIONS {
                self.demand(self.get(action) == 0, action, "end-of-shader events take no cache action", SOURCE)?;
            }
            self.demand(matches!(data, 1 | 2), "data_sel", "end-of-shader events write 32 or 64 bits", SOURCE)?;
        }
        let low = self.fixed.get(2).copied().unwrap_or(0);
        let high = self.fixed.get(3).copied().unwrap_or(0);
        self.demand(data == 0 || (low | high) != 0, "data_sel", "data need an address", SOURCE)?;
        // SYN-04: on GFX9 a graphics end-of-pipe release that does not directly follow ZPASS_DONE hangs.
        if self.gfx.major() == 9 && self.queue == Queue::Graphics && !end_of_shader {
            let zpass = self.last.first().is_some_and(|&h| Header(h).opcode() == Opcode::EVENT_WRITE)
                && self.last.get(1).is_some_and(|w| w & 0x3F == u32::from(Event::ZPASS_DONE.0));
            self.demand(zpass, "event_type", "the packet before must be EVENT_WRITE ZPASS_DONE", "Mesa 25.0.7 radv_cs.c; PAL 11/2023")?;
        }
        Ok(())
    }

    fn acquire_mem(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildAcquireMemInternal";
        let cntl = self.get("coher_cntl");
        // CB_ACTION_ENA, DB_ACTION_ENA
        self.demand(self.gfx.major() < 11 || cntl & (3 << 25) == 0, "coher_cntl", "CB and DB actions are gone with GFX11", SOURCE)?;
        let gcr = self.get("gcr_cntl");
        // GLK_WB 6, GL2_WB 15, SEQ 17:16
        self.demand(gcr & (1 << 6) == 0 || gcr & (1 << 15) == 0 || gcr >> 16 & 3 == 1, "gcr_cntl", "writing K$ and L2 back together wants seq = 1", SOURCE)?;
        if self.get("pws_ena") == 1 {
            const PWS: &str = "PAL gfx9CmdUtil.cpp BuildAcquireMemGfxPws";
            let stage = self.get("pws_stage_sel");
            self.demand(self.get("pws_ena2") == 1, "pws_ena2", "both enables are needed", PWS)?;
            self.demand(stage != 2 || self.gfx.major() > 11, "pws_stage_sel", "pre_color hangs", PWS)?;
            self.demand(gcr == 0 || matches!(stage, 4 | 5), "pws_stage_sel", "cache actions want the stage cp_pfp or cp_me", PWS)?;
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), WriteError> {
        self.demand(self.get("function") < 7, "function", "there is no function 7", "PAL gfx9CmdUtil.cpp WaitRegMemFunc")?;
        let write_and_wait = self.get("operation") == 1;
        let me = self.queue == Queue::Graphics && self.get("engine_sel") == 0;
        self.demand(!write_and_wait || !me, "operation", "the ME cannot write a register and wait", "packet headers of PAL and Mesa (2026)")
    }

    fn set_predication(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildSetPredication";
        let (op, addr) = (self.get("pred_op"), self.get("start_addr_lo"));
        let align = if matches!(op, 1 | 2) { 16 } else { 4 };
        if op != 0 && !addr.is_multiple_of(align) {
            return Err(WriteError::FieldMisaligned { packet: self.packet, field: "start_addr", addr, align });
        }
        self.demand(self.get("start_addr_hi") <= 0xFF, "start_addr_hi", "predicate addresses have 40 bits", SOURCE)?;
        self.demand(self.get("continue_bit") == 0 || matches!(op, 1 | 2), "continue_bit", "only zpass and primcount predicates continue", SOURCE)
    }

    fn copy_data(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildCopyData";
        let across = self.get("dst_sel") == 1;
        self.demand(!across || self.queue == Queue::Graphics && self.get("engine_sel") == 0, "dst_sel", "memory_sync_across_grbm is for the ME", SOURCE)
    }

    fn indirect_buffer(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildIndirectBuffer";
        let size = self.get("ib_size");
        if size == 0 {
            return Err(WriteError::IbSize { dwords: 0 });
        }
        if self.queue == Queue::Compute {
            self.demand(self.get("valid") == 1, "valid", "compute queues demand 1", SOURCE)?;
            if self.get("chain") == 0 {
                return Err(WriteError::CallOnCompute);
            }
        }
        Ok(())
    }

    fn index_buffer(&self, field: &'static str) -> Result<(), WriteError> {
        let empty = self.field(field) == Some(0);
        if empty && self.gfx.version() == (10, 1) { Err(WriteError::EmptyIndexBuffer) } else { Ok(()) }
    }

    fn draw_index_auto(&self) -> Result<(), WriteError> {
        // USE_OPAQUE
        let opaque = self.get("draw_initiator") >> 6 & 1 == 1;
        self.demand(!opaque || self.get("index_count") == 0, "index_count", "USE_OPAQUE wants 0", "PAL gfx9CmdUtil.cpp BuildDrawIndexAuto")
    }

    fn dispatch(&self, initiator: u64) -> Result<(), WriteError> {
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

    fn atomic_mem(&self) -> Result<(), WriteError> {
        // The 64-bit operations follow the 32-bit ones at a distance of 32.
        let wide = self.get("atomic") & 0x20 != 0;
        self.aligned("addr_lo", if wide { 8 } else { 4 }, "PAL gfx9CmdUtil.cpp BuildAtomicMem")
    }

    fn fences(&self) -> Result<(), WriteError> {
        match self.tail.chunks(4).find(|f| f[0] % 8 != 0) {
            Some(fence) => Err(WriteError::FieldMisaligned { packet: self.packet, field: "mem_poll_addr", addr: fence[0].into(), align: 8 }),
            None => Ok(()),
        }
    }

    /// PAL gfx9CmdUtil.cpp FillPackedRegPairsHeaderAndCount, OptimizePm4SetRegPairsPacked; Mesa ac_pm4.c.
    fn packed(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp FillPackedRegPairsHeaderAndCount";
        match self.queue {
            Queue::Graphics => self.needs(Engine::Pfp, Firmware::PFP_PACKED_PAIRS)?,
            Queue::Compute => self.needs(Engine::Mec, Firmware::MEC_PACKED_PAIRS)?,
            // No packet of the constant engine sets registers so.
            Queue::Constant => {}
        }
        let count = self.get("reg_writes_count");
        self.demand(count >= 2 && count == self.tail.len() as u64 / 3 * 2, "reg_writes_count", "must be the number of registers, even and not 0", SOURCE)?;
        let limit = if self.firmware.pfp >= Firmware::PFP_PACKED_N_14 { 14 } else { 8 };
        self.demand(!self.packet.ends_with("_N") || count <= limit, "reg_writes_count", "too many registers for this form", SOURCE)?;
        let offsets = || self.tail.chunks_exact(3).flat_map(|g| [g[0] & 0xFFFF, g[0] >> 16]);
        let twice = offsets().zip(offsets().skip(1)).any(|(a, b)| a == b);
        self.demand(!twice, "reg_writes_count", "a register follows itself", "Mesa 25.0.7 ac_pm4.c")
    }

    fn set_reg(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildSetSeqContextRegs";
        let indexed = self.fixed.first().is_some_and(|w| w >> 28 != 0);
        self.demand(!indexed || self.tail.len() == 1, "index", "a register with an index stands alone in its packet", SOURCE)?;
        let limit = if self.packet.contains("CONTEXT") || self.packet.contains("_SH_") { 0x400 } else { 0x4000 };
        let end = self.get("reg_offset") + self.tail.len() as u64;
        self.demand(end <= limit, "reg_offset", "the registers leave the window of the packet", SOURCE)
    }
}

/// MEC header: event indices 0, 2, 4, on GFX11 and later also 8 to 11.
pub(super) fn index_on_compute(gfx: Gfx, index: u8) -> bool {
    matches!(index, 0 | 2 | 4) || (gfx.major() >= 11 && (8..=11).contains(&index))
}
