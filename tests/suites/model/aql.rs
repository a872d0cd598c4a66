//! AQL queues on the model: what they run, which queues they wait for, and the findings.

use crate::support::property;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{Bank, CommandProcessor, DrawView, Finding, Observer, QueueId, Severity};
use pm4::packet::Queue;
use pm4::queues::{BarrierPacket, Builder, KernelDispatch, Pm4Buffer, PollCondition, QueueFamily, SdmaWriter, Target};

/// A signal and a kernel descriptor, and the values of signals.
const SIGNAL: u64 = 0x1000;
const OBJECT: u64 = 0x4000;

/// Name, groups, and the known registers.
type Dispatch = (&'static str, Vec<u32>, Vec<(u32, u32)>);

#[derive(Default)]
struct Seen {
    findings: Vec<Finding>,
    dispatches: Vec<Dispatch>,
}

impl Observer for Seen {
    fn finding(&mut self, finding: &Finding) {
        self.findings.push(finding.clone());
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.dispatches.push((view.name(), view.packet().body.to_vec(), view.written(Bank::ShCompute).collect()));
    }
}

fn run(cp: &mut CommandProcessor<'_>) -> Seen {
    let mut seen = Seen::default();
    cp.run(&mut seen);
    seen
}

fn found(cp: &mut CommandProcessor<'_>) -> Vec<(&'static str, Severity)> {
    run(cp).findings.iter().map(|finding| (finding.code, finding.severity)).collect()
}

fn signal(value: i64) -> [u32; 16] {
    let mut words = [0; 16];
    (words[0], words[2], words[3]) = (1, value as u32, (value >> 32) as u32);
    words
}

fn kernel(completion_signal: u64) -> [u32; 16] {
    KernelDispatch { kernel_object: OBJECT, group: [64, 2, 1], grid: [200, 4, 1], group_size: 1000, completion_signal, ..KernelDispatch::default() }.words()
}

fn barrier(any: bool, signals: &[u64], completion_signal: u64) -> Vec<u32> {
    BarrierPacket { any, signals, completion_signal }.words().unwrap()
}

/// Code 0x300 after the descriptor, with resources.
fn descriptor() -> [u32; 16] {
    let mut words = [0; 16];
    (words[0], words[4], words[12], words[13], words[14]) = (512, 0x300, 0x000C_0041, 0x0000_0088, 1 << 3);
    words
}

#[test]
fn a_kernel_is_a_dispatch_with_the_registers_of_its_descriptor() {
    for chip in Chip::all() {
        let (descriptor, signal, words) = (descriptor(), signal(1), kernel(SIGNAL));
        let mut cp = CommandProcessor::new(chip);
        cp.map("descriptor", OBJECT, &descriptor);
        cp.map("signal", SIGNAL, &signal);
        cp.submit_aql(0, "ring", None, &words);
        let seen = run(&mut cp);
        assert_eq!(seen.findings, [], "{chip}");
        let [(name, body, registers)] = &seen.dispatches[..] else { panic!("one dispatch on {chip}") };
        // 200 work-items in groups of 64 are 4 groups, the last one of 8: PARTIAL_TG_EN.
        assert_eq!((*name, &body[..]), ("kernel_dispatch", &[4, 2, 1, 3][..]), "{chip}");
        let mut expected = vec![(0xB81C, 64 | 8 << 16), (0xB820, 2), (0xB824, 1), (0xB830, 0x43), (0xB834, 0), (0xB848, 0x000C_0041), (0xB84C, 0x88 | 2 << 15)];
        if chip.gfx() > Gfx::Gfx9 {
            expected.push((0xB8A0, 0));
        }
        assert_eq!(*registers, expected, "{chip}");
        assert_eq!((cp.memory(SIGNAL + 8), cp.memory(SIGNAL + 12)), (Some(0), Some(0)), "the signal is counted down");
        assert_eq!(cp.memory(SIGNAL + 32), None, "whether times are written is not known");
    }
}

/// What memory does not contain is unknown: the dispatch is reported, its program is not.
#[test]
fn a_kernel_without_a_descriptor_is_a_dispatch_of_an_unknown_program() {
    let words = kernel(SIGNAL);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.submit_aql(0, "ring", None, &words);
    let seen = run(&mut cp);
    assert_eq!(seen.findings.iter().map(|finding| (finding.code, finding.severity)).collect::<Vec<_>>(), [("MEM-03", Severity::Info)]);
    assert_eq!(seen.dispatches[0].2.iter().map(|(addr, _)| *addr).collect::<Vec<_>>(), [0xB81C, 0xB820, 0xB824]);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.closed_memory(true).submit_aql(0, "ring", None, &words);
    assert_eq!(found(&mut cp), [("MEM-03", Severity::Error), ("MEM-03", Severity::Error)], "the descriptor and the signal are not mapped");
}

/// The rules on dispatches check the registers that the packet processor writes; the words to correct are those of the descriptor.
#[test]
fn kernels_are_asked_the_rules_of_dispatches() {
    let judged = |closed: bool, code: Option<u64>, change: fn(&mut [u32; 16])| {
        let (mut descriptor, signal, words, program) = (descriptor(), signal(1), kernel(SIGNAL), [0xBF81_0000; 4]);
        change(&mut descriptor);
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.closed_memory(closed).map("descriptor", OBJECT, &descriptor);
        cp.map("signal", SIGNAL, &signal);
        if let Some(addr) = code {
            cp.map("code", addr, &program);
        }
        cp.submit_aql(0, "ring", None, &words);
        run(&mut cp).findings.into_iter().map(|finding| (finding.code, finding.severity, finding.packet)).collect::<Vec<_>>()
    };
    let of_kernel = Some("kernel_dispatch");
    assert_eq!(judged(true, Some(OBJECT + 0x300), |_| ()), []);
    assert_eq!(judged(true, None, |_| ()), [("MEM-03", Severity::Error, of_kernel)], "nothing maps the code");
    assert_eq!(judged(false, None, |_| ()), [], "memory that nothing maps is the application's");
    // The code at address 0.
    let null = |words: &mut [u32; 16]| (words[4], words[5]) = ((OBJECT as u32).wrapping_neg(), u32::MAX);
    assert_eq!(judged(false, None, null), [("STA-68", Severity::Error, of_kernel)]);
    // Firmware with one mode, and with two.
    assert_eq!(judged(false, None, |words| words[12] |= 1 << 24), [("AQL-08", Severity::Warning, of_kernel)]);
    assert_eq!(judged(false, None, |words| words[12] |= 1 << 24 | 1 << 25), [("AQL-08", Severity::Error, of_kernel)]);
    // USER_SGPR 4 holds the arguments and the packet, without the queue.
    assert_eq!(judged(false, None, |words| words[14] |= 1 << 1), []);
    assert_eq!(judged(false, None, |words| words[14] |= 3 << 1), [("AQL-12", Severity::Warning, of_kernel)]);
}

/// Barriers block their queue until the signals are 0, whichever queue counts them down, in whatever order queues were created.
#[test]
fn queues_of_aql_wait_for_each_other() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]] {
        let (first, second, done) = (signal(2), signal(1), signal(1));
        let descriptor = descriptor();
        let rings = [
            [kernel(SIGNAL), kernel(SIGNAL)].concat(),
            [barrier(false, &[SIGNAL], 0x1040), kernel(0).to_vec()].concat(),
            [barrier(false, &[SIGNAL, 0, 0x1040], 0x1080), kernel(0).to_vec()].concat(),
        ];
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("descriptor", OBJECT, &descriptor);
        for (addr, words) in [(SIGNAL, &first), (0x1040, &second), (0x1080, &done)] {
            cp.map("signal", addr, words);
        }
        for ring in order {
            cp.submit_aql(ring as u32, "ring", None, &rings[ring]);
        }
        let seen = run(&mut cp);
        assert_eq!((seen.findings, seen.dispatches.len()), (vec![], 4), "{order:?}");
        assert_eq!([SIGNAL, 0x1040, 0x1080].map(|addr| cp.memory(addr + 8)), [Some(0); 3]);
    }
}

