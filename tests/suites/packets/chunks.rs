//! Command buffers of chunks: the model executes what was written, wherever chunks end.

use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer};
use pm4::draw::sync::{Access, Barrier, Plan, SyncMemory, SyncState};
use pm4::draw::{RecordError, Recorder};
use pm4::packet::layouts::{DispatchInitiator, DrawInitiator};
use pm4::packet::structs::{CondExec, DispatchDirect};
use pm4::packet::{BufferLevel, CommandBuffer, FinishedBuffer, Header, IbKind, Opcode, Queue, Reader, Submission, WriteError};
use quickcheck::{Arbitrary, Gen};

/// Unlimited memory.
fn memory(mut next: u64) -> impl FnMut(usize) -> Option<u64> {
    move |dwords| {
        next += 4 * dwords as u64;
        Some(next - 4 * dwords as u64)
    }
}

#[derive(Default)]
struct Draws(Vec<Option<u32>>);

impl Observer for Draws {
    fn draw(&mut self, draw: &DrawView<'_>) {
        self.0.push(draw.value(0x28000));
    }

    fn dispatch(&mut self, draw: &DrawView<'_>) {
        self.0.push(draw.value(0xB900));
    }
}

fn run(chip: Chip, queue: Queue, submission: &Submission, called: &[&FinishedBuffer]) -> Vec<Option<u32>> {
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(true);
    for chunk in submission.buffers().iter().chain(called.iter().copied()).flat_map(|b| b.chunks()) {
        cp.map("chunk", chunk.addr, &chunk.words);
    }
    for buffer in submission.buffers() {
        let chunk = &buffer.chunks()[0];
        cp.submit_at(queue, "main", chunk.addr, &chunk.words);
    }
    let mut draws = Draws::default();
    let summary = cp.run(&mut draws);
    assert_eq!(summary.errors, 0);
    draws.0
}

#[test]
fn a_buffer_of_many_chunks_runs_as_one() {
    for (chip, chunk) in [(Chip::Vega10, 32), (Chip::Navi10, 40), (Chip::Navi21, 56), (Chip::Navi31, 64), (Chip::Gfx1200, 1000)] {
        let mut commands = CommandBuffer::new(chip.gfx(), Queue::Graphics, BufferLevel::Primary, chunk, memory(0x10_0000)).unwrap();
        for n in 0..100 {
            commands.write(|w| w.set_reg(0x28000, n)).unwrap();
            commands.write(|w| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)).unwrap();
        }
        let mut submission = Submission::new(chip.gfx(), Queue::Graphics, memory(0x1_0000)).unwrap();
        submission.push(commands.finish().unwrap()).unwrap();
        assert_eq!(run(chip, Queue::Graphics, &submission, &[]), (0..100).map(Some).collect::<Vec<_>>(), "{chip}");
    }
}

#[test]
fn compute_queues_chain_with_the_valid_bit() {
    let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Compute, BufferLevel::Primary, 32, memory(0x10_0000)).unwrap();
    for n in 0..20 {
        commands.write(|w| w.set_reg(0xB900, n)).unwrap();
        commands
            .write(|w| w.emit(&DispatchDirect { dim_x: 1, dim_y: 1, dim_z: 1, dispatch_initiator: DispatchInitiator::new().with_compute_shader_en(true) }))
            .unwrap();
    }
    let finished = commands.finish().unwrap();
    let control = *finished.chunks()[0].words.last().unwrap();
    assert_eq!((control >> 23 & 1, control >> 20 & 1, control & 0xF_FFFF), (1, 1, finished.chunks()[1].words.len() as u32));
    let mut submission = Submission::new(Gfx::Gfx11, Queue::Compute, memory(0x1_0000)).unwrap();
    submission.push(finished).unwrap();
    assert_eq!(run(Chip::Navi31, Queue::Compute, &submission, &[]), (0..20).map(Some).collect::<Vec<_>>());
}

