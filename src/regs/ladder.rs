//! `on_gfx!`: a `match` over generations whose arms use that generation's own types.

/// Runs one of several bodies by generation, with `$regs` standing for that generation's register module.
///
/// Two forms: one body for all generations, or arms `{ Gfx9 | Gfx10 => body, … }` that together name each generation once.
/// Arms of generations that are compiled out disappear. With `packet` or `descriptors` before the generation the module is that of its packets or descriptors.
macro_rules! on_gfx {
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*]) => { match $gfx { $($done)* } };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [] ($body:expr) $($rest:tt)*) => { on_gfx!(@next ($gfx) $from $regs [$($done)*] $($rest)*) };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [Gfx9 $($more:ident)*] $($rest:tt)*) => { on_gfx!(@arm ($gfx) $from $regs [$($done)*] "gfx9" Gfx9 gfx9 [$($more)*] $($rest)*) };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [Gfx10 $($more:ident)*] $($rest:tt)*) => { on_gfx!(@arm ($gfx) $from $regs [$($done)*] "gfx10" Gfx10 gfx10 [$($more)*] $($rest)*) };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [Gfx103 $($more:ident)*] $($rest:tt)*) => { on_gfx!(@arm ($gfx) $from $regs [$($done)*] "gfx103" Gfx103 gfx103 [$($more)*] $($rest)*) };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [Gfx11 $($more:ident)*] $($rest:tt)*) => { on_gfx!(@arm ($gfx) $from $regs [$($done)*] "gfx11" Gfx11 gfx11 [$($more)*] $($rest)*) };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [Gfx115 $($more:ident)*] $($rest:tt)*) => { on_gfx!(@arm ($gfx) $from $regs [$($done)*] "gfx115" Gfx115 gfx115 [$($more)*] $($rest)*) };
    (@next ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] [Gfx12 $($more:ident)*] $($rest:tt)*) => { on_gfx!(@arm ($gfx) $from $regs [$($done)*] "gfx12" Gfx12 gfx12 [$($more)*] $($rest)*) };
    (@arm ($gfx:expr) $from:ident $regs:ident [$($done:tt)*] $feature:literal $variant:ident $module:ident [$($more:ident)*] ($body:expr) $($rest:tt)*) => {
        on_gfx!(@next ($gfx) $from $regs [
            $($done)*
            #[cfg(feature = $feature)]
            $crate::chip::Gfx::$variant => {
                #[allow(unused_imports)] // an arm may need no register of its generation
                use $crate::$from::$module as $regs;
                $body
            }
        ] [$($more)*] ($body) $($rest)*)
    };
    ($gfx:expr, $regs:ident => { $($($generation:ident)|+ => $body:expr),+ $(,)? }) => {
        on_gfx!(@next ($gfx) regs $regs [] $([$($generation)+] ($body))+)
    };
    (packet $gfx:expr, $regs:ident => { $($($generation:ident)|+ => $body:expr),+ $(,)? }) => {
        on_gfx!(@next ($gfx) packet $regs [] $([$($generation)+] ($body))+)
    };
    (descriptors $gfx:expr, $regs:ident => { $($($generation:ident)|+ => $body:expr),+ $(,)? }) => {
        on_gfx!(@next ($gfx) descriptors $regs [] $([$($generation)+] ($body))+)
    };
    ($gfx:expr, $regs:ident => $body:expr) => {
        on_gfx!($gfx, $regs => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => $body })
    };
}
