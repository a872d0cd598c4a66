//! Reads `regdb/isa/` into the model: shader instructions and wave registers.

use crate::diag::{Diagnostic, Result, Source};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::input::{self, Node, Table};
use crate::load::registers::{inside, within};
use crate::model::isa::*;

/// Operand names in the files, bit 0 first.
const OPERANDS: [&str; 5] = ["dst", "src0", "src1", "imm", "src2"];

/// Loads both files and collects all mistakes.
pub fn load(files: &[Source]) -> (Isa, Vec<Box<Diagnostic>>) {
    let mut isa = Isa::default();
    let mut errors = Vec::new();
    for (file, source) in files.iter().enumerate() {
        let load: fn(&Table<'_>, &mut Isa, &mut Vec<Box<Diagnostic>>) = match source.name.strip_prefix("regdb/").unwrap_or(&source.name) {
            "isa/instructions.toml" => load_instructions,
            "isa/wave_registers.toml" => load_registers,
            _ => continue,
        };
        match input::parse(file, source) {
            Ok(parsed) => load(&input::root(file, &parsed), &mut isa, &mut errors),
            Err(e) => errors.push(e),
        }
    }
    (isa, errors)
}

fn load_instructions(root: &Table<'_>, isa: &mut Isa, errors: &mut Vec<Box<Diagnostic>>) {
    for (name, node) in root.entries() {
        let Some(format) = FORMATS.iter().find(|f| f.name == name) else {
            let known = FORMATS.iter().map(|format| format.name.to_owned()).collect::<Vec<_>>().join(", ");
            errors.push(Diagnostic::new(node.key, format!("`{name}` is not an instruction format; known are {known}")));
            continue;
        };
        match node.table() {
            Ok(table) => {
                for (name, node) in table.entries() {
                    match load_instruction(name, &node, format) {
                        Ok(instruction) => isa.instructions.push(instruction),
                        Err(e) => errors.push(e),
                    }
                }
            }
            Err(e) => errors.push(e),
        }
    }
}

fn load_instruction(name: &str, node: &Node<'_>, format: &'static Format) -> Result<Instruction> {
    let table = node.table()?;
    table.only(&["gfx", "op", "wide", "lacks", "name", "data", "store", "atomic"])?;
    let codes = codes(&table, format)?;
    let mut there = GfxSet::NONE;
    for (gfx, code) in codes.iter().enumerate() {
        if code.is_some() {
            there = there.or(GfxSet::only(gfx));
        }
    }
    let mut names = Vec::new();
    for item in table.items("name") {
        let entry = item.table()?;
        entry.only(&["gfx", "name"])?;
        entry.need("gfx")?;
        names.push((within(&entry, there, "the instruction does not exist")?, entry.need_string("name")?));
    }
    Ok(Instruction {
        name: name.to_owned(),
        format,
        codes,
        wide: operands(&table, "wide")?,
        lacks: operands(&table, "lacks")?,
        data: below(&table, "data", u8::MAX.into())?.unwrap_or(0),
        store: table.flag("store")?,
        atomic: table.flag("atomic")?,
        names,
        span: node.key.clone(),
    })
}

/// Reads `op = 3` for the generations of `gfx`, or `op = [{ gfx, op }]`.
fn codes(table: &Table<'_>, format: &Format) -> Result<[Option<u32>; 6]> {
    let node = table.need("op")?;
    let mut codes = [None; 6];
    let mut put = |set: GfxSet, node: &Node<'_>| {
        let op = node.number()?;
        if op >> format.opcode_bits != 0 {
            return Err(Diagnostic::new(node.span(), format!("{op} does not fit the {} opcode bits of {}", format.opcode_bits, format.name)));
        }
        for g in set.indices() {
            if codes[g].replace(op).is_some() {
                return Err(Diagnostic::new(node.span(), format!("GFX{} has two opcodes", GENERATIONS[g].name)));
            }
        }
        Ok(())
    };
    if node.is_integer() {
        put(table.gfx(GfxSet::ALL)?, &node)?;
    } else {
        for item in node.array()? {
            let entry = item.table()?;
            entry.only(&["gfx", "op"])?;
            put(entry.need("gfx")?.gfx()?, &entry.need("op")?)?;
        }
    }
    Ok(codes)
}

