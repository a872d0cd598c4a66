//! PAL pipelines: registers by number and by name, as dispatches and draws.

use crate::code_object_files::{Findings, IMAGE, files, parse, run_dispatch};
use crate::support::draws::queue_memory;
use pm4::chip::Chip;
use pm4::code_object::{CodeObject, HardwareStage, PalPipeline, PalRegister};
use pm4::cp::CommandProcessor;
use pm4::draw::*;
use pm4::packet::Queue;

fn with_pipeline<R>(file: &str, then: impl FnOnce(&CodeObject<'_>, &PalPipeline<'_>) -> R) -> R {
    let (name, bytes) = files().into_iter().find(|(name, _)| name == file).expect("a file");
    let object = parse(&name, &bytes);
    then(&object, &object.pipelines[0])
}

const COMPUTE: [(&str, Chip); 4] =
    [("compute-gfx900", Chip::Vega10), ("compute-gfx1030", Chip::Navi21), ("compute-gfx1100", Chip::Navi31), ("compute-gfx1201", Chip::Gfx1201)];

const TRIANGLES: [(&str, Chip); 4] =
    [("triangle-gfx900", Chip::Vega10), ("triangle-gfx1030", Chip::Navi21), ("triangle-gfx1100", Chip::Navi31), ("triangle-gfx1201", Chip::Gfx1201)];

fn different(pipeline: &PalPipeline<'_>, image: &RegisterImage) -> Vec<String> {
    pipeline.differences(image).iter().map(ToString::to_string).collect()
}

#[test]
fn compute_pipelines_dispatch_with_their_registers_and_without_findings() {
    for (file, chip) in COMPUTE {
        with_pipeline(file, |object, pipeline| {
            let mut dispatch = pipeline.compute(chip, IMAGE).unwrap_or_else(|error| panic!("{file}: {error}"));
            let stage = pipeline.stage(HardwareStage::Cs).expect("a stage");
            assert_eq!((pipeline.name, dispatch.group, &stage.user_data[..]), (Some("fill"), [64, 1, 1], &[0, 1, 2][..]), "{file}");
            assert_eq!(dispatch.program.user_data, [UserData::Keep; 3], "{file}");
            assert_eq!(dispatch.program.wave, if chip == Chip::Vega10 { WaveSize::W64 } else { WaveSize::W32 }, "{file}");
            dispatch.program.user_data = vec![UserData::Word(0), UserData::Word(5), UserData::Word(7)];
            let image = dispatch.resolve(chip).expect("registers").image;
            let initiator = |text: &String| text.starts_with("COMPUTE_DISPATCH_INITIATOR: CS_W32_EN = 0x1 in the metadata, no register of the description");
            let left: Vec<_> = different(pipeline, &image).into_iter().filter(|text| !initiator(text)).collect();
            assert_eq!(left, [""; 0], "{file}");
            assert_eq!(pipeline.unnamed, [], "{file}");
            assert_eq!(run_dispatch(chip, object, &dispatch), (1, vec![]), "{file}");
        });
    }
}

fn draw(pipeline: PipelineDesc) -> DrawDesc {
    let format = TargetImage { format: ColorFormat::Rgba32f, surface: Surface { address: 0x9_0000_0000, ..Surface::default() }, ..TargetImage::default() };
    let targets = TargetsDesc { color: vec![format], extent: (640, 480), ..TargetsDesc::default() };
    DrawDesc { pipeline, targets, vertices: 3, ..DrawDesc::default() }
}

