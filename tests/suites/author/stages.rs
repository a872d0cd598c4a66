//! Shader stages: resource registers, initial wave state, occupancy, dispatches. Golden tables from LLVM, formulas from Mesa, state from RADV.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::*;
use pm4::packet::{Queue, Reader};
use pm4::regs;
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;
use support::captured::{captured, described, each_captured};
use support::draws::{board, inputs, pick, program, scratch, vertex};
use support::property;

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn number<T: std::str::FromStr>(cell: &str) -> T {
    cell.parse().unwrap_or_else(|_| panic!("no number: {cell}"))
}

fn register(image: &RegisterImage, gfx: Gfx, name: &str) -> Option<u32> {
    image.get(regs::find(gfx, name)?.addr())
}

fn field(image: &RegisterImage, gfx: Gfx, name: &str, field: &str) -> Option<u32> {
    Some(regs::find(gfx, name)?.info().field(field)?.get(register(image, gfx, name)?))
}

fn resolve(chip: Chip, desc: &DrawDesc) -> RegisterImage {
    desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}")).image
}

fn with_pixel(change: impl FnOnce(&mut PixelShader)) -> DrawDesc {
    let mut shader = PixelShader::default();
    change(&mut shader);
    DrawDesc::from(PipelineDesc { shader: Some(shader), ..PipelineDesc::default() })
}

// ---- Resources

#[test]
fn compute_rsrc1_is_that_of_llvm() {
    let mut compared = 0;
    for row in rows(include_str!("../../golden/rsrc.tsv")) {
        let [target, wave, vgprs, sgprs, expected, ..] = row[..] else { panic!("{row:?}") };
        let chip: Chip = target.parse().expect("a chip");
        // LLVM's kernels quiet NaNs.
        let program = Program { wave: wave.parse().expect("a wave size"), vgprs: number(vgprs), sgprs: number(sgprs), ieee: true, ..Program::default() };
        let dispatch = DispatchDesc { program, thread_ids: 1, ..DispatchDesc::default() };
        let image = dispatch.resolve(chip).unwrap_or_else(|e| panic!("{row:?}: {e}")).image;
        let expected = u32::from_str_radix(&expected[2..], 16).expect("a hexadecimal number");
        assert_eq!(register(&image, chip.gfx(), "COMPUTE_PGM_RSRC1"), Some(expected), "{row:?}");
        compared += 1;
    }
    assert_eq!(compared, 90);
}

#[test]
fn vgprs_limit_waves_as_in_llvm() {
    let mut compared = 0;
    for row in rows(include_str!("../../golden/occupancy.tsv")) {
        let [target, wave, vgprs, expected] = row[..] else { panic!("{row:?}") };
        let program = Program { wave: wave.parse().expect("a wave size"), vgprs: number(vgprs), ..Program::default() };
        let chip: Chip = target.parse().expect("a chip");
        assert_eq!(register_occupancy(chip, &program).waves_per_simd, number::<u32>(expected), "{row:?}");
        compared += 1;
    }
    assert_eq!(compared, 286);
}

#[test]
fn occupancy_falls_in_the_known_steps() {
    let most = |chip, wave, waves: u32| {
        (1..=256).filter(|&vgprs| register_occupancy(chip, &Program { wave, vgprs, ..Program::default() }).waves_per_simd >= waves).max()
    };
    let vega = [(10, 24), (9, 28), (8, 32), (7, 36), (6, 40), (5, 48), (4, 64), (3, 84), (2, 128), (1, 256)];
    assert!(vega.iter().all(|&(waves, vgprs)| most(Chip::Vega10, WaveSize::W64, waves) == Some(vgprs)));
    let navi10 = [(20, 48), (18, 56), (16, 64), (8, 128), (4, 256)];
    assert!(navi10.iter().all(|&(waves, vgprs)| most(Chip::Navi10, WaveSize::W32, waves) == Some(vgprs)));
    let navi21 = [(16, 64), (12, 80), (10, 96), (8, 128), (4, 256)];
    assert!(navi21.iter().all(|&(waves, vgprs)| most(Chip::Navi21, WaveSize::W32, waves) == Some(vgprs)));
    let navi31 = [(16, 96), (12, 120), (5, 256)];
    assert!(navi31.iter().all(|&(waves, vgprs)| most(Chip::Navi31, WaveSize::W32, waves) == Some(vgprs)));
    // The smaller register file of the same generation.
    assert_eq!(most(Chip::Navi33, WaveSize::W32, 16), Some(64));
}

#[test]
fn sgprs_limit_waves_on_gfx9_only() {
    let program = |sgprs| Program { vgprs: 24, sgprs, reserved_sgprs: 6, ..Program::default() };
    // 800 SGPRs in blocks of 16: 74 and 6 make 80, ten waves; one more makes 96, eight.
    assert_eq!(register_occupancy(Chip::Vega10, &program(74)), Occupancy { waves_per_simd: 10, limit: OccupancyLimit::WaveSlots });
    assert_eq!(register_occupancy(Chip::Vega10, &program(75)), Occupancy { waves_per_simd: 8, limit: OccupancyLimit::Sgprs });
    assert_eq!(register_occupancy(Chip::Navi10, &program(102)).limit, OccupancyLimit::WaveSlots);
}

#[test]
fn two_shared_vgprs_cost_one_private() {
    let program = |shared_vgprs| Program { vgprs: 24, shared_vgprs, ..Program::default() };
    assert_eq!(register_occupancy(Chip::Navi10, &program(0)).waves_per_simd, 20);
    assert_eq!(register_occupancy(Chip::Navi10, &program(16)).waves_per_simd, 16);
}

#[test]
fn lds_and_whole_workgroups_limit_waves() {
    let program = |lds_bytes| Program { vgprs: 16, lds_bytes, ..Program::default() };
    let group = |waves, wgp| Workgroup { waves, wgp };
    // 64 KiB hold 3 groups of 20 KiB; 3 groups of 4 waves are 3 waves on each of four SIMDs.
    assert_eq!(occupancy(Chip::Vega10, &program(20 * 1024), group(4, false)), Occupancy { waves_per_simd: 3, limit: OccupancyLimit::Lds });
    // A WGP has the LDS and the SIMDs of both CUs.
    assert_eq!(occupancy(Chip::Navi21, &program(32 * 1024), group(4, true)).waves_per_simd, 4);
    // Three groups of 40 KiB in 128 KiB and four SIMDs; one in 64 KiB and two SIMDs.
    for chip in [Chip::Navi10, Chip::Navi21, Chip::Navi31] {
        assert_eq!([true, false].map(|wgp| occupancy(chip, &program(40 * 1024), group(4, wgp)).waves_per_simd), [3, 2], "{chip}");
    }
    // A group of 16 waves on 4 SIMDs of 10 waves: only two fit.
    assert_eq!(occupancy(Chip::Vega10, &program(0), group(16, false)), Occupancy { waves_per_simd: 8, limit: OccupancyLimit::Workgroups });
    // A CU of GFX10 holds 2 x 20 waves, but tracks 16 groups of two.
    assert_eq!(occupancy(Chip::Navi10, &program(0), group(2, false)), Occupancy { waves_per_simd: 16, limit: OccupancyLimit::Workgroups });
    // Parameters of pixel shaders are in LDS: 48 bytes per input; up to 21 inputs take 1 KiB of the 64 KiB.
    assert_eq!(pixel_occupancy(Chip::Navi21, &program(0), 21).waves_per_simd, 16);
    // 32 of them fill 1.5 KiB, and a CU of GFX9 has 64 KiB for 40 waves.
    assert_eq!([32, 33].map(|inputs| pixel_occupancy(Chip::Vega10, &program(0), inputs).waves_per_simd), [10, 8]);
    // One more and 3 KiB of its own make 5 KiB: 12 waves on two SIMDs.
    assert_eq!(pixel_occupancy(Chip::Navi21, &program(3 * 1024), 22), Occupancy { waves_per_simd: 6, limit: OccupancyLimit::Lds });
}

#[test]
fn occupancy_never_grows_with_what_a_program_needs() {
    property::<fn(AnyProgram, u8, u8) -> bool>("monotonic", 5000, |any, waves, more| {
        let group = Workgroup { waves: 1 + u32::from(waves % 16), wgp: waves >= 128 };
        let bigger = Program {
            vgprs: (any.program.vgprs + u32::from(more)).min(256),
            lds_bytes: (any.program.lds_bytes + 64 * u32::from(more)).min(65536),
            ..any.program.clone()
        };
        let found = |program| occupancy(any.chip, program, group).waves_per_simd;
        found(&bigger) <= found(&any.program) && found(&any.program) <= register_occupancy(any.chip, &any.program).waves_per_simd
    });
}

#[test]
fn wave_limits_come_in_steps_of_16_and_63_is_none() {
    let limit = |waves| {
        let image = resolve(Chip::Navi31, &with_pixel(|s| s.program.wave_limit = waves));
        field(&image, Gfx::Gfx11, "SPI_SHADER_PGM_RSRC3_PS", "WAVE_LIMIT")
    };
    assert_eq!([limit(None), limit(Some(1)), limit(Some(17)), limit(Some(1008))], [Some(63), Some(1), Some(2), Some(63)]);
    assert!(matches!(
        with_pixel(|s| s.program.wave_limit = Some(1009)).resolve(Chip::Navi31),
        Err(DrawError::ProgramLimit { stage: Stage::Pixel, what: "wave limit", value: 1009, .. })
    ));
    // Waves per CU as PAL counts them: 8 x 16 CUs are 8 steps.
    let board = Board::recorded(Chip::Vega10).expect("a recorded board");
    assert_eq!(wave_limit(Chip::Vega10, Stage::Pixel, board, 8), 128);
}

