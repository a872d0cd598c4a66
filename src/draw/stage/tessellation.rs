//! Tessellation: vertex and control shader as one merged program (LS-HS), and how patches share workgroups.
//!
//! Rules: Mesa 25.0.7 ac_get_hs_info, ac_compute_num_tess_patches, radv_emit_patch_control_points, radv_emit_tess_domain_origin, radv_shader.c; captures of four
//! boards agree.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::desc::{Class, Topology};
use crate::draw::error::DrawError;
use crate::draw::fixed::Winding;
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::draw::stage::rsrc::{self, memory_order, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::stage::shader_program::{Program, Stage};
use crate::draw::stage::{Board, resource_units};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Tessellation: the vertex and the control shader, and how patches are divided.
///
/// The draw's [topology](crate::draw::Topology) is then `PatchList`, and its [`VertexStage`](crate::draw::VertexStage) is the evaluation shader.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PatchDomain, PatchSpacing, PipelineDesc, Tessellation, Topology};
/// // Rectangles of four control points.
/// let tessellation = Some(Tessellation { input_points: 4, output_points: 4, domain: PatchDomain::Quads, spacing: PatchSpacing::FractionalOdd, ..Tessellation::default() });
/// let draw = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
/// assert_eq!(draw.resolve(Chip::Navi31)?.image.get(0x28B6C).map(|word| (word & 3, word >> 2 & 7)), Some((2, 2))); // VGT_TF_PARAM.TYPE and PARTITIONING
/// assert!(DrawDesc { pipeline: PipelineDesc { tessellation: None, ..draw.pipeline }, ..draw }.resolve(Chip::Navi31).is_err());
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tessellation {
    /// The merged program of vertex shader and control shader. Its own `lds_bytes` is LDS of a workgroup beside that of patches.
    pub program: Program,
    /// The vertex shader reads the instance's index.
    pub reads_instance_id: bool,
    /// Control points of a patch that the draw gives: 1 to 32. Dynamic state may change it.
    pub input_points: u32,
    /// Control points of a patch that the control shader makes: 1 to 32.
    pub output_points: u32,
    /// LDS of an input control point in bytes. One patch with all its points, and the program's own LDS, take 65536 bytes at most.
    pub lds_bytes_per_point: u32,
    /// LDS of a patch beside its input points, in bytes.
    pub lds_bytes_per_patch: u32,
    /// Off-chip memory of a patch in bytes, up to 32768: what the evaluation shader reads.
    pub offchip_bytes_per_patch: u32,
    /// The shape of a patch.
    pub domain: PatchDomain,
    /// How the edges of a patch are divided.
    pub spacing: PatchSpacing,
    /// Triangles that the tessellator makes, as the shader says it.
    pub winding: Winding,
    /// Only points are made.
    pub point_mode: bool,
    /// The domain's origin is its lower left corner, which turns the triangles around.
    pub lower_left_origin: bool,
    /// The control shader reads the patch's index.
    pub reads_patch_id: bool,
    /// The evaluation shader reads the patch's index.
    pub evaluation_reads_patch_id: bool,
}

impl Default for Tessellation {
    /// Triangles of three points, which the control shader passes on, one vec4 each.
    fn default() -> Self {
        Self {
            program: Program::default(),
            reads_instance_id: false,
            input_points: 3,
            output_points: 3,
            lds_bytes_per_point: 16,
            lds_bytes_per_patch: 16,
            offchip_bytes_per_patch: 64,
            domain: PatchDomain::Triangles,
            spacing: PatchSpacing::Equal,
            winding: Winding::Clockwise,
            point_mode: false,
            lower_left_origin: false,
            reads_patch_id: false,
            evaluation_reads_patch_id: false,
        }
    }
}

/// What a patch is. The numbers are those of VGT_TF_PARAM.TYPE.
///
/// For an example see [`Tessellation`](crate::draw::Tessellation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PatchDomain {
    /// Lines.
    Isolines = 0,
    /// A triangle.
    #[default]
    Triangles = 1,
    /// A rectangle.
    Quads = 2,
}

