//! Compute command buffers at the speed of a copy: packets and typed registers in `const fn`, written into the caller's memory without allocation.
//!
//! A [`Tape`] writes PM4 for dispatches into a slice. All its methods are `const`: whatever is known at build time, such as the registers of a program, becomes
//! an array at compile time, and costs only a copy of its words at run time. [`size`] gives the maximum length of each packet as a constant or a `const fn`.
//! With only features of generations (`default-features = false, features = ["gfx11"]`) the crate compiles without `alloc`. It then consists of
//! [`chip`](crate::chip), [`regs`](crate::regs), the tables of [`packet`](crate::packet) and this module.
//!
//! ```
//! # #[cfg(feature = "gfx11")] {
//! use pm4::chip::Gfx;
//! use pm4::regs::gfx11::{ComputePgmRsrc1, ComputePgmRsrc2};
//! use pm4::tape::{Tape, TapeProgram, TypedWord, size};
//!
//! /// What does not change from dispatch to dispatch: an array of the build.
//! const STATE: [u32; size::PROGRAM] = {
//!     let mut words = [0; size::PROGRAM];
//!     let mut tape = Tape::new(Gfx::Gfx11, &mut words);
//!     tape.program(&TapeProgram {
//!         addr: 0x1_2345_6000,
//!         rsrc1: TypedWord::<ComputePgmRsrc1>::new().with(ComputePgmRsrc1::VGPRS, 3).with(ComputePgmRsrc1::FLOAT_MODE, 0xC0).word(),
//!         rsrc2: TypedWord::<ComputePgmRsrc2>::new().with(ComputePgmRsrc2::USER_SGPR, 4).with(ComputePgmRsrc2::TGID_X_EN, 1).word(),
//!         rsrc3: 0x3F0,
//!         threads: [64, 1, 1],
//!     });
//!     tape.expect_whole();
//!     words
//! };
//! /// Dwords that 600 dispatches need at most.
//! const MOST: usize = size::PROGRAM + 600 * (size::registers(4) + size::DISPATCH);
//!
//! let mut memory = vec![0; MOST];
//! let mut tape = Tape::new(Gfx::Gfx11, &mut memory);
//! tape.words(&STATE);
//! for number in 0..600 {
//!     tape.user_data(0, &[number, 0, 0, 0]);
//!     tape.dispatch([16, 1, 1], true);
//! }
//! assert_eq!(tape.finish(), Ok(MOST));
//! # }
//! ```

use crate::chip::Gfx;
use crate::packet::{Header, Opcode, ShaderType};
use crate::regs::{BitField, Register};
use core::marker::PhantomData;

/// The maximum size of each packet in dwords, header included.
pub mod size {
    /// [`Tape::set`](super::Tape::set).
    pub const SET: usize = 3;
    /// [`Tape::dispatch`](super::Tape::dispatch).
    pub const DISPATCH: usize = 5;
    /// [`Tape::dispatch_indirect`](super::Tape::dispatch_indirect): the base and the dispatch.
    pub const DISPATCH_INDIRECT: usize = 4 + 3;
    /// [`Tape::wait_for_dispatches`](super::Tape::wait_for_dispatches).
    pub const EVENT: usize = 2;
    /// [`Tape::acquire`](super::Tape::acquire): one dword less on GFX9.
    pub const ACQUIRE: usize = 8;
    /// [`Tape::release`](super::Tape::release).
    pub const RELEASE: usize = 8;
    /// [`Tape::wait_memory`](super::Tape::wait_memory).
    pub const WAIT: usize = 7;
    /// [`Tape::chain`](super::Tape::chain).
    pub const CHAIN: usize = 4;
    /// [`Tape::program`](super::Tape::program): GFX9 has no RSRC3.
    pub const PROGRAM: usize = registers(2) + registers(2) + SET + registers(3);

    /// [`Tape::registers`](super::Tape::registers) and [`Tape::user_data`](super::Tape::user_data) of `count` registers.
    pub const fn registers(count: usize) -> usize {
        2 + count
    }

    /// [`Tape::write`](super::Tape::write) of `dwords` dwords.
    pub const fn write(dwords: usize) -> usize {
        4 + dwords
    }
}

