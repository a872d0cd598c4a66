//! Sizes of metadata on all generations with metadata.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::metadata::{Data, MetadataKind, MetadataLayout};
use crate::layout::{metadata9, metadata10};

/// Returns the size of metadata. `mode` is the number of the data's mode.
pub(in crate::layout) fn size(config: &AddressConfig, kind: MetadataKind, mode: u32, data: &Data, aligned: bool) -> MetadataLayout {
    if config.generation == Generation::Gfx9 { metadata9::size(config, kind, mode, data, aligned) } else { metadata10::size(config, kind, mode, data, aligned) }
}
