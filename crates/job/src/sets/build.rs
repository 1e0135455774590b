//! Compiling of lists into an index.

use crate::error::{Error, SetsError};
use hashmill_content::File;
use hashmill_content::output::{OutputPath, WriteError};
use hashmill_engine::Cancel;
use hashmill_engine::flow::Flow;
use hashmill_known::{About, BuildOptions, BuildProgress, Input, Notice, Strictness};
use hashmill_lists::judged::Judged;
use hashmill_lists::kinds;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::{Stream, names, standard};
use std::path::Path;
use std::sync::Arc;

/// The path of standard input in messages.
const STDIN: &str = "/dev/stdin";

/// The inputs of an index, and the options.
#[derive(Clone)]
pub struct Build {
    /// Path of the index. It gets this name only when it is complete.
    pub output: OutputPath,
    /// The inputs. A path of `-` is standard input.
    pub inputs: Vec<Input>,
    /// Handling of lines that can't be parsed.
    pub strictness: Strictness,
    /// Bytes of memory to use, as [`BuildOptions::memory`].
    pub memory: u64,
    /// Limit of bytes that an archive may unpack to, as [`BuildOptions::unpacked`].
    pub unpacked: Option<u64>,
    /// The date of the build, in seconds since 1970 UTC. Without it the same inputs give the same bytes.
    pub built: Option<u64>,
    /// The signatures that the lists must have.
    pub guard: Guard,
    /// Ends the build soon after it is set.
    pub cancel: Cancel,
}

/// One step of a build.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildEvent<'a> {
    /// The build begins. The counters go up while it runs.
    Building(&'a Arc<BuildProgress>),
    /// A notice about an input.
    Notice(&'a Path, &'a Notice),
    /// The result of verifying a signature beside an input.
    Signature(&'a Judged),
}

impl Build {
    /// Makes a build of these inputs with the default memory and without a date.
    pub fn new(output: OutputPath, inputs: Vec<Input>) -> Build {
        let BuildOptions { memory, unpacked, built, .. } = BuildOptions::default();
        let (strictness, cancel) = (Strictness::default(), Cancel::default());
        Build { output, inputs, strictness, memory, unpacked, built, guard: Guard::default(), cancel }
    }

    /// Builds the index. Its [`About`] states which entries were left out.
    ///
    /// # Errors
    /// If an input is not usable, the index can't be written, or the build was cancelled
    /// ([`Why::Cancelled`](hashmill_known::Why::Cancelled)). Then an older index of that name stays.
    pub fn run(mut self, observer: &mut dyn FnMut(BuildEvent<'_>) -> Flow) -> Result<About, Error> {
        self.check()?;
        for input in &mut self.inputs {
            let listing = self.guard.open(input.path.as_os_str(), &mut |judged| {
                let _ = observer(BuildEvent::Signature(judged));
            })?;
            let name = &*names::path_bytes(&input.path);
            input.held = listing.into_copy().map_err(Error::file(name, File::Read))?.map(Arc::new);
            if input.path == Path::new("-") {
                let stdin = standard(Stream::Input).map_err(Error::file(STDIN.as_bytes(), File::Open))?;
                (input.path, input.held) = (STDIN.into(), Some(Arc::new(stdin)));
            }
        }
        let progress = Arc::new(BuildProgress::ended_by(self.cancel.flag()));
        let (memory, unpacked, built) = (self.memory, self.unpacked, self.built);
        let files = self.output.files.clone();
        let options = BuildOptions { memory, built, progress: Arc::clone(&progress), unpacked, files };
        let mut tell = |event: BuildEvent<'_>| {
            if observer(event).is_break() {
                progress.cancel();
            }
        };
        tell(BuildEvent::Building(&progress));
        let mut notice = |path: &Path, notice| tell(BuildEvent::Notice(path, &notice));
        Ok(hashmill_known::build(&self.output.path, &self.inputs, &options, self.strictness, &mut notice)?)
    }

    fn check(&self) -> Result<(), Error> {
        if self.inputs.is_empty() {
            return Err(SetsError::NoInputs.into());
        }
        let is_stdin = |input: &&Input| [Path::new("-"), Path::new(STDIN)].contains(&&*input.path);
        if self.inputs.iter().filter(is_stdin).count() > 1 {
            return Err(SetsError::StdinTwice.into());
        }
        self.output.check_no_directory()?;
        let OutputPath { path, force, .. } = &self.output;
        let replaced = kinds::KNOWN_INDEX.check(path, *force);
        Ok(replaced.map_err(|source| WriteError::new(path, source))?)
    }
}
