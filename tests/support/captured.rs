//! Draws and dispatches of RADV's captures, and the parts of a description that only captures provide.

use flate2::read::GzDecoder;
use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use pm4::regs;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use strum::IntoEnumIterator;

/// Reads a table of captures, compressed or not; None if it does not exist.
pub fn table(path: &Path) -> Option<String> {
    let mut text = String::new();
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    match (File::open(path), File::open(packed)) {
        (Ok(mut file), _) => file.read_to_string(&mut text).ok()?,
        (_, Ok(file)) => GzDecoder::new(file).read_to_string(&mut text).ok()?,
        _ => return None,
    };
    Some(text)
}

/// Returns the folder of all captures: PM4_CAPTURES, or in a release build the one next to this repository (reading all of it takes long without optimization).
/// None if there is none.
pub fn all_captures() -> Option<PathBuf> {
    let beside = || (!cfg!(debug_assertions)).then(|| super::repository("../shared/captures"));
    std::env::var_os("PM4_CAPTURES").map(PathBuf::from).or_else(beside).filter(|folder| folder.join("manifest.tsv").exists())
}

/// Returns the folders of captures: the small one of this repository, and that of all captures if available.
pub fn folders_of_captures() -> Vec<PathBuf> {
    [small_captures()].into_iter().chain(all_captures()).collect()
}

/// Reads a capture file from the first folder that contains it.
pub fn read_capture(file: &str) -> Option<Vec<u8>> {
    folders_of_captures().iter().find_map(|folder| std::fs::read(folder.join(file)).ok())
}

/// Returns the folder of captures in this repository.
pub fn small_captures() -> PathBuf {
    super::repository("tests/captures")
}

/// Returns the register states before draws and dispatches: the small set, and the full one if available.
pub fn captured() -> String {
    let folder = all_captures().unwrap_or_else(small_captures);
    table(&folder.join("expected/draws.tsv")).unwrap_or_else(|| panic!("no table of draws in {}", folder.display()))
}

/// A draw or dispatch of the table, with its registers by address.
#[derive(Clone)]
pub struct Captured<'t> {
    pub chip: Chip,
    pub case: &'t str,
    pub queue: &'t str,
    /// The file of its packet.
    pub file: &'t str,
    pub dword: usize,
    pub packet: &'t str,
    pub body: Vec<u32>,
    pub state: BTreeMap<u32, u32>,
    /// Registers last written by packets that load them; their values are unknown.
    pub loaded: Vec<u32>,
}

impl Captured<'_> {
    pub fn get(&self, name: &str) -> Option<u32> {
        self.state.get(&regs::find(self.chip.gfx(), name)?.addr()).copied()
    }

    pub fn field(&self, name: &str, field: &str) -> u32 {
        let value = regs::find(self.chip.gfx(), name).and_then(|found| Some(found.info().field(field)?.get(self.get(name)?)));
        value.unwrap_or(0)
    }

    /// Returns the properties of a program that the compiler decided.
    pub fn program(&self, rsrc1: &str, rsrc2: &str, lds: &str) -> Program {
        let lds_unit = if lds == "EXTRA_LDS_SIZE" && self.chip.gfx() >= Gfx::Gfx11 { 1024 } else { 512 };
        let user = self.field(rsrc2, "USER_SGPR") | self.field(rsrc2, "USER_SGPR_MSB") << 5;
        Program {
            vgprs: 4 * (1 + self.field(rsrc1, "VGPRS")),
            sgprs: 8 * (1 + self.field(rsrc1, "SGPRS")),
            reserved_sgprs: 0,
            lds_bytes: lds_unit * self.field(rsrc2, lds),
            float_mode: FloatMode(self.field(rsrc1, "FLOAT_MODE") as u8),
            user_data: vec![UserData::Keep; user as usize],
            ..Program::default()
        }
    }
}

