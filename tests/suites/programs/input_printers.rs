//! The real output of dump printers, according to their sources: which buffers are read, how they are used, and what a hang report states about them.
use crate::input_samples as samples;
use pm4::chip::Chip;
use pm4::cp::{BufferId, CommandProcessor};
use pm4::hang::{self, Confidence, CpEngine, HangReport};
use pm4::input::{BufferUse, EventKind, Input, InputError, InputForm, InputPlace, Source};
use pm4::packet::Queue;
use pm4::report::{OutputFormat, ReportOptions};
use std::fmt::Write as _;

const DRAW: [u32; 3] = [0xC001_2D00, 3, 2];
const ADDR: u64 = 0x8001_0020_0000;
const CALL: [u32; 4] = [0xC002_3F00, 0x0020_0000, 0x8001, 3];

fn open(bytes: &[u8]) -> Result<Input, InputError> {
    Source::open(bytes, None).and_then(Source::load)
}

fn read(bytes: &[u8]) -> Input {
    open(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(400)])))
}

/// The input in short: the use, the address and the words of each buffer.
fn buffers(input: &Input) -> Vec<(BufferUse, Option<u64>, &[u32])> {
    input.buffers.iter().map(|buffer| (buffer.usage, buffer.addr, buffer.words.as_slice())).collect()
}

fn says(input: &Input, part: &str) -> bool {
    input.damage.iter().chain(&input.remarks).any(|remark| remark.to_string().contains(part))
}

fn explained(input: &Input) -> String {
    explained_with(input, CommandProcessor::new(Chip::Navi31), &[])
}

/// The same if the first buffer runs.
fn explained_run(input: &Input) -> String {
    let mut cp = CommandProcessor::new(Chip::Navi31);
    let first = cp.submit(Queue::Graphics, &input.buffers[0].name, &input.buffers[0].words);
    explained_with(input, cp, &[Some(first)])
}

