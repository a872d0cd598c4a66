//! The fast path: a draw after a plain draw writes its packet, and what has changed since.
//!
//! A draw is plain if no workaround looks at it and its call puts nothing but base vertex, first instance and the number of instances into registers. Nothing
//! of what is after the previous draw is asked again: it was looked at there, by a draw that was [written carefully](crate::draw::record::draws). All is
//! written into memory that is asked for once. What is not so simple is left to the careful path.
//!
//! This is the one file of the recorder that is written for speed first. What it does for that, with the instructions that a draw takes without it where they
//! were counted:
//!
//! * `inline(always)`: the steps of a draw are few instructions each, and memory that is written into ([`Direct`]) stays in registers of the CPU only where no
//!   call takes its address.
//! * Parts that changed as a constant (`PARTS`): what changes most often has a function of its own, in which nothing is asked about the other parts.
//! * Slots of registers as constants (`view_slots!`): no place needs to be checked.
//! * A depth range that has not changed is not computed again, with GFX12 too, where it is in one row with the transform: 15 of 445 instructions.
//! * Numbers that were stored one by one are compared and copied one by one: a read in wider pieces waits until all of them are in the cache, three times as
//!   long as all that is made of them.

use crate::chip::Erratum;
use crate::draw::decide::viewport::{self, ViewSlots, view_slots};
use crate::draw::desc::dynamic::user_data_of;
use crate::draw::desc::{DrawCall, IndexBuffer, Indices, Instances, Rect, Stage, StencilValues, Vertices, Viewport, numbers};
use crate::draw::record::call_state::CallState;
use crate::draw::record::changes::{Changes, Runs, TESTS, VIEW, VIEWPORTS, values};
use crate::draw::record::error::RecordError;
use crate::draw::record::order::{DrawSteps, write_draw};
use crate::draw::record::recorder::Recorder;
use crate::draw::record::registers::Registers;
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

/// Dwords that a draw takes at most after its state.
const AFTER_STATE: usize = INSTANCES + NUMBERS + Indexed::DWORDS;

/// The packet of a plain draw, before it is put together: its words go from registers of the CPU into the stream. As an array in memory they would be
/// read back in wider pieces than they were stored in, which takes longer than all the rest.
trait DrawPacket: Copy {
    const DWORDS: usize;

    fn write(self, predicate: bool, direct: &mut Direct<'_>);
}

/// Vertices that are counted: how many.
#[derive(Clone, Copy)]
struct Counted(u32);

/// Vertices by indices.
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

/// What a draw has beside its packet.
#[derive(Clone, Copy)]
struct Numbers {
    base: u32,
    instances: Instances,
    /// The width of indices, where it has any.
    index_type: Option<u32>,
}

/// Numbers that may be others than those of the previous draw; none where they are known to be the same.
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

/// Whether they are the same, one by one.
#[inline(always)]
fn same<const N: usize>(held: &[u32; N], values: &[u32; N]) -> bool {
    for at in 0..N {
        if held[at] != values[at] {
            return false;
        }
    }
    true
}

/// What consecutive registers hold.
#[inline(always)]
fn held<const N: usize>(registers: &mut Registers, slot: usize) -> Option<[u32; N]> {
    registers.places().1.get(slot..).and_then(<[u32]>::first_chunk).copied()
}

/// Writes registers of which it is known what they hold, all of them where one differs: whether it wrote.
#[inline(always)]
fn change<const N: usize>(registers: &mut Registers, slot: usize, values: [u32; N], out: &mut Direct<'_>) -> bool {
    change_or(registers, false, slot, values, out)
}

/// The same, written `again` where none differs.
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

/// The same for any number of registers.
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

/// Dynamic state that changed, written straight into memory. It follows a draw with a viewport of the same joined state, or one like it, so that it is known
/// what registers of viewports hold.
impl Changes<'_> {
    /// Whether there is one viewport, as most draws have.
    #[inline(always)]
    fn is_one_viewport(&self) -> bool {
        self.state.viewports.len() == 1
    }

