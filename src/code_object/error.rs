//! Errors of reading code objects.

use alloc::string::String;

/// A file cannot be read as a code object: the part, its place, and what was expected.
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
    /// A part of the ELF file is malformed.
    #[error("ELF {part}: {why}")]
    Elf {
        /// The part.
        part: &'static str,
        /// What is wrong.
        why: String,
    },
    /// An ELF file, but not a supported code object.
    #[error("ELF header: {field} is {value:#x}: {expected}")]
    Kind {
        /// The header field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The supported values.
        expected: &'static str,
    },
    /// The file exceeds a limit of the reader.
    #[error("{what}: {value}, at most {limit}")]
    Limit {
        /// The counted quantity.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The maximum.
        limit: u64,
    },
    /// The file has no metadata note.
    #[error("no note of the name AMDGPU and type 32 (metadata){}", if *.old { ": the notes are those of an older form, which LLVM wrote before code object V3" } else { "" })]
    NoMetadata {
        /// Whether it has notes of an older format.
        old: bool,
    },
    /// The metadata is not valid MessagePack.
    #[error("metadata, byte {at}: {why}")]
    MessagePack {
        /// Offset in the note.
        at: usize,
        /// What is wrong there.
        why: &'static str,
    },
    /// A value in the metadata is missing or has the wrong type.
    #[error("metadata of {of}: {key}: {why}")]
    Metadata {
        /// The kernel, argument, pipeline or stage.
        of: String,
        /// The key.
        key: &'static str,
        /// What is wrong with the value.
        why: &'static str,
    },
    /// A symbol is missing or wrong.
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
        /// Offset in the image.
        at: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// Returns a function that converts errors of the ELF reader for a part of the file.
pub(super) fn elf(part: &'static str) -> impl FnOnce(object::read::Error) -> CodeObjectError {
    move |error| CodeObjectError::Elf { part, why: alloc::format!("{error}") }
}
