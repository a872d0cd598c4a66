//! PAL pipelines as descriptions.

use super::launch::{LaunchError, chip_of, words_error};
use super::msgpack::MetadataValue;
use super::pal::{HardwareStage, PalPipeline, PalStage};
use super::pal_names;
use crate::chip::{Chip, Gfx};
use crate::draw::{
    DispatchDesc, ExportWords, Interpolant, InterpolantSource, PipelineDesc, PixelShader, PixelWords, Program, ProgramWords, RegisterImage, Tessellation,
    VertexOutputs, VertexPath, WaveSize, WordsError,
};
use crate::queues::Target;
use crate::regs::{self, FieldInfo};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Keys of a stage, from version 3 on, and the RSRC1 and RSRC2 fields that they denote.
const STAGE_FIELDS: &[(&str, u32, &str)] = &[
    (".debug_mode", 1, "DEBUG_MODE"),
    (".float_mode", 1, "FLOAT_MODE"),
    (".forward_progress", 1, "FWD_PROGRESS"),
    (".fp16_overflow", 1, "FP16_OVFL"),
    (".ieee_mode", 1, "IEEE_MODE"),
    (".mem_ordered", 1, "MEM_ORDERED"),
    (".wg_round_robin", 1, "WG_RR_EN"),
    (".wgp_mode", 1, "WGP_MODE"),
    (".excp_en", 2, "EXCP_EN"),
    (".offchip_lds_en", 2, "OC_LDS_EN"),
    (".scratch_en", 2, "SCRATCH_EN"),
    (".trap_present", 2, "TRAP_PRESENT"),
];

/// A register field whose value in the metadata differs from the resolved description.
///
/// For an example, see [`PalPipeline::differences`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PalDifference {
    /// Byte address of the register.
    pub addr: u32,
    /// AMD's name of the register; None if no register has the address.
    pub register: Option<&'static str>,
    /// AMD's name of the field; `reserved` for bits that belong to no field.
    pub field: &'static str,
    /// The value in the metadata.
    pub stated: u32,
    /// The value in the resolved description; None if the description does not write the register.
    pub made: Option<u32>,
}

impl fmt::Display for PalDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.register {
            Some(register) => write!(f, "{register}: ")?,
            None => write!(f, "{:#x}: ", self.addr)?,
        }
        write!(f, "{} = {:#x} in the metadata, ", self.field, self.stated)?;
        match self.made {
            Some(made) => write!(f, "{made:#x} here"),
            None => f.write_str("no register of the description"),
        }
    }
}

/// The inputs for the words of a stage.
struct Source<'p, 'a> {
    pipeline: &'p PalPipeline<'a>,
    stage: &'p PalStage<'a>,
    gfx: Gfx,
}

impl Source<'_, '_> {
    fn called(&self) -> String {
        self.pipeline.called(self.stage.stage)
    }

    fn wrong(&self, what: impl Into<String>, why: &'static str) -> LaunchError {
        LaunchError::Metadata { of: self.called(), what: what.into(), why }
    }

    fn words_error(&self, error: WordsError) -> LaunchError {
        words_error(self.called(), error, self.gfx)
    }

    fn wave(&self) -> Result<WaveSize, LaunchError> {
        match self.stage.wavefront_size {
            Some(32) => Ok(WaveSize::W32),
            Some(64) => Ok(WaveSize::W64),
            Some(_) => Err(self.wrong(".wavefront_size", "must be 32 or 64")),
            None => Err(self.wrong(".wavefront_size", "must be stated: from version 3 on LLVM leaves it to its caller")),
        }
    }

    /// Returns RSRC1, RSRC2 and RSRC3, from register numbers or else from the keys of the stage.
    fn words(&self, names: [&str; 3]) -> Result<ProgramWords, LaunchError> {
        let [first, second, third] = names;
        let (wave, stated) = (self.wave()?, |name: &str| self.pipeline.register(name));
        let numbered = self.pipeline.is_numbered();
        let (mut rsrc1, mut rsrc2) = (stated(first).unwrap_or(0), stated(second).unwrap_or(0));
        if !numbered {
            rsrc1 |= self.named_word(first, 1)? | self.sizes(first, wave)?;
            rsrc2 |= self.named_word(second, 2)? | self.second_sizes(second)?;
        } else if stated(first).is_none() {
            return Err(self.wrong(first, "the metadata does not state the register"));
        }
        let scratch = self.stage.scratch_bytes.saturating_mul(wave.lanes().into());
        let scratch_bytes = u32::try_from(scratch).map_err(|_| self.wrong(".scratch_memory_size", "must be less than 2^26 bytes"))?;
        Ok(ProgramWords { rsrc1, rsrc2, rsrc3: stated(third).unwrap_or(0), wave, scratch_bytes })
    }

