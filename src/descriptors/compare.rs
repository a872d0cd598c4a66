//! Comparisons of samplers and of depth and stencil tests.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A comparison of depth, stencil or a shadow sampler. The values are those of CompareFrag and SQ_TEX_DEPTH_COMPARE.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{Compare, DescriptorKind, SamplerDesc};
/// let shadow = SamplerDesc { compare: Some(Compare::LessOrEqual), ..SamplerDesc::default() };
/// let words = shadow.words(Chip::Navi31)?;
/// let field = DescriptorKind::Sampler.fields(Chip::Navi31.gfx()).iter().find(|f| f.name == "DEPTH_COMPARE_FUNC").unwrap();
/// assert_eq!(field.name_of(field.get(&words)), Some("SQ_TEX_DEPTH_COMPARE_LESSEQUAL"));
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
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
