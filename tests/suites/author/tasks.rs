//! Task shaders with mesh shaders: a gang of a graphics and a compute queue in the model, and RADV's packets.

use crate::support;
use pm4::chip::{Chip, Erratum, Gfx};
use pm4::cp::{CommandProcessor, DrawView, Finding, FirmwareVersions, Observer, Severity};
use pm4::draw::*;
use pm4::packet::{Event, Firmware, Opcode, Queue, Reader, Writer, WriterOptions};
use support::captured::read_capture;
use support::draws::queue_memory;

const RINGS: u64 = 0x10_0000;
const GANG: GangMemory = GangMemory { address: 0x20_0000 };

fn chips() -> impl Iterator<Item = Chip> {
    Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103)
}

fn mesh(chip: Chip) -> Resolved {
    let user_data = match chip.gfx() {
        Gfx::Gfx103 => vec![UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ, UserData::RingEntry],
        _ => vec![UserData::RingEntry],
    };
    let program = Program { address: Some(0x40_0000), user_data, ..Program::default() };
    let mut desc =
        DrawDesc::from(PipelineDesc { vertex: VertexStage { program, ..VertexStage::default() }, mesh: Some(MeshStage::default()), ..PipelineDesc::default() });
    desc.pipeline.shader.iter_mut().for_each(|shader| shader.program.address = Some(0x41_0000));
    desc.resolve(chip).expect("a mesh shader")
}

fn task(chip: Chip) -> ResolvedDispatch {
    let program = Program { address: Some(0x42_0000), wave: WaveSize::W32, user_data: vec![UserData::Keep; 8], ..Program::default() };
    DispatchDesc { program, group: [32, 1, 1], workgroup_info: true, ..DispatchDesc::default() }.resolve(chip).expect("a task shader")
}

/// Returns the streams of both queues, with this number of task dispatches and of draws that take them.
fn gang(chip: Chip, tasks: u32, draws: u32) -> [Vec<u32>; 2] {
    let groups = TaskGroups { groups: [4, 1, 1], ring_entry: 7, xyz: Some(4) };
    let task = task(chip);
    gang_of(chip, draws, WriterOptions::default(), |compute| (0..tasks).try_for_each(|_| compute.task_groups(&task, &groups)))
}

/// Returns the same with any task work.
fn gang_of(chip: Chip, draws: u32, options: WriterOptions, tasks: impl FnOnce(&mut Recorder<Vec<u32>>) -> Result<(), RecordError>) -> [Vec<u32>; 2] {
    let rings = TaskRings::at(chip, RINGS).expect("rings");
    let mut graphics = Recorder::new(chip);
    graphics.begin_with(&queue_memory()).expect("a preamble");
    graphics.set_task_rings(&rings).expect("rings");
    graphics.begin_gang(GANG).expect("a wait");
    (0..draws).for_each(|_| graphics.draw_call(&mesh(chip), &DrawCall::TaskMesh { linear: true }).expect("a draw"));
    graphics.end_gang(GANG).expect("a wait");
    let mut writer = Writer::growable(chip.gfx(), Queue::Compute);
    writer.set_options(options);
    let mut compute = Recorder::from_writer(chip, writer);
    compute.begin_compute().expect("room");
    compute.set_task_rings(&rings).expect("rings");
    compute.begin_gang(GANG).expect("a wait");
    tasks(&mut compute).expect("task work");
    compute.end_gang(GANG).expect("a fence");
    [graphics.finish().expect("an end"), compute.finish().expect("an end")]
}

/// Rings of task shaders change only while no compute wave can read them: compute queues wait for their waves, which the graphics queue cannot do this way.
#[test]
fn compute_queues_wait_for_their_waves_before_their_rings_change() {
    for chip in Chip::all().filter(|chip| TaskRings::at(*chip, RINGS).is_ok()) {
        for (queue, waits) in [(Queue::Graphics, false), (Queue::Compute, true)] {
            let mut recorder = Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue));
            recorder.set_task_rings(&TaskRings::at(chip, RINGS).expect("rings")).expect("room");
            let first = Reader::new(recorder.words()).flatten().next().expect("a packet");
            let flush = first.opcode() == Some(Opcode::EVENT_WRITE) && first.body[0] & 0x3F == u32::from(Event::CS_PARTIAL_FLUSH.0);
            assert_eq!(flush, waits, "{chip} {queue:?}");
        }
    }
}

