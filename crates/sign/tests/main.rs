//! Tests of signatures.

mod bundle;
mod chains;
mod every_bit;
mod openssl;
mod programs;
