//! Image layouts of OCI: `index.json` names manifests, a manifest names its configuration and layers; all of them are
//! `blobs/ALGORITHM/DIGEST`.

use crate::{BadIndex, References, Role, Root};
use serde_json::Value;

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

/// Reads an index or a manifest.
pub(crate) fn references(_: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
    let document: Value = serde_json::from_slice(bytes).map_err(|_| BadIndex("is not a document in JSON"))?;
    let mut references = References::default();
    let list = |key: &str| document[key].as_array().into_iter().flatten();
    let single = |key: &str| document.get(key).into_iter().filter(|value| value.is_object());
    let lists = list("manifests").chain(list("layers")).chain(list("blobs"));
    for descriptor in lists.chain(single("config")).chain(single("subject")) {
        add(descriptor, &mut references)?;
    }
    Ok(references)
}

/// Adds the blob that a descriptor names.
fn add(descriptor: &Value, references: &mut References) -> Result<(), BadIndex> {
    // Its bytes are elsewhere, such as layers of Windows that may not be distributed.
    if descriptor["urls"].as_array().is_some_and(|urls| !urls.is_empty()) {
        return Ok(());
    }
    let digest = descriptor["digest"].as_str().ok_or(BadIndex("has a descriptor without a digest"))?;
    let (algorithm, name) = digest.split_once(':').ok_or(BadIndex("has a digest without an algorithm"))?;
    let path = format!("blobs/{algorithm}/{name}");
    if !matches!(role(path.as_bytes()), Role::Object(_)) {
        return Err(BadIndex(
            "has a digest by an algorithm other than sha256 and sha512, or in another form",
        ));
    }
    let media = descriptor["mediaType"].as_str().unwrap_or_default();
    let is_index = [".manifest.", ".index.", ".manifest+", ".list."].iter().any(|part| media.contains(part));
    if is_index {
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
