//! The preamble: registers that a stream writes once, before its first draw, and that no draw of this crate changes.
//!
//! Values: Mesa 25.0.7 radv_cmd_buffer.c / ac_cmdbuf.c and the captures, unless another source is named. Drivers send no CLEAR_STATE on GFX12, so the preamble
//! writes the registers that CLEAR_STATE sets elsewhere, as in Mesa 2026 ac_cmdbuf.c. On GFX11 the caller can choose the same ([`ClearMethod`]).

use crate::chip::{Chip, Gfx};
use crate::draw::decide::compression::chip_control;
use crate::draw::desc::memory::RING_UNIT;
use crate::draw::desc::{ClearMethod, GeometryRings, QueueMemory, TessellationRings};
use crate::draw::image::RegisterImage;
use crate::draw::sheet::{NoReasons, On, Sheet, Why, Word};
use crate::draw::sync::{Caches, Plan, Step, SyncAction, WaitStage};
use crate::gpu::Gpu;
use crate::packet::structs::EventWriteDw4;
use crate::packet::values::{EventWriteCounterId, EventWriteEventIndex};
use crate::packet::{Event, Queue};
use alloc::vec;

const ONE: u32 = 0x3F80_0000;
const UNUSED: &str = "a feature that no draw here uses";
const INDICES: &str = "the whole range of vertex indices";
const CLEARED: &str = "no CLEAR_STATE has run: what it would set";
const GROUPING: &str = "wave launch grouping, as in RADV";

/// Writes registers, each by its type or as elements of an array, with the value and the reason.
macro_rules! write {
    ($sheet:ident, $r:ident, { $($register:ident $([$elements:expr])? = $value:expr, $why:expr;)* }) => {{
        $(write!(@one $sheet, $r, $register $([$elements])?, $value, $why);)*
    }};
    (@one $sheet:ident, $r:ident, $register:ident, $value:expr, $why:expr) => {
        $sheet.add(Word::new(On::<$r::$register, { $r::GFX }>::SLOT).whole($value, $why))
    };
    (@one $sheet:ident, $r:ident, $register:ident [$elements:expr], $value:expr, $why:expr) => {
        for element in $elements {
            $sheet.add(Word::element(On::<$r::$register, { $r::GFX }>::PLACE, element).map(|word| word.whole($value, $why)));
        }
    };
}

