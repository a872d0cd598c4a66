//! Resource descriptors: worked values from Mesa, limits, and the equivalence of words and fields.
//!
//! `golden/descriptors.txt` holds descriptors that functions of Mesa 25.0.7 made from the inputs in this file.

use crate::golden::{Parts, Random as SplitMix, digest, digest_after};
use crate::support;
use pm4::chip::{Chip, Gfx};
use pm4::descriptors::{
    AddressMode, BorderColor, BufferCompression, BufferDesc, BufferSwizzle, ChannelSource, Compare, CompressedBlock, DepthBits, Descriptor, DescriptorError,
    DescriptorKind, Filter, ImageCompression, ImageDesc, ImageDimension, Metadata, MipFilter, OutOfBounds, SamplerDesc, TexelFormat, ViewRange,
};
use std::collections::BTreeMap;
use strum::{IntoEnumIterator, VariantArray};
use support::property;

/// One chip of each generation.
const CHIPS: [(&str, Chip); 6] =
    [("gfx9", Chip::Vega10), ("gfx10", Chip::Navi10), ("gfx103", Chip::Navi21), ("gfx11", Chip::Navi31), ("gfx115", Chip::Gfx1150), ("gfx12", Chip::Gfx1200)];

const BUFFER: u64 = 0x1234_5678_9000;
const IMAGE: u64 = 0x2345_6789_0000;

fn buffer(example: &str, gfx: Gfx) -> BufferDesc {
    let raw = BufferDesc::raw(BUFFER, 4096);
    match example {
        "B1" => raw,
        "B2" => BufferDesc::structured(BUFFER, 16, 64),
        "B3" => BufferDesc::typed(BUFFER, TexelFormat::R8G8B8A8_UNORM, 256),
        "B4" => {
            let out_of_bounds = (gfx.major() > 9).then_some(OutOfBounds::Disabled);
            BufferDesc { records: 0x1_0000, out_of_bounds, add_thread_id: true, swizzle: swizzled(4, 64), ..raw }
        }
        "B5" => BufferDesc { stride: 0, swizzle: swizzled(16, 32), ..BufferDesc::typed(BUFFER, TexelFormat::R32G32B32A32_SFLOAT, 0x10_0000) },
        "B6" => BufferDesc { compression: BufferCompression::ReadAndWrite, ..raw },
        _ => panic!("no example {example}"),
    }
}

fn swizzled(element: u32, index_stride: u32) -> Option<BufferSwizzle> {
    Some(BufferSwizzle { element, index_stride })
}

/// Returns the example, and the pitch that GFX9 needs: its EPITCH plus 1.
fn image(example: &str, gfx: Gfx) -> ImageDesc {
    let tiled = ImageDesc { width: 1920, height: 1080, swizzle: [25, 27, 27, 27, 27, 3][gfx.index()], ..ImageDesc::new(IMAGE, TexelFormat::R8G8B8A8_UNORM) };
    let range = |first, count| Some(ViewRange { first, count });
    let (image, pitch) = match example {
        "I1" => (tiled, 2048),
        "I2" => (ImageDesc { width: 256, height: 256, layers: 6, levels: 9, view_levels: range(1, 4), view_layers: range(2, 4), ..tiled }, 384),
        "I3" => {
            let format = TexelFormat::BC7_UNORM_BLOCK;
            (ImageDesc { format, dimension: ImageDimension::Cube, width: 64, height: 64, layers: 6, levels: 7, ..tiled }, 32)
        }
        "I4" => (ImageDesc { format: TexelFormat::R32_SFLOAT, dimension: ImageDimension::Three, width: 32, height: 32, depth: 32, ..tiled }, 32),
        "I5" => (ImageDesc { format: TexelFormat::R16G16B16A16_SFLOAT, width: 1280, height: 720, samples: 4, ..tiled }, 1280),
        "I6" => {
            let place = Metadata { address: IMAGE + 0x90_0000, pipe_aligned: true, rb_aligned: gfx.major() == 9 };
            let metadata = if gfx.major() >= 12 { Metadata::default() } else { place };
            let compression = ImageCompression::Dcc { metadata, write: gfx.major() > 9 };
            (ImageDesc { format: TexelFormat::B8G8R8A8_UNORM, max_compressed_block: CompressedBlock::B128, compression, ..tiled }, 2048)
        }
        "I7" => (ImageDesc { width: 1000, swizzle: 0, pitch: Some(1024), ..tiled }, 1024),
        _ => panic!("no example {example}"),
    };
    if gfx.major() == 9 { ImageDesc { pitch: Some(pitch), ..image } } else { image }
}

