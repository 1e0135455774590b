//! Measures GB/s of every row over one stream on one thread, beside other implementations in the same run.
//!
//! `cargo bench -p hashmill-digest --bench serial -- [NAME]…` measures the rows with these names, or all. The rivals
//! are RustCrypto's crates, and `openssl` and `rhash` if installed. HASHMILL_ISA limits our instruction set;
//! OPENSSL_ia32cap=:~0x20000000 hides the SHA instructions from OpenSSL.

use hashmill_digest::{ALGORITHMS, Algorithm, StreamPart};
use std::env;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

/// Fits into the second-level cache.
const NEAR: usize = 1 << 19;
/// Fits into no cache.
const FAR: usize = 64 << 20;

/// The other implementations of one row.
#[derive(Default)]
struct Rivals {
    rust: Option<fn(&[u8])>,
    /// The name for `openssl speed -evp`.
    openssl: Option<&'static str>,
    /// The option for `rhash --benchmark`.
    rhash: Option<&'static str>,
}

fn main() {
    let wanted: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let bytes: Vec<u8> = (0..FAR).map(|i| ((i * i) >> 7) as u8).collect();
    println!("{:15}{:>8}{:>8}   ratio to", "GB/s", "512 KiB", "64 MiB");
    println!("{:15}{:>8}{:>8}{:>8}{:>8}{:>8}  kernel", "", "", "", "rust", "openssl", "rhash");
    for algorithm in ALGORITHMS {
        if wanted.is_empty() || wanted.iter().any(|name| name == algorithm.name) {
            measure(algorithm, &bytes);
        }
    }
}

fn measure(algorithm: &Algorithm, bytes: &[u8]) {
    let rivals = rivals(algorithm.name);
    let near = rate(&bytes[..NEAR], |bytes| ours(algorithm, bytes));
    let far = rate(bytes, |bytes| ours(algorithm, bytes));
    let rust = rivals.rust.map(|hash| rate(&bytes[..NEAR], hash));
    let openssl = rivals.openssl.and_then(openssl);
    let rhash = rivals.rhash.and_then(rhash);
    let [rust, openssl, rhash] = [rust, openssl, rhash].map(|rival| ratio(near, rival));
    let kernel = algorithm.kernel();
    println!("{:15}{near:8.3}{far:8.3}{rust:>8}{openssl:>8}{rhash:>8}  {kernel}", algorithm.name);
}

fn ours(algorithm: &Algorithm, bytes: &[u8]) {
    let mut bank = (algorithm.bank)();
    let slot = bank.open();
    for bytes in bytes.chunks(256 << 10) {
        bank.update(&[StreamPart { slot, bytes, last: false }]);
    }
    black_box(bank.close(slot));
}

/// Returns the best of many short runs, in GB/s: other work of the machine slows most of them, but not all.
fn rate(bytes: &[u8], mut hash: impl FnMut(&[u8])) -> f64 {
    let (begin, mut best) = (Instant::now(), f64::INFINITY);
    while begin.elapsed() < Duration::from_millis(400) {
        let start = Instant::now();
        hash(black_box(bytes));
        best = best.min(start.elapsed().as_secs_f64());
    }
    bytes.len() as f64 / best / 1e9
}

fn ratio(rate: f64, rival: Option<f64>) -> String {
    rival.map_or("-".into(), |rival| format!("{:.2}", rate / rival))
}

/// Reads the last line of the output, which ends with thousands of bytes per second: `  512345.67k`.
fn openssl(name: &str) -> Option<f64> {
    let size = NEAR.to_string();
    let providers = ["-provider", "legacy", "-provider", "default"];
    let output = Command::new("openssl")
        .args(["speed", "-seconds", "1", "-bytes", &size])
        .args(providers)
        .args(["-evp", name])
        .output();
    let output = String::from_utf8(output.ok()?.stdout).ok()?;
    let word = output.split_whitespace().last()?;
    Some(word.strip_suffix('k')?.parse::<f64>().ok()? / 1e6)
}

/// Reads the last line of the output, which has MiB per second: `… 2.793 sec, 733.262 MBps, CPB=3.35`.
fn rhash(option: &str) -> Option<f64> {
    let output = Command::new("rhash").args(["--benchmark", option]).output().ok()?;
    let output = String::from_utf8(output.stdout).ok()?;
    let (before, _) = output.rsplit_once(" MBps")?;
    Some(before.split_whitespace().last()?.parse::<f64>().ok()? * (1 << 20) as f64 / 1e9)
}

fn with<D: digest::Digest>(bytes: &[u8]) {
    black_box(D::digest(bytes));
}

fn rivals(name: &str) -> Rivals {
    let all = |rust: fn(&[u8]), openssl, rhash| Rivals {
        rust: Some(rust),
        openssl: Some(openssl),
        rhash: Some(rhash),
    };
    let two = |rust: fn(&[u8]), openssl| Rivals { rust: Some(rust), openssl: Some(openssl), rhash: None };
    match name {
        "md5" => all(with::<md5::Md5>, "md5", "--md5"),
        "sha1" => all(with::<sha1::Sha1>, "sha1", "--sha1"),
        "sha256" => all(with::<sha2::Sha256>, "sha256", "--sha256"),
        "sha512" => all(with::<sha2::Sha512>, "sha512", "--sha512"),
        "sha3-256" => all(with::<sha3::Sha3_256>, "sha3-256", "--sha3-256"),
        "sha3-512" => all(with::<sha3::Sha3_512>, "sha3-512", "--sha3-512"),
        "shake128" => Rivals { openssl: Some("shake128"), ..Rivals::default() },
        "kangarootwelve" => Rivals { rust: Some(kt128), ..Rivals::default() },
        "ripemd160" => all(with::<ripemd::Ripemd160>, "rmd160", "--ripemd160"),
        "tiger" => Rivals { rust: Some(with::<tiger::Tiger>), rhash: Some("--tiger"), ..Rivals::default() },
        "whirlpool" => all(with::<whirlpool::Whirlpool>, "whirlpool", "--whirlpool"),
        "sm3" => two(with::<sm3::Sm3>, "sm3"),
        "streebog256" => Rivals {
            rust: Some(with::<streebog::Streebog256>),
            rhash: Some("--gost12-256"),
            ..Rivals::default()
        },
        "blake2b-512" => Rivals { openssl: Some("blake2b512"), rhash: Some("--blake2b"), rust: None },
        "blake2s-256" => Rivals { openssl: Some("blake2s256"), rhash: Some("--blake2s"), rust: None },
        "crc32" => Rivals { rhash: Some("--crc32"), ..Rivals::default() },
        "crc32c" => Rivals { rhash: Some("--crc32c"), ..Rivals::default() },
        _ => Rivals::default(),
    }
}

fn kt128(bytes: &[u8]) {
    use k12::digest::{ExtendableOutput, Update};
    let mut hasher = k12::Kt128::default();
    hasher.update(bytes);
    let mut output = [0; 32];
    hasher.finalize_xof_into(black_box(&mut output));
}
