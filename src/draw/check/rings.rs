//! The rings that draws use.

use crate::chip::Gfx;
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::desc::{QueueMemory, VertexPath};

/// The rings that draws use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rings {
    /// The attribute ring of GFX11 and later.
    pub attributes: bool,
    /// The position and primitive rings of GFX12.
    pub geometry: bool,
    /// The factor ring and off-chip memory of tessellation.
    pub tessellation: bool,
    /// The ring of geometry shaders without NGG.
    pub geometry_shader: bool,
}

impl Rings {
    /// All rings.
    pub const ALL: Self = Self { attributes: true, geometry: true, tessellation: true, geometry_shader: true };

    /// Returns the rings that a draw needs (Mesa 25.0.7 radv_emit_ge_rings): parameters go through the attribute ring, positions and primitives of GFX12
    /// through rings too.
    pub fn needed(gfx: Gfx, desc: &EffectiveDraw<'_>, path: VertexPath) -> Self {
        let parameters = desc.vertex.parameters > 0 || desc.vertex.exports_primitive_id;
        Self {
            attributes: gfx.major() >= 11 && parameters,
            geometry: gfx.major() >= 12,
            tessellation: desc.tessellation.is_some(),
            geometry_shader: desc.geometry.is_some() && path == VertexPath::Legacy,
        }
    }

    /// Returns the rings of a preamble.
    pub fn of(memory: &QueueMemory) -> Self {
        Self {
            attributes: memory.attributes.is_some(),
            geometry: memory.geometry.is_some(),
            tessellation: memory.tessellation.is_some(),
            geometry_shader: memory.geometry_shader_ring.is_some(),
        }
    }

    /// Returns the name of a ring that is needed and missing.
    pub fn missing(self, needed: Self) -> Option<&'static str> {
        let rings = [
            (needed.attributes && !self.attributes, "attribute ring"),
            (needed.geometry && !self.geometry, "position and primitive rings"),
            (needed.tessellation && !self.tessellation, "tessellation rings"),
            (needed.geometry_shader && !self.geometry_shader, "geometry shader ring"),
        ];
        rings.into_iter().find(|(missing, _)| *missing).map(|(_, what)| what)
    }
}
