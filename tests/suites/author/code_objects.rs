//! Code objects of HSA: descriptors of LLVM 14 and 22 on all generations, and their kernels as dispatches of PM4 and AQL.

use crate::code_object_files::{IMAGE, KERNARG, SCRATCH, files, launch, parse, run_dispatch, words_of};
use pm4::chip::{Chip, ComputeChip};
use pm4::code_object::{
    CodeObject, CodeObjectError, DescriptorWord, FieldUse, Kernel, KernelDescriptor, Launch, LaunchError, MetadataValue, Processor, TargetFeature,
};
use pm4::draw::{Grid, RegisterImage, UserData, WaveSize};
use pm4::queues::{QueueFamily, QueueReader, Target, Version};
use pm4::regs;

fn kernels(mut each: impl FnMut(&str, &CodeObject<'_>, &Kernel<'_>)) {
    for (name, bytes) in files() {
        let object = parse(&name, &bytes);
        for kernel in &object.kernels {
            each(&name, &object, kernel);
        }
    }
}

fn with_kernel<R>(file: &str, kernel: &str, then: impl FnOnce(&CodeObject<'_>, &Kernel<'_>) -> R) -> R {
    let (name, bytes) = files().into_iter().find(|(name, _)| name == file).expect("a file");
    let object = parse(&name, &bytes);
    then(&object, object.kernel(kernel).expect("a kernel"))
}

fn word(image: &RegisterImage, name: &str) -> Option<u32> {
    image.get(regs::find(image.gfx(), name)?.addr())
}

#[test]
fn files_say_what_they_are_compiled_for() {
    let mut seen = Vec::new();
    for (name, bytes) in files() {
        let object = parse(&name, &bytes);
        let processor = name.split_once('-').expect("a kind").1.trim_start_matches("llvm14-").trim_start_matches("v4-").trim_start_matches("wave64-");
        assert_eq!(object.target.processor.name(), processor, "{name}");
        seen.push((name, object.version(), object.target.to_string(), object.kernels.len() + object.pipelines.len()));
    }
    let of = |name: &str| seen.iter().find(|(own, ..)| own == name).map(|(_, version, target, count)| (*version, target.as_str(), *count));
    assert_eq!(of("kernels-gfx1100"), Some((Some(6), "gfx1100", 6)));
    assert_eq!(of("pointers-gfx1100"), Some((Some(5), "gfx1100", 2)));
    assert_eq!(of("kernels-llvm14-gfx900"), Some((Some(4), "gfx900", 6)));
    assert_eq!(of("saxpy-v4-gfx906"), Some((Some(4), "gfx906:sramecc+:xnack-", 1)));
    assert_eq!(of("saxpy-gfx11-generic"), Some((Some(6), "gfx11-generic", 1)));
    assert_eq!(of("triangle-gfx1030"), Some((None, "gfx1030", 1)));
    with_kernel("saxpy-gfx11-generic", "saxpy", |object, _| assert_eq!(object.target.generic_version, 1));
    with_kernel("kernels-gfx90a", "saxpy", |object, _| assert_eq!((object.target.xnack, object.target.sramecc), (TargetFeature::Any, TargetFeature::Any)));
}

/// LLVM's names of chips with graphics are those of the table of chips, but for chips that LLVM did not have in 2026.
#[test]
fn processors_are_the_chips_of_the_table() {
    let unknown = |chip: &Chip| chip.info().llvm.parse::<Processor>().is_err();
    let left: Vec<_> = Chip::all().filter(unknown).map(|chip| chip.info().llvm).collect();
    assert_eq!(left, ["gfx1154", "gfx1156"]);
    assert!(ComputeChip::all().all(|chip| chip.info().name.parse::<Processor>().is_ok_and(|processor| processor.runs_on(chip))));
    let mut numbers: Vec<_> = Processor::all().map(Processor::number).collect();
    numbers.dedup();
    assert!(numbers.is_sorted() && numbers.len() == Processor::all().count());
    let generic: Processor = "gfx11-generic".parse().expect("a processor");
    assert!(generic.runs_on(Chip::Navi31) && generic.runs_on(Chip::Gfx1151) && !generic.runs_on(Chip::Gfx1201) && !generic.runs_on(Chip::Navi21));
}

