//! Values passed between stages, by number.
//!
//! An item in LDS takes four dwords per value, and one more if there is any value, so that neighbours are in different banks (Mesa 25.0.7
//! radv_get_legacy_gs_info).

use crate::draw::desc::Interpolant;
use alloc::vec::Vec;

/// Values of four dwords that one stage writes and the next one reads, by their numbers (locations of the API). Values that are not read take no space.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, GeometryStage, PipelineDesc, PixelInput, PixelInputs, PixelShader, StageLink, VertexStage};
///
/// // The vertex shader writes values 0, 1 and 4; the geometry shader reads 4 and 0, and writes 2 and 5 for the pixel shader.
/// let into_geometry = StageLink::new(&[0, 1, 4], &[4, 0])?;
/// let into_pixel = StageLink::new(&[2, 5], &[5, 2])?;
/// let inputs = PixelInputs { interpolants: into_pixel.interpolants(&[5, 2])?, loads: PixelInput::PerspCenter.into(), ..PixelInputs::default() };
/// let draw = DrawDesc::from(PipelineDesc {
///     geometry: Some(GeometryStage { input_dwords: into_geometry.item_dwords(), ..GeometryStage::default() }),
///     vertex: VertexStage { parameters: into_pixel.len(), ..VertexStage::default() },
///     shader: Some(PixelShader { inputs, ..PixelShader::default() }),
///     ..PipelineDesc::default()
/// });
/// assert_eq!((into_geometry.item_dwords(), into_geometry.place(4)), (9, Some(1)));
/// // attr0 of the pixel shader is value 5, which is parameter 1.
/// assert_eq!(draw.resolve(Chip::Navi31)?.image.get(0x28644).map(|word| word & 0x1F), Some(1)); // SPI_PS_INPUT_CNTL_0.OFFSET
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct StageLink {
    /// Ascending.
    numbers: Vec<u32>,
}

/// Why stages do not link.
///
/// ```
/// use pm4::draw::{LinkError, StageLink};
/// let error = StageLink::new(&[0, 1], &[1, 2]).unwrap_err();
/// assert_eq!(error, LinkError::NotWritten { number: 2 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A value that is read but not written.
    #[error("value {number} is read, and the previous stage does not write it: write it there, or take a constant (InterpolantSource)")]
    NotWritten {
        /// Its number.
        number: u32,
    },
    /// A value that occurs twice in a list.
    #[error("value {number} is {verb} twice: each value has one number")]
    Duplicate {
        /// Its number.
        number: u32,
        /// `written` or `read`.
        verb: &'static str,
    },
    /// More values than there are parameters.
    #[error("{count} values go from one stage to the next: at most 32 are possible")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// The most values between stages: parameters of the last stage before rasterization.
const MOST: usize = 32;

/// Returns the number that is in a list more than once.
fn twice(numbers: &[u32]) -> Option<u32> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find_map(|pair| (pair.first() == pair.last()).then(|| pair.first().copied()).flatten())
}

impl StageLink {
    /// Links the values that one stage writes with those that the next stage reads. Values are placed in the order of their numbers.
    ///
    /// # Errors
    /// [`LinkError`]: for a value that is read but not written, a value that occurs twice in a list, or more than 32 values.
    pub fn new(writes: &[u32], reads: &[u32]) -> Result<Self, LinkError> {
        if reads.len() > MOST {
            return Err(LinkError::TooMany { count: reads.len() });
        }
        for (list, verb) in [(writes, "written"), (reads, "read")] {
            if let Some(number) = twice(list) {
                return Err(LinkError::Duplicate { number, verb });
            }
        }
        if let Some(number) = reads.iter().find(|number| !writes.contains(number)) {
            return Err(LinkError::NotWritten { number: *number });
        }
        let mut numbers = reads.to_vec();
        numbers.sort_unstable();
        Ok(Self { numbers })
    }

    /// Returns the number of values, which is the number of parameters that the last stage before rasterization exports.
    pub fn len(&self) -> u32 {
        // At most 32.
        self.numbers.len() as u32
    }

    /// Returns whether no value is passed.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the position of a value among the passed values; None for a value that is not read.
    pub fn place(&self, number: u32) -> Option<u32> {
        self.numbers.iter().position(|other| *other == number).map(|place| place as u32)
    }

    /// Returns the bytes of a vertex or control point that holds the values, without gaps: LDS of a control point, and its part in off-chip memory.
    pub fn bytes(&self) -> u32 {
        16 * self.len()
    }

    /// Returns the dwords of a vertex in LDS between a vertex or evaluation shader and a geometry shader
    /// ([`GeometryStage::input_dwords`](crate::draw::GeometryStage::input_dwords)).
    pub fn item_dwords(&self) -> u32 {
        4 * self.len() + u32::from(!self.is_empty())
    }

    /// Returns the interpolants of a pixel shader that reads these values as attr0, attr1 and so on.
    ///
    /// # Errors
    /// [`LinkError::NotWritten`] for a value that is not in the link.
    pub fn interpolants(&self, reads: &[u32]) -> Result<Vec<Interpolant>, LinkError> {
        // Below 32.
        let interpolant = |number: &u32| self.place(*number).map(|place| Interpolant::parameter(place as u8)).ok_or(LinkError::NotWritten { number: *number });
        reads.iter().map(interpolant).collect()
    }
}
