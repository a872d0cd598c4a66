//! Device coredumps as written by each kernel, made from a stream: registers in the order of the kernel's lists, rings with the frame around a job, and the
//! words of the job if the kernel writes them (Linux 6.0 to 7.1 amdgpu_dev_coredump.c, gfx_v9_0.c to gfx_v12_0.c).

use pm4::chip::{Chip, Gfx};
use std::fmt::Write as _;

/// A kernel version, described by what its dumps add to those of the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// Only the header and the line on video memory.
    V6_8,
    /// Adds the ring that timed out and the page fault.
    V6_9,
    /// Adds firmware, and all rings with live words; registers only on GFX10.
    V6_10,
    /// Adds registers of all generations, blocks per queue, one header of each engine.
    V6_12,
    /// Eight headers of each engine.
    V6_18,
    /// Rings as they were, and the words of the job.
    V7_1,
    /// The words of the job truncated.
    V7_1Cut,
    /// All words again, and the address space.
    V7_2,
}

pub const KERNELS: [Kernel; 8] = [Kernel::V6_8, Kernel::V6_9, Kernel::V6_10, Kernel::V6_12, Kernel::V6_18, Kernel::V7_1, Kernel::V7_1Cut, Kernel::V7_2];

impl Kernel {
    fn release(self) -> &'static str {
        match self {
            Self::V6_8 => "6.8.12",
            Self::V6_9 => "6.9.7",
            Self::V6_10 => "6.10.14",
            Self::V6_12 => "6.12.107",
            Self::V6_18 => "6.18.15",
            Self::V7_1 => "7.1.8",
            Self::V7_1Cut => "7.1.11",
            Self::V7_2 => "7.2.3",
        }
    }

    pub fn has_rings(self) -> bool {
        self >= Self::V6_10
    }

    pub fn has_job(self) -> bool {
        self >= Self::V7_1
    }

    /// Returns whether registers of the graphics core are included.
    pub fn has_registers(self, gfx: Gfx) -> bool {
        self >= Self::V6_12 || self == Self::V6_10 && matches!(gfx, Gfx::Gfx10 | Gfx::Gfx103)
    }
}

/// A hang.
#[derive(Clone)]
pub struct Scene<'w> {
    pub chip: Chip,
    pub ib: &'w [u32],
    pub addr: u64,
    /// Headers in the order in which PFP and ME (on a compute ring MEC) read them, newest last.
    pub pfp: Vec<u32>,
    pub me: Vec<u32>,
    /// Dwords still to be fetched; on a compute ring, dwords already consumed.
    pub left: usize,
    /// CP_STALLED_STAT2.
    pub stalled: u32,
    pub fault: u64,
    pub compute: bool,
}

/// Returns the kernel's facts about a chip: core version, device id, family, external revision.
fn identity(chip: Chip) -> ([u32; 3], u32, u32, u32) {
    match chip {
        Chip::Vega10 => ([9, 0, 1], 0x687F, 141, 1),
        Chip::Navi10 => ([10, 1, 10], 0x731F, 143, 1),
        Chip::Navi21 => ([10, 3, 0], 0x73BF, 143, 0x28),
        Chip::Navi31 => ([11, 0, 0], 0x744C, 145, 1),
        Chip::Gfx1201 => ([12, 0, 1], 0x7550, 152, 0x50),
        other => panic!("{other} is no chip of these dumps"),
    }
}

const CORE_9: &str = "GRBM_STATUS GRBM_STATUS2 CP_STALLED_STAT1 CP_STALLED_STAT2 CP_CPC_STALLED_STAT1 CP_CPF_STALLED_STAT1 CP_BUSY_STAT CP_CPC_BUSY_STAT \
    CP_CPF_BUSY_STAT CP_CPF_STATUS CP_GFX_ERROR";
const CORE_10: &str = "GRBM_STATUS GRBM_STATUS2 GRBM_STATUS3 CP_STALLED_STAT1 CP_STALLED_STAT2 CP_CPC_STALLED_STAT1 CP_CPF_STALLED_STAT1 CP_BUSY_STAT \
    CP_CPC_BUSY_STAT CP_CPF_BUSY_STAT CP_CPC_BUSY_STAT2 CP_CPF_BUSY_STAT2 CP_CPF_STATUS CP_GFX_ERROR CP_GFX_HPD_STATUS0";
