//! Facts about registers, values and chips, queried through the public API.

use pm4::chip::{Chip, Erratum, Gfx};
use pm4::packet::{register_group, register_index};
use pm4::regs::{self, RegRef, RegisterInfo, Space, gfx9, gfx10, gfx11};
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoEnumIterator;

/// All elements of all registers.
fn elements(gfx: Gfx) -> impl Iterator<Item = (&'static RegisterInfo, u32, u32)> {
    regs::registers(gfx).flat_map(|info| (0..info.count).map(move |i| (info, i, info.addr + i * info.stride)))
}

fn register(gfx: Gfx, name: &str) -> RegRef {
    regs::find(gfx, name).unwrap_or_else(|| panic!("{gfx} has no {name}"))
}

/// A register and its index.
type Indexed = (&'static str, u8);

/// A write with such an index reaches the draw state of the CP, or is masked by the kernel; registers without one are written plainly.
#[test]
fn registers_that_pal_writes_with_an_index_have_it() {
    const LISTS: [(&[Gfx], &[Indexed]); 4] = [
        (
            &[Gfx::Gfx9],
            &[
                ("SPI_SHADER_PGM_RSRC3_PS", 3),
                ("SPI_SHADER_PGM_RSRC3_VS", 3),
                ("SPI_SHADER_PGM_RSRC4_GS", 3),
                ("SPI_SHADER_PGM_RSRC3_GS", 3),
                ("SPI_SHADER_PGM_RSRC4_HS", 3),
                ("SPI_SHADER_PGM_RSRC3_HS", 3),
                ("VGT_LS_HS_CONFIG", 2),
                ("VGT_PRIMITIVE_TYPE", 1),
                ("VGT_INDEX_TYPE", 2),
                ("VGT_NUM_INSTANCES", 3),
                ("IA_MULTI_VGT_PARAM", 4),
            ],
        ),
        (
            &[Gfx::Gfx10, Gfx::Gfx103],
            &[
                ("SPI_SHADER_PGM_RSRC4_PS", 3),
                ("SPI_SHADER_PGM_RSRC3_PS", 3),
                ("SPI_SHADER_PGM_RSRC4_VS", 3),
                ("SPI_SHADER_PGM_RSRC3_VS", 3),
                ("SPI_SHADER_PGM_RSRC4_GS", 3),
                ("SPI_SHADER_PGM_RSRC3_GS", 3),
                ("SPI_SHADER_PGM_RSRC4_HS", 3),
                ("SPI_SHADER_PGM_RSRC3_HS", 3),
                ("VGT_INDEX_TYPE", 2),
                ("VGT_NUM_INSTANCES", 3),
            ],
        ),
        (
            &[Gfx::Gfx11, Gfx::Gfx115],
            &[
                ("SPI_SHADER_PGM_RSRC4_PS", 3),
                ("SPI_SHADER_PGM_RSRC3_PS", 3),
                ("SPI_SHADER_PGM_RSRC4_GS", 3),
                ("SPI_SHADER_PGM_RSRC3_GS", 3),
                ("SPI_SHADER_PGM_RSRC4_HS", 3),
                ("SPI_SHADER_PGM_RSRC3_HS", 3),
                ("VGT_INDEX_TYPE", 2),
                ("VGT_NUM_INSTANCES", 3),
            ],
        ),
        (
            &[Gfx::Gfx12],
            &[
                ("SPI_SHADER_PGM_RSRC3_PS", 3),
                ("SPI_SHADER_PGM_RSRC3_GS", 3),
                ("SPI_SHADER_PGM_RSRC3_HS", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE0", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE1", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE2", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE3", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE8", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE4", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE5", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE6", 3),
                ("COMPUTE_STATIC_THREAD_MGMT_SE7", 3),
                ("COMPUTE_DISPATCH_INTERLEAVE", 2),
                ("VGT_INDEX_TYPE", 2),
            ],
        ),
    ];
    for (gfx, list) in LISTS.iter().flat_map(|(set, list)| set.iter().map(move |gfx| (*gfx, list))) {
        let expected: BTreeMap<u32, u8> = list.iter().map(|(name, index)| (register(gfx, name).addr(), *index)).collect();
        let found: BTreeMap<u32, u8> = (0..0x40000).filter_map(|addr| Some((addr, register_index(gfx, addr)?))).collect();
        assert_eq!(found, expected, "{gfx}");
        let told: BTreeMap<u32, u8> = elements(gfx).filter_map(|(info, _, addr)| Some((addr, info.index?))).collect();
        assert_eq!(told, expected, "{gfx}: the tables agree");
    }
}

/// RADV writes two registers with an index on every generation, PAL only on GFX9. The compute units for compute work get the kernel's mask everywhere, as
/// drivers write them; PAL requires that only on GFX12, where the index belongs to the register.
#[test]
fn indices_that_drivers_write_without_need_are_on_record() {
    for gfx in Gfx::iter() {
        let seen = regs::registers(gfx).filter_map(|info| Some((info.name, info.index_seen?.0)));
        let (masks, others): (Vec<_>, Vec<_>) = seen.partition(|(name, _)| name.starts_with("COMPUTE_"));
        let expected: &[(&str, u8)] = if gfx == Gfx::Gfx9 { &[] } else { &[("VGT_LS_HS_CONFIG", 2), ("VGT_PRIMITIVE_TYPE", 1)] };
        assert_eq!(others, expected, "{gfx}");
        let addrs: Vec<u32> = masks.iter().flat_map(|(name, _)| elements(gfx).filter(|(info, ..)| info.name == *name).map(|(_, _, addr)| addr)).collect();
        let first = [0xB858, 0xB85C, 0xB864, 0xB868];
        let wanted: Vec<u32> = match gfx.version() {
            (9, _) => first.into_iter().chain([0xB894, 0xB898, 0xB89C, 0xB8A0]).collect(),
            (10, _) => first.to_vec(),
            (11, _) => first.into_iter().chain([0xB8AC, 0xB8B0, 0xB8B4, 0xB8B8]).collect(),
            _ => Vec::new(),
        };
        assert_eq!(addrs, wanted, "{gfx}");
        assert!(masks.iter().all(|(_, index)| *index == 3), "{gfx}");
    }
}

/// Viewport transform, scissor and depth range of a viewport and the guard band are written as a whole; on GFX12 the depth range is part of the transform.
#[test]
fn groups_hold_one_element_of_each_of_their_registers() {
    for gfx in Gfx::iter() {
        let mut members: BTreeMap<(&str, u32), Vec<u32>> = BTreeMap::new();
        for (info, element, addr) in elements(gfx) {
            match info.group {
                Some(group) => members.entry((group, element)).or_default().push(addr),
                None => assert_eq!(register_group(gfx, addr), None, "{gfx} {addr:#x}"),
            }
        }
        for ((group, element), addrs) in &mut members {
            addrs.sort_unstable();
            let range = register_group(gfx, addrs[0]).expect("a group");
            assert_eq!(range.clone().step_by(4).collect::<Vec<_>>(), *addrs, "{gfx} {group} {element}");
            assert!(addrs.iter().all(|addr| register_group(gfx, *addr) == Some(range.clone())), "{gfx} {group} {element}");
        }
        let longest = |group: &str| members.get(&(group, 0)).map_or(0, Vec::len);
        let depth_range = if gfx == Gfx::Gfx12 { (8, 0) } else { (6, 2) };
        assert_eq!((longest("PA_CL_VPORT"), longest("PA_SC_VPORT_Z")), depth_range, "{gfx}");
        assert_eq!((longest("PA_SC_VPORT_SCISSOR"), longest("PA_CL_GB"), members.len()), (2, 4, if gfx == Gfx::Gfx12 { 33 } else { 49 }), "{gfx}");
    }
}

/// The model and the author count a roll for each write of a context register: the first exception in the tables must be added to `cp::rolls` and to
/// `draw::record_calls`.
#[test]
fn context_registers_and_no_others_roll_the_context() {
    for gfx in Gfx::iter() {
        for info in regs::registers(gfx) {
            assert_eq!(info.rolls, info.space() == Space::Context, "{} of {gfx}", info.name);
        }
    }
}

/// Bits of a field, high and low.
fn bits(gfx: Gfx, name: &str, field: &str) -> Option<(u8, u8)> {
    register(gfx, name).info().field(field).map(|field| (field.hi, field.lo))
}

/// One address is different registers: writing the value of one generation on another silently corrupts state.
#[test]
fn addresses_change_their_meaning_between_generations() {
    let owners = [
        (0x28018, [Some("DB_HTILE_DATA_BASE_HI"), None, None, None, None, Some("DB_Z_INFO")]),
        (0x28038, [Some("DB_Z_INFO"), Some("DB_DFSM_CONTROL"), Some("DB_DFSM_CONTROL"), None, None, Some("DB_STENCIL_WRITE_BASE")]),
        (0x28040, [Some("DB_Z_READ_BASE"), Some("DB_Z_INFO"), Some("DB_Z_INFO"), Some("DB_Z_INFO"), Some("DB_Z_INFO"), Some("DB_GL1_INTERFACE_CONTROL")]),
        (
            0x28060,
            [
                Some("DB_DFSM_CONTROL"),
                None,
                Some("DB_SPI_VRS_CENTER_LOCATION"),
                Some("DB_SPI_VRS_CENTER_LOCATION"),
                Some("DB_SPI_VRS_CENTER_LOCATION"),
                Some("DB_COUNT_CONTROL"),
            ],
        ),
        (
            0x2806C,
            [
                Some("DB_STENCIL_INFO2"),
                Some("DB_STENCIL_READ_BASE_HI"),
                Some("DB_STENCIL_READ_BASE_HI"),
                Some("DB_STENCIL_READ_BASE_HI"),
                Some("DB_STENCIL_READ_BASE_HI"),
                Some("DB_SHADER_CONTROL"),
            ],
        ),
    ];
    for (addr, names) in owners {
        for (gfx, name) in Gfx::iter().zip(names) {
            assert_eq!(regs::lookup(gfx, addr).map(|r| r.to_string()).as_deref(), name, "{addr:#x} on {gfx}");
        }
    }
}

#[test]
fn fields_move_and_vanish_between_generations() {
    use Gfx::*;
    for gfx in [Gfx9, Gfx10, Gfx103] {
        assert_eq!(bits(gfx, "DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES"), Some((22, 20)));
        assert_eq!(bits(gfx, "DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE"), None);
        assert_eq!(bits(gfx, "CB_COLOR0_INFO", "FORMAT"), Some((6, 2)));
    }
    for gfx in [Gfx11, Gfx115, Gfx12] {
        assert_eq!(bits(gfx, "DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES"), None);
        assert_eq!(bits(gfx, "DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE"), Some((28, 26)));
        assert_eq!(bits(gfx, "CB_COLOR0_INFO", "FORMAT"), Some((4, 0)));
        assert!(regs::find(gfx, "DB_DFSM_CONTROL").is_none());
    }
    assert_eq!(bits(Gfx103, "DB_RENDER_CONTROL", "PS_INVOKE_DISABLE"), Some((13, 13)));
    assert_eq!(bits(Gfx11, "DB_RENDER_CONTROL", "PS_INVOKE_DISABLE"), Some((14, 14)));
    assert_eq!(bits(Gfx103, "GE_CNTL", "PRIM_GRP_SIZE"), Some((8, 0)));
    assert_eq!(bits(Gfx11, "GE_CNTL", "PRIM_GRP_SIZE"), Some((29, 21)));
    assert_eq!(bits(Gfx9, "SPI_SHADER_PGM_RSRC2_PS", "USER_SGPR_MSB"), Some((28, 28)));
    assert_eq!(bits(Gfx10, "SPI_SHADER_PGM_RSRC2_PS", "USER_SGPR_MSB"), Some((27, 27)));
}

#[test]
fn arrays_name_their_elements_as_the_headers_do() {
    for (gfx, name, element) in [
        (Gfx::Gfx11, "CB_COLOR7_INFO", 7),
        (Gfx::Gfx9, "PA_CL_VPORT_XSCALE", 0),
        (Gfx::Gfx9, "PA_CL_VPORT_XSCALE_15", 15),
        (Gfx::Gfx12, "SPI_PS_INPUT_CNTL_19", 19),
    ] {
        let found = register(gfx, name);
        assert_eq!((found.element(), found.to_string().as_str()), (element, name));
    }
    // The layout changes in the middle of this array: only the first 20 have point sprites.
    for (name, sprites) in [("SPI_PS_INPUT_CNTL_19", true), ("SPI_PS_INPUT_CNTL_20", false)] {
        assert_eq!(register(Gfx::Gfx10, name).info().field("PT_SPRITE_TEX").is_some(), sprites, "{name}");
    }
    assert!(regs::find(Gfx::Gfx11, "CB_COLOR8_INFO").is_none());
    // A width counts the whole name.
    for (name, padded) in [
        ("CB_COLOR7_INFO", "CB_COLOR7_INFO      |"),
        ("CB_COLOR0_INFO", "CB_COLOR0_INFO      |"),
        ("SPI_PS_INPUT_CNTL_9", "SPI_PS_INPUT_CNTL_9 |"),
        ("SPI_PS_INPUT_CNTL_10", "SPI_PS_INPUT_CNTL_10|"),
        ("SPI_SHADER_USER_DATA_PS_31", "SPI_SHADER_USER_DATA_PS_31|"),
    ] {
        assert_eq!(format!("{:20}|", register(Gfx::Gfx11, name)), padded);
    }
}

/// Instances, with arrays expanded, by space; all of them; with arrays folded; value lists.
#[test]
fn every_register_of_every_generation_is_there() {
    let totals = [
        (Gfx::Gfx9, [595, 251, 694, 72, 0], 1612, 800, 92),
        (Gfx::Gfx10, [639, 302, 854, 94, 0], 1889, 938, 99),
        (Gfx::Gfx103, [642, 255, 934, 49, 0], 1880, 955, 93),
        (Gfx::Gfx11, [520, 216, 930, 29, 2], 1697, 882, 89),
        (Gfx::Gfx115, [521, 216, 897, 23, 2], 1659, 876, 89),
        (Gfx::Gfx12, [564, 219, 976, 30, 2], 1791, 858, 80),
    ];
    let mut all = 0;
    for (gfx, spaces, instances, folded, enums) in totals {
        let mut counts: BTreeMap<Space, usize> = BTreeMap::new();
        elements(gfx).for_each(|(info, ..)| *counts.entry(info.space()).or_default() += 1);
        let order = [Space::Context, Space::Sh, Space::Uconfig, Space::Config, Space::Privileged];
        assert_eq!(order.map(|space| counts.get(&space).copied().unwrap_or(0)), spaces, "{gfx}");
        assert_eq!(elements(gfx).count(), instances, "{gfx}");
        assert_eq!(regs::registers(gfx).count(), folded, "{gfx}");
        assert_eq!(regs::enums(gfx).count(), enums, "{gfx}");
        all += instances;
    }
    assert_eq!(all, 10_528);
}

/// Two independent descriptions agree on most registers; only Linux (and Mesa, which is generated from it) describes GFX9.
#[test]
fn provenance_is_counted_by_independent_descriptions() {
    let agreed = [(Gfx::Gfx9, 0), (Gfx::Gfx10, 1600), (Gfx::Gfx103, 1632), (Gfx::Gfx11, 1440), (Gfx::Gfx115, 1401), (Gfx::Gfx12, 1653)];
    for (gfx, wanted) in agreed {
        assert_eq!(elements(gfx).filter(|(info, ..)| info.sources.independent() == 2).count(), wanted, "{gfx}");
        assert!(elements(gfx).all(|(info, ..)| info.sources.independent() > 0));
        assert!(!regs::lineage(gfx).is_empty());
    }
}

#[test]
fn finding_by_name_and_by_address_agree() {
    for gfx in Gfx::iter() {
        let mut names = BTreeSet::new();
        let mut addresses = BTreeSet::new();
        for (info, element, addr) in elements(gfx) {
            let by_address = regs::lookup(gfx, addr).unwrap_or_else(|| panic!("{gfx}: nothing at {addr:#x}"));
            let name = by_address.to_string();
            assert_eq!((by_address.info().name, by_address.element(), by_address.addr()), (info.name, element, addr));
            assert_eq!(regs::find(gfx, &name).map(RegRef::addr), Some(addr), "{gfx} {name}");
            assert_eq!(Space::of(addr), Some(info.space()));
            assert!(names.insert(name), "{gfx} {by_address} stands twice");
            assert!(addresses.insert(addr), "{gfx} {addr:#x} is taken twice");
        }
        for info in regs::registers(gfx) {
            for alias in info.aliases {
                assert_eq!(regs::find(gfx, alias).map(RegRef::addr), Some(info.addr), "{gfx} {alias}");
            }
        }
        for addr in (0..0x41000).filter(|addr| !addresses.contains(addr)) {
            assert!(regs::lookup(gfx, addr).is_none(), "{gfx} {addr:#x}");
        }
        for addr in [u32::MAX, u32::MAX - 3, 0x1_0000 * 4 + 0x2880C] {
            assert!(regs::lookup(gfx, addr).is_none(), "{gfx} {addr:#x}");
        }
    }
}

#[test]
fn fields_are_in_order_and_do_not_overlap() {
    for gfx in Gfx::iter() {
        for info in regs::registers(gfx) {
            let mut names = BTreeSet::new();
            let mut next = 0;
            for field in info.fields {
                assert!(field.lo >= next && field.lo <= field.hi && field.hi < 32, "{gfx} {}.{}", info.name, field.name);
                assert!(names.insert(field.name), "{gfx} {}.{} stands twice", info.name, field.name);
                next = field.hi + 1;
            }
            assert!(!info.fields.is_empty());
            let masks: u64 = info.fields.iter().map(|field| u64::from(field.mask())).sum();
            assert_eq!(masks, u64::from(info.known_bits()), "{gfx} {}", info.name);
        }
    }
}

#[test]
fn value_lists_have_unique_names_and_values() {
    for gfx in Gfx::iter() {
        let mut lists = BTreeSet::new();
        for list in regs::enums(gfx) {
            assert!(lists.insert(list.name), "{gfx} {} stands twice", list.name);
            assert!(list.entries.windows(2).all(|pair| pair[0].1 < pair[1].1), "{gfx} {}", list.name);
            let names: BTreeSet<_> = list.entries.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), list.entries.len(), "{gfx} {}", list.name);
            for (name, value) in list.entries {
                assert_eq!((list.name_of(*value), list.value_of(name)), (Some(*name), Some(*value)));
            }
        }
        for field in regs::registers(gfx).flat_map(|info| info.fields) {
            assert!(field.values.is_none_or(|values| lists.contains(values.name)), "{gfx} {}", field.name);
        }
    }
}

