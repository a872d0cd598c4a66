//! Typed bodies: each is exactly the packet that the tables describe, bit for bit.

#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12"))]

mod support;

use pm4::chip::{Chip, Gfx};
use pm4::packet::overlay::{self as body, BodyWord, words};
use pm4::packet::{Body, Form, Format, Opcode, Queue, Reader, Scope, Stream, Word, formats};
use pm4::regs::BitField;
use std::collections::BTreeSet;
use strum::IntoEnumIterator;
use support::captured::folders_of_captures;
use support::property;

const QUEUES: [Queue; 3] = [Queue::Graphics, Queue::Compute, Queue::Constant];

/// A body struct in a uniform form for the tests.
struct Typed {
    rust: &'static str,
    name: &'static str,
    opcode: Opcode,
    scope: Scope,
    open: bool,
    words: &'static [BodyWord],
    read: fn(&[u32]) -> Option<Seen>,
    /// Reads the body of a packet and writes it again.
    again: fn(Gfx, Queue, &[u32]) -> Option<Vec<u32>>,
}

/// The words of a body, the number of words that follow, and its debug text.
type Seen = (Vec<u32>, usize, String);

fn read<T: Body>(words: &[u32]) -> Option<Seen> {
    let (body, rest) = T::read(words)?;
    Some((body.words().to_vec(), rest.len(), format!("{body:?}")))
}

/// Reads and writes like a reader and a writer: None if the body is not for the queue, or it is another packet.
fn again<T: Body>(gfx: Gfx, queue: Queue, words: &[u32]) -> Option<Vec<u32>> {
    let packet = Reader::new(words).flatten().next()?;
    let (body, tail) = packet.body_as::<T>().filter(|_| T::SCOPE.intersects(Scope::queue(gfx, queue)))?;
    let mut again = vec![packet.header.0];
    again.extend_from_slice(body.words());
    again.extend_from_slice(tail);
    Some(again)
}

macro_rules! packet_bodies {
    ($($name:ident)*) => {
        const BODIES: &[Typed] = &[$(Typed {
            rust: stringify!($name),
            name: body::$name::NAME,
            opcode: body::$name::OPCODE,
            scope: body::$name::SCOPE,
            open: body::$name::OPEN,
            words: body::$name::WORDS,
            read: read::<body::$name>,
            again: again::<body::$name>,
        },)*];
    };
}

/// The return type of word getters.
trait Number {
    fn number(self) -> u32;
}
macro_rules! numbers {
    ($($ty:ty)*) => { $(impl Number for $ty { fn number(self) -> u32 { self.into() } })* };
}
numbers! { bool u8 u16 u32 }

