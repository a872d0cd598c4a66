//! REG: register writes.

use crate::chip::Gfx;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::{Judge, WatchedWrites, WriteView};
use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::pops::PRIVILEGED_VRS;
use crate::cp::state::finding::Severity;
use crate::cp::state::windows::{enable_bit, window_end};
use crate::packet::{Action, EffectKinds, Opcode, Queue, register_group, register_index};
use crate::plurals::all_of;
use crate::regs::{RegRef, Space, lookup};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use strum::IntoEnumIterator;

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    Rule::new(
        "REG-01",
        Severity::Error,
        ChipScope::All,
        "register outside the window of its packet",
        "Each SET packet reaches one window of registers: its 16-bit offset counts dwords from the start of the window. An offset \
                      beyond the end addresses privileged or absent registers; the command processor answers with \"Illegal register access in \
                      command stream\" and the kernel resets the queue. The usual causes are the packet of another window and a byte address where a \
                      dword offset belongs.",
        "PAL gfx9CmdUtil.cpp BuildSetSeqContextRegs and neighbours; Mesa 25.0.7 radv_cs.h; windows: PAL gfx9Chip.h",
        Judge::Write { watch: WatchedWrites::NoRegister, judge: outside_window },
    ),
    Rule::new(
        "REG-02",
        Severity::Warning,
        ChipScope::All,
        "no register at this address on this generation",
        "No description of this generation has a register at the address. At best, the write is lost; if the value was meant for the register that another \
         generation has there, the intended register keeps its old value. For registers that POPS depends on this is an error: ordered draws would run with \
         the old value, in the wrong order, or hang. For these registers it is only a warning where an older generation, or one with the same first number \
         (GFX10.1 and GFX10.3), has another register at the address: the value may have been meant for that one. A 0 that a packet writes there has \
         severity info: drivers and AMD's own tests (libdrm) clear such places, alone or within a run of registers. Two other values that programs write \
         have severity info too: 0x200 at 0x28848 on GFX10.1, and all ones at 0x36784 from GFX10 on. Ranges of several registers that a packet loads from \
         memory have holes, as those of radeonsi's register shadowing do. A 0 in a hole is not reported, and another value has severity info; for registers \
         that POPS depends on it is a warning. Where another generation has an element of an array at the address, a note names the registers of this \
         generation that are at the places of its other elements and that the stream has written: a stream that was made for the other generation has put \
         wrong values there.",
        "Mesa 25.0.7, Linux 6.12 and PAL register headers; POPS set: POPS article; libdrm tests 2.4.124 for zeros and 0x28848, Mesa 2026 si_pc_emit_shaders \
         for 0x36784",
        Judge::Write { watch: WatchedWrites::NoRegister, judge: no_register },
    ),
    Rule::new(
        "REG-03",
        Severity::Error,
        ChipScope::All,
        "privileged register written by a command buffer",
        "User mode writes registers of the SH, context and uconfig windows. The config window is privileged from GFX7 on, and so is \
         everything outside of all windows. A SET_CONFIG_REG, or a WRITE_DATA or COPY_DATA that names such a register by its absolute address, ends with \
         \"Illegal register access in command stream\". COPY_DATA to performance counters (dst_sel 4) reaches privileged ones.",
        "Linux 6.12 gfx_v9_0.c; PAL gfx9CmdUtil.cpp; AMD's libdrm tests 2.4.124 (illegal register access)",
        Judge::Packet { watch: WatchedPackets::Matching(|opcode, _, _| opcode == Opcode::SET_CONFIG_REG || by_absolute_address(opcode)), judge: privileged },
    )
    .not_in_rings(),
    Rule::new(
        "REG-04",
        Severity::Info,
        ChipScope::All,
        "shader type of the header does not match the register",
        "Bit 1 of the header says whether a SET_SH_REG is for compute. PAL sets it for compute registers on the graphics queue; RADV never does, without known \
         harm: only the address decides.",
        "PAL gfx9CmdUtil.cpp; captures: thousands of such writes",
        Judge::Packet { watch: WatchedPackets::WrongShaderType, judge: shader_type },
    )
    .off_by_default(),
    Rule::new(
        "REG-05",
        Severity::Warning,
        ChipScope::All,
        "register index is missing, or is given where none belongs",
        "A few registers go through SET_*_REG_INDEX: with index 3 the firmware ANDs a CU mask with the kernel's, with another index it keeps a copy of the \
         value for draws. A plain write of such a mask has severity info: units that the kernel reserves stay in it, and radeonsi and RADV write masks that \
         way too. A 0 between other zeros in a run of registers has severity info too: this is how the kernel and radeonsi clear the state of GFX9. An \
         index on another register is ignored at best. The list is PAL's.",
        "PAL gfx9CmdUtil.cpp IsIndexedRegister (one source, no independent second one); captures for VGT_PRIMITIVE_TYPE and VGT_LS_HS_CONFIG, and for index \
         bits in SET_SH_REG on GFX9",
        Judge::Packet { watch: WatchedPackets::NeedsIndex, judge: wrong_index },
    )
    .report_once(),
    Rule::new(
        "REG-06",
        Severity::Error,
        ChipScope::All,
        "indexed register is not alone in its packet",
        "The index of a SET packet belongs to one register. With several values the firmware applies it to registers to which it does not belong. Masks of \
         compute units \
         (COMPUTE_STATIC_THREAD_MGMT_SE0 and on) may follow each other with index 3.",
        "PAL gfx9CmdUtil.cpp",
        Judge::Packet {
            watch: WatchedPackets::WithIndexBits(&[Opcode::SET_UCONFIG_REG_INDEX, Opcode::SET_SH_REG_INDEX, Opcode::SET_CONTEXT_REG]),
            judge: index_not_alone,
        },
    )
    .words_alone(),
    Rule::new(
        "REG-07",
        Severity::Warning,
        ChipScope::All,
        "bits without a field are set",
        "No description of the register names the bits. They do nothing, or something that no public source describes. Upper halves of addresses may be \
         sign-extended, as drivers write them. Bits that a driver is known to set have severity info.",
        "register headers (Mesa 25.0.7, Linux 6.12, PAL)",
        Judge::Write { watch: WatchedWrites::UnnamedBits, judge: unnamed_bits },
    )
    .report_once(),
    Rule::new(
        "REG-08",
        Severity::Warning,
        ChipScope::All,
        "field holds a value without a name",
        "The list of the field's values does not have this one: it is reserved, or no public header names it.",
        "register headers: one source, no independent second one",
        Judge::Write { watch: WatchedWrites::UnnamedValues, judge: unnamed_value },
    ),
    Rule::new(
        "REG-09",
        Severity::Error,
        ChipScope::All,
        "part of a register group is written",
        "The six words of a viewport transform, the two corners of a viewport scissor, its two depth bounds and the four words of the guard band must be \
         written completely or not at all: the hardware takes them as a group. On GFX12 the transform and the depth bounds are one group of eight. The rule \
         judges runs of SET_CONTEXT_REG, not packets of register pairs.",
        "PAL gfx9Pm4Optimizer.cpp IsRegisterMustWrite",
        Judge::Packet { watch: WatchedPackets::Grouped, judge: partial_group },
    )
    .words_alone(),
    MODIFY_UNKNOWN,
    Rule::new(
        "REG-11",
        Severity::Warning,
        ChipScope::All,
        "register that shadowing does not cover is written while shadowing is on",
        "With shadow enables in CONTEXT_CONTROL the firmware copies registers to memory and reloads them after preemption. Registers outside the enabled \
         windows and ranges are then lost.",
        "PAL gfx9Device.cpp m_verifyShadowedRegisters; ranges: context up to byte address 0x28efc, SH up to 0xb9f4",
        Judge::Packet { watch: WatchedPackets::Shadowed, judge: not_shadowed },
    ),
    Rule::new(
        "REG-12",
        Severity::Warning,
        ChipScope::All,
        "LOAD packet that CONTEXT_CONTROL has not enabled, or CONTEXT_CONTROL that changes nothing",
        "LOAD_CONFIG_REG, LOAD_CONTEXT_REG, LOAD_SH_REG and LOAD_UCONFIG_REG do nothing unless CONTEXT_CONTROL enabled that load, with its update bit 31 \
         set. If no CONTEXT_CONTROL of the stream enables it, an earlier buffer may have: then the finding has severity info, and what the packet loads is \
         unknown. A CONTEXT_CONTROL without an update bit in either dword is a NOP, whatever it enables.",
        "Linux 6.12 gfx_v10_0.c; PAL gfx9CmdUtil.cpp BuildContextControl",
        Judge::Packet {
            watch: WatchedPackets::Matching(|opcode, chip, _| opcode == Opcode::CONTEXT_CONTROL || loads_if_enabled(opcode, chip.gfx())),
            judge: load_not_enabled,
        },
    ),
    Rule::new(
        "REG-13",
        Severity::Info,
        ChipScope::All,
        "draw with registers that were loaded from unknown memory",
        "Rules cannot check unknown values. Map the memory that the registers are loaded from.",
        "limit of this model",
        Judge::Draw(loaded_registers),
    )
    .off_by_default(),
    Rule::new(
        "REG-14",
        Severity::Error,
        ChipScope::All,
        "packet of the graphics pipe on a compute queue",
        "A compute queue has no graphics pipe and no register contexts: SET_CONTEXT_REG and draws are illegal opcodes there.",
        "AMD's packet headers, availability by engine",
        Judge::Packet {
            watch: WatchedPackets::Matching(|opcode, chip, queue| queue == Queue::Compute && is_graphics(opcode, chip.gfx())),
            judge: graphics_on_compute,
        },
    )
    .words_alone(),
    Rule::new(
        "REG-15",
        Severity::Warning,
        ChipScope::FROM_GFX11,
        "draw while GRBM_GFX_INDEX selects a part of the chip",
        "Register writes reach only the selected shader engine or array, and the next draw runs with different state in different parts. Outside of a \
         PERF_COUNTER_WINDOW, GRBM_GFX_INDEX must select all parts (broadcast, 0xe0000000).",
        "PAL gfx9CmdUtil.cpp BuildPerfCounterWindow",
        Judge::Draw(not_broadcast),
    ),
    Rule::new(
        "REG-16",
        Severity::Warning,
        ChipScope::All,
        "register that belongs to the owner of the queue",
        "COMPUTE_RELAUNCH, COMPUTE_RELAUNCH2 and COMPUTE_WAVE_RESTORE_ADDR serve the save and restore of waves: the kernel and the firmware write them, \
         drivers do not. COMPUTE_VMID, COMPUTE_DISPATCH_ID and COMPUTE_THREADGROUP_ID belong to the firmware too. The help names what other generations \
         have at the address. GFX9 chips that draw have four shader engines: COMPUTE_STATIC_THREAD_MGMT_SE5 and SE6 belong to others. A compute-unit mask \
         of 0 for one engine has severity info: dispatches do not use that engine. Zeros in the others, and values loaded from memory, are not reported.",
        "Linux 7.1.8 v9_structs.h, v10_structs.h, v11_structs.h, v12_structs.h (what the queue's descriptor holds); recorded streams, of which none writes them",
        Judge::Write { watch: WatchedWrites::Addresses(OF_THE_OWNER), judge: of_the_owner },
    )
    .not_in_rings(),
    Rule::new(
        "REG-17",
        Severity::Warning,
        ChipScope::All,
        "resources of a program are written where another generation has them",
        "SPI_SHADER_PGM_RSRC3_PS is at 0xb01c up to GFX11.5 and at 0xb018 on GFX12; COMPUTE_PGM_RSRC3 at 0xb8a0 from GFX10 on, at 0xb88c on GFX12.1, and at \
         0xb8b4 on gfx90a and gfx940. Other registers are there on the other generations: SPI_SHADER_PGM_CHKSUM_PS at 0xb018, SPI_SHADER_PGM_RSRC4_PS at \
         0xb01c, COMPUTE_STATIC_THREAD_MGMT_SE7 of GFX9 at 0xb8a0, SE8 of GFX12 at 0xb88c, SE6 from GFX11 on at 0xb8b4. The value shows the mistake: a \
         whole mask of 16 compute units where the register has none, an engine that no GFX9 chip has, or a mask for only the first shader array of an \
         engine that no chip has.",
        "follows from the register headers: Linux 7.1.8, Mesa 25.0.7",
        Judge::Write { watch: WatchedWrites::Bits(WHERE_OTHERS_HAVE_THEM), judge: misplaced_resources },
    ),
    Rule::new(
        "REG-18",
        Severity::Error,
        ChipScope::All,
        "resources of a compute program that no program has",
        "PRIV, DEBUG_MODE, BULKY and CDBG_USER of COMPUTE_PGM_RSRC1 are the firmware's: descriptors of kernels leave them 0. One of them is a warning, and PRIV on GFX11 has \
         severity info: tinygrad sets it there. Two of them show that the word is no RSRC1. A workgroup has at most 64 KiB of LDS; more is a warning, and more than the 128 \
         KiB of two compute units an error: no workgroup can start, and the dispatch never ends. Dispatches have 16 registers of user data: a larger USER_SGPR is a \
         warning.",
        "LLVM 22.1.8 AMDGPUUsage (kernel descriptor); IGT b3d809d5 amd_ip_blocks.c (invalid program setting); tinygrad ops_amd.py",
        Judge::Write { watch: WatchedWrites::Bits(OF_NO_PROGRAM), judge: impossible_resources },
    ),
];

