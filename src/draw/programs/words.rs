//! Programs as compilers state them: the words of resource registers, turned into descriptions.
//!
//! The words of LLVM, ACO and PAL metadata are those of the registers. A description created from them resolves to the same words: anything that it cannot
//! state is an error and never dropped.

use crate::chip::{Chip, Gfx};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::check::front::{self, Front, vertex_program_stage};
use crate::draw::desc::topology::InputPrimitive;
use crate::draw::desc::{
    DispatchDesc, DrawError, DynamicState, ExportFormat, FloatMode, PipelineDesc, PixelExports, PixelInputs, PixelLoads, PixelShader, Program, Stage,
    TargetsDesc, Tessellation, UserData, VertexPath, VertexStage, program, resource_units,
};
use crate::isa::WaveSize;
use crate::regs::{self, FieldInfo};
use alloc::vec;
use alloc::vec::Vec;

/// The words of a program, as its compiler states them.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DispatchDesc, ProgramWords, WaveSize};
///
/// let words = ProgramWords { rsrc1: 0x60AC_0001, rsrc2: 0x0000_0F8C, rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
/// let dispatch = DispatchDesc::from_words(&words, Chip::Navi10)?;
/// assert_eq!((dispatch.program.vgprs, dispatch.program.user_sgprs(), dispatch.thread_ids), (8, 6, 2));
/// # Ok::<(), pm4::draw::WordsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProgramWords {
    /// RSRC1 of the stage.
    pub rsrc1: u32,
    /// RSRC2 of the stage.
    pub rsrc2: u32,
    /// COMPUTE_PGM_RSRC3 (GFX10 and later); 0 for other stages, whose RSRC3 and RSRC4 belong to the driver: there the caller fills in
    /// [`Program::prefetch_bytes`].
    pub rsrc3: u32,
    /// Size of its waves, which no resource register contains.
    pub wave: WaveSize,
    /// Scratch memory in bytes per wave.
    pub scratch_bytes: u32,
}

/// The words of a pixel program besides its resources, as its compiler states them.
///
/// For an example see [`PixelShader::from_words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PixelWords {
    /// SPI_PS_INPUT_ENA: the loaded inputs.
    pub input_ena: u32,
    /// SPI_PS_INPUT_ADDR: the inputs with reserved VGPRs.
    pub input_addr: u32,
    /// Formats of the exports; None if the compiler takes them from the targets (LLVM and ACO do: their drivers choose the formats).
    pub exports: Option<ExportWords>,
}

/// The words of a pixel program's exports (PAL metadata has all three).
///
/// ```
/// use pm4::draw::{ExportFormat, ExportWords, PixelExports};
///
/// // The program's first colour export goes to target 1, its second to target 3.
/// let words = ExportWords { col_format: 0x14, z_format: 0, shader_mask: Some(0x10F0) };
/// let exports = PixelExports::from_words(&words)?;
/// assert_eq!((exports.color[1], exports.color[3]), (ExportFormat::Fp16, ExportFormat::R32));
/// # Ok::<(), pm4::draw::WordsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExportWords {
    /// SPI_SHADER_COL_FORMAT: the colour exports of the program, without gaps.
    pub col_format: u32,
    /// SPI_SHADER_Z_FORMAT.
    pub z_format: u32,
    /// CB_SHADER_MASK: the targets of the exports. None: the first targets.
    pub shader_mask: Option<u32>,
}

