//! Lists of register writes against those of an independent encoder, and the rules of each form.

use crate::support::captured::{all_captures, small_captures};
use pm4::chip::Gfx;
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{
    Event, Firmware, Header, IbKind, Opcode, PacketFields, Queue, Reader, RegisterForm, RegisterList, Stream, WriteError, WriterOptions, register_group,
    register_index,
};
use pm4::regs::gfx11::VgtIndexTypeMode;
use std::collections::BTreeMap;
use strum::IntoEnumIterator;

/// The tables here, or the larger set if available.
fn vectors() -> String {
    let folder = all_captures().unwrap_or_else(small_captures);
    std::fs::read_to_string(folder.join("expected/encoder-vectors.tsv")).expect("the table of vectors")
}

struct Row {
    number: u32,
    config: String,
    queue: Queue,
    writes: Vec<(u32, u32)>,
    dwords: Vec<u32>,
}

fn rows() -> Vec<Row> {
    let hex = |s: &str| u32::from_str_radix(s, 16).unwrap();
    vectors()
        .lines()
        .skip(1)
        .map(|line| {
            let c: Vec<&str> = line.split('\t').collect();
            Row {
                number: c[0].parse().unwrap(),
                config: c[1].into(),
                queue: if c[2] == "compute" { Queue::Compute } else { Queue::Graphics },
                writes: c[4].split(',').map(|w| w.split_once('=').map(|(a, v)| (hex(a), hex(v))).unwrap()).collect(),
                dwords: c[5].split(' ').map(hex).collect(),
            }
        })
        .collect()
}

fn gfx(config: &str) -> Gfx {
    match config {
        "gfx9" => Gfx::Gfx9,
        "gfx10" => Gfx::Gfx10,
        "gfx10_3" => Gfx::Gfx103,
        "gfx12_pairs" => Gfx::Gfx12,
        _ => Gfx::Gfx11,
    }
}

/// The facts about the device in a configuration of the vectors; all others have default values.
fn options(config: &str) -> WriterOptions {
    let default = WriterOptions::default();
    match config {
        "gfx11_plain" => WriterOptions { context_form: RegisterForm::Runs, sh_form: RegisterForm::Runs, ..default },
        "gfx11_dgpu_ctx_packed" => WriterOptions { sh_form: RegisterForm::Runs, ..default },
        "gfx11_dgpu_ctx_sh_packed" => WriterOptions { sh_shadowed: true, ..default },
        _ => default,
    }
}

/// The options that produce the output of the vectors' encoder: it knows no indices, which registers of the row may need, and no shader type, which differs if
/// a
/// row of the graphics queue has graphics and compute registers. Rows without such registers are written with default options.
fn as_the_vectors(row: &Row, gfx: Gfx, legal: &[(u32, u32)]) -> WriterOptions {
    let indexed = legal.iter().any(|(addr, _)| register_index(gfx, *addr).is_some());
    let sh = |bank: std::ops::Range<u32>| legal.iter().any(|(addr, _)| bank.contains(addr));
    let banks = row.queue == Queue::Graphics && sh(0xB000..0xB800) && sh(0xB800..0xC000);
    let default = options(&row.config);
    WriterOptions { indexed: default.indexed && !indexed, sh_by_type: default.sh_by_type && !banks, ..default }
}

/// Whether a row writes part of a group: its addresses are arbitrary.
fn tears_groups(gfx: Gfx, legal: &[(u32, u32)]) -> bool {
    let has = |addr: u32| legal.iter().any(|(a, _)| *a == addr);
    legal.iter().any(|(addr, _)| register_group(gfx, *addr).is_some_and(|group| !group.step_by(4).all(has)))
}

/// Dwords that indices and shader types may cost over the vectors: a separate packet for each register with an index, which splits the run around it,
/// and a second packet for the other bank.
fn price(gfx: Gfx, legal: &[(u32, u32)]) -> usize {
    5 * legal.iter().filter(|(addr, _)| register_index(gfx, *addr).is_some()).count() + 5
}

fn state(gfx: Gfx, words: &[u32]) -> BTreeMap<u32, u32> {
    Reader::new(words).flat_map(|p| p.unwrap().writes(gfx).map(|w| (w.addr, w.value)).collect::<Vec<_>>()).collect()
}

/// Registers that a compute queue lacks.
fn is_context(addr: u32) -> bool {
    (0x28000..0x30000).contains(&addr)
}

