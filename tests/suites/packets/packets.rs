//! Packets: the reader on any input, and the output of the writer.

use crate::support::captured::{all_captures, folders_of_captures, small_captures};
use pm4::chip::Gfx;
use pm4::packet::layouts::{DispatchInitiator, DrawInitiator};
use pm4::packet::structs::{DrawIndex2, DrawIndexAuto, DrawIndirect, SetShReg};
use pm4::packet::values::VgtDiSourceSelect;
use pm4::packet::{
    Engine, Event, Firmware, Header, IbKind, Opcode, Packet, PacketFields, PreparedState, Queue, Reader, RegisterForm, RegisterWrite, Scope, ShaderType,
    Stream, WriteError, Writer, WriterOptions, formats,
};
use pm4::regs::layout::VgtIndexTypeMode;
use quickcheck::{Arbitrary, Gen};
use std::path::PathBuf;

/// Runs a property on many random inputs. The seed of a failure is printed; `PM4_SEED` repeats it.
fn property<T: Arbitrary + std::fmt::Debug>(name: &str, holds: impl Fn(&T) -> bool) {
    let start = std::env::var("PM4_SEED").ok().and_then(|s| s.parse().ok());
    let first: u64 = start.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(1, |t| t.as_nanos() as u64));
    for seed in (0..500).map(|n| first.wrapping_add(n)) {
        let size = 1 + (seed % 97) as usize;
        let input = T::arbitrary(&mut Gen::from_size_and_seed(size, seed));
        if holds(&input) {
            continue;
        }
        let smallest = std::iter::successors(Some(input), |bad| bad.shrink().find(|s| !holds(s))).last();
        panic!("{name} fails with PM4_SEED={seed}: {smallest:?}");
    }
}

/// Dwords of which every second one resembles a header.
#[derive(Debug, Clone)]
struct Words(Vec<u32>);

impl Arbitrary for Words {
    fn arbitrary(g: &mut Gen) -> Self {
        let words = (0..g.size()).map(|_| match u8::arbitrary(g) % 6 {
            0 => u32::arbitrary(g),
            1 => Header::NOP1.0,
            2 => Header::FILLER.0,
            _ => Header::type3(Opcode(u8::arbitrary(g)), usize::from(u8::arbitrary(g) % 9)).0,
        });
        Self(words.collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Self))
    }
}

/// One write.
#[derive(Debug, Clone)]
enum Step {
    Reg(u32, u32),
    Regs(u32, Vec<u32>),
    Indexed(u32, u32, u8),
    Draw(u32),
    Event(u8),
    Nop(Vec<u32>),
    Call(u32),
    Pad(usize),
}

impl Arbitrary for Step {
    fn arbitrary(g: &mut Gen) -> Self {
        let base = *g.choose(&[0xB010, 0xB7F8, 0xB800, 0x2_8000, 0x2_8FF8, 0x3_0900, 0x8000, 0x1000]).unwrap_or(&0);
        let addr = base + 4 * (u32::arbitrary(g) % 4);
        match u8::arbitrary(g) % 12 {
            0..=4 => Self::Reg(addr, u32::arbitrary(g)),
            5 => Self::Regs(addr, Vec::arbitrary(g)),
            6 => Self::Indexed(addr, u32::arbitrary(g), u8::arbitrary(g) % 17),
            7 => Self::Draw(u32::arbitrary(g)),
            8 => Self::Event(u8::arbitrary(g) % 64),
            9 => Self::Nop(Vec::arbitrary(g)),
            10 => Self::Call(u32::arbitrary(g)),
            _ => Self::Pad(usize::arbitrary(g) % 16),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        match self.clone() {
            Self::Regs(addr, values) => Box::new(values.shrink().map(move |v| Self::Regs(addr, v))),
            Self::Nop(payload) => Box::new(payload.shrink().map(Self::Nop)),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// Performs a step; returns whether it was written, and then the intended register writes.
fn apply<B: pm4::packet::Buffer>(writer: &mut Writer<B>, step: &Step, writes: &mut Vec<(u32, u32)>) -> bool {
    let before = writer.words().to_vec();
    let (result, new) = match step {
        Step::Reg(addr, value) => (writer.set_reg(*addr, *value), vec![(*addr, *value)]),
        Step::Regs(addr, values) => (writer.set_regs(*addr, values), values.iter().zip(0..).map(|(v, i)| (addr + 4 * i, *v)).collect()),
        Step::Indexed(addr, value, index) => (writer.set_reg_indexed(*addr, *value, *index), vec![(*addr, *value)]),
        Step::Draw(count) => (writer.draw_index_auto(*count, DrawInitiator::AUTO_INDEX), vec![]),
        Step::Event(event) => (writer.event(Event(*event)), vec![]),
        Step::Nop(payload) => (writer.nop(payload), vec![]),
        Step::Call(size) => (writer.indirect_buffer(IbKind::Call, 0x1000, *size), vec![]),
        Step::Pad(align) => (writer.pad(*align, 0), vec![]),
    };
    match result {
        Ok(()) => writes.extend(new),
        Err(_) => assert_eq!(writer.words(), before, "a failed {step:?} must leave the buffer as it was"),
    }
    result.is_ok()
}

fn read_writes(gfx: Gfx, stream: &[u32]) -> Vec<(u32, u32)> {
    Reader::new(stream).flat_map(|p| p.map_or(vec![], |p| p.writes(gfx).map(|w| (w.addr, w.value)).collect::<Vec<_>>())).collect()
}

fn generations() -> impl Iterator<Item = Gfx> {
    use strum::IntoEnumIterator;
    Gfx::iter()
}

fn only<'a>(stream: &'a [u32]) -> Packet<'a> {
    let all: Vec<_> = Reader::new(stream).collect();
    assert_eq!(all.len(), 1, "one packet expected: {all:?}");
    all[0].expect("no damage")
}

#[test]
fn reader_covers_every_dword_once_and_ends() {
    property("coverage", |Words(stream): &Words| {
        let mut at = 0;
        for item in Reader::new(stream) {
            let (offset, dwords) = item.map_or_else(|e| (e.offset, e.skipped), |p| (p.offset, p.dwords()));
            if offset != at || dwords == 0 {
                return false;
            }
            at += dwords;
        }
        at == stream.len()
    });
}

#[test]
fn packet_contents_are_the_dwords_of_the_stream() {
    property("contents", |Words(stream): &Words| {
        Reader::new(stream).flatten().all(|p| stream[p.offset] == p.header.0 && stream[p.offset + 1..][..p.body.len()] == *p.body)
    });
}

#[test]
fn decoding_any_packet_ends() {
    property("decoding", |Words(stream): &Words| {
        generations().all(|gfx| {
            Reader::new(stream).flatten().all(|p| {
                let fields = [Queue::Graphics, Queue::Compute].map(|queue| p.fields(gfx, queue).filter(|f| f.symbol().is_none_or(|s| !s.is_empty())).count());
                fields.iter().all(|n| *n <= 40 * (1 + p.body.len())) && p.writes(gfx).count() <= 2 * p.body.len() && p.name(gfx).is_none_or(|n| !n.is_empty())
            })
        })
    });
}

#[test]
fn what_is_written_is_read_back() {
    property("round trip", |steps: &Vec<Step>| {
        generations().all(|gfx| {
            let mut stream = Stream::growable(gfx, Queue::Graphics);
            let mut writes = Vec::new();
            for step in steps {
                apply(&mut stream, step, &mut writes);
            }
            Reader::new(stream.words()).all(|p| p.is_ok()) && read_writes(gfx, stream.words()) == writes
        })
    });
}

#[test]
fn merging_changes_the_length_only() {
    property("merging", |steps: &Vec<Step>| {
        generations().all(|gfx| {
            let (mut merged, mut apart) = (Stream::growable(gfx, Queue::Graphics), Stream::growable(gfx, Queue::Graphics));
            let mut writes = Vec::new();
            for step in steps.iter().filter(|s| !matches!(s, Step::Pad(_))) {
                apply(&mut merged, step, &mut writes);
                apart.break_run();
                apply(&mut apart, step, &mut Vec::new());
            }
            merged.len() <= apart.len() && read_writes(gfx, merged.words()) == read_writes(gfx, apart.words())
        })
    });
}

#[test]
fn a_fixed_buffer_holds_a_prefix_of_what_a_growing_one_holds() {
    property("fixed", |(size, steps): &(u8, Vec<Step>)| {
        generations().all(|gfx| {
            let mut memory = vec![0xDEAD_BEEF; usize::from(*size)];
            let mut fixed = Writer::fixed(gfx, Queue::Graphics, &mut memory);
            let mut growing = Stream::growable(gfx, Queue::Graphics);
            for step in steps {
                let full = fixed.len();
                let fits = apply(&mut fixed, step, &mut Vec::new());
                let grew = apply(&mut growing, step, &mut Vec::new());
                if fits != grew {
                    let used = fixed.words().len();
                    return used == full && memory[used..].iter().all(|w| *w == 0xDEAD_BEEF);
                }
            }
            fixed.words() == growing.words()
        })
    });
}

#[test]
fn the_count_of_a_merged_packet_ends_at_its_limit() {
    for gfx in generations() {
        let options = WriterOptions { indexed: false, ..WriterOptions::default() };
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        stream.set_options(options);
        // The uconfig window has exactly 0x4000 registers: one more than a packet takes. All instances stay selected.
        let values: Vec<u32> = (0xE000_0000..0xE000_4000).collect();
        stream.set_regs(0x3_0000, &values).expect("inside the window");
        let packets: Vec<_> = Reader::new(stream.words()).map(|p| p.expect("no damage").body.len()).collect();
        assert_eq!(packets, [0x3FFF, 3]);
        let writes = read_writes(gfx, stream.words());
        assert!(writes.iter().zip(0..).all(|(w, i)| *w == (0x3_0000 + 4 * i, 0xE000_0000 + i)));

        let mut one_by_one = Stream::growable(gfx, Queue::Graphics);
        one_by_one.set_options(options);
        for (value, i) in values.iter().zip(0..) {
            one_by_one.set_reg(0x3_0000 + 4 * i, *value).expect("inside the window");
        }
        assert_eq!(one_by_one.words(), stream.words());
    }
}

#[test]
fn graphics_and_compute_shader_registers_never_share_a_packet() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        stream.set_regs(0xB7FC, &[1, 2]).expect("both are SH registers");
        assert_eq!(stream.words(), [0xC001_7600, 0x1FF, 1, 0xC001_7602, 0x200, 2]);
    }
}

