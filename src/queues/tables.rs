//! The tables that build.rs generates from `regdb/queues/`.

use super::format::{EffectKind, FamilyTable, List, QueueEffect, QueueFamily, QueueField, QueueFormat, QueuePlace, Size};

include!(concat!(env!("OUT_DIR"), "/queues.rs"));

/// Returns the table of a family.
pub(super) fn of(family: QueueFamily) -> &'static FamilyTable {
    match family {
        QueueFamily::Sdma => &SDMA,
        QueueFamily::Aql => &AQL,
        QueueFamily::Mes => &MES,
        QueueFamily::Mqd => &MQD,
        QueueFamily::SdmaMqd => &SDMA_MQD,
    }
}