/// Names whose values differ between generations, and flags that are not numbers.
#[test]
fn values_follow_their_generation() {
    let value = |gfx, list: &str, name| regs::enums(gfx).find(|e| e.name == list).and_then(|e| e.value_of(name));
    for (name, early, late) in [("CACHE_NOA", Some(1), Some(2)), ("UNCACHED_RD", Some(2), None), ("CACHE_STREAM_RD", None, Some(1))] {
        assert_eq!(value(Gfx::Gfx103, "ReadPolicy", name), early);
        assert_eq!(value(Gfx::Gfx11, "ReadPolicy", name), late);
    }
    let policy = regs::enums(Gfx::Gfx10).find(|list| list.name == "ReadPolicy").expect("a list of GFX10");
    assert!(policy.note.contains("PAL"), "PAL has other numbers there, which is on record");
    assert!(regs::enums(Gfx::Gfx11).filter(|list| list.flags).any(|list| list.name == "EXCP_EN"));
    assert_eq!(u32::from(gfx11::DbShaderControl::new().with_z_order(gfx11::ZOrder::RE_Z)), 2 << 4);
    // A float is its bits.
    let scale = gfx11::PaClVportXscale::new().with_vport_xscale(-0.5);
    assert_eq!((u32::from(scale), scale.vport_xscale()), (0xBF00_0000, -0.5));
}

