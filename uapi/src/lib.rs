//! The structures and numbers between a driver and the kernel: Linux amdgpu_drm.h, drm.h, dma-buf.h and sync_file.h, as of 6.18.
//!
//! Two packages share them: the device of `live/` answers these calls, and `submit/` makes them. This crate makes no system calls.

#![no_std]

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Declares structures that are read from and written as bytes.
macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
        #[repr(C)]
        #[allow(missing_docs, reason = "the names are those of the kernel's headers")]
        pub struct $name { $(pub $field: $type,)* }
    )*};
}

wire! {
    /// drm_version.
    Version { major: i32, minor: i32, patch: i32, pad: u32, name_len: u64, name: u64, date_len: u64, date: u64, desc_len: u64, desc: u64, }
    /// drm_unique.
    Unique { len: u64, unique: u64, }
    /// drm_client.
    ClientInfo { idx: i32, auth: i32, pid: u64, uid: u64, magic: u64, iocs: u64, }
    /// drm_gem_close and drm_syncobj_destroy.
    Handle { handle: u32, pad: u32, }
    /// drm_get_cap and drm_set_client_cap.
    Cap { capability: u64, value: u64, }
    /// drm_prime_handle.
    Prime { handle: u32, flags: u32, fd: i32, }
    /// drm_syncobj_create.
    SyncobjCreate { handle: u32, flags: u32, }
    /// drm_syncobj_handle.
    SyncobjHandle { handle: u32, flags: u32, fd: i32, pad: u32, point: u64, }
    /// drm_syncobj_transfer.
    Transfer { src: u32, dst: u32, src_point: u64, dst_point: u64, flags: u32, pad: u32, }
    /// drm_syncobj_wait.
    SyncobjWait { handles: u64, timeout: i64, count: u32, flags: u32, first: u32, pad: u32, deadline: u64, }
    /// drm_syncobj_timeline_wait.
    TimelineWait { handles: u64, points: u64, timeout: i64, count: u32, flags: u32, first: u32, pad: u32, deadline: u64, }
    /// drm_syncobj_array.
    SyncobjArray { handles: u64, count: u32, pad: u32, }
    /// drm_syncobj_timeline_array.
    TimelineArray { handles: u64, points: u64, count: u32, flags: u32, }
    /// drm_syncobj_eventfd.
    SyncobjEventfd { handle: u32, flags: u32, point: u64, fd: i32, pad: u32, }
    /// drm_amdgpu_gem_create: the answer is the handle, in the first word.
    GemCreate { size: u64, alignment: u64, domains: u64, flags: u64, }
    /// drm_amdgpu_gem_mmap: the answer is the 64-bit offset.
    GemMmap { handle: u32, pad: u32, }
    /// drm_amdgpu_ctx.
    Context { op: u32, flags: u32, id: u32, priority: u32, }
    /// drm_amdgpu_ctx as answered by QUERY_STATE2.
    ContextState { flags: u64, hangs: u32, status: u32, }
    /// drm_amdgpu_bo_list, and the contents of a chunk of buffers.
    BoList { operation: u32, handle: u32, number: u32, info_size: u32, info: u64, }
    /// drm_amdgpu_bo_list_entry.
    BoListEntry { handle: u32, priority: u32, }
    /// drm_amdgpu_cs.
    Cs { context: u32, bo_list: u32, chunks_count: u32, flags: u32, chunks: u64, }
    /// drm_amdgpu_cs_chunk.
    Chunk { id: u32, length_dw: u32, data: u64, }
    /// drm_amdgpu_cs_chunk_ib.
    ChunkIb { pad: u32, flags: u32, va: u64, bytes: u32, ip: u32, instance: u32, ring: u32, }
    /// drm_amdgpu_cs_chunk_syncobj.
    ChunkTimeline { handle: u32, flags: u32, point: u64, }
    /// drm_amdgpu_info.
    Info { pointer: u64, size: u32, query: u32, arg: [u32; 4], }
    /// drm_amdgpu_gem_metadata.
    Metadata { handle: u32, op: u32, data: MetadataBody, }
    /// The inner part of drm_amdgpu_gem_metadata.
    MetadataBody { flags: u64, tiling: u64, size: u32, words: [[u32; 8]; 8], pad: u32, }
    /// drm_amdgpu_gem_wait_idle.
    WaitIdle { handle: u32, flags: u32, timeout: u64, }
    /// drm_amdgpu_gem_va.
    GemVa { handle: u32, pad: u32, operation: u32, flags: u32, va: u64, offset: u64, size: u64, point: u64, syncobj_out: u32, syncobjs_count: u32, syncobjs: u64, }
    /// drm_amdgpu_wait_cs.
    WaitCs { handle: u64, timeout: u64, ip: u32, instance: u32, ring: u32, context: u32, }
    /// drm_amdgpu_wait_fences.
    WaitFences { fences: u64, count: u32, all: u32, timeout: u64, }
    /// drm_amdgpu_gem_op.
    GemOp { handle: u32, op: u32, value: u64, entries: u32, pad: u32, }
    /// drm_amdgpu_gem_userptr.
    Userptr { addr: u64, size: u64, flags: u32, handle: u32, }
    /// drm_amdgpu_fence_to_handle.
    FenceToHandle { context: u32, ip: u32, instance: u32, ring: u32, sequence: u64, what: u32, pad: u32, }
    /// drm_amdgpu_heap_info.
    Heap { total: u64, usable: u64, usage: u64, max_allocation: u64, }
    /// drm_amdgpu_info_hw_ip.
    HwIp { major: u32, minor: u32, capabilities: u64, start_alignment: u32, size_alignment: u32, rings: u32, discovery: u32, userq_slots: u32, pad: u32, }
    /// drm_amdgpu_info_device.
    DeviceInfo {
        device_id: u32, chip_rev: u32, external_rev: u32, pci_rev: u32, family: u32, shader_engines: u32, arrays_per_engine: u32, counter_freq: u32,
        max_engine_clock: u64, max_memory_clock: u64, cu_active: u32, cu_ao_mask: u32, cu_bitmap: [[u32; 4]; 4], rb_mask: u32, rb_pipes: u32,
        hw_contexts: u32, pcie_gen: u32, ids_flags: u64, va_offset: u64, va_max: u64, va_alignment: u32, pte_fragment: u32, gart_page: u32, ce_ram: u32,
        vram_type: u32, vram_bits: u32, vce_harvest: u32, double_offchip_lds: u32, prim_buf: u64, pos_buf: u64, cntl_sb_buf: u64, param_buf: u64,
        prim_buf_size: u32, pos_buf_size: u32, cntl_sb_buf_size: u32, param_buf_size: u32, wave_size: u32, vgprs: u32, cu_per_sh: u32, tcc_blocks: u32,
        gs_vgt_table_depth: u32, gs_prim_buffer_depth: u32, max_gs_waves: u32, pcie_lanes: u32, cu_ao_bitmap: [[u32; 4]; 4], high_va_offset: u64,
        high_va_max: u64, tile_steering: u32, pad: u32, tcc_disabled: u64, min_engine_clock: u64, min_memory_clock: u64, tcp_cache: u32,
        sqc_per_wgp: u32, sqc_data: u32, sqc_inst: u32, gl1c: u32, gl2c: u32, mall: u64, rb_mask_hi: u32, shadow_size: u32, shadow_alignment: u32,
        csa_size: u32, csa_alignment: u32, userq_ip_mask: u32,
    }
}

