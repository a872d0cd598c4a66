//! Small inputs of every form and all that is read from each, whole. The texts are in `golden/report/`.
use crate::golden;
use golden::{Parts, Random, digest};
use pm4::input::{EventKind, Input, InputError, InputForm, Source};
use std::fmt::Write as _;

/// All that an input holds.
fn told(bytes: &[u8], form: Option<InputForm>) -> String {
    let input = match Source::open(bytes, form).and_then(Source::load) {
        Ok(input) => input,
        Err(error) => return format!("error: {error}\n"),
    };
    let mut out = format!("{} packed={} chip={:?} gfx={:?} {:?}\n", input.form, !input.packed.is_empty(), input.chip, input.gfx, input.firmware);
    for buffer in &input.buffers {
        let words: Vec<String> = buffer.words.iter().take(12).map(|word| format!("{word:x}")).collect();
        let more = if buffer.words.len() > 12 { format!(" and {} more", buffer.words.len() - 12) } else { String::new() };
        let (name, used, queue, claimed, pointers, rest) =
            (&buffer.name, buffer.usage, buffer.queue, buffer.expected_dwords, buffer.pointers, &buffer.trailing_bytes);
        let addr = buffer.addr.map(|addr| format!("0x{addr:x}"));
        let _ = writeln!(out, "  {name:?} {used:?} {queue:?} at {addr:?} claimed={claimed:?} {pointers:?} rest={rest:?}: {}{more}", words.join(" "));
        assert!(buffer.words.starts_with(buffer.complete()));
        if buffer.complete().len() < buffer.words.len() {
            let _ = writeln!(out, "    of them {} are whole packets", buffer.complete().len());
        }
    }
    if let Some(hang) = &input.hang {
        let _ = writeln!(out, "  hang: type {:?}, ring {:?}, {:?}, {:?}, blank={}", hang.ip_type, hang.ring, hang.fault, hang.marks, hang.is_blank());
        hang.blocks.iter().for_each(|block| _ = writeln!(out, "    {}: {:x?}", block.name, block.values));
    }
    input.lines().iter().for_each(|line| _ = writeln!(out, "  | {line}"));
    let _ = writeln!(out, "  {}", input.record("a\"b"));
    out
}

type Case = (&'static str, &'static str);

/// Words as text.
const HEX: &[Case] = &[
    ("words", "c0012d00\n00000003\n00000002\n"),
    ("words in capitals with 0X", "0XC0012D00 0X3\r\n0X00000002\r\n"),
    ("in quotes of mail", "> > 0xc0012d00 0x00000003\n>0x00000002\n"),
    ("remarks of all kinds", "# a\n// b\n; c\n/* d */\n0xc0012d00\n0x00000003\n0x00000002\n"),
    ("text after words", "0xc0012d00 is a draw\n0x00000003\n0x00000002 and its end\n"),
    ("text between words", "0xc0012d00\nand so on\n0x00000003\n0x00000002\n0x00000001\n"),
    ("a word with too many digits", "0xc0012d00\n0x123456789\n0x00000003\n0x00000002\n"),
    ("words of 64 bits", "0x00000003c0012d00 0xffff100000000002\n"),
    ("words of 64 bits, behind an address", "0x7fff0000:\t0x00000003c0012d00\t0xffff100000000002\n0x7fff0010:\t0x00000003c0012d00\t0xffff100000000002\n"),
    ("decimal", "[3221302528, 3, 2]\n"),
    ("decimal that fits no word", "[3221302528, 4294967296, 2]\n"),
    ("few digits are hexadecimal", "10\n11\n12\n"),
    ("one digit each is no word", "1\n2\n3\n"),
    ("bytes", "00 2d 01 c0 03 00 00 00\n02 00 00 00\n"),
    ("bytes that end within a word", "00 2d 01 c0 03 00 00 00\n02 00\n"),
    ("a list that stops", "$1 = {0xc0012d00, 0x3, 0x2, 0x0 <repeats 3 times>, 0xffff1000...}\n"),
    ("a list with something else in it", "{0xc0012d00, oops, 0x3, 0x2}\n"),
    ("repeated elements", "$1 = {0xc0012d00, 0x0 <repeats 2 times>, 0xffff1000}\n"),
    ("xxd", "00000000: 002d 01c0 0300 0000 0200 0000 0010 ffff  .-..............\n00000010: 002d 01c0 0300 0000 0200 0000            .-..........\n"),
    ("hexdump", "0000000 2d00 c001 0003 0000 0002 0000 1000 ffff\n0000010 2d00 c001 0003 0000 0002 0000\n000001c\n"),
    (
        "hexdump -C with a repeated line",
        "00000000  00 10 ff ff 00 10 ff ff  00 10 ff ff 00 10 ff ff  |................|\n*\n00000030  00 2d 01 c0 03 00 00 00  02 00 00 00              |.-..........|\n0000003c\n",
    ),
    ("od in octal", "0000000 c0012d00 00000003 00000002 ffff1000\n0000020 c0012d00 00000003 00000002 ffff1000\n0000040\n"),
    ("od with decimal addresses", "0000000 c0012d00 00000003 00000002 ffff1000\n0000016 c0012d00 00000003 00000002 ffff1000\n0000032\n"),
    ("addresses that begin later", "00001000: c0012d00 00000003 00000002 ffff1000\n00001010: c0012d00 00000003 00000002 ffff1000\n"),
    ("a line is missing", "00000000: c0012d00 00000003 00000002 ffff1000\n00000020: c0012d00 00000003 00000002 ffff1000\n00000030: ffff1000\n"),
    (
        "a line stands twice",
        "00000000: c0012d00 00000003 00000002 ffff1000\n00000010: ffff1000 ffff1000 ffff1000 ffff1000\n00000010: ffff1000 ffff1000 ffff1000 ffff1000\n00000020: ffff1000\n",
    ),
    (
        "a log of a kernel",
        "[  812.104233] amdgpu: IB: 00000000: c0012d00 00000003 00000002 ffff1000  .-..............\n[  812.104234] amdgpu: IB: 00000010: c0012d00 00000003 00000002 ffff1000  .-..............\n",
    ),
    (
        "gdb with a symbol",
        "0x400000 <cmds>:\t0xc0012d00\t0x00000003\t0x00000002\t0xffff1000\n0x400010 <cmds+16>:\t0xc0012d00\t0x00000003\t0x00000002\t0xffff1000\n",
    ),
    ("a symbol alone", "<cmds+0>:\t0xc0012d00\t0x00000003\t0x00000002\t0xffff1000\n<cmds+16>:\t0xc0012d00\t0x00000003\t0x00000002\t0xffff1000\n"),
    ("words together, 16 digits each", "c0012d0000000003 00000002ffff1000\n"),
    ("words of 64 bits without 0x", "00000003c0012d00 ffff100000000002\n"),
    ("bytes together, 16 digits each", "002d01c003000000 020000000010ffff\n"),
    ("16 digits that are no packets", "0000000000000001 0000000000000002\n"),
    ("equal words that are no packets, one a line", "00000003\n00000003\n00000003\n00000003\n"),
    ("bytes behind addresses of two digits, one a line", "10 00\n11 2d\n12 01\n13 c0\n14 03\n15 00\n16 00\n17 00\n"),
    ("words together, 24 digits each", "002d01c00300000002000000\n0010ffff0010ffff0010ffff\n"),
];

