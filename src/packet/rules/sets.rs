//! Packets that set registers.

use crate::packet::formats::effect_row::Does;
use crate::packet::formats::field::Field;
use crate::packet::read::register_writes::{self, Shape};
use crate::packet::rules::candidate::Candidate;
use crate::packet::rules::firmware::Firmware;
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::wire::groups::register_group;
use crate::packet::wire::opcode::Queue;
use crate::packet::wire::windows::{self, Window};

/// SET_SH_REG_OFFSET.index
const DATA_INDIRECT_1DW: u64 = 2;

/// The most registers that SET_SH_REG_PAIRS_PACKED_N has (PAL gfx9CmdUtil.cpp MaxNumPackedFixLengthRegsExpanded; Mesa 25.0.7 ac_pm4.c).
pub(crate) const MOST_IN_PACKED_N: u32 = 14;

/// Returns the most that it has with this PFP firmware, where the version is known. No source gives another limit for MEC.
pub(crate) fn most_in_packed_n(queue: Queue, pfp: Option<u32>) -> u32 {
    let is_old = pfp.is_some_and(|pfp| pfp < Firmware::PFP_PACKED_N_14);
    if queue == Queue::Graphics && is_old { 8 } else { MOST_IN_PACKED_N }
}

impl Candidate<'_> {
    /// Registers that the packet sets or modifies, by its effects: they are in its window, groups stay whole.
    pub(super) fn registers(&self) -> Result<(), WriteError> {
        let opcode = self.header.opcode();
        match register_writes::shape(self.header, self.gfx) {
            Some((window, Shape::Run)) => self.run(window),
            Some((window, Shape::Pairs)) => self.list(window, self.tail.chunks(2).filter_map(|pair| pair.first().copied())),
            Some((window, Shape::Packed)) => self.packed(window),
            _ if opcode.effect_kinds(self.gfx).intersects(EffectKinds::REGISTERS) => self.modified(),
            _ => Ok(()),
        }
    }

    /// Bits of a register that is in the packet: it is in a window of user mode, as its dword offset says.
    fn modified(&self) -> Result<(), WriteError> {
        let named = |field: &&Field| field.register.is_some_and(|r| r.start > 0 && !r.or_none) && field.scope.intersects(self.view());
        let modifies =
            self.form.effects.iter().any(|(scope, rules)| scope.intersects(self.view()) && rules.iter().any(|rule| matches!(rule.does, Does::Modify { .. })));
        match self.form.fields.iter().find(named).filter(|_| modifies).and_then(|f| Some((f.name, windows::Window::of(f.register?.start)?))) {
            Some((name, window)) => self.inside(window, self.get(name), 1),
            None => Ok(()),
        }
    }

    fn inside(&self, window: Window, offset: u64, registers: usize) -> Result<(), WriteError> {
        let inside = offset + registers as u64 <= u64::from(window.end - window.start) / 4;
        self.demand(inside, "reg_offset", "the registers leave the window of the packet", "PAL gfx9CmdUtil.cpp BuildSetSeqContextRegs")
    }

    /// Checks that the address of REG_RMW is absolute.
    pub(super) fn read_modify_write(&self) -> Result<(), WriteError> {
        let (addr, window) = (4 * self.get("mod_addr"), u64::from(windows::UCONFIG.start)..u64::from(windows::UCONFIG.end));
        self.demand(window.contains(&addr), "mod_addr", "must be a register of the uconfig window", "PAL gfx9CmdUtil.cpp BuildRegRmw")
    }

    /// Registers in a row from an absolute dword address on are in one window of user mode. The address is one field up to GFX11.5, and two halves on GFX12.
    pub(super) fn user_registers(&self, field: &'static str, count: u64) -> Result<(), WriteError> {
        let value = self.value_of(field);
        let first = value.saturating_mul(4);
        let inside = [windows::SH, windows::CONTEXT, windows::UCONFIG]
            .iter()
            .any(|window| u64::from(window.start) <= first && first.saturating_add(4 * count) <= u64::from(window.end));
        let rule = "must be a register of the SH, context or uconfig window";
        if inside { Ok(()) } else { Err(WriteError::Rule { packet: self.format.name, field, value, rule, source_of_rule: "Linux 6.12 gfx_v9_0.c" }) }
    }

    /// SET_SH_REG_OFFSET writes an address, of two registers, or one dword.
    pub(super) fn sgprs_inside(&self) -> Result<(), WriteError> {
        self.inside(windows::SH, self.get("reg_offset"), if self.get("index") == DATA_INDIRECT_1DW { 1 } else { 2 })
    }

    fn run(&self, window: Window) -> Result<(), WriteError> {
        let indexed = self.fixed.first().is_some_and(|w| w >> 28 != 0);
        let alone = !indexed || self.tail.len() == 1;
        self.demand(alone, "index", "a register with an index must be alone in its packet", "PAL gfx9CmdUtil.cpp IsIndexedRegister")?;
        let offset = self.get("reg_offset");
        self.inside(window, offset, self.tail.len())?;
        let first = window.start + 4 * offset as u32;
        let written = first..first + 4 * self.tail.len() as u32;
        self.whole_groups([written.start, written.end - 4].into_iter(), |addr| written.contains(&addr))
    }

    /// Vectors of which a part is written (PAL gfx9Pm4Optimizer.cpp IsRegisterMustWrite).
    fn whole_groups(&self, mut registers: impl Iterator<Item = u32>, written: impl Fn(u32) -> bool) -> Result<(), WriteError> {
        let torn = self.whole_groups && registers.any(|addr| register_group(self.gfx, addr).is_some_and(|group| !group.step_by(4).all(&written)));
        self.demand(
            !torn,
            "reg_offset",
            "a viewport, scissor, depth range or guard band must be written as a whole",
            "PAL gfx9Pm4Optimizer.cpp IsRegisterMustWrite",
        )
    }

    fn list(&self, window: Window, offsets: impl Iterator<Item = u32> + Clone) -> Result<(), WriteError> {
        offsets.clone().try_for_each(|offset| self.inside(window, offset.into(), 1))?;
        let addr = move |offset: u32| window.start + 4 * offset;
        let addrs = offsets.map(addr);
        self.whole_groups(addrs.clone(), |one| addrs.clone().any(|other| other == one))
    }

    /// PAL gfx9CmdUtil.cpp FillPackedRegPairsHeaderAndCount, OptimizePm4SetRegPairsPacked; Mesa ac_pm4.c.
    fn packed(&self, window: Window) -> Result<(), WriteError> {
        const SOURCE: &str = "PAL gfx9CmdUtil.cpp FillPackedRegPairsHeaderAndCount";
        let count = self.get("reg_writes_count");
        self.demand(count >= 2 && count == self.tail.len() as u64 / 3 * 2, "reg_writes_count", "must be the number of registers, even and not 0", SOURCE)?;
        let limit = most_in_packed_n(self.queue, Some(self.firmware.pfp));
        let rule = if limit == MOST_IN_PACKED_N {
            "at most 14 registers in this form"
        } else {
            "at most 8 registers in this form before PFP firmware 1463, 14 from it on"
        };
        self.demand(!self.format.name.ends_with("_N") || count <= limit.into(), "reg_writes_count", rule, SOURCE)?;
        let offsets = self.tail.chunks_exact(3).flat_map(|g| [g[0] & 0xFFFF, g[0] >> 16]);
        let neighbours = offsets.clone().zip(offsets.clone().skip(1)).any(|(a, b)| a == b);
        self.demand(!neighbours, "reg_writes_count", "two adjacent entries must not set the same register", "Mesa 25.0.7 ac_pm4.c")?;
        self.demand(
            !self.stale_fill(),
            "reg_writes_count",
            "the fill entry repeats an old value of the first register, which a later entry has replaced",
            "follows from the packet: it writes registers in the order of its list",
        )?;
        self.list(window, offsets)
    }

    /// The last register is the first one with the first one's value, and was written with another value in between.
    fn stale_fill(&self) -> bool {
        let writes = || self.tail.chunks_exact(3).flat_map(|g| [(g[0] & 0xFFFF, g[1]), (g[0] >> 16, g[2])]);
        let (Some(first), Some(last)) = (writes().next(), writes().last()) else { return false };
        first == last && writes().any(|(offset, value)| offset == first.0 && value != first.1)
    }
}
