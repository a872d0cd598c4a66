//! Random packets and registers that are legal by construction: the values that each field may hold and that the rules accept.

use crate::packet::{Field, Form, Format, Header, Queue, Scope, ShaderType, formats};
use crate::regs::{self, RegisterInfo, Space};
use crate::testing::ground::pen::{Pen, body_dwords, is_there, store};
use alloc::vec;
use alloc::vec::Vec;
use quickcheck::{Arbitrary, Gen};

/// Bytes of memory per packet: the image of a window of registers.
pub(in crate::testing) const REGION: u64 = 0x1000;

/// Memory of NOPs, which packets may run.
pub(in crate::testing) const CODE: u64 = 0x80_0010_0000;

/// Size of that memory in dwords.
pub(in crate::testing) const CODE_DWORDS: usize = 64;

pub(in crate::testing) fn below(g: &mut Gen, limit: u32) -> u32 {
    u32::arbitrary(g) % limit.max(1)
}

/// Returns the packets that user mode may write on a queue, each with its form.
pub(in crate::testing) fn packets_of(pen: Pen) -> impl Iterator<Item = (&'static Format, &'static Form)> {
    let view = Scope::queue(pen.gfx(), pen.queue);
    let known = formats().iter().filter(move |format| !format.kernel && format.scope.intersects(view) && format.opcode(pen.gfx()).is_some());
    let known = known.filter(move |format| format.opcode(pen.gfx()).is_some_and(|opcode| opcode.available(pen.gfx(), pen.queue)));
    known.filter_map(move |format| Some((format, format.forms.iter().find(|form| !form.internal && form.scope.intersects(view))?)))
}

/// Fields with one or a few valid values: packet (empty for all), field, values.
const PINNED: &[(&str, &str, &[u32])] = &[
    // Waits and conditions that end, and existing work.
    ("", "function", &[0]),
    ("", "exec_count", &[0]),
    ("", "dispatch_initiator", &[1]),
    ("", "mem_space", &[1]),
    ("WAIT_REG_MEM", "engine_sel", &[0]),
    ("WAIT_REG_MEM64", "engine_sel", &[0]),
    ("CLEAR_STATE", "cmd", &[0]),
    ("", "operation", &[0]),
    ("", "diff", &[2, 3]),
    ("ACQUIRE_MEM", "pws_ena", &[0]),
    ("ATOMIC_MEM", "command", &[0]),
    ("REWIND", "valid", &[1]),
    ("REWIND", "offload_enable", &[0]),
    // Buffers of NOPs.
    ("", "ib_size", &[8]),
    ("", "ib_size1", &[8]),
    ("", "ib_size2", &[8]),
    ("", "chain", &[0]),
    ("", "vmid", &[0]),
    ("", "inherit_vmid", &[0]),
    ("", "priv", &[0]),
    ("", "pre_ena", &[0]),
    ("", "pre_resume", &[0]),
    ("", "offload_polling", &[0]),
    ("", "valid", &[1]),
    // Index buffers that contain all drawn indices.
    ("", "max_size", &[64, 1024]),
    ("", "index_count", &[3, 6]),
    ("INDEX_BUFFER_SIZE", "index_buffer_size", &[64, 1024]),
    // Registers are kept or written completely.
    ("CONTEXT_REG_RMW", "reg_mask", &[u32::MAX]),
    ("REG_RMW", "and_mask", &[0]),
    ("REG_RMW", "and_mask_src", &[0]),
    ("REG_RMW", "or_mask_src", &[0]),
    ("", "num_dword", &[1]),
    ("", "num_dwords", &[1]),
    ("SET_SH_REG_OFFSET", "index", &[0]),
    ("LOAD_SH_REG_INDEX", "index", &[0]),
    ("LOAD_SH_REG_INDEX", "data_format", &[0]),
    // Memory of at least a dword.
    ("COPY_DATA", "src_sel", &[1, 2, 5, 9]),
    ("COPY_DATA", "dst_sel", &[2, 5]),
    ("", "byte_count", &[4, 8, 64]),
    ("SET_PREDICATION", "continue_bit", &[0]),
    ("SET_PREDICATION", "pred_op", &[0, 1, 2, 3]),
];

