//! The library behind the browser page: files go in; the output of `check`, `dump` and `check --diff` comes out, with the data of the viewers.
//!
//! [`Engine`] answers requests. Requests and answers are bytes: a line of JSON and the data that follows it. `boundary` is the WebAssembly interface around the
//! engine. docs/web.md explains how the page is built.

#[cfg(target_arch = "wasm32")]
mod boundary;
mod engine;
mod files;

pub use engine::{Engine, Progress};
