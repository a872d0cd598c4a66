//! Complete hang reports: small dumps of a kernel, each with one additional fact. The texts are in `golden/report/`.
use crate::golden;
use golden::{Parts, Random};
use pm4::chip::{Chip, Gfx};
use pm4::cp::{BufferId, CommandProcessor};
use pm4::hang::{self, Confidence, CpEngine, HangReport};
use pm4::input::{BufferUse, Input, Source};
use pm4::packet::Queue;
use pm4::report::{OutputFormat, ReportOptions, ReportPart};

const ADDR: u64 = 0x8001_0020_0000;

/// Words of a job; the comments give the offset of each packet in dwords.
const JOB: [u32; 22] = [
    0xC001_6900,
    0x203,
    0x10, // 0: SET_CONTEXT_REG DB_SHADER_CONTROL
    0xC001_2D00,
    3,
    2, // 3: DRAW_INDEX_AUTO
    0xC000_4600,
    0x410, // 6: EVENT_WRITE
    0xC001_7600,
    0x8,
    0x1234, // 8: SET_SH_REG SPI_SHADER_PGM_LO_PS
    0xC001_2D00,
    6,
    2, // 11: DRAW_INDEX_AUTO
    0xC000_4200,
    0, // 14: PFP_SYNC_ME
    0xC003_3700,
    0x500,
    0x3000,
    0x8001,
    7,           // 16: WRITE_DATA
    0xFFFF_1000, // 21: NOP
];

/// A dump of these registers, and of a job.
fn dump(core: &str, queue: &str, job: &[u32], more: &str) -> String {
    let words: String = job.iter().map(|word| format!("0x{word:08x}\n")).collect();
    let job = if job.is_empty() { String::new() } else { format!("IB #0 0x{ADDR:x} {} dw\n{words}", job.len()) };
    format!(
        "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nprocess_name: vkcube TGID: 1\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\n{more}IP: gfx_v11_0\n{core}\
         me 0, pipe 0, queue 0\n{queue}{job}"
    )
}

fn read(text: &str) -> Input {
    Source::open(text.as_bytes(), None).and_then(Source::load).unwrap_or_else(|error| panic!("{error}"))
}

fn explained(input: &Input, options: ReportOptions) -> String {
    let mut cp = CommandProcessor::new(Chip::Navi31);
    let ids: Vec<Option<BufferId>> = input
        .buffers
        .iter()
        .map(|buffer| {
            (buffer.usage == BufferUse::Submitted).then(|| cp.submit_at(Queue::Graphics, &buffer.name, buffer.addr.unwrap_or(ADDR), buffer.complete()))
        })
        .collect();
    let hang = HangReport::new(input, &ids, Gfx::Gfx11);
    let mut out = Vec::new();
    hang::run(&mut out, &mut cp, &[], ReportOptions { only: ReportPart::Nothing, ..options }, &hang, &mut ()).expect("memory takes everything");
    let text = String::from_utf8(out).expect("UTF-8");
    // The state of the draw is tested elsewhere (report_texts).
    text.split("\npackets since").next().unwrap_or_default().to_owned()
}

/// A header queue, in reading order.
fn headers(name: &str, list: &[u32]) -> String {
    list.iter().map(|header| format!("reg{name} 0x{header:08x}\n")).collect()
}

/// A header queue as GFX11 shows it, from packets in their order: the newest is read first.
fn newest_first(name: &str, list: &[u32]) -> String {
    headers(name, &list.iter().rev().copied().collect::<Vec<_>>())
}

const FETCHED_ALL: &str = "regCP_IB1_BASE_LO 0x00200000\nregCP_IB1_BASE_HI 0x00008001\nregCP_IB1_BUFSZ 0x00000000\n";

#[test]
fn hang_reports_match_the_golden_file() {
    let me = newest_first("CP_ME_HEADER_DUMP", &[0xC001_6900, 0xC001_2D00, 0xC000_4600, 0xC001_7600, 0xC001_2D00]);
    let pfp = newest_first("CP_PFP_HEADER_DUMP", &[0xC001_2D00, 0xC000_4600, 0xC001_7600, 0xC001_2D00, 0xC000_4200, 0xC003_3700]);
    let fault = |address: u64, status: u32| {
        format!("[gfxhub] Page fault observed\nFaulty page starting at address: 0x{address:016x}\nProtection fault status register: 0x{status:x}\n")
    };
    let stalled = "regGRBM_STATUS 0xa0003028\nregCP_STALLED_STAT2 0x00208000\nregCP_GFX_ERROR 0x00200002\n";
    let left = FETCHED_ALL.replace("0x00000000", "0x00000005");
    let cases = [
        ("nothing", dump("", "", &[], "")),
        ("a job and no registers", dump("", "", &JOB, "")),
        ("registers that hold nothing", dump("regGRBM_STATUS 0x00000000\n", FETCHED_ALL, &[], "")),
        ("waits, busy parts and errors", dump(stalled, "", &JOB, "")),
        ("what was fetched", dump(stalled, &left, &JOB, "")),
        ("what was fetched, more than there is", dump(stalled, &FETCHED_ALL.replace("0x00000000", "0x00000017"), &JOB, "")),
        ("a buffer that was not dumped", dump(stalled, &FETCHED_ALL.replace("0x00200000", "0x00300000"), &JOB, "")),
        ("the queue of ME", dump(stalled, &format!("{me}{FETCHED_ALL}"), &JOB, "")),
        ("the queues of ME and PFP", dump(stalled, &format!("{pfp}{me}{left}"), &JOB, "")),
        ("a queue of draws that look alike", dump(stalled, &headers("CP_ME_HEADER_DUMP", &[0xC001_2D00]), &JOB, "")),
        ("a queue that fits nowhere", dump(stalled, &headers("CP_ME_HEADER_DUMP", &[0xC001_2D02, 0xC001_1000]), &JOB, "")),
        ("a page fault at an address of the stream", dump(stalled, &me, &JOB, &fault(0x8001_0000_3000, 0x10_1131))),
        ("a page fault before an address of the stream", dump(stalled, &me, &JOB, &fault(0x8001_0000_1000, 0x10_1131))),
        ("a page fault behind an address of the stream", dump(stalled, &me, &JOB, &fault(0x8001_0000_5000, 0))),
        ("a page fault at a program of the draw", dump(stalled, &me, &JOB, &fault(0x12_3000, 0x10_1131))),
        ("a page fault in the job", dump(stalled, &me, &JOB, &fault(ADDR, 0x10_1131))),
        ("a page fault at page 0", dump(stalled, &me, &JOB, &fault(0, 0x10_1131))),
        ("a page fault far from everything", dump(stalled, &me, &JOB, &fault(0x7000_0000_0000, 0x10_1131))),
    ];
    let mut parts = Parts::default();
    for (title, text) in &cases {
        let input = read(text);
        parts.add(title, &explained(&input, ReportOptions::default()));
    }
    let all = read(&cases[11].1);
    parts.add("in colour", &explained(&all, ReportOptions { color: true, ..ReportOptions::default() }));
    for (title, text) in [&cases[0], &cases[4], &cases[8], &cases[9], &cases[10], &cases[11]] {
        parts.add(&format!("{title}, as a record"), &explained(&read(text), ReportOptions { format: OutputFormat::Json, ..ReportOptions::default() }));
    }
    parts.assert("report/hangs.txt");
}