const CORE_11: &str = "GRBM_STATUS GRBM_STATUS2 GRBM_STATUS3 CP_STALLED_STAT1 CP_STALLED_STAT2 CP_STALLED_STAT3 CP_CPC_STALLED_STAT1 CP_CPF_STALLED_STAT1 \
    CP_BUSY_STAT CP_CPC_BUSY_STAT CP_CPF_BUSY_STAT CP_CPC_BUSY_STAT2 CP_CPF_BUSY_STAT2 CP_CPF_STATUS CP_GFX_ERROR CP_GFX_HPD_STATUS0 CP_RB_BASE CP_RB_RPTR \
    CP_RB_WPTR CP_RB0_BASE CP_RB0_RPTR CP_RB0_WPTR";
/// Registers of ring and buffers of the graphics queue, if the core has one.
const RING_9: &str = "CP_RB_BASE CP_RB_RPTR CP_RB_WPTR CP_RB0_BASE CP_RB0_RPTR CP_RB0_WPTR CP_RB1_BASE CP_RB1_RPTR CP_RB1_WPTR CP_RB2_BASE CP_RB2_WPTR \
    CP_RB2_WPTR CP_CE_IB1_CMD_BUFSZ CP_CE_IB2_CMD_BUFSZ CP_IB1_CMD_BUFSZ CP_IB2_CMD_BUFSZ CP_CE_IB1_BASE_LO CP_CE_IB1_BASE_HI CP_CE_IB1_BUFSZ \
    CP_CE_IB2_BASE_LO CP_CE_IB2_BASE_HI CP_CE_IB2_BUFSZ";
const BUFFERS: &str = "CP_IB1_CMD_BUFSZ CP_IB2_CMD_BUFSZ CP_IB1_BASE_LO CP_IB1_BASE_HI CP_IB1_BUFSZ CP_IB2_BASE_LO CP_IB2_BASE_HI CP_IB2_BUFSZ \
    CPF_UTCL1_STATUS CPC_UTCL1_STATUS CPG_UTCL1_STATUS";
const COMPUTE: &str = "CP_HQD_VMID CP_HQD_PERSISTENT_STATE CP_HQD_PIPE_PRIORITY CP_HQD_QUEUE_PRIORITY CP_HQD_QUANTUM CP_HQD_PQ_BASE CP_HQD_PQ_BASE_HI \
    CP_HQD_PQ_RPTR CP_HQD_PQ_CONTROL CP_HQD_IB_BASE_ADDR CP_HQD_IB_BASE_ADDR_HI CP_HQD_IB_RPTR CP_HQD_IB_CONTROL CP_HQD_ERROR CP_HQD_PQ_WPTR_LO \
    CP_HQD_PQ_WPTR_HI CP_HQD_DEQUEUE_STATUS";
const GRAPHICS: &str = "CP_GFX_HQD_ACTIVE CP_GFX_HQD_VMID CP_GFX_HQD_QUEUE_PRIORITY CP_GFX_HQD_QUANTUM CP_GFX_HQD_BASE CP_GFX_HQD_BASE_HI CP_GFX_HQD_OFFSET \
    CP_GFX_HQD_CNTL CP_GFX_HQD_CSMD_RPTR CP_GFX_HQD_WPTR CP_GFX_HQD_WPTR_HI CP_GFX_MQD_BASE_ADDR CP_GFX_MQD_BASE_ADDR_HI CP_RB_RPTR CP_IB1_BASE_LO \
    CP_IB1_BASE_HI CP_IB1_CMD_BUFSZ CP_IB1_BUFSZ";

struct Printer<'s> {
    out: String,
    scene: &'s Scene<'s>,
    prefix: &'static str,
}

