//! Complete draw state compared with a real driver: every register that RADV has written before the last draw of a case, and that the description of the case
//! determines, has the value that this crate programs. Prints what was compared, and why the rest was not.
//!
//! `tests/captures` contains a small set; a folder named by PM4_CAPTURES is compared as well, and in a release build also `../shared/captures`, if it exists.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{Bank, CommandProcessor, DrawView, Observer};
use pm4::draw::*;
use pm4::packet::Queue;
use pm4::regs;
use std::collections::BTreeMap;
use std::path::Path;
use support::captured::{Captured, complete, described, each_captured, folders_of_captures, of_targets, queue_memory, stages, table};

/// Registers that the description leaves open, by the start of their names, with reasons.
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
        ],
    ),
    ("no shading-rate image is bound", &["PA_SC_VRS_RATE_BASE"]),
    ("user SGPRs of earlier programs", &["SPI_SHADER_USER_DATA"]),
];

/// Fields excluded from compared registers: alignment of absent metadata, walk constants of the board.
const UNDETERMINED_FIELDS: &[(&str, &[&str])] = &[
    ("CB_COLOR0_ATTRIB", &["FMASK_SW_MODE", "RB_ALIGNED", "PIPE_ALIGNED"]),
    ("CB_COLOR0_ATTRIB3", &["FMASK_SW_MODE", "CMASK_PIPE_ALIGNED", "DCC_PIPE_ALIGNED"]),
    ("PA_SC_MODE_CNTL_1", &["WALK_FENCE_SIZE", "WALK_FENCE_ENABLE"]),
];

const NO_COARSE_DEPTH: &str = "no coarse rate with a depth export on this chip (has_vrs_ds_export_bug); RADV forces one nevertheless";

/// Intended differences: register, field, first and last generation, reason. docs/differences.md describes them in full.
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
    ("PA_SU_LINE_CNTL", "WIDTH", Gfx::Gfx9, Gfx::Gfx103, "RADV's resolves have lines of width 0, and draw rectangles"),
    ("VGT_INDEX_TYPE", "INDEX_TYPE", Gfx::Gfx9, Gfx::Gfx12, "left from an earlier indexed draw; this draw has no indices"),
];

/// Returns the description for the name of a case; None if the name is not sufficient.
fn describe(case: &str, interlock: &str, samples: u32, target: &str) -> Option<DrawDesc> {
    let known = ["draw_", "fs_", "dynsamples_", "lines_", "strip_", "a2c_", "vrs2x2_", "relaxed_", "occlusion_", "mixed_c2d8_", "sampleshading_", "nofs_"];
    let stages = ["tess_", "geom_", "mesh_", "taskmesh_"];
    if !known.iter().chain(&stages).any(|start| case.starts_with(start)) {
        return None;
    }
    let (mode, writes_memory, ordered_section_removed) = match interlock {
        "none" => (Interlock::None, false, false),
        "none_rmw" => (Interlock::None, true, false),
        "pixel_ordered_unused" => (Interlock::PixelOrdered, true, true),
        mode => (mode.replace('_', "-").parse().ok()?, true, false),
    };
    let variant = |name: &str| case.contains(&format!("fs_{name}_"));
    let mut shader = PixelShader { writes_memory, ordered_section_removed, ..PixelShader::default() };
    shader.early_fragment_tests = variant("early");
    shader.can_discard = variant("discard");
    shader.writes_depth = variant("fragdepth");
    shader.writes_sample_mask = variant("maskout") || variant("nocolmask");
    shader.reads_sample_mask = variant("maskin");
    shader.sample_shading = variant("sampleshade") || case.starts_with("sampleshading_");
    let write_mask = if variant("nocolmask") { 0 } else { 0xF };
    let mut color = Vec::new();
    if target.contains("color") {
        color.push((TargetImage::default(), TargetBlend { write_mask, ..TargetBlend::default() }));
    }
    if target.contains("color2") {
        color.push((TargetImage { format: ColorFormat::Rgba16f, ..TargetImage::default() }, TargetBlend { write_mask: 0x7, ..TargetBlend::default() }));
    }
    if case.starts_with("mixed_c2d8_") {
        color.iter_mut().for_each(|(image, _)| image.samples = Some(2));
    }
    let mut desc = DrawDesc {
        pipeline: PipelineDesc { shader: (!case.starts_with("nofs_")).then_some(shader), interlock: mode, samples, ..PipelineDesc::default() },
        targets: TargetsDesc { depth: target.contains("depth").then_some(DepthTarget::new(DepthFormat::D32, samples)), ..TargetsDesc::default() },
        ..DrawDesc::default()
    }
    .with_colors(color);
    if variant("early") {
        let face = StencilFace { pass: StencilAction::Replace, depth_fail: StencilAction::Invert, reference: 0x55, write_mask: 0xF0, ..StencilFace::default() };
        desc.pipeline.depth_test.stencil = Some((face, face));
        desc.targets.depth = desc.targets.depth.map(|d| DepthTarget { format: DepthFormat::D32s8, ..d });
    }
    desc.pipeline.alpha_to_coverage = case.starts_with("a2c_");
    desc.pipeline.rate = if case.starts_with("vrs2x2_") { ShadingRate::R2x2 } else { ShadingRate::R1x1 };
    desc.pipeline.order = if case.starts_with("relaxed_") { RasterizationOrder::Relaxed } else { RasterizationOrder::Strict };
    desc.state.occlusion = if case.starts_with("occlusion_") { Occlusion::Precise } else { Occlusion::Off };
    desc.pipeline.topology = match case {
        _ if case.starts_with("lines_") => Topology::LineList,
        _ if case.starts_with("strip_") => Topology::TriangleStrip,
        _ => Topology::TriangleList,
    };
    Some(desc)
}