/// Adds the registers whose value is the same for all chips of a generation.
#[rustfmt::skip] // tables
fn constants<S: Why>(gfx: Gfx, sheet: &mut Sheet<S>) {
    on_gfx!(gfx, r => write!(sheet, r, {
        VgtMultiPrimIbResetIndx = u32::MAX, "the index that restarts a strip";
        VgtInstanceBaseId = 0, "instances count from 0";
        VgtHosMaxTessLevel = 0x4280_0000, "64.0; used only with tessellation";
        PaClVteCntl = 0x43F, "positions have w; viewport scale and offset apply";
        PaSuVtxCntl = 0x2D, "pixel centres at one half, round to even, 1/256 pixel";
        PaSuPointSize = 0x0008_0008, "points of one pixel unless the shader exports a size";
        PaSuPointMinmax = 0xFFFF_0000, "points of any size";
        PaSuLineStippleScale = ONE, "no stipple";
        PaSuLineStippleValue = 0, "no stipple";
        PaScLineStippleState = 0, "no stipple";
        PaScScreenScissorTl = 0, "targets may be 16384 pixels wide and high";
        PaScCliprectRule = 0xFFFF, "clip rectangles exclude nothing";
        SpiInterpControl0 = 0x86B, "flat attributes work; point sprites get (s, t, 0, 1)";
    }));
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => write!(sheet, r, {
            VgtEsgsRingItemsize = 1, UNUSED;
            PaScGenericScissorTl = 0x8000_0000, "viewport scissors do the work";
            SpiShaderPgmRsrc3Hs = 0xFFFF_003F, UNUSED;
            DbRenderOverride = 0, "nothing is forced";
            PaScGenericScissorBr = 0x4000_4000, "viewport scissors do the work";
        }),
        Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx10x | Gfx11x | Gfx12 => write!(sheet, r, {
            GeMinVtxIndx = 0, INDICES;
            GeMaxVtxIndx = u32::MAX, INDICES;
            GeIndxOffset = 0, INDICES;
            GeStereoCntl = 0, UNUSED;
            GeUserVgprEn = 0, UNUSED;
            SpiShaderReqCtrlPs = 7, GROUPING;
            SpiShaderUserAccumPs[0..4] = 0, GROUPING;
            SpiShaderUserAccumEsgs[0..4] = 0, GROUPING;
            SpiShaderUserAccumLshs[0..4] = 0, GROUPING;
        }),
        Gfx9 => {},
    });
    on_gfx!(gfx, r => {
        Gfx10x | Gfx11x => write!(sheet, r, {
            SpiShaderPgmRsrc4Hs = 0xFFFF, UNUSED;
        }),
        Gfx9 | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx103 | Gfx11x | Gfx12 => write!(sheet, r, {
            PaClNggCntl = 0x78, "the last 30 vertices are reused (VERTEX_REUSE_DEPTH)";
            SxPsDownconvertControl = 0xFF, "RB+ down-conversion is set per target";
        }),
        Gfx9 | Gfx10 => {},
    });
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10x => write!(sheet, r, {
            VgtTessDistribution = 0xD818_1E0C, "tessellation work in patches of 12, 30 and 24; used only with tessellation";
        }),
        Gfx11x | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx11x | Gfx12 => write!(sheet, r, {
            VgtTessDistribution = 0xD880_8080, "tessellation work in patches of 128; used only with tessellation";
            PaScVrsRateSizeXy = 0, "no shading-rate image";
            SpiGsThrottleCntl1 = 0x1235_5123, "throttling of geometry waves, as in RADV";
            SpiGsThrottleCntl2 = 0x0001_544D, "throttling of geometry waves, as in RADV";
        }),
        Gfx9 | Gfx10x => {},
    });
    on_gfx!(gfx, r => {
        Gfx10x => write!(sheet, r, {
            VgtVertexReuseBlockCntl = 0x0E, "the last 14 vertices are reused";
            PaScNggModeCntl = 512, "limit that prevents a deadlock (MAX_DEALLOCS_IN_WAVE)";
            SpiShaderReqCtrlVs = 0, GROUPING;
            SpiShaderUserAccumVs[0..4] = 0, GROUPING;
            SpiShaderPgmRsrc4Vs = 0xFFFF, "vertex work may use all CUs from 16 on";
            CpCoherStartDelay = 0x20, "delay of cache actions, as in RADV";
            DbReservedReg2 = 0x1000_0000, "resource level 1 (only Mesa names this field)";
        }),
        Gfx9 | Gfx11x | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx11x => write!(sheet, r, {
            PaScNggModeCntl = 16, "limit that prevents a deadlock (MAX_DEALLOCS_IN_WAVE)";
        }),
        Gfx9 | Gfx10x | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx115 => write!(sheet, r, {
            PaScBinnerCntl2 = 0, "bins in plain order: ping-pong order may be broken (Mesa 2026)";
        }),
        Gfx9 | Gfx10x | Gfx11 | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx9 => write!(sheet, r, {
            VgtMinVtxIndx = 0, INDICES;
            VgtMaxVtxIndx = u32::MAX, INDICES;
            VgtIndxOffset = 0, INDICES;
            VgtInstanceStepRate[0..1] = 1, "one step per instance";
            CpCoherStartDelay = 0, "delay of cache actions, as in RADV";
        }),
        Gfx10x | Gfx11x | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx10 => write!(sheet, r, {
            PaClNggCntl = 0, "no vertex reuse in NGG";
        }),
        Gfx9 | Gfx103 | Gfx11x | Gfx12 => {},
    });
    on_gfx!(gfx, r => {
        Gfx12 => write!(sheet, r, {
            PaScNggModeCntl = 64, "limit that prevents a deadlock (MAX_DEALLOCS_IN_WAVE)";
            PaSuPrimFilterCntl = 0, "exclusive edges would let triangles without area through (Mesa 2026)";
            PaSuLineStippleCntl = 0, CLEARED;
            PaScGenericScissorTl = 0, "viewport scissors do the work";
            PaScGenericScissorBr = u32::MAX, "viewport scissors do the work";
            PaScVrsInfo = 0, "no shading-rate image";
            PaScBinnerCntl2 = 1 << 23, "bins in ping-pong order (ENABLE_PING_PONG_BIN_ORDER), as in RADV";
            PaScBinnerOutputTimeoutCounter = 0x800, "as in RADV";
            PaScHiszRenderOverride = 0, "nothing is forced";
            PaStereoCntl = 1 << 1, "one view (STEREO_MODE 1), as in PAL and RADV";
            DbGl1InterfaceControl = 0, "depth caches decide on speculation and compression";
            DbMemTemporal = 0x924, "depth and stencil stay only in far caches, as in RADV";
            DbViewportControl = 0, "depth is clamped to PA_SC_VPORT_ZMIN and ZMAX";
            ScMemTemporal = 0, "accesses of rates, HiZ and HiS without hints";
            ScMemSpecRead = 0x15, "rates, HiZ and HiS are read ahead, as in RADV";
            CbRmiGl2CacheControl = 0x0080_0004, "cache policies of the colour block, as in RADV";
            CbMemInfo[0..8] = 0x24, "colour stays only in far caches, as in RADV";
            SpiBarycSsaaCntl = 1 << 2, "a covered centroid is the centre (COVERED_CENTROID_IS_CENTER), as in RADV";
            GeSeEnhance = 0, CLEARED;
            GeIaEnhance = 0, CLEARED;
            GeWdEnhance = 0, CLEARED;
            GeGsThrottle = 0x7F9A_80E1, "throttling of geometry waves, which is off, as in RADV";
            SpiShaderPgmRsrc3Hs = u32::MAX, UNUSED;
            SpiShaderGsMeshletCtrl = 0, UNUSED;
            SpiGrpLaunchGuaranteeEnable = 0x8A4D, "group launch guarantee, as in PAL and RADV";
            SpiGrpLaunchGuaranteeCtrl = 0x0040_1123, "group launch guarantee, as in PAL and RADV";
        }),
        Gfx9 | Gfx10x | Gfx11x => {},
    });
}

