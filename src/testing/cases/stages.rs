//! STA: draws and dispatches, from indices to the last stage before the rasterizer.

use crate::cp::BoardFacts;
use crate::packet::{Header, Queue, ShaderType};
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::Pen;
use crate::testing::ground::stream::Stated;
use alloc::vec::Vec;

const HS: u32 = 1 << 2;
const GS: u32 = 1 << 5;
const FAST_LAUNCH: u32 = 1 << 19;

/// Returns state, packets, the words that differ, and a draw.
fn drawn(pen: Pen, before: &[Vec<u32>], hit: Vec<u32>, miss: Vec<u32>) -> Option<Pair> {
    let with = |word: Vec<u32>| pen.drawn(&[before.concat(), word]);
    Some(Pair::new(pen, with(hit), with(miss)))
}

fn stages(pen: Pen, value: u32) -> Vec<u32> {
    pen.set("VGT_SHADER_STAGES_EN", value)
}

/// Returns draws with a wrong and a right value of a register field.
fn field(pen: Pen, before: &[Vec<u32>], register: &str, name: &str, hit: u64, miss: u64) -> Option<Pair> {
    drawn(pen, before, pen.fields(register, &[(name, hit)]), pen.fields(register, &[(name, miss)]))
}

/// Returns programs of tessellation or of a geometry shader, as far as the generation has registers for them.
fn programs(pen: Pen, names: &[&str]) -> Vec<u32> {
    names.iter().filter(|name| pen.has(name)).flat_map(|name| pen.set(name, 1)).collect()
}

fn tessellation(pen: Pen) -> Vec<u32> {
    programs(pen, &["SPI_SHADER_PGM_LO_LS", "SPI_SHADER_PGM_LO_HS", "SPI_SHADER_PGM_RSRC1_HS"])
        .into_iter()
        .chain(pen.set("SPI_SHADER_PGM_RSRC2_HS", 0))
        .chain(pen.set("VGT_PRIMITIVE_TYPE", 9))
        .collect()
}

fn geometry(pen: Pen) -> Vec<u32> {
    programs(pen, &["SPI_SHADER_PGM_LO_ES", "SPI_SHADER_PGM_LO_GS", "SPI_SHADER_PGM_RSRC1_GS"])
        .into_iter()
        .chain(pen.set("SPI_SHADER_PGM_RSRC2_GS", 0))
        .chain(pen.set("SPI_SHADER_PGM_LO_VS", 1))
        .collect()
}

/// States that the board has this number of shader engines.
fn engines(count: u32) -> Stated {
    Stated { board: BoardFacts { shader_engines: Some(count), ..BoardFacts::default() }, ..Stated::default() }
}

/// Returns the masks of compute units of each shader engine: `first` for the first one, 0 for the others.
fn masks(pen: Pen, first: u32) -> Vec<u32> {
    let is_mask = |name: &str| name.starts_with("COMPUTE_STATIC_THREAD_MGMT_SE");
    let masks = crate::regs::registers(pen.gfx()).filter(|info| is_mask(info.name) || info.aliases.iter().any(|alias| is_mask(alias)));
    let addrs = masks.flat_map(|info| (0..info.count).map(|element| info.addr + element * info.stride));
    let one = pen.addr("COMPUTE_STATIC_THREAD_MGMT_SE0");
    addrs.flat_map(|addr| pen.set_at(addr, 3, &[if addr == one { first } else { 0 }])).collect()
}

/// Returns a strip topology and the kind of restart.
fn restart(pen: Pen, topology: u32, multi: u32) -> Vec<u32> {
    let enable = if pen.has("VGT_MULTI_PRIM_IB_RESET_EN") { "VGT_MULTI_PRIM_IB_RESET_EN" } else { "GE_MULTI_PRIM_IB_RESET_EN" };
    [pen.state(), pen.set("VGT_PRIMITIVE_TYPE", topology), pen.set("IA_MULTI_VGT_PARAM", multi), pen.set(enable, 1), pen.index_type(), pen.indexed(3, 3)]
        .concat()
}

