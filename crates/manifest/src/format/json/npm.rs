//! `npm`: lock files of npm (`package-lock.json`, `npm-shrinkwrap.json`), versions 1 to 3: the packed packages that they
//! name, with the digests in `integrity`.
//!
//! A package from a registry has the name that `npm pack` gives it, one from elsewhere the last part of its address, and
//! one in a file (`file:`) the path of that. Sources: npm's documentation, "package-lock.json"; W3C, Subresource Integrity.

use super::objects::has_keys;
use crate::format::json;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::values::percent;
use crate::format::values::several::without_digest;
use crate::format::{Hint, Reader};
use crate::{Named, Record};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_digest::{Digest, find};
use serde_json::Value;
use std::collections::HashSet;
use std::io::Read;
use std::vec;

/// The maximum number of bytes of a lock file.
const MAX_FILE: usize = 64 << 20;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let lists = || ["packages", "dependencies"].iter().any(|key| has_keys(first, &[key]));
    has_keys(first, &["lockfileVersion"]) && lists() && !is_bun(first)
}

/// Returns whether a lock file with these first bytes is one of Bun: its workspaces are an object.
pub(in crate::format) fn is_bun(first: &[u8]) -> bool {
    const KEY: &[u8] = b"\"workspaces\"";
    memchr::memmem::find(first, KEY).is_some_and(|at| {
        let rest = first.get(at + KEY.len()..).unwrap_or_default().trim_ascii_start();
        rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
    })
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LockReader { input: Some(input), records: Vec::new().into_iter() })
}

/// The records of a lock file, which is read as a whole.
struct LockReader<'a> {
    input: Option<Box<dyn Read + 'a>>,
    records: vec::IntoIter<Record>,
}

impl Iterator for LockReader<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(input) = self.input.take() {
            match records(input) {
                Ok(records) => self.records = records.into_iter(),
                Err(bad) => return Some(Err(bad.at(1))),
            }
        }
        self.records.next().map(Ok)
    }
}

impl Reader for LockReader<'_> {}

fn records(input: Box<dyn Read + '_>) -> Result<Vec<Record>, Bad> {
    let mut text = Vec::new();
    let read = input.take(MAX_FILE as u64 + 1).read_to_end(&mut text);
    read.map_err(|error| Bad::new("file", Why::Io(error)))?;
    if text.len() > MAX_FILE {
        return Err(Bad::new("document", Why::TooLong(MAX_FILE)));
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let document = json::parse(text).map_err(|source| Bad::new("document", Why::Json(source)))?;
    let packages = match document.get("packages") {
        Some(packages) => of_packages(packages)?,
        None => of_dependencies(document.get("dependencies").ok_or(Bad::new("packages", Why::Missing))?)?,
    };
    let mut met = HashSet::new();
    let records: Vec<Record> = packages
        .into_iter()
        .filter(|package| met.insert((package.path(), package.integrity)))
        .map(|package| package.record())
        .collect();
    // A document without packages must not pass as one whose packages all match.
    if records.is_empty() { Err(Bad::new("packages", Why::Missing)) } else { Ok(records) }
}

/// A package in a lock file.
#[derive(Default)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    /// The address that it comes from.
    resolved: Option<&'a str>,
    /// The digests: an algorithm, `-` and base64, possibly several.
    integrity: Option<&'a str>,
}

/// Returns the packages of versions 2 and 3, by their folders.
fn of_packages(packages: &Value) -> Result<Vec<Package<'_>>, Bad> {
    let packages = packages.as_object().ok_or(Bad::new("packages", Why::Type))?;
    let mut found = Vec::new();
    for (folder, package) in packages {
        // All others are folders of the project itself.
        let Some((_, name)) = folder.rsplit_once("node_modules/") else { continue };
        let is = |key| package.get(key).and_then(Value::as_bool) == Some(true);
        if is("link") || is("inBundle") {
            continue;
        }
        let read = Package::read(package)?;
        let name = if read.name.is_empty() { name } else { read.name };
        found.push(Package { name, ..read });
    }
    Ok(found)
}