/// Registers that REG-16 judges, on some generation.
const OF_THE_OWNER: &[u32] = &[
    0xB850, 0xB858, 0xB85C, 0xB864, 0xB868, 0xB880, 0xB884, 0xB888, 0xB88C, 0xB890, 0xB898, 0xB89C, 0xB8AC, 0xB8B0, 0xB8B4, 0xB8B8, 0xB8C0, 0xB8C4, 0xB8C8,
    0xB8CC,
];

fn of_the_owner(view: &WriteView<'_>) -> Option<Verdict> {
    let register = lookup(view.chip().gfx(), view.addr())?;
    let (name, value) = (register.info().name, view.value());
    let verdict = |text: String| Verdict::new(text).register(name);
    match name {
        _ if view.loaded => None,
        "COMPUTE_RELAUNCH" | "COMPUTE_RELAUNCH2" | "COMPUTE_WAVE_RESTORE_ADDR_LO" | "COMPUTE_WAVE_RESTORE_ADDR_HI" => (value != 0).then(|| {
            verdict(format!("0x{value:08x} is written to {name}, with which the kernel and the firmware save and restore waves"))
                .help(format!("leave {name} to the kernel{}", meant_instead(view)))
        }),
        "COMPUTE_VMID" | "COMPUTE_DISPATCH_ID" | "COMPUTE_THREADGROUP_ID" => (value != 0).then(|| {
            verdict(format!("0x{value:08x} is written to {name}, which the firmware sets")).help(format!("leave {name} to the firmware{}", meant_instead(view)))
        }),
        "COMPUTE_STATIC_THREAD_MGMT_SE5" | "COMPUTE_STATIC_THREAD_MGMT_SE6" if view.chip().gfx().major() == 9 => (value != 0).then(|| {
            verdict(format!("0x{value:08x} is written to {name}, and no GFX9 chip that draws has this shader engine")).help("leave the write out on this chip")
        }),
        // Every chip has the first one. Some lack the others; drivers write 0 to them.
        "COMPUTE_STATIC_THREAD_MGMT_SE0" | "COMPUTE_DESTINATION_EN_SE0" => (value == 0 && !view.within).then(|| {
            verdict(format!("0 is written to {name}: no dispatch uses this shader engine"))
                .severity(Severity::Info)
                .help("write 0xffffffff, with index 3 where the kernel's mask is to count")
        }),
        _ => None,
    }
}

