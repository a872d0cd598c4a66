//! PAL metadata: the registers and stages of a pipeline. The metadata identifies registers by number, or by name from version 3 on; both are read into one map.

use super::elf_file::ElfFile;
use super::error::CodeObjectError;
use super::kernel::three;
use super::msgpack::MetadataValue;
use super::pal_names::{self, Named, PalRegister};
use super::processor::TargetId;
use crate::chip::Gfx;
use crate::draw::Stage;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use strum::{Display, EnumIter, IntoEnumIterator, IntoStaticStr};

/// A hardware stage, as named by PAL metadata.
///
/// For an example, see [`PalPipeline`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumIter, IntoStaticStr)]
pub enum HardwareStage {
    /// Vertex work before tessellation; merged into the next stage from GFX9 on.
    #[strum(to_string = ".ls")]
    Ls,
    /// Hull stage.
    #[strum(to_string = ".hs")]
    Hs,
    /// Vertex work before a geometry shader; merged into the next stage from GFX9 on.
    #[strum(to_string = ".es")]
    Es,
    /// Geometry stage; with NGG, all vertex work.
    #[strum(to_string = ".gs")]
    Gs,
    /// Hardware VS.
    #[strum(to_string = ".vs")]
    Vs,
    /// Pixel shader.
    #[strum(to_string = ".ps")]
    Ps,
    /// Compute.
    #[strum(to_string = ".cs")]
    Cs,
}

impl HardwareStage {
    /// Returns the stage if it has user data registers of its own.
    const fn stage(self) -> Option<Stage> {
        match self {
            Self::Hs => Some(Stage::Hull),
            Self::Gs => Some(Stage::Geometry),
            Self::Vs => Some(Stage::Vertex),
            Self::Ps => Some(Stage::Pixel),
            Self::Cs => Some(Stage::Compute),
            Self::Ls | Self::Es => None,
        }
    }
}

/// A stage of a pipeline.
///
/// For an example, see [`PalPipeline`].
#[derive(Debug, Clone, PartialEq)]
pub struct PalStage<'a> {
    /// The hardware stage.
    pub stage: HardwareStage,
    /// The symbol of its code.
    pub symbol: &'a str,
    /// Offset of the code in the image in bytes; None if the file lacks the symbol.
    pub code_at: Option<u64>,
    /// Size of the code in bytes.
    pub code_bytes: u64,
    /// Scratch memory of a lane in bytes.
    pub scratch_bytes: u64,
    /// Wave size in lanes; None if the metadata does not state it: from version 3 on, LLVM leaves the wave size to its caller.
    pub wavefront_size: Option<u64>,
    /// Work-items per workgroup.
    pub group: Option<[u32; 3]>,
    /// The contents of user SGPRs, in PAL's codes: below 128, the number of a user data value; from 0x10000000 on, tables and special values.
    pub user_data: Vec<u32>,
    /// The complete metadata of the stage.
    pub metadata: MetadataValue<'a>,
}

/// A pipeline of a PAL code object.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/compute-gfx1100.elf"));
/// use pm4::chip::Chip;
/// use pm4::code_object::{CodeObject, HardwareStage};
/// let object = CodeObject::parse(file)?;
/// let pipeline = &object.pipelines[0];
/// let stage = pipeline.stage(HardwareStage::Cs).unwrap();
/// assert_eq!((stage.symbol, &stage.user_data[..]), ("fill", &[0, 1, 2][..]));
/// let dispatch = pipeline.compute(Chip::Navi31, 0x1_0000_0000)?;
/// assert_eq!((dispatch.group, dispatch.program.user_sgprs()), ([64, 1, 1], 3));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PalPipeline<'a> {
    /// The name, if it has one.
    pub name: Option<&'a str>,
    /// The target for which it is compiled.
    pub target: TargetId,
    /// The stages.
    pub stages: Vec<PalStage<'a>>,
    /// Registers by byte address. User data is in the stages.
    pub registers: BTreeMap<u32, PalRegister>,
    /// Register and field names, in metadata of version 3 on, that do not exist on the generation, with their values.
    pub unnamed: Vec<(String, MetadataValue<'a>)>,
    /// The complete metadata of the pipeline.
    pub metadata: MetadataValue<'a>,
}

impl<'a> PalPipeline<'a> {
    pub(super) fn read(value: &MetadataValue<'a>, file: &ElfFile<'a>, target: TargetId) -> Result<Self, CodeObjectError> {
        let wrong = |key, why| CodeObjectError::Metadata { of: "a pipeline".into(), key, why };
        let name = value.get(".name").and_then(MetadataValue::text);
        let gfx = target.processor.targets().iter().find_map(|target| target.chip()).map(|chip| chip.gfx());
        let mut named = Named::default();
        for (number, word) in value.get(".registers").map_or(&[][..], MetadataValue::entries) {
            let number = number.number().and_then(|number| u32::try_from(number).ok()?.checked_mul(4));
            let number = number.ok_or_else(|| wrong(".registers", "a key that is no number of a register"))?;
            let word = word.number().and_then(|word| u32::try_from(word).ok());
            let word = word.ok_or_else(|| wrong(".registers", "a value that is no number of 32 bits"))?;
            named.registers.insert(number, PalRegister::whole(word));
        }
        if let Some(gfx) = gfx {
            for key in [".graphics_registers", ".compute_registers"] {
                for (name, value) in value.get(key).map_or(&[][..], MetadataValue::entries) {
                    pal_names::register(gfx, name, value, &mut named);
                }
            }
        }
        let mut stages = Vec::new();
        for (key, value) in value.get(".hardware_stages").map_or(&[][..], MetadataValue::entries) {
            let stage = HardwareStage::iter().find(|stage| key.text() == Some((*stage).into()));
            let stage = stage.ok_or_else(|| wrong(".hardware_stages", "a key that is no hardware stage"))?;
            stages.push(PalStage::read(stage, value, file)?);
        }
        let mut pipeline = Self { name, target, stages, registers: named.registers, unnamed: named.unnamed, metadata: value.clone() };
        if let Some(gfx) = gfx {
            pipeline.take_user_data(gfx);
            pipeline.take_wave_sizes(gfx);
        }
        Ok(pipeline)
    }

