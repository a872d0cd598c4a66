//! Workarounds that change registers of a draw, and those that put packets around draws: where they act, on all chips, and that none undoes another one.

use crate::streamout;
use crate::support;
use pm4::chip::{Chip, Erratum};
use pm4::draw::*;
use pm4::packet::{Event, Opcode, Reader};
use pm4::regs;
use std::collections::BTreeSet;
use strum::IntoEnumIterator;

/// Draws that vary everything that a condition reads.
fn matrix() -> Vec<DrawDesc> {
    let mut all = Vec::new();
    for interlock in [Interlock::None, Interlock::PixelOrdered, Interlock::SampleUnordered] {
        for samples in [1, 2, 4, 8] {
            for depth in [None, Some(samples), Some(8)] {
                for blend in [None, Some(Blend::SOURCE_OVER)] {
                    for drain in [Drain::Auto, Drain::On, Drain::Off, Drain::ResetDefault] {
                        let depth = depth.map(|samples| DepthTarget::new(DepthFormat::D32, samples));
                        let color = [(TargetImage::default(), TargetBlend { blend, ..TargetBlend::default() })];
                        let (binning, raster) = match blend {
                            None => (None, Raster::default()),
                            Some(_) => (Some(Binning { width: 256, height: 128 }), Raster { polygon: PolygonMode::Line, ..Raster::default() }),
                        };
                        all.push(
                            DrawDesc {
                                pipeline: PipelineDesc { interlock, samples, drain, binning, raster, ..PipelineDesc::default() },
                                targets: TargetsDesc { depth, ..TargetsDesc::default() },
                                ..DrawDesc::default()
                            }
                            .with_colors(color),
                        );
                    }
                }
            }
        }
    }
    for (path, polygon) in [None, Some(VertexPath::Legacy)].into_iter().flat_map(|path| [PolygonMode::Line, PolygonMode::Fill].map(|polygon| (path, polygon))) {
        for geometry in [None, Some(GeometryStage::default())] {
            let vertex = VertexStage { path, ..VertexStage::default() };
            let raster = Raster { polygon, ..Raster::default() };
            let tessellation = Some(Tessellation::default());
            all.push(DrawDesc::from(PipelineDesc { vertex, tessellation, geometry, raster, topology: Topology::PatchList, ..PipelineDesc::default() }));
        }
    }
    let dcc = Some(Dcc { address: 0x10_0000, blocks: Some(DccBlocks::BYTES_64) });
    let (compression, surface) = (Some(ColorCompression { dcc, ..ColorCompression::default() }), Surface { swizzle: 24, ..Surface::default() });
    let image = TargetImage { compression, surface, ..TargetImage::default() };
    let blend = TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() };
    all.push(DrawDesc::from(PipelineDesc { samples: 4, ..PipelineDesc::default() }).with_colors([(image, blend), (image, TargetBlend::default())]));
    all
}

fn pops(desc: &DrawDesc) -> bool {
    desc.pipeline.interlock != Interlock::None
}

fn blends(desc: &DrawDesc) -> bool {
    desc.targets.color.iter().zip(&desc.pipeline.blends).any(|(_, blend)| blend.blend.is_some())
}

fn depth_samples(desc: &DrawDesc) -> u32 {
    desc.targets.depth.map_or(1, |depth| depth.samples)
}

fn misses_overlaps(desc: &DrawDesc) -> bool {
    pops(desc) && desc.pipeline.samples.max(depth_samples(desc)) == 8
}

fn drains(chip: Chip, desc: &DrawDesc) -> bool {
    match desc.pipeline.drain {
        Drain::On => true,
        Drain::Off => false,
        Drain::Auto => chip.has(Erratum::PopsMissedOverlap) && misses_overlaps(desc),
        Drain::ResetDefault => chip.info().dfsm_reset.is_none_or(|reset| reset >> 2 & 1 == 1),
    }
}

fn is_legacy_tessellation(desc: &DrawDesc) -> bool {
    desc.pipeline.vertex.path == Some(VertexPath::Legacy) && desc.pipeline.tessellation.is_some()
}

