//! Statements about draws and counts, for tests of drivers, in a small text form.

use crate::chip::Gfx;
use crate::cp::{CommandProcessor, DrawView, Finding, Observer, Place, Summary, rules};
use crate::packet::{Opcode, Packet, Queue};
use crate::regs::{self, FieldInfo, RegRef};
use crate::report::ground::OutputFormat;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use serde_json::json;
use std::io::{self, Write};
use strum::{EnumString, IntoStaticStr};

/// Statements about the registers at draws and about counts, which hold or fail when streams run; tests of drivers
/// consist of them. As an [`Observer`], it receives the events of the model.
///
/// Each line is a statement; empty lines and lines that begin with `#` are comments:
///
/// ```text
/// every draw: PA_SC_MODE_CNTL_0.MSAA_ENABLE == 1 and DB_EQAA.MAX_ANCHOR_SAMPLES >= 2
/// every draw where DB_SHADER_CONTROL.PRIMITIVE_ORDERED_PIXEL_SHADER == 1: DB_SHADER_CONTROL.Z_ORDER == LATE_Z
/// some dispatch: COMPUTE_NUM_THREAD_X.NUM_THREAD_FULL == 64
/// no draw: CB_TARGET_MASK == 0
/// count draws >= 100
/// count DRAW_INDEX_2 == 0
/// count STA-12 == 0
/// ```
///
/// * `every`, `some` or `no`, then `draw` or `dispatch`, and conditions that `and` joins. `where` selects the draws.
/// * A condition compares a register, or one field of it, by `==`, `!=`, `<`, `<=`, `>` or `>=` with a number (decimal
///   or `0x…`; a field that is a float takes one) or a name of the field's values.
/// * `count` compares `submissions`, `packets`, `draws`, `dispatches`, `context_rolls`, `errors`, `warnings`, `infos`,
///   the packets of one name, or the findings of one rule, over all that ran.
///
/// A register that the stream has not set, and whose value is not otherwise known, makes a condition unknown. An unknown
/// condition never fails: a statement that depends on one is [`Unknown`](AssertionState::Unknown).
///
/// ```
/// use pm4::chip::{Chip, Gfx};
/// use pm4::cp::CommandProcessor;
/// use pm4::packet::Queue;
/// use pm4::report::{AssertionState, Assertions};
/// # #[cfg(feature = "gfx11")] {
/// let mut assertions = Assertions::parse("every draw: DB_SHADER_CONTROL.Z_ORDER == LATE_Z\ncount draws == 2", Gfx::Gfx11)?;
/// // DB_SHADER_CONTROL = 0x20: Z_ORDER is RE_Z.
/// let stream = [0xC001_6900, 0x203, 0x20, 0xC001_2D00, 3, 2, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "main", &stream);
/// assertions.run(&mut cp, &mut ());
/// let states: Vec<_> = assertions.results().map(|result| (result.line, result.state)).collect();
/// assert_eq!(states, [(1, AssertionState::Fails), (2, AssertionState::Holds)]);
/// # }
/// # Ok::<(), pm4::report::AssertionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Assertions {
    all: Vec<Assertion>,
    submission: u64,
    counts: BTreeMap<Counted, u64>,
}

/// An error in a text of statements.
///
/// For an example see [`Assertions::parse`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct AssertionError {
    /// The line, counted from 1.
    pub line: usize,
    /// The error.
    pub message: String,
}

/// The result of a statement.
///
/// For an example see [`Assertions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum AssertionState {
    /// It is true for the whole run.
    Holds,
    /// A draw, dispatch or count in the run shows that it is false.
    Fails,
    /// Nothing shows that it is false, but a register that it needs is unknown.
    Unknown,
}

/// A statement and its result.
///
/// For an example see [`Assertions`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssertionResult<'a> {
    /// Its line, counted from 1.
    pub line: usize,
    /// The statement.
    pub text: &'a str,
    /// Whether it holds.
    pub state: AssertionState,
    /// The number of draws or dispatches that decide against it; 0 or 1 for a count.
    pub failures: u64,
    /// The number of draws or dispatches for which a register was unknown.
    pub unknown: u64,
    /// The evidence: values at the first deciding draw, with its place, or the counted number. Empty if
    /// there is none.
    pub found: String,
}

#[derive(Debug, Clone)]
struct Assertion {
    line: usize,
    text: String,
    statement: Statement,
    matches: u64,
    failures: u64,
    unknown: u64,
    found: String,
}

#[derive(Debug, Clone)]
enum Statement {
    Work { scope: Scope, work: Work, filter: Vec<Condition>, conditions: Vec<Condition> },
    Count { what: Counted, comparison: Comparison, number: u64 },
}

