//! Memory of a queue: the rings through which stages and queues pass work.

use crate::chip::{Chip, Gfx};
use crate::draw::desc::address::is_address;
use crate::draw::desc::error::DrawError;
use crate::draw::desc::tessellation::OFFCHIP_BLOCK;
use crate::gpu::Board;

/// Rings through which task shaders pass work to mesh shaders: a control buffer, a ring of 16-byte entries and a ring of 16 KiB payloads, in consecutive
/// memory.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::TaskRings;
/// let rings = TaskRings::at(Chip::Navi31, 0x10_0000)?;
/// assert_eq!((rings.entries(), rings.entries_address(), rings.payloads_address()), (1024, 0x10_0100, 0x10_4100));
/// assert_eq!(rings.control_words(), [1024, 0, 1024, 0, 1024, 0, 1024, 0x10_0100, 0]);
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskRings {
    control: u64,
    entries: u32,
}

impl TaskRings {
    /// Returns the rings of a chip with their control buffer at an address.
    ///
    /// # Errors
    /// [`DrawError::OptionAbsent`] before GFX10.3, [`DrawError::Limit`] for 0, for an address that is not a multiple of 256 below 2^48 (its canonical form with
    /// the upper bits set is accepted as well), and for one from which the rings would cross 2^47 or 2^48.
    pub fn at(chip: Chip, control: u64) -> Result<Self, DrawError> {
        if chip.gfx().version() < (10, 3) {
            return Err(DrawError::OptionAbsent { option: "a task shader", chip, limit: "GFX10.3 and later have it" });
        }
        let refuse = |limit| Err(DrawError::Limit { what: "the address of the control buffer", value: control, limit });
        if !is_address(control, ALIGN) {
            return refuse("a multiple of 256 below 2^48, and not 0");
        }
        // Navi24, Vangogh and Rembrandt have small rings (Mesa 25.0.7).
        let small = ["gfx1033", "gfx1034", "gfx1035"].contains(&chip.info().llvm);
        let rings = Self { control, entries: if small { 256 } else { 1024 } };
        // The last byte must have the same upper bits as the first.
        match control.checked_add(BEFORE_PAYLOADS_AT_MOST + PAYLOAD * u64::from(rings.entries)) {
            Some(end) if is_address(end, 1) && end >> 47 == control >> 47 => Ok(rings),
            _ => refuse("an address after which the rings fit below 2^48"),
        }
    }

    /// Returns the address of the control buffer.
    pub fn control_address(&self) -> u64 {
        self.control
    }

    /// Returns the number of entries of both rings, a power of two.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// Returns the address of the ring of entries. An entry holds x, y and z of the mesh grid and a word whose bit 0 marks it as ready: 1 on odd passes and 0
    /// on even passes.
    pub fn entries_address(&self) -> u64 {
        (self.control + 4 * self.control_words().len() as u64).next_multiple_of(ALIGN)
    }

    /// Returns the address of the ring of payloads.
    pub fn payloads_address(&self) -> u64 {
        (self.entries_address() + ENTRY * u64::from(self.entries)).next_multiple_of(ALIGN)
    }

    /// Returns the total size in bytes of control buffer and rings.
    pub fn memory_bytes(&self) -> u64 {
        self.payloads_address() + PAYLOAD * u64::from(self.entries) - self.control
    }

    /// Returns the initial contents of the control buffer: three 64-bit pointers (write, read, free) that start at the number of entries, so that the first
    /// pass is odd; that number; and the address of the ring of entries.
    pub fn control_words(&self) -> [u32; 9] {
        let draws = self.control.wrapping_add(36).next_multiple_of(ALIGN);
        [self.entries, 0, self.entries, 0, self.entries, 0, self.entries, draws as u32, (draws >> 32) as u32]
    }
}

/// Bytes of an entry and of a payload, and the alignment of all parts.
const ENTRY: u64 = 16;
const PAYLOAD: u64 = 16 * 1024;
const ALIGN: u64 = 256;

/// Maximum size in bytes of control buffer and ring of entries.
const BEFORE_PAYLOADS_AT_MOST: u64 = ALIGN + 1024 * ENTRY;

