//! The page of streams that are decoded but not run.

use super::finding_list::FindingList;
use super::packet_table::PacketTable;
use super::page_data::PageData;
use super::run_page::{PACKETS, title};
use super::shell::Block;
use crate::cp::{BufferId, Place};
use crate::packet::Reader;
use crate::report::dump::{self, DumpOptions};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes a page with the packets of streams, each given as name and bytes (little-endian 32-bit words). The page has a searchable list of packets and shows
/// the fields of each, the bits of the registers that it sets, and damage. The options for format and colours have no effect. Returns whether a stream is
/// damaged.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{DumpOptions, html}};
/// # #[cfg(feature = "gfx11")] {
/// let mut page = Vec::new();
/// let damaged = html::stream_page(&mut page, &[("nop.bin", &[0x00, 0x10, 0xFF, 0xFF, 0x80])], &DumpOptions::new(Gfx::Gfx11, Queue::Graphics))?;
/// assert!(damaged, "a byte is left");
/// assert!(page.starts_with(b"<!DOCTYPE html>"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns the error from writing to `out`.
pub fn stream_page(out: &mut dyn Write, streams: &[(&str, &[u8])], options: &DumpOptions) -> io::Result<bool> {
    let (data, damaged) = stream_data(streams, options)?;
    data.write(out, PACKETS)?;
    Ok(damaged)
}

/// Returns the data that [`stream_page`] shows, without the page around it, and whether a stream is damaged.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{DumpOptions, html}};
/// # #[cfg(feature = "gfx11")] {
/// let (data, damaged) = html::stream_data(&[("nop.bin", &[0x00, 0x10, 0xFF, 0xFF])], &DumpOptions::new(Gfx::Gfx11, Queue::Graphics))?;
/// assert!(!damaged && data.title() == "nop.bin, gfx11: dump");
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns an error if compression fails for lack of memory.
pub fn stream_data(streams: &[(&str, &[u8])], options: &DumpOptions) -> io::Result<(PageData, bool)> {
    let mut table = PacketTable::new(options.gfx);
    let (mut buffers, mut findings) = (Vec::new(), FindingList::new());
    for ((name, bytes), number) in streams.iter().zip(0u32..) {
        let (whole, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = whole.iter().map(|word| u32::from_le_bytes(*word)).collect();
        buffers.push(json!({ "name": name, "addr": null, "dwords": words.len() }));
        let mut damage = |dword: usize, row: Option<u32>, message: String| {
            findings.add(json!({ "severity": "error", "file": name, "dword": dword, "step": row, "message": message }));
        };
        for item in Reader::new(&words) {
            let place = |offset: usize| Place { buffer: BufferId(number), dword: u32::try_from(offset).unwrap_or(u32::MAX) };
            match item {
                Ok(packet) => {
                    let row = table.add(options.queue, place(packet.offset), &packet);
                    if let Some(defect) = packet.defect(options.gfx, options.queue) {
                        damage(packet.offset, Some(row), dump::beyond(&defect, packet.offset + packet.dwords()));
                    }
                }
                Err(error) => {
                    let message = dump::after_gap(&error, error.offset + error.skipped < words.len());
                    let row = table.add_damage(place(error.offset), &message, &error, &words);
                    damage(error.offset, Some(row), message);
                }
            }
        }
        if !rest.is_empty() {
            damage(words.len(), None, dump::odd_bytes(rest));
        }
    }
    let damaged = !findings.is_empty();
    let names = streams.iter().map(|(name, _)| *name);
    let (packets, mut blocks) = table.finish();
    let head: Value = json!({
        "page": "stream", "gfx": options.gfx.to_string(), "buffers": buffers, "packets": packets, "draws": [], "rules": {},
    });
    blocks.push(Block::new("head", head.to_string().into_bytes()));
    blocks.extend(findings.finish()?);
    Ok((PageData::new(format!("{}, {}: dump", title(names), options.gfx), blocks), damaged))
}
