//! Reads the parts of packets other than their layout: values of several fields, and effects on registers, memory and the stream.

use super::packets::{Loader, byte, scope, when};
use crate::diag::{Diagnostic, Result};
use crate::input::{Node, Table, texts};
use crate::model::packets::*;
use crate::names::{RESERVED, is_name};

/// The actions of effects; each effect has exactly one of these keys.
const ACTIONS: [&str; 12] = ["set", "modify", "load", "sgprs", "unknown", "read", "write", "run", "skip", "base", "rolls", "waits"];
/// Keys that every effect may have.
const COMMON: [&str; 5] = ["when", "gfx", "engines", "may", "doc"];

/// The names of windows in effects, in bit order, and all of them.
const WINDOWS: [&str; 4] = ["config", "sh", "context", "uconfig"];

/// Reads the keys `addresses` and `joined`.
pub fn split_values(table: &Table<'_>) -> Result<Vec<SplitValue>> {
    let mut list = Vec::new();
    for (key, address) in [("addresses", true), ("joined", false)] {
        for node in table.array(key)? {
            list.push(whole(&node.table()?, address)?);
        }
    }
    Ok(list)
}

fn whole(table: &Table<'_>, address: bool) -> Result<SplitValue> {
    table.only(if address { &["name", "lo", "hi", "offset", "align", "preferred_align", "bits", "when"] } else { &["name", "lo", "hi", "shift"] })?;
    let (lo, hi) = match table.get("offset") {
        Some(node) => (vec![node.text()?], None),
        None => (texts(&table.need("lo")?.items())?, Some(table.need_text("hi")?)),
    };
    if lo.is_empty() {
        return Err(Diagnostic::new(table.need("lo")?.span(), "`lo` names one field or more"));
    }
    let align = table.number("align")?.unwrap_or(0);
    if align != 0 && !align.is_power_of_two() {
        return Err(Diagnostic::new(table.need("align")?.span(), format!("an alignment is a power of two, not {align}")));
    }
    let bits = table.number("bits")?.unwrap_or(48);
    if !(33..=64).contains(&bits) {
        return Err(Diagnostic::new(table.need("bits")?.span(), format!("an address has 33 to 64 bits, not {bits}")));
    }
    let shift = table.number("shift")?.unwrap_or(32);
    if !(1..=32).contains(&shift) {
        return Err(Diagnostic::new(table.need("shift")?.span(), format!("the lower part has 1 to 32 bits, not {shift}")));
    }
    let name = table.need_text("name")?;
    if !is_name(&name.text) || RESERVED.contains(&name.text.as_str()) || name.text != name.text.to_ascii_lowercase() {
        return Err(Diagnostic::new(name.span, format!("`{}` cannot be the name of a field in Rust", name.text)));
    }
    Ok(SplitValue {
        name,
        lo,
        hi,
        shift,
        address: address.then_some(AddressLimits { align, preferred_align: table.number("preferred_align")?.unwrap_or(0), bits }),
        when: when(table, "when")?,
    })
}

impl Loader {
    /// Reads the key `effects`, which is required.
    pub(super) fn effects(&mut self, table: &Table<'_>, enclosing: Scope) -> Result<Vec<Effect>> {
        let mut list = Vec::new();
        let help = "write `effects = []` where a packet touches neither registers nor memory";
        let Some(found) = self.keep(table.need("effects").map_err(|e| e.help(help))) else { return Ok(list) };
        for node in found.array()? {
            match effect(&node.table()?, enclosing) {
                Ok(effect) => list.push(effect),
                Err(e) => self.errors.push(e),
            }
        }
        Ok(list)
    }
}

