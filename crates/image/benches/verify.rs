//! Compares verification with `ewfverify` on the same images in one run: seconds (median of interleaved rounds),
//! ratios, and peak resident memory against the bound. Caches are warm. `md5` alone is the time to hash the raw media
//! on one core: MD5 is a chain, so nothing can be faster.
//!
//! The image is 2 GiB: half real files, a quarter zeros, a quarter noise. `BENCH_FOLDER` is its folder, which is then
//! kept; `BENCH_ROUNDS` is the number of rounds. Needs Debian's ewf-tools.

use hashmill_image::{Image, ImageVerdict, Options, Resources, verify};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const SIZE: u64 = 2 << 30;
const BLOCK: usize = 1 << 20;
const MEMORY: u64 = 64 << 20;

/// The environment variable of the verifying process: `<image> <algorithms>`.
const CHILD: &str = "BENCH_CHILD";

fn main() {
    if let Ok(work) = std::env::var(CHILD) {
        return child(&work);
    }
    if Command::new("ewfverify").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        return eprintln!("left out: ewfverify is not installed");
    }
    let kept = std::env::var_os("BENCH_FOLDER").map(PathBuf::from);
    let folder = kept.clone().unwrap_or_else(|| std::env::temp_dir().join("hashmill-image-bench"));
    make(&folder);
    let rounds = std::env::var("BENCH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    println!(
        "{:<6} {:<10} {:>10} {:>10} {:>7} {:>10}",
        "image", "digests", "ewfverify", "hashmill", "ratio", "peak MiB"
    );
    for level in ["fast", "best"] {
        for sha1 in [false, true] {
            compare(&folder, level, sha1, rounds);
        }
    }
    if kept.is_none() {
        fs::remove_dir_all(folder).expect("the folder was made here");
    }
}

/// Makes the raw media and both images, unless they exist.
fn make(folder: &Path) {
    fs::create_dir_all(folder).expect("room for images");
    let raw = folder.join("media.raw");
    if !raw.exists() {
        write_media(&raw);
    }
    for level in ["fast", "best"] {
        if folder.join(format!("{level}.E01")).exists() {
            continue;
        }
        let arguments = ["-u", "-q", "-f", "encase6", "-c", level, "-S", "1TiB", "-t", level, "media.raw"];
        let mut acquire = Command::new("ewfacquire");
        acquire.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
        assert!(acquire.status().expect("ewfacquire runs").success());
    }
}

/// Writes two blocks of real files, one of zeros, one of noise, and so on.
fn write_media(path: &Path) {
    let mut out = BufWriter::new(File::create(path).expect("room for media"));
    let mut files = Real { left: vec![PathBuf::from("/usr/bin"), PathBuf::from("/usr/lib")], open: None };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..SIZE / BLOCK as u64 {
        let mut block = vec![0; BLOCK];
        match number % 4 {
            0 => {}
            1 => block.chunks_exact_mut(8).for_each(|word| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word.copy_from_slice(&state.to_le_bytes());
            }),
            _ => files.fill(&mut block),
        }
        out.write_all(&block).expect("room for media");
    }
}

/// The bytes of the files below some folders, repeated forever.
struct Real {
    left: Vec<PathBuf>,
    open: Option<File>,
}

impl Real {
    fn fill(&mut self, block: &mut [u8]) {
        let mut filled = 0;
        while filled < block.len() {
            match self.open.as_mut().map(|file| file.read(&mut block[filled..])) {
                Some(Ok(read)) if read > 0 => filled += read,
                _ => self.open = self.next(),
            }
        }
    }

    fn next(&mut self) -> Option<File> {
        let path = self.left.pop().unwrap_or_else(|| PathBuf::from("/usr/bin"));
        let meta = path.symlink_metadata().ok()?;
        if meta.is_dir() {
            let mut below: Vec<_> = fs::read_dir(&path).ok()?.flatten().map(|entry| entry.path()).collect();
            below.sort();
            self.left.extend(below);
        }
        meta.is_file().then(|| File::open(path).ok())?
    }
}

fn compare(folder: &Path, level: &str, sha1: bool, rounds: usize) {
    let image = folder.join(format!("{level}.E01"));
    let (mut theirs, mut ours, mut peak) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds {
        let mut reference = Command::new("ewfverify");
        reference
            .arg("-q")
            .args(if sha1 { &["-d", "sha1"][..] } else { &[] })
            .arg(&image)
            .stdin(Stdio::null());
        let start = Instant::now();
        assert!(reference.stdout(Stdio::null()).status().expect("ewfverify runs").success());
        theirs.push(start.elapsed().as_secs_f64());
        let (seconds, most) = own(&image, if sha1 { "sha1" } else { "" });
        ours.push(seconds);
        peak = peak.max(most);
    }
    let (theirs, ours) = (median(&mut theirs), median(&mut ours));
    let digests = if sha1 { "md5,sha1" } else { "md5" };
    let ratio = theirs / ours;
    println!("{level:<6} {digests:<10} {theirs:>10.2} {ours:>10.2} {ratio:>7.2} {:>10}", peak >> 10);
    assert!(peak >> 10 <= (MEMORY >> 20) + 64, "more memory than the bound and 64 MiB");
}

/// Verifies in a separate process. Returns seconds, and its peak of resident memory in KiB.
fn own(image: &Path, algorithms: &str) -> (f64, u64) {
    let program = std::env::current_exe().expect("this program has a path");
    let work = format!("{} {algorithms}", image.display());
    let start = Instant::now();
    let output = Command::new(program).env(CHILD, work).output().expect("this program runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (seconds, String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(u64::MAX))
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Verifies and prints the peak of resident memory in KiB.
fn child(work: &str) {
    let (path, names) = work.split_once(' ').expect("two words");
    let algorithms =
        names.split_terminator(',').map(|name| hashmill_digest::find(name).expect("a name")).collect();
    let image = Image::open(Path::new(path)).expect("an image");
    let options = Options { means: Resources { memory: MEMORY, ..Resources::default() }, algorithms };
    let verification = verify(&image, &options, &|_| ControlFlow::Continue(())).expect("nothing ends it");
    assert!(matches!(verification.verdict, ImageVerdict::Verified | ImageVerdict::NoDigest));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("{}", peak.map_or("0", |peak| peak.trim().trim_end_matches(" kB")));
}
