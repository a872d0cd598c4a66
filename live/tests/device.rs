//! The device without a program: what each call returns, and that no call can break the device.

use pm4::chip::Chip;
use pm4_live::device::core::{Backing, Device, Outcome};
use pm4_live::device::host::{Descriptor, Errno, Host};
use pm4_uapi as u;
use std::collections::BTreeMap;
use zerocopy::{FromBytes, IntoBytes};

/// A program with some memory from address 0x1000, and a store that records each write and its address.
struct World {
    memory: Vec<u8>,
    stored: Vec<(u64, usize)>,
    freed: Vec<(u64, u64)>,
    descriptors: Vec<u64>,
}

const MEMORY: u64 = 0x1000;

impl World {
    fn new() -> Self {
        Self { memory: vec![0; 1 << 16], stored: Vec::new(), freed: Vec::new(), descriptors: Vec::new() }
    }

    fn part(&mut self, addr: u64, len: usize) -> Result<&mut [u8], Errno> {
        let at = addr.checked_sub(MEMORY).and_then(|at| usize::try_from(at).ok()).ok_or(libc::EFAULT)?;
        self.memory.get_mut(at..at.checked_add(len).ok_or(libc::EFAULT)?).ok_or(libc::EFAULT)
    }

    fn put<T: IntoBytes + zerocopy::Immutable>(&mut self, addr: u64, value: &T) {
        let bytes = value.as_bytes();
        self.part(addr, bytes.len()).unwrap().copy_from_slice(bytes);
    }
}

impl Host for World {
    fn read(&mut self, addr: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        let len = bytes.len();
        bytes.copy_from_slice(self.part(addr, len)?);
        Ok(())
    }
    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.part(addr, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }
    fn load(&mut self, _: u64, bytes: &mut [u8]) {
        bytes.fill(0);
    }
    fn store(&mut self, offset: u64, bytes: &[u8]) {
        self.stored.push((offset, bytes.len()));
    }
    fn free(&mut self, offset: u64, bytes: u64) {
        self.freed.push((offset, bytes));
    }
    fn give(&mut self, descriptor: Descriptor) -> Result<(i32, u64), Errno> {
        let identity = if descriptor == Descriptor::SyncFile { 0 } else { 1000 + self.descriptors.len() as u64 };
        self.descriptors.push(identity);
        Ok((self.descriptors.len() as i32 + 2, identity))
    }
    fn identity(&mut self, fd: i32) -> Option<u64> {
        self.descriptors.get(usize::try_from(fd).ok()?.checked_sub(3)?).copied().filter(|identity| *identity != 0)
    }
    fn now(&mut self) -> u64 {
        1_000_000_000
    }
}

fn device() -> Device {
    Device::new(Chip::Navi21.device().unwrap())
}

/// Runs a call with a structure, which then holds the result.
fn call<T: IntoBytes + FromBytes + zerocopy::Immutable>(device: &mut Device, client: u64, nr: u8, value: &mut T, world: &mut World) -> Outcome {
    let mut arg = vec![0; u::size_of_ioctl(nr).unwrap()];
    arg[..size_of::<T>()].copy_from_slice(value.as_bytes());
    let outcome = device.ioctl(client, nr, &mut arg, world);
    *value = T::read_from_prefix(&arg).unwrap().0;
    outcome
}

fn buffer(device: &mut Device, client: u64, size: u64, world: &mut World) -> u32 {
    let mut create = u::GemCreate { size, alignment: 4096, domains: 4, flags: 0 };
    assert_eq!(call(device, client, u::GEM_CREATE, &mut create, world), Outcome::Done);
    create.size as u32
}

fn map(device: &mut Device, client: u64, handle: u32, va: u64, size: u64, world: &mut World) -> Outcome {
    call(device, client, u::GEM_VA, &mut u::GemVa { handle, operation: 1, flags: 0xE, va, size, ..Default::default() }, world)
}