/// When a workaround acts on a draw.
type Acts = fn(Chip, &DrawDesc) -> bool;

/// A field that workarounds change: register and field, what changes it, the value then, and the value otherwise where it does not depend on other parts of the
/// draw.
type Changed = (&'static str, &'static str, &'static [(Erratum, Acts)], fn(Chip, &DrawDesc) -> u32, fn(&DrawDesc) -> Option<u32>);

const CHANGED: [Changed; 8] = [
    (
        "DB_DFSM_CONTROL",
        "POPS_DRAIN_PS_ON_OVERLAP",
        &[(Erratum::PopsMissedOverlap, |chip, desc| misses_overlaps(desc) && drains(chip, desc))],
        |_, _| 1,
        // By option, the bit is on for other draws as well.
        |_| None,
    ),
    ("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", &[(Erratum::StalledPops, |chip, desc| pops(desc) && drains(chip, desc))], |_, _| 1, |_| Some(0)),
    (
        "DB_SHADER_CONTROL",
        "OVERRIDE_INTRINSIC_RATE_ENABLE",
        &[(Erratum::ExportConflict, |_, desc| !pops(desc) && desc.pipeline.samples == 1 && blends(desc))],
        |_, _| 1,
        // An ordered section sets it as well.
        |desc| (!pops(desc)).then_some(0),
    ),
    (
        "DB_RENDER_CONTROL",
        "MAX_ALLOWED_TILES_IN_WAVE",
        &[(Erratum::MaxAllowedTilesInWave, |_, desc| depth_samples(desc) >= 4)],
        |chip, desc| if depth_samples(desc) == 8 { 6 + u32::from(chip.info().apu) } else { 13 + 2 * u32::from(chip.info().apu) },
        |_| None,
    ),
    (
        "PA_SU_SMALL_PRIM_FILTER_CNTL",
        "SMALL_PRIM_FILTER_ENABLE",
        &[(Erratum::SmallPrimFilterSampleLocations, |_, desc| desc.pipeline.samples > 1)],
        |_, _| 0,
        |_| Some(1),
    ),
    (
        "PA_SU_SC_MODE_CNTL",
        "KEEP_TOGETHER_ENABLE",
        &[(Erratum::KeepTogether, |_, desc| desc.pipeline.raster.polygon != PolygonMode::Fill)],
        |_, _| 1,
        |_| Some(0),
    ),
    (
        "VGT_REUSE_OFF",
        "REUSE_OFF",
        &[
            (Erratum::ReuseOff, |_, desc| is_legacy_tessellation(desc) && desc.pipeline.geometry.is_some()),
            (Erratum::TessellatedWireframe, |_, desc| is_legacy_tessellation(desc) && desc.pipeline.raster.polygon == PolygonMode::Line),
        ],
        |_, _| 1,
        |_| Some(0),
    ),
    (
        "CB_DCC_CONTROL",
        "OVERWRITE_COMBINER_DISABLE",
        &[(Erratum::CompressedSampleBlend, |_, desc| {
            let compressed = desc.targets.color.iter().any(|image| image.compression.is_some());
            compressed && blends(desc) && desc.pipeline.samples > 1
        })],
        |_, _| 1,
        |_| Some(0),
    ),
];

/// Whatever other workarounds act on the same draw, each has its effect in the end, and only on the chips of its erratum: their order does not matter.
#[test]
fn workarounds_of_registers_act_together_and_only_where_their_errata_hit() {
    let (mut acted, mut together) = (BTreeSet::new(), 0);
    for chip in Chip::all() {
        for desc in matrix() {
            let Ok(resolved) = desc.resolve(chip) else { continue };
            let mut acts_here = 0;
            for (register, name, errata, value, otherwise) in CHANGED {
                let acting: Vec<Erratum> =
                    errata.iter().filter(|(erratum, acts)| chip.has(*erratum) && acts(chip, &desc)).map(|(erratum, _)| *erratum).collect();
                let place = regs::find(chip.gfx(), register).and_then(|found| Some((found.info().field(name)?, resolved.image.get(found.addr())?)));
                // The drain at its reset default: no draw writes the register.
                let Some((field, word)) = place else { continue };
                let expected = if acting.is_empty() { otherwise(&desc) } else { Some(value(chip, &desc)) };
                assert!(expected.is_none_or(|expected| field.get(word) == expected), "{chip} {register}.{name} {word:#x}: {acting:?} {desc:?}");
                acts_here += acting.len();
                acted.extend(acting.iter().map(|erratum| erratum.to_string()));
            }
            together += u32::from(acts_here > 1);
        }
    }
    let patches: BTreeSet<String> = WORKAROUNDS.iter().filter(|w| w.place == WorkaroundPlace::Registers).map(|w| w.erratum.to_string()).collect();
    assert_eq!(acted, patches, "each workaround acts on some draw, and no other is in the table");
    assert!(together > 100, "{together}");
}

#[test]
fn every_erratum_has_one_entry_in_words() {
    for erratum in Erratum::iter() {
        assert_eq!(WORKAROUNDS.iter().filter(|w| w.erratum == erratum).count(), 1, "{erratum}");
    }
    assert!(WORKAROUNDS.iter().all(|w| !w.condition.is_empty() && !w.effect.is_empty()));
}

/// What workarounds write around draws; everything else is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Draw,
    Flush,
    Sync,
    /// RELEASE_MEM of BOTTOM_OF_PIPE_TS.
    End,
}