/// The draws for which conditions must be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
enum Scope {
    Every,
    Some,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
enum Work {
    Draw,
    Dispatch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Total(Total),
    Packets(Opcode),
    Findings(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumString)]
#[strum(serialize_all = "snake_case")]
enum Total {
    Submissions,
    Packets,
    Draws,
    Dispatches,
    ContextRolls,
    Errors,
    Warnings,
    Infos,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
enum Comparison {
    #[strum(serialize = "==")]
    Equal,
    #[strum(serialize = "!=")]
    Unequal,
    #[strum(serialize = "<")]
    Less,
    #[strum(serialize = "<=")]
    AtMost,
    #[strum(serialize = ">")]
    Greater,
    #[strum(serialize = ">=")]
    AtLeast,
}

impl Comparison {
    fn compare<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Self::Equal => a == b,
            Self::Unequal => a != b,
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Greater => a > b,
            Self::AtLeast => a >= b,
        }
    }
}

/// A register or one of its fields, compared with a number.
#[derive(Debug, Clone, Copy)]
struct Condition {
    register: RegRef,
    field: Option<&'static FieldInfo>,
    comparison: Comparison,
    number: u32,
}

impl Condition {
    /// Reads `REGISTER[.FIELD] COMPARISON VALUE`.
    fn parse(text: &str, gfx: Gfx) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[place, comparison, value] = words.as_slice() else {
            return Err(format!("`{}` is no condition; write REGISTER.FIELD == VALUE, with spaces", text.trim()));
        };
        let comparison = comparison_of(comparison)?;
        let (name, field) = place.split_once('.').map_or((place, None), |(name, field)| (name, Some(field)));
        let register = regs::find(gfx, name).ok_or_else(|| format!("{gfx} has no register {name}"))?;
        let field = field.map(|field| register.info().field(field).ok_or_else(|| format!("{name} has no field {field} on {gfx}"))).transpose()?;
        let number = number_of(value, field).ok_or_else(|| match field.and_then(|field| field.values) {
            Some(values) => {
                let names: Vec<&str> = values.entries.iter().map(|(name, _)| *name).collect();
                format!("{value} is no value of {place}: write a number, or one of {}", names.join(", "))
            }
            None => format!("{value} is no number"),
        })?;
        if let Some(field) = field
            && number > field.mask() >> field.lo
        {
            return Err(format!("{value} does not fit into {place}, which has {} bits", field.hi - field.lo + 1));
        }
        Ok(Self { register, field, comparison, number })
    }

    fn value(&self, view: &DrawView<'_>) -> Option<u32> {
        let word = view.value(self.register.addr())?;
        Some(self.field.map_or(word, |field| field.bits().get(word)))
    }

    /// Returns whether the condition is true; None if the register is unknown.
    fn is_true(&self, view: &DrawView<'_>) -> Option<bool> {
        let value = self.value(view)?;
        Some(match self.field {
            Some(field) if field.float => self.comparison.compare(f32::from_bits(value), f32::from_bits(self.number)),
            _ => self.comparison.compare(value, self.number),
        })
    }

    /// `REGISTER.FIELD = VALUE` at a draw.
    fn show(&self, view: &DrawView<'_>) -> String {
        let name = match self.field {
            Some(field) => format!("{}.{}", self.register, field.name),
            None => self.register.to_string(),
        };
        match (self.value(view), self.field) {
            (Some(value), Some(field)) => format!("{name} = {}", field.display(value)),
            (Some(value), None) => format!("{name} = {value:#x}"),
            (None, _) => format!("{name} is unknown"),
        }
    }
}

