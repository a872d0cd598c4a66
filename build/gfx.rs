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

pub struct Generation {
    pub name: &'static str,
    pub id: &'static str,
    pub variant: &'static str,
}

/// A set of generations, one bit each in the order of [`GENERATIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    pub fn indices(self) -> impl Iterator<Item = usize> {
        (0..GENERATIONS.len()).filter(move |&i| self.has(i))
    }
    pub fn first(self) -> Option<usize> {
        self.indices().next()
    }

    /// Reads the range notation; the error is a sentence for the person who wrote it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("no generation is named: leave the key out to mean all of them".to_owned());
        }
        let mut set = 0u8;
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
            for (index, generation) in GENERATIONS.iter().enumerate().take(last + 1).skip(first) {
                if set >> index & 1 == 1 {
                    return Err(format!("GFX{} is named twice", generation.name));
                }
                set |= 1 << index;
            }
        }
        Ok(Self(set))
    }
}

impl std::fmt::Display for GfxSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.indices().map(|i| GENERATIONS[i].name).collect();
        f.write_str(&names.join(", "))
    }
}

fn index_of(name: &str) -> Result<usize, String> {
    GENERATIONS.iter().position(|g| g.name == name.trim()).ok_or_else(|| {
        let known: Vec<_> = GENERATIONS.iter().map(|g| g.name).collect();
        format!("`{name}` is not a generation; known are {}", known.join(", "))
    })
}
