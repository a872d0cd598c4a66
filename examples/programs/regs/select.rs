//! Selects registers and value lists by the pattern on the command line.

use crate::common::arguments::{self, digits};
use pm4::chip::Gfx;
use pm4::packet::Opcode;
use pm4::regs::{self, EnumInfo, FieldInfo, RegisterInfo};
use pm4::report::generations::label;
use strum::IntoEnumIterator;

/// A register on one generation.
#[derive(Clone, Copy)]
pub struct Hit {
    pub gfx: Gfx,
    pub info: &'static RegisterInfo,
    /// The array element that the pattern names, if it names exactly one.
    pub element: Option<u32>,
}

/// How the pattern was interpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Everything,
    Name,
    Address(u32),
    Field,
}

pub struct Selection {
    pub generations: Vec<Gfx>,
    pub registers: Vec<Hit>,
    /// Value lists that the pattern itself names.
    pub values: Vec<(Gfx, &'static EnumInfo)>,
    pub by: By,
    /// The pattern in lower case.
    pattern: String,
}

impl Selection {
    fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.values.is_empty()
    }

    /// Returns the generations on which something was found.
    fn found_on(&self) -> Vec<Gfx> {
        let hit = |gfx: &Gfx| self.registers.iter().any(|hit| hit.gfx == *gfx) || self.values.iter().any(|(g, _)| g == gfx);
        self.generations.iter().copied().filter(hit).collect()
    }

    /// Returns the value lists of a generation that the pattern names or a selected register uses.
    pub fn values_on(&self, gfx: Gfx) -> impl Iterator<Item = &'static EnumInfo> {
        let used = move |values: &EnumInfo| {
            let fields = self.registers.iter().filter(|hit| hit.gfx == gfx).flat_map(|hit| hit.info.fields);
            fields.filter_map(|field| field.values).any(|v| v.name == values.name)
        };
        let named = move |values: &EnumInfo| self.values.iter().any(|(g, v)| *g == gfx && v.name == values.name);
        regs::enums(gfx).filter(move |values| named(values) || used(values))
    }

    /// Returns the fields of a register that the pattern names.
    pub fn fields_of(&self, info: &'static RegisterInfo) -> impl Iterator<Item = &'static FieldInfo> {
        info.fields.iter().filter(|field| field_matches(&self.pattern, info, field))
    }
}

/// Returns everything that the pattern names; without a pattern, everything.
///
/// # Errors
/// Returns a message for the user if there is nothing.
pub fn select(generations: &[Gfx], pattern: Option<&str>) -> Result<Selection, String> {
    let Some(pattern) = pattern else { return Ok(collect(generations, By::Everything, "", |_| true)) };
    find(generations, pattern).map_err(|message| match find(&Gfx::iter().collect::<Vec<_>>(), pattern) {
        Ok(elsewhere) => format!("`{pattern}` does not exist on {}, but it exists on {}", label(generations), label(&elsewhere.found_on())),
        Err(_) => message,
    })
}

fn find(generations: &[Gfx], pattern: &str) -> Result<Selection, String> {
    let text = pattern.trim().to_ascii_lowercase();
    if text.is_empty() {
        return Err("the pattern is empty: leave it out to list everything".to_owned());
    }
    if let Some(digits) = text.strip_prefix("0x") {
        let addr = address(digits).ok_or_else(|| format!("`{pattern}` is not an address: write 0x and up to eight hexadecimal digits"))?;
        return at_address(generations, addr);
    }
    let exact = collect(generations, By::Name, &text, |name| name == text);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let part = collect(generations, By::Name, &text, |name| matches(&text, name));
    if !part.is_empty() {
        return Ok(part);
    }
    let fields = with_field(generations, &text);
    if !fields.is_empty() {
        return Ok(fields);
    }
    if let Some(found) = address(&text).and_then(|addr| at_address(generations, addr).ok()) {
        return Ok(found);
    }
    Err(nothing(generations, pattern, &text))
}

/// Parses a byte address in hexadecimal digits.
fn address(text: &str) -> Option<u32> {
    digits(text, 16).and_then(|addr| u32::try_from(addr).ok())
}

/// Returns whether a lower-case name contains the pattern, or matches it as a whole if it has wildcards.
fn matches(pattern: &str, name: &str) -> bool {
    if pattern.contains(['*', '?']) { fits(pattern.as_bytes(), name.as_bytes()) } else { name.contains(pattern) }
}

