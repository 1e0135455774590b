//! The calls that Linux and macOS share.

mod beneath;
mod calls;
mod errors;
mod facts;
mod files;
mod inside;
mod listing;
mod names;
mod process;
mod volume;

pub use beneath::{open_in_steps, open_to_look_up};
pub use calls::{retry_interrupted, with_c_string};
pub(crate) use errors::names;
pub use errors::{IS_FOLDER, LINK, NO_DEVICE, NO_DIRECT, NO_LOCKS, NO_SWAP, TOO_MANY_OPEN, common_name};
pub use facts::{
    OTHERS, SYSTEM, USER_NUMBER, facts, facts_at, facts_in, others_may, owned_at, owned_in, owner,
};
pub use files::{
    close_folder, create_own, create_own_folder, hold_closed_streams, is_closed, lock_holder,
    open_disk_alone, open_folder, open_now, open_to_change, open_to_read, publish, publish_folder, read_at,
    settle, standard, sync_folder, try_lock, write_at,
};
pub use inside::{
    HAS_CALLS_IN_FOLDERS, copy_attributes, create_folder_in, create_in, link_in, make_link, make_link_in,
    open_folder_in, open_now_in, open_to_change_in, read_link_in, remove_in, rename_in, rename_new_in,
    sync_in,
};
pub use listing::names_in;
pub use listing::{FolderEntry, FolderStream};
pub use names::{
    REPLACES_PATTERNS, bytes, canonical, exact_path, into_bytes, into_name, into_path, into_path_bytes,
    is_from_root, name, path, path_bytes,
};
pub use process::{home, most_open, settings, states, umask, usage, user_number};
pub use volume::{free, free_at, volume_text};
