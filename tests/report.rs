//! What the library prints and reads back, where no program is needed.

use pm4::report;

/// The message about input of one or several lines.
fn complaint(input: &str) -> String {
    report::assemble(&mut input.as_bytes()).expect_err("it cannot be assembled").to_string()
}

#[test]
fn a_message_about_a_long_line_is_short() {
    let long = "x".repeat(10 << 20);
    let digits = "1".repeat(10 << 20);
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
    assert_eq!(complaint("000000  c0012d00  DRAW_INDEX_AUTO ; 3"), "line 1: \"3\" is no word of eight hexadecimal digits");
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

/// The page of a run of this stream under this name.
#[cfg(feature = "gfx11")]
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
#[cfg(feature = "gfx11")]
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
#[cfg(feature = "gfx11")]
fn a_page_of_ten_thousand_packets_is_small() {
    // Two context registers and a draw, all with other values each time.
    let stream: Vec<u32> =
        (0..5000u32).flat_map(|i| [0xC002_6900, 0x10F, i.wrapping_mul(0x9E37_79B9), i.wrapping_mul(0x85EB_CA6B), 0xC001_2D00, i, 2]).collect();
    let length = run_page("many", &stream).len();
    assert!(length < 3_000_000, "{length} bytes");
}
