//! Finds which file needs which: resolves every import and path through re-exports, globs and faces to the file with the definition.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{Mention, Tree};

/// A file needs something from another. Files are indices into [`Tree::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
}

/// The names for which an arrow exists, each with the first line that uses it.
pub type Arrows = BTreeMap<Arrow, BTreeMap<String, usize>>;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Module(usize),
    /// An item defined in this file.
    Item(usize),
}

/// Names being looked up: imports can be circular.
type Open = BTreeSet<(usize, String)>;

pub fn arrows(tree: &Tree) -> Arrows {
    let mut arrows = Arrows::new();
    for (at, module) in tree.modules.iter().enumerate() {
        let mut add = |files: BTreeSet<usize>, name: &str, line: usize| {
            for to in files.into_iter().filter(|to| *to != module.file) {
                let first = arrows.entry(Arrow { from: module.file, to }).or_default().entry(name.to_owned()).or_insert(line);
                *first = line.min(*first);
            }
        };
        for import in &module.imports {
            let mut files = tree.needed(tree.resolve(at, &import.path, &mut Open::new()).unwrap_or_default());
            if import.public && tree.file(at).is_face() {
                // Re-exports of a face from its own folder are not needs of the face.
                let below = tree.file(at).path.trim_end_matches("mod.rs").trim_end_matches("lib.rs");
                files.retain(|file| !tree.files[*file].path.starts_with(below));
            }
            add(files, import.name.as_deref().unwrap_or("*"), import.line);
        }
        for mention in &module.mentions {
            add(tree.mentioned(at, mention), mention.name(), mention.line);
        }
    }
    arrows
}

/// Returns the globs that import everything from the face of another folder: the file, the line, the face.
pub fn globs_of_faces(tree: &Tree) -> Vec<(usize, usize, usize)> {
    let mut globs = Vec::new();
    for (at, module) in tree.modules.iter().enumerate() {
        for import in module.imports.iter().filter(|import| import.name.is_none()) {
            for found in tree.resolve(at, &import.path, &mut Open::new()).unwrap_or_default() {
                if let Found::Module(face) = found
                    && tree.file(face).is_face()
                    && tree.modules[face].file != module.file
                    && tree.file(face).folder() != tree.file(at).folder()
                {
                    globs.push((module.file, import.line, tree.modules[face].file));
                }
            }
        }
    }
    globs
}

impl Mention {
    /// Returns the needed name: the type in `Type::function`.
    fn name(&self) -> &str {
        let is_type = |name: &&String| name.starts_with(|first: char| first.is_uppercase());
        self.path.iter().find(is_type).or(self.path.last()).map_or("", String::as_str)
    }
}

impl Tree {
    /// Returns the files that define what was found. A face imported as a module is not one: uses of its items have paths of their own.
    fn needed(&self, found: BTreeSet<Found>) -> BTreeSet<usize> {
        let items: BTreeSet<usize> = found.iter().filter_map(|found| if let Found::Item(file) = found { Some(*file) } else { None }).collect();
        if !items.is_empty() {
            return items;
        }
        let is_block = |module: usize| self.modules[module].parent.is_some_and(|parent| self.modules[parent].file == self.modules[module].file);
        let modules = found.iter().filter_map(|found| if let Found::Module(module) = found { Some(*module) } else { None });
        modules.filter(|module| is_block(*module) || !self.file(*module).is_face()).map(|module| self.modules[module].file).collect()
    }

    fn mentioned(&self, module: usize, mention: &Mention) -> BTreeSet<usize> {
        let mut found = self.resolve(module, &mention.path, &mut Open::new());
        if mention.calls_macro && mention.path.len() == 1 {
            // Names in scope from enclosing modules.
            let mut around = Some(module);
            while let Some(at) = around.filter(|_| found.is_none()) {
                found = self.modules[at].macros.get(&mention.path[0]).map(|file| BTreeSet::from([Found::Item(*file)]));
                around = self.modules[at].parent;
            }
        }
        self.needed(found.unwrap_or_default())
    }

    /// Resolves a path in a module; `None` if nothing in this crate has its first name, or if a face hides it.
    fn resolve(&self, module: usize, path: &[String], open: &mut Open) -> Option<BTreeSet<Found>> {
        let mut here = module;
        let mut rest = path;
        while let Some((first, behind)) = rest.split_first() {
            match first.as_str() {
                "crate" => here = 0,
                "self" => {}
                "super" => here = self.modules[here].parent?,
                _ => break,
            }
            rest = behind;
        }
        let is_absolute = rest.len() < path.len();
        let mut found = BTreeSet::from([Found::Module(here)]);
        for (at, name) in rest.iter().enumerate() {
            let mut next = BTreeSet::new();
            for place in &found {
                match *place {
                    // `Type::function` is where the type is.
                    Found::Item(_) => _ = next.insert(*place),
                    Found::Module(module) => match self.member(module, name, open) {
                        Some(members) if members.is_empty() && (at > 0 || is_absolute) => next.extend(self.shown(module)),
                        Some(members) => next.extend(members),
                        None if at == 0 && !is_absolute => return None,
                        None => next.extend(self.generated(module, open)),
                    },
                }
            }
            // A module and an item may share a name; a longer path means the module.
            if at + 1 < rest.len() && next.iter().any(|found| matches!(found, Found::Module(_))) {
                next.retain(|found| matches!(found, Found::Module(_)));
            }
            found = next;
        }
        Some(found)
    }

