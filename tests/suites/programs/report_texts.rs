//! The text of reports, in full: findings, runs, one draw, differences, packets, rules. The texts are in `golden/report/`.
use crate::golden;
use crate::streams;
use golden::Parts;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{BufferId, CommandProcessor, Finding, Note, Place, QueueId, Severity};
use pm4::packet::gfx11::CopyData;
use pm4::packet::{Opcode, Packet, Queue, Reader};
use pm4::report::{self, Buffers, Dump, DumpOptions, OutputFormat, PacketFilter, PacketJson, PacketText, ReportOptions, ReportPart};
use std::collections::BTreeMap;
use std::io::{self, Write};
use streams::*;

fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

// Findings.

/// A finding with default values; each case sets the rest.
fn finding(dword: u32) -> Finding {
    Finding {
        code: "REG-99",
        severity: Severity::Error,
        queue: Queue::Graphics,
        queue_id: QueueId::GRAPHICS,
        place: Place { buffer: BufferId(0), dword },
        packet: None,
        draw: None,
        last_draw: None,
        register: None,
        field: None,
        message: "it is wrong".into(),
        notes: Vec::new(),
        help: None,
        source: "a manual",
        count: 1,
    }
}

/// The packets of the findings, each with its dword.
fn main_buffer() -> Vec<u32> {
    [
        set(0x2880C, &[0x1_8600]),                                             // 0: DB_SHADER_CONTROL
        draw(),                                                                // 3
        predicated(draw()),                                                    // 6
        set(0x28750, &[1, 2, 3, 4, 5, 6, 7, 8]),                               // 9: more than fits a line
        nop(),                                                                 // 19
        raw_packet(Opcode(0xFE), &[7]),                                        // 20: no packet
        one(&CopyData { dst_reg_offset: Some(0xA203), ..Default::default() }), // 22
        vec![0xC005_2D00, 3],                                                  // 28: cut off
    ]
    .concat()
}

#[test]
fn a_finding_in_full_shows_packets_marks_notes_and_help() {
    let (main, other) = (main_buffer(), [set(0x2880C, &[0x40]), set(0xB020, &[0x10, 0])].concat());
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main.bin", &main);
    cp.map("other.bin", 0x1000, &other);
    let buffers = Buffers::of(&cp);
    let at = |buffer, dword| Place { buffer: BufferId(buffer), dword };
    let note = |text: &str, place, register: Option<&str>, field| Note { text: text.into(), place, register: register.map(str::to_owned), field };
    let control = || Some("DB_SHADER_CONTROL".to_owned());
    let cases = [
        ("the packet alone", finding(3)),
        ("a register", Finding { register: control(), ..finding(0) }),
        ("a field of a register", Finding { register: control(), field: Some("POPS_OVERLAP_NUM_SAMPLES"), ..finding(0) }),
        ("a field that the register does not have", Finding { register: control(), field: Some("NOTHING"), ..finding(0) }),
        ("a field of the packet", Finding { field: Some("draw_initiator"), severity: Severity::Warning, packet: Some("DRAW_INDEX_AUTO"), ..finding(3) }),
        ("a bit of the header", Finding { field: Some("predicate"), severity: Severity::Info, ..finding(6) }),
        ("a register of that name and a field of the header", Finding { register: control(), field: Some("predicate"), ..finding(6) }),
        ("a register before the end of the line", Finding { register: Some("CB_BLEND_OPT_CONTROL?".into()), ..finding(9) }),
        ("a register behind the end of the line", Finding { register: Some("SX_MRT7_BLEND_OPT".into()), ..finding(9) }),
        ("another register behind the end of the line", Finding { register: Some("SX_MRT6_BLEND_OPT".into()), field: Some("COLOR_SRC_OPT"), ..finding(9) }),
        ("a filler", finding(19)),
        ("a packet without a layout", finding(20)),
        ("a field with a number", Finding { field: Some("dst_reg_offset"), ..finding(22) }),
        ("a packet that is cut off", finding(28)),
        ("behind the end", finding(30)),
        ("a buffer that came later", Finding { place: at(7, 4), ..finding(0) }),
        ("a draw", Finding { draw: Some(4), last_draw: Some(4), packet: Some("DRAW_INDEX_AUTO"), ..finding(3) }),
        ("draws", Finding { draw: Some(4), last_draw: Some(9), count: 5, ..finding(3) }),
        ("several, no draws", Finding { count: 5, ..finding(3) }),
        ("several, of one draw", Finding { draw: Some(4), count: 5, ..finding(3) }),
        (
            "notes",
            Finding {
                notes: vec![
                    note("DB_SHADER_CONTROL is 0x40", Some(at(1, 0)), Some("DB_SHADER_CONTROL"), Some("KILL_ENABLE")),
                    note("the same packet again", Some(at(1, 0)), Some("DB_SHADER_CONTROL"), None),
                    note("the packet itself", Some(at(0, 3)), Some("DB_SHADER_CONTROL"), None),
                    note("a place without a register", Some(at(1, 3)), None, None),
                    note("the other register", Some(at(1, 3)), Some("SPI_SHADER_PGM_HI_PS"), None),
                    note("no place", None, Some("DB_SHADER_CONTROL"), None),
                ],
                help: Some("write it".into()),
                ..finding(3)
            },
        ),
    ];
    let mut parts = Parts::default();
    for (title, finding) in &cases {
        let mut out = Vec::new();
        report::finding_text(&mut out, finding, &buffers, false).expect("memory takes it");
        report::finding_json(&mut out, finding, &buffers).expect("memory takes it");
        parts.add(title, &utf8(out));
    }
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        let mut out = Vec::new();
        report::finding_text(&mut out, &Finding { severity, ..cases[cases.len() - 1].1.clone() }, &buffers, true).expect("memory takes it");
        parts.add(&format!("{severity}, in colour"), &utf8(out));
    }
    parts.assert("report/findings.txt");
}

