//! An image in memory.

use crate::layout::SurfaceLayout;

/// An image in memory: its layout and its address.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::PlacedImage;
/// use pm4::layout::{Element, SurfaceDesc, SurfaceLayout};
/// let layout = SurfaceLayout::new(Chip::Navi31, &SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(4)) })?;
/// let image = PlacedImage::new(&layout, 0x10_0000);
/// assert_eq!(image.fill_word(&[1, 2, 3, 4]), Some(0x0403_0201)); // a clear that is a fill
/// assert_eq!(image.fill_word(&[1, 2]), None); // an element has 4 bytes
/// # Ok::<(), pm4::layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedImage<'l> {
    /// The layout.
    pub layout: &'l SurfaceLayout,
    /// Address of the first byte: a multiple of the layout's [`align`](SurfaceLayout::align), below 2^48.
    pub address: u64,
}

impl<'l> PlacedImage<'l> {
    /// Creates the image of a layout at an address.
    pub const fn new(layout: &'l SurfaceLayout, address: u64) -> Self {
        Self { layout, address }
    }

    /// Returns the dword that fills the first plane if every element of the image is set to these bytes, in memory order. None if the bytes are not one
    /// element, or if an element is longer than a dword and its dwords differ; such a clear needs a program.
    pub fn fill_word(&self, element: &[u8]) -> Option<u32> {
        let bytes = self.layout.plane.element_bytes as usize;
        (element.len() == bytes).then(|| repeated(element)).flatten()
    }
}

/// Returns the dword whose repetition equals the repetition of these bytes.
fn repeated(element: &[u8]) -> Option<u32> {
    let byte = |at: usize| element.get(at % element.len().max(1)).copied().unwrap_or(0);
    let word = u32::from_le_bytes([0, 1, 2, 3].map(byte));
    let same = (0..element.len()).all(|at| byte(at) == byte(at % 4));
    (same && !element.is_empty() && (element.len().is_multiple_of(4) || 4usize.is_multiple_of(element.len()))).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn elements_that_repeat_in_a_dword_fill() {
        assert_eq!(repeated(&[7]), Some(0x0707_0707));
        assert_eq!(repeated(&[1, 2]), Some(0x0201_0201));
        assert_eq!(repeated(&[1, 2, 3, 4]), Some(0x0403_0201));
        assert_eq!(repeated(&[1, 2, 3, 4, 1, 2, 3, 4]), Some(0x0403_0201));
        assert_eq!(repeated(&[0; 12]), Some(0));
        assert_eq!(repeated(&[1, 2, 3, 4, 1, 2, 3, 5]), None);
        assert_eq!(repeated(&[1, 1, 1]), None);
        assert_eq!(repeated(&[]), None);
    }
}
