//! The choice of the register writes that rules see.

use crate::chip::Chip;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::{Judge, WatchedWrites, WriteView};
use crate::cp::rule::packet_view::WatchedPackets;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::addresses::GRBM_GFX_INDEX;
use crate::cp::state::finding::Severity;
use crate::cp::state::packet_flags;
use crate::cp::state::registers::RegisterFile;
use crate::cp::state::windows::window_start;
use crate::packet::{EffectKinds, Packet, Queue, RegisterWrite, register_group, register_index};
use crate::regs;
use crate::regs::Space;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The rules on writes of one chip, and the legal values of each register: one lookup accepts nearly all writes.
#[derive(Debug, Clone)]
pub(in crate::cp) struct WriteRules {
    rules: Vec<&'static Rule>,
    /// By dword address.
    checks: Box<[Check]>,
    /// Fields whose enums have gaps, by the numbers in the checks, from 1 on.
    gaps: Vec<Box<[Gap]>>,
}

/// The writes to one register that no rule needs to see.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cp) struct Check {
    /// The bits that a value may have; 0 where rules always see the write.
    plain: u32,
    /// 1 + the index of its fields among the gaps, or 0.
    gap: u16,
    /// The bits of [`packet_flags`] of a packet that writes the register.
    flags: u16,
}

/// A field of up to 6 bits and the values that have a name.
#[derive(Debug, Clone, Copy)]
struct Gap {
    lo: u8,
    mask: u32,
    named: u64,
}

/// Dword addresses up to the end of the last window.
const DWORDS: usize = 0x40000 / 4;

/// The first of PA_SC_VPORT_SCISSOR_*, and the first register after them.
const VIEWPORT_SCISSORS: core::ops::Range<u32> = 0x28250..0x282D0;

/// What the model tracks in addition to the value of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Noticed {
    /// A part of the chip, or the whole chip, is selected.
    Selection,
    /// Viewport scissors.
    Scissors,
}

impl Noticed {
    /// Returns what the model tracks for a register, if anything.
    pub fn of(addr: u32) -> Option<Self> {
        match addr {
            GRBM_GFX_INDEX => Some(Self::Selection),
            _ if VIEWPORT_SCISSORS.contains(&addr) => Some(Self::Scissors),
            _ => None,
        }
    }
}

