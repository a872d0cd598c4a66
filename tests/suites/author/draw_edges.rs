//! Edges of a draw's registers: numbers at which they change, limits, and messages.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use pm4::packet::gfx10::SetUconfigReg;
use pm4::packet::{Opcode, PacketFields, Queue, Reader, Writer};
use pm4::regs;
use support::draws::queue_memory;

/// Returns a field of a draw by name; None if the chip or the image lacks it.
fn field(chip: Chip, desc: &DrawDesc, register: &str, field: &str) -> Option<u32> {
    let image = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}")).image;
    let found = regs::find(chip.gfx(), register)?;
    Some(found.info().field(field)?.get(image.get(found.addr())?))
}

/// Returns the last values that a stream writes to the registers from a byte address on.
fn written<const N: usize>(chip: Chip, words: &[u32], first: u32) -> [Option<u32>; N] {
    let writes: Vec<_> = Reader::new(words).flatten().flat_map(|packet| packet.writes(chip.gfx()).collect::<Vec<_>>()).collect();
    std::array::from_fn(|i| writes.iter().rev().find(|write| write.addr == first + 4 * i as u32).map(|write| write.value))
}

#[test]
fn the_reason_of_the_intrinsic_rate_is_the_ordered_section() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx11) {
        for interlock in [Interlock::SampleOrdered, Interlock::None] {
            let shader = Some(PixelShader { writes_memory: true, ..PixelShader::default() });
            let reasons = DrawDesc::from(PipelineDesc { interlock, samples: 4, shader, ..PipelineDesc::default() }).explain(chip).expect("reasons");
            let why = &reasons.why("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE").expect("a reason").rule;
            assert_eq!(why.contains("POPS"), interlock != Interlock::None, "{chip}: {why}");
        }
    }
}

#[test]
fn batches_of_gfx9_share_the_parameter_cache_among_the_engines() {
    for chip in Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx9 && Board::recorded(*chip).is_none()) {
        let mut recorder = Recorder::secondary(chip);
        recorder.begin().expect("a preamble");
        let binner = regs::find(chip.gfx(), "PA_SC_BINNER_CNTL_1").expect("a register");
        let [value] = written(chip, recorder.writer().words(), binner.addr());
        let allocations = binner.info().field("MAX_ALLOC_COUNT").expect("a field").get(value.expect("written")) + 1;
        // An unknown number of engines counts as four.
        assert_eq!(Some(allocations), chip.info().pc_lines.map(|lines| (lines / 16).min(128)), "{chip}");
    }
}

#[test]
fn conservative_rasterization_says_for_each_direction_what_it_tests() {
    let of = |chip, mode, name| {
        let raster = Raster { conservative: mode, ..Raster::default() };
        field(chip, &DrawDesc::from(PipelineDesc { raster, ..PipelineDesc::default() }), "PA_SC_CONSERVATIVE_RASTERIZATION_CNTL", name)
    };
    for chip in Chip::all() {
        for (mode, over, under) in [(ConservativeRaster::Off, 0, 0), (ConservativeRaster::Overestimate, 1, 0), (ConservativeRaster::Underestimate, 0, 1)] {
            assert_eq!([of(chip, mode, "OVER_RAST_ENABLE"), of(chip, mode, "UNDER_RAST_ENABLE")], [Some(over), Some(under)], "{chip} {mode:?}");
            let on = Some(over | under);
            for name in ["PREZ_AA_MASK_ENABLE", "POSTZ_AA_MASK_ENABLE", "CENTROID_SAMPLE_OVERRIDE"] {
                assert_eq!(of(chip, mode, name), on, "{chip} {mode:?} {name}");
            }
            assert_eq!(of(chip, mode, "NULL_SQUAD_AA_MASK_ENABLE"), Some(u32::from(mode == ConservativeRaster::Off)), "{chip} {mode:?}");
        }
    }
}

#[test]
fn the_spacing_of_a_patch_is_its_partitioning() {
    for chip in Chip::all() {
        // VGT_TESS_PARTITION: integer 0, powers of two 1, odd 2, even 3.
        for (spacing, value) in [(PatchSpacing::Equal, 0), (PatchSpacing::FractionalOdd, 2), (PatchSpacing::FractionalEven, 3)] {
            let tessellation = Some(Tessellation { lds_bytes_per_point: 32, spacing, ..Tessellation::default() });
            let desc = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
            assert_eq!(field(chip, &desc, "VGT_TF_PARAM", "PARTITIONING"), Some(value), "{chip}");
        }
    }
}

