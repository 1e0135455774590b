//! The page cache.

use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io;

/// The file that drops the whole page cache.
pub(crate) const DROP: Option<&str> = Some("/proc/sys/vm/drop_caches");

/// Asks the system to drop the data of a file from its cache.
pub(crate) fn forget(file: &File) -> io::Result<()> {
    Ok(fadvise(file, 0, None, Advice::DontNeed)?)
}

#[cfg(test)]
mod tests {
    use crate::race::{CacheDropper, DropMethod, PageCache};
    use std::fs;

    #[test]
    fn a_forgotten_file_keeps_its_data() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, vec![1; 1 << 20]).unwrap();
        PageCache(DropMethod::Advise).chill(std::slice::from_ref(&file)).unwrap();
        assert_eq!(fs::read(&file).unwrap(), vec![1; 1 << 20]);
    }
}
