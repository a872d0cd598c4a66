//! The effects of single packets on the model: the edge cases of their definitions, one statement each.
use crate::streams;
use pm4::cp::{Bank, CommandProcessor, QueueId, RollSource, Statistics};
use pm4::packet::gfx11::{AtomicMem, CondIndirectBuffer, ContextControl, DmaData, NumInstances, ReleaseMem, SetContextReg, WaitRegMem, WriteData};
use pm4::packet::values::{
    AcquireMemPwsStageSel, AtomicMemAtomic, DmaDataDstSel, DmaDataSrcSel, Function, IndexSetContextReg, Mode, StrmoutBufferUpdateSourceSelect,
    WriteDataAddrIncr, WriteDataDstSel,
};
use pm4::packet::{Emit, Opcode, PacketFields, Queue, Reader, Stream, gfx9, gfx10, gfx103};
use streams::*;

/// The first dwords of the memory at 0x1000 after a stream.
fn memory<const N: usize>(before: [u32; N], words: &[u32]) -> [Option<u32>; N] {
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &before);
    cp.submit(Queue::Graphics, "main", words);
    cp.run(&mut ());
    std::array::from_fn(|i| cp.memory(0x1000 + 4 * i as u64))
}

/// libdrm tests 2.4.124: the draws of GFX11 have a descriptor in a NOP of the buffer, and its address in two SGPRs.
#[test]
fn an_offset_from_the_running_buffer_is_an_address_in_two_registers() {
    let words = raw_packet(Opcode::SET_SH_REG_OFFSET, &[0x98, 0x40, 0]);
    for (addr, expected) in [(Some(0x1_0000_2000), [Some(0x2040), Some(1)]), (None, [None, None])] {
        let mut cp = CommandProcessor::new(N31);
        cp.submit_to(QueueId::GRAPHICS, "main", addr, &words);
        cp.run(&mut ());
        assert_eq!([0xB260, 0xB264].map(|addr| cp.registers(Queue::Graphics).value(addr)), expected);
        assert_eq!(cp.not_executed().count(), 0);
    }
    // Any other index (bits 31:30) reads memory at an address of which only the name is known.
    for index in 1..4 {
        let words = raw_packet(Opcode::SET_SH_REG_OFFSET, &[index << 30 | 0x98, 0x40, 0]);
        let mut cp = CommandProcessor::new(N31);
        cp.submit_to(QueueId::GRAPHICS, "main", Some(0x1_0000_2000), &words);
        cp.run(&mut ());
        assert_eq!(cp.registers(Queue::Graphics).value(0xB260), None, "index {index}");
        assert_eq!(cp.not_executed().count(), 1, "index {index}");
    }
}

/// Linux 2025 gc_12_0_0_offset.h: the register of the packet, which Mesa 2026 and PAL write in preambles, is at 0x98D8, which no draw reads.
#[test]
fn timeouts_of_the_summarizer_leave_the_state_of_draws_known() {
    const DB_SHADER_CONTROL: u32 = 0x2806C;
    let words = [set(DB_SHADER_CONTROL, &[0x10]), raw_packet(Opcode::UPDATE_DB_SUMMARIZER_TIMEOUT, &[0xFFF])].concat();
    let mut cp = CommandProcessor::new(N48);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut ());
    assert_eq!(cp.registers(Queue::Graphics).value(DB_SHADER_CONTROL), Some(0x10));
    assert_eq!(cp.not_executed().count(), 0);
}

