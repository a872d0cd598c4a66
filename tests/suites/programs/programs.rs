//! The example programs as they run: their records, and their behavior with bad files, names and outputs.
use crate::examples;
use crate::input_samples as samples;
use examples::{PROGRAMS, program, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use strum::IntoEnumIterator;

/// A folder for the files of one test, deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pm4-programs-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for files");
        Self(path)
    }

    fn file(&self, name: impl AsRef<Path>, words: &[u32]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The keys of a record according to the page: type, and whether the key is optional.
type Keys = BTreeMap<String, (String, bool)>;

/// The tables of docs/json.md by their headings.
fn documented() -> BTreeMap<String, Keys> {
    let page = std::fs::read_to_string(crate::support::repository("docs/json.md")).expect("the page");
    let mut tables: BTreeMap<String, Keys> = BTreeMap::new();
    let mut heading = None;
    for line in page.lines() {
        if let Some(text) = line.strip_prefix("## ") {
            heading = Some(text.to_owned());
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let (Some(heading), ["", key, kind, ..]) = (&heading, &cells[..])
            && let Some(key) = key.strip_prefix('`').and_then(|key| key.strip_suffix('`'))
        {
            let required = kind.strip_suffix('?');
            tables.entry(heading.clone()).or_default().insert(key.to_owned(), (required.unwrap_or(kind).to_owned(), required.is_some()));
        }
    }
    tables
}

/// Whether a value has a type of the page.
fn fits(kind: &str, value: &Value) -> bool {
    let has = |keys: &[&str]| value.as_object().is_some_and(|object| object.keys().eq(keys));
    if let Some((one, other)) = kind.split_once(" or ") {
        return fits(one, value) || fits(other, value);
    }
    match kind {
        "string" => value.is_string(),
        "number" => value.is_u64(),
        "decimal" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        "hex" => value
            .as_str()
            .and_then(|text| text.strip_prefix("0x"))
            .is_some_and(|text| !text.is_empty() && !text.contains(|c| !matches!(c, '0'..='9' | 'a'..='f'))),
        "wave" => has(&["packer", "number", "id"]),
        "instruction" => has(&["byte", "text"]),
        _ => kind.strip_prefix("list of ").is_some_and(|kind| value.as_array().is_some_and(|list| list.iter().all(|value| fits(kind, value)))),
    }
}

/// Checks the keys of an object that begin with `prefix`.
fn hold(keys: &Keys, prefix: &str, object: &Value, seen: &mut BTreeSet<String>, wrong: &mut Vec<String>) {
    let Some(object) = object.as_object() else { return };
    let here = keys.iter().filter_map(|(key, kind)| Some((key.strip_prefix(prefix)?, kind))).filter(|(key, _)| !key.contains('.'));
    wrong.extend(here.filter(|(key, kind)| !kind.1 && !object.contains_key(*key)).map(|(key, _)| format!("{prefix}{key} is missing")));
    for (name, value) in object {
        let key = format!("{prefix}{name}");
        match keys.get(&key) {
            None => wrong.push(format!("{key} is not on the page")),
            Some((kind, _)) if !fits(kind, value) => wrong.push(format!("{key} is no {kind}: {value}")),
            Some(_) => {}
        }
        let below = |start: &str| keys.keys().any(|key| key.starts_with(start));
        let (member, element) = (format!("{key}."), format!("{key}[]."));
        if below(&member) {
            hold(keys, &member, value, seen, wrong);
        }
        if below(&element) {
            value.as_array().into_iter().flatten().for_each(|value| hold(keys, &element, value, seen, wrong));
        }
        seen.insert(key);
    }
}

/// A draw whose interlock is set up wrongly, and a predicated one.
const DRAWS: [u32; 15] = [0xC001_6900, 0x203, 0x1_8600, 0xC001_6900, 0x310, 4, 0xC001_7600, 0xB, 0, 0xC001_2D00, 3, 2, 0xC001_2D01, 3, 2];

/// A log with everything that an incident can contain.
const LOG: &str = "Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32770, for process a pid 7 thread b pid 8)
Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x00007f1230000000 from IH client 0x1b (UTCL2)
Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu:   cookie node_id 6 fault from die AID1.XCD1
Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00841051
Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:5 pasid:32770, for process a pid 7 thread b pid 8)
Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x00007f1230001000 from IH client 0x1b (UTCL2)
Jun 19 15:03:35 HOST kernel: amdgpu 0000:03:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00841051
Jun 19 15:03:36 HOST kernel: [drm:gfx_v11_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream
Jun 19 15:03:37 HOST kernel: amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
Jun 19 15:03:37 HOST kernel: amdgpu 0000:03:00.0: amdgpu:  Process a pid 7 thread b pid 8
Jun 19 15:03:38 HOST kernel: amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg=SUSPEND
Jun 19 15:03:39 HOST kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  1
Jun 19 15:03:39 HOST kernel: amdgpu 0000:03:00.0: amdgpu: MODE1 reset
Jun 19 15:03:39 HOST kernel: amdgpu 0000:03:00.0: amdgpu: ring sdma0 timeout, signaled seq=1, emitted seq=3
Jun 19 15:03:40 HOST kernel: [drm] VRAM is lost due to GPU reset!
Jun 19 15:03:41 HOST kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
Jun 19 15:33:41 HOST kernel: BUG: kernel NULL pointer dereference, address: 0000000000000008
";

/// A device coredump of a Navi31: the draw with the wrong interlock setup hangs, with a page fault that its colour target may have caused.
const CRASH: &str = "**** AMDGPU Device Coredump ****
version: 1
kernel: 7.1.8
HWIP: GC[1][0]: v11.0.0.0.0
IP Type: 0 Ring Name: gfx_0.0.0
[gfxhub] Page fault observed
Faulty page starting at address: 0x0000000000234000
Protection fault status register: 0x101131
IP: gfx_v11_0
regCP_STALLED_STAT2                                \t 0x00000800
regCP_IB1_BASE_LO                                  \t 0x00200000
regCP_IB1_BASE_HI                                  \t 0x00008001
regCP_IB1_BUFSZ                                    \t 0x00000004
regCP_ME_HEADER_DUMP                               \t 0xc0016900
regCP_ME_HEADER_DUMP                               \t 0xc0016901
regCP_ME_HEADER_DUMP                               \t 0xc0017600
regCP_ME_HEADER_DUMP                               \t 0xc0016900
regCP_ME_HEADER_DUMP                               \t 0xc0012d00
IB #0 0x800100200000 26 dw
0xc0012d00
0x00000003
0x00000002
0xc0016900
0x00000203
0x00018600
0xc0016901
0x00000310
0x00000004
0xc0017600
0x0000000b
0x00000000
0xc0016900
0x00000318
0x00002340
0xc0012d00
0x00000003
0x00000002
0xc0016900
0x00000203
0x00000000
0xc0016900
0x00000203
0x00000000
0xc0046900
0x00000203
";

/// A device coredump in which the ring waits for a fence before it starts the job.
fn ring_that_waits() -> String {
    let mut ring = vec![0xC001_2800u32, 0x8000_0000, 0, 0xC005_3C00, 0x13, 0x0040_1040, 0, 0x2A, 0xFFFF_FFFF, 4];
    ring.extend([0xC002_3F00, 0x0020_0000, 0x8001, 0x0100_0005, 0xC006_4900, 0x0660_3514, 0x2200_0000, 0x0040_1040, 0, 0x2A, 0, 0]);
    ring.resize(256, 0xFFFF_1000);
    let words: String = ring.iter().enumerate().map(|(at, word)| format!("0x{:x} \t 0x{word:x}\n", 4 * at)).collect();
    format!(
        "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\nIP: gfx_v11_0\nregGRBM_STATUS 0xa0000000\n\
         regCP_ME_HEADER_DUMP 0xc0012800\nregCP_ME_HEADER_DUMP 0xc0053c00\nring name: gfx_0.0.0\nRptr: 0xa Wptr: 0x100 RB mask: ff\nRing size in dwords: 256\n\
         Ring contents\nOffset \t Value\n{words}IB #0 0x800100200000 5 dw\n0xc0033700\n0x00000500\n0x00401040\n0x00000000\n0x0000002a\n"
    )
}

#[test]
fn records_have_the_keys_and_types_of_their_page() {
    let folder = Folder::new("records");
    let mut others = DRAWS;
    others[5] = 0;
    let noise: Vec<u32> = (0..200).map(|n: u32| n.wrapping_mul(0x9E37_79B9)).collect();
    // A fence, a register without its index twice, a NOP with meaningless bits.
    let habits = [DRAWS.to_vec(), vec![0xC001_7600, 0x87, 0xFFFF, 0xC001_7600, 0x87, 0xFFFF, 0xC006_4900, 0x528, 0x4000_0000, 0x1001, 0x7F, 1, 2, 0]].concat();
    let [a, b, noise, habits] =
        [("a", &DRAWS[..]), ("b", &others), ("noise", &noise), ("habits", &habits)].map(|(name, words)| folder.file(name, words).display().to_string());
    let odd = folder.0.join("odd").display().to_string();
    std::fs::write(&odd, [0; 7]).expect("a file");
    let capture = crate::support::repository("tests/captures/navi31");
    let capture = std::fs::read_dir(capture).expect("captures").flatten().map(|entry| entry.path()).find(|path| path.display().to_string().contains("draw_"));
    let capture = capture.expect("a capture of draws").display().to_string();
    let tables = documented();
    let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = BTreeSet::new();
    let mut take = |name: &str, arguments: &[&str]| {
        let output = run(name, &[&["--format", "json"], arguments].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
            let record: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            let kind = record["type"].as_str().expect("a type");
            let heading = match (kind, name) {
                ("summary", _) if record["submissions"].is_number() => "summary of a recording",
                ("summary", _) if record["submissions_a"].is_number() => "summary of two recordings",
                ("summary", _) if arguments.contains(&"--diff") => "summary of a comparison",
                ("explain", "frame") => "explain of a frame",
                (kind, _) => kind,
            };
            let Some((heading, keys)) = tables.get_key_value(heading) else { panic!("{heading} is not on the page") };
            let mut problems = Vec::new();
            hold(keys, "", &record, seen.entry(heading).or_default(), &mut problems);
            wrong.extend(problems.into_iter().map(|problem| format!("{heading}: {problem}")));
        }
    };
    for file in [&a, &noise, &habits, &odd, &capture] {
        take("dump", &["--chip", "navi31", file]);
        take("check", &["--chip", "navi31", "--statistics", file]);
        take("check", &["--chip", "vega10", "--statistics", file]);
    }
    let text = folder.0.join("words.txt").display().to_string();
    std::fs::write(&text, "0xc0012d00\n0x00000003\nno word\n0x00000002\n0xffff1000 remark\n0xffff1000\n0xffff1000\n").expect("a file");
    take("check", &["--chip", "navi31", "--only", "packets", &capture]);
    take("dump", &["--chip", "navi31", &text]);
    take("check", &["--chip", "navi31", &text]);
    let crash = folder.0.join("crash.txt").display().to_string();
    std::fs::write(&crash, CRASH).expect("a file");
    take("dump", &[&crash]);
    take("check", &[&crash]);
    let log = folder.0.join("log.txt").display().to_string();
    std::fs::write(&log, LOG).expect("a file");
    take("check", &[&log]);
    let packed = folder.0.join("log.gz").display().to_string();
    std::fs::write(&packed, samples::gzip(LOG.as_bytes())).expect("a file");
    take("check", &[&packed]);
    let waits = folder.0.join("waits.txt").display().to_string();
    std::fs::write(&waits, ring_that_waits()).expect("a file");
    take("check", &[&waits]);
    let trace = folder.0.join("trace.log").display().to_string();
    let write = "c0033700 WRITE_DATA:\n40100500 \n00401000 \n00008001         DST_ADDR <- 0x800100401000 used after free\n00000001 \n";
    let wave = "Main Registers:\nixSQ_WAVE_PC_LO: 44aa5604 | ixSQ_WAVE_PC_HI: 00008000 | \n";
    std::fs::write(&trace, format!("----------- main IB begin - GFX -----------\n{write}----------- main IB end - GFX -----------\n{wave}")).expect("a file");
    take("check", &["--chip", "navi31", &trace]);
    let twice = folder.file("twice", &[DRAWS, others].concat()).display().to_string();
    take("check", &["--chip", "vega10", "--draw", "2", &twice]);
    // A register that COND_EXEC may skip: the condition is unmapped.
    let skipped = folder.file("skipped", &[0xC003_2200, 0x1000, 1, 0, 3, 0xC001_6900, 0x201, 9, 0xC001_2D00, 3, 2]).display().to_string();
    take("check", &["--chip", "vega10", "--draw", "0", &skipped]);
    take("check", &["--chip", "vega10", "--diff", &a, &b]);
    take("check", &["--chip", "vega10", "--diff", &a, &odd]);
    let mut more_vertices = DRAWS;
    let draw = DRAWS.iter().position(|word| *word == 0xC001_2D00).expect("a draw");
    more_vertices[draw + 1] += 3;
    let more = more_vertices;
    let more_vertices = folder.file("more vertices", &more_vertices).display().to_string();
    take("check", &["--chip", "vega10", "--diff", &a, &more_vertices]);
    // A register that CLEAR_STATE resets between two draws.
    let cleared = folder.file("cleared", &[&DRAWS[..], &[0xC000_1200, 0, 0xC001_2D00, 3, 2]].concat()).display().to_string();
    take("check", &["--chip", "navi31", "--changes", &cleared]);
    let statements = folder.0.join("statements.txt").display().to_string();
    std::fs::write(&statements, "every draw: PA_SC_MODE_CNTL_0.MSAA_ENABLE == 0\ncount draws > 0\ncount packets == 0\n").expect("a file");
    take("check", &["--chip", "navi31", "--assert", &statements, &a]);
    let [recording, other] = [("one.rec", DRAWS), ("other.rec", more)].map(|(name, words)| {
        let path = folder.0.join(name);
        std::fs::write(&path, samples::recording(&words.repeat(2), 0x10_0000)).expect("a file");
        path.display().to_string()
    });
    take("check", &["--recording", &recording]);
    take("check", &["--submission", "1", &recording]);
    take("check", &["--diff", &recording, &other]);
    take("dump", &[&recording]);
    take("draw", &["--explain"]);
    take("frame", &["--explain"]);
    take("draws", &["--case", "scissor", "--count", "100"]);
    take("regs", &["--gfx", "gfx10"]);
    for mutation in ["no-overlap-test", "at-or-past", "packer-not-set"] {
        take("waves", &["--chip", "vega10", "--waves", "200", "--mutate", mutation]);
    }
    take("waves", &["--list-mutations"]);
    for (heading, keys) in &tables {
        let seen = seen.get(heading.as_str());
        wrong.extend(keys.keys().filter(|key| !seen.is_some_and(|seen| seen.contains(*key))).map(|key| format!("{heading}: {key} is never printed")));
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

/// Up to GFX10.3 nothing of a draw without POPS has the mark D. The drain orders the launches; only the run shows the effect of a mistake.
#[test]
fn waves_names_only_what_its_run_has() {
    let printed = |list: &[&str]| String::from_utf8_lossy(&run("waves", list).stdout).into_owned();
    for (chip, mark) in [("vega10", ""), ("navi21", ""), ("navi31", " D exports with DONE, - after it,")] {
        let text = printed(&["--chip", chip, "--interlock", "none", "--waves", "50"]);
        assert!(text.contains(&format!("w writes,{mark} E end")), "{chip}: {text}");
    }
    assert!(printed(&["--chip", "navi21", "--waves", "50"]).contains("w writes, D leaves the section, - after it, E end"));
    let drained = printed(&["--chip", "vega10", "--samples", "8", "--mutate", "no-export-space", "--waves", "200"]);
    assert!(drained.contains("the drain is on: ") && !drained.contains("too early"), "{drained}");
}

/// Each submission of a recording runs by itself. The file may be packed, and its end may be missing.
#[test]
fn submissions_of_a_recording_run_one_by_one() {
    let folder = Folder::new("recording");
    // Half of the words are a submission: a register that only the first one sets.
    let half = |value| vec![0xC001_6900, 0x203, value, 0xC001_2D00, 3, 2];
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.display().to_string()
    };
    let recorded = |values: [u32; 2]| samples::recording(&values.map(half).concat(), 0x10_0000);
    let (one, same) = (file("one", &recorded([0x10, 0x20])), file("same", &samples::gzip(&recorded([0x10, 0x20]))));
    let other = file("other", &recorded([0x10, 0x30]));
    let packed = samples::gzip(&recorded([0x10, 0x20]));
    let cut = file("cut", &packed[..packed.len() - 9]);
    let check = |arguments: &[&str]| {
        let output = run("check", arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for name in [&one, &same] {
        let (status, text, message) = check(&[name]);
        assert!(status == Some(0) && text.contains("2 submissions: 4 packets, 2 draws"), "{name}: {text} {message}");
    }
    let (_, text, message) = check(&[&cut]);
    assert!(text.contains(" submissions: ") && message.contains("cut off"), "{text} {message}");
    let (status, text, _) = check(&["--submission", "1", &one]);
    assert!(status == Some(0) && text.contains("0x000000100000[3]") && text.contains("2 packets, 1 draw"), "{text}");
    assert_eq!(check(&["--submission", "2", &one]).0, Some(2));
    assert_eq!(check(&["--diff", &one, &same]).0, Some(0));
    let (status, text, _) = check(&["--diff", &one, &other]);
    assert!(status == Some(1) && text.starts_with("submission 1:\ndraw 0:") && text.contains("what changed first is in submission 1"), "{text}");
    for wrong in [&[one.as_str(), other.as_str()][..], &["--diff", &one], &["--recording", &file("words", &[0; 8])]] {
        assert_eq!(check(wrong).0, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_coredump_needs_no_chip_and_its_hang_comes_last() {
    let folder = Folder::new("crash");
    let crash = folder.0.join("crash.txt").display().to_string();
    std::fs::write(&crash, CRASH).expect("a file");
    let output = run("check", &[&crash]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "a device coredump of amdgpu",
        "chip navi31",
        "ME at IB #0 dword 15, DRAW_INDEX_AUTO  (medium confidence",
        "ME has no free context",
        "draw that can be in flight: 1",
        "findings that can explain it",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // Text that matches no form, and an input without a chip.
    let words = folder.0.join("words.txt").display().to_string();
    std::fs::write(&words, "0xc0012d00\n0x00000003\n0x00000002\n").expect("a file");
    let other = folder.0.join("other.txt").display().to_string();
    std::fs::write(&other, "Nothing but a sentence, which is not a dump.\n").expect("a file");
    for name in ["dump", "check"] {
        for (arguments, part) in [
            (&[words.as_str()][..], "--chip"),
            (&["--chip", "navi31", &other], "looks like text"),
            (&["--chip", "navi31", "--input", "nothing", &words], "devcoredump"),
        ] {
            let output = run(name, arguments);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), output.stdout.is_empty(), message.contains(part)), (Some(2), true, true), "{name} {arguments:?}: {message}");
        }
    }
}

#[test]
fn standard_input_accepts_every_form_in_pieces() {
    use std::io::Write as _;
    let stream: Vec<u8> = DRAWS.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text: String = DRAWS.iter().map(|word| format!("{word:08x}\n")).collect();
    let mut outputs = Vec::new();
    for bytes in [stream, text.into_bytes()] {
        let mut child = program("dump").args(["--chip", "vega10", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        bytes.chunks(7).for_each(|piece| input.write_all(piece).expect("the program reads"));
        drop(input);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(0));
        outputs.push(String::from_utf8(output.stdout).expect("UTF-8").lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>());
    }
    assert!(outputs[0].len() > 5 && outputs[0] == outputs[1]);
}

/// Long text is printed while it is read, and its form is printed at the end.
#[test]
fn long_text_on_a_pipe_is_printed_before_it_ends() {
    use std::io::{BufRead as _, Write as _};
    let text: String = DRAWS.iter().map(|word| format!("{word:08x}\n")).collect::<String>().repeat(2000);
    let arguments = ["--chip", "vega10", "--format", "json", "-"];
    let mut child = program("dump").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    // The text ends only after the first packet is printed.
    let (seen, first_seen) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        input.write_all(text.as_bytes())?;
        let _ = first_seen.recv();
        input.write_all(b"no word\n")
    });
    let mut first = String::new();
    output.read_line(&mut first).expect("the program prints while its input is open");
    assert!(first.starts_with(r#"{"type":"packet""#), "{first}");
    seen.send(()).expect("the writer waits");
    let lines: Vec<String> = output.lines().map(|line| line.expect("UTF-8")).collect();
    writer.join().expect("it ends").expect("the program reads");
    assert_eq!(child.wait().expect("the program ends").code(), Some(1), "a line is not a word");
    let packets = lines.iter().filter(|line| line.starts_with(r#"{"type":"packet""#)).count();
    assert_eq!(packets, 5 * 2000 - 1);
    let last: Value = serde_json::from_str(lines.last().expect("records")).expect("a record");
    assert_eq!((last["type"].as_str(), last["form"].as_str(), last["damage"][0]["place"].as_str()), (Some("input"), Some("hex"), Some("line 30001")));
}

#[test]
fn explanations_name_options_that_exist() {
    let help = String::from_utf8(run("check", &["--help"]).stdout).expect("UTF-8");
    let mut named = 0;
    for code in ["ENC-18", "mem-03", "POPS-17", "STA-10", "STA-19", "SYN-15", "SYN-18"] {
        let text = String::from_utf8(run("check", &["--explain", code]).stdout).expect("UTF-8");
        let options = text.lines().last().and_then(|line| line.strip_prefix("options: ")).unwrap_or_else(|| panic!("{text}"));
        for option in options.split(", ") {
            assert!(help.split_whitespace().any(|word| word == option), "{code} names {option}");
            named += 1;
        }
    }
    assert_eq!(named, 12);
}

/// The help explains each exit status, and ends with examples: command lines that the program accepts, except for the missing files.
#[test]
fn the_help_ends_with_examples_that_work() {
    let folder = Folder::new("help");
    for name in PROGRAMS {
        let help = String::from_utf8(run(name, &["--help"]).stdout).expect("UTF-8");
        let plain = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = plain.split_once("Exit status: 0").map_or("", |(_, told)| told.split(". ").next().unwrap_or_default());
        assert!(told.contains(" 2 "), "{name} tells no exit statuses:\n{help}");
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{name} has no examples:\n{help}"));
        let lines: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        assert!(lines.len() >= 2 && examples.lines().count() == 2 * lines.len(), "{name}: each example has a line that says what it does:\n{help}");
        for line in lines {
            let own = line.split(" | ").find(|part| part.split_whitespace().next() == Some(name)).unwrap_or_else(|| panic!("{line:?} calls {name}"));
            let words: Vec<&str> = own.split(" > ").next().unwrap_or_default().split_whitespace().skip(1).map(|word| word.trim_matches('\'')).collect();
            let output = program(name).args(&words).current_dir(&folder.0).output().expect("the program starts");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!message.starts_with("error:"), "{line:?}: {message}");
            let missing = message.contains("cannot be read") || message.contains("No such file") || message.contains("has no words") || message.is_empty();
            assert!(missing, "{line:?}: {message}");
        }
    }
}

/// A wrong name comes with similar names; an empty input, and a filter that matches nothing, are reported as such.
#[test]
fn messages_say_what_was_meant_and_that_nothing_is_there() {
    let folder = Folder::new("meant");
    let [empty, nop, cut] = ["empty.bin", "nop.bin", "cut.bin.gz"].map(|name| folder.0.join(name));
    std::fs::write(&empty, []).expect("the folder can be written");
    std::fs::write(&nop, 0xFFFF_1000u32.to_le_bytes()).expect("the folder can be written");
    std::fs::write(&cut, [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF]).expect("the folder can be written");
    let [empty, nop, cut] = [&empty, &nop, &cut].map(|path| path.to_str().expect("UTF-8"));
    for (name, arguments, status, wanted) in [
        ("draw", &["--chip", "navi32x"][..], 2, "no such chip; did you mean navi32"),
        ("regs", &["DB_SHADER_CNTL"], 2, "did you mean DB_SHADER_CONTROL"),
        ("regs", &["Z_ORDRE"], 2, "did you mean Z_ORDER"),
        ("regs", &["DRAW_INDEX_AUTO"], 2, "`DRAW_INDEX_AUTO` is a packet"),
        ("regs", &["--gfx", "navi31", "DB_Z_INFO"], 2, "navi31 is a chip, of the generation gfx11"),
        ("dump", &["--chip", "navi31", "--packet", "DRAW_INDEX_AUTOO", nop], 2, "did you mean DRAW_INDEX_AUTO?"),
        ("dump", &["--chip", "navi31", "--register", "DB_SHADER_CNTL", nop], 2, "did you mean DB_SHADER_CONTROL?"),
        ("dump", &["--chip", "navi31", "--packet", "DISPATCH_DIRECT", nop], 0, "no packet passes the filter"),
        ("dump", &["--chip", "navi31", empty], 0, "empty.bin is empty: it has no words"),
        ("check", &["--chip", "navi31", empty], 0, "empty.bin is empty: it has no words"),
        ("check", &["--chip", "navi31", "--only", "findings", "--draw", "0", nop], 2, "cannot be used with"),
        ("check", &["--chip", "navi31", "--diff", nop], 2, "--diff compares two files, but 1 is given"),
    ] {
        let output = run(name, arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(wanted) && output.status.code() == Some(status), "{name} {arguments:?}: {:?} {message}", output.status.code());
    }
    // A damaged file is not an empty one.
    for name in ["dump", "check"] {
        let output = run(name, &["--chip", "navi31", cut]);
        let message = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.code() == Some(1) && message.contains("the gzip file") && !message.contains("is empty"), "{name}: {message}");
    }
    // Packets that pass the filter need no message.
    assert!(run("dump", &["--chip", "navi31", "--packet", "NOP", nop]).stderr.is_empty());
}

/// Missing or wrong parts of an input are reported and are not an error of the stream; a comparison of incomplete input has status 1, and for the files of a
/// manifest
/// it is refused.
#[test]
fn damage_of_inputs_is_reported_and_is_no_finding() {
    let folder = Folder::new("damage");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(path(name), bytes).expect("a file");
        path(name)
    };
    let (whole, damaged) =
        (write("whole.txt", b"0xffff1000\n0xffff1000\n0xffff1000\n"), write("damaged.txt", b"0xffff1000\n0xffff1000\nno word\n0xffff1000\n"));
    let cut = write("cut.bin", &[0xFFFF_1000_u32.to_le_bytes().as_slice(), &[0, 0x10]].concat());
    let torn = folder.file("torn.bin", &[0xFFFF_1000, 0xC003_6900, 0x203]).display().to_string();
    let raw = folder.file("raw.bin", &[0xFFFF_1000; 3]).display().to_string();
    let check = |arguments: &[&str]| {
        let output = run("check", &[&["--chip", "navi31"], arguments].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(check(&[&whole]).0, Some(0));
    let (status, text, _) = check(&[&damaged]);
    assert_eq!((status, text.contains("damaged: line 3:")), (Some(0), true), "{text}");
    assert_eq!(check(&["--map", &format!("{damaged}@0x1000"), &whole]).0, Some(0));
    // A comparison has no findings: it reports itself what it did not see.
    assert_eq!(check(&["--diff", &whole, &raw]).0, Some(0));
    for (file, told) in
        [(&damaged, "damaged: line 3:"), (&cut, "cut.bin: damaged: dword 1: the file ends within a dword (2 of 4 bytes)"), (&torn, "torn.bin: damaged: packet")]
    {
        for files in [[file, &whole], [&raw, file], [file, file]] {
            let (status, text, _) = check(&["--diff", files[0], files[1]]);
            assert_eq!((status, text.contains(told), text.contains("draws that differ: 0 of 0")), (Some(1), true, true), "{text}");
            let (status, records, _) = check(&["--diff", "--format", "json", files[0], files[1]]);
            assert_eq!(
                (status, records.lines().any(|line| line.contains(r#""type":"error""#) || line.contains(r#""type":"input""#))),
                (Some(1), true),
                "{records}"
            );
        }
    }
    for option in
        [&["--partial"][..], &["--draw", "0"], &["--only", "draws"], &["--statistics"], &["--allow", "IB-02"], &["--warn", "IB-02"], &["--deny", "IB-02"]]
    {
        let (status, text, message) = check(&[&["--diff"], option, &[&whole, &raw]].concat());
        assert_eq!((status, text.as_str()), (Some(2), ""), "{option:?}");
        assert!(message.contains("cannot be used with") && message.contains(option[0]), "{message}");
    }
    for (file, told) in
        [("damaged.txt", "damaged.txt is damaged: line 3: \"no word\" is not a word"), ("cut.bin", "cut.bin: bytes left after the last whole dword: 2")]
    {
        let manifest =
            write("manifest.jsonl", format!("{{\"type\":\"submission\",\"chip\":\"navi31\"}}\n{{\"type\":\"submit\",\"file\":\"{file}\"}}\n").as_bytes());
        for name in ["check", "dump"] {
            let output = run(name, &["--manifest", &manifest]);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), output.stdout.len(), message.contains(told)), (Some(2), 0, true), "{name}: {message}");
        }
    }
}

/// Options that could only be ignored end with status 2, and the message states what to do.
#[test]
fn arguments_without_effect_are_refused() {
    let folder = Folder::new("arguments");
    let draws = folder.file("draws.bin", &DRAWS).display().to_string();
    let draws = draws.as_str();
    for (name, arguments, told) in [
        ("check", &["--chip", "vega10", draws, "--queue", "compute"][..], "--queue is after the last file"),
        ("check", &["--chip", "vega10", draws, "--ring"], "--ring is after the last file"),
        ("check", &["--chip", "vega10", "--cus-per-array", "33", draws], "33 is not in 1..=32"),
        ("dump", &["--chip", "vega10", "--queue", "compute", draws, "--queue", "gfx"], "--queue is after the last file"),
        ("dump", &["--chip", "vega10", draws, "--ring"], "--ring is after the last file"),
        ("dump", &["--chip", "vega10", "-", "-"], "standard input can be read once"),
        ("check", &["--chip", "vega10", "-", "-"], "standard input can be read once"),
        ("dump", &["--chip", "vega10", "--from", "10", "--to", "5", draws], "--from 10 is greater than --to 5: the range is empty"),
        ("dump", &["--chip", "vega10", "--from", "+5", draws], "write a decimal number, or 0x"),
        ("dump", &["--chip", "vega10", "--to", "0x+5", draws], "write a decimal number, or 0x"),
        ("dump", &["--chip", "vega10", "--register", "0x+2880c", draws], "no register of gfx9 is called"),
        ("regs", &["0x+2880c"], "is not an address"),
        ("check", &["--chip", "vega10", "--draw", "2", draws], "there is no draw or dispatch 2: the run has 2 of them, numbered from 0"),
        ("check", &["--chip", "vega10", "--draw", "2", "--format", "json", draws], "there is no draw or dispatch 2"),
    ] {
        let output = run(name, arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len(), message.contains(told)), (Some(2), 0, true), "{name} {arguments:?}: {message}");
    }
    for (name, arguments) in [
        ("dump", &["--chip", "vega10", "--from", "5", "--to", "5", draws][..]),
        ("dump", &["--chip", "vega10", draws, "--queue", "compute", draws]),
        ("check", &["--chip", "vega10", "--draw", "1", draws]),
        ("regs", &["0x2880c"]),
    ] {
        let output = run(name, arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)) && !output.stdout.is_empty(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Memory has one value at each address: files mapped over each other must agree there.
#[test]
fn mapped_files_that_overlap_must_agree() {
    let folder = Folder::new("overlap");
    let stream = folder.file("draws.bin", &DRAWS).display().to_string();
    let (one, other) = (folder.file("one.bin", &[1, 2, 3]), folder.file("other.bin", &[3, 4]));
    let check = |addr: u64| {
        let at = |file: &Path, addr: u64| format!("{}@{addr:#x}", file.display());
        let output = run("check", &["--chip", "vega10", "--map", &at(&one, 0x1000), "--map", &at(&other, addr), &stream]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // Adjacent, and with 3 dwords in common.
    for addr in [0xFF8, 0x1008, 0x100C, 0x2000] {
        assert_ne!(check(addr).0, Some(2), "{addr:#x}: {}", check(addr).1);
    }
    for (addr, told) in
        [(0x1004, "at 0x1004: the first has 0x00000002, the second 0x00000003"), (0xFFC, "at 0x1000: the first has 0x00000004, the second 0x00000001")]
    {
        let (status, message) = check(addr);
        assert!(status == Some(2) && message.contains(told), "{addr:#x}: {message}");
    }
}

/// A folder of RADV_DEBUG=hang is one input; for any other folder the message names what is missing.
#[test]
fn a_folder_of_radv_is_one_input() {
    let folder = Folder::new("radv");
    let missing = run("check", &[folder.0.as_os_str()]);
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("trace.log"), "{}", String::from_utf8_lossy(&missing.stderr));
    let trace = "Trace ID: 2\n------------------ main IB begin - GFX ------------------\nc0012d00 DRAW_INDEX_AUTO:\n00000003 \n00000002 \n\n------------------- main IB end - GFX -------------------\n";
    std::fs::write(folder.0.join("trace.log"), trace).expect("a file");
    let needs_a_chip = run("dump", &[folder.0.as_os_str()]);
    assert_eq!(needs_a_chip.status.code(), Some(2));
    std::fs::write(folder.0.join("gpu_info.log"), "family_id = 143\nchip_external_rev = 1\n").expect("a file");
    std::fs::write(folder.0.join("vm_fault.log"), "Failing VM page: 0x00234000\n").expect("a file");
    let text = String::from_utf8(run("dump", &[folder.0.as_os_str()]).stdout).expect("UTF-8");
    for part in ["chip navi10", "page fault 0x00234000", "DRAW_INDEX_AUTO"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    // So are the allocations of the driver.
    std::fs::write(folder.0.join("bo_history.log"), "timestamp=10, VA=0000000000234000-0000000000235000, destroyed=0, is_virtual=0\n").expect("a file");
    let text = String::from_utf8(run("check", &[folder.0.as_os_str()]).stdout).expect("UTF-8");
    assert!(text.contains("the page is in the allocation of 0x1000 bytes at 0x000000234000, which RADV has not freed"), "{text}");
    // The ring that umr printed is read as well, and unread files are named.
    assert!(!text.contains("not read"), "{text}");
    let umr = "UMR GFX ring:\n\nDecoding IB at 0x0@0x0 from 0x0@0x0 of 1 words (type 4)\n[0x0@0x0 + 0x0000]\t[        0xffff1000]\tx\nDone decoding IB\n";
    std::fs::write(folder.0.join("umr_ring.log"), umr).expect("a file");
    std::fs::write(folder.0.join("umr_waves.log"), "UMR GFX waves:\n").expect("a file");
    std::fs::write(folder.0.join("pipeline.log"), "AMD_IP_GFX:\n").expect("a file");
    std::fs::write(folder.0.join("dmesg.log"), "[1.0] amdgpu\n").expect("a file");
    for name in ["dump", "check"] {
        let text = String::from_utf8(run(name, &[folder.0.as_os_str()]).stdout).expect("UTF-8");
        for part in ["not read: pipeline.log\n", "umr IB 0x0@0x0: 1 dword"] {
            assert!(text.contains(part), "{name}: {part:?} is not in\n{text}");
        }
    }
}

/// Unreadable parts of a folder are reported: without its page fault, the report would be different.
#[test]
fn a_file_of_a_folder_that_cannot_be_read_is_told() {
    let folder = Folder::new("radv_unread");
    let trace = "Trace ID: 2\n------------------ main IB begin - GFX ------------------\nc0012d00 DRAW_INDEX_AUTO:\n00000003 \n00000002 \n\n------------------- main IB end - GFX -------------------\n";
    std::fs::write(folder.0.join("trace.log"), trace).expect("a file");
    std::fs::write(folder.0.join("gpu_info.log"), "family_id = 143\nchip_external_rev = 1\n").expect("a file");
    std::fs::create_dir(folder.0.join("vm_fault.log")).expect("a folder");
    let output = run("dump", &[folder.0.as_os_str()]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for part in ["chip navi10", "DRAW_INDEX_AUTO", "vm_fault.log of the folder cannot be read: it is no plain file"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert_eq!(output.status.code(), Some(1));
    // The commands themselves must be a file.
    std::fs::remove_file(folder.0.join("trace.log")).expect("a file");
    std::fs::create_dir(folder.0.join("trace.log")).expect("a folder");
    let refused = run("dump", &[folder.0.as_os_str()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("trace.log in it cannot be read: it is no plain file"));
}

/// Memory has one value at each address, below the end of the address space: a manifest is checked like `--map`.
#[test]
fn memory_of_a_manifest_is_placed_as_files_of_the_command_line_are() {
    let folder = Folder::new("placed");
    let file = folder.0.join("manifest");
    let submit = r#"{"type":"submit","words":["0xc0001000","0x0"],"addr":"0x200000"}"#;
    let status = |memory: &str| {
        std::fs::write(&file, format!("{{\"type\":\"submission\",\"chip\":\"navi31\"}}\n{memory}\n{submit}\n")).expect("a file");
        let output = run("check", &["--manifest".as_ref(), file.as_os_str()]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let two = |addr: &str, words: &str| {
        format!("{{\"type\":\"memory\",\"words\":[1,2],\"addr\":\"0x1000\"}}\n{{\"type\":\"memory\",\"words\":{words},\"addr\":\"{addr}\"}}")
    };
    for (memory, told) in [
        (two("0x1002", "[1]"), "addr is 0x1002: words are at multiples of 4"),
        (two("0x1004", "[5,6]"), "words@0x1000 and words@0x1004 overlap and differ at 0x1004: the first has 0x00000002, the second 0x00000005"),
        (two("0xfffffffffffffffc", "[1,2]"), "does not fit between this address and the end of the address space"),
    ] {
        let (code, message) = status(&memory);
        assert!(code == Some(2) && message.contains(told), "{memory}: {message}");
    }
    assert_eq!(status(&two("0x1004", "[2,6]")).0, Some(0));
}

/// Given a log and a dump with words, the dump is explained, in either order.
#[test]
fn a_dump_is_explained_before_a_log() {
    let folder = Folder::new("log");
    let log = folder.0.join("hang.log");
    std::fs::write(&log, "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n").expect("a file");
    let dump = crate::support::repository("docs/hang.txt");
    for files in [[&log, &dump], [&dump, &log]] {
        let output = run("check", &[files[0].as_os_str(), files[1].as_os_str()]);
        let text = String::from_utf8_lossy(&output.stdout);
        // The log and the dump describe the same incident: the dump has the ring of the log.
        assert!(text.starts_with("ring gfx_0.0.0 timed out") && text.contains("PFP at IB #0 dword"), "{text}");
    }
}

/// The commands of the README's tour run as written, in a fresh clone: their files are in the repository or written by an earlier command. No rule finds an
/// error in the streams.
#[test]
fn the_tour_of_the_readme_runs_as_written() {
    let root = crate::support::repository("");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let (_, tour) = readme.split_once("## Tour").and_then(|(_, tour)| tour.split_once("```sh\n")).expect("a tour");
    let (tour, _) = tour.split_once("```").expect("an end");
    let folder = Folder::new("tour");
    // A word after shell expansion; files of the repository are named from its root.
    let expand = |word: &str| -> Vec<String> {
        let from_root = ["tests/", "docs/"].iter().any(|start| word.starts_with(start));
        let Some((before, after)) = word.split_once('*') else {
            return vec![if from_root { root.join(word).display().to_string() } else { word.to_owned() }];
        };
        let (folder, start) = before.rsplit_once('/').expect("a folder");
        let names = std::fs::read_dir(root.join(folder)).expect("captures").flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.starts_with(start) && name.ends_with(after)).collect();
        names.sort();
        assert!(!names.is_empty(), "{word}");
        names.iter().map(|name| root.join(folder).join(name).display().to_string()).collect()
    };
    let mut ran = BTreeSet::new();
    for line in tour.lines() {
        let (name, arguments) = line.split_once(" -- ").unwrap_or_else(|| panic!("{line}: no arguments"));
        let mut words: Vec<String> = arguments.split_whitespace().take_while(|word| *word != "#").flat_map(expand).collect();
        if name.trim() == "draws" {
            // Measuring takes long without optimization.
            words.extend(["--count".to_owned(), "10".to_owned()]);
        }
        let output = program(name.trim()).args(&words).current_dir(&folder.0).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        ran.insert(name.trim().to_owned());
    }
    assert!(ran.len() >= PROGRAMS.len() - 1, "{ran:?}");
}

/// The part of an output that a page shows: pieces between lines that are only `…`. The first and the last piece are the ends of the output, the others are in
/// it, in
/// order.
fn shows(shown: &[&str], printed: &[&str]) -> Result<(), String> {
    let pieces: Vec<&[&str]> = shown.split(|line| line.trim() == "…").collect();
    let (last, mut rest) = (pieces.len() - 1, printed);
    for (n, piece) in pieces.iter().enumerate() {
        let start = match n {
            0 => Some(0),
            n if n == last => rest.len().checked_sub(piece.len()),
            _ => rest.windows(piece.len()).position(|lines| lines == *piece),
        };
        let after = start.and_then(|start| rest[start..].strip_prefix(*piece));
        rest = after.ok_or_else(|| format!("not printed:\n{}\nprinted:\n{}", piece.join("\n"), rest.join("\n")))?;
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("not shown:\n{}", rest.join("\n"))) }
}

/// The first and the last piece as they are in the output.
fn shown_again<'t>(shown: &[&'t str], printed: &[&'t str]) -> Vec<&'t str> {
    let gap = |line: &&str| line.trim() == "…";
    let (Some(first), Some(last)) = (shown.iter().position(gap), shown.iter().rposition(gap)) else { return printed.to_vec() };
    let tail = printed.len().saturating_sub(shown.len() - 1 - last);
    [&printed[..first.min(printed.len())], &shown[first..=last], &printed[tail..]].concat()
}

/// The blocks of the guide that begin with a command, and that of the README, show the output of the programs. `PM4_WRITE_DOCS=1` rewrites the ends of the
/// blocks.
#[test]
fn pages_show_what_programs_print() {
    let root = crate::support::repository("");
    let printed = |command: &str| -> String {
        let (_, command) = command.split_once("--example ").expect("an example");
        let (name, arguments) = command.split_once(" -- ").expect("arguments");
        String::from_utf8(run(name, &arguments.split(' ').collect::<Vec<_>>()).stdout).expect("UTF-8")
    };
    let mut blocks = 0;
    for page in std::fs::read_dir(root.join("docs/guide")).expect("the guide").flatten().map(|entry| entry.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        let mut again = text.clone();
        for block in text.split("```text\n$ ").skip(1) {
            let (command, shown) = block.split_once('\n').expect("an output");
            let (shown, _) = shown.split_once("```").expect("an end");
            let output = printed(command);
            let (lines, output): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), output.lines().collect());
            let mut new = shown_again(&lines, &output);
            if std::env::var_os("PM4_WRITE_DOCS").is_some() {
                again = again.replace(shown, &new.iter().flat_map(|line| [*line, "\n"]).collect::<String>());
            } else {
                new = lines;
            }
            shows(&new, &output).unwrap_or_else(|error| panic!("{}: {command}: {error}", page.display()));
            blocks += 1;
        }
        if again != text {
            std::fs::write(&page, again).expect("a page");
        }
    }
    assert!(blocks >= 9, "{blocks} blocks");

    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let (_, from_command) = readme.split_once("```sh\n").expect("commands");
    let (command, _) = from_command.split_once('\n').expect("a command");
    let (_, shown) = from_command.split_once("```text\n").expect("an output");
    let (shown, _) = shown.split_once("```").expect("an end");
    let output = printed(command);
    let shown: Vec<&str> = ["…"].into_iter().chain(shown.lines()).chain(["…"]).collect();
    shows(&shown, &output.lines().collect::<Vec<_>>()).unwrap_or_else(|error| panic!("README.md: {command}: {error}"));
}

/// The help of `draw` and the message about an unknown depth format list every valid name.
#[test]
fn draw_lists_all_depth_formats() {
    let (help, refused) = (run("draw", &["--help"]).stdout, run("draw", &["--chip", "navi31", "--depth", "d8"]).stderr);
    let names: Vec<String> = pm4::draw::DepthFormat::iter().map(|format| format.to_string()).chain(["none".to_owned()]).collect();
    for (text, start) in [(help, "Depth target:"), (refused, "possible values:")] {
        let text = String::from_utf8(text).expect("UTF-8");
        let (_, list) = text.split_once(start).expect("a list");
        let list: BTreeSet<&str> = list.split(|c: char| !c.is_alphanumeric()).take(3 * names.len()).collect();
        assert!(names.iter().all(|name| list.contains(name.as_str())), "{names:?} in {text}");
    }
}

/// On a terminal long output goes through the pager in PAGER, unchanged; `--no-pager` and an empty PAGER disable it.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_a_pager() {
    use std::process::Command;
    let there = Command::new("script").arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: `script`, which makes a terminal, is not installed");
        return;
    }
    let path = program("regs").get_program().to_string_lossy().into_owned();
    let shown = |pager: &str, more: &str| {
        let line = format!("'{path}' DB_Z_INFO --color never {more}");
        let output = Command::new("script").args(["-qec", &line, "/dev/null"]).env("PAGER", pager).stdin(Stdio::null()).output().expect("script starts");
        String::from_utf8_lossy(&output.stdout).replace('\r', "")
    };
    let plain = String::from_utf8(run("regs", &["DB_Z_INFO"]).stdout).expect("UTF-8");
    assert_eq!(shown("head -n 2", ""), plain.lines().take(2).map(|line| format!("{line}\n")).collect::<String>());
    for (pager, more) in [("head -n 2", "--no-pager"), ("", ""), ("cat", ""), ("/no/such/pager", "")] {
        assert_eq!(shown(pager, more), plain, "{pager:?} {more}");
    }
}

/// An output that accepts no bytes.
#[cfg(target_os = "linux")]
fn full() -> Stdio {
    std::fs::File::options().write(true).open("/dev/full").expect("Linux has /dev/full").into()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_causes_no_panic() {
    let folder = Folder::new("stderr");
    let missing = folder.0.join("missing").display().to_string();
    let bad: [(&str, &[&str]); 10] = [
        ("draw", &["--samples", "3"]),
        ("draw", &["--out", "/missing/folder"]),
        ("dump", &["--chip", "navi31", &missing]),
        ("asm", &[&missing]),
        ("asm", &["--out", "/missing/folder", "/dev/null"]),
        ("check", &["--chip", "navi31", &missing]),
        ("check", &["--chip", "navi31", "--queue", "constant", &missing]),
        ("frame", &["--out", "/missing/folder"]),
        ("regs", &["NOTHING_LIKE_IT"]),
        ("waves", &["--mutate", "nothing"]),
    ];
    for (name, arguments) in bad.into_iter().chain(PROGRAMS.map(|name| (name, &["--no-such-option"][..]))) {
        let status = program(name).args(arguments).stdout(Stdio::null()).stderr(full()).status().expect("the program starts");
        assert_eq!(status.code(), Some(2), "{name} {arguments:?}");
        // A closed standard error accepts no bytes either.
        let command = program(name);
        let mut closed = std::process::Command::new("sh");
        closed.args(["-c", "exec \"$0\" \"$@\" 2>&-"]).arg(command.get_program()).args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        assert_eq!(closed.status().expect("a shell").code(), Some(2), "{name} {arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_reported() {
    let folder = Folder::new("stdout");
    let draws = folder.file("draws.bin", &DRAWS).display().to_string();
    let dump = folder.0.join("draws.txt").display().to_string();
    std::fs::write(&dump, run("dump", &["--chip", "vega10", &draws]).stdout).expect("a file");
    let written: [(&str, &[&str]); 9] = [
        ("check", &["--explain", "POPS-11"]),
        ("check", &["--explain", "ENC-13"]),
        ("check", &["--chip", "vega10", &draws]),
        ("dump", &["--chip", "vega10", &draws]),
        ("asm", &[&dump]),
        ("draw", &[]),
        ("frame", &[]),
        ("regs", &["DB_Z_INFO"]),
        ("waves", &["--list-mutations"]),
    ];
    for (name, arguments) in written.into_iter().chain(PROGRAMS.map(|name| (name, &["--help"][..]))) {
        let output = program(name).args(arguments).stdout(full()).stderr(Stdio::piped()).output().expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name} {arguments:?}: {message}");
        assert!(message.contains("cannot write"), "{name} {arguments:?}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("names");
    for name in [&b"x@y.bin"[..], b"\xFF.bin", b"\xFF@y.bin"] {
        let name = OsStr::from_bytes(name);
        let file = folder.file(name, &DRAWS[..12]);
        for program in ["dump", "check"] {
            let output = run(program, &[OsStr::new("--chip"), OsStr::new("navi31"), OsStr::new("--format"), OsStr::new("json"), file.as_os_str()]);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{program}: {}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            let record: Value = serde_json::from_str(text.lines().next().expect("a record")).expect("a record");
            assert_eq!(record["file"], file.to_string_lossy().as_ref());
            std::fs::remove_file(&file).expect("it is there");
            let output = run(program, &[OsStr::new("--chip"), OsStr::new("navi31"), file.as_os_str()]);
            assert_eq!(output.status.code(), Some(2));
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(message.contains(&*name.to_string_lossy()), "{program}: {message}");
            folder.file(name, &DRAWS[..12]);
        }
    }
}

#[test]
fn rings_and_the_constant_engine_are_named_on_the_command_line() {
    let folder = Folder::new("rings");
    // INDIRECT_BUFFER of 5 dwords with VALID and a VMID, as a kernel's ring has it.
    let ring = folder.file("ring.bin", &[0xC002_3F00, 0x1000, 0, 3 << 24 | 1 << 23 | 5]);
    let called = folder.file("called.bin", &[0xFFFF_1000; 5]);
    let (ring, called) = (ring.to_string_lossy(), format!("{}@0x1000", called.to_string_lossy()));
    let status = |arguments: &[&str]| run("check", &[&["--chip", "navi31", "--map", &called][..], arguments].concat()).status.code();
    assert_eq!(status(&["--queue", "compute", "--ring", &ring]), Some(0));
    assert_eq!(status(&["--ring", "--queue", "compute", &ring]), Some(1), "--queue ends --ring");
    assert_eq!(status(&["--queue", "compute", "--ring", &ring, "--queue", "compute2", "--ring", &ring]), Some(0));
    assert_eq!(status(&["--ring", &ring, "--queue", "compute", &ring]), Some(1));
    let constant = folder.file("constant.bin", &[0xC000_8400, 1]);
    let constant = constant.to_string_lossy();
    let diff = run("check", &["--chip", "vega10", "--diff", "--queue", "constant", &constant, &constant]);
    assert_eq!(diff.status.code(), Some(0));
}

#[test]
fn a_page_that_cannot_be_written_is_reported_before_anything_is_printed() {
    let folder = Folder::new("pages");
    let stream = folder.file("draw.bin", &[0xC001_2D00, 3, 2]);
    let page = folder.0.join("no such folder").join("page.html");
    for (name, more) in [("check", vec!["--chip", "navi31"]), ("dump", vec!["--chip", "navi31"]), ("waves", vec!["--waves", "10"])] {
        let file = (name != "waves").then_some(&stream);
        let output = program(name).args(&more).arg("--html").arg(&page).args(file).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(output.stdout.is_empty(), "{name} prints before it knows that the page can be written");
        assert!(String::from_utf8_lossy(&output.stderr).contains("page.html"), "{name} names the file");
    }
    let page = folder.0.join("page.html");
    let output = program("check").args(["--chip", "navi31", "--html"]).arg(&page).arg(&stream).output().expect("the program starts");
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(std::fs::read_to_string(&page).expect("the page").starts_with("<!DOCTYPE html>"));
}

/// The reader of the text may close the pipe; the page must still be complete.
#[test]
fn a_page_is_whole_where_the_reader_of_the_text_goes_away() {
    let folder = Folder::new("pages beside pipes");
    let stream = folder.file("draws.bin", &[0xC001_2D00, 3, 2].repeat(3000));
    for name in ["check", "dump"] {
        let page = |file: &str| folder.0.join(format!("{name} {file}.html"));
        let command = |file: &str| {
            let mut command = program(name);
            command.args(["--chip", "navi31", "--html"]).arg(page(file)).arg(&stream).stdout(Stdio::piped());
            command
        };
        let whole = command("whole").output().expect("the program starts");
        let mut child = command("cut").spawn().expect("the program starts");
        drop(child.stdout.take());
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), whole.status.code(), "{name}");
        let read = |file: &str| std::fs::read(page(file)).expect("the page");
        assert!(read("cut") == read("whole"), "{name}");
    }
}

/// A manifest written by frame runs to the same end in check; parts of it are not an error.
#[test]
fn a_submission_in_a_file_does_what_the_frame_does() {
    let folder = Folder::new("manifest");
    let (manifest, out) = (folder.0.join("frame.jsonl"), folder.0.join("frame.bin"));
    let (manifest, out) = (manifest.to_str().expect("a name"), out.to_str().expect("a name"));
    let frame = run("frame", &["--chip", "vega10", "--format", "json", "--manifest", manifest, "--out", out]);
    let check = run("check", &["--format", "json", "--manifest", manifest]);
    assert_eq!((frame.status.code(), check.status.code()), (Some(0), Some(0)), "{}", String::from_utf8_lossy(&check.stderr));
    let records = |output: &Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().filter(|line| !line.starts_with(r#"{"type":"packet""#)).map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, other) = (records(&frame), records(&check));
    assert!(one.len() > 200 && one.len() == other.len(), "{} and {} records", one.len(), other.len());
    let at = one.iter().zip(&other).position(|(one, other)| one != other);
    assert_eq!(at, None, "the record at which they differ");
    // `dump` prints the submitted buffers, `check --only packets` the executed ones, including the called buffer.
    let packets = |output: &Output| {
        let records = String::from_utf8_lossy(&output.stdout).into_owned();
        let records = records.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record")).filter(|record| record["type"] == "packet");
        records.map(|record| (record["file"].clone(), record["dword"].clone(), record["header"].clone())).collect::<Vec<_>>()
    };
    let dumped = run("dump", &["--format", "json", "--manifest", manifest]);
    assert_eq!((dumped.status.code(), packets(&dumped)), (Some(0), packets(&frame)), "{}", String::from_utf8_lossy(&dumped.stderr));
    let ran = packets(&run("check", &["--format", "json", "--manifest", manifest, "--only", "packets"]));
    assert!(ran.iter().any(|(file, ..)| file != "frame"), "called buffers run");
    let mut own = ran.into_iter().filter(|(file, ..)| file == "frame").peekable();
    let skipped = packets(&frame).into_iter().filter(|packet| own.next_if_eq(packet).is_none()).count();
    assert!(own.next().is_none() && skipped < 10, "the packets of the frame that run are in it, in order; {skipped} packets do not run");
    // From the middle on, without the earlier memory and packets.
    let words = std::fs::read(out).expect("the words");
    let whole: Vec<u32> = words.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let middle = pm4::packet::Reader::new(&whole).flatten().map(|packet| packet.offset).find(|offset| *offset > whole.len() / 2).expect("packets");
    let part = folder.file("part.bin", &whole[middle..]);
    let part = run("check", &["--chip", "vega10", "--partial", part.to_str().expect("a name")]);
    assert_eq!(part.status.code(), Some(0), "{}", String::from_utf8_lossy(&part.stdout));
    std::fs::write(manifest, "{\"type\":\"submission\",\"chip\":\"vega10\"}\n{\"type\":\"submit\",\"file\":\"gone.bin\"}\n").expect("a file");
    let gone = run("check", &["--manifest", manifest]);
    assert_eq!((gone.status.code(), gone.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("gone.bin cannot be read"), "{}", String::from_utf8_lossy(&gone.stderr));
}

/// An output that fails, and one that is not written, leave the old file intact; another name of an input keeps its content.
#[cfg(unix)]
#[test]
fn outputs_are_whole_or_not_there() {
    let folder = Folder::new("whole");
    let (input, page) = (folder.file("in.bin", &[0xC001_2D00, 3, 2]), folder.0.join("page.html"));
    let before = std::fs::read(&input).expect("it was written");
    std::fs::write(&page, "old").expect("a file");
    let page_of = |arguments: &[&OsStr]| {
        let all: Vec<&OsStr> = ["--chip", "navi31"].map(OsStr::new).iter().chain(arguments).copied().chain([input.as_os_str()]).collect();
        run("check", &all).status.code()
    };
    assert_eq!(page_of(&["--draw".as_ref(), "999".as_ref(), "--html".as_ref(), page.as_os_str()]), Some(2));
    assert_eq!(std::fs::read(&page).expect("it is there"), b"old", "no draw 999: no page");
    let link = folder.0.join("link.bin");
    std::fs::hard_link(&input, &link).expect("a link");
    page_of(&["--html".as_ref(), link.as_os_str()]);
    assert_eq!(std::fs::read(&input).expect("it is there"), before);
    assert!(std::fs::read(&link).expect("it is there").starts_with(b"<!DOCTYPE html>"));
    let names: Vec<_> = std::fs::read_dir(&folder.0).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names.len(), 3, "no temporary file is left: {names:?}");
}

/// Characters that control a terminal: in a log, in names of files, in keys, in arguments.
#[cfg(unix)]
#[test]
fn nothing_that_a_terminal_acts_on_is_printed() {
    const HOSTILE: &str = "e\u{1b}]0;pwn\u{7}\u{8}\u{9b}2J\u{85}\u{7f}\u{202e}\u{2066}\u{2028}x";
    let folder = Folder::new("terminal");
    let write = |name: &str, text: &str| {
        let path = folder.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let json = |text: &str| serde_json::to_string(text).expect("JSON");
    let log = write(
        "log.json",
        &format!(
            "{{\"MESSAGE\":\"amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\"}}\n{{\"MESSAGE\":{}}}\n",
            json(&format!("amdgpu 0000:03:00.0: amdgpu:  Process {HOSTILE} pid 5 thread R pid 6"))
        ),
    );
    let named = folder.file(format!("n{HOSTILE}\n.bin"), &[0xC001_2D00, 3, 2]);
    let missing = folder.0.join(format!("m{HOSTILE}"));
    let manifest = write("manifest", &format!("{{\"type\":\"submission\",\"chip\":\"navi31\"}}\n{{\"type\":\"submit\",\"file\":{}}}\n", json(HOSTILE)));
    let record = write("record", &format!("{{\"type\":\"packet\",{}:1}}\n", json(HOSTILE)));
    let radv = folder.0.join("radv");
    std::fs::create_dir(&radv).expect("a folder");
    std::fs::write(radv.join("trace.log"), "Trace ID: 1\n").expect("a file");
    std::fs::write(radv.join(format!("f{HOSTILE}\n")), "").expect("a file");
    let fake = PathBuf::from(HOSTILE.replace('/', ""));
    let chip = ["--chip", "navi31"].map(PathBuf::from);
    for format in ["text", "json"] {
        for (name, rest) in [
            ("check", vec![&log]),
            ("check", vec![&named]),
            ("check", vec![&missing]),
            ("check", vec![&record]),
            ("check", vec![&radv]),
            ("dump", vec![&log]),
            ("dump", vec![&named]),
            ("dump", vec![&missing]),
            ("dump", vec![&record]),
            ("dump", vec![&radv]),
            ("waves", vec![&fake]),
        ] {
            let arguments: Vec<PathBuf> = chip.iter().cloned().chain(["--format", format].map(PathBuf::from)).chain(rest.into_iter().cloned()).collect();
            plain(name, &arguments);
        }
        plain("check", &["--format", format, "--manifest"].map(PathBuf::from).into_iter().chain([manifest.clone()]).collect::<Vec<_>>());
    }
    plain("asm", &[record]);
    plain("waves", &[PathBuf::from("--mutate"), fake]);
}

/// Runs a program and captures both outputs.
fn plain(name: &str, arguments: &[PathBuf]) {
    let output = run(name, arguments);
    for printed in [output.stdout, output.stderr] {
        let text = String::from_utf8(printed).expect("text");
        let hostile = text.lines().flat_map(str::chars).find(|c| c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}'));
        assert_eq!(hostile, None, "{name} {arguments:?}: {text:?}");
    }
}

/// Rules that report only if a caller has stated a version or a number of parts: their page names the options for it.
#[test]
fn rules_that_ask_for_what_nobody_stated_name_their_options() {
    use pm4::cp::{BoardFacts, FirmwareVersions};
    use pm4::testing::{Stated, TestStream, rule_cases};
    let mut asked = std::collections::BTreeSet::new();
    for case in rule_cases() {
        let stated = case.hit.stated;
        let silent = |stated: Stated| !TestStream { stated, ..case.hit.clone() }.codes().contains(case.rule);
        let (firmware, board) = (FirmwareVersions::default(), BoardFacts::default());
        if !silent(Stated { firmware, board, ..stated }) || !asked.insert(case.rule) {
            continue;
        }
        let facts = [
            ("--pfp-firmware", Stated { firmware: FirmwareVersions { pfp: None, ..stated.firmware }, ..stated }),
            ("--me-firmware", Stated { firmware: FirmwareVersions { me: None, ..stated.firmware }, ..stated }),
            ("--mec-firmware", Stated { firmware: FirmwareVersions { mec: None, ..stated.firmware }, ..stated }),
            ("--me-feature", Stated { firmware: FirmwareVersions { me_feature: None, ..stated.firmware }, ..stated }),
            ("--shader-engines", Stated { board: BoardFacts { shader_engines: None, ..stated.board }, ..stated }),
            ("--cus-per-array", Stated { board: BoardFacts { cus_per_array: None, ..stated.board }, ..stated }),
        ];
        let page = String::from_utf8(run("check", &["--explain", case.rule]).stdout).expect("text");
        let options = page.lines().find(|line| line.starts_with("options: ")).unwrap_or_default();
        for (option, _) in facts.into_iter().filter(|(_, without)| silent(*without)) {
            assert!(options.contains(option), "{} needs {option}: {options:?}", case.rule);
        }
    }
    assert!(asked.contains("SYN-15") && asked.contains("SYN-35"), "{asked:?}");
}