impl Printer<'_> {
    fn register(&mut self, name: &str, value: u32) {
        let _ = writeln!(self.out, "{:<50} \t 0x{value:08x}", format!("{}{name}", self.prefix));
    }

    /// Returns the value of a register in this hang.
    fn value(&self, name: &str) -> u32 {
        let scene = self.scene;
        let graphics = u32::from(!scene.compute);
        match name {
            "GRBM_STATUS" => 0xA000_3028,
            "CP_STALLED_STAT2" => scene.stalled,
            "CP_IB1_BASE_LO" => graphics * scene.addr as u32,
            "CP_IB1_BASE_HI" => graphics * ((scene.addr >> 32) as u32 & 0xFFFF),
            "CP_IB1_BUFSZ" => graphics * scene.left as u32,
            "CP_IB1_CMD_BUFSZ" => graphics * scene.ib.len() as u32,
            "CP_HQD_IB_BASE_ADDR" if scene.compute => scene.addr as u32,
            "CP_HQD_IB_BASE_ADDR_HI" if scene.compute => (scene.addr >> 32) as u32 & 0xFFFF,
            "CP_HQD_IB_RPTR" if scene.compute => scene.left as u32,
            "CP_HQD_IB_CONTROL" if scene.compute => 0x8000_0000 | scene.ib.len() as u32,
            "CP_MES_INSTR_PNTR" | "CP_ME_INSTR_PNTR" | "CP_PFP_INSTR_PNTR" => 0x5C4,
            _ => 0,
        }
    }

    fn registers(&mut self, names: &str) {
        for name in names.split_whitespace() {
            let value = self.value(name);
            self.register(name, value);
        }
    }

    fn headers(&mut self, name: &str, headers: &[u32], count: usize) {
        let padded = headers.iter().copied().chain(std::iter::repeat(0)).take(count).collect::<Vec<_>>();
        padded.into_iter().for_each(|header| self.register(name, header));
    }

    fn ip_dump(&mut self, kernel: Kernel, gfx: Gfx) {
        let (block, core) = match gfx {
            Gfx::Gfx9 => ("gfx_v9_0", [CORE_9, RING_9, BUFFERS].join(" ")),
            Gfx::Gfx10 | Gfx::Gfx103 => ("gfx_v10_0", [CORE_10, RING_9, BUFFERS].join(" ")),
            Gfx::Gfx12 => ("gfx_v12_0", [CORE_11, BUFFERS].join(" ")),
            _ => ("gfx_v11_0", [CORE_11, BUFFERS].join(" ")),
        };
        let (old, new) = (matches!(gfx, Gfx::Gfx9 | Gfx::Gfx10 | Gfx::Gfx103), kernel >= Kernel::V6_18);
        let (pfp, me, mec) = if self.scene.compute { (vec![], vec![], self.scene.me.clone()) } else { (self.scene.pfp.clone(), self.scene.me.clone(), vec![]) };
        // Two dumps of a Navi32 show the newest entry first (src/hang/engines.rs); no dump of other generations was seen.
        let read = |list: Vec<u32>| if gfx == Gfx::Gfx11 && new { list.into_iter().rev().collect() } else { list };
        let (pfp, me) = (read(pfp), read(me));
        let newest = |list: &[u32]| list.last().copied().into_iter().collect::<Vec<_>>();
        let _ = writeln!(self.out, "IP Dump\nIP: {block}");
        self.registers(&core);
        self.registers("CP_DEBUG CP_MEC_CNTL CP_ME_INSTR_PNTR CP_PFP_INSTR_PNTR CP_CPC_STATUS");
        if !new {
            // One line per engine with its newest entry.
            if old {
                self.headers("CP_CE_HEADER_DUMP", &[], 1);
            }
            self.headers("CP_MEC_ME1_HEADER_DUMP", &newest(&mec), 1);
            if old {
                self.headers("CP_MEC_ME2_HEADER_DUMP", &[], 1);
            }
            self.headers("CP_PFP_HEADER_DUMP", &newest(&pfp), 1);
            self.headers("CP_ME_HEADER_DUMP", &newest(&me), 1);
        }
        self.registers("GRBM_STATUS_SE0 GRBM_STATUS_SE1 GRBM_STATUS_SE2 GRBM_STATUS_SE3");
        if new && gfx == Gfx::Gfx9 {
            self.headers("CP_CE_HEADER_DUMP", &[], 8);
            self.headers("CP_PFP_HEADER_DUMP", &pfp, 8);
            self.headers("CP_ME_HEADER_DUMP", &me, 8);
        }
        if kernel == Kernel::V6_10 {
            return;
        }
        self.out += "\nnum_mec: 1 num_pipe: 2 num_queue: 1\n";
        for pipe in 0..2 {
            let _ = writeln!(self.out, "\nmec 0, pipe {pipe}, queue 0");
            if pipe == 0 {
                self.registers(COMPUTE);
            } else {
                COMPUTE.split_whitespace().for_each(|name| self.register(name, 0));
            }
            match gfx {
                _ if !new => {}
                // Here the queue of ME is read instead of the compute engine's.
                Gfx::Gfx11 | Gfx::Gfx115 => self.headers("CP_ME_HEADER_DUMP", &me, 8),
                _ => self.headers("CP_MEC_ME1_HEADER_DUMP", if pipe == 0 { &mec } else { &[] }, 8),
            }
        }
        if gfx != Gfx::Gfx9 {
            self.out += "\nnum_me: 1 num_pipe: 1 num_queue: 1\n\nme 0, pipe 0, queue 0\n";
            let names =
                if old { "CP_GFX_HQD_ACTIVE CP_GFX_HQD_BASE CP_GFX_HQD_BASE_HI CP_GFX_HQD_WPTR CP_GFX_HQD_WPTR_HI CP_GFX_MQD_BASE_ADDR" } else { GRAPHICS };
            self.registers(names);
            if new {
                if old {
                    self.headers("CP_CE_HEADER_DUMP", &[], 8);
                }
                self.headers("CP_PFP_HEADER_DUMP", &pfp, 8);
                self.headers("CP_ME_HEADER_DUMP", &me, 8);
            }
        }
        self.out += "\nIP: sdma_v6_0\nnum_instances:1\n\nInstance:0\n";
        self.register("SDMA0_STATUS_REG", 0x46D3_8D57);
        self.out.push('\n');
    }

    /// Writes a ring: its name, words, and write pointer.
    fn ring(&mut self, name: &str, words: &[u32], read: usize, write: usize) {
        let mask = words.len() - 1;
        let _ = writeln!(self.out, "ring name: {name}\nRptr: 0x{read:x} Wptr: 0x{write:x} RB mask: {mask:x}\nRing size in dwords: {}", words.len());
        self.out += "Ring contents\nOffset \t Value\n";
        for (at, word) in words.iter().enumerate() {
            let _ = writeln!(self.out, "0x{:x} \t 0x{word:x}", 4 * at);
        }
    }
}