/// How an edge is divided. The numbers are those of VGT_TF_PARAM.PARTITIONING.
///
/// For an example see [`Tessellation`](crate::draw::Tessellation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PatchSpacing {
    /// Equal parts, a whole number.
    #[default]
    Equal = 0,
    /// Equal parts, a power of two.
    PowerOfTwo = 1,
    /// An odd number of parts, two of them shorter.
    FractionalOdd = 2,
    /// An even number of parts, two of them shorter.
    FractionalEven = 3,
}

/// How patches share a workgroup of the control shader.
///
/// For an example see [`Tessellation::group`](crate::draw::Tessellation::group).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatchGroup {
    /// Patches of a workgroup, 1 to 64.
    pub patches: u32,
    /// Threads of a workgroup, up to 256: one for each control point.
    pub threads: u32,
    /// LDS of a workgroup in bytes.
    pub lds_bytes: u32,
}

/// Bytes of a block of off-chip memory: 8192 dwords (OFFCHIP_GRANULARITY 0).
const OFFCHIP_BLOCK: u32 = 32 * 1024;
/// LDS that patches of a workgroup share at most (as in drivers), so that two workgroups fit.
const PATCHES_LDS: u32 = 32 * 1024;
/// Threads of a workgroup of the control shader.
const MOST_THREADS: u32 = 256;
/// Patches of a workgroup, beyond which drivers saw no gain.
const MOST_PATCHES: u32 = 64;

impl Tessellation {
    /// How patches share a workgroup (Mesa 25.0.7 ac_compute_num_tess_patches): as many as threads, off-chip memory and LDS take, and no wave that is mostly empty.
    ///
    /// ```
    /// use pm4::draw::{PatchGroup, Tessellation};
    /// let triangles = Tessellation { lds_bytes_per_point: 32, ..Tessellation::default() };
    /// let group = triangles.group();
    /// assert_eq!(group, PatchGroup { patches: 64, threads: 192, lds_bytes: 64 * (3 * 32 + 16) });
    /// ```
    ///
    /// Limits that a draw breaks are errors where it is resolved.
    pub fn group(&self) -> PatchGroup {
        let points = self.input_points.max(self.output_points).max(1);
        let lds = self.lds_of_patch();
        let wave = self.program.wave.lanes();
        let fits = |room: u32, of_patch: u32| room.checked_div(of_patch).unwrap_or(u32::MAX);
        let by_lds = fits(PATCHES_LDS.saturating_sub(self.program.lds_bytes), lds);
        let by_memory = fits(OFFCHIP_BLOCK, self.offchip_bytes_per_patch);
        let all = (MOST_THREADS / points).min(MOST_PATCHES).min(by_lds).min(by_memory).max(1);
        let threads = all * points;
        let empty = wave - threads % wave;
        let patches = if threads > wave && empty >= points.max(8) { (threads - threads % wave) / points } else { all };
        let patches = patches.max(1);
        PatchGroup { patches, threads: patches * points, lds_bytes: (patches.saturating_mul(lds)).saturating_add(self.program.lds_bytes) }
    }

    fn lds_of_patch(&self) -> u32 {
        self.input_points.saturating_mul(self.lds_bytes_per_point).saturating_add(self.lds_bytes_per_patch)
    }

    /// What the tessellator makes.
    pub(crate) fn class(&self) -> Class {
        match self.domain {
            _ if self.point_mode => Class::Points,
            PatchDomain::Isolines => Class::Lines,
            PatchDomain::Triangles | PatchDomain::Quads => Class::Polygons,
        }
    }

    /// Some stage reads the patch's index, or exports it.
    pub(crate) fn uses_patch_id(&self, exported: bool) -> bool {
        self.reads_patch_id || self.evaluation_reads_patch_id || exported
    }

    /// LS_VGPR_COMP_CNT: the last input of a vertex that the vertex shader reads.
    pub(crate) fn vertex_components(&self, gfx: Gfx) -> u32 {
        match (gfx.major(), self.reads_instance_id) {
            (9, instance) => 1 + u32::from(instance),
            (10, false) => 1,
            (10 | 11, true) => 3,
            (_, instance) => u32::from(instance),
        }
    }