/// The wait of a gang and the write after it are one call: without room for both nothing is written.
#[test]
fn a_refused_call_of_a_gang_leaves_no_trace() {
    for chip in Chip::all().filter(|chip| TaskRings::at(*chip, RINGS).is_ok()) {
        for (queue, ends) in [(Queue::Graphics, false), (Queue::Graphics, true), (Queue::Compute, false), (Queue::Compute, true)] {
            let fits = (0..40).position(|room| {
                let mut memory = vec![0; room];
                let mut recorder = Recorder::from_writer(chip, Writer::fixed(chip.gfx(), queue, &mut memory));
                let done = if ends { recorder.end_gang(GANG) } else { recorder.begin_gang(GANG) };
                assert!(done.is_ok() || recorder.words().is_empty(), "{chip} {queue:?}, room for {room}: {:x?}", recorder.words());
                done.is_ok()
            });
            assert!(fits.is_some_and(|room| room > 4), "{chip} {queue:?}: {fits:?}");
        }
    }
}

/// The writes and waits of a gang's queues: 1 and back to 0 at the first dword, the same at the second.
#[test]
fn a_gang_begins_and_ends_with_the_expected_words() {
    for chip in Chip::all().filter(|chip| TaskRings::at(*chip, RINGS).is_ok()) {
        let of = |queue| Recorder::from_writer(chip, Writer::growable(chip.gfx(), queue));
        let (mut graphics, mut compute) = (of(Queue::Graphics), of(Queue::Compute));
        for recorder in [&mut graphics, &mut compute] {
            recorder.begin_gang(GANG).expect("room");
            recorder.end_gang(GANG).expect("room");
        }
        // Address, then value; for waits, the comparison (5: greater or equal) comes first.
        let told = |recorder: &Recorder<Vec<u32>>| -> Vec<Vec<u64>> {
            let at = |body: &[u32], place: usize| u64::from(body[place]) | u64::from(body[place + 1]) << 32;
            let packets = Reader::new(recorder.words()).flatten().map(|packet| match packet.opcode() {
                Some(Opcode::WRITE_DATA) => vec![at(packet.body, 1), packet.body[3].into()],
                Some(Opcode::WAIT_REG_MEM) => vec![(packet.body[0] & 7).into(), at(packet.body, 1), packet.body[3].into()],
                Some(Opcode::RELEASE_MEM) => vec![at(packet.body, 2), at(packet.body, 4)],
                other => panic!("{other:?}"),
            });
            packets.collect()
        };
        let (first, second) = (GANG.address, GANG.address + 4);
        assert_eq!(told(&graphics), [vec![first, 1], vec![5, second, 1], vec![second, 0]], "{chip}");
        assert_eq!(told(&compute), [vec![5, first, 1], vec![first, 0], vec![second, 1]], "{chip}");
    }
}

#[derive(Default)]
struct Findings(Vec<String>, Vec<&'static str>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.extend((finding.severity != Severity::Info).then(|| format!("{} {finding}", finding.code)));
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.1.push(view.name());
    }
}

fn run(chip: Chip, streams: &[Vec<u32>; 2]) -> Vec<String> {
    run_with(chip, streams, 0).0
}

