//! Typed registers, which are written to their own addresses.

use crate::chip::Gfx;
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::generated::structs::{ContextRegRmw, RegRmw};
use crate::packet::tables::generated::values::{RegRmwAndMaskSrc, RegRmwOrMaskSrc};
use crate::packet::wire::windows;
use crate::packet::write::buffer::Buffer;
use crate::packet::write::lists::RegisterList;
use crate::packet::write::writer::Writer;
use crate::regs::{BitField, Register};
use strum::IntoEnumIterator;

/// Returns the byte address of a register's element on the generation of a stream.
pub(in crate::packet) fn place<R: Register>(gfx: Gfx, index: u32) -> Result<u32, WriteError> {
    let place = R::place(gfx).ok_or_else(|| WriteError::OtherGeneration { register: R::NAME, layout: Gfx::iter().find(|g| R::place(*g).is_some()), gfx })?;
    place.element(index).ok_or(WriteError::NoElement { register: R::NAME, index, count: place.count, gfx })
}

impl<B: Buffer> Writer<B> {
    /// Writes a typed register (element 0 of an array) to its address. A write right after the last one joins its packet.
    ///
    /// # Errors
    /// [`OtherGeneration`](WriteError::OtherGeneration) if the generation of the stream has another layout or no such register; those of
    /// [`set_reg`](Self::set_reg).
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx11", feature = "gfx9"))] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Queue, Stream};
    /// use pm4::regs::{gfx9, gfx11};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.set(gfx11::DbShaderControl::new().with_z_order(gfx11::ZOrder::EARLY_Z_THEN_LATE_Z).with_primitive_ordered_pixel_shader(true))?;
    /// assert_eq!(stream.words(), [0xC001_6900, 0x203, 0x1_0010]);
    /// let error = stream.set(gfx9::DbDfsmControl::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "DB_DFSM_CONTROL as gfx9 has it is not a register of gfx11");
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn set<R: Register>(&mut self, value: R) -> Result<(), WriteError> {
        self.set_element(0, value)
    }

    /// Writes an element of an array of typed registers.
    ///
    /// # Errors
    /// The errors of [`set`](Self::set), and [`NoElement`](WriteError::NoElement).
    pub fn set_element<R: Register>(&mut self, index: u32, value: R) -> Result<(), WriteError> {
        let addr = place::<R>(self.gfx(), index)?;
        self.set_reg(addr, value.into())
    }

    /// Changes one field of a register and leaves the others unchanged: CONTEXT_REG_RMW for context registers, REG_RMW for user configuration.
    ///
    /// # Errors
    /// The errors of [`set`](Self::set); [`FieldTooLarge`](WriteError::FieldTooLarge); [`NoModify`](WriteError::NoModify) for shader registers, which no packet
    /// modifies; those of [`emit`](Self::emit).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Queue, Stream};
    /// use pm4::regs::gfx11::DbShaderControl;
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.modify::<DbShaderControl>(DbShaderControl::KILL_ENABLE, 1)?;
    /// assert_eq!(stream.words(), [0xC002_5100, 0x203, 0x40, 0x40]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn modify<R: Register>(&mut self, field: BitField, value: u32) -> Result<(), WriteError> {
        let addr = place::<R>(self.gfx(), 0)?;
        if value > field.max() {
            return Err(WriteError::FieldTooLarge { packet: R::NAME, field: field.name(), value: value.into(), max: field.max().into() });
        }
        let (mask, bits) = (field.mask(), field.put(0, value));
        if (windows::CONTEXT.start..windows::CONTEXT.end).contains(&addr) {
            return self.emit(&ContextRegRmw { reg_offset: (addr - windows::CONTEXT.start) / 4, reg_mask: mask, reg_data: bits });
        }
        if !(windows::UCONFIG.start..windows::UCONFIG.end).contains(&addr) {
            return Err(WriteError::NoModify { register: R::NAME });
        }
        let (and_mask_src, or_mask_src) = (RegRmwAndMaskSrc::IMMEDIATE, RegRmwOrMaskSrc::IMMEDIATE);
        self.emit(&RegRmw { mod_addr: addr / 4, and_mask_src, or_mask_src, and_mask: Some(!mask), or_mask: Some(bits), ..Default::default() })
    }
}

impl RegisterList {
    /// Sets a typed register (element 0 of an array) of a generation.
    ///
    /// # Errors
    /// [`OtherGeneration`](WriteError::OtherGeneration).
    pub fn put<R: Register>(&mut self, gfx: Gfx, value: R) -> Result<(), WriteError> {
        self.put_element(gfx, 0, value)
    }

    /// Sets an element of an array of typed registers of a generation.
    ///
    /// # Errors
    /// [`OtherGeneration`](WriteError::OtherGeneration), [`NoElement`](WriteError::NoElement).
    pub fn put_element<R: Register>(&mut self, gfx: Gfx, index: u32, value: R) -> Result<(), WriteError> {
        self.set(place::<R>(gfx, index)?, value.into());
        Ok(())
    }
}
