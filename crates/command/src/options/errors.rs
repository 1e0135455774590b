//! Errors of operations as the command prints them, with the option to blame and the option that helps.

use crate::access;
use crate::words::left_out::{KNOWN_RDS, KNOWN_ZIP};
use crate::words::message::Shown;
use anyhow::anyhow;
use hashmill_content::{self as content, File, FileError, NotOfImages};
use hashmill_job::bagit::BagError;
use hashmill_job::convert::ConvertError;
use hashmill_job::sets::SetsError;
use hashmill_job::similarity::SimilarityError;
use hashmill_job::{Error, Misfit};
use hashmill_known::Why;
use hashmill_lists::{self as lists, SealError, SignatureError};
use hashmill_manifest::format::{Hint, Unusable, open_path};
use hashmill_manifest::json_fault;
use hashmill_output::WriteError;
use std::error::Error as _;
use std::io::ErrorKind;
use std::iter::successors;

/// Returns the message for an error that ended a command.
pub fn text(error: &anyhow::Error) -> String {
    // A context names the subject already.
    if error.chain().nth(1).is_some() {
        return chain(error);
    }
    if let Some(error) = error.downcast_ref() {
        return message(error);
    }
    if let Some(error) = error.downcast_ref() {
        return of_list(error);
    }
    match error.downcast_ref() {
        Some(content::Error::Misfit(misfit)) => return of_content(misfit),
        Some(content::Error::File(error)) => return of_file(error),
        Some(content::Error::Write(error)) => return of_output(error),
        Some(content::Error::Priority(_)) | None => {}
    }
    if let Some(misfit) = error.downcast_ref() {
        return of_content(misfit);
    }
    error.downcast_ref().map_or_else(|| chain(error), of_misfit)
}

/// Returns an error with all its causes, those of a parser of JSON in plain words.
pub fn chain(error: &anyhow::Error) -> String {
    error.chain().map(words).collect::<Vec<_>>().join(": ")
}