impl PixelExports {
    /// Returns the exports that register words state.
    ///
    /// # Errors
    /// For a format that does not exist, a gap between formats, or a mask whose channels differ from those of the exports.
    pub fn from_words(words: &ExportWords) -> Result<Self, WordsError> {
        let (col, mask) = ("SPI_SHADER_COL_FORMAT", "CB_SHADER_MASK");
        let wrong = |register, field, value, why| WordsError::Field { register, field, value, why };
        let nibble = |word: u32, at: usize| word >> (4 * at) & 0xF;
        let format = |register, field, value: u32| match u8::try_from(value).ok().and_then(ExportFormat::from_repr) {
            Some(format) => Ok(format),
            None => Err(wrong(register, field, value, "the export format must be 0 to 9")),
        };
        let depth = format("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT", words.z_format)?;
        let mut exports = Vec::with_capacity(8);
        for (at, field) in COL_FORMATS.into_iter().enumerate() {
            match format(col, field, nibble(words.col_format, at))? {
                ExportFormat::Zero => {}
                _ if at != exports.len() => {
                    return Err(wrong(col, field, nibble(words.col_format, at), "the hardware hangs where a colour before has no format (Mesa radeonsi)"));
                }
                format => exports.push(format),
            }
        }
        let mut stated = Self { depth, ..Self::default() };
        let Some(shader_mask) = words.shader_mask else { return Ok(Self { depth, ..Self::colors(&exports) }) };
        if shader_mask == 0 && exports == [ExportFormat::R32] {
            return Ok(Self { null: true, ..stated });
        }
        let mut left = exports.into_iter();
        for (at, field) in OUTPUTS.into_iter().enumerate().filter(|(at, _)| nibble(shader_mask, *at) != 0) {
            let Some(export) = left.next() else {
                return Err(wrong(mask, field, nibble(shader_mask, at), "the program has fewer colour exports than targets"));
            };
            if u32::from(export.channels()) != nibble(shader_mask, at) {
                return Err(wrong(mask, field, nibble(shader_mask, at), "the export of the target carries other channels"));
            }
            if let Some(color) = stated.color.get_mut(at) {
                *color = export;
            }
        }
        match left.next() {
            None => Ok(stated),
            Some(_) => Err(wrong(mask, "OUTPUT0_ENABLE", nibble(shader_mask, 0), "the program has more colour exports than targets")),
        }
    }
}

/// Fields of SPI_SHADER_COL_FORMAT.
const COL_FORMATS: [&str; 8] = [
    "COL0_EXPORT_FORMAT",
    "COL1_EXPORT_FORMAT",
    "COL2_EXPORT_FORMAT",
    "COL3_EXPORT_FORMAT",
    "COL4_EXPORT_FORMAT",
    "COL5_EXPORT_FORMAT",
    "COL6_EXPORT_FORMAT",
    "COL7_EXPORT_FORMAT",
];

/// Fields of CB_SHADER_MASK.
const OUTPUTS: [&str; 8] =
    ["OUTPUT0_ENABLE", "OUTPUT1_ENABLE", "OUTPUT2_ENABLE", "OUTPUT3_ENABLE", "OUTPUT4_ENABLE", "OUTPUT5_ENABLE", "OUTPUT6_ENABLE", "OUTPUT7_ENABLE"];

/// Register words that cannot be turned into a description.
///
/// For an example see [`ProgramWords`](crate::draw::ProgramWords).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WordsError {
    /// A field has a value that descriptions cannot state, or that contradicts other inputs.
    #[error("{register}: {field} = {value:#x}: {why}")]
    Field {
        /// AMD's name of the register.
        register: &'static str,
        /// AMD's name of the field; `reserved` for bits of none.
        field: &'static str,
        /// Its value.
        value: u32,
        /// The rule.
        why: &'static str,
    },
    /// The description that the words state is refused.
    #[error(transparent)]
    Refused(#[from] DrawError),
}

/// A register whose fields are taken one by one.
struct Fields {
    register: &'static str,
    fields: &'static [FieldInfo],
    word: u32,
    taken: u32,
}

impl Fields {
    /// No fields where the generation lacks the register: any bit is then one too many.
    fn of(gfx: Gfx, register: &'static str, word: u32) -> Self {
        Self { register, fields: regs::find(gfx, register).map_or(&[][..], |found| found.fields()), word, taken: 0 }
    }

    /// Returns the value of a field; None if the generation lacks it.
    fn find(&mut self, name: &str) -> Option<u32> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        self.taken |= field.mask();
        Some(field.get(self.word))
    }

    fn take(&mut self, name: &str) -> u32 {
        self.find(name).unwrap_or(0)
    }

    fn flag(&mut self, name: &str) -> bool {
        self.take(name) != 0
    }

    fn wrong(&self, field: &'static str, value: u32, why: &'static str) -> WordsError {
        WordsError::Field { register: self.register, field, value, why }
    }

    /// A field that descriptions do not have, because it always has this value.
    fn always(&mut self, name: &'static str, value: u32, why: &'static str) -> Result<(), WordsError> {
        match self.find(name) {
            Some(found) if found != value => Err(self.wrong(name, found, why)),
            _ => Ok(()),
        }
    }

    /// Every bit that is set was taken.
    fn end(self) -> Result<(), WordsError> {
        let rest = self.word & !self.taken;
        let field = self.fields.iter().find(|field| rest & field.mask() != 0);
        match (rest, field) {
            (0, _) => Ok(()),
            (_, Some(field)) => Err(self.wrong(field.name, field.get(self.word), "this crate has no input for it")),
            (_, None) => Err(self.wrong("reserved", rest, "these bits belong to no field")),
        }
    }
}