/// Numbers of the ioctls: type `d` for the device, each with its structure and the size in the newest header.
macro_rules! ioctls {
    ($($name:ident = $nr:literal, $size:literal;)*) => {
        $(#[allow(missing_docs, reason = "the names are those of the kernel's headers")] pub const $name: u8 = $nr;)*

        /// Returns the size of an ioctl's structure; None for numbers that the device does not support.
        pub fn size_of_ioctl(nr: u8) -> Option<usize> {
            match nr { $($name => Some($size),)* _ => None }
        }

        /// Returns the name of an ioctl.
        pub fn name_of_ioctl(nr: u8) -> Option<&'static str> {
            match nr { $($name => Some(stringify!($name)),)* _ => None }
        }
    };
}

ioctls! {
    VERSION = 0x00, 64;
    GET_UNIQUE = 0x01, 16;
    GET_CLIENT = 0x05, 40;
    GEM_CLOSE = 0x09, 8;
    GET_CAP = 0x0C, 16;
    SET_CLIENT_CAP = 0x0D, 16;
    PRIME_HANDLE_TO_FD = 0x2D, 12;
    PRIME_FD_TO_HANDLE = 0x2E, 12;
    GEM_CREATE = 0x40, 32;
    GEM_MMAP = 0x41, 8;
    CTX = 0x42, 16;
    BO_LIST = 0x43, 24;
    CS = 0x44, 24;
    INFO = 0x45, 32;
    GEM_METADATA = 0x46, 288;
    GEM_WAIT_IDLE = 0x47, 16;
    GEM_VA = 0x48, 64;
    WAIT_CS = 0x49, 32;
    GEM_OP = 0x50, 24;
    GEM_USERPTR = 0x51, 24;
    WAIT_FENCES = 0x52, 24;
    VM = 0x53, 8;
    FENCE_TO_HANDLE = 0x54, 32;
    SCHED = 0x55, 16;
    USERQ = 0x56, 72;
    SYNCOBJ_CREATE = 0xBF, 8;
    SYNCOBJ_DESTROY = 0xC0, 8;
    SYNCOBJ_HANDLE_TO_FD = 0xC1, 24;
    SYNCOBJ_FD_TO_HANDLE = 0xC2, 24;
    SYNCOBJ_WAIT = 0xC3, 40;
    SYNCOBJ_RESET = 0xC4, 16;
    SYNCOBJ_SIGNAL = 0xC5, 16;
    SYNCOBJ_TIMELINE_WAIT = 0xCA, 48;
    SYNCOBJ_QUERY = 0xCB, 24;
    SYNCOBJ_TRANSFER = 0xCC, 32;
    SYNCOBJ_TIMELINE_SIGNAL = 0xCD, 24;
    SYNCOBJ_EVENTFD = 0xCF, 24;
}