#[test]
fn a_geometry_shader_of_gfx12_gets_the_second_half_of_offsets_from_four_vertices_on() {
    use Topology as T;
    for chip in Chip::all().filter(|chip| chip.gfx() == Gfx::Gfx12) {
        for (topology, components) in [(T::PointList, 0), (T::LineList, 0), (T::TriangleList, 0), (T::LineListAdjacency, 2), (T::TriangleListAdjacency, 2)] {
            let geometry = Some(GeometryStage { reads_primitive_id: false, ..GeometryStage::default() });
            let desc = DrawDesc::from(PipelineDesc { geometry, topology, ..PipelineDesc::default() });
            assert_eq!(field(chip, &desc, "SPI_SHADER_PGM_RSRC1_GS", "GS_VGPR_COMP_CNT"), Some(components), "{chip} {topology:?}");
        }
    }
}

#[test]
fn task_work_has_its_groups_in_sgprs_where_the_program_asks_for_them() {
    const COMPUTE_USER_DATA: u32 = 0xB900;
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        for (xyz, seen) in [(Some(4), [Some(4), Some(3), Some(2)]), (None, [None; 3])] {
            let program = Program { address: Some(0x42_0000), wave: WaveSize::W32, user_data: vec![UserData::Keep; 8], ..Program::default() };
            let task = DispatchDesc { program, group: [32, 1, 1], workgroup_info: true, ..DispatchDesc::default() }.resolve(chip).expect("a task shader");
            let mut compute = Recorder::from_writer(chip, Writer::growable(chip.gfx(), Queue::Compute));
            compute.begin_compute().expect("room");
            let before = compute.writer().words().len();
            compute.task_groups(&task, &TaskGroups { groups: [4, 3, 2], ring_entry: 7, xyz }).expect("a dispatch");
            assert_eq!(written(chip, &compute.writer().words()[before..], COMPUTE_USER_DATA + 16), seen, "{chip}");
        }
    }
}

#[test]
fn a_logic_operation_has_four_bits_and_a_pipeline_eight_blends() {
    let error = |pipeline: PipelineDesc| DrawDesc::from(pipeline).resolve(Chip::Navi31).map(|_| ()).map_err(|error| error.to_string());
    for bits in 0..=u8::MAX {
        let refused = error(PipelineDesc { logic_op: Some(LogicOp(bits)), ..PipelineDesc::default() });
        assert_eq!(refused.err(), (bits > 15).then(|| format!("the truth table of a logic operation: {bits} is not allowed; allowed: 0 to 15")));
    }
    assert_eq!(error(PipelineDesc { blends: vec![TargetBlend::default(); 8], ..PipelineDesc::default() }), Ok(()));
    let nine = PipelineDesc { blends: vec![TargetBlend::default(); 9], ..PipelineDesc::default() };
    assert!(error(nine.clone()).unwrap_err().contains("the number of blends: 9"));
    assert!(Pipeline::new(Chip::Navi31, nine).is_err());
}

#[test]
fn workgroups_per_cu_are_1_to_15() {
    for chip in Chip::all() {
        let resolve = |groups| DispatchDesc { groups_per_cu: Some(groups), ..DispatchDesc::default() }.resolve(chip);
        for (groups, fine) in [(0, false), (1, true), (15, true), (16, false)] {
            assert_eq!(resolve(groups).is_ok(), fine, "{chip}: {groups}");
        }
        assert!(resolve(16).err().is_some_and(|error| error.to_string().contains("workgroups per CU")), "{chip}");
    }
}

#[test]
fn border_colours_lie_at_multiples_of_256_bytes() {
    for chip in Chip::all() {
        for (border_colors, fine) in [(0x100, true), (0x101, false), (0x80, false), (1 << 48, false), ((1 << 48) - 0x100, true)] {
            let memory = QueueMemory { border_colors, ..queue_memory() };
            assert_eq!(Recorder::new(chip).begin_with(&memory).is_ok(), fine, "{chip}: 0x{border_colors:x}");
        }
    }
}

