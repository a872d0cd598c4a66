//! The truth kit: streams that are right or wrong on purpose, for the tests of drivers, decoders and emulators (feature `testing`).
//!
//! * [`rule_cases`]: for every rule, on every generation that it speaks of, and for rules about errata on every chip, a stream that it reports and one that no rule reports. They differ in the one fact that the rule names.
//! * [`ValidStream`] and [`BrokenStream`]: random streams in which no rule finds anything, and streams that are wrong in exactly one rule. Both are quickcheck's `Arbitrary`.
//! * [`packet_vectors`] and [`register_vectors`]: words, and the fields in them.
//! * [`coverage`]: what the random streams reach.
//! * [`Json`]: the test kit as lines of JSON, for programs in other languages. `docs/vectors.md` in the repository describes the format.
//!
//! The guide has a chapter about it: [`guide::truth_kit`](crate::guide::truth_kit). Names of cases, their words and their number may change with any version; a code of a rule does not.
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
