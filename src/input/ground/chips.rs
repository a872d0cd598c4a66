//! Maps the kernel's chip names to chips.

use crate::chip::Chip;
pub(in crate::input) use crate::gpu::{Core, of_core, of_family};

/// Kernel names of chips that differ from the names in this crate; not `navi10` and the like (Linux 7.1 amdgpu_device.c amdgpu_asic_name; kfd_device.c has the
/// versions of their graphics cores).
const ASICS: &[(&str, &str)] =
    &[("sienna_cichlid", "navi21"), ("navy_flounder", "navi22"), ("dimgrey_cavefish", "navi23"), ("beige_goby", "navi24"), ("yellow_carp", "rembrandt")];

/// PCI device IDs of chips that the kernel calls `IP DISCOVERY`, where device coredumps or user reports state both the ID and the graphics core.
const DEVICES: &[(u32, &str)] = &[(0x744C, "navi31"), (0x747E, "navi32"), (0x7480, "navi33"), (0x7550, "gfx1201"), (0x7590, "gfx1200")];

/// One name for several chips: Raven, Picasso and Raven2 (Linux 7.1 soc15.c distinguishes them by revision).
const SEVERAL: &str = "raven";

/// Returns the chip from its name and PCI device ID in the kernel log. Chips older than GFX9 are not in this crate.
pub(in crate::input) fn of_asic(name: &str, device: u32) -> Option<Chip> {
    let name = name.to_ascii_lowercase();
    if name == SEVERAL {
        return None;
    }
    let known = ASICS.iter().find(|(known, _)| *known == name).map_or(name.as_str(), |(_, chip)| *chip).parse().ok();
    known.or_else(|| DEVICES.iter().find(|(known, _)| *known == device)?.1.parse().ok())
}

/// Returns the family of an IP block from its driver name, `gfx_v11_0`. `gfx_v9_4_3` and `gfx_v12_1` are compute parts; `gfx_v10_0` drives GFX10.1 and GFX10.3,
/// and `gfx_v11_0` also drives GFX11.5, so these names identify only the family.
pub(in crate::input) fn family_of_block(name: &str) -> Option<&'static str> {
    [("gfx_v9_0", "GFX9"), ("gfx_v10_0", "GFX10.1 or GFX10.3"), ("gfx_v11_0", "GFX11 or GFX11.5"), ("gfx_v12_0", "GFX12")]
        .into_iter()
        .find(|(block, _)| *block == name)
        .map(|(_, family)| family)
}
