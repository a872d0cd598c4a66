//! Options of a writer: firmware and forms of register writes.

use crate::chip::Gfx;
use crate::packet::formats::format::{FirmwareCounter, FirmwareNeed};
use crate::packet::tables::lookup::forms;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::scope::Scope;

/// Firmware versions of the command processor, as the kernel reports them. Packets that need newer ones are refused, and register writes take another form.
///
/// The default is firmware that has everything; only the workaround for a task count of 0 on GFX10.3 takes it as not known
/// (`Recorder::set_task_count_memory` of the feature `draw`). The model takes versions that it is not told as not known (`cp::FirmwareVersions`, to which this
/// converts).
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

    /// One of the versions.
    #[must_use]
    pub const fn version(&self, of: FirmwareCounter) -> u32 {
        match of {
            FirmwareCounter::Pfp => self.pfp,
            FirmwareCounter::Me => self.me,
            FirmwareCounter::Mec => self.mec,
            FirmwareCounter::MeFeature => self.me_feature,
        }
    }

    /// Whether this firmware has packets of an opcode, whatever is in them. Which versions packets need is in `regdb/packets` ([`FirmwareNeed`]).
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

/// Which packets carry lists of register writes.
///
/// For an example see [`WriterOptions`](crate::packet::WriterOptions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegisterForm {
    /// The fewest dwords that generation, queue and firmware allow; of equal ones, the plainest.
    #[default]
    Fewest,
    /// SET_* with runs of consecutive registers only.
    Runs,
    /// SET_*_REG_PAIRS for all registers that they can set, where they exist.
    Pairs,
    /// SET_*_REG_PAIRS_PACKED for all registers that they can set, where they exist: on GFX11. On GFX12 these are runs. AMD's header has SET_SH_REG_PAIRS_PACKED for
    /// compute queues there, as opcode 0xBC, but PAL never writes it and Mesa says that GFX12 has no packed pairs. Whether firmware knows it is unverified,
    /// and an unknown opcode stops the queue: lists never use it. [`emit`](crate::packet::Writer::emit) writes the packet for those who want to try.
    Packed,
}

/// Options of a [`Writer`](crate::packet::Writer). A `draw::Recorder` keeps those of the writer that it is made from (`Recorder::from_writer`).
///
/// ```
/// use pm4::packet::{WriterOptions, RegisterForm};
/// let plain = WriterOptions { context_form: RegisterForm::Runs, sh_form: RegisterForm::Runs, ..WriterOptions::default() };
/// assert!(plain.indexed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Firmware of the command processor. Default: firmware that has everything.
    pub firmware: Firmware,
    /// Form of lists of context registers. Default: [`RegisterForm::Fewest`].
    pub context_form: RegisterForm,
    /// Form of lists of SH registers. Default: [`RegisterForm::Fewest`].
    pub sh_form: RegisterForm,
    /// SH registers are shadowed: on GFX11 packed SH pairs need that (Mesa 25.0.7 ac_pm4.c), so [`RegisterForm::Fewest`] takes them only then.
    /// Default: false.
    pub sh_shadowed: bool,
    /// Lists on the graphics queue keep graphics and compute SH registers apart, each with its shader type in the header, as PAL does. Without it they share
    /// packets of the graphics type, as RADV writes them. Default: false.
    pub sh_by_type: bool,
    /// Form of lists of user-config registers (pairs: GFX12). Default: [`RegisterForm::Fewest`].
    pub uconfig_form: RegisterForm,
    /// Registers that [`register_index`](crate::packet::register_index) knows are written alone, with their index, by every method that sets registers.
    /// Default: true.
    pub indexed: bool,
    /// Writes of a part of a group ([`register_group`](crate::packet::register_group)) are refused, whichever way the packet is authored.
    /// Default: true.
    pub whole_groups: bool,
}

impl WriterOptions {
    /// Runs only, in every window.
    pub(in crate::packet) fn runs() -> Self {
        Self { context_form: RegisterForm::Runs, sh_form: RegisterForm::Runs, uconfig_form: RegisterForm::Runs, ..Self::default() }
    }
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            firmware: Firmware::default(),
            context_form: RegisterForm::Fewest,
            sh_form: RegisterForm::Fewest,
            sh_shadowed: false,
            sh_by_type: true,
            uconfig_form: RegisterForm::Fewest,
            indexed: true,
            whole_groups: true,
        }
    }
}