/// Adds the registers that CLEAR_STATE would set and that neither draws nor the rest of the preamble write (Mesa 2026 ac_cmdbuf.c
/// gfx10_init_graphics_preamble_state and gfx12_init_graphics_preamble_state; PA_SC_TILE_STEERING_OVERRIDE is 0 in Linux, gfx_v11_0.c and gfx_v12_0.c).
#[rustfmt::skip] // tables
fn cleared<S: Why>(gfx: Gfx, sheet: &mut Sheet<S>) {
    on_gfx!(gfx, r => {
        Gfx11x | Gfx12 => write!(sheet, r, {
            PaScTileSteeringOverride = 0, "the kernel's value";
            PaScWindowOffset = 0, CLEARED;
            PaScEdgerule = 0xAAAA_AAAA, "as RADV of 2026 writes it in place of CLEAR_STATE (captures)";
            PaScScreenExtentControl = 0, CLEARED;
            PaSuHardwareScreenOffset = 0, CLEARED;
            DbSpiVrsCenterLocation = 0, CLEARED;
            DbHtileSurface = 0, "depth targets have no HTILE";
            PaClPointXRad = 0, CLEARED;
            PaClPointYRad = 0, CLEARED;
            PaClPointSize = 0, CLEARED;
            PaClPointCullRad = 0, CLEARED;
            PaClNaninfCntl = 0, CLEARED;
            PaSuOverRasterizationCntl = 0, CLEARED;
            VgtPrimitiveidReset = 0, CLEARED;
            VgtReuseOff = 0, "vertices are reused";
            VgtHosMinTessLevel = 0, "0.0; used only with tessellation";
        }),
        Gfx9 | Gfx10x => {},
    });
    on_gfx!(gfx, r => {
        Gfx11x => write!(sheet, r, {
            PaScVrsRateCacheCntl = 0, CLEARED;
            PaScShaderControl = 0, CLEARED;
            CbCoverageOutControl = 0, CLEARED;
            SpiBarycSsaaCntl = 0, CLEARED;
            PaStereoCntl = 0, CLEARED;
            VgtEnhance = 0, CLEARED;
        }),
        Gfx9 | Gfx10x | Gfx12 => {},
    });
}

