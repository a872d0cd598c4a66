//! Clears of only depth or only stencil of an image that has both: in HTILE shared by both, only the bits of one change.

use crate::descriptors::BufferDesc;
use crate::draw::desc::{DepthTarget, Grid, PlacedImage};
use crate::draw::programs::{ImageProgram, ImagePrograms, MASK_ROW_LOG2};
use crate::draw::record::error::RecordError;
use crate::draw::record::image_copies::refused;
use crate::draw::record::images::{DepthClearWay, Fill, depth_clear, depth_word, metadata};
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, MetadataFill, Order};
use crate::packet::Buffer;
use alloc::vec::Vec;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// An aspect of a depth and stencil image.
///
/// For an example see [`Recorder::clear_aspect`](crate::draw::Recorder::clear_aspect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DepthAspect {
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

impl DepthAspect {
    /// Returns the aspect's bits in an HTILE word for both: the results of stencil tests and the stencil compression are bits 4 to 9, between the state of
    /// depth and
    /// its range (derived from RADV's fill words for HTILE; unverified: no source states it).
    const fn htile_bits(self) -> u32 {
        match self {
            Self::Depth => 0xFFFF_FC0F,
            Self::Stencil => 0x0000_03F0,
        }
    }
}

impl<B: Buffer> Recorder<B> {
    /// Clears only depth or only stencil, all its levels, layers and samples, to the value of the target ([`DepthTarget::clear`]; the other value remains that
    /// of
    /// the image). Like [`clear_depth`](Self::clear_depth), it uses HTILE if HTILE can represent the result, or else memory. A program changes only the
    /// aspect's
    /// bits of HTILE, so the other aspect stays compressed and known. These bits are derived from RADV's fill words for HTILE and are unverified: no source
    /// of this crate states them.
    ///
    /// # Errors
    /// Those of [`clear_depth`](Self::clear_depth); [`RecordError::Image`] for an aspect that the image does not have, for HTILE that holds shading rates, and for
    /// programs of another chip; [`RecordError::ComputeNotBegun`] before the preamble of dispatches.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::draw::{DepthAspect, DepthClear, DepthFormat, DepthTarget, ImagePrograms, PlacedImage, Recorder};
    /// use pm4::layout::{DepthUsage, Element, SurfaceDesc, SurfaceLayout, Usage};
    /// let usage = Usage::Depth(DepthUsage { stencil: true, ..DepthUsage::default() });
    /// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 1920, height: 1080, usage, ..SurfaceDesc::new(Element::texel(4)) })?;
    /// let image = PlacedImage::new(&layout, 0x100_0000);
    /// let clear = Some(DepthClear { depth: 1.0, stencil: 0 });
    /// let target = DepthTarget { clear, ..DepthTarget::of_layout(&layout, DepthFormat::D32s8, image.address, 0) };
    /// let programs = ImagePrograms::new(Chip::Navi31, 0x1_0000)?;
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// recorder.clear_aspect(&programs, image, &target, DepthAspect::Stencil, Order::between(Access::DepthWrite, Access::DepthWrite))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear_aspect(
        &mut self,
        programs: &ImagePrograms,
        image: PlacedImage<'_>,
        target: &DepthTarget,
        aspect: DepthAspect,
        order: Order,
    ) -> Result<(), RecordError> {
        let (what, layout) = ("a clear of an aspect", image.layout);
        let (clear, stencil_alone) = depth_clear(what, layout, target)?;
        let has = match aspect {
            DepthAspect::Depth => !stencil_alone,
            DepthAspect::Stencil => target.format.has_stencil(),
        };
        if !has {
            return Err(refused(what, "the image does not have the aspect"));
        }
        let Some(plane) = layout.stencil.as_ref().filter(|_| !stencil_alone) else { return self.clear_depth(image, target, order) };
        let htile = target.htile.filter(|htile| aspect == DepthAspect::Depth || htile.stencil);
        if htile.is_some_and(|htile| htile.rates) {
            return Err(refused(what, "no source states the layout of HTILE with shading rates: clear both aspects"));
        }
        let by_htile = htile.is_some() && DepthClearWay::of(layout, target, clear) == DepthClearWay::Htile;
        let mut fills = Vec::new();
        if !by_htile {
            fills.push(match aspect {
                DepthAspect::Depth => Fill { addr: image.address, bytes: layout.plane.size, word: depth_word(target.format, clear.depth) },
                DepthAspect::Stencil => Fill { addr: image.address + plane.offset, bytes: plane.plane.size, word: u32::from(clear.stencil) * 0x0101_0101 },
            });
        }
        let mut masked = Vec::new();
        if let Some(htile) = htile {
            let word = if by_htile { htile.cleared(clear) } else { htile.expanded() };
            let all = metadata(&image, &[MetadataFill::Htile], |_| word);
            if htile.stencil { masked = all } else { fills.extend(all) }
        }
        self.all_or_nothing(|recorder| {
            if !fills.is_empty() {
                recorder.fill_all(what, &image, &fills, order)?;
            }
            masked.iter().try_for_each(|fill| recorder.fill_bits(what, programs, *fill, aspect.htile_bits(), order))
        })
    }

    /// Fills these bits of each dword.
    fn fill_bits(&mut self, what: &'static str, programs: &ImagePrograms, fill: Fill, bits: u32, order: Order) -> Result<(), RecordError> {
        let Fill { addr, bytes, word } = fill;
        let bytes = u32::try_from(bytes).map_err(|_| refused(what, "its metadata is larger than 4 GiB"))?;
        let mut user = [0; 16];
        user[..4].copy_from_slice(&BufferDesc::raw(addr, bytes).words(self.chip)?);
        (user[4], user[5]) = (!bits, word & bits);
        // Threads beyond the end do nothing: the buffer ends there.
        let rows = (bytes / 4).div_ceil(1 << MASK_ROW_LOG2);
        let dispatch = self.program(what, programs, ImageProgram::Mask, &user, ([8, 8, 1], Grid::Threads([1 << MASK_ROW_LOG2, rows, 1])))?;
        let own = Access::ComputeRead | Access::ComputeWrite;
        self.apart(|recorder| recorder.ordered_compressed(order, own, |recorder| recorder.dispatch(&dispatch)))
    }
}
