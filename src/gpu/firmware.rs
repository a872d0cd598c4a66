//! Firmware of the command processor, as far as it is known.

use crate::packet::Firmware;

/// Versions of the command processor's firmware, as the model knows them. Rules that depend on one report nothing, or only with severity info, where the
/// version is not known. What a writer was given ([`Firmware`](crate::packet::Firmware)) converts to it: `u32::MAX`, with which a writer takes firmware to have
/// everything, is newer than all that a rule asks for.
///
/// ```
/// use pm4::gpu::FirmwareVersions;
/// // What the kernel answers to AMDGPU_INFO_FW_VERSION of PFP, ME and MEC: version and feature version.
/// let firmware = FirmwareVersions::of_queries((95, 42), (64, 42), (104, 42));
/// assert_eq!((firmware.me, firmware.me_feature), (Some(64), Some(42)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FirmwareVersions {
    /// Prefetch parser.
    pub pfp: Option<u32>,
    /// Micro-engine.
    pub me: Option<u32>,
    /// Micro-engine of compute queues.
    pub mec: Option<u32>,
    /// Feature version of the micro-engine, which the kernel reports in addition to the firmware versions.
    pub me_feature: Option<u32>,
}

/// What the stream was written for: rules on firmware do not speak of what the writer was told that the firmware has.
///
/// ```
/// use pm4::{gpu::FirmwareVersions, packet::Firmware};
/// let firmware = FirmwareVersions::from(Firmware { pfp: 1457, ..Firmware::default() });
/// assert_eq!((firmware.pfp, firmware.me_feature), (Some(1457), Some(u32::MAX)));
/// assert_eq!(FirmwareVersions::default().me_feature, None); // not known
/// ```
impl From<Firmware> for FirmwareVersions {
    fn from(firmware: Firmware) -> Self {
        Self { pfp: Some(firmware.pfp), me: Some(firmware.me), mec: Some(firmware.mec), me_feature: Some(firmware.me_feature) }
    }
}

/// What a writer takes firmware to have: everything, where the version is not known.
impl From<FirmwareVersions> for Firmware {
    fn from(versions: FirmwareVersions) -> Self {
        versions.over(Self::default())
    }
}

impl FirmwareVersions {
    /// These versions, where they are known, over others.
    pub(crate) fn over(self, others: Firmware) -> Firmware {
        Firmware {
            pfp: self.pfp.unwrap_or(others.pfp),
            me: self.me.unwrap_or(others.me),
            mec: self.mec.unwrap_or(others.mec),
            me_feature: self.me_feature.unwrap_or(others.me_feature),
        }
    }

    /// By what the kernel answers of PFP, ME and MEC: version and feature version (drm_amdgpu_info_firmware).
    pub const fn of_queries(pfp: (u32, u32), me: (u32, u32), mec: (u32, u32)) -> Self {
        Self { pfp: Some(pfp.0), me: Some(me.0), mec: Some(mec.0), me_feature: Some(me.1) }
    }
}
