//! Each layout of each packet on each generation: its text in a dump, the decoded packet, and the messages of the writer about it and about packets that
//! differ by one bit. Full texts for two generations, hashes for the others (FNV-1a); they are in `golden/packets/`.
use crate::golden::{Parts, digest, is_turn_of};
use crate::random_packets::{self, Seat};

use pm4::chip::Gfx;
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::*;
use pm4::report::{Dump, DumpOptions, OutputFormat, PacketFilter};
use quickcheck::Gen;
use std::collections::BTreeMap;
use std::fmt::Write;
use strum::IntoEnumIterator;

fn dumped(seat: &Seat, words: &[u32], format: OutputFormat, zeros: bool) -> String {
    let mut out = Vec::new();
    let options = DumpOptions { format, zeros, ..DumpOptions::new(seat.gfx(), seat.queue) };
    let mut dump = Dump::new(&mut out, &options).expect("memory takes it").filter(PacketFilter::default());
    dump.begin("a");
    dump.words(words).expect("memory takes it");
    dump.end().expect("memory takes it");
    drop(dump);
    String::from_utf8(out).expect("UTF-8")
}

/// The decoded properties of a packet that a dump does not print.
fn read(seat: &Seat, words: &[u32]) -> String {
    let (gfx, queue) = (seat.gfx(), seat.queue);
    let mut text = String::new();
    for item in Reader::new(words) {
        let _ = match item {
            Ok(packet) => {
                let addresses: Vec<String> = packet.addresses(gfx, queue).map(|address| format!("{address:?}")).collect();
                let needs: Vec<String> = packet.firmware_needs(gfx, queue).map(|need| format!("{need:?}")).collect();
                let defect = packet.defect(gfx, queue).map(|defect| defect.to_string());
                writeln!(text, "{:?} {defect:?} {:?} {addresses:?} {needs:?} {:?}", packet.name(gfx), packet.work(gfx, queue), packet.effects(gfx, queue))
            }
            Err(error) => writeln!(text, "{error}"),
        };
    }
    text
}

fn written(seat: &Seat, words: &[u32]) -> Result<(), WriteError> {
    let mut writer = Stream::growable(seat.gfx(), seat.queue);
    let header = Header(words[0]);
    writer.packet_with(header, &words[1..])
}

/// The packet without its last dword, and with one more.
fn other_lengths(words: &[u32]) -> [Vec<u32>; 2] {
    let with_body = |body: &[u32]| [vec![(words[0] & !0x3FFF_0000) | (body.len() as u32).wrapping_sub(1) << 16 & 0x3FFF_0000], body.to_vec()].concat();
    [with_body(&words[1..words.len() - 1]), with_body(&[&words[1..], &[0x1234_5678]].concat())]
}