#[test]
fn mesh_draws_count_fewer_workgroups_than_a_dword_holds_on_gfx10_3() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let user_data = vec![UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ, UserData::DrawIndex];
        let vertex = VertexStage { program: Program { user_data, ..Program::default() }, ..VertexStage::default() };
        let state = DrawDesc::from(PipelineDesc { mesh: Some(MeshStage::default()), vertex, ..PipelineDesc::default() })
            .resolve(chip)
            .unwrap_or_else(|e| panic!("{chip}: {e}"));
        let call = |groups| {
            let mut recorder = Recorder::secondary(chip);
            recorder.draw_call(&state, &DrawCall::Mesh { groups }).map(|()| recorder.writer().words().to_vec())
        };
        assert_eq!(call([0x1_0000, 0x1_0000, 1]).is_ok(), chip.gfx() != Gfx::Gfx103, "{chip}");
        // The draw index is 0 because there is only one draw.
        let words = call([3, 2, 1]).expect("a draw");
        let index = regs::find(chip.gfx(), "SPI_SHADER_USER_DATA_GS_0").expect("a register").addr() + 12;
        assert_eq!(written(chip, &words, index), [Some(0)], "{chip}");
    }
}

#[test]
fn rates_are_width_times_height_in_pixels() {
    use ShadingRate as R;
    assert_eq!(
        [R::R1x1, R::R1x2, R::R2x1, R::R2x2].map(|rate| (rate.size(), rate.is_coarse())),
        [((1, 1), false), ((1, 2), true), ((2, 1), true), ((2, 2), true)]
    );
}

#[test]
fn a_dispatch_says_its_shared_registers_in_blocks_of_eight() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx10 && chip.gfx() < Gfx::Gfx11) {
        let program = Program { shared_vgprs: 16, wave: WaveSize::W64, ..Program::default() };
        let image = DispatchDesc { program, ..DispatchDesc::default() }.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image;
        let register = regs::find(chip.gfx(), "COMPUTE_PGM_RSRC3").expect("a register");
        let count = register.info().field("SHARED_VGPR_CNT").expect("a field");
        assert_eq!(image.get(register.addr()).map(|word| count.get(word)), Some(2), "{chip}");
    }
}

#[test]
fn objects_of_two_chips_are_not_joined() {
    let targets = |chip| Targets::new(chip, TargetsDesc::default()).expect("targets");
    let pipeline = Pipeline::new(Chip::Navi31, PipelineDesc::default()).expect("a pipeline");
    let mut pairs = PairCache::default();
    assert!(pairs.join(&pipeline, &targets(Chip::Navi31), &DynamicState::default()).is_ok());
    let refused = pairs.join(&pipeline, &targets(Chip::Navi32), &DynamicState::default());
    assert!(matches!(refused, Err(DrawError::OtherChips { pipeline: Chip::Navi31, targets: Chip::Navi32 })), "{refused:?}");
}

#[test]
fn groups_of_a_legacy_geometry_shader_make_at_most_32_ki_vertices() {
    // Without instances and adjacency, a group has at most 255 primitives, 64 of them initially.
    for (max_vertices, primitives) in [(1, 64), (512, 64), (513, 63), (1024, 32)] {
        let shader = GeometryStage { max_vertices, ..GeometryStage::default() };
        assert_eq!(shader.legacy_group(Topology::TriangleList).map(|group| group.primitives), Some(primitives), "{max_vertices}");
    }
}

#[test]
fn the_vertices_of_the_tessellator_have_coordinates_in_a_patch() {
    for chip in Chip::all() {
        let tessellation = Some(Tessellation { lds_bytes_per_point: 32, ..Tessellation::default() });
        let tessellated = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
        let first = |desc: &DrawDesc| desc.vertex_wave(chip).expect("a wave").vgprs.items().iter().map(|placed| placed.item).collect::<Vec<_>>();
        assert!(first(&tessellated).contains(&VgprItem::PatchU) && !first(&tessellated).contains(&VgprItem::VertexId), "{chip}");
        assert!(first(&DrawDesc::default()).contains(&VgprItem::VertexId) && !first(&DrawDesc::default()).contains(&VgprItem::PatchU), "{chip}");
    }
}

