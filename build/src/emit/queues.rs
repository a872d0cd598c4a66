//! Emits the packet tables of queues other than PM4.

use crate::model::queues::{Effect, Family, List, Packet, Place, Size};
use std::fmt::Write;

/// Returns the text of `queues.rs`.
pub fn emit(families: &[Family]) -> String {
    let mut out = String::new();
    for family in families {
        let name = family.name.to_uppercase();
        let packets = family.packets.iter().map(packet).collect::<String>();
        writeln!(
            out,
            "pub(super) static {name}: FamilyTable = FamilyTable {{ versions: &{:?}, op: {:?}, sub_op: {:?}, packets: &[{packets}] }};",
            family.versions, family.op, family.sub_op
        )
        .unwrap_or_default();
    }
    out
}

fn packet(packet: &Packet) -> String {
    let fields = packet.fields.iter().map(|field| {
        format!("QueueField {{ name: {:?}, versions: {:#x}, place: {}, note: {:?} }},", field.name, field.versions, place(&field.place), field.note)
    });
    format!(
        "QueueFormat {{ name: {:?}, doc: {:?}, versions: {:#x}, ops: &{:?}, sub_ops: &{:?}, when: {:?}, dwords: &{:?}, more: &{:?}, count: {}, effects: &[{}], fields: &[{}] }},",
        packet.name,
        packet.doc,
        packet.versions,
        packet.ops,
        packet.sub_ops,
        packet.when,
        packet.dwords,
        packet.more,
        packet.count.as_ref().map_or("None".into(), |count| format!("Some({})", place(count))),
        packet.effects.iter().map(effect).collect::<String>(),
        fields.collect::<String>()
    )
}

fn effect(effect: &Effect) -> String {
    let size = match &effect.size {
        Size::None => "None".to_owned(),
        Size::Bytes(bytes) => format!("Bytes({bytes})"),
        Size::Field { name, plus, times } => format!("Field {{ name: {name:?}, plus: {plus}, times: {times} }}"),
        Size::Box => "Box".to_owned(),
    };
    format!("QueueEffect {{ kind: EffectKind::{}, addr: {:?}, size: Size::{size} }},", effect.kind, effect.addr)
}

fn place(place: &Place) -> String {
    let list = match place.list {
        List::One => "One".to_owned(),
        List::Of(count) => format!("Of({count})"),
        List::Rest => "Rest".to_owned(),
    };
    format!("QueuePlace {{ dword: {}, lo: {}, hi: {}, list: List::{list} }}", place.dword, place.lo, place.hi)
}
