//! SDMA: packets of the copy engine. Rules that also apply to PM4 are in their families.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::plurals::counted;
use crate::queues::{EffectKind, QueueFamily, QueueField, QueuePacket, SdmaLimits, Version, Window};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub(in crate::cp::rules) static RULES: &[Rule] = &[TOO_LONG, RESERVED, NOT_FINISHED, OVERLAP, CALLED, KERNEL, ONE_MORE, WINDOW, UNORDERED];

const TOO_LONG: Rule = rule(
    "SDMA-01",
    "copy or fill is longer than its count can say",
    "The count of COPY_LINEAR and CONSTANT_FILL has 22 bits up to SDMA 5.0 except 4.4, and 30 bits on others: higher bits are cut off, and fewer bytes are \
     copied. Mesa does not use the last 255 bytes of the range, because according to a comment the engine loses them, and keeps fills of 5.2 within 22 \
     bits; kernels use the whole range: severity info.",
    "Linux 7.1.8 sdma_v4_0.c to sdma_v7_1.c (buffer functions), ROCr sdma_registers.h; Mesa 2026 ac_cmdbuf_sdma.c",
);

const RESERVED: Rule = rule(
    "SDMA-02",
    "bits that no field of the packet covers are set",
    "The version has no field there. The help says which version has one. A byte order (the fields sw) other than 0 has severity info: no driver writes one.",
    "Linux 7.1.8 vega10_sdma_pkt_open.h, navi10_sdma_pkt_open.h, sdma_v6_0_0_pkt_open.h, sdma_v7_1_0_pkt_open.h",
);

pub(in crate::cp) const NOT_FINISHED: Rule = rule(
    "SDMA-03",
    "copy uses what an earlier packet may still be writing",
    "Copies, fills and writes of a queue run side by side: a later one does not wait for an earlier one. A NOP lets the copies before it finish, as do \
     packets that are ordered after them: FENCE, TRAP, ATOMIC, a timestamp. Without any in between, a copy may read old contents, and of two writes to a \
     place either may be the last. Boxes between pitched buffers are not followed.",
    "ROCr amd_blit_sdma.cpp (its comment on the write of a signal); Mesa 25.0.7 radv_sdma.c radv_sdma_emit_nop",
)
.report_once();

const OVERLAP: Rule = rule(
    "SDMA-04",
    "source and destination of a copy overlap",
    "A copy goes upwards, or from 5.0 on with backwards (bit 25) downwards. If it overwrites data that it has not read yet, the copy is wrong.",
    "follows from what the packet or field does; Linux 7.1.8 navi10_sdma_pkt_open.h (backwards)",
);

const CALLED: Rule = rule(
    "SDMA-05",
    "INDIRECT of a form that no driver writes",
    "INDIRECT ends at a multiple of 8 dwords of its ring, behind NOPs, and the buffer has a multiple of 8 dwords, padded with NOPs: kernels and tinygrad \
     keep both. No source says what the engine does otherwise. In a part of a ring its place is unknown and is not judged.",
    "Linux 7.1.8 sdma_v6_0.c ring_emit_ib, ring_pad_ib; tinygrad ops_amd.py",
);

const KERNEL: Rule = rule(
    "SDMA-06",
    "packet of kernels in a command buffer",
    "Registers, translations, physical addresses and other VMIDs belong to kernels, which write these packets into their rings. No public source says what \
     the engine does with them in a buffer or queue of user mode.",
    "Linux 7.1.8 sdma_v6_0.c (its ring alone is privileged, and it alone writes them)",
)
.not_in_rings();

const ONE_MORE: Rule = rule(
    "SDMA-07",
    "count looks like a size, and one more is meant by it",
    "Counts are one less than what they count: bytes of copies and fills, dwords of writes. A multiple of 256 bytes between aligned addresses was meant as a \
     size: one byte more is copied. A fill of dwords ends within a dword if its size is not a multiple of 4; ROCr's count, that of the bytes before the \
     last dword, is right as well.",
    "Linux 7.1.8 sdma_v6_0.c emit_copy_buffer, Mesa 2026 ac_cmdbuf_sdma.c, ROCr amd_blit_sdma.cpp",
);

