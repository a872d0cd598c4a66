//! Hang reports and their evidence: waits, ring pointers, chains, page faults and inconsistent registers.
use crate::input_samples::submission;
use pm4::chip::Chip;
use pm4::cp::{BufferId, CommandProcessor, QueueId};
use pm4::hang::{self, Confidence, CpEngine, EnginePosition, HangReport};
use pm4::input::{BufferUse, Input, Source};
use pm4::packet::{Queue, Reader};
use pm4::report::{OutputFormat, ReportOptions, ReportPart};

const ADDR: u64 = 0x8001_0020_0000;
const CHAINED: u64 = 0x8001_0050_0000;
const WAITED: u64 = 0x8001_0030_0000;

/// A dump: registers of the core and of the queue, a ring with its read pointer, and a job.
#[derive(Clone)]
struct Scene {
    core: &'static str,
    version: &'static str,
    /// Head lines.
    more: String,
    registers: String,
    me: Vec<u32>,
    fetcher: Option<(u64, usize)>,
    ring: Vec<u32>,
    read: usize,
    job: Vec<u32>,
}

impl Scene {
    fn new(job: &[u32]) -> Self {
        Self {
            core: "gfx_v11_0",
            version: "11.0.0",
            more: String::new(),
            registers: "regGRBM_STATUS 0xa0003028\n".into(),
            me: vec![],
            fetcher: None,
            ring: vec![],
            read: 0,
            job: job.to_vec(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v{}.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\n{}IP: {}\n{}me 0, pipe 0, queue 0\n",
            self.version, self.more, self.core, self.registers
        );
        // The newest entry is read first.
        self.me.iter().rev().for_each(|header| text += &format!("regCP_ME_HEADER_DUMP 0x{header:08x}\n"));
        if let Some((base, left)) = self.fetcher {
            text += &format!("regCP_IB1_BASE_LO 0x{:08x}\nregCP_IB1_BASE_HI 0x{:08x}\nregCP_IB1_BUFSZ 0x{left:08x}\n", base as u32, base >> 32);
        }
        if !self.ring.is_empty() {
            let mut ring = self.ring.clone();
            let write = ring.len();
            ring.resize(2048, 0xFFFF_1000);
            text += &format!("ring name: gfx_0.0.0\nRptr: 0x{:x} Wptr: 0x{write:x} RB mask: 7ff\nRing size in dwords: 2048\n", self.read);
            ring.iter().enumerate().for_each(|(at, word)| text += &format!("0x{:x} \t 0x{word:x}\n", 4 * at));
        }
        if !self.job.is_empty() {
            text += &format!("IB #0 0x{ADDR:x} {} dw\n", self.job.len());
            self.job.iter().for_each(|word| text += &format!("0x{word:08x}\n"));
        }
        text
    }

    fn input(&self) -> Input {
        read(&self.text())
    }

    fn told(&self, format: OutputFormat) -> String {
        explained(&self.input(), format)
    }

    fn me(&self) -> (String, EnginePosition, Vec<String>) {
        let input = self.input();
        let hang = HangReport::new(&input, &[], input.chip.expect("a chip").gfx());
        let me = hang.positions.iter().find(|position| position.engine == CpEngine::Me).expect("ME has a queue").clone();
        (me.candidates.first().map(|place| hang.describe(*place)).unwrap_or_default(), me, hang.notes.clone())
    }
}

fn read(text: &str) -> Input {
    Source::open(text.as_bytes(), None).and_then(Source::load).unwrap_or_else(|error| panic!("{error}"))
}

/// The report on the hang, without the run and the state of the draw.
fn explained(input: &Input, format: OutputFormat) -> String {
    let chip = input.chip.unwrap_or(Chip::Navi31);
    let mut cp = CommandProcessor::new(chip);
    let mut ids: Vec<Option<BufferId>> = Vec::new();
    for buffer in &input.buffers {
        ids.push(match buffer.usage {
            BufferUse::Submitted => Some(cp.submit_at(Queue::Graphics, &buffer.name, buffer.addr.unwrap_or(ADDR), buffer.complete())),
            BufferUse::Ring => Some(cp.submit_ring(QueueId::GRAPHICS, &buffer.name, None, &buffer.words)),
            _ => None,
        });
    }
    let hang = HangReport::new(input, &ids, chip.gfx());
    let mut out = Vec::new();
    let options = ReportOptions { format, only: ReportPart::Nothing, ..ReportOptions::default() };
    hang::run(&mut out, &mut cp, &[], options, &hang, &mut ()).expect("memory takes everything");
    let text = String::from_utf8(out).expect("UTF-8");
    text[text.find("\nhang").unwrap_or(0)..].split("\npackets up to it").next().unwrap_or_default().to_owned()
}

fn assert_parts(text: &str, there: &[&str], not_there: &[&str]) {
    there.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in\n{text}"));
    not_there.iter().for_each(|part| assert!(!text.contains(part), "{part:?} is in\n{text}"));
}

fn headers(words: &[u32], last: usize) -> Vec<u32> {
    let all: Vec<u32> = Reader::new(words).flatten().take_while(|packet| packet.offset <= last).map(|packet| packet.header.0).collect();
    all[all.len().saturating_sub(8)..].to_vec()
}

fn wait_on(addr: u64) -> [u32; 7] {
    [0xC005_3C00, 0x13, addr as u32, (addr >> 32) as u32, 1, 0xFF, 4]
}

/// An endless wait is reported as a possible cause of the hang, with its condition and the agents that could end it.
#[test]
fn a_wait_in_work_is_told_with_its_condition() {
    let before = [0xC001_6900, 0x203, 0x10, 0xC000_4600, 0x410, 0xC002_7600, 8, 1, 0];
    let writes = [0xC003_3700, 0x500, WAITED as u32, (WAITED >> 32) as u32, 1];
    for (behind, written) in [(&writes[..], true), (&[0xFFFF_1000], false)] {
        let job = [&before[..], &wait_on(WAITED), behind].concat();
        let scene = Scene { me: headers(&job, 9), fetcher: Some((ADDR, 0)), ..Scene::new(&job) };
        let by = if written { "packets of the dump that write this address: IB #0 dword 16, WRITE_DATA" } else { "no packet of the dump writes this address" };
        assert_parts(
            &scene.told(OutputFormat::Text),
            &[
                "ME at IB #0 dword 9, WAIT_REG_MEM  (high confidence",
                "the packet waits until memory 0x800100300000 & 0x000000ff == 0x00000001\n",
                by,
                "findings that may explain it, most likely first:\n    info IB #0[9] (about the packet that was being executed): [SYN-18]",
            ],
            &["no finding can explain it"],
        );
        let record = scene.told(OutputFormat::Json);
        let condition = r#""wait":{"space":"memory","address":"0x800100300000","function":"==","mask":"0x000000ff","reference":"0x00000001","sentences":["#;
        assert_parts(&record, &[condition, r#""severity":"info""#], &[]);
        assert_eq!(record.contains(r#""written_by":[{"buffer":"IB #0","dword":16,"opcode":"WRITE_DATA""#), written, "{record}");
    }
}

/// A wait may be for a register: GRBM_STATUS, whose dword address is in the packet.
#[test]
fn a_wait_for_a_register_is_told_with_its_name() {
    let job = [&[0xC001_6900, 0x203, 0x10][..], &[0xC005_3C00, 0x3, 0x8010 / 4, 0, 0, 0x8000_0000, 4]].concat();
    let scene = Scene { me: headers(&job, 3), fetcher: Some((ADDR, 0)), ..Scene::new(&job) };
    let until = "the packet waits until register 0x08010 (GRBM_STATUS) & 0x80000000 == 0x00000000\n";
    assert_parts(&scene.told(OutputFormat::Text), &["ME at IB #0 dword 3, WAIT_REG_MEM", until], &["writes this address"]);
    let condition = r#""wait":{"space":"register","address":"0x08010","function":"==","mask":"0x80000000","reference":"0x00000000","sentences":["#;
    assert_parts(&scene.told(OutputFormat::Json), &[condition], &["written_by"]);
}

/// An info may be the cause if it is the only finding; after a warning, the warning is the candidate.
#[test]
fn findings_that_can_explain_a_hang_are_warnings_or_errors() {
    let (draw, wait) = ([0xC001_2D00, 3, 2], wait_on(WAITED));
    for (before, can) in [(&[][..], false), (&draw[..], true)] {
        let job = [before, &wait[..]].concat();
        let text = Scene { me: headers(&job, before.len()), fetcher: Some((ADDR, 0)), ..Scene::new(&job) }.told(OutputFormat::Text);
        let (says, other) = if can { ("can", "may") } else { ("may", "can") };
        let first = format!("findings that {says} explain it, most likely first:\n    info IB #0[{}] (about the packet", before.len());
        assert_parts(&text, &[&first], &[&format!("findings that {other} explain")]);
        assert_eq!(text.contains("warning IB #0[0]"), can, "{text}");
    }
}

/// The read pointer of the ring shows which submission was fetched: a buffer that is submitted twice hangs in the first one.
#[test]
fn the_read_pointer_bounds_the_search() {
    let job = [0xC001_6900, 0x203, 0x10, 0xC000_4600, 0x410];
    let ring = [submission(ADDR, job.len(), 41), submission(ADDR, job.len(), 42)].concat();
    let me = vec![0xC001_6900, 0xC000_4600, 0xC000_9000, 0xC006_4900];
    let scene = |read: usize| Scene { me: me.clone(), ring: ring.clone(), read, fetcher: Some((ADDR, 0)), ..Scene::new(&job) };
    let (place, me_at, notes) = scene(0x1F).me();
    assert_eq!((place.as_str(), me_at.confidence), ("ring gfx_0.0.0 dword 11, RELEASE_MEM", Confidence::High), "{notes:?}");
    // All was fetched: the newest one is chosen, and the report states that there are two.
    let (place, me_at, notes) = scene(ring.len()).me();
    assert_eq!((place.as_str(), me_at.confidence), ("ring gfx_0.0.0 dword 267, RELEASE_MEM", Confidence::Medium));
    assert!(notes.iter().any(|note| note.contains("2 submissions of ring gfx_0.0.0 start the buffer")), "{notes:?}");
    // Without the buffers of the job, the part of the ring that is shown is the fetched one.
    for (read, from) in [(0x1F, "0x0"), (0x1FF, "0x100"), (0x200, "0x100"), (0x101, "0x100"), (0x100, "0x0")] {
        let input = Scene { job: vec![], me: vec![0xC006_4900], ..scene(read) }.input();
        let part = input.buffers.iter().find(|buffer| buffer.usage == BufferUse::Ring).expect("a part that was being executed");
        assert_eq!((part.name.as_str(), part.words.len()), (&*format!("ring gfx_0.0.0 from dword {from}"), 256), "{read:#x}");
    }
    let (place, me_at, _) = Scene { job: vec![], me: vec![0xC006_4900], fetcher: None, ..scene(0x1F) }.me();
    assert_eq!((place.as_str(), me_at.confidence), ("ring gfx_0.0.0 dword 11, RELEASE_MEM", Confidence::Low));
    let by = "the one header that was read: 1 packet has it in the part of the ring that was searched, and the buffers of the job are not there";
    assert_eq!(me_at.by, by);
    // The same ring in the form of debugfs.
    let mut words = ring;
    words.resize(2048, 0xFFFF_1000);
    let bytes: Vec<u8> = [0x1F, 0x200, 0x200].into_iter().chain(words).flat_map(u32::to_le_bytes).collect();
    let input = Source::open(&bytes[..], None).and_then(Source::load).expect("a ring");
    assert_eq!(input.buffers[0].name, "ring from dword 0x0");
}

/// An engine in the packets of the ring before those of the job: the job has not begun, and the report names the wait of the ring.
#[test]
fn a_ring_that_waits_before_its_job_has_not_begun_it() {
    let job = [0xC001_6900, 0x203, 0x10, 0xC001_2D00, 3, 2];
    let fence = 0x0040_1040;
    let mut second = [&[0xC001_2800, 0x8000_0000, 0, 0xC003_2200, 0x40_1160, 0, 0, 0x1F, 0xC000_9000, 0][..], &wait_on(fence)].concat();
    second.extend(&submission(ADDR, job.len(), 42)[5..]);
    second.resize(256, 0xFFFF_1000);
    let me = [0xC001_2800, 0xC003_2200, 0xC000_9000, 0xC005_3C00].to_vec();
    let scene = Scene { me, ring: [submission(CHAINED, 16, 41), second].concat(), read: 0x111, ..Scene::new(&job) };
    assert_parts(
        &scene.told(OutputFormat::Text),
        &[
            "ME at ring gfx_0.0.0 dword 266, WAIT_REG_MEM",
            "   266 | 0xc0053c00  WAIT_REG_MEM",
            "the packet waits until memory 0x000000401040",
            "packets of the dump that write this address: ring gfx_0.0.0 dword 11, RELEASE_MEM; ring gfx_0.0.0 dword 279, RELEASE_MEM",
            "the job has not begun: its first buffer is started by ring gfx_0.0.0 dword 273, INDIRECT_BUFFER, which the engine has not reached, and none of its draws is in flight",
            "no finding can explain it: the findings are about the job, which has not begun",
        ],
        &["latest draw", "last draw of the dump", "that can explain it, most"],
    );
    assert_parts(&scene.told(OutputFormat::Json), &[r#""begun":"no""#], &[r#""draw":"#]);
    // A fetcher in the middle of the job is better evidence than the pointer.
    let fetching = Scene { fetcher: Some((ADDR, 3)), ..scene };
    assert_parts(
        &fetching.told(OutputFormat::Text),
        &["is before the packet that starts the buffer in the fetcher", "ME at ring gfx_0.0.0 dword 266", "  the job has not begun"],
        &[],
    );
}

/// If the fetcher is in the buffer to which the job chains, the whole job was fetched: an uncertain position in it excludes no finding.
#[test]
fn a_chain_was_fetched_up_to_its_end() {
    let draw = [0xC001_7600, 8, 0x1234, 0xC001_2D00, 3, 2];
    let wrong = [0xC000_4600, 0x53F];
    let chain = [0xC002_3F00, CHAINED as u32, (CHAINED >> 32) as u32, 0x0010_0100];
    let job = [&draw.repeat(12)[..], &wrong, &chain].concat();
    let scene = Scene { me: [0xC001_7600, 0xC001_2D00].repeat(4), fetcher: Some((CHAINED, 16)), ..Scene::new(&job) };
    assert_parts(
        &scene.told(OutputFormat::Text),
        &[
            &format!("fetched: IB #0 up to dword {} of {} (the fetcher is in the buffer that it chains to)", job.len(), job.len()),
            &format!("IB #0 chains to that buffer at dword {}: IB #0 was fetched completely", job.len() - 4),
            "(low confidence",
            "this depends on a doubtful position; its state follows",
        ],
        &["later packet"],
    );
}

/// Header queues that match only after the fetched part give no position: the registers contradict each other.
#[test]
fn places_behind_what_was_fetched_are_contradictions() {
    let job: Vec<u32> = (1..=12u32).flat_map(|n| [&[0xC000_1000 | (n - 1) << 16][..], &vec![0; n as usize]].concat()).collect();
    let at = |n: u32| (1..n).map(|n| n as usize + 1).sum::<usize>();
    let me: Vec<u32> = (5..=10).map(|n| 0xC000_1000 | (n - 1) << 16).collect();
    let scene = |fetched: usize| Scene { me: me.clone(), fetcher: Some((ADDR, job.len() - fetched)), ..Scene::new(&job) };
    assert_eq!(scene(at(11)).me().1.confidence, Confidence::High);
    let (_, me_at, _) = scene(at(4)).me();
    assert!(me_at.candidates.is_empty() && me_at.by.contains("the registers contradict each other"), "{me_at:?}");
    assert_parts(
        &scene(at(4)).told(OutputFormat::Text),
        &["ME: not found; 1 place fits its header queue, but after what was fetched: ", "(if CP_IB1_BUFSZ and CP_IB2_BUFSZ count the dwords that are left"],
        &[],
    );
}

/// PFP fetches the packets for ME: if the queue of ME matches only packets after that of PFP, the registers contradict each other.
#[test]
fn me_is_never_ahead_of_pfp() {
    let header = |n: u32| 0xC000_1000 | (n - 1) << 16;
    let job: Vec<u32> = (1..=12u32).flat_map(|n| [&[header(n)][..], &vec![0; n as usize]].concat()).collect();
    let me: Vec<u32> = (5..=10).map(header).collect();
    let told = |newest: u32| {
        let pfp: String = (newest - 5..=newest).rev().map(|n| format!("regCP_PFP_HEADER_DUMP 0x{:08x}\n", header(n))).collect();
        let scene = Scene { me: me.clone(), fetcher: Some((ADDR, 0)), ..Scene::new(&job) };
        Scene { registers: scene.registers.clone() + &pfp, ..scene }.me().1
    };
    for newest in [10, 11, 12] {
        assert_eq!(told(newest).confidence, Confidence::High, "{newest}");
    }
    for newest in [6, 9] {
        let position = told(newest);
        assert!(position.candidates.is_empty(), "{newest}: {position:?}");
        let by = "1 place fits its header queue, but after what was fetched, or after PFP: the registers contradict each other";
        assert_eq!(position.by, by, "{newest}");
    }
}

/// PFP is ahead of ME: packets that it has read can be the cause as well, later ones cannot. If its position is unknown, neither is stated.
#[test]
fn findings_between_me_and_pfp_can_explain_a_hang() {
    let header = |n: u32| 0xC000_1000 | (n - 1) << 16;
    let nops: Vec<u32> = (1..=7u32).flat_map(|n| [&[header(n)][..], &vec![0; n as usize]].concat()).collect();
    // INDIRECT_BUFFER with a size of 0, twice.
    let empty = [0xC002_3F00, 0x1000, 0, 0];
    let job = [&nops[..], &empty, &empty].concat();
    let me: Vec<u32> = (1..=6).map(header).collect();
    let scene = Scene { me, fetcher: Some((ADDR, 0)), ..Scene::new(&job) };
    assert_parts(
        &scene.told(OutputFormat::Text),
        &[
            "  the rules found no error and no warning up to the packet that ME was executing",
            "  2 findings are about packets that ME had not reached; PFP may have read them",
        ],
        &["can explain it"],
    );
    let pfp: String = [0xC002_3F00].into_iter().chain((3..=7).rev().map(header)).map(|header| format!("regCP_PFP_HEADER_DUMP 0x{header:08x}\n")).collect();
    let known = Scene { registers: scene.registers.clone() + &pfp, ..scene };
    let first = format!("error IB #0[{}] (about the packet that PFP was executing, ahead of ME): [IB-03]", nops.len());
    assert_parts(
        &known.told(OutputFormat::Text),
        &["findings that can explain it", &first, "  1 finding is about a packet that no engine had reached"],
        &["no finding can explain", &format!("IB #0[{}]", nops.len() + 4)],
    );
    // At the second of them: its finding comes first.
    let both = Scene { registers: known.registers.replacen("regCP_PFP", "regCP_PFP_HEADER_DUMP 0xc0023f00\nregCP_PFP", 1), ..known };
    let text = both.told(OutputFormat::Text);
    let place = |dword: usize, tie: &str| text.find(&format!("error IB #0[{dword}] ({tie}, ahead of ME): [IB-03]"));
    let (second, first) = (place(nops.len() + 4, "about the packet that PFP was executing"), place(nops.len(), "about packets that PFP has read"));
    assert!(second.is_some() && second < first, "{text}");
}

/// The status of a page fault, its client and what lies at the page, on each generation.
#[test]
fn a_page_fault_names_its_client_and_whether_it_wrote() {
    let job = [0xC001_6900, 0x203, 0x10, 0xC001_2D00, 3, 2];
    for (core, version, hub, status, meaning, near) in [
        (
            "gfx_v9_0",
            "9.0.1",
            "gfxhub",
            0x0084_1051,
            "MORE_FAULTS=1 PERMISSION_FAULTS=5 CID=8 (TCP) RW=1 (a write) VMID=8",
            "a shader (TCP) could not write to it",
        ),
        ("gfx_v9_0", "9.0.1", "gfxhub", 0x0030_1031, "CID=8 (TCP) RW=0 (a read) VMID=3", "a shader (TCP) could not read it"),
        ("gfx_v9_0", "9.0.1", "gfxhub", 0x0030_0031, "CID=0 (CB) RW=0", "the colour unit (CB) could not read it"),
        ("gfx_v10_0", "10.1.10", "gfxhub", 0x0030_0831, "CID=4 (CPF) RW=0 (a read)", "the fetcher of the command processor (CPF) could not read it"),
        ("gfx_v11_0", "11.0.0", "gfxhub", 0x0030_1231, "CID=9 (SQC (inst))", "the instruction fetch of a shader (SQC (inst)) could not read it"),
        ("gfx_v11_0", "11.0.0", "gfxhub", 0x0034_0231, "CID=1 (the client is not known) RW=1 (a write)", "(it is not known which) could not write to it"),
        (
            "gfx_v11_0",
            "11.0.0",
            "mmhub",
            0x0030_0831,
            "CID=4 (the client is not known)",
            "a client of mmhub, which is neither the command processor nor a shader, could",
        ),
        (
            "gfx_v12_0",
            "12.0.1",
            "gfxhub",
            0x0030_1031,
            "CID=8 (the client is not known)",
            "the command processor or a shader (it is not known which) could not read it",
        ),
        ("gfx_v11_0", "11.0.0", "gfxhub", 0, "no status is recorded", "(it is not known which) could not reach it"),
    ] {
        let more = format!("[{hub}] Page fault observed\nFaulty page starting at address: 0x{ADDR:016x}\nProtection fault status register: 0x{status:x}\n");
        let text = Scene { core, version, more, ..Scene::new(&job) }.told(OutputFormat::Text);
        assert_parts(&text, &[meaning, near, &format!("seen by {hub}, status"), "the last one since boot"], &[]);
    }
}

/// Page faults as Mesa prints them: no hub and no time, its own names, registers as fractions.
#[test]
fn a_report_of_mesa_has_its_own_page_fault_and_registers() {
    let trace = "------------------ main IB begin - GFX ------------------\nc0012d00 DRAW_INDEX_AUTO:\n00000003 \n00000002 \n------------------- main IB end - GFX -------------------\n";
    let vega = "family_id = 141\nchip_external_rev = 1\nFailing VM page: 0x00234000\nVM_CONTEXT1_PROTECTION_FAULT_STATUS: 0x301031\n";
    let registers = "Memory-mapped registers:\nGRBM_STATUS <- 0xa0003028\nCP_STALLED_STAT2 <- 2.0f (0x40000000)\n";
    let text = explained(&read(&[trace, vega, registers].concat()), OutputFormat::Text);
    assert_parts(
        &text,
        &["page fault: 0x000000234000, status 0x00301031 (MORE_FAULTS=1 PERMISSION_FAULTS=3 CID=8 (TCP) RW=0", "a cache flush waits for idle contexts"],
        &["gfxhub", "since boot", "no status is recorded"],
    );
    let navi = "family_id = 152\nchip_external_rev = 80\nFailing VM page: 0x00234000\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x301031\n\t CLIENT_ID: (TCP) 0x8\n";
    assert_parts(&explained(&read(&[trace, navi].concat()), OutputFormat::Text), &["CID=8 (TCP)"], &[]);
    // The ring that umr printed is shown, and does not run.
    let umr = "UMR GFX ring:\n\nDecoding IB at 0x0@0x0 from 0x0@0x0 of 3 words (type 4)\n[0x0@0x0 + 0x0000]\t[        0xc0012d00]\tx\n[0x0@0x0 + 0x0004]\t[        0x00000003]\tx\n";
    let input = read(&[trace, navi, umr].concat());
    let ring = input.buffers.last().expect("a ring");
    assert_eq!((ring.name.as_str(), ring.usage, input.damage.len()), ("umr IB 0x0@0x0", BufferUse::NotExecuted, 0));
    assert!(input.remarks.iter().any(|remark| remark.message.starts_with("umr: ")), "{:?}", input.remarks);
}

/// GRBM_STATUS is described by the fields of the generation, and a draw at the front of the pipe does not contradict the registers.
#[test]
fn busy_parts_are_those_of_the_generation() {
    let told = |core, version, status: u32| {
        let registers = format!("regGRBM_STATUS 0x{status:08x}\nregCP_STALLED_STAT2 0x00008000\n");
        Scene { core, version, registers, ..Scene::new(&[0xFFFF_1000]) }.told(OutputFormat::Text)
    };
    for (core, version, bit, part) in [
        ("gfx_v9_0", "9.0.1", 15, "busy: GDS\n"),
        ("gfx_v9_0", "9.0.1", 17, "busy: vertex grouper (VGT)\n"),
        ("gfx_v9_0", "9.0.1", 19, "busy: input assembler (IA)\n"),
        ("gfx_v9_0", "9.0.1", 21, "busy: work distributor (WD)\n"),
        ("gfx_v10_0", "10.1.10", 16, "busy: geometry engine\n"),
        ("gfx_v10_0", "10.1.10", 23, "busy: BCI\n"),
        ("gfx_v11_0", "11.0.0", 15, "busy: GDS\n"),
    ] {
        let text = told(core, version, 1 << bit);
        assert_parts(
            &text,
            &[part, "no shaders are being launched: the draw or dispatch is in the parts of the pipe that are busy"],
            &["read at the same moment"],
        );
    }
    assert_parts(&told("gfx_v12_0", "12.0.1", 1 << 15), &[], &["busy"]);
    assert_parts(&told("gfx_v10_0", "10.1.10", 1 << 17), &[], &["busy"]);
    assert_parts(&told("gfx_v11_0", "11.0.0", 1 << 29), &["busy: command processor\n", "the registers may have been read at different times"], &[]);
}

/// Blocks of registers of all ones, or of zeros, are checked separately.
#[test]
fn a_block_of_ones_says_nothing_and_the_others_do() {
    let job = [0xC001_6900, 0x203, 0x10, 0xC001_2D00, 3, 2];
    let me = vec![0xC001_6900, 0xC001_2D00];
    let gone = "regGRBM_STATUS 0xffffffff\nregCP_STALLED_STAT1 0xffffffff\nregCP_STALLED_STAT2 0xffffffff\n";
    let text = Scene { registers: gone.into(), me: me.clone(), fetcher: Some((ADDR, 0)), ..Scene::new(&job) }.told(OutputFormat::Text);
    assert_parts(&text, &["ME at IB #0", "the registers of gfx_v11_0 hold all ones: the device did not answer"], &["waits for", "busy: "]);
    let queue = Scene { me: vec![u32::MAX; 8], fetcher: Some((u64::MAX, 0xFFFF_FFFF)), ..Scene::new(&job) };
    assert_parts(&queue.told(OutputFormat::Text), &["the registers of me 0, pipe 0, queue 0 hold all ones", "busy: command processor"], &["0xfffffffffffc"]);
    let off = Scene { me: vec![0; 8], ..Scene::new(&job) };
    assert_parts(
        &off.told(OutputFormat::Text),
        &["the registers of me 0, pipe 0, queue 0 hold 0: it was idle, or its power or clock was off"],
        &["did not answer"],
    );
}

/// The submission of a job in a ring, with packets of the kernel before it, and one NOP as padding, as in Linux 6.12.
fn behind(front: &[u32], addr: u64, job: usize, seq: u32) -> Vec<u32> {
    let mut words = [front, &submission(addr, job, seq)].concat();
    words.truncate(words.iter().rposition(|word| *word != 0xFFFF_1000).expect("packets") + 1);
    words.push(0xC000_1000 | (254 - words.len() as u32) << 16);
    words.resize(256, 0xFFFF_1000);
    words
}

/// A wait of the kernel before the job: most headers in the queue are from the previous submission, which ends with its fence and its padding.
#[test]
fn header_queues_reach_back_into_the_submission_before() {
    let job = [0xC001_6900, 0x203, 0x10, 0xC001_2D00, 3, 2];
    let front = [&[0xC003_2200, 0x40_1160, 0, 0, 0x1F][..], &wait_on(0x0040_1040)].concat();
    let both = [behind(&[], CHAINED, 16, 41), behind(&front, ADDR, job.len(), 42)].concat();
    let padding = Reader::new(&both[..256]).flatten().last().expect("padding").header.0;
    // A ring that has wrapped: before both submissions is the rest of a long one whose beginning they have overwritten.
    let full = [vec![0; 6 * 256 - 1], vec![0xFFFF_1000], both.clone()].concat();
    // The buffer of the previous submission was not dumped: its packets are unknown.
    let known = [0xC000_9000, 0xC006_4900];
    let cases = [(&both, true, 0x10C), (&both, true, 0x200), (&both, false, 0x10C), (&full, true, 0x70C), (&full, true, 0x800), (&full, false, 0x70C)];
    for (ring, unknown, read) in cases {
        let from = if unknown { vec![0xC001_2D00, 0xC000_4600, 0xC000_4700] } else { vec![0xC000_9000, 0xC002_3F00] };
        let me = [from, known.to_vec(), vec![padding, 0xC003_2200, 0xC005_3C00]].concat();
        let scene = Scene { me, registers: "regGRBM_STATUS 0xa0003028\nregCP_STALLED_STAT1 0x00004000\n".into(), ring: ring.clone(), read, ..Scene::new(&job) };
        let (place, me, notes) = scene.me();
        assert_eq!(place, format!("ring gfx_0.0.0 dword {}, WAIT_REG_MEM", ring.len() - 251), "{read:#x} {}: {notes:?}", me.by);
        assert!(me.confidence >= Confidence::Medium && !me.by.contains("contradict"), "{} {}", me.confidence, me.by);
    }
}

/// Kernels omit buffers that only set state that is already set: the ring starts the other buffers of the job.
#[test]
fn a_job_is_found_in_the_ring_by_any_of_its_buffers() {
    let job: [u32; 5] = [0xC001_6900, 0x203, 0x10, 0xC000_4600, 0x410];
    let me = vec![0xC001_6900, 0xC000_4600, 0xC000_9000, 0xC006_4900];
    let scene = Scene { me, ring: submission(CHAINED, job.len(), 42), read: 0x100, fetcher: Some((CHAINED, 0)), ..Scene::new(&[0xC001_2800, 0x8000_0000, 0]) };
    let words: String = job.iter().map(|word| format!("0x{word:08x}\n")).collect();
    let text = scene.text() + &format!("IB #1 0x{CHAINED:x} {} dw\n{words}", job.len());
    // A ring that ran other work may be listed before it.
    let padding: String = (0..64).map(|at| format!("0x{:x} \t 0xffff1000\n", 4 * at)).collect();
    let other = format!("ring name: comp_1.0.0\nRptr: 0x10 Wptr: 0x10 RB mask: 3f\nRing size in dwords: 64\n{padding}ring name: gfx_0.0.0");
    for text in [text.replacen("ring name: gfx_0.0.0", &other, 1), text] {
        assert_parts(&explained(&read(&text), OutputFormat::Text), &["ME at ring gfx_0.0.0 dword 11, RELEASE_MEM  (high confidence"], &[]);
    }
}

/// A buffer that the ring starts with INDIRECT_BUFFER_CONST runs on the constant engine: no other engine executes its packets.
#[test]
fn buffers_of_the_constant_engine_are_no_packets_of_me() {
    let job = [0xC001_2800, 0x8000_0000, 0x8000_0000, 0xC000_8600, 0, 0xC001_2D00, 3, 2];
    let constant: [u32; 6] = [0xC002_8100, 0, 1, 5, 0xC000_8400, 1];
    let start = |opcode: u32, addr: u64, dwords: usize| [opcode, addr as u32, (addr >> 32) as u32, 0x0100_0000 | dwords as u32];
    let mut ring = [&start(0xC002_3300, CHAINED, constant.len())[..], &start(0xC002_3F00, ADDR, job.len())].concat();
    ring.resize(256, 0xFFFF_1000);
    let words: String = constant.iter().map(|word| format!("0x{word:08x}\n")).collect();
    let me = vec![0xC002_3300, 0xC001_2800, 0xC000_8600];
    let registers = "mmGRBM_STATUS 0xa0003028\nmmCP_STALLED_STAT2 0x00000200\nmmCP_CE_HEADER_DUMP 0xc0028100\nmmCP_CE_HEADER_DUMP 0xc0008400\n".into();
    let scene = Scene { core: "gfx_v10_0", version: "10.3.0", registers, me, ring, read: 0x100, ..Scene::new(&job) };
    let input = read(&(scene.text() + &format!("IB #1 0x{CHAINED:x} {} dw\n{words}", constant.len())));
    let queues: Vec<Option<Queue>> = input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Submitted).map(|buffer| buffer.queue).collect();
    assert_eq!(queues, [Some(Queue::Graphics), Some(Queue::Constant)]);
    let hang = HangReport::new(&input, &[], Chip::Navi21.gfx());
    let place =
        |engine| hang.positions.iter().find(|position| position.engine == engine).and_then(|position| position.candidates.first()).map(|at| hang.describe(*at));
    assert_eq!(place(CpEngine::Me).as_deref(), Some("IB #0 dword 3, WAIT_ON_CE_COUNTER"));
    assert_eq!(place(CpEngine::Ce).as_deref(), Some("IB #1 dword 4, INCREMENT_CE_COUNTER"));
}

/// The registers of a compute queue about its buffer: a missing register has no value, and no more than the size of the buffer was consumed.
#[test]
fn progress_of_a_compute_queue_is_told_as_far_as_it_is_known() {
    let told = |registers: &str| {
        let base = format!("regCP_HQD_IB_BASE_ADDR 0x{:08x}\nregCP_HQD_IB_BASE_ADDR_HI 0x{:08x}\n", ADDR as u32, ADDR >> 32);
        explained(
            &read(&format!(
                "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 1 Ring Name: comp_1.0.0\nIP: gfx_v11_0\nregGRBM_STATUS 0xa0003028\n\
                 mec 0, pipe 0, queue 0\n{base}{registers}IB #0 0x{ADDR:x} 4 dw\n0xc0001000\n0x00000000\n0xc0001000\n0x00000000\n"
            )),
            OutputFormat::Text,
        )
    };
    let consumed = "consumed: IB #0 up to dword 2 of 4 (CP_HQD_IB_RPTR)";
    assert_parts(&told("regCP_HQD_IB_RPTR 0x00000002\nregCP_HQD_IB_CONTROL 0x80000004\n"), &[consumed], &["lacks CP_HQD_IB_CONTROL", "PROCESSING_IB"]);
    assert_parts(&told("regCP_HQD_IB_RPTR 0x00000002\nregCP_HQD_IB_CONTROL 0x00000004\n"), &["PROCESSING_IB is 0"], &["consumed:"]);
    assert_parts(&told("regCP_HQD_IB_RPTR 0x00000002\n"), &[consumed, "the dump lacks CP_HQD_IB_CONTROL"], &["PROCESSING_IB"]);
    let beyond = told("regCP_HQD_IB_RPTR 0x00000005\nregCP_HQD_IB_CONTROL 0x80000004\n");
    assert_parts(&beyond, &["according to CP_HQD_IB_RPTR, 5 dwords of IB #0 were consumed, but it has only 4 dwords"], &["consumed: IB"]);
}

/// A fault of another address space says nothing about the addresses of the job; the video hub has other numbers.
#[test]
fn addresses_of_another_vmid_are_not_compared() {
    let job = [0xC003_3700, 0x500, WAITED as u32, (WAITED >> 32) as u32, 1];
    let told = |vmid: u32, hub: &str, status: u32| {
        let more = format!(
            "vmid: {vmid}\n[{hub}] Page fault observed\nFaulty page starting at address: 0x{WAITED:016x}\nProtection fault status register: 0x{status:x}\n"
        );
        Scene { more, ..Scene::new(&job) }.told(OutputFormat::Text)
    };
    let (other, near) = ("the fault is of VMID 8, and the job has VMID 1", "is in the page: dst_mem_addr");
    assert_parts(&told(1, "gfxhub", 0x0080_1031), &[other], &[near]);
    assert_parts(&told(8, "gfxhub", 0x0080_1031), &[near], &["of another address space"]);
    assert_parts(&told(1, "mmhub", 0x0080_1031), &[near], &["of another address space"]);
    assert_parts(&told(1, "gfxhub", 0), &[near], &["of another address space"]);
}

/// Packets that can cause each wait in the registers, by their effects: none of them contradicts its bit.
#[test]
fn packets_agree_with_waits_by_what_they_do() {
    let (low, high) = (WAITED as u32, (WAITED >> 32) as u32);
    let front = [0xC001_2800, 0x8000_0000, 0x8000_0000, 0xC001_2D00, 3, 2, 0xC000_4600, 0x410];
    let (contexts, memory, register) = ("regCP_STALLED_STAT2 0x00000800\n", "regCP_STALLED_STAT1 0x00004000\n", "regCP_STALLED_STAT1 0x00008000\n");
    let cases: [(&str, &[u32], bool); 13] = [
        (contexts, &[0xC001_6900, 0x191, 0], true),
        (contexts, &[0xC002_5100, 0x203, 1, 1], true),
        (contexts, &[0xC001_2D00, 6, 2], true),
        (contexts, &[0xC008_2C00, 0, 0, 0, 0, 0, 1, 0, 0, 2], true),
        (contexts, &[0xC001_7600, 8, 1], false),
        (contexts, &[0xC003_3700, 0x500, low, high, 1], false),
        (memory, &[0xC007_9300, 0x13, low, high, 1, 0, 0xFFFF_FFFF, 0xFFFF_FFFF, 4], true),
        (memory, &[0xC005_3C00, 0x13, low, high, 1, 0xFF, 4], true),
        (memory, &[0xC003_2400, 0, 0x8D, 0x8E, 2], true),
        (memory, &[0xC001_1600, 0, 0x41], true),
        (memory, &[0xC001_2D00, 6, 2], false),
        (memory, &[0xC001_7600, 8, 1], false),
        (register, &[0xC005_3C00, 3, 0x1234, 0, 1, 0xFF, 4], true),
    ];
    for (bits, packet, agrees) in cases {
        let job = [&front[..], packet].concat();
        let (place, me, _) = Scene { me: headers(&job, 8), registers: format!("regGRBM_STATUS 0xa0003028\n{bits}"), ..Scene::new(&job) }.me();
        assert!(place.starts_with("IB #0 dword 8, "), "{place}");
        assert_eq!(!me.by.contains("the registers name a wait that this packet cannot cause"), agrees, "{bits} {place}");
        assert_eq!(me.confidence == Confidence::High, agrees, "{bits} {place}: {}", me.by);
    }
}

/// A called buffer that is in the fetcher but was not dumped is reported, with the calling packet; one that has ended is not.
#[test]
fn a_called_buffer_that_was_not_dumped_is_told() {
    let job = [0xC001_2D00, 3, 2, 0xC002_3F00, CHAINED as u32, (CHAINED >> 32) as u32, 0x20, 0xC001_2D00, 6, 2];
    let told = |left: u32| {
        let registers = format!(
            "regGRBM_STATUS 0xa0003028\nregCP_IB2_BASE_LO 0x{:08x}\nregCP_IB2_BASE_HI 0x{:08x}\nregCP_IB2_BUFSZ 0x{left:08x}\n",
            CHAINED as u32,
            CHAINED >> 32
        );
        Scene { registers, fetcher: Some((ADDR, 3)), ..Scene::new(&job) }.told(OutputFormat::Text)
    };
    let note = "the called buffer in the fetcher, at 0x800100500000, is not among those that were dumped";
    assert_parts(&told(0x10), &[note, "IB #0 dword 3 calls it with 32 dwords, 16 of them were left to be fetched", "fetched: IB #0 up to dword 7 of 10"], &[]);
    assert_parts(&told(0), &["fetched: IB #0 up to dword 7 of 10"], &["the called buffer in the fetcher"]);
}

/// Buffers that call each other many levels deep: only the followed levels can contain the position, and the search ends.
#[test]
fn calls_are_followed_to_a_bounded_depth() {
    let addr = |level: u64| ADDR + 0x1000 * level;
    let call = |level: u64| [0xC001_2D00, 3, 2, 0xC002_3F00, addr(level + 1) as u32, (addr(level + 1) >> 32) as u32, 6];
    let mut text = Scene::new(&[]).text();
    for level in 0..100 {
        text += &format!("IB #{level} 0x{:x} 7 dw\n", addr(level));
        call(level).iter().for_each(|word| text += &format!("0x{word:08x}\n"));
    }
    let input = read(&text);
    assert_eq!(input.buffers.len(), 100);
    assert_parts(&explained(&input, OutputFormat::Text), &["hang"], &[]);
}

/// A ring that does not run PM4 is shown with its pointers.
#[test]
fn a_ring_of_another_engine_is_told_with_its_pointers() {
    let text = "**** AMDGPU Device Coredump ****\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 2 Ring Name: sdma0\nring name: sdma0\nRptr: 0x11 Wptr: 0x13 RB mask: 3\n\
                Ring size in dwords: 4\n0x0 0x1\n0x4 0x2\n0x8 0x3\n0xc 0x4\nVRAM lost check is skipped!\n";
    let told = explained(&read(text), OutputFormat::Text);
    assert_parts(&told, &["ring sdma0: it was read up to dword 1 and written up to dword 3, so 2 dwords were not read yet; its 4 dwords are not decoded"], &[]);
}

/// Words that the command processor has read but the dump lacks: a header of another buffer, and a word that is not a header.
#[test]
fn headers_that_no_packet_of_the_dump_has_are_told() {
    let job = [0xC000_4600, 0x407, 0xC001_2D00, 3, 2, 0xC000_4600, 0x407];
    let told = |me: &[u32]| Scene { me: me.to_vec(), ..Scene::new(&job) }.told(OutputFormat::Text);
    assert_parts(
        &told(&[0xC000_4600, 0xC003_3700, 0x3F80_0000]),
        &[
            "CP_ME_HEADER_DUMP holds 0xc0033700, with which no packet of the input begins: it is of a buffer or a submission that the input lacks, or",
            "CP_ME_HEADER_DUMP holds 0x3f800000, with which no packet of the input begins, and it is no header of a packet of this generation",
        ],
        &["holds 0xc0004600"],
    );
    // Entries that were never filled do not count, and without the words of the job nothing can be missing from them.
    assert_parts(&told(&[0xC000_4600, 0, 0xDEF0_DEF0]), &[], &["no packet of the input begins"]);
    let without = Scene { me: vec![0xC003_3700], ..Scene::new(&[]) };
    assert_parts(&without.told(OutputFormat::Text), &[], &["no packet of the input begins"]);
}