/// Describes the last draw of a case from its name, with everything that compiler, memory and driver decide.
fn from_name(draw: &Captured<'_>, interlock: &str, samples: u32, target: &str) -> Option<DrawDesc> {
    let mut desc = describe(draw.case, interlock, samples, target)?;
    complete(&mut desc, draw);
    if let Some(said) = described(draw).filter(|said| said.pipeline.mesh.is_some() || said.pipeline.tessellation.is_some()) {
        desc.pipeline.topology = said.pipeline.topology;
    }
    Some(desc)
}

/// Returns a description of a case of which every draw is compared, from the bound objects.
fn kind(case: &str) -> Option<&'static str> {
    let kinds = [("clear_", "clears"), ("resolve_", "resolves"), ("transform_feedback", "streamout")];
    kinds.iter().find(|(start, _)| case.starts_with(start)).map(|(_, kind)| *kind)
}

#[derive(Default)]
struct LastDraw(BTreeMap<u32, u32>);

impl Observer for LastDraw {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.0 = [Bank::Context, Bank::Sh, Bank::Uconfig].into_iter().flat_map(|bank| view.registers().written(bank)).collect();
    }
}

/// Returns the registers at the last of these draws, as the model sees them in the recorded stream.
fn ours(draws: &[(DrawDesc, &Captured<'_>)], memory: &QueueMemory) -> Option<BTreeMap<u32, u32>> {
    let chip = draws.first()?.1.chip;
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(memory).expect("a preamble");
    let mut streaming = false;
    for (desc, draw) in draws {
        let streams = desc.pipeline.vertex.streamout.is_some();
        if streams && !streaming {
            recorder.begin_streamout(&streamout(draw)).expect("a begin");
        } else if streaming && !streams {
            recorder.end_streamout([Some(COUNTER), None, None, None]).expect("an end");
        }
        streaming = streams;
        let state = desc.resolve(chip).unwrap_or_else(|e| panic!("{chip}: {e}"));
        let call = counted(draw).map_or_else(|| DrawCall::from(&state), DrawCall::Counted);
        recorder.draw_call(&state, &call).expect("a draw");
    }
    if streaming {
        recorder.end_streamout([None; 4]).expect("an end");
    }
    let words = recorder.finish().expect("padding");
    let mut seen = LastDraw::default();
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "draw", &words);
    cp.run(&mut seen);
    Some(seen.0)
}

/// The address of the streamout counter.
const COUNTER: u64 = 0x10_0000;

/// Returns streamout to one buffer that begins before a draw and appends to earlier output.
fn streamout(draw: &Captured<'_>) -> StreamoutBegin {
    let buffer = StreamoutBuffer { bytes: 4 * draw.get("VGT_STRMOUT_BUFFER_SIZE_0").unwrap_or(0x4000), append: Some(COUNTER) };
    StreamoutBegin { buffers: [Some(buffer), None, None, None], state: None }
}

/// Returns a draw that takes its count from streamout (USE_OPAQUE).
fn counted(draw: &Captured<'_>) -> Option<CountedDraw> {
    let opaque = draw.packet == "DRAW_INDEX_AUTO" && draw.body.get(1)? >> 6 & 1 == 1;
    let of = |name| draw.get(name).unwrap_or(0);
    let (offset, stride) = (of("VGT_STRMOUT_DRAW_OPAQUE_OFFSET"), of("VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE"));
    opaque.then_some(CountedDraw { counter: COUNTER, offset, stride, instances: Instances::default() })
}

fn rows(text: &str) -> impl Iterator<Item = BTreeMap<&str, &str>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines.map(move |line| head.iter().copied().zip(line.split('\t')).collect())
}

