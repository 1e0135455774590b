//! Settings from flags. As in hashdeep, flags take effect one after another: `-s` only silences later messages, `-k`
//! loads its file at once, and `-V` ends the run immediately.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::dfxml;
use crate::flags::{Meaning, Mode, Shows, Side, Switch, Switches};
use crate::getopt::{Given, Misuse, Sorted, Words};
use crate::loader::Loader;
use crate::number::{leading, size};
use crate::personality::{Personality, VERSION};
use crate::screen::{Screen, Target};
use crate::stop::Stop;
use crate::sys::{NEWLINE, PROMPT, processors};
use crate::usage::{Line, screens};
use crate::walk::{FileTypes, SizeLimit, TooLarge};
use hashmill_os::{FileId, facts, names};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::num::NonZeroU64;

/// The settings of a command line.
pub struct HashdeepSettings {
    pub personality: Personality,
    /// The algorithms to compute.
    pub algorithms: AlgorithmSet,
    pub mode: Mode,
    /// The side of a match that the single-algorithm commands show.
    pub side: Option<Side>,
    /// The output for matches.
    pub shows: Shows,
    pub switches: Switches,
    /// The number of `-v`.
    pub verbose: u32,
    /// The length of a piece in bytes.
    pub piece: Option<NonZeroU64>,
    pub types: Option<FileTypes>,
    /// The treatment of large files.
    pub limit: Option<SizeLimit>,
    /// A file with inputs.
    pub list: Option<OsString>,
    /// The number of hashing threads.
    pub threads: i64,
    /// Whether to write DFXML.
    pub dfxml: bool,
    /// The output file.
    pub output: Option<FileId>,
    pub known: Loader,
    help_count: usize,
}

impl HashdeepSettings {
    fn new(personality: Personality) -> HashdeepSettings {
        let algorithms = match personality {
            Personality::Hashdeep => AlgorithmSet::DEFAULT,
            Personality::Single(algorithm) => AlgorithmSet::only(algorithm),
        };
        HashdeepSettings {
            personality,
            algorithms,
            mode: Mode::Compute,
            side: None,
            shows: Shows::Names,
            switches: Switches::default(),
            verbose: 0,
            piece: None,
            types: None,
            limit: None,
            list: None,
            threads: processors(),
            dfxml: false,
            output: None,
            known: Loader::default(),
            help_count: 0,
        }
    }

    /// Parses a command line; its first word is the command's name.
    ///
    /// # Errors
    /// Returns [`Stop`] if the run ends.
    pub fn parse(
        personality: Personality,
        words: Vec<OsString>,
        screen: &mut Screen,
    ) -> Result<(HashdeepSettings, Sorted), Stop> {
        let mut settings = HashdeepSettings::new(personality);
        let called = words.first().cloned().unwrap_or_default();
        let mut words = Words::new(personality, words);
        while let Some(given) = words.next_flag() {
            match given {
                Ok(given) => settings.apply(given, screen)?,
                Err(misuse) => return Err(settings.misused(&called, &misuse, screen)),
            }
        }
        if settings.help_count > 0 {
            return Err(Stop::FINE);
        }
        settings.check(screen)?;
        settings.known.finish();
        Ok((settings, words.finish()))
    }

    pub fn has(&self, switch: Switch) -> bool {
        self.switches.has(switch)
    }

    fn misused(&self, called: &OsStr, misuse: &Misuse, screen: &mut Screen) -> Stop {
        let (text, letter): (&[u8], u8) = match misuse {
            Misuse::Unknown(letter) => (b": invalid option -- '", *letter),
            Misuse::NoArgument(letter) => (b": option requires an argument -- '", *letter),
        };
        screen.error(&[&names::bytes(called), text, &[letter], b"'\n"].concat());
        self.refused(screen)
    }

    fn refused(&self, screen: &mut Screen) -> Stop {
        screen.hint();
        if self.personality == Personality::Hashdeep { Stop::FAILED } else { Stop::MISUSED }
    }

    /// Ends the run if a condition holds.
    fn forbid(&self, condition: bool, message: &str, screen: &mut Screen) -> Result<(), Stop> {
        if !condition {
            return Ok(());
        }
        if screen.wants_messages() {
            screen.say(message);
            screen.hint();
        }
        Err(Stop::MISUSED)
    }

