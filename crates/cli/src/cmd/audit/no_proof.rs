//! Audits in a build without object stores.

use super::Options;
use crate::exit::Exit;
use anyhow::ensure;

/// None: every audit is one of files.
///
/// # Errors
/// If another side than a manifest is named.
pub fn audit(options: &Options) -> anyhow::Result<Option<Exit>> {
    ensure!(options.against.is_none(), "--against: this build reaches no object stores (feature stores)");
    Ok(None)
}
