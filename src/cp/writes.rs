//! Which register writes the rules want to see.

use super::finding::Severity;
use super::registers::RegisterFile;
use super::rules::{self, Judge, Rule, Verdict, Watch, WriteView};
use crate::chip::Chip;
use crate::packet::{Queue, RegisterWrite};
use crate::regs::{self, Space};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The rules on writes of one chip, and what each register may hold: nearly all writes are waved through by one look.
#[derive(Debug)]
pub(super) struct WriteRules {
    rules: Vec<&'static Rule>,
    /// The bits of each dword address that a plain value may have; 0 where rules always want to see the write.
    plain: Box<[u32]>,
    /// Rules look at values: unnamed bits, and enum values without a name.
    values: bool,
    /// Fields whose enums have gaps, by address: bits and a set of the values with a name.
    gaps: Vec<(u32, Box<[Gap]>)>,
    /// For each dword address, 1 + its place in `gaps`, or 0.
    gap_of: Box<[u16]>,
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

impl WriteRules {
    pub fn new(chip: Chip, enabled: &dyn Fn(&Rule) -> bool) -> Self {
        let rules: Vec<_> = rules::all().filter(|rule| rule.scope.contains(chip) && matches!(rule.judge, Judge::Write { .. }) && enabled(rule)).collect();
        let watched = |wanted: fn(&Watch) -> bool| rules.iter().any(|rule| matches!(&rule.judge, Judge::Write { watch, .. } if wanted(watch)));
        let (bits, names) = (watched(|w| matches!(w, Watch::UnnamedBits)), watched(|w| matches!(w, Watch::UnnamedValues)));
        let mut plain = vec![0u32; DWORDS].into_boxed_slice();
        let mut gap_of = vec![0u16; DWORDS].into_boxed_slice();
        let mut gaps: Vec<(u32, Box<[Gap]>)> = Vec::new();
        for info in regs::registers(chip.gfx()) {
            let known = info.known_bits();
            let allowed = if !bits || known == 0 { u32::MAX } else { known };
            let found: Box<[Gap]> = info.fields.iter().filter(|_| names).filter_map(gap).collect();
            if !found.is_empty() {
                gaps.push((info.addr, found));
            }
            for element in 0..info.count {
                let index = (info.addr + element * info.stride) as usize / 4;
                if let (Some(word), Some(place)) = (plain.get_mut(index), gap_of.get_mut(index)) {
                    *word = allowed;
                    *place = if gaps.last().is_some_and(|(addr, _)| *addr == info.addr) { u16::try_from(gaps.len()).unwrap_or(0) } else { 0 };
                }
            }
        }
        for rule in &rules {
            if let Judge::Write { watch: Watch::At(addrs), .. } = rule.judge {
                for addr in addrs {
                    if let Some(word) = plain.get_mut(*addr as usize / 4) {
                        *word = 0;
                    }
                }
            }
        }
        Self { rules, plain, values: names, gaps, gap_of }
    }

    /// Whether some rule may have something to say about a write into a window.
    #[inline]
    pub fn wants(&self, space: Space, addr: u32, value: u32) -> bool {
        let index = addr as usize / 4;
        let allowed = self.plain.get(index).copied().unwrap_or(0);
        Space::of(addr) != Some(space) || allowed == 0 || value & !allowed != 0 || self.values && self.has_gap(index, value)
    }

    #[inline]
    fn has_gap(&self, index: usize, value: u32) -> bool {
        let place = usize::from(self.gap_of.get(index).copied().unwrap_or(0));
        let Some((_, gaps)) = place.checked_sub(1).and_then(|place| self.gaps.get(place)) else { return false };
        gaps.iter().any(|gap| gap.named >> (value >> gap.lo & gap.mask) & 1 == 0)
    }

    /// Judging the writes of one packet.
    pub fn packet(&self) -> PacketWrites<'_> {
        PacketWrites { rules: &self.rules, said: Vec::new() }
    }
}

/// What a field of a few bits must not hold, None where every value has a name or any combination is legal.
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

/// The writes of one packet: each rule speaks once for each severity, at the first register that it finds.
pub(super) struct PacketWrites<'r> {
    rules: &'r [&'static Rule],
    said: Vec<(&'static str, Severity)>,
}

impl PacketWrites<'_> {
    pub fn judge(&mut self, chip: Chip, queue: Queue, space: Space, write: RegisterWrite, registers: &RegisterFile) -> Vec<(&'static Rule, Verdict)> {
        let outside = rules::is_outside(chip.gfx(), space, write.addr);
        let view = WriteView { chip, queue, space, addr: write.addr, value: write.value, outside, registers };
        let register = regs::lookup(chip.gfx(), write.addr);
        let nowhere = outside || register.is_none();
        let unnamed = register.is_some_and(|r| r.info().known_bits() != 0 && write.value & !r.info().known_bits() != 0);
        let mut found = Vec::new();
        for &rule in self.rules {
            let Judge::Write { watch, judge } = rule.judge else { continue };
            let wanted = match watch {
                Watch::At(addrs) => addrs.contains(&write.addr),
                Watch::Nowhere => nowhere,
                Watch::UnnamedBits => unnamed,
                Watch::UnnamedValues => !nowhere,
            };
            let Some(verdict) = wanted.then(|| judge(&view)).flatten() else { continue };
            let key = (rule.code, verdict.severity_of(rule));
            if !self.said.contains(&key) {
                self.said.push(key);
                found.push((rule, verdict));
            }
        }
        found
    }
}
