//! Keys to sign with: from files, asked for their passphrases on the terminal, or from an agent.

pub use hashmill_lists::signatures::keys::{Keep, public_of_models};

use crate::words::message;
use hashmill_lists::Error;
use hashmill_lists::signatures::keys::{KeyError, Keys};
use hashmill_os::names;
use hashmill_sign::bundle::EcSigner;
use hashmill_sign::{Signer, Zeroizing};
use std::path::{Path, PathBuf};
use std::{env, io};

/// The variable that says where an agent listens.
const SOCKET: &str = "SSH_AUTH_SOCK";

/// Returns the key that a file names, ready to sign. A public key means the agent's private one.
///
/// # Errors
/// If the file is no key, the passphrase is wrong or can't be asked for, or the agent does not have it.
pub fn load(path: &Path, keep: Keep) -> Result<Signer, Error> {
    keys(|keys| keys.load(path, keep))
}

/// Returns the agent's only Ed25519 key.
///
/// # Errors
/// If it has none, or several.
pub fn only_of_agent() -> Result<Signer, Error> {
    keys(|keys| keys.only_of_agent())
}

/// Returns the key in PEM that a file has, ready to sign models.
///
/// # Errors
/// If the file has none, the passphrase is wrong or can't be asked for.
pub fn load_of_models(path: &Path) -> Result<EcSigner, Error> {
    keys(|keys| keys.of_models(path))
}

fn keys<T>(get: impl FnOnce(&mut Keys<'_>) -> T) -> T {
    let agent = env::var_os(SOCKET).filter(|socket| !socket.is_empty()).map(PathBuf::from);
    get(&mut Keys { agent, passphrase: &mut ask, exposed: &mut warn })
}

fn ask(path: &Path) -> io::Result<Zeroizing<String>> {
    rpassword::prompt_password(format!("Passphrase of {}: ", path.display())).map(Zeroizing::new)
}

fn warn(path: &Path, mode: u32) {
    message::about(
        &names::path_bytes(path),
        format_args!(
            "WARNING: a private key that others can read (mode {mode:04o}); chmod 600 keeps them out"
        ),
    );
}

/// Returns a hint for a key that can't sign.
pub fn advice(why: &(dyn std::error::Error + 'static)) -> &'static str {
    match why.downcast_ref() {
        Some(KeyError::Several(_)) => "; say which one with --key KEY.pub",
        Some(KeyError::Passphrase { openssh: true, .. }) => {
            "; without a terminal let an agent sign: ssh-add the key, then use --agent or the public key"
        }
        Some(KeyError::Passphrase { .. }) => {
            "; without a terminal use a key without passphrase, or one of OpenSSH in an agent"
        }
        _ => "",
    }
}
