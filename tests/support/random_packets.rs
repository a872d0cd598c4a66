//! Random packets of every layout, generation and queue, and the known state before them.

#![allow(dead_code)] // each test uses its part

use pm4::chip::{Chip, Gfx};
use pm4::cp::QueueId;
use pm4::packet::{Action, Field, Form, Format, Header, MemoryAddress, Opcode, Packet, Queue, Reader, Scope, ShaderType, formats};
use pm4::regs::Space;
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use strum::IntoEnumIterator;

/// Memory with known words, memory of NOPs to run, and the SET_BASE bases.
pub const DATA: u64 = 0x1_0000_0000;

pub const CODE: u64 = 0x1_0010_0000;

pub const DATA_DWORDS: u64 = 0x4000;

pub const CODE_DWORDS: usize = 0x100;

/// The windows of the register file: first byte address, and the first one after the window.
pub const WINDOWS: [(u32, u32); 4] = [(0x8000, 0xB000), (0xB000, 0xC000), (0x2_8000, 0x2_9000), (0x3_0000, 0x4_0000)];

pub fn addresses() -> impl Iterator<Item = u32> {
    WINDOWS.into_iter().flat_map(|(start, end)| (start..end).step_by(4))
}

pub fn of_space(space: Space) -> std::ops::Range<u32> {
    let (start, end) = match space {
        Space::Config => WINDOWS[0],
        Space::Sh => WINDOWS[1],
        Space::Context => WINDOWS[2],
        Space::Uconfig => WINDOWS[3],
        Space::Privileged => (0, 0),
    };
    start..end
}

/// Returns the value that the prefix writes to a register. Few bits, so that operations that use it as a register stay within a window.
pub fn old_value(addr: u32) -> u32 {
    // PA_CL_CLIP_CNTL without DX_RASTERIZATION_KILL: rules on pixels judge the draws.
    let discard = if addr == 0x28810 { 1 << 22 } else { 0 };
    (addr.wrapping_mul(0x9E37_79B1) >> 8 | 1 << 30) & !discard
}

/// Dwords of the constant engine's memory (16 bits of byte offset), and the values that the prefix writes there.
pub const CONST_RAM_DWORDS: u32 = 0x1100;

pub fn const_ram(dword: u32) -> u32 {
    dword.wrapping_mul(0xC2B2_AE35) | 1
}

pub fn below(g: &mut Gen, limit: u32) -> u32 {
    u32::arbitrary(g) % limit.max(1)
}

/// A place for a packet.
#[derive(Clone, Copy)]
pub struct Seat {
    pub chip: Chip,
    /// The queue of the packet.
    pub queue: Queue,
    /// The queue whose layout it has: a different one if its own does not know the packet.
    pub read_as: Queue,
    pub format: &'static Format,
    pub form: &'static Form,
    pub dwords: usize,
}

impl Seat {
    pub fn gfx(&self) -> Gfx {
        self.chip.gfx()
    }
}

pub const QUEUES: [Queue; 3] = [Queue::Graphics, Queue::Compute, Queue::Constant];

/// Returns every layout in each of its sizes, on each queue that supports it and on one that does not.
pub fn seats() -> Vec<Seat> {
    let mut all = Vec::new();
    for gfx in Gfx::iter() {
        let chip = Chip::iter().find(|chip| chip.gfx() == gfx).expect("a chip of each generation");
        for format in formats().iter().filter(|f| f.opcode(gfx).is_some()) {
            let opcode = format.opcode(gfx).expect("an opcode");
            let known = |queue: &Queue| format.scope.intersects(Scope::queue(gfx, *queue));
            for read_as in QUEUES.into_iter().filter(known) {
                let view = Scope::queue(gfx, read_as);
                // Another packet may have the opcode there, or the same packet another layout.
                let elsewhere =
                    [Queue::Graphics, Queue::Compute].into_iter().find(|queue| !opcode.available(gfx, *queue) && QUEUES.into_iter().filter(known).count() == 1);
                for form in format.forms.iter().filter(|f| !f.internal && f.scope.intersects(view)) {
                    let fixed = form.repeat.map(|r| vec![usize::from(r.from)]);
                    let sizes = fixed.unwrap_or_else(|| form.sizes.iter().filter(|s| s.gfx & gfx.bit() != 0).map(|s| usize::from(s.dwords)).collect());
                    for dwords in sizes {
                        all.extend([Some(read_as), elsewhere].into_iter().flatten().map(|queue| Seat { chip, queue, read_as, format, form, dwords }));
                    }
                }
            }
        }
    }
    all
}

