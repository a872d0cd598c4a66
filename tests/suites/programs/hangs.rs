//! A hang explained from the dump of each kernel: the contents of the dump are found, missing parts are reported.
use crate::coredumps;
use coredumps::{KERNELS, Kernel, Scene, coredump};
use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::draw::{DrawDesc, Interlock, PipelineDesc, Recorder};
use pm4::hang::{self, Confidence, CpEngine, HangReport};
use pm4::input::{BufferUse, Input, InputForm, InputPlace, Source};
use pm4::packet::Reader;
use pm4::report::{OutputFormat, ReportOptions};

const ADDR: u64 = 0x8001_0020_0000;

/// The chip, and a stream with draws for it: recorded from a driver, or else made by this crate.
fn streams() -> Vec<(Chip, Vec<u32>)> {
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>();
    let authored = |chip: Chip| {
        let draw = DrawDesc::from(PipelineDesc { interlock: Interlock::SampleOrdered, samples: 4, ..PipelineDesc::default() }).resolve(chip).expect("a draw");
        let mut recorder = Recorder::new(chip);
        recorder.begin().and_then(|()| recorder.draw(&draw)).expect("it fits");
        recorder.finish().expect("it is complete")
    };
    vec![
        (Chip::Vega10, words(include_bytes!("../../captures/vega10/draw_sample_ordered_s4_color.bin"))),
        (Chip::Navi10, words(include_bytes!("../../captures/navi10/draw_sample_ordered_s4_color.bin"))),
        (Chip::Navi21, words(include_bytes!("../../captures/navi21/draw_sample_ordered_s4_color.bin"))),
        (Chip::Navi31, words(include_bytes!("../../captures/navi31/toggle_none_pixel_none_sample_none_s2.bin"))),
        (Chip::Gfx1201, authored(Chip::Gfx1201)),
    ]
}

/// The last headers that an engine read, the newest at the end.
fn last_headers(words: &[u32], at: usize) -> Vec<u32> {
    let headers: Vec<u32> = Reader::new(words).flatten().take(at + 1).map(|packet| packet.header.0).collect();
    headers[headers.len().saturating_sub(8)..].to_vec()
}

/// A hang at the last draw of a stream: the pipe has no free context, and the fetcher is far ahead.
fn at_last_draw(chip: Chip, ib: &[u32]) -> (Scene<'_>, usize) {
    let packets: Vec<_> = Reader::new(ib).flatten().collect();
    let is_draw = |packet: &pm4::packet::Packet<'_>| packet.name(chip.gfx()).is_some_and(|name| name.starts_with("DRAW"));
    let at = packets.iter().rposition(is_draw).expect("a draw");
    let ahead = (at + 3).min(packets.len() - 1);
    let fetched = (packets[ahead].offset + packets[ahead].dwords()).min(ib.len());
    let scene = Scene {
        chip,
        ib,
        addr: ADDR,
        pfp: last_headers(ib, ahead),
        me: last_headers(ib, at),
        left: ib.len() - fetched,
        stalled: 1 << 11,
        fault: 0x8001_0040_0000,
        compute: false,
    };
    (scene, packets[at].offset)
}

fn read(text: &str) -> Input {
    Source::open(text.as_bytes(), None).and_then(Source::load).unwrap_or_else(|error| panic!("{error}"))
}

/// The output of check for a dump.
fn explained(input: &Input, chip: Chip, format: OutputFormat) -> String {
    let mut cp = CommandProcessor::new(chip);
    let ids = input.submit(&mut cp);
    let hang = HangReport::new(input, &ids, chip.gfx());
    let mut out = Vec::new();
    hang::run(&mut out, &mut cp, &[], ReportOptions { format, ..ReportOptions::default() }, &hang, &mut ()).expect("memory takes everything");
    String::from_utf8(out).expect("UTF-8")
}

fn text(input: &Input, chip: Chip) -> String {
    let text = explained(input, chip, OutputFormat::Text);
    text[text.find("\nhang").unwrap_or_else(|| panic!("{text}"))..].to_owned()
}

