//! The parts of an ELF file that a loader needs: pieces of the image, symbols, relocations, and the metadata note. Time and memory are bounded by the size of
//! the file.

use super::error::{CodeObjectError, elf};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use object::LittleEndian;
use object::elf::{
    EM_AMDGPU, ET_DYN, ET_REL, FileHeader64, PT_LOAD, PT_NOTE, ProgramHeader64, SHF_ALLOC, SHN_ABS, SHN_UNDEF, SHT_DYNSYM, SHT_NOBITS, SHT_NOTE, SHT_RELA,
    SHT_SYMTAB, SectionHeader64, Sym64,
};
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader, Rela, SectionHeader, SectionTable, Sym};

type Header = FileHeader64<LittleEndian>;
type Segment = ProgramHeader64<LittleEndian>;
type Section = SectionHeader64<LittleEndian>;

const LE: LittleEndian = LittleEndian;

/// The most bytes of an image: a loader allocates it, and a damaged file may state any size.
pub(super) const MAX_IMAGE: u64 = 256 << 20;

/// ELFOSABI_AMDGPU_HSA, ELFOSABI_AMDGPU_PAL (LLVM ELF.h).
const OS_HSA: u8 = 64;
const OS_PAL: u8 = 65;

/// NT_AMDGPU_METADATA, in notes named AMDGPU.
const METADATA: u32 = 32;

/// Bytes of the file at an offset of the image, padded with zeros to `size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub at: u64,
    pub bytes: &'a [u8],
    pub size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    /// Offset in the image; None if the symbol is not defined here.
    pub at: Option<u64>,
    pub size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relocation {
    /// Offset in the image.
    pub at: u64,
    pub kind: u32,
    /// Value of its symbol in the image, 0 without a symbol; None if the symbol is not defined here.
    pub symbol: Option<u64>,
    pub addend: i64,
}

/// The parts of a code object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ElfFile<'a> {
    /// Whether this is a PAL code object; otherwise HSA.
    pub pal: bool,
    pub abi: u8,
    pub flags: u32,
    pub pieces: Vec<Piece<'a>>,
    pub size: u64,
    pub align: u64,
    pub symbols: BTreeMap<&'a str, Symbol>,
    pub relocations: Vec<Relocation>,
    pub metadata: &'a [u8],
}

/// The most pieces of an image; they are searched for each kernel.
const MAX_PIECES: usize = 4096;

fn add<'a>(pieces: &mut Vec<Piece<'a>>, piece: Piece<'a>) -> Result<(), CodeObjectError> {
    pieces.push(piece);
    match pieces.len() {
        0..=MAX_PIECES => Ok(()),
        count => Err(CodeObjectError::Limit { what: "parts of the image", value: count as u64, limit: MAX_PIECES as u64 }),
    }
}

/// Bytes that may still be read: files whose parts overlap many times are refused.
struct Budget {
    left: u64,
    all: u64,
    what: &'static str,
}

impl Budget {
    /// Twice the file size, to allow harmless overlaps.
    fn of(data: &[u8], what: &'static str) -> Self {
        let all = 2 * data.len() as u64;
        Self { left: all, all, what }
    }

    fn spend(&mut self, bytes: u64) -> Result<(), CodeObjectError> {
        let value = (self.all - self.left).saturating_add(bytes);
        self.left = self.left.checked_sub(bytes).ok_or(CodeObjectError::Limit { what: self.what, value, limit: self.all })?;
        Ok(())
    }
}