#[derive(Default)]
struct Count {
    draws: usize,
    compared: usize,
    equal: usize,
    intended: BTreeMap<&'static str, usize>,
    undetermined: BTreeMap<&'static str, usize>,
    absent: BTreeMap<String, usize>,
}

impl Count {
    /// Compares one register; returns the text of an unexplained difference.
    fn register(&mut self, gfx: Gfx, addr: u32, theirs: u32, ours: Option<u32>) -> Option<String> {
        // RADV writes an address on GFX9 that has no register (0x30900).
        let register = regs::lookup(gfx, addr)?;
        let name = register.info().name;
        // Everything that this crate writes is compared, even if another draw would leave it open.
        let left_out = UNDETERMINED.iter().find(|(_, names)| names.iter().any(|start| name.starts_with(start)));
        // Compression limits while compression is off: RADV sets them, this crate writes 0.
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
        // Bits outside all fields count as well, except RADV's slip in CB_RMI_GL2_CACHE_CONTROL.
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

    /// Counts all registers that RADV has written before the draws.
    fn written(&self) -> usize {
        self.compared + self.undetermined.values().sum::<usize>() + self.absent.values().sum::<usize>()
    }
}

fn compare(folder: &Path) {
    let manifest = table(&folder.join("manifest.tsv")).expect("a manifest");
    let draws = table(&folder.join("expected/draws.tsv")).expect("a table of draws");
    let mut cases: BTreeMap<(String, String), (String, u32, String)> = BTreeMap::new();
    for row in rows(&manifest) {
        let Ok(samples) = row["samples"].parse() else { continue };
        cases.insert((row["family"].into(), row["case"].into()), (row["interlock"].into(), samples, row["target"].into()));
    }
    // The last draw of a case, and all draws that clear, resolve or stream out.
    let mut seen: BTreeMap<(Chip, String, usize), Captured<'_>> = BTreeMap::new();
    each_captured(&draws, |draw| {
        if draw.queue == "gfx" && (draw.packet.starts_with("DRAW") || draw.packet.contains("MESH")) {
            let before = seen.keys().filter(|(chip, case, _)| *chip == draw.chip && case == draw.case).count();
            let nth = if kind(draw.case).is_some() { before } else { 0 };
            seen.insert((draw.chip, draw.case.to_owned(), nth), draw.clone());
        }
    });
    let mut counts: BTreeMap<(Gfx, &str), Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    for ((chip, case, nth), draw) in &seen {
        let Some((interlock, samples, target)) = cases.get(&(chip.to_string(), case.clone())) else { continue };
        let before = seen.iter().filter(|((other, of, n), _)| other == chip && of == case && n <= nth && kind(case).is_some());
        let draws: Option<Vec<_>> = match kind(case) {
            Some(_) => Some(before.map(|(_, draw)| (of_targets(draw), draw)).collect()),
            None => from_name(draw, interlock, *samples, target).map(|desc| vec![(desc, draw)]),
        };
        let Some(state) = draws.and_then(|draws| ours(&draws, &queue_memory(draw))) else { continue };
        let count = counts.entry((chip.gfx(), kind(case).unwrap_or(stages(draw)))).or_default();
        count.draws += 1;
        let graphics = |addr: u32| !(0xB800..0xC000).contains(&addr) && !draw.loaded.contains(&addr);
        for (addr, theirs) in draw.state.iter().filter(|(addr, _)| graphics(**addr)) {
            let different = count.register(chip.gfx(), *addr, *theirs, state.get(addr).copied());
            wrong.extend(different.map(|what| format!("{chip} {case}, draw {nth}: {what}")));
        }
    }
    for ((gfx, stages), c) in &counts {
        let (absent, written) = (c.absent.values().sum::<usize>(), c.written());
        let share = 100 * c.equal / written.max(1);
        println!(
            "{gfx}, {stages}: {} draws, {written} registers written by RADV, {} compared, {} equal ({share} %), {absent} not written here",
            c.draws, c.compared, c.equal
        );
        c.intended.iter().for_each(|(why, n)| println!("    {n:6} fields differ on purpose: {why}"));
        c.undetermined.iter().for_each(|(why, n)| println!("    {n:6} undetermined: {why}"));
        c.absent.iter().for_each(|(name, n)| println!("    {n:6} not written here: {name}"));
    }
    assert!(
        wrong.is_empty(),
        "{} differences, the first: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(if std::env::var_os("PM4_ALL").is_some() { 10_000 } else { 12 })]
    );
    for ((gfx, stages), c) in &counts {
        assert!(10 * c.equal >= 9 * c.written(), "{gfx}, {stages}: less than 90 % of the registers that RADV writes are equal");
    }
    assert!(!counts.is_empty(), "{}: no case was compared", folder.display());
}

#[test]
fn state_at_the_draw_equals_radv_in_everything_that_the_case_determines() {
    folders_of_captures().iter().for_each(|folder| compare(folder));
}

/// Returns the descriptions of a case with several draws, as far as its name and the state at each draw determine them; None otherwise.
fn sequence(case: &str, (interlock, samples, target): &(String, u32, String), draws: &[Captured<'_>]) -> Option<Vec<DrawDesc>> {
    let ramp: Vec<u32> = case.strip_prefix("noattach_ramp_").into_iter().flat_map(|rest| rest.chars().map_while(|c| c.to_digit(10))).collect();
    let one = |(at, draw): (usize, &Captured<'_>)| {
        let samples = ramp.get(at).copied().unwrap_or(*samples);
        // Toggled modes alternate; one register shows the current one.
        let modes = if case.starts_with("toggle_") { vec!["none", "none_rmw", "pixel_ordered", "sample_ordered"] } else { vec![interlock.as_str()] };
        modes.into_iter().find_map(|mode| {
            let mut desc = describe("draw_", mode, samples, target)?;
            complete(&mut desc, draw);
            let image = desc.resolve(draw.chip).ok()?.image;
            let control = regs::find(draw.chip.gfx(), "DB_SHADER_CONTROL")?.addr();
            (image.get(control) == draw.get("DB_SHADER_CONTROL")).then_some(desc)
        })
    };
    draws.iter().enumerate().map(one).collect()
}

/// Returns the call of a recorded draw.
fn call(draw: &Captured<'_>) -> Option<DrawCall> {
    let instances = Instances::default();
    match (draw.packet, draw.body.as_slice()) {
        ("DRAW_INDEX_AUTO", [count, _]) => Some(DrawCall::Auto { vertices: Vertices { first: 0, count: *count }, instances }),
        ("DRAW_INDEX_2", [size, low, high, count, _]) => {
            let format = if draw.field("VGT_INDEX_TYPE", "INDEX_TYPE") == 0 { IndexFormat::U16 } else { IndexFormat::U32 };
            // Addresses in captures are sign-extended; those in packets have 48 bits.
            let buffer = IndexBuffer { address: u64::from(*low) | u64::from(*high & 0xFFFF) << 32, indices: *size, format };
            Some(DrawCall::Indexed { buffer, indices: Indices { first: 0, count: *count, base_vertex: 0 }, instances })
        }
        _ => None,
    }
}

/// Compares the state at each draw.
struct EachDraw<'d, 't> {
    draws: &'d [Captured<'t>],
    at: usize,
    count: Count,
    wrong: Vec<String>,
}

impl Observer for EachDraw<'_, '_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        let (at, draw) = (self.at, &self.draws[self.at]);
        self.at += 1;
        // Of thousands of draws, only the first and the last.
        if at > 20 && at + 1 < self.draws.len() {
            return;
        }
        let state: BTreeMap<u32, u32> = [Bank::Context, Bank::Sh, Bank::Uconfig].into_iter().flat_map(|bank| view.registers().written(bank)).collect();
        let graphics = |addr: u32| !(0xB800..0xC000).contains(&addr) && !draw.loaded.contains(&addr);
        for (addr, theirs) in draw.state.iter().filter(|(addr, _)| graphics(**addr)) {
            let different = self.count.register(draw.chip.gfx(), *addr, *theirs, state.get(addr).copied());
            self.wrong.extend(different.map(|what| format!("{} {}, draw {at}: {what}", draw.chip, draw.case)));
        }
    }
}