#[test]
fn truncated_packets_are_errors_with_place_and_size() {
    for (stream, offset, wanted, available) in [
        (&[0xC001_6900][..], 0, 3, 1),
        (&[0xC001_6900, 0x203], 0, 3, 2),
        (&[0xFFFF_1000, 0xC005_4900, 1, 2], 1, 7, 3),
        (&[0x0003_0000, 1, 2], 0, 5, 3),
        (&[0xFFFF_6900], 0, 0x4001, 1),
    ] {
        let error = Reader::new(stream).find_map(Result::err).expect("an error");
        assert_eq!((error.offset, error.wanted, error.available, error.skipped), (offset, wanted, available, available), "{error}");
    }
}

#[test]
fn reading_resynchronizes_where_known_packets_fill_the_rest() {
    // A damaged count, followed by a whole draw.
    let stream = [0xC700_6900, 0x203, 7, 0xC001_2D00, 3, 2, 0xFFFF_1000];
    let items: Vec<_> = Reader::new(&stream).collect();
    assert_eq!(items[0].expect_err("too long").skipped, 3);
    assert_eq!(items[1].expect("resynchronized").header.opcode(), Opcode::DRAW_INDEX_AUTO);
    assert_eq!(items.len(), 3);
}

#[test]
fn fillers_and_old_packet_types_have_their_own_lengths() {
    let stream = [0x8000_0000, 0x4000_1234, 0x0001_2345, 7, 8, 0xFFFF_1000];
    let dwords: Vec<_> = Reader::new(&stream).flatten().map(|p| (p.header.packet_type(), p.dwords())).collect();
    assert_eq!(dwords, [(2, 1), (1, 1), (0, 3), (3, 1)]);
    assert_eq!(Header(stream[2]).type0_base(), 0x2345);
}

#[test]
fn what_no_engine_reads_is_a_defect() {
    let defect = |gfx, queue, stream: &[u32]| only(stream).defect(gfx, queue).map(|d| d.to_string());
    for gfx in generations() {
        assert!(defect(gfx, Queue::Graphics, &[0x4000_0000]).is_some_and(|d| d.contains("type 1")));
        assert!(defect(gfx, Queue::Graphics, &[0x0000_0203, 1]).is_some_and(|d| d.contains("type 0")));
        assert_eq!(defect(gfx, Queue::Graphics, &[0x8000_0000]), None);
        assert!(defect(gfx, Queue::Compute, &[0x8000_0000]).is_some_and(|d| d.contains("compute")));
        assert_eq!(defect(gfx, Queue::Graphics, &[0xFFFF_1000]), None);
        assert!(defect(gfx, Queue::Graphics, &[0xC000_F300, 0]).is_some_and(|d| d.contains("0xf3")));
        // Packets that set a run of registers are recognized wherever their writes are reported.
        for opcode in 0..0xA0 {
            let stream = [0xC001_0000 | opcode << 8, 0x203, 1];
            let set = only(&stream);
            if set.writes(gfx).next().is_some_and(|w| w.value == 1) {
                assert!(set.format(gfx, Queue::Graphics).is_some() && set.defect(gfx, Queue::Graphics).is_none(), "{set:?}");
            }
        }
        // Opcodes with a name but no described layout may have any size.
        assert_eq!(defect(gfx, Queue::Graphics, &[0xC000_3B00, 0]), None);
        // The name still exists, the packet does not.
        let semaphore = defect(gfx, Queue::Graphics, &[0xC002_3900, 0, 0, 0xC000_0000]);
        assert_eq!(semaphore.is_some(), gfx.major() >= 11, "{semaphore:?}");
        let acquire = defect(gfx, Queue::Graphics, &[0xC005_5800, 0, 0, 0, 0, 0, 0]);
        assert_eq!(acquire.is_some(), gfx.major() > 9, "{acquire:?}");
    }
}

#[test]
fn reserved_bits_are_those_that_no_field_in_force_has() {
    let reserved = |stream: &[u32]| only(stream).reserved_bits(Gfx::Gfx11, Queue::Graphics).collect::<Vec<_>>();
    assert_eq!(reserved(&[0xC000_4600, 0x407]), []);
    assert_eq!(reserved(&[0xC000_4628, 0xFFFF_FFFF]), [(0, 0x28), (1, 0xFFFF_F0C0)]);
    // Low bits of an aligned address.
    assert_eq!(reserved(&[0xC002_4600, 0x115, 0x1004, 0x7F]), [(2, 4)]);
    // The data of a fence that writes none: its fields are ruled out, nothing is reported.
    assert_eq!(reserved(&[0xC006_4900, 0x528, 0, 0, 0, 9, 9, 0]), []);
    // Groups repeat, values have all bits.
    assert_eq!(reserved(&[0xC003_B804, 0x1_0203, 9, 0x2_0204, u32::MAX]), [(1, 0x1_0000), (3, 0x2_0000)]);
    assert_eq!(reserved(&[0xC002_6900, 0x203, u32::MAX, u32::MAX]), []);
    assert_eq!(reserved(&[0xC001_1000, u32::MAX, u32::MAX]), []);
}

