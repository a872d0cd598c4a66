//! Descriptions of shader programs.

use crate::chip::Gfx;
use crate::isa::WaveSize;
use crate::regs::{Register, RegisterPlace};
use alloc::vec::Vec;
use strum::{Display, EnumIter, IntoStaticStr};

/// A hardware stage that runs programs.
///
/// For an example see [`wave_limit`](crate::draw::wave_limit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Stage {
    /// Pixel shader.
    Pixel,
    /// Vertex work on the hardware VS (GFX9 to GFX10.3).
    Vertex,
    /// Vertex work on the geometry stage as next-generation geometry (GFX10 and later).
    Ngg,
    /// Vertex and control shader of tessellation, merged (LS-HS).
    Hull,
    /// Vertex or evaluation shader and geometry shader, merged, without NGG (ES-GS, GFX9 to GFX10.3).
    Geometry,
    /// Compute.
    Compute,
}

impl Stage {
    /// Returns the number of user SGPRs that the stage can load: 32 for graphics from GFX9 on, 16 for compute (Mesa 25.0.7 RADV).
    ///
    /// ```
    /// use pm4::draw::Stage;
    /// assert_eq!((Stage::Pixel.user_sgpr_limit(), Stage::Compute.user_sgpr_limit()), (32, 16));
    /// ```
    pub const fn user_sgpr_limit(self) -> u32 {
        match self {
            Self::Compute => 16,
            Self::Pixel | Self::Vertex | Self::Ngg | Self::Hull | Self::Geometry => 32,
        }
    }

    /// Returns the number of user SGPRs left after `used`; None if `used` is already too many.
    pub const fn user_sgprs_left(self, used: u32) -> Option<u32> {
        self.user_sgpr_limit().checked_sub(used)
    }

    /// Returns the byte address of the register from which user SGPR `number` of the stage is loaded; None if the generation lacks the stage or the stage has
    /// no such SGPR.
    ///
    /// ```
    /// use pm4::{chip::Gfx, draw::Stage};
    /// # #[cfg(all(feature = "gfx9", feature = "gfx11", feature = "gfx12"))] {
    /// // Vertex work: SPI_SHADER_USER_DATA_VS_1 of the hardware VS, SPI_SHADER_USER_DATA_GS_1 with NGG.
    /// assert_eq!(Stage::Vertex.user_data_address(Gfx::Gfx9, 1), Some(0xB134));
    /// assert_eq!(Stage::Ngg.user_data_address(Gfx::Gfx11, 1), Some(0xB234));
    /// assert_eq!(Stage::Compute.user_data_address(Gfx::Gfx12, 15), Some(0xB93C));
    /// assert_eq!(Stage::Compute.user_data_address(Gfx::Gfx12, 16), None);
    /// # }
    /// ```
    pub fn user_data_address(self, gfx: Gfx, number: u32) -> Option<u32> {
        let first = match self {
            Self::Compute => on_gfx!(gfx, r => r::ComputeUserData::place(gfx)),
            _ => user_data_registers(gfx, self),
        };
        first.filter(|_| number < self.user_sgpr_limit())?.element(number)
    }