/// Returns the registers of a stage.
fn registers(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Pixel => ("SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS"),
        Stage::Vertex => ("SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"),
        Stage::Ngg | Stage::Geometry => ("SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"),
        Stage::Hull => ("SPI_SHADER_PGM_RSRC1_HS", "SPI_SHADER_PGM_RSRC2_HS"),
        Stage::Compute => ("COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2"),
    }
}

/// What all stages have in RSRC1 and RSRC2.
fn program(stage: Stage, words: &ProgramWords, gfx: Gfx) -> Result<(Program, Fields, Fields), WordsError> {
    let (one, two) = registers(stage);
    let (mut rsrc1, mut rsrc2) = (Fields::of(gfx, one, words.rsrc1), Fields::of(gfx, two, words.rsrc2));
    let blocks = rsrc1.take("SGPRS");
    let (sgprs, reserved_sgprs) = match gfx.major() {
        9 => sgprs(blocks).ok_or_else(|| rsrc1.wrong("SGPRS", blocks, "a program has at most 102 SGPRS and 6 reserved ones"))?,
        // The hardware ignores the field from GFX10 on (LLVM AMDGPU usage guide), and LLVM 14 writes it.
        _ => (resource_units::sgprs(gfx), 0),
    };
    let ordered = rsrc1.find("MEM_ORDERED").map(|ordered| ordered != 0);
    let scratch = rsrc2.flag("SCRATCH_EN");
    if scratch != (words.scratch_bytes != 0) {
        return Err(rsrc2.wrong("SCRATCH_EN", scratch.into(), "this contradicts the bytes of scratch memory"));
    }
    let user_sgprs = rsrc2.take("USER_SGPR") | rsrc2.take("USER_SGPR_MSB") << 5;
    let program = Program {
        wave: words.wave,
        vgprs: (rsrc1.take("VGPRS") + 1) * (256 / words.wave.lanes()),
        shared_vgprs: 8 * rsrc2.take("SHARED_VGPR_CNT"),
        sgprs,
        reserved_sgprs,
        scratch_bytes: words.scratch_bytes,
        user_data: vec![UserData::Keep; user_sgprs as usize],
        float_mode: FloatMode(rsrc1.take("FLOAT_MODE") as u8),
        ieee: rsrc1.flag("IEEE_MODE"),
        dx10_clamp: rsrc1.flag("DX10_CLAMP"),
        fp16_overflow: rsrc1.flag("FP16_OVFL"),
        forward_progress: rsrc1.flag("FWD_PROGRESS"),
        memory_ordered: ordered.filter(|ordered| *ordered != program::default_memory_order(gfx)),
        ..Program::default()
    };
    Ok((program, rsrc1, rsrc2))
}

/// Returns the number of used and of reserved SGPRs for a count of blocks of 8, minus 1; as many as fit.
fn sgprs(blocks: u32) -> Option<(u32, u32)> {
    let all = (blocks + 1) * 8;
    (all <= 112).then(|| ((all - 6).min(102), 6))
}

