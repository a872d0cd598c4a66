//! Targets as drivers use them: DCC, CMASK, FMASK, HTILE, HiZ and HiS, clears, passes over targets; compared with RADV's captures and the model.

use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::descriptors::{ImageCompression, ImageDesc, Metadata, TexelFormat};
use pm4::draw::sync::SyncMemory;
use pm4::draw::*;
use pm4::layout::SwizzleMode;
use pm4::packet::{Event, Opcode, Queue, Reader};
use pm4::regs;
use support::captured::{Captured, captured, compression, each_captured, htile, of_targets};
use support::draws::queue_memory;

fn value(image: &RegisterImage, gfx: Gfx, register: &str) -> Option<u32> {
    image.get(regs::find(gfx, register)?.addr())
}

fn field(image: &RegisterImage, gfx: Gfx, register: &str, field: &str) -> Option<u32> {
    let found = regs::find(gfx, register)?;
    Some(found.info().field(field)?.get(image.get(found.addr())?))
}

#[test]
fn bases_of_masks_say_whether_they_are_used() {
    let fmask = Fmask { address: 0x20_0000, swizzle: 24, compressed: true, single_fragments: false };
    for (cmask, fmask) in [(None, None), (Some(0x10_0000), None), (Some(0x10_0000), Some(fmask))] {
        let dcc = Some(Dcc { address: 0x30_0000, blocks: Some(DccBlocks::BYTES_64) });
        let image = TargetImage {
            surface: tiled(27),
            compression: Some(ColorCompression { dcc, cmask, fmask, ..ColorCompression::default() }),
            ..TargetImage::default()
        };
        let mut desc = DrawDesc::default().with_colors([(image, TargetBlend::default())]);
        desc.pipeline.samples = 4;
        for chip in [Chip::Vega10, Chip::Navi10, Chip::Navi21] {
            let reasons = desc.explain(chip).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let rule = |register: &str| reasons.iter().find(|reason| reason.register == register).map(|reason| reason.rule.to_string());
            let told = |used: bool| Some(String::from(if used { "address of the metadata" } else { "not used: the address of the target" }));
            assert_eq!([rule("CB_COLOR0_CMASK"), rule("CB_COLOR0_FMASK")], [told(cmask.is_some()), told(fmask.is_some())], "{chip}");
        }
    }
}

fn tiled(swizzle: u8) -> Surface {
    Surface { address: 0x100_0000, swizzle, ..Surface::default() }
}

fn dcc(blocks: DccBlocks) -> ColorCompression {
    ColorCompression { dcc: Some(Dcc { address: 0x1234_5678_9A00, blocks: Some(blocks) }), pipe_aligned: true, ..ColorCompression::default() }
}

fn compressed(samples: u32, format: ColorFormat, compression: ColorCompression) -> DrawDesc {
    let target = (TargetImage { format, surface: tiled(27), compression: Some(compression), ..TargetImage::default() }, TargetBlend::default());
    DrawDesc { pipeline: PipelineDesc { samples, ..PipelineDesc::default() }, ..DrawDesc::default() }.with_colors(vec![target])
}

fn resolve(samples: u32) -> DrawDesc {
    let source = (TargetImage { samples: Some(samples), surface: tiled(26), ..TargetImage::default() }, TargetBlend::default());
    let destination = (TargetImage { samples: Some(1), surface: tiled(26), ..TargetImage::default() }, TargetBlend { write_mask: 0, ..TargetBlend::default() });
    DrawDesc { pipeline: PipelineDesc { pass: Some(TargetPass::Resolve), topology: Topology::RectList, ..PipelineDesc::default() }, ..DrawDesc::default() }
        .with_colors(vec![source, destination])
}

/// The ordered section belongs to the application: the driver's own passes over targets have none.
#[test]
fn passes_over_targets_have_no_ordered_section() {
    let chip = Chip::Navi10;
    let mut desc = resolve(4);
    assert!(desc.resolve(chip).is_ok(), "{chip}");
    desc.pipeline.interlock = Interlock::PixelOrdered;
    let refused = desc.resolve(chip);
    assert!(matches!(refused, Err(DrawError::Stages { why, .. }) if why.contains("ordered section")), "{chip}: {refused:?}");
}

fn with_htile(format: DepthFormat, samples: u32, htile: Htile) -> DrawDesc {
    let surface = Surface { stencil_address: 0x200_0000, ..tiled(24) };
    let depth = DepthTarget { htile: Some(htile), surface, ..DepthTarget::new(format, samples) };
    DrawDesc {
        pipeline: PipelineDesc { samples, ..PipelineDesc::default() },
        targets: TargetsDesc { color: Vec::new(), depth: Some(depth), ..TargetsDesc::default() },
        ..DrawDesc::default()
    }
}

/// Returns whether a field describes existing metadata, or something else.
fn is_of_something(draw: &Captured<'_>, register: &str, field: &str) -> bool {
    if register == "DB_Z_INFO" && field == "NUM_SAMPLES" {
        return draw.field("DB_Z_INFO", "FORMAT") != 0;
    }
    let Some(target) = register.strip_prefix("CB_COLOR").and_then(|rest| rest.get(..1)?.parse().ok()) else { return true };
    let metadata = compression(draw, target);
    match field {
        _ if register.ends_with("FDCC_CONTROL") => metadata.is_some(),
        "FMASK_SW_MODE" => metadata.is_some_and(|metadata| metadata.fmask.is_some()),
        "CMASK_PIPE_ALIGNED" => metadata.is_some_and(|metadata| metadata.cmask.is_some()),
        "DCC_PIPE_ALIGNED" => metadata.is_some_and(|metadata| metadata.dcc.is_some()),
        "RB_ALIGNED" | "PIPE_ALIGNED" => metadata.is_some(),
        _ => true,
    }
}

#[test]
fn clears_and_resolves_have_radvs_targets() {
    let cases = ["clear_attachments_s1", "clear_color_image", "clear_load_color_depth_s4", "resolve_image_s4"];
    let starts = ["CB_COLOR", "DB_HTILE", "DB_Z_", "DB_STENCIL_INFO", "DB_RENDER_CONTROL", "DB_RENDER_OVERRIDE2", "DB_DEPTH_SIZE"];
    let (mut compared, mut kinds) = (0, [0; 5]);
    each_captured(&captured(), |draw| {
        if !cases.contains(&draw.case) || !draw.packet.starts_with("DRAW_") {
            return;
        }
        let (gfx, desc) = (draw.chip.gfx(), of_targets(draw));
        let image = desc.resolve(draw.chip).unwrap_or_else(|e| panic!("{} {}: {e}", draw.chip, draw.case)).image;
        let metadata = compression(draw, 0).unwrap_or_default();
        let seen = [metadata.dcc.is_some(), metadata.cmask.is_some(), metadata.fmask.is_some(), htile(draw).is_some(), desc.pipeline.pass.is_some()];
        kinds.iter_mut().zip(seen).for_each(|(count, seen)| *count += usize::from(seen));
        for (addr, theirs) in &draw.state {
            let Some(register) = regs::lookup(gfx, *addr).filter(|found| starts.iter().any(|start| found.info().name.starts_with(start))) else { continue };
            let Some(ours) = image.get(*addr) else { continue };
            for field in register.fields().iter().filter(|field| is_of_something(draw, &register.to_string(), field.name)) {
                assert_eq!(field.get(ours), field.get(*theirs), "{} {} at {}: {register}.{}", draw.chip, draw.case, draw.packet, field.name);
                compared += 1;
            }
        }
    });
    println!("{compared} fields; draws with DCC, CMASK, FMASK, HTILE, resolves: {kinds:?}");
    assert!(compared > 500 && kinds[3] > 0, "{compared} {kinds:?}");
}

