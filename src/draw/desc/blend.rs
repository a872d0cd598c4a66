//! Blending and logic operations.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Blending of one target. [`BlendFunction::Min`] and [`BlendFunction::Max`] ignore the factors.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Blend, BlendFactor, BlendFunction, DrawDesc, PipelineDesc, TargetBlend};
/// let added = (BlendFactor::One, BlendFunction::Add, BlendFactor::One);
/// let blends = vec![TargetBlend { blend: Some(Blend { color: added, alpha: added }), ..TargetBlend::default() }];
/// DrawDesc::from(PipelineDesc { blends, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blend {
    /// Colour: source factor, function, target factor.
    pub color: (BlendFactor, BlendFunction, BlendFactor),
    /// Alpha: source factor, function, target factor.
    pub alpha: (BlendFactor, BlendFunction, BlendFactor),
}

impl Blend {
    /// Source over target by the source's alpha.
    pub const SOURCE_OVER: Self = Self {
        color: (BlendFactor::SrcAlpha, BlendFunction::Add, BlendFactor::OneMinusSrcAlpha),
        alpha: (BlendFactor::One, BlendFunction::Add, BlendFactor::OneMinusSrcAlpha),
    };

    /// Returns the blending with its effective factors: [`Min`](BlendFunction::Min) and [`Max`](BlendFunction::Max) use both colours unweighted, which must be
    /// programmed explicitly (Mesa 25.0.7 radv_normalize_blend_factor, PAL 04/2025 gfx9ColorBlendState.cpp).
    pub(crate) fn acting(self) -> Self {
        let half = |(source, function, target)| match function {
            BlendFunction::Min | BlendFunction::Max => (BlendFactor::One, function, BlendFactor::One),
            BlendFunction::Add | BlendFunction::Subtract | BlendFunction::ReverseSubtract => (source, function, target),
        };
        Self { color: half(self.color), alpha: half(self.alpha) }
    }

    /// Returns whether a colour factor reads an alpha that the shader exports. Alpha factors do not count, because they have no effect on a target without
    /// alpha.
    pub(crate) fn reads_source_alpha(&self) -> bool {
        use BlendFactor as F;
        let reads = |f| matches!(f, F::SrcAlpha | F::OneMinusSrcAlpha | F::SrcAlphaSaturate | F::Src1Alpha | F::OneMinusSrc1Alpha);
        let Self { color, .. } = self.acting();
        reads(color.0) || reads(color.2)
    }

    /// Returns whether a factor reads the second colour of the shader. Factors of [`Min`](BlendFunction::Min) and [`Max`](BlendFunction::Max) do not count,
    /// since these functions ignore them.
    ///
    /// ```
    /// use pm4::draw::{Blend, BlendFactor, BlendFunction};
    /// let blend = |function| (BlendFactor::Src1Color, function, BlendFactor::Zero);
    /// assert!(Blend { color: blend(BlendFunction::Add), alpha: blend(BlendFunction::Add) }.is_dual_source());
    /// assert!(!Blend { color: blend(BlendFunction::Max), alpha: blend(BlendFunction::Min) }.is_dual_source());
    /// ```
    pub fn is_dual_source(&self) -> bool {
        let Self { color, alpha } = self.acting();
        let factors = [color.0, color.2, alpha.0, alpha.2];
        factors.iter().any(|f| matches!(f, BlendFactor::Src1Color | BlendFactor::OneMinusSrc1Color | BlendFactor::Src1Alpha | BlendFactor::OneMinusSrc1Alpha))
    }
}

/// A factor of blending.
///
/// For an example see [`Blend`](crate::draw::Blend).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    DstColor,
    OneMinusDstColor,
    SrcAlphaSaturate,
    ConstantColor,
    OneMinusConstantColor,
    ConstantAlpha,
    OneMinusConstantAlpha,
    Src1Color,
    OneMinusSrc1Color,
    Src1Alpha,
    OneMinusSrc1Alpha,
}

/// The function that combines the weighted source and target. The values are those of CombFunc.
///
/// For an example see [`Blend`](crate::draw::Blend).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the usual names
pub enum BlendFunction {
    #[default]
    Add = 0,
    Subtract = 1,
    Min = 2,
    Max = 3,
    ReverseSubtract = 4,
}

/// A logic operation, as the four bits of its truth table: bit 0 for source 0 and target 0, bit 1 for 0 and 1, bit 2 for 1 and 0, bit 3 for both 1. VkLogicOp
/// uses other numbers: VK_LOGIC_OP_AND is 1 there and `0b1000` here.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, LogicOp, PipelineDesc};
/// let exclusive_or = Some(LogicOp(0b0110)); // 1 where source and target differ
/// DrawDesc::from(PipelineDesc { logic_op: exclusive_or, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogicOp(pub u8);

impl LogicOp {
    /// The unmodified source.
    pub const COPY: Self = Self(0b1100);

    /// Returns the raster operation byte of CB_COLOR_CONTROL: the four bits twice, one for each value of an unused pattern.
    pub(crate) fn rop3(self) -> u32 {
        u32::from(self.0 & 0xF) * 0x11
    }
}
