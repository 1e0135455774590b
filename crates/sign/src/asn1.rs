//! Reading of DER: structures, tagged fields, and those structures that keys and certificates share.

use der::asn1::{Any, BitString, ObjectIdentifier};
use der::{Decode, DecodeValue, FixedTag, Header, Reader, SliceReader, Tag, TagNumber};

/// Defines a SEQUENCE by its fields, and how each is read.
macro_rules! sequence {
    ($(#[$meta:meta])* $name:ident |$reader:ident| { $($field:ident: $type:ty = $read:expr,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) struct $name {
            $(pub $field: $type,)*
        }

        impl der::FixedTag for $name {
            const TAG: der::Tag = der::Tag::Sequence;
        }

        impl<'a> der::DecodeValue<'a> for $name {
            type Error = der::Error;

            fn decode_value<R: der::Reader<'a>>($reader: &mut R, _: der::Header) -> der::Result<$name> {
                $(let $field = $read;)*
                Ok($name { $($field,)* })
            }
        }
    };
}
pub(crate) use sequence;

sequence! {
    /// SubjectPublicKeyInfo.
    PublicKeyInfo |reader| {
        algorithm: AlgorithmId = reader.decode()?,
        key: BitString = reader.decode()?,
    }
}

/// AlgorithmIdentifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AlgorithmId {
    /// All bytes but the tag and the length.
    pub contents: Vec<u8>,
    pub oid: ObjectIdentifier,
    pub parameters: Option<Any>,
}

impl FixedTag for AlgorithmId {
    const TAG: Tag = Tag::Sequence;
}

impl<'a> DecodeValue<'a> for AlgorithmId {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<AlgorithmId> {
        let contents = reader.read_slice(header.length())?;
        let mut inner = SliceReader::new(contents)?;
        let (oid, parameters) = (inner.decode()?, inner.decode()?);
        inner.finish()?;
        Ok(AlgorithmId { contents: contents.to_vec(), oid, parameters })
    }
}

impl AlgorithmId {
    /// Returns whether it has no parameters, or the NULL that some programs write.
    pub fn is_plain(&self) -> bool {
        self.parameters.as_ref().is_none_or(Any::is_null)
    }

    /// Returns its parameters if they are an identifier.
    pub fn named(&self) -> Option<ObjectIdentifier> {
        self.parameters.as_ref()?.decode_as().ok()
    }
}

/// Reads a field with a tag of its own around it, if it is there.
pub(crate) fn explicit<'a, R: Reader<'a>, T: Decode<'a, Error = der::Error>>(
    reader: &mut R,
    number: u32,
) -> der::Result<Option<T>> {
    match tagged(reader, number, Form::Constructed)? {
        false => Ok(None),
        true => {
            let header = Header::decode(reader)?;
            reader.read_nested(header.length(), T::decode).map(Some)
        }
    }
}

/// The form of an encoded value (X.690, 8.1.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The bytes are the value.
    Primitive,
    /// The bytes are values in turn.
    Constructed,
}

/// Reads a field whose own tag is replaced, if it is there.
pub(crate) fn implicit<'a, R: Reader<'a>, T: DecodeValue<'a, Error = der::Error>>(
    reader: &mut R,
    number: u32,
    form: Form,
) -> der::Result<Option<T>> {
    match tagged(reader, number, form)? {
        false => Ok(None),
        true => {
            let header = Header::decode(reader)?;
            reader.read_nested(header.length(), |inner| T::decode_value(inner, header)).map(Some)
        }
    }
}

/// Returns the contents of a field whose tag is replaced by that of a constructed one, if it is there.
pub(crate) fn contents<'a, R: Reader<'a>>(reader: &mut R, number: u32) -> der::Result<Option<Vec<u8>>> {
    match tagged(reader, number, Form::Constructed)? {
        false => Ok(None),
        true => Ok(Some(Any::decode(reader)?.value().to_vec())),
    }
}

/// Returns the contents of a SET.
pub(crate) fn set<'a, R: Reader<'a>>(reader: &mut R) -> der::Result<Vec<u8>> {
    let any = Any::decode(reader)?;
    any.header().tag().assert_eq(Tag::Set)?;
    Ok(any.value().to_vec())
}

/// Reads the elements of a SET or a SEQUENCE from its contents.
pub(crate) fn elements<T: for<'a> Decode<'a, Error = der::Error>>(contents: &[u8]) -> der::Result<Vec<T>> {
    let mut reader = SliceReader::new(contents)?;
    let mut all = Vec::new();
    while !reader.is_finished() {
        all.push(reader.decode()?);
    }
    Ok(all)
}

/// Returns whether the next field has this tag.
fn tagged<'a, R: Reader<'a>>(reader: &mut R, number: u32, form: Form) -> der::Result<bool> {
    let wanted = Tag::ContextSpecific { constructed: form == Form::Constructed, number: TagNumber(number) };
    Ok(!reader.is_finished() && Tag::peek(reader)? == wanted)
}
