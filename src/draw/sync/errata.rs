//! Workarounds that put packets between or after draws, or change how a packet is made.
//!
//! Conditions read what the draw before and the draw at hand have, never the stream.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::image::Image;
use crate::packet::Event;
use crate::regs::{BitField, Register};

/// One workaround in the packets.
pub struct PacketWorkaround {
    /// The erratum: its chips, text and source stand in `regdb/chips.toml`.
    pub erratum: Erratum,
    /// When it acts, in words.
    pub condition: &'static str,
    /// What the stream shows, in words.
    pub effect: &'static str,
    /// Where it acts.
    pub moment: Moment,
    acts: fn(&Situation) -> bool,
    /// What it puts into the stream, at moments other than [`Moment::Within`].
    pub(crate) does: Does,
}

/// Where a workaround acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the registers of a draw.
    BeforeState,
    /// Behind the registers of a draw, before the packet that draws.
    BeforeDraw,
    /// After the packet that draws.
    AfterDraw,
    /// At the end of the command buffer.
    End,
    /// In the making of another packet.
    Within,
}

/// What a workaround puts into the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// EVENT_WRITE of these.
    Events(&'static [Event]),
    /// The viewport scissors once more.
    Scissors,
    /// RELEASE_MEM of BOTTOM_OF_PIPE_TS without data.
    BottomOfPipe,
    /// Nothing of its own.
    Nothing,
}

/// What of a draw's registers decides about packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pipeline {
    /// VGT_SHADER_STAGES_EN.PRIMGEN_EN; None where the draw does not say.
    pub ngg: Option<bool>,
    /// VGT_SHADER_STAGES_EN.HS_EN.
    pub tessellates: bool,
    /// Primitive restart; None where the draw does not say.
    pub restart: Option<bool>,
    /// The primitives have neighbours.
    pub adjacency: bool,
    /// Some colour target blends.
    pub blends: bool,
    /// HiZ or HiS.
    pub hiz: bool,
}

/// VGT_PRIMITIVE_TYPE of lines and triangles with neighbours (DI_PT_LINELIST_ADJ to DI_PT_TRISTRIP_ADJ).
const ADJACENCY: core::ops::RangeInclusive<u32> = 0xA..=0xD;

/// PA_SC_HIS_INFO of GFX12; bit 0 is SURFACE_ENABLE.
#[cfg(feature = "gfx12")]
const PA_SC_HIS_INFO: u32 = 0x2_8B98;

impl Pipeline {
    /// What an image says.
    pub fn of(gfx: Gfx, image: &Image) -> Self {
        let flag = |value: Option<u32>| value.map(|v| v != 0);
        let ngg = on_gfx!(gfx, r => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 => read::<r::VgtShaderStagesEn>(gfx, image, r::VgtShaderStagesEn::PRIMGEN_EN),
            Gfx12 => None,
        });
        let tessellates = on_gfx!(gfx, r => read::<r::VgtShaderStagesEn>(gfx, image, r::VgtShaderStagesEn::HS_EN));
        let restart = on_gfx!(gfx, r => {
            Gfx9 => read::<r::VgtMultiPrimIbResetEn>(gfx, image, r::VgtMultiPrimIbResetEn::RESET_EN),
            Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => read::<r::GeMultiPrimIbResetEn>(gfx, image, r::GeMultiPrimIbResetEn::RESET_EN),
        });
        let primitive = on_gfx!(gfx, r => read::<r::VgtPrimitiveType>(gfx, image, r::VgtPrimitiveType::PRIM_TYPE));
        let blends = on_gfx!(gfx, r => {
            type R = r::CbBlendControl;
            let enabled = |index| Some(R::ENABLE.get(image.get(R::place(gfx)?.element(index)?)?) != 0);
            (0..8).any(|index| enabled(index) == Some(true))
        });
        let hiz = on_gfx!(gfx, r => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 => false,
            Gfx12 => {
                let hiz = read::<r::PaScHizInfo>(gfx, image, r::PaScHizInfo::SURFACE_ENABLE);
                let his = image.get(PA_SC_HIS_INFO).map(|v| v & 1);
                flag(hiz) == Some(true) || flag(his) == Some(true)
            },
        });
        Self {
            ngg: flag(ngg),
            tessellates: flag(tessellates) == Some(true),
            restart: flag(restart),
            adjacency: primitive.is_some_and(|kind| ADJACENCY.contains(&kind)),
            blends,
            hiz,
        }
    }
}

