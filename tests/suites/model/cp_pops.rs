//! The rules on POPS: each trips on its mutation of a correct draw, and the correct draw trips none.

use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::rules::{self, ChipScope};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Header, Opcode, Queue, Stream};
use pm4::regs;
use std::collections::BTreeMap;

/// Registers of a draw by name.
#[derive(Clone)]
struct Draw {
    chip: Chip,
    registers: BTreeMap<&'static str, u32>,
    clear_state: bool,
    relaxed: bool,
}

impl Draw {
    /// An ordered draw with pixel interlock, one sample, no depth image and colour export: no rule trips.
    fn sound(chip: Chip) -> Self {
        let mut draw = Self { chip, registers: BTreeMap::new(), clear_state: false, relaxed: false };
        for name in ["DB_SHADER_CONTROL", "DB_Z_INFO", "DB_STENCIL_INFO", "DB_RENDER_OVERRIDE2", "PA_SC_AA_CONFIG", "PA_SC_MODE_CNTL_1", "PA_SC_BINNER_CNTL_0"]
        {
            draw = draw.raw(name, 0);
        }
        for name in ["PA_SC_SHADER_CONTROL", "SPI_SHADER_PGM_RSRC2_PS", "SPI_SHADER_Z_FORMAT", "CB_TARGET_MASK", "CB_BLEND0_CONTROL"] {
            draw = draw.raw(name, 0);
        }
        draw = draw.raw("SPI_SHADER_COL_FORMAT", 4).with("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER", 1);
        if chip.gfx().major() >= 11 {
            return draw.with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE", 1);
        }
        draw.raw("DB_DFSM_CONTROL", 2).with("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 1).with("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 1)
    }

    fn raw(mut self, register: &'static str, value: u32) -> Self {
        self.registers.insert(register, value);
        self
    }

    fn without(mut self, register: &'static str) -> Self {
        self.registers.remove(register);
        self
    }

    fn with(mut self, register: &'static str, field: &str, value: u32) -> Self {
        let info = regs::find(self.chip.gfx(), register).unwrap_or_else(|| panic!("{} has no {register}", self.chip)).info();
        let field = info.field(field).unwrap_or_else(|| panic!("{register} has no {field} on {}", self.chip));
        let word = self.registers.entry(register).or_default();
        *word = *word & !field.mask() | value << field.lo & field.mask();
        self
    }

    fn without_pops(self) -> Self {
        self.with("DB_SHADER_CONTROL", "PRIMITIVE_ORDERED_PIXEL_SHADER", 0)
    }

    /// Log2 of coverage and exposed samples, and of those in DB_Z_INFO.
    fn samples(self, coverage: u32, exposed: u32, z: u32) -> Self {
        self.with("PA_SC_AA_CONFIG", "MSAA_NUM_SAMPLES", coverage).with("PA_SC_AA_CONFIG", "MSAA_EXPOSED_SAMPLES", exposed).with("DB_Z_INFO", "NUM_SAMPLES", z)
    }

    fn with_depth_image(self) -> Self {
        self.with("DB_Z_INFO", "FORMAT", 1)
    }

    fn stream(&self) -> Vec<u32> {
        let mut stream = Stream::growable(self.chip.gfx(), Queue::Graphics);
        if self.clear_state {
            stream.clear_state().unwrap();
        }
        for (name, value) in &self.registers {
            stream.set_reg(regs::find(self.chip.gfx(), name).unwrap().addr(), *value).unwrap();
        }
        stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX).unwrap();
        stream.words().to_vec()
    }

    fn findings(&self) -> Vec<Finding> {
        findings(self.chip, &self.stream(), self.relaxed)
    }

    /// The draw trips exactly these rules.
    #[track_caller]
    fn trips(&self, expected: &[(&str, Severity)]) {
        let found = self.findings();
        let codes: Vec<_> = found.iter().map(|f| (f.code, f.severity)).collect();
        assert_eq!(codes, expected, "{}: {found:#?}", self.chip);
        for finding in &found {
            let rule = rules::find(finding.code).unwrap();
            assert!(rule.scope.contains(self.chip));
            assert!(finding.help.is_some(), "{finding:?}");
            assert!(finding.register.is_some(), "{finding:?}");
        }
    }

    #[track_caller]
    fn is_clean(&self) {
        self.trips(&[]);
    }
}