/// Each bit of a descriptor belongs to a field, its bytes come back, and nothing that LLVM writes violates a rule.
#[test]
fn each_bit_of_a_descriptor_is_kept() {
    let mut count = 0;
    kernels(|name, object, kernel| {
        let descriptor = kernel.descriptor;
        let image = object.image(0).expect("an image");
        let at = kernel.descriptor_at as usize;
        assert_eq!(descriptor.bytes(), image[at..at + 64], "{name} {}", kernel.name);
        let mut words = [0; 5];
        for field in descriptor.fields() {
            assert!(field.of == FieldUse::Compiler || field.value == 0, "{name} {}: {field}", kernel.name);
            words[field.word as usize] |= field.value << field.lo;
        }
        let stated = [descriptor.rsrc1, descriptor.rsrc2, descriptor.rsrc3, descriptor.properties.into(), descriptor.preload.into()];
        assert_eq!(words, stated, "{name} {}", kernel.name);
        assert_eq!(descriptor.defects().map(|defect| defect.to_string()).collect::<Vec<_>>(), [""; 0], "{name} {}", kernel.name);
        // Facts that both descriptor and metadata state.
        let number = |key| kernel.metadata.get(key).and_then(MetadataValue::number);
        assert_eq!(number(".group_segment_fixed_size"), Some(descriptor.group_bytes.into()));
        assert_eq!(number(".private_segment_fixed_size"), Some(descriptor.private_bytes.into()));
        assert_eq!(kernel.wavefront_size, u64::from(descriptor.wave().lanes()), "{name} {}", kernel.name);
        assert_eq!(kernel.kernarg_bytes, u64::from(descriptor.kernarg_bytes), "{name} {}", kernel.name);
        count += 1;
    });
    assert_eq!(count, 65);
}

/// On every processor, each bit of a word belongs to at most one field.
#[test]
fn fields_of_a_descriptor_do_not_overlap() {
    for processor in Processor::all() {
        let all = KernelDescriptor::from_bytes(&[0xFF; 64], processor);
        let mut words = [0u32; 5];
        for field in all.fields() {
            let mask = (u32::MAX >> (31 - (field.hi - field.lo))) << field.lo;
            assert_eq!(words[field.word as usize] & mask, 0, "{processor} {field}");
            words[field.word as usize] |= mask;
        }
        assert_eq!(words, [u32::MAX, u32::MAX, u32::MAX, 0xFFFF, 0xFFFF], "{processor}");
        assert_eq!(all.bytes(), [0xFF; 64]);
    }
}

/// The registers of the dispatch are the descriptor's words, with LDS, which the packet processor fills in for AQL, and without SGPRS, which hardware ignores
/// from GFX10 on.
#[test]
fn kernels_dispatch_on_their_chips_with_their_words_and_without_findings() {
    let mut chips = std::collections::BTreeSet::new();
    kernels(|name, object, kernel| {
        for chip in object.target.processor.targets().into_iter().filter_map(Target::chip) {
            let launch = launch(kernel);
            let dispatch = kernel.dispatch(chip, &launch).unwrap_or_else(|error| panic!("{name} on {chip}: {error}"));
            let image = dispatch.resolve(chip).unwrap_or_else(|error| panic!("{name} {} on {chip}: {error}", kernel.name)).image;
            let ignored = if chip.gfx().major() >= 10 { 0xF << 6 } else { 0 };
            let lds = (kernel.descriptor.group_bytes + launch.dynamic_group_bytes).div_ceil(512) << 15;
            assert_eq!(word(&image, "COMPUTE_PGM_RSRC1"), Some(kernel.descriptor.rsrc1 & !ignored), "{name} {} on {chip}", kernel.name);
            assert_eq!(word(&image, "COMPUTE_PGM_RSRC2"), Some(kernel.descriptor.rsrc2 | lds), "{name} {} on {chip}", kernel.name);
            assert_eq!(word(&image, "COMPUTE_PGM_RSRC3").unwrap_or(0), kernel.descriptor.rsrc3, "{name} {} on {chip}", kernel.name);
            assert_eq!(dispatch.grid, Grid::Groups([4, 3, 2]));
            assert_eq!(run_dispatch(chip, object, &dispatch), (1, vec![]), "{name} {} on {chip}", kernel.name);
            chips.insert(chip);
        }
    });
    let expected = [Chip::Vega10, Chip::Vega20, Chip::Navi10, Chip::Navi21, Chip::Navi31, Chip::Gfx1151, Chip::Gfx1201];
    assert!(expected.iter().all(|chip| chips.contains(chip)), "{chips:?}");
}

