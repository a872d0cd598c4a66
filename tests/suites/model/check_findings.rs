//! Presentation of findings: every mistake of the rules as text in the style of a compiler, and as a JSON record.
use crate::rule_cases::{Case, cases};
use crate::streams::*;
use pm4::cp::{BufferId, CommandProcessor, Finding, rules};
use pm4::packet::Queue;
use pm4::report::{self, OutputFormat, ReportOptions};
use pm4::testing::{self, Stated, TestStream};
use serde_json::Value;
use std::collections::BTreeSet;

/// A stream that a rule reports.
struct Mistake {
    code: &'static str,
    stream: TestStream,
}

impl Mistake {
    fn of(case: Case) -> Self {
        let Case { code, chip, queue, bad, beside, settings, .. } = case;
        let stated = Stated {
            firmware: settings.firmware,
            board: settings.board,
            ring: settings.ring,
            sdma: settings.sdma,
            aql: settings.aql,
            mes: settings.mes,
            max_dwords: settings.max_dwords,
            max_memory: settings.max_memory,
            max_findings: settings.max_findings,
            ..Stated::default()
        };
        let enabled = rules::find(code).filter(|rule| rule.off_by_default).map(|_| code).into_iter().collect();
        Self { code, stream: TestStream { beside, stated, enabled, ..TestStream::new(chip, queue, bad) } }
    }

    fn print(&self, format: OutputFormat) -> String {
        let mut out = Vec::new();
        report::run(&mut out, &mut self.stream.model(), &[], ReportOptions { format, ..ReportOptions::default() }).expect("a vector takes everything");
        String::from_utf8(out).expect("text")
    }

    /// A buffer of the model by name, and its words.
    fn buffer(&self, id: BufferId) -> (&'static str, &[u32]) {
        let TestStream { memory, words, beside, .. } = &self.stream;
        match (id.0 as usize).checked_sub(memory.len()) {
            None => ("memory", &memory[id.0 as usize].words),
            Some(0) => ("stream", words),
            Some(_) => ("beside", beside),
        }
    }

    /// The findings of the rule of this case.
    fn findings(&self) -> Vec<Finding> {
        self.stream.findings().into_iter().filter(|finding| finding.code == self.code).collect()
    }
}

/// The hits of the truth kit, on each generation that the rule names, and the mistakes of `rule_cases` in the same form.
fn mistakes() -> impl Iterator<Item = Mistake> {
    testing::rule_cases().map(|case| Mistake { code: case.rule, stream: case.hit }).chain(cases().into_iter().map(Mistake::of))
}

#[test]
fn the_kit_has_each_rule_of_the_other_mistakes() {
    let kit: BTreeSet<&str> = testing::rule_cases().map(|case| case.rule).collect();
    let others: BTreeSet<&str> = cases().iter().map(|case| case.code).collect();
    assert!(others.is_subset(&kit), "{:?}", others.difference(&kit));
}

/// The text of one finding: from its head line to the next line that does not belong to it.
fn blocks<'t>(text: &'t str, code: &str) -> Vec<Vec<&'t str>> {
    let lines: Vec<&str> = text.lines().collect();
    let heads = (0..lines.len()).filter(|at| lines[*at].contains(&format!("[{code}]: ")) && !lines[*at].contains(" again at "));
    heads.map(|at| [&lines[at..=at], &lines[at + 1..].iter().copied().take_while(|line| line.starts_with(' ')).collect::<Vec<_>>()].concat()).collect()
}

/// The underlined text of a block, by the first mark.
fn underlined(block: &[&str]) -> Option<String> {
    let at = block.iter().position(|line| line.starts_with("       | ") && line.contains('^'))?;
    // Columns, not bytes: a shortened line has dots of several bytes.
    let (start, end) = (block[at].find('^')?, block[at].rfind('^')? + 1);
    let text: String = block[at - 1].chars().skip(start).take(end - start).collect();
    (!text.is_empty()).then_some(text)
}

