//! Typed access to parsed TOML that keeps the place of every key and value for messages.

use crate::diag::{Diagnostic, Result, Source, Span, did_you_mean};
use crate::gfx::GfxSet;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value, with its place and that of its key (for array items, both are the item).
#[derive(Clone)]
pub struct Node<'a> {
    pub file: usize,
    pub key: Span,
    value: &'a Spanned<DeValue<'a>>,
}

/// A table whose keys are looked up by name.
#[derive(Clone)]
pub struct Table<'a> {
    pub span: Span,
    file: usize,
    table: &'a DeTable<'a>,
}

/// A string with its place.
#[derive(Clone)]
pub struct Text {
    pub text: String,
    pub span: Span,
}

/// Parses a file; a TOML syntax error becomes a diagnostic like any other.
pub fn parse<'a>(file: usize, source: &'a Source) -> Result<Spanned<DeTable<'a>>> {
    DeTable::parse(&source.text).map_err(|e| {
        let range = e.span().unwrap_or(0..0);
        Diagnostic::new(Span { file, range }, format!("not valid TOML: {}", e.message()))
    })
}

/// Returns the root table of a parsed file.
pub fn root<'a>(file: usize, parsed: &'a Spanned<DeTable<'a>>) -> Table<'a> {
    Table { span: Span { file, range: 0..0 }, file, table: parsed.get_ref() }
}

impl<'a> Table<'a> {
    /// Returns all entries in file order.
    pub fn entries(&self) -> Vec<(&'a str, Node<'a>)> {
        let mut all = Vec::new();
        for (key, value) in self.table {
            let span = Span { file: self.file, range: key.span() };
            all.push((key.get_ref().as_ref(), Node { file: self.file, key: span, value }));
        }
        all.sort_by_key(|(_, node)| node.key.range.start);
        all
    }

    pub fn get(&self, name: &str) -> Option<Node<'a>> {
        let (key, value) = self.table.get_key_value(name)?;
        Some(Node { file: self.file, key: Span { file: self.file, range: key.span() }, value })
    }

    pub fn need(&self, name: &str) -> Result<Node<'a>> {
        self.get(name).ok_or_else(|| Diagnostic::new(self.span.clone(), format!("`{name}` is missing")))
    }

    /// Refuses keys that the schema does not contain; the help names the nearest known key, or all of them.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        for (name, node) in self.entries() {
            if !known.contains(&name) {
                let help = did_you_mean(name, known).unwrap_or_else(|| format!("the keys allowed here are {}", known.join(", ")));
                return Err(Diagnostic::new(node.key, format!("unknown key `{name}`")).help(help));
            }
        }
        Ok(())
    }

    pub fn string(&self, name: &str) -> Result<Option<String>> {
        match self.get(name) {
            Some(node) => Ok(Some(node.string()?.into_owned())),
            None => Ok(None),
        }
    }

    pub fn text(&self, name: &str) -> Result<Option<Text>> {
        match self.get(name) {
            Some(node) => Ok(Some(node.text()?)),
            None => Ok(None),
        }
    }

    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            Some(node) => node.boolean(),
            None => Ok(false),
        }
    }

    pub fn number(&self, name: &str) -> Result<Option<u32>> {
        match self.get(name) {
            Some(node) => Ok(Some(node.number()?)),
            None => Ok(None),
        }
    }

    /// Returns the key `gfx`, or `otherwise` if it is missing.
    pub fn gfx(&self, otherwise: GfxSet) -> Result<GfxSet> {
        match self.get("gfx") {
            Some(node) => node.gfx(),
            None => Ok(otherwise),
        }
    }

    /// Returns the items of a list, or a single item; none if the key is missing.
    pub fn items(&self, name: &str) -> Vec<Node<'a>> {
        match self.get(name) {
            Some(node) => node.items(),
            None => Vec::new(),
        }
    }

    /// Returns the items of a value that must be a list.
    pub fn array(&self, name: &str) -> Result<Vec<Node<'a>>> {
        match self.get(name) {
            Some(node) => node.array(),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the strings of a list, or a single string; none if the key is missing.
    pub fn strings(&self, name: &str) -> Result<Vec<String>> {
        each(&self.items(name), &|node| Ok(node.string()?.into_owned()))
    }

    /// Returns the same strings with their places.
    pub fn texts(&self, name: &str) -> Result<Vec<Text>> {
        texts(&self.items(name))
    }

    /// Returns a required string.
    pub fn need_string(&self, name: &str) -> Result<String> {
        Ok(self.need(name)?.string()?.into_owned())
    }

    /// Returns a required string with its place.
    pub fn need_text(&self, name: &str) -> Result<Text> {
        self.need(name)?.text()
    }

    /// Returns the place of a key's value, or `otherwise` if the key is missing.
    pub fn span_of(&self, name: &str, otherwise: &Span) -> Span {
        match self.get(name) {
            Some(node) => node.span(),
            None => otherwise.clone(),
        }
    }
}

