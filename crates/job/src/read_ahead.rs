//! Reading of a list on a thread of its own: its records are parsed while others are compared or written.

use hashloom_digest::Algorithm;
use hashloom_manifest::case::Case;
use hashloom_manifest::format::{Format, Malformed, Opened, Reader, Unusable};
use hashloom_manifest::{Named, Piece, Record};
use hashloom_similar::Similar;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::vec;

/// The estimated bytes of records that are handed over at once.
const PORTION: usize = 256 << 10;

/// The number of portions that may wait.
const WAITING: usize = 2;

/// A reader whose records are parsed ahead.
struct AheadReader {
    portions: Receiver<Portion>,
    records: vec::IntoIter<Result<Record, Malformed>>,
    header: Header,
    /// The reading thread, until it has sent the last portion.
    thread: Option<JoinHandle<()>>,
}

/// Consecutive records of a list.
struct Portion {
    records: Vec<Result<Record, Malformed>>,
    is_last: bool,
    /// The header as far as it is known behind these records, in the first and in the last portion.
    header: Option<Header>,
}

/// The parts of a list that are not records.
#[derive(Default)]
struct Header {
    columns: Vec<&'static Algorithm>,
    likeness: Vec<(usize, &'static Similar)>,
    case: Case,
    patterns: Vec<Box<[u8]>>,
}

/// Opens a list and reads it ahead. Where no thread can be started, it is read as it is used.
///
/// # Errors
/// Those of `open`.
pub(crate) fn read_ahead<F>(open: F) -> Result<Opened<'static>, Unusable>
where
    F: Fn() -> Result<Opened<'static>, Unusable> + Clone + Send + 'static,
{
    let (opened, format) = sync_channel(1);
    let (sender, portions) = sync_channel(WAITING);
    let there = open.clone();
    let read = move || match there() {
        Ok(Opened { format, reader }) => {
            let _ = opened.send(Ok(format));
            // The consumer has gone if a portion can't be sent.
            let _ = pass(reader, &sender);
        }
        Err(why) => drop(opened.send(Err(why))),
    };
    let Ok(thread) = thread::Builder::new().name("list".into()).spawn(read) else { return open() };
    let format: &'static Format = match format.recv() {
        Ok(format) => format?,
        Err(_) => panic_of(thread),
    };
    let (records, header) = (Vec::new().into_iter(), Header::default());
    let reader = AheadReader { portions, records, header, thread: Some(thread) };
    Ok(Opened { format, reader: Box::new(reader) })
}

/// Continues the panic that ended a reading thread.
fn panic_of(thread: JoinHandle<()>) -> ! {
    match thread.join() {
        Err(panic) => std::panic::resume_unwind(panic),
        Ok(()) => unreachable!("a reading thread sends how it ended"),
    }
}

/// Passes all records on, in portions.
fn pass(mut reader: Box<dyn Reader>, portions: &SyncSender<Portion>) -> Result<(), ()> {
    let (mut records, mut bytes, mut is_first) = (Vec::new(), 0, true);
    while let Some(record) = reader.next() {
        bytes += record.as_ref().map_or(size_of::<Malformed>(), weight);
        records.push(record);
        if bytes > PORTION {
            let header = is_first.then(|| Header::of(&*reader));
            let portion = Portion { records: std::mem::take(&mut records), is_last: false, header };
            portions.send(portion).map_err(drop)?;
            (bytes, is_first) = (0, false);
        }
    }
    portions.send(Portion { records, is_last: true, header: Some(Header::of(&*reader)) }).map_err(drop)
}

/// Estimates the bytes that a record takes.
pub(crate) fn weight(record: &Record) -> usize {
    let likeness = record.likeness.len() * (1024 + record.size.unwrap_or(0) as usize / 32);
    let lists = size_of_val(&*record.digests) + record.bad_blocks.len() * size_of::<Piece>();
    let leaves: usize = record.leaves.iter().map(|leaves| leaves.digests.len()).sum();
    let texts = [&record.reason, &record.version].into_iter().flatten().map(|text| text.len()).sum::<usize>();
    let path = record.path.len() + texts;
    size_of::<Record>() + size_of::<Named>() + path + lists + likeness + leaves
}