#[test]
fn a_primary_calls_a_secondary_and_nothing_deeper() {
    let new = |level, at| CommandBuffer::new(Gfx::Gfx103, Queue::Graphics, level, 64, memory(at)).unwrap();
    let mut secondary = new(BufferLevel::Secondary, 0x20_0000);
    for n in 0..30 {
        secondary.write(|w| w.set_reg(0x28000, n)).unwrap();
        secondary.write(|w| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)).unwrap();
    }
    let secondary = secondary.finish().unwrap();
    let mut primary = new(BufferLevel::Primary, 0x10_0000);
    primary.call(&secondary).unwrap();
    primary.write(|w| w.set_reg(0x28000, 99)).unwrap();
    primary.write(|w| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)).unwrap();
    let primary = primary.finish().unwrap();
    assert_eq!(new(BufferLevel::Secondary, 0).call(&secondary), Err(WriteError::Nesting));
    let (addr, dwords) = secondary.entry();
    for (level, allowed) in [(BufferLevel::Primary, Ok(())), (BufferLevel::Secondary, Err(WriteError::Nesting))] {
        assert_eq!(new(level, 0).write(|w| w.indirect_buffer(IbKind::Call, addr, dwords)), allowed);
        assert_eq!(new(level, 0).write(|w| w.indirect_buffer(IbKind::Chain, addr, dwords)), Ok(()));
    }
    let nested = Recorder::secondary(Chip::Navi21).call(addr, dwords);
    assert_eq!(nested, Err(RecordError::Write(WriteError::Nesting)));
    assert_eq!(new(BufferLevel::Primary, 0).call(&primary), Err(WriteError::Nesting));
    let of_gfx11 = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Secondary, 64, memory(0x30_0000)).unwrap().finish().unwrap();
    assert_eq!(new(BufferLevel::Primary, 0).call(&of_gfx11), Err(WriteError::OtherStream));
    let mut submission = Submission::new(Gfx::Gfx103, Queue::Graphics, memory(0x1_0000)).unwrap();
    assert_eq!(submission.push(secondary.clone()), Err(WriteError::Nesting));
    submission.push(primary).unwrap();
    let draws = run(Chip::Navi21, Queue::Graphics, &submission, &[&secondary]);
    assert_eq!(draws, (0..30).chain([99]).map(Some).collect::<Vec<_>>());
}

#[test]
fn what_does_not_fit_leaves_no_trace() {
    let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 32, memory(0)).unwrap();
    commands.write(|w| w.set_reg(0x28000, 1)).unwrap();
    assert!(matches!(commands.write(|w| w.set_regs(0x28004, &[0; 40])), Err(WriteError::Full { .. })));
    let failed = commands.write(|w| {
        w.set_reg(0x28004, 2)?;
        w.indirect_buffer(IbKind::Call, 2, 8)
    });
    assert!(matches!(failed, Err(WriteError::FieldMisaligned { .. })));
    let words: Vec<u32> = commands.finish().unwrap().chunks().iter().flat_map(|c| c.words.clone()).collect();
    let writes: Vec<u32> = pm4::packet::Reader::new(&words).flatten().flat_map(|p| p.writes(Gfx::Gfx11).map(|w| w.addr).collect::<Vec<_>>()).collect();
    assert_eq!(writes, [0x28000]);
}

/// One call to a random buffer.
#[derive(Debug, Clone, Copy)]
enum Call {
    /// A register write and a draw.
    Draw(u32),
    /// A NOP with this many dwords of payload.
    Nop(usize),
    /// A NOP, and then an error.
    Fails(usize),
    /// An incomplete range.
    Open,
}

impl Arbitrary for Call {
    fn arbitrary(g: &mut Gen) -> Self {
        let dwords = 1 + usize::arbitrary(g) % 60;
        match u8::arbitrary(g) % 8 {
            0..=3 => Self::Draw(u32::arbitrary(g)),
            4..=5 => Self::Nop(dwords),
            6 => Self::Fails(dwords),
            _ => Self::Open,
        }
    }
}

