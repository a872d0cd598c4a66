//! A refused call writes nothing: the writer removes its packets again, in every buffer.

use pm4::chip::{Chip, Gfx};
use pm4::draw::RecordError;
use pm4::draw::sync::{Access, Barrier, Plan, SyncMemory, SyncState};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Buffer, BufferLevel, CommandBuffer, FixedBuffer, Opcode, Queue, Reader, Stream, WriteError, Writer, WriterOptions};

/// Packets of every kind for which a writer keeps state, then an error.
fn some_packets<B: Buffer>(w: &mut Writer<B>) -> Result<(), WriteError> {
    w.set_reg(0x2_8008, 3)?;
    w.set_reg(0x3_0800, 0)?;
    w.set_predicated(true)?;
    w.set_options(WriterOptions { indexed: false, ..WriterOptions::default() });
    w.nop(&[1, 2, 3])?;
    w.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 2])?;
    w.num_instances(5)?;
    w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?;
    Err(WriteError::Nesting)
}

fn taken_back<B: Buffer>(mut w: Writer<B>) {
    // A run that continues after the removal, in a range that may be skipped.
    w.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 4]).expect("a packet");
    w.set_regs(0x2_8000, &[1, 2]).expect("registers");
    let (before, last, options) = (w.words().to_vec(), w.last_packet().to_vec(), *w.options());
    assert_eq!(w.all_or_nothing(some_packets), Err(WriteError::Nesting));
    assert_eq!((w.words(), w.last_packet(), *w.options(), w.is_predicated()), (&before[..], &last[..], options, false));
    assert_eq!(w.all_or_nothing(|w| w.set_reg(0x2_8008, 3)), Ok(()));
    let words = Reader::new(w.words()).flatten().map(|p| p.body.to_vec()).collect::<Vec<_>>();
    assert_eq!(words[1..], [vec![0, 1, 2], vec![2, 3]], "the range ends between the packets");
}

#[test]
fn packets_are_removed_again_from_every_buffer() {
    taken_back(Stream::growable(Gfx::Gfx11, Queue::Graphics));
    taken_back(Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut [0; 64]));
    let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, |_: usize| Some(0)).expect("a buffer");
    commands.write(|w| w.num_instances(1)).expect("a packet");
    for packets in 1..9 {
        let result = commands.write(|w| (0..packets).try_for_each(|n| w.num_instances(n)).and_then(|()| some_packets(w)));
        assert_eq!(result, Err(WriteError::Nesting));
    }
    assert_eq!(commands.finish().expect("a buffer").chunks()[0].words[..2], [0xC000_2F00, 1]);
}

#[test]
fn a_range_whose_packets_fail_is_not_written() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.set_reg(0x2_8000, 1).expect("a register");
    assert_eq!(stream.cond_exec(0x1000, some_packets), Err(WriteError::Nesting));
    assert_eq!(stream.pred_exec(1, |w| w.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 2])), Err(WriteError::SpanOpen { left: 2 }));
    assert_eq!(stream.words(), [0xC001_6900, 0, 1]);
    // The run before the call continues.
    stream.set_reg(0x2_8004, 2).expect("a register");
    assert_eq!(stream.words(), [0xC002_6900, 0, 1, 2]);
}

#[test]
fn truncating_makes_room_and_never_grows() {
    fn cut<B: Buffer>(mut buffer: B) {
        assert!(buffer.push(&[1, 2, 3]));
        let room = buffer.room();
        buffer.truncate(9);
        assert_eq!(buffer.words(), [1, 2, 3]);
        buffer.truncate(1);
        assert_eq!((buffer.words(), buffer.room() >= room), (&[1][..], true));
        assert!(buffer.push(&[4, 5]));
        assert_eq!(buffer.words(), [1, 4, 5]);
        buffer.truncate(0);
        assert!(buffer.words().is_empty() && buffer.word_mut(0).is_none());
    }
    cut(Vec::new());
    cut(FixedBuffer::new(&mut [0; 3]));
}

#[test]
fn a_fence_count_goes_back_with_the_packets() {
    let chip = Chip::Navi10;
    let plan = Plan::new(chip, Queue::Graphics, &Barrier::new(Access::ColorWrite, Access::PixelRead)).expect("a plan");
    for ahead in 1..40 {
        let mut next = 0x10_0000;
        let memory = move |_: usize| {
            next += 0x1000;
            Some(next)
        };
        let mut commands = CommandBuffer::new(chip.gfx(), Queue::Graphics, BufferLevel::Primary, 64, memory).expect("a buffer");
        commands.write(|w| w.nop(&vec![0; ahead])).expect("a packet");
        let mut state = SyncState::new(SyncMemory { fence: Some(0x1000), zpass: None });
        for _ in 0..20 {
            let call = |w: &mut Writer<_>, state: &mut SyncState| -> Result<(), RecordError> {
                plan.write(w, state)?;
                Ok(w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?)
            };
            commands.write_with(&mut state, call).expect("packets of one chunk");
        }
        let finished = commands.finish().expect("a buffer");
        let packets = finished.chunks().iter().flat_map(|c| Reader::new(&c.words).flatten()).collect::<Vec<_>>();
        let numbers = |opcode, at: usize| packets.iter().filter(|p| p.opcode() == Some(opcode)).map(|p| p.body[at]).collect::<Vec<_>>();
        assert_eq!(numbers(Opcode::WRITE_DATA, 3), [0], "{ahead} dwords ahead: the fence is set to 0 once");
        assert_eq!(numbers(Opcode::RELEASE_MEM, 4), (1..=20).collect::<Vec<_>>(), "{ahead} dwords ahead");
        assert_eq!(numbers(Opcode::WAIT_REG_MEM, 3), (1..=20).collect::<Vec<_>>(), "{ahead} dwords ahead");
    }
}

#[test]
fn a_plan_that_does_not_fit_counts_nothing() {
    let chip = Chip::Navi10;
    let plan = Plan::new(chip, Queue::Graphics, &Barrier::new(Access::ColorWrite, Access::PixelRead)).expect("a plan");
    let mut state = SyncState::new(SyncMemory { fence: Some(0x1000), zpass: None });
    let mut whole = Stream::growable(chip.gfx(), Queue::Graphics);
    plan.write(&mut whole, &mut state.clone()).expect("room");
    for room in 0..whole.len() {
        let mut memory = vec![0; room];
        let mut writer = Writer::fixed(chip.gfx(), Queue::Graphics, &mut memory);
        assert!(plan.write(&mut writer, &mut state).is_err() && writer.is_empty(), "{room} dwords");
    }
    let mut again = Stream::growable(chip.gfx(), Queue::Graphics);
    plan.write(&mut again, &mut state).expect("room");
    assert_eq!(again.words(), whole.words());
}
