//! Packets of SDMA, AQL and MES: reading, building, printing and assembling.

use crate::support::property;
use pm4::chip::{Chip, ComputeChip};
use pm4::queues::{
    BuildError, Builder, DamageKind, EffectKind, List, MemoryEffect, QueueFamily, QueueFormat, QueuePacket, QueueReader, SdmaLimits, SdmaWriter, Target,
    Version,
};
use pm4::report::{OutputFormat, QueueDump, QueueDumpOptions, assemble};

fn version(family: QueueFamily, name: &str) -> Version {
    Version::new(family, name).expect("a version")
}

fn sdma(name: &str) -> Version {
    version(QueueFamily::Sdma, name)
}

/// Pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}

/// The words of a packet with random fields, including bits outside all fields.
fn instance(version: Version, format: &'static QueueFormat, numbers: &mut Numbers) -> Vec<u32> {
    let header = format.header(version);
    let mut words = vec![numbers.next()];
    for field in format.fields(version) {
        if field.place.dword == 0 && matches!(field.name, "op" | "sub_op" | "opcode" | "header" | "amd_format" | "ven_hdr" | "dwsize") {
            let mask = (u32::MAX >> (31 - (field.place.hi - field.place.lo))) << field.place.lo;
            words[0] = words[0] & !mask | header & mask;
        }
    }
    match version.family() {
        QueueFamily::Sdma => words[0] = words[0] & !(1 << 27) | header & 1 << 27,
        QueueFamily::Aql => {}
        QueueFamily::Mqd | QueueFamily::SdmaMqd => words[0] = words[0] & 0x7FFF_FFFF | header,
        QueueFamily::Mes => words[0] = words[0] & !(0xFF << 12) | 64 << 12,
    }
    // Counts are small, and come before the items that they count.
    words.extend((1..16).map(|_| numbers.next()));
    if let (Some(count), Some(_)) =
        (format.fields(version).find(|field| field.name == "count"), format.fields(version).find(|field| field.place.list == List::Rest))
    {
        let mask = (u32::MAX >> (31 - (count.place.hi - count.place.lo))) << count.place.lo;
        let word = &mut words[usize::from(count.place.dword)];
        *word = *word & !mask | (numbers.next() % 20) << count.place.lo;
    }
    let dwords = format.dwords(version, &words).expect("the word that counts is there");
    while words.len() < dwords {
        words.push(numbers.next());
    }
    words.truncate(dwords);
    words
}

