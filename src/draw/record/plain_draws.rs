//! The fast path: a draw after a plain draw writes its packet and the changes since then.
//!
//! A draw is plain if no workaround looks at it and its call puts nothing but base vertex, first instance and the number of instances into registers. Checks
//! that a previous draw on the [careful path](crate::draw::record::draws) has made are not repeated. Everything is written into memory that is requested once.
//! All other draws are left to the careful path.
//!
//! This is the only file of the recorder that is optimized for speed first. The measures, with the instructions per draw that they save where counted:
//!
//! * `inline(always)`: the steps of a draw are a few instructions each, and the output position ([`Direct`]) stays in CPU registers only if no call takes its
//!   address.
//! * Changed parts as a constant (`PARTS`): the most frequent changes have separate functions, which do not check the other parts.
//! * Register slots as constants (`view_slots!`): no bounds checks are needed.
//! * An unchanged depth range is not computed again, even on GFX12, where its registers directly follow the transform: 15 of 445 instructions.
//! * Numbers that were stored one by one are compared and copied one by one: a wider read waits until all of them are in the cache, which takes three times as
//!   long as all work on them.

use crate::chip::Erratum;
use crate::draw::decide::viewport::{self, ViewSlots, view_slots};
use crate::draw::desc::dynamic::user_data_of;
use crate::draw::desc::{DrawCall, IndexBuffer, Indices, Instances, Rect, Stage, StencilValues, Vertices, Viewport, numbers};
use crate::draw::record::call_state::CallState;
use crate::draw::record::changes::{Changes, TESTS, VIEW, VIEWPORTS, values};
use crate::draw::record::error::RecordError;
use crate::draw::record::order::{DrawSteps, write_draw};
use crate::draw::record::recorder::Recorder;
use crate::draw::record::registers::Registers;
use crate::draw::record::runs::Runs;
use crate::draw::state::joined::parts;
use crate::packet::layouts::DrawInitiator;
use crate::packet::{Buffer, Direct, SetPacket, counted_draw, indexed_draw, instances_packet};
use core::convert::Infallible;
use core::slice;

/// Dwords of the packet of the number of instances.
const INSTANCES: usize = 2;
/// Dwords of first instance, base vertex and the width of indices.
const NUMBERS: usize = 3 * 3;

/// Dwords of a scissor; of the one viewport with its scissor, depth range and the guard band; of all other state but user data; of all with several viewports.
const SCISSOR: usize = 4;
const ONE_VIEWPORT: usize = SCISSOR + (2 + 6) + (2 + 2) + (2 + 4);
const TESTS_DWORDS: usize = 32;
const SEVERAL_VIEWPORTS: usize = ONE_VIEWPORT + TESTS_DWORDS + 12 * VIEWPORTS;

/// Maximum number of dwords of a draw after its state.
const AFTER_STATE: usize = INSTANCES + NUMBERS + Indexed::DWORDS;

/// The packet of a plain draw before assembly: its words go from CPU registers into the stream. If they were stored in an array first, they would be read back
/// in wider pieces than they were stored in, which takes longer than everything else.
trait DrawPacket: Copy {
    const DWORDS: usize;

    fn write(self, predicate: bool, direct: &mut Direct<'_>);
}

/// A number of vertices without indices.
#[derive(Clone, Copy)]
struct Counted(u32);

/// Indexed vertices.
#[derive(Clone, Copy)]
struct Indexed {
    addr: u64,
    size: u32,
    count: u32,
}

impl DrawPacket for Counted {
    const DWORDS: usize = 3;

    #[inline(always)]
    fn write(self, predicate: bool, direct: &mut Direct<'_>) {
        direct.packet(counted_draw(self.0, DrawInitiator::AUTO_INDEX, predicate));
    }
}

impl DrawPacket for Indexed {
    const DWORDS: usize = 6;