/// The findings. The draws of these tests have only the state that POPS requires, so findings of the rules on draw state and on whole registers are
/// ignored.
#[derive(Default)]
struct PopsFindings(Vec<Finding>);

impl Observer for PopsFindings {
    fn finding(&mut self, finding: &Finding) {
        if !finding.code.starts_with("STA") && !["REG-07", "REG-08"].contains(&finding.code) {
            self.0.push(finding.clone());
        }
    }
}

fn findings(chip: Chip, words: &[u32], relaxed: bool) -> Vec<Finding> {
    let mut cp = CommandProcessor::new(chip);
    cp.relaxed_order(relaxed).submit(Queue::Graphics, "main", words);
    let mut found = PopsFindings::default();
    cp.run(&mut found);
    found.0
}

fn old() -> impl Iterator<Item = Chip> {
    Chip::all().filter(|chip| chip.gfx().major() < 11)
}

fn new() -> impl Iterator<Item = Chip> {
    Chip::all().filter(|chip| chip.gfx().major() >= 11)
}

const E: Severity = Severity::Error;
const W: Severity = Severity::Warning;
const I: Severity = Severity::Info;

#[test]
fn a_sound_draw_trips_nothing() {
    for chip in Chip::all() {
        let sound = Draw::sound(chip);
        sound.is_clean();
        // Sample interlock at every sample count.
        for n in 0..=2 {
            let field = if chip.gfx().major() >= 11 { "OVERRIDE_INTRINSIC_RATE" } else { "POPS_OVERLAP_NUM_SAMPLES" };
            sound.clone().samples(n, n, n).with("DB_SHADER_CONTROL", field, n).is_clean();
            sound.clone().samples(n, n, n).is_clean();
        }
    }
}

#[test]
fn pops_01_an_ordered_draw_needs_export_space() {
    for chip in Chip::all() {
        let bare = Draw::sound(chip).raw("SPI_SHADER_COL_FORMAT", 0);
        bare.trips(&[("POPS-01", E)]);
        bare.clone().raw("SPI_SHADER_COL_FORMAT", 1).is_clean();
        bare.clone().raw("SPI_SHADER_Z_FORMAT", 1).is_clean();
        let unordered = bare.without_pops();
        assert!(unordered.findings().iter().all(|f| f.code != "POPS-01"));
    }
}

