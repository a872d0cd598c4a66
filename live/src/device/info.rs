//! Answers queries about the chip, from the table of regdb/chips.toml and from constants that are the same on all chips.

use pm4::chip::{Chip, DeviceFacts};
use pm4_uapi::engine::{COMPUTE, DMA, GFX};
use pm4_uapi::{DeviceInfo, Heap, HwIp, firmware, query as q};
use zerocopy::IntoBytes;

/// Bytes of system memory that the device may use.
const GTT: u64 = 16 << 30;
/// The largest HW_IP type; larger ones are refused.
const LAST_IP: u32 = 11;
/// Dword offset of GB_ADDR_CONFIG from GFX9 on, the only register that drivers query.
const GB_ADDR_CONFIG: u32 = 0x263E;

/// Memory used by buffers, for memory budgets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Local memory in bytes.
    pub vram: u64,
    /// System memory in bytes.
    pub gtt: u64,
}

/// Answers a query of AMDGPU_INFO; None if the device does not support it.
pub fn answer(facts: &DeviceFacts, query: u32, arg: [u32; 4], usage: Usage, now: u64) -> Option<Vec<u8>> {
    let zeros = |bytes| Some(vec![0; bytes]);
    let word = |value: u32| Some(value.to_le_bytes().to_vec());
    let long = |value: u64| Some(value.to_le_bytes().to_vec());
    let vram = u64::from(facts.vram_mib) << 20;
    match query {
        q::ACCEL_WORKING => word(1),
        q::HW_IP_INFO => hw_ip(facts, arg[0]).map(|ip| ip.as_bytes().to_vec()),
        q::HW_IP_COUNT if arg[0] <= LAST_IP => word(u32::from(arg[0] <= DMA)),
        q::TIMESTAMP => long(ticks(facts, now)),
        // Unlisted firmware has version 0, as if the kernel had not loaded it.
        q::FW_VERSION => {
            let version = match arg[0] {
                firmware::ME => facts.me,
                firmware::PFP => facts.pfp,
                firmware::MEC => facts.mec,
                _ => 0,
            };
            let feature = if (firmware::ME..=firmware::MEC).contains(&arg[0]) { facts.me_feature } else { 0 };
            Some([version, feature].as_bytes().to_vec())
        }
        q::NUM_BYTES_MOVED | q::NUM_EVICTIONS | q::NUM_VRAM_CPU_PAGE_FAULTS => long(0),
        q::VRAM_USAGE | q::VIS_VRAM_USAGE => long(usage.vram),
        q::GTT_USAGE => long(usage.gtt),
        // None.
        q::GDS_CONFIG => zeros(32),
        q::VRAM_GTT => Some([vram, vram, GTT].as_bytes().to_vec()),
        q::READ_MMR_REG if arg[0] == GB_ADDR_CONFIG && arg[1] == 1 => word(facts.gb_addr_config),
        q::DEV_INFO => Some(device(facts).as_bytes().to_vec()),
        q::MEMORY => {
            let heap = |total: u64, usage| Heap { total, usable: total, usage, max_allocation: total / 4 * 3 };
            Some([heap(vram, usage.vram), heap(vram, usage.vram), heap(GTT, usage.gtt)].as_bytes().to_vec())
        }
        // The shader clock, and the stable shader clock.
        q::SENSOR if matches!(arg[0], 1 | 8) => word(facts.clock_mhz),
        q::VRAM_LOST_COUNTER => word(0),
        // No codec.
        q::VIDEO_CAPS => zeros(192),
        q::MAX_IBS => {
            let mut most = [0u32; 10];
            (most[0], most[1], most[2]) = (192, 125, 32);
            Some(most.as_bytes().to_vec())
        }
        // None.
        q::GPUVM_FAULT => zeros(16),
        _ => None,
    }
}

/// Returns ticks of the timestamp clock.
pub fn ticks(facts: &DeviceFacts, now: u64) -> u64 {
    (u128::from(now) * u128::from(facts.crystal_khz) / 1_000_000) as u64
}

fn hw_ip(facts: &DeviceFacts, ip: u32) -> Option<HwIp> {
    let of = |version: u32, rings, start_alignment, size_alignment| HwIp {
        major: version >> 16,
        minor: version >> 8 & 0xFF,
        start_alignment,
        size_alignment,
        rings,
        discovery: version,
        ..HwIp::default()
    };
    match ip {
        GFX => Some(of(facts.gc_ip, 1, 32, 32)),
        COMPUTE => Some(of(facts.gc_ip, 0xF, 32, 32)),
        DMA => Some(of(facts.sdma_ip, if facts.sdma_queues > 1 { 3 } else { 1 }, 256, 4)),
        3..=LAST_IP => Some(HwIp::default()),
        _ => None,
    }
}

