//! The hashdeep commands against hashdeep 4.4 itself: the same command lines on the same trees, in which
//! all that is shown must be the same. Where 4.4 is not installed, these tests note it.

mod against;
mod better;
mod lab;
mod lists;
mod random;