/// The unit is waves per shader engine (Mesa 25.0.7).
#[test]
fn wave_limits_of_gfx12_count_waves_and_stand_in_rsrc4() {
    let limit = |waves| {
        let image = resolve(Chip::Gfx1201, &with_pixel(|s| s.program.wave_limit = waves));
        field(&image, Gfx::Gfx12, "SPI_SHADER_PGM_RSRC4_PS", "WAVE_LIMIT")
    };
    assert_eq!([limit(None), limit(Some(1)), limit(Some(17)), limit(Some(1023))], [Some(1023), Some(1), Some(17), Some(1023)]);
    assert!(matches!(
        with_pixel(|s| s.program.wave_limit = Some(1024)).resolve(Chip::Gfx1201),
        Err(DrawError::ProgramLimit { stage: Stage::Pixel, what: "wave limit", value: 1024, .. })
    ));
    let board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 8 };
    assert_eq!(wave_limit(Chip::Gfx1201, Stage::Pixel, board, 7), 7 * 16);
    assert_eq!(wave_limit(Chip::Gfx1201, Stage::Compute, board, u32::MAX), 1023);
}

/// radeonsi writes it for all stages (captures); Mesa's si_get_shader_prefetch_size states unit and limits.
#[test]
fn code_is_fetched_ahead_in_units_of_128_bytes_from_gfx11_on() {
    let largest = |gfx: Gfx| if gfx == Gfx::Gfx12 { 255 } else { 63 };
    for chip in Chip::all() {
        let gfx = chip.gfx();
        for (bytes, units) in [(0, 0), (1, 1), (128, 1), (129, 2), (8064, 63), (8065, 64), (32640, 255), (u32::MAX, 255)] {
            let program = Program { prefetch_bytes: bytes, ..Program::default() };
            let mut desc = tessellated(None);
            desc.pipeline.tessellation.as_mut().expect("patches").program = program.clone();
            desc.pipeline.vertex.program = program.clone();
            desc.pipeline.shader = Some(PixelShader { program: program.clone(), writes_memory: true, ..PixelShader::default() });
            let dispatch = DispatchDesc { program, ..DispatchDesc::default() };
            if gfx < Gfx::Gfx11 && bytes != 0 {
                let absent = |found: Option<DrawError>| matches!(found, Some(DrawError::OptionAbsent { option: "prefetch of code", .. }));
                assert!(absent(desc.resolve(chip).err()) && absent(dispatch.resolve(chip).err()), "{chip}");
                continue;
            }
            let (image, compute) = (resolve(chip, &desc), dispatch.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).image);
            let expected = (gfx >= Gfx::Gfx11).then(|| units.min(largest(gfx)));
            for name in ["SPI_SHADER_PGM_RSRC4_PS", "SPI_SHADER_PGM_RSRC4_GS", "SPI_SHADER_PGM_RSRC4_HS"] {
                assert_eq!(field(&image, gfx, name, "INST_PREF_SIZE"), expected, "{chip} {name} {bytes}");
            }
            assert_eq!(field(&compute, gfx, "COMPUTE_PGM_RSRC3", "INST_PREF_SIZE"), expected, "{chip} {bytes}");
        }
    }
}

/// Every program of a draw or dispatch is at the address in the registers of its stage.
#[test]
fn the_program_of_a_stage_is_where_its_registers_say() {
    let at = |address: u64| Program { address: Some(address), ..Program::default() };
    let (vertex, pixel) =
        (VertexStage { program: at(0x1234_5678_9A00), ..Default::default() }, PixelShader { program: at(0x2345_6789_AB00), ..Default::default() });
    let plain = PipelineDesc { vertex, shader: Some(pixel), ..PipelineDesc::default() };
    let patches = Some(Tessellation { program: at(0x3456_789A_BC00), ..Tessellation::default() });
    let tessellated = PipelineDesc { tessellation: patches, topology: Topology::PatchList, ..plain.clone() };
    let geometry = PipelineDesc { geometry: Some(GeometryStage::default()), ..plain.clone() };
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let (front, merged) = if gfx == Gfx::Gfx9 { (Stage::Vertex, Stage::Geometry) } else { (Stage::Ngg, Stage::Ngg) };
        let says = |image: &RegisterImage, stage: Stage| {
            let (low, high) = stage.program_registers(gfx)?;
            Some(u64::from(image.get(low)?) << 8 | u64::from(image.get(high)?) << 40)
        };
        for (pipeline, stage) in [(&plain, front), (&tessellated, front), (&geometry, merged)] {
            let image = resolve(chip, &DrawDesc::from(pipeline.clone()));
            assert_eq!(says(&image, stage), Some(0x1234_5678_9A00), "{chip}: {stage}");
            assert_eq!(says(&image, Stage::Pixel), Some(0x2345_6789_AB00), "{chip}");
            let hull = pipeline.tessellation.as_ref().and_then(|patches| patches.program.address);
            assert_eq!(says(&image, Stage::Hull), hull, "{chip}");
        }
        let dispatch = DispatchDesc { program: at(0x4567_89AB_CD00), ..DispatchDesc::default() }.resolve(chip).expect("a dispatch");
        assert_eq!(says(&dispatch.image, Stage::Compute), Some(0x4567_89AB_CD00), "{chip}");
        for stage in [Stage::Vertex, Stage::Ngg] {
            assert_eq!(stage.program_registers(gfx).is_some(), stage.user_data_address(gfx, 0).is_some(), "{chip}: {stage}");
        }
    }
}

#[test]
fn what_a_stage_cannot_run_is_refused_by_name() {
    let refused = |chip: Chip, program: Program, what: &str| match with_pixel(|s| s.program = program).resolve(chip) {
        Err(DrawError::ProgramLimit { stage: Stage::Pixel, what: named, .. }) => named == what,
        Err(DrawError::OptionAbsent { option, .. }) => option == what,
        _ => false,
    };
    for chip in Chip::all() {
        let old = chip.gfx() == Gfx::Gfx9;
        assert!(refused(chip, Program { vgprs: 0, ..Program::default() }, "VGPRs"), "{chip}");
        assert!(refused(chip, Program { vgprs: 257, ..Program::default() }, "VGPRs"), "{chip}");
        assert!(refused(chip, Program { sgprs: 107, ..Program::default() }, "SGPRs"), "{chip}");
        assert_eq!(refused(chip, Program { sgprs: 106, ..Program::default() }, "SGPRs"), old, "{chip}");
        assert!(refused(chip, Program { lds_bytes: 65537, ..Program::default() }, "LDS bytes"), "{chip}");
        assert!(refused(chip, Program { user_data: vec![UserData::Keep; 33], ..Program::default() }, "user SGPRs"), "{chip}");
        assert!(refused(chip, Program { address: Some(0x80), ..Program::default() }, "address"), "{chip}");
        assert!(refused(chip, Program { address: Some(1 << 48), ..Program::default() }, "address"), "{chip}");
        assert!(refused(chip, Program { cu_mask: Some(0), ..Program::default() }, "CU mask"), "{chip}");
        assert_eq!(refused(chip, Program { wave: WaveSize::W32, ..Program::default() }, "wave32"), old, "{chip}");
        assert_eq!(refused(chip, Program { shared_vgprs: 8, ..Program::default() }, "shared VGPRs"), old, "{chip}");
        assert!(refused(chip, Program { shared_vgprs: 4, ..Program::default() }, "shared VGPRs"), "{chip}");
    }
    assert_eq!((Stage::Compute.user_sgprs_left(10), Stage::Compute.user_sgprs_left(17)), (Some(6), None));
}

#[test]
fn scratch_needs_memory_and_is_counted_in_the_generations_unit() {
    let mut desc = with_pixel(|s| s.program.scratch_bytes = 5000);
    assert_eq!(desc.resolve(Chip::Navi31), Err(DrawError::NoScratch { bytes: 5000 }));
    desc.pipeline.scratch = Some(ScratchRing { address: 0x12_3456_7800, waves: 64 });
    for (chip, size) in [(Chip::Vega10, 5), (Chip::Navi21, 5), (Chip::Navi31, 20), (Chip::Gfx1201, 20)] {
        let (image, gfx) = (resolve(chip, &desc), chip.gfx());
        assert_eq!(field(&image, gfx, "SPI_TMPRING_SIZE", "WAVESIZE"), Some(size), "{chip}");
        assert_eq!(field(&image, gfx, "SPI_TMPRING_SIZE", "WAVES"), Some(64), "{chip}");
        assert_eq!(field(&image, gfx, "SPI_SHADER_PGM_RSRC2_PS", "SCRATCH_EN"), Some(1), "{chip}");
        assert_eq!(register(&image, gfx, "SPI_GFX_SCRATCH_BASE_LO"), (gfx >= Gfx::Gfx11).then_some(0x1234_5678), "{chip}");
    }
    let none = resolve(Chip::Navi31, &DrawDesc::default());
    assert_eq!(register(&none, Gfx::Gfx11, "SPI_TMPRING_SIZE"), Some(0));
    // SPI_GFX_SCRATCH_BASE is in units of 256 bytes and has 40 bits.
    for address in [0x12_3456_7880, 1 << 48] {
        desc.pipeline.scratch = Some(ScratchRing { address, waves: 64 });
        let refused = desc.resolve(Chip::Navi31);
        assert!(matches!(refused, Err(DrawError::Limit { what: "the address of scratch memory", value, .. }) if value == address), "{refused:?}");
    }
}

