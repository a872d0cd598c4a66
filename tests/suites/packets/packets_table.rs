//! docs/packets.md contains the table of packets generated from the descriptions. `PM4_WRITE_DOCS=1` rewrites it.

use pm4::chip::Gfx;
use pm4::packet::{EffectKinds, Engine, Format, Opcode, Queue, Scope, formats};
use std::fmt::Write;
use strum::IntoEnumIterator;

const HEAD: &str = "# Packets

This page lists every PM4 packet with its engines, size and effects. It is generated from
`regdb/packets` by `PM4_WRITE_DOCS=1 cargo test --test packets packets_table`; do not edit it.

| column | content |
|---|---|
| GFX9 to GFX12 | the engines that define the packet: P prefetch parser, M micro-engine (both read the graphics queue), C compute engine (compute queues), E constant engine. `-`: the generation lacks the packet |
| queue | the queues whose streams may contain it. A packet that only the micro-engine defines is in a graphics buffer too; the parser passes it on. `kernel`: the crate reads it and refuses to write it |
| dwords | its size including the header; `+n` is a repeated group of n dwords |
| effects | what a packet with this opcode may do, whatever its fields contain: draw or dispatch; change registers, or registers that hold the state of packets; roll the context; read and write memory; run another buffer, skip part of the stream, wait. [Effects](#effects) has the full text with the engine that acts |

";

const BARE: &str = "
## Numbers without a layout

Their names are AMD's. No source of this crate describes their content. What they may change is
inferred from their names, and in doubt overestimated.

| packet | opcode | generations | queue | effects |
|---|---|---|---|---|
";

const EFFECTS: &str = "
## Effects

One line describes one effect, with the names of the packet's fields.

* On compute queues MEC acts in place of PFP and ME, on the queue of the constant engine CE does.
* Lengths are products; a base is an address of SET_BASE.
* Arguments in SGPRs, and registers that hold the state of a packet, do not roll the context; other
  changes of context registers do.
* *Unknown*: the packet does not contain the value.
* A parenthesis restricts an effect to generations or engines.

";

#[test]
fn the_table_of_packets_is_up_to_date() {
    let path = crate::support::repository("docs/packets.md");
    let made = table();
    if std::env::var_os("PM4_WRITE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().zip(kept.lines()).find(|(a, b)| a != b);
    assert!(kept == made, "docs/packets.md is not what the descriptions say; first difference: {differs:?}");
}

/// A generation by its name in the glossary.
fn called(gfx: Gfx) -> &'static str {
    match gfx {
        Gfx::Gfx9 => "GFX9",
        Gfx::Gfx10 => "GFX10.1",
        Gfx::Gfx103 => "GFX10.3",
        Gfx::Gfx11 => "GFX11",
        Gfx::Gfx115 => "GFX11.5",
        Gfx::Gfx12 => "GFX12",
    }
}

fn table() -> String {
    let mut out = String::from(HEAD);
    let generations: Vec<Gfx> = Gfx::iter().collect();
    let names: Vec<&str> = generations.iter().map(|g| called(*g)).collect();
    let _ = writeln!(out, "| packet | opcode | {} | queue | dwords | effects | what it does |", names.join(" | "));
    let _ = writeln!(out, "|---|---|{}---|---|---|---|", "---|".repeat(generations.len()));
    for format in formats() {
        let engines: Vec<String> = generations.iter().map(|g| engines(format, *g)).collect();
        let does = format.doc.replace('|', "\\|");
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {does} |",
            format.name,
            opcodes(format),
            engines.join(" | "),
            queues(format, &generations),
            dwords(format),
            effects(generations.iter().filter_map(|g| format.opcode(*g).map(|opcode| (*g, opcode))))
        );
    }
    out.push_str(BARE);
    for (name, opcode, here) in bare(&generations) {
        let list: Vec<&str> = here.iter().map(|g| called(*g)).collect();
        let queues: Vec<&str> = [(Queue::Graphics, "graphics"), (Queue::Compute, "compute"), (Queue::Constant, "constant engine")]
            .into_iter()
            .filter(|(queue, _)| here.iter().any(|g| opcode.available(*g, *queue)))
            .map(|(_, name)| name)
            .collect();
        let kinds = effects(here.iter().map(|g| (*g, opcode)));
        let _ = writeln!(out, "| {name} | {:#04x} | {} | {} | {kinds} |", opcode.0, list.join(", "), queues.join(", "));
    }
    out.push_str(EFFECTS);
    for format in formats() {
        let _ = match format.effects {
            [] => writeln!(out, "* **{}**: none on registers and memory.", format.name),
            [only] => writeln!(out, "* **{}**: {only}", format.name),
            list => writeln!(out, "* **{}**:\n  * {}", format.name, list.join("\n  * ")),
        };
    }
    out
}