/// Returns the packets that the kernel puts around a job (gfx_v9_0.c to gfx_v12_0.c), padded.
pub fn frame(gfx: Gfx, compute: bool, addr: u64, dwords: usize, sequence: u32) -> Vec<u32> {
    let mut words = Vec::new();
    let control = 0x0100_0000 | dwords as u32 | u32::from(compute) << 23;
    if !compute {
        words.extend([0xC003_2200, 0x0040_1160, 0, 0, 0]);
    }
    words.extend([0xC005_3C00, 0x43 | u32::from(!compute) << 8, 0x1A00, 0x1A01, 1, 1, 0x20]);
    if !compute {
        words.extend([0xC001_2800, 0x8000_0000, 0]);
        if gfx != Gfx::Gfx12 {
            words.extend([0xC000_9000, 0]);
        }
    }
    words.extend([0xC002_3F00, addr as u32, (addr >> 32) as u32 & 0xFFFF, control]);
    if !compute && gfx != Gfx::Gfx12 {
        words.extend([0xC000_9000, 0x1000_0000]);
    }
    let event = match gfx {
        Gfx::Gfx9 => 0x0023_8514,
        Gfx::Gfx12 => 0x0660_0514,
        _ => 0x0660_3514,
    };
    words.extend([0xC006_4900, event, 0x2200_0000, 0x0040_1040, 0, sequence, 0, 0]);
    if !compute && matches!(gfx, Gfx::Gfx9 | Gfx::Gfx10 | Gfx::Gfx103) {
        words.extend([0xC000_8B00, 0]);
    }
    // What COND_EXEC may skip: everything after it, up to the end of the fence.
    if !compute {
        words[4] = words.len() as u32 - 5;
    }
    // One NOP covers the rest.
    let rest = words.len().next_multiple_of(256) - words.len();
    words.push(0xC000_1000 | (rest as u32 - 2) << 16);
    words.resize(words.len() + rest - 1, 0xFFFF_1000);
    words
}