#[test]
fn blocks_of_dcc_follow_samples_and_pixels() {
    for chip in Chip::all() {
        let (gfx, of) = (chip.gfx(), |samples, format, blocks| compressed(samples, format, dcc(blocks)));
        if gfx == Gfx::Gfx12 {
            assert!(matches!(of(1, ColorFormat::Rgba8, DccBlocks::BYTES_64).resolve(chip), Err(DrawError::OptionAbsent { .. })), "{chip}");
            continue;
        }
        let control = if gfx >= Gfx::Gfx11 { "CB_COLOR0_FDCC_CONTROL" } else { "CB_COLOR0_DCC_CONTROL" };
        let largest = |samples, format| {
            let image = of(samples, format, DccBlocks::BYTES_64).resolve(chip).expect("a draw").image;
            field(&image, gfx, control, "MAX_UNCOMPRESSED_BLOCK_SIZE").expect("a field")
        };
        assert_eq!(
            [largest(1, ColorFormat::R8), largest(4, ColorFormat::R8), largest(4, ColorFormat::Rg8), largest(4, ColorFormat::Rgba8)],
            if gfx == Gfx::Gfx9 { [2, 0, 1, 2] } else { [2; 4] },
            "{chip}"
        );
        let image = of(1, ColorFormat::Rgba8, DccBlocks::BYTES_64).resolve(chip).expect("a draw").image;
        assert_eq!(field(&image, gfx, control, "MIN_COMPRESSED_BLOCK_SIZE"), Some(u32::from(chip.info().apu && chip.info().llvm != "gfx1151")), "{chip}");
        assert_eq!(value(&image, gfx, "CB_COLOR0_DCC_BASE"), Some(0x3456_789A), "{chip}");
        assert_eq!(value(&image, gfx, "CB_COLOR0_DCC_BASE_EXT"), Some(0x12), "{chip}");
        let on = if gfx >= Gfx::Gfx11 { field(&image, gfx, control, "FDCC_ENABLE") } else { field(&image, gfx, "CB_COLOR0_INFO", "DCC_ENABLE") };
        assert_eq!(on, Some(1), "{chip}");
        if gfx >= Gfx::Gfx11 {
            let image = of(8, ColorFormat::Rgba8, DccBlocks::BYTES_128).resolve(chip).expect("a draw").image;
            let hit = u32::from(chip.has(Erratum::MaxCompressedFragments));
            assert_eq!(field(&image, gfx, control, "ENABLE_MAX_COMP_FRAG_OVERRIDE"), Some(hit), "{chip}");
            // Captures of GFX11.5: 1 for both 4 and 8 samples; the override is set with fewer samples as well.
            assert_eq!(field(&image, gfx, control, "MAX_COMP_FRAGS"), Some(hit), "{chip}");
            let single = of(1, ColorFormat::Rgba8, DccBlocks::BYTES_128).resolve(chip).expect("a draw").image;
            let limits = ["ENABLE_MAX_COMP_FRAG_OVERRIDE", "MAX_COMP_FRAGS"].map(|name| field(&single, gfx, control, name));
            assert_eq!(limits, [Some(hit), Some(0)], "{chip}");
        }
    }
}

/// Returns a target whose surface has such blocks, on GFX12 without metadata.
fn with_blocks(chip: Chip, samples: u32, blocks: Option<DccBlocks>) -> DrawDesc {
    let address = if chip.gfx() < Gfx::Gfx12 { 0x30_0000 } else { 0 };
    let mut desc = compressed(samples, ColorFormat::Rgba8, ColorCompression { dcc: Some(Dcc { address, blocks }), ..ColorCompression::default() });
    desc.targets.color[0].surface = tiled(if chip.gfx() < Gfx::Gfx12 { 27 } else { 3 });
    desc
}

fn blocks_control(chip: Chip, desc: &DrawDesc) -> Option<u32> {
    let control = if chip.gfx() >= Gfx::Gfx11 { "CB_COLOR0_FDCC_CONTROL" } else { "CB_COLOR0_DCC_CONTROL" };
    value(&desc.resolve(chip).unwrap_or_else(|error| panic!("{chip}: {error}")).image, chip.gfx(), control)
}

/// Words that radeonsi and RADV (25.0.7 and 26.1.6) write for targets of these chips.
#[test]
fn blocks_of_dcc_are_those_of_the_surface() {
    let of_size = |largest| Some(DccBlocks { largest, ..DccBlocks::BYTES_256 });
    for (chip, samples, blocks, word) in [
        (Chip::Vega10, 1, None, 0x208),
        (Chip::Navi10, 1, None, 0x10_0028),
        (Chip::Navi21, 1, None, 0x10_0028),
        (Chip::Navi21, 1, Some(DccBlocks::BYTES_64_AND_128), 0x10_0208),
        (Chip::Navi31, 1, None, 0x44_0428),
        (Chip::Navi31, 1, Some(DccBlocks::BYTES_64_AND_128), 0x44_0608),
        (Chip::Gfx1150, 1, None, 0x444_0458),
        (Chip::Gfx1150, 4, None, 0xC44_0458),
        (Chip::Gfx1150, 8, Some(DccBlocks::BYTES_256_AND_128), 0xC44_0458),
        (Chip::Gfx1201, 1, None, 0x1000_0044),
        (Chip::Gfx1201, 1, of_size(CompressedBlock::B64), 0x1000_0004),
        (Chip::Gfx1201, 1, of_size(CompressedBlock::B128), 0x1000_0024),
        (Chip::Gfx1201, 4, of_size(CompressedBlock::B256), 0x5000_0044),
        (Chip::Gfx1201, 8, None, 0x7000_0044),
    ] {
        let have = blocks_control(chip, &with_blocks(chip, samples, blocks));
        assert_eq!(have, Some(word), "{chip}, {samples} samples, {blocks:?}: {have:#x?}");
    }
    let plain = DrawDesc::default().with_colors(vec![(TargetImage::default(), TargetBlend::default())]);
    assert_eq!(blocks_control(Chip::Gfx1201, &plain), Some(0x1000_0004), "RADV, targets of which nothing is known");
}

