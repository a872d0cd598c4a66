//! Why each field of a register has its value.

use crate::chip::Gfx;
use crate::regs;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Why a field has its value: the rule or the erratum that set it last.
///
/// For an example see [`Reasons`](crate::draw::Reasons).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reason {
    /// The register; an element of an array by its own name (CB_COLOR1_INFO).
    pub register: Cow<'static, str>,
    /// Its byte address.
    pub addr: u32,
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: u32,
    /// The rule in words.
    pub rule: Cow<'static, str>,
}

/// Why the fields of a draw's or dispatch's registers have their values.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, Reason, TargetBlend, TargetImage, TargetsDesc};
/// let draw = DrawDesc {
///     pipeline: PipelineDesc { blends: vec![TargetBlend::default(); 2], ..PipelineDesc::default() },
///     targets: TargetsDesc { color: vec![TargetImage::default(); 2], ..TargetsDesc::default() },
///     ..DrawDesc::default()
/// };
/// let reasons = draw.explain(Chip::Navi31)?;
/// assert_eq!(reasons.why("CB_COLOR1_INFO", "FORMAT").unwrap().rule, "channels of the target's format");
/// for Reason { register, field, value, rule, .. } in reasons.iter() {
///     println!("{register}.{field} = {value}: {rule}");
/// }
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reasons {
    pub(crate) gfx: Gfx,
    pub(crate) all: Vec<Reason>,
}

impl Reasons {
    /// Every decision, sorted by address; those of one register in the order in which they were made.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Reason> {
        self.all.iter()
    }

    /// Why a field has its value; a register or an element of an array, by any of its names.
    pub fn why(&self, register: &str, field: &str) -> Option<&Reason> {
        let addr = regs::find(self.gfx, register)?.addr();
        self.all.iter().find(|r| r.addr == addr && r.field == field)
    }
}

/// A rule in words, which are made only where they are kept: a text, or a function that makes one.
pub(crate) trait RuleText {
    fn words(self) -> Cow<'static, str>;
}
