//! Dispatches.

use crate::draw::desc::program::Program;
use crate::draw::desc::scratch::ScratchRing;
use crate::gpu::Board;

/// One dispatch, complete. `Default` is one workgroup of 64 threads.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DispatchDesc, Grid, ResolvedDispatch, ResolvedGrid};
/// let dispatch = DispatchDesc { group: [8, 8, 1], grid: Grid::Groups([4, 3, 2]), thread_ids: 2, ..DispatchDesc::default() };
/// let resolved: ResolvedDispatch = dispatch.resolve(Chip::Navi31)?;
/// assert_eq!(resolved.grid, ResolvedGrid::Direct([4, 3, 2]));
/// println!("{}", dispatch.explain(Chip::Navi31)?.why("COMPUTE_PGM_RSRC2", "TIDIG_COMP_CNT").unwrap().rule);
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DispatchDesc {
    /// The program.
    pub program: Program,
    /// Threads of a workgroup in x, y, z: each at least 1, together at most 1024.
    pub group: [u32; 3],
    /// The workgroups that are dispatched.
    pub grid: Grid,
    /// The first workgroup id in each direction. Base plus number of workgroups must be at most 2^32 - 1 in each direction; 0 for an indirect grid.
    pub base: [u32; 3],
    /// Which workgroup ids (x, y, z) are loaded into SGPRs.
    pub workgroup_ids: [bool; 3],
    /// Whether the workgroup's size and the wave's position in it are loaded into an SGPR.
    pub workgroup_info: bool,
    /// Number of thread ids that the program reads: 1 for x, 2 for x and y, 3 for all.
    pub thread_ids: u32,
    /// Whether the workgroup runs on one CU (GFX10 and later); otherwise it spreads over a WGP.
    pub cu_mode: bool,
    /// Maximum number of workgroups per CU, up to 15; None for no limit.
    pub groups_per_cu: Option<u32>,
    /// Scratch memory, if the program uses it.
    pub scratch: Option<ScratchRing>,
    /// The board. None: the board of the machine for which the dispatch is resolved. A board that differs from the machine's is refused.
    pub board: Option<Board>,
}

impl Default for DispatchDesc {
    fn default() -> Self {
        Self {
            program: Program::default(),
            group: [64, 1, 1],
            grid: Grid::Groups([1, 1, 1]),
            base: [0; 3],
            workgroup_ids: [true; 3],
            workgroup_info: false,
            thread_ids: 3,
            cu_mode: false,
            groups_per_cu: None,
            scratch: None,
            board: None,
        }
    }
}

impl DispatchDesc {
    /// Returns the number of threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.group.iter().fold(1, |all, n| n.saturating_mul(all))
    }

    /// Returns the number of waves of a workgroup.
    pub fn waves(&self) -> u32 {
        self.threads().div_ceil(self.program.wave.lanes())
    }

    /// Returns the workgroups of a direct dispatch, including partial ones.
    pub(crate) fn groups(&self) -> [u32; 3] {
        match self.grid {
            Grid::Groups(groups) => groups,
            Grid::Threads(threads) => [0, 1, 2].map(|i| threads[i].div_ceil(self.group[i].max(1))),
            Grid::Indirect(_) => [0; 3],
        }
    }

    /// Returns whether the grid counts threads, so that a row may end with a partial workgroup; RADV enables partial sizes even if no thread is left over
    /// (captures).
    pub(crate) fn counts_threads(&self) -> bool {
        matches!(self.grid, Grid::Threads(_))
    }

    /// Returns the threads of the last workgroup of a row; 0 if partial sizes do not apply.
    pub(crate) fn last_group(&self, direction: usize) -> u32 {
        match self.grid {
            Grid::Threads(threads) => match threads[direction] % self.group[direction].max(1) {
                0 => self.group[direction],
                rest => rest,
            },
            _ => 0,
        }
    }
}

/// The workgroups of a dispatch.
///
/// For an example see [`DispatchDesc`](crate::draw::DispatchDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grid {
    /// Numbers of workgroups in x, y and z.
    Groups([u32; 3]),
    /// Numbers of threads in x, y and z; the last workgroup of a row may be partial.
    Threads([u32; 3]),
    /// Numbers of workgroups in x, y and z, stored as three dwords at this address: nonzero, below 2^48, a multiple of 4. If earlier work writes them, record
    /// a barrier to [`Access::IndirectRead`](crate::draw::sync::Access::IndirectRead) between that work and the dispatch.
    Indirect(u64),
}