#[test]
fn blocks_of_dcc_that_cannot_be_are_refused() {
    let (large, small) = (DccBlocks { independent_64: true, ..DccBlocks::BYTES_256 }, DccBlocks { independent_64: true, ..DccBlocks::BYTES_128 });
    for chip in Chip::all() {
        let refused = |blocks| with_blocks(chip, 1, Some(blocks)).resolve(chip).is_err();
        let gfx = chip.gfx();
        assert!(refused(large) && refused(small), "{chip}: compressed blocks are larger than independent ones");
        assert_eq!(refused(DccBlocks::BYTES_64), gfx == Gfx::Gfx12, "{chip}");
        assert_eq!(refused(DccBlocks::BYTES_128), matches!(gfx, Gfx::Gfx9 | Gfx::Gfx12), "{chip}");
        assert_eq!(refused(DccBlocks::BYTES_64_AND_128), matches!(gfx, Gfx::Gfx9 | Gfx::Gfx10 | Gfx::Gfx12), "{chip}");
        assert_eq!(refused(DccBlocks::BYTES_256_AND_128), gfx != Gfx::Gfx115, "{chip}");
        assert!(!refused(DccBlocks::BYTES_256) && !refused(DccBlocks::of(chip)), "{chip}");
    }
    // Targets of GFX12 have no metadata other than block sizes.
    let dcc = Some(Dcc { address: 0x100, blocks: None });
    for metadata in [
        ColorCompression { dcc, ..ColorCompression::default() },
        ColorCompression { pipe_aligned: true, ..ColorCompression::default() },
        ColorCompression { cmask: Some(0x100), ..ColorCompression::default() },
    ] {
        let mut desc = with_blocks(Chip::Gfx1201, 1, None);
        desc.targets.color[0].compression = Some(metadata);
        assert!(matches!(desc.resolve(Chip::Gfx1201), Err(DrawError::OptionAbsent { option: "metadata of a colour target", .. })), "{metadata:?}");
    }
}

/// The same surface as a target and as a texture.
#[test]
fn target_and_descriptor_of_a_surface_have_one_largest_block() {
    for chip in Chip::all().filter(|chip| chip.gfx() > Gfx::Gfx9) {
        for blocks in [DccBlocks::of(chip), DccBlocks::BYTES_256] {
            let image = ImageDesc {
                swizzle: 3,
                max_compressed_block: blocks.largest,
                compression: ImageCompression::Dcc { metadata: Metadata::default(), write: false },
                ..ImageDesc::new(0x10_0000, TexelFormat::R8G8B8A8_UNORM)
            };
            let words = image.words(chip).unwrap_or_else(|error| panic!("{chip}: {error}"));
            let control = blocks_control(chip, &with_blocks(chip, 1, Some(blocks))).expect("a word");
            assert_eq!(words[6] >> 17 & 3, control >> 5 & 3, "{chip}, {blocks:?}");
        }
    }
}

#[test]
fn passes_have_the_mode_of_the_generation() {
    let metadata = ColorCompression {
        cmask: Some(0x200),
        fmask: Some(Fmask { address: 0x300, swizzle: 24, compressed: true, single_fragments: false }),
        ..dcc(DccBlocks::BYTES_64)
    };
    for chip in Chip::all() {
        let mode = |pass: TargetPass| {
            let compression = if chip.gfx() >= Gfx::Gfx11 { dcc(DccBlocks::BYTES_64) } else { metadata };
            let desc = match pass {
                TargetPass::Resolve => resolve(4),
                _ => DrawDesc {
                    pipeline: PipelineDesc { pass: Some(pass), topology: Topology::RectList, ..compressed(4, ColorFormat::Rgba8, compression).pipeline },
                    ..compressed(4, ColorFormat::Rgba8, compression)
                },
            };
            field(&desc.resolve(chip).ok()?.image, chip.gfx(), "CB_COLOR_CONTROL", "MODE")
        };
        let expected = match chip.gfx().major() {
            9 | 10 => [Some(2), Some(5), Some(6), Some(3)],
            11 => [Some(2), None, Some(3), None],
            _ => [None; 4],
        };
        assert_eq!([TargetPass::EliminateFastClear, TargetPass::FmaskDecompress, TargetPass::DccDecompress, TargetPass::Resolve].map(mode), expected, "{chip}");
    }
}

#[test]
fn depth_is_decompressed_and_cleared_by_passes() {
    for chip in Chip::all().filter(|chip| chip.gfx() < Gfx::Gfx12) {
        let htile = Htile { address: 0x500, compressed: true, stencil: true, ..Htile::default() };
        let control = |pass, clear| {
            let mut desc = DrawDesc {
                pipeline: PipelineDesc { pass, topology: Topology::RectList, ..with_htile(DepthFormat::D32s8, 4, htile).pipeline },
                ..with_htile(DepthFormat::D32s8, 4, htile)
            };
            desc.targets.depth.iter_mut().for_each(|depth| depth.clear = clear);
            let image = desc.resolve(chip).expect("a draw").image;
            ["DEPTH_CLEAR_ENABLE", "STENCIL_CLEAR_ENABLE", "STENCIL_COMPRESS_DISABLE", "DEPTH_COMPRESS_DISABLE"]
                .map(|name| field(&image, chip.gfx(), "DB_RENDER_CONTROL", name).expect("a field"))
        };
        let values = Some(DepthClear { depth: 0.5, stencil: 3 });
        assert_eq!(control(None, None), [0, 0, 0, 0], "{chip}");
        assert_eq!(control(Some(TargetPass::DepthDecompress), None), [0, 0, 1, 1], "{chip}");
        assert_eq!(control(Some(TargetPass::DepthClear), values), [1, 1, 0, 0], "{chip}");
    }
}

#[test]
fn errata_of_htile_act_on_their_chips() {
    for chip in Chip::all().filter(|chip| chip.gfx() < Gfx::Gfx12) {
        let z = |desc: &DrawDesc, name| field(&desc.resolve(chip).expect("a draw").image, chip.gfx(), "DB_Z_INFO", name);
        let mut cleared = with_htile(DepthFormat::D32, 1, Htile { shader_readable: true, decompress_planes: 4, ..Htile::default() });
        cleared.targets.depth.iter_mut().for_each(|depth| depth.clear = Some(DepthClear::default()));
        assert_eq!(z(&cleared, "ZRANGE_PRECISION"), Some(u32::from(!chip.has(Erratum::TcCompatZrange))), "{chip}");
        cleared.targets.depth.iter_mut().for_each(|depth| depth.clear = Some(DepthClear { depth: 1.0, stencil: 0 }));
        assert_eq!(z(&cleared, "ZRANGE_PRECISION"), Some(1), "{chip}");
        assert_eq!(z(&cleared, "DECOMPRESS_ON_N_ZPLANES"), Some(4), "{chip}");
        if chip.gfx() > Gfx::Gfx9 {
            let planes = |format, samples| {
                z(&with_htile(format, samples, Htile { iterate_256: true, decompress_planes: 5, ..Htile::default() }), "DECOMPRESS_ON_N_ZPLANES")
            };
            let hit = if chip.has(Erratum::TwoPlanesIterate256) { 2 } else { 5 };
            assert_eq!([planes(DepthFormat::D32s8, 4), planes(DepthFormat::D32, 4), planes(DepthFormat::D32s8, 8)], [hit, 5, 5].map(Some), "{chip}");
        }
    }
}

