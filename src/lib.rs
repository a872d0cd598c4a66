//! Registers and PM4 command streams of AMD GPUs from GFX9 to GFX12.
//!
//! The crate decodes streams, writes them, and runs them on a model of the command processor that reports a hang before the hardware hangs.
//!
//! * **Read**: [`packet`] decodes any stream, even a damaged one, without copying and without panics. Every packet and every field has a name.
//! * **Execute**: [`cp`] runs the streams of any driver on a model of the command processor. It tracks which packet wrote each register and reports what can
//!   hang the hardware or corrupt data.
//! * **Author**: [`draw`] takes a draw in API terms, chooses the value of every register for the chip, gives the reason for each field, and writes the packets.
//!   Primitive ordered pixel shading (POPS, the hardware behind fragment shader interlock) is fully supported, including all publicly documented errata.
//!
//! The authors have not run any of this on real hardware. Register data, rules and values come from public sources, each cited next to the value, and from
//! command buffers of real drivers; see [known and unknown](guide::known).
//!
//! # Three doors
//!
//! **You have a hang.** `input` reads kernel logs, device coredumps and RADV hang reports; `hang` explains them. Both need the feature `input`.
//! Start with [reading a hang](guide::hang).
//!
//! **You debug a driver.** The package `pm4-live` runs a Vulkan or OpenGL program on an unmodified RADV or radeonsi, without an AMD GPU, and checks each
//! submission as the driver makes it. Start with [a driver without a GPU](guide::live).
//!
//! **You write a driver.** Record draws, dispatches and barriers for a chip, ask why any register has its value, and run the result on the model in your tests.
//! Start with [a triangle](guide::triangle) and [a frame](guide::frame).
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
//! # Modules
//!
//! Both halves, [`draw`] and [`cp`], meet at a stream of dwords. Both build on [`regs`], the registers of six generations, and on [`chip`], the chips and their
//! errata. [`guide`] has a chapter for each task and a glossary.
//!
//! The features `draw` and `model` (the command-processor model and the wave model) are on by default. The other features add modules: `report` adds `report`,
//! which prints streams and findings as text and JSON; `html` adds pages for a browser to it; `input` adds `input` and `hang`; `code-object` adds
//! `code_object`, which reads the programs that LLVM compiles for a GPU; `testing` adds `testing`, valid and broken streams for tests.
//!
//! # Sources
//!
//! Sources of hardware claims are cited in short form: "Mesa 25.0.7 radv_cmd_buffer.c", "PAL 04/2025 gfx9CmdUtil.cpp", "POPS article" (docs/drivers/amd/hw/pops.rst
//! of Mesa, which calls itself unofficial), "captures" (command buffers of RADV or radeonsi, recorded without a GPU; those of RADV on Vega10, Navi10, Navi21 and
//! Navi31 are in `tests/captures`).

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// Some items are used only by the features `draw` and `model`.
#![cfg_attr(not(all(feature = "draw", feature = "model")), allow(dead_code, unused_imports))]
#![deny(missing_docs, rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links, rustdoc::invalid_rust_codeblocks)]
// Links to modules of a disabled feature cannot be resolved; this is not an error.
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