    pub(crate) fn check(&self, chip: Chip, topology: Topology) -> Result<(), DrawError> {
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        if topology != Topology::PatchList {
            return Err(DrawError::Stages { what: "tessellation", why: "the topology must be a list of patches" });
        }
        self.program.check(Stage::Hull, chip)?;
        crate::draw::check_numbers::patch_points(self.input_points)?;
        if !(1..=32).contains(&self.output_points) {
            return limit("the output control points", self.output_points, "1 to 32");
        }
        if self.offchip_bytes_per_patch > OFFCHIP_BLOCK {
            return limit("the off-chip bytes of a patch", self.offchip_bytes_per_patch, "at most 32768, a block of off-chip memory");
        }
        let lds = self.group().lds_bytes;
        if lds > resource_units::LDS_BYTES {
            return limit("the LDS of a workgroup of patches", lds, "at most 65536 bytes, for one patch at least");
        }
        Ok(())
    }
}

/// Memory of tessellation that all draws of a queue share: factors, and what control shaders hand to evaluation shaders.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Board, TessellationRings};
/// let board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 10 };
/// let rings = TessellationRings::at(Chip::Navi21, board, 0x10_0000);
/// assert_eq!((rings.factor_dwords, rings.buffers), (49152, 512));
/// assert_eq!(rings.offchip_address(), 0x10_0000 + 4 * 49152); // 48 KiB per shader engine: a multiple of 64 KiB here
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TessellationRings {
    /// Address of the factors, 256-byte aligned, of 48 bits. Off-chip memory is after them, at the next multiple of 64 KiB.
    pub address: u64,
    /// Dwords of factors: of the whole board up to GFX10.3, 1 to 65535; of a shader engine from GFX11 on, 1 to 131071. At most 12288 per shader engine: off-chip
    /// memory follows them.
    pub factor_dwords: u32,
    /// Blocks of 32 KiB of off-chip memory: of the whole board up to GFX10.3, of a shader engine from GFX11 on; 1 to 512, from GFX10.3 on 1 to 1024.
    pub buffers: u32,
    /// Shader engines of the board, 1 to 32.
    pub shader_engines: u32,
}

/// Dwords of factors of an engine: 48 KiB.
const FACTOR_DWORDS: u32 = 12288;

impl TessellationRings {
    /// Rings of the sizes that Mesa 25.0.7 gives them (ac_get_hs_info).
    pub fn at(chip: Chip, board: Board, address: u64) -> Self {
        let engines = board.shader_engines;
        let of_engine = match chip.gfx().major() {
            9 if matches!(chip.info().name, "vega12" | "vega20") => 128,
            9 => 127,
            10 => 128,
            _ => 256,
        };
        let (factor_dwords, buffers) = match chip.gfx().major() {
            9 => (FACTOR_DWORDS.saturating_mul(engines), engines.saturating_mul(of_engine).min(508)),
            10 => (FACTOR_DWORDS.saturating_mul(engines), engines.saturating_mul(of_engine)),
            _ => (FACTOR_DWORDS, of_engine),
        };
        Self { address, factor_dwords, buffers, shader_engines: engines }
    }

    fn per_engine(self, gfx: Gfx) -> u64 {
        if gfx.major() >= 11 { u64::from(self.shader_engines) } else { 1 }
    }

    /// Address of the off-chip memory, which shaders get in a buffer descriptor. 48 KiB for each shader engine are before it.
    pub const fn offchip_address(self) -> u64 {
        self.address.wrapping_add(4 * FACTOR_DWORDS as u64 * self.shader_engines as u64).wrapping_add(0xFFFF) & !0xFFFF
    }

    /// Bytes of memory from `address` on that both take.
    pub fn memory_bytes(self, gfx: Gfx) -> u64 {
        let blocks = u64::from(self.buffers).saturating_mul(self.per_engine(gfx));
        self.offchip_address().wrapping_sub(self.address).saturating_add(blocks.saturating_mul(OFFCHIP_BLOCK.into()))
    }