/// PAL 04/2025: WALK_ALIGN8_PRIM_FITS_ST may hang GFX12 with HiZ; Mesa: an event after each draw.
#[test]
fn hiz_of_gfx12_says_where_it_lies_and_has_its_event() {
    let surface = HiSurface { address: 0xAB00, swizzle: 3, format: true, extent: (64, 32) };
    for chip in Chip::all() {
        let depth = DepthTarget { hiz: Some(surface), his: Some(HiSurface { format: false, ..surface }), ..DepthTarget::new(DepthFormat::D32s8, 1) };
        let desc = DrawDesc { targets: TargetsDesc { depth: Some(depth), ..TargetsDesc::default() }, ..DrawDesc::default() };
        let Ok(resolved) = desc.resolve(chip) else {
            assert!(chip.gfx() < Gfx::Gfx12, "{chip}");
            continue;
        };
        let (gfx, image) = (chip.gfx(), &resolved.image);
        assert_eq!([0x28B94, 0x28B9C, 0x28BA0, 0x28BA4].map(|addr| image.get(addr)), [1 | 1 << 1 | 3 << 2, 0xAB, 0, 63 | 31 << 16].map(Some), "{chip}");
        assert_eq!([0x28B98, 0x28BA8, 0x28BAC, 0x28BB0].map(|addr| image.get(addr)), [1 | 3 << 1, 0xAB, 0, 63 | 31 << 16].map(Some), "{chip}");
        assert_eq!(field(image, gfx, "PA_SC_MODE_CNTL_1", "WALK_ALIGN8_PRIM_FITS_ST"), Some(0), "{chip}");
        let mut recorder = Recorder::secondary(chip);
        recorder.draw(&resolved).expect("a draw");
        let last = Reader::new(recorder.words()).last().expect("packets").expect("a packet");
        assert_eq!(last.opcode(), Some(Opcode::RELEASE_MEM), "{chip}");
        let without =
            DrawDesc { targets: TargetsDesc { depth: Some(DepthTarget::new(DepthFormat::D32s8, 1)), ..TargetsDesc::default() }, ..DrawDesc::default() }
                .resolve(chip)
                .expect("a draw")
                .image;
        assert_eq!(field(&without, gfx, "PA_SC_MODE_CNTL_1", "WALK_ALIGN8_PRIM_FITS_ST"), Some(1), "{chip}");
    }
}

/// 24-bit depth as in radeonsi's command buffers on Vega10 and Navi31 (DB_Z_INFO.FORMAT Z_24, 24 bits of non-float bias); GFX12 has no such format (Mesa 25.0.7
/// ac_translate_dbformat). The bits of the other formats are RADV's.
#[test]
fn depth_formats_have_their_number_and_the_bits_of_their_bias() {
    let formats = [
        (DepthFormat::D16, [1, 0, 0xF0, 0]),
        (DepthFormat::D24, [2, 0, 0xE8, 0]),
        (DepthFormat::D24s8, [2, 1, 0xE8, 0]),
        (DepthFormat::D32, [3, 0, 0xE9, 1]),
        (DepthFormat::D32s8, [3, 1, 0xE9, 1]),
    ];
    let raster = Raster { depth_bias: Some(DepthBias { constant: 2.0, slope: 1.0, clamp: 0.0 }), ..Raster::default() };
    for chip in Chip::all() {
        for (format, expected) in formats {
            let desc = DrawDesc {
                pipeline: PipelineDesc { raster, ..PipelineDesc::default() },
                targets: TargetsDesc { depth: Some(DepthTarget::new(format, 1)), ..TargetsDesc::default() },
                ..DrawDesc::default()
            };
            let resolved = desc.resolve(chip);
            if chip.gfx() >= Gfx::Gfx12 && expected[0] == 2 {
                assert_eq!(
                    resolved.expect_err("no such format").to_string(),
                    format!("{chip} does not have a depth target of 24 bits: GFX9 to GFX11.5 have it")
                );
                continue;
            }
            let image = resolved.unwrap_or_else(|e| panic!("{chip}: {e}")).image;
            let fields = [
                ("DB_Z_INFO", "FORMAT"),
                ("DB_STENCIL_INFO", "FORMAT"),
                ("PA_SU_POLY_OFFSET_DB_FMT_CNTL", "POLY_OFFSET_NEG_NUM_DB_BITS"),
                ("PA_SU_POLY_OFFSET_DB_FMT_CNTL", "POLY_OFFSET_DB_IS_FLOAT_FMT"),
            ];
            assert_eq!(fields.map(|(register, name)| field(&image, chip.gfx(), register, name)), expected.map(Some), "{chip} {format}");
        }
    }
}

/// PAL 04/2025, Mesa 25.0.7: a shading-rate image states its address, the walk is not aligned to 8, and the image is ignored with 8 samples before GFX12.
#[test]
fn a_rate_image_is_bound_where_rates_may_be_coarse() {
    let image = RateImage { address: 0x1234_5678_9A00, swizzle: 2, extent: (32, 16) };
    for chip in Chip::all() {
        let desc = |samples| DrawDesc {
            pipeline: PipelineDesc { samples, rate_image_combiner: RateCombiner::Max, ..PipelineDesc::default() },
            targets: TargetsDesc { rate_image: Some(image), ..TargetsDesc::default() },
            ..DrawDesc::default()
        };
        let Ok(resolved) = desc(1).resolve(chip) else {
            assert!(chip.gfx() < Gfx::Gfx11, "{chip}");
            continue;
        };
        let (gfx, registers) = (chip.gfx(), &resolved.image);
        assert_eq!([0x283F0, 0x283F4, 0x283F8].map(|addr| registers.get(addr)), [0x3456_789A, 0x12, 31 | 15 << 16].map(Some), "{chip}");
        assert_eq!(registers.get(0x283E0), (gfx == Gfx::Gfx12).then_some(2), "{chip}");
        let of = |image: &RegisterImage, register, name| field(image, gfx, register, name);
        assert_eq!(of(registers, "PA_SC_VRS_OVERRIDE_CNTL", "VRS_SURFACE_ENABLE"), Some(1), "{chip}");
        assert_eq!(of(registers, "PA_CL_VRS_CNTL", "HTILE_RATE_COMBINER_MODE"), Some(3), "{chip}");
        assert_eq!(of(registers, "PA_SC_MODE_CNTL_1", "WALK_ALIGN8_PRIM_FITS_ST"), Some(0), "{chip}");
        let eight = desc(8).resolve(chip).expect("a draw").image;
        assert_eq!(of(&eight, "PA_SC_VRS_OVERRIDE_CNTL", "VRS_SURFACE_ENABLE"), Some(u32::from(!chip.has(Erratum::CoarseRateAt8Samples))), "{chip}");
        let wrong = |image: RateImage| {
            DrawDesc { targets: TargetsDesc { rate_image: Some(image), ..TargetsDesc::default() }, ..DrawDesc::default() }
                .resolve(chip)
                .expect_err("a wrong image")
                .to_string()
        };
        assert!(wrong(RateImage { address: 1, ..image }).contains("the address of a shading-rate image: 0x1 is not"), "{chip}");
        assert!(wrong(RateImage { extent: (0, 1), ..image }).contains("the width or height of a shading-rate image: 0 is not"), "{chip}");
        assert!(wrong(RateImage { swizzle: 8, ..image }).contains("a shading-rate image of the swizzle mode 8: the chip has no such mode"), "{chip}");
    }
}