#[test]
fn packet_text_reading_and_writing_match_the_golden_files() {
    let mut parts = Parts::default();
    let mut numbers = String::new();
    for seat in random_packets::seats() {
        let title = format!("{} {:?} as {:?} {}, {} dwords", seat.gfx(), seat.queue, seat.read_as, seat.format.name, seat.dwords);
        let whole = matches!(seat.gfx(), Gfx::Gfx11) && seat.queue == Queue::Graphics && seat.read_as == Queue::Graphics;
        let mut generator = Gen::from_size_and_seed(100, digest(&title));
        let (mut text, mut refused) = (String::new(), BTreeMap::<String, u32>::new());
        for _ in 0..3 {
            let words = random_packets::packet(&mut generator, &seat, 64);
            text += &dumped(&seat, &words, OutputFormat::Text, false);
            text += &dumped(&seat, &words, OutputFormat::Text, true);
            text += &dumped(&seat, &words, OutputFormat::Json, false);
            text += &read(&seat, &words);
            // With bits outside all fields, including the header.
            let noise = |at: usize| digest(&format!("{title} {at}")) as u32 & 0x1111_8421;
            let noisy: Vec<u32> = words.iter().enumerate().map(|(at, word)| if at == 0 { word ^ noise(at) & 0xFC } else { word ^ noise(at) }).collect();
            text += &read(&seat, &noisy);
            text += &dumped(&seat, &noisy, OutputFormat::Text, false);
            text += &dumped(&seat, &noisy, OutputFormat::Json, true);
            for other in other_lengths(&words) {
                text += &read(&seat, &other);
                text += &dumped(&seat, &other, OutputFormat::Text, false);
            }
            // The packet itself, and with each bit of its first dwords flipped.
            for bit in 0..=32 * words.len().min(12) {
                let mut other = words.clone();
                if bit > 0 {
                    other[(bit - 1) / 32] ^= 1 << ((bit - 1) % 32);
                }
                if other.len() != words.len() || Header(other[0]).body_dwords() != words.len() - 1 {
                    continue;
                }
                let answer = written(&seat, &other).err().map_or("written".into(), |error| error.to_string());
                *refused.entry(answer).or_default() += 1;
            }
        }
        let answers: String = refused.iter().map(|(answer, count)| format!("{count}: {answer}\n")).collect();
        if whole {
            let shown: Vec<&str> = text.lines().filter(|line| !line.starts_with('{')).take(8).collect();
            parts.add(&title, &format!("{}\n{} different answers, {:016x}, {:016x}", shown.join("\n"), refused.len(), digest(&text), digest(&answers)));
        } else {
            let _ = writeln!(numbers, "{title}: {:016x}, {} different answers, {:016x}", digest(&text), refused.len(), digest(&answers));
        }
    }
    parts.add("the others", &numbers);
    parts.assert("packets/packets.txt");
}

#[test]
fn a_filter_of_several_registers_shows_those_of_any_of_them() {
    let gfx = Gfx::Gfx11;
    let words = [[0xC001_6900, 0x203, 1], [0xC001_6900, 0x8E, 2], [0xC001_6900, 0x1E8, 3], [0xC001_2D00, 3, 2]].concat();
    let shown = |registers: &[&str], packets: &[&str]| {
        let filter = registers.iter().fold(PacketFilter::default(), |filter, name| filter.register(gfx, name).expect("a register"));
        let filter = packets.iter().fold(filter, |filter, name| filter.packet(gfx, name).expect("a packet"));
        let mut out = Vec::new();
        let mut dump = Dump::new(&mut out, &DumpOptions::new(gfx, Queue::Graphics)).expect("memory takes it").filter(filter);
        dump.begin("a");
        dump.words(&words).expect("memory takes it");
        dump.end().expect("memory takes it");
        let printed = dump.printed();
        drop(dump);
        let text = String::from_utf8(out).expect("UTF-8");
        let places: Vec<String> = text.lines().filter(|line| !line.starts_with(['#', ' '])).map(|line| line.chars().take(6).collect()).collect();
        assert_eq!(printed, places.len() as u64, "the dump counts what it prints: {text}");
        places.join(" ")
    };
    // Offsets of the packets in dwords: DB_SHADER_CONTROL, CB_TARGET_MASK, CB_BLEND2_CONTROL, a draw.
    for (registers, packets, expected) in [
        (&["DB_SHADER_CONTROL"][..], &[][..], "000000"),
        (&["DB_SHADER_CONTROL", "CB_TARGET_MASK"], &[], "000000 000003"),
        (&["CB_TARGET_MASK", "DB_SHADER_CONTROL"], &[], "000000 000003"),
        (&[], &["DRAW_INDEX_AUTO"], "000009"),
        (&["CB_TARGET_MASK"], &["SET_CONTEXT_REG", "DRAW_INDEX_AUTO"], "000003"),
        (&["CB_TARGET_MASK"], &["DRAW_INDEX_AUTO"], ""),
    ] {
        assert_eq!(shown(registers, packets), expected, "{registers:?} {packets:?}");
    }
}