// Runs.

/// Draws that differ in few and in many registers, work of two queues, mistakes of several kinds, one of them 24 times, and packets that the model
/// skips.
fn busy_stream() -> Vec<u32> {
    let many = raw_packet(Opcode(0xFE), &[7]).repeat(24);
    [
        state(N31),
        draw(),
        draw(),
        reg(N31, "CB_TARGET_MASK", 0xFF),
        draw(),
        set(0x28750, &[1, 2, 3, 4, 5, 6]),
        reg(N31, "CB_TARGET_MASK", 0xFF),
        predicated(draw()),
        raw_packet(Opcode::CLEAR_STATE, &[0]),
        draw(),
        many,
        vec![0x8000_0000],
        raw_event(0x3F, 0),
        reg(N31, "DB_SHADER_CONTROL", 0x1_8600),
        draw(),
        set(0x2_8FFC, &[1]),
        draw(),
        vec![0xC005_2D00, 3],
    ]
    .concat()
}

fn run(options: ReportOptions, before: &[Finding]) -> String {
    let (main, compute) = (busy_stream(), [raw_packet(Opcode::SET_SH_REG, &[0x204, 1, 1, 1]), dispatch(), nop()].concat());
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main.bin", &main);
    cp.submit(Queue::Compute, "compute\n.bin", &compute);
    let mut out = Vec::new();
    let summary = report::run(&mut out, &mut cp, before, options).expect("memory takes it");
    assert_eq!((summary.draws, summary.dispatches), (7, 1));
    utf8(out)
}

