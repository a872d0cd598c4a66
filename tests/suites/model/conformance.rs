//! The model against captured command buffers of a real driver: every packet, every register write, the registers at every draw, no false error.
//!
//! `tests/captures` holds a small set. If PM4_CAPTURES names a folder with the same layout, its captures run as well, and in a release build also
//! those of `../shared/captures`, if it exists.

use crate::support::captured::{all_captures, folders_of_captures};
use flate2::read::GzDecoder;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{Bank, CommandProcessor, DrawView, Finding, Observer, Severity};
use pm4::packet::{Header, Queue, Reader, ShaderType};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A row of a table by column name.
struct Row<'t> {
    columns: &'t BTreeMap<String, usize>,
    cells: Vec<&'t str>,
}

impl<'t> Row<'t> {
    fn get(&self, column: &str) -> &'t str {
        self.columns.get(column).and_then(|at| self.cells.get(*at)).copied().unwrap_or_else(|| panic!("no column {column}"))
    }

    fn number<T: std::str::FromStr>(&self, column: &str) -> T {
        self.get(column).parse().unwrap_or_else(|_| panic!("{column} is not a number: {}", self.get(column)))
    }
}

/// Reads a tab-separated table, compressed or not, row by row. False if it does not exist.
fn table(path: &Path, mut row: impl FnMut(&Row<'_>)) -> bool {
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    let reader: Box<dyn Read> = match (File::open(path), File::open(&packed)) {
        (Ok(plain), _) => Box::new(plain),
        (_, Ok(packed)) => Box::new(GzDecoder::new(packed)),
        _ => return false,
    };
    let mut reader = BufReader::with_capacity(1 << 20, reader);
    let mut line = String::new();
    let mut columns = BTreeMap::new();
    while reader.read_line(&mut line).expect("the table is readable") > 0 {
        let cells: Vec<&str> = line.trim_end_matches(['\n', '\r']).split('\t').collect();
        if columns.is_empty() {
            columns = cells.iter().enumerate().map(|(at, name)| ((*name).to_owned(), at)).collect();
        } else {
            row(&Row { columns: &columns, cells });
        }
        line.clear();
    }
    true
}

fn words(path: &Path) -> Vec<u32> {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("no hexadecimal number: {text}"))
}

/// `28000=00000000 …`, or `-`.
fn pairs(text: &str) -> Vec<(u32, u32)> {
    text.split_whitespace().filter_map(|pair| pair.split_once('=')).map(|(addr, value)| (hex(addr) as u32, hex(value) as u32)).collect()
}

/// The chip of a family; None if its generation is not compiled in.
fn chip(family: &str) -> Option<Chip> {
    family.parse().ok()
}

/// Rows of the manifest by family, case and submit.
pub type Submits = BTreeMap<(String, String, u32), Vec<Buffer>>;

/// A buffer of a submit.
pub struct Buffer {
    order: u32,
    pub role: String,
    queue: Queue,
    addr: u64,
    file: String,
}

fn queue(name: &str) -> Queue {
    if name == "gfx" { Queue::Graphics } else { Queue::Compute }
}

pub fn submits(folder: &Path) -> Submits {
    let mut submits = Submits::new();
    table(&folder.join("manifest.tsv"), |row| {
        let key = (row.get("family").to_owned(), row.get("case").to_owned(), row.number("submit"));
        let buffer = Buffer {
            order: row.number("order"),
            role: row.get("role").to_owned(),
            queue: queue(row.get("queue")),
            addr: hex(row.get("va")),
            file: row.get("file").to_owned(),
        };
        submits.entry(key).or_default().push(buffer);
    });
    submits.values_mut().for_each(|buffers| buffers.sort_by_key(|b| b.order));
    submits
}