    /// Resolves a name in a module; `None` if it does not exist, empty if it comes from another crate.
    fn member(&self, module: usize, name: &str, open: &mut Open) -> Option<BTreeSet<Found>> {
        let here = &self.modules[module];
        let mut found = BTreeSet::new();
        let mut is_known = false;
        if let Some(child) = here.children.get(name) {
            found.insert(Found::Module(*child));
        }
        if here.items.contains(name) {
            found.insert(Found::Item(here.file));
        }
        if !open.insert((module, name.to_owned())) {
            return (!found.is_empty()).then_some(found);
        }
        for import in here.imports.iter().filter(|import| import.name.as_deref() == Some(name)) {
            // A macro exported by name: `pub(crate) use name;`.
            let resolved = self.resolve(module, &import.path, open);
            is_known |= found.is_empty();
            found.extend(resolved.unwrap_or_default());
        }
        if found.is_empty() && !is_known {
            for import in here.imports.iter().filter(|import| import.name.is_none()) {
                for place in self.resolve(module, &import.path, open).unwrap_or_default() {
                    if let Found::Module(glob) = place {
                        found.extend(self.member(glob, name, open).unwrap_or_default());
                    }
                }
            }
        }
        open.remove(&(module, name.to_owned()));
        (is_known || !found.is_empty()).then_some(found)
    }

    /// Returns where a name without an item may be: among those generated by a macro or the build. A face may re-export them by a glob.
    fn generated(&self, module: usize, open: &mut Open) -> BTreeSet<Found> {
        if !self.file(module).is_face() {
            return BTreeSet::from([Found::Item(self.modules[module].file)]);
        }
        let mut found = BTreeSet::new();
        for import in self.modules[module].imports.iter().filter(|import| import.public && import.name.is_none()) {
            for place in self.resolve(module, &import.path, open).unwrap_or_default() {
                if let Found::Module(glob) = place
                    && self.modules[glob].generated
                {
                    found.insert(Found::Item(self.modules[glob].file));
                }
            }
        }
        if found.is_empty() {
            found.insert(Found::Item(self.modules[module].file));
        }
        found
    }

    /// Returns where an item of another crate is named: in the file that re-exports it, unless that is a face.
    fn shown(&self, module: usize) -> BTreeSet<Found> {
        if self.file(module).is_face() { BTreeSet::new() } else { BTreeSet::from([Found::Item(self.modules[module].file)]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Sources;

    /// Returns the arrows of a made-up crate as `from -> to: names`.
    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Sources = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let tree = Tree::new(&sources).unwrap();
        let line = |(arrow, names): (Arrow, BTreeMap<String, usize>)| {
            let names: Vec<String> = names.into_keys().collect();
            format!("{} -> {}: {}", tree.files[arrow.from].path, tree.files[arrow.to].path, names.join(" "))
        };
        let mut lines: Vec<String> = arrows(&tree).into_iter().map(line).collect();
        lines.sort();
        lines
    }

    #[test]
    fn use_trees_and_inline_paths_are_arrows() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::{self, One, inner::{Two as Deux}}; fn f() -> b::Three { super::c::f::<One>() }"),
            ("b.rs", "pub struct One; pub struct Three; pub mod inner { pub struct Two; }"),
            ("c.rs", "pub fn f<T>() { core::mem::size_of::<T>(); }"),
        ];
        assert_eq!(of(&files), ["a.rs -> b.rs: Deux One Three b", "a.rs -> c.rs: f"]);
    }

    #[test]
    fn re_exports_are_followed_to_the_file_that_defines() {
        let files = [
            ("lib.rs", "mod a; mod room; pub use room::Named;"),
            ("a.rs", "use crate::Named; use crate::room::Other;"),
            ("room/mod.rs", "mod one; mod two; pub use one::Named; pub use two::*;"),
            ("room/one.rs", "pub struct Named;"),
            ("room/two.rs", "pub use super::one::Named as Again; pub struct Other;"),
        ];
        assert_eq!(of(&files), ["a.rs -> room/one.rs: Named", "a.rs -> room/two.rs: Other", "room/two.rs -> room/one.rs: Again"]);
    }

    #[test]
    fn a_face_ties_nothing_by_what_it_shows_of_its_own_folder_alone() {
        let files = [
            ("lib.rs", "mod low; mod room;"),
            ("low.rs", "pub struct Low;"),
            ("room/mod.rs", "mod one; pub use one::One; pub use crate::low::Low;"),
            ("room/one.rs", "pub struct One;"),
        ];
        assert_eq!(of(&files), ["room/mod.rs -> low.rs: Low"]);
    }

