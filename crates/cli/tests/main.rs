//! The command as its users see it: one binary for all cases, one helper.

mod archives;
mod audit;
mod backing;
mod bag;
mod bag_archives;
mod bare;
mod bench_tools;
mod blocks;
mod calibrate;
mod case;
mod check;
mod check_peers;
mod completions;
mod convert;
mod diff;
mod dupes;
mod exits;
mod explain;
mod faults;
mod forged;
mod generated;
mod hash;
mod help;
mod histories;
mod ignored;
mod image;
mod injected;
mod inside;
mod interrupted;
mod judge;
mod judges;
mod kept;
mod kernels;
mod keyed;
mod known;
mod lfs_pointers;
mod lists;
mod messages;
mod model;
mod moved;
mod objects;
mod outputs;
mod own;
mod packages;
#[cfg(feature = "stores")]
mod proof;
mod reading;
mod report;
mod resume;
mod reuse;
mod schemas;
#[cfg(feature = "scrub")]
mod scrub;
#[cfg(feature = "scrub")]
mod scrub_lists;
#[cfg(feature = "scrub")]
mod scrub_metrics;
#[cfg(feature = "scrub")]
mod scrub_repair;
mod seal;
mod settings;
mod sign;
mod similar;
mod stamp;
mod start;
mod stores;
mod terminal;
mod tour;
mod tree;
mod util;
mod write;
mod writing;
