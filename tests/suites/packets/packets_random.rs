//! Random valid packet sequences: over every packet, form, size and header bit of each generation and queue.

use pm4::chip::Gfx;
use pm4::packet::{Engine, Field, Form, Format, Header, PacketFields, Queue, Reader, Scope, ShaderType, Stream, WriteError, formats};
use pm4::report::{Assembler, PacketJson, PacketText};
use quickcheck::{Arbitrary, Gen};
use strum::IntoEnumIterator;

/// Sequences per property.
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
        // GFX11 removed the constant engine.
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

/// Packets that a buffer of a queue may contain: each form in each of its sizes.
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

/// A packet with permitted values in its fields, and all other bits 0.
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
    let mut assembler = Assembler::default();
    printed.lines().try_for_each(|line| assembler.line(line.as_bytes())).and_then(|()| assembler.finish()).map_err(|m| m.to_string())
}

#[test]
fn what_is_dumped_assembles_to_the_same_bytes() {
    every(|s| {
        let words = s.words();
        let records = PacketJson::new("f", s.gfx, s.queue);
        let mut text = PacketText::new(s.gfx, s.queue);
        let (mut json, mut lines) = (String::new(), String::new());
        text.title(&mut lines);
        for item in Reader::new(&words) {
            if records.item(&mut json, &item, &words) | text.item(&mut lines, &item, &words) {
                return Err(format!("damage in\n{json}"));
            }
            // The generator fills groups with any words.
            let Ok(packet) = item else { continue };
            let groups = packet.fields(s.gfx, s.queue).find(|f| f.group.is_some()).map_or(usize::MAX, |f| f.dword);
            if let Some(bits) = packet.reserved_bits(s.gfx, s.queue).find(|bits| bits.0 < groups) {
                return Err(format!("{bits:x?} of {packet:x?} are said to be reserved"));
            }
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
    let result = stream.emit(&fields.for_shaders(packet.header.shader_type()).followed_by(&packet.body[T::DWORDS - 1..]));
    // The same packet as plain words is checked in the same way.
    let mut plain = Stream::growable(s.gfx, s.queue);
    let header = stream.words().first().map_or(packet.header, |&header| Header(header));
    if plain.packet_with(header, packet.body).is_ok() != result.is_ok() {
        return Some(Err(format!("{words:x?}: as fields {result:?}, as words {:?}", plain.packet_with(header, packet.body))));
    }
    Some(match result {
        Ok(()) if stream.words()[1..] == *packet.body => Ok(()),
        Ok(()) => Err(format!("{:x?} is written as {:x?}", words, stream.words())),
        // Valid fields may form a combination that the hardware rejects; a refusal leaves no trace.
        Err(e) if stream.is_empty() && !matches!(e, WriteError::FieldTooLarge { .. } | WriteError::BodySize { .. } | WriteError::FieldMissing { .. }) => Ok(()),
        Err(e) => Err(e.to_string()),
    })
}

macro_rules! any_of {
    ($($name:ident)*) => {
        fn any_struct(s: &Sequence, words: &[u32]) -> Option<Result<(), String>> {
            $(if let Some(result) = again::<pm4::packet::structs::$name>(s, words) { return Some(result); })*
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
                None => return Err(format!("{:?} {:x?} is not a struct", packet.name(s.gfx), words)),
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
    PacketJson::new("f", Gfx::Gfx11, Queue::Graphics).packet(&mut line, &packet);
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
    // Older records do not name the generation.
    assert!(release(|r| drop(r.as_object_mut().unwrap().remove("gfx"))).is_ok());
}

#[test]
fn flags_of_a_packet_are_listed() {
    let words = [0xC005_5000, 0x8000_0000, 0x1000, 0, 0x2000, 0, 0x4000_0040];
    let mut line = String::new();
    let packet = Reader::new(&words).flatten().next().expect("a packet");
    PacketJson::new("f", Gfx::Gfx11, Queue::Graphics).packet(&mut line, &packet);
    let record: serde_json::Value = serde_json::from_str(&line).expect("a record");
    assert_eq!(record["flags"], serde_json::json!(["cp_sync", "raw_wait"]));
    assert_eq!(record["fields"]["dst_addr"], "0x2000");
}

fn text_of(gfx: Gfx, words: &[u32]) -> String {
    let mut text = PacketText::new(gfx, Queue::Graphics);
    let mut lines = String::new();
    text.title(&mut lines);
    for item in Reader::new(words) {
        text.item(&mut lines, &item, words);
    }
    lines
}

fn records_of(gfx: Gfx, words: &[u32]) -> String {
    let mut lines = String::new();
    for item in Reader::new(words) {
        PacketJson::new("f", gfx, Queue::Graphics).item(&mut lines, &item, words);
    }
    lines
}

/// A fence, a register, a dispatch.
const STREAM: [u32; 16] = [0xC006_4900, 0x528, 0x4000_0000, 0x1000, 0x7F, 1, 2, 0, 0xC001_6900, 0x203, 0x1_8600, 0xC003_1502, 4, 1, 1, 0x2041];

#[test]
fn asm_compares_the_text_with_the_words() {
    let text = text_of(Gfx::Gfx11, &STREAM);
    assert_eq!(assembled(&text), Ok(bytes(&STREAM)));
    for (from, to, complaint) in [
        ("RELEASE_MEM", "ACQUIRE_MEM", "line 2: says ACQUIRE_MEM"),
        ("data_sel=send_64_bit_data", "data_sel=none", "line 2: says data_sel=none, but the words of the packet say data_sel=send_64_bit_data"),
        (" data_sel=", " +wait_sync data_sel=", "line 2: says +wait_sync"),
        ("address=0x7f00001000", "address=0x7f00001008", "line 2: says address=0x7f00001008"),
        ("EXEC_ON_NOOP=1", "EXEC_ON_NOOP=0", "line 4: says EXEC_ON_NOOP=0"),
        ("00018600 ", "00018601 ", "line 4: says 00018601"),
        ("DB_SHADER_CONTROL", "DB_Z_INFO", "line 4: says DB_Z_INFO"),
        ("2880c ", "28810 ", "line 4: "),
        ("+compute", "+predicate", "line 5: says +predicate"),
        ("dim_x=4", "dim_x=5", "line 5: says dim_x=5"),
        ("ORDER_MODE=1", "ORDER_MODE=0", "line 5: says ORDER_MODE=0"),
        ("gfx11", "gfx99", "line 1: "),
        ("queue gfx", "queue dma", "line 1: "),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = assembled(&text.replacen(from, to, 1)).expect_err(to);
        assert!(error.starts_with(complaint), "{to}: {error}");
    }
}

#[test]
fn the_text_may_leave_out_what_the_words_say() {
    let text = text_of(Gfx::Gfx11, &STREAM);
    for (from, to) in [("data_sel=send_64_bit_data ", ""), ("dim_x=4", "dim_x=0x4"), (" +compute", ""), ("# generation gfx11, queue gfx\n", "")] {
        assert!(text.contains(from), "{from} in {text}");
        assert_eq!(assembled(&text.replacen(from, to, 1)), Ok(bytes(&STREAM)), "{to}");
    }
    let without_writes: String = text.lines().filter(|l| !l.contains("DB_SHADER_CONTROL")).map(|l| format!("{l}\n")).collect();
    assert_eq!(assembled(&without_writes), Ok(bytes(&STREAM)));
    let reordered = text.replacen("dim_x=4 dim_y=1", "dim_y=1 dim_x=4", 1);
    assert_ne!(reordered, text);
    assert_eq!(assembled(&reordered), Ok(bytes(&STREAM)));
}

#[test]
fn a_word_that_changes_under_its_text_is_noticed() {
    let text = text_of(Gfx::Gfx11, &STREAM);
    // The words whose lowest bit belongs to a field.
    for at in [1, 4, 5, 6, 7, 9, 10, 12, 13, 14, 15] {
        let (packet, first) = [(2, 1), (3, 9), (5, 12)].into_iter().rfind(|(_, first)| at >= *first).unwrap();
        let line = text.lines().nth(packet - 1).unwrap();
        let (told, words) = line.split_once(';').unwrap();
        let changed: Vec<String> =
            words.split_whitespace().zip(first..).map(|(w, i)| if i == at { format!("{:08x}", STREAM[at] ^ 1) } else { w.into() }).collect();
        let changed = text.replacen(line, &format!("{told}; {}", changed.join(" ")), 1);
        assert!(changed != text && assembled(&changed).is_err(), "dword {at}: {changed}");
    }
}

#[test]
fn no_key_of_a_record_contradicts_the_words() {
    let numbers = |r: &mut serde_json::Value, key: &str, value: serde_json::Value| r[key] = value;
    for (key, value) in [
        ("opcode", "ACQUIRE_MEM".into()),
        ("opcode_value", "0x49".into()),
        ("opcode_value", 88.into()),
        ("packet_type", 2.into()),
        ("dwords", "8".into()),
        ("dwords", (-8).into()),
        ("predicate", true.into()),
        ("shader_type", "compute".into()),
        ("fields", 5.into()),
        ("writes", serde_json::json!([{"value": "0x00000001"}])),
        ("gfx", 11.into()),
        ("gfx", "gfx8".into()),
        ("queue", serde_json::Value::Null),
    ] {
        let error = release(|r| numbers(r, key, value.clone())).expect_err(key);
        assert!(error.contains(key) || error.contains(&value.to_string()), "{key}: {error}");
    }
    for key in ["header", "body", "type"] {
        assert!(release(|r| drop(r.as_object_mut().unwrap().remove(key))).is_err(), "{key}");
    }
    for bad in [serde_json::json!(-1), serde_json::json!(1.5), serde_json::json!("12"), serde_json::json!("0x100000000"), serde_json::json!([])] {
        assert!(release(|r| r["header"] = bad.clone()).is_err(), "{bad}");
        assert!(release(|r| r["body"][0] = bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn a_key_that_is_given_twice_is_a_mistake() {
    let line = records_of(Gfx::Gfx11, &STREAM[..8]);
    assert!(assembled(&line).is_ok());
    let twice = line.replacen(r#""header":"0xc0064900""#, r#""header":"0xc0001000","header":"0xc0064900""#, 1);
    assert!(assembled(&twice).expect_err("two headers").contains("twice"));
    // Colons inside strings are not keys.
    assert!(assembled(&line.replacen(r#""file":"f""#, r#""file":"a\": b:c\\""#, 1)).is_ok());
}

/// The damage, the dword, and a part of the message.
const DAMAGE: &[(&[u32], usize, &str)] = &[
    (&[0, 0, 0xFFFF_1000], 0, "header 0x00000000 is of type 0, which no engine of GFX9 and later can read (reading continues at dword 2)"),
    (&[0xFFFF_1000, 0x4000_0000], 1, "of type 1, which no engine of GFX9 and later can read (reading continues at dword 2)"),
    (&[0xC000_F300, 5], 0, "opcode 0xf3 of header 0xc000f300 is not a packet of gfx11 (reading continues at dword 2)"),
    (&[0xC000_4900, 5], 0, "RELEASE_MEM of 2 dwords: on gfx11 it has 8 (reading continues at dword 2)"),
    (&[0xC007_4900, 5, 0, 0, 0, 0, 0, 0, 0], 0, "RELEASE_MEM of 9 dwords: on gfx11 it has 8"),
    (&[0xC001_4600, 5, 0], 0, "EVENT_WRITE of 3 dwords: on gfx11 it has 2 or 4"),
    (&[0xC005_B904, 4, 0, 0, 0, 0, 0], 0, "SET_CONTEXT_REG_PAIRS_PACKED of 7 dwords: on gfx11 it has 5, or more in steps"),
    (&[0xC006_B904, 6, 0, 0, 0], 0, "needs 8 dwords, but the stream has only 5 (no packet was found after it)"),
    (&[0xC003_B904, 6, 0, 0, 0], 0, "SET_CONTEXT_REG_PAIRS_PACKED announces 6 registers, but has room for 2"),
    (&[0xC003_6900, 1, 0xC000_4600, 7], 0, "needs 5 dwords, but the stream has only 4 (reading continues at dword 2)"),
];

#[test]
fn damage_is_reported_with_its_place_and_assembles_to_itself() {
    for (words, dword, message) in DAMAGE {
        let records = records_of(Gfx::Gfx11, words);
        let errors: Vec<serde_json::Value> =
            records.lines().map(|l| serde_json::from_str(l).expect("a record")).filter(|r: &serde_json::Value| r["type"] == "error").collect();
        assert_eq!(errors.len(), 1, "{records}");
        assert_eq!(errors[0]["dword"], *dword, "{records}");
        assert!(errors[0]["message"].as_str().unwrap().contains(message), "{records}");
        let text = text_of(Gfx::Gfx11, words);
        assert!(text.contains(&format!("{dword:06x}  error: ")) && text.contains(message), "{text}");
        for printed in [records, text] {
            assert_eq!(assembled(&printed), Ok(bytes(words)), "{printed}");
        }
    }
}

#[test]
fn reserved_bits_are_printed_and_compared_with_the_words() {
    let words = [0xC000_46F8, 0x8000_0407];
    let text = text_of(Gfx::Gfx11, &words);
    assert!(text.contains(" reserved[0]=0xf8 reserved[1]=0x80000000 "), "{text}");
    let record: serde_json::Value = serde_json::from_str(&records_of(Gfx::Gfx11, &words)).expect("no damage");
    assert_eq!(record["reserved"], serde_json::json!([{"dword": 0, "bits": "0x000000f8"}, {"dword": 1, "bits": "0x80000000"}]));
    assert!(assembled(&text.replacen("0xf8 ", "0xf0 ", 1)).is_err());
    // Including the offset dword of SET packets: their fields are printed only if there is more than the offset.
    let text = text_of(Gfx::Gfx11, &[0xC001_6900, 0x0FFF_0203, 1]);
    assert!(text.contains(" reserved[1]=0xfff0000 "), "{text}");
}

#[test]
fn addresses_are_whole_whatever_their_halves_are_called() {
    let cases: [(&[u32], &str, &str); 4] = [
        (&[0xC005_5000, 0x6030_0000, 0x5300, 0x7F, 0x2000, 0x7E, 0x40], "src_addr", "0x7f00005300"),
        (&[0xC005_5000, 0x6030_0000, 0x5300, 0x7F, 0x2000, 0x7E, 0x40], "dst_addr", "0x7e00002000"),
        (&[0xC004_4000, 0x1, 0x5300, 0x7F, 0x2000, 0x7E], "src_addr", "0x7f00005300"),
        (&[0xC004_4000, 0x0001_0501, 0x5300, 0x7F, 0x2000, 0x7E], "dst_addr", "0x7e00002000"),
    ];
    for (words, name, address) in cases {
        let record: serde_json::Value = serde_json::from_str(&records_of(Gfx::Gfx11, words)).expect("no damage");
        assert_eq!(record["fields"][name], address, "{record}");
        let text = text_of(Gfx::Gfx11, words);
        assert!(text.contains(&format!(" {name}={address} ")), "{text}");
    }
    // The data of DMA_DATA is not an address, but its destination is.
    let words = [0xC005_5000, 0x4030_0000, 0xABCD_EF01, 0, 0x2000, 0x7E, 0x40];
    let text = text_of(Gfx::Gfx11, &words);
    assert!(text.contains(" src_addr_lo_or_data=0xabcdef01 src_addr_hi=0 dst_addr=0x7e00002000 "), "{text}");
    assert!(!records_of(Gfx::Gfx11, &words).contains(r#""src_addr":"#));
}

#[test]
fn fields_laid_out_like_registers_are_printed_bit_by_bit() {
    let record: serde_json::Value = serde_json::from_str(&records_of(Gfx::Gfx11, &[0xC001_2D00, 3, 2])).expect("no damage");
    assert_eq!(record["fields"]["draw_initiator"], 2);
    assert_eq!(record["layouts"]["draw_initiator"]["SOURCE_SELECT"], "DI_SRC_SEL_AUTO_INDEX");
    assert_eq!(record["layouts"]["draw_initiator"]["NOT_EOP"], 0);
    // A named value is printed even if it is 0.
    let text = text_of(Gfx::Gfx11, &[0xC004_2700, 3, 0, 0, 3, 0]);
    assert!(text.contains(" draw_initiator=0 (SOURCE_SELECT=DI_SRC_SEL_DMA MAJOR_MODE=DI_MAJOR_MODE_0) "), "{text}");
}

#[test]
fn repeated_groups_and_registers_are_printed_by_name() {
    // LOAD_CONTEXT_REG of two ranges.
    let words = [0xC005_6100, 0x1000, 0x7F, 0x203, 1, 0x10, 2];
    let text = text_of(Gfx::Gfx9, &words);
    assert!(text.contains(" base_addr=0x7f00001000 reg_offset=DB_SHADER_CONTROL,DB_Z_INFO,") || text.contains(" reg_offset=DB_SHADER_CONTROL,"), "{text}");
    assert!(text.contains(" num_dwords=1,2 "), "{text}");
    let record: serde_json::Value = serde_json::from_str(&records_of(Gfx::Gfx9, &words)).expect("no damage");
    assert_eq!(record["fields"]["reg_offset"], serde_json::json!([0x203, 0x10]));
    assert_eq!(record["registers"]["reg_offset"][0], "DB_SHADER_CONTROL");
    // A wait on a register: its dword address.
    let text = text_of(Gfx::Gfx11, &[0xC005_3C00, 3, 0xA203, 0, 1, 1, 4]);
    assert!(text.contains(" reg_poll_addr=0xa203 (DB_SHADER_CONTROL) "), "{text}");
    // Long data is shortened, because its words are printed below.
    let text = text_of(Gfx::Gfx11, &[&[0xC00C_3700, 0x500, 0x1000, 0x7F][..], &[7; 10]].concat());
    assert!(text.contains(" data=7,7,7,7,7,7,7,7,...\n"), "{text}");
}
