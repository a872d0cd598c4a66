//! What went wrong: incidents, from what logs and dumps say.

mod clients;
mod dump;
mod facts;
mod incidents;
mod link;
mod record;
mod status;
mod timeline;
mod verdict;

pub use facts::{Incident, IncidentFault, IncidentKind, RecoveryStep};
pub use incidents::Incidents;