/// The eight fixed SGPRs of a merged stage come before its user SGPRs (Mesa 25.0.7 radv_shader_args.c).
#[test]
fn user_sgprs_of_hull_waves_begin_at_8() {
    let program = Program { user_data: vec![UserData::Word(7), UserData::Keep], ..Program::default() };
    let tessellation = Some(Tessellation { program, ..Tessellation::default() });
    let desc = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
    for chip in Chip::all() {
        let wave = desc.hull_wave(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).expect("a hull stage");
        let user_data: Vec<_> =
            wave.sgprs.items().iter().filter(|placed| placed.item == SgprItem::UserData).map(|placed| (placed.first, placed.count)).collect();
        assert_eq!(user_data, [(8, 2)], "{chip}");
    }
}

// ---- The pixel stage

#[test]
fn inputs_follow_what_has_room_not_what_is_loaded() {
    // The example in the ISA manuals: ADDR has more bits than ENA, so POS_X is in v12.
    let desc = with_pixel(|s| {
        s.inputs.loads = PixelLoads::from_bits(0b11_0000_0011);
        s.inputs.room = Some(PixelLoads::from_bits(0b11_1100_1111));
    });
    let wave = desc.pixel_wave(Chip::Navi21).expect("valid").expect("a pixel shader");
    assert_eq!(wave.vgprs.place(VgprItem::Pixel(PixelInput::PosX)), Some(12));
    assert_eq!(wave.vgprs.place(VgprItem::Pixel(PixelInput::PerspCentroid)), None, "room, but not loaded");
    assert_eq!(wave.vgprs.len(), 14);
    let image = resolve(Chip::Navi21, &desc);
    assert_eq!(register(&image, Gfx::Gfx103, "SPI_PS_INPUT_ENA"), Some(0x303));
    assert_eq!(register(&image, Gfx::Gfx103, "SPI_PS_INPUT_ADDR"), Some(0x3CF));
    // The program states 4 VGPRs, its inputs take 14.
    assert_eq!(field(&image, Gfx::Gfx103, "SPI_SHADER_PGM_RSRC1_PS", "VGPRS"), Some(3));
}

#[test]
fn a_pixel_wave_always_has_a_barycentric() {
    let ena = |inputs: PixelInputs| {
        let image = with_pixel(|s| s.inputs = inputs).resolve(Chip::Navi31)?.image;
        Ok::<_, DrawError>((register(&image, Gfx::Gfx11, "SPI_PS_INPUT_ENA").unwrap(), register(&image, Gfx::Gfx11, "SPI_PS_INPUT_ADDR").unwrap()))
    };
    let loads = |bits| PixelInputs { loads: PixelLoads::from_bits(bits), ..PixelInputs::default() };
    let room = |bits, room| PixelInputs { room: Some(PixelLoads::from_bits(room)), ..loads(bits) };
    assert_eq!(ena(loads(0)), Ok((2, 2)), "RADV's choice");
    assert_eq!(ena(loads(0x8000)), Ok((0x8002, 0x8002)));
    assert_eq!(ena(loads(0x10)), Ok((0x10, 0x10)), "a linear one will do");
    assert_eq!(ena(loads(0x810)), Ok((0x812, 0x812)), "but not for POS_W");
    assert_eq!(ena(room(0x100, 0x104)), Ok((0x104, 0x104)), "the one that there is room for");
    assert_eq!(
        ena(room(0x100, 0x100)),
        Err(DrawError::PixelInputs { bits: 0x7F, why: "a wave without any barycentric hangs, and the program has no room for one" })
    );
    assert!(matches!(ena(room(0x810, 0x810)), Err(DrawError::PixelInputs { bits: 0xF, .. })));
    assert!(matches!(ena(room(0x103, 0x101)), Err(DrawError::PixelInputs { bits: 2, .. })));
}

#[test]
fn pixel_inputs_keep_their_rules_whatever_is_asked() {
    property::<fn(u16, u16, bool) -> bool>("ENA and ADDR", 3000, |loads, room, exact| {
        let room = (!exact).then(|| PixelLoads::from_bits(room | loads));
        let desc = with_pixel(|s| s.inputs = PixelInputs { loads: PixelLoads::from_bits(loads), room, ..PixelInputs::default() });
        let Ok(resolved) = desc.resolve(Chip::Vega10) else {
            return room.is_some_and(|room| room.bits() & 0x7F == 0 || loads & 0x800 != 0 && room.bits() & 0xF == 0);
        };
        let get = |name| register(&resolved.image, Gfx::Gfx9, name).expect("always there");
        let (ena, addr) = (get("SPI_PS_INPUT_ENA"), get("SPI_PS_INPUT_ADDR"));
        let wave = desc.pixel_wave(Chip::Vega10).unwrap().unwrap();
        let allocated = 4 * (1 + field(&resolved.image, Gfx::Gfx9, "SPI_SHADER_PGM_RSRC1_PS", "VGPRS").unwrap());
        ena & !addr == 0 && ena & 0x7F != 0 && (ena & 0x800 == 0 || ena & 0xF != 0) && u32::from(loads) & !ena == 0 && allocated >= wave.vgprs.len()
    });
}

#[test]
fn sgprs_of_a_pixel_wave_are_in_hardware_order() {
    let all = |chip: Chip| {
        let mut desc = with_pixel(|s| {
            s.program.user_data = vec![pm4::draw::UserData::Keep; 6];
            s.program.scratch_bytes = 1024;
            s.writes_memory = true;
            s.inputs.wave_count = true;
            s.inputs.provoking_vertex = chip.gfx() >= Gfx::Gfx103;
        });
        desc.pipeline.interlock = Interlock::PixelOrdered;
        desc.pipeline.expert.intrawave_collision = chip.gfx() <= Gfx::Gfx103;
        desc.pipeline.scratch = Some(ScratchRing { address: 0, waves: 1 });
        let wave = desc.pixel_wave(chip).unwrap_or_else(|e| panic!("{chip}: {e}")).expect("a pixel shader");
        wave.sgprs.items().iter().map(|placed| (placed.item, placed.first)).collect::<Vec<_>>()
    };
    use SgprItem::*;
    assert_eq!(
        all(Chip::Navi21),
        [(UserData, 0), (PrimitiveMask, 6), (WaveCount, 7), (CollisionWaveId, 8), (IntrawaveCollision, 9), (ProvokingVertex, 10), (ScratchOffset, 11)]
    );
    assert_eq!(all(Chip::Navi10), [(UserData, 0), (PrimitiveMask, 6), (WaveCount, 7), (CollisionWaveId, 8), (IntrawaveCollision, 9), (ScratchOffset, 10)]);
    assert_eq!(all(Chip::Vega10), all(Chip::Navi10));
    assert_eq!(all(Chip::Navi31), [(UserData, 0), (PrimitiveMask, 6), (WaveCount, 7), (ProvokingVertex, 8)]);
}

#[test]
fn collision_wave_id_is_in_the_map_exactly_where_both_registers_load_it() {
    for chip in Chip::all() {
        for interlock in [Interlock::None, Interlock::PixelOrdered, Interlock::SampleUnordered] {
            for unused in [false, true] {
                let mut desc = with_pixel(|s| s.ordered_section_removed = unused);
                desc.pipeline.interlock = interlock;
                let loaded = field(&resolve(chip, &desc), chip.gfx(), "SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID");
                let place = desc.pixel_wave(chip).unwrap().unwrap().sgprs.place(SgprItem::CollisionWaveId);
                assert_eq!(place, (loaded == Some(1)).then_some(1), "{chip} {interlock} {unused}");
            }
        }
    }
}

#[test]
fn interpolants_name_parameters_that_exist() {
    let mut desc = with_pixel(|s| {
        s.inputs.interpolants = (0..24).map(Interpolant::parameter).collect();
        s.inputs.interpolants[1] = Interpolant { flat: true, ..Interpolant::parameter(7) };
        s.inputs.interpolants[2] = Interpolant { source: InterpolantSource::ZerosOne, ..Interpolant::parameter(0) };
    });
    assert_eq!(desc.resolve(Chip::Navi21), Err(DrawError::MissingParameter { interpolant: 0, slot: 0, parameters: 0 }));
    desc.pipeline.vertex.parameters = 24;
    for chip in Chip::all() {
        let (image, gfx) = (resolve(chip, &desc), chip.gfx());
        let control = |n: u32| register(&image, gfx, &format!("SPI_PS_INPUT_CNTL_{n}"));
        assert_eq!([control(0), control(1), control(2), control(23), control(24)], [Some(0), Some(0x407), Some(0x120), Some(23), None], "{chip}");
        let count = if gfx == Gfx::Gfx12 { "SPI_SHADER_GS_OUT_CONFIG_PS" } else { "SPI_PS_IN_CONTROL" };
        assert_eq!(field(&image, gfx, count, "NUM_INTERP"), Some(24), "{chip}");
        let exports = if gfx == Gfx::Gfx12 { "SPI_SHADER_GS_OUT_CONFIG_PS" } else { "SPI_VS_OUT_CONFIG" };
        assert_eq!(field(&image, gfx, exports, "VS_EXPORT_COUNT"), Some(23), "{chip}");
        assert_eq!(field(&image, gfx, exports, "NO_PC_EXPORT").unwrap_or(0), 0, "{chip}");
    }
}

