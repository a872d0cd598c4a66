//! Stands between a program and the kernel: answers system calls that concern the device, and lets all others continue.

use crate::device::core::{Backing, Device, Outcome, STORE};
use crate::device::host::{Descriptor, Errno, Host};
use crate::device::submit::Submission;
use crate::device::syncobj::Wait;
use crate::exports::{self, Exports};
use crate::guard;
use crate::judge::{self, View};
use crate::report::Report;
use crate::sys::{self, Answer, Call};
use crate::tree::{Found, MINOR, Node, Tree};
use libc::{EACCES, EBADF, EFAULT, EINVAL, ENOENT, ENOTDIR, ETIME};
use nix::errno::Errno as SysErrno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{Pid, Whence, lseek};
use pm4::chip::DeviceFacts;
use pm4::cp::CommandProcessor;
use pm4::input::RecordingWriter;
use pm4_uapi as uapi;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use zerocopy::IntoBytes as _;
use zerocopy_derive::{Immutable, IntoBytes};

/// The most threads whose descriptors are kept.
const MOST_THREADS: usize = 1024;

/// The most waiting eventfds.
const MOST_NOTIFIED: usize = 1024;

/// The longest path.
const PATH_MAX: usize = 4096;

/// Environment variables that would hide the device or replace it.
const UNSET: [&str; 5] = ["AMD_FORCE_FAMILY", "RADV_FORCE_FAMILY", "DRI_PRIME", "MESA_VK_DEVICE_SELECT", "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE"];

/// Options of a run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether submissions are executed.
    pub check: bool,
    /// Whether findings of severity info are reported.
    pub infos: bool,
    /// The process that waits for the supervisor; when it is gone, the run ends.
    pub waiter: Pid,
}

/// A thread that has made system calls.
#[derive(Debug)]
struct Thread {
    fd: OwnedFd,
    process: i32,
}

/// A waiting call.
#[derive(Debug)]
struct Waiting {
    call: Call,
    process: i32,
    wait: Wait,
}

/// The meaning of a descriptor of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An open node of the device, with its client.
    Device(u64),
    /// A file or folder of the tree, by index.
    Tree(usize),
    /// An exported buffer or syncobj.
    Shared,
    Foreign,
}

struct Supervisor<'r> {
    listener: OwnedFd,
    device: Device,
    tree: Tree,
    /// The store: the memory of buffers, and the device file that programs see.
    store: File,
    store_inode: u64,
    /// Files of the tree, by index.
    files: BTreeMap<usize, (File, u64)>,
    places: BTreeMap<u64, usize>,
    shared: Exports,
    threads: BTreeMap<i32, Thread>,
    waiting: Vec<Waiting>,
    /// Eventfds of programs to signal when a wait has ended.
    notified: Vec<(Wait, File)>,
    options: Options,
    recording: Option<RecordingWriter<File>>,
    /// The model for the next submission; what its rules have learned is worth keeping.
    model: Option<CommandProcessor<'static>>,
    report: &'r mut Report,
}

