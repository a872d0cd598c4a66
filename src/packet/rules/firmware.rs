//! Firmware versions, and the versions that packets need.

use crate::chip::Gfx;
use crate::packet::formats::format::{FirmwareCounter, FirmwareNeed};
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::lookup::forms;
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use crate::packet::wire::scope::Scope;

/// Firmware versions of the command processor, as the kernel reports them. Packets that need newer ones are refused, and register writes take another form.
///
/// The default is firmware with every feature; only the workaround for a task count of 0 on GFX10.3 treats it as unknown (`Recorder::set_task_count_memory` of
/// the feature `draw`). The model treats versions that it is not given as unknown (`cp::FirmwareVersions`, to which this converts).
///
/// For an example see [`Firmware::supports`](crate::packet::Firmware::supports).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Firmware {
    /// Prefetch parser.
    pub pfp: u32,
    /// Micro-engine.
    pub me: u32,
    /// Micro-engine of compute queues.
    pub mec: u32,
    /// Feature version of the micro-engine (before GFX11), which the kernel reports in addition to the firmware versions
    /// (Mesa 25.0.7 ac_gpu_info.c me_fw_feature).
    pub me_feature: u32,
}

impl Default for Firmware {
    fn default() -> Self {
        Self { pfp: u32::MAX, me: u32::MAX, mec: u32::MAX, me_feature: u32::MAX }
    }
}

impl Firmware {
    /// First PFP that takes 14 registers in SET_SH_REG_PAIRS_PACKED_N instead of 8 (PAL gfx9CmdUtil.cpp).
    pub(in crate::packet) const PFP_PACKED_N_14: u32 = 1463;

    /// Returns one of the versions.
    #[must_use]
    pub const fn version(&self, of: FirmwareCounter) -> u32 {
        match of {
            FirmwareCounter::Pfp => self.pfp,
            FirmwareCounter::Me => self.me,
            FirmwareCounter::Mec => self.mec,
            FirmwareCounter::MeFeature => self.me_feature,
        }
    }

    /// Returns whether this firmware has packets of an opcode, regardless of their contents. Which versions packets need is in `regdb/packets`
    /// ([`FirmwareNeed`]).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Firmware, Opcode, Queue}};
    /// let old = Firmware { pfp: 1457, ..Firmware::default() };
    /// assert!(!old.supports(Opcode::EVENT_WRITE_ZPASS, Gfx::Gfx11, Queue::Graphics));
    /// # }
    /// ```
    #[must_use]
    pub fn supports(&self, packet: Opcode, gfx: Gfx, queue: Queue) -> bool {
        let view = Scope::queue(gfx, queue);
        let whole = |need: &&FirmwareNeed| need.scope.intersects(view) && need.when.is_empty();
        *self == Self::default() || forms(packet, gfx, view).all(|(_, form)| form.firmware.iter().filter(whole).all(|need| self.version(need.of) >= need.from))
    }
}

/// Checks that firmware is new enough for what a packet needs.
pub(in crate::packet) fn check_firmware(packet: &'static str, has: &Firmware, needs: impl Iterator<Item = &'static FirmwareNeed>) -> Result<(), WriteError> {
    for need in needs {
        let (needed, given) = (need.from, has.version(need.of));
        if given < needed {
            let of_engine = |engine| WriteError::Firmware { packet, engine, needed, given };
            return Err(match need.of {
                FirmwareCounter::Pfp => of_engine(Engine::Pfp),
                FirmwareCounter::Me => of_engine(Engine::Me),
                FirmwareCounter::Mec => of_engine(Engine::Mec),
                FirmwareCounter::MeFeature => WriteError::MeFeature { packet, needed, given },
            });
        }
    }
    Ok(())
}
