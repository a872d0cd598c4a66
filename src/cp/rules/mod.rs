//! The rules: everything that hangs, corrupts data, is rejected or wastes time, as a table.
//!
//! A rule is one entry of `RULES`: code, severity, chips, explanation, source, and a function that judges. Draw rules see only the state of the draw, so they
//! judge the streams of any driver. Each family has a file or folder; `level`, `packets` and `unjudged` are shared.
//!
//! ```
//! let rule = pm4::cp::rules::find("pops-11").unwrap();
//! assert_eq!(rule.severity, pm4::cp::Severity::Error);
//! assert!(rule.title.contains("drain"));
//! ```

mod aql;
mod enc;
mod ib;
mod mem;
mod mes;
mod perf;
mod pops;
mod reg;
mod run;
mod sdma;
mod sta;
mod syn;
mod table;
mod unjudged;

pub use crate::cp::rule::chip_scope::ChipScope;
pub use crate::cp::rule::entry::{Rule, RuleError};
pub use crate::cp::rule::judge::{Judge, WatchedWrites, WriteView};
pub use crate::cp::rule::level::RuleLevel;
pub use crate::cp::rule::packet_view::{PacketView, WatchedPackets};
pub use crate::cp::rule::verdict::Verdict;
pub use crate::cp::view::draw_questions::Needs;
pub use table::{all, find};
pub use unjudged::{NotJudged, not_judged};

// Rules that the model judges itself during execution.
pub(in crate::cp) use crate::cp::state::windows::is_outside;
pub(in crate::cp) use aql::{AQL_JUDGES, AqlView, DescriptorWords, NO_BODY_JUDGE, NOT_PUBLISHED};
pub(in crate::cp) use enc::{HEADER_BITS, TRUNCATED, TYPE_0_OR_1, TYPE_2, UNKNOWN_OPCODE};
pub(in crate::cp) use ib::{BAD_SIZE, BAD_SPAN, CHAIN_NOT_LAST, TOO_DEEP};
pub(in crate::cp) use mem::{INDEX_BOUNDS, MISALIGNED, UNMAPPED};
pub(in crate::cp) use mes::MES_JUDGES;
pub(in crate::cp) use reg::MODIFY_UNKNOWN;
pub(in crate::cp) use run::{FINDING_LIMIT, LIMIT, MEMORY_LIMIT};
pub(in crate::cp) use sdma::{NOT_FINISHED, SDMA_JUDGES, SdmaView, UNORDERED};
pub(in crate::cp) use sta::{NO_NON_EVENT, OPAQUE_EVENTS, opaque_events};
pub(in crate::cp) use syn::{EARLY_ARGUMENTS, IDLE_WAIT, NOT_SYNCED, REGISTER_WAIT, UNPAIRED, UNSATISFIED, UNWAITED, ZERO_COUNT, hangs_from_zero};
