//! The program `draw`: every option of stages and targets builds a stream in which the model finds no error, or is refused with a reason.
use crate::examples;
use examples::run;
use serde_json::Value;

const CHIPS: [&str; 5] = ["vega10", "navi10", "navi21", "navi31", "gfx1201"];

/// Options, and the chips of [`CHIPS`] that support them, as indices of the first and the last.
const SERVED: &[(&str, usize, usize)] = &[
    ("--stages tess --indirect", 0, 4),
    ("--stages tess+gs --legacy-geometry --streamout 16", 0, 2),
    ("--stages gs --streamout 32", 0, 4),
    ("--stages mesh --indirect", 2, 4),
    ("--stages task+mesh", 2, 4),
    ("--stages task+mesh --indirect", 2, 4),
    ("--clip-planes 6 --indirect", 0, 4),
    ("--depth d32 --htile --dcc --clip-planes 1", 0, 3),
    ("--depth d32 --htile --rate-image", 2, 3),
    ("--rate-image", 3, 4),
    ("--depth d32s8 --hiz", 4, 4),
    ("--samples 4 --cmask --dcc", 0, 2),
    ("--pass eliminate-fast-clear --cmask", 0, 2),
    ("--samples 4 --pass fmask-decompress --cmask", 0, 2),
    ("--pass dcc-decompress --dcc", 0, 3),
    ("--samples 4 --color rgba8,rgba8 --pass resolve", 0, 2),
];

#[test]
fn stages_and_targets_are_built_where_the_chip_has_them() {
    for (options, first, last) in SERVED {
        for (at, chip) in CHIPS.into_iter().enumerate() {
            let arguments: Vec<&str> = ["--interlock", "none", "--chip", chip].into_iter().chain(options.split(' ')).collect();
            let output = run("draw", &arguments);
            let (served, text) = ((*first..=*last).contains(&at), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(if served { 0 } else { 2 }), "{chip} {options}: {text}\n{}", String::from_utf8_lossy(&output.stdout));
            assert_eq!(text.is_empty(), served, "{chip} {options}: {text}");
        }
    }
}

/// Records of `draw` with these options, as JSON.
fn records(options: &str) -> Vec<Value> {
    let arguments: Vec<&str> = ["--interlock", "none", "--format", "json"].into_iter().chain(options.split(' ')).collect();
    let output = String::from_utf8(run("draw", &arguments).stdout).expect("UTF-8");
    output.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[test]
fn a_task_shader_has_a_command_buffer_of_its_own() {
    for (options, packet) in [("", "DISPATCH_TASKMESH_DIRECT_ACE"), (" --indirect", "DISPATCH_TASKMESH_INDIRECT_MULTI_ACE")] {
        for chip in &CHIPS[2..] {
            let all = records(&format!("--chip {chip} --stages task+mesh{options}"));
            let of = |file: &str, opcode: &str| {
                all.iter().filter(|record| record["type"] == "packet" && record["file"] == file && record["opcode"] == opcode).count()
            };
            assert_eq!((of("task", packet), of("draw", "DISPATCH_TASKMESH_GFX")), (1, 1), "{chip}{options}");
            let summary = all.last().expect("records");
            assert_eq!((summary["draws"].as_u64(), summary["dispatches"].as_u64(), summary["errors"].as_u64()), (Some(1), Some(1), Some(0)), "{chip}{options}");
        }
    }
    let folder = std::env::temp_dir().join(format!("pm4-draw-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("mesh.bin");
    let path = file.to_str().expect("UTF-8");
    assert!(run("draw", &["--interlock", "none", "--stages", "task+mesh", "--out", path]).status.success());
    let task = format!("{path}.task");
    let checked = run("check", &["--chip", "navi31", path, "--queue", "compute", &task]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn stages_and_targets_say_why() {
    let why = [
        ("--chip navi31 --rate-image", "PA_SC_VRS_RATE_SIZE_XY", "texels"),
        ("--chip navi21 --clip-planes 2", "PA_CL_UCP_1_X", "clip plane"),
        ("--chip navi10 --stages tess", "VGT_LS_HS_CONFIG", "patches of a workgroup"),
        ("--chip navi21 --streamout 16 --legacy-geometry", "VGT_STRMOUT_VTX_STRIDE_0", "stride"),
        ("--chip navi21 --dcc", "CB_COLOR0_DCC_CONTROL", "block"),
        ("--chip gfx1201 --depth d32 --hiz", "PA_SC_HIZ_INFO", "HiZ"),
        ("--chip navi31 --stages task+mesh", "COMPUTE_PGM_RSRC2", "workgroup"),
    ];
    for (options, register, rule) in why {
        let all = records(&format!("{options} --explain"));
        let mut reasons = all.iter().filter(|record| record["type"] == "explain" && record["register"].as_str().is_some_and(|name| name.starts_with(register)));
        assert!(reasons.any(|record| record["rule"].as_str().is_some_and(|text| text.contains(rule))), "{options}: no reason of {register} has {rule:?}");
    }
}

/// Mesa 25.0.7 ac_get_hs_info on boards of one engine: 127 buffers on GFX9 and 128 on GFX10.3, less 1, and 12288 dwords of factors.
#[test]
fn tessellation_rings_of_apus_are_those_of_their_board() {
    for (chip, buffers) in [("raven", 126), ("raven2", 126), ("renoir", 126), ("vangogh", 127), ("raphael", 127)] {
        let all = records(&format!("--chip {chip} --stages tess"));
        let written = |name: &str| {
            let mut writes = all.iter().filter_map(|record| record["writes"].as_array()).flatten();
            let value = writes.find(|write| write["name"] == name).and_then(|write| write["value"].as_str());
            value.and_then(|text| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok())
        };
        assert_eq!((written("VGT_HS_OFFCHIP_PARAM"), written("VGT_TF_RING_SIZE")), (Some(buffers), Some(12288)), "{chip}");
    }
}
