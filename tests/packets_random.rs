//! Random valid packet sequences: over every packet, form, size and header bit of each generation and queue.

#[path = "../examples/common/assembly/mod.rs"]
mod assembly;
#[path = "../examples/common/packets.rs"]
#[allow(dead_code)] // colours and damage are the program's
mod packets;

use pm4::chip::Gfx;
use pm4::packet::{Engine, Field, Form, Format, Header, PacketFields, Queue, Reader, Scope, ShaderType, Stream, WriteError, formats};
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// Sequences a property looks at.
const SEQUENCES: u64 = if cfg!(debug_assertions) { 2_000 } else { 100_000 };

/// A stream of valid packets.
#[derive(Debug, Clone)]
struct Sequence {
    gfx: Gfx,
    queue: Queue,
    packets: Vec<Vec<u32>>,
}

impl Sequence {
    fn words(&self) -> Vec<u32> {
        self.packets.concat()
    }
}

impl Arbitrary for Sequence {
    fn arbitrary(g: &mut Gen) -> Self {
        let generations: Vec<Gfx> = Gfx::iter().collect();
        let gfx = *g.choose(&generations).unwrap();
        // The constant engine left with GFX11.
        let queue = *g.choose(&[Queue::Graphics, Queue::Graphics, Queue::Compute, Queue::Constant]).unwrap();
        let queue = if queue == Queue::Constant && gfx.major() >= 11 { Queue::Graphics } else { queue };
        let known = layouts(gfx, queue);
        let packets = (0..below(g, 6))
            .map(|_| {
                let layout = known[below(g, known.len() as u32) as usize];
                packet(g, gfx, queue, layout)
            })
            .collect();
        Self { gfx, queue, packets }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        Box::new((0..self.packets.len()).map(move |without| {
            let mut fewer = this.clone();
            fewer.packets.remove(without);
            fewer
        }))
    }
}

fn below(g: &mut Gen, limit: u32) -> u32 {
    u32::arbitrary(g) % limit.max(1)
}

/// What may stand in a buffer of a queue: each form in each of its sizes.
fn layouts(gfx: Gfx, queue: Queue) -> Vec<(&'static Format, &'static Form, usize)> {
    let view = Scope::queue(gfx, queue);
    let mut all = Vec::new();
    for format in formats().iter().filter(|f| f.opcode(gfx).is_some()) {
        for form in format.forms.iter().filter(|f| !f.internal && f.scope.intersects(view)) {
            let fixed = form.repeat.map(|r| vec![usize::from(r.from)]);
            let sizes = fixed.unwrap_or_else(|| form.sizes.iter().filter(|s| s.gfx & gfx.bit() != 0).map(|s| usize::from(s.dwords)).collect());
            all.extend(sizes.into_iter().map(|n| (format, form, n)));
        }
    }
    all
}

/// A packet whose fields hold values that they may hold, and whose other bits are 0.
fn packet(g: &mut Gen, gfx: Gfx, queue: Queue, (format, form, fixed): (&'static Format, &'static Form, usize)) -> Vec<u32> {
    let view = Scope::queue(gfx, queue).and(form.scope);
    // Two engines of a queue may read the same bits in two ways; the one that parses the packet first is right.
    let pfp = view.and(Scope::one(gfx, Engine::Pfp));
    let first = if pfp == Scope::NONE { view } else { pfp };
    let shares = |a: &Field, b: &Field| a.dword == b.dword && a.lo <= b.hi && b.lo <= a.hi;
    let covered = |field: &Field| !field.scope.intersects(first) && form.fields.iter().any(|f| f.scope.intersects(first) && shares(f, field));
    let groups = form.repeat.map_or(0, |_| 1 + below(g, 4) as usize) * form.repeat.map_or(0, |r| usize::from(r.len));
    let mut body = vec![0; fixed + groups - 1];
    let mut used = vec![0u32; body.len()];
    for conditional in [false, true] {
        for field in form.fields.iter().filter(|f| !f.kernel && f.scope.intersects(view) && f.when.is_empty() != conditional) {
            let at = usize::from(field.dword) - 1;
            let mask = (u32::MAX >> (31 - (field.hi - field.lo))) << field.lo;
            if at < fixed - 1 && used[at] & mask == 0 && !covered(field) && field.when.iter().all(|c| c.holds(&body)) {
                used[at] |= mask;
                body[at] |= value(g, field, view) << field.lo & mask;
            }
        }
    }
    for word in &mut body[fixed - 1..] {
        *word = u32::arbitrary(g);
    }
    if format.name.contains("PACKED") {
        body[0] = groups as u32 / 3 * 2;
    }
    let mut header = Header::type3(format.opcode(gfx).unwrap(), body.len());
    if format.shader_type && bool::arbitrary(g) {
        header = header.with_shader_type(ShaderType::Compute);
    }
    if queue == Queue::Graphics {
        header = header.with_predicate(bool::arbitrary(g)).with_reset_filter_cam(gfx.major() > 9 && bool::arbitrary(g));
    }
    [vec![header.0], body].concat()
}

