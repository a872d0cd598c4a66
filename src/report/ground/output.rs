//! The form of the output.

/// The form of the output.
///
/// For an example see [`run`](crate::report::run).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OutputFormat {
    /// Lines for people.
    #[default]
    Text,
    /// JSON Lines: one record per line.
    Json,
}
