//! All rules on one packet, in their order: the only check before a packet is written.

use crate::packet::rules::candidate::Candidate;
use crate::packet::rules::firmware::check_firmware;
use crate::packet::rules::write_error::{RESERVED, WriteError};
use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::wire::header::ShaderType;
use crate::packet::wire::opcode::{Opcode, Queue};

/// Checks all rules that concern the packet.
pub(in crate::packet) fn check(c: &Candidate<'_>) -> Result<(), WriteError> {
    if c.format.kernel {
        return Err(WriteError::KernelOnly { packet: c.format.name });
    }
    c.length()?;
    c.header_bits()?;
    let needs = c.form.firmware_needs(c.view(), c.fixed);
    check_firmware(c.format.name, &c.firmware, needs)?;
    c.combinations()?;
    c.words()
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

    /// Checks that the dwords after the fixed fields are whole groups; at least one group, where a packet without any has no meaning.
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

    /// Returns whether the microcode of GFX11 needs its register filter bypassed by lists of pairs (PAL gfx9CmdUtil.cpp; Mesa ac_pm4.c).
    fn is_gfx11_list(&self) -> bool {
        self.gfx.major() == 11 && self.header.opcode().effect_kinds(self.gfx).intersects(EffectKinds::SETS_A_LIST)
    }

    /// A register write that the filter would drop because another instance has the value (PAL).
    fn writes_one_instance(&self) -> bool {
        self.banked && self.gfx.major() >= 10 && self.header.opcode().effect_kinds(self.gfx).intersects(EffectKinds::SETS_ONLY)
    }
}