/// A page fault is described by its distance from addresses: in the page, up to 256 MiB after or before it, and no further.
#[test]
fn addresses_are_near_a_page_within_256_mib() {
    const NEAR: u64 = 1 << 28;
    const WRITTEN: u64 = 0x8001_0000_3000;
    let told = |page: u64| {
        let text = dump("regGRBM_STATUS 0xa0003028\n", "", &JOB, &format!("Faulty page starting at address: 0x{page:016x}\n"));
        explained(&read(&text), ReportOptions::default())
    };
    for (page, wanted) in [
        (WRITTEN, Some("0x800100003000 is in the page: dst_mem_addr of WRITE_DATA (IB #0 dword 16".to_owned())),
        (WRITTEN - 0xFFC, Some("0x800100003000 is in the page: dst_mem_addr of WRITE_DATA (IB #0 dword 16".to_owned())),
        (WRITTEN - 0x1000, Some("the page ends 0x0 bytes before 0x800100003000, the address in dst_mem_addr of WRITE_DATA (IB #0 dword 16".to_owned())),
        (WRITTEN + 4, Some("the page begins 0x4 bytes after 0x800100003000, the address in dst_mem_addr of WRITE_DATA (IB #0 dword 16".to_owned())),
        (WRITTEN + NEAR, Some(format!("the page begins 0x{NEAR:x} bytes after 0x800100003000"))),
        (WRITTEN + NEAR + 1, None),
        (WRITTEN - 0x1000 - NEAR + 1, Some(format!("the page ends 0x{:x} bytes before 0x800100003000", NEAR - 1))),
        (WRITTEN - 0x1000 - NEAR, None),
    ] {
        let text = told(page);
        match wanted {
            Some(wanted) => assert!(text.contains(&wanted), "0x{page:x}: {wanted:?} is not in\n{text}"),
            None => assert!(text.contains("no address in the packets, registers or descriptors of the dump is near the page"), "0x{page:x}:\n{text}"),
        }
    }
    // The job itself has 88 bytes: the pages of its first and of its last byte contain it.
    for (page, inside) in [(ADDR, true), (ADDR - 0xFFF, true), (ADDR - 0x1000, false), (ADDR + 87, true), (ADDR + 88, false)] {
        assert_eq!(told(page).contains("the page is in IB #0, at dword "), inside, "0x{page:x}");
    }
    assert!(told(ADDR + 8).contains("the page is in IB #0, at dword 2: the command processor or a shader (it is not known which) could not reach it"));
}

/// A program register with the value 0 contains no address: the report does not name it as near page 0.
#[test]
fn registers_that_hold_no_address_are_not_near_page_0() {
    let told = |page: u64, program: u32| {
        let me = headers("CP_ME_HEADER_DUMP", &[0xC001_2D00]);
        let words = [0xC001_7600, 8, program, 0xC001_2D00, 3, 2];
        let fault = "[gfxhub] Page fault observed\n";
        let text = dump(
            "regGRBM_STATUS 0xa0003028\n",
            &me,
            &words,
            &format!("{fault}Faulty page starting at address: 0x{page:016x}\nProtection fault status register: 0x101131\n"),
        );
        explained(&read(&text), ReportOptions::default())
    };
    let text = told(0x12000, 0x123);
    assert!(text.contains("0x000000012300 is in the page: SPI_SHADER_PGM_LO_PS"), "{text}");
    let text = told(0, 0);
    assert!(text.contains("page 0: an address that was never set") && !text.contains("is in the page"), "{text}");
}

/// Four words in mapped memory at a pointer in user data, if they are a buffer descriptor: base, stride and records give the covered range.
#[test]
fn descriptors_behind_user_data_cover_a_page_up_to_their_last_byte() {
    // USER_DATA_0 of the pixel shader points to dword 5 of the job, the only available memory: a descriptor in a NOP.
    let told = |page: u64, stride: u32, records: u32| {
        let words = [0xC001_7600, 0xC, ADDR as u32 + 20, 0xC004_1000, 0, 0x5000_0000, 0x6001 | stride << 16, records, 0, 0xC001_2D00, 3, 2];
        let me = headers("CP_ME_HEADER_DUMP", &[0xC001_2D00]);
        let text = dump("regGRBM_STATUS 0xa0003028\n", &me, &words, &format!("Faulty page starting at address: 0x{page:016x}\n"));
        explained(&read(&text), ReportOptions::default())
    };
    let base = 0x6001_5000_0000u64;
    for (stride, records, bytes) in [(0, 0x100, 0x100), (16, 0x100, 0x1000), (1, 1, 1)] {
        for (page, covered) in [(base, true), (base + bytes - 1, true), (base + bytes, false), (base - 1, false)] {
            let text = told(page, stride, records);
            let wanted = format!(
                "points to IB #0 dword 5. If the words at dword 5 are a buffer descriptor, its buffer covers the page: 0x{bytes:x} bytes from 0x{base:012x}"
            );
            assert_eq!(text.contains(&wanted), covered, "page 0x{page:x}, stride {stride}, {records} records:\n{text}");
        }
    }
}