/// Matches wildcards: `*` matches any text, `?` matches one character.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // The place of the last star, and the end of the text that it matches.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(n) {
        match (pattern.get(p), star) {
            (Some(b'*'), _) => {
                star = Some((p, n));
                p += 1;
            }
            (Some(w), _) if *w == b'?' || w == c => {
                p += 1;
                n += 1;
            }
            (_, Some((at, end))) => {
                star = Some((at, end + 1));
                p = at + 1;
                n = end + 1;
            }
            _ => return false,
        }
    }
    pattern.iter().skip(p).all(|w| *w == b'*')
}

fn collect(generations: &[Gfx], by: By, pattern: &str, wanted: impl Fn(&str) -> bool) -> Selection {
    let mut found = Selection { generations: generations.to_vec(), registers: Vec::new(), values: Vec::new(), by, pattern: pattern.to_owned() };
    for &gfx in generations {
        found.registers.extend(regs::registers(gfx).filter_map(|info| named(gfx, info, &wanted)));
        found.values.extend(regs::enums(gfx).filter(|values| wanted(&values.name.to_ascii_lowercase())).map(|values| (gfx, values)));
    }
    found
}

/// Returns the register if its name, an alias or the name of an element is wanted.
fn named(gfx: Gfx, info: &'static RegisterInfo, wanted: impl Fn(&str) -> bool) -> Option<Hit> {
    let whole = [info.name].iter().chain(info.aliases).any(|name| wanted(&name.to_ascii_lowercase()));
    if whole {
        return Some(Hit { gfx, info, element: None });
    }
    let elements = (1..info.count).filter(|i| {
        let element = regs::lookup(gfx, info.addr + i * info.stride);
        element.is_some_and(|element| wanted(&element.to_string().to_ascii_lowercase()))
    });
    let elements: Vec<u32> = elements.collect();
    let element = if let [only] = elements[..] { Some(only) } else { None };
    (!elements.is_empty()).then_some(Hit { gfx, info, element })
}

fn with_field(generations: &[Gfx], pattern: &str) -> Selection {
    let mut found = collect(generations, By::Field, pattern, |_| false);
    for &gfx in generations {
        let registers = regs::registers(gfx).filter(|info| info.fields.iter().any(|field| field_matches(pattern, info, field)));
        found.registers.extend(registers.map(|info| Hit { gfx, info, element: None }));
    }
    found
}

/// Compares with `FIELD`, and with `REGISTER.FIELD` if the pattern has a dot.
fn field_matches(pattern: &str, info: &RegisterInfo, field: &FieldInfo) -> bool {
    let name = if pattern.contains('.') { format!("{}.{}", info.name, field.name) } else { field.name.to_owned() };
    matches(pattern, &name.to_ascii_lowercase())
}

fn at_address(generations: &[Gfx], addr: u32) -> Result<Selection, String> {
    let mut found = collect(generations, By::Address(addr), "", |_| false);
    for &gfx in generations {
        found.registers.extend(regs::lookup(gfx, addr).map(|r| Hit { gfx, info: r.info(), element: (r.element() > 0).then(|| r.element()) }));
    }
    if found.is_empty() { Err(nothing_at(generations, addr)) } else { Ok(found) }
}

fn nothing_at(generations: &[Gfx], addr: u32) -> String {
    if !addr.is_multiple_of(4) {
        return format!("0x{addr:05X} is not a multiple of 4: addresses are in bytes, and this dword begins at 0x{:05X}", addr & !3);
    }
    let before = generations.iter().filter_map(|&gfx| (1..64).find_map(|i| regs::lookup(gfx, addr.checked_sub(4 * i)?))).max_by_key(|r| r.addr());
    let hint = before.map_or(String::new(), |r| format!("; the nearest below is {r} at 0x{:05X}", r.addr()));
    format!("there is no register at 0x{addr:05X} on {}{hint}", label(generations))
}

fn nothing(generations: &[Gfx], pattern: &str, text: &str) -> String {
    if generations.iter().any(|gfx| Opcode::from_name(*gfx, &text.to_ascii_uppercase()).is_some()) {
        return format!("`{pattern}` is a packet: docs/packets.md and the manual (--html DIR) describe it");
    }
    let of = |&gfx| {
        let fields = regs::registers(gfx).flat_map(|info| info.fields).map(|field| field.name);
        regs::registers(gfx).map(|info| info.name).chain(regs::enums(gfx).map(|values| values.name)).chain(fields)
    };
    let hint = arguments::did_you_mean(text, generations.iter().flat_map(of));
    format!("nothing on {} is named `{pattern}`: no register, value list or field{hint}", label(generations))
}