#[test]
fn rates_in_htile_combine_on_gfx103() {
    for chip in Chip::all() {
        let htile = Htile { rates: true, ..Htile::default() };
        let desc = DrawDesc {
            pipeline: PipelineDesc { rate_image_combiner: RateCombiner::Replace, ..with_htile(DepthFormat::D16, 1, htile).pipeline },
            ..with_htile(DepthFormat::D16, 1, htile)
        };
        let Ok(resolved) = desc.resolve(chip) else {
            assert!(chip.gfx() != Gfx::Gfx103, "{chip}");
            continue;
        };
        assert_eq!(field(&resolved.image, chip.gfx(), "DB_HTILE_SURFACE", "VRS_HTILE_ENCODING"), Some(2), "{chip}");
        assert_eq!(field(&resolved.image, chip.gfx(), "PA_CL_VRS_CNTL", "HTILE_RATE_COMBINER_MODE"), Some(1), "{chip}");
    }
}

#[test]
fn clip_planes_are_on_where_they_are_given() {
    for chip in Chip::all() {
        let mut desc = DrawDesc::default();
        let planes = [Some([1.0, 0.0, 0.0, 0.5]), None, Some([0.0, -1.0, 0.0, 2.0]), None, None, None];
        desc.pipeline.raster.clip_planes = Some(ClipPlanes { planes, cull_only: true });
        let (image, gfx) = (desc.resolve(chip).expect("a draw").image, chip.gfx());
        let on = ["UCP_ENA_0", "UCP_ENA_1", "UCP_ENA_2", "UCP_CULL_ONLY_ENA"].map(|name| field(&image, gfx, "PA_CL_CLIP_CNTL", name));
        assert_eq!(on, [1, 0, 1, 1].map(Some), "{chip}");
        let first = if gfx == Gfx::Gfx12 { 0x282D0 } else { 0x285BC };
        let plane = |n: u32| [0, 4, 8, 12].map(|at| image.get(first + 16 * n + at).map(f32::from_bits));
        assert_eq!(plane(0), [1.0, 0.0, 0.0, 0.5].map(Some), "{chip}");
        assert_eq!((plane(1), plane(2)), ([None; 4], [0.0, -1.0, 0.0, 2.0].map(Some)), "{chip}");
        desc.pipeline.raster.clip_planes = Some(ClipPlanes { planes: [Some([f32::NAN; 4]); 6], cull_only: false });
        assert!(desc.resolve(chip).expect_err("no number").to_string().contains("a number of a clip plane"), "{chip}");
    }
}

#[derive(Default)]
struct Findings(Vec<String>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.extend((finding.severity != Severity::Info).then(|| finding.to_string()));
    }
}

/// Barriers and draw of a pass are one call: without room for all of them nothing is written, and the recorder continues as if it had not been called.
#[test]
fn a_refused_pass_leaves_no_trace() {
    for chip in Chip::all().filter(|chip| chip.gfx().major() <= 10) {
        let (pass, plain) = (resolve(4).resolve(chip).expect("a pass"), DrawDesc::default().resolve(chip).expect("a draw"));
        let record = |memory: &mut [u32], tries: bool| {
            let mut recorder = Recorder::fixed(chip, memory);
            recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
            let early = recorder.draw_pass(&pass);
            assert!(matches!(early, Err(RecordError::NotBegun)) && recorder.words().is_empty(), "{chip}: {early:?}");
            recorder.begin_with(&queue_memory()).expect("room for the preamble");
            recorder.draw(&plain).expect("room for a draw");
            let before = recorder.words().to_vec();
            let written = tries && recorder.draw_pass(&pass).is_ok();
            assert!(written || recorder.words() == before, "{chip}: a refused pass has written packets");
            recorder.draw(&plain).map(|()| (written, recorder.words().to_vec()))
        };
        let mut memory = vec![0; 4000];
        let (_, without) = record(&mut memory, false).expect("room");
        let (written, with) = record(&mut memory, true).expect("room");
        assert!(written && with.len() > without.len() + 20, "{chip}");
        let refused = (without.len()..with.len()).filter_map(|room| match record(&mut memory[..room], true) {
            Ok((false, words)) => Some(words),
            _ => None,
        });
        assert!(refused.inspect(|words| assert_eq!(*words, without, "{chip}")).count() > 20, "{chip}");
    }
}

#[test]
fn a_resolve_waits_before_and_after_and_has_no_findings() {
    for chip in Chip::all().filter(|chip| chip.gfx().major() <= 10) {
        let mut desc = resolve(4);
        desc.pipeline.vertex.program.address = Some(0x40_0000);
        desc.pipeline.shader.iter_mut().for_each(|shader| shader.program.address = Some(0x41_0000));
        let resolved = desc.resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
        recorder.begin_with(&queue_memory()).expect("a preamble");
        recorder.draw_pass(&resolved).expect("a pass");
        let plain = DrawDesc::default().resolve(chip).expect("a draw");
        assert_eq!(
            recorder.draw_pass(&plain).expect_err("no pass").to_string(),
            "draw_pass was called with a draw that is not a pass: set `PipelineDesc::pass`"
        );
        let words = recorder.finish().expect("an end");
        let mut cp = CommandProcessor::new(chip);
        cp.map("fence", 0x1000, &[0; 4]);
        cp.map("zpass", 0x2000, &[0; 64]);
        cp.submit(Queue::Graphics, "resolve", &words);
        let mut found = Findings::default();
        cp.run(&mut found);
        assert!(found.0.is_empty(), "{chip}: {:#?}", found.0);
        let (draw, releases) = Reader::new(&words).map(|p| p.expect("a packet").opcode()).fold((0, [0; 2]), |(draw, mut releases), opcode| match opcode {
            Some(Opcode::DRAW_INDEX_AUTO) => (1, releases),
            Some(Opcode::RELEASE_MEM) => {
                releases[draw] += 1;
                (draw, releases)
            }
            _ => (draw, releases),
        });
        assert_eq!((draw, releases), (1, [1, 1]), "{chip}: caches are flushed on both sides");
    }
}