/// Descriptors in a table are adjacent.
#[test]
fn the_second_descriptor_of_a_table_is_found_too() {
    let words = [0xC001_7600, 0xC, ADDR as u32 + 20, 0xC008_1000, 0, 0, 0, 0, 0, 0x5000_0000, 0x6001, 0x100, 0, 0xC001_2D00, 3, 2];
    let me = headers("CP_ME_HEADER_DUMP", &[0xC001_2D00]);
    let text = dump("regGRBM_STATUS 0xa0003028\n", &me, &words, "Faulty page starting at address: 0x0000600150000000\n");
    let explained = explained(&read(&text), ReportOptions::default());
    assert!(explained.contains("If the words at dword 9 are a buffer descriptor"), "{explained}");
}

/// The certainty of a position: how many consecutive headers match, and in which order they were read.
#[test]
fn the_more_headers_fit_the_surer_a_position_is() {
    // Each packet has a different length, so that each header is unique.
    let job: Vec<u32> = (1..=12u32).flat_map(|n| [&[0xC000_1000 | (n - 1) << 16][..], &vec![0; n as usize]].concat()).collect();
    let header = |n: u32| 0xC000_1000 | (n - 1) << 16;
    let at = |n: u32| (1..n).map(|n| n as usize + 1).sum::<usize>();
    let stood = |list: &[u32], queue: &str| {
        let text = dump("regGRBM_STATUS 0xa0003028\n", &(headers("CP_ME_HEADER_DUMP", list) + queue), &job, "");
        let input = read(&text);
        let hang = HangReport::new(&input, &[], Gfx::Gfx11);
        let me = hang.positions.iter().find(|position| position.engine == CpEngine::Me).expect("ME has a queue").clone();
        (me.candidates.first().map(|place| place.dword), me.fitting, me.confidence)
    };
    let natural: Vec<u32> = (2..=9).map(header).collect();
    // No dump of GFX11 shows the oldest entry first.
    assert_eq!(stood(&natural, ""), (Some(at(9)), 1, Confidence::Medium));
    let backwards: Vec<u32> = natural.iter().rev().copied().collect();
    assert_eq!(stood(&backwards, ""), (Some(at(9)), 1, Confidence::High), "backwards");
    for by in 1..8 {
        let mut rotated = natural.clone();
        rotated.rotate_left(by);
        assert_eq!(stood(&rotated, "").0, Some(at(9)), "rotated by {by}");
        let mut rotated = backwards.clone();
        rotated.rotate_left(by);
        assert_eq!(stood(&rotated, "").0, Some(at(9)), "backwards and rotated by {by}");
    }
    // Entries that were never filled do not count, and an unknown header at the old end reduces the certainty.
    assert_eq!(stood(&[0, 0, 0, header(2), header(3), header(4), header(5), header(6)], "").0, Some(at(6)));
    let stranger = [0xC033_2200, header(3), header(4), header(5), header(6), header(7), header(8), header(9)];
    let (dword, _, confidence) = stood(&stranger, "");
    assert!(dword == Some(at(9)) && confidence <= Confidence::High);
    let (_, fitting, confidence) = stood(&[header(5)], "");
    assert!(fitting == 1 && confidence < Confidence::High, "one header is a hint");
}

/// Header queues as a Navi32 shows them (two device coredumps of Linux 7.3-rc1): the newest entry first, SET_CONTEXT_REG_PAIRS_PACKED as 0xB6 in that of ME,
/// and unfilled entries as 0xdef0def0 and similar.
#[test]
fn header_queues_are_read_from_the_newest_entry_on() {
    let (set, pairs, sh, event) = ([0xC002_6900, 0x2F5, 0, 0], [0xC003_B904, 2, 0x0293_01B8, 0, 0x7602_01BC], [0xC001_7600, 0x8C, 0], [0xC000_4600, 0x407]);
    let (release, acquire) = ([0xC006_4900, 0xC070_F514, 0, 0, 0, 0, 0, 0], [0xC006_5800, 0x22000, 0, 0, 0, 0, 0x8000_0000, 0x10000]);
    let job = [&set[..], &pairs, &sh, &sh, &sh, &event, &event, &release, &acquire, &[0xC000_4200, 0]].concat();
    let pfp = headers("CP_PFP_HEADER_DUMP", &[0xC006_5800, 0xC006_4900, 0xC000_4600, 0xC000_4600, 0xC001_7600, 0xC001_7600, 0xC001_7600, 0xC003_B904]);
    let me = headers("CP_ME_HEADER_DUMP", &[0xC006_4900, 0xC000_4600, 0xC000_4600, 0xC001_7600, 0xC001_7600, 0xC001_7600, 0xC003_B604, 0xC002_6900]);
    let positions = |queues: &str, job: &[u32]| {
        let input = read(&dump("regGRBM_STATUS 0xa0003028\n", queues, job, ""));
        let hang = HangReport::new(&input, &[], Gfx::Gfx11);
        hang.positions.iter().map(|at| (at.engine, at.candidates.first().map(|place| place.dword), at.fitting, at.confidence)).collect::<Vec<_>>()
    };
    let (at_release, at_acquire) = (22, 30);
    let both = [(CpEngine::Pfp, Some(at_acquire), 1, Confidence::High), (CpEngine::Me, Some(at_release), 1, Confidence::High)];
    assert_eq!(positions(&(pfp + &me), &job), both);
    // A position that matches only if the oldest entry is read first is less likely, even if it is later.
    let three = headers("CP_ME_HEADER_DUMP", &[0xC006_4900, 0xC000_4600, 0xC001_7600]);
    let later = [&sh[..], &event, &release, &event, &sh, &acquire].concat();
    let (_, first, fitting, confidence) = positions(&three, &later)[0];
    assert_eq!((first, fitting, confidence), (Some(5), 2, Confidence::Low));
    // The report names the order of the chosen position, here the second that matches.
    let text = explained(&read(&dump("regGRBM_STATUS 0xa0003028\n", &three, &later, "")), ReportOptions::default());
    assert!(text.contains("3 of 3 headers in the order of the stream (newest entry read first; no AMD document states the order); 2 places fit"), "{text}");
    // No dump of GFX11.5 shows an order: there the latest position is the likeliest.
    let input = read(&dump("regGRBM_STATUS 0xa0003028\n", &three, &later, ""));
    let hang = HangReport::new(&input, &[], Gfx::Gfx115);
    assert!(hang.positions[0].by.contains("(oldest entry read first;") && hang.positions[0].candidates[0].dword > 5, "{:?}", hang.positions);
    // Three packets since the start, and none.
    let filled = headers("CP_ME_HEADER_DUMP", &[0xC006_4900, 0xC000_4600, 0xC000_4600, 0xDEF0_DEF0, 0xDEF1_DEF1, 0xDEF2_DEF2, 0xDEF3_DEF3, 0xDEF4_DEF4]);
    assert_eq!(positions(&filled, &job), [(CpEngine::Me, Some(at_release), 1, Confidence::Low)]);
    let none = headers("CP_ME_HEADER_DUMP", &(0..8).map(|n| 0xDEF0_DEF0 + 0x1_0001 * n).collect::<Vec<_>>());
    let text = explained(&read(&dump("regGRBM_STATUS 0xa0003028\n", &none, &job, "")), ReportOptions::default());
    assert!(text.contains("ME: not found; its header queue holds only what it holds after a start"), "{text}");
}

