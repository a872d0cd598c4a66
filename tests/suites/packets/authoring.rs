//! The rules that the writer enforces: for each rule of the model about packets, a packet that breaks it and is refused, or the reason why only the model can
//! judge.
//!
//! docs/authoring.md is generated from the table: `PM4_WRITE_DOCS=1` rewrites it.

use crate::support;
use pm4::chip::Gfx::{self, Gfx9, Gfx10, Gfx11, Gfx12, Gfx103, Gfx115};
use pm4::cp::rules;
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{
    Event, Firmware, Header, IbKind, Opcode, PreparedState, Queue, Queue::Compute, Queue::Constant, Queue::Graphics, Reader, ShaderType, Stream, WriteError,
    Writer, WriterOptions,
};
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the writer does about a rule.
enum Kept {
    /// It refuses packets like these.
    Refused(&'static [Case]),
    /// It refuses packets like these, and cannot detect the others.
    InPart(&'static [Case], &'static str),
    /// No request to the writer can break the rule.
    Always(&'static str),
    /// It cannot detect a violation.
    Model(&'static str),
}
use Kept::{Always, InPart, Model, Refused};

/// The writer of the packet, the packet, and the expected error.
struct Case(&'static [Gfx], Queue, fn(&mut Stream) -> Result<(), WriteError>, &'static str);

const ALL: &[Gfx] = &[Gfx9, Gfx10, Gfx103, Gfx11, Gfx115, Gfx12];
const GFX11: &[Gfx] = &[Gfx11, Gfx115];
const GFX11_ALONE: &[Gfx] = &[Gfx11];
const FROM_GFX10: &[Gfx] = &[Gfx10, Gfx103, Gfx11, Gfx115, Gfx12];
const FROM_GFX11: &[Gfx] = &[Gfx11, Gfx115, Gfx12];
const TO_GFX103: &[Gfx] = &[Gfx9, Gfx10, Gfx103];

const STATE: &str = "state of several packets; `draw` resolves it right";
const MEMORY: &str = "depends on what memory holds";
const HINT: &str = "severity `info`: it costs only speed";
const ORDER: &str = "depends on the packets before it";

/// SET_SH_REG_PAIRS_PACKED_N of this many registers, without its header.
fn small_list(count: u32) -> Vec<u32> {
    let groups = (0..count / 2).flat_map(|n| [(8 * n) | ((8 * n + 4) << 16), 0, 0]);
    [count].into_iter().chain(groups).collect()
}

fn old(stream: &mut Stream, firmware: Firmware) {
    stream.set_options(WriterOptions { firmware, ..WriterOptions::default() });
}

fn with_flag(opcode: Opcode, body: &[u32], flag: fn(Header) -> Header, stream: &mut Stream) -> Result<(), WriteError> {
    stream.packet_with(flag(Header::type3(opcode, body.len())), body)
}

/// RELEASE_MEM that writes 32 bits to 0x1000.
const RELEASE: [u32; 7] = [0x528, 0x2000_0000, 0x1000, 0, 1, 0, 0];

fn release(stream: &mut Stream, change: impl Fn(&mut [u32; 7])) -> Result<(), WriteError> {
    let mut body = RELEASE;
    change(&mut body);
    if stream.gfx() == Gfx9 && stream.queue() == Graphics {
        stream.event_at(Event::ZPASS_DONE, 0x1000)?;
    }
    stream.packet(Opcode::RELEASE_MEM, &body)
}

/// ACQUIRE_MEM of all memory, with this control word and these cache actions.
fn acquire(stream: &mut Stream, control: u32, gcr: u32) -> Result<(), WriteError> {
    acquire_range(stream, control, [u32::MAX, 0xFF, 0, 0], gcr)
}

fn acquire_range(stream: &mut Stream, control: u32, [size, size_hi, base, base_hi]: [u32; 4], gcr: u32) -> Result<(), WriteError> {
    let body = [control, size, size_hi, base, base_hi, 10, gcr];
    stream.packet(Opcode::ACQUIRE_MEM, if stream.gfx() == Gfx9 { &body[..6] } else { &body })
}

/// The form with pixel wait sync.
fn wait_sync(stream: &mut Stream, stage: u32, gcr: u32) -> Result<(), WriteError> {
    stream.packet(Opcode::ACQUIRE_MEM, &[stage << 11 | 1 << 17, u32::MAX, 0x1FF_FFFF, 0, 0, 1 << 31, gcr])
}

const TABLE: &[(&str, Kept)] = &[
    ("ENC-01", Always("the count of a header is that of the body")),
    (
        "ENC-02",
        Refused(&[
            Case(ALL, Compute, |s| s.draw_index_auto(3, DrawInitiator::AUTO_INDEX), "does not exist on the Compute queue"),
            Case(ALL, Compute, |s| s.packet(Opcode::DRAW_INDEX_AUTO, &[3, 2]), "does not exist on the Compute queue"),
            Case(GFX11, Graphics, |s| s.packet(Opcode::MEM_SEMAPHORE, &[0, 0, 6 << 29]), "does not exist on the Graphics queue"),
            Case(ALL, Graphics, |s| s.packet(Opcode(0xFB), &[0]), "does not exist"),
            Case(ALL, Compute, |s| s.packet(Opcode::SET_QUEUE_REG, &[0, 0]), "only the kernel driver may write"),
        ]),
    ),
    (
        "ENC-03",
        Refused(&[
            Case(ALL, Graphics, |s| s.packet(Opcode::DRAW_INDEX_AUTO, &[3, 2, 0]), "of 4 dwords: it does not have this size on the Graphics queue"),
            Case(ALL, Graphics, |s| s.packet(Opcode::DRAW_INDEX_AUTO, &[]), "DRAW_INDEX_AUTO without a body: only NOP may have none"),
            Case(ALL, Graphics, |s| s.nop(&[0; 0x4001]), "a body of 16385 dwords is too long: a packet has at most 16383"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG, &[0]), "the fixed fields are followed by 0 dwords"),
            Case(FROM_GFX11, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS, &[0, 1, 2]), "does not have this size"),
        ]),
    ),
    ("ENC-04", Refused(&[Case(ALL, Graphics, |s| s.packet_with(Header(0x0000_2000), &[0]), "does not describe a type 3 packet")])),
    ("ENC-05", Refused(&[Case(ALL, Graphics, |s| s.packet_with(Header::FILLER, &[]), "does not describe a type 3 packet")])),
    ("ENC-06", Refused(&[Case(ALL, Graphics, |s| s.packet_with(Header(0xC000_2F08), &[1]), "sets a reserved bit")])),
    ("ENC-07", Refused(&[Case(ALL, Compute, |s| with_flag(Opcode::NOP, &[0], |h| h.with_reset_filter_cam(true), s), "sets reset_filter_cam")])),
    ("ENC-08", Refused(&[Case(&[Gfx9], Graphics, |s| with_flag(Opcode::NOP, &[0], |h| h.with_reset_filter_cam(true), s), "sets reset_filter_cam")])),
    ("ENC-09", Refused(&[Case(GFX11, Graphics, |s| with_flag(Opcode::SET_CONTEXT_REG_PAIRS, &[0, 1], |h| h, s), "does not set reset_filter_cam")])),
    (
        "ENC-10",
        Refused(&[Case(
            FROM_GFX10,
            Graphics,
            |s| {
                s.set_reg(0x30800, 0)?;
                with_flag(Opcode::SET_CONTEXT_REG, &[0, 1], |h| h, s)
            },
            "does not set reset_filter_cam",
        )]),
    ),
    ("ENC-11", Refused(&[Case(ALL, Compute, |s| with_flag(Opcode::NOP, &[0], |h| h.with_predicate(true), s), "sets predicate")])),
    (
        "ENC-12",
        Refused(&[
            Case(TO_GFX103, Graphics, |s| s.packet(Opcode::CLEAR_STATE, &[0x100]), "dword 1 sets reserved bits 0x00000100"),
            Case(ALL, Compute, |s| s.packet(Opcode::SET_SH_REG, &[0x1_0240, 1]), "reserved bits 0x00010000"),
            Case(ALL, Graphics, |s| s.packet(Opcode::LOAD_CONTEXT_REG, &[0x1000, 0, 0x1_0000, 4]), "dword 3 sets reserved bits 0x00010000"),
        ]),
    ),
    (
        "ENC-14",
        Refused(&[
            Case(GFX11, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[1, 0x4_0000, 1, 2]), "must be the number of registers"),
            Case(GFX11, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[4, 0x4_0000, 1, 2]), "must be the number of registers"),
        ]),
    ),
    (
        "ENC-15",
        Refused(&[Case(
            GFX11,
            Graphics,
            |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[2, 0x4_0004, 1, 2]),
            "two adjacent entries must not set the same register",
        )]),
    ),
    (
        "ENC-16",
        Refused(&[
            Case(
                GFX11,
                Graphics,
                |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[4, 0x8_0004, 1, 2, 0x4_0004, 3, 1]),
                "two adjacent entries must not set the same register",
            ),
            Case(
                GFX11,
                Graphics,
                |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[6, 0x8_0004, 1, 2, 0xC_0004, 3, 1, 0x4_0010, 0, 1]),
                "the fill entry repeats an old value",
            ),
        ]),
    ),
    (
        "ENC-17",
        Refused(&[
            Case(GFX11, Graphics, |s| s.packet(Opcode::SET_SH_REG_PAIRS_PACKED_N, &small_list(16)), "at most 14 registers in this form"),
            Case(
                GFX11,
                Graphics,
                |s| {
                    old(s, Firmware { pfp: 1462, ..Firmware::default() });
                    s.packet(Opcode::SET_SH_REG_PAIRS_PACKED_N, &small_list(10))
                },
                "at most 8 registers in this form before PFP firmware 1463, 14 from it on",
            ),
        ]),
    ),
    (
        "ENC-18",
        Refused(&[
            Case(
                GFX11,
                Graphics,
                |s| {
                    old(s, Firmware { pfp: 1447, ..Firmware::default() });
                    s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[2, 0x4_0000, 1, 2])
                },
                "needs Pfp firmware 1448",
            ),
            Case(
                GFX11,
                Compute,
                |s| {
                    old(s, Firmware { mec: 462, ..Firmware::default() });
                    s.packet(Opcode::SET_SH_REG_PAIRS_PACKED, &[2, 0x244_0240, 1, 2])
                },
                "needs Mec firmware 463",
            ),
            Case(
                GFX11,
                Graphics,
                |s| {
                    old(s, Firmware { pfp: 40, ..Firmware::default() });
                    s.packet(Opcode::SET_CONTEXT_REG_PAIRS, &[0, 1])
                },
                "needs Pfp firmware 41",
            ),
            Case(
                GFX11,
                Graphics,
                |s| {
                    old(s, Firmware { pfp: 1457, ..Firmware::default() });
                    s.packet(Opcode::EVENT_WRITE_ZPASS, &[0x1000, 0])
                },
                "needs Pfp firmware 1458",
            ),
            Case(
                GFX11,
                Graphics,
                |s| {
                    old(s, Firmware { pfp: 2239, ..Firmware::default() });
                    s.packet(Opcode::PERF_COUNTER_WINDOW, &[7])
                },
                "needs Pfp firmware 2240",
            ),
            Case(
                &[Gfx9],
                Graphics,
                |s| {
                    old(s, Firmware { me: 25, ..Firmware::default() });
                    s.packet(Opcode::SET_UCONFIG_REG_INDEX, &[0x2000_0243, 1])
                },
                "needs Me firmware 26",
            ),
            // State encoded for newer firmware.
            Case(
                &[Gfx9],
                Graphics,
                |s| {
                    old(s, Firmware { me: 25, ..Firmware::default() });
                    PreparedState::new(Gfx9, Graphics, &mut [(0x3090C, 1)].into_iter().collect())?.bind(s)
                },
                "needs Me firmware 26",
            ),
            Case(
                &[Gfx9],
                Graphics,
                |s| {
                    old(s, Firmware { me_feature: 51, ..Firmware::default() });
                    s.packet(Opcode::SET_PREDICATION, &[4 << 16, 0x1000, 0])
                },
                "needs ME feature version 52",
            ),
            Case(
                &[Gfx10, Gfx103],
                Graphics,
                |s| {
                    old(s, Firmware { me_feature: 31, ..Firmware::default() });
                    s.packet(Opcode::SET_PREDICATION, &[4 << 16, 0x1000, 0])
                },
                "needs ME feature version 32",
            ),
            Case(
                &[Gfx10, Gfx103],
                Graphics,
                |s| {
                    old(s, Firmware { me_feature: 26, ..Firmware::default() });
                    s.packet(Opcode::SET_SH_REG_OFFSET, &[0x4000_0010, 0, 0])
                },
                "needs ME feature version 27",
            ),
            Case(
                &[Gfx9],
                Constant,
                |s| {
                    old(s, Firmware { me: 29, ..Firmware::default() });
                    s.packet(Opcode::DUMP_CONST_RAM_OFFSET, &[0, 4, 0])
                },
                "needs Me firmware 30",
            ),
            Case(
                &[Gfx103],
                Graphics,
                |s| {
                    old(s, Firmware { me_feature: 38, ..Firmware::default() });
                    s.packet(Opcode::LOAD_SH_REG_INDEX, &[0x1002, 0, 0x10, 1])
                },
                "needs ME feature version 39",
            ),
        ]),
    ),
    (
        "ENC-19",
        Refused(&[
            Case(&[Gfx12], Graphics, |s| s.packet(Opcode::SET_SH_REG_PAIRS_PACKED, &[2, 0x4_0000, 1, 2]), "does not exist"),
            Case(GFX11, Graphics, |s| s.packet(Opcode::SET_SH_REG_PAIRS_PACKED_GFX12, &[2, 0x4_0000, 1, 2]), "does not exist"),
        ]),
    ),
    (
        "ENC-20",
        Refused(&[
            Case(ALL, Compute, |s| s.packet(Opcode::MAP_QUEUES, &[0x2005_0000, 0x460, 0x1000, 1, 0x2000, 1]), "only the kernel driver"),
            Case(ALL, Compute, |s| s.packet(Opcode::RUN_LIST, &[0x1000, 1, 0x80_0008]), "only the kernel driver"),
        ]),
    ),
    (
        "REG-01",
        Refused(&[
            Case(ALL, Graphics, |s| s.set_reg(0x1000, 0), "is outside the windows"),
            Case(ALL, Graphics, |s| s.set_regs(0x28FFC, &[0, 0]), "is outside the windows"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG, &[0x3FF, 0, 0]), "leave the window"),
            Case(FROM_GFX11, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS, &[0x400, 0]), "leave the window"),
            Case(ALL, Graphics, |s| s.packet(Opcode::CONTEXT_REG_RMW, &[0x400, 0, 0]), "leave the window"),
            Case(ALL, Graphics, |s| s.packet(Opcode::REG_RMW, &[0xA000, 0, 0]), "must be a register of the uconfig window"),
            // The second dword of an address lies past the window.
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_SH_REG_OFFSET, &[0x3FF, 0, 0]), "leave the window"),
        ]),
    ),
    ("REG-02", Model("a warning: RADV writes 0x30900 on GFX9, where no list has a register")),
    (
        "REG-03",
        Refused(&[
            Case(ALL, Graphics, |s| s.set_reg(0x8010, 0), "register 0x8010 is a config register: only the kernel driver may write it"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_CONFIG_REG, &[0, 0]), "only the kernel driver may write"),
            Case(ALL, Graphics, |s| s.set_reg(0x2A500, 0), "is outside the windows"),
            // A page-table base, and a counter of the config window that is not the destination of a performance counter.
            Case(ALL, Graphics, |s| s.packet(Opcode::WRITE_DATA, &[0, 0x54F, 0, 1]), "uconfig window"),
            Case(ALL, Graphics, |s| s.packet(Opcode::COPY_DATA, &[5, 1, 0, 0x2340, 0]), "uconfig window"),
        ]),
    ),
    ("REG-04", Always("`set_reg` writes the type of the register; lists do unless `WriterOptions::sh_by_type` is off. No error either way")),
    ("REG-05", Always("`set_reg`, `set_regs` and lists write registers with their index unless `WriterOptions::indexed` is off")),
    (
        "REG-06",
        Refused(&[
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_UCONFIG_REG_INDEX, &[0x2000_0243, 1, 2]), "must be alone"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG, &[0x2000_02D6, 1, 2]), "must be alone"),
        ]),
    ),
    ("REG-07", Model("a warning: `set_reg` writes any number; a typed register sets fields alone, but keeps other bits of the number that it was made from")),
    ("REG-08", Model("a warning: `set_reg` writes any number; of typed registers narrow fields have no value without a name, wide ones take any")),
    (
        "REG-09",
        Refused(&[
            // PA_CL_VPORT_XSCALE without the rest; a scissor's first corner; the guard band without its last register.
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG, &[0x10F, 0]), "must be written as a whole"),
            Case(FROM_GFX11, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG_PAIRS, &[0x94, 0]), "must be written as a whole"),
            Case(GFX11, Graphics, |s| s.packet(Opcode::SET_CONTEXT_REG, &[0x2FA, 0, 0, 0]), "must be written as a whole"),
            Case(ALL, Graphics, |s| s.set_reg(0x28250, 0), "covers only a part of the registers 0x28250 to 0x28254"),
            Case(ALL, Graphics, |s| s.set_regs(0x28254, &[0; 3]), "covers only a part of the registers 0x28250 to 0x28254"),
            Case(ALL, Graphics, |s| s.set_regs(0x28438, &[0; 6]), "which must be written together"),
            Case(&[Gfx12], Graphics, |s| s.set_regs(0x2843C, &[0; 6]), "covers only a part of the registers 0x2843c to 0x28458"),
            Case(
                ALL,
                Graphics,
                |s| s.set_list(&mut [(0x28250, 0), (0x28258, 0), (0x2825C, 0)].into_iter().collect()),
                "covers only a part of the registers 0x28250 to 0x28254",
            ),
        ]),
    ),
    ("REG-10", Model("what a register holds may come from another buffer")),
    ("REG-11", Model("shadowing is the kernel's and the preamble's choice")),
    ("REG-12", Model("CONTEXT_CONTROL may be in another buffer")),
    ("REG-13", Model(MEMORY)),
    (
        "REG-14",
        Refused(&[
            Case(ALL, Compute, |s| s.set_reg(0x28000, 0), "does not exist on the Compute queue"),
            Case(ALL, Compute, |s| s.set_list(&mut [(0x28000, 0)].into_iter().collect()), "does not exist on the Compute queue"),
        ]),
    ),
    ("REG-15", Model("a draw per instance may be meant")),
    ("REG-16", Model("a kernel writes them with the same packets")),
    ("REG-17", Model("the value alone shows that another register was meant")),
    ("REG-18", Model("the words of a program come from its compiler")),
    ("STA-01", Model(STATE)),
    ("STA-02", Model("`draw::Recorder` writes the index type again; a plain stream may have it in another buffer")),
    (
        "STA-03",
        Refused(&[
            Case(&[Gfx10], Graphics, |s| s.index_buffer_size(0), "hangs GFX10.1"),
            Case(&[Gfx10], Graphics, |s| s.draw_index_2(0, 0x1000, 3, DrawInitiator::INDICES), "hangs GFX10.1"),
            Case(&[Gfx10], Graphics, |s| s.packet(Opcode::DRAW_INDEX_OFFSET_2, &[0, 0, 3, 0]), "hangs GFX10.1"),
        ]),
    ),
    ("STA-04", Model(STATE)),
    ("STA-05", Model(STATE)),
    ("STA-06", Model(STATE)),
    ("STA-07", Model(STATE)),
    ("STA-08", Model(STATE)),
    ("STA-09", Model(STATE)),
    ("STA-10", Model(STATE)),
    ("STA-11", Model(STATE)),
    ("STA-12", Model(STATE)),
    ("STA-13", Model(STATE)),
    ("STA-14", Model(STATE)),
    ("STA-15", Model(STATE)),
    ("STA-16", Model(STATE)),
    ("STA-17", Model(STATE)),
    ("STA-18", Model(STATE)),
    ("STA-19", Model(STATE)),
    ("STA-20", Model(STATE)),
    ("STA-21", Model(STATE)),
    ("STA-22", Model(STATE)),
    (
        "STA-23",
        Refused(&[
            Case(ALL, Graphics, |s| s.draw_index_auto(3, DrawInitiator::AUTO_INDEX.with_use_opaque(true)), "must be 0 with USE_OPAQUE"),
            Case(ALL, Graphics, |s| s.packet(Opcode::DRAW_INDEX_AUTO, &[3, 0x42]), "must be 0 with USE_OPAQUE"),
        ]),
    ),
    (
        "STA-24",
        Refused(&[
            Case(ALL, Graphics, |s| s.packet(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 0]), "COMPUTE_SHADER_EN must be set"),
            Case(ALL, Graphics, |s| with_flag(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 1], |h| h, s), "does not set shader_type"),
            Case(ALL, Graphics, |s| with_flag(Opcode::DISPATCH_INDIRECT, &[0, 1], |h| h.with_shader_type(ShaderType::Graphics), s), "does not set shader_type"),
        ]),
    ),
    (
        "STA-25",
        Refused(&[
            Case(&[Gfx12], Graphics, |s| s.packet(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 0x4_0021]), "INTERLEAVE_2D_EN excludes"),
            Case(&[Gfx12], Compute, |s| s.packet(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 0x1003]), "PING_PONG_EN excludes"),
        ]),
    ),
    ("STA-26", Model(STATE)),
    ("STA-27", Model(STATE)),
    ("STA-28", Model(HINT)),
    ("STA-29", Model(STATE)),
    ("STA-30", Model("the rings may be written in a submission before it")),
    ("STA-31", Model(STATE)),
    ("STA-32", Model(STATE)),
    ("STA-33", Model(STATE)),
    ("STA-34", Model(STATE)),
    ("STA-35", Model(STATE)),
    ("STA-36", Model(STATE)),
    ("STA-37", Model(STATE)),
    ("STA-38", Model(STATE)),
    ("STA-39", Model(STATE)),
    ("STA-40", Model(STATE)),
    ("STA-41", Model(STATE)),
    ("STA-42", Model(STATE)),
    ("STA-43", Model(STATE)),
    ("STA-44", Model(STATE)),
    ("STA-45", Model(STATE)),
    ("STA-46", Model(STATE)),
    ("STA-47", Model(STATE)),
    ("STA-48", Model(STATE)),
    ("STA-49", Model(STATE)),
    ("STA-50", Model(STATE)),
    ("STA-51", Model(STATE)),
    ("STA-52", Model(STATE)),
    ("STA-53", Model(STATE)),
    ("STA-54", Model(STATE)),
    ("STA-55", Model(STATE)),
    ("STA-56", Model(STATE)),
    ("STA-57", Model(STATE)),
    ("STA-58", Model(STATE)),
    ("STA-59", Model(STATE)),
    ("STA-60", Model(STATE)),
    ("STA-61", Model(STATE)),
    ("STA-62", Model(STATE)),
    ("STA-63", Model(STATE)),
    ("STA-64", Model(STATE)),
    ("STA-65", Model(STATE)),
    ("STA-66", Model(STATE)),
    ("STA-67", Model(STATE)),
    ("STA-68", Model(STATE)),
    ("STA-69", Model("user data may be anything")),
    (
        "SYN-01",
        Refused(&[
            Case(ALL, Graphics, |s| s.event(Event::BOTTOM_OF_PIPE_TS), "is a timestamp event"),
            Case(ALL, Graphics, |s| s.packet(Opcode::EVENT_WRITE, &[20]), "is a timestamp event"),
        ]),
    ),
    (
        "SYN-02",
        Refused(&[
            Case(ALL, Graphics, |s| release(s, |b| b[0] = 0x510), "PS_DONE or CS_DONE is needed"),
            Case(ALL, Graphics, |s| release(s, |b| b[0] = 0x628), "5 for end-of-pipe timestamps"),
            Case(ALL, Compute, |s| release(s, |b| b[0] = 0x52F), "6 for PS_DONE and CS_DONE"),
        ]),
    ),
    (
        "SYN-03",
        Refused(&[
            // PS_DONE with a write-back: TC_WB on GFX9, GL2_WB later.
            Case(&[Gfx9], Graphics, |s| release(s, |b| b[0] = 0x8630), "cannot have cache actions"),
            Case(&[Gfx10, Gfx103, Gfx11, Gfx115], Graphics, |s| release(s, |b| b[0] = 0x20_0630), "cannot have cache actions"),
            Case(&[Gfx9, Gfx10, Gfx103, Gfx11, Gfx115], Graphics, |s| release(s, |b| *b = [0x630, 0, 0, 0, 0, 0, 0]), "write 32 or 64 bits"),
        ]),
    ),
    (
        "SYN-04",
        Refused(&[
            Case(&[Gfx9], Graphics, |s| s.packet(Opcode::RELEASE_MEM, &RELEASE), "the packet before must be"),
            Case(
                &[Gfx9],
                Graphics,
                |s| {
                    s.event_at(Event::ZPASS_DONE, 0x1000)?;
                    s.nop(&[])?;
                    s.packet(Opcode::RELEASE_MEM, &RELEASE)
                },
                "the packet before must be",
            ),
            Case(
                &[Gfx9],
                Graphics,
                |s| {
                    s.event_at(Event::ZPASS_DONE, 0x1000)?;
                    s.raw(&[0xFFFF_1000])?;
                    s.packet(Opcode::RELEASE_MEM, &RELEASE)
                },
                "the packet before must be",
            ),
        ]),
    ),
    (
        "SYN-05",
        Refused(&[
            Case(ALL, Graphics, |s| release(s, |b| b[2] = 0), "data needs an address"),
            Case(ALL, Graphics, |s| release(s, |b| b[2] = 0x1002), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| release(s, |b| (b[1], b[2]) = (0x4000_0000, 0x1004)), "is not a multiple of 8"),
        ]),
    ),
    (
        "SYN-06",
        Refused(&[
            Case(TO_GFX103, Graphics, |s| release(s, |b| b[0] |= 1 << 30), "reserved bits 0x40000000"),
            Case(TO_GFX103, Graphics, |s| release(s, |b| b[0] |= 1 << 31), "reserved bits 0x80000000"),
            Case(TO_GFX103, Graphics, |s| release(s, |b| b[0] |= 1 << 24), "reserved bits 0x01000000"),
        ]),
    ),
    ("SYN-07", Refused(&[Case(FROM_GFX11, Graphics, |s| acquire(s, 1 << 25, 0), "no CB and DB actions")])),
    (
        "SYN-08",
        Refused(&[
            Case(FROM_GFX11, Graphics, |s| wait_sync(s, 0, 1 << 14), "cache actions need the stage"),
            Case(GFX11, Graphics, |s| wait_sync(s, 2, 0), "the stage pre_color hangs"),
        ]),
    ),
    (
        "SYN-09",
        Refused(&[
            Case(FROM_GFX11, Compute, |s| wait_sync(s, 4, 0), "reserved bits"),
            Case(FROM_GFX11, Compute, |s| release(s, |b| b[0] |= 1 << 31), "reserved bits 0x80000000"),
        ]),
    ),
    (
        "SYN-10",
        Refused(&[
            Case(GFX11_ALONE, Graphics, |s| s.event(Event::DB_CACHE_FLUSH_AND_INV), "may hang GFX11"),
            Case(GFX11_ALONE, Graphics, |s| release(s, |b| b[0] = 0x504), "may hang GFX11"),
        ]),
    ),
    ("SYN-11", Refused(&[Case(ALL, Graphics, |s| s.packet(Opcode::EVENT_WRITE, &[16]), "the index must fit the event")])),
    (
        "SYN-12",
        Refused(&[
            Case(ALL, Graphics, |s| s.event(Event::PIXEL_PIPE_STAT_DUMP), "needs an address"),
            Case(ALL, Graphics, |s| s.packet(Opcode::EVENT_WRITE, &[0x424, 8, 0]), "the index must fit"),
            Case(ALL, Graphics, |s| s.packet(Opcode::EVENT_WRITE, &[0x410, 8, 0]), "must not have an address"),
            Case(ALL, Graphics, |s| s.event_at(Event::PIXEL_PIPE_STAT_DUMP, 4), "is not a multiple of 8"),
            Case(ALL, Graphics, |s| s.event_at(Event::CS_PARTIAL_FLUSH, 8), "must not have an address"),
            Case(ALL, Compute, |s| s.event_at(Event::CS_PARTIAL_FLUSH, 8), "must not have an address"),
        ]),
    ),
    ("SYN-13", Refused(&[Case(ALL, Compute, |s| s.event_at(Event::PIXEL_PIPE_STAT_DUMP, 8), "compute queues do not have")])),
    (
        "SYN-14",
        Refused(&[
            Case(ALL, Compute, |s| s.packet(Opcode::PFP_SYNC_ME, &[0]), "does not exist on the Compute queue"),
            Case(ALL, Compute, |s| s.event(Event::PS_PARTIAL_FLUSH), "compute queues do not have"),
            Case(ALL, Compute, |s| s.event(Event::VGT_FLUSH), "compute queues do not have"),
            Case(ALL, Compute, |s| s.packet(Opcode::WAIT_REG_MEM, &[0x113, 0x1000, 0, 0, 0, 4]), "reserved bits 0x00000100"),
        ]),
    ),
    ("SYN-15", Model("no source gives the first firmware version")),
    (
        "SYN-16",
        Refused(&[
            Case(FROM_GFX10, Graphics, |s| acquire(s, 0, 1 << 6 | 1 << 15), "needs seq = 1"),
            Case(FROM_GFX11, Graphics, |s| release(s, |b| b[0] |= 1 << 24 | 1 << 21), "needs seq = 1"),
        ]),
    ),
    (
        "SYN-17",
        Refused(&[
            Case(FROM_GFX10, Graphics, |s| acquire_range(s, 0, [u32::MAX, 0xFF, 0x1000, 0], 1 << 14), "needs base 0"),
            Case(FROM_GFX10, Graphics, |s| acquire(s, 0, 2 << 11 | 1 << 14), "covers 64 KiB at most"),
            Case(FROM_GFX10, Graphics, |s| acquire_range(s, 0, [0x101, 0, 0x1000, 0], 2 << 11 | 1 << 14), "covers 64 KiB at most"),
        ]),
    ),
    ("SYN-18", Model(MEMORY)),
    ("SYN-19", Model(MEMORY)),
    ("SYN-30", Model(MEMORY)),
    ("SYN-31", Model(STATE)),
    ("SYN-32", Model("a submission before it may have sent the event")),
    ("SYN-33", Model(MEMORY)),
    ("SYN-34", Model("one source alone")),
    ("SYN-35", Model("one source alone")),
    ("SYN-20", Model(MEMORY)),
    ("SYN-21", Model(MEMORY)),
    ("SYN-22", Model("severity `info`: the request is ignored")),
    ("SYN-23", Refused(&[Case(&[Gfx9], Compute, |s| acquire(s, 1 << 25, 0), "a compute queue has no CB or DB")])),
    ("SYN-24", Model(ORDER)),
    ("SYN-25", Model(ORDER)),
    ("SYN-26", Model(ORDER)),
    ("SYN-27", Model("it sees one queue, and the rule is about two")),
    ("SYN-28", Model("DISPATCH_TASK_STATE_INIT may come in a submission before it")),
    ("SYN-29", Model("depends on the firmware")),
    (
        "MEM-01",
        Refused(&[
            Case(ALL, Graphics, |s| s.packet(Opcode::COPY_DATA, &[0x502, 0x1002, 0, 0x2000, 0]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::COPY_DATA, &[0x1_0502, 0x1004, 0, 0x2000, 0]), "is not a multiple of 8"),
            Case(ALL, Graphics, |s| s.packet(Opcode::COPY_DATA, &[0x1_0502, 0x1000, 0, 0x2004, 0]), "is not a multiple of 8"),
            Case(ALL, Graphics, |s| s.packet(Opcode::WRITE_DATA, &[0x500, 0x1002, 0, 1]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.indirect_buffer(IbKind::Call, 0x1002, 1), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_BASE, &[4, 0x1004, 0]), "is not a multiple of 8"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_BASE, &[1, 0x1002, 0]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::LOAD_CONTEXT_REG, &[0x1002, 0, 0, 4]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[0x1002, 0, 0, 4]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::OCCLUSION_QUERY, &[0x1008, 0, 0x2000, 0]), "is not a multiple of 16"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_PREDICATION, &[1 << 16, 0x1008, 0]), "is not a multiple of 16"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_PREDICATION, &[3 << 16, 0x1002, 0]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::PRIME_UTCL2, &[0x4000_0001, 0x1800, 0, 1]), "is not a multiple of 4096"),
            Case(TO_GFX103, Constant, |s| s.packet(Opcode::LOAD_CONST_RAM, &[0x1010, 0, 8, 0]), "is not a multiple of 32"),
            Case(ALL, Graphics, |s| s.packet(Opcode::ATOMIC_MEM, &[15, 0x1002, 0, 0, 0, 0, 0, 0]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::ATOMIC_MEM, &[47, 0x1004, 0, 0, 0, 0, 0, 0]), "is not a multiple of 8"),
            Case(ALL, Graphics, |s| s.packet(Opcode::WAIT_REG_MEM, &[0x13, 0x1002, 0, 0, 0, 4]), "is not a multiple of 4"),
            Case(ALL, Graphics, |s| s.packet(Opcode::WAIT_REG_MEM64, &[0x13, 0x1004, 0, 0, 0, 0, 0, 4]), "is not a multiple of 8"),
            Case(ALL, Graphics, |s| s.cond_exec(0x1002, |_| Ok(())), "is not a multiple of 4"),
            Case(ALL, Compute, |s| s.packet(Opcode::DISPATCH_INDIRECT, &[0x1002, 0, 1]), "is not a multiple of 4"),
            Case(FROM_GFX10, Graphics, |s| s.packet(Opcode::DISPATCH_TASK_STATE_INIT, &[0x1080, 0]), "is not a multiple of 256"),
        ]),
    ),
    (
        "MEM-02",
        Refused(&[
            Case(ALL, Graphics, |s| s.packet(Opcode::INDEX_BASE, &[0x1000, 0x1_0000]), "beyond the 48 bits"),
            Case(ALL, Graphics, |s| s.packet(Opcode::INDEX_BASE, &[0x1000, 0xFFFF_7FFF]), "beyond the 48 bits"),
            Case(ALL, Graphics, |s| s.draw_index_2(3, 1 << 48, 3, DrawInitiator::INDICES), "beyond the 48 bits"),
            Case(ALL, Graphics, |s| s.packet(Opcode::SET_PREDICATION, &[3 << 16, 0x1000, 0x100]), "40 bits"),
        ]),
    ),
    ("MEM-03", Model(MEMORY)),
    (
        "MEM-04",
        Refused(&[
            Case(&[Gfx9, Gfx10, Gfx103, Gfx11, Gfx115], Graphics, |s| s.packet(Opcode::COPY_DATA, &[0x005, 7, 0, 0x4_C03F, 0]), "reserved bits 0x00040000"),
            Case(ALL, Compute, |s| s.packet(Opcode::COPY_DATA, &[0x105, 7, 0, 0x1000, 0]), "only ME has memory_sync_across_grbm"),
            Case(ALL, Graphics, |s| s.packet(Opcode::COPY_DATA, &[0x4000_0105, 7, 0, 0x1000, 0]), "only ME has memory_sync_across_grbm"),
        ]),
    ),
    ("MEM-05", Model("a copy of nothing is how drivers wait")),
    (
        "MEM-06",
        Refused(&[
            Case(ALL, Graphics, |s| s.packet(Opcode::WAIT_REG_MEM, &[0x17, 0x1000, 0, 0, 0, 4]), "function 7 is reserved"),
            Case(ALL, Graphics, |s| s.packet(Opcode::INDIRECT_BUFFER, &[0x702, 0, 0, 0, 0, 0, 0, 0x1000, 0, 8, 0x1000, 0, 8]), "has no meaning"),
        ]),
    ),
    ("MEM-07", Refused(&[Case(ALL, Graphics, |s| s.packet(Opcode::SET_PREDICATION, &[1 << 31 | 3 << 16, 0x1000, 0]), "only zpass and primcount")])),
    ("MEM-09", Model("the packets of an engine are structs of their own: plain words may be for another engine")),
    ("MEM-08", Model("no error: a warning about indices that read as 0")),
    (
        "IB-01",
        Refused(&[Case(
            ALL,
            Graphics,
            |s| {
                s.packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0, 1 << 20 | 8])?;
                s.nop(&[])
            },
            "would never be executed",
        )]),
    ),
    (
        "IB-02",
        InPart(
            &[Case(ALL, Compute, |s| s.indirect_buffer(IbKind::Call, 0x1000, 8), "cannot call on a compute queue")],
            "calls on compute queues, and from secondary command buffers (`CommandBuffer`, `draw::Recorder`); leaves loops to the model: which buffer is at an address \
             is not known",
        ),
    ),
    (
        "IB-03",
        Refused(&[
            Case(ALL, Graphics, |s| s.indirect_buffer(IbKind::Call, 0x1000, 0), "it must have 1 to 1048575"),
            Case(ALL, Graphics, |s| s.indirect_buffer(IbKind::Call, 0x1000, 0x10_0000), "it must have 1 to 1048575"),
            Case(ALL, Graphics, |s| s.packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0, 0]), "it must have 1 to 1048575"),
        ]),
    ),
    (
        "IB-04",
        Refused(&[
            Case(ALL, Compute, |s| s.packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0, 1 << 20 | 8]), "must be 1 on compute queues"),
            Case(ALL, Compute, |s| s.packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0, 1 << 23 | 8]), "cannot call"),
        ]),
    ),
    ("IB-05", Always("`CommandBuffer` and `draw::Recorder` pad to 8 dwords; a plain stream has `pad`")),
    (
        "IB-06",
        Refused(&[
            Case(
                ALL,
                Graphics,
                |s| {
                    s.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 4])?;
                    s.num_instances(1)?;
                    s.draw_index_auto(3, DrawInitiator::AUTO_INDEX)
                },
                "crosses the end of a range",
            ),
            Case(
                ALL,
                Graphics,
                |s| {
                    s.packet(Opcode::PRED_EXEC, &[1 << 24 | 4])?;
                    s.set_regs(0x28000, &[1, 2, 3])
                },
                "crosses the end of a range",
            ),
            Case(
                ALL,
                Graphics,
                |s| {
                    s.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 6])?;
                    s.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 3])
                },
                "crosses the end of a range",
            ),
            Case(ALL, Graphics, |s| s.cond_exec(0x1000, |w| w.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 2])), "dwords missing: 2"),
            Case(ALL, Graphics, |s| s.cond_exec(0x1000, |w| (0..9).try_for_each(|_| w.nop(&[0; 1999]))), "crosses the end of a range"),
        ]),
    ),
    ("IB-07", Refused(&[Case(ALL, Graphics, |s| s.packet(Opcode::INDIRECT_BUFFER, &[0x1000, 0, 1 << 24 | 8]), "0 from user mode")])),
    ("IB-08", Always("user mode writes buffers, not rings")),
];

