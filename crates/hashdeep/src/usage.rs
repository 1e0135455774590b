//! The help screens: hashdeep's own interface, word for word.

use crate::personality::Personality;

/// A line of a screen.
pub enum Line {
    Text(&'static str),
    /// Text with the usual line end regardless of `-0`, which is never written to the file of `-W`.
    Plain(&'static str),
    /// The version line.
    Title,
    /// The command's synopsis.
    Call,
    /// The number of threads used by default.
    Threads,
}

use Line::{Call, Plain, Text, Threads, Title};

/// Returns the screens for each `-h` in turn.
pub fn screens(personality: Personality) -> [&'static [Line]; 3] {
    match personality {
        Personality::Hashdeep => [HASHDEEP, HASHDEEP_MORE, INTERNALS],
        Personality::Single(_) => [SINGLE, SINGLE_MORE, INTERNALS],
    }
}

const HASHDEEP: &[Line] = &[
    Title,
    Call,
    Text("-c <alg1,[alg2]> - Compute hashes only. Defaults are MD5 and SHA-256"),
    // The last name is empty, for an algorithm that 4.4 lacks.
    Plain("                   legal values: md5,sha1,sha256,tiger,whirlpool,"),
    Text("-p <size> - piecewise mode. Files are broken into blocks for hashing"),
    Text("-r        - recursive mode. All subdirectories are traversed"),
    Text("-d        - output in DFXML (Digital Forensics XML)"),
    Text("-k <file> - add a file of known hashes"),
    Text("-a        - audit mode. Validates FILES against known hashes. Requires -k"),
    Text("-m        - matching mode. Requires -k"),
    Text("-x        - negative matching mode. Requires -k"),
    Text("-w        - in -m mode, displays which known file was matched"),
    Text("-M and -X act like -m and -x, but display hashes of matching files"),
    Text("-e        - compute estimated time remaining for each file"),
    Text("-s        - silent mode. Suppress all error messages"),
    Text("-b        - prints only the bare name of files; all path information is omitted"),
    Text("-l        - print relative paths for filenames"),
    Text("-i/-I     - only process files smaller than the given threshold"),
    Text("-o        - only process certain types of files. See README/manpage"),
    Text("-v        - verbose mode. Use again to be more verbose"),
    Text("-d        - output in DFXML; -W FILE - write to FILE."),
    Threads,
];

const HASHDEEP_MORE: &[Line] = &[
    Text("-f <file> - Use file as a list of files to process."),
    Text("-V        - display version number and exit"),
    Text("-0        - use a NUL (\\0) for newline."),
    Text("-u        - escape Unicode"),
    Text("-E        - Use case insensitive matching for filenames in audit mode"),
    Text("-B        - verbose mode; repeat for more verbosity"),
    Text("-C        - OS X only --- use Common Crypto hash functions"),
    Text("-Fb       - I/O mode buffered; -Fu unbuffered; -Fm memory-mapped"),
    Text("-o[bcpflsde] - Expert mode. only process certain types of files:"),
    Text("               b=block dev; c=character dev; p=named pipe"),
    Text("               f=regular file; l=symlink; s=socket; d=door e=Windows PE"),
    Text("-D <num>  - set debug level"),
];

const SINGLE: &[Line] = &[
    Title,
    Call,
    Text("See the man page or README.txt file or use -hh for the full list of options"),
    Text("-p <size> - piecewise mode. Files are broken into blocks for hashing"),
    Text("-r        - recursive mode. All subdirectories are traversed"),
    Text("-e        - show estimated time remaining for each file"),
    Text("-s        - silent mode. Suppress all error messages"),
    Text("-z        - display file size before hash"),
    Text("-m <file> - enables matching mode. See README/man page"),
    Text("-x <file> - enables negative matching mode. See README/man page"),
    Text("-M and -X are the same as -m and -x but also print hashes of each file"),
    Text("-w        - displays which known file generated a match"),
    Text("-n        - displays known hashes that did not match any input files"),
    Text("-a and -A add a single hash to the positive or negative matching set"),
    Text("-b        - prints only the bare name of files; all path information is omitted"),
    Text("-l        - print relative paths for filenames"),
    Text("-t        - print GMT timestamp (ctime)"),
    Text("-i/I <size> - only process files smaller/larger than SIZE"),
    Text("-v        - display version number and exit"),
    Text("-d        - output in DFXML; -u - Escape Unicode; -W FILE - write to FILE."),
    Threads,
    Text("-Z - triage mode;   -h - help;   -hh - full help"),
];

const SINGLE_MORE: &[Line] = &[
    Text("-S        - Silent mode, but warn on bad hashes"),
    Text("-0        - use a NUL (\\0) for newline."),
    Text("-k        - print asterisk before filename"),
    Text("-u        - escape Unicode characters in filenames"),
    Text("-B        - verbose mode; repeat for more verbosity"),
    Text("-C        - OS X only --- use Common Crypto hash functions"),
    Text("-Fb       - I/O mode buffered; -Fu unbuffered; -Fm memory-mapped"),
    Text("-f <file> - take list of files to hash from filename"),
    Text("-o[bcpflsde] - expert mode. Only process certain types of files:"),
    Text("               b=block dev; c=character dev; p=named pipe"),
    Text("               f=regular file; l=symlink; s=socket; d=door e=Windows PE"),
    Text("-D <num>  - set debug level to nn"),
];

const INTERNALS: &[Line] = &[Text("sizeof(off_t)= 8"), Text("HAVE_PTHREAD"), Text("HAVE_PTHREAD_H")];
