//! Limits of programs on their stages, of scratch memory and of streamout.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::desc::geometry::LDS_DWORDS;
use crate::draw::desc::tessellation::OFFCHIP_BLOCK;
use crate::draw::desc::topology::InputPrimitive;
use crate::draw::desc::{
    ConservativeRaster, DrawError, GeometryStage, MeshStage, Program, ScratchRing, Stage, Streamout, Subgroup, Tessellation, Topology, UserData, VertexPath,
    VertexStage, resource_units,
};
use crate::isa::WaveSize;

impl Program {
    /// Checks that the chip can run the program on the stage.
    pub(crate) fn check(&self, stage: Stage, chip: Chip) -> Result<(), DrawError> {
        let gfx = chip.gfx();
        let limit = |what, value: u32, limit| Err(DrawError::ProgramLimit { stage, what, value: u64::from(value), limit, chip });
        if let Some(value) = self.address.filter(|a| a % 256 != 0 || a >> 48 != 0) {
            return Err(DrawError::ProgramLimit { stage, what: "address", value, limit: "a multiple of 256 below 2^48", chip });
        }
        if self.wave == WaveSize::W32 && gfx.major() == 9 {
            return Err(DrawError::OptionAbsent { option: "wave32", chip, limit: "GFX10 and later have it" });
        }
        if !(1..=256).contains(&self.vgprs) {
            return limit("VGPRs", self.vgprs, "1 to 256");
        }
        if self.shared_vgprs != 0 && (gfx.major() == 9 || self.wave == WaveSize::W32) {
            return Err(DrawError::OptionAbsent { option: "shared VGPRs", chip, limit: "wave64 on GFX10 and later has them" });
        }
        if !self.shared_vgprs.is_multiple_of(8) || self.shared_vgprs > 120 {
            return limit("shared VGPRs", self.shared_vgprs, "a multiple of 8 up to 120");
        }
        if self.sgprs > resource_units::sgprs(gfx) {
            return limit("SGPRs", self.sgprs, if gfx.major() == 9 { "at most 102" } else { "at most 106" });
        }
        if self.reserved_sgprs > 6 {
            return limit("reserved SGPRs", self.reserved_sgprs, "at most 6: VCC, XNACK and flat scratch");
        }
        if self.lds_bytes > resource_units::LDS_BYTES {
            return limit("LDS bytes", self.lds_bytes, "at most 65536");
        }
        if self.scratch_bytes > resource_units::SCRATCH_BYTES {
            return limit("scratch bytes of a wave", self.scratch_bytes, "at most 8191 KiB");
        }
        if self.prefetch_bytes != 0 && gfx.major() < 11 {
            return Err(DrawError::OptionAbsent { option: "prefetch of code", chip, limit: "GFX11 and later have it" });
        }
        if stage.user_sgprs_left(self.user_sgprs()).is_none() {
            return limit("user SGPRs", self.user_sgprs(), if stage == Stage::Compute { "at most 16" } else { "at most 32" });
        }
        if self.reads_draw_call() {
            self.check_draw_values(stage, chip)?;
        }
        let most = resource_units::max_wave_limit(gfx, stage);
        if let Some(waves) = self.wave_limit.filter(|waves| !(1..=most).contains(waves)) {
            let range = if most == 0x3FF { "1 to 1023 waves per shader engine" } else { "1 to 1008 waves per shader engine" };
            return limit("wave limit", waves, range);
        }
        if self.cu_mask.is_some() && stage == Stage::Compute {
            return Err(DrawError::OptionAbsent { option: "a CU mask of a compute program", chip, limit: "the masks of the queue say where dispatches run" });
        }
        if let Some(mask) = self.cu_mask.filter(|mask| mask & 0xFFFF == 0) {
            return limit("CU mask", mask, "at least one of the first 16 CUs: a mask without them hangs");
        }
        if let Some(mask) = self.cu_mask.filter(|_| stage == Stage::Ngg && vertex_cus(chip, self.cu_mask) & 0xFFFF == 0) {
            return limit("CU mask", mask, "a CU among the first 16, other than 1 and 9, which are left to pixel waves");
        }
        Ok(())
    }

    /// Checks the values of draw calls in user SGPRs: only vertex work has them, each once.
    fn check_draw_values(&self, stage: Stage, chip: Chip) -> Result<(), DrawError> {
        let most = u64::from(matches!(stage, Stage::Vertex | Stage::Ngg | Stage::Hull | Stage::Geometry));
        for item in UserData::OF_DRAWS.into_iter().chain([UserData::ViewIndex]) {
            let value = self.user_data.iter().filter(|data| **data == item).count() as u64;
            if value > most {
                let limit = if most == 0 { "none: vertex work has them" } else { "at most 1" };
                return Err(DrawError::ProgramLimit { stage, what: "user SGPRs for one value of draw calls", value, limit, chip });
            }
        }
        let some_groups = self.user_data.iter().any(|data| UserData::GROUPS.contains(data));
        if some_groups && !self.user_data.windows(3).any(|three| three == UserData::GROUPS) {
            return Err(DrawError::Stages { what: "the user SGPRs for workgroups", why: "hardware fills three in a row: x, y and z" });
        }
        Ok(())
    }
}

