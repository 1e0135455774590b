//! Images of containers in a tar (OCI image layout, `docker save`): blobs are named by their digests, and the configuration
//! has the digest of each layer before it was compressed (OCI image specification, config.md, `rootfs.diff_ids`).
//!
//! All that the index or `manifest.json` lead to must be there, and a digest must prove it.

use super::claims::{Claims, hex, member};
use super::small::{SmallMembers, has_blob};
use serde_json::Value;
use std::collections::HashSet;

/// Returns whether an image must lead to a member: to all but its lists, and what programs of old need beside layers.
pub(super) fn is_due(path: &[u8]) -> bool {
    let lists = [&b"oci-layout"[..], b"index.json", b"manifest.json", b"repositories"];
    let layer = path.strip_suffix(b"/VERSION").or(path.strip_suffix(b"/json"));
    let is_of_layer = layer.is_some_and(|layer| layer.len() == 64 && hex(layer).is_some());
    !lists.contains(&path) && !is_of_layer
}

/// Returns what an image states of its blobs and layers.
pub(super) fn claims(package: &[u8], small: &SmallMembers, _: usize) -> Claims {
    let blobs = small.paths.iter().filter(|path| has_blob(path)).map(|path| &**path).collect();
    let mut image = Stated {
        package,
        small,
        blobs,
        claims: Claims::default(),
        reached: HashSet::new(),
        met: HashSet::new(),
    };
    image.saved();
    image.layout();
    let Stated { mut claims, reached, blobs, .. } = image;
    if reached.is_empty() && !blobs.is_empty() {
        let why = "no index.json or manifest.json in it leads to its blobs";
        claims.doubt(&[package, b"!"].concat(), "damaged", why);
    }
    for path in small.paths.iter().filter(|path| has_blob(path) && !reached.contains(*path)) {
        let mut parts = path.rsplit(|byte| *byte == b'/');
        let (name, algorithm) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if let (Some(digest), Ok(algorithm)) = (hex(name), std::str::from_utf8(algorithm)) {
            claims.add(path.clone(), algorithm, &digest, None);
            claims.strays.push(path.clone());
        }
    }
    claims
}

/// The statements of an image, as it is found.
struct Stated<'a> {
    package: &'a [u8],
    small: &'a SmallMembers,
    blobs: HashSet<&'a [u8]>,
    claims: Claims,
    /// The members that the image leads to.
    reached: HashSet<Box<[u8]>>,
    /// The claims that were added: images share layers.
    met: HashSet<(Box<[u8]>, String)>,
}

/// Where the digests of layers stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LayerDigests {
    /// In the manifest, and perhaps others in the configuration.
    OfManifest,
    /// In the configuration alone.
    OfConfig,
}

