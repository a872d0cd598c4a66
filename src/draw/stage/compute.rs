//! Dispatches: from an API-neutral description to a register image and what the packet carries.

use crate::chip::{Chip, Gfx};
use crate::draw::error::DrawError;
use crate::draw::image::RegisterImage;
use crate::draw::sheet::{KeepReasons, NoReasons, On, Reasons, Sheet, Why, Word};
use crate::draw::stage::board::Board;
use crate::draw::stage::rsrc::{memory_order, rsrc1, rsrc1_until_gfx11};
use crate::draw::stage::scratch::{self, ScratchRing};
use crate::draw::stage::shader_program::{Program, Stage};
use crate::draw::stage::wave_start::compute_vgprs;
use crate::draw::stage::{resource_units, rsrc};
use crate::isa::WaveSize;
use crate::packet::layouts::DispatchInitiator;
use crate::regs::Register;

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
    /// Workgroup ids start here: with the number of workgroups at most 2^32 - 1 in each direction; 0 for an indirect grid.
    pub base: [u32; 3],
    /// Which of the workgroup's ids are loaded into SGPRs.
    pub workgroup_ids: [bool; 3],
    /// Loads the workgroup's size and the wave's place in it into an SGPR.
    pub workgroup_info: bool,
    /// Thread ids that the program reads: 1 for x, 2 for x and y, 3 for all.
    pub thread_ids: u32,
    /// The workgroup stays on one CU (GFX10 and later); else it spreads over a WGP.
    pub cu_mode: bool,
    /// At most this many workgroups per CU, up to 15; None for no limit.
    pub groups_per_cu: Option<u32>,
    /// Scratch memory, where the program uses it.
    pub scratch: Option<ScratchRing>,
    /// The board. None: [`Board::recorded`], where there is one for the chip.
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

/// The workgroups of a dispatch.
///
/// For an example see [`DispatchDesc`](crate::draw::DispatchDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grid {
    /// This many workgroups in x, y, z.
    Groups([u32; 3]),
    /// This many threads in x, y, z; the last workgroup of a row may be partial.
    Threads([u32; 3]),
    /// Workgroups in x, y, z, which are three dwords of memory at this address: a multiple of 4 below 2^48, and not 0. If work before writes them, record
    /// a barrier to [`Access::IndirectRead`](crate::draw::sync::Access::IndirectRead) between that work and the dispatch.
    Indirect(u64),
}

/// A dispatch resolved for a chip.
///
/// For an example see [`DispatchDesc`](crate::draw::DispatchDesc).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedDispatch {
    /// The chip.
    pub chip: Chip,
    /// Every register that the dispatch decides; the set is the same for all dispatches of a chip but for the program's address and user data.
    pub image: RegisterImage,
    /// The workgroups: the ends of their ids, or the address of the dimensions.
    pub grid: ResolvedGrid,
    /// COMPUTE_DISPATCH_INITIATOR, the last dword of the packet.
    pub initiator: DispatchInitiator,
}

/// The dimensions that the packet carries.
///
/// For an example see [`DispatchDesc`](crate::draw::DispatchDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResolvedGrid {
    /// Where the workgroup ids end: base and count together.
    Direct([u32; 3]),
    /// Address of their number in memory.
    Indirect(u64),
}

/// Threads of a workgroup (Vulkan's and Direct3D's limit on all these chips).
const MAX_THREADS: u32 = 1024;

impl DispatchDesc {
    /// Resolves the dispatch for a chip; the same as [`resolve_dispatch`].
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support.
    pub fn resolve(&self, chip: Chip) -> Result<ResolvedDispatch, DrawError> {
        resolve_dispatch(self, chip)
    }

    /// Why each field of the dispatch's registers has its value.
    ///
    /// # Errors
    /// Those of [`resolve_dispatch`].
    pub fn explain(&self, chip: Chip) -> Result<Reasons, DrawError> {
        Ok(registers::<KeepReasons>(&Inputs::check(self, chip)?).into_reasons())
    }