/// Records the draws with bound objects; returns the dwords of each, including the state before it.
fn record(draws: &[Captured<'_>], descs: &[DrawDesc]) -> Result<(Vec<usize>, Vec<u32>), RecordError> {
    let chip = draws[0].chip;
    let mut recorder = Recorder::new(chip);
    recorder.begin_with(&queue_memory(&draws[0]))?;
    let (mut dwords, mut before) = (Vec::new(), None);
    for (draw, desc) in draws.iter().zip(descs) {
        let start = recorder.words().len();
        if before != Some(desc) {
            recorder.bind_pipeline(&Pipeline::new(chip, desc.pipeline.clone())?)?;
            recorder.bind_targets(&Targets::new(chip, desc.targets.clone())?)?;
            recorder.set_dynamic_state(&desc.state.clone())?;
            before = Some(desc);
        }
        recorder.draw_bound(&call(draw).expect("a call that is known"))?;
        dwords.push(recorder.words().len() - start);
    }
    Ok((dwords, recorder.finish()?))
}

fn compare_sequences(folder: &Path) {
    let manifest = table(&folder.join("manifest.tsv")).expect("a manifest");
    let table = table(&folder.join("expected/draws.tsv")).expect("a table of draws");
    let mut cases: BTreeMap<(String, String), (String, u32, String)> = BTreeMap::new();
    for row in rows(&manifest) {
        let Ok(samples) = row["samples"].parse() else { continue };
        cases.insert((row["family"].into(), row["case"].into()), (row["interlock"].into(), samples, row["target"].into()));
    }
    let known = ["toggle_", "noattach_ramp_", "draw_multi_", "many_draws_chain"];
    let mut sequences: BTreeMap<(Chip, String), Vec<Captured<'_>>> = BTreeMap::new();
    each_captured(&table, |draw| {
        if draw.queue == "gfx" && draw.packet.starts_with("DRAW") && known.iter().any(|start| draw.case.starts_with(start)) {
            sequences.entry((draw.chip, draw.case.to_owned())).or_default().push(draw.clone());
        }
    });
    let mut wrong = Vec::new();
    for ((chip, case), draws) in &sequences {
        let Some(descs) = sequence(case, &cases[&(chip.to_string(), case.clone())], draws) else {
            wrong.push(format!("{chip} {case}: a draw that the case does not describe"));
            continue;
        };
        let (dwords, words) = record(draws, &descs).unwrap_or_else(|error| panic!("{chip} {case}: {error}"));
        let mut seen = EachDraw { draws, at: 0, count: Count::default(), wrong: Vec::new() };
        let mut cp = CommandProcessor::new(*chip);
        cp.submit(Queue::Graphics, "draws", &words);
        cp.run(&mut seen);
        assert_eq!(seen.at, draws.len(), "{chip} {case}");
        wrong.append(&mut seen.wrong);
        let (mut ours, mut radv, mut compared) = (0, 0, 0);
        for (pair, dwords) in draws.windows(2).zip(&dwords[1..]) {
            // Chains are between draws of two files.
            if let [before, draw] = pair
                && before.file == draw.file
            {
                let theirs = draw.dword - before.dword;
                (ours, radv, compared) = (ours + dwords, radv + theirs, compared + 1);
                if *dwords > theirs {
                    wrong.push(format!("{chip} {case}, draw at dword {}: {dwords} dwords, RADV {theirs}", draw.dword));
                }
            }
        }
        println!(
            "{chip} {case}: {compared} draws behind the first take {ours} dwords, RADV {radv}; {} registers compared, {} equal",
            seen.count.compared, seen.count.equal
        );
    }
    assert!(wrong.is_empty(), "{} differences, the first: {:#?}", wrong.len(), &wrong[..wrong.len().min(12)]);
    assert!(!sequences.is_empty(), "{}: no case has several draws", folder.display());
}

/// Consecutive draws: from the second on, each takes no more dwords than RADV's, with the same state.
#[test]
fn draws_that_follow_others_take_no_more_than_radvs_and_have_its_state() {
    folders_of_captures().iter().for_each(|folder| compare_sequences(folder));
}