impl QueueMemory {
    /// Checks what hardware cannot accept.
    pub(crate) fn check(&self, gfx: Gfx) -> Result<(), DrawError> {
        let check = |fine: bool, what, value, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what, value, limit }) };
        let border = self.border_colors;
        check(border.is_multiple_of(256) && border >> 48 == 0, "the address of the border colours", border, "a multiple of 256 below 2^48")?;
        let place = |what, address: u64| {
            let canonical = address >> 48 == 0 || address >> 47 == 0x1_FFFF;
            check(address.is_multiple_of(0x1_0000) && canonical, what, address, "a multiple of 64 KiB of 48 bits")
        };
        if let Some(rings) = self.tessellation {
            rings.check(gfx)?;
        }
        if let Some(bytes) = self.geometry_shader_ring {
            check(bytes.is_multiple_of(256) && bytes != 0, "the size of the geometry shader ring", bytes.into(), "a multiple of 256, and not 0")?;
        }
        if let Some(ring) = self.attributes {
            place("the address of the attribute ring", ring.address)?;
            let fine = ring.bytes.is_multiple_of(0x1_0000) && (1..=256).contains(&(ring.bytes >> 16));
            check(fine, "the size of the attribute ring", ring.bytes.into(), "a multiple of 64 KiB up to 16 MiB")?;
        }
        if let Some(rings) = self.geometry {
            // MEM_SIZE has 14 and 11 bits.
            let size = |what, bytes: u32, most: u32, limit| {
                check(bytes.is_multiple_of(RING_UNIT) && (1..=most).contains(&(bytes / RING_UNIT)), what, bytes.into(), limit)
            };
            place("the address of the position ring", rings.positions.address)?;
            size("the size of the position ring", rings.positions.bytes, 0x3FFF, "a multiple of 32 from 32 to 524256 bytes")?;
            place("the address of the primitive ring", rings.primitives.address)?;
            size("the size of the primitive ring", rings.primitives.bytes, 0x7FF, "a multiple of 32 from 32 to 65504 bytes")?;
        }
        Ok(())
    }
}

/// How a preamble brings registers to known values on GFX11 and GFX11.5. Earlier generations have only CLEAR_STATE, and GFX12 has only registers.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ClearMethod, Recorder};
/// let mut recorder = Recorder::new(Chip::Navi31).clear_method(ClearMethod::Registers);
/// recorder.begin()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClearMethod {
    /// The packet CLEAR_STATE. Afterwards every context register has a known value, including registers that this crate never writes; this is why it is the
    /// default. Mesa 25.0.7 and PAL send it, and it is in the captures.
    #[default]
    ClearState,
    /// No packet; instead, writes of the registers that draws do not write themselves, as in Mesa since 2026 ("supports CLEAR_STATE, but we have decided not to
    /// use it"). Registers that neither preamble nor draws write keep their contents; they belong to features that no draw of this crate enables.
    Registers,
}

/// The attribute ring (GFX11 and later).
///
/// For an example see [`QueueMemory`](crate::draw::QueueMemory).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttributeRing {
    /// Address in bytes, a multiple of 64 KiB; the canonical form with the upper bits set is accepted as well.
    pub address: u64,
    /// Bytes per shader engine, a multiple of 64 KiB up to 16 MiB. The memory has this size times the number of shader engines (Mesa 25.0.7: 1400 KiB for each
    /// shader engine of a board, rounded up to 1408, 768 KiB of an APU with 2 MiB of L2, else half of the L2, 1024 KiB on GFX12; Mesa 2026: 1400 KiB, rounded
    /// up to 1408, on GFX12 too; 16 MiB in all at most).
    pub bytes: u32,
}

/// The position ring or the primitive ring (GFX12).
///
/// ```
/// use pm4::draw::GeometryRing;
/// // 16384 positions of 16 bytes for each engine; the memory grows with the square of the engines.
/// let positions = GeometryRing { address: 0x10_0000, bytes: 16384 * 16 };
/// assert_eq!((positions.memory_bytes(1), positions.memory_bytes(4)), (0x4_0000, 16 * 0x4_0000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GeometryRing {
    /// Address in bytes, a multiple of 64 KiB; the canonical form with the upper bits set is accepted as well.
    pub address: u64,
    /// Bytes per shader engine, a multiple of 32. The memory has this size times the square of the number of shader engines, rounded up to 64 KiB.
    pub bytes: u32,
}

