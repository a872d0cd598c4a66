//! Writes the truth kit as JSON Lines, and the coverage of its random streams; docs/vectors.md describes the format.
//!
//! `cargo run --features testing --example vectors -- rules` (or `packets`, `registers`, `coverage`)

use pm4::testing::{self, Json};
use std::collections::BTreeSet;
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let wanted = std::env::args().nth(1);
    let mut out = io::stdout().lock();
    match wanted.as_deref() {
        Some("rules") => testing::rule_cases().try_for_each(|case| writeln!(out, "{}", case.to_json())),
        Some("packets") => {
            let mut all = testing::queues().flat_map(|(gfx, queue)| testing::packet_vectors(gfx, queue));
            all.try_for_each(|vector| writeln!(out, "{}", vector.to_json()))
        }
        Some("registers") => {
            let generations: BTreeSet<_> = testing::queues().map(|(gfx, _)| gfx).collect();
            generations.into_iter().flat_map(testing::register_vectors).try_for_each(|vector| writeln!(out, "{}", vector.to_json()))
        }
        Some("coverage") => testing::coverage(40, 60).iter().try_for_each(|reached| writeln!(out, "{reached}, without {:?}", reached.missed)),
        _ => {
            eprintln!("usage: vectors rules|packets|registers|coverage");
            std::process::exit(2)
        }
    }
}
