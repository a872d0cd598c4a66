//! Sizes of metadata on GFX9 (Mesa 25.0.7 gfx9addrlib.cpp: HwlComputeHtileInfo, HwlComputeCmaskInfo, HwlComputeDccInfo, GetMetaMipInfo).

use crate::layout::blocks;
use crate::layout::config::AddressConfig;
use crate::layout::metadata::{Data, MetadataKind, MetadataLayout, MetadataMip};
use crate::layout::plane::MAX_LEVELS;
use crate::layout::shape::{align, align_size};

/// Returns the log2 of the number of pipes over which metadata is spread.
pub(in crate::layout) fn pipes(config: &AddressConfig, mode: u32, aligned: bool) -> u32 {
    if !aligned {
        return 0;
    }
    let pipes = config.all_pipes().min(5);
    if mode >= 16 { pipes.min(blocks::block_bytes(config, mode) - 8) } else { pipes }
}

/// Returns the log2 of the number of render backends over which metadata is spread.
pub(in crate::layout) fn backends(config: &AddressConfig, aligned: bool) -> u32 {
    if aligned { u32::from(config.engines + config.backends) } else { 0 }
}

pub(in crate::layout) fn size(config: &AddressConfig, kind: MetadataKind, mode: u32, data: &Data, aligned: bool) -> MetadataLayout {
    let (pipes, backends) = (pipes(config, mode, aligned), backends(config, aligned));
    let spread = pipes > 0 || backends > 0;
    let all_backends = u32::from(config.engines + config.backends);
    let data_block = blocks::block_bytes(config, mode);
    let fragments = data.fragments;
    let mipmapped = data.levels > 1;
    // log2 of the compressed units of a block of metadata, of its texels and of its bytes.
    let (units, block, bytes) = match kind {
        MetadataKind::Dcc => {
            let least = 12 - fragments;
            let units = if spread { least.max(all_backends + 10).min(19 + data.element) } else { least };
            let [mut w, mut h] = blocks::thin_micro(data.element);
            for _ in 0..units {
                if h < w || mipmapped && h == w {
                    h += 1;
                } else {
                    w += 1;
                }
            }
            (units, [w, h], units + fragments)
        }
        MetadataKind::Htile => {
            let units = if spread { all_backends + 10 } else { 10 };
            let width = if mipmapped { units / 2 } else { units.div_ceil(2) };
            (units, [3 + width, 3 + units - width], units + 2)
        }
        MetadataKind::Cmask => {
            let units = if spread { (all_backends + 10).max(13) } else { 13 };
            (units, [3 + units.div_ceil(2), 3 + units / 2], units - 1)
        }
    };
    let mut base = pipes + backends + 8;
    match kind {
        MetadataKind::Dcc => base += fragments.saturating_sub(u32::from(config.max_fragments)),
        // Modes without XOR spread HTILE of one pipe over other pipes.
        MetadataKind::Htile if mode < 16 && pipes > 1 => base += pipes - 1,
        _ => {}
    }
    let size_align = base.max(data_block);
    let (align_log2, size_align) = match kind {
        MetadataKind::Dcc => (units.max(size_align), size_align),
        MetadataKind::Cmask => (bytes.max(size_align), size_align),
        MetadataKind::Htile => {
            let mut all = size_align.max(bytes);
            if !config.traits.plain_htile {
                all += 11u32.saturating_sub(bytes.saturating_sub(1 + pipes + backends));
            }
            (all, all)
        }
    };
    let [bw, bh] = block;
    let mut counts = [align_size(data.width, bw) >> bw, align_size(data.height, bh) >> bh];
    let (mips, levels) = if kind == MetadataKind::Cmask { ([MetadataMip::default(); MAX_LEVELS], 1) } else { mips(data, block, &mut counts, kind) };
    let [x, y] = counts;
    let slice_size = (u64::from(x) * u64::from(y)) << bytes;
    MetadataLayout {
        kind,
        offset: 0,
        size: align(slice_size * u64::from(data.slices), size_align),
        align: 1 << align_log2,
        // DCC: a fast clear writes less if there are more fragments than are compressed.
        slice_size: if kind == MetadataKind::Dcc { slice_size >> fragments.saturating_sub(u32::from(config.max_fragments)) } else { slice_size },
        pitch: x << bw,
        height: y << bh,
        block: [1 << bw, 1 << bh],
        levels,
        pipe_aligned: aligned,
        rb_aligned: aligned,
        block_bytes: bytes,
        mode,
        element: data.element,
        fragments,
        slices: data.slices,
        image_levels: data.levels,
        mips,
    }
}

/// Returns the adjacent levels in the metadata and the number of levels that use it. Grows `counts`, the blocks in x and y.
fn mips(data: &Data, block: [u32; 2], counts: &mut [u32; 2], kind: MetadataKind) -> ([MetadataMip; MAX_LEVELS], u32) {
    let mut mips = [MetadataMip::default(); MAX_LEVELS];
    let levels = data.levels.min(MAX_LEVELS as u32);
    if levels <= 1 {
        return (mips, 1);
    }
    let [bw, bh] = block;
    let in_tail = |w: u32, h: u32| w <= 1 << bw && h <= 1 << (bh - 1);
    let x_major = counts[0] >= counts[1];
    if !in_tail(data.width, data.height) {
        let (grows, other) = if x_major { (1, 0) } else { (0, 1) };
        let limit = if x_major { 4 } else { 2 };
        let blocks = counts[grows];
        counts[grows] += if blocks < 3 && counts[other] > limit && levels > 3 { 2 } else { blocks / 2 + (blocks & 1) };
    }
    let (mut w, mut h) = (data.width, data.height);
    let mut start = [0u32; 2];
    for level in 0..levels {
        mips[level as usize].start = start;
        if in_tail(w, h) {
            // HTILE of the first level in the tail is used, DCC is not (Mesa 25.0.7 ac_surface.c).
            return (mips, if kind == MetadataKind::Htile { level + 1 } else { level });
        }
        (w, h) = (align_size(w, bw), align_size(h, bh));
        let along = level >= 3 || level & 1 == 1;
        if along == x_major {
            start[0] += w;
        } else {
            start[1] += h;
        }
        (w, h) = ((w / 2).max(1), (h / 2).max(1));
    }
    (mips, levels)
}
