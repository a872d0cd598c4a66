//! The table of rules is complete: every code of the table SHEET below is a rule with that severity on those chips, or is listed among the codes that no
//! stream can show.
use pm4::chip::Chip;
use pm4::cp::Severity;
use pm4::cp::rules;
use std::collections::BTreeSet;

/// Code, severity, and scope: versions and ranges of them, or names of chips.
const SHEET: &[(&str, char, &str)] = &[
    ("ENC-01", 'E', "all"),
    ("ENC-02", 'E', "all"),
    ("ENC-03", 'E', "all"),
    ("ENC-04", 'E', "all"),
    ("ENC-05", 'W', "all"), // on graphics queues info
    ("ENC-06", 'W', "all"),
    ("ENC-07", 'W', "all"),
    ("ENC-08", 'E', "9"),
    ("ENC-09", 'W', "11-12"), // on GFX12 info
    ("ENC-10", 'W', "10.1-12"),
    ("ENC-11", 'E', "all"),
    ("ENC-12", 'W', "all"),
    ("ENC-13", 'E', "all"),
    ("ENC-14", 'E', "11-11.5"),
    ("ENC-15", 'E', "11-11.5"),
    ("ENC-16", 'W', "11-11.5"),
    ("ENC-17", 'W', "11-11.5"),
    ("ENC-18", 'E', "all"), // by packet; a warning if sources leave the version open, info if it is not stated
    ("ENC-19", 'E', "11-12"),
    ("REG-01", 'E', "all"),
    ("REG-02", 'W', "all"), // an error for the POPS set
    ("REG-03", 'E', "all"),
    ("REG-04", 'I', "all"),
    ("REG-05", 'W', "all"),
    ("REG-06", 'E', "all"),
    ("REG-07", 'W', "all"),
    ("REG-08", 'W', "all"),
    ("REG-09", 'E', "all"),
    ("REG-10", 'W', "all"),
    ("REG-11", 'W', "all"),
    ("REG-12", 'W', "all"),
    ("REG-13", 'I', "all"),
    ("REG-14", 'E', "all"),
    ("REG-15", 'W', "11-12"),
    ("STA-01", 'W', "all"),
    ("STA-02", 'E', "all"),
    ("STA-03", 'E', "10.1"),
    ("STA-04", 'E', "10.1-10.3"), // of GFX10.3: Navi21; a warning for the cut mode, there on all chips but Vangogh
    ("STA-05", 'E', "all"),
    ("STA-06", 'W', "vega10 raven"),
    ("STA-07", 'E', "10.1"),
    ("STA-08", 'E', "10.1-10.3"),
    ("STA-09", 'E', "11-11.5"),
    ("STA-10", 'E', "9"), // a warning if the shader engines are not stated
    ("STA-11", 'W', "10.1-12"),
    ("STA-12", 'E', "10.1-12"), // a warning if a board of GFX10 may have 4 render backends or fewer
    ("STA-13", 'E', "11-12"),   // up to GFX11.5 a warning
    ("STA-14", 'W', "10.1-12"),
    ("STA-15", 'E', "11-11.5"),
    ("STA-16", 'W', "11-11.5 gfx1201"),
    ("STA-17", 'W', "12"),
    ("STA-18", 'W', "11-11.5"),   // no stream shows whether the shader sends its factors by message
    ("STA-19", 'W', "10.1-11.5"), // GFX12: STA-31
    ("STA-20", 'E', "all"),
    ("STA-21", 'W', "all"),
    ("STA-22", 'E', "all"), // on GFX12 info for mere loss of time
    ("STA-23", 'W', "all"),
    ("STA-24", 'W', "all"),
    ("STA-25", 'E', "12"),
    ("STA-26", 'W', "all"), // on GFX9 the chips with one shader engine
    ("STA-27", 'W', "10.1-10.3"),
    ("STA-28", 'I', "12"),
    ("SYN-01", 'E', "all"),
    ("SYN-02", 'E', "all"),
    ("SYN-03", 'E', "9-11.5"), // on compute queues a warning
    ("SYN-04", 'E', "9"),
    ("SYN-05", 'E', "all"),
    ("SYN-06", 'E', "9-10.3"),
    ("SYN-07", 'E', "11-12"),
    ("SYN-08", 'E', "11-12"),
    ("SYN-09", 'W', "11-12"),
    ("SYN-10", 'W', "11"),
    ("SYN-11", 'W', "all"),
    ("SYN-12", 'E', "all"),
    ("SYN-13", 'E', "all"),
    ("SYN-14", 'E', "all"),
    ("SYN-15", 'W', "9-10.3"),
    ("SYN-16", 'W', "10.1-12"),
    ("SYN-17", 'W', "10.1-12"),
    ("SYN-18", 'E', "all"),
    ("SYN-19", 'I', "all"),
    ("SYN-20", 'E', "all"),
    ("SYN-21", 'E', "9-10.3"),
    ("SYN-22", 'I', "all"),
    ("SYN-23", 'W', "all"),
    ("MEM-01", 'E', "all"),
    ("MEM-02", 'E', "all"),
    ("MEM-03", 'E', "all"), // info while memory may belong to the application
    ("MEM-04", 'E', "9-11.5"),
    ("MEM-05", 'E', "all"),
    ("MEM-06", 'W', "all"),
    ("MEM-07", 'W', "all"),
    ("IB-01", 'E', "all"),
    ("IB-02", 'E', "all"),
    ("IB-03", 'E', "all"),
    ("IB-04", 'E', "all"),
    ("IB-05", 'W', "all"),
    ("IB-06", 'E', "all"),
    ("IB-07", 'E', "all"),
    ("IB-08", 'W', "all"),
    ("POPS-01", 'E', "all"),
    ("POPS-02", 'E', "9-10.3"),
    ("POPS-03", 'E', "9-10.3"),
    ("POPS-04", 'W', "9-10.3"),
    ("POPS-05", 'W', "11-12"),
    ("POPS-06", 'W', "9-10.3"),
    ("POPS-07", 'E', "11-12"),
    ("POPS-08", 'E', "11-12"),
    ("POPS-09", 'E', "11-11.5"),
    ("POPS-10", 'I', "11-12"),
    ("POPS-11", 'E', "vega10 raven"),
    ("POPS-12", 'I', "vega10 raven"),
    ("POPS-13", 'E', "navi10 navi12 navi14 gfx1013"), // with the drain on from reset, and on gfx1013, a warning
    ("POPS-14", 'W', "9-10.3"),
    ("POPS-15", 'W', "11-12"), // not an error: a guess from the value
    ("POPS-16", 'I', "10.3"),
    ("POPS-17", 'W', "9"),   // other chips do not rasterize out of order: STA-26
    ("POPS-18", 'I', "all"), // on GFX12 a warning
    ("POPS-19", 'E', "11-12"),
    ("POPS-20", 'W', "all"),
    ("POPS-21", 'I', "11-12"),
    ("POPS-22", 'W', "11-12"),
    ("PERF-01", 'I', "all"),
    ("PERF-02", 'I', "all"),
    ("PERF-03", 'I', "all"),
    ("PERF-04", 'I', "all"),
    ("PERF-05", 'I', "all"),
];

