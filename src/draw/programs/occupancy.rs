//! Occupancy: the number of waves per SIMD, its limits, and limits that a driver sets.
//!
//! Formulas: Mesa 25.0.7 aco_live_var_analysis.cpp; tests/golden/occupancy.tsv in the repository holds LLVM's answers.

use crate::chip::Chip;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::{Board, DrawDesc, DrawError, Program, Stage, resource_units};
use crate::draw::programs::wave_start::{hull_vgprs, vertex_vgprs};
use strum::{Display, IntoStaticStr};

/// What limits the number of waves per SIMD.
///
/// For an example see [`occupancy`](crate::draw::occupancy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum OccupancyLimit {
    /// The wave slots of the SIMD.
    WaveSlots,
    /// Vector registers.
    Vgprs,
    /// Scalar registers (GFX9).
    Sgprs,
    /// Local data share.
    Lds,
    /// The workgroups that a CU or WGP can track, or workgroups that fit only as a whole.
    Workgroups,
}

/// The number of waves per SIMD, and its limit.
///
/// For an example see [`occupancy`](crate::draw::occupancy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Occupancy {
    /// Number of waves per SIMD; 0 if the program does not fit at all.
    pub waves_per_simd: u32,
    /// What limits them.
    pub limit: OccupancyLimit,
}

/// A workgroup: waves that start and end together.
///
/// For an example see [`occupancy`](crate::draw::occupancy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Workgroup {
    /// Number of waves of the group, at least 1.
    pub waves: u32,
    /// Whether the group is spread over the two CUs of a WGP (GFX10 and later).
    pub wgp: bool,
}

/// Returns the waves per SIMD, limited only by registers.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Program, WaveSize, register_occupancy};
/// let program = Program { wave: WaveSize::W32, vgprs: 120, ..Program::default() };
/// assert_eq!(register_occupancy(Chip::Navi31, &program).waves_per_simd, 12);
/// ```
pub fn register_occupancy(chip: Chip, program: &Program) -> Occupancy {
    let gfx = chip.gfx();
    let (file, granule) = resource_units::vgpr_file(chip, program.wave);
    let vgprs = rounded(program.vgprs, granule).max(granule).saturating_add(program.shared_vgprs / 2);
    let mut found = Occupancy { waves_per_simd: resource_units::wave_slots(gfx), limit: OccupancyLimit::WaveSlots };
    found.take(file / vgprs, OccupancyLimit::Vgprs);
    if gfx.major() == 9 {
        let sgprs = rounded(program.sgprs.saturating_add(program.reserved_sgprs), 16).max(16);
        // 800 SGPRs per SIMD. LLVM's table allows 9 waves at 80 to 100 SGPRs where this gives 8.
        found.take(800 / sgprs, OccupancyLimit::Sgprs);
    }
    found
}

/// Returns the waves per SIMD of a program whose waves form workgroups.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Occupancy, OccupancyLimit, Program, Workgroup, occupancy};
/// let program = Program { lds_bytes: 32 * 1024, ..Program::default() };
/// let found = occupancy(Chip::Vega10, &program, Workgroup { waves: 4, wgp: false });
/// assert_eq!(found, Occupancy { waves_per_simd: 2, limit: OccupancyLimit::Lds });
/// ```
pub fn occupancy(chip: Chip, program: &Program, group: Workgroup) -> Occupancy {
    let lds = rounded(program.lds_bytes, resource_units::lds_granule(chip.gfx()));
    by_groups(chip, register_occupancy(chip, program), group, lds)
}

/// Returns the waves per SIMD for a pixel shader with this number of inputs, each of which occupies 48 bytes of LDS per wave.
pub fn pixel_occupancy(chip: Chip, program: &Program, inputs: u32) -> Occupancy {
    let granule = resource_units::lds_granule(chip.gfx());
    let lds = rounded(program.lds_bytes, granule).saturating_add(rounded(inputs.saturating_mul(48), granule));
    // Pixel shaders run in CU mode only.
    by_groups(chip, register_occupancy(chip, program), Workgroup { waves: 1, wgp: false }, lds)
}

/// Returns a number in whole units; one that is too large for that fits nowhere.
fn rounded(number: u32, unit: u32) -> u32 {
    number.checked_next_multiple_of(unit).unwrap_or(u32::MAX)
}

fn by_groups(chip: Chip, registers: Occupancy, group: Workgroup, lds: u32) -> Occupancy {
    let wgp = group.wgp && chip.gfx().major() >= 10;
    let cus = if wgp { 2 } else { 1 };
    let (simds, waves) = (resource_units::simds(chip.gfx()) * cus, group.waves.max(1));
    let mut found = registers;
    let mut groups = registers.waves_per_simd * simds / waves;
    if let Some(by_lds) = (resource_units::LDS_BYTES * cus).checked_div(lds).filter(|by_lds| *by_lds < groups) {
        groups = by_lds;
        found.limit = OccupancyLimit::Lds;
    }
    // A CU tracks 16 workgroups of more than one wave, a WGP 32.
    if waves > 1 && groups > 16 * cus {
        groups = 16 * cus;
        found.limit = OccupancyLimit::Workgroups;
    }
    let by_groups = (groups * waves).div_ceil(simds);
    if by_groups < registers.waves_per_simd && found.limit == registers.limit {
        found.limit = OccupancyLimit::Workgroups;
    }
    found.waves_per_simd = by_groups.min(registers.waves_per_simd);
    found
}

