//! Correct verdicts: what the model reports as wrong is wrong, and it reports nothing that it cannot know.
use crate::streams;
use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Finding, FirmwareVersions, Interest, ModelAccess, Observer, QueueId, Severity, WorkCall};
use pm4::draw::{DrawDesc, PipelineDesc, PixelShader, Program, VertexStage};
use pm4::packet::gfx11::{
    ContextControl, CopyData, DispatchIndirect, DispatchTaskmeshDirectAce, DispatchTaskmeshGfx, DispatchTaskmeshIndirectMultiAce, DmaData, DrawIndex2,
    DrawIndirect, EventWriteZpass, LoadContextReg, LoadContextRegIndex, NumInstances, PredExec, Rewind, SetBase, WaitRegMem, WaitRegMem64, WriteData,
};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::values::{CopyDataDstSel, CopyDataSrcSel, EngineSel, Sas, SetBaseBaseIndex, WrConfirm};
use pm4::packet::{Event, Header, Opcode, PacketFields, Queue, ShaderType};
use pm4::regs::{self, RegisterInfo, Space};
use streams::*;
use strum::IntoEnumIterator;

/// Code and severity of the findings of a stream on a queue.
fn judged(chip: Chip, queue: Queue, words: &[u32]) -> Vec<(&'static str, Severity)> {
    let mut cp = CommandProcessor::new(chip);
    cp.submit(queue, "stream", words);
    told(&mut cp).iter().map(|finding| (finding.code, finding.severity)).collect()
}

fn told(cp: &mut CommandProcessor<'_>) -> Vec<Finding> {
    Log::of(cp).findings
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

/// Mistakes that people have made by hand, in an operating system and in a runtime: each finding says which word is right.
#[test]
fn registers_of_the_owner_and_misplaced_resources_are_found_with_the_right_word() {
    let find = |chip: Chip, code: &str, words: &[u32]| {
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Compute, "stream", words);
        let found = told(&mut cp).into_iter().find(|finding| finding.code == code);
        found.map(|finding| (finding.severity, finding.help.as_deref().unwrap_or_default().to_owned()))
    };
    for chip in Chip::all() {
        let gfx = chip.gfx();
        // What saves and restores waves is left to the kernel.
        for name in ["COMPUTE_RELAUNCH", "COMPUTE_RELAUNCH2", "COMPUTE_WAVE_RESTORE_ADDR_LO", "COMPUTE_WAVE_RESTORE_ADDR_HI"] {
            let Some(register) = regs::find(gfx, name) else { continue };
            let (severity, help) = find(chip, "REG-16", &set(register.addr(), &[0x1234])).unwrap_or_else(|| panic!("{name} on {chip}"));
            assert!(severity == Severity::Warning && help.starts_with(&format!("leave {name} to the kernel")), "{name} on {chip}: {help}");
            assert_eq!(find(chip, "REG-16", &set(register.addr(), &[0])), None, "{name} on {chip} is cleared by preambles");
        }
        // No compute unit of the first engine, and none at all before a dispatch.
        let engines = if gfx.major() == 9 { "COMPUTE_STATIC_THREAD_MGMT_SE0" } else { "COMPUTE_DESTINATION_EN_SE0" };
        let first = regs::find(gfx, engines).expect("each generation has it");
        let (severity, help) = find(chip, "REG-16", &set(first.addr(), &[0])).expect("a mask of 0");
        assert!(severity == Severity::Info && help.contains("0xffffffff"), "{chip}: {help}");
        assert_eq!(find(chip, "REG-16", &set(first.addr(), &[u32::MAX])), None, "{chip}");
    }
    // A runtime for GFX12 wrote RSRC3 where GFX12.1 has it: there it is the mask of the ninth shader engine.
    for chip in Chip::all().filter(|chip| chip.gfx().major() == 12) {
        let (severity, help) = find(chip, "REG-17", &set(0xB88C, &[0x3F0])).expect("RSRC3 at the mask of an engine");
        assert_eq!((severity, help.as_str()), (Severity::Warning, "write COMPUTE_PGM_RSRC3 at 0x0b8a0"), "{chip}");
        assert_eq!(find(chip, "REG-17", &set(0xB8A0, &[0x3F0])), None, "{chip}");
    }
}

/// The last index is the one that is read last: 8 indices from 0 on are 0 to 7. A draw of no indices reads none.
#[test]
fn index_draws_name_the_first_and_the_last_index_that_they_read() {
    let message = |words: &[u32]| {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", words);
        told(&mut cp).into_iter().find(|finding| finding.code == "MEM-08").map(|finding| finding.message)
    };
    let draw = |max, count| raw_packet(Opcode::DRAW_INDEX_2, &[max, 0x1000, 0, count, 0]);
    let part = |max, first, count| raw_packet(Opcode::DRAW_INDEX_OFFSET_2, &[max, first, count, 0]);
    let reads = |range: &str, holds: u32| {
        Some(format!("the draw reads indices {range}, but the index buffer holds {holds} indices: the fetcher returns 0 for the indices after its end"))
    };
    assert_eq!(message(&draw(6, 8)), reads("0 to 7", 6));
    assert_eq!(message(&part(6, 4, 3)), reads("4 to 6", 6));
    assert_eq!(message(&part(6, u32::MAX, u32::MAX)), reads("4294967295 to 8589934589", 6));
    for fits in [draw(8, 8), draw(8, 0), part(6, 4, 2), part(6, 7, 0)] {
        assert_eq!(message(&fits), None);
    }
}

/// The range that is read ends with the index buffer.
#[test]
fn indices_that_are_not_mapped_are_those_of_the_index_buffer() {
    let message = |count: u32| {
        let mut cp = CommandProcessor::new(N31);
        cp.map("indices", 0x1000, &[0, 0]);
        let words = [set(0x3090C, &[0]), raw_packet(Opcode::DRAW_INDEX_2, &[10, 0x1000, 0, count, 0])].concat();
        cp.submit(Queue::Graphics, "stream", &words);
        told(&mut cp).into_iter().find(|finding| finding.code == "MEM-03").map(|finding| finding.message)
    };
    for (count, read, bytes) in [(100, 10, 20), (6, 6, 12)] {
        let expected = format!("{read} indices of the index buffer take {bytes} bytes at 0x000000001000, but only 8 bytes are mapped there");
        assert_eq!(message(count), Some(expected));
    }
    assert_eq!(message(4), None);
}

/// Inputs that SPI_PS_INPUT_ADDR lacks are named, and the help is about them.
#[test]
fn pixel_inputs_without_an_address_are_named() {
    for (address, named, field) in
        [(2, "inputs 0xc00 are enabled that SPI_PS_INPUT_ADDR does not have", "POS_Z_FLOAT_ENA"), (0x802, "input 0x400 is enabled that", "POS_Z_FLOAT_ENA")]
    {
        let words = [set(0xB020, &[1]), reg(N31, "SPI_PS_INPUT_ADDR", address), reg(N31, "SPI_PS_INPUT_ENA", 0xC02), draw()].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &words);
        let found = told(&mut cp).into_iter().find(|finding| finding.code == "STA-22").expect("a finding");
        assert!(found.message.contains(named), "{found:?}");
        assert_eq!(found.field, Some(field));
        assert_eq!(found.help.as_deref(), Some("set the same bits in SPI_PS_INPUT_ADDR, or clear them in SPI_PS_INPUT_ENA"));
    }
}

/// The kernel says of MEC that type 2 fillers are deprecated. Of the constant engine no source says anything.
#[test]
fn fillers_are_judged_on_the_queues_that_a_source_is_about() {
    let filler = [Header::FILLER.0];
    assert_eq!(judged(V, Queue::Graphics, &filler), [("ENC-05", Severity::Info)]);
    assert_eq!(judged(V, Queue::Compute, &filler), [("ENC-05", Severity::Warning)]);
    assert_eq!(judged(V, Queue::Constant, &filler), []);
}

/// The small form of packed pairs has 14 registers from PFP firmware 1463 on, and before it 8. PFP does not run compute queues.
#[test]
fn the_length_of_a_small_packed_list_depends_on_the_firmware_that_is_stated() {
    let small = |count: u32| {
        let groups: Vec<u32> = (0..count / 2).flat_map(|n| [(8 * n) | ((8 * n + 4) << 16), 0, 0]).collect();
        raw_packet(Opcode::SET_SH_REG_PAIRS_PACKED_N, &[&[count], &groups[..]].concat())
    };
    for (count, queue, pfp, reported) in [
        (8, Queue::Graphics, Some(1450), false),
        (10, Queue::Graphics, Some(1462), true),
        (10, Queue::Graphics, Some(1463), false),
        (14, Queue::Graphics, None, false),
        (16, Queue::Graphics, None, true),
        (10, Queue::Compute, Some(1450), false),
    ] {
        let words = small(count);
        let mut cp = CommandProcessor::new(N31);
        cp.firmware(FirmwareVersions { pfp, ..FirmwareVersions::default() }).submit(queue, "stream", &words);
        assert_eq!(codes(&told(&mut cp)).contains(&"ENC-17"), reported, "{count} on {queue:?} with {pfp:?}");
    }
}

/// The registers of a draw, without one of them.
#[test]
fn a_program_whose_resources_nothing_has_written_is_missing_state() {
    let program = Program { address: Some(0x10_0000), ..Program::default() };
    let (vertex, shader) = (VertexStage { program: program.clone(), ..Default::default() }, Some(PixelShader { program, ..Default::default() }));
    let pipeline = PipelineDesc { vertex, shader, ..PipelineDesc::default() };
    for chip in [V, N10, N21, N31, N48] {
        let image = DrawDesc::from(pipeline.clone()).resolve(chip).expect("a draw").image;
        let missing = |name: &str| {
            let kept = image.registers().filter(|register| register.addr != addr(chip, name));
            let words = [kept.flat_map(|register| set(register.addr, &[register.value])).collect(), draw()].concat();
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "stream", &words);
            told(&mut cp).into_iter().find(|finding| finding.code == "STA-01").map(|finding| finding.message)
        };
        assert_eq!(missing("PA_SC_AA_CONFIG"), None, "{chip}");
        let front = if chip == V { "VS" } else { "GS" };
        for (register, stage) in [("RSRC1", "PS"), ("RSRC2", "PS"), ("RSRC1", front), ("RSRC2", front)] {
            let name = format!("SPI_SHADER_PGM_{register}_{stage}");
            let text = missing(&name).unwrap_or_else(|| panic!("{chip}: nothing about {name}"));
            assert!(text.starts_with(&format!("at the first draw nothing has written {name}: ")), "{chip}, {name}: {text}");
        }
    }
}

const NOPS: [u32; 16] = [Header::NOP1.0; 16];

