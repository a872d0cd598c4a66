//! Cached texts of registers, headers and packets: a stream repeats the same few hundred.

use crate::chip::Gfx;
use crate::packet::Packet;
use crate::regs::{self, FieldInfo};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// The format of a register write.
pub(super) trait Style {
    /// Appends the text before the value.
    fn before(&self, out: &mut String, addr: u32, name: &str);
    /// Appends the value as a word.
    fn value(&self, out: &mut String, value: u32);
    /// Appends the field with this index and its value; nothing if the value carries no information.
    fn field(&self, out: &mut String, index: usize, field: &FieldInfo, part: u32);
    /// The text after the fields.
    const BEHIND: &'static str;
}

/// Registers printed before.
#[derive(Debug, Clone)]
pub(super) struct RegisterTexts<S> {
    gfx: Gfx,
    style: S,
    /// By the low bits of the address: an index into `registers` plus 1, or 0.
    places: Box<[u16]>,
    registers: Vec<RegisterText>,
}

#[derive(Debug, Clone)]
struct RegisterText {
    addr: u32,
    name: String,
    /// The text before the value.
    before: String,
    fields: Vec<FieldText>,
    /// Cached values, and the index of the next one to replace.
    kept: [Option<u32>; KEPT],
    texts: [String; KEPT],
    next: usize,
}

/// Number of values of one register whose text is cached: streams switch between few.
const KEPT: usize = 4;

/// A field with the texts of its smallest values, the usual ones.
#[derive(Debug, Clone)]
struct FieldText {
    info: &'static FieldInfo,
    /// The lowest bit, and the bits above it.
    lo: u8,
    mask: u32,
    texts: String,
    /// The end of each value's text.
    ends: [u16; SMALL],
}

/// Number of values of a field whose text is cached.
const SMALL: usize = 16;

impl FieldText {
    fn new<S: Style>(style: &S, index: usize, info: &'static FieldInfo) -> Self {
        let (lo, mask) = (info.lo, info.mask() >> info.lo);
        let (mut texts, mut ends) = (String::new(), [0; SMALL]);
        for (part, end) in (0..).zip(&mut ends) {
            if part <= mask {
                style.field(&mut texts, index, info, part);
            }
            *end = texts.len() as u16;
        }
        Self { info, lo, mask, texts, ends }
    }

    fn append<S: Style>(&self, out: &mut String, style: &S, index: usize, value: u32) {
        let part = value >> self.lo & self.mask;
        match self.ends.get(part as usize) {
            Some(end) => {
                let start = (part as usize).checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
                out.push_str(self.texts.get(start.into()..(*end).into()).unwrap_or_default());
            }
            None => style.field(out, index, self.info, part),
        }
    }
}

impl<S: Style> RegisterTexts<S> {
    const PLACES: usize = 1 << 12;

    pub fn new(gfx: Gfx, style: S) -> Self {
        Self { gfx, style, places: vec![0; Self::PLACES].into_boxed_slice(), registers: Vec::new() }
    }

    /// Appends the name of a register.
    pub fn name(&mut self, out: &mut String, addr: u32) {
        if let Some(place) = self.register(addr) {
            out.push_str(&self.registers[place].name);
        }
    }

    /// Appends a register with its value.
    pub fn write(&mut self, out: &mut String, addr: u32, value: u32) {
        let Some(place) = self.register(addr) else { return };
        let Some(RegisterText { before, fields, kept, texts, next, .. }) = self.registers.get_mut(place) else { return };
        if let Some(place) = kept.iter().position(|kept| *kept == Some(value)) {
            return out.push_str(&texts[place]);
        }
        let text = &mut texts[*next];
        kept[*next] = Some(value);
        *next = (*next + 1) % KEPT;
        text.clear();
        text.push_str(before);
        self.style.value(text, value);
        for (index, field) in fields.iter().enumerate() {
            field.append(text, &self.style, index, value);
        }
        text.push_str(S::BEHIND);
        out.push_str(text);
    }

