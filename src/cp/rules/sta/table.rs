//! The rules of the family, in the order of their codes.

use crate::cp::rule::entry::Rule;
use crate::cp::rules::sta::blending::DUAL_SOURCE;
use crate::cp::rules::sta::dispatches::{DISPATCH_ORDER, NO_COMPUTE_UNIT, NO_PROGRAM, PLAIN_DISPATCH};
use crate::cp::rules::sta::events::{NO_NON_EVENT, OPAQUE_COUNT, OPAQUE_EVENTS};
use crate::cp::rules::sta::geometry_engine::{KEEP_TOGETHER, LEGACY_AFTER_NGG, PRIMITIVE_GROUP, STREAMOUT_GROUPS, VERTEX_GROUP};
use crate::cp::rules::sta::indices::{EMPTY_INDEX_BUFFER, LOST_INDEX_TYPE, RESTART};
use crate::cp::rules::sta::pixel_shader::{SAMPLE_MASK, SHADER_INPUTS};
use crate::cp::rules::sta::programs::MISSING_STATE;
use crate::cp::rules::sta::rasterizer::{ALIGNED_WALK, COARSE_AT_8, COMPRESSED_FRAGMENTS, LARGE_BATCH, NO_RELEASE_AFTER_DRAW, SMALL_BINS};
use crate::cp::rules::sta::rings::{BACK_PRESSURE, NOT_WRITTEN, PARTLY_WRITTEN};
use crate::cp::rules::sta::scan_converter::{
    BINNING_OFF, ITERATE_256, OREO_MODE, OUT_OF_ORDER, RATE_IMAGE_WALK, RATE_WITH_8_SAMPLES, SCISSORS_LOST, STATES_PER_BIN, TILES_IN_WAVE,
};
use crate::cp::rules::sta::stages::{
    CUT_MODE, DEALLOCATIONS, DISTRIBUTED, GEOMETRY_WAVE32, NO_VERTICES_OUT, PACKETS_APART, PATCHES, RESTART_WAVES, REUSE, WGP_MODE,
};
use crate::cp::rules::sta::waves::{LATE_WAVES, STAGE_WITHOUT_UNIT};

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    MISSING_STATE,
    LOST_INDEX_TYPE,
    EMPTY_INDEX_BUFFER,
    LEGACY_AFTER_NGG,
    DUAL_SOURCE,
    SCISSORS_LOST,
    ITERATE_256,
    VERTEX_GROUP,
    PRIMITIVE_GROUP,
    STREAMOUT_GROUPS,
    BINNING_OFF,
    STATES_PER_BIN,
    RATE_IMAGE_WALK,
    KEEP_TOGETHER,
    TILES_IN_WAVE,
    OREO_MODE,
    OPAQUE_EVENTS,
    NO_NON_EVENT,
    LATE_WAVES,
    STAGE_WITHOUT_UNIT,
    SAMPLE_MASK,
    SHADER_INPUTS,
    OPAQUE_COUNT,
    PLAIN_DISPATCH,
    DISPATCH_ORDER,
    OUT_OF_ORDER,
    RESTART,
    RATE_WITH_8_SAMPLES,
    PARTLY_WRITTEN,
    NOT_WRITTEN,
    BACK_PRESSURE,
    LARGE_BATCH,
    PACKETS_APART,
    RESTART_WAVES,
    REUSE,
    PATCHES,
    DISTRIBUTED,
    COARSE_AT_8,
    NO_RELEASE_AFTER_DRAW,
    GEOMETRY_WAVE32,
    NO_VERTICES_OUT,
    CUT_MODE,
    COMPRESSED_FRAGMENTS,
    ALIGNED_WALK,
    NO_PROGRAM,
    NO_COMPUTE_UNIT,
    SMALL_BINS,
    WGP_MODE,
    DEALLOCATIONS,
];
