//! The guide: chapters for those who build on the command-processor model. Every example runs as a test.

#[doc = include_str!("../docs/guide/emulator.md")]
pub mod emulator {}

#[doc = include_str!("../docs/guide/driver_tests.md")]
pub mod driver_tests {}

#[doc = include_str!("../docs/guide/rules.md")]
pub mod rules {}
