//! The question whether bytes are worth to look into.

use crate::{Compression, archives, foreign, stream};
use hashmill_disk::Medium;

/// Returns whether some format recognises bytes, also one that can't be read. `first` are the first ones, with
/// [`StreamFormat::FIRST`](crate::StreamFormat::FIRST) bytes if there are that many.
pub fn is_known(bytes: &dyn Medium, first: &[u8]) -> bool {
    archives(bytes).next().is_some()
        || Compression::of(first).is_some()
        || stream(first).is_some()
        || foreign(first).is_some()
}