    /// Threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.group.iter().fold(1, |all, n| n.saturating_mul(all))
    }

    /// Waves of a workgroup.
    pub fn waves(&self) -> u32 {
        self.threads().div_ceil(self.program.wave.lanes())
    }

    pub(crate) fn check(&self, chip: Chip) -> Result<(), DrawError> {
        crate::draw::check_numbers::board(self.board)?;
        let limit = |what, value: u64, limit| Err(DrawError::Limit { what, value, limit });
        self.program.check(Stage::Compute, chip)?;
        scratch::check(self.scratch, [&self.program])?;
        if self.group.contains(&0) {
            return limit("threads of a workgroup in one direction", 0, "at least 1");
        }
        if self.threads() > MAX_THREADS {
            return limit("threads of a workgroup", u64::from(self.threads()), "at most 1024");
        }
        if !(1..=3).contains(&self.thread_ids) {
            return limit("thread ids", u64::from(self.thread_ids), "1 to 3");
        }
        if let Some(groups) = self.groups_per_cu.filter(|groups| !(1..=15).contains(groups)) {
            return limit("workgroups per CU", u64::from(groups), "1 to 15");
        }
        if self.cu_mode && chip.gfx().major() == 9 {
            return Err(DrawError::OptionAbsent { option: "a choice of CU mode", chip, limit: "GFX10 and later have WGPs" });
        }
        match self.grid {
            Grid::Groups(_) | Grid::Threads(_) => {
                if let Some((count, base)) = self.groups().iter().zip(self.base).find(|(count, base)| count.checked_add(*base).is_none()) {
                    return limit("last workgroup id, base and count together", u64::from(*count) + u64::from(base), "2^32 - 1");
                }
            }
            Grid::Indirect(address) if address == 0 || address % 4 != 0 || address >> 48 != 0 => {
                return limit("the address of the dimensions", address, "a multiple of 4 below 2^48, and not 0");
            }
            Grid::Indirect(_) if self.base != [0; 3] => {
                return Err(DrawError::OptionAbsent { option: "a base with dimensions from memory", chip, limit: "direct dispatches have it" });
            }
            Grid::Indirect(_) => {}
        }
        Ok(())
    }

    /// Workgroups of a direct dispatch, the partial ones with them.
    fn groups(&self) -> [u32; 3] {
        match self.grid {
            Grid::Groups(groups) => groups,
            Grid::Threads(threads) => [0, 1, 2].map(|i| threads[i].div_ceil(self.group[i].max(1))),
            Grid::Indirect(_) => [0; 3],
        }
    }

    /// The grid counts threads, so a row may end with a partial workgroup; RADV switches partial sizes on even where none is left over (captures).
    fn counts_threads(&self) -> bool {
        matches!(self.grid, Grid::Threads(_))
    }

    /// Threads of the last workgroup of a row; 0 where no partial sizes count.
    fn last_group(&self, direction: usize) -> u32 {
        match self.grid {
            Grid::Threads(threads) => match threads[direction] % self.group[direction].max(1) {
                0 => self.group[direction],
                rest => rest,
            },
            _ => 0,
        }
    }
}

/// A dispatch that the chip supports.
struct Inputs<'a> {
    desc: &'a DispatchDesc,
    gfx: Gfx,
    board: Option<Board>,
}

impl<'a> Inputs<'a> {
    fn check(desc: &'a DispatchDesc, chip: Chip) -> Result<Self, DrawError> {
        desc.check(chip)?;
        Ok(Self { desc, gfx: chip.gfx(), board: desc.board.or_else(|| Board::recorded(chip)) })
    }
}

/// COMPUTE_START_X, Y, Z: where workgroup ids start.
fn start<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let ([x, y, z], rule) = (inputs.desc.base, "first workgroup id");
    on_gfx!(inputs.gfx, r => {
        type X = r::ComputeStartX;
        type Y = r::ComputeStartY;
        type Z = r::ComputeStartZ;
        sheet.add(Some(Word::new(On::<X, { r::GFX }>::SLOT).set(X::START, x, rule)));
        sheet.add(Some(Word::new(On::<Y, { r::GFX }>::SLOT).set(Y::START, y, rule)));
        sheet.add(Some(Word::new(On::<Z, { r::GFX }>::SLOT).set(Z::START, z, rule)));
    });
}

