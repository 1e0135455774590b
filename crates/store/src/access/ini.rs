//! INI files (`[title]`, `key = value`), the format of the settings of the AWS tools and rclone.

/// A section with its pairs, in the order of the file.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pairs: Vec<(String, String)>,
}

impl Section {
    /// Returns the last value of a key; none if it is empty.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.pairs.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns all pairs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// Reads all sections of a text. An indented pair below a key without a value belongs to that key (`s3.endpoint_url`);
/// other indented lines continue a value and are left out.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(title) = trimmed.strip_prefix('[') {
            let title = title.split(']').next().unwrap_or_default().trim().to_owned();
            sections.push(Section { title, ..Section::default() });
        } else if let (Some(section), Some((key, value))) = (sections.last_mut(), trimmed.split_once('=')) {
            add(section, line.starts_with([' ', '\t']), key.trim(), value.trim());
        }
    }
    sections
}

fn add(section: &mut Section, is_indented: bool, key: &str, value: &str) {
    let key = if is_indented {
        let parent = section.pairs.iter().rev().find(|(name, _)| !name.contains('.'));
        let Some((parent, _)) = parent.filter(|(_, value)| value.is_empty()) else { return };
        format!("{parent}.{key}")
    } else {
        key.to_owned()
    };
    section.pairs.push((key, value.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_pairs_and_pairs_of_pairs() {
        let text = "lost = 1\n[a]\n# no\nk=v=w\nK = last\ns3 =\n  endpoint_url = http://h\n  x = 1\ny = 2\n  z = 3\n\n[ b c ]\n";
        let [a, b] = sections(text).try_into().ok().unwrap();
        assert_eq!((a.title.as_str(), b.title.as_str()), ("a", "b c"));
        assert_eq!(a.get("k"), Some("last"));
        assert_eq!(a.get("s3"), None, "it is empty");
        assert_eq!(a.get("s3.endpoint_url"), Some("http://h"));
        assert_eq!(a.get("s3.x"), Some("1"));
        assert_eq!((a.get("y.z"), a.get("z")), (None, None), "a value goes on");
        assert_eq!(b.pairs().count(), 0);
    }

    #[test]
    fn any_text_passes() {
        for text in ["[", "]", "[]\n=\n = \n\t=\n", "=", "[a\nb=c", "\u{feff}[a]", "[a]\n  k = v"] {
            sections(text);
        }
    }
}
