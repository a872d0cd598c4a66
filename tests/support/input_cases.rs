//! Inputs in every form: the words come back, damage is reported with its place, and nothing panics; and a hang is found again where it was put.

use super::golden::{Parts, Random, digest};
use super::input_samples::{self as samples, Crash};
use pm4::chip::{Chip, Gfx};
use pm4::cp::{BufferId, CommandProcessor, Finding, Observer, QueueId, Severity};
use pm4::hang::{self, Confidence, CpEngine, EnginePosition, HangReport, PacketPlace};
use pm4::input::{BufferUse, Input, InputError, InputForm, InputPlace, Source};
use pm4::packet::{Packet, Queue, Reader};
use pm4::report::{Dump, DumpOptions, OutputFormat, ReportOptions};
use quickcheck::{Arbitrary, Gen, QuickCheck};

const GFX: Gfx = Gfx::Gfx11;
const ADDR: u64 = 0x8001_0000_1000;

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// A capture with several draws.
fn capture() -> Vec<u32> {
    words_of(include_bytes!("../captures/navi31/toggle_none_pixel_none_sample_none_s2.bin"))
}

/// A buffer that calls another, and that.
fn calling() -> (Vec<u32>, Vec<u32>) {
    (
        words_of(include_bytes!("../captures/navi31/_gfx_initial_preamble_3230bd95.bin")),
        words_of(include_bytes!("../captures/navi31/_gfx_initial_preamble.ib2_0_3ff227d4.bin")),
    )
}

fn read(bytes: &[u8]) -> Input {
    Source::open(bytes, None).and_then(Source::load).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(400)])))
}

/// The words that run.
fn submitted(input: &Input) -> Vec<u32> {
    input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Submitted).flat_map(|buffer| buffer.words.clone()).collect()
}

#[test]
fn raw_words_are_found_by_what_is_no_text_and_stay_as_they_are() {
    let bytes = samples::bytes(&capture());
    for cut in [bytes.len(), bytes.len() - 1, 3, 1, 0] {
        let input = read(&bytes[..cut]);
        assert_eq!((input.form, input.is_undamaged_raw()), (InputForm::Raw, true));
        assert_eq!((input.buffers[0].words.as_slice(), input.buffers[0].trailing_bytes.as_slice()), (&words_of(&bytes[..cut])[..], &bytes[cut / 4 * 4..cut]));
    }
}

/// A short text cannot make more than 64 MB of repeated words, and says where words are left out.
#[test]
fn repeats_of_one_input_have_one_limit() {
    const MOST: usize = 1 << 24;
    let many = format!("0x0 <repeats {} times>", MOST + 1);
    // As gdb prints arrays, of words and of pairs of words; a `*` of hexdump; both together; and one line that is exactly at the limit.
    let cases = [
        (format!("$1 = {{0x1, {many}, 0x2}}\n"), MOST + 3, None),
        (format!("$1 = {{0x1, {many}, {many}, 0x2, {many}}}\n"), MOST + 5, Some(1)),
        (format!("$1 = {{0x1}}\n$2 = {{{many}}}\n$3 = {{0x3 <repeats 3 times>}}\n"), MOST + 3, Some(3)),
        ("0x0000000000000001 0x0000000000000002 <repeats 99999999999999999 times>\n".to_string(), MOST + 4, Some(1)),
        // Numbers of nine and ten digits are one word each; numbers of 64 bits are two, also behind those that decided it.
        (format!("$1 = {{3221225472, 123456789 <repeats {} times>}}\n", MOST + 2), MOST + 2, Some(1)),
        (format!("{}0x1 <repeats 8388610 times>\n", "0x0000000000000001\n".repeat(1024)), 2048 + MOST + 2, Some(1025)),
        ("00000000  01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00\n*\nfffffff0  05 00 00 00 06 00 00 00 07 00 00 00 08 00 00 00\n".to_string(), MOST + 8, Some(3)),
        (
            "00000000  01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00\n*\n04000010  05 00 00 00 06 00 00 00 07 00 00 00 08 00 00 00\n*\n04000040  09 00 00 00 09 00 00 00\n".to_string(),
            MOST + 10,
            Some(5),
        ),
    ];
    for (text, dwords, line) in cases {
        let input = read(text.as_bytes());
        assert_eq!((input.form, input.buffers[0].words.len()), (InputForm::Hex, dwords), "{text}");
        let limits: Vec<_> = input.damage.iter().filter(|remark| remark.message.contains("repeats add more than 16777216 dwords")).collect();
        assert_eq!(limits.first().map(|remark| &remark.place), line.map(InputPlace::Line).as_ref(), "{text}: {:?}", input.damage);
    }
}

