//! Programs get at least the VGPRs that their waves start with.

use pm4::chip::Chip;
use pm4::draw::*;
use pm4::regs;
use std::collections::BTreeMap;

/// VGPRs of a block, of waves of 64 lanes.
const BLOCK: u32 = 4;

/// A program that asks for one VGPR.
fn small() -> Program {
    Program { vgprs: 1, wave: WaveSize::W64, ..Program::default() }
}

/// The VGPRs that a register allocates.
fn allocated(chip: Chip, image: &RegisterImage, register: &str) -> Option<u32> {
    let register = regs::find(chip.gfx(), register)?;
    Some(BLOCK * (1 + register.info().field("VGPRS")?.get(image.get(register.addr())?)))
}

#[test]
fn programs_get_the_vgprs_that_their_waves_start_with() {
    // How often each register was compared.
    let mut compared: BTreeMap<&str, u32> = BTreeMap::new();
    let mut compare = |chip: Chip, image: &RegisterImage, register: &'static str, wave: &WaveStart, what: &dyn std::fmt::Debug| {
        let least = wave.vgprs.len().next_multiple_of(BLOCK);
        assert_eq!(allocated(chip, image, register), Some(least), "{chip} {register} {what:?}");
        *compared.entry(register).or_default() += 1;
    };
    for chip in Chip::all() {
        for bits in 0..32u32 {
            let is = |bit: u32| bits >> bit & 1 == 1;
            let reads_instance_id = is(0);
            for path in [VertexPath::Legacy, VertexPath::Ngg] {
                let vertex = VertexStage {
                    program: small(),
                    path: Some(path),
                    reads_instance_id,
                    exports_primitive_id: is(1),
                    culling: is(2),
                    ..VertexStage::default()
                };
                let tessellation = is(3).then(|| Tessellation { program: small(), reads_instance_id, ..Tessellation::default() });
                let geometry = is(4).then(GeometryStage::default);
                let topology = if is(3) { Topology::PatchList } else { Topology::TriangleList };
                let desc = DrawDesc::from(PipelineDesc { vertex, tessellation, geometry, topology, ..PipelineDesc::default() });
                let Ok(resolved) = desc.resolve(chip) else { continue };
                let register = if path == VertexPath::Legacy && !is(4) { "SPI_SHADER_PGM_RSRC1_VS" } else { "SPI_SHADER_PGM_RSRC1_GS" };
                compare(chip, &resolved.image, register, &desc.vertex_wave(chip).expect("a draw"), &desc);
                if let Some(wave) = desc.hull_wave(chip).expect("a draw") {
                    compare(chip, &resolved.image, "SPI_SHADER_PGM_RSRC1_HS", &wave, &desc);
                }
            }
        }
        for thread_ids in 1..=3 {
            let desc = DispatchDesc { program: small(), thread_ids, ..DispatchDesc::default() };
            let resolved = desc.resolve(chip).expect("a dispatch");
            compare(chip, &resolved.image, "COMPUTE_PGM_RSRC1", &desc.wave(chip).expect("a dispatch"), &desc);
        }
    }
    let chips = Chip::all().count() as u32;
    assert_eq!(compared.len(), 4, "{compared:?}");
    assert!(compared.values().all(|count| *count >= chips) && compared["SPI_SHADER_PGM_RSRC1_GS"] > 8 * chips, "{compared:?}");
}
