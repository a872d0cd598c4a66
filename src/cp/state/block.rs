//! What a queue waits for, and what the model says about it.

use crate::cp::state::place::Place;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

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
    /// The value of one of the signals of AQL at these addresses, those that are not 0.
    Signal {
        signals: [u64; 5],
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
    /// 64 bits wide.
    pub wide: bool,
    /// Both are numbers with a sign, of 64 bits.
    pub signed: bool,
}

/// A wait for the value 0, of 64 bits.
pub(in crate::cp) const ZERO: Test = Test { function: EQUAL, mask: u64::MAX, reference: 0, wide: true, signed: false };

/// Returns the signals that a packet names: a handle of 0 is none.
pub(in crate::cp) fn named(signals: [u64; 5]) -> impl Iterator<Item = u64> {
    signals.into_iter().filter(|signal| *signal != 0)
}

impl Test {
    /// Returns whether a value passes (PAL gfx9_plus_merged_f32_me_pm4_packets.h: unsigned compare; 7 is reserved and passes here).
    pub fn passes(self, value: u64) -> bool {
        // With its highest bit exchanged, a number with a sign has the order of one without.
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