const WINDOW: Rule = rule(
    "SDMA-08",
    "box of a copy does not fit its buffer",
    "Rows of a box are shorter than the pitch of its buffer, bases are multiples of 4 bytes, and so are pitches. A row that goes beyond the pitch runs into the next one.",
    "ROCr amd_blit_sdma.cpp; Mesa 25.0.7 radv_sdma.c (its checks)",
);

pub(in crate::cp) const UNORDERED: Rule = Rule::new(
    "SDMA-09",
    Severity::Info,
    ChipScope::All,
    "memory of a copy is used by another queue without a wait",
    "A queue of SDMA and another queue use the same memory, one of them writes it, and neither has waited for anything before: nothing in the streams orders \
     them, so either may be first. Only the kernel can order them, with syncobjs between submissions, which streams do not show: severity info. The rule \
     covers COPY_LINEAR, fills and writes of SDMA, and DMA_DATA and WRITE_DATA to memory; the accesses of shaders are unknown. A queue is not judged after \
     its first wait.",
    "follows from what the packets do",
    Judge::Model,
)
.report_once();

const fn rule(code: &'static str, title: &'static str, explanation: &'static str, source: &'static str) -> Rule {
    Rule::new(code, Severity::Warning, ChipScope::All, title, explanation, source, Judge::Model)
}

/// An SDMA packet that a rule judges.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct SdmaView<'v> {
    pub packet: &'v QueuePacket<'v>,
    /// Dwords before it in its buffer, if the start of the buffer is known.
    pub at: Option<usize>,
}

type SdmaJudge = fn(&SdmaView<'_>) -> Option<Verdict>;

/// The rules for the words of a packet, each with its judge.
pub(in crate::cp) static SDMA_JUDGES: &[(&Rule, SdmaJudge)] = &[
    (&TOO_LONG, too_long),
    (&RESERVED, reserved),
    (&OVERLAP, overlap),
    (&CALLED, called),
    (&KERNEL, kernel),
    (&ONE_MORE, one_more),
    (&WINDOW, window),
    (&crate::cp::rules::mem::RESERVED_FUNCTION, reserved_function),
];

impl SdmaView<'_> {
    fn value(&self, field: &str) -> u64 {
        self.packet.value(field).unwrap_or(0)
    }

    fn addr(&self, field: &str) -> u64 {
        self.packet.address(field).unwrap_or(0)
    }

    /// Returns the byte count of a packet that states one.
    fn count(&self) -> Option<(&'static QueueField, u64)> {
        let counted = matches!(self.packet.name(), "COPY_LINEAR" | "COPY_BROADCAST_LINEAR" | "CONSTANT_FILL");
        let field = self.packet.fields().find(|field| counted && field.name == "count")?;
        Some((field, self.packet.values(field).next()?))
    }
}

fn too_long(view: &SdmaView<'_>) -> Option<Verdict> {
    let (field, count) = view.count()?;
    let word = *view.packet.words.get(usize::from(field.place.dword))?;
    let (version, limits) = (view.packet.version, SdmaLimits::of(view.packet.version));
    let fill = view.packet.name() == "CONSTANT_FILL";
    let (most, safe) = if fill { (limits.fill_bytes, limits.fill_bytes) } else { (limits.copy_bytes, limits.safe_copy_bytes) };
    let help = format!("split it: at most {safe} bytes with one packet on {version}, and count is bytes - 1");
    if u64::from(word) != count {
        let text = format!("count 0x{word:x} has more than {} bits: {} bytes are meant and {}", field.place.bits(), u64::from(word) + 1, count + 1);
        return Some(Verdict::new(format!("{text} are {}", if fill { "filled" } else { "copied" })).field("count").help(help));
    }
    (count >= safe).then(|| {
        let text = match fill {
            true => format!("{} bytes are filled: Mesa and PAL keep to {most} on {version}", count + 1),
            false => format!("{} bytes are copied: by Mesa the last 255 of the {most} that a packet can name are lost", count + 1),
        };
        Verdict::new(text).severity(Severity::Info).field("count").help(help)
    })
}

