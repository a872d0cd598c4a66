//! The device and its clients, one for each open file description of the node.

use crate::device::host::{Descriptor, Errno, Host};
use crate::device::info::{self, Usage};
use crate::device::submit::{self, Submission};
use crate::device::syncobj::{Syncobj, Wait};
use crate::device::vm::{Mapped, PAGE, Refused, Vm};
use libc::{EFAULT, EINVAL, ENOENT, ENOMEM, ENOSPC, ETIME};
use pm4::chip::DeviceFacts;
use pm4_uapi as u;
use std::collections::{BTreeMap, BTreeSet};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The most handles of one kind per client, so that a hostile client cannot exhaust memory.
const MOST_HANDLES: usize = 1 << 18;

/// Buffers are consecutive in a sparse file of this size in bytes, the store.
pub const STORE: u64 = 1 << 46;

/// Size of the largest buffer in bytes.
const MOST_BYTES: u64 = 1 << 40;

/// The most syncobjs in one call.
const MOST_WAITS: u32 = 1 << 16;

/// The result of an ioctl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Done,
    /// It failed.
    Failed(Errno),
    /// It waits.
    Waits(Wait),
    /// It succeeded, and an eventfd of the program must be signalled when a wait has ended, which may be now.
    Notifies(i32, Wait),
    /// It submits work, which must run before the ioctl returns.
    Submits(Submission),
    /// The device does not support the ioctl or this query: it fails with EINVAL, and the report mentions it.
    Unknown(String),
}

impl From<Result<(), Errno>> for Outcome {
    fn from(result: Result<(), Errno>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Done)
    }
}

/// The location of a buffer's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// In the store, at this offset in bytes.
    Store(u64),
    /// In the memory of the program, at this address.
    Program(u64),
}

#[derive(Debug, Clone)]
struct Buffer {
    backing: Backing,
    bytes: u64,
    create: u::GemCreate,
    metadata: u::MetadataBody,
    /// Number of handles and descriptors that refer to it.
    users: u32,
    /// Whether the program has asked for its mmap offset.
    cpu: bool,
}

/// The object of a shared descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shared {
    Buffer(u64),
    Syncobj(u64),
}

/// Handles of one kind; the lowest free number is assigned first.
#[derive(Debug, Default)]
struct Handles {
    keys: BTreeMap<u32, u64>,
    free: BTreeSet<u32>,
}

impl Handles {
    fn insert(&mut self, key: u64) -> Result<u32, Errno> {
        if self.keys.len() >= MOST_HANDLES {
            return Err(ENOMEM);
        }
        let handle = self.free.pop_first().unwrap_or(self.keys.len() as u32 + 1);
        self.keys.insert(handle, key);
        Ok(handle)
    }

    fn get(&self, handle: u32) -> Result<u64, Errno> {
        self.keys.get(&handle).copied().ok_or(ENOENT)
    }

    fn remove(&mut self, handle: u32) -> Result<u64, Errno> {
        let key = self.keys.remove(&handle).ok_or(ENOENT)?;
        self.free.insert(handle);
        Ok(key)
    }

    fn of(&self, key: u64) -> Option<u32> {
        self.keys.iter().find(|(_, of)| **of == key).map(|(handle, _)| *handle)
    }
}

/// An open file description of the device.
#[derive(Debug, Default)]
pub struct Client {
    buffers: Handles,
    syncobjs: Handles,
    contexts: Handles,
    lists: Handles,
    vm: Vm,
    sequence: u64,
}

/// The device.
#[derive(Debug)]
pub struct Device {
    facts: &'static DeviceFacts,
    buffers: BTreeMap<u64, Buffer>,
    syncobjs: BTreeMap<u64, Syncobj>,
    shared: BTreeMap<u64, Shared>,
    clients: BTreeMap<u64, Client>,
    /// The next key of a client, buffer or syncobj.
    next: u64,
    /// The offset in the store at which the next buffer begins.
    end: u64,
    usage: Usage,
}

/// Reads the structure of an ioctl from its bytes, of which there are as many as in the newest header.
fn take<T: FromBytes + IntoBytes + Immutable + KnownLayout>(arg: &[u8]) -> Result<T, Errno> {
    T::read_from_prefix(arg).map(|(value, _)| value).map_err(|_| EINVAL)
}