/// Returns a cause, that of a parser of JSON in plain words.
fn words(cause: &(dyn std::error::Error + 'static)) -> String {
    match cause.downcast_ref::<serde_json::Error>() {
        Some(json) if !json.is_io() => {
            format!("{} at line {}, column {}", json_fault(json), json.line(), json.column())
        }
        _ => cause.to_string(),
    }
}

/// Returns the message for an error of an operation.
pub fn message(error: &Error) -> String {
    match error {
        Error::Misfit(misfit) => of_misfit(misfit),
        Error::Known(error) => of_known(error),
        Error::Sets(error) => of_sets(error),
        Error::Signature(error) => of_signature(error),
        Error::Bag(error) => of_bag(error),
        Error::Proof(error) => of_seal(error),
        Error::Similarity(error) => of_similarity(error),
        Error::Convert(error) => of_convert(error),
        Error::File(error) => of_file(error),
        Error::Unusable { path, why } => format!("{error}{}", advice(path, why)),
        Error::Write(error) => of_output(error),
        _ => error.to_string(),
    }
}

/// Returns the message for a list that can't be relied on, signed or sealed.
fn of_list(error: &lists::Error) -> String {
    match error {
        lists::Error::Misfit(misfit) => of_content(misfit),
        lists::Error::File(error) => of_file(error),
        lists::Error::Write(error) => of_output(error),
        lists::Error::Signature(error) => of_signature(error),
        lists::Error::Proof(error) => of_seal(error),
        _ => error.to_string(),
    }
}

/// Adds what a command accepts, if an operand is a file but no manifest.
///
/// # Errors
/// Returns the error that was passed in, with that text.
pub fn taking(what: &'static str) -> impl FnOnce(Error) -> anyhow::Error {
    move |error| match error {
        Error::Unusable { why: Unusable::Unrecognised | Unusable::Empty, .. } => {
            anyhow!("{}: {what}", message(&error))
        }
        error => error.into(),
    }
}

/// Returns a hint for a list of this name that can't be used.
pub fn advice(name: &[u8], why: &Unusable) -> String {
    match why {
        Unusable::Open(source) | Unusable::Io(source) if source.kind() == ErrorKind::IsADirectory => {
            ": 'hashmill hash -o LIST DIR' writes one, 'hashmill diff A B' compares folders".into()
        }
        Unusable::Open(source) if source.kind() == ErrorKind::NotFound => mistyped(name),
        _ => String::new(),
    }
}

/// Returns a hint for a name that is not there, and may be that of a location with a mistyped remote.
fn mistyped(name: &[u8]) -> String {
    access::stores().remote_hint(name).map_or_else(String::new, |hint| format!("; {hint}"))
}

/// Returns the message for an index that can't be used or built, with all causes.
fn of_known(error: &hashmill_known::Error) -> String {
    let advice = match error.why {
        Why::Feature("archives") => return format!("{}: {KNOWN_ZIP}", error.path.display()),
        Why::Feature(_) => return format!("{}: {KNOWN_RDS}", error.path.display()),
        Why::Tables { .. } => ": allow more with --memory",
        Why::Unpacks { .. } => ": allow more with --max-unpacked",
        Why::NotAnIndex if open_path(&error.path, Hint::None).is_ok() => {
            ", but a list: 'hashmill known build -o SET --bad LIST' (or --good) makes an index of it"
        }
        _ => "",
    };
    let causes = successors(error.source(), |cause| (*cause).source());
    causes.map(words).fold(format!("{error}{advice}"), |text, cause| {
        let is_said = text.rsplit(": ").next().is_some_and(|last| cause.contains(last));
        if is_said { text } else { format!("{text}: {cause}") }
    })
}

/// Returns the message for bad inputs of an index or a query.
fn of_sets(error: &SetsError) -> String {
    match error {
        SetsError::NoInputs => format!("{error}: name lists by --good, --bad or --as"),
        _ => error.to_string(),
    }
}

/// Returns the message for a file that can't be used.
fn of_file(error: &FileError) -> String {
    let is_gone = error.tried == File::Open && error.source.kind() == ErrorKind::NotFound;
    if is_gone { format!("{error}{}", mistyped(&error.path)) } else { error.to_string() }
}

/// Returns the message for an output that could not be written.
fn of_output(error: &WriteError) -> String {
    #[cfg(feature = "images")]
    return super::images::write_message(error);
    #[cfg(not(feature = "images"))]
    error.to_string()
}

/// Returns the message for settings that do not fit what they are used for.
pub fn of_content(misfit: &content::Misfit) -> String {
    match misfit {
        content::Misfit::Key(name) => {
            let option =
                if name.starts_with("blake3-keyed") { "--keyed FILE" } else { "--derive-key CONTEXT" };
            format!("{misfit}: {option} of hash, audit, check and diff")
        }
        content::Misfit::Images(what) => of_images(*what),
        content::Misfit::SameBacking(_) => format!("--backing: {misfit}"),
        content::Misfit::Memory { .. } => format!("--memory: {misfit}"),
        content::Misfit::LeftOut { feature: "images", .. } => format!("--images: {misfit}"),
        _ => misfit.to_string(),
    }
}

/// Returns the message for options that do not go together.
pub fn of_misfit(misfit: &Misfit) -> String {
    match misfit {
        Misfit::Content(misfit) => of_content(misfit),
        Misfit::ScanMemory { .. } => format!("--yara-max: {misfit} (half of -m)"),
        Misfit::Pieces(_) | Misfit::PiecesOf(_) => format!("--piecewise: {misfit}"),
        Misfit::Likeness(_, name) => format!("-c {name}: {misfit}"),
        Misfit::Only(format, name) => {
            format!("-c {name}: {misfit}: -c {}", format.only.first().unwrap_or(&""))
        }
        Misfit::Needs(_, name) => format!("{misfit}: hash -c {name} and what else is wanted"),
        Misfit::Metadata(_) => format!("--metadata, --reuse: {misfit}; -f jsonl has one"),
        Misfit::ReusePieces | Misfit::ReuseLeaves | Misfit::ReuseLikeness(_) | Misfit::ReuseLocation(_) => {
            format!("--reuse: {misfit}")
        }
        Misfit::Times(_) => format!("--times: {misfit}"),
        Misfit::BadBlocks(_) => format!("--bad-blocks zero: {misfit}"),
        Misfit::Case(_) => format!("--case, --examiner, --evidence: {misfit}"),
        Misfit::LongText(name) => format!("--{name}: {misfit}"),
        Misfit::Stream(format) => format!("-f {}: {misfit}; name one with -o", format.name),
        Misfit::ResumeFormat(_) | Misfit::ResumePipe(_) => format!("--resume: {misfit}"),
        Misfit::ResumeOrder => {
            "--resume goes by the order of paths; it can't go with --order any".to_string()
        }
        Misfit::ResumeStream => "--resume needs a file as --output".to_string(),
        Misfit::SealStream => "--seal needs a file as --output".to_string(),
        Misfit::SignStream => {
            "--sign needs a file as -o: a signature is of a whole file, and lies beside it".to_string()
        }
        Misfit::NothingToWalk => "filters need a PATH to walk".to_string(),
        Misfit::OtherAlgorithms { .. } => format!("{misfit} by -c"),
        Misfit::NotCryptographic(name) | Misfit::OfNoList(name) => format!("-c {name}: {misfit}"),
        Misfit::OnlySimilar => format!("-c: {misfit}"),
        Misfit::AlgorithmsOfManifest => format!("-c, --keyed, --derive-key, --length: {misfit}"),
        Misfit::NoNext => format!("--update: {misfit}"),
        _ => misfit.to_string(),
    }
}

fn of_images(what: NotOfImages) -> String {
    let option = match what {
        NotOfImages::Resume => "--resume",
        NotOfImages::BadBlocks => "--bad-blocks zero",
        NotOfImages::Direct => "--io direct",
        NotOfImages::Timeout => "--timeout",
        NotOfImages::Rate => "--bwlimit",
    };
    format!("images can't be read with {option}")
}

/// Returns the message for signatures that stop a command.
pub fn of_signature(error: &SignatureError) -> String {
    match error {
        SignatureError::Broken(_) => format!("{error}; --ignore-signature continues without it"),
        SignatureError::TooFew { .. } => {
            format!("{error}; without --allowed-signers and --public-key none is needed")
        }
        SignatureError::Forgeable { .. } => format!("{error}; --allow-weak accepts them"),
        SignatureError::Taken { .. } => format!("{error}, or name another file with -o"),
        SignatureError::Foreign(_) => format!("--sign: {error}"),
        SignatureError::Nothing => {
            "say what to sign with: --key KEY, --agent, or --timestamp URL".to_string()
        }
        SignatureError::SameKey => format!("--key: {error}"),
        SignatureError::Outputs => format!("--output: {error}"),
        SignatureError::Namespace => format!("--namespace: {error}"),
        #[cfg(feature = "sign")]
        SignatureError::Unusable { why, .. } | SignatureError::Agent(why) => {
            format!("{error}{}", crate::keys::advice(&**why))
        }
        _ => error.to_string(),
    }
}

/// Returns the message for something that can't be sealed or verified.
pub fn of_seal(error: &SealError) -> String {
    match error {
        SealError::OldDiffers { path, difference } => format!("{}: --old: {difference}", Shown(path)),
        SealError::SameFile(_) => format!("--old: {error}: name another place with --output"),
        SealError::Successor(why) => format!("--old: {error}{}", secret(why)),
        SealError::Unusable { why, .. } => format!("{error}{}", secret(why)),
        SealError::Guessed { .. } | SealError::OtherLength { .. } => {
            format!("{error} (name the algorithm: -c ALG)")
        }
        SealError::Algorithm(_) => format!("-c: {error}"),
        SealError::WhichSeal(_) => format!("{error} give --seal-file or --root"),
        SealError::WhichOlder(_) => format!("{error} give --old or --old-root"),
        SealError::NotGrowth(path) => {
            format!("{}: --old is for proofs that a manifest goes on with an older one", Shown(path))
        }
        SealError::SeveralFiles => format!("--file: {error}"),
        SealError::NothingMatches(_) => format!("--keep, --hide: {error}"),
        _ => error.to_string(),
    }
}

/// Returns the option to name if a secret is missing or unused.
fn secret(why: &hashmill_seal::Error) -> &'static str {
    use hashmill_seal::Error::{SecretMissing, SecretUnused};
    if matches!(why, SecretMissing | SecretUnused) { " (--secret)" } else { "" }
}