#[test]
fn a_mapped_buffer_is_found_at_its_address_until_its_handle_is_closed() {
    let (mut device, mut world) = (device(), World::new());
    let client = device.open();
    let handle = buffer(&mut device, client, 5000, &mut world);
    assert_eq!(map(&mut device, client, handle, 0xffff_8001_0000_0000, 0x2000, &mut world), Outcome::Done);
    let Some((Some(Backing::Store(at)), 0x1000)) = device.lookup(client, 0x8001_0000_1000) else { panic!("not mapped") };
    let mut mmap = [u64::from(handle)];
    assert_eq!(call(&mut device, client, u::GEM_MMAP, &mut mmap, &mut world), Outcome::Done);
    assert_eq!(mmap[0] + 0x1000, at);
    assert_eq!(call(&mut device, client, u::GEM_CLOSE, &mut u::Handle { handle, pad: 0 }, &mut world), Outcome::Done);
    assert_eq!((device.lookup(client, 0x8001_0000_1000), device.buffers()), (None, 0));
    assert_eq!(world.freed, [(mmap[0], 0x2000)]);
}

#[test]
fn a_mapping_beyond_its_buffer_is_refused() {
    let (mut device, mut world) = (device(), World::new());
    let client = device.open();
    let handle = buffer(&mut device, client, 4096, &mut world);
    assert_eq!(map(&mut device, client, handle, 0x10_0000, 0x2000, &mut world), Outcome::Failed(libc::EINVAL));
    assert_eq!(map(&mut device, client, handle + 1, 0x10_0000, 0x1000, &mut world), Outcome::Failed(libc::ENOENT));
}

#[test]
fn a_submission_signals_its_syncobj_and_a_wait_for_it_ends() {
    let (mut device, mut world) = (device(), World::new());
    let client = device.open();
    let mut context = u::Context { op: 1, ..Default::default() };
    assert_eq!(call(&mut device, client, u::CTX, &mut context, &mut world), Outcome::Done);
    let mut object = u::SyncobjCreate::default();
    assert_eq!(call(&mut device, client, u::SYNCOBJ_CREATE, &mut object, &mut world), Outcome::Done);
    world.put(0x1100, &object.handle);
    // Without a submission, a wait either fails or waits for one.
    let wait = |flags| u::SyncobjWait { handles: 0x1100, timeout: i64::MAX, count: 1, flags, ..Default::default() };
    assert_eq!(call(&mut device, client, u::SYNCOBJ_WAIT, &mut wait(0), &mut world), Outcome::Failed(libc::EINVAL));
    let Outcome::Waits(waits) = call(&mut device, client, u::SYNCOBJ_WAIT, &mut wait(2), &mut world) else { panic!("it does not wait") };
    assert_eq!(device.ended(&waits), None);
    let late = u::SyncobjWait { timeout: 1, ..wait(2) };
    assert_eq!(call(&mut device, client, u::SYNCOBJ_WAIT, &mut { late }, &mut world), Outcome::Failed(libc::ETIME));

    world.put(0x1200, &[0x1300u64, 0x1320]);
    world.put(0x1300, &u::Chunk { id: 1, length_dw: 8, data: 0x1400 });
    world.put(0x1320, &u::Chunk { id: 5, length_dw: 1, data: 0x1100 });
    world.put(0x1400, &u::ChunkIb { va: 0xffff_8000_0010_0000, bytes: 64, ..Default::default() });
    let mut cs = u::Cs { context: context.op, chunks_count: 2, chunks: 0x1200, ..Default::default() };
    let Outcome::Submits(submission) = call(&mut device, client, u::CS, &mut cs, &mut world) else { panic!("it is no submission") };
    assert_eq!((submission.ibs.len(), submission.ibs[0].va, submission.ibs[0].bytes), (1, 0x8000_0010_0000, 64));
    assert_eq!(device.ended(&waits), Some(0));
    assert_eq!(call(&mut device, client, u::SYNCOBJ_WAIT, &mut wait(0), &mut world), Outcome::Done);
}

