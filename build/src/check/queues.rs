//! Checks between packets of queues other than PM4.

use crate::diag::Diagnostic;
use crate::model::queues::{Family, List, Packet};

pub fn check(families: &[Family]) -> Vec<Box<Diagnostic>> {
    families.iter().flat_map(|family| family.packets.iter().enumerate().filter_map(|(index, packet)| mistake(family, index, packet))).collect()
}

fn mistake(family: &Family, index: usize, packet: &Packet) -> Option<Box<Diagnostic>> {
    let bad = |why: String| Some(Diagnostic::new(packet.at.clone(), why));
    for (bit, version) in family.versions.iter().enumerate().filter(|(bit, _)| packet.versions >> bit & 1 != 0) {
        let one = |list: &[(u16, u32)]| {
            let mut found = list.iter().filter(|(versions, _)| versions >> bit & 1 != 0);
            found.next().filter(|_| found.next().is_none()).map(|(_, number)| *number)
        };
        let (Some(op), Some(dwords)) = (one(&packet.ops), one(&packet.dwords)) else {
            return bad(format!("{} of {version} has not exactly one opcode and length", packet.name));
        };
        if family.op.1 - family.op.0 < 31 && op >> (family.op.1 - family.op.0 + 1) != 0 {
            return bad(format!("the opcode {op} of {} does not fit its bits", packet.name));
        }
        let longer = packet.more.iter().filter(|(versions, ..)| versions >> bit & 1 != 0).map(|(.., more)| more).sum::<u32>();
        for field in packet.fields.iter().filter(|field| field.versions >> bit & 1 != 0) {
            let count = if let List::Of(count) = field.place.list { count } else { 1 };
            let bits = u32::from(field.place.lo) + count * (u32::from(field.place.hi - field.place.lo) + 1);
            let end = field.place.dword + bits.div_ceil(32);
            if end > dwords + longer && field.place.list != List::Rest {
                return bad(format!("the field `{}` ends with dword {end}, but {} of {version} has {dwords}", field.name, packet.name));
            }
        }
        let same = |other: &&Packet| {
            let shared = other.sub_ops.is_empty() || packet.sub_ops.is_empty() || other.sub_ops.iter().any(|sub| packet.sub_ops.contains(sub));
            let apart = matches!((other.when, packet.when), (Some((a, x)), Some((b, y))) if a == b && x != y);
            other.versions >> bit & 1 != 0 && one(&other.ops) == Some(op) && shared && !apart
        };
        if let Some(other) = family.packets[..index].iter().find(same) {
            return bad(format!("nothing tells {} from {} on {version}", packet.name, other.name));
        }
    }
    None
}