/// Returns whether the preamble of a generation sends CLEAR_STATE.
pub(crate) fn sends_clear_state(gfx: Gfx, clear_method: ClearMethod) -> bool {
    gfx.major() < 12 && clear_method == ClearMethod::ClearState
}

impl QueueMemory {
    /// Returns the wait that hardware needs before rings change: draws of earlier command buffers may still use them, and a wait for pixel shaders is not
    /// enough (PAL 04/2025 gfx12ShaderRingSet.cpp, Mesa 25.0.7 radv_emit_ge_rings). None if nothing changes.
    pub(crate) fn wait(&self, chip: Chip) -> Option<Plan> {
        let gfx = chip.gfx();
        let rings = gfx.major() >= 11 && self.attributes.is_some() || gfx.major() >= 12 && self.geometry.is_some();
        let release = SyncAction::Release { event: Event::BOTTOM_OF_PIPE_TS, caches: Caches::default(), fence: false };
        let acquire = SyncAction::AcquireSync { stage: WaitStage::Me, caches: Caches::default() };
        let step = |action| Step { action, why: vec!["rings of earlier draws are in use until these are done".into()] };
        rings.then(|| Plan::of_steps(chip, Queue::Graphics, vec![step(release), step(acquire)]))
    }

    /// Returns the events before a change of the rings of tessellation and geometry shaders (Mesa 25.0.7 radv_update_preamble_cs): they end vertex work that
    /// uses the rings.
    pub(crate) fn events(&self, gfx: Gfx) -> &'static [Event] {
        let changes = self.tessellation.is_some() || self.geometry_shader_ring.is_some() && gfx.major() <= 10;
        if changes { &[Event::VS_PARTIAL_FLUSH, Event::VGT_FLUSH] } else { &[] }
    }

    /// VGT_GSVS_RING_SIZE.
    fn geometry_shader_ring<S: Why>(&self, gfx: Gfx, sheet: &mut Sheet<S>) {
        let Some(bytes) = self.geometry_shader_ring else { return };
        on_gfx!(gfx, r => {
            Gfx9 | Gfx10x => sheet.add(Word::new(On::<r::VgtGsvsRingSize, { r::GFX }>::SLOT).whole(bytes >> 8, "bytes of the ring >> 8")),
            Gfx11x | Gfx12 => {},
        });
    }

    /// GE_POS_RING_BASE and SIZE, GE_PRIM_RING_BASE and SIZE: both rings or neither.
    fn geometry<S: Why>(&self, gfx: Gfx, sheet: &mut Sheet<S>) {
        let Some(GeometryRings { positions, primitives }) = self.geometry else { return };
        let size = "bytes of an engine, in units of 32";
        let caches = "as in PAL and RADV";
        on_gfx!(gfx, r => {
            Gfx9 | Gfx10x | Gfx11x => {},
            Gfx12 => {
                type Positions = r::GePosRingSize;
                type Primitives = r::GePrimRingSize;
                sheet.add(Word::new(On::<r::GePosRingBase, { r::GFX }>::SLOT).whole((positions.address >> 16) as u32, "address of the position ring >> 16"));
                sheet.add(Word::new(On::<Positions, { r::GFX }>::SLOT).set(Positions::MEM_SIZE, positions.bytes / RING_UNIT, size));
                sheet.add(Word::new(On::<r::GePrimRingBase, { r::GFX }>::SLOT).whole((primitives.address >> 16) as u32, "address of the primitive ring >> 16"));
                sheet.add(Word::new(On::<Primitives, { r::GFX }>::SLOT)
                    .set(Primitives::MEM_SIZE, primitives.bytes / RING_UNIT, size)
                    .set(Primitives::SCOPE, 2u32, caches)
                    .set(Primitives::PAF_TEMPORAL, 3u32, caches)
                    .set(Primitives::PAB_TEMPORAL, 3u32, caches)
                    .set(Primitives::SPEC_DATA_READ, 0u32, caches)
                    .set(Primitives::FORCE_SE_SCOPE, true, caches)
                    .set(Primitives::PAB_NOFILL, true, caches));
            },
        });
    }

    /// Returns TA_BC_BASE_ADDR without the lowest 8 bits of the address, and the upper part.
    fn border_colors(&self) -> (u32, u32) {
        ((self.border_colors >> 8) as u32, (self.border_colors >> 40) as u32)
    }

    /// Adds the register that dispatches need on any queue: TA_CS_BC_BASE_ADDR.
    fn compute_registers<S: Why>(&self, gfx: Gfx, sheet: &mut Sheet<S>) {
        let ((lo, hi), rule) = (self.border_colors(), "address of border colours of dispatches");
        on_gfx!(gfx, r => {
            sheet.add(Word::new(On::<r::TaCsBcBaseAddr, { r::GFX }>::SLOT).whole(lo, rule));
            sheet.add(Word::new(On::<r::TaCsBcBaseAddrHi, { r::GFX }>::SLOT).whole(hi, rule));
        });
    }

    /// Returns the registers of a compute queue.
    pub(crate) fn of_compute(&self, gfx: Gfx) -> RegisterImage {
        let mut sheet = Sheet::<NoReasons>::new(gfx);
        self.compute_registers(gfx, &mut sheet);
        sheet.into_image()
    }

    /// Adds the registers of the memory: TA_BC_BASE_ADDR and that of compute, SPI_ATTRIBUTE_RING_BASE and SIZE.
    fn registers<S: Why>(&self, gfx: Gfx, sheet: &mut Sheet<S>) {
        let ((lo, hi), rule) = (self.border_colors(), "address of border colours");
        on_gfx!(gfx, r => {
            sheet.add(Word::new(On::<r::TaBcBaseAddr, { r::GFX }>::SLOT).whole(lo, rule));
            sheet.add(Word::new(On::<r::TaBcBaseAddrHi, { r::GFX }>::SLOT).whole(hi, rule));
        });
        self.compute_registers(gfx, sheet);
        let Some(ring) = self.attributes else { return };
        let blocks = (ring.bytes >> 16).saturating_sub(1);
        on_gfx!(gfx, r => {
            Gfx9 | Gfx10x => {},
            Gfx11x | Gfx12 => {
                type Size = r::SpiAttributeRingSize;
                let base = Word::new(On::<r::SpiAttributeRingBase, { r::GFX }>::SLOT);
                sheet.add(base.whole((ring.address >> 16) as u32, "address of the attribute ring >> 16"));
                sheet.add(Word::new(On::<Size, { r::GFX }>::SLOT)
                    .set(Size::MEM_SIZE, blocks, "blocks of 64 KiB of an engine, minus 1")
                    .set(Size::BIG_PAGE, gfx.version() == (11, 0), "pages of the memory; as in RADV (captures of Navi31, recordings of GFX11.5 and GFX12)")
                    .set(Size::L1_POLICY, 1u32, "as in RADV (captures)"));
            },
        });
    }
}