type Wrong = (DrawDesc, &'static str);

fn wrong(gfx: Gfx) -> Vec<Wrong> {
    let mut blended = resolve(4);
    blended.pipeline.blends[0].blend = Some(Blend::SOURCE_OVER);
    let other = |change: fn(&mut DrawDesc)| {
        let mut desc = resolve(4);
        change(&mut desc);
        desc
    };
    let rects = |desc: DrawDesc, pass| DrawDesc { pipeline: PipelineDesc { pass: Some(pass), topology: Topology::RectList, ..desc.pipeline }, ..desc };
    let linear = DrawDesc {
        targets: TargetsDesc { color: vec![TargetImage { compression: Some(dcc(DccBlocks::BYTES_64)), ..TargetImage::default() }], ..TargetsDesc::default() },
        ..DrawDesc::default()
    };
    let far = ColorCompression { dcc: Some(Dcc { address: 0x80, blocks: Some(DccBlocks::BYTES_64) }), ..ColorCompression::default() };
    let mut all = vec![
        (linear, "a linear image has none"),
        (compressed(1, ColorFormat::Rgba8, far), "the address of a colour target's metadata: 0x80 is not"),
        (with_htile(DepthFormat::D32, 1, Htile { address: 0x80, ..Htile::default() }), "the address of HTILE: 0x80 is not"),
        (with_htile(DepthFormat::D32, 1, Htile { decompress_planes: 16, ..Htile::default() }), "tiles are decompressed: 16 is not"),
        (rects(DrawDesc::default(), TargetPass::DccDecompress), "the target has no DCC"),
        (rects(DrawDesc::default(), TargetPass::EliminateFastClear), "neither CMASK nor DCC"),
        (rects(DrawDesc::default(), TargetPass::DepthDecompress), "a depth target with HTILE"),
        (rects(DrawDesc::default(), TargetPass::DepthClear), "a depth target with clear values"),
        (
            DrawDesc {
                pipeline: PipelineDesc { pass: Some(TargetPass::EliminateFastClear), ..compressed(1, ColorFormat::Rgba8, dcc(DccBlocks::BYTES_64)).pipeline },
                ..compressed(1, ColorFormat::Rgba8, dcc(DccBlocks::BYTES_64))
            },
            "a list of rectangles",
        ),
    ];
    if gfx.major() <= 10 {
        let fmask = Some(Fmask { address: 0, swizzle: 24, compressed: true, single_fragments: false });
        all.extend([
            (blended, "without blending"),
            (other(|d| d.targets.color.truncate(1)), "source and destination"),
            (other(|d| d.targets.color[1].samples = Some(4)), "target 1 and the draw have one"),
            (other(|d| d.targets.color[1].format = ColorFormat::Rgba16f), "the same format"),
            (other(|d| d.pipeline.blends[1].write_mask = 0xF), "writes only target 0"),
            (compressed(1, ColorFormat::Rgba8, ColorCompression { fmask, ..ColorCompression::default() }), "a target of one sample has none"),
            (compressed(4, ColorFormat::Rgba8, ColorCompression { fmask, ..ColorCompression::default() }), "compressed samples need CMASK"),
        ]);
    }
    all
}

#[test]
fn wrong_targets_are_refused_with_the_input_named() {
    for chip in Chip::all().filter(|chip| chip.gfx() < Gfx::Gfx12) {
        for (desc, says) in wrong(chip.gfx()) {
            let error = desc.resolve(chip).expect_err(says).to_string();
            assert!(error.contains(says), "{chip}: {error}, not {says}");
        }
    }
    let cmask = compressed(1, ColorFormat::Rgba8, ColorCompression { cmask: Some(0), ..ColorCompression::default() });
    let rates = with_htile(DepthFormat::D32, 1, Htile { rates: true, ..Htile::default() });
    for (chip, desc) in [(Chip::Navi31, &cmask), (Chip::Gfx1201, &cmask), (Chip::Navi10, &rates), (Chip::Gfx1201, &rates)] {
        assert!(matches!(desc.resolve(chip), Err(DrawError::OptionAbsent { .. })), "{chip}");
    }
}

#[test]
fn codes_of_dcc_clears_depend_on_the_generation() {
    let codes =
        |gfx| [DccClear::Zero, DccClear::One, DccClear::AlphaOne, DccClear::ColorOne, DccClear::Registers, DccClear::Single].map(|clear| clear.code(gfx));
    assert_eq!(codes(Gfx::Gfx9), [0, 0xC0, 0x40, 0x80, 0x20, 0x10].map(Some));
    assert_eq!(codes(Gfx::Gfx11), [Some(0), Some(2), Some(8), Some(0xA), None, Some(1)]);
    assert_eq!((DccClear::OneF16.code(Gfx::Gfx115), DccClear::OneF32.code(Gfx::Gfx115)), (Some(4), Some(6)));
    assert_eq!(codes(Gfx::Gfx12), [None; 6]);
}

#[test]
fn cmask_says_its_alignment_where_there_is_one() {
    for chip in Chip::all().filter(|chip| matches!(chip.gfx(), Gfx::Gfx10 | Gfx::Gfx103)) {
        for (cmask, pipe_aligned, aligned) in [(Some(0x1000), true, 1), (Some(0x1000), false, 0), (None, true, 0)] {
            let desc = compressed(1, ColorFormat::Rgba8, ColorCompression { cmask, pipe_aligned, ..ColorCompression::default() });
            let register = pm4::regs::find(chip.gfx(), "CB_COLOR0_ATTRIB3").expect("a register");
            let word = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image.get(register.addr()).expect("a value");
            assert_eq!(register.info().field("CMASK_PIPE_ALIGNED").expect("a field").get(word), aligned, "{chip}");
        }
    }
}

#[test]
fn passes_flush_metadata_before_and_after_them() {
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        let eliminates = PipelineDesc { pass: Some(TargetPass::EliminateFastClear), topology: Topology::RectList, ..PipelineDesc::default() };
        let fast = ColorCompression { cmask: Some(0x40_0000), ..ColorCompression::default() };
        let image = TargetImage { surface: tiled(24), compression: Some(fast), ..TargetImage::default() };
        let decompresses = PipelineDesc { pass: Some(TargetPass::DepthDecompress), topology: Topology::RectList, ..PipelineDesc::default() };
        let htile = Some(Htile { address: 0x50_0000, ..Htile::default() });
        let depth = DepthTarget { htile, surface: tiled(24), ..DepthTarget::new(DepthFormat::D32, 1) };
        let of_depth = DrawDesc { targets: TargetsDesc { color: Vec::new(), depth: Some(depth), ..TargetsDesc::default() }, ..DrawDesc::from(decompresses) };
        let of_depth = DrawDesc { pipeline: PipelineDesc { shader: None, blends: Vec::new(), ..of_depth.pipeline.clone() }, ..of_depth };
        let passes = [
            (DrawDesc::from(eliminates).with_colors([(image, TargetBlend::default())]), Event::FLUSH_AND_INV_CB_META),
            (resolve(4), Event::FLUSH_AND_INV_CB_META),
            (of_depth, Event::FLUSH_AND_INV_DB_META),
        ];
        for (desc, event) in passes {
            let draw = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
            let mut recorder = Recorder::secondary(chip);
            recorder.set_sync_memory(SyncMemory { fence: Some(0x9_0000), zpass: Some(0x9_1000) });
            recorder.begin().expect("a preamble");
            recorder.draw_pass(&draw).expect("a pass");
            let words = recorder.words();
            let steps: Vec<Option<bool>> = Reader::new(words)
                .map(|packet| packet.expect("whole packets"))
                .filter_map(|packet| match packet.opcode() {
                    Some(Opcode::DRAW_INDEX_AUTO) => Some(None),
                    Some(Opcode::EVENT_WRITE) => packet.body.first().map(|word| Some(Event((word & 0x3F) as u8) == event)),
                    _ => None,
                })
                .filter(|step| *step != Some(false))
                .collect();
            assert_eq!(steps, [Some(true), None, Some(true)], "{chip} {event:?}");
        }
    }
}

