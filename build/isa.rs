//! Shader instructions and wave registers: loads `regdb/isa/` and checks it.

use crate::regdb::check::amd_name;
use crate::regdb::check_rust::{RESERVED, is_name};
use crate::regdb::diag::{Diagnostic, Result, Source, Span};
use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::input::{self, Node, Table};
use crate::regdb::lists::{join, texts, wanted};
use crate::regdb::load::{inside, within};
use crate::regdb::names::{camel, pairs};

/// Instructions and wave registers, in the order of the files.
#[derive(Default)]
pub struct Isa {
    pub instructions: Vec<Instruction>,
    pub registers: Vec<WaveRegister>,
}

pub struct Instruction {
    pub name: String,
    pub format: &'static Format,
    /// Opcode by generation.
    pub codes: [Option<u32>; 6],
    /// Bits of [`OPERANDS`]: two registers wide, and absent.
    pub wide: u8,
    pub lacks: u8,
    pub data: u32,
    pub store: bool,
    pub atomic: bool,
    pub names: Vec<(GfxSet, String)>,
    span: Span,
}

/// An encoding format: name in the files, and how many bits its opcode has on all generations.
pub struct Format {
    pub name: &'static str,
    pub variant: &'static str,
    opcode_bits: u32,
}

pub const FORMATS: [Format; 7] = [
    Format { name: "SOP2", variant: "Sop2", opcode_bits: 7 },
    Format { name: "SOP1", variant: "Sop1", opcode_bits: 8 },
    Format { name: "SOPC", variant: "Sopc", opcode_bits: 7 },
    Format { name: "SOPK", variant: "Sopk", opcode_bits: 5 },
    Format { name: "SOPP", variant: "Sopp", opcode_bits: 7 },
    Format { name: "SMEM", variant: "Smem", opcode_bits: 6 },
    Format { name: "MUBUF", variant: "Mubuf", opcode_bits: 7 },
];

/// Operands that the files name, bit 0 first.
const OPERANDS: [&str; 4] = ["dst", "src0", "src1", "imm"];

pub struct WaveRegister {
    pub name: String,
    span: Span,
    pub doc: String,
    /// Index and number for s_getreg, by generation.
    pub at: [Option<(u32, Option<u32>)>; 6],
    pub assembler: GfxSet,
    /// The name in assembly, where it is another one; empty where assemblers take the number alone.
    pub assembly: Option<String>,
    pub fields: Vec<WaveField>,
}

impl WaveRegister {
    pub fn gfx(&self) -> GfxSet {
        let mut set = GfxSet::NONE;
        for (gfx, place) in self.at.iter().enumerate() {
            if place.is_some() {
                set = set.or(GfxSet::only(gfx));
            }
        }
        set
    }
}

pub struct WaveField {
    pub name: String,
    pub lo: u8,
    pub hi: u8,
    pub gfx: GfxSet,
    pub doc: String,
    span: Span,
}

/// Loads both files; every mistake is collected.
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
    check_instructions(&isa, &mut errors);
    check_registers(&isa, &mut errors);
    (isa, errors)
}