impl PixelShader {
    /// Returns the shader that register words state: RSRC1 and RSRC2 of the pixel stage, its inputs and its exports. What they do not state (stores, discards,
    /// writes of depth, stencil and mask, interpolants) is as in `default`, for the caller to fill in.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{ExportFormat, ExportWords, PixelInput, PixelShader, PixelWords, ProgramWords, WaveSize};
    ///
    /// let words = ProgramWords { rsrc1: 0x022C_0001, rsrc2: 0x0000_0008, rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
    /// let exports = ExportWords { col_format: 0x4, z_format: 0, shader_mask: Some(0xF) };
    /// let pixel = PixelWords { input_ena: 0x2, input_addr: 0x2, exports: Some(exports) };
    /// let shader = PixelShader::from_words(&words, &pixel, Chip::Navi21)?;
    /// assert!(shader.inputs.loads.has(PixelInput::PerspCenter));
    /// assert_eq!(shader.exports.unwrap().color[0], ExportFormat::Fp16);
    /// let trapped = PixelShader::from_words(&ProgramWords { rsrc2: 0x48, ..words }, &pixel, Chip::Navi21).unwrap_err();
    /// assert_eq!(trapped.to_string(), "SPI_SHADER_PGM_RSRC2_PS: TRAP_PRESENT = 0x1: this crate has no input for it");
    /// # Ok::<(), pm4::draw::WordsError>(())
    /// ```
    ///
    /// # Errors
    /// For a field that no description can state or that contradicts another field, and for a description that the chip refuses.
    pub fn from_words(words: &ProgramWords, pixel: &PixelWords, chip: Chip) -> Result<Self, WordsError> {
        let gfx = chip.gfx();
        let (program, mut rsrc1, mut rsrc2) = program(Stage::Pixel, words, gfx)?;
        let program = Program { lds_bytes: rsrc2.take("EXTRA_LDS_SIZE") * resource_units::extra_lds_block(gfx), ..program };
        let by_draw = "given by the interlock of the draw";
        rsrc2.always("LOAD_COLLISION_WAVEID", 0, by_draw)?;
        rsrc2.always("LOAD_INTRAWAVE_COLLISION", 0, by_draw)?;
        let (ena, addr) = (loads("SPI_PS_INPUT_ENA", pixel.input_ena)?, loads("SPI_PS_INPUT_ADDR", pixel.input_addr)?);
        let inputs = PixelInputs {
            loads: ena,
            room: Some(addr),
            wave_count: rsrc2.flag("WAVE_CNT_EN"),
            provoking_vertex: rsrc1.flag("LOAD_PROVOKING_VTX"),
            ..PixelInputs::default()
        };
        rsrc1.end()?;
        rsrc2.end()?;
        no_rsrc3(words)?;
        let resolved = inputs.resolve()?;
        if resolved.ena != ena {
            let why = "the hardware needs a barycentric that is not loaded";
            return Err(WordsError::Field { register: "SPI_PS_INPUT_ENA", field: "PERSP_SAMPLE_ENA", value: pixel.input_ena, why });
        }
        program.check(Stage::Pixel, chip)?;
        let exports = pixel.exports.as_ref().map(PixelExports::from_words).transpose()?;
        Ok(Self { program, inputs, exports, ..Self::default() })
    }
}

/// 16 bits, one for each input.
fn loads(register: &'static str, word: u32) -> Result<PixelLoads, WordsError> {
    let bits =
        u16::try_from(word).map_err(|_| WordsError::Field { register, field: "reserved", value: word & !0xFFFF, why: "these bits belong to no field" })?;
    Ok(PixelLoads::from_bits(bits))
}

fn no_rsrc3(words: &ProgramWords) -> Result<(), WordsError> {
    let why = "the driver sets RSRC3 of graphics stages (CUs and wave limits): it is no input of a program";
    if words.rsrc3 == 0 { Ok(()) } else { Err(WordsError::Field { register: "RSRC3", field: "CU_EN", value: words.rsrc3, why }) }
}

impl VertexStage {
    /// Returns the vertex work that register words state: RSRC1 and RSRC2 of the hardware VS or of the geometry stage. Parameters and other exports are as in
    /// `default`, for the caller to fill in; whether it reads the instance, exports the primitive's index or culls follows from the inputs that are loaded.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{ProgramWords, VertexPath, VertexStage, WaveSize};
    ///
    /// let words = ProgramWords { rsrc1: 0x022C_0001, rsrc2: 0x0003_0004, rsrc3: 0, wave: WaveSize::W32, scratch_bytes: 0 };
    /// let stage = VertexStage::from_words(&words, VertexPath::Ngg, Chip::Navi31)?;
    /// assert!(stage.reads_instance_id && !stage.culling);
    /// # Ok::<(), pm4::draw::WordsError>(())
    /// ```
    ///
    /// # Errors
    /// For a field that no description can state or that contradicts another field, and for a description that the chip refuses.
    pub fn from_words(words: &ProgramWords, path: VertexPath, chip: Chip) -> Result<Self, WordsError> {
        let pipeline = PipelineDesc { vertex: Self { path: Some(path), ..Self::default() }, ..PipelineDesc::default() };
        Ok(pipeline.with_vertex_words(words, chip)?.vertex)
    }
}

