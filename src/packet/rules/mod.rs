//! What the hardware does not accept: checked before a packet is written, whichever way it is authored.
//!
//! `tests/authoring.rs` has the table of rules, each with a packet that breaks it.

mod dwords;
mod sets;
mod sync;
pub mod write_error;

pub(crate) use sets::{MOST_IN_PACKED_N, most_in_packed_n};

use crate::chip::Gfx;
use crate::packet::formats::format::{FirmwareCounter, FirmwareNeed, Form, Format};
use crate::packet::read::fields::addresses;
use crate::packet::rules::write_error::{RESERVED, WriteError};
use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::wire::header::{Header, ShaderType};
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use crate::packet::wire::scope::Scope;
use crate::packet::write::writer_options::Firmware;

/// A packet on its way into a stream.
pub(super) struct Candidate<'a> {
    pub format: &'static Format,
    pub form: &'static Form,
    pub header: Header,
    /// The dwords that every packet of the form has, without the header.
    pub fixed: &'a [u32],
    /// What follows them.
    pub tail: &'a [u32],
    pub gfx: Gfx,
    pub queue: Queue,
    /// The command buffer is called by another one, so INDIRECT_BUFFER calls none from it.
    pub secondary: bool,
    pub firmware: Firmware,
    /// The packet before it.
    pub last: &'a [u32],
    /// Register writes reach one instance of the hardware only.
    pub banked: bool,
    /// Writes of a part of a group are refused.
    pub whole_groups: bool,
}

/// All rules that concern the packet.
pub(super) fn check(c: &Candidate<'_>) -> Result<(), WriteError> {
    if c.format.kernel {
        return Err(WriteError::KernelOnly { packet: c.format.name });
    }
    c.length()?;
    c.header_bits()?;
    let needs = c.form.firmware_needs(c.view(), c.fixed);
    firmware(c.format.name, &c.firmware, needs)?;
    c.combinations()?;
    c.words()
}

/// Whether firmware is new enough for what a packet needs.
pub(super) fn firmware(packet: &'static str, has: &Firmware, needs: impl Iterator<Item = &'static FirmwareNeed>) -> Result<(), WriteError> {
    for need in needs {
        let (needed, given) = (need.from, has.version(need.of));
        if given < needed {
            let of_engine = |engine| WriteError::Firmware { packet, engine, needed, given };
            return Err(match need.of {
                FirmwareCounter::Pfp => of_engine(Engine::Pfp),
                FirmwareCounter::Me => of_engine(Engine::Me),
                FirmwareCounter::Mec => of_engine(Engine::Mec),
                FirmwareCounter::MeFeature => WriteError::MeFeature { packet, needed, given },
            });
        }
    }
    Ok(())
}