#[test]
fn a_wait_for_less_excludes_the_reference_and_one_for_less_or_equal_includes_it() {
    let ends = |function, held: u32| {
        let memory = [held];
        let words = [one(&WaitRegMem { function, ..waiting(0x1000, 5) }), draw()].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.closed_memory(true).map("memory", 0x1000, &memory);
        cp.submit(Queue::Graphics, "main", &words);
        !Log::of(&mut cp).errors().contains(&"SYN-18")
    };
    use Function as F;
    // Memory values 4, 5 and 6 against a reference of 5.
    for (function, passes) in [
        (F::LESS_THAN_REF_VALUE, [true, false, false]),
        (F::LESS_THAN_EQUAL_TO_THE_REF_VALUE, [true, true, false]),
        (F::EQUAL_TO_THE_REFERENCE_VALUE, [false, true, false]),
        (F::NOT_EQUAL_REFERENCE_VALUE, [true, false, true]),
        (F::GREATER_THAN_OR_EQUAL_REFERENCE_VALUE, [false, true, true]),
        (F::GREATER_THAN_REFERENCE_VALUE, [false, false, true]),
    ] {
        // The closed memory is mapped, and nothing else writes it.
        assert_eq!([4, 5, 6].map(|held| ends(function, held)), passes, "{function:?}");
    }
}

/// An ACQUIRE_MEM that waits for a pixel release (PWS) waits for the write of the release.
#[test]
fn what_a_pixel_release_writes_is_there_after_the_wait_for_it() {
    let release = one(&ReleaseMem { pws_enable: true, ..fence(0x1000, 7) });
    let (src_sel, dst_sel) = (DmaDataSrcSel::SRC_ADDR_USING_L2, DmaDataDstSel::DST_ADDR_USING_L2);
    let copied = one(&DmaData { src_sel, dst_sel, src_addr: 0x1000, dst_addr: 0x1004, byte_count: 4, ..Default::default() });
    let copy = |words: &[u32]| memory([0, 0], &[&release[..], words, &copied[..]].concat());
    assert_eq!(copy(&[]), [Some(7), None]);
    assert_eq!(copy(&one(&pixel_wait(AcquireMemPwsStageSel::CP_ME))), [Some(7), Some(7)]);
}

/// The result of each operation of ATOMIC_MEM in two dwords of memory; operations with unknown results are omitted.
#[test]
fn atomics_leave_the_expected_values_in_memory() {
    const CASES: [(u64, u64, u64); 9] = [
        (5, 3, 5),
        (3, 5, 4),
        (5, 5, 5),
        (0, 7, 0),
        (u64::MAX, 1, u64::MAX),
        (1, u64::MAX, 1),
        (0x8000_0000, 0x7FFF_FFFF, 0x8000_0000),
        (1 << 63, 1, 1 << 63),
        (0x1_0000_0005, 0x2_0000_0003, 0x5),
    ];
    let halves = |value: u64| [value as u32, (value >> 32) as u32];
    let mut text = String::from("# tests/suites/model/cp_packets.rs tells what this is: the number of the operation, then memory after it for\n");
    CASES.iter().for_each(|(old, operand, compare)| text += &format!("#   {old:#x} in memory, the operand {operand:#x}, compared with {compare:#x}\n"));
    for operation in 0..128 {
        let after = CASES.map(|(old, operand, compare)| {
            let ([lo, hi], [compare_lo, compare_hi]) = (halves(operand), halves(compare));
            let words = raw_packet(Opcode::ATOMIC_MEM, &[operation, 0x1000, 0, lo, hi, compare_lo, compare_hi, 0]);
            match memory(halves(old), &words) {
                [Some(low), Some(high)] => format!("{:#x}", u64::from(high) << 32 | u64::from(low)),
                [low, high] => format!("{low:x?}, {high:x?}"),
            }
        });
        if after.iter().any(|after| !after.contains("None")) {
            text += &format!("{operation}: {}\n", after.join(" "));
        }
    }
    crate::golden::assert_golden("model/atomics.txt", &text);
}

/// A DMA from unknown memory makes the dwords unknown that it touches, in whole or in part.
#[test]
fn unknown_bytes_make_unknown_dwords() {
    for (from, bytes) in [(0, 4), (0, 1), (3, 1), (3, 2), (4, 8), (0xFC, 4), (0xFC, 8), (0xF8, 0x210), (0x100, 0x100), (0x1FF, 1), (0, 0x3FC), (0x104, 0xFC)] {
        let words = [write(0x1000, &[7; 256]), raw_packet(Opcode::DMA_DATA, &[0xE030_0000, 0, 0x90, 0x1000 + from, 0, bytes])].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ());
        for dword in 0..256 {
            let touched = 4 * dword < from + bytes && 4 * dword + 4 > from;
            let known = cp.memory(0x1000 + 4 * u64::from(dword));
            assert_eq!(known, (!touched).then_some(7), "dword {dword} after a copy of {bytes} bytes to {from:#x}");
        }
    }
}