#[test]
fn unnamed_bits_survive_a_change_of_a_field() {
    let word = gfx10::DbDfsmControl::from(0xFFFF_FFF0).with_pops_drain_ps_on_overlap(true);
    assert_eq!(u32::from(word), 0xFFFF_FFF4);
    let word = gfx9::DbShaderControl::from(u32::MAX).with_pops_overlap_num_samples(0);
    assert_eq!(u32::from(word), !(7 << 20));
}

#[test]
#[should_panic(expected = "SPI_SHADER_PGM_RSRC4_GS.SPI_SHADER_LATE_ALLOC_GS holds 0 to 127, not 128")]
fn a_setter_names_the_field_and_its_limit() {
    let _ = gfx11::SpiShaderPgmRsrc4Gs::from(0).with_spi_shader_late_alloc_gs(128);
}

/// CLEAR_STATE restores only context registers; no source states their values for GFX11.5 and GFX12.
#[test]
fn clear_values_are_known_for_context_registers_until_gfx11() {
    for gfx in Gfx::iter() {
        let known = |info: &RegisterInfo| info.clear.is_some();
        assert!(regs::registers(gfx).filter(|info| known(info)).all(|info| info.space() == Space::Context), "{gfx}");
        assert_eq!(regs::registers(gfx).any(known), gfx <= Gfx::Gfx11, "{gfx}");
    }
    assert_eq!(register(Gfx::Gfx9, "DB_DFSM_CONTROL").info().clear, Some(0));
    assert_eq!(register(Gfx::Gfx11, "PA_CL_CLIP_CNTL").info().clear, Some(0x0009_0000));
    assert_eq!(register(Gfx::Gfx11, "DB_SHADER_CONTROL").info().clear, Some(0));
}