#[test]
fn graphics_pipelines_draw_with_their_registers_and_without_findings() {
    for (file, chip) in TRIANGLES {
        with_pipeline(file, |_, pipeline| {
            let mut made = pipeline.graphics(chip, IMAGE, &PipelineDesc::default()).unwrap_or_else(|error| panic!("{file}: {error}"));
            let codes = |stage| &pipeline.stage(stage).expect("a stage").user_data[..];
            let front = if chip == Chip::Vega10 { HardwareStage::Vs } else { HardwareStage::Gs };
            // PAL's code of the first vertex, and the first user data value.
            assert_eq!((codes(front), codes(HardwareStage::Ps)), (&[0x1000_0003][..], &[0][..]), "{file}");
            made.vertex.program.user_data = vec![UserData::BaseVertex];
            made.shader.as_mut().expect("a pixel shader").program.user_data = vec![UserData::Word(1.0f32.to_bits())];
            let path = if chip == Chip::Vega10 { VertexPath::Legacy } else { VertexPath::Ngg };
            assert_eq!((made.vertex.path, made.vertex.parameters), (Some(path), 1), "{file}");
            let shader = made.shader.as_ref().expect("a pixel shader");
            assert_eq!(shader.inputs.interpolants, [Interpolant::parameter(0)], "{file}");
            assert_eq!(shader.exports, Some(PixelExports::colors(&[ExportFormat::Abgr32])), "{file}");
            assert_eq!(shader.program.address, Some(IMAGE + pipeline.stage(HardwareStage::Ps).and_then(|stage| stage.code_at).expect("code")), "{file}");
            let desc = draw(made);
            let resolved = desc.resolve(chip).unwrap_or_else(|error| panic!("{file}: {error}"));
            // Fields that drivers decide from chip and state, whatever the compiler states.
            let by_driver = |text: &String| text.starts_with("DB_SHADER_CONTROL: DUAL_QUAD_DISABLE") || text.starts_with("DB_SHADER_CONTROL: Z_ORDER");
            let left: Vec<_> = different(pipeline, &resolved.image).into_iter().filter(|text| !by_driver(text)).collect();
            assert_eq!(left, [""; 0], "{file}");
            assert_eq!(pipeline.unnamed, [], "{file}");
            let mut recorder = Recorder::new(chip);
            // Where vertex work of GFX11 and GFX12 stores its results.
            let attributes = Some(AttributeRing { address: 0x7_0000_0000, bytes: 0x10_0000 });
            recorder
                .begin_with(&QueueMemory { attributes, geometry: Some(GeometryRings::at(0x8_0000_0000, 4)), ..QueueMemory::default() })
                .expect("a preamble");
            recorder.draw(&resolved).expect("a draw");
            draws_once(file, chip, recorder);
        });
    }
}

/// Runs a recorded stream on the model: one draw without findings.
fn draws_once(file: &str, chip: Chip, recorder: Recorder<Vec<u32>>) {
    let mut cp = CommandProcessor::new(chip);
    let words = recorder.finish().expect("whole");
    cp.submit(Queue::Graphics, file, &words);
    let mut findings = Findings::default();
    let summary = cp.run(&mut findings);
    assert_eq!((summary.draws, findings.0), (1, vec![]), "{file}");
}

/// Returns pipelines with more stages: the file, the chip, and their shapes, which the metadata lacks.
fn staged() -> [(&'static str, Chip, PipelineDesc); 4] {
    let tessellation = Some(Tessellation { lds_bytes_per_point: 32, ..Tessellation::default() });
    let patches = PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() };
    [
        ("patches-gfx900", Chip::Vega10, patches.clone()),
        ("patches-gfx1030", Chip::Navi21, patches.clone()),
        ("patches-gfx1100", Chip::Navi31, patches.clone()),
        ("patches-gfx1201", Chip::Gfx1201, patches),
    ]
}

/// Control and evaluation shaders are the programs of their stages, with their registers; a base without patches is refused.
#[test]
fn pipelines_of_more_stages_draw_with_their_registers_and_without_findings() {
    for (file, chip, base) in staged() {
        with_pipeline(file, |_, pipeline| {
            let error = pipeline.graphics(chip, IMAGE, &PipelineDesc::default()).expect_err("no shape").to_string();
            assert!(error.contains("the base must have"), "{file}: {error}");
            let mut made = pipeline.graphics(chip, IMAGE, &base).unwrap_or_else(|error| panic!("{file}: {error}"));
            let at = |stage| Some(IMAGE + pipeline.stage(stage).and_then(|stage| stage.code_at).expect("code"));
            let legacy = pipeline.stage(HardwareStage::Vs).map(|_| at(HardwareStage::Vs));
            let patches = made.tessellation.as_mut().expect("patches");
            assert_eq!((patches.program.address, patches.program.user_data.len()), (at(HardwareStage::Hs), 4), "{file}");
            patches.program.user_data = vec![UserData::Word(0); 4];
            assert_eq!(made.vertex.program.address, legacy.unwrap_or_else(|| at(HardwareStage::Gs)), "{file}");
            made.shader.as_mut().expect("a pixel shader").program.user_data = vec![UserData::Word(1.0f32.to_bits())];
            let resolved = draw(made).resolve(chip).unwrap_or_else(|error| panic!("{file}: {error}"));
            let by_driver = |text: &String| text.starts_with("DB_SHADER_CONTROL: DUAL_QUAD_DISABLE") || text.starts_with("DB_SHADER_CONTROL: Z_ORDER");
            // The LDS of patches follows from their shape.
            let by_shape = |text: &String| text.contains("_HS: LDS_SIZE");
            let left: Vec<_> = different(pipeline, &resolved.image).into_iter().filter(|text| !by_driver(text) && !by_shape(text)).collect();
            assert_eq!(left, [""; 0], "{file}");
            let mut recorder = Recorder::new(chip);
            recorder.begin_with(&queue_memory()).unwrap_or_else(|error| panic!("{file}: {error}"));
            recorder.draw(&resolved).unwrap_or_else(|error| panic!("{file}: {error}"));
            draws_once(file, chip, recorder);
        });
    }
}