/// Returns the findings and the executed dispatches, with this number of task dispatches in memory and firmware that hangs from 0.
fn run_with(chip: Chip, [graphics, compute]: &[Vec<u32>; 2], number: u32) -> Findings {
    let number = [number, 0, 0, 0];
    let control = TaskRings::at(chip, RINGS).expect("rings").control_words();
    let mut cp = CommandProcessor::new(chip);
    cp.map("control", RINGS, &control);
    cp.map("gang", GANG.address, &[0; 2]);
    cp.map("draw count", NUMBER, &number);
    cp.map("task-skip flag", RAN_NOT, &[0; 4]);
    cp.map("workgroups", WORKGROUPS, &[1; 32]);
    cp.firmware(FirmwareVersions { mec: Some(99), ..FirmwareVersions::default() });
    cp.submit(Queue::Graphics, "graphics", graphics);
    cp.submit(Queue::Compute, "compute", compute);
    let mut found = Findings::default();
    cp.run(&mut found);
    found
}

/// Addresses of the number of indirect task dispatches, of their workgroups, and of the dword that records that none ran.
const NUMBER: u64 = 0x30_0000;
const WORKGROUPS: u64 = 0x30_1004;
const RAN_NOT: u64 = 0x30_2000;

fn indirect(count: Option<u64>, draws: u32) -> TaskGroupsIndirect {
    let draws = IndirectDraws { arguments: WORKGROUPS, stride: 16, draws, count };
    TaskGroupsIndirect { draws, ring_entry: 7, xyz: Some(4), draw_index: Some(3) }
}

/// Returns a gang with indirect task work, from a writer with this compute firmware.
fn indirect_gang(chip: Chip, tasks: TaskGroupsIndirect, draws: u32, mec: u32) -> [Vec<u32>; 2] {
    let options = WriterOptions { firmware: Firmware { mec, ..Firmware::default() }, ..WriterOptions::default() };
    let program = task(chip);
    gang_of(chip, draws, options, |compute| {
        compute.set_task_count_memory(RAN_NOT);
        compute.task_groups_indirect(&program, &tasks)
    })
}

const SEVERAL: &str = "DISPATCH_TASKMESH_INDIRECT_MULTI_ACE";
const DIRECT: &str = "DISPATCH_TASKMESH_DIRECT_ACE";

/// Mesa 25.0.7 has_taskmesh_indirect0_bug: on chips that hang from a count of 0, exactly one of two dispatches runs, and one draw takes it.
#[test]
fn a_number_of_task_dispatches_in_memory_runs_one_of_two_packets() {
    for chip in chips() {
        let streams = indirect_gang(chip, indirect(Some(NUMBER), 8), 1, 99);
        for number in [0, 1, 5] {
            let found = run_with(chip, &streams, number);
            assert!(found.0.is_empty(), "{chip}, {number}: {:#?}", found.0);
            let expected = if number == 0 && chip.has(Erratum::TaskmeshIndirectZero) { DIRECT } else { SEVERAL };
            assert_eq!(found.1, [expected], "{chip}, {number}");
        }
        // Pairs that do not match.
        let two = run_with(chip, &indirect_gang(chip, indirect(Some(NUMBER), 8), 2, 99), 5).0;
        assert!(two.iter().any(|finding| finding.contains("SYN-18")), "{chip}: {two:#?}");
        let none = run_with(chip, &gang_of(chip, 1, WriterOptions::default(), |_| Ok(())), 5).0;
        assert!(none.iter().any(|finding| finding.contains("SYN-18")), "{chip}: {none:#?}");
    }
}