#[test]
fn nop_with_the_largest_count_has_no_body_other_opcodes_have() {
    assert_eq!(Header::NOP1.dwords(), 1);
    assert_eq!(Header(0xFFFE_1000).dwords(), 0x4000);
    assert_eq!(Header(0xFFFF_6900).dwords(), 0x4001);
    assert_eq!(Header::type3(Opcode::NOP, 0), Header::NOP1);
}

/// Generations (all if empty), stream, and its register writes.
type WritesCase = (&'static str, &'static [u32], &'static [(u32, u32)]);

/// The words of each packet, by generation, as PAL and Mesa build them.
#[test]
fn register_writes_of_every_set_packet() {
    let cases: &[WritesCase] = &[
        ("", &[0xC002_6900, 0x203, 1, 2], &[(0x2880C, 1), (0x28810, 2)]),
        ("", &[0xC001_6900, 0x2000_02D6, 1], &[(0x28B58, 1)]),
        ("", &[0xC001_7600, 0x8, 1], &[(0xB020, 1)]),
        ("", &[0xC001_7900, 0x242, 4], &[(0x30908, 4)]),
        ("", &[0xC001_7A00, 0x2000_0243, 1], &[(0x3090C, 1)]),
        ("", &[0xC001_9B00, 0x3000_0087, 1], &[(0xB21C, 1)]),
        ("", &[0xC001_6800, 0x0, 1], &[(0x8000, 1)]),
        ("gfx11 gfx115 gfx12", &[0xC003_B804, 0x203, 1, 0x10, 2], &[(0x2880C, 1), (0x28040, 2)]),
        ("gfx11 gfx115 gfx12", &[0xC001_BA04, 0x8, 1], &[(0xB020, 1)]),
        ("gfx12", &[0xC001_BE04, 0x242, 4], &[(0x30908, 4)]),
        ("gfx11 gfx115", &[0xC003_B904, 2, 0x0010_0203, 1, 2], &[(0x2880C, 1), (0x28040, 2)]),
        ("gfx11 gfx115", &[0xC003_BB04, 2, 0x0009_0008, 1, 2], &[(0xB020, 1), (0xB024, 2)]),
        ("gfx11 gfx115", &[0xC003_BD04, 2, 0x0009_0008, 1, 2], &[(0xB020, 1), (0xB024, 2)]),
        ("gfx12", &[0xC003_BC04, 2, 0x0009_0008, 1, 2], &[(0xB020, 1), (0xB024, 2)]),
        ("", &[0xC001_2D00, 3, 2], &[]),
        ("", &[0xC001_1000, 0x203, 2], &[]),
        // Header bits of type 0 that are the opcode in type 3.
        ("", &[0x0002_6900, 0x203, 1, 2], &[]),
    ];
    for (only_on, stream, writes) in cases {
        for gfx in generations().filter(|g| only_on.is_empty() || only_on.split(' ').any(|n| n == g.to_string())) {
            assert_eq!(&read_writes(gfx, stream), writes, "{gfx} {stream:08x?}");
        }
    }
}

#[test]
fn a_packed_list_ends_with_its_count_or_its_body() {
    let Some(gfx) = generations().find(|g| g.major() == 11) else { return };
    // Three registers stated, two groups present; and a count beyond the body.
    let three = [0xC006_B904, 3, 0x0002_0001, 1, 2, 0x0004_0003, 3, 4];
    assert_eq!(read_writes(gfx, &three), [(0x28004, 1), (0x28008, 2), (0x2800C, 3)]);
    let beyond = [0xC003_B904, 100, 0x0002_0001, 1, 2];
    assert_eq!(read_writes(gfx, &beyond), [(0x28004, 1), (0x28008, 2)]);
}

#[test]
fn a_write_knows_its_dword() {
    for gfx in generations() {
        let stream = [0xFFFF_1000, 0xC002_6900, 0x203, 1, 2];
        let second = Reader::new(&stream).flatten().nth(1).and_then(|p| p.writes(gfx).nth(1));
        assert_eq!(second, Some(RegisterWrite { addr: 0x28810, value: 2, dword: 4 }));
    }
}

#[test]
fn event_write_is_decoded_in_both_sizes() {
    for gfx in generations() {
        let short = [0xC000_4600, 0x410];
        let fields: Vec<_> = only(&short).fields(gfx, Queue::Graphics).map(|f| (f.name, f.value, f.symbol())).collect();
        assert_eq!(fields[0], ("event_type", 16, Some("PS_PARTIAL_FLUSH")));
        assert_eq!((fields[1].0, fields[1].1, fields.len()), ("event_index", 4, 2));
        let long = [0xC002_4600, 0x139, 0xABCD_EF08, 0x12];
        let packet = only(&long);
        assert_eq!(packet.field(gfx, Queue::Graphics, "address_lo"), Some(0xABCD_EF08));
        assert_eq!(packet.field(gfx, Queue::Graphics, "counter_id"), None);
        let control = [0xC002_4600, 0x138, 0b1000, 0];
        assert_eq!(only(&control).field(gfx, Queue::Graphics, "counter_id"), Some(1));
    }
}

#[test]
fn packets_that_share_an_opcode_differ_by_size() {
    for gfx in generations() {
        let call = [0xC002_3F00, 0x1000, 0, 16];
        assert_eq!(only(&call).name(gfx), Some("INDIRECT_BUFFER"));
        let mut conditional = vec![0xC00C_3F00];
        conditional.resize(14, 0);
        assert_eq!(only(&conditional).name(gfx), Some("COND_INDIRECT_BUFFER"));
        assert_eq!(only(&conditional).format(gfx, Queue::Graphics).map(|f| f.name), Some("COND_INDIRECT_BUFFER"));
    }
}

#[test]
fn dispatch_indirect_has_an_offset_on_graphics_and_an_address_on_compute() {
    for gfx in generations() {
        let graphics = [0xC001_1602, 0x40, 1];
        assert_eq!(only(&graphics).field(gfx, Queue::Graphics, "data_offset"), Some(0x40));
        let compute = [0xC002_1602, 0x1000, 1, 1];
        assert_eq!(only(&compute).field(gfx, Queue::Compute, "addr_lo"), Some(0x1000));
    }
}

#[test]
fn wait_reg_mem_names_what_it_polls() {
    for gfx in generations() {
        let memory = [0xC005_3C00, 0x13, 0x1004, 0, 1, !0, 4];
        let packet = only(&memory);
        assert_eq!(packet.field(gfx, Queue::Graphics, "mem_poll_addr_lo"), Some(0x1004));
        assert_eq!(packet.field(gfx, Queue::Graphics, "reg_poll_addr"), None);
        let register = [0xC005_3C00, 0x3, 0xC03F, 0, 1, 1, 4];
        let packet = only(&register);
        assert_eq!(packet.field(gfx, Queue::Graphics, "reg_poll_addr"), Some(0xC03F));
        assert_eq!(packet.field(gfx, Queue::Graphics, "mem_poll_addr_lo"), None);
    }
}

#[test]
fn acquire_mem_has_pws_fields_only_in_pws_mode() {
    for gfx in generations() {
        let body = if gfx.major() == 9 { 6 } else { 7 };
        let mut stream = vec![Header::type3(Opcode::ACQUIRE_MEM, body).0];
        stream.resize(1 + body, 0);
        assert_eq!(only(&stream).field(gfx, Queue::Graphics, "pws_count"), None);
        assert_eq!(only(&stream).field(gfx, Queue::Graphics, "coher_size"), Some(0));
        stream[6] = 1 << 31;
        let pws = only(&stream).field(gfx, Queue::Graphics, "pws_count").is_some();
        assert_eq!(pws, gfx.major() >= 11, "{gfx}");
    }
}

#[test]
fn chain_must_be_last_and_has_a_size() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        assert_eq!(stream.indirect_buffer(IbKind::Chain, 0x1000, 0), Err(WriteError::IbSize { dwords: 0 }));
        assert_eq!(stream.indirect_buffer(IbKind::Chain, 0x1000, 0x10_0000), Err(WriteError::IbSize { dwords: 0x10_0000 }));
        assert!(matches!(stream.indirect_buffer(IbKind::Call, 0x1002, 1), Err(WriteError::FieldMisaligned { align: 4, .. })));
        stream.pad(8, 4).expect("room");
        stream.indirect_buffer(IbKind::Chain, 0xFFFF_8001_0000_1000, 16).expect("a chain");
        assert_eq!(stream.words()[stream.len() - 4..], [0xC002_3F00, 0x1000, 0xFFFF_8001, 0x10_0010]);
        assert_eq!(stream.len() % 8, 0);
        assert_eq!(stream.nop(&[]), Err(WriteError::AfterChain { packet: Opcode::NOP }));
        assert!(matches!(stream.set_reg(0x28000, 0), Err(WriteError::AfterChain { .. })));
    }
}

