//! Order of metadata on GFX9: pipe bits of the data, then bits of render backends that pipes do not determine, surrounded by the other coordinate bits in
//! alternation (Mesa 25.0.7 gfx9addrlib.cpp: the results of GenMetaEquation, GetPipeEquation and GetRbEquation).

use crate::layout::blocks;
use crate::layout::config::AddressConfig;
use crate::layout::coordinates::{Axis, Order};
use crate::layout::metadata::{MetadataKind, MetadataLayout};
use crate::layout::metadata_bits::{Bits, MOST_BITS, Terms};
use crate::layout::{metadata9, orders};

/// Returns the address bits, with the half byte as bit 0 and including the number of the block.
pub(in crate::layout) fn bits(config: &AddressConfig, meta: &MetadataLayout) -> Option<Bits> {
    let color = meta.kind == MetadataKind::Dcc;
    let samples = if meta.kind == MetadataKind::Cmask { 0 } else { meta.fragments };
    let compressed = if color { samples.min(config.max_fragments.into()) } else { samples };
    let [w, h] = meta.block.map(u32::ilog2);
    let covered = if color { blocks::thin_micro(meta.element) } else { [3, 3] };
    let pipe_bits = pipes(config, meta, samples);
    let block = Terms { x: (1 << w) - 1, y: (1 << h) - 1, sample: u32::MAX, ..Terms::NONE };

    // Coordinate bits of a block: samples, then x and y alternating.
    let mut low = Bits::EMPTY;
    if color {
        (0..compressed).for_each(|bit| low.push(Terms::sample(bit)));
    }
    for bit in 0..w.max(h) {
        if (covered[0]..w).contains(&bit) {
            low.push(Terms::x(bit));
        }
        if (covered[1]..h).contains(&bit) {
            low.push(Terms::y(bit));
        }
    }

    let mut channel = restricted(&pipe_bits, block);
    let all_backends = backends(config, meta.rb_aligned);
    let mut backend = all_backends;
    for bit in 0..backend.len() {
        if channel.iter().any(|pipe| pipe == backend.get(bit)) {
            backend.set(bit, Terms::NONE);
        }
    }
    // A coordinate bit that a pipe determines is in no other bit.
    let mut appended = 0u32;
    for pipe in 0..channel.len() {
        let smallest = smallest(channel.get(pipe));
        low.remove(smallest);
        for bit in 0..channel.len() {
            channel.set(bit, channel.get(bit).without(smallest));
        }
        for bit in 0..backend.len() {
            if backend.get(bit).meets(smallest) {
                let rest = channel.get(pipe);
                backend.set(bit, backend.get(bit).without(smallest).with(rest));
                appended |= if rest.is_none() { 0 } else { 1 << bit };
            }
        }
    }
    // The same holds for a bit that a render backend determines.
    let mut left = 0u32;
    for bit in 0..backend.len() {
        let terms = backend.get(bit);
        let least = if !config.traits.plain_htile && appended >> bit & 1 == 1 { 1 } else { 0 };
        if count(terms) <= least {
            continue;
        }
        left |= 1 << bit;
        let smallest = smallest(terms);
        low.remove(smallest);
        for other in bit + 1..backend.len() {
            if backend.get(other).meets(smallest) {
                backend.set(other, backend.get(other).without(smallest).with(terms.without(smallest)));
                appended |= (appended >> bit & 1) << other;
            }
        }
    }

    let mut whole = Bits::EMPTY;
    let half_bytes = match meta.kind {
        MetadataKind::Cmask => 0,
        MetadataKind::Dcc => 1,
        MetadataKind::Htile => 3,
    };
    (0..half_bytes).for_each(|_| whole.push(Terms::NONE));
    let mut above = low.iter().chain((0..).map(|bit| Terms { block: 1 << bit, ..Terms::NONE }));
    while whole.len() < 9 {
        whole.push(above.next()?);
    }
    pipe_bits.iter().for_each(|bit| whole.push(bit));
    (0..all_backends.len()).filter(|bit| left >> bit & 1 == 1).for_each(|bit| whole.push(all_backends.get(bit)));
    (compressed..samples).filter(|_| color).for_each(|bit| whole.push(Terms::sample(bit)));
    while whole.len() < MOST_BITS - 1 {
        whole.push(above.next()?);
    }
    Some(whole)
}

