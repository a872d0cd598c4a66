//! The tables that the build script made from `regdb/packets`.

use super::event::EventInfo;
use super::format::{Bits, Condition, Enum, EnumValue, Field, Form, Format, Layout, Repeat, Scope, Size};
use super::opcode::{Opcode, OpcodeName};

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