#[test]
fn a_run_as_text_and_as_records() {
    let mut parts = Parts::default();
    let all = ReportOptions { statistics: true, ..ReportOptions::default() };
    parts.add("all, with statistics", &run(all, &[]));
    parts.add("in colour", &run(ReportOptions { color: true, ..ReportOptions::default() }, &[]));
    let before = [finding(0), Finding { severity: Severity::Warning, ..finding(1) }, Finding { severity: Severity::Info, count: 3, ..finding(2) }];
    for (title, only) in
        [("findings", ReportPart::Findings), ("draws", ReportPart::Draws), ("packets", ReportPart::Packets), ("nothing but the summary", ReportPart::Nothing)]
    {
        parts.add(&format!("{title}, after findings of the caller"), &run(ReportOptions { only, ..ReportOptions::default() }, &before));
    }
    parts.assert("report/run.txt");
    let mut parts = Parts::default();
    let json = ReportOptions { format: OutputFormat::Json, ..all };
    for (title, only) in [("all", ReportPart::All), ("packets", ReportPart::Packets), ("nothing but the summary", ReportPart::Nothing)] {
        parts.add(title, &run(ReportOptions { only, ..json }, &before));
    }
    parts.assert("report/run.jsonl");
}

/// Applying the changes of one draw after the other gives the full register values of each draw.
#[test]
fn draws_with_what_changed_say_what_draws_in_full_say() {
    type Registers = BTreeMap<String, serde_json::Value>;
    let draws = |changes| {
        let records = run(ReportOptions { format: OutputFormat::Json, only: ReportPart::Draws, changes, ..ReportOptions::default() }, &[]);
        let records = records.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a record"));
        records.filter(|record| record["type"] == "draw").collect::<Vec<_>>()
    };
    let registers = |record: &serde_json::Value| -> Registers {
        let banks = record["registers"].as_object().expect("banks").values();
        banks.flat_map(|bank| bank.as_object().expect("registers").clone()).collect()
    };
    let mut queues: BTreeMap<String, Registers> = BTreeMap::new();
    let mut fewer = 0;
    for (full, changed) in draws(false).iter().zip(&draws(true)) {
        let held = queues.entry(full["queue"].to_string()).or_default();
        for gone in changed["gone"].as_array().into_iter().flatten() {
            assert!(held.remove(gone.as_str().expect("an address")).is_some(), "{gone} was there: {changed}");
        }
        let changes = registers(changed);
        assert!(changes.iter().all(|(addr, value)| held.get(addr) != Some(value)), "{changed}");
        held.extend(changes);
        assert_eq!(*held, registers(full), "{changed}");
        fewer += usize::from(registers(changed).len() < registers(full).len());
    }
    assert!(queues.len() == 2 && fewer >= 4, "{fewer}");
}

/// The first column counts dwords as findings do: in decimal, with at least six digits.
#[test]
fn offsets_in_a_dump_are_decimal() {
    let mut text = String::new();
    let mut printer = PacketText::new(Gfx::Gfx11, Queue::Graphics);
    for (offset, shown) in
        [(0, "000000"), (9, "000009"), (10, "000010"), (106, "000106"), (999_999, "999999"), (1_000_000, "1000000"), (4_000_000_000, "4000000000")]
    {
        text.clear();
        printer.packet(&mut text, &Packet { offset, header: pm4::packet::Header(0xC001_2D00), body: &[3, 2] });
        assert!(text.starts_with(&format!("{shown}  c0012d00  DRAW_INDEX_AUTO")), "{text}");
        let dump = format!("# generation gfx11, queue gfx\n{text}");
        let words = pm4::report::assemble(&mut dump.as_bytes()).unwrap_or_else(|error| panic!("{error}: {dump}"));
        assert_eq!(words, [0xC001_2D00u32, 3, 2].map(u32::to_le_bytes).concat());
    }
}

#[test]
fn a_list_of_packets_says_where_one_is_cut_off() {
    // A draw, a finding of another kind, a packet cut off by the end of the buffer, and a NOP after it, where reading continues.
    let words = [draw(), raw_event(0x3F, 0), vec![0xC005_2D00, 3], nop()].concat();
    let listed = |format, only| {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main.bin", &words);
        let mut out = Vec::new();
        report::run(&mut out, &mut cp, &[], ReportOptions { format, only, ..ReportOptions::default() }).expect("memory takes it");
        utf8(out)
    };
    let text = listed(OutputFormat::Text, ReportPart::Packets);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("DRAW_INDEX_AUTO") < at("EVENT_WRITE") && at("EVENT_WRITE") < at("error[ENC-01]: header 0xc0052d00 (DRAW_INDEX_AUTO) claims 7 dwords"));
    assert!(at("error[ENC-01]") < at("NOP"), "{text}");
    assert_eq!(text.matches("error[").count(), 1, "findings of other kinds are not told: {text}");
    let records = listed(OutputFormat::Json, ReportPart::Packets);
    assert_eq!(records.lines().filter(|line| line.starts_with("{\"type\":\"finding\"") && line.contains("ENC-01")).count(), 1, "{records}");
    assert!(!listed(OutputFormat::Text, ReportPart::Draws).contains("error["));
}