#[test]
fn a_subgroup_of_gfx10_1_leaves_room_for_a_whole_primitive_of_a_geometry_shader() {
    for topology in [Topology::PointList, Topology::LineList, Topology::TriangleList] {
        let shader = GeometryStage { max_vertices: 4, ..GeometryStage::default() };
        let [navi10, navi21] = [Chip::Navi10, Chip::Navi21].map(|chip| shader.ngg_group(chip, topology, WaveSize::W64).expect("a group"));
        let vertices =
            [(Topology::PointList, 1), (Topology::LineList, 2), (Topology::TriangleList, 3)].into_iter().find(|(of, _)| *of == topology).map_or(0, |v| v.1);
        assert_eq!(navi10.hardware_vertices, navi10.vertices - (vertices - 1), "{topology:?}");
        assert_eq!(navi21.hardware_vertices, navi21.vertices, "{topology:?}");
    }
}

#[test]
fn a_subgroup_of_a_geometry_shader_leaves_no_room_for_one_primitive_more() {
    use Topology::{LineList, TriangleList};
    // Dwords of LDS, without those reserved by hardware and driver (Mesa 25.0.7 gfx10_get_ngg_info).
    const ROOM: u32 = 8192 - 768;
    for (topology, input_dwords, vertex, max_vertices) in [(LineList, 100, 8, 4), (LineList, 64, 16, 2), (TriangleList, 64, 16, 1), (TriangleList, 100, 8, 4)] {
        for wave in [WaveSize::W32, WaveSize::W64] {
            let shader = GeometryStage { input_dwords, vertex_dwords: [vertex, 0, 0, 0], max_vertices, ..GeometryStage::default() };
            let group = shader.ngg_group(Chip::Navi31, topology, wave).expect("a group");
            let (taken, one) = (group.vertices * input_dwords + group.primitives * (vertex + 1) * max_vertices, (vertex + 1) * max_vertices);
            assert!(taken <= ROOM && taken + one > ROOM, "{topology:?} {wave:?}: {group:?}");
        }
    }
}

/// Returns a patch draw with a geometry shader with this number of vertices and invocations.
fn tessellated_geometry(max_vertices: u32, invocations: u32) -> DrawDesc {
    let geometry = Some(GeometryStage { max_vertices, invocations, ..GeometryStage::default() });
    DrawDesc::from(PipelineDesc { topology: Topology::PatchList, tessellation: Some(Tessellation::default()), geometry, ..PipelineDesc::default() })
}

/// With tessellation, GFX10 gives no invocation its own subgroup; later generations have no other path and do so if all invocations of a primitive emit more
/// than 256 vertices (Mesa 25.0.7 radv_fill_shader_info_ngg).
#[test]
fn tessellation_before_a_geometry_shader_of_many_vertices() {
    let split = |chip: Chip, max_vertices, invocations| {
        let draw = tessellated_geometry(max_vertices, invocations).resolve(chip).map_err(|error| error.to_string())?;
        let addr = pm4::regs::find(chip.gfx(), "VGT_GS_INSTANCE_CNT").expect("a register").addr();
        Ok::<_, String>((draw.image.get(addr).expect("a value") >> 31, draw.image.get(0x2_87FC).expect("GE_MAX_OUTPUT_PER_SUBGROUP")))
    };
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx10) {
        let ngg_alone = chip.gfx() >= Gfx::Gfx11;
        match split(chip, 100, 4) {
            Ok(found) => assert!(ngg_alone && found == (1, 100), "{chip}: {found:?}"),
            Err(error) => assert!(!ngg_alone && error.contains("VertexPath::Legacy takes more"), "{chip}: {error}"),
        }
        for (max_vertices, invocations, together) in [(85, 1, 255), (86, 1, 172), (128, 1, 256), (64, 4, 256), (20, 4, 240)] {
            assert_eq!(split(chip, max_vertices, invocations), Ok((0, together)), "{chip}: {max_vertices} from {invocations}");
        }
    }
}