/// The masks of shader engines 0 to 3 on GFX12.1, which has no graphics (Linux 7.1.8 gc_12_1_0_offset.h).
const MASKS_OF_GFX121: [(u32, &str); 4] = [
    (0xB8C0, "COMPUTE_DESTINATION_EN_SE0"),
    (0xB8C4, "COMPUTE_DESTINATION_EN_SE1"),
    (0xB8C8, "COMPUTE_DESTINATION_EN_SE2"),
    (0xB8CC, "COMPUTE_DESTINATION_EN_SE3"),
];

/// Returns help text: the registers of other generations at the address of a write, and their addresses on this one.
fn meant_instead(view: &WriteView<'_>) -> String {
    let mine = view.chip().gfx();
    let here = lookup(mine, view.addr()).map(|register| register.info().name);
    let of = |gfx: Gfx| lookup(gfx, view.addr()).filter(|register| Some(register.info().name) != here).map(|register| (gfx, register.to_string()));
    // The nearest generation is the likeliest one.
    let near = |gfx: &Gfx| gfx.major().abs_diff(mine.major());
    let other = Gfx::iter().filter(|gfx| *gfx != mine).filter_map(of).min_by_key(|(gfx, _)| near(gfx)).map(|(gfx, name)| (gfx.to_string(), name));
    let later = || MASKS_OF_GFX121.iter().find(|(addr, _)| *addr == view.addr()).map(|(_, name)| ("GFX12.1".to_string(), (*name).to_string()));
    let Some((gfx, name)) = other.or_else(later) else { return String::new() };
    match crate::regs::find(mine, &name) {
        Some(right) => format!("; if {name} was meant, which {gfx} has at this address, write it at 0x{:05x}", right.addr()),
        None => format!("; if {name} was meant, which {gfx} has at this address, leave the write out: {mine} has none"),
    }
}

const COMPUTE_PGM_RSRC1: u32 = 0xB848;
const COMPUTE_PGM_RSRC2: u32 = 0xB84C;

