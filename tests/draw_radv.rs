//! Complete draw state against a real driver: every register that RADV has written before the last draw of a case, and that the case's description
//! determines, has the value this crate programs. Prints what was compared, and why the rest was not.
//!
//! `tests/captures` holds a small set; where `../shared/captures` exists, or PM4_CAPTURES names a folder, that is compared as well.

mod support;

use pm4::chip::{Chip, Gfx};
use pm4::cp::{Bank, CommandProcessor, DrawView, Observer};
use pm4::draw::*;
use pm4::packet::Queue;
use pm4::regs;
use std::collections::BTreeMap;
use std::path::Path;
use support::captured::{Captured, all_captures, complete, described, each_captured, queue_memory, stages, table};

/// Registers that the description leaves open, by the start of their names, and why.
const UNDETERMINED: &[(&str, &[&str])] = &[
    (
        "metadata that the draw's targets do not have",
        &["CB_COLOR0_CMASK", "CB_COLOR0_FMASK", "CB_COLOR0_DCC", "CB_COLOR0_FDCC_CONTROL", "DB_HTILE_DATA_BASE", "DB_HTILE_SURFACE"],
    ),
    (
        "stages that the draw does not use: tessellation, legacy geometry, compute",
        &[
            "SPI_SHADER_PGM_LO_HS",
            "SPI_SHADER_PGM_HI_LS",
            "SPI_SHADER_PGM_HI_ES",
            "SPI_SHADER_PGM_HI_VS",
            "SPI_SHADER_PGM_LO_GS",
            "SPI_SHADER_PGM_HI_GS",
            "SPI_SHADER_PGM_HI_HS",
            "SPI_SHADER_USER_DATA_ADDR",
            "VGT_GSVS_RING",
            "VGT_TF_RING",
            "VGT_TF_MEMORY",
            "VGT_HS_OFFCHIP",
            "TA_CS_BC_BASE",
        ],
    ),
    ("no rate image is bound", &["PA_SC_VRS_RATE_BASE"]),
    ("user SGPRs of earlier programs", &["SPI_SHADER_USER_DATA"]),
];

/// Fields left out of registers that are compared: alignment of metadata that is not there, walk constants of the board.
const UNDETERMINED_FIELDS: &[(&str, &[&str])] = &[
    ("CB_COLOR0_ATTRIB", &["FMASK_SW_MODE", "RB_ALIGNED", "PIPE_ALIGNED"]),
    ("CB_COLOR0_ATTRIB3", &["FMASK_SW_MODE", "CMASK_PIPE_ALIGNED", "DCC_PIPE_ALIGNED"]),
    ("PA_SC_MODE_CNTL_1", &["WALK_FENCE_SIZE", "WALK_FENCE_ENABLE"]),
];

const NO_COARSE_DEPTH: &str = "no coarse rate with a depth export on this chip (has_vrs_ds_export_bug); RADV forces one nevertheless";