impl GeometryRing {
    /// Returns the bytes of memory that the ring takes on a board with this number of shader engines (Mesa 25.0.7 radv_emit_ge_rings).
    pub const fn memory_bytes(self, shader_engines: u32) -> u64 {
        (self.bytes as u64).saturating_mul(shader_engines as u64 * shader_engines as u64).saturating_add(0xFFFF) & !0xFFFF
    }
}

/// The position and primitive rings (GFX12). Hardware needs both or neither: their four registers are written together (Mesa 25.0.7 radv_emit_ge_rings).
///
/// ```
/// use pm4::draw::GeometryRings;
/// let rings = GeometryRings::at(0x10_0000, 4); // of a board of 4 shader engines
/// assert_eq!((rings.positions.bytes, rings.primitives.bytes), (262_144, 65_472));
/// assert_eq!(rings.primitives.address, 0x10_0000 + 262_144 * 16);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GeometryRings {
    /// Positions: 16 bytes each. At most 524256 bytes per shader engine.
    pub positions: GeometryRing,
    /// Primitives: 4 bytes each. At most 65504 bytes per shader engine.
    pub primitives: GeometryRing,
}

impl GeometryRings {
    /// Returns rings of RADV's sizes: 16384 positions and 16368 primitives per shader engine, in consecutive memory at a multiple of 64 KiB.
    pub const fn at(address: u64, shader_engines: u32) -> Self {
        let positions = GeometryRing { address, bytes: 16384 * 16 };
        let primitives = GeometryRing { address: address.wrapping_add(positions.memory_bytes(shader_engines)), bytes: 16368 * 4 };
        Self { positions, primitives }
    }

    /// Returns the bytes of memory that both rings take.
    pub const fn memory_bytes(self, shader_engines: u32) -> u64 {
        self.positions.memory_bytes(shader_engines).saturating_add(self.primitives.memory_bytes(shader_engines))
    }
}

/// The size registers of the geometry rings count 32 bytes.
pub(crate) const RING_UNIT: u32 = 32;

/// Memory that all draws of a queue share.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{AttributeRing, QueueMemory, Recorder};
/// let memory = QueueMemory { attributes: Some(AttributeRing { address: 0x8000_0000, bytes: 0x16_0000 }), ..QueueMemory::default() };
/// let mut recorder = Recorder::new(Chip::Navi31);
/// recorder.begin_with(&memory)?;
/// # Ok::<(), pm4::draw::RecordError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QueueMemory {
    /// Border colours of samplers: a multiple of 256 below 2^48; 0 for none.
    pub border_colors: u64,
    /// The ring in which vertex work of GFX11 and later stores parameters for the pixel stage; earlier generations ignore it. Draws that export parameters need
    /// it on GFX11 and later, unless another command buffer has set it.
    pub attributes: Option<AttributeRing>,
    /// The rings in which vertex work of GFX12 stores positions and primitives for the rasterizer; earlier generations ignore them. Every draw on GFX12 needs
    /// them, unless another command buffer has set them.
    pub geometry: Option<GeometryRings>,
    /// Factors and off-chip memory of tessellation. Draws that tessellate need them, unless another command buffer has set them.
    pub tessellation: Option<TessellationRings>,
    /// Bytes of the ring through which geometry shaders without NGG (GFX9 to GFX10.3) pass on vertices, a multiple of 256 above 0. Shaders receive its address
    /// in buffer descriptors. Draws with such a geometry shader need it ([`GeometryStage::ring_bytes`](crate::draw::GeometryStage::ring_bytes)), unless another
    /// command buffer has set it.
    pub geometry_shader_ring: Option<u32>,
}

