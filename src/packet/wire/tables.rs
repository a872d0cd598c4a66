//! The tables that the build script made from `regdb/packets`.

use crate::packet::wire::event::EventInfo;
use crate::packet::wire::effects::{At, By, Does, Operand, Place, Product, Rule, Timing, Touches};
use crate::regs::Space;
use crate::packet::wire::formats::{AddressLimits, Whole, Bits, Condition, Enum, EnumValue, Field, Form, Format, Layout, Repeat, Scope, Size};
use crate::packet::wire::opcode::{Opcode, OpcodeName};

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
