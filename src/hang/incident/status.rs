//! The status of a page fault by its fields, and its client by the tables of the kernel.

use super::clients::{GRAPHICS, MULTIMEDIA};
use super::facts::IncidentFault;
use crate::chip::Chip;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Returns whether a fault is one of a multimedia hub; None if nothing names its hub.
fn is_multimedia(fault: &IncidentFault) -> Option<bool> {
    let of_hub = fault.hub.as_deref().map(|hub| hub.starts_with("mmhub") || hub.starts_with("vmhub"));
    // Compute dies have no other hub than that of graphics.
    let of_die = fault.die.as_deref().is_some_and(|die| die.contains("XCD")).then_some(false);
    fault.multimedia.or(of_hub).or(of_die)
}

/// Returns the name that all tables which can apply agree on.
fn client(cid: u32, write: bool, multimedia: Option<bool>, generation: Option<u8>, chip: Option<Chip>) -> Option<String> {
    let may_be = |first: u8, last: u8| generation.is_none_or(|generation| (first..=last).contains(&generation));
    let Some(multimedia) = multimedia else {
        let [graphics, other] = [false, true].map(|multimedia| client(cid, write, Some(multimedia), generation, chip));
        return graphics.filter(|name| other.as_ref() == Some(name));
    };
    let names: Vec<&str> = if multimedia {
        let of_chip = chip.map(|chip| chip.info().name);
        let own = MULTIMEDIA.iter().find(|hub| of_chip.is_some_and(|name| hub.chips.contains(&name)));
        let hubs = MULTIMEDIA.iter().filter(|hub| own.map_or(may_be(hub.generation, hub.generation), |own| core::ptr::eq(own, *hub)));
        hubs.map(|hub| hub.clients.iter().find(|(number, ..)| u32::from(*number) == cid).map_or("", |(_, read, written)| if write { written } else { read }))
            .collect()
    } else {
        let hubs = GRAPHICS.iter().filter(|hub| may_be(hub.generations.0, hub.generations.1));
        hubs.map(|hub| hub.names.get(cid as usize).copied().unwrap_or_default()).collect()
    };
    let first = names.first().filter(|name| !name.is_empty())?;
    names.iter().all(|name| name == first).then(|| (*first).to_string())
}

/// Fills what the status of a fault says. Bits by Linux 7.1.8 gc_*_sh_mask.h, the same on GFX9 to GFX12.0.
pub(super) fn resolve(fault: &mut IncidentFault, generation: Option<u8>, chip: Option<Chip>) {
    let status = fault.status.filter(|_| fault.decoded);
    let other = status.is_some_and(|status| status != 0 && fault.vmid.is_some_and(|vmid| vmid != status >> 20 & 0xF));
    fault.status_is_of_another_fault = other;
    if status == Some(0) || other || fault.status.is_some() && !fault.decoded {
        (fault.client, fault.client_id, fault.write, fault.permission, fault.walker, fault.mapping) = (None, None, None, None, None, None);
        return;
    }
    let Some(status) = status else { return };
    let (cid, write) = (status >> 9 & 0x1FF, status >> 18 & 1 == 1);
    fault.client_id = Some(cid);
    fault.write = Some(write);
    fault.walker = Some(status >> 1 & 7);
    fault.permission = Some(status >> 4 & 0xF);
    fault.mapping = Some(status >> 8 & 1);
    fault.vmid = fault.vmid.or(Some(status >> 20 & 0xF));
    if fault.client.is_none() {
        fault.client = client(cid, write, is_multimedia(fault), generation, chip);
    }
}