/// Returns the packages of version 1: each may have dependencies of its own.
fn of_dependencies(dependencies: &Value) -> Result<Vec<Package<'_>>, Bad> {
    let mut found = Vec::new();
    let mut open = vec![dependencies];
    while let Some(dependencies) = open.pop() {
        let dependencies = dependencies.as_object().ok_or(Bad::new("dependencies", Why::Type))?;
        for (name, package) in dependencies {
            open.extend(package.get("dependencies"));
            if package.get("bundled").and_then(Value::as_bool) == Some(true) {
                continue;
            }
            let mut read = Package { name, ..Package::read(package)? };
            if let Some((name, version)) =
                read.version.strip_prefix("npm:").and_then(|real| real.rsplit_once('@'))
            {
                (read.name, read.version) = (name, version);
            } else if read.resolved.is_none() && read.version.contains(':') {
                read.resolved = Some(read.version);
            }
            // A folder of the project.
            let is_folder = read.resolved.is_some_and(|from| from.starts_with("file:"));
            if !is_folder || read.integrity.is_some() {
                found.push(read);
            }
        }
    }
    Ok(found)
}

impl<'a> Package<'a> {
    fn read(package: &'a Value) -> Result<Package<'a>, Bad> {
        let text = |key: &'static str| match package.get(key) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or(Bad::new(key, Why::Type)),
        };
        if !package.is_object() {
            return Err(Bad::new("package", Why::Type));
        }
        let resolved = match package.get("resolved") {
            // npm writes false where a package is in its parent.
            Some(Value::Bool(_)) => None,
            _ => text("resolved")?,
        };
        Ok(Package {
            name: text("name")?.unwrap_or_default(),
            version: text("version")?.unwrap_or_default(),
            resolved,
            integrity: text("integrity")?,
        })
    }

    /// Returns the path of its file beside the lock file.
    fn path(&self) -> Vec<u8> {
        match self.resolved {
            Some(from) if from.starts_with("file:") => from.trim_start_matches("file:").into(),
            // A registry has packages below `/-/`; git has none at all.
            Some(from) if from.starts_with("http") && !from.contains("/-/") => last_part(from),
            _ => self.packed().into_bytes(),
        }
    }

    /// Returns the name that `npm pack` gives its file.
    fn packed(&self) -> String {
        let name = self.name.strip_prefix('@').unwrap_or(self.name);
        format!("{name}-{}.tgz", self.version).replace(['/', '\\'], "-")
    }

    fn record(&self) -> Record {
        let path = self.path();
        match self.integrity.and_then(digests) {
            Some(digests) => Record::hashed(path.into(), None, digests),
            None => without_digest(&path),
        }
    }
}

/// Returns the last part of an address, decoded.
fn last_part(address: &str) -> Vec<u8> {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let part = address.rsplit('/').find(|part| !part.is_empty()).unwrap_or(address);
    percent::decoded(part.as_bytes())
}

