//! Errors of operations in the words of the command: which option they are about, and which would help.

use crate::left_out::KNOWN_RDS;
use hashloom_job::bagit::BagError;
use hashloom_job::signatures::SignatureError;
use hashloom_job::{Error, Misfit, NotOfImages};
use hashloom_known::Why;

/// What is said of an error that ended a command.
pub fn text(error: &anyhow::Error) -> String {
    // With a context somebody said already what it is about.
    if error.chain().nth(1).is_some() {
        return format!("{error:#}");
    }
    match error.downcast_ref::<Error>() {
        Some(Error::Misfit(misfit)) => of_misfit(misfit),
        Some(Error::Signature(error)) => of_signature(error),
        Some(Error::Bag(error)) => of_bag(error),
        _ => match (error.downcast_ref::<Misfit>(), error.downcast_ref::<hashloom_known::Error>()) {
            (Some(misfit), _) => of_misfit(misfit),
            (_, Some(known)) if matches!(known.why, Why::Feature(_)) => {
                format!("{}: {KNOWN_RDS}", known.path.display())
            }
            _ => format!("{error:#}"),
        },
    }
}

/// Options that do not go together.
pub fn of_misfit(misfit: &Misfit) -> String {
    match misfit {
        Misfit::Pieces(_) => format!("--piecewise: {misfit}"),
        Misfit::Likeness(_, name) => format!("-c {name}: {misfit}"),
        Misfit::Only(format, name) => {
            format!("-c {name}: {misfit}: -c {}", format.only.unwrap_or_default())
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
        Misfit::Images(what) => of_images(*what),
        Misfit::Memory { .. } => format!("--memory: {misfit}"),
        Misfit::NothingToWalk => "filters need a PATH to walk".to_string(),
        Misfit::OtherAlgorithms { .. } => format!("{misfit} by -c"),
        Misfit::NoInodes => format!("--images: {misfit}"),
        Misfit::NotCryptographic(name) => format!("-c {name}: {misfit}"),
        Misfit::LeftOut { feature: "images", .. } => format!("--images: {misfit}"),
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

/// Signatures that stop a command.
pub fn of_signature(error: &SignatureError) -> String {
    match error {
        SignatureError::Broken(_) => format!("{error}; --ignore-signature continues without it"),
        SignatureError::TooFew { .. } => {
            format!("{error}; without --allowed-signers and --public-key none is needed")
        }
        SignatureError::Taken { .. } => format!("{error}, or name another file with -o"),
        SignatureError::Foreign(_) => format!("--sign: {error}"),
        _ => error.to_string(),
    }
}

/// Why there is no bag.
fn of_bag(error: &BagError) -> String {
    match error {
        BagError::Likeness => format!("-c: {error}"),
        BagError::Checksum(name) => format!("-c {name}: {error}"),
        BagError::GivenOxum | BagError::Field(_) => format!("--info: {error}"),
        _ => error.to_string(),
    }
}
