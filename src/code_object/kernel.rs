//! Kernels, as described by metadata and descriptor.

use super::descriptor::KernelDescriptor;
use super::elf_file::ElfFile;
use super::error::CodeObjectError;
use super::msgpack::MetadataValue;
use super::processor::TargetId;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A kernel of a code object.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::code_object::CodeObject;
/// let object = CodeObject::parse(file)?;
/// let kernel = object.kernel("transpose").unwrap();
/// assert_eq!((kernel.required_group, kernel.kernarg_bytes, kernel.wavefront_size), (Some([16, 16, 1]), 20, 32));
/// assert_eq!((kernel.arguments[2].offset, kernel.arguments[2].bytes, kernel.arguments[2].kind), (16, 4, "by_value"));
/// # }
/// # Ok::<(), pm4::code_object::CodeObjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel<'a> {
    /// Name in the source code.
    pub name: &'a str,
    /// Name of the symbol of the descriptor.
    pub symbol: &'a str,
    /// The target for which it is compiled.
    pub target: TargetId,
    /// The kernel descriptor.
    pub descriptor: KernelDescriptor,
    /// Offset of the descriptor in the image, in bytes.
    pub descriptor_at: u64,
    /// Offset of the code in the image in bytes, a multiple of 256.
    pub code_at: u64,
    /// Arguments, in metadata order.
    pub arguments: Vec<KernelArgument<'a>>,
    /// Size of the arguments in bytes.
    pub kernarg_bytes: u64,
    /// Alignment of the address of the arguments, in bytes.
    pub kernarg_align: u64,
    /// Wave size in lanes, according to the metadata.
    pub wavefront_size: u64,
    /// Number of SGPRs.
    pub sgprs: u64,
    /// Number of VGPRs.
    pub vgprs: u64,
    /// The size in work-items that a workgroup must have, if prescribed.
    pub required_group: Option<[u32; 3]>,
    /// The most work-items in a workgroup.
    pub max_group: u64,
    /// The complete metadata of the kernel.
    pub metadata: MetadataValue<'a>,
}

/// An argument of a kernel.
///
/// For an example, see [`Kernel`].
#[derive(Debug, Clone, PartialEq)]
pub struct KernelArgument<'a> {
    /// Name in the source code, if the compiler keeps it.
    pub name: Option<&'a str>,
    /// The kind: `by_value`, `global_buffer`, …; the runtime provides `hidden_…` arguments.
    pub kind: &'a str,
    /// Offset within the arguments, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
}

impl KernelArgument<'_> {
    /// Returns whether the runtime provides the argument, not the caller of the kernel.
    pub fn is_hidden(&self) -> bool {
        self.kind.starts_with("hidden_")
    }
}

/// A map in the metadata; errors name its owner.
struct Map<'m, 'a> {
    value: &'m MetadataValue<'a>,
    of: &'m dyn Fn() -> String,
}

impl<'a> Map<'_, 'a> {
    fn wrong(&self, key: &'static str, why: &'static str) -> CodeObjectError {
        CodeObjectError::Metadata { of: (self.of)(), key, why }
    }

    fn text(&self, key: &'static str) -> Result<&'a str, CodeObjectError> {
        self.value.get(key).and_then(MetadataValue::text).ok_or_else(|| self.wrong(key, "there must be text"))
    }

    fn number(&self, key: &'static str) -> Result<u64, CodeObjectError> {
        self.value.get(key).and_then(MetadataValue::number).ok_or_else(|| self.wrong(key, "there must be a number that is not negative"))
    }

    /// Returns a number that old compilers omit, or `other`.
    fn number_or(&self, key: &'static str, other: u64) -> Result<u64, CodeObjectError> {
        if self.value.get(key).is_some() { self.number(key) } else { Ok(other) }
    }
}

impl<'a> Kernel<'a> {
    pub(super) fn read(value: MetadataValue<'a>, file: &ElfFile<'a>, target: TargetId) -> Result<Self, CodeObjectError> {
        let of = || format!("kernel {}", value.get(".name").and_then(MetadataValue::text).unwrap_or("without a name"));
        let map = Map { value: &value, of: &of };
        let (name, symbol) = (map.text(".name")?, map.text(".symbol")?);
        let (descriptor, descriptor_at, code_at) = descriptor(symbol, file, target)?;
        let required_group = match value.get(".reqd_workgroup_size") {
            None => None,
            Some(sizes) => Some(three(sizes).ok_or_else(|| map.wrong(".reqd_workgroup_size", "there must be three numbers of 32 bits"))?),
        };
        let arguments = value.get(".args").map_or(&[][..], MetadataValue::list);
        Ok(Self {
            name,
            symbol,
            target,
            descriptor,
            descriptor_at,
            code_at,
            arguments: arguments.iter().enumerate().map(|(at, value)| argument(name, at, value)).collect::<Result<_, _>>()?,
            kernarg_bytes: map.number(".kernarg_segment_size")?,
            kernarg_align: map.number(".kernarg_segment_align")?,
            wavefront_size: map.number(".wavefront_size")?,
            sgprs: map.number_or(".sgpr_count", 0)?,
            vgprs: map.number_or(".vgpr_count", 0)?,
            required_group,
            max_group: map.number(".max_flat_workgroup_size")?,
            metadata: value,
        })
    }
}

pub(super) fn three(value: &MetadataValue<'_>) -> Option<[u32; 3]> {
    let [x, y, z] = value.list() else { return None };
    let number = |value: &MetadataValue<'_>| u32::try_from(value.number()?).ok();
    Some([number(x)?, number(y)?, number(z)?])
}

fn argument<'a>(kernel: &str, at: usize, value: &MetadataValue<'a>) -> Result<KernelArgument<'a>, CodeObjectError> {
    let of = || format!("kernel {kernel}, argument {at}");
    let map = Map { value, of: &of };
    let name = value.get(".name").and_then(MetadataValue::text);
    Ok(KernelArgument { name, kind: map.text(".value_kind")?, offset: map.number(".offset")?, bytes: map.number(".size")? })
}

/// Returns the descriptor of a symbol, its offset, and the offset of its code.
fn descriptor(name: &str, file: &ElfFile<'_>, target: TargetId) -> Result<(KernelDescriptor, u64, u64), CodeObjectError> {
    let wrong = |why| CodeObjectError::Symbol { name: name.into(), why };
    let at = file.symbols.get(name).ok_or_else(|| wrong("there is no such symbol"))?.at.ok_or_else(|| wrong("it is not defined in this file"))?;
    if !at.is_multiple_of(KernelDescriptor::BYTES as u64) {
        return Err(wrong("a kernel descriptor is at a multiple of 64"));
    }
    let bytes = file.bytes(at).first_chunk().ok_or_else(|| wrong("the bytes of the descriptor are not in the file"))?;
    let descriptor = KernelDescriptor::from_bytes(bytes, target.processor);
    let code_at = at.checked_add_signed(descriptor.entry_offset).filter(|code| !file.bytes(*code).is_empty());
    let code_at = code_at.ok_or_else(|| wrong("kernel_code_entry_byte_offset (byte 16) leads out of the file"))?;
    if code_at % 256 != 0 {
        return Err(wrong("the code that kernel_code_entry_byte_offset (byte 16) names is not at a multiple of 256"));
    }
    Ok((descriptor, at, code_at))
}