fn seen(words: &[u32]) -> Vec<Seen> {
    let of = |packet: pm4::packet::Packet<'_>| {
        let event = packet.body.first().map(|word| Event((word & 0x3F) as u8));
        match packet.opcode()? {
            Opcode::DRAW_INDEX_AUTO => Some(Seen::Draw),
            Opcode::EVENT_WRITE if event == Some(Event::VGT_FLUSH) => Some(Seen::Flush),
            Opcode::EVENT_WRITE if event == Some(Event::SQ_NON_EVENT) => Some(Seen::Sync),
            Opcode::RELEASE_MEM if event == Some(Event::BOTTOM_OF_PIPE_TS) => Some(Seen::End),
            _ => None,
        }
    };
    Reader::new(words).map(|packet| packet.expect("whole packets")).filter_map(of).collect()
}

/// Records draws into a command buffer of its own: what workarounds write there. None if the chip cannot draw one of them.
fn record(chip: Chip, draws: &[&DrawDesc]) -> Option<Vec<Seen>> {
    let resolved: Vec<Resolved> = draws.iter().map(|desc| desc.resolve(chip).ok()).collect::<Option<_>>()?;
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(&support::draws::queue_memory()).expect("a preamble");
    let before = recorder.words().len();
    resolved.iter().for_each(|draw| recorder.draw(draw).expect("a draw"));
    Some(seen(&recorder.finish().expect("an end")[before..]))
}