/// Differences that are meant: register, field, generations from and to, reason. docs/differences.md has them in full.
type Intended = (&'static str, &'static str, Gfx, Gfx, &'static str);
const INTENDED: &[Intended] = &[
    ("DB_Z_INFO", "NUM_SAMPLES", Gfx::Gfx11, Gfx::Gfx12, "without a depth target RADV writes 3, this crate the exposed samples"),
    ("GE_VRS_RATE", "RATE_X", Gfx::Gfx103, Gfx::Gfx103, "POPS shades at 1x1; RADV leaves the rate and overrides it"),
    ("GE_VRS_RATE", "RATE_Y", Gfx::Gfx103, Gfx::Gfx103, "POPS shades at 1x1; RADV leaves the rate and overrides it"),
    ("DB_VRS_OVERRIDE_CNTL", "VRS_OVERRIDE_RATE_COMBINER_MODE", Gfx::Gfx103, Gfx::Gfx103, NO_COARSE_DEPTH),
    ("DB_VRS_OVERRIDE_CNTL", "VRS_OVERRIDE_RATE_X", Gfx::Gfx103, Gfx::Gfx103, NO_COARSE_DEPTH),
    ("DB_VRS_OVERRIDE_CNTL", "VRS_OVERRIDE_RATE_Y", Gfx::Gfx103, Gfx::Gfx103, NO_COARSE_DEPTH),
    ("CB_FDCC_CONTROL", "DISABLE_CONSTANT_ENCODE_SINGLE", Gfx::Gfx11, Gfx::Gfx11, "RADV sets it in the preamble and clears it with each framebuffer"),
    ("PA_SU_SMALL_PRIM_FILTER_CNTL", "SMALL_PRIM_FILTER_ENABLE", Gfx::Gfx9, Gfx::Gfx9, "radeonsi's rule for Vega10 and Raven with MSAA, which RADV lacks"),
    ("VGT_INDEX_TYPE", "INDEX_TYPE", Gfx::Gfx9, Gfx::Gfx12, "left from an earlier indexed draw; this draw has no indices"),
];

/// The description that the name of a case stands for; None where the name does not say enough.
fn describe(case: &str, interlock: &str, samples: u32, target: &str) -> Option<DrawDesc> {
    let known = ["draw_", "fs_", "dynsamples_", "lines_", "strip_", "a2c_", "vrs2x2_", "relaxed_", "occlusion_", "mixed_c2d8_", "sampleshading_", "nofs_"];
    let stages = ["tess_", "geom_", "mesh_", "taskmesh_"];
    if !known.iter().chain(&stages).any(|start| case.starts_with(start)) {
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
fn ours(chip: Chip, desc: &DrawDesc, memory: &QueueMemory) -> BTreeMap<u32, u32> {
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(memory).expect("a preamble");
    recorder.draw(&desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}"))).expect("a draw");
    let words = recorder.finish().expect("padding");
    let mut seen = LastDraw::default();
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "draw", &words);
    cp.run(&mut seen);
    seen.0
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
        let Some(register) = regs::lookup(gfx, addr) else {
            *self.undetermined.entry("no register of the generation").or_default() += 1;
            return None;
        };
        let name = register.info().name;
        // What this crate writes is compared, even where another draw would leave it open.
        let left_out = UNDETERMINED.iter().find(|(_, names)| names.iter().any(|start| name.starts_with(start)));
        // Limits of compression that is off: RADV states them, this crate writes 0.
        let ours = ours.filter(|ours| name != "CB_COLOR0_FDCC_CONTROL" || *ours != 0 || theirs >> 22 & 1 == 1);
        let ours = match (ours, left_out) {
            (Some(ours), None) => ours,
            (Some(ours), Some(_)) if ["SPI_SHADER_", "VGT_", "CB_COLOR0_", "DB_HTILE_"].iter().any(|start| name.starts_with(start)) => ours,
            (_, Some((why, _))) => {
                *self.undetermined.entry(why).or_default() += 1;
                return None;
            }
            (None, None) => {
                *self.absent.entry(register.to_string()).or_default() += 1;
                return None;
            }
        };
        self.compared += 1;
        let left_out = UNDETERMINED_FIELDS.iter().find(|(register, _)| *register == name).map_or(&[][..], |(_, fields)| fields);
        let mut equal = true;
        // Bits that no field covers count as well: RADV's slip in CB_RMI_GL2_CACHE_CONTROL apart.
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

    /// All registers that RADV has written before the draws.
    fn written(&self) -> usize {
        self.compared + self.undetermined.values().sum::<usize>() + self.absent.values().sum::<usize>()
    }
}

fn compare(folder: &Path) -> Option<()> {
    let manifest = table(&folder.join("manifest.tsv"))?;
    let draws = table(&folder.join("expected/draws.tsv"))?;
    let mut cases: BTreeMap<(String, String), (String, u32, String)> = BTreeMap::new();
    for row in rows(&manifest) {
        let Ok(samples) = row["samples"].parse() else { continue };
        cases.insert((row["family"].into(), row["case"].into()), (row["interlock"].into(), samples, row["target"].into()));
    }
    let mut last: BTreeMap<(Chip, String), Captured<'_>> = BTreeMap::new();
    each_captured(&draws, |draw| {
        if draw.queue == "gfx" && (draw.packet.starts_with("DRAW") || draw.packet.contains("MESH")) {
            last.insert((draw.chip, draw.case.to_owned()), draw.clone());
        }
    });
    let mut counts: BTreeMap<(Gfx, &str), Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    for ((chip, case), draw) in &last {
        let Some((interlock, samples, target)) = cases.get(&(chip.to_string(), case.clone())) else { continue };
        let Some(mut desc) = describe(case, interlock, *samples, target) else { continue };
        complete(&mut desc, draw);
        if let Some(said) = described(draw).filter(|said| said.mesh.is_some() || said.tessellation.is_some()) {
            desc.topology = said.topology;
        }
        let state = ours(*chip, &desc, &queue_memory(draw));
        let count = counts.entry((chip.gfx(), stages(draw))).or_default();
        count.cases += 1;
        let graphics = |addr: u32| !(0xB800..0xC000).contains(&addr) && !draw.loaded.contains(&addr);
        for (addr, theirs) in draw.state.iter().filter(|(addr, _)| graphics(**addr)) {
            let different = count.register(chip.gfx(), *addr, *theirs, state.get(addr).copied());
            wrong.extend(different.map(|what| format!("{chip} {case}: {what}")));
        }
    }
    for ((gfx, stages), c) in &counts {
        let (absent, written) = (c.absent.values().sum::<usize>(), c.written());
        let share = 100 * c.compared / written.max(1);
        println!(
            "{gfx}, {stages}: {} cases, {written} registers written by RADV, {} compared ({share} %), {} equal, {absent} not written here",
            c.cases, c.compared, c.equal
        );
        c.intended.iter().for_each(|(why, n)| println!("    {n:6} fields differ on purpose: {why}"));
        c.undetermined.iter().for_each(|(why, n)| println!("    {n:6} undetermined: {why}"));
        c.absent.iter().for_each(|(name, n)| println!("    {n:6} not written here: {name}"));
        assert!(10 * c.compared >= 9 * written, "{gfx}, {stages}: less than 90 % of the registers that RADV writes are compared");
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
    let more = all_captures();
    if compare(&more).is_none() {
        println!("no captures in {}", more.display());
    }
}
