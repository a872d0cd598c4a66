//! The machine: one value for recorder, pipelines, dispatches, writers and the model, and mismatches between two machines.

use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::draw::*;
use pm4::gpu::{FirmwareVersions, Gpu, GpuError};
use pm4::layout::AddressConfig;
use pm4::packet::{Firmware, Queue, Stream, Writer, WriterOptions};

fn board(shader_engines: u32) -> Board {
    Board { shader_engines, arrays_per_engine: 2, cus_per_array: 8 }
}

/// Returns drm_amdgpu_info_device of a board with equal arrays.
fn device_info(family: u32, external_rev: u32, board: Board, render_backends: u32) -> Vec<u8> {
    let mut info = vec![0; 160];
    let mut put = |at: usize, value: u32| info[at..at + 4].copy_from_slice(&value.to_le_bytes());
    let fields = [(8, external_rev), (16, family), (20, board.shader_engines), (24, board.arrays_per_engine), (124, render_backends)];
    fields.into_iter().for_each(|(at, value)| put(at, value));
    (0..16).for_each(|array| put(56 + 4 * array, u32::MAX >> (32 - board.cus_per_array)));
    info
}

/// Every chip in the table of devices is found by its family and revision, with its board.
#[test]
fn kernels_name_the_chips_of_the_table() {
    for device in Chip::all().filter_map(Chip::device) {
        let chip = device.chip;
        // Raven with the revision of Picasso and similar: the family decides.
        assert_eq!(Chip::of_kernel(device.family, device.external_rev).map_or(chip, |found| found), chip);
        let table = Gpu::of_device(device);
        let info = device_info(device.family, device.external_rev, table.board.expect("a board"), device.render_backends);
        match Gpu::from_device_info(&info) {
            Ok(gpu) => assert_eq!((gpu.chip, gpu.board, gpu.render_backends), (chip, table.board, table.render_backends), "{chip}"),
            // GC 11.5.0 and 11.5.4 share their numbers.
            Err(error) => assert!(matches!(error, GpuError::Chip { family: 150, .. }), "{chip}: {error}"),
        }
        let config = AddressConfig::of_gpu(&table).unwrap_or_else(|error| panic!("{chip}: {error}"));
        assert_eq!(Ok(config), AddressConfig::from_register(chip, device.gb_addr_config), "{chip}");
        for short in [0, 8, 20, 100, 127] {
            assert!(matches!(Gpu::from_device_info(&info[..short]), Err(GpuError::Short { .. } | GpuError::Chip { .. })), "{chip}: {short} bytes");
        }
    }
    assert!(matches!(Gpu::from_device_info(&device_info(99, 1, board(2), 4)), Err(GpuError::Chip { family: 99, .. })));
    let error = Gpu::from_device_info(&device_info(143, 0x29, board(0), 4)).expect_err("no engine").to_string();
    assert!(error.contains("num_shader_engines = 0"), "{error}");
}

