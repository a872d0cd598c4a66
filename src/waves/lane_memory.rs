//! Memory accesses of lanes through descriptors: bytes of buffers and texels of images.

use super::lanes::{AccessProblem, Lanes};
use crate::chip::Chip;
use crate::cp::ModelAccess;
use crate::descriptors::{DescriptorKind, ImageDesc, ImageDimension, TexelFormat};
use crate::isa::{Image, Mubuf, Op};
use crate::layout::{ColorUsage, Element, SurfaceDesc, SurfaceLayout, SwizzleMode, Tiler, Tiling, Usage};
use alloc::vec::Vec;

type Done = Result<(), AccessProblem>;

/// Returns a byte of memory.
fn byte(access: &ModelAccess<'_, '_>, addr: u64) -> Result<u8, AccessProblem> {
    let word = access.dword(addr & !3).ok_or(AccessProblem::Memory(addr))?;
    Ok((word >> (8 * (addr & 3))) as u8)
}

/// Returns consecutive bytes as whole dwords; the first byte is the lowest.
fn read(access: &ModelAccess<'_, '_>, addr: u64, bytes: u32) -> Result<[u32; 4], AccessProblem> {
    let mut words = [0; 4];
    for at in 0..bytes.min(16) {
        words[(at / 4) as usize] |= u32::from(byte(access, addr + u64::from(at))?) << (8 * (at % 4));
    }
    Ok(words)
}

fn write(access: &mut ModelAccess<'_, '_>, addr: u64, bytes: u32, words: [u32; 4]) -> Done {
    if bytes >= 4 {
        access.write(addr, &words[..(bytes / 4).min(4) as usize]);
        return Ok(());
    }
    let (old, shift) = (access.dword(addr & !3).ok_or(AccessProblem::Memory(addr))?, 8 * (addr & 3));
    let mask = ((1u32 << (8 * bytes)) - 1) << shift;
    access.write(addr & !3, &[old & !mask | words[0] << shift & mask]);
    Ok(())
}

/// Returns the number of bytes that one lane transfers.
fn bytes_of(op: Op) -> u32 {
    match op {
        Op::BufferLoadUbyte | Op::BufferStoreByte => 1,
        Op::BufferLoadUshort | Op::BufferStoreShort => 2,
        _ => 4 * u32::from(op.data()),
    }
}

/// Returns the address of each lane's access; None if it is out of bounds.
fn addresses(lanes: &Lanes, access: &Mubuf) -> Result<Vec<Option<u64>>, AccessProblem> {
    let [low, high, records, _] = lanes.scalars::<4>(access.resource);
    if high >> 16 != 0 || access.index_enable {
        return Err(AccessProblem::Refused("buffers with elements are not followed"));
    }
    let base = u64::from(low) | u64::from(high & 0xFFFF) << 32;
    let scalar = lanes.value(access.scalar_offset).ok_or(AccessProblem::Refused("its scalar offset has no value"))?;
    let bytes = u64::from(bytes_of(access.op));
    let address = |lane| {
        let offset = u64::from(access.offset) + if access.offset_enable { u64::from(lanes.get(lane, access.address)) } else { 0 };
        (offset + bytes <= records.into()).then(|| base + u64::from(scalar) + offset)
    };
    let addresses: Vec<_> = (0..lanes.count).map(address).collect();
    let aligned = addresses.iter().flatten().all(|addr| addr.is_multiple_of(bytes.min(4)));
    if aligned { Ok(addresses) } else { Err(AccessProblem::Refused("its address is not aligned to what it moves")) }
}

pub(super) fn load_buffer(lanes: &mut Lanes, access: &Mubuf, memory: &ModelAccess<'_, '_>) -> Done {
    let bytes = bytes_of(access.op);
    for (lane, addr) in addresses(lanes, access)?.into_iter().enumerate() {
        let words = addr.map_or(Ok([0; 4]), |addr| read(memory, addr, bytes))?;
        (0..bytes.div_ceil(4)).for_each(|n| lanes.set(lane, access.data + n as u8, words[n as usize]));
    }
    Ok(())
}

pub(super) fn store_buffer(lanes: &mut Lanes, access: &Mubuf, memory: &mut ModelAccess<'_, '_>) -> Done {
    let bytes = bytes_of(access.op);
    for (lane, addr) in addresses(lanes, access)?.into_iter().enumerate() {
        let words = core::array::from_fn(|n| if n < bytes.div_ceil(4) as usize { lanes.get(lane, access.data + n as u8) } else { 0 });
        addr.map_or(Ok(()), |addr| write(memory, addr, bytes, words))?;
    }
    Ok(())
}

