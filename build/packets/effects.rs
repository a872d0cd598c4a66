//! What packets do beside their layout: whole values of several fields, and effects on registers, memory and the stream.

use super::model::*;
use super::{ENGINES, Loader, byte, scope, when};
use crate::regdb::check_rust::{RESERVED, is_name};
use crate::regdb::diag::{Diagnostic, Result};
use crate::regdb::input::{Node, Table, Text};

/// The actions of an effect; each has exactly one of these keys.
const ACTIONS: [&str; 12] = ["set", "modify", "load", "sgprs", "unknown", "read", "write", "run", "skip", "base", "rolls", "waits"];
/// Keys that every effect may have.
const COMMON: [&str; 5] = ["when", "gfx", "engines", "may", "doc"];

/// The windows that effects name, in the order of their bits, and all of them.
const WINDOWS: [&str; 4] = ["config", "sh", "context", "uconfig"];

/// Reads the keys `addresses` and `joined`.
pub fn split_values(table: &Table<'_>) -> Result<Vec<SplitValue>> {
    let mut list = Vec::new();
    for (key, address) in [("addresses", true), ("joined", false)] {
        for node in table.get(key).map_or(Ok(Vec::new()), |n| n.array())? {
            list.push(whole(&node.table()?, address)?);
        }
    }
    Ok(list)
}

fn whole(table: &Table<'_>, address: bool) -> Result<SplitValue> {
    table.only(if address { &["name", "lo", "hi", "offset", "align", "preferred_align", "bits", "when"] } else { &["name", "lo", "hi", "shift"] })?;
    let (lo, hi) = match table.get("offset") {
        Some(node) => (vec![text(&node)?], None),
        None => (table.need("lo")?.items().iter().map(text).collect::<Result<_>>()?, Some(text(&table.need("hi")?)?)),
    };
    if lo.is_empty() {
        return Err(Diagnostic::new(table.need("lo")?.span(), "`lo` names one field or more"));
    }
    let number = |key: &str, otherwise: u32| table.number(key).map(|n| n.unwrap_or(otherwise));
    let align = number("align", 0)?;
    if align != 0 && !align.is_power_of_two() {
        return Err(Diagnostic::new(table.need("align")?.span(), format!("an alignment is a power of two, not {align}")));
    }
    let bits = number("bits", 48)?;
    if !(33..=64).contains(&bits) {
        return Err(Diagnostic::new(table.need("bits")?.span(), format!("an address has 33 to 64 bits, not {bits}")));
    }
    let shift = number("shift", 32)?;
    if !(1..=32).contains(&shift) {
        return Err(Diagnostic::new(table.need("shift")?.span(), format!("the lower part has 1 to 32 bits, not {shift}")));
    }
    let name = text(&table.need("name")?)?;
    if !is_name(&name.text) || RESERVED.contains(&name.text.as_str()) || name.text != name.text.to_ascii_lowercase() {
        return Err(Diagnostic::new(name.span, format!("`{}` cannot be the name of a field in Rust", name.text)));
    }
    Ok(SplitValue {
        name,
        lo,
        hi,
        shift,
        address: address.then_some(AddressLimits { align, preferred_align: number("preferred_align", 0)?, bits }),
        when: table.get("when").map_or(Ok(Vec::new()), |n| when(&n))?,
    })
}

fn text(node: &Node<'_>) -> Result<Text> {
    Ok(Text { text: node.string()?.into_owned(), span: node.span() })
}

impl Loader {
    /// Reads the key `effects`, which every packet has.
    pub(super) fn effects(&mut self, table: &Table<'_>, enclosing: Scope) -> Result<Vec<Effect>> {
        let mut list = Vec::new();
        let help = "write `effects = []` where a packet touches neither registers nor memory";
        let Some(found) = self.keep(table.need("effects").map_err(|e| e.help(help))) else { return Ok(list) };
        for node in found.array()? {
            let read = effect(&node.table()?, enclosing);
            list.extend(self.keep(read));
        }
        Ok(list)
    }
}