/// Name, LLVM name, generation.
const CHIPS: [(&str, &str, Gfx); 32] = [
    ("vega10", "gfx900", Gfx::Gfx9),
    ("vega12", "gfx904", Gfx::Gfx9),
    ("vega20", "gfx906", Gfx::Gfx9),
    ("raven", "gfx902", Gfx::Gfx9),
    ("raven2", "gfx909", Gfx::Gfx9),
    ("renoir", "gfx90c", Gfx::Gfx9),
    ("navi10", "gfx1010", Gfx::Gfx10),
    ("navi12", "gfx1011", Gfx::Gfx10),
    ("navi14", "gfx1012", Gfx::Gfx10),
    ("gfx1013", "gfx1013", Gfx::Gfx10),
    ("navi21", "gfx1030", Gfx::Gfx103),
    ("navi22", "gfx1031", Gfx::Gfx103),
    ("navi23", "gfx1032", Gfx::Gfx103),
    ("navi24", "gfx1034", Gfx::Gfx103),
    ("vangogh", "gfx1033", Gfx::Gfx103),
    ("rembrandt", "gfx1035", Gfx::Gfx103),
    ("raphael_mendocino", "gfx1036", Gfx::Gfx103),
    ("navi31", "gfx1100", Gfx::Gfx11),
    ("navi32", "gfx1101", Gfx::Gfx11),
    ("navi33", "gfx1102", Gfx::Gfx11),
    ("phoenix", "gfx1103", Gfx::Gfx11),
    ("phoenix2", "gfx1103", Gfx::Gfx11),
    ("gfx1150", "gfx1150", Gfx::Gfx115),
    ("gfx1151", "gfx1151", Gfx::Gfx115),
    ("gfx1152", "gfx1152", Gfx::Gfx115),
    ("gfx1153", "gfx1153", Gfx::Gfx115),
    ("gfx1154", "gfx1154", Gfx::Gfx115),
    ("gfx1156", "gfx1156", Gfx::Gfx115),
    ("gfx1170", "gfx1170", Gfx::Gfx115),
    ("gfx1171", "gfx1171", Gfx::Gfx115),
    ("gfx1200", "gfx1200", Gfx::Gfx12),
    ("gfx1201", "gfx1201", Gfx::Gfx12),
];

