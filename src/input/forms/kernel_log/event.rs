//! From a message of the kernel, of RADV or of ROCr to the event that it states (Linux 5.4 to 7.1 amdgpu_job.c, amdgpu_device.c, amdgpu_ring.c, gmc_v9_0.c to
//! gmc_v12_0.c, mes_v11_0.c, kfd_device_queue_manager.c; Mesa 25.0.7 radv_debug.c; ROCr runtime.cpp).

use super::lines::device;
use super::seam::SEAM;
use crate::chip::Chip;
use crate::input::ground::chips;
use crate::input::ground::text::{after, cut, first, hex, hex32, is_digit};
use crate::input::ground::{EventKind, FaultLine, FaultPart, Process, RecoveryLine};
use alloc::string::{String, ToString};

/// What a message must have one of, so that it is looked at: no other one states an event.
const WORDS: [&str; 30] = [
    "BUG: ",
    "BUG at",
    "Unable to handle",
    "HSA_STATUS",
    "amdgpu",
    "timeout",
    "ault",
    "AULT",
    "reset",
    "Reset",
    "llegal",
    "rocess",
    "MES",
    "SMU",
    "respond",
    "RW:",
    "CLIENT_ID",
    "_ERROR:",
    "HW Exception",
    "BACO",
    "drm",
    "page",
    "VRAM",
    "context is lost",
    "Linux version",
    "-- Boot ",
    "-- Reboot --",
    "Recovery",
    "preemption",
    "hardware error",
];

/// For each byte the words that have it as their first, second and third byte, a bit each.
const LETTERS: [[u32; 256]; 3] = {
    let mut letters = [[0; 256]; 3];
    let mut word = 0;
    while word < WORDS.len() {
        let mut at = 0;
        while at < 3 {
            letters[at][WORDS[word].as_bytes()[at] as usize] |= 1 << word;
            at += 1;
        }
        word += 1;
    }
    letters
};

/// Returns whether a message may state an event. Lines of numbers, which dumps have many of, are known by having no word. All words are looked for at once:
/// most lines of a log have none, and each is asked.
pub(super) fn may_state(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_word = || bytes.windows(3).any(|letters| letters.iter().all(u8::is_ascii_alphabetic));
    let begins = |(at, three): (usize, &[u8])| {
        let [first, second, third] = *three else { return false };
        let mut words = LETTERS[0][usize::from(first)] & LETTERS[1][usize::from(second)] & LETTERS[2][usize::from(third)];
        while words != 0 {
            if bytes[at..].starts_with(WORDS[words.trailing_zeros() as usize].as_bytes()) {
                return true;
            }
            words &= words - 1;
        }
        false
    };
    bytes.windows(3).enumerate().any(begins) && (has_word() || text.contains("RW:"))
}

fn number(text: &str) -> Option<u64> {
    cut(text, is_digit).parse().ok()
}

fn int(text: &str) -> Option<u32> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => hex32(cut(digits, |c| c.is_ascii_hexdigit())),
        None => cut(text, is_digit).parse().ok(),
    }
}

/// `Process vkcube pid 12 thread vkcube:cs0 pid 13`, the text after the first word; empty names and 0 are not known. None where no number follows.
pub(super) fn process(text: &str) -> Option<Process> {
    let text = text.trim_start();
    let (name, rest) = match text.strip_prefix("pid ") {
        Some(rest) => ("", rest),
        None => text.split_once(" pid ")?,
    };
    let pid = number(rest)?;
    let rest = rest.trim_start().trim_start_matches(is_digit);
    let thread = rest.trim_start().strip_prefix("thread").map(str::trim_start);
    let (thread, tid) = match thread {
        Some(text) if text.starts_with("pid ") => (None, number(&text[4..])),
        Some(text) => text.split_once(" pid ").map_or((text.split_whitespace().next(), None), |(name, rest)| (Some(name), number(rest))),
        None => (None, None),
    };
    let thread = thread.filter(|thread| tid.is_some() || !thread.ends_with("pid"));
    let known = |name: &str| Some(name.trim()).filter(|name| !name.is_empty() && !name.contains(SEAM)).map(String::from);
    let process = Process { name: known(name), pid: Some(pid).filter(|pid| *pid != 0), thread: thread.and_then(known), tid: tid.filter(|tid| *tid != 0) };
    // Other words of the message are stuck to the name.
    let is_word = |word: &str| word == "thread" || word.strip_prefix("pid").is_some_and(|number| !number.is_empty() && number.chars().all(is_digit));
    let is_name = |name: &String| name.len() < 80 && !name.contains(": ") && !name.starts_with("information:") && !name.split(' ').any(is_word);
    process.name.as_ref().is_none_or(is_name).then_some(process)
}

