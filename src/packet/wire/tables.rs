//! The tables that the build script made from `regdb/packets`.

use crate::packet::wire::effects::{At, By, Does, Operand, Place, Product, Rule, Starts, Timing, Touches, Work};
use crate::packet::wire::event::EventInfo;
use crate::packet::wire::formats::{
    AddressLimits, Bits, Condition, Enum, EnumValue, Field, FieldRegister, Form, FormSize, Format, Layout, RepeatedGroup, Scope, SplitValue,
};
#[allow(unused_imports)] // some generations have no packet that needs any
use crate::packet::wire::formats::{FirmwareCounter, FirmwareNeed, ToleratedBits};
use crate::packet::wire::opcode::{Opcode, OpcodeName};
use crate::packet::wire::structs::{Slot, StructLayout};
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