fn sampler(example: &str, gfx: Gfx) -> SamplerDesc {
    let plain = SamplerDesc { conformant_truncation: gfx.major() >= 11, ..SamplerDesc::default() };
    match example {
        "S1" => plain,
        "S2" => SamplerDesc {
            address: [AddressMode::ClampToEdge; 3],
            magnify: Filter::Nearest,
            minify: Filter::Nearest,
            mip: MipFilter::Nearest,
            max_lod: 0.25,
            ..plain
        },
        "S3" => SamplerDesc {
            address: [AddressMode::ClampToBorder; 3],
            max_anisotropy: 16,
            min_lod: 1.5,
            max_lod: 12.0,
            lod_bias: -0.5,
            border: BorderColor::Custom(5),
            ..plain
        },
        "S4" => SamplerDesc {
            address: [AddressMode::ClampToBorder; 3],
            mip: MipFilter::Nearest,
            max_lod: 0.0,
            compare: Some(Compare::LessOrEqual),
            border: BorderColor::OpaqueWhite,
            ..plain
        },
        _ => panic!("no example {example}"),
    }
}

/// Returns the rows of the golden file, one per generation.
fn golden() -> Vec<(&'static str, Chip, Vec<u32>)> {
    let rows = include_str!("../../golden/descriptors.txt").lines().filter(|line| !line.starts_with('#'));
    rows.flat_map(|row| {
        let mut parts = row.split(' ');
        let (example, generations) = (parts.next().expect("an example"), parts.next().expect("generations"));
        let words: Vec<u32> = parts.map(|w| u32::from_str_radix(w, 16).expect("a dword")).collect();
        let chips = generations.split(',').map(|g| CHIPS.iter().find(|(name, _)| *name == g).expect("a generation").1);
        chips.map(|chip| (example, chip, words.clone())).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn descriptors_are_those_that_mesa_makes() {
    let rows = golden();
    assert_eq!(rows.len(), 3 * 6 + 6 + 3 + 1 + 6 + 7 * 6 + 4 * 6 - 6, "every example of every generation");
    for (example, chip, mut expected) in rows {
        let gfx = chip.gfx();
        let made = match &example[..1] {
            "B" => buffer(example, gfx).words(chip).map(Vec::from),
            "I" => image(example, gfx).words(chip).map(Vec::from),
            _ => sampler(example, gfx).words(chip).map(Vec::from),
        };
        // Mesa still writes ELEMENT_SIZE of older generations to a bit that is USER_VM_ENABLE on GFX9.
        if example == "B4" && gfx == Gfx::Gfx9 {
            expected[3] &= !(1 << 19);
        }
        assert_eq!(made, Ok(expected), "{example} on {chip}");
    }
}

/// Fields of a descriptor on a generation do not overlap, except those declared to share bits.
#[test]
fn fields_share_no_bits() {
    for (_, chip) in CHIPS {
        for kind in DescriptorKind::VARIANTS {
            let mut taken = vec![0u32; kind.dwords()];
            for field in kind.fields(chip.gfx()).iter().filter(|f| !f.same_bits) {
                for part in field.parts {
                    let word = &mut taken[usize::from(part.dword)];
                    assert_eq!(*word & part.bits.mask(), 0, "{kind} {} on {chip}", field.name);
                    *word |= part.bits.mask();
                }
            }
        }
    }
}

/// Any words are a descriptor: bits outside all fields are kept, and every field has the value of its bits.
fn words_come_back<D: Descriptor>(words: Vec<u32>) -> bool {
    let words: Vec<u32> = words.into_iter().chain([0; 8]).take(D::KIND.dwords()).collect();
    let Some(read) = D::from_slice(&words) else { return false };
    let of_bits = |parts: &[pm4::descriptors::DescriptorBits]| {
        let read = |part: &pm4::descriptors::DescriptorBits| (part.bits.get(words[usize::from(part.dword)]), part.bits.width());
        parts.iter().map(read).fold((0u64, 0), |(value, at), (bits, width)| (value | u64::from(bits) << at, at + u32::from(width))).0
    };
    let same = D::fields().iter().all(|f| f.get(&words) == of_bits(f.parts) * f.unit() && f.get(&words) <= f.max());
    same && read.raw() == words && D::from_slice(&words[1..]).is_none()
}

#[test]
fn fields_come_back() {
    macro_rules! each {
        ($($name:ident)*) => { $(property(stringify!($name), 300, words_come_back::<pm4::descriptors::layout::$name> as fn(Vec<u32>) -> bool);)* };
    }
    pm4::each_descriptor_struct!(each);
}

/// Getters read what setters write.
#[test]
fn setters_and_getters_agree() {
    use pm4::descriptors::{gfx9, gfx11, gfx12};
    let address = 0x8765_4321_AB00;
    let image =
        gfx12::ImageDescriptor::new().with_base_address(address).with_width(0xFFFF).with_min_lod(0x1FFF).with_type(gfx12::SqRsrcImgType::SQ_RSRC_IMG_3D);
    assert_eq!((image.base_address(), image.width(), image.min_lod(), image.height()), (address, 0xFFFF, 0x1FFF, 0));
    assert_eq!(image.words().expect("all fits")[0], 0x6543_21AB);
    let old = gfx9::ImageDescriptor::new().with_meta_data_address(address);
    assert_eq!((old.meta_data_address(), old.words().expect("all fits")[5] >> 17, old.words().expect("all fits")[7]), (address, 0x87, 0x6543_21AB));
    let buffer = gfx11::BufferDescriptor::from([1, 2, 3, 0xFFFF_FFFF]);
    assert_eq!(buffer.dst_sel_w(), gfx11::SqSelXyzw01::SQ_SEL_W);
    assert_eq!(buffer.with_stride(16).words().expect("all fits"), [1, 2 | 16 << 16, 3, 0xFFFF_FFFF]);
    assert!(format!("{:?}", image).contains("TYPE: SQ_RSRC_IMG_3D"), "{image:?}");
}

#[test]
fn a_value_that_does_not_fit_is_an_error_of_the_words() {
    use pm4::descriptors::gfx10;
    let wide = gfx10::ImageDescriptor::new().with_width(0x4000).with_height(0x4000);
    assert_eq!(wide.words().unwrap_err().to_string(), "image descriptor: WIDTH = 16384 is not within 0 to 16383");
    let odd = gfx10::ImageDescriptor::new().with_base_address(0x1080);
    assert_eq!(odd.words().unwrap_err().to_string(), "image descriptor: BASE_ADDRESS = 0x1080 is not a multiple of 256");
    let high = gfx10::ImageDescriptor::new().with_base_address(1 << 48);
    assert!(matches!(high.words(), Err(DescriptorError::OutOfRange { input: "BASE_ADDRESS", .. })));
}

/// Every format has numbers on the generations in `regdb/descriptors/formats.toml`, and none elsewhere.
#[test]
fn formats_exist_where_the_hardware_has_them() {
    for format in TexelFormat::iter() {
        for (_, chip) in CHIPS {
            let image = ImageDesc { width: 64, height: 64, pitch: (chip.gfx().major() == 9).then_some(64), swizzle: 3, ..ImageDesc::new(IMAGE, format) };
            assert_eq!(image.words(chip).is_ok(), format.is_for_images(chip), "{format} on {chip}");
            let buffer = BufferDesc::typed(BUFFER, format, 1);
            assert_eq!(buffer.words(chip).is_ok(), format.is_for_buffers(chip.gfx()), "{format} on {chip}");
        }
        let buffers_only = format.to_string().starts_with("R32G32B32_") || format.to_string().ends_with("USCALED");
        let etc2 = format.to_string().starts_with("ETC2") || format.to_string().starts_with("EAC");
        assert_eq!(format.is_for_images(Chip::Navi31), !buffers_only && !etc2, "{format}");
        assert_eq!(format.is_for_images(Chip::Vega20), !buffers_only && !etc2, "{format}");
        assert_eq!(format.is_for_images(Chip::Raven2), !buffers_only, "{format}");
    }
    assert_eq!(TexelFormat::iter().count(), 86);
}

/// An image is accepted at each limit and refused one step beyond.
#[test]
fn images_end_at_their_limits() {
    for (_, chip) in CHIPS {
        let gfx = chip.gfx();
        let image = ImageDesc { swizzle: 3, pitch: (gfx.major() == 9).then_some(64), ..ImageDesc::new(IMAGE, TexelFormat::R8G8B8A8_UNORM) };
        let (size, layers) = if gfx.major() == 12 { (65536, 16384) } else { (16384, 8192) };
        let volume = ImageDesc { dimension: ImageDimension::Three, ..image };
        let multi = ImageDesc { samples: 16, ..image };
        for fine in [
            ImageDesc { width: size, ..image },
            ImageDesc { height: size, levels: size.ilog2() + 1, ..image },
            ImageDesc { layers, ..image },
            ImageDesc { depth: layers, ..volume },
            ImageDesc { dimension: ImageDimension::Cube, layers: 12, ..image },
            ImageDesc { address: 0xFFFF_FFFF_FF00, ..image },
            ImageDesc { tile_swizzle: 0x7F, ..image },
            multi,
        ] {
            assert!(fine.words(chip).is_ok(), "{fine:?} on {chip}: {:?}", fine.words(chip));
        }
        let second = Some(ViewRange { first: 1, count: 1 });
        for (input, wrong) in [
            ("width", ImageDesc { width: size + 1, ..image }),
            ("width", ImageDesc { width: 0, ..image }),
            ("height", ImageDesc { height: size + 1, ..image }),
            ("height", ImageDesc { dimension: ImageDimension::One, height: 2, ..image }),
            ("height", ImageDesc { dimension: ImageDimension::Cube, height: 2, layers: 6, ..image }),
            ("layers", ImageDesc { layers: layers + 1, ..image }),
            ("layers", ImageDesc { layers: 2, ..volume }),
            ("depth", ImageDesc { depth: layers + 1, ..volume }),
            ("depth", ImageDesc { depth: 2, ..image }),
            ("levels", ImageDesc { levels: 2, ..image }),
            ("levels", ImageDesc { width: 2, levels: 2, ..multi }),
            ("samples", ImageDesc { samples: 3, ..image }),
            ("samples", ImageDesc { samples: 32, ..image }),
            ("samples", ImageDesc { samples: 2, ..volume }),
            ("view_levels.first", ImageDesc { view_levels: second, ..image }),
            ("view_layers.first", ImageDesc { view_layers: second, ..image }),
            ("view_layers.count", ImageDesc { dimension: ImageDimension::Cube, layers: 7, ..image }),
            ("swizzle", ImageDesc { swizzle: 32, ..image }),
            ("address", ImageDesc { address: IMAGE + 128, ..image }),
            ("address", ImageDesc { address: 1 << 48, ..image }),
            ("tile_swizzle", ImageDesc { tile_swizzle: 0x100, ..image }),
            ("tile_swizzle", ImageDesc { tile_swizzle: 1, swizzle: 0, ..image }),
            ("min_lod", ImageDesc { min_lod: f32::NAN, ..image }),
        ] {
            let error = wrong.words(chip).expect_err(input).to_string();
            assert!(error.starts_with(&format!("image descriptor: {input} = ")), "{input} on {chip}: {error}");
        }
    }
}

/// The levels of a 3D texture also depend on its depth; layers of other textures do not count.
#[test]
fn levels_are_those_of_the_longest_side() {
    let image = |dimension, depth, layers, levels| ImageDesc {
        dimension,
        width: 4,
        height: 4,
        depth,
        layers,
        levels,
        pitch: None,
        swizzle: 27,
        ..ImageDesc::new(IMAGE, TexelFormat::R8G8B8A8_UNORM)
    };
    let fits = |desc: ImageDesc| desc.words(Chip::Navi31).is_ok();
    let volume = |levels| fits(image(ImageDimension::Three, 64, 1, levels));
    let array = |levels| fits(image(ImageDimension::Two, 1, 64, levels));
    assert_eq!((volume(7), volume(8), array(3), array(4)), (true, false, true, false));
}

/// Features of some generations are refused elsewhere, with the reason.
#[test]
fn generations_differ_in_what_they_take() {
    let refused = |error: Result<[u32; 8], DescriptorError>| match error {
        Err(DescriptorError::Refused { input, .. }) => input,
        other => panic!("{other:?}"),
    };
    let image = ImageDesc { width: 1000, height: 16, ..ImageDesc::new(IMAGE, TexelFormat::R8G8B8A8_UNORM) };
    assert_eq!(refused(image.words(Chip::Vega10)), "pitch"); // needed
    assert_eq!(refused(ImageDesc { pitch: Some(1024), swizzle: 27, ..image }.words(Chip::Navi21)), "pitch"); // tiled
    assert_eq!(refused(ImageDesc { pitch: Some(1088), ..image }.words(Chip::Navi10)), "pitch"); // padded otherwise
    assert!(ImageDesc { pitch: Some(1088), ..image }.words(Chip::Navi21).is_ok());
    assert!(matches!(ImageDesc { pitch: Some(1056), ..image }.words(Chip::Navi21), Err(DescriptorError::Misaligned { align: 256, .. })));
    assert!(ImageDesc { pitch: Some(1056), ..image }.words(Chip::Gfx1200).is_ok());

    let dcc = |write, block| ImageDesc {
        pitch: None,
        swizzle: 27,
        max_compressed_block: block,
        compression: ImageCompression::Dcc { metadata: Metadata::default(), write },
        ..image
    };
    assert_eq!(refused(dcc(true, CompressedBlock::B64).words(Chip::Navi10)), "max_compressed_block");
    let bytes = |block, chip| match dcc(true, block).words(chip) {
        Err(DescriptorError::Refused { value, .. }) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!((bytes(CompressedBlock::B64, Chip::Navi10), bytes(CompressedBlock::B256, Chip::Navi31)), (Some(64), Some(256)));
    assert_eq!(refused(dcc(true, CompressedBlock::B256).words(Chip::Navi31)), "max_compressed_block");
    assert!(dcc(true, CompressedBlock::B256).words(Chip::Gfx1150).is_ok());
    let htile = ImageDesc {
        format: TexelFormat::S8_UINT,
        swizzle: 25,
        pitch: Some(1024),
        compression: ImageCompression::Htile { metadata: Metadata::default(), iterate_256: false, depth_bits: Some(DepthBits::Bits16) },
        ..image
    };
    assert_eq!(htile.words(Chip::Vega10).expect("stencil beside depth of 16 bits")[1] >> 20 & 0x3F, 59);
    assert_eq!(refused(ImageDesc { pitch: None, ..htile }.words(Chip::Navi10)), "compression.depth_bits");

    let slices = ImageDesc { dimension: ImageDimension::Three, depth: 8, swizzle: 3, view_layers: Some(ViewRange { first: 2, count: 3 }), ..image };
    assert_eq!(refused(ImageDesc { pitch: Some(1024), ..slices }.words(Chip::Vega10)), "view_layers.first");
    for (chip, storage) in [(Chip::Navi10, 0x0040_0001), (Chip::Navi31, 0x0040_0001), (Chip::Gfx1200, 0x0040_0010)] {
        let words = slices.words(chip).expect("slices");
        assert_eq!((words[4], words[5]), (2 << 16 | 4, storage), "{chip}");
    }
}

/// DEPTH holds the last layer, not the number of layers.
#[test]
fn arrays_name_their_last_layer() {
    for (_, chip) in CHIPS {
        let gfx9 = chip.gfx().major() == 9;
        let array = ImageDesc { layers: 10, swizzle: 3, pitch: gfx9.then_some(1), ..ImageDesc::new(IMAGE, TexelFormat::R8_UNORM) };
        let words = ImageDesc { view_layers: Some(ViewRange { first: 4, count: 2 }), ..array }.words(chip).expect("a view of two layers");
        assert_eq!(words[4] & 0x1FFF, 5);
        assert_eq!(if gfx9 { words[5] & 0x1FFF } else { words[4] >> 16 }, 4);
    }
}

/// The mapping of a view selects from the channels of the format: alpha of a format without alpha is 1.
#[test]
fn mappings_go_over_those_of_the_format() {
    use ChannelSource::{W, X, Y, Z};
    let selects = |format, mapping| {
        let image = ImageDesc { mapping, swizzle: 27, ..ImageDesc::new(IMAGE, format) };
        let word = image.words(Chip::Navi31).expect("an image")[3];
        [0, 3, 6, 9].map(|at| word >> at & 7)
    };
    assert_eq!(selects(TexelFormat::B8G8R8A8_UNORM, [X, Y, Z, W]), [6, 5, 4, 7]);
    assert_eq!(selects(TexelFormat::B8G8R8A8_UNORM, [W, Z, Y, X]), [7, 4, 5, 6]);
    assert_eq!(selects(TexelFormat::R8_UNORM, [W, X, Y, ChannelSource::One]), [1, 4, 0, 1]);
}

/// BC_SWIZZLE follows the format's own channels, even if the descriptor reads 64 bits as two times 32.
#[test]
fn borders_follow_the_channels_of_the_format() {
    let order = |format| ImageDesc { swizzle: 27, ..ImageDesc::new(IMAGE, format) }.words(Chip::Navi31).expect("an image")[3] >> 25 & 7;
    let of = [TexelFormat::R8G8B8A8_UNORM, TexelFormat::R8_UNORM, TexelFormat::R64_UINT, TexelFormat::B8G8R8A8_UNORM, TexelFormat::R4G4B4A4_UNORM_PACK16];
    assert_eq!(of.map(order), [0, 1, 1, 4, 2]);
    assert_eq!([TexelFormat::S8_UINT, TexelFormat::D32_SFLOAT, TexelFormat::B4G4R4A4_UNORM_PACK16].map(order), [0, 1, 3]);
}

#[test]
fn buffers_end_at_their_limits() {
    for (_, chip) in CHIPS {
        let raw = BufferDesc::raw(BUFFER, 64);
        assert!(BufferDesc { stride: 16383, records: u32::MAX, address: 0xFFFF_FFFF_FFFF, ..raw }.words(chip).is_ok());
        for (input, wrong) in [
            ("stride", BufferDesc { stride: 16384, ..raw }),
            ("address", BufferDesc { address: 1 << 48, ..raw }),
            ("index_stride", BufferDesc { swizzle: swizzled(4, 128), ..raw }),
            ("index_stride", BufferDesc { swizzle: swizzled(4, 24), ..raw }),
            ("swizzle.element", BufferDesc { swizzle: swizzled(32, 32), ..raw }),
        ] {
            let error = wrong.words(chip).expect_err(input).to_string();
            assert!(error.starts_with(&format!("buffer descriptor: {input} = ")), "{error}");
        }
        // One bit up to GFX10.3.
        assert_eq!(BufferDesc { swizzle: swizzled(16, 32), ..raw }.words(chip).is_ok(), chip.gfx().major() >= 11);
        assert_eq!(BufferDesc { bypass_reads: true, ..raw }.words(chip).is_ok(), [(10, 3), (11, 0), (11, 5)].contains(&chip.gfx().version()));
        assert_eq!(BufferDesc { compression: BufferCompression::Read, ..raw }.words(chip).is_ok(), chip.gfx().major() == 12);
    }
}

#[test]
fn samplers_end_at_their_limits() {
    for (_, chip) in CHIPS {
        let gfx9 = chip.gfx().major() == 9;
        let plain = SamplerDesc::default();
        assert!(SamplerDesc { lod_bias: if gfx9 { 16.0 } else { 31.0 }, ..plain }.words(chip).is_ok());
        for (input, wrong) in [
            ("max_anisotropy", SamplerDesc { max_anisotropy: 0, ..plain }),
            ("max_lod", SamplerDesc { min_lod: 2.0, max_lod: 1.0, ..plain }),
            ("min_lod", SamplerDesc { min_lod: f32::NAN, ..plain }),
            ("max_lod", SamplerDesc { max_lod: f32::NAN, ..plain }),
            ("lod_bias", SamplerDesc { lod_bias: if gfx9 { 16.5 } else { 31.5 }, ..plain }),
            ("lod_bias", SamplerDesc { lod_bias: f32::NAN, ..plain }),
            ("border", SamplerDesc { border: BorderColor::Custom(4096), ..plain }),
        ] {
            let error = wrong.words(chip).expect_err(input).to_string();
            assert!(error.starts_with(&format!("sampler descriptor: {input} = ")), "{error}");
        }
        // An unreachable border colour is ignored.
        assert_eq!(SamplerDesc { border: BorderColor::Custom(9), ..plain }.words(chip), plain.words(chip));
        // Powers of two, rounded down.
        assert_eq!(SamplerDesc { max_anisotropy: 7, ..plain }.words(chip), SamplerDesc { max_anisotropy: 4, ..plain }.words(chip));
    }
}

type Random = ((u16, u16, u16, u8, u8), (u8, u8, u8, u8, u8), (u8, u8, u8, u8, bool));

/// No input causes a panic, and the words decode to the input.
fn image_or_error((size, kind, view): Random) -> bool {
    let range = |first: u8, count: u8| (first & 1 == 1).then_some(ViewRange { first: (first >> 1).into(), count: count.into() });
    let dimension = [ImageDimension::One, ImageDimension::Two, ImageDimension::Three, ImageDimension::Cube][usize::from(kind.2 & 3)];
    let (_, chip) = CHIPS[usize::from(kind.0) % 6];
    let image = ImageDesc {
        dimension,
        width: (size.0 & 0x3FF).into(),
        height: if dimension == ImageDimension::Cube { (size.0 & 0x3FF).into() } else { (size.1 & 0x3FF).into() },
        depth: (size.2 & 15).into(),
        levels: (size.3 & 7).into(),
        layers: (size.4 & 15).into(),
        samples: 1 << (kind.3 & 7 & view.2),
        view_levels: range(view.0 & 7, view.1 & 3),
        view_layers: range(view.2 & 15, view.3 & 7),
        swizzle: (kind.4 & 31).into(),
        pitch: view.4.then_some(1024),
        ..ImageDesc::new(IMAGE, TexelFormat::iter().nth(usize::from(kind.1) % 86).expect("86 formats"))
    };
    let Ok(words) = image.words(chip) else { return true };
    let fields = DescriptorKind::Image.fields(chip.gfx());
    let get = |name: &str| fields.iter().find(|f| f.name == name).map_or(0, |f| f.get(&words));
    get("WIDTH") + 1 == u64::from(image.width)
        && get("HEIGHT") + 1 == u64::from(image.height)
        && get("BASE_ADDRESS") == IMAGE
        && get("BASE_LEVEL") <= get("LAST_LEVEL")
        && get("LAST_LEVEL") <= get("MAX_MIP")
}

#[test]
fn any_image_gives_words_or_an_error() {
    property("any_image", 20000, image_or_error as fn(Random) -> bool);
}

/// Random descriptors, in `golden/draw/descriptors.txt`: the number of each kind that a chip accepts, a hash of their words, and the messages for the others.
#[test]
fn random_descriptors_have_the_expected_words() {
    let mut parts = Parts::default();
    for (generation, chip) in CHIPS {
        let (mut taken, mut refused) = (BTreeMap::<&str, (u32, u64)>::new(), BTreeMap::<String, u32>::new());
        let mut add = |kind: &'static str, words: Result<Vec<u32>, DescriptorError>| match words {
            Ok(words) => {
                let all = taken.entry(kind).or_insert((0, digest("")));
                *all = (all.0 + 1, digest_after(all.1, &format!("{words:x?}")));
            }
            // Without the refused value.
            Err(error) => *refused.entry(error.to_string().split(" = ").next().unwrap_or_default().to_owned()).or_default() += 1,
        };
        let mut random = SplitMix(chip as u64);
        let formats: Vec<TexelFormat> = TexelFormat::iter().collect();
        for _ in 0..1200 {
            let mut below = |limit: u32| random.below(limit as usize) as u32;
            let format = formats[below(formats.len() as u32) as usize];
            let metadata = Metadata {
                address: if below(4) > 0 { u64::from(below(1 << 20)) << 8 } else { below(999).into() },
                pipe_aligned: below(2) == 1,
                rb_aligned: below(4) == 1,
            };
            let range = |first, count, chosen| (chosen == 0).then_some(ViewRange { first, count });
            let side = 1 << below(10);
            // Mostly valid combinations.
            use ImageDimension::{Cube, One, Three, Two};
            let dimension = [One, Two, Two, Two, Three, Cube][below(6) as usize];
            let odd = below(8) == 0;
            let image = ImageDesc {
                dimension,
                width: side + if dimension == Cube && !odd { 0 } else { below(3) },
                height: match dimension {
                    One if !odd => 1,
                    Cube if !odd => side,
                    _ => 1 + below(300),
                },
                depth: if dimension == Three || odd { 1 + below(9) } else { 1 },
                levels: 1 + if below(2) == 0 { below(side.ilog2() + 1 + u32::from(odd)) } else { 0 },
                layers: match dimension {
                    Cube => [6, 12, 6 + below(8)][below(3) as usize],
                    Three if !odd => 1,
                    _ => 1 + below(20),
                },
                samples: if (dimension == Two && below(4) == 0) || odd { 1 << below(5) } else { 1 },
                view_levels: range(below(4), 1 + below(3), below(3)),
                view_layers: range(below(6), 1 + below(6), below(3)),
                mapping: [0; 4].map(|_| {
                    [ChannelSource::Zero, ChannelSource::One, ChannelSource::X, ChannelSource::Y, ChannelSource::Z, ChannelSource::W][below(6) as usize]
                }),
                swizzle: if below(3) == 0 { below(33) } else { [25, 27, 27, 27, 27, 3][chip.gfx().index()] },
                tile_swizzle: if below(4) == 0 { below(32) } else { 0 },
                pitch: (chip.gfx() == Gfx::Gfx9 || below(6) == 0).then(|| side.next_multiple_of(256) * (1 + below(2))),
                min_lod: below(40) as f32 / 8.0,
                max_compressed_block: [CompressedBlock::B64, CompressedBlock::B128, CompressedBlock::B256][below(3) as usize],
                compression: match below(4) {
                    0 => ImageCompression::Dcc { metadata, write: below(2) == 1 },
                    1 => ImageCompression::Htile {
                        metadata,
                        iterate_256: below(2) == 1,
                        depth_bits: [None, Some(DepthBits::Bits16), Some(DepthBits::Bits32)][below(3) as usize],
                    },
                    _ => ImageCompression::Off,
                },
                view_of_blocks: below(8) == 0,
                ..ImageDesc::new(IMAGE, format)
            };
            add("images", image.words(chip).map(|words| words.to_vec()));
            let buffer = BufferDesc {
                address: if below(8) == 0 { u64::MAX >> below(40) } else { BUFFER + u64::from(below(4)) },
                stride: [0, 4, 16, below(20_000)][below(4) as usize],
                records: [0, 1, below(1 << 20), u32::MAX][below(4) as usize],
                format: (below(3) == 0).then_some(format).filter(|format| odd || format.is_for_buffers(chip.gfx())),
                out_of_bounds: match below(5) {
                    0 if chip.gfx() > Gfx::Gfx9 || odd => Some(OutOfBounds::StructuredWithOffset),
                    1 if chip.gfx() > Gfx::Gfx9 => Some(OutOfBounds::Structured),
                    2 if chip.gfx() > Gfx::Gfx9 => Some(OutOfBounds::Disabled),
                    3 if chip.gfx() > Gfx::Gfx9 => Some(OutOfBounds::Raw),
                    _ => None,
                },
                swizzle: (below(3) == 0).then(|| BufferSwizzle { element: 1 << below(6), index_stride: 4 << below(6) }),
                add_thread_id: below(4) == 0,
                compression: [BufferCompression::Off, BufferCompression::Off, BufferCompression::Read, BufferCompression::ReadAndWrite][below(4) as usize],
                ..BufferDesc::raw(BUFFER, 64)
            };
            add("buffers", buffer.words(chip).map(|words| words.to_vec()));
            use AddressMode::{
                ClampHalfBorder, ClampToBorder, ClampToEdge, MirrorClampHalfBorder, MirrorClampToBorder, MirrorClampToEdge, MirroredRepeat, Repeat,
            };
            let address = [Repeat, MirroredRepeat, ClampToEdge, MirrorClampToEdge, ClampHalfBorder, MirrorClampHalfBorder, ClampToBorder, MirrorClampToBorder];
            let sampler = SamplerDesc {
                address: [0; 3].map(|_| address[below(address.len() as u32) as usize]),
                magnify: [Filter::Nearest, Filter::Linear][below(2) as usize],
                minify: [Filter::Nearest, Filter::Linear][below(2) as usize],
                mip: [MipFilter::None, MipFilter::Nearest, MipFilter::Linear][below(3) as usize],
                max_anisotropy: below(19),
                isotropic_single_level: below(2) == 0,
                min_lod: below(4000) as f32 / 256.0,
                max_lod: below(8000) as f32 / 256.0,
                lod_bias: below(10_000) as f32 / 256.0 - 16.0,
                compare: Compare::iter().nth(below(12) as usize),
                border: [BorderColor::TransparentBlack, BorderColor::OpaqueBlack, BorderColor::OpaqueWhite, BorderColor::Custom(below(5000) as u16)]
                    [below(4) as usize],
                unnormalized: below(8) == 0,
                separate_cube_faces: below(2) == 0,
                conformant_truncation: below(2) == 0,
                ..SamplerDesc::default()
            };
            add("samplers", sampler.words(chip).map(|words| words.to_vec()));
        }
        let taken = taken.into_iter().map(|(kind, (count, words))| format!("{count} {kind}: {words:016x}\n"));
        let refused = refused.into_iter().map(|(error, count)| format!("{count} refused: {error}\n"));
        parts.add(generation, &taken.chain(refused).collect::<String>());
    }
    parts.assert("draw/descriptors.txt");
}