/// Packets that do not occur in random streams: the name, the queue if there is only one, and the reason.
///
/// ```
/// assert!(pm4::testing::left_out().iter().any(|(name, ..)| *name == "WAIT_ON_CE_COUNTER"));
/// ```
pub fn left_out() -> &'static [(&'static str, Option<Queue>, &'static str)] {
    LEFT_OUT
}

const LEFT_OUT: &[(&str, Option<Queue>, &str)] = &[
    ("COND_INDIRECT_BUFFER", Some(Queue::Compute), "a call from a compute queue, which IB-02 warns of"),
    ("WAIT_ON_CE_COUNTER", None, "waits for the other queue, and a stream is one queue"),
    ("DISPATCH_TASKMESH_INDIRECT_MULTI_ACE", None, "its mesh work is counted on the other queue"),
];

/// Returns whether a packet is left out on a queue.
fn is_left_out(name: &str, queue: Queue) -> bool {
    LEFT_OUT.iter().any(|(packet, only, _)| *packet == name && only.is_none_or(|only| only == queue))
}

/// Returns scissors: some GFX9 chips lose them when a packet before the draw rolls the context.
fn scissors(pen: Pen) -> Vec<u32> {
    if pen.generation() == 90 { pen.run("PA_SC_VPORT_SCISSOR_0_TL", &[0, 0]) } else { Vec::new() }
}

/// Returns whether STA-65 reports dispatches of the chip on a compute queue.
fn without_compute(pen: Pen) -> bool {
    crate::cp::rules::find("STA-65").is_some_and(|rule| rule.scope.contains(pen.chip))
}

/// Returns a legal packet; none for packets in [`LEFT_OUT`] and for packets that need others around them.
pub(in crate::testing) fn step(g: &mut Gen, pen: Pen, format: &'static Format, form: &'static Form) -> Option<Vec<u32>> {
    let past_filter = |mut words: Vec<u32>| {
        words[0] |= u32::from(pen.queue == Queue::Graphics) << 2;
        words
    };
    let shader = |name: &str| (pen.addr(name) - 0xB000) / 4;
    let words = match format.name {
        name if is_left_out(name, pen.queue) => return None,
        // These need other packets: see `ValidStream`.
        "DISPATCH_TASKMESH_GFX" | "DISPATCH_TASKMESH_DIRECT_ACE" => return None,
        "INDIRECT_BUFFER" if pen.queue == Queue::Compute => return None,
        "EVENT_WRITE" => {
            let names: &[&str] =
                if pen.queue == Queue::Compute { &["CS_PARTIAL_FLUSH"] } else { &["PS_PARTIAL_FLUSH", "VS_PARTIAL_FLUSH", "CS_PARTIAL_FLUSH"] };
            match g.choose(&[false, true]) {
                Some(true) => pen.sample("SAMPLE_PIPELINESTAT", pen.data),
                _ => pen.event(g.choose(names)?),
            }
        }
        "RELEASE_MEM" => pen.release(pen.data + 0x40, u32::arbitrary(g)),
        "NOP" => pen.raw("NOP", &[u32::arbitrary(g), u32::arbitrary(g)]),
        "SET_CONTEXT_REG" => pen.set("DB_SHADER_CONTROL", 0),
        "SET_CONTEXT_REG_INDEX" => pen.raw(format.name, &[pen.context("VGT_LS_HS_CONFIG") | 2 << 28, 0]),
        "SET_SH_REG" => pen.set("COMPUTE_PGM_LO", u32::arbitrary(g) | 1),
        "SET_SH_REG_INDEX" => pen.set_at(pen.addr("COMPUTE_STATIC_THREAD_MGMT_SE0"), 3, &[u32::arbitrary(g) | 1]),
        "SET_UCONFIG_REG" => pen.set("GRBM_GFX_INDEX", 0xE000_0000),
        "SET_UCONFIG_REG_INDEX" => pen.raw(format.name, &[((pen.addr("VGT_INDEX_TYPE") - 0x30000) / 4) | (2 << 28), 0]),
        "SET_CONTEXT_REG_PAIRS" => past_filter(pen.raw(format.name, &[pen.context("DB_SHADER_CONTROL"), 0])),
        "SET_SH_REG_PAIRS" => past_filter(pen.raw(format.name, &[shader("SPI_SHADER_USER_DATA_PS_0"), u32::arbitrary(g)])),
        "SET_UCONFIG_REG_PAIRS" => past_filter(pen.raw(format.name, &[(pen.addr("GRBM_GFX_INDEX") - 0x30000) / 4, 0xE000_0000])),
        "SET_CONTEXT_REG_PAIRS_PACKED" => {
            past_filter(pen.raw(format.name, &[2, pen.context("DB_SHADER_CONTROL") | pen.context("DB_COUNT_CONTROL") << 16, 0, 0]))
        }
        "SET_SH_REG_PAIRS_PACKED" | "SET_SH_REG_PAIRS_PACKED_N" => {
            let first = shader("COMPUTE_USER_DATA_0");
            let mut words = past_filter(pen.raw(format.name, &[2, first | (first + 1) << 16, u32::arbitrary(g), u32::arbitrary(g)]));
            words[0] |= 2;
            words
        }
        "CONTEXT_CONTROL" if pen.queue == Queue::Constant => pen.raw(format.name, &[1 << 31, 0]),
        "CONTEXT_CONTROL" => pen.raw(format.name, &[LOADS, 1 << 31]),
        "COND_EXEC" => [pen.cond_exec(pen.data, 1), pen.nop()].concat(),
        // Waits for known memory, written by the same engine.
        "WAIT_REG_MEM" | "WAIT_REG_MEM64" => [pen.write(pen.data, 0), pen.write(pen.data + 4, 0), packet(g, pen, format, form)].concat(),
        "CLEAR_STATE" => [packet(g, pen, format, form), pen.draw_state()].concat(),
        "DRAW_INDEX_AUTO" | "DRAW_INDEX_MULTI_AUTO" => [scissors(pen), packet(g, pen, format, form)].concat(),
        name if name.starts_with("DRAW_INDEX_") => [scissors(pen), pen.index_type(), packet(g, pen, format, form)].concat(),
        name if pen.queue == Queue::Graphics && name.contains("DRAW") => [scissors(pen), packet(g, pen, format, form)].concat(),
        name if name.starts_with("DISPATCH") && pen.queue == Queue::Compute && without_compute(pen) => return None,
        _ => packet(g, pen, format, form),
    };
    Some(words)
}

