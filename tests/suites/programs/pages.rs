//! The content of pages for a browser: the data that their scripts unpack, and pages of the manual. The texts are in `golden/report/`; `tests/browser/` uses
//! the
//! pages.
use crate::golden::{Parts, assert_golden};
use crate::streams::*;
use flate2::read::GzDecoder;
use pm4::chip::{Chip, Gfx};
use pm4::cp::CommandProcessor;
use pm4::cp::rules;
use pm4::isa::WaveSize;
use pm4::packet::{Opcode, Queue};
use pm4::report::DumpOptions;
use pm4::report::html::{RunPage, WavesPage, stream_page, write_manual};
use pm4::waves::{InterlockScope, Mutation, RunOptions, Section, Setup};
use std::collections::BTreeSet;
use std::io::Read;
use strum::IntoEnumIterator;

/// Bytes of base64 text.
fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte)).map(|digit| digit as u32).collect();
    digits
        .chunks(4)
        .flat_map(|four| {
            let word = (0..4).fold(0, |word, at| word << 6 | four.get(at).copied().unwrap_or(0));
            word.to_be_bytes()[1..four.len()].to_vec()
        })
        .collect()
}

/// The title of a page and its data: JSON on separate lines, numbers in lines of 16, other data unchanged.
fn data(page: &[u8]) -> String {
    let page = std::str::from_utf8(page).expect("a page is UTF-8");
    let title = page.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("a title");
    let mut text = format!("{title}\n");
    for block in page.split("<script type=\"application/gzip\" data-name=\"").skip(1) {
        let (name, rest) = block.split_once("\">").expect("a name");
        let mut bytes = Vec::new();
        GzDecoder::new(from_base64(rest.split("</script>").next().expect("an end")).as_slice()).read_to_end(&mut bytes).expect("gzip");
        text += &format!("-- {name}\n");
        if name.ends_with(":u32") || name.ends_with(":delta") {
            let numbers: Vec<String> = bytes.as_chunks::<4>().0.iter().map(|word| format!("{:x}", u32::from_le_bytes(*word))).collect();
            numbers.chunks(16).for_each(|line| text += &format!("{}\n", line.join(" ")));
        } else {
            match serde_json::from_slice::<serde_json::Value>(&bytes) {
                Ok(value) => text += &serde_json::to_string_pretty(&value).expect("JSON"),
                Err(_) => text += &String::from_utf8_lossy(&bytes),
            }
            text += "\n";
        }
    }
    text
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Packets of most kinds, some of them more than once, and damage.
fn busy() -> Vec<u32> {
    [
        state(N31),
        draw(),
        reg(N31, "CB_TARGET_MASK", 0xFF),
        draw(),
        write(0x8001_0000_3000, &[1, 2, 3]),
        release(0x8001_0000_3000, 7),
        wait(0x8001_0000_3000, 7),
        predicated(draw()),
        raw_packet(Opcode::CLEAR_STATE, &[0]),
        set(0x28750, &[1, 2, 3, 4, 5, 6]),
        index_type(),
        indexed(12),
        sync(),
        raw_event(0x3F, 0),
        vec![0x8000_0000],
        set(0x2_8FFC, &[1]),
        draw(),
        dispatch(),
        nop(),
    ]
    .concat()
}

#[test]
fn a_page_of_streams_holds_their_packets_and_what_is_wrong() {
    let mut parts = Parts::default();
    let odd = [bytes(&busy()), vec![1, 2, 3]].concat();
    let cut = bytes(&[[0xC001_2D00, 3, 2].as_slice(), &[0xC005_2D00, 3]].concat());
    let short = bytes(&raw_packet(Opcode::DRAW_INDEX_AUTO, &[3]));
    // NUM_INSTANCES with reserved bits of the header, PFP_SYNC_ME with bits in its body.
    let reserved = bytes(&[0xC000_2F10, 1, 0xC000_4200, 0x8000_0000]);
    for (name, gfx, queue, streams) in [
        ("two streams, one with odd bytes", Gfx::Gfx11, Queue::Graphics, vec![("main.bin", odd.as_slice()), ("cut.bin", cut.as_slice())]),
        ("another generation", Gfx::Gfx9, Queue::Graphics, vec![("main.bin", cut.as_slice()), ("short.bin", short.as_slice()), ("again.bin", cut.as_slice())]),
        ("another queue", Gfx::Gfx103, Queue::Compute, vec![("main.bin", cut.as_slice())]),
        ("nothing", Gfx::Gfx12, Queue::Graphics, vec![]),
        ("an empty stream", Gfx::Gfx12, Queue::Graphics, vec![("empty.bin", [].as_slice())]),
        ("bits that no field has", Gfx::Gfx11, Queue::Graphics, vec![("reserved.bin", reserved.as_slice())]),
    ] {
        let mut page = Vec::new();
        let damaged = stream_page(&mut page, &streams, &DumpOptions::new(gfx, queue)).expect("memory takes it");
        parts.add(&format!("{name}, damaged {damaged}"), &data(&page));
    }
    parts.assert("report/stream_pages.txt");
}

/// A field is [name, lowest bit, highest bit, value list, doc, note], followed by `true` if its bits are a float: scripts then print the number.
#[test]
fn floats_are_marked_in_the_data_of_a_page() {
    let words = bytes(&[reg(N31, "CB_BLEND_RED", 0x3F00_0000), reg(N31, "CB_TARGET_MASK", 0xFF)].concat());
    let mut page = Vec::new();
    stream_page(&mut page, &[("main.bin", words.as_slice())], &DumpOptions::new(Gfx::Gfx11, Queue::Graphics)).expect("memory takes it");
    let text = data(&page);
    for (field, float) in [("BLEND_RED", true), ("TARGET0_ENABLE", false)] {
        let row: Vec<&str> = text.split(&format!("\"{field}\",")).nth(1).expect("a field").split(']').next().expect("an end").lines().map(str::trim).collect();
        assert_eq!(row.contains(&"true"), float, "{row:?}");
    }
}

/// The record of a hang names packets and findings: those that the page has turned into links.
const HANG: &str = r#"{
    "engines": [{ "engine": "ME", "candidates": [{ "file": "main.bin", "dword": 9999 }, { "file": "main.bin", "dword": DRAW }, { "file": "other.bin", "dword": 0 }] }, { "engine": "PFP" }],
    "suspects": [{ "code": "CODE", "file": "main.bin", "dword": DWORD, "message": "MESSAGE" }, { "code": "REG-99", "file": "main.bin", "dword": 0, "message": "another" }]
}"#;

