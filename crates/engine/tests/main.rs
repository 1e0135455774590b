//! Whole runs over real files.

mod blocks;
mod likeness;
mod run;
mod saving;
mod tap;
mod util;
