//! The tables that the build script made from `regdb/packets`.

use crate::packet::wire::effects::{At, By, Does, Operand, Place, Product, Rule, Starts, Timing, Touches, Work};
use crate::packet::wire::event::EventInfo;
use crate::packet::wire::formats::{
    AddressLimits, Bits, Condition, Enum, EnumValue, Field, FieldRegister, Form, FormSize, Format, Layout, RepeatedGroup, Scope, SplitValue,
};
#[allow(unused_imports)] // some generations have no packet that needs any
use crate::packet::wire::formats::{FirmwareCounter, FirmwareNeed, ToleratedBits};
use crate::packet::wire::opcode::{Opcode, OpcodeName};
use crate::regs::Space;

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
