//! Buffers and syncobjs that programs share through descriptors. Each is a memfd, and a lock shows whether a descriptor of it still exists anywhere.

use crate::device::host::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use std::collections::BTreeMap;
use std::fs::File;

/// The number of exports at which unused ones are first searched for.
const FIRST_SWEEP: usize = 64;

/// Exports by inode, each with a second open file description that holds no lock.
#[derive(Debug)]
pub struct Exports {
    files: BTreeMap<u64, File>,
    sweep_at: usize,
}

impl Default for Exports {
    fn default() -> Self {
        Self { files: BTreeMap::new(), sweep_at: FIRST_SWEEP }
    }
}

/// Returns the lock of byte `at` of an open file description.
pub fn lock(at: u64) -> libc::flock {
    libc::flock { l_type: libc::F_WRLCK as i16, l_whence: libc::SEEK_SET as i16, l_start: at as i64, l_len: 1, l_pid: 0 }
}

/// Takes the lock of a byte. It lasts as long as any process has a descriptor of this open file description.
///
/// # Errors
/// Returns the error number from the kernel.
pub fn take_lock(file: &File, at: u64) -> Result<(), Errno> {
    fcntl(file, FcntlArg::F_OFD_SETLK(&lock(at))).map(|_| ()).map_err(|errno| errno as i32)
}

/// Returns whether another open file description has locked a byte.
pub fn is_locked(file: &File, at: u64) -> bool {
    let mut test = lock(at);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut test)).is_err() || test.l_type != libc::F_UNLCK as i16
}

impl Exports {
    /// Records an export: `other` is a second open file description of the file that is given away.
    pub fn add(&mut self, inode: u64, other: File) {
        self.files.insert(inode, other);
    }

    /// Returns whether the inode is an export.
    pub fn has(&self, inode: u64) -> bool {
        self.files.contains_key(&inode)
    }

    /// Removes and returns the exports without remaining descriptors, if enough exports exist to search.
    pub fn unused(&mut self) -> Vec<u64> {
        if self.files.len() < self.sweep_at {
            return Vec::new();
        }
        let unused: Vec<u64> = self.files.iter().filter(|(_, file)| !is_locked(file, 0)).map(|(inode, _)| *inode).collect();
        unused.iter().for_each(|inode| _ = self.files.remove(inode));
        self.sweep_at = FIRST_SWEEP.max(2 * self.files.len());
        unused
    }
}