/// Returns the registers of the preamble.
pub(crate) fn image(chip: Chip, gpu: &Gpu, memory: &QueueMemory, clear_method: ClearMethod) -> RegisterImage {
    registers::<NoReasons>(chip, gpu, memory, clear_method).into_image()
}

fn registers<S: Why>(chip: Chip, gpu: &Gpu, memory: &QueueMemory, clear_method: ClearMethod) -> Sheet<S> {
    let gfx = chip.gfx();
    let mut sheet = Sheet::new(gfx);
    constants(gfx, &mut sheet);
    if !sends_clear_state(gfx, clear_method) {
        cleared(gfx, &mut sheet);
    }
    sheet.add(dfsm_off(gfx));
    sheet.add(chip_control(chip));
    sheet.add(batch_limits(chip, gpu));
    cache_policies(gfx, gpu, &mut sheet);
    memory.registers(gfx, &mut sheet);
    memory.geometry(gfx, &mut sheet);
    memory.geometry_shader_ring(gfx, &mut sheet);
    if let Some(rings) = memory.tessellation {
        rings.registers(gfx, &mut sheet);
    }
    sheet
}

/// DB_DFSM_CONTROL: off. Its reset default would force DFSM and the drain of POPS on (PAL gfx9_plus_merged_default.h).
fn dfsm_off<S: Why>(gfx: Gfx) -> Option<Word<S>> {
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::DbDfsmControl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::PUNCHOUT_MODE, r::DbDfsmControlPunchoutMode::FORCE_OFF, "DFSM is off; the reset default forces it on"))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// PA_SC_BINNER_CNTL_1: limits of a batch. Allocations follow the parameter cache lines, on GFX9 distributed among the engines; an unknown number of engines
/// counts as four, the most that GFX9 has. The binner of GFX12 accepts 512 primitives in a batch at most (PAL 04/2025 gfx12QueueContexts.cpp, Mesa 25.0.7
/// ac_cmdbuf.c).
fn batch_limits<S: Why>(chip: Chip, gpu: &Gpu) -> Option<Word<S>> {
    let lines = chip.info().pc_lines.unwrap_or(0);
    let engines = gpu.board().map_or(4, |board| board.shader_engines);
    let (count, rule) = match chip.gfx().major() {
        9 => ((lines / (4 * engines.max(1))).clamp(1, 128) - 1, "a quarter of an engine's parameter cache lines, at most 128, minus 1"),
        10 => ((lines / 3).max(1) - 1, "a third of the parameter cache lines, minus 1"),
        11 => (16, "16 allocations"),
        _ => (254, "254 allocations, as in PAL and RADV"),
    };
    let (primitives, most) = match chip.gfx().major() {
        12 => (511u32, "the binner accepts 512 primitives in a batch at most"),
        _ => (1023, "as in RADV (captures)"),
    };
    on_gfx!(chip.gfx(), r => {
        type R = r::PaScBinnerCntl1;
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::MAX_ALLOC_COUNT, count, rule).set(R::MAX_PRIM_PER_BATCH, primitives, most))
    })
}

