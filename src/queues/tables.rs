//! The tables that build.rs makes from `regdb/queues/`.

use super::format::{Effect, EffectKind, Family, FamilyTable, Field, Format, List, Place, Size};

include!(concat!(env!("OUT_DIR"), "/queues.rs"));

/// The table of a family.
pub(super) fn of(family: Family) -> &'static FamilyTable {
    match family {
        Family::Sdma => &SDMA,
        Family::Aql => &AQL,
        Family::Mes => &MES,
    }
}
