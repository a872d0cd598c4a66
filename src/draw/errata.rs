//! Workarounds for hardware errata: when each acts, and what it changes in the register image.
//!
//! A condition reads inputs alone, never the image, so the entries may run in any order and any number of times.

use crate::chip::Erratum;
use crate::draw::image::Image;
use crate::draw::inputs::Inputs;

/// One workaround.
pub struct Workaround {
    /// The erratum: its chips, text and source stand in `regdb/chips.toml`.
    pub erratum: Erratum,
    /// When it acts, in words.
    pub condition: &'static str,
    /// What it does, in words.
    pub effect: &'static str,
    acts: fn(&Inputs<'_>) -> bool,
    apply: fn(&Inputs<'_>, &mut Image),
}

/// All workarounds that draw state needs.
pub static WORKAROUNDS: [Workaround; 4] = [
    Workaround {
        erratum: Erratum::PopsMissedOverlap,
        condition: "POPS with 8 or more coverage samples, or with a depth target of 8 or more samples",
        effect: "DB_DFSM_CONTROL.POPS_DRAIN_PS_ON_OVERLAP = 1",
        acts: |inputs| missed_overlap(inputs) && inputs.drain(),
        apply: drain,
    },
    Workaround {
        erratum: Erratum::StalledPops,
        condition: "POPS while the drain bit is on, by option or because nothing changed the reset default",
        effect: "DB_RENDER_OVERRIDE2.PARTIAL_SQUAD_LAUNCH_CONTROL = PSLC_ON_HANG_ONLY",
        acts: |inputs| inputs.pops && inputs.drain(),
        apply: launch_on_hang_only,
    },
    Workaround {
        erratum: Erratum::ExportConflict,
        condition: "no POPS, one coverage sample, and some target that is written blends",
        effect: "DB_SHADER_CONTROL.OVERRIDE_INTRINSIC_RATE_ENABLE = 1, OVERRIDE_INTRINSIC_RATE = 2",
        acts: |inputs| !inputs.pops && inputs.coverage_log2 == 0 && inputs.blends(),
        apply: blend_rate,
    },
    Workaround {
        erratum: Erratum::MaxAllowedTilesInWave,
        condition: "a depth target of 4 or 8 samples",
        effect: "DB_RENDER_CONTROL.MAX_ALLOWED_TILES_IN_WAVE = 13 or 6, on APUs 15 or 7",
        acts: |inputs| inputs.depth_log2.is_some_and(|samples| samples >= 2),
        apply: max_allowed_tiles,
    },
];

impl Workaround {
    /// Applies the workaround where its chip and its condition ask for it.
    pub(crate) fn run(&self, inputs: &Inputs<'_>, image: &mut Image) {
        if inputs.chip.has(self.erratum) && (self.acts)(inputs) {
            (self.apply)(inputs, image);
        }
    }
}

fn missed_overlap(inputs: &Inputs<'_>) -> bool {
    inputs.pops && inputs.most_samples_log2() >= 3
}

/// The drain bit must be on for this draw.
pub(crate) fn needs_drain(inputs: &Inputs<'_>) -> bool {
    inputs.chip.has(Erratum::PopsMissedOverlap) && missed_overlap(inputs)
}

fn drain(inputs: &Inputs<'_>, image: &mut Image) {
    let samples = match (inputs.coverage_log2 >= 3, inputs.depth_log2.is_some_and(|d| d >= 3)) {
        (true, true) => "8 coverage samples and 8 depth samples",
        (true, false) => "8 coverage samples",
        _ => "8 depth samples",
    };
    let rule = alloc::format!(
        "{} with POPS and {samples}: without a drain of the pixel shaders an overlap can be missed or the draw hang ({})",
        inputs.chip,
        Erratum::PopsMissedOverlap.source()
    );
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => image.patch::<r::DbDfsmControl>(inputs.gfx, r::DbDfsmControl::POPS_DRAIN_PS_ON_OVERLAP, true, rule),
        Gfx11 | Gfx115 | Gfx12 => { let _ = (image, rule); },
    });
}

fn launch_on_hang_only(inputs: &Inputs<'_>, image: &mut Image) {
    use crate::draw::desc::Drain;
    let origin = if inputs.desc.drain == Drain::ResetDefault { "left on by the register's reset default" } else { "on" };
    let rule = alloc::format!(
        "{} with POPS while drain is {origin}: partial squads are launched only on a hang, else the draw would hang ({})",
        inputs.chip,
        Erratum::StalledPops.source()
    );
    on_gfx!(inputs.gfx, r => {
        type R = r::DbRenderOverride2;
        image.patch::<R>(inputs.gfx, R::PARTIAL_SQUAD_LAUNCH_CONTROL, r::DbPSLControl::PSLC_ON_HANG_ONLY as u32, rule);
    });
}