/// Reads each node, up to the first mistake.
pub fn each<T>(nodes: &[Node<'_>], read: &dyn Fn(&Node<'_>) -> Result<T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for node in nodes {
        all.push(read(node)?);
    }
    Ok(all)
}

/// Reads each node as a string.
pub fn texts(nodes: &[Node<'_>]) -> Result<Vec<Text>> {
    each(nodes, &|node| node.text())
}

impl<'a> Node<'a> {
    pub fn span(&self) -> Span {
        Span { file: self.file, range: self.value.span() }
    }

    /// Returns the mistake for a value that is not `what`.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Diagnostic::new(self.span(), format!("{what} is expected here, not {found}"))
    }

    pub fn is_string(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    pub fn is_integer(&self) -> bool {
        self.value.get_ref().is_integer()
    }

    pub fn string(&self) -> Result<Cow<'a, str>> {
        match self.value.get_ref().as_str() {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => Err(self.expected("a string")),
        }
    }

    pub fn text(&self) -> Result<Text> {
        Ok(Text { text: self.string()?.into_owned(), span: self.span() })
    }

    pub fn boolean(&self) -> Result<bool> {
        self.value.get_ref().as_bool().ok_or_else(|| self.expected("true or false"))
    }

    pub fn number(&self) -> Result<u32> {
        let integer = self.value.get_ref().as_integer().ok_or_else(|| self.expected("a number"))?;
        u32::from_str_radix(integer.as_str(), integer.radix())
            .map_err(|_| Diagnostic::new(self.span(), format!("`{integer}` is not a 32-bit number: 0 to 0xFFFFFFFF")))
    }

    pub fn table(&self) -> Result<Table<'a>> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.expected("a table"))?;
        // The place of a table is its key: the span of a [header] table is only the header line.
        Ok(Table { span: self.key.clone(), file: self.file, table })
    }

    pub fn array(&self) -> Result<Vec<Node<'a>>> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.expected("a list"))?;
        let mut nodes = Vec::new();
        for value in array.iter() {
            nodes.push(Node { file: self.file, key: Span { file: self.file, range: value.span() }, value });
        }
        Ok(nodes)
    }

    /// Returns the items of a list; a single item counts as a list of one.
    pub fn items(&self) -> Vec<Node<'a>> {
        self.array().unwrap_or_else(|_| vec![self.clone()])
    }

    pub fn gfx(&self) -> Result<GfxSet> {
        GfxSet::parse(&self.string()?).map_err(|why| Diagnostic::new(self.span(), why))
    }

    /// Parses bits `"hi:lo"` or `"bit"` and returns (lo, hi).
    pub fn bits(&self) -> Result<(u8, u8)> {
        let text = self.string()?;
        let bad = |why: &str| Diagnostic::new(self.span(), format!("`{text}` {why}"));
        let (hi, lo) = text.split_once(':').unwrap_or((&text, &text));
        let number = |s: &str| {
            s.parse::<u8>().ok().filter(|_| s.bytes().all(|byte| byte.is_ascii_digit())).ok_or_else(|| bad("is not a bit range: write \"hi:lo\" or \"bit\""))
        };
        let (hi, lo) = (number(hi)?, number(lo)?);
        if hi > 31 {
            return Err(bad("goes beyond bit 31"));
        }
        if hi < lo {
            return Err(bad("has its ends in the wrong order: write the higher bit first"));
        }
        Ok((lo, hi))
    }
}
