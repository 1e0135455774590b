//! The access to object stores of the command that runs. Its options set it; hints in messages need it everywhere.

use hashmill_content::Stores;
use std::sync::{LazyLock, Mutex, PoisonError};

static CURRENT: LazyLock<Mutex<Stores>> = LazyLock::new(Mutex::default);

/// Begins a command with this access.
pub fn begin(stores: Stores) {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = stores;
}

/// Returns the access of the command.
pub fn stores() -> Stores {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