#[test]
fn a_vertex_stage_exports_32_parameters_and_no_more() {
    for chip in Chip::all() {
        let with = |parameters| {
            DrawDesc::from(PipelineDesc { vertex: VertexStage { parameters, ..VertexStage::default() }, ..PipelineDesc::default() }).resolve(chip).map(|_| ())
        };
        assert_eq!(with(32), Ok(()), "{chip}");
        assert_eq!(with(33), Err(DrawError::Limit { what: "vertex parameters", value: 33, limit: "at most 32" }), "{chip}");
    }
}

#[test]
fn gfx11_generates_a_parameter_when_lds_is_used_without_inputs() {
    let generate =
        |chip: Chip, lds_bytes| field(&resolve(chip, &with_pixel(|s| s.program.lds_bytes = lds_bytes)), chip.gfx(), "SPI_PS_IN_CONTROL", "PARAM_GEN");
    for chip in Chip::all() {
        let expected = matches!(chip.gfx(), Gfx::Gfx11 | Gfx::Gfx115);
        assert_eq!((generate(chip, 0), generate(chip, 512)), (Some(0), Some(u32::from(expected))), "{chip}");
    }
}

// ---- The vertex stage

#[test]
fn vertex_work_runs_where_the_generation_has_it() {
    let path = |path| DrawDesc::from(PipelineDesc { vertex: VertexStage { path, ..VertexStage::default() }, ..PipelineDesc::default() });
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let is = |desc: &DrawDesc, name| desc.resolve(chip).ok().map(|r| register(&r.image, gfx, name).is_some());
        let (hardware, ngg) = ("SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC1_GS");
        assert_eq!(is(&path(None), if gfx == Gfx::Gfx9 { hardware } else { ngg }), Some(true), "{chip}");
        assert_eq!(is(&path(Some(VertexPath::Legacy)), hardware), (gfx <= Gfx::Gfx103).then_some(true), "{chip}");
        assert_eq!(is(&path(Some(VertexPath::Ngg)), ngg), (gfx >= Gfx::Gfx10).then_some(true), "{chip}");
    }
}

#[test]
fn gfx10_1_groups_five_vertices_less_than_a_subgroup_holds() {
    for chip in Chip::all().filter(|c| matches!(c.gfx(), Gfx::Gfx10 | Gfx::Gfx103)) {
        for vertices in [29, 64, 128, 255, 256] {
            let subgroup = Subgroup { vertices, ..Subgroup::default() };
            let image = resolve(chip, &DrawDesc::from(PipelineDesc { vertex: VertexStage { subgroup, ..VertexStage::default() }, ..PipelineDesc::default() }));
            let on_chip = field(&image, chip.gfx(), "VGT_GS_ONCHIP_CNTL", "ES_VERTS_PER_SUBGRP").unwrap();
            let group = field(&image, chip.gfx(), "GE_CNTL", "VERT_GRP_SIZE").unwrap();
            let hit = chip.gfx() == Gfx::Gfx10;
            assert_eq!(on_chip, vertices - 2 * u32::from(hit), "{chip}: a whole primitive must still fit");
            // Groups below 24 hang GFX10.1 (PAL CalcGeCntl): then 256 turns grouping off.
            let expected = on_chip - 5 * u32::from(hit);
            assert_eq!(group, if hit && expected < 24 { 256 } else { expected }, "{chip}");
        }
    }
    let small = |chip: Chip, vertices| {
        let vertex = VertexStage { subgroup: Subgroup { vertices, ..Subgroup::default() }, ..VertexStage::default() };
        DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() }).resolve(chip).is_err()
    };
    assert!(small(Chip::Navi10, 25) && !small(Chip::Navi10, 26));
    assert!(small(Chip::Navi21, 28) && !small(Chip::Navi21, 29));
    assert!(small(Chip::Navi31, 2) && !small(Chip::Navi31, 3));
}

#[test]
fn late_allocation_is_off_where_it_could_deadlock() {
    let late = |chip: Chip, cus: Option<u32>, scratch: bool| {
        let gfx = chip.gfx();
        let board = cus.map(|cus_per_array| Board { shader_engines: 4, arrays_per_engine: 1, cus_per_array });
        let mut desc = DrawDesc::from(PipelineDesc { board, ..PipelineDesc::default() });
        if scratch {
            desc.pipeline.vertex.program.scratch_bytes = 1;
            desc.pipeline.scratch = Some(ScratchRing { address: 0, waves: 1 });
        }
        let image = resolve(chip, &desc);
        match gfx {
            Gfx::Gfx9 => (register(&image, gfx, "SPI_SHADER_LATE_ALLOC_VS").unwrap(), field(&image, gfx, "SPI_SHADER_PGM_RSRC3_VS", "CU_EN").unwrap()),
            _ => (
                field(&image, gfx, "SPI_SHADER_PGM_RSRC4_GS", "SPI_SHADER_LATE_ALLOC_GS").unwrap(),
                field(&image, gfx, "SPI_SHADER_PGM_RSRC3_GS", "CU_EN").unwrap(),
            ),
        }
    };
    for chip in Chip::all().filter(|c| c.gfx() <= Gfx::Gfx115) {
        assert_eq!(late(chip, Some(2), false), (0, 0xFFFF), "{chip}: two CUs per array");
        assert_eq!(late(chip, Some(8), true), (0, 0xFFFF), "{chip}: scratch");
        let expected = match (chip, chip.gfx()) {
            (Chip::Navi14, _) => (0, 0xFFFF),
            (_, Gfx::Gfx9) => (24, 0xFFFE),
            (_, Gfx::Gfx10) => (32, 0xFFF3),
            (_, Gfx::Gfx103) => (32, 0xFFFD),
            _ => (63, 0xFFFD),
        };
        assert_eq!(late(chip, Some(8), false), expected, "{chip}");
    }
    assert_eq!(late(Chip::Vega10, Some(4), false), (2, 0xFFFF), "few CUs: none is masked");
    assert_eq!(late(Chip::Vega12, None, false), (0, 0xFFFF), "nothing is known of the board");
    assert_eq!(late(Chip::Gfx1201, None, false), (127, 0xFFFF_FDFD), "GFX12 keeps CUs 1 and 9 free");
}

/// The CU that is kept free of vertex waves must be one that pixel waves may use: their program may have its own mask.
#[test]
fn late_allocation_is_off_where_pixel_waves_do_not_get_the_cu_that_is_kept_free() {
    let board = Some(Board { shader_engines: 4, arrays_per_engine: 1, cus_per_array: 8 });
    let late = |chip: Chip, vertices: Option<u32>, pixels: u32| {
        let gfx = chip.gfx();
        let mut desc = DrawDesc::from(PipelineDesc { board, ..PipelineDesc::default() });
        desc.pipeline.vertex.program.cu_mask = vertices;
        desc.pipeline.shader.get_or_insert_default().program.cu_mask = Some(pixels);
        let image = resolve(chip, &desc);
        let of_gs = || field(&image, gfx, "SPI_SHADER_PGM_RSRC4_GS", "SPI_SHADER_LATE_ALLOC_GS").unwrap();
        if gfx == Gfx::Gfx9 { register(&image, gfx, "SPI_SHADER_LATE_ALLOC_VS").unwrap() } else { of_gs() }
    };
    for chip in Chip::all().filter(|c| c.gfx() <= Gfx::Gfx115 && *c != Chip::Navi14) {
        let free = match chip.gfx() {
            Gfx::Gfx9 => 0,
            Gfx::Gfx10 => 2,
            _ => 1,
        };
        let others = 0xFFFF & !(1 << free | 1 << 2 | 1 << 3);
        assert_eq!(late(chip, None, others), 0, "{chip}: vertex waves could fill all CUs of pixel waves");
        assert_ne!(late(chip, None, 1 << free), 0, "{chip}: pixel waves alone have the CU");
        // CUs 8 and up do not exist.
        assert_eq!(late(chip, Some(0xFF), 0xFF00 | 1 << 4), 0, "{chip}");
        assert_ne!(late(chip, Some(0x0F), 0xF0), 0, "{chip}: both have CUs of their own");
    }
}

#[test]
fn position_exports_follow_what_is_exported() {
    let outputs = |outputs| {
        let image =
            resolve(Chip::Navi31, &DrawDesc::from(PipelineDesc { vertex: VertexStage { outputs, ..VertexStage::default() }, ..PipelineDesc::default() }));
        (register(&image, Gfx::Gfx11, "SPI_SHADER_POS_FORMAT").unwrap(), register(&image, Gfx::Gfx11, "PA_CL_VS_OUT_CNTL").unwrap())
    };
    let none = VertexOutputs::default();
    assert_eq!(outputs(none), (0x4, 0));
    assert_eq!(outputs(VertexOutputs { layer: true, ..none }), (0x44, 0x0124_0000));
    assert_eq!(outputs(VertexOutputs { clip_distances: 0x3F, ..none }), (0x444, 0x01C0_003F));
    assert_eq!(outputs(VertexOutputs { point_size: true, clip_distances: 1, cull_distances: 0xF0, ..none }), (0x4444, 0x01E1_F001));
}