/// A register that represents the state of a packet counts as written once it has been written.
#[test]
fn state_of_a_packet_is_no_write_of_its_register() {
    let instances = one(&NumInstances { num_instances: 5 });
    let listed = |words: &[u32]| {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", words);
        cp.run(&mut ());
        cp.registers(Queue::Graphics).written(Bank::Uconfig).find(|(addr, _)| *addr == 0x3_0934).map(|(_, value)| value)
    };
    assert_eq!(listed(&instances), None);
    assert_eq!(listed(&[set(0x3_0934, &[3]), instances.clone()].concat()), Some(5));
    assert_eq!(listed(&[instances, set(0x3_0934, &[3])].concat()), Some(3));
}

#[test]
fn atomic_increments_and_decrements_wrap_at_the_operand() {
    use AtomicMemAtomic as A;
    let after = |atomic, old: [u32; 2], src_data: u64| {
        memory(old, &one(&AtomicMem { atomic, addr: 0x1000, src_data, ..Default::default() })).map(|value| value.expect("known"))
    };
    // INC: old >= operand ? 0 : old + 1. DEC: old == 0 or old > operand ? operand : old - 1.
    for (atomic, old, operand, new) in [
        (A::GL2_OP_ATOMIC_INC_RTN_32, 4, 5, 5),
        (A::GL2_OP_ATOMIC_INC_RTN_32, 5, 5, 0),
        (A::GL2_OP_ATOMIC_INC_RTN_32, 6, 5, 0),
        (A::GL2_OP_ATOMIC_DEC_RTN_32, 5, 5, 4),
        (A::GL2_OP_ATOMIC_DEC_RTN_32, 6, 5, 5),
        (A::GL2_OP_ATOMIC_DEC_RTN_32, 0, 5, 5),
    ] {
        assert_eq!(after(atomic, [old, 7], operand), [new, 7], "{atomic:?} of {old} with {operand}");
    }
    // The forms of 64 bits carry into the high dword, those of 32 bits do not.
    assert_eq!(after(A::GL2_OP_ATOMIC_INC_RTN_64, [u32::MAX, 0], u64::MAX), [0, 1]);
    assert_eq!(after(A::GL2_OP_ATOMIC_DEC_RTN_64, [0, 1], u64::MAX), [u32::MAX, 0]);
    assert_eq!(after(A::GL2_OP_ATOMIC_ADD_RTN_32, [u32::MAX, 7], 2), [1, 7]);
}

#[test]
fn write_data_to_one_address_leaves_the_last_value_there() {
    let addr_incr = WriteDataAddrIncr::DO_NOT_INCREMENT_ADDRESS;
    let several = [1, 2, 3];
    assert_eq!(memory([9; 3], &one(&WriteData { addr_incr, ..to_memory(0x1000) }.followed_by(&several))), [3, 9, 9].map(Some));
    assert_eq!(memory([9; 3], &write(0x1000, &several)), [1, 2, 3].map(Some));
    // The same for registers: DB_SHADER_CONTROL and the one after it.
    for (addr_incr, after) in [(addr_incr, [Some(3), None]), (WriteDataAddrIncr::INCREMENT_ADDRESS, [Some(1), Some(2)])] {
        let packet = WriteData { dst_sel: WriteDataDstSel::MEM_MAPPED_REGISTER, dst_mmreg_addr: Some(0x2880C / 4), addr_incr, ..Default::default() };
        let words = one(&packet.followed_by(&several));
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ());
        assert_eq!([0x2880C, 0x28810].map(|addr| cp.registers(Queue::Graphics).value(addr)), after);
    }
}

