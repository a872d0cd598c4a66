//! Kernel arguments as bytes.

use super::kernel::{Kernel, KernelArgument};
use super::launch::{Launch, LaunchError};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// The bytes from which a kernel reads its arguments. Hidden arguments added by the compiler (`hidden_…`) are computed from the launch if the launch states
/// them. Those that only a runtime knows (`printf` buffers, the heap, host calls) are 0 unless set with [`hidden`](Self::hidden).
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::code_object::{CodeObject, Launch};
/// let object = CodeObject::parse(file)?;
/// let launch = Launch { grid: [1000, 1, 1], ..Launch::default() };
/// let (from, to) = (0x3_0000_0000, 0x4_0000_0000);
/// let arguments = object.kernel("saxpy").unwrap().arguments_of(&launch)?;
/// let bytes = arguments.pointer(0, from)?.pointer(1, to)?.f32(2, 2.0)?.u32(3, 1000)?.finish()?;
/// assert_eq!((bytes.len(), &bytes[16..20]), (24, &2f32.to_le_bytes()[..]));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelArguments<'k> {
    kernel: &'k Kernel<'k>,
    bytes: Vec<u8>,
    given: Vec<bool>,
}

/// The most bytes of arguments; languages allow a few KiB.
const MAX_BYTES: u64 = 1 << 20;

impl Kernel<'_> {
    /// Returns the arguments of a launch, not yet set.
    ///
    /// # Errors
    /// Returns an error if the metadata states more than 1 MiB of arguments, or an argument outside the bytes.
    pub fn arguments_of<'k>(&'k self, launch: &Launch) -> Result<KernelArguments<'k>, LaunchError> {
        if self.kernarg_bytes > MAX_BYTES {
            return Err(LaunchError::Limit { of: self.called(), what: "bytes of arguments", value: self.kernarg_bytes, limit: "at most 2^20" });
        }
        let given = self.arguments.iter().map(KernelArgument::is_hidden).collect();
        let mut arguments = KernelArguments { kernel: self, bytes: vec![0; self.kernarg_bytes as usize], given };
        for (at, argument) in self.arguments.iter().enumerate() {
            let place = argument.offset.checked_add(argument.bytes).filter(|end| *end <= self.kernarg_bytes);
            place.ok_or_else(|| arguments.wrong(&at.to_string(), format!("it ends beyond the {} bytes of arguments", self.kernarg_bytes)))?;
            if let Some(value) = of_launch(argument.kind, launch) {
                let count = argument.bytes.min(8) as usize;
                arguments.put(at, &value.to_le_bytes()[..count])?;
            }
        }
        Ok(arguments)
    }
}

/// Returns the value of a hidden argument if the launch states it (LLVM 22.1.8 AMDGPUUsage, code object V5 metadata).
fn of_launch(kind: &str, launch: &Launch) -> Option<u64> {
    let direction = match kind.strip_prefix("hidden_")?.as_bytes() {
        [.., b'_', b'x'] => 0,
        [.., b'_', b'y'] => 1,
        [.., b'_', b'z'] => 2,
        _ => 3,
    };
    let size = |of: &[u32; 3]| of.get(direction).copied().unwrap_or(1);
    let (group, grid) = (size(&launch.group).max(1), size(&launch.grid));
    Some(match kind {
        "hidden_block_count_x" | "hidden_block_count_y" | "hidden_block_count_z" => (grid / group).into(),
        "hidden_group_size_x" | "hidden_group_size_y" | "hidden_group_size_z" => group.into(),
        "hidden_remainder_x" | "hidden_remainder_y" | "hidden_remainder_z" => (grid % group).into(),
        "hidden_grid_dims" => (1..3).rev().find(|at| launch.group[*at] > 1 || launch.grid[*at] > 1).map_or(1, |at| at as u64 + 1),
        "hidden_dynamic_lds_size" => launch.dynamic_group_bytes.into(),
        "hidden_queue_ptr" => launch.queue.unwrap_or(0),
        _ => return None,
    })
}

impl KernelArguments<'_> {
    fn wrong(&self, argument: &str, why: String) -> LaunchError {
        LaunchError::Argument { of: self.kernel.called(), argument: argument.into(), why }
    }

    /// The offsets were checked when the arguments were created.
    fn put(&mut self, at: usize, value: &[u8]) -> Result<(), LaunchError> {
        let Some(argument) = self.kernel.arguments.get(at) else { return Ok(()) };
        if argument.bytes != value.len() as u64 {
            return Err(self.wrong(&at.to_string(), format!("{} bytes are given, it has {}", value.len(), argument.bytes)));
        }
        let start = argument.offset as usize;
        self.bytes[start..start + value.len()].copy_from_slice(value);
        self.given[at] = true;
        Ok(())
    }

    /// Sets the argument with this number, counted from 0 in source order.
    ///
    /// # Errors
    /// Returns an error if there is no such argument or its size differs.
    pub fn bytes(mut self, number: usize, value: &[u8]) -> Result<Self, LaunchError> {
        let own = self.kernel.arguments.iter().enumerate().filter(|(_, argument)| !argument.is_hidden()).nth(number);
        let at = own.map(|(at, _)| at).ok_or_else(|| self.wrong(&number.to_string(), "the kernel has no such argument".into()))?;
        self.put(at, value)?;
        Ok(self)
    }

    /// Sets an argument to an address.
    ///
    /// # Errors
    /// The same as [`bytes`](Self::bytes).
    pub fn pointer(self, number: usize, address: u64) -> Result<Self, LaunchError> {
        self.bytes(number, &address.to_le_bytes())
    }

    /// Sets a 32-bit argument. For a pointer to LDS, the value is the offset of its part.
    ///
    /// # Errors
    /// The same as [`bytes`](Self::bytes).
    pub fn u32(self, number: usize, value: u32) -> Result<Self, LaunchError> {
        self.bytes(number, &value.to_le_bytes())
    }

    /// Sets a 32-bit floating-point argument.
    ///
    /// # Errors
    /// The same as [`bytes`](Self::bytes).
    pub fn f32(self, number: usize, value: f32) -> Result<Self, LaunchError> {
        self.bytes(number, &value.to_le_bytes())
    }

    /// Sets the hidden argument of a kind, such as `hidden_heap_v1`, which a runtime would provide.
    ///
    /// # Errors
    /// Returns an error if there is no argument of this kind or its size differs.
    pub fn hidden(mut self, kind: &str, value: &[u8]) -> Result<Self, LaunchError> {
        let at = self.kernel.arguments.iter().position(|argument| argument.is_hidden() && argument.kind == kind);
        let at = at.ok_or_else(|| self.wrong(kind, "the kernel has none of this kind".into()))?;
        self.put(at, value)?;
        Ok(self)
    }

    /// Returns the bytes to store at the address of the arguments.
    ///
    /// # Errors
    /// Returns an error if an argument has not been set.
    pub fn finish(self) -> Result<Vec<u8>, LaunchError> {
        match self.given.iter().position(|given| !given) {
            Some(at) => {
                let number = self.kernel.arguments.iter().take(at).filter(|argument| !argument.is_hidden()).count();
                let name = self.kernel.arguments[at].name.map_or_else(|| number.to_string(), |name| format!("{number} ({name})"));
                Err(self.wrong(&name, "it is not given".into()))
            }
            None => Ok(self.bytes),
        }
    }
}
