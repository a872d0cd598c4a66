//! The command-processor model: the effects of packets on registers, the targets of calls and chains, and termination on any input.
use crate::streams;
use crate::support;
use pm4::chip::Chip;
use pm4::cp::{Bank, CommandProcessor, DrawView, Finding, Observer, QueueId, RegisterState, Severity, Summary};
use pm4::packet::gfx11::{
    ClearState, ContextRegRmw, DispatchMeshDirect, DispatchTaskStateInit, LoadContextRegIndex, SetContextRegPairs, SetShRegPairs, SetShRegPairsPacked,
    SetShRegPairsPackedN,
};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::values::{AcquireMemPwsStageSel, ClearStateCmd};
use pm4::packet::{Header, IbKind, Opcode, PacketFields, Queue, Reader, ShaderType, Stream};
use streams::*;
use support::property;

const DB_SHADER_CONTROL: u32 = 0x2880C;
const COMPUTE_PGM_LO: u32 = 0xB830;
const SPI_SHADER_PGM_LO_PS: u32 = 0xB020;

/// Codes other than those that the short streams of these tests trip anyway: buffers of odd lengths, draws without state, purely numeric values.
fn told(log: &Log) -> Vec<(&'static str, Severity)> {
    let found = log.findings.iter().filter(|finding| !["IB-05", "STA-01", "STA-30", "REG-07", "REG-10"].contains(&finding.code));
    found.map(|finding| (finding.code, finding.severity)).collect()
}

fn stream(chip: Chip) -> Stream {
    Stream::growable(chip.gfx(), Queue::Graphics)
}

/// Runs one buffer of the graphics queue.
fn run(chip: Chip, words: &[u32]) -> (Log, Summary) {
    let mut cp = CommandProcessor::new(chip);
    cp.submit(Queue::Graphics, "main", words);
    let mut log = Log::default();
    let summary = cp.run(&mut log);
    (log, summary)
}

fn codes(chip: Chip, words: &[u32]) -> Vec<&'static str> {
    told(&run(chip, words).0).iter().map(|(code, _)| *code).collect()
}

#[test]
fn a_draw_sees_the_registers_before_it() {
    for chip in Chip::all() {
        let control = pm4::regs::find(chip.gfx(), "DB_EQAA").expect("every generation has it").addr();
        let mut s = stream(chip);
        s.set_reg(control, 1).unwrap();
        s.draw_index_auto(3, DrawInitiator::AUTO_INDEX).unwrap();
        s.set_reg(control, 2).unwrap();
        s.draw_index_auto(3, DrawInitiator::AUTO_INDEX).unwrap();

        struct Eqaa(u32, Vec<(Option<u32>, Option<u32>)>);
        impl Observer for Eqaa {
            fn draw(&mut self, view: &DrawView<'_>) {
                self.1.push((view.value(self.0), view.origin(self.0).map(|o| o.place.dword)));
            }
        }
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "main", s.words());
        let mut seen = Eqaa(control, Vec::new());
        cp.run(&mut seen);
        assert_eq!(seen.1, [(Some(1), Some(0)), (Some(2), Some(6))], "{chip}");
    }
}

mod on_navi31 {
    use super::*;

    const CHIP: Chip = Chip::Navi31;

    #[test]
    fn runs_and_pairs_all_land_in_the_same_file() {
        let offset = 0x203; // DB_SHADER_CONTROL
        let forms = [set(DB_SHADER_CONTROL, &[7]), one(&SetContextRegPairs {}.followed_by(&[0x200, 1, offset, 7])), packed(&[(0x200, 1), (offset, 7)])];
        for form in forms {
            let (log, summary) = run(CHIP, &[form.clone(), draw()].concat());
            assert_eq!(log.shader_controls(), [Some(7)], "{form:x?}");
            assert_eq!(summary.packets, 2);
        }
        let (spi, compute) = ((sh(SPI_SHADER_PGM_LO_PS), 3), (sh(COMPUTE_PGM_LO), 4));
        let (reg_writes_count, groups) = (2, packed_groups(&[spi, compute]));
        let forms = [
            one(&SetShRegPairs {}.followed_by(&[spi.0, spi.1, compute.0, compute.1])),
            one(&SetShRegPairsPacked { reg_writes_count }.followed_by(&groups)),
            one(&SetShRegPairsPackedN { reg_writes_count }.followed_by(&groups)),
        ];
        for form in forms {
            let mut cp = CommandProcessor::new(CHIP);
            cp.submit(Queue::Graphics, "main", &form);
            cp.run(&mut ());
            let registers = cp.registers(Queue::Graphics);
            assert_eq!(registers.written(Bank::Sh).collect::<Vec<_>>(), [(SPI_SHADER_PGM_LO_PS, 3)], "{form:x?}");
            assert_eq!(registers.written(Bank::ShCompute).collect::<Vec<_>>(), [(COMPUTE_PGM_LO, 4)], "{form:x?}");
        }
    }

