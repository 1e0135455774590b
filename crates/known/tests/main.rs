//! Tests of sets of known digests.

#[cfg(feature = "archives")]
mod archives;
mod damage;
mod foreign_index;
mod lists;
mod oracle;
#[cfg(feature = "tables")]
mod rds;
mod robust;
mod support;
