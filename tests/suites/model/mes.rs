//! The ring of MES: the writes of its frames on the model, and the requests found in coredumps.

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, QueueId, Severity};
use pm4::input::{Input, Source};
use pm4::packet::Queue;
use pm4::queues::{Builder, MesAddQueue, MesFence, MesRemoveQueue, MesWriter, QueueFamily, QueueReader, Target, Version};

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

fn found(cp: &mut CommandProcessor<'_>) -> Vec<(&'static str, Severity)> {
    let mut findings = Findings::default();
    cp.run(&mut findings);
    findings.0.iter().map(|finding| (finding.code, finding.severity)).collect()
}

fn writers() -> impl Iterator<Item = (Chip, Version)> {
    [Chip::Navi31, Chip::Gfx1201].into_iter().filter_map(|chip| Some((chip, Target::from(chip).version(QueueFamily::Mes)?)))
}

fn fence(addr: u64, value: u64) -> MesFence {
    MesFence { addr, value }
}

fn queue() -> MesAddQueue {
    MesAddQueue { mqd: 0x7000, process_context: 0x8000, gang_context: 0x9000, doorbell: 0x1000, ..MesAddQueue::default() }
}

/// All frames of the writer, each with its fence.
fn frames(version: Version) -> Vec<u32> {
    let mut writer = MesWriter::new(version);
    writer.add_queue(&queue(), fence(0x1000, 1)).unwrap().query_status(fence(0x1008, 1 << 40 | 2)).unwrap();
    writer.remove_queue(MesRemoveQueue { doorbell: 0x1000, gang_context: 0x9000, after_reset: true }, fence(0x1010, 3)).unwrap();
    writer.suspend(None, fence(0x1040, 9), fence(0x1018, 4)).unwrap().resume(Some(0x9000), fence(0x1020, 5)).unwrap();
    writer.reset_queue(0x1000, 0x9000, fence(0x1028, 6)).unwrap();
    writer.frame(Builder::new(version, "SET_LOG_BUFFER").unwrap(), fence(0x1030, 7)).unwrap();
    writer.into_words()
}

#[test]
fn frames_are_made_by_name_on_every_version() {
    for (_, version) in writers() {
        let words = frames(version);
        let read: Vec<_> = QueueReader::new(version, &words).map(|frame| frame.expect("a frame")).collect();
        let names: Vec<&str> = read.iter().map(|frame| frame.name()).collect();
        assert_eq!(names, ["ADD_QUEUE", "QUERY_SCHEDULER_STATUS", "REMOVE_QUEUE", "SUSPEND", "RESUME", "RESET", "SET_LOG_BUFFER"]);
        let value = |frame: usize, name: &str| read[frame].value(name);
        assert_eq!((value(0, "mqd_addr"), value(0, "queue_type"), value(2, "remove_queue_after_reset")), (Some(0x7000), Some(1), Some(1)), "{version}");
        assert_eq!((value(3, "suspend_all_gangs"), value(4, "resume_all_gangs"), value(5, "reset_queue_only")), (Some(1), Some(0), Some(1)), "{version}");
        assert!(read.iter().all(|frame| frame.words[0] & 0xF == 1 && frame.defect().is_none()));
    }
}

/// Each frame writes its fence, 64 bits; other queues wait for it.
#[test]
fn fences_of_frames_are_memory() {
    for (chip, version) in writers() {
        let (words, zero) = (frames(version), [0; 64]);
        let wait = [0xC005_3C00, 0x13, 0x1030, 0, 7, 0xFFFF_FFFF, 4];
        let mut cp = CommandProcessor::new(chip);
        cp.map("fences", 0x1000, &zero);
        cp.submit(Queue::Graphics, "wait", &wait);
        cp.submit_to(QueueId::MES, "mes", None, &words);
        assert_eq!(found(&mut cp), [], "{version}");
        assert_eq!([0x1000, 0x1008, 0x100C, 0x1010, 0x1018, 0x1020, 0x1028].map(|addr| cp.memory(addr)), [1, 2, 1 << 8, 3, 4, 5, 6].map(Some));
        assert_eq!(cp.memory(0x1040), None, "when gangs are suspended is not known");
    }
}

#[test]
fn frames_that_are_none_are_found() {
    for (chip, version) in writers() {
        let mut unknown = frames(version)[..64].to_vec();
        unknown[0] = 0x0004_0FF1;
        for (words, expected) in [(&unknown[..], "ENC-02"), (&frames(version)[..32], "ENC-01")] {
            let mut cp = CommandProcessor::new(chip);
            cp.submit_to(QueueId::MES, "mes", None, words);
            assert_eq!(found(&mut cp), [(expected, Severity::Error)], "{version}");
        }
    }
    let words = frames(Version::new(QueueFamily::Mes, "11").unwrap());
    let mut cp = CommandProcessor::new(Chip::Vega10);
    cp.submit_to(QueueId::MES, "mes", None, &words);
    assert_eq!(cp.run(&mut ()).packets, 0, "chips before GFX11 have no MES");
}

/// A dump with the rings that a kernel records: of MES with frames of 64 dwords, of SDMA with a fence.
fn dump(mes: &[u32], read: usize, write: usize) -> Input {
    dump_with(mes, read, write, "")
}

