//! Reads the modules of a crate from its syntax trees: what each defines, imports and mentions.
//!
//! Modules that are compiled only for tests are ignored, and so are attributes, comments and visibilities: `pub(in crate::x)` imports nothing from `x`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// File contents by path relative to the folder of `lib.rs`.
pub type Sources = BTreeMap<String, String>;

/// Reads all Rust files below a folder, except those of programs (`bin/`).
pub fn read(folder: &Path) -> Result<Sources, String> {
    fn walk(folder: &Path, prefix: &str, sources: &mut Sources) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned()))?;
            if path.is_dir() {
                if !(prefix.is_empty() && name == "bin") {
                    walk(&path, &format!("{prefix}{name}/"), sources)?;
                }
            } else if name.ends_with(".rs") {
                sources.insert(format!("{prefix}{name}"), std::fs::read_to_string(&path)?);
            }
        }
        Ok(())
    }
    let mut sources = Sources::new();
    walk(folder, "", &mut sources).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(sources)
}

/// A file named by a module declaration.
pub struct File {
    /// Path relative to the folder of `lib.rs`.
    pub path: String,
    pub lines: usize,
}

impl File {
    /// Returns whether it is the face of a folder, whose `pub use` of the folder's contents is not an import.
    pub fn is_face(&self) -> bool {
        self.path == "lib.rs" || self.path.ends_with("/mod.rs")
    }

    /// Returns the folder of the file. A file next to `lib.rs` is a folder of its own.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or(&self.path, |(folder, _)| folder)
    }
}

/// A module: a file, or a block within one.
pub struct Module {
    pub file: usize,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// Names that it defines, including macros.
    pub items: BTreeSet<String>,
    /// Macros in scope without a path, and the files that define them: its own, and those of children with `#[macro_use]`.
    pub macros: BTreeMap<String, usize>,
    pub imports: Vec<Import>,
    pub mentions: Vec<Mention>,
    /// Whether some of its items come from a macro or an included file; undefined names may be among them.
    pub generated: bool,
}

/// A name, or a glob, imported by a `use`.
pub struct Import {
    pub path: Vec<String>,
    /// `None` for a glob.
    pub name: Option<String>,
    pub public: bool,
    pub line: usize,
}

/// A path in code.
pub struct Mention {
    pub path: Vec<String>,
    /// Whether it is the name of a called macro.
    pub calls_macro: bool,
    pub line: usize,
}

pub struct Tree {
    pub files: Vec<File>,
    pub modules: Vec<Module>,
}

impl Tree {
    /// Reads the module tree, starting at `lib.rs`.
    pub fn new(sources: &Sources) -> Result<Tree, String> {
        let mut tree = Tree { files: Vec::new(), modules: Vec::new() };
        tree.add_file(sources, "lib.rs", "", None)?;
        Ok(tree)
    }

    /// Adds the module of a file, whose children are in `folder`.
    fn add_file(&mut self, sources: &Sources, path: &str, folder: &str, parent: Option<usize>) -> Result<usize, String> {
        let text = sources.get(path).ok_or_else(|| format!("{path} does not exist, but a module declaration names it"))?;
        let syntax = syn::parse_file(text).map_err(|error| format!("{path}:{}: {error}", error.span().start().line))?;
        self.files.push(File { path: path.to_owned(), lines: text.lines().count() });
        self.add_module(sources, self.files.len() - 1, folder, parent, &syntax.items)
    }

    fn add_module(&mut self, sources: &Sources, file: usize, folder: &str, parent: Option<usize>, items: &[syn::Item]) -> Result<usize, String> {
        let module = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            macros: BTreeMap::new(),
            imports: Vec::new(),
            mentions: Vec::new(),
            generated: false,
        });
        let mut reader = ItemReader::default();
        for item in items {
            reader.visit_item(item);
        }
        for name in reader.macros {
            self.modules[module].macros.insert(name.clone(), file);
            reader.items.insert(name);
        }
        (self.modules[module].items, self.modules[module].imports) = (reader.items, reader.imports);
        (self.modules[module].mentions, self.modules[module].generated) = (reader.mentions, reader.generated);
        for item in items {
            let syn::Item::Mod(declared) = item else { continue };
            if is_test_only(&declared.attrs) {
                continue;
            }
            let name = declared.ident.to_string();
            let below = format!("{folder}{name}/");
            let child = match &declared.content {
                Some((_, items)) => self.add_module(sources, file, &below, Some(module), items)?,
                None => {
                    let beside = format!("{folder}{name}.rs");
                    let path = if sources.contains_key(&beside) { beside } else { format!("{below}mod.rs") };
                    self.add_file(sources, &path, &below, Some(module))?
                }
            };
            if declared.attrs.iter().any(|attribute| attribute.path().is_ident("macro_use")) {
                let macros = self.modules[child].macros.clone();
                self.modules[module].macros.extend(macros);
            }
            self.modules[module].children.insert(name, child);
        }
        Ok(module)
    }

    pub fn file(&self, module: usize) -> &File {
        &self.files[self.modules[module].file]
    }
}

/// Returns whether the item exists only in test builds: `#[cfg(test)]` and `#[cfg(all(test, ..))]`, and the same for the feature `self-test`.
fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    fn asks(meta: &syn::Meta) -> bool {
        match meta {
            syn::Meta::Path(path) => path.is_ident("test"),
            syn::Meta::NameValue(pair) => {
                let is_self_test =
                    |value: &syn::Expr| matches!(value, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if text.value() == "self-test");
                pair.path.is_ident("feature") && is_self_test(&pair.value)
            }
            syn::Meta::List(list) if list.path.is_ident("all") || list.path.is_ident("cfg") => {
                let parts = list.parse_args_with(syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated);
                parts.is_ok_and(|parts| parts.iter().any(asks))
            }
            syn::Meta::List(_) => false,
        }
    }
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") && asks(&attribute.meta))
}