/// Runs a program and the programs that it starts to their end, and returns the exit status.
///
/// # Errors
/// Returns a message for the user if the program cannot be started or the system refuses what is needed.
pub fn run(
    facts: &'static DeviceFacts,
    program: &[OsString],
    options: Options,
    recording: Option<RecordingWriter<File>>,
    report: &mut Report,
) -> Result<u8, String> {
    let [name, arguments @ ..] = program else { return Err("no program is given".into()) };
    let store = memfd("amdgpu", STORE).map_err(failed("the memory of the device cannot be created"))?;
    let store_inode = store.metadata().map_err(failed("the memory of the device"))?.ino();
    let tree = Tree::new(facts);
    let (mut files, mut places) = (BTreeMap::new(), BTreeMap::new());
    for (place, (_, node)) in tree.nodes().iter().enumerate() {
        let text = match node {
            Node::File(text) => text.as_str(),
            Node::Folder(_) => "",
            Node::Link(_) | Node::Device => continue,
        };
        let make = || {
            let mut file = memfd("amdgpu-file", 0)?;
            file.write_all(text.as_bytes())?;
            let inode = file.metadata()?.ino();
            Ok((file, inode))
        };
        let (file, inode) = make().map_err(failed("a file of the device cannot be created"))?;
        places.insert(inode, place);
        files.insert(place, (file, inode));
    }
    let mut command = Command::new(name);
    command.args(arguments).env("MESA_SHADER_CACHE_DISABLE", "true");
    UNSET.iter().for_each(|variable| _ = command.env_remove(variable));
    guard::hide(&mut command);
    sys::ignore_interrupts();
    let (mut child, listener) = sys::spawn(&mut command).map_err(|error| match error.raw_os_error() {
        Some(libc::ENOENT | libc::EACCES | libc::ENOEXEC) => format!("{} cannot be started: {error}", name.to_string_lossy()),
        _ => format!("{} cannot be supervised: {error}; Linux 5.9 or later with seccomp user notification is required", name.to_string_lossy()),
    })?;
    let (shared, threads, waiting, notified) = Default::default();
    let device = Device::new(facts);
    let mut supervisor =
        Supervisor { listener, device, tree, store, store_inode, files, places, shared, threads, waiting, notified, options, recording, model: None, report };
    let mut status = None;
    loop {
        let ended = supervisor.turn().map_err(failed("system calls of the program cannot be read"))?;
        // Until its status is read, an ended process counts as running (before Linux 6.11).
        if status.is_none() {
            status = child.try_wait().map_err(failed("the program"))?;
        }
        if ended {
            break;
        }
        if guard::is_alone(options.waiter) {
            guard::end_all();
            status.get_or_insert(ExitStatus::from_raw(libc::SIGKILL));
            break;
        }
    }
    if let Some(recording) = supervisor.recording.take() {
        recording.finish().map_err(failed("the recording cannot be finished"))?;
    }
    let status = match status {
        Some(status) => status,
        None => child.wait().map_err(failed("the program"))?,
    };
    Ok(status.code().unwrap_or(128 + status.signal().unwrap_or(0)) as u8)
}

fn memfd(name: &str, bytes: u64) -> io::Result<File> {
    let file = File::from(memfd_create(name, MFdFlags::MFD_CLOEXEC)?);
    file.set_len(bytes)?;
    Ok(file)
}

/// Returns a function that prefixes an error with what failed.
fn failed(what: &str) -> impl Fn(io::Error) -> String + '_ {
    move |error| format!("{what}: {error}")
}

/// Opens a file that has no path again, with a position of its own.
fn reopen(file: &File, write: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(write).open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Returns CLOCK_MONOTONIC in nanoseconds.
fn now() -> u64 {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}

/// Reads memory of a process completely, or fails.
fn read_program(process: i32, addr: u64, bytes: &mut [u8]) -> Result<(), Errno> {
    let len = bytes.len();
    if len == 0 {
        return Ok(());
    }
    let read = process_vm_readv(Pid::from_raw(process), &mut [IoSliceMut::new(bytes)], &[RemoteIoVec { base: addr as usize, len }]);
    if read == Ok(len) { Ok(()) } else { Err(EFAULT) }
}

/// Writes memory of a process completely, or fails.
fn write_program(process: i32, addr: u64, bytes: &[u8]) -> Result<(), Errno> {
    let len = bytes.len();
    if len == 0 {
        return Ok(());
    }
    let written = process_vm_writev(Pid::from_raw(process), &[IoSlice::new(bytes)], &[RemoteIoVec { base: addr as usize, len }]);
    if written == Ok(len) { Ok(()) } else { Err(EFAULT) }
}

/// Reads a string from the memory of a process.
fn read_path(process: i32, addr: u64) -> Option<String> {
    let mut path = Vec::new();
    let mut at = addr;
    while path.len() < PATH_MAX {
        // At most up to the end of a page: the next page may not be mapped.
        let mut piece = [0; 256];
        let len = piece.len().min(4096 - (at % 4096) as usize);
        read_program(process, at, &mut piece[..len]).ok()?;
        if let Some(end) = piece[..len].iter().position(|byte| *byte == 0) {
            path.extend_from_slice(&piece[..end]);
            return String::from_utf8(path).ok();
        }
        path.extend_from_slice(&piece[..len]);
        at = at.checked_add(len as u64)?;
    }
    None
}

/// The environment of the device during one call.
struct Caller<'s> {
    listener: &'s OwnedFd,
    store: &'s File,
    shared: &'s mut Exports,
    /// The calling thread; None when a client is closed whose program is gone.
    thread: Option<&'s OwnedFd>,
    process: i32,
    id: u64,
}

