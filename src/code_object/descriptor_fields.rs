//! The fields of kernel descriptor words. Source: LLVM 22.1.8 AMDGPUUsage, compute_pgm_rsrc1 to 3 and the kernel code properties.

use super::processor::layout::{GFX9, GFX10, GFX11, GFX12, GFX90A, GFX125};
use strum::Display;

/// A word of a kernel descriptor.
///
/// For an example, see [`DescriptorDefect`](crate::code_object::DescriptorDefect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum DescriptorWord {
    /// COMPUTE_PGM_RSRC1, at byte 48.
    #[strum(to_string = "compute_pgm_rsrc1")]
    Rsrc1,
    /// COMPUTE_PGM_RSRC2, at byte 52.
    #[strum(to_string = "compute_pgm_rsrc2")]
    Rsrc2,
    /// COMPUTE_PGM_RSRC3, at byte 44.
    #[strum(to_string = "compute_pgm_rsrc3")]
    Rsrc3,
    /// 16 bits at byte 56.
    #[strum(to_string = "kernel_code_properties")]
    Properties,
    /// 16 bits at byte 58.
    #[strum(to_string = "kernarg_preload")]
    Preload,
}

impl DescriptorWord {
    pub(super) const ALL: [Self; 5] = [Self::Rsrc1, Self::Rsrc2, Self::Rsrc3, Self::Properties, Self::Preload];
}

/// Who sets a field.
///
/// For an example, see [`DescriptorDefect`](crate::code_object::DescriptorDefect).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldUse {
    /// The compiler.
    Compiler,
    /// The packet processor, from the dispatch or the runtime: 0 in a descriptor.
    Processor,
    /// Nobody: always 0.
    None,
}

pub(super) struct Row {
    pub word: DescriptorWord,
    pub name: &'static str,
    pub lo: u8,
    pub hi: u8,
    pub layouts: u8,
    pub of: FieldUse,
}

const ALL: u8 = GFX9 | GFX90A | GFX10 | GFX11 | GFX12 | GFX125;
const UNTIL_GFX11: u8 = GFX9 | GFX90A | GFX10 | GFX11;
const FROM_GFX10: u8 = GFX10 | GFX11 | GFX12 | GFX125;
const FROM_GFX12: u8 = GFX12 | GFX125;
const PRELOADS: u8 = GFX90A | GFX125;

const fn row(word: DescriptorWord, name: &'static str, (hi, lo): (u8, u8), layouts: u8) -> Row {
    Row { word, name, lo, hi, layouts, of: FieldUse::Compiler }
}

/// Returns a field that the packet processor fills in.
const fn filled(word: DescriptorWord, name: &'static str, (hi, lo): (u8, u8), layouts: u8) -> Row {
    Row { word, name, lo, hi, layouts, of: FieldUse::Processor }
}

use DescriptorWord::{Preload, Properties, Rsrc1, Rsrc2, Rsrc3};

