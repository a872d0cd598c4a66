//! Library output and its reading, and the inputs that it reads, as far as no program is needed.

use pm4::report;

/// The message about input of one or several lines.
fn complaint(input: &str) -> String {
    report::assemble(&mut input.as_bytes()).expect_err("it cannot be assembled").to_string()
}

#[test]
fn a_message_about_a_long_line_is_short() {
    const LENGTH: usize = if cfg!(debug_assertions) { 1 << 20 } else { 10 << 20 };
    let long = "x".repeat(LENGTH);
    let digits = "1".repeat(LENGTH);
    let title = "# generation gfx9, queue gfx\n";
    let packet = r#"{"type":"packet","header":"0xc0012d00","body":["0x00000003","0x00000002"]"#;
    let list = vec!["\"0x00000001\""; 1 << 18].join(",");
    let lines = [
        long.clone(),
        format!("000000  {long}"),
        format!("000000  c0012d00  DRAW_INDEX_AUTO ; {long}"),
        format!("{title}000000  c0012d00  {long} ; 00000003 00000002"),
        format!("{title}000000  c0012d00  DRAW_INDEX_AUTO index_count={long} ; 00000003 00000002"),
        format!("{title}000000  c0016900  SET_CONTEXT_REG ; 00000203 00018600\n    2880c {long} 00018600"),
        format!("# generation {long}"),
        format!("# generation {long}, queue gfx"),
        format!("# generation gfx9, queue {long}"),
        format!("{{\"type\":\"{long}\"}}"),
        format!("{{\"{long}\":1}}"),
        format!("{{\"type\":{digits}}}"),
        format!("{{{long}"),
        format!("{packet},\"opcode_value\":\"{long}\"}}"),
        format!("{packet},\"predicate\":{{\"{long}\":1}}}}"),
        format!("{packet},\"gfx\":\"{long}\",\"queue\":\"gfx\"}}"),
        format!("{packet},\"gfx\":[\"{long}\"],\"queue\":\"gfx\"}}"),
        format!("{packet},\"gfx\":\"gfx9\",\"queue\":\"{long}\"}}"),
        format!("{packet},\"gfx\":\"gfx9\",\"queue\":\"gfx\",\"opcode\":\"{long}\"}}"),
        format!("{packet},\"gfx\":\"gfx9\",\"queue\":\"gfx\",\"fields\":{{\"{long}\":\"{long}\"}}}}"),
        format!("{packet},\"gfx\":\"gfx9\",\"queue\":\"gfx\",\"fields\":{{\"index_count\":\"{long}\"}}}}"),
        format!("{packet},\"gfx\":\"gfx9\",\"queue\":\"gfx\",\"flags\":[{list}]}}"),
        format!(r#"{{"type":"packet","header":"{long}","body":[]}}"#),
        format!(r#"{{"type":"packet","header":"0xc0012d00","body":["{long}"]}}"#),
        format!(r#"{{"type":"packet","header":"0xc0012d00","body":[{list}]}}"#),
        format!(r#"{{"type":"error","words":["{long}"]}}"#),
        format!(r#"{{"type":"error","bytes":["0xffffffff","{long}"]}}"#),
    ];
    for line in lines {
        let message = complaint(&line);
        assert!(message.starts_with("line "), "{}", &message[..40]);
        assert!(message.len() < 400, "{} bytes: {}…", message.len(), message.chars().take(200).collect::<String>());
    }
}

#[test]
fn a_short_part_of_the_input_is_repeated_whole() {
    assert_eq!(complaint("000000  c0012d00  DRAW_INDEX_AUTO ; 3"), "line 1: \"3\" is not a word of eight hexadecimal digits");
    let word = "é".repeat(80);
    assert_eq!(complaint(&word), format!("line 1: starts with {word:?}, not with the offset of a packet"));
    assert_eq!(complaint(&format!("{word}é")), format!("line 1: starts with \"{word}…\", not with the offset of a packet"));
}

#[test]
fn lines_and_damage_come_back_from_text_and_json() {
    use pm4::report::{DumpOptions, OutputFormat};
    let gfx = pm4::chip::Chip::all().next().expect("a chip").gfx();
    let bytes = [0x00, 0x2D, 0x01, 0xC0, 3, 0, 0, 0, 2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 7, 8];
    for format in [OutputFormat::Text, OutputFormat::Json] {
        for color in [false, true] {
            let options = DumpOptions { format, color, ..DumpOptions::new(gfx, pm4::packet::Queue::Graphics) };
            let mut out = Vec::new();
            assert!(report::dump_files(&mut out, &[("a", &bytes), ("b", &bytes)], &options).expect("a vector takes everything"), "damage");
            let back = report::assemble(&mut out.as_slice()).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&out)));
            assert_eq!(back, [bytes, bytes].concat());
        }
    }
}

#[test]
fn a_dump_in_pieces_is_the_dump_of_the_whole() {
    use pm4::packet::Queue;
    use pm4::report::{Dump, DumpOptions, OutputFormat};
    let words = include_bytes!("../../captures/navi31/two_cmdbufs_one_submit.bin");
    // Whole, with bytes after the last word, and cut within a packet.
    let cut = words.len() - 6;
    for stream in [&words[..], &words[..cut], &words[..7], &[]] {
        for format in [OutputFormat::Text, OutputFormat::Json] {
            let options = DumpOptions { format, ..DumpOptions::new(pm4::chip::Gfx::Gfx11, Queue::Graphics) };
            let mut whole = Vec::new();
            let damaged = report::dump_files(&mut whole, &[("a", stream)], &options).expect("a vector takes everything");
            for size in [1, 3, 4, 5, 64, 1000] {
                let mut pieces = Vec::new();
                let mut dump = Dump::new(&mut pieces, &options).expect("a vector takes everything");
                dump.begin("a");
                stream.chunks(size).for_each(|piece| dump.bytes(piece).expect("a vector takes everything"));
                assert_eq!(dump.end().expect("a vector takes everything"), damaged);
                drop(dump);
                assert!(pieces == whole, "pieces of {size} bytes");
            }
        }
    }
}

#[test]
fn a_filter_prints_the_packets_asked_for_and_no_others() {
    use pm4::chip::Gfx;
    use pm4::packet::Queue;
    use pm4::report::{Dump, DumpOptions, PacketFilter};
    let bytes = include_bytes!("../../captures/navi31/two_cmdbufs_one_submit.bin");
    let lines = |filter: PacketFilter| -> Vec<String> {
        let mut out = Vec::new();
        let mut dump = Dump::new(&mut out, &DumpOptions::new(Gfx::Gfx11, Queue::Graphics)).expect("a vector takes everything").filter(filter);
        dump.begin("a");
        dump.bytes(bytes).expect("a vector takes everything");
        dump.end().expect("a vector takes everything");
        drop(dump);
        let text = String::from_utf8(out).expect("UTF-8");
        // Packets begin at the left margin.
        text.lines().filter(|line| !line.starts_with([' ', '#'])).map(str::to_owned).collect()
    };
    let empty = PacketFilter::default;
    let all = lines(empty());
    let dword = |line: &String| line[..6].parse::<usize>().expect("an offset");
    let draws = lines(empty().packet(Gfx::Gfx11, "draw_index_auto").expect("a packet"));
    assert_eq!(draws, all.iter().filter(|line| line.contains("  DRAW_INDEX_AUTO ")).cloned().collect::<Vec<_>>());
    assert!(!draws.is_empty() && draws.len() < all.len());
    let part = lines(empty().from(0x20).to(0x60));
    assert_eq!(part, all.iter().filter(|line| (0x20..=0x60).contains(&dword(line))).cloned().collect::<Vec<_>>());
    let text = lines(empty().text("draw"));
    assert!(draws.iter().all(|line| text.contains(line)));
    let (by_name, by_address) =
        (lines(empty().register(Gfx::Gfx11, "CB_TARGET_MASK").expect("a register")), lines(empty().register(Gfx::Gfx11, "0x28238").expect("an address")));
    assert_eq!((by_name.is_empty(), &by_name), (false, &by_address));
    assert!(lines(empty().register(Gfx::Gfx11, "CB_*").expect("registers")).len() >= by_name.len());
    assert!(empty().register(Gfx::Gfx11, "NO_SUCH").is_err() && empty().packet(Gfx::Gfx11, "NO_SUCH").is_err());
}

/// The page of a run of this stream with this name.
fn run_page(name: &str, stream: &[u32]) -> String {
    let mut cp = pm4::cp::CommandProcessor::new(pm4::chip::Chip::Navi31);
    cp.submit(pm4::packet::Queue::Graphics, name, stream);
    let mut page = report::html::RunPage::of(&cp);
    let summary = cp.run(&mut page);
    let mut file = Vec::new();
    page.write(&mut file, &cp, &summary).expect("memory takes it");
    String::from_utf8(file).expect("a page is UTF-8")
}

#[test]
fn names_in_pages_are_text() {
    let draw = [0xC001_2D00, 3, 2];
    for name in ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\" onclick=\"alert(1)", "</title><b>", "<!--", "\u{2028}'`${1}"] {
        let plain = run_page("name", &draw);
        let page = run_page(name, &draw);
        let tags = |page: &str| page.matches('<').count();
        assert_eq!(tags(&page), tags(&plain), "{name} opens no tag");
        assert!(page.contains("default-src 'none'"), "the page may load nothing");
        let mut stream = Vec::new();
        let options = report::DumpOptions::new(pm4::chip::Gfx::Gfx11, pm4::packet::Queue::Graphics);
        report::html::stream_page(&mut stream, &[(name, &[0, 0, 0, 0, 1])], &options).expect("memory takes it");
        let title = String::from_utf8(stream).expect("a page is UTF-8").lines().find(|line| line.contains("<title>")).map(str::to_owned).expect("a title");
        assert_eq!(title.matches("<script").count() + title.matches("<img").count() + title.matches("<b>").count(), 0, "{title}");
    }
}

#[test]
fn a_page_of_ten_thousand_packets_is_small() {
    // Two context registers and a draw, with new values each time.
    let stream: Vec<u32> =
        (0..5000u32).flat_map(|i| [0xC002_6900, 0x10F, i.wrapping_mul(0x9E37_79B9), i.wrapping_mul(0x85EB_CA6B), 0xC001_2D00, i, 2]).collect();
    let length = run_page("many", &stream).len();
    assert!(length < 3_000_000, "{length} bytes");
}

mod manifest {
    use pm4::cp::{CommandProcessor, QueueId};
    use pm4::packet::Queue;
    use pm4::report::Manifest;

    const WHOLE: &str = r#"# a submission
{"type":"submission","chip":"vega10","partial":true,"closed":true}

{"type":"firmware","me":2150}
{"type":"board","shader_engines":4}
{"type":"memory","words":["0x00000007",8],"addr":"0x800000001000","read_only":true}
{"type":"register","name":"DB_SHADER_CONTROL","value":"0x5"}
{"type":"register","queue":"compute3","addr":"0xb848","value":9}
{"type":"expect","addr":"0x800000002000","bytes":4,"by":"the compositor"}
{"type":"submit","file":"main.bin","addr":"0x800000100000"}
{"type":"submit","name":"ring","queue":"compute","words":[],"ring":true}
{"type":"submit","queue":"constant","file":"constant.bin"}
"#;

    #[test]
    fn what_is_written_is_what_was_read() {
        let manifest = Manifest::parse(WHOLE).expect("all lines are sound");
        assert_eq!(manifest.files().collect::<Vec<_>>(), ["main.bin", "constant.bin"]);
        assert_eq!(Manifest::parse(&manifest.to_string()), Ok(manifest));
    }

    #[test]
    fn a_submission_does_what_its_lines_say() {
        let manifest = Manifest::parse(WHOLE).expect("all lines are sound");
        // COPY_DATA of 0x800000001000 to the flag, then a wait on another one
        let main = [0xC004_4000, 1 | 5 << 8, 0x1000, 0x8000, 0x2004, 0x8000, 0xC005_3C00, 0x13, 0x2000, 0x8000, 1, u32::MAX, 4];
        let words = manifest.load(|file| Ok::<_, ()>(if file == "main.bin" { main.to_vec() } else { Vec::new() })).expect("no file is missing");
        let mut cp = CommandProcessor::new(manifest.chip);
        manifest.apply(&words, &mut cp);
        assert_eq!((cp.options().firmware.me, cp.options().board.shader_engines, cp.options().partial), (Some(2150), Some(4), true));
        assert_eq!(cp.registers(Queue::Graphics).value(0x2880C), Some(5));
        assert_eq!(cp.registers_of(QueueId(3)).and_then(|registers| registers.value(0xB848)), Some(9));
        let summary = cp.run(&mut ());
        // The flag lies in unmapped memory; the wait counts as satisfied.
        assert_eq!((summary.packets, summary.errors, cp.memory(0x8000_0000_2004)), (2, 1, Some(7)));
    }

    #[test]
    fn a_wrong_line_is_reported_with_its_number() {
        let begin = r#"{"type":"submission","chip":"navi31"}"#;
        for (line, message) in [
            ("{", "the line is not JSON"),
            ("  {7:1}", "the line is not JSON: key must be a string at column 4"),
            ("[]", "not a JSON object"),
            ("{}", "the key type is missing"),
            (r#"{"type":"memory","addr":0}"#, "neither file nor words"),
            (r#"{"type":"memory","words":[],"file":"a","addr":0}"#, "has both file and words: give only one"),
            (r#"{"type":"memory","words":[]}"#, "needs the key addr"),
            (r#"{"type":"memory","words":["0x100000000"],"addr":0}"#, "words is 0x100000000, above the largest value 0xffffffff"),
            (r#"{"type":"memory","words":7,"addr":0}"#, "not a list of words"),
            (r#"{"type":"memory","words":[],"addr":"0x1002"}"#, "addr is 0x1002: words are at multiples of 4"),
            (r#"{"type":"submit","words":[],"addr":"0x1002"}"#, "addr is 0x1002: words are at multiples of 4"),
            (r#"{"type":"memory","words":[],"addr":"12"}"#, "addr is \"12\", not a number"),
            (r#"{"type":"memory","words":[],"addr":-1}"#, "addr is -1, not a number"),
            (r#"{"type":"memory","words":[],"addr":0,"size":3}"#, "the key \"size\" is not known"),
            (r#"{"type":"register","name":"NOTHING","value":1}"#, "no register \"NOTHING\""),
            (r#"{"type":"register","value":1}"#, "one of the keys name and addr"),
            (r#"{"type":"register","addr":1}"#, "needs the key value"),
            (r#"{"type":"submit","queue":"compute9","words":[]}"#, "not gfx, compute, compute2 to compute8 or constant"),
            (r#"{"type":"submit","queue":"constant","words":[]}"#, "no constant engine: use queue gfx or compute"),
            (r#"{"type":"register","queue":"constant","addr":163840,"value":1}"#, "no constant engine: use queue gfx or compute"),
            (r#"{"type":"expect","addr":1,"bytes":4}"#, "needs the key by"),
            (r#"{"type":"firmware","me":"new"}"#, "me is \"new\", not a number"),
            (r#"{"type":"submission","chip":"navi31"}"#, "only the first line may have this type"),
            (r#"{"type":"draw"}"#, "\"draw\" is not a line type"),
        ] {
            let error = Manifest::parse(&format!("{begin}\n\n{line}\n")).expect_err(line);
            assert_eq!(error.line, 3, "{line}");
            assert!(error.message.contains(message), "{line}: {error}");
        }
        for (text, message) in
            [("", "has no lines"), (r#"{"type":"submission","chip":"navi99"}"#, "\"navi99\" is not a chip"), (r#"{"type":"memory"}"#, "begins with")]
        {
            let error = Manifest::parse(text).expect_err(text);
            assert!(error.line == 1 && error.message.contains(message), "{error}");
        }
        let long = format!(r#"{{"type":"{}"}}"#, "x".repeat(1 << 20));
        assert!(Manifest::parse(&format!("{begin}\n{long}")).expect_err("no type").to_string().len() < 200);
    }
}
