//! What the model does not see, and packets that may not run: registers and memory that they may have changed are unknown, and cause no finding.
use crate::streams;
use pm4::chip::{Chip, Gfx};
use pm4::cp::rules::RuleLevel;
use pm4::cp::{Bank, CommandProcessor, QueueId, RegisterState, Severity};
use pm4::packet::gfx11::{
    AtomicMem, ClearState, CondIndirectBuffer, ContextControl, CopyData, DmaData, DrawIndexMultiAuto, IndexAttributesIndirect, LoadUconfigRegIndex, Nop,
    SetPredication,
};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::values::{
    AtomicMemAtomic, AtomicMemCommand, AtomicMemEngineSel, ClearStateCmd, CopyDataDstSel, CopyDataSrcSel, DmaDataDstSel, DmaDataSrcSel, Function, Mode,
    SetPredicationPredBool, SetPredicationPredOp,
};
use pm4::packet::{Action, Event, MemoryAddress, Opcode, PacketFields, Queue, Reader, ShaderType, Writer, formats, gfx9};
use streams::{Log, N31, V, cond_exec, draw, ib, index_type, indexed, nop, one, predicated, raw_packet, release, with_header};
use strum::IntoEnumIterator;

const DB_SHADER_CONTROL: u32 = 0x2880C;
const MEMORY: u64 = 0x1_0000;
const CODE: u64 = 0x2_0000;
const NOWHERE: u64 = 0x7000_0000;

fn set(value: u32) -> Vec<u32> {
    streams::set(DB_SHADER_CONTROL, &[value])
}

/// Waits for a value at [`MEMORY`].
fn wait(value: u32) -> Vec<u32> {
    streams::wait(MEMORY, value)
}

/// Writes 7 to it.
fn write() -> Vec<u32> {
    streams::write(MEMORY, &[7])
}

/// Runs a stream over zeroed memory at [`MEMORY`], with `code` mapped at [`CODE`].
fn run<'a>(chip: Chip, queue: Queue, words: &'a [u32], code: &'a [u32]) -> (CommandProcessor<'a>, Vec<(&'static str, String)>) {
    static ZEROES: [u32; 64] = [0; 64];
    let mut cp = CommandProcessor::new(chip);
    cp.map("memory", MEMORY, &ZEROES);
    cp.map("code", CODE, code);
    cp.submit(queue, "stream", words);
    let found = Log::of(&mut cp).findings;
    (cp, found.into_iter().filter(|finding| finding.severity == Severity::Error).map(|finding| (finding.code, finding.message)).collect())
}

fn state(cp: &CommandProcessor<'_>, queue: Queue) -> RegisterState {
    cp.registers(queue).state(DB_SHADER_CONTROL)
}

#[test]
fn registers_are_unknown_after_a_call_that_nothing_maps() {
    for words in [
        [set(8), ib(NOWHERE, 16)].concat(),
        // Only the first part is mapped.
        [set(8), ib(CODE, 16)].concat(),
    ] {
        let (cp, errors) = run(N31, Queue::Graphics, &words, &[0xFFFF_1000; 4]);
        assert_eq!((state(&cp, Queue::Graphics), errors), (RegisterState::Loaded, vec![]));
    }
    let words = [set(8), ib(CODE, 4)].concat();
    let (cp, _) = run(N31, Queue::Graphics, &words, &[0xFFFF_1000; 4]);
    assert_eq!(state(&cp, Queue::Graphics), RegisterState::Written(8), "a buffer that is seen changes what it writes alone");
}

#[test]
fn a_packet_that_goes_on_in_unmapped_memory_is_no_damage() {
    let words = [set(8), ib(CODE, 16)].concat();
    let (cp, errors) = run(N31, Queue::Graphics, &words, &[0xFFFF_1000, 0xC006_6900, 0x203]);
    assert_eq!((state(&cp, Queue::Graphics), errors), (RegisterState::Loaded, vec![]));
}

/// A condition in unmapped memory.
fn conditional(inner: &[u32]) -> Vec<u32> {
    [cond_exec(NOWHERE, inner.len() as u32), inner.to_vec()].concat()
}

