//! Shared by both kinds of packet structs: which queue of which generation reads which layout of a packet, and the names of the structs.

use super::table;
use crate::gfx::{GENERATIONS, GfxSet};
use crate::model::packets::*;
use crate::names::camel;
use std::collections::BTreeMap;
use std::fmt::Write;

const PFP: u32 = 0b0001;

/// The queues on which a packet may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    Graphics,
    Compute,
    Constant,
}

impl Queue {
    const ALL: [Self; 3] = [Self::Graphics, Self::Compute, Self::Constant];

    /// Returns the bits of PFP and ME, MEC, or CE.
    fn engines(self) -> u32 {
        match self {
            Self::Graphics => 0b0011,
            Self::Compute => 0b0100,
            Self::Constant => 0b1000,
        }
    }

    /// Returns the suffix that distinguishes a struct from that of the graphics queue.
    fn suffix(self) -> &'static str {
        match self {
            Self::Graphics => "",
            Self::Compute => "Compute",
            Self::Constant => "Constant",
        }
    }
}

/// The generations and queues of a struct.
pub type Cells = Vec<(usize, Queue)>;

/// A layout as a queue of a generation sees it.
pub struct View<'a> {
    pub form: &'a Form,
    /// Index of the form in the packet.
    pub index: usize,
    pub gfx: usize,
    pub queue: Queue,
    /// Dwords including the header, without the repeated group if the form has one.
    pub size: u8,
    scope: Scope,
}

/// Returns all layouts of a packet that may be in a buffer.
pub fn views(packet: &Packet) -> Vec<View<'_>> {
    let mut views = Vec::new();
    for (index, form) in packet.forms.iter().enumerate().filter(|(_, f)| !f.internal) {
        for gfx in form.scope.gfx().indices() {
            for queue in Queue::ALL {
                let scope = form.scope.and(Scope(queue.engines() << (4 * gfx)));
                let sizes = form.sizes.iter().filter(|(set, _)| !scope.is_empty() && set.has(gfx));
                views.extend(sizes.map(|&(_, size)| View { form, index, gfx, queue, size: form.repeat.map_or(size, |r| r.from), scope }));
            }
        }
    }
    views
}

impl View<'_> {
    /// Returns the entries of the emitted field table that apply here, with their numbers and whether they have conditions: the fields of PFP if it reads the
    /// packet, and those that ME adds.
    pub fn fields<'f>(&self, packets: &Packets, form: &'f Form) -> Vec<(usize, &'f Field, bool)> {
        let table = table(packets, form);
        let pfp = self.scope.and(Scope(PFP << (4 * self.gfx)));
        let first = if table.iter().any(|(_, s, _)| s.intersects(pfp)) { pfp } else { self.scope };
        let shares = |a: &Field, b: &Field| a.dword == b.dword && a.lo <= b.hi && b.lo <= a.hi;
        let covered = |field: &Field| table.iter().any(|(other, s, _)| s.intersects(first) && shares(other, field));
        let seen = |&(_, &(field, scope, _)): &(usize, &(&'f Field, Scope, bool))| {
            field.dword < self.size && scope.intersects(self.scope) && (scope.intersects(first) || !covered(field))
        };
        table.iter().enumerate().filter(seen).map(|(entry, &(field, _, conditional))| (entry, field, conditional)).collect()
    }
}

/// A struct that needs a name.
pub trait Shape {
    fn size(&self) -> u8;
    fn cells(&self) -> &Cells;

    /// Returns the queue after which it is named: the graphics queue, if it has the layout.
    fn queue(&self) -> Queue {
        self.cells().iter().map(|(_, queue)| *queue).min().unwrap_or(Queue::Graphics)
    }

    fn gfx(&self) -> GfxSet {
        GfxSet(self.cells().iter().fold(0, |set, (gfx, _)| set | 1 << gfx))
    }

    fn scope(&self, packet: &Packet) -> Scope {
        Scope(self.cells().iter().fold(0, |set, (gfx, queue)| set | queue.engines() << (4 * gfx))).and(packet.scope)
    }

    /// Returns the size, if it distinguishes structs of one queue and generation.
    fn size_in_name<S: Shape>(&self, all: &[S]) -> Option<u8> {
        let smallest = all.iter().map(Shape::size).min();
        let beside = all.iter().any(|s| s.size() != self.size() && s.cells().iter().any(|c| self.cells().contains(c)));
        Some(self.size()).filter(|_| beside && smallest != Some(self.size()))
    }
}

/// Returns the name within a generation, and the name among all generations.
pub fn names<S: Shape>(packet: &Packet, this: &S, all: &[S]) -> (String, String) {
    let mut plain = camel(&packet.name);
    if let Some(size) = this.size_in_name(all) {
        write!(plain, "Dw{size}").unwrap_or_default();
    }
    let mut name = plain.clone();
    if all.iter().any(|s| s.queue() != this.queue()) {
        name.push_str(this.queue().suffix());
    }
    let key = |s: &S| (s.size_in_name(all), s.queue());
    if all.iter().filter(|s| key(s) == key(this)).count() > 1 {
        // Named after the graphics queue, if it has the layout.
        let first = this.cells().iter().min_by_key(|(gfx, queue)| (*queue, *gfx)).map_or(0, |(gfx, _)| *gfx);
        name.push_str(&camel(GENERATIONS[first].id));
    }
    (plain, name)
}

/// The structs of each generation: their names among all generations, and within it.
#[derive(Default)]
pub struct Modules {
    lists: BTreeMap<usize, Vec<(String, String)>>,
}

impl Modules {
    pub fn add<S: Shape>(&mut self, this: &S, all: &[S], (plain, name): &(String, String)) {
        for &(gfx, queue) in this.cells() {
            let graphics = |s: &S| s.cells().contains(&(gfx, Queue::Graphics));
            let suffix = if !graphics(this) && all.iter().any(|s| s.cells().iter().any(|c| c.0 == gfx && c.1 < queue) && !std::ptr::eq(s, this)) {
                queue.suffix()
            } else {
                ""
            };
            let import = (name.clone(), format!("{plain}{suffix}"));
            let list = self.lists.entry(gfx).or_default();
            if !list.contains(&import) {
                list.push(import);
            }
        }
    }

    /// Returns one module per generation, with the structs of `place` under their plain names.
    pub fn emit(&self, doc: &str, place: &str) -> String {
        let mut out = String::new();
        for (&gfx, list) in &self.lists {
            let generation = &GENERATIONS[gfx];
            let imports: Vec<String> = list.iter().map(|(name, plain)| if name == plain { name.clone() } else { format!("{name} as {plain}") }).collect();
            let doc = doc.replace("{}", generation.name);
            writeln!(out, "/// {doc}\n#[cfg(feature = {0:?})]\npub mod {0} {{ pub use {place}{{{1}}}; }}", generation.id, imports.join(", "))
                .unwrap_or_default();
        }
        out
    }
}