/// Returns the dump that a kernel writes for a hang.
pub fn coredump(kernel: Kernel, scene: &Scene<'_>) -> String {
    let gfx = scene.chip.gfx();
    let ([major, minor, revision], device, family, external) = identity(scene.chip);
    let prefix = if matches!(gfx, Gfx::Gfx9 | Gfx::Gfx10 | Gfx::Gfx103) { "mm" } else { "reg" };
    let mut p = Printer { out: String::new(), scene, prefix };
    let ring = match (scene.compute, gfx) {
        (true, _) => "comp_1.0.0",
        (false, Gfx::Gfx9) => "gfx",
        (false, _) => "gfx_0.0.0",
    };
    let _ = writeln!(p.out, "**** AMDGPU Device Coredump ****");
    if kernel >= Kernel::V6_9 {
        p.out += "version: 1\n";
    }
    let _ = writeln!(p.out, "kernel: {}\nmodule: amdgpu\ntime: 812.104233871", kernel.release());
    if kernel >= Kernel::V7_2 {
        p.out += "pasid: 32771\nvmid: 1\n";
    }
    p.out += if kernel >= Kernel::V7_1 { "process_name: vkcube TGID: 4242 thread: vkcube:cs0 PID: 4243\n" } else { "process_name: vkcube PID: 4242\n" };
    if kernel >= Kernel::V6_10 {
        let _ = writeln!(
            p.out,
            "\nSOC Information\nSOC Device id: {device}\nSOC PCI Revision id: 200\nSOC Family: {family}\nSOC Revision id: 0\nSOC External Revision id: {external}\n"
        );
        p.out += "SOC Memory Information\nreal vram size: 25753026560\nvisible vram size: 25753026560\ngtt size: 33545650176\n\nGDS Config\n";
        p.out += "gds: total size: 4096\ngds: compute partition size: 256\ngds: gws per compute partition: 4\ngds: os per compute partition: 4\n\n";
        let _ = writeln!(p.out, "HW IP Version Information\nHWIP: GC[1][0]: v{major}.{minor}.{revision}.0.0\nHWIP: HDP[2][0]: v6.0.0.0.0");
        p.out += "HWIP: (null)[34][0]: v1.0.0.0.0\n\n";
        if kernel >= Kernel::V7_1 {
            p.out += "HW IP Discovery\ndie 0\nhw_id 11 GC\n\tinstance 0\n\tmajor 11\n\tminor 0\n\trevision 0\n\tharvest 0x0\n\tnum_base_addresses 1\n";
            p.out += "\tbase_addr[0] 0x00001260\n\n";
        }
        p.out += "IP Firmwares\nVCE feature version: 0, fw version: 0x00000000\nME feature version: 35, fw version: 0x00000a2e\n";
        p.out += "PFP feature version: 35, fw version: 0x00000a51\nMEC feature version: 35, fw version: 0x00000a3f\n";
        p.out += "TA XGMI feature version: 0x00000000, fw version: 0x00000000\nSMC feature version: 0, program: 0, fw version: 0x004e6b00 (78.107.0)\n";
        p.out += "SDMA0 feature version: 60, firmware version: 0x00000013\n\nVBIOS Information\nvbios name       : NAVI31\nvbios pn         : 113-D70401-00\n";
        p.out += "vbios version    : 18 \nvbios ver_str    : 022.001.002\nvbios date       : 2022/10/31\n\n";
    }
    if kernel >= Kernel::V6_9 {
        let _ = writeln!(p.out, "Ring timed out details\nIP Type: {} Ring Name: {ring}\n", u32::from(scene.compute));
        let status = u32::from(scene.fault != 0) * 0x0010_1131;
        let _ = writeln!(
            p.out,
            "[gfxhub] Page fault observed\nFaulty page starting at address: 0x{:016x}\nProtection fault status register: 0x{status:x}\n",
            scene.fault
        );
    }
    if kernel.has_registers(gfx) {
        p.ip_dump(kernel, gfx);
    }
    if kernel.has_rings() {
        p.out += "Ring buffer information\n";
        let job = frame(gfx, scene.compute, scene.addr, scene.ib.len(), 0x2A);
        let mut words = frame(gfx, scene.compute, 0x8001_1111_0000, 16, 0x29);
        words.extend(&job);
        let write = 0x1800 + words.len();
        words.resize(2048, 0xFFFF_1000);
        // A neighbouring ring without work; old kernels write all rings, including those with packets of other engines.
        if kernel < Kernel::V7_1 {
            p.ring("sdma0", &[0; 1024], 0x80, 0x80);
            p.ring("mes_3.0.0", &[7; 1024], 0, 0x40);
        }
        p.ring(ring, &words, write, write);
        if kernel < Kernel::V7_1 && !scene.compute {
            p.ring("comp_1.0.0", &[0xFFFF_1000; 2048], 0x300, 0x300);
        }
    }
    p.out += if kernel >= Kernel::V6_12 { "VRAM lost check is skipped!\n" } else { "VRAM is lost due to GPU reset!\n" };
    if kernel.has_job() {
        let _ = writeln!(p.out, "\nIB #0 0x{:x} {} dw", scene.addr, scene.ib.len());
        let words: Vec<String> = scene.ib.iter().map(|word| format!("0x{word:08x}\n")).collect();
        match kernel {
            // Two and a half words: the room left by the size pass.
            Kernel::V7_1Cut => {
                p.out += &words[..2].concat();
                p.out += "0xc00";
            }
            _ => p.out += &words.concat(),
        }
    }
    p.out
}
