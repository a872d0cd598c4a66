//! Names of opcodes and events.

/// One name of an opcode number.
pub(in crate::packet) struct OpcodeName {
    pub value: u8,
    /// The generations whose headers have the name, one bit each.
    pub gfx: u8,
    pub name: &'static str,
}

/// One event on some generations.
pub(in crate::packet) struct EventInfo {
    pub value: u8,
    /// Generations, one bit each.
    pub gfx: u8,
    pub name: &'static str,
    /// The value of the index field of EVENT_WRITE.
    pub index: u8,
    pub timestamp: bool,
    pub sample: bool,
    pub shader_done: bool,
}
