//! SDMA queues on the model: their writes, and the findings.

use crate::support::property;
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, QueueId, Severity};
use pm4::packet::Queue;
use pm4::queues::{Builder, EffectKind, PollCondition, QueueFamily, QueuePacket, SdmaWriter, Target, Version};

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

fn found(cp: &mut CommandProcessor<'_>) -> Vec<(&'static str, Severity)> {
    let mut findings = Findings::default();
    cp.run(&mut findings);
    findings.0.iter().map(|finding| (finding.code, finding.severity)).collect()
}

fn version(chip: Chip) -> Option<Version> {
    Target::from(chip).version(QueueFamily::Sdma)
}

fn chips() -> impl Iterator<Item = (Chip, Version)> {
    Chip::all().filter_map(|chip| Some((chip, version(chip)?)))
}

/// One chip of each version.
fn versions() -> Vec<(Chip, Version)> {
    let mut all: Vec<(Chip, Version)> = chips().collect();
    all.dedup_by_key(|(_, version)| *version);
    all
}

/// The findings of a stream by itself, with open memory and with closed memory.
fn alone(chip: Chip, words: &[u32]) -> [Vec<(&'static str, Severity)>; 2] {
    [false, true].map(|closed| {
        let mut cp = CommandProcessor::new(chip);
        cp.closed_memory(closed);
        cp.submit_sdma(0, "stream", None, words);
        found(&mut cp)
    })
}

fn write(addr: u64, count: u32, words: usize) -> Vec<u32> {
    let mut stream = vec![2, addr as u32, (addr >> 32) as u32, count];
    stream.extend(vec![0xDEAD_BEAF; words]);
    stream
}

/// The streams of IGT b3d809d5 (amd_ip_blocks.h cmd_error_type) on a ring of SDMA.
#[test]
fn the_streams_of_igt_are_judged() {
    const ERROR: Severity = Severity::Error;
    for (chip, version) in versions() {
        let [open, closed] = alone(chip, &write(0x1_2345_6000, 127, 128));
        assert_eq!((open, closed), (vec![], vec![("MEM-03", ERROR)]), "a good stream on {version}");
        let mut opcode = write(0x1_2345_6000, 127, 128);
        opcode[0] = 0xF2;
        assert_eq!(alone(chip, &opcode), [vec![("ENC-02", ERROR)], vec![("ENC-02", ERROR)]], "an opcode that is not there on {version}");
        assert_eq!(alone(chip, &write(0x1_2345_6000, 127, 8)), [vec![("ENC-01", ERROR)], vec![("ENC-01", ERROR)]], "a count beyond the end on {version}");
        let [open, closed] = alone(chip, &write(0x54F, 127, 128));
        assert_eq!(open, [("MEM-01", Severity::Warning)], "the number of a register as an address on {version}");
        assert_eq!(closed, [("MEM-01", Severity::Warning), ("MEM-03", ERROR)]);
        let [open, closed] = alone(chip, &write(0xDEAD_BEE0, 127, 128));
        assert_eq!((open, closed), (vec![], vec![("MEM-03", ERROR)]), "an address that nothing maps on {version}");
        let corrupted = [0x23DE_CD3D, 0xFFF, 0, 0x2345_6000, 1, 0x2345_7000, 1];
        assert_eq!(alone(chip, &corrupted)[0], [("ENC-02", ERROR)], "a header that is no header on {version}");
    }
}

/// An operating system swapped the opcode and the number below it: COPY_LINEAR is then padding, and its count the next header.
#[test]
fn an_exchanged_opcode_is_named() {
    let mut findings = Findings::default();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    let words = [0x0100, 0xFFF, 0, 0x1000, 0, 0x2000, 0];
    cp.submit_sdma(0, "exchanged", None, &words);
    cp.run(&mut findings);
    let first = &findings.0[0];
    assert_eq!((first.code, first.severity), ("ENC-06", Severity::Warning));
    assert!(first.help.as_deref().unwrap_or_default().contains("COPY_LINEAR is meant: opcode 1 in bits 7:0, sub_op 0"), "{first:?}");
}

/// Each header with swapped opcode and sub-opcode names the intended packet, unless the swapped header is that of another packet.
#[test]
fn every_exchanged_header_is_named() {
    for (chip, version) in versions() {
        let mut named = 0;
        for format in version.formats() {
            let header = format.header(version);
            let (op, sub_op) = (header & 0xFF, header >> 8 & 0xFF);
            let exchanged = header & !0xFFFF | op << 8 | sub_op;
            let is_other = version.format_of(exchanged).is_some_and(|other| other.knows_sub_opcode(op));
            if op == sub_op || is_other {
                continue;
            }
            // Padding has its count of dwords in the upper half of the header.
            let words = [&[exchanged][..], &[0; 0x4000]].concat();
            let mut findings = Findings::default();
            let mut cp = CommandProcessor::new(chip);
            cp.submit_sdma(0, "exchanged", None, &words);
            cp.run(&mut findings);
            let text = |finding: &Finding| format!("{} {}", finding.message, finding.help.as_deref().unwrap_or_default());
            let names = |finding: &Finding| text(finding).contains(&format!("{} ", format.name)) || text(finding).contains(&format!("{},", format.name));
            let first = findings.0.iter().find(|finding| finding.place.dword == 0 && names(finding));
            assert!(first.is_some_and(|finding| finding.severity >= Severity::Warning), "{} on {version}: {:?}", format.name, findings.0);
            named += 1;
        }
        assert!(named > 8, "{version}: {named}");
    }
}

#[test]
fn copies_fills_and_fences_are_executed() {
    for (chip, version) in versions() {
        let source: Vec<u32> = (1..=64).collect();
        let mut writer = SdmaWriter::new(version);
        writer
            .copy(0x1000, 0x2000, 256)
            .unwrap()
            .finish_copies()
            .unwrap()
            .fill(0x2080, 7, 16)
            .unwrap()
            .write(0x20C0, &[8, 9])
            .unwrap()
            .fence(0x3000, 5)
            .unwrap()
            .timestamp(0x3010)
            .unwrap();
        let words = writer.into_words();
        let mut cp = CommandProcessor::new(chip);
        cp.map("source", 0x1000, &source);
        cp.submit_sdma(0, "copy", None, &words);
        assert_eq!(found(&mut cp), [], "{version}");
        let held = |addr: u64| cp.memory(addr);
        assert_eq!((held(0x2000), held(0x207C), held(0x2080), held(0x208C), held(0x2090)), (Some(1), Some(32), Some(7), Some(7), Some(37)), "{version}");
        assert_eq!((held(0x20C0), held(0x20C4), held(0x3000), held(0x3010)), (Some(8), Some(9), Some(5), None), "{version}");
    }
}

#[test]
fn a_window_is_copied_row_by_row() {
    for (chip, version) in versions() {
        let source: Vec<u32> = (0..256).collect();
        let builder = Builder::new(version, "COPY_LINEAR_SUBWIN").unwrap().set("elementsize", 2).unwrap();
        let builder = builder.address("src_addr", 0x1000).unwrap().address("dst_addr", 0x8000).unwrap();
        let fields =
            [("src_x", 1), ("src_y", 2), ("src_pitch", 15), ("src_slice_pitch", 255), ("dst_pitch", 7), ("dst_slice_pitch", 63), ("rect_x", 2), ("rect_y", 1)];
        let words = fields.iter().fold(builder, |builder, (name, value)| builder.set(name, *value).unwrap()).build().unwrap();
        let mut cp = CommandProcessor::new(chip);
        cp.map("source", 0x1000, &source);
        cp.submit_sdma(0, "copy", None, &words);
        assert_eq!(found(&mut cp), [], "{version}");
        let row = |addr: u64| [0, 4, 8, 12].map(|at| cp.memory(addr + at));
        assert_eq!(row(0x8000), [Some(33), Some(34), Some(35), None], "{version}");
        assert_eq!(row(0x8020), [Some(49), Some(50), Some(51), None], "{version}");
    }
}

#[test]
fn queues_wait_for_each_other() {
    for (chip, version) in versions() {
        let mut writer = SdmaWriter::new(version);
        writer.poll_memory(0x1000, PollCondition::Equal, 1, u32::MAX).unwrap().write(0x2000, &[3]).unwrap().fence(0x1004, 2).unwrap();
        let sdma = writer.into_words();
        // WRITE_DATA of 1, then WAIT_REG_MEM for 2.
        let graphics = [0xC003_3700, 0x0010_0500, 0x1000, 0, 1, 0xC005_3C00, 0x13, 0x1004, 0, 2, 0xFFFF_FFFF, 4];
        for sdma_first in [false, true] {
            let mut cp = CommandProcessor::new(chip);
            if sdma_first {
                cp.submit_sdma(0, "sdma", None, &sdma);
            }
            cp.submit(Queue::Graphics, "graphics", &graphics);
            if !sdma_first {
                cp.submit_sdma(0, "sdma", None, &sdma);
            }
            assert_eq!(found(&mut cp), [], "{version}");
            assert_eq!(cp.memory(0x2000), Some(3));
        }
    }
}

#[test]
fn a_poll_that_nothing_satisfies_is_found() {
    let mut writer = SdmaWriter::new(version(Chip::Navi31).unwrap());
    writer.fence(0x1000, 1).unwrap().poll_memory(0x1000, PollCondition::Equal, 2, u32::MAX).unwrap().fence(0x1004, 3).unwrap();
    let words = writer.into_words();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    let zero = [0; 4];
    cp.map("fence", 0x1000, &zero);
    cp.submit_sdma(0, "poll", None, &words);
    assert_eq!(found(&mut cp), [("SYN-18", Severity::Error)]);
    assert_eq!(cp.memory(0x1004), Some(3), "the model goes on after it");
}

#[test]
fn buffers_are_called() {
    let version = version(Chip::Navi31).unwrap();
    let mut body = SdmaWriter::new(version);
    body.fence(0x3000, 9).unwrap().pad(8).unwrap();
    let body = body.into_words();
    let mut ring = SdmaWriter::new(version);
    ring.indirect(0x4000, body.len() as u32, 0).unwrap().fence(0x3004, 1).unwrap();
    let ring = ring.into_words();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("body", 0x4000, &body);
    cp.submit_to(QueueId::SDMA, "ring", None, &ring);
    assert_eq!(found(&mut cp), []);
    assert_eq!((cp.memory(0x3000), cp.memory(0x3004)), (Some(9), Some(1)));
    // A buffer that calls itself.
    let mut endless = SdmaWriter::new(version);
    endless.indirect(0x4000, 8, 0).unwrap();
    let endless = endless.into_words();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.submit_to(QueueId::SDMA, "endless", Some(0x4000), &endless);
    assert_eq!(found(&mut cp), [("IB-02", Severity::Error)]);
}

/// A condition decides whether packets run; if it is unknown, so are their writes.
#[test]
fn conditions_skip_packets() {
    for (word, held) in [(Some(1), Some(5)), (Some(0), Some(0)), (None, None)] {
        let mut writer = SdmaWriter::new(version(Chip::Navi31).unwrap());
        writer.cond_exe(0x1000, 1, 4).unwrap().fence(0x2000, 5).unwrap().fence(0x2004, 6).unwrap();
        let words = writer.into_words();
        let (memory, condition) = ([0; 2], word.map(|word| [word]));
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("memory", 0x2000, &memory);
        if let Some(condition) = &condition {
            cp.map("condition", 0x1000, condition);
        }
        cp.submit_sdma(0, "condition", None, &words);
        cp.run(&mut ());
        assert_eq!((cp.memory(0x2000), cp.memory(0x2004)), (held, Some(6)));
    }
}

/// Packets with random fields over mapped memory: the changes equal the effects, for every packet of every version.
#[test]
fn packets_write_what_their_effects_say() {
    const BASE: u64 = 0x10_0000;
    const DWORDS: usize = 1 << 12;
    property(
        "effects of SDMA",
        60,
        (|seed: u64| {
            let mut state = seed | 1;
            let mut next = move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state >> 33
            };
            for (chip, version) in versions() {
                for format in version.formats() {
                    let mut builder = Builder::new(version, format.name).unwrap();
                    let mut done: Vec<&str> = vec!["op", "sub_op", "broadcast", "dcc", "data0"];
                    for field in format.fields(version) {
                        if done.contains(&field.name) {
                            continue;
                        }
                        done.push(field.name);
                        let value = match field.name {
                            "count" => next() % 64,
                            "ib_size" | "exec_count" => 0,
                            name if name.ends_with("_63_32") => 0,
                            name if name.contains("addr") || name.contains("base") => (BASE + 4 * (next() % 512)) >> field.place.lo,
                            name if name.contains("pitch") => 15 + next() % 16,
                            "elementsize" => next() % 3,
                            _ => next() % 4,
                        };
                        let most = if field.place.bits() >= 64 { u64::MAX } else { (1 << field.place.bits()) - 1 };
                        builder = builder.set(field.name, value.min(most)).unwrap();
                    }
                    // In version 7.0, cpv makes COPY_LINEAR longer, and a field of its own contains it: a builder pads the packet.
                    let Ok(words) = builder.build() else { continue };
                    let packet = QueuePacket::at(version, &words).expect("a packet");
                    if packet.format.has(EffectKind::Tiled) || packet.format.has(EffectKind::Unknown) {
                        continue;
                    }
                    let before = vec![0x5A5A_5A5A; DWORDS];
                    let mut cp = CommandProcessor::new(chip);
                    cp.map("memory", BASE, &before);
                    cp.submit_sdma(0, "packet", None, &words);
                    cp.run(&mut ());
                    let effects = packet.memory();
                    let written = |addr: u64| {
                        let writes = effects.iter().filter(|effect| matches!(effect.kind, EffectKind::Write | EffectKind::Change));
                        writes.into_iter().any(|effect| addr + 4 > effect.addr && addr < effect.addr + effect.bytes)
                    };
                    for at in (0..DWORDS as u64).map(|at| BASE + 4 * at) {
                        let same = cp.memory(at) == Some(0x5A5A_5A5A);
                        assert!(same || written(at), "{version} {}: {at:#x} has changed: {words:x?}", format.name);
                    }
                }
            }
            true
        }) as fn(u64) -> bool,
    );
}

