//! Image layouts of OCI: `index.json` names manifests, a manifest names its configuration and layers; all of them are
//! `blobs/ALGORITHM/DIGEST`.

use crate::{BadIndex, References, Role, Root};
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(crate) const ROOTS: &[Root] = &[Root { path: "", marks: &["oci-layout", "index.json"], others: &[] }];

const INDEX: &[u8] = b"index.json";

/// Returns the role of a file.
pub(crate) fn role(path: &[u8]) -> Role {
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    match parts[..] {
        [b"blobs", b"sha256", name] => Role::stored("sha256", name),
        [b"blobs", b"sha512", name] => Role::stored("sha512", name),
        [b"blobs", ..] => Role::Stranger,
        [b"oci-layout" | INDEX] => Role::Apart,
        _ => Role::Stranger,
    }
}

/// Returns whether a file names blobs by its path alone.
pub(crate) fn is_index(path: &[u8]) -> bool {
    path == INDEX
}

/// An index or a manifest.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    manifests: Vec<Descriptor>,
    layers: Vec<Descriptor>,
    blobs: Vec<Descriptor>,
    config: Option<Descriptor>,
    subject: Option<Descriptor>,
}

/// The name of a blob.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    #[serde(default)]
    media_type: Box<str>,
    digest: Box<str>,
    /// The number of bytes.
    #[serde(default)]
    size: Option<u64>,
    /// Places of the bytes, if they are elsewhere, such as layers of Windows that may not be distributed.
    #[serde(default)]
    urls: Vec<IgnoredAny>,
}

/// Parts of the media types of blobs that name others.
const INDEX_TYPES: [&str; 4] = [".manifest.", ".index.", ".manifest+", ".list."];

/// Reads an index or a manifest.
pub(crate) fn references(_: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
    let bad = BadIndex("is not an index or manifest in JSON");
    let document: Document = serde_json::from_slice(bytes).map_err(|_| bad)?;
    let Document { manifests, layers, blobs, config, subject } = document;
    let mut references = References::default();
    for descriptor in manifests.iter().chain(&layers).chain(&blobs).chain(&config) {
        add(descriptor, &mut references)?;
    }
    // The manifest that another is about may lie elsewhere.
    if let Some(subject) = subject {
        let mut about = References::default();
        add(&subject, &mut about)?;
        references.optional = about.objects;
        references.sizes.append(&mut about.sizes);
    }
    Ok(references)
}

/// Adds the blob that a descriptor names.
fn add(descriptor: &Descriptor, references: &mut References) -> Result<(), BadIndex> {
    let digest = descriptor.digest.split_once(':');
    let (algorithm, name) = digest.ok_or(BadIndex("has a digest without an algorithm"))?;
    let path = format!("blobs/{algorithm}/{name}");
    if !matches!(role(path.as_bytes()), Role::Object(_)) {
        return Err(BadIndex(
            "has a digest by an algorithm other than sha256 and sha512, or in another form",
        ));
    }
    references.sizes.extend(descriptor.size.map(|size| (path.as_bytes().into(), size)));
    let is_index = INDEX_TYPES.iter().any(|part| descriptor.media_type.contains(part));
    if !descriptor.urls.is_empty() {
        references.elsewhere.push(path.into_bytes().into());
    } else if is_index {
        references.add_index(path)
    } else {
        references.add(path)
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_name_blobs() {
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let index = format!(
            r#"{{"manifests": [{{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "sha256:{sha256}"}}]}}"#
        );
        let read = references(INDEX, index.as_bytes()).unwrap();
        assert_eq!(read.objects, read.indexes);
        let manifest = format!(r#"{{"config": {{"digest": "sha256:{sha256}"}}, "layers": []}}"#);
        let read = references(b"x", manifest.as_bytes()).unwrap();
        assert_eq!((read.objects.len(), read.indexes.len()), (1, 0));
        for wrong in ["", "{\"config\":{}}", r#"{"layers":[{"digest":"sha256:../../x"}]}"#] {
            assert!(references(b"x", wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
