//! Named mistakes in the shader or the draw's registers, each with the verdict that the model must reach.
//!
//! Sources: POPS article, sections Shader code and Drawing context setup; PAL for the two axioms. The article states that the RDNA1 and RDNA2 manuals give
//! wrong positions and widths; the positions in `twelve-bit-layout` are an example, not a quotation.

use super::code::waits_for_export;
use super::report::Report;
use super::section::Section;
use super::setup::Axiom;
use crate::chip::Gfx;
use crate::isa::pops::collision;
use crate::isa::{CodeItem, EncodeError, Export, Instruction, Op, ShaderCode, Src, message};
use alloc::vec::Vec;
use strum::{Display, IntoStaticStr};

/// The verdict that a run must reach.
///
/// ```
/// use pm4::{chip::{Chip, Gfx}, waves::{self, ExpectedVerdict, Mutation, RunOptions, Section, Setup}};
/// # #[cfg(feature = "gfx10")] {
/// let setup = Setup::plain(Gfx::Gfx10);
/// let no_done = Mutation::find("no-done").unwrap();
/// let expected = no_done.verdict(Gfx::Gfx10, &waves::axioms(Chip::Navi10)).unwrap();
/// assert_eq!(expected, ExpectedVerdict::Hang);
/// let report = waves::run(&setup, &no_done.program(&Section::of(&setup))?, RunOptions::default());
/// assert!(expected.holds(&report));
/// # }
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ExpectedVerdict {
    /// Accesses in the wrong order.
    Violation,
    /// Waves that never end.
    Hang,
    /// Either of the two.
    #[strum(serialize = "hang or violation")]
    HangOrViolation,
    /// A broken rule of the ordered section.
    #[strum(serialize = "protocol error")]
    ProtocolError,
    /// No mistake: the change is harmless.
    Harmless,
}

impl ExpectedVerdict {
    /// Returns whether a report has this verdict. It may contain other findings as well.
    pub fn holds(self, report: &Report) -> bool {
        match self {
            Self::Violation => report.violations > 0,
            Self::Hang => report.hung_waves > 0,
            Self::HangOrViolation => report.violations + report.hung_waves > 0,
            Self::ProtocolError => report.protocol_errors > 0,
            Self::Harmless => report.is_clean(),
        }
    }
}

/// The value that a mutation gives a field.
///
/// For an example see [`FieldChange`](crate::waves::FieldChange).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedField {
    /// This number.
    Is(u32),
    /// The value of PA_SC_AA_CONFIG.MSAA_EXPOSED_SAMPLES.
    ExposedSamples,
}

/// A field of the draw's registers that a mutation changes, if the generation has the field.
///
/// ```
/// use pm4::waves::{FieldChange, ForcedField, Mutation};
/// let drain = Mutation::find("axiom-missed-overlap").unwrap().fields().last();
/// assert_eq!(drain, Some(&FieldChange { register: "DB_DFSM_CONTROL", field: "POPS_DRAIN_PS_ON_OVERLAP", value: ForcedField::Is(0) }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldChange {
    /// The register.
    pub register: &'static str,
    /// The field.
    pub field: &'static str,
    /// Its new value.
    pub value: ForcedField,
}

const fn set(register: &'static str, field: &'static str, value: u32) -> FieldChange {
    FieldChange { register, field, value: ForcedField::Is(value) }
}

enum Change {
    ShaderCode(fn(&mut ShaderCode, &Section) -> Result<(), EncodeError>),
    State(&'static [FieldChange]),
}

/// The chips on which a mutation exists, and its verdict there.
enum Scope {
    /// Generations from one version to another.
    From((u8, u8), (u8, u8), ExpectedVerdict),
    /// The chips of an axiom.
    Axiom(Axiom, ExpectedVerdict),
}

/// A named mistake.
///
/// ```
/// use pm4::{chip::Gfx, waves::{Mutation, Section, Setup}};
/// let late = Mutation::find("no-done").unwrap();
/// let words = late.program(&Section::of(&Setup::plain(Gfx::Gfx10)))?;
/// println!("{}: {} dwords", late.breaks, words.len());
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
pub struct Mutation {
    /// Its name.
    pub name: &'static str,
    /// What it breaks, in a sentence.
    pub breaks: &'static str,
    scopes: &'static [Scope],
    change: Change,
}

impl core::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Mutation").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Mutation {
    /// Returns the verdict on a generation; None if the mutation does not exist. `axioms` are those of the chip: its errata.
    pub fn verdict(&self, gfx: Gfx, axioms: &[Axiom]) -> Option<ExpectedVerdict> {
        self.scopes.iter().find_map(|scope| match scope {
            Scope::From(first, last, verdict) => (*first..=*last).contains(&gfx.version()).then_some(*verdict),
            Scope::Axiom(axiom, verdict) => axioms.contains(axiom).then_some(*verdict),
        })
    }

