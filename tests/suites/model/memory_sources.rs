//! Memory on demand: the model requests exactly the memory that packets read.

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Interest, MemorySource, MemoryWrite, Observer, Severity};
use pm4::packet::Queue;
use pm4::report::Buffers;
use std::sync::Mutex;

const BASE: u64 = 0x8000_0010_0000;

/// Two pages: the words of the first are known, those of the second are not. Requests are recorded.
struct Guest {
    words: Vec<u32>,
    asked: Mutex<Vec<(u64, usize)>>,
}

impl Guest {
    fn new(words: &[u32]) -> Self {
        let mut page = words.to_vec();
        page.resize(1024, 0);
        Self { words: page, asked: Mutex::default() }
    }
}

impl MemorySource for Guest {
    fn read(&self, addr: u64, words: &mut [u32]) -> usize {
        self.asked.lock().unwrap().push((addr, words.len()));
        let Some(there) = addr.checked_sub(BASE).and_then(|at| self.words.get(at as usize / 4..)) else { return 0 };
        let count = there.len().min(words.len());
        words[..count].copy_from_slice(&there[..count]);
        count
    }

    fn mapped(&self, addr: u64, bytes: u64) -> u64 {
        if (BASE..BASE + 0x2000).contains(&addr) { bytes.min(BASE + 0x2000 - addr) } else { 0 }
    }

    fn writer(&self, addr: u64) -> Option<&str> {
        (addr == BASE + 0x80).then_some("the guest's CPU")
    }
}

#[derive(Default)]
struct Watch(Vec<Finding>, Vec<MemoryWrite>);

impl Observer for Watch {
    fn interest(&self) -> Interest {
        Interest::MEMORY
    }
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
    fn memory_written(&mut self, write: &MemoryWrite) {
        self.1.push(*write);
    }
}

/// Runs a stream with closed memory.
fn run(guest: &Guest, stream: &[u32]) -> (Watch, Vec<String>, u64) {
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.memory_source(guest).closed_memory(true);
    cp.submit(Queue::Graphics, "main", stream);
    let mut watch = Watch::default();
    let draws = cp.run(&mut watch).draws;
    let named = Buffers::with_source(&cp);
    let names = watch.0.iter().map(|finding| named.name(finding.place.buffer).to_owned()).collect();
    (watch, names, draws)
}

fn errors(watch: &Watch) -> Vec<&str> {
    watch.0.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.code).collect()
}

/// INDIRECT_BUFFER of this many dwords.
fn call(at: u64, dwords: u32) -> [u32; 4] {
    [0xC002_3F00, (BASE + at) as u32, (BASE >> 32) as u32, 1 << 23 | dwords]
}

#[test]
fn a_called_buffer_is_read_once_and_no_other_memory() {
    // DRAW_INDEX_AUTO
    let guest = Guest::new(&[0xC001_2D00, 3, 2]);
    let (watch, _, draws) = run(&guest, &call(0, 3));
    assert_eq!((errors(&watch), draws), (vec![], 1));
    assert_eq!(*guest.asked.lock().unwrap(), [(BASE, 3)]);
}

#[test]
fn a_finding_in_a_called_buffer_names_its_address() {
    // A packet that ends beyond the buffer.
    let guest = Guest::new(&[0xC001_2D00, 3, 2]);
    let (watch, names, _) = run(&guest, &call(0, 2));
    let at = watch.0.iter().position(|finding| finding.code == "ENC-01").expect("a finding");
    assert_eq!(names[at], "0x800000100000");
}

#[test]
fn what_is_mapped_and_not_known_is_no_mistake_and_what_nothing_maps_is_one() {
    let guest = Guest::new(&[]);
    // COPY_DATA from memory to memory.
    let copy = |from: u64| [0xC004_4000, 1 | 5 << 8, (BASE + from) as u32, (BASE >> 32) as u32, BASE as u32, (BASE >> 32) as u32];
    assert_eq!(errors(&run(&guest, &copy(0x1000)).0), [""; 0]);
    assert_eq!(errors(&run(&guest, &copy(0x2000)).0), ["MEM-03"]);
    assert_eq!(errors(&run(&guest, &call(0x1000, 3)).0), [""; 0]);
    assert_eq!(errors(&run(&guest, &call(0x2000, 3)).0), ["MEM-03"]);
}

#[test]
fn a_write_hides_the_source_and_reaches_the_observer() {
    let guest = Guest::new(&[7]);
    // WRITE_DATA of 9, then COPY_DATA of the dword to the next.
    let (lo, hi) = (BASE as u32, (BASE >> 32) as u32);
    let stream = [0xC003_3700, 5 << 8 | 1 << 20, lo, hi, 9, 0xC004_4000, 1 | 5 << 8, lo, hi, lo + 4, hi];
    let (watch, ..) = run(&guest, &stream);
    let written: Vec<_> = watch.1.iter().map(|write| (write.addr, write.value)).collect();
    assert_eq!(written, [(BASE, Some(9)), (BASE + 4, Some(9))]);
    assert_eq!(guest.words[0], 7);
}

#[test]
fn a_wait_for_memory_that_the_cpu_may_write_ends() {
    let wait = |at: u64| [0xC005_3C00, 0x13, (BASE + at) as u32, (BASE >> 32) as u32, 1, u32::MAX, 4];
    let guest = Guest::new(&[]);
    assert_eq!(errors(&run(&guest, &wait(0x80)).0), [""; 0]);
    assert_eq!(errors(&run(&guest, &wait(0x84)).0), ["SYN-18"]);
}