/// Of many positions that match a header queue, the five likeliest are listed and the others are counted. For a single header, the sentence states how many
/// packets have it.
#[test]
fn places_that_are_not_listed_are_counted() {
    let (draw, event) = ([0xC001_2D00, 3, 2], [0xC000_4600, 0x410]);
    let job = [&draw[..], &event].concat().repeat(8);
    for (list, fitting, more) in [
        (&[0xC000_4600][..], "the one header that was read: 8 packets have this header", None),
        (&[0xC000_4600, 0xC001_2D00], "2 of 2 headers in the order of the stream", Some(10)),
        (&[0xC000_4600, 0xC001_2D00, 0xC000_4600], "3 of 3 headers in the order of the stream", Some(2)),
    ] {
        let text = explained(&read(&dump("regGRBM_STATUS 0xa0003028\n", &headers("CP_ME_HEADER_DUMP", list), &job, "")), ReportOptions::default());
        assert!(text.contains(fitting) && text.matches("      or IB #0 dword ").count() == 4, "{list:x?}: {text}");
        let told = text.split_once(" more\n").and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
        assert_eq!(told, more, "{list:x?}: {text}");
    }
}

/// Small dumps with large demands: thousands of headers, of register blocks, and of packets that a queue may lack, and a job without a limit on its stated
/// size.
/// Without limits these take gigabytes or minutes.
#[test]
fn a_dump_of_thousands_of_equal_lines_is_explained() {
    let newest = |list: &[u32], job: &[u32], core: &str| {
        let input = read(&dump(core, &headers("CP_ME_HEADER_DUMP", list), job, ""));
        let hang = HangReport::new(&input, &[], Gfx::Gfx11);
        hang.positions.iter().find(|position| position.engine == CpEngine::Me).map(|me| (me.candidates.first().map(|place| place.dword), me.fitting))
    };
    let stalled = "regGRBM_STATUS 0xa0003028\n";
    let draws: Vec<u32> = (0..32_000).map(|n| 0xC001_2D00 + n % 8).collect();
    assert!(newest(&draws, &JOB, stalled).is_some());
    let blocks: String = (0..6000).map(|n| format!("IP: gfx_v11_{n}\nregA{n} 0x1\n")).collect();
    assert!(newest(&[0xC000_4600], &JOB, &(stalled.to_owned() + &blocks)).is_some());
    // Of the packets that only PFP executes, a queue of ME may lack some, but not thousands.
    let skipped = [[0xC001_2D00, 3, 2].as_slice(), &[0xC000_4200, 0].repeat(40_000), &[0xC000_4600, 0x410]].concat();
    let (dword, fitting) = newest(&[0xC001_2D00, 0xC000_4200], &skipped, stalled).expect("ME has a queue");
    assert_eq!((dword, fitting), (Some(3 + 2 * 256), 257), "those that have no more than 256 of them between the draw and themselves, the last one first");
    let fault = format!("[gfxhub] Page fault observed\nFaulty page starting at address: 0x{ADDR:016x}\nProtection fault status register: 0x0\n");
    let endless = dump(stalled, "", &JOB, &fault).replace(&format!("{} dw", JOB.len()), "4611686018427387904 dw");
    let input = read(&endless);
    assert!(explained(&input, ReportOptions::default()).contains("the page is in IB #0"), "{endless}");
}

/// A dump of another ring: the kernel's lines about it, and the block of its queue.
fn on(said: &str, block: &str, text: &str) -> String {
    text.replace("IP Type: 0 Ring Name: gfx_0.0.0", said).replace("me 0, pipe 0, queue 0", block)
}

