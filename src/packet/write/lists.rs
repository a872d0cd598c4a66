//! Lists of register writes, and the packets that carry them in the fewest dwords.

use crate::chip::Gfx;
use crate::packet::rules::firmware::Firmware;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::header::{Header, ShaderType};
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::windows::{self, COMPUTE_START, Window, register_index};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::writer::Writer;
use crate::packet::write::writer_options::{RegisterForm, WriterOptions};
use alloc::vec::Vec;

/// Register writes without an order: each register is written once, with its last value.
///
/// Do not mix GRBM_GFX_INDEX with the registers that it selects in one list: their order matters.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Queue, RegisterList, Stream};
/// # #[cfg(feature = "gfx12")] {
/// let mut list = RegisterList::new();
/// list.set(0x2880C, 1);
/// list.set(0x28000, 2);
/// list.set(0x28100, 3);
/// let mut stream = Stream::growable(Gfx::Gfx12, Queue::Graphics);
/// stream.set_list(&mut list)?;
/// // SET_CONTEXT_REG_PAIRS: 7 dwords where three packets would take 9.
/// assert_eq!(stream.words(), [0xC005_B804, 0, 2, 0x40, 3, 0x203, 1]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RegisterList {
    entries: Vec<Entry>,
    sorted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    addr: u32,
    /// The order of writes; the last write of a register wins.
    order: u32,
    value: u32,
}

impl RegisterList {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a register, addressed in bytes.
    pub fn set(&mut self, addr: u32, value: u32) {
        let order = self.entries.len() as u32;
        self.sorted = self.entries.last().is_none_or(|last| self.sorted && last.addr < addr);
        self.entries.push(Entry { addr, order, value });
    }

    /// Removes all writes but keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.sorted = true;
    }

    /// Returns whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the writes by address.
    pub(in crate::packet) fn settled(&mut self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.settle().iter().map(|e| (e.addr, e.value))
    }

    /// Sorts by address, and keeps only the last write of each register.
    fn settle(&mut self) -> &[Entry] {
        if !self.sorted {
            self.entries.sort_unstable();
            self.entries.reverse();
            self.entries.dedup_by_key(|e| e.addr);
            self.entries.reverse();
            for (order, entry) in self.entries.iter_mut().enumerate() {
                entry.order = order as u32;
            }
            self.sorted = true;
        }
        &self.entries
    }
}

impl Extend<(u32, u32)> for RegisterList {
    fn extend<I: IntoIterator<Item = (u32, u32)>>(&mut self, writes: I) {
        for (addr, value) in writes {
            self.set(addr, value);
        }
    }
}

impl FromIterator<(u32, u32)> for RegisterList {
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(writes: I) -> Self {
        let mut list = Self::new();
        list.extend(writes);
        list
    }
}

/// The part of a list that one family of packets reaches.
struct Section {
    window: Window,
    compute: bool,
    form: Form,
    /// Registers with an index leave the list and go alone.
    indexed: Option<Gfx>,
}

/// The list form that is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    None,
    Pairs(Opcode),
    /// The form for any length, and the form for short lists with its limit.
    Packed(Opcode, Option<(Opcode, usize)>),
}

/// The encoding of a section: runs longer than `longer_than` as SET packets, everything else as one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Plan {
    longer_than: usize,
    dwords: usize,
}

impl Section {
    fn of(addr: u32, gfx: Gfx, queue: Queue, options: &WriterOptions) -> Result<Self, WriteError> {
        let window = crate::packet::write::runs::window_of(addr)?;
        let compute = window == windows::SH && (queue == Queue::Compute || options.sh_by_type && addr >= COMPUTE_START);
        let asked = match window.set {
            Opcode::SET_CONTEXT_REG => options.context_form,
            Opcode::SET_SH_REG => options.sh_form,
            Opcode::SET_UCONFIG_REG => options.uconfig_form,
            _ => RegisterForm::Runs,
        };
        Ok(Self { window, compute, form: form(window, gfx, queue, options, asked), indexed: options.indexed.then_some(gfx) })
    }

