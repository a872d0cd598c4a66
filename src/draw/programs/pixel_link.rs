//! Values that the last stage before rasterization passes to the pixel shader, by name or number.
//!
//! Slots, constants and flat values: Mesa 25.0.7 radv_pipeline_graphics.c, captures of draws with parameters.

use crate::draw::desc::pixel_inputs::POINT_COORDINATES;
use crate::draw::desc::{Interpolant, InterpolantSource, PixelInput, PixelInputs, PixelLoads, VertexOutputs, VertexStage};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A value of four dwords that vertex work writes and a pixel shader reads.
///
/// For an example see [`PixelLink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkedValue<'a> {
    /// A value with a number, such as a location in Vulkan.
    Number(u32),
    /// A value with a name.
    Name(&'a str),
    /// Index of the primitive.
    PrimitiveId,
    /// Index of the render target layer.
    Layer,
    /// Index of the viewport.
    ViewportIndex,
    /// Clip and cull distances 0 to 3.
    ClipDistances0To3,
    /// Clip and cull distances 4 to 7.
    ClipDistances4To7,
    /// The point coordinate, which the rasterizer writes.
    PointCoordinate,
}

impl fmt::Display for LinkedValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "value {number}"),
            Self::Name(name) => write!(f, "\"{name}\""),
            Self::PrimitiveId => f.write_str("the index of the primitive"),
            Self::Layer => f.write_str("the index of the layer"),
            Self::ViewportIndex => f.write_str("the index of the viewport"),
            Self::ClipDistances0To3 => f.write_str("clip distances 0 to 3"),
            Self::ClipDistances4To7 => f.write_str("clip distances 4 to 7"),
            Self::PointCoordinate => f.write_str("the place in a point"),
        }
    }
}

impl LinkedValue<'_> {
    /// One number for the whole primitive, which nothing interpolates.
    const fn is_index(self) -> bool {
        matches!(self, Self::PrimitiveId | Self::Layer | Self::ViewportIndex)
    }
}

/// How a pixel shader reads a value.
///
/// For an example see [`PixelLink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PixelRead<'a> {
    /// The value that is read.
    pub value: LinkedValue<'a>,
    /// The barycentrics that interpolate it; None for the value of the provoking vertex (flat). Indices are always flat.
    pub at: Option<PixelInput>,
    /// Whether each channel holds two f16.
    pub half: bool,
    /// What is read if vertex work does not write the value; None makes that an error. Layer and viewport are then 0.
    pub default_value: Option<InterpolantSource>,
}

impl<'a> PixelRead<'a> {
    /// Returns a read with perspective interpolation at the centre of the pixel.
    pub const fn smooth(value: LinkedValue<'a>) -> Self {
        Self { value, at: Some(PixelInput::PerspCenter), half: false, default_value: None }
    }

    /// Returns a flat read, with the value of the provoking vertex.
    pub const fn flat(value: LinkedValue<'a>) -> Self {
        Self { at: None, ..Self::smooth(value) }
    }

    /// Returns the barycentrics that the value needs, if any.
    fn load(&self) -> Option<PixelInput> {
        self.at.filter(|_| !self.value.is_index() && self.value != LinkedValue::PointCoordinate)
    }
}

/// The link between what vertex work writes and what the pixel shader reads: parameters on one side, interpolants on the other.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, InterpolantSource, LinkedValue, PipelineDesc, PixelLink, PixelRead, PixelShader, VertexStage};
///
/// // The vertex program exports parameter 0 as "normal", parameter 1 as "colour". The pixel program reads attr0 and attr1; no export writes "fog".
/// let writes = [LinkedValue::Name("normal"), LinkedValue::Name("colour")];
/// let fog = PixelRead { default_value: Some(InterpolantSource::Zeros), ..PixelRead::smooth(LinkedValue::Name("fog")) };
/// let link = PixelLink::new(&writes, &[PixelRead::flat(LinkedValue::Name("colour")), fog])?;
/// let draw = DrawDesc::from(PipelineDesc {
///     vertex: link.vertex(VertexStage::default()),
///     shader: Some(PixelShader { inputs: link.inputs, ..PixelShader::default() }),
///     ..PipelineDesc::default()
/// });
/// let image = draw.resolve(Chip::Navi31)?.image;
/// assert_eq!(image.get(0x2_8644), Some(1 | 1 << 10)); // SPI_PS_INPUT_CNTL_0: OFFSET 1, FLAT_SHADE
/// assert_eq!(image.get(0x2_8648), Some(0x20)); // SPI_PS_INPUT_CNTL_1: the constant (0, 0, 0, 0)
/// assert_eq!(image.get(0x2_86C4), Some(1 << 1)); // SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT: two parameters
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PixelLink {
    /// Interpolants in the order of the reads, and the barycentrics that they need.
    pub inputs: PixelInputs,
    /// Number of parameters that vertex work exports.
    pub parameters: u32,
    /// Whether one of the parameters is the primitive index.
    pub primitive_id: bool,
    /// Whether one of the parameters is the layer.
    pub layer: bool,
    /// Whether one of the parameters is the viewport.
    pub viewport: bool,
}

