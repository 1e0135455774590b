//! The functions of the operating system that the standard library lacks, or that differ between systems.
//!
//! This crate knows nothing of what its callers do with files: no digest, record or option has a place here.
//!
//! This module and those beside it have the public functions; all code that depends on a system is below `sys`, one folder
//! or file for each. If a system lacks something, a function returns `None` or an error of kind
//! [`Unsupported`](std::io::ErrorKind::Unsupported), and its documentation says so.

mod attributes;
pub mod error;
mod files;
mod host;
mod inside;
mod metadata;
pub mod names;
mod spot;
mod streams;
mod volume;
// Only Windows has names of this form. They are tested everywhere.
#[cfg(any(windows, test))]
mod wtf8;

#[allow(missing_docs, reason = "what is public has its text where it is re-exported")]
#[cfg_attr(target_os = "linux", path = "sys/linux.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos.rs")]
#[cfg_attr(windows, path = "sys/windows/mod.rs")]
mod sys;

pub use attributes::{Attributes, attributes, attributes_in};
pub use error::{FIFO_WAIT, UnsyncedFolder, without_writer};
pub use files::lock::{Lock, lock_folder, try_lock};
pub use files::shared_file::SharedFile;
pub use files::{
    all_names_in, close_folder, create_own, create_own_folder, names_in, open_disk_alone, open_folder,
    open_now, open_to_change, open_to_read, path_of, publish, publish_folder, read_at, read_exact_at,
    read_file, settle, sync_folder, sync_many, umask, write_all_at, write_at,
};
pub use host::{Usage, bytes_read, home, host_name, most_open, random, settings, states, usage, user_number};
pub use inside::{
    Attribute, copy_attributes, create_in, exchange_in, facts_in, link_in, make_link, remove_in, rename_in,
    rename_new_in, sync_in,
};
pub use metadata::facts::{Facts, FileId, FileKind, Links, facts, facts_at};
pub use metadata::owner::{Access, Owner, others_may, owned_at, owner};
pub use metadata::reparse;
pub use names::{pattern, roots};
pub use spot::{OpenFolder, Spot};
pub use streams::{Stream, hold_closed_streams, is_closed, standard};
#[cfg(unix)]
pub use sys::{FolderEntry, FolderStream};
#[cfg(unix)]
pub use sys::{open_beneath, read_link_in, retry_interrupted, with_c_string};
pub use volume::{DISKS_ARE_BLOCKS, device_size, free, free_at, mount_point, volume_text};
