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
/// For an example see [the module](crate::code_object).
#[derive(Debug, Clone, PartialEq)]
pub struct CodeObject<'a> {
    /// What it is compiled for.
    pub target: TargetId,
    /// Its kernels (HSA), in the order of the metadata.
    pub kernels: Vec<Kernel<'a>>,
    /// Its pipelines (PAL).
    pub pipelines: Vec<PalPipeline<'a>>,
    /// All that the metadata says.
    pub metadata: MetadataValue<'a>,
    file: ElfFile<'a>,
}

impl<'a> CodeObject<'a> {
    /// Reads a code object: HSA's from V3 to V6 as they are linked, PAL's with metadata as MessagePack. Damage is an error; time and memory are bound by the size
    /// of the file.
    ///
    /// # Errors
    /// What of the file is not as it should be, and where.
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

    /// Version of the code object, 3 to 6 for HSA; None of PAL's.
    pub fn version(&self) -> Option<u8> {
        (!self.file.pal).then(|| self.file.abi + 2)
    }

    /// Returns the kernel of a name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel<'a>> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Bytes of the image.
    pub fn image_bytes(&self) -> u64 {
        self.file.size
    }

    /// Alignment of the image's address.
    pub fn image_align(&self) -> u64 {
        self.file.align
    }

    /// Returns the image as it is copied to an address of the GPU, with relocations applied.
    ///
    /// # Errors
    /// A relocation that cannot be applied: symbols of other files are not looked for.
    pub fn image(&self, address: u64) -> Result<Vec<u8>, CodeObjectError> {
        image::load(&self.file, address)
    }

    /// Where a symbol is in the image; None where it is not defined here.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.file.symbols.get(name)?.at
    }
}
