//! What is told of a hang, whole: small reports of a kernel, each with one thing more. The texts stand in `golden/report/`.
#![cfg(feature = "gfx11")]

use crate::golden;
use golden::Parts;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{BufferId, CommandProcessor};
use pm4::hang::{self, Confidence, CpEngine, HangReport};
use pm4::input::{BufferUse, Input, Source};
use pm4::packet::Queue;
use pm4::report::{OutputFormat, ReportOptions, ReportPart};

const ADDR: u64 = 0x8001_0020_0000;

/// Words of a job: packets of one dword more than the number of their kind, so that headers differ.
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
            (buffer.used == BufferUse::Submitted).then(|| cp.submit_at(Queue::Graphics, &buffer.name, buffer.addr.unwrap_or(ADDR), buffer.complete()))
        })
        .collect();
    let hang = HangReport::new(input, &ids, Gfx::Gfx11);
    let mut out = Vec::new();
    hang::run(&mut out, &mut cp, &[], ReportOptions { only: ReportPart::Nothing, ..options }, &hang, &mut ()).expect("memory takes everything");
    let text = String::from_utf8(out).expect("UTF-8");
    // The state of the draw is told elsewhere (report_texts).
    text.split("\npackets since").next().unwrap_or_default().to_owned()
}

/// Header queues of eight entries, the newest last.
fn headers(name: &str, list: &[u32]) -> String {
    list.iter().map(|header| format!("reg{name} 0x{header:08x}\n")).collect()
}

const FETCHED_ALL: &str = "regCP_IB1_BASE_LO 0x00200000\nregCP_IB1_BASE_HI 0x00008001\nregCP_IB1_BUFSZ 0x00000000\n";

#[test]
fn a_hang_is_told_with_what_is_known_of_it() {
    let me = headers("CP_ME_HEADER_DUMP", &[0xC001_6900, 0xC001_2D00, 0xC000_4600, 0xC001_7600, 0xC001_2D00]);
    let pfp = headers("CP_PFP_HEADER_DUMP", &[0xC001_2D00, 0xC000_4600, 0xC001_7600, 0xC001_2D00, 0xC000_4200, 0xC003_3700]);
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

/// A page fault is told by its distance from addresses: in the page, up to 256 MiB behind it or before it, and no further.
#[test]
fn addresses_are_near_a_page_within_256_mib() {
    const NEAR: u64 = 1 << 28;
    const WRITTEN: u64 = 0x8001_0000_3000;
    let told = |page: u64| {
        let text = dump("regGRBM_STATUS 0xa0003028\n", "", &JOB, &format!("Faulty page starting at address: 0x{page:x}\n"));
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
    // The job itself has 88 bytes: the page of its first byte and of its last one is in it.
    for (page, inside) in [(ADDR, true), (ADDR - 0xFFF, true), (ADDR - 0x1000, false), (ADDR + 87, true), (ADDR + 88, false)] {
        assert_eq!(told(page).contains("the page is in IB #0, at dword "), inside, "0x{page:x}");
    }
    assert!(told(ADDR + 8).contains("the page is in IB #0, at dword 2: the command processor could not fetch the buffer, or a shader read it"));
}

/// Four words in mapped memory behind a pointer in user data, if they are a buffer descriptor: base, stride and records say what it covers.
#[test]
fn descriptors_behind_user_data_cover_a_page_up_to_their_last_byte() {
    // USER_DATA_0 of the pixel shader points to dword 5 of the job, which is the memory that is there: a descriptor in a NOP.
    let told = |page: u64, stride: u32, records: u32| {
        let words = [0xC001_7600, 0xC, ADDR as u32 + 20, 0xC004_1000, 0, 0x5000_0000, 0x6001 | stride << 16, records, 0, 0xC001_2D00, 3, 2];
        let me = headers("CP_ME_HEADER_DUMP", &[0xC001_2D00]);
        let text = dump("regGRBM_STATUS 0xa0003028\n", &me, &words, &format!("Faulty page starting at address: 0x{page:x}\n"));
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

/// What a position is worth: how many headers in a row fit, and in which order they were read.
#[test]
fn the_more_headers_fit_the_surer_a_position_is() {
    // Every packet has a length of its own, so that each header is there once.
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
    assert_eq!(stood(&natural, ""), (Some(at(9)), 1, Confidence::High));
    let backwards: Vec<u32> = natural.iter().rev().copied().collect();
    assert_eq!(stood(&backwards, "").0, Some(at(9)), "backwards");
    for by in 1..8 {
        let mut rotated = natural.clone();
        rotated.rotate_left(by);
        assert_eq!(stood(&rotated, "").0, Some(at(9)), "rotated by {by}");
        let mut rotated = backwards.clone();
        rotated.rotate_left(by);
        assert_eq!(stood(&rotated, "").0, Some(at(9)), "backwards and rotated by {by}");
    }
    // Entries that were never filled do not count, and a stranger at the old end takes from the certainty.
    assert_eq!(stood(&[0, 0, 0, header(2), header(3), header(4), header(5), header(6)], "").0, Some(at(6)));
    let stranger = [0xC033_2200, header(3), header(4), header(5), header(6), header(7), header(8), header(9)];
    let (dword, _, confidence) = stood(&stranger, "");
    assert!(dword == Some(at(9)) && confidence <= Confidence::High);
    let (_, fitting, confidence) = stood(&[header(5)], "");
    assert!(fitting == 1 && confidence < Confidence::High, "one header is a hint");
}