#[test]
fn the_dump_of_each_kernel_tells_what_that_kernel_knew() {
    for (chip, ib) in streams() {
        let (scene, _) = at_last_draw(chip, &ib);
        for kernel in KERNELS {
            let input = read(&coredump(kernel, &scene));
            let name = format!("{chip}, {kernel:?}");
            assert_eq!(input.form, InputForm::Devcoredump, "{name}");
            assert_eq!(input.chip, kernel.has_rings().then_some(chip), "{name}");
            let firmware = kernel.has_rings().then_some(());
            assert_eq!(
                (input.firmware.me, input.firmware.pfp, input.firmware.mec),
                (firmware.map(|()| 0xA2E), firmware.map(|()| 0xA51), firmware.map(|()| 0xA3F)),
                "{name}"
            );
            assert_eq!(input.damage.is_empty(), kernel != Kernel::V7_1Cut, "{name}: {:?}", input.damage);
            let hang = input.hang.as_ref().expect("a hang");
            let told = kernel >= Kernel::V6_9;
            assert_eq!(
                (hang.ip_type, hang.ring.is_some(), hang.fault.as_ref().map(|fault| fault.address)),
                (told.then_some(0), told, told.then_some(scene.fault)),
                "{name}"
            );
            let ring = input.buffers.iter().find(|buffer| buffer.name.starts_with("ring gfx") && buffer.usage == BufferUse::NotExecuted);
            assert_eq!(ring.map(|ring| ring.words.len()), kernel.has_rings().then_some(2048), "{name}");
            assert!(!input.buffers.iter().any(|buffer| buffer.name.contains("sdma") || buffer.name.contains("mes_3")), "{name}: these hold no PM4");
            let job: Vec<&[u32]> = input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Submitted).map(|buffer| buffer.words.as_slice()).collect();
            match kernel {
                Kernel::V7_1 | Kernel::V7_2 => assert_eq!(job, [ib.as_slice()], "{name}"),
                Kernel::V7_1Cut => assert_eq!(job, [&ib[..2]], "{name}"),
                _ => assert!(job.is_empty(), "{name}"),
            }
        }
    }
}

/// The sample explained by the README: a hang of Navi31 as Linux 7.1 writes it. `PM4_WRITE_DOCS=1` rewrites it.
#[test]
fn the_sample_of_the_readme_is_the_dump_of_a_kernel() {
    let path = crate::support::repository("docs/hang.txt");
    let streams = streams();
    let (chip, ib) = streams.iter().find(|(chip, _)| *chip == Chip::Navi31).expect("a stream");
    let text = coredump(Kernel::V7_1, &at_last_draw(*chip, ib).0);
    if std::env::var_os("PM4_WRITE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("a file");
    }
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == text, "docs/hang.txt is not what the kernel writes of this hang");
}

#[test]
fn the_packet_in_work_and_the_draw_in_flight_are_named_where_the_words_are_there() {
    for (chip, ib) in streams() {
        let (scene, dword) = at_last_draw(chip, &ib);
        for kernel in [Kernel::V7_1, Kernel::V7_2] {
            let input = read(&coredump(kernel, &scene));
            let hang = HangReport::new(&input, &[], chip.gfx());
            let me = hang.positions.iter().find(|position| position.engine == CpEngine::Me).unwrap_or_else(|| panic!("{chip}: no position of ME"));
            assert!(me.candidates.iter().any(|place| place.dword == dword), "{chip}: dword {dword} is not in {me:?}");
            assert!(me.confidence < Confidence::High || me.candidates[0].dword == dword, "{chip}: sure and wrong: {me:?}");
            let text = text(&input, chip);
            for part in ["ME has no free context", "draw that can be in flight: ", "page fault: 0x800100400000", "fetched: IB #0 up to dword "] {
                assert!(text.contains(part), "{chip}, {kernel:?}: {part:?} is not in\n{text}");
            }
        }
    }
}

#[test]
fn what_a_kernel_did_not_write_down_is_said_and_explains_nothing() {
    for (chip, ib) in streams() {
        let (scene, _) = at_last_draw(chip, &ib);
        for kernel in KERNELS.into_iter().filter(|kernel| !matches!(kernel, Kernel::V7_1 | Kernel::V7_2)) {
            let name = format!("{chip}, {kernel:?}");
            let input = read(&coredump(kernel, &scene));
            let text = text(&input, chip);
            assert_eq!(
                text.contains("the dump does not hold the command buffers of the job"),
                kernel != Kernel::V7_1Cut || !input.buffers.iter().any(|b| !b.complete().is_empty() && b.usage == BufferUse::Submitted),
                "{name}: {text}"
            );
            assert!(!text.contains("that can explain it") && !text.contains("no finding can explain it"), "{name}: {text}");
            let hang = HangReport::new(&input, &[], chip.gfx());
            assert!(hang.positions.iter().all(|position| position.candidates.is_empty()), "{name}: {:?}", hang.positions);
            if kernel.has_registers(chip.gfx()) && !kernel.has_job() {
                let left = format!("starts it with {} dwords, {} of them were left to be fetched", ib.len(), scene.left);
                assert!(text.contains("kernels before 7.1 dump rings, and no buffers of jobs") && text.contains(&left), "{name}: {text}");
            }
            if kernel >= Kernel::V6_18 {
                assert!(text.contains("headers in its queue, in the order in which they were read: "), "{name}: {text}");
            }
        }
    }
}

