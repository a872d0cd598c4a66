//! Draw state compared with a real driver: the POPS registers of RADV for every interlock mode, sample count and target, and the intended differences.

use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use pm4::regs;
use std::collections::BTreeMap;

/// The bits that draw state decides here; the other bits are decided by compiler, surface or board.
const COMPARED: [(&str, u32); 11] = [
    ("DB_SHADER_CONTROL", !0),
    ("DB_DFSM_CONTROL", !0),
    ("DB_RENDER_OVERRIDE2", 0x3),
    ("DB_Z_INFO", 0xC),
    ("PA_SC_AA_CONFIG", !0),
    ("PA_SC_SHADER_CONTROL", 0xC),
    ("SPI_SHADER_PGM_RSRC2_PS", 0x0600_0000),
    ("SPI_SHADER_COL_FORMAT", !0),
    ("CB_SHADER_MASK", !0),
    ("DB_EQAA", !0),
    ("PA_SC_MODE_CNTL_1", 1 << 16),
];

fn desc(row: &BTreeMap<&str, &str>) -> DrawDesc {
    let samples = row["samples"].parse().expect("a number");
    let (interlock, writes_memory) = match row["interlock"] {
        "none" => (Interlock::None, false),
        "none_rmw" => (Interlock::None, true),
        mode => (mode.replace('_', "-").parse().expect("a mode"), true),
    };
    let target = row["target"];
    DrawDesc {
        pipeline: PipelineDesc { shader: Some(PixelShader { writes_memory, ..PixelShader::default() }), interlock, samples, ..PipelineDesc::default() },
        targets: TargetsDesc { depth: target.contains("depth").then_some(DepthTarget::new(DepthFormat::D32, samples)), ..TargetsDesc::default() },
        ..DrawDesc::default()
    }
    .with_colors(if target.contains("color") { vec![(TargetImage::default(), TargetBlend::default())] } else { vec![] })
}

/// docs/differences.md: without a depth target, RADV writes 3 on GFX11 and later, this crate the exposed samples.
fn intended(gfx: Gfx, name: &str, row: &BTreeMap<&str, &str>) -> Option<u32> {
    let samples: u32 = row["samples"].parse().expect("a number");
    (name == "DB_Z_INFO" && gfx >= Gfx::Gfx11 && !row["target"].contains("depth")).then(|| samples.trailing_zeros() << 2)
}

#[test]
fn pops_state_equals_radv_but_for_the_intended_differences() {
    let text = include_str!("../../captures/expected/pops_golden.tsv");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split('\t').collect();
    let (mut compared, mut meant) = (0, 0);
    for line in lines {
        let row: BTreeMap<&str, &str> = head.iter().copied().zip(line.split('\t')).collect();
        let chip: Chip = row["family"].parse().expect("a chip");
        let resolved = desc(&row).resolve(chip).unwrap_or_else(|e| panic!("{line}: {e}"));
        for (name, mask) in COMPARED {
            let (Some(register), Some(radv)) = (regs::find(chip.gfx(), name), row[name].strip_prefix("0x")) else { continue };
            let radv = u32::from_str_radix(radv, 16).expect("a number") & mask;
            // A register that is not written has its bits 0 here, from CLEAR_STATE.
            let ours = resolved.image.get(register.addr()).unwrap_or(0) & mask;
            let expected = intended(chip.gfx(), name, &row).unwrap_or(radv);
            assert_eq!(ours, expected, "{chip} {} {}x {}: {name} {ours:#010x}, RADV {radv:#010x}", row["interlock"], row["samples"], row["target"]);
            compared += 1;
            meant += usize::from(expected != radv);
        }
    }
    println!("{compared} values compared, {meant} of them differ as docs/differences.md says");
    assert!(compared > 2500 && meant > 0, "the table was not read: {compared} values");
}