/// Any task work, direct and indirect, whatever its count in memory: as many draws take it, both queues run to the end, and one draw too many or too few is
/// reported.
#[test]
fn any_task_work_pairs_with_its_draws() {
    fn holds(which: u8, work: Vec<(bool, u8)>, number: u8) -> Result<(), String> {
        let chips: Vec<Chip> = chips().collect();
        let chip = chips[usize::from(which) % chips.len()];
        let work: Vec<_> = work.into_iter().take(6).collect();
        let (program, draws) = (task(chip), work.len() as u32);
        let streams = |draws| {
            gang_of(chip, draws, WriterOptions::default(), |compute| {
                compute.set_task_count_memory(RAN_NOT);
                work.iter().try_for_each(|(is_indirect, n)| match is_indirect {
                    true => compute.task_groups_indirect(&program, &indirect((n % 2 == 1).then_some(NUMBER), u32::from(*n % 8))),
                    false => compute.task_groups(&program, &TaskGroups { groups: [u32::from(*n), 1, 2], ring_entry: 7, xyz: Some(4) }),
                })
            })
        };
        let found = run_with(chip, &streams(draws), u32::from(number % 3));
        if !found.0.is_empty() || found.1.len() != work.len() {
            return Err(format!("{chip}: {} dispatches of {}: {:#?}", found.1.len(), work.len(), found.0));
        }
        let more = run_with(chip, &streams(draws + 1), u32::from(number % 3)).0;
        if !more.iter().any(|finding| finding.contains("SYN-18")) {
            return Err(format!("{chip}: a draw without task work is not told: {more:#?}"));
        }
        let fewer = if draws > 1 { run_with(chip, &streams(draws - 1), u32::from(number % 3)).0 } else { vec!["SYN-27".into()] };
        if fewer.iter().any(|finding| finding.contains("SYN-27")) { Ok(()) } else { Err(format!("{chip}: task work without a draw is not told: {fewer:#?}")) }
    }
    support::property("task work", 100, holds as fn(u8, Vec<(bool, u8)>, u8) -> Result<(), String>);
}

#[test]
fn firmware_that_takes_a_number_of_0_needs_no_second_packet() {
    let guards = |words: &[u32]| Reader::new(words).flatten().filter(|packet| packet.opcode() == Some(Opcode::COND_EXEC)).count();
    for chip in chips() {
        let hit = if chip.has(Erratum::TaskmeshIndirectZero) { 2 } else { 0 };
        let of = |mec| guards(&indirect_gang(chip, indirect(Some(NUMBER), 8), 1, mec)[1]);
        assert_eq!([of(0), of(99), of(100), of(u32::MAX)], [hit, hit, 0, hit], "{chip}: what nobody has told counts as old");
        // The model knows the count in memory, and reports the effect of old firmware.
        let found = run_with(chip, &indirect_gang(chip, indirect(Some(NUMBER), 8), 1, 100), 0).0;
        assert_eq!(found.iter().filter(|finding| finding.starts_with("SYN-29")).count(), hit / 2, "{chip}: {found:#?}");
        // A count of 0 in the packet is a dispatch of no workgroups.
        let streams = indirect_gang(chip, indirect(None, 0), 1, 99);
        let found = run_with(chip, &streams, 0);
        assert_eq!((found.0, found.1), (vec![], vec![DIRECT]), "{chip}");
        // Nothing provides the memory that the workaround needs.
        let mut compute = Recorder::from_writer(chip, Writer::growable(chip.gfx(), Queue::Compute)).after_preamble();
        let refused = compute.task_groups_indirect(&task(chip), &indirect(Some(NUMBER), 8)).err().map(|error| error.to_string());
        assert_eq!(refused.is_some(), hit > 0, "{chip}");
        assert!(refused.is_none_or(|error| error.contains("set_task_count_memory")), "{chip}");
    }
}

#[test]
fn indirect_task_work_names_its_memory_and_sgprs() {
    for chip in chips() {
        let [_, compute] = indirect_gang(chip, indirect(Some(NUMBER), 8), 1, 100);
        let packet = Reader::new(&compute).flatten().find(|packet| packet.opcode() == Some(Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE)).expect("a packet");
        let initiator = packet.body[9];
        // COMPUTE_USER_DATA_0 is 0x240 dwords after the start of the window: entry in 7, index in 3, workgroups in 4 to 6, count from memory.
        let expected = [WORKGROUPS as u32, 0, 0x247, 1 << 1 | 1 << 2 | 1 << 3 | 0x243 << 16, 0x244, 8, NUMBER as u32, 0, 16, initiator];
        assert_eq!(packet.body, expected, "{chip}");
        let [_, direct] = gang(chip, 1, 1);
        let direct = Reader::new(&direct).flatten().find(|packet| packet.opcode() == Some(Opcode::DISPATCH_TASKMESH_DIRECT_ACE)).expect("a packet");
        assert_eq!(direct.body[3], initiator, "{chip}: the same initiator as that of direct work");
    }
}