#[test]
fn draw_calls_write_the_user_sgprs_that_the_program_names() {
    let desc = |user_data: Vec<UserData>| {
        let program = Program { user_data, ..Program::default() };
        DrawDesc::from(PipelineDesc { vertex: VertexStage { program, ..VertexStage::default() }, ..PipelineDesc::default() })
    };
    let named = desc(vec![UserData::Word(7), UserData::Keep, UserData::DrawIndex, UserData::BaseVertex, UserData::Keep]);
    for chip in Chip::all() {
        let sgprs = named.resolve(chip).expect("a draw").draw_sgprs();
        let (first, fixed) = if chip.gfx() == Gfx::Gfx9 { (0xB130, 0) } else { (0xB230, 8) };
        assert_eq!(
            sgprs,
            DrawSgprs {
                base_vertex: Some(first + 12),
                first_instance: None,
                draw_index: Some(first + 8),
                groups: None,
                ring_entry: None,
                view_index: [None; 2]
            },
            "{chip}"
        );
        let wave = named.vertex_wave(chip).expect("a draw").sgprs;
        let at = |item| wave.place(item).map(|place| place - fixed);
        assert_eq!((at(SgprItem::UserData), at(SgprItem::DrawIndex), at(SgprItem::BaseVertex)), (Some(0), Some(2), Some(3)), "{chip}");
        assert_eq!(wave.len(), 5 + fixed, "{chip}");
        assert!(desc(vec![UserData::BaseVertex; 2]).resolve(chip).is_err(), "{chip}: one value, one place");
        assert!(with_pixel(|s| s.program.user_data = vec![UserData::DrawIndex]).resolve(chip).is_err(), "{chip}: a pixel shader has none");
    }
}

#[test]
fn an_ngg_subgroup_holds_a_whole_primitive_of_the_topology() {
    for (topology, vertices) in [(Topology::PointList, 1), (Topology::LineStrip, 2), (Topology::TriangleFan, 3), (Topology::TriangleListAdjacency, 6)] {
        let fits = |chip: Chip, vertices| {
            let vertex = VertexStage { subgroup: Subgroup { vertices, ..Subgroup::default() }, ..VertexStage::default() };
            DrawDesc::from(PipelineDesc { topology, vertex, ..PipelineDesc::default() }).resolve(chip).is_ok()
        };
        assert!(fits(Chip::Navi31, vertices) && !fits(Chip::Navi31, vertices - 1), "{topology}");
        let least = 24 + vertices.max(3) - 1;
        assert!(fits(Chip::Navi10, least) && !fits(Chip::Navi10, least - 1), "{topology}");
    }
}

// ---- Dispatches

#[test]
fn an_indirect_dispatch_counts_from_an_8_aligned_base() {
    for chip in Chip::all() {
        for (address, base, offset) in [(0x1_0000_5004, 0x5000, 4), (0x1_0000_6008, 0x6008, 0)] {
            let mut recorder = Recorder::new(chip).after_preamble();
            let dispatch = DispatchDesc { grid: Grid::Indirect(address), ..DispatchDesc::default() };
            recorder.dispatch(&dispatch.resolve(chip).expect("a dispatch")).expect("room");
            let words = recorder.writer().words().to_vec();
            let bodies: Vec<&[u32]> = Reader::new(&words).map(|p| p.expect("a packet").body).collect();
            let [.., set_base, dispatch] = bodies[..] else { panic!("{chip}: {bodies:?}") };
            assert_eq!((set_base, dispatch[0]), (&[1, base, 1][..], offset), "{chip}");
        }
    }
}

#[test]
fn partial_workgroups_and_bases_show_in_the_initiator() {
    let resolve = |grid, base| DispatchDesc { group: [8, 8, 1], grid, base, ..DispatchDesc::default() }.resolve(Chip::Navi21).unwrap();
    let whole = resolve(Grid::Groups([4, 3, 2]), [0; 3]);
    assert_eq!((whole.initiator.word(), whole.grid), (0x2045, ResolvedGrid::Direct([4, 3, 2])));
    let based = resolve(Grid::Groups([4, 5, 6]), [1, 2, 3]);
    assert_eq!((based.initiator.word(), based.grid), (0x2041, ResolvedGrid::Direct([5, 7, 9])), "ids end at base and count");
    assert_eq!(register(&based.image, Gfx::Gfx103, "COMPUTE_START_Y"), Some(2));
    let partial = resolve(Grid::Threads([17, 8, 1]), [0; 3]);
    assert_eq!((partial.initiator.word(), partial.grid), (0x2047, ResolvedGrid::Direct([3, 1, 1])));
    assert_eq!(register(&partial.image, Gfx::Gfx103, "COMPUTE_NUM_THREAD_X"), Some(0x0001_0008));
    assert_eq!(register(&partial.image, Gfx::Gfx103, "COMPUTE_NUM_THREAD_Y"), Some(0x0008_0008));
    let narrow = DispatchDesc { program: Program { wave: WaveSize::W32, ..Program::default() }, ..DispatchDesc::default() };
    assert_eq!(narrow.resolve(Chip::Navi21).unwrap().initiator.word(), 0xA045);
    assert_eq!(DispatchDesc::default().resolve(Chip::Vega10).unwrap().initiator.word(), 0x45, "GFX9 has neither tunnels nor wave32");
}

#[test]
fn a_queue_that_dispatches_has_some_cu_on_every_chip() {
    for chip in Chip::all() {
        let image = compute_queue(chip, None);
        assert_eq!(image.get(0xB858), Some(u32::MAX), "{chip}: engine 0");
        assert!(is_explained(&image, &explain_compute_queue(chip, None)), "{chip}");
        assert_eq!(image.registers().count(), [4, 9, 9, 14, 14, 14][chip.gfx().index()], "{chip}: no name was wrong");
    }
}

#[test]
fn thread_ids_are_packed_from_gfx11_on_and_workgroup_ids_leave_the_sgprs_on_gfx12() {
    let desc = DispatchDesc {
        program: Program { user_data: vec![UserData::Keep; 3], ..Program::default() },
        workgroup_ids: [true, false, true],
        ..DispatchDesc::default()
    };
    for chip in Chip::all() {
        let wave = desc.wave(chip).unwrap();
        let packed = chip.gfx() >= Gfx::Gfx11;
        assert_eq!(wave.vgprs.place(VgprItem::ThreadIds), packed.then_some(0), "{chip}");
        assert_eq!(wave.vgprs.place(VgprItem::ThreadIdZ), (!packed).then_some(2), "{chip}");
        assert_eq!(wave.sgprs.place(SgprItem::WorkgroupIdX), (!wave.ids_in_ttmp).then_some(3), "{chip}");
        assert_eq!(wave.sgprs.place(SgprItem::WorkgroupIdZ), (!wave.ids_in_ttmp).then_some(4), "{chip}: y takes no place");
        assert_eq!(wave.ids_in_ttmp, chip.gfx() == Gfx::Gfx12, "{chip}");
    }
}

#[test]
fn impossible_dispatches_are_refused_by_name() {
    let error = |change: fn(&mut DispatchDesc)| {
        let mut desc = DispatchDesc::default();
        change(&mut desc);
        desc.resolve(Chip::Navi31).expect_err("refused").to_string()
    };
    assert!(error(|d| d.group = [1025, 1, 1]).contains("threads of a workgroup"));
    assert!(error(|d| d.group = [0, 1, 1]).contains("threads of a workgroup"));
    assert!(error(|d| d.grid = Grid::Indirect(2)).contains("address"));
    assert!(error(|d| d.grid = Grid::Indirect(0)).contains("not 0"));
    assert!(error(|d| (d.grid, d.base) = (Grid::Indirect(4), [1, 0, 0])).contains("base"));
    assert!(error(|d| (d.grid, d.base) = (Grid::Groups([u32::MAX, 1, 1]), [1, 0, 0])).contains("base"));
    assert!(error(|d| d.program.user_data = vec![UserData::Keep; 17]).contains("user SGPRs"));
    assert!(error(|d| d.program.scratch_bytes = 4).contains("scratch"));
    assert!(error(|d| d.thread_ids = 4).contains("thread ids"));
}

// ---- Whatever is asked

#[derive(Debug, Clone)]
struct AnyProgram {
    chip: Chip,
    program: Program,
}

#[derive(Debug, Clone)]
struct AnyStages {
    chip: Chip,
    desc: DrawDesc,
}

#[derive(Debug, Clone)]
pub struct AnyDispatch {
    pub chip: Chip,
    pub desc: DispatchDesc,
}

fn chip(g: &mut Gen) -> Chip {
    pick(g, &Chip::all().collect::<Vec<_>>())
}

impl Arbitrary for AnyProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = chip(g);
        Self { chip, program: program(g, chip, 32) }
    }
}

