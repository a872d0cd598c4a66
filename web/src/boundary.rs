//! The WebAssembly interface: the functions that the script may call. The script writes a request to the address that [`room`] returns; [`ask`] answers it, and
//! [`answer`] returns the address of the answer.
//!
//! Only the three attributes and the block below are unsafe. `no_mangle` promises that no other symbol of the module has the same name: the module exports only
//! these. The block promises that the script provides a function of this type, which takes two numbers and changes nothing in the module. Rust neither turns an
//! address into a reference nor reads from one: the script writes into a vector that does not move until the next call.
#![allow(unsafe_code)]

use crate::engine::{Engine, Progress};
use std::cell::RefCell;
use std::sync::Mutex;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Reports that `done` of `all` bytes are done.
    safe fn progress(done: f64, all: f64);
}

#[derive(Default)]
struct Boundary {
    engine: Engine,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static BOUNDARY: RefCell<Boundary> = RefCell::default();
}

/// The message of a panic, which ends the module; the script reads it afterwards.
static PANIC: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Returns the address of a buffer for a request of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> usize {
    BOUNDARY.with_borrow_mut(|boundary| {
        boundary.request = vec![0; length];
        boundary.request.as_ptr().addr()
    })
}

/// Answers the request and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut said) = PANIC.lock() {
            *said = panic.to_string().into_bytes();
        }
    }));
    BOUNDARY.with_borrow_mut(|Boundary { engine, request, answer }| {
        *answer = Vec::new();
        let tell: Progress<'_> = &|done, all| progress(done as f64, all as f64);
        *answer = engine.answer(std::mem::take(request), tell);
        answer.len()
    })
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    BOUNDARY.with_borrow(|boundary| boundary.answer.as_ptr().addr())
}

/// Returns the length of the message of the panic that ended the last call; 0 if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn panic_length() -> usize {
    PANIC.lock().map_or(0, |said| said.len())
}

/// Returns the address of the message.
#[unsafe(no_mangle)]
pub extern "C" fn panic_text() -> usize {
    PANIC.lock().map_or(0, |said| said.as_ptr().addr())
}
