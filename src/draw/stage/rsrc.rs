//! What the registers of all stages share: the program's address, its user data, and the fields of resource registers.

use crate::chip::Gfx;
use crate::draw::image::{Image, Word};
use crate::draw::stage::program::{Program, UserData};

/// PGM_LO and PGM_HI: the program's address in units of 256 bytes, where one is given.
pub(crate) fn address(gfx: Gfx, lo: &str, hi: &str, program: &Program, image: &mut Image) {
    let Some(address) = program.address else { return };
    image.add(Word::whole(gfx, lo, (address >> 8) as u32, "address of the program >> 8"));
    image.add(Word::whole(gfx, hi, (address >> 40) as u32, "address of the program >> 40"));
}

/// USER_DATA registers by the name of an array: what the program's user SGPRs are loaded with, where the state says it.
pub(crate) fn user_data(gfx: Gfx, array: &str, program: &Program, image: &mut Image) {
    for (index, data) in program.user_data.iter().enumerate() {
        if let UserData::Word(value) = data {
            image.add(Word::whole(gfx, &alloc::format!("{array}_{index}"), *value, "user data of the program"));
        }
    }
}

/// RSRC1 of a stage: the fields that every generation has in that register.
macro_rules! rsrc1 {
    ($r:ident :: $register:ident, $gfx:expr, $program:expr, $vgprs:expr) => {{
        type R = $r::$register;
        let program: &$crate::draw::stage::program::Program = $program;
        $crate::draw::image::Word::new::<R>($gfx)?
            .set(
                R::VGPRS,
                $crate::draw::stage::limits::vgprs_field(program.wave, $vgprs),
                "blocks of VGPRs minus 1: the program's, or its inputs where these are more",
            )
            .set(
                R::SGPRS,
                $crate::draw::stage::limits::sgprs_field($gfx, program),
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
        let program: &$crate::draw::stage::program::Program = $program;
        $word.set(R::DX10_CLAMP, program.dx10_clamp, "clamp mode of the program").set(R::IEEE_MODE, program.ieee, "IEEE mode of the program")
    }};
}

/// The rule of MEM_ORDERED (GFX10 to GFX11.5; compute also on GFX12).
pub(crate) const MEM_ORDERED: &str = "loads return in order, as every driver has it";

/// USER_SGPR and USER_SGPR_MSB.
macro_rules! user_sgprs {
    ($word:expr, $r:ident :: $register:ident, $program:expr) => {{
        type R = $r::$register;
        let sgprs = $program.user_sgprs();
        $word.set(R::USER_SGPR, sgprs & 0x1F, "user SGPRs of the program").set(R::USER_SGPR_MSB, sgprs >> 5, "user SGPRs of the program")
    }};
}

pub(crate) use {rsrc1, rsrc1_until_gfx11, user_sgprs};