#[test]
fn pops_02_both_registers_must_agree_on_the_wave_id() {
    for chip in old() {
        let sound = Draw::sound(chip);
        sound.clone().with("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0).trips(&[("POPS-02", E)]);
        sound.clone().with("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0).trips(&[("POPS-02", E)]);
        // Also with POPS off: the arguments shift nevertheless.
        sound.without_pops().with("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0).trips(&[("POPS-02", E)]);
    }
}

#[test]
fn pops_02_notes_who_wrote_both_registers() {
    let Some(chip) = old().next() else { return };
    let draw = Draw::sound(chip).with("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0);
    let finding = draw.findings().remove(0);
    assert_eq!((finding.register.as_deref(), finding.field), (Some("PA_SC_SHADER_CONTROL"), Some("LOAD_COLLISION_WAVEID")));
    assert_eq!(finding.draw, Some(0));
    assert_eq!(finding.packet, Some("DRAW_INDEX_AUTO"));
    assert_eq!(finding.place.dword as usize, draw.stream().len() - 3);
    assert!(finding.notes.iter().all(|note| note.place.is_some()), "{finding:#?}");
    assert!(finding.help.unwrap().contains("0x00000004"));
}

#[test]
fn pops_03_both_registers_must_agree_on_the_intrawave_mask() {
    for chip in old() {
        let sound = Draw::sound(chip);
        let one = sound.clone().with("PA_SC_SHADER_CONTROL", "LOAD_INTRAWAVE_COLLISION", 1);
        one.trips(&[("POPS-03", E)]);
        let both = one.with("SPI_SHADER_PGM_RSRC2_PS", "LOAD_INTRAWAVE_COLLISION", 1);
        both.is_clean();
        let alone = both.with("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0).with("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0);
        alone.trips(&[("POPS-03", W), ("POPS-04", W)]);
    }
}

#[test]
fn pops_04_an_ordered_draw_wants_the_wave_id() {
    for chip in old() {
        let none = Draw::sound(chip).with("PA_SC_SHADER_CONTROL", "LOAD_COLLISION_WAVEID", 0).with("SPI_SHADER_PGM_RSRC2_PS", "LOAD_COLLISION_WAVEID", 0);
        none.trips(&[("POPS-04", W)]);
        none.without_pops().is_clean();
    }
}

#[test]
fn pops_05_gfx11_has_no_wave_id_to_load() {
    for chip in new() {
        let sound = Draw::sound(chip);
        for register in ["PA_SC_SHADER_CONTROL", "SPI_SHADER_PGM_RSRC2_PS"] {
            for field in ["LOAD_COLLISION_WAVEID", "LOAD_INTRAWAVE_COLLISION"] {
                sound.clone().with(register, field, 1).trips(&[("POPS-05", W)]);
            }
        }
        // The help clears exactly these.
        let all = |register, rest| {
            let draw = sound.clone().raw(register, rest);
            draw.with(register, "LOAD_COLLISION_WAVEID", 1).with(register, "LOAD_INTRAWAVE_COLLISION", 1).registers[register]
        };
        let (shader, scan) = (all("SPI_SHADER_PGM_RSRC2_PS", 0x10), all("PA_SC_SHADER_CONTROL", 1));
        let found = sound.raw("SPI_SHADER_PGM_RSRC2_PS", shader).raw("PA_SC_SHADER_CONTROL", scan).findings();
        let help = found.iter().find(|finding| finding.code == "POPS-05").and_then(|finding| finding.help.as_deref()).expect("a help");
        let expected = ["write 0x00000010 to SPI_SHADER_PGM_RSRC2_PS (0x0b02c) and 0x00000001 to PA_SC_SHADER_CONTROL (0x28c"].concat();
        assert!(help.starts_with(&expected), "{help}");
    }
}

#[test]
fn pops_06_overlap_samples_are_none_or_those_exposed() {
    for chip in old() {
        let two = Draw::sound(chip).samples(2, 2, 0);
        two.clone().with("DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES", 1).trips(&[("POPS-06", W)]);
        two.clone().with("DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES", 2).is_clean();
        two.with("DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES", 0).is_clean();
    }
}

#[test]
fn pops_07_the_rate_must_be_enabled() {
    for chip in new() {
        let without = Draw::sound(chip).with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE", 0);
        without.trips(&[("POPS-07", E)]);
        // A wrong rate is ignored then.
        without.with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 2).trips(&[("POPS-07", E)]);
    }
}

#[test]
fn pops_08_the_blend_rate_must_not_reach_an_ordered_draw() {
    for chip in new() {
        let sound = Draw::sound(chip);
        let blended = sound.clone().with("CB_BLEND0_CONTROL", "ENABLE", 1).raw("CB_TARGET_MASK", 0xF);
        blended.is_clean();
        let rate = blended.with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 2);
        rate.trips(&[("POPS-08", E)]);
        assert!(rate.findings()[0].message.contains("blend workaround"));
        rate.with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 0).is_clean();
        sound.samples(1, 1, 1).with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 2).trips(&[("POPS-08", E)]);
    }
}

#[test]
fn pops_09_z_samples_must_not_fall_short() {
    for chip in new() {
        let samples = |depth| Draw::sound(chip).samples(2, 2, depth);
        if chip.gfx().major() >= 12 {
            // GFX12 does not require it: RADV (2026) and PAL write 0.
            samples(0).is_clean();
            samples(1).is_clean();
        } else {
            samples(1).trips(&[("POPS-09", E)]);
        }
        samples(2).is_clean();
    }
}