impl Arbitrary for AnyStages {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = chip(g);
        let vertex = vertex(g, chip);
        let inputs = inputs(g, chip, vertex.parameters);
        let pixel = PixelShader { program: program(g, chip, 32), inputs, writes_memory: true, ..PixelShader::default() };
        let interlock = pick(g, &[Interlock::None, Interlock::PixelOrdered, Interlock::SampleOrdered]);
        let desc = DrawDesc::from(PipelineDesc { shader: Some(pixel), vertex, interlock, scratch: scratch(g), board: board(g), ..PipelineDesc::default() });
        Self { chip, desc }
    }
}

impl Arbitrary for AnyDispatch {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = chip(g);
        let mut three = |n: u32| [0; 3].map(|_| u32::arbitrary(g) % n);
        let (group, groups, base) = (three(10).map(|n| n + 1), three(1000), three(100));
        let grid = pick(g, &[Grid::Groups(groups), Grid::Threads(groups), Grid::Indirect(0x1234_5678)]);
        let program = program(g, chip, 16);
        let desc = DispatchDesc {
            // Nothing is mapped at address 0 (STA-68).
            program: Program { cu_mask: None, address: program.address.filter(|address| *address != 0), ..program },
            group,
            grid,
            base: if matches!(grid, Grid::Indirect(_)) { [0; 3] } else { base },
            workgroup_ids: [bool::arbitrary(g), bool::arbitrary(g), bool::arbitrary(g)],
            workgroup_info: bool::arbitrary(g),
            thread_ids: 1 + u32::arbitrary(g) % 3,
            cu_mode: chip.gfx() >= Gfx::Gfx10 && bool::arbitrary(g),
            groups_per_cu: bool::arbitrary(g).then(|| 1 + u32::arbitrary(g) % 15),
            scratch: scratch(g),
            board: board(g),
        };
        Self { chip, desc }
    }
}

fn words(image: &RegisterImage, gfx: Gfx, rsrc: [&str; 2], program: &Program) -> ProgramWords {
    let word = |name| register(image, gfx, name).unwrap_or(0);
    ProgramWords { rsrc1: word(rsrc[0]), rsrc2: word(rsrc[1]), rsrc3: 0, wave: program.wave, scratch_bytes: program.scratch_bytes }
}

fn pixel_words(input_ena: u32, input_addr: u32) -> PixelWords {
    PixelWords { input_ena, input_addr, exports: None }
}

