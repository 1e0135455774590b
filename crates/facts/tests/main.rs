//! Types, entropy and sets of facts, by known answers.

mod entropy;
mod pronom;
mod sets;
mod types;
