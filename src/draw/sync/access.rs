//! Kinds of memory access that barriers order, each with the stage that makes it.

use core::fmt;
use core::ops::{BitOr, BitOrAssign};
use strum::{Display, EnumIter, EnumString, IntoEnumIterator, IntoStaticStr};

/// A kind of memory access, distinguished by the stage that makes it and the caches that it uses.
///
/// For an example see [`Barrier`](crate::draw::sync::Barrier).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Access {
    /// Arguments and counts of indirect draws and dispatches, and predicates ([`set_predication`](crate::draw::Recorder::set_predication)), read by PFP.
    IndirectRead,
    /// Index data, fetched for the front end.
    IndexRead,
    /// Images and buffers read by vertex work.
    VertexRead,
    /// Buffers written by vertex work.
    VertexWrite,
    /// Images and buffers read by pixel shaders.
    PixelRead,
    /// Images and buffers written by pixel shaders, including ordered sections.
    PixelWrite,
    /// Images and buffers read by compute shaders.
    ComputeRead,
    /// Images and buffers written by compute shaders.
    ComputeWrite,
    /// Scalar loads of any stage: constants, descriptors.
    ConstantRead,
    /// Shader code, by any stage.
    CodeRead,
    /// Colour targets read, by blending.
    ColorRead,
    /// Colour targets written.
    ColorWrite,
    /// Depth and stencil tests.
    DepthRead,
    /// Depth and stencil written.
    DepthWrite,
    /// Source of a copy by the command processor's DMA engine.
    CopyRead,
    /// Target of a copy by the command processor's DMA engine.
    CopyWrite,
    /// Memory written by packets themselves (WRITE_DATA, ATOMIC_MEM).
    CommandWrite,
    /// Memory written by events and at the end of the pipe: counts of queries, time stamps ([`sample_occlusion`](crate::draw::Recorder::sample_occlusion),
    /// [`write_timestamp`](crate::draw::Recorder::write_timestamp)).
    QueryWrite,
    /// Read by the CPU, after it has waited for a fence.
    HostRead,
    /// Written by the CPU, before the submission or before a wait in it was satisfied.
    HostWrite,
}

impl Access {
    /// Returns whether the access changes memory.
    pub fn writes(self) -> bool {
        use Access::*;
        matches!(self, VertexWrite | PixelWrite | ComputeWrite | ColorWrite | DepthWrite | CopyWrite | CommandWrite | QueryWrite | HostWrite)
    }