#[test]
fn one_signal_is_enough_for_a_barrier_or() {
    let (zero, one) = (signal(0), signal(1));
    for (any, signals, expected) in [
        (true, vec![SIGNAL, 0x1040], vec![]),
        (true, vec![0x1040], vec![("SYN-18", Severity::Warning)]),
        (false, vec![SIGNAL, 0x1040], vec![("SYN-18", Severity::Warning)]),
        (false, vec![SIGNAL], vec![]),
        (true, vec![], vec![]),
    ] {
        let words = barrier(any, &signals, 0);
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("zero", SIGNAL, &zero);
        cp.map("one", 0x1040, &one);
        cp.submit_aql(0, "ring", None, &words);
        assert_eq!(found(&mut cp), expected, "{any} {signals:x?}");
    }
}

/// If all memory is mapped and nothing else runs, a signal that packets do not bring to 0 hangs the queue. The finding names its value.
#[test]
fn a_signal_that_never_reaches_zero_is_found() {
    let (descriptor, three) = (descriptor(), signal(3));
    let waits = [barrier(false, &[SIGNAL], 0), kernel(SIGNAL).to_vec()].concat();
    let counts = kernel(SIGNAL);
    let find = |closed: bool, counted: bool| {
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.closed_memory(closed).map("descriptor", OBJECT, &descriptor);
        cp.map("signal", SIGNAL, &three);
        cp.submit_aql(0, "waits", None, &waits);
        if counted {
            cp.submit_aql(1, "counts", None, &counts);
        }
        run(&mut cp).findings.into_iter().find(|finding| finding.code == "SYN-18").expect("it waits")
    };
    let (open, closed) = (find(false, true), find(true, false));
    assert_eq!((open.severity, closed.severity), (Severity::Warning, Severity::Error), "the host may count it down");
    assert!(open.message.starts_with("aql waits for signal 0x000000001000 == 0x0"), "{}", open.message);
    assert!(open.notes.iter().any(|note| note.text.contains("holds 2, and 1 packet that has not run")), "{:?}", open.notes);
}

