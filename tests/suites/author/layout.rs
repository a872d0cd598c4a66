//! Surface layouts: vectors of AMD's address library, and properties of random images.
//!
//! `tests/layouts` contains a sample of the vectors; all of them are compared if `../shared/facts/surfaces` exists next to the checkout, or in the folder named
//! by `PM4_SURFACES`.
use crate::support::property;
use flate2::read::GzDecoder;
use pm4::chip::Chip;
use pm4::descriptors::{ImageDimension, TexelFormat};
use pm4::layout::*;
use quickcheck::{Arbitrary, Gen};
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

#[path = "../../../examples/programs/layout/requests.rs"]
mod requests;

/// Columns that are not compared: offsets that depend on an alignment the driver does not keep, and the tail of linear images, which the library leaves unset.
const DOUBTFUL: [&str; 3] = ["hiz_offset", "his_offset", "first_tail"];

struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    fn of(text: &str) -> Self {
        let split = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines();
        Self { columns: split(lines.next().expect("names of columns")), rows: lines.map(split).collect() }
    }

    fn get<'r>(&self, row: &'r [String], column: &str) -> &'r str {
        let index = self.columns.iter().position(|name| name == column);
        index.and_then(|index| row.get(index)).map_or("-", String::as_str)
    }

    fn number(&self, row: &[String], column: &str) -> u32 {
        self.get(row, column).parse().unwrap_or_else(|_| panic!("{column} is a number"))
    }

    fn request(&self, row: &[String], columns: &str) -> Value {
        let value = |text: &str| text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from);
        let present = columns.split(' ').map(|column| (column, self.get(row, column))).filter(|(_, text)| *text != "-");
        Value::Object(present.map(|(column, text)| (column.to_owned(), value(text))).collect::<Map<_, _>>())
    }
}

/// Returns the sample, and the full set if available.
fn vectors(name: &str) -> Vec<Rows> {
    let root = crate::support::repository("");
    let sample = fs::read_to_string(root.join("tests/layouts").join(name).with_extension("tsv")).expect("a sample");
    let folder = std::env::var_os("PM4_SURFACES").map_or_else(|| root.join("../shared/facts/surfaces"), PathBuf::from);
    let mut sets = vec![Rows::of(&sample)];
    if let Ok(file) = File::open(folder.join(format!("{name}.tsv.gz"))) {
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
        sets.push(Rows::of(&text));
    }
    sets
}