/// Returns the digests of a text of Subresource Integrity; none if one is malformed, or if there are two by one algorithm,
/// of which either would do. Unknown algorithms are passed over, as the standard has it.
fn digests(integrity: &str) -> Option<Vec<Named>> {
    let mut digests: Vec<Named> = Vec::new();
    for part in integrity.split_ascii_whitespace() {
        let (name, rest) = part.split_once('-')?;
        let text = rest.split('?').next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        if !matches!(&*name, "md5" | "sha1" | "sha256" | "sha384" | "sha512") {
            continue;
        }
        let algorithm = find(&name).ok()?;
        let bytes = STANDARD.decode(text).ok()?;
        let is_again = digests.iter().any(|known| known.algorithm == algorithm);
        if bytes.len() as u32 * 8 != algorithm.bits || is_again {
            return None;
        }
        digests.push(Named { algorithm, digest: Digest::new(&bytes), guessed: false });
    }
    (!digests.is_empty()).then_some(digests)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA512: &str =
        "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
    const SHA1: &str = "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=";

    fn told(text: &str) -> Vec<String> {
        let told = |record: Result<Record, Malformed>| match record {
            Err(malformed) => malformed.to_string(),
            Ok(record) => {
                let names: Vec<_> = record.digests.iter().map(|named| named.algorithm.name).collect();
                format!("{} {}", String::from_utf8_lossy(&record.path), names.join(","))
            }
        };
        reader(Box::new(text.as_bytes()), Hint::None).map(told).collect()
    }

    #[test]
    fn packages_are_named_as_npm_pack_does() {
        for (package, wanted) in [
            (r#""node_modules/a":{"version":"1.0.0","integrity":"S"}"#, "a-1.0.0.tgz sha512"),
            (
                r#""node_modules/b/node_modules/@s/a":{"version":"1.0.0-rc.1","integrity":"S"}"#,
                "s-a-1.0.0-rc.1.tgz sha512",
            ),
            (
                r#""node_modules/x":{"name":"@s/real","version":"2.0.0","resolved":"https://r/@s/real/-/real-2.0.0.tgz","integrity":"T S?x"}"#,
                "s-real-2.0.0.tgz sha1,sha512",
            ),
            (
                r#""node_modules/x":{"version":"1","resolved":"https://h/d/x%20y.tgz?t=1#z","integrity":"S"}"#,
                "x y.tgz sha512",
            ),
            (
                r#""node_modules/x":{"version":"1","resolved":"file:packed/x.tgz","integrity":"S"}"#,
                "packed/x.tgz sha512",
            ),
            (r#""node_modules/x":{"version":"1","resolved":"git+ssh://git@h/x.git#00"}"#, "x-1.tgz "),
            (r#""node_modules/../../x":{"version":"1/../..","integrity":"S"}"#, "..-..-x-1-..-...tgz sha512"),
        ] {
            let package = package.replace("\"S", &format!("\"{SHA512}")).replace(" S", &format!(" {SHA512}"));
            let text = format!(
                r#"{{"lockfileVersion":3,"packages":{{"":{{"name":"p"}},"packages/w":{{}},{}}}}}"#,
                package.replace("\"T ", &format!("\"{SHA1} "))
            );
            assert!(sniff(text.as_bytes()), "{text}");
            assert_eq!(told(&text), [wanted], "{text}");
        }
    }

    #[test]
    fn version_1_nests_packages() {
        let text = format!(
            r#"{{"lockfileVersion":1,"dependencies":{{"a":{{"version":"1.0.0","integrity":"{SHA512}","dependencies":{{
            "b":{{"version":"npm:@c/d@2.0.0","integrity":"{SHA1}"}},"e":{{"version":"1.0.0","bundled":true}}}}}},
            "f":{{"version":"file:../f"}},"g":{{"version":"https://h/g.tgz","integrity":"{SHA1}"}},
            "h":{{"version":"1.0.0","integrity":"{SHA512}"}}}}}}"#
        );
        assert_eq!(
            told(&text),
            ["a-1.0.0.tgz sha512", "g.tgz sha1", "h-1.0.0.tgz sha512", "c-d-2.0.0.tgz sha1"]
        );
    }

    #[test]
    fn integrity_that_says_nothing_sure_is_none() {
        assert_eq!(digests(&format!("{SHA512} sha3-x {SHA1}")).map(|all| all.len()), Some(2));
        for text in
            ["", "sha512", "sha512-", "sha512-AAAA", "sha3-AAAA", "md5-*", &format!("{SHA512} {SHA512}")]
        {
            assert!(digests(text).is_none(), "{text}");
        }
    }

    #[test]
    fn documents_without_packages_are_malformed() {
        for text in [
            r#"{"lockfileVersion":3,"packages":{}}"#,
            r#"{"lockfileVersion":3,"packages":{"":{"name":"x"}}}"#,
            r#"{"lockfileVersion":3,"packages":[]}"#,
            r#"{"lockfileVersion":3,"packages":{"node_modules/a":1}}"#,
            r#"{"lockfileVersion":3,"packages":{"node_modules/a":{"version":1}}}"#,
            r#"{"lockfileVersion":3,"packages":{"node_modules/a":{},"node_modules/a":{}}}"#,
            r#"{"lockfileVersion":3,"packages":{"#,
        ] {
            let told = told(text);
            assert!(told.len() == 1 && told[0].starts_with("line 1"), "{told:?}");
        }
        let bun = br#"{"lockfileVersion":1,"workspaces":{"":{}},"packages":{"a":["a@1"]}}"#;
        assert!(is_bun(bun) && !sniff(bun));
    }
}
