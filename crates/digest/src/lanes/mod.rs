//! Many messages at once, one in each lane of a vector register.
//!
//! [`vector`] defines the operations of a register; each instruction set implements them in one file. A [`LaneSet`]
//! holds the messages in lanes; a [`runner`] compresses their next blocks; [`Pick`] chooses runners by their [`Costs`];
//! [`bank`] fills lanes, runs them, and takes finished messages out.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod bank;
pub(crate) mod costs;
mod messages;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pick;
mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod register;
mod runner;
mod set;
#[cfg(target_arch = "x86_64")]
mod sse41;
mod twice;
pub(crate) mod vector;
mod width;

pub(crate) use pick::Pick;
pub use pick::Plan;
pub(crate) use runner::one_lane;
pub(crate) use set::LaneSet;
pub use width::Width;
