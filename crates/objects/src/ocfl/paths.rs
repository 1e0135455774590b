//! Content paths and logical paths.

/// Returns the code of what is wrong with a path, of those of slashes at its ends and of its parts.
pub(crate) fn fault(path: &str, [ends, parts]: [&'static str; 2]) -> Option<&'static str> {
    if path.starts_with('/') || path.ends_with('/') {
        return Some(ends);
    }
    path.split('/').any(|part| matches!(part, "" | "." | "..")).then_some(parts)
}

/// Returns the paths that are below others, of sorted ones.
pub(crate) fn conflicts<'p>(paths: impl Iterator<Item = &'p str> + Clone) -> Vec<&'p str> {
    let all: std::collections::BTreeSet<&str> = paths.clone().collect();
    let is_below = |path: &&str| path.match_indices('/').any(|(end, _)| all.contains(&path[..end]));
    paths.filter(is_below).collect()
}

/// Whether a text begins as a URI does.
pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let begins = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    begins && scheme.bytes().all(is_of_scheme) && !rest.is_empty() && !text.contains(char::is_whitespace)
}