/// A field of a register that the image has.
fn read<R: Register>(gfx: Gfx, image: &Image, field: BitField) -> Option<u32> {
    Some(field.get(image.get(R::addr(gfx)?)?))
}

/// What workarounds look at.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Situation {
    /// The draw before, in this command buffer.
    pub before: Option<Pipeline>,
    /// The draw at hand.
    pub now: Pipeline,
    /// A context register was written since the last draw.
    pub rolled: bool,
    /// Pipeline statistics are counted.
    pub statistics: bool,
    /// Some draw before, or this one, tessellates.
    pub tessellated: bool,
    /// The draw reads indices of which there are none.
    pub no_indices: bool,
}

const fn within(erratum: Erratum, condition: &'static str, effect: &'static str, acts: fn(&Situation) -> bool) -> PacketWorkaround {
    PacketWorkaround { erratum, condition, effect, moment: Moment::Within, acts, does: Does::Nothing }
}

/// All workarounds in packets. Those of registers are in [`WORKAROUNDS`](crate::draw::WORKAROUNDS).
pub static PACKET_WORKAROUNDS: [PacketWorkaround; 13] = [
    PacketWorkaround {
        erratum: Erratum::VgtFlushNggLegacy,
        condition: "the draw before used NGG, this one does not",
        effect: "EVENT_WRITE VGT_FLUSH before the registers of the draw",
        moment: Moment::BeforeState,
        acts: |s| s.before.is_some_and(|b| b.ngg == Some(true)) && s.now.ngg == Some(false),
        does: Does::Events(&[Event::VGT_FLUSH]),
    },
    PacketWorkaround {
        erratum: Erratum::PrimRestartSync,
        condition: "primitive restart is switched on or off, or written first",
        effect: "EVENT_WRITE SQ_NON_EVENT before the registers of the draw",
        moment: Moment::BeforeState,
        acts: |s| s.now.restart.is_some() && s.before.and_then(|b| b.restart) != s.now.restart,
        does: Does::Events(&[Event::SQ_NON_EVENT]),
    },
    PacketWorkaround {
        erratum: Erratum::ViewportScissor,
        condition: "a context register was written since the last draw",
        effect: "PA_SC_VPORT_SCISSOR_n_TL and BR once more, behind all other context registers",
        moment: Moment::BeforeDraw,
        acts: |s| s.rolled,
        does: Does::Scissors,
    },
    PacketWorkaround {
        erratum: Erratum::OpaqueDrawEvents,
        condition: "no target of the draw blends",
        effect: "three EVENT_WRITE SQ_NON_EVENT after the draw",
        moment: Moment::AfterDraw,
        acts: |s| !s.now.blends,
        does: Does::Events(&[Event::SQ_NON_EVENT; 3]),
    },
    PacketWorkaround {
        erratum: Erratum::HizEvent,
        condition: "the draw uses HiZ or HiS",
        effect: "RELEASE_MEM BOTTOM_OF_PIPE_TS without data after the draw",
        moment: Moment::AfterDraw,
        acts: |s| s.now.hiz,
        does: Does::BottomOfPipe,
    },
    PacketWorkaround {
        erratum: Erratum::TessellationEnd,
        condition: "some draw of the command buffer tessellates",
        effect: "EVENT_WRITE SQ_NON_EVENT at the end of the command buffer",
        moment: Moment::End,
        acts: |s| s.tessellated,
        does: Does::Events(&[Event::SQ_NON_EVENT]),
    },
    within(
        Erratum::ZpassDoneBeforeTimestamp,
        "each RELEASE_MEM on the graphics queue",
        "EVENT_WRITE ZPASS_DONE right before it, into memory of its own",
        |_| true,
    ),
    within(
        Erratum::ZeroIndexBuffer,
        "an indexed draw whose index buffer has no index at or behind the first",
        "a buffer of one index takes its place; without one the draw is refused",
        |s| s.no_indices,
    ),
    within(Erratum::InstancePacking, "primitives with neighbours while pipeline statistics are counted", "VGT_INDEX_TYPE.DISABLE_INSTANCE_PACKING = 1", |s| {
        s.now.adjacency && s.statistics
    }),
    within(
        Erratum::MultiDrawEop,
        "several indexed draws that differ in nothing but their indices",
        "draws without indices are left out, so that the last, without NOT_EOP, is not empty",
        |_| true,
    ),
    within(
        Erratum::TargetFlushEvents,
        "a barrier that flushes depth, or metadata of colour or depth",
        "RELEASE_MEM CACHE_FLUSH_AND_INV_TS_EVENT, and no FLUSH_AND_INV_CB_META or DB_META event",
        |_| true,
    ),
    within(Erratum::PreColorWait, "each pixel wait sync", "the wait is at the PFP or the ME", |_| true),
    within(
        Erratum::ComputePartialFlush,
        "a barrier on a compute queue that waits for compute shaders",
        "RELEASE_MEM BOTTOM_OF_PIPE_TS with a fence and WAIT_REG_MEM in place of EVENT_WRITE CS_PARTIAL_FLUSH",
        |_| true,
    ),
];

