//! Complete draw state against a real driver: every register that RADV has written before the last draw of a case, and that the case's description
//! determines, has the value this crate programs. Prints what was compared, and why the rest was not.
//!
//! `tests/captures` holds a small set; where `../shared/captures` exists, or PM4_CAPTURES names a folder, that is compared as well.

mod support;

use flate2::read::GzDecoder;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{Bank, CommandProcessor, DrawView, Observer};
use pm4::draw::*;
use pm4::packet::Queue;
use pm4::regs;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Registers whose value the description leaves open, by the start of their names, and why.
const UNDETERMINED: &[(&str, &[&str])] = &[
    (
        "addresses",
        &[
            "SPI_SHADER_PGM_LO",
            "SPI_SHADER_PGM_HI",
            "CB_COLOR0_BASE",
            "CB_COLOR0_CMASK",
            "CB_COLOR0_FMASK",
            "CB_COLOR0_DCC_BASE",
            "DB_Z_READ_BASE",
            "DB_Z_WRITE_BASE",
            "DB_STENCIL_READ_BASE",
            "DB_STENCIL_WRITE_BASE",
            "DB_HTILE_DATA_BASE",
            "TA_BC_BASE",
            "TA_CS_BC_BASE",
            "COHER_DEST_BASE",
            "VGT_ESGS_RING",
            "VGT_GSVS_RING",
            "VGT_TF_RING",
            "VGT_TF_MEMORY",
            "SPI_ATTRIBUTE_RING",
            "GE_POS_RING",
            "GE_PRIM_RING",
            "PA_SC_VRS_RATE_BASE",
            "SPI_GFX_SCRATCH",
            "VGT_HS_OFFCHIP",
        ],
    ),
    (
        "the shaders and their compiler",
        &[
            "SPI_SHADER_USER_DATA",
            "SPI_SHADER_PGM_RSRC",
            "SPI_PS_INPUT",
            "SPI_PS_IN_CONTROL",
            "SPI_VS_OUT_CONFIG",
            "SPI_SHADER_GS",
            "VGT_SHADER_STAGES_EN",
            "SPI_SHADER_IDX_FORMAT",
            "SPI_SHADER_POS_FORMAT",
            "PA_CL_VS_OUT_CNTL",
            "VGT_GS_ONCHIP_CNTL",
            "VGT_GS_MODE",
            "VGT_GS_INSTANCE_CNT",
            "GE_NGG_SUBGRP_CNTL",
            "GE_MAX_OUTPUT",
            "GE_CNTL",
            "IA_MULTI_VGT_PARAM",
            "VGT_VERTEX_REUSE_BLOCK_CNTL",
            "SPI_TMPRING_SIZE",
        ],
    ),
    (
        "counts of engines, backends and cache lines of the card",
        &["PA_SC_BINNER_CNTL", "SPI_SHADER_LATE_ALLOC", "GE_PC_ALLOC", "PA_SC_TILE_STEERING", "CB_RMI", "DB_RMI", "SPI_GS_THROTTLE", "SPI_GRP_LAUNCH", "CP_"],
    ),
    (
        "the size of the target",
        &["PA_CL_VPORT_X", "PA_CL_VPORT_Y", "PA_SC_VPORT_SCISSOR", "PA_SC_WINDOW_SCISSOR", "PA_SC_SCREEN_SCISSOR", "PA_SC_GENERIC_SCISSOR", "PA_CL_GB"],
    ),
    (
        "compression and tiling of the surfaces",
        &["CB_COLOR0_DCC", "CB_COLOR0_FDCC", "CB_DCC", "CB_FDCC", "DB_HTILE_SURFACE", "DB_STENCIL_INFO", "CB_MRT0_EPITCH"],
    ),
];