/// Queues of every kind wait for one another: SDMA for a signal that a kernel counts down, a barrier for one that SDMA adds to, PM4 for a write of the PM4 of a packet.
#[test]
fn queues_of_all_kinds_wait_for_each_other() {
    let chip = Chip::Navi31;
    let version = Target::from(chip).version(QueueFamily::Sdma).unwrap();
    let mut sdma = SdmaWriter::new(version);
    sdma.poll_memory(SIGNAL + 8, PollCondition::Equal, 0, u32::MAX).unwrap();
    let add = Builder::new(version, "ATOMIC").unwrap().set("atomic_op", 47).unwrap();
    sdma.packet(add.address("addr", 0x1048).unwrap().address("src_data", u64::MAX).unwrap()).unwrap();
    let sdma = sdma.into_words();
    // WRITE_DATA of 7 to 0x2000, in a buffer that a packet calls.
    let (called, graphics) = ([0xC003_3702, 0x0010_0500, 0x2000, 0, 7], [0xC005_3C00, 0x13, 0x2000, 0, 7, 0xFFFF_FFFF, 4]);
    let call = Pm4Buffer { addr: 0x3000, dwords: 5, completion_signal: 0x1080 }.words().unwrap();
    let ring = [kernel(SIGNAL).to_vec(), barrier(false, &[0x1040], 0), call].concat();
    let (one, other, third, descriptor, zero) = (signal(1), signal(1), signal(1), descriptor(), [0]);
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut cp = CommandProcessor::new(chip);
        for (addr, words) in [(SIGNAL, &one[..]), (0x1040, &other), (0x1080, &third), (OBJECT, &descriptor), (0x3000, &called), (0x2000, &zero)] {
            cp.map("memory", addr, words);
        }
        for queue in order {
            match queue {
                0 => cp.submit(Queue::Graphics, "graphics", &graphics),
                1 => cp.submit_sdma(0, "sdma", None, &sdma),
                _ => cp.submit_aql(0, "ring", None, &ring),
            };
        }
        assert_eq!(found(&mut cp), [], "{order:?}");
        assert_eq!((cp.memory(0x2000), cp.memory(0x1048), cp.memory(0x1088)), (Some(7), Some(0), Some(0)), "{order:?}");
    }
}

