//! `for_gfx!`: one body for the packets and registers of all generations.

/// Compiles a body for each generation that this crate is built with, and runs the one for `gfx`. Two names stand for the modules of the generation's typed
/// registers and packets. Use it for code that writes packets or registers by hand and is the same on all generations except for their types. Fields and
/// registers that one of the generations lacks do not compile.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Queue, Stream, WriteError};
/// use strum::IntoEnumIterator;
///
/// /// Draws with a different depth bound, on any generation.
/// fn draw(stream: &mut Stream, bound: f32) -> Result<(), WriteError> {
///     pm4::for_gfx!(stream.gfx(), (regs, packet) => {
///         stream.set(regs::DbDepthBoundsMax::new().with_max(bound))?;
///         stream.emit(&packet::NumInstances { num_instances: 1 })
///     })
/// }
///
/// for gfx in Gfx::iter() {
///     let mut stream = Stream::growable(gfx, Queue::Graphics);
///     draw(&mut stream, 0.5)?;
///     assert_eq!(stream.words()[stream.words().len() - 2..], [0xC000_2F00, 1]);
/// }
/// # Ok::<(), WriteError>(())
/// ```
#[macro_export]
macro_rules! for_gfx {
    ($gfx:expr, ($regs:ident, $packet:ident) => $body:expr) => {
        $crate::__gfx9!(($gfx, $regs, $packet, $body) [])
    };
}

/// The match arm of a generation, if it is compiled in, for the macro of the next generation. Features are checked here, in this crate, and not in the crate
/// that calls the macro.
#[rustfmt::skip] // Otherwise nested macros are indented further on every run.
macro_rules! arm {
    ($feature:literal, $name:ident, $next:ident, $variant:ident, $module:ident, $dollar:tt) => {
        #[cfg(feature = $feature)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($dollar call:tt [$dollar($dollar arms:tt)*]) => {
                $crate::$next!($dollar call [$dollar($dollar arms)* $variant $module,])
            };
        }

        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($dollar call:tt $dollar arms:tt) => {
                $crate::$next!($dollar call $dollar arms)
            };
        }
    };
}

arm!("gfx9", __gfx9, __gfx10, Gfx9, gfx9, $);
arm!("gfx10", __gfx10, __gfx103, Gfx10, gfx10, $);
arm!("gfx103", __gfx103, __gfx11, Gfx103, gfx103, $);
arm!("gfx11", __gfx11, __gfx115, Gfx11, gfx11, $);
arm!("gfx115", __gfx115, __gfx12, Gfx115, gfx115, $);
arm!("gfx12", __gfx12, __gfx_match, Gfx12, gfx12, $);

#[doc(hidden)]
#[macro_export]
macro_rules! __gfx_match {
    (($gfx:expr, $regs:ident, $packet:ident, $body:expr) [$($variant:ident $module:ident,)*]) => {
        match $gfx {
            $($crate::chip::Gfx::$variant => {
                #[allow(unused_imports)] // a body may need only one of them
                use $crate::{packet::$module as $packet, regs::$module as $regs};
                $body
            })*
        }
    };
}