impl Host for Caller<'_> {
    fn read(&mut self, addr: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        read_program(self.process, addr, bytes)
    }

    fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Errno> {
        write_program(self.process, addr, bytes)
    }

    fn load(&mut self, offset: u64, bytes: &mut [u8]) {
        let _ = self.store.read_exact_at(bytes, offset);
    }

    fn store(&mut self, offset: u64, bytes: &[u8]) {
        let _ = self.store.write_all_at(bytes, offset);
    }

    fn free(&mut self, offset: u64, bytes: u64) {
        free(self.store, offset, bytes);
    }

    fn give(&mut self, descriptor: Descriptor) -> Result<(i32, u64), Errno> {
        let (fd, identity) = match descriptor {
            Descriptor::SyncFile => (sync_file()?, 0),
            Descriptor::Shared(bytes) => {
                let make = || {
                    let file = memfd("amdgpu-shared", bytes)?;
                    let (other, inode) = (reopen(&file, true)?, file.metadata()?.ino());
                    io::Result::Ok((file, other, inode))
                };
                let (file, other, inode) = make().map_err(errno)?;
                exports::take_lock(&file, 0)?;
                self.shared.add(inode, other);
                (OwnedFd::from(file), inode)
            }
        };
        let number = sys::give(self.listener.as_fd(), self.id, fd.as_fd(), true).map_err(|errno| errno as i32)?;
        Ok((number, identity))
    }

    fn identity(&mut self, fd: i32) -> Option<u64> {
        let file = File::from(sys::copy_of(self.thread?.as_fd(), fd).ok()?);
        let inode = file.metadata().ok()?.ino();
        self.shared.has(inode).then_some(inode)
    }

    fn now(&mut self) -> u64 {
        now()
    }
}