pub(super) static ROWS: &[Row] = &[
    row(Rsrc1, "granulated_workitem_vgpr_count", (5, 0), ALL),
    row(Rsrc1, "granulated_wavefront_sgpr_count", (9, 6), ALL),
    filled(Rsrc1, "priority", (11, 10), ALL),
    row(Rsrc1, "float_round_mode_32", (13, 12), ALL),
    row(Rsrc1, "float_round_mode_16_64", (15, 14), ALL),
    row(Rsrc1, "float_denorm_mode_32", (17, 16), ALL),
    row(Rsrc1, "float_denorm_mode_16_64", (19, 18), ALL),
    filled(Rsrc1, "priv", (20, 20), ALL),
    row(Rsrc1, "enable_dx10_clamp", (21, 21), UNTIL_GFX11),
    row(Rsrc1, "enable_wg_rr_en", (21, 21), FROM_GFX12),
    filled(Rsrc1, "debug_mode", (22, 22), ALL),
    row(Rsrc1, "enable_ieee_mode", (23, 23), UNTIL_GFX11),
    filled(Rsrc1, "disable_perf", (23, 23), FROM_GFX12),
    filled(Rsrc1, "bulky", (24, 24), ALL),
    filled(Rsrc1, "cdbg_user", (25, 25), ALL),
    row(Rsrc1, "fp16_ovfl", (26, 26), ALL),
    row(Rsrc1, "flat_scratch_is_nv", (27, 27), GFX125),
    row(Rsrc1, "wgp_mode", (29, 29), FROM_GFX10),
    row(Rsrc1, "mem_ordered", (30, 30), FROM_GFX10),
    row(Rsrc1, "fwd_progress", (31, 31), FROM_GFX10),
    row(Rsrc2, "enable_private_segment", (0, 0), ALL),
    row(Rsrc2, "user_sgpr_count", (5, 1), ALL & !GFX125),
    row(Rsrc2, "user_sgpr_count", (6, 1), GFX125),
    filled(Rsrc2, "enable_trap_handler", (6, 6), UNTIL_GFX11),
    row(Rsrc2, "enable_dynamic_vgpr", (6, 6), GFX12),
    row(Rsrc2, "enable_sgpr_workgroup_id_x", (7, 7), ALL),
    row(Rsrc2, "enable_sgpr_workgroup_id_y", (8, 8), ALL),
    row(Rsrc2, "enable_sgpr_workgroup_id_z", (9, 9), ALL),
    row(Rsrc2, "enable_sgpr_workgroup_info", (10, 10), ALL),
    row(Rsrc2, "enable_vgpr_workitem_id", (12, 11), ALL),
    filled(Rsrc2, "enable_exception_address_watch", (13, 13), ALL),
    filled(Rsrc2, "enable_exception_memory", (14, 14), ALL),
    filled(Rsrc2, "granulated_lds_size", (23, 15), ALL),
    row(Rsrc2, "enable_exception_ieee_754_fp_invalid_operation", (24, 24), ALL),
    row(Rsrc2, "enable_exception_fp_denormal_source", (25, 25), ALL),
    row(Rsrc2, "enable_exception_ieee_754_fp_division_by_zero", (26, 26), ALL),
    row(Rsrc2, "enable_exception_ieee_754_fp_overflow", (27, 27), ALL),
    row(Rsrc2, "enable_exception_ieee_754_fp_underflow", (28, 28), ALL),
    row(Rsrc2, "enable_exception_ieee_754_fp_inexact", (29, 29), ALL),
    row(Rsrc2, "enable_exception_int_divide_by_zero", (30, 30), ALL),
    row(Rsrc3, "accum_offset", (5, 0), GFX90A),
    row(Rsrc3, "tg_split", (16, 16), GFX90A),
    row(Rsrc3, "shared_vgpr_count", (3, 0), GFX10 | GFX11),
    row(Rsrc3, "inst_pref_size", (9, 4), GFX11),
    filled(Rsrc3, "trap_on_start", (10, 10), GFX11),
    filled(Rsrc3, "trap_on_end", (11, 11), GFX11),
    row(Rsrc3, "inst_pref_size", (11, 4), FROM_GFX12),
    row(Rsrc3, "glg_en", (13, 13), FROM_GFX12),
    row(Rsrc3, "named_bar_cnt", (16, 14), GFX125),
    row(Rsrc3, "enable_dynamic_vgpr", (17, 17), GFX125),
    row(Rsrc3, "tcp_split", (20, 18), GFX125),
    row(Rsrc3, "enable_didt_throttle", (21, 21), GFX125),
    row(Rsrc3, "image_op", (31, 31), GFX11 | GFX12 | GFX125),
    row(Properties, "enable_sgpr_private_segment_buffer", (0, 0), ALL),
    row(Properties, "enable_sgpr_dispatch_ptr", (1, 1), ALL),
    row(Properties, "enable_sgpr_queue_ptr", (2, 2), ALL),
    row(Properties, "enable_sgpr_kernarg_segment_ptr", (3, 3), ALL),
    row(Properties, "enable_sgpr_dispatch_id", (4, 4), ALL),
    row(Properties, "enable_sgpr_flat_scratch_init", (5, 5), ALL),
    row(Properties, "enable_sgpr_private_segment_size", (6, 6), ALL),
    row(Properties, "enable_wavefront_size32", (10, 10), FROM_GFX10),
    row(Properties, "uses_dynamic_stack", (11, 11), ALL),
    row(Preload, "kernarg_preload_length", (6, 0), PRELOADS),
    row(Preload, "kernarg_preload_offset", (15, 7), PRELOADS),
];
