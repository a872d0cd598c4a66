//! The differences between the draws of two streams.

use super::ground::OutputFormat;
use super::last_draws::LastDraws;
use crate::chip::Gfx;
use crate::cp::{CommandProcessor, DrawView, Observer, PerQueue, QueueId};
use crate::regs;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::json;
use std::io::{self, Write};

/// The draws and dispatches of a stream with the registers changed since the previous one: one side of [`diff`].
///
/// For an example see [`diff`](crate::report::diff).
#[derive(Debug, Clone)]
pub struct DrawLog {
    gfx: Gfx,
    draws: Vec<LoggedDraw>,
}

/// Collects the draws of a run.
struct Logger {
    draws: Vec<LoggedDraw>,
    last: LastDraws,
}

impl DrawLog {
    /// Executes the streams submitted to a model and returns their draws.
    pub fn run(cp: &mut CommandProcessor<'_>) -> Self {
        let mut logger = Logger { draws: Vec::new(), last: LastDraws::default() };
        cp.run(&mut logger);
        Self { gfx: cp.chip().gfx(), draws: logger.draws }
    }
}

#[derive(Debug, Clone)]
struct LoggedDraw {
    queue: QueueId,
    name: &'static str,
    dword: u32,
    body: Vec<u32>,
    /// Registers that differ from the previous draw; None for a register that is no longer set.
    changes: Vec<(u32, Option<u32>)>,
}

impl Observer for Logger {
    fn draw(&mut self, view: &DrawView<'_>) {
        let last = self.last.advance(view);
        let changed = last.changed().iter().map(|at| last.register(*at)).map(|(addr, value)| (addr, Some(value)));
        let changes = changed.chain(last.gone().iter().map(|addr| (*addr, None))).collect();
        self.draws.push(LoggedDraw { queue: view.queue_id(), name: view.name(), dword: view.place().dword, body: view.packet().body.to_vec(), changes });
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.draw(view);
    }
}

fn apply(state: &mut BTreeMap<u32, u32>, draw: &LoggedDraw) {
    for (addr, value) in &draw.changes {
        match value {
            Some(value) => state.insert(*addr, *value),
            None => state.remove(addr),
        };
    }
}

/// Prints the differences between the draws of two streams: registers with the fields that differ, and arguments of the draw packets. Draws are compared by
/// their number; two packets that lead to the same state are not a difference. Returns whether anything differs.
///
/// ```
/// use pm4::report::{self, DrawLog, OutputFormat};
/// # #[cfg(feature = "gfx9")] {
/// let log = |samples| {
///     // PA_SC_AA_CONFIG, then a draw
///     let stream = [0xC001_6900, 0x2F8, samples, 0xC001_2D00, 3, 2];
///     let mut cp = pm4::cp::CommandProcessor::new(pm4::chip::Chip::Vega10);
///     cp.submit(pm4::packet::Queue::Graphics, "main.bin", &stream);
///     DrawLog::run(&mut cp)
/// };
/// let mut out = Vec::new();
/// assert!(report::diff(&mut out, &log(2), &log(3), OutputFormat::Text)?);
/// assert!(String::from_utf8_lossy(&out).contains("MSAA_NUM_SAMPLES 2 -> 3"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// [`InvalidInput`](io::ErrorKind::InvalidInput) for streams of different generations, whose registers cannot be compared; errors of writing to `out`.
pub fn diff(out: &mut dyn Write, a: &DrawLog, b: &DrawLog, format: OutputFormat) -> io::Result<bool> {
    let gfx = a.gfx;
    if b.gfx != gfx {
        let message = format!("the first stream is for {gfx} and the second for {}: registers of two generations cannot be compared", b.gfx);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    // The registers of each queue at its last draw.
    type Registers = PerQueue<BTreeMap<u32, u32>>;
    let (mut lefts, mut rights) = (Registers::default(), Registers::default());
    let mut differing = 0u64;
    for (index, (one, other)) in a.draws.iter().zip(&b.draws).enumerate() {
        let (left, right) = (lefts.entry(one.queue), rights.entry(other.queue));
        apply(left, one);
        apply(right, other);
        let addrs: BTreeSet<u32> = left.keys().chain(right.keys()).copied().filter(|addr| left.get(addr) != right.get(addr)).collect();
        let packets = one.name != other.name || one.body != other.body;
        if addrs.is_empty() && !packets {
            continue;
        }
        differing += 1;
        let hex = |value: Option<&u32>| value.map(|value| format!("0x{value:08x}"));
        if format == OutputFormat::Text {
            writeln!(
                out,
                "draw {index}: {} at dword {} and {} at dword {}{}",
                one.name,
                one.dword,
                other.name,
                other.dword,
                if packets { ", other arguments" } else { "" }
            )?;
        }
        if packets {
            let words = |draw: &LoggedDraw| draw.body.iter().map(|word| format!("0x{word:08x}")).collect::<Vec<_>>();
            match format {
                OutputFormat::Text => writeln!(out, "  words of the packet: {} -> {}", words(one).join(" "), words(other).join(" "))?,
                OutputFormat::Json => {
                    let record = json!({
                        "type": "difference", "index": index, "opcode_a": one.name, "opcode_b": other.name, "body_a": words(one), "body_b": words(other),
                    });
                    writeln!(out, "{record}")?;
                }
            }
        }
        for addr in addrs {
            let name = regs::lookup(gfx, addr).map_or_else(|| format!("0x{addr:05x}"), |register| register.to_string());
            let (l, r) = (hex(left.get(&addr)), hex(right.get(&addr)));
            match format {
                OutputFormat::Text => writeln!(
                    out,
                    "  {name:<40} {:>10}  {:>10}{}",
                    l.as_deref().unwrap_or("not set"),
                    r.as_deref().unwrap_or("not set"),
                    fields(gfx, addr, left.get(&addr), right.get(&addr))
                )?,
                OutputFormat::Json => {
                    writeln!(out, "{}", json!({ "type": "difference", "index": index, "register": name, "addr": format!("0x{addr:05x}"), "a": l, "b": r }))?
                }
            }
        }
    }
    let (one, other) = (a.draws.len(), b.draws.len());
    match format {
        OutputFormat::Text => {
            let both = one.min(other);
            writeln!(out, "draws that differ: {differing} of {both} (draws in the first stream: {one}, in the second: {other})")?;
            if one != other {
                let which = if one > other { "first" } else { "second" };
                writeln!(out, "only the {which} stream has draw {both}{}", if one.max(other) > both + 1 { " and those after it" } else { "" })?;
            }
        }
        OutputFormat::Json => writeln!(out, "{}", json!({ "type": "summary", "differing": differing, "draws_a": one, "draws_b": other }))?,
    }
    Ok(differing > 0 || one != other)
}

/// Returns the fields that differ.
fn fields(gfx: Gfx, addr: u32, left: Option<&u32>, right: Option<&u32>) -> String {
    let (Some(register), Some(left), Some(right)) = (regs::lookup(gfx, addr), left, right) else { return String::new() };
    let list: Vec<String> = register
        .fields()
        .iter()
        .filter(|field| field.get(*left) != field.get(*right))
        .map(|field| format!("{} {} -> {}", field.name, field.display(field.get(*left)), field.display(field.get(*right))))
        .collect();
    if list.is_empty() { String::new() } else { format!("  {}", list.join(", ")) }
}
