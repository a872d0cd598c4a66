//! Task shaders with mesh shaders: a gang of a graphics and a compute queue in the model, and RADV's packets.

mod support;

use pm4::chip::{Chip, Gfx};
use pm4::cp::{CommandProcessor, Finding, Observer, Severity};
use pm4::draw::*;
use pm4::packet::{Opcode, Queue, Reader, Writer};
use support::captured::all_captures;
use support::draws::queue_memory;

const RINGS: u64 = 0x10_0000;
const GANG: GangMemory = GangMemory { addr: 0x20_0000 };

fn chips() -> impl Iterator<Item = Chip> {
    Chip::all().filter(|chip| chip.gfx() >= Gfx::Gfx103)
}

fn mesh(chip: Chip) -> Resolved {
    let user_data = match chip.gfx() {
        Gfx::Gfx103 => vec![UserData::GroupsX, UserData::GroupsY, UserData::GroupsZ, UserData::RingEntry],
        _ => vec![UserData::RingEntry],
    };
    let program = Program { address: Some(0x40_0000), user_data, ..Program::default() };
    let mut desc = DrawDesc { vertex: VertexStage { program, ..VertexStage::default() }, mesh: Some(MeshStage::default()), ..DrawDesc::default() };
    desc.shader.iter_mut().for_each(|shader| shader.program.address = Some(0x41_0000));
    desc.resolve(chip).expect("a mesh shader")
}

fn task(chip: Chip) -> ResolvedDispatch {
    let program = Program { address: Some(0x42_0000), wave: WaveSize::W32, user_data: vec![UserData::Keep; 8], ..Program::default() };
    DispatchDesc { program, group: [32, 1, 1], workgroup_info: true, ..DispatchDesc::default() }.resolve(chip).expect("a task shader")
}

/// The streams of both queues: so many task dispatches, and so many draws that take them.
fn gang(chip: Chip, tasks: u32, draws: u32) -> [Vec<u32>; 2] {
    let rings = TaskRings::at(chip, RINGS).expect("rings");
    let groups = TaskGroups { groups: [4, 1, 1], ring_entry: 7, xyz: Some(4) };
    let mut graphics = Recorder::new(chip);
    graphics.begin_with(&queue_memory()).expect("a preamble");
    graphics.set_task_rings(&rings).expect("rings");
    graphics.begin_gang(GANG).expect("a wait");
    (0..draws).for_each(|_| graphics.draw_call(&mesh(chip), &DrawCall::TaskMesh { linear: true }).expect("a draw"));
    graphics.end_gang(GANG).expect("a wait");
    let mut compute = Recorder::over(chip, Writer::growable(chip.gfx(), Queue::Compute));
    compute.begin_compute().expect("room");
    compute.set_task_rings(&rings).expect("rings");
    compute.begin_gang(GANG).expect("a wait");
    (0..tasks).for_each(|_| compute.task_groups(&task(chip), &groups).expect("a dispatch"));
    compute.end_gang(GANG).expect("a fence");
    [graphics.finish().expect("an end"), compute.finish().expect("an end")]
}

#[derive(Default)]
struct Findings(Vec<String>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.extend((finding.severity != Severity::Info).then(|| format!("{} {finding}", finding.code)));
    }
}

fn run(chip: Chip, [graphics, compute]: &[Vec<u32>; 2]) -> Vec<String> {
    let control = TaskRings::at(chip, RINGS).expect("rings").control_words();
    let mut cp = CommandProcessor::new(chip);
    cp.map("control", RINGS, &control);
    cp.map("gang", GANG.addr, &[0; 2]);
    cp.submit(Queue::Graphics, "graphics", graphics);
    cp.submit(Queue::Compute, "compute", compute);
    let mut found = Findings::default();
    cp.run(&mut found);
    found.0
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

#[test]
fn a_gang_takes_its_words_back_for_the_next_one() {
    for chip in chips() {
        let [graphics, compute] = gang(chip, 1, 1);
        let control = TaskRings::at(chip, RINGS).expect("rings").control_words();
        let mut cp = CommandProcessor::new(chip);
        cp.map("control", RINGS, &control);
        cp.map("gang", GANG.addr, &[0; 2]);
        cp.submit(Queue::Graphics, "graphics", &graphics);
        cp.submit(Queue::Compute, "compute", &compute);
        cp.run(&mut ());
        assert_eq!([0, 4].map(|at| cp.memory(GANG.addr + at)), [Some(0); 2], "{chip}");
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
        let file = all_captures().join(format!("{chip}/taskmesh_none_s4.ace0.bin"));
        if let Ok(bytes) = std::fs::read(file) {
            let theirs: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
            assert_eq!(dispatch, bodies(&theirs, Opcode::DISPATCH_TASKMESH_DIRECT_ACE), "{chip}");
        }
    }
}

#[test]
fn rings_lie_one_behind_the_other() {
    for chip in chips() {
        let rings = TaskRings::at(chip, RINGS).expect("rings");
        let entries = u64::from(rings.entries());
        assert_eq!(entries, if ["gfx1033", "gfx1034", "gfx1035"].contains(&chip.info().llvm) { 256 } else { 1024 }, "{chip}");
        assert_eq!(
            (rings.draws(), rings.payloads(), rings.bytes()),
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
        let mut compute = Recorder::over(chip, Writer::growable(chip.gfx(), Queue::Compute));
        let mut refused = |tasks| compute.task_groups(&task(chip), &tasks).expect_err("refused").to_string();
        assert!(refused(TaskGroups { groups: [1; 3], ring_entry: 16, xyz: None }).contains("16 user SGPRs"), "{chip}");
        assert!(refused(TaskGroups { groups: [1; 3], ring_entry: 5, xyz: Some(4) }).contains("share a user SGPR"), "{chip}");
        assert!(compute.begin_gang(GangMemory { addr: 4 }).is_err(), "{chip}");
        let plain = DrawDesc { mesh: Some(MeshStage::default()), ..DrawDesc::default() }.resolve(chip).expect("a mesh shader");
        let error = Recorder::secondary(chip).draw_call(&plain, &DrawCall::TaskMesh { linear: false }).expect_err("no ring entry").to_string();
        assert!(error.contains("UserData::RingEntry"), "{chip}: {error}");
    }
}