/// A word that REG-18 reports has one of these bits: PRIV, DEBUG_MODE, BULKY and CDBG_USER; LDS_SIZE from 128 on and USER_SGPR from 16 on.
const OF_NO_PROGRAM: &[(ChipScope, u32, u32)] = &[
    (ChipScope::All, COMPUTE_PGM_RSRC1, 1 << 20 | 1 << 22 | 1 << 24 | 1 << 25),
    (ChipScope::All, COMPUTE_PGM_RSRC2, LDS_OF_GROUP << 15 | LDS_OF_TWO << 15 | USER_DATA << 1),
];

/// In units of 512 bytes: the most LDS of a workgroup, and of two compute units.
const LDS_OF_GROUP: u32 = 128;
const LDS_OF_TWO: u32 = 256;
/// The most user data registers of a dispatch.
const USER_DATA: u32 = 16;

fn impossible_resources(view: &WriteView<'_>) -> Option<Verdict> {
    let register = lookup(view.chip().gfx(), view.addr())?;
    let value = |name: &str| register.info().field(name).map_or(0, |field| field.get(view.value()));
    let verdict = |text: String| Verdict::new(text).register(register.info().name);
    if view.addr() == COMPUTE_PGM_RSRC1 {
        let set: Vec<&'static str> = ["PRIV", "DEBUG_MODE", "BULKY", "CDBG_USER"].into_iter().filter(|name| value(name) != 0).collect();
        let severity = match set[..] {
            [] => return None,
            ["PRIV"] if view.chip().gfx().major() == 11 => Severity::Info,
            [_] => Severity::Warning,
            _ => Severity::Error,
        };
        let help = format!("clear {}, or check what was written: 0x{:08x}", all_of(&set), view.value());
        let are = if set.len() == 1 { "is" } else { "are" };
        return Some(verdict(format!("{} {are} set, which the firmware alone sets", all_of(&set))).field(set[0]).severity(severity).help(help));
    }
    let (lds, data) = (value("LDS_SIZE"), value("USER_SGPR"));
    let data_text = format!("USER_SGPR is {data}, and dispatches have {USER_DATA} registers of user data");
    let lds_text = |more: &str| format!("LDS_SIZE is {lds}, {} bytes{more}", lds * 512);
    let also = if data > USER_DATA { format!("; {data_text}") } else { String::new() };
    match lds {
        _ if lds > LDS_OF_TWO => {
            let text = lds_text(", more than two compute units have: no workgroup can start, and the dispatch never ends") + &also;
            Some(verdict(text).field("LDS_SIZE").help("write the size of LDS in units of 512 bytes, at most 128"))
        }
        _ if lds > LDS_OF_GROUP => {
            let text = lds_text(": a workgroup has at most 64 KiB") + &also;
            Some(verdict(text).field("LDS_SIZE").severity(Severity::Warning).help("write the size of LDS in units of 512 bytes, at most 128"))
        }
        _ if data > USER_DATA => {
            Some(verdict(data_text).field("USER_SGPR").severity(Severity::Warning).help("write at most 16, and pass what is more in memory"))
        }
        _ => None,
    }
}

/// CU_EN of RSRC3: 16 compute units.
const WHOLE_MASK: u32 = 0xFFFF;

/// Registers that REG-17 judges; a value that it reports has one of these bits.
const WHERE_OTHERS_HAVE_THEM: &[(ChipScope, u32, u32)] = &[
    (ChipScope::Generations(0b01_1110), 0xB018, WHOLE_MASK),
    (ChipScope::GFX12, 0xB01C, WHOLE_MASK),
    (ChipScope::GFX9, 0xB8A0, u32::MAX),
    (ChipScope::GFX12, 0xB88C, WHOLE_MASK),
    (ChipScope::FROM_GFX11, 0xB8B4, WHOLE_MASK),
];

fn misplaced_resources(view: &WriteView<'_>) -> Option<Verdict> {
    let (gfx, value) = (view.chip().gfx(), view.value());
    let (meant, on, is_mistake) = match (view.addr(), gfx.major()) {
        (0xB018, 10 | 11) => ("SPI_SHADER_PGM_RSRC3_PS", "GFX12", value == WHOLE_MASK),
        // Bits 15:12 of RSRC4 belong to no field there.
        (0xB01C, 12..) => ("SPI_SHADER_PGM_RSRC3_PS", "generations before it", value & WHOLE_MASK == WHOLE_MASK),
        (0xB8A0, 9) => ("COMPUTE_PGM_RSRC3", "GFX10 and later", value != 0),
        (0xB88C, 12) => ("COMPUTE_PGM_RSRC3", "GFX12.1", value != 0 && value >> 16 == 0),
        // The shared VGPRs of RSRC3 are 0 on the chips that have the field there.
        (0xB8B4, 11..) => ("COMPUTE_PGM_RSRC3", "gfx90a and gfx940", value != 0 && value >> 16 == 0 && value & 0xF == 0),
        _ => return None,
    };
    let here = lookup(gfx, view.addr())?;
    (is_mistake && !view.loaded).then(|| {
        let verdict = Verdict::new(format!("0x{value:08x} is written to {here}, at the address of {meant} on {on}")).register(format!("{here}"));
        verdict.help(match crate::regs::find(gfx, meant) {
            Some(right) => format!("write {meant} at 0x{:05x}", right.addr()),
            None => format!("{gfx} has no {meant}: leave the write out"),
        })
    })
}

/// Returns whether a packet belongs to the graphics pipe and its contexts; compute queues do not support it.
pub(in crate::cp::rules) fn is_graphics(opcode: Opcode, gfx: Gfx) -> bool {
    opcode.name(gfx).is_some() && opcode.effect_kinds(gfx).intersects(EffectKinds::ROLLS.or(EffectKinds::DRAW)) && !opcode.available(gfx, Queue::Compute)
}

/// Returns whether a packet can name any register by an absolute address. WAIT_REG_MEM is excluded: user queues flush HDP with it (tinygrad).
fn by_absolute_address(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::WRITE_DATA | Opcode::COPY_DATA)
}

/// The dst_sel of COPY_DATA for performance counters, including privileged ones.
const PERFORMANCE_COUNTERS: u32 = 4;

