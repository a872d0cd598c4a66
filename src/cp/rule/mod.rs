//! What a rule is, and what its judge is given. The rules themselves are in `rules`.

pub(super) mod packet_view;