/// Vertices that do not fit into LDS together fit if each invocation has a subgroup (radeonsi 25.0.7 gfx10_ngg_calculate_subgroup_info); not with tessellation
/// on GFX10.
#[test]
fn a_geometry_shader_of_large_vertices_has_a_subgroup_for_each_invocation() {
    for (max_vertices, invocations, dwords) in [(32, 8, 32), (8, 32, 128), (4, 32, 64), (256, 1, 4)] {
        let shader = GeometryStage { max_vertices, invocations, vertex_dwords: [dwords, 0, 0, 0], ..GeometryStage::default() };
        for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx10) {
            let group = shader.ngg_group(chip, Topology::TriangleList, WaveSize::W64).expect("a group");
            let whole = invocations == 1;
            assert_eq!((group.primitives, group.output_vertices, group.one_invocation_each), (1, max_vertices, !whole), "{chip}");
            assert_eq!(group.lds_bytes, 4 * (3 * shader.input_dwords + (dwords + 1) * max_vertices), "{chip}");
            let draw = DrawDesc { pipeline: PipelineDesc { geometry: Some(shader.clone()), ..tessellated_geometry(1, 1).pipeline }, ..DrawDesc::default() };
            let refused = draw.resolve(chip).err().map(|error| error.to_string());
            assert_eq!(refused.as_deref().is_some_and(|error| error.contains("VertexPath::Legacy")), chip.gfx() < Gfx::Gfx11 && !whole, "{chip}: {refused:?}");
        }
    }
}

/// GFX10 needs at least 26 or 29 vertices per subgroup; vertices that no primitive can have take no LDS (Mesa 25.0.7 gfx10_get_ngg_info).
#[test]
fn vertices_that_no_primitive_can_have_take_no_lds() {
    let shader = GeometryStage { max_vertices: 64, invocations: 4, vertex_dwords: [16, 0, 0, 0], input_dwords: 129, ..GeometryStage::default() };
    for (chip, least) in [(Chip::Navi10, 26), (Chip::Navi21, 29), (Chip::Navi31, 3)] {
        let group = shader.ngg_group(chip, Topology::TriangleList, WaveSize::W64).expect("a group");
        assert_eq!((group.vertices, group.primitives, group.one_invocation_each), (least, 1, false), "{chip}");
        assert_eq!(group.lds_bytes, 4 * (3 * 129 + 17 * 256), "{chip}");
    }
}

/// VERT_GRP_SIZE is at most 252 for lines, 251 for triangle strips with adjacency (Mesa 25.0.7 gfx10_get_ngg_info); 256 disables grouping.
#[test]
fn groups_of_lines_and_adjacency_are_not_larger_than_hardware_takes() {
    let group = |topology, vertices| {
        let vertex = VertexStage { subgroup: Subgroup { vertices, ..Subgroup::default() }, ..VertexStage::default() };
        let draw = DrawDesc::from(PipelineDesc { vertex, topology, ..PipelineDesc::default() }).resolve(Chip::Navi21).expect("a draw");
        draw.image.get(0x3_096C).expect("GE_CNTL") >> 9 & 0x1FF
    };
    for (topology, most) in [
        (Topology::LineList, 252),
        (Topology::LineStripAdjacency, 252),
        (Topology::TriangleStripAdjacency, 251),
        (Topology::TriangleList, 255),
        (Topology::PointList, 255),
    ] {
        assert_eq!([most, 255, 256].map(|vertices| group(topology, vertices)), [most, if most == 255 { 255 } else { 256 }, 256], "{topology:?}");
    }
}

/// The cached packets for a pair of states are for streams that address the whole chip. Register writes to a part of the chip must bypass the filter.
#[test]
fn a_pipeline_that_is_bound_for_a_part_of_the_chip_bypasses_the_filter_of_registers() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx10) {
        let pipeline = |vertices| {
            let vertex = VertexStage { subgroup: Subgroup { vertices, ..Subgroup::default() }, ..VertexStage::default() };
            Pipeline::new(chip, PipelineDesc { vertex, ..PipelineDesc::default() }).expect("a pipeline")
        };
        let (one, other) = (pipeline(64), pipeline(128));
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("room");
        recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the chip");
        let draw = |recorder: &mut Recorder<Vec<u32>>, pipeline| {
            recorder.bind_pipeline(pipeline).expect("the chip");
            recorder.draw_instances(Vertices { first: 0, count: 3 }, Instances::default()).expect("room");
        };
        [&one, &other, &one].into_iter().for_each(|pipeline| draw(&mut recorder, pipeline));
        // GRBM_GFX_INDEX selects instance 1.
        recorder.emit(&SetUconfigReg { reg_offset: 0x200 }.followed_by(&[1])).expect("room");
        let from = recorder.words().len();
        draw(&mut recorder, &other);
        let packets: Vec<_> = Reader::new(&recorder.words()[from..]).flatten().filter(|p| p.opcode() == Some(Opcode::SET_UCONFIG_REG)).collect();
        assert!(!packets.is_empty() && packets.iter().all(|packet| packet.header.resets_filter_cam()), "{chip}: {packets:x?}");
    }
}