/// Objects of another board are refused by the recorder, with both boards in the message, and nothing is written.
#[test]
fn a_pipeline_of_another_board_is_refused() {
    for chip in Chip::all() {
        let (two, six) = (Gpu { board: Some(board(2)), ..Gpu::from(chip) }, Gpu { board: Some(board(6)), ..Gpu::from(chip) });
        let refused = RecordError::OtherBoard { of: board(2), recorder: board(6) };
        let mut recorder = Recorder::new(six);
        recorder.begin().expect("a preamble");
        recorder.begin_compute().expect("a preamble");
        let before = recorder.words().len();
        let pipeline = |gpu: Gpu| Pipeline::new(gpu, PipelineDesc::default()).expect("a pipeline");
        let compute = |gpu: Gpu| ComputePipeline::new(gpu, DispatchDesc::default()).expect("a pipeline");
        assert_eq!(recorder.bind_pipeline(&pipeline(two)).as_ref(), Err(&refused), "{chip}");
        assert_eq!(recorder.bind_compute(&compute(two)).as_ref(), Err(&refused), "{chip}");
        assert_eq!(recorder.draw(&DrawDesc::default().resolve(two).expect("a draw")).as_ref(), Err(&refused), "{chip}");
        assert_eq!(recorder.dispatch(&DispatchDesc::default().resolve(two).expect("a dispatch")).as_ref(), Err(&refused), "{chip}");
        assert!(refused.to_string().contains("2 shader engines") && refused.to_string().contains("6 shader engines"), "{refused}");
        assert_eq!(recorder.words().len(), before, "{chip}");
        recorder.bind_pipeline(&pipeline(six)).expect("the same board");
        // A description that states a different board than the machine is refused at creation; one that states the same board is not.
        let desc = |own| PipelineDesc { board: Some(board(own)), ..PipelineDesc::default() };
        assert_eq!(Pipeline::new(six, desc(2)).expect_err("another board"), DrawError::OtherBoard { own: board(2), gpu: board(6) }, "{chip}");
        assert!(DrawDesc::from(desc(2)).resolve(six).is_err() && DrawDesc::from(desc(2)).explain(six).is_err(), "{chip}");
        assert!(DispatchDesc { board: Some(board(2)), ..DispatchDesc::default() }.resolve(six).is_err(), "{chip}");
        assert_eq!(Pipeline::new(six, desc(6)).expect("the same board"), pipeline(six), "{chip}");
    }
}

/// A machine means the same everywhere: registers are those of its board, writers use its firmware, and the model knows both.
#[test]
fn all_that_takes_a_machine_means_the_same() {
    let firmware = FirmwareVersions::of_queries((1457, 30), (1400, 29), (2000, 30));
    for chip in Chip::all() {
        let gpu = Gpu { board: Some(board(3)), render_backends: Some(12), firmware, ..Gpu::from(chip) };
        let own = PipelineDesc { board: Some(board(3)), ..PipelineDesc::default() };
        let (by_gpu, by_desc) = (DrawDesc::default().resolve(gpu).expect("a draw"), DrawDesc::from(own).resolve(chip).expect("a draw"));
        assert_eq!(by_gpu, by_desc, "{chip}");
        let options = WriterOptions::from(&gpu);
        assert_eq!(options.firmware, Firmware { pfp: 1457, me: 1400, mec: 2000, me_feature: 29 }, "{chip}");
        let mut recorder = Recorder::new(gpu);
        assert_eq!((*recorder.gpu(), recorder.writer().options().firmware), (gpu, options.firmware), "{chip}");
        // Unknown firmware leaves the writer's default.
        let mut writer: Stream = Writer::growable(chip.gfx(), Queue::Graphics);
        writer.set_options(options);
        assert_eq!(Recorder::from_writer(chip, writer).writer().options().firmware, options.firmware, "{chip}");
        let mut cp = CommandProcessor::new(chip);
        cp.gpu(&gpu);
        assert_eq!((cp.options().firmware, cp.options().board.shader_engines), (firmware, Some(3)), "{chip}");
        // For a chip alone, the model is told nothing.
        assert_eq!(cp.gpu(&Gpu::from(chip)).options().board.shader_engines, None, "{chip}");
    }
}

/// Command buffers are padded to the alignment that the machine requires.
#[test]
fn command_buffers_are_padded_to_what_the_machine_asks_for() {
    for align in [1, 2, 4, 8, 16, 32, 64] {
        let mut gpu = Gpu::from(Chip::all().next().expect("a chip"));
        gpu.memory.buffer_align = align;
        let mut recorder = Recorder::new(gpu);
        recorder.begin().expect("a preamble");
        let len = recorder.words().len();
        let words = recorder.finish().expect("room");
        assert!(words.len().is_multiple_of(align as usize) && words.len() - len < align as usize, "{align}: {} dwords", words.len());
    }
}