#[test]
fn every_vector_gives_the_same_state_in_no_more_dwords() {
    let (mut shorter, mut by_default, mut torn) = (0, 0, 0);
    let rows = rows();
    assert!(rows.len() > 200);
    for row in &rows {
        let gfx = gfx(&row.config);
        let encode = |options, queue, writes: &[(u32, u32)]| {
            let mut stream = Stream::growable(gfx, queue);
            stream.set_options(options);
            stream.set_list(&mut writes.iter().copied().collect()).map(|()| stream.into_buffer())
        };
        // Some rows write context registers on a compute queue, which the hardware rejects.
        let legal: Vec<_> = row.writes.iter().copied().filter(|(a, _)| row.queue == Queue::Graphics || !is_context(*a)).collect();
        if legal.len() < row.writes.len() {
            assert!(matches!(encode(options(&row.config), row.queue, &row.writes), Err(WriteError::NotAvailable { .. })), "row {}", row.number);
        }
        // Some rows write parts of groups.
        let whole_groups = !tears_groups(gfx, &legal);
        if !whole_groups {
            assert!(matches!(encode(options(&row.config), row.queue, &legal), Err(WriteError::TornGroup { .. })), "row {}", row.number);
            torn += 1;
        }
        let options = |config| WriterOptions { whole_groups, ..options(config) };
        let equal = WriterOptions { whole_groups, ..as_the_vectors(row, gfx, &legal) };
        let words = encode(equal, row.queue, &legal).unwrap();
        // The last value of each register; the vectors' encoder keeps a stale one in one row.
        let wanted: BTreeMap<u32, u32> = legal.iter().copied().collect();
        assert_eq!(state(gfx, &words), wanted, "row {}", row.number);
        let theirs: usize = Reader::new(&row.dwords)
            .map(|p| p.unwrap())
            .filter(|p| row.queue == Queue::Graphics || p.writes(gfx).all(|w| !is_context(w.addr)))
            .map(|p| p.dwords())
            .sum();
        assert!(words.len() <= theirs, "row {}: {} dwords, {theirs} are enough", row.number, words.len());
        shorter += theirs - words.len();
        if equal == options(&row.config) {
            by_default += 1;
            continue;
        }
        let dearer = encode(options(&row.config), row.queue, &legal).unwrap();
        assert_eq!(state(gfx, &dearer), wanted, "row {} by default", row.number);
        assert!(dearer.len() <= theirs + price(gfx, &legal), "row {} by default: {} dwords for {theirs}", row.number, dearer.len());
    }
    assert!(2 * torn < rows.len(), "{torn} of {} rows write parts of groups", rows.len());
    assert!(2 * by_default > rows.len(), "only {by_default} of {} rows are written as by default, but for groups", rows.len());
    println!("{shorter} dwords fewer in {} rows, {by_default} of them with the default options", rows.len());
}

fn list(writes: &[(u32, u32)]) -> RegisterList {
    writes.iter().copied().collect()
}

fn written(gfx: Gfx, queue: Queue, options: WriterOptions, writes: &[(u32, u32)]) -> Vec<u32> {
    let mut stream = Stream::growable(gfx, queue);
    stream.set_options(options);
    stream.set_list(&mut list(writes)).unwrap();
    stream.into_buffer()
}

#[test]
fn an_odd_packed_list_repeats_its_first_register() {
    let words = written(Gfx::Gfx11, Queue::Graphics, WriterOptions::default(), &[(0x28020, 3), (0x28000, 1), (0x28010, 2)]);
    assert_eq!(words, [0xC006_B904, 4, 4 << 16, 1, 2, 8, 3, 1]);
}

#[test]
fn packed_lists_bypass_the_register_filter_on_graphics_only() {
    let two = [(0xB900, 1), (0xB908, 2)];
    let options = WriterOptions { sh_shadowed: true, ..WriterOptions::default() };
    for (queue, bypass) in [(Queue::Graphics, true), (Queue::Compute, false)] {
        let header = Header(written(Gfx::Gfx11, queue, options, &two)[0]);
        assert_eq!((header.opcode(), header.resets_filter_cam()), (Opcode::SET_SH_REG_PAIRS_PACKED_N, bypass));
    }
}

