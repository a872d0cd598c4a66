//! Depth and stencil tests, and the counting for occlusion queries.

use crate::descriptors::Compare;
use crate::draw::desc::bits::equal_by_bits;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// The action on stored stencil.
///
/// For an example see [`DepthTest`](crate::draw::DepthTest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum StencilAction {
    #[default]
    Keep,
    Zero,
    Replace,
    IncrementClamp,
    DecrementClamp,
    Invert,
    IncrementWrap,
    DecrementWrap,
}

/// Stencil test of one face.
///
/// For an example see [`DepthTest`](crate::draw::DepthTest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// Action if the stencil test fails.
    pub fail: StencilAction,
    /// Action if both tests pass.
    pub pass: StencilAction,
    /// Action if the stencil test passes and the depth test fails.
    pub depth_fail: StencilAction,
    /// Comparison of the reference with stored stencil.
    pub compare: Compare,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
}

impl Default for StencilFace {
    fn default() -> Self {
        let keep = StencilAction::Keep;
        Self { fail: keep, pass: keep, depth_fail: keep, compare: Compare::Always, reference: 0, read_mask: 0xFF, write_mask: 0xFF }
    }
}

/// Depth and stencil tests. They take effect only with a target that has the aspect. Equality compares the bits of the bounds.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Compare, DepthFormat, DepthTarget, DepthTest, DrawDesc, PipelineDesc, StencilAction, StencilFace, TargetsDesc};
/// // Draws where stencil is 1, in front of existing depths.
/// let face = StencilFace { compare: Compare::Equal, reference: 1, pass: StencilAction::IncrementClamp, ..StencilFace::default() };
/// let depth_test = DepthTest { compare: Compare::LessOrEqual, stencil: Some((face, face)), ..DepthTest::default() };
/// let depth = Some(DepthTarget::new(DepthFormat::D32s8, 1));
/// let draw = DrawDesc {
///     targets: TargetsDesc { depth, ..TargetsDesc::default() },
///     ..DrawDesc::from(PipelineDesc { depth_test, ..PipelineDesc::default() })
/// };
/// draw.resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DepthTest {
    /// Whether depth is compared.
    pub test: bool,
    /// Whether depth that passes is written.
    pub write: bool,
    /// Comparison of the fragment with stored depth.
    pub compare: Compare,
    /// Minimum and maximum stored depth; fragments are discarded if the stored depth is outside this range. Finite numbers, usually 0 to 1.
    pub bounds: Option<(f32, f32)>,
    /// Stencil test of front and back faces.
    pub stencil: Option<(StencilFace, StencilFace)>,
}

equal_by_bits!(DepthTest { test, write, compare, stencil, } floats { bounds, });

impl Default for DepthTest {
    fn default() -> Self {
        Self { test: true, write: true, compare: Compare::Less, bounds: None, stencil: None }
    }
}

/// Counting of samples that pass.
///
/// For an example see [`Recorder::sample_occlusion`](crate::draw::Recorder::sample_occlusion).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Occlusion {
    /// No query is active.
    #[default]
    Off,
    /// Only whether any sample passed.
    Conservative,
    /// The exact number of samples that passed.
    Precise,
}