    fn field(&self, register: &str, field: &str) -> Option<&'static FieldInfo> {
        regs::find(self.gfx, register)?.info().field(field)
    }

    fn put(&self, register: &str, field: &'static str, value: u64) -> Result<u32, LaunchError> {
        let Some(info) = self.field(register, field) else {
            // A field that the generation lacks, switched off.
            return if value == 0 { Ok(0) } else { Err(self.wrong(format!("{register}: {field} = {value:#x}"), "the generation has no such field")) };
        };
        let shift = info.mask().trailing_zeros();
        match u32::try_from(value) {
            Ok(value) if value <= info.mask() >> shift => Ok(value << shift),
            _ => Err(self.wrong(format!("{register}: {field} = {value:#x}"), "the value does not fit the field")),
        }
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.stage.metadata.get(key).and_then(MetadataValue::number)
    }

    fn named_word(&self, register: &str, number: u32) -> Result<u32, LaunchError> {
        let mut word = 0;
        // LLVM states MEM_ORDERED for every stage; graphics stages of GFX12 have no such field and do not need it.
        let absent = |field: &str| field == "MEM_ORDERED" && self.field(register, field).is_none();
        for (key, _, field) in STAGE_FIELDS.iter().filter(|(_, own, field)| *own == number && !absent(field)) {
            word |= self.number(key).map_or(Ok(0), |value| self.put(register, field, value))?;
        }
        Ok(word)
    }

    /// Returns VGPRS and the fields that no key states: DX10_CLAMP, which LLVM sets for shaders, and the usual float mode.
    fn sizes(&self, register: &str, wave: WaveSize) -> Result<u32, LaunchError> {
        let vgprs = self.number(".vgpr_count").unwrap_or(0).max(1).div_ceil((256 / wave.lanes()).into()) - 1;
        let clamp = u64::from(self.field(register, "DX10_CLAMP").is_some());
        let float_mode = if self.number(".float_mode").is_none() { Program::default().float_mode.0 } else { 0 };
        Ok(self.put(register, "VGPRS", vgprs)? | self.put(register, "DX10_CLAMP", clamp)? | self.put(register, "FLOAT_MODE", float_mode.into())?)
    }

    fn second_sizes(&self, register: &str) -> Result<u32, LaunchError> {
        let sgprs = self.number(".user_sgprs").unwrap_or(self.stage.user_data.len() as u64);
        let shared = self.number(".shared_vgpr_cnt").unwrap_or(0) / 8;
        let lds = if self.stage.stage == HardwareStage::Ps { 0 } else { self.number(".lds_size").unwrap_or(0).div_ceil(512) };
        let msb = if self.field(register, "USER_SGPR_MSB").is_some() { sgprs >> 5 } else { 0 };
        let low = if msb != 0 { sgprs & 0x1F } else { sgprs };
        let word = self.put(register, "USER_SGPR", low)? | self.put(register, "USER_SGPR_MSB", msb)?;
        Ok(word | self.put(register, "LDS_SIZE", lds)? | self.put(register, "SHARED_VGPR_CNT", shared)?)
    }

    /// Sets the address of the program.
    fn place(&self, image: u64, program: &mut Program) -> Result<(), LaunchError> {
        let at = self.stage.code_at.ok_or_else(|| self.wrong(self.stage.symbol, "the file has no such symbol"))?;
        program.address = Some(image.wrapping_add(at));
        Ok(())
    }
}

impl<'a> PalPipeline<'a> {
    fn called(&self, stage: HardwareStage) -> String {
        match self.name {
            Some(name) => format!("pipeline {name}, stage {stage}"),
            None => format!("stage {stage}"),
        }
    }

    fn is_numbered(&self) -> bool {
        !self.metadata.get(".registers").map_or(&[][..], MetadataValue::entries).is_empty()
    }

    fn source(&self, stage: HardwareStage, gfx: Gfx) -> Option<Source<'_, 'a>> {
        Some(Source { pipeline: self, stage: self.stage(stage)?, gfx })
    }

    fn chip(&self, target: Target) -> Result<Chip, LaunchError> {
        chip_of(target, self.target.processor, || self.name.map_or("the pipeline".into(), |name| format!("pipeline {name}")))
    }