/// The same with register lines.
fn dump_with(mes: &[u32], read: usize, write: usize, registers: &str) -> Input {
    let mut text = String::from("**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 6.12.0\nmodule: amdgpu\ntime: 1.0\nASIC Family: 145\n");
    text += "IP: GC HWIP: 1 Instance: 0 version: 11.0.0\nSOC Family: 145\nSOC External Revision id: 1\n";
    text += "Ring buffer information\n";
    let mut ring = |name: &str, words: &[u32], read: usize, write: usize| {
        text += &format!(
            "ring name: {name}\nRptr: 0x{read:x} Wptr: 0x{write:x} RB mask: {:x}\nRing size in dwords: {}\nRing contents\nOffset \t Value\n",
            words.len() - 1,
            words.len()
        );
        text.extend(words.iter().enumerate().map(|(at, word)| format!("0x{:x} \t 0x{word:x}\n", 4 * at)));
    };
    ring("sdma0", &[5, 0x1000, 0, 7], 0, 4);
    ring("mes_3.0.0", mes, read, write);
    text += registers;
    Source::open(text.as_bytes(), None).expect("a dump").load().expect("a dump")
}

#[test]
fn a_coredump_names_what_mes_was_asked() {
    for (_, version) in writers().take(1) {
        let mut words = frames(version);
        words.resize(512, 0);
        let input = dump(&words, 192, 192);
        assert_eq!(input.chip, Some(Chip::Navi31));
        let request = |input: &Input| {
            (input.fact("last request that MES fetched:").map(str::to_owned), input.fact("requests that MES has not fetched:").map(str::to_owned))
        };
        assert_eq!(request(&input), (Some("REMOVE_QUEUE doorbell_offset 0x1000 gang_context_addr 0x9000".into()), None));
        let (fetched, waits) = request(&dump(&words, 128, 384));
        assert_eq!(
            fetched.as_deref(),
            Some("ADD_QUEUE doorbell_offset 0x1000 gang_context_addr 0x9000 process_context_addr 0x8000 mqd_addr 0x7000 queue_type 0x1")
        );
        assert!(waits.is_some_and(
            |waits| waits.starts_with("REMOVE_QUEUE doorbell_offset 0x1000") && waits.contains("; SUSPEND; RESUME gang_context_addr 0x9000; RESET")
        ));
        // A ring without frames gives nothing.
        assert_eq!(request(&dump(&[7; 512], 64, 128)), (None, None));
        assert_eq!(request(&dump(&words, 3, 64)), (None, None));
        let rings = |family| input.rings_of(family).map(|ring| (ring.name.clone(), ring.words.len())).collect::<Vec<_>>();
        assert_eq!((rings(QueueFamily::Sdma), rings(QueueFamily::Mes)), (vec![("ring sdma0".into(), 4)], vec![("ring mes_3.0.0".into(), 512)]));
    }
}

/// The registers of compute queues in a dump equal those of their descriptors: the doorbell shows which queue a request is about.
#[test]
fn a_coredump_names_the_queue_that_mes_did_not_remove() {
    let (_, version) = writers().next().expect("GFX11 has MES");
    let mut words = frames(version);
    words.resize(512, 0);
    let queue = |number: u32, doorbell: u32, request: u32| {
        format!(
            "mec 0, pipe 1, queue {number}\nregCP_HQD_VMID \t 0x00000008\nregCP_HQD_PQ_RPTR \t 0x00000040\nregCP_HQD_PQ_DOORBELL_CONTROL \t 0x{:08x}\n\
             regCP_HQD_DEQUEUE_REQUEST \t 0x{request:08x}\nregCP_HQD_PQ_WPTR_LO \t 0x00000080\n",
            doorbell << 2 | 1 << 30
        )
    };
    let gone = "mec 0, pipe 1, queue 3\nregCP_HQD_PQ_DOORBELL_CONTROL \t 0xffffffff\nregCP_HQD_DEQUEUE_REQUEST \t 0xffffffff\n";
    let registers = |request| format!("IP: gfx_v11_0\nnum_mec: 1 num_pipe: 4 num_queue: 4\n{}{}{gone}", queue(0, 0x1002, 0), queue(2, 0x1000, request));
    let input = dump_with(&words, 192, 192, &registers(2));
    let of = "mec 0, pipe 1, queue 2 (CP_HQD_VMID 0x8, CP_HQD_PQ_RPTR 0x40, CP_HQD_PQ_WPTR_LO 0x80, CP_HQD_DEQUEUE_REQUEST 0x2)";
    assert_eq!(input.fact("last request that MES fetched:"), Some("REMOVE_QUEUE doorbell_offset 0x1000 gang_context_addr 0x9000"));
    assert_eq!(input.fact("compute queue of a request:"), Some(&*format!("doorbell_offset 0x1000 is of {of}")));
    assert_eq!(input.fact("compute queues asked to leave the hardware:"), Some(of));
    // Without a pending request, or with another doorbell, nothing is reported.
    let input = dump_with(&words, 192, 192, &registers(0));
    assert_eq!(input.fact("compute queues asked to leave the hardware:"), None);
    let input = dump_with(&words, 192, 192, &format!("IP: gfx_v11_0\nnum_mec: 1 num_pipe: 4 num_queue: 4\n{}", queue(0, 0x1002, 0)));
    assert_eq!(input.fact("compute queue of a request:"), None);
}
