//! Instructions from which the programs of the cases are built.

use pm4::chip::Gfx;
use pm4::isa::{CachePolicy, Instruction, Mubuf, Op, Reg, Src, Waitcnt};

/// Returns a load or store of `data` through the descriptor in the four SGPRs from `resource` on, at the element whose number is in the VGPR `index`.
pub fn access(gfx: Gfx, op: Op, data: u8, index: u8, resource: u8, cache: CachePolicy) -> Instruction {
    let scalar_offset = if gfx.major() >= 12 { Src::Reg(Reg::Null) } else { Src::Int(0) };
    let resource = Reg::Sgpr(resource);
    Instruction::Mubuf(Mubuf { op, data, address: index, index_enable: true, offset_enable: false, resource, scalar_offset, offset: 0, cache })
}

/// Returns a wait for all loads.
pub fn wait_for_loads(gfx: Gfx) -> Instruction {
    match gfx.major() {
        12 => Instruction::plain(Op::SWaitLoadcnt),
        _ => Instruction::Sopp { op: Op::SWaitcnt, imm: Waitcnt { vm: Some(0), exp: None, lgkm: None }.imm(gfx) },
    }
}

/// Returns the end of a program.
pub fn end() -> Instruction {
    Instruction::plain(Op::SEndpgm)
}
