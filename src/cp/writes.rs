//! Which register writes the rules want to see.

use super::finding::Severity;
use super::registers::RegisterFile;
use super::rules::{self, Judge, Rule, Verdict, Watch, WriteView};
use crate::chip::Chip;
use crate::packet::RegisterWrite;
use crate::regs::{self, Space};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The rules on writes of one chip, and the registers that none of them asks for: nearly all writes are waved through by one bit.
#[derive(Debug)]
pub(super) struct WriteRules {
    rules: Vec<&'static Rule>,
    /// One bit a dword address: the register exists and no rule watches it.
    plain: Box<[u64]>,
}

/// Dword addresses up to the end of the last window.
const DWORDS: usize = 0x40000 / 4;

impl WriteRules {
    pub fn new(chip: Chip) -> Self {
        let watches = |rule: &Rule| matches!(rule.judge, Judge::Write { .. });
        let rules: Vec<_> = rules::all().filter(|rule| rule.scope.contains(chip) && watches(rule)).collect();
        let mut plain = vec![0u64; DWORDS / 64].into_boxed_slice();
        let mut mark = |addr: u32, on: bool| {
            let index = addr as usize / 4;
            if let Some(word) = plain.get_mut(index / 64) {
                *word = *word & !(1 << (index % 64)) | u64::from(on) << (index % 64);
            }
        };
        for info in regs::registers(chip.gfx()) {
            (0..info.count).for_each(|element| mark(info.addr + element * info.stride, true));
        }
        for rule in &rules {
            if let Judge::Write { watch: Watch::At(addrs), .. } = rule.judge {
                addrs.iter().for_each(|addr| mark(*addr, false));
            }
        }
        Self { rules, plain }
    }

    /// Whether some rule may have something to say about a write into a window.
    pub fn wants(&self, space: Space, addr: u32) -> bool {
        let index = addr as usize / 4;
        Space::of(addr) != Some(space) || self.plain.get(index / 64).is_none_or(|word| word >> (index % 64) & 1 == 0)
    }

    /// Judging the writes of one packet.
    pub fn packet(&self) -> PacketWrites<'_> {
        PacketWrites { rules: &self.rules, said: Vec::new() }
    }
}

/// The writes of one packet: each rule speaks once for each severity, at the first register that it finds.
pub(super) struct PacketWrites<'r> {
    rules: &'r [&'static Rule],
    said: Vec<(&'static str, Severity)>,
}

impl PacketWrites<'_> {
    pub fn judge(&mut self, chip: Chip, space: Space, write: RegisterWrite, registers: &RegisterFile) -> Vec<(&'static Rule, Verdict)> {
        let outside = rules::is_outside(chip.gfx(), space, write.addr);
        let view = WriteView { chip, space, addr: write.addr, value: write.value, outside, registers };
        let nowhere = outside || regs::lookup(chip.gfx(), write.addr).is_none();
        let mut found = Vec::new();
        for &rule in self.rules {
            let Judge::Write { watch, judge } = rule.judge else { continue };
            let wanted = match watch {
                Watch::At(addrs) => addrs.contains(&write.addr),
                Watch::Nowhere => nowhere,
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
