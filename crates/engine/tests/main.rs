//! Whole runs over real files.

mod blocks;
mod facts;
mod likeness;
mod run;
mod saving;
mod scans;
mod tap;
mod util;