/// Returns the fields that other versions have at these bits of a dword: their names and versions.
fn elsewhere(packet: &QueuePacket<'_>, dword: usize, bits: u32) -> Option<String> {
    let covers = |version: Version| {
        packet.format.fields(version).find(|field| {
            let place = field.place;
            usize::from(place.dword) == dword && place.hi < 32 && (u32::MAX >> (31 - (place.hi - place.lo)) << place.lo) & bits != 0
        })
    };
    let with: Vec<(Version, &QueueField)> = Version::all(QueueFamily::Sdma).filter_map(|version| Some((version, covers(version)?))).collect();
    let (first, field) = with.first()?;
    let same = with.iter().filter(|(_, other)| other.name == field.name).map(|(version, _)| version.name());
    let versions: Vec<&str> = same.collect();
    Some(format!("{} is there on {first}{}", field.name, if versions.len() > 1 { format!(" to {}", versions[versions.len() - 1]) } else { String::new() }))
}

fn reserved(view: &SdmaView<'_>) -> Option<Verdict> {
    let packet = view.packet;
    // The contents of padding do not matter; its sub_op is judged with the header.
    if packet.name() == "NOP" {
        return None;
    }
    let counted = view.count().map(|(field, _)| usize::from(field.place.dword));
    if let Some((dword, bits)) = packet.reserved().into_iter().find(|(dword, _)| Some(*dword) != counted) {
        let verdict = Verdict::new(format!("bits 0x{bits:x} of dword {dword} belong to no field on {}", packet.version));
        return Some(match elsewhere(packet, dword, bits) {
            Some(field) => verdict.help(format!("clear them: {field}, and not on {}", packet.version)),
            None => verdict.help("clear them, or check the lengths of the packets before this one"),
        });
    }
    // On 7.0 the lower bit of the byte order of fills is COMPRESS, which kernels set.
    let compress = packet.value("compress") == Some(1);
    let swapped =
        packet.fields().find(|field| (field.name == "sw" || field.name.ends_with("_sw")) && !compress && packet.values(field).any(|value| value != 0))?;
    let verdict = Verdict::new(format!("{} is not 0: no driver swaps bytes", swapped.name)).severity(Severity::Info).field(swapped.name);
    Some(verdict.help("write 0, or check the place of the value that was meant"))
}

fn overlap(view: &SdmaView<'_>) -> Option<Verdict> {
    if view.packet.name() != "COPY_LINEAR" {
        return None;
    }
    let (src, dst, bytes) = (view.addr("src_addr"), view.addr("dst_addr"), view.value("count") + 1);
    let down = view.packet.value("backwards") == Some(1);
    // The end that is read last is written first.
    let lost = if down { dst < src } else { dst > src };
    (lost && src.abs_diff(dst) < bytes).then(|| {
        let verdict = Verdict::new(format!(
            "{bytes} bytes are copied from 0x{src:012x} to 0x{dst:012x}, over bytes that are not read yet: what is copied from there is what the packet has written"
        ));
        let can = view.packet.fields().any(|field| field.name == "backwards");
        verdict.help(match (down, can) {
            (true, _) => "clear backwards (bit 25 of the header): the destination is below the source",
            (false, true) => "set backwards (bit 25 of the header), or copy through other memory",
            (false, false) => "copy through other memory, or in parts from the end, with a NOP between them",
        })
    })
}

fn called(view: &SdmaView<'_>) -> Option<Verdict> {
    let packet = view.packet;
    let unit = SdmaLimits::of(packet.version).ib_dwords;
    if packet.name() != "INDIRECT" {
        return None;
    }
    let size = view.value("ib_size");
    if !size.is_multiple_of(unit) {
        let verdict = Verdict::new(format!("the buffer has {}: drivers pad to a multiple of {unit}", counted(size, "dword"))).field("ib_size");
        return Some(verdict.help(format!("pad the buffer with words of 0, which are NOPs, to {} dwords", size.next_multiple_of(unit))));
    }
    let end = (view.at? + packet.words.len()) as u64;
    (!end.is_multiple_of(unit)).then(|| {
        let more = (unit - end % unit) as usize;
        let text = format!("INDIRECT ends {} before a multiple of {unit} of its ring, where drivers let it end", counted(more, "dword"));
        Verdict::new(text).help(format!("put {} before it", counted(more, "NOP")))
    })
}

