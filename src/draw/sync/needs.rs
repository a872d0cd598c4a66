//! Derives the actions required between accesses, independent of packets.

use crate::draw::sync::access::{Access, AccessSet, Barrier};
use alloc::vec::Vec;
use strum::IntoEnumIterator;

/// One thing that must happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Need {
    /// Vertex work is done.
    VertexIdle,
    /// Pixel shaders are done.
    PixelIdle,
    /// Compute shaders are done.
    ComputeIdle,
    /// The DMA engine of the command processor is done.
    DmaIdle,
    /// All work has left the pipe, and the writes of events have arrived.
    PipeIdle,
    /// The colour caches are written back and invalidated.
    FlushColor,
    /// The caches of colour metadata (DCC, CMASK, FMASK) are written back and invalidated.
    FlushColorMeta,
    /// The depth caches are written back and invalidated.
    FlushDepth,
    /// The cache of depth metadata (HTILE) is written back and invalidated.
    FlushDepthMeta,
    /// Instruction caches are invalidated.
    DropCode,
    /// Scalar caches are invalidated.
    DropScalar,
    /// Vector caches, and the caches between them and L2, are invalidated.
    DropVector,
    /// The metadata cache of L2 is invalidated.
    DropMetadata,
    /// L2 is written back.
    WriteBackL2,
    /// L2 is written back and invalidated.
    DropL2,
    /// PFP, which runs ahead, waits too.
    PfpWaits,
}