#[test]
fn a_run_with_one_finding_names_nothing_to_look_at_first() {
    let stream = vec![0xC005_2D00, 3];
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main.bin", &stream);
    let mut out = Vec::new();
    report::run(&mut out, &mut cp, &[], ReportOptions::default()).expect("memory takes it");
    let text = utf8(out);
    assert!(text.contains("error[ENC-01]") && !text.contains("look first"), "{text}");
}

/// Accepts this many bytes, then none, and counts later attempts.
struct Full {
    room: usize,
    tried: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room < bytes.len() {
            self.tried += 1;
            self.room = 0;
            return Err(io::Error::other("full"));
        }
        self.room -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn after_a_write_that_fails_nothing_is_written_and_the_run_ends_nevertheless() {
    let main = busy_stream();
    for format in [OutputFormat::Text, OutputFormat::Json] {
        for room in [0, 200, 3000] {
            let mut cp = CommandProcessor::new(N31);
            cp.submit(Queue::Graphics, "main.bin", &main);
            let mut full = Full { room, tried: 0 };
            let error = report::run(&mut full, &mut cp, &[], ReportOptions { format, ..ReportOptions::default() }).expect_err("it is full");
            assert_eq!((error.to_string().as_str(), full.tried), ("full", 1), "{room} bytes");
            assert_eq!(cp.summary().draws, 7, "the model has run to its end");
        }
    }
}

// One draw.

#[test]
fn the_state_of_a_draw_says_who_wrote_it_and_what_the_draw_before_had() {
    let (main, called) = (
        [state(N31), draw(), ib(0x9000, 3), reg(N31, "CB_TARGET_MASK", 0xF), reg(N31, "DB_SHADER_CONTROL", 0x20), draw(), dispatch()].concat(),
        set(0x2_8238, &[0xFF]),
    );
    let mut parts = Parts::default();
    for (index, there) in [(0, true), (1, true), (2, true), (3, false)] {
        for (format, color) in [(OutputFormat::Text, false), (OutputFormat::Text, true), (OutputFormat::Json, false)] {
            let mut cp = CommandProcessor::new(N31);
            cp.submit(Queue::Graphics, "main.bin", &main);
            cp.map("called.bin", 0x9000, &called);
            assert!(cp.set_register(QueueId::GRAPHICS, 0x2_8000, 5));
            let mut out = Vec::new();
            let options = ReportOptions { only: ReportPart::Nothing, format, color, ..ReportOptions::default() };
            let (_, found) = report::draw_state(&mut out, &mut cp, &[], options, index, &mut ()).expect("memory takes it");
            assert_eq!(found, there, "draw {index}");
            parts.add(&format!("draw {index}, {format:?}{}", if color { ", in colour" } else { "" }), &utf8(out));
        }
    }
    parts.assert("report/draw_state.txt");
}

/// All packets up to a draw are counted, including those that are too many to keep.
#[test]
fn packets_up_to_a_draw_are_counted_however_many_they_are() {
    for before in [3, 4095, 4096, 8190, 8191, 8192, 20_000] {
        let words = [vec![0xFFFF_1000; before], vec![0xC001_2D00, 3, 2]].concat();
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.submit(Queue::Graphics, "main", &words);
        let mut out = Vec::new();
        report::draw_state(&mut out, &mut cp, &[], ReportOptions::default(), 0, &mut ()).expect("memory takes it");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains(&format!("itself included: {}\n", before + 1)), "{before} packets before the draw");
    }
}

