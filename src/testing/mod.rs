//! The truth kit: streams that are correct or wrong on purpose, for tests of drivers, decoders and emulators (feature `testing`).
//!
//! * [`rule_cases`]: for every rule, on every generation to which it applies (for rules about errata, on every chip), a stream that it reports and one that no
//!   rule reports. The two differ only in the fact that the rule names.
//! * [`ValidStream`] and [`BrokenStream`]: random streams in which no rule finds anything, and streams that break exactly one rule. Both are quickcheck's
//!   `Arbitrary`.
//! * [`packet_vectors`] and [`register_vectors`]: words and their fields.
//! * [`coverage`]: the coverage of the random streams.
//! * [`Json`]: the test kit as lines of JSON, for programs in other languages. `docs/vectors.md` in the repository describes the format.
//!
//! See also the chapter of the guide: [`guide::truth_kit`](crate::guide::truth_kit). Names, words and number of cases may change with any version; codes of
//! rules do not change.
//!
//! ```
//! // Does another checker agree? Here: this one.
//! for case in pm4::testing::rule_cases().take(20) {
//!     assert!(case.hit.codes().contains(case.rule) && case.miss.codes().is_empty(), "{}: {}", case.rule, case.fact);
//! }
//! ```

mod cases;
mod coverage;
mod ground;
mod json;
mod list;
mod random;
mod valid;
mod vectors;
mod without;

pub use coverage::{Coverage, coverage};
pub use ground::case::RuleCase;
pub use ground::stream::{MemoryBlock, Stated, TestStream};
pub use json::Json;
pub use list::rule_cases;
pub use random::left_out;
pub use valid::{BrokenStream, ValidStream};
pub use vectors::{FieldVector, PacketVector, RegisterVector, packet_vectors, queues, register_vectors};
pub use without::{WithoutCase, without_case};
