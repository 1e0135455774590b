//! Writes the content of a compressed file to the standard output.

use hashloom_archive::{Compression, Limits, Problem, decoder};
use std::fs::File;
use std::io::{self, Read, Write};

fn main() -> Result<(), Problem> {
    let path = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: decompress FILE"))?;
    let mut first = Vec::new();
    File::open(&path)?.take(Compression::FIRST as u64).read_to_end(&mut first)?;
    let compression = Compression::of(&first).ok_or_else(|| io::Error::other("this format is not known"))?;
    let mut reader = decoder(compression, Box::new(File::open(&path)?), &Limits::default())?;
    let mut buffer = vec![0; 256 << 10];
    let mut output = io::stdout().lock();
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(()),
            count => output.write_all(buffer.get(..count).unwrap_or_default())?,
        }
    }
}