/// The packet processor derives the same registers from packet and descriptor as the PM4 dispatch holds.
#[test]
fn pm4_and_aql_agree() {
    let version = Version::new(QueueFamily::Aql, "11").expect("a version");
    kernels(|name, object, kernel| {
        let launch = launch(kernel);
        let packet = kernel.aql(&launch).unwrap_or_else(|error| panic!("{name}: {error}"));
        let words = packet.words();
        let read = QueueReader::new(version, &words).next().expect("a packet").unwrap_or_else(|error| panic!("{name}: {error}"));
        let field = |own: &str| read.value(own).unwrap_or_else(|| panic!("no {own}"));
        let Some(chip) = object.target.processor.targets().into_iter().find_map(Target::chip) else { return };
        let dispatch = kernel.dispatch(chip, &launch).expect("a dispatch");
        let resolved = dispatch.resolve(chip).expect("registers");
        let register = |own: &str| u64::from(word(&resolved.image, own).unwrap_or_else(|| panic!("no {own}")));
        let Grid::Groups(groups) = dispatch.grid else { panic!("whole workgroups") };
        for (at, direction) in ["x", "y", "z"].into_iter().enumerate() {
            let threads = register(&format!("COMPUTE_NUM_THREAD_{}", direction.to_uppercase()));
            assert_eq!(field(&format!("workgroup_size_{direction}")), threads & 0xFFFF, "{name}");
            assert_eq!(field(&format!("grid_size_{direction}")), threads * u64::from(groups[at]), "{name}");
        }
        assert_eq!(field("group_segment_size").div_ceil(512), register("COMPUTE_PGM_RSRC2") >> 15 & 0x1FF, "{name}");
        assert_eq!(u64::from(dispatch.program.scratch_bytes), field("private_segment_size") * u64::from(dispatch.program.wave.lanes()), "{name}");
        let code = (register("COMPUTE_PGM_LO") << 8) + (register("COMPUTE_PGM_HI") << 40);
        assert_eq!(field("kernel_object").wrapping_add_signed(kernel.descriptor.entry_offset), code, "{name}");
        let at = dispatch.program.user_data.windows(2).any(|pair| pair == [KERNARG as u32, (KERNARG >> 32) as u32].map(UserData::Word));
        assert!(at && field("kernarg_address") == KERNARG, "{name} {}", kernel.name);
    });
}

/// User SGPRs follow the order of the properties (LLVM 22.1.8 AMDGPUUsage).
#[test]
fn user_sgprs_hold_what_the_properties_name_in_their_order() {
    with_kernel("kernels-llvm14-gfx900", "histogram", |_, kernel| {
        let all = KernelDescriptor { properties: 0x7F, rsrc2: kernel.descriptor.rsrc2 & !0x3E | 15 << 1, ..kernel.descriptor };
        let kernel = Kernel { descriptor: all, ..kernel.clone() };
        let launch = launch(&kernel);
        let dispatch = kernel.dispatch(Chip::Vega10, &launch).expect("a dispatch");
        let scratch = launch.scratch_descriptor.expect("a descriptor");
        let expected =
            [scratch[0], scratch[1], scratch[2], scratch[3], 0, 4, 0x1_0000, 4, KERNARG as u32, 2, 5, 0, SCRATCH.address as u32, 3, 68].map(UserData::Word);
        assert_eq!(dispatch.program.user_data, expected);
    });
}