/// Returns whether a packet loads a window of registers if CONTEXT_CONTROL enables it.
fn loads_if_enabled(opcode: Opcode, gfx: Gfx) -> bool {
    opcode.effect_kinds(gfx).intersects(EffectKinds::LOADS_IF_ENABLED)
}

pub(crate) const MODIFY_UNKNOWN: Rule = Rule::new(
    "REG-10",
    Severity::Warning,
    ChipScope::All,
    "read-modify-write of a register with an unknown value",
    "CONTEXT_REG_RMW and REG_RMW keep some bits of a register. When nothing has written it and CLEAR_STATE has not run, the kept bits are whatever the last \
     submission left. The rule is silent if something unknown to the model may have written the register: a packet that may not have run, a load from \
     unknown memory, or the stream before the given part.",
    "PAL gfx9Pm4Optimizer.cpp",
    Judge::Model,
);

fn load_not_enabled(view: &PacketView<'_>) -> Option<Verdict> {
    let Some(space) = view.packet().loads(view.gfx(), view.queue()) else {
        let updates = (view.word(0) | view.word(1)) >> 31 == 1;
        return (!updates).then(|| {
            Verdict::new("neither dword has its update bit 31 set: the packet changes nothing").help(
                "set bit 31 of each dword whose enables must take \
                effect",
            )
        });
    };
    let bit = enable_bit(space, view.packet().header.shader_type() == crate::packet::ShaderType::Compute);
    let verdict = match view.history.loads(bit) {
        Some(true) => return None,
        Some(false) => Verdict::new(format!("the packet loads {space} registers, but CONTEXT_CONTROL has not enabled that load: it does nothing")),
        None if view.history.control_lost => return None,
        None => Verdict::new(format!(
            "the packet loads {space} registers, and no CONTEXT_CONTROL before it in the stream enables that load: it does nothing, unless a buffer before \
             the stream or the kernel's ring has enabled it"
        ))
        .severity(Severity::Info),
    };
    Some(verdict.help(format!("send a CONTEXT_CONTROL before it, with bits {bit} and 31 of its first dword set")))
}

fn privileged(view: &PacketView<'_>) -> Option<Verdict> {
    if view.packet().opcode() == Some(Opcode::COPY_DATA) && view.bits(0, 8, 11) == PERFORMANCE_COUNTERS {
        return None;
    }
    let (addr, value) = privileged_write(view)?;
    let what = value.map_or_else(|| "a value".into(), |value| format!("0x{value:08x}"));
    let name = lookup(view.gfx(), addr).map_or_else(|| format!("0x{addr:05x}"), |register| format!("{register}"));
    let known = if name.starts_with("0x") { String::new() } else { format!(" ({name})") };
    Some(
        Verdict::new(format!("{what} is written to the register 0x{addr:05x}{known}, which user mode must not write: the kernel resets the queue"))
            .register(name)
            .help("leave the write to the kernel; if another register was meant, its dword address is its byte address / 4; performance counters are written with COPY_DATA"),
    )
}

/// Returns the first register outside the user-mode windows that a packet writes, and the written value.
fn privileged_write(view: &PacketView<'_>) -> Option<(u32, Option<u32>)> {
    let user = |addr: u32| matches!(Space::of(addr), Some(Space::Sh | Space::Context | Space::Uconfig));
    let mut found = None;
    view.packet().visit_effects(view.gfx(), view.queue(), &mut |effect| {
        let (addr, registers, value) = match effect.action {
            Action::Set { write, .. } => (write.addr, 1, Some(write.value)),
            Action::Unknown { addr, registers, .. } => (addr, registers, None),
            _ => return,
        };
        found = found.or_else(|| (0..registers.min(2)).map(|i| addr.wrapping_add(4 * i)).find(|addr| !user(*addr)).map(|addr| (addr, value)));
    });
    found
}

fn shader_type(view: &PacketView<'_>) -> Option<Verdict> {
    let compute_register = view.bits(0, 0, 15) >= 0x200;
    let compute = view.packet().header.shader_type() == crate::packet::ShaderType::Compute;
    (view.queue() == Queue::Graphics && compute_register != compute).then(|| {
        Verdict::new("the shader type of the header does not match the registers; the address decides")
            .field("shader_type")
            .help("set bit 1 of the header for compute registers, and for no others")
    })
}

/// Returns the first byte address and the index in the offset dword of a packet that sets a run of registers.
fn target(view: &PacketView<'_>) -> Option<(u32, u32)> {
    view.packet().opcode().filter(|opcode| opcode.effect_kinds(view.gfx()).intersects(EffectKinds::SETS_A_RUN))?;
    Some((view.packet().writes(view.gfx()).next()?.addr, view.bits(0, 28, 31)))
}

/// The index with which the kernel's mask of compute units is ANDed to the value.
const KERNEL_MASK: u32 = 3;

/// Returns whether an index belongs to a register, or is known to be used by drivers.
fn takes_index(gfx: Gfx, addr: u32, index: u32) -> bool {
    let seen = || lookup(gfx, addr).and_then(|register| register.info().index_seen).is_some_and(|(seen, _)| u32::from(seen) == index);
    register_index(gfx, addr).is_some_and(|needs| u32::from(needs) == index) || seen()
}

