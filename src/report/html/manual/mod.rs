//! The manual: registers, value lists, packets and rules of all generations as a folder of pages, with links both ways.

mod folder;
mod links;
mod list_pages;
mod packet_pages;
mod page;
mod register_pages;

pub use folder::{Manual, ManualPage, write_manual};