    pub(crate) fn check(self, gfx: Gfx) -> Result<(), DrawError> {
        let check = |fine: bool, what, value, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what, value, limit }) };
        check(
            self.address.is_multiple_of(256) && self.address >> 48 == 0,
            "the address of the tessellation rings",
            self.address,
            "a multiple of 256 below 2^48",
        )?;
        check((1..=32).contains(&self.shader_engines), "the shader engines of the tessellation rings", self.shader_engines.into(), "1 to 32")?;
        let most = if gfx.major() >= 11 { 0x1_FFFF } else { 0xFFFF };
        check(
            (1..=most).contains(&self.factor_dwords),
            "the dwords of tessellation factors",
            self.factor_dwords.into(),
            "1 to 65535, from GFX11 on 1 to 131071",
        )?;
        let room = u64::from(FACTOR_DWORDS) * u64::from(self.shader_engines);
        check(
            u64::from(self.factor_dwords) * self.per_engine(gfx) <= room,
            "the dwords of tessellation factors",
            self.factor_dwords.into(),
            "at most 12288 per engine: off-chip memory follows them",
        )?;
        let most = if gfx.version() >= (10, 3) { 1024 } else { 512 };
        check((1..=most).contains(&self.buffers), "the off-chip buffers of tessellation", self.buffers.into(), "1 to 512, from GFX10.3 on 1 to 1024")
    }

    /// VGT_TF_RING_SIZE, VGT_TF_MEMORY_BASE and VGT_HS_OFFCHIP_PARAM.
    pub(crate) fn registers<S: Why>(self, gfx: Gfx, sheet: &mut Sheet<S>) {
        let (size, place) = ("dwords of tessellation factors", "address of tessellation factors");
        on_gfx!(each gfx, r => {
            sheet.add(Word::new(On::<r::VgtTfRingSize, { r::GFX }>::SLOT).set(r::VgtTfRingSize::SIZE, self.factor_dwords, size));
            sheet.add(Word::new(On::<r::VgtTfMemoryBase, { r::GFX }>::SLOT).whole((self.address >> 8) as u32, place));
            sheet.add(Word::new(On::<r::VgtTfMemoryBaseHi, { r::GFX }>::SLOT).set(r::VgtTfMemoryBaseHi::BASE_HI, (self.address >> 40) as u32, place));
            type R = r::VgtHsOffchipParam;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::OFFCHIP_BUFFERING, self.buffers.saturating_sub(1), "off-chip buffers minus 1, from GFX11 on of an engine")
                .set(R::OFFCHIP_GRANULARITY, 0u32, "buffers of 8192 dwords"));
        });
    }
}

/// SPI_SHADER_PGM_RSRC1_HS: registers, modes, and how many inputs of a vertex are loaded.
fn spi_shader_pgm_rsrc1_hs<S: Why>(inputs: &Inputs<'_>, stage: &Tessellation) -> Word<S> {
    let (program, components) = (&stage.program, stage.vertex_components(inputs.gfx));
    let vgprs = program.vgprs.max(hull_vgprs(stage, inputs.gfx));
    let rule = "last of the vertex's inputs that the vertex shader reads";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Hs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Hs, program);
            word.set(r::SpiShaderPgmRsrc1Hs::LS_VGPR_COMP_CNT, components, rule)
        },
        Gfx10x | Gfx11x => {
            type R = r::SpiShaderPgmRsrc1Hs;
            let word = rsrc1!(r::SpiShaderPgmRsrc1Hs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Hs, program);
            memory_order!(word, r::SpiShaderPgmRsrc1Hs, inputs.gfx, program).set(R::WGP_MODE, true, WGP).set(R::LS_VGPR_COMP_CNT, components, rule)
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc1Hs;
            let word = rsrc1!(r::SpiShaderPgmRsrc1Hs, inputs.gfx, program, vgprs);
            word.set(R::WGP_MODE, true, WGP).set(R::LS_VGPR_COMP_CNT, components, rule)
        },
    })
}

const WGP: &str = "workgroups of patches may spread over a WGP (captures)";

