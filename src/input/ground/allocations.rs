//! RADV's memory records about one page (Mesa 25.0 radv_amdgpu_bo.c, 26.0 radv_winsys_bo.h and radv_debug.c, which print the same lines): the history of
//! allocations (`bo_history.log`), the ranges of all allocations (`bo_ranges.log`) and the Vulkan objects bound there (`addr_binding_report.log`). Also the
//! list of buffers that a radeonsi job uses (si_debug.c si_dump_bo_list).

use super::hang_facts::{Allocation, BoundObject, PageMemory};
use super::ring_words::{ADDRESS, PAGE};
use super::text;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// One line.
struct Record<'t> {
    /// In nanoseconds; ranges have no time.
    time: Option<u64>,
    start: u64,
    end: u64,
    what: What<'t>,
}

enum What<'t> {
    Allocated {
        sparse: bool,
    },
    Freed {
        sparse: bool,
    },
    /// A part of a sparse allocation is mapped to other memory; None if it is unmapped.
    Mapped(Option<u64>),
    /// An allocation of `bo_ranges.log`.
    Range,
    /// A Vulkan object: its type and handle, and whether it is bound.
    Object {
        kind: &'t str,
        handle: &'t str,
        bound: bool,
    },
}

impl<'t> Record<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let text = text.trim_start();
        let (time, rest) = match text.strip_prefix("timestamp=") {
            Some(rest) => {
                let (time, rest) = rest.split_once(", ")?;
                (Some(time.parse().ok()?), rest)
            }
            None => (None, text),
        };
        let (range, rest) = rest.strip_prefix("VA=")?.split_once(", ")?;
        let (start, end) = range.split_once('-')?;
        let (start, end) = masked(text::hex(start)?, text::hex(end)?)?;
        let value = |key: &str| rest.split(", ").find_map(|part| part.trim_end().strip_prefix(key)?.strip_prefix('='));
        let what = match time {
            None => value("handle").map(|_| What::Range)?,
            Some(_) => match (value("destroyed"), value("mapped_to"), value("binding_type")) {
                (Some(freed), ..) => {
                    let sparse = value("is_virtual")? == "1";
                    if freed == "1" { What::Freed { sparse } } else { What::Allocated { sparse } }
                }
                (_, Some(to), _) => What::Mapped(text::hex(to).filter(|to| *to != 0)),
                (.., Some(kind)) => What::Object { kind: value("object_type")?, handle: value("object_handle")?, bound: kind == "bind" },
                _ => return None,
            },
        };
        Some(Self { time, start, end, what })
    }

    fn has(&self, page: u64) -> bool {
        self.start < page + PAGE && page < self.end
    }
}

/// Returns a range masked to the significant address bits; None if it is empty or wraps around.
fn masked(start: u64, end: u64) -> Option<(u64, u64)> {
    let last = end.checked_sub(1).filter(|last| start <= *last)?;
    let (start, last) = (start & ADDRESS, last & ADDRESS);
    (start <= last).then_some((start, last + 1))
}

/// Reads a line of radeonsi's buffer list: number of pages, first page, page after the last, and use: `         1    0x0000800100234       0x0000800100235
/// IB`.
fn used_buffer(text: &str) -> Option<Allocation> {
    let mut parts = text.split_whitespace();
    let (pages, start, end) =
        (parts.next()?.parse::<u64>().ok()?, text::hex(parts.next()?.strip_prefix("0x")?)?, text::hex(parts.next()?.strip_prefix("0x")?)?);
    let (start, end) = masked(start.wrapping_mul(PAGE), end.wrapping_mul(PAGE))?;
    let usage: Vec<&str> = parts.collect();
    (end - start == pages.checked_mul(PAGE)?).then(|| Allocation { start, end, is_sparse: false, freed: None, usage: usage.join(" ") })
}

/// Returns the records of a report about the page of a fault; None if the report has no records.
pub(in crate::input) fn at_page(bytes: &[u8], page: u64) -> Option<PageMemory> {
    let page = page & ADDRESS & !(PAGE - 1);
    let mut memory = PageMemory::default();
    // Live allocations by start address: the end, and whether they are sparse.
    let mut live: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
    let mut objects: BTreeMap<(u64, u64, String, String), (usize, bool)> = BTreeMap::new();
    let mut any = false;
    for (order, line) in text::lines(bytes).enumerate() {
        let Some(record) = Record::of(&line.text) else {
            if let Some(buffer) = used_buffer(&line.text) {
                any = true;
                memory.used += 1;
                if buffer.start <= page && page < buffer.end {
                    memory.used_buffer = Some(buffer);
                }
            }
            continue;
        };
        any = true;
        let (start, end, here) = (record.start, record.end, record.has(page));
        match record.what {
            What::Allocated { sparse } => {
                memory.history += 1;
                live.insert(start, (end, sparse));
                if here {
                    memory.owner = Some(Allocation { start, end, is_sparse: sparse, freed: None, usage: String::new() });
                    (memory.mapped_to, memory.mapped_freed) = (None, None);
                }
            }
            What::Freed { sparse } => {
                memory.history += 1;
                live.remove(&start);
                // Later allocations may reuse the address; the page is mapped to this one.
                if memory.mapped_to.is_some_and(|to| start <= to && to < end) {
                    memory.mapped_freed = memory.mapped_freed.or(record.time);
                }
                if here {
                    memory.owner = Some(Allocation { start, end, is_sparse: sparse, freed: record.time, usage: String::new() });
                }
            }
            What::Mapped(to) => {
                memory.history += 1;
                if here {
                    memory.mapped_to = to.map(|to| to.wrapping_add(page.saturating_sub(start)) & ADDRESS);
                    memory.mapped_freed = None;
                }
            }
            What::Range => {
                memory.ranges += 1;
                if here {
                    memory.range = Some(Allocation { start, end, is_sparse: false, freed: None, usage: String::new() });
                }
            }
            What::Object { kind, handle, bound } => {
                memory.bindings += 1;
                if here {
                    objects.insert((start, end, kind.to_string(), handle.to_string()), (order, bound));
                }
            }
        }
        if matches!(record.what, What::Allocated { .. } | What::Freed { .. } | What::Mapped(_)) {
            memory.last_entry = memory.last_entry.max(record.time);
        }
    }
    if !any {
        return None;
    }
    let allocation =
        |(start, (end, is_sparse)): (&u64, &(u64, bool))| Allocation { start: *start, end: *end, is_sparse: *is_sparse, freed: None, usage: String::new() };
    memory.below = live.range(..page).next_back().map(allocation).filter(|below| below.end <= page);
    memory.above = live.range(page + PAGE..).next().map(allocation);
    let mut objects: Vec<_> = objects.into_iter().collect();
    // Bound objects first, then the most recently bound.
    objects.sort_by_key(|(_, (order, bound))| (!bound, core::cmp::Reverse(*order)));
    memory.objects = objects.into_iter().map(|((start, end, kind, handle), (_, is_bound))| BoundObject { start, end, kind, handle, is_bound }).collect();
    Some(memory)
}