fn wrong_index(view: &PacketView<'_>) -> Option<Verdict> {
    let (first, index) = target(view)?;
    let name = |addr: u32| lookup(view.gfx(), addr).map_or_else(|| format!("0x{addr:05x}"), |register| format!("{register}"));
    if index != 0 {
        return (!takes_index(view.gfx(), first, index)).then(|| {
            Verdict::new(format!("{} is written with index {index}, which does not belong to it: the bits are ignored at best", name(first)))
                .register(name(first))
                .help("clear bits 31:28 of the offset dword")
        });
    }
    let count = view.packet().body.len().saturating_sub(1) as u32;
    // A run of zeros clears the register and its neighbours (Linux 6.12 clearstate_gfx9.h and Mesa 25.0.7 ac_shadowed_regs.c).
    let is_zero = |i: u32| view.word(i as usize + 1) == 0;
    let is_cleared = |i: u32| count > 1 && (i.saturating_sub(1)..count.min(i + 2)).all(is_zero);
    let indexed = || (0..count).filter_map(|i| Some((i, first + 4 * i, register_index(view.gfx(), first + 4 * i)?)));
    let (i, addr, needs) = indexed().find(|(i, _, _)| !is_cleared(*i)).or_else(|| indexed().next())?;
    let verdict = |what: &str| {
        Verdict::new(format!("{} is written without its index {needs}: {what}", name(addr)))
            .register(name(addr))
            .help(format!("write it alone, with SET_*_REG_INDEX and index {needs} in bits 31:28 of the offset dword"))
    };
    // radeonsi and RADV also write such masks with the plain packet (recorded streams).
    Some(if is_cleared(i) {
        verdict("the packet clears it with others; the firmware may not keep its own copy").severity(Severity::Info)
    } else if needs == KERNEL_MASK as u8 && view.packet().opcode() == Some(Opcode::SET_SH_REG) {
        verdict("compute units that the kernel has reserved stay in the mask, which matters only if it has reserved any").severity(Severity::Info)
    } else {
        verdict("the firmware may not keep its own copy of the value for later draws")
    })
}

fn index_not_alone(view: &PacketView<'_>) -> Option<Verdict> {
    let (addr, index) = target(view)?;
    let values = view.packet().body.len().saturating_sub(1);
    let masks = || index == KERNEL_MASK && (0..values as u32).all(|i| takes_index(view.gfx(), addr + 4 * i, index));
    (index != 0 && values > 1 && !masks()).then(|| {
        Verdict::new(format!("the packet has index {index} and {values} values, beginning at 0x{addr:05x}: an indexed register is alone in its packet"))
            .field("index")
            .help("split the packet: one packet for the indexed register, plain SET packets for the others")
    })
}

fn unnamed_bits(view: &WriteView<'_>) -> Option<Verdict> {
    let register = lookup(view.chip().gfx(), view.addr())?;
    let known = register.info().known_bits();
    let stray = view.value() & !known;
    if is_sign(known, stray) && register.fields().len() == 1 {
        return None;
    }
    let seen = register.info().bits_seen.filter(|(mask, _)| stray & !mask == 0);
    (known != 0 && stray != 0).then(|| {
        let verdict = Verdict::new(format!("0x{:08x} is written to {register}: bits 0x{stray:08x} belong to no field on {}", view.value(), view.chip().gfx()))
            .register(format!("{register}"))
            .help(format!("write 0x{:08x}", view.value() & !stray));
        match seen {
            Some((_, source)) => verdict.severity(Severity::Info).note(format!("drivers set them without known harm ({source})"), None),
            None => verdict,
        }
    })
}

/// Returns whether the bits above a field extend the sign of the upper part of an address that the field holds: up to bit 23 (addresses in units of 256 bytes)
/// or bit 31.
fn is_sign(known: u32, stray: u32) -> bool {
    known != 0 && (known.wrapping_add(1)).is_power_of_two() && [0x00FF_FFFF, u32::MAX].iter().any(|all| stray == all & !known)
}

fn unnamed_value(view: &WriteView<'_>) -> Option<Verdict> {
    let register = lookup(view.chip().gfx(), view.addr())?;
    let (field, value, names) = register.fields().iter().find_map(|field| {
        let names = field.values.filter(|names| !names.flags && !names.entries.is_empty() && field.hi - field.lo < 6)?;
        let value = field.get(view.value());
        let strange = names.name_of(value).is_none() && names.values_seen.iter().all(|(seen, _)| *seen != value);
        strange.then_some((field, value, names))
    })?;
    let mut verdict =
        Verdict::new(format!("{register}.{} is {value}, which {} does not name", field.name, names.name)).register(format!("{register}")).field(field.name);
    if let Some((name, first)) = names.entries.first() {
        verdict = verdict.help(format!("use a value of {}: {name} = {first} and so on", names.name));
    }
    Some(verdict)
}

fn partial_group(view: &PacketView<'_>) -> Option<Verdict> {
    let (addr, _) = target(view)?;
    let end = addr + 4 * view.packet().body.len().saturating_sub(1) as u32;
    let cut = |at: u32| register_group(view.gfx(), at).filter(|group| group.start != at);
    let group = cut(addr).or_else(|| cut(end))?;
    let name = |addr: u32| lookup(view.gfx(), addr).map_or_else(|| format!("0x{addr:05x}"), |register| format!("{register}"));
    let (words, first, last) = ((group.end - group.start) / 4, name(group.start), name(group.end - 4));
    let written = if end - 4 > addr { format!("registers 0x{addr:05x} to 0x{:05x} cover", end - 4) } else { format!("register 0x{addr:05x} covers") };
    Some(
        Verdict::new(format!("{written} only a part of the group of {words} registers {first} to {last}"))
            .register(name(addr))
            .help("write the whole group in one packet"),
    )
}

fn not_shadowed(view: &PacketView<'_>) -> Option<Verdict> {
    let shadow = view.history.shadowing()?;
    let write = view.packet().writes(view.gfx()).find(|write| {
        let dword = write.addr / 4;
        match Space::of(write.addr) {
            Some(Space::Context) => shadow >> 1 & 1 == 0 || dword > 0xA3BF,
            Some(Space::Sh) if dword >= 0x2E00 => shadow >> 24 & 1 == 0 || dword > 0x2E7D,
            Some(Space::Sh) => shadow >> 16 & 1 == 0,
            Some(Space::Uconfig) => shadow >> 15 & 1 == 0,
            _ => false,
        }
    })?;
    let name = lookup(view.gfx(), write.addr).map_or_else(|| format!("0x{:05x}", write.addr), |register| format!("{register}"));
    Some(
        Verdict::new(format!("{name} is written while shadowing is on, but no enabled range covers it: the value is lost at preemption"))
            .register(name)
            .help("enable the shadow of its window in CONTEXT_CONTROL, or write the register again after each resume"),
    )
}