/// Returns the message for similarity digests that can't be read or compared.
fn of_similarity(error: &SimilarityError) -> String {
    match error {
        SimilarityError::Directory(_) => format!("{error}; 'similar pairs' takes trees"),
        SimilarityError::Segments { .. } => {
            format!("{error}; see 'similar pairs', or take -c sdhash-stream")
        }
        SimilarityError::Digest { number, .. } => format!("{}: {error}", ["A", "B"][*number]),
        _ => error.to_string(),
    }
}

/// Returns the message for a manifest that can't be converted.
fn of_convert(error: &ConvertError) -> String {
    match error {
        ConvertError::Guessed { .. } => format!("{error}: -c ALG"),
        ConvertError::Lossy(_) => format!("{error}; --lossy leaves that out"),
        _ => error.to_string(),
    }
}

/// Returns the message for a bag that can't be made or verified.
fn of_bag(error: &BagError) -> String {
    match error {
        BagError::Likeness => format!("-c: {error}"),
        BagError::Checksum(name) => format!("-c {name}: {error}"),
        BagError::GivenOxum | BagError::Field(_) => format!("--info: {error}"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_says_which_option_allows_more() {
        let said = |why| message(&hashmill_known::Error { path: "a.zip".into(), why }.into());
        assert_eq!(
            said(Why::Tables { most: 5 }),
            "a.zip: its products and changes take more than 5 bytes of memory: allow more with --memory"
        );
        assert_eq!(
            said(Why::Unpacks { bytes: 9, most: 5 }),
            "a.zip: unpacks to 9 bytes, but only 5 are allowed: allow more with --max-unpacked"
        );
    }

    #[test]
    fn what_caused_an_error_of_an_index_is_said() {
        let inner = std::io::Error::other(std::fmt::Error);
        let outer = std::io::Error::other(inner);
        let error = hashmill_known::Error { path: "set".into(), why: Why::Io("open", outer) };
        let whole = format!(
            "{:#}",
            anyhow::Error::new(hashmill_known::Error {
                path: "set".into(),
                why: Why::Io("open", std::io::Error::other(std::io::Error::other(std::fmt::Error))),
            })
        );
        assert_eq!(message(&error.into()), whole);
    }
}