/// A typed register under construction in `const` code. It replaces the `with_` methods, which are not `const`.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::regs::gfx11::ComputeNumThreadX;
/// use pm4::tape::TypedWord;
/// const THREADS: u32 = TypedWord::<ComputeNumThreadX>::new().with(ComputeNumThreadX::NUM_THREAD_FULL, 64).word();
/// assert_eq!(THREADS, 64);
/// # }
/// ```
#[derive(Debug)]
pub struct TypedWord<R> {
    word: u32,
    register: PhantomData<fn() -> R>,
}

impl<R> Clone for TypedWord<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for TypedWord<R> {}

/// All fields 0.
impl<R: Register> Default for TypedWord<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Register> TypedWord<R> {
    /// Creates a value with all fields 0.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: 0, register: PhantomData }
    }

    /// Returns a copy with a field set.
    ///
    /// # Panics
    /// If the value does not fit the field; in a constant, this fails the build.
    #[must_use]
    #[track_caller]
    pub const fn with(self, field: BitField, value: u32) -> Self {
        assert!(value <= field.max(), "the value does not fit the field");
        Self { word: field.put(self.word, value), register: PhantomData }
    }

    /// Returns the word.
    pub const fn word(self) -> u32 {
        self.word
    }
}

impl<R: Register> From<R> for TypedWord<R> {
    fn from(register: R) -> Self {
        Self { word: register.into(), register: PhantomData }
    }
}

/// A program and the state that all its dispatches share.
///
/// For an example see [`tape`](crate::tape).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TapeProgram {
    /// Address of the first instruction, a multiple of 256.
    pub addr: u64,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: u32,
    /// COMPUTE_PGM_RSRC3, which GFX9 does not have.
    pub rsrc3: u32,
    /// Threads of a workgroup in x, y and z.
    pub threads: [u32; 3],
}

/// Why a tape is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The memory is too small.
    #[error("{wanted} dwords were written to memory of {room}: make it as large as the constants of tape::size say")]
    Full {
        /// Dwords written, including those that did not fit.
        wanted: usize,
        /// Size of the memory in dwords.
        room: usize,
    },
    /// An address is not aligned.
    #[error("address {addr:#x} is not a multiple of {align}")]
    Misaligned {
        /// The address.
        addr: u64,
        /// The required alignment in bytes.
        align: u64,
    },
    /// An address has more than 48 bits.
    #[error("address {0:#x} has more than 48 bits")]
    Beyond(u64),
    /// The generation does not have the register.
    #[error("{0} is not a register of this generation")]
    NoRegister(&'static str),
    /// No registers, or more than the window of shader registers has from the first register on.
    #[error("{count} registers from byte address {addr:#x} on: SET_SH_REG reaches 0xb000 to 0xbfff")]
    Window {
        /// Byte address of the first register.
        addr: u32,
        /// Number of registers.
        count: usize,
    },
    /// No packet can have this many dwords.
    #[error("a packet cannot have {0} dwords")]
    Size(usize),
}

/// A writer for packets of dispatches, into the caller's memory.
///
/// If a packet does not fit, its method counts the dwords and writes nothing. The tape keeps the first mistake and writes nothing after it;
/// [`finish`](Self::finish) reports it. For an example see [`tape`](crate::tape).
#[derive(Debug)]
pub struct Tape<'w> {
    gfx: Gfx,
    words: &'w mut [u32],
    at: usize,
    mistake: Option<TapeError>,
}

const SH: u32 = 0xB000;
const SH_END: u32 = 0xC000;
const NUM_THREAD: u32 = 0xB81C;
const PGM: u32 = 0xB830;
const RSRC1: u32 = 0xB848;
const RSRC3: u32 = 0xB8A0;
const USER_DATA: u32 = 0xB900;
/// Number of user data registers.
const MOST_USER_DATA: u32 = 16;

/// COMPUTE_SHADER_EN, FORCE_START_AT_000.
const INITIATOR: u32 = 1 | 1 << 2;
const WAVE32: u32 = 1 << 15;

