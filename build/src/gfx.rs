//! Generations, sets of them, and the range notation of the description files (`"9..=10.3"`, `"11.."`, `"9, 11"`).

/// The generations, oldest first: name in description files, Rust module and feature, variant of `Gfx`.
pub const GENERATIONS: [Generation; 6] = [
    Generation { name: "9", id: "gfx9", variant: "Gfx9" },
    Generation { name: "10", id: "gfx10", variant: "Gfx10" },
    Generation { name: "10.3", id: "gfx103", variant: "Gfx103" },
    Generation { name: "11", id: "gfx11", variant: "Gfx11" },
    Generation { name: "11.5", id: "gfx115", variant: "Gfx115" },
    Generation { name: "12", id: "gfx12", variant: "Gfx12" },
];

/// Families of generations that share most registers: variant of `Family`, and the module of what its generations share. Code for a family is compiled once.
pub const FAMILIES: [Family; 4] = [
    Family { variant: "Gfx9", id: "gfx9", gfx: GfxSet(0b00_0001) },
    Family { variant: "Gfx10x", id: "gfx10x", gfx: GfxSet(0b00_0110) },
    Family { variant: "Gfx11x", id: "gfx11x", gfx: GfxSet(0b01_1000) },
    Family { variant: "Gfx12", id: "gfx12", gfx: GfxSet(0b10_0000) },
];

pub struct Family {
    pub variant: &'static str,
    pub id: &'static str,
    pub gfx: GfxSet,
}

impl Family {
    /// Returns whether the family is a single generation and has its name.
    pub fn is_one(&self) -> bool {
        self.gfx.indices().count() == 1
    }
}

pub struct Generation {
    pub name: &'static str,
    pub id: &'static str,
    pub variant: &'static str,
}

/// A set of generations, one bit each, in the order of [`GENERATIONS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GfxSet(pub u8);

impl GfxSet {
    pub const ALL: Self = Self(0x3f);
    pub const NONE: Self = Self(0);

    pub fn only(index: usize) -> Self {
        Self(1 << index)
    }
    pub fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    pub fn indices(self) -> Indices {
        Indices(self)
    }
    pub fn first(self) -> Option<usize> {
        self.indices().next()
    }

    /// Parses the range notation; the error is a sentence for the author of the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("no generation is named: leave the key out to mean all of them".to_owned());
        }
        let mut set = Self::NONE;
        for part in text.split(',').map(str::trim) {
            let (first, last) = match part.split_once("..") {
                None => {
                    let only = index_of(part)?;
                    (only, only)
                }
                Some((from, to)) => {
                    let first = if from.is_empty() { 0 } else { index_of(from)? };
                    let last = match (to, to.strip_prefix('=')) {
                        ("", _) => GENERATIONS.len() - 1,
                        (_, Some(to)) => index_of(to)?,
                        (_, None) => return Err(format!("`{part}`: write an inclusive end, `..={to}`")),
                    };
                    (first, last)
                }
            };
            if first > last {
                return Err(format!("`{part}` runs backwards"));
            }
            let range = Self((1 << (last + 1)) - (1 << first));
            if let Some(twice) = set.and(range).first() {
                return Err(format!("GFX{} is named twice", GENERATIONS[twice].name));
            }
            set = set.or(range);
        }
        Ok(set)
    }
}

/// The indices of a set in [`GENERATIONS`], oldest first. A separate type, because the compiler would otherwise instantiate each filtered range per use.
pub struct Indices(GfxSet);

impl Iterator for Indices {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let index = self.0.0.trailing_zeros() as usize;
        self.0 = self.0.minus(GfxSet::only(index));
        Some(index)
    }
}

impl std::fmt::Display for GfxSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (count, index) in self.indices().enumerate() {
            f.write_str(if count == 0 { "" } else { ", " })?;
            f.write_str(GENERATIONS[index].name)?;
        }
        Ok(())
    }
}

fn index_of(name: &str) -> Result<usize, String> {
    match GENERATIONS.iter().position(|g| g.name == name.trim()) {
        Some(index) => Ok(index),
        None => Err(format!("`{name}` is not a generation; known are {}", GfxSet::ALL)),
    }
}