/// Returns a random value for a field.
pub fn value(g: &mut Gen, seat: &Seat, view: Scope, place: usize, field: &Field, at: u64) -> u32 {
    for whole in seat.form.split_values.iter().filter(|w| w.address.is_some()) {
        let (lo, hi) = (whole.lo.contains(&(place as u8)), whole.hi.contains(&(place as u8)));
        let at = if whole.name.contains("ib_base") || whole.name.contains("cmd_base") { CODE } else { at };
        match (lo, hi, whole.hi.is_empty()) {
            (true, _, true) => return (at as u32 & 0xFC0) >> if field.hi == 31 { field.lo } else { 0 },
            (true, ..) => return at as u32 >> if field.hi == 31 { field.lo } else { 0 },
            (_, true, _) => return (at >> 32) as u32,
            _ => {}
        }
    }
    let scope = field.scope.and(view);
    let named: Vec<u32> = field.values.map_or(vec![], |e| e.values.iter().filter(|v| v.scope.intersects(scope)).map(|v| v.value).collect());
    if let Some(&value) = g.choose(&named) {
        return value;
    }
    let (name, packet) = (field.name, seat.format.name);
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let absolute = |g: &mut Gen| {
        let (start, end) = *g.choose(&WINDOWS).expect("windows");
        start / 4 + below(g, (end - start) / 4 - 16)
    };
    match name {
        _ if has(&["_loc"]) => 0x0C + below(g, 0x20) + if seat.queue == Queue::Compute { 0x230 } else { 0 },
        _ if has(&["reg_offset"]) && !has(&["src", "dst"]) => match packet {
            _ if packet.contains("UCONFIG") => below(g, 0x3F00),
            _ if packet.contains("CONFIG") => below(g, 0xB00),
            _ => below(g, 0x3F0),
        },
        "reg_writes_count" => 1 + below(g, 8),
        _ if has(&["data_offset", "addr_offset"]) => below(g, 0x40) * 16,
        _ if has(&["mmreg", "mod_addr", "reg_poll", "reg_write", "reg_offset", "reg_and", "reg_or"]) => absolute(g),
        _ if has(&["count", "size", "num_d", "stride", "loop", "byte"]) => {
            // Long ones are rare because they cost time.
            let long = below(g, 8) == 0;
            *g.choose(if long { &[64, 65, 68, 100, 128, 260, 1024, 4096] } else { &[0, 1, 2, 4, 8, 16, 20, 32][..] }).expect("numbers")
        }
        // Offsets from a base that is also in the packet.
        _ if has(&["addr", "offset"]) && field.hi - field.lo > 15 && bool::arbitrary(g) => absolute(g),
        _ if has(&["offset"]) => below(g, 16) * 4,
        _ => u32::arbitrary(g),
    }
}

/// Returns a packet whose fields hold allowed values and whose other bits are 0. Its addresses are within the first `spread` dwords of the memory.
pub fn packet(g: &mut Gen, seat: &Seat, spread: u32) -> Vec<u32> {
    let view = Scope::queue(seat.gfx(), seat.read_as).and(seat.form.scope);
    // Two engines of a queue may read the same bits differently; the one that parses the packet first counts.
    let pfp = view.and(Scope(0x1111_1111));
    let first = if pfp == Scope::NONE { view } else { pfp };
    let fields = || seat.form.fields.iter().enumerate().filter(|(_, f)| f.scope.intersects(view));
    let shares = |a: &Field, b: &Field| a.dword == b.dword && a.lo <= b.hi && b.lo <= a.hi;
    let covered = |field: &Field| !field.scope.intersects(first) && fields().any(|(_, f)| f.scope.intersects(first) && shares(f, field));
    let (from, len) = seat.form.repeat.map_or((usize::MAX, 0), |r| (usize::from(r.from), usize::from(r.len)));
    let groups = if len == 0 { 0 } else { 1 + below(g, 5) as usize };
    let mut body = vec![0u32; seat.dwords - 1 + groups * len];
    let mut used = vec![0u32; body.len()];
    for group in 0..groups.max(1) {
        let place = |dword: u8| usize::from(dword) - 1 + if usize::from(dword) >= from { group * len } else { 0 };
        // First the fields that conditions read, then the conditional ones; three passes, for chains of conditions.
        for pass in 0..3 {
            for (index, field) in fields().filter(|(_, f)| f.when.is_empty() == (pass == 0)) {
                let at = place(field.dword);
                let mask = (u32::MAX >> (31 - (field.hi - field.lo))) << field.lo;
                let holds = || {
                    field.when.iter().all(|c| {
                        let word = body.get(place(c.dword)).copied().unwrap_or(0) >> c.lo & (u32::MAX >> (31 - (c.hi - c.lo)));
                        c.values.contains(&word) != c.not
                    })
                };
                let fresh = group == 0 || usize::from(field.dword) >= from;
                if fresh && at < body.len() && used[at] & mask == 0 && !covered(field) && holds() {
                    let target = DATA + u64::from(below(g, spread)) / 16 * 64;
                    used[at] |= mask;
                    body[at] |= value(g, seat, view, index, field, target) << field.lo & mask;
                }
            }
        }
    }
    let mut header = Header::type3(seat.format.opcode(seat.gfx()).expect("an opcode"), body.len());
    if seat.format.shader_type && bool::arbitrary(g) {
        header = header.with_shader_type(ShaderType::Compute);
    }
    // The bit has no effect without predication.
    header = header.with_predicate(seat.queue == Queue::Graphics && below(g, 4) == 0);
    [vec![header.0], body].concat()
}

