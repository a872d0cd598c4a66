//! Logs of kernels, drivers and runtimes: the incidents in them, against a golden file, in every form in which a log is posted.

use crate::golden::Parts;
use crate::input_samples as samples;
use pm4::chip::Chip;
use pm4::hang::{Incident, IncidentKind, Incidents};
use pm4::input::{Input, InputError, InputForm, Process, Source};
use std::fmt::Write as _;

fn open(bytes: &[u8]) -> Result<Input, InputError> {
    Source::open(bytes, None).and_then(Source::load)
}

fn read(bytes: &[u8]) -> Input {
    open(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(400)])))
}

fn incidents(text: &[u8]) -> Incidents {
    Incidents::of(&[("log", &read(text))], None)
}

/// The incidents of a text; None where it is refused.
pub fn incidents_of(text: &[u8]) -> Option<Vec<Incident>> {
    open(text).ok().map(|input| Incidents::of(&[("log", &input)], None).list().to_vec())
}

/// Incidents without what depends on the form of a line: its place and its time.
pub fn facts(text: &[u8]) -> Vec<Incident> {
    let mut list = incidents(text).list().to_vec();
    for incident in &mut list {
        (incident.line, incident.time) = (0, None);
        incident.faults.iter_mut().for_each(|fault| fault.line = 0);
        incident.refused.iter_mut().for_each(|refused| refused.0 = 0);
        incident.firmware.iter_mut().for_each(|firmware| firmware.0 = 0);
        incident.recovery.iter_mut().for_each(|step| step.line = 0);
    }
    list
}

