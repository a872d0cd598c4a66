//! What a writer is told of its surroundings.

/// Firmware versions of the command processor, as the kernel reports them. Packets that need newer ones are refused, and register writes take another form.
///
/// The default is firmware that has everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Firmware {
    /// Prefetch parser.
    pub pfp: u32,
    /// Micro-engine of compute queues.
    pub mec: u32,
    /// Feature version of the microcode before GFX11, which the kernel reports beside the versions (Mesa 25.0.7 ac_gpu_info.c me_fw_feature).
    pub feature: u32,
}

impl Default for Firmware {
    fn default() -> Self {
        Self { pfp: u32::MAX, mec: u32::MAX, feature: u32::MAX }
    }
}

impl Firmware {
    /// First PFP with packed register pairs, GFX11 (PAL gfx9Chip.h Gfx11MinPfpVersionPackedRegPairsSupport).
    pub const PFP_PACKED_PAIRS: u32 = 1448;
    /// First MEC with packed register pairs, GFX11 (PAL gfx9Chip.h Gfx11MinMecVersionPackedRegPairsSupport).
    pub const MEC_PACKED_PAIRS: u32 = 463;
    /// First PFP that takes 14 registers in SET_SH_REG_PAIRS_PACKED_N instead of 8 (PAL gfx9CmdUtil.cpp).
    pub const PFP_PACKED_N_14: u32 = 1463;
    /// First PFP with EVENT_WRITE_ZPASS (PAL gfx9CmdUtil.cpp).
    pub const PFP_ZPASS: u32 = 1458;
    /// First PFP with EXECUTE_INDIRECT_V2 (PAL gfx9CmdUtil.cpp).
    pub const PFP_EXECUTE_INDIRECT_V2: u32 = 2060;
    /// First PFP with PERF_COUNTER_WINDOW (PAL gfx9CmdUtil.cpp).
    pub const PFP_COUNTER_WINDOW: u32 = 2240;
    /// First MEC with PERF_COUNTER_WINDOW.
    pub const MEC_COUNTER_WINDOW: u32 = 2290;
    /// First PFP of GFX11 with unpacked register pairs (PAL gfx9CmdUtil.cpp).
    pub const PFP_PAIRS: u32 = 41;
    /// First feature version of GFX9 with SET_UCONFIG_REG_INDEX and SET_SH_REG_INDEX; before it the index stands in SET_UCONFIG_REG (PAL gfx9CmdUtil.cpp).
    pub const GFX9_REG_INDEX: u32 = 26;
    /// First feature version of GFX9 whose predicate may be a 32-bit boolean (Mesa 25.0.7 ac_gpu_info.c).
    pub const GFX9_BOOL32: u32 = 52;
    /// The same for GFX10.
    pub const GFX10_BOOL32: u32 = 32;
    /// First feature version of GFX9 with DUMP_CONST_RAM_OFFSET (PAL gfx9CmdUtil.cpp).
    pub const GFX9_DUMP_OFFSET: u32 = 30;
    /// First feature version of GFX9 with data_indirect_2dw_256b in SET_SH_REG_OFFSET (PAL 04/2024 gfx9Device.cpp Gfx9UcodeVersionSetShRegOffset256B).
    pub const GFX9_SH_REG_OFFSET_256B: u32 = 42;
    /// The same for GFX10 (PAL 04/2024 gfx9Device.cpp Gfx10UcodeVersionSetShRegOffset256B).
    pub const GFX10_SH_REG_OFFSET_256B: u32 = 27;
    /// First feature version of GFX10.3 with indirect_addr in LOAD_SH_REG_INDEX (PAL gfx9CmdUtil.cpp BuildLoadShRegsIndex).
    pub const GFX103_LOAD_SH_INDIRECT: u32 = 39;
}

/// Which packets carry lists of register writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegisterForm {
    /// The fewest dwords that generation, queue and firmware allow; of equal ones, the plainest.
    #[default]
    Fewest,
    /// SET_* with runs of consecutive registers only.
    Runs,
    /// SET_*_REG_PAIRS for all that they take, where they exist.
    Pairs,
    /// SET_*_REG_PAIRS_PACKED for all that they take, where they exist: on GFX11. On GFX12 these are runs. AMD's header has SET_SH_REG_PAIRS_PACKED for
    /// compute queues there, as opcode 0xBC, but PAL never writes it and Mesa says that GFX12 has no packed pairs. Whether firmware knows it is unverified,
    /// and an unknown opcode stops the queue: lists never take it. [`emit`](crate::packet::Writer::emit) writes the packet for who wants to try.
    Packed,
}

/// WriterOptions of a [`Writer`](crate::packet::Writer).
///
/// ```
/// use pm4::packet::{WriterOptions, RegisterForm};
/// let plain = WriterOptions { context_form: RegisterForm::Runs, sh_form: RegisterForm::Runs, ..WriterOptions::default() };
/// assert!(plain.indexed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterOptions {
    /// Firmware of the command processor.
    pub firmware: Firmware,
    /// Form of lists of context registers.
    pub context_form: RegisterForm,
    /// Form of lists of SH registers.
    pub sh_form: RegisterForm,
    /// SH registers are shadowed: on GFX11 packed SH pairs need that (Mesa 25.0.7 ac_pm4.c), so [`RegisterForm::Fewest`] takes them only then.
    pub sh_shadowed: bool,
    /// Lists on the graphics queue keep graphics and compute SH registers apart, each with its shader type in the header, as PAL does. Without it they share
    /// packets of the graphics type, as RADV writes them.
    pub sh_by_type: bool,
    /// Form of lists of user-config registers (pairs: GFX12).
    pub uconfig_form: RegisterForm,
    /// Registers that [`register_index`](crate::packet::register_index) knows go alone, with their index, when lists are written.
    pub indexed: bool,
    /// Writes of a part of a group ([`register_group`](crate::packet::register_group)) are refused, whichever way the packet is authored.
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