/// An element of an array has its own name: a matching prefix means that element, not the first one.
#[test]
fn the_beginning_of_names_finds_elements_of_arrays() {
    let gfx = Gfx::Gfx11;
    let set = |name: &str| {
        let register = pm4::regs::find(gfx, name).unwrap_or_else(|| panic!("{name}"));
        vec![0xC001_6900, (register.addr() - 0x2_8000) / 4, 1]
    };
    let names = ["CB_COLOR0_INFO", "CB_COLOR3_INFO", "CB_COLOR3_VIEW", "CB_BLEND2_CONTROL"];
    let words = names.map(set).concat();
    let shown = |wanted: &str| {
        let mut out = Vec::new();
        let filter = PacketFilter::default().register(gfx, wanted).unwrap_or_else(|error| panic!("{error}"));
        let mut dump = Dump::new(&mut out, &DumpOptions::new(gfx, Queue::Graphics)).expect("memory takes it").filter(filter);
        dump.begin("a");
        dump.words(&words).expect("memory takes it");
        dump.end().expect("memory takes it");
        drop(dump);
        let text = String::from_utf8(out).expect("UTF-8");
        names.into_iter().filter(|name| text.contains(name)).collect::<Vec<_>>()
    };
    assert_eq!(shown("CB_COLOR3_*"), ["CB_COLOR3_INFO", "CB_COLOR3_VIEW"]);
    assert_eq!(shown("CB_COLOR0_*"), ["CB_COLOR0_INFO"]);
    assert_eq!(shown("cb_color*"), ["CB_COLOR0_INFO", "CB_COLOR3_INFO", "CB_COLOR3_VIEW"]);
    assert_eq!(shown("CB_BLEND2*"), ["CB_BLEND2_CONTROL"]);
    assert!(PacketFilter::default().register(gfx, "CB_COLOR8_*").is_err());
    assert!(PacketFilter::default().register(gfx, "0x+2880c").is_err());
}

/// Colours are not part of the searched text.
#[test]
fn text_is_found_with_colours_as_without() {
    let found = |color: bool, part: &str| {
        let mut out = Vec::new();
        let options = DumpOptions { color, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) };
        let mut dump = Dump::new(&mut out, &options).expect("memory takes it").filter(PacketFilter::default().text(part));
        dump.begin("a");
        dump.words(&[0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2]).expect("memory takes it");
        dump.end().expect("memory takes it");
        drop(dump);
        String::from_utf8(out).expect("UTF-8").lines().count() - 1
    };
    // Where the print changes its colour, and text that occurs only in escape sequences.
    for (part, lines) in [("c0012d00  DRAW_INDEX_AUTO", 1), ("000003  c0012d00", 1), ("[1m", 0), ("2m", 0), ("db_shader_control", 2)] {
        assert_eq!((found(true, part), found(false, part)), (lines, lines), "{part}");
    }
}

/// Unlimited memory for chunks.
fn memory() -> impl FnMut(usize) -> Option<u64> {
    let mut next = 0x10_0000;
    move |dwords| {
        next += 4 * dwords as u64;
        Some(next - 4 * dwords as u64)
    }
}