fn put<T: IntoBytes + Immutable>(arg: &mut [u8], value: &T) -> Result<(), Errno> {
    value.write_to_prefix(arg).map_err(|_| EINVAL)
}

fn errno(refused: Refused) -> Errno {
    match refused {
        Refused::Invalid => EINVAL,
        Refused::Full => ENOMEM,
        Refused::NotThere => ENOENT,
    }
}

impl Device {
    /// Creates a device without clients.
    pub fn new(facts: &'static DeviceFacts) -> Self {
        let (buffers, syncobjs) = (BTreeMap::new(), BTreeMap::new());
        Self { facts, buffers, syncobjs, shared: BTreeMap::new(), clients: BTreeMap::new(), next: 1, end: PAGE, usage: Usage::default() }
    }

    /// Returns the facts of its chip.
    pub fn facts(&self) -> &'static DeviceFacts {
        self.facts
    }

    fn key(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Opens the node; returns the client ID.
    pub fn open(&mut self) -> u64 {
        let key = self.key();
        self.clients.insert(key, Client::default());
        key
    }

    /// Closes a client after its last descriptor is gone, and frees everything that it held.
    pub fn close(&mut self, client: u64, host: &mut dyn Host) {
        let Some(client) = self.clients.remove(&client) else { return };
        client.buffers.keys.values().for_each(|key| self.drop_buffer(*key, host));
        client.syncobjs.keys.values().for_each(|key| self.drop_syncobj(*key));
    }

    /// Returns the IDs of all clients.
    pub fn clients(&self) -> impl Iterator<Item = u64> {
        self.clients.keys().copied()
    }

    /// Returns the number of buffers, for tests of what is left.
    pub fn buffers(&self) -> usize {
        self.buffers.len()
    }

    /// Returns the backing of an address of a client (None for PRT, which reads as 0), and how many bytes of it follow.
    pub fn lookup(&self, client: u64, va: u64) -> Option<(Option<Backing>, u64)> {
        let Mapped { buffer, offset, bytes } = self.clients.get(&client)?.vm.find(va)?;
        let Some(buffer) = buffer else { return Some((None, bytes)) };
        let buffer = self.buffers.get(&buffer)?;
        let bytes = bytes.min(buffer.bytes.saturating_sub(offset));
        let backing = match buffer.backing {
            Backing::Store(at) => Backing::Store(at + offset),
            Backing::Program(at) => Backing::Program(at.checked_add(offset)?),
        };
        (bytes > 0).then_some((Some(backing), bytes))
    }

    /// Returns the mapped ranges of a client by address: start, end, and whether the program itself may write there.
    pub fn ranges(&self, client: u64) -> Vec<(u64, u64, bool)> {
        let mut ranges: Vec<(u64, u64, bool)> = Vec::new();
        for (start, mapping) in self.clients.get(&client).into_iter().flat_map(|client| client.vm.mappings()) {
            let cpu = mapping.buffer.and_then(|buffer| self.buffers.get(&buffer)).is_some_and(|buffer| buffer.cpu);
            match ranges.last_mut() {
                Some((_, end, same)) if *end == start && *same == cpu => *end = mapping.end,
                _ => ranges.push((start, mapping.end, cpu)),
            }
        }
        ranges
    }

    /// Returns whether the program itself may write memory at an address.
    pub fn cpu_may_write(&self, client: u64, va: u64) -> bool {
        let mapped = self.clients.get(&client).and_then(|client| client.vm.find(va));
        mapped.and_then(|mapped| self.buffers.get(&mapped.buffer?)).is_some_and(|buffer| buffer.cpu)
    }

    fn drop_buffer(&mut self, key: u64, host: &mut dyn Host) {
        let Some(buffer) = self.buffers.get_mut(&key) else { return };
        buffer.users -= 1;
        if buffer.users > 0 {
            return;
        }
        let Some(buffer) = self.buffers.remove(&key) else { return };
        if let Backing::Store(at) = buffer.backing {
            host.free(at, buffer.bytes);
        }
        *self.used(buffer.create.domains) -= buffer.bytes;
    }

    fn used(&mut self, domains: u64) -> &mut u64 {
        if domains & u::domain::VRAM != 0 { &mut self.usage.vram } else { &mut self.usage.gtt }
    }

    fn drop_syncobj(&mut self, key: u64) {
        let Some(object) = self.syncobjs.get_mut(&key) else { return };
        object.users -= 1;
        if object.users == 0 {
            self.syncobjs.remove(&key);
        }
    }

    /// Returns the result index of a wait if it has ended.
    pub fn ended(&self, wait: &Wait) -> Option<u32> {
        wait.ended(&self.syncobjs)
    }

    /// Answers an ioctl. `arg` contains the bytes of its structure, as many as [`size_of_ioctl`](u::size_of_ioctl) returns, and receives the answer.
    pub fn ioctl(&mut self, client: u64, nr: u8, arg: &mut [u8], host: &mut dyn Host) -> Outcome {
        match nr {
            u::CS => self.submit(client, arg, host).map_or_else(Outcome::Failed, Outcome::Submits),
            u::INFO => self.info(arg, host),
            u::SYNCOBJ_WAIT | u::SYNCOBJ_TIMELINE_WAIT => self.wait(client, nr, arg, host).unwrap_or_else(Outcome::Failed),
            u::SYNCOBJ_EVENTFD => self.eventfd(client, arg).unwrap_or_else(Outcome::Failed),
            u::USERQ => Outcome::Unknown("user queues (AMDGPU_USERQ): refused, as by older kernels".into()),
            _ => match self.plain(client, nr, arg, host) {
                Some(result) => result.into(),
                None => Outcome::Unknown(match u::name_of_ioctl(nr) {
                    Some(name) => format!("ioctl {name} in this form"),
                    None => format!("ioctl 0x{nr:02x}"),
                }),
            },
        }
    }

    fn client(&mut self, client: u64) -> Result<&mut Client, Errno> {
        self.clients.get_mut(&client).ok_or(libc::EBADF)
    }

    /// Answers ioctls that complete at once; None if the device does not support the ioctl.
    fn plain(&mut self, client: u64, nr: u8, arg: &mut [u8], host: &mut dyn Host) -> Option<Result<(), Errno>> {
        Some(match nr {
            u::VERSION => version(arg, host),
            u::GET_UNIQUE => take::<u::Unique>(arg).and_then(|unique| put(arg, &u::Unique { len: 0, ..unique })),
            u::GET_CLIENT => take::<u::ClientInfo>(arg).and_then(|info| put(arg, &u::ClientInfo { auth: 1, magic: 0, iocs: 0, ..info })),
            u::GET_CAP => capability(arg),
            u::SET_CLIENT_CAP => Err(EINVAL),
            u::GEM_CLOSE => self.gem_close(client, arg, host),
            u::PRIME_HANDLE_TO_FD => self.export_buffer(client, arg, host),
            u::PRIME_FD_TO_HANDLE => self.import_buffer(client, arg, host),
            u::GEM_CREATE => self.gem_create(client, arg),
            u::GEM_USERPTR => self.userptr(client, arg),
            u::GEM_MMAP => self.gem_mmap(client, arg),
            u::GEM_METADATA => self.metadata(client, arg),
            u::GEM_WAIT_IDLE => self.buffer_key(client, arg).and_then(|_| put(arg, &[0u32, 0])),
            u::GEM_VA => self.gem_va(client, arg),
            u::GEM_OP => return self.gem_op(client, arg, host),
            u::CTX => return self.context(client, arg),
            u::BO_LIST => self.bo_list(client, arg),
            u::WAIT_CS => put(arg, &0u64),
            u::WAIT_FENCES => put(arg, &[1u32, 0]),
            u::VM => put(arg, &0u64),
            u::SCHED => Ok(()),
            u::FENCE_TO_HANDLE => self.fence_to_handle(client, arg, host),
            u::SYNCOBJ_CREATE => self.syncobj_create(client, arg),
            u::SYNCOBJ_DESTROY => self.syncobj_destroy(client, arg),
            u::SYNCOBJ_HANDLE_TO_FD => self.export_syncobj(client, arg, host),
            u::SYNCOBJ_FD_TO_HANDLE => self.import_syncobj(client, arg, host),
            u::SYNCOBJ_RESET => self.each_syncobj(client, arg, host, |object| (object.fence, object.point) = (false, 0)),
            u::SYNCOBJ_SIGNAL => self.each_syncobj(client, arg, host, |object| object.signal(0)),
            u::SYNCOBJ_TIMELINE_SIGNAL => self.timeline_signal(client, arg, host),
            u::SYNCOBJ_QUERY => self.query(client, arg, host),
            u::SYNCOBJ_TRANSFER => self.transfer(client, arg),
            _ => return None,
        })
    }

    fn info(&mut self, arg: &[u8], host: &mut dyn Host) -> Outcome {
        let Ok(u::Info { pointer, size, query, arg }) = take::<u::Info>(arg) else { return Outcome::Failed(EINVAL) };
        let Some(answer) = info::answer(self.facts, query, arg, self.usage, host.now()) else {
            return Outcome::Unknown(format!("query 0x{query:02x} of AMDGPU_INFO with 0x{:x}, 0x{:x}", arg[0], arg[1]));
        };
        host.write(pointer, &answer[..answer.len().min(size as usize)]).into()
    }

    fn gem_create(&mut self, client: u64, arg: &mut [u8]) -> Result<(), Errno> {
        let mut create: u::GemCreate = take(arg)?;
        let bytes = create.size.max(1).checked_next_multiple_of(PAGE).filter(|bytes| *bytes <= MOST_BYTES).ok_or(ENOMEM)?;
        create.size = bytes;
        // The space after a buffer in the store belongs to no other buffer.
        let end = self.end.checked_add(bytes + PAGE).filter(|end| *end <= STORE).ok_or(ENOMEM)?;
        let handle = self.add_buffer(client, Backing::Store(self.end), bytes, create)?;
        self.end = end;
        put(arg, &[handle, 0])
    }

    fn add_buffer(&mut self, client: u64, backing: Backing, bytes: u64, create: u::GemCreate) -> Result<u32, Errno> {
        let key = self.key();
        let handle = self.client(client)?.buffers.insert(key)?;
        let metadata = u::MetadataBody::default();
        self.buffers.insert(key, Buffer { backing, bytes, create, metadata, users: 1, cpu: matches!(backing, Backing::Program(_)) });
        *self.used(create.domains) += bytes;
        Ok(handle)
    }

    fn userptr(&mut self, client: u64, arg: &mut [u8]) -> Result<(), Errno> {
        let mut userptr: u::Userptr = take(arg)?;
        let end = userptr.addr.checked_add(userptr.size);
        if userptr.size == 0 || userptr.size > MOST_BYTES || !(userptr.addr | userptr.size).is_multiple_of(PAGE) || end.is_none() {
            return Err(EINVAL);
        }
        let create = u::GemCreate { size: userptr.size, alignment: 0, domains: u::domain::GTT, flags: 0 };
        userptr.handle = self.add_buffer(client, Backing::Program(userptr.addr), userptr.size, create)?;
        put(arg, &userptr)
    }

    /// Returns the key of the buffer whose handle is the first word.
    fn buffer_key(&mut self, client: u64, arg: &[u8]) -> Result<u64, Errno> {
        let u::Handle { handle, .. } = take(arg)?;
        self.client(client)?.buffers.get(handle)
    }

    fn gem_close(&mut self, client: u64, arg: &[u8], host: &mut dyn Host) -> Result<(), Errno> {
        let u::Handle { handle, .. } = take(arg)?;
        let owner = self.client(client)?;
        let key = owner.buffers.remove(handle).map_err(|_| EINVAL)?;
        owner.vm.forget(key);
        self.drop_buffer(key, host);
        Ok(())
    }

    fn gem_mmap(&mut self, client: u64, arg: &mut [u8]) -> Result<(), Errno> {
        let key = self.buffer_key(client, arg)?;
        let buffer = self.buffers.get_mut(&key).ok_or(ENOENT)?;
        let Backing::Store(at) = buffer.backing else { return Err(libc::EPERM) };
        buffer.cpu = true;
        put(arg, &at)
    }

    fn metadata(&mut self, client: u64, arg: &mut [u8]) -> Result<(), Errno> {
        let key = self.buffer_key(client, arg)?;
        let mut metadata: u::Metadata = take(arg)?;
        let buffer = self.buffers.get_mut(&key).ok_or(ENOENT)?;
        match metadata.op {
            1 if metadata.data.size > 256 => Err(EINVAL),
            1 => {
                buffer.metadata = metadata.data;
                Ok(())
            }
            2 => {
                metadata.data = buffer.metadata;
                put(arg, &metadata)
            }
            _ => Err(EINVAL),
        }
    }

    fn gem_op(&mut self, client: u64, arg: &[u8], host: &mut dyn Host) -> Option<Result<(), Errno>> {
        let op: u::GemOp = take(arg).ok()?;
        let buffer = match self.buffer_key(client, arg) {
            Ok(key) => self.buffers.get_mut(&key)?,
            Err(errno) => return Some(Err(errno)),
        };
        match op.op {
            // GET_GEM_CREATE_INFO, SET_PLACEMENT
            0 => Some(host.write(op.value, buffer.create.as_bytes())),
            1 => Some(Ok(())),
            _ => None,
        }
    }

    fn gem_va(&mut self, client: u64, arg: &[u8]) -> Result<(), Errno> {
        let va: u::GemVa = take(arg)?;
        let key = if va.handle == 0 && va.flags & u::page::PRT != 0 || va.operation == u::va::CLEAR {
            None
        } else {
            Some(self.client(client)?.buffers.get(va.handle)?)
        };
        let bytes = key.and_then(|key| self.buffers.get(&key)).map(|buffer| buffer.bytes);
        let fits = bytes.is_none_or(|bytes| va.offset.checked_add(va.size).is_some_and(|end| end <= bytes) && va.offset.is_multiple_of(PAGE));
        if matches!(va.operation, u::va::MAP | u::va::REPLACE) && !fits {
            return Err(EINVAL);
        }
        // Addresses without memory have no offset.
        let offset = if key.is_some() { va.offset } else { 0 };
        let vm = &mut self.client(client)?.vm;
        match va.operation {
            u::va::MAP => vm.map(va.va, va.size, key, offset),
            u::va::UNMAP => vm.unmap(va.va, key),
            u::va::CLEAR => vm.clear(va.va, va.size),
            u::va::REPLACE => vm.clear(va.va, va.size).and_then(|()| vm.map(va.va, va.size, key, offset)),
            _ => Err(Refused::Invalid),
        }
        .map_err(errno)?;
        if va.syncobj_out != 0 {
            self.syncobj(client, va.syncobj_out)?.signal(va.point);
        }
        Ok(())
    }

    fn context(&mut self, client: u64, arg: &mut [u8]) -> Option<Result<(), Errno>> {
        let context: u::Context = take(arg).ok()?;
        let client = match self.client(client) {
            Ok(client) => client,
            Err(errno) => return Some(Err(errno)),
        };
        match context.op {
            u::context::ALLOC => Some(client.contexts.insert(0).and_then(|id| put(arg, &[id, 0, 0, 0]))),
            u::context::FREE => Some(client.contexts.remove(context.id).map_err(|_| EINVAL).and_then(|_| put(arg, &[0u32; 4]))),
            // There is no reset, no hang and no profile.
            u::context::QUERY_STATE..=u::context::SET_STABLE_PSTATE => {
                Some(client.contexts.get(context.id).map_err(|_| EINVAL).and_then(|_| put(arg, &[0u32; 4])))
            }
            _ => None,
        }
    }

    fn bo_list(&mut self, client: u64, arg: &mut [u8]) -> Result<(), Errno> {
        let list: u::BoList = take(arg)?;
        let lists = &mut self.client(client)?.lists;
        match list.operation {
            0 => lists.insert(0).and_then(|handle| put(arg, &[handle, 0])),
            1 => lists.remove(list.handle).map(|_| ()),
            2 => lists.get(list.handle).map(|_| ()),
            _ => Err(EINVAL),
        }
    }

    fn export_buffer(&mut self, client: u64, arg: &mut [u8], host: &mut dyn Host) -> Result<(), Errno> {
        let mut prime: u::Prime = take(arg)?;
        let key = self.client(client)?.buffers.get(prime.handle)?;
        let bytes = self.buffers.get(&key).ok_or(ENOENT)?.bytes;
        let (fd, identity) = host.give(Descriptor::Shared(bytes))?;
        self.share(identity, Shared::Buffer(key))?;
        if let Some(buffer) = self.buffers.get_mut(&key) {
            buffer.users += 1;
        }
        prime.fd = fd;
        put(arg, &prime)
    }

    fn share(&mut self, identity: u64, shared: Shared) -> Result<(), Errno> {
        if self.shared.len() >= MOST_HANDLES {
            return Err(ENOSPC);
        }
        self.shared.insert(identity, shared);
        Ok(())
    }

    /// Forgets a shared object whose descriptors are all gone.
    pub fn forget(&mut self, identity: u64, host: &mut dyn Host) {
        match self.shared.remove(&identity) {
            Some(Shared::Buffer(key)) => self.drop_buffer(key, host),
            Some(Shared::Syncobj(key)) => self.drop_syncobj(key),
            None => {}
        }
    }

    fn import_buffer(&mut self, client: u64, arg: &mut [u8], host: &mut dyn Host) -> Result<(), Errno> {
        let mut prime: u::Prime = take(arg)?;
        let shared = host.identity(prime.fd).and_then(|identity| self.shared.get(&identity).copied());
        let Some(Shared::Buffer(key)) = shared else { return Err(EINVAL) };
        let buffers = &mut self.client(client)?.buffers;
        // A buffer has at most one handle per client.
        prime.handle = match buffers.of(key) {
            Some(handle) => handle,
            None => {
                let handle = buffers.insert(key)?;
                self.buffers.get_mut(&key).ok_or(ENOENT)?.users += 1;
                handle
            }
        };
        put(arg, &prime)
    }

    fn syncobj(&mut self, client: u64, handle: u32) -> Result<&mut Syncobj, Errno> {
        let key = self.client(client)?.syncobjs.get(handle)?;
        self.syncobjs.get_mut(&key).ok_or(ENOENT)
    }

    fn new_syncobj(&mut self, client: u64, fence: bool) -> Result<u32, Errno> {
        let key = self.key();
        let handle = self.client(client)?.syncobjs.insert(key)?;
        self.syncobjs.insert(key, Syncobj { fence, point: 0, users: 1 });
        Ok(handle)
    }

    fn syncobj_create(&mut self, client: u64, arg: &mut [u8]) -> Result<(), Errno> {
        let mut create: u::SyncobjCreate = take(arg)?;
        create.handle = self.new_syncobj(client, create.flags & 1 == 1)?;
        put(arg, &create)
    }

    fn syncobj_destroy(&mut self, client: u64, arg: &[u8]) -> Result<(), Errno> {
        let u::Handle { handle, .. } = take(arg)?;
        let key = self.client(client)?.syncobjs.remove(handle).map_err(|_| EINVAL)?;
        self.drop_syncobj(key);
        Ok(())
    }

    fn export_syncobj(&mut self, client: u64, arg: &mut [u8], host: &mut dyn Host) -> Result<(), Errno> {
        let mut call: u::SyncobjHandle = take(arg)?;
        let key = self.client(client)?.syncobjs.get(call.handle)?;
        let object = self.syncobjs.get(&key).ok_or(ENOENT)?;
        if call.flags & 1 == 1 {
            if !object.has(call.point) {
                return Err(EINVAL);
            }
            call.fd = host.give(Descriptor::SyncFile)?.0;
        } else {
            let (fd, identity) = host.give(Descriptor::Shared(0))?;
            self.share(identity, Shared::Syncobj(key))?;
            self.syncobjs.get_mut(&key).ok_or(ENOENT)?.users += 1;
            call.fd = fd;
        }
        put(arg, &call)
    }

    fn import_syncobj(&mut self, client: u64, arg: &mut [u8], host: &mut dyn Host) -> Result<(), Errno> {
        let mut call: u::SyncobjHandle = take(arg)?;
        if call.flags & 1 == 1 {
            // The fences of a sync file are always signalled.
            self.syncobj(client, call.handle)?.signal(call.point);
            return Ok(());
        }
        let shared = host.identity(call.fd).and_then(|identity| self.shared.get(&identity).copied());
        let Some(Shared::Syncobj(key)) = shared else { return Err(EINVAL) };
        call.handle = self.client(client)?.syncobjs.insert(key)?;
        self.syncobjs.get_mut(&key).ok_or(ENOENT)?.users += 1;
        put(arg, &call)
    }

    /// Registers an eventfd to be signalled with a point.
    fn eventfd(&mut self, client: u64, arg: &[u8]) -> Result<Outcome, Errno> {
        const AVAILABLE: u32 = 4;
        let call: u::SyncobjEventfd = take(arg)?;
        if call.flags & !AVAILABLE != 0 || call.pad != 0 {
            return Err(EINVAL);
        }
        let key = self.client(client)?.syncobjs.get(call.handle)?;
        Ok(Outcome::Notifies(call.fd, Wait { objects: vec![(key, call.point)], all: true, until: u64::MAX, first_at: 0 }))
    }

    fn fence_to_handle(&mut self, client: u64, arg: &mut [u8], host: &mut dyn Host) -> Result<(), Errno> {
        let mut call: u::FenceToHandle = take(arg)?;
        call.context = match call.what {
            0 => self.new_syncobj(client, true)?,
            1 => {
                let handle = self.new_syncobj(client, true)?;
                // Only the descriptor refers to it.
                let key = self.client(client)?.syncobjs.remove(handle)?;
                let given = host.give(Descriptor::Shared(0)).and_then(|(fd, identity)| self.share(identity, Shared::Syncobj(key)).map(|()| fd));
                if given.is_err() {
                    self.drop_syncobj(key);
                }
                given? as u32
            }
            2 => host.give(Descriptor::SyncFile)?.0 as u32,
            _ => return Err(EINVAL),
        };
        put(arg, &call)
    }

    fn each_syncobj(&mut self, client: u64, arg: &[u8], host: &mut dyn Host, act: impl Fn(&mut Syncobj)) -> Result<(), Errno> {
        let array: u::SyncobjArray = take(arg)?;
        let handles: Vec<u32> = list(array.handles, array.count, host)?;
        if handles.is_empty() {
            return Err(EINVAL);
        }
        handles.into_iter().try_for_each(|handle| self.syncobj(client, handle).map(&act))
    }

    fn timeline_signal(&mut self, client: u64, arg: &[u8], host: &mut dyn Host) -> Result<(), Errno> {
        let array: u::TimelineArray = take(arg)?;
        let (handles, points): (Vec<u32>, Vec<u64>) = (list(array.handles, array.count, host)?, list(array.points, array.count, host)?);
        handles.into_iter().zip(points).try_for_each(|(handle, point)| self.syncobj(client, handle).map(|object| object.signal(point)))
    }

    fn query(&mut self, client: u64, arg: &[u8], host: &mut dyn Host) -> Result<(), Errno> {
        let array: u::TimelineArray = take(arg)?;
        let handles: Vec<u32> = list(array.handles, array.count, host)?;
        let points = handles.into_iter().map(|handle| self.syncobj(client, handle).map(|object| object.point)).collect::<Result<Vec<u64>, _>>()?;
        host.write(array.points, points.as_bytes())
    }

    fn transfer(&mut self, client: u64, arg: &[u8]) -> Result<(), Errno> {
        let call: u::Transfer = take(arg)?;
        if !self.syncobj(client, call.src)?.has(call.src_point) {
            return Err(EINVAL);
        }
        self.syncobj(client, call.dst)?.signal(call.dst_point);
        Ok(())
    }

    fn wait(&mut self, client: u64, nr: u8, arg: &mut [u8], host: &mut dyn Host) -> Result<Outcome, Errno> {
        let timeline = nr == u::SYNCOBJ_TIMELINE_WAIT;
        let (handles, points, timeout, count, flags, first_at) = match timeline {
            true => {
                let wait: u::TimelineWait = take(arg)?;
                (wait.handles, list(wait.points, wait.count, host)?, wait.timeout, wait.count, wait.flags, std::mem::offset_of!(u::TimelineWait, first))
            }
            false => {
                let wait: u::SyncobjWait = take(arg)?;
                (wait.handles, Vec::new(), wait.timeout, wait.count, wait.flags, std::mem::offset_of!(u::SyncobjWait, first))
            }
        };
        let handles: Vec<u32> = list(handles, count, host)?;
        let owner = self.client(client)?;
        let keys = handles.iter().map(|handle| owner.syncobjs.get(*handle)).collect::<Result<Vec<u64>, _>>()?;
        let objects: Vec<(u64, u64)> = keys.into_iter().zip(points.into_iter().chain(std::iter::repeat(0))).collect();
        let wait = Wait { all: flags & u::wait::ALL != 0, until: u64::try_from(timeout).unwrap_or(0), first_at, objects };
        if let Some(first) = self.ended(&wait) {
            put(&mut arg[first_at..], &first)?;
            return Ok(Outcome::Done);
        }
        // Nothing has been submitted that could signal it.
        if flags & u::wait::FOR_SUBMIT == 0 && !timeline {
            return Err(EINVAL);
        }
        if host.now() >= wait.until {
            return Err(ETIME);
        }
        Ok(Outcome::Waits(wait))
    }

    fn submit(&mut self, client: u64, arg: &mut [u8], host: &mut dyn Host) -> Result<Submission, Errno> {
        let cs: u::Cs = take(arg)?;
        self.client(client)?.contexts.get(cs.context).map_err(|_| EINVAL)?;
        let submission = submit::parse(&cs, host)?;
        // Everything that the call names must exist before it has any effect.
        let owner = self.client(client)?;
        submission.waits.iter().chain(submission.signals.iter().map(|(handle, _)| handle)).try_for_each(|handle| owner.syncobjs.get(*handle).map(|_| ()))?;
        let fence = submission.fence.map(|(handle, at)| owner.buffers.get(handle).map(|key| (key, at))).transpose()?;
        owner.sequence += 1;
        let sequence = owner.sequence;
        if let Some((key, at)) = fence {
            let buffer = self.buffers.get(&key).ok_or(ENOENT)?;
            let at = u64::from(at);
            if at + 8 > buffer.bytes {
                return Err(EINVAL);
            }
            match buffer.backing {
                Backing::Store(base) => host.store(base + at, &sequence.to_le_bytes()),
                Backing::Program(_) => return Err(EINVAL),
            }
        }
        for (handle, point) in &submission.signals {
            self.syncobj(client, *handle)?.signal(*point);
        }
        put(arg, &sequence)?;
        Ok(submission)
    }
}