fn loaded_registers(view: &crate::cp::DrawView<'_>) -> Option<Verdict> {
    const NAMES: &[&str] = &["DB_SHADER_CONTROL", "PA_SC_AA_CONFIG", "DB_Z_INFO", "CB_TARGET_MASK", "VGT_SHADER_STAGES_EN", "SPI_SHADER_COL_FORMAT"];
    let name = NAMES.iter().find(|name| view.register(name).is_some_and(|register| view.state(register.addr()) == crate::cp::RegisterState::Loaded))?;
    let loaded = view.register(name).and_then(|register| view.origin(register.addr())).map(|origin| origin.place);
    Some(
        Verdict::new(format!("{name} was loaded from memory that the model has not seen: rules that read it report nothing"))
            .register(*name)
            .note(format!("{name} was loaded"), loaded)
            .help("map the memory that the registers are loaded from"),
    )
}

fn graphics_on_compute(view: &PacketView<'_>) -> Option<Verdict> {
    (view.queue() == Queue::Compute).then(|| {
        Verdict::new("the packet needs the graphics pipe, and this is a compute queue: illegal opcode").help("submit the stream to the graphics queue")
    })
}

fn not_broadcast(view: &crate::cp::DrawView<'_>) -> Option<Verdict> {
    let place = view.history().not_broadcast.filter(|_| !view.history().counter_window)?;
    Some(
        Verdict::new("GRBM_GFX_INDEX selects a part of the chip at a draw: registers written since reached only that part")
            .register("GRBM_GFX_INDEX")
            .note("GRBM_GFX_INDEX was written without broadcast", Some(place))
            .help("write 0xe0000000 (broadcast) to GRBM_GFX_INDEX, and then write the registers of the draw again"),
    )
}

fn outside_window(view: &WriteView<'_>) -> Option<Verdict> {
    if !view.is_outside_window() || PRIVILEGED_VRS.contains(&view.addr()) {
        return None;
    }
    let (addr, space, end) = (view.addr(), view.space(), window_end(view.chip().gfx(), view.space()));
    let verdict = Verdict::new(format!(
        "the packet writes 0x{:08x} to 0x{addr:05x}, but the {space} window ends at 0x{end:05x}: the command processor rejects the access",
        view.value()
    ));
    let help = match lookup(view.chip().gfx(), addr) {
        Some(register) if register.info().space() != Space::Privileged => {
            format!("{register} is a register of the {} space: use its SET packet", register.info().space())
        }
        Some(register) => format!("{register} is privileged: only the kernel may write it"),
        None => "the offset counts dwords from the start of the window, in bits 15:0 of the first body dword".into(),
    };
    Some(verdict.register(format!("0x{addr:05x}")).help(help))
}

fn no_register(view: &WriteView<'_>) -> Option<Verdict> {
    let (gfx, addr, value) = (view.chip().gfx(), view.addr(), view.value());
    // REG-01 judges addresses outside all windows. The database describes only those privileged registers (REG-03) that concern user mode.
    if view.is_outside_window() || matches!(view.space(), Space::Config | Space::Privileged) {
        return None;
    }
    let named = |text| Verdict::new(text).register(format!("0x{addr:05x}"));
    let pops = POPS_HOMES.iter().find(|(home, _, _)| *home == addr);
    if value == 0 && (view.within || !view.loaded) {
        // Drivers clear runs including their gaps. AMD's own programs clear such addresses individually (libdrm tests 2.4.124: 0x28018 on GFX10), as does RADV
        // on GFX9 (0x30900).
        let meant = pops.map(|(_, name, generations)| format!(", {name} of {generations}")).unwrap_or_default();
        let (run, help) = if view.within {
            (" inside a run of registers", "nothing needs to be done; two runs in place of one save dwords where the gap has more than two registers")
        } else {
            ("", "nothing needs to be done, unless the 0 was meant for a register of another generation")
        };
        let verdict = named(format!("the packet writes 0 to 0x{addr:05x}{run}{meant}; {gfx} has no register there")).severity(Severity::Info).help(help);
        return Some(match array_elsewhere(view, &elsewhere(gfx, addr)) {
            Some(note) => verdict.note(note, None),
            None => verdict,
        });
    }
    // A range is loaded including its holes: the contents of memory there were not meant for a register (Mesa 25.0.7 ac_shadowed_regs.c).
    if view.loaded && (value == 0 || pops.is_none()) {
        let text = format!("0x{value:08x} is loaded to 0x{addr:05x} inside a range of registers; {gfx} has no register there");
        let info = || named(text).severity(Severity::Info).help("nothing needs to be done, unless the memory was made for another generation");
        return (value != 0).then(info);
    }
    let is_seen = |seen: &&SeenInHole| (seen.addr, seen.value) == (addr, value) && (seen.first..=seen.last).contains(&gfx.version());
    if let Some(SeenInHole { by, .. }) = SEEN_IN_HOLES.iter().find(is_seen) {
        let text = format!("0x{value:08x} is written to 0x{addr:05x}, where {gfx} has no register; the write is lost");
        return Some(named(text).severity(Severity::Info).note(format!("programs write it without known harm ({by})"), None));
    }
    // If programs for an older generation, or for another one with the same major number (libdrm tests 2.4.124), write a different register there, it is
    // unclear for which one the value was meant, unless it is what drivers write to DB_DFSM_CONTROL: punch-out off, with or without the drain (POPS article).
    let akin = |other: &Gfx| *other < gfx || other.major() == gfx.major();
    let other_register = |there: RegRef| POPS_HOMES.iter().all(|(_, name, _)| there.info().name != *name);
    let elsewhere = elsewhere(gfx, addr);
    let ambiguous = elsewhere.iter().filter(|(other, _)| akin(other)).any(|(_, there)| other_register(*there));
    let certain = |name: &str| !ambiguous || name == "DB_DFSM_CONTROL" && matches!(value, 2 | 6);
    if let Some((_, name, generations)) = pops.filter(|(_, name, _)| certain(name)) {
        let effect = match crate::regs::find(gfx, name) {
            Some(_) => format!("the write does not reach {name}, and an ordered draw would run with its old value"),
            None => "the value is lost".into(),
        };
        let text = format!("0x{value:08x} is written to 0x{addr:05x}, {name} of {generations}; {gfx} has no register there: {effect}");
        return Some(named(text).severity(if view.loaded { Severity::Warning } else { Severity::Error }).help(place_here(gfx, name)));
    }
    let names = names_of(&elsewhere);
    let place = match names.as_slice() {
        [] => format!("where {gfx} has no register"),
        names => {
            let names: Vec<String> = names.iter().map(|(name, generations)| format!("{name} on {}", all_of(generations))).collect();
            format!("which is {}; {gfx} has no register there", names.join("; "))
        }
    };
    let text = format!("0x{value:08x} is written to 0x{addr:05x}, {place}: the write is lost, or hits something that no public header names");
    let here: Vec<String> = names.iter().filter_map(|(name, _)| Some(is_at(gfx, name, crate::regs::find(gfx, name)?))).collect();
    let help = match here.as_slice() {
        [] => "check that the offset was made for this generation and counts dwords from the start of the window".into(),
        here => format!("{}: build the packet with the addresses of this generation", here.join("; ")),
    };
    let verdict = named(text).help(help);
    Some(match array_elsewhere(view, &elsewhere) {
        Some(note) => verdict.note(note, None),
        None => verdict,
    })
}