/// COMPUTE_NUM_THREAD_X, Y, Z: threads of a workgroup and of the last one of a row.
fn num_thread<S: Why>(inputs: &Inputs<'_>) -> [Word<S>; 3] {
    let [x, y, z] = inputs.desc.group;
    let [last_x, last_y, last_z] = [0, 1, 2].map(|i| inputs.desc.last_group(i));
    let (full, partial) =
        ("threads of a workgroup", if inputs.desc.counts_threads() { "threads of the last workgroup of a row" } else { "no partial workgroup" });
    on_gfx!(inputs.gfx, r => {
        type X = r::ComputeNumThreadX;
        type Y = r::ComputeNumThreadY;
        type Z = r::ComputeNumThreadZ;
        [
            Word::new(On::<X, { r::GFX }>::SLOT).set(X::NUM_THREAD_FULL, x, full).set(X::NUM_THREAD_PARTIAL, last_x, partial),
            Word::new(On::<Y, { r::GFX }>::SLOT).set(Y::NUM_THREAD_FULL, y, full).set(Y::NUM_THREAD_PARTIAL, last_y, partial),
            Word::new(On::<Z, { r::GFX }>::SLOT).set(Z::NUM_THREAD_FULL, z, full).set(Z::NUM_THREAD_PARTIAL, last_z, partial),
        ]
    })
}

/// COMPUTE_PGM_RSRC1: registers and modes.
fn compute_pgm_rsrc1<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let program = &inputs.desc.program;
    let vgprs = program.vgprs.max(compute_vgprs(inputs.desc, inputs.gfx));
    let wgp = !inputs.desc.cu_mode;
    let wgp_rule = if wgp { "workgroups spread over a WGP" } else { "workgroups stay on one CU" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::ComputePgmRsrc1, inputs.gfx, program, vgprs);
            Some(rsrc1_until_gfx11!(word, r::ComputePgmRsrc1, program))
        },
        Gfx10x | Gfx11x => {
            let word = rsrc1!(r::ComputePgmRsrc1, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::ComputePgmRsrc1, program);
            type R = r::ComputePgmRsrc1;
            Some(memory_order!(word, r::ComputePgmRsrc1, inputs.gfx, program).set(R::WGP_MODE, wgp, wgp_rule))
        },
        Gfx12 => {
            let word = rsrc1!(r::ComputePgmRsrc1, inputs.gfx, program, vgprs);
            type R = r::ComputePgmRsrc1;
            Some(memory_order!(word, r::ComputePgmRsrc1, inputs.gfx, program).set(R::WGP_MODE, wgp, wgp_rule))
        },
    })
}

/// COMPUTE_PGM_RSRC2: what registers start with, LDS, scratch.
fn compute_pgm_rsrc2<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let (desc, program) = (inputs.desc, &inputs.desc.program);
    let [x, y, z] = desc.workgroup_ids;
    on_gfx!(inputs.gfx, r => {
        type R = r::ComputePgmRsrc2;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::SCRATCH_EN, program.scratch_bytes != 0, if program.scratch_bytes != 0 { "the program uses scratch" } else { "the program uses no scratch" })
            .set(R::USER_SGPR, program.user_sgprs(), "user SGPRs of the program")
            .set(R::TGID_X_EN, x, if x { "the program reads the x workgroup id" } else { "the program does not read the x workgroup id" })
            .set(R::TGID_Y_EN, y, if y { "the program reads the y workgroup id" } else { "the program does not read the y workgroup id" })
            .set(R::TGID_Z_EN, z, if z { "the program reads the z workgroup id" } else { "the program does not read the z workgroup id" })
            .set(R::TG_SIZE_EN, desc.workgroup_info, if desc.workgroup_info { "the program reads the workgroup's size" } else { "the program does not read the workgroup's size" })
            .set(R::TIDIG_COMP_CNT, desc.thread_ids - 1, "last of the thread ids that the program reads")
            .set(R::LDS_SIZE, resource_units::lds_field(program.lds_bytes), "LDS of the workgroup in blocks of 512 bytes"))
    })
}

