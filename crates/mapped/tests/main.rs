//! Tests of maps of files.

mod common;
#[cfg(unix)]
mod cut;
mod maps;
