//! Stages before rasterization other than vertex shaders: tessellation, geometry and mesh shaders. Expected values are from Mesa's formulas; also what is
//! refused.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::CommandProcessor;
use pm4::draw::*;
use pm4::packet::{Queue, Reader};
use pm4::regs;
use support::property;

fn register(image: &RegisterImage, gfx: Gfx, name: &str) -> Option<u32> {
    image.get(regs::find(gfx, name)?.addr())
}

fn field(image: &RegisterImage, gfx: Gfx, name: &str, field: &str) -> Option<u32> {
    Some(regs::find(gfx, name)?.info().field(field)?.get(register(image, gfx, name)?))
}

fn resolve(chip: Chip, desc: &DrawDesc) -> RegisterImage {
    desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}")).image
}

fn tessellated(path: Option<VertexPath>) -> DrawDesc {
    let tessellation = Some(Tessellation { lds_bytes_per_point: 32, ..Tessellation::default() });
    DrawDesc::from(PipelineDesc {
        tessellation,
        topology: Topology::PatchList,
        vertex: VertexStage { path, ..VertexStage::default() },
        ..PipelineDesc::default()
    })
}

fn geometry(shader: GeometryStage, path: Option<VertexPath>) -> DrawDesc {
    DrawDesc::from(PipelineDesc { geometry: Some(shader), vertex: VertexStage { path, ..VertexStage::default() }, ..PipelineDesc::default() })
}

/// Drivers write VGT_LS_HS_CONFIG in a packet of its own (PAL gfx9CmdUtil.cpp; RADV in all captures).
#[test]
fn the_configuration_of_patches_is_alone_in_its_packet() {
    for chip in Chip::all() {
        let mut recorder = Recorder::secondary(chip);
        recorder.draw(&tessellated(None).resolve(chip).expect("patches")).expect("a draw");
        let has = |packet: &pm4::packet::Packet<'_>| packet.writes(chip.gfx()).any(|write| write.addr == 0x2_8B58);
        let lengths: Vec<usize> = Reader::new(recorder.words()).flatten().filter(has).map(|packet| packet.writes(chip.gfx()).count()).collect();
        assert_eq!(lengths, [1], "{chip}");
    }
}

/// An evaluation shader has the patch index among its own inputs: exporting it does not change how primitives pass (Mesa 25.0.7 radv_emit_hw_ngg).
#[test]
fn an_evaluation_shader_exports_the_patch_index_as_it_reads_it() {
    for chip in Chip::all() {
        for path in paths(chip) {
            let (mut exports, mut reads) = (tessellated(Some(path)), tessellated(Some(path)));
            (exports.pipeline.vertex.exports_primitive_id, reads.pipeline.vertex.exports_primitive_id) = (true, false);
            reads.pipeline.tessellation.iter_mut().for_each(|patches| patches.evaluation_reads_patch_id = true);
            let values = |desc| resolve(chip, &desc).registers().map(|register| (register.addr, register.value)).collect::<Vec<_>>();
            assert_eq!(values(exports), values(reads), "{chip} {path}");
        }
    }
}

/// Returns the paths that a chip supports.
fn paths(chip: Chip) -> impl Iterator<Item = VertexPath> {
    [VertexPath::Legacy, VertexPath::Ngg].into_iter().filter(move |path| VertexStage { path: Some(*path), ..VertexStage::default() }.vertex_path(chip).is_ok())
}

