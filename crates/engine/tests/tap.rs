//! Bytes that are passed on: of each file, once, in order, and marked as its end only where the file was read whole.

use crate::util::{all, plan};
use hashmill_digest::About;
use hashmill_engine::{Plan, Prefetch, Tap, TapStream};
use hashmill_source::{Io, Reading};
use hashmill_testing::Random;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

/// Keeps the bytes of each file that came to its end.
#[derive(Debug, Default)]
struct Kept(Arc<Mutex<BTreeMap<Vec<u8>, Vec<u8>>>>);

struct Stream {
    path: Vec<u8>,
    bytes: Vec<u8>,
    kept: Arc<Mutex<BTreeMap<Vec<u8>, Vec<u8>>>>,
}

impl Tap for Kept {
    fn open(&self, about: &About<'_>) -> Box<dyn TapStream> {
        let (path, kept) = (about.path.to_vec(), Arc::clone(&self.0));
        Box::new(Stream { path, bytes: Vec::new(), kept })
    }
}

impl TapStream for Stream {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn end(self: Box<Self>) {
        assert!(self.kept.lock().insert(self.path, self.bytes).is_none(), "a file came twice");
    }
}

#[test]
fn every_byte_is_passed_on_once_and_in_order() {
    let dir = TempDir::new().unwrap();
    let sizes = [0, 1, 511, 4096, 40_000, 262_145, 3_000_001, (16 << 20) + 700];
    for (index, size) in sizes.iter().cycle().take(40).enumerate() {
        // The longest goes through a relay, with a digest that is a tree and one that is folded from leaves, too.
        let size = if index > 16 { size % 100_000 } else { *size };
        fs::write(dir.path().join(format!("{index:02}")), Random(index as u64).bytes(size)).unwrap();
    }
    for algorithms in ["sha256", "blake3,md5", "s3-sha256:64K"] {
        let (_, plain, _) = all(&plan(algorithms, 2), dir.path());
        for threads in [1, 3] {
            for (memory, prefetch, io) in [
                (Plan::least_memory(threads), Prefetch::Fixed(0), Io::Auto),
                (4 << 20, Prefetch::Fixed(1), Io::Buffered),
                (64 << 20, Prefetch::Auto, Io::Direct),
            ] {
                let (kept, reading) = (Kept::default(), Reading { io, ..Reading::default() });
                let all_bytes = Arc::clone(&kept.0);
                let tap = Some(Arc::new(kept) as Arc<dyn Tap>);
                let plan = Plan { memory, prefetch, reading, tap, ..plan(algorithms, threads) };
                let (_, outcomes, stats) = all(&plan, dir.path());
                assert_eq!((stats.hashed, outcomes.len()), (40, 40));
                let all_bytes = all_bytes.lock();
                for (outcome, plain) in outcomes.iter().zip(&plain) {
                    let bytes = fs::read(std::str::from_utf8(&outcome.record.path).unwrap()).unwrap();
                    assert!(
                        all_bytes[&*outcome.record.path] == bytes,
                        "{algorithms} {threads} {memory} {io:?}"
                    );
                    assert!(outcome.record == plain.record);
                }
            }
        }
    }
}
