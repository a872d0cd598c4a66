//! What a rule is, and what its judge is given. The rules themselves are in `rules`.

pub(super) mod chip_scope;
pub(super) mod entry;
pub(super) mod judge;
pub(super) mod level;
pub(super) mod packet_view;
pub(super) mod verdict;
