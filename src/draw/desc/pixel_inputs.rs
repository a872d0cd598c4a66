//! Inputs of the pixel shader: the initial contents of its VGPRs, and its interpolants. Bits: Mesa 25.0.7 (SPI_PS_INPUT_ENA, ACO's and NIR's use of the
//! ancillary word).

use crate::draw::desc::error::DrawError;
use alloc::vec::Vec;
use core::ops::BitOr;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// An initial value in the VGPRs of a pixel wave; the number is its bit in SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR.
///
/// For an example see [`PixelInputs`](crate::draw::PixelInputs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PixelInput {
    /// Perspective I and J at the sample.
    PerspSample = 0,
    /// Perspective I and J at the pixel centre.
    PerspCenter = 1,
    /// Perspective I and J at the centroid.
    PerspCentroid = 2,
    /// I/W, J/W and 1/W, for interpolation at any position.
    PerspPullModel = 3,
    /// Linear I and J at the sample.
    LinearSample = 4,
    /// Linear I and J at the pixel centre.
    LinearCenter = 5,
    /// Linear I and J at the centroid.
    LinearCentroid = 6,
    /// Line stipple coordinate.
    LineStipple = 7,
    /// Position, x.
    PosX = 8,
    /// Position, y.
    PosY = 9,
    /// Position, z.
    PosZ = 10,
    /// Position, w.
    PosW = 11,
    /// Front or back face.
    FrontFace = 12,
    /// Render target array index 28:16, sample 11:8, eye 7, coarse rate 5:2, primitive type 1:0.
    Ancillary = 13,
    /// Sample mask in.
    SampleCoverage = 14,
    /// Pixel position in fixed point: y 31:16, x 15:0.
    PosFixed = 15,
}

impl PixelInput {
    /// Returns all items in the order of their bits, which is the order of their VGPRs.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter()
    }

    const ALL: [Self; 16] = [
        Self::PerspSample,
        Self::PerspCenter,
        Self::PerspCentroid,
        Self::PerspPullModel,
        Self::LinearSample,
        Self::LinearCenter,
        Self::LinearCentroid,
        Self::LineStipple,
        Self::PosX,
        Self::PosY,
        Self::PosZ,
        Self::PosW,
        Self::FrontFace,
        Self::Ancillary,
        Self::SampleCoverage,
        Self::PosFixed,
    ];

    /// Returns the number of VGPRs that the item takes.
    pub const fn vgprs(self) -> u32 {
        match self {
            Self::PerspPullModel => 3,
            Self::PerspSample | Self::PerspCenter | Self::PerspCentroid | Self::LinearSample | Self::LinearCenter | Self::LinearCentroid => 2,
            _ => 1,
        }
    }
}

/// A set of inputs.
///
/// ```
/// use pm4::draw::{PixelInput, PixelLoads};
/// let loads = PixelLoads::from(PixelInput::PerspCenter) | PixelInput::PosFixed;
/// assert_eq!(loads.bits(), 0x8002);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PixelLoads(u16);

impl PixelLoads {
    /// No input.
    pub const NONE: Self = Self(0);

    /// Returns the set with these bits of SPI_PS_INPUT_ENA.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Returns the bits of SPI_PS_INPUT_ENA.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns whether the set contains the item.
    pub const fn has(self, input: PixelInput) -> bool {
        self.0 >> input as u16 & 1 == 1
    }

    const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    const fn lowest(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }
}

impl From<PixelInput> for PixelLoads {
    fn from(input: PixelInput) -> Self {
        Self(1 << input as u16)
    }
}

impl<T: Into<Self>> BitOr<T> for PixelLoads {
    type Output = Self;
    fn bitor(self, other: T) -> Self {
        Self(self.0 | other.into().0)
    }
}

/// Barycentrics: without any of them a pixel wave hangs.
const BARYCENTRICS: PixelLoads = PixelLoads(0x7F);
/// Perspective barycentrics: POS_W_FLOAT needs one.
const PERSPECTIVE: PixelLoads = PixelLoads(0xF);

/// The inputs of a pixel shader besides its resources.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, Interpolant, InterpolantSource, PipelineDesc, PixelInput, PixelInputs, PixelLoads, PixelShader, VertexStage};
/// // A smooth parameter, a flat one, and a constant; the position of the pixel, and barycentrics at its centre.
/// let flat = Interpolant { flat: true, ..Interpolant::parameter(1) };
/// let ones = Interpolant { source: InterpolantSource::Ones, ..Interpolant::parameter(0) };
/// let loads = PixelLoads::from(PixelInput::PerspCenter) | PixelInput::PosX | PixelInput::PosY;
/// let inputs = PixelInputs { interpolants: vec![Interpolant::parameter(0), flat, ones], loads, ..PixelInputs::default() };
/// let shader = Some(PixelShader { inputs, ..PixelShader::default() });
/// let vertex = VertexStage { parameters: 2, ..VertexStage::default() };
/// DrawDesc::from(PipelineDesc { vertex, shader, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PixelInputs {
    /// Interpolants in the order in which the shader names them (attr0, attr1, …), at most 32.
    pub interpolants: Vec<Interpolant>,
    /// The values to load into VGPRs. A barycentric is added if hardware requires one.
    pub loads: PixelLoads,
    /// The values for which the program reserves VGPRs, if it was compiled for more than is loaded; None for exactly the loads.
    pub room: Option<PixelLoads>,
    /// Whether to load the wave count into an SGPR.
    pub wave_count: bool,
    /// Whether to load the provoking vertices into an SGPR (GFX10.3 and later).
    pub provoking_vertex: bool,
}