    #[test]
    fn clear_state_forgets_context_registers_and_gives_defaults() {
        let words = [set(DB_SHADER_CONTROL, &[7]), set(SPI_SHADER_PGM_LO_PS, &[5]), one(&ClearState::default())].concat();
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ());
        let registers = cp.registers(Queue::Graphics);
        assert_eq!(registers.state(DB_SHADER_CONTROL), RegisterState::Cleared(0));
        assert_eq!(registers.state(0x28238), RegisterState::Cleared(0xFFFF_FFFF), "CB_TARGET_MASK");
        assert_eq!(registers.origin(DB_SHADER_CONTROL), None);
        assert_eq!(registers.written(Bank::Context).count(), 0);
        assert_eq!(registers.state(SPI_SHADER_PGM_LO_PS), RegisterState::Written(5));
    }

    #[test]
    fn clear_state_push_and_pop_restore() {
        let state = |cmd| one(&ClearState { cmd });
        let (push, pop) = (ClearStateCmd::PUSH_CLEAR_STATE, ClearStateCmd::POP_STATE);
        let (log, _) = run(CHIP, &[set(DB_SHADER_CONTROL, &[7]), state(push), draw(), set(DB_SHADER_CONTROL, &[9]), state(pop), draw()].concat());
        assert_eq!(log.shader_controls(), [Some(0), Some(7)]);
    }

    #[test]
    fn read_modify_write_changes_the_masked_bits() {
        let modify = |reg_mask, reg_data| one(&ContextRegRmw { reg_offset: 0x203, reg_mask, reg_data });
        let (log, _) = run(CHIP, &[set(DB_SHADER_CONTROL, &[0xFF]), modify(0xF0, 0x5A), draw()].concat());
        assert_eq!(log.shader_controls(), [Some(0x5F)]);
        // Without a known value the result is unknown, unless all bits are replaced.
        let (log, _) = run(CHIP, &[modify(0xF0, 0x50), draw(), modify(u32::MAX, 3), draw()].concat());
        assert_eq!(log.shader_controls(), [None, Some(3)]);
        // The write must not reach other windows: this offset would be the start of the user configuration.
        let mut cp = CommandProcessor::new(CHIP);
        let words = raw_packet(Opcode::CONTEXT_REG_RMW, &[0x2000, u32::MAX, 1]);
        cp.submit(Queue::Graphics, "main", &words);
        assert_eq!(cp.run(&mut ()).errors, 1);
        assert_eq!(cp.registers(Queue::Graphics).written(Bank::Uconfig).count(), 0);
    }

    #[test]
    fn registers_loaded_from_memory_are_unknown_until_written() {
        let load = one(&LoadContextRegIndex { mem_addr: Some(0x1000), ..Default::default() }.followed_by(&[0x203, 1]));
        let (log, _) = run(CHIP, &[set(DB_SHADER_CONTROL, &[7]), load, draw(), set(DB_SHADER_CONTROL, &[8]), draw()].concat());
        assert_eq!(log.shader_controls(), [None, Some(8)]);
    }

    #[test]
    fn write_data_reaches_registers_by_absolute_address() {
        let words = write_register(0x3_0908, 4);
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Graphics, "main", &words);
        cp.run(&mut ());
        assert_eq!(cp.registers(Queue::Graphics).value(0x3_0908), Some(4));
    }

    #[test]
    fn queues_have_registers_of_their_own() {
        let (gfx, compute) = (set(COMPUTE_PGM_LO, &[1]), set(COMPUTE_PGM_LO, &[2]));
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Graphics, "gfx", &gfx);
        cp.submit(Queue::Compute, "compute", &compute);
        cp.run(&mut ());
        assert_eq!(cp.registers(Queue::Graphics).value(COMPUTE_PGM_LO), Some(1));
        assert_eq!(cp.registers(Queue::Compute).value(COMPUTE_PGM_LO), Some(2));
    }

    #[test]
    fn predicated_draws_are_executed_and_marked() {
        let (log, summary) = run(CHIP, &[draw(), predicated(draw())].concat());
        assert_eq!(log.draws.iter().map(|draw| draw.predicated).collect::<Vec<_>>(), [false, true]);
        assert_eq!(summary.draws, 2);
    }

    #[test]
    fn mesh_packets_are_draws_and_task_packets_dispatches() {
        let words = [one(&DispatchMeshDirect { dim_x: 1, dim_y: 1, dim_z: 1, ..Default::default() }), dispatch(), one(&DispatchTaskStateInit::default())];
        let (_, summary) = run(CHIP, &words.concat());
        assert_eq!((summary.draws, summary.dispatches), (1, 1));
    }

    #[test]
    fn the_first_context_write_after_a_draw_rolls() {
        let shader = set(SPI_SHADER_PGM_LO_PS, &[5]);
        let rolls = |parts: &[Vec<u32>]| run(CHIP, &parts.concat()).1.context_rolls;
        assert_eq!(rolls(&[set(DB_SHADER_CONTROL, &[1]), draw(), draw()]), 0);
        assert_eq!(rolls(&[draw(), set(DB_SHADER_CONTROL, &[1]), set(0x28810, &[1]), draw()]), 1);
        assert_eq!(rolls(&[draw(), set(DB_SHADER_CONTROL, &[1]), draw(), set(DB_SHADER_CONTROL, &[1]), draw()]), 2, "a redundant write rolls too");
        assert_eq!(rolls(&[draw(), shader, draw()]), 0);
        assert_eq!(rolls(&[draw(), acquire(), draw()]), 1);
        assert_eq!(rolls(&[draw(), one(&pixel_wait(AcquireMemPwsStageSel::CP_ME)), draw()]), 0, "a pixel wait sync does not");
    }

    #[test]
    fn nop_bodies_are_never_interpreted() {
        let (log, summary) = run(CHIP, &[Header::NOP1.0, 0xC001_1000, 0x0000_0001, 0x4000_0000, Header::NOP1.0]);
        assert!(told(&log).is_empty());
        assert_eq!(summary.packets, 3);
    }

    #[test]
    fn calls_return_and_chains_do_not() {
        let called = set(DB_SHADER_CONTROL, &[7]);
        let chained = [draw(), set(DB_SHADER_CONTROL, &[9]), draw()].concat();
        let main = [ib(0xFFFF_8000_0000_1000, called.len() as u32), draw(), chain(0x2000, chained.len() as u32)].concat();
        let mut cp = CommandProcessor::new(CHIP);
        // Captured addresses are sign-extended from bit 47; only 48 bits count.
        cp.map("called", 0x8000_0000_1000, &called);
        cp.map("chained", 0xFFFF_0000_0000_2000, &chained);
        cp.submit(Queue::Graphics, "main", &main);
        let mut log = Log::default();
        let summary = cp.run(&mut log);
        assert_eq!(log.shader_controls(), [Some(7), Some(7), Some(9)]);
        assert!(told(&log).is_empty(), "{:?}", log.findings);
        assert_eq!(summary.packets, 7);
        // Provenance names the buffer of the packet and its position there.
        let origin = cp.registers(Queue::Graphics).origin(DB_SHADER_CONTROL).unwrap();
        assert_eq!((cp.buffer(origin.place.buffer).unwrap().name, origin.place.dword, origin.packet), ("chained", 3, 5));
    }

    #[test]
    fn a_call_into_the_middle_of_a_mapping_counts_from_its_start() {
        let memory = [set(DB_SHADER_CONTROL, &[1]), set(DB_SHADER_CONTROL, &[2])].concat();
        let main = [ib(0x1000 + 12, 3), draw()].concat();
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("memory", 0x1000, &memory);
        cp.submit(Queue::Graphics, "main", &main);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(log.shader_controls(), [Some(2)]);
        assert_eq!(cp.registers(Queue::Graphics).origin(DB_SHADER_CONTROL).unwrap().place.dword, 3);
    }

    #[test]
    fn buffers_that_run_themselves_end_with_a_finding() {
        let itself = chain(0x1000, 4);
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit_at(Queue::Graphics, "itself", 0x1000, &itself);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(told(&log), [("IB-02", Severity::Error)]);

        // Two buffers that chain to each other.
        let (a, b) = (chain(0x2000, 4), chain(0x1000, 4));
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("b", 0x2000, &b);
        cp.submit_at(Queue::Graphics, "a", 0x1000, &a);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(told(&log), [("IB-02", Severity::Error)]);

        // Two buffers that call each other.
        let (a, b) = (ib(0x2000, 4), ib(0x1000, 4));
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("b", 0x2000, &b);
        cp.submit_at(Queue::Graphics, "a", 0x1000, &a);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(told(&log), [("IB-02", Severity::Error)]);
    }

    #[test]
    fn graphics_calls_one_level_and_compute_none() {
        let inner = draw();
        let middle = ib(0x2000, 3);
        let outer = ib(0x1000, 4);
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("middle", 0x1000, &middle);
        cp.map("inner", 0x2000, &inner);
        cp.submit(Queue::Graphics, "outer", &outer);
        let mut log = Log::default();
        assert_eq!(cp.run(&mut log).draws, 0);
        assert_eq!(told(&log), [("IB-02", Severity::Error)]);

        // A model of firmware with two levels.
        let mut cp = CommandProcessor::new(CHIP);
        cp.max_depth(2);
        cp.map("middle", 0x1000, &middle);
        cp.map("inner", 0x2000, &inner);
        cp.submit(Queue::Graphics, "outer", &outer);
        let mut log = Log::default();
        assert_eq!(cp.run(&mut log).draws, 1);
        assert_eq!(told(&log), []);

        let mut cp = CommandProcessor::new(CHIP);
        cp.map("inner", 0x2000, &inner);
        // The writer knows that a compute queue has no calls.
        let call = raw_packet(Opcode::INDIRECT_BUFFER, &[0x2000, 0, 3 | 1 << 23]);
        cp.submit(Queue::Compute, "middle", &call);
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(told(&log), [("IB-02", Severity::Error)]);
    }

    #[test]
    fn the_same_buffer_may_be_called_again_and_again() {
        let called = draw();
        let main = [ib(0x1000, 3), ib(0x1000, 3)].concat();
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("called", 0x1000, &called);
        cp.submit(Queue::Graphics, "main", &main);
        let mut log = Log::default();
        assert_eq!(cp.run(&mut log).draws, 2);
        assert!(told(&log).is_empty());
    }

    #[test]
    fn work_is_bounded() {
        let called: Vec<u32> = vec![Header::NOP1.0; 1000];
        let main = ib(0x1000, 1000).repeat(1000);
        let mut cp = CommandProcessor::new(CHIP);
        cp.max_dwords(10_000);
        cp.map("called", 0x1000, &called);
        cp.submit(Queue::Graphics, "main", &main);
        let mut log = Log::default();
        let summary = cp.run(&mut log);
        assert_eq!(told(&log), [("RUN-01", Severity::Error)]);
        assert!(summary.packets <= 10_000);
        // A stream that ends exactly at the limit has been checked as a whole.
        let mut cp = CommandProcessor::new(CHIP);
        cp.max_dwords(1000);
        cp.submit(Queue::Graphics, "called", &called);
        assert_eq!(cp.run(&mut ()).errors, 0);
    }

    #[test]
    fn encoding_mistakes_are_found() {
        assert_eq!(codes(CHIP, &[0xC003_6900, 0x203, 1]), ["ENC-01"]);
        assert!(codes(CHIP, &set(DB_SHADER_CONTROL, &[1])).is_empty());
        assert_eq!(codes(CHIP, &[0x0000_1234, 0]), ["ENC-04"]);
        assert_eq!(codes(CHIP, &[0x4000_0000]), ["ENC-04"]);
        assert_eq!(told(&run(CHIP, &[Header::FILLER.0]).0), [("ENC-05", Severity::Info)]);
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Compute, "main", &[0x8000_0000]);
        assert_eq!(cp.run(&mut ()).warnings, 1, "type 2 on a compute queue");
    }

    #[test]
    fn writes_beyond_the_window_are_one_finding_per_packet() {
        let beyond = raw_packet(Opcode::SET_CONTEXT_REG, &[0x400, 1, 2, 3]);
        assert_eq!(codes(CHIP, &beyond), ["REG-01"]);
        assert_eq!(codes(CHIP, &raw_packet(Opcode::SET_SH_REG, &[0x400, 1])), ["REG-01"]);
        assert!(codes(CHIP, &set(DB_SHADER_CONTROL, &[1])).is_empty());
    }

    #[test]
    fn writes_without_a_register_are_found() {
        // 0x28038 was DB_DFSM_CONTROL until GFX10.3; GFX11 has nothing there.
        assert_eq!(told(&run(CHIP, &set(0x28038, &[2])).0), [("REG-02", Severity::Error)]);
        // No POPS register was ever at this address.
        let lonely = (0x28000..0x29000)
            .step_by(4)
            .find(|addr| pm4::regs::lookup(CHIP.gfx(), *addr).is_none() && !matches!(addr, 0x28018 | 0x28038 | 0x2806C | 0x28650 | 0x28654))
            .unwrap();
        assert_eq!(told(&run(CHIP, &set(lonely, &[2])).0), [("REG-02", Severity::Warning)]);
    }

    #[test]
    fn indirect_buffer_mistakes_are_found() {
        let memory = [Header::NOP1.0; 4];
        let check = |queue, words: &[u32], closed: bool| {
            let mut cp = CommandProcessor::new(CHIP);
            cp.closed_memory(closed).map("memory", 0x1000, &memory);
            cp.submit(queue, "main", words);
            let mut log = Log::default();
            cp.run(&mut log);
            told(&log)
        };
        use Queue::{Compute, Graphics};
        assert_eq!(check(Graphics, &ib(0x1000, 4), false), []);
        assert_eq!(check(Graphics, &[chain(0x1000, 4), draw()].concat(), false), [("IB-01", Severity::Error)]);
        assert_eq!(check(Graphics, &[chain(0x1000, 4), vec![Header::NOP1.0; 3]].concat(), false), [], "padding may follow");
        assert_eq!(check(Graphics, &empty_ib(), false), [("IB-03", Severity::Error)]);
        assert_eq!(check(Compute, &chain(0x1000, 4), false), [("IB-04", Severity::Error)]);
        assert_eq!(check(Compute, &chain_compute(0x1000, 4), false), []);
        assert_eq!(check(Graphics, &ib(0x9000, 4), false), [("MEM-03", Severity::Info)]);
        assert_eq!(check(Graphics, &ib(0x9000, 4), true), [("MEM-03", Severity::Error)]);
        assert_eq!(check(Graphics, &ib(0x1000, 8), false), [("MEM-03", Severity::Info)], "the mapping ends too early");
    }

    /// A stream in pieces of this many dwords, and a buffer of NOPs that is the target of a chain.
    fn fed_in_pieces(words: &[u32], piece: usize) -> Log {
        let memory = [Header::NOP1.0; 4];
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("memory", 0x1000, &memory);
        let stream = cp.begin(QueueId::GRAPHICS, "main");
        let mut log = Log::default();
        for words in words.chunks(piece) {
            cp.feed(stream, words, &mut log);
        }
        cp.finish(stream, &mut log);
        log
    }

    /// One packet other than padding, among 64 packets after a chain, is found in one piece or many.
    #[test]
    fn packets_behind_a_chain_are_looked_for_among_64() {
        for padding in [0, 1, 62, 63, 64, 65, 200] {
            let words = [chain(0x1000, 4), vec![Header::NOP1.0; padding], draw(), vec![Header::NOP1.0; 100], draw()].concat();
            let wanted = if padding < 64 { vec![("IB-01", Severity::Error)] } else { vec![] };
            for piece in [words.len(), 1, 2, 5, 63, 64, 65, 67, 68, 69] {
                let log = fed_in_pieces(&words, piece);
                assert_eq!(told(&log), wanted, "{padding} packets of padding, pieces of {piece} dwords");
            }
        }
    }

    /// A chain that a condition may skip has packets after it, in one piece or many. The first skip here ends inside a NOP: its body runs, and the packet at
    /// the
    /// end of that body extends past it, possibly into the next piece.
    #[test]
    fn a_chain_that_may_be_skipped_has_packets_after_it_wherever_the_stream_is_cut() {
        let (inner, chain) = (raw_packet(Opcode::NOP, &[Header::NOP1.0; 6]), chain(0x1000, 4));
        for skipped in [0, inner.len(), inner.len() + chain.len()] {
            let condition = if skipped > 0 { cond_exec(ADDR, skipped as u32) } else { vec![] };
            // PRED_EXEC for another device, over the header of the NOP; two dwords of the inner packet are after it.
            let words = [condition, inner.clone()].concat();
            let (body, rest) = words.split_at(words.len() - 2);
            let words = [&[0xC000_2300, 1], &raw_packet(Opcode::NOP, body)[..], rest, &chain, &draw()].concat();
            let wanted = if skipped > inner.len() { vec!["IB-06"] } else { vec!["IB-06", "IB-01"] };
            for piece in 1..=words.len() {
                let log = fed_in_pieces(&words, piece);
                assert_eq!(log.errors(), wanted, "{skipped} dwords that may be skipped, pieces of {piece} dwords: {:?}", log.findings);
            }
        }
    }

    /// A conditional span belongs to its stream: packets of another stream between its pieces do not end it.
    #[test]
    fn a_span_ends_in_the_stream_where_it_began() {
        let span = |dwords: u32| [vec![0xC000_2300, 1 << 24 | dwords], draw(), draw()].concat();
        let other = [vec![Header::NOP1.0], draw(), draw()].concat();
        for (dwords, wanted) in [(3, vec![]), (6, vec![]), (4, vec![("IB-06", Severity::Error)])] {
            let words = span(dwords);
            let mut cp = CommandProcessor::new(CHIP);
            let [first, second] = ["first", "second"].map(|name| cp.begin(QueueId::GRAPHICS, name));
            let mut log = Log::default();
            cp.feed(first, &words[..2], &mut log);
            cp.feed(second, &other, &mut log);
            cp.feed(first, &words[2..], &mut log);
            cp.finish(first, &mut log);
            cp.finish(second, &mut log);
            assert_eq!(told(&log), wanted, "{dwords} dwords");
        }
    }

    /// For a part of a stream, earlier state is unknown, on existing queues and on queues added later.
    #[test]
    fn a_queue_that_is_added_later_knows_the_same_about_earlier_state() {
        let states = [false, true].map(|partial| {
            let mut cp = CommandProcessor::new(CHIP);
            if partial {
                cp.partial();
            }
            let of = |cp: &CommandProcessor<'_>, queue| [0x2_880C, 0xB900, 0x3_0908].map(|addr| cp.registers_of(queue).expect("a queue").state(addr));
            let later = cp.add_compute_queue();
            assert_eq!(of(&cp, later), of(&cp, QueueId::COMPUTE), "partial: {partial}");
            of(&cp, later)
        });
        assert_ne!(states[0], states[1]);
    }

    #[test]
    fn every_finding_names_what_it_is_about() {
        struct Complete;
        impl Observer for Complete {
            fn finding(&mut self, finding: &Finding) {
                assert!(!finding.message.is_empty() && !finding.source.is_empty());
                assert_eq!(pm4::cp::rules::find(finding.code).expect("a rule").source, finding.source);
            }
        }
        let words = [raw_packet(Opcode::SET_CONTEXT_REG, &[0x400, 1]), set(0x28038, &[2]), vec![0], draw(), chain(0x9000, 4)].concat();
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Graphics, "main", &words);
        assert!(cp.run(&mut Complete).errors > 0);
    }

    /// Both observers of a pair are notified when another queue runs, each time before its packets.
    #[test]
    fn both_observers_of_a_pair_are_told_which_queue_runs() {
        #[derive(Default)]
        struct Queues(Vec<QueueId>);
        impl Observer for Queues {
            fn queue_changed(&mut self, queue: QueueId) {
                self.0.push(queue);
            }
        }
        let words = set(DB_SHADER_CONTROL, &[7]);
        let nops = raw_packet(Opcode::NOP, &[0]);
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Graphics, "graphics", &words);
        cp.submit(Queue::Compute, "compute", &nops);
        let mut pair = (Queues::default(), Queues::default());
        cp.run(&mut pair);
        assert_eq!(pair.0.0, pair.1.0);
        assert!([QueueId::GRAPHICS, QueueId::COMPUTE].iter().all(|queue| pair.0.0.contains(queue)), "{:?}", pair.0.0);
    }

    #[test]
    fn several_runs_go_on_with_the_registers_of_the_last() {
        let (first, second) = (set(DB_SHADER_CONTROL, &[7]), draw());
        let mut cp = CommandProcessor::new(CHIP);
        cp.submit(Queue::Graphics, "first", &first);
        cp.run(&mut ());
        cp.submit(Queue::Graphics, "second", &second);
        let mut log = Log::default();
        assert_eq!(cp.run(&mut log).packets, 2);
        assert_eq!(log.shader_controls(), [Some(7)]);
    }

    #[test]
    fn the_writer_and_the_model_agree_on_calls() {
        let mut called = stream(CHIP);
        called.set_reg(DB_SHADER_CONTROL, 5).unwrap();
        let mut main = stream(CHIP);
        main.indirect_buffer(IbKind::Call, 0x1000, called.len() as u32).unwrap();
        main.draw_index_auto(3, DrawInitiator::AUTO_INDEX).unwrap();
        let mut cp = CommandProcessor::new(CHIP);
        cp.map("called", 0x1000, called.words());
        cp.submit(Queue::Graphics, "main", main.words());
        let mut log = Log::default();
        cp.run(&mut log);
        assert_eq!(log.shader_controls(), [Some(5)]);
    }
}

