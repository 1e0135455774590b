//! Modes of BLAKE3: keyed, key derivation, and other lengths. Each replaces `blake3` in the list of algorithms by an
//! algorithm with its own name.

use super::algorithms::{Algorithms, Name};
use super::values::number;
use anyhow::{Context, ensure};
use clap::Args;
use hashmill_digest::{Algorithm, KEY_BYTES, Key, find};
use hashmill_os::{Stream, open_to_read, standard};
use hashmill_terminal::Shown;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The modes that were typed.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "BLAKE3")]
pub struct Blake3 {
    /// Hash with the key in FILE, 32 raw bytes; - is standard input. The digests are called blake3-keyed
    #[arg(long, value_name = "FILE", conflicts_with = "derive_key")]
    keyed: Option<PathBuf>,
    /// Derive keys from the input, in this context. The digests are called blake3-derive-key
    #[arg(long, value_name = "CONTEXT")]
    derive_key: Option<String>,
    /// Write BLAKE3 digests of N bytes, 1 to 64, in any mode
    #[arg(long, value_name = "N", value_parser = length)]
    length: Option<u64>,
}

/// The name of BLAKE3 without a key.
const PLAIN: &str = "blake3";

impl Blake3 {
    /// Returns whether any of these options was typed.
    pub fn is_given(&self) -> bool {
        self.option().is_some()
    }

    /// Returns whether a key or a context was typed.
    pub fn has_key(&self) -> bool {
        self.keyed.is_some() || self.derive_key.is_some()
    }

    /// Checks that standard input is not read as both key and data.
    ///
    /// # Errors
    /// If it is.
    pub fn check_stdin(&self, is_read: bool) -> anyhow::Result<()> {
        let has_key = self.keyed.as_deref() == Some(Path::new("-"));
        ensure!(!(has_key && is_read), "--keyed -: standard input can't be both the key and the data");
        Ok(())
    }

    /// Reads the key that was typed.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn key(&self) -> anyhow::Result<Option<Key>> {
        Ok(match (&self.keyed, &self.derive_key) {
            (Some(file), _) => Some(Key::new(&read(file)?)),
            (_, context) => context.as_deref().map(Key::from_context),
        })
    }

    /// Returns the algorithms in the modes that were typed, with this key in them.
    ///
    /// # Errors
    /// If BLAKE3 is not among the algorithms.
    pub fn apply(&self, mut algorithms: Algorithms, key: Option<&Key>) -> anyhow::Result<Algorithms> {
        let Some(option) = self.option() else { return Ok(algorithms) };
        let family = key.map_or(PLAIN, |key| key.mode().family());
        let mut changed: Vec<&'static Algorithm> = Vec::new();
        for algorithm in &algorithms.digests {
            let algorithm = self.changed(algorithm, family, key)?;
            ensure!(!changed.contains(&algorithm), "{option}: {} twice", algorithm.name);
            changed.push(algorithm);
        }
        ensure!(changed.iter().any(|row| is_of(row, family)), "{option}: -c names no blake3");
        algorithms.digests = changed;
        Ok(algorithms)
    }

    /// Returns the algorithm of digests that a list does not name, with this key in it.
    ///
    /// # Errors
    /// As [`Blake3::apply`].
    pub fn of_unnamed(
        &self,
        typed: Option<Name>,
        key: Option<&Key>,
    ) -> anyhow::Result<Option<&'static Algorithm>> {
        if self.option().is_none() {
            return Ok(typed.map(|name| name.0));
        }
        let typed = typed.map_or_else(|| find(PLAIN), |name| Ok(name.0))?;
        Ok(self.apply(vec![typed].into(), key)?.digests.first().copied())
    }

    /// Returns the first option that was typed.
    fn option(&self) -> Option<&'static str> {
        match (&self.keyed, &self.derive_key, self.length) {
            (Some(_), ..) => Some("--keyed"),
            (_, Some(_), _) => Some("--derive-key"),
            (.., Some(_)) => Some("--length"),
            _ => None,
        }
    }

    /// Returns an algorithm in the mode that was typed.
    fn changed(
        &self,
        algorithm: &'static Algorithm,
        family: &str,
        key: Option<&Key>,
    ) -> anyhow::Result<&'static Algorithm> {
        let parameter = algorithm.parameter.filter(|_| is_of(algorithm, PLAIN) || is_of(algorithm, family));
        let Some(parameter) = parameter else { return Ok(algorithm) };
        let bytes = self.length.unwrap_or(parameter.value);
        let is_usual = find(family)?.parameter.is_some_and(|usual| usual.value == bytes);
        let row = if is_usual { find(family)? } else { find(&format!("{family}:{bytes}"))? };
        Ok(key.and_then(|key| key.algorithm(row)).unwrap_or(row))
    }
}

fn is_of(algorithm: &Algorithm, family: &str) -> bool {
    algorithm.parameter.is_some_and(|parameter| parameter.family == family)
}

/// Parses the length of a digest.
fn length(text: &str) -> Result<u64, String> {
    Some(number(text)?).filter(|bytes| (1..=64).contains(bytes)).ok_or_else(|| "not from 1 to 64".to_string())
}

/// Reads a key of 32 bytes.
fn read(file: &Path) -> anyhow::Result<[u8; KEY_BYTES]> {
    let is_stdin = file == Path::new("-");
    let name = if is_stdin { "standard input".into() } else { Shown::path(file).to_string() };
    let mut bytes = Vec::new();
    let input = match is_stdin {
        true => standard(Stream::Input),
        false => open_to_read(file),
    };
    let done = input.and_then(|input| input.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes));
    done.with_context(|| format!("--keyed: {name}: cannot read the key"))?;
    let found = if bytes.len() > KEY_BYTES { "more".to_string() } else { bytes.len().to_string() };
    <[u8; KEY_BYTES]>::try_from(bytes).map_err(|_| {
        anyhow::anyhow!(
            "--keyed: {name}: a key is {KEY_BYTES} raw bytes, not hexadecimal; this file has {found}"
        )
    })
}
