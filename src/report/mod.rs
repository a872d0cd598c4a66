//! The results of the crate, as text for people and as JSON Lines for programs (feature `report`).
//!
//! | function | prints |
//! |---|---|
//! | [`run`] | the events of a [`CommandProcessor`](crate::cp::CommandProcessor): draws, findings, statistics, summary |
//! | [`draw_state`] | the same, and the full state of one draw with the packet that wrote each register |
//! | [`run_observed`] | the same, with another observer |
//! | `html` (feature `html`) | pages for a browser: a run, a stream, the ordered section, the manual of all registers |
//! | [`finding_text`](finding_text()), [`finding_json`] | one [`Finding`](crate::cp::Finding): in the style of compiler messages, or as a record |
//! | [`dump`], [`dump_files`], [`Dump`] | the packets of a stream, whole or in pieces, or those of a [`PacketFilter`]; [`PacketText`], [`PacketJson`]: one |
//! | [`assemble`] | the inverse of `dump`: from its output back to the stream |
//! | [`QueueDump`] | the packets of queues that are not PM4: SDMA, AQL and MES |
//! | [`diff`] | the differences between the draws of two streams |
//! | [`Assertions`] | whether statements about draws and counts hold |
//! | [`wave_result`] | the result of a run of the ordered section |
//! | [`Manifest`] | whole submissions in a file: chip, memory, queues, registers |
//! | [`rule_page`], [`all_rule_pages`] | the page of a rule: its explanation, source and scope |
//!
//! All of them write to a [`std::io::Write`] and return its errors. The keys of every JSON record are listed in `docs/json.md`.
//! Without the feature a finding can be printed as one line: it implements [`Display`](core::fmt::Display).
//!
//! ```
//! use pm4::chip::Chip;
//! use pm4::cp::{CommandProcessor, Finding, Observer};
//! use pm4::packet::Queue;
//! use pm4::report::{self, Buffers};
//!
//! /// Keeps findings as text.
//! struct Messages<'a>(Buffers<'a>, Vec<u8>);
//! impl Observer for Messages<'_> {
//!     fn finding(&mut self, finding: &Finding) {
//!         let _ = report::finding_text(&mut self.1, finding, &self.0, false);
//!     }
//! }
//! # #[cfg(feature = "gfx11")] {
//! let stream = [0xC003_6900, 0x203, 0x1_8600]; // claims 5 dwords
//! let mut cp = CommandProcessor::new(Chip::Navi31);
//! cp.submit(Queue::Graphics, "cut.bin", &stream);
//! let mut messages = Messages(Buffers::of(&cp), Vec::new());
//! cp.run(&mut messages);
//! let text = String::from_utf8_lossy(&messages.1);
//! assert!(text.starts_with("error[ENC-01]: "));
//! assert!(text.contains("--> cut.bin dword 0 (byte 0x0), SET_CONTEXT_REG"));
//! # }
//! ```

mod assembly;
mod assertions;
mod buffers;
mod diff;
mod draw_state;
mod dump;
mod finding_text;
pub mod generations;
mod ground;
#[cfg(feature = "html")]
pub mod html;
mod last_draws;
mod listing;
mod manifest;
mod model_run;
mod printer;
mod queues;
mod records;
mod rules;
mod wave_records;

pub use assembly::{Assembler, AssemblyError, assemble};
#[cfg(feature = "input")]
pub(crate) use assembly::{Part, Salvaged};
pub use assertions::{AssertionError, AssertionResult, AssertionState, Assertions};
pub use buffers::Buffers;
pub use diff::{DrawLog, diff};
pub use draw_state::draw_state;
#[cfg(feature = "input")]
pub(crate) use draw_state::{DrawState, DrawWatch, WantedDraw, Written};
#[cfg(feature = "input")]
pub(crate) use dump::addresses;
pub use dump::{Dump, DumpOptions, FilterError, PacketFilter, PacketJson, PacketText, dump, dump_files};
pub use finding_text::finding_text;
#[cfg(feature = "input")]
pub(crate) use finding_text::{paint, snippet_of};
#[cfg(feature = "input")]
pub(crate) use ground::queue_name;
pub use ground::{NewFile, OutputFormat, ShownOutput, shown};
pub use manifest::{Manifest, ManifestError, ManifestStep, WordSource};
#[cfg(feature = "input")]
pub(crate) use model_run::run_watched;
pub use model_run::{ReportOptions, ReportPart, run, run_observed};
pub use queues::{QueueDump, QueueDumpOptions};
pub use records::finding_json;
pub use rules::{all_rule_pages, rule_page};
pub use wave_records::wave_result;