impl PipelineDesc {
    /// Returns the same pipeline with the program of vertex work that register words state: RSRC1 and RSRC2 of the hardware VS or of the geometry stage.
    /// Stages, path, topology and sizes of vertices are those of the pipeline; for evaluation and geometry shaders, the words are those of the merged program.
    /// What the program reads follows from the loaded inputs, with the fewest flags that load them. LDS is that of the words minus the LDS of a geometry
    /// shader's group.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, GeometryStage, PipelineDesc, ProgramWords, WaveSize};
    ///
    /// let pipeline = PipelineDesc { geometry: Some(GeometryStage::default()), ..PipelineDesc::default() };
    /// let image = DrawDesc { pipeline: pipeline.clone(), ..DrawDesc::default() }.resolve(Chip::Navi31)?.image;
    /// let word = |addr| image.get(addr).unwrap();
    /// // SPI_SHADER_PGM_RSRC1_GS and RSRC2_GS; the invocation's number is loaded as well.
    /// let words = ProgramWords { rsrc1: word(0xB228) | 3 << 29, rsrc2: word(0xB22C), rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
    /// assert!(pipeline.with_vertex_words(&words, Chip::Navi31)?.geometry.unwrap().reads_invocation_id);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For a field that no description can state or that contradicts another field, and for a description that the chip refuses.
    pub fn with_vertex_words(&self, words: &ProgramWords, chip: Chip) -> Result<Self, WordsError> {
        let (gfx, path) = (chip.gfx(), self.vertex.vertex_path(chip)?);
        // What stages make of a pipeline follows from it alone.
        let (targets, state) = (TargetsDesc::default(), DynamicState::default());
        let stage = vertex_program_stage(&EffectiveDraw::of(self, &targets, &state), path);
        let (program, mut rsrc1, mut rsrc2) = program(stage, words, gfx)?;
        let (vertex, primitive) = match stage {
            Stage::Vertex => (rsrc1.take("VGPR_COMP_CNT"), None),
            _ => {
                let why = "GFX10.1 alone spreads subgroups over a WGP, and without NGG later generations do as well";
                rsrc1.always("WGP_MODE", (gfx.version() == (10, 1) || stage == Stage::Geometry).into(), why)?;
                (rsrc2.take("ES_VGPR_COMP_CNT"), Some(rsrc1.take("GS_VGPR_COMP_CNT")))
            }
        };
        rsrc2.always("OC_LDS_EN", self.tessellation.is_some().into(), "evaluation shaders read off-chip memory, and no others")?;
        if stage == Stage::Vertex {
            let buffers = self.vertex.streamout.map_or(0, |streamout| streamout.buffers());
            rsrc2.always("SO_EN", (buffers != 0).into(), "given by the streamout of the draw")?;
            for (at, field) in ["SO_BASE0_EN", "SO_BASE1_EN", "SO_BASE2_EN", "SO_BASE3_EN"].into_iter().enumerate() {
                rsrc2.always(field, u32::from(buffers >> at & 1), "given by the streamout of the draw")?;
            }
        }
        let input = InputPrimitive::of_draw(&EffectiveDraw::of(self, &targets, &state));
        let fits = |desc: &Self| {
            let desc = &EffectiveDraw::of(desc, &targets, &state);
            let primitives = primitive.is_none_or(|count| front::primitive_components(desc, input, gfx) == count);
            primitives && front::vertex_components(desc, path, gfx) == vertex && (path == VertexPath::Ngg || !desc.vertex.culling)
        };
        let found = [0, 1, 2, 4, 3, 5, 6, 7].into_iter().map(|flags| self.with_inputs(flags)).find(fits);
        let field = if primitive.is_some() { "GS_VGPR_COMP_CNT" } else { "VGPR_COMP_CNT" };
        let why = "no vertex work loads just these inputs of vertices and primitives";
        let mut found = found.ok_or_else(|| rsrc1.wrong(field, primitive.unwrap_or(vertex), why))?;
        let front = Front::check(&EffectiveDraw::of(&found, &targets, &state), chip)?;
        let (blocks, group) = (rsrc2.take("LDS_SIZE"), front.legacy.map_or(front.group.lds_bytes, |group| group.lds_bytes));
        let too_small = || rsrc2.wrong("LDS_SIZE", blocks, "the vertices of the group take more");
        let lds_bytes = (512 * blocks).checked_sub(group).ok_or_else(too_small)?;
        rsrc1.end()?;
        rsrc2.end()?;
        no_rsrc3(words)?;
        program.check(stage, chip)?;
        found.vertex.program = Program { lds_bytes, ..program };
        Ok(found)
    }