/// Checks that answers to requests equal the columns from `first` on.
fn compare(name: &str, request: &str, first: &str) {
    for set in vectors(name) {
        let start = set.columns.iter().position(|column| column == first).expect("a column of results");
        let mut wrong = Vec::new();
        for row in &set.rows {
            let chip: Chip = set.get(row, "chip").parse().expect("a chip");
            let answer = requests::answer(&chip.into(), &set.request(row, request));
            for (column, expected) in
                set.columns.iter().zip(row).skip(start).filter(|(column, expected)| *expected != "-" && !DOUBTFUL.contains(&column.as_str()))
            {
                let found = match answer.get(column) {
                    None => answer.get("error").map_or_else(|| "-".to_owned(), Value::to_string),
                    Some(Value::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                };
                if found != *expected {
                    wrong.push(format!("{chip} {}: {column} is {found}, not {expected}", set.request(row, request)));
                    break;
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), set.rows.len(), wrong[..wrong.len().min(10)].join("\n"));
    }
}

#[test]
fn layouts_equal_those_of_the_address_library() {
    compare("layout", "kind usage fmt w h d layers levels samples storage_samples force_sw surf_index", "sw");
}

#[test]
fn addresses_equal_those_of_the_address_library() {
    compare("address", "dim sw bpe w h d levels samples pbx x y z sample mip", "addr");
}

#[test]
fn addresses_in_metadata_equal_those_of_the_address_library() {
    compare("meta-address", "kind sw bpe w h slices samples pipe_aligned pipe_xor x y z sample", "addr");
}

/// Returns the chip of a configuration, with its register.
fn configuration(name: &str) -> AddressConfig {
    let number = |letter: char| name.split('-').find_map(|part| part.strip_prefix(letter)?.parse::<u32>().ok()).unwrap_or(0);
    let chip = match name {
        _ if name.starts_with("gfx103") => Chip::Navi21,
        _ if name.starts_with("gfx10") => Chip::Navi10,
        _ if name.starts_with("gfx11") => Chip::Navi31,
        "gfx12" => return Chip::Gfx1201.into(),
        chip => return chip.parse::<Chip>().expect("a chip").into(),
    };
    AddressConfig::from_register(chip, number('p') | 0x40 | number('k') << 8).expect("a configuration")
}

#[test]
fn equations_equal_those_that_probing_the_address_library_finds() {
    for set in vectors("equations") {
        for row in &set.rows {
            let config = configuration(set.get(row, "config"));
            let mode = SwizzleMode::from_number(config.chip().gfx(), set.number(row, "sw")).expect("a mode");
            let equation = Equation::new(&config, mode, set.get(row, "dim") == "3d", set.number(row, "bpe"), set.number(row, "samples")).expect("an equation");
            let sorted = |text: &str| {
                let word = |word: &str| {
                    let mut terms: Vec<&str> = word.split('^').collect();
                    terms.sort_unstable();
                    terms.join("^")
                };
                text.split(' ').map(word).collect::<Vec<_>>()
            };
            assert_eq!(sorted(&equation.terms()), sorted(set.get(row, "equation")), "{row:?}");
        }
    }
}

/// Any image; most are possible on some chip.
#[derive(Debug, Clone)]
struct Case {
    chip: Chip,
    desc: SurfaceDesc,
}

fn one_of<T: Copy>(g: &mut Gen, values: &[T]) -> T {
    *g.choose(values).expect("not empty")
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let chip = one_of(g, &Chip::all().collect::<Vec<_>>());
        let small = |g: &mut Gen, most: u32| 1 + u32::arbitrary(g) % most;
        let dimension =
            one_of(g, &[ImageDimension::One, ImageDimension::Two, ImageDimension::Two, ImageDimension::Two, ImageDimension::Three, ImageDimension::Cube]);
        let mut desc = SurfaceDesc {
            dimension,
            width: small(g, 70),
            height: if dimension == ImageDimension::One { 1 } else { small(g, 70) },
            depth: if dimension == ImageDimension::Three { small(g, 20) } else { 1 },
            layers: match dimension {
                ImageDimension::Three => 1,
                ImageDimension::Cube => 6,
                _ => small(g, 4),
            },
            surface_index: u32::arbitrary(g) % 40,
            ..SurfaceDesc::new(Element::texel(one_of(g, &[1, 2, 4, 8, 16, 12])))
        };
        let texture = ColorUsage {
            target: bool::arbitrary(g),
            sampled: bool::arbitrary(g),
            dcc: bool::arbitrary(g),
            fmask: bool::arbitrary(g),
            display: u8::arbitrary(g) < 20,
            shared: bool::arbitrary(g),
        };
        desc.usage = Usage::Color(texture);
        match u8::arbitrary(g) % 8 {
            0 if dimension == ImageDimension::Two => {
                desc.element = Element::texel(one_of(g, &[2, 4]));
                desc.usage =
                    Usage::Depth(DepthUsage { stencil: bool::arbitrary(g), htile: one_of(g, &[HtileUse::Off, HtileUse::DepthOnly, HtileUse::Texture]) });
            }
            1 if dimension == ImageDimension::Two => {
                (desc.element, desc.usage) = (Element::texel(1), one_of(g, &[Usage::Stencil, Usage::ShadingRate, Usage::VideoReference]))
            }
            2 | 3 => desc.element = one_of(g, &[Element::BC1, Element::BC7, Element { bytes: 16, width: 6, height: 5 }]),
            _ => {}
        }
        let multisampled = dimension == ImageDimension::Two && desc.element.width == 1 && u8::arbitrary(g) % 3 == 0;
        if multisampled {
            desc.samples = one_of(g, &[2, 4, 8]);
            desc.fragments = if u8::arbitrary(g) % 4 == 0 { one_of(g, &[1, 2, 4]) } else { desc.samples };
        } else {
            let longest = desc.width.max(desc.height).max(desc.depth);
            desc.levels = small(g, longest.ilog2() + 1);
        }
        desc.tiling = match u8::arbitrary(g) % 5 {
            0 => Tiling::Linear,
            1 | 2 => Tiling::Mode(one_of(g, &SwizzleMode::all(chip.gfx()).collect::<Vec<_>>())),
            _ => Tiling::Optimal,
        };
        desc.block_limit = one_of(g, &[BlockLimit::Any, BlockLimit::Any, BlockLimit::Kib4, BlockLimit::Kib64]);
        desc.sparse = u8::arbitrary(g) < 20;
        desc.slices_as_layers = u8::arbitrary(g) < 40;
        // Numbers that nothing has.
        match u8::arbitrary(g) % 40 {
            0 => desc.width = u32::arbitrary(g),
            1 => desc.levels = u32::arbitrary(g),
            2 => desc.layers = u32::arbitrary(g),
            3 => desc.element = Element { bytes: u32::arbitrary(g), width: u32::arbitrary(g), height: u32::arbitrary(g) },
            4 => (desc.samples, desc.fragments) = (u32::arbitrary(g), u32::arbitrary(g)),
            5 => (desc.height, desc.depth) = (u32::arbitrary(g), u32::arbitrary(g)),
            _ => {}
        }
        Self { chip, desc }
    }
}

/// Returns all levels, samples and elements of a plane.
fn regions(tiler: &Tiler, levels: u32, samples: u32) -> impl Iterator<Item = Region> {
    (0..levels).flat_map(move |level| (0..samples).map(move |sample| (level, sample))).map(|(level, sample)| Region {
        level,
        sample,
        start: [0; 3],
        size: tiler.extent(level),
    })
}

#[test]
fn every_element_has_bytes_of_its_own_inside_the_image() {
    fn holds(case: Case) -> bool {
        let Case { chip, desc } = case;
        let Ok(layout) = SurfaceLayout::new(chip, &desc) else { return true };
        if layout.size > 1 << 24 {
            return true;
        }
        let mut taken = vec![false; layout.size as usize];
        let planes = [layout.tiler().ok().map(|tiler| (tiler, desc.element.bytes)), layout.stencil_tiler().ok().map(|tiler| (tiler, 1))];
        for (tiler, bytes) in planes.into_iter().flatten() {
            for Region { level, sample, size: [w, h, d], .. } in regions(&tiler, desc.levels, desc.fragments) {
                for at in (0..d).flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| [x, y, z]))) {
                    let address = tiler.address(at, sample, level).expect("an element of the level") as usize;
                    let Some(element) = taken.get_mut(address..address + bytes as usize) else { return false };
                    if element.iter().any(|byte| *byte) {
                        return false;
                    }
                    element.fill(true);
                }
            }
        }
        true
    }
    property("elements apart", 600, holds as fn(Case) -> bool);
}