    #[inline(always)]
    fn write(self, predicate: bool, direct: &mut Direct<'_>) {
        direct.packet(indexed_draw(self.size, self.addr, self.count, DrawInitiator::INDICES, predicate));
    }
}

/// The state of a draw other than its packet.
#[derive(Clone, Copy)]
struct Numbers {
    base: u32,
    instances: Instances,
    /// The width of indices, if the draw has indices.
    index_type: Option<u32>,
}

/// Numbers that may differ from those of the previous draw; none if they are known to be equal.
trait Others: Copy {
    fn numbers(self) -> Option<Numbers>;
}

#[derive(Clone, Copy)]
struct Same;

impl Others for Same {
    #[inline(always)]
    fn numbers(self) -> Option<Numbers> {
        None
    }
}

impl Others for Numbers {
    #[inline(always)]
    fn numbers(self) -> Option<Numbers> {
        Some(self)
    }
}

/// Compares numbers one by one.
#[inline(always)]
fn same<const N: usize>(held: &[u32; N], values: &[u32; N]) -> bool {
    for at in 0..N {
        if held[at] != values[at] {
            return false;
        }
    }
    true
}

/// Returns the contents of consecutive registers, if known.
#[inline(always)]
fn held<const N: usize>(registers: &mut Registers, slot: usize) -> Option<[u32; N]> {
    registers.places().1.get(slot..).and_then(<[u32]>::first_chunk).copied()
}

/// Writes registers with known contents, all of them if one differs; returns whether it wrote.
#[inline(always)]
fn change<const N: usize>(registers: &mut Registers, slot: usize, values: [u32; N], out: &mut Direct<'_>) -> bool {
    change_or(registers, false, slot, values, out)
}

/// Like [`change`], but also writes if none differs and `again` is set.
#[inline(always)]
fn change_or<const N: usize>(registers: &mut Registers, again: bool, slot: usize, values: [u32; N], out: &mut Direct<'_>) -> bool {
    let (packets, values_held) = registers.places();
    let (Some(packet), Some(held)) = (packets.get(slot), values_held.get_mut(slot..).and_then(<[u32]>::first_chunk_mut)) else { return false };
    let write = again || !same(held, &values);
    if write {
        out.registers(*packet, values);
        *held = values;
    }
    write
}

/// Like [`change`], for any number of registers.
#[inline(never)]
fn change_run<'m>(registers: &mut Registers, slot: usize, values: &[u32], mut out: Direct<'m>) -> Direct<'m> {
    let (packets, values_held) = registers.places();
    if let (Some(packet), Some(held)) = (packets.get(slot), values_held.get_mut(slot..slot + values.len()))
        && held != values
    {
        out.registers_of(*packet, values);
        held.copy_from_slice(values);
    }
    out
}