/// Returns the GPU of a message: `0000:03:00.0`, `drmn0`, or `node-2` of ROCr.
pub(super) fn gpu(text: &str) -> Option<String> {
    let named = device(text);
    if !named.is_empty() {
        return Some(named.to_string());
    }
    let is_pci = |token: &&str| {
        let bytes = token.as_bytes();
        bytes.len() == 12
            && bytes[4] == b':'
            && bytes[7] == b':'
            && bytes[10] == b'.'
            && bytes.iter().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(byte))
    };
    let drm = |token: &&str| token.strip_prefix("drmn").is_some_and(|number| !number.is_empty() && number.chars().all(is_digit));
    const ENDS: [char; 6] = [' ', '\t', '=', '(', ')', ','];
    let tokens = || text.split(ENDS).map(|token| token.trim_end_matches(':'));
    // The number of the line may be before it, `12:drmn0:`.
    let mut found = text.split(ENDS).flat_map(|token| token.split(':')).find(drm);
    if found.is_none() && (text.contains("amdgpu") || text.contains("kfd")) {
        found = tokens().find(is_pci);
    }
    // A message without the driver's name begins with the device; a name before it is that of another driver.
    let begins =
        || text.split(' ').scan("", |before, token| Some((core::mem::replace(before, token), token.trim_end_matches(':')))).find(|(_, token)| is_pci(token));
    found = found.or_else(|| begins().filter(|(before, _)| before.is_empty() || before.ends_with([']', ':'])).map(|(_, token)| token));
    if found.is_none() {
        let node = text.split("GPU node-").nth(1).or_else(|| text.split("node-").nth(1).filter(|_| text.contains("GPU")));
        return node.and_then(number).map(|node| alloc::format!("node-{node}"));
    }
    found.map(String::from)
}

/// Blocks of the kernel and the generation of each: the number after the prefix, or fixed ones.
const BLOCKS: [&str; 5] = ["gfx_v", "gmc_v", "gfxhub_v", "mes_v", "imu_v"];
const SDMA: [(&str, u8); 6] = [("sdma_v4", 9), ("sdma_v5", 10), ("sdma_v6", 11), ("sdma_v7", 12), ("vce_v4", 9), ("vce_v3", 8)];

/// Returns the generation that the names of functions, blocks and registers in a message say.
pub(super) fn generation(text: &str) -> Option<u8> {
    let of_block = |block: &str| {
        text.match_indices(block).find_map(|(at, _)| {
            let major: u8 = cut(&text[at + block.len()..], is_digit).parse().ok()?;
            match block {
                "gfxhub_v" => [(1, 9), (2, 10), (3, 11), (11, 11), (12, 12)].iter().find(|(hub, _)| *hub == major).map(|(_, gfx)| *gfx),
                _ => (6..=12).contains(&major).then_some(major),
            }
        })
    };
    let sdma = || SDMA.iter().find(|(block, _)| text.contains(block)).map(|(_, gfx)| *gfx);
    let of_register = || {
        let at = text.find("VM_L2_PROTECTION_FAULT_STATUS")?;
        (!text[..at].ends_with(|c: char| c.is_ascii_alphabetic())).then_some(9)
    };
    BLOCKS.into_iter().find_map(of_block).or_else(sdma).or_else(of_register)
}

