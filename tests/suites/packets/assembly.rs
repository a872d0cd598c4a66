//! From the output of dump back to words: contradictions to the words are reported with line and reason.
use pm4::chip::Gfx;
use pm4::packet::Queue;
use pm4::report::{self, Assembler, DumpOptions, OutputFormat};

/// SET_CONTEXT_REG of two registers, WRITE_DATA with more words than fit a line, a filler, DRAW_INDEX_AUTO.
const WORDS: [u32; 22] = [0xC002_6900, 0x8E, 0xF, 0xFF, 0xC00C_3700, 0x500, 0x3000, 0x8001, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0xFFFF_1000, 0xC001_2D01, 3, 2];

fn dumped(format: OutputFormat) -> String {
    let mut out = Vec::new();
    report::dump(&mut out, "a", &WORDS, &DumpOptions { format, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) }).expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

fn assembled(text: &str) -> Result<Vec<u32>, String> {
    report::assemble(&mut text.as_bytes())
        .map(|bytes| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
        .map_err(|error| error.to_string())
}

/// The report about a dump in which one part is replaced.
fn changed(text: &str, part: &str, other: &str) -> Result<Vec<u32>, String> {
    assert!(text.contains(part), "{part:?} is not in\n{text}");
    assembled(&text.replacen(part, other, 1))
}

#[test]
fn records_that_contradict_their_words_are_reported_with_their_line() {
    let records = dumped(OutputFormat::Json);
    let change = "change the words, because only they are assembled";
    for (part, other, wanted) in [
        (r#""dwords":4"#, r#""dwords":5"#, format!("line 1: dwords = 5, but the words of the packet say 4: {change}")),
        (
            r#""opcode":"DRAW_INDEX_AUTO""#,
            r#""opcode":"NOP""#,
            format!("line 4: opcode = \"NOP\", but the words of the packet say \"DRAW_INDEX_AUTO\": {change}"),
        ),
        (r#""index_count":3"#, r#""index_count":4"#, format!("line 4: in \"fields\" index_count = 4, but the words of the packet say 3: {change}")),
        (r#""index_count":3"#, r#""count":3"#, format!("line 4: \"fields\" says count = 3, but the words of the packet have no such field: {change}")),
        (r#""predicate":true"#, r#""predicate":false"#, format!("line 4: predicate = false, but the words of the packet say true: {change}")),
        (
            r#""shader_type":"graphics""#,
            r#""shader_type":"compute""#,
            format!("line 1: shader_type = \"compute\", but the words of the packet say \"graphics\": {change}"),
        ),
        (r#""packet_type":3"#, r#""packet_type":2"#, format!("line 1: packet_type = 2, but the words of the packet say 3: {change}")),
        (
            r#""name":"CB_TARGET_MASK""#,
            r#""name":"X""#,
            format!("line 1: in \"writes\" name = \"X\", but the words of the packet say \"CB_TARGET_MASK\": {change}"),
        ),
        (r#""flags":[]"#, r#""flags":["a"]"#, format!("line 1: flags = [\"a\"], but the words of the packet say []: {change}")),
        (r#""type":"packet""#, r#""type":"other""#, "line 1: is a record of the unknown type \"other\"".into()),
        (r#""type":"packet","#, "", "line 1: the record has no \"type\"".into()),
        (r#""type":"packet""#, r#""type":7"#, "line 1: the record has no \"type\"".into()),
        (r#""header":"0xc0026900","#, "", "line 1: the packet has no \"header\"".into()),
        (r#""header":"0xc0026900""#, r#""header":"c0026900""#, "line 1: \"c0026900\" in \"header\" is not a 32-bit number".into()),
        (r#""header":"0xc0026900""#, r#""header":"0x+c002690""#, "line 1: \"0x+c002690\" in \"header\" is not a 32-bit number".into()),
        (r#""header":"0xc0026900""#, r#""header":4294967296"#, "line 1: 4294967296 in \"header\" is not a 32-bit number".into()),
        (r#""body":["0x0000008e","#, r#""body":["#, "line 1: header 0xc0026900 announces 3 body dwords, but there are 2".into()),
        (r#""body":["0x0000008e","0x0000000f","0x000000ff"]"#, r#""body":7"#, "line 1: \"body\" is not a list".into()),
        (r#""gfx":"gfx11""#, r#""gfx":"gfx99""#, "line 1: \"gfx99\" is not a generation".into()),
        (r#""gfx":"gfx11""#, r#""gfx":11"#, "line 1: \"gfx\" is 11, which is not a name".into()),
        (r#""queue":"gfx""#, r#""queue":"x""#, "line 1: \"x\" is not a queue".into()),
        (r#""dword":0"#, r#""dword":0,"dword":1"#, "line 1: a key is given twice in one object".into()),
        (r#""index_count":3"#, r#""index_count":3,"index_count":3"#, "line 4: a key is given twice in one object".into()),
    ] {
        assert_eq!(changed(&records, part, other).expect_err(other), wanted, "{part} as {other}");
    }
    let one = |line: &str| assembled(&format!("{{\"type\":\"draw\"}}\n{line}")).expect_err(line);
    assert_eq!(one("[1]"), "line 2: is JSON, but not an object");
    assert_eq!(one(r#"{"type":"error"}"#), "line 2: the error record has neither \"words\" nor \"bytes\": what was damaged is lost");
    assert_eq!(one(r#"{"type":"error","bytes":["0x100"]}"#), "line 2: 0x100 in \"bytes\" is not a byte");
    assert_eq!(one(r#"{"type":"packet","header":"0xffff1000"}"#), "line 2: the packet has no \"body\"");
    assert!(one("{").starts_with("line 2: is not a JSON record: "));
    assert_eq!(assembled(r#"{"type":"error","words":[1],"bytes":["0xff",0,0,0]}"#), Ok(vec![1, 0xFF]));
    // Without generation and queue, only values of registers and facts common to all generations can be checked.
    let bare = |writes: &str| assembled(&format!(r#"{{"type":"packet","header":"0xc0016900","body":[142,15],"opcode":"X","writes":[{writes}]}}"#));
    assert_eq!(bare(r#"{"value":"0x0000000f"}"#), Ok(vec![0xC001_6900, 142, 15]));
    assert_eq!(bare(r#"{"value":16}"#), Err(format!("line 1: a register write says 0x00000010, but the words of the packet do not: {change}")));
}

/// A number may be decimal or hexadecimal.
#[test]
fn numbers_of_text_may_be_hexadecimal() {
    let words = [0xC001_2D00, 48, 2];
    let mut out = Vec::new();
    report::dump(&mut out, "a", &words, &DumpOptions::new(Gfx::Gfx11, Queue::Graphics)).expect("memory takes it");
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(changed(&text, "index_count=48", "index_count=0x30"), Ok(words.to_vec()));
    assert_eq!(
        changed(&text, "index_count=48", "index_count=0x31"),
        Err("line 2: says index_count=0x31, but the words of the packet say index_count=48: change the words, because only they are assembled".into())
    );
    assert_eq!(
        changed(&text, "index_count=48", "indices=48"),
        Err("line 2: says indices=48, but the words of the packet say nothing of this name (they say DRAW_INDEX_AUTO …): correct the name, or change the words, \
             because only they are assembled"
            .into())
    );
}

/// The output of `dump --zero` is accepted, and checked against the words as well.
#[test]
fn text_with_fields_that_are_0_is_assembled() {
    let options = DumpOptions { zeros: true, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) };
    // CONTEXT_CONTROL has only fields that are 0; registers have some.
    let words = [&[0xC001_2800, 0, 0][..], &WORDS].concat();
    let mut out = Vec::new();
    report::dump(&mut out, "a", &words, &options).expect("memory takes it");
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(text.contains("load_global_config=0"), "{text}");
    assert_eq!(assembled(&text), Ok(words));
    let change = "change the words, because only they are assembled";
    assert_eq!(
        changed(&text, "load_global_config=0", "load_global_config=1"),
        Err(format!("line 2: says load_global_config=1, but the words of the packet say load_global_config=0: {change}"))
    );
    // Also among packets without them.
    let plain = dumped(OutputFormat::Text);
    let mixed = format!("{plain}{}{plain}", text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(assembled(&mixed), Ok([&WORDS[..], &[0xC001_2800, 0, 0], &WORDS, &WORDS].concat()));
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_passed_over() {
    for format in [OutputFormat::Text, OutputFormat::Json] {
        assert_eq!(assembled(&format!("\u{feff}{}", dumped(format))), Ok(WORDS.to_vec()));
    }
    assert!(assembled("{\"type\":\"draw\"}\n\u{feff}{\"type\":\"draw\"}\n").is_err(), "elsewhere it is a mistake");
}

/// A remark, or the name of a file, may begin like the line that names generation and queue: it remains a remark.
#[test]
fn no_remark_is_taken_for_a_title() {
    let mut out = Vec::new();
    let mut dump = report::Dump::new(&mut out, &DumpOptions::new(Gfx::Gfx11, Queue::Graphics)).expect("memory takes it");
    for remark in ["generation gfx11", "generation 5.bin", "generation gfx9, queue compute", "of generation"] {
        dump.comment(remark).expect("memory takes it");
        dump.begin("a");
        dump.words(&WORDS).expect("memory takes it");
        dump.end().expect("memory takes it");
    }
    drop(dump);
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(text.contains("generation 5.bin\n") && text.contains("\n# of generation\n"), "{text}");
    assert_eq!(assembled(&text), Ok(WORDS.repeat(4)));
}

#[test]
fn an_assembler_takes_lines_of_text_alone() {
    let mut assembler = Assembler::default();
    let error = assembler.line(b"\xFF").expect_err("no text");
    assert_eq!(error.to_string(), "line 1: is not UTF-8: give the text or JSON that dump prints, not the binary stream");
    let mut assembler = Assembler::default();
    for line in ["", "  ", "# a remark", "000000  c0012d00  X"] {
        assembler.line(line.as_bytes()).expect("a line");
    }
    assert_eq!(assembler.finish().expect_err("its words are missing").to_string(), "line 4: header 0xc0012d00 announces 2 body dwords, but there are 0");
}