impl Header {
    fn of(reader: &dyn Reader) -> Header {
        Header {
            columns: reader.columns().to_vec(),
            likeness: reader.likeness().to_vec(),
            case: reader.case().clone(),
            patterns: reader.patterns().to_vec(),
        }
    }
}

impl Iterator for AheadReader {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.records.next() {
                return Some(record);
            }
            let Ok(Portion { records, is_last, header }) = self.portions.recv() else {
                // Without the last portion, this is not the end of the list.
                return self.thread.take().and_then(|thread| panic_of(thread));
            };
            self.records = records.into_iter();
            self.thread.take_if(|_| is_last);
            if let Some(header) = header {
                self.header = header;
            }
        }
    }
}

impl Reader for AheadReader {
    fn columns(&self) -> &[&'static Algorithm] {
        &self.header.columns
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &self.header.likeness
    }

    fn case(&self) -> &Case {
        &self.header.case
    }

    fn patterns(&self) -> &[Box<[u8]>] {
        &self.header.patterns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashloom_manifest::format::{Hint, open};
    use std::io::{Cursor, Read};

    fn lines(number: usize) -> String {
        let line = |at: usize| match at % 100 {
            99 => "{broken\n".to_string(),
            _ => format!("{{\"path\":\"f{at}\",\"status\":\"hashed\",\"md5\":\"{at:032x}\"}}\n"),
        };
        (0..number).map(line).collect()
    }

    #[test]
    fn records_and_faults_come_as_without_a_thread() {
        for number in [1, 100, 30_000] {
            let list = move || open(Box::new(Cursor::new(lines(number))), Hint::None);
            let texts =
                |reader: &mut dyn Reader| reader.map(|record| format!("{record:?}")).collect::<Vec<_>>();
            let (mut plain, mut ahead) = (list().unwrap(), read_ahead(list).unwrap());
            assert_eq!(plain.format.name, ahead.format.name);
            assert_eq!(texts(&mut *ahead.reader), texts(&mut *plain.reader), "{number}");
        }
    }

    #[test]
    fn headers_come_with_the_first_record_and_case_data_with_the_last() {
        let text = "{\"case_start\":{\"case\":\"7\"}}\n".to_string() + &lines(5000);
        let csv = "path,size,md5,sha1\nf,1,,\n".to_string();
        for (text, name) in [(text, "jsonl"), (csv, "csv")] {
            let list = move || open(Box::new(Cursor::new(text.clone())), Hint::None);
            let (mut plain, mut ahead) = (list().unwrap(), read_ahead(list).unwrap());
            assert_eq!(ahead.format.name, name);
            let _ = (plain.reader.next(), ahead.reader.next());
            assert_eq!(ahead.reader.columns(), plain.reader.columns());
            assert_eq!(ahead.reader.case().start, plain.reader.case().start);
            let _ = (plain.reader.by_ref().count(), ahead.reader.by_ref().count());
            assert_eq!(ahead.reader.case(), plain.reader.case());
        }
    }

    #[test]
    #[should_panic(expected = "a fault of the parser")]
    fn a_panic_of_the_thread_is_not_the_end_of_the_list() {
        struct Faulty;
        impl Read for Faulty {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                panic!("a fault of the parser")
            }
        }
        let list = || open(Box::new(Cursor::new(lines(5000)).chain(Faulty)), Hint::None);
        let _ = read_ahead(list).unwrap().reader.count();
    }

    #[test]
    fn a_list_that_is_none_is_told_as_without_a_thread() {
        let list = || open(Box::new(Cursor::new("no list at all")), Hint::None);
        let told = |opened: Result<Opened<'_>, Unusable>| opened.err().map(|why| why.to_string());
        assert!(told(list()).is_some());
        assert_eq!(told(read_ahead(list)), told(list()));
    }
}
