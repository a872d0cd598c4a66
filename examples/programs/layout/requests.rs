//! Requests and answers of the program `layout`, one JSON object each.

use pm4::chip::{Chip, Gfx};
use pm4::descriptors::ImageDimension;
use pm4::layout::{
    AddressConfig, BlockLimit, ColorUsage, DepthUsage, Element, HtileUse, LayoutError, MetadataKind, MetadataLayout, MetadataSurface, Plane, SurfaceDesc,
    SurfaceLayout, SwizzleMode, Tiling, Usage,
};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A request has no answer.
#[derive(Debug)]
pub enum RequestError {
    /// The request does not have the expected form.
    Form(String),
    /// The chip does not support the layout.
    SurfaceLayout(LayoutError),
}

impl From<LayoutError> for RequestError {
    fn from(error: LayoutError) -> Self {
        Self::SurfaceLayout(error)
    }
}

impl std::fmt::Display for RequestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Form(text) => f.write_str(text),
            Self::SurfaceLayout(error) => error.fmt(f),
        }
    }
}

/// Returns the answer to a request: a layout, or an address if the request has coordinates.
pub fn answer(config: &AddressConfig, request: &Value) -> Value {
    let fields = Fields(request);
    let result = match request.get("kind").and_then(Value::as_str) {
        _ if request.get("dim").is_some() => address(config, &fields),
        Some("dcc") => metadata_address(config, &fields, MetadataKind::Dcc),
        Some("htile") => metadata_address(config, &fields, MetadataKind::Htile),
        Some("cmask") => metadata_address(config, &fields, MetadataKind::Cmask),
        _ => layout(config, &fields),
    };
    result.unwrap_or_else(|error| json!({ "error": error.to_string() }))
}

struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn number(&self, name: &str, absent: u32) -> Result<u32, RequestError> {
        match self.0.get(name) {
            None => Ok(absent),
            Some(value) => value
                .as_u64()
                .and_then(|value| u32::try_from(value).ok())
                .ok_or_else(|| RequestError::Form(format!("{name}: expected a number from 0 to {}, found {value}", u32::MAX))),
        }
    }

    fn text(&self, name: &str) -> Result<&str, RequestError> {
        self.0.get(name).and_then(Value::as_str).ok_or_else(|| RequestError::Form(format!("{name}: expected a word")))
    }
}

/// Parses `fmt`: bits per texel, or the name of a compressed format.
fn element(value: Option<&Value>) -> Result<Element, RequestError> {
    match value {
        Some(Value::Number(bits)) => match bits.as_u64() {
            Some(bits @ (8 | 16 | 32 | 64 | 96 | 128)) => Ok(Element::texel(bits as u32 / 8)),
            _ => Err(RequestError::Form(format!("fmt: {bits} is not one of 8, 16, 32, 64, 96, 128 bits"))),
        },
        Some(Value::String(name)) => match name.as_str() {
            "bc1" | "bc4" => Ok(Element::BC1),
            "bc2" | "bc3" | "bc5" | "bc6" | "bc7" => Ok(Element::BC7),
            _ => Err(RequestError::Form(format!("fmt: {name} is not one of bc1 to bc7"))),
        },
        _ => Err(RequestError::Form("fmt: expected bits, or the name of a compressed format".to_owned())),
    }
}