#[test]
fn chips_parse_from_both_names_in_any_case() {
    assert_eq!(Chip::all().count(), CHIPS.len());
    for (name, llvm, gfx) in CHIPS {
        let chip: Chip = name.parse().unwrap_or_else(|_| panic!("{name} is a chip"));
        assert_eq!((chip.gfx(), chip.info().llvm, chip.to_string().as_str()), (gfx, llvm, name));
        for spelling in [name.to_uppercase(), name[..1].to_uppercase() + &name[1..]] {
            assert_eq!(spelling.parse(), Ok(chip), "{spelling}");
        }
        // Phoenix and Phoenix2 run the same code; the name stands for the first.
        let meant = if chip == Chip::Phoenix2 { Chip::Phoenix } else { chip };
        assert_eq!([llvm.to_owned(), llvm.to_uppercase()].map(|spelling| spelling.parse()), [Ok(meant); 2], "{llvm}");
    }
    for wrong in ["", "navi", "navi 10", "gfx11", "vega10 "] {
        assert!(wrong.parse::<Chip>().is_err(), "{wrong:?}");
    }
}

#[test]
fn chips_parse_from_names_that_people_use() {
    let table = [
        (Chip::Gfx1150, "strix strix1 strix-point Strix_Point"),
        (Chip::Gfx1151, "strix-halo Strix_Halo strixhalo STRIX-HALO"),
        (Chip::Gfx1152, "krackan krackan1 krackan-point"),
        (Chip::Gfx1013, "cyan-skillfish Cyan_Skillfish bc-250 BC250"),
        (Chip::Gfx1156, "gainsborough Gainsborough"),
        (Chip::Gfx1200, "navi44 Navi44"),
        (Chip::Gfx1201, "navi48"),
        // Hawk Point 1 is a Phoenix, Hawk Point 2 a Phoenix2.
        (Chip::Phoenix, "phoenix1 hawk-point hawk-point1"),
        (Chip::Phoenix2, "hawk-point2 hawk_point2"),
        (Chip::RaphaelMendocino, "raphael mendocino"),
        (Chip::Navi21, "sienna-cichlid"),
        (Chip::Rembrandt, "yellow-carp"),
    ];
    for (chip, names) in table {
        for name in names.split(' ') {
            assert_eq!(name.parse(), Ok(chip), "{name}");
        }
    }
    assert!("halo".parse::<Chip>().is_err() && "strix halo".parse::<Chip>().is_err());
}

