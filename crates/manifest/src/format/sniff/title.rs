//! A reader that names the file of a digest alone.

use crate::Record;
use crate::case::Case;
use crate::format::malformed::Malformed;
use crate::format::reader::Reader;

/// The reader of a list whose own name tells the file of its only digest.
pub(in crate::format) struct Titled<'a> {
    pub reader: Box<dyn Reader + 'a>,
    pub title: Box<[u8]>,
}

impl Iterator for Titled<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let named = |record: Record| Record { path: self.title.clone(), ..record };
        Some(self.reader.next()?.map(|record| if record.path.is_empty() { named(record) } else { record }))
    }
}

impl Reader for Titled<'_> {
    fn case(&self) -> &Case {
        self.reader.case()
    }
}
