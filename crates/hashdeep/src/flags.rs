//! All flags, one row each: the commands that have it, its argument, and its meaning.

use crate::personality::Personality;

/// A flag of some of the commands.
pub struct Flag {
    /// The letter after the dash.
    pub letter: u8,
    /// The commands that have the flag.
    pub commands: Commands,
    pub takes: Takes,
    pub meaning: Meaning,
}

/// Groups of commands with the same flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// `hashdeep`.
    Hashdeep,
    /// `md5deep` and its siblings for one algorithm each.
    Single,
    /// All six commands.
    Both,
}

/// Whether a flag takes an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// The rest of the word, or the next word.
    Argument,
}

/// The meaning of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Set(Switch),
    /// Chooses hashdeep's main mode, with or without digests in its output.
    Mode(Mode, Shows),
    /// Loads a file of known hashes for the single-algorithm commands.
    Match(Side, Shows),
    /// Takes one known hash from the command line.
    MatchHash(Side),
    /// Loads a file of known hashes for hashdeep.
    Known,
    Algorithms,
    /// Starts the DFXML document.
    Dfxml,
    /// Names a file with inputs.
    List,
    /// Restricts the file types.
    Types,
    /// Skips files above a size.
    Below,
    /// Lists files above a size without hashing them.
    BelowOrStars,
    Piecewise,
    /// Increases verbosity.
    Verbose,
    /// Prints the version.
    Version,
    /// Prints the terms of use.
    Terms,
    /// Names the output file.
    Output,
    /// Sets the number of threads.
    Threads,
    /// Sets the way of reading: checked, but without effect.
    Reading,
    /// Prints help; each repetition prints another screen.
    Help,
    /// Accepted without effect: debugging, and a library that only macOS has.
    Ignored,
    /// Listed by hashdeep, but not implemented, so that it ends with a hint.
    Refused,
}

/// Options that are on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Switch {
    /// `-b`: names without their directories.
    Bare,
    /// `-l`: paths as they were typed.
    Relative,
    /// `-e`: time left, on standard error.
    Estimate,
    /// `-r`: enter directories.
    Recursive,
    /// `-s`: no messages.
    Silent,
    /// `-S`: only messages about bad lines in lists.
    WarnOnly,
    /// `-w`: show which known file matched.
    ShowMatched,
    /// `-0`: NUL ends lines.
    Zero,
    /// `-u`: write characters beyond Latin-1 as `U+XXXX`.
    Escape,
    /// `-E`: names match regardless of case.
    IgnoreCase,
    /// `-c` of the single-algorithm commands: commas between columns.
    Csv,
    /// `-z`: sizes before digests.
    Sizes,
    /// `-k` of the single-algorithm commands: an asterisk before names.
    Asterisk,
    /// `-q`: no names.
    Quiet,
    /// `-t`: change times.
    Times,
    /// `-n`: show the known hashes that nothing matched.
    Unmatched,
    /// `-Z`: size and digest of the first 512 bytes before each line.
    Triage,
}

/// hashdeep's main modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Show digests.
    Compute,
    /// Show known files.
    Match,
    /// Show unknown files.
    MatchNot,
    /// Compare all files with all known ones.
    Audit,
}

/// The side of a match that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Known files.
    Known,
    /// Unknown files.
    Unknown,
}

/// The output for matching files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Names only.
    Names,
    /// Names and digests.
    Digests,
}

const fn flag(letter: u8, commands: Commands, takes: Takes, meaning: Meaning) -> Flag {
    Flag { letter, commands, takes, meaning }
}

const fn switch(letter: u8, commands: Commands, switch: Switch) -> Flag {
    flag(letter, commands, Takes::Nothing, Meaning::Set(switch))
}

use Commands::{Both, Hashdeep, Single};
use Takes::{Argument, Nothing};

