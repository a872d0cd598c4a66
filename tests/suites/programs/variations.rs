//! What people post, changed in ways that change nothing of what it says: cut at a width, quoted, in a table, as HTML, in another language of the date, with
//! blanks of a word processor. A seed chooses the post, the width and the form. Of posts that were cut it chooses the bytes that are left.

use crate::incidents::{facts, incidents_of};
use crate::support::property;
use pm4::hang::{Incident, IncidentFault, IncidentKind, RecoveryStep};
use pm4::input::Process;
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
const TIMES: [fn(usize) -> String; 8] = [
    |at| format!("[ 2178.{at:06}]"),
    |at| format!("Nov 29 18:22:{at:02} HOST kernel:"),
    |at| format!("lis 29 18:22:{at:02} HOST kernel:"),
    |at| format!("déc. 29 18:22:{at:02} HOST kernel:"),
    |at| format!("2026-11-29T18:22:{at:02}+01:00 HOST kernel:"),
    |at| format!("[ne lis 29 18:22:{at:02} 2026]"),
    |at| format!("kern  :err   : [ 2178.{at:06}]"),
    |at| format!("2026-11-29T18:22:{at:02}.123456+01:00 HOST Nov 29 18:22:{at:02} HOST kernel:"),
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

/// Forms whose text is written with marks of several bytes. Where one is cut, what is left of it is text: half a character of UTF-16 turns all others into other ones,
/// `=30` that lost its `=` is a number, and so are `#91;` of HTML and `[33m` of colours that lost their beginnings; `\\n` of JSON that lost its backslash is an `n`.
/// A sentence about a hang that ends in the middle may be the message that it quotes.
const MARKED: [&str; 14] = [
    "UTF-16",
    "UTF-16, big end first",
    "byte-order mark",
    "quoted-printable",
    "quoted-printable, CRLF",
    "<pre>",
    "<br>",
    "<br> in one line",
    "entities by number",
    "escaped for Markdown",
    "colours",
    "colours of grep that lost their first character",
    "a string of JSON",
    "between sentences about it",
];

/// A post of which bytes at both ends are missing.
#[derive(Debug, Clone)]
struct Cut {
    posted: Posted,
    from: usize,
    to: usize,
}

impl Arbitrary for Cut {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut posted = Posted::arbitrary(g);
        // Of a few lines nothing shows how they were wrapped.
        while MARKED.contains(&FORMS[posted.form].0) || posted.width.is_some() {
            posted = Posted::arbitrary(g);
        }
        let length = posted.bytes().len();
        let ends = [usize::arbitrary(g) % length, usize::arbitrary(g) % length];
        let (from, to) = match u8::arbitrary(g) % 4 {
            0 => (0, ends[0]),
            1 => (ends[0], length),
            _ => (ends[0].min(ends[1]), ends[0].max(ends[1])),
        };
        Self { posted, from, to }
    }
}

/// A post whose lines are of a width, cut at blanks or anywhere, of which bytes at both ends are missing before or after that.
#[derive(Debug, Clone)]
struct WrappedAndCut {
    post: usize,
    time: usize,
    width: usize,
    anywhere: bool,
    wrapped_first: bool,
    ends: [usize; 2],
}

impl WrappedAndCut {
    fn plain(&self) -> String {
        Posted { post: self.post, time: self.time, width: None, form: 0 }.plain()
    }

    fn text(&self) -> String {
        let wrap = |text: &str| if self.anywhere { each(text, |_, line| anywhere(line, self.width)) } else { wrapped(text, self.width) };
        let cut = |text: &str| {
            let characters: Vec<char> = text.chars().collect();
            let [from, to] = self.ends.map(|end| end % (characters.len() + 1));
            let (from, to) = if self.ends[0].is_multiple_of(4) { (0, characters.len()) } else { (from.min(to), from.max(to)) };
            characters[from..to].iter().collect::<String>()
        };
        if self.wrapped_first {
            return cut(&wrap(&self.plain()));
        }
        let text = cut(&self.plain());
        let wrapped = wrap(&text);
        if text.ends_with('\n') { wrapped } else { wrapped.trim_end_matches('\n').to_owned() }
    }