/// SDMA, video and similar rings do not run PM4: words of their jobs are shown, and neither findings nor registers of the command processor explain the hang.
#[test]
fn a_job_that_is_not_pm4_is_shown_and_not_run() {
    // Constant fill and copies of SDMA: as PM4 they would be packets of type 0.
    let job = [1, 0xFFFF, 0, 0x1000, 0x8001, 0x2000, 0x8001, 5, 0x3000, 0x8001, 7, 0, 0, 0, 0, 0];
    let core = "regGRBM_STATUS 0xa0003028\nregCP_STALLED_STAT2 0x0000c000\nregCP_CPC_STALLED_STAT1 0x00000500\nregCP_GFX_ERROR 0x00200002\n";
    let fault = format!("[gfxhub] Page fault observed\nFaulty page starting at address: 0x{ADDR:016x}\nProtection fault status register: 0x1a01\n");
    let me = headers("CP_ME_HEADER_DUMP", &[0x1, 0x0]);
    for (said, ring) in [
        ("IP Type: 2 Ring Name: sdma0", "sdma0"),
        ("IP Type: 3 Ring Name: uvd", "uvd"),
        ("IP Type: 6 Ring Name: vcn_dec_0", "vcn_dec_0"),
        ("IP Type: 8 Ring Name: jpeg_dec_0", "jpeg_dec_0"),
        ("IP Type: 9 Ring Name: vpe", "vpe"),
        ("IP Type: 11 Ring Name: mes_3.0.0", "mes_3.0.0"),
        // The type is torn: the name identifies it.
        ("IP Type: ? Ring Name: sdma1", "sdma1"),
    ] {
        let input = read(&on(said, "me 0, pipe 0, queue 0", &dump(core, &format!("{me}{FETCHED_ALL}"), &job, &fault)));
        let buffer = input.buffers.iter().find(|buffer| buffer.name == "IB #0").expect("the job");
        assert_eq!((buffer.usage, buffer.queue, buffer.words.as_slice()), (BufferUse::OtherEngine, None, &job[..]), "{ring}");
        let remark = |remark: &pm4::input::InputMessage| {
            remark.message.starts_with(&format!("the ring that timed out ({ring})")) && remark.message.ends_with("does not run PM4: look there first")
        };
        assert!(input.remarks.iter().any(remark), "{ring}: {:?}", input.remarks);
        let hang = HangReport::new(&input, &[None], Gfx::Gfx11);
        assert!(hang.positions.is_empty() && hang.fetched.is_none() && hang.stalled().is_none() && !hang.has_job(), "{ring}: {hang:?}");
        let text = explained(&input, ReportOptions::default());
        assert!(text.contains("0 errors, 0 warnings, 0 infos"), "{ring}: {text}");
        for part in [
            &*format!("note: the ring {ring} does not run PM4: its buffers were not executed, no finding is about them"),
            "the page is in IB #0, at dword 0: the SDMA engine (SDMA0) could not read it",
        ] {
            assert!(text.contains(part), "{ring}: {part:?} is not in\n{text}");
        }
        for part in ["ENC-04", "explain it", "ME ", "MEC1", "busy: ", "address translation failed", "does not hold the command buffers"] {
            assert!(!text.contains(part), "{ring}: {part:?} is in\n{text}");
        }
    }
    // Rings that run PM4, by type, and by name if the type is torn.
    for (said, queue) in [
        ("IP Type: 0 Ring Name: gfx_0.0.0", Queue::Graphics),
        ("IP Type: 1 Ring Name: comp_1.0.0", Queue::Compute),
        ("IP Type: 10 Ring Name: kiq_0.2.1.0", Queue::Compute),
        ("IP Type: ? Ring Name: comp_1.0.0", Queue::Compute),
        ("IP Type: ? Ring Name: gfx_0.0.0", Queue::Graphics),
        ("IP Type: 0", Queue::Graphics),
        ("", Queue::Graphics),
    ] {
        let input = read(&on(said, "", &dump(core, "", &JOB, "")));
        let buffer = input.buffers.iter().find(|buffer| buffer.name == "IB #0").expect("the job");
        assert_eq!((buffer.usage, buffer.queue), (BufferUse::Submitted, Some(queue)), "{said}");
        assert!(!input.remarks.iter().any(|remark| remark.message.contains("does not run PM4")), "{said}: {:?}", input.remarks);
    }
}