/// A description made from the words of another one resolves to the same words.
fn draw_comes_back_from_its_words(AnyStages { chip, desc }: AnyStages) -> bool {
    let (gfx, desc) = (chip.gfx(), DrawDesc { pipeline: PipelineDesc { interlock: Interlock::None, ..desc.pipeline }, ..desc });
    let image = resolve(chip, &desc);
    let (pixel, vertex) = (desc.pipeline.shader.as_ref().expect("a shader"), &desc.pipeline.vertex);
    let path = vertex.vertex_path(chip).expect("a path");
    const PIXEL: [&str; 2] = ["SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS"];
    let of_path = match path {
        VertexPath::Legacy => ["SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"],
        VertexPath::Ngg => ["SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"],
    };
    let inputs = ["SPI_PS_INPUT_ENA", "SPI_PS_INPUT_ADDR"].map(|name| register(&image, gfx, name).expect("inputs"));
    let stated =
        PixelShader::from_words(&words(&image, gfx, PIXEL, &pixel.program), &pixel_words(inputs[0], inputs[1]), chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
    let shader =
        PixelShader { writes_memory: true, inputs: PixelInputs { interpolants: pixel.inputs.interpolants.clone(), ..stated.inputs.clone() }, ..stated };
    let stated = VertexStage::from_words(&words(&image, gfx, of_path, &vertex.program), path, chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
    let vertex = VertexStage { parameters: vertex.parameters, outputs: vertex.outputs, subgroup: vertex.subgroup, ..stated };
    let again = resolve(chip, &DrawDesc { pipeline: PipelineDesc { shader: Some(shader), vertex, ..desc.pipeline }, ..desc });
    PIXEL.iter().chain(&of_path).chain(&["SPI_PS_INPUT_ENA", "SPI_PS_INPUT_ADDR"]).all(|name| register(&again, gfx, name) == register(&image, gfx, name))
}

fn dispatch_comes_back_from_its_words(AnyDispatch { chip, desc }: AnyDispatch) -> bool {
    const NAMES: [&str; 3] = ["COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_PGM_RSRC3"];
    let gfx = chip.gfx();
    let resolved = |desc: &DispatchDesc| {
        let image = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip} refuses {desc:?}: {e}")).image;
        NAMES.map(|name| register(&image, gfx, name))
    };
    let [rsrc1, rsrc2, rsrc3] = resolved(&desc).map(Option::unwrap_or_default);
    let words = ProgramWords { rsrc1, rsrc2, rsrc3, wave: desc.program.wave, scratch_bytes: desc.program.scratch_bytes };
    let stated = DispatchDesc::from_words(&words, chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
    let again = DispatchDesc { group: desc.group, grid: desc.grid, base: desc.base, scratch: desc.scratch, ..stated };
    resolved(&again) == resolved(&desc)
}

#[test]
fn descriptions_come_back_from_their_words() {
    property("draws", 2000, draw_comes_back_from_its_words as fn(AnyStages) -> bool);
    property("dispatches", 2000, dispatch_comes_back_from_its_words as fn(AnyDispatch) -> bool);
}

/// The words of Mesa's and LLVM's compute programs for gfx1201 differ in MEM_ORDERED; a description without words uses Mesa's value.
#[test]
fn memory_order_is_the_programs() {
    let order = |chip: Chip, memory_ordered| {
        let desc = DispatchDesc { program: Program { memory_ordered, ..Program::default() }, ..DispatchDesc::default() };
        field(&desc.resolve(chip).expect("a dispatch").image, chip.gfx(), "COMPUTE_PGM_RSRC1", "MEM_ORDERED").expect("a field")
    };
    assert_eq!([Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1150, Chip::Gfx1201].map(|chip| order(chip, None)), [1, 1, 1, 1, 0]);
    assert_eq!([Chip::Navi31, Chip::Gfx1201].map(|chip| (order(chip, Some(true)), order(chip, Some(false)))), [(1, 0); 2]);
    for (rsrc1, memory_ordered) in [(0x600C_0000, Some(true)), (0x200C_0000, None)] {
        let words = ProgramWords { rsrc1, rsrc2: 0, rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
        assert_eq!(DispatchDesc::from_words(&words, Chip::Gfx1201).expect("words of a program").program.memory_ordered, memory_ordered, "{rsrc1:#x}");
    }
}

/// Words with one field set: a description keeps what it can express; all other fields are refused by name.
#[test]
fn what_no_description_states_is_refused_by_its_field() {
    let plain = ProgramWords { rsrc1: 0, rsrc2: 0, rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
    let ordered = |gfx: Gfx| if (10..12).contains(&gfx.major()) { 1 << 25 } else { 0 };
    for chip in Chip::all() {
        let gfx = chip.gfx();
        let fine = ProgramWords { rsrc1: ordered(gfx), ..plain };
        let read = |words| PixelShader::from_words(&words, &pixel_words(2, 2), chip);
        assert!(read(fine).is_ok(), "{chip}: {:?}", read(fine));
        let field = |words: ProgramWords| match read(words) {
            Err(WordsError::Field { field, .. }) => field,
            other => panic!("{chip}: {other:?}"),
        };
        assert_eq!(field(ProgramWords { rsrc1: fine.rsrc1 | 1 << 10, ..fine }), "PRIORITY");
        assert_eq!(field(ProgramWords { rsrc2: 1 << 6, ..fine }), "TRAP_PRESENT");
        assert_eq!(field(ProgramWords { rsrc2: 1 << 25, ..fine }), "LOAD_COLLISION_WAVEID");
        assert_eq!(field(ProgramWords { rsrc2: 1, ..fine }), "SCRATCH_EN");
        assert_eq!(field(ProgramWords { scratch_bytes: 1024, ..fine }), "SCRATCH_EN");
        assert_eq!(field(ProgramWords { rsrc1: fine.rsrc1 | 1 << 31, ..fine }), "reserved");
        // Programs that need no order have 0 (radeonsi).
        let unordered = read(plain).unwrap_or_else(|error| panic!("{chip}: {error}")).program.memory_ordered;
        assert_eq!(unordered, if ordered(gfx) != 0 { Some(false) } else { None }, "{chip}");
        if gfx.major() > 9 {
            // SGPRS has no meaning there.
            assert!(read(ProgramWords { rsrc1: fine.rsrc1 | 1 << 6, ..fine }).is_ok(), "{chip}");
        }
        assert!(matches!(
            PixelShader::from_words(&fine, &pixel_words(0, 0x10000), chip),
            Err(WordsError::Field { register: "SPI_PS_INPUT_ADDR", value: 0x10000, .. })
        ));
        assert!(matches!(PixelShader::from_words(&fine, &pixel_words(0x100, 0x102), chip), Err(WordsError::Field { register: "SPI_PS_INPUT_ENA", .. })));
        assert!(matches!(PixelShader::from_words(&fine, &pixel_words(4, 2), chip), Err(WordsError::Refused(_))), "loaded without room");
    }
}

/// Every register exists and sets only named bits, and each set bit has a reason with its value.
fn is_explained(image: &RegisterImage, reasons: &Reasons) -> bool {
    let gfx = image.gfx();
    image.registers().all(|r| {
        let Some(found) = regs::lookup(gfx, r.addr) else { return false };
        let own: Vec<_> = reasons.iter().filter(|reason| reason.addr == r.addr).collect();
        let told = own.iter().all(|reason| found.info().field(reason.field).is_some_and(|f| f.get(r.value) == reason.value && reason.rule.len() > 4));
        let mask = own.iter().filter_map(|reason| found.info().field(reason.field)).fold(0, |mask, f| mask | f.mask());
        told && r.value & !found.info().known_bits() == 0 && r.value & !mask == 0
    })
}

/// Errors that the model reports, and the number of draws and dispatches.
#[derive(Default)]
struct Seen {
    errors: Vec<&'static str>,
}

impl Observer for Seen {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity == Severity::Error {
            self.errors.push(finding.code);
        }
    }
}

fn errors(chip: Chip, words: &[u32]) -> Vec<&'static str> {
    let mut seen = Seen::default();
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "test", words);
    cp.run(&mut seen);
    seen.errors
}

#[test]
fn any_stages_resolve_with_reasons_and_without_errors_of_the_model() {
    property::<fn(AnyStages) -> quickcheck::TestResult>("stages", 1500, |any| {
        let resolved = any.desc.resolve(any.chip).unwrap_or_else(|e| panic!("{} refuses {:?}: {e}", any.chip, any.desc));
        let mut recorder = Recorder::new(any.chip);
        recorder.begin().expect("a preamble");
        recorder.draw(&resolved).expect("a draw");
        let found = errors(any.chip, &recorder.finish().expect("padding"));
        if !is_explained(&resolved.image, &any.desc.explain(any.chip).expect("what resolves is explained")) || !found.is_empty() {
            return quickcheck::TestResult::error(format!("{found:?} for {:?}", any.desc));
        }
        quickcheck::TestResult::passed()
    });
}

#[test]
fn draws_of_one_path_decide_the_same_registers_but_for_what_they_name() {
    property::<fn(AnyStages, AnyStages) -> bool>("same registers", 1500, |a, b| {
        // Addresses, user data and interpolants exist where they are named.
        let named = ["_PGM_LO_", "_PGM_HI_", "_USER_DATA_", "SPI_PS_INPUT_CNTL_"];
        let path = |any: &AnyStages| any.desc.pipeline.vertex.vertex_path(a.chip).ok();
        let set = |any: &AnyStages| -> Option<Vec<u32>> {
            let image = any.desc.resolve(a.chip).ok()?.image;
            let kept = |addr: &u32| !named.iter().any(|n| regs::lookup(a.chip.gfx(), *addr).is_some_and(|found| found.info().name.contains(n)));
            Some(image.registers().map(|r| r.addr).filter(kept).collect())
        };
        let (first, second) = (set(&a), set(&b));
        second.is_none() || path(&a) != path(&b) || first == second
    });
}

#[test]
fn any_dispatch_is_recorded_as_it_was_resolved() {
    property::<fn(AnyDispatch) -> bool>("dispatch", 2000, |any| {
        let (gfx, resolved) = (any.chip.gfx(), any.desc.resolve(any.chip).unwrap_or_else(|e| panic!("{} refuses {:?}: {e}", any.chip, any.desc)));
        let mut recorder = Recorder::new(any.chip).after_preamble();
        recorder.dispatch(&resolved).expect("a dispatch");
        let words = recorder.finish().expect("padding");
        let (mut written, mut last) = (BTreeMap::new(), None);
        for packet in Reader::new(&words) {
            let packet = packet.expect("sound packets");
            written.extend(packet.writes(gfx).map(|w| (w.addr, w.value)));
            if packet.name(gfx).is_some_and(|name| name.starts_with("DISPATCH")) {
                last = packet.body.last().copied();
            }
        }
        let image: BTreeMap<u32, u32> = resolved.image.registers().map(|r| (r.addr, r.value)).collect();
        written == image
            && last == Some(resolved.initiator.word())
            && is_explained(&resolved.image, &any.desc.explain(any.chip).expect("what resolves is explained"))
            && errors(any.chip, &words).is_empty()
    });
}

#[test]
fn dispatches_of_a_chip_decide_the_same_registers() {
    property::<fn(AnyDispatch, AnyDispatch) -> bool>("same registers", 1000, |a, b| {
        let plain = |any: &AnyDispatch| {
            let mut desc = any.desc.clone();
            (desc.program.address, desc.program.user_data) = (None, vec![]);
            desc.resolve(a.chip).ok().map(|r| r.image.registers().map(|r| r.addr).collect::<Vec<_>>())
        };
        plain(&b).is_none() || plain(&a) == plain(&b)
    });
}

// ---- RADV

/// The stage registers that a description determines.
const STAGE_REGISTERS: [&str; 31] = [
    "SPI_SHADER_PGM_RSRC1_PS",
    "SPI_SHADER_PGM_RSRC2_PS",
    "SPI_SHADER_PGM_RSRC3_PS",
    "SPI_SHADER_PGM_RSRC4_PS",
    "SPI_PS_INPUT_ENA",
    "SPI_PS_INPUT_ADDR",
    "SPI_PS_IN_CONTROL",
    "SPI_PS_INPUT_CNTL_0",
    "SPI_SHADER_PGM_RSRC1_VS",
    "SPI_SHADER_PGM_RSRC2_VS",
    "SPI_SHADER_PGM_RSRC3_VS",
    "SPI_SHADER_LATE_ALLOC_VS",
    "SPI_SHADER_PGM_RSRC1_GS",
    "SPI_SHADER_PGM_RSRC2_GS",
    "SPI_SHADER_PGM_RSRC3_GS",
    "SPI_SHADER_PGM_RSRC4_GS",
    "SPI_VS_OUT_CONFIG",
    "SPI_SHADER_POS_FORMAT",
    "SPI_SHADER_IDX_FORMAT",
    "PA_CL_VS_OUT_CNTL",
    "VGT_SHADER_STAGES_EN",
    "VGT_GS_OUT_PRIM_TYPE",
    "VGT_GS_INSTANCE_CNT",
    "VGT_GS_ONCHIP_CNTL",
    "VGT_GS_MODE",
    "VGT_PRIMITIVEID_EN",
    "GE_CNTL",
    "GE_NGG_SUBGRP_CNTL",
    "GE_MAX_OUTPUT_PER_SUBGROUP",
    "GE_PC_ALLOC",
    "IA_MULTI_VGT_PARAM",
];

#[test]
fn stages_of_draws_equal_radv() {
    let (mut compared, mut draws, mut different) = (BTreeMap::<Gfx, usize>::new(), 0, Vec::new());
    each_captured(&captured(), |draw| {
        if !draw.packet.starts_with("DRAW_") {
            return;
        }
        let Some(desc) = described(draw) else { return };
        let image = resolve(draw.chip, &desc);
        draws += 1;
        // Draws counted from streamout share packets differently: tests/suites/author/streamout.rs.
        let counted = draw.packet == "DRAW_INDEX_AUTO" && draw.body.last().is_some_and(|initiator| initiator & 0x40 != 0);
        for name in STAGE_REGISTERS.into_iter().filter(|name| !counted || *name != "IA_MULTI_VGT_PARAM") {
            let gfx = draw.chip.gfx();
            if let (Some(radv), Some(ours)) = (draw.get(name), register(&image, gfx, name)) {
                *compared.entry(gfx).or_default() += 1;
                if radv != ours {
                    different.push(format!("{} {}: {name} {ours:#010x}, RADV {radv:#010x}", draw.chip, draw.case));
                }
            }
        }
    });
    println!("{draws} draws; values compared: {compared:?}");
    different.dedup();
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different[..different.len().min(40)].join("\n"));
    assert!(compared.len() == 4 && compared.values().all(|n| *n >= 100), "too few values: {compared:?}");
}

