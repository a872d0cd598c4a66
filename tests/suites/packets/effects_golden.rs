//! The effects of single packets, written by hand from descriptions of the hardware, so that effects and model cannot be wrong together.
use pm4::chip::Gfx::{self, *};
use pm4::packet::Queue::{self, *};
use pm4::packet::{Action, Effect, Header, MemoryAddress, Opcode as O, Reader, Timing, WrittenData};

fn place(at: MemoryAddress) -> String {
    match at {
        MemoryAddress::At(addr) => format!("{addr:#x}"),
        MemoryAddress::Base { index, compute, offset } => format!("base {index}{}+{offset:#x}", if compute { "c" } else { "" }),
        MemoryAddress::Unknown => "anywhere".into(),
    }
}

fn data(data: WrittenData<'_>) -> String {
    match data {
        WrittenData::None => String::new(),
        WrittenData::Words(words) => format!(" = {words:x?}"),
        WrittenData::Last(words) => format!(" = last of {words:x?}"),
        WrittenData::Value(value) => format!(" = {value:#x}"),
    }
}

/// An effect in short: agent, action, condition.
fn say(effect: &Effect<'_>) -> String {
    let what = match effect.action {
        Action::Set { write, state, .. } => format!("{:#x} := {:#x}{}", write.addr, write.value, if state { " state" } else { "" }),
        Action::Modify { addr, mask, value } => format!("{addr:#x} & {mask:#x} := {value:#x}"),
        Action::Unknown { addr, registers, state } => format!("{addr:#x}..{registers} ?{}", if state { " state" } else { "" }),
        Action::UnknownWindow(space) => format!("{space:?} ?"),
        Action::Read { at, bytes } => format!("read {} {bytes}", place(at)),
        Action::Write { at, bytes, data: from } => format!("write {} {bytes}{}", place(at), data(from)),
        Action::Anything => "anything".into(),
        Action::Run { addr, dwords, last } => format!("run {addr:#x} {dwords}{}", if last { " last" } else { "" }),
        Action::Skip { dwords } => format!("skip {dwords}"),
        Action::Base { index, compute, addr } => format!("base {index}{} := {addr:#x}", if compute { "c" } else { "" }),
        Action::Rolls => "rolls".into(),
        Action::Waits => "waits".into(),
    };
    let when = match effect.timing {
        Timing::Issue => "",
        Timing::Pipe => " pipe",
        Timing::EndOfPipe => " eop",
        Timing::Dma => " dma",
    };
    format!("{}{} {what}{when}", format!("{:?}", effect.engine).to_lowercase(), if effect.uncertain { " may" } else { "" })
}

fn effects(gfx: Gfx, queue: Queue, header: Header, body: &[u32]) -> Vec<String> {
    let words = [&[header.0], body].concat();
    let packet = Reader::new(&words).next().expect("a packet").expect("a whole packet");
    packet.effects(gfx, queue).iter().map(say).collect()
}