/// Returns the chip by the start lines of the driver.
pub(super) fn chip(text: &str) -> Option<Chip> {
    let (name, ids) = after(text, "initializing kernel modesetting (").and_then(|rest| rest.split_once(" 0x1002:"))?;
    chips::of_asic(name, first(ids).strip_prefix("0x").and_then(hex32).unwrap_or(0))
}

/// Names of SMU messages that a message of another firmware has as its last word.
fn asked(text: &str) -> Option<String> {
    let rest = after(text, "msg=").or_else(|| after(text, "message "))?;
    let word = cut(rest, |c| c.is_ascii_alphanumeric() || c == '_');
    (!word.is_empty()).then(|| word.to_string())
}

/// What the kernel says of packets that engines refuse.
const REFUSED: [(&str, &str); 5] = [
    ("Illegal instruction in SDMA command stream", "illegal_instruction"),
    ("Illegal opcode in command stream", "illegal_opcode"),
    ("Illegal register access in command stream", "illegal_register"),
    ("Illegal instruction in command stream", "illegal_instruction"),
    ("Bad address in command stream", "bad_address"),
];

/// The words before " reset" that name the method of one, and its name.
const METHODS: [(&str, &str); 11] = [
    ("MODE1", "MODE1"),
    ("GPU mode1", "MODE1"),
    ("GPU smu mode1", "MODE1"),
    ("GPU psp mode1", "MODE1"),
    ("MODE2", "MODE2"),
    ("MODE0", "MODE0"),
    ("BAMACO", "BAMACO"),
    ("BACO", "BACO"),
    ("PCI CONFIG", "PCI CONFIG"),
    ("GPU pci config", "PCI CONFIG"),
    ("PCI", "PCI"),
];

/// Sentences of firmware that did not answer.
const SILENT: [(&str, &str); 9] = [
    ("MES failed to respond", "MES"),
    ("MES failed to response", "MES"),
    ("MES timeout", "MES"),
    ("MES(0) failed to respond", "MES"),
    ("MES(1) failed to respond", "MES"),
    ("qcm fence wait loop timeout expired", "HWS"),
    ("timeout waiting for kiq fence", "KIQ"),
    ("I'm not done with your previous command", "SMU"),
    ("SMU: No response", "SMU"),
];

/// Errors that drivers and ROCr report, and nothing more exact.
const ERRORS: [&str; 7] = [
    "The CS has been cancelled because the context is lost",
    "The CS has been rejected",
    "eason :GPU Hang",
    "eason: GPU Hang",
    "HSA_STATUS_ERROR",
    "amdgpu: The CS has been",
    "device lost from bus",
];

/// What a kernel says when it fails itself, of any driver.
const OOPSES: [&str; 6] = [
    "BUG: kernel NULL pointer dereference",
    "BUG: unable to handle",
    "BUG: soft lockup",
    "kernel BUG at",
    "Unable to handle kernel",
    "general protection fault, probably for",
];

/// Where a message says that the kernel fails itself; the lines after it say whether it was in this driver.
pub(super) fn oops(text: &str) -> Option<usize> {
    OOPSES.iter().find_map(|said| text.find(said))
}

/// How messages of other drivers of GPUs begin: some say the same as amdgpu.
const OTHER_DRIVERS: [&str; 6] = ["radeon 0000:", "[drm:radeon_", "i915 0000:", "xe 0000:", "nouveau 0000:", "NVRM:"];

/// Returns whether nothing of a message follows, but marks of tables and of text, or what a reader has put beside it.
fn is_end(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['|', '`', '"', '*', '}', ',', '!', ' ', '\t']);
    let is_mark = || rest.starts_with(['<', '\u{2190}', '#', '\\', '[']) || rest.starts_with("//") || rest.starts_with("XCD");
    // What is before the next message, where all are in one line.
    is_mark() || !rest.contains(char::is_alphabetic) || rest.len() < 80 && rest.trim_end_matches([':', ' ']).ends_with("kernel")
}