fn effect(table: &Table<'_>, enclosing: Scope) -> Result<Effect> {
    let mut actions = Vec::new();
    for action in ACTIONS {
        if table.get(action).is_some() {
            actions.push(action);
        }
    }
    let [action] = actions.as_slice() else {
        let what = if actions.is_empty() { "no action".to_owned() } else { format!("the actions {}", actions.join(" and ")) };
        return Err(
            Diagnostic::new(table.span.clone(), format!("an effect has one action, this one has {what}")).help(format!("actions: {}", ACTIONS.join(", ")))
        );
    };
    let does = does(table, action)?;
    let by = engine_of(table, "by")?;
    let timing = match table.get("timing") {
        None => 0,
        Some(node) => {
            let text = node.string()?;
            let known = TIMINGS.iter().position(|t| *t == text);
            known.ok_or_else(|| Diagnostic::new(node.span(), format!("`{text}` is not a timing")).help(format!("timings: {}", TIMINGS.join(", "))))?
        }
    };
    let scope = scope(table, enclosing)?;
    let when = when(table, "when")?;
    let doc = table.string("doc")?.unwrap_or_default();
    Ok(Effect { span: table.span.clone(), scope, when, may: table.flag("may")?, by, timing, does, doc })
}

/// Refuses keys that this kind of effect does not have.
fn only(table: &Table<'_>, own: &[&str]) -> Result<()> {
    table.only(&[own, &COMMON].concat())
}

/// Reads the action of an effect.
fn does(table: &Table<'_>, action: &str) -> Result<Does> {
    let value = table.need(action)?;
    Ok(match action {
        "set" if window(&value)?.is_some() => {
            only(table, &["set", "at", "values", "count", "dwords", "still"])?;
            let at = table.texts("at")?;
            if at.is_empty() {
                return Err(Diagnostic::new(value.span(), "which register is set? `at` is missing"));
            }
            let still = when(table, "still")?;
            Does::Set { start: start(&value)?, at, values: table.texts("values")?, count: table.text("count")?, dwords: product(table, "dwords")?, still }
        }
        "set" => {
            only(table, &["set", "value"])?;
            Does::Named { register: value.text()?, value: table.text("value")? }
        }
        "modify" => {
            only(table, &["modify", "at", "mask", "keep", "value"])?;
            let (mask, keep) = (table.text("mask")?, table.text("keep")?);
            let (mask, keeps) = match (mask, keep) {
                (Some(mask), None) => (mask, false),
                (None, Some(keep)) => (keep, true),
                _ => return Err(Diagnostic::new(value.span(), "give `mask`, the bits that change, or `keep`, the bits that stay")),
            };
            Does::Modify { start: start(&value)?, at: table.need_text("at")?, mask, keeps, value: table.need_text("value")? }
        }
        "load" => {
            only(table, &["load", "at", "dwords", "from", "image"])?;
            let from = match table.get("from") {
                Some(node) => Some(location(&node)?),
                None => None,
            };
            Does::Load { start: start(&value)?, at: table.need_text("at")?, dwords: expression(&table.need("dwords")?)?, from, image: table.flag("image")? }
        }
        "sgprs" => {
            only(table, &["sgprs", "dwords"])?;
            let dwords = table.get("dwords").map_or(Ok(1), |n| n.string()?.parse::<u8>().map_err(|_| n.expected("a number in quotes")))?;
            Does::Sgprs { at: value.text()?, dwords }
        }
        "unknown" => {
            only(table, &["unknown", "by"])?;
            match &*value.string()? {
                "memory" => Does::Anywhere,
                "everything" => Does::Everything,
                "registers" => Does::Unknown { windows: 0xF },
                _ => Does::Unknown { windows: 1 << window(&value)?.flatten().ok_or_else(|| no_window(&value))? },
            }
        }
        "read" | "write" => {
            only(table, &["read", "write", "plus", "bytes", "count", "stride", "data", "still", "timing", "at_once", "by"])?;
            let still = when(table, "still")?;
            let (count, stride) = (product(table, "count")?, product(table, "stride")?);
            if count.is_some() != stride.is_some() {
                return Err(Diagnostic::new(table.span.clone(), "`count` and `stride` need each other: give both or none"));
            }
            Does::Memory(Box::new(MemoryUse {
                at_once: when(table, "at_once")?,
                write: action == "write",
                at: location(&value)?,
                plus: product(table, "plus")?,
                bytes: expression(&table.need("bytes")?)?,
                each: count.zip(stride),
                data: table.text("data")?,
                still,
            }))
        }
        "run" => {
            only(table, &["run", "dwords", "last"])?;
            Does::Run { at: value.text()?, dwords: expression(&table.need("dwords")?)?, last: table.flag("last")? }
        }
        "skip" => {
            only(table, &["skip"])?;
            Does::Skip { dwords: expression(&value)? }
        }
        "base" => {
            only(table, &["base", "value"])?;
            Does::Base { index: value.text()?, value: table.need_text("value")? }
        }
        flag => {
            only(table, if flag == "waits" { &["waits", "by", "timing"] } else { &["rolls", "by"] })?;
            if !value.boolean()? {
                return Err(Diagnostic::new(value.span(), format!("leave `{flag}` out where it is false")));
            }
            if flag == "rolls" { Does::Rolls } else { Does::Waits }
        }
    })
}