    /// Returns a register field stated by the metadata.
    fn value(&self, gfx: Gfx, register: &str, field: &str) -> Option<u32> {
        let (register, info) = pal_names::field(gfx, register, field)?;
        let own = self.registers.get(&register.addr())?;
        (own.stated & info.mask() == info.mask()).then(|| info.get(own.word))
    }

    /// Returns the dispatch of the compute stage, with the image at an address. User SGPRs keep the contents of their registers in the metadata;
    /// [`PalStage::user_data`] describes what belongs there.
    ///
    /// For an example, see [`PalPipeline`].
    ///
    /// # Errors
    /// Returns an error if there is no compute stage, the chip cannot run it, or a dispatch cannot have some of the bits.
    pub fn compute(&self, target: impl Into<Target>, image: u64) -> Result<DispatchDesc, LaunchError> {
        let chip = self.chip(target.into())?;
        let none = || LaunchError::Metadata { of: self.called(HardwareStage::Cs), what: ".hardware_stages".into(), why: "there is no such stage" };
        let source = self.source(HardwareStage::Cs, chip.gfx()).ok_or_else(none)?;
        let words = source.words(["COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_PGM_RSRC3"])?;
        let mut desc = DispatchDesc::from_words(&words, chip).map_err(|error| source.words_error(error))?;
        source.place(image, &mut desc.program)?;
        let threads = ["X", "Y", "Z"].map(|direction| self.value(chip.gfx(), &format!("COMPUTE_NUM_THREAD_{direction}"), "NUM_THREAD_FULL"));
        match (source.stage.group, threads) {
            (Some(group), _) => desc.group = group,
            (None, [Some(x), Some(y), Some(z)]) => desc.group = [x, y, z],
            _ => return Err(source.wrong(".threadgroup_dimensions", "must be stated, or COMPUTE_NUM_THREAD_X, Y and Z")),
        }
        Ok(desc)
    }

    /// Returns a pipeline with the vertex and pixel stages, with the image at an address. Everything that the metadata does not state is taken from `base`: API
    /// state, targets, and the shapes of tessellation and geometry shaders. Parameters of vertex work are linked by the semantics in the metadata, or by the
    /// registers that name them. User SGPRs keep the contents of their registers in the metadata; [`PalStage::user_data`] describes what belongs there.
    /// `.mem_ordered` is ignored for stages that lack the field (GFX12).
    ///
    /// # Errors
    /// Returns an error if the chip cannot run the pipeline, `base` lacks a stage, or a description cannot have some of the bits.
    pub fn graphics(&self, target: impl Into<Target>, image: u64, base: &PipelineDesc) -> Result<PipelineDesc, LaunchError> {
        let chip = self.chip(target.into())?;
        let gfx = chip.gfx();
        let mut desc = base.clone();
        if let Some(source) = self.source(HardwareStage::Hs, gfx) {
            let words = source.words(["SPI_SHADER_PGM_RSRC1_HS", "SPI_SHADER_PGM_RSRC2_HS", ""])?;
            let patches =
                desc.tessellation.as_mut().ok_or_else(|| source.wrong("tessellation", "the base must have it: the metadata has no shape of patches"))?;
            let Tessellation { program, reads_instance_id, .. } = Tessellation::from_words(&words, chip).map_err(|error| source.words_error(error))?;
            (patches.program, patches.reads_instance_id) = (program, reads_instance_id);
            source.place(image, &mut patches.program)?;
        }
        let (legacy, geometry) = (self.source(HardwareStage::Vs, gfx), self.source(HardwareStage::Gs, gfx));
        if let Some(source) = geometry.as_ref().or(legacy.as_ref()) {
            desc = self.vertex(source, legacy.as_ref(), chip, image, desc)?;
        }
        if let Some(source) = self.source(HardwareStage::Ps, gfx) {
            desc.shader = Some(self.pixel(&source, chip, image, desc.shader.take().unwrap_or_default())?);
        }
        Ok(desc)
    }