#[test]
fn older_firmware_gets_plain_packets_and_shorter_fast_lists() {
    let scattered: Vec<_> = (0..12).map(|n| (0xB000 + 8 * n, n)).collect();
    let with = |pfp| WriterOptions { firmware: Firmware { pfp, mec: pfp, ..Firmware::default() }, sh_shadowed: true, ..WriterOptions::default() };
    let first = |pfp| Header(written(Gfx::Gfx11, Queue::Graphics, WriterOptions { indexed: false, ..with(pfp) }, &scattered)[0]).opcode();
    assert_eq!(first(1447), Opcode::SET_SH_REG);
    assert_eq!(first(1448), Opcode::SET_SH_REG_PAIRS_PACKED);
    assert_eq!(first(1463), Opcode::SET_SH_REG_PAIRS_PACKED_N);
    // An odd list repeats a register, which counts as well.
    let scattered: Vec<_> = (0..16).map(|n| (0xB000 + 8 * n, n)).collect();
    for (pfp, most) in [(1448, 8), (1463, 14)] {
        for count in 2..=scattered.len() {
            let words = written(Gfx::Gfx11, Queue::Graphics, WriterOptions { indexed: false, ..with(pfp) }, &scattered[..count]);
            let expected = if count <= most { Opcode::SET_SH_REG_PAIRS_PACKED_N } else { Opcode::SET_SH_REG_PAIRS_PACKED };
            assert_eq!(Header(words[0]).opcode(), expected, "{count} registers, firmware {pfp}");
        }
    }
}

#[test]
fn registers_with_an_index_are_alone_in_their_packet() {
    // SPI_SHADER_PGM_RSRC3_PS between two others.
    let words = written(Gfx::Gfx103, Queue::Graphics, WriterOptions::default(), &[(0xB018, 1), (0xB01C, 2), (0xB020, 3)]);
    assert_eq!(words, [0xC001_7600, 6, 1, 0xC001_9B00, 0x3000_0007, 2, 0xC001_7600, 8, 3]);
}

#[test]
fn long_runs_stay_runs_beside_a_list() {
    let mut writes: Vec<_> = (0..10).map(|n| (0x28100 + 4 * n, n)).collect();
    writes.extend([(0x28000, 1), (0x28010, 2)]);
    let words = written(Gfx::Gfx12, Queue::Graphics, WriterOptions::default(), &writes);
    assert_eq!(words.len(), 12 + 5);
}

#[test]
fn the_form_can_be_chosen() {
    let two = [(0x28000, 1), (0x28010, 2)];
    let runs = WriterOptions { context_form: RegisterForm::Runs, ..WriterOptions::default() };
    assert_eq!(written(Gfx::Gfx12, Queue::Graphics, runs, &two).len(), 6);
    let pairs = WriterOptions { context_form: RegisterForm::Pairs, ..WriterOptions::default() };
    assert_eq!(Header(written(Gfx::Gfx11, Queue::Graphics, pairs, &two)[0]).opcode(), Opcode::SET_CONTEXT_REG_PAIRS);
    // Also if a run is shorter.
    let three = [(0x28000, 1), (0x28004, 2), (0x28008, 3)];
    assert_eq!(written(Gfx::Gfx12, Queue::Graphics, WriterOptions::default(), &three).len(), 5);
    assert_eq!(written(Gfx::Gfx12, Queue::Graphics, pairs, &three).len(), 7);
}

#[test]
fn a_list_keeps_a_group_whole_or_is_refused() {
    for gfx in [Gfx::Gfx103, Gfx::Gfx11, Gfx::Gfx12] {
        let group = register_group(gfx, 0x2843C).unwrap();
        let mut writes: Vec<_> = group.clone().step_by(4).map(|addr| (addr, addr)).collect();
        writes.push((0x28000, 1));
        assert_eq!(state(gfx, &written(gfx, Queue::Graphics, WriterOptions::default(), &writes)), writes.iter().copied().collect());
        writes.remove(2);
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        let torn = WriteError::TornGroup { addr: group.start, first: group.start, last: group.end - 4 };
        assert_eq!((stream.set_list(&mut list(&writes)), stream.len()), (Err(torn), 0));
    }
}

