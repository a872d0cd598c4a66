//! The tables that the build script made from `regdb/packets`.

use crate::packet::wire::effects::{At, By, Does, Operand, Place, Product, Rule, Timing, Touches};
use crate::packet::wire::event::EventInfo;
use crate::packet::wire::formats::{AddressLimits, Bits, Condition, Enum, EnumValue, Field, Form, Format, Layout, Repeat, Scope, Size, Whole};
use crate::packet::wire::opcode::{Opcode, OpcodeName};
use crate::regs::Space;

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