/// COMPUTE_PGM_RSRC3 (GFX10 and later): shared VGPRs, prefetch of code.
fn compute_pgm_rsrc3<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let shared = inputs.desc.program.shared_vgprs / 8;
    let prefetch = resource_units::prefetch_field(inputs.gfx, inputs.desc.program.prefetch_bytes);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x => {
            type R = r::ComputePgmRsrc3;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::SHARED_VGPR_CNT, shared, "blocks of 8 shared VGPRs"))
        },
        Gfx11x | Gfx12 => {
            type R = r::ComputePgmRsrc3;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::SHARED_VGPR_CNT, shared, "blocks of 8 shared VGPRs");
            Some(word.set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH))
        },
    })
}

/// WAVES_PER_SH: 0 for no limit; GFX9 has the largest number instead, for the sake of high-priority compute (Mesa 25.0.7 ac_get_compute_resource_limits).
fn waves_per_engine(inputs: &Inputs<'_>) -> (u32, &'static str) {
    match (inputs.desc.program.wave_limit, inputs.gfx.major(), inputs.board) {
        (Some(waves), ..) => (waves, "wave limit asked for"),
        (None, 9, Some(board)) => (
            (board.cus_per_array * resource_units::simds(inputs.gfx) * resource_units::wave_slots(inputs.gfx)).min(0x3FF),
            "no limit: on GFX9 all waves of an array's CUs, else high-priority compute suffers",
        ),
        (None, 9, None) => (0x3FF, "no limit: on GFX9 the largest number, else high-priority compute suffers"),
        (None, ..) => (0, "no limit"),
    }
}

/// COMPUTE_RESOURCE_LIMITS: how workgroups spread over CUs and SIMDs (Mesa 25.0.7 ac_get_compute_resource_limits, radv_get_compute_resource_limits).
fn compute_resource_limits<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let waves = inputs.desc.waves();
    let (limit, limit_rule) = waves_per_engine(inputs);
    let groups = inputs.desc.groups_per_cu.unwrap_or(0);
    let pairs = u32::from(inputs.gfx.major() >= 10 && waves == 1);
    let uneven = waves == 1 && inputs.board.is_some_and(|board| board.cus_per_engine() % 4 != 0);
    on_gfx!(inputs.gfx, r => {
        type R = r::ComputeResourceLimits;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::WAVES_PER_SH, limit, limit_rule)
            .set(R::TG_PER_CU, groups, if groups == 0 { "no limit of workgroups per CU" } else { "workgroups per CU asked for" })
            .set(R::SIMD_DEST_CNTL, waves.is_multiple_of(4), "workgroups of a multiple of 4 waves start at one SIMD")
            .set(R::FORCE_SIMD_DIST, uneven, "workgroups of one wave spread by force where the CUs of an engine are not a multiple of 4")
            .set(R::CU_GROUP_COUNT, pairs, "workgroups that go to a CU before the next: 2 of one wave from GFX10 on, minus 1"))
    })
}

/// COMPUTE_TMPRING_SIZE: waves with scratch, and the need of a wave.
fn compute_tmpring_size<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let bytes = inputs.desc.program.scratch_bytes;
    let waves = inputs.desc.scratch.filter(|_| bytes != 0).map_or(0, |ring| ring.waves);
    let rule = if bytes == 0 { "the program uses no scratch" } else { "waves that the memory serves; the need of a wave in the generation's unit" };
    on_gfx!(inputs.gfx, r => {
        type R = r::ComputeTmpringSize;
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::WAVES, waves, rule).set(R::WAVESIZE, resource_units::scratch_field(inputs.gfx, bytes), rule))
    })
}

/// COMPUTE_DISPATCH_SCRATCH_BASE_LO and HI (GFX11 and later program them).
fn scratch_base<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let address = inputs.desc.scratch.map_or(0, |ring| ring.address);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {},
        Gfx11x | Gfx12 => {
            sheet.add(Word::new(On::<r::ComputeDispatchScratchBaseLo, { r::GFX }>::SLOT).whole((address >> 8) as u32, "address of scratch memory >> 8"));
            sheet.add(Word::new(On::<r::ComputeDispatchScratchBaseHi, { r::GFX }>::SLOT).whole((address >> 40) as u32, "address of scratch memory >> 40"));
        },
    });
}

