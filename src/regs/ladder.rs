//! `on_gfx!`: a `match` over generations whose arms use that generation's own types.

/// Runs one of several bodies by generation, with `$regs` standing for that generation's register module.
///
/// Each arm names generations, or families ([`Family`](crate::chip::Family)) such as `Gfx10x`: `{ Gfx9 | Gfx10x => body, … }`; all arms together name each
/// generation once. The body of an arm is compiled once for each of its names. For a family, `$regs` has only what is the same on all of its generations, to the
/// slot. One body without arms is that of all four families; where it needs more, which is an error of the compiler, `each` before the generation compiles it for
/// each of the six generations.
///
/// The table `generations!` says what each name stands for; arms of what is compiled out disappear (build.rs sets a configuration option with each name).
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
                generations!($generation) => {
                    #[allow(unused_imports)] // an arm may need no register of its generation
                    use $crate::regs::by_name::$from::$generation as $regs;
                    $body
                }
            )+)+
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/generations.rs"));
