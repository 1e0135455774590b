//! The calls that Linux and macOS share.

mod calls;
mod errors;
mod facts;
mod files;
mod inside;
mod listing;
mod names;
mod process;
mod volume;

pub use calls::retry_interrupted;
pub(crate) use errors::names;
pub use errors::{IS_FOLDER, LINK, NO_DEVICE, NO_DIRECT, NO_LOCKS, NO_SWAP, TOO_MANY_OPEN, common_name};
pub use facts::{OTHERS, SYSTEM, USER_NUMBER, facts, facts_at, others_may, owned_at, owner};
pub use files::{
    close_folder, create_own, create_own_folder, hold_closed_streams, is_closed, lock_holder,
    open_disk_alone, open_folder, open_now, open_to_change, open_to_read, publish, publish_folder, read_at,
    settle, standard, sync_folder, try_lock, write_at,
};
pub use inside::{copy_attributes, create_in, link_in, make_link, remove_in, rename_in, sync_in};
pub use listing::names_in;
pub use listing::{FolderEntry, FolderStream};
pub use names::{
    REPLACES_PATTERNS, bytes, canonical, exact_path, into_bytes, into_name, into_path, into_path_bytes,
    is_from_root, name, path, path_bytes,
};
pub use process::{home, settings, states, umask, usage, user_number};
pub use volume::{free, free_at, volume_text};