/// Interpolants that can be the point coordinate: SPI_PS_INPUT_CNTL_20 and later have no such field.
pub(crate) const POINT_COORDINATES: u32 = 20;

/// One interpolant.
///
/// For an example see [`PixelInputs`](crate::draw::PixelInputs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interpolant {
    /// The source of its value.
    pub source: InterpolantSource,
    /// Whether the whole primitive uses the provoking vertex's value.
    pub flat: bool,
    /// Whether each channel holds two f16.
    pub half: bool,
    /// Whether the point coordinate replaces it on points; possible for the first 20 interpolants.
    pub point_coordinate: bool,
}

impl Interpolant {
    /// Returns an interpolant of a smooth parameter.
    pub const fn parameter(slot: u8) -> Self {
        Self { source: InterpolantSource::Parameter(slot), flat: false, half: false, point_coordinate: false }
    }
}

/// The source of an interpolant.
///
/// For an example see [`PixelInputs`](crate::draw::PixelInputs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InterpolantSource {
    /// A parameter of the vertex stage, 0 to 31.
    Parameter(u8),
    /// (0, 0, 0, 0) for a parameter that no stage exports; DEFAULT_VAL 0.
    Zeros,
    /// (0, 0, 0, 1); DEFAULT_VAL 1.
    ZerosOne,
    /// (1, 1, 1, 0); DEFAULT_VAL 2.
    OnesZero,
    /// (1, 1, 1, 1); DEFAULT_VAL 3.
    Ones,
}

/// The loads for both input registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResolvedLoads {
    pub ena: PixelLoads,
    pub addr: PixelLoads,
    /// A barycentric was added.
    pub added: Option<&'static str>,
}

impl PixelInputs {
    /// No inputs.
    pub(crate) const NONE: Self = Self { interpolants: Vec::new(), loads: PixelLoads::NONE, room: None, wave_count: false, provoking_vertex: false };

    /// Resolves ENA and ADDR according to their rules: ENA within ADDR, some barycentric in ENA, a perspective one for POS_W.
    pub(crate) fn resolve(&self) -> Result<ResolvedLoads, DrawError> {
        let room = self.room;
        if let Some(outside) = room.map(|room| self.loads.without(room)).filter(|outside| *outside != PixelLoads::NONE) {
            return Err(DrawError::PixelInputs { bits: outside.bits(), why: "they are loaded, but the program has no room for them" });
        }
        let mut resolved = ResolvedLoads { ena: self.loads, addr: room.unwrap_or(self.loads), added: None };
        let needed = [
            (
                self.loads.has(PixelInput::PosW),
                PERSPECTIVE,
                "POS_W needs a perspective barycentric",
                "POS_W is loaded, which needs room for a perspective barycentric",
            ),
            (true, BARYCENTRICS, "a wave without any barycentric hangs", "a wave without any barycentric hangs, and the program has no room for one"),
        ];
        for (wanted, which, rule, why) in needed {
            if !wanted || resolved.ena.0 & which.0 != 0 {
                continue;
            }
            // RADV then loads PERSP_CENTER (captures); for a program with its own layout, the first barycentric with reserved room is loaded.
            let choice = match room {
                None => PixelLoads::from(PixelInput::PerspCenter),
                Some(room) => PixelLoads(room.0 & which.0).lowest(),
            };
            if choice == PixelLoads::NONE {
                return Err(DrawError::PixelInputs { bits: which.bits(), why });
            }
            resolved = ResolvedLoads { ena: resolved.ena | choice, addr: resolved.addr | choice, added: Some(rule) };
        }
        Ok(resolved)
    }

    pub(crate) fn check(&self, parameters: u32) -> Result<(), DrawError> {
        if self.interpolants.len() > 32 {
            let value = self.interpolants.len() as u64;
            return Err(DrawError::Limit { what: "interpolants", value, limit: "at most 32" });
        }
        for (interpolant, i) in self.interpolants.iter().zip(0u32..) {
            if interpolant.point_coordinate && i >= POINT_COORDINATES {
                return Err(DrawError::Limit { what: "the interpolant that is the point coordinate", value: i.into(), limit: "one of the first 20" });
            }
            if let InterpolantSource::Parameter(slot) = interpolant.source
                && u32::from(slot) >= parameters
            {
                return Err(DrawError::MissingParameter { interpolant: i, slot, parameters });
            }
        }
        Ok(())
    }
}
