//! What people post, changed in ways that change nothing of what it says: cut at a width, quoted, in a table, as HTML, in another language of the date, with
//! blanks of a word processor. A seed chooses the post, the width and the form.

use crate::incidents::facts;
use crate::support::property;
use quickcheck::{Arbitrary, Gen};

/// Posts, of all kinds of incidents. A time is `@`, which becomes a date, or seconds.
const POSTS: [&str; 9] = [
    "@ amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32771)\n\
     @ amdgpu 0000:03:00.0: amdgpu:  Process VRising.exe pid 11725 thread dxvk-submit pid 11801\n\
     @ amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000800100400000 from client 0x1b (UTCL2)\n\
     @ amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031\n\
     @ amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)\n\
     @ amdgpu 0000:03:00.0: amdgpu: \t MORE_FAULTS: 0x1\n\
     @ amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=2197973, emitted seq=2197975\n\
     @ amdgpu 0000:03:00.0: amdgpu: Process VRising.exe pid 11725 thread dxvk-submit pid 11801\n\
     @ [drm:gfx_v11_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream\n\
     @ amdgpu 0000:03:00.0: amdgpu: Starting gfx_0.0.0 ring reset\n\
     @ amdgpu 0000:03:00.0: amdgpu: Ring gfx_0.0.0 reset failed\n\
     @ amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  1\n\
     @ amdgpu 0000:03:00.0: amdgpu: MODE1 reset\n\
     @ amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\n",
    "@ amdgpu 0000:06:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:56 vmid:6 pasid:32784, for process cs2 pid 20579 thread VKRenderThread pid 20606)\n\
     @ amdgpu 0000:06:00.0: amdgpu:   in page starting at address 0x000080012ae97000 from IH client 0x1b (UTCL2)\n\
     @ amdgpu 0000:06:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00000000\n\
     @ amdgpu 0000:06:00.0: amdgpu: \t Faulty UTCL2 client ID: CB (0x0)\n",
    "@ amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=SUSPEND\n\
     @ amdgpu 0000:c5:00.0: amdgpu: MES might be in unrecoverable state, issue a GPU reset\n\
     @ amdgpu 0000:c5:00.0: amdgpu: GPU reset begin!. Source:  3\n\
     @ amdgpu 0000:c5:00.0: amdgpu: MODE2 reset\n\
     @ amdgpu 0000:c5:00.0: amdgpu: GPU reset(15) succeeded!\n",
    "@ amdgpu 0000:06:00.0: amdgpu: ring sdma0 timeout, signaled seq=11425, emitted seq=11427\n\
     @ amdgpu 0000:06:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=16289, emitted seq=16291\n\
     @ amdgpu 0000:06:00.0: amdgpu: Process mpv pid 44985 thread vo pid 45004\n\
     @ amdgpu 0000:06:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n",
    "@ amdgpu 0000:09:00.0: amdgpu: VM fault (0x02, vmid 2, pasid 32777) at page 2029, read from 'TC2' (0x54433200) (200)\n\
     @ [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=1371, emitted seq=1373\n\
     @ [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process Xorg pid 69619 thread Xorg:cs0 pid 69622\n\
     @ amdgpu 0000:09:00.0: GPU reset begin!\n",
    "ring vcn_unified_0 timeout, signaled seq=4, emitted seq=4\n\
     Process sunshine pid 5626 thread sunshine:cs0\n\
     Starting vcn_unified_0 ring reset\n\
     Ring vcn_unified_0 reset failed\n\
     GPU reset begin!. Source:  1\n\
     MODE1 reset\n",
    "drmn0: [mmhub] VMC page fault (src_id:0 ring:153 vm_id:0 pas_id:0)\n\
     drmn0:   at page 0x00005b7199707000 from 18\n\
     drmn0: VM_L2_PROTECTION_FAULT_STATUS:0x00000000\n\
     drmn0: ring gfx timeout, signaled seq=1, emitted seq=2\n",
    "Memory access fault by GPU node-2 (Agent handle: 0x5640a8bb1980) on address 0x7feea09c5000. Reason: Page not present or supervisor privilege.\n\
     HW Exception by GPU node-4 (Agent handle: 0x1ebc04e0) reason :GPU Hang\n\
     Aborted (core dumped)\n",
    "radv/amdgpu: The CS has been cancelled because the context is lost. This context is guilty of a hard recovery.\n\
     radv: GPUVM fault detected at address 0x80002dcdf000.\n\
     GCVM_L2_PROTECTION_FAULT_STATUS: 0x401431\n\
     \t CLIENT_ID: (SQC (data)) 0xa\n\
     \t MORE_FAULTS: 1\n\
     \t WALKER_ERROR: 0\n\
     \t PERMISSION_FAULTS: 3\n\
     \t MAPPING_ERROR: 0\n\
     \t RW: 0\n",
];

