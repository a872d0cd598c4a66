//! Names of opcodes and events.

/// One name of an opcode number.
pub(in crate::packet) struct OpcodeName {
    pub value: u8,
    /// Generations, one bit each, whose headers know the name.
    pub gfx: u8,
    pub name: &'static str,
}

/// One event on some generations.
pub(in crate::packet) struct EventInfo {
    pub value: u8,
    /// Generations, one bit each.
    pub gfx: u8,
    pub name: &'static str,
    /// What is in the index field of EVENT_WRITE.
    pub index: u8,
    pub timestamp: bool,
    pub sample: bool,
    pub shader_done: bool,
}
