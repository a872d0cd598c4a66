//! The caller's view of the state: draws with their registers, events, findings.

pub(super) mod draw_questions;
pub(super) mod draw_summary;
pub(super) mod draw_view;
pub(super) mod front_stage;
pub(super) mod interest;
pub(super) mod model_access;
pub(super) mod observer;
pub(super) mod statistics;
pub(super) mod work_calls;