impl VertexStage {
    /// Checks the requirements of all vertex work, regardless of its shaders.
    pub(crate) fn check(&self, chip: Chip, stage: Stage) -> Result<(), DrawError> {
        let gfx = chip.gfx();
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        self.program.check(stage, chip)?;
        if self.parameters > 32 {
            return limit("vertex parameters", self.parameters, "at most 32");
        }
        if self.outputs.shading_rate && gfx.version() < (10, 3) {
            return Err(DrawError::OptionAbsent { option: "a shading rate from the vertex stage", chip, limit: "GFX10.3 and later have VRS" });
        }
        if stage != Stage::Ngg && self.culling {
            return Err(DrawError::OptionAbsent { option: "culling in the vertex program", chip, limit: "NGG has it, the legacy pipe does not" });
        }
        if stage == Stage::Vertex && self.program.lds_bytes != 0 {
            return Err(DrawError::OptionAbsent { option: "LDS in the vertex program", chip, limit: "NGG has it, the legacy pipe does not" });
        }
        Ok(())
    }

    /// Checks the size of an NGG subgroup without a geometry or mesh shader.
    pub(crate) fn check_subgroup(&self, gfx: Gfx, input: InputPrimitive) -> Result<(), DrawError> {
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        if self.subgroup.vertices < Subgroup::least_vertices(gfx, input) || self.subgroup.vertices > 256 {
            return limit(
                "vertices of an NGG subgroup",
                self.subgroup.vertices,
                "at least 26 (GFX10.1) or 29 (GFX10.3) and the vertices of a primitive, with adjacency up to 3 more on GFX10.1; at most 256",
            );
        }
        if !(1..=256).contains(&self.subgroup.primitives) {
            return limit("primitives of an NGG subgroup", self.subgroup.primitives, "1 to 256");
        }
        Ok(())
    }
}