#[test]
fn a_page_of_a_run_holds_registers_at_each_draw_and_what_was_found() {
    let mut parts = Parts::default();
    let (main, compute) = (busy(), [raw_packet(Opcode::SET_SH_REG, &[0x204, 1, 1, 1]), dispatch(), dispatch(), nop()].concat());
    // A part of the first draw that a call runs twice.
    let called = [reg(N31, "DB_SHADER_CONTROL", 0x10), draw()].concat();
    let calls = [ib(0x7001_0000_0000, called.len() as u32), ib(0x7001_0000_0000, called.len() as u32), reg(N31, "DB_SHADER_CONTROL", 0x20), draw()].concat();
    for (name, hang) in [("a run", false), ("a run that hung", true)] {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main.bin", &main);
        cp.submit(Queue::Compute, "compute.bin", &compute);
        let mut page = RunPage::of(&cp);
        let summary = cp.run(&mut page);
        if hang {
            // The page without it: the first finding, and the position of a draw.
            let mut plain = CommandProcessor::new(N31);
            plain.submit(Queue::Graphics, "main.bin", &main);
            plain.submit(Queue::Compute, "compute.bin", &compute);
            let seen = Log::of(&mut plain);
            let first = seen.findings.first().expect("a finding");
            let draw = main.iter().position(|word| *word == 0xC001_2D00).expect("a draw");
            let record = HANG.replace("CODE", first.code).replace("DWORD", &first.place.dword.to_string());
            let record = record.replace("MESSAGE", serde_json::to_string(&first.message).expect("JSON").trim_matches('"'));
            page.hang("no record");
            page.hang(&record.replace("DRAW", &draw.to_string()));
        }
        let mut file = Vec::new();
        page.write(&mut file, &cp, &summary).expect("memory takes it");
        parts.add(name, &data(&file));
    }
    let mut cp = with_memory(N31);
    cp.map("called.bin", 0x7001_0000_0000, &called);
    cp.submit(Queue::Graphics, "calls.bin", &calls);
    let mut page = RunPage::of(&cp);
    let summary = cp.run(&mut page);
    let mut file = Vec::new();
    page.write(&mut file, &cp, &summary).expect("memory takes it");
    parts.add("a part that runs twice", &data(&file));
    parts.assert("report/run_pages.txt");
}