#[test]
fn every_packet_and_register_write_is_read_as_recorded() {
    for folder in folders_of_captures() {
        let mut file = String::new();
        let mut gfx: Option<Gfx> = None;
        let (mut stream, mut next, mut packets) = (Vec::new(), 0, 0u64);
        table(&folder.join("expected/packets.tsv"), |row| {
            if row.get("file") != file {
                assert_eq!(next, stream.len(), "{file} has packets that the table lacks");
                file = row.get("file").to_owned();
                gfx = file.split('/').next().and_then(chip).map(Chip::gfx);
                stream = words(&folder.join(&file));
                next = 0;
            }
            let Some(gfx) = gfx else {
                next = stream.len();
                return;
            };
            let at = format!("{file} dword {next}");
            assert_eq!(row.number::<usize>("dword"), next, "{at}");
            let packet = Reader::new(&stream[next..]).next().expect("a packet").unwrap_or_else(|e| panic!("{at}: {e}"));
            let header: Header = packet.header;
            assert_eq!(u64::from(header.packet_type()), hex(row.get("type")), "{at}");
            assert_eq!(u64::from(header.opcode().0), hex(row.get("opcode")), "{at}");
            assert_eq!(u64::from(header.count()), hex(row.get("count")), "{at}");
            let flags = [(header.is_predicated(), 'P'), (header.shader_type() == ShaderType::Compute, 'C'), (header.resets_filter_cam(), 'R')];
            let flags: String = flags.into_iter().filter(|(on, _)| *on).map(|(_, letter)| letter).collect();
            assert_eq!(if flags.is_empty() { "-" } else { &flags }, row.get("flags"), "{at}");
            assert_eq!(packet.name(gfx), Some(row.get("name")), "{at}");
            let body: Vec<u32> = row.get("body").split_whitespace().filter(|word| *word != "-").map(|word| hex(word) as u32).collect();
            assert_eq!(packet.body, body, "{at}");
            let writes: Vec<_> = packet.writes(gfx).map(|write| (write.addr, write.value)).collect();
            assert_eq!(writes, pairs(row.get("writes")), "{at}");
            next += packet.dwords();
            packets += 1;
        });
        assert_eq!(next, stream.len(), "{file} has packets that the table lacks");
        let families = submits(&folder).into_keys().any(|(family, _, _)| chip(&family).is_some());
        assert_eq!(packets > 0, families, "{}", folder.display());
        println!("{packets} packets of {} are equal", folder.display());
    }
}

/// A draw of the table.
struct Expected {
    file: String,
    dword: u32,
    header: u32,
    loaded: BTreeSet<u32>,
    banks: [(Bank, Vec<(u32, u32)>); 4],
}

impl Expected {
    fn new(row: &Row<'_>) -> Self {
        let bank = |bank, column| (bank, pairs(row.get(column)));
        Self {
            file: row.get("file").to_owned(),
            dword: row.number("dword"),
            header: hex(row.get("header")) as u32,
            loaded: row.get("loaded").split_whitespace().filter(|a| *a != "-").map(|addr| hex(addr) as u32).collect(),
            banks: [bank(Bank::Context, "context"), bank(Bank::Sh, "sh_gfx"), bank(Bank::ShCompute, "sh_compute"), bank(Bank::Uconfig, "uconfig")],
        }
    }
}

/// Compares each draw and dispatch with the table, and collects the errors.
#[derive(Default)]
struct Compare {
    names: Vec<String>,
    expected: [VecDeque<Expected>; 2],
    draws: u64,
    errors: Vec<String>,
}

/// Codes of errors that are correct on streams of shipped drivers: docs/reviewed-findings.txt has a line with the reason for each.
fn reviewed() -> BTreeSet<String> {
    let list = fs::read_to_string(crate::support::repository("docs/reviewed-findings.txt")).expect("the list of reviewed findings");
    let lines = list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let codes = lines.map(|line| {
        let (code, why) = line.split_once(' ').unwrap_or_else(|| panic!("no reason: {line}"));
        assert!(why.len() > 40 && pm4::cp::rules::find(code).is_some(), "{line}");
        code.to_owned()
    });
    codes.collect()
}

impl Compare {
    fn work(&mut self, view: &DrawView<'_>) {
        let name = &self.names[view.place().buffer.0 as usize];
        let at = format!("{} at {name} dword {}", view.name(), view.place().dword);
        let expected = self.expected[usize::from(view.queue() == Queue::Compute)].pop_front().unwrap_or_else(|| panic!("{at} is not in the table"));
        assert_eq!((&expected.file, expected.dword, expected.header), (name, view.place().dword, view.packet().header.0), "{at}");
        for (bank, registers) in &expected.banks {
            let known = |(addr, _): &(u32, u32)| !expected.loaded.contains(addr);
            let mine: Vec<_> = view.written(*bank).filter(known).collect();
            let theirs: Vec<_> = registers.iter().copied().filter(known).collect();
            assert_eq!(mine, theirs, "{at}, {bank:?}");
        }
        self.draws += 1;
    }
}

impl Observer for Compare {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.work(view);
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.work(view);
    }

    fn finding(&mut self, finding: &Finding) {
        if finding.severity == Severity::Error && !reviewed().contains(finding.code) {
            self.errors.push(format!("{finding:?}"));
        }
    }
}

/// Runs a submit; None if the generation of the family is not compiled in.
fn run<O: Observer>(folder: &Path, family: &str, buffers: &[Buffer], observer: impl FnOnce(Vec<String>) -> O) -> Option<O> {
    run_on(CommandProcessor::new(chip(family)?), folder, buffers, observer)
}

