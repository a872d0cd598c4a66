//! Formats generated code: indented, one entry per line, long lists of short entries filled.
//!
//! Emitters write code in any layout. A bracketed group that does not fit on its line is broken after each entry; other text is never broken.

/// The maximum line length, if the line can be broken.
const WIDTH: usize = 140;
/// Entries up to this length share lines.
const SHORT: usize = 12;

/// A part of an entry: text without brackets, or a group; and whether a space precedes it.
enum Piece<'a> {
    Plain(&'a str, bool),
    Group(Group<'a>, bool),
}

/// The contents of a pair of brackets.
struct Group<'a> {
    open: char,
    entries: Vec<Entry<'a>>,
    width: usize,
}

/// Code that ends with a comma, a semicolon or a block; or a comment.
#[derive(Default)]
struct Entry<'a> {
    pieces: Vec<Piece<'a>>,
    width: usize,
    comment: Option<&'a str>,
}

impl Entry<'_> {
    fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.comment.is_none()
    }

    /// Returns whether the entry needs a line of its own.
    fn ends_line(&self) -> bool {
        self.comment.is_some()
    }
}

/// Returns the formatted code.
pub fn layout(code: &str) -> String {
    let mut parser = Parser { code, at: 0 };
    let mut out = Out { text: String::with_capacity(code.len() * 5 / 4), column: 0 };
    for entry in parser.entries(None) {
        out.entry(&entry, 0);
        out.line(0);
    }
    out.text
}

struct Parser<'a> {
    code: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// Returns the entries up to the closing bracket.
    fn entries(&mut self, open: Option<char>) -> Vec<Entry<'a>> {
        let blocks = matches!(open, None | Some('{'));
        let bytes = self.code.as_bytes();
        let mut all = Vec::new();
        let mut entry = Entry::default();
        let mut spaced = false;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\n' => {
                    self.at += 1;
                    spaced = true;
                    continue;
                }
                b')' | b']' | b'}' => {
                    self.at += 1;
                    break;
                }
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => {
                    let end = self.code[self.at..].find('\n').map_or(self.code.len(), |length| self.at + length);
                    let comment = &self.code[self.at..end];
                    let own_line = self.code[..self.at].trim_end_matches(' ').ends_with('\n') || self.at == 0;
                    self.at = end;
                    match all.last_mut() {
                        Some(Entry { comment: after @ None, .. }) if !own_line && entry.is_empty() => *after = Some(comment),
                        _ => {
                            take(&mut all, &mut entry);
                            all.push(Entry { comment: Some(comment), ..Entry::default() });
                        }
                    }
                }
                b'(' | b'[' | b'{' => {
                    let open = char::from(byte);
                    let attribute = open == '[' && matches!(entry.pieces.last(), Some(Piece::Plain("#" | "#!", _)));
                    self.at += 1;
                    let entries = self.entries(Some(open));
                    let inner: usize = entries.iter().map(|entry| entry.width + 1).sum();
                    let commented = entries.iter().any(Entry::ends_line);
                    let width = if commented { WIDTH } else { inner + 4 };
                    entry.width += width;
                    entry.pieces.push(Piece::Group(Group { open, entries, width }, spaced));
                    if blocks && (attribute || open == '{' && self.block_ends()) {
                        take(&mut all, &mut entry);
                    }
                }
                _ => {
                    let (piece, ends) = self.plain();
                    entry.width += piece.len() + 1;
                    entry.pieces.push(Piece::Plain(piece, spaced));
                    if ends {
                        take(&mut all, &mut entry);
                    }
                }
            }
            spaced = false;
        }
        take(&mut all, &mut entry);
        all
    }

    /// Returns the text up to a bracket or comment, or up to and including the comma or semicolon that ends the entry.
    fn plain(&mut self) -> (&'a str, bool) {
        let bytes = self.code.as_bytes();
        let start = self.at;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b',' | b';' => {
                    self.at += 1;
                    return (&self.code[start..self.at], true);
                }
                b'(' | b'[' | b'{' | b')' | b']' | b'}' | b'\n' => break,
                b'/' if bytes.get(self.at + 1) == Some(&b'/') => break,
                b'"' => {
                    self.at += 1;
                    while bytes.get(self.at).is_some_and(|byte| *byte != b'"') {
                        self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
                    }
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        let text = self.code[start..self.at].trim_end();
        self.at = start + text.len();
        (text, false)
    }

    /// Returns whether a new entry follows a block.
    fn block_ends(&self) -> bool {
        let rest = self.code[self.at..].trim_start();
        !rest.starts_with([',', ';', ')', '.', '=', '|', '?', '{']) && !rest.starts_with("else")
    }
}