/// Reads a list from the memory of the program.
fn list<T: FromBytes + IntoBytes + Default + Clone>(addr: u64, count: u32, host: &mut dyn Host) -> Result<Vec<T>, Errno> {
    if count > MOST_WAITS {
        return Err(EINVAL);
    }
    let mut items = vec![T::default(); count as usize];
    host.read(addr, items.as_mut_slice().as_mut_bytes())?;
    Ok(items)
}

fn version(arg: &mut [u8], host: &mut dyn Host) -> Result<(), Errno> {
    let mut version: u::Version = take(arg)?;
    let description = format!("AMD GPU {}: pm4 live", u::NO_SHADERS);
    (version.major, version.minor, version.patch) = (3, 61, 0);
    for (text, len, at) in [
        ("amdgpu", &mut version.name_len, version.name),
        ("20150101", &mut version.date_len, version.date),
        (&description, &mut version.desc_len, version.desc),
    ] {
        let room = usize::try_from(std::mem::replace(len, text.len() as u64)).unwrap_or(usize::MAX);
        if at != 0 && room > 0 {
            host.write(at, &text.as_bytes()[..text.len().min(room)]).map_err(|_| EFAULT)?;
        }
    }
    put(arg, &version)
}

fn capability(arg: &mut [u8]) -> Result<(), Errno> {
    let mut cap: u::Cap = take(arg)?;
    cap.value = match cap.capability {
        // PRIME: import and export.
        5 => 3,
        // TIMESTAMP_MONOTONIC, ADDFB2_MODIFIERS, SYNCOBJ, SYNCOBJ_TIMELINE
        6 | 0x10 | 0x13 | 0x14 => 1,
        // The answers of a device without displays: DUMB_BUFFER and the like.
        _ => 0,
    };
    put(arg, &cap)
}