    /// Returns the byte addresses of the two registers that hold the address of the stage's program, bits 39:8 and bits 47:40; None if the generation lacks the
    /// stage. Merged stages and NGG use the registers of their first half, ES or LS. From GFX11 on, the registers of the second half, GS or HS, load two SGPRs
    /// and name no program ([`Program::address_pair`]).
    ///
    /// ```
    /// use pm4::{chip::Gfx, draw::Stage};
    /// # #[cfg(all(feature = "gfx9", feature = "gfx11", feature = "gfx12"))] {
    /// assert_eq!(Stage::Ngg.program_registers(Gfx::Gfx11), Some((0xB320, 0xB324))); // SPI_SHADER_PGM_LO_ES, SPI_SHADER_PGM_HI_ES
    /// assert_eq!(Stage::Ngg.program_registers(Gfx::Gfx12), Some((0xB224, 0xB218))); // not side by side
    /// assert_eq!(Stage::Hull.program_registers(Gfx::Gfx9), Some((0xB410, 0xB414))); // SPI_SHADER_PGM_LO_LS, SPI_SHADER_PGM_HI_LS
    /// assert_eq!(Stage::Vertex.program_registers(Gfx::Gfx11), None);
    /// # }
    /// ```
    pub fn program_registers(self, gfx: Gfx) -> Option<(u32, u32)> {
        self.user_data_address(gfx, 0)?;
        let (low, high) = match self {
            Self::Pixel => on_gfx!(gfx, r => (r::SpiShaderPgmLoPs::addr(gfx), r::SpiShaderPgmHiPs::addr(gfx))),
            Self::Vertex => on_gfx!(gfx, r => {
                Gfx9 | Gfx10x => (r::SpiShaderPgmLoVs::addr(gfx), r::SpiShaderPgmHiVs::addr(gfx)),
                Gfx11x | Gfx12 => (None, None),
            }),
            Self::Ngg | Self::Geometry => on_gfx!(gfx, r => (r::SpiShaderPgmLoEs::addr(gfx), r::SpiShaderPgmHiEs::addr(gfx))),
            Self::Hull => on_gfx!(gfx, r => (r::SpiShaderPgmLoLs::addr(gfx), r::SpiShaderPgmHiLs::addr(gfx))),
            Self::Compute => on_gfx!(gfx, r => (r::ComputePgmLo::addr(gfx), r::ComputePgmHi::addr(gfx))),
        };
        low.zip(high)
    }

    /// Returns the number of the first user SGPR: 8 on merged stages and NGG, which have eight fixed SGPRs, else 0.
    pub const fn first_user_sgpr(self) -> u32 {
        match self {
            Self::Ngg | Self::Hull | Self::Geometry => 8,
            Self::Pixel | Self::Vertex | Self::Compute => 0,
        }
    }
}

/// FLOAT_MODE of RSRC1: the initial MODE register of a wave, with rounding in the low bits and denormals in the high bits.
///
/// For an example see [`FloatMode::new`](crate::draw::FloatMode::new).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatMode(pub u8);

impl FloatMode {
    /// Round to nearest; f32 denormals flushed, f16 and f64 denormals kept: 0xC0.
    pub const DEFAULT: Self = Self::new(0, 0, 0, 3);

    /// Creates a mode from the 2-bit modes: rounding of f32, rounding of f16 and f64, denormals of f32, denormals of f16 and f64. Higher bits are dropped.
    ///
    /// ```
    /// use pm4::draw::FloatMode;
    /// assert_eq!(FloatMode::DEFAULT, FloatMode(0xC0));
    /// assert_eq!(FloatMode::new(0, 3, 0, 3), FloatMode(0xCC)); // f16 rounds to zero
    /// ```
    pub const fn new(round_32: u8, round_16_64: u8, denorm_32: u8, denorm_16_64: u8) -> Self {
        Self(round_32 & 3 | (round_16_64 & 3) << 2 | (denorm_32 & 3) << 4 | (denorm_16_64 & 3) << 6)
    }
}

impl Default for FloatMode {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The contents of a user SGPR.
///
/// For an example see [`Program`](crate::draw::Program).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UserData {
    /// The current value of the register.
    #[default]
    Keep,
    /// A constant of the state.
    Word(u32),
    /// Vertex work: the first vertex of a draw without indices, else the offset added to the indices. The draw call writes it.
    BaseVertex,
    /// Vertex work: the first instance. The draw call writes it.
    FirstInstance,
    /// Vertex work: the number of the draw in its call. The draw call writes it.
    DrawIndex,
    /// Mesh shaders: workgroups of the call in x. The draw call writes it, with y and z in the next two user SGPRs. GFX10.3 passes them only there.
    GroupsX,
    /// Mesh shaders: workgroups of the call in y, after `GroupsX`.
    GroupsY,
    /// Mesh shaders: workgroups of the call in z, after `GroupsY`.
    GroupsZ,
    /// Mesh shaders that follow task shaders: the position of their work in the ring. The draw call writes it.
    RingEntry,
    /// Programs before rasterization: the number of the current view ([`DrawCall::Views`](crate::draw::DrawCall::Views)).
    ViewIndex,
}

