//! Rules in full: for `--explain` and for the page of all rules.

use pm4::cp::rules::{self, NotJudged, Rule};

/// All that is known of a rule.
pub fn explain(rule: &Rule) -> String {
    let quiet = if rule.quiet { " (silent unless asked for)" } else { "" };
    let quiet = if rule.once { " (told once a run, with how often it came)" } else { quiet };
    format!(
        "{}: {}\n\nseverity: {}{quiet}\nchips: {}\n\n{}\n\nsource: {}\n",
        rule.code,
        rule.title,
        rule.severity,
        rule.scope.describe(),
        wrap(rule.explanation, 100),
        rule.source
    )
}

/// Why a rule is not judged.
pub fn explain_not_judged(rule: &NotJudged) -> String {
    let reason = wrap(rule.reason, 100);
    format!("{}: {}\n\nseverity: {}\nnot judged from a stream\n\n{reason}\n\nsource: {}\n", rule.code, rule.title, rule.severity, rule.source)
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

/// The page of all rules, in Markdown.
pub fn page() -> String {
    let mut page = String::from(
        "# Rules of the command-processor model\n\nWritten by `PM4_WRITE_RULES=1 cargo test --test cp_rules`; a test compares it with the table in `src/cp/rules`. \
         `check --explain CODE` prints one rule,\n`--allow`, `--warn` and `--deny CODE` set its level. Rules marked *quiet* are silent unless a level is set; those marked *once*, and\n\
         remarks about packets, are told once a run with how often they came. The severity is the worst one: for a generation or a case where it is less, the\n\
         text says so. Errors on recorded streams that are right are listed in `docs/reviewed-findings.txt`.\n",
    );
    let mut family = "";
    for rule in rules::all() {
        let prefix = rule.code.split('-').next().unwrap_or_default();
        if prefix != family {
            family = prefix;
            page.push_str(&format!("\n## {family}\n"));
        }
        let quiet = match (rule.quiet, rule.once) {
            (true, _) => ", *quiet*",
            (_, true) => ", *once*",
            _ => "",
        };
        page.push_str(&format!(
            "\n### {}: {}\n\n{}{quiet}; chips: {}\n\n{}\n\nSource: {}.\n",
            rule.code,
            rule.title,
            rule.severity,
            rule.scope.describe(),
            rule.explanation,
            rule.source.trim_end_matches('.')
        ));
    }
    page.push_str("\n## Not judged from a stream\n");
    for rule in rules::not_judged() {
        page.push_str(&format!("\n### {}: {}\n\n{}\n\n{}\n\nSource: {}.\n", rule.code, rule.title, rule.severity, rule.reason, rule.source));
    }
    page
}