#[test]
fn pops_10_more_z_samples_than_exposed_samples_has_severity_info() {
    for chip in new() {
        let above = Draw::sound(chip).samples(0, 0, 3);
        above.trips(&[("POPS-10", I)]);
        Draw::sound(chip).samples(3, 3, 3).is_clean();
        // No source covers GFX12: the article has no section on it, PAL and RADV of mid-2026 write 0.
        let finding = above.findings().remove(0);
        let is_open = finding.message.contains("no source says") && finding.help.is_some_and(|help| help.contains("write 0"));
        assert_eq!(is_open, chip.gfx().major() >= 12, "{chip}");
    }
}

#[test]
fn pops_11_eight_samples_want_the_drain_on_vega10_and_raven() {
    for chip in old() {
        let coverage = Draw::sound(chip).samples(3, 3, 0);
        let depth = Draw::sound(chip).samples(0, 0, 3).with_depth_image();
        for draw in [coverage, depth] {
            if chip.has(Erratum::PopsMissedOverlap) {
                draw.trips(&[("POPS-11", E)]);
                draw.clone().raw("DB_DFSM_CONTROL", 6).is_clean();
                draw.without_pops().raw("PA_SC_SHADER_CONTROL", 0).raw("SPI_SHADER_PGM_RSRC2_PS", 0).is_clean();
            } else {
                draw.is_clean();
            }
        }
        // The samples of an unbound depth image are ignored.
        Draw::sound(chip).samples(0, 0, 3).is_clean();
    }
}

#[test]
fn pops_12_the_drain_is_slow_where_it_is_not_needed() {
    for chip in Erratum::PopsMissedOverlap.chips() {
        Draw::sound(chip).raw("DB_DFSM_CONTROL", 6).trips(&[("POPS-12", I)]);
        Draw::sound(chip).samples(3, 3, 0).raw("DB_DFSM_CONTROL", 6).is_clean();
        // If the samples are unknown, the draw may need it; without DB_SHADER_CONTROL it is also unknown whether a draw is ordered.
        let draining = Draw::sound(chip).raw("DB_DFSM_CONTROL", 6);
        for register in ["PA_SC_AA_CONFIG", "DB_Z_INFO", "DB_SHADER_CONTROL"] {
            draining.clone().without(register).is_clean();
        }
        draining.clone().samples(0, 0, 3).trips(&[("POPS-12", I)]);
        draining.clone().samples(0, 0, 3).without("DB_STENCIL_INFO").is_clean();
        draining.without_pops().trips(&[("POPS-12", I), ("POPS-20", W)]);
    }
}

#[test]
fn pops_13_the_drain_hangs_navi1x_without_partial_squads() {
    for chip in Erratum::StalledPops.chips() {
        let drained = Draw::sound(chip).raw("DB_DFSM_CONTROL", 6);
        // No source covers gfx1013.
        drained.trips(&[("POPS-13", if chip == Chip::Gfx1013 { W } else { E })]);
        let findings = drained.findings();
        let (finding, told) = (&findings[0], "no source says that gfx1013 has this erratum");
        assert_eq!(finding.notes.iter().any(|note| note.text.contains(told)), chip == Chip::Gfx1013, "{chip}");
        // Both workarounds: without the drain, or with it and partial squads.
        let help = finding.help.as_deref().unwrap_or_default();
        assert!(help.contains("0x00000002 to DB_DFSM_CONTROL") && help.contains("PARTIAL_SQUAD_LAUNCH_CONTROL = 1 (ON_HANG_ONLY)"), "{help}");
        drained.clone().with("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", 1).is_clean();
        // The reset value has the drain on as well, unless an earlier submission has written it.
        let unwritten = Draw::sound(chip).without("DB_DFSM_CONTROL");
        match chip {
            // The reset value is unknown.
            Chip::Gfx1013 => unwritten.trips(&[("POPS-14", W)]),
            _ => unwritten.trips(&[("POPS-13", W), ("POPS-14", W)]),
        }
        assert!(unwritten.findings().iter().all(|finding| finding.message.contains("unless a submission before has written")));
    }
}

