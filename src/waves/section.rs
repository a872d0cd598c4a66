//! A small shader with an ordered section, for a given setup: it reads, changes and writes per-pixel data.

use super::setup::Setup;
use crate::chip::Gfx;
use crate::isa::WaveSize;
use crate::isa::pops::{self, EntryRegisters, Layers, Outstanding, ProgramEnd, SectionAccess, WaitForm};
use crate::isa::{EncodeError, Instruction, Mubuf, Op, Reg, ShaderCode, Src};
use alloc::vec::Vec;

/// The parts of the shader and the registers of its arguments.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::waves::{Section, Setup};
/// let section = Section::of(&Setup::plain(Gfx::Gfx11));
/// print!("{}", pm4::isa::disassemble(Gfx::Gfx11, &section.words()?));
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// The generation.
    pub gfx: Gfx,
    /// Whether the shader has an ordered section.
    pub ordered: bool,
    /// How the section is entered.
    pub enter: EntryRegisters,
    /// The loop over layers, if the wave receives the intrawave collision word.
    pub layers: Option<Layers>,
    /// Descriptor of the per-pixel data.
    pub resource: Reg,
    /// How the program ends.
    pub end: ProgramEnd,
}

/// Returns the next multiple of `step`; 255, which is not an SGPR, if there is none.
const fn align(n: u8, step: u8) -> u8 {
    n.div_ceil(step).saturating_mul(step)
}

impl Section {
    /// Returns the shader that fits a draw's arguments.
    pub fn of(setup: &Setup) -> Self {
        let arguments = setup.arguments;
        let collision = arguments.collision_sgpr().unwrap_or(arguments.prim_mask_sgpr().saturating_add(1));
        let free = arguments.count().max(collision.saturating_add(1));
        // Numbers beyond the last SGPR are refused when the program is encoded.
        let after = |more: u8| free.saturating_add(more);
        let scratch = [after(0), after(1), after(2)];
        let layers = arguments.intrawave_sgpr().filter(|_| setup.gfx.major() <= 10).map(|mask| Layers {
            mask,
            wave: setup.wave,
            scratch,
            lanes: align(after(3), 2),
            exec: align(after(3), 2).saturating_add(2),
        });
        let resource = Reg::Sgpr(align(after(8), 4));
        Self {
            gfx: setup.gfx,
            ordered: setup.pops,
            enter: EntryRegisters { collision, scratch, form: WaitForm::Plain },
            layers,
            resource,
            end: ProgramEnd::Plain,
        }
    }

    /// Returns the words of the section's accesses: a coherent load, a wait, a coherent store.
    fn body(&self) -> Result<Vec<u32>, EncodeError> {
        let gfx = self.gfx;
        let access = |op, cache| {
            let scalar_offset = if gfx.major() >= 12 { Src::Reg(Reg::Null) } else { Src::Int(0) };
            Instruction::Mubuf(Mubuf {
                op,
                data: 1,
                address: 0,
                index_enable: true,
                offset_enable: false,
                resource: self.resource,
                scalar_offset,
                offset: 0,
                cache,
            })
        };
        let wait = if gfx.major() >= 12 {
            Instruction::plain(Op::SWaitLoadcnt)
        } else {
            crate::isa::parse(gfx, "s_waitcnt vmcnt(0)").unwrap_or(Instruction::plain(Op::SWaitcnt))
        };
        let load = access(Op::BufferLoadDword, pops::cache(gfx, SectionAccess::FirstLoad));
        let store = access(Op::BufferStoreDword, pops::cache(gfx, SectionAccess::LastStore));
        ShaderCode::new(gfx, [load, wait, store].map(Into::into).to_vec()).encode()
    }

    /// Returns the words that enter the section; empty without one.
    ///
    /// # Errors
    /// If the arguments need more SGPRs than exist.
    pub fn entry(&self) -> Result<Vec<u32>, EncodeError> {
        if self.ordered { pops::enter(self.gfx, &self.enter) } else { Ok(Vec::new()) }
    }

    /// Returns the whole program.
    ///
    /// # Errors
    /// If the generation lacks an instruction, or the arguments need more SGPRs than exist.
    pub fn words(&self) -> Result<Vec<u32>, EncodeError> {
        let mut words = self.entry()?;
        let body = self.body()?;
        match self.layers {
            Some(layers) if self.ordered => words.extend(pops::intrawave_loop(self.gfx, &layers, &body)?),
            _ => words.extend(body),
        }
        if self.ordered && self.end != ProgramEnd::OrderedDone {
            words.extend(pops::exit(self.gfx, Outstanding::VECTOR)?);
        }
        words.extend(pops::finish(self.gfx, self.end)?);
        Ok(words)
    }

    /// Returns the wave size for which the shader is written, if it depends on the size.
    pub fn wave(&self) -> Option<WaveSize> {
        self.layers.map(|layers| layers.wave)
    }
}