fn kernel(view: &SdmaView<'_>) -> Option<Verdict> {
    let packet = view.packet;
    let (what, help) = match packet.name() {
        name if packet.format.has(EffectKind::Kernel) => (format!("{name} changes registers or translations"), "leave it to the kernel"),
        name @ ("COPY_PHYSICAL_LINEAR" | "COPY_DIRTY_PAGE") => (format!("{name} is for the migration of pages"), "copy virtual addresses with COPY_LINEAR"),
        "INDIRECT" if view.value("vmid") != 0 => (format!("INDIRECT has VMID {}", view.value("vmid")), "clear vmid, bits 19:16 of the header"),
        "INDIRECT" if packet.value("priv") == Some(1) => ("INDIRECT asks for a privileged buffer".into(), "clear priv, bit 31 of the header"),
        // ROCr flushes HDP by polling a register without a comparison.
        "POLL_REGMEM" if view.value("mem_poll") == 0 && view.value("func") != 0 => {
            let help = "to wait for memory, set mem_poll, bit 31 of the header; registers are for the kernel";
            ("POLL_REGMEM waits for a register".into(), help)
        }
        _ => return None,
    };
    Some(Verdict::new(format!("{what}: that is for kernels, and no source says what it does here")).help(help))
}

/// Whole sizes are multiples of this.
const WHOLE: u64 = 256;

fn one_more(view: &SdmaView<'_>) -> Option<Verdict> {
    let (_, count) = view.count()?;
    let bytes = count + 1;
    let verdict = |text: String, right: u64| Some(Verdict::new(text).field("count").help(format!("count is bytes - 1: write 0x{right:x}")));
    if view.packet.name() == "CONSTANT_FILL" {
        let dwords = view.value("fillsize") == 2;
        // ROCr writes the bytes before the last dword.
        return match count % 4 {
            1 | 2 if dwords => verdict(format!("dwords are filled, but {bytes} bytes are no multiple of 4"), bytes.next_multiple_of(4) - 1),
            _ => None,
        };
    }
    let aligned = ["src_addr", "dst_addr", "dst1_addr", "dst2_addr"].iter().all(|name| view.addr(name).is_multiple_of(WHOLE));
    let whole = count != 0 && count.is_multiple_of(WHOLE) && aligned;
    whole.then(|| verdict(format!("count 0x{count:x} copies {bytes} bytes, between addresses that are multiples of {WHOLE}"), count - 1)).flatten()
}

fn window(view: &SdmaView<'_>) -> Option<Verdict> {
    if view.packet.name() != "COPY_LINEAR_SUBWIN" {
        return None;
    }
    [("src", view.packet.window("src")), ("dst", view.packet.window("dst"))].into_iter().find_map(|(side, window)| window_of(view, side, &window?))
}

fn window_of(view: &SdmaView<'_>, side: &str, window: &Window) -> Option<Verdict> {
    let x = view.packet.value(if side == "src" { "src_x" } else { "dst_x" }).unwrap_or(0);
    let (end, pitch) = ((x + window.extent[0]) * window.element, window.pitch);
    if window.extent[1] > 1 && end > pitch {
        let text = format!("a row of the box ends {end} bytes from the start of its row in {side}, whose pitch is {pitch} bytes: it runs into the next row");
        return Some(Verdict::new(text).help("check pitch, x and rect_x: pitch and rect_x are elements - 1"));
    }
    if !window.addr.is_multiple_of(4) {
        let text = format!("{side} is at 0x{:012x}: bases of boxes are multiples of 4", window.addr);
        return Some(Verdict::new(text).help("put the rest of the address into x"));
    }
    (!pitch.is_multiple_of(4) && window.extent[1] > 1).then(|| {
        let text = format!("the pitch of {side} is {pitch} bytes: pitches are multiples of 4");
        Verdict::new(text).help("check the pitch, which is in elements - 1, and the size of elements")
    })
}

fn reserved_function(view: &SdmaView<'_>) -> Option<Verdict> {
    let reserved = view.packet.name() == "POLL_REGMEM" && view.value("func") == 7;
    reserved.then(|| Verdict::new("func 7 is reserved: no source says what the poll does").field("func").help("use a function from 0 to 6"))
}
