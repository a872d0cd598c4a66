//! Text of inputs as a terminal may have it.

use pm4::report::{OutputFormat, ShownOutput, shown};
use std::io::Write;

/// Every character that a terminal acts on.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;t\u{7}\u{8}\r\u{b}\u{7f}\u{85}\u{9b}2J\u{61c}\u{200e}\u{202e}\u{2028}\u{2066}\u{e0041}";

fn through(format: OutputFormat, color: bool, pieces: &[&[u8]]) -> String {
    let mut out = ShownOutput::new(Vec::new(), format, color);
    pieces.iter().for_each(|piece| out.write_all(piece).expect("memory takes it"));
    String::from_utf8(out.finish().expect("memory takes it")).expect("what passes is UTF-8")
}

#[test]
fn nothing_that_a_terminal_acts_on_passes() {
    for format in [OutputFormat::Text, OutputFormat::Json] {
        let text = through(format, false, &[HOSTILE.as_bytes()]);
        assert!(text.is_ascii() && !text.contains(|c: char| c.is_control()), "{text:?}");
    }
    assert_eq!(shown(HOSTILE), through(OutputFormat::Text, false, &[HOSTILE.as_bytes()]));
    assert_eq!(shown("a\nb"), "a\\nb");
}

#[test]
fn the_pieces_of_a_text_do_not_matter() {
    let text = format!("näher \u{1b}[1;31m{HOSTILE}\n🦀");
    for color in [false, true] {
        let whole = through(OutputFormat::Text, color, &[text.as_bytes()]);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(through(OutputFormat::Text, color, &bytes), whole);
        assert_eq!(whole.contains("\u{1b}[1;31m"), color);
        assert!(!whole.contains("\u{1b}]") && whole.ends_with("\n🦀"));
    }
    assert_eq!(through(OutputFormat::Text, false, &[b"a\xFFb\xE2\x82"]), "a\u{fffd}b\u{fffd}");
}