fn errno(error: io::Error) -> Errno {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Returns memory of the store to the system.
fn free(store: &File, offset: u64, bytes: u64) {
    use nix::fcntl::{FallocateFlags, fallocate};
    let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
    let _ = fallocate(store, flags, offset as i64, bytes as i64);
}

/// Creates a sync file with signalled fences: it polls as readable.
fn sync_file() -> Result<OwnedFd, Errno> {
    EventFd::from_value_and_flags(1, EfdFlags::EFD_CLOEXEC).map(OwnedFd::from).map_err(|errno| errno as i32)
}

impl Supervisor<'_> {
    /// Answers pending calls, or waits for some; returns true if no process is left.
    fn turn(&mut self) -> io::Result<bool> {
        let next = self.waiting.iter().map(|waiting| waiting.wait.until).min();
        let timeout = match next {
            // Check periodically whether the program has ended.
            None => PollTimeout::from(200u16),
            Some(until) => PollTimeout::from((until.saturating_sub(now()) / 1_000_000 + 1).min(200) as u16),
        };
        let mut fds = [PollFd::new(self.listener.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, timeout) {
            Ok(_) | Err(SysErrno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let events = fds[0].revents().unwrap_or(PollFlags::empty());
        if events.contains(PollFlags::POLLIN) {
            if let Some(call) = sys::receive(self.listener.as_fd())? {
                self.serve(call);
            }
        } else if events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
            return Ok(true);
        }
        self.wake();
        Ok(false)
    }

    fn answer(&self, call: &Call, answer: Answer) {
        sys::answer(self.listener.as_fd(), call.id, answer);
    }

    /// Answers the calls whose waits have ended.
    fn wake(&mut self) {
        let device = &self.device;
        for (_, event) in self.notified.extract_if(.., |(wait, _)| device.ended(wait).is_some()) {
            signal(event);
        }
        if self.waiting.is_empty() {
            return;
        }
        let time = now();
        for Waiting { call, process, wait } in std::mem::take(&mut self.waiting) {
            if let Some(first) = self.device.ended(&wait) {
                let written = write_program(process, call.args[2].wrapping_add(wait.first_at as u64), &first.to_le_bytes());
                self.answer(&call, written.map_or_else(Answer::Error, |()| Answer::Value(0)));
            } else if wait.until <= time {
                self.answer(&call, Answer::Error(ETIME));
            } else {
                self.waiting.push(Waiting { call, process, wait });
            }
        }
    }

    /// Returns the thread of a call; None if it is gone.
    fn thread(&mut self, tid: i32) -> Option<&Thread> {
        if !self.threads.contains_key(&tid) {
            if self.threads.len() >= MOST_THREADS {
                self.threads.clear();
            }
            let status = std::fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
            let process: i32 = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()?;
            let (fd, _) = sys::open_thread(tid, process).ok()?;
            self.threads.insert(tid, Thread { fd, process });
        }
        self.threads.get(&tid)
    }

    /// Duplicates a descriptor of the caller.
    fn copy(&mut self, tid: i32, fd: i32) -> Result<File, Errno> {
        for again in [true, false] {
            let Some(thread) = self.thread(tid) else { return Err(libc::ESRCH) };
            match sys::copy_of(thread.fd.as_fd(), fd) {
                // Another thread now has this ID.
                Err(SysErrno::ESRCH) if again => _ = self.threads.remove(&tid),
                Err(errno) => return Err(errno as i32),
                Ok(fd) => return Ok(fd.into()),
            }
        }
        Err(libc::ESRCH)
    }

    /// Returns the meaning of a descriptor of the caller.
    fn kind(&mut self, tid: i32, fd: i32) -> Kind {
        let Ok(file) = self.copy(tid, fd) else { return Kind::Foreign };
        let Ok(metadata) = file.metadata() else { return Kind::Foreign };
        let inode = metadata.ino();
        if inode == self.store_inode && metadata.len() == STORE {
            return lseek(&file, 0, Whence::SeekCur).map_or(Kind::Foreign, |client| Kind::Device(client as u64));
        }
        // Inodes of other file systems may have the same number; exported files have no link.
        if metadata.nlink() != 0 {
            return Kind::Foreign;
        }
        match self.places.get(&inode) {
            Some(place) => Kind::Tree(*place),
            None if self.shared.has(inode) => Kind::Shared,
            None => Kind::Foreign,
        }
    }

    fn serve(&mut self, call: Call) {
        let Some(process) = self.thread(call.tid).map(|thread| thread.process) else { return self.answer(&call, Answer::Continue) };
        let [a, b, c, d, ..] = call.args;
        let here = libc::AT_FDCWD;
        let answer = match call.nr {
            libc::SYS_ioctl => return self.ioctl(&call, process),
            libc::SYS_getdents64 => self.entries(&call, process),
            libc::SYS_fstat => match self.kind(call.tid, a as i32) {
                Kind::Foreign | Kind::Shared => Answer::Continue,
                kind => self.stat_kind(process, kind, b),
            },
            libc::SYS_open => self.open(&call, process, here, a, b as i32),
            libc::SYS_openat => self.open(&call, process, a as i32, b, c as i32),
            libc::SYS_openat2 => {
                let mut flags = [0; 8];
                match read_program(process, c, &mut flags) {
                    Ok(()) => self.open(&call, process, a as i32, b, u64::from_le_bytes(flags) as i32),
                    Err(_) => Answer::Continue,
                }
            }
            libc::SYS_stat => self.stat(&call, process, (here, a), b, true, false),
            libc::SYS_lstat => self.stat(&call, process, (here, a), b, false, false),
            libc::SYS_newfstatat => self.stat(&call, process, (a as i32, b), c, d as i32 & libc::AT_SYMLINK_NOFOLLOW == 0, false),
            libc::SYS_statx => self.stat(&call, process, (a as i32, b), call.args[4], c as i32 & libc::AT_SYMLINK_NOFOLLOW == 0, true),
            libc::SYS_access => self.access(&call, process, here, a),
            libc::SYS_faccessat | libc::SYS_faccessat2 => self.access(&call, process, a as i32, b),
            libc::SYS_readlink => self.read_link(&call, process, (here, a), b, c),
            libc::SYS_readlinkat => self.read_link(&call, process, (a as i32, b), c, d),
            _ => Answer::Continue,
        };
        self.answer(&call, answer);
    }

    /// Returns an absolute path from an argument, either absolute or relative to a folder of the tree; None for all other paths.
    fn path(&mut self, call: &Call, process: i32, folder: i32, addr: u64) -> Option<String> {
        let path = read_path(process, addr)?;
        if path.starts_with('/') {
            return Some(path);
        }
        if folder < 0 || path.is_empty() {
            return None;
        }
        let Kind::Tree(place) = self.kind(call.tid, folder) else { return None };
        self.tree.nodes().get(place).map(|(folder, _)| format!("{folder}/{path}"))
    }

    fn open(&mut self, call: &Call, process: i32, folder: i32, path: u64, flags: i32) -> Answer {
        let Some(path) = self.path(call, process, folder, path) else { return Answer::Continue };
        let (place, node) = match self.tree.find(&path) {
            Found::Foreign => return Answer::Continue,
            Found::Missing => return Answer::Error(ENOENT),
            Found::Node(place, node) => (place, node),
        };
        if flags & libc::O_DIRECTORY != 0 && !matches!(node, Node::Folder(_)) {
            return Answer::Error(ENOTDIR);
        }
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
        let file = match node {
            Node::Link(_) => return Answer::Error(ENOENT),
            Node::File(_) | Node::Folder(_) if writes => return Answer::Error(EACCES),
            Node::File(_) | Node::Folder(_) => match self.files.get(&place).map(|(file, _)| reopen(file, false)) {
                Some(Ok(file)) => file,
                Some(Err(error)) => return Answer::Error(errno(error)),
                None => return Answer::Error(ENOENT),
            },
            Node::Device => match self.open_device(process) {
                Ok(file) => file,
                Err(errno) => return Answer::Error(errno),
            },
        };
        match sys::give(self.listener.as_fd(), call.id, file.as_fd(), flags & libc::O_CLOEXEC != 0) {
            Ok(fd) => Answer::Value(fd.into()),
            Err(errno) => Answer::Error(errno as i32),
        }
    }

    /// Opens the device. The file position is the client ID, and the lock on that byte lasts as long as the open file description.
    fn open_device(&mut self, process: i32) -> Result<File, Errno> {
        self.close_unused(process);
        let file = reopen(&self.store, true).map_err(errno)?;
        let client = self.device.open();
        lseek(&file, client as i64, Whence::SeekSet).map_err(|errno| errno as i32)?;
        exports::take_lock(&file, client)?;
        self.report.process(process);
        Ok(file)
    }

    /// Closes clients whose last descriptor is gone.
    fn close_unused(&mut self, process: i32) {
        let clients: Vec<u64> = self.device.clients().collect();
        for client in clients {
            if !exports::is_locked(&self.store, client) {
                let Self { listener, store, shared, device, .. } = self;
                device.close(client, &mut Caller { listener, store, shared, thread: None, process, id: 0 });
            }
        }
    }

    fn access(&mut self, call: &Call, process: i32, folder: i32, path: u64) -> Answer {
        let Some(path) = self.path(call, process, folder, path) else { return Answer::Continue };
        match self.tree.find(&path) {
            Found::Foreign => Answer::Continue,
            Found::Missing => Answer::Error(ENOENT),
            Found::Node(..) => Answer::Value(0),
        }
    }

    fn read_link(&mut self, call: &Call, process: i32, (folder, path): (i32, u64), to: u64, room: u64) -> Answer {
        let Some(path) = self.path(call, process, folder, path) else { return Answer::Continue };
        let target = match self.tree.find(&path) {
            Found::Node(_, Node::Link(target)) => *target,
            Found::Node(..) => return Answer::Error(EINVAL),
            Found::Missing => return Answer::Error(ENOENT),
            Found::Foreign => return Answer::Continue,
        };
        let target = &target.as_bytes()[..target.len().min(room as usize)];
        match write_program(process, to, target) {
            Ok(()) => Answer::Value(target.len() as i64),
            Err(errno) => Answer::Error(errno),
        }
    }

    fn stat(&mut self, call: &Call, process: i32, (folder, path): (i32, u64), to: u64, follow: bool, extended: bool) -> Answer {
        let Some(text) = read_path(process, path) else { return Answer::Continue };
        let node = if text.is_empty() && folder >= 0 {
            match self.kind(call.tid, folder) {
                Kind::Device(_) => Some((usize::MAX, Node::Device)),
                Kind::Tree(place) => self.tree.nodes().get(place).map(|(_, node)| (place, node.clone())),
                Kind::Shared | Kind::Foreign => None,
            }
        } else {
            let Some(path) = self.path(call, process, folder, path) else { return Answer::Continue };
            match self.tree.find(&path) {
                Found::Foreign => None,
                Found::Missing => return Answer::Error(ENOENT),
                Found::Node(place, node) => Some((place, node.clone())),
            }
        };
        match node {
            None => Answer::Continue,
            // The target of a link is a folder of the real machine.
            Some((_, Node::Link(_))) if follow => Answer::Error(ENOENT),
            Some((place, node)) => write_stat(process, place, &node, to, extended),
        }
    }

    fn stat_kind(&self, process: i32, kind: Kind, to: u64) -> Answer {
        match kind {
            Kind::Device(_) => write_stat(process, usize::MAX, &Node::Device, to, false),
            Kind::Tree(place) => self.tree.nodes().get(place).map_or(Answer::Continue, |(_, node)| write_stat(process, place, node, to, false)),
            Kind::Shared | Kind::Foreign => Answer::Continue,
        }
    }

    /// Implements getdents64. The position of a folder is 0 before its entries are read, and 1 afterwards.
    fn entries(&mut self, call: &Call, process: i32) -> Answer {
        let [fd, to, room, ..] = call.args;
        let Kind::Tree(place) = self.kind(call.tid, fd as i32) else { return Answer::Continue };
        let Some((_, Node::Folder(entries))) = self.tree.nodes().get(place) else { return Answer::Error(ENOTDIR) };
        let mut bytes = Vec::new();
        for (name, number) in [".", ".."].into_iter().chain(entries.iter().map(String::as_str)).zip(1u64..) {
            // A header of 19 bytes, the name, and at least one 0.
            let (start, length) = (bytes.len(), (19 + name.len() + 1).next_multiple_of(8));
            bytes.extend_from_slice(&number.to_le_bytes());
            bytes.extend_from_slice(&number.to_le_bytes());
            bytes.extend_from_slice(&(length as u16).to_le_bytes());
            bytes.push(libc::DT_UNKNOWN);
            bytes.extend_from_slice(name.as_bytes());
            bytes.resize(start + length, 0);
        }
        let Ok(file) = self.copy(call.tid, fd as i32) else { return Answer::Error(EBADF) };
        if lseek(&file, 0, Whence::SeekCur) != Ok(0) {
            return Answer::Value(0);
        }
        if bytes.len() as u64 > room {
            return Answer::Error(EINVAL);
        }
        let _ = lseek(&file, 1, Whence::SeekSet);
        match write_program(process, to, &bytes) {
            Ok(()) => Answer::Value(bytes.len() as i64),
            Err(errno) => Answer::Error(errno),
        }
    }

    fn ioctl(&mut self, call: &Call, process: i32) {
        let [fd, request, pointer, ..] = call.args;
        let (nr, kind) = (request as u8, (request >> 8) as u8);
        let size = (request >> 16 & 0x3FFF) as usize;
        let answer = match (kind, self.kind(call.tid, fd as i32)) {
            (b'd', Kind::Device(client)) => return self.device_ioctl(call, process, client, (nr, size)),
            (b'b', Kind::Shared) => self.buffer_ioctl(call, process, nr, pointer),
            (b'>', _) => self.sync_ioctl(call, process, nr, pointer),
            _ => Answer::Continue,
        };
        self.answer(call, answer);
    }

    /// Answers ioctls of a dma-buf.
    fn buffer_ioctl(&mut self, call: &Call, process: i32, nr: u8, pointer: u64) -> Answer {
        match nr {
            // SYNC, SET_NAME, IMPORT_SYNC_FILE
            0 | 1 | 3 => Answer::Value(0),
            // EXPORT_SYNC_FILE
            2 => self.give_sync_file(call, process, pointer.wrapping_add(4)),
            _ => Answer::Error(libc::ENOTTY),
        }
    }

    /// Answers ioctls of a sync file.
    fn sync_ioctl(&mut self, call: &Call, process: i32, nr: u8, pointer: u64) -> Answer {
        match nr {
            // MERGE
            3 => self.give_sync_file(call, process, pointer.wrapping_add(36)),
            // FILE_INFO: signalled, with no fence to list.
            4 => {
                let mut info = [0u8; 56];
                info[32] = 1;
                write_program(process, pointer, &info[..48]).map_or_else(Answer::Error, |()| Answer::Value(0))
            }
            _ => Answer::Continue,
        }
    }

    fn give_sync_file(&mut self, call: &Call, process: i32, to: u64) -> Answer {
        let given = sync_file().and_then(|fd| sys::give(self.listener.as_fd(), call.id, fd.as_fd(), true).map_err(|errno| errno as i32));
        given.and_then(|fd| write_program(process, to, &fd.to_le_bytes())).map_or_else(Answer::Error, |()| Answer::Value(0))
    }

    fn device_ioctl(&mut self, call: &Call, process: i32, client: u64, (nr, size): (u8, usize)) {
        self.report.counts.ioctls += 1;
        let pointer = call.args[2];
        let Some(known) = uapi::size_of_ioctl(nr) else {
            self.report.unknown(format!("ioctl 0x{nr:02x}"));
            return self.answer(call, Answer::Error(EINVAL));
        };
        // Header versions differ in size: what the program omits is 0, and it does not receive what it does not know.
        let mut bytes = vec![0; known];
        let common = size.min(known);
        if let Err(errno) = read_program(process, pointer, &mut bytes[..common]) {
            return self.answer(call, Answer::Error(errno));
        }
        let Some(thread) = self.threads.get(&call.tid).and_then(|thread| thread.fd.try_clone().ok()) else {
            return self.answer(call, Answer::Error(libc::ESRCH));
        };
        self.forget_unused(process);
        let Self { listener, store, shared, device, .. } = self;
        let mut caller = Caller { listener, store, shared, thread: Some(&thread), process, id: call.id };
        let outcome = device.ioctl(client, nr, &mut bytes, &mut caller);
        let answer = match outcome {
            Outcome::Done => write_program(process, pointer, &bytes[..common]).map_or_else(Answer::Error, |()| Answer::Value(0)),
            Outcome::Failed(errno) => Answer::Error(errno),
            Outcome::Unknown(what) => {
                self.report.unknown(what);
                Answer::Error(EINVAL)
            }
            Outcome::Waits(wait) => return self.waiting.push(Waiting { call: *call, process, wait }),
            Outcome::Notifies(fd, wait) => match self.notify(call.tid, fd, wait) {
                Ok(()) => Answer::Value(0),
                Err(errno) => Answer::Error(errno),
            },
            Outcome::Submits(submission) => {
                self.submit(process, client, &submission);
                write_program(process, pointer, &bytes[..common]).map_or_else(Answer::Error, |()| Answer::Value(0))
            }
        };
        self.answer(call, answer);
    }

    fn submit(&mut self, process: i32, client: u64, submission: &Submission) {
        if !self.options.check {
            return self.report.unchecked();
        }
        let view = View::new(&self.device, client, &self.store, Pid::from_raw(process), self.recording.is_some());
        let facts = self.device.facts();
        let model = self.model.take().unwrap_or_else(|| judge::model(facts));
        let (judged, model) = judge::run(facts, submission, &view, now(), self.options.infos, self.report.assertions.as_mut(), model);
        self.model = Some(model);
        if let Some(recording) = &mut self.recording
            && let Err(error) = recording.submission(&view.recorded(submission))
        {
            self.report.note(&format!("the recording ends here, because it cannot be written: {error}"));
            self.recording = None;
        }
        for (addr, words) in runs(&judged.writes) {
            self.write_gpu(process, client, addr, words.as_bytes());
        }
        self.report.submission(process, &judged);
    }

    /// Writes memory of a client by GPU address; unmapped parts are skipped.
    fn write_gpu(&self, process: i32, client: u64, addr: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let rest = &bytes[done..];
            // If nothing is mapped here, the next page may be.
            let Some((backing, there)) = self.device.lookup(client, addr + done as u64) else {
                done += (4096 - (addr + done as u64) % 4096) as usize;
                continue;
            };
            let part = &rest[..rest.len().min(there as usize)];
            match backing {
                Some(Backing::Store(at)) => _ = self.store.write_all_at(part, at),
                Some(Backing::Program(at)) => _ = write_program(process, at, part),
                None => {}
            }
            done += part.len();
        }
    }

    /// Forgets exports without remaining descriptors.
    fn forget_unused(&mut self, process: i32) {
        for identity in self.shared.unused() {
            let Self { listener, store, shared, device, .. } = self;
            device.forget(identity, &mut Caller { listener, store, shared, thread: None, process, id: 0 });
        }
    }

    /// Signals an eventfd of the caller once a wait has ended.
    fn notify(&mut self, tid: i32, fd: i32, wait: Wait) -> Result<(), Errno> {
        let event = self.copy(tid, fd)?;
        if !is_eventfd(&event) {
            return Err(EINVAL);
        }
        if self.device.ended(&wait).is_some() {
            signal(event);
            return Ok(());
        }
        if self.notified.len() >= MOST_NOTIFIED {
            return Err(libc::ENOMEM);
        }
        self.notified.push((wait, event));
        Ok(())
    }
}

/// Returns whether a descriptor is an eventfd.
fn is_eventfd(file: &File) -> bool {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).is_ok_and(|link| link.as_os_str() == "anon_inode:[eventfd]")
}