/// SPI_SHADER_PGM_RSRC2_HS: user SGPRs, scratch, LDS of all patches of a workgroup.
fn spi_shader_pgm_rsrc2_hs<S: Why>(inputs: &Inputs<'_>, stage: &Tessellation) -> Word<S> {
    let (program, group) = (&stage.program, stage.group());
    let scratch = program.scratch_bytes != 0;
    let scratch_rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    let lds_rule = "LDS of the workgroup's patches in blocks of 512 bytes";
    let lds = resource_units::lds_field(group.lds_bytes);
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderPgmRsrc2Hs;
        let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Hs, program);
        word.set(R::SCRATCH_EN, scratch, scratch_rule).set(R::LDS_SIZE, lds, lds_rule)
    })
}

/// SHARED_VGPR_CNT of SPI_SHADER_PGM_RSRC2_HS, which GFX9 lacks.
fn shared_vgprs<S: Why>(inputs: &Inputs<'_>, stage: &Tessellation, word: Word<S>) -> Word<S> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => word,
        Gfx10x | Gfx11x | Gfx12 => {
            word.set(r::SpiShaderPgmRsrc2Hs::SHARED_VGPR_CNT, stage.program.shared_vgprs / 8, "blocks of 8 shared VGPRs")
        },
    })
}

/// SPI_SHADER_PGM_RSRC3_HS and RSRC4_HS: CUs, wave limit, prefetch of code.
fn cus<S: Why>(inputs: &Inputs<'_>, stage: &Tessellation, sheet: &mut Sheet<S>) {
    let program = &stage.program;
    let (mask, limit) = (program.cu_mask.unwrap_or(u32::MAX), resource_units::wave_limit_field(inputs.gfx, program.wave_limit));
    let prefetch = resource_units::prefetch_field(inputs.gfx, program.prefetch_bytes);
    let (rule, limit_rule) = ("CUs of the program, all without a mask", resource_units::wave_limit_rule(inputs.gfx, program.wave_limit));
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::SpiShaderPgmRsrc3Hs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
        },
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc3Hs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
            sheet.add(Word::new(On::<r::SpiShaderPgmRsrc4Hs, { r::GFX }>::SLOT).set(r::SpiShaderPgmRsrc4Hs::CU_EN, mask >> 16, "CUs 16 to 31"));
        },
        Gfx11x => {
            type R = r::SpiShaderPgmRsrc3Hs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
            type R4 = r::SpiShaderPgmRsrc4Hs;
            let word = Word::new(On::<R4, { r::GFX }>::SLOT).set(R4::CU_EN, mask >> 16, "CUs 16 to 31");
            sheet.add(word.set(R4::INST_PREF_SIZE, prefetch, resource_units::PREFETCH));
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc4Hs;
            sheet.add(Word::new(On::<r::SpiShaderPgmRsrc3Hs, { r::GFX }>::SLOT).set(r::SpiShaderPgmRsrc3Hs::CU_EN, mask, rule));
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::WAVE_LIMIT, limit, limit_rule)
                .set(R::GLG_FORCE_DISABLE, true, "no group launch guarantee (Mesa 25.0.7, PAL 04/2025)")
                .set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH));
        },
    });
}

/// The program's address and user data.
fn program<S: Why>(inputs: &Inputs<'_>, program: &Program, sheet: &mut Sheet<S>) {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            rsrc::address!(sheet, r, SpiShaderPgmLoLs, SpiShaderPgmHiLs, program);
            rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoHs, SpiShaderUserDataAddrHiHs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataLs, program);
        },
        Gfx10x => {
            rsrc::address!(sheet, r, SpiShaderPgmLoLs, SpiShaderPgmHiLs, program);
            rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoHs, SpiShaderUserDataAddrHiHs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataHs, program);
        },
        Gfx11x | Gfx12 => {
            rsrc::address!(sheet, r, SpiShaderPgmLoLs, SpiShaderPgmHiLs, program);
            rsrc::address_pair!(sheet, r, SpiShaderPgmLoHs, SpiShaderPgmHiHs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataHs, program);
        },
    });
}