/// The PM4 of a packet may wait; the packet ends after it, and decrements its signal then.
#[test]
fn the_pm4_of_a_packet_holds_up_the_queue() {
    let wait = [0xC005_3C02, 0x13, 0x2000, 0, 1, 0xFFFF_FFFF, 4];
    let call = Pm4Buffer { addr: 0x3000, dwords: 7, completion_signal: SIGNAL }.words().unwrap();
    let (one, zero) = (signal(1), [0]);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("signal", SIGNAL, &one);
    cp.map("wait", 0x3000, &wait);
    cp.map("fence", 0x2000, &zero);
    cp.submit_aql(0, "ring", None, &call);
    let mut stuck = cp.clone();
    assert_eq!(found(&mut stuck), [("SYN-18", Severity::Error)]);
    assert_eq!(stuck.memory(SIGNAL + 8), Some(0), "a wait that is given up has ended");
    let fence = [0xC003_3700, 0x0010_0500, 0x2000, 0, 1];
    cp.submit(Queue::Graphics, "fence", &fence);
    assert_eq!(found(&mut cp), []);
    assert_eq!(cp.memory(SIGNAL + 8), Some(0));
}

/// Whether a barrier passes, given a signal.
fn passes(holds: i64, cond: u64, value: i64, mask: u64) -> bool {
    let version = Target::from(Chip::Navi31).version(QueueFamily::Aql).unwrap();
    let packet = Builder::new(version, "amd_barrier_value").unwrap().set("signal", SIGNAL).unwrap().set("cond", cond).unwrap();
    let words = packet.set("value", value as u64).unwrap().set("mask", mask).unwrap().build().unwrap();
    let signal = signal(holds);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("signal", SIGNAL, &signal);
    cp.submit_aql(0, "ring", None, &words);
    !found(&mut cp).iter().any(|(code, _)| *code == "SYN-18")
}

/// The value of a signal is signed, and a wait has a condition.
#[test]
fn a_barrier_compares_a_signal_with_a_value() {
    fn compared(holds: i8, value: i8, mask: u64, small: bool) {
        let mask = if small { mask } else { u64::MAX };
        let (holds, value) = (i64::from(holds), i64::from(value));
        let masked = (holds as u64 & mask) as i64;
        let expected = vec![masked == value, masked != value, masked < value, masked >= value];
        let all: Vec<bool> = (0..4).map(|cond| passes(holds, cond, value, mask)).collect();
        assert_eq!(all, expected, "{holds} & {mask:#x} against {value}");
    }
    property("barriers with a value", 500, compared as fn(i8, i8, u64, bool));
}

/// Executed slots have type 1 again, and unfilled slots are at the end: neither blocks the queue.
#[test]
fn slots_that_have_run_hold_nothing_up() {
    let used = [[0x1501].as_slice(), &kernel(0)[1..]].concat();
    let descriptor = descriptor();
    for (slots, expected) in [
        (vec![used.clone(), used.clone(), kernel(0).to_vec(), used.clone()], vec![]),
        (vec![kernel(0).to_vec(), used.clone(), kernel(0).to_vec()], vec![("AQL-02", Severity::Warning)]),
    ] {
        let ring = slots.concat();
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("descriptor", OBJECT, &descriptor);
        cp.submit_aql(0, "ring", None, &ring);
        assert_eq!(found(&mut cp), expected);
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.map("descriptor", OBJECT, &descriptor);
        cp.partial().submit_aql(0, "ring", None, &ring);
        assert_eq!(found(&mut cp), [], "of a part of a ring nothing is said");
    }
}

/// Each wait that nothing ends is abandoned separately: the packets after them are executed once, not once for each wait.
#[test]
fn many_waits_are_linear() {
    let (one, wait) = (signal(1), barrier(false, &[SIGNAL], 0));
    let ring = wait.repeat(100_000);
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("signal", SIGNAL, &one);
    cp.submit_aql(0, "ring", None, &ring);
    let summary = cp.run(&mut ());
    assert_eq!((summary.packets, summary.warnings, summary.errors), (100_000, 100_000, 0));
}

/// Random slots never crash the model, whatever they contain.
#[test]
fn random_slots_run_to_their_end() {
    fn run_to_the_end(mut ring: Vec<u32>, types: Vec<u8>) {
        for (slot, kind) in ring.chunks_mut(16).zip(&types) {
            slot[0] = slot[0] & !0xFF | u32::from(kind % 7);
        }
        for chip in [Chip::Vega10, Chip::Gfx1201] {
            let mut cp = CommandProcessor::new(chip);
            cp.submit_to(QueueId::AQL, "ring", Some(0x1000), &ring);
            cp.submit_aql(3, "other", None, &ring);
            assert!(cp.run(&mut ()).packets >= 2 * (ring.len() as u64 / 16));
        }
    }
    property("slots of AQL", 500, run_to_the_end as fn(Vec<u32>, Vec<u8>));
}