impl Stated<'_> {
    /// Adds what `manifest.json` leads to.
    fn saved(&mut self) {
        let list = member(self.package, b"manifest.json");
        let Some(text) = self.small.text(&list) else { return };
        let Ok(Value::Array(images)) = serde_json::from_slice(text) else {
            return self.claims.doubt(&list, "damaged", "it is not a list of images");
        };
        for image in &images {
            let (Some(config), Some(layers)) = (image["Config"].as_str(), image["Layers"].as_array()) else {
                self.claims.doubt(&list, "damaged", "an image in it has no configuration or no layers");
                continue;
            };
            let config = member(self.package, config.as_bytes());
            if !has_blob(&config) {
                self.named_by_digest(&config);
            } else {
                self.blob_by_path(&config);
            }
            let paths = layers.iter().map(|layer| Some(member(self.package, layer.as_str()?.as_bytes())));
            let paths: Vec<_> = paths.collect();
            for path in paths.iter().flatten().filter(|path| has_blob(path)) {
                self.blob_by_path(path);
            }
            self.layers(&config, &paths, LayerDigests::OfConfig);
        }
    }

    /// Adds the claim of a configuration that is named by its digest.
    fn named_by_digest(&mut self, path: &[u8]) {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let digits = name.strip_suffix(b".json").unwrap_or(name);
        self.claim(path, &format!("sha256:{}", String::from_utf8_lossy(digits)), None);
    }

    fn blob_by_path(&mut self, path: &[u8]) {
        let mut parts = path.rsplit(|byte| *byte == b'/').map(String::from_utf8_lossy);
        let (name, algorithm) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        self.claim(path, &format!("{algorithm}:{name}"), None);
    }

    /// Adds what the index of a layout leads to.
    fn layout(&mut self) {
        let index = member(self.package, b"index.json");
        let mut documents = vec![index];
        let mut seen = HashSet::new();
        while let Some(path) = documents.pop() {
            let Some(text) = self.small.text(&path) else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            let Ok(document) = serde_json::from_slice::<Value>(text) else {
                self.claims.doubt(&path, "damaged", "it is not an index or a manifest in JSON");
                continue;
            };
            let list = |key: &str| document[key].as_array().into_iter().flatten();
            for manifest in list("manifests") {
                let Some(path) = self.blob(&path, manifest) else { continue };
                // One that is missing fails by itself.
                if self.small.text(&path).is_none() && self.blobs.contains(&*path) {
                    self.claims.doubt(
                        &path,
                        "damaged",
                        "it is not a manifest in JSON, or is too long for one",
                    );
                }
                documents.push(path);
            }
            for blob in list("blobs") {
                self.blob(&path, blob);
            }
            let layers: Vec<_> = list("layers").map(|layer| self.blob(&path, layer)).collect();
            if document["config"].is_object() {
                let config = self.blob(&path, &document["config"]);
                config.into_iter().for_each(|config| self.layers(&config, &layers, LayerDigests::OfManifest));
            }
        }
    }

    /// Adds the blob that a descriptor names. Returns its path.
    fn blob(&mut self, document: &[u8], descriptor: &Value) -> Option<Box<[u8]>> {
        let digest = descriptor["digest"].as_str().unwrap_or_default();
        let Some((algorithm, digits)) = digest.split_once(':').filter(|_| is_digest(digest)) else {
            self.claims.doubt(document, "damaged", "a blob in it has no digest");
            return None;
        };
        let path = member(self.package, format!("blobs/{algorithm}/{digits}").as_bytes());
        self.claim(&path, digest, descriptor["size"].as_u64());
        Some(path)
    }

    /// Adds a claim, also if its digest is none.
    fn claim(&mut self, path: &[u8], digest: &str, size: Option<u64>) {
        self.reached.insert(path.into());
        if self.met.insert((path.into(), format!("{digest} {size:?}"))) {
            let (algorithm, digits) = digest.split_once(':').unwrap_or_default();
            self.claims.add(path, algorithm, &hex(digits.as_bytes()).unwrap_or_default(), size);
        }
    }

    /// Adds what a configuration states of layers. Where only it has digests of them, each must have one.
    fn layers(&mut self, config: &[u8], layers: &[Option<Box<[u8]>>], digests: LayerDigests) {
        let is_only = digests == LayerDigests::OfConfig;
        // One that is missing fails by itself.
        let text = self.small.text(config);
        let document = text.and_then(|text| serde_json::from_slice::<Value>(text).ok()).unwrap_or_default();
        let stated = document["rootfs"]["diff_ids"].as_array();
        // Configurations of other things than images state none.
        let is_due = text.is_some() && (is_only || stated.is_some());
        let stated = stated.map_or(&[][..], Vec::as_slice);
        if is_due && stated.len() != layers.len() {
            let why = format!("it states {} layers, the manifest {}", stated.len(), layers.len());
            self.claims.doubt(config, "ambiguous", why);
        }
        for (number, layer) in layers.iter().enumerate() {
            let Some(layer) = layer else {
                self.claims.doubt(config, "damaged", "a layer has no path");
                continue;
            };
            self.reached.insert(layer.clone());
            let digest = stated.get(number).and_then(Value::as_str).filter(|digest| is_digest(digest));
            let Some(digest) = digest else {
                if is_only {
                    self.claims.doubt(layer, "unproven", "its configuration states no digest of it");
                }
                continue;
            };
            let path: Box<[u8]> = [&**layer, b" (decompressed)"].concat().into();
            self.claims.unpacked.insert(layer.clone(), path.clone());
            self.claim(&path, digest, None);
        }
    }
}

/// Returns whether a text is the name of an algorithm, a colon and hexadecimal digits.
fn is_digest(text: &str) -> bool {
    text.split_once(':').is_some_and(|(_, digits)| hex(digits.as_bytes()).is_some())
}