fn effect(table: &Table<'_>, enclosing: Scope) -> Result<Effect> {
    let actions: Vec<&str> = ACTIONS.iter().copied().filter(|a| table.get(a).is_some()).collect();
    let [action] = actions.as_slice() else {
        let what = if actions.is_empty() { "no action".to_owned() } else { format!("the actions {}", actions.join(" and ")) };
        return Err(
            Diagnostic::new(table.span.clone(), format!("an effect has one action, this one has {what}")).help(format!("actions: {}", ACTIONS.join(", ")))
        );
    };
    let keys = |own: &[&'static str]| -> Vec<&'static str> { own.iter().chain(&COMMON).copied().collect() };
    let value = table.need(action)?;
    let name = |key: &str| table.text(key);
    let need = |key: &str| text(&table.need(key)?);
    let list = |key: &str| table.get(key).map_or(Ok(Vec::new()), |n| n.items().iter().map(text).collect::<Result<Vec<_>>>());
    let sum = |key: &str| table.get(key).map(|n| expression(&n)).transpose();
    let does = match *action {
        "set" if window(&value)?.is_some() => {
            table.only(&keys(&["set", "at", "values", "count", "dwords", "still"]))?;
            let at = list("at")?;
            if at.is_empty() {
                return Err(Diagnostic::new(value.span(), "which register is set? `at` is missing"));
            }
            let still = table.get("still").map_or(Ok(Vec::new()), |n| when(&n))?;
            Does::Set { start: start(&value)?, at, values: list("values")?, count: name("count")?, dwords: sum("dwords")?, still }
        }
        "set" => {
            table.only(&keys(&["set", "value"]))?;
            Does::Named { register: text(&value)?, value: name("value")? }
        }
        "modify" => {
            table.only(&keys(&["modify", "at", "mask", "keep", "value"]))?;
            let (mask, keep) = (name("mask")?, name("keep")?);
            let (mask, keeps) = match (mask, keep) {
                (Some(mask), None) => (mask, false),
                (None, Some(keep)) => (keep, true),
                _ => return Err(Diagnostic::new(value.span(), "give `mask`, the bits that change, or `keep`, the bits that stay")),
            };
            Does::Modify { start: start(&value)?, at: need("at")?, mask, keeps, value: need("value")? }
        }
        "load" => {
            table.only(&keys(&["load", "at", "dwords", "from", "image"]))?;
            let from = table.get("from").map(|n| location(&n)).transpose()?;
            Does::Load { start: start(&value)?, at: need("at")?, dwords: expression(&table.need("dwords")?)?, from, image: table.flag("image")? }
        }
        "sgprs" => {
            table.only(&keys(&["sgprs", "dwords"]))?;
            let dwords = table.get("dwords").map_or(Ok(1), |n| n.string()?.parse::<u8>().map_err(|_| n.expected("a number in quotes")))?;
            Does::Sgprs { at: text(&value)?, dwords }
        }
        "unknown" => {
            table.only(&keys(&["unknown", "by"]))?;
            match &*value.string()? {
                "memory" => Does::Anywhere,
                "everything" => Does::Everything,
                "registers" => Does::Unknown { windows: 0xF },
                _ => Does::Unknown { windows: 1 << window(&value)?.flatten().ok_or_else(|| no_window(&value))? },
            }
        }
        "read" | "write" => {
            table.only(&keys(&["read", "write", "plus", "bytes", "count", "stride", "data", "still", "timing", "at_once", "by"]))?;
            let still = table.get("still").map_or(Ok(Vec::new()), |n| when(&n))?;
            let (count, stride) = (sum("count")?, sum("stride")?);
            if count.is_some() != stride.is_some() {
                return Err(Diagnostic::new(table.span.clone(), "`count` and `stride` need each other: give both or none"));
            }
            Does::Memory(Box::new(MemoryUse {
                at_once: table.get("at_once").map_or(Ok(Vec::new()), |n| when(&n))?,
                write: *action == "write",
                at: location(&value)?,
                plus: sum("plus")?,
                bytes: expression(&table.need("bytes")?)?,
                each: count.zip(stride),
                data: name("data")?,
                still,
            }))
        }
        "run" => {
            table.only(&keys(&["run", "dwords", "last"]))?;
            Does::Run { at: text(&value)?, dwords: expression(&table.need("dwords")?)?, last: table.flag("last")? }
        }
        "skip" => {
            table.only(&keys(&["skip"]))?;
            Does::Skip { dwords: expression(&value)? }
        }
        "base" => {
            table.only(&keys(&["base", "value"]))?;
            Does::Base { index: text(&value)?, value: need("value")? }
        }
        flag => {
            table.only(&keys(if flag == "waits" { &["waits", "by", "timing"] } else { &["rolls", "by"] }))?;
            if !value.boolean()? {
                return Err(Diagnostic::new(value.span(), format!("leave `{flag}` out where it is false")));
            }
            if flag == "rolls" { Does::Rolls } else { Does::Waits }
        }
    };
    let by = table.get("by").map(|n| engine_of(&n)).transpose()?;
    let timing = match table.get("timing") {
        None => 0,
        Some(node) => {
            let text = node.string()?;
            let known = TIMINGS.iter().position(|t| *t == text);
            known.ok_or_else(|| Diagnostic::new(node.span(), format!("`{text}` is not a timing")).help(format!("timings: {}", TIMINGS.join(", "))))?
        }
    };
    let scope = scope(table, enclosing)?;
    let when = table.get("when").map_or(Ok(Vec::new()), |n| when(&n))?;
    let doc = table.string("doc")?.unwrap_or_default();
    Ok(Effect { span: table.span.clone(), scope, when, may: table.flag("may")?, by, timing, does, doc })
}

/// `"pfp"` or `"me"`: who acts on the graphics queue.
pub fn engine_of(node: &Node<'_>) -> Result<u8> {
    let text = node.string()?;
    let known = ENGINES.iter().position(|e| *e == text).filter(|i| *i < 2);
    known
        .map(|i| i as u8)
        .ok_or_else(|| Diagnostic::new(node.span(), format!("`{text}` is not an engine of the graphics queue")).help("write \"pfp\" or \"me\""))
}

/// The bit of a window, None in it for absolute addresses; None for what is neither.
fn window(node: &Node<'_>) -> Result<Option<Option<usize>>> {
    let text = node.string()?;
    Ok(WINDOWS.iter().position(|w| *w == text).map(Some).or((text == "absolute").then_some(None)))
}

fn no_window(node: &Node<'_>) -> Box<Diagnostic> {
    Diagnostic::new(node.span(), "this is not a window of registers")
        .help(format!("windows: {}; `registers` for all, `memory`, `everything`", WINDOWS.join(", ")))
}

/// A window, or absolute dword addresses.
pub fn start(node: &Node<'_>) -> Result<Option<usize>> {
    window(node)?.ok_or_else(|| no_window(node).help(format!("windows: {}, absolute", WINDOWS.join(", "))))
}

/// The name of an address, `{ base = 1, offset = "field" }`, or `{ unnamed = true }`.
fn location(node: &Node<'_>) -> Result<Location> {
    if node.is_string() {
        return Ok(Location::Address(text(node)?));
    }
    let table = node.table()?;
    table.only(&["base", "offset", "unnamed"])?;
    if table.flag("unnamed")? {
        return Ok(Location::Unnamed);
    }
    Ok(Location::Base { index: byte(&table.need("base")?)?, offset: text(&table.need("offset")?)? })
}

/// `"4 * num_dw"`, `"12"`: one product of numbers and fields.
fn expression(node: &Node<'_>) -> Result<Product> {
    let whole = text(node)?;
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