/// Mesa 25.0.7 ac_compute_num_tess_patches: triangles of three control points, 32 bytes per vertex in LDS.
#[test]
fn sixty_four_triangle_patches_share_a_workgroup_and_its_lds() {
    for chip in Chip::all() {
        for path in paths(chip) {
            let (gfx, desc) = (chip.gfx(), tessellated(Some(path)));
            let (image, group) = (resolve(chip, &desc), desc.pipeline.tessellation.as_ref().expect("patches").group());
            assert_eq!((group.patches, group.threads), (64, 192));
            assert_eq!(field(&image, gfx, "VGT_LS_HS_CONFIG", "NUM_PATCHES"), Some(64), "{chip}");
            assert_eq!(field(&image, gfx, "VGT_LS_HS_CONFIG", "HS_NUM_OUTPUT_CP"), Some(3), "{chip}");
            assert_eq!(field(&image, gfx, "SPI_SHADER_PGM_RSRC2_HS", "LDS_SIZE"), Some((64u32 * 112).div_ceil(512)), "{chip}");
            assert_eq!(field(&image, gfx, "VGT_PRIMITIVE_TYPE", "PRIM_TYPE"), Some(9), "{chip}");
            // On GFX12, the number of control points is in the primitive type register.
            let place = if gfx == Gfx::Gfx12 { ("VGT_PRIMITIVE_TYPE", "NUM_INPUT_CP") } else { ("VGT_LS_HS_CONFIG", "HS_NUM_INPUT_CP") };
            assert_eq!(field(&image, gfx, place.0, place.1), Some(3), "{chip}");
            let input_points = register(&image, gfx, "VGT_LS_HS_CONFIG").expect("a register") >> 8 & 0x3F;
            assert_eq!(input_points, if gfx == Gfx::Gfx12 { 0 } else { 3 }, "{chip}");
            let group_size = match (gfx, path) {
                (Gfx::Gfx9, _) => Some(("IA_MULTI_VGT_PARAM", "PRIMGROUP_SIZE", 63)),
                (_, VertexPath::Legacy) => Some(("GE_CNTL", "PRIM_GRP_SIZE", 64)),
                _ => None,
            };
            if let Some((register, name, size)) = group_size {
                assert_eq!(field(&image, gfx, register, name), Some(size), "{chip} {path}");
            }
        }
    }
}

/// Mesa 25.0.7 ac_get_hs_info, per board.
#[test]
fn offchip_buffers_and_factors_follow_the_shader_engines() {
    let board = |shader_engines| Board { shader_engines, arrays_per_engine: 2, cus_per_array: 8 };
    let of = |chip, engines| {
        let mut recorder = Recorder::new(chip);
        let tessellation = Some(TessellationRings::at(chip, board(engines), 0x1234_5678_9A00));
        recorder.begin_with(&QueueMemory { tessellation, ..QueueMemory::default() }).expect("rings");
        let words = recorder.finish().expect("padding");
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "rings", &words);
        cp.run(&mut ());
        let read =
            |name: &str| cp.registers(Queue::Graphics).value(regs::find(chip.gfx(), name).expect(name).addr()).unwrap_or_else(|| panic!("{chip}: {name}"));
        assert_eq!((read("VGT_TF_MEMORY_BASE"), read("VGT_TF_MEMORY_BASE_HI")), (0x3456_789A, 0x12), "{chip}");
        (read("VGT_HS_OFFCHIP_PARAM"), read("VGT_TF_RING_SIZE"))
    };
    assert_eq!(of(Chip::Vega10, 4), (507, 49152));
    assert_eq!(of(Chip::Vega20, 4), (507, 49152));
    // 127 per engine, and 128 on Vega12 and Vega20: below the limit of the board.
    assert_eq!(of(Chip::Raven, 1), (126, 12288));
    assert_eq!(of(Chip::Vega20, 1), (127, 12288));
    assert_eq!(of(Chip::Navi10, 2), (255, 24576));
    assert_eq!(of(Chip::Navi21, 4), (511, 49152));
    assert_eq!(of(Chip::Navi31, 6), (255, 12288));
    assert_eq!(of(Chip::Gfx1201, 4), (255, 12288));
}

#[test]
fn cut_mode_has_room_for_the_vertices_that_are_emitted() {
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        let mode = |max_vertices| {
            let desc = geometry(GeometryStage { max_vertices, ..GeometryStage::default() }, Some(VertexPath::Legacy));
            desc.resolve(chip).ok().and_then(|resolved| field(&resolved.image, chip.gfx(), "VGT_GS_MODE", "CUT_MODE"))
        };
        assert_eq!([128, 129, 256, 257, 512, 513, 1024, 1025].map(mode), [Some(3), Some(2), Some(2), Some(1), Some(1), Some(0), Some(0), None], "{chip}");
    }
}