impl UserData {
    /// The values that draw calls write; only vertex work has them, each at most once.
    pub(crate) const OF_DRAWS: [Self; 7] =
        [Self::BaseVertex, Self::FirstInstance, Self::DrawIndex, Self::GroupsX, Self::GroupsY, Self::GroupsZ, Self::RingEntry];

    /// Workgroups in x, y and z, in order.
    pub(crate) const GROUPS: [Self; 3] = [Self::GroupsX, Self::GroupsY, Self::GroupsZ];
}

/// A program: its address and the resources that it needs. `Default` is a small wave64 program without an address.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, PixelShader, Program, UserData, WaveSize};
/// let program = Program { address: Some(0x10_0000), wave: WaveSize::W32, vgprs: 24, user_data: vec![UserData::Word(0x1000)], ..Program::default() };
/// let shader = PixelShader { program, writes_memory: true, ..PixelShader::default() };
/// let draw = DrawDesc::from(PipelineDesc { shader: Some(shader), ..PipelineDesc::default() }).resolve(Chip::Navi31)?;
/// assert_eq!(draw.image.get(0xB020), Some(0x1000)); // SPI_SHADER_PGM_LO_PS: the address in units of 256 bytes
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// Address in bytes, 256-byte aligned, below 2^48; None leaves the program's address registers unchanged.
    pub address: Option<u64>,
    /// Size of its waves.
    pub wave: WaveSize,
    /// Number of VGPRs, 1 to 256. The inputs of the wave count even if this number is smaller.
    pub vgprs: u32,
    /// Number of VGPRs shared by the two halves of a wave64 (GFX10 and later), a multiple of 8 up to 120.
    pub shared_vgprs: u32,
    /// Number of SGPRs, up to 102 (GFX9) or 106, without VCC and the other reserved SGPRs (LLVM AMDGPU usage guide). It affects allocation only on GFX9.
    pub sgprs: u32,
    /// GFX9: SGPRs allocated in addition: 2 for VCC, 4 with XNACK, 6 with flat scratch.
    pub reserved_sgprs: u32,
    /// LDS in bytes, up to 64 KiB; for a pixel shader without its parameters; with tessellation or a geometry shader, without the space for patches and
    /// vertices.
    pub lds_bytes: u32,
    /// Scratch memory in bytes per wave, at most 8191 KiB.
    pub scratch_bytes: u32,
    /// Bytes of code that the hardware prefetches when a wave starts (GFX11 and later); drivers set it to the size of the code. Rounded up to units of 128
    /// bytes and limited to 8064 bytes, on GFX12 32640. 0 disables prefetching.
    pub prefetch_bytes: u32,
    /// The contents of the first two SGPRs on merged stages and NGG, low word first; drivers put the address of a table of rings there. None leaves the
    /// registers unchanged; other stages ignore it.
    pub address_pair: Option<u64>,
    /// User data, one entry per user SGPR.
    pub user_data: Vec<UserData>,
    /// FLOAT_MODE.
    pub float_mode: FloatMode,
    /// IEEE_MODE (up to GFX11.5): whether signalling NaNs are quieted.
    pub ieee: bool,
    /// DX10_CLAMP (up to GFX11.5): whether clamping turns NaN into 0.
    pub dx10_clamp: bool,
    /// FP16_OVFL: whether f16 results that overflow become the largest finite number.
    pub fp16_overflow: bool,
    /// MEM_ORDERED (GFX10 to GFX11.5; of compute programs also GFX12): whether loads and samples decrement their counter in the order in which they were
    /// issued. None: true up to GFX11.5, which is correct for every program, and false on GFX12, where loads and samples have separate counters (Mesa). LLVM
    /// states true everywhere, radeonsi false for programs that need no order.
    pub memory_ordered: Option<bool>,
    /// FWD_PROGRESS (GFX10 and later; of hardware vertex shaders up to GFX10.3): whether all resident waves make progress, instead of the oldest first. LLVM
    /// sets it for every kernel by default, Mesa 25.0.7 does not. GFX9 ignores it.
    pub forward_progress: bool,
    /// Maximum number of waves of the stage per shader engine; None for no limit. Graphics stages up to GFX11.5 count in steps of 16, rounded up, to 1008;
    /// compute, and all stages of GFX12, count single waves, to 1023. [`wave_limit`](crate::draw::wave_limit) computes it from waves per CU.
    pub wave_limit: Option<u32>,
    /// CUs of each shader array that may run the graphics stage, bit 0 the first; None for all CUs that the rules allow. The mask must contain at least one of
    /// the first 16 CUs; for NGG on chips with the erratum back_pressure one other than CU 1 and CU 9, which are left to pixel waves. A compute program has no
    /// mask of its own: the masks of the queue ([`begin_compute`](crate::draw::Recorder::begin_compute)) say where dispatches run.
    pub cu_mask: Option<u32>,
}