/// The time of a line, by its number.
const TIMES: [fn(usize) -> String; 7] = [
    |at| format!("[ 2178.{at:06}]"),
    |at| format!("Nov 29 18:22:{at:02} HOST kernel:"),
    |at| format!("lis 29 18:22:{at:02} HOST kernel:"),
    |at| format!("déc. 29 18:22:{at:02} HOST kernel:"),
    |at| format!("2026-11-29T18:22:{at:02}+01:00 HOST kernel:"),
    |at| format!("[ne lis 29 18:22:{at:02} 2026]"),
    |at| format!("kern  :err   : [ 2178.{at:06}]"),
];

fn each(text: &str, line: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(at, text)| line(at, text) + "\n").collect()
}

/// Lines of so many characters at most, where blanks allow it.
fn wrapped(text: &str, width: usize) -> String {
    let wrap = |line: &str| {
        let (mut out, mut length) = (String::new(), 0);
        for word in line.split_inclusive(' ') {
            if length > 0 && length + word.trim_end().chars().count() > width {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                length = 0;
            }
            length += word.chars().count();
            out.push_str(word);
        }
        out
    };
    each(text, |_, line| wrap(line))
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    core::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
}

fn quoted_printable(text: &str) -> Vec<u8> {
    let coded =
        |byte: u8| if byte.is_ascii_graphic() && byte != b'=' || byte == b' ' || byte == b'\n' { char::from(byte).to_string() } else { format!("={byte:02X}") };
    let lines = each(text, |_, line| {
        let coded: Vec<String> = line.bytes().map(coded).collect();
        coded.chunks(72).map(<[String]>::concat).collect::<Vec<_>>().join("=\n")
    });
    format!("Content-Transfer-Encoding: quoted-printable\n\n{lines}").into_bytes()
}

/// What people write of a hang, in words of its log.
const BEFORE: &str = "# Illegal opcode in command stream causing GPU reset (DX12)\n\n\
                      A page fault (see below), then a ring timeout: \"Illegal opcode in command stream\"; the reset fails, and a full MODE1 reset clears VRAM. GPU Hang.\n";
const AFTER: &str = "The MODE1 reset means that VRAM is lost, and the device lost. A page fault or a MODE2 reset, who knows.\n";

