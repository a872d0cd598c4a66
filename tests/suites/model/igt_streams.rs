//! Bad streams of AMD's own tests (IGT b3d809d5, lib/amdgpu/amd_ip_blocks.h cmd_error_type), on every queue for which they are made: the findings of the model
//! for each, submitted as a command buffer and called from the ring of a user queue.

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, QueueId, Severity};
use pm4::queues::{QueueFamily, Target};

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

const GRAPHICS: QueueId = QueueId::GRAPHICS;
const COMPUTE: QueueId = QueueId::COMPUTE;
const SDMA: QueueId = QueueId::SDMA;

/// The result of a row: findings with open memory, and the additional ones with closed memory.
struct Row {
    name: &'static str,
    queue: QueueId,
    words: Vec<u32>,
    open: &'static [(&'static str, Severity)],
    closed: &'static [(&'static str, Severity)],
}

const UNMAPPED: &[(&str, Severity)] = &[("MEM-03", Severity::Error)];

fn long(head: [u32; 4], data: usize) -> Vec<u32> {
    head.into_iter().chain(std::iter::repeat_n(0xDEAD_BEAF, data)).collect()
}

/// Kinds 0 to 6 of PM4, and 0 to 6, 12 and 13 of SDMA.
fn rows(chip: Chip) -> Vec<Row> {
    use Severity::{Error, Info, Warning};
    let write = 0xC082_3700;
    let mut rows = Vec::new();
    for queue in [GRAPHICS, COMPUTE] {
        let mut row = |name, words, open, closed| rows.push(Row { name, queue, words, open, closed });
        row("success", long([write, 0x0010_0500, 0x2345_6000, 1], 128), &[], UNMAPPED);
        row("invalid opcode", long([0xC082_F200, 0x0010_0500, 0x2345_6000, 1], 128), &[("ENC-02", Error)], &[]);
        row("invalid opcode, short", long([0xC00C_F200, 0x0010_0500, 0x2345_6000, 1], 10), &[("ENC-02", Error)], &[]);
        row("invalid length", long([0xC07E_3700, 0x0010_0500, 0x2345_6000, 1], 8), &[("ENC-01", Error)], &[]);
        row("bad register", long([write, 0, 0x54F, 0], 128), &[("REG-03", Error)], &[]);
        row("bad memory", long([write, 0x0010_0500, 0xDEAD_BEE0, 0], 128), &[], UNMAPPED);
        let reserved: &[_] = if queue == COMPUTE { &[("MEM-09", Warning)] } else { &[] };
        row("bad memory by sync", long([write, 0x0000_0100, 0xDEAD_BEE0, 0], 128), reserved, UNMAPPED);
    }
    let version = Target::from(chip).version(QueueFamily::Sdma);
    let mut row = |name, words, open, closed| rows.push(Row { name, queue: SDMA, words, open, closed });
    row("success", long([2, 0x2345_6000, 1, 0x7F], 128), &[], UNMAPPED);
    row("invalid opcode", long([0xF2, 0x2345_6000, 1, 0x7F], 128), &[("ENC-02", Error)], &[]);
    row("invalid length", long([2, 0x2345_6000, 1, 0x7F], 8), &[("ENC-01", Error)], &[]);
    row("bad register", long([2, 0x54F, 0, 0x7F], 128), &[("MEM-01", Warning)], UNMAPPED);
    row("bad memory", long([2, 0xDEAD_BEE0, 0, 0x7F], 128), &[], UNMAPPED);
    row("corrupted header", vec![0x23DE_CD3D, 0xFFF, 0, 0x2345_6000, 1, 0x2345_7000, 1], &[("ENC-02", Error)], &[]);
    // Of 16 MiB, forth and back: each copy reads what the one before writes.
    let copies = |count: u32| -> Vec<u32> {
        let (one, other) = ([0x2345_6000, 1], [0x2545_6000, 1]);
        let both = [[one, other], [other, one]];
        (0..4).flat_map(|at| [&[1, count, 0][..], &both[at % 2].concat()].concat()).collect()
    };
    let narrow = version.is_some_and(|version| matches!(version.name(), "4.0" | "4.1" | "4.2" | "5.0"));
    // The first source is unmapped, which gives a note.
    const NOTE: (&str, Severity) = ("MEM-03", Info);
    let long_copy: &[_] = if narrow { &[NOTE, ("SDMA-01", Warning), ("SDMA-03", Warning)] } else { &[NOTE, ("SDMA-03", Warning)] };
    row("slow copies", copies(0xFF_FFFF), long_copy, UNMAPPED);
    rows
}

