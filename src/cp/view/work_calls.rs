//! The work that a draw or dispatch requests: counts, first vertices, workgroups and the index buffer, including arguments in memory.

use crate::cp::state::memory::{Content, canonical};
use crate::cp::view::draw_summary::is_opaque;
use crate::cp::view::draw_view::DrawView;
use crate::packet::{Action, EffectKinds, Opcode};
use alloc::vec::Vec;

/// What is known about a dword of memory.
///
/// For an example see [`DrawView::call`](crate::cp::DrawView::call).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryState {
    /// Mapped, or written by a packet.
    Known(u32),
    /// Mapped or written, with a value that the model does not know.
    Unknown,
    /// The caller has not mapped it.
    Unmapped,
}

/// One of the draws or dispatches that a packet starts (an indirect packet may start several). A value is None if the model does not know it.
///
/// For an example see [`DrawView::call`](crate::cp::DrawView::call).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkCall {
    /// Vertices, with or without indices.
    Vertices(VertexCall),
    /// Workgroups of a compute or mesh shader, in x, y and z; threads if the initiator has USE_THREAD_DIMENSIONS.
    Groups([Option<u32>; 3]),
}

/// A draw of vertices.
///
/// If the counts are in the packet and not in memory, the driver passes the first vertex, the vertex offset and the first instance to the shader in user
/// data registers. Only the shader knows which registers: `vertex_offset`, `first_instance` and, for draws without indices, `first` are None. For indexed
/// draws `first` is the first index of the packet.
///
/// For an example see [`DrawView::call`](crate::cp::DrawView::call).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VertexCall {
    /// Vertices (or indices, for an indexed draw) per instance.
    pub count: Option<u32>,
    /// First vertex, or first index.
    pub first: Option<u32>,
    /// The offset added to each index; also None for draws without indices.
    pub vertex_offset: Option<i32>,
    /// Number of instances. From GFX8 on, a draw of 0 instances draws nothing (Mesa si_draw_vbo: GFX6 and GFX7 draw one).
    pub instances: Option<u32>,
    /// First instance.
    pub first_instance: Option<u32>,
    /// The index buffer of an indexed draw.
    pub indices: Option<BoundIndices>,
}

impl WorkCall {
    /// Returns whether the call is known to launch nothing.
    fn is_empty(self) -> bool {
        match self {
            // If the count is not known, it may be one that instances do not multiply.
            Self::Vertices(VertexCall { count, instances, .. }) => count == Some(0) || count.is_some() && instances == Some(0),
            Self::Groups(groups) => groups.contains(&Some(0)),
        }
    }
}

/// Maximum number of draws and dispatches that are examined per packet.
const CALLS: u32 = 16;

/// The index buffer of an indexed draw.
///
/// For an example see [`DrawView::indices`](crate::cp::DrawView::indices).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoundIndices {
    /// GPU address of index 0.
    pub addr: Option<u64>,
    /// Bytes of an index: 1, 2 or 4 (VGT_INDEX_TYPE).
    pub bytes: Option<u32>,
    /// Number of indices in the buffer; later indices read as 0.
    pub limit: Option<u32>,
}

/// VGT_INDEX_TYPE.INDEX_TYPE.
const INDEX_BYTES: [Option<u32>; 4] = [Some(2), Some(4), Some(1), None];