/// Both have DMA_DATA, with different fields.
#[test]
fn a_struct_of_another_generation_is_not_said_to_be_a_packet_that_does_not_exist() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    let error = stream.emit(&pm4::packet::gfx12::DmaData::default()).expect_err("fields of GFX12");
    assert_eq!(error, WriteError::OtherStruct { packet: Opcode::DMA_DATA, queue: Queue::Graphics, gfx: Gfx::Gfx11 });
    assert!(error.to_string().contains("take that of `packet::gfx11` for the Graphics queue"), "{error}");
    // A packet that no struct could have there.
    let mut compute = Stream::growable(Gfx::Gfx11, Queue::Compute);
    let error = compute.emit(&DrawIndexAuto { index_count: 3, draw_initiator: DrawInitiator::AUTO_INDEX }).expect_err("a draw");
    assert!(matches!(error, WriteError::NotAvailable { packet: Opcode::DRAW_INDEX_AUTO, .. }), "{error}");
}

#[test]
fn compute_queues_refuse_what_they_lack() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Compute);
        assert!(matches!(stream.set_reg(0x28000, 0), Err(WriteError::NotAvailable { .. })));
        assert!(matches!(stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX), Err(WriteError::NotAvailable { .. })));
        assert!(matches!(stream.set_predicated(true), Err(WriteError::NotAvailable { .. })));
        assert_eq!(stream.indirect_buffer(IbKind::Call, 0, 1), Err(WriteError::CallOnCompute));
        let predicated = Header::type3(Opcode::NOP, 1).with_predicate(true);
        assert!(matches!(stream.packet_with(predicated, &[0]), Err(WriteError::HeaderBit { bit: "predicate", .. })));
        let filter = Header::type3(Opcode::NOP, 1).with_reset_filter_cam(true);
        assert!(matches!(stream.packet_with(filter, &[0]), Err(WriteError::HeaderBit { bit: "reset_filter_cam", .. })));
        assert!(stream.is_empty());
        stream.set_reg(0xB800, 1).expect("a compute register");
        stream.indirect_buffer(IbKind::Chain, 0x100, 8).expect("chains work");
        assert_eq!(stream.words(), [0xC001_7602, 0x200, 1, 0xC002_3F00, 0x100, 0, 0x90_0008]);
    }
}

#[test]
fn predication_marks_draws() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        stream.set_predicated(true).expect("graphics");
        stream.num_instances(1).expect("room");
        stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX).expect("room");
        stream.set_predicated(false).expect("graphics");
        stream.draw_index_2(9, 0x1_0000_0002, 9, DrawInitiator::INDICES).expect("room");
        assert_eq!(stream.words(), [0xC000_2F00, 1, 0xC001_2D01, 3, 2, 0xC004_2700, 9, 2, 1, 9, 0]);
    }
}

/// A packet with the fields of an earlier one needs no second check; if its context differs, it is another packet, or refused.
#[test]
fn a_packet_again_is_written_again_or_refused() {
    use pm4::packet::gfx11::{DispatchDirect, DrawIndexAuto, IndexBase, NumInstances};
    let dispatch_initiator = DispatchInitiator::new().with_compute_shader_en(true);
    let dispatch = DispatchDirect { dim_x: 8, dim_y: 2, dim_z: 1, dispatch_initiator };
    let draw = DrawIndexAuto { index_count: 3, draw_initiator: DrawInitiator::AUTO_INDEX };
    let many: Vec<NumInstances> = (1..7).map(|num_instances| NumInstances { num_instances }).collect();
    let (mut stream, mut alone) = (Stream::growable(Gfx::Gfx11, Queue::Graphics), Vec::new());
    for (round, predicated) in [false, true, true, false, false].into_iter().enumerate() {
        stream.set_predicated(predicated).expect("graphics");
        // More than are remembered, in a different order each time.
        for at in 0..many.len() {
            let instances = &many[(at * 5 + round) % many.len()];
            let mut other = Stream::growable(Gfx::Gfx11, Queue::Graphics);
            other.set_predicated(predicated).expect("graphics");
            for writer in [&mut stream, &mut other] {
                writer.emit(instances).and_then(|()| writer.emit(&draw)).and_then(|()| writer.emit(&dispatch)).and_then(|()| writer.emit(&draw)).expect("room");
            }
            alone.extend_from_slice(other.words());
        }
    }
    assert_eq!(stream.words(), alone);
    // An impossible address is refused, however often.
    for _ in 0..3 {
        assert!(matches!(stream.emit(&IndexBase { index_base: 1 }), Err(WriteError::FieldMisaligned { .. })));
    }
    stream.indirect_buffer(IbKind::Chain, 0x1000, 8).expect("a chain");
    assert_eq!(stream.emit(&draw), Err(WriteError::AfterChain { packet: Opcode::DRAW_INDEX_AUTO }));
    let mut memory = [0; 7];
    let mut full = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
    full.emit(&dispatch).expect("room");
    assert!(matches!(full.emit(&dispatch), Err(WriteError::Full { wanted: 5, room: 2, .. })));
}

/// SYN-04 and firmware: the conditions that a packet imposes on others are checked each time.
#[test]
fn a_packet_again_needs_what_it_needed_before() {
    use pm4::packet::gfx9::{ReleaseMem, SetPredication};
    use pm4::packet::values::{ReleaseMemDataSel, ReleaseMemEventIndex, SetPredicationPredOp};
    let mut stream = Stream::growable(Gfx::Gfx9, Queue::Graphics);
    let release = ReleaseMem {
        event_type: Event::BOTTOM_OF_PIPE_TS,
        event_index: ReleaseMemEventIndex::END_OF_PIPE,
        data_sel: ReleaseMemDataSel::SEND_32_BIT_LOW,
        address: 0x1000,
        data: Some(7),
        ..Default::default()
    };
    for _ in 0..2 {
        stream.event_at(Event::ZPASS_DONE, 0x2000).expect("an event");
        stream.emit(&release).expect("after ZPASS_DONE");
        assert!(matches!(stream.emit(&release), Err(WriteError::Rule { .. })), "RELEASE_MEM is before it");
    }
    let boolean = SetPredication { pred_op: SetPredicationPredOp::VULKAN, start_addr: 0x1000, ..Default::default() };
    stream.emit(&boolean).expect("firmware that nobody has stated");
    stream.set_options(WriterOptions { firmware: Firmware { me_feature: 51, ..Firmware::default() }, ..WriterOptions::default() });
    assert!(matches!(stream.emit(&boolean), Err(WriteError::MeFeature { .. })));
}

