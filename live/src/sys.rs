//! System calls that no crate wraps, and all unsafe code of this crate.

use libc::{c_int, c_long, seccomp_data, seccomp_notif, seccomp_notif_addfd, seccomp_notif_resp, sock_filter, sock_fprog};
use nix::errno::Errno;
use nix::sys::socket::{self, AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("pm4-live supports only Linux on x86-64");

/// AUDIT_ARCH_X86_64 of Linux audit.h.
const ARCH: u32 = 0xC000_003E;

/// System calls that always notify the supervisor.
const ASKED: [c_long; 14] = [
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_access,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
];

/// Ioctl types that notify the supervisor: those of the device, dma-bufs and sync files.
const IOCTL_TYPES: [u8; 3] = [b'd', b'b', b'>'];

/// The pidfd_open flag for a thread (Linux 6.9).
const PIDFD_THREAD: c_int = libc::O_EXCL;

/// Returns the seccomp filter of a supervised program.
fn filter() -> Vec<sock_filter> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let op = |code, k| sock_filter { code, jt: 0, jf: 0, k };
    // Jumps count the instructions after them, so the length must be known first.
    let (arch, nr, request) = (std::mem::offset_of!(seccomp_data, arch), 0, std::mem::offset_of!(seccomp_data, args) + 8);
    let (asked, types) = (ASKED.len() as u8, IOCTL_TYPES.len() as u8);
    let mut code = vec![op(LOAD, arch as u32), sock_filter { code: EQUAL, jt: 0, jf: asked + types + 4, k: ARCH }, op(LOAD, nr)];
    for (call, left) in ASKED.iter().zip((0..asked).rev()) {
        // Jump over the remaining calls, and the five instructions for ioctl and its types.
        code.push(sock_filter { code: EQUAL, jt: left + 4 + types, jf: 0, k: *call as u32 });
    }
    code.push(sock_filter { code: EQUAL, jt: 0, jf: 2 + types, k: libc::SYS_ioctl as u32 });
    code.push(op(LOAD, request as u32));
    code.push(op(AND, 0xFF00));
    for (kind, left) in IOCTL_TYPES.iter().zip((0..types).rev()) {
        code.push(sock_filter { code: EQUAL, jt: left + 1, jf: 0, k: u32::from(*kind) << 8 });
    }
    code.push(op(RETURN, libc::SECCOMP_RET_ALLOW));
    code.push(op(RETURN, libc::SECCOMP_RET_USER_NOTIF));
    code
}

/// Installs the filter in the calling process; returns the descriptor from which its calls are read.
fn install(code: &[sock_filter]) -> io::Result<OwnedFd> {
    let program = sock_fprog { len: code.len() as u16, filter: code.as_ptr().cast_mut() };
    let set = |flags: libc::c_ulong| {
        // SAFETY: the program is valid for the call, which copies it and does not write to it.
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) }
    };
    // SAFETY: takes numbers only.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // A signal must not restart a call that has already been answered (Linux 5.19).
    let fd = match set(listen | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV) {
        -1 if Errno::last() == Errno::EINVAL => set(listen),
        fd => fd,
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Starts a program under supervision; returns it and the descriptor from which its calls are read.
///
/// # Errors
/// Returns an error if the program cannot be started or the system refuses the filter.
pub fn spawn(command: &mut Command) -> io::Result<(Child, OwnedFd)> {
    let (ours, theirs) = socket::socketpair(AddressFamily::Unix, SockType::Datagram, None, SockFlag::SOCK_CLOEXEC)?;
    let code = filter();
    let run = move || {
        // SAFETY: takes numbers only. The program dies with the supervisor, and Ctrl-C reaches it although the supervisor ignores it.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::signal(libc::SIGQUIT, libc::SIG_DFL);
        }
        let listener = install(&code)?;
        let fds = [listener.as_raw_fd()];
        socket::sendmsg::<()>(theirs.as_raw_fd(), &[IoSlice::new(&[0])], &[ControlMessage::ScmRights(&fds)], MsgFlags::empty(), None)?;
        Ok(())
    };
    // SAFETY: the closure runs between fork and exec in a copy of a single-threaded process, so it cannot wait for a lock held elsewhere.
    unsafe { command.pre_exec(run) };
    let child = command.spawn()?;
    let mut byte = [0];
    let mut space = nix::cmsg_space!([RawFd; 1]);
    let mut pieces = [IoSliceMut::new(&mut byte)];
    let message = socket::recvmsg::<()>(ours.as_raw_fd(), &mut pieces, Some(&mut space), MsgFlags::MSG_CMSG_CLOEXEC)?;
    let fd = message.cmsgs()?.find_map(|message| if let ControlMessageOwned::ScmRights(fds) = message { fds.first().copied() } else { None });
    let fd = fd.ok_or_else(|| io::Error::other("the program has sent no descriptor"))?;
    // SAFETY: the message has made it for this process.
    Ok((child, unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// Ignores terminal signals: they are for the program, and the supervisor still has to report.
pub fn ignore_interrupts() {
    // SAFETY: takes numbers only; no handler runs.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::signal(libc::SIGQUIT, libc::SIG_IGN);
    }
}

/// A system call that waits for its answer.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// A unique number of the call.
    pub id: u64,
    /// The calling thread.
    pub tid: i32,
    /// The system call.
    pub nr: c_long,
    /// The arguments.
    pub args: [u64; 6],
}

/// Receives the next call; None if its caller is gone by now.
///
/// # Errors
/// Returns the error from the kernel.
pub fn receive(listener: BorrowedFd<'_>) -> io::Result<Option<Call>> {
    // SAFETY: the structure contains only integers, for which 0 is valid; the kernel requires it to be cleared.
    let mut call: seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the structure matches the request.
    match unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) } {
        0 => Ok(Some(Call { id: call.id, tid: call.pid as i32, nr: c_long::from(call.data.nr), args: call.data.args })),
        _ => match Errno::last() {
            Errno::ENOENT | Errno::EINTR => Ok(None),
            errno => Err(errno.into()),
        },
    }
}

