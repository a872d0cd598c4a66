//! The key `tolerated` of a packet: bits of no field that drivers set without harm.

use super::model::{Form, Packet, Scope, Tolerated};
use crate::regdb::diag::{Diagnostic, Result};
use crate::regdb::input::{Node, each};
use crate::regdb::lists::wanted;

/// Reads the list.
pub fn load(list: &[Node<'_>], enclosing: Scope) -> Result<Vec<Tolerated>> {
    each(list, &|item| {
        let table = item.table()?;
        table.only(&["dword", "bits", "dwords", "gfx", "engines", "doc"])?;
        let (lo, hi) = table.need("bits")?.bits()?;
        Ok(Tolerated {
            span: table.span.clone(),
            dword: super::byte(&table.need("dword")?)?,
            lo,
            hi,
            dwords: match table.get("dwords") {
                Some(node) => Some(super::byte(&node)?),
                None => None,
            },
            scope: super::scope(&table, enclosing)?,
            doc: table.need_string("doc")?,
        })
    })
}

/// Entries that say nothing: of a size that the packet does not have, or of bits that a field of every layout has.
pub fn check(packet: &Packet, errors: &mut Vec<Box<Diagnostic>>) {
    for bits in &packet.tolerated {
        let forms = wanted(&packet.forms, &|form| form.scope.intersects(bits.scope));
        if bits.dword == 0 {
            errors.push(Diagnostic::new(bits.span.clone(), "dword 0 is the header, which has no tolerated bits").help("dword 1 is the first one of the body"));
        }
        let may_have = |dwords: u8| forms.iter().any(|form| form.repeat.is_some() || form.sizes.iter().any(|(_, size)| *size == dwords));
        if let Some(dwords) = bits.dwords.filter(|dwords| !may_have(*dwords)) {
            errors.push(Diagnostic::new(bits.span.clone(), format!("{} never has {dwords} dwords", packet.name)));
        }
        if forms.iter().all(|form| is_field(form, bits)) {
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