/// Supported image formats: bytes per element, channels, and the encoding of a channel.
#[derive(Clone, Copy, PartialEq)]
enum Channel {
    /// Unconverted, with this number of bytes.
    Raw(u32),
    /// A byte from 0 to 1.
    Normalized,
}

const FORMATS: [(TexelFormat, u32, Channel); 12] = [
    (TexelFormat::R8_UINT, 1, Channel::Raw(1)),
    (TexelFormat::R16_UINT, 1, Channel::Raw(2)),
    (TexelFormat::R32_UINT, 1, Channel::Raw(4)),
    (TexelFormat::R32G32_UINT, 2, Channel::Raw(4)),
    (TexelFormat::R32G32B32A32_UINT, 4, Channel::Raw(4)),
    (TexelFormat::R32_SFLOAT, 1, Channel::Raw(4)),
    (TexelFormat::R32G32_SFLOAT, 2, Channel::Raw(4)),
    (TexelFormat::R32G32B32A32_SFLOAT, 4, Channel::Raw(4)),
    (TexelFormat::R8G8B8A8_UINT, 4, Channel::Raw(1)),
    (TexelFormat::R8_UNORM, 1, Channel::Normalized),
    (TexelFormat::R8G8_UNORM, 2, Channel::Normalized),
    (TexelFormat::R8G8B8A8_UNORM, 4, Channel::Normalized),
];

impl Channel {
    fn bytes(self) -> u32 {
        if let Self::Raw(bytes) = self { bytes } else { 1 }
    }

    /// Returns the value that a shader reads from a channel.
    fn load(self, bits: u32) -> u32 {
        match self {
            Self::Raw(_) => bits,
            Self::Normalized => ((f64::from(bits) / 255.0) as f32).to_bits(),
        }
    }

    /// Returns the bits that a store writes to memory.
    fn store(self, value: u32) -> u32 {
        match self {
            Self::Raw(4) => value,
            Self::Raw(bytes) => value.min((1 << (8 * bytes)) - 1),
            // Rounded to nearest, with halves rounded up (the hardware's rounding of halves is unverified).
            Self::Normalized => (f64::from(f32::from_bits(value)).clamp(0.0, 1.0) * 255.0 + 0.5) as u32,
        }
    }
}

/// A view that a descriptor describes.
#[derive(Clone)]
struct View {
    words: [u32; 8],
    channels: u32,
    channel: Channel,
    /// What a shader reads as each channel, as descriptors have it: 0, 1, or from 4 on a channel of memory.
    selects: [u32; 4],
    /// The number one of the format.
    one: u32,
    tiler: Tiler,
    base: u64,
    level: u32,
    /// Size of the level, and the end of layers or slices.
    size: [u32; 3],
    first_layer: u32,
    array: bool,
    volume: bool,
    samples: u32,
}

/// The views that a dispatch has used.
pub(super) struct Images {
    chip: Chip,
    views: Vec<View>,
}

impl Images {
    pub fn new(chip: Chip) -> Self {
        Self { chip, views: Vec::new() }
    }

    fn view(&mut self, words: [u32; 8]) -> Result<View, AccessProblem> {
        if let Some(view) = self.views.iter().find(|view| view.words == words) {
            return Ok(view.clone());
        }
        let view = view(self.chip, words).map_err(AccessProblem::Refused)?;
        self.views.push(view.clone());
        Ok(view)
    }

    /// Executes a load or store in each lane.
    pub fn access(&mut self, lanes: &mut Lanes, access: &Image, memory: &mut ModelAccess<'_, '_>) -> Done {
        let view = self.view(lanes.scalars::<8>(access.resource))?;
        let array = access.dim.is_array();
        if array != view.array {
            return Err(AccessProblem::Refused("its dimension is not that of the descriptor"));
        }
        let bytes = view.channel.bytes();
        let moved: Vec<u32> = (0..4).filter(|channel| access.channels >> channel & 1 == 1).collect();
        for lane in 0..lanes.count {
            let coordinate = |n: u8| lanes.get(lane, access.address.wrapping_add(n));
            let third = array || view.volume;
            let z = if third { coordinate(2) } else { 0 };
            let sample = if view.samples > 1 { coordinate(if third { 3 } else { 2 }) } else { 0 };
            let addr = view.address([coordinate(0), coordinate(1), z], sample);
            if access.op.is_store() {
                let Some(addr) = addr else { continue };
                for (n, channel) in moved.iter().enumerate().filter(|(_, channel)| **channel < view.channels) {
                    let value = view.channel.store(lanes.get(lane, access.data + n as u8));
                    write(memory, addr + u64::from(channel * bytes), bytes, [value, 0, 0, 0])?;
                }
                continue;
            }
            for (n, channel) in moved.iter().enumerate() {
                let value = match (addr, view.selects[*channel as usize & 3]) {
                    (Some(_), 1) => view.one,
                    (Some(addr), select @ 4..) if select - 4 < view.channels => {
                        view.channel.load(read(memory, addr + u64::from((select - 4) * bytes), bytes)?[0])
                    }
                    _ => 0,
                };
                lanes.set(lane, access.data + n as u8, value);
            }
        }
        Ok(())
    }
}

