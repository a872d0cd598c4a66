//! AMDGPU_CS: the chunks of a submission.

use crate::device::host::{Errno, Host};
use crate::device::vm::ADDRESS_BITS;
use libc::EINVAL;
use pm4_uapi::{Chunk, ChunkIb, ChunkTimeline, Cs, chunk, engine};
use zerocopy::{FromBytes, IntoBytes};

/// The most chunks of one call, of all kinds. Drivers send about ten.
const MOST_CHUNKS: u32 = 1024;

/// The most dwords in one chunk: lists of buffers and syncobjs have at most a few thousand entries.
const MOST_DWORDS: u32 = 1 << 18;

/// Size of the largest command buffer in bytes: the size field of INDIRECT_BUFFER has 20 bits.
const MOST_IB_BYTES: u32 = 4 << 20;

/// The most bytes in all command buffers of one call.
const MOST_BYTES: u64 = 256 << 20;

/// The engine that runs a command buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The graphics queue.
    Graphics,
    /// A compute queue.
    Compute,
    /// SDMA, which does not run PM4.
    Sdma,
}

/// A command buffer of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ib {
    /// The engine.
    pub engine: Engine,
    /// The ring number within its engine.
    pub ring: u32,
    /// The GPU address, low 48 bits.
    pub va: u64,
    /// Size in bytes.
    pub bytes: u32,
}

/// The work of a call, and what it signals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Submission {
    /// Command buffers, in order.
    pub ibs: Vec<Ib>,
    /// Syncobjs to signal: handle and point.
    pub(super) signals: Vec<(u32, u64)>,
    /// Syncobjs to wait for.
    pub(super) waits: Vec<u32>,
    /// Where to write the sequence number: buffer handle and offset in bytes.
    pub(super) fence: Option<(u32, u32)>,
}

/// Reads the chunks of a call.
pub fn parse(cs: &Cs, host: &mut dyn Host) -> Result<Submission, Errno> {
    if cs.chunks_count == 0 || cs.chunks_count > MOST_CHUNKS {
        return Err(EINVAL);
    }
    let mut pointers = vec![0u64; cs.chunks_count as usize];
    host.read(cs.chunks, pointers.as_mut_bytes())?;
    let mut submission = Submission::default();
    for pointer in pointers {
        let mut chunk = Chunk::default();
        host.read(pointer, chunk.as_mut_bytes())?;
        if chunk.length_dw > MOST_DWORDS {
            return Err(EINVAL);
        }
        let mut data = vec![0u8; 4 * chunk.length_dw as usize];
        host.read(chunk.data, &mut data)?;
        add(&mut submission, chunk.id, &data)?;
        if submission.ibs.iter().map(|ib| u64::from(ib.bytes)).sum::<u64>() > MOST_BYTES {
            return Err(EINVAL);
        }
    }
    Ok(submission)
}

fn words(data: &[u8]) -> impl Iterator<Item = u32> + '_ {
    data.chunks_exact(4).filter_map(|word| u32::read_from_bytes(word).ok())
}

fn timeline(data: &[u8]) -> impl Iterator<Item = ChunkTimeline> + '_ {
    data.chunks_exact(size_of::<ChunkTimeline>()).filter_map(|entry| ChunkTimeline::read_from_bytes(entry).ok())
}

fn add(submission: &mut Submission, id: u32, data: &[u8]) -> Result<(), Errno> {
    match id {
        chunk::IB => {
            let (ib, _) = ChunkIb::read_from_prefix(data).map_err(|_| EINVAL)?;
            let engine = match ib.ip {
                engine::GFX => Engine::Graphics,
                engine::COMPUTE => Engine::Compute,
                engine::DMA => Engine::Sdma,
                _ => return Err(EINVAL),
            };
            let rings = if engine == Engine::Graphics { 1 } else { 4 };
            if ib.bytes > MOST_IB_BYTES || !ib.bytes.is_multiple_of(4) || !ib.va.is_multiple_of(4) || ib.ring >= rings {
                return Err(EINVAL);
            }
            submission.ibs.push(Ib { engine, ring: ib.ring, va: ib.va & ADDRESS_BITS, bytes: ib.bytes });
        }
        chunk::FENCE => {
            let mut data = words(data);
            submission.fence = Some((data.next().ok_or(EINVAL)?, data.next().ok_or(EINVAL)?));
        }
        chunk::SYNCOBJ_IN => submission.waits.extend(words(data)),
        chunk::SYNCOBJ_OUT => submission.signals.extend(words(data).map(|handle| (handle, 0))),
        chunk::SYNCOBJ_TIMELINE_WAIT => submission.waits.extend(timeline(data).map(|entry| entry.handle)),
        chunk::SYNCOBJ_TIMELINE_SIGNAL => submission.signals.extend(timeline(data).map(|entry| (entry.handle, entry.point))),
        // All earlier work is done, and buffers never move.
        chunk::DEPENDENCIES | chunk::BO_HANDLES | chunk::SCHEDULED_DEPENDENCIES | chunk::CP_GFX_SHADOW => {}
        _ => return Err(EINVAL),
    }
    Ok(())
}