/// Changed dynamic state, written directly into memory. It follows a draw with a viewport of the same joined state, or of a similar one, so that the contents
/// of viewport registers are known.
impl Changes<'_> {
    /// Returns whether there is exactly one viewport, as in most draws.
    #[inline(always)]
    fn is_one_viewport(&self) -> bool {
        self.state.viewports.len() == 1
    }

    /// Returns the maximum number of dwords for the parts `PARTS`.
    #[inline(always)]
    fn most<const PARTS: u8>(&self) -> usize {
        let state = match PARTS {
            parts::USER_DATA => 0,
            parts::SCISSORS => SCISSOR,
            VIEW => ONE_VIEWPORT,
            _ if self.is_one_viewport() => ONE_VIEWPORT + TESTS_DWORDS,
            _ => SEVERAL_VIEWPORTS,
        };
        // From the first to the last: consecutive registers in one packet, or every other register in a separate packet, which takes fewer dwords than this.
        let most = |words: u32| if words == 0 { 0 } else { 2 * (32 - words.leading_zeros() - words.trailing_zeros()) as usize + 1 };
        let [pixel, vertices, hull] = *self.words;
        state
            + match PARTS {
                parts::USER_DATA => most(pixel | vertices),
                _ if PARTS & parts::USER_DATA != 0 => most(pixel) + most(vertices) + most(hull),
                _ => 0,
            }
    }

    /// Writes the differences of the parts `PARTS`, the only ones that changed, directly into memory; `rolled` if context registers were written before. The
    /// previous draw had a viewport of the same joined state, or a similar one, so the values of viewport registers are known. `PARTS` contains viewport parts
    /// only if there is a viewport, and user data only if it is known ([`Bound::is_known_user_data`](crate::draw::record::bound::Bound::is_known_user_data)).
    /// The
    /// order is that of [`write`](Self::write). If the memory is too small, there is an error at the end.
    #[inline(always)]
    fn write_directly<'m, const PARTS: u8>(self, rolled: bool, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        match PARTS {
            parts::USER_DATA => return self.known_user_data(registers, out),
            // The slots of a generation are constants, which makes bounds checks unnecessary.
            parts::SCISSORS => on_gfx!(self.joined.gfx, r => self.scissor(false, &view_slots!(r), registers, &mut out)),
            VIEW => on_gfx!(self.joined.gfx, r => {
                let rolled = self.viewport(&view_slots!(r), registers, &mut out);
                self.scissor(rolled, &view_slots!(r), registers, &mut out);
            }),
            // Frequent changes are inlined, so that no value goes through memory; all others take the output position and return it.
            _ if self.is_one_viewport() => {
                let (mut rolled, slots) = (rolled, registers.view_slots());
                if self.parts & parts::VIEWPORTS != 0 {
                    rolled |= self.viewport(&slots, registers, &mut out);
                }
                if self.parts & VIEW != 0 && self.lost.is_none() {
                    self.scissor(false, &slots, registers, &mut out);
                }
                if self.parts & TESTS != 0 {
                    let written;
                    (out, written) = self.tests_directly(registers, out);
                    rolled |= written;
                }
                if self.parts & parts::USER_DATA != 0 {
                    let _ = self.user_data(registers, &mut out);
                }
                if self.lost.is_some() && (rolled || self.parts & VIEW != 0) {
                    self.scissor(rolled, &slots, registers, &mut out);
                }
            }
            _ => return self.write_all_directly(rolled, registers, out),
        }
        out
    }

    /// Writes the only viewport with the guard band, without its scissor; returns whether it wrote.
    #[inline(always)]
    fn viewport(&self, slots: &ViewSlots, registers: &mut Registers, out: &mut Direct<'_>) -> bool {
        let (view, [viewport]) = (self.joined.view(self.state), self.state.viewports.as_slice()) else { return false };
        let mut written = change(registers, slots.guard_band, values(&viewport::guard_band_words(&view, slice::from_ref(viewport))), out);
        if let Some((transform, range)) = viewport::transform_words(&view, 0, viewport) {
            let ([a, b, c, d, e, f], [near, far]) = (values(&transform), values(&range));
            written |= if slots.together() {
                // The range directly follows the transform; if it has not changed, its old value is read, which saves a draw 15 instructions.
                let [near, far] = if self.depth { [near, far] } else { held(registers, slots.range).unwrap_or([near, far]) };
                change(registers, slots.transform, [a, b, c, d, e, f, near, far], out)
            } else {
                change(registers, slots.transform, [a, b, c, d, e, f], out) | (self.depth && change(registers, slots.range, [near, far], out))
            };
        }
        written
    }

    /// Writes the scissor of the only viewport, again if the context `rolled` and a roll loses the scissor.
    #[inline(always)]
    fn scissor(&self, rolled: bool, slots: &ViewSlots, registers: &mut Registers, out: &mut Direct<'_>) {
        let Some(words) = viewport::scissor_words(&self.joined.view(self.state), 0, self.edges) else { return };
        let again = rolled && self.lost.is_some();
        let written = change_or(registers, again, slots.scissor, values(&words), out);
        if written && self.lost.is_some() {
            registers.values_mut().forget_run(slots.scissor + 2, 2 * (VIEWPORTS - 1)); // of the other viewports
        }
    }

    /// Writes the changed user SGPRs of the only stage with changes, whose contents are known.
    #[inline(always)]
    fn known_user_data<'m>(&self, registers: &mut Registers, out: Direct<'m>) -> Direct<'m> {
        match *self.words {
            [0, words, _] => self.known_user_words::<1>(words, registers, out),
            [words, ..] => self.known_user_words::<0>(words, registers, out),
        }
    }

    #[inline(always)]
    fn known_user_words<'m, const AT: usize>(&self, changed: u32, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        let (sgprs, words) = (&self.joined.free[AT], &self.state.user_data.stages[AT]);
        let there = sgprs.free & words.given;
        for (first, count) in (Runs { there, wanted: there & changed }) {
            let (slot, values) = (sgprs.slot + first, words.values.get(first..).unwrap_or_default());
            match (count, values) {
                (1, [a, ..]) => drop(change(registers, slot, [*a], &mut out)),
                (2, [a, b, ..]) => drop(change(registers, slot, [*a, *b], &mut out)),
                (4, [a, b, c, d, ..]) => drop(change(registers, slot, [*a, *b, *c, *d], &mut out)),
                _ => out = change_run(registers, slot, values.get(..count).unwrap_or_default(), out),
            }
        }
        out
    }

    #[inline(never)]
    fn tests_directly<'m>(self, registers: &mut Registers, mut out: Direct<'m>) -> (Direct<'m>, bool) {
        let written = self.tests(registers, &mut out).unwrap_or(false);
        (out, written)
    }

    #[inline(never)]
    fn write_all_directly<'m>(self, rolled: bool, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        let rolled = self.write(registers, &mut out).unwrap_or(false) || rolled;
        if rolled && self.lost.is_some() {
            let _ = self.write_scissors(registers, &mut out);
        }
        out
    }
}