fn line_of(path: &syn::Path) -> usize {
    path.segments.first().map_or(0, |segment| segment.ident.span().start().line)
}

/// Reads the items of a module, without those of nested modules.
#[derive(Default)]
struct ItemReader {
    items: BTreeSet<String>,
    macros: BTreeSet<String>,
    imports: Vec<Import>,
    mentions: Vec<Mention>,
    generated: bool,
    /// Nesting depth of code blocks: names defined in them are not visible outside.
    depth: usize,
}

impl ItemReader {
    fn define(&mut self, name: &syn::Ident) {
        if self.depth == 0 {
            self.items.insert(name.to_string());
        }
    }

    fn import(&mut self, tree: &syn::UseTree, prefix: &[String], public: bool) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        let (path, name, span) = match tree {
            syn::UseTree::Path(path) => return self.import(&path.tree, &with(&path.ident), public),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(tree, prefix, public)),
            syn::UseTree::Glob(glob) => (prefix.to_vec(), None, glob.star_token.spans[0]),
            syn::UseTree::Name(name) if name.ident == "self" => (prefix.to_vec(), prefix.last().cloned(), name.ident.span()),
            syn::UseTree::Rename(name) if name.ident == "self" => (prefix.to_vec(), Some(name.rename.to_string()), name.ident.span()),
            syn::UseTree::Name(name) => (with(&name.ident), Some(name.ident.to_string()), name.ident.span()),
            syn::UseTree::Rename(name) => (with(&name.ident), Some(name.rename.to_string()), name.ident.span()),
        };
        self.imports.push(Import { path, name, public, line: span.start().line });
    }

    /// Reads paths in the tokens of a macro call, or of a macro definition. In a definition, only paths from the crate root count, because all others are
    /// resolved at the call.
    fn tokens(&mut self, tokens: TokenStream, prefix: &[String], of_definition: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: usize, sign: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
        let mut at = 0;
        while at < tokens.len() {
            let TokenTree::Ident(first) = &tokens[at] else {
                if let TokenTree::Group(group) = &tokens[at] {
                    self.tokens(group.stream(), prefix, of_definition);
                }
                at += 1;
                continue;
            };
            // A field, a method, or the rest of a path that begins with a type.
            let is_rest = at > 0 && (is(at - 1, '.') && !(at > 1 && is(at - 2, '.')) || at > 1 && is(at - 1, ':') && is(at - 2, ':'));
            let is_variable = at > 0 && is(at - 1, '$');
            let mut path = prefix.to_vec();
            path.push(first.to_string());
            let line = first.span().start().line;
            at += 1;
            while is(at, ':') && is(at + 1, ':') {
                match tokens.get(at + 2) {
                    Some(TokenTree::Ident(next)) => {
                        path.push(next.to_string());
                        at += 3;
                    }
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                        self.tokens(group.stream(), &path, of_definition);
                        at += 3;
                        path.clear();
                    }
                    _ => break,
                }
            }
            let calls_macro = is(at, '!') && !is(at + 1, '=');
            let is_from_root = path.first().is_some_and(|first| first == "crate");
            // Of the variables in a definition, only `$crate` has a meaning here.
            let counts = !path.is_empty() && !is_rest && (!is_variable || is_from_root) && (!of_definition || is_from_root || calls_macro);
            if counts {
                self.mentions.push(Mention { path, calls_macro, line });
            }
        }
    }

    /// Reads names defined by the tokens of a macro call in item position.
    fn items_of_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for pair in tokens.windows(2) {
            if let [TokenTree::Ident(keyword), TokenTree::Ident(name)] = pair
                && ["struct", "enum", "union", "trait", "type", "const", "static", "fn", "mod"].iter().any(|word| keyword == word)
            {
                self.items.insert(name.to_string());
            }
        }
        for token in tokens {
            if let TokenTree::Group(group) = token {
                self.items_of_tokens(group.stream());
            }
        }
    }
}

impl<'ast> Visit<'ast> for ItemReader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if is_test_only(attributes) {
            return;
        }
        match item {
            syn::Item::Const(item) => self.define(&item.ident),
            syn::Item::Enum(item) => self.define(&item.ident),
            syn::Item::Fn(item) => self.define(&item.sig.ident),
            syn::Item::Static(item) => self.define(&item.ident),
            syn::Item::Struct(item) => self.define(&item.ident),
            syn::Item::Trait(item) => self.define(&item.ident),
            syn::Item::Type(item) => self.define(&item.ident),
            syn::Item::Union(item) => self.define(&item.ident),
            // Nested modules are read separately.
            syn::Item::Mod(_) => return,
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let Some(name) = item.ident.as_ref().filter(|_| item.mac.path.is_ident("macro_rules")) else {
            if self.depth == 0 {
                self.generated = true;
                self.items_of_tokens(item.mac.tokens.clone());
            }
            return self.visit_macro(&item.mac);
        };
        if self.depth == 0 {
            self.macros.insert(name.to_string());
        } else {
            // Local to a function, so calls need no other file.
            self.items.insert(name.to_string());
        }
        self.tokens(item.mac.tokens.clone(), &[], true);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let path = called.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.mentions.push(Mention { path, calls_macro: true, line: line_of(&called.path) });
        self.tokens(called.tokens.clone(), &[], false);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.mentions.push(Mention { path: names, calls_macro: false, line: line_of(path) });
        }
        visit::visit_path(self, path);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}