const CS_PARTIAL_FLUSH: u32 = 7 | 4 << 8;
const BOTTOM_OF_PIPE: u32 = 40 | 5 << 8;
/// DATA_SEL of RELEASE_MEM: the packet writes 64 bits of data.
const DATA_64: u32 = 2 << 29;

/// Copies as many words as both have. Not `copy_from_slice`, which is a call where the length is a constant, too.
#[inline(always)]
const fn copy(to: &mut [u32], from: &[u32]) {
    let mut at = 0;
    while at < to.len() && at < from.len() {
        to[at] = from[at];
        at += 1;
    }
}

impl<'w> Tape<'w> {
    /// Creates a tape at the start of `words`.
    pub const fn new(gfx: Gfx, words: &'w mut [u32]) -> Self {
        Self { gfx, words, at: 0, mistake: None }
    }

    /// Returns the generation for which the tape writes.
    pub const fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// Returns the number of dwords so far, including those that did not fit.
    pub const fn len(&self) -> usize {
        self.at
    }

    /// Returns whether nothing has been written.
    pub const fn is_empty(&self) -> bool {
        self.at == 0
    }

    /// Returns the number of dwords written.
    ///
    /// # Errors
    /// The first mistake, or that the memory was too small.
    pub const fn finish(&self) -> Result<usize, TapeError> {
        match self.mistake {
            Some(mistake) => Err(mistake),
            None if self.at > self.words.len() => Err(TapeError::Full { wanted: self.at, room: self.words.len() }),
            None => Ok(self.at),
        }
    }

    /// Checks in a constant that the tape is complete. The build fails if the tape has a mistake, does not fit, or leaves part of the memory unused.
    ///
    /// # Panics
    /// If the tape has a mistake, or if its length is not that of the memory.
    pub const fn expect_whole(&self) {
        assert!(self.mistake.is_none(), "the tape has a mistake: call finish() at run time to see it");
        assert!(self.at == self.words.len(), "the tape is not as long as its memory");
    }

    const fn fail(&mut self, mistake: TapeError) {
        if self.mistake.is_none() {
            self.mistake = Some(mistake);
        }
    }

    /// Appends words that were prepared earlier.
    #[inline]
    pub const fn words(&mut self, words: &[u32]) {
        if let Some(room) = self.take(words.len()) {
            copy(room, words);
        }
    }

    /// Returns the next `dwords` dwords of the memory, if they fit.
    #[inline]
    const fn take(&mut self, dwords: usize) -> Option<&mut [u32]> {
        let start = self.at;
        self.at += dwords;
        if self.at > self.words.len() || self.mistake.is_some() {
            return None;
        }
        let (_, rest) = self.words.split_at_mut(start);
        Some(rest.split_at_mut(dwords).0)
    }

    /// Appends a packet: a header, the words of `head`, then those of `list`.
    #[inline]
    const fn packet<const N: usize>(&mut self, opcode: Opcode, compute: bool, head: [u32; N], list: &[u32]) {
        let body = N + list.len();
        if body == 0 || body > Header::MAX_BODY {
            return self.fail(TapeError::Size(1 + body));
        }
        let header = Header::type3(opcode, body);
        let header = if compute { header.with_shader_type(ShaderType::Compute) } else { header };
        let Some(room) = self.take(1 + body) else { return };
        let (first, rest) = room.split_at_mut(1);
        first[0] = header.0;
        let (fixed, rest) = rest.split_at_mut(N);
        copy(fixed, &head);
        copy(rest, list);
    }

    /// Returns the low and the high half of an address after checking it.
    const fn halves(&mut self, addr: u64, align: u64) -> [u32; 2] {
        if !addr.is_multiple_of(align) {
            self.fail(TapeError::Misaligned { addr, align });
        }
        let high = addr >> 47;
        if addr >> 48 != 0 && high != 0x1_FFFF {
            self.fail(TapeError::Beyond(addr));
        }
        [addr as u32, (addr >> 32) as u32 & 0xFFFF]
    }

    /// Writes consecutive registers with SET_SH_REG; `addr` is the byte address of the first.
    #[inline]
    pub const fn registers(&mut self, addr: u32, values: &[u32]) {
        let room = SH_END.saturating_sub(addr) / 4;
        if addr < SH || !addr.is_multiple_of(4) || values.is_empty() || values.len() > room as usize {
            return self.fail(TapeError::Window { addr, count: values.len() });
        }
        self.packet(Opcode::SET_SH_REG, true, [(addr - SH) / 4], values);
    }