#[test]
fn dispatches_equal_radv() {
    let (mut compared, mut different) = (0, Vec::new());
    each_captured(&captured(), |dispatch| {
        let indirect = dispatch.packet == "DISPATCH_INDIRECT";
        if dispatch.packet != "DISPATCH_DIRECT" && !indirect {
            return;
        }
        let three = |pattern: &str, field: &str| ["X", "Y", "Z"].map(|axis| dispatch.field(&format!("{pattern}_{axis}"), field));
        let (full, partial, start) =
            (three("COMPUTE_NUM_THREAD", "NUM_THREAD_FULL"), three("COMPUTE_NUM_THREAD", "NUM_THREAD_PARTIAL"), three("COMPUTE_START", "START"));
        let initiator = *dispatch.body.last().expect("an initiator");
        // A base stays in its registers when a later dispatch forces the start to 0.
        let base = if initiator & 4 == 0 { start } else { [0; 3] };
        let grid = match (indirect, initiator >> 1 & 1) {
            (true, _) => Grid::Indirect(0x1000),
            (_, 0) => Grid::Groups([0, 1, 2].map(|i| dispatch.body[i] - base[i])),
            _ => Grid::Threads([0, 1, 2].map(|i| (dispatch.body[i] - 1) * full[i] + partial[i])),
        };
        let rsrc2 = |field| dispatch.field("COMPUTE_PGM_RSRC2", field);
        let wave = if initiator >> 15 & 1 == 1 { WaveSize::W32 } else { WaveSize::W64 };
        let desc = DispatchDesc {
            program: Program { wave, ..dispatch.program("COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "LDS_SIZE") },
            group: full,
            grid,
            base,
            workgroup_ids: ["TGID_X_EN", "TGID_Y_EN", "TGID_Z_EN"].map(|f| rsrc2(f) == 1),
            workgroup_info: rsrc2("TG_SIZE_EN") == 1,
            thread_ids: 1 + rsrc2("TIDIG_COMP_CNT"),
            ..DispatchDesc::default()
        };
        let resolved = desc.resolve(dispatch.chip).unwrap_or_else(|e| panic!("{} {}: {e}", dispatch.chip, dispatch.case));
        let gfx = dispatch.chip.gfx();
        let mut compare = |name: &str, radv: u32, ours: u32| {
            compared += 1;
            if radv != ours {
                different.push(format!("{} {}: {name} {ours:#010x}, RADV {radv:#010x}", dispatch.chip, dispatch.case));
            }
        };
        for name in ["COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_PGM_RSRC3", "COMPUTE_RESOURCE_LIMITS", "COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y"] {
            if let (Some(radv), Some(ours)) = (dispatch.get(name), register(&resolved.image, gfx, name)) {
                compare(name, radv, ours);
            }
        }
        let queue = compute_queue(dispatch.chip, None);
        for r in queue.registers() {
            if let Some(radv) = dispatch.state.get(&r.addr) {
                compare("queue state", *radv, r.value);
            }
        }
        compare("initiator", initiator, resolved.initiator.word());
        if let ResolvedGrid::Direct(dimensions) = resolved.grid {
            (0..3).for_each(|i| compare("dimension", dispatch.body[i], dimensions[i]));
        }
    });
    println!("{compared} values compared");
    different.dedup();
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different[..different.len().min(40)].join("\n"));
    assert!(compared > 300, "too few values: {compared}");
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

/// The words of any vertex work, with any stages, are restated: they resolve to the same words.
#[test]
fn words_of_all_vertex_work_are_restated() {
    property::<fn(support::draws::Case) -> Result<(), String>>("words of vertex work", 1500, |case| {
        let (chip, desc) = (case.chip, &case.desc);
        let image = case.resolve().image;
        let of_hardware_vs = desc.pipeline.geometry.is_none() && desc.pipeline.vertex.vertex_path(chip) == Ok(VertexPath::Legacy);
        let rsrc = match of_hardware_vs {
            true => ["SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"],
            false => ["SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"],
        };
        let stated =
            desc.pipeline.with_vertex_words(&words(&image, chip.gfx(), rsrc, &desc.pipeline.vertex.program), chip).map_err(|e| format!("{chip}: {e}"))?;
        // The pipeline decides what the words do not state; the words override whatever the pipeline states.
        for reads in [false, true] {
            let mut other = desc.pipeline.clone();
            (other.vertex.reads_instance_id, other.vertex.exports_primitive_id) = (reads, reads);
            other.tessellation.iter_mut().for_each(|patches| patches.evaluation_reads_patch_id = reads);
            other.geometry.iter_mut().for_each(|shader| (shader.reads_primitive_id, shader.reads_invocation_id) = (reads, reads));
            other.vertex.program.user_data.clear();
            let of_other = other.with_vertex_words(&words(&image, chip.gfx(), rsrc, &desc.pipeline.vertex.program), chip);
            if of_other.as_ref().ok() != Some(&stated) {
                return Err(format!("{chip}: {of_other:?}, not {stated:?}"));
            }
        }
        let again = DrawDesc { pipeline: stated, ..desc.clone() }.resolve(chip).map_err(|e| format!("{chip}: {e}"))?.image;
        match rsrc.into_iter().find(|name| register(&image, chip.gfx(), name) != register(&again, chip.gfx(), name)) {
            Some(name) => Err(format!("{chip}: {name} is {:x?}, not {:x?}", register(&again, chip.gfx(), name), register(&image, chip.gfx(), name))),
            None => Ok(()),
        }
    });
}

/// Words of hull stages resolve to the same words.
#[test]
fn hull_words_are_restated() {
    for chip in Chip::all() {
        for reads_instance_id in [false, true] {
            let program = Program { vgprs: 16, lds_bytes: 1024, user_data: vec![UserData::Keep; 9], ..Program::default() };
            let bare = Tessellation { lds_bytes_per_point: 0, lds_bytes_per_patch: 0, reads_instance_id, program, ..Tessellation::default() };
            let image =
                resolve(chip, &DrawDesc { pipeline: PipelineDesc { tessellation: Some(bare.clone()), ..tessellated(None).pipeline }, ..tessellated(None) });
            let rsrc = ["SPI_SHADER_PGM_RSRC1_HS", "SPI_SHADER_PGM_RSRC2_HS"];
            let stated = Tessellation::from_words(&words(&image, chip.gfx(), rsrc, &bare.program), chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
            assert_eq!(stated.reads_instance_id, reads_instance_id, "{chip}");
            let again = resolve(chip, &DrawDesc { pipeline: PipelineDesc { tessellation: Some(stated), ..tessellated(None).pipeline }, ..tessellated(None) });
            for name in rsrc {
                assert_eq!(register(&image, chip.gfx(), name), register(&again, chip.gfx(), name), "{chip} {name}");
            }
        }
    }
}

/// Sizes that do not fit are refused, however large they are.
#[test]
fn sizes_beyond_hardware_are_large_and_not_small() {
    for chip in Chip::all() {
        for vgprs in [u32::MAX, u32::MAX - 7] {
            let large = Program { vgprs, shared_vgprs: u32::MAX, sgprs: u32::MAX, reserved_sgprs: u32::MAX, ..Program::default() };
            assert_eq!(register_occupancy(chip, &large).waves_per_simd, 0, "{chip}");
        }
        assert_eq!(pixel_occupancy(chip, &Program::default(), u32::MAX).waves_per_simd, 0, "{chip}");
        let lds = Program { lds_bytes: u32::MAX, ..Program::default() };
        assert_eq!(occupancy(chip, &lds, Workgroup { waves: u32::MAX, wgp: true }).waves_per_simd, 0, "{chip}");
        let rings = TessellationRings::at(chip, Board { shader_engines: u32::MAX, arrays_per_engine: 2, cus_per_array: 10 }, u64::MAX);
        assert!(rings.memory_bytes(chip.gfx()) > 1 << 40, "{chip}");
    }
    assert_eq!(GeometryRings::at(0, 8_388_608).memory_bytes(8_388_608), u64::MAX);
    assert_eq!(Streamout::lds_dwords_per_vertex(0x4000_0000), u32::MAX);
    let many: Vec<u32> = (0..200_000).collect();
    assert_eq!(StageLink::new(&many, &many), Err(LinkError::TooMany { count: many.len() }));
}

/// NGG of GFX10 has no room for what the hardware VS accepts.
#[test]
fn geometry_shaders_that_are_too_large_for_ngg_are_sent_to_the_hardware_vs() {
    let draw = |chip: Chip, path, tessellates: bool| {
        let geometry = GeometryStage { max_vertices: 64, invocations: 8, vertex_dwords: [64, 0, 0, 0], ..GeometryStage::default() };
        let vertex = VertexStage { path, ..VertexStage::default() };
        let tessellation = tessellates.then(Tessellation::default);
        let topology = if tessellates { Topology::PatchList } else { Topology::TriangleList };
        DrawDesc::from(PipelineDesc { vertex, geometry: Some(geometry), tessellation, topology, ..PipelineDesc::default() }).resolve(chip)
    };
    for chip in [Chip::Navi10, Chip::Navi21] {
        let error = draw(chip, None, true).expect_err("too many vertices").to_string();
        assert!(error.contains("VertexPath::Legacy"), "{chip}: {error}");
        draw(chip, Some(VertexPath::Legacy), true).expect("room in memory");
    }
    draw(Chip::Navi31, None, true).expect("a subgroup for each invocation");
}

/// Current LLVM states forward progress for every kernel from GFX10 on, and LLVM 14 wrote SGPRS, which these chips ignore.
#[test]
fn kernels_of_llvm_are_accepted() {
    let words = |rsrc1, rsrc3| ProgramWords { rsrc1, rsrc2: 0x139A, rsrc3, wave: WaveSize::W32, scratch_bytes: 0 };
    for (chip, rsrc3) in [(Chip::Navi31, 0x10), (Chip::Navi21, 0)] {
        let stated = DispatchDesc::from_words(&words(0xE0AF_0000, rsrc3), chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
        assert!(stated.program.forward_progress, "{chip}");
        let image = stated.resolve(chip).expect("it can run").image;
        assert_eq!(image.get(0xB848), Some(0xE0AF_0000), "{chip}");
    }
    let old = DispatchDesc::from_words(&words(0x60AF_0040, 0), Chip::Navi21).expect("SGPRS has no meaning from GFX10 on");
    assert!(!old.program.forward_progress);
    assert_eq!(old.resolve(Chip::Navi21).expect("it can run").image.get(0xB848), Some(0x60AF_0000));
}