/// VGT_LS_HS_CONFIG: patches of a workgroup, control points.
fn vgt_ls_hs_config<S: Why>(inputs: &Inputs<'_>, stage: &Tessellation) -> Word<S> {
    let (patches, output) = (stage.group().patches, "control points that the control shader makes");
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::VgtLsHsConfig;
            Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::NUM_PATCHES, patches, PATCHES)
                .set(R::HS_NUM_INPUT_CP, stage.input_points, "control points of a patch")
                .set(R::HS_NUM_OUTPUT_CP, stage.output_points, output)
        },
        Gfx12 => {
            type R = r::VgtLsHsConfig;
            Word::new(On::<R, { r::GFX }>::SLOT).set(R::NUM_PATCHES, patches, PATCHES).set(R::HS_NUM_OUTPUT_CP, stage.output_points, output)
        },
    })
}

const PATCHES: &str = "patches of a workgroup, by threads, LDS and off-chip memory";

/// Whether patches are distributed among shader engines, and why: on all boards with more than one (Mesa 25.0.7 has_distributed_tess). Where the board is not
/// known, chips of GFX9 that may rasterize out of order have several.
pub(crate) fn distributes(inputs: &Inputs<'_>) -> (bool, &'static str) {
    let several = inputs.board.map_or(inputs.chip.info().out_of_order_rasterization, |board| board.shader_engines > 1);
    if inputs.chip.has(Erratum::TessellationToOneAssembler) && inputs.reads_line_stipple() {
        (false, Erratum::TessellationToOneAssembler.doc())
    } else if inputs.gfx.major() >= 10 || several {
        (true, "trapezoids are distributed among the shader engines")
    } else {
        (false, "one shader engine")
    }
}

/// VGT_TF_PARAM: what the tessellator makes, and where.
fn vgt_tf_param<S: Why>(inputs: &Inputs<'_>, stage: &Tessellation) -> Word<S> {
    let clockwise = (stage.winding == Winding::Clockwise) != stage.lower_left_origin;
    let (topology, rule) = match stage.class() {
        Class::Points => (0u32, "points alone"),
        Class::Lines => (1, "isolines"),
        Class::Polygons if clockwise => (2, "clockwise triangles, with the origin taken into account"),
        Class::Polygons => (3, "counter-clockwise triangles, with the origin taken into account"),
    };
    let (spread, spread_rule) = distributes(inputs);
    on_gfx!(inputs.gfx, r => {
        type R = r::VgtTfParam;
        let word = Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::TYPE, stage.domain as u32, "what a patch is")
            .set(R::PARTITIONING, stage.spacing as u32, "how edges are divided")
            .set(R::TOPOLOGY, topology, rule)
            .set(R::DISTRIBUTION_MODE, if spread { 3u32 } else { 0 }, spread_rule);
        temporal(inputs.gfx, word)
    })
}

/// VGT_TF_PARAM.TEMPORAL, which GFX12 has.
fn temporal<S: Why>(gfx: Gfx, word: Word<S>) -> Word<S> {
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => word,
        Gfx12 => word.set(r::VgtTfParam::TEMPORAL, 3u32, "factors are read once (Mesa 25.0.7)"),
    })
}

/// VGPRs that a wave of the merged program starts with: patch and control point, then the inputs of a vertex.
pub(crate) fn hull_vgprs(stage: &Tessellation, gfx: Gfx) -> u32 {
    2 + stage.vertex_components(gfx) + 1
}

/// Adds the registers of the merged program and of the tessellator, where the draw tessellates.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let Some(stage) = &inputs.desc.tessellation else { return };
    program(inputs, &stage.program, sheet);
    sheet.add(spi_shader_pgm_rsrc1_hs(inputs, stage));
    let rsrc2 = spi_shader_pgm_rsrc2_hs(inputs, stage);
    sheet.add(shared_vgprs(inputs, stage, rsrc2));
    cus(inputs, stage, sheet);
    sheet.add(vgt_ls_hs_config(inputs, stage));
    sheet.add(vgt_tf_param(inputs, stage));
}
