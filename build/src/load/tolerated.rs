//! Reads the key `tolerated` of a packet: bits outside all fields that drivers set without harm.

use crate::diag::Result;
use crate::input::{Node, each};
use crate::model::packets::{Scope, Tolerated};

/// Reads the list.
pub fn load(list: &[Node<'_>], enclosing: Scope) -> Result<Vec<Tolerated>> {
    each(list, &|item| {
        let table = item.table()?;
        table.only(&["dword", "bits", "dwords", "gfx", "engines", "doc"])?;
        let (lo, hi) = table.need("bits")?.bits()?;
        Ok(Tolerated {
            span: table.span.clone(),
            dword: super::packets::byte(&table.need("dword")?)?,
            lo,
            hi,
            dwords: match table.get("dwords") {
                Some(node) => Some(super::packets::byte(&node)?),
                None => None,
            },
            scope: super::packets::scope(&table, enclosing)?,
            doc: table.need_string("doc")?,
        })
    })
}
