//! Windows.

mod calls;
mod errors;
mod facts;
mod files;
mod guard;
mod host;
mod inside;
mod names;
mod owner;
mod security;
mod volume;
mod wide;

pub use errors::{DAMAGE, IS_FOLDER, LINK, NO_DEVICE, NO_DIRECT, NO_LOCKS, NO_SWAP, TOO_MANY_OPEN, word};
pub use facts::{OTHERS, facts, facts_at};
pub use files::{
    hold_closed_streams, is_closed, lock_holder, names_in, open_disk_alone, open_folder, open_now,
    open_to_change, open_to_read, read_at, settle, standard, sync_folder, sync_many, try_lock, umask,
    write_at,
};
pub use host::{bytes_read, home, host_name, most_open, random, settings, states, usage, user_number};
pub use inside::{
    Attributes, HAS_CALLS_IN_FOLDERS, LOOKUP, attributes, attributes_in, copy_attributes, create_folder_in,
    create_in, exchange_in, facts_in, link_in, make_link, make_link_in, open_beneath, open_folder_in,
    open_now_in, open_to_change_in, open_to_look_up, owned_in, read_link_in, remove_in, rename_in,
    rename_new_in, sync_in,
};
pub use names::{
    REPLACES_PATTERNS, bytes, canonical, exact_path, into_bytes, into_name, into_path, into_path_bytes,
    is_from_root, name, path, path_bytes,
};
pub use owner::{SYSTEM, USER_NUMBER, others_may, owned_at, owner};
pub use security::{close_folder, create_own, create_own_folder, publish, publish_folder};
pub use volume::{DISKS_ARE_BLOCKS, device_size, free, free_at, mount_point, path_of, volume_text};
