//! Describes what packets do in words: one sentence per effect.

use crate::model::packets::*;

/// The windows, in the order of their numbers.
const WINDOWS: [&str; 4] = ["config", "SH", "context", "uconfig"];
const QUEUE_ENGINES: [&str; 4] = ["PFP", "ME", "MEC", "CE"];

/// The words for each of [`TIMINGS`].
const TIMES: [&str; TIMINGS.len()] = ["", ", by the work that it starts", ", at the end of the pipe", ", by the DMA engine"];

/// What is waited for, by the timing of a wait.
const AWAITED: [&str; TIMINGS.len()] = ["", " for its work", " for what is in the pipe", " for the DMA engine"];

/// Returns the sentences of a packet, its work first.
pub fn sentences(packet: &Packet) -> Vec<String> {
    let mut all = Vec::new();
    for starts in &packet.work {
        all.push(starts_what(packet, starts));
    }
    for effect in &packet.effects {
        all.push(sentence(packet, effect));
    }
    all
}

fn starts_what(packet: &Packet, starts: &Starts) -> String {
    let work = match starts.work {
        Work::None => "no work",
        Work::Draw => "graphics work",
        Work::IndexedDraw => "graphics work that fetches indices",
        Work::Dispatch => "compute work",
    };
    let when = if starts.when.is_empty() { String::new() } else { format!(", where {}", conditions(&starts.when)) };
    let gfx = starts.scope.gfx();
    let scope = if gfx == packet.scope.gfx() { String::new() } else { format!(" (GFX{gfx})") };
    format!("Starts {work}{when}{scope}.")
}

fn sentence(packet: &Packet, effect: &Effect) -> String {
    let mut text = format!("{} {}", who(packet, effect), does(&effect.does, effect.may));
    text += if matches!(effect.does, Does::Waits) { AWAITED[effect.timing] } else { TIMES[effect.timing] };
    if !effect.when.is_empty() {
        text += &format!(", where {}", conditions(&effect.when));
    }
    text += &scope(packet, effect);
    text += ".";
    if !effect.doc.is_empty() {
        text += &format!(" {}", effect.doc);
    }
    text
}

/// Returns who acts if the graphics queue reads the packet.
fn who(packet: &Packet, effect: &Effect) -> String {
    const GRAPHICS: u32 = 0x33_3333;
    let scope = effect.scope.and(packet.scope);
    if scope.0 & GRAPHICS == 0 {
        return engines(scope).join(" and ");
    }
    match effect.by.or(packet.engine) {
        Some(0) => "PFP".into(),
        Some(_) => "ME".into(),
        None if !packet.pfp_when.is_empty() => format!("ME (PFP where {})", conditions(&packet.pfp_when)),
        None if scope.0 & 0x22_2222 == 0 => "PFP".into(),
        None => "ME".into(),
    }
}

/// Returns the engines of a scope.
fn engines(scope: Scope) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (engine, name) in QUEUE_ENGINES.iter().enumerate() {
        if scope.intersects(Scope(0x11_1111 << engine)) {
            names.push(*name);
        }
    }
    names
}

fn conditions(when: &[When]) -> String {
    when.iter().map(condition).collect::<Vec<_>>().join(" and ")
}

fn condition(when: &When) -> String {
    format!("{} {} {}", when.field, if when.not { "is not" } else { "is" }, values(&when.values))
}

/// Formats values: `0 or 4 or 6`, `39 to 57`.
fn values(values: &[String]) -> String {
    let follows = |a: &String, b: &String| matches!((a.parse::<u32>(), b.parse::<u32>()), (Ok(a), Ok(b)) if a.checked_add(1) == Some(b));
    let mut runs = Vec::new();
    for run in values.chunk_by(follows) {
        match run {
            [first, _, .., last] => runs.push(format!("{first} to {last}")),
            few => runs.extend_from_slice(few),
        }
    }
    runs.join(" or ")
}