/// A CONTEXT_CONTROL that enables all loads.
pub(in crate::testing) const LOADS: u32 = 1 << 31 | 0x0101_8003;

/// Returns a random packet.
pub(in crate::testing) fn packet(g: &mut Gen, pen: Pen, format: &'static Format, form: &'static Form) -> Vec<u32> {
    let view = Scope::queue(pen.gfx(), pen.queue).and(form.scope);
    let groups = usize::from(form.repeat.is_some());
    let len = form.repeat.map_or(0, |group| usize::from(group.len));
    let mut body = vec![0; body_dwords(form, pen.gfx()) + groups * len];
    let mut done = vec![false; form.fields.len()];
    for _ in 0..3 {
        for (place, field) in form.fields.iter().enumerate() {
            if !done[place] && is_there(field, view, &body) {
                done[place] = true;
                let value = value(g, pen, format, form, place, field, view);
                store(field, &mut body, u64::from(value));
            }
        }
    }
    let opcode = format.opcode(pen.gfx()).unwrap_or_else(|| panic!("{} has no {}", pen.chip, format.name));
    let mut header = Header::type3(opcode, body.len());
    if format.name.starts_with("DISPATCH") && format.shader_type {
        header = header.with_shader_type(ShaderType::Compute);
    }
    [&[header.0], &body[..]].concat()
}

