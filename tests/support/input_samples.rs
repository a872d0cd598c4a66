//! Inputs as tools print them, made from words: every form, faithful to the facts of its printer.
#![allow(dead_code)] // each suite uses its part

use flate2::Compression;
use flate2::write::GzEncoder;
use pm4::chip::Gfx;
use pm4::packet::{Opcode, Packet, Queue, Reader};
use std::fmt::Write as _;
use std::io::Write as _;

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).expect("memory takes everything");
    packer.finish().expect("memory takes everything")
}

fn rows(words: &[u32], each: usize, line: impl Fn(usize, &[u32]) -> String) -> Vec<u8> {
    words.chunks(each).enumerate().map(|(n, row)| line(4 * each * n, row) + "\n").collect::<String>().into_bytes()
}

fn joined(row: &[u32], word: impl Fn(&u32) -> String) -> String {
    row.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn ascii(row: &[u32]) -> String {
    bytes(row).into_iter().map(|byte| if (32..127).contains(&byte) { char::from(byte) } else { '.' }).collect()
}

/// A name, and the text.
pub type Sample = (&'static str, Vec<u8>);

/// Words as text, as lists and as tools print memory.
pub fn hex(words: &[u32]) -> Vec<Sample> {
    let plain = |word: &u32| format!("{word:08x}");
    let prefixed = |word: &u32| format!("0x{word:08x}");
    let byte_list = |row: &[u32]| bytes(row).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
    let pairs = |row: &[u32]| bytes(row).chunks(2).map(|pair| format!("{:02x}{:02x}", pair[0], pair[1])).collect::<Vec<_>>().join(" ");
    vec![
        ("one word per line", rows(words, 1, |_, row| joined(row, plain))),
        ("one word per line with 0x", rows(words, 1, |_, row| joined(row, prefixed))),
        ("a list of C", rows(words, 4, |_, row| row.iter().map(|word| format!("0x{word:08x}u, ")).collect())),
        ("a decimal list", format!("[{}]\n", words.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")).into_bytes()),
        ("xxd -e", rows(words, 4, |at, row| format!("{at:08x}: {:<35}  {}", joined(row, plain), ascii(row)))),
        ("xxd", rows(words, 4, |at, row| format!("{at:08x}: {:<39}  {}", pairs(row), ascii(row)))),
        ("od -A x -t x4", [rows(words, 4, |at, row| format!("{at:06x} {}", joined(row, plain))), format!("{:06x}\n", 4 * words.len()).into_bytes()].concat()),
        (
            "hexdump -C",
            [
                rows(words, 4, |at, row| {
                    let list = byte_list(row);
                    let (low, high) = list.split_at(list.len().min(8));
                    format!("{at:08x}  {:<23}  {:<23}  |{}|", low.join(" "), high.join(" "), ascii(row))
                }),
                format!("{:08x}\n", 4 * words.len()).into_bytes(),
            ]
            .concat(),
        ),
        (
            "hexdump",
            rows(words, 4, |at, row| format!("{at:07x} {}", row.iter().map(|w| format!("{:04x} {:04x}", w & 0xFFFF, w >> 16)).collect::<Vec<_>>().join(" "))),
        ),
        (
            "gdb x/4xw",
            rows(words, 4, |at, row| format!("{:#x}:\t{}", 0x7fff_f7ff_0000u64 + at as u64, row.iter().map(prefixed).collect::<Vec<_>>().join("\t"))),
        ),
        (
            "gdb x/4xw with a symbol",
            rows(words, 4, |at, row| format!("{:#x} <cmds+{at}>:\t{}", 0x40_0000 + at, row.iter().map(prefixed).collect::<Vec<_>>().join("\t"))),
        ),
        (
            "gdb x/2xg",
            rows(words, 4, |at, row| {
                let long = |pair: &[u32]| format!("0x{:016x}", pair.iter().rev().fold(0u64, |all, word| all << 32 | u64::from(*word)));
                format!("{:#x}:\t{}", 0x7fff_f7ff_0000u64 + at as u64, row.chunks(2).map(long).collect::<Vec<_>>().join("\t"))
            }),
        ),
        ("gdb p/x", gdb_array(words)),
        ("od -t x4", [rows(words, 4, |at, row| format!("{at:07o} {}", joined(row, plain))), format!("{:07o}\n", 4 * words.len()).into_bytes()].concat()),
        ("hexdump -e", rows(words, 4, |_, row| joined(row, plain))),
        ("print_hex_dump", rows(words, 4, |at, row| format!("[  812.104233] ring: {at:08x}: {:<35}  {}", joined(row, plain), ascii(row)))),
        (
            "print_hex_dump of bytes",
            rows(words, 4, |at, row| format!("[  812.104233] amdgpu 0000:03:00.0: IB: {at:08x}: {:<47}  {}", byte_list(row).join(" "), ascii(row))),
        ),
        ("words with remarks", rows(words, 1, |at, row| format!("0x{:08x} <- dword {}", row[0], at / 4))),
    ]
}

fn gdb_array(words: &[u32]) -> Vec<u8> {
    let mut parts: Vec<String> = Vec::new();
    for run in words.chunk_by(|a, b| a == b) {
        match run.len() {
            1 => parts.push(format!("{:#x}", run[0])),
            n => parts.push(format!("{:#x} <repeats {n} times>", run[0])),
        }
    }
    format!("$1 = {{{}}}\n", parts.join(", ")).into_bytes()
}

/// What a kernel records of a graphics hang.
pub struct Crash<'w> {
    pub ib: &'w [u32],
    pub addr: u64,
    /// Headers as eight reads of PFP and of ME gave them.
    pub pfp: Vec<u32>,
    pub me: Vec<u32>,
    /// Dwords that are left to be fetched.
    pub left: usize,
    pub stalled: u32,
    pub fault: u64,
}

impl<'w> Crash<'w> {
    /// ME at the packet of a number, PFP three packets ahead, and what is fetched beyond. The header queues are read from any of their entries on.
    pub fn at(ib: &'w [u32], addr: u64, packet: usize, rotated: usize) -> Self {
        let stopped = Reader::new(ib).flatten().nth(packet).expect("a packet");
        let ahead = Reader::new(ib).flatten().count().min(packet + 4) - 1;
        let fetched = (stopped.offset + stopped.dwords() + 64).min(ib.len());
        Self { ib, addr, pfp: queue(ib, ahead, rotated), me: queue(ib, packet, rotated), left: ib.len() - fetched, stalled: 0, fault: 0 }
    }
}

/// The words of a submission to the ring, padded as the kernel pads (GFX11, no VM flush).
pub fn submission(addr: u64, dwords: usize, sequence: u32) -> Vec<u32> {
    let mut words = vec![0xC001_2800, 0x8000_0000, 0, 0xC000_9000, 0];
    words.extend([0xC002_3F00, addr as u32, (addr >> 32) as u32 & 0xFFFF, 0x0100_0000 | dwords as u32, 0xC000_9000, 0x1000_0000]);
    words.extend([0xC006_4900, 0x0660_3514, 0x2200_0000, 0x0040_1040, 0, sequence, 0, 0]);
    words.resize(words.len().next_multiple_of(256), 0xFFFF_1000);
    words
}

/// The same to a compute ring: VALID in INDIRECT_BUFFER.
pub fn compute_submission(addr: u64, dwords: usize, sequence: u32) -> Vec<u32> {
    let mut words = vec![0xC002_3F00, addr as u32, (addr >> 32) as u32 & 0xFFFF, 0x0180_0000 | dwords as u32];
    words.extend([0xC006_4900, 0x0660_3514, 0x2200_0000, 0x0040_1040, 0, sequence, 0, 0]);
    words.resize(words.len().next_multiple_of(256), 0xFFFF_1000);
    words
}

/// A device coredump as Linux 7.1 prints it, of a Navi31.
pub fn devcoredump(crash: &Crash<'_>) -> Vec<u8> {
    let mut out = String::from("**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 7.1.8\nmodule: amdgpu\ntime: 812.104233871\n");
    out += "process_name: vkcube TGID: 4242 thread: vkcube:cs0 PID: 4243\n\nSOC Information\nSOC Device id: 29772\n\nHW IP Version Information\n";
    out += "HWIP: GC[1][0]: v11.0.0.0.0\nHWIP: HDP[2][0]: v6.0.0.0.0\nHWIP: (null)[34][0]: v1.0.0.0.0\n\nIP Firmwares\nME feature version: 35, fw version: 0x00000a2e\n";
    out += "PFP feature version: 35, fw version: 0x00000a51\nMEC feature version: 35, fw version: 0x00000a3f\n\nRing timed out details\nIP Type: 0 Ring Name: gfx_0.0.0\n\n";
    let _ = writeln!(
        out,
        "[gfxhub] Page fault observed\nFaulty page starting at address: 0x{:016x}\nProtection fault status register: 0x{:x}\n",
        crash.fault,
        u32::from(crash.fault != 0) * 0x0010_1131
    );
    out += "IP Dump\nIP: gfx_v11_0\n";
    let register = |out: &mut String, name: &str, value: u32| {
        let _ = writeln!(out, "{:<50} \t 0x{value:08x}", format!("reg{name}"));
    };
    register(&mut out, "GRBM_STATUS", 0xA000_3028);
    register(&mut out, "CP_STALLED_STAT1", 0);
    register(&mut out, "CP_STALLED_STAT2", crash.stalled);
    out += "\nnum_me: 1 num_pipe: 1 num_queue: 1\n\nme 0, pipe 0, queue 0\n";
    register(&mut out, "CP_IB1_BASE_LO", crash.addr as u32);
    register(&mut out, "CP_IB1_BASE_HI", (crash.addr >> 32) as u32 & 0xFFFF);
    register(&mut out, "CP_IB1_BUFSZ", crash.left as u32);
    crash.pfp.iter().for_each(|header| register(&mut out, "CP_PFP_HEADER_DUMP", *header));
    crash.me.iter().for_each(|header| register(&mut out, "CP_ME_HEADER_DUMP", *header));
    let mut ring = [submission(0x8001_1111_0000, 16, 0x29), submission(crash.addr, crash.ib.len(), 0x2A)].concat();
    let write = 0x1800 + ring.len();
    ring.resize(2048, 0xFFFF_1000);
    let _ = writeln!(
        out,
        "\nRing buffer information\nring name: gfx_0.0.0\nRptr: 0x{write:x} Wptr: 0x{write:x} RB mask: 7ff\nRing size in dwords: 2048\nRing contents\nOffset \t Value"
    );
    ring.iter().enumerate().for_each(|(at, word)| {
        let _ = writeln!(out, "0x{:x} \t 0x{word:x}", 4 * at);
    });
    let _ = writeln!(out, "VRAM lost check is skipped!\n\nIB #0 0x{:x} {} dw", crash.addr, crash.ib.len());
    crash.ib.iter().for_each(|word| {
        let _ = writeln!(out, "0x{word:08x}");
    });
    out.into_bytes()
}

/// The header queue of eight entries, as it is when a packet was the last one taken, read from any of its entries on.
pub fn queue(words: &[u32], last: usize, rotated: usize) -> Vec<u32> {
    let headers: Vec<u32> = Reader::new(words).flatten().take(last + 1).map(|packet| packet.header.0).collect();
    let mut queue = vec![0; 8usize.saturating_sub(headers.len())];
    queue.extend(&headers[headers.len().saturating_sub(8)..]);
    // The newest first, as dumps of GFX11 show them.
    queue.reverse();
    queue.rotate_left(rotated);
    queue
}

/// The stream text of umr: no line for dwords that hold no field of their own, as the offsets of SET packets.
pub fn umr_stream(words: &[u32], addr: u64, gfx: Gfx) -> Vec<u8> {
    let mut out = format!("Decoding IB at 0x1@0x{addr:x} from 0x0@0x191c of {} words (type 4)\n", words.len());
    for packet in Reader::new(words).flatten() {
        let at = |dword: usize| format!("[0x1@0x{addr:08x} + 0x{:04x}]", 4 * (packet.offset + dword));
        let name = packet.name(gfx).unwrap_or("?");
        let count = packet.body.len();
        let _ = writeln!(
            out,
            "{}\t[{:>18}]\tOpcode 0x{:x} [PKT3_{name}] ({count} words, type: 3, hdr: {:#010x})",
            at(0),
            format!("{:#010x}", packet.header.0),
            packet.header.opcode().0,
            packet.header.0
        );
        for (n, word) in packet.body.iter().enumerate() {
            if let Some(text) = umr_line(&packet, n, *word, gfx) {
                let _ = writeln!(out, "{}\t[{:>18}]\t|---> {text}", at(n + 1), format!("{word:#010x}"));
            }
        }
    }
    (out + "Done decoding IB\n").into_bytes()
}

fn umr_line(packet: &Packet<'_>, n: usize, word: u32, gfx: Gfx) -> Option<String> {
    let sets = matches!(packet.opcode(), Some(Opcode::SET_CONTEXT_REG | Opcode::SET_SH_REG | Opcode::SET_UCONFIG_REG));
    if sets && n == 0 || packet.opcode() == Some(Opcode::NOP) {
        return None;
    }
    let register = packet.writes(gfx).nth(n.wrapping_sub(1)).filter(|_| sets).and_then(|write| pm4::regs::lookup(gfx, write.addr));
    Some(register.map_or_else(|| format!("WORD_{n}={word:#x}"), |register| format!("gfx1100.reg{register}={word:#x}")))
}

/// The old text of umr's `-R`.
pub fn umr_old(words: &[u32]) -> Vec<u8> {
    let mut out = format!("\nnavi31.gfx.rptr == 256\nnavi31.gfx.wptr == {0}\nnavi31.gfx.drv_wptr == {0}\n", 256 + words.len());
    for (n, word) in words.iter().enumerate() {
        let _ = writeln!(out, "navi31.gfx.ring[{:4}] == 0x{word:08x}    {}.. ", 256 + n, if n == 0 { 'r' } else { '.' });
    }
    out.into_bytes()
}

pub fn umr_json(ring: &[u32], ib: &[u32], addr: u64) -> Vec<u8> {
    let doubles = |words: &[u32]| words.iter().map(|word| format!("{:.1}", f64::from(*word))).collect::<Vec<_>>().join(",");
    format!(
        "{{\"read_ptr\":256,\"write_ptr\":256,\"driver_write_ptr\":256,\"raw\":[{}],\"shaders\":[],\"ibs\":[{{\"opcodes\":[{}],\"address\":{addr}}}]}}",
        doubles(ring),
        doubles(ib)
    )
    .into_bytes()
}

/// Mesa's printed form, with a called buffer after the first INDIRECT_BUFFER and colours.
pub fn mesa(words: &[u32], called: Option<&[u32]>, gfx: Gfx) -> Vec<u8> {
    let mut out = String::from("Trace ID: 2\n------------------ main IB begin - GFX ------------------\n");
    mesa_packets(&mut out, words, 0, gfx, called);
    (out + "\n------------------- main IB end - GFX -------------------\n").into_bytes()
}

/// What RADV prints about the machine and a page fault, beside the commands.
pub const RADV_MACHINE: &str = "Device name: AMD Radeon RX 7900 XTX (RADV NAVI31) (DRM 3.61.0 / 6.17.7)\nfamily = 115\ngfx_level = 15\nchip_external_rev = 8\nfamily_id = 145\n\
    pci_id = 0x744c\n\nFailing VM page: 0x800100400000\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x101131\n";

fn mesa_packets(out: &mut String, words: &[u32], level: usize, gfx: Gfx, mut called: Option<&[u32]>) {
    let indent = " ".repeat(4 * level);
    for packet in Reader::new(words).flatten() {
        let name = packet.name(gfx).unwrap_or("UNKNOWN");
        let _ = writeln!(out, "{indent}{:08x} \x1b[1;32m{name}\x1b[0m:", packet.header.0);
        for (n, word) in packet.body.iter().enumerate() {
            // A dword without text has a blank after it; field lines are indented further.
            let _ = if n % 2 == 0 {
                writeln!(out, "{indent}{word:08x} ")
            } else {
                writeln!(out, "{indent}{word:08x}         SOME_REGISTER <- {word}\n{indent}                 FIELD = 1")
            };
        }
        if packet.opcode() == Some(Opcode::INDIRECT_BUFFER)
            && let Some(called) = called.take()
        {
            let _ = writeln!(out, "{indent}         ------------------ nested begin ------------------");
            mesa_packets(out, called, level + 1, gfx, None);
            let _ = writeln!(out, "{indent}         ------------------- nested end -------------------");
        }
    }
    let _ = writeln!(out, "{indent}         ");
}

pub fn pal_text(words: &[u32]) -> Vec<u8> {
    let list: String = words.iter().map(|word| format!("0x{word:08x}\n")).collect();
    format!("# Universal Queue - DE Command length = {}\n{list}", words.len()).into_bytes()
}

pub fn pal_file(words: &[u32]) -> Vec<u8> {
    bytes(&[&[20, 1, 145, 1, 0, 12, 0, 1, 12, 4 * words.len() as u32, 0], words].concat())
}

/// A file of a buffer and of one that it calls: the second is in a list of its own (PAL CmdBuffer::DumpIb2s).
pub fn pal_file_of_two(words: &[u32], called: &[u32], addr: u64) -> Vec<u8> {
    let nested = [12, 0, 1, 24, 4 * called.len() as u32, 0, 0, addr as u32, (addr >> 32) as u32];
    bytes(&[&[20, 1, 145, 1, 1, 12, 0, 1, 12, 4 * words.len() as u32, 0], words, &nested, called].concat())
}

/// The same as text.
pub fn pal_text_of_two(words: &[u32], called: &[u32], addr: u64) -> Vec<u8> {
    let list: String = called.iter().map(|word| format!("0x{word:08x}\n")).collect();
    [pal_text(words), format!("# IB2 - Command Length: {} - IB2 GPU VA: {addr:016X}\n{list}", called.len()).into_bytes()].concat()
}

/// What an application gets of VK_EXT_device_fault: a header of 56 bytes, then the report in one text.
pub fn radv_binary(report: &[u8]) -> Vec<u8> {
    let header = [56, 1, 0x1002, 0x744C, 0x0640_0007, 1, 2, 3, 4, 0, 1, 0, 0, 0x0040_3000];
    [&bytes(&header), &b"========== RADV GPU hang report ==========\n\n========== trace ==========\n"[..], report].concat()
}

pub fn pal_bin(words: &[u32]) -> Vec<u8> {
    bytes(&[&[12, 0, 1], words].concat())
}

/// A ring of debugfs with one submission in it.
/// A recording, unpacked: each half of the words is a submission, in a page of its own.
pub fn recording(words: &[u32], addr: u64) -> Vec<u8> {
    use pm4::cp::{BoardFacts, FirmwareVersions};
    use pm4::input::{RecordedBuffer, RecordedDevice, RecordedEngine, RecordedRange, RecordedSubmission, RecordingWriter};
    use std::io::Read as _;
    let device = RecordedDevice { chip: pm4::chip::Chip::Navi31, board: BoardFacts::default(), firmware: FirmwareVersions::default() };
    let mut writer = RecordingWriter::new(Vec::new(), &device).expect("memory takes everything");
    let addr = addr / 4096 * 4096;
    for half in words.chunks(words.len().div_ceil(2)) {
        let mut page = vec![0; 1024];
        page[..half.len()].copy_from_slice(half);
        let submission = RecordedSubmission {
            process: 1,
            buffers: vec![RecordedBuffer { engine: RecordedEngine::Graphics, ring: 0, addr, words: half.to_vec() }],
            pages: [(addr, page.into())].into(),
            ranges: vec![RecordedRange { addr, bytes: 4096, is_written_by_program: true }],
        };
        writer.submission(&submission).expect("memory takes everything");
    }
    let packed = writer.finish().expect("memory takes everything");
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&*packed).read_to_end(&mut bytes).expect("it was just packed");
    bytes
}

pub fn ring(submission: &[u32]) -> Vec<u8> {
    let mut ring = vec![0xFFFF_1000; 2048];
    ring[256..256 + submission.len()].copy_from_slice(submission);
    let write = 256 + submission.len() as u32;
    bytes(&[&[write, write, write], ring.as_slice()].concat())
}

/// What the log of a kernel has of a page fault: one line each, as Linux 7.3 prints it.
pub const FAULT_LINES: [&str; 6] = [
    "[gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:365)",
    " Process vrcompositor pid 53981 thread RenderThread pid 54045",
    "  in page starting at address 0x00000080013c3000 from client 10",
    "GCVM_L2_PROTECTION_FAULT_STATUS:0x00501430",
    "\t Faulty UTCL2 client ID: SQC (data) (0xa)",
    "\t RW: 0x0",
];

/// The log of a kernel with a page fault and a ring that timed out.
pub fn kernel_log(prefix: &str) -> Vec<u8> {
    let start = ["initializing kernel modesetting (IP DISCOVERY 0x1002:0x747E 0x1043:0x05FD 0xC8).", "detected ip block number 6 <gfx_v11_0_0> (gfx_v11_0)"];
    let hang = ["ring gfx_0.0.0 timeout, signaled seq=4470481, emitted seq=4470484", FAULT_LINES[1], "Starting gfx_0.0.0 ring reset"];
    let lines = start.iter().chain(&FAULT_LINES).chain(&hang);
    lines.map(|line| format!("{prefix}amdgpu 0000:0d:00.0: {line}\n{prefix}usb 1-1: new high-speed USB device\n")).collect::<String>().into_bytes()
}

/// What `dump` prints.
pub fn dumped(words: &[u32], gfx: Gfx, format: pm4::report::OutputFormat) -> Vec<u8> {
    let mut out = Vec::new();
    let options = pm4::report::DumpOptions { format, ..pm4::report::DumpOptions::new(gfx, Queue::Graphics) };
    pm4::report::dump(&mut out, "a.bin", words, &options).expect("memory takes everything");
    out
}

/// All of them for the words of a buffer and of one that calls another.
pub fn all(words: &[u32], (calls, called): (&[u32], &[u32]), addr: u64, gfx: Gfx) -> Vec<Vec<u8>> {
    let submission = submission(addr, words.len(), 7);
    // A whole ring, with a submission before its write pointer.
    let mut whole = vec![0xFFFF_1000; 1024];
    whole[..submission.len()].copy_from_slice(&submission);
    let lines = |from: usize| {
        let lines: String = whole.iter().enumerate().map(|(n, word)| format!("navi31.gfx.ring[{:4}] == 0x{word:08x}    .. \n", n + from)).collect();
        format!("\nnavi31.gfx.rptr == 0\nnavi31.gfx.wptr == {}\n{lines}", submission.len()).into_bytes()
    };
    let doubles: Vec<String> = whole.iter().map(|word| format!("{word}.0")).collect();
    let json = format!("{{\"read_ptr\":0,\"write_ptr\":{},\"raw\":[{}],\"ibs\":[]}}", submission.len(), doubles.join(","));
    let mut list = vec![
        lines(0),
        lines(1),
        json.into_bytes(),
        bytes(words),
        gzip(&bytes(words)),
        devcoredump(&Crash::at(words, addr, 9, 0)),
        umr_stream(words, addr, gfx),
        umr_old(&submission),
        umr_json(&submission, words, addr),
        mesa(calls, Some(called), gfx),
        pal_text(words),
        pal_file(words),
        pal_bin(words),
        recording(words, addr),
        ring(&submission),
        dumped(words, gfx, pm4::report::OutputFormat::Text),
        dumped(words, gfx, pm4::report::OutputFormat::Json),
    ];
    list.extend(hex(words).into_iter().map(|(_, text)| text));
    list.extend([
        pal_file_of_two(calls, called, addr),
        pal_text_of_two(calls, called, addr),
        radv_binary(&mesa(words, None, gfx)),
        kernel_log("[   12.345678] "),
    ]);
    list
}