/// Nothing orders queues without waits: access to the same memory is a race. After a wait by either, nothing is reported.
#[test]
fn queues_that_use_the_same_memory_without_a_wait_are_found() {
    let version = version(Chip::Navi31).unwrap();
    let (wait, write) = ([0xC005_3C00, 0x13, 0x5000, 0, 1, 0xFFFF_FFFF, 4], |addr: u32| [0xC003_3700, 0x0010_0500, addr, 0, 7]);
    let zero = [1u32; 0x1000];
    let races = |polls: bool, waits: bool, addr: u32| {
        let mut sdma = SdmaWriter::new(version);
        if polls {
            sdma.poll_memory(0x5000, PollCondition::Equal, 1, u32::MAX).unwrap();
        }
        sdma.copy(0x2000, 0x3000, 256).unwrap().fence(0x5004, 2).unwrap();
        let sdma = sdma.into_words();
        let graphics = if waits { [&wait[..], &write(addr)].concat() } else { write(addr).to_vec() };
        [false, true].map(|sdma_first| {
            let mut cp = CommandProcessor::new(Chip::Navi31);
            cp.map("memory", 0x2000, &zero);
            if sdma_first {
                cp.submit_sdma(0, "sdma", None, &sdma);
            }
            cp.submit(Queue::Compute, "compute", &graphics);
            if !sdma_first {
                cp.submit_sdma(0, "sdma", None, &sdma);
            }
            found(&mut cp).contains(&("SDMA-09", Severity::Info))
        })
    };
    assert_eq!(races(false, false, 0x3010), [true, true], "both write it");
    assert_eq!(races(false, false, 0x2010), [true, true], "one reads what the other writes");
    assert_eq!(races(false, false, 0x3100), [false, false], "the byte after the copy");
    assert_eq!(races(false, false, 0x5004), [false, false], "fences are no copies");
    assert_eq!((races(true, false, 0x3010), races(false, true, 0x3010)), ([false, false], [false, false]), "a queue has waited");
    // Runs in sequence are ordered.
    let mut cp = CommandProcessor::new(Chip::Navi31);
    let mut sdma = SdmaWriter::new(version);
    sdma.copy(0x2000, 0x3000, 256).unwrap();
    let (sdma, compute) = (sdma.into_words(), write(0x3010));
    cp.map("memory", 0x2000, &zero);
    cp.submit_sdma(0, "sdma", None, &sdma);
    assert_eq!(found(&mut cp), []);
    cp.submit(Queue::Compute, "compute", &compute);
    assert!(!found(&mut cp).contains(&("SDMA-09", Severity::Info)));
}
