//! Names of registers and fields in PAL metadata from version 3 on (PAL 04/2025 g_palPipelineAbiMetadata.h), mapped to registers of a generation.

use super::msgpack::MetadataValue;
use crate::chip::Gfx;
use crate::regs::{self, FieldInfo, RegRef};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A register, as stated by metadata.
///
/// For an example, see [`PalPipeline`](crate::code_object::PalPipeline).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PalRegister {
    /// The value; bits that are not stated are 0.
    pub word: u32,
    /// The stated bits: all bits if the metadata identifies the register by number, those of the named fields otherwise.
    pub stated: u32,
}

impl PalRegister {
    /// Returns a register with all bits stated.
    pub const fn whole(word: u32) -> Self {
        Self { word, stated: u32::MAX }
    }
}

/// The result of mapping names.
#[derive(Default)]
pub(super) struct Named<'a> {
    /// Words by byte address.
    pub registers: BTreeMap<u32, PalRegister>,
    /// Names that could not be mapped, with their values.
    pub unnamed: Vec<(String, MetadataValue<'a>)>,
}

impl<'a> Named<'a> {
    /// Sets a field; returns false if the value does not fit.
    fn put(&mut self, register: RegRef, field: &FieldInfo, value: u32) -> bool {
        let (mask, shift) = (field.mask(), field.mask().trailing_zeros());
        let fits = value <= mask >> shift;
        if fits {
            let word = self.registers.entry(register.addr()).or_default();
            *word = PalRegister { word: word.word & !mask | value << shift, stated: word.stated | mask };
        }
        fits
    }

    fn leave(&mut self, name: String, value: &MetadataValue<'a>) {
        self.unnamed.push((name, value.clone()));
    }
}

/// Keys that denote a field, not a register.
const FIELDS: &[(&str, &str, &str)] = &[
    (".es_vgpr_comp_cnt", "SPI_SHADER_PGM_RSRC2_GS", "ES_VGPR_COMP_CNT"),
    (".gs_vgpr_comp_cnt", "SPI_SHADER_PGM_RSRC1_GS", "GS_VGPR_COMP_CNT"),
    (".hs_tg_size_en", "SPI_SHADER_PGM_RSRC2_HS", "TG_SIZE_EN"),
    (".ls_vgpr_comp_cnt", "SPI_SHADER_PGM_RSRC1_HS", "LS_VGPR_COMP_CNT"),
    (".max_verts_per_subgroup", "GE_MAX_OUTPUT_PER_SUBGROUP", "MAX_VERTS_PER_SUBGROUP"),
    (".ps_extra_lds_size", "SPI_SHADER_PGM_RSRC2_PS", "EXTRA_LDS_SIZE"),
    (".ps_iter_sample", "PA_SC_MODE_CNTL_1", "PS_ITER_SAMPLE"),
    (".ps_load_provoking_vtx", "SPI_SHADER_PGM_RSRC1_PS", "LOAD_PROVOKING_VTX"),
    (".ps_wave_cnt_en", "SPI_SHADER_PGM_RSRC2_PS", "WAVE_CNT_EN"),
    (".tg_size_en", "COMPUTE_PGM_RSRC2", "TG_SIZE_EN"),
    (".tgid_x_en", "COMPUTE_PGM_RSRC2", "TGID_X_EN"),
    (".tgid_y_en", "COMPUTE_PGM_RSRC2", "TGID_Y_EN"),
    (".tgid_z_en", "COMPUTE_PGM_RSRC2", "TGID_Z_EN"),
    (".tidig_comp_cnt", "COMPUTE_PGM_RSRC2", "TIDIG_COMP_CNT"),
    (".vs_so_base0_en", "SPI_SHADER_PGM_RSRC2_VS", "SO_BASE0_EN"),
    (".vs_so_base1_en", "SPI_SHADER_PGM_RSRC2_VS", "SO_BASE1_EN"),
    (".vs_so_base2_en", "SPI_SHADER_PGM_RSRC2_VS", "SO_BASE2_EN"),
    (".vs_so_base3_en", "SPI_SHADER_PGM_RSRC2_VS", "SO_BASE3_EN"),
    (".vs_streamout_en", "SPI_SHADER_PGM_RSRC2_VS", "SO_EN"),
    (".vs_vgpr_comp_cnt", "SPI_SHADER_PGM_RSRC1_VS", "VGPR_COMP_CNT"),
];

/// Registers whose fields are in another register on GFX12 (regdb/spi.toml).
const JOINED: &[(&str, &str)] = &[("SPI_PS_IN_CONTROL", "SPI_SHADER_GS_OUT_CONFIG_PS"), ("SPI_VS_OUT_CONFIG", "SPI_SHADER_GS_OUT_CONFIG_PS")];

/// Returns the register and field on a generation.
pub(super) fn field(gfx: Gfx, name: &str, field: &str) -> Option<(RegRef, &'static FieldInfo)> {
    let joined = JOINED.iter().filter(|(own, _)| *own == name).map(|(_, joined)| *joined);
    [name].into_iter().chain(joined).filter_map(|name| regs::find(gfx, name)).find_map(|register| {
        let found = register.fields().iter().find(|own| same(own.name, field))?;
        Some((register, found))
    })
}

/// Maps a key to its register or field.
pub(super) fn register<'a>(gfx: Gfx, key: &MetadataValue<'a>, value: &MetadataValue<'a>, to: &mut Named<'a>) {
    let Some(key) = key.text() else { return to.leave("a key that is no text".into(), value) };
    if let Some((_, register, field)) = FIELDS.iter().find(|(own, ..)| *own == key) {
        let found = regs::find(gfx, register).and_then(|found| Some((found, found.info().field(field)?)));
        return match (found, word(value)) {
            (Some((register, field)), Some(word)) if to.put(register, field, word) => {}
            _ => to.leave(key.into(), value),
        };
    }
    let name = key.trim_start_matches('.').to_ascii_uppercase();
    match value {
        // A file may contain long names: format one per element only if it is a register.
        MetadataValue::List(elements) if regs::find(gfx, &format!("{name}_0")).is_some() => {
            for (at, element) in elements.iter().enumerate() {
                one(gfx, &format!("{name}_{at}"), &format!("{key}[{at}]"), element, to);
            }
        }
        _ => one(gfx, &name, key, value, to),
    }
}

/// Maps a register, given as a word or as a map of its fields.
fn one<'a>(gfx: Gfx, name: &str, key: &str, value: &MetadataValue<'a>, to: &mut Named<'a>) {
    let own = regs::find(gfx, name);
    match (own, value, word(value)) {
        (Some(register), _, Some(word)) => {
            to.registers.insert(register.addr(), PalRegister::whole(word));
        }
        (_, MetadataValue::Map(fields), _) if own.is_some() || JOINED.iter().any(|(own, _)| *own == name) => {
            for (field_key, value) in fields {
                let field_key = field_key.text().unwrap_or("a key that is no text");
                match (field(gfx, name, field_key.trim_start_matches('.')), word(value)) {
                    (Some((register, field)), Some(word)) if to.put(register, field, word) => {}
                    _ => to.leave(format!("{key}{field_key}"), value),
                }
            }
        }
        _ => to.leave(key.into(), value),
    }
}

fn word(value: &MetadataValue<'_>) -> Option<u32> {
    u32::try_from(value.number()?).ok()
}

/// Returns whether names differ only in case and underscores: `.col_0_export_format` is COL0_EXPORT_FORMAT.
fn same(name: &str, key: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_uppercase())
    }
    letters(name).eq(letters(key))
}