fn of_depth(format: DepthFormat, surface: Surface) -> DrawDesc {
    DrawDesc { targets: TargetsDesc { depth: Some(DepthTarget { surface, ..DepthTarget::new(format, 1) }), ..TargetsDesc::default() }, ..DrawDesc::default() }
}

#[test]
fn stencil_may_have_a_pitch_and_a_swizzle_mode_of_its_own() {
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let (swizzle, other) = if gfx == Gfx::Gfx12 { (3, 4) } else { (24, 25) };
        let surface = Surface { address: 0x100_0000, stencil_address: 0x200_0000, swizzle, ..Surface::default() };
        let image = |surface| of_depth(DepthFormat::D32s8, surface).resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image;
        let modes = |image: &RegisterImage| (field(image, gfx, "DB_Z_INFO", "SW_MODE"), field(image, gfx, "DB_STENCIL_INFO", "SW_MODE"));
        assert_eq!(modes(&image(surface)), (Some(swizzle.into()), Some(swizzle.into())), "{chip}");
        assert_eq!(modes(&image(Surface { stencil_swizzle: Some(other), ..surface })), (Some(swizzle.into()), Some(other.into())), "{chip}");
        let wrong = of_depth(DepthFormat::D32s8, Surface { stencil_swizzle: Some(32), ..surface }).resolve(chip);
        assert!(wrong.is_err_and(|e| e.to_string().starts_with("the stencil of a target of the swizzle mode 32: the chip has no such mode")), "{chip}");
        let own = Surface { pitch: (gfx == Gfx::Gfx9).then_some(512), stencil_pitch: Some(768), ..surface };
        if gfx > Gfx::Gfx9 {
            let refused = of_depth(DepthFormat::D32s8, own).resolve(chip);
            assert!(refused.is_err_and(|e| e.to_string().starts_with("the pitch of stencil: 768")), "{chip}");
            continue;
        }
        let pitches = |image: &RegisterImage| ["DB_Z_INFO2", "DB_STENCIL_INFO2"].map(|register| field(image, gfx, register, "EPITCH"));
        assert_eq!(pitches(&image(own)), [Some(511), Some(767)], "{chip}");
        assert_eq!(pitches(&image(Surface { stencil_pitch: None, ..own })), [Some(511); 2], "{chip}");
        assert_eq!(pitches(&image(Surface { pitch: None, ..own })), [Some(255), Some(767)], "{chip}");
    }
}

#[test]
fn stencil_lies_where_the_description_says() {
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let place = |format, address, stencil_address| {
            let draw = of_depth(format, Surface { address, stencil_address, ..Surface::default() }).resolve(chip)?;
            Ok::<_, DrawError>(["DB_STENCIL_READ_BASE", "DB_STENCIL_WRITE_BASE"].map(|register| value(&draw.image, gfx, register)))
        };
        assert_eq!(place(DepthFormat::S8, 0x100_0000, 0), Ok([Some(0x1_0000); 2]), "{chip}");
        assert_eq!(place(DepthFormat::S8, 0, 0x200_0000), Ok([Some(0x2_0000); 2]), "{chip}");
        assert_eq!(place(DepthFormat::D32s8, 0x100_0000, 0x200_0000), Ok([Some(0x2_0000); 2]), "{chip}");
        assert_eq!(place(DepthFormat::D32s8, 0, 0), Ok([Some(0); 2]), "{chip}");
        assert!(place(DepthFormat::D32s8, 0x100_0000, 0).is_err_and(|e| e.to_string().starts_with("the address of stencil: 0")), "{chip}");
        assert!(place(DepthFormat::D32, 0x100_0000, 0).is_ok(), "{chip}");
    }
}

#[test]
fn a_pitch_has_its_place_or_is_refused() {
    // Four bytes per pixel, 256 wide.
    let with = |surface| DrawDesc::default().with_colors([(TargetImage { surface, ..TargetImage::default() }, TargetBlend::default())]);
    let linear = |pitch| Surface { pitch: Some(pitch), ..Surface::default() };
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let width = |surface| with(surface).resolve(chip).map(|draw| field(&draw.image, gfx, "CB_COLOR0_ATTRIB2", "MIP0_WIDTH"));
        let refused = |surface| width(surface).is_err_and(|e| e.to_string().starts_with("the pitch of a target"));
        assert_eq!(width(Surface::default()), Ok(Some(255)), "{chip}");
        assert!(refused(linear(0)) && refused(linear(65537)), "{chip}");
        if gfx == Gfx::Gfx9 {
            let draw = with(Surface { pitch: Some(300), swizzle: 24, ..Surface::default() }).resolve(chip).expect("a draw");
            assert_eq!(field(&draw.image, gfx, "CB_MRT0_EPITCH", "EPITCH"), Some(299), "{chip}");
            assert_eq!(width(linear(300)), Ok(Some(255)), "{chip}");
            continue;
        }
        // A pitch equal to the width is always valid, another one from GFX10.3 on, in whole rows.
        assert_eq!(width(linear(256)), Ok(Some(255)), "{chip}");
        assert_eq!(width(linear(320)).ok(), (gfx > Gfx::Gfx10).then_some(Some(319)), "{chip}");
        assert_eq!(width(linear(352)).is_ok(), gfx == Gfx::Gfx12, "{chip}");
        assert!(refused(linear(192)) && refused(linear(300)), "{chip}");
        assert!(refused(Surface { swizzle: 2, ..linear(320) }) && refused(Surface { layers: (0, 1), ..linear(320) }), "{chip}");
        assert!(refused(Surface { last_level: 1, ..linear(320) }), "{chip}");
        let depth = of_depth(DepthFormat::D32, linear(320)).resolve(chip);
        assert!(depth.is_err_and(|e| e.to_string().starts_with("the pitch of a target")), "{chip}");
    }
}