/// Work that draws nothing is task work of no workgroup; a single dispatch is read from memory like several.
#[test]
fn indirect_task_work_of_no_dispatch_is_direct() {
    for chip in chips() {
        for (draws, packets) in [(0, [1, 0]), (1, [0, 1]), (2, [0, 1])] {
            let [_, compute] = indirect_gang(chip, indirect(None, draws), 1, 100);
            let count = |opcode| Reader::new(&compute).flatten().filter(|packet| packet.opcode() == Some(opcode)).count();
            let found = [Opcode::DISPATCH_TASKMESH_DIRECT_ACE, Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE].map(count);
            assert_eq!(found, packets, "{chip}: {draws} dispatches");
        }
    }
}

/// RADV's indirect mesh draws: three of them, and a count in memory of at most four.
#[test]
fn indirect_mesh_draws_are_recorded_as_radv_records_them() {
    for chip in [Chip::Navi21, Chip::Navi31] {
        let Some(bytes) = read_capture(&format!("{chip}/mesh_indirect.bin")) else { continue };
        let theirs: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let user_data = if chip == Chip::Navi21 { vec![UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ] } else { vec![] };
        let vertex = VertexStage { program: Program { user_data, ..Program::default() }, ..VertexStage::default() };
        let state = DrawDesc::from(PipelineDesc { vertex, mesh: Some(MeshStage::default()), ..PipelineDesc::default() }).resolve(chip).expect("a mesh shader");
        let bodies = |words: &[u32], opcode| -> Vec<Vec<u32>> {
            Reader::new(words).flatten().filter(|packet| packet.opcode() == Some(opcode)).map(|packet| packet.body.to_vec()).collect()
        };
        // Addresses are those of the recording.
        let bases = bodies(&theirs, Opcode::SET_BASE);
        let [first, second] = [0, 1].map(|n: usize| u64::from(bases[n][1]) | u64::from(bases[n][2] & 0xFFFF) << 32);
        let packets = bodies(&theirs, Opcode::DISPATCH_MESH_INDIRECT_MULTI);
        let count = u64::from(packets[1][4]) | u64::from(packets[1][5] & 0xFFFF) << 32;
        let mut recorder = Recorder::secondary(chip);
        let draws = |arguments, draws, count| DrawCall::MeshIndirect(IndirectDraws { arguments, stride: 12, draws, count });
        recorder.draw_call(&state, &draws(first, 3, None)).expect("a call");
        recorder.draw_call(&state, &draws(second, 4, Some(count))).expect("a call");
        let mut ours = bodies(recorder.words(), Opcode::DISPATCH_MESH_INDIRECT_MULTI);
        // RADV writes sign-extended addresses.
        ours[1][5] = packets[1][5];
        assert_eq!(ours, packets, "{chip}");
    }
}

#[test]
fn a_gang_runs_to_the_end_where_tasks_and_draws_pair() {
    for chip in chips() {
        let found = run(chip, &gang(chip, 3, 3));
        assert!(found.is_empty(), "{chip}: {found:#?}");
        let fewer = run(chip, &gang(chip, 1, 2));
        assert!(fewer.iter().any(|finding| finding.contains("SYN-18")), "{chip}: a draw without tasks waits for ever: {fewer:#?}");
        let more = run(chip, &gang(chip, 2, 1));
        assert!(more.iter().any(|finding| finding.contains("SYN-27")), "{chip}: tasks without a draw: {more:#?}");
    }
}