#[test]
fn buffers_of_chunks_refuse_what_no_queue_takes() {
    let secondary = CommandBuffer::new(Gfx::Gfx11, Queue::Compute, BufferLevel::Secondary, 64, memory());
    assert_eq!(secondary.err(), Some(WriteError::CallOnCompute));
    let finished = |gfx, queue, level| CommandBuffer::new(gfx, queue, level, 64, memory()).and_then(CommandBuffer::finish).expect("a buffer");
    // Also if the other buffer would be refused for another reason.
    let mut primary = CommandBuffer::new(Gfx::Gfx11, Queue::Compute, BufferLevel::Primary, 64, memory()).expect("a buffer");
    for level in [BufferLevel::Primary, BufferLevel::Secondary] {
        assert_eq!(primary.call(&finished(Gfx::Gfx11, Queue::Graphics, level)), Err(WriteError::CallOnCompute), "{level:?}");
    }
    let mut submission = Submission::new(Gfx::Gfx11, Queue::Graphics, memory()).expect("a submission");
    for (gfx, queue, level, answer) in [
        (Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, Ok(())),
        (Gfx::Gfx12, Queue::Graphics, BufferLevel::Primary, Err(WriteError::OtherStream)),
        (Gfx::Gfx11, Queue::Compute, BufferLevel::Primary, Err(WriteError::OtherStream)),
        (Gfx::Gfx11, Queue::Graphics, BufferLevel::Secondary, Err(WriteError::Nesting)),
    ] {
        assert_eq!(submission.push(finished(gfx, queue, level)), answer, "{gfx} {queue:?} {level:?}");
    }
    for dwords in [0, 31, 32, 33, 0xF_FFF8, 0xF_FFF9] {
        let made = CommandBuffer::new(Gfx::Gfx9, Queue::Graphics, BufferLevel::Primary, dwords, memory());
        assert_eq!(made.is_ok(), (32..=0xF_FFF8).contains(&dwords), "{dwords}");
    }
}

#[test]
fn registers_that_no_packet_reaches_are_refused() {
    for gfx in Gfx::iter() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        for (addr, answer) in [
            (0x2_8001, Err(WriteError::MisalignedRegister { addr: 0x2_8001 })),
            (0x2_8003, Err(WriteError::MisalignedRegister { addr: 0x2_8003 })),
            (0x9000, Err(WriteError::KernelRegister { addr: 0x9000 })),
            (0x4_0000, Err(WriteError::NoWindow { addr: 0x4_0000 })),
            (0x2_8000, Ok(())),
        ] {
            assert_eq!(stream.set_reg(addr, 1), answer, "{gfx} {addr:x}");
            assert_eq!(stream.set_regs(addr, &[1]), answer, "{gfx} {addr:x}");
        }
    }
}

#[test]
fn nothing_follows_a_chain() {
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    stream.set_reg(0x2_8000, 1).expect("a register");
    stream.indirect_buffer(IbKind::Chain, 0x1000, 64).expect("a chain");
    let length = stream.words().len();
    let after = |packet| Err(WriteError::AfterChain { packet });
    assert_eq!(stream.set_reg(0x2_8000, 2), after(Opcode::SET_CONTEXT_REG));
    assert_eq!(stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX), after(Opcode::DRAW_INDEX_AUTO));
    assert_eq!(stream.nop(&[1]), after(Opcode::NOP));
    assert_eq!(stream.words().len(), length);
}