    fn vertex(
        &self,
        source: &Source<'_, 'a>,
        legacy: Option<&Source<'_, 'a>>,
        chip: Chip,
        image: u64,
        mut desc: PipelineDesc,
    ) -> Result<PipelineDesc, LaunchError> {
        let hardware_vs = source.stage.stage == HardwareStage::Vs;
        let names = match hardware_vs {
            true => ["SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS", ""],
            false => ["SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS", ""],
        };
        // A geometry stage together with a hardware VS, which then copies vertices, belongs to the legacy pipe.
        desc.vertex.path = Some(if legacy.is_some() { VertexPath::Legacy } else { VertexPath::Ngg });
        if let (false, Some(copy)) = (hardware_vs, legacy) {
            let Some(geometry) = desc.geometry.as_mut() else {
                return Err(source.wrong("geometry", "the base must have a geometry shader: the metadata lacks its shape"));
            };
            let words = copy.words(["SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS", ""])?;
            let plain = PipelineDesc { vertex: crate::draw::VertexStage { path: Some(VertexPath::Legacy), ..Default::default() }, ..Default::default() };
            let made = plain.with_vertex_words(&words, chip).map_err(|error| copy.words_error(error))?;
            geometry.copy_program = made.vertex.program;
            copy.place(image, &mut geometry.copy_program)?;
        }
        let words = source.words(names)?;
        let mut desc = desc.with_vertex_words(&words, chip).map_err(|error| source.words_error(error))?;
        source.place(image, &mut desc.vertex.program)?;
        let gfx = chip.gfx();
        let value = |register: &str, field: &str| self.value(gfx, register, field);
        if let Some(count) = value("SPI_VS_OUT_CONFIG", "VS_EXPORT_COUNT") {
            desc.vertex.parameters = if value("SPI_VS_OUT_CONFIG", "NO_PC_EXPORT") == Some(1) { 0 } else { count + 1 };
        }
        if self.register("PA_CL_VS_OUT_CNTL").is_some() {
            let flag = |field: &str| value("PA_CL_VS_OUT_CNTL", field) == Some(1);
            let eight = |kind: &str| {
                let set = (0..8).filter(|at| value("PA_CL_VS_OUT_CNTL", &format!("{kind}_DIST_ENA_{at}")) == Some(1));
                set.fold(0, |all, at| all | 1u8 << at)
            };
            desc.vertex.outputs = VertexOutputs {
                point_size: flag("USE_VTX_POINT_SIZE"),
                edge_flag: flag("USE_VTX_EDGE_FLAG"),
                layer: flag("USE_VTX_RENDER_TARGET_INDX"),
                viewport: flag("USE_VTX_VIEWPORT_INDX"),
                shading_rate: flag("USE_VTX_VRS_RATE"),
                clip_distances: eight("CLIP"),
                cull_distances: eight("CULL"),
            };
        }
        Ok(desc)
    }

    fn pixel(&self, source: &Source<'_, 'a>, chip: Chip, image: u64, base: PixelShader) -> Result<PixelShader, LaunchError> {
        let gfx = chip.gfx();
        let words = source.words(["SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS", ""])?;
        let word = |name: &'static str| self.register(name).ok_or_else(|| source.wrong(name, "the metadata does not state the register"));
        let exports = self.register("SPI_SHADER_COL_FORMAT").map(|col_format| ExportWords {
            col_format,
            z_format: self.register("SPI_SHADER_Z_FORMAT").unwrap_or(0),
            shader_mask: self.register("CB_SHADER_MASK"),
        });
        let pixel = PixelWords { input_ena: word("SPI_PS_INPUT_ENA")?, input_addr: word("SPI_PS_INPUT_ADDR")?, exports };
        let made = PixelShader::from_words(&words, &pixel, chip).map_err(|error| source.words_error(error))?;
        let mut shader = PixelShader { program: made.program, exports: made.exports.or(base.exports), ..base };
        source.place(image, &mut shader.program)?;
        let interpolants = self.interpolants(gfx).unwrap_or(shader.inputs.interpolants);
        shader.inputs = crate::draw::PixelInputs { interpolants, ..made.inputs };
        if self.register("DB_SHADER_CONTROL").is_some() {
            let flag = |field| self.value(gfx, "DB_SHADER_CONTROL", field) == Some(1);
            shader.writes_depth = flag("Z_EXPORT_ENABLE");
            shader.writes_stencil = flag("STENCIL_TEST_VAL_EXPORT_ENABLE");
            shader.writes_sample_mask = flag("MASK_EXPORT_ENABLE");
            shader.can_discard = flag("KILL_ENABLE");
            shader.early_fragment_tests = flag("DEPTH_BEFORE_SHADER");
            shader.post_depth_coverage = flag("PRE_SHADER_DEPTH_COVERAGE_ENABLE");
        }
        if let Some(writes) = source.number(".writes_uavs") {
            shader.writes_memory = writes != 0;
        }
        Ok(shader)
    }