    /// Returns the packets for these entries, in the fewest dwords.
    fn plan(&self, entries: &[Entry], asked: RegisterForm) -> Plan {
        let longest = self.runs(entries).map(<[Entry]>::len).max().unwrap_or(0);
        let all_runs = Plan { longer_than: 0, dwords: self.dwords(entries, 0) };
        // Lists of pairs that exceed a packet are too rare to be split.
        let too_long = 2 * entries.len() > Header::MAX_BODY;
        if self.form == Form::None || asked == RegisterForm::Runs || too_long {
            return all_runs;
        }
        if asked != RegisterForm::Fewest {
            return Plan { longer_than: longest, dwords: self.dwords(entries, longest) };
        }
        // A run of n costs n + 2; in a list its registers cost 1.5 n or 2 n. The best choice depends on the rest of the list, so all are tried.
        let candidates = (1..=longest.min(8)).map(|longer_than| Plan { longer_than, dwords: self.dwords(entries, longer_than) });
        candidates.fold(all_runs, |best, plan| if plan.dwords < best.dwords { plan } else { best })
    }

    fn dwords(&self, entries: &[Entry], longer_than: usize) -> usize {
        let mut listed = 0;
        let mut dwords = 0;
        for run in self.runs(entries) {
            match run.len() {
                n if self.index_of(run).is_some() || n > longer_than => dwords += 2 + n,
                n => listed += n,
            }
        }
        dwords
            + match (self.form, listed) {
                (_, 0) => 0,
                (_, 1) | (Form::None, _) => 2 + listed,
                (Form::Pairs(_), n) => 1 + 2 * n,
                (Form::Packed(..), n) => 2 + n.div_ceil(2) * 3,
            }
    }

    /// Returns runs of consecutive registers; a register with an index is a run by itself.
    fn runs<'a>(&self, entries: &'a [Entry]) -> impl Iterator<Item = &'a [Entry]> {
        let indexed = self.indexed;
        let alone = move |e: &Entry| indexed.is_some_and(|gfx| register_index(gfx, e.addr).is_some());
        entries.chunk_by(move |a, b| b.addr == a.addr + 4 && !alone(a) && !alone(b)).flat_map(|run| run.chunks(Header::MAX_BODY - 1))
    }

    /// Returns the index of a run that is one register with an index.
    fn index_of(&self, run: &[Entry]) -> Option<u8> {
        match (self.indexed, run) {
            (Some(gfx), [one]) => register_index(gfx, one.addr),
            _ => None,
        }
    }
}

/// Returns the list packets of a window, as far as generation, queue, firmware and the caller's wish allow (PAL gfx9CmdUtil.cpp, gfx12CmdUtil.cpp; Mesa
/// ac_pm4.c).
fn form(window: Window, gfx: Gfx, queue: Queue, options: &WriterOptions, asked: RegisterForm) -> Form {
    let firmware = &options.firmware;
    let has = |packet: Opcode| packet.available(gfx, queue) && firmware.supports(packet, gfx, queue);
    let sh = window == windows::SH;
    match (asked, window.set) {
        (RegisterForm::Runs, _) => Form::None,
        (RegisterForm::Fewest | RegisterForm::Packed, Opcode::SET_CONTEXT_REG) if gfx.major() == 11 && has(Opcode::SET_CONTEXT_REG_PAIRS_PACKED) => {
            Form::Packed(Opcode::SET_CONTEXT_REG_PAIRS_PACKED, None)
        }
        (asked, Opcode::SET_SH_REG)
            if gfx.major() == 11
                && asked != RegisterForm::Pairs
                && has(Opcode::SET_SH_REG_PAIRS_PACKED)
                && (options.sh_shadowed || asked == RegisterForm::Packed) =>
        {
            let short = if firmware.pfp >= Firmware::PFP_PACKED_N_14 && queue == Queue::Graphics { 14 } else { 8 };
            Form::Packed(Opcode::SET_SH_REG_PAIRS_PACKED, Some((Opcode::SET_SH_REG_PAIRS_PACKED_N, short)))
        }
        // Unpacked pairs of GFX11 save nothing over packed pairs and work only on PFP, so they are used only on request.
        (RegisterForm::Pairs, _) | (RegisterForm::Fewest, _) if gfx.major() == 12 || asked == RegisterForm::Pairs => {
            let opcode = match window.set {
                Opcode::SET_CONTEXT_REG => Opcode::SET_CONTEXT_REG_PAIRS,
                _ if sh => Opcode::SET_SH_REG_PAIRS,
                Opcode::SET_UCONFIG_REG => Opcode::SET_UCONFIG_REG_PAIRS,
                _ => return Form::None,
            };
            if has(opcode) { Form::Pairs(opcode) } else { Form::None }
        }
        _ => Form::None,
    }
}