/// Words that kernels write into KIQ and HIQ, with their meaning (Linux 7.1.8 gfx_v11_0.c kiq_map_queues, kfd_packet_manager_v9.c pm_runlist_v9).
#[test]
fn packets_of_the_scheduler_are_read_by_name() {
    let map = [0xC005_A200, 0x2005_0000, 0x460, 0x2345_6000, 1, 0xABCD_1000, 0x7F00];
    let run_list = [0xC002_A500, 0x2345_6000, 1, 0x0380_0064];
    for gfx in generations() {
        let value = |words: &[u32], name: &str| only(words).fields(gfx, Queue::Compute).find(|value| value.name == name).map(|value| value.value);
        let fields = |words: &[u32], names: &[&str]| names.iter().map(|name| value(words, name)).collect::<Vec<_>>();
        let (me, numbers) = (["me", "pipe", "queue", "vmid", "queue_sel", "engine_sel"], ["num_queues", "doorbell_offset"]);
        assert_eq!(fields(&map, &me), [1, 1, 0, 0, 0, 0].map(Some), "{gfx}");
        assert_eq!(fields(&map, &numbers), [1, 0x118].map(Some), "{gfx}");
        assert_eq!(only(&map).addresses(gfx, Queue::Compute).map(|address| address.value).collect::<Vec<_>>(), [0x1_2345_6000, 0x7F00_ABCD_1000]);
        assert_eq!(fields(&run_list, &["ib_size", "chain", "valid", "process_cnt"]), [100, 0, 1, 3].map(Some), "{gfx}");
        for words in [&map[..], &run_list] {
            assert!(only(words).defect(gfx, Queue::Compute).is_none(), "{gfx}");
            let body = &words[1..];
            let mut stream = Stream::growable(gfx, Queue::Compute);
            let opcode = only(words).opcode().expect("type 3");
            assert!(matches!(stream.packet(opcode, body), Err(WriteError::KernelOnly { .. })), "{gfx}");
        }
    }
}

/// Draws have a separate fast path: it accepts what all packets accept, and writes the same dwords.
#[test]
fn shortcuts_of_draws_accept_what_the_packet_accepts() {
    let known = [0, 1, 2, 3, 0x20, 0x22, 0x40, 0x42, 0x102, 0x100, 0x80, 0x2000_0000, 0x2000_0002];
    property("draws", |(word, count, size): &(u32, u32, u32)| {
        let sparse = word & word.rotate_left(7) & word.rotate_left(13);
        generations().all(|gfx| {
            [Queue::Graphics, Queue::Compute].into_iter().all(|queue| {
                known.into_iter().chain([*word, sparse, 1 << (word % 32)]).all(|initiator| {
                    [0, *size].into_iter().all(|size| {
                        let [mut short, mut long] = [(); 2].map(|()| Stream::growable(gfx, queue));
                        let typed = DrawInitiator::from(initiator);
                        let auto = (short.draw_index_auto(*count, typed), long.packet(Opcode::DRAW_INDEX_AUTO, &[*count, initiator]));
                        let base = u64::from(*count) << 17;
                        let body = [size, base as u32, (base >> 32) as u32, *count, initiator];
                        let indexed = (short.draw_index_2(size, base, *count, typed), long.packet(Opcode::DRAW_INDEX_2, &body));
                        auto.0 == auto.1 && indexed.0.is_ok() == indexed.1.is_ok() && short.words() == long.words()
                    })
                })
            })
        })
    });
    // A value that does not fit its bits is reported, not truncated.
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    let wide = DrawInitiator::new().with_source_select(VgtDiSourceSelect::new(6));
    assert!(stream.draw_index_auto(3, wide).is_err() && stream.draw_index_2(3, 0x1000, 3, wide).is_err() && stream.is_empty());
}

#[test]
fn events_go_to_the_packet_they_belong_to() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        assert_eq!(stream.event(Event::CACHE_FLUSH_AND_INV_TS_EVENT), Err(WriteError::TimestampEvent { name: "CACHE_FLUSH_AND_INV_TS_EVENT" }));
        assert_eq!(stream.event(Event::PIXEL_PIPE_STAT_DUMP), Err(WriteError::EventAddress { name: "PIXEL_PIPE_STAT_DUMP", sample: true }));
        assert_eq!(stream.event_at(Event::VGT_FLUSH, 8), Err(WriteError::EventAddress { name: "VGT_FLUSH", sample: false }));
        assert!(matches!(stream.event_at(Event::PIXEL_PIPE_STAT_DUMP, 4), Err(WriteError::FieldMisaligned { align: 8, .. })));
        stream.event_at(Event::PIXEL_PIPE_STAT_DUMP, 0x1_0000_0008).expect("a sample event");
        assert_eq!(stream.words(), [0xC002_4600, 0x139, 8, 1]);
        // Its dwords select counters and are not an address.
        let refused = stream.event_at(Event::PIXEL_PIPE_STAT_CONTROL, 0x10_0000).unwrap_err();
        assert_eq!(refused.to_string().split(':').next(), Some("EVENT_WRITE"), "{refused}");
    }
}

#[test]
fn register_writes_to_one_instance_bypass_the_filter() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        let mut state = PreparedState::new(gfx, Queue::Graphics, &mut [(0x28000, 1), (0x28100, 2)].into_iter().collect()).expect("two registers");
        // One instance, three ways to write, all instances, and an ordinary write.
        stream.set_reg(0x30800, 0).expect("GRBM_GFX_INDEX");
        stream.set_reg(0x28000, 1).expect("a context register");
        stream.emit(&SetShReg { reg_offset: 8 }.followed_by(&[1])).expect("an SH register");
        state.bind(&mut stream).expect("room");
        stream.set_reg(0x30800, 0xE000_0000).expect("GRBM_GFX_INDEX");
        stream.set_reg(0x28000, 1).expect("a context register");
        let bits: Vec<bool> = Reader::new(stream.words()).flatten().map(|p| p.header.resets_filter_cam()).collect();
        let with = gfx.major() >= 10;
        assert_eq!(bits, [false, with, with, with, with, with, false], "{gfx}");
        // A packet with an index selects as well.
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        stream.set_reg_indexed(0x30800, 0, 1).expect("GRBM_GFX_INDEX");
        stream.set_reg(0x28000, 1).expect("a context register");
        let bits: Vec<bool> = Reader::new(stream.words()).flatten().map(|p| p.header.resets_filter_cam()).collect();
        assert_eq!(bits, [false, with], "{gfx}");
        // After a load whose range includes GRBM_GFX_INDEX (dword 0x200 of the window), the selection is unknown.
        for (first, known) in [(0x1FE, false), (0x1FC, true), (0x201, true)] {
            let mut stream = Stream::growable(gfx, Queue::Graphics);
            if !Opcode::LOAD_UCONFIG_REG.available(gfx, Queue::Graphics) {
                continue;
            }
            stream.packet(Opcode::LOAD_UCONFIG_REG, &[0x1000, 0, first, 4]).expect("a packet");
            stream.set_reg(0x28000, 1).expect("a context register");
            let bits: Vec<bool> = Reader::new(stream.words()).flatten().map(|p| p.header.resets_filter_cam()).collect();
            assert_eq!(bits, [false, with && !known], "{gfx} from {first:#x}");
        }
    }
}

#[test]
fn registers_with_an_index_are_written_with_it() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        // VGT_PRIMITIVE_TYPE (an index on GFX9 only), VGT_INDEX_TYPE.
        stream.set_regs(0x30908, &[4, 1]).expect("uconfig registers");
        let packets: Vec<_> = Reader::new(stream.words()).flatten().map(|p| (p.header.opcode(), p.body[0])).collect();
        let first = if gfx.major() == 9 { (Opcode::SET_UCONFIG_REG_INDEX, 0x1000_0242) } else { (Opcode::SET_UCONFIG_REG, 0x242) };
        assert_eq!(packets, [first, (Opcode::SET_UCONFIG_REG_INDEX, 0x2000_0243)], "{gfx}");
    }
}