/// Mesa 25.0.7 addrlib refuses linear depth and linear multisampled surfaces on every generation.
#[test]
fn modes_that_a_target_cannot_have_are_refused_by_name() {
    let color = |samples, swizzle| {
        let image = TargetImage { surface: Surface { swizzle, ..Surface::default() }, ..TargetImage::default() };
        DrawDesc::from(PipelineDesc { samples, ..PipelineDesc::default() }).with_colors([(image, TargetBlend::default())])
    };
    let depth = |format, swizzle, stencil_swizzle| {
        let target = DepthTarget { surface: Surface { swizzle, stencil_swizzle, ..Surface::default() }, ..DepthTarget::new(format, 1) };
        DrawDesc { targets: TargetsDesc { depth: Some(target), ..TargetsDesc::default() }, ..DrawDesc::default() }
    };
    let refused = |desc: &DrawDesc, chip| desc.resolve(chip).err().map(|error| error.to_string());
    for chip in Chip::all() {
        let usual = if chip.gfx().major() >= 12 { 3 } else { 24 };
        assert_eq!(refused(&color(1, 0), chip), None, "{chip}");
        assert_eq!(
            refused(&color(4, 0), chip),
            Some(format!("a colour target of the swizzle mode 0 (LINEAR): a target of several samples cannot be linear ({chip})"))
        );
        assert_eq!(
            refused(&depth(DepthFormat::D32, 0, None), chip),
            Some(format!("a depth target of the swizzle mode 0 (LINEAR): depth cannot be linear ({chip})"))
        );
        let stencil = refused(&depth(DepthFormat::D32s8, usual, Some(0)), chip);
        assert_eq!(stencil, Some(format!("the stencil of a target of the swizzle mode 0 (LINEAR): stencil cannot be linear ({chip})")));
        assert_eq!(refused(&depth(DepthFormat::D32s8, usual, None), chip), None, "{chip}");
    }
    // VAR_R_X exists only on GFX10.3; on GFX11 its number is 256KB_R_X.
    for (chip, has) in [(Chip::Vega10, false), (Chip::Navi10, false), (Chip::Navi21, true), (Chip::Navi31, true), (Chip::Gfx1150, true), (Chip::Gfx1201, false)]
    {
        let told = refused(&color(1, 31), chip);
        assert_eq!(told.is_none(), has, "{chip}: {told:?}");
        assert!(has || told.is_some_and(|told| told.starts_with("a colour target of the swizzle mode 31: the chip has no such mode")), "{chip}");
    }
}

/// FMASK, HiZ and shading-rate images too: modes of one generation are refused on another.
#[test]
fn metadata_has_the_swizzle_modes_of_its_chip_alone() {
    let fmask = |swizzle| {
        let fmask = Some(Fmask { address: 0x20_0000, swizzle, compressed: true, single_fragments: false });
        let compression = Some(ColorCompression { cmask: Some(0x10_0000), fmask, ..ColorCompression::default() });
        let image = TargetImage { surface: Surface { swizzle: 27, ..Surface::default() }, compression, ..TargetImage::default() };
        DrawDesc::from(PipelineDesc { samples: 4, ..PipelineDesc::default() }).with_colors([(image, TargetBlend::default())])
    };
    let depth = |surface: fn(HiSurface, &mut DepthTarget)| {
        move |swizzle| {
            let mut target = DepthTarget::new(DepthFormat::D32s8, 1);
            surface(HiSurface { address: 0x20_0000, swizzle, format: false, extent: (32, 16) }, &mut target);
            DrawDesc { targets: TargetsDesc { depth: Some(target), ..TargetsDesc::default() }, ..DrawDesc::default() }
        }
    };
    let (hiz, his) = (depth(|surface, target| target.hiz = Some(surface)), depth(|surface, target| target.his = Some(surface)));
    let rates = |swizzle| {
        let rate_image = Some(RateImage { address: 0x20_0000, swizzle, extent: (32, 16) });
        DrawDesc { targets: TargetsDesc { rate_image, ..TargetsDesc::default() }, ..DrawDesc::default() }
    };
    type Make<'m> = (&'static str, &'m dyn Fn(u8) -> DrawDesc, &'static [Chip]);
    let makes: [Make<'_>; 4] = [
        ("FMASK", &fmask, &[Chip::Vega10, Chip::Navi10, Chip::Navi21]),
        ("a HiZ surface", &hiz, &[Chip::Gfx1201]),
        ("a HiS surface", &his, &[Chip::Gfx1201]),
        ("a shading-rate image", &rates, &[Chip::Navi31, Chip::Gfx1150, Chip::Gfx1201]),
    ];
    for (what, make, chips) in makes {
        for (chip, mode) in chips.iter().flat_map(|chip| (0..=40).map(move |mode| (*chip, mode))) {
            let told = make(mode).resolve(chip).err().map(|error| error.to_string());
            let lacks = SwizzleMode::from_number(chip.gfx(), mode.into()).is_none();
            let expected = format!("{what} of the swizzle mode {mode}: the chip has no such mode; layout::SwizzleMode::all lists those that it has ({chip})");
            assert_eq!(told, lacks.then_some(expected), "{chip} {what} {mode}");
        }
    }
}

#[test]
fn the_usual_modes_are_legal_for_what_they_hold() {
    for chip in Chip::all() {
        let gfx = chip.gfx();
        for samples in [1, 2, 4, 8] {
            let target = DepthTarget::new(DepthFormat::D32s8, samples);
            let desc = DrawDesc::from(PipelineDesc { samples, ..PipelineDesc::default() });
            let desc = DrawDesc { targets: TargetsDesc { depth: Some(target), ..desc.targets.clone() }, ..desc };
            let image = desc.resolve(chip).expect("a draw").image;
            let of_color = if gfx.major() == 9 { "CB_COLOR0_ATTRIB" } else { "CB_COLOR0_ATTRIB3" };
            let modes = [("DB_Z_INFO", "SW_MODE"), ("DB_STENCIL_INFO", "SW_MODE"), (of_color, "COLOR_SW_MODE")]
                .map(|(register, name)| field(&image, gfx, register, name));
            let expected = match (gfx.major(), samples) {
                (12, 1) => [3, 3, 0],
                (12, _) => [3, 3, 3],
                (_, 1) => [24, 24, 0],
                (9, _) => [24, 24, 25],
                _ => [24, 24, 27],
            };
            assert_eq!(modes, expected.map(Some), "{chip} {samples}");
        }
    }
}