/// Lines of logs: `N:` is that of a GPU by its number, `N! PAGE PROCESS` the lines of a page fault.
fn log_of(lines: &str) -> String {
    let bus = |gpu: &str| format!("[ 1.0] amdgpu 0000:0{gpu}:00.0: amdgpu: ");
    let mut text = String::new();
    for line in lines.lines().map(str::trim_start) {
        if let Some((gpu, rest)) = line.split_once("! ") {
            let (page, process) = rest.split_once(' ').expect("a page and a process");
            let gpu = bus(gpu);
            let _ = writeln!(text, "{gpu}[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n{gpu} Process {process} pid 5 thread {process}:cs0 pid 6");
            let _ = writeln!(text, "{gpu}  in page starting at address 0x{page} from client 10");
        } else if let Some((gpu, rest)) = line.split_once(": ").filter(|(gpu, _)| gpu.len() == 1) {
            let _ = writeln!(text, "{}{rest}", bus(gpu));
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// Lines with a time each, by their number: with a date, as JSON, in seconds since 1970 and since boot, and within one second.
const TIMES: [fn(usize, &str) -> String; 9] = [
    |at, line| kept(line, format!("[  812.{at:06} <    0.000001>] {line}")),
    |at, line| format!("data: {{\"__REALTIME_TIMESTAMP\":\"1726540301{at:06}\",\"MESSAGE\":{}}}", json(line)),
    |at, line| kept(line, format!("Nov 26 07:{:02}:{:02} amdgpu kernel: {line}", at / 60, at % 60)),
    |at, line| kept(line, format!("2026-11-26T07:{:02}:{:02}+0100 amdgpu kernel: {line}", at / 60, at % 60)),
    |at, line| kept(line, format!("Nov 26 07:00:00.{at:06} amdgpu kernel: {line}")),
    |at, line| kept(line, format!("1726540301.{at:06} amdgpu kernel: {line}")),
    |at, line| kept(line, format!("[  812.{at:06}] {line}")),
    |at, line| format!("{{\"__REALTIME_TIMESTAMP\":\"1726540301{at:06}\",\"__MONOTONIC_TIMESTAMP\":\"812{at:06}\",\"MESSAGE\":{}}}", json(line)),
    |at, line| format!("{{ \"pri\": 3, \"time\": 812.{at:06}, \"msg\": {} }},", json(line)),
];

/// A line, or the other one where it is of journalctl itself.
fn kept(line: &str, stamped: String) -> String {
    if line.starts_with("-- ") { line.into() } else { stamped }
}

fn json(line: &str) -> String {
    serde_json::to_string(line).expect("JSON")
}

const GFX_TIMEOUT: &str = "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";
const COMP_TIMEOUT: &str = "ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3";

/// GPUs, boots, processes and resets do not mix.
fn cases() -> Vec<String> {
    let chips = "3: initializing kernel modesetting (NAVI21 0x1002:0x73BF 0x1002:0x0E3A 0xC1).\n\
        4: initializing kernel modesetting (IP DISCOVERY 0x1002:0x744C 0x1002:0x0E3B 0xC8).\n";
    let recovered = "3: ring comp_1.0.0 timeout, but soft recovered\n";
    let refused = "3: Illegal opcode in command stream\n3: Illegal register access in command stream\n3: Illegal instruction in command stream\n\
        Linux version 6.5.0-a (x)\n";
    vec![
        // Another GPU has a fault after the hang, and one before.
        format!("Linux version 6.5.0-a (x)\n{chips}4! 1000 game\n3: {GFX_TIMEOUT}\n3:  Process vkcube pid 7 thread vkcube pid 8\n4! 2000 game"),
        // The only chip that is named is that of another GPU.
        format!("4: initializing kernel modesetting (NAVI21 0x1002:0x73BF\n3: {GFX_TIMEOUT}"),
        // A fault of another process, one of the same process after it, and processes that are not known.
        format!("3! 1000 game\n3: {GFX_TIMEOUT}\n3:  Process vkcube pid 7 thread vkcube pid 8"),
        format!("3! 1000 game\n3! 2000 vkcube\n3! 3000 vkcube\n3: {GFX_TIMEOUT}\n3:  Process vkcube pid 5 thread vkcube:cs1 pid 8"),
        // However many faults others have.
        format!(
            "{}3! 2000 vkcube\n{}3: {GFX_TIMEOUT}\n3:  Process vkcube pid 5 thread vkcube:cs1 pid 8",
            "3! 1000 game\n".repeat(20),
            "3! 3000 game\n".repeat(2)
        ),
        format!("3! 1000 game\n3! 2000 vkcube\n3: {GFX_TIMEOUT}\n3: Process information: process  pid 0 thread  pid 0"),
        // Older kernels do not state the GPU of the hang.
        format!("{chips}3! 1000 game\n4! 2000 vkcube\n[drm] *ERROR* {GFX_TIMEOUT}\n[drm] *ERROR* Process information: process vkcube pid 5 thread x pid 8"),
        format!("3! 1000 game\n4! 2000 app\n[drm] *ERROR* {GFX_TIMEOUT}"),
        // Boots.
        format!("Linux version 6.5.0-a (x)\n3! 1000 game\n-- Boot 8765 --\nLinux version 6.12.9-b (x)\n3: {GFX_TIMEOUT}"),
        format!("Linux version 6.5.0-a (x)\n3: {GFX_TIMEOUT}\nLinux version 6.12.9-b (x)"),
        // A ring times out during the reset, with and without a fault, and after it.
        format!("3! 1000 game\n3: {GFX_TIMEOUT}\n3: GPU reset begin!\n3: ring sdma0 timeout, signaled seq=1, emitted seq=3"),
        format!("3: {GFX_TIMEOUT}\n3: GPU reset begin!\n3! 1000 game\n3: ring sdma0 timeout, signaled seq=1, emitted seq=3"),
        format!("3! 1000 game\n3: {GFX_TIMEOUT}\n3: GPU reset begin!\n3: GPU reset(1) succeeded!\n3: ring sdma0 timeout, signaled seq=1, emitted seq=3"),
        // More hangs than are kept.
        format!("{}3: {GFX_TIMEOUT}\n{}", recovered.repeat(33), recovered.repeat(3)),
        // Lines of two GPUs are mixed, and an address is missing.
        format!(
            "3: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n4: page fault (src_id:0 ring:24 vmid:4 pasid:1)\n\
                 3:   in page starting at address 0x1000 from client 10\n3: {GFX_TIMEOUT}"
        ),
        format!("3: page fault (src_id:0 ring:24 vmid:3 pasid:1)\n3: {GFX_TIMEOUT}"),
        recovered.to_string(),
        // How resets end: of a ring, of the GPU after that of the ring, and of one of two GPUs where the line of the hang has none.
        format!(
            "3: {GFX_TIMEOUT}\n3: Starting gfx_0.0.0 ring reset\n3: Ring gfx_0.0.0 reset succeeded\n3: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3\n\
                 3: Ring comp_1.0.0 reset failed\n3: GPU reset begin!. Source:  1\n3: GPU reset(2) succeeded!"
        ),
        format!("3: {GFX_TIMEOUT}\n3: Ring gfx_0.0.0 reset failure"),
        format!(
            "[drm] *ERROR* {GFX_TIMEOUT}\n3: GPU reset begin!\n4: GPU reset begin!\n4: GPU reset(1) succeeded!\n3: GPU reset(1) failed\n\
                 3: GPU reset end with ret = -110"
        ),
        // The kernel may say no more of a reset than that it failed.
        format!("3: {GFX_TIMEOUT}\n3: GPU reset begin!\n3: GPU reset end with ret = -110"),
        // Packets that an engine refused: the first before the hang.
        format!(
            "[drm:gfx_v10_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream\n3: Illegal register access in command stream\n3: {GFX_TIMEOUT}\n\
                 3: ring comp_1.0.0 timeout, but soft recovered"
        ),
        // Of another GPU, of one that is not known, of a boot before, and of a program that prints the same.
        format!(
            "4: Illegal opcode in command stream\napp: Illegal instruction in command stream\nLinux version 6.5.0-a (x)\n\
                 [drm] *ERROR* Illegal instruction in command stream\n3: {GFX_TIMEOUT}\n3: Illegal register access in command stream"
        ),
        "[drm:gfx_v11_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream".into(),
        // Two rings time out before either is reset, and before the GPU is.
        format!(
            "3: {GFX_TIMEOUT}\n3: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3\n3: Ring gfx_0.0.0 reset succeeded\n3: Ring comp_1.0.0 reset failed"
        ),
        format!("3: {GFX_TIMEOUT}\n3: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3\n3: GPU reset begin!\n3: GPU reset(2) succeeded!"),
        // A hang whose GPU is not known has the faults of all.
        format!("3! 1000 game\n[drm] *ERROR* {GFX_TIMEOUT}\n3: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3"),
        // A program that names the kernel starts none.
        format!("3! 1000 vkcube\nXorg: Linux version 6.5.0 is old\n3: {GFX_TIMEOUT}\n3:  Process vkcube pid 5"),
        // Older kernels do not say that the reset of a ring succeeded: a hang after it ends it.
        format!("3: {COMP_TIMEOUT}\n3: Starting comp_1.0.0 ring reset\n3: {GFX_TIMEOUT}\n3: GPU reset begin!\n3: GPU reset(1) succeeded!"),
        // Resets take seconds: what follows hours later is another one.
        format!(
            "[ 1.0] amdgpu 0000:03:00.0: amdgpu: {COMP_TIMEOUT}\n[ 1.1] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n\
                 [ 90000.0] amdgpu 0000:03:00.0: amdgpu: {GFX_TIMEOUT}\n[ 90000.1] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n\
                 [ 90005.0] amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!"
        ),
        // A third ring that times out during a reset does so after the second.
        format!("3: {COMP_TIMEOUT}\n3: {GFX_TIMEOUT}\n3: GPU reset begin!\n3: ring sdma0 timeout, signaled seq=1, emitted seq=3"),
        // A boot that no line names: its clock starts again, or the driver does.
        format!("[ 7000.0] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n[ 5.0] usb\n[ 5.1] amdgpu: {GFX_TIMEOUT}"),
        format!("3! 1000 game\n3: initializing kernel modesetting (NAVI21 0x1002:0x73BF 0x1002:0x0E3A 0xC1).\n3: {GFX_TIMEOUT}"),
        // Times of other programs begin no boot.
        format!(
            "[ 7000.0] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n[ 5.0] (II) AMDGPU(0): amdgpu_drv\n\
                 mangoapp: load [0.52] fps\n[ 7001.0] amdgpu 0000:03:00.0: amdgpu:  in page starting at address 0x1000 from client 10\n\
                 [ 7002.0] amdgpu 0000:03:00.0: amdgpu: {GFX_TIMEOUT}"
        ),
        // Another GPU starts, of which older kernels do not state the name.
        format!(
            "[drm] *ERROR* {GFX_TIMEOUT}\n[drm] initializing kernel modesetting (NAVI10 0x1002:0x731F 0x1002:0x0E3A 0xC1).\n\
                 [drm] *ERROR* Process information: process vkcube pid 5 thread x pid 8\n3: GPU reset begin!\n3: GPU reset(2) succeeded!"
        ),
        // Processes may have any name.
        format!("3: {GFX_TIMEOUT}\n3:  Process pid x pid 5 thread a pid b pid 6, see pid file"),
        // What the kernel refused, one of each kind.
        format!("3: Illegal opcode in command stream\n3: Illegal register access in command stream\n3: Illegal opcode in command stream\n3: {GFX_TIMEOUT}"),
        // The kernel of an event is the one that ran then.
        "Linux version 6.5.0-a (x)\n3: Illegal opcode in command stream\nLinux version 6.12.9-b (x)".into(),
        // The kernel leaves out lines where there are many.
        format!("3! 1000 game\ngmc_v11_0_process_interrupt: 5300 callbacks suppressed\n3: {GFX_TIMEOUT}"),
        // Also before the first of them that it prints, but not those of other drivers, and of the GPU that has the next fault alone.
        format!("gmc_v11_0_process_interrupt: 5300 callbacks suppressed\n3! 1000 game\n3: {GFX_TIMEOUT}"),
        format!("3! 1000 game\nnet_ratelimit: 12 callbacks suppressed\n3: gmc_v11_0: no fault\n3: {GFX_TIMEOUT}"),
        format!("4: {COMP_TIMEOUT}\ngmc_v11_0_process_interrupt: 9 callbacks suppressed\n3! 1000 game\n4! 2000 game\n3: {GFX_TIMEOUT}\n4: {COMP_TIMEOUT}"),
        // More refused packets of other boots than are kept, three kinds in each.
        format!("{}3: {GFX_TIMEOUT}", refused.repeat(12)),
        // A log that begins behind the first line of a page fault.
        format!("3:  in page starting at address 0x1000 from client 10\n3: GCVM_L2_PROTECTION_FAULT_STATUS:0x00501430\n3: {GFX_TIMEOUT}"),
        // Domains of more than four digits, and two GPUs of which the hang names none.
        format!(
            "amdgpu 10000:03:00.0: amdgpu: {GFX_TIMEOUT}\namdgpu 10000:03:00.0: amdgpu: GPU reset begin!\namdgpu 10000:04:00.0: amdgpu: GPU reset(1) succeeded!"
        ),
        format!(
            "4! 1000 game\n3: Ring sdma0 reset succeeded\n[drm] *ERROR* {GFX_TIMEOUT}\naudit: sandbox denied in process steam pid 77 something\nsystemd: Process gnome pid 8"
        ),
        // The generation alone: blocks of older kernels, and a name that several chips have.
        format!("[drm] add ip block number 6 <gfx_v10_0>\n3: {GFX_TIMEOUT}"),
        format!("[drm] initializing kernel modesetting (RAVEN 0x1002:0x15D8 0x1002:0x0E3A 0xC1).\n[drm] add ip block number 6 <gfx_v9_0>\n3: {GFX_TIMEOUT}"),
    ]
}

#[test]
fn the_incidents_of_logs_are_those_of_the_golden_file() {
    let mut parts = Parts::default();
    for case in cases() {
        let log = log_of(&case);
        let incidents = incidents(log.as_bytes());
        let text = format!("{}\n--\n{}\n--\n{}\n", log.trim_end(), incidents.records().join("\n"), incidents.verdict().join("\n"));
        parts.add("", &text);
    }
    parts.assert("inputs/incidents.txt");
}

/// What is said of a log, without what to collect next.
fn said(log: &str) -> Vec<String> {
    incidents(log.as_bytes()).verdict().into_iter().filter(|line| !line.starts_with("collect next")).collect()
}

/// A log that begins or ends within what a message says.
#[test]
fn what_a_log_was_cut_from_is_not_known() {
    // The name of the ring, and the timeout of which a process is.
    let log = "gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
Process a pid 7 thread b pid 8
";
    assert_eq!(said(log), ["a ring, whose name is not in the input, timed out, process a pid 7, thread b (8) (line 1)"]);
    let log = log_of(
        "3: Process information: process a pid 7 thread b pid 8
3: GPU reset begin!
3: MODE2 reset",
    );
    let reset = "the GPU or a ring was reset; the input does not show why [GPU 0000:03:00.0], process a pid 7, thread b (8) (line 2)";
    assert_eq!(said(&log), [reset, "  recovery: GPU reset (MODE2): the log does not say how it ended"]);
    // A process before something else is not of it.
    let log = log_of(
        "3: Process information: process a pid 7 thread b pid 8
3: MES failed to respond to msg=SUSPEND
3: GPU reset begin!",
    );
    assert_eq!(said(&log)[0], "firmware did not answer [GPU 0000:03:00.0] (line 2)");
}

/// A kernel that fails itself is of the driver if the trace names it.
#[test]
fn an_oops_is_of_the_driver_whose_trace_it_has() {
    const OOPSES: [&str; 4] = [
        "BUG: kernel NULL pointer dereference, address: 0000000000000018",
        "general protection fault, probably for non-canonical address 0xdead000000000100: 0000 [#1] SMP",
        "Unable to handle kernel paging request at virtual address ffff000000000018",
        "kernel BUG at mm/slub.c:440!",
    ];
    let trace = |of: &str| format!("RIP: 0010:free+0x12/0x60 [ttm]\nModules linked in: amdgpu(E) ext4\nCall Trace:\n {of}\n---[ end trace 0 ]---\n");
    for oops in OOPSES {
        let error = |line: usize| format!("error: {oops} (line {line})");
        assert_eq!(said(&format!("{oops}\n{}", trace("amdgpu_bo_move+0x12/0x50 [amdgpu]"))), [error(1)]);
        let of_another = format!("{oops}\n{}", trace("ext4_read+0x12/0x50 [ext4]"));
        let says_nothing = |text: &str| open(text.as_bytes()).map_or(true, |input| input.events.is_empty());
        assert!(says_nothing(&of_another), "{oops}");
        // Beside a hang, and without a trace, it may be of either.
        assert_eq!(said(&format!("{GFX_TIMEOUT}\n{of_another}")), ["ring gfx_0.0.0 timed out (line 1)"]);
        assert_eq!(said(&format!("{GFX_TIMEOUT}\n{oops}\n"))[1], format!("incident 1: {}", error(2)));
        assert!(says_nothing(&format!("{oops}\n")), "{oops}");
    }
}

/// What other drivers say, programs that lost their device, and slow answers of a management unit are no hangs of amdgpu.
#[test]
fn what_is_no_hang_of_amdgpu_is_refused_by_name() {
    const OTHERS: [(&str, &str); 8] = [
        ("radeon 0000:01:00.0: ring 0 stalled for more than 10280msec\n[ 1.0] radeon 0000:01:00.0: GPU reset succeeded, trying to resume\n", "another driver"),
        ("[ 1.0] NVRM: Xid (PCI:0000:01:00): 31, MMU Fault: ENGINE GRAPHICS page fault\n", "another driver"),
        ("i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:85dffffb, in gnome-shell [1234]\n", "another driver"),
        ("amdgpu: SMU: I'm not done with your previous command: SMN_C2PMSG_66:0x0000001C\n", "messages of the SMU alone"),
        ("amdgpu 0000:c1:00.0: [drm] *ERROR* [CRTC:80:crtc-0] flip_done timed out\n", "errors of the display engine"),
        ("err:   DxvkSubmissionQueue: Command submission failed: VK_ERROR_DEVICE_LOST\n", "a program that lost its device"),
        ("User Queue info for client: 'kfd,comm=app,queue=2'\n\tcommand: app\n", "user queues as umr --print-uq prints them"),
        ("My GPU hangs: a page fault (see below), a MODE1 reset, and Illegal opcode in command stream, too.\n", "text"),
    ];
    for (text, name) in OTHERS {
        let error = open(text.as_bytes()).expect_err(text).to_string();
        assert!(error.contains(name), "{error}");
    }
    // Beside a hang they are read.
    let log = log_of(&format!("3: {GFX_TIMEOUT}\n3: SMU: I'm not done with your previous command: SMN_C2PMSG_66:0x0000001C"));
    assert_eq!(said(&log)[1], "  SMU did not answer");
}

/// Messages of the kernel that few logs have.
#[test]
fn rare_messages_of_the_kernel_are_read() {
    const MESSAGES: [(&str, &str); 9] = [
        ("[drm:sdma_v4_0_process_illegal_inst_irq [amdgpu]] *ERROR* Illegal instruction in SDMA command stream", "  refused (line 2): illegal instruction"),
        ("[drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring kiq_0.2.1.0 test failed (-110)", "  KIQ did not answer"),
        ("[drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring mes_kiq_3.1.0 test failed (-110)", "  KIQ did not answer"),
        ("GPU pci config reset", "  recovery: GPU reset (PCI CONFIG): the log does not say how it ended"),
        ("GPU psp mode1 reset", "  recovery: GPU reset (MODE1): the log does not say how it ended"),
        ("BACO reset   <-- and all of it", "  recovery: GPU reset (BACO): the log does not say how it ended"),
        ("Illegal opcode in command stream  # here", "  refused (line 2): illegal opcode"),
        (
            "GPU fault detected: 146 0x0000480c for process Xorg pid 10 thread Xorg:cs0 pid 12",
            "page faults in a form that is not decoded (first in line 2): the GPU is, or may be, older than GFX9",
        ),
        (
            "[gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:10) in page starting at address 0x00000043800e8000 from client 0x1b (UTCL2), then it dies",
            "  page fault (line 2): address 0x0043800e8000, seen by gfxhub, VMID 4",
        ),
    ];
    for (message, line) in MESSAGES {
        let lines = said(&log_of(&format!("3: {GFX_TIMEOUT}\n3: {message}")));
        assert_eq!(lines[1..].iter().filter(|line| !line.starts_with("terms: ")).collect::<Vec<_>>(), [line]);
    }
    assert_eq!(incidents(log_of("3: ring page0 timeout, signaled seq=1, emitted seq=3").as_bytes()).list()[0].engine, Some("sdma"));
    // The kernel prints "unknown" where its table has no name.
    let fault = incidents(log_of("3! 1000 game\n3: Faulty UTCL2 client ID: unknown (0x1d)").as_bytes()).list()[0].faults[0].clone();
    assert_eq!((fault.client, fault.client_id), (None, Some(29)));
    let queue =
        ":0:rocdevice.cpp :2882: 88 us: [pid:5 tid:0x7f] Callback: Queue 0x7f2b Aborting with error : HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: beyond.";
    assert_eq!(said(queue), ["error: HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: beyond. (line 1)"]);
}

/// A reset names what it was for, where the log names its source or an error of the hardware before it.
#[test]
fn a_reset_says_what_it_was_for() {
    let of = |before: &str, source: u32| said(&log_of(&format!("{before}3: GPU reset begin!. Source:  {source}\n3: GPU reset(2) succeeded!\n"))).remove(0);
    assert_eq!(of("", 0), "the GPU or a ring was reset; the input does not show why [GPU 0000:03:00.0] (line 1)");
    assert_eq!(of("", 1), "the GPU was reset for a job that timed out, which the input does not show [GPU 0000:03:00.0] (line 1)");
    assert_eq!(of("", 2), "the GPU was reset for an error of the hardware (RAS) [GPU 0000:03:00.0] (line 1)");
    assert_eq!(of("", 5), "the GPU was reset at the request of a user [GPU 0000:03:00.0] (line 1)");
    let error = "3: {1}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!\n";
    assert_eq!(of(error, 0), "the GPU was reset for an error of the hardware (RAS) [GPU 0000:03:00.0] (line 2)");
    assert_eq!(said(&log_of(&format!("{error}3: GPU reset begin!")))[1], "  uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected");
    // Of another GPU it says nothing.
    let other = log_of(&format!("{}3: GPU reset begin!\n", error.replace('3', "4")));
    assert_eq!(said(&other)[0], "the GPU or a ring was reset; the input does not show why [GPU 0000:03:00.0] (line 2)");
    // It is no incident by itself.
    assert!(open(log_of(error).as_bytes()).map_or(true, |input| input.events.is_empty()));
    let old = facts(log_of("3: GPU reset begin!\n[ 1.0] [drm] psp mode1 reset succeed \n3: GPU reset(2) succeeded!").as_bytes());
    assert_eq!(old[0].recovery[0].method, Some("MODE1"));
}

/// A program that died says less than the kernel's log, and the kernel's log names the file of its coredump.
#[test]
fn what_to_collect_next_depends_on_what_is_there() {
    let last = |log: &str| incidents(log.as_bytes()).verdict().pop().expect("a line");
    let file = "3: [drm] Check your /sys/class/drm/card1/device/devcoredump/data\n";
    let hang = format!("3: {GFX_TIMEOUT}\n");
    let dump = "collect next: the device coredump, within 5 minutes of the hang: /sys/class/drm/";
    assert_eq!(last(&log_of(&hang)), format!("{dump}card*/device/devcoredump/data"));
    assert_eq!(last(&log_of(&format!("{file}{hang}"))), format!("{dump}card1/device/devcoredump/data"));
    // A path that is cut is none.
    assert_eq!(last(&log_of(&format!("{}\n{hang}", &file[..40]))), format!("{dump}card*/device/devcoredump/data"));
    assert!(last(&log_of("3! 709843601000 game\n")).contains("after the faults"));
    for program in [
        "HW Exception by GPU node-4 (Agent handle: 0x1ebc04e0) reason :GPU Hang\n",
        "Memory access fault by GPU node-2 (Agent handle: 0x5640a8bb1980) on address 0x7feea09c5000. Reason: Unknown.\n",
        "radv/amdgpu: The CS has been cancelled because the context is lost. This context is innocent.\n",
    ] {
        assert_eq!(last(program), "collect next: the log of the kernel of these minutes (journalctl -k)");
    }
}

/// The number of a process and the client of an interrupt are not what accessed a page: the verdict says what they are, where they are known.
#[test]
fn the_verdict_explains_pasid_and_the_client_of_the_interrupt() {
    let terms = |from: &str, pasid: u32| {
        let log = log_of(&format!(
            "3: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:4 pasid:{pasid})\n3:   in page starting at address 0x0000709843601000{from}\n3: {GFX_TIMEOUT}"
        ));
        said(&log).into_iter().find(|line| line.starts_with("terms: "))
    };
    let both = terms(" from IH client 0x1b (UTCL2)", 32770).expect("a line");
    assert!(both.contains("PASID 32770 is the number of a process") && both.contains("IH client 0x1b (UTCL2) is the block that sent the interrupt"), "{both}");
    assert!(terms(" from client 10", 0).is_some_and(|line| line.contains("IH client 10 ") && !line.contains("PASID")));
    assert!(terms("", 32770).is_some_and(|line| !line.contains("IH client")));
    assert_eq!(terms(" from client 0", 0), None);
}

/// Registers alone do not show what stopped, but what the engines did; a dump without registers shows nothing.
#[test]
fn a_dump_without_ring_and_fault_says_what_its_registers_do() {
    let lines =
        said("   regCP_STALLED_STAT2                  0x00210000\n   regCP_CPF_STALLED_STAT1              0x00000001\n   regCP_BUSY_STAT      0x00048000\n");
    assert!(lines[0].starts_with("neither a ring that timed out nor a page fault is in the input: it does not show what stopped"), "{lines:?}");
    assert!(lines[1].contains("a fence at the end of the pipe waits") && lines[2].contains("ring words are being fetched"), "{lines:?}");
    let off = said("   regCP_STALLED_STAT2    0xffffffff\n   regCP_CPF_STALLED_STAT1   0xffffffff\n   regCP_BUSY_STAT   0xffffffff\n");
    assert_eq!(off[1], "  nothing: they are zero, or all ones");
}

/// A block that does not resume is no hang; a GPU that was to be reset, and was not, was not reset; the kernel says twice that a reset failed.
#[test]
fn failures_without_a_hang_are_called_what_they_are() {
    let resume = said("kernel: amdgpu 0000:c1:00.0: amdgpu: resume of IP block <sdma_v6_0> failed -110\n");
    assert_eq!(resume[0], "no hang is in the input; the driver says: resume of IP block <sdma_v6_0> failed -110 (line 1)");
    assert_eq!(said(&log_of("3: GPU recovery disabled."))[0], "the GPU was to be reset, and was not; the input does not show why [GPU 0000:03:00.0] (line 1)");
    let causes = |cause: &str| facts(log_of(&format!("3: {cause}\n3: GPU reset begin!\n3: GPU reset(2) succeeded!")).as_bytes()).remove(0).kind;
    assert_eq!(causes("Illegal opcode in command stream"), IncidentKind::RefusedPacket);
    assert_eq!(causes("[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)"), IncidentKind::PageFault);
    let both = facts(
        log_of(&format!(
            "3: {GFX_TIMEOUT}\n3: GPU reset begin!. Source:  1\n3: ring sdma0 timeout, signaled seq=1, emitted seq=3\n3: GPU reset(1) failed\n3: GPU reset end with ret = -62"
        ))
        .as_bytes(),
    );
    assert_eq!(both.iter().map(|incident| incident.recovery.len()).collect::<Vec<_>>(), [1, 0]);
    let lost = "radv/amdgpu: The CS has been cancelled because the context is lost. This context is innocent.\n";
    assert_eq!(facts(format!("{lost}{}", log_of(&format!("3: {GFX_TIMEOUT}"))).as_bytes()).len(), 1);
}

/// What programs and older kernels say of faults and queues.
#[test]
fn rare_forms_of_faults_and_queues_are_read() {
    let null = facts(b"Memory access fault by GPU node-4 (Agent handle: 0x152e220) on address (nil). Reason: Page not present or supervisor privilege.\n");
    assert_eq!((null[0].gpu.as_deref(), null[0].faults[0].address), (Some("node-4"), Some(0)));
    let hiq = facts(log_of("3: HIQ MQD's queue_doorbell_id0 is not 0, Queue preemption time out\n").as_bytes());
    assert_eq!((hiq[0].kind, hiq[0].engine, hiq[0].gpu.as_deref()), (IncidentKind::QueueTimeout, Some("kfd"), Some("0000:03:00.0")));
    // Each process that uses a GPU says that it hangs.
    let again = |node: u32| format!("HW Exception by GPU node-{node} (Agent handle: 0x{node}ebc04e0) reason :GPU Hang\n");
    let count = |text: &str| facts(text.as_bytes()).len();
    assert_eq!((count(&(again(4) + &again(4).replace("0x4", "0x9"))), count(&(again(4) + &again(2)))), (1, 2));
    // Both hubs of GFX9 have this register: without a hub no client is known.
    let status = facts(
        b"amdgpu 0000:0c:00.0:   in page starting at address 0x0000800102d0e000 from 27\namdgpu 0000:0c:00.0: VM_L2_PROTECTION_FAULT_STATUS:0x00501031\n",
    );
    assert_eq!((status[0].faults[0].client.as_deref(), status[0].faults[0].client_id), (None, Some(8)));
    let rights = said(&log_of("3! 709843601000 game\n3: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301051\n"));
    assert!(rights[1].ends_with("PERMISSION_FAULTS 0x5 (bits: no valid page, no right to write)"), "{rights:?}");
    // A fault without an address is counted, and hides no other.
    let two = said(&log_of("3: [gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:1)\n3! 709843601000 game\n"));
    assert_eq!(two[2], "  and 1 page fault whose address is not in the input");
}

/// A line of another program is no part of the message before it, also where lines have no times.
#[test]
fn lines_of_other_programs_end_a_message() {
    let log = format!("{GFX_TIMEOUT}\namdgpu 0000:03:00.0: amdgpu: BACO reset\nnvme nvme0: I/O 12 QID 3 timeout, completion polled\n");
    assert_eq!(said(&log)[1], "  recovery: GPU reset (BACO): the log does not say how it ended");
}

/// Times of every form, and the same log with its newest line first.
#[test]
fn the_form_of_times_and_the_order_of_lines_change_no_incident() {
    for case in cases().iter().filter(|case| !case.starts_with("[ ")) {
        let plain = log_of(case).replace("[ 1.0] ", "");
        let expected = facts(plain.as_bytes());
        for style in TIMES {
            let old = (0..6).map(|_| "usb 1-1: new high-speed USB device");
            let mut stamped: Vec<String> = old.chain(plain.lines()).enumerate().map(|(at, line)| style(at, line)).collect();
            assert_eq!(facts((stamped.join("\n") + "\n").as_bytes()), expected, "{}", stamped.join("\n"));
            stamped.reverse();
            assert_eq!(facts((stamped.join("\n") + "\n").as_bytes()), expected, "{}", stamped.join("\n"));
        }
    }
}

/// The log of a kernel states rings that timed out and page faults, whatever is before each line and between the lines.
#[test]
fn the_log_of_a_kernel_says_which_ring_hung_and_what_page_was_not_there() {
    for prefix in
        ["", "[   12.345678] ", "[Do Sep 17 02:31:41 2026] ", "Sep 17 02:31:41 host kernel: ", "<3>[   12.3] ", "2026-09-17T02:31:41+0200 host kernel: "]
    {
        let text = samples::kernel_log(prefix);
        let input = read(&text);
        assert_eq!((input.form, input.chip, input.damage.len()), (InputForm::KernelLog, Some(Chip::Navi32), 0), "{prefix}");
        let list = incidents(&text);
        let incident = list.list().iter().find(|incident| incident.ring.is_some()).expect("a timeout");
        assert_eq!((incident.kind, incident.ring.as_deref(), incident.engine), (IncidentKind::RingTimeout, Some("gfx_0.0.0"), Some("gfx")), "{prefix}");
        let fault = &incident.faults[0];
        let read = (fault.hub.as_deref(), fault.client.as_deref(), fault.address, fault.status);
        assert_eq!(read, (Some("gfxhub"), Some("SQC (data)"), Some(0x80_013C_3000), Some(0x0050_1430)), "{prefix}");
        let process = Process { name: Some("vrcompositor".into()), pid: Some(53981), thread: Some("RenderThread".into()), tid: Some(54045) };
        assert_eq!(incident.process, Some(process), "{prefix}");
    }
    // Names of devices on a bus may have any bytes, also in a long log.
    for lines in [0, 3000] {
        let start = "[    0.1] ACPI: bus type PCI registered\n".repeat(lines);
        for product in [&b"\xFF\x01"[..], "设备".repeat(lines + 1).as_bytes()] {
            let log = [&b"usb 1-1: Product: \xFF"[..], product, b"\n", start.as_bytes(), &samples::kernel_log("")].concat();
            assert_eq!(read(&log).form, InputForm::KernelLog, "{lines} lines");
        }
    }
}

/// Logs as JSON, a record per line or a key per line, say what the text says; so do collectors of logs, with keys of their own.
#[test]
fn logs_of_a_kernel_may_be_json() {
    let text = String::from_utf8(samples::kernel_log("")).expect("text") + "Ring gfx_0.0.0 reset succeeded\n";
    let plain = facts(text.as_bytes());
    type Style = fn(&str) -> String;
    let styles: [Style; 5] = [
        |line| format!("{{\"_BOOT_ID\":\"ab\",\"_KERNEL_DEVICE\":\"+pci:0000:03:00.0\",\"MESSAGE\":{line},\"PRIORITY\":\"3\"}}\n"),
        |line| format!("{{\n\t\"_BOOT_ID\" : \"ab\",\n\t\"MESSAGE\" : {line},\n\t\"PRIORITY\" : \"3\"\n}}\n"),
        |line| format!("      {{\n         \"pri\": 3,\n         \"time\": 12.3,\n         \"msg\": {line}\n      }},"),
        |line| format!("{{\"@timestamp\":\"2026-11-26T07:00:00Z\",\"message\":{line}}}\n"),
        |line| format!("{{\"log\":{line},\"time\":\"2026-11-26T07:00:00Z\"}}\n"),
    ];
    for style in styles {
        let json: String = text.lines().map(|line| style(&serde_json::to_string(line).expect("JSON"))).collect();
        assert_eq!(facts(json.as_bytes()), plain, "{json}");
        // All records on one line.
        let json = format!("[{}]\n", json.replace('\n', " "));
        assert_eq!(facts(json.as_bytes()), plain, "{json}");
    }
    // Many records that are no JSON on one line.
    let log = format!("{} amdgpu GPU reset begin", r#""log":"\q"#.repeat(200_000));
    assert!(open(log.as_bytes()).is_ok_and(|input| input.form == InputForm::KernelLog));
}

/// `check` reads a log without a chip, and has its verdict first; `--brief` prints that only.
#[test]
fn check_says_first_what_went_wrong_and_needs_no_chip() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("without_a_chip.log");
    std::fs::write(&path, log_of(&format!("3! 1000 game\n3: {GFX_TIMEOUT}"))).expect("a file");
    let run = |options: &[&str]| {
        let mut arguments: Vec<&std::ffi::OsStr> = options.iter().map(std::ffi::OsStr::new).collect();
        arguments.push(path.as_os_str());
        let output = crate::examples::run("check", &arguments);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let (brief, text) = (run(&["--brief"]), run(&[]));
    assert!(text.starts_with(&brief) && brief.contains("gfx_0.0.0") && brief.contains("0x000000001000") && brief.lines().count() <= 15, "{text}");
}

/// Incidents of a long log are linked in linear time.
#[test]
fn a_long_log_of_many_hangs_is_read_in_linear_time() {
    let mut log = String::new();
    for n in 0..10_000 {
        let at = 100 * n;
        let _ = writeln!(log, "[{at}.000001] amdgpu 0000:0{}:00.0: amdgpu: ring gfx_0.{}.0 timeout, signaled seq=1, emitted seq=3", n % 3, n % 7);
        let _ = writeln!(log, "[{at}.000002] amdgpu 0000:0{}:00.0: amdgpu: GPU reset begin!", n % 3);
        let _ = writeln!(log, "[{at}.000003] amdgpu 0000:0{}:00.0: amdgpu: GPU reset({n}) succeeded!", n % 3);
    }
    let list = incidents(log.as_bytes());
    assert!(list.list().len() == 10_000 && list.list().iter().all(|incident| incident.recovery[0].result == "succeeded"));
}

/// What a log says of one GPU is not said of another one.
#[test]
fn chips_and_generations_are_those_of_the_gpu_that_the_lines_name() {
    let of = |lines: &str| {
        let list = incidents(log_of(lines).as_bytes());
        list.list().iter().map(|incident| (incident.gpu.clone().unwrap_or_default(), incident.chip, incident.generation)).collect::<Vec<_>>()
    };
    let [three, four] = ["0000:03:00.0", "0000:04:00.0"].map(String::from);
    let navi21 = "4: initializing kernel modesetting (NAVI21 0x1002:0x73BF 0x1002:0x0E3A 0xC1).\n";
    assert_eq!(of(&format!("{navi21}3: {GFX_TIMEOUT}")), [(three.clone(), None, None)]);
    assert_eq!(of(&format!("{navi21}4: {GFX_TIMEOUT}")), [(four.clone(), Some(Chip::Navi21), Some(10))]);
    // A line that names no GPU is not of one of another generation.
    let blocks = "3: <gfx_v9_0>: page fault\n4: [drm:gfx_v11_0_reset] GPU reset begin!\n4: GPU reset(1) succeeded!\n";
    let refused = "[drm:gfx_v9_0_priv_reg_irq [amdgpu]] *ERROR* Illegal register access in command stream";
    let list = of(&format!("3: [drm:gfx_v9_0_x] {GFX_TIMEOUT}\n{blocks}{refused}"));
    assert_eq!(list, [(three.clone(), None, Some(9)), (four.clone(), None, Some(11))]);
    // Nor of one of two where nothing says which.
    let list = of(&format!("3: {GFX_TIMEOUT}\n4: {GFX_TIMEOUT}\n[drm:gfx_v11_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream"));
    assert_eq!(list, [(three, None, None), (four, None, None)]);
}

/// The process of a fault or a timeout is what the driver says, on a line of its own or cut off by a filter, and not what other programs say.
#[test]
fn processes_are_those_that_the_driver_names() {
    let of = |line: &str| incidents(log_of(&format!("3: {GFX_TIMEOUT}\n{line}")).as_bytes()).list()[0].process.clone().and_then(|process| process.name);
    for line in ["3:  Process app pid 5 thread app:cs0 pid 6", "Sep 03 21:38:54 HOST   Process app pid 5 thread app:cs0 pid 6", "3:  for process app pid 5)"] {
        assert_eq!(of(line).as_deref(), Some("app"), "{line}");
    }
    for line in ["audit: sandbox denied in process steam pid 77 something", "systemd: Process gnome pid 8"] {
        assert_eq!(of(line), None, "{line}");
    }
}

/// A log of two GPUs says the same wrapped behind its heads, in one line with dates, and as a page without `<pre>`.
#[test]
fn two_gpus_stay_apart_however_the_log_was_pasted() {
    let [three, four] = ["0000:03:00.0", "0000:04:00.0"];
    let line = |gpu: &str, text: &str| format!("Nov 02 18:22:01 HOST kernel: amdgpu {gpu}: amdgpu: {text}\n");
    let log = line(three, GFX_TIMEOUT)
        + &line(four, "ring vcn_dec_0 timeout, signaled seq=1, emitted seq=3")
        + &line(four, "GPU reset begin!")
        + &line(three, "GPU reset begin!")
        + &line(four, "GPU reset(1) succeeded!")
        + "Nov 02 18:22:01 HOST kernel: [drm] VRAM is lost due to GPU reset!\n"
        + &line(three, "GPU reset(1) failed")
        + &line(three, "GPU reset end with ret = -110");
    let plain = facts(log.as_bytes());
    assert_eq!(plain.iter().map(|incident| incident.gpu.as_deref()).collect::<Vec<_>>(), [Some(three), Some(four)]);
    let wrapped: String = log.lines().map(|line| format!("> {}\n{}\n", &line[..58.min(line.len())], line.get(58..).unwrap_or_default())).collect();
    assert_eq!(facts(wrapped.as_bytes()), plain, "{wrapped}");
    assert_eq!(facts(log.replace('\n', " ").as_bytes()), plain);
    let page: String = log.lines().map(|line| format!("<div>{}</div>", line.replace('>', "&gt;"))).collect();
    assert_eq!(facts(page.as_bytes()), plain, "{page}");
}

/// The kernel is the one that ran when the first thing went wrong; a boot ends what was before.
#[test]
fn the_kernel_of_a_log_is_a_fact() {
    let kernel = |lines: &str| read(log_of(lines).as_bytes()).fact("kernel").map(String::from);
    assert_eq!(kernel(&format!("Linux version 6.5.0-a (x)\nLinux version 6.12.9-b (x)\n3: {GFX_TIMEOUT}")).as_deref(), Some("6.12.9-b"));
    assert_eq!(kernel(&format!("3: {GFX_TIMEOUT}\nLinux version 6.12.9-b (x)")), None);
    assert_eq!(kernel(&format!("Xorg: Linux version of 6.5.0 (old)\n3: {GFX_TIMEOUT}")), None);
    let two = facts(log_of(&format!("3! 1000 game\n-- Reboot --\n3: {GFX_TIMEOUT}")).as_bytes());
    assert_eq!(two.iter().map(|incident| incident.faults.len()).collect::<Vec<_>>(), [1, 0]);
}

/// Lines of a log, none longer than a width: cut at blanks as mails do it, or anywhere as terminals do it.
fn wrapped(log: &str, width: usize, within_words: bool) -> String {
    let mut out = String::new();
    for line in log.lines() {
        let mut rest = line;
        while rest.len() > width {
            let at = if within_words { width } else { rest[..=width].rfind(' ').filter(|at| *at > 0).unwrap_or(width) };
            let _ = writeln!(out, "{}", &rest[..at]);
            rest = if within_words { &rest[at..] } else { rest[at..].trim_start() };
        }
        let _ = writeln!(out, "{rest}");
    }
    out
}

/// A log says the same at whatever width it is wrapped: a number that is cut is no other number, and a line that begins with a number goes on.
#[test]
fn a_log_says_the_same_at_every_width_of_its_lines() {
    let lines = "3: [gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:32770, for process kwin_wayland pid 1671 thread kwin_wayla:cs0 pid 1722)\n\
         3:   in page starting at address 0x0000709843601000 from IH client 0x1b (UTCL2)\n3: GCVM_L2_PROTECTION_FAULT_STATUS:0x00401031\n\
         3: \t Faulty UTCL2 client ID: TCP (0x8)\n3: ring gfx_0.0.0 timeout, signaled seq=22331133, emitted seq=22331135\n\
         3: Process information: process VRising.exe pid 320733 thread dxvk-submit pid 320787\n3: GPU reset begin!. Source:  1\n3: MODE1 reset\n\
         3: GPU reset(15) succeeded!\n";
    let log = log_of(lines);
    let plain = facts(log.as_bytes());
    assert_eq!((plain.len(), plain[0].faults[0].pasid, plain[0].faults[0].address), (1, Some(32770), Some(0x7098_4360_1000)));
    // Where one line alone is cut, nothing shows whether it is within a word.
    for width in 56..112 {
        for within_words in [false, true] {
            let text = wrapped(&log, width, within_words);
            assert_eq!(facts(text.as_bytes()), plain, "{width}, within words {within_words}:\n{text}");
            let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
            assert_eq!(facts(quoted.as_bytes()), plain, "{width}, within words {within_words}, quoted");
        }
    }
}

/// An address that is cut at the end of the text is not known.
#[test]
fn an_address_that_is_cut_is_no_address() {
    let log = log_of(&format!("3: [gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:1)\n3:   in page starting at address 0x0000709\n3: {GFX_TIMEOUT}"));
    assert_eq!(facts(log.as_bytes())[0].faults[0].address, None);
}

/// Text of JSON without the JSON around it, one line of RADV's text, and a message that names no driver but the device.
#[test]
fn pieces_of_other_texts_are_read() {
    let log = log_of(&format!("3: {GFX_TIMEOUT}\n3:  Process app pid 5 thread app:cs0 pid 6\n3: GPU reset begin!\n3: GPU reset(2) succeeded!\n"));
    let plain = facts(log.as_bytes());
    let escaped = log.replace('\t', "\\t").replace('\n', "\\n");
    assert_eq!(facts(escaped.as_bytes()), plain);
    assert_eq!(facts(format!("{{\"body\":\"{escaped}\"}}").as_bytes()), plain);
    let radv = "radv: GPUVM fault detected at address 0x80002dcdf000. GCVM_L2_PROTECTION_FAULT_STATUS: 0x401431 CLIENT_ID: (SQC (data)) 0xa MORE_FAULTS: 1 \
        WALKER_ERROR: 0 PERMISSION_FAULTS: 3 MAPPING_ERROR: 0 RW: 0";
    let fault = facts(radv.as_bytes()).remove(0).faults.remove(0);
    assert_eq!((fault.address, fault.client.as_deref(), fault.permission, fault.write), (Some(0x8000_2DCD_F000), Some("SQC (data)"), Some(3), Some(false)));
    let named = facts(b"[  812.104233] 0000:03:00.0: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n");
    assert_eq!(named[0].gpu.as_deref(), Some("0000:03:00.0"));
    // Another driver's device is not the GPU.
    assert_eq!(facts(b"pcieport 0000:00:01.1: AER\nring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n")[0].gpu, None);
}

/// Inputs of each form that has an incident, or is refused by its name.
fn forms_of_reports() -> Vec<(&'static str, Vec<u8>)> {
    let log = log_of(&format!(
        "3! 709843601000 game\n3: {GFX_TIMEOUT}\n3: MES failed to respond to msg=REMOVE_QUEUE\n3: GPU reset begin!. Source:  3\n3: GPU reset(2) succeeded!\n"
    ));
    let lost = "radv/amdgpu: The CS has been cancelled because the context is lost. This context is guilty of a hard recovery.\n";
    let vm_fault = "radv: GPUVM fault detected at address 0x80002dcdf000.\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x401431\n\t CLIENT_ID: (SQC (data)) 0xa\n\
        \t MORE_FAULTS: 1\n\t WALKER_ERROR: 0\n\t PERMISSION_FAULTS: 3\n\t MAPPING_ERROR: 0\n\t RW: 0\n";
    let rocr = "Memory access fault by GPU node-2 (Agent handle: 0x5640a8bb1980) on address 0x7feea09c5000. Reason: Page not present or supervisor privilege.\n\
        HW Exception by GPU node-4 (Agent handle: 0x1ebc04e0) reason :GPU Hang\nAborted (core dumped)\n";
    let proton = format!(
        "6220.523:016c:0180:fixme:dwmapi:DwmGetWindowAttribute DWMWA_CLOAKED: always returning 0.\n{lost}{vm_fault}\
         6222.218:016c:0208:err:vkd3d-proton:d3d12_command_queue_execute: Failed to submit queue(s), vr -4.\n\
         err:   DxvkSubmissionQueue: Command submission failed: VK_ERROR_DEVICE_LOST\n"
    );
    let registers =
        "   regCP_STALLED_STAT2                  0x00210000\n   regCP_CPF_STALLED_STAT1              0x00000001\n   regCP_BUSY_STAT      0x00048000\n";
    let dump = "**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 7.1.8\nmodule: amdgpu\ntime: 812.104233871\nprocess_name: vkcube PID: 4242\n\
        HWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\n\n[gfxhub] Page fault observed\nFaulty page starting at address: 0x0000800100400000\n\
        Protection fault status register: 0x101031\n\nIP: gfx_v11_0\nregGRBM_STATUS   0xa0003028\nregCP_STALLED_STAT2   0x00008000\n\
        IB #0 0x800100200000 5 dw\n0xc0012d00\n0x00000003\n0x00000002\n0xc0004600\n0x00000410\n";
    let html = format!("<html><body><pre>{}</pre><br>&lt;x&gt;</body></html>", log.replace('>', "&gt;"));
    let printable = format!("Content-Transfer-Encoding: quoted-printable\n\n{}", log.replace('=', "=3D").replace("timeout", "time=\nout"));
    let quoted: String = log.lines().map(|line| format!("> {line}\n")).collect();
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| log.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let mut all: Vec<(&str, Vec<u8>)> = vec![
        ("a log", log.clone().into()),
        ("in one line", log.replace('\n', " ").into()),
        ("wrapped", wrapped(&log, 72, true).into()),
        ("quoted in Markdown", format!("It hangs:\n\n```\n{quoted}```\nAny ideas?\n").into()),
        ("HTML", html.into()),
        ("quoted-printable", printable.into()),
        ("JSON", format!("{{\"__REALTIME_TIMESTAMP\":\"1726540301000001\",\"MESSAGE\":{}}}\n", json(&log)).into()),
        ("UTF-16", utf_16(u16::to_le_bytes)),
        ("UTF-16, big end first", utf_16(u16::to_be_bytes)),
        ("vm_fault.log", vm_fault.into()),
        ("standard error of RADV", format!("{lost}{vm_fault}").into()),
        ("standard error of ROCr", rocr.into()),
        ("standard error of Proton", proton.into()),
        ("registers of a coredump", registers.into()),
        ("registers between bars", registers.lines().map(|line| format!("│ {line} │\n")).collect::<String>().into()),
        ("a coredump", dump.into()),
        ("a coredump without its beginning", dump[dump.find("[gfxhub]").expect("it has a fault")..].into()),
        ("a coredump in UTF-16", dump.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        (
            "umr --waves",
            "------------------------------------------------------\nse0.sa0.wgp3.simd1.wave0\n\n\nMain Registers:\n    ixSQ_WAVE_PC_LO: 13e5674c |\n".into(),
        ),
        (
            "umr -cpc",
            "Pipe 0  Queue 0  VMID 0\n  PQ BASE 0x44f000  RPTR 0x200  WPTR 0x200  RPTR_ADDR 0x4010e0  CNTL 0xc030890a\n  MQD 0x85fe90f000  DEQ_REQ 0x0\n"
                .into(),
        ),
        ("umr -r", "gfx800.mmCP_IB1_BASE_HI => 0x00000001\ngfx800.mmCP_IB1_BASE_LO => 0x00000000\n".into()),
        ("umr --print-uq", "User Queue info for client: 'kfd,comm=app,queue=2'\n\tcommand: app\n".into()),
        ("amdgpu_fence_info", "--- ring 0 (gfx) ---\nLast signaled fence          0x00000002\nLast emitted                 0x00000004\n".into()),
        ("gzip", samples::gzip(log.as_bytes())),
        ("tar", crate::packed::tar(&[("kernel.log", log.as_bytes()), ("dump.txt", dump.as_bytes())])),
        ("tar in gzip", samples::gzip(&crate::packed::tar(&[("vm_fault.log", vm_fault.as_bytes())]))),
    ];
    all.extend(crate::packed::rows());
    all
}

/// A sample of each form is read, or refused by its name.
#[test]
fn each_form_of_a_report_is_read_or_refused_by_name() {
    for (name, bytes) in forms_of_reports() {
        match open(&bytes) {
            Ok(input) => {
                let has_registers = input.hang.as_ref().is_some_and(|hang| !hang.blocks.is_empty());
                assert!(!Incidents::of(&[("log", &input)], None).list().is_empty() || has_registers, "{name}");
            }
            Err(InputError::Unknown { looks_like, advice }) => assert!(looks_like != "text" && !advice.is_empty(), "{name}: {looks_like}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

/// Any damage of a report is read or refused, soon, and what is said of it has no byte that a terminal obeys: no panic, whatever bytes.
#[test]
fn damaged_logs_of_every_form_are_read_or_refused() {
    let mut random = crate::golden::Random(20_261_128);
    let is_plain = |text: &str| !text.chars().any(|c| c.is_control() && c != '\t');
    for (name, form) in &forms_of_reports() {
        for _ in 0..if cfg!(debug_assertions) { 40 } else { 1500 } {
            let mut bytes = form.clone();
            for _ in 0..1 + random.below(6) {
                let (at, to) = (random.below(bytes.len()), random.below(bytes.len()));
                match random.below(7) {
                    0 => bytes.truncate(at.max(1)),
                    1 => drop(bytes.drain(..at.min(bytes.len() - 1))),
                    2 => bytes[at] = random.next() as u8,
                    3 => bytes.extend_from_within(at.min(to)..at.max(to)),
                    4 => bytes.insert(at, [0, b'\n', b'[', b'<', b'=', b'&', 0xE2, b'0'][random.below(8)]),
                    5 => bytes[at] = [0x1B, 0x07, 0x9B, 0x0C, 0x7F, 0x08][random.below(6)],
                    _ => drop(bytes.splice(at.min(to)..at.max(to).min(at.min(to) + 20), *b" 0x")),
                }
                bytes.truncate(1 << 16);
                if bytes.is_empty() {
                    bytes.push(b'a');
                }
            }
            let began = std::time::Instant::now();
            match open(&bytes) {
                Ok(input) => {
                    let found = Incidents::of(&[("log", &input)], None);
                    assert!(
                        found.verdict().len() <= 15 && found.records().iter().all(|record| serde_json::from_str::<serde_json::Value>(record).is_ok()),
                        "{name}"
                    );
                    let raw = found.verdict().into_iter().chain(input.lines()).find(|line| !is_plain(line));
                    assert!(raw.is_none(), "{name}: {raw:?}");
                    let _ = found.timeline();
                }
                Err(error) => assert!(!error.to_string().is_empty() && is_plain(&error.to_string()), "{name}"),
            }
            assert!(began.elapsed().as_secs() < 20, "{name}: {:?}", began.elapsed());
        }
    }
}

/// Dumps of some kernels hold rings that deserve less trust.
#[test]
fn rings_of_kernels_that_overrun_are_named() {
    let remarks = |kernel: &str| {
        let dump = format!(
            "**** AMDGPU Device Coredump ****\nkernel: {kernel}\nIP Type: 0 Ring Name: gfx_0.0.0\nRing buffer information\nnum rings:1\nring name: gfx_0.0.0\n"
        );
        read(dump.as_bytes()).remarks.iter().any(|remark| remark.message.contains("7.1.0 to 7.1.4"))
    };
    assert_eq!(
        ["7.1.0", "7.1-rc6", "7.1.4-arch1-2", "7.1.5", "7.1.10", "7.0.11", "6.18.2", "7.2.0"].map(remarks),
        [true, true, true, false, false, false, false, false]
    );
}

/// Lines of several processors are printed out of order: what was refused first is first, and its times say so.
#[test]
fn lines_out_of_order_are_put_in_the_order_of_their_times() {
    let line = |micros: u32, text: &str| format!("[   12.{micros:06}] amdgpu 0000:03:00.0: amdgpu: {text}\n");
    let (timeout, opcode, register) = (
        line(1, "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3"),
        line(3, "[drm:gfx_v11_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream"),
        line(2, "[drm:gfx_v11_0_priv_reg_irq [amdgpu]] *ERROR* Illegal register access in command stream"),
    );
    let refused =
        |text: &str| facts(text.as_bytes()).iter().map(|incident| incident.refused.iter().map(|(_, what)| *what).collect::<Vec<_>>()).collect::<Vec<_>>();
    for order in [[&timeout, &register, &opcode], [&timeout, &opcode, &register]] {
        assert_eq!(refused(&order.map(String::as_str).concat()), [["illegal_register", "illegal_opcode"]]);
    }
}

/// The journal of a long time may have nothing of a GPU for many megabytes.
#[test]
fn a_hang_far_into_a_log_is_found() {
    let noise = format!("[    1.000000] {}\n", "x".repeat(2000)).repeat(9_000);
    let hang = "[   12.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    let found = facts((noise + hang).as_bytes());
    assert_eq!(found.iter().map(|incident| incident.ring.as_deref()).collect::<Vec<_>>(), [Some("gfx_0.0.0")]);
}
