//! Settings of a comparison.

use hashmill_content::resources::Resources;
use hashmill_engine::{Cancel, Live};
use hashmill_manifest::stored::Strength;
use std::sync::Arc;

/// The settings of a comparison: see [`super::EvidenceJob`].
pub(super) struct EvidenceSettings {
    pub least: Strength,
    pub download: bool,
    pub sides: bool,
    pub resources: Resources,
    pub cancel: Cancel,
    pub live: Arc<Live>,
}