/// INDIRECT_BUFFER as the kernel writes it on a ring, with its VMID: the same words on every queue.
fn start(addr: u32, dwords: u32, vmid: u32) -> Vec<u32> {
    raw_packet(Opcode::INDIRECT_BUFFER, &[addr, 0, dwords | 1 << 23 | vmid << 24])
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
            let ring = start(0x1000, 16, 0).repeat(3);
            assert!(run(N31, queue, &ring, &NOPS).is_empty(), "{queue}");
        }
    }

    #[test]
    fn command_buffers_that_a_ring_starts_have_the_calls_of_their_queue() {
        let (ring, called) = (start(0x1000, 8, 0), [start(0x2000, 8, 0), NOPS[..4].to_vec()].concat());
        assert!(run(N31, QueueId::GRAPHICS, &ring, &called).is_empty());
        assert_eq!(run(N31, QueueId::COMPUTE, &ring, &called), ["IB-02"]);
    }

    #[test]
    fn the_kernel_sets_the_vmid_and_starts_buffers_of_any_length() {
        let ring = start(0x1000, 5, 3);
        assert!(run(N31, QueueId::COMPUTE, &ring, &NOPS).is_empty());
        assert!(run(N31, QueueId::GRAPHICS, &ring, &NOPS).is_empty());
        let mut cp = CommandProcessor::new(N31);
        cp.map("called", 0x1000, &NOPS);
        cp.submit(Queue::Graphics, "buffer", &ring);
        assert_eq!(codes(&told(&mut cp)), ["IB-05", "IB-07"]);
    }

    #[test]
    fn a_ring_writes_privileged_registers_and_its_command_buffers_do_not() {
        // And a register of the config window.
        let words = [page_table_base(), raw_packet(Opcode::SET_CONFIG_REG, &[0x10, 0])].concat();
        assert!(run(V, QueueId::GRAPHICS, &words, &NOPS).is_empty());
        assert_eq!(run(V, QueueId::GRAPHICS, &start(0x1000, 8, 0), &words), ["REG-03", "REG-03"]);
    }

    /// A packet that another queue has is said to belong there.
    #[test]
    fn a_packet_of_another_queue_is_sent_to_it() {
        let only = |here, there| (0..=255).map(Opcode).find(|opcode| opcode.available(Gfx::Gfx11, here) && !opcode.available(Gfx::Gfx11, there));
        let of_compute = only(Queue::Compute, Queue::Graphics).expect("a packet of compute queues alone");
        for (queue, opcode, wanted) in
            [(Queue::Graphics, of_compute, "it is a packet of compute queues"), (Queue::Graphics, Opcode(0xFC), "use the packet of this generation")]
        {
            let words = raw_packet(opcode, &[0, 0]);
            let mut cp = CommandProcessor::new(N31);
            cp.submit(queue, "main", &words);
            let all = findings_of(&mut cp);
            let found = all.iter().find(|finding| finding.code == "ENC-02").unwrap_or_else(|| panic!("{opcode}: {all:?}"));
            let help = found.help.as_deref().unwrap_or_default();
            assert!(help.contains(wanted) && help.starts_with("if the stream is in sync here"), "{opcode}: {help}");
        }
    }

    #[test]
    fn packets_of_the_kernel_are_no_mistake_in_a_ring() {
        for chip in Chip::all() {
            let gfx = chip.gfx();
            let other = |number: u8| matches!(number, 0xBB | 0xBC);
            let named = (0..=255).filter(|number| !other(*number)).map(Opcode).filter(|opcode| opcode.name(gfx).is_some());
            let kernels: Vec<Opcode> = named.filter(|opcode| !opcode.available(gfx, Queue::Graphics)).collect();
            assert!(!kernels.is_empty(), "{chip}");
            for opcode in kernels {
                let words = raw_packet(opcode, &[0, 0, 0]);
                assert!(!run(chip, QueueId::GRAPHICS, &words, &NOPS).contains(&"ENC-02"), "{chip}: {opcode}");
                assert!(run(chip, QueueId::GRAPHICS, &start(0x1000, 4, 0), &words).contains(&"ENC-02"), "{chip}: {opcode}");
            }
        }
        // A number without a name is a mistake anywhere, and the packet of the other generation has a rule of its own.
        assert!(run(N31, QueueId::GRAPHICS, &raw_packet(Opcode(0xFC), &[0]), &NOPS).contains(&"ENC-02"));
        for (chip, number) in [(N31, 0xBC), (N48, 0xBB)] {
            let words = raw_packet(Opcode(number), &[0, 0, 0]);
            let found = judged(chip, Queue::Graphics, &words);
            assert!(found.iter().any(|(code, _)| *code == "ENC-19") && found.iter().all(|(code, _)| *code != "ENC-02"), "{chip}: {found:?}");
        }
    }

    /// In a ring they may be the kernel's, in the buffer of a driver for GFX9 or later they are those of an older generation.
    #[test]
    fn packets_that_gfx9_has_replaced_are_a_warning() {
        for chip in Chip::all() {
            for opcode in [Opcode::INDEX_TYPE, Opcode::CP_DMA, Opcode::SURFACE_SYNC, Opcode::EVENT_WRITE_EOP, Opcode::EVENT_WRITE_EOS] {
                let words = raw_packet(opcode, &[0; 4]);
                assert!(judged(chip, Queue::Graphics, &words).contains(&("ENC-02", Severity::Warning)), "{chip}: {opcode}");
                assert!(!run(chip, QueueId::GRAPHICS, &words, &NOPS).contains(&"ENC-02"), "{chip}: {opcode}");
            }
        }
    }

    /// Linux 2025 gfx_v9_0.c and gfx_v10_0.c.
    #[test]
    fn the_cleaner_shader_has_a_number_of_its_own_on_gfx9() {
        for chip in Chip::all() {
            let (here, elsewhere) = if chip.gfx().major() == 9 { (0xD7, 0xD2) } else { (0xD2, 0xD7) };
            for queue in [QueueId::GRAPHICS, QueueId::COMPUTE] {
                assert!(run(chip, queue, &raw_packet(Opcode(here), &[0]), &NOPS).is_empty(), "{chip}");
                assert_eq!(run(chip, queue, &raw_packet(Opcode(elsewhere), &[0]), &NOPS), ["ENC-02"], "{chip}");
            }
        }
    }

    #[test]
    fn pred_exec_does_nothing_in_a_ring() {
        // For another device: its span is skipped in a command buffer.
        let words = [one(&PredExec { device_select: 2, exec_count: 3 }), draw(), NOPS[..3].to_vec()].concat();
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
            assert_eq!(judged(chip, Queue::Graphics, &page_table_base()), [("REG-03", Error)], "{chip}");
            assert_eq!(judged(chip, Queue::Compute, &page_table_base()), [("REG-03", Error)], "{chip}");
            assert_eq!(judged(chip, Queue::Graphics, &raw_packet(Opcode::COPY_DATA, &[5, 1, 0, 0x2340, 0])), [("REG-03", Error)], "{chip}");
            // Performance counters may be privileged (thread traces of RADV).
            assert!(judged(chip, Queue::Graphics, &copy_to_counter(0x2340)).is_empty(), "{chip}");
            // An ordinary one.
            assert!(judged(chip, Queue::Graphics, &write_register(addr(chip, "GRBM_GFX_INDEX"), 0xE000_0000)).is_empty(), "{chip}");
        }
    }

    #[test]
    fn a_zero_inside_of_a_run_passes_over_a_gap() {
        // GFX10.3 has no register at 0x28018, GFX12 has DB_Z_INFO there.
        let run = |value: u32| set(0x28014, &[0, value, 0]);
        assert_eq!(judged(N21, Queue::Graphics, &run(0)), [("REG-02", Info)]);
        assert_eq!(judged(N21, Queue::Graphics, &run(1)), [("REG-02", Warning)]);
        // AMD's own tests (libdrm) clear 0x28018 of GFX10 alone, and others.
        assert_eq!(judged(N21, Queue::Graphics, &set(0x28018, &[0])), [("REG-02", Info)]);
        assert_eq!(judged(N31, Queue::Graphics, &set(0x28FFC, &[0])), [("REG-02", Info)]);
        assert_eq!(judged(N31, Queue::Graphics, &set(0x28FFC, &[1])), [("REG-02", Warning)]);
        // radeonsi writes the mask of GFX9 after SQ_PERFCOUNTER_CTRL on all generations.
        assert_eq!(judged(N31, Queue::Graphics, &set(0x36780, &[0x7F, u32::MAX])), [("REG-02", Info), ("REG-07", Info)]);
    }

    /// Registers in the windows of SET packets that this generation has not, and another one has, at the address of its first element.
    #[test]
    fn a_write_to_a_place_of_another_generation_names_the_register_that_is_there() {
        for chip in [V, N10, N21, N31, Chip::Gfx1150, N48] {
            for other in Gfx::iter().filter(|other| *other != chip.gfx()) {
                let user = |info: &&RegisterInfo| matches!(info.space(), Space::Sh | Space::Context | Space::Uconfig);
                let lost: Vec<u32> =
                    regs::registers(other).filter(user).map(|info| info.addr).filter(|addr| regs::lookup(chip.gfx(), *addr).is_none()).collect();
                let words: Vec<u32> = lost.iter().flat_map(|addr| set(*addr, &[1])).collect();
                let mut cp = CommandProcessor::new(chip);
                cp.submit(Queue::Graphics, "stream", &words);
                let found: Vec<Finding> = told(&mut cp).into_iter().filter(|finding| finding.code == "REG-02").collect();
                assert!(!found.is_empty(), "{chip}, {other}");
                // An error is about a register of POPS that the value was certainly meant for.
                for finding in found.iter().filter(|finding| finding.severity == Warning) {
                    let addr = lost[finding.place.dword as usize / 3];
                    let name = regs::lookup(other, addr).expect("a register").to_string();
                    assert!(finding.message.contains(&name), "{chip}, {other}: {finding}");
                    let help = finding.help.as_deref().expect("what to do");
                    let place = regs::find(chip.gfx(), &name).map(|here| format!("{name} is at 0x{:05x} on {}", here.addr(), chip.gfx()));
                    assert!(place.as_ref().is_none_or(|place| help.contains(place)), "{finding:?}");
                    assert_eq!(help.starts_with("check that the offset"), !finding.message.contains("POPS") && !help.contains(" is at "), "{finding:?}");
                }
            }
        }
    }

    /// GFX11 has no register at 0x28C58: programs for older generations write VGT_VERTEX_REUSE_BLOCK_CNTL there, those for GFX12 PA_SC_SHADER_CONTROL.
    #[test]
    fn a_register_of_an_older_generation_is_no_lost_register_of_pops() {
        assert_eq!(judged(N31, Queue::Graphics, &set(0x28C58, &[0xE])), [("REG-02", Warning)]);
        // GFX9 has DB_DFSM_CONTROL there, GFX10.3 and later DB_SPI_VRS_CENTER_LOCATION.
        assert_eq!(judged(N10, Queue::Graphics, &set(0x28060, &[0x10])), [("REG-02", Warning)]);
        // What drivers write to DB_DFSM_CONTROL.
        assert_eq!(judged(N10, Queue::Graphics, &set(0x28060, &[6])), [("REG-02", Error)]);
        assert_eq!(judged(N31, Queue::Graphics, &set(0x28038, &[4])), [("REG-02", Error)]);
    }

    /// The clear state that the kernel and radeonsi write on GFX9 has VGT_LS_HS_CONFIG, which otherwise is written alone with index 2.
    #[test]
    fn a_run_of_zeros_needs_no_index() {
        let run = |values: &[u32]| judged(V, Queue::Graphics, &set(addr(V, "VGT_LS_HS_CONFIG") - 4, values));
        assert_eq!(run(&[0, 0, 0]), [("REG-05", Info)]);
        assert_eq!(run(&[0, 1, 0]), [("REG-05", Warning)]);
        // One register of a run is 0 and another one beside it is not: that is no clearing of state.
        assert_eq!(run(&[1, 0, 0]), [("REG-05", Warning)]);
        assert_eq!(run(&[0, 0, 1]), [("REG-05", Warning)]);
        assert_eq!(judged(V, Queue::Graphics, &set(addr(V, "VGT_LS_HS_CONFIG"), &[0])), [("REG-05", Warning)]);
    }

    /// SQC_BANK_MASK of GFX10 in counters of GFX10.3, and DYNAMIC_HS of other generations on GFX9.
    #[test]
    fn bits_that_drivers_set_have_severity_info() {
        assert_eq!(judged(N21, Queue::Graphics, &set(addr(N21, "SQ_PERFCOUNTER0_SELECT"), &[0x30_F14F])), [("REG-07", Info)]);
        assert_eq!(judged(V, Queue::Graphics, &set(addr(V, "VGT_SHADER_STAGES_EN"), &[0x1_0145])), [("REG-07", Info)]);
        assert_eq!(judged(V, Queue::Graphics, &set(addr(V, "VGT_SHADER_STAGES_EN"), &[0x8000_0000])), [("REG-07", Warning)]);
    }

    /// Register shadowing loads ranges with their holes, whatever memory holds there (radeonsi 25.0.7). A range of one register is meant for that register.
    #[test]
    fn a_hole_of_a_loaded_range_is_no_mistake() {
        let control = one(&ContextControl { update_load_enables: true, load_per_context_state: true, ..Default::default() });
        let load = |offset: u32, registers: u32| [control.clone(), one(&LoadContextReg { base_addr: 0x1000 }.followed_by(&[offset, registers]))].concat();
        // GFX10.3 has no register at 0x28018, where GFX12 has DB_Z_INFO, and none at 0x28FFC, where no generation has one.
        for (words, value, expected) in [
            (load(4, 8), 0, &[][..]),
            (load(5, 3), 0, &[]),
            (load(6, 3), 0, &[]),
            (load(6, 3), 1, &[("REG-02", Warning)]),
            (load(0x3FE, 2), 1, &[("REG-02", Info)]),
            (load(6, 1), 0, &[("REG-02", Info)]),
        ] {
            let mut memory = [0; 0x400];
            (memory[6], memory[0x3FF]) = (value, value);
            let mut cp = CommandProcessor::new(N21);
            cp.map("memory", 0x1000, &memory);
            cp.submit(Queue::Graphics, "stream", &words);
            let found: Vec<_> = told(&mut cp).iter().filter(|finding| finding.code == "REG-02").map(|finding| (finding.code, finding.severity)).collect();
            assert_eq!(found, expected, "{words:x?}");
        }
    }

    /// All elements of an array of another generation, where this one has other registers.
    #[test]
    fn arrays_at_their_old_addresses_name_what_they_hit() {
        use pm4::regs::{lookup, registers};
        use strum::IntoEnumIterator;
        let mut sizes = std::collections::BTreeSet::new();
        for chip in [N31, N48] {
            for array in
                Gfx::iter().filter(|gfx| *gfx != chip.gfx()).flat_map(registers).filter(|info| info.count > 1 && (0x28000..0x29000).contains(&info.addr))
            {
                let addrs = || (0..array.count).map(|element| array.addr + element * array.stride);
                let here = |addr: &u32| lookup(chip.gfx(), *addr).is_some_and(|register| register.info().name != array.name);
                // The last element stands where this generation has nothing; the others have hit something.
                let Some(hole) = addrs().next_back().filter(|addr| lookup(chip.gfx(), *addr).is_none()) else { continue };
                // The first generation that has an array there is the one that is named.
                let first = Gfx::iter().filter(|gfx| *gfx != chip.gfx()).find_map(|gfx| lookup(gfx, hole).filter(|register| register.info().count > 1));
                if addrs().filter(here).count() == 0 || first.is_none_or(|first| first.info().addr != array.addr || first.info().count != array.count) {
                    continue;
                }
                let words: Vec<u32> = addrs().filter(|addr| *addr == hole || here(addr)).flat_map(|addr| set(addr, &[1])).collect();
                let mut cp = CommandProcessor::new(chip);
                cp.submit(Queue::Graphics, "stream", &words);
                let found = told(&mut cp);
                let named = found.iter().any(|finding| finding.notes.iter().any(|note| note.text.contains("writes to that array have hit")));
                assert!(named, "{chip}: {} of {} at 0x{hole:x}: {found:?}", array.name, array.count);
                sizes.insert(array.count);
            }
        }
        println!("{sizes:?}");
        assert!(!sizes.is_empty());
    }

    /// GFX12 has the last viewport where GFX11 has PA_RATE_CNTL, which is no array, and older generations have nothing.
    #[test]
    fn viewports_at_the_addresses_of_gfx12_name_what_they_hit() {
        for chip in [N10, N21] {
            let words: Vec<u32> = (0..16).flat_map(|n| reg(N48, &format!("PA_CL_VPORT_XOFFSET_{n}"), 1)).collect();
            let mut cp = CommandProcessor::new(chip);
            cp.submit(Queue::Graphics, "stream", &words);
            let notes: Vec<String> = told(&mut cp).into_iter().flat_map(|finding| finding.notes).map(|note| note.text).collect();
            let hit = "gfx12 has PA_CL_VPORT_XOFFSET_15 at this address; if the stream was made for gfx12, writes to that array have hit 11 registers of";
            assert!(notes.iter().any(|note| note.starts_with(hit)), "{chip}: {notes:#?}");
        }
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

fn closed<'a>(chip: Chip, words: &'a [u32]) -> CommandProcessor<'a> {
    let mut cp = with_memory(chip);
    cp.submit(Queue::Graphics, "stream", words);
    cp
}