const APART: u32 = 1 << 20;
const PARTIAL_VS: u32 = 1 << 16;

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row {
        rule: "STA-01",
        fact: "nothing writes the primitive type",
        make: |pen| {
            let topology = pen.set("VGT_PRIMITIVE_TYPE", 4);
            let all = pen.drawn(&[]);
            let rest = all.strip_prefix(&topology[..])?.to_vec();
            Some(Pair::new(pen, rest, all))
        },
    },
    Row {
        rule: "STA-02",
        fact: "the index type is not written after the draw without indices",
        make: |pen| {
            let draws = |last: Vec<u32>| [pen.state(), pen.index_type(), pen.draw(), last, pen.indexed(3, 3)].concat();
            Some(Pair::new(pen, draws(Vec::new()), draws(pen.index_type())).zeros(4))
        },
    },
    Row {
        rule: "STA-03",
        fact: "the index buffer is empty",
        make: |pen| {
            let draw = |size| [pen.state(), pen.index_type(), pen.indexed(size, size)].concat();
            Some(Pair::new(pen, draw(0), draw(3)).zeros(4))
        },
    },
    Row {
        rule: "STA-04",
        fact: "no VGT_FLUSH before the legacy pipe",
        make: |pen| {
            let legacy = programs(pen, &["SPI_SHADER_PGM_LO_VS", "SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"]);
            let draws = |flush: Vec<u32>| [pen.state(), legacy.clone(), pen.draw(), flush, stages(pen, 0), pen.draw()].concat();
            Some(Pair::new(pen, draws(Vec::new()), draws(pen.event("VGT_FLUSH"))))
        },
    },
    Row { rule: "STA-08", fact: "a group of 8 vertices", make: |pen| field(pen, &[], "GE_CNTL", "VERT_GRP_SIZE", 8, 256) },
    Row { rule: "STA-09", fact: "a group of 300 primitives", make: |pen| field(pen, &[], "GE_CNTL", "PRIM_GRP_SIZE", 300, 252) },
    Row {
        rule: "STA-10",
        fact: "a group of 256 primitives",
        make: |pen| {
            let streamout = [pen.set("VGT_STRMOUT_CONFIG", 1), pen.set("VGT_STRMOUT_BUFFER_CONFIG", 1)];
            Some(drawn(pen, &streamout, pen.set("IA_MULTI_VGT_PARAM", 255), pen.set("IA_MULTI_VGT_PARAM", 127))?.stated(engines(2)))
        },
    },
    Row {
        rule: "STA-17",
        fact: "two events follow the draw, not three",
        make: |pen| {
            let draw = pen.raw("DRAW_INDEX_AUTO", &[0, 2 | 1 << 6]);
            let after = |events| [pen.state(), draw.clone(), pen.event("SQ_NON_EVENT").repeat(events), pen.draw()].concat();
            Some(Pair::new(pen, after(2), after(3)))
        },
    },
    Row {
        rule: "STA-18",
        fact: "no event follows the draw",
        make: |pen| {
            let draw = |after: Vec<u32>| [pen.drawn(&[tessellation(pen), stages(pen, HS | pen.ngg())]), after].concat();
            Some(Pair::new(pen, draw(Vec::new()), draw(pen.event("SQ_NON_EVENT"))))
        },
    },
    Row {
        rule: "STA-19",
        fact: "vertex waves may fill every compute unit that pixel waves use",
        make: |pen| {
            let late = pen.fields("SPI_SHADER_PGM_RSRC4_GS", &[(late_field(pen), 63)]);
            let pixels = pen.set("SPI_SHADER_PGM_RSRC3_PS", 0xFFFF);
            let free = if pen.generation() == 100 { 0xFFF3 } else { 0xFFFD };
            let units = |mask: u32| pen.set("SPI_SHADER_PGM_RSRC3_GS", mask);
            drawn(pen, &[late, pixels], units(0xFFFF), units(free))
        },
    },
    Row {
        rule: "STA-20",
        fact: "the stage has no compute unit",
        make: |pen| {
            let stage = if pen.generation() == 90 { "VS" } else { "GS" };
            let register = alloc::format!("SPI_SHADER_PGM_RSRC3_{stage}");
            let others = alloc::format!("SPI_SHADER_PGM_RSRC4_{stage}");
            let others = if pen.has(&others) && matches!(pen.generation(), 100..120) { pen.set(&others, 0) } else { Vec::new() };
            let free = match pen.generation() {
                100 => 0xFFF3,
                120 => 0xFDFD,
                _ => 0xFFFD,
            };
            drawn(pen, &[others], pen.set(&register, 0), pen.set(&register, free))
        },
    },
    Row {
        rule: "STA-23",
        fact: "an index count",
        make: |pen| {
            let draw = |count| {
                let events = if pen.generation() == 120 { pen.event("SQ_NON_EVENT").repeat(3) } else { Vec::new() };
                let apart = if pen.generation() == 90 { pen.set("IA_MULTI_VGT_PARAM", APART) } else { Vec::new() };
                [pen.state(), apart, pen.raw("DRAW_INDEX_AUTO", &[count, 2 | 1 << 6]), events].concat()
            };
            Some(Pair::new(pen, draw(3), draw(0)))
        },
    },
    Row {
        rule: "STA-24",
        fact: "the shader type is graphics",
        make: |pen| {
            let dispatch = |kind| {
                let mut words = pen.dispatch();
                words[0] = Header(words[0]).with_shader_type(kind).0;
                [pen.program(), words].concat()
            };
            Some(Pair::new(pen, dispatch(ShaderType::Graphics), dispatch(ShaderType::Compute)))
        },
    },
    Row {
        rule: "STA-25",
        fact: "tiles of groups and a size in threads",
        make: |pen| {
            let dispatch = |initiator| {
                let mut words = pen.raw("DISPATCH_DIRECT", &[1, 1, 1, initiator]);
                words[0] = Header(words[0]).with_shader_type(ShaderType::Compute).0;
                [pen.program(), words].concat()
            };
            Some(Pair::new(pen, dispatch(1 | 1 << 18 | 1 << 5), dispatch(1 | 1 << 18)))
        },
    },
    Row {
        rule: "STA-27",
        fact: "no event follows the change",
        make: |pen| {
            let reset = |on| pen.set("GE_MULTI_PRIM_IB_RESET_EN", on);
            let draws = |event: Vec<u32>| [pen.state(), reset(0), pen.draw(), reset(1), event, pen.draw()].concat();
            Some(Pair::new(pen, draws(Vec::new()), draws(pen.event("SQ_NON_EVENT"))))
        },
    },
    Row {
        rule: "STA-29",
        fact: "one of four registers is written",
        make: |pen| {
            let all = pen.drawn(&[]);
            let rings = pen.geometry_rings(1);
            let at = all.windows(rings.len()).position(|words| words == rings)?;
            let one = pen.run("GE_POS_RING_BASE", &[1]);
            let hit = [&all[..at], &one, &all[at + rings.len()..]].concat();
            Some(Pair::new(pen, hit, all).allow("STA-30", "an unwritten register is missing at the first draw"))
        },
    },
    Row {
        rule: "STA-30",
        fact: "nothing writes the ring of attributes",
        make: |pen| {
            let all = pen.drawn(&[]);
            let ring = pen.attribute_ring();
            let at = all.windows(ring.len()).position(|words| words == ring)?;
            Some(Pair::new(pen, [&all[..at], &all[at + ring.len()..]].concat(), all))
        },
    },
    Row {
        rule: "STA-31",
        fact: "vertex waves use CUs 1 and 9",
        make: |pen| drawn(pen, &[], pen.set("SPI_SHADER_PGM_RSRC3_GS", 0xFFFF), pen.set("SPI_SHADER_PGM_RSRC3_GS", 0xFDFD)),
    },
    Row {
        rule: "STA-33",
        fact: "a fan is split",
        make: |pen| drawn(pen, &[pen.set("VGT_PRIMITIVE_TYPE", 5)], pen.set("IA_MULTI_VGT_PARAM", 0), pen.set("IA_MULTI_VGT_PARAM", APART)),
    },
    Row {
        rule: "STA-34",
        fact: "restart on a strip without partial waves",
        make: |pen| Some(Pair::new(pen, restart(pen, 6, APART), restart(pen, 6, APART | PARTIAL_VS)).zeros(4)),
    },
    Row {
        rule: "STA-35",
        fact: "vertices are reused",
        make: |pen| {
            let before = [tessellation(pen), geometry(pen), pen.set("VGT_GS_MAX_VERT_OUT", 4), stages(pen, HS | GS)];
            drawn(pen, &before, pen.set("VGT_REUSE_OFF", 0), pen.set("VGT_REUSE_OFF", 1))
        },
    },
    Row {
        rule: "STA-36",
        fact: "the patches are more than a workgroup or a group of primitives holds",
        make: |pen| {
            let patches = |count| match pen.generation() {
                120 => pen.fields("VGT_LS_HS_CONFIG", &[("NUM_PATCHES", count), ("HS_NUM_OUTPUT_CP", 3)]),
                _ => pen.fields("VGT_LS_HS_CONFIG", &[("NUM_PATCHES", count), ("HS_NUM_INPUT_CP", 3), ("HS_NUM_OUTPUT_CP", 3)]),
            };
            let before = [tessellation(pen), stages(pen, HS | pen.ngg())].concat();
            if pen.generation() == 90 {
                return drawn(pen, &[before, patches(16)], pen.set("IA_MULTI_VGT_PARAM", 23), pen.set("IA_MULTI_VGT_PARAM", 15));
            }
            // On GFX12, the number of control points is in the topology register.
            let topology = if pen.generation() == 120 { pen.set("VGT_PRIMITIVE_TYPE", 9 | 3 << 6) } else { Vec::new() };
            let draw = |count| [pen.drawn(&[before.clone(), topology.clone(), patches(count)]), pen.event("SQ_NON_EVENT")].concat();
            Some(Pair::new(pen, draw(86), draw(85)))
        },
    },
    Row {
        rule: "STA-37",
        fact: "tessellation is distributed",
        make: |pen| {
            let before = [tessellation(pen), stages(pen, HS), pen.fields("GE_CNTL", &[("PACKET_TO_ONE_PA", 1)])];
            field(pen, &before, "VGT_TF_PARAM", "DISTRIBUTION_MODE", 3, 0)
        },
    },
    Row {
        rule: "STA-40",
        fact: "the shader has 32 lanes",
        make: |pen| {
            let before = [geometry(pen), pen.set("VGT_GS_MAX_VERT_OUT", 4)];
            drawn(pen, &before, stages(pen, GS | 1 << 22), stages(pen, GS))
        },
    },
    Row {
        rule: "STA-41",
        fact: "no vertex is emitted",
        make: |pen| {
            let stage = if pen.generation() == 90 { GS } else { GS | pen.ngg() };
            let launch = if pen.generation() == 90 { 0 } else { FAST_LAUNCH };
            let before = [if pen.generation() == 90 { geometry(pen) } else { Vec::new() }, stages(pen, stage | launch)];
            drawn(pen, &before, pen.set("VGT_GS_MAX_VERT_OUT", 0), pen.set("VGT_GS_MAX_VERT_OUT", 64))
        },
    },
    Row {
        rule: "STA-42",
        fact: "cuts are kept for 128 vertices, and 129 are emitted",
        make: |pen| {
            let before = [geometry(pen), stages(pen, GS), pen.set("VGT_GS_MAX_VERT_OUT", 129)];
            drawn(pen, &before, pen.set("VGT_GS_MODE", 3 | 3 << 4), pen.set("VGT_GS_MODE", 3 | 2 << 4))
        },
    },
    Row {
        rule: "STA-45",
        fact: "nothing writes the size of workgroups",
        make: |pen| {
            let program = pen.program();
            let first = program.len() - 3;
            Some(Pair::new(pen, [&program[..first], &pen.dispatch()].concat(), [program.clone(), pen.dispatch()].concat()))
        },
    },
    Row {
        rule: "STA-46",
        fact: "no compute unit in any engine",
        make: |pen| {
            let work = |first| [pen.program(), masks(pen, first), pen.dispatch()].concat();
            Some(Pair::new(pen, work(0), work(1)).allow("REG-16", "a mask of no compute unit is worth a note by itself"))
        },
    },
    Row {
        rule: "STA-48",
        fact: "one compute unit is masked",
        make: |pen| {
            let before = [stages(pen, pen.ngg() | GS), pen.set("VGT_GS_MAX_VERT_OUT", 4), pen.fields("SPI_SHADER_PGM_RSRC1_GS", &[("WGP_MODE", 1)])];
            drawn(pen, &before, pen.set("SPI_SHADER_PGM_RSRC3_GS", 0xFFFD), pen.set("SPI_SHADER_PGM_RSRC3_GS", 0xFFFC))
        },
    },
    Row {
        rule: "STA-49",
        fact: "a limit above what drivers write",
        make: |pen| {
            let bound = match pen.generation() {
                100 | 103 => 512,
                120 => 64,
                _ => 16,
            };
            field(pen, &[], "PA_SC_NGG_MODE_CNTL", "MAX_DEALLOCS_IN_WAVE", bound + 1, bound)
        },
    },
    Row {
        rule: "STA-54",
        fact: "two registers are loaded, and one is written",
        make: |pen| {
            let program = if pen.generation() == 90 { "VS" } else { "GS" };
            let data = alloc::format!("SPI_SHADER_USER_DATA_{program}_0");
            let resources = alloc::format!("SPI_SHADER_PGM_RSRC2_{program}");
            let count = |count| pen.fields(&resources, &[("USER_SGPR", count)]);
            drawn(pen, &[pen.set(&data, 7)], count(2), count(1))
        },
    },
    Row {
        rule: "STA-55",
        fact: "two registers are loaded, and one is written",
        make: |pen| {
            let work = |count| {
                let resources = pen.fields("COMPUTE_PGM_RSRC2", &[("USER_SGPR", count)]);
                [pen.program(), resources, pen.set("COMPUTE_USER_DATA_0", 1), pen.dispatch()].concat()
            };
            Some(Pair::new(pen, work(2), work(1)))
        },
    },
    Row {
        rule: "STA-68",
        fact: "the low part of the address is 0 as well",
        make: |pen| {
            let work = |low| [pen.program(), pen.set("COMPUTE_PGM_HI", 0), pen.set("COMPUTE_PGM_LO", low), pen.dispatch()].concat();
            Some(Pair::new(pen, work(0), work(64)))
        },
    },
    Row {
        rule: "STA-69",
        fact: "the second word is 0",
        make: |pen| {
            let work = |second| {
                let resources = pen.fields("COMPUTE_PGM_RSRC2", &[("USER_SGPR", 4)]);
                let data = pen.set_at(pen.addr("COMPUTE_USER_DATA_0"), 0, &[0x2345_6000, second, 0x400, 0x7_4FAC]);
                [pen.program(), resources, data, pen.dispatch()].concat()
            };
            Some(Pair::new(pen, work(0), work(0x10_0001)))
        },
    },
    Row {
        rule: "STA-56",
        fact: "65 quads",
        make: |pen| field(pen, &[tessellation(pen), stages(pen, HS | pen.ngg())], "VGT_TESS_DISTRIBUTION", "ACCUM_QUAD", 65, 64),
    },
    Row {
        rule: "STA-57",
        fact: "the threshold is not 0",
        make: |pen| {
            let units = |lock| pen.fields("SPI_SHADER_PGM_RSRC3_GS", &[("CU_EN", 0xFFFD), ("LOCK_LOW_THRESHOLD", lock)]);
            drawn(pen, &[], units(1), units(0))
        },
    },
    Row {
        rule: "STA-58",
        fact: "the threshold is not 0",
        make: |pen| {
            let work = |lock| [pen.program(), pen.fields("COMPUTE_RESOURCE_LIMITS", &[("LOCK_THRESHOLD", lock)]), pen.dispatch()].concat();
            Some(Pair::new(pen, work(1), work(0)))
        },
    },
    Row { rule: "STA-59", fact: "NaN becomes infinity", make: |pen| field(pen, &[], "PA_CL_NANINF_CNTL", "VS_XY_NAN_TO_INF", 1, 0) },
    Row { rule: "STA-60", fact: "the mode is 0", make: |pen| field(pen, &[], "SPI_GS_THROTTLE_CNTL2", "SPI_THROTTLE_MODE", 0, 1) },
    Row {
        rule: "STA-61",
        fact: "compute has no guarantee",
        make: |pen| {
            let word = |off| pen.fields("SPI_GRP_LAUNCH_GUARANTEE_ENABLE", &[("ENABLE", 1), ("CS_GLG_DISABLE", off)]);
            drawn(pen, &[], word(1), word(0))
        },
    },
    Row {
        rule: "STA-64",
        fact: "the register is not written after the type of primitives",
        make: |pen| {
            let multi = || pen.set("IA_MULTI_VGT_PARAM", 255);
            let draws = |again: Vec<u32>| [pen.state(), multi(), pen.draw(), pen.set("VGT_PRIMITIVE_TYPE", 6), again, pen.draw()].concat();
            Some(Pair::new(pen, draws(Vec::new()), draws(multi())))
        },
    },
    Row {
        rule: "STA-65",
        fact: "the dispatch is on a compute queue",
        make: |pen| {
            let compute = pen.on(Queue::Compute);
            Some(Pair::new(compute, [compute.program(), compute.dispatch()].concat(), compute.program()))
        },
    },
    Row {
        rule: "STA-67",
        fact: "EXTRA_LDS_SIZE is 0",
        make: |pen| {
            let pixels = [pen.set("SPI_SHADER_PGM_LO_PS", 1), pen.set("SPI_SHADER_PGM_RSRC1_PS", 0), pen.set("SPI_PS_IN_CONTROL", 0)];
            field(pen, &pixels, "SPI_SHADER_PGM_RSRC2_PS", "EXTRA_LDS_SIZE", 0, 1)
        },
    },
];

/// Returns the name of the field for late waves.
fn late_field(pen: Pen) -> &'static str {
    let info = crate::regs::find(pen.gfx(), "SPI_SHADER_PGM_RSRC4_GS");
    let named = |name: &str| info.is_some_and(|register| register.info().field(name).is_some());
    if named("SPI_SHADER_LATE_ALLOC_GS") { "SPI_SHADER_LATE_ALLOC_GS" } else { "LATE_ALLOC_GS" }
}