// Differences.

#[test]
fn two_streams_differ_in_registers_fields_and_arguments() {
    let log = |words: &[u32]| {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main.bin", words);
        report::DrawLog::run(&mut cp)
    };
    let changed = [reg(N31, "PA_SC_AA_CONFIG", 2), reg(N31, "DB_SHADER_CONTROL", 0x10), reg(N31, "CB_TARGET_MASK", 1), draw(), draw()].concat();
    let base = [reg(N31, "PA_SC_AA_CONFIG", 3), reg(N31, "CB_TARGET_MASK", 1), set(0x2_8FFC, &[1]), draw(), draw()].concat();
    let cases = [
        ("the same", base.clone(), base.clone(), false),
        ("registers", changed.clone(), base.clone(), true),
        ("the other way round", base.clone(), changed, true),
        (
            "the order of packets",
            [reg(N31, "CB_TARGET_MASK", 1), set(0x2_8FFC, &[1]), reg(N31, "PA_SC_AA_CONFIG", 3), draw(), draw()].concat(),
            base.clone(),
            false,
        ),
        ("arguments", [base.clone(), indexed(3)].concat(), [base.clone(), indexed(4)].concat(), true),
        ("the packet", [base.clone(), draw()].concat(), [base.clone(), dispatch()].concat(), true),
        ("more draws", [base.clone(), draw()].concat(), base.clone(), true),
        ("fewer draws", base.clone(), [base.clone(), draw()].concat(), true),
        ("a register that is cleared", [base.clone(), raw_packet(Opcode::CLEAR_STATE, &[0]), draw()].concat(), [base, draw()].concat(), true),
    ];
    let mut parts = Parts::default();
    for (title, one, other, differs) in cases {
        let (one, other) = (log(&one), log(&other));
        let mut out = Vec::new();
        for format in [OutputFormat::Text, OutputFormat::Json] {
            assert_eq!(report::diff(&mut out, &one, &other, format).expect("memory takes it"), differs, "{title}");
        }
        parts.add(title, &utf8(out));
    }
    parts.assert("report/diff.txt");
}

#[test]
fn streams_of_two_generations_are_not_compared() {
    let log = |chip| {
        let mut cp = CommandProcessor::new(chip);
        let words: &'static [u32] = &[0xC001_2D00, 3, 2];
        cp.submit(Queue::Graphics, "main.bin", words);
        report::DrawLog::run(&mut cp)
    };
    let mut out = Vec::new();
    let error = report::diff(&mut out, &log(N31), &log(pm4::chip::Chip::Vega10), OutputFormat::Text).expect_err("other registers");
    assert_eq!((error.kind(), out.len()), (std::io::ErrorKind::InvalidInput, 0));
    assert!(error.to_string().contains("gfx11") && error.to_string().contains("gfx9"), "{error}");
}

// Packets.

#[test]
fn a_sound_stream_is_not_damaged_and_bytes_after_it_are() {
    let words = [draw(), set(0x2880C, &[1]), nop()].concat();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for format in [OutputFormat::Text, OutputFormat::Json] {
        let options = DumpOptions { format, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) };
        for odd in 0..4usize {
            let bytes = [&bytes[..], &[1, 2, 3][..odd]].concat();
            let mut out = Vec::new();
            assert_eq!(report::dump_files(&mut out, &[("a", &bytes)], &options).expect("memory takes it"), odd > 0);
            let wanted = if odd == 1 { "1 byte that is".to_owned() } else { format!("{odd} bytes that are") };
            assert_eq!(utf8(out).contains(&format!("the file ends with {wanted} not a whole dword")), odd > 0);
        }
    }
}

