//! The tables that the build script made from `regdb/packets`.

use crate::packet::formats::effect_row::{At, By, Does, EffectRow, Operand, Place, Product, Starts, Timing, Touches, Work};
use crate::packet::formats::field::{Bits, Condition, Enum, EnumValue, Field, Layout};
use crate::packet::formats::format::{AddressLimits, Form, FormSize, Format, RepeatedGroup, SplitValue};
#[allow(unused_imports)] // some generations have no packet that needs any
use crate::packet::formats::format::{FirmwareCounter, FirmwareNeed, ToleratedBits};
use crate::packet::formats::number_names::{EventInfo, OpcodeName};
use crate::packet::tables::packet_rows;
use crate::packet::typed::packet_fields::{Slot, StructLayout};
use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::scope::Scope;
use crate::regs::Space;
use crate::rows::lists;

include!(concat!(env!("OUT_DIR"), "/packets.rs"));
