//! REG: register writes.

use super::pops::PRIVILEGED_VRS;
use super::{Judge, Rule, Scope, Verdict, Watch, WriteView};
use crate::chip::Gfx;
use crate::cp::Severity;
use crate::regs::{Space, lookup};
use alloc::format;

pub(super) static RULES: &[Rule] = &[
    Rule {
        code: "REG-01",
        severity: Severity::Error,
        scope: Scope::All,
        title: "register outside the window of its packet",
        explanation: "Each SET packet reaches one window of registers: its 16-bit offset counts dwords from the start of the window. An offset \
                      beyond the end addresses privileged or absent registers; the command processor answers with \"Illegal register access in \
                      command stream\" and the kernel resets the queue. The usual causes are the packet of another window and a byte address where a \
                      dword offset belongs.",
        source: "PAL gfx9CmdUtil.cpp BuildSetSeqContextRegs and neighbours; Mesa 25.0.7 radv_cs.h; windows: PAL gfx9Chip.h",
        judge: Judge::Write { watch: Watch::Nowhere, judge: outside_window },
    },
    Rule {
        code: "REG-02",
        severity: Severity::Warning,
        scope: Scope::All,
        title: "no register at this address on this generation",
        explanation: "No description of this generation has a register at the address. The write is lost at best; when the value was meant for the \
                      register that another generation has there, the register that was meant keeps its old value. For registers that POPS depends \
                      on this is an error: draws then run with the wrong order or hang.",
        source: "Mesa 25.0.7, Linux 6.12 and PAL register headers; POPS set: POPS article",
        judge: Judge::Write { watch: Watch::Nowhere, judge: no_register },
    },
];

/// First byte address after the window of a SET packet (PAL gfx9Chip.h; the context window of GFX9 and GFX10 is the wide one).
const fn window_end(gfx: Gfx, space: Space) -> u32 {
    match space {
        Space::Config => 0xB000,
        Space::Sh => 0xC000,
        Space::Context if gfx.major() >= 11 => 0x29000,
        Space::Context => 0x30000,
        Space::Uconfig => 0x40000,
        Space::Privileged => 0,
    }
}

/// Whether a SET packet of the window does not reach the address.
pub(in crate::cp) fn is_outside(gfx: Gfx, space: Space, addr: u32) -> bool {
    addr >= window_end(gfx, space)
}

fn outside_window(view: &WriteView<'_>) -> Option<Verdict> {
    if !view.outside() || PRIVILEGED_VRS.contains(&view.addr()) {
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
    if view.outside() {
        return None; // REG-01
    }
    let named = |text| Verdict::new(text).register(format!("0x{addr:05x}"));
    if let Some((_, name, generations)) = POPS_HOMES.iter().find(|(home, _, _)| *home == addr) {
        let text = format!(
            "0x{value:08x} is written to 0x{addr:05x}, {name} of {generations}; {gfx} has no register there: the value is lost and POPS runs without it"
        );
        let help = match crate::regs::find(gfx, name) {
            Some(here) => format!("{name} stands at 0x{:05x} on {gfx}: build the packet with the addresses of this generation", here.addr()),
            None => format!("{gfx} has no {name}: leave the write out on this generation"),
        };
        return Some(named(text).severity(Severity::Error).help(help));
    }
    if (addr, value) == (0x30900, 0) && gfx.major() == 9 {
        let text = "0 is written to 0x30900, where gfx9 has no register; RADV does so when it sets ring sizes, without known harm";
        return Some(named(text.into()).severity(Severity::Info));
    }
    let text =
        format!("0x{value:08x} is written to 0x{addr:05x}, where {gfx} has no register: the write is lost, or hits something that no public header names");
    Some(named(text).help("check that the offset was made for this generation and counts dwords from the start of the window"))
}

/// Where the registers of the POPS set stand on some generation: address, name, generations (POPS article; register headers).
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