/// Each bit is reported only if it concerns the engines that run the ring.
#[test]
fn a_wait_is_told_of_the_rings_whose_engines_wait() {
    const GRAPHICS: &str = "IP Type: 0 Ring Name: gfx_0.0.0";
    const MEC1: &str = "IP Type: 1 Ring Name: comp_1.0.0";
    const MEC2: &str = "IP Type: 1 Ring Name: comp_2.0.0";
    const XCC_MEC2: &str = "IP Type: 1 Ring Name: comp_0.2.0.0";
    const KIQ: &str = "IP Type: 10 Ring Name: kiq_2.1.0";
    const SCHEDULER: &str = "IP Type: 10 Ring Name: mes_kiq_3.1.0";
    const SDMA: &str = "IP Type: 2 Ring Name: sdma0";
    const ALL: [&str; 7] = [GRAPHICS, MEC1, MEC2, XCC_MEC2, KIQ, SCHEDULER, SDMA];
    const FIRST: &[&str] = &[MEC1];
    const SECOND: &[&str] = &[MEC2, XCC_MEC2, KIQ];
    const BOTH: &[&str] = &[MEC1, MEC2, XCC_MEC2, KIQ];
    const NOT_COMPUTE: &[&str] = &[GRAPHICS];
    for (register, bit, rings, told) in [
        ("CP_STALLED_STAT1", 26, NOT_COMPUTE, "the register bus interface is stalled by a read of ME"),
        ("CP_STALLED_STAT1", 27, NOT_COMPUTE, "the register bus interface is stalled by a read of DMA"),
        ("CP_STALLED_STAT1", 28, NOT_COMPUTE, "the register bus interface is stalled by a read of the append unit"),
        ("CP_STALLED_STAT2", 1, NOT_COMPUTE, "PFP waits until ME accepts packets (also when ME hangs)"),
        ("CP_STALLED_STAT2", 14, NOT_COMPUTE, "ME has nothing to do"),
        ("CP_STALLED_STAT2", 15, NOT_COMPUTE, "ME waits for a partial flush"),
        ("CP_STALLED_STAT2", 25, NOT_COMPUTE, "the append unit waits for compute shaders to end (CS_DONE): suspect the last dispatch"),
        ("CP_STALLED_STAT2", 26, NOT_COMPUTE, "the append unit waits for pixel shaders to end (PS_DONE): suspect the last draw"),
        ("CP_STALLED_STAT2", 27, NOT_COMPUTE, "the append unit waits for memory to confirm its write"),
        ("CP_STALLED_STAT2", 29, NOT_COMPUTE, "the append unit waits to send its write to memory"),
        ("CP_STALLED_STAT3", 20, NOT_COMPUTE, "the translation of an address does not end"),
        ("CP_CPC_STALLED_STAT1", 3, BOTH, "MEC waits for a free entry of the register bus interface"),
        ("CP_CPC_STALLED_STAT1", 4, BOTH, "a register access of MEC was refused because of its privilege"),
        ("CP_CPC_STALLED_STAT1", 6, BOTH, "MEC waits for a free entry of the memory interface"),
        ("CP_CPC_STALLED_STAT1", 7, BOTH, "MEC waits for tags of the memory interface"),
        ("CP_CPC_STALLED_STAT1", 8, FIRST, "MEC1 is decoding a packet (no wait)"),
        ("CP_CPC_STALLED_STAT1", 9, FIRST, "MEC1 waits for the register bus"),
        ("CP_CPC_STALLED_STAT1", 10, FIRST, "MEC1 waits for a register that it reads"),
        ("CP_CPC_STALLED_STAT1", 13, FIRST, "MEC1 waits for words of a buffer"),
        ("CP_CPC_STALLED_STAT1", 16, SECOND, "MEC2 is decoding a packet (no wait)"),
        ("CP_CPC_STALLED_STAT1", 17, SECOND, "MEC2 waits for the register bus"),
        ("CP_CPC_STALLED_STAT1", 18, SECOND, "MEC2 waits for a register that it reads"),
        ("CP_CPC_STALLED_STAT1", 21, SECOND, "MEC2 waits for words of a buffer"),
        ("CP_CPC_STALLED_STAT1", 22, BOTH, "MEC waits for a free entry of the address translation interface"),
        ("CP_CPC_STALLED_STAT1", 23, BOTH, "MEC waits for tags of the address translation interface"),
        ("CP_CPC_STALLED_STAT1", 24, BOTH, "MEC waits for the translation of an address: its page may not be mapped"),
        ("CP_CPC_STALLED_STAT1", 25, BOTH, "MEC waits for a free entry of the cache operation interface"),
        ("CP_CPF_STALLED_STAT1", 9, NOT_COMPUTE, "the fetcher waits for the translation of an address"),
        ("CP_CPF_STALLED_STAT1", 10, BOTH, "the fetcher of compute queues waits for the translation of an address"),
        ("CP_GFX_ERROR", 10, NOT_COMPUTE, "address translation failed for: queue unit"),
        ("CP_GFX_ERROR", 11, NOT_COMPUTE, "address translation failed for: queue unit"),
        ("CP_GFX_ERROR", 12, NOT_COMPUTE, "address translation failed for: memory access for synchronization (SYNC_MEM)"),
        ("CP_GFX_ERROR", 13, NOT_COMPUTE, "address translation failed for: memory access for synchronization (SYNC_MEM)"),
        ("CP_GFX_ERROR", 21, NOT_COMPUTE, "address translation failed for: ME memory access"),
        ("CP_HQD_ERROR", 5, BOTH, "the queue reports an error in an AQL packet"),
        ("CP_HQD_ERROR", 8, BOTH, "address translation failed for: fetcher of the ring"),
        ("CP_HQD_ERROR", 9, BOTH, "address translation failed for: fetcher of the command buffer"),
        ("CP_HQD_ERROR", 10, BOTH, "address translation failed for: end-of-pipe queue"),
        ("CP_HQD_ERROR", 15, BOTH, "address translation failed for: DMA source"),
        ("CP_HQD_ERROR", 16, BOTH, "address translation failed for: DMA destination"),
        ("CP_HQD_ERROR", 18, BOTH, "address translation failed for: queue unit"),
        ("CP_HQD_ERROR", 19, BOTH, "address translation failed for: memory access of MEC"),
    ] {
        for said in ALL {
            let text = dump(&format!("regGRBM_STATUS 0x00000001\nreg{register} 0x{:08x}\n", 1u32 << bit), "", &[], "");
            let text = explained(&read(&on(said, "", &text)), ReportOptions::default());
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  ") && !line.starts_with("  note: ")).skip(3).collect();
            match rings.contains(&said) {
                true => assert!(lines.len() == 1 && lines[0].trim().starts_with(told), "{said}, {register} bit {bit}: {lines:?}"),
                false => assert!(lines.is_empty(), "{said}, {register} bit {bit}: {lines:?}"),
            }
        }
    }
    // Several units in one line, each once. A lost device has all bits set, and waits for nothing.
    let told = |value: &str| explained(&read(&dump(&format!("regGRBM_STATUS {value}\nregCP_GFX_ERROR {value}\n"), "", &[], "")), ReportOptions::default());
    assert!(told("0x00003e00").contains("address translation failed for: queue unit, memory access for synchronization (SYNC_MEM)\n"));
    assert!(!told("0xffffffff").contains("address translation failed"));
}

/// A wait of one engine says nothing about the packet of another.
#[test]
fn only_its_own_waits_speak_for_or_against_a_packet_of_an_engine() {
    let me = newest_first("CP_ME_HEADER_DUMP", &[0xC001_6900, 0xC001_2D00, 0xC000_4600, 0xC001_7600, 0xC001_2D00]);
    let pfp = newest_first("CP_PFP_HEADER_DUMP", &[0xC001_2D00, 0xC000_4600, 0xC001_7600, 0xC001_2D00, 0xC000_4200]);
    let graphics = |register: &str, bit: u32| {
        let text = dump(&format!("regGRBM_STATUS 0xa0003028\nreg{register} 0x{:08x}\n", 1u32 << bit), &format!("{pfp}{me}{FETCHED_ALL}"), &JOB, "");
        let input = read(&text);
        HangReport::new(&input, &[], Gfx::Gfx11).positions
    };
    let certain = |positions: &[pm4::hang::EnginePosition], engine: CpEngine, dword: usize| {
        let position = positions.iter().find(|position| position.engine == engine).expect("its queue was read");
        assert_eq!(position.candidates.first().map(|place| place.dword), Some(dword), "{position:?}");
        assert_eq!(position.by.contains("the registers name a wait that this packet cannot cause"), position.confidence < Confidence::High, "{position:?}");
        position.confidence
    };
    // Register and bit, and whether it contradicts the draw of ME, and the PFP_SYNC_ME of PFP.
    for (register, bit, against_me, against_pfp) in [
        ("CP_STALLED_STAT2", 0, false, false),
        ("CP_CPC_STALLED_STAT1", 10, false, false),
        ("CP_CPC_STALLED_STAT1", 18, false, false),
        // A fence in the end-of-pipe queue, and a cache flush, do not show the position of ME.
        ("CP_STALLED_STAT2", 21, false, false),
        ("CP_STALLED_STAT2", 22, false, false),
        ("CP_STALLED_STAT2", 30, false, false),
        ("CP_STALLED_STAT2", 11, false, false),
        ("CP_STALLED_STAT2", 15, true, false),
        ("CP_STALLED_STAT1", 14, true, false),
        ("CP_STALLED_STAT2", 19, false, true),
        ("CP_STALLED_STAT2", 20, false, true),
    ] {
        let positions = graphics(register, bit);
        let wanted = |against: bool| if against { Confidence::Medium } else { Confidence::High };
        assert_eq!(
            (certain(&positions, CpEngine::Me, 11), certain(&positions, CpEngine::Pfp, 14)),
            (wanted(against_me), wanted(against_pfp)),
            "{register} bit {bit}"
        );
    }
    // The MECs of two compute rings, at a dispatch.
    let job = [0xC001_7602, 0x240, 0, 0xC000_4602, 0x407, 0xC002_7602, 0x20C, 1, 2, 0xC003_1502, 1, 1, 1, 0x41];
    for (mec, bit, against) in [(1, 10, true), (1, 18, false), (2, 10, false), (2, 18, true), (1, 15, false)] {
        let queue = newest_first(&format!("CP_MEC_ME{mec}_HEADER_DUMP"), &[0xC001_7602, 0xC000_4602, 0xC002_7602, 0xC003_1502]);
        let text = dump(&format!("regGRBM_STATUS 0x20000000\nregCP_CPC_STALLED_STAT1 0x{:08x}\n", 1u32 << bit), &queue, &job, "");
        let input = read(&on(&format!("IP Type: 1 Ring Name: comp_{mec}.0.0"), &format!("mec {}, pipe 0, queue 0", mec - 1), &text));
        let positions = HangReport::new(&input, &[], Gfx::Gfx11).positions;
        assert_eq!(certain(&positions, CpEngine::Mec, 9) < Confidence::High, against, "MEC{mec}, bit {bit}");
    }
}