    /// Returns a stage; None if the pipeline lacks it.
    pub fn stage(&self, stage: HardwareStage) -> Option<&PalStage<'a>> {
        self.stages.iter().find(|own| own.stage == stage)
    }

    /// Returns the value of a register by AMD's name; None if the metadata does not state it.
    pub fn register(&self, name: &str) -> Option<u32> {
        let gfx = self.target.processor.targets().iter().find_map(|target| target.chip())?.gfx();
        self.registers.get(&crate::regs::find(gfx, name)?.addr()).map(|register| register.word)
    }

    /// Moves user data of old metadata into the stages: its registers hold codes, not values.
    fn take_user_data(&mut self, gfx: Gfx) {
        for own in &mut self.stages {
            let Some(stage) = own.stage.stage() else { continue };
            for number in 0..stage.user_sgpr_limit() {
                let (at, unused) = (number as usize, u32::MAX);
                // NGG uses the registers of the geometry stage on generations that have both.
                let address = stage.user_data_address(gfx, number).or_else(|| Stage::Ngg.user_data_address(gfx, number));
                let Some(code) = address.and_then(|address| self.registers.remove(&address)) else { continue };
                own.user_data.resize((at + 1).max(own.user_data.len()), unused);
                own.user_data[at] = code.word;
            }
        }
    }

    /// Old metadata states wave sizes in registers: a set bit means 32 lanes.
    fn take_wave_sizes(&mut self, gfx: Gfx) {
        let fields = |stage| match stage {
            HardwareStage::Cs => Some(("COMPUTE_DISPATCH_INITIATOR", "CS_W32_EN")),
            HardwareStage::Ps => Some(("SPI_PS_IN_CONTROL", "PS_W32_EN")),
            HardwareStage::Gs => Some(("VGT_SHADER_STAGES_EN", "GS_W32_EN")),
            HardwareStage::Hs => Some(("VGT_SHADER_STAGES_EN", "HS_W32_EN")),
            HardwareStage::Vs => Some(("VGT_SHADER_STAGES_EN", "VS_W32_EN")),
            HardwareStage::Ls | HardwareStage::Es => None,
        };
        // Numbered registers are version 2. From version 3 on, the stage may state it.
        let numbered = !self.metadata.get(".registers").map_or(&[][..], MetadataValue::entries).is_empty();
        for stage in &mut self.stages {
            let Some((register, field)) = fields(stage.stage).filter(|_| stage.wavefront_size.is_none()) else { continue };
            let narrow = crate::regs::find(gfx, register).and_then(|found| {
                let word = self.registers.get(&found.addr())?;
                Some(found.info().field(field)?.get(word.word) != 0)
            });
            stage.wavefront_size = match narrow {
                Some(true) => Some(32),
                _ if numbered || gfx.major() == 9 => Some(64),
                _ => None,
            };
        }
    }
}

impl<'a> PalStage<'a> {
    fn read(stage: HardwareStage, value: &MetadataValue<'a>, file: &ElfFile<'a>) -> Result<Self, CodeObjectError> {
        let text = |key| value.get(key).and_then(MetadataValue::text);
        let number = |key| value.get(key).and_then(MetadataValue::number);
        let wrong = |key, why| CodeObjectError::Metadata { of: format!("stage {stage}"), key, why };
        let symbol = text(".entry_point_symbol").or_else(|| text(".entry_point")).ok_or_else(|| wrong(".entry_point", "there must be the name of a symbol"))?;
        let found = file.symbols.get(symbol);
        let group = match value.get(".threadgroup_dimensions") {
            None => None,
            Some(sizes) => Some(three(sizes).ok_or_else(|| wrong(".threadgroup_dimensions", "there must be three numbers of 32 bits"))?),
        };
        let code = |value: &MetadataValue<'a>| value.number().and_then(|code| u32::try_from(code).ok());
        let user_data: Option<Vec<u32>> = value.get(".user_data_reg_map").map_or(&[][..], MetadataValue::list).iter().map(code).collect();
        let mut user_data = user_data.ok_or_else(|| wrong(".user_data_reg_map", "a code that is no number of 32 bits"))?;
        while user_data.last() == Some(&u32::MAX) {
            user_data.pop();
        }
        Ok(Self {
            stage,
            symbol,
            code_at: found.and_then(|found| found.at),
            code_bytes: found.map_or(0, |found| found.size),
            scratch_bytes: number(".scratch_memory_size").unwrap_or(0),
            wavefront_size: number(".wavefront_size"),
            group,
            user_data,
            metadata: value.clone(),
        })
    }
}