#[test]
fn phoenix2_has_errata_of_its_own() {
    let differ: Vec<_> = Erratum::iter().filter(|&e| Chip::Phoenix.has(e) != Chip::Phoenix2.has(e)).collect();
    assert_eq!(differ, [Erratum::MaxCompressedFragments]);
    // Facts known per chip: constants only up to GFX1150, the rest of GFX11.5 alike.
    let differ: Vec<_> = Erratum::iter().filter(|&e| Chip::Gfx1150.has(e) != Chip::Gfx1152.has(e)).collect();
    assert_eq!(differ, [Erratum::ConstantEncodeSingle]);
}

#[test]
fn errata_hit_exactly_their_chips() {
    let hit = |erratum: Erratum| erratum.chips().map(|chip| chip.to_string()).collect::<Vec<_>>().join(" ");
    // The rules of POPS.
    assert_eq!(hit(Erratum::PopsMissedOverlap), "vega10 raven");
    assert_eq!(hit(Erratum::StalledPops), "navi10 navi12 navi14 gfx1013");
    assert_eq!(hit(Erratum::ZeroIndexBuffer), "navi10 navi12 navi14 gfx1013");
    assert_eq!(hit(Erratum::MaxCompressedFragments), "phoenix2 gfx1150 gfx1151 gfx1152 gfx1153 gfx1154 gfx1156 gfx1170 gfx1171");
    assert_eq!(hit(Erratum::ExportConflict), "navi31 navi32 navi33 phoenix phoenix2");
    for erratum in Erratum::iter() {
        assert!(erratum.chips().count() > 0 && !erratum.doc().is_empty() && !erratum.source().is_empty(), "{erratum}");
        assert!(Chip::all().all(|chip| chip.has(erratum) == erratum.chips().any(|c| c == chip)), "{erratum}");
    }
}

