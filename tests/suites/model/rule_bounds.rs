//! The limits of each rule: the fields of the streams of its cases, one by one with other values, in `golden/rules/bounds.txt`.
//!
//! Two lines per case: which values of a field turn the repaired stream into a mistake, and which values remove the mistake. The values tried for a field are
//! those at its ends and next to the current one, or all, if there are at most eight. Where the verdict changes between two numbers, the test searches for
//! neighbouring numbers, so ends of ranges are exact. After a change of a rule, rewrite the table (`PM4_WRITE_GOLDEN=1 cargo test --test model
//! rule_bounds`) and check the difference against the source of the rule.
use crate::chip_table::{assert_table, refused};
use crate::cp_rules::findings_on;
use crate::golden::{assert_parts_of_golden, sampled};
use crate::mutation;
use crate::ranges::{Range, ranges};
use crate::rule_cases::{Case, cases};
use crate::streams::findings_of;
use crate::support::draws::queue_memory;
use pm4::chip::{Chip, Erratum};
use pm4::cp::CommandProcessor;
use pm4::draw::*;
use pm4::packet::{Header, Opcode, Queue, Reader};
use pm4::regs::{self, Space};
use std::collections::{BTreeMap, BTreeSet};

/// A field in the words of a stream.
struct Place {
    name: String,
    dword: usize,
    lo: u32,
    hi: u32,
}

impl Place {
    fn most(&self) -> u32 {
        u32::MAX >> (31 - (self.hi - self.lo))
    }

    fn get(&self, words: &[u32]) -> u32 {
        words[self.dword] >> self.lo & self.most()
    }

    /// The words with another value.
    fn put(&self, words: &[u32], value: u32) -> Vec<u32> {
        let mut words = words.to_vec();
        words[self.dword] = words[self.dword] & !(self.most() << self.lo) | value << self.lo;
        words
    }

    /// Values next to the current one, and at the ends of the field; wide fields get `more` of them.
    fn values(&self, words: &[u32], more: bool) -> BTreeSet<u32> {
        let (own, most) = (self.get(words), self.most());
        if most < 8 {
            return (0..=most).filter(|value| *value != own).collect();
        }
        let some = [own.wrapping_sub(1), own.wrapping_add(1), 0, most / 2 + 1, most];
        let others = [own.wrapping_mul(2), 1];
        some.into_iter().chain(others.into_iter().filter(|_| more)).filter(|value| *value <= most && *value != own).collect()
    }

    /// The values for which a predicate holds, as ranges: those in `values`, and values between two with different answers, until these are adjacent.
    fn ranges(values: BTreeMap<u32, bool>, holds: impl Fn(u32) -> bool) -> String {
        let values = values.into_iter().map(|(value, answer)| (value.into(), answer)).collect();
        let ranges = ranges(values, |value| holds(value as u32), |answer| *answer);
        let number = |value: u64| if value < 10 { value.to_string() } else { format!("{value:#x}") };
        let range = |Range { first, last, .. }| if first == last { number(first) } else { format!("{}..{}", number(first), number(last)) };
        ranges.into_iter().filter(|range| range.begin).map(range).collect::<Vec<_>>().join(" ")
    }
}

/// The fields of a stream: those of registers where a packet sets registers, and those of all other packets.
fn places(case: &Case, words: &[u32]) -> Vec<Place> {
    /// Maximum number of places; longer streams repeat packets.
    const MOST: usize = 150;
    let gfx = case.chip.gfx();
    let mut all = Vec::new();
    for packet in Reader::new(words).flatten().take_while(|packet| packet.offset < MOST) {
        let sets = [
            Opcode::SET_CONTEXT_REG,
            Opcode::SET_SH_REG,
            Opcode::SET_SH_REG_INDEX,
            Opcode::SET_UCONFIG_REG,
            Opcode::SET_UCONFIG_REG_INDEX,
            Opcode::SET_CONFIG_REG,
        ];
        let is_set = packet.opcode().is_some_and(|opcode| sets.contains(&opcode));
        if is_set {
            for (nth, write) in packet.writes(gfx).enumerate() {
                let Some(register) = regs::lookup(gfx, write.addr) else { continue };
                let dword = packet.offset + 2 + nth;
                all.extend(register.fields().iter().map(|field| Place {
                    name: format!("{register}.{}", field.name),
                    dword,
                    lo: field.lo.into(),
                    hi: field.hi.into(),
                }));
            }
        }
        let name = packet.name(gfx).unwrap_or("?");
        let fields = packet.fields(gfx, case.queue).filter(|field| packet.offset + field.dword < words.len() && (field.dword > 0 || !is_set));
        let fields = fields.filter(|field| !is_set || field.dword == 1);
        all.extend(fields.map(|field| Place {
            name: format!("{name}.{}", field.name),
            dword: packet.offset + field.dword,
            lo: field.field.lo.into(),
            hi: field.field.hi.into(),
        }));
    }
    all
}