#[test]
fn chunks_are_never_empty_too_long_or_chained_to_with_another_size() {
    fn holds(chunk: u8, calls: Vec<Call>) -> bool {
        let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 32 + usize::from(chunk), memory(0x10_0000)).unwrap();
        let mut drawn = Vec::new();
        for call in calls {
            let result = commands.write(|w| match call {
                Call::Draw(value) => w.set_reg(0x28000, value).and_then(|()| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)),
                Call::Nop(dwords) => w.nop(&vec![0; dwords]),
                Call::Fails(dwords) => w.set_predicated(true).and_then(|()| w.nop(&vec![0; dwords])).and_then(|()| w.nop(&[0; 0x4000])),
                Call::Open => w.emit(&CondExec { addr: 0x1000, exec_count: 9 }),
            });
            if let Call::Draw(value) = call {
                result.unwrap();
                drawn.push(Some(value));
            }
        }
        let finished = commands.finish().unwrap();
        let limit = (32 + usize::from(chunk)) / 8 * 8;
        let sized = finished.chunks().iter().all(|c| (8..=limit).contains(&c.words.len()) && c.words.len() % 8 == 0);
        let chained = finished.chunks().windows(2).all(|pair| {
            let last = &pair[0].words[pair[0].words.len() - 4..];
            last == [0xC002_3F00, pair[1].addr as u32, (pair[1].addr >> 32) as u32, 1 << 20 | pair[1].words.len() as u32]
        });
        let plain = finished.chunks().iter().flat_map(|c| pm4::packet::Reader::new(&c.words).flatten()).all(|p| !p.header.is_predicated());
        let mut submission = Submission::new(Gfx::Gfx11, Queue::Graphics, memory(0x1_0000)).unwrap();
        submission.push(finished).unwrap();
        sized && chained && plain && run(Chip::Navi31, Queue::Graphics, &submission, &[]) == drawn
    }
    support::property("chunks", 500, holds as fn(u8, Vec<Call>) -> bool);
}

#[test]
fn an_empty_buffer_is_eight_dwords_that_can_be_called() {
    let new = |level, at| CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, level, 32, memory(at)).unwrap();
    let empty = new(BufferLevel::Secondary, 0x20_0000).finish().unwrap();
    assert_eq!((empty.entry(), &*empty.chunks()[0].words), ((0x20_0000, 8), &[Header::NOP1.0; 8][..]));
    let mut primary = new(BufferLevel::Primary, 0x10_0000);
    primary.call(&empty).unwrap();
    assert_eq!(primary.finish().unwrap().chunks()[0].words[..4], [0xC002_3F00, 0x20_0000, 0, 8]);
}

#[test]
fn chunks_have_a_size_and_a_source() {
    let new = |dwords, at: Option<u64>| CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, dwords, move |_: usize| at).map(|_| ());
    assert_eq!(new(16, Some(0)), Err(WriteError::ChunkSize { dwords: 16 }));
    assert_eq!(new(0x10_0000, Some(0)), Err(WriteError::ChunkSize { dwords: 0x10_0000 }));
    assert_eq!(new(64, None), Err(WriteError::NoMemory { dwords: 64 }));
    assert!(matches!(new(64, Some(4)), Err(WriteError::Misaligned { align: 32, .. })));
}

#[test]
fn a_chunk_that_could_not_be_chained_keeps_room_for_its_chain() {
    let mut chunks = [0x10_0000, 1 << 60, 0x20_0000].into_iter();
    let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 32, move |_: usize| chunks.next()).unwrap();
    for _ in 0..5 {
        commands.write(|w| w.nop(&[0; 4])).unwrap();
    }
    assert!(matches!(commands.write(|w| w.nop(&[0; 4])), Err(WriteError::AddressTooWide { addr: 0x1000_0000_0000_0000, .. })));
    // Fills the rest, and continues in another chunk.
    commands.write(|w| w.nop(&[0; 2])).unwrap();
    commands.write(|w| w.nop(&[0; 2])).unwrap();
    let finished = commands.finish().unwrap();
    assert_eq!(finished.chunks().iter().map(|c| (c.addr, c.words.len())).collect::<Vec<_>>(), [(0x10_0000, 32), (0x20_0000, 8)]);
}