/// Returns whether all conditions are true: false as soon as one is false, None if it depends on one that is unknown.
fn all_true(conditions: &[Condition], view: &DrawView<'_>) -> Option<bool> {
    let mut all = Some(true);
    for condition in conditions {
        match condition.is_true(view) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

fn comparison_of(text: &str) -> Result<Comparison, String> {
    text.parse().map_err(|_| format!("`{text}` is no comparison: write ==, !=, <, <=, > or >="))
}

/// Returns a number, or a name among the values of a field.
fn number_of(text: &str, field: Option<&FieldInfo>) -> Option<u32> {
    if let Some(field) = field {
        if let Some(named) = field.values.and_then(|values| values.value_of(text)) {
            return Some(named);
        }
        if field.float && !text.starts_with("0x") {
            return text.parse::<f32>().ok().map(f32::to_bits);
        }
    }
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn conditions_of(text: &str, gfx: Gfx) -> Result<Vec<Condition>, String> {
    text.split(" and ").map(|condition| Condition::parse(condition, gfx)).collect()
}

impl Statement {
    fn parse(text: &str, gfx: Gfx) -> Result<Self, String> {
        if let Some(count) = text.strip_prefix("count ") {
            return Self::parse_count(count, gfx);
        }
        let form = "a statement is `every|some|no draw|dispatch [where CONDITIONS]: CONDITIONS`, or `count WHAT == NUMBER`";
        let (head, conditions) = text.split_once(':').ok_or_else(|| form.to_owned())?;
        let (head, filter) = head.split_once(" where ").map_or((head, None), |(head, filter)| (head, Some(filter)));
        let words: Vec<&str> = head.split_whitespace().collect();
        let &[scope, work] = words.as_slice() else { return Err(form.to_owned()) };
        Ok(Self::Work {
            scope: scope.parse().map_err(|_| format!("`{scope}` is not every, some or no; {form}"))?,
            work: work.parse().map_err(|_| format!("`{work}` is not draw or dispatch; {form}"))?,
            filter: filter.map_or(Ok(Vec::new()), |filter| conditions_of(filter, gfx))?,
            conditions: conditions_of(conditions, gfx)?,
        })
    }

    fn parse_count(text: &str, gfx: Gfx) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[name, comparison, number] = words.as_slice() else {
            return Err("a count is `count WHAT == NUMBER`, with spaces".to_owned());
        };
        let what = if let Ok(total) = name.parse() {
            Counted::Total(total)
        } else if let Some(opcode) = Opcode::from_name(gfx, name) {
            Counted::Packets(opcode)
        } else if let Some(rule) = rules::find(name) {
            Counted::Findings(rule.code)
        } else {
            return Err(format!(
                "{name} is no packet of {gfx}, no rule, and none of submissions, packets, draws, dispatches, \
                 context_rolls, errors, warnings, infos"
            ));
        };
        let comparison = comparison_of(comparison)?;
        Ok(Self::Count { what, comparison, number: number.parse().map_err(|_| format!("{number} is no number"))? })
    }
}

impl Assertions {
    /// Parses statements for a generation.
    ///
    /// ```
    /// use pm4::{chip::Gfx, report::Assertions};
    /// # #[cfg(feature = "gfx11")] {
    /// let error = Assertions::parse("# depth\nevery draw: DB_Z_INFO.FORMAT == Z_64", Gfx::Gfx11).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 2: Z_64 is no value of DB_Z_INFO.FORMAT: write a number, or one of Z_INVALID, Z_16, Z_24, Z_32_FLOAT"
    /// );
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first line that is not a statement, or that names something the generation lacks.
    pub fn parse(text: &str, gfx: Gfx) -> Result<Self, AssertionError> {
        let lines = text.lines().map(str::trim).zip(1..);
        let all = lines.filter(|(text, _)| !text.is_empty() && !text.starts_with('#')).map(|(text, line)| {
            let statement = Statement::parse(text, gfx).map_err(|message| AssertionError { line, message })?;
            let (text, found) = (text.to_owned(), String::new());
            Ok(Assertion { line, text, statement, matches: 0, failures: 0, unknown: 0, found })
        });
        Ok(Self { all: all.collect::<Result<_, _>>()?, submission: 0, counts: BTreeMap::new() })
    }

    /// Runs the streams submitted to a model, as a separate submission, with another observer.
    pub fn run(&mut self, cp: &mut CommandProcessor<'_>, observer: &mut dyn Observer) -> Summary {
        let summary = cp.run(&mut (observer, &mut *self));
        self.end_submission(&summary);
        summary
    }

    /// Ends a submission, with the counts of the model. Later events belong to the next one.
    pub fn end_submission(&mut self, summary: &Summary) {
        self.submission += 1;
        let totals = [
            (Total::Submissions, 1),
            (Total::Packets, summary.packets),
            (Total::Draws, summary.draws),
            (Total::Dispatches, summary.dispatches),
            (Total::ContextRolls, summary.context_rolls),
            (Total::Errors, summary.errors),
            (Total::Warnings, summary.warnings),
            (Total::Infos, summary.infos),
        ];
        for (total, number) in totals {
            self.count(Counted::Total(total), number);
        }
    }

    /// Returns the statements in the order of their lines, with their results so far.
    pub fn results(&self) -> impl Iterator<Item = AssertionResult<'_>> {
        self.all.iter().map(|assertion| assertion.result(&self.counts))
    }

    /// Prints the results: the statements that do not hold, and the number in each state; in JSON one
    /// record each (docs/json.md).
    ///
    /// # Errors
    /// Errors of writing to `out`.
    pub fn print(&self, out: &mut dyn Write, format: OutputFormat) -> io::Result<()> {
        let mut counts = BTreeMap::new();
        for result in self.results() {
            let state: &'static str = result.state.into();
            *counts.entry(state).or_insert(0) += 1;
            let AssertionResult { line, text, failures, unknown, ref found, .. } = result;
            match format {
                OutputFormat::Json => {
                    let record = json!({
                        "type": "assertion", "line": line, "text": text, "state": state, "failures": failures,
                        "unknown": unknown, "found": found,
                    });
                    writeln!(out, "{record}")?;
                }
                OutputFormat::Text if result.state == AssertionState::Holds => {}
                OutputFormat::Text => writeln!(out, "{result}")?,
            }
        }
        if format == OutputFormat::Text {
            let count = |state| counts.get(state).copied().unwrap_or(0);
            let (hold, fail, unknown) = (count("holds"), count("fails"), count("unknown"));
            writeln!(out, "assertions: {hold} hold, {fail} fail, {unknown} are unknown")?;
        }
        Ok(())
    }

    /// Returns whether any statement fails.
    pub fn fails(&self) -> bool {
        self.results().any(|result| result.state == AssertionState::Fails)
    }

    fn count(&mut self, what: Counted, number: u64) {
        *self.counts.entry(what).or_default() += number;
    }

    fn work(&mut self, kind: Work, view: &DrawView<'_>) {
        for assertion in &mut self.all {
            assertion.work(kind, view, self.submission);
        }
    }
}

impl Assertion {
    fn work(&mut self, kind: Work, view: &DrawView<'_>, submission: u64) {
        let Statement::Work { scope, work, filter, conditions } = &self.statement else { return };
        if *work != kind {
            return;
        }
        // The value of the conditions at a deciding draw.
        let deciding = *scope != Scope::Every;
        match (all_true(filter, view), all_true(conditions, view)) {
            (Some(false), _) => return,
            (_, Some(value)) if value != deciding => return,
            (Some(true), Some(_)) => {}
            _ => {
                self.unknown += 1;
                return;
            }
        }
        let first = self.matches + self.failures == 0;
        match scope {
            Scope::Some => self.matches += 1,
            Scope::Every | Scope::No => self.failures += 1,
        }
        if first {
            let Place { dword, .. } = view.place();
            let values: Vec<String> = conditions.iter().map(|condition| condition.show(view)).collect();
            self.found = format!("submission {submission}, draw or dispatch {} ({}, dword {dword}): {}", view.index(), view.name(), values.join(", "));
        }
    }

    fn result(&self, counts: &BTreeMap<Counted, u64>) -> AssertionResult<'_> {
        let Self { line, ref text, ref statement, matches, failures, unknown, ref found } = *self;
        let result = |state, failures, found: String| AssertionResult { line, text, state, failures, unknown, found };
        match *statement {
            Statement::Count { what, comparison, number } => {
                let counted = counts.get(&what).copied().unwrap_or(0);
                match comparison.compare(counted, number) {
                    true => result(AssertionState::Holds, 0, format!("{counted} counted")),
                    false => result(AssertionState::Fails, 1, format!("{counted} counted")),
                }
            }
            Statement::Work { scope: Scope::Some, .. } => match (matches, unknown) {
                (0, 0) => result(AssertionState::Fails, 1, "none".to_owned()),
                (0, _) => result(AssertionState::Unknown, 0, String::new()),
                _ => result(AssertionState::Holds, 0, found.clone()),
            },
            Statement::Work { .. } => match (failures, unknown) {
                (0, 0) => result(AssertionState::Holds, 0, String::new()),
                (0, _) => result(AssertionState::Unknown, 0, String::new()),
                _ => result(AssertionState::Fails, failures, found.clone()),
            },
        }
    }
}

impl Observer for Assertions {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.work(Work::Draw, view);
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.work(Work::Dispatch, view);
    }

    fn packet(&mut self, _: Queue, _: Place, packet: &Packet<'_>) {
        if let Some(opcode) = packet.opcode() {
            self.count(Counted::Packets(opcode), 1);
        }
    }

    fn finding(&mut self, finding: &Finding) {
        self.count(Counted::Findings(finding.code), finding.count.max(1));
    }
}

/// For a log: `holds`, `FAILS` or `unknown`, the line, the statement, and the evidence.
impl fmt::Display for AssertionResult<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, text, state, failures, unknown, found } = self;
        match state {
            AssertionState::Holds => write!(f, "holds: line {line}: {text}"),
            AssertionState::Fails if *failures > 1 => write!(f, "FAILS: line {line}: {text}: {failures} times, first: {found}"),
            AssertionState::Fails => write!(f, "FAILS: line {line}: {text}: {found}"),
            AssertionState::Unknown => write!(f, "unknown: line {line}: {text}: registers are unknown at {unknown} of them"),
        }
    }
}