/// The values of each field with which a stream trips the rule of its case, or no longer does.
fn changes(case: &Case, words: &[u32], trips: bool) -> Vec<String> {
    let mut lines = Vec::new();
    // A model that has already run has its tables.
    let mut model = mutation::model(case.chip, case.code, case.settings);
    model.run(&mut ());
    for place in places(case, words) {
        let changes = |value: u32| findings_on(model.snapshot(), case, &place.put(words, value)).iter().any(|finding| finding.code == case.code) == trips;
        let values = place.values(words, true).into_iter().map(|value| (value, changes(value)));
        let changed = Place::ranges(values.chain([(place.get(words), false)]).collect(), changes);
        if !changed.is_empty() {
            lines.push(format!("{} (dword {}): {changed}", place.name, place.dword));
        }
    }
    lines
}

#[test]
fn rules_begin_and_end_at_the_expected_values() {
    let mut text = String::from("# tests/suites/model/rule_bounds.rs explains this file.\n");
    let mut add = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text += &format!("    {title}\n{}", lines.iter().map(|line| format!("        {line}\n")).collect::<String>());
        }
    };
    let mut number = 0;
    for case in cases() {
        number += 1;
        let title = format!("{number}. {} on {}", case.code, case.chip);
        if sampled(&title) {
            add(&format!("{title}: a mistake with"), changes(&case, &case.good, true));
            add(&format!("{title}: no mistake with"), changes(&case, &case.bad, false));
        }
    }
    // The lines of a case have more indentation than its titles.
    let title = |line: &str| Some(line.strip_prefix("    ").filter(|line| !line.starts_with(' '))?.split_once(": ")?.0.to_owned());
    assert_parts_of_golden("rules/bounds.txt", &text, |line| Some(sampled(&title(line)?)));
}

/// Draws made by the builder, which trip no rule.
fn draws() -> Vec<(String, DrawDesc)> {
    let program = |address| Program { address: Some(address), ..Program::default() };
    let vertex = |path| VertexStage { program: program(0x20_0000), path, ..VertexStage::default() };
    let surface = |address| Surface { address, ..Surface::default() };
    let plain = |path| {
        let shader = Some(PixelShader { program: program(0x10_0000), ..PixelShader::default() });
        let pipeline =
            PipelineDesc { shader, vertex: vertex(path), depth_test: DepthTest { test: true, write: true, ..DepthTest::default() }, ..PipelineDesc::default() };
        let both = Surface { stencil_address: 0x380_0000, ..surface(0x300_0000) };
        let depth = Some(DepthTarget { surface: both, ..DepthTarget::new(DepthFormat::D32s8, 1) });
        let targets = TargetsDesc { depth, extent: (640, 480), ..TargetsDesc::default() };
        let color = TargetImage { surface: surface(0x100_0000), ..TargetImage::default() };
        DrawDesc { pipeline, targets, ..DrawDesc::default() }.with_colors([(color, TargetBlend { blend: Some(Blend::SOURCE_OVER), ..TargetBlend::default() })])
    };
    let with = |name: &str, path, change: &dyn Fn(&mut DrawDesc)| {
        let mut desc = plain(path);
        change(&mut desc);
        (name.to_owned(), desc)
    };
    let samples = |desc: &mut DrawDesc, count| {
        desc.pipeline.samples = count;
        desc.targets.depth.iter_mut().for_each(|depth| depth.samples = count);
    };
    vec![
        with("triangles", None, &|_| ()),
        with("triangles of 4 samples", None, &|desc| samples(desc, 4)),
        with("an ordered section", None, &|desc| desc.pipeline.interlock = Interlock::PixelOrdered),
        with("patches", None, &|desc| {
            desc.pipeline.topology = Topology::PatchList;
            desc.pipeline.tessellation = Some(Tessellation { program: program(0x30_0000), ..Tessellation::default() });
        }),
        with("a geometry shader", None, &|desc| desc.pipeline.geometry = Some(GeometryStage::default())),
        with("a geometry shader of the hardware VS", Some(VertexPath::Legacy), &|desc| {
            desc.pipeline.geometry = Some(GeometryStage { copy_program: program(0x40_0000), ..GeometryStage::default() });
        }),
        with("a mesh shader", None, &|desc| desc.pipeline.mesh = Some(MeshStage::default())),
    ]
}