#[test]
fn what_a_geometry_or_mesh_shader_makes_is_not_culled_as_input() {
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103) {
        let vertex = VertexStage { culling: true, ..VertexStage::default() };
        assert!(DrawDesc::from(PipelineDesc { vertex: vertex.clone(), ..PipelineDesc::default() }).resolve(chip).is_ok(), "{chip}");
        let geometry = DrawDesc::from(PipelineDesc { geometry: Some(GeometryStage::default()), vertex: vertex.clone(), ..PipelineDesc::default() });
        let mesh = DrawDesc::from(PipelineDesc { mesh: Some(MeshStage::default()), vertex, ..PipelineDesc::default() });
        for desc in [geometry, mesh] {
            let error = desc.resolve(chip).expect_err("refused").to_string();
            assert!(error.contains("culling"), "{chip}: {error}");
        }
    }
}

/// From GFX10 to GFX11.5, a layer of a depth target has its low 11 bits in one field and the rest in another.
#[test]
fn the_layers_of_a_depth_target_keep_all_their_bits() {
    for chip in Chip::all() {
        for (first, last) in [(0, 0), (3, 0x7FE), (0, 0x7FF)] {
            let depth = DepthTarget {
                surface: Surface { address: 0x1_0000_0000, layers: (first, last), ..Surface::default() },
                ..DepthTarget::new(DepthFormat::D32, 1)
            };
            let desc = DrawDesc { targets: TargetsDesc { depth: Some(depth), ..TargetsDesc::default() }, ..DrawDesc::default() };
            let of = |name| field(chip, &desc, "DB_DEPTH_VIEW", name).unwrap_or(0);
            let shift = if chip.gfx() == Gfx::Gfx9 || chip.gfx() == Gfx::Gfx12 { 31 } else { 11 };
            assert_eq!(of("SLICE_START") | of("SLICE_START_HI") << shift, first, "{chip}");
            assert_eq!(of("SLICE_MAX") | of("SLICE_MAX_HI") << shift, last, "{chip}");
        }
    }
}

/// Off-chip memory of tessellation: blocks of 32 KiB, from GFX11 on per shader engine, after 48 KiB per engine.
#[test]
fn tessellation_takes_this_much_memory() {
    for (buffers, engines) in [(1u64, 1u64), (256, 4), (512, 6)] {
        let rings = TessellationRings { address: 0x100_0000, factor_dwords: 12288, buffers: buffers as u32, shader_engines: engines as u32 };
        let before = (48 * 1024 * engines).next_multiple_of(0x1_0000);
        assert_eq!(rings.memory_bytes(Gfx::Gfx103), before + buffers * 32 * 1024);
        assert_eq!(rings.memory_bytes(Gfx::Gfx11), before + buffers * engines * 32 * 1024);
    }
}

/// The ring of a geometry shader: 32 waves of 64 vertices, twice, per engine, with the dwords of all that an invocation emits; at most 64 KiB below 64 MiB per
/// engine.
#[test]
fn the_ring_of_a_geometry_shader_has_room_for_its_waves() {
    for (max_vertices, dwords, engines) in [(1u32, 4u32, 1u32), (6, 16, 4), (256, 100, 8), (1024, 16, 33)] {
        let shader = GeometryStage { max_vertices, vertex_dwords: [dwords, 0, 0, 0], ..GeometryStage::default() };
        let engines_of_chip = u64::from(engines.clamp(1, 32));
        let wanted = 32 * engines_of_chip * 2 * 64 * 4 * u64::from(max_vertices * dwords);
        let most = ((64 << 20) - (64 << 10)) * engines_of_chip;
        assert_eq!(u64::from(shader.ring_bytes(engines)), wanted.min(most).min(0xFFFF_FF00), "{max_vertices} vertices of {dwords} dwords, {engines} engines");
    }
}