/// What a form is called, and what it does to a post.
type Form = (&'static str, fn(&str) -> Vec<u8>);

/// What is done to a whole post.
const FORMS: [Form; 30] = [
    ("as it is", |text| text.into()),
    ("quoted", |text| each(text, |_, line| format!("> {line}")).into()),
    ("quoted twice", |text| each(text, |_, line| format!(">> {line}")).into()),
    ("quoted by >", |text| each(text, |_, line| format!(">{line}")).into()),
    ("by four blanks", |text| each(text, |_, line| format!("    {line}")).into()),
    ("by a tab", |text| each(text, |_, line| format!("\t{line}")).into()),
    ("in a fence", |text| format!("```\n{text}```\n").into()),
    ("in a fence between sentences", |text| format!("Hello, my GPU hangs since the update:\n\n```text\n{text}```\nAny ideas?\n").into()),
    ("folded", |text| format!("<details><summary>dmesg</summary>\n\n```\n{text}```\n\n</details>\n").into()),
    ("CRLF", |text| text.replace('\n', "\r\n").into()),
    ("numbered", |text| each(text, |at, line| format!("{:5}  {line}", at + 1)).into()),
    ("numbered by grep", |text| each(text, |at, line| format!("{}:{line}", at + 1)).into()),
    ("bars", |text| each(text, |_, line| format!("| {line} |")).into()),
    ("<pre>", |text| format!("<html><body><pre>{}</pre></body></html>", html(text)).into()),
    ("<br>", |text| format!("<p>{}</p>", html(text).replace('\n', "<br>\n")).into()),
    ("<br> in one line", |text| format!("<div>{}</div>", html(text).replace('\n', "<br>")).into()),
    ("UTF-16", |text| utf_16(text, u16::to_le_bytes)),
    ("UTF-16, big end first", |text| utf_16(text, u16::to_be_bytes)),
    ("byte-order mark", |text| format!("\u{feff}{text}").into()),
    ("quoted-printable", quoted_printable),
    ("quoted-printable, CRLF", |text| String::from_utf8_lossy(&quoted_printable(text)).replace('\n', "\r\n").into()),
    ("empty lines between", |text| text.replace('\n', "\n\n").into()),
    ("blanks at the ends", |text| each(text, |_, line| format!("{line}   ")).into()),
    ("blanks that do not break", |text| text.replace(' ', "\u{a0}").into()),
    ("colours", |text| each(text, |_, line| format!("\x1b[33m{line}\x1b[0m")).into()),
    ("colours of grep that lost their first character", |text| text.replace("reset", "[01;31m[Kreset[m[K").into()),
    ("escaped for Markdown", |text| text.replace('_', "\\_").replace('*', "\\*").replace('[', "\\[").into()),
    ("entities by number", |text| format!("<p>{}</p>", html(text).replace('[', "&#91;").replace(']', "&#x5D;").replace('\n', "<br>\n")).into()),
    ("a string of JSON", |text| serde_json::json!({ "log": text }).to_string().into()),
    ("between sentences about it", |text| format!("{BEFORE}\n{text}\n{AFTER}").into()),
];

/// Forms that number lines, or put something around them: those that were wrapped before are not known as one any more.
const BY_LINES: [&str; 7] = ["numbered", "numbered by grep", "bars", "empty lines between", "<pre>", "a string of JSON", "between sentences about it"];

#[derive(Debug, Clone)]
struct Posted {
    post: usize,
    time: usize,
    width: Option<usize>,
    form: usize,
}

impl Posted {
    fn plain(&self) -> String {
        each(POSTS[self.post], |at, line| match line.strip_prefix('@') {
            Some(rest) => TIMES[self.time](at) + rest,
            None => line.to_owned(),
        })
    }

    fn bytes(&self) -> Vec<u8> {
        let text = self.plain();
        FORMS[self.form].1(&self.width.map_or(text.clone(), |width| wrapped(&text, width)))
    }

    fn says_the_same(&self) -> bool {
        let (plain, posted) = (facts(self.plain().as_bytes()), facts(&self.bytes()));
        assert!(!plain.is_empty());
        assert_eq!(plain, posted, "{}, {:?}:\n{}", FORMS[self.form].0, self.width, String::from_utf8_lossy(&self.bytes()));
        true
    }
}

impl Arbitrary for Posted {
    fn arbitrary(g: &mut Gen) -> Self {
        let below = |g: &mut Gen, limit: usize| usize::arbitrary(g) % limit;
        let form = below(g, FORMS.len());
        let wraps = bool::arbitrary(g) && !BY_LINES.contains(&FORMS[form].0);
        Self { post: below(g, POSTS.len()), time: below(g, TIMES.len()), width: wraps.then(|| 72 + below(g, 50)), form }
    }
}

#[test]
fn a_post_says_the_same_in_each_form() {
    for (post, form) in (0..POSTS.len()).flat_map(|post| (0..FORMS.len()).map(move |form| (post, form))) {
        Posted { post, time: (post + form) % TIMES.len(), width: None, form }.says_the_same();
    }
}

#[test]
fn a_post_says_the_same_however_it_is_changed() {
    property("changed posts", 2000, (|posted| posted.says_the_same()) as fn(Posted) -> bool);
}
