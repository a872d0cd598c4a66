//! What the registers of all stages share: the program's address, its user data, and the fields of resource registers.

use crate::chip::Gfx;
use crate::draw::desc::Program;
use crate::draw::desc::program::default_memory_order;

/// PGM_LO and PGM_HI: the program's address in units of 256 bytes, where one is given.
macro_rules! address {
    ($sheet:expr, $r:ident, $lo:ident, $hi:ident, $program:expr) => {{
        if let Some(address) = $program.address {
            use $crate::draw::sheet::{On, Word};
            $sheet.add(Word::new(On::<$r::$lo, { $r::GFX }>::SLOT).whole((address >> 8) as u32, "address of the program >> 8"));
            $sheet.add(Word::new(On::<$r::$hi, { $r::GFX }>::SLOT).whole((address >> 40) as u32, "address of the program >> 40"));
        }
    }};
}

/// What the first two SGPRs of a merged stage hold, in the two registers that the generation has for it, where it is given.
macro_rules! address_pair {
    ($sheet:expr, $r:ident, $lo:ident, $hi:ident, $program:expr) => {{
        if let Some(value) = $program.address_pair {
            use $crate::draw::sheet::{On, Word};
            $sheet.add(Word::new(On::<$r::$lo, { $r::GFX }>::SLOT).whole(value as u32, "first SGPR of the program"));
            $sheet.add(Word::new(On::<$r::$hi, { $r::GFX }>::SLOT).whole((value >> 32) as u32, "second SGPR of the program"));
        }
    }};
}

/// USER_DATA registers: what the program's user SGPRs are loaded with, where the state says it.
macro_rules! user_data {
    ($sheet:expr, $r:ident, $array:ident, $program:expr) => {
        for (index, data) in (0u32..).zip(&$program.user_data) {
            if let $crate::draw::desc::UserData::Word(value) = data {
                let word = $crate::draw::sheet::Word::element($crate::draw::sheet::On::<$r::$array, { $r::GFX }>::PLACE, index);
                $sheet.add(word.map(|word| word.whole(*value, "user data of the program")));
            }
        }
    };
}

/// RSRC1 of a stage: the fields that every generation has in that register.
macro_rules! rsrc1 {
    ($r:ident :: $register:ident, $gfx:expr, $program:expr, $vgprs:expr) => {{
        type R = $r::$register;
        let program: &$crate::draw::desc::Program = $program;
        $crate::draw::sheet::Word::new($crate::draw::sheet::On::<R, { $r::GFX }>::SLOT)
            .set(
                R::VGPRS,
                $crate::draw::desc::resource_units::vgprs_field(program.wave, $vgprs),
                "blocks of VGPRs minus 1: the program's, or its inputs where these are more",
            )
            .set(
                R::SGPRS,
                $crate::draw::desc::resource_units::sgprs_field($gfx, program),
                "blocks of 8 SGPRs minus 1 on GFX9, with the reserved ones; later generations always allocate all",
            )
            .set(R::FLOAT_MODE, u32::from(program.float_mode.0), "float mode of the program")
            .set(R::FP16_OVFL, program.fp16_overflow, "f16 overflow mode of the program")
    }};
}

/// RSRC1 fields that GFX12 gave up.
macro_rules! rsrc1_until_gfx11 {
    ($word:expr, $r:ident :: $register:ident, $program:expr) => {{
        type R = $r::$register;
        let program: &$crate::draw::desc::Program = $program;
        $word.set(R::DX10_CLAMP, program.dx10_clamp, "clamp mode of the program").set(R::IEEE_MODE, program.ieee, "IEEE mode of the program")
    }};
}

/// MEM_ORDERED of a program, and its rule.
pub(crate) const fn stated_memory_order(program: &Program, gfx: Gfx) -> (bool, &'static str) {
    match (program.memory_ordered, default_memory_order(gfx)) {
        (Some(ordered), _) => (ordered, "as the program states it"),
        (None, true) => (true, "loads and samples return in order, which every program allows"),
        (None, false) => (false, "loads and samples have separate counters on GFX12"),
    }
}

/// MEM_ORDERED and FWD_PROGRESS of a stage's RSRC1.
macro_rules! memory_order {
    ($word:expr, $r:ident :: $register:ident, $gfx:expr, $program:expr) => {{
        let (ordered, rule) = $crate::draw::decide::stage::rsrc::stated_memory_order($program, $gfx);
        let word = $word.set($r::$register::MEM_ORDERED, ordered, rule);
        match $program.forward_progress {
            true => word.set($r::$register::FWD_PROGRESS, true, "forward progress of the waves, as the program states it"),
            false => word,
        }
    }};
}

/// USER_SGPR and USER_SGPR_MSB.
macro_rules! user_sgprs {
    ($word:expr, $r:ident :: $register:ident, $program:expr) => {{
        type R = $r::$register;
        let sgprs = $program.user_sgprs();
        $word.set(R::USER_SGPR, sgprs & 0x1F, "user SGPRs of the program").set(R::USER_SGPR_MSB, sgprs >> 5, "user SGPRs of the program")
    }};
}

pub(crate) use {address, address_pair, memory_order, rsrc1, rsrc1_until_gfx11, user_data, user_sgprs};
