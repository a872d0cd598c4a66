//! Ensures that nothing outlives a run: whichever of its processes is killed, the others end everything that was started.
//!
//! The process that the user starts only waits; the supervisor is its child. Orphans become children of the nearer of the two, which finds and kills them.

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid, getppid};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode};

/// The environment variable that tells the supervisor the process that waits for it.
const WAITER: &str = "PM4_LIVE_WAITER";

/// The role of this process.
#[derive(Debug, Clone, Copy)]
pub enum Role {
    /// The process that the user started; the run is over.
    Waiter(ExitCode),
    /// The supervisor, with the process that waits for it.
    Supervisor(Pid),
}

/// Starts the supervisor as a child and waits for it; in the supervisor, returns that role.
///
/// # Errors
/// Returns an error if this program cannot be started again.
pub fn enter() -> io::Result<Role> {
    set_child_subreaper(true)?;
    if let Some(waiter) = std::env::var(WAITER).ok().and_then(|pid| pid.parse().ok()).map(Pid::from_raw)
        && waiter == getppid()
    {
        return Ok(Role::Supervisor(waiter));
    }
    crate::sys::ignore_interrupts();
    let status = Command::new(std::env::current_exe()?).args(std::env::args_os().skip(1)).env(WAITER, getpid().to_string()).status()?;
    end_all();
    let code = status.code().unwrap_or(128 + status.signal().unwrap_or(0));
    Ok(Role::Waiter(ExitCode::from(code as u8)))
}

/// Hides the variable from the program.
pub fn hide(command: &mut Command) {
    command.env_remove(WAITER);
}

/// Returns whether the waiting process is gone.
pub fn is_alone(waiter: Pid) -> bool {
    getppid() != waiter
}

/// Kills all descendants: children, and processes that become children when their parents end.
pub fn end_all() {
    let own = getpid();
    loop {
        for pid in children(own) {
            let _ = kill(pid, Signal::SIGKILL);
        }
        // Reap children that are dead or dying; there may be new ones afterwards.
        match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => std::thread::sleep(std::time::Duration::from_millis(1)),
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

/// Returns the children of a process.
fn children(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| {
        // The fields after the name, which may contain any characters: state, parent.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent_of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<i32>().ok());
        parent_of == Some(parent.as_raw())
    })
    .map(Pid::from_raw)
    .collect()
}
