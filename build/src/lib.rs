//! From the description files in `regdb/` to Rust code.
//!
//! Plain functions over texts: the build script of pm4 gives them the files, tests give them bad ones. Each folder uses only those before it:
//! `model` (what the files say), `load` (texts to model), `lower` (what becomes one Rust type, and effects as a queue sees them), `check`, `emit`.

// A mistake is boxed because results carry it; lists hold it unboxed.
#![allow(clippy::vec_box)]

pub mod diag;
pub mod gfx;

mod check;
mod emit;
mod input;
mod lists;
mod load;
mod lower;
mod model;
mod names;
mod sorted;

use diag::{Diagnostic, Source};
use gfx::GfxSet;

/// Generated files: name below OUT_DIR, and text.
pub type Output = Vec<(&'static str, String)>;

/// Everything from texts to code, for the generations in `enabled`. The same input gives the same output.
///
/// # Errors
/// All mistakes found, in the order of the files; with one or more of them there is no output.
pub fn generate(files: &[Source], enabled: GfxSet) -> Result<Output, Vec<Box<Diagnostic>>> {
    let mut errors = Vec::new();
    let database = loaded(load::registers::load(files), &mut errors);
    errors.extend(check::registers::check(&database));
    errors.extend(check::rust::check(&database));
    let chips = loaded(load::chips::load(files), &mut errors);
    let (descriptors, descriptor_errors) = load::descriptors::load(files);
    // What does not fit together shows only when everything was read.
    errors.extend(if descriptor_errors.is_empty() { check::descriptors::check(&descriptors) } else { descriptor_errors });
    let packets = loaded(load::packets::load(files), &mut errors);
    errors.extend(check::packets::check(&packets));
    errors.extend(emit::packets::mistakes(&packets, &database));
    errors.extend(lower::effects::layouts_of_nothing(&packets, &database));
    let isa = loaded(load::isa::load(files), &mut errors);
    errors.extend(check::isa::check(&isa));
    if !errors.is_empty() {
        sorted::sort_by_key(&mut errors, |d| (d.at.file, d.at.range.start));
        return Err(errors);
    }
    Ok(vec![
        ("registers.rs", emit::registers::registers(&database, enabled)),
        ("typed.rs", emit::typed::typed(&database, enabled)),
        ("typed_list.rs", emit::typed::list(&database, enabled)),
        ("chips.rs", emit::chips::emit(&chips, enabled)),
        ("packets.rs", emit::packets::emit(&packets, &database, enabled)),
        ("body_list.rs", emit::packets::list(&packets)),
        ("descriptors.rs", emit::descriptors::emit(&descriptors, enabled)),
        ("isa.rs", emit::isa::emit(&isa, enabled)),
    ])
}

/// What was read; its mistakes join the others.
fn loaded<T>((model, mistakes): (T, Vec<Box<Diagnostic>>), errors: &mut Vec<Box<Diagnostic>>) -> T {
    errors.extend(mistakes);
    model
}

/// The mistakes in packet descriptions alone, for tests.
pub fn mistakes_of_packets(files: &[Source]) -> Vec<Box<Diagnostic>> {
    let (packets, mut errors) = load::packets::load(files);
    errors.extend(check::packets::check(&packets));
    errors
}
