//! The key `tolerated` of a packet: bits of no field that drivers set without harm.

use super::model::{Form, Packet, Scope, Tolerated};
use crate::regdb::diag::{Diagnostic, Result};
use crate::regdb::input::Node;

/// Reads the list.
pub fn load(list: &Node<'_>, enclosing: Scope) -> Result<Vec<Tolerated>> {
    list.array()?
        .iter()
        .map(|item| {
            let table = item.table()?;
            table.only(&["dword", "bits", "dwords", "gfx", "engines", "doc"])?;
            let (lo, hi) = table.need("bits")?.bits()?;
            Ok(Tolerated {
                span: table.span.clone(),
                dword: super::byte(&table.need("dword")?)?,
                lo,
                hi,
                dwords: table.get("dwords").map(|n| super::byte(&n)).transpose()?,
                scope: super::scope(&table, enclosing)?,
                doc: table.need("doc")?.string()?.into_owned(),
            })
        })
        .collect()
}

/// Entries that say nothing: of a size that the packet does not have, or of bits that a field of every layout has.
pub fn check(packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
    for bits in &packet.tolerated {
        let forms = || packet.forms.iter().filter(|form| form.scope.intersects(bits.scope));
        if bits.dword == 0 {
            errors.push(Diagnostic::new(bits.span.clone(), "dword 0 is the header, which has no tolerated bits").help("dword 1 is the first one of the body"));
        }
        if let Some(dwords) = bits.dwords.filter(|dwords| !forms().any(|form| form.repeat.is_some() || form.sizes.iter().any(|(_, size)| size == dwords))) {
            errors.push(Diagnostic::new(bits.span.clone(), format!("{} never has {dwords} dwords", packet.name)));
        }
        if forms().all(|form| is_field(form, bits)) {
            let d = Diagnostic::new(bits.span.clone(), format!("bits {}:{} of dword {} of {} belong to a field", bits.hi, bits.lo, bits.dword, packet.name));
            errors.push(d.help("name bits that no field has on the generations and engines of the entry"));
        }
    }
}

/// Whether one field without a condition has all the bits, wherever the entry holds.
fn is_field(form: &Form, bits: &Tolerated) -> bool {
    let shared = form.scope.and(bits.scope);
    form.fields
        .iter()
        .any(|field| field.dword == bits.dword && field.lo <= bits.lo && field.hi >= bits.hi && field.when.is_empty() && field.scope.and(shared) == shared)
}
