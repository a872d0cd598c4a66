//! Registers of one generation by name.

use crate::chip::Gfx;
use crate::regs::{self, RegRef};
use alloc::vec::Vec;

/// The names of all registers of a generation, sorted: rules ask by name, at every draw.
#[derive(Debug)]
pub(super) struct Names(Vec<(&'static str, RegRef)>);

impl Names {
    pub fn new(gfx: Gfx) -> Self {
        let mut names: Vec<_> = regs::registers(gfx).filter_map(|info| Some((info.name, regs::lookup(gfx, info.addr)?))).collect();
        names.sort_unstable_by_key(|(name, _)| *name);
        Self(names)
    }

    pub fn find(&self, name: &str) -> Option<RegRef> {
        let at = self.0.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        self.0.get(at).map(|(_, register)| *register)
    }
}