#[test]
fn a_page_of_waves_holds_what_some_of_them_do() {
    let mut parts = Parts::default();
    for (name, gfx, chip, mutation, interlock) in [
        ("correct", Gfx::Gfx11, Chip::Navi31, None, InterlockScope::Pixel),
        ("a mistake", Gfx::Gfx9, Chip::Vega10, Some("no-wrap-fix"), InterlockScope::Pixel),
        ("a hang", Gfx::Gfx103, Chip::Navi21, Some("no-overlap-test"), InterlockScope::Sample),
        ("a broken rule", Gfx::Gfx10, Chip::Navi10, Some("packer-not-set"), InterlockScope::Pixel),
    ] {
        let log2 = if interlock == InterlockScope::Sample { 1 } else { 0 };
        let setup = Setup {
            samples_log2: 1,
            exposed_log2: 1,
            compared_log2: 1,
            overlap_log2: log2,
            interlock,
            wave: if gfx == Gfx::Gfx11 { WaveSize::W32 } else { WaveSize::W64 },
            drain: gfx == Gfx::Gfx10,
            ..Setup::plain(gfx)
        };
        let section = Section::of(&setup);
        let words = match mutation {
            Some(mutation) => Mutation::find(mutation).expect("a mutation").program(&section),
            None => section.words(),
        };
        let words = words.expect("a section");
        let about = [format!("about {name}"), "<b>".into()];
        let page = WavesPage { chip, setup: &setup, words: &words, options: RunOptions { waves: 40, seed: 3, start_id: 1000 }, about: &about };
        let mut file = Vec::new();
        page.write(&mut file).expect("memory takes it");
        parts.add(name, &data(&file));
    }
    parts.assert("report/waves_pages.txt");
}

/// The end of the section of a wave, as the page names it: without POPS only exports of GFX11 and later and a message sent by the program.
#[test]
fn a_page_of_waves_names_what_leaves_the_section() {
    for (gfx, chip, pops, ordered, done) in [
        (Gfx::Gfx103, Chip::Navi21, true, true, "\"leaves the section\""),
        (Gfx::Gfx103, Chip::Navi21, false, true, "\"sends ORDERED_PS_DONE\""),
        (Gfx::Gfx103, Chip::Navi21, false, false, "null"),
        (Gfx::Gfx11, Chip::Navi31, false, true, "\"exports with DONE\""),
    ] {
        let words = Section::of(&Setup { pops: ordered, ..Setup::plain(gfx) }).words().expect("a section");
        let setup = Setup { pops, ..Setup::plain(gfx) };
        let mut file = Vec::new();
        let options = RunOptions { waves: 4, ..RunOptions::default() };
        WavesPage { chip, setup: &setup, words: &words, options, about: &[] }.write(&mut file).expect("memory takes it");
        assert!(data(&file).contains(&format!("\"done\": {done},")), "{gfx}, POPS {pops}, a section {ordered}: {}", &data(&file)[..2000]);
    }
}

/// Pages of the manual with most features that such pages can have.
const PAGES: [&str; 14] = [
    "index.html",
    "packets.html",
    "values.html",
    "rules.html",
    "register/DB_SHADER_CONTROL.html",
    "register/PA_SC_BINNER_CNTL_0.html",
    "register/CB_COLOR0_INFO.html",
    "register/SPI_SHADER_PGM_RSRC1_PS.html",
    "register/DB_Z_INFO.html",
    "register/VGT_EVENT_INITIATOR.html",
    "values/BinningMode.html",
    "packet/ACQUIRE_MEM.html",
    "packet/DRAW_INDEX_AUTO.html",
    "packet/SET_CONTEXT_REG_PAIRS_PACKED.html",
];