    /// Returns the index of a register in `registers`.
    fn register(&mut self, addr: u32) -> Option<usize> {
        let place = &mut self.places[addr as usize / 4 % Self::PLACES];
        let known = usize::from(*place).checked_sub(1);
        match known.and_then(|known| self.registers.get_mut(known)) {
            Some(text) if text.addr == addr => {}
            Some(other) => *other = RegisterText::new(self.gfx, &self.style, addr),
            None => {
                self.registers.push(RegisterText::new(self.gfx, &self.style, addr));
                *place = self.registers.len() as u16;
            }
        }
        usize::from(*place).checked_sub(1)
    }
}

impl RegisterText {
    fn new<S: Style>(gfx: Gfx, style: &S, addr: u32) -> Self {
        let register = regs::lookup(gfx, addr);
        let name = register.map_or_else(|| format!("{addr:#x}"), |r| r.name().to_string());
        let mut before = String::new();
        style.before(&mut before, addr, &name);
        let fields = register.map_or(&[][..], |r| r.fields());
        let fields = fields.iter().enumerate().map(|(index, field)| FieldText::new(style, index, field)).collect();
        Self { addr, name, before, fields, kept: [None; KEPT], texts: Default::default(), next: 0 }
    }
}

/// Texts of short packets.
#[derive(Debug, Clone, Default)]
pub(super) struct PacketTexts(Vec<KeptPacket>);

#[derive(Debug, Clone, Default)]
struct KeptPacket {
    header: u32,
    body: Vec<u32>,
    /// Other input that determines the text.
    mode: u8,
    /// Its text; empty if no packet is cached.
    text: String,
}

impl PacketTexts {
    const PLACES: usize = 1 << 11;
    /// Maximum number of body dwords of cached packets.
    const LONGEST: usize = 16;

    /// Appends the text of a packet: the cached one of a packet with the same words, or the output of `render`. `mode` is everything other than the words that
    /// determines the text.
    pub fn append(&mut self, out: &mut String, packet: &Packet<'_>, mode: u8, render: impl FnOnce(&mut String)) {
        if packet.body.len() > Self::LONGEST {
            return render(out);
        }
        if self.0.is_empty() {
            self.0.resize_with(Self::PLACES, KeptPacket::default);
        }
        let mix = |mixed: u64, word: u32| (mixed.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = packet.body.iter().fold(mix(mode.into(), packet.header.0), |mixed, word| mix(mixed, *word));
        let place = &mut self.0[mixed as usize >> (usize::BITS - Self::PLACES.trailing_zeros())];
        if place.header == packet.header.0 && place.mode == mode && place.body == packet.body && !place.text.is_empty() {
            return out.push_str(&place.text);
        }
        let start = out.len();
        render(out);
        (place.header, place.mode) = (packet.header.0, mode);
        place.body.clear();
        place.body.extend_from_slice(packet.body);
        place.text.clear();
        place.text.push_str(&out[start..]);
    }
}

/// Texts determined by the header alone or, for a packet that sets a run of registers, also by the offset.
#[derive(Debug, Clone, Default)]
pub(super) struct HeaderTexts(Vec<HeaderText>);

#[derive(Debug, Clone, Default)]
pub(super) struct HeaderText {
    /// The header, and for a run of registers the dword after it.
    words: Option<(u32, Option<u32>)>,
    /// The text of the header.
    pub head: String,
    /// The text of the dword after it.
    pub meaning: String,
}

/// Returns whether one offset is followed by the values of consecutive registers.
pub(super) fn is_run(packet: &Packet<'_>, gfx: Gfx) -> bool {
    packet.body.len() > 1 && packet.writes(gfx).is_run()
}

impl HeaderTexts {
    const PLACES: usize = 1 << 9;

    /// Returns the texts of a packet's header and, for a `run`, of its offset; `render` creates texts that are not cached.
    pub fn place(&mut self, packet: &Packet<'_>, run: bool, render: impl FnOnce(&mut HeaderText)) -> &HeaderText {
        if self.0.is_empty() {
            self.0.resize_with(Self::PLACES, HeaderText::default);
        }
        let words = (packet.header.0, packet.body.first().copied().filter(|_| run));
        let mixed = (words.0 ^ words.1.unwrap_or(0).rotate_left(16)).wrapping_mul(0x9E37_79B1);
        let place = &mut self.0[mixed as usize >> (32 - Self::PLACES.trailing_zeros())];
        if place.words != Some(words) {
            place.words = Some(words);
            place.head.clear();
            place.meaning.clear();
            render(place);
        }
        place
    }
}