fn choose(mode: Mode, function: Function) -> Vec<u32> {
    let dwords = set(0).len() as u32;
    one(&CondIndirectBuffer {
        mode,
        function,
        compare_addr: NOWHERE,
        mask: 1,
        reference: 1,
        ib_base1: CODE,
        ib_size1: dwords,
        ib_base2: CODE + 12,
        ib_size2: dwords,
        ..Default::default()
    })
}

#[test]
fn what_may_not_have_run_leaves_a_register_with_one_value_or_the_other() {
    let unknown_predicate = one(&SetPredication { pred_op: SetPredicationPredOp::DX12, start_addr: NOWHERE, ..Default::default() });
    let equal = Function::EQUAL_TO_THE_REFERENCE_VALUE;
    let code = [set(5), set(6)].concat();
    let cases: [(&str, Vec<u32>, RegisterState); 8] = [
        ("COND_EXEC", conditional(&set(9)), RegisterState::Loaded),
        ("COND_EXEC of the same value", conditional(&set(8)), RegisterState::Written(8)),
        ("COND_EXEC of a call", conditional(&ib(CODE, 3)), RegisterState::Loaded),
        ("one COND_EXEC in the other", conditional(&[conditional(&set(9)), set(8)].concat()), RegisterState::Loaded),
        ("a packet under a predicate", [unknown_predicate, predicated(set(9))].concat(), RegisterState::Loaded),
        ("one of a buffer and none", choose(Mode::IF_THEN, equal), RegisterState::Loaded),
        ("one of two buffers", choose(Mode::IF_THEN_ELSE, equal), RegisterState::Loaded),
        ("always the first buffer", choose(Mode::IF_THEN_ELSE, Function::ALWAYS_PASS), RegisterState::Written(5)),
    ];
    for (what, words, after) in cases {
        let words = [set(8), words, one(&Nop {}.followed_by(&[0]))].concat();
        let (cp, errors) = run(N31, Queue::Graphics, &words, &code);
        assert_eq!((state(&cp, Queue::Graphics), errors), (after, vec![]), "{what}");
        // Also as the last packets of a stream.
        let (cp, _) = run(N31, Queue::Graphics, &words[..words.len() - 2], &code);
        assert_eq!(state(&cp, Queue::Graphics), after, "{what}, last");
    }
}

/// A write beyond its window, in a buffer that one of two conditional calls may run; and after that buffer.
#[test]
fn what_a_buffer_does_that_may_not_run_is_no_certain_error() {
    let beyond = raw_packet(Opcode::SET_CONTEXT_REG, &[0x400, 1]);
    let code = [beyond.clone(), beyond.clone()].concat();
    let errors = |function| {
        let words = choose(Mode::IF_THEN, function);
        run(N31, Queue::Graphics, &words, &code).1.iter().map(|(code, _)| *code).collect::<Vec<_>>()
    };
    assert_eq!(errors(Function::ALWAYS_PASS), ["REG-01"]);
    assert!(errors(Function::EQUAL_TO_THE_REFERENCE_VALUE).is_empty());
    let words = [conditional(&nop()), beyond].concat();
    assert_eq!(run(N31, Queue::Graphics, &words, &code).1.len(), 1);
}

/// Where the model stops, the rest is unchecked, whatever may not run there.
#[test]
fn the_limit_of_a_run_is_an_error_among_packets_that_may_not_run_too() {
    let words = conditional(&nop().repeat(100));
    let mut cp = CommandProcessor::new(N31);
    cp.max_dwords(50).submit(Queue::Graphics, "stream", &words);
    let found: Vec<_> = Log::of(&mut cp).findings.iter().filter(|finding| finding.code == "RUN-01").map(|finding| finding.severity).collect();
    assert_eq!(found, [Severity::Error]);
}

#[test]
fn a_register_that_a_condition_may_have_left_alone_still_tells_what_was_written_last() {
    let unknown_predicate = one(&SetPredication { pred_op: SetPredicationPredOp::DX12, start_addr: NOWHERE, ..Default::default() });
    for words in [conditional(&set(9)), [set(8), conditional(&set(9))].concat(), [unknown_predicate, predicated(set(9))].concat()] {
        let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
        let registers = cp.registers(Queue::Graphics);
        let written: Vec<(u32, u32)> = registers.written(Bank::Context).collect();
        assert_eq!((written.iter().map(|(_, value)| *value).collect::<Vec<_>>(), state(&cp, Queue::Graphics)), (vec![9], RegisterState::Loaded));
    }
}