/// A write to a page-table base (AMD's test of illegal accesses).
fn page_table_base() -> Vec<u32> {
    raw_packet(Opcode::WRITE_DATA, &[0, 0x54F, 0, 1])
}

/// COPY_DATA of a 1 to a performance counter, which may be privileged.
fn copy_to_counter(register: u32) -> Vec<u32> {
    let (src_sel, imm_data) = (CopyDataSrcSel::IMMEDIATE_DATA, Some(1));
    one(&CopyData { src_sel, imm_data, dst_sel: CopyDataDstSel::PERFCOUNTERS, dst_reg_offset: Some(register), ..Default::default() })
}

/// COND_EXEC over nothing: PFP reads the dword.
fn pfp_reads(addr: u64) -> Vec<u32> {
    cond_exec(addr, 0)
}

/// A fill that ME waits for.
fn fill(addr: u64, bytes: u32) -> Vec<u32> {
    one(&DmaData { cp_sync: true, ..filling(addr, 7, bytes) })
}

mod waits {
    use super::*;

    fn deadlock(words: &[u32]) -> Finding {
        let found = told(&mut closed(N31, words));
        let mut waits = found.into_iter().filter(|finding| finding.code == "SYN-18");
        let first = waits.next().expect("a finding on the wait");
        assert!(waits.next().is_none());
        first
    }

    #[test]
    fn a_write_of_another_value_satisfies_nothing_and_is_named() {
        let words = [wait(0x1000, 2), write(0x1000, &[1])].concat();
        let found = deadlock(&words);
        assert!(found.message.contains("no packet of any queue satisfies it"), "{found:?}");
        let note = found.notes.iter().find(|note| note.text.contains("0x1 is written to 0x000000001000")).expect("the near miss");
        assert_eq!(note.place.expect("a place").dword, 7);
        let right = deadlock(&[wait(0x1000, 2), write(0x1000, &[2])].concat());
        assert!(right.message.contains("is after the wait"), "{right:?}");
    }

    #[test]
    fn a_fence_near_the_address_is_named() {
        let release = release(0x1020, 0x5A);
        let found = deadlock(&[nop(), release, wait(0x1040, 0x5A), write(0x1040, &[0x5B])].concat());
        let texts: Vec<&str> = found.notes.iter().map(|note| note.text.as_str()).collect();
        assert!(texts.contains(&"0x5a was written to 0x000000001020, which is 0x20 bytes away"), "{texts:?}");
        assert!(!found.message.contains("satisfy"), "no packet is blamed: {}", found.message);
    }

    /// Of a fence of 64 bits both halves count.
    #[test]
    fn a_wide_fence_near_the_address_is_named_if_both_halves_fit() {
        let near = |halves: [u32; 2]| {
            let wide = |address: u32, value: [u32; 2]| raw_packet(Opcode::WAIT_REG_MEM64, &[0x13, address, 0, value[0], value[1], u32::MAX, u32::MAX, 4]);
            // RELEASE_MEM with data_sel 2: both dwords of the data.
            let release = raw_packet(Opcode::RELEASE_MEM, &[0x14 | 5 << 8, 2 << 29, 0x1020, 0, halves[0], halves[1], 0]);
            let found = deadlock(&[nop(), release, wide(0x1040, [5, 1]), write(0x1040, &[6, 1])].concat());
            found.notes.iter().any(|note| note.text.ends_with("was written to 0x000000001020, which is 0x20 bytes away"))
        };
        assert!(near([5, 1]));
        assert!(!near([5, 0]) && !near([5, 2]) && !near([1, 5]));
    }

    #[test]
    fn halves_of_a_64_bit_value_are_compared_together() {
        let wide = |reference| {
            let WaitRegMem { function, mem_space, mem_poll_addr, poll_interval, .. } = waiting(0x1000, 0);
            one(&WaitRegMem64 { function, mem_space, mem_poll_addr, reference, mask: u64::MAX, poll_interval, ..Default::default() })
        };
        let both = write(0x1000, &[1, 2]);
        assert!(deadlock(&[wide(2 << 32 | 1), both.clone()].concat()).message.contains("is after the wait"));
        assert!(deadlock(&[wide(3 << 32 | 1), both].concat()).message.contains("no packet of any queue satisfies it"));
    }