/// Mesh work from memory or from tasks does not state instances: the packet uses those of an earlier draw, unless the number is reset to one. In RADV's
/// recordings this precedes task work.
#[test]
fn mesh_work_is_one_instance_whatever_an_earlier_draw_had() {
    for chip in chips() {
        let vertices = DrawDesc::default().resolve(chip).expect("a draw");
        let several = DrawCall::Auto { vertices: Vertices { first: 0, count: 3 }, instances: Instances { first: 0, count: 7 } };
        let indirect = |draws| DrawCall::MeshIndirect(IndirectDraws { arguments: WORKGROUPS, stride: 12, draws, count: None });
        let calls = [(DrawCall::TaskMesh { linear: false }, 1), (indirect(2), 1), (indirect(0), 7), (DrawCall::Mesh { groups: [1, 1, 1] }, 1)];
        for (call, expected) in calls {
            let mut recorder = Recorder::secondary(chip);
            recorder.draw_call(&vertices, &several).expect("a draw of 7 instances");
            recorder.draw_call(&mesh(chip), &call).expect("mesh work");
            let instances = Reader::new(recorder.words()).flatten().filter(|packet| packet.opcode() == Some(Opcode::NUM_INSTANCES));
            assert_eq!(instances.last().map(|packet| packet.body[0]), Some(expected), "{chip}: {call:?}");
        }
    }
    for chip in [Chip::Navi21, Chip::Navi31] {
        let Some(bytes) = read_capture(&format!("{chip}/taskmesh_none_s4.bin")) else { continue };
        let theirs: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let opcodes = Reader::new(&theirs).flatten().filter_map(|packet| packet.opcode().map(|opcode| (opcode, packet.body.first().copied())));
        let before = opcodes.take_while(|(opcode, _)| *opcode != Opcode::DISPATCH_TASKMESH_GFX).filter(|(opcode, _)| *opcode == Opcode::NUM_INSTANCES);
        assert_eq!(before.last().and_then(|(_, count)| count), Some(1), "{chip}");
    }
}

#[test]
fn a_gang_takes_its_words_back_for_the_next_one() {
    for chip in chips() {
        let [graphics, compute] = gang(chip, 1, 1);
        let control = TaskRings::at(chip, RINGS).expect("rings").control_words();
        let mut cp = CommandProcessor::new(chip);
        cp.map("control", RINGS, &control);
        cp.map("gang", GANG.address, &[0; 2]);
        cp.submit(Queue::Graphics, "graphics", &graphics);
        cp.submit(Queue::Compute, "compute", &compute);
        cp.run(&mut ());
        assert_eq!([0, 4].map(|at| cp.memory(GANG.address + at)), [Some(0); 2], "{chip}");
    }
}

#[test]
fn task_work_is_recorded_as_radv_records_it() {
    for (chip, draw) in [(Chip::Navi21, vec![0x008F_008C, 0, 2]), (Chip::Navi31, vec![0x008C_0000, 1 << 28, 2])] {
        let [graphics, compute] = gang(chip, 1, 1);
        let bodies = |words: &[u32], opcode| -> Vec<Vec<u32>> {
            Reader::new(words)
                .map(|packet| packet.expect("a packet"))
                .filter(|packet| packet.opcode() == Some(opcode))
                .map(|packet| packet.body.to_vec())
                .collect()
        };
        assert_eq!(bodies(&graphics, Opcode::DISPATCH_TASKMESH_GFX), [draw], "{chip}");
        let dispatch = bodies(&compute, Opcode::DISPATCH_TASKMESH_DIRECT_ACE);
        assert_eq!(dispatch, [[4, 1, 1, 0x2_A041, 583]], "{chip}");
        if let Some(bytes) = read_capture(&format!("{chip}/taskmesh_none_s4.ace0.bin")) {
            let theirs: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
            assert_eq!(dispatch, bodies(&theirs, Opcode::DISPATCH_TASKMESH_DIRECT_ACE), "{chip}");
        }
    }
}

#[test]
fn rings_lie_one_after_the_other() {
    for chip in chips() {
        let rings = TaskRings::at(chip, RINGS).expect("rings");
        let entries = u64::from(rings.entries());
        assert_eq!(entries, if ["gfx1033", "gfx1034", "gfx1035"].contains(&chip.info().llvm) { 256 } else { 1024 }, "{chip}");
        assert_eq!(
            (rings.entries_address(), rings.payloads_address(), rings.memory_bytes()),
            (RINGS + 256, RINGS + 256 + 16 * entries, 256 + 16 * entries + (16 << 10) * entries),
            "{chip}"
        );
        assert_eq!(rings.control_words()[..7], [entries as u32, 0, entries as u32, 0, entries as u32, 0, entries as u32], "{chip}");
        assert!(TaskRings::at(chip, 0x80).is_err(), "{chip}");
    }
    assert!(matches!(TaskRings::at(Chip::Navi10, RINGS), Err(DrawError::OptionAbsent { .. })));
}