/// Mesa 25.0.7 radv_get_legacy_gs_info.
#[test]
fn groups_of_a_geometry_shader_without_ngg_share_lds() {
    let shader = GeometryStage { input_dwords: 16, max_vertices: 4, output: GeometryOutput::Triangles, ..GeometryStage::default() };
    let of = |topology| shader.legacy_group(topology).map(|group| (group.primitives, group.vertices, group.lds_bytes / 4));
    assert_eq!(of(Topology::PointList), Some((64, 64, 1024)));
    assert_eq!(of(Topology::TriangleList), Some((64, 190, 3072)));
    for chip in Chip::all().filter(|chip| chip.gfx() <= Gfx::Gfx103) {
        let image = resolve(chip, &geometry(shader.clone(), Some(VertexPath::Legacy)));
        let onchip = |name| field(&image, chip.gfx(), "VGT_GS_ONCHIP_CNTL", name);
        assert_eq!(onchip("ES_VERTS_PER_SUBGRP"), Some(190), "{chip}");
        assert_eq!(onchip("GS_PRIMS_PER_SUBGRP"), Some(64), "{chip}");
        assert_eq!(field(&image, chip.gfx(), "SPI_SHADER_PGM_RSRC2_GS", "LDS_SIZE"), Some(3072 * 4 / 512), "{chip}");
    }
}

/// Mesa 25.0.7 gfx10_get_ngg_info: more than 256 vertices of one primitive need a subgroup per invocation.
#[test]
fn invocations_that_emit_too_much_together_get_subgroups_of_their_own() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx10) {
        let of = |max_vertices, invocations| {
            let image = resolve(chip, &geometry(GeometryStage { max_vertices, invocations, ..GeometryStage::default() }, None));
            let count = |name| field(&image, chip.gfx(), "VGT_GS_INSTANCE_CNT", name).expect("a field");
            let output = field(&image, chip.gfx(), "GE_MAX_OUTPUT_PER_SUBGROUP", "MAX_VERTS_PER_SUBGROUP").expect("a field");
            (count("CNT"), count("EN_MAX_VERT_OUT_PER_GS_INSTANCE"), output)
        };
        assert_eq!(of(100, 4), (4, 1, 100), "{chip}");
        assert_eq!(of(64, 4), (4, 0, 256), "{chip}");
        let desc = DrawDesc {
            pipeline: PipelineDesc {
                geometry: Some(GeometryStage { max_vertices: 100, invocations: 4, ..GeometryStage::default() }),
                ..tessellated(None).pipeline
            },
            ..tessellated(None)
        };
        let refused = matches!(desc.resolve(chip), Err(DrawError::Stages { .. }));
        assert_eq!(refused, chip.gfx() < Gfx::Gfx11, "{chip}: with tessellation");
    }
}

#[test]
fn a_mesh_shader_says_its_threads_and_exports() {
    let mesh = MeshStage { workgroup: [128, 1, 1], max_vertices: 64, max_primitives: 124, ..MeshStage::default() };
    let desc = DrawDesc::from(PipelineDesc { mesh: Some(mesh), ..PipelineDesc::default() });
    for chip in Chip::all() {
        let gfx = chip.gfx();
        if gfx < Gfx::Gfx103 {
            assert!(matches!(desc.resolve(chip), Err(DrawError::OptionAbsent { .. })), "{chip}");
            continue;
        }
        let image = resolve(chip, &desc);
        let launch = field(&image, gfx, "VGT_SHADER_STAGES_EN", "GS_FAST_LAUNCH");
        assert_eq!(launch, Some(if matches!(gfx, Gfx::Gfx11 | Gfx::Gfx115) { 2 } else { 1 }), "{chip}");
        // RADV 25.0.7 radv_cmd_buffer.c:2684: on GFX12 only for geometry shaders.
        assert_eq!(field(&image, gfx, "VGT_SHADER_STAGES_EN", "GS_EN"), Some(u32::from(gfx != Gfx::Gfx12)), "{chip}");
        let emitted = field(&image, gfx, "VGT_GS_MAX_VERT_OUT", "MAX_VERT_OUT");
        if gfx == Gfx::Gfx103 {
            assert_eq!(emitted, Some(128), "{chip}");
        } else {
            assert_eq!(emitted, Some(64), "{chip}");
            assert_eq!(register(&image, gfx, "SPI_SHADER_GS_MESHLET_DIM"), Some(127 | 127 << 24), "{chip}");
            assert_eq!(register(&image, gfx, "SPI_SHADER_GS_MESHLET_EXP_ALLOC"), Some(64 | 124 << 9), "{chip}");
        }
    }
}