    #[test]
    fn the_wait_that_nothing_ends_is_reported_and_not_the_one_after_it() {
        let (first, second) = ([wait(0x1000, 1), draw()].concat(), [wait(0x1004, 1), write(0x1000, &[1])].concat());
        let mut cp = closed(N31, &first);
        cp.submit(Queue::Compute, "beside", &second);
        let found = told(&mut cp);
        assert_eq!(codes(&found).iter().filter(|code| **code == "SYN-18").count(), 1);
        assert!(found[0].message.starts_with("compute waits for memory 0x000000001004"), "{}", found[0].message);
    }

    #[test]
    fn a_register_that_is_written_before_its_wait_is_written_once() {
        // WAIT_REG_MEM, operation 1: writes a register that this generation lacks, then waits for one that another queue never sets.
        let wait = raw_packet(Opcode::WAIT_REG_MEM, &[0x43, 0xFFFF, 0xC03F, 1, u32::MAX, 4]);
        let beside = nop().repeat(2000);
        let words = [wait, nop()].concat();
        let mut cp = CommandProcessor::new(N21);
        cp.submit(Queue::Graphics, "stream", &words);
        cp.submit(Queue::Compute, "beside", &beside);
        let found = told(&mut cp);
        assert_eq!(found.iter().filter(|finding| finding.code == "REG-02").map(|finding| finding.count).sum::<u64>(), 1, "{found:?}");
    }
}

mod hazards {
    use super::*;

    fn errors(words: &[u32]) -> Vec<&'static str> {
        told(&mut closed(N31, words)).iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.code).collect()
    }

    #[test]
    fn a_late_write_hides_no_missing_wait_for_me() {
        let sync = raw_packet(Opcode::PFP_SYNC_ME, &[0]);
        let found = |words: &[&[u32]]| {
            let found = told(&mut closed(N31, &words.concat())).into_iter().filter(|finding| finding.code == "SYN-20");
            found.map(|finding| (finding.severity, finding.message.contains("but ME writes it earlier"))).collect::<Vec<_>>()
        };
        // PFP has waited for ME, not for the end of the pipe: a warning. What ME writes after that is an error.
        let before = [release(0x1000, 5), sync, write(0x1008, &[1])].concat();
        assert_eq!(found(&[&before, &pfp_reads(0x1000), &pfp_reads(0x1008)]), [(Severity::Warning, false), (Severity::Error, true)]);
        // One packet reads both.
        let draw = one(&DrawIndirect { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() });
        let base = one(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(0x1000) });
        assert_eq!(found(&[&before, &base, &draw]), [(Severity::Error, true)]);
        assert_eq!(found(&[&release(0x1000, 5), &base, &draw]), [(Severity::Error, false)]);
        // ME writes over what the end of the pipe writes, and a second late write after the wait for ME.
        assert_eq!(found(&[&before, &write(0x1000, &[1]), &pfp_reads(0x1000)]), [(Severity::Error, true)]);
        assert_eq!(found(&[&before[..before.len() - write(0x1008, &[1]).len()], &release(0x1008, 6), &base, &draw]), [(Severity::Error, false)]);
    }

    #[test]
    fn bases_of_graphics_and_compute_are_two() {
        let base = |addr, bank| one(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(addr) }.for_shaders(bank));
        let draws = one(&DrawIndirect { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() });
        let dispatches = one(&DispatchIndirect { data_offset: 0, dispatch_initiator: COMPUTE });
        let words =
            |written, reader: &[u32]| [base(0x1000, ShaderType::Graphics), base(0x1080, ShaderType::Compute), write(written, &[1]), reader.to_vec()].concat();
        assert!(errors(&words(0x1080, &draws)).is_empty());
        assert_eq!(errors(&words(0x1000, &draws)), ["SYN-20"]);
        assert!(errors(&words(0x1000, &dispatches)).is_empty());
        assert_eq!(errors(&words(0x1080, &dispatches)), ["SYN-20"]);
    }

    #[test]
    fn pfp_need_not_wait_for_its_own_dma() {
        let (pfp, me, read) = (EngineSel::PREFETCH_PARSER, EngineSel::MICRO_ENGINE, pfp_reads(0x1000));
        let fill = |engine_sel, cp_sync| one(&DmaData { engine_sel, cp_sync, ..filling(0x1000, 7, 4) });
        assert!(errors(&[fill(pfp, true), read.clone()].concat()).is_empty());
        assert_eq!(errors(&[fill(me, true), read.clone()].concat()), ["SYN-20"]);
        assert_eq!(errors(&[fill(pfp, false), read].concat()), ["SYN-20"]);
    }

    /// The engine works in order: who waits for one DMA has waited for those before.
    #[test]
    fn a_wait_for_one_dma_is_one_for_those_before() {
        let (first, other, read) = (one(&filling(0x1000, 7, 4)), |cp_sync| one(&DmaData { cp_sync, ..filling(0x1080, 7, 4) }), pfp_reads(0x1000));
        assert!(errors(&[first.clone(), other(true), sync(), read.clone()].concat()).is_empty());
        assert_eq!(errors(&[first, other(false), sync(), read].concat()), ["SYN-20"]);
    }

    /// A packet that reads several dwords reads each of them.
    #[test]
    fn each_dword_that_pfp_reads_is_a_hazard() {
        let draws = one(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(0x1000) });
        let draws = [draws, one(&DrawIndirect { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() })].concat();
        for dword in 0..6 {
            let found = errors(&[write(0x1000 + 4 * dword, &[1]), draws.clone()].concat());
            // DRAW_INDIRECT reads four dwords.
            assert_eq!(found == ["SYN-20"], dword < 4, "dword {dword}: {found:?}");
            let loads = one(&LoadContextRegIndex { mem_addr: Some(0x1000), ..Default::default() }.followed_by(&[0x203, 3]));
            let found = errors(&[write(0x1000 + 4 * dword, &[1]), loads].concat());
            assert_eq!(found == ["SYN-20"], dword < 3, "dword {dword} of a load: {found:?}");
            // The same where the address of the values stands in memory itself.
            let named = [write(0x1080, &[0x1000, 0]), sync()].concat();
            let loads = raw_packet(Opcode::LOAD_SH_REG_INDEX, &[0x1080 | 2, 0, 0xC, 3]);
            let found = errors(&[named, write(0x1000 + 4 * dword, &[1]), loads].concat());
            assert_eq!(found == ["SYN-20"], dword < 3, "dword {dword} of a load by an address in memory: {found:?}");
            // A called buffer of four dwords.
            let found = errors(&[write(0x1000 + 4 * dword, &nop()), ib(0x1000, 4)].concat());
            assert_eq!(found.contains(&"SYN-20"), dword < 4, "dword {dword} of a buffer: {found:?}");
        }
    }

    #[test]
    fn a_release_is_a_hazard_however_many_packets_come_between() {
        let (release, sync) = (release(0x1000, 1), sync());
        for count in [0, 1, 60, 70, 200, 2000] {
            let between = nop().repeat(count);
            assert_eq!(errors(&[release.clone(), between.clone(), pfp_reads(0x1000)].concat()), ["SYN-20"], "{count}");
            assert!(errors(&[release.clone(), sync.clone(), between, pfp_reads(0x1000)].concat()).is_empty(), "{count}");
        }
    }

    /// A condition on what the end of the pipe may have written or not is no known one, on either queue, unless something has waited for it.
    #[test]
    fn what_the_pipe_end_may_have_written_is_unknown() {
        let (predicate, write) = (raw_packet(Opcode::SET_PREDICATION, &[3 << 16 | 1 << 8, 0x1000, 0]), write(0x1080, &[1]));
        let span = [cond_exec(0x1000, write.len() as u32), write.clone()].concat();
        let predicated = [predicate, with_header(write, |header| header.with_predicate(true))].concat();
        for (queue, words) in [(Queue::Graphics, predicated), (Queue::Graphics, span.clone()), (Queue::Compute, span)] {
            let written = |before: &[Vec<u32>]| {
                let words = [before.concat(), words.clone()].concat();
                let mut cp = with_memory(N31);
                cp.submit(queue, "stream", &words);
                cp.run(&mut ());
                cp.memory(0x1080)
            };
            let (set, clear) = (release(0x1000, 9), release(0x1000, 0));
            assert_eq!(written(&[]), Some(0));
            assert_eq!(written(std::slice::from_ref(&set)), None);
            assert_eq!(written(&[set.clone(), wait(0x1000, 9)]), Some(1));
            // Whenever it happens, it changes nothing.
            assert_eq!(written(std::slice::from_ref(&clear)), Some(0));
            assert_eq!(written(&[set.clone(), clear.clone()]), None);
            // However many packets follow: nothing has waited for it.
            let after = nop().repeat(400);
            assert_eq!(written(&[set.clone(), after.clone()]), None);
            assert_eq!(written(&[set.clone(), after.clone(), clear.clone(), after.clone()]), None);
            assert_eq!(written(&[set, after.clone(), wait(0x1000, 9)]), Some(1));
            assert_eq!(written(&[clear, after]), Some(0));
        }
    }

    /// The same for packets that copy it, load registers from it, or draw as it says.
    #[test]
    fn every_packet_reads_what_the_pipe_end_may_have_written_as_unknown() {
        struct Draws(Vec<(Option<u32>, Option<u32>)>);
        impl Observer for Draws {
            fn draw(&mut self, view: &DrawView<'_>) {
                let Some(WorkCall::Vertices(call)) = view.call(0) else { return };
                assert_eq!(view.dword(0x1000), call.count);
                // Dwords in a row are known where all of them are.
                let each: [Option<u32>; 8] = core::array::from_fn(|n| view.dword(0x1000 + 4 * n as u64));
                assert_eq!(view.dwords::<8>(0x1000).map(|dwords| dwords.map(Some)), each.iter().all(Option::is_some).then_some(each));
                assert_eq!(view.dwords(0x2000), Some([1, 2, 3, 4, 5, 6, 7, 8]));
                self.0.push((view.value(0x2880C), call.count));
            }
        }
        let dma = one(&DmaData { src_addr: 0x1000, dst_addr: 0x1080, byte_count: 4, cp_sync: true, ..Default::default() });
        let load = one(&LoadContextRegIndex { mem_addr: Some(0x1000), ..Default::default() }.followed_by(&[0x203, 1]));
        let base = one(&SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(0x1000) });
        let draw = [base, one(&DrawIndirect { draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() })].concat();
        let reads = [dma, load, draw].concat();
        let run = |before: &[Vec<u32>]| {
            let words = [before.concat(), reads.clone()].concat();
            let (mut cp, mut draws) = (with_memory(N31), Draws(Vec::new()));
            cp.map("numbers", 0x2000, &[1, 2, 3, 4, 5, 6, 7, 8]);
            cp.submit(Queue::Graphics, "stream", &words);
            cp.run(&mut draws);
            let [(register, count)] = draws.0[..] else { panic!("one draw") };
            [cp.memory(0x1080), register, count]
        };
        assert_eq!(run(&[]), [Some(0); 3]);
        assert_eq!(run(&[release(0x1000, 9)]), [None; 3]);
        assert_eq!(run(&[release(0x1000, 9), wait(0x1000, 9)]), [Some(9); 3]);
    }

    /// What to wait for is in the advice, whether PFP has waited for ME or not, and each range is reported.
    #[test]
    fn a_missing_wait_for_the_end_of_the_pipe_is_reported_as_such() {
        let found =
            |words: &[Vec<u32>]| told(&mut closed(N31, &words.concat())).into_iter().map(|finding| (finding.severity, finding.message)).collect::<Vec<_>>();
        let (first, read) = (release(0x1000, 1), |addr| cond_exec(addr, 0));
        let [(severity, message)] = &found(&[first.clone(), read(0x1000)])[..] else { panic!("one finding") };
        assert!(*severity == Severity::Error && message.contains("the end of the pipe writes it"), "{message}");
        // The wait for ME that is missing for another address is none for the end of the pipe.
        let severities = |words: &[Vec<u32>]| found(words).iter().map(|(severity, _)| *severity).collect::<Vec<_>>();
        let other = [first.clone(), write(0x1080, &[1]), read(0x1080), sync(), read(0x1000), read(0x1000)];
        assert_eq!(severities(&other), [Severity::Error, Severity::Warning]);
        assert_eq!(severities(&[first, release(0x1080, 1), sync(), read(0x1080), read(0x1000)]), [Severity::Warning; 2]);
    }

    /// Draws at the end of one submission are judged once, at the draw itself.
    #[test]
    fn events_that_miss_after_the_last_draw_are_missed_once() {
        let tessellated = [state(N31), reg(N31, "VGT_SHADER_STAGES_EN", 0x2004), draw()].concat();
        for (code, chip, drawn) in [("STA-17", N48, opaque()), ("STA-18", N31, tessellated)] {
            let rest = nop();
            let mut cp = with_memory(chip);
            let mut run = |words| {
                cp.submit(Queue::Graphics, "stream", words);
                told(&mut cp).into_iter().filter(|finding| finding.code == code).collect::<Vec<_>>()
            };
            let first = run(&drawn);
            assert_eq!(first.len(), 1, "{code}");
            assert!(first[0].notes.iter().all(|note| note.place.is_none_or(|place| place == first[0].place)), "{:?}", first[0]);
            assert!(run(&rest).is_empty(), "{code}");
        }
    }

    /// PAL: the hang needs that neither a workgroup nor an event comes after the last one of tessellation. Whatever comes later in the queue counts.
    #[test]
    fn what_follows_tessellation_ends_it() {
        let draws = |stages| [reg(N31, "VGT_SHADER_STAGES_EN", stages), draw()].concat();
        let (tessellated, plain, end) = (draws(0x2004), draws(0x2000), event(N31, Event::SQ_NON_EVENT));
        let (flush, fence, set_only) = (event(N31, Event::PS_PARTIAL_FLUSH), release(ADDR, 1), reg(N31, "VGT_SHADER_STAGES_EN", 0));
        for (buffers, found) in [
            (vec![&tessellated], true),
            (vec![&tessellated, &set_only], true),
            (vec![&end, &tessellated], true),
            (vec![&plain, &tessellated], true),
            (vec![&tessellated, &end], false),
            (vec![&tessellated, &flush], false),
            (vec![&tessellated, &fence], false),
            (vec![&tessellated, &plain], false),
            (vec![&tessellated, &end, &plain], false),
            (vec![&tessellated, &end, &tessellated], true),
        ] {
            for whole in [false, true] {
                let joined: Vec<u32> = buffers.iter().copied().flatten().copied().collect();
                let pieces = if whole { vec![&joined] } else { buffers.clone() };
                let mut cp = CommandProcessor::new(N31);
                for words in &pieces {
                    cp.submit(Queue::Graphics, "buffer", words);
                }
                let told: Vec<_> = told(&mut cp).iter().filter(|finding| finding.code == "STA-18").map(|finding| finding.severity).collect();
                assert_eq!(told, if found { vec![Severity::Warning] } else { Vec::new() }, "{pieces:x?}");
            }
        }
    }

    #[test]
    fn a_dma_of_any_size_is_a_hazard() {
        let words = vec![0; 1 << 16];
        for bytes in [4, 4096, 8192, 0x3_0000] {
            let stream = [one(&filling(0x1_0000, 7, bytes)), sync(), pfp_reads(0x1_0000 + u64::from(bytes) - 4)].concat();
            let mut cp = CommandProcessor::new(N31);
            cp.map("memory", 0x1_0000, &words);
            cp.submit(Queue::Graphics, "stream", &stream);
            assert_eq!(codes(&told(&mut cp)), ["SYN-20"], "{bytes}");
        }
    }

    /// Each stretch of memory that ME writes is remembered by itself, 16384 of them: a stream that never waits takes no more memory.
    #[test]
    fn so_many_writes_that_nothing_waits_for_are_remembered() {
        const MOST: u64 = 1 << 14;
        let words: Vec<u32> = (0..=MOST).flat_map(|n| write(0x1_0000 + 4 * n, &[1])).collect();
        let memory = vec![0; words.len()];
        for (nth, remembered) in [(0, true), (MOST - 1, true), (MOST, false)] {
            let stream = [words.clone(), pfp_reads(0x1_0000 + 4 * nth)].concat();
            let mut cp = CommandProcessor::new(N31);
            cp.map("memory", 0x1_0000, &memory);
            cp.submit(Queue::Graphics, "stream", &stream);
            assert_eq!(codes(&told(&mut cp)).contains(&"SYN-20"), remembered, "write {nth}");
        }
    }
}