/// The count of a header has 14 bits.
#[test]
fn a_body_is_as_long_as_its_header_can_say() {
    for (dwords, fits) in [(Header::MAX_BODY, true), (Header::MAX_BODY + 1, false)] {
        let data = vec![0; dwords];
        let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
        let as_fields = stream.emit(&pm4::packet::gfx11::Nop {}.followed_by(&data));
        let as_words = stream.packet(Opcode::NOP, &data);
        for written in [as_fields, as_words] {
            assert_eq!(written.is_ok(), fits, "{dwords}: {written:?}");
            assert!(fits || matches!(written, Err(WriteError::BodySize { dwords: told, .. }) if told == dwords), "{written:?}");
        }
        assert_eq!(stream.words().len(), if fits { 2 * (1 + dwords) } else { 0 });
    }
}

#[test]
fn more_pairs_than_a_packet_holds_are_written_as_runs() {
    let writes: Vec<_> = (0..8192).map(|n| (0x30000 + 8 * n, n)).collect();
    let options = WriterOptions { uconfig_form: RegisterForm::Pairs, indexed: false, ..WriterOptions::default() };
    let words = written(Gfx::Gfx12, Queue::Graphics, options, &writes);
    assert_eq!(state(Gfx::Gfx12, &words), writes.into_iter().collect());
}

#[test]
fn a_list_that_fails_writes_nothing() {
    let mut memory = [0; 4];
    let mut writer = pm4::packet::Writer::fixed(Gfx::Gfx9, Queue::Graphics, &mut memory);
    assert!(matches!(writer.set_list(&mut list(&[(0x28000, 1), (0x28010, 2)])), Err(WriteError::Full { wanted: 6, room: 4, .. })));
    assert!(matches!(writer.set_list(&mut list(&[(0x28000, 1), (0x28012, 2)])), Err(WriteError::MisalignedRegister { addr: 0x28012 })));
    assert!(matches!(writer.set_list(&mut list(&[(0x28000, 1), (0x8010, 2)])), Err(WriteError::KernelRegister { addr: 0x8010 })));
    assert!(writer.is_empty());
}

/// VGT_PRIMITIVE_TYPE of GFX9 has an index, and therefore a separate packet: the run is two packets, of three dwords each.
#[test]
fn a_run_of_several_packets_fits_a_buffer_of_its_size() {
    for (room, fits) in [(5, false), (6, true)] {
        let mut memory = vec![0; room];
        let mut writer = pm4::packet::Writer::fixed(Gfx::Gfx9, Queue::Graphics, &mut memory);
        let written = writer.set_regs(0x30904, &[1, 4]);
        assert_eq!((written.is_ok(), writer.words().len()), (fits, if fits { 6 } else { 0 }), "{written:?}");
        assert!(fits || matches!(written, Err(WriteError::Full { wanted: 6, room: 5, .. })), "{written:?}");
    }
}

/// Every way to write a packet makes it the last packet; runs of registers join the packet before, which begins earlier.
#[test]
fn the_last_packet_is_the_one_that_was_written_last() {
    type Write = fn(&mut Stream) -> Result<(), WriteError>;
    let writes: [(&str, Write); 13] = [
        ("index_type", |s| s.index_type(VgtIndexTypeMode::VGT_INDEX_16)),
        ("index_base", |s| s.index_base(0x1000)),
        ("index_buffer_size", |s| s.index_buffer_size(8)),
        ("num_instances", |s| s.num_instances(2)),
        ("draw_index_auto", |s| s.draw_index_auto(3, DrawInitiator::AUTO_INDEX)),
        ("draw_index_2", |s| s.draw_index_2(8, 0x1000, 3, DrawInitiator::default())),
        ("event", |s| s.event(Event::PS_PARTIAL_FLUSH)),
        ("indirect_buffer", |s| s.indirect_buffer(IbKind::Call, 0x1000, 8)),
        ("nop", |s| s.nop(&[1, 2])),
        ("set_reg", |s| s.set_reg(0x28004, 1)),
        ("set_regs, which join it", |s| s.set_regs(0x28008, &[1, 2])),
        ("set_regs, two packets", |s| s.set_regs(0x30904, &[1, 4])),
        ("packet", |s| s.packet(Opcode::NOP, &[1, 2, 3])),
    ];
    for gfx in Gfx::iter() {
        let mut stream = Stream::growable(gfx, Queue::Graphics);
        for (name, write) in writes {
            write(&mut stream).unwrap_or_else(|error| panic!("{gfx} {name}: {error}"));
            let last = Reader::new(stream.words()).flatten().last().map(|packet| packet.offset);
            assert_eq!(stream.len() - stream.last_packet().len(), last.unwrap_or(usize::MAX), "{gfx} {name}");
        }
    }
}