/// Rules of this crate beyond the list, from drivers' sources or from the behavior of a packet: code, severity, scope, and source.
const OURS: &[(&str, char, &str, &str)] = &[
    ("STA-29", 'E', "12", "radv_emit_ge_rings"),
    ("STA-30", 'I', "11-12", "radv_emit_ge_rings"),
    ("STA-31", 'E', "12", "waScpcBackPressure"),
    ("STA-32", 'W', "12", "gfx12QueueContexts"),
    ("STA-33", 'W', "9", "radv_get_ia_multi_vgt_param"),
    ("STA-34", 'W', "9", "radv_get_ia_multi_vgt_param"),
    ("STA-35", 'E', "10.3", "radv_cmd_buffer.c"),
    ("STA-36", 'W', "all", "ac_compute_num_tess_patches"),
    ("STA-37", 'W', "12", "waNoDistTessPacketToOnePa"),
    ("STA-38", 'W', "10.3-11.5", "radv_emit_override_vrs_state"),
    ("STA-39", 'W', "12", "has_vrs_export_bug"),
    ("STA-40", 'W', "10.1-10.3", "radv_shader.c"),
    ("STA-41", 'E', "all", "radv_pipeline_graphics.c"), // a warning without a mesh shader, or if nothing has written the register
    ("STA-42", 'W', "9-10.3", "ac_vgt_gs_mode"),
    ("STA-43", 'W', "11.5 phoenix2", "PAL 04/2025"),
    ("STA-44", 'W', "12", "WritePaScModeCntl1"),
    ("STA-45", 'W', "all", "follows from"),
    ("STA-46", 'E', "all", "follows from"),
    ("STA-47", 'W', "12", "radv_get_disabled_binning_state"),
    ("STA-48", 'W', "10.3", "inline rule"),
    ("STA-49", 'W', "10.1-12", "ac_cmdbuf.c"),
    ("STA-50", 'W', "9-11.5", "radv_cmd_buffer.c"),
    ("STA-51", 'W', "all", "follows from"), // info if no input is counted
    ("STA-52", 'W', "all", "follows from"),
    ("STA-53", 'W', "all", "follows from"), // info if CB_SHADER_MASK is 0
    ("STA-54", 'I', "all", "follows from"),
    ("STA-55", 'I', "all", "follows from"),
    ("STA-56", 'W', "10.1", "waClampQuadDistributionFactor"),
    ("STA-57", 'W', "11-11.5", "waForceLockThresholdZero"),
    ("STA-58", 'W', "11-11.5", "waForceLockThresholdZero"),
    ("STA-59", 'W', "11-11.5", "waSetVsXyNanToInfZero"),
    ("STA-60", 'W', "navi33", "waForceSpiThrottleModeNonZero"),
    ("STA-61", 'W', "gfx1201", "waCsGlgDisableOff"),
    ("STA-62", 'I', "9-10.3", "waColorCacheControllerInvalidEviction"),
    ("STA-63", 'I', "10.1", "waZ16Unorm1xAaDecompressUninitialized"),
    ("STA-64", 'I', "9", "si_state_draw.cpp"),
    ("STA-65", 'I', "raven raven2 gfx1013", "si_pipe.c"),
    ("STA-66", 'W', "gfx1201", "waWalkAlign64kScreenSpace"),
    ("STA-67", 'I', "navi31 navi32 navi33 phoenix phoenix2 gfx1156", "g_gfx11SwWarDetection"),
    ("ENC-20", 'E', "all", "kfd_packet_manager_v9.c"),
    ("REG-16", 'W', "all", "v11_structs.h"), // a mask of 0 has severity info
    ("REG-17", 'W', "all", "register headers"),
    ("REG-18", 'E', "all", "AMDGPUUsage"), // a warning for one field of the firmware, or for a value that may be right elsewhere
    ("MEM-09", 'W', "all", "AMD's packet headers"),
    ("AQL-01", 'E', "all", "DynamicQueueEventsHandler"),
    ("AQL-02", 'W', "all", "hsa.h"),
    ("AQL-03", 'W', "all", "hsa.h"), // reserved2 is info
    ("AQL-04", 'W', "all", "hsa.h"),
    ("AQL-05", 'E', "all", "DynamicQueueEventsHandler"), // unused sizes are a warning
    ("AQL-06", 'E', "all", "AMDGPUUsage"),               // an unaligned address is a warning
    ("AQL-07", 'E', "all", "DynamicQueueEventsHandler"), // sizes below those of the descriptor are a warning
    ("AQL-08", 'W', "all", "AMDGPUUsage"),               // unaligned code is an error
    ("AQL-09", 'W', "all", "ExecutePM4"),
    ("AQL-10", 'W', "all", "IREE"), // barriers with a value are info
    ("AQL-11", 'W', "all", "amd_hsa_signal.h"),
    ("AQL-12", 'W', "all", "AMDGPUUsage"),
    ("MES-01", 'E', "11-12", "API_FRAME_SIZE_IN_DWORDS"), // the rest of the header is a warning
    ("MES-02", 'W', "11-12", "mes_v11_0_add_hw_queue"),
    ("SDMA-01", 'W', "all", "sdma_v7_1.c"),            // statements of Mesa alone are info
    ("SDMA-02", 'W', "all", "sdma_v7_1_0_pkt_open.h"), // a byte order is info
    ("SDMA-03", 'W', "all", "radv_sdma_emit_nop"),
    ("SDMA-04", 'W', "all", "follows from"),
    ("SDMA-05", 'W', "all", "ring_emit_ib"),
    ("SDMA-06", 'W', "all", "sdma_v6_0.c"),
    ("SDMA-07", 'W', "all", "emit_copy_buffer"),
    ("SDMA-08", 'W', "all", "amd_blit_sdma.cpp"),
    ("SDMA-09", 'I', "all", "follows from"),
    ("STA-68", 'E', "all", "amd_ip_blocks.c"),
    ("STA-69", 'I', "all", "amd_ip_blocks.c"),
    ("SYN-24", 'E', "all", "radv_emit_ge_rings"), // a warning for the rings of tessellation and legacy geometry shaders
    ("SYN-25", 'E', "10.1-12", "radv_CmdDrawIndirectByteCountEXT"), // a warning without the draw, or if loaded too early
    ("SYN-26", 'E', "12", "begin of streamout"),  // a warning without evidence of streamout
    ("SYN-27", 'W', "10.3-12", "task and mesh draws"),
    ("SYN-28", 'I', "10.3-12", "preambles"),
    ("SYN-29", 'E', "10.3", "has_taskmesh_indirect0_bug"), // info if the firmware is not stated
    ("SYN-30", 'I', "all", "follows from"),
    ("SYN-31", 'W', "all", "follows from"),
    ("SYN-32", 'I', "11-12", "Mesa 25.0.7"),
    ("SYN-33", 'W', "all", "follows from"),
    ("SYN-34", 'I', "all", "hdp_flush"),
    ("SYN-35", 'I', "10.1-10.3", "waCmaskImageSyncs"),
];

