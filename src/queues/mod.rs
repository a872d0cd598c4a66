//! Queues whose packets are not PM4: SDMA, AQL and MES.
//!
//! Their packets are data in `regdb/queues/`: [`Version`] lists the packets of a chip, [`QueueReader`] splits words into packets, and [`Builder`] builds
//! packets. Common packets are methods of [`SdmaWriter`] or structs such as [`KernelDispatch`].
//!
//! ```
//! use pm4::queues::{QueueFamily, QueueReader, SdmaWriter, Target};
//! let target: Target = "gfx942".parse()?;
//! let version = target.version(QueueFamily::Sdma).expect("it copies");
//! let mut writer = SdmaWriter::new(version);
//! writer.copy(0x10_0000, 0x20_0000, 8 << 20)?.fence(0x30_0000, 1)?.trap(0)?;
//! let names: Vec<_> = QueueReader::new(version, writer.words()).flatten().map(|packet| packet.name()).collect();
//! assert_eq!(names, ["COPY_LINEAR", "FENCE", "TRAP"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aql;
mod builder;
mod format;
mod limits;
mod mes;
mod packet;
mod reader;
mod sdma;
mod tables;
mod target;
mod version;

pub use aql::{BarrierPacket, FenceScope, KernelDispatch, Pm4Buffer};
pub use builder::{BuildError, Builder};
pub use format::{EffectKind, List, QueueEffect, QueueFamily, QueueField, QueueFormat, QueuePlace, Size};
pub use limits::SdmaLimits;
pub use mes::{MesAddQueue, MesFence, MesQueueType, MesRemoveQueue, MesWriter};
#[cfg(feature = "model")]
pub(crate) use packet::is_wide;
pub use packet::{MemoryEffect, QueueDefect, QueuePacket, Window};
pub use reader::{Damage, DamageKind, QueueReader};
pub use sdma::{PollCondition, SdmaWriter};
pub use target::{Target, UnknownChip};
pub use version::Version;
