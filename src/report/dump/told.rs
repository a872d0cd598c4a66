//! Registers as they are told.

use crate::chip::Gfx;
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