#[test]
fn detiling_gives_back_what_was_tiled() {
    fn holds(case: Case) -> bool {
        let Case { chip, desc } = case;
        let Ok(layout) = SurfaceLayout::new(chip, &desc) else { return true };
        let Ok(tiler) = layout.tiler() else { return true };
        if layout.size > 1 << 22 {
            return true;
        }
        let mut image = vec![0; layout.size as usize];
        let mut levels = Vec::new();
        for (seed, region) in regions(&tiler, desc.levels, desc.fragments).enumerate() {
            let [w, h, d] = region.size.map(u64::from);
            let row = w * u64::from(desc.element.bytes) + 3;
            let linear = Linear { row, slice: row * h + 5 };
            let texels: Vec<u8> = (0..linear.slice * d).map(|i| (i.wrapping_mul(31) >> 3) as u8 ^ (seed as u8).wrapping_mul(89)).collect();
            tiler.tile(&region, linear, &texels, &mut image).expect("it fits");
            levels.push((region, linear, texels));
        }
        levels.iter().all(|(region, linear, texels)| {
            let mut back = vec![0; texels.len()];
            tiler.detile(region, *linear, &image, &mut back).expect("it fits");
            let [w, h, d] = region.size.map(|size| size as usize);
            let row = w * desc.element.bytes as usize;
            (0..d * h).all(|line| {
                let start = (line / h) * linear.slice as usize + (line % h) * linear.row as usize;
                back[start..start + row] == texels[start..start + row]
            })
        })
    }
    property("detile after tile", 300, holds as fn(Case) -> bool);
}

#[test]
fn parts_of_an_image_are_aligned_and_apart() {
    fn holds(case: Case) -> bool {
        let Case { chip, desc } = case;
        let Ok(layout) = SurfaceLayout::new(chip, &desc) else { return true };
        let meta = |metadata: &MetadataLayout| (metadata.offset, metadata.size, metadata.align);
        let mut parts = vec![(0, layout.plane.size, layout.plane.align)];
        parts.extend(layout.stencil.as_ref().map(|stencil| (stencil.offset, stencil.plane.size, stencil.plane.align)));
        parts.extend(layout.fmask.as_ref().map(|fmask| (fmask.offset, fmask.size, fmask.align)));
        // CMASK of a single-sample image is a separate allocation.
        parts.extend(layout.cmask.as_ref().filter(|_| desc.samples > 1).map(meta));
        parts.extend(layout.htile.as_ref().map(meta));
        parts.extend(layout.dcc.as_ref().map(|dcc| meta(&dcc.metadata)));
        parts.extend(layout.dcc.as_ref().and_then(|dcc| dcc.display.as_ref()).map(meta));
        parts.extend([&layout.hiz, &layout.his].into_iter().flatten().map(|tiles| (tiles.offset, tiles.size, tiles.align)));
        parts.sort_unstable();
        let apart = parts.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0);
        apart
            && parts
                .iter()
                .all(|(offset, size, align)| offset % u64::from(*align) == 0 && offset + size <= layout.size && layout.align % align == 0 && *size > 0)
    }
    property("parts apart", 3000, holds as fn(Case) -> bool);
}