/// Runs a submit on a model with the settings of the submit.
pub fn run_on<O: Observer>(cp: CommandProcessor<'static>, folder: &Path, buffers: &[Buffer], observer: impl FnOnce(Vec<String>) -> O) -> Option<O> {
    let used: Vec<_> = buffers.iter().filter(|b| !b.role.starts_with("continue")).map(|b| (b, words(&folder.join(&b.file)))).collect();
    let mut cp: CommandProcessor<'_> = cp;
    for (buffer, words) in &used {
        match buffer.role.contains('.') {
            true => cp.map(&buffer.file, buffer.addr, words),
            false => cp.submit_at(buffer.queue, &buffer.file, buffer.addr, words),
        };
    }
    let mut observer = observer(cp.buffers().iter().map(|b| b.name.to_owned()).collect());
    cp.run(&mut observer);
    Some(observer)
}

/// Runs a submit and compares its draws.
fn compare(folder: &Path, submits: &Submits, key: &(String, String, u32), expected: &mut [VecDeque<Expected>; 2]) -> u64 {
    let (expected, Some(buffers)) = (std::mem::take(expected), submits.get(key)) else { return 0 };
    let Some(done) = run(folder, &key.0, buffers, |names| Compare { names, expected, ..Compare::default() }) else { return 0 };
    let left = done.expected.iter().flatten().count();
    assert_eq!(left, 0, "{key:?}: the table has {left} draws more");
    assert!(done.errors.is_empty(), "{key:?}: {:#?}", done.errors);
    done.draws
}

#[test]
fn registers_at_every_draw_equal_the_recorded_ones_and_no_rule_calls_a_shipped_stream_wrong() {
    for folder in folders_of_captures() {
        let submits = submits(&folder);
        let mut key = (String::new(), String::new(), 0);
        let mut expected: [VecDeque<Expected>; 2] = Default::default();
        let mut draws = 0;
        let mut drawing = BTreeSet::new();
        table(&folder.join("expected/draws.tsv"), |row| {
            let next = (row.get("family").to_owned(), row.get("case").to_owned(), row.number("submit"));
            if next != key {
                draws += compare(&folder, &submits, &key, &mut expected);
                drawing.insert(std::mem::replace(&mut key, next));
            }
            expected[usize::from(queue(row.get("queue")) == Queue::Compute)].push_back(Expected::new(row));
        });
        draws += compare(&folder, &submits, &key, &mut expected);
        drawing.insert(key);
        // Submits without draws must be free of errors as well.
        for key in submits.keys().filter(|key| !drawing.contains(*key)) {
            compare(&folder, &submits, key, &mut expected);
        }
        println!("{draws} draws and dispatches of {} are equal", folder.display());
    }
}

/// Counts findings by code.
#[derive(Default)]
struct Codes(BTreeMap<&'static str, u64>, BTreeSet<&'static str>);

impl Observer for Codes {
    fn finding(&mut self, finding: &Finding) {
        *self.0.entry(finding.code).or_default() += 1;
        if finding.severity == Severity::Error {
            self.1.insert(finding.code);
        }
    }
}

#[test]
fn rules_report_as_often_as_reviewed() {
    let large = crate::support::repository("../shared/captures");
    // Other folders contain other cases.
    for folder in all_captures().into_iter().filter(|folder| folder.canonicalize().ok() == large.canonicalize().ok()) {
        let mut counts: BTreeMap<(String, &str), u64> = BTreeMap::new();
        let mut errors: BTreeSet<&str> = BTreeSet::new();
        for ((family, _, _), buffers) in submits(&folder) {
            let Some(codes) = run(&folder, &family, &buffers, |_| Codes::default()) else { continue };
            errors.extend(&codes.1);
            for (code, count) in codes.0 {
                *counts.entry((family.clone(), code)).or_default() += count;
            }
        }
        let pops: Vec<_> =
            counts.iter().filter(|((_, code), _)| code.starts_with("POPS")).map(|((family, code), count)| (family.as_str(), *code, *count)).collect();
        let mut reviewed = vec![("navi21", "POPS-16", 4), ("navi31", "POPS-10", 20), ("vega10", "POPS-17", 3)];
        reviewed.retain(|(family, _, _)| chip(family).is_some());
        assert_eq!(pops, reviewed);
        // Warnings and infos on these streams, over all families: review new entries here.
        let habits: BTreeSet<&str> = counts.keys().map(|(_, code)| *code).filter(|code| !code.starts_with("POPS") && !errors.contains(code)).collect();
        // STA-38: coarse rates with 8 samples, which RADV has turned off since 2026.
        let known = ["ENC-18", "MEM-03", "REG-02", "REG-05", "REG-07", "REG-08", "STA-38", "SYN-18"];
        assert!(habits.iter().all(|code| known.contains(code)), "{habits:?}");
        // The list has no stale entries.
        if chip("navi31").is_some() {
            assert_eq!(errors.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), self::reviewed());
        }
    }
}