fn device(facts: &DeviceFacts) -> DeviceInfo {
    let DeviceFacts { chip, shader_engines, arrays_per_engine, cus_per_array, render_backends, .. } = *facts;
    let (major, apu) = (chip.gfx().major(), chip.info().apu);
    let cus = (1u32 << cus_per_array) - 1;
    let mut cu_bitmap = [[0; 4]; 4];
    for engine in 0..shader_engines {
        for array in 0..arrays_per_engine {
            // From GFX11 on, engines beyond the fourth use the columns after those of the first four.
            let (row, column) = if major < 11 { (engine, array) } else { (engine % 4, engine / 4 * 2 + array) };
            if let Some(place) = cu_bitmap.get_mut(row as usize).and_then(|row: &mut [u32; 4]| row.get_mut(column as usize)) {
                *place = cus;
            }
        }
    }
    let new = u32::from(major >= 11);
    DeviceInfo {
        device_id: facts.device_id,
        chip_rev: facts.chip_rev,
        external_rev: facts.external_rev,
        pci_rev: facts.pci_rev,
        family: facts.family,
        shader_engines,
        arrays_per_engine,
        counter_freq: facts.crystal_khz,
        max_engine_clock: u64::from(facts.clock_mhz) * 1000,
        max_memory_clock: 1_000_000,
        cu_active: shader_engines * arrays_per_engine * cus_per_array,
        cu_bitmap,
        cu_ao_mask: cus,
        cu_ao_bitmap: cu_bitmap,
        rb_mask: ((1u64 << render_backends) - 1) as u32,
        rb_pipes: render_backends,
        hw_contexts: 8,
        pcie_gen: 4,
        pcie_lanes: 16,
        // APU, conformant truncation of coordinates, TMZ.
        ids_flags: u64::from(apu) | if major >= 11 { 8 } else { 0 } | 4,
        va_offset: 0x20_0000,
        va_max: 0x8000_0000_0000,
        va_alignment: 4096,
        high_va_offset: 0xffff_8000_0000_0000,
        high_va_max: 0xffff_ffff_ffe0_0000,
        pte_fragment: 2 << 20,
        gart_page: 4096,
        ce_ram: match major {
            9 => 32768,
            10 => 65536,
            _ => 0,
        },
        vram_type: vram_type(chip, apu),
        vram_bits: facts.bus_bits,
        double_offchip_lds: u32::from(major < 11),
        wave_size: if major == 9 { 64 } else { 32 },
        vgprs: facts.vgprs,
        cu_per_sh: cus_per_array,
        tcc_blocks: facts.l2_channels,
        gs_vgt_table_depth: 32,
        gs_prim_buffer_depth: 1792,
        max_gs_waves: 32,
        tile_steering: facts.tile_steering,
        min_engine_clock: 500_000,
        min_memory_clock: 96_000,
        tcp_cache: 32 * new,
        sqc_per_wgp: new,
        sqc_data: 16 * new,
        sqc_inst: 32 * new,
        gl1c: 256 * new,
        gl2c: facts.l2_channels * 256 * new,
        mall: u64::from(facts.mall_mib) << 20,
        ..DeviceInfo::default()
    }
}

/// Returns AMDGPU_VRAM_TYPE: HBM on Vega, GDDR6 on cards, DDR4 and (LP)DDR5 on APUs.
fn vram_type(chip: Chip, apu: bool) -> u32 {
    match (chip.gfx().major(), apu) {
        (9, false) => 6,
        (9, true) => 8,
        (_, false) => 9,
        (_, true) => 12,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_kernel() {
        assert_eq!((size_of::<DeviceInfo>(), size_of::<HwIp>(), size_of::<Heap>()), (440, 40, 32));
    }

    #[test]
    fn every_chip_of_the_table_has_compute_units_and_a_clock() {
        for facts in Chip::all().filter_map(Chip::device) {
            let info = device(facts);
            assert!(info.cu_active > 0 && info.counter_freq > 0 && info.rb_mask > 0, "{}", facts.chip);
            let counted: u32 = info.cu_bitmap.as_flattened().iter().map(|mask| mask.count_ones()).sum();
            assert_eq!(counted, info.cu_active, "{}", facts.chip);
        }
    }

    #[test]
    fn a_query_that_the_device_does_not_have_has_no_answer() {
        let facts = Chip::Navi21.device().unwrap();
        assert_eq!(answer(facts, 0x1B, [0; 4], Usage::default(), 0), None);
        assert_eq!(answer(facts, 0x15, [0x1234, 1, 0, 0], Usage::default(), 0), None);
        assert_eq!(answer(facts, 0x15, [0x263E, 1, 0, 0], Usage::default(), 0), Some(0x444u32.to_le_bytes().to_vec()));
    }
}
