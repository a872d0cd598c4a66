//! Code of the ordered section: entering it, looping over the layers of one wave, and leaving it.
//!
//! Up to GFX10.3, COLLISION_WAVEID names the waves that a wave overlaps. The wave names its packer, polls the exiting wave id, and sends a message when it is
//! done. From GFX11 on, the wave waits for the export-ready flag, and its last export is the signal. Source: POPS article (docs/drivers/amd/hw/pops.rst of
//! Mesa), section Shader code; Mesa 25.0.7 ACO (the compact form, GFX12); LLPC for the loop.
//!
//! ```
//! use pm4::chip::Gfx;
//! use pm4::isa::pops::{self, EntryRegisters, ProgramEnd, Outstanding};
//!
//! let gfx = Gfx::Gfx103;
//! let mut shader = pops::enter(gfx, &EntryRegisters { collision: 4, scratch: [5, 6, 7], ..EntryRegisters::default() })?;
//! // … accesses to per-pixel data, the first load and the last store with the flags of `pops::cache` …
//! shader.extend(pops::exit(gfx, Outstanding::VECTOR)?);
//! shader.extend(pops::finish(gfx, ProgramEnd::Plain)?);
//! print!("{}", pm4::isa::disassemble(gfx, &shader));
//! # Ok::<(), pm4::isa::EncodeError>(())
//! ```

use super::error::EncodeError;
use super::hwreg::Hwreg;
use super::memory_instructions::CachePolicy;
use super::message;
use super::program::{CodeItem, ShaderCode};
use super::{Export, Instruction, Op, Reg, Src, Waitcnt, WaveSize};
use crate::chip::Gfx;
use alloc::vec::Vec;

type Words = Result<Vec<u32>, EncodeError>;

/// Fields of the COLLISION_WAVEID argument (GFX9 to GFX10.3). The RDNA1 and RDNA2 manuals show 12-bit ids in other positions; the POPS article, ACO and LLPC
/// agree on the positions given here.
pub mod collision {
    /// The wave overlaps another one, or quads of the wave overlap each other.
    pub const DID_OVERLAP: u32 = 1 << 31;
    /// Lowest bit of the packer id.
    pub const PACKER: u8 = 28;
    /// Lowest bit of the newest overlapped wave id.
    pub const NEWEST: u8 = 16;
    /// Bits of a wave id.
    pub const ID_BITS: u8 = 10;
    /// A wave id.
    pub const ID_MASK: u32 = 0x3FF;
}

/// The form of the wait.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::pops::{self, EntryRegisters, WaitForm};
/// let plain = EntryRegisters { collision: 4, scratch: [5, 6, 7], form: WaitForm::Plain };
/// let compact = EntryRegisters { form: WaitForm::Compact, ..plain };
/// // One instruction less on GFX10.
/// assert!(pops::enter(Gfx::Gfx10, &compact)?.len() < pops::enter(Gfx::Gfx10, &plain)?.len());
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WaitForm {
    /// COLLISION_WAVEID keeps its value.
    #[default]
    Plain,
    /// COLLISION_WAVEID is overwritten by the offset of the comparison, which saves an instruction on GFX10 (the form of Mesa's ACO). Entering the section
    /// again requires a copy of COLLISION_WAVEID.
    Compact,
}

/// Registers for entering the section: the SGPR of the argument and SGPRs to overwrite. GFX11 and later need none.
///
/// The four SGPRs must differ; this is not checked. `Default` names s0 four times: it is only for GFX11 and later, which use none of them.
///
/// For an example see [the module](crate::isa::pops).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EntryRegisters {
    /// SGPR of COLLISION_WAVEID.
    pub collision: u8,
    /// SGPRs to overwrite: the polled id, the newest overlapped id, the current id. The compact form uses the third SGPR only on GFX9.
    pub scratch: [u8; 3],
    /// The form of the wait.
    pub form: WaitForm,
}