/// Dynamic state that often changes between draws. The values stay in CPU registers on their way from the caller.
impl<B: Buffer> Recorder<B> {
    /// Sets the viewports: at most 16. An empty slice means one viewport over the whole targets.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for too many, and for numbers that are not finite or beyond 32768.
    #[inline(always)]
    pub fn set_viewports(&mut self, viewports: &[Viewport]) -> Result<(), RecordError> {
        let [viewport] = viewports else { return Ok(self.bound.set_viewports(viewports)?) };
        match self.bound.one_viewport() {
            None => Ok(self.bound.set_viewports(viewports)?),
            Some(held) if held == viewport => Ok(()),
            Some(_) => {
                numbers::viewport(viewport)?;
                self.bound.replace_viewport(viewport);
                Ok(())
            }
        }
    }

    /// Sets the scissors, one per viewport; for a viewport without one, the extent of the targets is the scissor.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for more than 16.
    #[inline(always)]
    pub fn set_scissors(&mut self, scissors: &[Rect]) -> Result<(), RecordError> {
        match scissors {
            [scissor] if self.bound.replace_scissor(scissor) => Ok(()),
            _ => Ok(self.bound.set_scissors(scissors)?),
        }
    }

    /// Sets the blend constant: red, green, blue, alpha.
    ///
    /// # Errors
    /// [`RecordError::Draw`] for a number that is not finite.
    #[inline(always)]
    pub fn set_blend_constants(&mut self, constants: [f32; 4]) -> Result<(), RecordError> {
        Ok(self.bound.set_blend_constants(constants)?)
    }

    /// Sets reference and masks of the stencil test of front and back faces; None leaves them to the pipeline.
    #[inline(always)]
    pub fn set_stencil(&mut self, faces: Option<(StencilValues, StencilValues)>) {
        self.bound.set_stencil(faces);
    }

    /// Sets user SGPRs of a stage, starting with number `first`. Programs find the values in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). The values stay when another pipeline is bound. They apply to draws with bound objects; resolved
    /// draws have their own values ([`DynamicState::set_user_data`](crate::draw::DynamicState::set_user_data)). Vertex work has one set of user SGPRs,
    /// regardless of its hardware stage.
    ///
    /// # Errors
    /// [`RecordError::UserData`] for SGPRs that the stage does not have, and for compute.
    #[inline(always)]
    pub fn set_user_data(&mut self, stage: Stage, first: u32, words: &[u32]) -> Result<(), RecordError> {
        if self.bound.set_user_data(stage, first, words) {
            return Ok(());
        }
        let limit = user_data_of(stage).map_or(0, |_| stage.user_sgpr_limit());
        Err(RecordError::UserData { stage, first, words: words.len(), limit })
    }
}

/// A draw in which only the number of instances may have changed.
struct Unchanged<'m, P> {
    direct: Direct<'m>,
    /// The number of instances, if it has changed.
    instances: Option<u32>,
    predicate: bool,
    packet: P,
}

