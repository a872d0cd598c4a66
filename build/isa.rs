//! Shader instructions and wave registers: loads `regdb/isa/` and checks it.

use crate::regdb::diag::{Diagnostic, Result, Source, Span};
use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::input::{self, Node, Table};

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
    pub doc: String,
    /// Index and number for s_getreg, by generation.
    pub at: [Option<(u32, Option<u32>)>; 6],
    pub assembler: GfxSet,
    pub fields: Vec<WaveField>,
}

impl WaveRegister {
    pub fn gfx(&self) -> GfxSet {
        (0..GENERATIONS.len()).filter(|&g| self.at[g].is_some()).fold(GfxSet::NONE, |set, g| set.or(GfxSet::only(g)))
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
            let known: Vec<_> = FORMATS.iter().map(|f| f.name).collect();
            errors.push(Diagnostic::new(node.key, format!("`{name}` is not an instruction format; known are {}", known.join(", "))));
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
    let mut names = Vec::new();
    for item in table.get("name").map(|n| n.items()).unwrap_or_default() {
        let entry = item.table()?;
        entry.only(&["gfx", "name"])?;
        names.push((entry.need("gfx")?.gfx()?, entry.need("name")?.string()?.into_owned()));
    }
    Ok(Instruction {
        name: name.to_owned(),
        format,
        codes: codes(&table, format)?,
        wide: operands(&table, "wide")?,
        lacks: operands(&table, "lacks")?,
        data: table.number("data")?.unwrap_or(0),
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

fn operands(table: &Table<'_>, key: &str) -> Result<u8> {
    let Some(node) = table.get(key) else { return Ok(0) };
    node.string()?.split_whitespace().try_fold(0, |set, name| match OPERANDS.iter().position(|o| *o == name) {
        Some(bit) => Ok(set | 1 << bit),
        None => Err(Diagnostic::new(node.span(), format!("`{name}` is not an operand; known are {}", OPERANDS.join(", ")))),
    })
}

fn check_instructions(isa: &Isa, errors: &mut Vec<Box<Diagnostic>>) {
    for (index, one) in isa.instructions.iter().enumerate() {
        for other in &isa.instructions[..index] {
            let both = |g: &usize| one.format.name == other.format.name && one.codes[*g].is_some() && one.codes[*g] == other.codes[*g];
            if let Some(g) = (0..GENERATIONS.len()).find(both) {
                let d = Diagnostic::new(one.span.clone(), format!("{} and {} have the same opcode on GFX{}", one.name, other.name, GENERATIONS[g].name));
                errors.push(d.related(other.span.clone(), "the other one"));
            }
            if one.name == other.name {
                errors.push(Diagnostic::new(one.span.clone(), format!("{} is described twice", one.name)).related(other.span.clone(), "the other one"));
            }
        }
    }
}

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
    table.only(&["doc", "at", "assembler", "fields"])?;
    let mut at = [None; 6];
    for item in table.need("at")?.array()? {
        let entry = item.table()?;
        entry.only(&["gfx", "index", "id"])?;
        let place = (entry.need("index")?.number()?, entry.number("id")?);
        if let Some(id) = place.1.filter(|id| *id > 127) {
            return Err(Diagnostic::new(item.span(), format!("{id} is not a register number: 0 to 127")));
        }
        for g in entry.need("gfx")?.gfx()?.indices() {
            if at[g].replace(place).is_some() {
                return Err(Diagnostic::new(item.span(), format!("{name} has two places on GFX{}", GENERATIONS[g].name)));
            }
        }
    }
    let mut register = WaveRegister { name: name.to_owned(), doc: table.string("doc")?.unwrap_or_default(), at, assembler: GfxSet::ALL, fields: Vec::new() };
    if let Some(assembler) = table.get("assembler") {
        register.assembler = assembler.gfx()?;
    }
    let all = register.gfx();
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
    Ok(WaveField { name: name.to_owned(), lo, hi, gfx: table.gfx(all)?, doc: table.string("doc")?.unwrap_or_default(), span })
}

fn check_registers(isa: &Isa, errors: &mut Vec<Box<Diagnostic>>) {
    for register in &isa.registers {
        for (index, one) in register.fields.iter().enumerate() {
            for other in &register.fields[..index] {
                let overlap = one.lo <= other.hi && other.lo <= one.hi && !one.gfx.and(other.gfx).is_empty();
                if overlap {
                    let d = Diagnostic::new(one.span.clone(), format!("{}: {} and {} share a bit", register.name, one.name, other.name));
                    errors.push(d.related(other.span.clone(), "the other one"));
                }
            }
        }
    }
}