type Row = (Gfx, Queue, O, &'static [u32], &'static [&'static str]);

/// Generation, queue, packet, body, effects (the sources of the packets in `regdb/packets`: PAL, Mesa, Linux).
const ROWS: &[Row] = &[
    (Gfx11, Graphics, O::NOP, &[0xDEAD_BEEF], &[]),
    (Gfx11, Graphics, O::SET_CONTEXT_REG, &[0x203, 7, 8], &["me 0x2880c := 0x7", "me 0x28810 := 0x8"]),
    (Gfx9, Graphics, O::SET_SH_REG, &[0x20C, 7], &["me 0xb830 := 0x7"]),
    (Gfx9, Graphics, O::SET_UCONFIG_REG_INDEX, &[0x2000_0243, 1], &["me 0x3090c := 0x1"]),
    (Gfx11, Graphics, O::SET_CONTEXT_REG_PAIRS, &[0, 1, 0x203, 2], &["pfp 0x28000 := 0x1", "pfp 0x2880c := 0x2"]),
    (Gfx11, Graphics, O::SET_CONTEXT_REG_PAIRS_PACKED, &[2, 0x0001_0000, 5, 6], &["pfp 0x28000 := 0x5", "pfp 0x28004 := 0x6"]),
    // new = (old & ~mask) | (data & mask); new = (old & and) | or.
    (Gfx11, Graphics, O::CONTEXT_REG_RMW, &[0x203, 0xF0, 0x35], &["me 0x2880c & 0xf0 := 0x30"]),
    (Gfx9, Graphics, O::REG_RMW, &[0xC242, 0xFFFF_FF00, 0x15], &["me 0x30908 & 0xff := 0x15"]),
    (Gfx9, Graphics, O::REG_RMW, &[0xC242 | 1 << 24, 0, 1], &["me 0x30908 & 0xffffffff := 0x1", "me write anywhere 1"]),
    // Base + 4 x offset; gated by CONTEXT_CONTROL.
    (Gfx9, Graphics, O::LOAD_CONTEXT_REG, &[0x1000, 1, 0x10, 2], &["pfp may read 0x100001040 8", "pfp may 0x28040..2 ?"]),
    (Gfx9, Graphics, O::LOAD_CONTEXT_REG_INDEX, &[0x1000, 1, 0x10, 2], &["pfp read 0x100001000 8", "pfp 0x28040..2 ?"]),
    (Gfx9, Graphics, O::LOAD_CONTEXT_REG_INDEX, &[0x1, 0x40, 0x10, 1], &["pfp read base 4+0x40 4", "pfp 0x28040..1 ?"]),
    (Gfx11, Graphics, O::WRITE_DATA, &[5 << 8, 0x1000, 1, 42, 43], &["me write 0x100001000 8 = [2a, 2b]"]),
    (Gfx11, Graphics, O::WRITE_DATA, &[5 << 8 | 1 << 16 | 1 << 30, 0x1000, 0, 42, 43], &["pfp write 0x1000 4 = last of [2a, 2b]"]),
    (Gfx11, Compute, O::WRITE_DATA, &[5 << 8, 0x1000, 0, 42], &["mec write 0x1000 4 = [2a]"]),
    (Gfx11, Graphics, O::WRITE_DATA, &[0, 0xC0C3, 0, 1, 2], &["me 0x3030c := 0x1", "me 0x30310 := 0x2"]),
    // 18 bits of a register's dword address, 38 on GFX12: addresses beyond that are outside all register windows.
    (Gfx11, Graphics, O::WRITE_DATA, &[0, 0x4_A000, 0, 1], &["me 0x28000 := 0x1"]),
    (Gfx12, Graphics, O::WRITE_DATA, &[0, 0xA000, 0, 1], &["me 0x28000 := 0x1"]),
    (Gfx12, Graphics, O::WRITE_DATA, &[0, 0x4_A000, 0, 1], &["me 0x128000 := 0x1"]),
    (Gfx12, Graphics, O::WRITE_DATA, &[0, 0xA000, 1, 1], &[]),
    (Gfx12, Graphics, O::WRITE_DATA, &[0, 0x4000_A000, 0, 1], &["me 0xfffffffc := 0x1"]),
    (Gfx12, Graphics, O::COPY_DATA, &[5, 7, 0, 0xA000, 1], &[]),
    (Gfx11, Graphics, O::COPY_DATA, &[5, 7, 0, 0xA000, 0], &["me 0x28000 := 0x7"]),
    (Gfx11, Graphics, O::COPY_DATA, &[5 | 1 << 16, 7, 8, 0xA000, 0], &["me 0x28000 := 0x7", "me 0x28004 := 0x8"]),
    (Gfx11, Graphics, O::COPY_DATA, &[2, 0x1000, 0, 0xA000, 0], &["me read 0x1000 4", "me 0x28000..1 ?"]),
    (Gfx11, Graphics, O::COPY_DATA, &[2 | 2 << 8 | 1 << 16, 0x1000, 0, 0x2000, 0], &["me read 0x1000 8", "me write 0x2000 8"]),
    (Gfx11, Graphics, O::COPY_DATA, &[7 << 8 | 5 | 1 << 30, 1, 0, 0, 0], &["pfp write anywhere 1"]),
    // Atomics: 15 and 79 add 32 bits, 47 and 111 add 64; 0 reads, 32 writes, 91 and 123 do nothing.
    (Gfx11, Graphics, O::ATOMIC_MEM, &[15, 0x1000, 0, 1, 0, 0, 0, 0], &["me read 0x1000 4", "me write 0x1000 4"]),
    (Gfx11, Graphics, O::ATOMIC_MEM, &[111 | 1 << 30, 0x1000, 0, 1, 0, 0, 0, 0], &["pfp read 0x1000 8", "pfp write 0x1000 8"]),
    (Gfx11, Graphics, O::ATOMIC_MEM, &[8 | 1 << 8, 0x1000, 0, 1, 0, 0, 0, 0], &["me waits", "me read 0x1000 4", "me write 0x1000 4"]),
    (Gfx12, Graphics, O::ATOMIC_MEM, &[0, 0x1000, 0, 1, 0, 0, 0, 0], &["me read 0x1000 4"]),
    (Gfx12, Graphics, O::ATOMIC_MEM, &[32, 0x1000, 0, 9, 0, 0, 0, 0], &["me write 0x1000 4 = 0x900000009", "me may write 0x1004 4"]),
    (Gfx12, Graphics, O::ATOMIC_MEM, &[91, 0x1000, 0, 1, 0, 0, 0, 0], &[]),
    (Gfx12, Graphics, O::ATOMIC_MEM, &[123, 0x1000, 0, 1, 0, 0, 0, 0], &[]),
    // Asynchronous unless CP_SYNC is set, which waits for it and for all earlier DMA.
    (Gfx11, Graphics, O::DMA_DATA, &[3 << 20 | 3 << 29, 0x1000, 0, 0x2000, 0, 64], &["me read 0x1000 64 dma", "me write 0x2000 64 dma"]),
    (Gfx11, Graphics, O::DMA_DATA, &[1 | 3 << 20 | 2 << 29 | 1 << 31, 7, 0, 0x2000, 0, 64], &["pfp write 0x2000 64 = 0x700000007", "pfp waits dma"]),
    (Gfx11, Graphics, O::DMA_DATA, &[2 << 20 | 1 << 31, 0, 0, 0, 0, 0], &["me waits dma"]),
    (Gfx11, Graphics, O::DMA_DATA, &[4 | 3 << 20 | 2 << 29, 7, 0, 8, 0, 64], &["me write anywhere 1"]),
    // An end-of-pipe release: 32 bits, 64 bits, a time, none; 2 and 3 send it to the write pointer of a queue.
    (Gfx11, Graphics, O::RELEASE_MEM, &[0x514, 1 << 29, 0x1000, 0, 7, 8, 0], &["me write 0x1000 4 = 0x700000007 eop"]),
    (Gfx9, Graphics, O::RELEASE_MEM, &[0x514, 2 << 29, 0x1000, 0, 7, 8, 0], &["me write 0x1000 8 = 0x800000007 eop"]),
    (Gfx9, Graphics, O::RELEASE_MEM, &[0x514, 3 << 29, 0x1000, 0, 0, 0, 0], &["me write 0x1000 8 eop"]),
    (Gfx9, Graphics, O::RELEASE_MEM, &[0x514, 0, 0, 0, 0, 0, 0], &[]),
    (Gfx9, Compute, O::RELEASE_MEM, &[0x514, 1 << 29 | 2 << 16, 0x1000, 0, 7, 0, 0], &[]),
    // Sample events write if they have an address.
    (Gfx11, Graphics, O::EVENT_WRITE, &[0x407], &[]),
    (Gfx11, Graphics, O::EVENT_WRITE, &[0x21E], &[]),
    (Gfx11, Graphics, O::EVENT_WRITE, &[0x21E, 0x1000, 0], &["me write 0x1000 8 eop", "me may write 0x1008 104 eop"]),
    (Gfx11, Graphics, O::EVENT_WRITE, &[0x320, 0x1000, 0], &["me write 0x1000 16 eop"]),
    (Gfx9, Graphics, O::WAIT_REG_MEM, &[0x113, 0x1000, 0, 1, u32::MAX, 4], &["pfp waits", "pfp read 0x1000 4"]),
    (Gfx9, Graphics, O::WAIT_REG_MEM, &[0x3, 0xC03F, 0, 1, u32::MAX, 4], &["me waits"]),
    (Gfx11, Graphics, O::PFP_SYNC_ME, &[0], &["pfp waits"]),
    // 48 bits of address; a chain does not return.
    (Gfx11, Graphics, O::INDIRECT_BUFFER, &[0x1000, 1, 16 | 8 << 20], &["pfp run 0x100001000 16"]),
    (Gfx11, Graphics, O::INDIRECT_BUFFER, &[0x1000, 1, 16 | 9 << 20], &["pfp run 0x100001000 16 last"]),
    (
        Gfx11,
        Graphics,
        O::COND_INDIRECT_BUFFER,
        &[2 | 3 << 8, 0x1000, 0, 1, 0, 1, 0, 0x2000, 0, 8, 0x3000, 0, 16],
        &["pfp read 0x1000 8", "pfp may run 0x2000 8", "pfp may run 0x3000 16"],
    ),
    (Gfx11, Graphics, O::COND_EXEC, &[0x1000, 0, 0, 12], &["pfp read 0x1000 4", "pfp skip 12"]),
    (Gfx11, Graphics, O::PRED_EXEC, &[12 | 1 << 24], &["pfp skip 12"]),
    // 40 bits of address; 3 reads 64 bits, 4 reads 32.
    (Gfx11, Graphics, O::SET_PREDICATION, &[3 << 16, 0x1008, 0x102], &["pfp read 0x200001008 8"]),
    (Gfx11, Graphics, O::SET_PREDICATION, &[4 << 16, 0x1004, 0x2], &["pfp read 0x200001004 4"]),
    (Gfx11, Graphics, O::SET_PREDICATION, &[0, 0, 0], &[]),
    (Gfx11, Graphics, O::SET_BASE, &[1, 0x1000, 1], &["pfp base 1 := 0x100001000"]),
    (Gfx11, Graphics, O::NUM_INSTANCES, &[3], &["pfp 0x30934 := 0x3 state"]),
    (Gfx11, Graphics, O::DRAW_INDEX_AUTO, &[3, 2], &["me 0x3090c..1 ? state"]),
    // SGPRs of arguments are counted from 0x2C00; index 1 of SET_BASE holds the address.
    (
        Gfx11,
        Graphics,
        O::DRAW_INDIRECT,
        &[0x40, 0x8C, 0x8D, 2],
        &["pfp read base 1+0x40 16", "pfp 0xb230..1 ? state", "pfp 0xb234..1 ? state", "pfp 0x30934..1 ? state", "pfp may 0x3090c..1 ? state"],
    ),
    (Gfx11, Graphics, O::DISPATCH_DIRECT, &[1, 1, 1, 1], &[]),
    (Gfx11, Compute, O::DISPATCH_INDIRECT, &[0x1000, 0, 1], &["mec read 0x1000 12"]),
    (
        Gfx11,
        Graphics,
        O::DISPATCH_TASKMESH_GFX,
        &[0x008D_008C, 1 << 30, 2],
        &["me waits", "me read anywhere 36", "me read anywhere 16", "me 0xb234..1 ? state", "me 0xb230..3 ? state"],
    ),
    // Source 12: the arguments of EXECUTE_INDIRECT, by name.
    (Gfx11, Graphics, O::COPY_DATA, &[12 | 2 << 8 | 1 << 16 | 1 << 30, 0, 0, 0x2000, 0], &["pfp read anywhere 8", "pfp write 0x2000 8"]),
    // Bit 0 stores; every source except none resets streamout. Bits 2:1 select it, bits 9:8 the buffer.
    (Gfx9, Graphics, O::STRMOUT_BUFFER_UPDATE, &[1 | 3 << 1, 0x1000, 0, 0, 0], &["me write 0x1000 4"]),
    (Gfx9, Graphics, O::STRMOUT_BUFFER_UPDATE, &[2 << 1 | 1 << 8, 0, 0, 0x1000, 0], &["me read 0x1000 4", "me 0x30914..1 ? state"]),
    // The offsets of four buffers come first in the control buffer of 112 bytes.
    (Gfx12, Graphics, O::SET_BUFFER_FILLED_SIZE, &[0x1000, 0, 2, 64], &["pfp may write 0x1000 112", "pfp write 0x1008 4"]),
    (Gfx9, Constant, O::DUMP_CONST_RAM, &[0x10, 4, 0x1000, 0], &["ce write 0x1000 16"]),
    (Gfx11, Graphics, O::ACQUIRE_MEM, &[0, 0, 0, 0, 0, 0, 0], &["pfp rolls", "pfp waits eop"]),
    (Gfx11, Graphics, O::PROTECTED_FENCE_SIGNAL, &[0], &["me write anywhere 1"]),
    (Gfx9, Graphics, O::CP_DMA, &[0, 0, 0, 0, 4], &["me may anything"]),
    (Gfx9, Graphics, O::EVENT_WRITE_EOP, &[0, 0, 0, 0, 4], &["me may write anywhere 8"]),
];

#[test]
fn packets_do_what_the_descriptions_of_the_hardware_say() {
    let mut wrong = String::new();
    for (gfx, queue, opcode, body, expected) in ROWS {
        let told = effects(*gfx, *queue, Header::type3(*opcode, body.len()), body);
        if told != *expected {
            wrong += &format!("{gfx} {queue:?} {opcode} {body:x?}\n    told     {told:?}\n    expected {expected:?}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    let packets: std::collections::BTreeSet<u8> = ROWS.iter().map(|(_, _, opcode, ..)| opcode.0).collect();
    assert!(packets.len() >= 30, "{} packets", packets.len());
}

#[test]
fn the_work_of_a_number_depends_on_the_queue() {
    use pm4::packet::Work;
    assert_eq!(O(0x8D).work_on(Gfx9, Graphics), Some(Work::Draw));
    assert_eq!(O(0x8D).work_on(Gfx9, Compute), Some(Work::Dispatch));
}

/// EXECUTE_INDIRECT_V2 draws or dispatches according to its operation (bits 21:19 on GFX11); on the PFP of GFX12 sources differ about its place.
#[test]
fn the_work_of_a_packet_may_depend_on_a_field() {
    use pm4::packet::Work;
    let of = |gfx, queue, operation: u32| {
        let words = [[Header::type3(O::EXECUTE_INDIRECT_V2, 12).0, operation << 19].as_slice(), &[0; 11]].concat();
        Reader::new(&words).next().expect("a packet").expect("a whole packet").work(gfx, queue)
    };
    assert_eq!([0, 1, 2, 3, 4].map(|n| of(Gfx11, Graphics, n)), [Work::Draw, Work::Draw, Work::Dispatch, Work::Draw, Work::Dispatch].map(Some));
    assert_eq!([of(Gfx12, Graphics, 0), of(Gfx12, Compute, 2)], [None, Some(Work::Dispatch)]);
}

#[test]
fn only_the_constant_engine_sets_its_counters() {
    for gfx in [Gfx9, Gfx10, Gfx103] {
        assert_eq!([Graphics, Compute, Constant].map(|queue| O::SET_CE_DE_COUNTERS.available(gfx, queue)), [false, false, true], "{gfx}");
    }
    assert!(![Graphics, Compute, Constant].map(|queue| O::SET_CE_DE_COUNTERS.available(Gfx11, queue)).contains(&true));
}

/// The mask of render backends has 21 bits in one dword and 11 in the next; it is not an address.
#[test]
fn the_settings_of_the_pixel_counters_are_no_address() {
    for gfx in [Gfx9, Gfx11, Gfx12] {
        let words = [Header::type3(O::EVENT_WRITE, 3).0, 56 | 1 << 8, u32::MAX << 11 | 1 << 9, 0x7FF];
        let packet = Reader::new(&words).next().expect("a packet").expect("a whole packet");
        let fields: Vec<(&str, u64)> = packet.fields(gfx, Graphics).filter(|f| f.dword > 1).map(|f| (f.name, f.value)).collect();
        assert_eq!(fields, [("counter_id", 0), ("stride", 1), ("instance_enable_lo", 0x1F_FFFF), ("instance_enable_hi", 0x7FF)], "{gfx}");
        assert_eq!(packet.effects(gfx, Graphics), [], "{gfx}");
    }
}
