//! Builds words from names: packets and registers of any generation, according to its tables.

use crate::chip::{Chip, Gfx};
use crate::packet::{Condition, Event, Field, Form, Format, Header, Queue, Scope, ShaderType, formats};
use crate::regs::{self, RegRef, Space};
use alloc::vec;
use alloc::vec::Vec;

/// Names of fields and their values.
pub(in crate::testing) type Values<'v> = &'v [(&'v str, u64)];

/// Memory that packets of the cases use.
pub(in crate::testing) const DATA: u64 = 0x80_0000_1000;

/// A writer of words for a chip and a queue. It checks nothing, because cases are wrong on purpose.
#[derive(Debug, Clone, Copy)]
pub(in crate::testing) struct Pen {
    pub chip: Chip,
    pub queue: Queue,
    /// Memory for packets without their own address.
    pub data: u64,
}

/// Returns the packet with this name, and its form on a queue.
pub(in crate::testing) fn form_of(gfx: Gfx, queue: Queue, name: &str) -> Option<(&'static Format, &'static Form)> {
    let view = Scope::queue(gfx, queue);
    let format = formats().iter().find(|format| format.name == name && format.opcode(gfx).is_some() && format.scope.intersects(view))?;
    Some((format, format.forms.iter().find(|form| !form.internal && form.scope.intersects(view))?))
}

/// Returns the dwords of the smallest body of a form, without repeated groups.
pub(in crate::testing) fn body_dwords(form: &Form, gfx: Gfx) -> usize {
    match form.repeat {
        Some(group) => usize::from(group.from) - 1,
        None => form.sizes.iter().filter(|size| size.gfx & gfx.bit() != 0).map(|size| usize::from(size.dwords) - 1).min().unwrap_or(0),
    }
}

fn holds(condition: &Condition, body: &[u32]) -> bool {
    let word = body.get(usize::from(condition.dword) - 1).copied().unwrap_or(0);
    let value = word >> condition.lo & (u32::MAX >> (31 - (condition.hi - condition.lo)));
    condition.values.contains(&value) != condition.not
}

/// Returns whether a field exists in a packet with this body.
pub(in crate::testing) fn is_there(field: &Field, view: Scope, body: &[u32]) -> bool {
    field.scope.intersects(view) && field.when.iter().all(|condition| holds(condition, body)) && usize::from(field.dword) <= body.len()
}

/// Puts a value into the bits of a field.
pub(in crate::testing) fn store(field: &Field, body: &mut [u32], value: u64) {
    let ones = u32::MAX >> (31 - (field.hi - field.lo));
    let word = &mut body[usize::from(field.dword) - 1];
    *word = *word & !(ones << field.lo) | (value as u32 & ones) << field.lo;
}

/// Puts a value into a field, or into the two fields that hold it together. Returns false if the packet, as built so far, has no such field.
pub(in crate::testing) fn put(form: &'static Form, view: Scope, body: &mut [u32], name: &str, value: u64) -> bool {
    if let Some(whole) = form.split_values.iter().find(|whole| whole.name == name && whole.scope.intersects(view)) {
        let of = |places: &[u8]| places.iter().map(|place| &form.fields[usize::from(*place)]).find(|field| is_there(field, view, body));
        if let Some(lo) = of(whole.lo) {
            let hi = of(whole.hi);
            let below = if whole.address.is_some() && lo.hi == 31 { lo.lo } else { 0 };
            store(lo, body, value >> below);
            if let Some(hi) = hi {
                store(hi, body, value >> whole.shift);
            }
            return true;
        }
    }
    let field = form.fields.iter().find(|field| field.name == name && is_there(field, view, body));
    if let Some(field) = field {
        store(field, body, value);
    }
    field.is_some()
}

impl Pen {
    pub fn new(chip: Chip, queue: Queue) -> Self {
        Self { chip, queue, data: DATA }
    }

    pub fn gfx(self) -> Gfx {
        self.chip.gfx()
    }

    pub fn on(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// Returns ten times the version of the generation: 90, 100 for GFX10.1, 103, 110, 115, 120.
    pub fn generation(self) -> u32 {
        match self.gfx().version() {
            (9, _) => 90,
            (10, 1) => 100,
            (10, _) => 103,
            (11, 0) => 110,
            (11, _) => 115,
            (major, _) => 10 * u32::from(major),
        }
    }

    /// Returns a packet by the names of its fields.
    pub fn packet(self, name: &str, values: Values<'_>) -> Vec<u32> {
        self.with_tail(name, values, &[])
    }

    /// Returns a packet with repeated groups.
    pub fn with_tail(self, name: &str, values: Values<'_>, tail: &[u32]) -> Vec<u32> {
        let found = form_of(self.gfx(), self.queue, name);
        let (_, form) = found.unwrap_or_else(|| panic!("{} has no {name} on this queue", self.chip));
        self.sized(name, body_dwords(form, self.gfx()) + 1, values, tail)
    }

    /// Returns a packet of a size in dwords, before the repeated groups.
    pub fn sized(self, name: &str, dwords: usize, values: Values<'_>, tail: &[u32]) -> Vec<u32> {
        let (format, form) = form_of(self.gfx(), self.queue, name).unwrap_or_else(|| panic!("{} has no {name} on this queue", self.chip));
        let mut body = vec![0; dwords - 1];
        for (field, value) in values {
            assert!(put(form, Scope::queue(self.gfx(), self.queue), &mut body, field, *value), "{name} of {} has no {field}", self.chip);
        }
        body.extend_from_slice(tail);
        let opcode = format.opcode(self.gfx()).unwrap_or_else(|| panic!("{} has no {name}", self.chip));
        [&[Header::type3(opcode, body.len()).0], &body[..]].concat()
    }

    /// Returns a packet in words.
    pub fn raw(self, name: &str, body: &[u32]) -> Vec<u32> {
        let (format, _) = form_of(self.gfx(), self.queue, name).unwrap_or_else(|| panic!("{} has no {name} on this queue", self.chip));
        let opcode = format.opcode(self.gfx()).unwrap_or_else(|| panic!("{} has no {name}", self.chip));
        [&[Header::type3(opcode, body.len()).0], body].concat()
    }

    pub fn has(self, register: &str) -> bool {
        regs::find(self.gfx(), register).is_some()
    }

    fn register(self, name: &str) -> RegRef {
        regs::find(self.gfx(), name).unwrap_or_else(|| panic!("{} has no {name}", self.chip))
    }

    pub fn addr(self, name: &str) -> u32 {
        self.register(name).addr()
    }

    /// Returns the offset of a context register in its packets.
    pub fn context(self, name: &str) -> u32 {
        (self.addr(name) - 0x28000) / 4
    }

    /// Writes a register, with the index that it needs.
    pub fn set(self, name: &str, value: u32) -> Vec<u32> {
        let register = self.register(name);
        self.set_at(register.addr(), register.info().index.unwrap_or(0), &[value])
    }

    /// Writes a register as fields; the others are 0.
    pub fn fields(self, name: &str, values: Values<'_>) -> Vec<u32> {
        self.set(name, self.word(name, values))
    }

    /// Returns the word of a register with these fields.
    pub fn word(self, name: &str, values: Values<'_>) -> u32 {
        let info = self.register(name).info();
        values.iter().fold(0, |word, (field, value)| {
            let field = info.field(field).unwrap_or_else(|| panic!("{name} of {} has no {field}", self.chip));
            word | (*value as u32) << field.lo & field.mask()
        })
    }

    /// Returns a plain SET packet, or one with an index.
    pub fn set_at(self, addr: u32, index: u8, values: &[u32]) -> Vec<u32> {
        let (plain, indexed, start) = match Space::of(addr) {
            Some(Space::Sh) => ("SET_SH_REG", "SET_SH_REG_INDEX", 0xB000),
            Some(Space::Context) => ("SET_CONTEXT_REG", "SET_CONTEXT_REG", 0x28000),
            Some(Space::Uconfig) => ("SET_UCONFIG_REG", "SET_UCONFIG_REG_INDEX", 0x30000),
            _ => ("SET_CONFIG_REG", "SET_CONFIG_REG", 0x8000),
        };
        // On GFX9, a separate packet with an index exists only for uconfig registers; other windows accept its bits in every packet.
        let name = if index == 0 || form_of(self.gfx(), self.queue, indexed).is_none() { plain } else { indexed };
        let mut words = self.raw(name, &[&[((addr - start) / 4) | (u32::from(index) << 28)], values].concat());
        if Space::of(addr) == Some(Space::Sh) && addr >= 0xB800 {
            words[0] = Header(words[0]).with_shader_type(ShaderType::Compute).0;
        }
        words
    }

    /// Returns a draw of three vertices.
    pub fn draw(self) -> Vec<u32> {
        self.draw_of(3)
    }

    pub fn draw_of(self, vertices: u32) -> Vec<u32> {
        // Source: automatic index.
        self.raw("DRAW_INDEX_AUTO", &[vertices, 2])
    }

    /// Returns an event with its index.
    pub fn event(self, name: &str) -> Vec<u32> {
        let event = self.event_number(name);
        let index = Event(event).index(self.gfx()).unwrap_or(0);
        self.raw("EVENT_WRITE", &[u32::from(event) | u32::from(index) << 8])
    }

    pub fn event_number(self, name: &str) -> u8 {
        let found = (0..64).find(|event| Event(*event).name(self.gfx()) == Some(name));
        found.unwrap_or_else(|| panic!("{} has no event {name}", self.chip))
    }

    /// Returns a sample event, which writes to [`DATA`].
    pub fn sample(self, name: &str, addr: u64) -> Vec<u32> {
        let event = self.event_number(name);
        let index = Event(event).index(self.gfx()).unwrap_or(0);
        self.raw("EVENT_WRITE", &[u32::from(event) | u32::from(index) << 8, addr as u32, (addr >> 32) as u32])
    }

    /// Returns what every draw needs: programs, state and rings about which no rule reports anything.
    pub fn state(self) -> Vec<u32> {
        [self.draw_state(), self.attribute_ring(), self.geometry_rings(1)].concat()
    }

    /// Returns the same as [`state`](Self::state), without the rings.
    pub fn draw_state(self) -> Vec<u32> {
        let mut words = [self.set("VGT_PRIMITIVE_TYPE", 4), self.set("CB_TARGET_MASK", 0)].concat();
        let (stages, program) = match self.generation() {
            90 => (0, ["SPI_SHADER_PGM_LO_VS", "SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"]),
            _ => (self.ngg(), ["SPI_SHADER_PGM_LO_ES", "SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"]),
        };
        words.extend(self.set("VGT_SHADER_STAGES_EN", stages));
        for (name, value) in program.into_iter().zip([0x10, 0, 0]) {
            words.extend(self.set(name, value));
        }
        // DFSM forced off.
        if self.has("DB_DFSM_CONTROL") {
            words.extend(self.fields("DB_DFSM_CONTROL", &[("PUNCHOUT_MODE", 2)]));
        }
        if self.generation() == 90 {
            words.extend(self.set("PA_SC_MODE_CNTL_0", 0));
        }
        words
    }

    /// Returns PRIMGEN_EN, if the geometry pipe can be chosen.
    pub fn ngg(self) -> u32 {
        if matches!(self.generation(), 90 | 120) { 0 } else { 1 << 13 }
    }

    pub fn attribute_ring(self) -> Vec<u32> {
        if self.generation() < 110 { Vec::new() } else { self.run("SPI_ATTRIBUTE_RING_BASE", &[1, 1]) }
    }

    /// Returns the rings of positions and primitives of GFX12.
    pub fn geometry_rings(self, base: u32) -> Vec<u32> {
        if self.generation() == 120 { self.run("GE_POS_RING_BASE", &[base, 1, 1, 1]) } else { Vec::new() }
    }

    /// Writes consecutive registers.
    pub fn run(self, first: &str, values: &[u32]) -> Vec<u32> {
        self.set_at(self.addr(first), 0, values)
    }

    /// Returns state, packets, and a draw.
    pub fn drawn(self, packets: &[Vec<u32>]) -> Vec<u32> {
        [self.state(), packets.concat(), self.draw()].concat()
    }

    /// Returns an indexed draw of the first indices of a buffer at [`DATA`].
    pub fn indexed(self, max_size: u32, count: u32) -> Vec<u32> {
        self.raw("DRAW_INDEX_2", &[max_size, DATA as u32, (DATA >> 32) as u32, count, 0])
    }

    /// Selects 16-bit indices.
    pub fn index_type(self) -> Vec<u32> {
        self.set("VGT_INDEX_TYPE", 0)
    }

    /// Returns what every dispatch needs.
    pub fn program(self) -> Vec<u32> {
        const NEEDED: [&str; 6] =
            ["COMPUTE_PGM_LO", "COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y", "COMPUTE_NUM_THREAD_Z"];
        NEEDED.iter().zip([64, 0, 0, 64, 1, 1]).flat_map(|(name, value)| self.set(name, value)).collect()
    }

    /// Returns a dispatch of one workgroup.
    pub fn dispatch(self) -> Vec<u32> {
        let mut words = self.raw("DISPATCH_DIRECT", &[1, 1, 1, 1]);
        words[0] = Header(words[0]).with_shader_type(ShaderType::Compute).0;
        words
    }

    /// Returns a 32-bit fence at the end of the pipe. On the graphics queue of GFX9, an event of the depth counters precedes it.
    pub fn release(self, addr: u64, value: u32) -> Vec<u32> {
        let release = self.release_words(u32::from(self.event_number("BOTTOM_OF_PIPE_TS")) | 5 << 8, 1 << 29, addr, value);
        let first = if self.generation() == 90 && self.queue == Queue::Graphics { self.sample("ZPASS_DONE", self.data + 0x400) } else { Vec::new() };
        [first, release].concat()
    }

    pub fn release_words(self, event: u32, select: u32, addr: u64, value: u32) -> Vec<u32> {
        self.raw("RELEASE_MEM", &[event, select, addr as u32, (addr >> 32) as u32, value, 0, 0])
    }

    /// Makes ME wait until memory equals a value.
    pub fn wait(self, addr: u64, value: u32) -> Vec<u32> {
        self.raw("WAIT_REG_MEM", &[0x13, addr as u32, (addr >> 32) as u32, value, u32::MAX, 4])
    }

    /// Makes ME write a dword to memory.
    pub fn write(self, addr: u64, value: u32) -> Vec<u32> {
        self.raw("WRITE_DATA", &[5 << 8 | 1 << 20, addr as u32, (addr >> 32) as u32, value])
    }

    /// Returns COND_EXEC: the following dwords run if the memory is not 0.
    pub fn cond_exec(self, addr: u64, dwords: u32) -> Vec<u32> {
        self.packet("COND_EXEC", &[("addr", addr), ("exec_count", u64::from(dwords))])
    }

    /// Returns ACQUIRE_MEM of a range in units of 256 bytes, with two words of actions.
    pub fn acquire_range(self, actions: u32, gcr: u32, base: u32, size: u64) -> Vec<u32> {
        let mut body = vec![actions, size as u32, (size >> 32) as u32, base, 0, 10];
        if self.generation() > 90 {
            body.push(gcr);
        }
        self.raw("ACQUIRE_MEM", &body)
    }

    /// Returns ACQUIRE_MEM of all memory.
    pub fn acquire(self, actions: u32, gcr: u32) -> Vec<u32> {
        self.acquire_range(actions, gcr, 0, 0xFF_FFFF_FFFF)
    }

    /// Returns a pixel wait sync of all memory at a stage.
    pub fn pixel_wait(self, stage: u32, gcr: u32) -> Vec<u32> {
        self.raw("ACQUIRE_MEM", &[stage << 11 | 1 << 17, u32::MAX, 0xFF, 0, 0, 1 << 31, gcr])
    }

    /// Makes PFP wait for ME.
    pub fn sync(self) -> Vec<u32> {
        self.raw("PFP_SYNC_ME", &[0])
    }

    pub fn nop(self) -> Vec<u32> {
        vec![Header::NOP1.0]
    }
}
