//! Little-endian words.

use crate::input::ground::{BufferUse, Input, InputBuffer, words_of};

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut buffer = InputBuffer::new("", BufferUse::Submitted);
    words_of(bytes, &mut buffer);
    input.buffers.push(buffer);
}
