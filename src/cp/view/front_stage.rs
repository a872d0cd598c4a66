//! The first program of a draw: the hardware stage that runs it, and its inputs.

use crate::cp::state::memory::canonical;
use crate::cp::view::draw_view::DrawView;

/// The hardware stage that runs the first program of a draw, which reads vertices or is a mesh shader.
///
/// For an example see [`DrawView::front_stage`](crate::cp::DrawView::front_stage).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrontStage {
    /// The hardware VS (GFX9 to GFX10.3).
    Vertex,
    /// The geometry stage, as next-generation geometry.
    Ngg,
    /// ES-GS, with a geometry shader and without NGG (GFX9 to GFX10.3).
    Geometry,
    /// LS-HS, with tessellation.
    Hull,
}

impl FrontStage {
    /// The name of the register of its first user datum, and those of its program's address, on this major generation.
    const fn registers(self, major: u8) -> (&'static str, [&'static str; 2]) {
        match (self, major) {
            (Self::Vertex, _) => ("SPI_SHADER_USER_DATA_VS_0", ["SPI_SHADER_PGM_LO_VS", "SPI_SHADER_PGM_HI_VS"]),
            (Self::Geometry, 9) => ("SPI_SHADER_USER_DATA_ES_0", ["SPI_SHADER_PGM_LO_ES", "SPI_SHADER_PGM_HI_ES"]),
            (Self::Ngg | Self::Geometry, _) => ("SPI_SHADER_USER_DATA_GS_0", ["SPI_SHADER_PGM_LO_ES", "SPI_SHADER_PGM_HI_ES"]),
            (Self::Hull, 9) => ("SPI_SHADER_USER_DATA_LS_0", ["SPI_SHADER_PGM_LO_LS", "SPI_SHADER_PGM_HI_LS"]),
            (Self::Hull, _) => ("SPI_SHADER_USER_DATA_HS_0", ["SPI_SHADER_PGM_LO_LS", "SPI_SHADER_PGM_HI_LS"]),
        }
    }
}

impl DrawView<'_> {
    /// Returns the stage of the draw's first program; None if VGT_SHADER_STAGES_EN is unknown. For a dispatch it is that of a draw with the same registers.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Chip;
    /// use pm4::cp::{CommandProcessor, DrawView, FrontStage, Observer};
    /// use pm4::draw::{Pipeline, PipelineDesc, Program, Recorder, Stage, Targets, TargetsDesc, UserData, VertexStage, Vertices};
    /// use pm4::packet::Queue;
    /// struct Programs(Vec<(Option<FrontStage>, Option<u64>, Option<u32>)>);
    /// impl Observer for Programs {
    ///     fn draw(&mut self, view: &DrawView<'_>) {
    ///         self.0.push((view.front_stage(), view.vertex_program(), view.vertex_user_data(0)));
    ///     }
    /// }
    /// let chip = Chip::Navi31;
    /// let program = Program { address: Some(0x10_0000), user_data: vec![UserData::Keep], ..Program::default() };
    /// let pipeline = Pipeline::new(chip, PipelineDesc { vertex: VertexStage { program, ..VertexStage::default() }, ..PipelineDesc::default() })?;
    /// let mut recorder = Recorder::new(chip);
    /// recorder.begin()?;
    /// recorder.bind_targets(&Targets::new(chip, TargetsDesc { extent: (64, 64), ..TargetsDesc::default() })?)?;
    /// recorder.bind_pipeline(&pipeline)?;
    /// recorder.set_user_data(Stage::Vertex, 0, &[7])?; // vertex work, whatever runs it
    /// recorder.draw_vertices(Vertices { first: 0, count: 3 })?;
    /// let words = recorder.finish()?;
    /// let mut cp = CommandProcessor::new(chip);
    /// cp.submit(Queue::Graphics, "draw", &words);
    /// let mut programs = Programs(Vec::new());
    /// cp.run(&mut programs);
    /// assert_eq!(programs.0, [(Some(FrontStage::Ngg), Some(0x10_0000), Some(7))]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn front_stage(&self) -> Option<FrontStage> {
        let register = self.register("VGT_SHADER_STAGES_EN")?;
        let value = self.value(register.addr())?;
        let on = |field: &str| register.info().field(field).is_some_and(|field| field.get(value) != 0);
        Some(match () {
            () if on("HS_EN") => FrontStage::Hull,
            () if self.gfx().major() >= 11 || on("PRIMGEN_EN") => FrontStage::Ngg,
            () if on("GS_EN") => FrontStage::Geometry,
            () => FrontStage::Vertex,
        })
    }

    /// Returns a user datum of the draw's first program, by its number, whichever stage runs it.
    pub fn vertex_user_data(&self, number: u32) -> Option<u32> {
        self.user_data(self.front_stage()?.registers(self.gfx().major()).0, number)
    }

    /// Returns a GPU address in two user data of the draw's first program, low half first.
    pub fn vertex_pointer(&self, number: u32) -> Option<u64> {
        self.user_pointer(self.front_stage()?.registers(self.gfx().major()).0, number)
    }

    /// Returns the address of the draw's first program.
    pub fn vertex_program(&self) -> Option<u64> {
        let (_, names) = self.front_stage()?.registers(self.gfx().major());
        self.program_at(names)
    }

    /// Returns the address of the pixel shader. For a draw without one, it is the last one set.
    pub fn pixel_program(&self) -> Option<u64> {
        self.program_at(["SPI_SHADER_PGM_LO_PS", "SPI_SHADER_PGM_HI_PS"])
    }

    fn program_at(&self, names: [&str; 2]) -> Option<u64> {
        let [low, high] = names.map(|name| self.register(name).and_then(|register| self.value(register.addr())));
        Some(canonical(u64::from(high? & 0xFF) << 40 | u64::from(low?) << 8))
    }
}