/// Returns the immediate with which s_wait_event waits for export ready. GFX12 inverted and moved the bit (Mesa 25.0.7 ACO; LLVM's
/// llvm.amdgcn.s.wait.event.ll). Current LLVM emits 2 on GFX11 as well, which waits there because bit 0 is off; older versions emitted 1 for GFX12.
pub const fn wait_export_ready(gfx: Gfx) -> u16 {
    if gfx.major() >= 12 { 2 } else { 0 }
}

const fn s(number: u8) -> Reg {
    Reg::Sgpr(number)
}

fn bfe(dst: u8, src: u8, lo: u8, width: u8) -> Instruction {
    Instruction::Sop2 { op: Op::SBfeU32, dst: s(dst), src: [Src::s(src), Src::Literal(u32::from(width) << 16 | u32::from(lo))] }
}

fn sop2(op: Op, dst: u8, a: Src, b: Src) -> Instruction {
    Instruction::Sop2 { op, dst: s(dst), src: [a, b] }
}

fn compare(op: Op, a: u8, b: Src) -> Instruction {
    Instruction::Sopc { op, src: [Src::s(a), b] }
}

fn jump(op: Op, target: usize) -> CodeItem {
    CodeItem { instruction: Instruction::plain(op), target: Some(target) }
}

/// Returns the wave register and the bits that name the packer: two bits of MODE on GFX9, POPS_PACKER on GFX10.
pub fn packer_register(gfx: Gfx) -> Option<Hwreg> {
    match gfx.major() {
        9 => Hwreg::find(gfx, "MODE").map(|mode| mode.bits(24, 2)),
        10 => Hwreg::find(gfx, "POPS_PACKER").map(|packer| packer.bits(0, 3)),
        _ => None,
    }
}

/// Enters the ordered section: waits until the waves that this one overlaps have left theirs. With [`WaitForm::Plain`] it may be repeated as long as the
/// section has not been left; [`WaitForm::Compact`] overwrites COLLISION_WAVEID: enter once, or keep a copy.
///
/// # Errors
/// If the generation lacks one of the registers.
pub fn enter(gfx: Gfx, registers: &EntryRegisters) -> Words {
    let Some(packer) = packer_register(gfx) else {
        return ShaderCode::new(gfx, alloc::vec![Instruction::Sopp { op: Op::SWaitEvent, imm: wait_export_ready(gfx) }.into()]).encode();
    };
    let EntryRegisters { collision: argument, scratch: [polled, newest, current], form } = *registers;
    let compact = form == WaitForm::Compact;
    let gfx9 = gfx.major() == 9;
    let offset = if compact { argument } else { current };
    let id_mask = Src::Literal(collision::ID_MASK);
    let nand = sop2(Op::SNandB32, argument, Src::s(argument), id_mask);
    let and = sop2(Op::SAndB32, current, Src::s(argument), id_mask);

    let mut items: Vec<CodeItem> = alloc::vec![compare(Op::SBitcmp1B32, argument, Src::Int(31)).into(), jump(Op::SCbranchScc0, 0)];
    let mut add = |instruction: Instruction| items.push(instruction.into());
    // The packer: as one of two bits on GFX9, as a number with an enable bit on GFX10.
    add(bfe(polled, argument, collision::PACKER, if gfx9 { 1 } else { 2 }));
    add(sop2(if gfx9 { Op::SAddI32 } else { Op::SLshl1AddU32 }, polled, Src::s(polled), Src::Int(1)));
    add(Instruction::Setreg { to: packer, src: s(polled) });
    // Adding ~current makes the 10-bit ids comparable across the wrap: the current wave becomes the largest number.
    add(bfe(newest, argument, collision::NEWEST, collision::ID_BITS));
    if gfx9 || !compact {
        add(and);
    }
    if gfx9 {
        // GFX9 reports an id from before the wrap one too low (POPS article).
        add(compare(Op::SCmpGtU32, newest, Src::s(current)));
        add(match form {
            WaitForm::Plain => sop2(Op::SAddcU32, newest, Src::s(newest), Src::Int(0)),
            WaitForm::Compact => sop2(Op::SAddI32, newest, Src::s(newest), Src::Scc),
        });
    }
    add(if compact { nand } else { Instruction::Sop1 { op: Op::SNotB32, dst: Some(s(current)), src: Some(Src::s(current)) } });
    add(sop2(Op::SAddI32, newest, Src::s(newest), Src::s(offset)));
    let poll = items.len();
    items.push(sop2(Op::SAddI32, polled, Src::PopsExitingWaveId, Src::s(offset)).into());
    items.push(compare(Op::SCmpLtU32, newest, Src::s(polled)).into());
    let ready = poll + 5;
    items.push(jump(Op::SCbranchScc1, ready));
    // GFX9 needs a finite delay; from GFX10 a wave that leaves wakes the sleepers (POPS article).
    items.push(Instruction::Sopp { op: Op::SSleep, imm: if gfx9 { 3 } else { 0xFFFF } }.into());
    items.push(jump(Op::SBranch, poll));
    items[1].target = Some(ready);
    ShaderCode::new(gfx, items).encode()
}