impl WriteRules {
    /// Creates the table from the rules that are checked on a chip.
    pub fn new(chip: Chip, enabled: &[&'static Rule]) -> Self {
        let bit = |on: bool, bit: u16| if on { bit } else { 0 };
        let of_generation = |addr| {
            bit(Noticed::of(addr).is_some(), packet_flags::NOTICED)
                | bit(register_index(chip.gfx(), addr).is_some(), packet_flags::NEEDS_INDEX)
                | bit(register_group(chip.gfx(), addr).is_some(), packet_flags::GROUPED)
        };
        let flags = (0u32..).step_by(4).take(DWORDS).map(of_generation);
        Self::with(flags.map(|flags| Check { flags, ..Check::default() }).collect(), chip, enabled)
    }

    /// Returns the table with other rules of the same chip; the flags that depend on the generation stay.
    pub fn with_rules(&self, chip: Chip, enabled: &[&'static Rule]) -> Self {
        let flags = self.checks.iter().map(|check| check.flags & !packet_flags::WATCHED);
        Self::with(flags.map(|flags| Check { flags, ..Check::default() }).collect(), chip, enabled)
    }

    /// `checks` has the flags that depend on the generation.
    fn with(mut checks: Box<[Check]>, chip: Chip, enabled: &[&'static Rule]) -> Self {
        let gfx = chip.gfx();
        let rules: Vec<_> = enabled.iter().copied().filter(|rule| matches!(rule.judge, Judge::Write { .. })).collect();
        let watched = |wanted: fn(&WatchedWrites) -> bool| rules.iter().any(|rule| matches!(&rule.judge, Judge::Write { watch, .. } if wanted(watch)));
        let (bits, names) = (watched(|w| matches!(w, WatchedWrites::UnnamedBits)), watched(|w| matches!(w, WatchedWrites::UnnamedValues)));
        let mut gaps: Vec<Box<[Gap]>> = Vec::new();
        for info in regs::registers(gfx) {
            let known = info.known_bits();
            let plain = if !bits || known == 0 { u32::MAX } else { known };
            let found: Box<[Gap]> = info.fields.iter().filter(|_| names).filter_map(gap).collect();
            let gap = if found.is_empty() { 0 } else { u16::try_from(gaps.len() + 1).unwrap_or(0) };
            if gap != 0 {
                gaps.push(found);
            }
            for element in 0..info.count {
                let addr = info.addr + element * info.stride;
                let inside = Space::of(addr).is_some_and(|space| !rules::is_outside(gfx, space, addr));
                if let Some(check) = checks.get_mut(addr as usize / 4).filter(|_| inside) {
                    *check = Check { plain, gap, ..*check };
                }
            }
        }
        for rule in enabled {
            if let Judge::Packet { watch: WatchedPackets::Registers(addrs, _), .. } = rule.judge {
                for addr in addrs {
                    if let Some(check) = checks.get_mut(*addr as usize / 4) {
                        check.flags |= packet_flags::WATCHED;
                    }
                }
            }
        }
        for rule in &rules {
            let Judge::Write { watch, .. } = rule.judge else { continue };
            for (_, addr, bits) in watch.addresses().filter(|(scope, ..)| scope.contains(chip)) {
                if let Some(check) = checks.get_mut(addr as usize / 4) {
                    check.plain &= bits.map_or(0, |bits| !bits);
                }
            }
        }
        Self { rules, checks, gaps }
    }

    /// Returns whether some rule may report a write into a window.
    #[inline]
    pub fn may_judge(&self, space: Space, addr: u32, value: u32) -> bool {
        Space::of(addr) != Some(space) || !self.checks.get(addr as usize / 4).is_some_and(|check| self.allows(check, value))
    }

    /// Returns whether the model handles a write.
    #[inline]
    pub fn notices(&self, addr: u32) -> bool {
        self.checks.get(addr as usize / 4).is_some_and(|check| check.flags & packet_flags::NOTICED != 0)
    }

    /// Returns the flags of a packet that writes consecutive registers from this byte address on.
    #[inline]
    pub fn flags_of(&self, addr: u32, values: &[u32]) -> u16 {
        let first = addr as usize / 4;
        let Some(checks) = self.checks.get(first..first + values.len()) else { return packet_flags::JUDGED };
        checks.iter().zip(values).fold(0, |set, (check, value)| set | check.flags | if self.allows(check, *value) { 0 } else { packet_flags::JUDGED })
    }

    #[inline]
    fn allows(&self, check: &Check, value: u32) -> bool {
        check.plain != 0 && value & !check.plain == 0 && (check.gap == 0 || !self.has_gap(check, value))
    }

    fn has_gap(&self, check: &Check, value: u32) -> bool {
        let Some(gaps) = usize::from(check.gap).checked_sub(1).and_then(|place| self.gaps.get(place)) else { return false };
        gaps.iter().any(|gap| gap.named >> (value >> gap.lo & gap.mask) & 1 == 0)
    }

    /// Starts the judgement of the writes of one packet.
    pub fn packet(&self) -> PacketWrites<'_> {
        PacketWrites { rules: &self.rules, said: Vec::new() }
    }
}

/// Returns a field with its named values; None if it has more than 6 bits, if every value has a name, or if any combination is legal.
fn gap(field: &regs::FieldInfo) -> Option<Gap> {
    let names = field.values.filter(|values| !values.flags && !values.entries.is_empty())?;
    let width = field.hi - field.lo + 1;
    if width > 6 {
        return None;
    }
    let named = names.entries.iter().filter(|(_, value)| *value < 64).fold(0u64, |set, (_, value)| set | 1 << value);
    let all = if width == 6 { u64::MAX } else { (1u64 << (1 << width)) - 1 };
    (named & all != all).then_some(Gap { lo: field.lo, mask: (1 << width) - 1, named })
}

/// Returns whether a write is neither the first nor the last one of a packet that writes consecutive registers.
fn within_run(chip: Chip, write: RegisterWrite, packet: &Packet<'_>) -> bool {
    let run = packet.opcode().is_some_and(|opcode| opcode.effect_kinds(chip.gfx()).intersects(EffectKinds::SETS_A_RUN));
    // The header and the offset dword are before the first value.
    run && write.dword > packet.offset + 2 && write.dword + 1 < packet.offset + packet.dwords()
}

/// The number of ranges of a packet that are searched. Drivers send a few dozen; a packet of more counts as one of ranges with holes.
const RANGES: usize = 256;

/// Returns whether a packet loads the register as one of a range of several from memory: a LOAD_*_REG packet names ranges, whatever holes they have.
fn in_loaded_range(chip: Chip, queue: Queue, addr: u32, packet: &Packet<'_>) -> bool {
    let Some(space) = packet.loads(chip.gfx(), queue) else { return false };
    let (ranges, _) = packet.body.get(2..).unwrap_or_default().as_chunks::<2>();
    let offset = addr.wrapping_sub(window_start(space)) / 4;
    let holds = |[first, count]: &[u32; 2]| {
        let (first, count, pairs) = (first & 0xFFFF, count & 0x3FFF, first >> 31 == 1);
        !pairs && count > 1 && (first..first + count).contains(&offset)
    };
    ranges.len() > RANGES || ranges.iter().any(holds)
}

/// The writes of one packet: each rule speaks once for each severity, at the first register that it finds.
pub(in crate::cp) struct PacketWrites<'r> {
    rules: &'r [&'static Rule],
    said: Vec<(&'static str, Severity)>,
}

impl PacketWrites<'_> {
    pub fn judge(
        &mut self,
        chip: Chip,
        queue: Queue,
        space: Space,
        write: RegisterWrite,
        packet: &Packet<'_>,
        registers: &RegisterFile,
    ) -> Vec<(&'static Rule, Verdict)> {
        let outside = rules::is_outside(chip.gfx(), space, write.addr);
        let register = regs::lookup(chip.gfx(), write.addr);
        let nowhere = outside || register.is_none();
        let view = WriteView {
            chip,
            queue,
            space,
            addr: write.addr,
            value: write.value,
            outside,
            within: within_run(chip, write, packet),
            loaded: nowhere && in_loaded_range(chip, queue, write.addr, packet),
            registers,
        };
        let unnamed = register.is_some_and(|r| r.info().known_bits() != 0 && write.value & !r.info().known_bits() != 0);
        let mut found = Vec::new();
        for &rule in self.rules {
            let Judge::Write { watch, judge } = rule.judge else { continue };
            let wanted = match watch {
                WatchedWrites::Addresses(addrs) => addrs.contains(&write.addr),
                WatchedWrites::Bits(bits) => bits.iter().any(|(scope, addr, bits)| *addr == write.addr && write.value & bits != 0 && scope.contains(chip)),
                WatchedWrites::NoRegister => nowhere,
                WatchedWrites::UnnamedBits => unnamed,
                WatchedWrites::UnnamedValues => !nowhere,
            };
            let Some(verdict) = wanted.then(|| judge(&view)).flatten() else { continue };
            let key = (rule.code, rule.severity_of(&verdict));
            if !self.said.contains(&key) {
                self.said.push(key);
                found.push((rule, verdict));
            }
        }
        found
    }
}