/// Reads `"pfp"` or `"me"`: who acts on the graphics queue.
pub fn engine_of(table: &Table<'_>, key: &str) -> Result<Option<u8>> {
    let Some(node) = table.get(key) else { return Ok(None) };
    let text = node.string()?;
    match ENGINES.iter().position(|e| *e == text) {
        Some(engine) if engine < 2 => Ok(Some(engine as u8)),
        _ => Err(Diagnostic::new(node.span(), format!("`{text}` is not an engine of the graphics queue")).help("write \"pfp\" or \"me\"")),
    }
}

/// Returns the bit of a window, or an inner None for absolute addresses; None if it is neither.
fn window(node: &Node<'_>) -> Result<Option<Option<usize>>> {
    let text = node.string()?;
    Ok(WINDOWS.iter().position(|w| *w == text).map(Some).or((text == "absolute").then_some(None)))
}

fn no_window(node: &Node<'_>) -> Box<Diagnostic> {
    Diagnostic::new(node.span(), "this is not a window of registers")
        .help(format!("windows: {}; `registers` for all, `memory`, `everything`", WINDOWS.join(", ")))
}

/// Reads a window, or absolute dword addresses.
pub fn start(node: &Node<'_>) -> Result<Option<usize>> {
    window(node)?.ok_or_else(|| no_window(node).help(format!("windows: {}, absolute", WINDOWS.join(", "))))
}

/// Reads the name of an address, `{ base = 1, offset = "field" }`, or `{ unnamed = true }`.
fn location(node: &Node<'_>) -> Result<Location> {
    if node.is_string() {
        return Ok(Location::Address(node.text()?));
    }
    let table = node.table()?;
    table.only(&["base", "offset", "unnamed"])?;
    if table.flag("unnamed")? {
        return Ok(Location::Unnamed);
    }
    Ok(Location::Base { index: byte(&table.need("base")?)?, offset: table.need_text("offset")? })
}

/// Reads the expression of an optional key.
fn product(table: &Table<'_>, key: &str) -> Result<Option<Product>> {
    match table.get(key) {
        Some(node) => Ok(Some(expression(&node)?)),
        None => Ok(None),
    }
}

/// Reads `"4 * num_dw"`, `"12"`: a product of numbers and fields.
fn expression(node: &Node<'_>) -> Result<Product> {
    let whole = node.text()?;
    let mut product = Product { factor: 1, fields: Vec::new(), span: whole.span.clone() };
    for part in whole.text.split('*').map(str::trim) {
        match part.parse::<u32>() {
            Ok(number) => product.factor = product.factor.saturating_mul(number),
            Err(_) if part.is_empty() || part.starts_with(|c: char| c.is_ascii_digit()) || !part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                return Err(Diagnostic::new(whole.span, format!("`{part}` is neither a number nor a field")).help("write a product such as \"4 * num_dw\""));
            }
            Err(_) => product.fields.push(part.to_owned()),
        }
    }
    Ok(product)
}
