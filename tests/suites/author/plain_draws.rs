//! A draw that needs only its changes and its packet takes the memory of both at once, and gives back what is left: a plain draw. All others are written packet by
//! packet, which takes longer.

use pm4::chip::{Chip, Gfx};
use pm4::draw::*;
use pm4::packet::{Buffer, ChunkSource, Chunks, Queue, WriteError, Writer};
use std::cell::Cell;
use std::rc::Rc;

/// Maximum dwords of a plain draw, with another pipeline and all changes made here.
const ENOUGH: usize = 200;

/// What a buffer is asked for.
#[derive(Default)]
struct Asked {
    /// Memory was given back.
    returned: Cell<bool>,
    /// Chunks that were begun.
    chunks: Cell<u32>,
    /// Dwords that still fit.
    room: Cell<usize>,
}

/// Chunks that note what they are asked for.
struct Watched<S: ChunkSource> {
    chunks: Chunks<S>,
    asked: Rc<Asked>,
}

impl<S: ChunkSource> Buffer for Watched<S> {
    fn words(&self) -> &[u32] {
        self.chunks.words()
    }

    fn room(&self) -> usize {
        self.chunks.room()
    }

    fn grow(&mut self, dwords: usize) -> Option<&mut [u32]> {
        self.asked.room.set(self.chunks.room().saturating_sub(dwords));
        self.chunks.grow(dwords)
    }

    fn push(&mut self, words: &[u32]) -> bool {
        let pushed = self.chunks.push(words);
        self.asked.room.set(self.chunks.room());
        pushed
    }

    fn word_mut(&mut self, at: usize) -> Option<&mut u32> {
        self.chunks.word_mut(at)
    }

    fn truncate(&mut self, dwords: usize) {
        self.asked.returned.set(true);
        self.chunks.truncate(dwords);
        self.asked.room.set(self.chunks.room());
    }

    fn continue_elsewhere(&mut self, gfx: Gfx, queue: Queue) -> Result<bool, WriteError> {
        let begun = self.chunks.continue_elsewhere(gfx, queue)?;
        self.asked.chunks.set(self.asked.chunks.get() + u32::from(begun));
        self.asked.room.set(self.chunks.room());
        Ok(begun)
    }
}

/// In chunked memory, only draws at the ends of chunks are not plain.
#[test]
fn draws_are_plain_up_to_the_end_of_a_chunk() {
    for chip in Chip::all() {
        let vertex = VertexStage { program: Program { user_data: vec![UserData::Keep; 17], ..Program::default() }, ..VertexStage::default() };
        let one = PipelineDesc { vertex, ..PipelineDesc::default() };
        let other = PipelineDesc { raster: Raster { cull: Cull::Back, ..Raster::default() }, ..one.clone() };
        let pipelines = [one, other].map(|desc| Pipeline::new(chip, desc).expect("a pipeline"));
        let mut next = 0;
        let memory = move |_: usize| {
            next += 0x1000;
            Some(next)
        };
        let asked = Rc::new(Asked::default());
        let watched = Watched { chunks: Chunks::new(1024, memory).expect("chunks"), asked: Rc::clone(&asked) };
        let mut recorder = Recorder::from_writer(chip, Writer::new(chip.gfx(), Queue::Graphics, watched));
        recorder.begin().expect("room");
        recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the chip");
        let (mut careful, mut first_of_chunk) = (0, true);
        for at in 0..3000u32 {
            let size = (at % 200) as f32;
            match at % 4 {
                0 => recorder.bind_pipeline(&pipelines[at as usize / 4 % 2]),
                1 => recorder.set_viewports(&[Viewport { width: 64.0 + size, ..Viewport::covering((64, 64)) }]),
                2 => recorder.set_scissors(&[Rect { x: at % 32, y: 0, width: 64, height: 64 }]),
                _ => recorder.set_user_data(Stage::Vertex, at % 12, &[at; 5]),
            }
            .expect("what the chip has");
            let (room, chunks) = (asked.room.get() >= ENOUGH, asked.chunks.get());
            asked.returned.set(false);
            recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("memory");
            let begun = asked.chunks.get() > chunks;
            if !asked.returned.get() || begun {
                careful += 1;
                // The first draws join pipelines and find the packets between them; the first of a chunk asks whether a context rolls.
                assert!(!room || at < 20 || begun || first_of_chunk, "{chip}: draw {at}");
            }
            first_of_chunk = begun;
        }
        assert!(asked.chunks.get() > 20, "{chip}: {} chunks", asked.chunks.get());
        assert!(careful < 3000 / 5, "{chip}: {careful} draws");
    }
}
