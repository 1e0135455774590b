//! Files to hash: the same bytes on every machine, made when a case needs them first.

use hashmill_bench::generated::Noise;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Files to hash.
#[derive(Clone, Copy)]
pub enum Files {
    /// One file.
    Large,
    /// 10,000 files of 2 KiB.
    Small,
    /// About 4,500 files and 1.8 GB, sizes log-normal from 4 KB to 40 MB.
    Mixed,
    /// 50,000 files of up to 8 KiB in 500 folders.
    Sources,
}

/// Where they lie, and how long the large one is.
pub struct Corpus {
    pub dir: PathBuf,
    pub large: u64,
}

const SMALL: u64 = 10_000;
const MIXED: u64 = 4_500;
const SOURCES: u64 = 50_000;

impl Corpus {
    pub fn path(&self, files: Files) -> PathBuf {
        self.dir.join(match files {
            Files::Large => format!("large-{}", self.large),
            Files::Small => "small".into(),
            Files::Mixed => "mixed".into(),
            Files::Sources => "sources".into(),
        })
    }

    /// How many files, and bytes of all together.
    pub fn size(&self, files: Files) -> (u64, u64) {
        match files {
            Files::Large => (1, self.large),
            Files::Small => (SMALL, 2048 * SMALL),
            Files::Mixed => (MIXED, sizes(files).iter().sum()),
            Files::Sources => (SOURCES, sizes(files).iter().sum()),
        }
    }

    /// Makes the files that don't exist yet.
    pub fn make(&self, files: Files) -> io::Result<()> {
        let path = self.path(files);
        let done = path.with_extension("complete");
        if done.exists() {
            return Ok(());
        }
        fs::create_dir_all(&self.dir)?;
        let mut noise = Noise::new(SEED ^ files as u64);
        match files {
            Files::Large => noise.file(&path, self.large, &|| true)?,
            Files::Small => tree(&mut noise, &path, 100, &vec![2048; SMALL as usize])?,
            Files::Mixed => tree(&mut noise, &path, 45, &sizes(files))?,
            Files::Sources => tree(&mut noise, &path, 500, &sizes(files))?,
        }
        File::create(done).map(drop)
    }
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn sizes(files: Files) -> Vec<u64> {
    let mut noise = Noise::new(SEED);
    match files {
        Files::Mixed => (0..MIXED).map(|_| log_normal(&mut noise)).collect(),
        // Each a prime's multiple after the other, so that they are as mixed as they are known.
        _ => (0..SOURCES).map(|index| 1 + index * 7919 % 8192).collect(),
    }
}

/// Returns a size between 4 KB and 40 MB whose logarithm is normal.
fn log_normal(noise: &mut Noise) -> u64 {
    (90_000.0 * (1.75 * noise.normal()).exp()).clamp(4_000.0, 40_000_000.0) as u64
}

fn tree(noise: &mut Noise, at: &Path, folders: usize, sizes: &[u64]) -> io::Result<()> {
    for (index, size) in sizes.iter().enumerate() {
        let folder = at.join(format!("{:03}", index % folders));
        fs::create_dir_all(&folder)?;
        noise.file(&folder.join(format!("{index:05}")), *size, &|| true)?;
    }
    Ok(())
}
