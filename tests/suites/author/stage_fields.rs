//! Individual fields of stages and targets, and limits of descriptions, as stated by the sources.

use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use pm4::packet::Reader;
use pm4::regs;

fn field(chip: Chip, image: &RegisterImage, register: &str, name: &str) -> Option<u32> {
    let found = regs::find(chip.gfx(), register)?;
    Some(found.info().field(name)?.get(image.get(found.addr())?))
}

fn word(chip: Chip, image: &RegisterImage, register: &str) -> Option<u32> {
    image.get(regs::find(chip.gfx(), register)?.addr())
}

fn resolve(chip: Chip, desc: &DrawDesc) -> RegisterImage {
    desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image
}

fn error(chip: Chip, desc: &DrawDesc) -> String {
    desc.resolve(chip).map(|_| ()).expect_err("a limit").to_string()
}

fn vertex(vertex: VertexStage) -> DrawDesc {
    DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() })
}

#[test]
fn subgroups_hold_at_most_256_vertices_and_primitives() {
    let of = |vertices, primitives| vertex(VertexStage { subgroup: Subgroup { vertices, primitives }, ..VertexStage::default() });
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        resolve(chip, &of(256, 256));
        assert!(error(chip, &of(257, 256)).starts_with("vertices of an NGG subgroup: 257 is not"), "{}", error(chip, &of(257, 256)));
        assert!(error(chip, &of(256, 257)).starts_with("primitives of an NGG subgroup: 257 is not"), "{}", error(chip, &of(256, 257)));
        assert!(error(chip, &of(256, 0)).starts_with("primitives of an NGG subgroup: 0 is not"), "{}", error(chip, &of(256, 0)));
    }
}

/// LLVM states 1008 as the largest wave limit up to GFX11.5; the field of GFX12 counts waves in 10 bits (Mesa 25.0.7).
#[test]
fn wave_limits_end_at_1008_and_on_gfx12_at_1023() {
    let of = |limit| vertex(VertexStage { program: Program { wave_limit: Some(limit), ..Program::default() }, ..VertexStage::default() });
    for chip in Chip::all() {
        let most = if chip.gfx() >= Gfx::Gfx12 { 1023 } else { 1008 };
        resolve(chip, &of(most));
        assert!(error(chip, &of(most + 1)).contains(&format!("wave limit: {}", most + 1)), "{}", error(chip, &of(most + 1)));
    }
}

#[test]
fn hiz_surfaces_have_eight_swizzle_modes_and_sides_of_8192() {
    let of = |swizzle, side| {
        let surface = HiSurface { address: 0x10_0000, swizzle, format: false, extent: (side, 64) };
        let depth = Some(DepthTarget { hiz: Some(surface), ..DepthTarget::new(DepthFormat::D32, 1) });
        DrawDesc { targets: TargetsDesc { depth, ..TargetsDesc::default() }, ..DrawDesc::default() }
    };
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx12) {
        let image = resolve(chip, &of(7, 8192));
        assert_eq!((field(chip, &image, "PA_SC_HIZ_INFO", "SW_MODE"), field(chip, &image, "PA_SC_HIZ_SIZE_XY", "X_MAX")), (Some(7), Some(8191)), "{chip}");
        assert!(error(chip, &of(8, 8192)).starts_with("a HiZ surface of the swizzle mode 8: the chip has no such mode"), "{}", error(chip, &of(8, 8192)));
        assert!(error(chip, &of(7, 8193)).starts_with("the width or height of a HiZ surface: 8193 is not"), "{}", error(chip, &of(7, 8193)));
    }
}

/// GFX12 as in drivers (PAL 04/2025, Mesa 25.0.7): no wave limit is the largest number, no group launch guarantee, all late waves.
#[test]
fn vertex_work_of_gfx12_has_no_limit_of_waves() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx12) {
        let image = resolve(chip, &DrawDesc::default());
        let fields = ["WAVE_LIMIT", "GLG_FORCE_DISABLE", "SPI_SHADER_LATE_ALLOC_GS"].map(|name| field(chip, &image, "SPI_SHADER_PGM_RSRC4_GS", name));
        assert_eq!(fields, [Some(0x3FF), Some(1), Some(127)], "{chip}");
    }
}

/// Addresses of metadata have 48 bits: one register holds bits 39:8, another one those from 40 on.
#[test]
fn metadata_lies_anywhere_in_48_bits() {
    let htile = Some(Htile { address: 0x5612_3456_7800, ..Htile::default() });
    let depth = Some(DepthTarget { htile, ..DepthTarget::new(DepthFormat::D32, 1) });
    let desc = DrawDesc { targets: TargetsDesc { depth, ..TargetsDesc::default() }, ..DrawDesc::default() };
    for chip in Chip::all().filter(|chip| chip.gfx() < Gfx::Gfx12) {
        let image = resolve(chip, &desc);
        assert_eq!(["DB_HTILE_DATA_BASE", "DB_HTILE_DATA_BASE_HI"].map(|name| word(chip, &image, name)), [Some(0x1234_5678), Some(0x56)], "{chip}");
    }
}