#[test]
fn words_come_back_from_every_kind_of_text() {
    let words = capture();
    for (name, text) in samples::hex(&words) {
        let source = Source::open(text.as_slice(), None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(source.form(), InputForm::Hex, "{name}");
        let input = source.load().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(input.damage, [], "{name}");
        let different = input.buffers[0].words.iter().zip(&words).position(|(a, b)| a != b);
        assert_eq!((input.buffers[0].words.len(), different), (words.len(), None), "{name}: {}", String::from_utf8_lossy(&text[..300]));
    }
}

/// A file that gives a few bytes at a time, and where a signal interrupts every other read.
struct Slowly<'b> {
    bytes: &'b [u8],
    step: usize,
    interrupted: bool,
}

impl std::io::Read for Slowly<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let (head, tail) = self.bytes.split_at(self.step.min(out.len()).min(self.bytes.len()));
        out[..head.len()].copy_from_slice(head);
        self.bytes = tail;
        Ok(head.len())
    }
}

/// The words of a long text in pieces, and what is known at its end.
fn in_pieces(bytes: &[u8], step: usize) -> Option<(Vec<u32>, Input, Vec<u8>)> {
    let mut text = Source::open(Slowly { bytes, step, interrupted: false }, None).ok()?.in_pieces().ok()?;
    let mut words = Vec::new();
    while text.read(&mut words).expect("an interrupted read goes on") {}
    let (input, rest) = text.end();
    Some((words, input, rest))
}

#[test]
fn long_text_in_pieces_is_what_it_is_at_once() {
    let words = capture().repeat(24);
    for (name, text) in samples::hex(&words) {
        for step in [65_536, 7_919] {
            let (found, input, rest) = in_pieces(&text, step).unwrap_or_else(|| panic!("{name} is long enough"));
            assert_eq!((input.damage, rest), (vec![], vec![]), "{name}");
            let different = found.iter().zip(&words).position(|(a, b)| a != b);
            assert_eq!((found.len(), different), (words.len(), None), "{name}");
        }
    }
    // Damage far after the lines that decide, a gap in addresses, and an end within a word.
    let (_, text) = samples::hex(&words).into_iter().find(|(name, _)| *name == "xxd -e").expect("a sample");
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let damaged = [&lines[..2000], &[b"and so on\n"], &lines[2000..4000], &lines[4001..]].concat().concat();
    let (found, input, _) = in_pieces(&damaged, 4096).expect("it is long enough");
    let whole = read(&damaged);
    assert_eq!((&found, &input.damage), (&whole.buffers[0].words, &whole.damage));
    assert_eq!(input.damage.iter().map(|remark| remark.place).collect::<Vec<_>>(), [InputPlace::Line(2001), InputPlace::Line(4002)]);
    let packed = samples::gzip(&text);
    let (found, input, _) = in_pieces(&packed[..packed.len() - 9], 4096).expect("it is long enough");
    assert!(!input.packed.is_empty() && words.starts_with(&found[..found.len() - 1]) && found.len() > words.len() / 2);
    assert!(input.damage.iter().any(|remark| remark.message.contains("cut off")), "{:?}", input.damage);
    assert!(in_pieces(&text[..1000], 4096).is_none(), "a short text is read whole");
}

#[test]
fn repeated_lines_of_hexdump_are_filled_in() {
    let text = "00000000  00 10 ff ff 00 10 ff ff  00 10 ff ff 00 10 ff ff  |................|\n*\n00000040  00 2d 01 c0 03 00 00 00  02 00 00 00              |.-..........|\n0000004c\n";
    let input = read(text.as_bytes());
    assert_eq!(input.damage, []);
    assert_eq!(input.buffers[0].words, [vec![0xFFFF_1000; 16], vec![0xC001_2D00, 3, 2]].concat());
}

#[test]
fn a_gap_in_addresses_is_reported_with_its_line_and_nothing_is_put_there() {
    let text = "00000000: c0012d00 00000003 00000002 ffff1000\n00000020: ffff1000 ffff1000 ffff1000 ffff1000\n";
    let input = read(text.as_bytes());
    assert_eq!(input.buffers[0].words.len(), 8);
    // Two lines alone do not say what the addresses count: a third does.
    let text = format!("00000000: c0012d00 00000003 00000002 ffff1000\n00000010: ffff1000 ffff1000 ffff1000 ffff1000\n00000030: {}\n", "ffff1000 ".repeat(4));
    let input = read(text.as_bytes());
    assert_eq!(input.damage.len(), 1, "{:?}", input.damage);
    assert_eq!(input.damage[0].place, InputPlace::Line(3));
    assert!(input.damage[0].message.contains("0x10 bytes are missing"), "{}", input.damage[0]);
}