/// Fields left out of registers that are compared: tiling, compression, walk constants of the card.
const UNDETERMINED_FIELDS: &[(&str, &[&str])] = &[
    ("CB_COLOR0_INFO", &["DCC_ENABLE", "COMPRESSION", "FAST_CLEAR", "FMASK_COMPRESSION_DISABLE", "FMASK_COMPRESS_1FRAG_ONLY"]),
    ("CB_COLOR0_ATTRIB", &["COLOR_SW_MODE", "FMASK_SW_MODE", "RB_ALIGNED", "PIPE_ALIGNED"]),
    ("CB_COLOR0_ATTRIB3", &["COLOR_SW_MODE", "FMASK_SW_MODE", "CMASK_PIPE_ALIGNED", "DCC_PIPE_ALIGNED"]),
    ("DB_Z_INFO", &["SW_MODE", "TILE_SURFACE_ENABLE", "ZRANGE_PRECISION", "ITERATE_256", "ALLOW_EXPCLEAR", "DECOMPRESS_ON_N_ZPLANES"]),
    ("DB_RENDER_OVERRIDE2", &["DECOMPRESS_Z_ON_FLUSH"]),
    ("PA_SC_MODE_CNTL_1", &["WALK_FENCE_SIZE", "WALK_FENCE_ENABLE"]),
];

/// Differences that are meant: register, field, generations from and to, reason. docs/differences.md has them in full.
type Intended = (&'static str, &'static str, Gfx, Gfx, &'static str);
const INTENDED: &[Intended] = &[
    ("DB_Z_INFO", "NUM_SAMPLES", Gfx::Gfx11, Gfx::Gfx12, "without a depth target RADV writes 3, this crate the exposed samples"),
    ("GE_VRS_RATE", "RATE_X", Gfx::Gfx103, Gfx::Gfx103, "POPS shades at 1x1; RADV leaves the rate and overrides it"),
    ("GE_VRS_RATE", "RATE_Y", Gfx::Gfx103, Gfx::Gfx103, "POPS shades at 1x1; RADV leaves the rate and overrides it"),
    ("DB_VRS_OVERRIDE_CNTL", "VRS_OVERRIDE_RATE_COMBINER_MODE", Gfx::Gfx103, Gfx::Gfx103, "RADV shades flat shaders coarsely of its own accord"),
    ("DB_VRS_OVERRIDE_CNTL", "VRS_OVERRIDE_RATE_X", Gfx::Gfx103, Gfx::Gfx103, "RADV shades flat shaders coarsely of its own accord"),
    ("DB_VRS_OVERRIDE_CNTL", "VRS_OVERRIDE_RATE_Y", Gfx::Gfx103, Gfx::Gfx103, "RADV shades flat shaders coarsely of its own accord"),
    ("PA_SU_SMALL_PRIM_FILTER_CNTL", "SMALL_PRIM_FILTER_ENABLE", Gfx::Gfx9, Gfx::Gfx9, "radeonsi's rule for Vega10 and Raven with MSAA, which RADV lacks"),
    ("VGT_INDEX_TYPE", "INDEX_TYPE", Gfx::Gfx9, Gfx::Gfx12, "left from an earlier indexed draw; this draw has no indices"),
];

/// The description that the name of a case stands for; None where the name does not say enough.
fn describe(case: &str, interlock: &str, samples: u32, target: &str) -> Option<DrawDesc> {
    let known = ["draw_", "fs_", "dynsamples_", "lines_", "strip_", "a2c_", "vrs2x2_", "relaxed_", "occlusion_", "mixed_c2d8_", "sampleshading_", "nofs_"];
    if !known.iter().any(|start| case.starts_with(start)) {
        return None;
    }
    let (mode, writes_memory, section_unused) = match interlock {
        "none" => (Interlock::None, false, false),
        "none_rmw" => (Interlock::None, true, false),
        "pixel_ordered_unused" => (Interlock::PixelOrdered, true, true),
        mode => (mode.replace('_', "-").parse().ok()?, true, false),
    };
    let variant = |name: &str| case.contains(&format!("fs_{name}_"));
    let mut shader = PixelShader { writes_memory, section_unused, ..PixelShader::default() };
    shader.early_fragment_tests = variant("early");
    shader.can_discard = variant("discard");
    shader.writes_depth = variant("fragdepth");
    shader.writes_sample_mask = variant("maskout") || variant("nocolmask");
    shader.reads_sample_mask = variant("maskin");
    shader.sample_shading = variant("sampleshade") || case.starts_with("sampleshading_");
    let write_mask = if variant("nocolmask") { 0 } else { 0xF };
    let mut color = Vec::new();
    if target.contains("color") {
        color.push(ColorTarget { write_mask, ..ColorTarget::default() });
    }
    if target.contains("color2") {
        color.push(ColorTarget { format: ColorFormat::Rgba16f, write_mask: 0x7, ..ColorTarget::default() });
    }
    if case.starts_with("mixed_c2d8_") {
        color.iter_mut().for_each(|target| target.samples = Some(2));
    }
    let mut desc = DrawDesc {
        shader: (!case.starts_with("nofs_")).then_some(shader),
        interlock: mode,
        samples,
        color,
        depth: target.contains("depth").then_some(DepthTarget::new(DepthFormat::D32, samples)),
        ..DrawDesc::default()
    };
    if variant("early") {
        let face = StencilFace { pass: StencilAction::Replace, depth_fail: StencilAction::Invert, reference: 0x55, write_mask: 0xF0, ..StencilFace::default() };
        desc.depth_test.stencil = Some((face, face));
        desc.depth = desc.depth.map(|d| DepthTarget { format: DepthFormat::D32s8, ..d });
    }
    desc.alpha_to_coverage = case.starts_with("a2c_");
    desc.rate = if case.starts_with("vrs2x2_") { ShadingRate::R2x2 } else { ShadingRate::R1x1 };
    desc.order = if case.starts_with("relaxed_") { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict };
    desc.occlusion = if case.starts_with("occlusion_") { Occlusion::Precise } else { Occlusion::Off };
    desc.topology = match case {
        _ if case.starts_with("lines_") => Topology::LineList,
        _ if case.starts_with("strip_") => Topology::TriangleStrip,
        _ => Topology::TriangleList,
    };
    Some(desc)
}

#[derive(Default)]
struct LastDraw(BTreeMap<u32, u32>);

impl Observer for LastDraw {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.0 = [Bank::Context, Bank::Sh, Bank::Uconfig].into_iter().flat_map(|bank| view.registers().written(bank)).collect();
    }
}