/// The operations of a stream on the fence of barriers, in order.
fn fences(chunks: &[pm4::packet::Chunk]) -> Vec<(Opcode, u32)> {
    let packets = chunks.iter().flat_map(|chunk| Reader::new(&chunk.words).flatten());
    let number = |p: pm4::packet::Packet<'_>| match p.opcode() {
        Some(Opcode::WRITE_DATA) => Some((Opcode::WRITE_DATA, p.body[3])),
        Some(Opcode::RELEASE_MEM) => Some((Opcode::RELEASE_MEM, p.body[4])),
        Some(Opcode::WAIT_REG_MEM) => Some((Opcode::WAIT_REG_MEM, p.body[3])),
        _ => None,
    };
    packets.filter_map(number).collect()
}

/// One reset, then each number is released and waited for.
fn counted(barriers: u32) -> Vec<(Opcode, u32)> {
    let pairs = (1..=barriers).flat_map(|n| [(Opcode::RELEASE_MEM, n), (Opcode::WAIT_REG_MEM, n)]);
    std::iter::once((Opcode::WRITE_DATA, 0)).chain(pairs).collect()
}

fn writers(error: RecordError) -> WriteError {
    if let RecordError::Write(error) = error { error } else { panic!("{error}") }
}

#[test]
fn fences_count_on_when_a_chunk_ends_inside_a_barrier() {
    let plan = Plan::new(Chip::Navi10, Queue::Graphics, &Barrier::new(Access::ColorWrite, Access::PixelRead)).unwrap();
    for ahead in 1..32 {
        let mut state = SyncState::new(SyncMemory { fence: Some(0x1000), zpass: None });
        let mut commands = CommandBuffer::new(Gfx::Gfx10, Queue::Graphics, BufferLevel::Primary, 64, memory(0x10_0000)).unwrap();
        commands.write(|w| w.nop(&vec![0; ahead])).unwrap();
        for _ in 0..20 {
            commands.write(|w| plan.write(w, &mut state).map_err(writers)).unwrap();
        }
        assert_eq!(fences(commands.finish().unwrap().chunks()), counted(20), "{ahead} dwords ahead");
    }
}

#[test]
fn a_submission_begins_with_the_preamble_of_its_queue() {
    for (gfx, queue, words) in [
        (Gfx::Gfx11, Queue::Graphics, &[0xC001_2800, 0x8000_0000, 0x8000_0000, 0xC000_1200, 0][..]),
        (Gfx::Gfx12, Queue::Graphics, &[0xC001_2800, 0x8000_0000, 0x8000_0000]),
        (Gfx::Gfx11, Queue::Compute, &[]),
    ] {
        let submission = Submission::new(gfx, queue, memory(0x1_0000)).expect("memory");
        let written: Vec<u32> = submission.buffers().iter().flat_map(|buffer| buffer.chunks()).flat_map(|chunk| chunk.words.clone()).collect();
        assert_eq!(written[..words.len()], *words, "{gfx} {queue:?}");
        assert!(Reader::new(&written[words.len()..]).flatten().all(|packet| packet.opcode() == Some(Opcode::NOP)), "{gfx} {queue:?}: {written:x?}");
    }
}

#[test]
fn nothing_comes_after_a_chain_of_the_caller_in_any_chunk() {
    let mut buffer = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, memory(0x1_0000)).expect("memory");
    buffer.write(|w| w.indirect_buffer(IbKind::Chain, 0x9000, 16)).expect("a chain");
    for dwords in [1, 40, 200] {
        let error = buffer.write(|w| w.nop(&vec![0; dwords])).expect_err("nothing follows");
        assert!(matches!(error, WriteError::AfterChain { .. }), "{dwords} dwords: {error}");
    }
}
