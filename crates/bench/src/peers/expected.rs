//! The digests that every tool must print, computed by hashmill's kernels in this process.

use hashmill_digest::{Algorithm, Bank, Slot, StreamPart};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const READ: usize = 1 << 20;

/// Returns the digests of each file, separated by blanks; sorted like the result of [`super::OutputFormat::items`].
///
/// # Errors
/// If a file can't be read; or `Interrupted` once `go_on` returns false.
pub fn expected(
    algorithms: &[&Algorithm],
    files: &[PathBuf],
    go_on: &dyn Fn() -> bool,
) -> io::Result<Vec<String>> {
    let mut streams: Vec<Stream<'_>> = algorithms.iter().map(|algorithm| Stream::new(algorithm)).collect();
    let mut memory = vec![0; READ];
    let mut items = Vec::with_capacity(files.len());
    for path in files {
        read(path, &mut memory, &mut streams, go_on)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        let digests: Vec<String> = streams.iter_mut().map(Stream::finish).collect();
        items.push(digests.join(" "));
    }
    items.sort_unstable();
    Ok(items)
}

fn read(
    path: &Path,
    memory: &mut [u8],
    streams: &mut [Stream<'_>],
    go_on: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    loop {
        if !go_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match file.read(memory)? {
            0 => return Ok(()),
            taken => streams.iter_mut().for_each(|stream| stream.update(&memory[..taken])),
        }
    }
}

/// An algorithm that hashes one message after another.
struct Stream<'a> {
    algorithm: &'a Algorithm,
    bank: Box<dyn Bank>,
    slot: Slot,
}

impl<'a> Stream<'a> {
    fn new(algorithm: &'a Algorithm) -> Self {
        let mut bank = (algorithm.alone)();
        let slot = bank.open();
        Stream { algorithm, bank, slot }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bank.update(&[StreamPart { slot: self.slot, bytes, last: false }]);
    }

    fn finish(&mut self) -> String {
        let digest = self.bank.close(self.slot);
        self.slot = self.bank.open();
        self.algorithm.format(&digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;

    #[test]
    fn digests_are_those_of_the_files_sorted_each_with_all_of_one_file_together() {
        let place = tempfile::tempdir().unwrap();
        let files = [("a", "abc"), ("b", "")].map(|(name, content)| {
            let path = place.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        });
        let algorithms = [find("md5").unwrap(), find("cksum").unwrap()];
        let items = expected(&algorithms, &files, &|| true).unwrap();
        assert_eq!(
            items,
            ["900150983cd24fb0d6963f7d28e17f72 1219131554", "d41d8cd98f00b204e9800998ecf8427e 4294967295"]
        );
        let error = expected(&algorithms, &["absent".into()], &|| true).unwrap_err();
        assert!(error.to_string().starts_with("absent: "), "{error}");
        let stopped = expected(&algorithms, &files, &|| false).unwrap_err();
        assert_eq!(stopped.kind(), io::ErrorKind::Interrupted);
    }
}
