//! The output of the example program `check`.
#[path = "../../../examples/common/mod.rs"]
mod common;

use common::files::{self, FileAt};
use common::progress::During;
use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::packet::Queue;
use pm4::report::{self, DrawLog, OutputFormat, ReportOptions};
use serde_json::Value;
use std::io::{self, Write};

/// DB_DFSM_CONTROL is not written and the wave id is requested in one register only; the second draw is predicated.
const STREAM: [u32; 15] = [0xC001_6900, 0x203, 0x1_8600, 0xC001_6900, 0x310, 4, 0xC001_7600, 0xB, 0, 0xC001_2D00, 3, 2, 0xC001_2D01, 3, 2];

fn print(format: OutputFormat, words: &[u32]) -> String {
    let mut cp = CommandProcessor::new(Chip::Vega10);
    cp.submit(Queue::Graphics, "dir/main.bin", words);
    let mut out = Vec::new();
    report::run(&mut out, &mut cp, &[], ReportOptions { format, ..ReportOptions::default() }).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn json_lines_are_records_with_the_keys_of_the_contract() {
    let text = print(OutputFormat::Json, &STREAM);
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect();
    let kinds: Vec<&str> = records.iter().map(|r| r["type"].as_str().unwrap()).collect();
    // Findings of draws with the same cause are merged: both draws have the first one.
    assert_eq!(kinds, ["draw", "draw", "finding", "finding", "finding", "summary"]);
    let draw = &records[0];
    assert_eq!((draw["index"].as_u64(), draw["queue"].as_str(), draw["file"].as_str()), (Some(0), Some("gfx"), Some("dir/main.bin")));
    assert_eq!((draw["dword"].as_u64(), draw["opcode"].as_str()), (Some(9), Some("DRAW_INDEX_AUTO")));
    assert!(draw.get("predicated").is_none());
    assert_eq!(draw["registers"]["context"]["0x2880c"], "0x00018600");
    assert_eq!(draw["registers"]["sh"]["0x0b02c"], "0x00000000");
    assert_eq!(draw["registers"]["sh_compute"], serde_json::json!({}));
    assert_eq!(records[1]["predicated"], true);
    let finding = &records[2];
    assert_eq!((finding["count"].as_u64(), finding["draw"].as_u64(), finding["last_draw"].as_u64()), (Some(2), Some(0), Some(1)));
    assert_eq!((finding["code"].as_str(), finding["severity"].as_str(), finding["dword"].as_u64()), (Some("POPS-02"), Some("error"), Some(9)));
    assert_eq!((finding["register"].as_str(), finding["field"].as_str()), (Some("SPI_SHADER_PGM_RSRC2_PS"), Some("LOAD_COLLISION_WAVEID")));
    for key in ["message", "help", "source"] {
        assert!(finding[key].is_string(), "{key}");
    }
    let summary = records.last().unwrap();
    for (key, value) in [("packets", 5), ("draws", 2), ("dispatches", 0), ("context_rolls", 0), ("errors", 1), ("warnings", 2)] {
        assert_eq!(summary[key], value, "{key}");
    }
}

/// COND_EXEC at an unmapped address, over SET_CONTEXT_REG DB_EQAA and SX_PS_DOWNCONVERT in turn.
#[test]
fn a_draw_names_the_registers_that_a_condition_may_have_left_alone() {
    let words = [0xC001_6900, 0x201, 7, 0xC003_2200, 0x1000, 1, 0, 3, 0xC001_6900, 0x201, 9, 0xC001_6900, 0x1D5, 1, 0xC001_2D00, 3, 2];
    let text = print(OutputFormat::Json, &words);
    let draw: Value = serde_json::from_str(text.lines().find(|line| line.contains("\"type\":\"draw\"")).expect("a draw")).expect("JSON");
    assert_eq!((&draw["registers"]["context"]["0x28804"], &draw["registers"]["context"]["0x28754"]), (&"0x00000009".into(), &"0x00000001".into()));
    assert_eq!(draw["uncertain"], serde_json::json!(["0x28804"]));
}

#[test]
fn text_shows_draws_findings_and_a_summary() {
    let text = print(OutputFormat::Text, &STREAM);
    for part in [
        "    0  gfx     DRAW_INDEX_AUTO          dir/main.bin[9]  3 registers",
        "error[POPS-02]: LOAD_COLLISION_WAVEID is 1 in PA_SC_SHADER_CONTROL and 0 in SPI_SHADER_PGM_RSRC2_PS",
        "  --> dir/main.bin dword 9 (byte 0x24), DRAW_INDEX_AUTO, 2 times, from draw 0 to 1",
        "   = note: PA_SC_SHADER_CONTROL (0x28c40) was last written with 0x00000004, by dir/main.bin dword 3 (byte 0xc)",
        "predicated  same registers",
        "5 packets, 2 draws, 0 dispatches, 0 context rolls; 1 error, 2 warnings, 0 infos",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colour unless asked for");
}

/// LOAD_CONTEXT_REG_INDEX of registers from unmapped memory: their values are then unknown.
#[test]
fn draws_tell_how_many_registers_are_no_longer_known() {
    for (count, told) in [(0, "same registers"), (1, "(1 cleared or no longer known)"), (2, "(2 cleared or no longer known)")] {
        let draw = [0xC001_2D00, 3, 2];
        let words = [&[0xC002_6900, 0x203, 0x10, 1][..], &draw, &[0xC003_9F00, 0x1000, 0, 0x203, count], &draw].concat();
        let text = print(OutputFormat::Text, &words);
        let second = text.lines().find(|line| line.contains("main.bin[12]  ")).expect("the second draw");
        assert!(second.ends_with(&format!("  {told}")), "{second}");
    }
}

#[test]
fn a_repeated_finding_is_cut_short_in_text() {
    let noise = vec![0x4000_0000; 1000];
    let text = print(OutputFormat::Text, &noise);
    assert!(text.lines().count() < 60, "{text}");
    assert!(text.contains("if there are more of ENC-04, they are only counted"));
    assert_eq!(print(OutputFormat::Json, &noise).lines().count(), 1001, "JSON has them all");
}

#[test]
fn a_closed_output_is_an_error_and_no_panic() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for format in [OutputFormat::Text, OutputFormat::Json] {
        let mut cp = CommandProcessor::new(Chip::Vega10);
        cp.submit(Queue::Graphics, "main", &STREAM);
        let error = report::run(&mut Closed, &mut cp, &[], ReportOptions { format, ..ReportOptions::default() }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn files_may_carry_an_address() {
    let parse = |text: &str| FileAt::parse(text.into()).map(|file| (file.name, file.addr));
    assert_eq!(parse("a/b.bin"), Ok(("a/b.bin".to_owned(), None)));
    assert_eq!(parse("a@b.bin@0xFFFF800000001000"), Ok(("a@b.bin".to_owned(), Some(0xFFFF_8000_0000_1000))));
    assert_eq!(parse("b.bin@4096"), Ok(("b.bin".to_owned(), Some(4096))));
    for bad in ["b.bin@", "b.bin@0x", "@0x1000", "b.bin@0x1FFFFFFFFFFFFFFFF", "b.bin@99999999999999999999"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn what_is_not_an_address_belongs_to_the_name_and_the_error_says_it() {
    for name in ["x@y.bin", "b.bin@zz", "b.bin@+5", "b.bin@0x+5", "b.bin@-1", "b.bin@0x12g"] {
        let file = FileAt::parse(name.into()).expect("a name");
        assert_eq!((file.name.as_str(), file.addr), (name, None));
        let error = file.read(None, usize::MAX).expect_err("no such file");
        assert!(error.starts_with(name) && error.contains("an address is 0x… or a decimal number"), "{error}");
    }
    let path = std::env::temp_dir().join(format!("pm4-check-{}@y.bin", std::process::id()));
    std::fs::write(&path, [1, 2, 3, 4]).unwrap();
    let read = FileAt::parse(path.clone().into()).expect("a name").read(None, usize::MAX);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read.map(|mut read| read.buffers.remove(0).words), Ok(vec![0x0403_0201]));
}

#[cfg(unix)]
#[test]
fn a_name_need_not_be_unicode() {
    use std::os::unix::ffi::OsStringExt;
    let name = |tail: &[u8]| std::ffi::OsString::from_vec([b"streams/\xFF.bin", tail].concat());
    let file = FileAt::parse(name(b"@0x1000")).expect("a name and an address");
    assert_eq!((file.path.into_os_string(), file.name.as_str(), file.addr), (name(b""), "streams/\u{FFFD}.bin", Some(0x1000)));
    assert_eq!(FileAt::parse(name(b"@\xFF")).map(|file| file.addr), Ok(None));
}

#[test]
fn words_are_little_endian_and_a_rest_is_reported() {
    let path = std::env::temp_dir().join(format!("pm4-check-{}.bin", std::process::id()));
    std::fs::write(&path, [1, 2, 3, 4, 5, 6]).unwrap();
    let read = files::open(&path, None, During::Reading).and_then(|source| files::read(source, &path, usize::MAX)).unwrap().buffers.remove(0);
    std::fs::remove_file(&path).unwrap();
    assert_eq!((read.words, read.trailing_bytes), (vec![0x0403_0201], vec![5, 6]));
}

/// The draws of a stream, for comparison.
fn draws(words: &[u32]) -> DrawLog {
    let mut cp = CommandProcessor::new(Chip::Vega10);
    cp.submit(Queue::Graphics, "main", words);
    DrawLog::run(&mut cp)
}

fn difference(format: OutputFormat, a: &[u32], b: &[u32]) -> (bool, String) {
    let mut out = Vec::new();
    let differ = report::diff(&mut out, &draws(a), &draws(b), format).expect("a vector takes everything");
    (differ, String::from_utf8(out).expect("text"))
}

#[test]
fn diff_names_the_draws_and_the_fields_that_differ() {
    let mut other = STREAM;
    other[5] = 0;
    let (differ, text) = difference(OutputFormat::Text, &STREAM, &other);
    assert!(differ);
    for part in [
        "draw 0: DRAW_INDEX_AUTO at dword 9",
        "PA_SC_SHADER_CONTROL",
        "LOAD_COLLISION_WAVEID 1 -> 0",
        "draws that differ: 2 of 2 (draws in the first stream: 2, in the second: 2)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (_, text) = difference(OutputFormat::Json, &STREAM, &other);
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect();
    assert_eq!((&records[0]["type"], &records[0]["a"], &records[0]["b"]), (&"difference".into(), &"0x00000004".into(), &"0x00000000".into()));
    assert_eq!(records.last().unwrap()["differing"], 2);
}

#[test]
fn diff_of_a_stream_with_itself_is_empty_and_a_missing_draw_is_a_difference() {
    let (differ, text) = difference(OutputFormat::Text, &STREAM, &STREAM);
    assert!(!differ && text.starts_with("draws that differ: 0 of 2 "), "{text}");
    assert!(difference(OutputFormat::Json, &STREAM, &STREAM[..12]).0);
}
