//! The waits of queues, and their description in messages.

use crate::cp::state::place::Place;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The function "equal".
pub(in crate::cp) const EQUAL: u32 = 3;

/// The functions of WAIT_REG_MEM as printed.
pub(in crate::cp) const SIGNS: [&str; 8] = ["always", "<", "<=", "==", "!=", ">=", ">", "reserved"];

/// A wait of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Block {
    pub place: Place,
    pub packet: &'static str,
    pub until: Until,
    /// Whether PFP waits, so that later work of ME cannot run earlier.
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
    /// The value of one of the AQL signals at these addresses, without those that are 0.
    Signal {
        signals: [u64; 5],
        test: Test,
    },
    /// The valid bit of REWIND, in memory if the buffer has an address.
    Valid {
        addr: Option<u64>,
    },
    /// The same number of task-shader dispatches on the compute queues.
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
    /// Returns the condition in words.
    pub fn describe(self) -> String {
        match self {
            Self::Memory { addr, test } => test.describe(&format!("memory 0x{addr:012x}")),
            Self::Register { addr, test } => test.describe(&format!("register 0x{addr:05x}")),
            Self::Signal { signals, test } => {
                let named: Vec<String> = named(signals).map(|signal| format!("0x{signal:012x}")).collect();
                match named.as_slice() {
                    [one] => test.describe(&format!("signal {one}")),
                    several => test.describe(&format!("one of the signals {}", several.join(", "))),
                }
            }
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
    /// Whether the comparison has 64 bits.
    pub wide: bool,
    /// Whether both are signed 64-bit numbers.
    pub signed: bool,
}

/// A wait for the 64-bit value 0.
pub(in crate::cp) const ZERO: Test = Test { function: EQUAL, mask: u64::MAX, reference: 0, wide: true, signed: false };

/// Returns the signals that a packet names; a handle of 0 is not a signal.
pub(in crate::cp) fn named(signals: [u64; 5]) -> impl Iterator<Item = u64> {
    signals.into_iter().filter(|signal| *signal != 0)
}

impl Test {
    /// Returns whether a value passes (PAL gfx9_plus_merged_f32_me_pm4_packets.h: unsigned compare; 7 is reserved and passes here).
    pub fn passes(self, value: u64) -> bool {
        // With its highest bit flipped, a signed number orders like an unsigned one.
        let order = |value: u64| if self.signed { value ^ 1 << 63 } else { value };
        let (value, reference) = (order(value & self.mask), order(self.reference));
        match self.function {
            1 => value < reference,
            2 => value <= reference,
            3 => value == reference,
            4 => value != reference,
            5 => value >= reference,
            6 => value > reference,
            _ => true,
        }
    }

    /// Returns whether a value passes, None if that depends on a value that is not known.
    pub fn answer(self, value: Option<u64>) -> Option<bool> {
        value.or((self.function == 0).then_some(0)).map(|value| self.passes(value))
    }

    fn describe(self, what: &str) -> String {
        let mask = if self.mask == u64::from(u32::MAX) || self.mask == u64::MAX { String::new() } else { format!(" & 0x{:x}", self.mask) };
        format!("{what}{mask} {} 0x{:x}", SIGNS.get(self.function as usize).unwrap_or(&"?"), self.reference)
    }
}

/// What is known about a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Answer {
    Yes,
    No,
    /// The memory is not mapped, so the application may write it.
    Application,
    /// The value is not known to the model.
    Unknown,
}