/// Increments an eventfd on a separate thread, because writing blocks if the counter is at its maximum.
fn signal(event: File) {
    std::thread::spawn(move || (&event).write_all(&1u64.to_ne_bytes()));
}

/// Groups words at consecutive addresses.
fn runs(writes: &[(u64, u32)]) -> impl Iterator<Item = (u64, Vec<u32>)> {
    writes.chunk_by(|(before, _), (after, _)| before.wrapping_add(4) == *after).filter_map(|run| {
        let (addr, _) = run.first()?;
        Some((*addr, run.iter().map(|(_, word)| *word).collect()))
    })
}

/// `struct stat` of x86-64.
#[derive(Default, IntoBytes, Immutable)]
#[repr(C)]
struct Stat {
    dev: u64,
    ino: u64,
    nlink: u64,
    mode: u32,
    uid: u32,
    gid: u32,
    pad: u32,
    rdev: u64,
    size: u64,
    blksize: u64,
    blocks: u64,
    times: [u64; 6],
    unused: [u64; 3],
}

/// `struct statx`.
#[derive(Default, IntoBytes, Immutable)]
#[repr(C)]
struct Statx {
    mask: u32,
    blksize: u32,
    attributes: u64,
    nlink: u32,
    uid: u32,
    gid: u32,
    mode: u16,
    pad: u16,
    ino: u64,
    size: u64,
    blocks: u64,
    attributes_mask: u64,
    times: [[u64; 2]; 4],
    rdev: [u32; 2],
    dev: [u32; 2],
    spare: [u64; 14],
}