/// What must happen, each with its reason.
#[derive(Debug, Clone, Default)]
pub(super) struct Needs(Vec<(Need, &'static str)>);

/// The needs of an access.
struct Demand {
    access: Access,
    needs: &'static [Need],
    why: &'static str,
}

const fn demand(access: Access, needs: &'static [Need], why: &'static str) -> Demand {
    Demand { access, needs, why }
}

/// What must end and be written back for an access before the barrier. Reads only need to end.
///
/// The caches of each access are facts of the register and packet descriptions (CP_COHER_CNTL, GCR_CNTL), and Mesa 25.0.7 radv_src_access_flush as
/// its barriers in captures show it.
static BEFORE: [Demand; 18] = [
    demand(Access::IndexRead, &[Need::VertexIdle], "indices are fetched until vertex work is done"),
    demand(Access::VertexRead, &[Need::VertexIdle], "vertex work still reads"),
    demand(Access::VertexWrite, &[Need::VertexIdle], "vertex work still writes; its vector caches write through to L2"),
    demand(Access::PixelRead, &[Need::PixelIdle], "pixel shaders still read"),
    demand(Access::PixelWrite, &[Need::PixelIdle], "pixel shaders still write; their vector caches write through to L2"),
    demand(Access::ComputeRead, &[Need::ComputeIdle], "compute shaders still read"),
    demand(Access::ComputeWrite, &[Need::ComputeIdle], "compute shaders still write; their vector caches write through to L2"),
    demand(Access::ConstantRead, &[Need::VertexIdle, Need::PixelIdle, Need::ComputeIdle], "shaders of any stage still read constants"),
    demand(Access::CodeRead, &[Need::VertexIdle, Need::PixelIdle, Need::ComputeIdle], "shaders of any stage still run their code"),
    demand(Access::ColorRead, &[Need::FlushColor], "blending reads until the colour caches are flushed"),
    demand(Access::ColorWrite, &[Need::FlushColor, Need::FlushColorMeta], "colour is in the colour caches"),
    demand(Access::DepthRead, &[Need::FlushDepth], "depth tests read until the depth caches are flushed"),
    demand(Access::DepthWrite, &[Need::FlushDepth, Need::FlushDepthMeta], "depth is in the depth caches"),
    demand(Access::CopyRead, &[Need::DmaIdle], "the DMA engine still reads"),
    demand(Access::CopyWrite, &[Need::DmaIdle], "the DMA engine still writes, into L2"),
    demand(Access::CommandWrite, &[], "packets write in order, with write confirm"),
    // radeonsi (si_pc_emit_stop) and RADV wait for a value that BOTTOM_OF_PIPE_TS writes after events, PAL's GFX12 barrier forces an end-of-pipe event for time stamps, and
    // RADV invalidates L2 after queries (active_query_flush_bits).
    demand(
        Access::QueryWrite,
        &[Need::PipeIdle, Need::WriteBackL2, Need::DropL2],
        "events write when work before them leaves the pipe, and L2 may hold lines from before",
    ),
    demand(Access::HostWrite, &[Need::WriteBackL2, Need::DropL2], "L2 may hold lines from before the CPU wrote"),
];

/// The invalidations and waits after which an access behind the barrier sees the written data.
static AFTER: [Demand; 15] = [
    demand(Access::IndirectRead, &[Need::PfpWaits], "PFP reads the arguments, and runs ahead of all that waits in ME"),
    demand(Access::IndexRead, &[Need::PfpWaits], "index data is fetched from where PFP is, ahead of ME"),
    demand(Access::VertexRead, &[Need::DropVector], "vector caches may hold old lines"),
    demand(Access::PixelRead, &[Need::DropVector], "vector caches may hold old lines"),
    demand(Access::ComputeRead, &[Need::DropVector], "vector caches may hold old lines"),
    demand(Access::VertexWrite, &[Need::DropVector], "a shader that writes also reads back through vector caches"),
    demand(Access::PixelWrite, &[Need::DropVector], "a shader that writes also reads back through vector caches"),
    demand(Access::ComputeWrite, &[Need::DropVector], "a shader that writes also reads back through vector caches"),
    demand(Access::ConstantRead, &[Need::DropScalar, Need::DropVector], "scalar caches may hold old lines; compilers mix scalar and vector loads of constants"),
    demand(
        Access::CodeRead,
        &[Need::DropCode, Need::DropScalar, Need::DropVector],
        "instruction caches, and what they share with others, may hold the code from before",
    ),
    demand(Access::ColorRead, &[Need::FlushColor, Need::FlushColorMeta], "the colour caches may hold old lines"),
    demand(Access::ColorWrite, &[Need::FlushColor, Need::FlushColorMeta], "the colour caches may hold old lines around the written data"),
    demand(Access::DepthRead, &[Need::FlushDepth, Need::FlushDepthMeta], "the depth caches may hold old lines"),
    demand(Access::DepthWrite, &[Need::FlushDepth, Need::FlushDepthMeta], "the depth caches may hold old lines around the written data"),
    demand(Access::HostRead, &[Need::WriteBackL2], "the CPU does not see L2"),
];

/// The needs of two accesses together.
struct Pair {
    from: fn() -> AccessSet,
    to: fn() -> AccessSet,
    acts: fn(&Setting) -> bool,
    needs: &'static [Need],
    why: &'static str,
}

/// The properties of chip and memory that decide about pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    /// 9 to 12.
    pub major: u8,
    /// Whether targets have DCC, CMASK, FMASK or HTILE.
    pub compressed: bool,
    /// Whether other clients read from L2 the data that colour and depth blocks write to it.
    pub coherent_l2: bool,
    /// Whether later work is unknown, so that pairs apply as for any access.
    pub any_after: bool,
}

fn targets_written() -> AccessSet {
    Access::ColorWrite | Access::DepthWrite
}

fn targets() -> AccessSet {
    targets_written() | Access::ColorRead | Access::DepthRead
}

/// Returns the accesses of colour and depth blocks; the depth blocks write sample counts.
fn of_target_blocks() -> AccessSet {
    targets() | Access::QueryWrite
}

fn images_of_shaders() -> AccessSet {
    Access::VertexRead | Access::PixelRead | Access::ComputeRead | Access::VertexWrite | Access::PixelWrite | Access::ComputeWrite
}

fn shader_accesses() -> AccessSet {
    images_of_shaders() | Access::ConstantRead | Access::CodeRead
}

fn command_processor_writes() -> AccessSet {
    Access::CopyWrite | Access::CommandWrite | Access::QueryWrite
}

fn command_processor() -> AccessSet {
    Access::IndirectRead | Access::IndexRead | Access::CopyRead | command_processor_writes()
}

fn others() -> AccessSet {
    shader_accesses() | Access::IndirectRead | Access::IndexRead | Access::CopyRead | Access::CopyWrite | Access::CommandWrite
}

fn through_l2() -> AccessSet {
    shader_accesses() | targets()
}

/// Returns all accesses that change memory.
fn writers() -> AccessSet {
    Access::iter().filter(|access| access.writes()).collect()
}

static PAIRS: [Pair; 5] = [
    // Mesa 25.0.7 radv_dst_access_flush (INV_L2_METADATA for reads of images that have metadata, whatever wrote them); PAL's GFX9 barrier, for writes too: L2
    // reads metadata before it changes part of a compressed block.
    Pair {
        from: writers,
        to: images_of_shaders,
        acts: |s| s.compressed && s.major < 12,
        needs: &[Need::DropMetadata],
        why: "shaders reach compressed images through the metadata cache of L2, which may hold old lines",
    },
    Pair {
        from: targets_written,
        to: others,
        acts: |s| !s.coherent_l2,
        needs: &[Need::DropL2],
        why: "colour and depth blocks may reach memory through other parts of L2 than shaders do",
    },
    Pair {
        from: others,
        to: of_target_blocks,
        acts: |s| !s.coherent_l2,
        needs: &[Need::DropL2],
        why: "colour and depth blocks may reach memory through other parts of L2 than shaders do",
    },
    // PAL gfx12Barrier.cpp GetCacheSyncOps: shaders and targets go through GL2; the command processor, the DMA engine, indices and events do not.
    Pair {
        from: through_l2,
        to: command_processor,
        acts: |s| s.major >= 12,
        needs: &[Need::WriteBackL2],
        why: "the command processor of GFX12 reaches memory past L2, which may hold what was written",
    },
    Pair {
        from: command_processor_writes,
        to: through_l2,
        acts: |s| s.major >= 12,
        needs: &[Need::DropL2],
        why: "the command processor of GFX12 writes memory past L2, which may hold lines from before",
    },
];

impl Needs {
    /// Returns the needs of a barrier.
    pub fn of(barrier: &Barrier, setting: &Setting) -> Self {
        let mut needs = Self::default();
        for demand in BEFORE.iter().filter(|d| barrier.from.has(d.access)) {
            needs.all(demand.needs, demand.why);
        }
        // After reads alone, there is nothing new to see. An empty set before the barrier stands for writes unknown to the caller.
        if barrier.from.is_empty() || barrier.from.writes() {
            for demand in AFTER.iter().filter(|d| barrier.to.has(d.access)) {
                needs.all(demand.needs, demand.why);
            }
            let written: AccessSet = writers().iter().filter(|&access| barrier.from.is_empty() || barrier.from.has(access)).collect();
            let follows = |to: AccessSet| setting.any_after || barrier.to.intersects(to);
            for pair in PAIRS.iter().filter(|p| (p.acts)(setting) && written.intersects((p.from)()) && follows((p.to)())) {
                needs.all(pair.needs, pair.why);
            }
        }
        if !setting.compressed || setting.major >= 12 {
            needs.0.retain(|(need, _)| !matches!(need, Need::FlushColorMeta | Need::FlushDepthMeta));
        }
        needs
    }

    fn all(&mut self, needs: &[Need], why: &'static str) {
        for &need in needs {
            self.add(need, why);
        }
    }

    /// Adds a need, unless the same reason is there already.
    pub fn add(&mut self, need: Need, why: &'static str) {
        if !self.0.contains(&(need, why)) {
            self.0.push((need, why));
        }
    }

    /// Returns whether this need is present.
    pub fn has(&self, need: Need) -> bool {
        self.0.iter().any(|&(n, _)| n == need)
    }

    /// Returns whether any of these needs is present.
    pub fn any(&self, needs: &[Need]) -> bool {
        needs.iter().any(|&need| self.has(need))
    }

    /// Returns the reasons of these needs, each once.
    pub fn why(&self, needs: &[Need]) -> Vec<&'static str> {
        let mut reasons = Vec::new();
        for &(need, why) in &self.0 {
            if needs.contains(&need) && !reasons.contains(&why) {
                reasons.push(why);
            }
        }
        reasons
    }
}
