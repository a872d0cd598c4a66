//! Emits what packets do: the effects of each layout for each queue, everything that an opcode can do, and which packets set registers.

use super::Pool;
use super::rows::NamesRegister;
use crate::diag::{Diagnostic, Result};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::lower::effects::{Bits, Operand, Seen, seen};
use crate::model::packets::*;
use crate::model::registers::Database;
use std::fmt::Write;

/// The first byte address of each window.
const STARTS: [u32; 4] = [0x8000, 0xB000, 0x2_8000, 0x3_0000];
/// The crate's names of the windows.
const SPACES: [&str; 4] = ["Config", "Sh", "Context", "Uconfig"];

/// Returns the register that a field names, according to effects or the field itself.
pub fn register(packet: &Packet, field: &Field) -> NamesRegister {
    let named = packet.effects.iter().find_map(|effect| effect.does.names_register(&field.name)).or(field.register.map(|start| (start, false)));
    named.map(|(start, or_none)| (start.map_or(0, |window| STARTS[window]), or_none))
}

impl Pool<'_> {
    /// Returns the effects of a layout by queue, as a list of scopes and lists.
    pub fn effects(&mut self, database: &Database, packet: &Packet, form: &Form) -> String {
        let mut lists: Vec<(Scope, String)> = Vec::new();
        for view in seen(self.packets, database, packet).filter(|view| std::ptr::eq(view.form, form)) {
            // Unresolvable names have been reported by the checks.
            let mut rules = Vec::new();
            for effect in view.effects() {
                rules.extend(self.rule(&view, effect).ok().flatten());
            }
            let list = self.list("rule", &rules);
            match lists.iter_mut().find(|(_, other)| *other == list) {
                Some((scope, _)) => scope.0 |= view.scope.0,
                None => lists.push((view.scope, list)),
            }
        }
        let lists = lists.iter().map(|(scope, list)| format!("(Scope({:#x}), {list}), ", scope.0)).collect::<String>();
        format!("&[{lists}]")
    }

    /// Returns an effect as a value of `EffectRow`; None if it never takes place.
    fn rule(&mut self, view: &Seen<'_>, effect: &Effect) -> Result<Option<String>> {
        let Some(when) = view.when(&effect.when)? else { return Ok(None) };
        let when = self.conditions(&when);
        let does = self.does(view, &effect.does)?;
        let by = match (effect.by.or(view.packet.engine), view.when(&view.packet.pfp_when)?) {
            (Some(0), _) => "By::Pfp".to_owned(),
            (Some(_), _) | (None, None) => "By::Me".to_owned(),
            (None, Some(list)) if !view.packet.pfp_when.is_empty() => format!("By::Selected({})", self.conditions(&list)),
            // PFP executes what ME does not support.
            _ if view.scope.0 >> (4 * view.gfx) & 2 == 0 => "By::Pfp".to_owned(),
            _ => "By::Me".to_owned(),
        };
        let timing = ["Issue", "Pipe", "EndOfPipe", "Dma"][effect.timing];
        let at_once = match &effect.does {
            Does::Memory(used) => self.still(view, &used.at_once)?,
            _ => "None".to_owned(),
        };
        Ok(Some(format!("EffectRow {{ when: {when}, may: {}, by: {by}, timing: Timing::{timing}, at_once: {at_once}, does: {does} }}", effect.may)))
    }

    fn product(&mut self, view: &Seen<'_>, product: &Product) -> Result<String> {
        let (factor, operands) = view.product(product)?;
        let operands: Vec<String> = operands
            .iter()
            .map(|o| match o {
                Operand::Bits(b) => format!("Operand::Bits({})", at(*b)),
                Operand::IndexBytes => "Operand::IndexBytes".into(),
                Operand::RenderBackends => "Operand::RenderBackends".into(),
                Operand::Tail => "Operand::Tail".into(),
            })
            .collect();
        Ok(format!("Product {{ factor: {factor}, operands: {} }}", self.list("operand", &operands)))
    }

    fn option(&mut self, view: &Seen<'_>, product: Option<&Product>) -> Result<String> {
        Ok(match product {
            Some(product) => format!("Some({})", self.product(view, product)?),
            None => "None".into(),
        })
    }

    fn still(&mut self, view: &Seen<'_>, when: &[When]) -> Result<String> {
        Ok(match view.when(when)? {
            Some(list) if !when.is_empty() => format!("Some({})", self.conditions(&list)),
            _ => "None".into(),
        })
    }

    fn places(&mut self, view: &Seen<'_>, names: &[crate::input::Text]) -> Result<String> {
        let mut list = Vec::new();
        for name in names {
            list.push(at(view.text(name)?));
        }
        Ok(self.list("at", &list))
    }

    fn does(&mut self, view: &Seen<'_>, does: &Does) -> Result<String> {
        let start = |start: &Start| start.map_or("None".to_owned(), |window| format!("Some({:#x})", STARTS[window]));
        let field = |name: &crate::input::Text| view.text(name).map(at);
        Ok(match does {
            Does::Set { start: from, at: to, values, count, dwords, still } => {
                let count = count.as_ref().map(|c| field(c).map(|c| format!("Some({c})"))).transpose()?.unwrap_or("None".into());
                format!(
                    "Does::Set {{ start: {}, at: {}, values: {}, count: {count}, dwords: {}, still: {} }}",
                    start(from),
                    self.places(view, to)?,
                    self.places(view, values)?,
                    self.option(view, dwords.as_ref())?,
                    self.still(view, still)?
                )
            }
            Does::Named { register, value } => {
                let value = value.as_ref().map(|v| field(v).map(|v| format!("Some({v})"))).transpose()?.unwrap_or("None".into());
                format!("Does::Named {{ addr: {:#x}, value: {value} }}", view.register(register)?)
            }
            Does::Modify { start: from, at: to, mask, keeps, value } => {
                format!("Does::Modify {{ start: {}, at: {}, mask: {}, keeps: {keeps}, value: {} }}", start(from), field(to)?, field(mask)?, field(value)?)
            }
            Does::Load { start: begin, at: to, dwords, from, image } => {
                let from = from.as_ref().map(|from| location(view, from)).transpose()?.unwrap_or("Place::Unknown".into());
                format!("Does::Load {{ start: {}, at: {}, dwords: {}, from: {from}, image: {image} }}", start(begin), field(to)?, self.product(view, dwords)?)
            }
            Does::Sgprs { at: to, dwords } => format!("Does::Sgprs {{ at: {}, dwords: {dwords} }}", field(to)?),
            Does::Unknown { windows } => {
                let mut spaces = Vec::new();
                for (bit, space) in SPACES.iter().enumerate() {
                    if windows >> bit & 1 == 1 {
                        spaces.push(format!("Space::{space}"));
                    }
                }
                format!("Does::Windows(&[{}])", spaces.join(", "))
            }
            Does::Anywhere => {
                let nothing = self.list("operand", &[]);
                let bytes = format!("Product {{ factor: 1, operands: {nothing} }}");
                format!("Does::Memory {{ write: true, at: Place::Unknown, plus: None, bytes: {bytes}, each: None, data: None, still: None }}")
            }
            Does::Everything => "Does::Everything".into(),
            Does::Memory(used) => {
                let each = match &used.each {
                    Some((count, stride)) => format!("Some(({}, {}))", self.product(view, count)?, self.product(view, stride)?),
                    None => "None".into(),
                };
                let data = used.data.as_ref().map(|name| data(view, name).map(|d| format!("Some({d})"))).transpose()?.unwrap_or("None".into());
                format!(
                    "Does::Memory {{ write: {}, at: {}, plus: {}, bytes: {}, each: {each}, data: {data}, still: {} }}",
                    used.write,
                    location(view, &used.at)?,
                    self.option(view, used.plus.as_ref())?,
                    self.product(view, &used.bytes)?,
                    self.still(view, &used.still)?
                )
            }
            Does::Run { at: to, dwords, last } => {
                let (lo, hi) = address(view, to)?;
                format!("Does::Run {{ at: ({lo}, {hi}), dwords: {}, last: {last} }}", self.product(view, dwords)?)
            }
            Does::Skip { dwords } => format!("Does::Skip {{ dwords: {} }}", self.product(view, dwords)?),
            Does::Base { index, value } => {
                let (lo, hi) = address(view, value)?;
                format!("Does::Base {{ index: {}, at: ({lo}, {hi}) }}", field(index)?)
            }
            Does::Rolls => "Does::Rolls".into(),
            Does::Waits => "Does::Waits".into(),
        })
    }
}

