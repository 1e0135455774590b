//! Tests of whole images.

mod exfat;
// They fill trees with the names, links and devices of Unix.
#[cfg(unix)]
mod ext;
mod fat;
mod foreign;
mod iso9660;
mod made;
mod ntfs;
mod seen;
mod sleuthkit;
mod tools;
mod volumes;
mod walk;
