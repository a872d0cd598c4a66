//! What a queue waits for, and what the model says about it.

use crate::cp::state::place::Place;
use alloc::format;
use alloc::string::String;

/// The function "equal".
pub(in crate::cp) const EQUAL: u32 = 3;

/// How the functions of WAIT_REG_MEM are written.
pub(in crate::cp) const SIGNS: [&str; 8] = ["always", "<", "<=", "==", "!=", ">=", ">", "reserved"];

/// What a queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Block {
    pub place: Place,
    pub packet: &'static str,
    pub until: Until,
    /// PFP waits, and later work of ME cannot run before it.
    pub pfp: bool,
}

/// The condition of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Until {
    Memory {
        addr: u64,
        test: Test,
    },
    Register {
        addr: u32,
        test: Test,
    },
    /// The valid bit of REWIND, in memory where the buffer has an address.
    Valid {
        addr: Option<u64>,
    },
    /// As many task-shader dispatches of the compute queues.
    Gang {
        dispatches: u64,
    },
    /// The counter of the constant engine is ahead of that of the draw engine.
    CeCounter,
    /// The counter of the constant engine is less than this ahead of that of the draw engine.
    DeCounter {
        diff: u32,
    },
}

impl Until {
    /// The condition in words.
    pub fn describe(self) -> String {
        match self {
            Self::Memory { addr, test } => test.describe(&format!("memory 0x{addr:012x}")),
            Self::Register { addr, test } => test.describe(&format!("register 0x{addr:05x}")),
            Self::Valid { .. } => "the valid bit of REWIND".into(),
            Self::Gang { dispatches } => format!("task-shader dispatch {dispatches} of a compute queue"),
            Self::CeCounter => "the counter of the constant engine".into(),
            Self::DeCounter { diff } => format!("the counter of the draw engine to be less than {diff} behind that of the constant engine"),
        }
    }
}

/// `value & mask` against a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Test {
    pub function: u32,
    pub mask: u64,
    pub reference: u64,
    /// 64 bits wide.
    pub wide: bool,
}

impl Test {
    /// Whether a value passes (PAL gfx9_plus_merged_f32_me_pm4_packets.h: unsigned compare; 7 is reserved and passes here).
    pub fn passes(self, value: u64) -> bool {
        let value = value & self.mask;
        match self.function {
            1 => value < self.reference,
            2 => value <= self.reference,
            3 => value == self.reference,
            4 => value != self.reference,
            5 => value >= self.reference,
            6 => value > self.reference,
            _ => true,
        }
    }

    /// Whether a value passes, None where that depends on a value that is not known.
    pub fn answer(self, value: Option<u64>) -> Option<bool> {
        value.or((self.function == 0).then_some(0)).map(|value| self.passes(value))
    }

    fn describe(self, what: &str) -> String {
        let mask = if self.mask == u64::from(u32::MAX) || self.mask == u64::MAX { String::new() } else { format!(" & 0x{:x}", self.mask) };
        format!("{what}{mask} {} 0x{:x}", SIGNS.get(self.function as usize).unwrap_or(&"?"), self.reference)
    }
}

/// What is known of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Answer {
    Yes,
    No,
    /// The memory is not mapped: the application may write it.
    Application,
    /// The value is not known to the model.
    Unknown,
}
