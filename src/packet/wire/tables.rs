//! The tables that the build script made from `regdb/packets`.

use crate::packet::wire::event::EventInfo;
use crate::packet::wire::formats::{Bits, Condition, Enum, EnumValue, Field, Form, Format, Layout, Repeat, Scope, Size};
use crate::packet::wire::opcode::{Opcode, OpcodeName};

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