fn count(terms: Terms) -> u32 {
    terms.x.count_ones() + terms.y.count_ones() + terms.z.count_ones() + terms.sample.count_ones()
}

/// Returns only the terms inside a block.
fn restricted(bits: &Bits, block: Terms) -> Bits {
    let mut inside = Bits::EMPTY;
    for bit in bits.iter() {
        inside.push(Terms { x: bit.x & block.x, y: bit.y & block.y, z: 0, ..bit });
    }
    inside
}

/// Returns the smallest coordinate bit: samples first, then x before y.
fn smallest(terms: Terms) -> Terms {
    let (x, y) = (terms.x.trailing_zeros(), terms.y.trailing_zeros());
    if terms.sample != 0 {
        Terms::sample(terms.sample.trailing_zeros())
    } else if x <= y && x < 32 {
        Terms::x(x)
    } else if y < 32 {
        Terms::y(y)
    } else {
        Terms::NONE
    }
}

/// Returns the pipe bits of the data.
fn pipes(config: &AddressConfig, meta: &MetadataLayout, samples: u32) -> Bits {
    let count = metadata9::pipes(config, meta.mode, meta.pipe_aligned) as usize;
    let color = meta.kind == MetadataKind::Dcc;
    // Bits of the data from the first pipe on: for colour without samples, for depth and FMASK in Z order, from 8x8 texels on.
    let (mode, s) = if color { (meta.mode & !3 | 1, 0) } else { (meta.mode & !3, samples) };
    let order = Order { mode, thick: false, volume: false, e: meta.element, s };
    let mut data = Bits::EMPTY;
    let inside = (16..20).contains(&meta.mode).then(|| blocks::block_bytes(config, meta.mode));
    let mut started = false;
    for (address, bit) in (meta.element..).zip(orders::sequence(config, order)).take(MOST_BITS) {
        if address < 8 {
            continue;
        }
        let small = bit.axis == Axis::Sample || bit.bit < 3;
        if !started && !color && small {
            continue;
        }
        started = true;
        let terms = match bit.axis {
            Axis::X => Terms::x(bit.bit),
            Axis::Y => Terms::y(bit.bit),
            Axis::Z | Axis::Sample => Terms::NONE,
        };
        let beyond = inside.is_some_and(|bytes| address >= bytes && data.len() >= count);
        data.push(if beyond { Terms::NONE } else { terms });
    }
    let mut pipes = Bits::EMPTY;
    for pipe in 0..count {
        let mut terms = data.get(pipe);
        if meta.mode >= 16 {
            terms = terms.with(data.get(2 * count - 1 - pipe));
            if meta.mode >= 20 && samples == 0 {
                terms.z |= 1 << (count - 1 - pipe);
            }
        }
        pipes.push(terms);
    }
    pipes
}

/// Returns the coordinate bits that determine render backends.
fn backends(config: &AddressConfig, aligned: bool) -> Bits {
    let mut bits = Bits::EMPTY;
    if !aligned {
        return bits;
    }
    let (engines, per_engine) = (u32::from(config.engines), u32::from(config.backends));
    let total = (engines + per_engine) as usize;
    (0..total).for_each(|_| bits.push(Terms::NONE));
    let region = if per_engine == 0 { 5 } else { 4 };
    let (mut x, mut y, mut start) = (region, region, 0);
    if engines > 0 && per_engine == 1 {
        bits.set(0, Terms::x(x).with(Terms::y(y)).with(Terms::y(y + 1)));
        (x, y, start) = (x + 1, y + 1, 1);
    }
    for i in 0..2 * (total - start) {
        let bit = start + if start + i >= total { 2 * (total - start) - i - 1 } else { i };
        let terms = if i % 2 == 1 {
            x += 1;
            Terms::x(x - 1)
        } else {
            y += 1;
            Terms::y(y - 1)
        };
        bits.set(bit, bits.get(bit).with(terms));
    }
    bits
}