/// Returns the event that a message states.
pub(super) fn event(text: &str) -> Option<EventKind> {
    if OTHER_DRIVERS.iter().any(|begins| text.contains(begins)) {
        return None;
    }
    timeout(text)
        .or_else(|| recovery(text).map(EventKind::Recovery))
        .or_else(|| fault(text))
        .or_else(|| fault_part(text).map(EventKind::FaultPart))
        .or_else(|| REFUSED.iter().find(|(said, _)| after(text, said).is_some_and(is_end)).map(|(_, what)| EventKind::Refused(what)))
        .or_else(|| firmware(text))
        .or_else(|| other(text))
}

fn timeout(text: &str) -> Option<EventKind> {
    for (at, key) in text.match_indices(" timeout") {
        let rest = text[at + key.len()..].trim_start_matches([',', ' ']);
        let recovered = rest.starts_with("but soft recovered");
        let before = &text[..at];
        let ring = before.rsplit_once("ring ").map(|(_, ring)| ring).filter(|ring| !ring.is_empty() && ring.len() < 32 && !ring.contains(' '));
        if let Some(ring) = ring.filter(|_| recovered || rest.starts_with("signaled") || rest.starts_with("last signaled")) {
            return Some(EventKind::Timeout { ring: ring.to_string(), recovered });
        }
    }
    None
}

/// Returns a timeout whose beginning is cut off, and with it the ring.
pub(super) fn without_ring(text: &str) -> Option<EventKind> {
    let (before, _) = text.split_once("timeout, signaled seq=")?;
    (!before.trim_end().contains(' ')).then(|| EventKind::Timeout { ring: String::new(), recovered: false })
}

/// Returns whether the management unit is slow to answer without a hang as well.
pub(super) fn is_of_smu(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Firmware { who: "SMU", .. })
}

/// Returns whether the first message of a page fault is around these words. One that is cut off ends soon behind them; what people write of a page fault goes
/// on otherwise.
fn begins(before: &str, rest: &str) -> bool {
    const GOES_ON: [&str; 2] = [" (src_id:", " (ring:"];
    let rest = rest.trim_end();
    let of_hub = || ["] ", "] no-retry ", "] retry "].iter().any(|end| before.ends_with(end));
    GOES_ON.iter().any(|goes_on| rest.starts_with(goes_on)) || GOES_ON[0].starts_with(rest) && (!rest.is_empty() || of_hub())
}

fn fault(text: &str) -> Option<EventKind> {
    // ROCr and RADV have a point after the address: without it the number may be cut.
    let rocr = after(text, "Memory access fault by GPU").and_then(|rest| after(rest, "on address"));
    if let Some(rest) = rocr.or_else(|| after(text, "GPUVM fault detected at address ")) {
        let rest = rest.trim_start();
        let word = cut(rest, |c| c.is_ascii_alphanumeric());
        // The C library prints a null pointer in its own way.
        let address = if rest.starts_with("(nil)") { Some(0) } else { hex(word).filter(|_| rest.len() > word.len()) };
        return Some(EventKind::Fault(FaultLine { address, ..FaultLine::default() }));
    }
    if let Some(rest) = after(text, "Failing VM page: ") {
        return Some(EventKind::Fault(FaultLine { address: hex(cut(rest, |c| c.is_ascii_alphanumeric())), ..FaultLine::default() }));
    }
    if text.contains("GPU fault detected:") || text.contains("VM fault (0x") {
        return Some(EventKind::OldFault);
    }
    let (before, rest) =
        text.match_indices("page fault").map(|(at, said)| (&text[..at], &text[at + said.len()..])).find(|(before, rest)| begins(before, rest))?;
    let bracket = before.rfind('[').and_then(|at| before[at + 1..].split_once(']')).map(|(hub, _)| hub).filter(|hub| hub.contains("hub"));
    let hub = bracket.map(String::from);
    let key = |key: &str| after(rest, key).and_then(|value| cut(value, is_digit).parse().ok());
    let page = match fault_part(rest) {
        Some(FaultPart::Page { address, interrupt_client }) => Some((address, interrupt_client)),
        _ => None,
    };
    let process = ["for process ", "for Process ", " Process ", "in process "].iter().find_map(|key| process(after(rest, key)?));
    Some(EventKind::Fault(FaultLine {
        hub,
        die: die(text),
        vmid: key("vmid:").or_else(|| key("vm_id:")),
        pasid: key("pasid:").or_else(|| key("pas_id:")),
        process,
        address: page.as_ref().map(|(address, _)| *address),
        interrupt_client: page.and_then(|(_, client)| client),
    }))
}