fn value(g: &mut Gen, pen: Pen, format: &Format, form: &Form, place: usize, field: &Field, view: Scope) -> u32 {
    if let Some((.., values)) = PINNED.iter().find(|(packet, name, _)| (packet.is_empty() || *packet == format.name) && *name == field.name) {
        return *g.choose(values).unwrap_or(&0);
    }
    for whole in form.split_values.iter().filter(|whole| whole.address.is_some()) {
        let runs = whole.name.contains("ib_base") || whole.name.contains("cmd_base");
        let addr = if runs { CODE } else { pen.data };
        // An offset from the SET_BASE address.
        if whole.lo.contains(&(place as u8)) && whole.hi.is_empty() {
            return (below(g, 4) * 64) >> if field.hi == 31 { field.lo } else { 0 };
        }
        if whole.lo.contains(&(place as u8)) {
            return addr as u32 >> if field.hi == 31 { field.lo } else { 0 };
        }
        if whole.hi.contains(&(place as u8)) {
            return (addr >> 32) as u32;
        }
    }
    if let Some(register) = field.register {
        let name = match register.start {
            0x8000 => regs::registers(pen.gfx()).find(|info| info.space() == Space::Config).map_or("", |info| info.name),
            0xB000 => "COMPUTE_NUM_THREAD_X",
            0x30000 => "SQ_THREAD_TRACE_USERDATA_2",
            _ => "DB_SHADER_CONTROL",
        };
        return pen.addr(name).wrapping_sub(register.start) / 4;
    }
    let scope = field.scope.and(view);
    if let Some(names) = field.values {
        let named: Vec<u32> = names.values.iter().filter(|value| value.scope.intersects(scope)).map(|value| value.value).collect();
        return g.choose(&named).copied().unwrap_or(0);
    }
    if field.name.contains("offset") {
        return below(g, 4) * 4;
    }
    if field.layout.is_some() {
        return 0;
    }
    below(g, 4) & (u32::MAX >> (31 - (field.hi - field.lo)))
}

/// Returns the typed registers that user mode may write on a queue.
pub(in crate::testing) fn registers_of(pen: Pen) -> impl Iterator<Item = &'static RegisterInfo> {
    let window = move |info: &&RegisterInfo| match info.space() {
        Space::Sh => pen.queue != Queue::Constant && (pen.queue == Queue::Graphics || info.addr >= 0xB800),
        Space::Context => pen.queue == Queue::Graphics,
        Space::Uconfig => true,
        _ => false,
    };
    regs::registers(pen.gfx()).filter(|info| info.typed).filter(window)
}

/// Bits that programs leave 0: those of the firmware; LDS of 64 KiB and more; and more user data than exists.
const LEFT_0: [(&str, u32); 2] = [("COMPUTE_PGM_RSRC1", 1 << 20 | 1 << 22 | 1 << 24 | 1 << 25), ("COMPUTE_PGM_RSRC2", 3 << 22 | 1 << 5)];

/// Returns a random word for a register: each field holds a named value, or any value if it has no named values.
pub(in crate::testing) fn word(g: &mut Gen, info: &RegisterInfo) -> u32 {
    info.fields.iter().fold(0, |word, field| {
        let value = match field.values {
            Some(names) if names.flags => u32::arbitrary(g),
            Some(names) => {
                let fitting: Vec<u32> = names.entries.iter().map(|(_, value)| *value).filter(|value| field.get(value << field.lo) == *value).collect();
                g.choose(&fitting).copied().unwrap_or(0)
            }
            None => u32::arbitrary(g),
        };
        word | value << field.lo & field.mask()
    })
}

/// Masks of compute units without which a shader engine does nothing (REG-16).
const FIRST_MASKS: [&str; 2] = ["COMPUTE_STATIC_THREAD_MGMT_SE0", "COMPUTE_DESTINATION_EN_SE0"];

/// Writes a register and everything that must be written with it: the other registers of its group.
pub(in crate::testing) fn register(g: &mut Gen, pen: Pen, info: &'static RegisterInfo) -> Vec<u32> {
    if info.name == "GRBM_GFX_INDEX" {
        // All parts of the chip.
        return pen.set(info.name, 0xE000_0000);
    }
    if FIRST_MASKS.contains(&info.name) {
        return pen.set(info.name, word(g, info) | 1);
    }
    if let Some((_, mask)) = LEFT_0.iter().find(|(name, _)| *name == info.name) {
        return pen.set(info.name, word(g, info) & !mask);
    }
    let Some(group) = info.group else { return pen.set_at(info.addr, info.index.unwrap_or(0), &[word(g, info)]) };
    let mut members: Vec<&RegisterInfo> = regs::registers(pen.gfx()).filter(|other| other.group == Some(group)).collect();
    members.sort_by_key(|member| member.addr);
    let values: Vec<u32> = members.iter().map(|member| word(g, member)).collect();
    members.first().map_or_else(Vec::new, |first| pen.set_at(first.addr, 0, &values))
}