impl Candidate<'_> {
    /// Rules of single packets. The opcode identifies the packet, except for the two sizes of INDIRECT_BUFFER.
    fn combinations(&self) -> Result<(), WriteError> {
        if let Some(initiator) = self.field("dispatch_initiator") {
            self.dispatch(initiator)?;
        }
        match self.header.opcode() {
            Opcode::EVENT_WRITE => self.event_write(),
            Opcode::RELEASE_MEM => self.release_mem(),
            Opcode::ACQUIRE_MEM => self.acquire_mem(),
            Opcode::WAIT_REG_MEM | Opcode::WAIT_REG_MEM64 => self.wait(),
            Opcode::SET_PREDICATION => self.set_predication(),
            Opcode::COPY_DATA => self.copy_data(),
            Opcode::WRITE_DATA if self.get("dst_sel") == 0 => {
                let registers = if self.get("addr_incr") == 0 { self.tail.len() as u64 } else { 1 };
                self.user_registers("dst_mmreg_addr", registers)
            }
            Opcode::INDIRECT_BUFFER if self.fixed.len() == 3 => self.indirect_buffer(),
            Opcode::INDIRECT_BUFFER => self.conditional_buffers(),
            Opcode::INDEX_BUFFER_SIZE => self.index_buffer("index_buffer_size"),
            Opcode::DRAW_INDEX_2 | Opcode::DRAW_INDEX_OFFSET_2 => self.index_buffer("max_size"),
            Opcode::DRAW_INDEX_AUTO => self.use_opaque(),
            Opcode::LOAD_CONST_RAM => self.load_const_ram(),
            Opcode::OCCLUSION_QUERY => self.address_not_zero("start_addr").and_then(|()| self.address_not_zero("query_addr")),
            Opcode::SET_SH_REG_OFFSET => self.sgprs_inside(),
            Opcode::REG_RMW => self.read_modify_write(),
            _ => self.registers(),
        }
    }

    /// The dwords after the fixed fields are whole groups; at least one group, where a packet without any has no meaning.
    fn length(&self) -> Result<(), WriteError> {
        let dwords = self.tail.len();
        let group = self.form.repeat.map_or(0, |r| usize::from(r.len));
        let empty = dwords == 0 && group > 0 && !matches!(self.format.name, "NOP" | "EXECUTE_INDIRECT_V2");
        let whole = if group == 0 { dwords == 0 } else { dwords.is_multiple_of(group) };
        if empty || !whole { Err(WriteError::Tail { packet: self.format.name, dwords, group }) } else { Ok(()) }
    }

    fn header_bits(&self) -> Result<(), WriteError> {
        let (header, packet, queue, gfx) = (self.header, self.header.opcode(), self.queue, self.gfx);
        let graphics = queue == Queue::Graphics;
        let refused = match () {
            () if header.reserved() != 0 => Some(RESERVED),
            () if header.is_predicated() && !graphics => Some("predicate"),
            () if header.resets_filter_cam() && (!graphics || gfx.major() == 9) => Some("reset_filter_cam"),
            () => None,
        };
        if let Some(bit) = refused {
            return Err(WriteError::HeaderBit { packet, header, bit, queue, gfx });
        }
        // PAL gfx9CmdUtil.cpp BuildDispatchDirect: the packets that launch compute shaders.
        let dispatch = graphics && self.format.shader_type && self.field("dispatch_initiator").is_some();
        let wanted = match () {
            () if dispatch && header.shader_type() == ShaderType::Graphics => Some("shader_type"),
            () if graphics && !header.resets_filter_cam() && (self.is_gfx11_list() || self.writes_one_instance()) => Some("reset_filter_cam"),
            () => None,
        };
        wanted.map_or(Ok(()), |bit| Err(WriteError::HeaderBitMissing { packet, header, bit, queue, gfx }))
    }

    /// The microcode of GFX11 needs its register filter bypassed by lists of pairs (PAL gfx9CmdUtil.cpp; Mesa ac_pm4.c).
    fn is_gfx11_list(&self) -> bool {
        self.gfx.major() == 11 && self.header.opcode().effect_kinds(self.gfx).intersects(EffectKinds::SETS_A_LIST)
    }

    /// A register write that the filter would drop because another instance has the value (PAL).
    fn writes_one_instance(&self) -> bool {
        self.banked && self.gfx.major() >= 10 && self.header.opcode().effect_kinds(self.gfx).intersects(EffectKinds::SETS_ONLY)
    }

    /// Who reads the packet.
    fn view(&self) -> Scope {
        self.form.scope.and(Scope::queue(self.gfx, self.queue))
    }

    /// The value of a field that means something in this packet.
    fn field(&self, name: &str) -> Option<u64> {
        let view = self.view();
        let field = self.form.fields.iter().find(|f| f.name == name && f.scope.intersects(view) && f.when.iter().all(|c| c.holds(self.fixed)))?;
        let word = usize::from(field.dword).checked_sub(1).and_then(|i| self.fixed.get(i))?;
        Some(field.get(*word).into())
    }

    /// A value that is in one field or in two.
    fn value_of(&self, name: &str) -> u64 {
        let view = self.view();
        let half = |entries: &[u8]| entries.iter().filter_map(|&i| self.form.fields.get(usize::from(i))).find_map(|field| self.field(field.name)).unwrap_or(0);
        let whole = self.form.split_values.iter().find(|whole| whole.name == name && whole.scope.intersects(view));
        self.field(name).or(whole.map(|whole| half(whole.hi) << whole.shift | half(whole.lo))).unwrap_or(0)
    }

    fn get(&self, name: &str) -> u64 {
        self.field(name).unwrap_or(0)
    }

    /// A bit range, by name, of a field that is laid out like a register.
    fn inner(&self, field: &str, bits: &str) -> u64 {
        let layout = self.form.fields.iter().find(|f| f.name == field).and_then(|f| f.layout);
        let range = layout.and_then(|l| l.bits.iter().find(|b| b.name == bits && b.gfx & self.gfx.bit() != 0));
        range.map_or(0, |b| crate::packet::formats::field::bits(self.get(field) as u32, b.lo, b.hi).into())
    }

    fn broken(&self, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        Err(WriteError::Rule { packet: self.format.name, field, value: self.get(field), rule, source_of_rule: source })
    }

    fn demand(&self, holds: bool, field: &'static str, rule: &'static str, source: &'static str) -> Result<(), WriteError> {
        if holds { Ok(()) } else { self.broken(field, rule, source) }
    }

    fn address_not_zero(&self, name: &'static str) -> Result<(), WriteError> {
        let zero = addresses(self.form, self.view(), self.gfx, self.fixed, self.tail).any(|address| address.name == name && address.value == 0);
        if zero { self.broken(name, "an address is needed", "PAL gfx9CmdUtil.cpp BuildOcclusionQuery") } else { Ok(()) }
    }

    fn set_predication(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildSetPredication";
        let op = self.get("pred_op");
        self.demand(self.get("continue_bit") == 0 || matches!(op, 1 | 2), "continue_bit", "only zpass and primcount predicates continue", SOURCE)
    }

    fn copy_data(&self) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp BuildCopyData";
        let across = self.get("dst_sel") == 1;
        self.demand(!across || self.queue == Queue::Graphics && self.get("engine_sel") == 0, "dst_sel", "only ME has memory_sync_across_grbm", SOURCE)?;
        // Performance counters (4) may be privileged.
        if self.get("dst_sel") == 0 { self.user_registers("dst_reg_offset", 1 + self.get("count_sel")) } else { Ok(()) }
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

    fn indirect_buffer(&self) -> Result<(), WriteError> {
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

    fn conditional_buffers(&self) -> Result<(), WriteError> {
        // PAL patches both, whatever the mode.
        ib_size(self.get("ib_size1") as u32)?;
        ib_size(self.get("ib_size2") as u32)
    }

    fn index_buffer(&self, field: &'static str) -> Result<(), WriteError> {
        empty_index_buffer(self.gfx, self.field(field) == Some(0))
    }

    /// USE_OPAQUE takes the count from a register.
    fn use_opaque(&self) -> Result<(), WriteError> {
        let opaque = self.inner("draw_initiator", "USE_OPAQUE") == 1;
        self.demand(!opaque || self.get("index_count") == 0, "index_count", "must be 0 with USE_OPAQUE", "PAL gfx9CmdUtil.cpp BuildDrawIndexAuto")
    }

    fn load_const_ram(&self) -> Result<(), WriteError> {
        self.demand(self.get("start_addr").is_multiple_of(32), "start_addr", "must be a multiple of 32 bytes", "PAL gfx9CmdUtil.cpp BuildLoadConstRam")?;
        self.demand(self.get("num_dw").is_multiple_of(8), "num_dw", "must be whole groups of 8 dwords", "PAL gfx9CmdUtil.cpp BuildLoadConstRam")
    }
}

/// The size field has 20 bits, and a buffer of nothing is illegal (PAL gfxCmdStream.cpp).
pub(super) const fn ib_size(dwords: u32) -> Result<(), WriteError> {
    if dwords == 0 || dwords > 0xF_FFFF { Err(WriteError::IbSize { dwords }) } else { Ok(()) }
}

/// PAL waIndexBufferZeroSize.
pub(super) fn empty_index_buffer(gfx: Gfx, empty: bool) -> Result<(), WriteError> {
    if empty && gfx.version() == (10, 1) { Err(WriteError::EmptyIndexBuffer) } else { Ok(()) }
}

/// Addresses have 48 bits; canonical ones repeat bit 47 above.
pub(super) const fn is_canonical(addr: u64) -> bool {
    addr >> 48 == 0 || addr >> 47 == 0x1_FFFF
}
