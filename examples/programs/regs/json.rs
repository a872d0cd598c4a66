//! JSON Lines: one record per register or value list of one generation.

use super::select::Selection;
use pm4::chip::Gfx;
use pm4::regs::{self, EnumInfo, FieldInfo, RegisterInfo};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

pub fn print(out: &mut impl Write, found: &Selection) -> io::Result<()> {
    for gfx in &found.generations {
        for hit in found.registers.iter().filter(|hit| hit.gfx == *gfx) {
            record(out, register(*gfx, hit.info))?;
        }
        for values in found.values_on(*gfx) {
            record(out, value_list(*gfx, values))?;
        }
    }
    Ok(())
}

fn record(out: &mut impl Write, fields: Vec<(&'static str, Value)>) -> io::Result<()> {
    let object: Map<String, Value> = fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")
}

fn register(gfx: Gfx, info: &RegisterInfo) -> Vec<(&'static str, Value)> {
    let mut record = vec![
        ("type", json!("register")),
        ("gfx", json!(gfx.to_string())),
        ("name", json!(info.name)),
        ("addr", json!(format!("{:#x}", info.addr))),
        ("space", json!(info.space().to_string())),
        ("count", json!(info.count)),
        ("stride", json!(info.stride)),
        ("fields", info.fields.iter().map(field).collect()),
        ("sources", info.sources.names().collect()),
        ("typed", json!(info.typed)),
    ];
    if info.count > 1 {
        record.push(("elements", elements(gfx, info).collect()));
    }
    if !info.aliases.is_empty() {
        record.push(("aliases", json!(info.aliases)));
    }
    record.extend(info.clear.map(|clear| ("clear", json!(format!("{clear:#x}")))));
    record.extend(info.index.map(|index| ("index", json!(index))));
    record.extend(info.index_seen.map(|(index, source)| ("index_seen", json!({ "index": index, "source": source }))));
    record.extend(info.group.map(|group| ("group", json!(group))));
    record.push(("rolls", json!(info.rolls)));
    record.extend(texts(info.doc, info.note));
    record
}

/// Returns the names of an array's elements.
fn elements(gfx: Gfx, info: &RegisterInfo) -> impl Iterator<Item = String> {
    (0..info.count).filter_map(move |i| regs::lookup(gfx, info.addr + i * info.stride)).map(|element| element.to_string())
}

fn field(field: &FieldInfo) -> Value {
    let mut object = json!({ "name": field.name, "lo": field.lo, "hi": field.hi, "enum": field.values.map(|values| values.name) });
    if field.float {
        object["float"] = json!(true);
    }
    for (key, text) in texts(field.doc, field.note) {
        object[key] = text;
    }
    object
}

fn value_list(gfx: Gfx, values: &EnumInfo) -> Vec<(&'static str, Value)> {
    let entries: Map<String, Value> = values.entries.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let mut record = vec![("type", json!("enum")), ("gfx", json!(gfx.to_string())), ("name", json!(values.name)), ("entries", Value::Object(entries))];
    if values.flags {
        record.push(("flags", json!(true)));
    }
    record.extend(values.sources.map(|sources| ("sources", sources.names().collect())));
    record.extend(texts(values.doc, values.note));
    record
}

/// Returns the non-empty texts.
fn texts(doc: &'static str, note: &'static str) -> impl Iterator<Item = (&'static str, Value)> {
    [("doc", doc), ("note", note)].into_iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| (key, json!(text)))
}
