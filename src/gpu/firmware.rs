//! Known firmware versions of the command processor.

use crate::packet::Firmware;

/// Versions of the command processor's firmware, as the model knows them. If a version is not known, rules that depend on it report nothing, or only with
/// severity info. The firmware that configures a writer ([`Firmware`](crate::packet::Firmware)) converts to this type: its `u32::MAX`, which stands for
/// firmware with every feature, is newer than any version that a rule asks for.
///
/// ```
/// use pm4::gpu::FirmwareVersions;
/// // What the kernel answers to AMDGPU_INFO_FW_VERSION of PFP, ME and MEC: version and feature version.
/// let firmware = FirmwareVersions::of_queries((95, 42), (64, 42), (104, 42));
/// assert_eq!((firmware.me, firmware.me_feature), (Some(64), Some(42)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FirmwareVersions {
    /// Version of the prefetch parser.
    pub pfp: Option<u32>,
    /// Version of the micro-engine.
    pub me: Option<u32>,
    /// Version of the micro-engine of compute queues.
    pub mec: Option<u32>,
    /// Feature version of the micro-engine, which the kernel reports in addition to the firmware versions.
    pub me_feature: Option<u32>,
}

/// The firmware for which the stream was written: rules about firmware do not report features that the writer was told are present.
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

/// The firmware that a writer assumes: every feature, if the version is not known.
impl From<FirmwareVersions> for Firmware {
    fn from(versions: FirmwareVersions) -> Self {
        versions.over(Self::default())
    }
}

impl FirmwareVersions {
    /// Returns these versions where they are known, and those of `others` elsewhere.
    pub(crate) fn over(self, others: Firmware) -> Firmware {
        Firmware {
            pfp: self.pfp.unwrap_or(others.pfp),
            me: self.me.unwrap_or(others.me),
            mec: self.mec.unwrap_or(others.mec),
            me_feature: self.me_feature.unwrap_or(others.me_feature),
        }
    }

    /// Returns the versions from the kernel's answers for PFP, ME and MEC, each a version and a feature version (drm_amdgpu_info_firmware).
    pub const fn of_queries(pfp: (u32, u32), me: (u32, u32), mec: (u32, u32)) -> Self {
        Self { pfp: Some(pfp.0), me: Some(me.0), mec: Some(mec.0), me_feature: Some(me.1) }
    }
}