#[test]
fn memory_that_may_not_have_been_written_is_unknown() {
    for inner in [write(), release(MEMORY, 7)] {
        let (cp, _) = run(N31, Queue::Graphics, &inner, &[]);
        assert_eq!(cp.memory(MEMORY), Some(7));
        let words = conditional(&inner);
        let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
        assert_eq!(cp.memory(MEMORY), None);
    }
}

#[test]
fn a_wait_that_may_not_run_is_no_hang() {
    let words = wait(1);
    assert_eq!(run(N31, Queue::Graphics, &words, &[]).1.len(), 1);
    let words = conditional(&wait(1));
    assert_eq!(run(N31, Queue::Graphics, &words, &[]).1, []);
}

/// Packets that write memory at unnamed addresses, with a chip that has them.
fn writers() -> Vec<(&'static str, Chip, Vec<u32>)> {
    vec![
        ("an unmapped call", N31, ib(NOWHERE, 16)),
        ("EVENT_WRITE_EOP", V, raw_packet(Opcode::EVENT_WRITE_EOP, &[0x514, 0x9000, 0, 0, 0])),
        ("CP_DMA", V, raw_packet(Opcode::CP_DMA, &[0, 0, 0, 0, 4])),
        ("AQL_PACKET", N31, raw_packet(Opcode::AQL_PACKET, &[0, 0, 0, 0])),
        ("UBER_DRAWS", N31, raw_packet(Opcode::UBER_DRAWS, &[0, 0, 0, 0])),
    ]
}

#[test]
fn memory_is_unknown_after_a_packet_that_may_write_anywhere() {
    for (what, chip, words) in writers() {
        let words = [words, wait(1)].concat();
        let (cp, errors) = run(chip, Queue::Graphics, &words, &[]);
        // This queue does not have every packet.
        let hangs = errors.iter().filter(|(code, _)| code.starts_with("SYN")).count();
        assert_eq!((hangs, cp.memory(MEMORY)), (0, None), "{what}");
        // Nor is it copied.
        let (src_sel, dst_sel) = (CopyDataSrcSel::TC_L2, CopyDataDstSel::MEMORY);
        let copy = one(&CopyData { src_sel, src_addr: Some(MEMORY), dst_sel, dst_addr: Some(0x9_0000), ..Default::default() });
        let words = [&words[..words.len() - 7], &copy].concat();
        let (cp, _) = run(chip, Queue::Graphics, &words, &[]);
        assert_eq!(cp.memory(0x9_0000), None, "{what}, copied");
    }
}

#[test]
fn read_only_memory_stays_known_and_later_writes_are_known() {
    let words = [ib(NOWHERE, 16), write()].concat();
    let mut cp = CommandProcessor::new(N31);
    let constant = [3; 4];
    cp.map_read_only("constant", 0x8_0000, &constant);
    cp.submit(Queue::Graphics, "stream", &words);
    cp.run(&mut ());
    assert_eq!((cp.memory(0x8_0000), cp.memory(MEMORY), cp.memory(MEMORY + 4)), (Some(3), Some(7), None));
}

#[test]
fn a_dump_at_an_unknown_base_leaves_no_memory_known() {
    let words = one(&gfx9::DumpConstRamOffset { num_dw: 1, ..Default::default() });
    let (cp, _) = run(V, Queue::Constant, &words, &[]);
    assert_eq!(cp.memory(MEMORY), None);
}

#[test]
fn counters_that_an_unseen_buffer_may_have_moved_cause_no_hang() {
    let words = [ib(NOWHERE, 16), one(&gfx9::WaitOnCeCounter::default())].concat();
    // A stream of the constant engine that counts nothing.
    let constant = raw_packet(Opcode::NOP, &[0]);
    for (words, hangs) in [(&words[..], false), (&words[4..], true)] {
        let mut cp = CommandProcessor::new(V);
        cp.submit(Queue::Graphics, "stream", words);
        cp.submit_to(QueueId::CONSTANT, "constant", None, &constant);
        assert_eq!(Log::of(&mut cp).errors() == ["SYN-18"], hangs);
    }
}

/// The codes of the errors about the index type.
fn index_errors(words: &[Vec<u32>]) -> usize {
    let words = words.concat();
    let (_, errors) = run(N31, Queue::Graphics, &words, &[]);
    errors.iter().filter(|(code, _)| *code == "STA-02").count()
}

