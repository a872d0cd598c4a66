//! The tables that the build script made from `regdb/packets`.

use crate::packet::formats::effect_row::{At, By, Does, EffectRow, Operand, Place, Product, Starts, Timing, Touches, Work};
use crate::packet::formats::field::{Bits, Condition, Enum, EnumValue, Field, FieldRegister, Layout};
use crate::packet::formats::format::{AddressLimits, Form, FormSize, Format, RepeatedGroup, SplitValue};
#[allow(unused_imports)] // some generations have no packet that needs any
use crate::packet::formats::format::{FirmwareCounter, FirmwareNeed, ToleratedBits};
use crate::packet::formats::number_names::{EventInfo, OpcodeName};
use crate::packet::typed::packet_fields::{Slot, StructLayout};
use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::scope::Scope;
use crate::regs::Space;

/// What rows of fields in the generated table leave out.
const FIELD: Field = Field {
    name: "",
    dword: 0,
    lo: 0,
    hi: 0,
    scope: Scope::NONE,
    when: &[],
    values: None,
    layout: None,
    kernel: false,
    in_place: false,
    register: None,
    everything: false,
    doc: "",
};

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