/// Returns the description for a request, and whether its levels contain only stencil.
pub fn description(config: &AddressConfig, request: &Value) -> Result<SurfaceDesc, RequestError> {
    let fields = Fields(request);
    let kind = fields.text("kind")?;
    let element = element(request.get("fmt"))?;
    let samples = fields.number("samples", 1)?;
    let mut desc = SurfaceDesc {
        dimension: match kind {
            "1d" | "1da" => ImageDimension::One,
            "2d" | "2da" => ImageDimension::Two,
            "3d" => ImageDimension::Three,
            "cube" => ImageDimension::Cube,
            _ => return Err(RequestError::Form(format!("kind: {kind} is not one of 1d, 1da, 2d, 2da, 3d, cube"))),
        },
        width: fields.number("w", 1)?,
        height: fields.number("h", 1)?,
        depth: fields.number("d", 1)?,
        layers: fields.number("layers", 1)?,
        levels: fields.number("levels", 1)?,
        samples,
        fragments: fields.number("storage_samples", samples)?,
        surface_index: fields.number("surf_index", 0)?,
        ..SurfaceDesc::new(element)
    };
    let target = ColorUsage::TARGET;
    let compressed = element.width > 1;
    let depth = |stencil, htile| Usage::Depth(DepthUsage { stencil, htile });
    let usage = fields.text("usage")?;
    desc.usage = match usage {
        "lin" => Usage::Color(ColorUsage { sampled: !compressed, ..ColorUsage::TEXTURE }),
        "tex" | "tex4k" | "tex64k" => Usage::Color(ColorUsage::TEXTURE),
        "rt" => Usage::Color(target),
        "rtshare" => Usage::Color(ColorUsage { shared: true, ..target }),
        "rtnodcc" | "force" | "prt" => Usage::Color(ColorUsage { target: !compressed, dcc: false, ..target }),
        "rtnofmask" => Usage::Color(ColorUsage { fmask: false, ..target }),
        "disp" => Usage::Color(ColorUsage { display: true, ..target }),
        "z" => depth(false, HtileUse::DepthOnly),
        "ztc" => depth(false, HtileUse::Texture),
        "znoh" => depth(false, HtileUse::Off),
        "zs" => depth(true, HtileUse::DepthOnly),
        "zstc" => depth(true, HtileUse::Texture),
        "s" => Usage::Stencil,
        "video" => Usage::VideoReference,
        "vrs" => Usage::ShadingRate,
        _ => return Err(RequestError::Form(format!("usage: {usage} is not known"))),
    };
    match usage {
        "lin" => desc.tiling = Tiling::Linear,
        "tex4k" => desc.block_limit = BlockLimit::Kib4,
        "tex64k" => desc.block_limit = BlockLimit::Kib64,
        "prt" => desc.sparse = true,
        _ => {}
    }
    if let Some(number) = request.get("force_sw").and_then(Value::as_i64).filter(|&number| number >= 0) {
        desc.tiling = Tiling::Mode(mode(config.chip(), number as u32)?);
    }
    Ok(desc)
}

fn mode(chip: Chip, number: u32) -> Result<SwizzleMode, RequestError> {
    SwizzleMode::from_number(chip.gfx(), number).ok_or_else(|| RequestError::Form(format!("swizzle mode {number} does not exist on {chip}")))
}

fn layout(config: &AddressConfig, fields: &Fields<'_>) -> Result<Value, RequestError> {
    let desc = description(config, fields.0)?;
    let layout = SurfaceLayout::new(*config, &desc)?;
    Ok(Value::Object(columns(&desc, &layout)))
}

/// Returns the name of a mode as abbreviated in the vectors of the address library: `64K_R_X`.
fn short(mode: SwizzleMode) -> String {
    mode.name().replace("KB", "K")
}

fn mips(plane: &Plane) -> String {
    let mut text = String::new();
    for mip in plane.mips() {
        let [x, y] = mip.tail;
        let separator = if text.is_empty() { "" } else { ";" };
        let _ = write!(text, "{separator}{}:{}:{}:{x}:{y}:0:{}:{}:{}", mip.offset, mip.macro_offset, mip.tail_offset, mip.pitch, mip.height, mip.depth);
    }
    text
}

