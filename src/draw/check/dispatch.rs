//! Limits of dispatches.

use crate::chip::Chip;
use crate::draw::check::programs;
use crate::draw::desc::{DispatchDesc, DrawError, Grid, Stage};

impl DispatchDesc {
    pub(crate) fn check(&self, chip: Chip) -> Result<(), DrawError> {
        crate::draw::desc::board::check_board(self.board)?;
        let limit = |what, value: u64, limit| Err(DrawError::Limit { what, value, limit });
        self.program.check(Stage::Compute, chip)?;
        programs::scratch(self.scratch, [&self.program])?;
        if self.group.contains(&0) {
            return limit("threads of a workgroup in one direction", 0, "at least 1");
        }
        if self.threads() > MAX_THREADS {
            return limit("threads of a workgroup", u64::from(self.threads()), "at most 1024");
        }
        if !(1..=3).contains(&self.thread_ids) {
            return limit("thread ids", u64::from(self.thread_ids), "1 to 3");
        }
        if let Some(groups) = self.groups_per_cu.filter(|groups| !(1..=15).contains(groups)) {
            return limit("workgroups per CU", u64::from(groups), "1 to 15");
        }
        if self.cu_mode && chip.gfx().major() == 9 {
            return Err(DrawError::OptionAbsent { option: "a choice of CU mode", chip, limit: "GFX10 and later have WGPs" });
        }
        match self.grid {
            Grid::Groups(_) | Grid::Threads(_) => {
                if let Some((count, base)) = self.groups().iter().zip(self.base).find(|(count, base)| count.checked_add(*base).is_none()) {
                    return limit("last workgroup id, base and count together", u64::from(*count) + u64::from(base), "2^32 - 1");
                }
            }
            Grid::Indirect(address) if address == 0 || address % 4 != 0 || address >> 48 != 0 => {
                return limit("the address of the dimensions", address, "a multiple of 4 below 2^48, and not 0");
            }
            Grid::Indirect(_) if self.base != [0; 3] => {
                return Err(DrawError::OptionAbsent { option: "a base with dimensions from memory", chip, limit: "direct dispatches have it" });
            }
            Grid::Indirect(_) => {}
        }
        Ok(())
    }
}

/// The largest number of threads of a workgroup (Vulkan's and Direct3D's limit on all these chips).
const MAX_THREADS: u32 = 1024;