impl View {
    /// Returns the address of a texel; None outside the view, where stores have no effect and loads return 0.
    fn address(&self, [x, y, z]: [u32; 3], sample: u32) -> Option<u64> {
        let z = z.checked_add(self.first_layer)?;
        let [width, height, end] = self.size;
        let inside = x < width && y < height && z < end && sample < self.samples;
        inside.then(|| self.tiler.address([x, y, z], sample, self.level).ok()).flatten().map(|offset| self.base + offset)
    }
}

/// Returns the view that a descriptor describes.
fn view(chip: Chip, words: [u32; 8]) -> Result<View, &'static str> {
    let fields = DescriptorKind::Image.fields(chip.gfx());
    let get = |name: &str, words: &[u32; 8]| fields.iter().find(|field| field.name == name).map_or(0, |field| field.get(words) as u32);
    let field = |name: &str| get(name, &words);
    let same_format = |format: &TexelFormat| {
        // GFX9 needs a pitch.
        let pitch = (chip.gfx().major() == 9).then_some(1);
        let other = ImageDesc { pitch, ..ImageDesc::new(0x100, *format) }.words(chip).unwrap_or_default();
        ["FORMAT", "DATA_FORMAT", "NUM_FORMAT"].into_iter().all(|name| get(name, &other) == field(name))
    };
    let (format, channels, channel) = FORMATS.into_iter().find(|row| same_format(&row.0)).ok_or("the format of its image is not followed")?;
    let selects = ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"].map(field);
    let name: &'static str = format.into();
    let one = if name.contains("UINT") { 1 } else { 1f32.to_bits() };
    let kind = fields.iter().find(|field| field.name == "TYPE").and_then(|kind| kind.name_of(kind.get(&words))).unwrap_or_default();
    let (array, volume) = (kind.ends_with("ARRAY"), kind.ends_with("3D"));
    let msaa = kind.contains("MSAA");
    if !volume && !kind.contains("2D") {
        return Err("the dimension of its image is not followed");
    }
    let compressed = field("COMPRESSION_EN") == 1;
    if compressed && chip.gfx().major() < 12 {
        return Err("images with metadata in use are not followed");
    }
    let swizzle = field("SW_MODE");
    let mode = SwizzleMode::from_number(chip.gfx(), swizzle).ok_or("the swizzle mode of its image is not known")?;
    let (level, last_layer) = (field("BASE_LEVEL"), if array || volume { field("DEPTH") } else { 0 });
    let samples = if msaa { 1 << field("LAST_LEVEL") } else { 1 };
    let desc = SurfaceDesc {
        dimension: if volume { ImageDimension::Three } else { ImageDimension::Two },
        width: field("WIDTH") + 1,
        height: field("HEIGHT") + 1,
        depth: if volume { last_layer + 1 } else { 1 },
        layers: if volume { 1 } else { last_layer + 1 },
        levels: if msaa { 1 } else { field("MAX_MIP") + 1 },
        samples,
        fragments: samples,
        usage: Usage::Color(ColorUsage { dcc: false, fmask: false, ..ColorUsage::TARGET }),
        tiling: if swizzle == 0 { Tiling::Linear } else { Tiling::Mode(mode) },
        ..SurfaceDesc::new(Element::texel(format.bytes()))
    };
    let layout = SurfaceLayout::new(chip, &desc).map_err(|_| "no layout is known for its image")?;
    let address = fields.iter().find(|field| field.name == "BASE_ADDRESS").map_or(0, |field| field.get(&words));
    let low = address & u64::from(layout.align - 1);
    let tiler = layout.tiler().map_err(|_| "no addresses are known for its image")?.with_tile_swizzle(&layout, (low >> 8) as u32);
    let linear = swizzle == 0;
    let base = if linear { address } else { address - low };
    let [width, height, depth] = tiler.extent(level);
    let (level_of, level_depth) = if msaa { (0, depth) } else { (level, depth) };
    let size = if msaa { [desc.width, desc.height, last_layer + 1] } else { [width, height, if volume { level_depth } else { last_layer + 1 }] };
    let first_layer = if array { field("BASE_ARRAY") } else { 0 };
    Ok(View { words, channels, channel, selects, one, tiler, base, level: level_of, size, first_layer, array, volume, samples })
}