impl<'a> ElfFile<'a> {
    pub(super) fn parse(data: &'a [u8]) -> Result<Self, CodeObjectError> {
        if data.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") {
            let why = "this is a bundle of files: extract the one for your processor with clang-offload-bundler";
            return Err(CodeObjectError::Elf { part: "header", why: why.into() });
        }
        let header = Header::parse(data).map_err(elf("header"))?;
        let ident = header.e_ident();
        if !header.is_little_endian() {
            return Err(kind("EI_DATA", ident.data.0.into(), "1: code objects are little-endian"));
        }
        if header.e_machine(LE) != EM_AMDGPU {
            return Err(kind("e_machine", header.e_machine(LE).0.into(), "224 (AMDGPU) is expected"));
        }
        let (pal, abi) = match (ident.os_abi.0, ident.abi_version) {
            (OS_HSA, 1..=4) => (false, ident.abi_version),
            (OS_PAL, abi) => (true, abi),
            (OS_HSA, abi) => return Err(kind("EI_ABIVERSION", abi.into(), "1 to 4 are read, code objects V3 to V6")),
            (os, _) => return Err(kind("EI_OSABI", os.into(), "64 (HSA) and 65 (PAL) are read")),
        };
        let sections = header.sections(LE, data).map_err(elf("section headers"))?;
        let segments = header.program_headers(LE, data).map_err(elf("program headers"))?;
        let linked = header.e_type(LE) == ET_DYN;
        if !linked && (header.e_type(LE) != ET_REL || !pal) {
            return Err(kind("e_type", header.e_type(LE).0.into(), "3 (shared object) of HSA and 1 or 3 of PAL are read: link it with `ld.lld -shared`"));
        }
        let (pieces, at, align) = if linked { of_segments(segments, data)? } else { of_sections(&sections, data)? };
        let size = pieces.iter().map(|piece| piece.at + piece.size).max().unwrap_or(0);
        Ok(Self {
            pal,
            abi,
            flags: header.e_flags(LE).0,
            size,
            align,
            symbols: symbols(&sections, data, &at)?,
            relocations: relocations(&sections, data, &at)?,
            metadata: metadata(&sections, segments, data)?,
            pieces,
        })
    }

    /// Returns the bytes of the file from an offset of the image to the end of the piece.
    pub(super) fn bytes(&self, at: u64) -> &'a [u8] {
        let of_piece = |piece: &Piece<'a>| piece.bytes.get(usize::try_from(at.checked_sub(piece.at)?).ok()?..);
        self.pieces.iter().find_map(of_piece).unwrap_or_default()
    }
}

fn kind(field: &'static str, value: u64, expected: &'static str) -> CodeObjectError {
    CodeObjectError::Kind { field, value, expected }
}

/// Returns the end of a piece, which must be within the limit.
fn end(at: u64, size: u64) -> Result<u64, CodeObjectError> {
    let end = at.saturating_add(size);
    if end > MAX_IMAGE { Err(CodeObjectError::Limit { what: "bytes of the image", value: end, limit: MAX_IMAGE }) } else { Ok(end) }
}

/// Offsets of sections in the image. In a linked file, symbol values are offsets in the image already.
type Places = Option<Vec<u64>>;

fn alignment(given: u64) -> Result<u64, CodeObjectError> {
    match given.max(1) {
        align if align > 1 << 21 => Err(CodeObjectError::Limit { what: "the alignment of a part", value: align, limit: 1 << 21 }),
        align if !align.is_power_of_two() => Err(CodeObjectError::Elf { part: "alignment", why: format!("{align:#x} is no power of two") }),
        align => Ok(align),
    }
}

/// Code is aligned to 256 bytes, whatever the file states.
const CODE_ALIGN: u64 = 256;

fn of_segments<'a>(segments: &[Segment], data: &'a [u8]) -> Result<(Vec<Piece<'a>>, Places, u64), CodeObjectError> {
    let mut budget = Budget::of(data, "bytes of segments");
    let (mut pieces, mut align) = (Vec::new(), CODE_ALIGN);
    for segment in segments.iter().filter(|segment| segment.p_type(LE) == PT_LOAD) {
        let bytes = segment.data(LE, data).map_err(|()| CodeObjectError::Elf { part: "program header", why: "the file ends within a segment".into() })?;
        budget.spend(bytes.len() as u64)?;
        let (at, size) = (segment.p_vaddr(LE), segment.p_memsz(LE).max(bytes.len() as u64));
        end(at, size)?;
        align = align.max(alignment(segment.p_align(LE))?);
        add(&mut pieces, Piece { at, bytes, size })?;
    }
    Ok((pieces, None, align))
}

/// Returns the pieces of the sections that are loaded, one after the other.
fn of_sections<'a>(sections: &SectionTable<'a, Header>, data: &'a [u8]) -> Result<(Vec<Piece<'a>>, Places, u64), CodeObjectError> {
    let mut budget = Budget::of(data, "bytes of sections");
    let (mut pieces, mut places, mut next, mut most) = (Vec::new(), Vec::new(), 0, CODE_ALIGN);
    for section in sections.iter() {
        if section.sh_flags(LE).0 & SHF_ALLOC.0 == 0 {
            places.push(0);
            continue;
        }
        let bytes = section.data(LE, data).map_err(elf("section"))?;
        budget.spend(bytes.len() as u64)?;
        let align = alignment(section.sh_addralign(LE))?;
        let size = if section.sh_type(LE) == SHT_NOBITS { section.sh_size(LE) } else { bytes.len() as u64 };
        let at = end(next, align - 1)? & !(align - 1);
        next = end(at, size)?;
        most = most.max(align);
        places.push(at);
        add(&mut pieces, Piece { at, bytes, size })?;
    }
    Ok((pieces, Some(places), most))
}

