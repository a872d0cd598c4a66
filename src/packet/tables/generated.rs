//! The tables that the build script made from `regdb/packets`.

use crate::packet::formats::format::{
    AddressLimits, Bits, Condition, Enum, EnumValue, Field, Form, FormSize, Format, Layout, RepeatedGroup, Scope, SplitValue,
};
#[allow(unused_imports)] // some generations have no packet that needs any
use crate::packet::formats::format::{FirmwareCounter, FirmwareNeed, ToleratedBits};
use crate::packet::read::effects::{At, By, Does, Operand, Place, Product, Rule, Starts, Timing, Touches, Work};
use crate::packet::tables::packet_rows;
use crate::packet::typed::packet_fields::{Slot, StructLayout};
use crate::packet::wire::event::EventInfo;
use crate::packet::wire::opcode::{Opcode, OpcodeName};
use crate::regs::Space;
use crate::rows::lists;

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