/// Memory of tessellation that all draws of a queue share: factors, and data that control shaders pass to evaluation shaders.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{Board, TessellationRings};
/// let board = Board { shader_engines: 4, arrays_per_engine: 2, cus_per_array: 10 };
/// let rings = TessellationRings::at(Chip::Navi21, board, 0x10_0000);
/// assert_eq!((rings.factor_dwords, rings.buffers), (49152, 512));
/// assert_eq!(rings.offchip_address(), 0x10_0000 + 4 * 49152); // 48 KiB per shader engine: a multiple of 64 KiB here
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TessellationRings {
    /// Address of the factors, 256-byte aligned, of 48 bits. Off-chip memory is after them, at the next multiple of 64 KiB.
    pub address: u64,
    /// Dwords of factors: up to GFX10.3 for the whole board, 1 to 65535; from GFX11 on per shader engine, 1 to 131071. At most 12288 per shader engine:
    /// off-chip memory follows them.
    pub factor_dwords: u32,
    /// Blocks of 32 KiB of off-chip memory: up to GFX10.3 for the whole board, from GFX11 on per shader engine; 1 to 512, from GFX10.3 on 1 to 1024.
    pub buffers: u32,
    /// Number of shader engines of the board, 1 to 32.
    pub shader_engines: u32,
}

impl TessellationRings {
    /// Returns rings with the sizes that Mesa 25.0.7 uses (ac_get_hs_info).
    pub fn at(chip: Chip, board: Board, address: u64) -> Self {
        let engines = board.shader_engines;
        let of_engine = match chip.gfx().major() {
            9 if matches!(chip.info().name, "vega12" | "vega20") => 128,
            9 => 127,
            10 => 128,
            _ => 256,
        };
        let (factor_dwords, buffers) = match chip.gfx().major() {
            9 => (FACTOR_DWORDS.saturating_mul(engines), engines.saturating_mul(of_engine).min(508)),
            10 => (FACTOR_DWORDS.saturating_mul(engines), engines.saturating_mul(of_engine)),
            _ => (FACTOR_DWORDS, of_engine),
        };
        Self { address, factor_dwords, buffers, shader_engines: engines }
    }

    fn per_engine(self, gfx: Gfx) -> u64 {
        if gfx.major() >= 11 { u64::from(self.shader_engines) } else { 1 }
    }

    /// Returns the address of the off-chip memory, which shaders receive in a buffer descriptor. 48 KiB per shader engine precede it.
    pub const fn offchip_address(self) -> u64 {
        self.address.wrapping_add(4 * FACTOR_DWORDS as u64 * self.shader_engines as u64).wrapping_add(0xFFFF) & !0xFFFF
    }

    /// Returns the bytes of memory from `address` on that both parts take.
    pub fn memory_bytes(self, gfx: Gfx) -> u64 {
        let blocks = u64::from(self.buffers).saturating_mul(self.per_engine(gfx));
        self.offchip_address().wrapping_sub(self.address).saturating_add(blocks.saturating_mul(OFFCHIP_BLOCK.into()))
    }

    pub(crate) fn check(self, gfx: Gfx) -> Result<(), DrawError> {
        let check = |fine: bool, what, value, limit| if fine { Ok(()) } else { Err(DrawError::Limit { what, value, limit }) };
        check(
            self.address.is_multiple_of(256) && self.address >> 48 == 0,
            "the address of the tessellation rings",
            self.address,
            "a multiple of 256 below 2^48",
        )?;
        check((1..=32).contains(&self.shader_engines), "the shader engines of the tessellation rings", self.shader_engines.into(), "1 to 32")?;
        let most = if gfx.major() >= 11 { 0x1_FFFF } else { 0xFFFF };
        check(
            (1..=most).contains(&self.factor_dwords),
            "the dwords of tessellation factors",
            self.factor_dwords.into(),
            "1 to 65535, from GFX11 on 1 to 131071",
        )?;
        let room = u64::from(FACTOR_DWORDS) * u64::from(self.shader_engines);
        check(
            u64::from(self.factor_dwords) * self.per_engine(gfx) <= room,
            "the dwords of tessellation factors",
            self.factor_dwords.into(),
            "at most 12288 per engine: off-chip memory follows them",
        )?;
        let most = if gfx.version() >= (10, 3) { 1024 } else { 512 };
        check((1..=most).contains(&self.buffers), "the off-chip buffers of tessellation", self.buffers.into(), "1 to 512, from GFX10.3 on 1 to 1024")
    }
}

/// Dwords of factors per engine: 48 KiB.
const FACTOR_DWORDS: u32 = 12288;
