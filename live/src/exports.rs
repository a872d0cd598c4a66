//! Buffers and syncobjs that programs share by descriptors: each is a memfd of its own, and a lock says whether a descriptor of it is left anywhere.

use crate::device::host::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use std::collections::BTreeMap;
use std::fs::File;

/// Exports that are there before it is looked for the first time which of them are not needed any more.
const FIRST_SWEEP: usize = 64;

/// What is exported, by inode: another open of the same file, which has no lock.
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

/// The lock of byte `at` of an open.
pub fn lock(at: u64) -> libc::flock {
    libc::flock { l_type: libc::F_WRLCK as i16, l_whence: libc::SEEK_SET as i16, l_start: at as i64, l_len: 1, l_pid: 0 }
}

/// Takes the lock of a byte, which is there as long as a descriptor of this open is, in any process.
///
/// # Errors
/// What the kernel says.
pub fn take_lock(file: &File, at: u64) -> Result<(), Errno> {
    fcntl(file, FcntlArg::F_OFD_SETLK(&lock(at))).map(|_| ()).map_err(|errno| errno as i32)
}

/// Whether another open of the file has the lock of a byte.
pub fn is_locked(file: &File, at: u64) -> bool {
    let mut test = lock(at);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut test)).is_err() || test.l_type != libc::F_UNLCK as i16
}

impl Exports {
    /// Notes an export: `other` is another open of the file that is given away.
    pub fn add(&mut self, inode: u64, other: File) {
        self.files.insert(inode, other);
    }

    /// Whether this is an export.
    pub fn has(&self, inode: u64) -> bool {
        self.files.contains_key(&inode)
    }

    /// Exports of which no descriptor is left, if it is time to look: they are forgotten.
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
