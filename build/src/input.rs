//! Typed access to parsed TOML that keeps the place of every key and value, so that each mistake can be shown.

use crate::diag::{Diagnostic, Result, Source, Span, did_you_mean};
use crate::gfx::GfxSet;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and the place of the value itself and of its key (for array items both are the item).
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

/// Parses one file; a syntax error of TOML itself becomes a diagnostic like any other.
pub fn parse<'a>(file: usize, source: &'a Source) -> Result<Spanned<DeTable<'a>>> {
    DeTable::parse(&source.text).map_err(|e| {
        let range = e.span().unwrap_or(0..0);
        Diagnostic::new(Span { file, range }, format!("not valid TOML: {}", e.message()))
    })
}

/// The root table of a parsed file.
pub fn root<'a>(file: usize, parsed: &'a Spanned<DeTable<'a>>) -> Table<'a> {
    Table { span: Span { file, range: 0..0 }, file, table: parsed.get_ref() }
}

impl<'a> Table<'a> {
    /// All entries in the order of the file.
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

    /// Refuses keys that the schema does not know; the help names the nearest known one, or all.
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

    /// The key `gfx`, or `otherwise` when it is not there.
    pub fn gfx(&self, otherwise: GfxSet) -> Result<GfxSet> {
        match self.get("gfx") {
            Some(node) => node.gfx(),
            None => Ok(otherwise),
        }
    }

    /// The items of a list or of one item, none where the key is not there.
    pub fn items(&self, name: &str) -> Vec<Node<'a>> {
        match self.get(name) {
            Some(node) => node.items(),
            None => Vec::new(),
        }
    }

    /// The same for what must be a list.
    pub fn array(&self, name: &str) -> Result<Vec<Node<'a>>> {
        match self.get(name) {
            Some(node) => node.array(),
            None => Ok(Vec::new()),
        }
    }

    /// The texts of a list or of one item, none where the key is not there.
    pub fn strings(&self, name: &str) -> Result<Vec<String>> {
        each(&self.items(name), &|node| Ok(node.string()?.into_owned()))
    }

    /// The same with their places.
    pub fn texts(&self, name: &str) -> Result<Vec<Text>> {
        texts(&self.items(name))
    }

    /// A text that must be there.
    pub fn need_string(&self, name: &str) -> Result<String> {
        Ok(self.need(name)?.string()?.into_owned())
    }

    /// A text that must be there, with its place.
    pub fn need_text(&self, name: &str) -> Result<Text> {
        self.need(name)?.text()
    }

    /// The place of a key's value, or `otherwise` where the key is not there.
    pub fn span_of(&self, name: &str, otherwise: &Span) -> Span {
        match self.get(name) {
            Some(node) => node.span(),
            None => otherwise.clone(),
        }
    }
}

/// Reads each of some nodes, up to the first mistake.
pub fn each<T>(nodes: &[Node<'_>], read: &dyn Fn(&Node<'_>) -> Result<T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for node in nodes {
        all.push(read(node)?);
    }
    Ok(all)
}

/// Reads each of some nodes as a text.
pub fn texts(nodes: &[Node<'_>]) -> Result<Vec<Text>> {
    each(nodes, &|node| node.text())
}

impl<'a> Node<'a> {
    pub fn span(&self) -> Span {
        Span { file: self.file, range: self.value.span() }
    }

    /// The mistake of a value that is not `what`.
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
        // The place of a table is its key: the value of a [header] table is the header line alone.
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

    /// A list, or one item, which is a list of one.
    pub fn items(&self) -> Vec<Node<'a>> {
        self.array().unwrap_or_else(|_| vec![self.clone()])
    }

    pub fn gfx(&self) -> Result<GfxSet> {
        GfxSet::parse(&self.string()?).map_err(|why| Diagnostic::new(self.span(), why))
    }

    /// Bits `"hi:lo"` or `"bit"`, as (lo, hi).
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