fn at(bits: Bits) -> String {
    format!("At {{ dword: {}, lo: {}, hi: {} }}", bits.dword, bits.lo, bits.hi)
}

fn address(view: &Seen<'_>, name: &crate::input::Text) -> Result<(String, String)> {
    let whole = view.address(name)?;
    let (lo, hi) = view.halves(whole)?;
    let hi = hi.unwrap_or(lo);
    // Bits above those of the address do not count; 48-bit addresses repeat their highest bit.
    let top = whole.address.filter(|limits| limits.bits < 48).map_or(hi.hi, |limits| hi.hi.min(hi.lo + (limits.bits - 33) as u8));
    Ok((at(lo), at(Bits { hi: top, ..hi })))
}

fn location(view: &Seen<'_>, place: &Location) -> Result<String> {
    Ok(match place {
        Location::Address(name) => {
            let (lo, hi) = address(view, name)?;
            format!("Place::Address({lo}, {hi})")
        }
        Location::Base { index, offset } => format!("Place::Base({index}, {})", at(view.text(offset)?)),
        Location::Unnamed => "Place::Unknown".into(),
    })
}

/// Returns the data of a write: a field, or two halves declared as one value.
fn data(view: &Seen<'_>, name: &crate::input::Text) -> Result<String> {
    match view.packet.split_values.iter().find(|w| w.name.text == name.text && w.address.is_none()) {
        Some(whole) => {
            let (lo, hi) = view.halves(whole)?;
            Ok(format!("({}, {})", at(lo), hi.map_or("None".into(), |hi| format!("Some(({}, {}))", at(hi), whole.shift))))
        }
        None => Ok(format!("({}, None)", at(view.text(name)?))),
    }
}

