//! The library behind a page for a browser: files go in, and what `check`, `dump` and `check --diff` say of them comes out, with the data of the viewers.
//!
//! [`Engine`] answers requests; both are bytes, a line of JSON and what follows it. `boundary` is the module of WebAssembly around it. docs/web.md says how the
//! page is built.

#[cfg(target_arch = "wasm32")]
mod boundary;
mod engine;
mod files;

pub use engine::{Engine, Progress};