/// A changed bit of the hull stage in the metadata is refused by name or appears in the registers.
#[test]
fn a_changed_bit_of_a_stage_is_noticed() {
    for (file, chip, base) in staged() {
        let (address, name) = (0xB428, "SPI_SHADER_PGM_RSRC1_HS");
        with_pipeline(file, |_, pipeline| {
            if pipeline.register(name).is_none() {
                return;
            }
            let whole = pipeline.graphics(chip, IMAGE, &base).unwrap_or_else(|error| panic!("{file}: {error}"));
            let whole = draw(whole).resolve(chip).expect("registers").image;
            // Metadata with names states only some fields.
            let stated = pipeline.registers.get(&address).expect("the register").stated;
            for bit in (0..32).filter(|bit| stated >> bit & 1 == 1) {
                let mut other = pipeline.clone();
                other.registers.entry(address).and_modify(|register| register.word ^= 1 << bit);
                let Ok(changed) = other.graphics(chip, IMAGE, &base) else { continue };
                let image = draw(changed).resolve(chip).expect("registers").image;
                let sgprs = chip.gfx().major() >= 10 && (6..10).contains(&bit);
                assert!(image != whole || sgprs, "{file}: bit {bit} of {name}");
            }
        });
    }
}

/// Differences between metadata and description are reported by register and field.
#[test]
fn differences_are_told_by_register_and_field() {
    with_pipeline("triangle-gfx1100", |_, pipeline| {
        let made = pipeline.graphics(Chip::Navi31, IMAGE, &PipelineDesc::default()).expect("a pipeline");
        let shader = made.shader.clone().map(|shader| PixelShader { can_discard: true, ..shader });
        let other = draw(PipelineDesc { shader, ..made }).resolve(Chip::Navi31).expect("registers");
        let left = different(pipeline, &other.image);
        assert!(left.contains(&"DB_SHADER_CONTROL: KILL_ENABLE = 0x0 in the metadata, 0x1 here".to_owned()), "{left:?}");
        let mut more = pipeline.clone();
        more.registers.insert(0x2_8FFC, PalRegister::whole(3));
        assert_eq!(
            different(&more, &draw(made_again(pipeline)).resolve(Chip::Navi31).expect("registers").image).last().map(String::as_str),
            Some("0x28ffc: reserved = 0x3 in the metadata, no register of the description")
        );
    });
}

fn made_again(pipeline: &PalPipeline<'_>) -> PipelineDesc {
    pipeline.graphics(Chip::Navi31, IMAGE, &PipelineDesc::default()).expect("a pipeline")
}

#[test]
fn pipelines_are_refused_by_stage() {
    with_pipeline("compute-gfx1100", |_, pipeline| {
        let error = pipeline.compute(Chip::Navi21, IMAGE).expect_err("refused");
        assert_eq!(error.to_string(), "pipeline fill: it is compiled for gfx1100, which gfx1030 does not run");
        let mut other = pipeline.clone();
        other.stages[0].wavefront_size = None;
        let error = other.compute(Chip::Navi31, IMAGE).expect_err("refused");
        assert_eq!(error.to_string(), "pipeline fill, stage .cs: .wavefront_size: must be stated: from version 3 on LLVM leaves it to its caller");
        other = pipeline.clone();
        other.stages[0].code_at = None;
        assert_eq!(other.compute(Chip::Navi31, IMAGE).expect_err("refused").to_string(), "pipeline fill, stage .cs: fill: the file has no such symbol");
        other.stages.clear();
        assert_eq!(other.compute(Chip::Navi31, IMAGE).expect_err("refused").to_string(), "pipeline fill, stage .cs: .hardware_stages: there is no such stage");
    });
}