#[test]
fn the_index_type_is_lost_by_draws_without_indices_until_something_may_write_it() {
    let draw_initiator = DrawInitiator::AUTO_INDEX;
    let multi = one(&DrawIndexMultiAuto { prim_count: 3, draw_initiator, index_count: 3, ..Default::default() });
    assert_eq!(index_errors(&[index_type(), indexed(3)]), 0);
    assert_eq!(index_errors(&[index_type(), draw(), indexed(3)]), 1);
    assert_eq!(index_errors(&[index_type(), multi, indexed(3)]), 1);
    let counted = raw_packet(Opcode::DRAW_INDEX_INDIRECT_COUNT_MULTI, &[0; 8]);
    assert_eq!(index_errors(&[index_type(), draw(), counted]), 1);
    let writers = [
        index_type(),
        ib(NOWHERE, 16),
        one(&IndexAttributesIndirect { attribute_base: Some(NOWHERE), ..Default::default() }),
        one(&LoadUconfigRegIndex { mem_addr: Some(NOWHERE), ..Default::default() }.followed_by(&[0x243, 1])),
        one(&CopyData { src_sel: CopyDataSrcSel::TC_L2, src_addr: Some(NOWHERE), dst_reg_offset: Some(0x3090C / 4), ..Default::default() }),
        raw_packet(Opcode::SET_CONTEXT_REG_INDIRECT, &[0, 0]),
        raw_packet(Opcode::INDEX_TYPE, &[1]),
        conditional(&index_type()),
    ];
    for writer in writers {
        assert_eq!(index_errors(&[index_type(), draw(), writer.clone(), indexed(3)]), 0, "{writer:x?}");
    }
    assert_eq!(index_errors(&[index_type(), conditional(&draw()), indexed(3)]), 0);
}

#[test]
fn pfp_reads_with_atomics_too_early() {
    let atomic = |command| {
        let (atomic, engine_sel) = (AtomicMemAtomic::GL2_OP_ATOMIC_ADD_RTN_32, AtomicMemEngineSel::PREFETCH_PARSER);
        one(&AtomicMem { atomic, command, engine_sel, addr: MEMORY, src_data: 1, ..Default::default() })
    };
    let codes = |words: &[u32]| run(N31, Queue::Graphics, words, &[]).1.iter().map(|(code, _)| *code).collect::<Vec<_>>();
    assert_eq!(codes(&[write(), atomic(AtomicMemCommand::SINGLE_PASS_ATOMIC)].concat()), ["SYN-20"]);
    // A packet that repeats until a compare passes waits for the memory it reads.
    assert_eq!(codes(&[write(), atomic(AtomicMemCommand::LOOP_UNTIL_COMPARE_SATISFIED)].concat()), [""; 0]);
}

#[test]
fn a_packet_of_an_unknown_size_may_do_anything() {
    for words in [raw_packet(Opcode::CONTEXT_REG_RMW, &[0x203, 0]), raw_packet(Opcode::COPY_DATA, &[0; 3]), raw_packet(Opcode::DRAW_INDEX_AUTO, &[3, 2, 0])] {
        let words = [set(8), words, one(&Nop {}.followed_by(&[0]))].concat();
        let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
        assert_eq!((state(&cp, Queue::Graphics), cp.memory(MEMORY)), (RegisterState::Loaded, None), "{words:x?}");
    }
}