    fn apply(&mut self, given: Given, screen: &mut Screen) -> Result<(), Stop> {
        let argument = given.argument;
        let text = &*names::bytes(&argument);
        match given.flag.meaning {
            Meaning::Set(switch) => {
                self.switches.set(switch);
                screen.apply(self.switches);
            }
            Meaning::Mode(mode, shows) => self.choose_mode(mode, shows, screen)?,
            Meaning::Match(side, shows) => {
                self.choose_sense(side, shows, screen)?;
                self.known.match_list(self.only_algorithm(), text, self.switches, screen);
            }
            Meaning::MatchHash(side) => {
                self.choose_sense(side, Shows::Names, screen)?;
                self.known.hash(self.only_algorithm(), text);
            }
            Meaning::Known => self.known.hashdeep_list(text, &mut self.algorithms, screen)?,
            Meaning::Algorithms => self.choose_algorithms(text, screen)?,
            Meaning::Dfxml => {
                self.dfxml = true;
                screen.raw(Target::Standard, dfxml::PROLOGUE);
            }
            Meaning::List => self.list = Some(argument),
            Meaning::Types => self.take_types(text, screen),
            Meaning::Below => self.below(text, screen)?,
            Meaning::BelowOrStars => {
                self.below(text, screen)?;
                self.limit = self.limit.map(|limit| SizeLimit { above: TooLarge::Stars, ..limit });
            }
            Meaning::Piecewise => self.piecewise(text, screen)?,
            Meaning::Verbose => self.more_words(screen),
            Meaning::Version => {
                screen.line(Target::Output, VERSION);
                return Err(Stop::FINE);
            }
            Meaning::Terms => {
                screen.text(Target::Output, TERMS);
                return Err(Stop::FINE);
            }
            Meaning::Output => self.open_output(&argument, screen)?,
            Meaning::Threads => self.threads = leading(text),
            Meaning::Reading => check_reading(text, screen)?,
            Meaning::Help => self.help(screen),
            Meaning::Ignored => {}
            Meaning::Refused => return Err(self.refused(screen)),
        }
        Ok(())
    }

    fn only_algorithm(&self) -> Algorithm {
        match self.personality {
            Personality::Single(algorithm) => algorithm,
            Personality::Hashdeep => Algorithm::MD5,
        }
    }

    fn choose_mode(&mut self, mode: Mode, shows: Shows, screen: &mut Screen) -> Result<(), Stop> {
        if shows == Shows::Digests {
            self.shows = shows;
        }
        self.forbid(self.mode != Mode::Compute, "Multiple processing modes specified.", screen)?;
        self.mode = mode;
        Ok(())
    }

    fn choose_sense(&mut self, side: Side, shows: Shows, screen: &mut Screen) -> Result<(), Stop> {
        if shows == Shows::Digests {
            self.shows = shows;
        }
        let other = self.side.is_some_and(|chosen| chosen != side);
        self.forbid(other, "Regular and negative matching are mutually exclusive.", screen)?;
        self.side = Some(side);
        Ok(())
    }

    /// Chooses algorithms, which also selects the computing mode, whatever mode was chosen before.
    fn choose_algorithms(&mut self, text: &[u8], screen: &mut Screen) -> Result<(), Stop> {
        self.mode = Mode::Compute;
        self.algorithms = AlgorithmSet::NONE;
        let names = text.strip_suffix(b",").unwrap_or(text).to_ascii_lowercase();
        for name in names.split(|byte| *byte == b',') {
            if name == b"all" {
                Algorithm::all().for_each(|algorithm| self.algorithms.insert(algorithm));
                return Ok(());
            }
            match Algorithm::named(name).filter(|_| !text.is_empty()) {
                Some(algorithm) => self.algorithms.insert(algorithm),
                None => {
                    screen.say_always([b"Unknown algorithm: ", name].concat());
                    screen.hint();
                    return Err(Stop::FAILED);
                }
            }
        }
        Ok(())
    }

    fn take_types(&mut self, letters: &[u8], screen: &mut Screen) {
        let types = self.types.get_or_insert_default();
        for letter in letters {
            if !types.add(*letter) {
                let message = [screen.name.as_bytes(), b": Unrecognized file type: ", &[*letter]].concat();
                screen.say(message);
            }
        }
    }

    fn size(&self, text: &[u8], screen: &mut Screen) -> Option<NonZeroU64> {
        let size = size(text);
        if !size.understood {
            screen.say("Improper piecewise multiplier ignored.");
        }
        NonZeroU64::new(size.bytes)
    }