impl<B: Buffer> Writer<B> {
    /// Writes a list of registers in the fewest dwords, or in the form that [`WriterOptions`] request: runs as SET packets, registers with an index alone, the
    /// rest as pairs (GFX12) or packed pairs (GFX11 with firmware that has them). An odd packed list repeats its first register. The list keeps its content.
    ///
    /// # Errors
    /// Those of [`set_reg`](Self::set_reg); nothing is written then. The list is written as a unit: it does not continue beyond the end of a range that may be
    /// skipped.
    pub fn set_list(&mut self, list: &mut RegisterList) -> Result<(), WriteError> {
        let entries = list.settle();
        // The whole list is planned before its first dword is written.
        let mut wanted = 0;
        self.sections(entries, |writer, section, part, plan| {
            writer.check(section.window.set)?;
            wanted += plan.dwords;
            if let Some(e) = part.iter().find(|e| e.addr & 3 != 0) {
                return Err(WriteError::MisalignedRegister { addr: e.addr });
            }
            section.runs(part).try_for_each(|run| match section.index_of(run) {
                Some(_) => writer.check(writer.set_indexed(section.window)),
                None if section.window == windows::CONTEXT => writer.whole(run[0].addr, run.len()),
                None => Ok(()),
            })
        })?;
        let Some(first) = entries.first() else { return Ok(()) };
        let packet = crate::packet::write::runs::window_of(first.addr)?.set;
        let room = self.buffer.room();
        if wanted > room {
            return Err(WriteError::Full { packet, wanted, room });
        }
        self.admit(packet, wanted)?;
        self.sections(entries, |writer, section, part, plan| writer.section(section, part, plan))
    }

    fn sections(
        &mut self,
        mut entries: &[Entry],
        mut each: impl FnMut(&mut Self, &Section, &[Entry], Plan) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        while let Some(first) = entries.first() {
            let section = Section::of(first.addr, self.gfx(), self.queue(), self.options())?;
            let split = section.window == windows::SH && self.options().sh_by_type && !section.compute;
            let end = if split { COMPUTE_START } else { section.window.end };
            let (part, rest) = entries.split_at(entries.partition_point(|e| e.addr < end));
            let asked = match section.window.set {
                Opcode::SET_CONTEXT_REG => self.options().context_form,
                Opcode::SET_SH_REG => self.options().sh_form,
                _ => self.options().uconfig_form,
            };
            let plan = section.plan(part, asked);
            each(self, &section, part, plan)?;
            entries = rest;
        }
        Ok(())
    }

    fn section(&mut self, section: &Section, entries: &[Entry], plan: Plan) -> Result<(), WriteError> {
        let mut listed = 0;
        self.break_run();
        for run in section.runs(entries) {
            if let Some(index) = section.index_of(run) {
                self.set_reg_indexed(run[0].addr, run[0].value, index)?;
            } else if run.len() > plan.longer_than {
                self.break_run();
                for entry in run {
                    self.join(entry.addr, &[entry.value])?;
                }
            } else {
                listed += run.len();
            }
        }
        self.break_run();
        let in_list = || section.runs(entries).filter(|run| section.index_of(run).is_none() && run.len() <= plan.longer_than).flatten();
        let offset = |e: &Entry| (e.addr - section.window.start) / 4;
        let (opcode, body) = match (section.form, listed) {
            (_, 0) => return Ok(()),
            (Form::None, _) | (_, 1) => return in_list().try_for_each(|e| self.join(e.addr, &[e.value])),
            (Form::Pairs(opcode), n) => (opcode, 2 * n),
            (Form::Packed(_, Some((short, limit))), n) if n.next_multiple_of(2) <= limit => (short, 1 + n.div_ceil(2) * 3),
            (Form::Packed(opcode, _), n) => (opcode, 1 + n.div_ceil(2) * 3),
        };
        // SET_SH_REG_PAIRS_PACKED has another number on GFX12, where this never picks it.
        let header = Header::type3(opcode, body)
            .with_shader_type(if section.compute { ShaderType::Compute } else { ShaderType::Graphics })
            .with_reset_filter_cam(self.queue() == Queue::Graphics);
        self.begin_packet(header, 1 + body)?;
        match section.form {
            Form::Packed(..) => {
                self.continued(&[listed.next_multiple_of(2) as u32]);
                let fill = in_list().next();
                let mut rest = in_list().chain(fill.filter(|_| listed % 2 == 1));
                while let (Some(a), Some(b)) = (rest.next(), rest.next()) {
                    self.continued(&[offset(a) | offset(b) << 16, a.value, b.value]);
                }
            }
            _ => in_list().for_each(|e| self.continued(&[offset(e), e.value])),
        }
        if let Some(select) = in_list().find(|e| e.addr == windows::GRBM_GFX_INDEX) {
            self.select_instances(select.value);
        }
        Ok(())
    }
}