/// Without the buffers of the dump, no rule has run.
#[test]
fn a_dump_whose_buffers_the_model_was_not_given_is_not_said_to_be_without_findings() {
    let (chip, ib) = streams().swap_remove(3);
    let (scene, _) = at_last_draw(chip, &ib);
    let input = read(&coredump(Kernel::V7_1, &scene));
    let explain = |submitted: bool| {
        let mut cp = CommandProcessor::new(chip);
        let ids = if submitted { input.submit(&mut cp) } else { Vec::new() };
        let report = HangReport::new(&input, &ids, chip.gfx());
        let mut out = Vec::new();
        let summary = hang::run(&mut out, &mut cp, &[], ReportOptions::default(), &report, &mut ()).expect("memory takes everything");
        (String::from_utf8(out).expect("UTF-8"), summary.packets, ids)
    };
    let (text, packets, _) = explain(false);
    assert!(packets == 0 && text.contains("no buffer of the dump was given to the model") && !text.contains("the rules found no error"), "{text}");
    let report = HangReport::new(&input, &[], chip.gfx());
    assert!(report.notes.iter().any(|note| note.starts_with("no buffer of the dump was given to the model")), "{:?}", report.notes);
    let (text, packets, ids) = explain(true);
    assert!(packets > 0 && text == explained(&input, chip, OutputFormat::Text), "{text}");
    // The whole ring is only for display.
    let executed: Vec<bool> = input.buffers.iter().map(|buffer| buffer.usage.is_executed()).collect();
    assert_eq!(ids.iter().map(Option::is_some).collect::<Vec<_>>(), executed);
}

#[test]
fn a_hang_on_a_compute_ring_is_found_by_what_its_queue_consumed() {
    let ib: Vec<u32> = (0..40).flat_map(|n| [0xC001_7602, 0x240, n, 0xC003_1502, n + 1, 1, 1, 0x41]).collect();
    for (chip, _) in streams() {
        // A dispatch that differs from all packets after it: the last one that was consumed.
        let scene = Scene { chip, ib: &ib, addr: ADDR, pfp: vec![], me: last_headers(&ib, 79), left: ib.len(), stalled: 0, fault: 0, compute: true };
        for kernel in [Kernel::V6_18, Kernel::V7_1, Kernel::V7_2] {
            let name = format!("{chip}, {kernel:?}");
            let input = read(&coredump(kernel, &scene));
            assert_eq!(input.damage, [], "{name}");
            assert_eq!(input.hang.as_ref().and_then(|hang| hang.ip_type), Some(1), "{name}");
            let hang = HangReport::new(&input, &[], chip.gfx());
            if kernel.has_job() {
                assert_eq!(hang.fetched.map(|(_, dword)| dword), Some(ib.len()), "{name}");
                let mec = hang.stalled().unwrap_or_else(|| panic!("{name}: no position"));
                assert_eq!((mec.engine, mec.candidates[0].dword), (CpEngine::Mec, ib.len() - 5), "{name}: {mec:?}");
                assert!(text(&input, chip).contains("latest draw that can be in flight: 39 (DISPATCH_DIRECT)"), "{name}");
            } else {
                assert!(hang.notes.iter().any(|note| note.contains("320 of them were consumed")), "{name}: {:?}", hang.notes);
            }
        }
    }
}

