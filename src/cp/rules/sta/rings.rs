//! Rings through which vertices and primitives pass on their way to pixels: registers of GFX11 and later.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::DrawView;
use alloc::format;
use alloc::vec::Vec;

/// The four registers of the position and primitive rings of GFX12.
const GEOMETRY: [&str; 4] = ["GE_POS_RING_BASE", "GE_POS_RING_SIZE", "GE_PRIM_RING_BASE", "GE_PRIM_RING_SIZE"];

const ATTRIBUTES: [&str; 2] = ["SPI_ATTRIBUTE_RING_BASE", "SPI_ATTRIBUTE_RING_SIZE"];

pub(in crate::cp::rules::sta) const PARTLY_WRITTEN: Rule = Rule::new(
    "STA-29",
    Severity::Error,
    ChipScope::GFX12,
    "position and primitive rings are written in part",
    "Positions and primitives of every draw of GFX12 go through two rings in memory. GE_POS_RING_BASE, GE_POS_RING_SIZE, GE_PRIM_RING_BASE and \
     GE_PRIM_RING_SIZE belong together: when one of them is written, all four must be, or vertices are stored where the ring is not.",
    "Mesa 25.0.7 radv_emit_ge_rings",
    Judge::Draw(partly_written),
)
.on_work();

pub(in crate::cp::rules::sta) const NOT_WRITTEN: Rule = Rule::new(
    "STA-30",
    Severity::Info,
    ChipScope::FROM_GFX11,
    "first draw without the rings of its geometry",
    "From GFX11 on, attributes go through a ring in memory (SPI_ATTRIBUTE_RING_BASE and _SIZE); on GFX12 positions and primitives do as well. Nothing in the \
     stream has written these registers, but an earlier submission may have, so this has severity info. Without rings the draw stores to address 0.",
    "Mesa 25.0.7 radv_emit_ge_rings",
    Judge::Draw(not_written),
);

pub(in crate::cp::rules::sta) const BACK_PRESSURE: Rule = Rule::new(
    "STA-31",
    Severity::Error,
    ChipScope::GFX12,
    "vertex waves on the compute units that pixel waves need",
    "On GFX12 vertex waves and pixel waves may each wait for room that the others occupy, and hang, unless CUs 1 and 9 of each shader engine are kept free \
     of vertex waves. Drivers write 0xfffffdfd to SPI_SHADER_PGM_RSRC3_GS. Draws that rasterize nothing (DX_RASTERIZATION_KILL) have no pixel waves.",
    "PAL 04/2025 waScpcBackPressure (Navi48); Mesa 25.0.7 ac_cmdbuf.c (all of GFX12)",
    Judge::Draw(back_pressure),
)
.on_pixels();

fn is_unknown(view: &DrawView<'_>, name: &str) -> bool {
    view.register(name).is_some_and(|register| view.state(register.addr()) == RegisterState::Unknown)
}

fn partly_written(view: &DrawView<'_>) -> Option<Verdict> {
    let missing = GEOMETRY.into_iter().find(|name| is_unknown(view, name))?;
    let written = GEOMETRY.into_iter().find(|name| !is_unknown(view, name))?;
    Some(
        Verdict::new(format!("{written} is written and {missing} is not: the four registers of the rings belong together"))
            .register_of(view, written)
            .help("write 0x309a0 to 0x309ac in one SET_UCONFIG_REG"),
    )
}

fn not_written(view: &DrawView<'_>) -> Option<Verdict> {
    if view.draws_before() != 0 {
        return None;
    }
    let missing: Vec<&str> = ATTRIBUTES.iter().chain(&GEOMETRY).copied().filter(|name| is_unknown(view, name)).collect();
    let first = *missing.first()?;
    let list = missing.join(", ");
    Some(
        Verdict::new(format!("at the first draw nothing in the stream has written {list}"))
            .register(first)
            .help(format!("write {} in the preamble, or in a submission before this one", if missing.len() > 1 { "these registers" } else { "it" })),
    )
}

/// CUs 1 and 9.
const KEPT_FREE: u32 = 1 << 1 | 1 << 9;

fn back_pressure(view: &DrawView<'_>) -> Option<Verdict> {
    let mask = view.field("SPI_SHADER_PGM_RSRC3_GS", "CU_EN")?;
    (mask.value() & KEPT_FREE != 0).then(|| {
        Verdict::new(format!("CU_EN is 0x{:08x}: vertex waves may take CU 1 or 9 of a shader engine, and the draw may hang", mask.value())).at(&mask).help_set(
            &mask,
            mask.value() & !KEPT_FREE,
            "",
        )
    })
}
