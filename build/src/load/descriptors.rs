//! Reads the resource descriptors into the model.

use crate::diag::{Diagnostic, Result, Source};
use crate::gfx::GfxSet;
use crate::input::{self, Node, Table, Text, each};
use crate::load::registers as load;
use crate::model::descriptors::*;

/// Loads the files in `regdb/descriptors/` among `files`; collects all mistakes and loads the rest.
pub fn load(files: &[Source]) -> (Descriptors, Vec<Box<Diagnostic>>) {
    let mut all = Descriptors::default();
    let mut errors = Vec::new();
    for (file, source) in files.iter().enumerate() {
        if !source.name.contains("descriptors/") {
            continue;
        }
        match input::parse(file, source) {
            Ok(parsed) => load_file(&input::root(file, &parsed), &mut all, &mut errors),
            Err(e) => errors.push(e),
        }
    }
    (all, errors)
}

fn load_file(root: &Table<'_>, all: &mut Descriptors, errors: &mut Vec<Box<Diagnostic>>) {
    for (name, node) in root.entries() {
        if let Err(e) = load_entry(name, &node, all, errors) {
            errors.push(e);
        }
    }
}

/// Loads an entry of a file: a section or a word. Adds mistakes in the parts of a section to `errors`.
fn load_entry(name: &str, node: &Node<'_>, all: &mut Descriptors, errors: &mut Vec<Box<Diagnostic>>) -> Result<()> {
    match name {
        "enum" => load::load_enums(&node.table()?, &mut all.values, errors),
        "descriptor" => {
            for (name, node) in node.table()?.entries() {
                match load_descriptor(name, &node) {
                    Ok(descriptor) => all.list.push(descriptor),
                    Err(e) => errors.push(e),
                }
            }
        }
        "format" => {
            for (name, node) in node.table()?.entries() {
                match load_format(name, &node) {
                    Ok(format) => all.formats.push(format),
                    Err(e) => errors.push(e),
                }
            }
        }
        _ => all.words.push(load_word(name, node)?),
    }
    Ok(())
}

fn text(name: &str, node: &Node<'_>) -> Text {
    Text { text: name.to_owned(), span: node.key.clone() }
}

fn load_descriptor(name: &str, node: &Node<'_>) -> Result<Descriptor> {
    let table = node.table()?;
    table.only(&["doc", "words", "joined"])?;
    let words = input::texts(&table.need("words")?.array()?)?;
    if words.is_empty() || words.len() > MOST_WORDS {
        return Err(Diagnostic::new(table.need("words")?.span(), format!("a descriptor has 1 to {MOST_WORDS} dwords, not {}", words.len())));
    }
    let joined = each(&table.items("joined"), &load_joined)?;
    Ok(Descriptor { name: text(name, node), doc: table.string("doc")?.unwrap_or_default(), words, joined })
}

/// The most dwords of a descriptor.
const MOST_WORDS: usize = 8;

fn load_joined(node: &Node<'_>) -> Result<Joined> {
    let table = node.table()?;
    table.only(&["name", "gfx", "lo", "hi", "unit", "doc"])?;
    let unit = table.number("unit")?.unwrap_or(1);
    if !unit.is_power_of_two() {
        return Err(Diagnostic::new(table.need("unit")?.span(), format!("the unit is a power of two, which {unit} is not")));
    }
    let doc = table.string("doc")?.unwrap_or_default();
    let name = table.need_text("name")?;
    Ok(Joined { name, gfx: table.gfx(GfxSet::ALL)?, lo: table.need_text("lo")?, hi: table.need_text("hi")?, unit, doc })
}

fn load_word(name: &str, node: &Node<'_>) -> Result<Word> {
    let table = node.table()?;
    table.only(&["fields"])?;
    let mut fields = Vec::new();
    for (name, node) in table.need("fields")?.table()?.entries() {
        // As in registers, the doc of the first line applies to all.
        let mut doc = None;
        let items = node.items();
        if items.is_empty() {
            return Err(Diagnostic::new(node.span(), format!("the field {name} has no bits on any generation")));
        }
        for item in items {
            let mut field = load::load_field(name, &node, &item, GfxSet::ALL, "no descriptor exists", &["same_bits"])?;
            doc = field.doc.take().or(doc);
            field.doc.clone_from(&doc);
            let same_bits = if item.is_table() { item.table()?.text("same_bits")? } else { None };
            fields.push(WordField { field, same_bits });
        }
    }
    Ok(Word { name: text(name, node), fields })
}

fn load_format(name: &str, node: &Node<'_>) -> Result<TexelFormat> {
    let table = node.table()?;
    table.only(&["bits", "channels", "own", "format", "gfx9", "etc2", "buffers_only", "blocks", "depth", "stencil", "swap"])?;
    let bits = table.need("bits")?.number()?;
    if bits == 0 || bits > 128 || !bits.is_multiple_of(8) {
        return Err(Diagnostic::new(table.need("bits")?.span(), format!("a texel, element or block has 8 to 128 bits in whole bytes, not {bits}")));
    }
    let format = table.text("format")?;
    let gfx9 = match table.get("gfx9") {
        Some(node) => {
            let parts = node.array()?;
            let [data, number] = parts.as_slice() else {
                return Err(node.expected("[\"data format\", \"number format\"]"));
            };
            Some((data.text()?, number.text()?))
        }
        None => format.as_ref().and_then(|format| {
            let (data, number) = format.text.rsplit_once('_')?;
            let part = |text: &str| Text { text: text.to_owned(), span: format.span.clone() };
            Some((part(data), part(number)))
        }),
    };
    let depth = match (table.number("depth")?, table.number("stencil")?) {
        (None, None) => None,
        (depth, stencil) => Some((depth.unwrap_or(0), stencil.unwrap_or(0))),
    };
    Ok(TexelFormat {
        name: text(name, node),
        bits,
        channels: table.text("channels")?.ok_or_else(|| Diagnostic::new(node.key.clone(), "`channels` is missing"))?,
        own: table.text("own")?,
        format,
        gfx9,
        etc2: table.flag("etc2")?,
        buffers_only: table.flag("buffers_only")?,
        blocks: table.flag("blocks")?,
        depth,
        swap: table.text("swap")?,
    })
}