/// All flags by letter.
pub static FLAGS: &[Flag] = &[
    switch(b'0', Both, Switch::Zero),
    flag(b'A', Single, Argument, Meaning::MatchHash(Side::Unknown)),
    flag(b'C', Both, Nothing, Meaning::Ignored),
    flag(b'D', Both, Argument, Meaning::Ignored),
    switch(b'E', Hashdeep, Switch::IgnoreCase),
    flag(b'F', Both, Argument, Meaning::Reading),
    flag(b'I', Both, Argument, Meaning::BelowOrStars),
    flag(b'M', Hashdeep, Nothing, Meaning::Mode(Mode::Match, Shows::Digests)),
    flag(b'M', Single, Argument, Meaning::Match(Side::Known, Shows::Digests)),
    switch(b'S', Single, Switch::WarnOnly),
    flag(b'V', Hashdeep, Nothing, Meaning::Version),
    flag(b'V', Single, Nothing, Meaning::Terms),
    flag(b'W', Both, Argument, Meaning::Output),
    flag(b'X', Hashdeep, Nothing, Meaning::Mode(Mode::MatchNot, Shows::Digests)),
    flag(b'X', Single, Argument, Meaning::Match(Side::Unknown, Shows::Digests)),
    switch(b'Z', Single, Switch::Triage),
    flag(b'a', Hashdeep, Nothing, Meaning::Mode(Mode::Audit, Shows::Names)),
    flag(b'a', Single, Argument, Meaning::MatchHash(Side::Known)),
    switch(b'b', Both, Switch::Bare),
    flag(b'c', Hashdeep, Argument, Meaning::Algorithms),
    switch(b'c', Single, Switch::Csv),
    flag(b'd', Both, Nothing, Meaning::Dfxml),
    switch(b'e', Both, Switch::Estimate),
    flag(b'f', Both, Argument, Meaning::List),
    flag(b'h', Both, Nothing, Meaning::Help),
    flag(b'i', Both, Argument, Meaning::Below),
    flag(b'j', Both, Argument, Meaning::Threads),
    flag(b'k', Hashdeep, Argument, Meaning::Known),
    switch(b'k', Single, Switch::Asterisk),
    switch(b'l', Both, Switch::Relative),
    flag(b'm', Hashdeep, Nothing, Meaning::Mode(Mode::Match, Shows::Names)),
    flag(b'm', Single, Argument, Meaning::Match(Side::Known, Shows::Names)),
    switch(b'n', Single, Switch::Unmatched),
    flag(b'o', Both, Argument, Meaning::Types),
    flag(b'p', Both, Argument, Meaning::Piecewise),
    switch(b'q', Single, Switch::Quiet),
    switch(b'r', Both, Switch::Recursive),
    switch(b's', Both, Switch::Silent),
    flag(b't', Hashdeep, Nothing, Meaning::Refused),
    switch(b't', Single, Switch::Times),
    switch(b'u', Both, Switch::Escape),
    flag(b'v', Hashdeep, Nothing, Meaning::Verbose),
    flag(b'v', Single, Nothing, Meaning::Version),
    switch(b'w', Both, Switch::ShowMatched),
    flag(b'x', Hashdeep, Nothing, Meaning::Mode(Mode::MatchNot, Shows::Names)),
    flag(b'x', Single, Argument, Meaning::Match(Side::Unknown, Shows::Names)),
    switch(b'z', Single, Switch::Sizes),
];

/// Returns the command's flag with this letter.
pub fn find(letter: u8, personality: Personality) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.letter == letter && flag.commands.include(personality))
}

impl Commands {
    fn include(self, personality: Personality) -> bool {
        match self {
            Commands::Both => true,
            Commands::Hashdeep => personality == Personality::Hashdeep,
            Commands::Single => personality != Personality::Hashdeep,
        }
    }
}

/// The set of switches that are on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Switches(u32);

impl Switches {
    /// Turns a switch on.
    pub fn set(&mut self, switch: Switch) {
        self.0 |= 1 << switch as u8;
    }

    /// Returns whether a switch is on.
    pub fn has(self, switch: Switch) -> bool {
        self.0 & 1 << switch as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;

    /// The option strings that the commands of 4.4 accept, found by trying every letter.
    const ACCEPTED: [(Personality, &str); 2] = [
        (Personality::Hashdeep, "abc:CdeEF:f:o:I:i:MmXxtlk:rsp:wvVhW:0D:uj:"),
        (Personality::Single(Algorithm::MD5), "A:a:bcCdeF:f:I:i:M:X:x:m:o:tnwzsSp:rhvV0lkqZW:D:uj:"),
    ];

    #[test]
    fn each_command_has_the_letters_of_4_4_and_no_others() {
        for (personality, accepted) in ACCEPTED {
            for letter in 0..=255_u8 {
                let at = accepted.bytes().position(|byte| byte == letter && letter != b':');
                let found = find(letter, personality);
                assert_eq!(at.is_some(), found.is_some(), "{personality:?} {}", char::from(letter));
                let argument = at.is_some_and(|at| accepted.as_bytes().get(at + 1) == Some(&b':'));
                assert_eq!(argument, found.is_some_and(|flag| flag.takes == Takes::Argument));
            }
        }
    }

    #[test]
    fn no_command_has_a_letter_twice() {
        for (personality, _) in ACCEPTED {
            for flag in FLAGS.iter().filter(|flag| flag.commands.include(personality)) {
                assert!(std::ptr::eq(flag, find(flag.letter, personality).unwrap()));
            }
        }
    }
}