/// A compute ring belongs to one MEC. The header of the other one, which the kernel reads as well, is not a position.
#[test]
fn the_mec_of_a_compute_ring_is_the_one_that_its_name_says() {
    let job = [0xC005_3C00, 0x13, 0x40_1000, 0, 6, 0xFFFF_FFFF, 4, 0xC006_4900, 0x660_3514, 0x2200_0000, 0x40_1040, 0, 7, 0, 0];
    let core = "regGRBM_STATUS 0x20000000\nregCP_CPC_STALLED_STAT1 0x00040100\nregCP_MEC_ME1_HEADER_DUMP 0xc0064900\nregCP_MEC_ME2_HEADER_DUMP 0xc0053c00\n";
    for (ring, block, dword, told) in [
        ("comp_1.0.0", "mec 0, pipe 0, queue 0", Some(7), "MEC1 is decoding a packet"),
        ("comp_2.0.0", "mec 1, pipe 0, queue 0", Some(0), "MEC2 waits for a register that it reads"),
        // The MEC is unknown.
        ("comp", "mec 0, pipe 0, queue 0", None, "MEC2 waits for a register that it reads"),
    ] {
        let queue = "regCP_HQD_IB_BASE_ADDR 0x00000000\nregCP_HQD_IB_BASE_ADDR_HI 0x00000000\nregCP_HQD_IB_CONTROL 0x00000000\nregCP_HQD_IB_RPTR 0x00000000\n";
        let input = read(&on(&format!("IP Type: 1 Ring Name: {ring}"), block, &dump(core, queue, &job, "")));
        let hang = HangReport::new(&input, &[], Gfx::Gfx11);
        let stalled = hang.stalled().map(|position| (position.engine, position.candidates[0].dword));
        assert_eq!((hang.positions.len(), stalled), (dword.iter().count(), dword.map(|dword| (CpEngine::Mec, dword))), "{ring}: {:?}", hang.positions);
        let text = explained(&input, ReportOptions::default());
        assert!(text.contains(told), "{ring}: {told:?} is not in\n{text}");
        assert_eq!(text.contains("MEC1 is decoding a packet"), ring != "comp_2.0.0", "{ring}: {text}");
    }
}

/// Pointers that do not match the words of the ring give no position, whatever size a dump states.
#[test]
fn pointers_that_do_not_fit_a_ring_place_nothing() {
    let submission = crate::input_samples::submission(ADDR, JOB.len(), 1);
    for (words, mask, fits) in [(0, "ffffffffffffffff", false), (256, "ffffffffffffffff", false), (0, "0", false), (256, "1ff", false), (256, "ff", true)] {
        // The words of the job are after the ring; a dump without them has the part of the ring that was being executed.
        for with_job in [true, false] {
            let mut text = dump("regGRBM_STATUS 0xa0003028\n", &headers("CP_ME_HEADER_DUMP", &[0xC001_2D00]), if with_job { &JOB } else { &[] }, "");
            text += &format!("Ring buffer information\nring name: gfx_0.0.0\nRptr: 0x100 Wptr: 0x100 RB mask: {mask}\nRing size in dwords: {words}\n");
            text += "Ring contents\nOffset \t Value\n";
            submission.iter().take(words).enumerate().for_each(|(n, word)| text += &format!("0x{:x} \t 0x{word:x}\n", 4 * n));
            let input = read(&text);
            HangReport::new(&input, &[], Gfx::Gfx11);
            let in_work = input.buffers.iter().any(|buffer| buffer.usage == BufferUse::Ring);
            assert_eq!(in_work, fits && !with_job, "{words} dwords, mask {mask}: {:?}", input.buffers);
        }
    }
}

/// A ring with submissions of several frames, whose last one starts buffers that call and chain to others.
struct Crowd {
    random: Random,
    /// Words by address; the position is the number of the buffer in the dump.
    buffers: Vec<Vec<u32>>,
    /// The executed packets: the buffer (none for the ring), the dword, the header.
    ran: Vec<(Option<usize>, usize, u32)>,
}

const FRAME: usize = 256;
const RING: usize = 8 * FRAME;

fn addr_of(buffer: usize) -> u64 {
    ADDR + 0x1_0000 * buffer as u64
}

fn call(buffer: usize, dwords: usize, chain: bool) -> [u32; 4] {
    [0xC002_3F00, addr_of(buffer) as u32, (addr_of(buffer) >> 32) as u32, 0x80_0000 | u32::from(chain) << 20 | dwords as u32]
}

