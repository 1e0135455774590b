//! A mix of documents similar to the t5 corpus, which papers on likeness and on parallel hashing use.
//!
//! t5 (V. Roussev, "An evaluation of forensic similarity hashes", Digital Investigation 8, 2011) is a part of GovDocs1:
//! 4,457 files, 1.78 GB, of eight kinds, 4 KB to 16.4 MB each. The mix has the same numbers of files, the same total
//! size and the same range of sizes, but generated contents. Some files are edited copies of others, so that there are
//! similar ones.

use super::noise::Noise;
use super::texture::{Texture, Weaver};
use super::tree::FileSet;
use std::fs;
use std::io;
use std::path::Path;

/// The number of files in the whole mix.
pub const MIX_FILES: usize = 4457;
/// The approximate size of the whole mix in bytes.
pub const MIX_BYTES: u64 = 1_780_000_000;

struct FileShare {
    extension: &'static str,
    files: usize,
    /// The median size, before all sizes are scaled to the size of the mix.
    median: f64,
    texture: Texture,
}

const fn kind(extension: &'static str, files: usize, median: f64, texture: Texture) -> FileShare {
    FileShare { extension, files, median, texture }
}

/// The kinds of files, with the numbers of t5. The medians are guesses that keep their order: slides are large, pages
/// small.
const KINDS: [FileShare; 8] = [
    kind("html", 1093, 20e3, Texture::Markup),
    kind("pdf", 1073, 180e3, Texture::Packed),
    kind("txt", 711, 60e3, Texture::Text),
    kind("doc", 533, 90e3, Texture::Office),
    kind("ppt", 368, 500e3, Texture::Office),
    kind("jpg", 362, 150e3, Texture::Packed),
    kind("xls", 250, 80e3, Texture::Office),
    kind("gif", 67, 40e3, Texture::Packed),
];

const SMALLEST: f64 = 4e3;
const LARGEST: f64 = 16.4e6;
/// The standard deviation of the sizes' logarithm.
const SPREAD: f64 = 1.25;
/// One in this many files is an edited copy of the previous one.
const COPIES: usize = 12;

#[derive(Debug, Clone, Copy)]
struct Plan {
    kind: usize,
    size: usize,
    seed: u64,
    /// The seed of the original, if it is an edited copy.
    copy_of: Option<u64>,
}

/// Creates a folder and writes the mix into it: the fraction `scale` of its files.
///
/// # Errors
/// If a file can't be written.
pub fn mix(folder: &Path, scale: f64, go_on: &dyn Fn() -> bool) -> io::Result<FileSet> {
    let weaver = Weaver::new();
    let mut made = FileSet::default();
    for (index, plan) in plans(scale).iter().enumerate() {
        if !go_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let kind = &KINDS[plan.kind];
        let place = folder.join(format!("{:03}", index % 100));
        fs::create_dir_all(&place)?;
        let path = place.join(format!("{index:06}.{}", kind.extension));
        let bytes = plan.bytes(&weaver);
        fs::write(&path, &bytes)?;
        made.add(path, bytes.len() as u64);
    }
    Ok(made)
}

impl Plan {
    fn bytes(&self, weaver: &Weaver) -> Vec<u8> {
        let texture = KINDS[self.kind].texture;
        let Some(original) = self.copy_of else {
            return weaver.weave(texture, self.size, &mut Noise::new(self.seed));
        };
        let mut bytes = weaver.weave(texture, self.size, &mut Noise::new(original));
        let mut noise = Noise::new(self.seed);
        // A tenth of it is replaced, at a random position.
        let length = self.size / 10;
        let at = noise.below(self.size - length);
        let new = weaver.weave(texture, length, &mut noise);
        bytes[at..at + length].copy_from_slice(&new);
        bytes
    }
}

/// Plans the files. The kinds alternate, so that any part of the list has the mix of the whole.
fn plans(scale: f64) -> Vec<Plan> {
    let count = ((MIX_FILES as f64 * scale).round() as usize).max(1);
    let mut noise = Noise::new(0x7e5_c0de);
    let kinds: Vec<usize> = (0..count).map(kind_at).collect();
    let raw: Vec<f64> =
        kinds.iter().map(|kind| KINDS[*kind].median * (SPREAD * noise.normal()).exp()).collect();
    let sizes = stretched(&raw, MIX_BYTES as f64 / MIX_FILES as f64 * count as f64);
    let mut plans: Vec<Plan> = Vec::with_capacity(count);
    for (index, (kind, size)) in kinds.into_iter().zip(sizes).enumerate() {
        let seed = 1 + index as u64 * 0x9e37_79b9;
        let before = plans.iter().rev().find(|plan| plan.kind == kind && plan.copy_of.is_none());
        let plan = match before.filter(|_| index % COPIES == COPIES - 1) {
            Some(before) => Plan { seed, copy_of: Some(before.seed), ..*before },
            None => Plan { kind, size, seed, copy_of: None },
        };
        plans.push(plan);
    }
    plans
}

/// Returns the kind of a file by its index: each is as frequent in the beginning as in the whole.
fn kind_at(index: usize) -> usize {
    // Multiples of a number without common factors visit every position once before any repeats.
    let mut place = index * 1931 % MIX_FILES;
    for (number, kind) in KINDS.iter().enumerate() {
        if place < kind.files {
            return number;
        }
        place -= kind.files;
    }
    KINDS.len() - 1
}

/// Scales the sizes, each within the range, to match this total as closely as possible.
fn stretched(raw: &[f64], total: f64) -> Vec<usize> {
    let fit = |factor: f64| raw.iter().map(move |size| (size * factor).clamp(SMALLEST, LARGEST).round());
    let mut factor = 1.0;
    for _ in 0..30 {
        factor *= total / fit(factor).sum::<f64>();
    }
    fit(factor).map(|size| size as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_has_the_numbers_of_t5() {
        assert_eq!(KINDS.iter().map(|kind| kind.files).sum::<usize>(), MIX_FILES);
        let plans = plans(1.0);
        let bytes: usize = plans.iter().map(|plan| plan.size).sum();
        // Copies have the size of their original, so the total is only approximate.
        assert!((bytes as f64 / MIX_BYTES as f64 - 1.0).abs() < 0.03, "{bytes}");
        for (number, kind) in KINDS.iter().enumerate() {
            let files = plans.iter().filter(|plan| plan.kind == number).count();
            assert_eq!(files, kind.files, "{}", kind.extension);
        }
        let sizes = || plans.iter().map(|plan| plan.size);
        assert!(sizes().min() >= Some(4000) && sizes().max() <= Some(16_400_000));
        assert!(plans.iter().filter(|plan| plan.copy_of.is_some()).count() > 300);
    }

    #[test]
    fn a_part_has_the_mix_of_the_whole_and_the_same_bytes_each_time() {
        let place = tempfile::tempdir().unwrap();
        let one = mix(&place.path().join("one"), 0.005, &|| true).unwrap();
        let two = mix(&place.path().join("two"), 0.005, &|| true).unwrap();
        assert_eq!((one.files.len(), one.bytes), (22, two.bytes));
        for (one, two) in one.files.iter().zip(&two.files) {
            assert_eq!(one.file_name(), two.file_name());
            assert!(fs::read(one).unwrap() == fs::read(two).unwrap());
        }
        let texts = one.files.iter().filter(|path| path.extension().is_some_and(|end| end == "html"));
        assert!((3..9).contains(&texts.count()));
    }

    #[test]
    fn it_can_be_stopped() {
        let place = tempfile::tempdir().unwrap();
        let error = mix(place.path(), 1.0, &|| false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }
}