    /// Returns the interpolants, from semantics or else from SPI_PS_INPUT_CNTL_n; None if the metadata has neither.
    fn interpolants(&self, gfx: Gfx) -> Option<Vec<Interpolant>> {
        let list = |key| self.metadata.get(key).map(MetadataValue::list);
        let number = |value: &MetadataValue<'_>, key| value.get(key).and_then(MetadataValue::number);
        let stated = |at: usize| self.registers.get(&regs::find(gfx, &format!("SPI_PS_INPUT_CNTL_{at}"))?.addr()).map(|register| register.word);
        let mut made: Vec<_> = (0..32).map_while(stated).enumerate().map(|(at, word)| interpolant(gfx, at, word)).collect();
        let count = self.value(gfx, "SPI_PS_IN_CONTROL", "NUM_INTERP");
        let count = count.map(u64::from).or_else(|| self.metadata.get(".num_interpolants").and_then(MetadataValue::number));
        if let Some(count) = count.and_then(|count| usize::try_from(count).ok()).filter(|count| *count < made.len()) {
            made.truncate(count);
        }
        let (Some(read), Some(written)) = (list(".ps_input_semantic"), list(".preraster_output_semantic")) else {
            return (!made.is_empty() || count == Some(0)).then_some(made);
        };
        let sources = read.iter().take(32).map(|read| {
            let own = written.iter().find(|written| number(written, ".semantic").is_some() && number(written, ".semantic") == number(read, ".semantic"));
            let slot = own.and_then(|own| u8::try_from(number(own, ".index")?).ok());
            slot.map_or(InterpolantSource::Zeros, InterpolantSource::Parameter)
        });
        Some(sources.enumerate().map(|(at, source)| Interpolant { source, ..made.get(at).copied().unwrap_or(Interpolant::parameter(0)) }).collect())
    }

    /// Returns the fields whose values in the metadata differ from those of the resolved description. Every stated bit is either in the register image or in
    /// this list. User data is not compared, because the metadata contains only codes for it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/compute-gfx1100.elf"));
    /// use pm4::chip::Chip;
    /// use pm4::code_object::CodeObject;
    /// let object = CodeObject::parse(file)?;
    /// let pipeline = &object.pipelines[0];
    /// let dispatch = pipeline.compute(Chip::Navi31, 0x1_0000_0000)?.resolve(Chip::Navi31)?;
    /// assert_eq!(pipeline.differences(&dispatch.image), []);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn differences(&self, image: &RegisterImage) -> Vec<PalDifference> {
        let gfx = image.gfx();
        let mut all = Vec::new();
        for (addr, own) in &self.registers {
            let (addr, stated) = (*addr, own.word);
            let (found, made) = (regs::lookup(gfx, addr), image.get(addr));
            let differs = made.map_or(stated, |made| made ^ stated) & own.stated;
            let fields = found.map_or(&[][..], |found| found.fields());
            let register = found.map(|found| found.info().name);
            let mut rest = differs;
            for field in fields.iter().filter(|field| differs & field.mask() != 0) {
                rest &= !field.mask();
                all.push(PalDifference { addr, register, field: field.name, stated: field.get(stated), made: made.map(|made| field.get(made)) });
            }
            if rest != 0 {
                all.push(PalDifference { addr, register, field: "reserved", stated: stated & rest, made: made.map(|made| made & rest) });
            }
        }
        all
    }
}

/// Decodes SPI_PS_INPUT_CNTL_n. Bit 5 of the offset selects a constant (AMD's header; Mesa 25.0.7 radv_pipeline_graphics.c).
fn interpolant(gfx: Gfx, at: usize, word: u32) -> Interpolant {
    let field = |name: &str| {
        let info = regs::find(gfx, &format!("SPI_PS_INPUT_CNTL_{at}")).and_then(|found| found.info().field(name));
        info.map_or(0, |info| info.get(word))
    };
    let constants = [InterpolantSource::Zeros, InterpolantSource::ZerosOne, InterpolantSource::OnesZero, InterpolantSource::Ones];
    let source = match field("OFFSET") {
        slot @ 0..0x20 => InterpolantSource::Parameter(slot as u8),
        _ => constants[field("DEFAULT_VAL") as usize & 3],
    };
    Interpolant { source, flat: field("FLAT_SHADE") != 0, half: field("FP16_INTERP_MODE") != 0, point_coordinate: field("PT_SPRITE_TEX") != 0 }
}