/// Reads a number that the crate stores in fewer than 32 bits.
fn below(table: &Table<'_>, key: &str, largest: u32) -> Result<Option<u32>> {
    match (table.number(key)?, table.get(key)) {
        (Some(number), Some(node)) if number > largest => Err(Diagnostic::new(node.span(), format!("{number} is too large, {largest} is the limit"))),
        (number, _) => Ok(number),
    }
}

fn operands(table: &Table<'_>, key: &str) -> Result<u8> {
    let Some(node) = table.get(key) else { return Ok(0) };
    let mut set = 0;
    for name in node.string()?.split_whitespace() {
        match OPERANDS.iter().position(|operand| *operand == name) {
            Some(bit) => set |= 1 << bit,
            None => return Err(Diagnostic::new(node.span(), format!("`{name}` is not an operand; known are {}", OPERANDS.join(", ")))),
        }
    }
    Ok(set)
}

/// The reason why a part of a wave register cannot have more generations.
const NO_PLACE: &str = "the register has no place";

fn load_registers(root: &Table<'_>, isa: &mut Isa, errors: &mut Vec<Box<Diagnostic>>) {
    for (name, node) in root.entries() {
        match load_register(name, &node) {
            Ok(register) => isa.registers.push(register),
            Err(e) => errors.push(e),
        }
    }
}

fn load_register(name: &str, node: &Node<'_>) -> Result<WaveRegister> {
    let table = node.table()?;
    table.only(&["doc", "at", "assembler", "assembly", "fields"])?;
    let mut at = [None; 6];
    for item in table.need("at")?.array()? {
        let entry = item.table()?;
        entry.only(&["gfx", "index", "id"])?;
        entry.need("index")?;
        let place = (below(&entry, "index", u16::MAX.into())?.unwrap_or(0), entry.number("id")?);
        if let Some(id) = place.1.filter(|id| *id > 127) {
            return Err(Diagnostic::new(item.span(), format!("{id} is not a register number: 0 to 127")));
        }
        for g in entry.need("gfx")?.gfx()?.indices() {
            if at[g].replace(place).is_some() {
                return Err(Diagnostic::new(item.span(), format!("{name} has two places on GFX{}", GENERATIONS[g].name)));
            }
        }
    }
    let span = node.key.clone();
    let (doc, assembly) = (table.string("doc")?.unwrap_or_default(), table.string("assembly")?);
    let mut register = WaveRegister { name: name.to_owned(), span, doc, at, assembler: GfxSet::ALL, assembly, fields: Vec::new() };
    let all = register.gfx();
    if let Some(assembler) = table.get("assembler") {
        register.assembler = inside(assembler.gfx()?, all, &assembler.span(), NO_PLACE)?;
    }
    for (name, node) in table.need("fields")?.table()?.entries() {
        for item in node.items() {
            register.fields.push(load_field(name, &item, all)?);
        }
    }
    Ok(register)
}

fn load_field(name: &str, node: &Node<'_>, all: GfxSet) -> Result<WaveField> {
    let span = node.span();
    if node.is_string() {
        let (lo, hi) = node.bits()?;
        return Ok(WaveField { name: name.to_owned(), lo, hi, gfx: all, doc: String::new(), span });
    }
    let table = node.table()?;
    table.only(&["bits", "gfx", "doc"])?;
    let (lo, hi) = table.need("bits")?.bits()?;
    Ok(WaveField { name: name.to_owned(), lo, hi, gfx: within(&table, all, NO_PLACE)?, doc: table.string("doc")?.unwrap_or_default(), span })
}
