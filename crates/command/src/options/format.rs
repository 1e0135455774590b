//! `-f` of commands that write manifests: the format that was typed, else the one that the output's name implies.

use anyhow::ensure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hashmill_job::Algorithms;
use hashmill_manifest::format::{FORMATS, Format, Hint, find_format, format_of_name};
use hashmill_os::names;
use std::fmt;
use std::path::Path;

/// A format that hashmill writes.
#[derive(Clone, Copy)]
pub struct Written(pub &'static Format);

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

/// Parses the name or an alias of a format that can be written.
pub fn format() -> impl TypedValueParser<Value = Written> {
    PossibleValuesParser::new(values()).try_map(|name| named(&name).ok_or("no such format"))
}

/// Returns the names and aliases of the formats that can be written.
pub fn values() -> impl Iterator<Item = PossibleValue> {
    let written = FORMATS.iter().filter(|format| format.writer.is_some());
    written.map(|format| PossibleValue::new(format.name).aliases(format.aliases))
}

/// Returns the format of this name or alias, if it can be written.
pub fn named(name: &str) -> Option<Written> {
    find_format(name).filter(|format| format.writer.is_some()).map(Written)
}

/// Returns the suffixes of file names that imply a format, for the help of `-f`.
pub fn endings() -> String {
    let written = FORMATS.iter().filter(|format| format.writer.is_some());
    let endings: Vec<_> =
        written.filter_map(|format| format.suffixes.first()).map(|suffix| format!(".{suffix}")).collect();
    format!("{}; SHA256SUMS and the like are sums", endings.join(", "))
}

/// Returns the format that was typed; else the one that the output's name implies, if it can be written; else
/// `otherwise`.
pub fn choose(
    typed: Option<Written>,
    output: Option<&Path>,
    otherwise: &str,
) -> anyhow::Result<&'static Format> {
    let of_name = || {
        let format = format_of_name(&names::path_bytes(output?))?;
        format.writer.is_some().then_some(Written(format))
    };
    let chosen = typed.or_else(of_name).or_else(|| named(otherwise));
    chosen.map(|Written(format)| format).ok_or_else(|| anyhow::anyhow!("{otherwise}: no such format"))
}

/// Returns the algorithms that were typed; else those that the output's name or the format prescribes (`SHA256SUMS`,
/// `x.sfv`); else BLAKE3.
///
/// # Errors
/// If the output's name implies another algorithm than the one that was typed, and the format does not name algorithms:
/// readers would take the digests for the other one's.
pub fn algorithms(
    typed: Option<&Algorithms>,
    format: &Format,
    output: Option<&Path>,
) -> anyhow::Result<Algorithms> {
    let hint = output.map_or(Hint::None, |path| Hint::from_name(&names::path_bytes(path)));
    let said = match hint {
        Hint::Name(algorithm) if !format.carries.algorithm => Some(algorithm),
        _ => None,
    };
    if let (Some(typed), Some(said), Some(path)) = (typed, said, output) {
        let fits = typed.likeness.is_empty() && typed.digests.iter().all(|typed| typed.name == said.name);
        ensure!(
            fits,
            "{}: the name implies {said}, but -c says {}: use -c {said}, or a name that implies no algorithm",
            path.display(),
            names(typed),
            said = said.name
        );
    }
    match typed {
        Some(typed) => Ok(typed.clone()),
        None => Ok(said.map_or_else(|| Algorithms::of_format(format), |said| Algorithms::named(said.name))?),
    }
}

fn names(algorithms: &Algorithms) -> String {
    let digests = algorithms.digests.iter().map(|algorithm| algorithm.name);
    let names: Vec<_> = digests.chain(algorithms.likeness.iter().map(|(_, row)| row.name)).collect();
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(typed: Option<&str>, output: &str) -> &'static str {
        choose(typed.and_then(named), Some(Path::new(output)), "hashdeep").unwrap().name
    }

    #[test]
    fn what_is_typed_counts_then_the_name_of_the_output() {
        assert_eq!(chosen(None, "m.parquet"), "parquet");
        assert_eq!(chosen(Some("ndjson"), "m.parquet"), "jsonl");
        assert_eq!(chosen(None, "SHA256SUMS"), "sums");
        assert_eq!(chosen(None, "photos.manifest"), "hashdeep");
        // EnCase's sets are only read.
        assert_eq!(chosen(None, "photos.hash"), "hashdeep");
    }

    #[test]
    fn names_of_lists_choose_the_algorithm() {
        let of = |typed: Option<&str>, output: &str| {
            let typed = typed.map(|list| Algorithms::named(list).unwrap());
            let format = choose(None, Some(Path::new(output)), "hashdeep").unwrap();
            algorithms(typed.as_ref(), format, Some(Path::new(output))).map(|found| names(&found)).ok()
        };
        assert_eq!(of(None, "SHA256SUMS").as_deref(), Some("sha256"));
        assert_eq!(of(None, "photos.sfv").as_deref(), Some("crc32"));
        assert_eq!(of(None, "photos.jsonl").as_deref(), Some("blake3"));
        assert_eq!(of(None, "photos.md5.jsonl").as_deref(), Some("blake3"));
        assert_eq!(of(Some("md5"), "photos.md5").as_deref(), Some("md5"));
        assert_eq!(of(Some("sha1"), "photos.md5"), None);
        assert_eq!(of(Some("md5,sha1"), "photos.md5"), None);
    }
}