/// Returns the value of a packet's field.
pub fn field(packet: &Packet<'_>, seat: &Seat, name: &str) -> u32 {
    packet.field(seat.gfx(), seat.queue, name).unwrap_or(0) as u32
}

/// Returns packets that set all registers and base addresses to known values, and sometimes enable loads.
pub fn prefix(queue: Queue, loads: bool) -> Vec<u32> {
    let mut words = Vec::new();
    let mut put = |header: Header, body: &[u32]| words.extend([&[header.0], body].concat());
    for (opcode, (start, end)) in [Opcode::SET_CONFIG_REG, Opcode::SET_SH_REG, Opcode::SET_CONTEXT_REG, Opcode::SET_UCONFIG_REG].into_iter().zip(WINDOWS) {
        for from in (start..end).step_by(0x1000) {
            let values: Vec<u32> = (from..from + 0x1000).step_by(4).map(old_value).collect();
            put(Header::type3(opcode, 0x401), &[&[(from - start) / 4], &values[..]].concat());
        }
    }
    // Select all instances.
    put(Header::type3(Opcode::SET_UCONFIG_REG, 2), &[0x200, 0xE000_0000]);
    for index in [1, 2, 4, 5, 6] {
        for bank in [ShaderType::Graphics, ShaderType::Compute] {
            let base = DATA as u32 + 0x1000 * index + if bank == ShaderType::Compute { 0x400 } else { 0 };
            put(Header::type3(Opcode::SET_BASE, 3).with_shader_type(bank), &[index, base, (DATA >> 32) as u32]);
        }
    }
    if queue == Queue::Constant {
        let ram: Vec<u32> = (0..CONST_RAM_DWORDS).map(const_ram).collect();
        put(Header::type3(Opcode::WRITE_CONST_RAM, 1 + ram.len()), &[&[0], &ram[..]].concat());
    }
    if loads && queue == Queue::Graphics {
        put(Header::type3(Opcode::CONTEXT_CONTROL, 2), &[1 << 31 | 0x0101_8003, 1 << 31]);
    }
    words
}

pub fn bases(gfx: Gfx, queue: Queue, prefix: &[u32]) -> BTreeMap<(u8, bool), u64> {
    let mut bases = BTreeMap::new();
    for packet in Reader::new(prefix).flatten() {
        for effect in packet.effects(gfx, queue) {
            if let Action::Base { index, compute, addr } = effect.action {
                bases.insert((index, compute), addr);
            }
        }
    }
    bases
}

pub fn canonical(addr: u64) -> u64 {
    addr & 0xFFFF_FFFF_FFFF
}

/// Resolves an address; None if it is unknown.
pub fn resolve(at: MemoryAddress, bases: &BTreeMap<(u8, bool), u64>) -> Option<u64> {
    match at {
        MemoryAddress::At(addr) => Some(canonical(addr)),
        MemoryAddress::Base { index, compute, offset } => bases.get(&(index, compute)).map(|base| canonical(base.wrapping_add(offset))),
        MemoryAddress::Unknown => None,
    }
}

pub fn queue_id(seat: &Seat) -> QueueId {
    match seat.queue {
        Queue::Graphics => QueueId::GRAPHICS,
        Queue::Compute => QueueId::COMPUTE,
        Queue::Constant => QueueId::CONSTANT,
    }
}

/// Mostly small numbers: they serve as counts, register offsets and values.
pub static MEMORY: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let word = |i: u32| if i % 16 == 15 { i.wrapping_mul(0x85EB_CA6B) } else { i.wrapping_mul(7) & 0x3FF };
    (0..DATA_DWORDS as u32).map(word).collect()
});
