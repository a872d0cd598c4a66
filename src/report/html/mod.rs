//! Pages for a browser (feature `html`): each complete in itself, or a folder of its own; none uses the network.
//!
//! | page | shows |
//! |---|---|
//! | [`RunPage`] | what the model runs: timeline, packets, draws with their state, findings, memory, statistics |
//! | [`log_page`] | what went wrong by a log without packets: the verdict, and a timeline |
//! | [`live_page`] | the submissions of a program on a device without a GPU, and what was found in them |
//! | [`stream_page`] | the packets of streams, decoded and not run |
//! | [`WavesPage`] | the ordered section: packers, waves, what they do, pixel by pixel |
//! | [`AppPage`] | what its own script shows with the viewers of the others, from [`PageData`]: the page of `web/` |
//! | [`write_manual`] | registers, packets, rules of all generations: a folder of pages with links among them |
//!
//! A page holds its data as JSON and as columns of numbers, compressed; the script of the page unpacks what the reader opens. Everything from the input is text
//! in the page, never markup.
//!
//! ```
//! use pm4::report::{self, ReportOptions, html::RunPage};
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

mod app_page;
mod columns;
mod finding_list;
mod live_page;
mod log_page;
mod manual;
mod packet_table;
mod page_data;
mod queue_page;
mod register_table;
mod run_page;
mod shell;
mod stream_page;
mod waves_page;

pub use app_page::AppPage;
pub use live_page::live_page;
pub use log_page::{log_data, log_page};
pub use manual::{Manual, ManualPage, write_manual};
pub use page_data::PageData;
pub use queue_page::queue_page;
pub use run_page::RunPage;
pub use stream_page::{stream_data, stream_page};
pub use waves_page::WavesPage;
