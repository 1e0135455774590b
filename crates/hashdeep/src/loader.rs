//! Loads lists of known files and reports their errors.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::flags::{Switch, Switches};
use crate::hashdeep_list::{Bad, Columns, Head, head, rows};
use crate::known::{Draft, Known};
use crate::lines::Lines;
use crate::match_list::{Layout, detect, read, read_encase};
use crate::screen::{Screen, cause};
use crate::stop::Stop;
use hashmill_os::names;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};

/// The known files while lists are loaded.
#[derive(Default)]
pub struct Loader {
    known: Known,
    /// The columns of the last list.
    columns: Vec<u8>,
    /// Whether a line could not be parsed, so that its content is unknown.
    incomplete: bool,
}

impl Loader {
    /// Returns whether there are no known files.
    pub fn is_empty(&self) -> bool {
        self.known.len() == 0
    }

    /// Returns whether a line of a list was lost.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Completes loading, after which files can be found.
    pub fn finish(&mut self) {
        self.known.index();
    }

    pub fn known(&mut self) -> &mut Known {
        &mut self.known
    }

    /// Adds a hash from the command line, which is also its name.
    pub fn hash(&mut self, algorithm: Algorithm, text: &[u8]) {
        let mut draft = Draft::named(text);
        draft.digest(algorithm, text);
        self.known.add(draft);
    }

    /// Loads a list in hashdeep's own format. The algorithms of its columns are computed, too.
    ///
    /// # Errors
    /// Returns [`Stop`] if its header has an unknown algorithm.
    pub fn hashdeep_list(
        &mut self,
        path: &[u8],
        algorithms: &mut AlgorithmSet,
        screen: &mut Screen,
    ) -> Result<(), Stop> {
        let Some(file) = open(path, screen) else { return Ok(()) };
        let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file));
        match head(&mut lines).unwrap_or(Head::Other) {
            Head::Other => screen.say([path, b": Unable to identify file format"].concat()),
            Head::Unknown => {
                screen.say([path, b": Badly formatted file"].concat());
                screen.hint();
                return Err(Stop::FAILED);
            }
            Head::List(columns) => {
                columns.algorithms().iter().for_each(|algorithm| algorithms.insert(algorithm));
                self.compare_columns(path, &columns, screen);
                self.rows(path, &mut lines, &columns, screen);
            }
        }
        Ok(())
    }

    fn compare_columns(&mut self, path: &[u8], columns: &Columns, screen: &mut Screen) {
        if !self.columns.is_empty() && self.columns != columns.text {
            screen.say([path, b": Hashes not in same format as previously loaded"].concat());
        }
        self.columns.clone_from(&columns.text);
    }

    fn rows(&mut self, path: &[u8], lines: &mut Lines<impl BufRead>, columns: &Columns, screen: &mut Screen) {
        let mut any = false;
        let mut bad = |Bad { line, algorithm }: Bad| {
            any = true;
            let text = format!(": Invalid {} hash in line {line}", algorithm.name());
            screen.say([path, text.as_bytes()].concat());
        };
        let result = rows(lines, columns, &mut self.known, &mut bad);
        if any {
            screen.say([path, b": contains some bad hashes, using anyway"].concat());
        }
        self.incomplete |= any;
        self.report(path, result, screen);
    }

    /// Loads a list for the single-algorithm commands.
    pub fn match_list(&mut self, algorithm: Algorithm, path: &[u8], switches: Switches, screen: &mut Screen) {
        let Some(file) = open(path, screen) else { return };
        let Ok(mut list) = rereadable(file) else {
            return screen.say([path, b": Unable to find any hashes in file, skipped."].concat());
        };
        let layout = detect(algorithm, &mut list).unwrap_or_default();
        let (Some(layout), Ok(())) = (layout, list.rewind()) else {
            return screen.say([path, b": Unable to find any hashes in file, skipped."].concat());
        };
        let result = match layout {
            Layout::Encase { expected } => self.encase(path, list, expected, screen),
            layout => self.lines(algorithm, path, layout, list, switches, screen),
        };
        self.report(path, result, screen);
    }

    fn lines(
        &mut self,
        algorithm: Algorithm,
        path: &[u8],
        layout: Layout,
        list: Box<dyn List>,
        switches: Switches,
        screen: &mut Screen,
    ) -> io::Result<()> {
        let wanted = screen.wants_messages() || switches.has(Switch::WarnOnly);
        read(algorithm, layout, list, &mut self.known, &mut |line| {
            if wanted {
                let text = format!(": No hash found in line {line}");
                screen.say_always([path, text.as_bytes()].concat());
            }
        })
    }

    fn encase(
        &mut self,
        path: &[u8],
        list: Box<dyn List>,
        expected: u32,
        screen: &mut Screen,
    ) -> io::Result<()> {
        let found = read_encase(list, path, &mut self.known)?;
        if found != expected {
            let text = format!(": Expecting {expected} hashes, found {found}\n");
            screen.say([path, text.as_bytes()].concat());
        }
        Ok(())
    }

    /// Reports a list that could not be read completely.
    fn report(&mut self, path: &[u8], result: io::Result<()>, screen: &mut Screen) {
        if let Err(error) = result {
            self.incomplete = true;
            screen.say([path, b": ", cause(&error).as_bytes()].concat());
        }
    }
}

/// A seekable list.
trait List: BufRead + Seek {}

impl<T: BufRead + Seek> List for T {}

/// Makes a list readable twice, because the first pass detects its layout. A pipe is read into memory.
fn rereadable(mut file: File) -> io::Result<Box<dyn List>> {
    if file.metadata()?.is_file() {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, file)));
    }
    let mut all = Vec::new();
    file.read_to_end(&mut all)?;
    Ok(Box::new(Cursor::new(all)))
}

fn open(path: &[u8], screen: &mut Screen) -> Option<File> {
    let opened = names::path(path).and_then(File::open);
    opened.inspect_err(|error| screen.say([path, b": ", cause(error).as_bytes()].concat())).ok()
}