#[test]
fn a_grid_that_is_no_multiple_of_the_group_counts_work_items() {
    with_kernel("kernels-gfx1100", "saxpy", |_, kernel| {
        let launch = Launch { grid: [1000, 1, 1], ..launch(kernel) };
        assert_eq!(kernel.dispatch(Chip::Navi31, &launch).expect("a dispatch").grid, Grid::Threads([1000, 1, 1]));
        let packet = kernel.aql(&launch).expect("a packet");
        assert_eq!((packet.dimensions, packet.grid), (1, [1000, 1, 1]));
        assert_eq!(kernel.aql(&Launch { grid: [64, 2, 1], ..launch }).expect("a packet").dimensions, 2);
    });
}

/// A file for a chip without graphics is read and its packet is made; PM4 is refused with the name of the chip.
#[test]
fn chips_without_graphics_have_packets_and_no_pm4() {
    let files = [("kernels-gfx90a", "gfx90a"), ("saxpy-gfx942", "gfx942"), ("saxpy-gfx950", "gfx950"), ("saxpy-gfx1250", "gfx1250")];
    for (file, chip) in files {
        with_kernel(file, "saxpy", |_, kernel| {
            let launch = launch(kernel);
            assert!(kernel.aql(&launch).is_ok_and(|packet| packet.kernel_object == IMAGE + kernel.descriptor_at));
            let chip: ComputeChip = chip.parse().expect("a chip");
            let error = kernel.dispatch(chip, &launch).expect_err("no registers of it");
            assert!(error.to_string().contains(&format!("{} has no graphics", chip.info().name)), "{error}");
        });
    }
    // Features of only these chips: accumulation registers, arguments in SGPRs.
    with_kernel("kernels-gfx90a", "walk", |_, kernel| assert_eq!(kernel.descriptor.field("accum_offset"), 11));
}

/// File, kernel, chip, change of the launch, and message.
type RefusedLaunch = (&'static str, &'static str, Chip, fn(&mut Launch), &'static str);

/// Missing inputs of a launch, and launches that a kernel or chip does not allow, are refused by name.
#[test]
fn launches_are_refused_by_name() {
    let refused = |file: &str, kernel: &str, chip: Chip, change: fn(&mut Launch)| {
        with_kernel(file, kernel, |_, kernel| {
            let mut launch = launch(kernel);
            change(&mut launch);
            kernel.dispatch(chip, &launch).expect_err("refused").to_string()
        })
    };
    let cases: &[RefusedLaunch] = &[
        ("kernels-gfx1100", "saxpy", Chip::Navi21, |_| (), "kernel saxpy: it is compiled for gfx1100, which gfx1030 does not run"),
        (
            "kernels-gfx1100",
            "saxpy",
            Chip::Navi31,
            |launch| launch.image = 64,
            "kernel saxpy: address of the image: 0x40, must be a multiple of 256 below 2^48",
        ),
        (
            "kernels-gfx1100",
            "saxpy",
            Chip::Navi31,
            |launch| launch.kernarg = 8,
            "kernel saxpy: address of the arguments: 0x8, must be a multiple of 16 below 2^48",
        ),
        (
            "kernels-gfx1100",
            "transpose",
            Chip::Navi31,
            |launch| launch.group = [16, 8, 1],
            "kernel transpose: work-items of a workgroup in a direction: 0x8, must be what the kernel requires (.reqd_workgroup_size)",
        ),
        (
            "kernels-gfx1100",
            "saxpy",
            Chip::Navi31,
            |launch| launch.group = [512, 1, 1],
            "kernel saxpy: work-items of a workgroup: 0x200, must be 1 to the kernel's largest workgroup (.max_flat_workgroup_size)",
        ),
        (
            "kernels-gfx1100",
            "sizes",
            Chip::Navi31,
            |launch| launch.dispatch_packet = None,
            "kernel sizes reads its AQL packet: state `Launch::dispatch_packet`",
        ),
        (
            "kernels-llvm14-gfx900",
            "histogram",
            Chip::Vega10,
            |launch| launch.scratch_descriptor = None,
            "kernel histogram reads the descriptor of scratch memory: state `Launch::scratch_descriptor`",
        ),
        ("kernels-llvm14-gfx900", "histogram", Chip::Vega10, |launch| launch.scratch = None, "kernel histogram reads scratch memory: state `Launch::scratch`"),
        (
            "pointers-gfx1100",
            "stack",
            Chip::Navi31,
            |launch| launch.private_bytes = None,
            "kernel stack reads a stack that grows: state `Launch::private_bytes`",
        ),
        (
            "pointers-gfx1100",
            "stack",
            Chip::Navi31,
            |launch| launch.private_bytes = Some(8),
            "kernel stack: scratch of a work-item: 0x8, must be at least what the descriptor states",
        ),
    ];
    for (file, kernel, chip, change, expected) in cases {
        assert_eq!(refused(file, kernel, *chip, *change), *expected);
    }
}

/// Any changed bit of a descriptor is refused or changes the dispatch, except SGPRS, which hardware ignores from GFX10 on, and bits that matter only to readers
/// of the descriptor.
#[test]
fn each_changed_bit_of_a_descriptor_is_noticed() {
    // The size of private memory is 0 here, and so are SGPRs without a meaning.
    let silent = ["granulated_wavefront_sgpr_count", "uses_dynamic_stack", "enable_sgpr_private_segment_size"];
    let mut bits = 0;
    for file in ["gfx900", "gfx906", "gfx1030", "gfx1100", "gfx1151", "gfx1201"] {
        with_kernel(&format!("kernels-{file}"), "saxpy", |object, kernel| {
            let chip = object.target.processor.targets().into_iter().find_map(Target::chip).expect("a chip");
            let launch = launch(kernel);
            let made = |kernel: &Kernel<'_>| {
                let dispatch = kernel.dispatch(chip, &launch).ok()?;
                Some((dispatch.resolve(chip).ok()?.image, dispatch))
            };
            let whole = made(kernel).expect("a dispatch");
            for bit in 0..112 {
                let mut other = kernel.clone();
                let descriptor = &mut other.descriptor;
                match bit {
                    0..32 => descriptor.rsrc1 ^= 1 << bit,
                    32..64 => descriptor.rsrc2 ^= 1 << (bit - 32),
                    64..96 => descriptor.rsrc3 ^= 1 << (bit - 64),
                    _ => descriptor.properties ^= 1 << (bit - 96),
                }
                let before: Vec<_> = kernel.descriptor.fields().map(|field| (field.name, field.value)).collect();
                let changed = other.descriptor.fields().zip(before).find(|(field, before)| (field.name, field.value) != *before);
                let name = changed.map_or("no field", |(field, _)| field.name);
                let noticed = made(&other).is_none_or(|made| made != whole);
                assert!(noticed || silent.contains(&name), "{file}: bit {bit}, {name}");
                bits += 1;
            }
        });
    }
    assert_eq!(bits, 6 * 112);
}

