//! Rules of YARA.

mod differential;
mod faults;
mod known;
mod util;