mod memory {
    use super::*;

    /// What memory at 0x1000 and on holds after a stream, each dword: None where it is not known.
    fn after(chip: Chip, words: &[u32]) -> Vec<Option<u32>> {
        let mut cp = closed(chip, words);
        cp.run(&mut ());
        (0..64).map(|i| cp.memory(0x1000 + 4 * i)).collect()
    }

    /// The width of indices is that of VGT_INDEX_TYPE: 16, 32 or 8 bits.
    #[test]
    fn indices_of_each_width_end_with_the_memory_that_is_mapped() {
        const MAPPED: [u32; 16] = [0; 16];
        for (kind, bytes) in [(0, 2), (1, 4), (2, 1)] {
            let most = 64 / bytes;
            for (count, fits) in [(most, true), (most - 1, true), (most + 4, false)] {
                let draw = one(&DrawIndex2 { max_size: count, index_base: 0x9000, index_count: count, draw_initiator: DrawInitiator::INDICES });
                let kind = raw_packet(Opcode::SET_UCONFIG_REG_INDEX, &[0x2000_0243, kind]);
                let stream = [kind, draw].concat();
                let mut cp = CommandProcessor::new(N31);
                cp.map("indices", 0x9000, &MAPPED);
                cp.submit(Queue::Graphics, "stream", &stream);
                let found = told(&mut cp);
                let beyond = codes(&found).contains(&"MEM-03");
                assert_eq!(beyond, !fits, "{count} indices of {bytes} bytes: {:?}", found.iter().map(|f| &f.message).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn occlusion_counts_are_written_for_each_render_backend_at_a_stride_of_16_bytes() {
        let dump = event_at(N31, Event::PIXEL_PIPE_STAT_DUMP, 0x1000);
        for words in [dump, one(&EventWriteZpass { address: 0x1000 })] {
            let memory = after(N31, &words);
            assert_eq!(memory[..4], [None, None, Some(0), Some(0)], "{words:x?}");
            assert_eq!(memory[4..8], [None, None, Some(0), Some(0)], "{words:x?}");
        }
    }

    #[test]
    fn dma_that_shifts_bytes_leaves_no_dword_known() {
        for (dst, bytes) in [(0x1002, 8), (0x1001, 4), (0x1000, 6)] {
            let copy = one(&DmaData { cp_sync: true, src_addr: 0x1081, dst_addr: dst, byte_count: bytes, ..Default::default() });
            let memory = after(N31, &copy);
            let touched = (dst as usize + bytes as usize - 0x1000).div_ceil(4);
            assert!(memory[..touched].iter().all(Option::is_none), "{dst:x} {bytes}: {memory:?}");
            assert!(memory[touched..].iter().all(|dword| *dword == Some(0)), "{dst:x} {bytes}: {memory:?}");
        }
        assert_eq!(after(N31, &fill(0x1002, 4))[..3], [None, None, Some(0)]);
    }

    #[test]
    fn dma_that_shifts_bytes_across_two_mappings_changes_both() {
        let mut cp = CommandProcessor::new(N31);
        cp.map("first", 0x1000, &ZEROES);
        cp.map("second", 0x1100, &ZEROES);
        let words = one(&DmaData { cp_sync: true, src_addr: 0x1_0001, dst_addr: 0x10F0, byte_count: 0x20, ..Default::default() });
        cp.submit(Queue::Graphics, "stream", &words);
        cp.run(&mut ());
        let known = |addr| cp.memory(addr).is_some();
        assert_eq!([0x10EC, 0x10F0, 0x10FC, 0x1100, 0x110C, 0x1110].map(known), [true, false, false, false, false, true]);
    }

    #[test]
    fn dma_to_memory_of_the_chip_changes_no_register() {
        // Destination 1 is GDS, wherever the register bit of the command stands.
        for das in [Sas::MEMORY, Sas::REGISTER] {
            let mut packet = one(&DmaData { cp_sync: true, das, ..filling(0xA203, 7, 4) });
            packet[1] |= 1 << 20;
            let words = [set(0x2880C, &[1]), packet].concat();
            let mut cp = closed(N31, &words);
            cp.run(&mut ());
            assert_eq!((cp.not_executed().count(), cp.registers(Queue::Graphics).value(0x2880C)), (0, Some(1)));
        }
    }

    #[test]
    fn dma_that_begins_before_a_mapping_changes_what_is_mapped() {
        let mut cp = CommandProcessor::new(N31);
        cp.map("memory", 0x1_0000, &ZEROES);
        let words = fill(0xF000, 0x1080);
        cp.submit(Queue::Graphics, "stream", &words);
        cp.run(&mut ());
        assert_ne!(cp.memory(0x1_0000), Some(0));
        assert_eq!(cp.memory(0x1_0080), Some(0));
    }

    #[test]
    fn a_write_to_memory_that_nothing_maps_is_one_error_of_any_size() {
        for bytes in [4, 4096, 4100, 8192, 1 << 20] {
            let words = fill(0x10_0000, bytes);
            assert_eq!(codes(&told(&mut closed(N31, &words))), ["MEM-03"], "{bytes}");
        }
        let words = write(0x10_0000, &[1; 100]);
        assert_eq!(codes(&told(&mut closed(N31, &words))), ["MEM-03"]);
        // Half of it is mapped.
        let words = fill(0x1080, 0x100);
        let found = told(&mut closed(N31, &words));
        assert_eq!(codes(&found), ["MEM-03"]);
        assert!(found[0].message.contains("0x000000001100"), "{}", found[0].message);
    }

    #[test]
    fn dma_to_registers_is_counted_as_not_executed_and_leaves_none_known() {
        let to_register = DmaData { cp_sync: true, das: Sas::REGISTER, ..filling(0xA203, 7, 4) };
        let words = [set(0x2880C, &[1]), one(&to_register)].concat();
        let mut cp = closed(N31, &words);
        cp.run(&mut ());
        assert_eq!(cp.not_executed().collect::<Vec<_>>(), [(Opcode::DMA_DATA, 1)]);
        assert_eq!(cp.registers(Queue::Graphics).value(0x2880C), None);
    }

    #[test]
    fn a_copy_to_performance_counters_leaves_the_register_unknown() {
        let words = [set(0x3_0800, &[0xE000_0000]), copy_to_counter(0xC200)].concat();
        let mut cp = closed(N31, &words);
        cp.run(&mut ());
        assert_eq!(cp.registers(Queue::Graphics).value(0x3_0800), None);
    }

    #[test]
    fn the_count_that_streamout_stores_is_unknown() {
        let words = store_filled_size(0x1000);
        assert_eq!(after(N21, &words)[..2], [None, Some(0)]);
    }
}

mod state {
    use super::*;
    use pm4::cp::{DrawView, RegisterState};

    #[derive(Default)]
    struct Registers(Vec<Vec<RegisterState>>, &'static [&'static str]);

    impl Observer for Registers {
        fn draw(&mut self, view: &DrawView<'_>) {
            self.0.push(self.1.iter().map(|name| view.state(view.register(name).unwrap_or_else(|| panic!("{name}")).addr())).collect());
        }
        fn dispatch(&mut self, view: &DrawView<'_>) {
            self.draw(view);
        }
    }

    fn seen(chip: Chip, names: &'static [&'static str], words: &[u32]) -> Vec<Vec<RegisterState>> {
        let mut registers = Registers(Vec::new(), names);
        let mut cp = CommandProcessor::new(chip);
        cp.submit(Queue::Graphics, "stream", words);
        cp.run(&mut registers);
        registers.0
    }

    #[test]
    fn packets_that_have_registers_for_their_state_give_them_their_values() {
        use RegisterState::Written;
        let indexed = DrawIndex2 { max_size: 12, index_base: ADDR, index_count: 12, draw_initiator: DrawInitiator::INDICES };
        let words = [one(&NumInstances { num_instances: 5 }), one(&indexed), draw()].concat();
        let after = seen(N31, &["VGT_NUM_INSTANCES", "VGT_DMA_BASE", "VGT_DMA_SIZE"], &words);
        assert_eq!(after[1], [Written(5), Written(0x1000), Written(12)]);
    }

    #[test]
    fn elements_of_arrays_have_names() {
        let words = [set(0x28C70 + 0x3C * 3, &[7]), draw()].concat();
        let states = seen(N31, &["CB_COLOR3_INFO"], &words);
        assert_eq!(states, [[RegisterState::Written(7)]]);
    }

    #[test]
    fn grid_sizes_of_mesh_draws_fill_three_sgprs() {
        const SGPRS: &[&str] = &["SPI_SHADER_USER_DATA_GS_0", "SPI_SHADER_USER_DATA_GS_1", "SPI_SHADER_USER_DATA_GS_2", "SPI_SHADER_USER_DATA_GS_3"];
        let first = addr(N31, "SPI_SHADER_USER_DATA_GS_0");
        let mesh = DispatchTaskmeshGfx { xyz_dim_loc: sh(first), xyz_dim_enable: true, draw_initiator: DrawInitiator::AUTO_INDEX, ..Default::default() };
        let words = [set(first, &[1, 2, 3, 4]), one(&mesh), draw()].concat();
        let states = seen(N31, SGPRS, &words);
        assert_eq!(states.last().expect("draws")[..], [RegisterState::Loaded, RegisterState::Loaded, RegisterState::Loaded, RegisterState::Written(4)]);
    }

    #[test]
    fn task_work_fills_sgprs_with_ring_entry_index_and_grid() {
        let first = addr(N31, "COMPUTE_USER_DATA_0");
        let location = sh(first);
        // The ring entry in SGPR 0; the index in 2, the grid in 4 to 6, where bits 2 and 3 ask for them.
        let several = |draw_index_enable, compute_xyz_dim_enable| {
            let packet = DispatchTaskmeshIndirectMultiAce {
                data_addr: ADDR,
                ring_entry_loc: location,
                draw_index_enable,
                compute_xyz_dim_enable,
                dispatch_index_loc: location + 2,
                compute_xyz_dim_loc: location + 4,
                count: 1,
                stride: 12,
                dispatch_initiator: COMPUTE,
                ..Default::default()
            };
            [set(first, &[1, 2, 3, 4, 5, 6, 7, 8]), one(&packet)].concat()
        };
        let (x_dim, y_dim, z_dim, dispatch_initiator) = (1, 1, 1, COMPUTE);
        let direct = one(&DispatchTaskmeshDirectAce { x_dim, y_dim, z_dim, dispatch_initiator, ring_entry_loc: location });
        let direct = [set(first, &[1, 2, 3, 4, 5, 6, 7, 8]), direct].concat();
        let kept = |words: &[u32]| {
            let mut cp = CommandProcessor::new(N31);
            cp.submit(Queue::Compute, "tasks", words);
            cp.run(&mut ());
            (0..8).map(|sgpr| if cp.registers(Queue::Compute).value(first + 4 * sgpr).is_some() { 'k' } else { '?' }).collect::<String>()
        };
        assert_eq!(
            (kept(&several(false, false)), kept(&several(true, false)), kept(&several(false, true))),
            ("?kkkkkkk".into(), "?k?kkkkk".into(), "?kkk???k".into())
        );
        assert_eq!(kept(&direct), "?kkkkkkk");
    }

    #[test]
    fn a_wait_for_compute_retires_no_context() {
        let frame = |flush| -> Vec<u32> { (0..12).flat_map(|i| [set(0x2880C, &[i]), draw(), event(N31, flush)].concat()).collect() };
        let stalls = |words: &[u32]| {
            let mut cp = CommandProcessor::new(N31);
            cp.submit(Queue::Graphics, "stream", words);
            cp.run(&mut ()).context_stalls
        };
        assert_eq!((stalls(&frame(Event::CS_PARTIAL_FLUSH)), stalls(&frame(Event::PS_PARTIAL_FLUSH))), (4, 0));
    }
}

mod volume {
    use super::*;
    use pm4::cp::Severity::{Info, Warning};

    #[test]
    fn rules_look_again_when_all_context_registers_change_at_once() {
        let register = pm4::regs::find(N31.gfx(), "PA_SC_BINNER_CNTL_0").expect("it is there");
        let field = register.info().field("CONTEXT_STATES_PER_BIN").expect("it has the field");
        let (wrong, right) = (set(register.addr(), &[1 << field.lo]), set(register.addr(), &[0]));
        let state = |command: u32| raw_packet(Opcode::CLEAR_STATE, &[command]);
        // CLEAR_STATE, push and pop are 0, 1 and 2.
        for (words, nth) in [([wrong.clone(), draw(), state(0), draw(), draw()].concat(), 0), ([wrong, state(1), right, draw(), state(2), draw()].concat(), 1)]
        {
            let mut cp = CommandProcessor::new(N31);
            cp.submit(Queue::Graphics, "stream", &words);
            let found = told(&mut cp);
            let found: Vec<&Finding> = found.iter().filter(|finding| finding.code == "STA-12").collect();
            assert_eq!(found.len(), 1, "{words:x?}");
            assert_eq!((found[0].draw, found[0].last_draw), (Some(nth), Some(nth)), "{words:x?}");
        }
    }

    #[test]
    fn draws_with_one_wrong_register_are_one_finding() {
        // CONTEXT_STATES_PER_BIN is 1 and binning is on.
        let register = pm4::regs::find(N31.gfx(), "PA_SC_BINNER_CNTL_0").expect("it is there");
        let field = register.info().field("CONTEXT_STATES_PER_BIN").expect("it has the field");
        let wrong = set(register.addr(), &[1 << field.lo]);
        let words = [draw(), wrong.clone(), draw().repeat(1000), wrong, draw().repeat(10)].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &words);
        let found: Vec<Finding> = told(&mut cp).into_iter().filter(|finding| finding.code == "STA-12").collect();
        let draws: Vec<_> = found.iter().map(|finding| (finding.count, finding.draw, finding.last_draw)).collect();
        // Each packet that writes the register wrong is a cause of its own.
        assert_eq!(draws, [(1000, Some(1), Some(1000)), (10, Some(1001), Some(1010))]);
        assert_eq!(cp.summary().errors, 2);
    }

    #[test]
    fn bits_without_a_field_are_reported_once_per_register() {
        let words = reg(N31, "CB_RMI_GL2_CACHE_CONTROL", 0x100).repeat(50);
        let found = judged(N31, Queue::Graphics, &words);
        assert_eq!(found, [("REG-07", Warning)]);
        let words = raw_packet(Opcode::EVENT_WRITE, &[15 | 4 << 8 | 1 << 20]).repeat(50);
        assert_eq!(judged(N31, Queue::Graphics, &words), [("ENC-12", Warning)]);
    }

    #[test]
    fn signs_of_addresses_and_sizes_of_all_ones_are_no_mistakes() {
        for value in [0x80, 0xFFFF_FF80, 0x00FF_FF80] {
            assert!(judged(N31, Queue::Graphics, &reg(N31, "CB_COLOR0_BASE_EXT", value)).is_empty(), "{value:x}");
        }
        assert_eq!(judged(N31, Queue::Graphics, &reg(N31, "CB_COLOR0_BASE_EXT", 0x0F00_0080)), [("REG-07", Warning)]);
        assert!(judged(N31, Queue::Compute, &raw_acquire([0, u32::MAX, u32::MAX, 0, 0, 10, 0])).is_empty());
        assert_eq!(judged(N31, Queue::Compute, &raw_acquire([0, u32::MAX, 0x0F00_00FF, 0, 0, 10, 0])), [("ENC-12", Warning)]);
    }

    #[test]
    fn habits_of_mesa_have_severity_info_and_hide_no_mistake() {
        // Mesa 25.0.7 and 26.1.6: cache policies of GFX10 on GFX11, and masks of compute units through the plain packet.
        let policies = reg(N31, "CB_RMI_GL2_CACHE_CONTROL", 0xAA_0015);
        assert_eq!(judged(N31, Queue::Graphics, &policies), [("REG-07", Info)]);
        assert_eq!(judged(N10, Queue::Graphics, &policies), []);
        let both = [policies, reg(N31, "CB_RMI_GL2_CACHE_CONTROL", 0xAA_0115)].concat();
        assert_eq!(judged(N31, Queue::Graphics, &both), [("REG-07", Info), ("REG-07", Warning)]);
        let mask = reg(N31, "SPI_SHADER_PGM_RSRC3_PS", 0x3F_FFFF);
        assert_eq!(judged(N31, Queue::Graphics, &mask), [("REG-05", Info)]);
        let both = [mask, set(addr(N31, "VGT_INDEX_TYPE"), &[0])].concat();
        assert_eq!(judged(N31, Queue::Graphics, &both), [("REG-05", Info), ("REG-05", Warning)]);
        // radeonsi on compute queues: engine_sel of the graphics queue, and a size in 25 bits.
        for chip in [N10, N31, STRIX, N48] {
            assert_eq!(judged(chip, Queue::Compute, &raw_acquire([1 << 31, u32::MAX, 0x01FF_FFFF, 0, 0, 10, 0])), []);
            assert_eq!(judged(chip, Queue::Graphics, &raw_acquire([1 << 31, u32::MAX, 0x01FF_FFFF, 0, 0, 10, 0])), []);
        }
    }

    /// libdrm tests 2.4.124: state is cleared with bit 31 in the packet, a dispatch has no shader type, and BINNING_MODE is 3 on GFX10 and GFX11.
    #[test]
    fn habits_of_amds_own_tests_have_severity_info() {
        for chip in [V, N10, N21, N31, STRIX, N48] {
            assert_eq!(judged(chip, Queue::Graphics, &raw_packet(Opcode::CLEAR_STATE, &[1 << 31])), [("ENC-12", Info)], "{chip}");
            assert_eq!(judged(chip, Queue::Graphics, &raw_packet(Opcode::CLEAR_STATE, &[1 << 30])), [("ENC-12", Warning)], "{chip}");
            let dispatch = judged(chip, Queue::Graphics, &raw_packet(Opcode::DISPATCH_DIRECT, &[1, 1, 1, 0x45]));
            assert!(dispatch.contains(&("STA-24", Info)), "{chip}: {dispatch:?}");
            let binning = judged(chip, Queue::Graphics, &[reg(chip, "PA_SC_BINNER_CNTL_0", 3), draw()].concat());
            let expected: &[_] = if [N10, N21, N31].contains(&chip) { &[("STA-11", Info)] } else { &[] };
            assert_eq!(binning.into_iter().filter(|(code, _)| *code == "STA-11").collect::<Vec<_>>(), expected, "{chip}");
        }
    }

    /// radeonsi 25.0.7 and 26.1.6 with conditional rendering, at an address of the upper half.
    #[test]
    fn predicates_at_addresses_of_48_bits_are_taken_as_drivers_pass_them() {
        let words = |hi: u32| raw_packet(Opcode::SET_PREDICATION, &[1 << 16, 0x80_0100, hi]);
        assert_eq!(judged(N31, Queue::Graphics, &words(0xFFFF_8001)), []);
        assert_eq!(judged(N31, Queue::Graphics, &words(0x0000_0101)), [("MEM-02", Info)]);
        assert_eq!(judged(N31, Queue::Graphics, &words(0x0000_8001)), [("MEM-02", Info)]);
        assert_eq!(judged(N31, Queue::Graphics, &words(0x0001_8001)), [("MEM-02", Severity::Error)]);
    }

    #[test]
    fn severities_of_one_rule_are_counted_apart() {
        // A hole of the POPS set, and another one.
        let words = [set(0x28038, &[2]), set(0x28FFC, &[1])].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &words);
        let mut out = Vec::new();
        pm4::report::run(&mut out, &mut cp, &[], pm4::report::ReportOptions::default()).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("text");
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().take(3).collect()).collect();
        for line in [["error", "REG-02", "1"], ["warning", "REG-02", "1"]] {
            assert!(lines.iter().any(|have| have[..] == line), "{line:?}\n{text}");
        }
    }

    #[test]
    fn queues_are_printed_with_their_own_names() {
        let words = dispatch();
        let mut cp = CommandProcessor::new(N31);
        let second = cp.add_compute_queue();
        cp.submit_to(second, "stream", None, &words);
        let mut out = Vec::new();
        pm4::report::run(&mut out, &mut cp, &[], pm4::report::ReportOptions::default()).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("text");
        assert!(text.lines().next().is_some_and(|line| line.contains("  compute2")), "{text}");
    }

    #[test]
    fn a_fence_of_a_further_queue_is_reported_there() {
        let words = release(ADDR, 1);
        let mut cp = CommandProcessor::new(N31);
        cp.set_rule_level("SYN-19", pm4::cp::rules::RuleLevel::Warn);
        let second = cp.add_compute_queue();
        cp.submit_to(second, "stream", None, &words);
        let found = told(&mut cp);
        assert_eq!(found.iter().find(|finding| finding.code == "SYN-19").expect("a fence").queue_id, second);
    }
}

