//! Tests of whole images.

mod ext;
mod foreign;
mod iso9660;
mod made;
mod ntfs;
mod seen;
mod tools;
mod volumes;
mod walk;