pub fn each_captured<'t>(text: &'t str, mut see: impl FnMut(&Captured<'t>)) {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split('\t').collect();
    let column = |name| head.iter().position(|h| *h == name).expect("a column");
    let [family, case, queue, file, dword, packet, body, loaded] = ["family", "case", "queue", "file", "dword", "name", "body", "loaded"].map(column);
    let spaces = ["context", "sh_gfx", "sh_compute", "uconfig"].map(column);
    let hex = |text: &str| u32::from_str_radix(text, 16).expect("a hexadecimal number");
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let pairs = spaces.iter().flat_map(|at| cells[*at].split(' ')).filter_map(|pair| pair.split_once('='));
        see(&Captured {
            chip: cells[family].parse().expect("a chip"),
            case: cells[case],
            queue: cells[queue],
            file: cells[file],
            dword: cells[dword].parse().expect("a number"),
            packet: cells[packet],
            body: cells[body].split(' ').map(hex).collect(),
            state: pairs.map(|(addr, value)| (hex(addr), hex(value))).collect(),
            loaded: cells[loaded].split_whitespace().filter_map(|addr| u32::from_str_radix(addr, 16).ok()).collect(),
        });
    }
}

/// Returns the stages before rasterization of a draw, other than vertex or mesh shaders.
pub fn stages(draw: &Captured<'_>) -> &'static str {
    let stages = |field| draw.field("VGT_SHADER_STAGES_EN", field) != 0;
    match (stages("GS_FAST_LAUNCH"), stages("HS_EN"), stages("GS_EN")) {
        (true, ..) => "mesh shaders",
        (_, true, true) => "tessellation and geometry shaders",
        (_, true, _) => "tessellation",
        (.., true) => "geometry shaders",
        _ => "vertex shaders",
    }
}

/// Returns what a tessellated draw states in addition to its evaluation shader.
fn tessellation(draw: &Captured<'_>, components: u32) -> Tessellation {
    let param = |field| draw.field("VGT_TF_PARAM", field);
    let config = |field| draw.field("VGT_LS_HS_CONFIG", field);
    let program = draw.program("SPI_SHADER_PGM_RSRC1_HS", "SPI_SHADER_PGM_RSRC2_HS", "LDS_SIZE");
    let loads_instance = match draw.chip.gfx() {
        Gfx::Gfx9 => 2,
        Gfx::Gfx10 | Gfx::Gfx103 => 3,
        _ => 1,
    };
    Tessellation {
        reads_instance_id: draw.field("SPI_SHADER_PGM_RSRC1_HS", "LS_VGPR_COMP_CNT") >= loads_instance,
        input_points: config("HS_NUM_INPUT_CP"),
        output_points: config("HS_NUM_OUTPUT_CP"),
        lds_bytes_per_point: 0,
        lds_bytes_per_patch: program.lds_bytes / config("NUM_PATCHES").max(1),
        offchip_bytes_per_patch: 0,
        domain: [PatchDomain::Isolines, PatchDomain::Triangles, PatchDomain::Quads][param("TYPE") as usize],
        spacing: [PatchSpacing::Equal, PatchSpacing::PowerOfTwo, PatchSpacing::FractionalOdd, PatchSpacing::FractionalEven][param("PARTITIONING") as usize],
        winding: if param("TOPOLOGY") == 3 { Winding::CounterClockwise } else { Winding::Clockwise },
        point_mode: param("TOPOLOGY") == 0,
        evaluation_reads_patch_id: components == 3,
        program: Program { lds_bytes: 0, ..program },
        ..Tessellation::default()
    }
}

/// Returns the geometry shader of a draw.
fn geometry(draw: &Captured<'_>, ngg: bool) -> GeometryStage {
    let loads = draw.field("SPI_SHADER_PGM_RSRC1_GS", "GS_VGPR_COMP_CNT");
    let ring = |stream: u32| draw.get(&if stream == 0 { "VGT_GS_VERT_ITEMSIZE".into() } else { format!("VGT_GS_VERT_ITEMSIZE_{stream}") }).unwrap_or(0);
    GeometryStage {
        output: [GeometryOutput::Points, GeometryOutput::Lines, GeometryOutput::Triangles][draw.field("VGT_GS_OUT_PRIM_TYPE", "OUTPRIM_TYPE") as usize],
        max_vertices: draw.field("VGT_GS_MAX_VERT_OUT", "MAX_VERT_OUT"),
        invocations: draw.field("VGT_GS_INSTANCE_CNT", "CNT"),
        reads_invocation_id: loads == 3,
        reads_primitive_id: loads == 2,
        // The shaders of these cases pass on only a position.
        input_dwords: 5,
        vertex_dwords: if ngg { [4, 0, 0, 0] } else { [0, 1, 2, 3].map(ring) },
        copy_program: draw.program("SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS", "LDS_SIZE"),
    }
}

/// Returns the mesh shader of a draw. GFX10.3 does not state the arrangement of threads and has at least one per vertex and primitive.
fn mesh(draw: &Captured<'_>) -> MeshStage {
    let threads = |axis| draw.field("SPI_SHADER_GS_MESHLET_DIM", axis) + 1;
    let workgroup = match draw.chip.gfx() {
        Gfx::Gfx103 => [draw.field("VGT_GS_MAX_VERT_OUT", "MAX_VERT_OUT"), 1, 1],
        _ => [threads("MESHLET_NUM_THREAD_X"), threads("MESHLET_NUM_THREAD_Y"), threads("MESHLET_NUM_THREAD_Z")],
    };
    MeshStage {
        workgroup,
        output: [GeometryOutput::Points, GeometryOutput::Lines, GeometryOutput::Triangles][draw.field("VGT_GS_OUT_PRIM_TYPE", "OUTPRIM_TYPE") as usize],
        max_vertices: draw.field("GE_MAX_OUTPUT_PER_SUBGROUP", "MAX_VERTS_PER_SUBGROUP"),
        max_primitives: draw.field("GE_NGG_SUBGRP_CNTL", "PRIM_AMP_FACTOR"),
        primitive_payload: draw.field("VGT_DRAW_PAYLOAD_CNTL", "EN_PRIM_PAYLOAD") == 1,
        scratch_ring: draw.field("VGT_SHADER_STAGES_EN", "NGG_WAVE_ID_EN") == 1,
    }
}

/// Returns the streamout of a draw: on GFX11, only the case states the buffers.
fn streamout(draw: &Captured<'_>, is_mesh: bool) -> Option<Streamout> {
    if draw.chip.gfx() >= Gfx::Gfx11 {
        let streams = !is_mesh && draw.field("VGT_SHADER_STAGES_EN", "NGG_WAVE_ID_EN") == 1;
        return streams.then_some(Streamout::to_one_buffer(16));
    }
    let streams = [0, 1, 2, 3].map(|n| draw.field("VGT_STRMOUT_BUFFER_CONFIG", &format!("STREAM_{n}_BUFFER_EN")) as u8);
    let stride = |n: u32| draw.get(&format!("VGT_STRMOUT_VTX_STRIDE_{n}")).unwrap_or(0) * 4;
    let written = |n: u32| streams.iter().any(|buffers| buffers >> n & 1 == 1);
    let strides = [0, 1, 2, 3].map(|n| if written(n) { stride(n) } else { 0 });
    let rasterized_stream = draw.field("VGT_STRMOUT_CONFIG", "RAST_STREAM") as u8;
    (streams != [0; 4]).then_some(Streamout { strides, streams, rasterized_stream })
}

/// Describes a draw by what its shaders need and export.
pub fn described(draw: &Captured<'_>) -> Option<DrawDesc> {
    let gfx = draw.chip.gfx();
    let stages = |field| draw.field("VGT_SHADER_STAGES_EN", field);
    let ngg = stages("PRIMGEN_EN") == 1;
    let is_mesh = stages("GS_FAST_LAUNCH") != 0;
    let (tessellates, has_geometry) = (stages("HS_EN") == 1, stages("GS_EN") == 1 && !is_mesh);
    let (rsrc1, rsrc2) =
        if ngg || has_geometry { ("SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS") } else { ("SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS") };
    let components = if ngg || has_geometry { draw.field(rsrc2, "ES_VGPR_COMP_CNT") } else { draw.field(rsrc1, "VGPR_COMP_CNT") };
    let exports = draw.field("SPI_VS_OUT_CONFIG", "NO_PC_EXPORT") == 0 && gfx > Gfx::Gfx9 || draw.field("SPI_PS_IN_CONTROL", "NUM_INTERP") > 0;
    let mut vertex = VertexStage {
        program: draw.program(rsrc1, rsrc2, "LDS_SIZE"),
        path: Some(if ngg { VertexPath::Ngg } else { VertexPath::Legacy }),
        reads_instance_id: components > 0 && !tessellates && !is_mesh,
        parameters: if exports { 1 + draw.field("SPI_VS_OUT_CONFIG", "VS_EXPORT_COUNT") } else { 0 },
        outputs: VertexOutputs { layer: draw.field("PA_CL_VS_OUT_CNTL", "USE_VTX_RENDER_TARGET_INDX") == 1, ..VertexOutputs::default() },
        culling: ngg && !has_geometry && !is_mesh && stages("PRIMGEN_PASSTHRU_EN") == 0,
        streamout: streamout(draw, is_mesh),
        ..VertexStage::default()
    };
    let geometry = has_geometry.then(|| geometry(draw, ngg));
    if let Some(shader) = &geometry {
        // The registers state the LDS of a whole group.
        let of_group = match ngg {
            true => shader.ngg_group(draw.chip, Topology::TriangleList, WaveSize::W64).expect("a group").lds_bytes,
            false => shader.legacy_group(Topology::TriangleList).expect("a group").lds_bytes,
        };
        vertex.program.lds_bytes -= of_group;
    }
    let interpolants = (0..draw.field("SPI_PS_IN_CONTROL", "NUM_INTERP")).map(|n| Interpolant {
        flat: draw.field(&format!("SPI_PS_INPUT_CNTL_{n}"), "FLAT_SHADE") == 1,
        ..Interpolant::parameter(draw.field(&format!("SPI_PS_INPUT_CNTL_{n}"), "OFFSET") as u8)
    });
    let inputs = PixelInputs {
        interpolants: interpolants.collect(),
        loads: PixelLoads::from_bits(draw.get("SPI_PS_INPUT_ENA").unwrap_or(0) as u16),
        ..PixelInputs::default()
    };
    let program = draw.program("SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS", "EXTRA_LDS_SIZE");
    let pops = draw.field("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER") == 1;
    let topology = match draw.get("VGT_PRIMITIVE_TYPE")? & 0x3F {
        2 => Topology::LineList,
        4 => Topology::TriangleList,
        6 => Topology::TriangleStrip,
        17 => Topology::RectList,
        9 => Topology::PatchList,
        1 => Topology::PointList,
        other => panic!("primitive type {other}"),
    };
    Some(DrawDesc::from(PipelineDesc {
        shader: Some(PixelShader { program, inputs, writes_memory: pops, ..PixelShader::default() }),
        vertex,
        tessellation: tessellates.then(|| tessellation(draw, components)),
        geometry,
        mesh: is_mesh.then(|| mesh(draw)),
        interlock: if pops { Interlock::PixelOrdered } else { Interlock::None },
        topology,
        ..PipelineDesc::default()
    }))
}

fn address(draw: &Captured<'_>, lo: &str, hi: &str) -> u64 {
    (u64::from(draw.get(lo).unwrap_or(0)) << 8) | (u64::from(draw.get(hi).unwrap_or(0)) << 40)
}

/// The metadata of a colour target; None where it has none.
pub fn compression(draw: &Captured<'_>, n: usize) -> Option<ColorCompression> {
    let gfx = draw.chip.gfx();
    let info = |field| draw.field(&format!("CB_COLOR{n}_INFO"), field);
    let control = if gfx >= Gfx::Gfx11 { format!("CB_COLOR{n}_FDCC_CONTROL") } else { format!("CB_COLOR{n}_DCC_CONTROL") };
    let has_dcc = if gfx >= Gfx::Gfx11 { draw.field(&control, "FDCC_ENABLE") } else { info("DCC_ENABLE") } == 1;
    let largest = match draw.field(&control, "MAX_COMPRESSED_BLOCK_SIZE") {
        0 => CompressedBlock::B64,
        1 => CompressedBlock::B128,
        _ => CompressedBlock::B256,
    };
    let alone = |bytes| draw.field(&control, &format!("INDEPENDENT_{bytes}B_BLOCKS")) == 1;
    let blocks = Some(DccBlocks { largest, independent_64: alone(64), independent_128: gfx > Gfx::Gfx9 && alone(128) });
    let base = |name: &str| address(draw, &format!("CB_COLOR{n}_{name}"), &format!("CB_COLOR{n}_{name}_BASE_EXT"));
    let dcc_base = address(draw, &format!("CB_COLOR{n}_DCC_BASE"), &format!("CB_COLOR{n}_DCC_BASE_EXT"));
    let dcc = has_dcc.then_some(Dcc { address: dcc_base, blocks });
    if gfx >= Gfx::Gfx11 {
        return dcc.map(|dcc| ColorCompression {
            dcc: Some(dcc),
            pipe_aligned: draw.field(&format!("CB_COLOR{n}_ATTRIB3"), "DCC_PIPE_ALIGNED") == 1,
            ..ColorCompression::default()
        });
    }
    let attrib = if gfx == Gfx::Gfx9 { format!("CB_COLOR{n}_ATTRIB") } else { format!("CB_COLOR{n}_ATTRIB3") };
    let fmask = Fmask {
        address: base("FMASK"),
        swizzle: draw.field(&attrib, "FMASK_SW_MODE") as u8,
        compressed: info("COMPRESSION") == 1,
        single_fragments: info("FMASK_COMPRESS_1FRAG_ONLY") == 1,
    };
    let cmask = (info("FAST_CLEAR") == 1).then(|| base("CMASK"));
    let aligned = if gfx == Gfx::Gfx9 { "PIPE_ALIGNED" } else { "CMASK_PIPE_ALIGNED" };
    let has_fmask = draw.field(&format!("CB_COLOR{n}_ATTRIB"), "NUM_SAMPLES") > 0
        && base("FMASK") != address(draw, &format!("CB_COLOR{n}_BASE"), &format!("CB_COLOR{n}_BASE_EXT"));
    (has_dcc || cmask.is_some()).then(|| ColorCompression {
        dcc,
        cmask,
        fmask: has_fmask.then_some(fmask),
        clear_words: None,
        pipe_aligned: draw.field(&attrib, aligned) == 1,
        rb_aligned: gfx == Gfx::Gfx9 && draw.field(&attrib, "RB_ALIGNED") == 1,
    })
}

/// Returns HTILE of the depth target.
pub fn htile(draw: &Captured<'_>) -> Option<Htile> {
    let (gfx, info) = (draw.chip.gfx(), |field| draw.field("DB_Z_INFO", field));
    let surface = |field| draw.field("DB_HTILE_SURFACE", field);
    (info("TILE_SURFACE_ENABLE") == 1).then(|| Htile {
        address: address(draw, "DB_HTILE_DATA_BASE", "DB_HTILE_DATA_BASE_HI"),
        pipe_aligned: surface("PIPE_ALIGNED") == 1,
        rb_aligned: gfx == Gfx::Gfx9 && surface("RB_ALIGNED") == 1,
        stencil: draw.field("DB_STENCIL_INFO", "TILE_STENCIL_DISABLE") == 0,
        compressed: draw.field("DB_RENDER_CONTROL", "DEPTH_COMPRESS_DISABLE") == 0,
        shader_readable: info("DECOMPRESS_ON_N_ZPLANES") != 0,
        decompress_planes: info("DECOMPRESS_ON_N_ZPLANES") as u8,
        iterate_256: gfx > Gfx::Gfx9 && info("ITERATE_256") == 1,
        rates: gfx == Gfx::Gfx103 && surface("VRS_HTILE_ENCODING") == 2,
    })
}

/// Fills in what a description leaves to compiler, memory and driver, from the registers: programs, addresses and tiling, bin sizes, a rate that RADV forces.
pub fn complete(desc: &mut DrawDesc, draw: &Captured<'_>) {
    let Some(stages) = described(draw) else { return };
    let address = |lo: &str, hi: &str| (u64::from(draw.get(lo).unwrap_or(0)) << 8) | (u64::from(draw.get(hi).unwrap_or(0)) << 40);
    let user_data =
        |count: usize, array: &str| -> Vec<UserData> { (0..count).map(|n| draw.get(&format!("{array}_{n}")).map_or(UserData::Keep, UserData::Word)).collect() };
    // The contents of the first two SGPRs of merged stages: from GFX11 on in the registers that held the address of the second half.
    let pair = |stage: &str| {
        let half = match stage {
            "ES" => "GS",
            "LS" => "HS",
            _ => return None,
        };
        let [lo, hi] = if draw.chip.gfx() >= Gfx::Gfx11 { ["PGM_LO", "PGM_HI"] } else { ["USER_DATA_ADDR_LO", "USER_DATA_ADDR_HI"] };
        let word = |name| draw.get(&format!("SPI_SHADER_{name}_{half}")).map(u64::from);
        Some(word(lo)? | word(hi)? << 32)
    };
    let loaded = |program: Program, stage: &str, array: &str| Program {
        address: Some(address(&format!("SPI_SHADER_PGM_LO_{stage}"), &format!("SPI_SHADER_PGM_HI_{stage}"))),
        address_pair: pair(stage),
        user_data: user_data(program.user_data.len(), array),
        ..program
    };
    let old = draw.chip.gfx() == Gfx::Gfx9;
    let (stage, array) = match stages.pipeline.vertex.path {
        Some(VertexPath::Ngg) => ("ES", "SPI_SHADER_USER_DATA_GS"),
        _ if stages.pipeline.geometry.is_some() && old => ("ES", "SPI_SHADER_USER_DATA_ES"),
        _ if stages.pipeline.geometry.is_some() => ("ES", "SPI_SHADER_USER_DATA_GS"),
        _ => ("VS", "SPI_SHADER_USER_DATA_VS"),
    };
    desc.pipeline.tessellation = stages.pipeline.tessellation.map(|patches| Tessellation {
        program: loaded(patches.program, "LS", if old { "SPI_SHADER_USER_DATA_LS" } else { "SPI_SHADER_USER_DATA_HS" }),
        ..patches
    });
    desc.pipeline.geometry = stages.pipeline.geometry.map(|shader| match stages.pipeline.vertex.path {
        Some(VertexPath::Ngg) => shader,
        _ => GeometryStage { copy_program: loaded(shader.copy_program, "VS", "SPI_SHADER_USER_DATA_VS"), ..shader },
    });
    desc.pipeline.mesh = stages.pipeline.mesh;
    desc.pipeline.vertex = VertexStage { program: loaded(stages.pipeline.vertex.program.clone(), stage, array), ..stages.pipeline.vertex };
    if let (Some(shader), Some(captured)) = (&mut desc.pipeline.shader, stages.pipeline.shader) {
        shader.program = loaded(captured.program, "PS", "SPI_SHADER_USER_DATA_PS");
        shader.inputs = captured.inputs;
    }
    for (n, target) in desc.targets.color.iter_mut().enumerate() {
        target.surface.address = address(&format!("CB_COLOR{n}_BASE"), &format!("CB_COLOR{n}_BASE_EXT"));
        let attrib = if old { format!("CB_COLOR{n}_ATTRIB") } else { format!("CB_COLOR{n}_ATTRIB3") };
        target.surface.swizzle = draw.field(&attrib, "COLOR_SW_MODE") as u8;
        target.compression = compression(draw, n);
    }
    if let Some(depth) = &mut desc.targets.depth {
        depth.surface.address = address("DB_Z_READ_BASE", "DB_Z_READ_BASE_HI");
        depth.surface.stencil_address = address("DB_STENCIL_READ_BASE", "DB_STENCIL_READ_BASE_HI");
        depth.surface.swizzle = draw.field("DB_Z_INFO", "SW_MODE") as u8;
        depth.htile = htile(draw);
    }
    let bins = |field| draw.field("PA_SC_BINNER_CNTL_0", field);
    let side = |small, extend| if bins(small) == 1 { 16 } else { 32 << bins(extend) };
    let size = Binning { width: side("BIN_SIZE_X", "BIN_SIZE_X_EXTEND"), height: side("BIN_SIZE_Y", "BIN_SIZE_Y_EXTEND") };
    desc.pipeline.binning = (bins("BINNING_MODE") == 0).then_some(size);
    let forced = |field| draw.field("DB_VRS_OVERRIDE_CNTL", field);
    desc.pipeline.rate_override = match (forced("VRS_OVERRIDE_RATE_COMBINER_MODE"), forced("VRS_OVERRIDE_RATE_X"), forced("VRS_OVERRIDE_RATE_Y")) {
        (1, 1, 1) => Some(ShadingRate::R2x2),
        _ => None,
    };
}

/// Returns the draw of a capture from its registers: targets, and its pass over targets if any.
pub fn of_targets(draw: &Captured<'_>) -> DrawDesc {
    let bound = |n: usize| draw.field(&format!("CB_COLOR{n}_INFO"), "FORMAT") != 0;
    let samples = |n: usize| {
        let count = if draw.chip.gfx() >= Gfx::Gfx11 { "NUM_FRAGMENTS" } else { "NUM_SAMPLES" };
        Some(1 << draw.field(&format!("CB_COLOR{n}_ATTRIB"), count))
    };
    let mask = |n: usize| draw.field("CB_TARGET_MASK", &format!("TARGET{n}_ENABLE")) as u8;
    let color = (0..8)
        .filter(|n| bound(*n))
        .map(|n| (TargetImage { samples: samples(n), ..TargetImage::default() }, TargetBlend { write_mask: mask(n), ..TargetBlend::default() }));
    let depth = (draw.field("DB_Z_INFO", "FORMAT") == 3).then(|| DepthTarget::new(DepthFormat::D32, 1 << draw.field("DB_Z_INFO", "NUM_SAMPLES")));
    let resolves = draw.chip.gfx() < Gfx::Gfx11 && draw.field("CB_COLOR_CONTROL", "MODE") == 3;
    let rasterized = 1 << draw.field("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES");
    let mut desc = DrawDesc {
        pipeline: PipelineDesc { samples: rasterized, pass: resolves.then_some(TargetPass::Resolve), ..PipelineDesc::default() },
        targets: TargetsDesc { depth, ..TargetsDesc::default() },
        ..DrawDesc::default()
    }
    .with_colors(color);
    complete(&mut desc, draw);
    let of = |field| draw.field("DB_DEPTH_CONTROL", field);
    let compare = Compare::iter().nth(of("ZFUNC") as usize).expect("a comparison");
    desc.pipeline.depth_test = DepthTest { test: of("Z_ENABLE") == 1, write: of("Z_WRITE_ENABLE") == 1, compare, ..desc.pipeline.depth_test };
    desc.pipeline.topology = described(draw).map_or(Topology::RectList, |said| said.pipeline.topology);
    let float = |name| f32::from_bits(draw.get(name).unwrap_or(0));
    let (x, y) = ((float("PA_CL_VPORT_XSCALE"), float("PA_CL_VPORT_XOFFSET")), (float("PA_CL_VPORT_YSCALE"), float("PA_CL_VPORT_YOFFSET")));
    desc.state.viewports = vec![Viewport { x: x.1 - x.0, width: 2.0 * x.0, y: y.1 - y.0, height: 2.0 * y.0, min_depth: 0.0, max_depth: 1.0 }];
    let corner = |name, field| draw.field(name, field);
    let from = (corner("PA_SC_VPORT_SCISSOR_0_TL", "TL_X"), corner("PA_SC_VPORT_SCISSOR_0_TL", "TL_Y"));
    let to = (corner("PA_SC_VPORT_SCISSOR_0_BR", "BR_X"), corner("PA_SC_VPORT_SCISSOR_0_BR", "BR_Y"));
    desc.state.scissors = vec![Rect { x: from.0, y: from.1, width: to.0.saturating_sub(from.0), height: to.1.saturating_sub(from.1) }];
    desc
}

/// Returns the memory that the preamble names.
pub fn queue_memory(draw: &Captured<'_>) -> QueueMemory {
    let attributes = draw
        .get("SPI_ATTRIBUTE_RING_BASE")
        .map(|base| AttributeRing { address: u64::from(base) << 16, bytes: (draw.field("SPI_ATTRIBUTE_RING_SIZE", "MEM_SIZE") + 1) << 16 });
    let place = |base: u32| (u64::from(base) << 8) | (u64::from(draw.get("VGT_TF_MEMORY_BASE_HI").unwrap_or(0)) << 40);
    let tessellation = draw.get("VGT_TF_MEMORY_BASE").map(|base| TessellationRings {
        address: place(base),
        factor_dwords: draw.get("VGT_TF_RING_SIZE").unwrap_or(0),
        buffers: draw.field("VGT_HS_OFFCHIP_PARAM", "OFFCHIP_BUFFERING") + 1,
        shader_engines: Board::recorded(draw.chip).expect("a recorded board").shader_engines,
    });
    let geometry_shader_ring = draw.get("VGT_GSVS_RING_SIZE").filter(|size| *size != 0).map(|size| size << 8);
    QueueMemory { attributes, tessellation, geometry_shader_ring, ..QueueMemory::default() }
}
