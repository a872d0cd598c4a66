//! The kit as JSON Lines, for decoders and emulators in other languages; docs/vectors.md describes the format.

use crate::packet::Queue;
use crate::testing::ground::case::RuleCase;
use crate::testing::ground::stream::{Stated, TestStream};
use crate::testing::vectors::{FieldVector, PacketVector, RegisterVector};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

/// A value that is written as one line of JSON.
///
/// ```
/// # #[cfg(feature = "gfx10")] {
/// use pm4::testing::{self, Json};
/// let case = testing::rule_cases().find(|case| case.rule == "ENC-04" && case.hit.chip.info().name == "navi10").unwrap();
/// assert_eq!(
///     case.to_json(),
///     concat!(
///         r#"{"type":"rule","rule":"ENC-04","fact":"the packet has type 1","#,
///         r#""hit":{"chip":"navi10","queue":"graphics","words":["0x40000000"],"codes":["ENC-04"]},"#,
///         r#""miss":{"chip":"navi10","queue":"graphics","words":["0xffff1000"],"codes":[]}}"#
///     )
/// );
/// # }
/// ```
pub trait Json {
    /// Returns the line, without a line break.
    fn to_json(&self) -> String;
}

/// Keys and values of an object; the values are already JSON.
struct Object(Vec<(&'static str, String)>);

impl Object {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn with(mut self, key: &'static str, value: String) -> Self {
        self.0.push((key, value));
        self
    }

    /// Adds a key if there is a value.
    fn with_some(self, key: &'static str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }
}

impl Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (place, (key, value)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}\"{key}\":{value}")?;
        }
        f.write_str("}")
    }
}

/// Formats text of the kit: letters, digits and punctuation without quotes and backslashes.
fn text(text: impl Display) -> String {
    alloc::format!("\"{text}\"")
}

fn hex(number: impl fmt::LowerHex) -> String {
    alloc::format!("\"0x{number:x}\"")
}

fn word(word: u32) -> String {
    alloc::format!("\"0x{word:08x}\"")
}

fn list(items: impl Iterator<Item = String>) -> String {
    alloc::format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn words(words: &[u32]) -> String {
    list(words.iter().map(|dword| word(*dword)))
}

fn queue(queue: Queue) -> String {
    text(match queue {
        Queue::Graphics => "graphics",
        Queue::Compute => "compute",
        Queue::Constant => "constant",
    })
}

fn stream(stream: &TestStream, codes: &[&str]) -> String {
    let codes_of = |codes: &[&str]| list(codes.iter().map(text));
    let some = |codes: &[&'static str]| (!codes.is_empty()).then(|| codes_of(codes));
    let memory = stream.memory.iter().map(|block| Object::new().with("addr", hex(block.addr)).with("words", words(&block.words)).to_string());
    let (firmware, board) = (stream.stated.firmware, stream.stated.board);
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let object = Object::new()
        .with("chip", text(stream.chip.info().name))
        .with(
            "queue",
            match stream.stated {
                Stated { sdma: true, .. } => text("sdma"),
                Stated { aql: true, .. } => text("aql"),
                Stated { mes: true, .. } => text("mes"),
                _ => queue(stream.queue),
            },
        )
        .with("words", words(&stream.words))
        .with_some("beside", (!stream.beside.is_empty()).then(|| words(&stream.beside)))
        .with_some("memory", (!stream.memory.is_empty()).then(|| list(memory)))
        .with_some("pfp_firmware", number(firmware.pfp.map(u64::from)))
        .with_some("me_firmware", number(firmware.me.map(u64::from)))
        .with_some("mec_firmware", number(firmware.mec.map(u64::from)))
        .with_some("me_feature", number(firmware.me_feature.map(u64::from)))
        .with_some("shader_engines", number(board.shader_engines.map(u64::from)))
        .with_some("cus_per_array", number(board.cus_per_array.map(u64::from)))
        .with_some("closed_memory", stream.stated.closed_memory.then(|| "true".into()))
        .with_some("ring", stream.stated.ring.then(|| "true".into()))
        .with_some("max_dwords", number(stream.stated.max_dwords))
        .with_some("max_memory", number(stream.stated.max_memory))
        .with_some("max_findings", number(stream.stated.max_findings))
        .with_some("enabled", some(&stream.enabled))
        .with_some("allowed", some(&stream.allowed))
        .with("codes", codes_of(codes));
    object.to_string()
}

impl Json for RuleCase {
    fn to_json(&self) -> String {
        let object = Object::new().with("type", text("rule")).with("rule", text(self.rule)).with("fact", text(self.fact));
        object
            .with("hit", stream(&self.hit, &[self.rule]))
            .with("miss", stream(&self.miss, &[]))
            .with_some("allowed_because", self.allowed_because.map(text))
            .to_string()
    }
}

fn bits(field: &FieldVector) -> Object {
    Object::new().with("lo", field.lo.to_string()).with("hi", field.hi.to_string()).with("value", hex(field.value))
}

impl Json for PacketVector {
    fn to_json(&self) -> String {
        let fields = self.fields.iter().map(|field| {
            let mut object = Object::new().with("name", text(field.name)).with("dword", field.dword.to_string());
            object.0.extend(bits(field).0);
            object.to_string()
        });
        let object = Object::new().with("type", text("packet")).with("gfx", text(self.gfx)).with("queue", queue(self.queue)).with("name", text(self.name));
        object.with("words", words(&self.words)).with("fields", list(fields)).to_string()
    }
}

impl Json for RegisterVector {
    fn to_json(&self) -> String {
        let fields = self.fields.iter().map(|field| {
            let mut object = Object::new().with("name", text(field.name));
            object.0.extend(bits(field).0);
            object.to_string()
        });
        let object = Object::new().with("type", text("register")).with("gfx", text(self.gfx)).with("name", text(self.name)).with("addr", hex(self.addr));
        object.with("word", word(self.word)).with("fields", list(fields)).to_string()
    }
}
