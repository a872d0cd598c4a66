//! Packets for the cases that graphics and compute queues of all generations support.

use pm4::chip::Gfx;
use pm4::packet::PacketFields;
use pm4::packet::values::{
    AtomicMemAtomic, CopyDataCountSel, CopyDataDstSel, CopyDataSrcSel, CopyDataWrConfirm, Function, MemSpace, Operation, WrConfirm, WriteDataDstSel,
};
use pm4::packet::{Queue, Stream, WriteError};

/// Evaluates an expression with the packet structs of the generation.
macro_rules! on_generation {
    ($gfx:expr, $p:ident => $body:expr) => {{
        macro_rules! of {
            ($module:ident) => {{
                use pm4::packet::$module as $p;
                $body
            }};
        }
        match $gfx {
            Gfx::Gfx9 => of!(gfx9),
            Gfx::Gfx10 => of!(gfx10),
            Gfx::Gfx103 => of!(gfx103),
            Gfx::Gfx11 => of!(gfx11),
            Gfx::Gfx115 => of!(gfx115),
            Gfx::Gfx12 => of!(gfx12),
        }
    }};
}

/// Emits a packet that exists on both queues with different layouts.
macro_rules! emit {
    ($stream:expr, $graphics:ident / $compute:ident { $($field:ident: $value:expr),* $(,)? }) => {
        on_generation!($stream.gfx(), p => match $stream.queue() {
            Queue::Graphics => $stream.emit(&p::$graphics { $($field: $value,)* ..Default::default() }),
            _ => $stream.emit(&p::$compute { $($field: $value,)* ..Default::default() }),
        })
    };
}

type Result = std::result::Result<(), WriteError>;

/// WRITE_DATA of words to memory, with write confirmation.
pub fn write(stream: &mut Stream, to: u64, words: &[u32]) -> Result {
    let (dst_sel, wr_confirm) = (WriteDataDstSel::MEMORY, WrConfirm::WAIT_FOR_WRITE_CONFIRMATION);
    on_generation!(stream.gfx(), p => match stream.queue() {
        Queue::Graphics => stream.emit(&p::WriteData { dst_sel, wr_confirm, dst_mem_addr: Some(to), ..Default::default() }.followed_by(words)),
        _ => stream.emit(&p::WriteDataCompute { dst_sel, wr_confirm, dst_mem_addr: Some(to), ..Default::default() }.followed_by(words)),
    })
}

/// The source of COPY_DATA.
#[derive(Debug, Clone, Copy)]
pub enum From {
    /// Memory.
    Memory(u64),
    /// A register, by its byte address.
    Register(u32),
    /// The packet itself.
    Data(u64),
}

/// COPY_DATA of 64 or 32 bits to memory, with write confirmation.
pub fn copy(stream: &mut Stream, from: From, to: u64, wide: bool) -> Result {
    let (src_sel, src_addr, register, imm_data) = match from {
        From::Memory(addr) => (CopyDataSrcSel::MEMORY, Some(addr), None, None),
        From::Register(addr) => (CopyDataSrcSel::MEM_MAPPED_REGISTER, None, Some(addr / 4), None),
        From::Data(data) => (CopyDataSrcSel::IMMEDIATE_DATA, None, None, Some(data)),
    };
    let count_sel = if wide { CopyDataCountSel::_64_BITS_OF_DATA } else { CopyDataCountSel::_32_BITS_OF_DATA };
    emit!(
        stream,
        CopyData
            / CopyDataCompute {
                src_sel: src_sel,
                src_addr: src_addr,
                src_reg_offset: register.map(Into::into),
                imm_data: imm_data,
                dst_sel: CopyDataDstSel::MEMORY,
                dst_addr: Some(to),
                count_sel: count_sel,
                wr_confirm: CopyDataWrConfirm::WAIT_FOR_CONFIRMATION,
            }
    )
}

/// ATOMIC_MEM: adds to a 32-bit word of memory.
pub fn add(stream: &mut Stream, to: u64, number: u32) -> Result {
    emit!(stream, AtomicMem / AtomicMemCompute { atomic: AtomicMemAtomic::GL2_OP_ATOMIC_ADD_RTN_32, addr: to, src_data: number.into() })
}

/// WAIT_REG_MEM: waits until memory holds a value.
pub fn wait(stream: &mut Stream, at: u64, word: u32) -> Result {
    emit!(
        stream,
        WaitRegMem
            / WaitRegMemCompute {
                function: Function::EQUAL_TO_THE_REFERENCE_VALUE,
                mem_space: MemSpace::MEMORY_SPACE,
                operation: Operation::WAIT_REG_MEM,
                mem_poll_addr: Some(at),
                reference: word,
                mask: u32::MAX,
                poll_interval: 4,
            }
    )
}
