//! The image of a code object, which a loader copies to the GPU.

use super::elf_file::{ElfFile, Relocation};
use super::error::CodeObjectError;
use alloc::vec;
use alloc::vec::Vec;

/// Returns the image for an address, with relocations applied.
pub(super) fn load(file: &ElfFile<'_>, address: u64) -> Result<Vec<u8>, CodeObjectError> {
    // The size was checked against the limit when the file was read.
    let mut image = vec![0; file.size as usize];
    for piece in &file.pieces {
        let at = piece.at as usize;
        image[at..at + piece.bytes.len()].copy_from_slice(piece.bytes);
    }
    for relocation in &file.relocations {
        apply(relocation, address, &mut image)?;
    }
    Ok(image)
}

/// How the value of a relocation is computed (LLVM 22.1.8 AMDGPUUsage, relocation records).
enum Form {
    /// Address of the image plus addend.
    Base,
    /// Symbol plus addend.
    Absolute,
    /// Symbol plus addend, relative to the place.
    Relative,
}

/// Returns form, size in bytes, and the lowest used bit of the value for an R_AMDGPU_… type.
fn form(kind: u32) -> Option<(Form, usize, u32)> {
    Some(match kind {
        1 => (Form::Absolute, 4, 0),
        2 => (Form::Absolute, 4, 32),
        3 => (Form::Absolute, 8, 0),
        4 | 10 => (Form::Relative, 4, 0),
        5 => (Form::Relative, 8, 0),
        6 => (Form::Absolute, 4, 0),
        11 => (Form::Relative, 4, 32),
        13 => (Form::Base, 8, 0),
        _ => return None,
    })
}

fn apply(relocation: &Relocation, address: u64, image: &mut [u8]) -> Result<(), CodeObjectError> {
    let Relocation { at, kind, symbol, addend } = *relocation;
    let wrong = |why| CodeObjectError::Relocation { kind, at, why };
    if kind == 0 {
        return Ok(());
    }
    let (form, bytes, shift) = form(kind).ok_or_else(|| wrong("a type that this loader does not have"))?;
    let symbol = || Ok(address.wrapping_add(symbol.ok_or_else(|| wrong("its symbol is not defined in this file"))?).wrapping_add_signed(addend));
    let value = match form {
        Form::Base => address.wrapping_add_signed(addend),
        Form::Absolute => symbol()?,
        Form::Relative => symbol()?.wrapping_sub(address.wrapping_add(at)),
    };
    let start = usize::try_from(at).ok();
    let place = start.and_then(|start| image.get_mut(start..)?.get_mut(..bytes)).ok_or_else(|| wrong("beyond the image"))?;
    place.copy_from_slice(&(value >> shift).to_le_bytes()[..bytes]);
    Ok(())
}
