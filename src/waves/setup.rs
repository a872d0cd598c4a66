//! The properties of pixel shader waves that a draw's registers decide.

use super::arguments::Arguments;
use crate::chip::Gfx;
use crate::isa::Reg;
use crate::isa::WaveSize;

/// The interlock that the shader declares.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::cp::{CommandProcessor, DrawView, Observer};
/// use pm4::draw::{DrawDesc, Interlock, PipelineDesc, PixelShader, Recorder};
/// use pm4::packet::Queue;
/// use pm4::waves::{self, InterlockScope, Setup};
///
/// /// What the registers of a draw decide; that its shader declares sample interlock is in no register.
/// struct Setups(Vec<Setup>);
/// impl Observer for Setups {
///     fn draw(&mut self, view: &DrawView<'_>) {
///         self.0.push(waves::setup(view, InterlockScope::Sample));
///     }
/// }
/// let shader = Some(PixelShader { writes_memory: true, ..PixelShader::default() });
/// let draw = DrawDesc::from(PipelineDesc { shader, interlock: Interlock::SampleOrdered, samples: 4, ..PipelineDesc::default() });
/// let mut recorder = Recorder::new(Chip::Navi21);
/// recorder.begin()?;
/// recorder.draw(&draw.resolve(Chip::Navi21)?)?;
/// let mut cp = CommandProcessor::new(Chip::Navi21);
/// cp.submit(Queue::Graphics, "draw", recorder.words());
/// let mut setups = Setups(Vec::new());
/// cp.run(&mut setups);
/// assert!(setups.0[0].pops);
/// assert_eq!((setups.0[0].samples_log2, setups.0[0].overlap_log2), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InterlockScope {
    /// No interlock: invocations are not ordered.
    NoInterlock,
    /// Pixel interlock: two invocations that cover a common pixel are never in the section together.
    Pixel,
    /// Sample interlock: two invocations that cover a common sample are never in the section together.
    Sample,
}

impl InterlockScope {
    /// Coverage (8 bits per pixel, one per sample), widened to the samples to which the invocation has exclusive access.
    pub(super) fn mask(self, coverage: u32) -> u32 {
        match self {
            Self::NoInterlock => 0,
            Self::Pixel => widen(coverage, 8),
            Self::Sample => coverage,
        }
    }
}

/// An erratum whose mechanism no source explains. The model only knows when it occurs, and takes it as an axiom.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::waves::{self, Axiom};
/// assert_eq!(waves::axioms(Chip::Vega10), [Axiom::MissedOverlap]);
/// assert_eq!(waves::axioms(Chip::Navi10), [Axiom::StalledPops]);
/// assert!(waves::axioms(Chip::Navi31).is_empty());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axiom {
    /// Vega10 and Raven: 8 coverage or depth samples without the drain bit. Overlaps are missed (name of PAL's setting; the article says hang).
    MissedOverlap,
    /// Navi1x: the drain bit without PSLC_ON_HANG_ONLY. The first drained overlap hangs.
    StalledPops,
}

impl Axiom {
    /// Returns the name, and the source.
    pub const fn text(self) -> &'static str {
        match self {
            Self::MissedOverlap => "axiom pops_missed_overlap: 8 samples without POPS_DRAIN_PS_ON_OVERLAP (PAL waMiscPopsMissedOverlap; POPS article)",
            Self::StalledPops => "axiom stalled_pops: POPS_DRAIN_PS_ON_OVERLAP without PSLC_ON_HANG_ONLY (PAL waStalledPopsMode; POPS article)",
        }
    }
}

/// The configuration of packers and waves. `waves::setup` derives it from a draw that the command-processor model saw.
///
/// ```
/// use pm4::{chip::Gfx, waves::Setup};
/// let setup = Setup { samples_log2: 2, exposed_log2: 2, compared_log2: 2, ..Setup::plain(Gfx::Gfx11) }; // 4 samples, whole pixels compared
/// assert!(setup.pops);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The generation.
    pub gfx: Gfx,
    /// PRIMITIVE_ORDERED_PIXEL_SHADER.
    pub pops: bool,
    /// Number of packers over which waves are spread: 1 or 2 on GFX9, 1 to 4 later.
    pub packers: u8,
    /// The registers of the shader's arguments.
    pub arguments: Arguments,
    /// Lanes of a wave.
    pub wave: WaveSize,
    /// log2 of the coverage samples, 0 to 3.
    pub samples_log2: u8,
    /// log2 of the sample mask bits that the shader sees, 0 to 3.
    pub exposed_log2: u8,
    /// log2 of the samples that make two invocations overlap, 0 to 3: 0 compares whole pixels.
    pub overlap_log2: u8,
    /// log2 of the samples that take part in the comparison, 0 to 3: on GFX11, the smaller of the exposed samples and DB_Z_INFO.NUM_SAMPLES.
    pub compared_log2: u8,
    /// log2 of the invocations per pixel, 0 to 3.
    pub invocations_log2: u8,
    /// Shading rate: width and height of an invocation in pixels, each 1 or 2.
    pub rate: (u8, u8),
    /// Whether overlapping waves are launched only after the waves that they overlap have finished.
    pub drain: bool,
    /// Whether the draw allocates export space.
    pub export_space: bool,
    /// The erratum that occurs, if any.
    pub axiom: Option<Axiom>,
    /// The interlock that the shader declares.
    pub interlock: InterlockScope,
    /// The descriptor of the ordered data; accesses through other descriptors are not judged. If None, all vector accesses and no scalar loads are judged.
    pub resource: Option<Reg>,
}

/// Widens each set bit of each byte to its group of `group` bits.
fn widen(mask: u32, group: u32) -> u32 {
    let full = if group >= 8 { 0xFF } else { (1u32 << group) - 1 };
    (0..32).step_by(group.clamp(1, 8) as usize).fold(0, |wide, at| wide | if mask >> at & full != 0 { full << at } else { 0 })
}

impl Setup {
    /// Returns an ordered draw with one sample and pixel interlock, waves of 64 lanes, no user data, and all packers of the generation. Up to GFX10.3 the SGPR
    /// after the primitive mask holds COLLISION_WAVEID.
    pub fn plain(gfx: Gfx) -> Self {
        Self {
            gfx,
            pops: true,
            packers: if gfx.major() == 9 { 2 } else { 4 },
            arguments: Arguments::ordered(gfx),
            wave: WaveSize::W64,
            samples_log2: 0,
            exposed_log2: 0,
            overlap_log2: 0,
            compared_log2: 0,
            invocations_log2: 0,
            rate: (1, 1),
            drain: false,
            export_space: true,
            axiom: None,
            interlock: InterlockScope::Pixel,
            resource: None,
        }
    }

    /// Returns the coverage that the hardware's overlap test uses. A granularity between pixel and sample groups neighbouring samples; the hardware's behaviour
    /// there is not known (drivers never set it).
    pub(super) fn compared(&self, coverage: u32) -> u32 {
        let samples = 1u32 << self.compared_log2.min(3);
        let seen = coverage & (((1u32 << samples) - 1).min(0xFF) * 0x0101_0101);
        let group = if self.overlap_log2 == 0 { 8 } else { 1 << self.exposed_log2.saturating_sub(self.overlap_log2).min(3) };
        widen(seen, group)
    }
}
