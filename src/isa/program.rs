//! Programs: instructions in order, with branches that know their targets.

use super::error::EncodeError;
use super::instruction::Instruction;
use crate::chip::Gfx;
use alloc::vec::Vec;
use core::fmt;

/// One instruction of a program.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{CodeItem, Instruction, Op, ShaderCode};
/// // Skips instruction 1 where SCC is set.
/// let skip = CodeItem { instruction: Instruction::plain(Op::SCbranchScc1), target: Some(2) };
/// let program = ShaderCode::new(Gfx::Gfx9, vec![skip, Instruction::plain(Op::SBarrier).into(), Instruction::plain(Op::SEndpgm).into()]);
/// assert_eq!(program.encode()?, [0xBF85_0001, 0xBF8A_0000, 0xBF81_0000]);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeItem {
    /// The instruction. Encoding the program determines the immediate of a branch with a target.
    pub instruction: Instruction,
    /// The number of the instruction that is the target of a branch; the number after the last instruction is the end of the program.
    pub target: Option<usize>,
}

impl From<Instruction> for CodeItem {
    fn from(instruction: Instruction) -> Self {
        Self { instruction, target: None }
    }
}

/// Instructions that can be read, changed and written back: branches follow their targets.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::isa::{Instruction, Op, ShaderCode};
///
/// let words = [0xBF85_0001, 0xBF80_0000, 0xBF81_0000]; // s_cbranch_scc1 over an s_nop, s_endpgm
/// let mut program = ShaderCode::decode(Gfx::Gfx9, &words);
/// program.insert(1, &[Instruction::plain(Op::SNop).into()]);
/// assert_eq!(program.encode()?, [0xBF85_0002, 0xBF80_0000, 0xBF80_0000, 0xBF81_0000]);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShaderCode {
    gfx: Gfx,
    items: Vec<CodeItem>,
}

impl ShaderCode {
    /// Creates a program of the given instructions.
    pub fn new(gfx: Gfx, items: Vec<CodeItem>) -> Self {
        Self { gfx, items }
    }

    /// Reads all of `words`. A branch to the middle of an instruction or out of the program keeps its immediate and has no target.
    pub fn decode(gfx: Gfx, words: &[u32]) -> Self {
        let mut items: Vec<CodeItem> = Vec::new();
        let mut starts = Vec::new();
        let mut at = 0;
        while let Some(instruction) = words.get(at..).and_then(|rest| Instruction::decode(gfx, rest)) {
            starts.push(at);
            at += dwords(gfx, &instruction);
            items.push(instruction.into());
        }
        starts.push(at);
        for (n, item) in items.iter_mut().enumerate() {
            let Some((branch, after)) = item.instruction.branch().zip(starts.get(n + 1)) else { continue };
            let target = *after as i64 + i64::from(branch);
            item.target = usize::try_from(target).ok().and_then(|target| starts.binary_search(&target).ok());
        }
        Self { gfx, items }
    }

    /// Returns the generation.
    pub fn gfx(&self) -> Gfx {
        self.gfx
    }

    /// Returns the instructions.
    pub fn items(&self) -> &[CodeItem] {
        &self.items
    }

    /// Returns the number of the first instruction that satisfies `wanted`.
    pub fn find(&self, wanted: impl Fn(&Instruction) -> bool) -> Option<usize> {
        self.items.iter().position(|item| wanted(&item.instruction))
    }

    /// Adds instructions at the end; targets in `items` count from the first of them.
    pub fn append(&mut self, items: &[CodeItem]) {
        let base = self.items.len();
        self.items.extend(items.iter().map(|item| CodeItem { target: item.target.map(|t| t.saturating_add(base)), ..*item }));
    }

    /// Inserts instructions before number `at`. A branch to `at` still goes to the instruction that was there; targets in `items` count from the first inserted
    /// instruction. If `at` is beyond the end, the instructions are appended.
    pub fn insert(&mut self, at: usize, items: &[CodeItem]) {
        let at = at.min(self.items.len());
        for item in &mut self.items {
            item.target = item.target.map(|t| if t >= at { t.saturating_add(items.len()) } else { t });
        }
        let inserted = items.iter().map(|item| CodeItem { target: item.target.map(|t| t.saturating_add(at)), ..*item });
        self.items.splice(at..at, inserted);
    }

    /// Replaces instruction `at`; nothing changes if there is no such instruction.
    pub fn replace(&mut self, at: usize, instruction: Instruction) {
        if let Some(item) = self.items.get_mut(at) {
            *item = instruction.into();
        }
    }