/// Why vertex work and a pixel shader do not link.
///
/// For an example see [`PixelLink::new`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PixelLinkError {
    /// A value that is read but not written.
    #[error("attr{input} of the pixel shader reads {value}, which the vertex stage does not write: write it there, or set PixelRead::default_value")]
    NotWritten {
        /// Number of the interpolant.
        input: usize,
        /// The value.
        value: String,
    },
    /// A value that is written twice or that no stage can write.
    #[error("parameter {slot} is {value}, which {why}")]
    InvalidWrite {
        /// The parameter.
        slot: usize,
        /// The value.
        value: String,
        /// What is wrong.
        why: &'static str,
    },
    /// Too many values.
    #[error("{count} values are {verb}; at most 32 are possible")]
    TooMany {
        /// How many.
        count: usize,
        /// `written` or `read`.
        verb: &'static str,
    },
    /// The point coordinate is read by an interpolant that does not support it.
    #[error("attr{input} of the pixel shader reads the point coordinate, but only attr0 to attr19 can")]
    PointCoordinate {
        /// Number of the interpolant.
        input: usize,
    },
}

/// Parameters, and interpolants.
const MOST: usize = 32;

impl PixelLink {
    /// Links the values that vertex work exports, in the order of its parameters, with those that the pixel shader reads, in the order of its interpolants (attr0,
    /// attr1, …).
    ///
    /// ```
    /// use pm4::draw::{LinkedValue, PixelLink, PixelLinkError, PixelRead};
    /// let error = PixelLink::new(&[LinkedValue::Number(0)], &[PixelRead::smooth(LinkedValue::Number(3))]).unwrap_err();
    /// assert!(matches!(error, PixelLinkError::NotWritten { input: 0, .. }));
    /// println!("{error}"); // attr0 of the pixel shader reads value 3, …
    /// ```
    ///
    /// # Errors
    /// [`PixelLinkError`]: for a value that is read but neither written nor given a default; for a value that is written twice; for more than 32 values on one
    /// side; for the point coordinate after the first 20 interpolants.
    pub fn new(writes: &[LinkedValue<'_>], reads: &[PixelRead<'_>]) -> Result<Self, PixelLinkError> {
        for (count, verb) in [(writes.len(), "written"), (reads.len(), "read")] {
            if count > MOST {
                return Err(PixelLinkError::TooMany { count, verb });
            }
        }
        for (slot, value) in writes.iter().enumerate() {
            let wrong = |why| Err(PixelLinkError::InvalidWrite { slot, value: value.to_string(), why });
            if *value == LinkedValue::PointCoordinate {
                return wrong("the rasterizer makes");
            }
            if writes.iter().take(slot).any(|before| before == value) {
                return wrong("a parameter before is as well");
            }
        }
        let interpolants = reads.iter().enumerate().map(|(input, read)| interpolant(writes, input, read)).collect::<Result<Vec<_>, _>>()?;
        let loads = reads.iter().filter_map(PixelRead::load).fold(PixelLoads::NONE, |loads, load| loads | load);
        let has = |value| writes.contains(&value);
        Ok(Self {
            inputs: PixelInputs { interpolants, loads, ..PixelInputs::default() },
            // At most 32.
            parameters: writes.len() as u32,
            primitive_id: has(LinkedValue::PrimitiveId),
            layer: has(LinkedValue::Layer),
            viewport: has(LinkedValue::ViewportIndex),
        })
    }

    /// Returns the values that are both written and read, in the order of the writes: the exports of a compiler that knows both sides. Pass them to
    /// [`new`](Self::new) as `writes`.
    ///
    /// ```
    /// use pm4::draw::{LinkedValue::Number, PixelLink, PixelRead};
    /// let writes = [Number(0), Number(1), Number(4)];
    /// assert_eq!(PixelLink::needed(&writes, &[PixelRead::smooth(Number(4)), PixelRead::smooth(Number(0))]), [Number(0), Number(4)]);
    /// ```
    pub fn needed<'a>(writes: &[LinkedValue<'a>], reads: &[PixelRead<'_>]) -> Vec<LinkedValue<'a>> {
        writes.iter().copied().filter(|value| reads.iter().any(|read| read.value == *value)).collect()
    }

    /// Returns vertex work that exports these parameters. If layer or viewport is a parameter, it is exported for the rasterizer too. With a geometry or mesh
    /// shader, the primitive index is an ordinary parameter, and [`exports_primitive_id`](VertexStage::exports_primitive_id) is unchanged.
    #[must_use]
    pub fn vertex(&self, stage: VertexStage) -> VertexStage {
        let outputs = VertexOutputs { layer: stage.outputs.layer || self.layer, viewport: stage.outputs.viewport || self.viewport, ..stage.outputs };
        VertexStage { parameters: self.parameters, outputs, ..stage }
    }
}

/// Where input number `input` comes from.
fn interpolant(writes: &[LinkedValue<'_>], input: usize, read: &PixelRead<'_>) -> Result<Interpolant, PixelLinkError> {
    let flat = read.at.is_none() || read.value.is_index();
    let interpolant = |source| Interpolant { source, flat, half: read.half, point_coordinate: false };
    if read.value == LinkedValue::PointCoordinate {
        if input >= POINT_COORDINATES as usize {
            return Err(PixelLinkError::PointCoordinate { input });
        }
        return Ok(Interpolant { flat: false, point_coordinate: true, ..interpolant(InterpolantSource::Zeros) });
    }
    // Below 32.
    let written = writes.iter().position(|value| *value == read.value).map(|slot| InterpolantSource::Parameter(slot as u8));
    let zero = matches!(read.value, LinkedValue::Layer | LinkedValue::ViewportIndex).then_some(InterpolantSource::Zeros);
    match written.or(read.default_value).or(zero) {
        Some(source) => Ok(interpolant(source)),
        None => Err(PixelLinkError::NotWritten { input, value: read.value.to_string() }),
    }
}