#[test]
fn a_damaged_dump_tells_the_place_and_what_is_left_is_used() {
    for (chip, ib) in streams() {
        let (scene, dword) = at_last_draw(chip, &ib);
        for kernel in KERNELS {
            let whole = coredump(kernel, &scene);
            let name = format!("{chip}, {kernel:?}");
            if kernel.has_registers(chip.gfx()) {
                // A register line torn at the end of a page.
                let torn = whole.replacen(" \t 0xa0003028", "", 1);
                let line = 1 + whole[..whole.find("GRBM_STATUS ").expect("the register")].lines().count() - 1;
                let input = read(&torn);
                let told = |remark: &pm4::input::InputMessage| remark.place == InputPlace::Line(line) && remark.message.contains("has no value");
                assert!(input.damage.iter().any(told), "{name}: line {line} is not in {:?}", input.damage);
            }
            if kernel.has_rings() {
                // A line of a ring is missing, and another occurs twice, which is harmless.
                let input = read(&whole.replacen("0x40 \t", "gone \t", 1));
                assert!(input.damage.iter().any(|remark| remark.message.contains("is not a word of ring")), "{name}: {:?}", input.damage);
                let at = whole.find("0x40 \t").expect("a word");
                let line = &whole[at..at + whole[at..].find('\n').expect("its end") + 1];
                // The words after it keep their positions.
                let missing = read(&whole.replacen(line, "", 1));
                assert!(missing.damage.iter().any(|remark| remark.message.contains(": no line for dword 16 before this one")), "{name}: {:?}", missing.damage);
                let input = read(&whole.replacen(line, &[line, line].concat(), 1));
                let lengths = |input: &Input| input.buffers.iter().map(|buffer| buffer.words.len()).collect::<Vec<_>>();
                assert_eq!(lengths(&missing), lengths(&input), "{name}");
                assert_eq!(input.damage.is_empty(), kernel != Kernel::V7_1Cut, "{name}: {:?}", input.damage);
            }
            if matches!(kernel, Kernel::V7_1 | Kernel::V7_2) {
                // Cut within the words of the job, far after the draw: the draw is still found.
                let end = whole.find("IB #0").expect("the job") + 30 + 11 * (ib.len() - 6);
                let input = read(&whole[..end]);
                assert!(input.damage.iter().any(|remark| remark.message.contains("dwords, but only")), "{name}: {:?}", input.damage);
                let hang = HangReport::new(&input, &[], chip.gfx());
                let me = hang.positions.iter().find(|position| position.engine == CpEngine::Me).expect("a position of ME");
                assert!(dword + 2 > ib.len() - 8 || me.candidates.iter().any(|place| place.dword == dword), "{name}: {me:?}");
                // Words lost by the cut are not a mistake of the driver.
                assert!(!text(&input, chip).contains("ENC-01"), "{name}");
            }
            // Anything may be missing: nothing panics, and nothing is invented.
            let cuts = if cfg!(debug_assertions) { 8 } else { 40 };
            for cut in (0..whole.len()).step_by(whole.len() / cuts + 1) {
                let Ok(input) = Source::open(&whole.as_bytes()[..cut], None).and_then(Source::load) else { continue };
                if input.form == InputForm::Devcoredump {
                    let words: usize = input.buffers.iter().map(|buffer| buffer.words.len()).sum();
                    assert!(words <= 3 * 2048 + 2 * 1024 + 2 * ib.len(), "{name}: {words} words");
                    text(&input, chip);
                }
            }
        }
    }
}

/// A submission of two frames: the frame boundary in its middle lies within a packet, and the words before the boundary belong to it.
#[test]
fn a_submission_longer_than_a_frame_is_not_cut_at_the_border() {
    let call = |n: u32| [0xC002_3F00, 0x0020_0000 + (n << 12), 0x8001, 0x0100_0010];
    let mut ring = vec![0xC003_2200, 0x0040_1160, 0, 0, 0x1F, 0xC005_3C00, 0x143, 0x1A00, 0x1A01, 1, 1, 0x20, 0xC001_2800, 0x8000_0000, 0, 0xC000_9000, 0];
    ring.extend((0..70).flat_map(call));
    ring.extend([0xC000_9000, 0x1000_0000, 0xC006_4900, 0x0660_3514, 0x2200_0000, 0x0040_1040, 0, 42, 0, 0]);
    ring.resize(2048, 0xFFFF_1000);
    let head = "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\nIP: gfx_v11_0\n\
        regGRBM_STATUS 0xa0400000\nregCP_STALLED_STAT2 0x00200000\nme 0, pipe 0, queue 0\n";
    let me: String = [0xC000_9000u32, 0xC001_2800, 0xC005_3C00, 0xC003_2200].iter().map(|header| format!("regCP_ME_HEADER_DUMP 0x{header:08x}\n")).collect();
    let job: String = [0xC001_2D00u32, 3, 2].iter().map(|word| format!("0x{word:08x}\n")).collect();
    for shift in [0, 0x700] {
        // The second time the submission wraps around the end of the ring.
        let write = (0x200 + shift) % 2048;
        let mut text = format!("{head}{me}Ring buffer information\nring name: gfx_0.0.0\nRptr: 0x{write:x} Wptr: 0x{write:x} RB mask: 7ff\n");
        text += "Ring size in dwords: 2048\nRing contents\nOffset \t Value\n";
        for at in 0..2048 {
            text += &format!("0x{:x} \t 0x{:x}\n", 4 * at, ring[(at + 2048 - shift) % 2048]);
        }
        let input = read(&text);
        let part = input.buffers.iter().find(|buffer| buffer.usage == BufferUse::Ring).expect("a part that was being executed");
        assert_eq!((part.name.as_str(), part.words.as_slice()), (&*format!("ring gfx_0.0.0 from dword 0x{shift:x}"), &ring[..512]));
        let report = explained(&input, Chip::Navi31, OutputFormat::Text);
        assert!(!report.contains("ENC-01") && report.contains("0 errors"), "{report}");
        // With a job started by a packet after the boundary, the search for engines starts at the beginning.
        let input = read(&format!("{text}IB #0 0x800100245000 3 dw\n{job}"));
        let hang = HangReport::new(&input, &[], Chip::Navi31.gfx());
        let me = hang.stalled().expect("ME has a queue");
        assert_eq!((hang.describe(me.candidates[0]), me.confidence), (format!("ring gfx_0.0.0 dword {}, FRAME_CONTROL", 15 + shift), Confidence::High));
    }
}