/// Returns the part of the packet's generations and engines to which the effect applies; empty for all.
fn scope(packet: &Packet, effect: &Effect) -> String {
    let scope = effect.scope.and(packet.scope);
    let mut parts: Vec<String> = Vec::new();
    if scope.gfx() != packet.scope.gfx() {
        parts.push(format!("GFX {}", scope.gfx()));
    }
    // Engines that have the packet on these generations but not the effect.
    let left = Scope(packet.scope.0).and(Scope::product(scope.gfx(), 0xF)).minus(scope);
    if !left.is_empty() {
        parts.push(engines(scope).join(", "));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

fn does(does: &Does, may: bool) -> String {
    let verb = |plain: &str, bare: &str| if may { format!("may {bare}") } else { plain.to_owned() };
    match does {
        Does::Set { start, at, values, count, dwords, still } => {
            let (space, names) = (window(*start), list(at));
            match (values.is_empty(), dwords) {
                (true, dwords) => format!("{} {space} unknown, {} from {names} on", verb("leaves", "leave"), dwords.as_ref().map_or("1".into(), product)),
                (false, _) => {
                    let mut text = format!("{} {space} at {names} to {}", verb("sets", "set"), list(values));
                    if let Some(count) = count {
                        text += &format!(", {} of them", count.text);
                    }
                    if !still.is_empty() {
                        text += &format!(", all to the first one where {}", conditions(still));
                    }
                    text
                }
            }
        }
        Does::Named { register, value: Some(value) } => format!("{} {} for its state, from {}", verb("has", "have"), register.text, value.text),
        Does::Named { register, value: None } => format!("{} {} unknown", verb("leaves", "leave"), register.text),
        Does::Modify { start, at, mask, keeps, value } => {
            let bits = if *keeps { format!("not in {}", mask.text) } else { format!("in {}", mask.text) };
            format!("{} bits of the {} at {}, those {bits}, to {}", verb("changes", "change"), window(*start).trim_end_matches('s'), at.text, value.text)
        }
        Does::Load { start, at, dwords, from, image } => {
            let from = from.as_ref().map_or("memory".to_owned(), |from| format!("memory at {}", location(from)));
            let image = if *image { format!(" + 4 * {}", at.text) } else { String::new() };
            format!("{} {} {} from {} on from {from}{image}", verb("loads", "load"), product(dwords), window(*start), at.text)
        }
        Does::Sgprs { at, dwords } => format!("{} arguments into {dwords} SGPR{} at {}, unless that is 0", verb("puts", "put"), plural(*dwords), at.text),
        Does::Unknown { windows } => {
            let mut names = Vec::new();
            for (window, name) in WINDOWS.iter().enumerate() {
                if windows >> window & 1 == 1 {
                    names.push(*name);
                }
            }
            format!("{} {} registers unknown", verb("leaves", "leave"), if names.len() == WINDOWS.len() { "all".into() } else { names.join(" and ") })
        }
        Does::Anywhere => format!("{} memory unknown", verb("leaves", "leave")),
        Does::Everything => format!("{} all registers and memory unknown", verb("leaves", "leave")),
        Does::Memory(used) => memory(used, &verb),
        Does::Run { at, dwords, last } => {
            format!("{} {} dwords at {}{}", verb("runs", "run"), product(dwords), at.text, if *last { " and does not return" } else { "" })
        }
        Does::Skip { dwords } => format!("may skip the next {} dwords", product(dwords)),
        Does::Base { index, value } => format!("{} base {} to {}", verb("sets", "set"), index.text, value.text),
        Does::Rolls => format!("{} the context", verb("rolls", "roll")),
        Does::Waits => verb("waits", "wait"),
    }
}

fn memory(used: &MemoryUse, verb: &dyn Fn(&str, &str) -> String) -> String {
    let verb = if used.write { verb("writes", "write") } else { verb("reads", "read") };
    let mut text = format!("{verb} {} bytes at {}", product(&used.bytes), location(&used.at));
    if let Some(plus) = &used.plus {
        text += &format!(" + {}", product(plus));
    }
    if let Some((count, stride)) = &used.each {
        text += &format!(", {} times, {} bytes apart", product(count), product(stride));
    }
    if let Some(data) = &used.data {
        text += &format!(", from {}", data.text);
    }
    if !used.still.is_empty() {
        text += &format!(", all to the first dword where {}", conditions(&used.still));
    }
    if !used.at_once.is_empty() {
        text += &format!(", at once where {}", conditions(&used.at_once));
    }
    text
}

fn plural(count: u8) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn window(start: Start) -> String {
    start.map_or("registers (absolute address)".into(), |window| format!("{} registers", WINDOWS[window]))
}

fn list(fields: &[crate::input::Text]) -> String {
    fields.iter().map(|field| field.text.as_str()).collect::<Vec<_>>().join(" and ")
}

fn location(place: &Location) -> String {
    match place {
        Location::Address(name) => name.text.clone(),
        Location::Base { index, offset } => format!("{} from base {index}", offset.text),
        Location::Unnamed => "a place that the packet does not name".into(),
    }
}

/// Formats a product such as `4 * num_dw`; names that are not fields are written as words.
fn product(product: &Product) -> String {
    let mut parts = Vec::new();
    if product.factor != 1 || product.fields.is_empty() {
        parts.push(product.factor.to_string());
    }
    for field in &product.fields {
        parts.push(match field.as_str() {
            "index_bytes" => "the bytes of an index".to_owned(),
            "render_backends" => "the number of render backends".to_owned(),
            "tail" => "the number of data dwords".to_owned(),
            field => field.to_owned(),
        });
    }
    parts.join(" * ")
}
