//! Typed registers, PM4 command streams, POPS draw state and a command-processor model for AMD GFX9 to GFX12 GPUs.
//!
//! The crate has two halves that meet at a stream of dwords. [`draw`] resolves a description into register values, gives the reason for each field, and records
//! packets through [`packet`]. [`cp`] executes packets from this crate or from any driver, and its rules check the registers that those packets set. Both build
//! on [`regs`], which describes the registers of six generations that user mode may write and many others, and on [`chip`], the chips and their errata.
//! [`guide`] has a chapter per task and a glossary.
//!
//! The features `draw` (draws) and `model` (the command-processor model and the wave model) are on by default. The feature `report` adds module `report`, which
//! prints streams and findings for people and for programs; `html` adds pages for a browser. The feature `input` adds module `input`, which reads the files
//! that a hang leaves behind, and module `hang`, which explains the hang. The feature `code-object` adds module `code_object`, which reads what LLVM compiled
//! for a GPU.
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
//! None of this has been run on real hardware. Sources of hardware claims are cited in short form: "Mesa 25.0.7 radv_cmd_buffer.c", "PAL 04/2025
//! gfx9CmdUtil.cpp", "POPS article" (docs/drivers/amd/hw/pops.rst of Mesa, which calls itself unofficial), "captures" (command buffers of RADV or radeonsi,
//! recorded without a GPU; those of RADV on Vega10, Navi10, Navi21 and Navi31 are in `tests/captures`).

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// Without the features `draw` and `model`, items of other modules that only those two use are unused.
#![cfg_attr(not(all(feature = "draw", feature = "model")), allow(dead_code, unused_imports))]
#![deny(missing_docs, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::invalid_rust_codeblocks)]
// The guide and the items link to modules of all features. If a feature is off, links to its modules cannot be resolved; this is not an error.
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