/// Numbers with a name but no layout, and their generations.
fn bare(generations: &[Gfx]) -> Vec<(&'static str, Opcode, Vec<Gfx>)> {
    let mut list: Vec<(&str, Opcode, Vec<Gfx>)> = Vec::new();
    for opcode in (0..=255).map(Opcode) {
        for gfx in generations.iter().filter(|g| formats().iter().all(|f| f.opcode(**g) != Some(opcode))) {
            let Some(name) = opcode.name(*gfx) else { continue };
            match list.iter_mut().find(|(known, number, _)| (*known, *number) == (name, opcode)) {
                Some((.., here)) => here.push(*gfx),
                None => list.push((name, opcode, vec![*gfx])),
            }
        }
    }
    list
}

/// The possible effects of a number, on any of the generations.
fn effects(numbers: impl Iterator<Item = (Gfx, Opcode)>) -> String {
    const KINDS: [(EffectKinds, &str); 10] = [
        (EffectKinds::DRAW, "draws"),
        (EffectKinds::DISPATCH, "dispatches"),
        (EffectKinds::REGISTERS, "registers"),
        (EffectKinds::STATE, "state"),
        (EffectKinds::ROLLS, "rolls"),
        (EffectKinds::READS, "reads"),
        (EffectKinds::WRITES, "writes"),
        (EffectKinds::RUNS, "runs"),
        (EffectKinds::SKIPS, "skips"),
        (EffectKinds::WAITS, "waits"),
    ];
    let all = numbers.fold(EffectKinds::default(), |all, (gfx, opcode)| all.or(opcode.effect_kinds(gfx)));
    let words: Vec<&str> = KINDS.into_iter().filter(|(kind, _)| all.intersects(*kind)).map(|(_, word)| word).collect();
    if words.is_empty() { "-".into() } else { words.join(", ") }
}

fn opcodes(format: &Format) -> String {
    let mut numbers: Vec<String> = format.opcodes.iter().map(|(_, opcode)| format!("{:#04x}", opcode.0)).collect();
    numbers.dedup();
    numbers.join(", ")
}

fn engines(format: &Format, gfx: Gfx) -> String {
    let letters = [(Engine::Pfp, 'P'), (Engine::Me, 'M'), (Engine::Mec, 'C'), (Engine::Ce, 'E')];
    let has: String = letters.into_iter().filter(|(engine, _)| format.scope.has(gfx, *engine)).map(|(_, letter)| letter).collect();
    if has.is_empty() { "-".into() } else { has }
}

fn queues(format: &Format, generations: &[Gfx]) -> String {
    let on = |queue| generations.iter().any(|g| format.scope.intersects(Scope::queue(*g, queue)));
    let mut queues = Vec::new();
    if on(Queue::Graphics) {
        queues.push("graphics");
    }
    if on(Queue::Compute) {
        queues.push("compute");
    }
    if queues.is_empty() {
        queues.push("constant engine");
    }
    if format.kernel {
        queues.push("kernel");
    }
    queues.join(", ")
}

fn dwords(format: &Format) -> String {
    let mut sizes = Vec::new();
    for form in format.forms.iter().filter(|f| !f.internal) {
        match form.repeat {
            Some(repeat) => sizes.push(format!("{}+{}", repeat.from, repeat.len)),
            None => sizes.extend(form.sizes.iter().map(|s| s.dwords.to_string())),
        }
    }
    sizes.sort();
    sizes.dedup();
    sizes.join(", ")
}
