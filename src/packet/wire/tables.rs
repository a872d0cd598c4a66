//! The tables that the build script made from `regdb/packets`.

use crate::packet::wire::effects::{At, By, Does, Operand, Place, Product, Rule, Starts, Timing, Touches, Work};
use crate::packet::wire::event::EventInfo;
use crate::packet::wire::formats::{AddressLimits, Bits, Condition, Enum, EnumValue, Field, Form, FormSize, Format, Layout, RepeatedGroup, Scope, SplitValue};
#[allow(unused_imports)] // some generations have no packet that needs any
use crate::packet::wire::formats::{FirmwareCounter, FirmwareNeed, ToleratedBits};
use crate::packet::wire::opcode::{Opcode, OpcodeName};
use crate::packet::wire::packet_rows;
use crate::packet::wire::structs::{Slot, StructLayout};
use crate::regs::Space;
use crate::rows::lists;

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