#[test]
fn a_conditional_buffer_is_a_call_of_the_first_or_the_second_buffer_or_of_none() {
    let (first, second) = (set(0x2880C, &[1]), set(0x2880C, &[2]));
    let dwords = first.len() as u32;
    for (mode, held, ran) in [(Mode::IF_THEN_ELSE, 5, 1), (Mode::IF_THEN_ELSE, 4, 2), (Mode::IF_THEN, 5, 1), (Mode::IF_THEN, 4, 9)] {
        let choose = one(&CondIndirectBuffer {
            mode,
            function: Function::EQUAL_TO_THE_REFERENCE_VALUE,
            compare_addr: 0x1000,
            mask: u64::MAX,
            reference: 5,
            ib_base1: 0x2000,
            ib_size1: dwords,
            ib_base2: 0x3000,
            ib_size2: dwords,
            ..Default::default()
        });
        // The packets after this one run as well: neither buffer is a chain.
        let words = [set(0x2880C, &[9]), choose, set(0x28810, &[7]), draw()].concat();
        let held = [held, 0];
        let mut cp = CommandProcessor::new(N31);
        for (name, at, words) in [("value", 0x1000, &held[..]), ("first", 0x2000, &first), ("second", 0x3000, &second)] {
            cp.map(name, at, words);
        }
        cp.submit(Queue::Graphics, "main", &words);
        let log = Log::of(&mut cp);
        assert_eq!([0x2880C, 0x28810].map(|addr| cp.registers(Queue::Graphics).value(addr)), [Some(ran), Some(7)], "{mode:?}");
        assert_eq!((log.draws.len(), log.errors()), (1, vec![]));
    }
}

#[test]
fn context_control_loads_registers_only_with_its_update_bit() {
    // LOAD_CONTEXT_REG loads if CONTEXT_CONTROL enables it; a word without bit 31 leaves the enables unchanged.
    let control = |update_load_enables, load_per_context_state| one(&ContextControl { update_load_enables, load_per_context_state, ..Default::default() });
    let values = [1, 2, 3, 4];
    let load = raw_packet(Opcode::LOAD_CONTEXT_REG, &[0x1000, 0, 1, 1]);
    let loaded = |controls: &[Vec<u32>]| {
        let words = [controls.concat(), set(0x28004, &[9]), load.clone()].concat();
        let mut cp = CommandProcessor::new(V);
        cp.map("values", 0x1000, &values);
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ());
        cp.registers(Queue::Graphics).value(0x28004)
    };
    assert_eq!(loaded(&[control(true, true)]), Some(2));
    assert_eq!(loaded(&[control(true, false)]), Some(9));
    assert_eq!(loaded(&[control(true, true), control(false, false)]), Some(2), "no update");
    assert_eq!(loaded(&[control(true, false), control(false, true)]), Some(9), "no update");
}

/// The result of a packet on GFX10.3.
fn on_gfx103(packet: &impl Emit) -> Vec<u32> {
    written(N21.gfx(), Queue::Graphics, |stream: &mut Stream| stream.emit(packet))
}

#[test]
fn an_update_of_streamout_asks_for_an_offset_or_an_address_where_it_takes_one() {
    use StrmoutBufferUpdateSourceSelect as S;
    let base = gfx103::StrmoutBufferUpdate { source_select: S::READ_STRMOUT_BUFFER_FILLED_SIZE, ..Default::default() };
    assert_eq!(on_gfx103(&base)[4..], [0, 0]);
    assert_eq!(on_gfx103(&gfx103::StrmoutBufferUpdate { source_select: S::NONE, dst_address: Some(0x2000), ..base })[2..], [0x2000, 0, 0, 0]);
    assert_eq!(on_gfx103(&gfx103::StrmoutBufferUpdate { source_select: S::USE_BUFFER_OFFSET, offset: Some(0x40), ..base })[4..], [0x40, 0]);
    assert_eq!(on_gfx103(&gfx103::StrmoutBufferUpdate { source_select: S::FROM_SRC_ADDRESS, src_address: Some(0x12_0000_1000), ..base })[4..], [0x1000, 0x12]);
    // Modes that a source does not support are rejected.
    for wrong in [gfx103::StrmoutBufferUpdate { offset: Some(1), ..base }, gfx103::StrmoutBufferUpdate { src_address: Some(0x1000), ..base }] {
        assert!(Stream::growable(N21.gfx(), Queue::Graphics).emit(&wrong).is_err());
    }
}