#[test]
fn numbers_without_a_layout_leave_nothing_known_that_they_may_touch() {
    let mut seen = [0; 3];
    for gfx in Gfx::iter() {
        let chip = Chip::iter().find(|chip| chip.gfx() == gfx).expect("a chip of each generation");
        for opcode in (0..=255).map(Opcode).filter(|o| o.name(gfx).is_some() && formats().iter().all(|f| f.opcode(gfx) != Some(*o))) {
            let one = raw_packet(opcode, &[0; 4]);
            let effects = Reader::new(&one).flatten().next().expect("a packet").effects(gfx, Queue::Graphics);
            let anything = effects.iter().any(|e| e.action == Action::Anything);
            let registers = anything || effects.iter().any(|e| matches!(e.action, Action::UnknownWindow(_)));
            let memory = anything || effects.iter().any(|e| matches!(e.action, Action::Write { at: MemoryAddress::Unknown, .. }));
            let words = [set(8), one.clone()].concat();
            let (cp, _) = run(chip, Queue::Graphics, &words, &[]);
            let left = (state(&cp, Queue::Graphics) == RegisterState::Written(8), cp.memory(MEMORY) == Some(0));
            assert_eq!(left, (!registers, !memory), "{opcode} on {gfx}");
            seen = [seen[0] + usize::from(registers), seen[1] + usize::from(memory), seen[2] + usize::from(!registers && !memory)];
        }
    }
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

/// COND_EXEC on a dword of unknown value, over some packets.
fn perhaps(words: &[Vec<u32>]) -> Vec<u32> {
    let words = words.concat();
    [cond_exec(NOWHERE, words.len() as u32), words].concat()
}

#[test]
fn context_registers_that_may_have_been_kept_come_back_unknown() {
    let keep = || one(&ClearState { cmd: ClearStateCmd::PUSH_STATE });
    let back = one(&ClearState { cmd: ClearStateCmd::POP_STATE });
    let known = |words: &[u32]| run(N31, Queue::Graphics, words, &[]).0.registers(Queue::Graphics).value(DB_SHADER_CONTROL);
    assert_eq!(known(&[set(1), keep(), set(2), back.clone()].concat()), Some(1));
    assert_eq!(known(&[set(1), perhaps(&[keep()]), set(2), back.clone()].concat()), None);
    // Unseen packets may have kept others.
    assert_eq!(known(&[set(1), keep(), ib(NOWHERE, 8), set(2), back].concat()), None);
}

#[test]
fn a_range_within_a_range_ends_by_itself() {
    // Two registers are set under one condition; then a packet depends on another condition.
    let other = |value| streams::set(DB_SHADER_CONTROL + 4, &[value]);
    let (dst_sel, dst_addr) = (CopyDataDstSel::MEMORY, Some(MEMORY));
    let copy = one(&CopyData { src_reg_offset: Some(DB_SHADER_CONTROL / 4), dst_sel, dst_addr, ..Default::default() });
    let (pred_op, pred_bool) = (SetPredicationPredOp::VULKAN, SetPredicationPredBool::DRAW_IF_VISIBLE_OR_NO_OVERFLOW);
    let unknown = one(&SetPredication { pred_op, pred_bool, start_addr: NOWHERE, ..Default::default() });
    let words = [set(1), unknown, perhaps(&[set(2)]), predicated(other(3)), copy].concat();
    let mut cp = CommandProcessor::new(N31);
    cp.submit(Queue::Graphics, "main", &words);
    // Five packets: up to the predicated one, which directly follows the range.
    assert!(cp.run_until(pm4::cp::Stop::Packets(5), &mut ()).is_some());
    assert_eq!(cp.registers(Queue::Graphics).state(DB_SHADER_CONTROL), RegisterState::Loaded);
}

/// A skip of any length, including one that ends inside a packet: the packet may not have run. A skip of length 0 skips nothing.
#[test]
fn what_a_skip_touches_may_not_have_run() {
    for dwords in 0..=3 {
        let words = [set(1), cond_exec(NOWHERE, dwords), set(2)].concat();
        let (cp, errors) = run(N31, Queue::Graphics, &words, &[]);
        let codes: Vec<&str> = errors.iter().map(|(code, _)| *code).collect();
        // IB-06: the skip ends inside a packet.
        let (holds, found) = match dwords {
            0 => (RegisterState::Written(2), &[][..]),
            1 | 2 => (RegisterState::Loaded, &["IB-06"][..]),
            _ => (RegisterState::Loaded, &[][..]),
        };
        assert_eq!((state(&cp, Queue::Graphics), &codes[..]), (holds, found), "{dwords} dwords");
    }
}

#[test]
fn a_fence_before_what_is_not_seen_may_be_written_over() {
    // BOTTOM_OF_PIPE_TS: 1 at the end of the pipe. Then an unmapped buffer, which may write there as well.
    let fence = release(MEMORY, 1);
    for (words, errors) in [([fence.clone(), wait(2)].concat(), 1), ([fence, ib(NOWHERE, 8), wait(2)].concat(), 0)] {
        let (cp, found) = run(N31, Queue::Graphics, &words, &[]);
        assert_eq!(found.len(), errors, "{found:?}");
        assert_eq!(cp.memory(MEMORY).is_some(), errors == 1);
    }
}

#[test]
fn copies_that_overlap_what_they_read_leave_unknown_memory() {
    let dma = |src_addr, dst_addr| {
        let (src_sel, dst_sel) = (DmaDataSrcSel::SRC_ADDR_USING_L2, DmaDataDstSel::DST_ADDR_USING_L2);
        one(&DmaData { cp_sync: true, src_sel, src_addr, dst_sel, dst_addr, byte_count: 16, ..Default::default() })
    };
    let fill = streams::write(MEMORY, &[1, 2, 3, 4, 5, 6, 7, 8]);
    for (from, to, known) in [(MEMORY, MEMORY + 16, true), (MEMORY, MEMORY, true), (MEMORY, MEMORY + 4, false), (MEMORY + 8, MEMORY, false)] {
        let words = [fill.clone(), dma(from, to)].concat();
        let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
        assert_eq!(cp.memory(to), known.then_some(1), "from {from:#x} to {to:#x}");
    }
}

#[test]
fn a_range_that_is_loaded_across_the_end_of_its_window_is_unknown_beyond() {
    // LOAD_SH_REG_INDEX of 4 registers, the last two after the SH window.
    let words = [streams::set(0xBFF8, &[1, 2]), raw_packet(Opcode::LOAD_SH_REG_INDEX, &[MEMORY as u32, 0, 0x3FE, 4])].concat();
    let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
    assert_eq!([0xBFF8, 0xBFFC].map(|addr| cp.registers(Queue::Graphics).value(addr)), [Some(0), Some(0)]);
    let words = [streams::set(0xB000, &[7]), raw_packet(Opcode::LOAD_CONFIG_REG, &[MEMORY as u32, 0, 0xBFF, 2])].concat();
    let (update_load_enables, load_global_config, update_shadow_enables) = (true, true, true);
    let control = ContextControl { update_load_enables, load_global_config, update_shadow_enables, ..Default::default() };
    let control = [one(&control), words].concat();
    let (cp, _) = run(N31, Queue::Graphics, &control, &[]);
    assert_eq!(cp.registers(Queue::Graphics).value(0xB000), None);
}

/// LOAD_CONTEXT_REG while it is unknown whether CONTEXT_CONTROL enables it.
#[test]
fn a_context_register_that_may_have_been_loaded_counts_as_changed() {
    let load = |registers| raw_packet(Opcode::LOAD_CONTEXT_REG, &[MEMORY as u32, 0, 0x203, registers]);
    for (registers, changed) in [(1, &[DB_SHADER_CONTROL][..]), (2, &[DB_SHADER_CONTROL, DB_SHADER_CONTROL + 4]), (0, &[])] {
        let words = [ib(NOWHERE, 8), set(1), draw(), load(registers), draw()].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "main", &words);
        let log = Log::of(&mut cp);
        assert_eq!((&log.draws[1].changed[..], log.draws[1].roll.is_some()), (changed, registers > 0), "{registers} registers");
    }
}