#[test]
fn pages_of_the_manual_say_what_the_descriptions_say_and_lead_somewhere() {
    let folder = std::env::temp_dir().join(format!("pm4-pages-{}", std::process::id()));
    let count = write_manual(&folder).expect("a folder");
    let mut files = BTreeSet::new();
    for part in ["", "register", "block", "values", "packet"] {
        for entry in std::fs::read_dir(folder.join(part)).expect("a folder") {
            let name = entry.expect("a file").file_name().into_string().expect("UTF-8");
            files.insert(if part.is_empty() { name } else { format!("{part}/{name}") });
        }
    }
    assert_eq!(files.iter().filter(|name| name.ends_with(".html")).count(), count);
    // Another name of a register leads to the page of that register, unless a register has this name itself.
    let aliases: Vec<_> = Gfx::iter().flat_map(pm4::regs::registers).flat_map(|info| info.aliases.iter().map(|alias| (*alias, info.name))).collect();
    let aliases: BTreeSet<_> = aliases.into_iter().filter(|(alias, _)| !files.contains(&format!("register/{alias}.html"))).collect();
    let mut aliases_with_links = 0;
    let mut links = 0;
    for name in files.iter().filter(|name| name.ends_with(".html")) {
        let text = std::fs::read_to_string(folder.join(name)).expect("a page");
        aliases_with_links += aliases.iter().filter(|(alias, register)| text.contains(&format!("register/{register}.html\">{alias}</a>"))).count();
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let path = link.split('#').next().unwrap_or_default();
            if path.is_empty() || path.starts_with("data:") {
                continue;
            }
            // Pages of a folder first lead up, or stay in it.
            let target = match (path.strip_prefix("../"), name.split_once('/')) {
                (Some(target), Some(_)) => target.to_owned(),
                (None, Some((part, _))) => format!("{part}/{path}"),
                (_, None) => path.to_owned(),
            };
            assert!(files.contains(&target), "{name} leads to {link}, which is not there");
            links += 1;
        }
    }
    assert!(links > 10_000, "{links} links");
    assert!(aliases_with_links > 10, "{aliases_with_links} links of other names");
    // Each field of each generation has a row on the page of its register, with its bits.
    let mut fields = 0;
    for info in Gfx::iter().flat_map(pm4::regs::registers) {
        let Ok(page) = std::fs::read_to_string(folder.join(format!("register/{}.html", info.name))) else { continue };
        for field in info.fields {
            let bits = if field.hi == field.lo { field.lo.to_string() } else { format!("{}:{}", field.hi, field.lo) };
            let row = format!("<td class=\"number mono\">{bits}</td><td class=\"name\">{}</td>", field.name);
            assert!(page.contains(&row), "{} {} {bits}", info.name, field.name);
            fields += 1;
        }
    }
    assert!(fields > 10_000, "{fields} fields");
    // The search leads to existing places, and to each register, packet, value list and rule.
    let search = std::fs::read_to_string(folder.join("search.js")).expect("the search");
    let found_in = search.split_once("FOUND_IN = ").and_then(|(_, list)| list.trim_end().strip_suffix(';')).expect("a list");
    let found_in: Vec<serde_json::Value> = serde_json::from_str(found_in).expect("JSON");
    let led_to: BTreeSet<&str> = found_in.iter().map(|entry| entry[2].as_str().expect("a place")).collect();
    let of_rules = std::fs::read_to_string(folder.join("rules.html")).expect("a page");
    for place in &led_to {
        let (page, id) = place.split_once('#').unwrap_or((place, ""));
        assert!(files.contains(page) && (id.is_empty() || page == "rules.html" && of_rules.contains(&format!("id=\"{id}\""))), "{place}");
    }
    let pages = files.iter().filter(|name| ["register/", "values/", "packet/"].iter().any(|part| name.starts_with(part))).cloned();
    let codes = rules::all().map(|rule| rule.code).chain(rules::not_judged().iter().map(|rule| rule.code));
    for place in pages.chain(codes.map(|code| format!("rules.html#{code}"))) {
        assert!(led_to.contains(&*place), "the search does not lead to {place}");
    }
    let text: String = PAGES
        .iter()
        .map(|name| {
            let page = std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
            let body = page.split_once("<main").expect("what the page says").1.to_owned();
            // An element per line, so that a difference shows.
            let lines =
                ["<tr", "<li", "<h1", "<h2", "<h3", "<p", "<section", "<table", "<div"].iter().fold(body, |body, tag| body.replace(tag, &format!("\n{tag}")));
            let lines: Vec<&str> = lines.lines().collect();
            // The lists are long: their beginnings and ends.
            let (first, last) = if lines.len() > 70 { (&lines[..45], &lines[lines.len() - 20..]) } else { (&lines[..], &lines[..0]) };
            format!("==== {name}, {} lines\n{}\n{}\n", lines.len(), first.join("\n"), last.join("\n"))
        })
        .collect();
    std::fs::remove_dir_all(&folder).expect("the folder");
    assert_golden("report/manual.txt", &format!("{text}==== search.js\n{}\n", search.chars().take(3000).collect::<String>()));
}
