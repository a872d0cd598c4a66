//! Results of queries: counts that were sampled twice become numbers in memory, by a compute program.

use crate::descriptors::BufferDesc;
use crate::draw::desc::address::is_address;
use crate::draw::desc::{CallError, Grid};
use crate::draw::programs::{ImageProgram, ImagePrograms};
use crate::draw::record::buffers::range;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, Order};
use crate::packet::Buffer;

/// Queries in memory: counts of 64 bits, each sampled twice.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::sync::{Access, Order};
/// use pm4::draw::{ImagePrograms, QueryCounts, Recorder};
/// let chip = Chip::Navi31;
/// let programs = ImagePrograms::new(chip, 0x1_0000)?;
/// let mut recorder = Recorder::new(chip);
/// recorder.begin()?;
/// recorder.begin_compute()?;
/// // A query of occlusion: samples of each render backend, 16 bytes apart.
/// let backends = recorder.gpu().render_backends().unwrap_or(1);
/// recorder.sample_occlusion(0x10_0000)?;
/// // … draws …
/// recorder.sample_occlusion(0x10_0008)?;
/// let counts = QueryCounts::occlusion(0x10_0000, 1, backends);
/// recorder.copy_query_results(&programs, &counts, 0x20_0000, Order::between(Access::QueryWrite, Access::HostRead))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueryCounts {
    /// Address of the first sample of the first query: a multiple of 8.
    pub address: u64,
    /// Queries, at most 65535.
    pub queries: u32,
    /// Bytes from one query to the next: a multiple of 8.
    pub stride: u32,
    /// Counts of a query, 8 bytes apart, each with a separate result: at most 65535.
    pub counts: u32,
    /// Bytes from the first sample of a count to the second: a multiple of 8.
    pub second: u32,
    /// Parts of a count, 16 bytes apart, which are added: one per render backend.
    pub parts: u32,
    /// Whether bit 63 of a sample is set when it is written. Parts without it count as 0, so the memory must be 0 before the first sample.
    pub flagged: bool,
}

impl QueryCounts {
    /// Returns consecutive occlusion queries ([`Recorder::sample_occlusion`]): 16 bytes per render backend; `render_backends` is the maximum number on the
    /// chip.
    pub const fn occlusion(address: u64, queries: u32, render_backends: u32) -> Self {
        Self { address, queries, stride: 16 * render_backends, counts: 1, second: 8, parts: render_backends, flagged: true }
    }

    /// Returns queries of `counts` pipeline statistics ([`Recorder::sample_pipeline_statistics`]): the first sample of all of them, then the second.
    pub const fn statistics(address: u64, queries: u32, counts: u32) -> Self {
        Self { address, queries, stride: 16 * counts, counts, second: 8 * counts, parts: 1, flagged: false }
    }

    /// Returns streamout queries ([`Recorder::sample_streamout`]): generated primitives and those that fitted into the buffers, sampled twice.
    pub const fn streamout(address: u64, queries: u32) -> Self {
        Self { address, queries, stride: 32, counts: 2, second: 16, parts: 1, flagged: true }
    }

    /// Returns the number of bytes read; None if there are too many, or a value is not a multiple of 8.
    fn bytes(&self) -> Option<u64> {
        let Self { queries, stride, counts, second, parts, .. } = *self;
        let few = |number: u32| (1..=0xFFFF).contains(&number);
        let aligned = stride.is_multiple_of(8) && second.is_multiple_of(8);
        let last = u64::from(queries - 1) * u64::from(stride) + 8 * u64::from(counts - 1);
        let bytes = last + u64::from(second) + 16 * u64::from(parts.checked_sub(1)?) + 8;
        (few(queries) && few(counts) && few(parts) && aligned && u32::try_from(last).is_ok()).then_some(bytes)
    }
}

impl<B: Buffer> Recorder<B> {
    /// Writes the results of queries, 64 bits each, one after the other at `to`, a multiple of 8: of each count the difference of its samples, added up over its
    /// parts. The order waits for the samples ([`Access::QueryWrite`]).
    ///
    /// # Errors
    /// [`RecordError::Range`] for no or too many queries, counts or parts, and for distances that are not multiples of 8; [`CallError::Address`];
    /// [`RecordError::Image`] for programs of another chip; [`RecordError::ComputeNotBegun`] before the preamble of dispatches; those of
    /// [`barrier`](Self::barrier).
    pub fn copy_query_results(&mut self, programs: &ImagePrograms, counts: &QueryCounts, to: u64, order: Order) -> Result<(), RecordError> {
        let what = "samples of queries";
        let QueryCounts { address, queries, stride, counts: each, second, parts, flagged } = *counts;
        let why = "queries, counts and parts are 1 to 65535, distances multiples of 8, and all of it is within 4 GiB";
        let read = if queries == 0 || each == 0 { None } else { counts.bytes() };
        let read = read.ok_or(RecordError::Range { what, bytes: 0, why })?;
        range(what, address, read)?;
        let written = 8 * u64::from(queries) * u64::from(each);
        range("the results of queries", to, written)?;
        for (what, addr) in [(what, address), ("the results of queries", to)] {
            if !is_address(addr, 8) {
                return Err(CallError::Address { what, addr, align: 8 }.into());
            }
        }
        let bytes = u32::try_from(written).map_err(|_| RecordError::Range { what, bytes: written, why })?;
        let mut user = [0; 16];
        user[..4].copy_from_slice(&BufferDesc::raw(to, bytes).words(self.chip)?);
        (user[4], user[5]) = (address as u32, (address >> 32) as u32);
        (user[6], user[7], user[8], user[9], user[10]) = (stride, second, parts, if flagged { 0 } else { 1 << 31 }, each);
        let dispatch = self.program("results of queries", programs, ImageProgram::Counts, &user, ([1, 1, 1], Grid::Groups([queries, each, 1])))?;
        let own = Access::ConstantRead | Access::ComputeWrite;
        self.apart(|recorder| recorder.ordered(order, own, |recorder| recorder.dispatch(&dispatch)))
    }
}
