//! The chips behind the numbers that a kernel reports.

use crate::chip::{Chip, Gfx};
use alloc::format;
use alloc::string::String;

/// Version of the graphics core (GC), chip, and its LLVM name (Linux 7.1 amdgpu_discovery.c, kfd_device.c). Parts that the crate does not know as chips have
/// only the LLVM name.
const CORES: &[((u32, u32, u32), &str, &str)] = &[
    ((9, 0, 1), "vega10", "gfx900"),
    ((9, 1, 0), "raven", "gfx902"),
    ((9, 2, 1), "vega12", "gfx904"),
    ((9, 2, 2), "raven2", "gfx909"),
    ((9, 3, 0), "renoir", "gfx90c"),
    ((9, 4, 0), "vega20", "gfx906"),
    ((9, 4, 1), "", "gfx908"),
    ((9, 4, 2), "", "gfx90a"),
    ((9, 4, 3), "", "gfx942"),
    ((9, 4, 4), "", "gfx942"),
    ((9, 5, 0), "", "gfx950"),
    ((10, 1, 10), "navi10", "gfx1010"),
    ((10, 1, 2), "navi12", "gfx1011"),
    ((10, 1, 1), "navi14", "gfx1012"),
    ((10, 1, 3), "gfx1013", "gfx1013"),
    ((10, 1, 4), "gfx1013", "gfx1013"),
    ((10, 3, 0), "navi21", "gfx1030"),
    ((10, 3, 2), "navi22", "gfx1031"),
    ((10, 3, 4), "navi23", "gfx1032"),
    ((10, 3, 5), "navi24", "gfx1034"),
    ((10, 3, 1), "vangogh", "gfx1033"),
    ((10, 3, 3), "rembrandt", "gfx1035"),
    ((10, 3, 6), "raphael_mendocino", "gfx1036"),
    ((10, 3, 7), "raphael_mendocino", "gfx1036"),
    ((11, 0, 0), "navi31", "gfx1100"),
    ((11, 0, 3), "navi32", "gfx1101"),
    ((11, 0, 2), "navi33", "gfx1102"),
    ((11, 0, 1), "phoenix", "gfx1103"),
    ((11, 0, 4), "phoenix2", "gfx1103"),
    ((11, 5, 0), "gfx1150", "gfx1150"),
    ((11, 5, 1), "gfx1151", "gfx1151"),
    ((11, 5, 2), "gfx1152", "gfx1152"),
    ((11, 5, 3), "gfx1153", "gfx1153"),
    ((11, 5, 4), "gfx1154", "gfx1154"),
    ((11, 5, 6), "gfx1156", "gfx1156"),
    ((11, 7, 0), "gfx1170", "gfx1170"),
    ((11, 7, 1), "gfx1171", "gfx1171"),
    ((12, 0, 0), "gfx1200", "gfx1200"),
    ((12, 0, 1), "gfx1201", "gfx1201"),
    ((12, 1, 0), "", "gfx1250"),
];

/// Kernel family (AMDGPU_FAMILY_*), first external revision of the part, and graphics core (Linux 7.1 soc15.c, nv.c, soc21.c,
/// soc24.c; patches of 2026-06 for 11.5.6 and 11.7). [`SHARED`] lists the numbers that several parts share.
const FAMILIES: &[(u32, u32, (u32, u32, u32))] = &[
    (141, 0x01, (9, 0, 1)),
    (141, 0x14, (9, 2, 1)),
    (141, 0x28, (9, 4, 0)),
    (141, 0x32, (9, 4, 1)),
    (141, 0x3C, (9, 4, 2)),
    (141, 0x46, (9, 4, 3)),
    (141, 0x50, (9, 5, 0)),
    (142, 0x01, (9, 1, 0)),
    (142, 0x81, (9, 2, 2)),
    (142, 0x91, (9, 3, 0)),
    (143, 0x01, (10, 1, 10)),
    (143, 0x0A, (10, 1, 2)),
    (143, 0x14, (10, 1, 1)),
    (143, 0x28, (10, 3, 0)),
    (143, 0x32, (10, 3, 2)),
    (143, 0x3C, (10, 3, 4)),
    (143, 0x46, (10, 3, 5)),
    (143, 0x82, (10, 1, 3)),
    (144, 0x01, (10, 3, 1)),
    (145, 0x01, (11, 0, 0)),
    (145, 0x10, (11, 0, 2)),
    (145, 0x20, (11, 0, 3)),
    (146, 0x01, (10, 3, 3)),
    (148, 0x01, (11, 0, 1)),
    // Phoenix2, Hawk Point, Hawk Point 2 (Mesa 2026 amdgpu_asic_addr.h).
    (148, 0x80, (11, 0, 4)),
    (148, 0xC0, (11, 0, 1)),
    (148, 0xF0, (11, 0, 4)),
    (149, 0x01, (10, 3, 6)),
    (150, 0x01, (11, 5, 0)),
    (150, 0x40, (11, 5, 2)),
    (150, 0x50, (11, 5, 3)),
    (150, 0xC0, (11, 5, 1)),
    (150, 0xD0, (11, 5, 6)),
    (151, 0x01, (10, 3, 7)),
    (152, 0x40, (12, 0, 0)),
    (152, 0x50, (12, 0, 1)),
    (154, 0x01, (11, 7, 0)),
    (154, 0x40, (11, 7, 1)),
];

