//! The code objects in tests/code_objects, and what tests do with them.

use crate::support::repository;
use pm4::chip::Chip;
use pm4::code_object::{CodeObject, Kernel, Launch};
use pm4::cp::{CommandProcessor, Finding, Observer, QueueId};
use pm4::draw::{DispatchDesc, Recorder, ScratchRing};
use pm4::packet::{Queue, Stream};

/// Returns the name and bytes of each file, sorted by name.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(repository("tests/code_objects")).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.extension().is_some_and(|extension| extension == "elf"));
    let mut files: Vec<_> =
        paths.map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), std::fs::read(&path).expect("a file"))).collect();
    files.sort();
    files
}

pub fn parse<'a>(name: &str, bytes: &'a [u8]) -> CodeObject<'a> {
    CodeObject::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub const IMAGE: u64 = 0x1_0000_0000;
pub const KERNARG: u64 = 0x2_0000_0000;
pub const SCRATCH: ScratchRing = ScratchRing { address: 0x3_0000_0000, waves: 32 };

/// Returns a launch that states everything that a kernel can read.
pub fn launch(kernel: &Kernel<'_>) -> Launch {
    let group = kernel.required_group.unwrap_or([64, 1, 1]);
    Launch {
        image: IMAGE,
        kernarg: KERNARG,
        group,
        grid: [group[0] * 4, group[1] * 3, group[2] * 2],
        dynamic_group_bytes: if kernel.name == "spread" { 256 } else { 0 },
        private_bytes: kernel.descriptor.has_dynamic_stack().then_some(1024),
        scratch: Some(SCRATCH),
        scratch_descriptor: Some([SCRATCH.address as u32, 3 | 1 << 31, 0x8_0000, 0x00E2_4FAC]),
        dispatch_packet: Some(0x4_0000_0000),
        queue: Some(0x4_0001_0000),
        dispatch_id: 5,
    }
}

#[derive(Default)]
pub struct Findings(pub Vec<String>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.to_string());
    }
}

/// Runs a command buffer with the dispatch on a compute queue of the model, with only the image and the arguments mapped; returns the findings.
pub fn run_dispatch(chip: Chip, object: &CodeObject<'_>, dispatch: &DispatchDesc) -> (u64, Vec<String>) {
    let mut recorder = Recorder::from_writer(chip, Stream::growable(chip.gfx(), Queue::Compute));
    recorder.begin_compute().expect("a preamble");
    recorder.dispatch(&dispatch.resolve(chip).unwrap_or_else(|error| panic!("{chip}: {dispatch:?}: {error}"))).expect("a dispatch");
    let words = recorder.words().to_vec();
    let image = words_of(&object.image(IMAGE).expect("an image"));
    let arguments = vec![0; 256];
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(true).map("image", IMAGE, &image);
    cp.map("arguments", KERNARG, &arguments);
    cp.submit_to(QueueId::COMPUTE, "launch", None, &words);
    let mut findings = Findings::default();
    let summary = cp.run(&mut findings);
    (summary.dispatches, findings.0)
}

pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect()
}
