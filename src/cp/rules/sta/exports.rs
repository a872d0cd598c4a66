//! What stages pass on: parameters to the pixel shader, colours to the targets.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::sta::programs::has_program;
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::regs::lookup;
use alloc::format;
use alloc::vec::Vec;

pub(super) const PARAMETERS: Rule = Rule::new(
    "STA-51",
    Severity::Warning,
    ChipScope::All,
    "pixel shader reads a parameter that no stage exports",
    "Input n of the pixel shader reads the parameter SPI_PS_INPUT_CNTL_n.OFFSET of the stage before it, unless OFFSET is 32 or more (a constant) or a point sprite \
     takes its place. That stage exports VS_EXPORT_COUNT + 1 parameters, none with NO_PC_EXPORT (SPI_VS_OUT_CONFIG; on GFX12 \
     SPI_SHADER_GS_OUT_CONFIG_PS). Others are not in the parameter cache: the shader interpolates what is there. Parameters of primitives count as exported. \
     Where NUM_INTERP is 0 and an input has been written for the draw it has severity info: no register shows whether the shader reads it.",
    "no source states it; it follows from what the packet or field does",
    Judge::Draw(parameters),
)
.on_pixels();

/// An OFFSET of at least this value means that the input reads a constant.
const CONSTANT: u32 = 0x20;

/// Bits of SPI_PS_INPUT_CNTL_0 to 31: OFFSET, PRIM_ATTR (from GFX11 on) and PT_SPRITE_TEX.
const OFFSET: u32 = 0x3F;
const OF_PRIMITIVE: u32 = 1 << 12;
const POINT_SPRITE: u32 = 1 << 17;

/// Returns a field of either of two registers.
fn either(view: &DrawView<'_>, registers: [&str; 2], field: &str) -> Option<FieldState> {
    registers.into_iter().find_map(|register| view.field(register, field))
}

fn parameters(view: &DrawView<'_>) -> Option<Verdict> {
    const OUT: [&str; 2] = ["SPI_SHADER_GS_OUT_CONFIG_PS", "SPI_VS_OUT_CONFIG"];
    let inputs = either(view, ["SPI_SHADER_GS_OUT_CONFIG_PS", "SPI_PS_IN_CONTROL"], "NUM_INTERP").filter(|inputs| inputs.origin.is_some())?;
    let count = either(view, OUT, "VS_EXPORT_COUNT").filter(|count| count.origin.is_some())?;
    if !has_program(view, "SPI_SHADER_PGM_LO_PS") {
        return None;
    }
    let first = view.register("SPI_PS_INPUT_CNTL_0")?.addr();
    if !inputs.is_set() {
        return unread(view, &inputs, first);
    }
    let none = either(view, OUT, "NO_PC_EXPORT").filter(FieldState::is_set);
    let of_primitives = either(view, OUT, "PRIM_EXPORT_COUNT").map_or(0, |count| count.value());
    let exported = if none.is_some() { 0 } else { count.value() + 1 } + of_primitives;
    let primitive = if view.gfx().major() >= 11 { OF_PRIMITIVE } else { 0 };
    let beyond = |input: &u32| {
        let word = view.value(first + 4 * input).unwrap_or(CONSTANT);
        let offset = word & OFFSET;
        (offset < CONSTANT && offset >= exported && word & (POINT_SPRITE | primitive) == 0).then_some(offset)
    };
    let (input, offset) = (0..inputs.value().min(32)).find_map(|input| Some((input, beyond(&input)?)))?;
    let cause = none.unwrap_or(count);
    Some(
        Verdict::new(format!("input {input} of the pixel shader reads parameter {offset}, and the stage before it exports {exported}"))
            .at(&cause)
            .because(&inputs)
            .register_of(view, &format!("SPI_PS_INPUT_CNTL_{input}"))
            .help("export the parameter, or give the input one that is exported (OFFSET), or a constant (OFFSET 32)"),
    )
}

/// Judges a NUM_INTERP of 0 although an input was written since the last draw.
fn unread(view: &DrawView<'_>, inputs: &FieldState, first: u32) -> Option<Verdict> {
    let of_primitives = either(view, ["SPI_SHADER_GS_OUT_CONFIG_PS", "SPI_PS_IN_CONTROL"], "NUM_PRIM_INTERP").is_some_and(|inputs| inputs.is_set());
    let reads = view.value(first).is_some_and(|word| word & OFFSET < CONSTANT);
    (!of_primitives && reads && view.changed_context().any(|addr| addr == first)).then(|| {
        Verdict::new("SPI_PS_INPUT_CNTL_0 has been written for this draw, and NUM_INTERP is 0: the pixel shader gets no parameter")
            .severity(Severity::Info)
            .at(inputs)
            .register_of(view, "SPI_PS_INPUT_CNTL_0")
            .help("write the number of interpolated inputs to NUM_INTERP, if the shader has some")
    })
}

pub(super) const EXPORT_TYPE: Rule = Rule::new(
    "STA-52",
    Severity::Warning,
    ChipScope::All,
    "pixel shader exports integers to a target of numbers, or the reverse",
    "SPI_SHADER_COL_FORMAT has the format of each colour that the shader exports, without holes: the first one belongs to the first target of \
     CB_SHADER_MASK. Integers (UINT16, SINT16) belong to targets of integers, and UNORM16, SNORM16 and FP16 to the others: the colour block misinterprets \
     the bits. 32-bit exports fit both. The rule applies only if CB_COLOR_CONTROL.MODE is normal and each export has a target.",
    "no source states it; it follows from what the packet or field does; Mesa 25.0.7 ac_choose_spi_color_formats for the formats of drivers",
    Judge::Draw(export_type),
)
.on_pixels();