/// Part of the description that a driver without shaders returns from VERSION: the device of `live/`. The kernel's driver returns "AMD GPU".
pub const NO_SHADERS: &str = "without shaders";

/// Declares modules of numbers, one for each kind of call.
macro_rules! numbers {
    ($($(#[$doc:meta])* $module:ident: $type:ty { $($name:ident = $value:expr;)* })*) => {$(
        $(#[$doc])*
        pub mod $module {
            $(#[allow(missing_docs, reason = "the names are those of the kernel's headers")] pub const $name: $type = $value;)*
        }
    )*};
}

numbers! {
    /// Queries of INFO (AMDGPU_INFO_…).
    query: u32 {
        ACCEL_WORKING = 0x00;
        HW_IP_INFO = 0x02;
        HW_IP_COUNT = 0x03;
        TIMESTAMP = 0x05;
        FW_VERSION = 0x0E;
        NUM_BYTES_MOVED = 0x0F;
        VRAM_USAGE = 0x10;
        GTT_USAGE = 0x11;
        GDS_CONFIG = 0x13;
        VRAM_GTT = 0x14;
        READ_MMR_REG = 0x15;
        DEV_INFO = 0x16;
        VIS_VRAM_USAGE = 0x17;
        NUM_EVICTIONS = 0x18;
        MEMORY = 0x19;
        SENSOR = 0x1D;
        NUM_VRAM_CPU_PAGE_FAULTS = 0x1E;
        VRAM_LOST_COUNTER = 0x1F;
        VIDEO_CAPS = 0x21;
        MAX_IBS = 0x22;
        GPUVM_FAULT = 0x23;
    }
    /// Firmware types of FW_VERSION (AMDGPU_INFO_FW_…).
    firmware: u32 { ME = 4; PFP = 5; MEC = 8; }
    /// Engines (AMDGPU_HW_IP_…).
    engine: u32 { GFX = 0; COMPUTE = 1; DMA = 2; }
    /// Domains of buffers (AMDGPU_GEM_DOMAIN_…).
    domain: u64 { GTT = 2; VRAM = 4; }
    /// Operations of GEM_VA (AMDGPU_VA_OP_…).
    va: u32 { MAP = 1; UNMAP = 2; CLEAR = 3; REPLACE = 4; }
    /// Flags of GEM_VA (AMDGPU_VM_PAGE_…).
    page: u32 { READABLE = 2; WRITEABLE = 4; EXECUTABLE = 8; PRT = 0x10; }
    /// Operations of CTX (AMDGPU_CTX_OP_…).
    context: u32 { ALLOC = 1; FREE = 2; QUERY_STATE = 3; QUERY_STATE2 = 4; GET_STABLE_PSTATE = 5; SET_STABLE_PSTATE = 6; }
    /// Chunks of CS (AMDGPU_CHUNK_ID_…).
    chunk: u32 {
        IB = 1;
        FENCE = 2;
        DEPENDENCIES = 3;
        SYNCOBJ_IN = 4;
        SYNCOBJ_OUT = 5;
        BO_HANDLES = 6;
        SCHEDULED_DEPENDENCIES = 7;
        SYNCOBJ_TIMELINE_WAIT = 8;
        SYNCOBJ_TIMELINE_SIGNAL = 9;
        CP_GFX_SHADOW = 10;
    }
    /// Flags of command buffers (AMDGPU_IB_FLAG_…).
    ib: u32 { EMIT_MEM_SYNC = 0x40; }
    /// Flags of SYNCOBJ_WAIT and SYNCOBJ_TIMELINE_WAIT (DRM_SYNCOBJ_WAIT_FLAGS_…).
    wait: u32 { ALL = 1; FOR_SUBMIT = 2; }
}

/// Flags of QUERY_STATE2 (AMDGPU_CTX_QUERY2_FLAGS_…, Linux amdgpu_drm.h; unverified: no sheet of facts lists them).
pub mod context_state {
    /// The device has been reset since the context was created.
    pub const RESET: u64 = 1;
    /// Local memory was lost.
    pub const VRAM_LOST: u64 = 1 << 1;
    /// This context caused the reset.
    pub const GUILTY: u64 = 1 << 2;
}
