//! Submissions in files: every step is read, written and executed; mistakes are reported with line, limit and value.
use crate::support;
use pm4::chip::Chip;
use pm4::cp::{BoardFacts, CommandProcessor, FirmwareVersions, QueueId};
use pm4::report::{Manifest, ManifestError, ManifestStep, WordSource};
use quickcheck::{Arbitrary, Gen};

fn parse(lines: &str) -> Result<Manifest, ManifestError> {
    Manifest::parse(&format!("{{\"type\":\"submission\",\"chip\":\"vega10\"}}\n{lines}"))
}

fn step(line: &str) -> ManifestStep {
    let manifest = parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(manifest.steps.len(), 1, "{line}");
    manifest.steps.into_iter().next().expect("a step")
}

fn message(line: &str) -> String {
    parse(line).expect_err(line).message
}

fn file(name: &str) -> WordSource {
    WordSource::File(name.into())
}

#[test]
fn each_line_is_the_step_that_it_says() {
    let (named, unnamed) = (Some("a name".to_owned()), None);
    for (line, wanted) in [
        (r#"{"type":"memory","file":"a.bin","addr":4096}"#, ManifestStep::Memory { name: unnamed.clone(), words: file("a.bin"), addr: 4096, read_only: false }),
        (
            r#"{"type":"memory","name":"a name","words":["0x1",2],"addr":"0xFFFFFFFFFFFFFFFC","read_only":true}"#,
            ManifestStep::Memory { name: named.clone(), words: WordSource::Words(vec![1, 2]), addr: u64::MAX - 3, read_only: true },
        ),
        (r#"{"type":"register","addr":"0xb848","value":"0xffffffff"}"#, ManifestStep::Register { queue: QueueId::GRAPHICS, addr: 0xB848, value: u32::MAX }),
        (
            r#"{"type":"register","name":"DB_SHADER_CONTROL","queue":"compute8","value":0}"#,
            ManifestStep::Register { queue: QueueId(8), addr: 0x2880C, value: 0 },
        ),
        (r#"{"type":"expect","addr":1,"bytes":281474976710656,"by":"x"}"#, ManifestStep::Expect { addr: 1, bytes: 1 << 48, by: "x".into() }),
        (
            r#"{"type":"submit","file":"b.bin"}"#,
            ManifestStep::Submit { name: unnamed, queue: QueueId::GRAPHICS, words: file("b.bin"), addr: None, ring: false },
        ),
        (
            r#"{"type":"submit","name":"a name","queue":"constant","words":[],"addr":0,"ring":true}"#,
            ManifestStep::Submit { name: named, queue: QueueId::CONSTANT, words: WordSource::Words(vec![]), addr: Some(0), ring: true },
        ),
        (
            r#"{"type":"submit","queue":"compute","words":[],"ring":false}"#,
            ManifestStep::Submit { name: None, queue: QueueId::COMPUTE, words: WordSource::Words(vec![]), addr: None, ring: false },
        ),
    ] {
        assert_eq!(step(line), wanted);
    }
    let names: Vec<_> = [
        r#"{"type":"memory","file":"a.bin","addr":0}"#,
        r#"{"type":"memory","name":"n","file":"a.bin","addr":0}"#,
        r#"{"type":"memory","words":[],"addr":0}"#,
        r#"{"type":"submit","file":"b.bin"}"#,
        r#"{"type":"expect","addr":0,"bytes":0,"by":"x"}"#,
        r#"{"type":"register","addr":163840,"value":0}"#,
    ]
    .map(|line| step(line).name().map(str::to_owned))
    .to_vec();
    assert_eq!(names, [Some("a.bin"), Some("n"), None, Some("b.bin"), None, None].map(|name| name.map(str::to_owned)));
}

#[test]
fn firmware_and_board_are_told_in_one_line_or_in_several() {
    let read = parse("{\"type\":\"firmware\",\"me\":1,\"pfp\":2}\n{\"type\":\"firmware\",\"mec\":\"0x3\",\"me\":4,\"me_feature\":5}\n{\"type\":\"board\",\"cus_per_array\":6}\n{\"type\":\"board\",\"shader_engines\":7}")
        .expect("they are sound");
    assert_eq!(read.firmware, FirmwareVersions { pfp: Some(2), me: Some(4), mec: Some(3), me_feature: Some(5) });
    assert_eq!(read.board, BoardFacts { shader_engines: Some(7), cus_per_array: Some(6) });
    assert_eq!((read.partial, read.closed, read.steps.len()), (false, false, 0));
    assert_eq!(
        read.to_string(),
        "{\"type\":\"submission\",\"chip\":\"vega10\"}\n{\"type\":\"firmware\",\"pfp\":2,\"me\":4,\"mec\":3,\"me_feature\":5}\n{\"type\":\"board\",\"shader_engines\":7,\"cus_per_array\":6}\n"
    );
    assert_eq!(Manifest::new(Chip::Navi31).to_string(), "{\"type\":\"submission\",\"chip\":\"navi31\"}\n");
}

#[test]
fn messages_state_what_was_found_and_what_is_allowed() {
    for (line, wanted) in [
        (r#"{"type":"expect","addr":1,"bytes":281474976710657,"by":"x"}"#, "bytes is 0x1000000000001, above the largest value 0x1000000000000"),
        (r#"{"type":"register","addr":4294967296,"value":1}"#, "addr is 0x100000000, above the largest value 0xffffffff"),
        (r#"{"type":"register","addr":0,"value":"0x100000000"}"#, "value is 0x100000000, above the largest value 0xffffffff"),
        (r#"{"type":"register","addr":0,"value":1}"#, "no register is at byte address 0x0: give a multiple of 4 in a register space, or the key name"),
        (r#"{"type":"register","addr":163841,"value":1}"#, "no register is at byte address 0x28001: give a multiple of 4 in a register space, or the key name"),
        (r#"{"type":"register","addr":0,"name":"DB_SHADER_CONTROL","value":1}"#, "register needs one of the keys name and addr"),
        (r#"{"type":"memory","file":7,"addr":0}"#, "file is 7, not a string"),
        (r#"{"type":"memory","file":"a","addr":0,"read_only":1}"#, "read_only is 1, not true or false"),
        (r#"{"type":"memory","file":"a","addr":1.5}"#, "addr is 1.5, not a number, or a string of 0x and hexadecimal digits"),
        (r#"{"type":"memory","file":"a","addr":"0x"}"#, "addr is \"0x\", not a number, or a string of 0x and hexadecimal digits"),
        (
            r#"{"type":"memory","file":"a","addr":"0x10000000000000000"}"#,
            "addr is \"0x10000000000000000\", not a number, or a string of 0x and hexadecimal digits",
        ),
        (r#"{"type":"memory","words":{},"addr":0}"#, "words is {}, not a list of words, \"0x…\""),
        (r#"{"type":"expect","bytes":1,"by":"x"}"#, "expect needs the key addr"),
        (r#"{"type":"expect","addr":1,"by":"x"}"#, "expect needs the key bytes"),
        (r#"{"type":"submit","queue":"compute0","words":[]}"#, "queue is \"compute0\", not gfx, compute, compute2 to compute8 or constant"),
        (r#"{"type":"submit","queue":"compute1","words":[]}"#, "queue is \"compute1\", not gfx, compute, compute2 to compute8 or constant"),
        (r#"{"type":"submit","queue":"gfx","queue":"compute","words":[]}"#, "the key \"queue\" is given twice: give it once"),
        (r#"{"type":"memory","name":"one \" alone","addr":1,"words":["0x7"],"addr":2}"#, "the key \"addr\" is given twice: give it once"),
        (r#"{"type":"memory","addr":"0x1000","words":["0x7"],"\u0061ddr":1}"#, "the key \"addr\" is given twice: give it once"),
        (r#"{"type":"memory","file":"a","addr":"0x+2000"}"#, "addr is \"0x+2000\", not a number, or a string of 0x and hexadecimal digits"),
        (r#"{"type":"memory","words":["0x+7"],"addr":0}"#, "words is \"0x+7\", not a number, or a string of 0x and hexadecimal digits"),
        (r#"{"type":"board","shader_engines":65}"#, "shader_engines is 65, not 1 to 64"),
        (r#"{"type":"board","cus_per_array":33}"#, "cus_per_array is 33, not 1 to 32"),
        (r#"{"type":"board","cus_per_array":0}"#, "cus_per_array is 0, not 1 to 32"),
        (r#"{"type":"board","engines":1}"#, "the key \"engines\" is not known for this type"),
        // Only a key that no line of the type has is reported.
        (r#"{"type":"submit","fil":"b.bin"}"#, "has neither file nor words: give one of them (the key \"fil\" is not known here)"),
        (r#"{"type":"submit","addr":0,"ring":true}"#, "has neither file nor words: give one of them"),
        (r#"{"type":"memory","addr":0,"read_only":true}"#, "has neither file nor words: give one of them"),
        ("7", "the line is not a JSON object"),
    ] {
        assert_eq!(message(line), wanted, "{line}");
    }
    // Of a long value 40 characters are repeated.
    for (length, shown) in [(38, "x".repeat(38) + "\""), (39, "x".repeat(39) + "…"), (90, "x".repeat(39) + "…")] {
        let line = format!(r#"{{"type":"memory","file":"a","addr":"{}"}}"#, "x".repeat(length));
        assert_eq!(message(&line), format!("addr is \"{shown}, not a number, or a string of 0x and hexadecimal digits"), "{length}");
    }
    let first = |line: &str| Manifest::parse(line).expect_err(line).to_string();
    assert_eq!(first(r#"{"type":"submission"}"#), "line 1: submission needs the key chip");
    assert_eq!(first("\n{\"type\":\"submission\",\"chip\":\"navi31\",\"chip\":\"vega10\"}"), "line 2: the key \"chip\" is given twice: give it once");
    assert_eq!(first("\n# a remark\n{\"type\":\"submission\",\"chip\":\"vega10\",\"x\":1}"), "line 3: the key \"x\" is not known for this type");
    assert_eq!(first(r#"{"type":"submission","chip":"vega10","partial":"yes"}"#), "line 1: partial is \"yes\", not true or false");
    assert_eq!(
        first("# nothing"),
        "line 1: the file has no lines (empty lines and comments do not count): its first line must be {\"type\":\"submission\",\"chip\":NAME}"
    );
    assert_eq!(
        first(r#"{"type":"memory","words":[],"addr":0}"#),
        "line 1: a manifest begins with {\"type\":\"submission\",\"chip\":NAME}, and this line is of type \"memory\""
    );
}

/// A submission of any steps.
#[derive(Debug, Clone)]
struct Any(Manifest);

impl Arbitrary for Any {
    fn arbitrary(g: &mut Gen) -> Self {
        let text = |g: &mut Gen| (*g.choose(&["a", "b c", "\"quoted\"", "é", "a/b.bin"]).expect("some")).to_owned();
        let number = |g: &mut Gen| Option::<u32>::arbitrary(g);
        let firmware = FirmwareVersions { pfp: number(g), me: number(g), mec: number(g), me_feature: number(g) };
        let up_to = |g: &mut Gen, most| number(g).map(|number| 1 + number % most);
        let board = BoardFacts { shader_engines: up_to(g, 64), cus_per_array: up_to(g, 32) };
        let words = |g: &mut Gen| {
            if bool::arbitrary(g) { WordSource::File(text(g)) } else { WordSource::Words((0..u32::arbitrary(g) % 4).map(|_| u32::arbitrary(g)).collect()) }
        };
        let queue = |g: &mut Gen| *g.choose(&[QueueId::GRAPHICS, QueueId::COMPUTE, QueueId(2), QueueId(8), QueueId::CONSTANT]).expect("some");
        let name = |g: &mut Gen| bool::arbitrary(g).then(|| text(g));
        let steps = (0..u32::arbitrary(g) % 6)
            .map(|_| match u32::arbitrary(g) % 4 {
                0 => ManifestStep::Memory { name: name(g), words: words(g), addr: u64::arbitrary(g) & !3, read_only: bool::arbitrary(g) },
                1 => ManifestStep::Register { queue: queue(g), addr: 0x28000 + 4 * u32::from(u8::arbitrary(g)), value: u32::arbitrary(g) },
                2 => ManifestStep::Expect { addr: u64::arbitrary(g), bytes: u64::arbitrary(g) >> 16, by: text(g) },
                _ => ManifestStep::Submit {
                    name: name(g),
                    queue: queue(g),
                    words: words(g),
                    addr: Option::<u64>::arbitrary(g).map(|addr| addr & !3),
                    ring: bool::arbitrary(g),
                },
            })
            .collect();
        Self(Manifest { chip: Chip::Vega10, partial: bool::arbitrary(g), closed: bool::arbitrary(g), firmware, board, steps })
    }
}

#[test]
fn any_submission_is_read_back_from_its_lines() {
    support::property::<fn(Any) -> bool>("manifests", 300, |Any(manifest)| {
        assert_eq!(Manifest::parse(&manifest.to_string()).as_ref(), Ok(&manifest));
        let files: Vec<&str> = manifest.files().collect();
        let mut read = Vec::new();
        let words = manifest
            .load(|file| {
                read.push(file.to_owned());
                Ok::<_, ()>(vec![7])
            })
            .expect("all is read");
        assert_eq!((read.iter().map(String::as_str).collect::<Vec<_>>(), words.len()), (files, manifest.steps.len()));
        for (step, words) in manifest.steps.iter().zip(&words) {
            match step {
                ManifestStep::Memory { words: WordSource::File(_), .. } | ManifestStep::Submit { words: WordSource::File(_), .. } => assert_eq!(words, &[7]),
                ManifestStep::Memory { words: WordSource::Words(own), .. } | ManifestStep::Submit { words: WordSource::Words(own), .. } => {
                    assert_eq!(words, own)
                }
                _ => assert!(words.is_empty()),
            }
        }
        true
    });
}

/// Strings may contain text that looks like keys, and a byte-order mark may precede the first line.
#[test]
fn text_in_strings_is_not_taken_for_keys() {
    let line = r#"{"type":"expect","addr":1,"bytes":4,"by":"addr\\\": {\"bytes\":4, bytes: \"addr\":"}"#;
    assert!(matches!(step(line), ManifestStep::Expect { by, .. } if by.contains("bytes: \"addr\":")));
    let marked = Manifest::parse("\u{feff}{\"type\":\"submission\",\"chip\":\"vega10\"}\n").expect("it is sound");
    assert_eq!(marked, Manifest::new(Chip::Vega10));
}

#[test]
fn a_file_that_cannot_be_read_is_the_error_of_loading() {
    let manifest = parse("{\"type\":\"submit\",\"file\":\"a\"}\n{\"type\":\"submit\",\"file\":\"b\"}").expect("it is sound");
    assert_eq!(manifest.load(|file| if file == "b" { Err("gone") } else { Ok(vec![]) }), Err("gone"));
}

#[test]
fn steps_are_done_as_their_lines_say() {
    // Queues missing from the model are created, named after the step, or else after the file.
    let manifest = parse(
        "{\"type\":\"memory\",\"words\":[\"0xffff1000\"],\"addr\":4096}\n{\"type\":\"memory\",\"name\":\"n\",\"file\":\"f\",\"addr\":8192,\"read_only\":true}\n\
         {\"type\":\"register\",\"queue\":\"compute4\",\"addr\":\"0xb848\",\"value\":9}\n{\"type\":\"submit\",\"queue\":\"compute5\",\"file\":\"g\",\"addr\":\"0x9000\"}\n\
         {\"type\":\"submit\",\"queue\":\"constant\",\"words\":[]}",
    )
    .expect("it is sound");
    let words = manifest.load(|_| Ok::<_, ()>(vec![0xFFFF_1000, 0xFFFF_1000])).expect("all is read");
    let mut cp = CommandProcessor::new(manifest.chip);
    assert_eq!(cp.registers_of(QueueId(5)).map(|_| ()), None);
    manifest.apply(&words, &mut cp);
    assert!(cp.registers_of(QueueId(5)).is_some() && cp.registers_of(QueueId(6)).is_none(), "as many queues as are named");
    assert_eq!(cp.registers_of(QueueId(4)).and_then(|registers| registers.value(0xB848)), Some(9));
    let names: Vec<(&str, Option<u64>, usize)> = cp.buffers().iter().map(|buffer| (buffer.name, buffer.addr, buffer.words.len())).collect();
    assert_eq!(names, [("words of the manifest", Some(4096), 1), ("n", Some(8192), 2), ("g", Some(0x9000), 2), ("words of the manifest", None, 0)]);
    assert!(!cp.write_memory(8192, &[1]) || cp.memory(8192) == Some(1));
    assert_eq!((cp.options().closed_memory, cp.options().partial), (false, false));
    assert_eq!(cp.run(&mut ()).packets, 2);
}
