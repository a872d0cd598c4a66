//! Options of a writer: firmware and forms of register writes.

use crate::packet::rules::firmware::Firmware;

/// The packets that carry lists of register writes.
///
/// For an example see [`WriterOptions`](crate::packet::WriterOptions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegisterForm {
    /// The fewest dwords that generation, queue and firmware allow; among equals, the plainest.
    #[default]
    Fewest,
    /// SET_* with runs of consecutive registers only.
    Runs,
    /// SET_*_REG_PAIRS for all registers that they can set, if they exist.
    Pairs,
    /// SET_*_REG_PAIRS_PACKED for all registers that they can set, where they exist: on GFX11. On GFX12 these are runs. AMD's header has SET_SH_REG_PAIRS_PACKED for
    /// compute queues there, as opcode 0xBC, but PAL never writes it and Mesa says that GFX12 has no packed pairs. Whether firmware knows it is unverified,
    /// and an unknown opcode stops the queue: lists never use it. [`emit`](crate::packet::Writer::emit) writes the packet for experiments.
    Packed,
}

/// Options of a [`Writer`](crate::packet::Writer). A `draw::Recorder` keeps the options of the writer from which it is created (`Recorder::from_writer`).
///
/// ```
/// use pm4::packet::{WriterOptions, RegisterForm};
/// let plain = WriterOptions { context_form: RegisterForm::Runs, sh_form: RegisterForm::Runs, ..WriterOptions::default() };
/// assert!(plain.indexed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Firmware of the command processor. Default: firmware with every feature.
    pub firmware: Firmware,
    /// Form of lists of context registers. Default: [`RegisterForm::Fewest`].
    pub context_form: RegisterForm,
    /// Form of lists of SH registers. Default: [`RegisterForm::Fewest`].
    pub sh_form: RegisterForm,
    /// Whether SH registers are shadowed. On GFX11, packed SH pairs need this (Mesa 25.0.7 ac_pm4.c), so [`RegisterForm::Fewest`] uses them only if true.
    /// Default: false.
    pub sh_shadowed: bool,
    /// Whether lists on the graphics queue separate graphics and compute SH registers, each with its shader type in the header, as in PAL. If false, they share
    /// packets of the graphics type, as in RADV. Default: false.
    pub sh_by_type: bool,
    /// Form of lists of user-config registers (pairs: GFX12). Default: [`RegisterForm::Fewest`].
    pub uconfig_form: RegisterForm,
    /// Whether every method that sets registers writes registers known to [`register_index`](crate::packet::register_index) alone, with their index.
    /// Default: true.
    pub indexed: bool,
    /// Whether writes of a part of a group ([`register_group`](crate::packet::register_group)) are refused, regardless of how the packet is authored.
    /// Default: true.
    pub whole_groups: bool,
}

impl WriterOptions {
    /// Returns options with only runs in every window.
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
