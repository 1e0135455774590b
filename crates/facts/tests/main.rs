//! Types, entropy and sets of facts, by known answers.

mod entropy;
mod sets;
mod types;