/// A dispatch after the state that kinds 7 to 11 write.
fn dispatches(chip: Chip) -> Vec<Row> {
    use Severity::{Error, Info};
    let gfx9 = chip.gfx().major() == 9;
    let state = |program: u32, resources: [u32; 2], data: [u32; 4]| -> Vec<u32> {
        let mut words = vec![0xC002_7602, 0x20C, program, 0, 0xC001_7602, 0x212, resources[0], 0xC001_7602, 0x213, resources[1]];
        words.extend([0xC001_7602, 0x207, 0x40, 0xC001_7602, 0x208, 1, 0xC001_7602, 0x209, 1]);
        if !gfx9 {
            words.extend([0xC001_7602, 0x228, 0x3F0]);
        }
        words.extend([0xC004_7602, 0x240]);
        words.extend(data);
        words.extend([0xC004_7602, 0x244, 0x2222, 0x2222, 0x2222, 0x2222]);
        words.extend([0xC003_1502, 0x10, 1, 1, 1]);
        words
    };
    let good = [if gfx9 { 0x000C_0041 } else { 0x400C_0041 }, 0x90];
    let bad = [if gfx9 { u32::MAX } else { 0xDFFF_FFFF }, u32::MAX];
    let buffer = [0x2345_6000, 0x10_0001, 0x400, 0x74_FAC];
    let mut rows = Vec::new();
    for queue in [GRAPHICS, COMPUTE] {
        let mut row = |name, words, open, closed| rows.push(Row { name, queue, words, open, closed });
        row("success", state(0x0123_4560, good, buffer), &[], UNMAPPED);
        row("address 0", state(0, good, buffer), &[("STA-68", Error)], &[]);
        row("resources of all ones", state(0x0123_4560, bad, buffer), &[("REG-18", Error)], UNMAPPED);
        row("a descriptor without stride", state(0x0123_4560, good, [0x2345_6000, 0, 0x400, 0x74_FAC]), &[("STA-69", Info)], UNMAPPED);
    }
    rows
}

fn found(cp: &mut CommandProcessor<'_>) -> Vec<Finding> {
    let mut findings = Findings::default();
    cp.run(&mut findings);
    findings.0
}

/// The words in a command buffer.
fn buffer(chip: Chip, row: &Row, closed: bool) -> Vec<Finding> {
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(closed);
    cp.submit_to(row.queue, "stream", None, &row.words);
    found(&mut cp)
}

/// The ring of a user queue that calls the words, padded with NOPs to a multiple of 8 dwords.
fn called(chip: Chip, row: &Row, closed: bool) -> Vec<Finding> {
    const AT: u32 = 0x40_0000;
    let sdma = row.queue == SDMA;
    let mut body = row.words.clone();
    body.resize(body.len().next_multiple_of(8), if sdma { 0 } else { 0xFFFF_1000 });
    let dwords = body.len() as u32;
    let ring = match sdma {
        // The packet ends at a multiple of 8 dwords.
        true => vec![0, 0, 4, AT, 0, dwords, 0, 0],
        false => vec![0xC002_3F00, AT, 0, 1 << 23 | dwords],
    };
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(closed).user_queues(true);
    cp.map("buffer", AT.into(), &body);
    cp.submit_ring(row.queue, "ring", None, &ring);
    found(&mut cp)
}

/// The words directly in the ring of a user queue, which user mode writes.
fn in_ring(chip: Chip, row: &Row, closed: bool) -> Vec<Finding> {
    let mut cp = CommandProcessor::new(chip);
    cp.closed_memory(closed).user_queues(true);
    cp.submit_ring(row.queue, "ring", None, &row.words);
    found(&mut cp)
}

/// The codes of a row, each once; all have the severity of the row.
fn judged(findings: &[Finding]) -> Vec<(&'static str, Severity)> {
    let mut all: Vec<_> = findings.iter().map(|finding| (finding.code, finding.severity)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn check(chip: Chip, rows: &[Row]) {
    let mut wrong = Vec::new();
    for row in rows {
        for (how, run) in [("a buffer", buffer as fn(Chip, &Row, bool) -> Vec<Finding>), ("a called buffer", called), ("a ring", in_ring)] {
            for closed in [false, true] {
                let findings = run(chip, row, closed);
                let unless_closed = |(code, severity): &&(&str, Severity)| !(closed && *code == "MEM-03" && *severity == Severity::Info);
                let mut wanted: Vec<_> = row.open.iter().filter(unless_closed).chain(row.closed.iter().filter(|_| closed)).copied().collect();
                wanted.sort_unstable();
                let got = judged(&findings);
                // A bad stream may have other findings as well.
                let is_more = |found: &&(&str, Severity)| wanted.is_empty() || found.1 == Severity::Error;
                let missing = wanted.iter().any(|one| !got.contains(one));
                if missing || got.iter().filter(is_more).any(|one| !wanted.contains(one)) {
                    let messages: Vec<String> = findings.iter().map(ToString::to_string).collect();
                    wrong.push(format!("{chip} {:?} {}, {how}, closed {closed}: {got:?}, not {wanted:?}: {messages:#?}", row.queue, row.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One chip of each generation and of each version of SDMA.
fn chips() -> Vec<Chip> {
    let mut chips: Vec<Chip> = Chip::all().filter(|chip| Target::from(*chip).version(QueueFamily::Sdma).is_some()).collect();
    chips.dedup_by_key(|chip| (chip.gfx(), Target::from(*chip).version(QueueFamily::Sdma)));
    chips
}

#[test]
fn bad_streams_of_packets_are_judged() {
    for chip in chips() {
        check(chip, &rows(chip));
    }
}

#[test]
fn bad_dispatches_are_judged() {
    // Any dispatch on a compute queue of Raven gives a note (STA-65).
    let noted = |chip: &Chip| matches!(chip, Chip::Raven | Chip::Raven2);
    for chip in chips().into_iter().filter(|chip| matches!(chip.gfx(), Gfx::Gfx9 | Gfx::Gfx11) && !noted(chip)) {
        check(chip, &dispatches(chip));
    }
}
