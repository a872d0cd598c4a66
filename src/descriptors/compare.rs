//! Comparisons, of samplers and of depth and stencil.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Comparison of depth, stencil or a shadow sampler. The numbers are those of CompareFrag and SQ_TEX_DEPTH_COMPARE.
///
/// For a related example see [`SamplerDesc`](crate::descriptors::SamplerDesc).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum Compare {
    Never = 0,
    #[default]
    Less = 1,
    Equal = 2,
    LessOrEqual = 3,
    Greater = 4,
    NotEqual = 5,
    GreaterOrEqual = 6,
    Always = 7,
}