/// The accesses that may be outstanding when the section ends.
///
/// For an example see [the module](crate::isa::pops).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Outstanding {
    /// Vector memory: loads, stores, atomics.
    pub vector: bool,
    /// Scalar loads of ordered data.
    pub scalar: bool,
}

impl Outstanding {
    /// Only vector memory.
    pub const VECTOR: Self = Self { vector: true, scalar: false };
    /// Vector and scalar memory.
    pub const ALL: Self = Self { vector: true, scalar: true };
}

/// Waits until the accesses of the section are complete.
fn release(gfx: Gfx, outstanding: Outstanding) -> Vec<CodeItem> {
    let mut items: Vec<CodeItem> = Vec::new();
    let mut add = |wanted: bool, instruction: Instruction| {
        if wanted {
            items.push(instruction.into());
        }
    };
    let Outstanding { vector, scalar } = outstanding;
    if gfx.major() >= 12 {
        for (wanted, op) in [(vector, Op::SWaitLoadcnt), (vector, Op::SWaitStorecnt), (scalar, Op::SWaitKmcnt)] {
            add(wanted, Instruction::plain(op));
        }
        return items;
    }
    let wait = Waitcnt { vm: vector.then_some(0), exp: None, lgkm: scalar.then_some(0) };
    add(vector || scalar, Instruction::Sopp { op: Op::SWaitcnt, imm: wait.imm(gfx) });
    // Stores have their own counter from GFX10 on.
    add(vector && gfx.major() >= 10, Instruction::Sopk { op: Op::SWaitcntVscnt, reg: Reg::Null, imm: 0 });
    items
}

/// Leaves the ordered section: waits for its accesses, then, up to GFX10.3, sends ORDERED_PS_DONE. From GFX11 the done export is the signal, so nothing follows
/// the waits; see [`finish`].
///
/// Must run exactly once on every path after [`enter`] (POPS article, section Exiting the ordered section).
///
/// # Errors
/// None on a generation of this crate; encoding is checked nevertheless.
pub fn exit(gfx: Gfx, outstanding: Outstanding) -> Words {
    let mut items = release(gfx, outstanding);
    if gfx.major() <= 10 {
        items.push(Instruction::Sopp { op: Op::SSendmsg, imm: message::ORDERED_PS_DONE }.into());
    }
    ShaderCode::new(gfx, items).encode()
}

/// How the program ends.
///
/// For an example see [the module](crate::isa::pops).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProgramEnd {
    /// A null export, then s_endpgm. From GFX11 on, the export leaves the ordered section.
    #[default]
    Plain,
    /// Like [`Plain`](Self::Plain), but the wave releases its VGPRs before the end (from GFX11 on).
    DeallocVgprs,
    /// A null export, then s_endpgm_ordered_ps_done, which waits for all counters, sends ORDERED_PS_DONE and ends the program (GFX9 to GFX10.3). Use it in
    /// place of [`exit`], which sends the same message.
    OrderedDone,
}