/// A change of a descriptor, and the message.
type RefusedBit = (fn(&mut KernelDescriptor), &'static str);

/// Words that no dispatch can have: the register, the bit, its name.
#[test]
fn bits_are_refused_by_register_and_name() {
    let refused = |change: fn(&mut KernelDescriptor)| {
        with_kernel("kernels-gfx1100", "saxpy", |_, kernel| {
            let mut changed = kernel.clone();
            change(&mut changed.descriptor);
            changed.dispatch(Chip::Navi31, &launch(kernel)).expect_err("refused").to_string()
        })
    };
    let cases: &[RefusedBit] = &[
        (|it| it.rsrc1 |= 1 << 20, "descriptor: compute_pgm_rsrc1 bit 20, priv = 0x1: must be 0: the packet processor fills it in"),
        (|it| it.rsrc1 |= 1 << 28, "descriptor: compute_pgm_rsrc1 bit 28, reserved = 0x1: must be 0: the processor has no such field"),
        (|it| it.rsrc2 |= 1 << 24, "COMPUTE_PGM_RSRC2: EXCP_EN = 0x1: this crate has no input for it (bits 30:24)"),
        (
            |it| it.rsrc2 |= 3 << 11,
            "COMPUTE_PGM_RSRC2: TIDIG_COMP_CNT = 0x3: the field must be 0 to 2: a program reads one, two or three thread ids (bits 12:11)",
        ),
        (|it| it.rsrc3 |= 1 << 31, "COMPUTE_PGM_RSRC3: IMAGE_OP = 0x1: this crate has no input for it (bit 31)"),
        (|it| it.reserved[4] = 7, "descriptor: byte 24 = 0x7: must be 0"),
        (|it| it.properties |= 1 << 12, "descriptor: kernel_code_properties bit 12, reserved = 0x1: must be 0: the processor has no such field"),
        (|it| it.preload = 3, "descriptor: kernarg_preload bit 0, reserved = 0x1: must be 0: the processor has no such field"),
        (|it| it.rsrc2 &= !0x3E, "user SGPRs that kernel_code_properties name: 0x2, must be at most user_sgpr_count"),
    ];
    for (change, expected) in cases {
        assert_eq!(refused(*change), format!("kernel saxpy: {expected}"));
    }
    let descriptor = with_kernel("kernels-gfx1201", "saxpy", |_, kernel| KernelDescriptor { rsrc3: 1 << 13, ..kernel.descriptor });
    let glg = descriptor.fields().find(|field| field.name == "glg_en").expect("a field");
    assert_eq!((glg.word, glg.lo, glg.value), (DescriptorWord::Rsrc3, 13, 1));
}

#[test]
fn arguments_are_where_the_metadata_says_with_hidden_ones_from_the_launch() {
    with_kernel("kernels-gfx1100", "sizes", |_, kernel| {
        let launch = Launch { group: [32, 2, 1], grid: [100, 6, 1], ..launch(kernel) };
        let bytes = kernel.arguments_of(&launch).and_then(|arguments| arguments.pointer(0, 0x1234_5678_9ABC)?.finish()).expect("bytes");
        let number = |at: usize, count: usize| bytes[at..at + count].iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        assert_eq!(bytes.len(), 264);
        assert_eq!((number(0, 8), number(8, 4), number(12, 4), number(16, 4)), (0x1234_5678_9ABC, 3, 3, 1));
        assert_eq!((number(20, 2), number(22, 2), number(26, 2), number(28, 2), number(72, 2)), (32, 2, 4, 0, 2));
    });
    with_kernel("kernels-gfx1100", "saxpy", |_, kernel| {
        let arguments = || kernel.arguments_of(&Launch::default()).expect("arguments");
        let error = |result: Result<Vec<u8>, LaunchError>| result.expect_err("refused").to_string();
        assert_eq!(error(arguments().u32(0, 1).and_then(|it| it.finish())), "kernel saxpy: argument 0: 4 bytes are given, it has 8");
        assert_eq!(error(arguments().u32(4, 1).and_then(|it| it.finish())), "kernel saxpy: argument 4: the kernel has no such argument");
        assert_eq!(error(arguments().pointer(0, 1).and_then(|it| it.finish())), "kernel saxpy: argument 1: it is not given");
        assert_eq!(
            error(arguments().hidden("hidden_heap_v1", &[0; 8]).and_then(|it| it.finish())),
            "kernel saxpy: argument hidden_heap_v1: the kernel has none of this kind"
        );
    });
    with_kernel("pointers-gfx1100", "read", |_, kernel| {
        let error = kernel.arguments_of(&Launch::default()).and_then(|it| it.finish()).expect_err("refused");
        assert_eq!(error.to_string(), "kernel read: argument 0 (to): it is not given");
    });
}

/// A table of addresses holds addresses within the image at its place.
#[test]
fn relocations_are_those_of_the_address() {
    with_kernel("pointers-gfx1100", "read", |object, _| {
        let (number, table) = (object.symbol("number").expect("a symbol"), object.symbol("table").expect("a symbol"));
        let image = words_of(&object.image(IMAGE).expect("an image"));
        let at = table as usize / 4;
        assert_eq!(image[at..at + 4], [(IMAGE + number) as u32, 1, (IMAGE + table) as u32, 1]);
        assert_eq!(image[number as usize / 4], 7);
    });
}

#[test]
fn waves_of_64_lanes_are_a_choice_of_the_compiler() {
    with_kernel("saxpy-wave64-gfx1030", "saxpy", |object, kernel| {
        let dispatch = kernel.dispatch(Chip::Navi21, &launch(kernel)).expect("a dispatch");
        assert_eq!((dispatch.program.wave, dispatch.cu_mode, object.image_align() >= 256), (WaveSize::W64, true, true));
    });
    assert!(matches!(CodeObject::parse(&[]), Err(CodeObjectError::Elf { part: "header", .. })));
}