/// The answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The kernel executes the call.
    Continue,
    /// The call returns this value.
    Value(i64),
    /// The call fails with this error number.
    Error(c_int),
}

/// Answers a call. It is not an error if its caller is gone.
pub fn answer(listener: BorrowedFd<'_>, id: u64, answer: Answer) {
    let (val, error, flags) = match answer {
        Answer::Continue => (0, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
        Answer::Value(value) => (value, 0, 0),
        Answer::Error(errno) => (0, -errno, 0),
    };
    let mut response = seccomp_notif_resp { id, val, error, flags };
    // SAFETY: the structure matches the request.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response) };
}

/// Installs a copy of a descriptor in the caller; returns its number there.
///
/// # Errors
/// Returns the error number from the kernel, for example EMFILE.
pub fn give(listener: BorrowedFd<'_>, id: u64, fd: BorrowedFd<'_>, cloexec: bool) -> Result<i32, Errno> {
    let flags = if cloexec { libc::O_CLOEXEC as u32 } else { 0 };
    let mut add = seccomp_notif_addfd { id, flags: 0, srcfd: fd.as_raw_fd() as u32, newfd: 0, newfd_flags: flags };
    // SAFETY: the structure matches the request.
    Errno::result(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw mut add) })
}

/// Opens a pidfd for a thread; returns whether it is for the thread itself or, before Linux 6.9, its process.
///
/// # Errors
/// ESRCH if the thread is gone.
pub fn open_thread(tid: i32, process: i32) -> Result<(OwnedFd, bool), Errno> {
    // SAFETY: takes numbers only.
    let open = |id: i32, flags: c_int| Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, id, flags) });
    let (fd, own) = match open(tid, PIDFD_THREAD) {
        Err(Errno::EINVAL) => (open(process, 0)?, false),
        fd => (fd?, true),
    };
    // SAFETY: the kernel has just made it for this process.
    Ok((unsafe { OwnedFd::from_raw_fd(fd as RawFd) }, own))
}

/// Duplicates a descriptor of a thread.
///
/// # Errors
/// EBADF if the thread has no such descriptor, ESRCH if it is gone, EPERM if the system forbids it.
pub fn copy_of(thread: BorrowedFd<'_>, fd: i32) -> Result<OwnedFd, Errno> {
    // SAFETY: takes numbers only.
    let fd = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_getfd, thread.as_raw_fd(), fd, 0) })?;
    // SAFETY: the kernel has just made it for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter on a call, like the kernel.
    fn verdict(arch: u32, nr: c_long, request: u32) -> u32 {
        let (code, mut at, mut value) = (filter(), 0, 0);
        loop {
            let op = code[at];
            at += 1;
            match u32::from(op.code) & 7 {
                libc::BPF_LD => {
                    value = if op.k == 4 {
                        arch
                    } else if op.k == 0 {
                        nr as u32
                    } else {
                        request
                    }
                }
                libc::BPF_ALU => value &= op.k,
                libc::BPF_JMP => at += usize::from(if value == op.k { op.jt } else { op.jf }),
                _ => return op.k,
            }
        }
    }

    #[test]
    fn the_filter_asks_about_its_calls_and_about_no_other() {
        for call in ASKED {
            assert_eq!(verdict(ARCH, call, 0), libc::SECCOMP_RET_USER_NOTIF, "{call}");
            assert_eq!(verdict(0x4000_0003, call, 0), libc::SECCOMP_RET_ALLOW, "{call} of another architecture");
        }
        for call in [libc::SYS_read, libc::SYS_mmap, libc::SYS_close, libc::SYS_execve, libc::SYS_getdents] {
            assert_eq!(verdict(ARCH, call, 0xC040_6400), libc::SECCOMP_RET_ALLOW, "{call}");
        }
        for (request, asked) in [(0xC040_6400, true), (0x4008_6200, true), (0xC030_3E03, true), (0x5401, false), (0xC040_6F00, false)] {
            let wanted = if asked { libc::SECCOMP_RET_USER_NOTIF } else { libc::SECCOMP_RET_ALLOW };
            assert_eq!(verdict(ARCH, libc::SYS_ioctl, request), wanted, "{request:x}");
        }
    }
}