    /// Removes instruction `at`. A branch to it then goes to the next instruction. Nothing changes if there is no such instruction.
    pub fn remove(&mut self, at: usize) {
        if at >= self.items.len() {
            return;
        }
        self.items.remove(at);
        for item in &mut self.items {
            item.target = item.target.map(|t| if t > at { t - 1 } else { t });
        }
    }

    /// Redirects branches from instruction `from` to instruction `to`.
    pub fn retarget(&mut self, from: usize, to: usize) {
        for item in &mut self.items {
            item.target = item.target.map(|t| if t == from { to } else { t });
        }
    }

    /// Removes the instructions that satisfy `unwanted`.
    pub fn remove_where(&mut self, unwanted: impl Fn(&Instruction) -> bool) {
        for at in (0..self.items.len()).rev() {
            if self.items.get(at).is_some_and(|item| unwanted(&item.instruction)) {
                self.remove(at);
            }
        }
    }

    /// Returns the offset of each instruction in dwords, followed by the length of the program.
    pub fn starts(&self) -> Vec<usize> {
        let mut at = 0;
        let mut starts: Vec<usize> = Vec::with_capacity(self.items.len() + 1);
        for item in &self.items {
            starts.push(at);
            at += dwords(self.gfx, &item.instruction);
        }
        starts.push(at);
        starts
    }

    /// Returns the instruction with the immediate for its target.
    fn resolved(&self, n: usize, item: &CodeItem, starts: &[usize]) -> Result<Instruction, EncodeError> {
        let Some(target) = item.target else { return Ok(item.instruction) };
        let unreachable = EncodeError::Branch { at: n };
        let (to, after) = (starts.get(target).ok_or(unreachable)?, starts.get(n + 1).ok_or(unreachable)?);
        let distance = i16::try_from(*to as i64 - *after as i64).map_err(|_| unreachable)? as u16;
        Ok(match item.instruction {
            Instruction::Sopp { op, .. } => Instruction::Sopp { op, imm: distance },
            Instruction::Sopk { op, reg, .. } => Instruction::Sopk { op, reg, imm: distance },
            other => other,
        })
    }

    /// Returns the encoded dwords.
    ///
    /// # Errors
    /// If the generation lacks an instruction, or a branch cannot reach its target.
    pub fn encode(&self) -> Result<Vec<u32>, EncodeError> {
        let starts = self.starts();
        let mut words = Vec::with_capacity(starts.last().copied().unwrap_or(0));
        for (n, item) in self.items.iter().enumerate() {
            words.extend_from_slice(&self.resolved(n, item, &starts)?.encode(self.gfx)?);
        }
        Ok(words)
    }

    /// Returns one instruction in assembly, with the immediate for its target.
    pub fn line(&self, n: usize) -> impl fmt::Display {
        self.line_of(n, &self.starts())
    }

    /// Returns one instruction in assembly as [`line`](Self::line) does, given the result of [`starts`](Self::starts), for callers that need many lines.
    pub(crate) fn line_of(&self, n: usize, starts: &[usize]) -> impl fmt::Display + use<> {
        let item = self.items.get(n);
        let instruction = item.map(|item| self.resolved(n, item, starts).unwrap_or(item.instruction));
        Line(instruction, self.gfx)
    }
}

struct Line(Option<Instruction>, Gfx);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(instruction) => instruction.text(self.1).fmt(f),
            None => f.write_str("(end of the program)"),
        }
    }
}

/// Prints one instruction per line: offset in bytes, assembly, dwords, and the target of a branch.
impl fmt::Display for ShaderCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let starts = self.starts();
        for (n, (item, start)) in self.items.iter().zip(&starts).enumerate() {
            let instruction = self.resolved(n, item, &starts).unwrap_or(item.instruction);
            let text = alloc::format!("{}", instruction.text(self.gfx));
            write!(f, "{:5x}:  {text:56}", start * 4)?;
            if let Ok(words) = instruction.encode(self.gfx) {
                words.iter().try_for_each(|word| write!(f, " {word:08x}"))?;
            }
            if let Some(to) = item.target.and_then(|target| starts.get(target)) {
                write!(f, "  -> {:x}", to * 4)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Returns the number of dwords of an instruction; 1 if it cannot be encoded.
fn dwords(gfx: Gfx, instruction: &Instruction) -> usize {
    instruction.encode(gfx).map_or(1, |words| words.len())
}

/// Disassembles a stream, one instruction per line. Works for any dwords.
pub fn disassemble(gfx: Gfx, words: &[u32]) -> impl fmt::Display {
    ShaderCode::decode(gfx, words)
}