#[test]
fn radv_writes_of_0x30900_on_gfx9_have_severity_info() {
    let words = set(0x30900, &[0]);
    assert_eq!(told(&run(Chip::Vega10, &words).0), [("REG-02", Severity::Info)]);
}

/// Words that resemble packets: headers of known opcodes with small bodies, sometimes a wrong count, and noise.
fn plausible(seeds: &[(u8, u8, u32)]) -> Vec<u32> {
    let opcodes = [
        Opcode::NOP,
        Opcode::SET_CONTEXT_REG,
        Opcode::SET_SH_REG,
        Opcode::SET_UCONFIG_REG,
        Opcode::SET_CONTEXT_REG_PAIRS_PACKED,
        Opcode::SET_SH_REG_PAIRS_PACKED,
        Opcode::SET_SH_REG_PAIRS,
        Opcode::CONTEXT_REG_RMW,
        Opcode::CLEAR_STATE,
        Opcode::INDIRECT_BUFFER,
        Opcode::DRAW_INDEX_AUTO,
        Opcode::DISPATCH_DIRECT,
        Opcode::LOAD_CONTEXT_REG_INDEX,
        Opcode::WRITE_DATA,
        Opcode::COPY_DATA,
        Opcode::ACQUIRE_MEM,
    ];
    let mut words = Vec::new();
    for (kind, size, value) in seeds {
        if *kind == 255 {
            words.push(*value);
            continue;
        }
        let opcode = opcodes[usize::from(*kind) % opcodes.len()];
        let size = if opcode == Opcode::INDIRECT_BUFFER { 3 } else { usize::from(*size % 8) + 1 };
        words.push(Header::type3(opcode, size).0 | value >> 29 & 7);
        // Offsets and addresses that hit existing targets.
        words.extend((0..size as u32).map(|i| match i {
            0 => value & 0x7FF,
            2 if opcode == Opcode::INDIRECT_BUFFER => value & 0x90_00FF,
            1 if opcode == Opcode::INDIRECT_BUFFER => 0,
            _ => value.rotate_left(i * 7),
        }));
    }
    words
}