fn value(g: &mut Gen, field: &Field, view: Scope) -> u32 {
    let scope = field.scope.and(view);
    let named: Vec<u32> = field.values.map_or(vec![], |e| e.values.iter().filter(|v| v.scope.intersects(scope)).map(|v| v.value).collect());
    match g.choose(&named) {
        Some(&value) => value,
        // Addresses have 48 bits.
        None if field.name.contains("_hi") => u32::arbitrary(g) & 0x7FFF & if field.hi - field.lo < 15 { 0x3F } else { u32::MAX },
        None => u32::arbitrary(g),
    }
}

/// Runs a property over many sequences; `PM4_SEED` repeats the first of a run.
fn every(holds: impl Fn(&Sequence) -> Result<(), String>) {
    let start = std::env::var("PM4_SEED").ok().and_then(|s| s.parse().ok());
    let first: u64 = start.unwrap_or_else(|| std::time::UNIX_EPOCH.elapsed().map_or(1, |t| t.as_nanos() as u64));
    for seed in (0..SEQUENCES).map(|n| first.wrapping_add(n)) {
        let sequence = Sequence::arbitrary(&mut Gen::from_size_and_seed(20, seed));
        if let Err(why) = holds(&sequence) {
            let smallest = std::iter::successors(Some(sequence), |bad| bad.shrink().find(|s| holds(s).is_err())).last().unwrap();
            panic!("PM4_SEED={seed}: {why}\nsmallest: {smallest:x?}\n{}", holds(&smallest).unwrap_err());
        }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn assembled(printed: &str) -> Result<Vec<u8>, String> {
    let mut assembler = assembly::Assembler::default();
    printed.lines().try_for_each(|line| assembler.line(line.as_bytes())).and_then(|()| assembler.finish()).map_err(|m| m.to_string())
}

#[test]
fn what_is_dumped_assembles_to_the_same_bytes() {
    every(|s| {
        let words = s.words();
        let records = packets::Records::new("f", s.gfx, s.queue);
        let text = packets::Text { gfx: s.gfx, queue: s.queue, colour: false };
        let (mut json, mut lines) = (String::new(), String::new());
        for packet in Reader::new(&words) {
            let packet = packet.map_err(|e| e.to_string())?;
            records.packet(&mut json, &packet);
            text.packet(&mut lines, &packet);
        }
        for printed in [json, lines] {
            if assembled(&printed)? != bytes(&words) {
                return Err(format!("other bytes from\n{printed}"));
            }
        }
        Ok(())
    });
}

#[test]
fn every_packet_is_read_with_the_layout_it_was_made_from() {
    every(|s| {
        let words = s.words();
        let read: Vec<_> = Reader::new(&words).collect();
        if read.len() != s.packets.len() {
            return Err(format!("{} packets are read", read.len()));
        }
        for packet in read {
            let packet = packet.map_err(|e| e.to_string())?;
            packet.format(s.gfx, s.queue).ok_or("a packet has no layout")?;
        }
        Ok(())
    });
}

/// Decodes a packet as `T`, if it is one, and writes it again. None if it is another packet.
fn again<T: PacketFields>(s: &Sequence, words: &[u32]) -> Option<Result<(), String>> {
    let packet = Reader::new(words).flatten().next()?;
    let fields: T = packet.decode(s.gfx, s.queue)?;
    let mut stream = Stream::growable(s.gfx, s.queue);
    let result = stream.emit_for(packet.header.shader_type(), &fields, &packet.body[T::DWORDS - 1..]);
    // The same packet as plain words is judged in the same way.
    let mut plain = Stream::growable(s.gfx, s.queue);
    let header = stream.words().first().map_or(packet.header, |&header| Header(header));
    if plain.packet_with(header, packet.body).is_ok() != result.is_ok() {
        return Some(Err(format!("{words:x?}: as fields {result:?}, as words {:?}", plain.packet_with(header, packet.body))));
    }
    Some(match result {
        Ok(()) if stream.words()[1..] == *packet.body => Ok(()),
        Ok(()) => Err(format!("{:x?} is written as {:x?}", words, stream.words())),
        // Fields that fit may still be a combination that hardware does not take; what is refused leaves no trace.
        Err(e) if stream.is_empty() && !matches!(e, WriteError::FieldTooLarge { .. } | WriteError::BodySize { .. } | WriteError::FieldMissing { .. }) => Ok(()),
        Err(e) => Err(e.to_string()),
    })
}

macro_rules! any_of {
    ($($name:ident)*) => {
        fn any_struct(s: &Sequence, words: &[u32]) -> Option<Result<(), String>> {
            $(if let Some(result) = again::<pm4::packet::author::$name>(s, words) { return Some(result); })*
            None
        }
    };
}
pm4::each_packet_struct!(any_of);

#[test]
fn every_packet_of_user_mode_is_a_struct_that_encodes_to_the_same_words() {
    every(|s| {
        for words in &s.packets {
            let packet = Reader::new(words).flatten().next().ok_or("no packet")?;
            let kernel = packet.format(s.gfx, s.queue).is_some_and(|f| f.kernel);
            match any_struct(s, words) {
                Some(result) => result?,
                None if kernel => {}
                None => return Err(format!("{:?} {:x?} is no struct", packet.name(s.gfx), words)),
            }
        }
        Ok(())
    });
}

/// A record of RELEASE_MEM with an address, changed in one place.
fn release(change: impl Fn(&mut serde_json::Value)) -> Result<Vec<u8>, String> {
    let words = [0xC006_4900, 0x528, 0x4000_0000, 0x1000, 0x7F, 1, 2, 0];
    let packet = Reader::new(&words).flatten().next().expect("a packet");
    let mut line = String::new();
    packets::Records::new("f", Gfx::Gfx11, Queue::Graphics).packet(&mut line, &packet);
    let mut record: serde_json::Value = serde_json::from_str(&line).expect("a record");
    change(&mut record);
    assembled(&record.to_string())
}

#[test]
fn records_have_whole_addresses_and_asm_holds_them_to_the_words() {
    assert!(release(|r| assert_eq!(r["fields"]["address"], "0x7f00001000")).is_ok());
    assert!(release(|r| drop(r.as_object_mut().unwrap().remove("fields"))).is_ok());
    assert!(release(|r| drop(r["fields"].as_object_mut().unwrap().remove("address"))).is_ok());
    assert!(release(|r| drop(r["fields"].as_object_mut().unwrap().remove("address_lo_64b"))).is_ok());
    for (name, value) in [("address", "0x7f00001008"), ("data_sel", "none"), ("nothing", "0")] {
        let error = release(|r| r["fields"][name] = value.into()).expect_err("a contradiction");
        assert!(error.contains(&format!("{name} = {value:?}")), "{error}");
    }
    let error = release(|r| r["flags"] = serde_json::json!(["wait_sync"])).expect_err("a contradiction");
    assert!(error.contains("flags"), "{error}");
    // Older records do not tell the generation.
    assert!(release(|r| drop(r.as_object_mut().unwrap().remove("gfx"))).is_ok());
}

#[test]
fn flags_of_a_packet_are_listed() {
    let words = [0xC005_5000, 0x8000_0000, 0x1000, 0, 0x2000, 0, 0x4000_0040];
    let mut line = String::new();
    let packet = Reader::new(&words).flatten().next().expect("a packet");
    packets::Records::new("f", Gfx::Gfx11, Queue::Graphics).packet(&mut line, &packet);
    let record: serde_json::Value = serde_json::from_str(&line).expect("a record");
    assert_eq!(record["flags"], serde_json::json!(["cp_sync", "raw_wait"]));
    assert_eq!(record["fields"]["dst_addr"], "0x2000");
}
