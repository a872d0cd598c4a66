//! Code objects.

use super::elf_file::ElfFile;
use super::error::CodeObjectError;
use super::kernel::Kernel;
use super::msgpack::{self, MetadataValue};
use super::processor::TargetId;
use super::{image, pal::PalPipeline};
use alloc::vec::Vec;

/// An ELF file that LLVM made for a GPU.
///
/// For an example, see [the module](crate::code_object).
#[derive(Debug, Clone, PartialEq)]
pub struct CodeObject<'a> {
    /// The target for which it is compiled.
    pub target: TargetId,
    /// The kernels (HSA), in metadata order.
    pub kernels: Vec<Kernel<'a>>,
    /// The pipelines (PAL).
    pub pipelines: Vec<PalPipeline<'a>>,
    /// The complete metadata.
    pub metadata: MetadataValue<'a>,
    file: ElfFile<'a>,
}

impl<'a> CodeObject<'a> {
    /// Reads a code object: linked HSA files, V3 to V6, and PAL files with MessagePack metadata. Damage is an error; time and memory are bounded by the size of
    /// the file.
    ///
    /// # Errors
    /// Returns an error that names the part of the file, its place, and what is wrong.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CodeObjectError> {
        let file = ElfFile::parse(bytes)?;
        let target = TargetId::of_flags(file.flags, if file.pal { 2 } else { file.abi })?;
        let metadata = msgpack::decode(file.metadata)?;
        let list = |key: &'static str| {
            let list = match metadata.get(key) {
                Some(MetadataValue::List(values)) => Some(&values[..]),
                _ => None,
            };
            list.ok_or(CodeObjectError::Metadata { of: "the code object".into(), key, why: "there must be a list" })
        };
        let (mut kernels, mut pipelines) = (Vec::new(), Vec::new());
        if file.pal {
            for value in list("amdpal.pipelines")? {
                pipelines.push(PalPipeline::read(value, &file, target)?);
            }
        } else {
            for value in list("amdhsa.kernels")? {
                kernels.push(Kernel::read(value.clone(), &file, target)?);
            }
        }
        Ok(Self { target, kernels, pipelines, metadata, file })
    }

    /// Returns the HSA code object version, 3 to 6; None for PAL.
    pub fn version(&self) -> Option<u8> {
        (!self.file.pal).then(|| self.file.abi + 2)
    }

    /// Returns the kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel<'a>> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Returns the size of the image in bytes.
    pub fn image_bytes(&self) -> u64 {
        self.file.size
    }

    /// Returns the required alignment of the image address in bytes.
    pub fn image_align(&self) -> u64 {
        self.file.align
    }

    /// Returns the image to copy to a GPU address, with relocations applied.
    ///
    /// # Errors
    /// Returns an error if a relocation cannot be applied: symbols of other files are not resolved.
    pub fn image(&self, address: u64) -> Result<Vec<u8>, CodeObjectError> {
        image::load(&self.file, address)
    }

    /// Returns the offset of a symbol in the image in bytes; None if it is not defined here.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.file.symbols.get(name)?.at
    }
}