#[test]
fn old_microcode_of_gfx9_gets_the_index_in_the_plain_packet() {
    let Some(gfx) = generations().find(|g| g.major() == 9) else { return };
    let mut stream = Stream::growable(gfx, Queue::Graphics);
    stream.set_options(WriterOptions { firmware: Firmware { me: 25, ..Firmware::default() }, ..WriterOptions::default() });
    stream.index_type(VgtIndexTypeMode::VGT_INDEX_32).expect("VGT_INDEX_TYPE");
    stream.set_reg(0xB01C, 3).expect("SPI_SHADER_PGM_RSRC3_PS");
    assert_eq!(stream.words(), [0xC001_7900, 0x2000_0243, 1, 0xC001_7600, 7, 3]);
}

#[test]
fn an_empty_index_buffer_is_refused_where_it_hangs() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        assert_eq!(stream.index_buffer_size(0).is_err(), gfx.version() == (10, 1));
    }
}

#[test]
fn the_tables_agree_with_themselves() {
    for format in formats() {
        assert!(!format.doc.is_empty() && !format.sources.is_empty(), "{} says what it does, and has a source", format.name);
        for gfx in generations() {
            let Some(opcode) = format.opcode(gfx) else { continue };
            assert_eq!(Opcode::from_name(gfx, format.opcode_name), Some(opcode), "{}", format.name);
            let engines = [Engine::Pfp, Engine::Me, Engine::Mec, Engine::Ce];
            assert!(engines.iter().any(|e| format.scope.has(gfx, *e)), "{} on {gfx}", format.name);
            for form in format.forms.iter().filter(|f| f.scope.intersects(Scope::gfx(gfx))) {
                assert!(form.sizes.iter().any(|s| s.gfx & gfx.bit() != 0), "{} on {gfx}", format.name);
            }
        }
    }
    assert!(formats().is_sorted_by_key(|f| f.name));
}

/// All streams of a driver: no damage, and every packet is known with a layout that fits its size.
#[test]
fn captured_streams_are_understood() {
    let folders = folders_of_captures();
    let families = [("vega10", "gfx9"), ("navi10", "gfx10"), ("navi21", "gfx103"), ("navi31", "gfx11"), ("gfx1150", "gfx115"), ("gfx1200", "gfx12")];
    for (family, name) in families {
        let Some(gfx) = generations().find(|g| g.to_string() == name) else { continue };
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder.join(family)).into_iter().flatten().flatten());
        for path in files.map(|f| f.path()).filter(|p| p.extension().is_some_and(|e| e == "bin")) {
            let bytes = std::fs::read(&path).expect("readable");
            let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
            let queue = if path.to_string_lossy().contains(".ace") { Queue::Compute } else { Queue::Graphics };
            for packet in Reader::new(&words) {
                let packet = packet.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                assert!(packet.format(gfx, queue).is_some(), "{} dword {}: {} has no layout", path.display(), packet.offset, packet.header);
            }
        }
    }
}

/// Register lists and the streams that Mesa's builder makes from them (25.0.7 ac_pm4.c): the writer produces the same ones, and the reader finds the registers
/// in all of them, including the packed ones.
#[test]
fn register_runs_are_those_of_mesa() {
    let folder = all_captures().unwrap_or_else(small_captures);
    let Ok(table) = std::fs::read_to_string(folder.join("expected/encoder-vectors.tsv")) else { return };
    let hex = |s: &str| u32::from_str_radix(s, 16).expect("a hexadecimal number");
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [row, config, queue, _, registers, dwords] = columns[..] else { panic!("six columns expected: {line}") };
        let registers: Vec<(u32, u32)> = registers.split(',').filter_map(|r| r.split_once('=')).map(|(addr, value)| (hex(addr), hex(value))).collect();
        let stream: Vec<u32> = dwords.split(' ').map(hex).collect();
        let generation = config.split_once('_').map_or(config, |(g, rest)| if rest == "3" { "gfx103" } else { g });
        let Some(gfx) = generations().find(|g| g.to_string() == generation) else { continue };

        // The padding of an odd packed list repeats the first register; in row 1102 that register occurs twice and the older value wins.
        let last = |writes: &[(u32, u32)]| writes.iter().copied().collect::<std::collections::BTreeMap<u32, u32>>();
        assert_eq!(last(&read_writes(gfx, &stream)) == last(&registers), row != "1102", "row {row}");

        let plain = !config.contains("packed") && !config.contains("pairs");
        if plain && queue == "gfx" {
            let mut writer = Stream::growable(gfx, Queue::Graphics);
            // Mesa's builder leaves indices and groups to its callers.
            writer.set_options(WriterOptions { indexed: false, whole_groups: false, ..WriterOptions::default() });
            registers.iter().try_for_each(|(addr, value)| writer.set_reg(*addr, *value)).expect("all registers lie in windows");
            // PAL marks the packets of compute registers, Mesa does not.
            let words: Vec<u32> = Reader::new(writer.words())
                .flatten()
                .flat_map(|p| std::iter::once(p.header.with_shader_type(ShaderType::Graphics).0).chain(p.body.iter().copied()))
                .collect();
            assert_eq!(words, stream, "row {row}");
            compared += 1;
        }
    }
    assert!(compared >= 80, "only {compared} streams compared");
}

/// A packet of another queue is read with the layout of that queue; the message for a size that no engine knows lists the sizes of this queue.
#[test]
fn sizes_are_those_of_the_queue() {
    let defect = |words: &[u32], queue| Reader::new(words).flatten().next().and_then(|p| p.defect(Gfx::Gfx11, queue)).map(|d| d.to_string());
    let pfp_sync_me = [0xC000_4200, 0];
    assert_eq!(defect(&pfp_sync_me, Queue::Graphics), None);
    assert_eq!(defect(&pfp_sync_me, Queue::Compute), None);
    assert!(defect(&[0xC001_4200, 0, 0], Queue::Compute).is_some_and(|d| d.contains("3 dwords") && d.contains("it has 2")));
    // DISPATCH_INDIRECT: an offset on graphics, an address on compute.
    assert_eq!(defect(&[0xC001_1600, 0, 0], Queue::Compute), None);
    assert!(defect(&[0xC003_1600, 0, 0, 0, 0], Queue::Graphics).is_some_and(|d| d.ends_with("it has 3")));
    assert!(defect(&[0xC003_1600, 0, 0, 0, 0], Queue::Compute).is_some_and(|d| d.ends_with("it has 4")));
}

#[test]
fn padding_holds_for_any_tail() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    for tail in [0, 1, 4, 7, usize::MAX - 1, usize::MAX] {
        for align in [0, 1, 3, 8, 12, 1000] {
            stream.num_instances(1).expect("a packet");
            stream.pad(align, tail).expect("a growing stream has room");
            assert_eq!((stream.len() as u128 + tail as u128) % align.max(1) as u128, 0, "pad({align}, {tail})");
        }
    }
}

#[test]
fn padding_that_a_range_cannot_hold_writes_nothing() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    let filled = stream.cond_exec(0x1000, |w| {
        // The longest range except for two dwords; six are missing to a multiple of 8.
        w.nop(&[0; 0x3FFF - 3])?;
        let before = w.words().to_vec();
        assert!(matches!(w.pad(8, 0), Err(WriteError::SpanSplit { .. })));
        assert_eq!(w.words(), before);
        w.pad(4, 0)
    });
    assert_eq!(filled, Ok(()));
    assert_eq!(stream.words()[4], 0x3FFF);
    // NOPs of one dword may extend past the end of a range that is already counted: none of them crosses it.
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 2]).expect("a range of two dwords");
    assert_eq!((stream.pad(8, 0), stream.len()), (Ok(()), 8));
}