/// GFX10.3 draws as many points as there are workgroups and passes x, y and z in SGPRs; later generations have a packet.
#[test]
fn workgroups_of_a_mesh_shader_are_points_on_gfx103_and_a_packet_later() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let program = Program { user_data: vec![UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ, UserData::DrawIndex], ..Program::default() };
        let vertex = VertexStage { program, ..VertexStage::default() };
        let state = DrawDesc::from(PipelineDesc { vertex, mesh: Some(MeshStage::default()), ..PipelineDesc::default() }).resolve(chip).expect("a mesh shader");
        let mut recorder = Recorder::secondary(chip);
        recorder.draw_call(&state, &DrawCall::Mesh { groups: [2, 3, 4] }).expect("a call");
        recorder.draw_call(&state, &DrawCall::MeshIndirect(IndirectDraws { arguments: 0x1004, stride: 12, draws: 5, count: Some(0x2000) })).expect("a call");
        let words = recorder.finish().expect("padding");
        let packets: Vec<_> = Reader::new(&words).flatten().filter(|p| [0x2D, 0x4C, 0x4E].contains(&p.opcode().map_or(0, |o| o.0))).collect();
        if chip.gfx() == Gfx::Gfx103 {
            assert_eq!(packets[0].body, [24, 2], "{chip}");
        } else {
            assert_eq!(packets[0].body, [2, 3, 4, 2], "{chip}");
        }
        let enable = if chip.gfx() == Gfx::Gfx103 { 0 } else { 1 << 28 };
        assert_eq!(packets[1].body, [4, 0x8C | 0x8F << 16, 1 << 31 | 1 << 30 | enable, 5, 0x2000, 0, 12, 2], "{chip}");
        let refused = recorder_refuses(chip, &state, &DrawCall::Auto { vertices: Vertices::default(), instances: Instances::default() });
        assert_eq!(refused, "the draw runs a mesh shader, which takes workgroups", "{chip}");
    }
}

fn recorder_refuses(chip: Chip, state: &Resolved, call: &DrawCall) -> String {
    Recorder::secondary(chip).draw_call(state, call).expect_err("a call that does not fit").to_string()
}