fn blend_rate(inputs: &Inputs<'_>, image: &mut Image) {
    let rule = alloc::format!("{} blends at one sample: intrinsic rate of 4 samples ({})", inputs.chip, Erratum::ExportConflict.source());
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => { let _ = (image, rule); },
        Gfx11 | Gfx115 | Gfx12 => {
            type R = r::DbShaderControl;
            image.patch::<R>(inputs.gfx, R::OVERRIDE_INTRINSIC_RATE_ENABLE, true, rule.clone());
            image.patch::<R>(inputs.gfx, R::OVERRIDE_INTRINSIC_RATE, 2u32, rule);
        },
    });
}

fn max_allowed_tiles(inputs: &Inputs<'_>, image: &mut Image) {
    let tiles = match (inputs.depth_log2, inputs.chip.info().apu) {
        (Some(3), false) => 6u32,
        (Some(3), true) => 7,
        (_, false) => 13,
        (_, true) => 15,
    };
    let rule = alloc::format!("{} with this many depth samples hangs otherwise ({})", inputs.chip, Erratum::MaxAllowedTilesInWave.source());
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 | Gfx12 => { let _ = (image, rule, tiles); },
        Gfx11 | Gfx115 => image.patch::<r::DbRenderControl>(inputs.gfx, r::DbRenderControl::MAX_ALLOWED_TILES_IN_WAVE, tiles, rule),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::draw::desc::{ColorTarget, DepthFormat, DepthTarget, Drain, DrawDesc, Interlock};
    use crate::draw::fixed::Blend;
    use alloc::vec::Vec;

    /// Draws over everything that a condition reads.
    fn matrix() -> Vec<DrawDesc> {
        let mut all = Vec::new();
        for interlock in [Interlock::None, Interlock::PixelOrdered, Interlock::SampleUnordered] {
            for samples in [1, 2, 4, 8] {
                for depth in [None, Some(samples), Some(8)] {
                    for blend in [None, Some(Blend::SOURCE_OVER)] {
                        for drain in [Drain::Auto, Drain::On, Drain::Off, Drain::ResetDefault] {
                            let depth = depth.map(|samples| DepthTarget::new(DepthFormat::D32, samples));
                            let color = alloc::vec![ColorTarget { blend, ..ColorTarget::default() }];
                            all.push(DrawDesc { interlock, samples, depth, color, drain, ..DrawDesc::default() });
                        }
                    }
                }
            }
        }
        all
    }

    /// All orders of the workarounds.
    fn orders(left: &[usize]) -> Vec<Vec<usize>> {
        if left.is_empty() {
            return alloc::vec![Vec::new()];
        }
        let with = |first: usize| {
            let rest: Vec<usize> = left.iter().copied().filter(|&i| i != first).collect();
            orders(&rest).into_iter().map(move |mut order| {
                order.insert(0, first);
                order
            })
        };
        left.iter().flat_map(|&first| with(first)).collect()
    }

    #[test]
    fn workarounds_may_run_in_any_order_and_again() {
        let indices: Vec<usize> = (0..WORKAROUNDS.len()).collect();
        let orders = orders(&indices);
        let mut acted = alloc::collections::BTreeSet::new();
        for chip in Chip::all() {
            for desc in matrix() {
                let (Ok(inputs), Ok(resolved)) = (Inputs::check(&desc, chip), desc.resolve(chip)) else { continue };
                for order in &orders {
                    // On top of the finished image: nothing may change.
                    let mut image = resolved.image.clone();
                    for &i in order.iter().chain(order) {
                        WORKAROUNDS[i].run(&inputs, &mut image);
                    }
                    assert_eq!(image.registers(), resolved.image.registers(), "{chip} {order:?} {desc:?}");
                }
                acted.extend(WORKAROUNDS.iter().filter(|w| chip.has(w.erratum) && (w.acts)(&inputs)).map(|w| w.erratum));
            }
        }
        assert_eq!(acted.len(), WORKAROUNDS.len(), "each workaround acts on some draw");
    }

    #[test]
    fn workarounds_act_on_the_chips_of_their_erratum_alone() {
        for chip in Chip::all() {
            for desc in matrix() {
                let (Ok(inputs), Ok(resolved)) = (Inputs::check(&desc, chip), desc.resolve(chip)) else { continue };
                for workaround in WORKAROUNDS.iter().filter(|w| !chip.has(w.erratum)) {
                    let mut image = resolved.image.clone();
                    workaround.run(&inputs, &mut image);
                    assert_eq!(image, resolved.image, "{chip} {}", workaround.erratum);
                }
            }
        }
    }
}
