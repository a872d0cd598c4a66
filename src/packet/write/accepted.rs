//! Packets that a writer has accepted: the same fields again need no second check.

use crate::packet::tables::effect_kinds::EffectKinds;
use crate::packet::typed::packet_fields::{StructLayout, Values};
use crate::packet::wire::header::Header;

/// Packets that are remembered.
const PACKETS: usize = 4;
/// Members and dwords of a packet that is remembered; longer ones are checked each time.
const MEMBERS: usize = 24;
const DWORDS: usize = 12;

/// The context that decides, in addition to its fields, how a packet is written and whether it is accepted. Generation, queue, level and options are those of the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) struct Surroundings {
    pub predicate: bool,
    pub banked: bool,
}

#[derive(Debug, Clone, Copy)]
struct Accepted {
    layout: Option<&'static StructLayout>,
    surroundings: Surroundings,
    given: u64,
    numbers: [u64; MEMBERS],
    words: AcceptedWords,
}

/// A packet as it was written.
#[derive(Debug, Clone, Copy)]
pub(in crate::packet) struct AcceptedWords {
    pub header: Header,
    pub kinds: EffectKinds,
    words: [u32; DWORDS],
    dwords: u8,
}

impl AcceptedWords {
    #[inline]
    pub fn body(&self) -> &[u32] {
        self.words.get(..usize::from(self.dwords)).unwrap_or_default()
    }
}

/// The last packets that were accepted, whose checks depend on nothing but their fields and [`Surroundings`].
#[derive(Debug, Clone)]
pub(in crate::packet) struct AcceptedPackets {
    packets: [Accepted; PACKETS],
    next: usize,
}

impl AcceptedPackets {
    pub const fn none() -> Self {
        const NONE: Accepted = Accepted {
            layout: None,
            surroundings: Surroundings { predicate: false, banked: false },
            given: 0,
            numbers: [0; MEMBERS],
            words: AcceptedWords { header: Header(0), kinds: EffectKinds(0), words: [0; DWORDS], dwords: 0 },
        };
        Self { packets: [NONE; PACKETS], next: 0 }
    }

    /// The words of a packet with these fields, if it was accepted.
    #[inline]
    pub fn find(&self, layout: &'static StructLayout, values: &Values, surroundings: Surroundings) -> Option<AcceptedWords> {
        let (numbers, given) = values.first(layout.slots.len());
        let of = |packet: &&Accepted| packet.layout.is_some_and(|other| core::ptr::eq(other, layout)) && packet.surroundings == surroundings;
        let same = |packet: &&Accepted| of(packet) && packet.given == given && packet.numbers.get(..numbers.len()) == Some(numbers);
        self.packets.iter().find(same).map(|packet| packet.words)
    }

    /// Remembers a packet, if it has room.
    pub fn remember(&mut self, layout: &'static StructLayout, values: &Values, surroundings: Surroundings, header: Header, kinds: EffectKinds, body: &[u32]) {
        let (from, given) = values.first(layout.slots.len());
        let (mut numbers, mut words) = ([0; MEMBERS], [0; DWORDS]);
        let (Some(to), Some(place)) = (numbers.get_mut(..from.len()), words.get_mut(..body.len())) else { return };
        to.copy_from_slice(from);
        place.copy_from_slice(body);
        self.packets[self.next % PACKETS] =
            Accepted { layout: Some(layout), surroundings, given, numbers, words: AcceptedWords { header, kinds, words, dwords: body.len() as u8 } };
        self.next += 1;
    }

    /// Forgets all: what the checks depend on has changed.
    pub fn forget(&mut self) {
        self.packets.iter_mut().for_each(|packet| packet.layout = None);
    }
}
