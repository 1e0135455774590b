//! Hides secrets in URLs before they are shown or recorded: users and passwords, and queries, where presigned URLs have
//! their signatures.

use std::borrow::Cow;

/// The replacement of a secret.
const HIDDEN: &[u8] = "…".as_bytes();

/// Schemes of URLs without queries, because their keys may contain question marks.
const WITHOUT_QUERY: [&[u8]; 4] = [b"s3", b"gs", b"az", b"file"];

/// Query parameters that identify an object and grant no access.
const HARMLESS: [&[u8]; 3] = [b"versionid", b"generation", b"partnumber"];

/// Characters that may follow a URL in a sentence.
const PUNCTUATION: &[u8] = b":,.;)'\">";

/// Hides secrets in the URLs of a sentence. A URL ends at the next blank.
pub fn masked(text: &[u8]) -> Cow<'_, [u8]> {
    mask(text, |byte| byte <= b' ')
}

/// Hides secrets in one word of a command line, in which blanks are part of the URL.
pub fn masked_word(word: &[u8]) -> Cow<'_, [u8]> {
    mask(word, |_| false)
}

fn mask(text: &[u8], ends: fn(u8) -> bool) -> Cow<'_, [u8]> {
    let Some(mut at) = behind_scheme(text) else { return Cow::Borrowed(text) };
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    loop {
        let (before, address) = rest.split_at(at);
        out.extend_from_slice(before);
        let end = address.iter().position(|byte| ends(*byte)).unwrap_or(address.len());
        let host = push_host(&address[..end], &mut out);
        rest = &address[host..];
        let query = address[host..end].iter().position(|byte| b"?#".contains(byte));
        if let Some(query) = query.filter(|_| has_query(before)) {
            out.extend_from_slice(&mask(&rest[..query], ends));
            push_query(&rest[query..end - host], ends(b' '), &mut out);
            rest = &address[end..];
        }
        match behind_scheme(rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Returns the scheme of a text that begins like an address: the word before `://`. One letter is a drive.
pub fn scheme(text: &[u8]) -> Option<&str> {
    let word = text.split(|byte| *byte == b':').next()?;
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let is_word = word.len() > 1 && word[0].is_ascii_alphabetic() && word.iter().all(fits);
    let is_scheme = is_word && text[word.len()..].starts_with(b"://");
    str::from_utf8(word).ok().filter(|_| is_scheme)
}

/// Returns the position after the scheme of the first URL.
fn behind_scheme(text: &[u8]) -> Option<usize> {
    text.windows(3).position(|window| window == b"://").map(|at| at + 3)
}

/// Returns whether a URL has a query, judged by the scheme at the end of this text.
fn has_query(before: &[u8]) -> bool {
    let word = before.strip_suffix(b"://").unwrap_or(before);
    let letters = word.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    !WITHOUT_QUERY.contains(&&word[word.len() - letters..])
}

/// Appends the host of a URL without user and password; returns the position of the path.
fn push_host(address: &[u8], out: &mut Vec<u8>) -> usize {
    let host = address.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(address.len());
    let secret = address[..host].iter().rposition(|byte| *byte == b'@');
    if secret.is_some() {
        out.extend_from_slice(HIDDEN);
    }
    out.extend_from_slice(&address[secret.unwrap_or(0)..host]);
    host
}

/// Appends the harmless parts of a query, and a mark in place of the others.
fn push_query(query: &[u8], in_sentence: bool, out: &mut Vec<u8>) {
    let punctuation = query.iter().rev().take_while(|byte| in_sentence && PUNCTUATION.contains(byte)).count();
    let (query, behind) = query.split_at(query.len() - punctuation);
    out.extend_from_slice(query.get(..1).unwrap_or_default());
    let harmless = |pair: &&[u8]| {
        let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default();
        HARMLESS.contains(&name.to_ascii_lowercase().as_slice())
    };
    let pairs = query.get(1..).unwrap_or_default().split(|byte| b"&;#".contains(byte));
    let (shown, secret): (Vec<&[u8]>, Vec<&[u8]>) = pairs.filter(|pair| !pair.is_empty()).partition(harmless);
    let hidden = (!secret.is_empty()).then_some(HIDDEN);
    out.extend_from_slice(&shown.into_iter().chain(hidden).collect::<Vec<_>>().join(&b'&'));
    out.extend_from_slice(behind);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Cow<'_, [u8]>) -> String {
        String::from_utf8(bytes.into_owned()).unwrap()
    }

    #[test]
    fn secrets_in_addresses_are_hidden() {
        for (address, shown) in [
            ("https://h/f?X-Amz-Credential=A&X-Amz-Signature=s3cr3t", "https://h/f?…"),
            ("https://h/f?versionId=v1&sig=s3cr3t&a", "https://h/f?versionId=v1&…"),
            ("https://h/f?versionId=v1", "https://h/f?versionId=v1"),
            ("https://h/f#s3cr3t", "https://h/f#…"),
            ("https://h?s3cr3t", "https://h?…"),
            ("https://me:s3cr3t@h:81/f", "https://…@h:81/f"),
            ("s3://key:s3cr3t@b/k@x?y#z", "s3://…@b/k@x?y#z"),
            ("--timestamp=https://h/?token=s3cr3t", "--timestamp=https://h/?…"),
            ("https://h/a?u=https://me:s3cr3t@i/", "https://h/a?…"),
            ("https://h/https://me:s3cr3t@i/?s3cr3t", "https://h/https://…@i/?…"),
            ("s3://b/https://me:s3cr3t@i/?s3cr3t", "s3://b/https://…@i/?…"),
            ("s3://b/k", "s3://b/k"),
            ("a/b?c=d", "a/b?c=d"),
            ("://", "://"),
        ] {
            assert_eq!(text(masked(address.as_bytes())), shown);
            assert_eq!(text(masked_word(address.as_bytes())), shown);
        }
        assert_eq!(text(masked_word(b"https://h/a b?s3cr3t s3cr3t")), "https://h/a b?…");
        let sentence = "hashmill: https://h/f?sig=s3cr3t: cannot open: (see 'https://u:s3cr3t@h'): why?";
        let shown = "hashmill: https://h/f?…: cannot open: (see 'https://…@h'): why?";
        assert_eq!(text(masked(sentence.as_bytes())), shown);
    }

    #[test]
    fn any_bytes_pass() {
        for first in 0..=255_u8 {
            for last in 0..=255_u8 {
                let word = [b"x://".as_slice(), &[first, last], b"://?"].concat();
                assert!(masked(&word).len() <= word.len() + HIDDEN.len() * 2);
                assert!(masked_word(&word).starts_with(b"x://"));
            }
        }
    }
}
