//! The guide, chapter by chapter. Every Rust example runs as a test.
//!
//! | chapter | answers |
//! |---|---|
//! | [`registers`] | Which registers are there, and how do I read and write their fields? |
//! | [`packets`] | How do I write and read command streams? |
//! | [`triangle`] | How do I draw a triangle, starting from nothing? |
//! | [`frame`] | How do I draw thousands of things with little work? |
//! | [`vulkan`] | Which call is behind a word of Vulkan, and how does an image come from nothing? |
//! | [`compute`] | How do I run a compiled kernel without a driver? |
//! | [`queues`] | How do I write and read SDMA, AQL and MES? |
//! | [`layouts`] | Where in memory are the texels of an image, and its metadata? |
//! | [`pops`] | What does primitive ordered pixel shading need, and what breaks it? |
//! | [`rules`] | How do I check a stream, and how do I write a rule of my own? |
//! | [`emulator`] | How do I execute draws after the model? |
//! | [`driver_tests`] | How do I test what a driver writes? |
//! | [`live`] | How do I test a driver without a GPU? |
//! | [`submit`] | How do I run a stream on a GPU, and compare my card with the model? |
//! | [`truth_kit`] | Would my test notice a missing workaround? |
//! | [`hang`] | My GPU hung. What does the device coredump say? |
//! | [`database`] | How do I add a field, a register, a packet, a chip? |
//! | [`known`] | Which sources were used, and how certain are the facts? |
//! | [`stability`] | What may change in the next version? |
//! | [`glossary`] | What does this word mean? |

#[doc = include_str!("../docs/guide/registers.md")]
pub mod registers {}

#[doc = include_str!("../docs/guide/packets.md")]
pub mod packets {}

#[doc = include_str!("../docs/guide/triangle.md")]
pub mod triangle {}

#[doc = include_str!("../docs/guide/frame.md")]
pub mod frame {}

#[doc = include_str!("../docs/guide/vulkan.md")]
pub mod vulkan {}

#[doc = include_str!("../docs/guide/compute.md")]
pub mod compute {}

#[doc = include_str!("../docs/guide/queues.md")]
pub mod queues {}

#[doc = include_str!("../docs/guide/layouts.md")]
pub mod layouts {}

#[doc = include_str!("../docs/guide/pops.md")]
pub mod pops {}

#[doc = include_str!("../docs/guide/rules.md")]
pub mod rules {}

#[doc = include_str!("../docs/guide/emulator.md")]
pub mod emulator {}

#[doc = include_str!("../docs/guide/driver_tests.md")]
pub mod driver_tests {}

#[doc = include_str!("../docs/guide/live.md")]
pub mod live {}

#[doc = include_str!("../docs/guide/submit.md")]
pub mod submit {}

#[doc = include_str!("../docs/guide/truth_kit.md")]
pub mod truth_kit {}

#[doc = include_str!("../docs/guide/hang.md")]
pub mod hang {}

#[doc = include_str!("../docs/guide/database.md")]
pub mod database {}

#[doc = include_str!("../docs/guide/known.md")]
pub mod known {}

#[doc = include_str!("../docs/guide/stability.md")]
pub mod stability {}

#[doc = include_str!("../docs/guide/glossary.md")]
pub mod glossary {}
