//! The layouts of storage roots that tell where an object lies by its identifier: the extensions 0002, 0003 and 0004.

use super::json::Json;
use hashmill_digest::{Algorithm, find, hash};
use serde_json::Value;
use std::fmt::Write;

/// The longest name of a folder that is made of an identifier.
const LONGEST_NAME: usize = 100;

/// A layout.
#[derive(Debug, PartialEq)]
pub(super) enum StorageLayout {
    /// The identifier is the name of a folder in the root.
    Flat,
    /// The digest of the identifier is cut into names of folders.
    Hashed(Tuples, Last),
    /// Another one, which is not checked.
    Other,
}

/// The folders that begin a path.
#[derive(Debug, PartialEq)]
pub(super) struct Tuples {
    algorithm: &'static Algorithm,
    size: usize,
    number: usize,
}

/// The last folder of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Last {
    /// The whole digest.
    Digest,
    /// The rest of it.
    Rest,
    /// The identifier, encoded.
    Identifier,
}

impl StorageLayout {
    /// Reads the layout of a root; none if the root states none. Without a configuration, the usual one counts.
    pub(super) fn read(
        layout: Option<&[u8]>,
        config: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Option<StorageLayout> {
        let layout = Json::parse(layout?).ok()?;
        let name = layout.get("extension").and_then(Json::text)?;
        let config = config(name).map_or(Some(Value::Null), |text| serde_json::from_slice(&text).ok());
        let hashed = |last| {
            config.as_ref().and_then(|config| Some(StorageLayout::Hashed(Tuples::read(config)?, last)))
        };
        let is_short = config.as_ref().is_some_and(|config| config["shortObjectRoot"] == true);
        let read = match name {
            "0002-flat-direct-storage-layout" => Some(StorageLayout::Flat),
            "0003-hash-and-id-n-tuple-storage-layout" => hashed(Last::Identifier),
            "0004-hashed-n-tuple-storage-layout" => hashed(if is_short { Last::Rest } else { Last::Digest }),
            _ => None,
        };
        Some(read.unwrap_or(StorageLayout::Other))
    }

    /// Returns the path of an object below the root, if the layout tells it.
    pub(super) fn path(&self, id: &str) -> Option<String> {
        let (tuples, last) = match self {
            StorageLayout::Flat => return Some(id.into()),
            StorageLayout::Hashed(tuples, last) => (tuples, last),
            StorageLayout::Other => return None,
        };
        let digest = hash(tuples.algorithm, id.as_bytes()).to_string();
        let cut = tuples.size * tuples.number;
        let mut path: String = (0..tuples.number).fold(String::new(), |path, number| {
            path + digest.get(number * tuples.size..(number + 1) * tuples.size).unwrap_or_default() + "/"
        });
        path += match last {
            Last::Digest => &digest,
            Last::Rest => digest.get(cut..)?,
            Last::Identifier => return Some(path + &encoded(id, &digest)),
        };
        Some(path)
    }
}

impl Tuples {
    fn read(config: &Value) -> Option<Tuples> {
        let number = |key: &str| match &config[key] {
            Value::Null => Some(3),
            value => {
                value.as_u64().and_then(|value| usize::try_from(value).ok()).filter(|value| *value <= 32)
            }
        };
        let name = config["digestAlgorithm"].as_str().unwrap_or("sha256");
        let tuples = Tuples {
            algorithm: find(name).ok()?,
            size: number("tupleSize")?,
            number: number("numberOfTuples")?,
        };
        let fits = tuples.size * tuples.number <= tuples.algorithm.bits as usize / 4;
        (fits && (tuples.size == 0) == (tuples.number == 0)).then_some(tuples)
    }
}

/// Returns an identifier as the name of a folder.
fn encoded(id: &str, digest: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            // Writing to a text can't fail.
            other => drop(write!(name, "%{other:02x}")),
        }
    }
    if name.len() <= LONGEST_NAME {
        return name;
    }
    name.truncate(LONGEST_NAME);
    name + "-" + digest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str, config: &str, id: &str) -> Option<String> {
        let layout = format!("{{\"extension\": \"{name}\", \"description\": \"\"}}");
        let config = |_: &str| (!config.is_empty()).then(|| config.as_bytes().to_vec());
        StorageLayout::read(Some(layout.as_bytes()), config).unwrap().path(id)
    }

    /// The values are those of the extensions' own examples.
    #[test]
    fn objects_lie_where_layouts_say() {
        let (both, hashed) =
            ("0003-hash-and-id-n-tuple-storage-layout", "0004-hashed-n-tuple-storage-layout");
        let of = |name, config, id| path(name, config, id).unwrap_or_default();
        assert_eq!(of("0002-flat-direct-storage-layout", "", "object-01"), "object-01");
        assert_eq!(of(both, "", "..hor/rib:le-$id"), "487/326/d8c/%2e%2ehor%2frib%3ale-%24id");
        let md5 = "{\"digestAlgorithm\": \"md5\", \"tupleSize\": 5, \"numberOfTuples\": 2}";
        assert_eq!(of(both, md5, "object-01"), "ff755/34492/object-01");
        let long = "abcdefghij".repeat(10) + "a";
        let digest = "5cc73e648fbcff136510e330871180922ddacf193b68fdeff855683a01464220";
        assert_eq!(of(both, "", &long), format!("5cc/73e/648/{}-{digest}", &long[..100]));
        let digest = "3c0ff4240c1e116dba14c7627f2319b58aa3d77606d0d90dfc6161608ac987d4";
        assert_eq!(of(hashed, "", "object-01"), format!("3c0/ff4/240/{digest}"));
        let short = "{\"shortObjectRoot\": true, \"tupleSize\": 2, \"numberOfTuples\": 1}";
        assert_eq!(of(hashed, short, "object-01"), format!("3c/{}", &digest[2..]));
        assert_eq!(of(hashed, "{\"tupleSize\": 0, \"numberOfTuples\": 0}", "object-01"), digest);
        for config in ["{\"tupleSize\": 0}", "{\"tupleSize\": 32}", "{\"digestAlgorithm\": \"x\"}", "x"] {
            assert_eq!(path(hashed, config, "object-01"), None, "{config}");
        }
        assert_eq!(path("0007-n-tuple-omit-prefix-storage-layout", "", "object-01"), None);
        assert_eq!(StorageLayout::read(None, |_| None), None);
    }
}
