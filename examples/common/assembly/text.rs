//! The text form to bytes.
//!
//! ```text
//! 00000c  c0016900  SET_CONTEXT_REG        …  ; 00000203 00018600      a packet: offset, header, and behind `;` the body
//!                    ; 00000000 00000001 …                             more body, or the words of damage
//!                   2880c DB_SHADER_CONTROL …                          a register write, told for people
//! 000010  error: …                                                     damage; its words stand below
//! # …                                                                  a remark
//! ```

use super::Mistake;

/// What the lines so far leave open.
#[derive(Default)]
pub struct Lines {
    open: Option<Open>,
}

struct Open {
    line: usize,
    /// None below an error line.
    header: Option<u32>,
    body: Vec<u32>,
    /// Values of the register writes that are told.
    told: Vec<u32>,
}

impl Lines {
    pub fn take(&mut self, number: usize, line: &str, out: &mut Vec<u8>) -> Result<(), Mistake> {
        let line = &without_colour(line);
        self.read(number, line, out).map_err(|(line, problem)| Mistake { line, problem })
    }

    pub fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Mistake> {
        self.close(out).map_err(|(line, problem)| Mistake { line, problem })
    }

    fn read(&mut self, number: usize, line: &str, out: &mut Vec<u8>) -> Result<(), (usize, String)> {
        let here = |problem: String| (number, problem);
        if line.starts_with('#') {
            return Ok(());
        }
        let (told, behind) = line.split_once(';').map_or((line, None), |(told, words)| (told, Some(words)));
        let mut columns = told.split_whitespace();
        if !line.starts_with(char::is_whitespace) {
            self.close(out)?;
            let offset = columns.next().unwrap_or_default();
            if hex(offset).is_none() {
                return Err(here(format!("starts with {offset:?}, not with the offset of a packet")));
            }
            let header = match columns.next() {
                Some("error:") => None,
                Some(word) if word.len() == 8 => Some(hex(word).ok_or_else(|| here(format!("{word:?} is no header")))?),
                other => return Err(here(format!("{:?} is no header of eight hexadecimal digits", other.unwrap_or_default()))),
            };
            self.open = Some(Open { line: number, header, body: Vec::new(), told: Vec::new() });
        }
        let Some(open) = &mut self.open else { return Err(here("comes before the first packet".into())) };
        if let Some(behind) = behind {
            for word in behind.split_whitespace() {
                match (word.len(), hex(word), open.header) {
                    (8, Some(value), _) => open.body.push(value),
                    // Bytes behind the last dword of the file.
                    (2, Some(value), None) => {
                        super::words(&std::mem::take(&mut open.body), out);
                        out.push(value as u8);
                    }
                    _ => return Err(here(format!("{word:?} is no word of eight hexadecimal digits"))),
                }
            }
        } else if line.starts_with(char::is_whitespace) && open.header.is_some() {
            // A register write: address, name, value.
            let value = columns.nth(2).filter(|v| v.len() == 8).and_then(hex);
            open.told.push(value.ok_or_else(|| here("is neither a packet, nor words behind `;`, nor a register write".into()))?);
        }
        Ok(())
    }

    /// The packet is complete: what stands before the next one belongs to it.
    fn close(&mut self, out: &mut Vec<u8>) -> Result<(), (usize, String)> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let result = match open.header {
            Some(header) => super::told_values(open.told.into_iter(), &open.body).and_then(|()| super::packet(header, &open.body, out)),
            None => {
                super::words(&open.body, out);
                Ok(())
            }
        };
        result.map_err(|problem| (open.line, problem))
    }
}

fn hex(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// The line without the colours that a terminal got.
fn without_colour(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('\x1b') {
        return line.into();
    }
    let mut parts = line.split('\x1b');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain.into()
}
