//! Rules in full: for `--explain` and for the page of all rules.

use pm4::cp::rules::{self, Rule};

/// All that is known of a rule.
pub fn explain(rule: &Rule) -> String {
    let quiet = if rule.quiet { " (silent unless asked for)" } else { "" };
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
         `check --explain CODE` prints one rule,\n`--allow`, `--warn` and `--deny CODE` set its level. Rules marked *quiet* are silent unless a level is set.\n",
    );
    let mut family = "";
    for rule in rules::all() {
        let prefix = rule.code.split('-').next().unwrap_or_default();
        if prefix != family {
            family = prefix;
            page.push_str(&format!("\n## {family}\n"));
        }
        let quiet = if rule.quiet { ", *quiet*" } else { "" };
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
    page
}