#[test]
fn a_mip_level_of_a_target_is_drawn_to() {
    let surface = Surface { level: 2, last_level: 3, ..Surface::default() };
    let desc = DrawDesc::default().with_colors([(TargetImage { surface, ..TargetImage::default() }, TargetBlend::default())]);
    for chip in Chip::all().filter(|chip| chip.gfx() > Gfx::Gfx9) {
        let image = resolve(chip, &desc);
        let (view, size) = if chip.gfx() >= Gfx::Gfx12 { ("CB_COLOR0_VIEW2", "CB_COLOR0_ATTRIB3") } else { ("CB_COLOR0_VIEW", "CB_COLOR0_ATTRIB2") };
        assert_eq!((field(chip, &image, view, "MIP_LEVEL"), field(chip, &image, size, "MAX_MIP")), (Some(2), Some(3)), "{chip}");
    }
}

/// Items of the ring of a geometry shader without NGG: the vertices of its streams one after the other (Mesa 25.0.7).
#[test]
fn streams_of_a_geometry_shader_lie_one_after_the_other_in_the_ring() {
    let geometry = Some(GeometryStage { max_vertices: 8, vertex_dwords: [4, 2, 0, 1], ..GeometryStage::default() });
    let vertex = VertexStage { path: Some(VertexPath::Legacy), ..VertexStage::default() };
    let desc = DrawDesc::from(PipelineDesc { vertex, geometry, ..PipelineDesc::default() });
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        let image = resolve(chip, &desc);
        let names = ["VGT_GSVS_RING_OFFSET_1", "VGT_GSVS_RING_OFFSET_2", "VGT_GSVS_RING_OFFSET_3", "VGT_GSVS_RING_ITEMSIZE"];
        assert_eq!(names.map(|name| word(chip, &image, name)), [Some(32), Some(48), Some(48), Some(56)], "{chip}");
    }
}

/// Evaluation shaders read the results of control shaders from off-chip memory; on the hardware VS, the program states it.
#[test]
fn evaluation_shaders_on_the_hardware_vs_read_off_chip_memory() {
    let of = |tessellation: Option<Tessellation>| {
        let topology = if tessellation.is_some() { Topology::PatchList } else { Topology::TriangleList };
        let vertex = VertexStage { path: Some(VertexPath::Legacy), ..VertexStage::default() };
        DrawDesc::from(PipelineDesc { vertex, tessellation, topology, ..PipelineDesc::default() })
    };
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        for tessellation in [None, Some(Tessellation::default())] {
            let expected = u32::from(tessellation.is_some());
            let image = resolve(chip, &of(tessellation));
            assert_eq!(field(chip, &image, "SPI_SHADER_PGM_RSRC2_VS", "OC_LDS_EN"), Some(expected), "{chip}");
        }
    }
}

/// Six vertices of a primitive need three VGPRs of offsets before GFX12: those of the last two are the fifth VGPR (Mesa 25.0.7 radv_shader_args.c).
#[test]
fn geometry_shaders_find_the_offsets_of_all_vertices() {
    for chip in Chip::all() {
        for (topology, neighbours) in [(Topology::TriangleList, false), (Topology::LineListAdjacency, false), (Topology::TriangleListAdjacency, true)] {
            let geometry = Some(GeometryStage::default());
            let desc = DrawDesc::from(PipelineDesc { geometry, topology, ..PipelineDesc::default() });
            let Ok(wave) = desc.vertex_wave(chip) else { panic!("{chip} {topology}") };
            let expected = (neighbours && chip.gfx() < Gfx::Gfx12).then_some(4);
            assert_eq!(wave.vgprs.place(VgprItem::VertexOffsets45), expected, "{chip} {topology}");
        }
    }
}

/// VGT_EVENT_TYPE: PIPELINESTAT_START is 25, PIPELINESTAT_STOP is 26.
#[test]
fn counting_of_statistics_starts_and_stops() {
    for chip in Chip::all() {
        for (on, event) in [(true, 25), (false, 26)] {
            let mut recorder = Recorder::secondary(chip);
            recorder.count_statistics(on).expect("room");
            let events: Vec<u32> = Reader::new(recorder.words()).flatten().map(|packet| packet.body[0] & 0x3F).collect();
            assert_eq!(events, [event], "{chip}");
        }
    }
}