#[test]
fn text_among_words_is_reported_with_its_line() {
    let input = read(b"c0012d00\n00000003\nand so on\n00000002\nffff1000\nffff1000\nffff1000\n");
    assert_eq!(input.damage.iter().map(|remark| remark.place).collect::<Vec<_>>(), [InputPlace::Line(3)]);
    assert_eq!(input.buffers[0].words[..3], [0xC001_2D00, 3, 2]);
}

#[test]
fn gzip_around_any_form_is_unpacked_and_a_cut_file_gives_what_is_there() {
    let words = capture();
    for inner in [samples::bytes(&words), samples::hex(&words).swap_remove(0).1, samples::pal_text(&words)] {
        let packed = samples::gzip(&inner);
        let input = read(&packed);
        assert_eq!(input.packed, ["gzip"]);
        assert_eq!(submitted(&input), words);
        assert_eq!(input.damage, []);
        let cut = read(&packed[..packed.len() / 2]);
        assert!(cut.damage.iter().any(|remark| remark.message.contains("cut off")), "{:?}", cut.damage);
        let kept = submitted(&cut);
        assert!(!kept.is_empty() && words.starts_with(&kept[..kept.len() - 1]));
    }
}

#[test]
fn forms_with_marks_of_their_own_are_found_and_read() {
    let words = capture();
    let (preamble, called) = calling();
    let submission = samples::submission(ADDR, words.len(), 7);
    let cases = [
        (InputForm::Mesa, samples::mesa(&words, None, GFX)),
        (InputForm::Pal, samples::pal_text(&words)),
        (InputForm::Pal, samples::pal_file(&words)),
        (InputForm::Pal, samples::pal_bin(&words)),
        (InputForm::Dump, samples::dumped(&words, GFX, OutputFormat::Text)),
        (InputForm::Dump, samples::dumped(&words, GFX, OutputFormat::Json)),
    ];
    for (form, bytes) in cases {
        let input = read(&bytes);
        assert_eq!((input.form, input.damage.as_slice()), (form, &[][..]));
        assert_eq!(submitted(&input), words, "{form}");
    }
    let input = read(&samples::mesa(&preamble, Some(&called), GFX));
    assert_eq!(input.damage, []);
    assert_eq!(submitted(&input), preamble);
    let memory: Vec<_> = input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Memory).collect();
    assert_eq!((memory.len(), &memory[0].words, memory[0].addr), (1, &called, Some(0x8001_0001_5000)));
    // A ring: the submission that was being executed runs, the ring as a whole is shown.
    for bytes in [samples::ring(&submission), samples::umr_old(&submission)] {
        let input = read(&bytes);
        let running: Vec<_> = input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Ring).collect();
        assert_eq!((running.len(), &running[0].words, input.damage.as_slice()), (1, &submission, &[][..]), "{}", input.form);
    }
    let input = read(&samples::umr_json(&submission, &words, ADDR));
    assert_eq!((input.form, input.damage.as_slice()), (InputForm::UmrJson, &[][..]));
    assert!(input.buffers.iter().any(|buffer| buffer.words == words && buffer.addr == Some(ADDR)));
}

/// RADV's report of a hang in one text: the part on the machine names the chip, as the kernel calls it.
#[test]
fn the_machine_files_of_radv_name_the_chip_and_the_page_fault() {
    let words = capture();
    let commands = samples::mesa(&words, None, GFX);
    for text in [[&commands, samples::RADV_MACHINE.as_bytes()].concat(), [samples::RADV_MACHINE.as_bytes(), &commands].concat()] {
        let input = read(&text);
        assert_eq!((input.form, input.chip, input.damage.as_slice()), (InputForm::Mesa, Some(Chip::Navi31), &[][..]));
        assert_eq!(submitted(&input), words);
        for (fact, value) in [("page fault", "0x800100400000"), ("status of the page fault", "0x101131"), ("graphics core", "GC 11.0.0 (gfx1100)")] {
            assert_eq!(input.fact(fact), Some(value));
        }
        // Cut off in the middle: the commands are there as far as they go.
        let cut = read(&text[..text.len() - samples::RADV_MACHINE.len() - 400]);
        assert!(cut.damage.iter().any(|remark| remark.message.contains("cut off")), "{:?}", cut.damage);
    }
    for (family, revision, chip) in
        [("141", "20", Some(Chip::Vega12)), ("143", "50", Some(Chip::Navi22)), ("152", "81", Some(Chip::Gfx1201)), ("148", "1", Some(Chip::Phoenix)), ("148", "128", Some(Chip::Phoenix2)), ("148", "192", Some(Chip::Phoenix)), ("148", "240", Some(Chip::Phoenix2)), ("150", "192", Some(Chip::Gfx1151)), ("99", "1", None)]
    {
        let machine = samples::RADV_MACHINE.replace("= 145", &format!("= {family}")).replace("_rev = 8", &format!("_rev = {revision}"));
        let input = read(&[&commands, machine.as_bytes()].concat());
        assert_eq!(input.chip, chip, "family {family}, revision {revision}");
        assert_eq!(input.remarks.iter().any(|remark| remark.message.contains("--chip")), chip.is_none());
    }
}

