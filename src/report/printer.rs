//! Printers of the records of a run.

use super::buffers::Buffers;
use crate::cp::{DrawView, Finding, Place, Statistics, Summary};
use crate::packet::{Packet, Queue};
use alloc::string::String;
use std::io::{self, Write};

/// Prints records of one format.
pub(super) trait Printer {
    fn work(&mut self, buffers: &Buffers<'_>, view: &DrawView<'_>) -> io::Result<()>;
    fn finding(&mut self, buffers: &Buffers<'_>, finding: &Finding) -> io::Result<()>;
    fn packet(&mut self, buffers: &Buffers<'_>, queue: Queue, place: Place, packet: &Packet<'_>) -> io::Result<()>;
    fn summary(&mut self, summary: &Summary, not_executed: &[(String, u64)]) -> io::Result<()>;
    fn statistics(&mut self, buffers: &Buffers<'_>, statistics: &Statistics) -> io::Result<()>;
    /// Returns the output.
    fn out(&mut self) -> &mut dyn Write;
}