fn load_instructions(root: &Table<'_>, isa: &mut Isa, errors: &mut Vec<Box<Diagnostic>>) {
    for (name, node) in root.entries() {
        let Some(format) = FORMATS.iter().find(|f| f.name == name) else {
            let known = join(&FORMATS, ", ", &|format| format.name.to_owned());
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

/// `op = 3` for the generations of `gfx`, or `op = [{ gfx, op }]`.
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

/// A number that the crate keeps in fewer than 32 bits.
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

/// An instruction is a variant of one Rust enum, and has its opcode for itself.
fn check_instructions(isa: &Isa, errors: &mut Vec<Box<Diagnostic>>) {
    let all = &isa.instructions;
    let twice = |late: usize, early: usize, what: String| Diagnostic::new(all[late].span.clone(), what).related(all[early].span.clone(), "the other one");
    let variants = texts(all, &|one| camel(&one.name));
    for (one, variant) in all.iter().zip(&variants) {
        if !is_name(&one.name) || !is_name(variant) || RESERVED.contains(&variant.as_str()) {
            let what = format!("`{}` is not a name for an instruction: a letter, then letters, digits and underscores", one.name);
            errors.push(Diagnostic::new(one.span.clone(), what));
        }
    }
    for (late, early) in pairs(&variants) {
        let (one, other) = (&all[late].name, &all[early].name);
        let what = if one == other { format!("{one} is described twice") } else { format!("{other} and {one} both become the Rust name `{}`", variants[late]) };
        errors.push(twice(late, early, what));
    }
    let mut reported = (0, 0);
    let (mut places, mut codes) = (Vec::new(), Vec::new());
    for (index, one) in all.iter().enumerate() {
        for (gfx, code) in one.codes.iter().enumerate() {
            if let Some(code) = code {
                places.push((index, gfx));
                codes.push(format!("{} {gfx} {code}", one.format.name));
            }
        }
    }
    for (late, early) in pairs(&codes) {
        let ((late, g), (early, _)) = (places[late], places[early]);
        // Once for all generations.
        if std::mem::replace(&mut reported, (late, early)) != (late, early) {
            errors.push(twice(late, early, format!("{} and {} have the same opcode on GFX{}", all[late].name, all[early].name, GENERATIONS[g].name)));
        }
    }
}

/// Why a part of a wave register cannot be of more generations.
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

/// A wave register is a struct of Rust, and its fields are constants and methods.
fn check_registers(isa: &Isa, errors: &mut Vec<Box<Diagnostic>>) {
    let types = texts(&isa.registers, &|register| camel(&register.name.to_lowercase()));
    for (late, early) in pairs(&types) {
        let (one, other) = (&isa.registers[late], &isa.registers[early]);
        let what = format!("{} and {} both become the Rust type `{}`", other.name, one.name, types[late]);
        errors.push(Diagnostic::new(one.span.clone(), what).related(other.span.clone(), "the other one"));
    }
    for register in &isa.registers {
        errors.extend(amd_name("the name of a wave register", &register.name, &register.span).err());
        for (index, one) in register.fields.iter().enumerate() {
            errors.extend(amd_name("the name of a field", &one.name, &one.span).err());
            if one.name == "NAME" || RESERVED.contains(&one.name.to_ascii_lowercase().as_str()) {
                errors
                    .push(Diagnostic::new(one.span.clone(), format!("{}.{} is a name that Rust reserves or that every register has", register.name, one.name)));
            }
            for other in &register.fields[..index] {
                let overlap = one.lo <= other.hi && other.lo <= one.hi && !one.gfx.and(other.gfx).is_empty();
                let twice = one.name == other.name && !one.gfx.and(other.gfx).is_empty();
                if overlap || twice {
                    let what = if twice {
                        format!("{}: {} is defined twice on GFX{}", register.name, one.name, one.gfx.and(other.gfx))
                    } else {
                        format!("{}: {} and {} share a bit", register.name, one.name, other.name)
                    };
                    errors.push(Diagnostic::new(one.span.clone(), what).related(other.span.clone(), "the other one"));
                }
            }
        }
        errors.extend(register.gfx().indices().find_map(|gfx| methods(register, gfx).err()));
    }
}

/// Two fields whose methods have one name.
fn methods(register: &WaveRegister, gfx: usize) -> Result<()> {
    let mut fields = wanted(&register.fields, &|f| f.gfx.has(gfx));
    fields.dedup_by(|a, b| a.name == b.name);
    let getters = texts(&fields, &|f| f.name.to_ascii_lowercase());
    // Of the methods that structs of other registers have, these have none.
    for (i, name) in getters.iter().enumerate() {
        let method = format!("with_{name}");
        if let Some(other) = getters.iter().position(|other| *other == method) {
            let what = format!("{} and {} of {} both make a method `{method}`", fields[i].name, fields[other].name, register.name);
            return Err(Diagnostic::new(fields[i].span.clone(), what).related(fields[other].span.clone(), "the other field"));
        }
    }
    Ok(())
}
