//! Every form of recorded command streams (docs/inputs.md): a sample of each is recognized by its content and read, plain and packed, and for a damaged one the
//! place and the reason are reported.
use crate::input_samples as samples;
use pm4::chip::Gfx;
use pm4::input::{BufferUse, Input, InputForm, InputPlace, Source};
use pm4::packet::Queue;
use pm4::report::{Dump, DumpOptions, OutputFormat};
use std::collections::BTreeSet;
use strum::IntoEnumIterator;

const GFX: Gfx = Gfx::Gfx11;
const ADDR: u64 = 0x8001_0000_1000;

/// The first packets of a capture.
fn words() -> Vec<u32> {
    let bytes = include_bytes!("../../captures/navi31/toggle_none_pixel_none_sample_none_s2.bin");
    bytes.as_chunks::<4>().0.iter().take(200).map(|word| u32::from_le_bytes(*word)).collect()
}

/// A change of a sample, and the expected report.
enum Damage {
    /// A line, counted from 1, is removed.
    Without(usize, InputPlace, &'static str),
    /// A line is inserted before this one.
    With(usize, &'static str, InputPlace, &'static str),
    /// The first occurrence of a part is replaced.
    Instead(&'static str, &'static str, InputPlace, &'static str),
    /// The rest is cut off: the remaining part of the sample in thousandths.
    Cut(usize, &'static str),
}

/// A form as one of its printers writes it.
struct Row {
    /// The form as the page of documents names it.
    name: &'static str,
    form: InputForm,
    sample: Vec<u8>,
    damage: Damage,
}

/// Inputs that contain marks.
fn marked() -> Vec<Row> {
    use Damage::{Cut, Instead, With};
    use InputPlace::Line;
    let words = words();
    let ring = samples::submission(ADDR, words.len(), 7);
    let crash = samples::Crash { ib: &words, addr: ADDR, pfp: vec![], me: vec![], left: 0, stalled: 0, fault: 0 };
    let ib = |text: Vec<u8>| String::from_utf8(text).expect("text").replace("main IB begin", "IB begin").replace("main IB end", "IB end").into_bytes();
    let pieces = |text: Vec<u8>| {
        let text = String::from_utf8(text).expect("text");
        let text = text.replace("------------------ main IB begin - GFX ------------------", "------------------ GFX begin (dw = 0) ------------------");
        text.replace("------------------- main IB end - GFX -------------------", "------------------- GFX end (dw = 200) -------------------").into_bytes()
    };
    vec![
        Row { name: "Device coredump", form: InputForm::Devcoredump, sample: samples::devcoredump(&crash), damage: Cut(990, "200 dwords, but only") },
        Row {
            name: "Ring of debugfs",
            form: InputForm::Ring,
            sample: samples::ring(&ring),
            // Cut off, its length is no longer that of a ring: the form is given.
            damage: Cut(700, "a power of two"),
        },
        Row {
            name: "umr, stream text",
            form: InputForm::Umr,
            sample: samples::umr_stream(&words, ADDR, GFX),
            damage: Instead("+ 0x0010]", "+ 0x001]", Line(6), "is not a dword of a buffer"),
        },
        Row {
            name: "umr, old text",
            form: InputForm::Umr,
            sample: samples::umr_old(&ring),
            damage: Instead("[ 300]", "[9000]", InputPlace::Whole, "is missing: the words after it are left out"),
        },
        Row {
            name: "umr, JSON of its server",
            form: InputForm::UmrJson,
            sample: samples::umr_json(&ring, &words, ADDR),
            damage: Instead("4294905856.0", "\"x\"", InputPlace::Whole, "not a number of 32 bits"),
        },
        Row { name: "Mesa, RADV_DEBUG=hang", form: InputForm::Mesa, sample: samples::mesa(&words, None, GFX), damage: Cut(500, "the text was cut off") },
        Row { name: "Mesa, AMD_DEBUG=ib", form: InputForm::Mesa, sample: ib(samples::mesa(&words, None, GFX)), damage: Cut(500, "the text was cut off") },
        Row { name: "Mesa, GALLIUM_DDEBUG", form: InputForm::Mesa, sample: pieces(samples::mesa(&words, None, GFX)), damage: Cut(500, "the text was cut off") },
        Row { name: "PAL, text", form: InputForm::Pal, sample: samples::pal_text(&words), damage: With(5, "and so on", Line(5), "is not a word") },
        Row { name: "PAL, .pm4", form: InputForm::Pal, sample: samples::pal_file(&words), damage: Cut(500, "are present") },
        Row { name: "PAL, .bin", form: InputForm::Pal, sample: samples::pal_bin(&words), damage: Cut(505, "") },
        Row {
            name: "dump, JSON",
            form: InputForm::Dump,
            sample: samples::dumped(&words, GFX, OutputFormat::Json),
            damage: With(4, "{\"type\":\"packet\"", Line(4), ""),
        },
        Row { name: "dump, text", form: InputForm::Dump, sample: samples::dumped(&words, GFX, OutputFormat::Text), damage: With(4, "and so on", Line(4), "") },
        Row { name: "Recording of pm4 live", form: InputForm::Recording, sample: samples::recording(&words, ADDR), damage: Cut(900, "cut off here") },
        Row { name: "Raw words", form: InputForm::Raw, sample: samples::bytes(&words), damage: Cut(503, "") },
    ]
}

/// Words as text: lists break at a line, and addresses show missing words.
fn hex() -> Vec<Row> {
    let lists = ["one word per line", "one word per line with 0x", "a list of C", "words with remarks", "hexdump -e"];
    let arrays = ["a decimal list", "gdb p/x"];
    let damage = |name: &str| match name {
        _ if lists.contains(&name) => Damage::With(9, "and so on", InputPlace::Line(9), "is not a word"),
        _ if arrays.contains(&name) => Damage::Instead(", ", ", oops, ", InputPlace::Line(1), "is not a number"),
        _ => Damage::Without(9, InputPlace::Line(9), "bytes are missing before this line"),
    };
    samples::hex(&words()).into_iter().map(|(name, sample)| Row { name, form: InputForm::Hex, sample, damage: damage(name) }).collect()
}

fn rows() -> Vec<Row> {
    marked().into_iter().chain(hex()).collect()
}

fn read(name: &str, bytes: &[u8], form: Option<InputForm>) -> Input {
    Source::open(bytes, form).and_then(Source::load).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words of everything in an input except rings, which run only in part.
fn streams(input: &Input) -> Vec<u32> {
    input.buffers.iter().filter(|buffer| matches!(buffer.usage, BufferUse::Submitted | BufferUse::Memory)).flat_map(|buffer| buffer.words.clone()).collect()
}

#[test]
fn every_form_is_recognized_by_content_plain_and_with_gzip() {
    for Row { name, form, sample, .. } in rows() {
        let input = read(name, &sample, None);
        assert_eq!((input.form, input.packed.len(), input.damage.as_slice()), (form, 0, &[][..]), "{name}");
        if matches!(name, "Ring of debugfs" | "umr, old text") {
            let ring = input.buffers.iter().find(|buffer| buffer.usage == BufferUse::Ring).expect("a part that runs");
            assert_eq!(ring.words, samples::submission(ADDR, 200, 7), "{name}");
        } else {
            assert_eq!(streams(&input), words(), "{name}");
        }
        let packed = read(name, &samples::gzip(&sample), None);
        assert!(packed.packed == ["gzip"] && packed.form == form && packed.buffers == input.buffers, "{name}, packed");
        let whole = samples::gzip(&sample);
        let cut = read(name, &whole[..whole.len() - 8], Some(form));
        assert!(cut.damage.iter().any(|remark| remark.message.contains("cut off")), "{name}, packed and cut: {:?}", cut.damage);
    }
}

#[test]
fn damage_is_reported_with_place_and_reason_and_the_rest_is_read() {
    let mut wrong = Vec::new();
    for Row { name, form, sample, damage } in rows() {
        let lines = || sample.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>();
        let (bytes, place, reason) = match damage {
            Damage::Without(line, place, reason) => {
                let mut lines = lines();
                lines.remove(line - 1);
                (lines.concat(), Some(place), reason)
            }
            Damage::With(line, text, place, reason) => {
                let (mut lines, text) = (lines(), format!("{text}\n"));
                lines.insert(line - 1, text.as_bytes());
                (lines.concat(), Some(place), reason)
            }
            Damage::Instead(part, other, place, reason) => {
                let text = String::from_utf8(sample.clone()).expect("text");
                assert!(text.contains(part), "{name}: {part:?} is not in the sample");
                (text.replacen(part, other, 1).into_bytes(), Some(place), reason)
            }
            Damage::Cut(thousands, reason) => (sample[..sample.len() * thousands / 1000].to_vec(), None, reason),
        };
        let input = read(name, &bytes, if form == InputForm::Ring { Some(form) } else { None });
        let told = |remark: &pm4::input::InputMessage| place.is_none_or(|place| remark.place == place) && remark.message.contains(reason);
        // For words in bytes only the end is wrong: programs report it with its dword.
        let rest = matches!(name, "Raw words" | "PAL, .bin") && input.buffers.iter().any(|buffer| !buffer.trailing_bytes.is_empty());
        if !rest && !input.damage.iter().any(told) {
            wrong.push(format!("{name}: {reason:?} at {place:?} is not in {:?}", input.damage));
        }
        assert!(input.buffers.iter().map(|buffer| buffer.words.len()).sum::<usize>() >= 3, "{name}: what stands before is used");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gdb_that_shows_a_part_of_an_array_says_so() {
    let text = format!("$1 = {{{}0x0...}}\n", "0xc0012d00, 0x3, 0x2, ".repeat(66));
    let input = read("gdb", text.as_bytes(), None);
    assert!(input.damage.iter().any(|remark| remark.place == InputPlace::Line(1) && remark.message.contains("set print elements 0")), "{:?}", input.damage);
    assert_eq!(input.buffers[0].words.len(), 199);
}

/// Buffers reached by chaining are named after the first one: a name that repeats the previous name grows with each.
#[test]
fn a_long_chain_has_short_names() {
    // Each chains to 4 dwords, which are the next packet.
    let packet = [0xC002_3F00, 0x1000, 0, 1 << 20 | 4];
    let text = samples::mesa(&packet.repeat(2000), None, Gfx::Gfx11);
    let input = read("a long chain", &text, None);
    assert_eq!(input.buffers.len(), 2000);
    assert_eq!(input.buffers[1999].name, "main IB chained 1998");
    assert!(input.buffers.iter().all(|buffer| buffer.words.len() == 4));
}

/// Small text never makes a large input: umr names the position of each dword, and words without a line are filled up.
#[test]
fn lines_far_apart_do_not_make_buffers_without_bound() {
    let line = |base: u64| format!("[0x1@0x{base:x} + 0xfffffc]\t[        0x00000000]\t|---> x\n");
    let text: String = (1..=64).map(|n| line(n << 32)).collect();
    let input = read("dwords far apart", text.as_bytes(), Some(InputForm::Umr));
    let dwords: usize = input.buffers.iter().map(|buffer| buffer.words.len()).sum();
    assert!(dwords <= 1 << 24, "{dwords}");
    assert!(input.damage.iter().any(|damage| damage.message.contains("leaves out more than 16777216 dwords")), "{:?}", input.damage.last());
}

/// Submissions in sequence in a ring, of any length, each padded to a boundary: the newest one that starts a buffer is found, from its first dword on.
#[test]
fn a_submission_of_any_length_is_found_from_its_beginning() {
    const FRAME: usize = 256;
    const RING: usize = 8 * FRAME;
    const NOP: u32 = 0xFFFF_1000;
    let mut long = 0;
    for seed in 0..300 {
        let mut random = crate::golden::Random(seed);
        let mut ring = vec![NOP; RING];
        let mut at = random.below(RING / FRAME) * FRAME;
        // The start of each submission, without wrapping, and its words.
        let mut done: Vec<(usize, Vec<u32>, bool)> = Vec::new();
        for _ in 0..2 + random.below(12) {
            let mut words = vec![0xC001_2800, 0x8000_0000, 0];
            let longest = [200, 700][random.below(2)];
            let length = 20 + random.below(longest);
            let starts = random.below(4) > 0;
            let call = random.below(length);
            let mut called = false;
            while words.len() < length {
                let body = 1 + random.below(60);
                if starts && !called && words.len() >= call {
                    words.extend([0xC002_3F00, ADDR as u32, (ADDR >> 32) as u32, 0x0100_0010]);
                    called = true;
                } else if random.below(2) == 0 {
                    // Words that look like padding are in a body, which may cross a boundary.
                    words.push(0xC000_1000 | (body as u32) << 16);
                    words.extend(vec![NOP; body]);
                    words.push(0);
                } else {
                    words.push(0xC000_3700 | (body as u32 + 3) << 16);
                    words.extend([0x500, 0x3000, 0x8001]);
                    words.extend((0..=body as u32).map(|n| n * 0x1111));
                }
            }
            // Kernels pad with NOPs of one dword, or with one long NOP.
            let rest = (words.len() + 1).next_multiple_of(FRAME) - words.len();
            let end = words.len() + rest;
            if rest > 1 && random.below(2) == 0 {
                words.push(0xC000_1000 | (rest as u32 - 2) << 16);
            }
            words.resize(end, NOP);
            words.iter().enumerate().for_each(|(n, word)| ring[(at + n) % RING] = *word);
            done.push((at, words, called));
            at += end;
        }
        let write = (at % RING) as u32;
        let whole = |begin: usize| begin + RING > at;
        let Some((begin, words, _)) = done.iter().rev().find(|(begin, _, called)| *called && whole(*begin)) else { continue };
        let mut bytes = samples::bytes(&[write, write, write]);
        bytes.extend(samples::bytes(&ring));
        let input = read("a ring", &bytes, Some(InputForm::Ring));
        let part = input.buffers.iter().find(|buffer| buffer.usage == BufferUse::Ring).unwrap_or_else(|| panic!("seed {seed}: nothing was being executed"));
        assert_eq!(part.name, format!("ring from dword 0x{:x}", begin % RING), "seed {seed}");
        assert!(part.words.starts_with(words), "seed {seed}");
        long += usize::from(words.len() > FRAME);
    }
    assert!(long > 50, "{long} of them went over a border");
}

/// The header of a packet is wider than the small numbers after it, as an address is: the content of the lines decides.
#[test]
fn headers_before_small_numbers_are_no_addresses() {
    for (text, words) in [
        ("0xc0012d00 0x3 0x2\n0xc0012d00 0x3 0x2\n", vec![0xC001_2D00, 3, 2, 0xC001_2D00, 3, 2]),
        ("0xc0012d00, 0x3, 0x2,\n0xc0012d00, 0x6, 0x2,\n0xc0012d00, 0x9, 0x2,\n", vec![0xC001_2D00, 3, 2, 0xC001_2D00, 6, 2, 0xC001_2D00, 9, 2]),
        ("c0012d00 3 2\nc0012d00 6 2\n", vec![0xC001_2D00, 3, 2, 0xC001_2D00, 6, 2]),
        ("0xc0002f00 0x1\n0xc0002f00 0x2\n", vec![0xC000_2F00, 1, 0xC000_2F00, 2]),
        ("c0002f00 1\nc0012d00 3 2\n", vec![0xC000_2F00, 1, 0xC001_2D00, 3, 2]),
        ("c0012d00 10 20\nc0016900 12 34\n", vec![0xC001_2D00, 0x10, 0x20, 0xC001_6900, 0x12, 0x34]),
        ("c0012d00 3 2\n", vec![0xC001_2D00, 3, 2]),
        ("0xc0012d00 0x00000003 0x00000002\n0xc0012d00 0x00000003 0x00000002\n", vec![0xC001_2D00, 3, 2, 0xC001_2D00, 3, 2]),
        // The bytes of a NOP happen to be the distance to the next header.
        ("0xc0001000 0x00000000\n0xc0001004 0x00000000\n", vec![0xC000_1000, 0, 0xC000_1004, 0]),
        ("3 c0012d00\n7 3\n", vec![3, 0xC001_2D00, 7, 3]),
        // Only the width indicates addresses, and nothing indicates packets.
        ("deadbeef 1\ncafebabe 2\n", vec![0xDEAD_BEEF, 1, 0xCAFE_BABE, 2]),
    ] {
        let input = read(text, text.as_bytes(), None);
        assert_eq!((input.buffers[0].words.as_slice(), input.remarks.as_slice(), input.damage.as_slice()), (&words[..], &[][..], &[][..]), "{text}");
    }
    // Addresses without a colon count the bytes of their lines, whatever the lines contain.
    let draws = [0xC001_2D00, 3, 2, 0xFFFF_1000];
    for (text, words) in [
        ("0000000 c0012d00 00000003 00000002 ffff1000\n0000020 c0012d00 00000003 00000002 ffff1000\n0000040\n", draws.repeat(2)),
        ("000000 c0012d00 00000003 00000002 ffff1000\n000010\n", draws.to_vec()),
        ("00000000  00 2d 01 c0 03 00 00 00  02 00 00 00 00 10 ff ff\n", draws.to_vec()),
        ("0x1000 0xc0012d00 0x00000003 0x00000002 0xffff1000\n0x1010 0xc0012d00 0x00000003 0x00000002 0xffff1000\n", draws.repeat(2)),
        ("00001000 00000001 00000002\n00001008 00000003 00000004\n00001010 00000005\n", vec![1, 2, 3, 4, 5]),
        ("c0012d0 00000001\nc0012d4 00000003\nc0012d8 00000005\n", vec![1, 3, 5]),
    ] {
        let input = read(text, text.as_bytes(), None);
        assert_eq!((input.buffers[0].words.as_slice(), input.damage.as_slice()), (&words[..], &[][..]), "{text}");
        let told: Vec<&str> = input.remarks.iter().map(|remark| remark.message.as_str()).collect();
        assert!(matches!(told[..], ["the first number of each line is taken for its address", ..]), "{text}: {told:?}");
    }
}

/// Editors put a byte-order mark before text: it is not part of any form. Words that begin with its bytes remain words.
#[test]
fn a_byte_order_mark_before_text_is_passed_over() {
    for Row { name, form, sample, .. } in rows().into_iter().filter(|row| !row.sample.contains(&0)) {
        let marked = [b"\xEF\xBB\xBF", sample.as_slice()].concat();
        let (plain, input) = (read(name, &sample, None), read(name, &marked, None));
        assert_eq!((input.form, &input.buffers, &input.damage), (form, &plain.buffers, &plain.damage), "{name}");
        assert_eq!(read(name, &samples::gzip(&marked), Some(form)).buffers, plain.buffers, "{name}, packed and its form named");
    }
    let words = read("raw words", b"\xEF\xBB\xBF\xC0\x01\0\0\0", None);
    assert_eq!((words.form, words.buffers[0].words.as_slice()), (InputForm::Raw, &[0xC0BF_BBEF, 1][..]));
    assert_eq!(read("raw by name", b"\xEF\xBB\xBF0", Some(InputForm::Raw)).buffers[0].words, [0x30BF_BBEF]);
}

/// Repeats add at most 2^24 dwords, in elements of any size and in rows, and the omitted rest is counted.
#[test]
fn repeats_are_left_out_beyond_their_limit() {
    const MOST: usize = 1 << 24;
    let rows = "00000000: ffff1000 ffff1000 ffff1000 ffff1000\n00000010: ffff1000 ffff1000 ffff1000 ffff1000\n";
    for (text, words, lost) in [
        (format!("$1 = {{0xffff1000, 0x7 <repeats {} times>, 0x8}}\n", MOST + 1), MOST + 3, None),
        (format!("$1 = {{0xffff1000, 0x7 <repeats {} times>, 0x8}}\n", MOST + 2), MOST + 3, Some("1 dword is left out here")),
        (format!("$1 = {{0x00, 0x10, 0xff, 0xff <repeats {} times>}}\n", 4 * MOST + 1 + 5), MOST + 1, Some("2 dwords are left out here")),
        (format!("{rows}*\n{:08x}: 00000007\n", 4 * MOST + 32), 8 + MOST + 1, None),
        (format!("{rows}*\n{:08x}: 00000007\n", 4 * MOST + 32 + 20), 8 + MOST + 1, Some("5 dwords are left out here")),
    ] {
        let input = read(&text, text.as_bytes(), Some(InputForm::Hex));
        assert_eq!(input.buffers[0].words.len(), words, "{text}: {:?}", input.damage);
        let told: Vec<_> = input.damage.iter().filter(|remark| remark.message.contains("left out here")).collect();
        assert_eq!(told.len(), usize::from(lost.is_some()), "{text}: {told:?}");
        assert!(lost.is_none_or(|lost| told[0].message.contains(lost)), "{text}: {told:?}");
    }
}

/// Numbers of nine digits are decimal: more than eight digits do not form a hexadecimal word.
#[test]
fn numbers_of_nine_digits_are_decimal() {
    for (text, words) in [("268435456\n536870912\n", [268_435_456, 536_870_912]), ("26843545\n53687091\n", [0x2684_3545, 0x5368_7091])] {
        assert_eq!(read(text, text.as_bytes(), Some(InputForm::Hex)).buffers[0].words, words, "{text}");
    }
}

/// gdb repeats elements of any size; an invalid count is reported.
#[test]
fn repeats_hold_for_bytes_and_pairs_of_bytes() {
    for (text, words) in [
        ("$1 = {0x00, 0x10, 0xff <repeats 2 times>, 0x00 <repeats 8 times>}\n", vec![0xFFFF_1000, 0, 0]),
        ("00001000: 0x00 0x10 0xff <repeats 2 times>\n", vec![0xFFFF_1000]),
        ("00001000: 1000 ffff 1000 ffff 1000 ffff 0000 <repeats 4 times>\n", vec![0xFFFF_1000, 0xFFFF_1000, 0xFFFF_1000, 0, 0]),
        ("$1 = {0x00000000ffff1000 <repeats 2 times>}\n", vec![0xFFFF_1000, 0, 0xFFFF_1000, 0]),
    ] {
        let input = read(text, text.as_bytes(), None);
        assert_eq!((input.buffers[0].words.as_slice(), input.damage.as_slice()), (&words[..], &[][..]), "{text}");
    }
    let shortened = read("shortened", b"$1 = {0xc0012d00, 0x3, 0x2, 0x0 <repeats 197 times>...}\n", None);
    assert!(shortened.buffers[0].words.len() == 200 && shortened.damage[0].message.contains("set print elements 0"), "{:?}", shortened.damage);
    for repeats in ["<repeats 0 times>", "<repeats -1 times>", "<repeats many times>", "<repeats 99999999999999999999999 times>"] {
        let text = format!("$1 = {{0xc0012d00, 0x3, 0x2, 0x7 {repeats}, 0x8}}\n");
        let input = read(&text, text.as_bytes(), None);
        assert_eq!(input.buffers[0].words, [0xC001_2D00, 3, 2, 7, 8], "{text}");
        assert_eq!(input.damage.iter().map(|remark| remark.place).collect::<Vec<_>>(), [InputPlace::Line(1)], "{text}");
        assert!(input.damage[0].message.contains(repeats.trim_end_matches('>')), "{}", input.damage[0]);
    }
    let nothing_before = read("repeats first", b"0xc0012d00 0x3\n<repeats 2 times>, 0x2\n0xffff1000\n0xffff1000\n", None);
    assert!(nothing_before.damage.iter().any(|remark| remark.place == InputPlace::Line(2)), "{:?}", nothing_before.damage);
}

/// The output of `dump` names its queue: a new queue begins a buffer, and no packet is read for another queue.
#[test]
fn what_was_dumped_keeps_its_queues() {
    // DISPATCH_DIRECT, and ACQUIRE_MEM as compute queues have it.
    let (draws, dispatches) = ([0xC001_2D00, 3, 2], [0xC003_1502, 1, 1, 1, 1]);
    for format in [OutputFormat::Text, OutputFormat::Json] {
        for zeros in [false, true] {
            let options = DumpOptions { format, zeros, ..DumpOptions::new(GFX, Queue::Graphics) };
            let dumped = |streams: &[(Queue, &[u32])]| {
                let mut out = Vec::new();
                let mut dump = Dump::new(&mut out, &options).expect("memory takes it");
                for (queue, words) in streams {
                    dump.queue(*queue).expect("memory takes it");
                    dump.begin("a");
                    dump.words(words).expect("memory takes it");
                    dump.end().expect("memory takes it");
                }
                drop(dump);
                out
            };
            let of = |bytes: &[u8]| {
                let input = read("dump", bytes, None);
                assert_eq!((input.form, input.damage.as_slice()), (InputForm::Dump, &[][..]), "{format:?}");
                input.buffers.into_iter().map(|buffer| (buffer.name, buffer.queue, buffer.words)).collect::<Vec<_>>()
            };
            let (gfx, compute) = ((Queue::Graphics, &draws[..]), (Queue::Compute, &dispatches[..]));
            assert_eq!(of(&dumped(&[compute])), [(String::new(), Some(Queue::Compute), dispatches.to_vec())], "{format:?}");
            assert_eq!(of(&dumped(&[gfx, gfx])), [(String::new(), Some(Queue::Graphics), draws.repeat(2))], "{format:?}");
            let three = of(&dumped(&[gfx, compute, gfx]));
            let wanted = [("gfx", Queue::Graphics, &draws[..]), ("compute", Queue::Compute, &dispatches), ("gfx 2", Queue::Graphics, &draws)];
            assert_eq!(three, wanted.map(|(name, queue, words)| (name.to_owned(), Some(queue), words.to_vec())), "{format:?}");
        }
    }
    let bare = read("records without a queue", br#"{"type":"packet","header":"0xc0012d00","body":[3,2]}"#, None);
    assert_eq!(bare.buffers.iter().map(|buffer| buffer.queue).collect::<Vec<_>>(), [None]);
}

#[test]
fn the_page_of_inputs_names_every_form_and_every_sample() {
    let page = include_str!("../../../docs/inputs.md");
    for form in InputForm::iter() {
        assert!(page.contains(&format!("| `{form}` |")), "docs/inputs.md does not have the form {form}");
    }
    for Row { name, .. } in rows() {
        assert!(page.contains(&format!("| {name} |")), "docs/inputs.md does not have {name}");
    }
    // And each sample occurs once.
    let names: Vec<_> = rows().into_iter().map(|row| row.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

/// Reads an input whose source gives `step` bytes at a time.
struct Steps<'t>(&'t [u8], usize);

impl std::io::Read for Steps<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(self.1).min(into.len());
        let (now, later) = self.0.split_at(count);
        into[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

/// A line is read in pieces of 1 MiB, so that a text without line feeds takes no memory without bound (`tests/growth.rs`).
#[test]
fn a_long_line_is_read_in_pieces() {
    const PIECE: usize = 1 << 20;
    let read = |text: &str, step: usize| {
        let input = Source::open(Steps(text.as_bytes(), step), Some(InputForm::Hex)).and_then(Source::load).expect("words");
        assert!(input.buffers.iter().all(|buffer| buffer.trailing_bytes.is_empty()));
        (streams(&input), input.damage.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let none: Vec<String> = Vec::new();
    let (draw, words) = ("0xc0012d00 0x00000003 0x00000002", [0xC001_2D00, 3, 2]);
    for step in [4099, usize::MAX] {
        assert_eq!(read(&format!("{draw}\n{draw}"), step), (words.repeat(2), none.clone()));
        // Blanks that have no end, and a number after them.
        let long = format!("{draw} {draw}\n{draw}\n0x7{} 0x8", " ".repeat(3 * PIECE));
        assert_eq!(read(&long, step), ([&words.repeat(3)[..], &[7, 8]].concat(), none.clone()));
        // Repeats stay with their element.
        let (element, times) = ("0xc0001000, 0x0 <repeats 3 times>, ", 80_000);
        assert!(element.len() * times > 2 * PIECE);
        let list = format!("$1 = {{{}0x5}}\n{draw}", element.repeat(times));
        assert_eq!(read(&list, step), ([&[0xC000_1000, 0, 0, 0].repeat(times)[..], &[5], &words].concat(), none.clone()));
        // A remark is one to its end, and so is what follows the words of a line.
        let long = "0xc0012d00 ".repeat(200_000);
        let remarks = format!("{draw}\n# {long}\n{draw} | {long}\n{draw}");
        assert_eq!(read(&remarks, step), (words.repeat(3), none.clone()));
        // Text without an end.
        let (read, damage) = read(&format!("{draw}\n{}\n{draw}", "x".repeat(3 * PIECE)), step);
        assert_eq!(read, words.repeat(2));
        assert_eq!(damage, ["line 2: the line has 1048576 bytes without a number: the rest of it is left out"]);
    }
}