fn printed(version: Version, words: &[u32], format: OutputFormat) -> String {
    let mut out = Vec::new();
    let mut dump = QueueDump::new(&mut out, QueueDumpOptions { version, format, zeros: false }).unwrap();
    dump.stream("f", words, &[]).unwrap();
    String::from_utf8(out).unwrap()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn every_packet_of_every_version_survives_text_and_json() {
    property(
        "round trip of a packet",
        24,
        (|seed: u64| {
            let mut numbers = Numbers(seed);
            for version in QueueFamily::ALL.into_iter().flat_map(Version::all) {
                for format in version.formats() {
                    let words = instance(version, format, &mut numbers);
                    let packet = QueuePacket::at(version, &words).expect("a packet");
                    assert!(core::ptr::eq(packet.format, format) && packet.words.len() == words.len(), "{version} {}: {words:x?}", format.name);
                    for form in [OutputFormat::Json, OutputFormat::Text] {
                        let text = printed(version, &words, form);
                        let back = assemble(&mut text.as_bytes()).unwrap_or_else(|error| panic!("{version} {}: {error}\n{text}", format.name));
                        assert!(back == bytes(&words), "{version} {}: {text}", format.name);
                    }
                }
            }
            true
        }) as fn(u64) -> bool,
    );
}

#[test]
fn every_packet_is_made_from_its_fields() {
    property(
        "a packet from its fields",
        8,
        (|seed: u64| {
            let mut numbers = Numbers(seed);
            for version in QueueFamily::ALL.into_iter().flat_map(Version::all) {
                for format in version.formats() {
                    let words = instance(version, format, &mut numbers);
                    let packet = QueuePacket::at(version, &words).expect("a packet");
                    let mut builder = Builder::new(version, format.name).unwrap();
                    for field in packet.fields() {
                        builder = builder.list(field.name, &packet.all(field.name)).unwrap();
                    }
                    for (dword, bits) in packet.reserved() {
                        builder = builder.reserved(dword, bits).unwrap();
                    }
                    assert_eq!(builder.build().as_deref(), Ok(words.as_slice()), "{version} {}", format.name);
                }
            }
            true
        }) as fn(u64) -> bool,
    );
}

#[test]
fn every_word_of_a_damaged_stream_is_accounted_for() {
    property(
        "words of damage",
        200,
        (|seed: u64, bytes_of_ops: Vec<u8>| {
            let mut numbers = Numbers(seed);
            for version in QueueFamily::ALL.into_iter().flat_map(Version::all) {
                let words: Vec<u32> =
                    bytes_of_ops.iter().map(|op| if numbers.next().is_multiple_of(3) { numbers.next() } else { u32::from(*op) % 20 }).collect();
                let mut at = 0;
                for item in QueueReader::new(version, &words) {
                    let (offset, dwords) = item.map_or_else(|damage| (damage.offset, damage.dwords), |packet| (packet.offset, packet.words.len()));
                    assert_eq!(offset, at);
                    assert!(dwords > 0);
                    at += dwords;
                }
                assert_eq!(at, words.len());
                for form in [OutputFormat::Json, OutputFormat::Text] {
                    let text = printed(version, &words, form);
                    assert!(assemble(&mut text.as_bytes()).ok() == Some(bytes(&words)), "{version}: {text}");
                }
            }
            true
        }) as fn(u64, Vec<u8>) -> bool,
    );
}

#[test]
fn chips_have_versions() {
    for chip in Chip::all() {
        let target = Target::from(chip);
        assert!(target.version(QueueFamily::Aql).is_some(), "{chip}");
        assert_eq!(target.version(QueueFamily::Mes).is_some(), chip.gfx().major() >= 11, "{chip}");
        if let Some(version) = target.version(QueueFamily::Sdma) {
            let expected = ["4.", "5.", "6.", "7."][usize::from(chip.gfx().major()) - 9];
            assert!(version.name().starts_with(expected), "{chip} is {version}");
        }
    }
    for chip in ComputeChip::all() {
        assert!(
            Target::from(chip).version(QueueFamily::Sdma).is_some() && Target::from(chip).version(QueueFamily::Aql).is_some(),
            "{chip}: a version that no family has"
        );
        assert!(chip.info().mes.is_none() || Target::from(chip).version(QueueFamily::Mes).is_some(), "{chip}");
        assert!(chip.info().name.parse::<Chip>().is_err(), "{chip} draws nothing");
    }
    assert_eq!("aqua-vanjaram".parse(), Ok(Target::Compute(ComputeChip::Gfx942)));
    assert_eq!("NAVI31".parse(), Ok(Target::Chip(Chip::Navi31)));
    assert!("navi99".parse::<Target>().is_err());
}

/// Sequences of Linux 7.1.8, Mesa 2026, ROCr and IGT with their meaning.
#[test]
fn what_drivers_write_is_read() {
    let cases: &[(&str, &[u32], &[&str])] = &[
        ("4.0", &[0x2, 0x2345_6000, 1, 0, 0xDEAD_BEEF], &["WRITE_UNTILED"]),
        ("7.0", &[0x8_0001, 0xF_FFFF, 0, 0x2345_6000, 1, 0xABCD_1000, 0x7F00, 0], &["COPY_LINEAR"]),
        ("6.0", &[0x3_0005, 0x2345_6000, 1, 0x1234, 6, 0], &["FENCE", "TRAP"]),
        ("5.2", &[0x1F11_0408, 0xF8_0002, 0xFFFF_FFFF, 0x1F_0020], &["VM_INVALIDATION"]),
        ("6.1", &[0, 0, 0x3_0004, 0x2345_6000, 1, 0x40, 0xABCD_1000, 0x7F00], &["NOP", "NOP", "INDIRECT"]),
        ("4.2", &[0x6_0000, 0xFFFF_FFFF, 0x1234_5678, 2, 1, 5, 4, 0], &["NOP", "NOP"]),
        ("7.1", &[0x11, 0, 0, 0xC3A1, 0, 0], &["GCR_REQ"]),
        ("6.0", &[0x111, 0, 0, 0xC3A1, 0], &["GCR_REQ"]),
        ("6.0", &[0x305], &["PROTECTED_FENCE"]),
        ("4.1", &[0x0800_0001, 0xFFF, 0, 0, 1, 0, 2, 0, 3], &["COPY_BROADCAST_LINEAR"]),
        ("4.0", &[0x10, 0], &["DUMMY_TRAP"]),
        ("5.0", &[0x20, 0], &["DUMMY_TRAP"]),
        ("5.0", &[0x10, 0, 0, 0], &["GPUVM_INV"]),
    ];
    for (name, words, names) in cases {
        let read: Vec<&str> = QueueReader::new(sdma(name), words).map(|item| item.unwrap().name()).collect();
        assert_eq!(read, *names, "{name} {words:x?}");
    }
}

/// Words that kernels write into descriptors (Linux 7.1.8 gfx_v11_0.c, sdma_v6_0.c), by the places of the fields.
#[test]
fn descriptors_of_queues_have_the_fields_of_their_version() {
    let place = |family: QueueFamily, name: &str, field: &str| {
        let version = version(family, name);
        let format = version.formats().next().expect("one format");
        format.fields(version).find(|other| other.name == field).map(|field| field.place.dword)
    };
    let compute = |name: &str, field: &str| place(QueueFamily::Mqd, name, field);
    for name in ["9", "10", "11", "12", "12.1"] {
        assert_eq!(
            (compute(name, "header"), compute(name, "cp_hqd_pq_base_lo"), compute(name, "cp_hqd_aql_control")),
            (Some(0), Some(136), Some(181)),
            "{name}"
        );
        assert_eq!(
            (compute(name, "compute_pgm_lo"), compute(name, "cp_mqd_base_addr_lo"), compute(name, "cp_hqd_pq_control")),
            (Some(13), Some(128), Some(145)),
            "{name}"
        );
    }
    let third = ["9", "10", "11", "12", "12.1"].map(|name| compute(name, "compute_pgm_rsrc3"));
    assert_eq!(third, [None, None, Some(41), Some(41), Some(36)], "its place follows the map of registers");
    assert_eq!((compute("11", "fence_address_lo"), compute("12", "fence_address_lo"), compute("10", "fence_address_lo")), (Some(446), Some(446), None));
    assert_eq!(place(QueueFamily::SdmaMqd, "11", "sdmax_rlcx_f32_dbg0"), Some(43));
    assert_eq!((place(QueueFamily::SdmaMqd, "10", "sdmax_rlcx_doorbell"), place(QueueFamily::SdmaMqd, "11", "sdmax_rlcx_doorbell")), (Some(18), Some(17)));
    let made = Builder::new(version(QueueFamily::Mqd, "11"), "compute_mqd").unwrap().set("cp_hqd_active", 1).unwrap().set("cp_hqd_vmid", 8).unwrap();
    let words = made.build().unwrap();
    assert_eq!((words.len(), words[0], words[130], words[131]), (512, 0xC031_0800, 1, 8));
    let damage = QueueReader::new(version(QueueFamily::Mqd, "12.1"), &[0; 1030]).next().unwrap().expect_err("no header");
    assert_eq!((damage.dwords, damage.to_string().as_str()), (1024, "first dword 0x00000000: MQD of GFX12.1 does not begin so"));
}

/// A bit makes packets longer, by the version: three words of metadata up to 6.1, one from 7.0 on.
#[test]
fn metadata_makes_copies_longer() {
    for (name, dwords) in [("4.4", 14), ("5.0", 17), ("6.1", 17), ("7.0", 15), ("7.1", 15)] {
        let mut words = [0; 20];
        words[0] = 0x8_0501;
        assert_eq!(QueuePacket::at(sdma(name), &words).map(|packet| packet.words.len()), Some(dwords), "{name}");
    }
}

#[test]
fn damage_says_what_it_is() {
    let said = |name: &str, words: &[u32]| QueueReader::new(sdma(name), words).find_map(Result::err).expect("damage").to_string();
    assert!(said("6.0", &[0xF2, 1, 2]).contains("has no packet with opcode 0xf2"));
    assert!(said("4.0", &[0x11, 0, 0, 0, 0]).contains("GCR_REQ is of 5.0, 5.2, 6.0, 6.1, 7.0, 7.1"));
    // TIMESTAMP_GET_GLOBAL with opcode and sub-opcode swapped.
    assert!(said("6.0", &[0x0D02, 0x2000, 1]).contains("it would be TIMESTAMP_GET_GLOBAL, whose opcode is 13 and sub_op 2"));
    assert!(said("6.0", &[0x2, 0x2345_6000, 1, 0x7F, 0, 0]).contains("WRITE_UNTILED has 132 dwords, but only 6 are left"));
    assert!(said("6.0", &[0x2, 0x2345_6000]).contains("ends before the word with its length"));
    // WAIT_REG_MEM of PM4: NOP, and then INDIRECT without its words.
    assert!(said("6.0", &[0xC005_3C00, 0x13, 0x2345_6000, 1, 0xDEAD_BEEF, 0xFFFF_FFFF, 4]).contains("the padding at dword 0 has the form of a PM4 header"));
    let frame: Vec<u32> = [0x0002_0021].into_iter().chain([0; 63]).collect();
    let frame = QueuePacket::at(version(QueueFamily::Mes, "11"), &frame).expect("a frame");
    assert_eq!(frame.defect().map(|defect| defect.to_string()).as_deref(), Some("dwsize is 32 dwords, but every frame has 64"));
    // An AQL slot that no GPU reads is the only one lost.
    let mut slots = [0; 32];
    slots[0] = 0x00FE_1500;
    slots[16] = 0x1501;
    let items: Vec<_> = QueueReader::new(version(QueueFamily::Aql, "11"), &slots).collect();
    assert!(matches!(&items[0], Err(damage) if damage.dwords == 16 && matches!(damage.kind, DamageKind::NoPacket { .. })));
    assert_eq!(items[1].as_ref().map(|packet| packet.name()).ok(), Some("invalid"));
}

#[test]
fn packets_say_what_memory_they_touch() {
    let memory = |words: &[u32]| QueuePacket::at(sdma("6.0"), words).expect("a packet").memory();
    let effect = |kind, addr, bytes| MemoryEffect { kind, addr, bytes };
    assert_eq!(memory(&[1, 0xFFF, 0, 0x1000, 0, 0x2000, 1]), [effect(EffectKind::Read, 0x1000, 0x1000), effect(EffectKind::Write, 0x1_0000_2000, 0x1000)]);
    assert_eq!(memory(&[0x020D, 0x2345_6008, 1]), [effect(EffectKind::Write, 0x1_2345_6008, 8)]);
    assert_eq!(memory(&[4, 0x1000, 0, 16, 0, 0]), [effect(EffectKind::Call, 0x1000, 64)]);
    // ATOMIC: compare and swap of 32 bits (8), add of 64 bits (47).
    assert_eq!(memory(&[8 << 25 | 0xA, 0x1000, 0, 0, 0, 0, 0, 0]), [effect(EffectKind::Change, 0x1000, 4)]);
    assert_eq!(memory(&[47 << 25 | 0xA, 0x1000, 0, 0, 0, 0, 0, 0]), [effect(EffectKind::Change, 0x1000, 8)]);
    // A box of 2 x 2 elements of 4 bytes at (1, 1), rows of 16 elements.
    let window = [0x4000_0401, 0x1000, 0, 1 << 16 | 1, 15 << 13, 0, 0x8000, 0, 0, 15 << 13, 0, 1 << 16 | 1, 0];
    assert_eq!(memory(&window), [effect(EffectKind::Read, 0x1044, 72), effect(EffectKind::Write, 0x8000, 72)]);
}

#[test]
fn what_contradicts_is_refused() {
    let builder = |name| Builder::new(sdma("6.0"), name).unwrap();
    assert!(matches!(Builder::new(sdma("4.0"), "GCR_REQ"), Err(BuildError::NoPacket { .. })));
    assert!(matches!(builder("FENCE").set("addr", 1), Err(BuildError::NoField { .. })));
    assert!(matches!(builder("TRAP").set("int_context", 1 << 28), Err(BuildError::TooLarge { bits: 28, .. })));
    assert!(matches!(builder("COPY_LINEAR").set("broadcast", 1).unwrap().build(), Err(BuildError::Contradiction { .. })));
    assert!(matches!(builder("FENCE").set("op", 7).unwrap().build(), Err(BuildError::Contradiction { .. })));
    assert!(matches!(builder("COPY_T2T").set("meta_addr_31_0", 1).unwrap().build(), Err(BuildError::Beyond { dwords: 15, .. })));
    assert!(matches!(builder("WRITE_UNTILED").set("count", 3).unwrap().list("data0", &[1, 2]).unwrap().build(), Ok(words) if words.len() == 8));
    assert!(matches!(builder("WRITE_UNTILED").set("count", 0).unwrap().list("data0", &[1, 2]).unwrap().build(), Err(BuildError::Count { places: 1, .. })));
}

/// Copies are split if the last bytes of one packet would be lost.
#[test]
fn long_copies_are_cut() {
    for (name, packets) in [("4.0", 3), ("4.4", 1), ("5.0", 3), ("5.2", 1)] {
        let mut writer = SdmaWriter::new(sdma(name));
        writer.copy(0x1000_0000, 0x2000_0000, 8 << 20).unwrap();
        let copies: Vec<QueuePacket<'_>> = QueueReader::new(sdma(name), writer.words()).map(Result::unwrap).collect();
        assert_eq!(copies.len(), packets, "{name}");
        let bytes: u64 = copies.iter().map(|copy| copy.value("count").unwrap() + 1).sum();
        assert_eq!(bytes, 8 << 20);
        let most = SdmaLimits::of(sdma(name)).safe_copy_bytes;
        assert!(copies.iter().all(|copy| copy.value("count").unwrap() < most));
    }
}

const HEAD: &str = "# Packets of other queues

This page lists the packets that are not PM4: those of SDMA, AQL and MES, and memory queue
descriptors. It is generated from `regdb/queues` by
`PM4_WRITE_DOCS=1 cargo test --test packets queues`; do not edit it. [The guide](guide/queues.md)
explains the queues; `regdb/queues` lists the fields, and `dump` prints them by these names.

Dwords include the header; `+n` stands for dwords that a bit of the header or a count adds. Opcodes
are decimal, as in the headers. If a packet has a sub-opcode, it selects the packet together with
the opcode.
";

/// The names of the versions, from first to last if none between is missing.
fn versions(family: QueueFamily, format: &QueueFormat) -> String {
    let (all, own): (Vec<&str>, Vec<&str>) = (Version::all(family).map(Version::name).collect(), format.versions(family));
    let start = all.iter().position(|name| own.first() == Some(name)).unwrap_or(0);
    match own[..] {
        _ if own == all => "all".to_owned(),
        [one] => one.to_owned(),
        [first, .., last] if all[start..].starts_with(&own) => format!("{first} to {last}"),
        _ => own.join(", "),
    }
}

fn table() -> String {
    let mut out = HEAD.to_owned();
    for (family, title) in [
        (QueueFamily::Sdma, "SDMA"),
        (QueueFamily::Aql, "AQL"),
        (QueueFamily::Mes, "MES"),
        (QueueFamily::Mqd, "Memory queue descriptors of compute"),
        (QueueFamily::SdmaMqd, "Memory queue descriptors of SDMA"),
    ] {
        let names: Vec<&str> = Version::all(family).map(Version::name).collect();
        out += &format!(
            "\n## {title}\n\nVersions: {}.\n\n| packet | opcode | sub-opcode | versions | dwords | what it does |\n|---|---|---|---|---|---|\n",
            names.join(", ")
        );
        let mut seen: Vec<&'static QueueFormat> = Vec::new();
        for format in Version::all(family).flat_map(Version::formats) {
            if !seen.iter().any(|other| core::ptr::eq(*other, format)) {
                seen.push(format);
            }
        }
        seen.sort_by_key(|format| {
            let newest = Version::all(family).filter(|version| version.format(format.name).is_some()).last().expect("a version");
            (format.opcode(newest), format.sub_opcode(), format.name)
        });
        for format in seen {
            let own: Vec<Version> = Version::all(family).filter(|version| version.format(format.name).is_some()).collect();
            let list = |mut numbers: Vec<String>| {
                numbers.dedup();
                numbers.join(", ")
            };
            let opcodes = list(own.iter().map(|version| format.opcode(*version).to_string()).collect());
            let dwords = list(own.iter().map(|version| format.shortest(*version).to_string()).collect());
            let grows = own.iter().any(|version| {
                format.fields(*version).any(|field| field.place.list == List::Rest || u32::from(field.place.dword) >= format.shortest(*version))
            });
            let below = format.sub_opcode().map_or_else(|| "-".to_owned(), |number| number.to_string());
            let (grows, versions) = (if grows { " +n" } else { "" }, versions(family, format));
            out += &format!("| {} | {opcodes} | {below} | {versions} | {dwords}{grows} | {} |\n", format.name, format.doc);
        }
    }
    out
}

#[test]
fn the_tables_of_other_queues_are_up_to_date() {
    let path = crate::support::repository("docs/queues.md");
    let made = table();
    if std::env::var_os("PM4_WRITE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().zip(kept.lines()).find(|(a, b)| a != b);
    assert!(kept == made, "docs/queues.md is not what the descriptions say; first difference: {differs:?}");
}