#[test]
fn addresses_beyond_48_bits_are_refused_by_every_method() {
    const ADDRESS: u64 = 1 << 48;
    type Method = fn(&mut Stream) -> Result<(), WriteError>;
    let methods: [Method; 5] = [
        |s| s.index_base(ADDRESS),
        |s| s.draw_index_2(3, ADDRESS, 3, DrawInitiator::INDICES),
        |s| s.event_at(Event::SAMPLE_PIPELINESTAT, ADDRESS),
        |s| s.indirect_buffer(IbKind::Call, ADDRESS, 8),
        |s| s.cond_exec(ADDRESS, |s| s.num_instances(1)),
    ];
    for gfx in generations() {
        for (number, method) in methods.iter().enumerate() {
            let mut stream = Stream::growable(gfx, Queue::Graphics);
            let result = method(&mut stream);
            assert!(matches!(result, Err(WriteError::AddressTooWide { .. })) && stream.is_empty(), "{gfx}: method {number}: {result:?}");
        }
    }
}

#[test]
fn groups_may_be_torn_on_request_whichever_way_the_packet_is_authored() {
    // PA_CL_VPORT_XOFFSET, in the middle of its group.
    const REGISTER: u32 = 0x2_8440;
    for gfx in generations() {
        let offset = (REGISTER - 0x2_8000) / 4;
        type Way = fn(&mut Stream, u32) -> Result<(), WriteError>;
        let ways: [(Way, bool); 6] = [
            (|s, _| s.set_reg(REGISTER, 1), true),
            (|s, _| s.set_reg_indexed(REGISTER, 1, 1), true),
            (|s, _| s.set_list(&mut [(REGISTER, 1), (0x2_8000, 2)].into_iter().collect()), true),
            (|s, offset| s.packet(Opcode::SET_CONTEXT_REG, &[offset, 1]), true),
            (|s, offset| s.packet(Opcode::SET_CONTEXT_REG_PAIRS, &[offset, 1, 0, 2]), gfx.major() >= 11),
            (|s, offset| s.packet(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, &[2, offset, 1, 2]), gfx.major() == 11),
        ];
        for (number, (way, exists)) in ways.into_iter().enumerate().filter(|(_, (_, exists))| *exists) {
            let mut stream = Stream::growable(gfx, Queue::Graphics);
            assert!(exists && way(&mut stream, offset).is_err() && stream.is_empty(), "{gfx}: way {number}");
            stream.set_options(WriterOptions { whole_groups: false, ..WriterOptions::default() });
            assert_eq!(way(&mut stream, offset), Ok(()), "{gfx}: way {number}");
        }
    }
}

#[test]
fn draws_are_the_same_packets_by_method_and_by_fields_while_one_instance_is_selected() {
    for gfx in generations() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        stream.set_reg(0x3_0800, 0).expect("GRBM_GFX_INDEX");
        let start = stream.len();
        stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX).expect("a draw");
        stream.emit(&DrawIndexAuto { index_count: 3, draw_initiator: DrawInitiator::AUTO_INDEX }).expect("a draw");
        stream.draw_index_2(3, 0x1000, 3, DrawInitiator::INDICES).expect("a draw");
        stream.emit(&DrawIndex2 { max_size: 3, index_base: 0x1000, index_count: 3, draw_initiator: DrawInitiator::INDICES }).expect("a draw");
        let drawn = &stream.words()[start..];
        assert_eq!((&drawn[..3], &drawn[6..12]), (&drawn[3..6], &drawn[12..]), "{gfx}");
        // Only writes of registers go through the filter.
        assert!(Reader::new(drawn).flatten().all(|p| !p.header.resets_filter_cam()), "{gfx}");
    }
}

#[test]
fn lists_for_compute_queues_of_gfx12_are_never_packed() {
    let mut stream = Stream::growable(Gfx::Gfx12, Queue::Compute);
    stream.set_options(WriterOptions { sh_form: RegisterForm::Packed, sh_shadowed: true, ..WriterOptions::default() });
    stream.set_list(&mut [(0xB830, 1), (0xB848, 2), (0xB900, 3), (0xB910, 4)].into_iter().collect()).expect("SH registers");
    assert!(Reader::new(stream.words()).flatten().all(|p| p.opcode() == Some(Opcode::SET_SH_REG)));
}

/// A draw without indices overwrites VGT_INDEX_TYPE: a state that contains it is bound again, any other state is not.
#[test]
fn states_with_registers_of_draws_are_bound_again_after_draws() {
    for gfx in generations() {
        let bound_again = |addr: u32| {
            let mut state = PreparedState::new(gfx, Queue::Graphics, &mut [(addr, 0)].into_iter().collect()).expect("a register");
            let mut stream = Stream::growable(gfx, Queue::Graphics);
            state.bind(&mut stream).expect("room");
            stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX).expect("room");
            let before = stream.len();
            state.bind(&mut stream).expect("room");
            stream.len() > before
        };
        assert!(bound_again(0x3090C), "{gfx}: VGT_INDEX_TYPE");
        assert!(!bound_again(0x28010), "{gfx}: a context register");
        assert!(!bound_again(0xB030), "{gfx}: a user SGPR");
        // Indirect draws put arguments into SGPRs.
        let mut state = PreparedState::new(gfx, Queue::Graphics, &mut [(0xB030, 0)].into_iter().collect()).expect("a register");
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        state.bind(&mut stream).expect("room");
        let draw_initiator = DrawInitiator::AUTO_INDEX;
        stream.emit(&DrawIndirect { data_offset: 0, start_vtx_loc: 0xC, start_inst_loc: 0xD, draw_initiator }).expect("room");
        let before = stream.len();
        state.bind(&mut stream).expect("room");
        assert!(stream.len() > before, "{gfx}: SGPRs after DRAW_INDIRECT");
    }
}

/// A state that selects one instance of the hardware makes later writes bypass the filter, as a register write does.
#[test]
fn a_bound_choice_of_instances_counts_for_later_writes() {
    let mut state = PreparedState::new(Gfx::Gfx11, Queue::Graphics, &mut [(0x30800, 0)].into_iter().collect()).expect("GRBM_GFX_INDEX");
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    state.bind(&mut stream).expect("room");
    stream.set_reg(0x30900, 1).expect("room");
    assert!(Header(stream.last_packet()[0]).resets_filter_cam());
}