#[test]
fn what_breaks_a_rule_is_refused() {
    let mut wrong = String::new();
    for (code, kept) in TABLE {
        let (Refused(cases) | InPart(cases, _)) = kept else { continue };
        for (n, Case(generations, queue, write, says)) in cases.iter().enumerate() {
            for gfx in *generations {
                let mut stream = Stream::growable(*gfx, *queue);
                let found = match write(&mut stream) {
                    Ok(()) => format!("is written: {:x?}", stream.words()),
                    Err(error) if !error.to_string().contains(says) => format!("says {error}"),
                    Err(_) if !Reader::new(stream.words()).all(|p| p.is_ok()) => format!("leaves half a packet: {:x?}", stream.words()),
                    Err(_) => continue,
                };
                let _ = writeln!(wrong, "{code}, case {n} on {gfx} {found}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The families of rules that packets can break; the others check register values at draws.
const FAMILIES: [&str; 6] = ["ENC", "REG", "STA", "SYN", "MEM", "IB"];

#[test]
fn every_rule_about_packets_is_in_the_table() {
    let family = |code: &str| code.split('-').next().unwrap_or_default().to_owned();
    let wanted: BTreeSet<&str> = rules::all().map(|r| r.code).filter(|c| FAMILIES.contains(&family(c).as_str())).collect();
    let have: BTreeSet<&str> = TABLE.iter().map(|(code, _)| *code).collect();
    assert_eq!(wanted.difference(&have).collect::<Vec<_>>(), Vec::<&&str>::new(), "rules that the table lacks");
    assert_eq!(have.difference(&wanted).collect::<Vec<_>>(), Vec::<&&str>::new(), "codes of no rule");
    assert_eq!(have.len(), TABLE.len(), "a rule stands twice");
}

const HEAD: &str = "# What the writer refuses

This page lists which rules the writer enforces. It is generated from the table in
`tests/suites/packets/authoring.rs` by `PM4_WRITE_DOCS=1 cargo test --test packets authoring`; do
not edit it.

`packet::Writer` checks every packet before it writes a dword, however the packet is authored; only
`Writer::raw` accepts dwords unchecked. [rules.md](rules.md) explains each code. Mistakes that a
single packet does not show are left to the model (`pm4::cp`), as are all rules about ordered pixel
shading (POPS) and speed (PERF), which this table does not list.

| rule | subject | the writer |
|---|---|---|
";

#[test]
fn the_page_of_authoring_rules_is_up_to_date() {
    let path = support::repository("docs/authoring.md");
    let mut page = String::from(HEAD);
    for (code, kept) in TABLE {
        let title = rules::find(code).map_or("", |r| r.title);
        let what = match kept {
            Refused(_) => "refuses it".to_owned(),
            InPart(_, which) => format!("refuses {which}"),
            Always(why) => format!("cannot break it: {why}"),
            Model(why) => format!("leaves it to the model: {why}"),
        };
        let _ = writeln!(page, "| {code} | {title} | {what} |");
    }
    if std::env::var_os("PM4_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == page, "docs/authoring.md is not what the table says");
}

/// The caller gave one address: an error about one half would name a number that the caller did not give.
#[test]
fn errors_name_whole_addresses() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    for (base, what) in [(0x7F_0000_1001, "0x7f00001001 is not a multiple of 2"), (0x0123_4567_0000_0000, "0x123456700000000")] {
        let error = stream.emit(&pm4::packet::gfx11::IndexBase { index_base: base }).expect_err("no address").to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// Register writes that are accepted or refused.
#[derive(Debug, Clone)]
struct Registers {
    from: u32,
    values: Vec<u32>,
    /// Every second register, as a list.
    list: bool,
    /// This many dwords remain in a range that may be skipped.
    span: Option<u8>,
    room: u8,
}

impl Arbitrary for Registers {
    fn arbitrary(g: &mut Gen) -> Self {
        // Around registers with an index, groups, and the ends of windows and banks.
        const NEAR: [u32; 9] = [0x30900, 0x30930, 0xB010, 0xB7F0, 0xBFF0, 0x28240, 0x28430, 0x28BE0, 0x307F8];
        Self {
            from: g.choose(&NEAR).unwrap() + 4 * (u32::arbitrary(g) % 8),
            values: (0..u32::arbitrary(g) % 12).collect(),
            list: bool::arbitrary(g),
            span: bool::arbitrary(g).then(|| u8::arbitrary(g) % 24),
            room: u8::arbitrary(g) % 64,
        }
    }
}

/// addr_incr (bit 16) writes all words to one register: only then may several words go to the last register of the window.
#[test]
fn words_for_one_register_need_no_room_after_it() {
    for &gfx in ALL {
        let write = |addr_incr: u32| {
            let mut memory = [0; 16];
            Writer::fixed(gfx, Graphics, &mut memory).packet(Opcode::WRITE_DATA, &[addr_incr << 16, 0xFFFF, 0, 1, 2])
        };
        assert!(write(0).is_err_and(|error| error.to_string().contains("uconfig window")), "{gfx}");
        assert_eq!(write(1), Ok(()), "{gfx}");
    }
}

#[test]
fn register_writes_are_whole_or_leave_nothing() {
    fn holds(registers: Registers, gfx: usize, compute: bool) -> bool {
        let Registers { from, values, list, span, room } = registers;
        let (gfx, queue) = (ALL[gfx % ALL.len()], if compute { Compute } else { Graphics });
        let mut memory = [0; 69];
        let mut writer = Writer::fixed(gfx, queue, &mut memory[..5 + usize::from(room)]);
        if let Some(dwords) = span {
            writer.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, dwords.into()]).unwrap();
        }
        let before = writer.len();
        let writes: Vec<(u32, u32)> = (from..).step_by(if list { 8 } else { 4 }).zip(values.iter().copied()).collect();
        let result = if list { writer.set_list(&mut writes.iter().copied().collect()) } else { writer.set_regs(from, &values) };
        let written: BTreeSet<(u32, u32)> =
            Reader::new(&writer.words()[before..]).flat_map(|p| p.unwrap().writes(gfx).map(|w| (w.addr, w.value)).collect::<Vec<_>>()).collect();
        match result {
            Ok(()) => written == writes.into_iter().collect(),
            Err(_) => writer.len() == before,
        }
    }
    support::property("register writes are whole", 20_000, holds as fn(Registers, usize, bool) -> bool);
}