/// Returns all numbers of a layout.
pub fn columns(desc: &SurfaceDesc, layout: &SurfaceLayout) -> Map<String, Value> {
    let gfx = layout.config().chip().gfx();
    let mut row = Map::new();
    let mut set = |name: &str, value: Value| {
        row.insert(name.to_owned(), value);
    };
    let plane = &layout.plane;
    let linear = plane.mode == SwizzleMode::SW_LINEAR;
    set("sw", plane.mode.number().into());
    set("sw_name", short(plane.mode).into());
    for (name, size) in ["block_w", "block_h", "block_d"].into_iter().zip(plane.block) {
        set(name, size.into());
    }
    set("pitch", plane.pitch.into());
    set("height", plane.height.into());
    set("nslices", plane.slices.into());
    set("slice_size", plane.slice_size.into());
    set("surf_size", plane.size.into());
    set("surf_align", plane.align.into());
    set("first_tail", plane.first_tail.into());
    set("chain_in_tail", u32::from(plane.chain_in_tail).into());
    set("chain_pitch", plane.chain.map_or(0, |chain| chain.pitch).into());
    set("chain_height", plane.chain.map_or(0, |chain| chain.height).into());
    set("epitch", plane.chain.map_or(-1, |chain| i64::from(chain.epitch)).into());
    set("mips", mips(plane).into());
    // For stencil-only images, Mesa keeps no depth plane and treats it as linear.
    let stencil_only = desc.usage == Usage::Stencil;
    if stencil_only {
        set("drv_pitch", 0.into());
        set("drv_slice_size", 0.into());
    } else {
        set("drv_pitch", driver_pitch(desc, layout).into());
        set("drv_slice_size", plane.slice_size.into());
        if linear {
            let levels: Vec<String> = plane.mips().iter().map(|mip| format!("{}:{}", mip.offset, mip.pitch)).collect();
            set("drv_linear_mips", levels.join(";").into());
        }
    }
    if let Some(stencil) = &layout.stencil {
        let plane = &stencil.plane;
        set("st_sw", plane.mode.number().into());
        set("st_offset", stencil.offset.into());
        set("st_pitch", plane.pitch.into());
        set("st_height", plane.height.into());
        set("st_slice_size", plane.slice_size.into());
        set("st_size", plane.size.into());
        set("st_align", plane.align.into());
        set("st_first_tail", plane.first_tail.into());
        set("st_mips", mips(plane).into());
    }
    set("pbx_mask", format!("{:#x}", layout.tile_swizzle_mask()).into());
    set("tile_swizzle", layout.tile_swizzle.into());
    if let Some(dcc) = &layout.dcc {
        metadata(gfx, desc, &dcc.metadata, &mut set);
        let [w, h] = dcc.compressed_block;
        set("dcc_cblk", format!("{w}x{h}x1").into());
        set("dcc_indep64", u32::from(dcc.independent_64).into());
        set("dcc_indep128", u32::from(dcc.independent_128).into());
        set("dcc_maxcomp", dcc.max_compressed.into());
        set("dcc_rb_aligned", u32::from(dcc.metadata.rb_aligned).into());
        set("dcc_pipe_aligned", u32::from(dcc.metadata.pipe_aligned).into());
        if let Some(display) = &dcc.display {
            set("disp_dcc_offset", display.offset.into());
            set("disp_dcc_size", display.size.into());
            set("disp_dcc_align", display.align.into());
            set("disp_dcc_pitch", display.pitch.into());
            set("disp_dcc_height", display.height.into());
        }
    }
    if let Some(htile) = &layout.htile {
        metadata(gfx, desc, htile, &mut set);
    }
    if layout.compressible && matches!(desc.usage, Usage::Color(_)) {
        set("dcc_maxcomp", 256.into());
    }
    if let Some(cmask) = &layout.cmask {
        set("cmask_offset", cmask.offset.into());
        set("cmask_size", cmask.size.into());
        set("cmask_align", cmask.align.into());
        set("cmask_slice_size", cmask.slice_size.into());
        set("cmask_pitch", cmask.pitch.into());
        set("cmask_height", cmask.height.into());
        set("cmask_blk_w", cmask.block[0].into());
        set("cmask_blk_h", cmask.block[1].into());
    }
    if let Some(fmask) = &layout.fmask {
        set("fmask_offset", fmask.offset.into());
        set("fmask_size", fmask.size.into());
        set("fmask_align", fmask.align.into());
        set("fmask_slice_size", fmask.slice_size.into());
        set("fmask_sw", fmask.mode.number().into());
        set("fmask_bpp", (8 * fmask.element_bytes).into());
        set("fmask_pitch", fmask.pitch.into());
        set("fmask_height", fmask.height.into());
        set("fmask_tile_swizzle", fmask.tile_swizzle.into());
    }
    for (name, surface) in [("hiz", &layout.hiz), ("his", &layout.his)] {
        if let Some(surface) = surface {
            set(&format!("{name}_offset"), surface.offset.into());
            set(&format!("{name}_size"), surface.size.into());
            set(&format!("{name}_w"), surface.width.into());
            set(&format!("{name}_h"), surface.height.into());
            set(&format!("{name}_sw"), surface.mode.number().into());
            set(&format!("{name}_pitch"), surface.pitch.into());
            set(&format!("{name}_align"), surface.align.into());
        }
    }
    set("total_size", layout.size.into());
    set("total_align", layout.align.into());
    set("displayable", u32::from(layout.displayable || stencil_only && gfx.version().0 < 12).into());
    set("gfx12_dcc", u32::from(layout.compressible).into());
    row
}

