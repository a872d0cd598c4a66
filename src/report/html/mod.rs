//! Pages for a browser (feature `html`): one file each, complete in itself, that asks nothing of any network.
//!
//! | page | shows |
//! |---|---|
//! | [`RunPage`] | what the model runs: timeline, packets, draws with their state, findings, memory, statistics |
//! | [`stream_page`] | the packets of streams, decoded and not run |
//!
//! A page holds its data as JSON and as columns of numbers, compressed; the script of the page unpacks what is looked at. All that comes from input is text
//! in the page, never markup.
//!
//! ```
//! use pm4::report::{self, OutputFormat, ReportOptions, html::RunPage};
//! # #[cfg(feature = "gfx9")] {
//! let stream = [0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2];
//! let mut cp = pm4::cp::CommandProcessor::new(pm4::chip::Chip::Vega10);
//! cp.submit(pm4::packet::Queue::Graphics, "main.bin", &stream);
//! let mut page = RunPage::of(&cp);
//! let summary = report::run_observed(&mut std::io::sink(), &mut cp, &[], ReportOptions::default(), &mut page)?;
//! let mut file = Vec::new();
//! page.write(&mut file, &cp, &summary)?;
//! assert!(file.starts_with(b"<!DOCTYPE html>"));
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```

mod columns;
mod packet_table;
mod register_table;
mod run_page;
mod shell;
mod stream_page;

pub use run_page::RunPage;
pub use stream_page::stream_page;
