//! Order of metadata from GFX10 to GFX11.5: pipe bits are those of the data, and the other coordinate bits alternate. This rule is derived from results of Mesa
//! 25.0.7 addrlib.

use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::coordinates::Order;
use crate::layout::equation;
use crate::layout::metadata::{MetadataKind, MetadataLayout};
use crate::layout::metadata_bits::{Bits, Terms};

/// Returns the address bits, with the half byte as bit 0.
pub(in crate::layout) fn bits(config: &AddressConfig, meta: &MetadataLayout) -> Option<Bits> {
    let dcc = meta.kind == MetadataKind::Dcc;
    let [w, h] = meta.block.map(u32::ilog2);
    let covered = if dcc { blocks::thin_micro(meta.element) } else { [3, 3] };
    let quirk = config.generation == Generation::Gfx10 && dcc;
    // The texels that a unit of metadata covers. On GFX10.1, 256 bytes of 1-byte elements have y4 instead of y3.
    let mut inside = Terms { x: (1 << covered[0]) - 1, y: (1 << covered[1]) - 1, ..Terms::NONE };
    if quirk && meta.element == 0 {
        inside.y = 0b1_0111;
    }
    let mut left = Terms { x: (1 << w) - 1, y: (1 << h) - 1, ..Terms::NONE }.without(inside);
    let mut bits = Bits::EMPTY;
    // Address bits below a unit.
    for _ in 0..match meta.kind {
        MetadataKind::Cmask => 0,
        MetadataKind::Dcc => 1,
        MetadataKind::Htile => 3,
    } {
        bits.push(Terms::NONE);
    }
    if !meta.pipe_aligned {
        for bit in in_turn(left) {
            bits.push(if quirk { with_covered(bit, inside) } else { bit });
        }
        return Some(bits);
    }
    let pipes = pipes(config, meta)?;
    let mut displaced = Terms::NONE;
    for bit in pipes.all() {
        displaced = displaced.with(small(bit));
        left = left.without(consumed(config, bit, left));
    }
    // Bits of a micro block that are XORed into pipes follow those of a cache line of 64 bytes.
    displaced = if dcc { left.without(left.without(displaced.with(small(pipes.top_of_data)))) } else { Terms::NONE };
    let normal = || in_turn(left.without(displaced));
    let mut sequence = normal().take(6).chain(in_turn(displaced)).chain(normal().skip(6));
    while bits.len() < 9 {
        bits.push(sequence.next().unwrap_or(Terms::NONE));
    }
    for bit in pipes.bits.iter() {
        bits.push(bit);
    }
    if dcc {
        pipes.extra.into_iter().for_each(|bit| bits.push(bit));
    }
    sequence.for_each(|bit| bits.push(bit));
    if !dcc {
        pipes.extra.into_iter().for_each(|bit| bits.push(bit));
    }
    Some(bits)
}

/// Returns single coordinate bits, alternating between x and y, x first.
fn in_turn(bits: Terms) -> impl Iterator<Item = Terms> {
    (0..32).flat_map(|bit| [Terms::x(bit), Terms::y(bit)]).filter(move |bit| bits.meets(*bit))
}

/// Returns the bits of x and y below 8 texels that are XORed with others.
fn small(bit: Terms) -> Terms {
    if bit.x.count_ones() + bit.y.count_ones() > 1 { Terms { x: bit.x & 7, y: bit.y & 7, ..Terms::NONE } } else { Terms::NONE }
}

/// GFX10.1 without pipes: XORs y3 and x4 with bits inside a unit.
fn with_covered(bit: Terms, inside: Terms) -> Terms {
    match bit {
        bit if bit == Terms::y(3) && inside.meets(Terms::x(3)) => bit.with(Terms::x(3)),
        bit if bit == Terms::x(4) && inside.meets(Terms::y(4)) => bit.with(Terms::y(4)),
        bit => bit,
    }
}

struct Pipes {
    bits: Bits,
    /// One additional bit if pipes are tied to packers.
    extra: Option<Terms>,
    /// The last bit of the data, of which the extra bit is a part.
    top_of_data: Terms,
}

impl Pipes {
    fn all(&self) -> impl Iterator<Item = Terms> + '_ {
        self.bits.iter().chain(self.extra)
    }
}

fn pipes(config: &AddressConfig, meta: &MetadataLayout) -> Option<Pipes> {
    if !matches!(meta.mode & 3, 0 | 3) {
        return None;
    }
    // HTILE always uses the order of 4-byte elements, CMASK that of 1-byte FMASK.
    let (e, s) = match meta.kind {
        MetadataKind::Dcc => (meta.element, 0),
        MetadataKind::Htile => (2, meta.fragments),
        MetadataKind::Cmask => (0, 0),
    };
    let data = equation::of(config, Order { mode: meta.mode, thick: false, volume: false, e, s })?;
    let of_data = |address: u32| {
        let set = |columns: &[u32]| columns.iter().enumerate().fold(0, |bits, (bit, column)| bits | (column >> address & 1) << bit);
        Terms { x: set(&data.x), y: set(&data.y), z: set(&data.z), ..Terms::NONE }
    };
    let mut bits = Bits::EMPTY;
    for pipe in 0..u32::from(config.pipes) {
        let terms = of_data(8 + pipe);
        // Slices count up to 16, and units of 8x8 texels have no smaller coordinates.
        let outside = if meta.kind == MetadataKind::Dcc { Terms::NONE } else { Terms { x: 7, y: 7, ..Terms::NONE } };
        bits.push(Terms { z: terms.z & 0xF, ..terms }.without(outside));
    }
    let packers = u32::from(config.packers);
    let tied = config.has_packers() && config.pipes > 1 && u32::from(config.pipes) == config.arrays() + 1;
    let extra = tied.then(|| Terms::x(4 + packers / 2).with(Terms::y(4 + packers.div_ceil(2))));
    let top_of_data = if tied { of_data(data.bytes - 1) } else { Terms::NONE };
    Some(Pipes { bits, extra, top_of_data })
}

/// Returns the coordinate bit that a pipe bit replaces: its smallest from 8 texels on.
fn consumed(config: &AddressConfig, bit: Terms, left: Terms) -> Terms {
    let lowest = ((bit.x | bit.y) & !7).trailing_zeros();
    if lowest >= 32 {
        return Terms::NONE;
    }
    let (x, y) = (bit.meets(Terms::x(lowest)), bit.meets(Terms::y(lowest)));
    let y_first = if config.has_packers() { left.meets(Terms::y(lowest)) } else { lowest == 3 };
    if y && (!x || y_first) { Terms::y(lowest) } else { Terms::x(lowest) }
}