    /// Returns the same pipeline with a small program of vertex work that reads what three flags say.
    fn with_inputs(&self, flags: u32) -> Self {
        let [first, second, third] = [0, 1, 2].map(|flag| flags >> flag & 1 == 1);
        let mut desc = self.clone();
        let stage = &mut desc.vertex;
        stage.program = Program::SMALL;
        (stage.reads_instance_id, stage.exports_primitive_id, stage.culling) = (false, false, false);
        match &mut desc.tessellation {
            Some(patches) => patches.evaluation_reads_patch_id = first,
            None => stage.reads_instance_id = first,
        }
        match &mut desc.geometry {
            Some(shader) => (shader.reads_primitive_id, shader.reads_invocation_id) = (second, third),
            None => (stage.exports_primitive_id, stage.culling) = (second, third),
        }
        desc
    }
}

impl Tessellation {
    /// Returns the merged program of vertex and control shader that register words state: RSRC1 and RSRC2 of the hull stage. LDS of the words counts as the
    /// program's own; patches, their LDS and the rest are as in `default` without LDS, for the caller to fill in.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{ProgramWords, Tessellation, WaveSize};
    ///
    /// let words = ProgramWords { rsrc1: 0x152C_0001, rsrc2: 0x0000_000A, rsrc3: 0, wave: WaveSize::W64, scratch_bytes: 0 };
    /// let patches = Tessellation::from_words(&words, Chip::Navi21)?;
    /// assert_eq!((patches.program.vgprs, patches.program.user_sgprs(), patches.reads_instance_id), (8, 5, false));
    /// # Ok::<(), pm4::draw::WordsError>(())
    /// ```
    ///
    /// # Errors
    /// For a field that no description can state or that contradicts another field, and for a description that the chip refuses.
    pub fn from_words(words: &ProgramWords, chip: Chip) -> Result<Self, WordsError> {
        let gfx = chip.gfx();
        let (program, mut rsrc1, mut rsrc2) = program(Stage::Hull, words, gfx)?;
        rsrc1.always("WGP_MODE", 1, "workgroups of patches may spread over a WGP")?;
        let program = Program { lds_bytes: 512 * rsrc2.take("LDS_SIZE"), ..program };
        let loaded = rsrc1.take("LS_VGPR_COMP_CNT");
        let bare = |reads_instance_id| Self { reads_instance_id, lds_bytes_per_point: 0, lds_bytes_per_patch: 0, ..Self::default() };
        let found = [false, true].map(bare).into_iter().find(|stage| stage.vertex_components(gfx) == loaded);
        let found = found.ok_or_else(|| rsrc1.wrong("LS_VGPR_COMP_CNT", loaded, "no vertex shader loads just these inputs"))?;
        rsrc1.end()?;
        rsrc2.end()?;
        no_rsrc3(words)?;
        program.check(Stage::Hull, chip)?;
        Ok(Self { program, ..found })
    }
}

impl DispatchDesc {
    /// Returns the dispatch that register words state: COMPUTE_PGM_RSRC1, RSRC2 and RSRC3. Workgroup, grid and the rest are as in `default`, for the caller to
    /// fill in.
    ///
    /// # Errors
    /// For a field that no description can state or that contradicts another field, and for a description that the chip refuses.
    pub fn from_words(words: &ProgramWords, chip: Chip) -> Result<Self, WordsError> {
        let gfx = chip.gfx();
        let (program, mut rsrc1, mut rsrc2) = program(Stage::Compute, words, gfx)?;
        let mut rsrc3 = Fields::of(gfx, "COMPUTE_PGM_RSRC3", words.rsrc3);
        let thread_ids = rsrc2.take("TIDIG_COMP_CNT") + 1;
        if thread_ids > 3 {
            return Err(rsrc2.wrong("TIDIG_COMP_CNT", thread_ids - 1, "the field must be 0 to 2: a program reads one, two or three thread ids"));
        }
        let desc = Self {
            program: Program {
                lds_bytes: 512 * rsrc2.take("LDS_SIZE"),
                shared_vgprs: 8 * rsrc3.take("SHARED_VGPR_CNT"),
                prefetch_bytes: resource_units::PREFETCH_UNIT * rsrc3.take("INST_PREF_SIZE"),
                ..program
            },
            workgroup_ids: ["TGID_X_EN", "TGID_Y_EN", "TGID_Z_EN"].map(|field| rsrc2.flag(field)),
            workgroup_info: rsrc2.flag("TG_SIZE_EN"),
            thread_ids,
            cu_mode: rsrc1.find("WGP_MODE") == Some(0),
            ..Self::default()
        };
        rsrc1.end()?;
        rsrc2.end()?;
        rsrc3.end()?;
        desc.program.check(Stage::Compute, chip)?;
        Ok(desc)
    }
}
