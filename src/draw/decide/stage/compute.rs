//! Dispatches: from an API-neutral description to a register image and what the packet carries.

use crate::chip::{Chip, Gfx};
use crate::draw::decide::stage::rsrc::{self, memory_order, rsrc1, rsrc1_until_gfx11};
use crate::draw::desc::board;
use crate::draw::desc::{Board, DispatchDesc, DrawError, Grid, resource_units};
use crate::draw::image::RegisterImage;
use crate::draw::programs::wave_start::compute_vgprs;
use crate::draw::reasons::Reasons;
use crate::draw::sheet::{KeepReasons, NoReasons, On, Sheet, Why, Word};
use crate::gpu::Gpu;
use crate::isa::WaveSize;
use crate::packet::layouts::DispatchInitiator;
use crate::regs::Register;

/// A dispatch resolved for a chip.
///
/// For an example see [`DispatchDesc`](crate::draw::DispatchDesc).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedDispatch {
    /// The chip.
    pub chip: Chip,
    /// The board that it was resolved for, where that is known.
    pub board: Option<Board>,
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

/// A dispatch that the chip supports.
struct DispatchInputs<'a> {
    desc: &'a DispatchDesc,
    gfx: Gfx,
    board: Option<Board>,
}

impl<'a> DispatchInputs<'a> {
    fn check(desc: &'a DispatchDesc, gpu: &Gpu) -> Result<Self, DrawError> {
        desc.check(gpu.chip)?;
        let board = board::of_description(desc.board, gpu)?.or_else(|| Board::recorded(gpu.chip));
        Ok(Self { desc, gfx: gpu.chip.gfx(), board })
    }
}

/// COMPUTE_START_X, Y, Z: where workgroup ids start.
fn start<S: Why>(inputs: &DispatchInputs<'_>, sheet: &mut Sheet<S>) {
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
fn num_thread<S: Why>(inputs: &DispatchInputs<'_>) -> [Word<S>; 3] {
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
fn compute_pgm_rsrc1<S: Why>(inputs: &DispatchInputs<'_>) -> Option<Word<S>> {
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
fn compute_pgm_rsrc2<S: Why>(inputs: &DispatchInputs<'_>) -> Option<Word<S>> {
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
fn compute_pgm_rsrc3<S: Why>(inputs: &DispatchInputs<'_>) -> Option<Word<S>> {
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
fn waves_per_engine(inputs: &DispatchInputs<'_>) -> (u32, &'static str) {
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
fn compute_resource_limits<S: Why>(inputs: &DispatchInputs<'_>) -> Option<Word<S>> {
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
fn compute_tmpring_size<S: Why>(inputs: &DispatchInputs<'_>) -> Option<Word<S>> {
    let bytes = inputs.desc.program.scratch_bytes;
    let waves = inputs.desc.scratch.filter(|_| bytes != 0).map_or(0, |ring| ring.waves);
    let rule = if bytes == 0 { "the program uses no scratch" } else { "waves that the memory serves; the need of a wave in the generation's unit" };
    on_gfx!(inputs.gfx, r => {
        type R = r::ComputeTmpringSize;
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::WAVES, waves, rule).set(R::WAVESIZE, resource_units::scratch_field(inputs.gfx, bytes), rule))
    })
}

/// COMPUTE_DISPATCH_SCRATCH_BASE_LO and HI (GFX11 and later program them).
fn scratch_base<S: Why>(inputs: &DispatchInputs<'_>, sheet: &mut Sheet<S>) {
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
fn program<S: Why>(inputs: &DispatchInputs<'_>, sheet: &mut Sheet<S>) {
    on_gfx!(inputs.gfx, r => {
        rsrc::address!(sheet, r, ComputePgmLo, ComputePgmHi, inputs.desc.program);
        rsrc::user_data!(sheet, r, ComputeUserData, inputs.desc.program);
    });
}

/// COMPUTE_DISPATCH_INITIATOR, which travels in the packet. TUNNEL_ENABLE and CS_W32_EN came with GFX10.
///
/// Waves may start in any order, tunnelling is a wish that only high-priority queues get (Mesa 25.0.7 radv_device.c, captures).
fn initiator(inputs: &DispatchInputs<'_>) -> DispatchInitiator {
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

fn registers<S: Why>(inputs: &DispatchInputs<'_>) -> Sheet<S> {
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
pub fn resolve_dispatch(desc: &DispatchDesc, gpu: impl Into<Gpu>) -> Result<ResolvedDispatch, DrawError> {
    resolve_for(desc, &gpu.into())
}

fn resolve_for(desc: &DispatchDesc, gpu: &Gpu) -> Result<ResolvedDispatch, DrawError> {
    let inputs = DispatchInputs::check(desc, gpu)?;
    let image = registers::<NoReasons>(&inputs).into_image();
    Ok(ResolvedDispatch { chip: gpu.chip, board: inputs.board, image, grid: grid(&inputs), initiator: initiator(&inputs) })
}

/// Returns the dimensions that the packet carries.
fn grid(inputs: &DispatchInputs<'_>) -> ResolvedGrid {
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

impl ResolvedDispatch {
    /// The user SGPR of this number holds a value.
    pub(crate) fn put_user_data(&mut self, number: u32, value: u32) {
        let place = on_gfx!(self.chip.gfx(), r => r::ComputeUserData::place(self.chip.gfx()));
        if let Some(slot) = place.and_then(|place| place.slot(number)) {
            self.image.put(slot, value);
        }
    }
}

impl DispatchDesc {
    /// Resolves the dispatch for a machine, or for what is recorded of a chip; the same as [`resolve_dispatch`].
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support.
    pub fn resolve(&self, gpu: impl Into<Gpu>) -> Result<ResolvedDispatch, DrawError> {
        resolve_dispatch(self, gpu)
    }

    /// Why each field of the dispatch's registers has its value.
    ///
    /// # Errors
    /// The errors of [`resolve_dispatch`].
    pub fn explain(&self, gpu: impl Into<Gpu>) -> Result<Reasons, DrawError> {
        self.explain_for(&gpu.into())
    }

    fn explain_for(&self, gpu: &Gpu) -> Result<Reasons, DrawError> {
        Ok(registers::<KeepReasons>(&DispatchInputs::check(self, gpu)?).into_reasons())
    }

    /// Brings what was resolved with another grid to that of this description.
    pub(crate) fn put_grid(&self, resolved: &mut ResolvedDispatch) -> Result<(), DrawError> {
        let inputs = DispatchInputs::check(self, &Gpu { board: resolved.board, ..Gpu::new(resolved.chip) })?;
        for (slot, value) in num_thread::<NoReasons>(&inputs).map(|word| word.at()) {
            resolved.image.put(slot, value);
        }
        (resolved.grid, resolved.initiator) = (grid(&inputs), initiator(&inputs));
        Ok(())
    }
}
