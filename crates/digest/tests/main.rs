//! Tests of the digests.

mod agree;
mod cid;
mod entries;
mod fuzz;
mod lanes_agree;
mod lanes_inlined;
mod lanes_support;
mod lanes_totals;
mod long;
mod parts;
mod peek;
mod saved;
mod split;
mod tools;
mod tree;
mod vectors;
