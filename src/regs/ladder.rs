//! `on_gfx!`: a `match` over generations in which each arm uses the types of its generation.

/// Runs one of several bodies depending on the generation; `$regs` stands for the register module of that generation.
///
/// Each arm names generations, or families ([`Family`](crate::chip::Family)) such as `Gfx10x`: `{ Gfx9 | Gfx10x => body, … }`. Together the arms name each
/// generation exactly once. The body of an arm is compiled once per name. For a family, `$regs` contains only what is identical on all generations of the
/// family, including the slots. A single body without arms is compiled for all four families. If that body uses an item that the generations of a family do not
/// share, the compiler reports an error; `each` before the generation then compiles the body once for each of the six generations.
///
/// The table `generations!` defines what each name stands for. Arms of generations that are compiled out disappear (build.rs sets a cfg with each name).
/// `packet` or `descriptors` before the generation selects the module of its packets or descriptors.
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
                    #[allow(unused_imports)] // not every arm needs a register of its generation
                    use $crate::regs::by_name::$from::$generation as $regs;
                    $body
                }
            )+)+
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/generations.rs"));