#[test]
fn metadata_lies_inside_its_memory() {
    fn holds(case: Case) -> bool {
        let Case { chip, desc } = case;
        let Ok(layout) = SurfaceLayout::new(chip, &desc) else { return true };
        [layout.dcc.map(|dcc| dcc.metadata), layout.htile, layout.cmask].into_iter().flatten().all(|metadata| {
            let Ok(addresses) = metadata.addresses(layout.config()) else { return true };
            let corners = [0, desc.width / 2, desc.width - 1].into_iter().flat_map(|x| [0, desc.height - 1].map(|y| [x, y, desc.layers - 1]));
            corners.into_iter().all(|at| addresses.address(at, 0, 0).is_ok_and(|address| address.byte < metadata.size))
        })
    }
    property("metadata inside", 2000, holds as fn(Case) -> bool);
}

#[test]
fn a_legal_layout_makes_a_legal_descriptor() {
    fn holds(case: Case) -> bool {
        let Case { chip, desc } = case;
        let format = match desc.element {
            Element { width: 4, bytes: 8, .. } => TexelFormat::BC4_UNORM_BLOCK,
            Element { width: 4, bytes: 16, .. } => TexelFormat::BC7_UNORM_BLOCK,
            Element { width: 1, bytes: 1, .. } => TexelFormat::R8_UNORM,
            Element { width: 1, bytes: 2, .. } => TexelFormat::R16_UNORM,
            Element { width: 1, bytes: 4, .. } => TexelFormat::R8G8B8A8_UNORM,
            Element { width: 1, bytes: 8, .. } => TexelFormat::R16G16B16A16_SFLOAT,
            _ => return true,
        };
        let square = desc.dimension != ImageDimension::Cube || desc.width == desc.height;
        let Ok(layout) = SurfaceLayout::new(chip, &desc) else { return true };
        if !square || desc.fragments != desc.samples {
            return true;
        }
        let image = layout.image_desc(0x2345_6700_0000, format);
        image.words(chip).inspect_err(|error| eprintln!("{error}: {image:?} of {desc:?} on {chip}")).is_ok()
    }
    property("descriptors of layouts", 1500, holds as fn(Case) -> bool);
}

/// Refused images, with the message.
#[test]
fn refusals_name_the_limit() {
    let image = SurfaceDesc { width: 64, height: 64, ..SurfaceDesc::new(Element::texel(4)) };
    let refused = |chip: Chip, desc: SurfaceDesc| SurfaceLayout::new(chip, &desc).expect_err("refused").to_string();
    let mode = |mode| Tiling::Mode(mode);
    let depth = Usage::Depth(DepthUsage::default());
    for (chip, desc, words) in [
        (Chip::Navi31, SurfaceDesc { width: 0, ..image }, "layout: width = 0 is not within 1 to 16384"),
        (Chip::Navi31, SurfaceDesc { height: 16385, ..image }, "layout: height = 16385 is not within 1 to 16384"),
        (Chip::Navi31, SurfaceDesc { levels: 8, ..image }, "layout: levels = 8 is not within 1 to the levels down to 1x1x1"),
        (Chip::Navi31, SurfaceDesc { samples: 3, ..image }, "layout: samples = 3 is not within 1, 2, 4, 8, 16"),
        (Chip::Navi31, SurfaceDesc { samples: 4, fragments: 4, levels: 2, ..image }, "layout: several samples cannot have several levels"),
        (Chip::Navi31, SurfaceDesc { samples: 4, fragments: 2, ..image }, "layout: fewer fragments than samples cannot have depth, or GFX11 and later"),
        (Chip::Navi31, SurfaceDesc { dimension: ImageDimension::Cube, layers: 4, ..image }, "layout: layers = 4 is not within multiples of 6 for cubes"),
        (Chip::Navi31, SurfaceDesc { tiling: mode(SwizzleMode::SW_4KB_S), ..image }, "layout: swizzle mode 4KB_S is not legal: dimensions of the surface"),
        (
            Chip::Navi31,
            SurfaceDesc { tiling: mode(SwizzleMode::SW_VAR_R_X), ..image },
            "layout: swizzle mode VAR_R_X is not legal: this generation does not have it",
        ),
        (
            Chip::Gfx1201,
            SurfaceDesc { tiling: mode(SwizzleMode::SW_4KB_2D), usage: depth, ..image },
            "layout: swizzle mode 4KB_2D is not legal: depth and stencil are 64KB_2D or 256KB_2D",
        ),
        (
            Chip::Vega10,
            SurfaceDesc { tiling: Tiling::Linear, usage: depth, ..image },
            "layout: swizzle mode LINEAR is not legal: depth and stencil are not linear",
        ),
        (
            Chip::Vega10,
            SurfaceDesc { element: Element::texel(12), samples: 4, fragments: 4, ..image },
            "layout: no swizzle mode of this chip allows several samples are not linear",
        ),
    ] {
        assert_eq!(refused(chip, desc), words);
    }
}