#[test]
fn wrong_task_work_is_refused_with_the_input_named() {
    for chip in chips() {
        let mut compute = Recorder::from_writer(chip, Writer::growable(chip.gfx(), Queue::Compute));
        let mut refused = |tasks| compute.task_groups(&task(chip), &tasks).expect_err("refused").to_string();
        assert!(refused(TaskGroups { groups: [1; 3], ring_entry: 16, xyz: None }).contains("16 user SGPRs"), "{chip}");
        assert!(refused(TaskGroups { groups: [1; 3], ring_entry: 5, xyz: Some(4) }).contains("share a user SGPR"), "{chip}");
        assert!(refused(TaskGroups { groups: [1; 3], ring_entry: 5, xyz: Some(u32::MAX) }).contains("16 user SGPRs"), "{chip}");
        let mut refused = |tasks: TaskGroupsIndirect| compute.task_groups_indirect(&task(chip), &tasks).expect_err("refused").to_string();
        let with = |change: fn(&mut TaskGroupsIndirect)| {
            let mut tasks = indirect(None, 4);
            change(&mut tasks);
            tasks
        };
        assert!(refused(with(|tasks| tasks.draws.stride = 8)).contains("the stride is 8 bytes"), "{chip}");
        assert!(refused(with(|tasks| tasks.draws.arguments = 2)).contains("address 0x2"), "{chip}");
        assert!(refused(with(|tasks| tasks.draw_index = Some(6))).contains("share a user SGPR"), "{chip}");
        assert!(refused(with(|tasks| tasks.draw_index = Some(16))).contains("16 user SGPRs"), "{chip}");
        let other = chips().find(|other| *other != chip).expect("another chip");
        let groups = TaskGroups { groups: [1; 3], ring_entry: 7, xyz: Some(4) };
        assert!(
            matches!(compute.task_groups(&task(other), &groups), Err(RecordError::OtherChip { resolved, recorder }) if (resolved, recorder) == (other, chip))
        );
        assert!(matches!(compute.task_groups_indirect(&task(other), &indirect(None, 4)), Err(RecordError::OtherChip { .. })), "{chip}");
        assert!(compute.words().is_empty(), "{chip}: what is refused leaves nothing");
        assert!(compute.begin_gang(GangMemory { address: 4 }).is_err(), "{chip}");
        let plain = DrawDesc::from(PipelineDesc { mesh: Some(MeshStage::default()), ..PipelineDesc::default() }).resolve(chip).expect("a mesh shader");
        let error = Recorder::secondary(chip).draw_call(&plain, &DrawCall::TaskMesh { linear: false }).expect_err("no ring entry").to_string();
        assert!(error.contains("UserData::RingEntry"), "{chip}: {error}");
    }
}

/// The last payload is below 2^48, or in the upper half with the upper bits set.
#[test]
fn rings_that_do_not_fit_into_memory_are_refused() {
    for chip in chips() {
        for control in [0xFFFF_FFFF_FFFF_FF00, 0xFFFF_FFFF_FF00, 0x7FFF_FFFF_FF00] {
            let error = TaskRings::at(chip, control).expect_err("no room").to_string();
            assert!(error.contains("the rings fit") && error.contains("0x"), "{chip}: {error}");
        }
        let rings = TaskRings::at(chip, 0xFFFF_8000_0000_0000).expect("room");
        assert_eq!(rings.payloads_address() - rings.control_address(), TaskRings::at(chip, 0x100).expect("room").payloads_address() - 0x100, "{chip}");
    }
}
