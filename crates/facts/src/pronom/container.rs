//! Container signatures: which members a ZIP archive or compound file has, and which bytes are in them.

use super::compile::sequences;
use super::element::Element;
use super::error::SignatureError;
use super::formats::Formats;
use super::matcher::{Bytes, Sequence};
use super::members::{ContainerKind, Members};
use std::collections::HashMap;

/// The container signatures of a file.
#[derive(Debug, Default)]
pub(super) struct Containers {
    pub(super) version: Box<str>,
    signatures: Vec<Signature>,
    /// The identifiers of formats that are such containers.
    triggers: Vec<(ContainerKind, Box<str>)>,
}

/// A signature, all of whose members must be there.
#[derive(Debug)]
struct Signature {
    kind: ContainerKind,
    puids: Vec<Box<str>>,
    members: Vec<Member>,
}

/// A member that must be there.
#[derive(Debug)]
struct Member {
    path: Box<str>,
    /// The signatures of its bytes, each of which must match.
    signatures: Vec<Vec<Sequence>>,
}

impl Containers {
    /// Compiles the file.
    pub(super) fn new(root: &Element) -> Result<Containers, SignatureError> {
        let mut puids: HashMap<u32, Vec<Box<str>>> = HashMap::new();
        for mapping in root.below("FileFormatMappings", "FileFormatMapping") {
            let (id, puid) = (mapping.number("signatureId")?, mapping.attribute("Puid"));
            let both =
                id.zip(puid).ok_or_else(|| mapping.error("the mapping lacks signatureId or Puid".into()))?;
            puids.entry(both.0).or_default().push(both.1.into());
        }
        let mut signatures = Vec::new();
        for signature in root.below("ContainerSignatures", "ContainerSignature") {
            let id =
                signature.number("Id")?.ok_or_else(|| signature.error("the signature has no Id".into()))?;
            let members = signature.below("Files", "File").map(member).collect::<Result<Vec<_>, _>>()?;
            if members.is_empty() {
                return Err(signature.error("the signature has no File".into()));
            }
            let puids = puids.get(&id).cloned().unwrap_or_default();
            signatures.push(Signature { kind: kind(signature)?, puids, members });
        }
        let trigger = |trigger: &Element| {
            let puid =
                trigger.attribute("Puid").ok_or_else(|| trigger.error("the trigger has no Puid".into()))?;
            Ok((kind(trigger)?, puid.into()))
        };
        let triggers = root.below("TriggerPuids", "TriggerPuid").map(trigger).collect::<Result<_, _>>()?;
        let version = root.attribute("signatureVersion").unwrap_or("?").into();
        Ok(Containers { version, signatures, triggers })
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.signatures.is_empty()
    }

    /// Returns the places of the formats whose container signatures match, of a stream for which signatures found these.
    pub(super) fn by_members(
        &self,
        formats: &Formats,
        found: &[usize],
        ends: (&[u8], &[u8], u64),
    ) -> Vec<usize> {
        let is_found = |puid: &str| found.iter().any(|place| *formats.all[*place].puid == *puid);
        let Some((kind, _)) = self.triggers.iter().find(|(_, puid)| is_found(puid)) else {
            return Vec::new();
        };
        let members = Members::new(*kind, ends);
        let fits = |signature: &&Signature| {
            signature.kind == *kind && signature.members.iter().all(|member| member.is_in(&members))
        };
        let puids = self.signatures.iter().filter(fits).flat_map(|signature| &signature.puids);
        puids.filter_map(|puid| formats.find(puid)).collect()
    }
}

impl Member {
    fn is_in(&self, members: &Members<'_>) -> bool {
        if self.signatures.is_empty() {
            return members.has(&self.path);
        }
        let Some(bytes) = members.bytes(&self.path) else { return false };
        let bytes = Bytes { head: bytes.head(), tail: bytes.tail() };
        self.signatures.iter().all(|all| all.iter().all(|sequence| sequence.matches(bytes)))
    }
}

fn member(file: &Element) -> Result<Member, SignatureError> {
    let path = file.all("Path").next().map(|path| path.text.trim()).filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| file.error("the File has no Path".into()))?;
    let collections = file.below("BinarySignatures", "InternalSignatureCollection");
    let signatures = collections.flat_map(|all| all.all("InternalSignature")).map(sequences);
    Ok(Member { path: path.into(), signatures: signatures.collect::<Result<_, _>>()? })
}

fn kind(element: &Element) -> Result<ContainerKind, SignatureError> {
    match element.attribute("ContainerType") {
        Some("ZIP") => Ok(ContainerKind::Zip),
        Some("OLE2") => Ok(ContainerKind::Compound),
        _ => Err(element.error("the ContainerType is neither ZIP nor OLE2".into())),
    }
}