/// Returns everything that prevents effects from being resolved.
pub fn mistakes(packets: &Packets, database: &Database) -> Vec<Box<Diagnostic>> {
    let mut pool = Pool::new(packets, database);
    let mut found: Vec<Box<Diagnostic>> = Vec::new();
    for packet in &packets.packets {
        let mut happens = vec![false; packet.effects.len()];
        for view in seen(packets, database, packet) {
            for (effect, happens) in packet.effects.iter().zip(&mut happens).filter(|(effect, _)| effect.scope.intersects(view.scope)) {
                let error = match pool.rule(&view, effect) {
                    Ok(rule) => {
                        *happens |= rule.is_some();
                        continue;
                    }
                    Err(error) => error,
                };
                *happens = true;
                // Each mistake is reported once for all generations and queues.
                if !found.iter().any(|other| other.at.file == error.at.file && other.at.range == error.at.range) {
                    found.push(error);
                }
            }
        }
        for effect in packet.effects.iter().zip(happens).filter(|(_, happens)| !happens).map(|(effect, _)| effect) {
            let text = format!("no engine that reads {} has this effect", packet.name);
            found.push(Diagnostic::new(effect.span.clone(), text).help("check its `gfx`, its `engines`, and the fields of its `when`"));
        }
    }
    found
}

