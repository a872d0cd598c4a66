//! Typed registers written through a filter.

use crate::packet::rules::write_error::WriteError;
use crate::packet::state::filter::FilteredWriter;
use crate::packet::write::buffer::Buffer;
use crate::packet::write::typed_registers::place;
use crate::regs::Register;

impl<B: Buffer> FilteredWriter<B> {
    /// Writes a typed register, unless it holds the value: see [`Writer::set`](crate::packet::Writer::set).
    ///
    /// # Errors
    /// The errors of [`Writer::set`](crate::packet::Writer::set).
    pub fn set<R: Register>(&mut self, value: R) -> Result<(), WriteError> {
        self.set_element(0, value)
    }

    /// Writes an element of an array of typed registers, unless it holds the value: see [`Writer::set_element`](crate::packet::Writer::set_element).
    ///
    /// # Errors
    /// The errors of [`Writer::set_element`](crate::packet::Writer::set_element).
    pub fn set_element<R: Register>(&mut self, index: u32, value: R) -> Result<(), WriteError> {
        let addr = place::<R>(self.gfx(), index)?;
        self.set_reg(addr, value.into())
    }
}