/// The registers at the draw, as the model sees them in the recorded stream.
fn ours(chip: Chip, desc: &DrawDesc) -> BTreeMap<u32, u32> {
    let mut recorder = Recorder::new(chip);
    recorder.begin().expect("a preamble");
    recorder.draw(&desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}"))).expect("a draw");
    let words = recorder.finish().expect("padding");
    let mut seen = LastDraw::default();
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "draw", &words);
    cp.run(&mut seen);
    seen.0
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    match (File::open(path), File::open(packed)) {
        (Ok(mut file), _) => file.read_to_string(&mut text).ok()?,
        (_, Ok(file)) => GzDecoder::new(file).read_to_string(&mut text).ok()?,
        _ => return None,
    };
    Some(text)
}

fn rows(text: &str) -> impl Iterator<Item = BTreeMap<&str, &str>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines.map(move |line| head.iter().copied().zip(line.split('\t')).collect())
}

#[derive(Default)]
struct Count {
    cases: usize,
    compared: usize,
    equal: usize,
    intended: BTreeMap<&'static str, usize>,
    undetermined: BTreeMap<&'static str, usize>,
    absent: BTreeMap<String, usize>,
}

impl Count {
    /// Compares one register; the text of a difference that nothing explains.
    fn register(&mut self, gfx: Gfx, addr: u32, theirs: u32, ours: Option<u32>) -> Option<String> {
        let register = regs::lookup(gfx, addr)?;
        let name = register.info().name;
        if let Some((why, _)) = UNDETERMINED.iter().find(|(_, names)| names.iter().any(|start| name.starts_with(start))) {
            *self.undetermined.entry(why).or_default() += 1;
            return None;
        }
        let Some(ours) = ours else {
            *self.absent.entry(register.to_string()).or_default() += 1;
            return None;
        };
        self.compared += 1;
        let left_out = UNDETERMINED_FIELDS.iter().find(|(register, _)| *register == name).map_or(&[][..], |(_, fields)| fields);
        let mut equal = true;
        for field in register.fields().iter().filter(|f| f.get(ours) != f.get(theirs) && !left_out.contains(&f.name)) {
            equal = false;
            let meant = INTENDED.iter().find(|(r, f, from, to, _)| *r == name && *f == field.name && (*from..=*to).contains(&gfx));
            match meant {
                Some((.., why)) => *self.intended.entry(why).or_default() += 1,
                None => return Some(format!("{register}.{}: {} here, {} in RADV", field.name, field.get(ours), field.get(theirs))),
            }
        }
        self.equal += usize::from(equal);
        None
    }
}