/// Bits of `EffectKinds`.
const REGISTERS: u32 = 1;
const STATE: u32 = 1 << 1;
const SETS_ONLY: u32 = 1 << 2;
const ROLLS: u32 = 1 << 3;
const RUNS: u32 = 1 << 4;
const SKIPS: u32 = 1 << 5;
const READS: u32 = 1 << 6;
const WRITES: u32 = 1 << 7;
const WAITS: u32 = 1 << 8;
const DRAW: u32 = 1 << 9;
const DISPATCH: u32 = 1 << 10;
const SETS_A_RUN: u32 = 1 << 11;
const SETS_A_LIST: u32 = 1 << 12;
const ADDRESSES: u32 = 1 << 13;
const SETS_PACKED: u32 = 1 << 14;
const INDEXED: u32 = 1 << 15;
const LOADS: u32 = 1 << 16;
const LOADS_IF_ENABLED: u32 = 1 << 17;
const EVERYTHING: u32 = 1 << 18;
/// A packet without a description may do anything.
const ANYTHING: u32 = REGISTERS | STATE | ROLLS | RUNS | SKIPS | READS | WRITES | WAITS | EVERYTHING;

/// The window of the context registers, as an index into [`STARTS`].
const CONTEXT: usize = 2;

/// If a packet only sets registers of one window, returns the window and the method: 1 a run, 2 pairs, 3 packed pairs.
fn sets(view: &Seen<'_>) -> Option<(usize, u8)> {
    let mut effects = view.effects();
    let (only, None) = (effects.next()?, effects.next()) else { return None };
    match &only.does {
        Does::Set { start: Some(window), at, values, dwords: None, .. } if !values.is_empty() && only.when.is_empty() && !only.may => {
            let first = view.text(&at[0]).ok()?;
            let shape = match (at.len(), view.repeats(first)) {
                (1, false) => 1,
                (1, true) => 2,
                _ => 3,
            };
            Some((*window, shape))
        }
        _ => None,
    }
}

const fn work_bits(work: Work) -> u32 {
    match work {
        Work::None => 0,
        Work::Draw => DRAW,
        Work::IndexedDraw => DRAW | INDEXED,
        Work::Dispatch => DISPATCH,
    }
}

fn kinds(view: &Seen<'_>) -> u32 {
    // It must be certain that indices are read.
    let bits = |starts: &Starts| if starts.when.is_empty() { work_bits(starts.work) } else { work_bits(starts.work) & !INDEXED };
    let work = view.packet.work.iter().filter(|starts| starts.scope.intersects(view.scope)).fold(0, |all, starts| all | bits(starts));
    let set = match sets(view) {
        Some((_, 1)) => SETS_ONLY | SETS_A_RUN,
        Some((_, 2)) => SETS_ONLY | SETS_A_LIST,
        Some(_) => SETS_ONLY | SETS_A_LIST | SETS_PACKED,
        None => 0,
    };
    let context = |window: Option<usize>| if window.is_none_or(|w| w == CONTEXT) { REGISTERS | ROLLS } else { REGISTERS };
    let addressed = view.packet.split_values.iter().any(|w| w.address.is_some() && w.lo.iter().any(|lo| view.find(&lo.text).is_some()));
    view.effects().fold(work | set | if addressed { ADDRESSES } else { 0 }, |all, effect| {
        all | match &effect.does {
            Does::Set { start, .. } | Does::Modify { start, .. } => context(*start),
            Does::Load { start, .. } => context(*start) | READS | LOADS | if effect.may { LOADS_IF_ENABLED } else { 0 },
            Does::Unknown { windows } => REGISTERS | if windows >> CONTEXT & 1 == 1 { ROLLS } else { 0 },
            // SGPRs of arguments may be any SH registers.
            Does::Sgprs { .. } => REGISTERS,
            Does::Named { .. } => STATE,
            Does::Anywhere => WRITES,
            Does::Everything => REGISTERS | STATE | ROLLS | READS | WRITES | EVERYTHING,
            Does::Memory(used) if used.write => WRITES,
            Does::Memory(_) => READS,
            Does::Run { .. } => RUNS | REGISTERS | STATE | ROLLS | READS,
            Does::Skip { .. } => SKIPS,
            Does::Rolls => ROLLS,
            Does::Waits => WAITS,
            Does::Base { .. } => 0,
        }
    })
}

