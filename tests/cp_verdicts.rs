//! Verdicts that may be trusted: what the model says is wrong is wrong, and what it does not know it does not say.
#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx12"))]

#[path = "support/streams.rs"]
mod streams;

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, QueueId, Severity};
use pm4::packet::{Header, Opcode, Queue};
use streams::*;

#[derive(Default)]
struct Keep(Vec<Finding>);

impl Observer for Keep {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// Code and severity of the findings of a stream on a queue.
fn judged(chip: Chip, queue: Queue, words: &[u32]) -> Vec<(&'static str, Severity)> {
    let mut cp = CommandProcessor::new(chip);
    cp.submit(queue, "stream", words);
    told(&mut cp).iter().map(|finding| (finding.code, finding.severity)).collect()
}

fn told(cp: &mut CommandProcessor<'_>) -> Vec<Finding> {
    let mut keep = Keep::default();
    cp.run(&mut keep);
    keep.0
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

const NOPS: [u32; 16] = [Header::NOP1.0; 16];
const CALL: u32 = 1 << 23;

/// INDIRECT_BUFFER, with further bits of its control dword.
fn start(addr: u32, control: u32) -> Vec<u32> {
    packet(Opcode::INDIRECT_BUFFER, &[addr, 0, control])
}

mod rings {
    use super::*;

    fn run(chip: Chip, queue: QueueId, ring: &[u32], called: &[u32]) -> Vec<&'static str> {
        let mut cp = CommandProcessor::new(chip);
        cp.map("called", 0x1000, called);
        cp.map("nops", 0x2000, &NOPS);
        cp.submit_ring(queue, "ring", None, ring);
        codes(&told(&mut cp))
    }

    #[test]
    fn a_ring_starts_command_buffers_on_every_queue() {
        for queue in [QueueId::GRAPHICS, QueueId::COMPUTE] {
            let ring = start(0x1000, CALL | 16).repeat(3);
            assert!(run(N31, queue, &ring, &NOPS).is_empty(), "{queue}");
        }
    }

    #[test]
    fn command_buffers_that_a_ring_starts_have_the_calls_of_their_queue() {
        let (ring, called) = (start(0x1000, CALL | 8), [start(0x2000, CALL | 8), NOPS[..4].to_vec()].concat());
        assert!(run(N31, QueueId::GRAPHICS, &ring, &called).is_empty());
        assert_eq!(run(N31, QueueId::COMPUTE, &ring, &called), ["IB-02"]);
    }

    #[test]
    fn the_kernel_sets_the_vmid_and_starts_buffers_of_any_length() {
        let ring = start(0x1000, CALL | 3 << 24 | 5);
        assert!(run(N31, QueueId::COMPUTE, &ring, &NOPS).is_empty());
        assert!(run(N31, QueueId::GRAPHICS, &ring, &NOPS).is_empty());
        let mut cp = CommandProcessor::new(N31);
        cp.map("called", 0x1000, &NOPS);
        cp.submit(Queue::Graphics, "buffer", &ring);
        assert_eq!(codes(&told(&mut cp)), ["IB-05", "IB-07"]);
    }

    #[test]
    fn a_ring_writes_privileged_registers_and_its_command_buffers_do_not() {
        // A page-table base, and a register of the config window.
        let words = [write(0, 0x54F, 0, 1), packet(Opcode::SET_CONFIG_REG, &[0x10, 0])].concat();
        assert!(run(V, QueueId::GRAPHICS, &words, &NOPS).is_empty());
        assert_eq!(run(V, QueueId::GRAPHICS, &start(0x1000, CALL | 8), &words), ["REG-03", "REG-03"]);
    }

    #[test]
    fn pred_exec_does_nothing_in_a_ring() {
        // For another device: its span is skipped in a command buffer.
        let words = [packet(Opcode::PRED_EXEC, &[2 << 24 | 3]), draw(), NOPS[..3].to_vec()].concat();
        let mut cp = CommandProcessor::new(V);
        cp.submit_ring(QueueId::GRAPHICS, "ring", None, &words);
        let found = told(&mut cp);
        assert!(codes(&found).contains(&"IB-08"), "{found:?}");
        assert_eq!(cp.summary().draws, 1);
        let mut cp = CommandProcessor::new(V);
        cp.submit(Queue::Graphics, "buffer", &words);
        assert!(told(&mut cp).is_empty());
        assert_eq!(cp.summary().draws, 0);
    }
}

mod registers {
    use super::*;
    use Severity::{Error, Info, Warning};

    #[test]
    fn registers_outside_of_the_windows_of_user_mode_are_not_written() {
        for chip in [V, N10, N21, N31, N48] {
            // AMD's test of illegal accesses: a page-table base.
            assert_eq!(judged(chip, Queue::Graphics, &write(0, 0x54F, 0, 1)), [("REG-03", Error)], "{chip}");
            assert_eq!(judged(chip, Queue::Compute, &write(0, 0x54F, 0, 1)), [("REG-03", Error)], "{chip}");
            let copy = |select: u32, dword: u32| packet(Opcode::COPY_DATA, &[5 | select << 8, 1, 0, dword, 0]);
            assert_eq!(judged(chip, Queue::Graphics, &copy(0, 0x2340)), [("REG-03", Error)], "{chip}");
            // Performance counters may be privileged (thread traces of RADV).
            assert!(judged(chip, Queue::Graphics, &copy(4, 0x2340)).is_empty(), "{chip}");
            // An ordinary one.
            assert!(judged(chip, Queue::Graphics, &write(0, addr(chip, "GRBM_GFX_INDEX") / 4, 0, 0xE000_0000)).is_empty(), "{chip}");
        }
    }

    #[test]
    fn a_zero_inside_of_a_run_passes_over_a_gap() {
        // GFX10.3 has no register at 0x28018, GFX12 has DB_Z_INFO there.
        let run = |value: u32| set(0x28014, &[0, value, 0]);
        assert_eq!(judged(N21, Queue::Graphics, &run(0)), [("REG-02", Info)]);
        assert_eq!(judged(N21, Queue::Graphics, &run(1)), [("REG-02", Error)]);
        // Alone it is meant for something.
        assert_eq!(judged(N21, Queue::Graphics, &set(0x28018, &[0])), [("REG-02", Error)]);
        assert_eq!(judged(N31, Queue::Graphics, &set(0x28FFC, &[0])), [("REG-02", Warning)]);
    }

    #[test]
    fn depth_bounds_at_their_old_addresses_name_what_they_hit() {
        // PA_SC_VPORT_ZMIN_0 and on up to GFX11.5: clip planes on GFX12, up to a gap at element 13.
        let words: Vec<u32> = (0..14).flat_map(|i| set(0x282D0 + 8 * i, &[0])).collect();
        let mut cp = CommandProcessor::new(N48);
        cp.submit(Queue::Graphics, "stream", &words);
        let found = told(&mut cp);
        assert_eq!(codes(&found), ["REG-02"]);
        let note = &found[0].notes[0].text;
        assert!(note.contains("PA_SC_VPORT_ZMIN_13") && note.contains("hit 13 registers of gfx12, PA_CL_UCP_0_X to PA_CL_PROG_NEAR_CLIP_Z"), "{note}");
    }
}
