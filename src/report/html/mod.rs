//! HTML pages (feature `html`): single files or folders, which never use the network.
//!
//! | page | shows |
//! |---|---|
//! | [`RunPage`] | a run of the model: timeline, packets, draws with their state, findings, memory, statistics |
//! | [`log_page`] | what went wrong according to a log without packets: the verdict and a timeline |
//! | [`live_page`] | the submissions of a program on a device without a GPU, and their findings |
//! | [`stream_page`] | the packets of streams, decoded but not run |
//! | [`WavesPage`] | the ordered section: packers, waves and their steps, pixel by pixel |
//! | [`AppPage`] | whatever its own script shows, with the viewers of the other pages, from [`PageData`]: the page of `web/` |
//! | [`write_manual`] | registers, packets and rules of all generations: a folder of linked pages |
//!
//! A page holds its data as compressed JSON and columns of numbers; its script unpacks what the reader opens. Text from the input is always shown as text,
//! never interpreted as markup.
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