#[test]
fn fields_that_are_0_are_printed_on_request() {
    // DB_SHADER_CONTROL with KILL_ENABLE.
    let words = [0xC001_6900, 0x203, 0x40];
    let packet = Reader::new(&words).flatten().next().expect("a packet");
    let line = |text: PacketText| {
        let (mut line, mut text) = (String::new(), text);
        text.packet(&mut line, &packet);
        line
    };
    let text = || PacketText::new(Gfx::Gfx11, Queue::Graphics);
    assert!(line(text()).contains("KILL_ENABLE") && !line(text()).contains("Z_EXPORT_ENABLE"), "{}", line(text()));
    assert!(line(text().zeros(true)).contains("Z_EXPORT_ENABLE"), "{}", line(text().zeros(true)));
    assert_eq!(line(text().zeros(true).zeros(false)), line(text()));
}

/// A float is printed as a number, next to its bits.
#[test]
fn floats_are_printed_as_numbers() {
    // x scale and offset of a viewport of 256 pixels, and a y scale that points up.
    let words = [0xC004_6900, 0x10F, 128f32.to_bits(), 128f32.to_bits(), (-64f32).to_bits(), 0];
    let packet = Reader::new(&words).flatten().next().expect("a packet");
    let (mut text, mut zeros) = (String::new(), String::new());
    PacketText::new(Gfx::Gfx11, Queue::Graphics).packet(&mut text, &packet);
    PacketText::new(Gfx::Gfx11, Queue::Graphics).zeros(true).packet(&mut zeros, &packet);
    for said in ["43000000 VPORT_XSCALE=128.0", "43000000 VPORT_XOFFSET=128.0", "c2800000 VPORT_YSCALE=-64.0"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("VPORT_YOFFSET=") && zeros.contains("00000000 VPORT_YOFFSET=0.0"), "{zeros}");
}