/// SYN-30 is about waits that have never waited: memory mapped in the meantime ends this one.
#[test]
fn a_wait_that_has_waited_is_not_idle() {
    for mapped_before in [true, false] {
        let (waits, works) = (wait(1), nop().repeat(4));
        let mut cp = CommandProcessor::new(N31);
        assert!(cp.set_rule_level("SYN-30", RuleLevel::Warn));
        let mut log = Log::default();
        if mapped_before {
            cp.map("memory", MEMORY, &[1; 4]);
        }
        cp.submit(Queue::Graphics, "waits", &waits);
        cp.submit(Queue::Compute, "works", &works);
        assert!(cp.step(&mut log).is_some());
        assert_eq!(log.codes().contains(&"SYN-30"), mapped_before);
        if !mapped_before {
            cp.map("memory", MEMORY, &[1; 4]);
        }
        cp.run(&mut log);
        assert_eq!(log.codes().contains(&"SYN-30"), mapped_before, "{:?}", log.findings);
        assert!(!log.codes().contains(&"SYN-18"));
    }
}

/// SYN-30 is about waits that pass before anything has been written.
#[test]
fn memory_that_a_copy_may_have_changed_has_been_written() {
    let (src_sel, dst_sel) = (DmaDataSrcSel::SRC_ADDR_USING_L2, DmaDataDstSel::DST_ADDR_USING_L2);
    // The copy overlaps its source, in memory of the application.
    let copy = one(&DmaData { cp_sync: true, src_sel, src_addr: NOWHERE, dst_sel, dst_addr: NOWHERE + 4, byte_count: 16, ..Default::default() });
    for (before, idle) in [(nop(), true), (copy, false)] {
        let words = [before, wait(0)].concat();
        let mut cp = CommandProcessor::new(N31);
        assert!(cp.set_rule_level("SYN-30", RuleLevel::Warn));
        cp.map("memory", MEMORY, &[0; 4]);
        cp.submit(Queue::Graphics, "main", &words);
        assert_eq!(Log::of(&mut cp).codes().contains(&"SYN-30"), idle);
    }
}

