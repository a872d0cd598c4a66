//! Why a file is not read as a code object.

use alloc::string::String;

/// Why a file is not read as a code object: what of it, where, and what is expected there.
///
/// ```
/// use pm4::code_object::{CodeObject, CodeObjectError};
/// let error = CodeObject::parse(b"\x7fELF").unwrap_err();
/// assert!(matches!(error, CodeObjectError::Elf { .. }));
/// assert_eq!(error.to_string(), "ELF header: Invalid ELF header size or alignment");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeObjectError {
    /// A part of the file is not as ELF has it.
    #[error("ELF {part}: {why}")]
    Elf {
        /// The part.
        part: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// An ELF file, but not one of these code objects.
    #[error("ELF header: {field} is {value:#x}: {expected}")]
    Kind {
        /// Field of the header.
        field: &'static str,
        /// Its value.
        value: u64,
        /// What is read.
        expected: &'static str,
    },
    /// More than a reader takes.
    #[error("{what}: {value}, at most {limit}")]
    Limit {
        /// What is counted.
        what: &'static str,
        /// How much there is.
        value: u64,
        /// The most.
        limit: u64,
    },
    /// No note with metadata.
    #[error("no note of the name AMDGPU and type 32 (metadata){}", if *.old { ": the notes are those of an older form, which LLVM wrote before code object V3" } else { "" })]
    NoMetadata {
        /// There are notes of an older form.
        old: bool,
    },
    /// The metadata is no MessagePack.
    #[error("metadata, byte {at}: {why}")]
    MessagePack {
        /// Offset in the note.
        at: usize,
        /// What is wrong there.
        why: &'static str,
    },
    /// A value of the metadata is missing, or is not of its type.
    #[error("metadata of {of}: {key}: {why}")]
    Metadata {
        /// The kernel, argument, pipeline or stage.
        of: String,
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A symbol is missing, or is not where or what it should be.
    #[error("symbol {name}: {why}")]
    Symbol {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A relocation that cannot be applied.
    #[error("relocation of type {kind} at {at:#x}: {why}")]
    Relocation {
        /// Its type, R_AMDGPU_….
        kind: u32,
        /// Where in the image.
        at: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// Returns an error of the ELF reader, with the part that it reads.
pub(super) fn elf(part: &'static str) -> impl FnOnce(object::read::Error) -> CodeObjectError {
    move |error| CodeObjectError::Elf { part, why: alloc::format!("{error}") }
}