/// The largest number of render backends of chips that keep metadata of targets in L2 (Mesa 25.0.7 ac_cmdbuf.c).
const FEW_RENDER_BACKENDS: u32 = 4;

/// CB_RMI_GL2_CACHE_CONTROL and DB_RMI_L2_CACHE_CONTROL (GFX10 to GFX11.5): pixels stream through L2. Chips with few render backends keep metadata there
/// (policy LRU, which is 0); other chips and unknown chips do not.
fn cache_policies<S: Why>(gfx: Gfx, gpu: &Gpu, sheet: &mut Sheet<S>) {
    let few = gpu.render_backends().is_some_and(|count| count <= FEW_RENDER_BACKENDS);
    let why =
        if few { "L2 keeps metadata of targets: the chip has at most 4 render backends" } else { "L2 keeps neither targets nor their metadata, as in RADV" };
    on_gfx!(gfx, r => {
        Gfx10 | Gfx103 => {
            let (color, depth) = if few { (0x0044_0044, 0x0005_0045) } else { (0x0055_0055, 0x0015_0055) };
            sheet.add(Word::new(On::<r::CbRmiGl2CacheControl, { r::GFX }>::SLOT).whole(color, why));
            sheet.add(Word::new(On::<r::DbRmiL2CacheControl, { r::GFX }>::SLOT).whole(depth, why));
        },
        // RADV sets the bits of CMASK and FMASK too, which GFX11 lacks.
        Gfx11x => {
            let (color, depth) = if few { (0x0080_0004, 0x000A_0045) } else { (0x00A0_0005, 0x002A_0055) };
            sheet.add(Word::new(On::<r::CbRmiGl2CacheControl, { r::GFX }>::SLOT).whole(color, why));
            sheet.add(Word::new(On::<r::DbRmiL2CacheControl, { r::GFX }>::SLOT).whole(depth, why));
        },
        Gfx9 | Gfx12 => {},
    });
}

