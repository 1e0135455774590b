//! The fields of a state as bytes, one after another, in the order in which they are named. Numbers have their least
//! significant byte first.

use crate::Digest;
use crate::digest::MAX_BYTES;

/// A field of a state.
pub(crate) trait Field: Sized {
    fn put(&self, into: &mut Vec<u8>);

    /// Takes the field from the front; `None` if it is not there.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// Defines `save` and `load` of a [`crate::bank::StreamState`] or [`crate::leaves::Fold`] by its fields, and the
/// condition that loaded ones must meet.
macro_rules! saved {
    ($($field:tt),+; $this:ident: $sound:expr) => {
        fn save(&self, into: &mut Vec<u8>) -> bool {
            $($crate::field::Field::put(&self.$field, into);)+
            true
        }

        fn load(&mut self, from: &mut &[u8]) -> Option<()> {
            $(self.$field = $crate::field::Field::take(from)?;)+
            let $this = self;
            $sound.then_some(())
        }
    };
}
pub(crate) use saved;

/// The longest message whose state is taken up: counters of more bytes, and of what they are made of, have room.
pub(crate) const LONGEST_MESSAGE: u64 = 1 << 60;

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Field for $number {
            fn put(&self, into: &mut Vec<u8>) {
                into.extend(self.to_le_bytes());
            }

            fn take(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(<$number>::from_le_bytes(*bytes))
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64);

impl Field for usize {
    fn put(&self, into: &mut Vec<u8>) {
        (*self as u64).put(into);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u64::take(from)?.try_into().ok()
    }
}

impl<T: Field + Copy + Default, const N: usize> Field for [T; N] {
    fn put(&self, into: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(into));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let mut all = [T::default(); N];
        for item in &mut all {
            *item = T::take(from)?;
        }
        Some(all)
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, into: &mut Vec<u8>) {
        self.0.put(into);
        self.1.put(into);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, into: &mut Vec<u8>) {
        self.len().put(into);
        self.iter().for_each(|item| item.put(into));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let count = usize::take(from)?;
        // Every item has a byte at least, so a wrong count asks for no memory.
        (count <= from.len()).then_some(())?;
        (0..count).map(|_| T::take(from)).collect()
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, into: &mut Vec<u8>) {
        u8::from(self.is_some()).put(into);
        self.iter().for_each(|item| item.put(into));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        match u8::take(from)? {
            0 => Some(None),
            1 => T::take(from).map(Some),
            _ => None,
        }
    }
}

impl Field for Digest {
    fn put(&self, into: &mut Vec<u8>) {
        self.as_bytes().to_vec().put(into);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let bytes = Vec::take(from)?;
        (bytes.len() <= MAX_BYTES).then(|| Digest::new(&bytes))
    }
}