/// COMPUTE_PGM_LO, COMPUTE_PGM_HI and COMPUTE_USER_DATA_n: where the program is, and its user data.
fn program<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    on_gfx!(inputs.gfx, r => {
        rsrc::address!(sheet, r, ComputePgmLo, ComputePgmHi, inputs.desc.program);
        rsrc::user_data!(sheet, r, ComputeUserData, inputs.desc.program);
    });
}

/// COMPUTE_DISPATCH_INITIATOR, which travels in the packet. TUNNEL_ENABLE and CS_W32_EN came with GFX10.
///
/// Waves may start in any order, tunnelling is a wish that only high-priority queues get (Mesa 25.0.7 radv_device.c, captures).
fn initiator(inputs: &Inputs<'_>) -> DispatchInitiator {
    let desc = inputs.desc;
    let later = inputs.gfx.major() >= 10;
    DispatchInitiator::new()
        .with_compute_shader_en(true)
        .with_partial_tg_en(desc.counts_threads())
        .with_force_start_at_000(desc.base == [0; 3])
        .with_order_mode(true)
        .with_tunnel_enable(later)
        .with_cs_w32_en(later && desc.program.wave == WaveSize::W32)
}

fn registers<S: Why>(inputs: &Inputs<'_>) -> Sheet<S> {
    let mut sheet = Sheet::new(inputs.gfx);
    start(inputs, &mut sheet);
    sheet.add_all(num_thread(inputs));
    scratch_base(inputs, &mut sheet);
    program(inputs, &mut sheet);
    sheet.add(compute_pgm_rsrc1(inputs));
    sheet.add(compute_pgm_rsrc2(inputs));
    sheet.add(compute_pgm_rsrc3(inputs));
    sheet.add(compute_resource_limits(inputs));
    sheet.add(compute_tmpring_size(inputs));
    sheet
}

/// Resolves a dispatch for a chip. Pure: the same description gives the same image.
///
/// # Errors
/// A [`DrawError`] names the input that the chip does not support, and the limit.
pub fn resolve_dispatch(desc: &DispatchDesc, chip: Chip) -> Result<ResolvedDispatch, DrawError> {
    let inputs = Inputs::check(desc, chip)?;
    let image = registers::<NoReasons>(&inputs).into_image();
    Ok(ResolvedDispatch { chip, image, grid: grid(&inputs), initiator: initiator(&inputs) })
}

/// The dimensions that the packet carries.
fn grid(inputs: &Inputs<'_>) -> ResolvedGrid {
    let desc = inputs.desc;
    match desc.grid {
        Grid::Indirect(address) => ResolvedGrid::Indirect(address),
        Grid::Groups(_) | Grid::Threads(_) => {
            let (groups, base) = (desc.groups(), desc.base);
            // What would overflow is refused when inputs are checked.
            ResolvedGrid::Direct([0, 1, 2].map(|i| groups[i].saturating_add(base[i])))
        }
    }
}

/// What changes from one dispatch to the next.
impl DispatchDesc {
    /// Brings what was resolved with another grid to that of this description.
    pub(crate) fn put_grid(&self, resolved: &mut ResolvedDispatch) -> Result<(), DrawError> {
        let inputs = Inputs::check(self, resolved.chip)?;
        for (slot, value) in num_thread::<NoReasons>(&inputs).map(|word| word.at()) {
            resolved.image.put(slot, value);
        }
        (resolved.grid, resolved.initiator) = (grid(&inputs), initiator(&inputs));
        Ok(())
    }
}

impl ResolvedDispatch {
    /// The user SGPR of this number holds a value.
    pub(crate) fn put_user_data(&mut self, number: u32, value: u32) {
        let place = on_gfx!(self.chip.gfx(), r => r::ComputeUserData::place(self.chip.gfx()));
        if let Some(slot) = place.and_then(|place| place.slot(number)) {
            self.image.put(slot, value);
        }
    }
}