fn compare(folder: &Path) -> Option<()> {
    let manifest = read(&folder.join("manifest.tsv"))?;
    let draws = read(&folder.join("expected/draws.tsv"))?;
    let mut cases: BTreeMap<(String, String), (String, u32, String)> = BTreeMap::new();
    for row in rows(&manifest) {
        let Ok(samples) = row["samples"].parse() else { continue };
        cases.insert((row["family"].into(), row["case"].into()), (row["interlock"].into(), samples, row["target"].into()));
    }
    let mut last: BTreeMap<(String, String), BTreeMap<&str, &str>> = BTreeMap::new();
    for row in rows(&draws).filter(|row| row["queue"] == "gfx" && row["name"].starts_with("DRAW")) {
        last.insert((row["family"].into(), row["case"].into()), row);
    }
    let mut counts: BTreeMap<Gfx, Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (key, row) in &last {
        let Some((interlock, samples, target)) = cases.get(key) else { continue };
        let (Ok(chip), Some(desc)) = (key.0.parse::<Chip>(), describe(&key.1, interlock, *samples, target)) else { continue };
        let state = ours(chip, &desc);
        let count = counts.entry(chip.gfx()).or_default();
        count.cases += 1;
        let loaded: Vec<&str> = row["loaded"].split_whitespace().collect();
        for pair in ["context", "sh_gfx", "uconfig"].iter().flat_map(|column| row[column].split_whitespace()) {
            let Some((addr, value)) = pair.split_once('=') else { continue };
            if loaded.contains(&addr) {
                continue;
            }
            let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number");
            let (addr, theirs) = (number(addr), number(value));
            wrong.extend(count.register(chip.gfx(), addr, theirs, state.get(&addr).copied()).map(|what| format!("{} {}: {what}", key.0, key.1)));
        }
    }
    for (gfx, c) in &counts {
        let absent: usize = c.absent.values().sum();
        println!("{gfx}: {} cases, {} registers compared, {} equal, {absent} not written here", c.cases, c.compared, c.equal);
        c.intended.iter().for_each(|(why, n)| println!("    {n:6} fields differ on purpose: {why}"));
        c.undetermined.iter().for_each(|(why, n)| println!("    {n:6} undetermined: {why}"));
        c.absent.iter().for_each(|(name, n)| println!("    {n:6} not written here: {name}"));
        assert!(c.compared >= 9 * absent, "{gfx}: less than 90 % of the determined registers are compared");
    }
    assert!(
        wrong.is_empty(),
        "{} differences, the first: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(if std::env::var_os("PM4_ALL").is_some() { 10_000 } else { 12 })]
    );
    assert!(!counts.is_empty(), "{}: no case was compared", folder.display());
    Some(())
}

#[test]
fn state_at_the_draw_equals_radv_in_everything_that_the_case_determines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    compare(&root.join("tests/captures")).expect("the small set of captures");
    let more = std::env::var_os("PM4_CAPTURES").map_or_else(|| root.join("../shared/captures"), PathBuf::from);
    if compare(&more).is_none() {
        println!("no captures in {}", more.display());
    }
}