/// The words that set a register.
fn set(addr: u32, value: u32) -> Option<[u32; 3]> {
    let (header, start) = match Space::of(addr)? {
        Space::Context => (Header::type3(Opcode::SET_CONTEXT_REG, 2), 0x28000),
        Space::Sh => (Header::type3(Opcode::SET_SH_REG, 2), 0xB000),
        Space::Uconfig => (Header::type3(Opcode::SET_UCONFIG_REG, 2), 0x30000),
        _ => return None,
    };
    Some([header.0, (addr - start) / 4, value])
}

/// The values of each register field that trip a rule at an otherwise correct draw.
#[test]
fn fields_trip_rules_at_the_expected_values_in_a_draw() {
    let lines = |chip: Chip, desc: &DrawDesc| {
        let state = match desc.resolve(chip) {
            Ok(state) => state,
            Err(error) => return refused(error),
        };
        let call = match desc.pipeline.mesh {
            Some(_) => DrawCall::Mesh { groups: [1, 1, 1] },
            None => DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances::default() },
        };
        let mut recorder = Recorder::new(chip);
        recorder.begin_with(&queue_memory()).expect("a preamble");
        recorder.draw_call(&state, &call).expect("room");
        let before = recorder.words().len();
        recorder.draw_call(&state, &call).expect("room");
        let (words, draw) = (recorder.words()[..before].to_vec(), recorder.words()[before..].to_vec());
        let mut model = CommandProcessor::new(chip);
        model.submit(Queue::Graphics, "state", &words);
        // The end of the stream may lack something that only a next packet reveals.
        let found = findings_of(&mut model);
        assert!(found.iter().all(|finding| finding.draw.is_none()), "{chip}: {found:?}");
        // A roll loses them on some chips.
        let scissors = [0x2_8250, 0x2_8254].map(|addr| set(addr, model.registers(Queue::Graphics).value(addr).unwrap_or(0)));
        let scissors = scissors.into_iter().flatten().filter(|_| chip.has(Erratum::ViewportScissor)).flatten().collect::<Vec<_>>();
        let mut lines = Vec::new();
        // No rule looks at counters.
        for register in regs::registers(chip.gfx()).filter(|register| !register.name.contains("PERF")) {
            let (addr, name) = (register.addr, register.name);
            let own = model.registers(Queue::Graphics).value(addr).unwrap_or(0);
            for field in register.fields {
                let place = Place { name: format!("{name}.{}", field.name), dword: 2, lo: field.lo.into(), hi: field.hi.into() };
                let found = |value: u32| -> BTreeSet<String> {
                    let Some(change) = set(addr, place.put(&[0, 0, own], value)[2]) else { return BTreeSet::new() };
                    let words = [&change[..], &scissors, &draw].concat();
                    let mut model = model.snapshot();
                    model.submit(Queue::Graphics, "change", &words);
                    // A register that needs another packet, or accompanying registers, is a matter of that packet.
                    let found = findings_of(&mut model).into_iter().filter(|finding| finding.draw.is_some());
                    found.map(|finding| format!("{} {}", finding.code, finding.severity)).collect()
                };
                let mut seen: BTreeMap<u32, BTreeSet<String>> = place.values(&[0, 0, own], false).into_iter().map(|value| (value, found(value))).collect();
                seen.insert(place.get(&[0, 0, own]), BTreeSet::new());
                let codes: BTreeSet<&String> = seen.values().flatten().collect();
                for code in codes {
                    let values = seen.iter().map(|(value, codes)| (*value, codes.contains(code))).collect();
                    lines.push(format!("{code} {}: {}", place.name, Place::ranges(values, |value| found(value).contains(code))));
                }
            }
        }
        lines
    };
    assert_table("tests/suites/model/rule_bounds.rs", "rules/draws", |_| Vec::new(), &draws(), lines);
}