/// Family, range of external revisions that parts share (the end is excluded), and the possible parts (Linux 7.1 soc21.c). GFX12 has such a part too: GC 12.1.0
/// shares numbers with 12.0.1. It has no graphics, and this crate does not support its streams.
const SHARED: &[(u32, u32, u32, &str)] = &[
    (150, 0x01, 0x40, "GC 11.5.0 (gfx1150) or GC 11.5.4 (gfx1154)"),
    // Mesa 2026 treats revisions from 0x01 on as 11.7.0; Linux starts at 0x0F, and moves 11.5.4 into the family (patches of 2026-06).
    (154, 0x01, 0x0F, "GC 11.7.0 (gfx1170) or GC 11.5.4 (gfx1154)"),
];

/// Returns the chip of a family and an external revision, if the kernel knows them; only the generation if several chips share them.
pub(crate) fn of_family(family: u32, revision: u32) -> Option<Core> {
    let (_, _, (major, minor, step)) = FAMILIES.iter().rfind(|(known, from, _)| *known == family && *from <= revision)?;
    let core = of_core(*major, *minor, *step);
    match SHARED.iter().find(|(known, from, to, _)| *known == family && (*from..*to).contains(&revision)) {
        Some((.., parts)) => Some(Core { chip: None, name: (*parts).into(), ..core }),
        None => Some(core),
    }
}

/// What a graphics core version implies.
#[cfg_attr(not(feature = "input"), allow(dead_code, reason = "inputs say what a chip is called that the crate does not know"))]
pub(crate) struct Core {
    pub chip: Option<Chip>,
    pub gfx: Option<Gfx>,
    /// Its name for people.
    pub name: String,
}

/// Returns the chip of a version of the graphics core.
pub(crate) fn of_core(major: u32, minor: u32, revision: u32) -> Core {
    let row = CORES.iter().find(|(version, ..)| *version == (major, minor, revision));
    let chip = row.and_then(|(_, chip, _)| chip.parse().ok());
    let llvm = row.map_or_else(String::new, |(_, _, llvm)| format!(" ({llvm})"));
    Core { chip, gfx: chip.map(Chip::gfx).or_else(|| generation(major, minor)), name: format!("GC {major}.{minor}.{revision}{llvm}") }
}

/// Returns the generation of a version, if the crate is built for it. Compute parts (from 9.4.1, 12.1) run streams that this crate does not support.
fn generation(major: u32, minor: u32) -> Option<Gfx> {
    let name = match (major, minor) {
        (9, 0..=3) => "gfx9",
        (10, 1) => "gfx10",
        (10, 3) => "gfx103",
        (11, 0) => "gfx11",
        // GFX11.7 is treated as GFX11.5 (regdb/chips.toml).
        (11, 5 | 7) => "gfx115",
        (12, 0) => "gfx12",
        _ => return None,
    };
    name.parse().ok()
}

impl Chip {
    /// Returns the chip that the kernel means by a family (AMDGPU_FAMILY_…) and a revision within it (family and external_rev of the device information). None
    /// for unknown chips and for numbers that several chips share.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx9", feature = "gfx11"))] {
    /// use pm4::chip::Chip;
    /// assert_eq!(Chip::of_kernel(145, 0x01), Some(Chip::Navi31));
    /// assert_eq!(Chip::of_kernel(142, 0x81), Some(Chip::Raven2));
    /// assert_eq!(Chip::of_kernel(141, 0x3C), None); // gfx90a draws nothing
    /// # }
    /// ```
    pub fn of_kernel(family: u32, external_rev: u32) -> Option<Self> {
        of_family(family, external_rev)?.chip
    }

    /// Returns the chip with a version of the graphics core (GC): ip_discovery_version of the graphics queue in drm_amdgpu_info_hw_ip, which distinguishes
    /// chips that share a family and revision ([`of_kernel`](Self::of_kernel)). None for unknown chips.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Chip;
    /// assert_eq!(Chip::of_core(11, 0, 0), Some(Chip::Navi31));
    /// assert_eq!(Chip::of_core(11, 5, 4), "gfx1154".parse().ok());
    /// assert_eq!(Chip::of_core(9, 4, 2), None); // gfx90a draws nothing
    /// # }
    /// ```
    pub fn of_core(major: u32, minor: u32, revision: u32) -> Option<Self> {
        of_core(major, minor, revision).chip
    }
}
