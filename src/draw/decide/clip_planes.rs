//! User clip planes: planes that hardware clips against, in the place of clip distances that a program exports.
//!
//! Addresses and fields: register descriptions of Mesa 25.0.7. Vulkan drivers use only clip distances, so no capture has planes.

use crate::draw::check::inputs::Inputs;
use crate::draw::desc::DrawError;
use crate::draw::desc::raster::Bits;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Planes in clip space: a vertex (x, y, z, w) is inside where a x + b y + c z + d w is not negative.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ClipPlanes, DrawDesc, PipelineDesc, Raster};
/// let mut planes = [None; 6];
/// planes[0] = Some([1.0, 0.0, 0.0, 0.0]); // what is to the left of the middle goes
/// let raster = Raster { clip_planes: Some(ClipPlanes { planes, cull_only: false }), ..Raster::default() };
/// DrawDesc::from(PipelineDesc { raster, ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ClipPlanes {
    /// Up to six planes: a, b, c and d. None for one that does not clip.
    pub planes: [Option<[f32; 4]>; 6],
    /// Planes drop whole primitives outside, and clip none.
    pub cull_only: bool,
}

impl ClipPlanes {
    fn bits(&self) -> ([Option<[u32; 4]>; 6], bool) {
        (self.planes.map(|plane| plane.map(|plane| plane.bits())), self.cull_only)
    }

    pub(crate) fn check(&self) -> Result<(), DrawError> {
        match self.planes.iter().flatten().flatten().find(|number| !number.is_finite()) {
            Some(number) => Err(DrawError::Float { what: "a number of a clip plane", bits: number.to_bits(), limit: "a finite number" }),
            None => Ok(()),
        }
    }
}

impl PartialEq for ClipPlanes {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for ClipPlanes {}

impl core::hash::Hash for ClipPlanes {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

/// One bit per plane that clips.
pub(crate) fn enabled(inputs: &Inputs<'_>) -> u32 {
    let planes = inputs.desc.raster.clip_planes.map_or([None; 6], |clip| clip.planes);
    planes.iter().enumerate().filter(|(_, plane)| plane.is_some()).fold(0, |all, (at, _)| all | 1 << at)
}

/// Adds PA_CL_UCP_n_X to W of the planes that clip; PA_CL_CLIP_CNTL says which do.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let Some(clip) = inputs.desc.raster.clip_planes else { return };
    let rule = "a number of the clip plane";
    for (index, [a, b, c, d]) in (0u32..).zip(clip.planes).filter_map(|(index, plane)| Some((index, plane?.map(f32::to_bits)))) {
        on_gfx!(inputs.gfx, r => {
            sheet.add(Word::element(On::<r::PaClUcpX, { r::GFX }>::PLACE, index).map(|w| w.whole(a, rule)));
            sheet.add(Word::element(On::<r::PaClUcpY, { r::GFX }>::PLACE, index).map(|w| w.whole(b, rule)));
            sheet.add(Word::element(On::<r::PaClUcpZ, { r::GFX }>::PLACE, index).map(|w| w.whole(c, rule)));
            sheet.add(Word::element(On::<r::PaClUcpW, { r::GFX }>::PLACE, index).map(|w| w.whole(d, rule)));
        });
    }
}