    /// Returns the mutated words of a section.
    ///
    /// # Errors
    /// If the words cannot be encoded.
    pub fn program(&self, section: &Section) -> Result<Vec<u32>, EncodeError> {
        let words = section.words()?;
        let Change::ShaderCode(change) = &self.change else { return Ok(words) };
        let mut program = ShaderCode::decode(section.gfx, &words);
        change(&mut program, section)?;
        program.encode()
    }

    /// Returns the fields of the draw's registers that the mutation changes; empty for a mistake in the shader.
    pub fn fields(&self) -> &'static [FieldChange] {
        if let Change::State(fields) = self.change { fields } else { &[] }
    }

    /// Returns the mutation with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        MUTATIONS.iter().find(|m| m.name == name)
    }
}

const OLD: ((u8, u8), (u8, u8)) = ((9, 0), (10, 3));
const GFX9: ((u8, u8), (u8, u8)) = ((9, 0), (9, 0));
const GFX10: ((u8, u8), (u8, u8)) = ((10, 1), (10, 3));
const NEW: ((u8, u8), (u8, u8)) = ((11, 0), (12, 0));

const fn on(range: ((u8, u8), (u8, u8)), verdict: ExpectedVerdict) -> Scope {
    Scope::From(range.0, range.1, verdict)
}

fn is_op(wanted: Op) -> impl Fn(&Instruction) -> bool {
    move |instruction| match instruction {
        Instruction::Sop2 { op, .. }
        | Instruction::Sop1 { op, .. }
        | Instruction::Sopc { op, .. }
        | Instruction::Sopk { op, .. }
        | Instruction::Sopp { op, .. } => *op == wanted,
        _ => false,
    }
}

fn is_done_message(instruction: &Instruction) -> bool {
    *instruction == Instruction::Sopp { op: Op::SSendmsg, imm: message::ORDERED_PS_DONE }
}

fn is_export(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Exp(_))
}

fn is_memory(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Mubuf(_))
}

/// Replaces the first wanted instruction.
fn replace(program: &mut ShaderCode, wanted: impl Fn(&Instruction) -> bool, instruction: Instruction) {
    if let Some(at) = program.find(wanted) {
        program.replace(at, instruction);
    }
}

/// Replaces the first wanted instruction with an s_nop, which also has one dword.
fn skip(program: &mut ShaderCode, wanted: impl Fn(&Instruction) -> bool) {
    replace(program, wanted, Instruction::plain(Op::SNop));
}

/// Changes the fields that the first three s_bfe_u32 and the s_and_b32 extract from COLLISION_WAVEID.
fn extract(program: &mut ShaderCode, from: u32, to: u32) {
    for at in 0..program.items().len() {
        if let Instruction::Sop2 { op, dst, src: [argument, Src::Literal(value)] } = program.items()[at].instruction
            && value == from
        {
            program.replace(at, Instruction::Sop2 { op, dst, src: [argument, Src::constant(to)] });
        }
    }
}

const fn bits(lo: u32, width: u32) -> u32 {
    width << 16 | lo
}

/// Inserts the entry of the section before the first wanted instruction.
fn enter_again(program: &mut ShaderCode, section: &Section, wanted: impl Fn(&Instruction) -> bool, after: usize) -> Result<(), EncodeError> {
    let entry = ShaderCode::decode(section.gfx, &section.entry()?);
    if let Some(at) = program.find(wanted) {
        program.insert(at + after, entry.items());
    }
    Ok(())
}

/// Moves the first wanted instruction before the accesses.
fn before_body(program: &mut ShaderCode, wanted: impl Fn(&Instruction) -> bool) {
    let Some(at) = program.find(wanted) else { return };
    let item: CodeItem = program.items()[at];
    program.remove(at);
    if let Some(body) = program.find(is_memory) {
        program.insert(body, &[item]);
        // Jumps to the body execute the moved instruction too.
        program.retarget(body + 1, body);
    }
}

