//! Writes the content of a compressed file to the standard output. Its parts are decoded by a number of threads.

use hashmill_archive::{Compression, Limits, Problem, decoder, decoder_of_parts};
use hashmill_disk::Seekable;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

fn main() -> Result<(), Problem> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or_else(|| io::Error::other("usage: decompress FILE [THREADS]"))?;
    let threads = arguments.next().and_then(|threads| threads.to_str()?.parse::<usize>().ok());
    let mut first = Vec::new();
    let file = File::open(&path)?;
    (&file).take(Compression::FIRST as u64).read_to_end(&mut first)?;
    let compression = Compression::of(&first).ok_or_else(|| io::Error::other("this format is not known"))?;
    let limits = Limits::default();
    let mut reader = match threads {
        None => decoder(compression, Box::new(File::open(&path)?), &limits)?,
        Some(threads) => {
            let medium = Arc::new(Seekable::new(file)?);
            decoder_of_parts(compression, medium, 0..u64::MAX, &limits, threads, &Arc::default())?
        }
    };
    let mut buffer = vec![0; 256 << 10];
    let mut output = io::stdout().lock();
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(()),
            count => output.write_all(buffer.get(..count).unwrap_or_default())?,
        }
    }
}