/// Returns the export that every ordered shader needs, followed by the end of the program.
///
/// # Errors
/// If the generation lacks this end.
pub fn finish(gfx: Gfx, end: ProgramEnd) -> Words {
    let mut items: Vec<CodeItem> = alloc::vec![Instruction::Exp(Export::nothing(gfx)).into()];
    match end {
        ProgramEnd::Plain => items.push(Instruction::plain(Op::SEndpgm).into()),
        ProgramEnd::DeallocVgprs if gfx.major() < 11 => return Err(EncodeError::UnsupportedSequence { what: "the release of VGPRs before the end", gfx }),
        ProgramEnd::DeallocVgprs => {
            // GFX11 needs an instruction in between (LLVM SIInsertWaitcnts; Mesa 25.0.7 ACO).
            items.push(Instruction::plain(Op::SNop).into());
            items.push(Instruction::Sopp { op: Op::SSendmsg, imm: message::DEALLOC_VGPRS }.into());
            items.push(Instruction::plain(Op::SEndpgm).into());
        }
        ProgramEnd::OrderedDone => items.push(Instruction::plain(Op::SEndpgmOrderedPsDone).into()),
    }
    ShaderCode::new(gfx, items).encode()
}

/// An access to per-pixel data in the section, by its position among the accesses to one location.
///
/// For an example see [`cache`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionAccess {
    /// The first load, which must see what waves on other compute units stored.
    FirstLoad,
    /// The last store, which must become visible to waves on other compute units.
    LastStore,
    /// Loads and stores in between, during which no other wave accesses the location.
    Between,
}

/// Returns the cache flags that make an access coherent (POPS article, section Memory access requirements). For GFX12 no source states the flags: the scope is
/// the device, as for any coherent access there.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::pops::{self, SectionAccess};
/// let load = pops::cache(Gfx::Gfx10, SectionAccess::FirstLoad);
/// assert!(load.glc && load.dlc);
/// assert_eq!(pops::cache(Gfx::Gfx11, SectionAccess::LastStore), Default::default());
/// ```
pub const fn cache(gfx: Gfx, access: SectionAccess) -> CachePolicy {
    let none = CachePolicy { glc: false, dlc: false, slc: false, scope: 0, hint: 0 };
    match (access, gfx.major()) {
        (SectionAccess::Between, _) | (SectionAccess::LastStore, 11) => none,
        (SectionAccess::FirstLoad, 10) => CachePolicy { glc: true, dlc: true, ..none },
        (_, 12..) => CachePolicy { scope: 2, ..none },
        _ => CachePolicy { glc: true, ..none },
    }
}

/// The registers that the loop over the layers of one wave reads and overwrites.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::pops::{self, Layers};
/// use pm4::isa::{self, Instruction, Op, WaveSize};
/// let layers = Layers { mask: 3, wave: WaveSize::W64, scratch: [5, 6, 7], lanes: 8, exec: 10 };
/// let body = Instruction::plain(Op::SNop).encode(Gfx::Gfx103)?;
/// let shader = pops::intrawave_loop(Gfx::Gfx103, &layers, body.as_slice())?;
/// assert!(isa::disassemble(Gfx::Gfx103, &shader).to_string().contains("s_and_b64 exec, s[10:11], s[8:9]"));
/// // From GFX11 on, quads that overlap are in different waves.
/// assert!(pops::intrawave_loop(Gfx::Gfx11, &layers, body.as_slice()).is_err());
/// # Ok::<(), isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layers {
    /// SGPR of INTRAWAVE_COLLISION: bit q = quad q starts a new layer.
    pub mask: u8,
    /// Lanes of the wave.
    pub wave: WaveSize,
    /// SGPRs to overwrite: remaining layers, first lane, end of the layer.
    pub scratch: [u8; 3],
    /// First of two SGPRs to overwrite, even: the lanes of the layer.
    pub lanes: u8,
    /// First of two SGPRs to overwrite, even: EXEC as it was.
    pub exec: u8,
}