/// A wrong input, and a part of the error message.
type Wrong = (fn(&mut DrawDesc), &'static str);

/// Returns a geometry shader whose copy program has one user SGPR.
fn copying(data: UserData) -> GeometryStage {
    GeometryStage { copy_program: Program { user_data: vec![data], ..Program::default() }, ..GeometryStage::default() }
}

const WRONG_STAGES: &[Wrong] = &[
    (|d| d.pipeline.topology = Topology::PatchList, "without tessellation nothing divides patches"),
    (|d| d.pipeline.tessellation = Some(Tessellation::default()), "the topology must be a list of patches"),
    (
        |d| {
            *d = DrawDesc {
                pipeline: PipelineDesc { tessellation: Some(Tessellation { input_points: 33, ..Tessellation::default() }), ..tessellated(None).pipeline },
                ..tessellated(None)
            }
        },
        "the input control points: 33 is not",
    ),
    (
        |d| {
            *d = DrawDesc {
                pipeline: PipelineDesc { tessellation: Some(Tessellation { output_points: 0, ..Tessellation::default() }), ..tessellated(None).pipeline },
                ..tessellated(None)
            }
        },
        "the output control points: 0 is not",
    ),
    (
        |d| {
            *d = DrawDesc {
                pipeline: PipelineDesc {
                    tessellation: Some(Tessellation { offchip_bytes_per_patch: 40_000, ..Tessellation::default() }),
                    ..tessellated(None).pipeline
                },
                ..tessellated(None)
            }
        },
        "the off-chip bytes of a patch: 40000 is not",
    ),
    (
        |d| {
            *d = DrawDesc {
                pipeline: PipelineDesc {
                    tessellation: Some(Tessellation { lds_bytes_per_patch: 70_000, ..Tessellation::default() }),
                    ..tessellated(None).pipeline
                },
                ..tessellated(None)
            }
        },
        "the LDS of a workgroup of patches: 70048 is not",
    ),
    (|d| d.pipeline.geometry = Some(copying(UserData::DrawIndex)), "the copy program has none"),
    (|d| d.pipeline.geometry = Some(copying(UserData::ViewIndex)), "the copy program has none"),
    (
        |d| {
            *d = tessellated(None);
            d.pipeline.vertex.reads_instance_id = true;
        },
        "that of the vertex shader is part of the tessellation",
    ),
    (
        |d| {
            *d = tessellated(None);
            d.pipeline.vertex.program.user_data = vec![UserData::BaseVertex];
        },
        "the program of vertex and control shader has them",
    ),
    (|d| *d = geometry(GeometryStage { max_vertices: 0, ..GeometryStage::default() }, None), "the vertices of a geometry shader: 0 is not"),
    (|d| *d = geometry(GeometryStage { invocations: 0, ..GeometryStage::default() }, None), "the invocations of a geometry shader: 0 is not"),
    (|d| *d = geometry(GeometryStage { input_dwords: 5000, ..GeometryStage::default() }, None), "does not fit into the LDS"),
    (
        |d| {
            *d = DrawDesc {
                pipeline: PipelineDesc { topology: Topology::RectList, ..geometry(GeometryStage::default(), None).pipeline },
                ..geometry(GeometryStage::default(), None)
            }
        },
        "it takes no rectangles",
    ),
    (
        |d| {
            *d = geometry(GeometryStage::default(), None);
            d.pipeline.vertex.exports_primitive_id = true;
        },
        "exports it as a parameter like others",
    ),
    (|d| d.pipeline.vertex.program.user_data = vec![UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ], "mesh shaders have workgroups"),
    (|d| d.pipeline.vertex.program.user_data = vec![UserData::GroupsX, UserData::GroupsZ], "three in a row"),
];

const WRONG_MESH: &[Wrong] = &[
    (|d| d.pipeline.mesh = Some(MeshStage { workgroup: [32, 32, 1], ..MeshStage::default() }), "the threads of a mesh shader's workgroup: 1024 is not"),
    (|d| d.pipeline.mesh = Some(MeshStage { max_vertices: 257, ..MeshStage::default() }), "the vertices of a mesh shader: 257 is not"),
    (|d| d.pipeline.mesh = Some(MeshStage { max_primitives: 0, ..MeshStage::default() }), "the primitives of a mesh shader: 0 is not"),
    (
        |d| (d.pipeline.mesh, d.pipeline.geometry) = (Some(MeshStage::default()), Some(GeometryStage::default())),
        "it takes the place of tessellation and geometry shader",
    ),
    (
        |d| {
            d.pipeline.mesh = Some(MeshStage::default());
            d.pipeline.vertex.program.user_data = vec![UserData::FirstInstance];
        },
        "a mesh shader has neither",
    ),
];

#[test]
fn wrong_stages_are_refused_with_the_input_named() {
    for chip in Chip::all() {
        let mesh = if chip.gfx() >= Gfx::Gfx103 { WRONG_MESH } else { &[] };
        for (change, says) in WRONG_STAGES.iter().chain(mesh) {
            let mut desc = DrawDesc::default();
            change(&mut desc);
            let error = desc.resolve(chip).expect_err(says).to_string();
            assert!(error.contains(says), "{chip}: {error}, not {says}");
        }
    }
}

/// LDS of groups never exceeds 64 KiB, and no count exceeds its field, for any stages that a chip accepts.
#[test]
fn groups_of_stages_stay_within_the_limits() {
    property::<fn(support::draws::Case) -> bool>("limits of groups", 3000, |case| {
        let (gfx, image) = (case.chip.gfx(), case.resolve().image);
        let value = |register, name| field(&image, gfx, register, name).unwrap_or(0);
        let patches = case.desc.pipeline.tessellation.as_ref().map(Tessellation::group);
        let hull = patches.is_none_or(|group| {
            let size = value("SPI_SHADER_PGM_RSRC2_HS", "LDS_SIZE");
            (1..=64).contains(&group.patches) && group.threads <= 256 && size * 512 <= 65536 && size * 512 >= group.lds_bytes
        });
        let output = value("GE_MAX_OUTPUT_PER_SUBGROUP", "MAX_VERTS_PER_SUBGROUP");
        hull && output <= 256 && value("SPI_SHADER_PGM_RSRC2_GS", "LDS_SIZE") * 512 <= 65536
    });
}

/// Waves of all stages stay within the limits of registers, and those of a stage with a group within its LDS.
#[test]
fn occupancy_of_stages_stays_within_the_limits() {
    property::<fn(support::draws::Case) -> bool>("occupancy of stages", 3000, |case| {
        let (chip, desc) = (case.chip, &case.desc);
        let slots = match chip.gfx() {
            Gfx::Gfx9 => 10,
            Gfx::Gfx10 => 20,
            _ => 16,
        };
        let within = |found: Occupancy, program: &Program| found.waves_per_simd <= register_occupancy(chip, program).waves_per_simd.min(slots);
        let vertex = desc.vertex_occupancy(chip).expect("it was resolved");
        let hull = desc.hull_occupancy(chip).expect("it was resolved");
        let fits = hull.is_none_or(|found| {
            let patches = desc.pipeline.tessellation.as_ref().expect("patches");
            // A WGP, if there is one, has the LDS and the SIMDs of two CUs.
            let (simds, lds) = if chip.gfx() == Gfx::Gfx9 { (4, 65536) } else { (4, 2 * 65536) };
            let (group, lanes) = (patches.group(), patches.program.wave.lanes());
            // Waves per SIMD are rounded up.
            let groups = (simds * found.waves_per_simd).saturating_sub(simds - 1).div_ceil(group.threads.div_ceil(lanes));
            within(found, &patches.program) && groups * group.lds_bytes <= lds
        });
        let simds = if chip.gfx() == Gfx::Gfx9 { 4 } else { 2 };
        fits && within(vertex, &desc.pipeline.vertex.program)
            && vertex.waves_per_cu(chip) == simds * vertex.waves_per_simd
            && hull.is_some() == desc.pipeline.tessellation.is_some()
    });
}

/// LDS of patches and of a geometry shader's vertices limits the number of waves.
#[test]
fn lds_of_groups_limits_waves() {
    for chip in Chip::all() {
        let tess = |lds_bytes_per_point| {
            let tessellation = Some(Tessellation { lds_bytes_per_point, ..Tessellation::default() });
            DrawDesc { pipeline: PipelineDesc { tessellation, ..tessellated(None).pipeline }, ..tessellated(None) }
                .hull_occupancy(chip)
                .expect("a draw")
                .expect("patches")
        };
        let (small, large) = (tess(0), tess(128));
        assert_eq!(large.limit, OccupancyLimit::Lds, "{chip}");
        assert!(large.waves_per_simd < small.waves_per_simd, "{chip}: {large:?} {small:?}");
        for path in paths(chip) {
            let of = |input_dwords| {
                let shader = GeometryStage { input_dwords, vertex_dwords: [32, 0, 0, 0], max_vertices: 4, ..GeometryStage::default() };
                geometry(shader, Some(path)).vertex_occupancy(chip).expect("a draw").waves_per_simd
            };
            assert!(of(65) < of(1) && of(65) > 0, "{chip} {path}: {} {}", of(65), of(1));
        }
        assert_eq!(DrawDesc::default().hull_occupancy(chip), Ok(None));
    }
}

/// In a group of a geometry shader without NGG, each point has a thread per invocation: more than 64 threads are a second wave. Points use 256 bytes of LDS; a
/// CU of GFX9 has 64 KiB and 4 SIMDs.
#[test]
fn invocations_of_a_geometry_shader_are_threads_of_its_group() {
    let waves = |invocations| {
        let shader = GeometryStage { input_dwords: 64, max_vertices: 1, invocations, ..GeometryStage::default() };
        let draw = geometry(shader, Some(VertexPath::Legacy));
        let draw = DrawDesc { pipeline: PipelineDesc { topology: Topology::PointList, ..draw.pipeline }, ..draw };
        draw.vertex_occupancy(Chip::Vega10).expect("a draw").waves_per_cu(Chip::Vega10)
    };
    // 4 groups of 64 points; 4 groups of 63 points with 126 threads; 8 groups of 31 points with 124 threads.
    assert_eq!([1, 2, 4].map(waves), [4, 8, 16]);
}

/// Random draws contain every combination, so that properties cover each stage together with each target.
#[test]
fn random_draws_reach_all_stages_and_targets_together() {
    use quickcheck::{Arbitrary, Gen};
    let mut g = Gen::from_size_and_seed(100, 7);
    let mut seen = std::collections::BTreeMap::<(&str, &str), u32>::new();
    for _ in 0..4000 {
        let support::draws::Case { desc, .. } = support::draws::Case::arbitrary(&mut g);
        let metadata = || desc.targets.color.iter().filter_map(|target| target.compression);
        let htile = desc.targets.depth.and_then(|depth| depth.htile);
        let has = [
            ("tessellation", desc.pipeline.tessellation.is_some()),
            ("geometry", desc.pipeline.geometry.is_some()),
            ("mesh", desc.pipeline.mesh.is_some()),
            ("streamout", desc.pipeline.vertex.streamout.is_some()),
            ("DCC", metadata().any(|m| m.dcc.is_some())),
            ("CMASK", metadata().any(|m| m.cmask.is_some())),
            ("FMASK", metadata().any(|m| m.fmask.is_some())),
            ("HTILE", htile.is_some()),
            ("HiZ", desc.targets.depth.is_some_and(|depth| depth.hiz.is_some())),
            ("rates of targets", desc.targets.rate_image.is_some() || htile.is_some_and(|htile| htile.rates)),
            ("clip planes", desc.pipeline.raster.clip_planes.is_some()),
            ("views", desc.pipeline.vertex.program.user_data.contains(&UserData::ViewIndex)),
        ];
        for (at, (one, on)) in has.iter().enumerate().filter(|(_, (_, on))| *on) {
            has[at..].iter().filter(|(_, also)| *on && *also).for_each(|(other, _)| *seen.entry((one, other)).or_default() += 1);
        }
    }
    let names = ["tessellation", "geometry", "mesh", "streamout", "DCC", "CMASK", "FMASK", "HTILE", "HiZ", "rates of targets", "clip planes", "views"];
    // Combinations that no chip supports: mesh shaders with other stages, metadata of different generations.
    let apart = |one: &str, other: &str| match one {
        "tessellation" | "geometry" => other == "mesh",
        "mesh" => other == "streamout",
        "DCC" | "CMASK" | "FMASK" | "HTILE" => other == "HiZ",
        _ => false,
    };
    for (at, one) in names.iter().enumerate() {
        for other in names[at..].iter().filter(|other| !apart(one, other)) {
            assert!(seen.contains_key(&(*one, *other)), "no draw of 4000 has {one} with {other}");
        }
    }
}

#[test]
fn draw_calls_write_the_sgprs_of_the_program_that_they_start() {
    let user_data = vec![UserData::Keep, UserData::BaseVertex];
    for chip in Chip::all() {
        for path in paths(chip) {
            let mut tess = tessellated(Some(path));
            tess.pipeline.tessellation.as_mut().expect("patches").program.user_data.clone_from(&user_data);
            assert_eq!(tess.resolve(chip).expect("a draw").draw_sgprs().base_vertex, Some(0xB434), "{chip} {path}");
            let mut shader = geometry(GeometryStage::default(), Some(path));
            shader.pipeline.vertex.program.user_data.clone_from(&user_data);
            let first = if chip.gfx() == Gfx::Gfx9 { 0xB330 } else { 0xB230 };
            assert_eq!(shader.resolve(chip).expect("a draw").draw_sgprs().base_vertex, Some(first + 4), "{chip} {path}");
        }
    }
}