#[test]
fn each_finding_shows_the_packet_what_is_wrong_in_it_help_and_source() {
    let mut wrong = Vec::new();
    for case in mistakes() {
        let (text, found) = (case.print(OutputFormat::Text), case.findings());
        let blocks = blocks(&text, case.code);
        if blocks.is_empty() {
            wrong.push(format!("{}: nothing is shown", case.code));
        }
        for (block, finding) in blocks.iter().zip(&found) {
            let whole = block.join("\n");
            let (name, words) = case.buffer(finding.place.buffer);
            let place = format!("  --> {name} dword {} (byte 0x{:x})", finding.place.dword, finding.place.dword * 4);
            let line = format!("{:>6} | 0x{:08x}", finding.place.dword, words.get(finding.place.dword as usize).copied().unwrap_or(0));
            let source = format!("   = source: {}", rules::find(case.code).expect("a rule").source);
            let head = format!("{}[{}]: {}", finding.severity, case.code, finding.message);
            for part in [head.as_str(), &place, &line, &source, "   = help: "] {
                if !whole.contains(part) {
                    wrong.push(format!("{} lacks {part:?}:\n{whole}", case.code));
                }
            }
            let mark = underlined(block);
            let field = finding.field.filter(|_| finding.register.is_none());
            let in_header = field.is_some_and(|field| ["predicate", "shader_type", "reset_filter_cam"].contains(&field));
            let right = match (&mark, field) {
                (Some(mark), Some(_)) if in_header => mark.starts_with("0x"),
                // A field that the line omits, because it was shortened or the generation uses another name: the name of the packet.
                (Some(mark), Some(field)) => mark.starts_with(&format!("{field}=")) || !whole.contains(&format!(" {field}=")),
                (mark, _) => mark.is_some(),
            };
            if !right {
                wrong.push(format!("{}: {mark:?} is underlined for {field:?}\n{whole}", case.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn a_finding_about_a_register_of_a_draw_shows_the_packet_that_wrote_it() {
    let mut judged = 0;
    for case in mistakes() {
        for (finding, block) in case.findings().iter().zip(blocks(&case.print(OutputFormat::Text), case.code)) {
            let Some(note) = finding.notes.iter().find(|note| note.register.is_some() && note.place.is_some()) else { continue };
            let (at, register) = (note.place.expect("it has one"), note.register.as_deref().expect("it has one"));
            let whole = block.join("\n");
            assert!(whole.contains(&format!("  ::: {} dword {} (byte 0x{:x})", case.buffer(at.buffer).0, at.dword, at.dword * 4)), "{whole}");
            let line =
                block.iter().position(|line| line.starts_with(&format!("{:>6} | ", at.dword)) && line.contains(register)).unwrap_or_else(|| panic!("{whole}"));
            let (start, end) = (block[line + 1].find('-').expect("a mark"), block[line + 1].rfind('-').expect("a mark") + 1);
            let mark = &block[line][start..end];
            let wanted = note.field.map_or_else(|| format!("{register}="), |field| format!("{field}="));
            assert!(mark.starts_with(&wanted), "{mark} instead of {wanted}\n{whole}");
            judged += 1;
        }
    }
    assert!(judged > 40, "{judged}");
}

#[test]
fn each_finding_is_a_json_record_with_the_keys_of_the_contract() {
    for case in mistakes() {
        let (text, found) = (case.print(OutputFormat::Json), case.findings());
        let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect();
        let mine: Vec<&Value> = records.iter().filter(|record| record["type"] == "finding" && record["code"] == case.code).collect();
        assert_eq!(mine.len(), found.len(), "{}", case.code);
        for (record, finding) in mine.into_iter().zip(&found) {
            assert_eq!(record["severity"], finding.severity.to_string());
            assert_eq!((&record["file"], &record["dword"]), (&case.buffer(finding.place.buffer).0.into(), &finding.place.dword.into()));
            assert_eq!((&record["message"], &record["source"]), (&finding.message.clone().into(), &finding.source.into()));
            assert_eq!(record["help"].as_str(), finding.help.as_deref());
            assert_eq!(record.get("count").and_then(Value::as_u64).unwrap_or(1), finding.count);
        }
    }
}

#[test]
fn texts_of_the_library_name_no_option_of_a_program_and_no_file_of_the_repository() {
    let mut texts: Vec<String> = rules::all().map(|rule| format!("{}: {} {} {}", rule.code, rule.title, rule.explanation, rule.source)).collect();
    texts.extend(rules::not_judged().iter().map(|rule| format!("{}: {} {} {}", rule.code, rule.title, rule.reason, rule.source)));
    for finding in mistakes().flat_map(|case| case.findings()) {
        let notes: Vec<&str> = finding.notes.iter().map(|note| note.text.as_str()).collect();
        texts.push(format!("{finding} {} {}", finding.help.as_deref().unwrap_or_default(), notes.join(" ")));
    }
    for text in texts {
        let option = text.split("--").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
        assert!(!option && !text.contains("docs/") && !text.contains("tests/"), "{text}");
    }
}

#[test]
fn a_finding_prints_as_one_line() {
    for finding in mistakes().flat_map(|case| case.findings()) {
        let line = finding.to_string();
        let start = format!("{}[{}] at buffer {} dword {}: ", finding.severity, finding.code, finding.place.buffer.0, finding.place.dword);
        assert!(line.starts_with(&start) && line.ends_with(&finding.message) && line.lines().count() == 1, "{line}");
    }
}

fn explained(code: &str) -> String {
    let mut page = Vec::new();
    assert!(report::rule_page(&mut page, code).expect("a vector takes everything"), "{code}");
    String::from_utf8(page).expect("text")
}

#[test]
fn every_rule_and_every_one_that_is_not_judged_has_a_long_text() {
    for rule in rules::all() {
        let text = explained(rule.code);
        for part in [rule.code, rule.title, rule.source, "severity: ", "chips: "] {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.lines().count() > 6, "{text}");
    }
    let mut nothing = Vec::new();
    assert!(!report::rule_page(&mut nothing, "POPS-99").expect("a vector takes everything") && nothing.is_empty());
    for rule in rules::not_judged() {
        assert!(explained(rule.code).contains(rule.reason.split(':').next().expect("a reason")));
    }
}

#[test]
fn what_a_stream_repeats_is_reported_once_with_its_count() {
    // Two registers without the index, three times.
    let words: Vec<u32> = (0..3).flat_map(|_| [set(0xB21C, &[0xFFFF]), set(0xB41C, &[0xFFFF])].concat()).collect();
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main", &words);
    let mut log = Log::default();
    assert_eq!(cp.run(&mut log).infos, 1);
    let finding = &log.findings[0];
    assert_eq!((finding.code, finding.count, finding.place.dword), ("REG-05", 6, 0));
    let note = finding.notes.last().expect("it says how often");
    assert!(note.text.contains("5 more such packets, also of SPI_SHADER_PGM_RSRC3_HS"), "{}", note.text);
    assert_eq!(note.place.map(|place| place.dword), Some(15));
}