/// Runs `body` once for each layer of overlapping quads of the wave, in their order, with EXEC cut down to the layer (GFX9 to GFX10.3; optional), and waits for
/// the accesses of a layer before it starts the next, because loads may overtake stores of the same wave. Put the loop between [`enter`] and [`exit`]. Do not
/// put subgroup operations into `body` (POPS article, section Resolving intrawave collisions).
///
/// # Errors
/// [`EncodeError::Alignment`] for an odd `lanes` or `exec` with wave64, [`EncodeError::Register`] for SGPRs that do not exist, and
/// [`EncodeError::UnsupportedSequence`] on GFX11 and later, which need no loop because they put overlapping quads into different waves.
pub fn intrawave_loop(gfx: Gfx, layers: &Layers, body: &[u32]) -> Words {
    if gfx.major() >= 11 {
        return Err(EncodeError::UnsupportedSequence { what: "the intrawave loop", gfx });
    }
    let Layers { mask, wave, scratch: [pending, start, end], lanes, exec } = *layers;
    let wide = wave == WaveSize::W64;
    let op = |wave64: Op, wave32: Op| if wide { wave64 } else { wave32 };
    let mov = |dst: Reg, src: Src| Instruction::Sop1 { op: op(Op::SMovB64, Op::SMovB32), dst: Some(dst), src: Some(src) };
    let mov32 = |dst: u8, src: Src| Instruction::Sop1 { op: Op::SMovB32, dst: Some(s(dst)), src: Some(src) };
    // The mask of the quads; other bits of the argument have no meaning.
    let quads = Src::Literal((1 << wave.quads()) - 1);
    let head = [
        sop2(Op::SAndB32, pending, Src::s(mask), quads),
        mov32(start, Src::Int(0)),
        mov(s(exec), Src::Reg(Reg::ExecLo)),
        // Loop: the layer ends where the next one starts, or with the wave.
        compare(Op::SCmpEqU32, pending, Src::Int(0)),
        Instruction::plain(Op::SCbranchScc1),
        Instruction::Sop1 { op: Op::SFf1I32B32, dst: Some(s(end)), src: Some(Src::s(pending)) },
        Instruction::Sop1 { op: Op::SBitset0B32, dst: Some(s(pending)), src: Some(Src::s(end)) },
        sop2(Op::SLshlB32, end, Src::s(end), Src::Int(2)),
        sop2(Op::SSubI32, lanes, Src::s(end), Src::s(start)),
        // The width of the bit field mask has 6 bits, so a whole wave would count as 0 lanes. A layer followed by another layer is always smaller.
        Instruction::Sop2 { op: op(Op::SBfmB64, Op::SBfmB32), dst: s(lanes), src: [Src::s(lanes), Src::s(start)] },
        Instruction::plain(Op::SBranch),
        // Last layer: all lanes from its start on.
        mov32(end, Src::Int(-1)),
        Instruction::Sop2 { op: op(Op::SLshlB64, Op::SLshlB32), dst: s(lanes), src: [Src::Int(-1), Src::s(start)] },
        // The body, if the layer has active lanes.
        Instruction::Sop2 { op: op(Op::SAndB64, Op::SAndB32), dst: Reg::ExecLo, src: [Src::s(exec), Src::s(lanes)] },
        Instruction::plain(Op::SCbranchExecz),
    ];
    let mut program = ShaderCode::new(gfx, head.iter().copied().map(CodeItem::from).collect());
    let (again, last, run) = (3, 11, 13);
    program.append(ShaderCode::decode(gfx, body).items());
    program.append(&release(gfx, Outstanding::VECTOR));
    let next = program.items().len();
    let tail = [mov32(start, Src::s(end)), compare(Op::SCmpEqU32, end, Src::Int(-1)), Instruction::plain(Op::SCbranchScc0), mov(Reg::ExecLo, Src::s(exec))];
    let mut items = program.items().to_vec();
    items.extend(tail.iter().copied().map(CodeItem::from));
    for (branch, target) in [(4, last), (10, run), (14, next), (next + 2, again)] {
        if let Some(item) = items.get_mut(branch) {
            item.target = Some(target);
        }
    }
    ShaderCode::new(gfx, items).encode()
}