/// Returns the tables by opcode: what packets can do, which of them set registers, and which have no layout.
pub fn tables(packets: &Packets, database: &Database, enabled: GfxSet) -> String {
    let mut kinds_of = [[ANYTHING; 256]; GENERATIONS.len()];
    let mut sets_of = [[0u8; 256]; GENERATIONS.len()];
    for (gfx, row) in kinds_of.iter_mut().enumerate() {
        for bare in packets.opcodes.iter().filter(|o| o.gfx.has(gfx)) {
            if let Some(Bare { work, touches, .. }) = bare.bare {
                let touched = match touches {
                    Touches::Nothing => 0,
                    Touches::Registers => REGISTERS | STATE | ROLLS,
                    Touches::Memory => READS | WRITES,
                    Touches::Everything => ANYTHING,
                };
                row[usize::from(bare.value)] = touched | work_bits(work);
            }
        }
    }
    let mut described = [[false; 256]; GENERATIONS.len()];
    for packet in &packets.packets {
        for view in seen(packets, database, packet) {
            let Some(opcode) = packet.opcodes.iter().find(|(set, _)| set.has(view.gfx)).map(|o| usize::from(o.1)) else { continue };
            let row = &mut kinds_of[view.gfx][opcode];
            // Two packets may share an opcode, and layouts differ by queue.
            *row = if std::mem::replace(&mut described[view.gfx][opcode], true) { *row | kinds(&view) } else { kinds(&view) };
            if let Some((window, shape)) = sets(&view) {
                sets_of[view.gfx][opcode] = 1 + (window as u8) * 3 + shape - 1;
            }
        }
    }
    for gfx in (0..GENERATIONS.len()).filter(|gfx| !enabled.has(*gfx)) {
        (kinds_of[gfx], sets_of[gfx]) = ([0; 256], [0; 256]);
    }
    let mut out = format!(
        "pub(in crate::packet) static EFFECT_KINDS: [[u32; 256]; 6] = {kinds_of:?};\npub(in crate::packet) static SETS: [[u8; 256]; 6] = {sets_of:?};\n"
    );
    out.push_str("pub(in crate::packet) static BARE: &[(u8, u8, Touches)] = &[\n");
    for o in &packets.opcodes {
        if let Some(bare) = o.bare {
            writeln!(out, "({:#x}, {:#x}, Touches::{:?}),", o.value, o.gfx.and(enabled).0, bare.touches).unwrap_or_default();
        }
    }
    out.push_str("];\n");
    let mut named: Vec<(u32, GfxSet)> = Vec::new();
    for view in packets.packets.iter().flat_map(|packet| seen(packets, database, packet)).filter(|view| enabled.has(view.gfx)) {
        for addr in view.effects().filter_map(|effect| if let Does::Named { register, .. } = &effect.does { view.register(register).ok() } else { None }) {
            match named.iter_mut().find(|(known, _)| *known == addr) {
                Some((_, set)) => *set = set.or(GfxSet::only(view.gfx)),
                None => named.push((addr, GfxSet::only(view.gfx))),
            }
        }
    }
    named.sort();
    let named: String = named.iter().map(|(addr, set)| format!("({addr:#x}, {:#x}), ", set.0)).collect();
    writeln!(out, "pub(in crate::packet) static STATE_REGISTERS: &[(u32, u8)] = &[{named}];").unwrap_or_default();
    out
}