/// A typed register goes to its own address; one of another generation is refused, naming both generations.
#[test]
fn typed_registers_are_written_to_their_own_place() {
    use pm4::regs::{gfx9, gfx11, gfx12};
    let mut stream = Stream::growable(Gfx::Gfx12, Queue::Graphics);
    stream.set(gfx12::DbShaderControl::new().with_kill_enable(true)).expect("a register of GFX12");
    assert_eq!(stream.words(), [0xC001_6900, (0x2806C - 0x28000) / 4, 0x40]);
    let error = stream.set(gfx9::DbDfsmControl::new()).expect_err("GFX12 has no DB_DFSM_CONTROL");
    assert_eq!(error.to_string(), "DB_DFSM_CONTROL as gfx9 has it is not a register of gfx12");
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.set_element(0, gfx11::CbBlendControl::from(1)).expect("an element");
    stream.set_element(1, gfx11::CbBlendControl::from(2)).expect("an element");
    assert_eq!(stream.words(), [0xC002_6900, 0x1E0, 1, 2], "elements in a row join one packet");
    let error = stream.set_element(8, gfx11::CbBlendControl::from(1)).expect_err("eight elements");
    assert_eq!(error.to_string(), "CB_BLEND0_CONTROL has 8 elements on gfx11, and index 8 is beyond them");
    let error = stream.modify::<gfx11::DbShaderControl>(gfx11::DbShaderControl::Z_ORDER, 4).expect_err("two bits");
    assert_eq!(error.to_string(), "DB_SHADER_CONTROL: Z_ORDER = 0x4 does not fit, 0x3 is the limit");
    // One field of a context register, and of a user-configuration register; no packet changes one field of a shader register.
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.modify::<gfx11::DbShaderControl>(gfx11::DbShaderControl::Z_ORDER, 3).expect("two bits");
    assert_eq!(stream.words(), [0xC002_5100, 0x203, 3 << 4, 3 << 4]);
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.modify::<gfx11::GeCntl>(gfx11::GeCntl::PRIM_GRP_SIZE, 1).expect("a field");
    let written: Vec<_> = Reader::new(stream.words()).flatten().map(|packet| packet.name(Gfx::Gfx11)).collect();
    assert_eq!(written, [Some("REG_RMW")]);
    let error = stream.modify::<gfx11::SpiShaderPgmRsrc2Ps>(gfx11::SpiShaderPgmRsrc2Ps::SCRATCH_EN, 1).expect_err("a shader register");
    assert!(matches!(error, WriteError::NoModify { register: "SPI_SHADER_PGM_RSRC2_PS" }), "{error}");
}

/// Words inside packets have named bits, checked against the generation of the stream.
#[test]
fn bits_of_initiators_are_those_of_the_generation() {
    use pm4::packet::layouts::{AcquireGcrCntl, DrawInitiator};
    use pm4::packet::structs::DrawIndexAuto;
    use pm4::packet::values::VgtDiSourceSelect;
    let auto = DrawInitiator::new().with_source_select(VgtDiSourceSelect::DI_SRC_SEL_AUTO_INDEX);
    assert_eq!((auto.word(), auto.source_select().get()), (2, 2));
    let mut stream = Stream::growable(Gfx::Gfx12, Queue::Graphics);
    stream.emit(&DrawIndexAuto { index_count: 3, draw_initiator: auto }).expect("a draw");
    assert_eq!(stream.words(), [0xC001_2D00, 3, 2]);
    let error = stream.emit(&DrawIndexAuto { index_count: 3, draw_initiator: auto.with_unrolled_inst(true) }).expect_err("GFX9 and GFX10.1 have the bit");
    assert_eq!(error.to_string(), "DRAW_INDEX_AUTO: draw_initiator sets UNROLLED_INST, which gfx12 does not have");
    let wide = pm4::packet::gfx12::AcquireMem { gcr_cntl: AcquireGcrCntl::new().with_seq(4), ..Default::default() };
    assert!(matches!(stream.emit(&wide), Err(WriteError::FieldTooLarge { field: "gcr_cntl", .. })), "SEQ has two bits");
}

/// A value of two fields is refused as a whole, with the range of both and the given value.
#[test]
fn values_of_two_fields_are_refused_whole() {
    let mut stream = Stream::growable(Gfx::Gfx10, Queue::Graphics);
    let mut acquire = pm4::packet::gfx10::AcquireMem { coher_size: (1 << 40) - 1, ..Default::default() };
    stream.emit(&acquire).expect("32 and 8 bits hold it");
    acquire.coher_size = 1 << 40;
    let error = stream.emit(&acquire).expect_err("8 bits are too few");
    assert!(matches!(error, WriteError::FieldTooLarge { field: "coher_size", value: 0x100_0000_0000, max: 0xFF_FFFF_FFFF, .. }), "{error:?}");
}

/// A refusal names the condition that fails.
#[test]
fn refusals_name_the_condition() {
    use pm4::packet::gfx11::CopyData;
    use pm4::packet::values::{CopyDataDstSel, CopyDataSrcSel};
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    let copy = CopyData { src_sel: CopyDataSrcSel::IMMEDIATE_DATA, imm_data: Some(1), dst_sel: CopyDataDstSel::TC_L2, ..Default::default() };
    let missing = stream.emit(&copy).expect_err("where to?");
    assert_eq!(
        missing.to_string(),
        "COPY_DATA: dst_addr is missing: it is needed where dst_sel = memory_sync_across_grbm or tc_l2 or tc_l2_obsolete, but dst_sel is tc_l2"
    );
    let unused = stream.emit(&CopyData { dst_addr: Some(0x1000), src_addr: Some(0x2000), ..copy }).expect_err("an immediate has no address");
    assert!(unused.to_string().starts_with("COPY_DATA: src_addr is given, but has no meaning here: it needs src_sel = "), "{unused}");
    let wide = stream.emit(&CopyData { dst_addr: Some(0x1_0000_0000_0000), ..copy }).expect_err("48 bits");
    assert_eq!(wide.to_string(), "COPY_DATA: dst_addr = 0x1000000000000 is beyond the 48 bits of an address");
}

/// The source files of the crate, each with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![crate::support::repository("src")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => found.extend(std::fs::read_to_string(&path).ok().map(|text| (path, text))),
            }
        }
    }
    found
}

/// Repeated items, with their places.
fn repeated(names: impl IntoIterator<Item = (String, PathBuf)>) -> Vec<(String, Vec<PathBuf>)> {
    let mut places: std::collections::BTreeMap<String, Vec<PathBuf>> = std::collections::BTreeMap::new();
    for (name, path) in names {
        places.entry(name).or_default().push(path);
    }
    places.into_iter().filter(|(_, places)| places.len() > 1).collect()
}

/// Public names are unique in the crate, so that glob imports of several modules do not clash.
#[test]
fn public_names_stand_once() {
    let names = sources().into_iter().flat_map(|(path, text)| {
        let declared = text.lines().map(str::trim_start).filter_map(|line| {
            let name = ["pub struct ", "pub enum ", "pub trait ", "pub type "].iter().find_map(|kind| line.strip_prefix(kind))?;
            let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
            (!name.is_empty()).then_some((name, path.clone()))
        });
        declared.collect::<Vec<_>>()
    });
    assert_eq!(repeated(names), []);
}

/// Two engines may read the same bits in two ways; a queue on which the packet is unknown uses one of them.
#[test]
fn no_packet_has_two_fields_of_one_name_on_any_queue() {
    for gfx in <Gfx as strum::IntoEnumIterator>::iter() {
        for (opcode, dwords, word) in (0..=255u32).flat_map(|opcode| (1..16u32).flat_map(move |dwords| [0, u32::MAX, 0x528].map(|word| (opcode, dwords, word))))
        {
            let mut stream = vec![0xC000_0000 | (dwords - 1) << 16 | opcode << 8];
            stream.resize(1 + dwords as usize, word);
            let Some(Ok(packet)) = Reader::new(&stream).next() else { continue };
            for queue in [Queue::Graphics, Queue::Compute, Queue::Constant] {
                let mut names: Vec<_> = packet.fields(gfx, queue).map(|field| (field.name, field.group)).collect();
                names.sort_unstable();
                let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
                assert_eq!(twice, None, "{:?} of {dwords} dwords on {gfx} {queue:?}", packet.name(gfx));
            }
        }
    }
}

/// A range that may be skipped, written as a packet, ends together with the range that a call writes inside it.
#[test]
fn a_skipped_range_may_end_with_the_range_around_it() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.packet(Opcode::COND_EXEC, &[0x1000, 0, 0, 4]).unwrap();
    stream.pred_exec(1, |w| w.num_instances(2)).unwrap();
    stream.num_instances(3).unwrap();
    assert_eq!(stream.words()[5..], [0xC000_2300, 0x0100_0002, 0xC000_2F00, 2, 0xC000_2F00, 3]);
}
