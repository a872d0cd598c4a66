//! Registers and headers as they are told.

use crate::chip::Gfx;
use crate::packet::Packet;
use crate::regs::{self, FieldInfo};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Registers that were told before: the same few hundred occur again and again.
#[derive(Debug, Clone)]
pub(super) struct Told {
    gfx: Gfx,
    /// By the low bits of the address: a place in `registers` plus 1, or 0.
    places: Box<[u16]>,
    registers: Vec<ToldRegister>,
}

#[derive(Debug, Clone)]
struct ToldRegister {
    addr: u32,
    name: String,
    fields: &'static [FieldInfo],
    /// The value that was told last, and what was told of it.
    last: Option<u32>,
    text: String,
}

impl Told {
    const PLACES: usize = 1 << 12;

    pub fn new(gfx: Gfx) -> Self {
        Self { gfx, places: vec![0; Self::PLACES].into_boxed_slice(), registers: Vec::new() }
    }

    /// Hands name and fields of a register to `use_it`.
    pub fn with<T>(&mut self, addr: u32, use_it: impl FnOnce(&str, &'static [FieldInfo]) -> T) -> T {
        match self.register(addr) {
            Some(told) => use_it(&told.name, told.fields),
            None => use_it("", &[]),
        }
    }

    /// Appends what `render` makes of a register and its value: streams write the same values again and again, and the last one is kept.
    pub fn again(&mut self, out: &mut String, addr: u32, value: u32, render: impl FnOnce(&mut String, &str, &'static [FieldInfo])) {
        let Some(told) = self.register(addr) else { return };
        if told.last != Some(value) {
            told.text.clear();
            render(&mut told.text, &told.name, told.fields);
            told.last = Some(value);
        }
        out.push_str(&told.text);
    }

    fn register(&mut self, addr: u32) -> Option<&mut ToldRegister> {
        let place = &mut self.places[addr as usize / 4 % Self::PLACES];
        let known = usize::from(*place).checked_sub(1);
        match known.and_then(|known| self.registers.get_mut(known)) {
            Some(told) if told.addr == addr => {}
            Some(other) => *other = ToldRegister::new(self.gfx, addr),
            None => {
                self.registers.push(ToldRegister::new(self.gfx, addr));
                *place = self.registers.len() as u16;
            }
        }
        self.registers.get_mut(usize::from(*place).wrapping_sub(1))
    }
}

impl ToldRegister {
    fn new(gfx: Gfx, addr: u32) -> Self {
        let register = regs::lookup(gfx, addr);
        let name = register.map_or_else(|| format!("{addr:#x}"), |r| r.name().to_string());
        Self { addr, name, fields: register.map_or(&[][..], |r| r.fields()), last: None, text: String::new() }
    }
}

/// What headers decide of what is told. A packet that sets a run of registers says the same of header and offset, whatever it writes; streams have the same few
/// hundred of them again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct Headers(Vec<ToldHeader>);

#[derive(Debug, Clone, Default)]
pub(super) struct ToldHeader {
    /// Header, and for a run of registers the dword after it.
    words: Option<(u32, Option<u32>)>,
    /// What is told of the header.
    pub head: String,
    /// What is told of the dword after it.
    pub meaning: String,
}

/// Whether one offset is followed by the values of consecutive registers.
pub(super) fn is_run(packet: &Packet<'_>, gfx: Gfx) -> bool {
    packet.body.len() > 1 && packet.writes(gfx).is_run()
}

impl Headers {
    const PLACES: usize = 1 << 9;

    /// What was told of a packet with the same header, and of a `run` with the same offset; `render` tells what is not known yet.
    pub fn place(&mut self, packet: &Packet<'_>, run: bool, render: impl FnOnce(&mut ToldHeader)) -> &ToldHeader {
        if self.0.is_empty() {
            self.0.resize_with(Self::PLACES, ToldHeader::default);
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