/// `from IH client 0x1b (UTCL2)`'s die: `on AID2.XCD0`, `cookie node_id 4 fault from die AID1.XCD0`.
pub(super) fn die(text: &str) -> Option<String> {
    let at = text.find("AID").filter(|at| text[at + 3..].starts_with(is_digit))?;
    let die = cut(&text[at..], |c| c.is_ascii_alphanumeric() || c == '.').trim_end_matches('.');
    Some(die.to_string())
}

/// `from IH client 0x1b (UTCL2)`, of other kernels `from client 10` or `from 18`; 0 is not known.
fn interrupt_client(text: &str) -> Option<String> {
    let rest = after(text, " from ")?.trim_start_matches("IH ").trim_start_matches("client ");
    let number = cut(rest, |c| c.is_ascii_alphanumeric());
    let name = rest[number.len()..]
        .trim_start()
        .strip_prefix('(')
        .and_then(|name| name.split_once(')'))
        .map_or_else(String::new, |(name, _)| alloc::format!(" ({name})"));
    int(number).filter(|number| *number != 0).map(|_| alloc::format!("{number}{name}"))
}

fn fault_part(text: &str) -> Option<FaultPart> {
    if text.contains("fault from die") {
        return die(text).map(FaultPart::Die);
    }
    // GFX8 has the number of a page there, "at page 2029".
    let at_page = || after(text, "at page ").filter(|rest| rest.starts_with("0x"));
    let at_address = ["page starting at address ", "in page starting at address: "].iter().find_map(|key| after(text, key)).or_else(at_page);
    if let Some(rest) = at_address {
        let word = cut(rest, |c| c.is_ascii_alphanumeric());
        // The kernel prints 16 digits: fewer at the end of the text are cut.
        let is_cut = rest.trim() == word && word.len() < 14;
        let address = hex(word).filter(|_| word.len() > 2 && !is_cut)?;
        return Some(FaultPart::Page { address, interrupt_client: interrupt_client(rest) });
    }
    if let Some(at) = text.find("_PROTECTION_FAULT_STATUS") {
        let rest = text[at + "_PROTECTION_FAULT_STATUS".len()..].trim_start_matches("_LO32").trim_start();
        let value = rest.strip_prefix(':').map(|rest| cut(rest, |c| c.is_ascii_alphanumeric()))?;
        let whole = value.strip_prefix("0x").is_some_and(|digits| digits.len() == 8)
            || text.trim_end().len() > text.find(value).unwrap_or(0) + value.len()
            || !text.contains("amdgpu");
        return hex32(value).filter(|_| value.len() > 2 && whole).map(|value| FaultPart::Status {
            decoded: !text.contains("VM_CONTEXT"),
            value,
            multimedia: if text.contains("MMVM_") { Some(true) } else { text.contains("GCVM_").then_some(false) },
        });
    }
    if let Some(rest) = after(text, "Faulty UTCL2 client ID:") {
        let (name, id) = rest.rsplit_once(" (").unwrap_or((rest, ""));
        let id = int(id);
        return id.is_some().then(|| FaultPart::Client(Some(name.trim().to_string()).filter(|name| name != "unknown"), id));
    }
    if let Some(rest) = after(text, "CLIENT_ID:") {
        let (name, id) = rest.split_once(") 0x")?;
        return Some(FaultPart::Client(name.trim_start().strip_prefix('(').map(String::from), hex32(cut(id, |c| c.is_ascii_hexdigit()))));
    }
    let field = |key: &str| after(text, key).and_then(int);
    field("WALKER_ERROR:")
        .map(FaultPart::Walker)
        .or_else(|| field("PERMISSION_FAULTS:").map(FaultPart::Permission))
        .or_else(|| field("MAPPING_ERROR:").map(FaultPart::Mapping))
        .or_else(|| field(" RW:").or_else(|| text.trim().starts_with("RW:").then(|| field("RW:")).flatten()).map(|value| FaultPart::Write(value & 1 == 1)))
}