macro_rules! packet_words {
    ($($name:ident { $($getter:ident $with:ident $field:literal,)* })*) => {
        /// Name, fields, the values that the getters return, and the word after each setter has set what its getter returned.
        type WordCheck = (&'static str, &'static [BitField], fn(u32) -> (Vec<(&'static str, u32)>, u32));
        const WORDS: &[WordCheck] = &[$((stringify!($name), words::$name::FIELDS, |raw| {
            let word = Word::<words::$name>::from_raw(raw).get();
            let values = vec![$(($field, word.$getter().number()),)*];
            (values, Word::from(word$(.$with(word.$getter()))*).raw())
        }),)*];
    };
}
include!(concat!(env!("OUT_DIR"), "/body_list.rs"));

#[test]
fn words_read_the_bits_that_they_name_and_keep_the_others() {
    assert!(WORDS.len() > 100, "{}", WORDS.len());
    fn agrees(raw: u32) -> bool {
        for (name, fields, read) in WORDS {
            let (values, again) = read(raw);
            let table: Vec<_> = fields.iter().map(|field| (field.name(), raw >> field.lo() & (u32::MAX >> (32 - field.width())))).collect();
            assert_eq!(values, table, "{name} of {raw:#x}");
            assert_eq!(again, raw, "{name} of {raw:#x}");
            let (word, other) = (Word::<u32>::from_raw(raw), Word::from_raw(!raw));
            assert!(word == Word::from_raw(raw) && word != other);
            assert_eq!(Word::<u32>::default().raw(), 0);
        }
        true
    }
    property("words of bodies", 300, agrees as fn(u32) -> bool);
}

/// Returns the form of a packet that a body represents on one generation and queue.
fn form(typed: &Typed, gfx: Gfx, queue: Queue) -> Option<(&'static Format, &'static Form)> {
    let format = formats().iter().find(|f| f.name == typed.name)?;
    let view = typed.scope.and(Scope::queue(gfx, queue));
    let dwords = typed.words.len() + 1;
    let fits = |f: &&Form| {
        !f.internal && f.scope.intersects(view) && f.repeat.is_some() == typed.open && f.repeat.map_or(f.fits(gfx, dwords), |r| usize::from(r.from) == dwords)
    };
    format.forms.iter().find(fits).map(|form| (format, form))
}

#[test]
fn bodies_have_the_fields_of_the_tables() {
    let mut compared = 0;
    for typed in BODIES {
        let cells = Gfx::iter().flat_map(|gfx| QUEUES.map(|queue| (gfx, queue))).filter(|&(gfx, queue)| typed.scope.intersects(Scope::queue(gfx, queue)));
        for (gfx, queue) in cells {
            let (format, form) = form(typed, gfx, queue).unwrap_or_else(|| panic!("{} is not a form on {gfx} {queue:?}", typed.rust));
            assert!(format.opcodes.iter().any(|(_, opcode)| *opcode == typed.opcode), "{}", typed.rust);
            let view = typed.scope.and(Scope::queue(gfx, queue));
            for (dword, word) in (1..).zip(typed.words) {
                for field in word.fields {
                    let (name, hi) = (field.name(), field.lo() + field.width() - 1);
                    let same = |f: &&pm4::packet::Field| (f.name, f.dword, f.lo, f.hi) == (name, dword, field.lo(), hi) && f.scope.intersects(view);
                    assert!(form.fields.iter().any(|f| same(&f)), "{}.{name} on {gfx} {queue:?}", typed.rust);
                    compared += 1;
                }
                // Bits in the table that the word does not name are a word of alternatives, or another engine's view of the same bits.
                let missing = form.fields.iter().filter(|f| f.dword == dword && f.scope.intersects(view) && !word.fields.iter().any(|w| w.name() == f.name));
                let plain = word.fields.is_empty();
                let covered = |f: &pm4::packet::Field| word.fields.iter().any(|w| w.lo() <= f.hi && f.lo < w.lo() + w.width());
                for f in missing {
                    let named = plain && (word.name == f.name || word.name == "control" || word.name == format!("word{dword}"));
                    assert!(named || covered(f) || f.name.starts_with("reserved"), "{} lacks {} in dword {dword} on {gfx} {queue:?}", typed.rust, f.name);
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn every_form_of_user_mode_has_a_body() {
    for format in formats().iter().filter(|f| !f.kernel) {
        for form in format.forms.iter().filter(|f| !f.internal) {
            for (gfx, queue) in Gfx::iter().flat_map(|gfx| QUEUES.map(|queue| (gfx, queue))) {
                let view = format.scope.and(form.scope).and(Scope::queue(gfx, queue));
                for size in form.sizes.iter().filter(|s| view != Scope::NONE && s.gfx & gfx.bit() != 0) {
                    let words = usize::from(form.repeat.map_or(size.dwords, |r| r.from)) - 1;
                    let found =
                        BODIES.iter().any(|b| b.name == format.name && b.scope.intersects(view) && b.words.len() == words && b.open == form.repeat.is_some());
                    assert!(found, "{} of {words} words on {gfx} {queue:?}", format.name);
                }
            }
        }
    }
}

#[test]
fn bodies_give_back_every_word_and_refuse_too_few() {
    fn kept(mut words: Vec<u32>) -> bool {
        words.resize(words.len().max(40), 0x5A5A_5A5A);
        for typed in BODIES {
            let n = typed.words.len();
            let (own, rest, text) = (typed.read)(&words).unwrap_or_else(|| panic!("{}", typed.rust));
            assert_eq!((&own[..], rest), (&words[..n], words.len() - n), "{}", typed.rust);
            assert!(text.starts_with(typed.rust) && typed.words.iter().all(|w| text.contains(w.name)), "{text}");
            assert!(n == 0 || (typed.read)(&words[..n - 1]).is_none(), "{}", typed.rust);
        }
        true
    }
    property("bodies keep their words", 100, kept as fn(Vec<u32>) -> bool);
}

/// Returns the words of every captured buffer with generation and queue: the small set, and the full set if available.
fn captures() -> impl Iterator<Item = (Gfx, Queue, Vec<u32>)> {
    let folders = folders_of_captures();
    let chips = Chip::iter().flat_map(move |chip| folders.iter().map(|folder| (chip, folder.join(chip.to_string()))).collect::<Vec<_>>());
    let files = chips.flat_map(|(chip, folder)| std::fs::read_dir(folder).into_iter().flatten().flatten().map(move |file| (chip, file.path())));
    files.filter(|(_, path)| path.extension().is_some_and(|e| e == "bin")).map(|(chip, path)| {
        let bytes = std::fs::read(&path).expect("readable");
        let queue = if path.to_string_lossy().contains(".ace") { Queue::Compute } else { Queue::Graphics };
        (chip.gfx(), queue, bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
    })
}

/// Every packet of a driver is one of the bodies, and the body equals the packet.
#[test]
fn every_packet_of_a_driver_is_a_body() {
    let mut seen = BTreeSet::new();
    for (gfx, queue, words) in captures() {
        for packet in Reader::new(&words).flatten().filter(|p| p.opcode().is_some()) {
            // Packets with the same header have the same layout.
            let again = |b: &Typed| (b.again)(gfx, queue, &[&[packet.header.0], packet.body].concat());
            let kernel = packet.format(gfx, queue).is_some_and(|f| f.kernel);
            if kernel || !seen.insert((gfx, queue == Queue::Compute, packet.header.0, packet.body.first().copied())) {
                continue;
            }
            let found = BODIES.iter().find_map(again);
            assert_eq!(found.as_deref().map(|w| &w[1..]), Some(packet.body), "{gfx} {queue:?} {:?}", packet.name(gfx));
        }
    }
    assert!(seen.len() > 500, "{}", seen.len());
}

/// The words of a body are those from which a packet is written, and are subject to the rules of writing.
#[test]
fn words_of_bodies_are_held_to_the_rules_of_writing() {
    let event = body::gfx11::EventWrite { control: body::words::EventWriteControl::new().with_event_type(0x14).into() };
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    let error = stream.packet(Opcode::EVENT_WRITE, event.words()).expect_err("a timestamp event in EVENT_WRITE");
    assert!(error.to_string().contains("EVENT_WRITE"), "{error}");
    assert!(stream.words().is_empty());
    let flush = body::gfx11::EventWrite { control: body::words::EventWriteControl::new().with_event_type(0x10).with_event_index(4).into() };
    stream.packet(Opcode::EVENT_WRITE, flush.words()).expect("a partial flush of pixel shaders");
    assert_eq!(stream.words(), [0xC000_4600, 0x410]);
}

/// A body overlays the words of a stream in place.
#[test]
fn bodies_lie_over_words_in_place() {
    use zerocopy::{FromBytes, IntoBytes};
    let stream = [0xC001_2D00_u32, 3, 2];
    let draw = body::DrawIndexAuto::ref_from_bytes(stream[1..].as_bytes()).expect("two words");
    assert_eq!((draw.index_count, std::ptr::from_ref(draw).addr()), (3, stream[1..].as_ptr().addr()));
}