impl<P: DrawPacket> DrawSteps for Unchanged<'_, P> {
    type Error = Infallible;

    #[inline(always)]
    fn state(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    #[inline(always)]
    fn index_type(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    #[inline(always)]
    fn first_instance(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    #[inline(always)]
    fn instances(&mut self) -> Result<(), Infallible> {
        if let Some(count) = self.instances {
            self.direct.packet(instances_packet(count));
        }
        Ok(())
    }

    #[inline(always)]
    fn per_packet(&mut self, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    #[inline(always)]
    fn packet(&mut self, _: usize) -> Result<(), Infallible> {
        self.packet.write(self.predicate, &mut self.direct);
        Ok(())
    }
}

/// A draw of which no parts but `PARTS` of dynamic state changed, and numbers.
struct Changed<'r, 'm, P, const PARTS: u8> {
    changes: Changes<'r>,
    registers: &'r mut Registers,
    direct: Direct<'m>,
    /// Whether context registers were written before.
    rolled: bool,
    /// The packet of the width of indices, if the width has changed.
    index_type: Option<[u32; 3]>,
    /// Registers of changed numbers, with the numbers.
    first_instance: Option<(u32, u32)>,
    base_vertex: Option<(u32, u32)>,
    /// The number of instances, and the state left by calls; they are compared as late as possible.
    count: u32,
    calls: &'r CallState,
    other_count: bool,
    predicate: bool,
    packet: P,
}

impl<P: DrawPacket, const PARTS: u8> DrawSteps for Changed<'_, '_, P, PARTS> {
    type Error = Infallible;

    #[inline(always)]
    fn state(&mut self) -> Result<(), Infallible> {
        self.direct = self.changes.write_directly::<PARTS>(self.rolled, self.registers, self.direct.take());
        Ok(())
    }

    #[inline(always)]
    fn index_type(&mut self) -> Result<(), Infallible> {
        if let Some(packet) = self.index_type {
            self.direct.packet(packet);
        }
        Ok(())
    }

    #[inline(always)]
    fn first_instance(&mut self) -> Result<(), Infallible> {
        self.other_count = self.calls.instances() != Some(self.count);
        match (self.first_instance, self.base_vertex) {
            // Nothing is between them: one packet, as everywhere.
            (Some((addr, first)), Some((next, base))) if next == addr + 4 && !self.other_count => {
                self.direct.registers(SetPacket::of(addr), [first, base]);
                self.base_vertex = None;
            }
            (Some((addr, first)), _) => self.direct.registers(SetPacket::of(addr), [first]),
            (None, _) => {}
        }
        Ok(())
    }

    #[inline(always)]
    fn instances(&mut self) -> Result<(), Infallible> {
        if self.other_count {
            self.direct.packet(instances_packet(self.count));
        }
        Ok(())
    }

    #[inline(always)]
    fn per_packet(&mut self, _: usize) -> Result<(), Infallible> {
        if let Some((addr, base)) = self.base_vertex {
            self.direct.registers(SetPacket::of(addr), [base]);
        }
        Ok(())
    }

    #[inline(always)]
    fn packet(&mut self, _: usize) -> Result<(), Infallible> {
        self.packet.write(self.predicate, &mut self.direct);
        Ok(())
    }
}

impl<B: Buffer> Recorder<B> {
    /// Draws one instance of vertices with the bound state.
    ///
    /// # Errors
    /// The errors of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_vertices(&mut self, vertices: Vertices) -> Result<(), RecordError> {
        self.draw_instances(vertices, Instances::default())
    }

    /// Draws one instance of indexed vertices with the bound state.
    ///
    /// # Errors
    /// The errors of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_indices(&mut self, buffer: IndexBuffer, indices: Indices) -> Result<(), RecordError> {
        self.draw_indexed_instances(buffer, indices, Instances::default())
    }

    /// Draws instances of vertices with the bound state.
    ///
    /// # Errors
    /// The errors of [`draw_bound`](Self::draw_bound).
    #[inline(always)]
    pub fn draw_instances(&mut self, vertices: Vertices, instances: Instances) -> Result<(), RecordError> {
        let drawn = self.draw_plainly(Numbers { base: vertices.first, instances, index_type: None }, Counted(vertices.count));
        if drawn { Ok(()) } else { self.draw_instances_carefully(vertices, instances) }
    }

    /// Takes the numbers by value, so that they stay in CPU registers in a plain draw.
    #[inline(never)]
    fn draw_instances_carefully(&mut self, vertices: Vertices, instances: Instances) -> Result<(), RecordError> {
        self.draw_bound_carefully(&DrawCall::Auto { vertices, instances })
    }

    /// Draws instances of indexed vertices with the bound state.
    ///
    /// # Errors
    /// The errors of [`draw_bound`](Self::draw_bound).
    #[inline(always)]
    pub fn draw_indexed_instances(&mut self, buffer: IndexBuffer, indices: Indices, instances: Instances) -> Result<(), RecordError> {
        if self.is_plain_buffer(&buffer, indices.first) {
            let addr = buffer.address + u64::from(indices.first) * buffer.format.bytes();
            let packet = Indexed { addr, size: buffer.indices - indices.first, count: indices.count };
            if self.draw_plainly(Numbers { base: indices.base_vertex as u32, instances, index_type: Some(buffer.format as u32) }, packet) {
                return Ok(());
            }
        }
        self.draw_bound_carefully(&DrawCall::Indexed { buffer, indices, instances })
    }

    /// Draws with the bound state: writes the registers that differ from the hardware's, and the call.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline or targets, [`RecordError::Draw`] for a combination of objects that the chip does not support, and those of
    /// [`draw_call`](Self::draw_call). In these cases nothing is written.
    #[inline]
    pub fn draw_bound(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        match *call {
            DrawCall::Auto { vertices, instances } => self.draw_instances(vertices, instances),
            DrawCall::Indexed { buffer, indices, instances } => self.draw_indexed_instances(buffer, indices, instances),
            _ => self.draw_bound_carefully(call),
        }
    }

    /// Returns whether there are indices from this one on, at an address that the packet can hold, which no workaround examines.
    #[inline]
    fn is_plain_buffer(&self, buffer: &IndexBuffer, first: u32) -> bool {
        let IndexBuffer { address: addr, indices: size, format } = *buffer;
        let packs = self.calls.index_type() == Some(format as u32) || !self.chip.has(Erratum::InstancePacking);
        let end = addr.saturating_add(u64::from(size) * format.bytes());
        addr != 0 && addr & (format.bytes() - 1) == 0 && first < size && end <= 1 << 48 && packs
    }

    /// Draws, if the draw consists of its packet and the changes since the previous draw and there is room for both; returns whether it did. All else,
    /// including errors, is left to the careful path.
    #[inline(always)]
    fn draw_plainly<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> bool {
        debug_assert!(!self.in_transaction, "what a plain draw changes is not saved");
        let (bound, calls) = (&self.bound, &self.calls);
        let Numbers { base, instances, index_type } = numbers;
        let Some(plain) = bound.plain().filter(|_| calls.end() == self.writer.len() && instances.count != 0) else { return false };
        let same = plain.base == base && plain.first == instances.first && (index_type.is_none() || calls.index_type() == index_type);
        let drawn = match same && !bound.is_joined_anew() {
            false => self.draw_changes(numbers, packet),
            // One function for each of the most frequent changes: small functions keep all their values in CPU registers.
            true => match bound.pending_parts() {
                0 => self.draw_unchanged(instances.count, packet),
                VIEW if bound.has_one_viewport() => self.draw_parts::<P, Same, VIEW>(false, instances.count, Same, packet),
                parts::SCISSORS if bound.has_one_viewport() => self.draw_parts::<P, Same, { parts::SCISSORS }>(false, instances.count, Same, packet),
                parts::USER_DATA if bound.is_known_user_data() => self.draw_parts::<P, Same, { parts::USER_DATA }>(false, instances.count, Same, packet),
                _ => self.draw_parts::<P, Same, { parts::ALL }>(false, instances.count, Same, packet),
            },
        };
        if drawn {
            self.calls.record_plain_draw(index_type, self.writer.len());
        }
        drawn
    }

    /// Writes the packet that draws, and the number of instances if it has changed; returns whether there was room.
    #[inline(always)]
    fn draw_unchanged<P: DrawPacket>(&mut self, count: u32, packet: P) -> bool {
        let (predicate, instances) = (self.writer.is_predicated(), Some(count).filter(|_| self.calls.instances() != Some(count)));
        let dwords = if instances.is_some() { P::DWORDS + INSTANCES } else { P::DWORDS };
        let Some(direct) = self.writer.direct(dwords) else { return false };
        let mut draw = Unchanged { direct, instances, predicate, packet };
        let Ok(()) = write_draw(&mut draw);
        let written = draw.direct.end();
        if instances.is_some() {
            self.calls.set_instances(instances);
        }
        self.writer.end_direct(dwords, written)
    }

    /// Draws with changed objects, or with changed numbers other than that of instances; returns whether it did.
    #[inline(never)]
    fn draw_changes<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> bool {
        let Numbers { base, instances, .. } = numbers;
        let takes = |same: bool, sgpr: Option<u32>| same || sgpr.is_some();
        let may =
            self.bound.plain().is_some_and(|plain| takes(base == plain.base, plain.base_vertex) && takes(instances.first == plain.first, plain.first_instance));
        match may.then(|| self.join_plainly()).flatten() {
            Some(rolled) => self.draw_parts::<P, Numbers, { parts::ALL }>(rolled, instances.count, numbers, packet),
            None => false,
        }
    }

    /// Switches to another joined state, if draws with it are plain as well and there is room for a draw with its whole state. Returns whether the switch rolls
    /// the context; None, without writing anything, if it is not possible.
    fn join_plainly(&mut self) -> Option<bool> {
        if !self.bound.is_joined_anew() {
            return Some(false);
        }
        let Self { held, bound, writer, .. } = self;
        let before = held.joined()?;
        let joined = bound.joined(Some(before)).ok()?;
        let (words, shown) = (joined.user_words(bound.state()), joined.shown);
        let (mut differs, mut rolled) = (parts::USER_DATA, false);
        if joined.number != before.number {
            let switch = bound.kept_switch(before, &joined).filter(|switch| switch.plain)?;
            let after = Changes { words: &words, ..bound.changes(&joined, None) }.most::<{ parts::ALL }>() + AFTER_STATE;
            differs = switch.differs;
            rolled = held.switch_plainly(joined, switch, writer, after)?;
        }
        bound.join(differs, words);
        bound.follow_switch(shown);
        Some(rolled)
    }

    /// Writes the changed parts of dynamic state, the numbers that may differ, and the packet that draws; returns whether there is a joined state and room.
    /// Only the parts `PARTS` may have changed.
    #[inline(never)]
    fn draw_parts<P: DrawPacket, O: Others, const PARTS: u8>(&mut self, rolled: bool, count: u32, others: O, packet: P) -> bool {
        let Self { held, writer, bound, calls, lost_by_rolls, .. } = self;
        let Some((joined, registers)) = held.joined_and_others() else { return false };
        let plain = bound.last_plain();
        let others = others.numbers();
        let first_instance = others.and_then(|now| Some((plain.first_instance.filter(|_| plain.first != now.instances.first)?, now.instances.first)));
        let base_vertex = others.and_then(|now| Some((plain.base_vertex.filter(|_| plain.base != now.base)?, now.base)));
        let index_type = others.and_then(|now| now.index_type.filter(|_| now.index_type != calls.index_type()));
        let index_type = index_type.map(|format| writer.index_type_packet(format));
        let changes = bound.changes(joined, lost_by_rolls.as_ref());
        let predicate = writer.is_predicated();
        let most = changes.most::<PARTS>() + INSTANCES + if others.is_some() { NUMBERS } else { 0 } + P::DWORDS;
        let Some(direct) = writer.direct(most) else { return false };
        let mut draw = Changed::<P, PARTS> {
            changes,
            registers,
            direct,
            rolled,
            index_type,
            first_instance,
            base_vertex,
            count,
            calls,
            other_count: false,
            predicate,
            packet,
        };
        let Ok(()) = write_draw(&mut draw);
        let (written, other_count) = (draw.direct.end(), draw.other_count);
        if !writer.end_direct(most, written) {
            // Everything is written again.
            debug_assert!(false, "a draw takes more than the {most} dwords that were asked for");
            held.forget();
            bound.forget_registers();
            return false;
        }
        if let Some(now) = others {
            first_instance.into_iter().chain(base_vertex).for_each(|(addr, value)| held.set(addr, Some(value)));
            bound.set_numbers(now.base, now.instances.first);
        }
        bound.show::<PARTS>();
        if other_count {
            calls.set_instances(Some(count));
        }
        true
    }
}