#[test]
fn pops_14_dfsm_must_be_written_or_cleared() {
    for chip in old() {
        let mut unwritten = Draw::sound(chip).without("DB_DFSM_CONTROL").with("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL", 1);
        match chip.info().dfsm_reset {
            Some(0) => unwritten.is_clean(),
            _ => unwritten.trips(&[("POPS-14", W)]),
        }
        unwritten.clear_state = true;
        unwritten.is_clean();
    }
}

/// A write of a context register, whether or not the generation has it.
fn context(chip: Chip, addr: u32, value: u32) -> Vec<u32> {
    let mut stream = Stream::growable(chip.gfx(), Queue::Graphics);
    stream.set_reg(addr, value).expect("it lies in the window");
    stream.into_buffer()
}

#[test]
fn pops_15_old_dfsm_writes_hit_other_registers() {
    for chip in new() {
        for (addr, value) in [(0x28060u32, 2u32), (0x28060, 6), (0x28038, 2)] {
            let words = context(chip, addr, value);
            let codes: Vec<_> = findings(chip, &words, false).iter().map(|f| (f.code, f.severity)).collect();
            match regs::lookup(chip.gfx(), addr) {
                Some(_) => assert_eq!(codes, [("POPS-15", W)], "{chip}"),
                None => assert_eq!(codes, [("REG-02", E)], "{chip}"),
            }
        }
        let words = context(chip, 0x28060, 0);
        assert!(findings(chip, &words, false).is_empty(), "{chip}");
    }
}

#[test]
fn pops_16_gfx103_shades_ordered_draws_at_1x1() {
    for chip in Chip::all().filter(|chip| chip.gfx().version() == (10, 3)) {
        let coarse = Draw::sound(chip).with("GE_VRS_RATE", "RATE_X", 1);
        coarse.trips(&[("POPS-16", I)]);
        Draw::sound(chip).with("GE_VRS_RATE", "RATE_X", 0).is_clean();
        Draw::sound(chip).with("PA_CL_VRS_CNTL", "VERTEX_RATE_COMBINER_MODE", 1).trips(&[("POPS-16", I)]);
        // The smaller of two rates is 1x1 if the rate of the draw is.
        for mode in ["VERTEX_RATE_COMBINER_MODE", "PRIMITIVE_RATE_COMBINER_MODE", "HTILE_RATE_COMBINER_MODE"] {
            Draw::sound(chip).with("PA_CL_VRS_CNTL", mode, 2).is_clean();
        }
        // The way in which RADV forces 1x1.
        Draw::sound(chip).with("PA_CL_VRS_CNTL", "SAMPLE_ITER_COMBINER_MODE", 1).is_clean();
    }
}

#[test]
fn pops_17_out_of_order_needs_a_declaration() {
    for chip in Chip::all() {
        let mut draw = Draw::sound(chip).with("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE", 1);
        // Other chips do not rasterize out of order: STA-26 is about them.
        if chip.info().out_of_order_rasterization {
            draw.trips(&[("POPS-17", W)]);
        } else {
            draw.is_clean();
        }
        draw.relaxed = true;
        draw.is_clean();
    }
}

#[test]
fn pops_18_options_without_known_effect_have_severity_info() {
    for chip in old() {
        Draw::sound(chip).with("DB_SHADER_CONTROL", "EXEC_IF_OVERLAPPED", 1).trips(&[("POPS-18", I)]);
    }
    for chip in Chip::all().filter(|chip| chip.gfx().major() >= 10) {
        let severity = if chip.gfx().major() >= 12 { W } else { I };
        let mapped = Draw::sound(chip).with("PA_SC_BINNER_CNTL_0", "BIN_MAPPING_MODE", 2);
        mapped.trips(&[("POPS-18", severity)]);
        // Drivers write BIN_MAP_MODE_NONE.
        let help = mapped.findings()[0].help.clone().expect("a help");
        assert!(help.starts_with("write 0x00000000 to PA_SC_BINNER_CNTL_0") && help.ends_with("BIN_MAPPING_MODE = 0"), "{chip}: {help}");
        Draw::sound(chip).with("PA_SC_BINNER_CNTL_0", "BIN_MAPPING_MODE", 1).is_clean();
    }
}

