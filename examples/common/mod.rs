//! What the example programs share. Each program uses a part of it.
#![allow(dead_code)]

pub mod diff;
pub mod files;
pub mod finding;
pub mod json;
pub mod report;
pub mod rules;
pub mod text;