#[test]
fn the_index_of_a_context_register_survives_the_struct_on_every_generation() {
    let index = IndexSetContextReg::VGT_LS_HS_CONFIG;
    let words = raw_packet(Opcode::SET_CONTEXT_REG, &[0x2D6 | 2 << 28, 0]);
    let packet = Reader::new(&words).next().and_then(Result::ok).expect("a packet");
    assert_eq!(packet.decode::<gfx9::SetContextReg>(V.gfx(), Queue::Graphics).map(|p| p.index), Some(index));
    assert_eq!(packet.decode::<gfx10::SetContextReg>(N10.gfx(), Queue::Graphics).map(|p| p.index), Some(index));
    assert_eq!(packet.decode::<SetContextReg>(N31.gfx(), Queue::Graphics).map(|p| p.index), Some(index));
}

#[test]
fn a_ring_may_wrap_within_a_conditional_span() {
    let words = [cond_exec(0x1000, 0x100), draw()].concat();
    let held = [1];
    let found = |ring: bool| {
        let mut cp = CommandProcessor::new(N31);
        cp.map("condition", 0x1000, &held);
        match ring {
            true => cp.submit_ring(QueueId::GRAPHICS, "ring", None, &words),
            false => cp.submit(Queue::Graphics, "buffer", &words),
        };
        Log::of(&mut cp).codes().contains(&"IB-06")
    };
    assert_eq!([true, false].map(found), [false, true]);
}

#[test]
fn the_cut_mode_counts_only_for_geometry_shaders() {
    // VGT_GS_MODE: MODE in bits 2:0, CUT_MODE in 5:4. 1 is a vertex shader with primitive ids, 3 a geometry shader.
    let mode = addr(N10, "VGT_GS_MODE");
    for (scenario, hangs) in [(1, false), (3, true)] {
        // GS_EN, without PRIMGEN_EN.
        let stages = reg(N10, "VGT_SHADER_STAGES_EN", 1 << 5);
        let words = [stages, set(mode, &[scenario]), draw(), set(mode, &[scenario | 1 << 4]), draw()].concat();
        let mut cp = CommandProcessor::new(N10);
        cp.submit(Queue::Graphics, "main", &words);
        assert_eq!(Log::of(&mut cp).codes().contains(&"STA-04"), hangs, "scenario {scenario}");
    }
}

#[test]
fn values_that_drivers_write_without_a_name_are_no_finding() {
    // PA_SC_BINNER_CNTL_0.BIN_SIZE_X_EXTEND in bits 6:4: RADV writes 5 on Navi31, for bins of 1024 pixels.
    for (value, told) in [(4, false), (5, false), (6, true)] {
        let words = reg(N31, "PA_SC_BINNER_CNTL_0", value << 4);
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", &words);
        assert_eq!(Log::of(&mut cp).codes().contains(&"REG-08"), told, "{value}");
    }
}

#[test]
fn statistics_count_what_has_run_and_nothing_else() {
    let mut statistics = Statistics::default();
    assert_eq!((statistics.packets().count(), statistics.rolls().count(), statistics.other_types, statistics.stalls), (0, 0, 0, 0));
    // A type 2 packet is filler.
    let words = [vec![0x8000_0000], set(0x28414, &[7]), draw(), set(0x28414, &[7]), draw(), draw()].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main", &words);
    cp.run(&mut statistics);
    let packets: Vec<_> = statistics.packets().map(|packets| (packets.opcode, packets.count, packets.dwords)).collect();
    assert_eq!(packets, [(Opcode::DRAW_INDEX_AUTO, 3, 9), (Opcode::SET_CONTEXT_REG, 2, 6)]);
    assert_eq!(statistics.rolls().collect::<Vec<_>>(), [(RollSource::Write, 1)]);
    assert_eq!((statistics.other_types, statistics.context_changed, statistics.context_redundant, statistics.stalls), (1, 1, 1, 0));
}
