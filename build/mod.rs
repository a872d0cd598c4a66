//! From the description files in `regdb/` to Rust code: load, check, emit.
//!
//! Plain functions over texts: build.rs gives them the files, tests give them bad ones.

// A mistake is boxed because results carry it; lists hold it unboxed.
#![allow(clippy::vec_box)]

pub mod check;
pub mod check_descriptors;
pub mod check_record;
pub mod check_rust;
pub mod check_writes;
pub mod chips;
pub mod descriptors;
pub mod diag;
pub mod emit;
pub mod emit_descriptors;
pub mod emit_isa;
pub mod emit_packets;
pub mod emit_typed;
pub mod gfx;
pub mod input;
pub mod isa;
pub mod lists;
pub mod load;
pub mod model;
pub mod names;
pub mod packets;
pub mod sorted;

use diag::{Diagnostic, Source};
use gfx::GfxSet;

/// Generated files: name below OUT_DIR, and text.
pub type Output = Vec<(&'static str, String)>;

/// Everything from texts to code, for the generations in `enabled`. The same input gives the same output.
///
/// # Errors
/// All mistakes found, in the order of the files; with one or more of them there is no output.
pub fn generate(files: &[Source], enabled: GfxSet) -> Result<Output, Vec<Box<Diagnostic>>> {
    let (database, mut errors) = load::load(files);
    errors.extend(check::check(&database));
    errors.extend(check_rust::check(&database));
    let (chips, chip_errors) = chips::load(files);
    errors.extend(chip_errors);
    let (descriptors, descriptor_errors) = descriptors::load(files);
    errors.extend(descriptor_errors);
    let (packets, packet_errors) = packets::load(files);
    errors.extend(packet_errors);
    errors.extend(emit_packets::mistakes(&packets, &database));
    errors.extend(packets::resolve::layouts_of_nothing(&packets, &database));
    let (isa, isa_errors) = isa::load(files);
    errors.extend(isa_errors);
    if !errors.is_empty() {
        sorted::sort_by_key(&mut errors, |d| (d.at.file, d.at.range.start));
        return Err(errors);
    }
    Ok(vec![
        ("registers.rs", emit::registers(&database, enabled)),
        ("typed.rs", emit_typed::typed(&database, enabled)),
        ("typed_list.rs", emit_typed::list(&database, enabled)),
        ("chips.rs", chips::emit(&chips, enabled)),
        ("packets.rs", emit_packets::emit(&packets, &database, enabled)),
        ("body_list.rs", emit_packets::list(&packets)),
        ("descriptors.rs", emit_descriptors::emit(&descriptors, enabled)),
        ("isa.rs", emit_isa::emit(&isa, enabled)),
    ])
}