mod work {
    use super::*;

    /// Whether a stream reaches the limit of dwords that it states itself as executed or asked for.
    fn reaches(limit: u64, words: &[u32], map: &[u32]) -> bool {
        let mut cp = CommandProcessor::new(N31);
        cp.max_dwords(limit).map("memory", 0x10_0000, map);
        cp.submit_at(Queue::Graphics, "stream", 0x1000_0000, words);
        told(&mut cp).iter().any(|finding| finding.code == "RUN-01")
    }

    #[test]
    fn what_packets_make_the_model_do_counts_as_work() {
        let map = vec![0; 1 << 16];
        let fills = fill(0x10_0000, 4 << 16).repeat(100);
        assert!(reaches(1 << 20, &fills, &map) && !reaches(1 << 24, &fills, &map));
        // The same where the model does not follow what is written.
        let shifted = one(&DmaData { cp_sync: true, src_addr: 1, dst_addr: 0x10_0000, byte_count: 4 << 16, ..Default::default() }).repeat(100);
        assert!(reaches(1 << 20, &shifted, &map) && !reaches(1 << 24, &shifted, &map));
        // A written buffer that is called again and again is copied once.
        let mut calls = [write(0x10_0000, &nop()), sync()].concat();
        calls.extend(write(0x10_0000, &chain(0x1000_0000, 8)));
        calls.extend(ib(0x10_0000, 1 << 16).repeat(500));
        assert!(!reaches(1 << 20, &calls, &map));
        // Valid bits of REWIND, each written by the packet before it.
        let rewinds: Vec<u32> = (0..5000).flat_map(|i| [write(0x1000_0000 + 4 * (7 * i + 6), &[1 << 31]), one(&Rewind::default())].concat()).collect();
        assert!(!reaches(1 << 20, &rewinds, &map));
        let ended = rewinds.chunks(7).count();
        let mut cp = CommandProcessor::new(N31);
        cp.submit_at(Queue::Graphics, "stream", 0x1000_0000, &rewinds);
        let found = told(&mut cp);
        assert!(found.iter().all(|finding| finding.code != "SYN-18"), "{ended} valid bits are seen: {:?}", found.first());
    }

