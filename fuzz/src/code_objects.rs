//! Damaged code objects.

use crate::corpus::Corpus;
use crate::input::Input;
use pm4::chip::Chip;
use pm4::code_object::{CodeObject, Launch};
use pm4::draw::{PipelineDesc, ScratchRing};
use pm4::queues::Target;

/// Returns a file with bytes and numbers changed in place, so that most offsets stay valid.
fn damaged(input: &mut Input, corpus: &Corpus) -> Vec<u8> {
    if input.one_in(8) {
        return input.bytes(&corpus.code_objects, &["AMDGPU", ".kd", "\u{0}"]);
    }
    let mut bytes = input.pick(&corpus.code_objects).clone();
    for _ in 0..input.below(8) {
        // The headers of the file and of its parts are at its ends, the metadata follows the first.
        let at = match input.below(3) {
            0 => input.below(bytes.len().min(0x240)),
            1 => bytes.len() - 1 - input.below(bytes.len().min(0x400)),
            _ => input.below(bytes.len()),
        };
        let number = u64::from(input.number()).to_le_bytes();
        let count = (1 << input.below(4)).min(bytes.len() - at);
        match input.below(3) {
            0 => bytes[at] ^= 1 << input.below(8),
            1 => bytes[at] = input.number() as u8,
            _ => bytes[at..at + count].copy_from_slice(&number[..count]),
        }
    }
    if input.one_in(10) {
        bytes.truncate(input.below(bytes.len()));
    }
    input.show(bytes.clone());
    bytes
}

fn launch(input: &mut Input) -> Launch {
    let three = |input: &mut Input| [input.number(), input.number(), input.number()];
    let (group, grid) = if input.one_in(2) { ([16, 16, 1], [64, 64, 2]) } else { (three(input), three(input)) };
    Launch {
        image: if input.one_in(2) { 0x1_0000_0000 } else { input.address() },
        kernarg: if input.one_in(2) { 0x2_0000_0000 } else { input.address() },
        group,
        grid,
        dynamic_group_bytes: if input.one_in(2) { 0 } else { input.number() },
        private_bytes: input.one_in(2).then(|| input.number()),
        scratch: input.one_in(2).then(|| ScratchRing { address: input.address(), waves: input.number() }),
        scratch_descriptor: input.one_in(2).then_some([1, 2, 3, 4]),
        dispatch_packet: input.one_in(2).then(|| input.address()),
        queue: input.one_in(2).then(|| input.address()),
        dispatch_id: input.next(),
    }
}

/// Checks that a file is refused with a place, or that everything in it can be queried.
pub fn code_object(input: &mut Input, corpus: &Corpus) {
    let bytes = damaged(input, corpus);
    let object = match CodeObject::parse(&bytes) {
        Ok(object) => object,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(object.image_bytes() <= 256 << 20);
    if object.image_bytes() < 1 << 22 {
        let image = object.image(input.address());
        assert!(image.is_ok_and(|image| image.len() as u64 == object.image_bytes()) || !bytes.is_empty());
    }
    let targets = object.target.processor.targets();
    for kernel in &object.kernels {
        assert_eq!(kernel.code_at % 256, 0);
        assert_eq!(kernel.descriptor.bytes()[16..24], kernel.descriptor.entry_offset.to_le_bytes());
        let launch = launch(input);
        let packet = kernel.aql(&launch);
        let _ = kernel.arguments_of(&launch).and_then(|arguments| arguments.finish());
        let Some(chip) = targets.first() else { continue };
        match kernel.dispatch(*chip, &launch) {
            Ok(dispatch) => {
                assert!(packet.is_ok(), "PM4 takes what AQL refuses");
                let _ = chip.chip().map(|chip| dispatch.resolve(chip));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let chips: Vec<Chip> = targets.into_iter().filter_map(Target::chip).collect();
    for (pipeline, chip) in object.pipelines.iter().zip(chips.iter().cycle()) {
        let made = pipeline.compute(*chip, 0x1_0000_0000).ok().and_then(|dispatch| dispatch.resolve(*chip).ok());
        let _ = made.map(|made| pipeline.differences(&made.image).len());
        let _ = pipeline.graphics(*chip, 0x1_0000_0000, &PipelineDesc::default());
    }
}