#[test]
fn a_selected_instance_is_forgotten_where_anything_may_have_run() {
    // GRBM_GFX_INDEX selects one instance; a draw after it is a warning, unless unseen packets may have selected all of them.
    let select = streams::set(0x3_0800, &[1]);
    for (between, told) in [(nop(), true), (ib(NOWHERE, 16), false)] {
        let words = [select.clone(), between, draw()].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &words);
        assert_eq!(Log::of(&mut cp).codes().contains(&"REG-15"), told);
    }
}

#[test]
fn an_atomic_write_of_an_unknown_width_leaves_what_follows_unknown() {
    let words = one(&AtomicMem { atomic: AtomicMemAtomic::new(32), addr: MEMORY, src_data: 7, ..Default::default() });
    let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
    assert_eq!([0, 4, 8].map(|offset| cp.memory(MEMORY + offset)), [Some(7), None, Some(0)]);
}

#[test]
fn a_packet_that_writes_past_its_window_does_not_reach_the_next_one() {
    // The config window ends where the shader registers begin.
    let words = [streams::set(0xB000, &[7]), raw_packet(Opcode::SET_CONFIG_REG, &[0xBFF, 1, 2])].concat();
    let (cp, _) = run(N31, Queue::Graphics, &words, &[]);
    assert_eq!([0xAFFC, 0xB000].map(|addr| cp.registers(Queue::Graphics).value(addr)), [Some(1), Some(7)]);
}

#[test]
fn arguments_that_are_mapped_in_part_are_an_error() {
    // Three counts of groups; 64 dwords are mapped.
    for (offset, errors) in [(61, 0), (62, 1), (63, 1), (64, 0)] {
        let addr = MEMORY + 4 * offset;
        let words = [raw_packet(Opcode::SET_BASE, &[1, addr as u32, 0]), raw_packet(Opcode::DISPATCH_INDIRECT, &[0, 1])]
            .map(|packet| with_header(packet, |header| header.with_shader_type(ShaderType::Compute)))
            .concat();
        let (_, found) = run(N31, Queue::Graphics, &words, &[]);
        assert_eq!(found.iter().filter(|(code, _)| *code == "MEM-03").count(), errors, "{offset}: {found:?}");
    }
}

/// The order of mappings does not matter, before or after a run: among mappings that cover an address, the one that starts last counts.
#[test]
fn mappings_are_found_in_any_order() {
    let (low, high): (Vec<u32>, Vec<u32>) = ((0..16).collect(), (100..104).collect());
    for order in [[0, 1], [1, 0]] {
        let mut cp = CommandProcessor::new(N31);
        for which in order {
            match which {
                0 => cp.map("low", 0x1000, &low),
                _ => cp.map("high", 0x1010, &high),
            };
        }
        let found = |cp: &CommandProcessor<'_>| [0x1000, 0x100C, 0x1010, 0x101C, 0x1020, 0x103C, 0x1040].map(|addr| cp.memory(addr));
        let expected = [Some(0), Some(3), Some(100), Some(103), Some(8), Some(15), None];
        assert_eq!(found(&cp), expected, "{order:?}");
        cp.run(&mut ());
        assert_eq!(found(&cp), expected, "{order:?}, after a run");
    }
}