    /// Writes one register of the window of shader registers.
    #[inline]
    pub const fn set<R: Register>(&mut self, value: TypedWord<R>) {
        match R::PLACES[self.gfx.index()] {
            Some(place) => self.registers(place.addr, &[value.word()]),
            None => self.fail(TapeError::NoRegister(R::NAME)),
        }
    }

    /// Writes user data registers from number `first` on: arguments that the program finds in its first SGPRs.
    #[inline]
    pub const fn user_data(&mut self, first: u32, values: &[u32]) {
        if values.len() > MOST_USER_DATA as usize || first > MOST_USER_DATA - values.len() as u32 {
            return self.fail(TapeError::Window { addr: USER_DATA.wrapping_add(first.wrapping_mul(4)), count: values.len() });
        }
        self.registers(USER_DATA + 4 * first, values);
    }

    /// Writes the registers of a program.
    pub const fn program(&mut self, program: &TapeProgram) {
        let [lo, hi] = self.halves(program.addr, 256);
        self.registers(PGM, &[lo >> 8 | hi << 24, hi >> 8]);
        self.registers(RSRC1, &[program.rsrc1, program.rsrc2]);
        if self.gfx.index() != 0 {
            self.registers(RSRC3, &[program.rsrc3]);
        }
        self.registers(NUM_THREAD, &program.threads);
    }

    const fn initiator(&self, wave32: bool) -> u32 {
        if wave32 && self.gfx.index() != 0 { INITIATOR | WAVE32 } else { INITIATOR }
    }

    /// Appends DISPATCH_DIRECT: workgroups in x, y and z, with waves of 32 or 64 threads. GFX9 has only waves of 64.
    #[inline]
    pub const fn dispatch(&mut self, groups: [u32; 3], wave32: bool) {
        let initiator = self.initiator(wave32);
        self.packet(Opcode::DISPATCH_DIRECT, true, [groups[0], groups[1], groups[2], initiator], &[]);
    }

    /// Appends SET_BASE and DISPATCH_INDIRECT, which reads the three numbers at `base + offset`. `base` is a multiple of 8. For the graphics queue.
    pub const fn dispatch_indirect(&mut self, base: u64, offset: u32, wave32: bool) {
        let [lo, hi] = self.halves(base, 8);
        let initiator = self.initiator(wave32);
        // Indirect arguments use base 1; with the shader type set, it is the base of dispatches.
        self.packet(Opcode::SET_BASE, true, [1, lo, hi], &[]);
        self.packet(Opcode::DISPATCH_INDIRECT, true, [offset, initiator], &[]);
    }

    /// Appends EVENT_WRITE CS_PARTIAL_FLUSH: later packets wait until all dispatches are done.
    #[inline]
    pub const fn wait_for_dispatches(&mut self) {
        self.packet(Opcode::EVENT_WRITE, false, [CS_PARTIAL_FLUSH], &[]);
    }

    /// Appends ACQUIRE_MEM over all memory. `caches` is gcr_cntl ([`AcquireGcrCntl`](crate::packet::layouts::AcquireGcrCntl)), on GFX9 coher_cntl
    /// ([`CoherCntl`](crate::packet::layouts::CoherCntl)).
    #[inline]
    pub const fn acquire(&mut self, caches: u32) {
        const ALL: [u32; 4] = [u32::MAX, 0xFF_FFFF, 0, 0];
        const POLL: u32 = 10;
        match self.gfx.index() {
            0 => self.packet(Opcode::ACQUIRE_MEM, false, [caches, ALL[0], ALL[1], ALL[2], ALL[3], POLL], &[]),
            _ => self.packet(Opcode::ACQUIRE_MEM, false, [0, ALL[0], ALL[1], ALL[2], ALL[3], POLL, caches], &[]),
        }
    }