/// Returns the registers that other generations have at an address, oldest generation first.
fn elsewhere(gfx: Gfx, addr: u32) -> Vec<(Gfx, RegRef)> {
    Gfx::iter().filter(|other| *other != gfx).filter_map(|other| Some((other, lookup(other, addr)?))).collect()
}

/// Returns the names of registers with the generations that use each name, in order.
fn names_of(elsewhere: &[(Gfx, RegRef)]) -> Vec<(String, Vec<&'static str>)> {
    let mut names: Vec<(String, Vec<&'static str>)> = Vec::new();
    for (other, there) in elsewhere.iter().map(|(other, there)| (*other, there.to_string())) {
        match names.iter_mut().find(|(name, _)| *name == there) {
            Some((_, generations)) => generations.push(other.into()),
            None => names.push((there, vec![other.into()])),
        }
    }
    names
}

fn is_at(gfx: Gfx, name: &str, here: RegRef) -> String {
    format!("{name} is at 0x{:05x} on {gfx}", here.addr())
}

/// Returns the address on this generation of a register on which POPS depends.
fn place_here(gfx: Gfx, name: &str) -> String {
    match crate::regs::find(gfx, name) {
        Some(here) => format!("{}: build the packet with the addresses of this generation", is_at(gfx, name, here)),
        None => format!("{gfx} has no {name}: leave the write out on this generation"),
    }
}

/// If another generation has an array element at the address, returns the registers of this generation at the addresses of the other elements that were
/// written.
fn array_elsewhere(view: &WriteView<'_>, elsewhere: &[(Gfx, RegRef)]) -> Option<String> {
    let gfx = view.chip().gfx();
    let (other, there) = elsewhere.iter().find(|(_, there)| there.info().count > 1)?;
    let array = there.info();
    let hit: Vec<RegRef> = (0..array.count)
        .map(|element| array.addr + element * array.stride)
        .filter(|addr| view.registers().origin(*addr).is_some())
        .filter_map(|addr| lookup(gfx, addr))
        .filter(|here| here.info().name != array.name)
        .collect();
    let registers = match hit.as_slice() {
        [] => return None,
        [one] => format!("{one} of {gfx}"),
        [first, .., last] => format!("{} registers of {gfx}, {first} to {last}", hit.len()),
    };
    Some(format!("{other} has {there} at this address; if the stream was made for {other}, writes to that array have hit {registers}"))
}

/// A value that programs write where a generation has no register.
struct SeenInHole {
    addr: u32,
    value: u32,
    /// Versions of the generations, first and last.
    first: (u8, u8),
    last: (u8, u8),
    /// The programs that write it.
    by: &'static str,
}

const SEEN_IN_HOLES: &[SeenInHole] = &[
    SeenInHole { addr: 0x28848, value: 0x200, first: (10, 1), last: (10, 1), by: "libdrm tests 2.4.124 on all of GFX10: PA_CL_VRS_CNTL of GFX10.3" },
    SeenInHole {
        addr: 0x36784,
        value: u32::MAX,
        first: (10, 1),
        last: (12, 0),
        by: "Mesa 2026 si_pc_emit_shaders on all generations: SQ_PERFCOUNTER_MASK of GFX9",
    },
];

/// Addresses of the POPS registers on all generations: address, name, generations (POPS article; register headers).
const POPS_HOMES: &[(u32, &str, &str)] = &[
    (0x28010, "DB_RENDER_OVERRIDE2", "gfx9 to gfx12"),
    (0x28018, "DB_Z_INFO", "gfx12"),
    (0x28038, "DB_DFSM_CONTROL", "gfx10 and gfx103 (gfx9: DB_Z_INFO)"),
    (0x28040, "DB_Z_INFO", "gfx10 to gfx115"),
    (0x28060, "DB_DFSM_CONTROL", "gfx9"),
    (0x2806C, "DB_SHADER_CONTROL", "gfx12"),
    (0x28650, "SPI_SHADER_Z_FORMAT", "gfx12"),
    (0x28654, "SPI_SHADER_COL_FORMAT", "gfx12"),
    (0x28710, "SPI_SHADER_Z_FORMAT", "gfx9 to gfx115"),
    (0x28714, "SPI_SHADER_COL_FORMAT", "gfx9 to gfx115"),
    (0x2880C, "DB_SHADER_CONTROL", "gfx9 to gfx115"),
    (0x28BE0, "PA_SC_AA_CONFIG", "gfx9 to gfx12"),
    (0x28C40, "PA_SC_SHADER_CONTROL", "gfx9 to gfx115"),
    (0x28C58, "PA_SC_SHADER_CONTROL", "gfx12"),
];