/// Returns the offset of a symbol; None if it is not defined.
fn place(symbol: &Sym64<LittleEndian>, places: &Places) -> Option<u64> {
    let (section, value) = (symbol.st_shndx(LE), symbol.st_value(LE));
    match places {
        _ if section == SHN_UNDEF => None,
        _ if section == SHN_ABS => Some(value),
        None => Some(value),
        Some(places) => places.get(usize::from(section.index()?))?.checked_add(value),
    }
}

fn symbols<'a>(sections: &SectionTable<'a, Header>, data: &'a [u8], places: &Places) -> Result<BTreeMap<&'a str, Symbol>, CodeObjectError> {
    let table = sections.symbols(LE, data, if places.is_none() { SHT_DYNSYM } else { SHT_SYMTAB }).map_err(elf("symbol table"))?;
    // Names may overlap.
    let mut budget = Budget { left: MAX_NAMES, all: MAX_NAMES, what: "bytes of names of symbols" };
    let mut symbols = BTreeMap::new();
    for symbol in table.iter() {
        let name = symbol.name(LE, table.strings()).map_err(elf("symbol"))?;
        budget.spend(name.len() as u64)?;
        // Metadata cannot refer to a name that is not UTF-8.
        if let Ok(name) = core::str::from_utf8(name) {
            symbols.entry(name).or_insert(Symbol { at: place(symbol, places), size: symbol.st_size(LE) });
        }
    }
    Ok(symbols)
}

/// Far more than linkers write: 100000 mangled C++ names.
const MAX_NAMES: u64 = 32 << 20;

fn relocations<'a>(sections: &SectionTable<'a, Header>, data: &'a [u8], places: &Places) -> Result<Vec<Relocation>, CodeObjectError> {
    let mut budget = Budget::of(data, "bytes of relocations");
    let mut all = Vec::new();
    for section in sections.iter().filter(|section| section.sh_type(LE) == SHT_RELA) {
        let Some((rows, link)) = section.rela(LE, data).map_err(elf("relocations"))? else { continue };
        budget.spend(size_of_val(rows) as u64)?;
        let target = section.sh_info(LE) as usize;
        let base = match places {
            None => 0,
            // Relocations of debug information, which is not loaded.
            Some(_) if sections.section(object::SectionIndex(target)).is_ok_and(|section: &Section| section.sh_flags(LE).0 & SHF_ALLOC.0 == 0) => continue,
            Some(places) => *places.get(target).unwrap_or(&0),
        };
        let table = if link.0 == 0 { None } else { Some(sections.symbol_table_by_index(LE, data, link).map_err(elf("relocations"))?) };
        for row in rows {
            let number = row.r_sym(LE, false) as usize;
            let symbol = match &table {
                _ if number == 0 => Some(0),
                Some(table) => place(table.symbol(object::SymbolIndex(number)).map_err(elf("relocations"))?, places),
                None => None,
            };
            let at = base.saturating_add(row.r_offset(LE));
            all.push(Relocation { at, kind: row.r_type(LE, false).0, symbol, addend: row.r_addend(LE) });
        }
    }
    Ok(all)
}

fn metadata<'a>(sections: &SectionTable<'a, Header>, segments: &[Segment], data: &'a [u8]) -> Result<&'a [u8], CodeObjectError> {
    let mut budget = Budget::of(data, "bytes of notes");
    let mut old = false;
    let of_segments = segments.iter().filter(|segment| segment.p_type(LE) == PT_NOTE).map(|segment| segment.notes(LE, data));
    let of_sections = sections.iter().filter(|section| section.sh_type(LE) == SHT_NOTE).map(|section| section.notes(LE, data));
    for notes in of_segments.chain(of_sections) {
        let Some(mut notes): Option<NoteIterator<'a, Header>> = notes.map_err(elf("notes"))? else { continue };
        while let Some(note) = notes.next().map_err(elf("note"))? {
            budget.spend(12 + note.desc().len() as u64)?;
            match (note.name(), note.n_type(LE).0) {
                (b"AMDGPU", METADATA) => return Ok(note.desc()),
                // NT_AMD_HSA_METADATA 10, NT_AMD_PAL_METADATA 12 (LLVM ELF.h).
                (b"AMD", 10 | 12) => old = true,
                _ => {}
            }
        }
    }
    Err(CodeObjectError::NoMetadata { old })
}
