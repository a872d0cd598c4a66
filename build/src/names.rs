//! Names in the description files: allowed characters, and the corresponding Rust names.

use crate::diag::{Diagnostic, Result, Span};
use std::collections::BTreeMap;

/// Converts the name of a register, packet, instruction or chip to a type name: `DB_SHADER_CONTROL` and `db_shader_control` become `DbShaderControl`. A
/// CamelCase name stays unchanged.
pub fn camel(name: &str) -> String {
    if !name.contains('_') && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().any(|c| c.is_ascii_lowercase()) {
        return name.to_owned();
    }
    let mut out = String::new();
    for part in name.split('_') {
        // Adjacent numbers keep a separator, so that X0Y0_1 and X0Y01 differ.
        if out.ends_with(|c: char| c.is_ascii_digit()) && part.starts_with(|c: char| c.is_ascii_digit()) {
            out.push('_');
        }
        let mut chars = part.chars();
        if let Some(first) = chars.next() {
            out.push(first.to_ascii_uppercase());
        }
        out.push_str(&chars.as_str().to_ascii_lowercase());
    }
    out
}

/// Returns the indices of equal names, grouped, in the order of their first occurrence.
pub fn equal(names: &[String]) -> Vec<Vec<usize>> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let group = *known.entry(name.clone()).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(place);
    }
    groups
}

/// Returns the pairs of equal names, the later index first.
pub fn pairs(names: &[String]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for group in equal(names) {
        for (i, &late) in group.iter().enumerate() {
            for &early in &group[..i] {
                pairs.push((late, early));
            }
        }
    }
    pairs
}

/// Converts the name of a field or method to lower case, with `r#` for Rust keywords.
pub fn field_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    if is_keyword(&name) { format!("r#{name}") } else { name }
}

/// Returns whether Rust accepts the word as a name only in raw form.
pub fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 48] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern", "false", "final", "fn",
        "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static",
        "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    ];
    KEYWORDS.contains(&name)
}

/// Words that cannot be names even in raw form.
pub const RESERVED: [&str; 5] = ["self", "Self", "super", "crate", "_"];

/// Returns whether a name is a letter or underscore followed by letters, digits and underscores.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && is_rest(name)
}

/// Returns whether a text consists of letters, digits and underscores.
pub fn is_rest(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Checks for upper-case letters, digits and underscores, with a letter first.
pub fn amd_name(what: &str, name: &str, at: &Span) -> Result<()> {
    if let Some(c) = name.chars().find(|c| !(c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_')) {
        return Err(Diagnostic::new(at.clone(), format!("{what} is written in upper case letters, digits and underscores; `{c}` is not one of them")));
    }
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Err(Diagnostic::new(at.clone(), format!("{what} begins with a letter, which `{name}` does not")));
    }
    Ok(())
}