#[test]
fn a_buffer_that_is_exported_and_imported_is_one() {
    let (mut device, mut world) = (device(), World::new());
    let (one, other) = (device.open(), device.open());
    let handle = buffer(&mut device, one, 4096, &mut world);
    let mut prime = u::Prime { handle, ..Default::default() };
    assert_eq!(call(&mut device, one, u::PRIME_HANDLE_TO_FD, &mut prime, &mut world), Outcome::Done);
    let mut import = u::Prime { fd: prime.fd, ..Default::default() };
    assert_eq!(call(&mut device, other, u::PRIME_FD_TO_HANDLE, &mut import, &mut world), Outcome::Done);
    let of = |device: &mut Device, client, handle: u32, world: &mut World| {
        let mut mmap = [u64::from(handle)];
        assert_eq!(call(device, client, u::GEM_MMAP, &mut mmap, world), Outcome::Done);
        mmap[0]
    };
    assert_eq!(of(&mut device, one, handle, &mut world), of(&mut device, other, import.handle, &mut world));
    assert_eq!(call(&mut device, other, u::PRIME_FD_TO_HANDLE, &mut u::Prime { fd: 99, ..Default::default() }, &mut world), Outcome::Failed(libc::EINVAL));
}

#[test]
fn what_was_exported_is_there_as_long_as_a_descriptor_or_a_handle_is() {
    let (mut device, mut world) = (device(), World::new());
    let client = device.open();
    let handle = buffer(&mut device, client, 4096, &mut world);
    for _ in 0..3 {
        assert_eq!(call(&mut device, client, u::PRIME_HANDLE_TO_FD, &mut u::Prime { handle, ..Default::default() }, &mut world), Outcome::Done);
    }
    assert_eq!(call(&mut device, client, u::GEM_CLOSE, &mut u::Handle { handle, pad: 0 }, &mut world), Outcome::Done);
    for identity in world.descriptors.clone() {
        assert_eq!(device.buffers(), 1);
        device.forget(identity, &mut world);
    }
    assert_eq!((device.buffers(), world.freed.len()), (0, 1));
}

#[test]
fn an_eventfd_is_signalled_with_its_point() {
    let (mut device, mut world) = (device(), World::new());
    let client = device.open();
    let mut object = u::SyncobjCreate::default();
    assert_eq!(call(&mut device, client, u::SYNCOBJ_CREATE, &mut object, &mut world), Outcome::Done);
    let event = |handle, flags| u::SyncobjEventfd { handle, flags, point: 5, fd: 9, pad: 0 };
    let Outcome::Notifies(9, wait) = call(&mut device, client, u::SYNCOBJ_EVENTFD, &mut event(object.handle, 0), &mut world) else { panic!("no eventfd") };
    world.put(0x1100, &object.handle);
    for (point, ended) in [(4u64, None), (5, Some(0))] {
        world.put(0x1200, &point);
        let mut signal = u::TimelineArray { handles: 0x1100, points: 0x1200, count: 1, flags: 0 };
        assert_eq!(call(&mut device, client, u::SYNCOBJ_TIMELINE_SIGNAL, &mut signal, &mut world), Outcome::Done);
        assert_eq!(device.ended(&wait), ended, "{point}");
    }
    assert_eq!(call(&mut device, client, u::SYNCOBJ_EVENTFD, &mut event(object.handle + 1, 0), &mut world), Outcome::Failed(libc::ENOENT));
    assert_eq!(call(&mut device, client, u::SYNCOBJ_EVENTFD, &mut event(object.handle, 1), &mut world), Outcome::Failed(libc::EINVAL));
}

