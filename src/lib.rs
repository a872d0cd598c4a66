//! Typed registers, PM4 command streams, POPS draw state and a command-processor model for AMD GFX9 to GFX12 GPUs.
//!
//! The crate has two halves, and a stream of dwords is between them. [`draw`] resolves a description into register values, gives the reason of each field, and
//! records packets through [`packet`]. [`cp`] executes packets of this crate or of any driver, and its rules check the registers that these packets set. Both
//! build on [`regs`], the registers of six generations that user mode may write and many others, and [`chip`], the chips and their errata. [`guide`] has a
//! chapter for each task, and a glossary.
//!
//! Draws are the feature `draw`, the model and its wave model the feature `model`, both on by default. With the feature `report`, module `report` prints
//! streams and findings for people and for programs, with `html` also as pages for a browser; with the feature `input`, module `input` reads the files that
//! people have after a hang, and module `hang` explains the hang; with the feature `code-object`, module `code_object` reads what LLVM compiled for a GPU.
//!
//! ```
//! use pm4::chip::Chip;
//! use pm4::cp::CommandProcessor;
//! use pm4::draw::{DrawDesc, Interlock, PipelineDesc, Recorder};
//! use pm4::packet::Queue;
//!
//! let draw = DrawDesc::from(PipelineDesc { interlock: Interlock::SampleOrdered, samples: 4, ..PipelineDesc::default() });
//! let mut recorder = Recorder::new(Chip::Navi31);
//! recorder.begin()?;
//! recorder.draw(&draw.resolve(Chip::Navi31)?)?;
//! let words = recorder.finish()?;
//!
//! let mut cp = CommandProcessor::new(Chip::Navi31);
//! cp.submit(Queue::Graphics, "draw", &words);
//! assert_eq!(cp.run(&mut ()).errors, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No GPU has executed any of this. Sources of hardware claims are cited in short form: "Mesa 25.0.7 radv_cmd_buffer.c", "PAL 04/2025 gfx9CmdUtil.cpp",
//! "POPS article" (docs/drivers/amd/hw/pops.rst of Mesa, unofficial by its own words), "captures" (command buffers of RADV or radeonsi, recorded without a GPU;
//! those of RADV on Vega10, Navi10, Navi21 and Navi31 are in `tests/captures`).

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// Without the features `draw` and `model`, items of other modules that only these use are unused.
#![cfg_attr(not(all(feature = "draw", feature = "model")), allow(dead_code, unused_imports))]
#![deny(missing_docs, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::invalid_rust_codeblocks)]
// The guide and the items link to modules of all features: without one of them, such links go nowhere, and that is no mistake.
#![cfg_attr(
    not(all(
        feature = "code-object",
        feature = "draw",
        feature = "model",
        feature = "input",
        feature = "html",
        feature = "testing",
        feature = "gfx9",
        feature = "gfx10",
        feature = "gfx103",
        feature = "gfx11",
        feature = "gfx115",
        feature = "gfx12"
    )),
    allow(rustdoc::broken_intra_doc_links)
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[macro_use]
pub mod regs;
pub mod chip;
#[cfg(feature = "code-object")]
pub mod code_object;
#[cfg(feature = "model")]
pub mod cp;
#[cfg(feature = "alloc")]
pub mod descriptors;
#[cfg(feature = "draw")]
pub mod draw;
#[cfg(feature = "alloc")]
pub mod gpu;
#[cfg(feature = "alloc")]
pub mod guide;
#[cfg(feature = "input")]
pub mod hang;
#[cfg(feature = "input")]
pub mod input;
#[cfg(feature = "alloc")]
pub mod isa;
#[cfg(feature = "alloc")]
pub mod layout;
pub mod packet;
#[cfg(feature = "alloc")]
mod plurals;
#[cfg(feature = "alloc")]
pub mod queues;
#[cfg(feature = "report")]
pub mod report;
pub mod tape;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "model")]
pub mod waves;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