/// Returns the pitch that Mesa stores: on GFX12, a smaller one for tiled images with one level.
fn driver_pitch(desc: &SurfaceDesc, layout: &SurfaceLayout) -> u32 {
    let plane = &layout.plane;
    let gfx12 = layout.config().chip().gfx().version().0 == 12;
    if gfx12 && plane.mode != SwizzleMode::SW_LINEAR && desc.levels == 1 && plane.block[2] == 1 {
        let bits = plane.align.ilog2().saturating_sub(plane.element_bytes.ilog2()).div_ceil(2);
        return desc.width.next_multiple_of(1 << bits);
    }
    plane.pitch
}

fn metadata(gfx: Gfx, desc: &SurfaceDesc, meta: &MetadataLayout, set: &mut impl FnMut(&str, Value)) {
    set("meta_kind", if meta.kind == MetadataKind::Htile { "htile" } else { "dcc" }.into());
    set("meta_offset", meta.offset.into());
    set("meta_size", meta.size.into());
    set("meta_align", meta.align.into());
    set("meta_slice_size", meta.slice_size.into());
    set("meta_pitch", meta.pitch.into());
    set("meta_height", meta.height.into());
    set("meta_blk_w", meta.block[0].into());
    set("meta_blk_h", meta.block[1].into());
    set("meta_blk_d", 1.into());
    set("meta_levels", meta.levels.into());
    let levels: Vec<String> = meta.mips()[..(desc.levels as usize).min(meta.mips().len())]
        .iter()
        .map(|mip| if gfx.version().0 == 9 { format!("{}:{}", mip.start[0], mip.start[1]) } else { format!("{}:{}", mip.offset, mip.size) })
        .collect();
    set("meta_mips", levels.join(";").into());
}

/// Returns the address of an element. The request states the mode, and sizes in elements.
fn address(config: &AddressConfig, fields: &Fields<'_>) -> Result<Value, RequestError> {
    let mode = mode(config.chip(), fields.number("sw", 0)?)?;
    let slices = fields.number("d", 1)?;
    let dimension = match fields.text("dim")? {
        "1d" => ImageDimension::One,
        "2d" => ImageDimension::Two,
        "3d" => ImageDimension::Three,
        other => return Err(RequestError::Form(format!("dim: {other} is not one of 1d, 2d, 3d"))),
    };
    let volume = dimension == ImageDimension::Three;
    let samples = fields.number("samples", 1)?;
    let desc = SurfaceDesc {
        dimension,
        width: fields.number("w", 1)?,
        height: fields.number("h", 1)?,
        depth: if volume { slices } else { 1 },
        layers: if volume { 1 } else { slices },
        levels: fields.number("levels", 1)?,
        samples,
        fragments: samples,
        tiling: Tiling::Mode(mode),
        slices_as_layers: volume && mode.name().ends_with("_2D"),
        ..SurfaceDesc::new(Element::texel(fields.number("bpe", 1)?))
    };
    let layout = SurfaceLayout::new(*config, &desc)?;
    let tiler = layout.tiler()?.with_tile_swizzle(&layout, fields.number("pbx", 0)?);
    let at = [fields.number("x", 0)?, fields.number("y", 0)?, fields.number("z", 0)?];
    let address = tiler.address(at, fields.number("sample", 0)?, fields.number("mip", 0)?)?;
    Ok(json!({ "addr": address }))
}

/// Returns the address of the metadata of a texel. Sizes and coordinates are in texels.
fn metadata_address(config: &AddressConfig, fields: &Fields<'_>, kind: MetadataKind) -> Result<Value, RequestError> {
    let surface = MetadataSurface {
        kind,
        mode: mode(config.chip(), fields.number("sw", 0)?)?,
        element_bytes: fields.number("bpe", 1)?,
        width: fields.number("w", 1)?,
        height: fields.number("h", 1)?,
        slices: fields.number("slices", 1)?,
        samples: fields.number("samples", 1)?,
        aligned: fields.number("pipe_aligned", 1)? != 0,
    };
    let addresses = MetadataLayout::of(config, &surface)?.addresses(config)?;
    let at = [fields.number("x", 0)?, fields.number("y", 0)?, fields.number("z", 0)?];
    let found = addresses.address(at, fields.number("sample", 0)?, fields.number("pipe_xor", 0)?)?;
    Ok(json!({ "addr": found.byte, "nibble": found.nibble }))
}