#[test]
fn models_and_what_they_say_go_to_other_threads() {
    fn goes<T: Send + Sync>() {}
    goes::<CommandProcessor<'static>>();
    goes::<Finding>();
    goes::<Summary>();
    goes::<RegisterState>();
}

fn any_chip(index: u8) -> Chip {
    Chip::all().nth(usize::from(index) % Chip::all().count()).expect("a chip")
}

#[test]
fn any_words_end_without_a_panic() {
    fn ends(chip: u8, noise: Vec<u32>, seeds: Vec<(u8, u8, u32)>) -> bool {
        let words = [plausible(&seeds), noise].concat();
        let mut cp = CommandProcessor::new(any_chip(chip));
        cp.max_dwords(100_000);
        cp.submit_at(Queue::Graphics, "main", 0, &words);
        cp.submit_at(Queue::Compute, "compute", 0, &words);
        let summary = cp.run(&mut Log::default());
        summary.packets <= 200_000
    }
    property("any words end", 300, ends as fn(u8, Vec<u32>, Vec<(u8, u8, u32)>) -> bool);
}

#[test]
fn a_stream_cut_at_packet_boundaries_gives_the_same_registers() {
    fn same(chip: u8, seeds: Vec<(u8, u8, u32)>, cuts: Vec<bool>) -> bool {
        let words = plausible(&seeds);
        let ends: Vec<usize> = Reader::new(&words).flatten().map(|p| p.offset + p.dwords()).collect();
        let chosen = ends.iter().zip(cuts.iter().chain(std::iter::repeat(&false))).filter(|(_, cut)| **cut).map(|(end, _)| *end);
        let bounds: Vec<usize> = std::iter::once(0).chain(chosen).chain([words.len()]).collect();
        // Without memory there are no calls: the pieces run as one stream.
        let mut whole = CommandProcessor::new(any_chip(chip));
        whole.submit(Queue::Graphics, "whole", &words);
        let mut parts = CommandProcessor::new(any_chip(chip));
        for pair in bounds.windows(2) {
            parts.submit(Queue::Graphics, "part", &words[pair[0]..pair[1]]);
        }
        let (mut a, mut b) = (Log::default(), Log::default());
        let (a_summary, b_summary) = (whole.run(&mut a), parts.run(&mut b));
        let registers = |cp: &CommandProcessor<'_>| Bank::ALL.map(|bank| cp.registers(Queue::Graphics).written(bank).collect::<Vec<_>>());
        let chains = words.windows(4).any(|w| Header(w[0]).opcode() == Opcode::INDIRECT_BUFFER && w[3] >> 20 & 1 == 1);
        chains || (registers(&whole) == registers(&parts) && a.shader_controls() == b.shader_controls() && a_summary.draws == b_summary.draws)
    }
    property("cutting changes nothing", 300, same as fn(u8, Vec<(u8, u8, u32)>, Vec<bool>) -> bool);
}

#[test]
fn compute_registers_are_known_by_address_not_by_the_header() {
    for chip in Chip::all() {
        for shader_type in [ShaderType::Graphics, ShaderType::Compute] {
            let words = with_header(set(COMPUTE_PGM_LO, &[9]), |header| header.with_shader_type(shader_type));
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "main", &words);
            cp.run(&mut ());
            assert_eq!(cp.registers(Queue::Graphics).written(Bank::ShCompute).collect::<Vec<_>>(), [(COMPUTE_PGM_LO, 9)], "{chip}");
            assert_eq!(cp.registers(Queue::Graphics).written(Bank::Sh).count(), 0, "{chip}");
        }
    }
}