#[test]
fn a_chain_in_mesas_text_is_the_next_buffer() {
    let first = [0xC001_2D00, 3, 2, 0xC002_3F00, 0x0040_0000, 0x8001, 0x0010_0003];
    let second = [0xC001_2D00, 6, 2];
    let input = read(&samples::mesa(&[&first[..], &second].concat(), None, GFX));
    assert_eq!(submitted(&input), first);
    assert_eq!((input.buffers[1].words.as_slice(), input.buffers[1].addr), (&second[..], Some(0x8001_0040_0000)));
}

#[test]
fn offsets_that_umr_does_not_print_follow_from_the_names_of_registers() {
    let words: Vec<u32> = [&[0xC001_6900, 0x203, 0x1_8600][..], &[0xC002_7600, 0x0C, 1, 2], &[0xC001_2D00, 3, 2]].concat();
    let input = read(&samples::umr_stream(&words, ADDR, GFX));
    assert_eq!((input.form, input.gfx, input.damage.as_slice()), (InputForm::Umr, Some(GFX), &[][..]));
    // Nothing is there that calls it, so it is what runs.
    let buffer = &input.buffers[0];
    assert_eq!((buffer.words.as_slice(), buffer.addr, buffer.usage), (&words[..], Some(ADDR), BufferUse::Submitted));
    // What a NOP holds has no line: it is told that it is not known.
    let input = read(&samples::umr_stream(&[&[0xC001_1000, 7, 8][..], &words].concat(), ADDR, GFX));
    assert_eq!(input.buffers[0].words, [&[0xC001_1000, 0, 0][..], &words].concat());
    assert!(input.damage.is_empty() && input.remarks.iter().any(|remark| remark.message.contains("no line for 2 dwords in the bodies of NOPs")), "{input:?}");
}

/// A hang at a packet of the capture.
fn crash(ib: &[u32], at: usize, rotated: usize) -> Crash<'_> {
    Crash::at(ib, ADDR, at, rotated)
}

#[test]
fn a_coredump_names_chip_firmware_ring_and_buffers() {
    let ib = capture();
    let input = read(&samples::devcoredump(&crash(&ib, 20, 0)));
    assert_eq!((input.form, input.chip, input.damage.as_slice()), (InputForm::Devcoredump, Some(Chip::Navi31), &[][..]));
    assert_eq!((input.firmware.me, input.firmware.pfp, input.firmware.mec, input.firmware.me_feature), (Some(0xA2E), Some(0xA51), Some(0xA3F), Some(35)));
    assert_eq!(submitted(&input), ib);
    let hang = input.hang.expect("a hang");
    assert_eq!((hang.ip_type, hang.ring.as_deref(), hang.fault), (Some(0), Some("gfx_0.0.0"), None), "no fault was recorded");
    let ring = input.buffers.iter().find(|buffer| buffer.name == "ring gfx_0.0.0").expect("the ring");
    assert_eq!((ring.words.len(), ring.usage), (2048, BufferUse::NotExecuted));
}