#[test]
fn pops_19_vrs_surface_control_belongs_to_the_kernel() {
    for chip in new() {
        for addr in [0x2A500u32, 0x2A580] {
            // Past the end of the window: the writer refuses it.
            let words = [Header::type3(Opcode::SET_CONTEXT_REG, 2).0, (addr - 0x28000) / 4, 0x80];
            let codes: Vec<_> = findings(chip, &words, false).iter().map(|f| (f.code, f.severity)).collect();
            assert_eq!(codes, [("POPS-19", E)], "{chip}");
        }
    }
}

#[test]
fn pops_20_nothing_of_an_ordered_draw_is_left() {
    for chip in old() {
        Draw::sound(chip).without_pops().trips(&[("POPS-20", W)]);
        let clean = Draw::sound(chip).without_pops().raw("PA_SC_SHADER_CONTROL", 0).raw("SPI_SHADER_PGM_RSRC2_PS", 0);
        clean.is_clean();
        let overlap = clean.with("DB_SHADER_CONTROL", "POPS_OVERLAP_NUM_SAMPLES", 1);
        overlap.trips(&[("POPS-20", W)]);
        // DB_SHADER_CONTROL contains both fields: one note.
        assert_eq!(overlap.findings()[0].notes.len(), 1, "{chip}");
    }
}

#[test]
fn pops_21_the_rate_override_is_for_blending_on_gfx11_only() {
    for chip in new() {
        let left = Draw::sound(chip).without_pops();
        left.trips(&[("POPS-21", I)]);
        let blended = left.clone().with("CB_BLEND0_CONTROL", "ENABLE", 1).raw("CB_TARGET_MASK", 0xF);
        if chip.has(Erratum::ExportConflict) {
            blended.clone().with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 2).is_clean();
            // The override is on, with a rate other than that of the workaround.
            blended.trips(&[("POPS-21", I)]);
            blended.clone().samples(1, 1, 1).trips(&[("POPS-21", I)]);
            // Each target blends separately, where it is written.
            let second = left.clone().with("CB_BLEND1_CONTROL", "ENABLE", 1).with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE", 2);
            second.clone().raw("CB_TARGET_MASK", 0xF0).is_clean();
            second.raw("CB_TARGET_MASK", 0xF0F).trips(&[("POPS-21", I)]);
        } else {
            blended.trips(&[("POPS-21", I)]);
        }
        left.with("DB_SHADER_CONTROL", "OVERRIDE_INTRINSIC_RATE_ENABLE", 0).is_clean();
    }
}

#[test]
fn pops_22_depth_and_coverage_samples_should_be_equal() {
    for chip in new() {
        Draw::sound(chip).samples(1, 1, 2).with_depth_image().trips(&[("POPS-22", W)]);
        Draw::sound(chip).samples(2, 2, 2).with_depth_image().is_clean();
        Draw::sound(chip).samples(2, 2, 2).is_clean();
    }
}

#[test]
fn the_table_of_rules_is_complete() {
    for number in 1..=22 {
        let code = format!("POPS-{number:02}");
        assert!(rules::find(&code).is_some(), "{code}");
    }
    let codes: Vec<_> = rules::all().map(|rule| rule.code).collect();
    assert!(codes.is_sorted(), "{codes:?}");
    for rule in rules::all() {
        assert!(rule.explanation.len() > rule.title.len() && rule.title.len() < 100, "{}", rule.code);
        assert!(!rule.source.is_empty() && !rule.explanation.contains("  "), "{}", rule.code);
        assert!(rule.scope == ChipScope::All || Chip::all().any(|chip| !rule.scope.contains(chip)) || Chip::all().map(Chip::gfx).all(|g: Gfx| g.major() > 8));
    }
}