pub(super) const NO_EXPORT: Rule = Rule::new(
    "STA-53",
    Severity::Warning,
    ChipScope::All,
    "colour target is written, and the pixel shader exports nothing",
    "CB_TARGET_MASK and CB_SHADER_MASK name a bound target, and SPI_SHADER_COL_FORMAT has no export: nothing reaches the target. A CB_SHADER_MASK of 0, \
     with CB_TARGET_MASK set, has severity info: the shader may store by other means, and drivers leave CB_TARGET_MASK set then.",
    "no source states it; it follows from what the packet or field does",
    Judge::Draw(no_export),
)
.on_pixels();

/// CB_COLOR_CONTROL.MODE of draws that write colours: CB_NORMAL.
const NORMAL: u32 = 1;

/// Returns the number type of a bound colour target that CB_TARGET_MASK lets the draw write.
fn target(view: &DrawView<'_>, target: u32, mask: u32) -> Option<FieldState> {
    let first = view.register("CB_COLOR0_INFO")?;
    let register = lookup(view.gfx(), first.addr() + target * first.info().stride)?;
    let word = view.value(register.addr()).filter(|_| mask >> (4 * target) & 0xF != 0)?;
    first.info().field("FORMAT").filter(|format| format.get(word) != 0)?;
    Some(FieldState { register, field: first.info().field("NUMBER_TYPE")?, word, origin: view.teller(register.addr()) })
}

/// What a draw writes to its colour targets, if completely known: CB_TARGET_MASK, CB_SHADER_MASK and SPI_SHADER_COL_FORMAT.
struct Colors {
    targets: u32,
    exports: FieldState,
    formats: FieldState,
}

impl Colors {
    fn of(view: &DrawView<'_>) -> Option<Self> {
        view.field("CB_COLOR_CONTROL", "MODE").filter(|mode| mode.value() == NORMAL)?;
        let exports = view.field("CB_SHADER_MASK", "OUTPUT0_ENABLE").filter(|exports| exports.origin.is_some())?;
        let formats = view.field("SPI_SHADER_COL_FORMAT", "COL0_EXPORT_FORMAT").filter(|formats| formats.origin.is_some())?;
        let targets = view.value(view.register("CB_TARGET_MASK")?.addr())?;
        has_program(view, "SPI_SHADER_PGM_LO_PS").then_some(Self { targets, exports, formats })
    }
}

/// Returns whether an SPI_SHADER_EX_FORMAT exports integers; None if the bits may be either.
fn exports_integers(format: u32) -> Option<bool> {
    match format {
        4..=6 => Some(false),
        7 | 8 => Some(true),
        _ => None,
    }
}

/// Returns whether a SurfaceNumber is UINT or SINT.
fn holds_integers(number: u32) -> bool {
    matches!(number, 4 | 5)
}

fn nibbles(word: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..8).map(move |place| (place, word >> (4 * place) & 0xF)).filter(|(_, nibble)| *nibble != 0)
}

fn export_type(view: &DrawView<'_>) -> Option<Verdict> {
    let colors = Colors::of(view)?;
    let formats: Vec<(u32, u32)> = nibbles(colors.formats.word).collect();
    let exported: Vec<u32> = nibbles(colors.exports.word).map(|(target, _)| target).collect();
    if formats.len() != exported.len() {
        return None;
    }
    formats.iter().zip(exported).find_map(|((place, format), number)| {
        let integers = exports_integers(*format)?;
        let state = target(view, number, colors.targets)?;
        (integers != holds_integers(state.value())).then(|| {
            let name = |state: &FieldState| state.field.name_of(state.value()).unwrap_or("unknown");
            let field = view.register("SPI_SHADER_COL_FORMAT").and_then(|register| register.info().field(&format!("COL{place}_EXPORT_FORMAT")));
            let export = FieldState { field: field.unwrap_or(colors.formats.field), ..colors.formats };
            Verdict::new(format!("the shader exports {} to target {number}, which holds {}: the bits are taken for another type", name(&export), name(&state)))
                .at(&export)
                .because(&state)
                .help("export in a format of the target's type, or one of 32 bits")
        })
    })
}

fn no_export(view: &DrawView<'_>) -> Option<Verdict> {
    let colors = Colors::of(view)?;
    let (exports, formats) = (colors.exports.word, colors.formats.word);
    let written = if exports == 0 { colors.targets } else { colors.targets & exports };
    let (number, _) = nibbles(written).find(|(number, _)| target(view, *number, written).is_some())?;
    let verdict = |text| Verdict::new(text).because(&colors.exports).because(&colors.formats);
    match (exports, formats) {
        (0, _) => Some(
            verdict(format!("target {number} is bound and CB_TARGET_MASK lets it be written, but CB_SHADER_MASK is 0: nothing reaches it"))
                .severity(Severity::Info)
                .register("CB_SHADER_MASK")
                .help("write the components that the shader exports to CB_SHADER_MASK, if it exports some"),
        ),
        (_, 0) => Some(
            verdict(format!("target {number} is written by its masks, but SPI_SHADER_COL_FORMAT is 0: the shader exports nothing to it"))
                .register("SPI_SHADER_COL_FORMAT")
                .help("write the format of the export, or 0 to CB_SHADER_MASK"),
        ),
        _ => None,
    }
}