/// Values by name, and names by value, in both directions.
#[test]
fn names_and_numbers_of_packet_values_belong_together() {
    let mut seen = 0;
    for gfx in Gfx::iter() {
        for format in formats().iter().filter(|format| format.opcode(gfx).is_some()) {
            for form in format.forms {
                for field in form.fields {
                    let Some(values) = field.values else { continue };
                    for value in values.values {
                        let scope = value.scope.and(field.scope).and(Scope::queue(gfx, Queue::Graphics));
                        if scope == Scope::NONE {
                            continue;
                        }
                        // Some numbers have several names: each of them gives the number.
                        let name = values.name_of(scope, value.value).expect("a name");
                        assert_eq!(values.value_of(scope, name), Some(value.value), "{} {} {gfx}", format.name, field.name);
                        assert_eq!(values.value_of(scope, value.name), Some(value.value), "{} {} {}", format.name, field.name, value.name);
                        seen += 1;
                    }
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// The text of a packet does not depend on its position: cached texts are those of the same words. All registers of a generation occur twice, with a few
/// values each, and packets of every length up to 20 dwords, in any order.
#[test]
fn a_dump_prints_each_packet_as_if_it_were_the_only_one() {
    use crate::golden::Random;
    let told = |gfx: Gfx, words: &[u32], zeros: bool| {
        let mut out = Vec::new();
        let options = DumpOptions { zeros, ..DumpOptions::new(gfx, Queue::Graphics) };
        let mut dump = Dump::new(&mut out, &options).expect("memory takes it").filter(PacketFilter::default());
        dump.begin("a");
        dump.words(words).expect("memory takes it");
        dump.end().expect("memory takes it");
        drop(dump);
        let text = String::from_utf8(out).expect("UTF-8");
        // The offset of the packet comes first.
        let of_packets = text.lines().filter(|line| !line.starts_with('#'));
        let place = |line: &str| line.split("reading continues").next().unwrap_or_default().to_owned();
        of_packets.map(|line| place(line.trim_start_matches(|c: char| c.is_ascii_hexdigit()))).collect::<Vec<_>>().join("\n")
    };
    for gfx in Gfx::iter().filter(|gfx| is_turn_of(*gfx as usize)) {
        let mut random = Random(gfx as u64);
        let mut packets: Vec<Vec<u32>> = Vec::new();
        for register in pm4::regs::registers(gfx) {
            let (header, start) = match pm4::regs::Space::of(register.addr) {
                Some(pm4::regs::Space::Context) => (0xC001_6900, 0x2_8000),
                Some(pm4::regs::Space::Sh) => (0xC001_7600, 0xB000),
                Some(pm4::regs::Space::Uconfig) => (0xC001_7900, 0x3_0000),
                _ => continue,
            };
            packets.extend([0, 1, random.next() as u32].map(|value| vec![header, (register.addr - start) / 4, value]));
        }
        packets.extend((1..20u32).flat_map(|dwords| {
            [0x10, 0x37, 0x15, 0x01, 0x69].map(|code| [vec![0xC000_0000 | (dwords - 1) << 16 | code << 8], vec![7; dwords as usize]].concat())
        }));
        packets.extend(packets.clone());
        for at in (1..packets.len()).rev() {
            packets.swap(at, random.below(at + 1));
        }
        for zeros in [false, true] {
            let alone: Vec<String> = packets.iter().map(|packet| told(gfx, packet, zeros)).collect();
            let together = told(gfx, &packets.concat(), zeros);
            let alone = alone.join("\n");
            let differ = together.lines().zip(alone.lines()).find(|(together, alone)| together != alone);
            assert!(together == alone, "{gfx}: {differ:#?}");
        }
    }
}

/// An opcode without a name is printed as its number.
#[test]
fn opcodes_without_a_name_have_their_number() {
    for gfx in Gfx::iter() {
        let nameless = (0..=255u8).map(Opcode).filter(|opcode| opcode.name(gfx).is_none());
        for opcode in nameless.step_by(9) {
            let seat = [0xC000_0000 | u32::from(opcode.0) << 8, 1];
            let dumped = |format| {
                let mut out = Vec::new();
                let mut dump = Dump::new(&mut out, &DumpOptions { format, ..DumpOptions::new(gfx, Queue::Graphics) })
                    .expect("memory takes it")
                    .filter(PacketFilter::default());
                dump.begin("a");
                dump.words(&seat).expect("memory takes it");
                dump.end().expect("memory takes it");
                drop(dump);
                String::from_utf8(out).expect("UTF-8")
            };
            let number = format!("0x{:02x}", opcode.0);
            assert!(dumped(OutputFormat::Json).contains(&format!("\"opcode\":\"{number}\"")), "{gfx} {number}: {}", dumped(OutputFormat::Json));
            // In the column of other packets' names.
            assert!(dumped(OutputFormat::Text).contains(&format!("  {number}  ")), "{gfx} {number}: {}", dumped(OutputFormat::Text));
        }
    }
}