#[test]
fn a_base_that_may_have_changed_is_no_reason_for_an_error() {
    // SET_BASE 1 for compute, then perhaps another one; PFP reads the arguments that ME has just written.
    let base =
        |addr: u64| with_header(raw_packet(Opcode::SET_BASE, &[1, addr as u32, (addr >> 32) as u32]), |header| header.with_shader_type(ShaderType::Compute));
    let indirect = with_header(raw_packet(Opcode::DISPATCH_INDIRECT, &[0, 1]), |header| header.with_shader_type(ShaderType::Compute));
    let perhaps = |packet: Vec<u32>| [cond_exec(NOWHERE, packet.len() as u32), packet].concat();
    // The base of draws is a different one.
    let of_draws = raw_packet(Opcode::SET_BASE, &[1, MEMORY as u32 + 0x40, (MEMORY >> 32) as u32]);
    for (between, errors) in [(nop(), 1), (perhaps(base(MEMORY + 0x40)), 0), (perhaps(of_draws), 1)] {
        let words = [base(MEMORY), between, streams::write(MEMORY, &[1, 1, 1]), indirect.clone()].concat();
        let (_, found) = run(N31, Queue::Graphics, &words, &[]);
        assert_eq!(found.iter().filter(|(code, _)| *code == "SYN-20").count(), errors, "{found:?}");
    }
}

#[test]
fn registers_between_the_event_and_the_release_of_gfx9_part_them() {
    let words = streams::release_9(MEMORY);
    for (between, errors) in [(Vec::new(), 0), (nop(), 0), (set(1), 1)] {
        let words = [&words[..4], &between, &words[4..]].concat();
        let (_, found) = run(V, Queue::Graphics, &words, &[]);
        assert_eq!(found.iter().filter(|(code, _)| *code == "SYN-04").count(), errors, "{found:?}");
    }
}

/// Mesa names two events that may precede a timestamp on GFX9: ZPASS_DONE and PIXEL_PIPE_STAT_DUMP, which both dump the counters of the depth block. Model and
/// writer agree.
#[test]
fn either_dump_of_depth_counters_may_stand_before_a_release_of_gfx9() {
    let release = streams::release_9(MEMORY)[4..].to_vec();
    for (event, dumps) in
        [(Event::ZPASS_DONE, true), (Event::PIXEL_PIPE_STAT_DUMP, true), (Event::PIXEL_PIPE_STAT_CONTROL, false), (Event::SAMPLE_PIPELINESTAT, false)]
    {
        let words = [raw_packet(Opcode::EVENT_WRITE, &[u32::from(event.0) | 1 << 8, MEMORY as u32, (MEMORY >> 32) as u32]), release.clone()].concat();
        let (_, found) = run(V, Queue::Graphics, &words, &[]);
        assert_eq!(!found.iter().any(|(code, _)| *code == "SYN-04"), dumps, "{event:?}: {found:?}");
        if event != Event::PIXEL_PIPE_STAT_CONTROL {
            let mut writer = Writer::growable(Gfx::Gfx9, Queue::Graphics);
            writer.event_at(event, MEMORY).expect("a sample event");
            assert_eq!(writer.packet(Opcode::RELEASE_MEM, &release[1..]).is_ok(), dumps, "{event:?}");
        }
    }
}

/// Linux starts every submission with COND_EXEC, whose condition is in unmapped memory: writes of the packets may have happened.
#[test]
fn a_wait_for_what_a_conditional_packet_may_have_written_is_not_unsatisfied() {
    const FENCE: u64 = 0x80_0100;
    let wait = streams::wait(FENCE, 7);
    for write in [streams::write(FENCE, &[7]), streams::release(FENCE, 7)] {
        let conditional = [vec![0xC003_2200, 0x1000, 0, 0, (write.len() + wait.len()) as u32], write.clone(), wait.clone()].concat();
        let behind = [vec![0xC003_2200, 0x1000, 0, 0, write.len() as u32], write, wait.clone()].concat();
        for words in [conditional, behind] {
            let mut cp = CommandProcessor::new(N31);
            cp.submit_ring(pm4::cp::QueueId::GRAPHICS, "ring", None, &words);
            assert!(Log::of(&mut cp).findings.iter().all(|finding| finding.code != "SYN-18"), "{words:08x?}");
        }
    }
    let mut cp = CommandProcessor::new(N31);
    cp.submit_ring(pm4::cp::QueueId::GRAPHICS, "ring", None, &wait);
    assert!(Log::of(&mut cp).findings.iter().any(|finding| finding.code == "SYN-18"));
}