    /// Returns whether only graphics queues perform the access.
    pub fn is_graphics(self) -> bool {
        use Access::*;
        matches!(self, IndexRead | VertexRead | VertexWrite | PixelRead | PixelWrite | ColorRead | ColorWrite | DepthRead | DepthWrite)
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of accesses.
///
/// ```
/// use pm4::draw::sync::{Access, AccessSet};
/// let set = Access::ColorWrite | Access::DepthWrite;
/// assert!(set.has(Access::DepthWrite) && !set.has(Access::PixelRead));
/// assert_eq!(set.to_string(), "color-write, depth-write");
/// assert_eq!(AccessSet::NONE.to_string(), "nothing");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AccessSet(u32);

impl AccessSet {
    /// No access.
    pub const NONE: Self = Self(0);

    /// One bit per access.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether the set contains this access.
    pub fn has(self, access: Access) -> bool {
        self.0 & access.bit() != 0
    }

    /// Returns whether the sets share an access.
    pub fn intersects(self, other: impl Into<Self>) -> bool {
        self.0 & other.into().0 != 0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the accesses of the set.
    pub fn iter(self) -> impl Iterator<Item = Access> {
        Access::iter().filter(move |&access| self.has(access))
    }

    /// Returns whether some access of the set changes memory.
    pub fn writes(self) -> bool {
        self.iter().any(Access::writes)
    }
}

impl From<Access> for AccessSet {
    fn from(access: Access) -> Self {
        Self(access.bit())
    }
}

impl FromIterator<Access> for AccessSet {
    fn from_iter<I: IntoIterator<Item = Access>>(accesses: I) -> Self {
        accesses.into_iter().fold(Self::NONE, |set, access| set | access)
    }
}

impl<A: Into<Self>> BitOr<A> for AccessSet {
    type Output = Self;
    fn bitor(self, other: A) -> Self {
        Self(self.0 | other.into().0)
    }
}

impl<A: Into<Self>> BitOrAssign<A> for AccessSet {
    fn bitor_assign(&mut self, other: A) {
        *self = *self | other;
    }
}

impl<A: Into<AccessSet>> BitOr<A> for Access {
    type Output = AccessSet;
    fn bitor(self, other: A) -> AccessSet {
        AccessSet::from(self) | other
    }
}

impl fmt::Display for AccessSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut members = self.iter();
        match members.next() {
            None => f.write_str("nothing"),
            Some(first) => {
                write!(f, "{first}")?;
                members.try_for_each(|access| write!(f, ", {access}"))
            }
        }
    }
}

/// The intent of a barrier: these accesses must end before those may start. The packets of a generation follow from it.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::sync::{Access, Barrier, Caches, Plan, Step, SyncAction, WaitStage};
/// use pm4::packet::Queue;
///
/// let barrier = Barrier::new(Access::ColorWrite | Access::DepthWrite, Access::PixelRead);
/// let plan = Plan::new(Chip::Navi31, Queue::Graphics, &barrier)?;
/// for Step { action, why } in &plan.steps {
///     println!("{}: {}", action.describe(Chip::Navi31.gfx()), why.join("; "));
/// }
/// assert!(matches!(plan.steps[0].action, SyncAction::Release { caches: Caches { vector: true, .. }, fence: false, .. })); // a pixel wait sync instead of a fence
/// assert!(matches!(plan.steps[1].action, SyncAction::AcquireSync { stage: WaitStage::Depth, .. })); // vertex work runs on
/// # Ok::<(), pm4::draw::sync::SyncError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Barrier {
    /// Accesses before the barrier. [`AccessSet::NONE`]: memory was written by work for which this queue need not wait, for example work of another queue for
    /// which it has already waited. Writes of the CPU must be named even then ([`Access::HostWrite`]).
    pub from: AccessSet,
    /// Accesses after the barrier.
    pub to: AccessSet,
    /// Whether targets among the accessed memory have DCC, CMASK, FMASK or HTILE: [`TargetImage::compression`](crate::draw::TargetImage::compression) or
    /// [`DepthTarget::htile`](crate::draw::DepthTarget::htile) is set.
    pub compressed: bool,
    /// Whether shaders read the same L2 lines that colour and depth blocks write. This depends on the memory channels of the board (Mesa 25.0.7
    /// tcc_rb_non_coherent; captures: L2 is flushed on Navi31, not on Navi10, Navi21, Vega10). False flushes L2, which is always correct.
    pub coherent_l2: bool,
}

impl Barrier {
    /// Creates a barrier for uncompressed memory on an unknown board.
    pub fn new(from: impl Into<AccessSet>, to: impl Into<AccessSet>) -> Self {
        Self { from: from.into(), to: to.into(), compressed: false, coherent_l2: false }
    }
}

/// The order of a memory operation among accesses to the same memory: after some, before others.
///
/// For an example see [`Recorder::fill_buffer`](crate::draw::Recorder::fill_buffer).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// Accesses that must end before the operation, and whose writes it sees. [`AccessSet::NONE`]: there are none, or a barrier has ordered them.
    pub after: AccessSet,
    /// Accesses that see the results of the operation. [`AccessSet::NONE`]: a later barrier orders them; the operation itself has ended in any case.
    pub before: AccessSet,
}

impl Order {
    /// Returns the order after some accesses and before others.
    pub fn between(after: impl Into<AccessSet>, before: impl Into<AccessSet>) -> Self {
        Self { after: after.into(), before: before.into() }
    }
}