fn firmware(text: &str) -> Option<EventKind> {
    // Of a test of a ring the number of its error is last, `ring kiq_0.2.1.0 test failed (-110)`.
    let is_kiq = || after(text, "ring ").is_some_and(|ring| ring.trim_start_matches("mes_").starts_with("kiq_") && ring.contains(" test failed"));
    let who = SILENT.iter().find(|(said, _)| text.contains(said)).map(|(_, who)| *who).or_else(|| is_kiq().then_some("KIQ"))?;
    Some(EventKind::Firmware { who, message: asked(text).filter(|_| who == "MES") })
}

fn recovery(text: &str) -> Option<RecoveryLine> {
    if let Some(rest) = after(text, "GPU reset begin") {
        return Some(RecoveryLine::Begins(after(rest, "Source:").and_then(int)));
    }
    if text.contains("Guilty job already signaled, skipping HW reset") {
        return Some(RecoveryLine::Ends { count: None, result: "skipped" });
    }
    if text.contains("GPU recovery disabled") {
        return Some(RecoveryLine::Ends { count: None, result: "disabled" });
    }
    if text.contains("GPU reset end with ret") || text.contains("GPU Recovery Failed") {
        return Some(RecoveryLine::Ends { count: None, result: "failed" });
    }
    if let Some((count, result)) = after(text, "GPU reset(").and_then(|rest| rest.split_once(')')) {
        let result = match cut(result, |c| c.is_ascii_alphabetic()) {
            "succeeded" => "succeeded",
            "failed" => "failed",
            _ => return None,
        };
        return Some(RecoveryLine::Ends { count: count.parse().ok(), result });
    }
    if text.contains("GPU reset succeeded, trying to resume") {
        return Some(RecoveryLine::Ends { count: None, result: "succeeded" });
    }
    if let Some((ring, _)) = after(text, "Starting ").and_then(|rest| rest.split_once(" ring reset")) {
        return (!ring.contains(' ')).then(|| RecoveryLine::RingBegins(ring.to_string()));
    }
    if let Some((ring, result)) =
        after(text, "Ring ").or_else(|| after(text, "ring ")).and_then(|rest| rest.split_once(" reset ")).filter(|(ring, _)| !ring.contains(' '))
    {
        return match cut(result, |c| c.is_ascii_alphabetic()) {
            "succeeded" | "success" => Some(RecoveryLine::RingEnds(ring.to_string(), true)),
            "failed" | "failure" => Some(RecoveryLine::RingEnds(ring.to_string(), false)),
            _ => None,
        };
    }
    if text.contains("VRAM is lost due to") || text.contains("VRAM is lost!") {
        return Some(RecoveryLine::VramLost);
    }
    if text.contains("ueue reset") {
        let result = if text.contains("succe") {
            "succeeded"
        } else if text.contains("ail") {
            "failed"
        } else {
            "unknown"
        };
        return Some(RecoveryLine::Queue(result));
    }
    if text.contains("psp mode1 reset succeed") {
        return Some(RecoveryLine::Method("MODE1"));
    }
    let (before, rest) = text.split_once(" reset")?;
    if !is_end(rest) {
        return None;
    }
    // The message is the method alone; what people write of it has other words before.
    let is_alone = |before: &str| !before.trim_end().ends_with(char::is_alphabetic);
    let method = |(said, method): &(&str, &'static str)| before.strip_suffix(said).is_some_and(is_alone).then_some(RecoveryLine::Method(method));
    METHODS.iter().find_map(method)
}

fn other(text: &str) -> Option<EventKind> {
    if text.contains("Queue preemption failed for queue") || text.contains("Queue preemption time out") {
        return Some(EventKind::QueueTimeout);
    }
    if let Some(file) = after(text, "Check your ").map(first).filter(|file| file.starts_with("/sys/class/drm/") && file.ends_with("/devcoredump/data")) {
        return Some(EventKind::Dumped(file.to_string()));
    }
    if let Some(error) = text.find("uncorrectable hardware error").filter(|at| text[*at..].contains("detected")) {
        return Some(EventKind::HardwareError(text[error..].trim_end_matches(['|', '`', '!', ' ']).to_string()));
    }
    if text.contains("suspend of IP block") || text.contains("resume of IP block") {
        let at = text.find("suspend of IP block").or_else(|| text.find("resume of IP block")).unwrap_or(0);
        return Some(EventKind::BlockFailed(text[at..].trim_end_matches([' ', '|', '`']).to_string()));
    }
    if let Some(said) = oops(text).or_else(|| ERRORS.iter().find_map(|said| text.find(said))) {
        let from = text[..said].rfind(": ").map_or(0, |at| at + 2).min(said);
        let from =
            if text[from..].starts_with("HW Exception") || text[..said].contains("HW Exception") { text.find("HW Exception").unwrap_or(from) } else { from };
        // The name of the driver is before the sentence.
        let from = text[from..].find("amdgpu: The CS ").map_or(from, |at| from + at + "amdgpu: ".len());
        let sentence = text[from..].trim();
        let sentence = sentence.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(sentence, |(_, sentence)| sentence);
        return Some(EventKind::DriverError(sentence.trim_end_matches([' ', '|', '`', '*', '\u{fffd}']).trim().to_string()));
    }
    for key in ["rocess information: process ", "Process ", "for process ", "in process "] {
        let Some((before, rest)) = text.split_once(key) else { continue };
        // Other programs name no thread.
        if let Some(process) = process(rest).filter(|process| process.tid.is_some() || is_of_the_driver(before)) {
            return Some(EventKind::Process(process));
        }
    }
    boot(text)
}

/// Returns whether what is before a process is of the driver, the number of the line, or nothing: other programs name processes as well.
fn is_of_the_driver(before: &str) -> bool {
    let before = before.strip_suffix(['P', 'p']).unwrap_or(before).trim_end();
    let last = before.rsplit(' ').next().unwrap_or_default();
    before.trim_start().trim_end_matches([':', '.', ')', '|']).chars().all(is_digit)
        || last.ends_with([']', '*', '|', '`', '>', '"'])
        || ["amdgpu:", "kernel:"].contains(&last)
        || last.starts_with("drmn")
        || last.starts_with(is_digit) && last.contains(':')
}

/// Returns a line with which a boot begins, `Linux version 6.12.9 (builder@host) …`. Before it journalctl prints `-- Boot ID --` or `-- Reboot --`.
fn boot(text: &str) -> Option<EventKind> {
    let version = after(text, "Linux version ").and_then(|rest| rest.split_once(" (")).map(|(version, _)| version);
    let kernel = version.filter(|version| version.starts_with(is_digit) && !version.contains(' ')).map(String::from);
    let begins = kernel.is_some() || text.trim_start().starts_with("-- Boot ") || text.trim_start().starts_with("-- Reboot --");
    begins.then_some(EventKind::Boot { kernel })
}