    /// Appends RELEASE_MEM, which writes 64 bits when all earlier work is done. `caches` holds the bits of the packet's first dword that select the caches to
    /// write back first. The graphics queue of GFX9 needs an event of the depth counters before this packet (SYN-04), so on GFX9 use it only on compute queues.
    #[inline]
    pub const fn release(&mut self, addr: u64, value: u64, caches: u32) {
        let [lo, hi] = self.halves(addr, 8);
        if addr == 0 {
            self.fail(TapeError::Misaligned { addr, align: 8 });
        }
        self.packet(Opcode::RELEASE_MEM, false, [BOTTOM_OF_PIPE | caches, DATA_64, lo, hi, value as u32, (value >> 32) as u32, 0], &[]);
    }

    /// Appends WAIT_REG_MEM, which waits until `(memory & mask) == reference`.
    #[inline]
    pub const fn wait_memory(&mut self, addr: u64, reference: u32, mask: u32) {
        const EQUAL_IN_MEMORY: u32 = 3 | 1 << 4;
        const POLL: u32 = 4;
        let [lo, hi] = self.halves(addr, 4);
        self.packet(Opcode::WAIT_REG_MEM, false, [EQUAL_IN_MEMORY, lo, hi, reference, mask, POLL], &[]);
    }

    /// Appends WRITE_DATA to memory; later packets wait for the write.
    #[inline]
    pub const fn write(&mut self, addr: u64, data: &[u32]) {
        const MEMORY_CONFIRMED: u32 = 5 << 8 | 1 << 20;
        let [lo, hi] = self.halves(addr, 4);
        if data.is_empty() {
            return self.fail(TapeError::Size(size::write(0)));
        }
        self.packet(Opcode::WRITE_DATA, false, [MEMORY_CONFIRMED, lo, hi], data);
    }

    /// Appends INDIRECT_BUFFER with CHAIN, which continues in another buffer. The length of that buffer is a multiple of 8 dwords. This must be the last
    /// packet.
    pub const fn chain(&mut self, addr: u64, dwords: u32) {
        let [lo, hi] = self.halves(addr, 4);
        if dwords == 0 || dwords >> 20 != 0 {
            self.fail(TapeError::Size(dwords as usize));
        }
        self.packet(Opcode::INDIRECT_BUFFER, false, [lo, hi, dwords | 1 << 20 | 1 << 23], &[]);
    }

    /// Pads the tape to a multiple of 8 dwords with single-dword NOPs.
    pub const fn pad(&mut self) {
        while !self.at.is_multiple_of(8) {
            self.words(&[Header::NOP1.0]);
        }
    }
}

/// Returns the 64-byte AQL packet that runs PM4: a buffer of `dwords` dwords at `addr`. The packet decrements a signal at its end (0: no signal). Store its
/// first dword after the others.
///
/// ```
/// const PACKET: [u32; 16] = pm4::tape::in_aql(0x1_2345_6000, 16, 0);
/// assert_eq!(PACKET[..6], [0x0001_1500, 0xC002_3F00, 0x2345_6000, 1, 0x0080_0010, 10]);
/// ```
///
/// # Panics
/// If the address is not a multiple of 4 or has more than 48 bits, or if `dwords` is 0 or at least 2^20; in a constant, this fails the build.
pub const fn in_aql(addr: u64, dwords: u32, signal: u64) -> [u32; 16] {
    assert!(addr.is_multiple_of(4) && addr >> 48 == 0, "the address is a multiple of 4 below 2^48");
    assert!(dwords != 0 && dwords >> 20 == 0, "a buffer has 1 to 2^20 - 1 dwords");
    // A vendor packet with the barrier bit, so that it runs after all earlier packets, and with scopes visible to the system; AMD's format 1 in the dword (ROCr
    // amd_aql_queue.cpp ExecutePM4).
    const HEADER: u32 = 1 << 8 | 2 << 9 | 2 << 11 | 1 << 16;
    let header = Header::type3(Opcode::INDIRECT_BUFFER, 3);
    let mut words = [0; 16];
    (words[0], words[1], words[2], words[3]) = (HEADER, header.0, addr as u32, (addr >> 32) as u32);
    (words[4], words[5]) = (dwords | 1 << 23, 10);
    (words[14], words[15]) = (signal as u32, (signal >> 32) as u32);
    words
}