impl Crowd {
    /// Writes a buffer and its targets, in execution order; returns its number.
    fn buffer(&mut self, depth: usize) -> usize {
        let this = self.buffers.len();
        self.buffers.push(Vec::new());
        for _ in 0..3 + self.random.below(9) {
            let packets: [&[u32]; 6] =
                [&[0xC001_6900, 0x203, 0x10], &[0xC001_2D00, 3, 2], &[0xC000_4600, 0x410], &[0xC000_4200, 0], &[0xC002_7600, 8, 1, 0], &[0xFFFF_1000]];
            match self.random.below(8) {
                6 if depth > 0 => self.lead(this, depth, false),
                other => self.packet(this, packets[other % 6]),
            }
        }
        if depth > 0 && self.random.below(3) == 0 {
            self.lead(this, depth, true);
            let padding = vec![0xFFFF_1000; self.random.below(3)];
            self.buffers[this].extend(padding);
        }
        this
    }

    fn packet(&mut self, buffer: usize, words: &[u32]) {
        self.ran.push((Some(buffer), self.buffers[buffer].len(), words[0]));
        self.buffers[buffer].extend_from_slice(words);
    }

    fn lead(&mut self, from: usize, depth: usize, chain: bool) {
        self.packet(from, &[0xC002_3F00, 0, 0, 0]);
        let at = self.buffers[from].len() - 4;
        let to = self.buffer(depth - 1);
        let words = call(to, self.buffers[to].len(), chain);
        self.buffers[from][at..at + 4].copy_from_slice(&words);
    }

    /// The ring, and its write pointer: older submissions, then the running one.
    fn ring(&mut self) -> (Vec<u32>, usize) {
        let mut ring = vec![0xFFFF_1000u32; RING];
        let start = self.random.below(RING / FRAME) * FRAME;
        for older in 1..4 {
            // Of buffers that are not in the dump; or of the same buffer, submitted before.
            let at = (start + RING - older * FRAME) % RING;
            let buffer = if self.random.below(3) == 0 { 0 } else { 1000 + older };
            ring[at..at + 4].copy_from_slice(&call(buffer, 16, false));
        }
        let mut at = start;
        let starts = 1 + self.random.below(3);
        for n in 0..starts {
            let put = |crowd: &mut Self, ring: &mut Vec<u32>, at: &mut usize, words: &[u32]| {
                crowd.ran.push((None, *at, words[0]));
                for word in words {
                    ring[*at] = *word;
                    *at = (*at + 1) % RING;
                }
            };
            if n == 0 {
                put(self, &mut ring, &mut at, &[0xC001_2800, 0x8000_0000, 0]);
            }
            put(self, &mut ring, &mut at, &[0xC002_3F00, 0, 0, 0]);
            let place = (at + RING - 4) % RING;
            let to = self.buffer(2);
            for (n, word) in call(to, self.buffers[to].len(), false).into_iter().enumerate() {
                ring[(place + n) % RING] = word;
            }
            // Some jobs have more than a frame.
            let fill = if self.random.below(3) == 0 { 150 } else { 4 };
            let mut nop = vec![0xC000_1000 | (fill - 1) << 16];
            nop.resize(fill as usize + 1, 0);
            put(self, &mut ring, &mut at, &nop);
        }
        let end = at.next_multiple_of(FRAME) % RING;
        while at % RING != end {
            self.ran.push((None, at, 0xFFFF_1000));
            at = (at + 1) % RING;
        }
        (ring, end)
    }
}

/// Wherever a job is, its position is among those that match its header queue, and the only one if the certainty is high.
#[test]
fn jobs_that_call_and_chain_are_placed_where_they_stood() {
    let mut parts = Parts::default();
    for seed in 0..40 {
        let mut crowd = Crowd { random: Random(seed), buffers: Vec::new(), ran: Vec::new() };
        let (ring, write) = crowd.ring();
        let in_buffers = crowd.ran.iter().rposition(|(buffer, ..)| buffer.is_some()).expect("a buffer ran");
        let at = 1 + crowd.random.below(in_buffers);
        // In some dumps, the queue of ME lacks the packets that only PFP executes.
        let lacks = seed % 2 == 0;
        let taken = crowd.ran[..=at].iter().filter(|(_, _, header)| !lacks || !matches!(header >> 8 & 0xFF, 0x3F | 0x42));
        let mut queue: Vec<(Option<usize>, usize, u32)> = taken.copied().collect();
        let mut queue = queue.split_off(queue.len().saturating_sub(8));
        let (buffer, dword, _) = *queue.last().expect("PREEMPT or the like comes first");
        let by = if queue.len() == 8 { crowd.random.below(8) } else { 0 };
        queue.rotate_left(by);
        let me: Vec<u32> = queue.iter().map(|(_, _, header)| *header).collect();
        let mut text = dump("regGRBM_STATUS 0xa0003028\n", &newest_first("CP_ME_HEADER_DUMP", &me), &[], "");
        text += "Ring buffer information\nring name: gfx_0.0.0\n";
        text += &format!("Rptr: 0x{write:x} Wptr: 0x{write:x} RB mask: {:x}\nRing size in dwords: {RING}\nRing contents\nOffset \t Value\n", RING - 1);
        ring.iter().enumerate().for_each(|(n, word)| text += &format!("0x{:x} \t 0x{word:x}\n", 4 * n));
        for (n, words) in crowd.buffers.iter().enumerate() {
            text += &format!("IB #{n} 0x{:x} {} dw\n", addr_of(n), words.len());
            words.iter().for_each(|word| text += &format!("0x{word:08x}\n"));
        }
        let input = read(&text);
        assert!(input.damage.is_empty(), "{:?}", input.damage);
        let name = |n: usize| &input.buffers[n].name;
        let hang = HangReport::new(&input, &[], Gfx::Gfx11);
        let me = hang.positions.iter().find(|position| position.engine == CpEngine::Me).expect("ME has a queue");
        let places: Vec<String> = me.candidates.iter().map(|place| format!("{} {}", name(place.buffer), place.dword)).collect();
        let truth = format!("{} {dword}", buffer.map_or("ring gfx_0.0.0".to_owned(), |n| format!("IB #{n}")));
        assert!(places.contains(&truth) || me.fitting > places.len(), "seed {seed}: {truth} is not in {places:?}: {}", me.by);
        assert!(me.confidence < Confidence::High || places == [truth.clone()], "seed {seed}: {places:?} instead of {truth}");
        parts.add(&format!("{seed}: {truth}"), &format!("{} of {}: {}\n{}\n", places.join(", "), me.fitting, me.confidence, me.by));
    }
    parts.assert("inputs/jobs.txt");
}
