//! Images of containers in a tar (OCI image layout, `docker save`): blobs are named by their digests, and the configuration
//! has the digest of each layer before it was compressed (OCI image specification, config.md, `rootfs.diff_ids`).

use super::claims::{Claims, hex, member};
use super::small::{SmallMembers, has_blob};
use serde_json::Value;

/// Returns what an image states of its blobs and layers.
pub(super) fn claims(package: &[u8], small: &SmallMembers, _: usize) -> Claims {
    let mut claims = Claims::default();
    for path in small.paths.iter().filter(|path| has_blob(path)) {
        let mut parts = path.rsplit(|byte| *byte == b'/');
        let (name, algorithm) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if let (Some(digest), Ok(algorithm @ ("sha256" | "sha512"))) =
            (hex(name), std::str::from_utf8(algorithm))
        {
            claims.add(path.clone(), (algorithm, &digest), None);
        }
    }
    for ImageParts { config, layers } in images(package, small) {
        let config = small.text(&config).and_then(|text| serde_json::from_slice::<Value>(text).ok());
        let stated = config.as_ref().and_then(|config| config["rootfs"]["diff_ids"].as_array());
        for (layer, stated) in layers.into_iter().zip(stated.into_iter().flatten()) {
            let digest = stated.as_str().and_then(|text| text.split_once(':'));
            let Some((algorithm, Some(digest))) = digest.map(|(name, digits)| (name, hex(digits.as_bytes())))
            else {
                continue;
            };
            let path: Box<[u8]> = [&layer, b" (decompressed)".as_slice()].concat().into();
            if claims.unpacked.insert(layer, path.clone()).is_none() {
                claims.add(path, (algorithm, &digest), None);
            }
        }
    }
    claims
}

/// The parts of an image, by their paths.
struct ImageParts {
    config: Box<[u8]>,
    layers: Vec<Box<[u8]>>,
}

/// Returns the parts of each image.
fn images(package: &[u8], small: &SmallMembers) -> Vec<ImageParts> {
    let named = |name: &Value| name.as_str().map(|name| member(package, name.as_bytes()));
    let saved = small.text(&member(package, b"manifest.json"));
    if let Some(Value::Array(images)) = saved.and_then(|text| serde_json::from_slice(text).ok()) {
        let image = |image: &Value| {
            let layers = image["Layers"].as_array()?.iter().filter_map(named).collect();
            Some(ImageParts { config: named(&image["Config"])?, layers })
        };
        return images.iter().filter_map(image).collect();
    }
    let blob = |descriptor: &Value| {
        let (algorithm, digits) = descriptor["digest"].as_str()?.split_once(':')?;
        Some(member(package, format!("blobs/{algorithm}/{digits}").as_bytes()))
    };
    let manifests = small.texts(has_blob).filter_map(|(_, text)| serde_json::from_slice::<Value>(text).ok());
    let image = |manifest: Value| {
        let layers = manifest["layers"].as_array()?.iter().filter_map(blob).collect();
        Some(ImageParts { config: blob(&manifest["config"])?, layers })
    };
    manifests.filter_map(image).collect()
}