    #[test]
    fn what_a_face_defines_or_computes_counts() {
        let files = [
            ("lib.rs", "mod room;"),
            ("room/mod.rs", "mod one; mod two; pub fn both() { one::f(); two::f(); } pub const LIMIT: u32 = 1;"),
            ("room/one.rs", "pub fn f() { super::LIMIT; }"),
            ("room/two.rs", "pub fn f() {}"),
        ];
        assert_eq!(of(&files), ["room/mod.rs -> room/one.rs: f", "room/mod.rs -> room/two.rs: f", "room/one.rs -> room/mod.rs: LIMIT"]);
    }

    #[test]
    fn names_that_come_by_a_glob_are_followed() {
        let files = [
            ("lib.rs", "mod a; mod room;"),
            ("a.rs", "use crate::room::*; fn f(_: One) { two::g(); }"),
            ("room/mod.rs", "mod one; pub mod two; pub use one::One;"),
            ("room/one.rs", "pub struct One;"),
            ("room/two.rs", "pub fn g() {}"),
        ];
        assert_eq!(of(&files), ["a.rs -> room/one.rs: One", "a.rs -> room/two.rs: g"]);
    }

    #[test]
    fn macros_lead_to_the_file_that_defines_them() {
        let files = [
            ("lib.rs", "#[macro_use] mod by_text; mod by_path; mod hidden; mod a;"),
            ("by_text.rs", "macro_rules! first { () => {} }"),
            ("hidden.rs", "macro_rules! write { () => {} }"),
            ("by_path.rs", "macro_rules! second { () => {} } pub(crate) use second;"),
            ("a.rs", "use crate::by_path::second; fn f() { first!(); second!(); write!(); } mod block { fn g() { first!(); } }"),
        ];
        assert_eq!(of(&files), ["a.rs -> by_path.rs: second", "a.rs -> by_text.rs: first"]);
    }

    #[test]
    fn paths_in_the_tokens_of_macros_count() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b; macro_rules! m { ($e:expr) => { $crate::c::f($e) } } fn f() { m!(b::One::new::<super::d::Two>().d::<u32>()); }"),
            ("b.rs", "pub struct One;"),
            ("c.rs", "pub fn f(_: u32) {}"),
            ("d.rs", "pub struct Two;"),
        ];
        assert_eq!(of(&files), ["a.rs -> b.rs: One b", "a.rs -> c.rs: f", "a.rs -> d.rs: Two"]);
    }

    #[test]
    fn imports_in_the_tokens_of_macros_count() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "items! { mod inner { use crate::b::{One, two::Two}; } }"),
            ("b.rs", "pub struct One; pub mod two { pub struct Two; }"),
        ];
        assert_eq!(of(&files), ["a.rs -> b.rs: One Two"]);
    }

    #[test]
    fn names_that_the_build_makes_are_in_the_file_that_includes_them() {
        let files = [
            ("lib.rs", "mod a; mod regs;"),
            ("a.rs", "use crate::regs::gfx11 as r; use crate::regs::Named; fn f(_: r::DbZInfo) {}"),
            ("regs/mod.rs", "mod info; mod typed; pub use info::*; pub use typed::*;"),
            ("regs/info.rs", "pub struct Info;"),
            ("regs/typed.rs", "include!(\"typed.rs\"); words! { pub struct Named; }"),
        ];
        assert_eq!(of(&files), ["a.rs -> regs/typed.rs: DbZInfo Named r"]);
    }

    #[test]
    fn names_in_the_tokens_of_macros_are_defined_there() {
        let files = [
            ("lib.rs", "mod a; mod room;"),
            ("a.rs", "use crate::room::One;"),
            ("room/mod.rs", "mod one; mod two; pub use one::*; pub use two::*;"),
            ("room/one.rs", "words! { #[doc = \"\"] pub struct One { X: 1 } }"),
            ("room/two.rs", "words! { pub struct Two { X: 1 } }"),
        ];
        assert_eq!(of(&files), ["a.rs -> room/one.rs: One"]);
    }

    #[test]
    fn tests_comments_attributes_and_visibilities_do_not_count() {
        let files = [
            ("lib.rs", "mod a; mod b; mod error; #[derive(Debug)] struct S(#[error] u32);"),
            (
                "a.rs",
                "//! [`crate::b::One`]\n#[doc = \"crate::b\"] pub(in crate::b) struct S; #[cfg(test)] mod tests { use crate::b::One; }\n#[cfg(all(test, unix))] mod more;",
            ),
            ("b.rs", "pub struct One;"),
            ("error.rs", ""),
        ];
        assert_eq!(of(&files), [""; 0]);
    }

    #[test]
    fn imports_in_blocks_and_of_modules_beside_count() {
        let files = [
            ("lib.rs", "mod room;"),
            ("room/mod.rs", "mod a; mod b; mod c;"),
            ("room/a.rs", "fn f() { use super::b; b::g(); } mod inner { use super::super::c::h; }"),
            ("room/b.rs", "pub fn g() {}"),
            ("room/c.rs", "pub fn h() {}"),
        ];
        assert_eq!(of(&files), ["room/a.rs -> room/b.rs: b g", "room/a.rs -> room/c.rs: h"]);
    }
}
