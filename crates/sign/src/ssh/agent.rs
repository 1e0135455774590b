//! Keys in an agent, which signs without revealing the private key (draft-miller-ssh-agent).

use super::CERTIFICATE;
use super::key::{KeyData, KeySignature, Material, SignatureFault};
use super::wire::{Fields, SHORT, SshFault, put};
use crate::error::{Error, Text, text};
use crate::sys::{AgentStream, connect_agent};
use std::fmt;
use std::io::{Read, Write};
use std::path::Path;

/// The types of messages.
const FAILURE: u8 = 5;
const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;
/// The flag of a request that an RSA key shall sign with SHA-512.
const RSA_SHA2_512: u32 = 4;

/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;

/// A connection to an agent.
pub struct Agent(AgentStream);

impl Agent {
    /// Connects to the agent at this socket (`SSH_AUTH_SOCK`).
    ///
    /// # Errors
    /// If there is none.
    pub fn connect(socket: &Path) -> Result<Agent, Error> {
        connect_agent(socket).map(Agent).map_err(failed("cannot connect"))
    }

    /// Returns its keys with their comments, without certificates.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn keys(&mut self) -> Result<Vec<(KeyData, String)>, Error> {
        let answer = exchange(&mut self.0, &[REQUEST_IDENTITIES], IDENTITIES_ANSWER);
        let keys = answer.and_then(|answer| identities(&answer).map_err(damaged));
        keys.map_err(failed("cannot list its keys"))
    }

    pub(crate) fn sign(&mut self, key: &KeyData, bytes: &[u8]) -> Result<KeySignature, Error> {
        let answer = exchange(&mut self.0, &sign_request(key, bytes), SIGN_RESPONSE);
        let made = answer.and_then(|answer| signature(&answer, key));
        made.map_err(failed("it can't sign with this key"))
    }
}

fn failed<T: fmt::Display>(task: &str) -> impl Fn(T) -> Error {
    move |why| Error::Agent(format!("{task}: {why}").into())
}

fn damaged(fault: SshFault) -> Text {
    format!("its answer is damaged: {fault}").into()
}

/// Sends a message, and reads an answer of this type. Returns it without its length and its type.
fn exchange(stream: &mut (impl Read + Write), message: &[u8], wanted: u8) -> Result<Vec<u8>, Text> {
    let mut framed = Vec::with_capacity(4 + message.len());
    put(&mut framed, message);
    stream.write_all(&framed).map_err(text)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(text)?;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > LONGEST_ANSWER {
        return Err("its answer is too long".into());
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).map_err(text)?;
    match answer.first().copied() {
        Some(found) if found == wanted => Ok(answer.split_off(1)),
        Some(FAILURE) => Err("it refuses".into()),
        Some(other) => Err(format!("it answers with a message of the type {other}").into()),
        None => Err(damaged(SHORT)),
    }
}

/// Reads the keys of an answer, without certificates.
fn identities(answer: &[u8]) -> Result<Vec<(KeyData, String)>, SshFault> {
    let mut fields = Fields::new(answer);
    let mut keys = Vec::new();
    for _ in 0..fields.number()? {
        let (key, comment) = (fields.string()?, fields.text()?);
        if Fields::new(key).text()?.ends_with(CERTIFICATE) {
            continue;
        }
        match KeyData::parse(key) {
            // Kinds of the future hide no other key.
            Err(SshFault::Kind(_)) => {}
            key => keys.push((key?, comment.to_string())),
        }
    }
    fields.end()?;
    Ok(keys)
}

fn sign_request(key: &KeyData, bytes: &[u8]) -> Vec<u8> {
    let mut request = vec![SIGN_REQUEST];
    put(&mut request, key.as_bytes());
    put(&mut request, bytes);
    let flags = if matches!(key.material(), Material::Rsa { .. }) { RSA_SHA2_512 } else { 0 };
    request.extend(flags.to_be_bytes());
    request
}

/// Reads the signature of an answer.
fn signature(answer: &[u8], key: &KeyData) -> Result<KeySignature, Text> {
    let mut fields = Fields::new(answer);
    let made = fields.string().map_err(damaged)?;
    fields.end().map_err(damaged)?;
    KeySignature::parse(made, key).map_err(|fault| match fault {
        SignatureFault::Malformed(fault) => damaged(fault),
        SignatureFault::Kinds | SignatureFault::Sha1 => "its signature is not of the kind of the key".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::{encoded, plain};
    use super::*;
    use std::io::{self, Cursor};

    /// An agent with one answer.
    struct Answer(Vec<u8>, Cursor<Vec<u8>>);

    impl Write for Answer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Read for Answer {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            self.1.read(bytes)
        }
    }

    #[test]
    fn messages_are_framed_and_answers_are_checked() {
        let ask = |answer: &[u8]| {
            let mut agent = Answer(Vec::new(), Cursor::new(answer.to_vec()));
            let found = exchange(&mut agent, &[REQUEST_IDENTITIES], IDENTITIES_ANSWER);
            assert_eq!(agent.0, [0, 0, 0, 1, REQUEST_IDENTITIES]);
            found
        };
        assert_eq!(ask(&[0, 0, 0, 2, 12, 7]).unwrap(), [7]);
        assert_eq!(ask(&[0, 0, 0, 1, 5]).unwrap_err(), "it refuses");
        assert_eq!(ask(&[0, 0, 0, 1, 99]).unwrap_err(), "it answers with a message of the type 99");
        assert_eq!(ask(&[0, 0, 0, 0]).unwrap_err(), "its answer is damaged: a field ends too early");
        assert_eq!(ask(&[0, 0, 0, 2, 12]).unwrap_err(), "failed to fill whole buffer");
        assert_eq!(ask(&[0xff; 9]).unwrap_err(), "its answer is too long");
    }

    #[test]
    fn keys_are_listed_without_certificates() {
        let key = plain([7; 32]);
        let certificate = encoded(&[b"ssh-ed25519-cert-v01@openssh.com", b"anything"]);
        let unknown = encoded(&[b"ssh-new", b"anything"]);
        let list = encoded(&[&certificate, b"one", &unknown, b"two", key.as_bytes(), b"three"]);
        let found = identities(&[&[0, 0, 0, 3], &list[..]].concat()).unwrap();
        assert_eq!(found, [(key, "three".to_string())]);
        assert!(identities(&[&[0, 0, 0, 4], &list[..]].concat()).is_err());
        assert!(identities(&[&[0, 0, 0, 2], &list[..]].concat()).is_err());
        assert!(identities(&[0xff; 4]).is_err());
    }

    #[test]
    fn rsa_keys_are_asked_for_sha_512() {
        let flags = |key: &KeyData| sign_request(key, b"x").split_off(key.as_bytes().len() + 10);
        assert_eq!(flags(&plain([7; 32])), [0; 4]);
        let rsa = KeyData::parse(&encoded(&[b"ssh-rsa", &[1, 0, 1], &[0, 0x80, 1]])).unwrap();
        assert_eq!(flags(&rsa), [0, 0, 0, 4]);
        let made = encoded(&[b"rsa-sha2-512", &[1; 128]]);
        assert!(signature(&encoded(&[&made]), &rsa).is_ok());
        let wanted = "its signature is not of the kind of the key";
        assert_eq!(signature(&encoded(&[&made]), &plain([7; 32])).unwrap_err(), wanted);
    }
}