impl PacketWorkaround {
    /// Whether it acts on this chip in this situation.
    pub(crate) fn hits(&self, chip: Chip, situation: &Situation) -> bool {
        chip.has(self.erratum) && (self.acts)(situation)
    }
}

/// Whether the workaround of an erratum acts.
pub(crate) fn acts(erratum: Erratum, chip: Chip, situation: &Situation) -> bool {
    PACKET_WORKAROUNDS.iter().any(|w| w.erratum == erratum && w.hits(chip, situation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(ngg: bool) -> Pipeline {
        Pipeline { ngg: Some(ngg), ..Pipeline::default() }
    }

    /// Acts on every chip that the erratum hits, and on no other.
    fn acts_where_it_hits(erratum: Erratum, situation: Situation) {
        for chip in Chip::all() {
            assert_eq!(acts(erratum, chip, &situation), chip.has(erratum), "{erratum} on {chip}");
        }
    }

    fn acts_nowhere(erratum: Erratum, situation: Situation) {
        assert!(!Chip::all().any(|chip| acts(erratum, chip, &situation)), "{erratum}");
    }

    #[test]
    fn vgt_flush_stands_between_ngg_and_legacy_and_not_the_other_way() {
        let change = |before, now| Situation { before, now: pipeline(now), ..Situation::default() };
        acts_where_it_hits(Erratum::VgtFlushNggLegacy, change(Some(pipeline(true)), false));
        acts_nowhere(Erratum::VgtFlushNggLegacy, change(Some(pipeline(false)), true));
        acts_nowhere(Erratum::VgtFlushNggLegacy, change(Some(pipeline(true)), true));
        acts_nowhere(Erratum::VgtFlushNggLegacy, change(None, false));
    }

    #[test]
    fn sq_non_event_stands_before_a_change_of_primitive_restart() {
        let restart = |on| Pipeline { restart: on, ..Pipeline::default() };
        let change = |before, now| Situation { before: Some(restart(before)), now: restart(now), ..Situation::default() };
        acts_where_it_hits(Erratum::PrimRestartSync, change(Some(false), Some(true)));
        acts_where_it_hits(Erratum::PrimRestartSync, change(None, Some(false)));
        acts_nowhere(Erratum::PrimRestartSync, change(Some(true), Some(true)));
        acts_nowhere(Erratum::PrimRestartSync, change(Some(true), None));
    }

    #[test]
    fn scissors_are_written_again_when_the_context_rolled() {
        acts_where_it_hits(Erratum::ViewportScissor, Situation { rolled: true, ..Situation::default() });
        acts_nowhere(Erratum::ViewportScissor, Situation::default());
    }

    #[test]
    fn events_follow_opaque_draws_draws_with_hiz_and_tessellation() {
        let now = |now| Situation { now, ..Situation::default() };
        acts_where_it_hits(Erratum::OpaqueDrawEvents, Situation::default());
        acts_nowhere(Erratum::OpaqueDrawEvents, now(Pipeline { blends: true, ..Pipeline::default() }));
        acts_where_it_hits(Erratum::HizEvent, now(Pipeline { hiz: true, ..Pipeline::default() }));
        acts_nowhere(Erratum::HizEvent, Situation::default());
        acts_where_it_hits(Erratum::TessellationEnd, Situation { tessellated: true, ..Situation::default() });
        acts_nowhere(Erratum::TessellationEnd, Situation::default());
    }

    #[test]
    fn instance_packing_is_off_for_adjacency_with_statistics() {
        let now = Pipeline { adjacency: true, ..Pipeline::default() };
        acts_where_it_hits(Erratum::InstancePacking, Situation { now, statistics: true, ..Situation::default() });
        acts_nowhere(Erratum::InstancePacking, Situation { now, ..Situation::default() });
    }
}