#[test]
fn vgt_flush_comes_between_ngg_and_legacy_and_between_geometry_shaders_of_different_cut_modes() {
    let loaded = |desc: PipelineDesc| streamout::loaded(DrawDesc::from(desc));
    let path = |path| loaded(PipelineDesc { vertex: VertexStage { path: Some(path), ..VertexStage::default() }, ..PipelineDesc::default() });
    let (ngg, legacy) = (path(VertexPath::Ngg), path(VertexPath::Legacy));
    // CUT_MODE 3 is for up to 128 vertices, 0 for more than 512.
    let cut = |max_vertices| {
        let mut desc = legacy.clone();
        desc.pipeline.geometry = Some(GeometryStage { max_vertices, ..GeometryStage::default() });
        desc
    };
    let (few, many) = (cut(4), cut(600));
    let cases: [(Erratum, &[&DrawDesc], &[usize]); 10] = [
        (Erratum::VgtFlushNggLegacy, &[&legacy], &[]),
        (Erratum::VgtFlushNggLegacy, &[&ngg, &legacy], &[1]),
        (Erratum::VgtFlushNggLegacy, &[&legacy, &ngg], &[]),
        (Erratum::VgtFlushNggLegacy, &[&ngg, &ngg], &[]),
        (Erratum::VgtFlushNggLegacy, &[&legacy, &legacy], &[]),
        (Erratum::VgtFlushCutMode, &[&few, &many], &[1]),
        (Erratum::VgtFlushCutMode, &[&few, &few], &[]),
        (Erratum::VgtFlushCutMode, &[&legacy, &few], &[]),
        (Erratum::VgtFlushCutMode, &[&few, &legacy], &[]),
        // The last geometry shader counts, not the last draw.
        (Erratum::VgtFlushCutMode, &[&few, &legacy, &many], &[2]),
    ];
    for (number, (erratum, draws, flushed)) in cases.into_iter().enumerate() {
        let mut drawn = 0;
        for chip in Chip::all() {
            let Some(all) = record(chip, draws) else { continue };
            let flushed = if chip.has(erratum) { flushed } else { &[] };
            let expected: Vec<Seen> = (0..draws.len()).flat_map(|at| flushed.contains(&at).then_some(Seen::Flush).into_iter().chain([Seen::Draw])).collect();
            assert_eq!(all.into_iter().filter(|seen| matches!(seen, Seen::Draw | Seen::Flush)).collect::<Vec<_>>(), expected, "{chip}: case {number}");
            drawn += u32::from(chip.has(erratum));
        }
        assert!(drawn > 0, "case {number}");
    }
}

/// On chips that need an event where primitive restart is written first, one is before each first draw.
#[test]
fn events_follow_draws_with_hiz_rates_of_vertices_and_tessellation() {
    let plain = streamout::loaded(DrawDesc::default());
    let mut hiz = plain.clone();
    let surface = HiSurface { address: 0x40_0000, swizzle: 3, format: false, extent: (64, 64) };
    hiz.targets.depth = Some(DepthTarget { hiz: Some(surface), ..DepthTarget::new(DepthFormat::D32, 1) });
    let mut rates = plain.clone();
    rates.pipeline.vertex.outputs.shading_rate = true;
    let mut tessellated = plain.clone();
    (tessellated.pipeline.tessellation, tessellated.pipeline.topology) = (Some(Tessellation::default()), Topology::PatchList);
    let mut acted = BTreeSet::new();
    for chip in Chip::all() {
        let first = chip.has(Erratum::PrimRestartSync).then_some(Seen::Sync);
        for (desc, erratum, event) in [
            (&plain, None, Seen::Draw),
            (&hiz, Some(Erratum::HizEvent), Seen::End),
            (&rates, Some(Erratum::VrsExportEvent), Seen::End),
            (&tessellated, Some(Erratum::TessellationEnd), Seen::Sync),
        ] {
            let Some(all) = record(chip, &[desc]) else { continue };
            let event = erratum.filter(|erratum| chip.has(*erratum)).map(|_| event);
            assert_eq!(all, first.into_iter().chain([Seen::Draw]).chain(event).collect::<Vec<_>>(), "{chip} {erratum:?}");
            acted.extend(event.and(erratum).map(|erratum| erratum.to_string()));
        }
        // Streamout has counted the vertices of the draw.
        let resolved = plain.resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&support::draws::queue_memory()).expect("a preamble");
        let before = recorder.words().len();
        recorder.draw_call(&resolved, &streamout::counted()).expect("a draw");
        let count = if chip.has(Erratum::OpaqueDrawEvents) { 3 } else { 0 };
        assert_eq!(seen(&recorder.words()[before..]), first.into_iter().chain([Seen::Draw]).chain([Seen::Sync].repeat(count)).collect::<Vec<_>>(), "{chip}");
        acted.extend((count > 0).then(|| Erratum::OpaqueDrawEvents.to_string()));
    }
    assert_eq!(acted.len(), 4, "{acted:?}");
}
