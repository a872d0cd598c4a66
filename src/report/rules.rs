//! Rules in full, one by one and as one page.

use crate::cp::rules::{self, Needs, NotJudged, Rule};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use std::io::{self, Write};

/// Prints the page of the rule with this code, in any case; for a rule that no stream can show, the reason why it is not checked. Returns whether the rule
/// exists; otherwise nothing is printed.
///
/// ```
/// let mut page = Vec::new();
/// assert!(pm4::report::rule_page(&mut page, "pops-11")?);
/// assert!(page.starts_with(b"POPS-11: "));
/// assert!(!pm4::report::rule_page(&mut page, "POPS-99")?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn rule_page(out: &mut dyn Write, code: &str) -> io::Result<bool> {
    let not_judged = rules::not_judged().iter().find(|rule| rule.code.eq_ignore_ascii_case(code));
    match (rules::find(code), not_judged) {
        (_, Some(rule)) => explain_not_judged(out, rule)?,
        (Some(rule), None) => explain(out, rule)?,
        (None, None) => return Ok(false),
    }
    Ok(true)
}

fn explain(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let quiet = if rule.off_by_default { " (off by default: set its level to warn or deny)" } else { "" };
    let rings = if rule.not_in_rings { " (not checked in rings)" } else { "" };
    let needs = match rule.needs {
        Needs::Nothing => "",
        Needs::Work => " (not where a draw or dispatch launches nothing)",
        Needs::Pixels => " (not where a draw has no pixels)",
    };
    let quiet = if rule.report_once { " (reported once per run for each packet name, register or cause, with a count)" } else { quiet };
    let (code, title, severity, scope, source) = (rule.code, rule.title, rule.severity, rule.scope.describe(), rule.source);
    writeln!(out, "{code}: {title}\n\nseverity: {severity}{quiet}{rings}{needs}\nchips: {scope}\n\n{}\n\nsource: {source}", wrap(rule.explanation, 100))
}

fn explain_not_judged(out: &mut dyn Write, rule: &NotJudged) -> io::Result<()> {
    let (code, title, severity, source) = (rule.code, rule.title, rule.severity, rule.source);
    writeln!(out, "{code}: {title}\n\nseverity: {severity}\nnot judged from a stream\n\n{}\n\nsource: {source}", wrap(rule.reason, 100))
}

fn wrap(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { continue };
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Prints all rules in Markdown: a chapter for each family, and one for the rules that no stream can show.
///
/// ```
/// let mut page = Vec::new();
/// pm4::report::all_rule_pages(&mut page)?;
/// assert!(String::from_utf8_lossy(&page).contains("\n### POPS-11: "));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn all_rule_pages(out: &mut dyn Write) -> io::Result<()> {
    let mut family = "";
    for rule in rules::all() {
        let prefix = rule.code.split('-').next().unwrap_or_default();
        if prefix != family {
            family = prefix;
            writeln!(out, "\n## {family}")?;
        }
        let quiet = match (rule.off_by_default, rule.report_once) {
            (true, _) => ", *off by default*",
            (_, true) => ", *reported once*",
            _ => "",
        };
        let (code, title, severity, scope) = (rule.code, rule.title, rule.severity, rule.scope.describe());
        let rings = if rule.not_in_rings { ", not checked in rings" } else { "" };
        let needs = match rule.needs {
            Needs::Nothing => "",
            Needs::Work => ", not where nothing is launched",
            Needs::Pixels => ", not where there are no pixels",
        };
        writeln!(
            out,
            "\n### {code}: {title}\n\n{severity}{quiet}{rings}{needs}; chips: {scope}\n\n{}\n\nSource: {}.",
            rule.explanation,
            rule.source.trim_end_matches('.')
        )?;
    }
    writeln!(out, "\n## Not judged from a stream")?;
    for rule in rules::not_judged() {
        writeln!(out, "\n### {}: {}\n\n{}\n\n{}\n\nSource: {}.", rule.code, rule.title, rule.severity, rule.reason, rule.source)?;
    }
    Ok(())
}
