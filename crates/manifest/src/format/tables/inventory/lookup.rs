//! Finds the files of an inventory below the manifest's folder or one of its parents.

use std::path::{Path, PathBuf};

/// Finds the file of a key from the manifest's folder; returns `None` if it is missing, or if the key is unsafe.
///
/// In a copy of the whole bucket, the file is below the folder for the bucket, which is a parent of the manifest's; if
/// only the files were copied, it is next to the manifest. The nearest folder wins, and in it the longest path.
pub(super) fn find(folder: &Path, key: &str) -> Option<PathBuf> {
    let parts: Vec<&str> = key.split('/').filter(|part| !part.is_empty()).collect();
    let tame = |part: &&str| !matches!(*part, "." | "..") && !part.contains(['\\', '\0']);
    if parts.is_empty() || !parts.iter().all(tame) {
        return None;
    }
    let absolute = std::path::absolute(folder).ok()?;
    let mut places = absolute.ancestors().take(parts.len() + 1);
    places.find_map(|place| {
        let mut ways = (0..parts.len()).map(|skipped| place.join(parts[skipped..].join("/")));
        ways.find(|path| path.is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_found_in_a_copy_of_the_bucket_and_beside_the_manifest() {
        let bucket = tempfile::tempdir().unwrap();
        let run = bucket.path().join("inv/b/2026-11-22T01-00Z");
        fs::create_dir_all(&run).unwrap();
        fs::create_dir_all(bucket.path().join("inv/b/data")).unwrap();
        fs::write(bucket.path().join("inv/b/data/x.csv.gz"), b"").unwrap();
        fs::write(run.join("y.csv"), b"").unwrap();
        let found = |key| find(&run, key).map(|path| fs::canonicalize(path).unwrap());
        let at = |path: &str| Some(fs::canonicalize(bucket.path().join(path)).unwrap());
        assert_eq!(found("inv/b/data/x.csv.gz"), at("inv/b/data/x.csv.gz"));
        assert_eq!(found("other/place/y.csv"), at("inv/b/2026-11-22T01-00Z/y.csv"));
        assert_eq!(found("inv/b/data/z.csv.gz"), None);
        for wild in ["../data/x.csv.gz", "inv/../inv/b/data/x.csv.gz", "", "/", "data\\x"] {
            assert_eq!(found(wild), None, "{wild}");
        }
    }
}