    fn below(&mut self, text: &[u8], screen: &mut Screen) -> Result<(), Stop> {
        let Some(bytes) = self.size(text, screen) else {
            let end = if self.personality == Personality::Hashdeep { "" } else { "." };
            screen.say(format!("Requested size threshold implies not hashing anything{end}"));
            return Err(Stop::MISUSED);
        };
        let above = self.limit.map_or(TooLarge::Skipped, |limit| limit.above);
        self.limit = Some(SizeLimit { bytes: bytes.get(), above });
        Ok(())
    }

    fn piecewise(&mut self, text: &[u8], screen: &mut Screen) -> Result<(), Stop> {
        self.piece = self.size(text, screen);
        match (self.piece, self.personality) {
            (Some(_), _) => Ok(()),
            (None, Personality::Hashdeep) => {
                screen.say_always("Piecewise blocks of zero bytes are impossible");
                Err(Stop::FAILED)
            }
            (None, Personality::Single(_)) => {
                screen.say("Illegal size value for piecewise mode.");
                Err(Stop::MISUSED)
            }
        }
    }

    fn more_words(&mut self, screen: &mut Screen) {
        self.verbose += 1;
        if self.verbose > 3 {
            screen.say("User request for insane verbosity denied");
        }
    }

    fn open_output(&mut self, path: &OsStr, screen: &mut Screen) -> Result<(), Stop> {
        let opened = File::create(path).and_then(|file| Ok((facts(&file)?, file)));
        let Ok((facts, file)) = opened else {
            // hashdeep prints a variable that is empty here.
            screen.say_always(": Cannot open: ");
            return Err(Stop::FAILED);
        };
        self.output = Some(facts.id);
        screen.write_to(file);
        Ok(())
    }

    fn help(&mut self, screen: &mut Screen) {
        let lines = screens(self.personality).get(self.help_count).copied().unwrap_or_default();
        self.help_count += 1;
        for line in lines {
            let name = screen.name.clone();
            match line {
                Line::Text(text) => screen.line(Target::Output, text),
                Line::Plain(text) => screen.raw(Target::Standard, format!("{text}{NEWLINE}").as_bytes()),
                Line::Title => {
                    let authors = "Jesse Kornblum and Simson Garfinkel";
                    screen.line(Target::Output, format!("{name} version {VERSION} by {authors}."));
                }
                Line::Call => screen.line(Target::Output, format!("{PROMPT} {name} [OPTION]... [FILES]...")),
                Line::Threads => {
                    let threads = processors();
                    screen.line(Target::Output, format!("-j <num>  - use num threads (default {threads})"));
                }
            }
        }
    }

    /// Performs the checks that need all flags.
    fn check(&self, screen: &mut Screen) -> Result<(), Stop> {
        let matching = self.mode != Mode::Compute || self.side.is_some();
        let nothing = self.known.is_empty();
        self.forbid(matching && nothing, "Unable to load any matching files.", screen)?;
        let paths = self.has(Switch::Relative) && self.has(Switch::Bare);
        self.forbid(paths, "Relative paths and bare filenames are mutally exclusive.", screen)?;
        let silly = self.piece.is_some() && self.has(Switch::Sizes);
        self.forbid(silly, "Piecewise mode and file size display is just plain silly.", screen)?;
        if self.personality == Personality::Hashdeep || matching {
            return Ok(());
        }
        for (switch, what) in [
            (Switch::Unmatched, "display non-matching files"),
            (Switch::ShowMatched, "display which file matched"),
        ] {
            let message = format!("Matching or negative matching must be enabled to {what}.");
            self.forbid(self.has(switch), &message, screen)?;
        }
        Ok(())
    }
}

/// The output of `-V` of the single-algorithm commands: hashmill's own terms.
const TERMS: &str = "This is hashmill, which takes the place of md5deep.\n\
    It is free software under the MIT licence or the Apache licence 2.0, as you like.\n\
    There is NO warranty; not even for MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.\n";

/// Checks the argument of `-F`, which has no further effect: every way of reading gives the same digests.
fn check_reading(text: &[u8], screen: &mut Screen) -> Result<(), Stop> {
    let known = matches!(text, b"0" | b"1" | b"2" | [b'b' | b'u' | b'm', ..]);
    if known {
        return Ok(());
    }
    screen.error(&[b"Invalid iomode '", text, b"'\n"].concat());
    Err(Stop::FAILED)
}