/// In text, numbers below 4096 are decimal, others hexadecimal; records have all in decimal. Packet addresses have six digits, or eight.
#[test]
fn numbers_are_told_with_all_their_digits() {
    let numbers =
        (0..32).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]).chain((0..10).map(|n| 10u64.pow(n))).chain((1..10).map(|n| 10u64.pow(n) - 1));
    for number in numbers.chain([u64::from(u32::MAX), 0x9999_9999, 0xABCD_EF09, 123_456_789]) {
        let words = [0xC001_2D00, number as u32, 2];
        let packet = Reader::new(&words).flatten().next().expect("a packet");
        let mut line = String::new();
        PacketText::new(Gfx::Gfx11, Queue::Graphics).zeros(true).packet(&mut line, &packet);
        let wanted = if number < 4096 { format!(" index_count={number} ") } else { format!(" index_count={number:#x} ") };
        assert!(line.contains(&wanted) && line.contains(&format!(" ; {number:08x} 00000002\n")), "{number}: {line}");
        let mut record = String::new();
        PacketJson::new("", Gfx::Gfx11, Queue::Graphics).packet(&mut record, &Packet { offset: number as usize, ..packet });
        assert!(record.contains(&format!(r#""index_count":{number},"#)) && record.contains(&format!(r#""dword":{number},"#)), "{number}: {record}");
        let mut line = String::new();
        PacketText::new(Gfx::Gfx11, Queue::Graphics).packet(&mut line, &Packet { offset: number as usize, ..packet });
        assert!(line.starts_with(&format!("{number:06}  c0012d00")), "{number}: {line}");
    }
}

/// Earlier output of a printer does not change later output.
#[test]
fn cached_text_does_not_change_later_output() {
    let words: Vec<u32> = (0..3000u32)
        .flat_map(|n| {
            let value = n.wrapping_mul(0x9E37_79B9);
            [
                set(0x2_8000 + n % 900 * 4, &[value, n, 0]),
                set(0x2880C, &[n % 7 * 0x40]),
                write(ADDR + u64::from(n) * 4, &[n % 5]),
                reg(N31, "CB_TARGET_MASK", n % 40),
            ]
        })
        .flatten()
        .collect();
    let (mut text, records) = (PacketText::new(Gfx::Gfx11, Queue::Graphics), PacketJson::new("a", Gfx::Gfx11, Queue::Graphics));
    for packet in Reader::new(&words).flatten() {
        let (mut told, mut fresh) = (String::new(), String::new());
        text.packet(&mut told, &packet);
        PacketText::new(Gfx::Gfx11, Queue::Graphics).packet(&mut fresh, &packet);
        assert_eq!(told, fresh);
        let (mut told, mut fresh) = (String::new(), String::new());
        records.packet(&mut told, &packet);
        PacketJson::new("a", Gfx::Gfx11, Queue::Graphics).packet(&mut fresh, &packet);
        assert_eq!(told, fresh);
    }
}

/// The text of a dump of one buffer, and whether it is damaged.
fn dumped(words: &[u32], filter: PacketFilter, ring: bool) -> (String, bool) {
    dumped_on(Gfx::Gfx11, words, filter, ring)
}

fn dumped_on(gfx: Gfx, words: &[u32], filter: PacketFilter, ring: bool) -> (String, bool) {
    let mut out = Vec::new();
    let mut dump = Dump::new(&mut out, &DumpOptions::new(gfx, Queue::Graphics)).expect("memory takes it").filter(filter);
    dump.ring(ring);
    dump.begin("a");
    dump.words(words).expect("memory takes it");
    let damaged = dump.end().expect("memory takes it");
    drop(dump);
    (utf8(out), damaged)
}

/// A kernel may write packets of other generations to its ring, such as FRAME_CONTROL on GFX12: there they are not damage. A packet without a name is damage
/// everywhere.
#[test]
fn packets_of_other_generations_are_damage_but_in_a_ring() {
    let (frame_control, nothing) = ([0xC000_9000, 0], [0xC000_0100, 0]);
    for (words, in_ring) in [(frame_control, false), (nothing, true)] {
        let damaged = |ring| dumped_on(Gfx::Gfx12, &words, PacketFilter::default(), ring).1;
        assert_eq!((damaged(false), damaged(true)), (true, in_ring), "{words:x?}");
        // A filter that matches no packet still shows the damage.
        let filter = || PacketFilter::default().register(Gfx::Gfx12, "DB_SHADER_CONTROL").expect("a register");
        let shown = |ring| !dumped_on(Gfx::Gfx12, &words, filter(), ring).0.lines().all(|line| line.starts_with('#'));
        assert_eq!((shown(false), shown(true)), (true, in_ring), "{words:x?}");
    }
}

#[test]
fn a_register_that_a_packet_points_to_passes_the_filter_too() {
    let words = [copy_to_register(0xA203), copy_to_register(0xA204)].concat();
    let filter = PacketFilter::default().register(Gfx::Gfx11, "DB_SHADER_CONTROL").expect("a register");
    let (text, _) = dumped(&words, filter, false);
    assert_eq!(text.lines().filter(|line| line.contains("COPY_DATA")).count(), 1, "{text}");
}

#[test]
fn lines_between_streams_belong_to_their_format() {
    let mut parts = Parts::default();
    for format in [OutputFormat::Text, OutputFormat::Json] {
        let mut out = Vec::new();
        let mut dump = Dump::new(&mut out, &DumpOptions { format, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) }).expect("memory takes it");
        dump.comment("a remark\nof two lines").expect("memory takes it");
        dump.record(r#"{"type":"input"}"#).expect("memory takes it");
        dump.begin("a");
        dump.words(&[0xC001_2D00, 3]).expect("memory takes it");
        assert!(dump.end().expect("memory takes it"), "it is cut off");
        dump.queue(Queue::Graphics).expect("memory takes it");
        dump.begin("b");
        dump.words(&[0xC001_2D00, 3, 2]).expect("memory takes it");
        assert!(!dump.end().expect("memory takes it"), "damage of the stream before is over");
        dump.queue(Queue::Compute).expect("memory takes it");
        dump.begin("c");
        // Two bytes, and the rest later: words are assembled across pieces.
        dump.bytes(&[0x00, 0x10]).expect("memory takes it");
        dump.bytes(&[]).expect("memory takes it");
        dump.bytes(&[0xFF]).expect("memory takes it");
        dump.bytes(&[0xFF, 1]).expect("memory takes it");
        assert!(dump.end().expect("memory takes it"), "a byte is left");
        dump.flush().expect("memory takes it");
        drop(dump);
        parts.add(&format!("{format:?}"), &utf8(out));
    }
    parts.assert("report/between.txt");
}

// Rules.

#[test]
fn the_page_of_a_rule_says_when_it_is_judged() {
    let page = |code: &str| {
        let mut out = Vec::new();
        assert!(report::rule_page(&mut out, code).expect("memory takes it"), "{code}");
        utf8(out)
    };
    for rule in pm4::cp::rules::all() {
        let text = page(&rule.code.to_lowercase());
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(format!("{}: {}", rule.code, rule.title).as_str()));
        let severity = lines.nth(1).expect("the severity");
        assert!(severity.starts_with(&format!("severity: {}", rule.severity)), "{severity}");
        assert_eq!(severity.contains(" (reported once per run for each packet name, register or cause, with a count)"), rule.report_once, "{severity}");
        assert_eq!(severity.contains(" (off by default: set its level to warn or deny)"), rule.off_by_default && !rule.report_once, "{severity}");
        assert_eq!(severity.contains(" (not checked in rings)"), rule.not_in_rings, "{severity}");
        assert_eq!(severity.contains(" (not where a draw or dispatch launches nothing)"), rule.needs == pm4::cp::rules::Needs::Work, "{severity}");
        assert_eq!(severity.contains(" (not where a draw has no pixels)"), rule.needs == pm4::cp::rules::Needs::Pixels, "{severity}");
        assert_eq!(lines.next(), Some(format!("chips: {}", rule.scope.describe()).as_str()));
        let explanation: Vec<&str> = lines.clone().skip(1).take_while(|line| !line.is_empty()).collect();
        // Lines are as full as words allow, up to 100 columns.
        assert_eq!(explanation.join(" "), rule.explanation.split_whitespace().collect::<Vec<_>>().join(" "));
        for pair in explanation.windows(2) {
            let next = pair[1].split(' ').next().expect("a word");
            assert!(pair[0].len() <= 100 && pair[0].len() + 1 + next.len() > 100, "{pair:?}");
        }
        assert!(text.ends_with(&format!("\n\nsource: {}\n", rule.source)));
    }
    for rule in pm4::cp::rules::not_judged() {
        let text = page(rule.code);
        assert!(text.starts_with(&format!("{}: {}\n\nseverity: {}\nnot judged from a stream\n\n", rule.code, rule.title, rule.severity)), "{text}");
        assert!(text.ends_with(&format!("\n\nsource: {}\n", rule.source)), "{text}");
    }
    let mut out = Vec::new();
    assert!(!report::rule_page(&mut out, "POPS-1").expect("memory takes it"), "a part of a code is no code");
    assert!(out.is_empty());
}

#[test]
fn a_chip_that_is_not_there_is_not_taken_for_another() {
    // The names in the generation table: neighbours as ranges, others with commas.
    use pm4::report::generations::{group, label, short_label};
    let all: Vec<Gfx> = Chip::all().map(Chip::gfx).fold(Vec::new(), |mut list, gfx| {
        if !list.contains(&gfx) {
            list.push(gfx);
        }
        list
    });
    for (set, wanted) in [
        (vec![0], "9"),
        (vec![0, 1], "9–10"),
        (vec![0, 2], "9, 10.3"),
        (vec![0, 1, 2], "9–10.3"),
        (vec![1, 2, 4], "10–10.3, 11.5"),
        (vec![0, 1, 2, 3, 4, 5], "9–12"),
        (vec![3, 5], "11, 12"),
        (vec![], ""),
    ] {
        let set: Vec<Gfx> = set.into_iter().map(|index: usize| all[index]).collect();
        assert_eq!((short_label(&set), label(&set)), (wanted.to_owned(), format!("GFX{wanted}")));
    }
    let grouped = group([(all[0], 'a'), (all[1], 'b'), (all[2], 'a')]);
    assert_eq!(grouped, [(vec![all[0], all[2]], 'a'), (vec![all[1]], 'b')]);
}