/// PAL, the only description of the errata, does not know gfx1013.
#[test]
fn what_no_source_states_of_a_chip_is_marked() {
    let unverified: Vec<&str> = Chip::all().map(Chip::info).filter(|info| info.unverified.is_some()).map(|info| info.name).collect();
    assert_eq!(unverified, ["gfx1013", "gfx1152", "gfx1153", "gfx1154", "gfx1156", "gfx1170", "gfx1171"]);
    let errata: Vec<(Erratum, Chip)> = Erratum::iter().flat_map(|e| Chip::all().filter(move |c| c.has_unverified(e)).map(move |c| (e, c))).collect();
    assert_eq!(errata, [(Erratum::StalledPops, Chip::Gfx1013), (Erratum::VgtFlushCutMode, Chip::Gfx1013)]);
    assert!(errata.iter().all(|(erratum, chip)| chip.has(*erratum)));
}

/// DUAL_QUAD_DISABLE must be 1 without RB+, and the state of DB_DFSM_CONTROL before any write is known for these.
#[test]
fn chips_know_what_draw_state_asks() {
    let without: Vec<String> = Chip::all().filter(|chip| !chip.info().rb_plus).map(|chip| chip.to_string()).collect();
    assert_eq!(without.join(" "), "vega10 vega20 navi10 navi12 navi14 gfx1013");
    for chip in Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx11) {
        assert_eq!(chip.info().dfsm_reset, None, "{chip} has no DB_DFSM_CONTROL");
    }
    for (chip, reset) in [(Chip::Vega10, Some(0xD)), (Chip::Navi10, Some(0xD)), (Chip::Navi21, Some(0xD)), (Chip::Rembrandt, Some(0)), (Chip::Vangogh, None)] {
        assert_eq!(chip.info().dfsm_reset, reset, "{chip}");
    }
    assert_eq!((Chip::Raven.packer_ids(), Chip::Navi31.packer_ids()), (2, 4));
}