/// Device coredumps.
const COREDUMPS: &[Case] = &[
    (
        "all sections",
        "**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 7.1.8\ntime: 812.10\nprocess_name: a TGID: 1\nSOC Device id: 29772\nvbios name : x\n\
         HWIP: GC[1][0]: v11.0.0.0.0\nME feature version: 35, fw version: 0x00000a2e\nPFP feature version: 36, fw version: 0x00000a51\n\
         MEC feature version: 37, fw version: 0x00000a3f\nSDMA feature version: 1, fw version: 0x1\nIP Type: 0 Ring Name: gfx_0.0.0\n[mmhub] Page fault observed\n\
         Faulty page starting at address: 0x0000000000234000\nProtection fault status register: 0x101131\nIP: gfx_v11_0\nregGRBM_STATUS \t 0xa0003028\n\
         mmCP_STALLED_STAT1 \t 0x00000001\nIP: sdma_v6_0\nregSDMA_STATUS 0x00000001\nme 0, pipe 0, queue 0\nregCP_IB1_BUFSZ \t 0x00000004\n\
         ring name: gfx_0.0.0\nRptr: 0x4 Wptr: 0x8 RB mask: 7\nRing size in dwords: 8\nOffset \t Value\n0x0 \t 0xc0012d00\n0x4 \t 0x3\n0x4 \t 0x3\n0x8 \t 0x2\n0x10 \t 0x1\n\
         IB #0 0x800100200000 3 dw\n0xc0012d00\n0x00000003\n0x00000002\n",
    ),
    ("the head is missing", "Ring timed out details\nIP Type: 1 Ring Name: comp_1.0.0\nIB #0 0x1000 2 dw\n0xc0001000\n0x00000000\n"),
    (
        "two dumps",
        "**** AMDGPU Device Coredump ****\nkernel: 7\nIB #0 0x1000 1 dw\n0xffff1000\n**** AMDGPU Device Coredump ****\nIB #1 0x1000 1 dw\n0xffff1000\n",
    ),
    ("a job that ends early", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 5 dw\n0xc0012d00\n0x00000003\n0x00000002\n0xc0012d00\n"),
    ("a job that is followed by text", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 5 dw\n0xc0012d00\n0x00000003\nand so on\n0x00000002\n"),
    ("a job with too many words", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 1 dw\n0xffff1000\n0xffff1000\n0xffff1000\n"),
    ("a job without address", "**** AMDGPU Device Coredump ****\nIB #0\n0xffff1000\n"),
    ("two jobs", "**** AMDGPU Device Coredump ****\nIP Type: 1 Ring Name: comp_1.0.0\nIB #0 0x1000 1 dw\n0xffff1000\nIB #1 0x2000 1 dw\n0xffff1000\n"),
    ("a word that is too short", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 2 dw\n0xffff1000\n0xffff100\n"),
    ("a job with words on the line of its head", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 4 dw 0xc0012d00 0x00000003\n0x00000002 0xffff1000\n"),
    ("a word that is torn in two", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 3 dw\n0xc0012d00\n0x0000\n0003\n0x00000002\n"),
    ("a word of which half is lost", "**** AMDGPU Device Coredump ****\nIB #0 0x1000 3 dw\n0xc0012d00\n0x0000\n0x00000002\n"),
    (
        "a ring with a line missing and one torn",
        "**** AMDGPU Device Coredump ****\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 7\nRing size in dwords: 8\nRing contents\nOffset \t Value\n\
         0x0 \t 0xc0012d00\n0x8 \t 0x2\n0xc \t 0xff\nff1000\n0x10\n0x14 \t 0x1\n0x14 \t 0x2\n0x40 \t 0x1\n",
    ),
    (
        "a ring that claims no words",
        "**** AMDGPU Device Coredump ****\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 0\nRing size in dwords: 0\nRing contents\nOffset \t Value\n0x0 \t 0xc0001000\n0x4 \t 0x1\n",
    ),
    (
        "lines of a kernel log",
        "[   99.9] **** AMDGPU Device Coredump ****\n[  100.0] kernel: 7.1.8\n[  100.0]\n[12345.6] IB #0 0x1000 1 dw\n[12345.6] 0xffff1000\n",
    ),
    ("registers that are all zero", "**** AMDGPU Device Coredump ****\nIP: gfx_v9_0\nmmA 0x00000000\nmmB 0x00000000\n"),
    (
        "a fault that never was",
        "**** AMDGPU Device Coredump ****\nFaulty page starting at address: 0x0000000000000000\nProtection fault status register: 0x0\nIP: gfx_v11_0\nregA 0x00000001\n",
    ),
    (
        "a fault with a status alone",
        "**** AMDGPU Device Coredump ****\nFaulty page starting at address: 0x0000000000000000\nProtection fault status register: 0x1\n",
    ),
    ("a fault without an address", "**** AMDGPU Device Coredump ****\nFaulty page starting at address: here\n"),
    ("registers of a family, torn", "**** AMDGPU Device Coredump ****\nIP: gfx_v10_0\nmmGRBM_STATUS \t 0x00000001\nmmCP_STAT\nnothing 0x3\n"),
    ("registers that are all ones", "**** AMDGPU Device Coredump ****\nIP: gfx_v9_0\nmmA 0xffffffff\nmmB 0xffffffff\n"),
    (
        "a ring of NOPs, and one of SDMA",
        "**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.0.0\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 1\nRing size in dwords: 2\n0x0 0xffff1000\n0x4 0xffff1000\nring name: sdma0\nRptr: 0x0 Wptr: 0x0 RB mask: 0\n0x0 0x1\nring name: kiq_0\nRptr: 0x0 Wptr: 0x0 RB mask: 0\n0x0 0x1\n",
    ),
    (
        "a ring without words",
        "**** AMDGPU Device Coredump ****\nring name: comp_1.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 3\nRing size in dwords: 4\nRing contents unavailable\n",
    ),
    ("a ring of another kind", "**** AMDGPU Device Coredump ****\nIP Type: 2 Ring Name: sdma0\nVRAM is lost due to GPU reset!\n"),
    ("memory that was not lost", "**** AMDGPU Device Coredump ****\nIP Type: 10 Ring Name: kiq\nVRAM lost check is skipped!\nIB #0 0x1000 1 dw\n0xffff1000\n"),
    ("cores", "**** AMDGPU Device Coredump ****\nHWIP: GC[1][0]: v9.4.3.0.0\nHWIP: GC[1][1]: v11.0.0.0.0\n"),
    (
        "blocks of several kinds",
        "**** AMDGPU Device Coredump ****\nIP: gfx_v9_0\nxcc:0 mec:0, pipe:0, queue:0\nmmA 0x00000001\nmec 0, pipe 0, queue 0\nmmB 0x00000002\nInstance id: 0\nmmC 0x00000003\nnum_me: 1 num_queue: 1\n",
    ),
    (
        "registers that are torn in two, and cut",
        "**** AMDGPU Device Coredump ****\nIP: gfx_v11_0\nregGRBM_STATUS \t 0xa000\n3028\nregCP_STALLED_STAT2 \t 0x0000800",
    ),
    (
        "registers without a prefix, and lines that belong there",
        "**** AMDGPU Device Coredump ****\nIP: gfx_v9_4_3\nGRBM_STATUS \t 0xa0003028\nCP_STALLED_STAT2 \t 0x00008000\nnum_mec: 2 num_pipe: 4 num_queue: 8\nNumber of Instances:1\n\
         VRAM lost check is skipped!\n",
    ),
    (
        "a fault whose address is cut",
        "**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.0.0\nFaulty page starting at address: 0x00008001\nProtection fault status register: 0x101131\n",
    ),
    (
        "a fault at whose status the dump ends",
        "**** AMDGPU Device Coredump ****\nFaulty page starting at address: 0x0000800100400000\nProtection fault status register: 0x101",
    ),
    (
        "a dump that ends before its rings",
        "**** AMDGPU Device Coredump ****\nkernel: 6.10\nIP Type: 0 Ring Name: gfx_0.0.0\nIP Dump\nIP: gfx_v11_0\nregGRBM_STATUS \t 0xa0003028\n",
    ),
    (
        "a dump that ends with its rings",
        "**** AMDGPU Device Coredump ****\nkernel: 6.12.7\nIP Type: 0 Ring Name: gfx_0.0.0\nRing buffer information\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 1\n\
         Ring size in dwords: 2\n0x0 0xffff1000\n0x4 0xc0001000\n",
    ),
    (
        "a dump that ends with its rings, of a kernel that says no more",
        "**** AMDGPU Device Coredump ****\nkernel: 6.11.9\nIP Type: 0 Ring Name: gfx_0.0.0\nRing buffer information\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 1\n\
         Ring size in dwords: 2\n0x0 0xffff1000\n0x4 0xc0001000\n",
    ),
    (
        "rings without the one that timed out",
        "**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.1.0\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 0\n0x0 0xffff1000\n",
    ),
    ("rings of which none timed out", "**** AMDGPU Device Coredump ****\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 0\n0x0 0xffff1000\n"),
    (
        "a ring with a mask of another size, and one with torn pointers",
        "**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.0.0\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 3\nRing size in dwords: 2\n0x0 0xffff1000\n0x4 0xffff1000\n\
         ring name: comp_1.0.0\nRptr: 0x0 Wptr: 0x\n1 RB mask: 1\nRing size in dwords: 2\n0x0 0xffff1000\n0x4 0xffff1000\n",
    ),
    (
        "a chip by its family",
        "**** AMDGPU Device Coredump ****\nIP Type: 0 Ring Name: gfx_0.0.0\nSOC Family: 145\nSOC Revision id: 0\nSOC External Revision id: 1\n",
    ),
    (
        "the ring of SDMA that timed out",
        "**** AMDGPU Device Coredump ****\nIP Type: 2 Ring Name: sdma0\nring name: sdma0\nRptr: 0x11 Wptr: 0x12 RB mask: 1\nRing size in dwords: 2\n0x0 0x1\n0x4 0x2\n\
         ring name: sdma1\nRptr: 0x0 Wptr: 0x0 RB mask: 0\n0x0 0x1\n",
    ),
    (
        "a buffer of the constant engine, and one of the graphics queue",
        "**** AMDGPU Device Coredump ****\nHWIP: GC[1][0]: v9.0.1.0.0\nIP Type: 0 Ring Name: gfx\nring name: gfx\nRptr: 0x8 Wptr: 0x8 RB mask: 7\nRing size in dwords: 8\n\
         0x0 0xc0023300\n0x4 0x2000\n0x8 0x0\n0xc 0x1\n0x10 0xc0023f00\n0x14 0x1000\n0x18 0x0\n0x1c 0x1\nVRAM lost check is skipped!\n\
         IB #0 0x2000 1 dw\n0xffff1000\nIB #1 0x1000 1 dw\n0xffff1000\n",
    ),
];

/// Text of umr.
const UMR: &[Case] = &[
    (
        "a ring that is started from itself, with a NOP whose body has no lines, and a buffer of the kernel",
        "Decoding IB at 0x0@0x0 from 0x0@0x0 of 16 words (type 4)\n[0x0@0x0 + 0x0000]\t[        0xc0023f00]\tx\n[0x0@0x0 + 0x0004]\t[        0x00100000]\tx\n\
         [0x0@0x0 + 0x0008]\t[        0x000000ff]\tx\n[0x0@0x0 + 0x000c]\t[        0x00000002]\tx\n[0x0@0x0 + 0x0010]\t[        0xc0061000]\tx\n\
         [0x0@0x0 + 0x0030]\t[        0xc0061000]\tx\nDone decoding IB\n\
         Decoding IB at 0x0@0xff00100000 from 0x0@0x0 of 2 words (type 4)\n[0x0@0xff00100000 + 0x0000]\t[        0xc0004600]\tx\n[0x0@0xff00100000 + 0x0004]\t[        0x00000410]\tx\n",
    ),
    (
        "a stream",
        "Decoding IB at 0x1@0x100000000 from 0x0@0x191c of 7 words (type 4)\n[0x1@0x100000000 + 0x0000]\t[0xc0016900]\tOpcode\n\
         [0x1@0x100000000 + 0x0008]\t[0x00000005]\t|---> gfx1100.regDB_SHADER_CONTROL=0x5\n[0x1@0x100000000 + 0x000c]\t[0xc0012d00]\tOpcode\n\
         [0x1@0x100000000 + 0x0010]\t[0x00000003]\t|---> A=3\n[0x1@0x100000000 + 0x0014]\t[0x00000002]\t|---> B=2\n[0x1@0x100000000 + 0x0018]\t[0xffff1000]\tOpcode\n",
    ),
    (
        "a stream with words that no line has",
        "[0x1@0x1000 + 0x0]\t[0xc0023700]\tOpcode\n[0x1@0x1000 + 0x8]\t[0x00000003]\tA\n[0x1@0x1000 + 0xc]\t[0x00000002]\tB\n",
    ),
    (
        "a stream whose end is missing",
        "Decoding IB at 0x1@0x1000 from 0x0@0x0 of 9 words\n[0x1@0x1000 + 0x0]\t[0xc0012d00]\tOpcode\n[0x1@0x1000 + 0x4]\t[0x00000003]\tA\n",
    ),
    (
        "offsets that are no dwords",
        "[0x1@0x1000 + 0x0]\t[0xffff1000]\tOpcode\n[0x1@0x1000 + 0x2]\t[0xffff1000]\tOpcode\n[0x1@0x1000 + 0x1000000]\t[0xffff1000]\tOpcode\n",
    ),
    (
        "a register that lies elsewhere on other generations",
        "[0x1@0x1000 + 0x0]\t[0xc0016900]\tO\n[0x1@0x1000 + 0x8]\t[0x5]\t|---> regDB_Z_INFO=0x5\n[0x1@0x1000 + 0xc]\t[0xffff1000]\tO\n",
    ),
    ("two buffers, one of a ring", "[0x0@0x40 + 0x0]\t[0xffff1000]\tOpcode\n[0x1@0x1000 + 0x0]\t[0xffff1000]\tOpcode\n"),
    (
        "old text of buffers",
        "Dumping IB at (gfxhub) VMID:3 0x800100200000 of 3 words from ring[270]\nIB[3@0x800100200000 + 0x0   ] = 0xc0012d00 ...\nIB[3@0x800100200000 + 0x4   ] = 0x00000003 ...\nIB[3@0x800100200000 + 0x8   ] = 0x00000002 ...\n",
    ),
    (
        "old text of a part of a ring",
        "vega20.gfx.rptr == 258\nvega20.gfx.wptr == 260\nvega20.gfx.ring[ 256] == 0xffff1000    ...\nvega20.gfx.ring[ 257] == 0xffff1000    ...\nvega20.gfx.ring[ 258] == 0xc0012d00    r..\nvega20.gfx.ring[ 259] == 0x00000003    ...\nvega20.gfx.ring[ 260] == 0x00000002    .w.\n",
    ),
    (
        "old text with a gap, and a dword beyond any ring",
        "vega10.gfx.ring[ 256] == 0xffff1000\nvega10.gfx.ring[ 0x102] == 0xffff1000\nvega10.gfx.ring[4194304] == 0x1\n",
    ),
    (
        "the server",
        "{\"read_ptr\":2.0,\"write_ptr\":3,\"raw\":[4294905856.0,7],\"ibs\":[{\"opcodes\":[3221302528,3,2],\"address\":4096},{\"opcodes\":[1,-1,2]},{\"opcodes\":[4294967296]}]}",
    ),
    ("the server in an envelope", "{\"a\":{\"read_ptr\":0,\"write_ptr\":0,\"raw\":[1],\"ibs\":[]}}\0\0"),
    ("the server cut off", "{\"read_ptr\":0,\n\"raw\":[1,2"),
];

/// What Mesa prints.
const MESA: &[Case] = &[
    (
        "a buffer",
        "Trace ID: 2\n------------------ main IB begin - GFX ------------------\nc0012d00 \x1b[1mDRAW\x1b[0m:\n00000003 \n00000002         A <- 2\n             FIELD = 1\n------------------- main IB end - GFX -------------------\n",
    ),
    (
        "a buffer of the compute queue",
        "------------------ main IB begin - COMPUTE ------------------\nffff1000 NOP:\n------------------- main IB end - COMPUTE -------------------\n",
    ),
    (
        "a buffer of SDMA",
        "------------------ main IB begin - SDMA ------------------\nffff1000 NOP:\n------------------- main IB end - SDMA -------------------\n------------------ IB begin ------------------\nffff1000 NOP:\n------------------- IB end -------------------\n",
    ),
    (
        "a called buffer",
        "------------------ IB begin ------------------\nc0023f00 INDIRECT_BUFFER:\n00001000 \n00000080 \n00000002 \n         ------------------ nested begin ------------------\n    c0001000 NOP:\n    00000000 \n         ------------------- nested end -------------------\nffff1000 NOP:\n------------------- IB end -------------------\n",
    ),
    (
        "a nested buffer that nothing calls",
        "------------------ IB begin ------------------\nffff1000 NOP:\n         ------------------ nested begin ------------------\n    ffff1000 NOP:\n         ------------------- nested end -------------------\n------------------- IB end -------------------\n",
    ),
    (
        "a chain",
        "------------------ IB begin ------------------\nffff1000 NOP:\nc0023f00 INDIRECT_BUFFER:\n00002000 \n00000080 \n00100002 \nc0001000 NOP:\n00000000 \n------------------- IB end -------------------\n",
    ),
    (
        "a chain to what is not shown",
        "------------------ IB begin ------------------\nc0023f00 INDIRECT_BUFFER:\n00002000 \n00000080 \n00100002 \nffff1000 NOP:\n------------------- IB end -------------------\n",
    ),
    ("no end", "------------------ IB begin ------------------\nffff1000 NOP:\n"),
    (
        "no beginning",
        "------------------- IB end -------------------\n------------------ IB begin ------------------\nffff1000 NOP:\n------------------- IB end -------------------\n",
    ),
    ("past the end", "------------------ IB begin ------------------\nc0012d00 DRAW:\n00000003 \n????????\n------------------- IB end -------------------\n"),
    ("pieces", "------------------ GFX begin (dw = 0) ------------------\nffff1000 NOP:\n------------------- GFX end (dw = 1) -------------------\n"),
    (
        "marks",
        "------------------ main IB begin - GFX ------------------\nc0001000 NOP:\n    Trace point ID: 65537\n    !!!!! This is the last trace point that was reached by the CP !!!!!\ncafe0001 \nc0001000 NOP:\n    Trace point ID: 2\n    !!!!! This is the first trace point that was NOT been reached by the CP !!!!!\ncafe0002 \nc0001000 NOP:\n    Trace point ID: 3\n    !!!!! This is the first trace point that was NOT been reached by the CP !!!!!\ncafe0003 \n------------------- main IB end - GFX -------------------\n",
    ),
    (
        "the machine",
        "Device name: a card\nfamily_id = 143\nchip_external_rev = 40\nFailing VM page: 0x00234000\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x101131\n   GRBM_STATUS <- 0xa0003028\n   CP_STALLED_STAT2 <- 2048 (0x800)\n   OTHER <- 1\n   GRBM_STATUS has <- 1\n------------------ IB begin ------------------\nffff1000 NOP:\n------------------- IB end -------------------\n",
    ),
    (
        "a machine that nobody knows",
        "family_id = 7\nchip_external_rev = 1\n------------------ IB begin ------------------\nffff1000 NOP:\n------------------- IB end -------------------\n",
    ),
];

/// What PAL prints, and what dump printed.
const OTHERS: &[Case] = &[
    (
        "PAL, queues",
        "# Universal Queue - DE Command length = 2\n0xc0001000\n0x00000000\n# Universal Queue - CE Command length = 1\n0xffff1000\n# Compute Queue - Command length = 1\n0xffff1000\n# ACE Command length = 1\n0xffff1000\n# DMA Queue Command length = 1\n0xffff1000\n",
    ),
    ("PAL, too few words, and a line that is none", "# Universal Queue - DE Command length = 3\n0xc0001000\noops\n0x00000000\n"),
    ("PAL, words before the title", "0xc0001000\n# Universal Queue - DE Command length = 1\n0xffff1000\n# a remark\n"),
    ("dump, text", "# generation gfx11, queue gfx\n000000  c0012d00  DRAW_INDEX_AUTO ; 00000003 00000002\n"),
    ("dump, text that breaks off", "# generation gfx9, queue gfx\n000000  ffff1000  NOP\n000001  c0012d00  DRAW_INDEX_AUTO ; 00000003\n"),
    ("dump, a record that breaks off", "{\"type\":\"packet\",\"header\":\"0xffff1000\",\"body\":[],\"gfx\":\"gfx9\",\"queue\":\"gfx\"}\n{\"type\":\"pack"),
    ("text that is none of them", "this is a long letter to somebody, which holds no words of any stream, and says so in more than a few of its own words\n"),
    ("text in UTF-16", "\u{FEFF}"),
];

/// Words of a file, in bytes.
fn binary() -> Vec<(&'static str, Vec<u8>, Option<InputForm>)> {
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let ring = |words: usize, head: [u32; 3]| {
        let mut ring = vec![0xFFFF_1000; words];
        ring[..3].copy_from_slice(&[0xC002_3F00, 0x1000, 0x80]);
        ring[3] = 2;
        bytes(&[&head[..], &ring].concat())
    };
    let wide: Vec<u8> = "\u{FEFF}0xc0012d00 0x00000003 0x2".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let file = |count: u32, nested: u32, chunks: &[u32]| bytes(&[&[20, 1, 145, 1, nested, 12, 0, count][..], chunks].concat());
    vec![
        ("nothing", vec![], None),
        ("raw words and three bytes", [bytes(&[0xC001_2D00, 3, 2]), vec![1, 2, 3]].concat(), None),
        ("a ring of the smallest size", ring(1024, [4, 256, 256]), None),
        ("a ring whose pointers lie beyond it", ring(1024, [4, 1024, 4]), None),
        ("a ring of half the smallest size", ring(512, [4, 256, 256]), None),
        ("a ring of a size that is no power of two", ring(1025, [4, 256, 256]), Some(InputForm::Ring)),
        ("a ring shorter than its pointers", bytes(&[1, 2]), Some(InputForm::Ring)),
        ("PAL, a file with one chunk", file(1, 9, &[12, 8, 0, 0xC000_1000, 0]), None),
        ("PAL, a file with a chunk of each engine", file(5, 9, &[12, 4, 0, 1, 12, 4, 1, 2, 12, 4, 2, 3, 12, 4, 3, 4, 12, 4, 4, 5]), None),
        ("PAL, a file with a nested chunk", file(2, 1, &[12, 4, 0, 0xFFFF_1000, 24, 4, 0, 0, 0x2000, 0x80, 0xFFFF_1000]), None),
        ("PAL, a chunk that is cut off", file(1, 9, &[12, 12, 0, 0xC000_1000, 0]), None),
        ("PAL, a chunk that is missing", file(2, 9, &[12, 4, 0, 0xFFFF_1000]), None),
        ("PAL, a chunk with another head", file(1, 9, &[16, 4, 0, 0xFFFF_1000]), None),
        ("PAL, a list with another head", bytes(&[20, 1, 145, 1, 9, 16, 0, 1, 12, 4, 0, 1]), None),
        ("PAL, an old file", bytes(&[12, 0, 1, 0xFFFF_1000]), None),
        ("text in UTF-16", wide, None),
        ("zstd", b"\x28\xB5\x2F\xFDabcd".to_vec(), None),
        ("ELF", b"\x7FELFabcd".to_vec(), None),
        ("gzip of nothing", b"\x1F\x8B\x08".to_vec(), None),
        ("hexadecimal by name, without a word", b"nothing\n".to_vec(), Some(InputForm::Hex)),
    ]
}

#[test]
fn small_inputs_of_every_form_are_read_as_they_say() {
    for (name, cases) in [("hex", HEX), ("coredump", COREDUMPS), ("umr", UMR), ("mesa", MESA), ("other", OTHERS)] {
        let mut parts = Parts::default();
        for (title, text) in cases {
            parts.add(title, &told(text.as_bytes(), None));
        }
        parts.assert(&format!("report/input_{name}.txt"));
    }
    let mut parts = Parts::default();
    binary().iter().for_each(|(title, bytes, form)| parts.add(title, &told(bytes, *form)));
    parts.assert("report/input_binary.txt");
}

/// Families and revisions of a kernel: each from its first revision up to the next one.
#[test]
fn chips_are_found_by_family_and_revision() {
    let name = |family: u32, revision: u32| {
        let text = format!("family_id = {family}\nchip_external_rev = {revision}\n------------------ IB begin ------------------\nffff1000 NOP:\n");
        let input: Input = Source::open(text.as_bytes(), None).and_then(Source::load).expect("a text of Mesa");
        input.fact("graphics core").map(str::to_owned).unwrap_or_default()
    };
    for (family, rows) in [
        (141, &[(0x01, "GC 9.0.1 (gfx900)"), (0x14, "GC 9.2.1 (gfx904)"), (0x28, "GC 9.4.0 (gfx906)"), (0x32, "GC 9.4.1 (gfx908)")][..]),
        (142, &[(0x01, "GC 9.1.0 (gfx902)"), (0x81, "GC 9.2.2 (gfx909)"), (0x91, "GC 9.3.0 (gfx90c)")]),
        (
            143,
            &[
                (0x01, "GC 10.1.10 (gfx1010)"),
                (0x0A, "GC 10.1.2 (gfx1011)"),
                (0x14, "GC 10.1.1 (gfx1012)"),
                (0x28, "GC 10.3.0 (gfx1030)"),
                (0x32, "GC 10.3.2 (gfx1031)"),
                (0x3C, "GC 10.3.4 (gfx1032)"),
                (0x46, "GC 10.3.5 (gfx1034)"),
                (0x82, "GC 10.1.3 (gfx1013)"),
            ],
        ),
        (145, &[(0x01, "GC 11.0.0 (gfx1100)"), (0x10, "GC 11.0.2 (gfx1102)"), (0x20, "GC 11.0.3 (gfx1101)")]),
        (
            150,
            &[
                (0x01, "GC 11.5.0 (gfx1150) or GC 11.5.4 (gfx1154)"),
                (0x40, "GC 11.5.2 (gfx1152)"),
                (0x50, "GC 11.5.3 (gfx1153)"),
                (0xC0, "GC 11.5.1 (gfx1151)"),
                (0xD0, "GC 11.5.6 (gfx1156)"),
            ],
        ),
        (154, &[(0x01, "GC 11.7.0 (gfx1170) or GC 11.5.4 (gfx1154)"), (0x0F, "GC 11.7.0 (gfx1170)"), (0x40, "GC 11.7.1 (gfx1171)")]),
        (152, &[(0x40, "GC 12.0.0 (gfx1200)"), (0x50, "GC 12.0.1 (gfx1201)")]),
    ] {
        assert_eq!(name(family, rows[0].0 - 1), "", "family {family} before its first part");
        for pair in rows.windows(2) {
            assert_eq!((name(family, pair[1].0 - 1).as_str(), name(family, pair[1].0).as_str()), (pair[0].1, pair[1].1), "family {family}");
        }
    }
    assert_eq!(name(140, 1), "");
}

/// Of very many mistakes, 64 are reported, and that there are more.
#[test]
fn only_the_first_mistakes_of_an_input_are_reported() {
    for mistakes in [63usize, 64, 65, 200] {
        let text = "0xffff1000\n0xffff1000\n0xffff1000\nand so on\n".repeat(mistakes);
        let input = Source::open(text.as_bytes(), None).and_then(Source::load).expect("words");
        assert_eq!(input.damage.len(), mistakes.min(65));
        let last = input.damage.last().map(ToString::to_string).unwrap_or_default();
        assert_eq!(last.contains("further places are not listed"), mistakes > 64, "{last}");
    }
}

/// Text of at least so many bytes that has none of the forms is refused; shorter, and what is no text, counts as words.
#[test]
fn what_is_not_one_of_the_forms_is_refused_if_it_is_surely_text() {
    let open = |text: &str| Source::open(text.as_bytes(), None).map(|source| source.form());
    let letters = |count: usize| "no words ".chars().cycle().take(count).collect::<String>();
    assert!(matches!(open(&letters(4)), Ok(InputForm::Raw)));
    let first = (0..200).find(|count| open(&letters(*count)).is_err()).expect("long text is text");
    assert!((first..first + 100).all(|count| matches!(open(&letters(count)), Err(InputError::Unknown { looks_like: "text", .. }))));
    for control in ["\u{1}", "\u{7f}"] {
        assert!(matches!(open(&(letters(16) + control)), Ok(InputForm::Raw)), "control characters are none of text: {control:?}");
    }
    // Bytes of 0x80 and 0xA6.
    assert!(open(&(letters(16) + "…")).is_err(), "other characters are text");
}

/// What a kernel log, a journal, an editor or a search puts before each line of a dump is passed over, and carriage returns alone end lines.
#[test]
fn what_stands_before_each_line_of_a_dump_is_passed_over() {
    let dump = "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v11.0.0.0.0\n\nIP Type: 0 Ring Name: gfx_0.0.0\nIP: gfx_v11_0\nregGRBM_STATUS \t 0x00000001\n\
                ring name: gfx_0.0.0\nRptr: 0x1 Wptr: 0x2 RB mask: 3\nRing size in dwords: 4\nRing contents\nOffset \t Value\n0x0 \t 0x1\n0x4 \t 0x2\n0x8 \t 0x3\n0xc \t 0x4\n\n\
                IB #0 0x800100200000 2 dw\n0xc0001000\n0x00000000\n";
    let load = |text: &str| Source::open(text.as_bytes(), None).and_then(Source::load).expect("a dump");
    let before = |prefix: &dyn Fn(usize) -> String| {
        dump.lines().enumerate().map(|(n, line)| format!("{}{line}", prefix(n)).trim_end().to_owned() + "\n").collect::<String>()
    };
    let plain = load(dump);
    for (name, text) in [
        ("time stamps", before(&|n| format!("[{:5}.{:06}] ", 9997 + n, 7 * n))),
        ("a journal", before(&|n| format!("Nov {:2} 07:29:{n:02} host kernel: ", 9 + n / 10))),
        ("numbers", before(&|n| format!("{:6}\t", n + 1))),
        ("numbers with colons", before(&|n| format!("{}:", n + 1))),
        ("a file", before(&|_| "crash.txt:".into())),
        ("a file and numbers", before(&|n| format!("crash-7.txt:{}:", n + 1))),
        ("quoted time stamps", before(&|n| format!("> [{n:5}.000001] "))),
    ] {
        let input = load(&text);
        assert!(input.damage.is_empty() && input.remarks.iter().any(|remark| remark.message.contains("is ignored")), "{name}: {:?}", input.damage);
        assert_eq!((input.chip, &input.buffers, &input.hang), (plain.chip, &plain.buffers, &plain.hang), "{name}");
    }
    // Blanks and the bars of a table are no text.
    for indent in ["  ", "\t", "| "] {
        let input = load(&before(&|_| indent.into()));
        assert_eq!((input.chip, &input.buffers, &input.hang, &input.remarks), (plain.chip, &plain.buffers, &plain.hang, &plain.remarks), "{indent:?}");
    }
    assert_eq!(load(&dump.replace('\n', "\r")).buffers, plain.buffers);
    // What stands before the title alone is no prefix.
    let input = load(&format!("Here it is: {dump}"));
    assert_eq!((&input.buffers, &input.hang), (&plain.buffers, &plain.hang));
}

/// A bar with a name begins a part of a report of RADV_DEBUG=hang, which may be one that is not read. Elsewhere it hides nothing.
#[test]
fn bars_with_names_hide_words_only_in_a_report() {
    const DUMP: &str = "------------------ IB begin ------------------\nffff1000 NOP:\n------------------- IB end -------------------\n";
    const REPORT: &str = "========== RADV GPU hang report ==========\n";
    const PIPELINE: &str = "========== pipeline ==========\n";
    const TRACE: &str = "========== trace ==========\n";
    let buffers = |parts: &[&str]| {
        let input = Source::open(parts.concat().as_bytes(), None).and_then(Source::load).expect("a dump");
        input.buffers.len()
    };
    assert_eq!([&[PIPELINE, DUMP][..], &[TRACE, DUMP], &[REPORT, TRACE, DUMP], &[REPORT, PIPELINE, DUMP, TRACE, DUMP]].map(buffers), [1; 4]);
}

/// A dump after a long log is found by its title, and so is a hang after a long log of a machine that started. A log alone says where its words are.
#[test]
fn a_dump_behind_a_log_is_found_and_a_log_alone_says_where_its_words_are() {
    let line = "[  812.1] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    let start = "[    0.1] ACPI: bus type PCI registered, and much more of that kind until the machine has started\n";
    let dump = "**** AMDGPU Device Coredump ****\nIB #0 0x1000 1 dw\n0xffff1000\n";
    let read = |text: String| Source::open(text.as_bytes(), None).and_then(Source::load).expect("a dump or a log");
    for lines in [1, 600, 700, 3000] {
        for before in [line, start] {
            let input = read(before.repeat(lines) + dump);
            assert_eq!((input.form, input.buffers.len()), (InputForm::Devcoredump, 1), "{lines} lines");
        }
        let input = read(start.repeat(lines) + line);
        let says = |part: &str| input.remarks.iter().any(|remark| remark.message.contains(part));
        assert!(input.form == InputForm::KernelLog && says("/sys/class/drm/card0/device/devcoredump/data"), "{lines} lines");
        assert!(input.events.iter().any(|event| matches!(&event.kind, EventKind::Timeout { ring, .. } if ring == "gfx_0.0.0")), "{lines} lines");
    }
}

/// Offsets of a ring far from each other make no words without bound.
#[test]
fn a_ring_has_few_words_without_a_line() {
    let rings: String =
        (0..200).map(|n| format!("ring name: gfx_0.0.{n}\nRing contents\n0x0 0x1\n0x{:x} 0x1\n0xfffffffffffffffc 0x1\n", 0x1_0000 + 4 * n)).collect();
    let input = Source::open(format!("**** AMDGPU Device Coredump ****\n{rings}").as_bytes(), None).and_then(Source::load).expect("a dump");
    let words: usize = input.buffers.iter().map(|buffer| buffer.words.len()).sum();
    assert!((0x8000..0x2_0000).contains(&words), "{words} words");
    // 65536 dwords may be without a line, in all rings together.
    for (missing, kept) in [(1 << 16, true), (0x1_0001, false)] {
        let rings =
            format!("ring name: gfx_0.0.0\nRing contents\n0x0 0x1\n0x80 0x1\nring name: gfx_0.1.0\nRing contents\n0x0 0x1\n0x{:x} 0x1\n", 4 * (missing - 30));
        let input = Source::open(format!("**** AMDGPU Device Coredump ****\n{rings}").as_bytes(), None).and_then(Source::load).expect("a dump");
        assert_eq!(input.buffers.last().map(|ring| ring.words.len()), Some(if kept { missing - 30 + 1 } else { 1 }), "{missing} dwords");
    }
}

/// A reader that is interrupted before each piece.
struct Interrupted<'b> {
    bytes: &'b [u8],
    now: bool,
}

impl std::io::Read for Interrupted<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        self.now = !self.now;
        if self.now {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let count = self.bytes.len().min(to.len()).min(5);
        let (head, tail) = self.bytes.split_at(count);
        to[..count].copy_from_slice(head);
        self.bytes = tail;
        Ok(count)
    }
}

#[test]
fn a_read_that_is_interrupted_is_tried_again() {
    let bytes = b"c0012d00\n00000003\n00000002\n";
    let input = Source::open(Interrupted { bytes, now: false }, None).and_then(Source::load).expect("words");
    assert_eq!(input.buffers[0].words, [0xC001_2D00, 3, 2]);
}

#[test]
fn text_of_two_bytes_per_character_is_text_from_32_bytes_on() {
    let bytes: Vec<u8> = [0xFF, 0xFE].into_iter().chain("0xc0012d00 0x00000003 0x00000002".bytes().flat_map(|byte| [byte, 0])).collect();
    for length in [30, 31, 32, 33, 34, 60] {
        let found = Source::open(&bytes[..length], None).map(|source| source.form()).expect("words");
        assert_eq!(found, if length >= 32 { InputForm::Hex } else { InputForm::Raw }, "{length} bytes");
    }
}

/// A list of numbers as a program or a person may write it: addresses or none, units of any width, repeats, remarks, stamps of a log, text at the side, and
/// mistakes.
fn random_list(random: &mut Random) -> String {
    let width = [1, 2, 4, 8, 16, 4][random.below(6)];
    let style = random.below(8);
    let decimal = style == 6;
    let mut address = [0u64, 0x1000, 0x7FFF_0000, 0x8001_0020_0000][random.below(4)];
    let mut text = String::new();
    let bare = random.below(2) == 0;
    if style == 5 {
        text += ["uint32_t words[] = {\n", "$1 = {", "static const u32 x[4] = {"][random.below(3)];
    }
    for _ in 0..1 + random.below(12) {
        let mut line = String::new();
        if random.below(6) == 0 && style == 1 {
            line += &format!("[{:>5}.{:06}] ", random.below(9999), random.below(1_000_000));
        }
        match style {
            0 | 1 => line += &format!("{address:0width$x}: ", width = [8, 4, 12, 16][random.below(4)]),
            2 => line += &format!("0x{address:x} <symbol+{}>:\t", random.below(64)),
            3 => line += &format!("{address:08x}  "),
            _ => {}
        }
        let units = 1 + random.below(8);
        for nth in 0..units {
            let value = [random.next(), random.next() & 0xFFFF_FFFF, 0xC001_2D00, random.next() & 0xFF, 0][random.below(5)];
            let digits = match decimal {
                true => (value & 0xFFFF_FFFF).to_string(),
                false => format!("{:0width$x}", value & (u64::MAX >> (64 - 4 * width.min(16))), width = width * [2, 1][usize::from(random.below(30) == 0)]),
            };
            let prefix = if bare { "" } else { "0x" };
            let end = match random.below(40) {
                0 => ",",
                1 => "u",
                2 => " <repeats 3 times>",
                3 => " <repeats 2 times>,",
                4 => "zz",
                _ if style >= 5 => ", ",
                _ => "",
            };
            line +=
                &format!("{prefix}{digits}{end}{}", if nth + 1 < units { [" ", "  ", "\t"][usize::from(random.below(20) == 0) * random.below(3)] } else { "" });
        }
        address += (units * width / 2) as u64;
        line += match random.below(14) {
            0 => "  |....C...|",
            1 => "  abcd",
            2 => " // words",
            3 => "\n*",
            4 => "\n",
            5 => " }",
            _ => "",
        };
        if line.ends_with('*') {
            address += 16 * (1 + random.below(3)) as u64;
        }
        if random.below(25) == 0 {
            address ^= 0x40;
        }
        if random.below(30) == 0 {
            line = ["# remark", "; remark", "Dump of a buffer", "* *", "-", "0x"][random.below(6)].to_owned();
        }
        text += &line;
        text.push('\n');
    }
    if style == 5 && random.below(4) > 0 {
        text += "};\n";
    }
    text
}

/// Random lists, in `golden/inputs/lists.txt`: each with its first line, what is read, and what is said of it.
#[test]
fn random_lists_of_numbers_are_read_as_recorded() {
    let mut parts = Parts::default();
    for seed in 0..400 {
        let list = random_list(&mut Random(seed));
        let form = if seed % 2 == 0 { None } else { Some(InputForm::Hex) };
        let first = list.lines().next().unwrap_or_default();
        let told = match Source::open(list.as_bytes(), form).and_then(Source::load) {
            Ok(input) => {
                let rest = format!("{:?} {:?} {:?}", input.buffers, input.damage, input.remarks);
                let mut told =
                    format!("{}, {} dwords, {:016x}\n", input.form, input.buffers.iter().map(|buffer| buffer.words.len()).sum::<usize>(), digest(&rest));
                input.damage.iter().chain(&input.remarks).take(2).for_each(|remark| told += &format!("  {remark}\n"));
                told
            }
            Err(error) => format!("{error}\n"),
        };
        parts.add(&format!("{seed}: {}", first.trim()), &told);
    }
    parts.assert("inputs/lists.txt");
}