impl Default for Program {
    fn default() -> Self {
        Self::SMALL
    }
}

impl Program {
    /// A small wave64 program without an address.
    pub(crate) const SMALL: Self = Self {
        address: None,
        wave: WaveSize::W64,
        vgprs: 4,
        shared_vgprs: 0,
        sgprs: 8,
        reserved_sgprs: 6,
        lds_bytes: 0,
        scratch_bytes: 0,
        prefetch_bytes: 0,
        address_pair: None,
        user_data: Vec::new(),
        float_mode: FloatMode::DEFAULT,
        ieee: false,
        dx10_clamp: true,
        fp16_overflow: false,
        memory_ordered: None,
        forward_progress: false,
        wave_limit: None,
        cu_mask: None,
    };

    /// Returns the number of user SGPRs.
    pub fn user_sgprs(&self) -> u32 {
        // Too many user SGPRs are refused before anything is resolved.
        u32::try_from(self.user_data.len()).unwrap_or(u32::MAX)
    }

    /// Returns whether a user SGPR holds a value of the draw call.
    pub(crate) fn reads_draw_call(&self) -> bool {
        !self.user_data.iter().all(|data| matches!(data, UserData::Keep | UserData::Word(_)))
    }
}

/// Returns the user SGPRs of a stage as registers; None if the generation lacks the stage.
pub(crate) fn user_data_registers(gfx: Gfx, stage: Stage) -> Option<RegisterPlace> {
    on_gfx!(gfx, r => {
        Gfx9 => match stage {
            Stage::Pixel => r::SpiShaderUserDataPs::place(gfx),
            Stage::Vertex => r::SpiShaderUserDataVs::place(gfx),
            Stage::Hull => r::SpiShaderUserDataLs::place(gfx),
            Stage::Geometry => r::SpiShaderUserDataEs::place(gfx),
            Stage::Ngg | Stage::Compute => None,
        },
        Gfx10x => match stage {
            Stage::Pixel => r::SpiShaderUserDataPs::place(gfx),
            Stage::Vertex => r::SpiShaderUserDataVs::place(gfx),
            Stage::Hull => r::SpiShaderUserDataHs::place(gfx),
            Stage::Geometry | Stage::Ngg => r::SpiShaderUserDataGs::place(gfx),
            Stage::Compute => None,
        },
        Gfx11x | Gfx12 => match stage {
            Stage::Pixel => r::SpiShaderUserDataPs::place(gfx),
            Stage::Hull => r::SpiShaderUserDataHs::place(gfx),
            Stage::Geometry | Stage::Ngg => r::SpiShaderUserDataGs::place(gfx),
            Stage::Vertex | Stage::Compute => None,
        },
    })
}

/// Returns MEM_ORDERED for programs that do not state it (GFX10 to GFX11.5; compute also on GFX12). Up to GFX11.5 loads and samples share a counter, and
/// in-order is correct for every program (radeonsi writes 0 for programs that use only one kind). GFX12 has a counter per kind, and Mesa leaves the field at 0
/// there (RADV and radeonsi 25.0.7 and 26.1.6, recordings of gfx1201). LLVM always states 1.
pub(crate) const fn default_memory_order(gfx: Gfx) -> bool {
    gfx.major() < 12
}
