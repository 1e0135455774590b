//! How a model is serialised, for OpenSSF model signing.

use super::values::piece;
use anyhow::ensure;
use clap::{Args, ValueEnum};
use hashmill_digest::{Algorithm, find};
use hashmill_tree::model::{HASHES, Method, SHARD};
use std::num::NonZeroU64;

/// Options of the serialisation of models.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Models")]
pub struct Serialization {
    /// The unit that gets a digest: each file, or each shard of a file, which uses all cores even for a single file
    /// [default: files]
    #[arg(long, value_enum, value_name = "METHOD")]
    pub serialization: Option<SerializationKind>,
    /// The size of a shard [default: 1GB]
    #[arg(long, value_name = "SIZE", value_parser = piece)]
    pub shard_size: Option<NonZeroU64>,
    /// The algorithm of these digests [default: sha256]
    #[arg(long, value_enum, value_name = "NAME")]
    pub hash_type: Option<HashType>,
}

/// Values of `--serialization`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SerializationKind {
    /// Each file
    Files,
    /// Each shard of a file; empty files have no digest
    Shards,
}

/// Values of `--hash-type`, named as in statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HashType {
    /// SHA-256
    Sha256,
    /// BLAKE2b with 512 bits
    #[value(alias = "blake2")]
    Blake2b,
    /// BLAKE3, for whole files only
    Blake3,
}

impl Serialization {
    /// Returns whether any of these options was given.
    pub fn is_asked(&self) -> bool {
        self.serialization.is_some() || self.shard_size.is_some() || self.hash_type.is_some()
    }

    /// Returns the method, and the algorithm of its digests.
    ///
    /// # Errors
    /// If they do not go together.
    pub fn how(&self) -> anyhow::Result<(Method, &'static Algorithm)> {
        let hash_type = self.hash_type.unwrap_or(HashType::Sha256);
        let shards = self.serialization == Some(SerializationKind::Shards);
        ensure!(shards || self.shard_size.is_none(), "--shard-size: needs --serialization shards");
        ensure!(
            !(shards && hash_type == HashType::Blake3),
            "--hash-type blake3 can't go with shards: it hashes a single file on all threads without them"
        );
        let method = match shards {
            true => Method::Shards(self.shard_size.map_or(SHARD, NonZeroU64::get)),
            false => Method::Files,
        };
        Ok((method, algorithm(hash_type)))
    }
}

fn algorithm(hash_type: HashType) -> &'static Algorithm {
    let name = hash_type.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default();
    let row = HASHES.iter().find(|(text, _)| *text == name).and_then(|(_, row)| find(row).ok());
    #[allow(clippy::expect_used, reason = "the values are those of HASHES, whose rows are of the registry")]
    row.expect("an algorithm of the registry")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_an_algorithm() {
        let names = HashType::value_variants().iter().map(|value| algorithm(*value).name);
        assert_eq!(names.collect::<Vec<_>>(), ["sha256", "blake2b-512", "blake3"]);
    }
}
