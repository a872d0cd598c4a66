//! A packet that does not exist: a table in a description file, and no line of code. It is written, read, filtered, executed and printed like any other.

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Observer, QueueId};
use pm4::packet::{
    Action, EffectKinds, FilteredWriter, MemoryAddress, Opcode, Queue, Reader, Stream, Work, WriteError, WrittenData, gfx11, values::ZzzMadeUpMode,
};

const GFX: Gfx = Gfx::Gfx11;
/// A context register and an SGPR of the pixel shader that the packet names.
const REGISTER: u32 = 0x2_8020;
const SGPR: u32 = 0xB034;
const OTHER: u32 = 0x2_8024;
const PLACE: u64 = 0x10_0000;

fn made_up(mode: ZzzMadeUpMode) -> gfx11::ZzzMadeUp {
    gfx11::ZzzMadeUp { place: PLACE, word: 42, mode, register: (REGISTER - 0x2_8000) / 4, word_loc: (SGPR - 0xB000) / 4 }
}

fn stream() -> Stream {
    Stream::growable(GFX, Queue::Graphics)
}

#[test]
fn the_made_up_packet_is_written_and_read() {
    let mut stream = stream();
    stream.emit(&made_up(ZzzMadeUpMode::WRITES)).expect("a packet");
    assert_eq!(stream.words(), [0xC004_F700, 0x10_0000, 0, 42, 8 << 16 | 1, 13]);
    let packet = Reader::new(stream.words()).flatten().next().expect("a packet");
    assert_eq!(packet.name(GFX), Some("ZZZ_MADE_UP"));
    assert_eq!(packet.fields(GFX, Queue::Graphics).filter_map(|f| f.register()).collect::<Vec<_>>(), [REGISTER, SGPR]);
    assert_eq!(packet.addresses(GFX, Queue::Graphics).map(|a| (a.name, a.value)).collect::<Vec<_>>(), [("place", PLACE)]);
    assert_eq!((packet.work(GFX, Queue::Graphics), packet.defect(GFX, Queue::Graphics)), (Some(Work::Dispatch), None));
    // What it cannot accept is reported.
    let refused = stream.emit(&gfx11::ZzzMadeUp { place: 2, ..made_up(ZzzMadeUpMode::SLEEPS) });
    assert!(matches!(refused, Err(WriteError::FieldMisaligned { packet: "ZZZ_MADE_UP", field: "place", align: 4, .. })), "{refused:?}");
}

#[test]
fn what_it_does_is_known() {
    let mut stream = stream();
    stream.emit(&made_up(ZzzMadeUpMode::WRITES)).expect("a packet");
    let packet = Reader::new(stream.words()).flatten().next().expect("a packet");
    let actions: Vec<Action<'_>> = packet.effects(GFX, Queue::Graphics).iter().map(|effect| effect.action).collect();
    let write = Action::Write { at: MemoryAddress::At(PLACE), bytes: 4, data: WrittenData::Value(42 << 32 | 42) };
    let unknown = |addr, state| Action::Unknown { addr, registers: 1, state };
    assert_eq!(actions, [write, unknown(REGISTER, false), unknown(SGPR, true)]);
    let kinds = packet.header.opcode().effect_kinds(GFX);
    assert!(kinds.intersects(EffectKinds::DISPATCH) && kinds.intersects(EffectKinds::ROLLS) && kinds.intersects(EffectKinds::ADDRESSES));
}

#[test]
fn the_filter_forgets_what_it_changes() {
    let mut filter = FilteredWriter::new(stream());
    for addr in [REGISTER, OTHER, SGPR] {
        filter.set_reg(addr, 7).expect("room");
    }
    filter.emit(&made_up(ZzzMadeUpMode::SLEEPS)).expect("room");
    let mut written = |addr| {
        let before = filter.words().len();
        filter.set_reg(addr, 7).expect("room");
        filter.words().len() > before
    };
    assert_eq!([REGISTER, OTHER, SGPR].map(&mut written), [true, false, true]);
}

#[derive(Default)]
struct Dispatches(Vec<&'static str>);

impl Observer for Dispatches {
    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.0.push(view.name());
    }
}

#[test]
fn the_model_executes_it_as_its_table_says() {
    let mut stream = stream();
    for addr in [REGISTER, OTHER, SGPR] {
        stream.set_reg(addr, 7).expect("room");
    }
    stream.emit(&made_up(ZzzMadeUpMode::WRITES)).expect("room");
    let memory = [1, 2];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", PLACE, &memory);
    cp.submit(Queue::Graphics, "main", stream.words());
    let mut seen = Dispatches::default();
    cp.run(&mut seen);
    assert_eq!(seen.0, ["ZZZ_MADE_UP"]);
    let registers = cp.registers_of(QueueId::GRAPHICS).expect("the queue has run");
    assert_eq!([REGISTER, OTHER, SGPR].map(|addr| registers.value(addr)), [None, Some(7), None]);
    // The model has no arm for it: what it writes is unknown, what lies beside it is not.
    assert_eq!([cp.memory(PLACE), cp.memory(PLACE + 4)], [None, Some(2)]);
}

#[test]
fn the_new_packet_changes_no_other_opcode() {
    assert_eq!(Opcode::ZZZ_MADE_UP, Opcode(0xF7));
    assert!(Gfx::Gfx11 == GFX && Opcode(0xF7).name(GFX) == Some("ZZZ_MADE_UP") && Opcode(0xF6).name(GFX).is_none());
}