/// Rules about the model itself, also beyond the list: reads past an index buffer, and the limits of the model.
const MORE: [&str; 4] = ["MEM-08", "RUN-01", "RUN-02", "RUN-03"];

/// Off by default: rules of severity info, and the one that depends on how the stream is submitted.
const QUIET: [&str; 11] = ["PERF-01", "PERF-02", "PERF-03", "PERF-04", "PERF-05", "REG-04", "REG-13", "STA-64", "STA-67", "SYN-19", "SYN-30"];

fn version(text: &str) -> (u8, u8) {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    (major.parse().unwrap_or_else(|_| panic!("{text} is not a version")), minor.parse().unwrap_or_else(|_| panic!("{text} is not a version")))
}

fn applies(scope: &str, chip: Chip) -> bool {
    let name = chip.info().name;
    scope == "all"
        || scope.split(' ').any(|part| match part.split_once('-') {
            Some((from, to)) => (version(from)..=version(to)).contains(&chip.gfx().version()),
            None if part.starts_with(|c: char| c.is_ascii_digit()) => chip.gfx().version() == version(part),
            None => part == name,
        })
}

#[test]
fn every_code_of_the_list_is_judged_or_said_not_to_be() {
    assert_eq!(SHEET.len(), 127);
    let mut wrong = Vec::new();
    for (code, severity, scope) in SHEET.iter().copied().chain(OURS.iter().map(|(code, severity, scope, _)| (*code, *severity, *scope))) {
        let severity = match severity {
            'E' => Severity::Error,
            'W' => Severity::Warning,
            _ => Severity::Info,
        };
        if let Some(rule) = rules::find(code) {
            let chips: Vec<&str> = Chip::all().filter(|chip| rule.scope.contains(*chip) != applies(scope, *chip)).map(|chip| chip.info().name).collect();
            if rule.severity != severity || !chips.is_empty() {
                wrong.push(format!("{code}: {} instead of {severity}, differs on {chips:?}", rule.severity));
            }
        } else if !rules::not_judged().iter().any(|rule| rule.code == code && rule.severity == severity) {
            wrong.push(format!("{code} is nowhere"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rules_beyond_the_list_name_their_source() {
    for (code, _, _, source) in OURS {
        let rule = rules::find(code).unwrap_or_else(|| panic!("{code} is a rule"));
        assert!(rule.source.contains(source), "{code}: {} instead of {source}", rule.source);
    }
}

#[test]
fn no_rule_is_beyond_the_list_but_those_of_the_model() {
    let known: BTreeSet<&str> = SHEET.iter().map(|(code, _, _)| *code).chain(OURS.iter().map(|(code, ..)| *code)).chain(MORE).collect();
    let more: Vec<&str> =
        rules::all().map(|rule| rule.code).chain(rules::not_judged().iter().map(|rule| rule.code)).filter(|code| !known.contains(code)).collect();
    assert!(more.is_empty(), "{more:?}");
    assert!(rules::not_judged().iter().all(|rule| rules::find(rule.code).is_none()));
}

#[test]
fn only_these_are_silent_by_default() {
    let quiet: Vec<&str> = rules::all().filter(|rule| rule.off_by_default).map(|rule| rule.code).collect();
    assert_eq!(quiet, QUIET);
}