    /// Dwords that the parts `PARTS` take at most.
    #[inline(always)]
    fn most<const PARTS: u8>(&self) -> usize {
        let state = match PARTS {
            parts::USER_DATA => 0,
            parts::SCISSORS => SCISSOR,
            VIEW => ONE_VIEWPORT,
            _ if self.is_one_viewport() => ONE_VIEWPORT + TESTS_DWORDS,
            _ => SEVERAL_VIEWPORTS,
        };
        // From the first to the last: one after the other in a packet, or every other one in a packet of its own, which takes less than this.
        let most = |words: u32| if words == 0 { 0 } else { 2 * (32 - words.leading_zeros() - words.trailing_zeros()) as usize + 1 };
        let [pixel, vertices, hull] = *self.words;
        state
            + match PARTS {
                parts::USER_DATA => most(pixel | vertices),
                _ if PARTS & parts::USER_DATA != 0 => most(pixel) + most(vertices) + most(hull),
                _ => 0,
            }
    }

    /// Writes what differs of the parts `PARTS`, and no others changed, straight into memory; `rolled` if context registers were written before. They follow a
    /// draw with a viewport of the same joined state, or one like it, so that it is known what registers of viewports hold. Parts of viewports alone are asked
    /// for where there is one, user data alone where it is known ([`Bound::is_known_user_data`](crate::draw::record::bound::Bound::is_known_user_data)). The
    /// order is that of [`write`](Self::write). What finds no place is an error at the end.
    #[inline(always)]
    fn write_directly<'m, const PARTS: u8>(self, rolled: bool, registers: &mut Registers, mut out: Direct<'m>) -> Direct<'m> {
        match PARTS {
            parts::USER_DATA => return self.known_user_data(registers, out),
            // The slots of a generation are constants: with them there is nothing to check about places.
            parts::SCISSORS => on_gfx!(self.joined.gfx, r => self.scissor(false, &view_slots!(r), registers, &mut out)),
            VIEW => on_gfx!(self.joined.gfx, r => {
                let rolled = self.viewport(&view_slots!(r), registers, &mut out);
                self.scissor(rolled, &view_slots!(r), registers, &mut out);
            }),
            // What changes often is inlined, so that nothing on its way goes through memory; all else takes the memory along and gives it back.
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

    /// The one viewport, with the guard band, without its scissor: whether it wrote.
    #[inline(always)]
    fn viewport(&self, slots: &ViewSlots, registers: &mut Registers, out: &mut Direct<'_>) -> bool {
        let (view, [viewport]) = (self.joined.view(self.state), self.state.viewports.as_slice()) else { return false };
        let mut written = change(registers, slots.guard_band, values(&viewport::guard_band_words(&view, slice::from_ref(viewport))), out);
        if let Some((transform, range)) = viewport::transform_words(&view, 0, viewport) {
            let ([a, b, c, d, e, f], [near, far]) = (values(&transform), values(&range));
            written |= if slots.together() {
                // The range is in one row with the transform; what it was is read, where it has not changed: a draw takes 15 instructions less.
                let [near, far] = if self.depth { [near, far] } else { held(registers, slots.range).unwrap_or([near, far]) };
                change(registers, slots.transform, [a, b, c, d, e, f, near, far], out)
            } else {
                change(registers, slots.transform, [a, b, c, d, e, f], out) | (self.depth && change(registers, slots.range, [near, far], out))
            };
        }
        written
    }

    /// The scissor of the one viewport: written again where the context `rolled` and a roll loses it.
    #[inline(always)]
    fn scissor(&self, rolled: bool, slots: &ViewSlots, registers: &mut Registers, out: &mut Direct<'_>) {
        let Some(words) = viewport::scissor_words(&self.joined.view(self.state), 0, self.edges) else { return };
        let again = rolled && self.lost.is_some();
        let written = change_or(registers, again, slots.scissor, values(&words), out);
        if written && self.lost.is_some() {
            registers.values_mut().forget_run(slots.scissor + 2, 2 * (VIEWPORTS - 1)); // of the other viewports
        }
    }

    /// Writes user SGPRs of the one stage that changed, of which it is known what they hold.
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

/// Dynamic state that draws often have another value of. The values stay in registers of the CPU on their way from the caller.
impl<B: Buffer> Recorder<B> {
    /// Sets the viewports: at most 16; an empty slice means one over the whole of the targets.
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

    /// Sets the scissors: as many as viewports; where there are fewer, the extent of the targets is the scissor.
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

    /// Sets the constant of blending: red, green, blue, alpha.
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

    /// Gives values to user SGPRs of a stage, from the one of number `first` on. Programs have them in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). They stay when another pipeline is bound. They are for draws with bound objects; resolved draws have
    /// their own ([`DynamicState::set_user_data`](crate::draw::DynamicState::set_user_data)). Vertex work has one set, on whichever hardware stage it runs.
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

/// A draw of which nothing changed but the number of instances.
struct Unchanged<'m, P> {
    direct: Direct<'m>,
    /// The number of instances, where it is another one.
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
    /// Context registers were written before.
    rolled: bool,
    /// The packet of the width of indices, where it is another one.
    index_type: Option<[u32; 3]>,
    /// Registers of numbers that are others, and the numbers.
    first_instance: Option<(u32, u32)>,
    base_vertex: Option<(u32, u32)>,
    /// How many instances it has, and what calls have left; whether that is another number is asked as late as it is needed.
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
    /// Draws vertices with what is bound, one instance.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_vertices(&mut self, vertices: Vertices) -> Result<(), RecordError> {
        self.draw_instances(vertices, Instances::default())
    }

    /// Draws indexed vertices with what is bound, one instance.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_indices(&mut self, buffer: IndexBuffer, indices: Indices) -> Result<(), RecordError> {
        self.draw_indexed_instances(buffer, indices, Instances::default())
    }

    /// Draws vertices with what is bound, several times.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline(always)]
    pub fn draw_instances(&mut self, vertices: Vertices, instances: Instances) -> Result<(), RecordError> {
        let drawn = self.draw_plainly(Numbers { base: vertices.first, instances, index_type: None }, Counted(vertices.count));
        if drawn { Ok(()) } else { self.draw_instances_carefully(vertices, instances) }
    }

    /// Takes the numbers by value, so that they stay in registers of the CPU on the way of a plain draw.
    #[inline(never)]
    fn draw_instances_carefully(&mut self, vertices: Vertices, instances: Instances) -> Result<(), RecordError> {
        self.draw_bound_carefully(&DrawCall::Auto { vertices, instances })
    }

    /// Draws indexed vertices with what is bound, several times.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
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

    /// Draws with what is bound: writes the registers that differ from what hardware holds, and the call.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline or targets, [`RecordError::Draw`] for objects that the chip cannot have together, and those of
    /// [`draw_call`](Self::draw_call). Then nothing is written.
    #[inline]
    pub fn draw_bound(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        match *call {
            DrawCall::Auto { vertices, instances } => self.draw_instances(vertices, instances),
            DrawCall::Indexed { buffer, indices, instances } => self.draw_indexed_instances(buffer, indices, instances),
            _ => self.draw_bound_carefully(call),
        }
    }

    /// Whether there are indices from this one on at an address that the packet holds, and no workaround looks at them.
    #[inline]
    fn is_plain_buffer(&self, buffer: &IndexBuffer, first: u32) -> bool {
        let IndexBuffer { address: addr, indices: size, format } = *buffer;
        let packs = self.calls.index_type() == Some(format as u32) || !self.chip.has(Erratum::InstancePacking);
        let end = addr.saturating_add(u64::from(size) * format.bytes());
        addr != 0 && addr & (format.bytes() - 1) == 0 && first < size && end <= 1 << 48 && packs
    }

    /// Draws, where the current draw is its packet and what changed since the one before: whether it is, and there is room for it. All else is left to the
    /// careful path, errors among it.
    #[inline(always)]
    fn draw_plainly<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> bool {
        debug_assert!(!self.in_transaction, "what a plain draw changes is not saved");
        let (bound, calls) = (&self.bound, &self.calls);
        let Numbers { base, instances, index_type } = numbers;
        let Some(plain) = bound.plain().filter(|_| calls.end() == self.writer.len() && instances.count != 0) else { return false };
        let same = plain.base == base && plain.first == instances.first && (index_type.is_none() || calls.index_type() == index_type);
        let drawn = match same && !bound.is_joined_anew() {
            false => self.draw_changes(numbers, packet),
            // One function for each of what changes most often: small ones keep all they need in registers of the CPU.
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

    /// Writes the packet that draws, and the number of instances where it is another one: whether there is room.
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

    /// The same with other objects, or other numbers than those of instances.
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

    /// Another joined state, where draws with it are plain as well and there is room for one with all of its state: whether it rolls the context. Nothing is
    /// written where not.
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

    /// Writes the parts of dynamic state that changed, the numbers that may be others, and the packet that draws: whether there is a joined state, and room. No
    /// parts but `PARTS` changed.
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
            // All is written anew.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;
    use crate::draw::desc::{Cull, PipelineDesc, Program, Raster, Rect, Stage, TargetsDesc, UserData, VertexStage, Viewport};
    use crate::draw::state::{Pipeline, Targets};

    /// Dwords of a plain draw at most, with another pipeline and all that changes here.
    const ENOUGH: usize = 200;

    /// In memory of chunks only the ends of these ask for more than a plain draw does.
    #[test]
    fn draws_are_plain_up_to_the_end_of_a_chunk() {
        for chip in Chip::all() {
            let vertex = VertexStage { program: Program { user_data: alloc::vec![UserData::Keep; 17], ..Program::default() }, ..VertexStage::default() };
            let one = PipelineDesc { vertex, ..PipelineDesc::default() };
            let other = PipelineDesc { raster: Raster { cull: Cull::Back, ..Raster::default() }, ..one.clone() };
            let pipelines = [one, other].map(|desc| Pipeline::new(chip, desc).expect("a pipeline"));
            let mut next = 0;
            let memory = move |_: usize| {
                next += 0x1000;
                Some(next)
            };
            let mut recorder = Recorder::chunked(chip, 1024, memory).expect("chunks");
            recorder.begin().expect("room");
            recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the chip");
            let (mut end, mut careful, mut chunks) = (0, 0, 1);
            for at in 0..3000u32 {
                let size = (at % 200) as f32;
                match at % 5 {
                    0 => recorder.bind_pipeline(&pipelines[at as usize / 5 % 2]),
                    1 => recorder.set_viewports(&[Viewport { width: 64.0 + size, ..Viewport::covering((64, 64)) }]),
                    2 => recorder.set_scissors(&[Rect { x: at % 32, y: 0, width: 64, height: 64 }]),
                    3 => recorder.set_user_data(Stage::Vertex, at % 12, &[at; 5]),
                    _ => Ok(()),
                }
                .expect("what the chip has");
                let room = recorder.writer.has_room(ENOUGH);
                let (vertices, instances) = (Vertices { first: 0, count: 3 }, Instances::default());
                if !recorder.draw_plainly(Numbers { base: 0, instances, index_type: None }, Counted(3)) {
                    careful += 1;
                    // The first draws join pipelines and find the packets between them; the first of a chunk asks whether a context rolls.
                    assert!(!room || at < 20 || recorder.writer.len() < end || recorder.calls.end() == 0, "{chip}: draw {at}");
                    recorder.draw_instances(vertices, instances).expect("memory");
                }
                chunks += usize::from(recorder.writer.len() < end);
                end = recorder.writer.len();
            }
            assert!(chunks > 20, "{chip}: {chunks} chunks");
            assert!(careful < 3000 / 5, "{chip}: {careful} draws");
        }
    }
}
