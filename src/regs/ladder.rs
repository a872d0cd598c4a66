//! `on_gfx!`: a `match` over generations whose arms use that generation's own types.

/// Runs one of several bodies by generation, with `$regs` standing for that generation's register module.
///
/// Two forms: one body for all generations, or arms `{ Gfx9 | Gfx10 => body, … }` that together name each generation once. `Gfx10x` and `Gfx11x` name
/// two: the body is compiled once for both, and `$regs` has only what is the same on both, to the slot. The one body is compiled so; where it needs more, which is
/// an error of the compiler, `each` before the generation compiles it for each.
/// Arms of generations that are compiled out disappear: build.rs sets a configuration option with the variant's name for each generation whose feature is on.
/// With `packet` or `descriptors` before the generation the module is that of its packets or descriptors.
macro_rules! on_gfx {
    ($gfx:expr, $regs:ident => { $($($generation:ident)|+ => $body:expr),+ $(,)? }) => {
        on_gfx!(@match ($gfx) regs $regs $({ $($generation)+ => $body })+)
    };
    (packet $gfx:expr, $regs:ident => { $($($generation:ident)|+ => $body:expr),+ $(,)? }) => {
        on_gfx!(@match ($gfx) packet $regs $({ $($generation)+ => $body })+)
    };
    (descriptors $gfx:expr, $regs:ident => { $($($generation:ident)|+ => $body:expr),+ $(,)? }) => {
        on_gfx!(@match ($gfx) descriptors $regs $({ $($generation)+ => $body })+)
    };
    (each $gfx:expr, $regs:ident => $body:expr) => {
        on_gfx!(@match ($gfx) regs $regs { Gfx9 Gfx10 Gfx103 Gfx11 Gfx115 Gfx12 => $body })
    };
    ($gfx:expr, $regs:ident => $body:expr) => {
        on_gfx!(@match ($gfx) regs $regs { Gfx9 Gfx10x Gfx11x Gfx12 => $body })
    };
    (@match ($gfx:expr) $from:ident $regs:ident $({ $($generation:ident)+ => $body:expr })+) => {
        match $gfx {
            $($(
                #[cfg($generation)]
                variants!($generation) => {
                    #[allow(unused_imports)] // an arm may need no register of its generation
                    use $crate::regs::by_variant::$from::$generation as $regs;
                    $body
                }
            )+)+
        }
    };
}

/// The pattern of the variants of `Gfx` that a name of `on_gfx!` stands for.
macro_rules! variants {
    (Gfx10x) => {
        gfx10_or_103!()
    };
    (Gfx11x) => {
        gfx11_or_115!()
    };
    ($generation:ident) => {
        $crate::chip::Gfx::$generation
    };
}

/// A macro that stands for one or for both of two variants, those that are compiled in.
macro_rules! either {
    ($name:ident $one:ident $other:ident) => {
        #[cfg(all($one, $other))]
        #[allow(unused_macros, reason = "draws alone ask for it")]
        macro_rules! $name {
            () => {
                $crate::chip::Gfx::$one | $crate::chip::Gfx::$other
            };
        }
        #[cfg(all($one, not($other)))]
        #[allow(unused_macros, reason = "draws alone ask for it")]
        macro_rules! $name {
            () => {
                $crate::chip::Gfx::$one
            };
        }
        #[cfg(all($other, not($one)))]
        #[allow(unused_macros, reason = "draws alone ask for it")]
        macro_rules! $name {
            () => {
                $crate::chip::Gfx::$other
            };
        }
    };
}
either!(gfx10_or_103 Gfx10 Gfx103);
either!(gfx11_or_115 Gfx11 Gfx115);

/// The modules of the generations under the names of their variants, for `on_gfx!`.
pub(crate) mod by_variant {
    macro_rules! modules {
        ($($from:ident { $($more:item)* })+) => {
            $(pub(crate) mod $from {
                $($more)*
                #[cfg(Gfx10)]
                pub(crate) use crate::$from::gfx10 as Gfx10;
                #[cfg(Gfx103)]
                pub(crate) use crate::$from::gfx103 as Gfx103;
                #[cfg(Gfx11)]
                pub(crate) use crate::$from::gfx11 as Gfx11;
                #[cfg(Gfx115)]
                pub(crate) use crate::$from::gfx115 as Gfx115;
                #[cfg(Gfx12)]
                pub(crate) use crate::$from::gfx12 as Gfx12;
                #[cfg(Gfx9)]
                pub(crate) use crate::$from::gfx9 as Gfx9;
            })+
        };
    }
    modules! {
        regs {
            #[cfg(Gfx10x)]
            pub(crate) use crate::regs::gfx10x as Gfx10x;
            #[cfg(Gfx11x)]
            pub(crate) use crate::regs::gfx11x as Gfx11x;
        }
        packet {}
        descriptors {}
    }
}
