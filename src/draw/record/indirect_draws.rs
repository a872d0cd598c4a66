//! Packets of draws with their arguments in memory.

use crate::chip::Erratum;
use crate::draw::check::DrawSgprs;
use crate::draw::desc::{IndexBuffer, IndirectDraws};
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::packet::layouts::DrawInitiator;
use crate::packet::structs::{DrawIndirect, SetBase};
use crate::packet::values::SetBaseBaseIndex;
use crate::packet::{Buffer, WriteError};

/// The SH window (bytes).
const SH_START: u32 = 0xB000;

/// Returns the location of an SGPR for indirect draws, in dwords from the start of the SH window; 0 for none.
pub(super) fn location(sgpr: Option<u32>) -> u32 {
    sgpr.map_or(0, |addr| addr.saturating_sub(SH_START) / 4)
}

impl<B: Buffer> Recorder<B> {
    /// Returns address and number of the indices from an index on; the spare index on chips that hang from empty buffers.
    pub(super) fn indices_from(&self, buffer: IndexBuffer, first: u32) -> (u64, u32) {
        let left = buffer.indices.saturating_sub(first);
        match self.spare_index {
            Some(spare) if left == 0 && self.chip.has(Erratum::ZeroIndexBuffer) => (spare, 1),
            _ if buffer.indices == 0 => (0, 0),
            _ => (buffer.address + u64::from(first.min(buffer.indices)) * buffer.format.bytes(), left),
        }
    }

    /// Draws mesh shader calls with their workgroups in memory.
    pub(super) fn groups_indirect(&mut self, draws: IndirectDraws, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if draws.draws == 0 {
            return Ok(());
        }
        let data_offset = self.arguments(draws.arguments)?;
        /// The fields common to all generations.
        macro_rules! packet {
            ($p:ident, { $($field:ident: $value:expr),* }) => {
                self.writer.emit(&$p::DispatchMeshIndirectMulti {
                    data_offset,
                    xyz_dim_loc: location(sgprs.groups),
                    draw_index_loc: location(sgprs.draw_index),
                    draw_index_enable: sgprs.draw_index.is_some(),
                    count_indirect_enable: draws.count.is_some(),
                    count: draws.draws,
                    count_addr: draws.count.unwrap_or(0),
                    stride: draws.stride,
                    draw_initiator: DrawInitiator::AUTO_INDEX,
                    $($field: $value,)*
                    ..Default::default()
                })
            };
        }
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 => Ok::<(), WriteError>(()),
            Gfx10 | Gfx103 => packet!(p, {}),
            // MODE1 belongs to GS_FAST_LAUNCH 1, which GFX12 has.
            Gfx11 | Gfx115 => packet!(p, { xyz_dim_enable: sgprs.groups.is_some() }),
            Gfx12 => packet!(p, { xyz_dim_enable: sgprs.groups.is_some(), mode1_enable: false })
        })?;
        Ok(())
    }

    /// Writes SET_BASE, the base of indirect draws, which is a multiple of 8; returns the rest as the offset.
    fn arguments(&mut self, arguments: u64) -> Result<u32, RecordError> {
        self.writer.emit(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(arguments & !7) })?;
        Ok((arguments & 7) as u32)
    }

    fn bind_indices(&mut self, buffer: IndexBuffer) -> Result<(), RecordError> {
        let (addr, size) = self.indices_from(buffer, 0);
        self.writer.index_base(addr)?;
        Ok(self.writer.index_buffer_size(size)?)
    }

    pub(super) fn draw_indirect(&mut self, buffer: Option<IndexBuffer>, arguments: u64, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if let Some(buffer) = buffer {
            self.bind_indices(buffer)?;
        }
        let offset = self.arguments(arguments)?;
        let (base, start_inst_loc) = (location(sgprs.base_vertex), location(sgprs.first_instance));
        let writer = &mut self.writer;
        if buffer.is_none() {
            return Ok(writer.emit(&DrawIndirect { data_offset: offset, start_vtx_loc: base, start_inst_loc, draw_initiator: DrawInitiator::AUTO_INDEX })?);
        }
        on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            writer.emit(&p::DrawIndexIndirect { data_offset: offset, base_vtx_loc: base, start_inst_loc, draw_initiator: DrawInitiator::INDICES, ..Default::default() })
        }})?;
        Ok(())
    }

    pub(super) fn draw_indirect_several(&mut self, buffer: Option<IndexBuffer>, draws: IndirectDraws, sgprs: &DrawSgprs) -> Result<(), RecordError> {
        if draws.draws == 0 {
            return Ok(());
        }
        if let Some(buffer) = buffer {
            self.bind_indices(buffer)?;
        }
        let offset = self.arguments(draws.arguments)?;
        /// The fields common to both packets.
        macro_rules! several {
            ($packet:ty, $base:ident, $initiator:expr) => {{
                type Draws = $packet;
                #[allow(clippy::needless_update)] // some generations have more fields
                self.writer.emit(&Draws {
                    data_offset: offset,
                    $base: location(sgprs.base_vertex),
                    start_inst_loc: location(sgprs.first_instance),
                    draw_index_loc: location(sgprs.draw_index),
                    draw_index_enable: sgprs.draw_index.is_some(),
                    count_indirect_enable: draws.count.is_some(),
                    count: draws.draws,
                    count_addr: draws.count.unwrap_or(0),
                    stride: draws.stride,
                    draw_initiator: $initiator,
                    ..Default::default()
                })
            }};
        }
        on_gfx!(packet self.chip.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => match buffer {
            Some(_) => several!(p::DrawIndexIndirectMulti, base_vtx_loc, DrawInitiator::INDICES),
            None => several!(p::DrawIndirectMulti, start_vtx_loc, DrawInitiator::AUTO_INDEX),
        }})?;
        Ok(())
    }
}