    #[test]
    fn spans_in_spans_and_waits_without_end_are_gone_through_once() {
        // The longest span, begun at each packet: those that leave the buffer are told.
        let spans: Vec<u32> = one(&PredExec { device_select: 1, exec_count: 2 }).repeat(20_000);
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &spans);
        assert_eq!(cp.run(&mut ()).errors, 1, "the last span covers what is not there");
        let waits = wait(0x10_0000, 1).repeat(4000);
        let map = [0; 4];
        let mut cp = CommandProcessor::new(N31);
        cp.max_dwords(1 << 20).map("memory", 0x10_0000, &map);
        for queue in 0..8 {
            while cp.registers_of(QueueId(queue)).is_none() {
                cp.add_compute_queue();
            }
            cp.submit_to(QueueId(queue), "stream", None, &waits);
        }
        let found = told(&mut cp);
        assert!(found.iter().all(|finding| finding.code == "SYN-18"), "{:?}", found.iter().find(|finding| finding.code != "SYN-18"));
        assert_eq!(found.len(), 32_000);
    }
}

/// A queue that waits inside of a buffer has read its words; another one that enters it after a change runs it as it lies there then.
#[test]
fn a_buffer_that_changes_while_a_queue_waits_in_it_runs_elsewhere_with_its_new_words() {
    let buffer = [wait(0x1000, 1), set(0xB900, &[1])].concat();
    let dwords = buffer.len() as u32;
    let value = 0x2000 + 4 * u64::from(dwords - 1);
    // A packet writes the first dword, with what stands there: the words are no longer those of the mapping.
    let graphics = [write(0x2000, &buffer[..1]), sync(), ib(0x2000, dwords)].concat();
    let compute = [write(value, &[2]), chain_compute(0x2000, dwords)].concat();
    let signal = write(0x1000, &[1]);
    let mut cp = CommandProcessor::new(N31);
    cp.map("memory", 0x1000, &ZEROES);
    cp.map("buffer", 0x2000, &buffer);
    let other = cp.add_compute_queue();
    cp.submit(Queue::Graphics, "graphics", &graphics);
    cp.submit(Queue::Compute, "compute", &compute);
    cp.submit_to(other, "signal", None, &signal);
    assert_eq!(cp.run(&mut ()).errors, 0);
    assert_eq!([Queue::Graphics, Queue::Compute].map(|queue| cp.registers(queue).value(0xB900)), [Some(1), Some(2)]);
}

/// A buffer that packets wrote into runs as it lies there now, also where another one has been mapped over it since.
#[test]
fn a_buffer_that_is_mapped_again_runs_with_its_new_words() {
    use pm4::cp::DrawView;
    struct Seen(Vec<Option<u32>>);
    impl Observer for Seen {
        fn draw(&mut self, view: &DrawView<'_>) {
            self.0.push(view.value(0x2_8000));
        }
    }
    let called = |value| [set(0x28000, &[value]), NOPS[..13].to_vec()].concat();
    let (first, second) = (called(1), called(2));
    // The last NOP is written by a packet: the words are no longer those of the mapping alone.
    let write = one(&WriteData { wr_confirm: WrConfirm::WAIT_FOR_WRITE_CONFIRMATION, ..to_memory(0x1000 + 4 * 15) }.followed_by(&nop()));
    let run = [write, ib(0x1000, 16), draw()].concat();
    let mut seen = Seen(Vec::new());
    let mut cp = CommandProcessor::new(N31);
    cp.map("first", 0x1000, &first);
    cp.submit(Queue::Graphics, "one", &run);
    cp.run(&mut seen);
    cp.map("second", 0x1000, &second);
    cp.submit(Queue::Graphics, "two", &run);
    cp.run(&mut seen);
    assert_eq!(seen.0, [Some(1), Some(2)]);
}