fn remove_release(program: &mut ShaderCode) {
    let Some(last) = program.items().iter().rposition(|item| is_memory(&item.instruction)) else { return };
    let wait = |i: &Instruction| [Op::SWaitcnt, Op::SWaitcntVscnt, Op::SWaitLoadcnt, Op::SWaitStorecnt].iter().any(|op| is_op(*op)(i));
    for at in (last + 1..program.items().len()).rev() {
        if wait(&program.items()[at].instruction) {
            program.remove(at);
        }
    }
}

fn remap(section: &Section, minuend: i8) -> Instruction {
    let current = crate::isa::Reg::Sgpr(section.enter.scratch[2]);
    Instruction::Sop2 { op: Op::SSubI32, dst: current, src: [Src::Int(minuend), Src::Reg(current)] }
}

/// All mutations, those of the shader first.
pub static MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "no-overlap-test",
        breaks: "the wait runs although bit 31 of COLLISION_WAVEID shows no overlap",
        scopes: &[on(OLD, ExpectedVerdict::Hang)],
        change: Change::ShaderCode(|program, _| {
            skip(program, is_op(Op::SCbranchScc0));
            Ok(())
        }),
    },
    Mutation {
        name: "no-wrap-fix",
        breaks: "GFX9 without the 1 added to an overlapped id from before the wrap",
        scopes: &[on(GFX9, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, _| {
            skip(program, is_op(Op::SAddcU32));
            Ok(())
        }),
    },
    Mutation {
        name: "wrap-fix-on-gfx10",
        breaks: "GFX10 with the 1 that GFX9 needs: waits for one wave too many",
        scopes: &[on(GFX10, ExpectedVerdict::Harmless)],
        change: Change::ShaderCode(|program, section| {
            let [_, newest, current] = section.enter.scratch.map(crate::isa::Reg::Sgpr);
            let fix = [
                Instruction::Sopc { op: Op::SCmpGtU32, src: [Src::Reg(newest), Src::Reg(current)] },
                Instruction::Sop2 { op: Op::SAddcU32, dst: newest, src: [Src::Reg(newest), Src::Int(0)] },
            ];
            if let Some(at) = program.find(is_op(Op::SNotB32)) {
                program.insert(at, &fix.map(Into::into));
            }
            Ok(())
        }),
    },
    Mutation {
        name: "packer-not-set",
        breaks: "the poll runs without a packer in MODE or POPS_PACKER (hardware hangs)",
        scopes: &[on(OLD, ExpectedVerdict::ProtocolError)],
        change: Change::ShaderCode(|program, _| {
            skip(program, |i| matches!(i, Instruction::Setreg { .. }));
            Ok(())
        }),
    },
    Mutation {
        name: "mode-without-plus-one",
        breaks: "GFX9 writes the packer id to MODE instead of the packer's bit: packer 0 becomes none, packer 1 becomes 0",
        scopes: &[on(GFX9, ExpectedVerdict::ProtocolError)],
        change: Change::ShaderCode(|program, _| {
            skip(program, is_op(Op::SAddI32));
            Ok(())
        }),
    },
    Mutation {
        name: "one-bit-packer",
        breaks: "GFX10 takes one bit of the packer id, as on GFX9: packers 2 and 3 become 0 and 1",
        scopes: &[on(GFX10, ExpectedVerdict::HangOrViolation)],
        change: Change::ShaderCode(|program, _| {
            extract(program, bits(28, 2), bits(28, 1));
            Ok(())
        }),
    },
    Mutation {
        name: "at-or-past",
        breaks: "the wait ends when the exiting wave is the newest overlapped one, not past it (<= for <)",
        scopes: &[on(OLD, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, _| {
            if let Some(at) = program.find(is_op(Op::SCmpLtU32))
                && let Instruction::Sopc { src, .. } = program.items()[at].instruction
            {
                program.replace(at, Instruction::Sopc { op: Op::SCmpLeU32, src });
            }
            Ok(())
        }),
    },
    Mutation {
        name: "no-remap",
        breaks: "10-bit ids are compared as they are: correct until they wrap",
        scopes: &[on(OLD, ExpectedVerdict::HangOrViolation)],
        change: Change::ShaderCode(|program, section| {
            let current = crate::isa::Reg::Sgpr(section.enter.scratch[2]);
            replace(program, is_op(Op::SNotB32), Instruction::Sop1 { op: Op::SMovB32, dst: Some(current), src: Some(Src::Int(0)) });
            Ok(())
        }),
    },
    Mutation {
        name: "negated-current",
        breaks: "ids are remapped with -current instead of ~current: the wave's own id becomes the smallest",
        scopes: &[on(OLD, ExpectedVerdict::Hang)],
        change: Change::ShaderCode(|program, section| {
            replace(program, is_op(Op::SNotB32), remap(section, 0));
            Ok(())
        }),
    },
    Mutation {
        name: "one-minus-current",
        breaks: "ids are remapped with 1 - current instead of ~current",
        // Few waves wait for too little; a run may show only the waves that wait for themselves.
        scopes: &[on(OLD, ExpectedVerdict::HangOrViolation)],
        change: Change::ShaderCode(|program, section| {
            replace(program, is_op(Op::SNotB32), remap(section, 1));
            Ok(())
        }),
    },
    Mutation {
        name: "twelve-bit-layout",
        breaks: "COLLISION_WAVEID read with ids of 12 bits, for example newest [23:12] and current [11:0]: the RDNA1 and RDNA2 manuals print wrong widths and places",
        scopes: &[on(OLD, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, _| {
            extract(program, bits(16, 10), bits(12, 12));
            extract(program, collision::ID_MASK, 0xFFF);
            Ok(())
        }),
    },
    Mutation {
        name: "enter-twice",
        breaks: "the wait runs a second time before the section is left, which is allowed",
        scopes: &[on(OLD, ExpectedVerdict::Harmless), on(NEW, ExpectedVerdict::Harmless)],
        change: Change::ShaderCode(|program, section| enter_again(program, section, is_memory, 0)),
    },
    Mutation {
        name: "wait-again-after-done",
        breaks: "the wait runs again after the section was left",
        scopes: &[on(OLD, ExpectedVerdict::Hang)],
        change: Change::ShaderCode(|program, section| enter_again(program, section, is_done_message, 1)),
    },
    Mutation {
        name: "done-before-memory",
        breaks: "the section is left while its accesses are outstanding",
        scopes: &[on(OLD, ExpectedVerdict::Violation), on(NEW, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, _| {
            remove_release(program);
            Ok(())
        }),
    },
    Mutation {
        name: "done-before-body",
        breaks: "the section is left before its accesses are issued",
        scopes: &[on(OLD, ExpectedVerdict::Violation), on(NEW, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, section| {
            if section.gfx.major() >= 11 {
                before_body(program, is_export)
            } else {
                before_body(program, is_done_message)
            }
            Ok(())
        }),
    },
    Mutation {
        name: "done-twice",
        breaks: "ORDERED_PS_DONE is sent twice",
        scopes: &[on(OLD, ExpectedVerdict::ProtocolError)],
        change: Change::ShaderCode(|program, _| {
            if let Some(at) = program.find(is_done_message) {
                program.insert(at, &[program.items()[at]]);
            }
            Ok(())
        }),
    },
    Mutation {
        name: "done-and-ordered-end",
        breaks: "ORDERED_PS_DONE is sent, and s_endpgm_ordered_ps_done sends it again",
        scopes: &[on(OLD, ExpectedVerdict::ProtocolError)],
        change: Change::ShaderCode(|program, _| {
            replace(program, is_op(Op::SEndpgm), Instruction::plain(Op::SEndpgmOrderedPsDone));
            Ok(())
        }),
    },
    Mutation {
        name: "no-done",
        breaks: "the wave ends with its packer set and without ORDERED_PS_DONE",
        scopes: &[on(OLD, ExpectedVerdict::Hang)],
        change: Change::ShaderCode(|program, _| {
            program.remove_where(is_done_message);
            Ok(())
        }),
    },
    Mutation {
        name: "no-export",
        breaks: "the shader exports nothing: not ordered on GFX10, not allowed on GFX9",
        scopes: &[on(GFX9, ExpectedVerdict::ProtocolError), on(GFX10, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, _| {
            program.remove_where(is_export);
            Ok(())
        }),
    },
    Mutation {
        name: "no-wait-event",
        breaks: "the section is not waited for",
        scopes: &[on(NEW, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, _| {
            program.remove_where(is_op(Op::SWaitEvent));
            Ok(())
        }),
    },
    Mutation {
        name: "wait-event-inverted",
        breaks: "the immediate of s_wait_event disables the wait: 1 on GFX11; on GFX12, which inverted the bit, the 0 of GFX11",
        scopes: &[on(NEW, ExpectedVerdict::Violation)],
        change: Change::ShaderCode(|program, section| {
            let imm = [0, 1].into_iter().find(|imm| !waits_for_export(section.gfx, *imm)).unwrap_or(1);
            replace(program, is_op(Op::SWaitEvent), Instruction::Sopp { op: Op::SWaitEvent, imm });
            Ok(())
        }),
    },
    Mutation {
        name: "no-done-export",
        breaks: "the shader exports nothing, so it never leaves its section",
        scopes: &[on(NEW, ExpectedVerdict::Hang)],
        change: Change::ShaderCode(|program, _| {
            program.remove_where(is_export);
            Ok(())
        }),
    },
    Mutation {
        name: "export-without-done",
        breaks: "the last export lacks DONE, so the wave never leaves its section",
        scopes: &[on(NEW, ExpectedVerdict::Hang)],
        change: Change::ShaderCode(|program, section| {
            replace(program, is_export, Instruction::Exp(Export { done: false, ..Export::nothing(section.gfx) }));
            Ok(())
        }),
    },
    Mutation {
        name: "load-in-shader-only",
        breaks: "LOAD_COLLISION_WAVEID is off in PA_SC_SHADER_CONTROL: the SGPRs hold other values than the shader expects",
        scopes: &[on(OLD, ExpectedVerdict::ProtocolError)],
        change: Change::State(&[set("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0)]),
    },
    Mutation {
        name: "load-in-scan-converter-only",
        breaks: "LOAD_COLLISION_WAVEID is off in SPI_SHADER_PGM_RSRC2_PS: the SGPRs hold other values than the shader expects",
        scopes: &[on(OLD, ExpectedVerdict::ProtocolError)],
        change: Change::State(&[set("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0)]),
    },
    Mutation {
        name: "no-export-space",
        breaks: "colour and depth formats are 0, so exports are skipped: not ordered up to GFX10.3 (GFX9 unverified), a hang from GFX11 on",
        scopes: &[on(OLD, ExpectedVerdict::Violation), on(NEW, ExpectedVerdict::Hang)],
        change: Change::State(&[
            set("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT", 0),
            set("SPI_SHADER_COL_FORMAT", "COL1_EXPORT_FORMAT", 0),
            set("SPI_SHADER_Z_FORMAT", "Z_EXPORT_FORMAT", 0),
        ]),
    },
    Mutation {
        name: "overlap-by-sample",
        breaks: "the registers compare samples where the shader relies on pixels (caught with pixel interlock and several samples)",
        scopes: &[on(OLD, ExpectedVerdict::Violation), on(NEW, ExpectedVerdict::Violation)],
        change: Change::State(&[
            FieldChange { register: "DB_SHADER_CONTROL", field: "POPS_OVERLAP_NUM_SAMPLES", value: ForcedField::ExposedSamples },
            FieldChange { register: "DB_SHADER_CONTROL", field: "OVERRIDE_INTRINSIC_RATE", value: ForcedField::ExposedSamples },
        ]),
    },
    Mutation {
        name: "too-few-depth-samples",
        breaks: "DB_Z_INFO.NUM_SAMPLES is 0 without a depth target: only sample 0 is compared (caught with several samples)",
        scopes: &[Scope::From((11, 0), (11, 5), ExpectedVerdict::Violation)],
        change: Change::State(&[set("DB_Z_INFO", "NUM_SAMPLES", 0)]),
    },
    Mutation {
        name: "axiom-missed-overlap",
        breaks: "8 depth samples without POPS_DRAIN_PS_ON_OVERLAP (axiom: the erratum pops_missed_overlap loses overlaps)",
        scopes: &[Scope::Axiom(Axiom::MissedOverlap, ExpectedVerdict::Violation)],
        change: Change::State(&[set("DB_Z_INFO", "FORMAT", 3), set("DB_Z_INFO", "NUM_SAMPLES", 3), set("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP", 0)]),
    },
    Mutation {
        name: "axiom-stalled-pops",
        breaks: "POPS_DRAIN_PS_ON_OVERLAP without PSLC_ON_HANG_ONLY (axiom: the erratum stalled_pops hangs)",
        scopes: &[Scope::Axiom(Axiom::StalledPops, ExpectedVerdict::Hang)],
        change: Change::State(&[set("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP", 1), set("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", 0)]),
    },
    Mutation {
        name: "drain",
        breaks: "overlapped waves are drained first, with PSLC_ON_HANG_ONLY as Navi1x needs it: slow, but correct",
        scopes: &[on(OLD, ExpectedVerdict::Harmless)],
        change: Change::State(&[set("DB_DFSM_CONTROL", "POPS_DRAIN_PS_ON_OVERLAP", 1), set("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", 1)]),
    },
];
