//! Resolves conditions between fields from names to bits.

use crate::diag::{Diagnostic, Result};
use crate::model::packets::*;

/// Returns the condition list of a field for each part of its scope. A field that a view lacks reads as 0, so its condition is already decided there.
pub fn conditions(packets: &Packets, form: &Form, field: &Field) -> Result<Vec<(Scope, Vec<Condition>)>> {
    parts(packets, form, field.scope, &field.when)
}

/// Returns the same for any list of conditions.
pub fn parts(packets: &Packets, form: &Form, scope: Scope, conditions: &[When]) -> Result<Vec<(Scope, Vec<Condition>)>> {
    let mut parts = vec![(scope, Vec::new())];
    for when in conditions {
        let named = form.named(&when.field);
        if named.is_empty() {
            return Err(Diagnostic::new(when.span.clone(), format!("the packet has no field `{}`", when.field)));
        }
        let mut next = Vec::new();
        for (scope, list) in parts {
            let mut left = scope;
            for other in &named {
                let here = left.and(other.scope);
                if here.is_empty() {
                    continue;
                }
                left = left.minus(here);
                let mut list: Vec<Condition> = list.clone();
                let values = values_of(packets, other, when)?;
                list.push(Condition { dword: other.dword, lo: other.lo, hi: other.hi, not: when.not, values });
                next.push((here, list));
            }
            if !left.is_empty() {
                let zero = named.iter().any(|f| when.values.iter().any(|v| value_of(packets, f, v, when).is_ok_and(|v| v == 0)));
                if zero != when.not {
                    next.push((left, list));
                }
            }
        }
        parts = next;
    }
    // Equal parts are merged again.
    let mut merged: Vec<(Scope, Vec<Condition>)> = Vec::new();
    for (scope, list) in parts {
        if scope.is_empty() {
            continue;
        }
        match merged.iter_mut().find(|(_, l)| *l == list) {
            Some((all, _)) => all.0 |= scope.0,
            None => merged.push((scope, list)),
        }
    }
    Ok(merged)
}

/// Returns the numbers of a condition without duplicates: generations may have two names for one number.
pub(super) fn values_of(packets: &Packets, field: &Field, when: &When) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for value in &when.values {
        let number = value_of(packets, field, value, when)?;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

fn value_of(packets: &Packets, field: &Field, value: &str, when: &When) -> Result<u32> {
    if let Ok(number) = value.parse() {
        return Ok(number);
    }
    if let Some(index) = field.values
        && let Some(known) = packets.enums[index].values.iter().find(|known| known.name == value)
    {
        return Ok(known.value);
    }
    Err(Diagnostic::new(when.span.clone(), format!("`{value}` is not a value of `{}`", field.name)))
}