/// The code of PIXEL_PIPE_STAT_CONTROL for counts 16 bytes apart.
const SAMPLES_16_BYTES_APART: u32 = 2;

/// PIXEL_PIPE_STAT_CONTROL (GFX11 and later): which render backends write counts of samples, and how far apart; ZPASS_DONE of earlier generations leaves no
/// choice. None if the number of render backends is unknown (Mesa 25.0.7 ac_cmdbuf.c; captures: 24 backends on Navi31; recordings: 4 on GFX1150).
pub(crate) fn sample_counters(gfx: Gfx, gpu: &Gpu) -> Option<EventWriteDw4> {
    let count = gpu.render_backends().filter(|_| gfx.major() >= 11)?;
    Some(EventWriteDw4 {
        event_type: Event::PIXEL_PIPE_STAT_CONTROL,
        event_index: EventWriteEventIndex::PIXEL_PIPE_STAT_CONTROL_OR_DUMP,
        address: None,
        counter_id: Some(EventWriteCounterId::PIXEL_PIPE_OCCLUSION_COUNT_0),
        stride: Some(SAMPLES_16_BYTES_APART),
        instance_enable: Some(1u64.checked_shl(count).unwrap_or(0).wrapping_sub(1)),
    })
}

impl TessellationRings {
    /// VGT_TF_RING_SIZE, VGT_TF_MEMORY_BASE and VGT_HS_OFFCHIP_PARAM.
    fn registers<S: Why>(self, gfx: Gfx, sheet: &mut Sheet<S>) {
        let (size, place) = ("dwords of tessellation factors", "address of tessellation factors");
        on_gfx!(each gfx, r => {
            sheet.add(Word::new(On::<r::VgtTfRingSize, { r::GFX }>::SLOT).set(r::VgtTfRingSize::SIZE, self.factor_dwords, size));
            sheet.add(Word::new(On::<r::VgtTfMemoryBase, { r::GFX }>::SLOT).whole((self.address >> 8) as u32, place));
            sheet.add(Word::new(On::<r::VgtTfMemoryBaseHi, { r::GFX }>::SLOT).set(r::VgtTfMemoryBaseHi::BASE_HI, (self.address >> 40) as u32, place));
            type R = r::VgtHsOffchipParam;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::OFFCHIP_BUFFERING, self.buffers.saturating_sub(1), "off-chip buffers minus 1, from GFX11 on of an engine")
                .set(R::OFFCHIP_GRANULARITY, 0u32, "buffers of 8192 dwords"));
        });
    }
}