/// All memory is mapped: other accesses fault, if the packet runs.
#[test]
fn accesses_that_may_not_happen_may_not_fault() {
    const READ_ONLY: u64 = 0x1000;
    const CONDITION: u64 = 0x2000;
    let found = |words: &[u32]| {
        let mut cp = CommandProcessor::new(N31);
        cp.closed_memory(true).map_read_only("read only", READ_ONLY, &[1, 1]);
        // A counter is copied there: its value is not known.
        cp.map("condition", CONDITION, &[1, 1]);
        cp.submit(Queue::Graphics, "stream", words);
        told(&mut cp).into_iter().filter(|finding| finding.code == "MEM-03").map(|finding| finding.severity).collect::<Vec<_>>()
    };
    let unknown = raw_packet(Opcode::COPY_DATA, &[9 | 5 << 8 | 1 << 16, 0, 0, CONDITION as u32, 0]);
    let perhaps = |words: &[u32]| [&unknown[..], &sync(), &cond_exec(CONDITION, words.len() as u32), words].concat();
    for faulty in [write(READ_ONLY, &[2]), write(0x9000, &[2]), load_context(0x200), ib(0x9000, 8)] {
        assert_eq!(found(&faulty), [Severity::Error]);
        assert_eq!(found(&perhaps(&faulty)), [Severity::Warning]);
        assert_eq!(found(&[perhaps(&nop()), faulty].concat()), [Severity::Error]);
    }
}

/// Words of 0 that a buffer ends with.
mod unwritten {
    use super::*;
    use Severity::{Error, Warning};
    use pm4::input::Source;

    /// Severity and dword of each finding; all are ENC-04.
    fn found(cp: &mut CommandProcessor<'_>) -> Vec<(Severity, u32)> {
        let found = told(cp);
        assert!(found.iter().all(|finding| finding.code == "ENC-04"), "{found:?}");
        found.iter().map(|finding| (finding.severity, finding.place.dword)).collect()
    }

    fn of(words: &[u32]) -> Vec<(Severity, u32)> {
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", words);
        found(&mut cp)
    }

    /// A buffer that was dumped whole ends in memory that nothing was written to. Nobody says that it was executed.
    #[test]
    fn words_of_0_up_to_the_end_of_a_buffer_are_one_warning() {
        for zeros in [1, 2, 3, 4, 1000, 1001] {
            assert_eq!(of(&[nop(), long_nop(), vec![0; zeros]].concat()), [(Warning, 4)], "{zeros}");
            assert_eq!(of(&vec![0; zeros]), [(Warning, 0)], "{zeros}");
        }
        let words = [nop(), vec![0; 7]].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &words);
        let found = told(&mut cp);
        assert!(found[0].message.starts_with("all words from here to the end of the buffer are 0 (7 dwords)"), "{found:?}");
        // A part of a stream, a ring and a compute queue are no different.
        for queue in [QueueId::GRAPHICS, QueueId::COMPUTE] {
            let mut cp = CommandProcessor::new(N31);
            cp.partial().submit_ring(queue, "ring", None, &words);
            assert_eq!(super::unwritten::found(&mut cp), [(Warning, 1)]);
        }
    }

    fn long_nop() -> Vec<u32> {
        raw_packet(Opcode::NOP, &[0, 0])
    }

    /// All of them are shown.
    #[test]
    fn words_of_0_are_packets_of_type_0_to_an_observer() {
        #[derive(Default)]
        struct Seen(Vec<usize>);
        impl Observer for Seen {
            fn packet(&mut self, _: Queue, _: pm4::cp::Place, packet: &pm4::packet::Packet<'_>) {
                self.0.push(packet.offset);
            }
        }
        let words = [nop(), vec![0; 6]].concat();
        let mut cp = CommandProcessor::new(N31);
        cp.submit(Queue::Graphics, "stream", &words);
        let mut seen = Seen::default();
        assert_eq!(cp.run(&mut seen).packets, 4);
        assert_eq!(seen.0, [0, 1, 3, 5]);
    }

    #[test]
    fn words_of_0_before_others_are_headers_that_no_engine_executes() {
        assert_eq!(of(&[vec![0; 4], nop()].concat()), [(Error, 0), (Error, 2)]);
        // The NOP is the body of the last one.
        assert_eq!(of(&[vec![0; 3], nop(), vec![0; 3]].concat()), [(Error, 0), (Error, 2), (Warning, 4)]);
        assert_eq!(of(&[0x1234, 0, 0, 0]), [(Error, 0), (Warning, 2)]);
    }

    /// An INDIRECT_BUFFER states how many words are executed.
    #[test]
    fn words_of_0_within_a_stated_size_are_an_error() {
        let called = [nop().repeat(4), vec![0; 12]].concat();
        for call in [ib, chain] {
            for (dwords, expected) in [(8, vec![(Error, 4), (Error, 6)]), (4, vec![])] {
                let main = call(0x1000, dwords);
                let mut cp = CommandProcessor::new(N31);
                cp.map("called", 0x1000, &called);
                cp.submit(Queue::Graphics, "main", &main);
                let findings: Vec<_> = told(&mut cp).iter().filter(|f| f.code == "ENC-04").map(|f| (f.severity, f.place.dword)).collect();
                assert_eq!(findings, expected);
            }
        }
        let words = [nop(), vec![0; 4]].concat();
        let mut cp = CommandProcessor::new(N31);
        let id = cp.submit(Queue::Graphics, "stream", &words);
        cp.all_executed(id);
        assert_eq!(found(&mut cp), [(Error, 1), (Error, 3)]);
    }

    #[test]
    fn a_size_that_an_input_states_is_a_stated_size() {
        let mut input = Source::open("0xffff1000 0xffff1000 0x00000000 0x00000000 0x00000000 0x00000000\n".as_bytes(), None).unwrap().load().unwrap();
        for (dwords, expected) in [(None, vec![(Warning, 2)]), (Some(6), vec![(Error, 2), (Error, 4)])] {
            input.buffers[0].expected_dwords = dwords;
            let mut cp = CommandProcessor::new(N31);
            input.submit(&mut cp);
            assert_eq!(found(&mut cp), expected);
        }
    }

    /// Where the words are 0 up to the end of a piece, the next piece decides.
    #[test]
    fn a_stream_in_pieces_ends_as_one_in_one_piece_does() {
        let streams = [
            [nop(), vec![0; 9]].concat(),
            [nop(), vec![0; 10]].concat(),
            vec![0; 6],
            [nop(), vec![0; 8], nop()].concat(),
            [nop(), vec![0; 7], nop(), vec![0; 5]].concat(),
            [nop(), vec![0; 8], set(0x2880C, &[1]), vec![0; 6]].concat(),
        ];
        for words in &streams {
            for piece in 1..=words.len() {
                for executed in [false, true] {
                    let mut whole = CommandProcessor::new(N31);
                    let id = whole.submit(Queue::Graphics, "stream", words);
                    let (mut cp, mut log) = (CommandProcessor::new(N31), Log::default());
                    let stream = cp.begin(QueueId::GRAPHICS, "stream");
                    if executed {
                        whole.all_executed(id);
                        cp.all_executed(stream);
                    }
                    words.chunks(piece).for_each(|words| {
                        cp.feed(stream, words, &mut log);
                    });
                    cp.finish(stream, &mut log);
                    let fed: Vec<_> = log.findings.iter().map(|finding| (finding.severity, finding.place.dword)).collect();
                    let whole_found: Vec<_> = told(&mut whole).iter().map(|finding| (finding.severity, finding.place.dword)).collect();
                    assert_eq!(fed, whole_found, "{words:?} in pieces of {piece}");
                    assert_eq!(cp.summary().packets, whole.summary().packets);
                }
            }
        }
    }
}

/// What an observer writes right after a draw or dispatch is written by its shaders: who reads it as arguments must have waited for them.
#[test]
fn arguments_that_shaders_write_are_waited_for() {
    #[derive(Default)]
    struct Shader {
        writes: bool,
        found: Vec<&'static str>,
    }
    impl Observer for Shader {
        fn interest(&self) -> Interest {
            Interest::ACT
        }
        fn dispatch(&mut self, view: &DrawView<'_>) {
            self.writes = view.name() == "DISPATCH_DIRECT";
        }
        fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
            if std::mem::take(&mut self.writes) {
                access.write(0x1000, &[3, 1, 0, 0]);
            }
        }
        fn finding(&mut self, finding: &Finding) {
            self.found.push(finding.code);
        }
    }
    let base = |addr: u32| raw_packet(Opcode::SET_BASE, &[1, addr, 0]);
    let indirect = raw_packet(Opcode::DRAW_INDIRECT, &[0, 0x20, 0x21, 2]);
    let flush = event(N31, Event::CS_PARTIAL_FLUSH);
    for (words, found) in [
        ([base(0x1000), dispatch(), indirect.clone()].concat(), true),
        ([base(0x1000), dispatch(), sync(), indirect.clone()].concat(), true),
        ([base(0x1000), dispatch(), flush.clone(), sync(), indirect.clone()].concat(), false),
        ([base(0x1000), dispatch(), release(0x1040, 1), wait(0x1040, 1), sync(), indirect.clone()].concat(), false),
        ([base(0x1020), dispatch(), indirect.clone()].concat(), false),
        ([base(0x1000), indirect].concat(), false),
    ] {
        let mut cp = CommandProcessor::new(N31);
        cp.map_owned("memory", 0x1000, &[0; 64]);
        cp.submit(Queue::Graphics, "stream", &words);
        let mut shader = Shader::default();
        cp.run(&mut shader);
        assert_eq!(shader.found.contains(&"SYN-33"), found, "{words:x?}: {:?}", shader.found);
    }
}

/// Opcodes that no generation and no queue has are illegal.
#[test]
fn opcodes_of_no_generation_are_errors() {
    let queues = [Queue::Graphics, Queue::Compute];
    let unknown =
        |opcode: &Opcode| Chip::all().all(|chip| queues.iter().all(|queue| !opcode.available(chip.gfx(), *queue) && opcode.name(chip.gfx()).is_none()));
    let opcodes: Vec<Opcode> = (0..=255).map(Opcode).filter(unknown).collect();
    assert!(opcodes.len() >= 40, "{}", opcodes.len());
    for chip in [V, N10, N21, N31, STRIX, N48] {
        for opcode in &opcodes {
            for queue in queues {
                let found = judged(chip, queue, &raw_packet(*opcode, &[0, 0]));
                assert!(found.contains(&("ENC-02", Severity::Error)), "{chip} {opcode}: {found:?}");
            }
        }
    }
}

/// Memory that is not mapped is a fault by whichever path of ME the packet writes it.
#[test]
fn write_data_faults_by_each_way_to_memory() {
    for (selector, queue) in [(1, Queue::Graphics), (2, Queue::Graphics), (5, Queue::Graphics), (2, Queue::Compute), (5, Queue::Compute)] {
        let words = raw_packet(Opcode::WRITE_DATA, &[selector << 8, 0x7000, 0, 1]);
        let mut cp = CommandProcessor::new(N31);
        cp.closed_memory(true).submit(queue, "stream", &words);
        assert!(told(&mut cp).iter().any(|finding| (finding.code, finding.severity) == ("MEM-03", Severity::Error)), "{selector} on {queue:?}");
    }
}