    /// Processes of incidents and faults.
    fn processes(text: &str) -> Vec<Process> {
        let of = |incident: Incident| incident.faults.into_iter().filter_map(|fault| fault.process).chain(incident.process).collect::<Vec<Process>>();
        incidents_of(text.as_bytes()).unwrap_or_default().into_iter().flat_map(of).collect()
    }

    /// A process is one of those of the whole log, as far as it is known.
    fn names_no_other_process(&self) -> bool {
        fn fits<T: PartialEq>(one: &Option<T>, whole: &Option<T>) -> bool {
            one.is_none() || one == whole
        }
        let (whole, text) = (Self::processes(&self.plain()), self.text());
        let is_one =
            |of: &Process, one: &Process| fits(&of.name, &one.name) && fits(&of.pid, &one.pid) && fits(&of.thread, &one.thread) && fits(&of.tid, &one.tid);
        let other = Self::processes(&text).into_iter().find(|process| !whole.iter().any(|one| is_one(process, one)));
        assert!(other.is_none(), "{other:?} is none of {whole:?}, {self:?}:\n{text}");
        true
    }
}

/// Lines of so many characters, cut anywhere.
fn anywhere(line: &str, width: usize) -> String {
    line.chars().collect::<Vec<char>>().chunks(width).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<String>>().join("\n")
}

impl Arbitrary for WrappedAndCut {
    fn arbitrary(g: &mut Gen) -> Self {
        let with_process = (0..POSTS.len()).filter(|post| POSTS[*post].contains(" pid ")).collect::<Vec<usize>>();
        Self {
            post: with_process[usize::arbitrary(g) % with_process.len()],
            time: usize::arbitrary(g) % TIMES.len(),
            width: 30 + usize::arbitrary(g) % 100,
            anywhere: bool::arbitrary(g),
            wrapped_first: bool::arbitrary(g),
            ends: [usize::arbitrary(g), usize::arbitrary(g)],
        }
    }
}

#[test]
fn a_post_that_is_wrapped_and_cut_names_no_other_process() {
    property("wrapped and cut posts", 3000, (|post| post.names_no_other_process()) as fn(WrappedAndCut) -> bool);
}

/// Whether what is known is the same.
fn agree<T: PartialEq>(cut: Option<&T>, whole: Option<&T>) -> bool {
    cut.is_none() || cut == whole
}

fn process_is_in(cut: Option<&Process>, whole: Option<&Process>) -> bool {
    let Some(cut) = cut else { return true };
    let Some(whole) = whole else { return false };
    agree(cut.name.as_ref(), whole.name.as_ref())
        && agree(cut.pid.as_ref(), whole.pid.as_ref())
        && agree(cut.thread.as_ref(), whole.thread.as_ref())
        && agree(cut.tid.as_ref(), whole.tid.as_ref())
}

fn fault_is_in(cut: &IncidentFault, whole: &IncidentFault) -> bool {
    agree(cut.address.as_ref(), whole.address.as_ref())
        && agree(cut.hub.as_ref(), whole.hub.as_ref())
        && agree(cut.die.as_ref(), whole.die.as_ref())
        && agree(cut.vmid.as_ref(), whole.vmid.as_ref())
        && agree(cut.pasid.as_ref(), whole.pasid.as_ref())
        && agree(cut.client.as_ref(), whole.client.as_ref())
        && agree(cut.client_id.as_ref(), whole.client_id.as_ref())
        && agree(cut.status.as_ref(), whole.status.as_ref())
        && agree(cut.write.as_ref(), whole.write.as_ref())
        && agree(cut.permission.as_ref(), whole.permission.as_ref())
        && agree(cut.walker.as_ref(), whole.walker.as_ref())
        && agree(cut.mapping.as_ref(), whole.mapping.as_ref())
        && (!cut.status_is_of_another_fault || whole.status_is_of_another_fault)
        && process_is_in(cut.process.as_ref(), whole.process.as_ref())
}

fn step_is_in(cut: &RecoveryStep, whole: &RecoveryStep) -> bool {
    cut.what == whole.what
        && agree(cut.ring.as_ref(), whole.ring.as_ref())
        && agree(cut.method.as_ref(), whole.method.as_ref())
        && agree(cut.source.as_ref(), whole.source.as_ref())
        && agree(cut.count.as_ref(), whole.count.as_ref())
        && (!cut.vram_lost || whole.vram_lost)
        && (cut.result == "unknown" || cut.result == whole.result)
}