fn take<'a>(all: &mut Vec<Entry<'a>>, entry: &mut Entry<'a>) {
    if !entry.is_empty() {
        all.push(std::mem::take(entry));
    }
}

struct Out {
    text: String,
    column: usize,
}

impl Out {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.len();
    }

    fn line(&mut self, indent: usize) {
        while self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }

    fn entry(&mut self, entry: &Entry<'_>, indent: usize) {
        for (place, piece) in entry.pieces.iter().enumerate() {
            let (Piece::Plain(_, spaced) | Piece::Group(_, spaced)) = piece;
            if *spaced && place > 0 {
                self.push(" ");
            }
            match piece {
                Piece::Plain(text, _) => self.push(text),
                Piece::Group(group, _) => self.group(group, indent),
            }
        }
        if let Some(comment) = entry.comment {
            if !entry.pieces.is_empty() {
                self.push(" ");
            }
            self.push(comment);
        }
    }

    fn group(&mut self, group: &Group<'_>, indent: usize) {
        let close = match group.open {
            '(' => ")",
            '[' => "]",
            _ => "}",
        };
        let space = group.open == '{' && !group.entries.is_empty();
        self.push(group.open.encode_utf8(&mut [0; 4]));
        // Short groups are never broken.
        if self.column + group.width <= WIDTH || group.width <= SHORT {
            for (place, entry) in group.entries.iter().enumerate() {
                if space || place > 0 {
                    self.push(" ");
                }
                self.entry(entry, indent);
            }
            self.push(if space { " " } else { "" });
        } else {
            let inner = indent + 4;
            let fill = group.entries.iter().all(|entry| entry.width <= SHORT && !entry.ends_line());
            for (place, entry) in group.entries.iter().enumerate() {
                if place == 0 || !fill || self.column + entry.width > WIDTH {
                    self.line(inner);
                } else {
                    self.push(" ");
                }
                self.entry(entry, inner);
            }
            self.line(indent);
        }
        self.push(close);
    }
}

#[cfg(test)]
mod tests {
    use super::layout;

    #[test]
    fn short_entries_stay_on_their_line() {
        assert_eq!(
            layout("static A: [u8; 2] = [1,2]; static B: B = B {a: 1,b: \"x, y\"};"),
            "static A: [u8; 2] = [1, 2];\nstatic B: B = B { a: 1, b: \"x, y\" };\n"
        );
    }

    #[test]
    fn a_long_group_has_a_line_for_each_entry() {
        let name = "N".repeat(WIDE);
        let code = format!("static A: &[T] = &[ T {{ name: \"{name}\" }}, // first\n T {{ name: \"{name}\" }} ];");
        assert_eq!(layout(&code), format!("static A: &[T] = &[\n    T {{ name: \"{name}\" }}, // first\n    T {{ name: \"{name}\" }}\n];\n"));
    }

    #[test]
    fn long_lists_of_numbers_are_filled() {
        let numbers = vec!["1000000"; 40].join(",");
        let lines = layout(&format!("static A: [u32; 40] = [{numbers}];"));
        assert_eq!(lines.lines().count(), 5);
        assert!(lines.lines().all(|line| line.len() <= super::WIDTH));
    }

    #[test]
    fn attributes_comments_and_blocks_end_lines() {
        let code = "/// Doc.\n#[allow(x)] mod a { pub use b::{C, D}; fn f() {} struct S; }";
        assert_eq!(layout(code), "/// Doc.\n#[allow(x)]\nmod a { pub use b::{ C, D }; fn f() {} struct S; }\n");
    }

    const WIDE: usize = 60;
}
