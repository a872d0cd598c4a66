//! Which packets start work.

use crate::chip::Gfx;
use crate::packet::Opcode;

/// The work that a packet starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Graphics: vertices, or meshes.
    Draw,
    /// Compute, among it the task shaders of a mesh pipeline.
    Dispatch,
}

/// Draws of every generation. Mesh packets belong here: they run the graphics pipeline.
const DRAWS: &[Opcode] = &[
    Opcode::DRAW_INDIRECT,
    Opcode::DRAW_INDEX_INDIRECT,
    Opcode::DRAW_INDEX_2,
    Opcode::DRAW_INDIRECT_MULTI,
    Opcode::DRAW_INDEX_AUTO,
    Opcode::DRAW_INDEX_MULTI_AUTO,
    Opcode::DRAW_INDEX_OFFSET_2,
    Opcode::DRAW_INDEX_INDIRECT_MULTI,
    Opcode::DRAW_INDEX_MULTI_INST,
    Opcode::DISPATCH_MESH_INDIRECT_MULTI,
    Opcode::DISPATCH_TASKMESH_GFX,
    Opcode::DISPATCH_MESH_DIRECT,
    Opcode::DISPATCH_DRAW,
    Opcode::DRAW_INDIRECT_COUNT_MULTI,
    Opcode::DRAW_INDEX_INDIRECT_COUNT_MULTI,
];

const DISPATCHES: &[Opcode] = &[
    Opcode::DISPATCH_DIRECT,
    Opcode::DISPATCH_INDIRECT,
    Opcode::DISPATCH_DIRECT_INTERLEAVED,
    Opcode::DISPATCH_INDIRECT_INTERLEAVED,
    Opcode::DISPATCH_TASKMESH_DIRECT_ACE,
    Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE,
];

/// What each opcode number starts on a generation that knows it.
#[derive(Debug)]
pub(super) struct WorkTable([Option<Work>; 256]);

impl WorkTable {
    pub fn new(gfx: Gfx) -> Self {
        let mut table = [None; 256];
        for (opcodes, work) in [(DRAWS, Work::Draw), (DISPATCHES, Work::Dispatch)] {
            for opcode in opcodes.iter().filter(|o| o.name(gfx).is_some()) {
                table[usize::from(opcode.0)] = Some(work);
            }
        }
        Self(table)
    }

    pub fn of(&self, opcode: Opcode) -> Option<Work> {
        self.0[usize::from(opcode.0)]
    }
}