#[test]
fn the_packet_in_work_is_found_again_from_any_order_of_the_header_queue() {
    let ib = capture();
    let packets: Vec<usize> = Reader::new(&ib).flatten().map(|packet| packet.offset).collect();
    let (mut sure, mut wrong) = (0, Vec::new());
    for (at, rotated) in (8..packets.len()).step_by(3).flat_map(|at| [(at, 0), (at, at % 8)]) {
        let crash = crash(&ib, at, rotated);
        let me = me(&crash);
        let here = |place: &PacketPlace| place.dword == packets[at];
        let listed = me.candidates.iter().any(here) || me.fitting > me.candidates.len();
        let first = me.candidates.first().is_some_and(here);
        if !listed || me.confidence == Confidence::High && !first {
            wrong.push(format!("packet {at}: {} of {:?}, {}", me.confidence, me.candidates, me.by));
        }
        sure += usize::from(me.confidence == Confidence::High && first);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Runs of SET packets look alike, and a queue may begin anywhere: not every place is sure, and none is sure and wrong.
    assert!(sure * 15 > packets.len(), "{sure} of {} places are sure", packets.len() / 3);
}

/// Where ME is found.
fn me(crash: &Crash<'_>) -> EnginePosition {
    let input = read(&samples::devcoredump(crash));
    let hang = HangReport::new(&input, &[], GFX);
    let me = hang.positions.iter().find(|position| position.engine == CpEngine::Me).expect("a position of ME").clone();
    assert!(me.candidates.iter().all(|place| input.buffers[place.buffer].name == "IB #0"), "{:?}", me.candidates);
    me
}

/// What the report says of a hang, as text.
fn report(crash: &Crash<'_>, format: OutputFormat) -> String {
    let input = read(&samples::devcoredump(crash));
    let mut cp = CommandProcessor::new(input.chip.expect("a chip"));
    let mut ids: Vec<Option<BufferId>> = Vec::new();
    for buffer in &input.buffers {
        ids.push((buffer.usage == BufferUse::Submitted).then(|| cp.submit_at(Queue::Graphics, &buffer.name, buffer.addr.expect("an address"), &buffer.words)));
    }
    let hang = HangReport::new(&input, &ids, GFX);
    let mut out = Vec::new();
    hang::run(&mut out, &mut cp, &[], ReportOptions { format, ..ReportOptions::default() }, &hang, &mut ()).expect("memory takes everything");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn a_report_names_the_packet_the_draw_in_flight_what_is_waited_for_and_the_page() {
    let ib = capture();
    let starts = |packet: &Packet<'_>, what: &str| packet.name(GFX).is_some_and(|name| name.starts_with(what));
    let packets: Vec<Packet<'_>> = Reader::new(&ib).flatten().collect();
    // The draw that only one place fits.
    let draws = || (0..packets.len()).filter(|at| starts(&packets[*at], "DRAW"));
    let at = draws().find(|at| me(&crash(&ib, *at, 0)).confidence == Confidence::High).expect("a draw that is like no other");
    let (offset, index) = (packets[at].offset, packets[..at].iter().filter(|packet| starts(packet, "DRAW") || starts(packet, "DISPATCH")).count());
    // The colour target's first page after its base.
    let base = Reader::new(&ib)
        .flatten()
        .flat_map(|packet| packet.writes(GFX).collect::<Vec<_>>())
        .find(|write| pm4::regs::lookup(GFX, write.addr).is_some_and(|register| register.to_string() == "CB_COLOR0_BASE"));
    let fault = (ADDR & 0x8000_0000_0000) + (u64::from(base.expect("a target").value) << 8) + 0x4000;
    let text = report(&Crash { stalled: 1 << 11, fault, ..crash(&ib, at, 0) }, OutputFormat::Text);
    for part in [
        "hang: ring gfx_0.0.0",
        &format!("ME at IB #0 dword {offset}, DRAW_INDEX_AUTO"),
        "(high confidence, by its header queue, 8 of 8 headers in the order of the stream",
        "ME has no free context",
        &format!("latest draw that can be in flight: {index} (DRAW_INDEX_AUTO) at IB #0[{offset}]"),
        "page fault: 0x",
        "CB_COLOR0_BASE",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{}", &text[text.find("hang: ring").unwrap_or(0)..]);
    }
    // Who wrote the state of the draw in flight: a place of the buffer.
    let state = &text[text.find("registers written before it").expect("the state")..];
    assert!(state.contains("DB_SHADER_CONTROL") && state.contains("  by IB #0["), "{state}");
    let json = report(&crash(&ib, at, 0), OutputFormat::Json);
    let record = json.lines().find(|line| line.starts_with(r#"{"type":"hang""#)).expect("a record");
    let record: serde_json::Value = serde_json::from_str(record).expect("JSON");
    let me = record["engines"].as_array().expect("engines").iter().find(|engine| engine["engine"] == "ME").expect("ME");
    assert_eq!((&me["candidates"][0]["dword"], &record["draw"]), (&offset.into(), &index.into()));
    assert!(json.lines().last().expect("a line").starts_with(r#"{"type":"summary""#));
}

#[test]
fn a_finding_about_the_packet_in_work_is_the_first_suspect() {
    // A wait on memory that nothing writes hangs ME.
    let mut ib = capture();
    let wait = [0xC005_3C00, 0x13, 0x1000, 0, 1, u32::MAX, 4];
    let dword = ib.len();
    ib.extend(wait);
    ib.extend([0xFFFF_1000; 8]);
    let at = Reader::new(&ib).flatten().position(|packet| packet.offset == dword).expect("the wait");
    let text = report(&Crash { stalled: 0, ..crash(&ib, at, 0) }, OutputFormat::Text);
    assert!(text.contains(&format!("ME at IB #0 dword {dword}, WAIT_REG_MEM")), "{text}");
}

#[test]
fn a_coredump_that_is_cut_short_says_so_and_keeps_its_words() {
    let ib = capture();
    let whole = samples::devcoredump(&crash(&ib, 20, 0));
    let text = String::from_utf8(whole.clone()).expect("text");
    let at = text.find("IB #0").expect("the buffer");
    // Within the words of the job: the last line is half a word.
    let input = read(&whole[..at + 200]);
    let have = submitted(&input);
    assert!(!have.is_empty() && ib.starts_with(&have));
    let line = text[..at].lines().count() + 1;
    assert!(input.damage.iter().any(|remark| remark.place == InputPlace::Line(line) && remark.message.contains("dwords")), "{:?}", input.damage);
    // Without the words of the job the ring runs.
    let input = read(&whole[..at]);
    assert!(
        input.buffers.iter().any(|buffer| buffer.usage == BufferUse::Ring && buffer.name.contains("from dword 0x100")),
        "{:?}",
        input.buffers.iter().map(|b| &b.name).collect::<Vec<_>>()
    );
    // Without its head, with quotes and carriage returns, as people paste it.
    let pasted: String = text[text.find("IP Dump").expect("registers")..].lines().map(|line| format!("> {}  \r\n", line.replace('\t', " "))).collect();
    let input = read(pasted.as_bytes());
    assert_eq!((input.form, submitted(&input) == ib, input.chip), (InputForm::Devcoredump, true, None));
    assert!(input.hang.expect("a hang").blocks.iter().any(|block| block.values.len() > 10));
}

#[test]
fn what_a_kernel_writes_into_a_ring_is_no_mistake() {
    let ib = [0xFFFF_1000; 16];
    for (queue, ring) in [(QueueId::GRAPHICS, samples::submission(ADDR, ib.len(), 7)), (QueueId::COMPUTE, samples::compute_submission(ADDR, ib.len(), 7))] {
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("IB", ADDR, &ib);
        cp.submit_ring(queue, "ring", None, &ring);
        let mut told = Told::default();
        cp.run(&mut told);
        assert!(told.0.is_empty(), "{queue}: {:?}", told.0);
        // A command buffer of a driver has none of these packets.
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("IB", ADDR, &ib);
        cp.submit_to(queue, "buffer", None, &ring);
        assert!(cp.run(&mut ()).errors > 0, "{queue}");
        let options = DumpOptions::new(GFX, if queue == QueueId::GRAPHICS { Queue::Graphics } else { Queue::Compute });
        let mut out = Vec::new();
        let mut dump = Dump::new(&mut out, &options).expect("memory takes everything");
        dump.ring(true);
        dump.begin("ring");
        dump.words(&ring).expect("memory takes everything");
        assert!(!dump.end().expect("memory takes everything"), "nothing is damaged");
    }
}

/// Errors and warnings.
#[derive(Default)]
struct Told(Vec<String>);

impl Observer for Told {
    fn finding(&mut self, finding: &Finding) {
        if finding.severity > Severity::Info {
            self.0.push(finding.to_string());
        }
    }
}

#[test]
fn a_wrong_guess_is_reported() {
    let unknown = |bytes: &[u8]| match Source::open(bytes, None) {
        Err(InputError::Unknown { looks_like, .. }) => looks_like,
        other => panic!("{other:?}"),
    };
    assert_eq!(unknown(b"The quick brown fox jumps over the lazy dog.\n"), "text");
    assert_eq!(unknown(b"\x28\xB5\x2F\xFD and so on"), "zstd");
    for text in ["\u{FEFF}0xc0012d00\n0x00000003\n", "0xc0012d00\n0x00000003\n"] {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(unknown(&text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>()), "text in UTF-16", "{text:?}");
        }
    }
    assert_eq!(unknown(&samples::gzip(&samples::gzip(b"0xc0012d00\n0x00000003\n0x00000002\n"))), "gzip within gzip");
    // The form by name overrides what is found, and says when nothing fits it.
    let raw = Source::open(&b"The quick brown fox jumps over it"[..], Some(InputForm::Raw)).and_then(Source::load).expect("words");
    assert_eq!((raw.buffers[0].words.len(), raw.buffers[0].trailing_bytes.len()), (8, 1));
    for form in [InputForm::Devcoredump, InputForm::Pal] {
        let error = Source::open(&b"nothing here but words of a sentence"[..], Some(form)).and_then(Source::load).expect_err("no words");
        assert!(error.to_string().contains("has no words"), "{error}");
    }
}

#[test]
fn every_form_has_a_row_and_a_name() {
    use std::str::FromStr;
    for name in ["raw", "hex", "devcoredump", "umr", "umr-json", "mesa", "pal", "ring", "dump"] {
        let form = InputForm::from_str(name).expect("a form");
        assert_eq!(form.to_string(), name);
        assert!(form == InputForm::Raw || form.description() != InputForm::Raw.description(), "{name} has a row of its own");
    }
}

/// All samples, small.
fn all_samples() -> Vec<Vec<u8>> {
    let (preamble, called) = calling();
    samples::all(&capture()[..120], (&preamble, &called), ADDR, GFX)
}

/// A sample with holes, flipped bits and repeated parts.
#[derive(Debug, Clone)]
struct Damaged(usize, Vec<(u8, usize, u8)>);

impl Arbitrary for Damaged {
    fn arbitrary(g: &mut Gen) -> Self {
        let count = usize::arbitrary(g) % 12;
        Self(usize::arbitrary(g), (0..count).map(|_| Arbitrary::arbitrary(g)).collect())
    }
}

impl Damaged {
    fn bytes(&self, sample: &[u8]) -> Vec<u8> {
        let mut bytes = sample.to_vec();
        for (kind, at, value) in &self.1 {
            let at = at % bytes.len().max(1);
            match kind % 5 {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] ^= value,
                2 => drop(bytes.drain(at..(at + usize::from(*value)).min(bytes.len()))),
                3 => bytes.extend_from_within(at..(at + 4 * usize::from(*value)).min(bytes.len())),
                _ if at < bytes.len() => bytes[at] = *value,
                _ => {}
            }
        }
        bytes
    }
}

/// Reads damaged input, by content and as the form that it was.
fn damaged(damaged: Damaged) {
    static SAMPLES: std::sync::LazyLock<Vec<(Vec<u8>, InputForm)>> =
        std::sync::LazyLock::new(|| all_samples().into_iter().map(|sample| (sample.clone(), read(&sample).form)).collect());
    let (sample, form) = &SAMPLES[damaged.0 % SAMPLES.len()];
    let bytes = damaged.bytes(sample);
    for form in [None, Some(*form)] {
        let Ok(input) = Source::open(bytes.as_slice(), form).and_then(Source::load) else { continue };
        assert!(input.buffers.iter().map(|buffer| buffer.words.len()).sum::<usize>() < 1 << 25, "an input of {} bytes", bytes.len());
        if input.hang.is_some() {
            assert!(HangReport::new(&input, &[], GFX).positions.len() < 8);
        }
    }
}

#[test]
fn damaged_inputs_of_every_form_are_read_or_refused() {
    QuickCheck::new().tests(if cfg!(debug_assertions) { 400 } else { 4000 }).quickcheck(damaged as fn(Damaged));
}

// Whole results: the texts stand in `golden/inputs/`.

/// All that came out of an input, a few lines of it for people.
fn told(bytes: &[u8], form: Option<InputForm>) -> String {
    let input = match Source::open(bytes, form).and_then(Source::load) {
        Ok(input) => input,
        Err(error) => return format!("{error}\n"),
    };
    let mut text = format!("{}, packed {}, {:?}, {:?}", input.form, !input.packed.is_empty(), input.chip, input.generation());
    for buffer in &input.buffers {
        let words = format!("{:x?} {:x?}", buffer.words, buffer.trailing_bytes);
        text += &format!("\n  {:?} {:?} {:?} at {:x?}: {} dwords", buffer.name, buffer.usage, buffer.queue, buffer.addr, buffer.words.len());
        text += &format!(" of {:?}, {:?}, {:016x}", buffer.expected_dwords, buffer.pointers, digest(&words));
    }
    input.damage.iter().take(3).for_each(|remark| text += &format!("\n  damaged: {remark}"));
    let rest = format!("{:?} {:?} {:?} {:?} {:?}", input.firmware, input.facts, input.hang, input.damage, input.remarks);
    text += &format!("\n  damage {} remarks {}, {:016x}\n", input.damage.len(), input.remarks.len(), digest(&rest));
    if input.hang.is_some() {
        HangReport::new(&input, &[], GFX).positions.iter().for_each(|position| text += &placed(position));
    }
    text
}

/// Where an engine stood.
fn placed(position: &EnginePosition) -> String {
    let places: Vec<String> = position.candidates.iter().map(|place| format!("{}:{}", place.buffer, place.dword)).collect();
    format!("  {:?} {} {} of {}: {}\n", position.engine, position.confidence, places.join(" "), position.fitting, position.by)
}

/// Samples of all forms, whole and with the same damage each time.
#[test]
fn whole_and_damaged_inputs_are_read_as_recorded() {
    let mut parts = Parts::default();
    for (number, sample) in all_samples().iter().enumerate() {
        let form = read(sample).form;
        parts.add(&format!("{number}: {form}"), &told(sample, None));
        let mut random = Random(number as u64);
        for damage in 0..10 {
            let changes = (0..1 + random.next() % 3).map(|_| (random.next() as u8, random.next() as usize, random.next() as u8)).collect();
            let bytes = Damaged(0, changes).bytes(sample);
            parts.add(&format!("{number}.{damage}"), &told(&bytes, if damage % 2 == 0 { Some(form) } else { None }));
        }
    }
    parts.assert("inputs/damaged.txt");
}

/// Hangs at packets of a capture: with queues that were read from any entry on, with one engine's queue alone, with headers missing, with registers and faults.
#[test]
fn hangs_in_a_capture_are_located_as_recorded() {
    let mut parts = Parts::default();
    let ib = capture();
    let packets: Vec<usize> = Reader::new(&ib).flatten().map(|packet| packet.offset).collect();
    let mut random = Random(1);
    for at in (1..packets.len()).step_by(7) {
        let whole = crash(&ib, at, at % 8);
        let few = |headers: &[u32], count: usize| headers.iter().take(count).copied().collect::<Vec<_>>();
        let variant = match at / 7 % 8 {
            0 => Crash { pfp: Vec::new(), ..crash(&ib, at, 1) },
            1 => Crash { me: Vec::new(), ..crash(&ib, at, 2) },
            2 => Crash { me: few(&whole.me, 3), pfp: few(&whole.pfp, 5), ..crash(&ib, at, 0) },
            3 => Crash { left: whole.left + 2 * ib.len(), ..crash(&ib, at, 0) },
            4 => Crash { left: 0, stalled: 1 << (random.next() % 32), ..crash(&ib, at, 5) },
            5 => Crash { me: whole.me.iter().rev().copied().collect(), ..crash(&ib, at, 0) },
            6 => Crash { fault: ADDR + random.next() % 0x4000, stalled: 1 << (random.next() % 32), ..crash(&ib, at, 0) },
            _ => Crash { me: whole.me.iter().map(|header| header ^ 1 << 16).collect(), ..crash(&ib, at, 4) },
        };
        for (name, crash) in [("whole", &whole), ("otherwise", &variant)] {
            let input = read(&samples::devcoredump(crash));
            let mut text: String = HangReport::new(&input, &[], GFX).positions.iter().map(placed).collect();
            if at % 3 == 0 {
                text += &format!("  {:016x} {:016x}\n", digest(&report(crash, OutputFormat::Text)), digest(&report(crash, OutputFormat::Json)));
            }
            parts.add(&format!("packet {at} at {}, {name}", packets[at]), &text);
        }
    }
    parts.assert("inputs/hangs.txt");
}

/// Rings of any size, whole or in part, with pointers anywhere and words that are missing.
#[test]
fn random_rings_are_read_so() {
    let mut parts = Parts::default();
    for seed in 0..150 {
        let mut random = Random(seed);
        let size = [32, 128, 256, 512, 1024, 768, 100][random.below(7)];
        let mut ring = vec![0xFFFF_1000u32; size];
        // Some submissions, which may go around the end.
        for _ in 0..random.below(4) {
            let at = random.below(size.div_ceil(256)) * 256;
            let words = samples::submission(ADDR + 0x1000 * random.below(9) as u64, 16, random.below(99) as u32);
            for (n, word) in words.iter().take(40 + random.below(200)).enumerate() {
                ring[(at + n) % size] = *word;
            }
        }
        let pointer = |random: &mut Random| match random.below(6) {
            0 => random.below(2 * size),
            1 => size,
            2 => 0,
            3 => random.below(size),
            _ => random.below(size.div_ceil(256) + 1) * 256,
        };
        let (read, write) = (pointer(&mut random), pointer(&mut random));
        let bytes = if random.below(3) == 0 {
            let words: Vec<String> = ring.iter().map(u32::to_string).collect();
            format!("{{\"read_ptr\":{read},\"write_ptr\":{write},\"raw\":[{}],\"ibs\":[]}}", words.join(",")).into_bytes()
        } else {
            let name = ["navi31.gfx", "navi31.comp_1.0.0", "vega10.gfx", "unknown.gfx"][random.below(4)];
            let mut text = String::from("\n");
            if random.below(8) > 0 {
                text += &format!("{name}.rptr == {read}\n");
            }
            if random.below(8) > 0 {
                text += &format!("{name}.wptr == {write}\n");
            }
            let (from, gap) = (if random.below(3) == 0 { random.below(size) } else { 0 }, if random.below(4) == 0 { random.below(size) } else { size });
            let shown = ring.iter().enumerate().skip(from).filter(|(n, _)| *n != gap);
            shown.for_each(|(n, word)| text += &format!("{name}.ring[{n:4}] == 0x{word:08x}    .. \n"));
            text.into_bytes()
        };
        parts.add(&format!("{seed}: {size} dwords, read {read}, write {write}"), &told(&bytes, None));
    }
    parts.assert("inputs/rings.txt");
}