fn explained_with(input: &Input, mut cp: CommandProcessor<'_>, ids: &[Option<BufferId>]) -> String {
    let hang = HangReport::new(input, ids, Chip::Navi31.gfx());
    let mut out = Vec::new();
    let options = ReportOptions { format: OutputFormat::Text, ..ReportOptions::default() };
    hang::run(&mut out, &mut cp, &[], options, &hang, &mut ()).expect("memory takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// PAL files: without nested buffers the header has 0 for the first of them; nested buffers are a separate list.
#[test]
fn files_of_pal_have_lists_of_called_buffers() {
    let input = read(&samples::pal_file(&DRAW));
    assert_eq!((buffers(&input), input.damage.len()), (vec![(BufferUse::Submitted, None, &DRAW[..])], 0));
    for bytes in [samples::pal_file_of_two(&CALL, &DRAW, ADDR), samples::pal_text_of_two(&CALL, &DRAW, ADDR)] {
        let input = read(&bytes);
        assert_eq!(input.buffers[1].name, "IB2 0");
        let expected = vec![(BufferUse::Submitted, None, &CALL[..]), (BufferUse::Memory, Some(ADDR), &DRAW[..])];
        assert_eq!((buffers(&input), input.damage.as_slice()), (expected, &[][..]));
    }
    // A title without its line break: there are more words than announced.
    let text = samples::pal_text_of_two(&CALL, &DRAW, ADDR);
    let text = String::from_utf8(text).expect("UTF-8").replace("# IB2", "# I");
    let input = read(text.as_bytes());
    assert!(says(&input, "line 1: Universal Queue - DE: 4 dwords announced, but 7 present"), "{:?}", input.damage);
}

/// Content of PAL dumps other than PM4 is omitted, with a remark.
#[test]
fn parts_of_pal_that_are_not_pm4_are_named() {
    let dma = "# DMA Queue - Command length = 1\n0x00000001\n";
    let text = format!("{dma}# Universal Queue - DE Command length = 3\n0xc0012d00\n0x00000003\n0x00000002\n");
    let input = read(text.as_bytes());
    assert_eq!(buffers(&input), [(BufferUse::Submitted, None, &DRAW[..])]);
    assert!(says(&input, "line 1: DMA Queue holds no PM4: it is left out"), "{:?}", input.remarks);
    let alone = open(dma.as_bytes()).expect_err("no words are PM4").to_string();
    assert!(alone.contains("DMA Queue holds no PM4"), "{alone}");
    let file = samples::bytes(&[20, 1, 145, 1, 0, 12, 0, 2, 12, 4, 4, 1, 12, 4, 9, 1]);
    let alone = open(&file).expect_err("no words are PM4").to_string();
    assert!(alone.contains("chunk 0 (SDMA) holds no PM4"), "{alone}");
    let file = samples::bytes(&[20, 1, 145, 1, 0, 12, 0, 2, 12, 4, 9, 1, 12, 4, 0, 0xFFFF_1000]);
    assert!(says(&read(&file), "byte 0x20: chunk 0 is of engine 9, which is not known: it is left out"));
}

/// A line of umr for each word.
fn umr_lines(vmid: u32, base: u64, words: &[u32]) -> String {
    let line = |(n, word): (usize, &u32)| format!("[{vmid:#x}@0x{base:08x} + 0x{:04x}]\t[        {word:#010x}]\tx\n", 4 * n);
    words.iter().enumerate().map(line).collect::<String>() + "Done decoding IB\n\n"
}

/// For a ring, umr 2025 prints that `0x0@0x0` starts it, whatever its first dword; for a user queue it prints the address.
#[test]
fn a_ring_of_umr_is_one_wherever_it_begins() {
    for (base, addr) in [(0x1800u64, None), (0, None), (0x7A08_23E0_0000, Some(0x7A08_23E0_0000))] {
        let ring = [&[0xFFFF_1000][..], &CALL].concat();
        let mut text = format!("Decoding IB at 0x0@{base:#x} from 0x0@0x0 of 5 words (type 4)\n{}", umr_lines(0, base, &ring));
        let _ = write!(text, "Decoding IB at 0x1@{ADDR:#x} from 0x0@{:#x} of 3 words (type 4)\n{}", base + 4, umr_lines(1, ADDR, &DRAW));
        let input = read(text.as_bytes());
        assert_eq!(buffers(&input), [(BufferUse::Ring, addr, &ring[..]), (BufferUse::Memory, Some(ADDR), &DRAW[..])], "{base:#x}");
    }
    // Without a ring, a buffer that nothing calls runs.
    let text = format!(
        "Decoding IB at 0x1@0x1000 from 0x0@0x0 of 4 words (type 4)\n{}Decoding IB at 0x1@{ADDR:#x} from 0x1@0x1000 of 3 words (type 4)\n{}",
        umr_lines(1, 0x1000, &CALL),
        umr_lines(1, ADDR, &DRAW)
    );
    assert_eq!(buffers(&read(text.as_bytes())), [(BufferUse::Submitted, Some(0x1000), &CALL[..]), (BufferUse::Memory, Some(ADDR), &DRAW[..])]);
}

/// A buffer printed without its caller runs.
#[test]
fn a_buffer_of_umr_that_nothing_starts_runs() {
    let text = format!("Decoding IB at 0x1@{ADDR:#x} of 3 words (type 4)\n{}", umr_lines(1, ADDR, &DRAW));
    let input = read(text.as_bytes());
    assert_eq!((buffers(&input), input.remarks.as_slice()), (vec![(BufferUse::Submitted, Some(ADDR), &DRAW[..])], &[][..]));
}

/// Without a ring each buffer runs, or is called by one that runs, with a remark.
#[test]
fn buffers_of_umr_run_without_their_ring() {
    let call = |to: u32| [0xC002_3F00, to, 0, 3];
    let chain = |to: u32| [0xC002_3F00, to, 0, 0x0010_0004];
    let input = |list: &[(u32, &[u32])]| {
        let text = |(at, words): &(u32, &[u32])| {
            format!("Decoding IB at 0x1@{at:#x} from 0x1@0x99000 of {} words (type 4)\n{}", words.len(), umr_lines(1, (*at).into(), words))
        };
        read(list.iter().map(text).collect::<String>().as_bytes())
    };
    let uses = |input: &Input| input.buffers.iter().map(|buffer| buffer.usage).collect::<Vec<_>>();
    let (submitted, memory) = (BufferUse::Submitted, BufferUse::Memory);
    // A buffer that chains to itself has no other caller.
    let own = input(&[(0x1000, &DRAW), (0x2000, &chain(0x2000))]);
    assert_eq!(uses(&own), [submitted, submitted]);
    assert!(says(&own, "no ring that starts the buffers is in the input: those that no other buffer calls run"), "{:?}", own.remarks);
    // Two buffers that call each other have no other caller.
    let mutual = input(&[(0x1000, &call(0x2000)), (0x2000, &DRAW), (0x3000, &call(0x4000)), (0x4000, &call(0x3000))]);
    assert_eq!(uses(&mutual), [submitted, memory, submitted, memory]);
    assert!(says(&mutual, "and of those that only call each other the first one"), "{:?}", mutual.remarks);
    assert_eq!(uses(&input(&[(0x3000, &call(0x4000)), (0x4000, &call(0x3000))])), [submitted, memory]);
}

/// The name of a ring determines the set of its packets.
#[test]
fn compute_rings_of_umr_have_packets_of_the_compute_queue() {
    for (ring, queue) in [("gfx_0.0.0", Queue::Graphics), ("comp_1.0.0", Queue::Compute), ("kiq_2.1.0", Queue::Compute), ("mes_kiq_3.1.0", Queue::Compute)] {
        let line = |(at, word): (usize, u32)| format!("navi10.{ring}.ring[{at:4}] == 0x{word:08x}    ...\n");
        let part = read([0xFFFF_1000, 0xFFFF_1000].into_iter().enumerate().map(line).collect::<String>().as_bytes());
        // A whole ring with a submission.
        let words = (0..512).map(|at| if (256..260).contains(&at) { CALL[at - 256] } else { 0xFFFF_1000 }).collect::<Vec<u32>>();
        let lines: String = words.iter().copied().enumerate().map(line).collect();
        let whole = read(format!("navi10.{ring}.rptr == 256\nnavi10.{ring}.wptr == 511\n{lines}").as_bytes());
        assert!(whole.buffers.len() > 1, "{ring}: {:?}", whole.buffers);
        let json = |raw: &[u32]| {
            read(format!("{{\"answer\":{{\"read_ptr\":256,\"write_ptr\":511,\"raw\":{raw:?},\"ibs\":[]}},\"request\":{{\"ring\":\"{ring}\"}}}}").as_bytes())
        };
        for input in [part, whole, json(&words), json(&DRAW)] {
            assert!(input.buffers.iter().all(|buffer| buffer.queue == Some(queue)), "{ring}: {:?}", input.buffers);
        }
    }
}

/// The old text of a ring wraps around its end: umr counts modulo its size.
#[test]
fn the_old_text_of_umr_goes_around_the_end_of_the_ring() {
    let line = |dword: usize, word: u32| format!("navi10.gfx_0.0.0.ring[{dword:4}] == 0x{word:08x}    ...\n");
    let text = |read: usize, words: &[(usize, u32)]| {
        let lines: String = words.iter().map(|(dword, word)| line(*dword, *word)).collect();
        format!("navi10.gfx_0.0.0.rptr == {read}\nnavi10.gfx_0.0.0.wptr == 1\n{lines}")
    };
    let input = read(text(2046, &[(2045, 0xFFFF_1000), (2046, DRAW[0]), (2047, DRAW[1]), (0, DRAW[2]), (1, 0xFFFF_1000)]).as_bytes());
    assert_eq!((buffers(&input), input.damage.as_slice()), (vec![(BufferUse::Ring, None, &DRAW[..])], &[][..]));
    // A line is missing after the end.
    let input = read(text(2047, &[(2047, 0xFFFF_1000), (1, 0xFFFF_1000)]).as_bytes());
    assert_eq!(buffers(&input), [(BufferUse::Ring, None, &[0xFFFF_1000][..])]);
}

/// Rings and buffers of engines without PM4 are kept, but neither decoded nor run.
#[test]
fn packets_of_other_engines_in_text_of_umr_do_not_run() {
    let sdma = |opcode: &str| {
        format!(
            "Decoding IB at 0x0@0x0 from 0x0@0x0 of 2 words (type 3)\n[0x0@0x0 + 0x0000]\t[0x00000006]\tOpcode {opcode}\n[0x0@0x0 + 0x0004]\t[0x00000000]\t|---> A=0\n"
        )
    };
    for opcode in
        ["0x6/0x0 [TRAP] (2 words, type: 0, hdr: 0x6)", "0x6 [TRAP] Sub-Opcode 0 (2 words, hdr: 0x6)", "0x2 [HSA_KERNEL_DISPATCH] (32 words, type: 0)"]
    {
        let input = read(sdma(opcode).as_bytes());
        assert_eq!((buffers(&input), input.damage.as_slice()), (vec![(BufferUse::OtherEngine, None, &[6, 0][..])], &[][..]), "{opcode}");
        assert!(says(&input, "which are not PM4"), "{opcode}: {:?}", input.remarks);
    }
    let pm4 = read(sdma("0x10 [PKT3_NOP] (1 words, type: 3, hdr: 0xc0001000)").as_bytes());
    assert_eq!(pm4.buffers[0].usage, BufferUse::Ring);
    let old = |ring: &str| read(format!("navi10.{ring}.ring[ 0] == 0x00000006    ...\nnavi10.{ring}.ring[ 1] == 0x00000000    ...\n").as_bytes());
    assert_eq!(buffers(&old("sdma0")), [(BufferUse::OtherEngine, None, &[6, 0][..])]);
    assert!(says(&old("sdma0"), "navi10.sdma0 does not run PM4"));
    assert_eq!(old("comp_1.0.0").buffers[0].usage, BufferUse::Ring);
    let json = |kind: &str, ring: &str| {
        read(format!("{{\"answer\":{{\"read_ptr\":0,\"write_ptr\":1{kind},\"raw\":[6],\"ibs\":[{{\"opcodes\":[6],\"address\":4096}}]}},\"request\":{{\"ring\":\"{ring}\"}}}}").as_bytes())
    };
    for other in [json(",\"ring_type\":2", "x"), json("", "sdma0")] {
        assert!(other.buffers.iter().all(|buffer| buffer.usage == BufferUse::OtherEngine) && says(&other, "does not run PM4"), "{other:?}");
    }
    assert!(json(",\"ring_type\":0", "gfx").buffers.iter().all(|buffer| buffer.usage != BufferUse::OtherEngine));
}

/// The server of umr: older versions also print the unwritten word at the write pointer; newer ones send the words in another message.
#[test]
fn answers_of_the_server_of_umr_end_at_the_write_pointer() {
    let text = |read: u64, write: u64, raw: &[u32]| format!("{{\"read_ptr\":{read},\"write_ptr\":{write},\"raw\":{raw:?},\"ibs\":[]}}");
    let four = [DRAW[0], DRAW[1], DRAW[2], 7];
    for (pointers, raw, kept) in
        [((256, 259), &four[..], &DRAW[..]), ((256, 259), &DRAW, &DRAW), ((2046, 1), &four, &DRAW), ((2046, 1), &DRAW, &DRAW), ((0, 9), &four, &four)]
    {
        assert_eq!(buffers(&read(text(pointers.0, pointers.1, raw).as_bytes())), [(BufferUse::Ring, None, kept)], "{pointers:?}");
    }
    let idle = open(text(512, 512, &[7]).as_bytes()).expect_err("nothing is left").to_string();
    assert!(idle.contains("all words of the ring up to its write pointer were read"), "{idle}");
    for raw in ["[]", "null"] {
        let text = format!("{{\"read_ptr\":1,\"write_ptr\":5,\"raw\":{raw},\"ibs\":[]}}");
        let empty = open(text.as_bytes()).expect_err("no words").to_string();
        assert!(empty.contains("the ring has no words, but its pointers say that words are left to run") && !empty.contains("were read"), "{empty}");
    }
    let newer = "{\"ring\":{\"opcode_start\":7,\"opcode_count\":16},\"ibs\":[{\"address\":4096,\"opcode_start\":0,\"opcode_count\":7}],\"read_ptr\":256,\"write_ptr\":512}";
    let refused = open(newer.as_bytes()).expect_err("no words").to_string();
    assert!(refused.contains("a second, binary message") && refused.contains("amdgpu_ring_NAME"), "{refused}");
}

/// Register offsets of SET_CONFIG_REG are also derived from names.
#[test]
fn umr_has_no_line_for_the_offset_of_a_config_register() {
    let text = "[0x1@0x1000 + 0x0]\t[0xc0016800]\tOpcode 0x68 [PKT3_SET_CONFIG_REG]\n[0x1@0x1000 + 0x8]\t[0x5]\t|---> gfx1100.regGRBM_STATUS=0x5\n";
    let input = read(text.as_bytes());
    assert_eq!((input.damage.as_slice(), input.buffers[0].words.as_slice()), (&[][..], &[0xC001_6800, 4, 5][..]));
}

/// A mark as Mesa prints it: its number, and its state.
fn mark(indent: &str, number: u32, told: &str) -> String {
    format!("{indent}c0001000 NOP:\n{indent}                 Trace point ID: {number}\n{indent}                 {told}\n{indent}cafe{number:04x} \n")
}

const REACHED: &str = "This trace point was reached by the CP.";
const LAST: &str = "!!!!! This is the last trace point that was reached by the CP !!!!!";
const NOT: &str = "!!!!! This trace point was NOT reached by the CP !!!!!";

fn printed(indent: &str, name: &str, words: &[u32]) -> String {
    let body: String = words[1..].iter().map(|word| format!("{indent}{word:08x} \n")).collect();
    format!("{indent}{:08x} {name}:\n{body}", words[0])
}

fn buffer(kind: &str, parts: &[String]) -> String {
    let bar = "------------------";
    format!("{bar} main IB begin - {kind} {bar}\n{}\n{bar}- main IB end - {kind} {bar}\n", parts.concat())
}

fn draw(indent: &str) -> String {
    printed(indent, "DRAW_INDEX_AUTO", &DRAW)
}

/// The first mark that Mesa calls unreached bounds the position; no other line marks it as the first.
#[test]
fn the_first_mark_that_was_not_reached_bounds_the_position() {
    let parts = [draw(""), mark("", 1, REACHED), draw(""), mark("", 2, LAST), draw(""), mark("", 3, NOT), draw(""), mark("", 4, NOT), draw("")];
    let input = read(buffer("GFX", &parts).as_bytes());
    let hang = HangReport::new(&input, &[], Chip::Navi31.gfx());
    let me = hang.stalled().expect("a position");
    assert_eq!((me.engine, me.confidence, me.candidates.len(), me.candidates[0].dword), (CpEngine::Me, Confidence::Medium, 1, 10), "{me:?}");
    assert_eq!(input.fact("first mark not reached"), Some("main IB dword 13"));
    // None was reached: the hang is before the first one.
    let input = read(buffer("GFX", &[draw(""), mark("", 1, NOT), draw(""), mark("", 2, NOT)]).as_bytes());
    let hang = HangReport::new(&input, &[], Chip::Navi31.gfx());
    let me = hang.stalled().expect("a position");
    assert_eq!((me.confidence, me.candidates.len(), me.candidates[0].dword), (Confidence::Low, 1, 0), "{me:?}");
}

/// A called buffer has its own marks, with the same numbers.
#[test]
fn marks_of_called_buffers_are_not_those_of_the_caller() {
    let nested =
        |parts: &[String]| format!("         ------------ nested begin ------------\n{}         ------------ nested end ------------\n", parts.concat());
    let called = nested(&[draw("    "), mark("    ", 1, REACHED), draw("    "), mark("    ", 2, LAST), draw("    "), mark("    ", 3, NOT), draw("    ")]);
    let call = printed("", "INDIRECT_BUFFER", &[CALL[0], CALL[1], CALL[2], 18]);
    let parts = [mark("", 1, REACHED), call, called, mark("", 2, LAST), draw(""), mark("", 3, NOT), draw("")];
    let input = read(buffer("GFX", &parts).as_bytes());
    let hang = HangReport::new(&input, &[], Chip::Navi31.gfx());
    let me = hang.stalled().expect("a position");
    let place = me.candidates[0];
    assert_eq!((input.buffers[place.buffer].name.as_str(), place.dword, me.candidates.len()), ("main IB", 8, 1), "{me:?}");
}

/// A MEC runs the buffer of the compute queue, and no register of the graphics queue explains its wait.
#[test]
fn a_hang_of_a_compute_queue_in_a_trace_is_of_mec() {
    let dispatch = printed("", "DISPATCH_DIRECT", &[0xC003_1502, 1, 1, 1, 0x41]);
    let registers = "Memory-mapped registers:\n        CP_STALLED_STAT2 <- 0x00000800\n        CP_CPC_STALLED_STAT1 <- 0x01000400\n";
    let told = |kind: &str| {
        let text = buffer(kind, &[dispatch.clone(), mark("", 1, LAST), dispatch.clone(), mark("", 2, NOT)]) + registers;
        explained(&read(text.as_bytes()))
    };
    let compute = told("COMPUTE");
    assert!(
        compute.contains("MEC at main IB dword 7") && compute.contains("MEC1 waits for a register") && !compute.contains("ME has no free context"),
        "{compute}"
    );
    let graphics = told("GFX");
    assert!(graphics.contains("ME at main IB dword 7") && graphics.contains("ME has no free context"), "{graphics}");
}

/// RADV's statements about addresses outside its list of allocations.
#[test]
fn addresses_that_radv_found_wrong_are_reported() {
    let write = |verdict: &str| {
        format!("c0033700 WRITE_DATA:\n40100500         CONTROL <- 0x40100500\n00401000 \n00008001         DST_ADDR <- 0x800100401000{verdict}\n00000001 \n")
    };
    let chain = printed("", "INDIRECT_BUFFER", &[CALL[0], CALL[1], CALL[2], 0x0010_0011]);
    let parts = [write(""), write(" used after free"), chain, write(" invalid"), mark("", 1, LAST), draw(""), mark("", 2, NOT), write(" out of bounds")];
    let input = read(buffer("GFX", &parts).as_bytes());
    let hang = input.hang.as_ref().expect("a hang");
    let places: Vec<_> = hang.addresses.iter().map(|wrong| (wrong.buffer, wrong.dword, wrong.field.as_str(), wrong.address, wrong.verdict.as_str())).collect();
    let at = 0x8001_0040_1000;
    assert_eq!(places, [(0, 8, "DST_ADDR", at, "used after free"), (1, 3, "DST_ADDR", at, "invalid"), (1, 15, "DST_ADDR", at, "out of bounds")]);
    let text = explained(&input);
    for (part, shown) in [("(DST_ADDR at main IB dword 8): used after free", true), ("dword 3): invalid", true), ("out of bounds", false)] {
        assert_eq!(text.contains(part), shown, "{part:?} in\n{text}");
    }
    // Places with the same address share a line; of many addresses only the first get lines.
    let many: Vec<String> = (0..2).chain(0..9).map(|n| write(" invalid").replace("0x800100401000", &format!("0x8001004{n:02x}000"))).collect();
    let text = explained(&read(buffer("GFX", &many).as_bytes()));
    for part in ["of 0x800100400000 (DST_ADDR at main IB dword 3, and at 1 more place): invalid", "of 0x800100402000 (DST_ADDR at main IB dword 23): invalid"] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    assert!(text.contains("  and of addresses at 3 more places\n") && !text.contains("0x800100406000 ("), "{text}");
    let fault = read((buffer("GFX", &parts) + "Failing VM page: 0x800100401000\n").as_bytes());
    let text = explained(&fault);
    assert!(text.contains("DST_ADDR at main IB dword 8 (used after free, says the driver)"), "{text}");
}

/// RADV's records of its memory show the present or former owner of the page of a fault.
#[test]
fn the_history_of_allocations_names_the_memory_at_the_page_of_a_fault() {
    let bo = |time: u64, start: u64, end: u64, freed: u8, sparse: u8| {
        format!("timestamp={time}, VA={start:016x}-{end:016x}, destroyed={freed}, is_virtual={sparse}\n")
    };
    let object = |time: u64, start: u64, end: u64, bound: &str, kind: &str| {
        format!(
            "timestamp={time}, VA={start:016x}-{end:016x}, binding_type={bound}, object_type=VK_OBJECT_TYPE_{kind}, object_handle=0x60{kind_len:02x}\n",
            kind_len = kind.len()
        )
    };
    let told = |records: &[String]| {
        let fault = "Failing VM page: 0x800100013000\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x601430\n";
        explained(&read((buffer("GFX", &[draw("")]) + fault + &records.concat()).as_bytes()))
    };
    let (at, end) = (0x8001_0001_3000, 0x8001_0002_7000);
    let made = bo(10_000_000, at, end, 0, 0);
    let freed = bo(20_000_000, at, end, 1, 0);
    let later = bo(22_500_000, 0x8001_0100_0000, 0x8001_0100_0138, 0, 0);
    let sparse = bo(10_000_000, at - 0x1000, end, 0, 1);
    let mapped = |to: u64| format!("timestamp=30, VA={:016x}-{end:016x}, mapped_to={to:016x}\n", at - 0x1000);
    let memory = (0x8001_0200_0000, 0x8001_0210_0000);
    let span = "the allocation of 0x14000 bytes at 0x800100013000";
    for (records, says) in [
        (vec![made.clone(), later.clone()], format!("the page is in {span}, which RADV has not freed")),
        (vec![made.clone(), freed.clone(), later.clone()], format!("the page was in {span}, which RADV freed 2.500 ms before the last entry of its history")),
        // Another object took its place.
        (vec![made.clone(), freed.clone(), bo(21_000_000, at, at + 8, 0, 0)], "the page is in the allocation of 0x8 bytes at 0x800100013000".into()),
        // The end of an allocation is unaligned; the page belongs entirely to its last one.
        (vec![bo(5, at - 0x2000, at + 1, 0, 0)], "the page is in the allocation of 0x2001 bytes".into()),
        (vec![bo(5, at - 0x2000, at - 0x800, 0, 0), later.clone()], "the page is and was in no allocation of RADV's history; the allocation of 0x1800 bytes at 0x800100011000 ends 0x800 bytes before it, and the allocation of 0x138 bytes at 0x800101000000 begins 0xfec000 bytes after its end".into()),
        (vec![bo(5, 0x1000, 0x2000, 0, 0)], "the page is and was in no allocation of RADV's history, and none that exists is within 0x10000000 bytes of it".into()),
        (vec![sparse.clone()], "with sparse memory, which RADV has not freed, and no memory is bound at the page".into()),
        (vec![sparse.clone(), mapped(0x8001_0200_0000)], "and the page is mapped to 0x800102001000".into()),
        // Memory freed later, also if another object took its place; not memory freed earlier.
        (
            vec![sparse.clone(), mapped(memory.0), bo(15_000_000, memory.0, memory.1, 1, 0), bo(16_000_000, memory.0, memory.1, 0, 0), later.clone()],
            "and the page is mapped to 0x800102001000, which RADV freed 7.500 ms before the last entry of its history: it may have been used after that".into(),
        ),
        (vec![sparse.clone(), bo(20, memory.0, memory.1, 1, 0), mapped(0x8001_0200_0000)], "and the page is mapped to 0x800102001000\n".into()),
        // The first address of the freed memory, and the one after its last.
        (
            vec![sparse.clone(), mapped(memory.0 - 0x1000), bo(15_000_000, memory.0, memory.1, 1, 0), later.clone()],
            "and the page is mapped to 0x800102000000, which RADV freed 7.500 ms before".into(),
        ),
        (vec![sparse.clone(), mapped(memory.1 - 0x1000), bo(15_000_000, memory.0, memory.1, 1, 0)], "and the page is mapped to 0x800102100000\n".into()),
        // 48 bits of an address count, the others are arbitrary.
        (vec![bo(5, 0xFFFF_8001_0001_3000, 0xFFFF_8001_0002_7000, 0, 0)], format!("the page is in {span}")),
        (vec![sparse.clone(), mapped(u64::MAX)], "and the page is mapped to 0x000000000fff".into()),
        (vec![made.clone(), freed.clone()], format!("the page was in {span}, which RADV freed at the time of the last entry of its history")),
        (vec![sparse.clone(), mapped(0x8001_0200_0000), mapped(0)], "and no memory is bound at the page".into()),
        (vec![format!("  VA={at:016x}-{end:016x}, handle=7\n")], format!("the page is in {span}, which is in RADV's list of allocations")),
        (vec!["  VA=0000800101000000-0000800101000138, handle=7\n".into()], "no allocation in RADV's list has the page; the list lacks".into()),
        (vec![object(1, at, end, "bind", "IMAGE"), object(2, at, end, "unbind", "IMAGE")], "VK_OBJECT_TYPE_IMAGE 0x6005 at 0x800100013000 to 0x800100027000 was bound there, and is not any more".into()),
        (vec![object(1, at, end, "bind", "BUFFER")], "VK_OBJECT_TYPE_BUFFER 0x6006 at 0x800100013000 to 0x800100027000 is bound there".into()),
        (vec![object(1, at + 0x1000, end, "bind", "BUFFER")], "no Vulkan object that RADV recorded is or was bound there".into()),
    ] {
        let text = told(&records);
        assert!(text.contains(&says), "{says:?} of {records:?} in\n{text}");
    }
    // Memory freed while nothing is bound at the page is not what the page was mapped to.
    let records = [sparse.clone(), bo(15_000_000, memory.0, memory.1, 1, 0)].concat();
    let input = read((buffer("GFX", &[draw("")]) + "Failing VM page: 0x800100013000\n" + &records).as_bytes());
    let at_page = input.hang.and_then(|hang| hang.memory).expect("records");
    assert_eq!((at_page.mapped_to, at_page.mapped_freed), (None, None));
    // Of very many objects the rest is counted, whether currently or formerly bound.
    let five: Vec<String> = (0..5).map(|n| object(n, at, end + n, "bind", "BUFFER")).collect();
    let text = told(&five);
    assert!(text.contains("and 2 more objects that are or were bound there\n"), "{text}");
    // A report without such records does not mention them.
    let text = told(&["  To get BO VA ranges, please specify RADV_DEBUG=allbos\n".into()]);
    assert!(!text.contains("RADV"), "{text}");
}

/// Pieces of radeonsi follow each other, possibly without an end. The buffers that the job uses are listed by pages.
#[test]
fn pieces_of_radeonsi_without_an_end_are_not_nested() {
    let piece = |from: usize| format!("------------------ GFX begin (dw = {from}) ------------------\n{}", draw(""));
    let end = "------------------- GFX end (dw = 6) -------------------\n\n";
    let list = "Buffer list (in units of pages = 4kB):\n        Size    VM start page         VM end page           Usage\n\
        \u{20}          1    0xFFFF800000C8D       0xFFFF800000C8E       IB\n           5    -- hole --\n          16    0xFFFF800000C93       0xFFFF800000CA3       COLOR_BUFFER, SAMPLER_TEXTURE\n";
    let text = |fault: &str| format!("VM fault report.\n\nFailing VM page: {fault}\n\n{}{}{end}{list}", piece(0), piece(3));
    let input = read(text("0x800000c94000").as_bytes());
    assert_eq!((buffers(&input), input.damage.len()), (vec![(BufferUse::Submitted, None, &DRAW[..]); 2], 0), "{:?}", input.damage);
    assert!(says(&input, "line 5: GFX begins here and has no end: either Mesa left that out"), "{:?}", input.remarks);
    let span = "the page is in the allocation of 0x10000 bytes at 0x800000c93000, which the job uses as COLOR_BUFFER, SAMPLER_TEXTURE";
    let told = explained(&input);
    assert!(told.contains(span), "{told}");
    let told = explained(&read(text("0x800000c8f000").as_bytes()));
    assert!(told.contains("the page is in no buffer that the driver lists for the job"), "{told}");
    assert_eq!(input.hang.and_then(|hang| hang.memory).map(|memory| memory.used), Some(list.lines().filter(|line| line.contains("0x")).count()));
}

/// The cost per buffer without words stays constant for very many of them.
#[test]
fn very_many_pieces_without_words_are_passed_over() {
    let titles: String = (0..100_000).map(|n| format!("------------------ GFX begin (dw = {n}) ------------------\n")).collect();
    let input = read((titles + &draw("") + "------------------- GFX end (dw = 6) -------------------\n").as_bytes());
    let begun = std::time::Instant::now();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    let ids = input.submit(&mut cp);
    assert_eq!((ids.len(), cp.run(&mut ()).draws), (100_000, 1));
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}

/// Program counters of waves are counted, and compared with the programs of the draw in flight.
#[test]
fn waves_of_a_report_are_placed_in_the_programs_of_the_draw() {
    let wave = |name: &str, low: u32| {
        let registers = format!("ixSQ_WAVE_STATUS: 08010100 | ixSQ_WAVE_PC_LO: {low:08x} | ixSQ_WAVE_PC_HI: 00008000 | ixSQ_WAVE_EXEC_LO: ffffffff | \n");
        format!("se0.sa0.wgp3.simd1.{name}\n\nMain Registers:\n{registers}\nRegister Bits:\nixSQ_WAVE_STATUS[08010100]:\n    ixSQ_WAVE_PC_LO[{low:08x}]:\n\n")
    };
    // SPI_SHADER_PGM_LO_PS and SPI_SHADER_PGM_HI_PS.
    let program = printed("", "SET_SH_REG", &[0xC002_7600, 0x8, 0x0044_AA54, 0x80]);
    let waves = ["UMR GFX waves:\n\n", &wave("wave0", 0x44AA_5604), &wave("wave1", 0x44AA_5604), &wave("wave2", 0x1000)].concat();
    let parts: Vec<String> = [program].into_iter().chain(parts_of_a_draw()).collect();
    let text = explained_run(&read((buffer("GFX", &parts) + &waves).as_bytes()));
    for part in [
        "waves of shaders that were running when umr looked: 3, at 2 places:\n",
        "    2 waves at 0x800044aa5604, 0x204 bytes after the program in SPI_SHADER_PGM_LO_PS of the draw whose state follows",
        "    1 wave at 0x800000001000\n",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    // Very many places: the first ones are listed with full counts, the others are mentioned.
    let many: String = (0..(1 << 16) + 2).chain([1, 1]).map(|n| format!("Main Registers:\nixSQ_WAVE_PC_LO: {n:08x} | ixSQ_WAVE_PC_HI: 0 |\n")).collect();
    let input = read((buffer("GFX", &parts) + "UMR GFX waves:\n\n" + &many).as_bytes());
    assert!(says(&input, "waves are at more than 65536 places: 2 waves at further places are not counted"), "{:?}", input.remarks);
    assert_eq!(input.hang.map(|hang| hang.waves[0].count), Some(3));
    // The halves of a counter may be on two lines. If a wave lacks one, that of the next wave is not combined with it.
    let counters = |lines: &str| {
        let input = read((buffer("GFX", &parts) + "UMR GFX waves:\n\n" + lines).as_bytes());
        input.hang.map_or_else(Vec::new, |hang| hang.waves.iter().map(|wave| (wave.address, wave.count)).collect())
    };
    let (title, low, high) = ("Main Registers:\n", "ixSQ_WAVE_PC_LO: 44aa5604 |\n", "ixSQ_WAVE_PC_HI: 00008000 |\n");
    assert_eq!(counters(&[title, low, high].concat()), [(0x8000_44AA_5604, 1)]);
    assert_eq!(counters(&[title, low, title, high].concat()), []);
    // The end of the kernel's log follows.
    let log = [&b"\nLast 60 lines of dmesg:\n\n"[..], &samples::kernel_log("[   12.3] ")].concat();
    let input = read(&[(buffer("GFX", &parts) + &waves).as_bytes(), &log, b"\nFailing VM page: 0x00234000\n"].concat());
    assert_eq!(input.fact("page fault"), Some("0x00234000"), "the log ends with an empty line");
    let timeout = |input: &Input| {
        let timeout = input.events.iter().find(|event| matches!(&event.kind, EventKind::Timeout { ring, .. } if ring == "gfx_0.0.0"));
        timeout.map(|event| event.line)
    };
    let line = |input: &[u8], part: &str| String::from_utf8_lossy(input).lines().position(|line| line.contains(part)).map(|at| at + 1);
    let whole = [(buffer("GFX", &parts) + &waves).as_bytes(), &log].concat();
    assert!(timeout(&input).is_some() && timeout(&input) == line(&whole, "ring gfx_0.0.0 timeout") && input.form == InputForm::Mesa, "{:?}", input.events);
    // Without lines it ends with the next buffer.
    let fault = "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3)\n\
        amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000800100013000\n";
    let hang = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    let text = format!("{}\nLast 60 lines of dmesg:\n\n{fault}{hang}\n", buffer("GFX", &parts));
    let input = read(text.as_bytes());
    assert!(timeout(&input) == line(text.as_bytes(), "ring gfx_0.0.0 timeout") && input.events.len() == 3, "{:?}", input.events);
    let input = read(format!("\nLast 60 lines of dmesg:\n\n\n{}", buffer("GFX", &parts)).as_bytes());
    assert!(!input.buffers[0].words.is_empty() && input.damage.is_empty(), "{:?}", input.damage);
    // If the log is not readable, the following lines belong to the report.
    let input = read(format!("{}\nLast 60 lines of dmesg:\n\n\nFailing VM page: 0x00234000\n", buffer("GFX", &parts)).as_bytes());
    assert_eq!(input.fact("page fault"), Some("0x00234000"));
    // The log is not part of the report, even if its lines have no times.
    let log = format!("Device name: another\nMain Registers:\nixSQ_WAVE_PC_LO: 44aa5604 | ixSQ_WAVE_PC_HI: 00008000 |\nGRBM_STATUS <- 0x1\n{hang}");
    let input = read(format!("{}\nLast 60 lines of dmesg:\n\n{log}\nDevice name: this one\n", buffer("GFX", &parts)).as_bytes());
    assert_eq!(input.facts.iter().filter(|(name, _)| *name == "device").map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["this one"]);
    let facts = input.hang.as_ref().expect("marks");
    assert!(facts.waves.is_empty() && facts.blocks.is_empty() && timeout(&input).is_some(), "{facts:?} {:?}", input.events);
    // Text that umr could not read is not a wave.
    let none = explained(&read((buffer("GFX", &parts_of_a_draw()) + "UMR GFX waves:\n\nfailed to open debugfs\n").as_bytes()));
    assert!(!none.contains("umr looked"), "{none}");
}

fn parts_of_a_draw() -> [String; 3] {
    [mark("", 1, LAST), draw(""), mark("", 2, NOT)]
}

/// Mesa prints the offset of a register if it has no name for it on the generation, and states the firmware.
#[test]
fn registers_without_names_and_the_firmware_of_a_report_are_read() {
    let registers = "Memory-mapped registers:\n        0x08680 <- 0x80038600\n        0x08674 <- 0x00000000\n        0x08678 <- 0x00018000\n";
    let info = "CP info:\n    me_fw_version = 2380\n    me_fw_feature = 29\n    mec_fw_version = 2590\n    pfp_fw_version = 2520\n    family_id = 145\n    chip_external_rev = 32\n";
    let input = read((buffer("GFX", &[draw("")]) + registers + info).as_bytes());
    let hang = input.hang.as_ref().expect("registers");
    assert_eq!((hang.register(&["gfx"], "CP_STALLED_STAT2"), hang.register(&["gfx"], "CP_STAT")), (Some(0x0001_8000), Some(0x8003_8600)));
    let firmware = input.firmware;
    assert_eq!((firmware.me, firmware.me_feature, firmware.pfp, firmware.mec), (Some(2380), Some(29), Some(2520), Some(2590)));
    assert!(explained(&input).contains("ME waits for a partial flush"));
    let fault = "Failing VM page: 0x80012f6000\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x601430\n\t CLIENT_ID: (SQC (data)) 0xa\n\t MORE_FAULTS: 0\n";
    let input = read((buffer("GFX", &[draw("")]) + fault).as_bytes());
    assert_eq!(input.hang.and_then(|hang| hang.fault).and_then(|fault| fault.client).as_deref(), Some("SQC (data)"));
}

/// The data that VK_EXT_device_fault gives an application is a report after a header; unread parts are named.
#[test]
fn the_report_of_a_vulkan_application_is_read_after_its_header() {
    let report = buffer("GFX", &[draw("")])
        + "\n========== pipeline ==========\nx <- 1\n\n========== gpu_info ==========\nfamily_id = 145\nchip_external_rev = 1\n\n========== dmesg ==========\nno\n";
    let bytes = samples::radv_binary(report.as_bytes());
    for form in [None, Some(InputForm::Mesa)] {
        let input = Source::open(bytes.as_slice(), form).and_then(Source::load).expect("a report");
        assert_eq!(
            (input.form, input.chip, buffers(&input), input.damage.len()),
            (InputForm::Mesa, Some(Chip::Navi31), vec![(BufferUse::Submitted, None, &DRAW[..])], 0)
        );
        assert!(says(&input, "not read: pipeline") && !says(&input, "pipeline, dmesg"), "{:?}", input.remarks);
        assert_eq!(input.buffers[0].queue, Some(Queue::Graphics));
    }
}

/// Each unread part of a report is named once, and of very many parts only the first.
#[test]
fn parts_of_a_report_that_are_not_read_are_named_once() {
    let report = |titles: &[String]| {
        let parts: String = titles.iter().map(|title| format!("========== {title} ==========\nx\n")).collect();
        read(format!("========== RADV GPU hang report ==========\n{}{parts}", buffer("GFX", &[draw("")])).as_bytes())
    };
    assert!(says(&report(&["shaders", "pipeline", "shaders"].map(String::from)), "not read: shaders, pipeline"));
    let many = report(&(0..100).map(|n| format!("part {n}")).collect::<Vec<_>>());
    let message = many.remarks.iter().map(ToString::to_string).find(|remark| remark.contains("not read")).expect("a remark");
    assert!(message.ends_with("part 14, part 15 and 84 more"), "{message}");
}

/// A second dump without its title begins at the repetition of a line that a kernel prints once.
#[test]
fn a_second_coredump_without_its_title_is_not_mixed_with_the_first() {
    let ring = |word: u32| {
        format!(
            "Ring buffer information\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 0\nRing size in dwords: 1\nRing contents\n0x0 \t {word:#x}\nVRAM lost check is skipped!\n"
        )
    };
    let dump = |word: u32| format!("IP Dump\nIP: gfx_v11_0\nregGRBM_STATUS \t {word:#010x}\n{}IB #0 0x1000 1 dw\n{word:#010x}\n", ring(word));
    let first = format!("**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nRing timed out details\nIP Type: 0 Ring Name: gfx_0.0.0\n{}", dump(0xFFFF_1000));
    let alone = read(first.as_bytes());
    assert_eq!(alone.damage, []);
    let second = dump(0x8000_0000);
    for cut in ["IP Dump", "Ring buffer", "ring name", "IB #0"] {
        let second = &second[second.find(cut).expect("a line")..];
        let input = read(format!("{first}{second}").as_bytes());
        assert_eq!((&input.buffers, &input.hang), (&alone.buffers, &alone.hang), "{cut}");
        assert_eq!(
            input.damage.iter().map(|remark| remark.place).collect::<Vec<_>>(),
            [InputPlace::Line(first.lines().count() + 1)],
            "{cut}: {:?}",
            input.damage
        );
        assert!(says(&input, "a second dump begins"), "{cut}");
    }
    // The first dump ends within its rings, or before the first of them.
    for cut in ["VRAM lost", "ring name"] {
        let (within, _) = first.split_once(cut).expect("a line");
        let input = read(format!("{within}{second}").as_bytes());
        let begins = input.damage.iter().find(|remark| remark.message.contains("a second dump begins")).expect("a remark");
        assert_eq!(begins.place, InputPlace::Line(within.lines().count() + 1), "{cut}");
    }
}

/// A torn word of a buffer is reported with its buffer, whichever buffer follows.
#[test]
fn torn_words_are_told_for_each_buffer_of_a_coredump() {
    let buffer = |n: usize, last: &str| format!("IB #{n} 0x{n}000 2 dw\n0xffff1000\n{last}\n");
    let head = "**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.0.0\n";
    let input = read(format!("{head}{}{}{}", buffer(0, "0xffff"), buffer(1, "0xfff"), buffer(2, "0xffff1000")).as_bytes());
    let torn: Vec<_> = input.damage.iter().filter(|remark| remark.message.contains("is not a word")).map(|remark| remark.place).collect();
    assert_eq!(torn, [InputPlace::Line(5), InputPlace::Line(8)], "{:?}", input.damage);
}

/// Each head of a coredump is looked up once. Comparing each with all earlier ones took many minutes on these dumps.
#[test]
fn heads_of_a_coredump_are_not_compared_with_each_other() {
    const HEADS: usize = if cfg!(debug_assertions) { 1 << 16 } else { 1 << 19 };
    for head in ["IB #", "ring name: ", "Ring buffer information"] {
        let mut dump = String::from("**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.0.0\n");
        for at in 0..HEADS {
            match head {
                "IB #" => writeln!(dump, "IB #{at} 0x1000 1 dw\n0xffff1000"),
                "ring name: " => writeln!(dump, "ring name: gfx_0.0.{at}"),
                _ => writeln!(dump, "ring name: gfx_0.0.{at}\nRing buffer information"),
            }
            .expect("a string takes all");
        }
        dump += "IB #last 0x1000 1 dw\n0xffff1000\n";
        let input = read(dump.as_bytes());
        assert!(!says(&input, "a second dump begins"), "{head}");
        assert_eq!(input.buffers.len(), HEADS + 1, "{head}");
    }
}

/// Packets of SDMA are not decoded, but neighbouring words that may be an address near the page of a fault are named.
#[test]
fn words_of_other_engines_near_the_page_of_a_fault_are_named() {
    let dump = |low: u32| {
        format!(
            "**** AMDGPU Device Coredump ****\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 2 Ring Name: sdma0\n[gfxhub] Page fault observed\nFaulty page starting at address: 0x0000800100300000\n\
         Protection fault status register: 0x101031\nIB #0 0x800140200000 6 dw\n0x00000001\n0x00000fff\n0x00000000\n{low:#010x}\n0x00008001\n0x00000000\n"
        )
    };
    let text = explained(&read(dump(0x0030_0000).as_bytes()));
    assert!(text.contains("0x800100300000 is in the page: the words at dwords 3 and 4 of IB #0, if they are an address"), "{text}");
    let text = explained(&read(dump(0xF030_0000).as_bytes()));
    assert!(text.contains("only pairs of neighbouring words were compared with the page"), "{text}");
}

/// Input without a command stream is refused with the name of its form, and the message states what to do.
#[test]
fn captures_archives_and_parts_of_reports_are_refused_with_advice() {
    let tar = [&[0x61; 257][..], b"ustar", &[0; 300]].concat();
    for (bytes, looks_like, advice) in [
        (&b"B00P\x01\0\0\0\x05\0\0\0"[..], "Radeon GPU Profiler", "no command streams"),
        (b"AMD_RDF \x03\0\0\0\0\0\0\0", "Radeon developer tools", "no command streams"),
        (&tar, "a tar archive", "tar -x"),
        (b"\x28\xB5\x2F\xFD\x04\0", "zstd", "zstd -d"),
        (b"MDMP\x93\xA7\0\0", "minidump", "what the kernel or the driver dumped"),
        (b"ProblemType: Crash\nArchitecture: amd64\nCoreDump: base64\n H4sICAAAAAAC/0Nv\n", "apport", "apport-unpack"),
        (b"PK\x03\x04\x14\0\0\0", "a zip archive", "unzip"),
        (b"7z\xBC\xAF\x27\x1C\0\x04", "a 7z archive", "7z x"),
        (b"Memory-mapped registers:\n        GRBM_STATUS <- 0xa0003028\n", "of radeonsi", "trace.log; of radeonsi give the whole file"),
        (b"Main Registers:\nixSQ_WAVE_STATUS: 08010100 | ixSQ_WAVE_PC_LO: 44aa5604 | \n", "waves as umr prints them", "umr -RS"),
        (b"timestamp=1, VA=0000800100000000-0000800100001000, destroyed=0, is_virtual=0\n", "a report of RADV_DEBUG=hang", "trace.log"),
    ] {
        let error = open(bytes).expect_err(looks_like).to_string();
        assert!(error.contains(looks_like) && error.contains(advice), "{error}");
    }
    // A page fault is useful by itself.
    let fault = read(b"VM fault report.\n\nFailing VM page: 0x80012f6000\n");
    assert!(fault.form == InputForm::KernelLog && fault.events.len() == 1, "{fault:?}");
}

/// A part of a ring begins anywhere and may end within a packet, whose length shows it; nothing lies past the last address.
#[test]
fn a_part_of_umr_says_how_long_its_last_packet_is_and_where_it_lies() {
    let line = |vmid: u32, base: u64, at: usize, word: u32, behind: &str| format!("[{vmid:#x}@0x{base:08x} + 0x{at:04x}]\t[        0x{word:08x}]\t{behind}\n");
    let part = |vmid, base| {
        line(vmid, base, 0x14, 0xC000_4600, "Opcode 0x46 [PKT3_EVENT_WRITE] (1 words, type: 3, hdr: 0xc0004600)")
            + &line(vmid, base, 0x18, 14, "|---> EVENT_TYPE=14")
            + &line(vmid, base, 0x1C, 0xC003_1502, "Opcode 0x15 [PKT3_DISPATCH_DIRECT] (4 words, type: 3, hdr: 0xc0031502)")
    };
    let ring = read(part(0, 0x1800).as_bytes());
    assert_eq!((ring.buffers[0].words.len(), ring.buffers[0].expected_dwords, ring.buffers[0].addr), (3, Some(7), None));
    for (base, addr) in [(0x8000_A100, Some(0x8000_A114)), (u64::MAX - 0x13, None), (u64::MAX - 3, None)] {
        assert_eq!(read(part(3, base).as_bytes()).buffers[0].addr, addr, "{base:#x}");
    }
}

/// umr prints no line for some words: their packets are shown as far as known, and no rule checks them. A part of a ring begins anywhere.
#[test]
fn words_that_umr_does_not_print_are_unknown() {
    let line = |at: usize, word: u32, behind: &str| format!("[0x3@0x8000a100 + 0x{at:04x}]\t[        0x{word:08x}]\t{behind}\n");
    let dispatch = line(0, 0xC003_1502, "Opcode 0x15 [PKT3_DISPATCH_DIRECT] (4 words, type: 3, hdr: 0xc0031502)")
        + &line(4, 30, "|---> DIM_X=30")
        + &line(8, 17, "|---> DIM_Y=17")
        + &line(12, 1, "|---> DIM_Z=1");
    let event = line(20, 0xC000_4600, "Opcode 0x46 [PKT3_EVENT_WRITE] (1 words, type: 3, hdr: 0xc0004600)") + &line(24, 14, "|---> EVENT_TYPE=14");
    let run = |text: &str| {
        let input = read(text.as_bytes());
        let mut cp = pm4::cp::CommandProcessor::new(Chip::Navi31);
        input.submit(&mut cp);
        let summary = cp.run(&mut ());
        ((summary.packets, summary.dispatches, summary.findings()), input)
    };
    let head = "Decoding IB at 0x3@0x8000a100 from 0x0@0x28 of 7 words (type 4)\n";
    let (summary, input) = run(&format!("{head}{dispatch}{event}"));
    assert_eq!((summary, input.buffers[0].unknown.as_slice()), ((2, 1, 0), std::slice::from_ref(&(4..5))));
    // A line of a header is missing: the rest is known from the next one on.
    let (summary, input) = run(&format!("{head}{}", event.clone() + &event.replace("0014]", "0020]").replace("0018]", "0024]")));
    assert_eq!((summary.2, input.buffers[0].words[5], input.buffers[0].unknown.as_slice()), (0, 0xC000_4600, &[0..5, 7..8][..]));
    // Without the head of a buffer, the words before its first line are missing.
    let (summary, input) = run(&event);
    assert_eq!((summary, input.buffers[0].words.len(), input.buffers[0].addr), ((1, 0, 0), 2, Some(0x8000_A114)));
    // A version of a graphics core is not an LLVM name.
    let (_, input) = run(&(event + &line(28, 0xC001_7900, "Opcode 0x79 [PKT3_SET_UCONFIG_REG]") + &line(36, 32, "|---> gfx1033.mmCP_COHER_START_DELAY=0x20")));
    assert_eq!((input.chip, input.buffers[0].unknown.len()), (Some(Chip::Rembrandt), 0));
}