/// A report of RADV_DEBUG=hang: the draw between the last reached and the first unreached mark, the registers, and the page fault.
#[test]
fn marks_of_radv_name_the_draw_between_them() {
    let mark =
        |number: u32, told: &str| format!("c0001000 NOP:\n                 Trace point ID: {number}\n                 !!!!! {told} !!!!!\ncafe{number:04x} \n");
    let draw = |count: u32| format!("c0012d00 DRAW_INDEX_AUTO:\n{count:08x}         INDEX_COUNT <- {count}\n00000002 \n");
    let reached = mark(1, "This is the last trace point that was reached by the CP");
    let not = [mark(2, "This is the first trace point that was NOT been reached by the CP"), mark(3, "This trace point was NOT reached by the CP")].concat();
    let title = |kind: &str| format!("------------------ main IB {kind} - GFX ------------------\n");
    let commands = |between: &str| [&title("begin"), &draw(3), &reached, between, &not, &draw(9), &title("end")].concat();
    let machine = "family_id = 145\nchip_external_rev = 1\nFailing VM page: 0x00234000\nGCVM_L2_PROTECTION_FAULT_STATUS: 0x101131\n\
        Memory-mapped registers:\n        GRBM_STATUS <- 0xa0003028\n        CP_STALLED_STAT2 <- 2048 (0x00000800)\n";
    let input = read(&["Trace ID: 1\n", &commands(&draw(6)), machine].concat());
    assert_eq!((input.form, input.chip, input.damage.as_slice()), (InputForm::Mesa, Some(Chip::Navi31), &[][..]));
    let told = text(&input, Chip::Navi31);
    for part in [
        "ME at main IB dword 5, DRAW_INDEX_AUTO  (medium confidence, by marks of the driver: the mark reached last at main IB dword 3",
        "ME has no free context",
        "latest draw that can be in flight: 1 (DRAW_INDEX_AUTO) at main IB[5]",
        "page fault: 0x000000234000",
    ] {
        assert!(told.contains(part), "{part:?} is not in\n{told}");
    }
    // Two draws between the marks: both are named, and neither is certain. Without a mark none is.
    let input = read(&(commands(&draw(6).repeat(2)) + machine));
    let hang = HangReport::new(&input, &[], Chip::Navi31.gfx());
    assert_eq!((hang.positions[0].candidates.len(), hang.positions[0].confidence), (2, Confidence::Low));
    let input = read(&[title("begin"), draw(3), title("end"), machine.to_owned()].concat());
    assert!(HangReport::new(&input, &[], Chip::Navi31.gfx()).positions.is_empty());
    // If marks give the position of the hang, registers are not missed.
    let misses = |text: &str| HangReport::new(&read(text), &[], Chip::Navi31.gfx()).notes.iter().any(|note| note.starts_with("no register shows"));
    let fault = "family_id = 145\nchip_external_rev = 1\nFailing VM page: 0x00234000\n";
    assert!(!misses(&(commands(&draw(6)) + fault)) && misses(&[&title("begin"), &draw(3), &title("end"), fault].concat()));
    // A text of AMD_DEBUG=ib is not a hang.
    assert!(read(&[title("begin"), draw(3), title("end")].concat()).hang.is_none());
}
