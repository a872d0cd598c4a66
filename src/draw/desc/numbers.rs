//! Checks for numbers that no register can hold or that have no meaning. Errors name the requested value.

use crate::draw::desc::error::DrawError;
use crate::draw::desc::raster::{DepthBias, SampleLocations, Viewport};

/// Checks the number of viewports or scissors.
#[inline]
pub(crate) fn count(what: &'static str, count: usize) -> Result<(), DrawError> {
    if count <= 16 { Ok(()) } else { Err(DrawError::Limit { what, value: count as u64, limit: "at most 16" }) }
}

/// Checks sample positions, whose fields have four bits with the sign in the highest.
pub(crate) fn sample_locations(locations: &SampleLocations) -> Result<(), DrawError> {
    let fits = |n: i8| (-8..=7).contains(&n);
    let samples = locations.pixels.iter().flat_map(|pixel| pixel.iter().enumerate());
    match samples.map(|(sample, (x, y))| (sample, *x, *y)).find(|(_, x, y)| !fits(*x) || !fits(*y)) {
        Some((sample, x, y)) => Err(DrawError::SampleLocation { sample, x, y }),
        None => Ok(()),
    }
}

pub(crate) fn patch_points(points: u32) -> Result<(), DrawError> {
    let what = "the input control points";
    if (1..=32).contains(&points) { Ok(()) } else { Err(DrawError::Limit { what, value: points.into(), limit: "1 to 32" }) }
}

pub(crate) fn line_width(width: f32) -> Result<(), DrawError> {
    float("the width of lines", width, |width| width > 0.0 && width < 8192.0, "above 0 and below 8192 pixels")
}

#[inline]
pub(crate) fn viewport(v: &Viewport) -> Result<(), DrawError> {
    // If the sum is not too large, no single number is too large, and none is NaN.
    let sum = v.x.abs() + v.y.abs() + v.width.abs() + v.height.abs() + v.min_depth.abs() + v.max_depth.abs();
    if sum <= LARGEST { Ok(()) } else { numbers_of(v) }
}

/// Largest magnitude of a number of a viewport.
const LARGEST: f32 = 32768.0;

#[cold]
fn numbers_of(v: &Viewport) -> Result<(), DrawError> {
    let numbers = [
        ("the left edge of a viewport", v.x),
        ("the top edge of a viewport", v.y),
        ("the width of a viewport", v.width),
        ("the height of a viewport", v.height),
        ("the minimum depth of a viewport", v.min_depth),
        ("the maximum depth of a viewport", v.max_depth),
    ];
    numbers.into_iter().try_for_each(|(what, n)| float(what, n, |n| n.abs() <= LARGEST, "a finite number from -32768 to 32768"))
}

pub(crate) fn depth_bias(bias: &DepthBias) -> Result<(), DrawError> {
    finite("the constant depth bias", bias.constant)?;
    // The register holds the slope in units of 1/16.
    float("the slope of depth bias", bias.slope, |slope| (slope * 16.0).is_finite(), "a finite number whose magnitude is below 2^124")?;
    finite("the clamp of depth bias", bias.clamp)
}

pub(crate) fn depth_bounds((least, greatest): &(f32, f32)) -> Result<(), DrawError> {
    finite("the lower depth bound", *least)?;
    finite("the upper depth bound", *greatest)
}

#[inline]
pub(crate) fn blend_constants(constants: &[f32; 4]) -> Result<(), DrawError> {
    if constants.iter().fold(true, |fine, constant| fine & constant.is_finite()) { Ok(()) } else { bad_blend_constants(constants) }
}

#[cold]
fn bad_blend_constants(constants: &[f32; 4]) -> Result<(), DrawError> {
    constants.iter().try_for_each(|constant| finite("a blend constant", *constant))
}

#[inline]
fn finite(what: &'static str, value: f32) -> Result<(), DrawError> {
    float(what, value, |_| true, "a finite number")
}

#[inline]
fn float(what: &'static str, value: f32, fine: impl Fn(f32) -> bool, limit: &'static str) -> Result<(), DrawError> {
    if value.is_finite() && fine(value) { Ok(()) } else { Err(DrawError::Float { what, bits: value.to_bits(), limit }) }
}