#[test]
fn what_the_device_does_not_have_is_unknown_and_not_guessed() {
    let (mut device, mut world) = (device(), World::new());
    let client = device.open();
    let mut info = u::Info { pointer: 0x1000, size: 4, query: 0x7F, arg: [0; 4] };
    assert!(matches!(call(&mut device, client, u::INFO, &mut info, &mut world), Outcome::Unknown(what) if what.contains("0x7f")));
    assert!(matches!(device.ioctl(client, u::USERQ, &mut [0; 72], &mut world), Outcome::Unknown(_)));
    assert!(matches!(device.ioctl(client, 0xA0, &mut [], &mut world), Outcome::Unknown(_)));
}

/// Numbers as calls have them in their structures, most of them small: handles, addresses of the program, sizes and values at boundaries.
fn number(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let random = *seed >> 20;
    match random % 11 {
        0..=3 => random >> 8 & 7,
        4 => MEMORY + (random >> 8 & 0xFFF) * 8,
        5 => (random >> 8 & 0xF) << 12,
        6 => [u64::MAX, 1 << 63, 1 << 47, (1 << 48) - 4096, u64::from(u32::MAX), 1 << 40][random as usize / 16 % 6],
        7 => 0xffff_8000_0000_0000 | (random >> 8 & 0xF) << 12,
        8 => (random >> 8 & 3) << 32 | random >> 12 & 7,
        9 => 1 << (random >> 8 & 63),
        _ => random,
    }
}

/// Any calls with any arguments cause no panic, and nothing is stored outside existing buffers.
#[test]
fn hostile_calls_do_no_harm() {
    let seed = std::env::var("PM4_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_121);
    for round in 0..200u64 {
        let (mut device, mut world, mut seed) = (device(), World::new(), seed + round);
        let clients = [device.open(), device.open()];
        let mut there: BTreeMap<u64, u64> = BTreeMap::new();
        let mut submissions = 0;
        for _ in 0..400 {
            let client = clients[number(&mut seed) as usize % 2];
            for _ in 0..8 {
                let (at, value) = (number(&mut seed) as usize % (world.memory.len() - 8), number(&mut seed));
                world.memory[at / 8 * 8..at / 8 * 8 + 8].copy_from_slice(&value.to_le_bytes());
            }
            let all: Vec<u8> = (0..=255).filter(|nr| u::size_of_ioctl(*nr).is_some()).collect();
            let nr = all[number(&mut seed) as usize % all.len()];
            let mut arg: Vec<u8> = (0..36).flat_map(|_| number(&mut seed).to_le_bytes()).collect();
            arg.truncate(u::size_of_ioctl(nr).unwrap());
            if nr == u::GEM_CREATE {
                arg[..8].copy_from_slice(&(number(&mut seed) & 0xFFFF).to_le_bytes());
            }
            let (stored, size) = (world.stored.len(), arg.clone());
            let outcome = device.ioctl(client, nr, &mut arg, &mut world);
            submissions += u32::from(matches!(outcome, Outcome::Submits(_)));
            if nr == u::GEM_CREATE && outcome == Outcome::Done {
                let handle = u32::read_from_prefix(&arg).unwrap().0;
                let mut mmap = [u64::from(handle)];
                assert_eq!(call(&mut device, client, u::GEM_MMAP, &mut mmap, &mut world), Outcome::Done);
                let bytes = u64::read_from_prefix(&size).unwrap().0.max(1).next_multiple_of(4096);
                assert!(there.insert(mmap[0], bytes).is_none(), "two buffers at one place");
            }
            for (at, len) in &world.stored[stored..] {
                let (start, bytes) = there.range(..=*at).next_back().expect("nothing is stored before the first buffer");
                assert!(at + *len as u64 <= start + bytes, "round {round}: stored at {at:x}, outside of buffers");
            }
            let _ = (device.lookup(client, number(&mut seed)), device.cpu_may_write(client, number(&mut seed)));
        }
        clients.into_iter().for_each(|client| device.close(client, &mut world));
        let _ = submissions;
    }
}