impl DrawDesc {
    /// Returns the waves per SIMD of the merged vertex and control shader, whose workgroup has all patches that share it, and their LDS. None for a draw that
    /// does not tessellate.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, OccupancyLimit, PipelineDesc, Tessellation, Topology};
    /// // 64 patches of 3 control points of 64 bytes in LDS, which the vertex and the control shader take each: 24 KiB for a workgroup of 3 waves.
    /// let tessellation = Some(Tessellation { lds_bytes_per_point: 64, ..Tessellation::default() });
    /// let draw = DrawDesc::from(PipelineDesc { tessellation, topology: Topology::PatchList, ..PipelineDesc::default() });
    /// let found = draw.hull_occupancy(Chip::Vega10)?.unwrap();
    /// assert_eq!((found.limit, found.waves_per_cu(Chip::Vega10)), (OccupancyLimit::Lds, 4 * found.waves_per_simd));
    /// # Ok::<(), pm4::draw::DrawError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`resolve`](crate::draw::resolve).
    pub fn hull_occupancy(&self, chip: Chip) -> Result<Option<Occupancy>, DrawError> {
        let parts = self.effective();
        DrawInputs::check(&parts, chip)?;
        let Some(patches) = parts.tessellation.as_deref() else { return Ok(None) };
        let group = patches.group();
        let program = needs(&patches.program, hull_vgprs(patches, chip.gfx()), group.lds_bytes);
        let waves = group.threads.div_ceil(program.wave.lanes());
        // Workgroups of patches spread over a WGP (SPI_SHADER_PGM_RSRC1_HS.WGP_MODE).
        Ok(Some(occupancy(chip, &program, Workgroup { waves, wgp: true })))
    }

    /// Returns the waves per SIMD of vertex work: of the hardware VS, whose waves form no workgroups, of NGG, of a geometry shader merged with the previous
    /// stage, or of a mesh shader. The LDS of a geometry shader's vertices counts.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, GeometryStage, PipelineDesc};
    /// let geometry = Some(GeometryStage { input_dwords: 33, max_vertices: 4, vertex_dwords: [16, 0, 0, 0], ..GeometryStage::default() });
    /// let draw = DrawDesc::from(PipelineDesc { geometry, ..PipelineDesc::default() });
    /// assert!(draw.vertex_occupancy(Chip::Navi31)?.waves_per_simd < 16);
    /// # Ok::<(), pm4::draw::DrawError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`resolve`](crate::draw::resolve).
    pub fn vertex_occupancy(&self, chip: Chip) -> Result<Occupancy, DrawError> {
        let parts = self.effective();
        let (inputs, gfx) = (DrawInputs::check(&parts, chip)?, chip.gfx());
        let (front, vgprs) = (inputs.front, vertex_vgprs(&parts, inputs.front.path, gfx));
        let (threads, lds, wgp) = match (front.stage, front.legacy, parts.geometry) {
            (Stage::Geometry, Some(group), Some(shader)) => {
                let vertices = group.vertices + front.input.vertices - 1;
                (vertices.max(group.primitives * shader.invocations), group.lds_bytes, gfx.major() >= 10)
            }
            (Stage::Ngg, ..) => {
                let group = front.group;
                let threads = match &parts.mesh {
                    Some(mesh) if gfx.version() == (10, 3) => mesh.threads().max(mesh.max_vertices).max(mesh.max_primitives),
                    Some(mesh) => mesh.threads(),
                    None => group.vertices.max(group.primitives * group.invocations).max(group.output_vertices),
                };
                // GFX10.1 alone spreads subgroups over a WGP.
                (threads.clamp(1, 256), group.lds_bytes, gfx.version() == (10, 1))
            }
            _ => (1, 0, false),
        };
        let program = &parts.vertex.program;
        let program = needs(program, vgprs, lds.saturating_add(program.lds_bytes));
        Ok(occupancy(chip, &program, Workgroup { waves: threads.div_ceil(program.wave.lanes()), wgp }))
    }
}

/// What counts for the occupancy of a program: at least the VGPRs that its waves start with, and the LDS of the group.
fn needs(program: &Program, vgprs: u32, lds_bytes: u32) -> Program {
    let Program { wave, shared_vgprs, sgprs, reserved_sgprs, .. } = *program;
    Program { wave, vgprs: program.vgprs.max(vgprs), shared_vgprs, sgprs, reserved_sgprs, lds_bytes, ..Program::SMALL }
}

impl Occupancy {
    /// Returns the number of waves of all SIMDs of a CU.
    pub fn waves_per_cu(self, chip: Chip) -> u32 {
        self.waves_per_simd * resource_units::simds(chip.gfx())
    }

    fn take(&mut self, waves: u32, limit: OccupancyLimit) {
        if waves < self.waves_per_simd {
            *self = Self { waves_per_simd: waves, limit };
        }
    }
}

/// Returns the waves of [`Program::wave_limit`] that keep a stage to this many waves per CU, of all CUs that a shader engine of the board has. Graphics stages
/// up to GFX11.5 count in whole steps of 16 waves per shader array, at least one (PAL 04/2025); compute, and all stages of GFX12, count single waves.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Board, Stage, wave_limit};
/// let board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 10 };
/// assert_eq!(wave_limit(Chip::Navi21, Stage::Pixel, board, 8), 160);
/// assert_eq!(wave_limit(Chip::Gfx1201, Stage::Pixel, Board { cus_per_array: 8, ..board }, 8), 128);
/// ```
pub fn wave_limit(chip: Chip, stage: Stage, board: Board, waves_per_cu: u32) -> u32 {
    let waves_per_array = waves_per_cu.saturating_mul(board.cus_per_array);
    let most = resource_units::max_wave_limit(chip.gfx(), stage);
    if stage == Stage::Compute || chip.gfx().major() >= 12 {
        return waves_per_array.saturating_mul(board.arrays_per_engine).clamp(1, most);
    }
    let steps_per_array = (waves_per_array / 16).clamp(1, 63);
    16 * steps_per_array.saturating_mul(board.arrays_per_engine).min(most / 16)
}