/// Whether all that an incident of a cut post says is said by one of the whole post. Without its timeout an incident is one of what is left: of its page faults, its
/// refused packets, its firmware or its recovery.
fn incident_is_in(cut: &Incident, whole: &Incident, text: &str) -> bool {
    let kind = match cut.kind {
        kind if kind == whole.kind => true,
        IncidentKind::PageFault => !whole.faults.is_empty(),
        IncidentKind::RefusedPacket => !whole.refused.is_empty(),
        IncidentKind::FirmwareTimeout => !whole.firmware.is_empty(),
        IncidentKind::Reset => !whole.recovery.is_empty(),
        // RADV says of a fault that the context is lost, and the fault after it.
        IncidentKind::DriverError => whole.kind == IncidentKind::PageFault && whole.gpu.is_none(),
        IncidentKind::RingTimeout | IncidentKind::QueueTimeout => false,
    };
    // The process of page faults is theirs.
    let process = cut.kind == IncidentKind::PageFault || process_is_in(cut.process.as_ref(), whole.process.as_ref());
    let firmware =
        cut.firmware.iter().all(|(_, who, message)| whole.firmware.iter().any(|(_, other, said)| who == other && agree(message.as_ref(), said.as_ref())));
    kind && process
        && firmware
        && agree(cut.gpu.as_ref(), whole.gpu.as_ref())
        && agree(cut.ring.as_ref(), whole.ring.as_ref())
        && (cut.engine == whole.engine || cut.engine.is_none() || cut.kind != whole.kind)
        && agree(cut.generation.as_ref(), whole.generation.as_ref())
        && agree(cut.chip.as_ref(), whole.chip.as_ref())
        // A sentence that is cut is a part of one.
        && cut.message.as_ref().is_none_or(|message| words(text).contains(&words(message)))
        && cut.faults.iter().all(|fault| whole.faults.iter().any(|of| fault_is_in(fault, of)))
        && cut.refused.iter().all(|(_, what)| whole.refused.iter().any(|(_, other)| what == other))
        && cut.recovery.iter().all(|step| whole.recovery.iter().any(|of| step_is_in(step, of)))
}

/// A text without its blanks, which are other ones where it is wrapped.
fn words(text: &str) -> String {
    text.split_whitespace().collect()
}

impl Cut {
    fn says_nothing_else(&self) -> bool {
        let bytes = self.posted.bytes();
        let left = &bytes[self.from..self.to];
        let (Some(cut), whole) = (incidents_of(left), incidents_of(&bytes).expect("a post is read")) else { return true };
        let text = String::from_utf8_lossy(left);
        let whole_text = String::from_utf8_lossy(&bytes).replace('\u{a0}', " ");
        for incident in &cut {
            assert!(
                whole.iter().any(|of| incident_is_in(incident, of, &self.posted.plain())),
                "{}, {:?}, {}..{}:\n{text}\n{incident:#?}\nis not in\n{whole:#?}",
                FORMS[self.posted.form].0,
                self.posted.width,
                self.from,
                self.to
            );
            // Without other lines nothing shows that a time is cut.
            let is_known =
                |time: &String| whole_text.lines().any(|line| line.contains(time.as_str()) && !is_cut(line, time)) || text.trim_end().lines().count() < 5;
            assert!(incident.time.as_ref().is_none_or(is_known), "{}: the time {:?} of\n{text}", FORMS[self.posted.form].0, incident.time);
        }
        true
    }
}

/// Whether a time is a part of a word of a line.
fn is_cut(line: &str, time: &str) -> bool {
    line.find(time).is_some_and(|at| line[..at].ends_with(char::is_alphanumeric) || line[at + time.len()..].starts_with(char::is_alphanumeric))
}

#[test]
fn a_post_that_was_cut_says_nothing_that_the_whole_does_not_say() {
    property("cut posts", 2000, (|cut| cut.says_nothing_else()) as fn(Cut) -> bool);
}