impl Tessellation {
    pub(crate) fn check(&self, chip: Chip, topology: Topology) -> Result<(), DrawError> {
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        if topology != Topology::PatchList {
            return Err(DrawError::Stages { what: "tessellation", why: "the topology must be a list of patches" });
        }
        self.program.check(Stage::Hull, chip)?;
        crate::draw::desc::numbers::patch_points(self.input_points)?;
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

impl GeometryStage {
    pub(crate) fn check(&self, chip: Chip, path: VertexPath) -> Result<(), DrawError> {
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        let ngg = path == VertexPath::Ngg;
        if !(1..=if ngg { 256 } else { 1024 }).contains(&self.max_vertices) {
            return limit("the vertices of a geometry shader", self.max_vertices, "1 to 256 with NGG, 1 to 1024 on the legacy pipe");
        }
        if !(1..=if chip.gfx().major() == 12 { 63 } else { 127 }).contains(&self.invocations) {
            return limit("the invocations of a geometry shader", self.invocations, "1 to 127, on GFX12 1 to 63");
        }
        if self.input_dwords > LDS_DWORDS {
            return limit("the dwords of an input vertex of a geometry shader", self.input_dwords, "at most 8192, the LDS of a group");
        }
        if ngg {
            return Ok(());
        }
        self.copy_program.check(Stage::Vertex, chip)?;
        let most = 0x7FFF;
        if self.ring_dwords() > most {
            return limit("the dwords that an invocation of a geometry shader emits", self.ring_dwords(), "at most 32767, all vertices of all streams");
        }
        Ok(())
    }
}

impl MeshStage {
    pub(crate) fn check(&self, chip: Chip, path: VertexPath, topology: Topology) -> Result<(), DrawError> {
        let limit = |what, value: u32, limit| Err(DrawError::Limit { what, value: u64::from(value), limit });
        if chip.gfx().version() < (10, 3) {
            return Err(DrawError::OptionAbsent { option: "a mesh shader", chip, limit: "GFX10.3 and later have it" });
        }
        if path != VertexPath::Ngg {
            return Err(DrawError::Stages { what: "a mesh shader", why: "it runs as NGG" });
        }
        if topology == Topology::PatchList {
            return Err(DrawError::Stages { what: "a mesh shader", why: "it takes no patches" });
        }
        if self.workgroup.contains(&0) || self.threads() > 256 {
            return limit("the threads of a mesh shader's workgroup", self.threads(), "1 to 256, in x, y and z together");
        }
        for (what, count) in [("the vertices of a mesh shader", self.max_vertices), ("the primitives of a mesh shader", self.max_primitives)] {
            if !(1..=256).contains(&count) {
                return limit(what, count, "1 to 256");
            }
        }
        Ok(())
    }
}

impl Streamout {
    pub(crate) fn check(&self, desc: &EffectiveDraw<'_>, chip: Chip, path: VertexPath) -> Result<(), DrawError> {
        let refuse = |why| Err(DrawError::Stages { what: "streamout", why });
        if desc.mesh.is_some() {
            return refuse("a mesh shader has no vertex streams");
        }
        if path == VertexPath::Ngg && chip.gfx().major() == 10 {
            let limit = "GFX11 and later stream out with NGG, GFX9 to GFX10.3 with the legacy pipe";
            return Err(DrawError::OptionAbsent { option: "streamout of NGG", chip, limit });
        }
        let registers = chip.gfx().major() <= 10;
        if let Some(stride) = self.strides.into_iter().find(|stride| stride % 4 != 0 || registers && *stride > MOST_STRIDE) {
            let what = "the stride in bytes of a streamout buffer";
            return Err(DrawError::Limit { what, value: stride.into(), limit: "a multiple of 4, up to GFX10.3 at most 4092" });
        }
        let given = self.strides.iter().enumerate().filter(|(_, stride)| **stride != 0).fold(0, |all, (at, _)| all | 1 << at);
        let written = self.buffers();
        if written > 0xF {
            return refuse("a stream writes a buffer beyond the four: `Streamout::streams` has a bit for each of buffers 0 to 3");
        }
        if written & !given != 0 {
            return refuse("a stream writes a buffer whose stride is 0: it must be a multiple of 4, from 4 on (`Streamout::strides`)");
        }
        if given != written {
            return refuse("a buffer has a stride, but no stream writes it: set its bit in `Streamout::streams`");
        }
        if given == 0 && !registers {
            return refuse("no stream writes a buffer, and from GFX11 on hardware does not count without");
        }
        if self.streams.iter().enumerate().any(|(at, buffers)| self.streams.iter().skip(at + 1).any(|other| other & buffers != 0)) {
            return refuse("two vertex streams write one buffer");
        }
        if self.rasterized_stream > 3 {
            let what = "the vertex stream that is rasterized";
            return Err(DrawError::Limit { what, value: self.rasterized_stream.into(), limit: "0 to 3" });
        }
        let later = self.streams.iter().skip(1).any(|buffers| *buffers != 0) || self.rasterized_stream != 0;
        if later && desc.geometry.is_none() {
            return refuse("vertex streams other than the first need a geometry shader");
        }
        Ok(())
    }
}

/// The largest stride in bytes: VGT_STRMOUT_VTX_STRIDE_n has 10 bits, in dwords.
const MOST_STRIDE: u32 = 4 * 0x3FF;

/// Checks scratch memory: that it exists if the programs need it, and the limits of its address and waves.
pub(crate) fn scratch<'a>(ring: Option<ScratchRing>, programs: impl IntoIterator<Item = &'a Program>) -> Result<(), DrawError> {
    match ring {
        None => match programs.into_iter().map(|p| p.scratch_bytes).max() {
            None | Some(0) => Ok(()),
            Some(bytes) => Err(DrawError::NoScratch { bytes }),
        },
        Some(ring) if ring.address % 256 != 0 || ring.address >> 48 != 0 => {
            Err(DrawError::Limit { what: "the address of scratch memory", value: ring.address, limit: "a multiple of 256 below 2^48" })
        }
        Some(ring) if !(1..=0xFFF).contains(&ring.waves) => {
            Err(DrawError::Limit { what: "waves with scratch", value: u64::from(ring.waves), limit: "1 to 4095" })
        }
        Some(_) => Ok(()),
    }
}

/// CUs 1 and 9 of an engine, which vertex waves of GFX12 must leave to pixel waves: erratum back_pressure.
const BACK_PRESSURE: u32 = 1 << 1 | 1 << 9;

/// Returns the CUs of an engine that vertex waves of GFX12 may use: the given ones (all without a mask) except those of the erratum. 0 in the first 16 is
/// refused where programs are checked.
pub(crate) fn vertex_cus(chip: Chip, given: Option<u32>) -> u32 {
    let kept = if chip.has(Erratum::BackPressure) { BACK_PRESSURE } else { 0 };
    given.unwrap_or(u32::MAX) & !kept
}

pub(crate) fn pixel_shader(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(), DrawError> {
    let Some(shader) = &desc.shader else { return Ok(()) };
    if shader.post_depth_coverage && chip.gfx().major() == 9 {
        let limit = "GFX10 and later have PRE_SHADER_DEPTH_COVERAGE_ENABLE";
        return Err(DrawError::OptionAbsent { option: "post-depth coverage", chip, limit });
    }
    if !shader.reads_inner_coverage {
        return Ok(());
    }
    let refuse = |why| Err(DrawError::Stages { what: "inner coverage", why });
    if desc.raster.conservative != ConservativeRaster::Overestimate {
        return refuse("set `Raster::conservative` to `ConservativeRaster::Overestimate`: with other rasterization every pixel would count as covered whole");
    }
    if desc.uses_pops() {
        return refuse("it has a sample more than the draw, and no source says how an ordered section works with it");
    }
    Ok(())
}