impl DrawView<'_> {
    /// Returns what is known about the dword of memory at a GPU address.
    pub fn memory(&self, addr: u64) -> MemoryState {
        self.reads_more();
        match self.pipe.reads(self.memory, addr) {
            Content::Known(value) => MemoryState::Known(value),
            Content::Unknown => MemoryState::Unknown,
            Content::Unmapped => MemoryState::Unmapped,
        }
    }

    /// Returns the dword of memory at a GPU address if it is known.
    pub fn dword(&self, addr: u64) -> Option<u32> {
        self.reads_more();
        self.pipe.known(self.memory, addr)
    }

    /// Returns consecutive dwords of memory; None if one of them is not known.
    ///
    /// Use this to read a descriptor: `ImageDescriptor` and the other types are created from their words.
    pub fn dwords<const N: usize>(&self, addr: u64) -> Option<[u32; N]> {
        self.reads_more();
        let mut words = [0; N];
        for (word, at) in words.iter_mut().zip((canonical(addr)..).step_by(4)) {
            *word = self.pipe.known(self.memory, at)?;
        }
        Some(words)
    }

    /// Returns the packet that wrote the dword of memory last; None for the words of the caller.
    pub fn memory_origin(&self, addr: u64) -> Option<crate::cp::Place> {
        self.reads_more();
        self.memory.origin(addr)
    }

    /// Returns a user data register, given the name of the first register of its stage and its number: `user_data("SPI_SHADER_USER_DATA_PS_0", 2)`.
    pub fn user_data(&self, first: &str, number: u32) -> Option<u32> {
        let register = self.register(first)?;
        self.value(number.checked_mul(4).and_then(|offset| register.addr().checked_add(offset))?)
    }

    /// Returns the GPU address in two user data registers, low half first.
    pub fn user_pointer(&self, first: &str, number: u32) -> Option<u64> {
        let [lo, hi] = [Some(number), number.checked_add(1)].map(|number| self.user_data(first, number?));
        Some(canonical(u64::from(hi?) << 32 | u64::from(lo?)))
    }

    /// Returns a field of the packet, by name.
    fn operand(&self, name: &str) -> Option<u32> {
        self.packet().field(self.gfx(), self.queue(), name).map(|value| value as u32)
    }

    /// Returns the address of the arguments of packets that read them from memory. The outer None is for other packets, the inner one for an unknown address.
    fn arguments(&self) -> Option<Option<u64>> {
        let mut found = None;
        self.packet().visit_effects(self.gfx(), self.queue(), &mut |effect| {
            if let Action::Read { at, .. } = effect.action {
                found = found.or(Some(self.history().address(at)));
            }
        });
        let reads = self.packet().opcode()?.effect_kinds(self.gfx()).intersects(EffectKinds::READS);
        found.filter(|_| reads && self.operand("index_base_lo").is_none())
    }

    /// Returns how many draws or dispatches the packet starts; None if their number is in memory that the model does not know.
    pub fn call_count(&self) -> Option<u32> {
        let Some(limit) = self.operand("count").filter(|_| self.arguments().is_some()) else { return Some(1) };
        if self.operand("count_indirect_enable") != Some(1) {
            return Some(limit);
        }
        let (lo, hi) = (self.operand("count_addr_lo")?, self.operand("count_addr_hi")?);
        // The field begins at bit 2 of its dword.
        let count = self.pipe.known(self.memory, u64::from(hi) << 32 | u64::from(lo))?;
        Some(count.min(limit))
    }

    /// Returns one of the draws or dispatches that the packet starts, counted from 0; None beyond [`call_count`](Self::call_count).
    ///
    /// ```
    /// use pm4::cp::{CommandProcessor, DrawView, MemoryState, Observer, VertexCall, WorkCall};
    ///
    /// struct Calls(Vec<WorkCall>);
    /// impl Observer for Calls {
    ///     fn draw(&mut self, view: &DrawView<'_>) {
    ///         assert_eq!(view.memory(0x1010), MemoryState::Known(3));
    ///         self.0.extend((0..view.call_count().unwrap_or(0)).filter_map(|number| view.call(number)));
    ///     }
    /// }
    /// # #[cfg(feature = "gfx11")] {
    /// // SET_BASE 1 to 0x1000; NUM_INSTANCES 1; DRAW_INDIRECT of the arguments at 0x1000 + 16
    /// let stream = [0xC002_1100, 1, 0x1000, 0, 0xC000_2F00, 1, 0xC003_2400, 16, 0, 0, 2];
    /// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
    /// cp.map("arguments", 0x1010, &[3, 2, 10, 0]); // 3 vertices, 2 instances, from vertex 10 and instance 0 on
    /// cp.submit(pm4::packet::Queue::Graphics, "main", &stream);
    /// let mut calls = Calls(Vec::new());
    /// cp.run(&mut calls);
    /// let call = VertexCall { count: Some(3), first: Some(10), instances: Some(2), first_instance: Some(0), ..VertexCall::default() };
    /// assert_eq!(calls.0, [WorkCall::Vertices(call)]);
    /// # }
    /// ```
    pub fn call(&self, number: u32) -> Option<WorkCall> {
        if number >= self.call_count()? {
            return None;
        }
        let opcode = self.packet().opcode()?;
        let arguments = self.arguments();
        let stride = self.operand("stride").unwrap_or(0);
        let at = arguments.map(|base| base.map(|base| base.wrapping_add(u64::from(number) * u64::from(stride))));
        let argument = |dword: u64| at.flatten().and_then(|at| self.pipe.known(self.memory, at.wrapping_add(4 * dword)));
        if let Some(dims) = self.groups(opcode) {
            return Some(WorkCall::Groups(if at.is_some() { [0, 1, 2].map(argument) } else { dims }));
        }
        let indexed = opcode.effect_kinds(self.gfx()).intersects(EffectKinds::INDEXED);
        let instances = self.register("VGT_NUM_INSTANCES").and_then(|register| self.value(register.addr()));
        let call = match (at.is_some(), indexed) {
            (true, true) => VertexCall {
                count: argument(0),
                instances: argument(1),
                first: argument(2),
                vertex_offset: argument(3).map(|offset| offset as i32),
                first_instance: argument(4),
                indices: Some(self.index_buffer()),
            },
            (true, false) => {
                VertexCall { count: argument(0), instances: argument(1), first: argument(2), first_instance: argument(3), ..VertexCall::default() }
            }
            (false, _) => VertexCall {
                count: self.operand("index_count"),
                first: if indexed { self.operand("index_offset").or(Some(0)) } else { None },
                instances,
                indices: indexed.then(|| self.index_buffer()),
                ..VertexCall::default()
            },
        };
        Some(WorkCall::Vertices(call))
    }

    /// Returns whether the packet is known to launch nothing: it has no draws or dispatches, or all of them have a count of 0.
    pub(in crate::cp) fn launches_nothing(&self) -> bool {
        // This draw takes its count from streamout.
        let counted = is_opaque(self);
        let empty = |calls| (0..calls).all(|number| self.call(number).is_some_and(WorkCall::is_empty));
        !counted && self.call_count().is_some_and(|calls| calls <= CALLS && empty(calls))
    }

    /// Returns the workgroups in a packet that starts workgroups.
    fn groups(&self, opcode: Opcode) -> Option<[Option<u32>; 3]> {
        let mesh = matches!(opcode, Opcode::DISPATCH_MESH_DIRECT | Opcode::DISPATCH_MESH_INDIRECT_MULTI);
        let dispatch = opcode.work_on(self.gfx(), self.queue()) == Some(crate::packet::Work::Dispatch);
        (mesh || dispatch).then(|| ["dim_x", "dim_y", "dim_z"].map(|name| self.operand(name)))
    }

    fn index_buffer(&self) -> BoundIndices {
        let register = |name: &str| self.register(name).and_then(|register| self.value(register.addr()));
        let (lo, hi) = match (self.operand("index_base_lo"), self.operand("index_base_hi")) {
            (Some(lo), Some(hi)) => (Some(lo), Some(hi)),
            _ => (register("VGT_DMA_BASE"), register("VGT_DMA_BASE_HI")),
        };
        BoundIndices {
            addr: lo.zip(hi).map(|(lo, hi)| canonical_index(lo, hi)),
            bytes: register("VGT_INDEX_TYPE").and_then(|word| INDEX_BYTES[(word & 3) as usize]),
            limit: self.operand("max_size").or(self.history().index_buffer_size),
        }
    }

    /// Returns the indices of a draw, starting with the first and at most `most`; indices beyond the end of the buffer are 0. None if something about them is
    /// not known.
    ///
    /// ```
    /// use pm4::cp::{BoundIndices, CommandProcessor, DrawView, Observer, WorkCall};
    ///
    /// struct Indices(Vec<u32>);
    /// impl Observer for Indices {
    ///     fn draw(&mut self, view: &DrawView<'_>) {
    ///         let Some(WorkCall::Vertices(call)) = view.call(0) else { return };
    ///         assert_eq!(call.indices, Some(BoundIndices { addr: Some(0x2000), bytes: Some(2), limit: Some(3) }));
    ///         self.0 = view.indices(&call, 100).unwrap_or_default();
    ///     }
    /// }
    /// # #[cfg(feature = "gfx11")] {
    /// // SET_UCONFIG_REG_INDEX VGT_INDEX_TYPE: 16 bits; DRAW_INDEX_2 of 3 indices at 0x2000
    /// let stream = [0xC001_7A00, 0x2000_0243, 0, 0xC004_2700, 3, 0x2000, 0, 3, 0];
    /// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
    /// cp.map("indices", 0x2000, &[0x0001_0000, 2]);
    /// cp.submit(pm4::packet::Queue::Graphics, "main", &stream);
    /// let mut indices = Indices(Vec::new());
    /// cp.run(&mut indices);
    /// assert_eq!(indices.0, [0, 1, 2]);
    /// # }
    /// ```
    pub fn indices(&self, call: &VertexCall, most: u32) -> Option<Vec<u32>> {
        let BoundIndices { addr, bytes, limit } = call.indices?;
        let (addr, bytes, limit, first) = (addr?, bytes.filter(|bytes| matches!(bytes, 1 | 2 | 4))?, limit?, call.first?);
        let index = |number: u32| {
            if number >= limit {
                return Some(0);
            }
            let at = addr.wrapping_add(u64::from(number) * u64::from(bytes));
            let word = self.pipe.known(self.memory, at)?;
            Some(word >> (8 * (at & 3)) & (u32::MAX >> (32 - 8 * bytes)))
        };
        (0..call.count?.min(most)).map(|i| index(first.saturating_add(i))).collect()
    }
}

/// Returns the address of indices. 8-bit indices may begin at odd addresses.
fn canonical_index(lo: u32, hi: u32) -> u64 {
    (u64::from(hi) << 32 | u64::from(lo)) & ((1 << 48) - 1)
}
