//! The scalar arguments of a pixel shader: the contents of the SGPRs when a wave starts.

use crate::chip::Gfx;

/// A load on which two registers must agree: SPI_SHADER_PGM_RSRC2_PS and PA_SC_SHADER_CONTROL.
///
/// ```
/// use pm4::waves::{ArgumentLoad, Arguments};
/// // Room for the collision word, but the scan converter does not send it: from that SGPR on, nothing is known.
/// let collision = ArgumentLoad { shader: true, scan_converter: false };
/// let arguments = Arguments { user: 4, collision, ..Arguments::default() };
/// assert!(!collision.agrees());
/// assert_eq!(arguments.first_unknown(), Some(5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ArgumentLoad {
    /// Whether the shader core reserves an SGPR for the argument.
    pub shader: bool,
    /// Whether the scan converter sends the argument.
    pub scan_converter: bool,
}

impl ArgumentLoad {
    /// Both registers load it.
    pub const BOTH: Self = Self { shader: true, scan_converter: true };

    /// Returns whether both registers agree.
    pub const fn agrees(self) -> bool {
        self.shader == self.scan_converter
    }
}

/// The loaded arguments, which determine the SGPR of each. Arguments that are not loaded take no SGPR (RDNA ISA manuals, section Initial wave state; Mesa
/// 25.0.7 for the positions of the collision word; on GFX9, the positions of the wave count and the intrawave word are assumed to be those of RDNA1,
/// unverified).
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::waves::{ArgumentLoad, Arguments, Setup};
/// // Four SGPRs of user data, then the primitive mask, then COLLISION_WAVEID.
/// let arguments = Arguments { user: 4, collision: ArgumentLoad::BOTH, ..Arguments::default() };
/// assert_eq!((arguments.prim_mask_sgpr(), arguments.collision_sgpr(), arguments.count()), (4, Some(5), 6));
/// let setup = Setup { arguments, ..Setup::plain(Gfx::Gfx103) };
/// # assert_eq!(setup.arguments.first_unknown(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Arguments {
    /// Number of user data SGPRs, 0 to 32.
    pub user: u8,
    /// Wave id and wave index (WAVE_CNT_EN).
    pub wave_count: bool,
    /// COLLISION_WAVEID (GFX9 to GFX10.3).
    pub collision: ArgumentLoad,
    /// INTRAWAVE_COLLISION (GFX9 to GFX10.3).
    pub intrawave: ArgumentLoad,
    /// Provoking vertices (from GFX10.3 on).
    pub provoking_vertex: bool,
    /// Offset of the scratch memory (up to GFX10.3).
    pub scratch: bool,
}

impl Arguments {
    /// Returns the arguments of an ordered shader: no user data, and COLLISION_WAVEID if the generation has it.
    pub const fn ordered(gfx: Gfx) -> Self {
        let collision = if gfx.major() <= 10 { ArgumentLoad::BOTH } else { ArgumentLoad { shader: false, scan_converter: false } };
        Self {
            user: 0,
            wave_count: false,
            collision,
            intrawave: ArgumentLoad { shader: false, scan_converter: false },
            provoking_vertex: false,
            scratch: false,
        }
    }

    /// Returns the number of an SGPR after the user data, of which no generation has more than 32 SGPRs.
    const fn after_user(&self, more: u8) -> u8 {
        self.user.saturating_add(more)
    }

    /// Returns the SGPR of the primitive mask.
    pub const fn prim_mask_sgpr(&self) -> u8 {
        self.user
    }

    /// Returns the SGPR of COLLISION_WAVEID, if it is loaded.
    pub const fn collision_sgpr(&self) -> Option<u8> {
        if self.collision.shader { Some(self.after_user(1 + self.wave_count as u8)) } else { None }
    }

    /// Returns the SGPR of INTRAWAVE_COLLISION, if it is loaded.
    pub const fn intrawave_sgpr(&self) -> Option<u8> {
        if self.intrawave.shader { Some(self.after_user(1 + self.wave_count as u8 + self.collision.shader as u8)) } else { None }
    }

    /// Returns the number of SGPRs that hold an argument.
    pub const fn count(&self) -> u8 {
        let flags = [self.wave_count, self.collision.shader, self.intrawave.shader, self.provoking_vertex, self.scratch];
        self.after_user(1 + flags[0] as u8 + flags[1] as u8 + flags[2] as u8 + flags[3] as u8 + flags[4] as u8)
    }

    /// Returns the first SGPR whose content is not known, because the two registers of a load disagree. The contents of all later SGPRs are unknown too.
    pub const fn first_unknown(&self) -> Option<u8> {
        if !self.collision.agrees() {
            Some(self.after_user(1 + self.wave_count as u8))
        } else if !self.intrawave.agrees() {
            Some(self.after_user(1 + self.wave_count as u8 + self.collision.shader as u8))
        } else {
            None
        }
    }
}