fn write_stat(process: i32, place: usize, node: &Node, to: u64, extended: bool) -> Answer {
    const BASIC: u32 = 0x7FF;
    let (mode, size, rdev) = match node {
        Node::Folder(_) => (libc::S_IFDIR | 0o555, 0, [0, 0]),
        Node::File(text) => (libc::S_IFREG | 0o444, text.len() as u64, [0, 0]),
        Node::Link(target) => (libc::S_IFLNK | 0o777, target.len() as u64, [0, 0]),
        Node::Device => (libc::S_IFCHR | 0o666, 0, [226, MINOR]),
    };
    let ino = 1 + (place as u64 & 0xFFFF);
    let written = match extended {
        false => {
            let rdev = libc::makedev(rdev[0], rdev[1]);
            let stat = Stat { dev: 5, ino, nlink: 1, mode, rdev, size, blksize: 4096, ..Stat::default() };
            write_program(process, to, stat.as_bytes())
        }
        true => {
            let stat = Statx { mask: BASIC, blksize: 4096, nlink: 1, mode: mode as u16, ino, size, rdev, dev: [0, 5], ..Statx::default() };
            write_program(process, to, stat.as_bytes())
        }
    };
    written.map_or_else(Answer::Error, |()| Answer::Value(0))
}

const _: () = assert!(size_of::<Stat>() == 144 && size_of::<Statx>() == 256);
