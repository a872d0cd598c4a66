//! Equality and hashing of floats by their bits, so that descriptions with floats can be keys.

/// A number that is compared and hashed by its bits.
pub(crate) trait Bits {
    type Of: Eq + core::hash::Hash;

    fn bits(&self) -> Self::Of;
}

impl Bits for Option<(f32, f32)> {
    type Of = Option<(u32, u32)>;

    fn bits(&self) -> Self::Of {
        self.map(|(a, b)| (a.to_bits(), b.to_bits()))
    }
}

impl Bits for Option<f32> {
    type Of = Option<u32>;

    fn bits(&self) -> Self::Of {
        self.map(f32::to_bits)
    }
}

impl<const N: usize> Bits for [f32; N] {
    type Of = [u32; N];

    fn bits(&self) -> [u32; N] {
        self.map(f32::to_bits)
    }
}

impl Bits for f32 {
    type Of = u32;

    fn bits(&self) -> u32 {
        self.to_bits()
    }
}

/// Implements PartialEq, Eq and Hash for a struct with float fields, which are compared by their bits: 0 and -0 differ, and NaN equals itself. Omitting a field
/// is a compile error.
macro_rules! equal_by_bits {
    ($name:ident { $($plain:ident,)* } floats { $($float:ident,)* }) => {
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                use $crate::draw::desc::bits::Bits;
                let Self { $($plain,)* $($float,)* } = self;
                true $(&& *$plain == other.$plain)* $(&& $float.bits() == other.$float.bits())*
            }
        }

        impl Eq for $name {}

        impl core::hash::Hash for $name {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                use $crate::draw::desc::bits::Bits;
                let Self { $($plain,)* $($float,)* } = self;
                $($plain.hash(state);)*
                $($float.bits().hash(state);)*
            }
        }
    };
}

pub(crate) use equal_by_bits;
