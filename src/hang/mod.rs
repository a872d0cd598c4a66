//! A hang explained: which packet each engine was executing, what it waited for, the draw in flight, the page fault, and the findings that can explain it (feature `input`).
//!
//! A [`HangReport`] is made from an [`Input`] that holds what a kernel recorded, [`HangFacts`](crate::input::HangFacts): [`HangReport::new`] finds the packets
//! that the engines were executing, [`run`] executes the buffers on the model, and prints the draw in flight and the findings that can explain the hang. What the registers mean is from
//! Linux 7.1 gc_*_sh_mask.h and amdgpu_gfx drivers. No source states that the size registers count down, nor in which order a header queue is read. The report
//! tries all orders against the stream and says how well the best one fits.
//!
//! ```
//! use pm4::{chip::Chip, cp::CommandProcessor, hang::{self, Confidence, CpEngine, EnginePosition, HangReport, PacketPlace}, input::Source, report::ReportOptions};
//! # #[cfg(feature = "gfx11")] {
//! let text = "**** AMDGPU Device Coredump ****\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\nIP: gfx_v11_0\nregCP_STALLED_STAT2 0x00008000\n\
//!             me 0, pipe 0, queue 0\nregCP_ME_HEADER_DUMP 0xc0012d00\nregCP_ME_HEADER_DUMP 0xc0004600\n\
//!             IB #0 0x800100200000 5 dw\n0xc0012d00\n0x00000003\n0x00000002\n0xc0004600\n0x00000410\n";
//! let input = Source::open(text.as_bytes(), None)?.load()?;
//! let mut cp = CommandProcessor::new(input.chip.unwrap());
//! let ib = cp.submit_at(pm4::packet::Queue::Graphics, "IB #0", 0x8001_0020_0000, &input.buffers[0].words);
//! let hang = HangReport::new(&input, &[Some(ib)], Chip::Navi31.gfx());
//! for position in &hang.positions {
//!     println!("{} ({} confidence): {}", position.engine, position.confidence, position.by);
//!     for packet in &position.candidates {
//!         println!("    perhaps at {}", hang.describe(*packet));
//!     }
//! }
//! let stalled: &EnginePosition = hang.stalled().unwrap();
//! assert_eq!(stalled.engine, CpEngine::Me);
//! assert!(stalled.confidence < Confidence::High); // two headers are little evidence
//! let packet: PacketPlace = stalled.candidates[0];
//! assert_eq!(hang.describe(packet), "IB #0 dword 3, EVENT_WRITE");
//! let mut out = Vec::new();
//! hang::run(&mut out, &mut cp, &[], ReportOptions::default(), &hang, &mut ())?;
//! assert!(String::from_utf8_lossy(&out).contains("ME waits for a partial flush"));
//! # }
//! # Ok::<(), pm4::input::InputError>(())
//! ```
//!
//! [`Input`]: crate::input::Input

pub mod check;
mod engines;
mod explain;
mod fault;
mod incident;
mod locate;
mod names;
mod position;
mod stalled_wait;
mod waits;

pub use explain::{run, run_recorded};
pub use incident::{Incident, IncidentFault, IncidentKind, Incidents, RecoveryStep};
pub use locate::HangReport;
pub use position::{Confidence, CpEngine, EnginePosition, PacketPlace};
