//! Judgement of one file: rot, an edit, or all as it was.

use crate::{Content, Kept, Stamp, Verdict};

/// The result of one reading of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// Its content. All of it came from the medium, not from the page cache, if `is_fresh`.
    Whole {
        /// The content, with size and metadata.
        content: Content,
        /// Whether it came from the medium.
        is_fresh: bool,
    },
    /// It was changed while it was read.
    Changing,
    /// It could not be read, or not all of it.
    Failed,
    /// It is gone.
    Gone,
}

/// A judgement of a file, or the need for another reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The verdict on the file.
    Judged(Known),
    /// Its content differs for no visible reason: what a second reading gives decides.
    ReadAgain,
    /// It is as it was, but the page cache has it: that proves nothing of the medium.
    Cached,
}

/// A verdict, and what it changes of what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The verdict.
    pub verdict: Verdict,
    /// The content that was read, if that tells something: the first one of a new file, or that of an edit.
    pub content: Option<Content>,
    /// Whether the content is proved to be that which is kept: it was read from the medium.
    pub is_proof: bool,
}

impl Known {
    fn plain(verdict: Verdict) -> Step {
        Step::Judged(Known::bare(verdict))
    }

    /// Makes a verdict that changes nothing of the content that is kept.
    pub fn bare(verdict: Verdict) -> Known {
        Known { verdict, content: None, is_proof: false }
    }

    fn with(verdict: Verdict, content: &Content) -> Known {
        Known { content: Some(content.clone()), ..Known::bare(verdict) }
    }

    /// Makes it a proof where a verdict proves something and the content came from the medium.
    fn proving_if(self, is_fresh: bool) -> Known {
        Known { is_proof: is_fresh && self.verdict.is_proof(), ..self }
    }
}

/// Judges a file by what is kept of it and by one reading, or two.
pub fn judge(kept: &Kept, reading: &Reading, again: Option<&Reading>) -> Step {
    let (content, is_fresh) = match reading {
        Reading::Whole { content, is_fresh } => (content, *is_fresh),
        Reading::Changing if is_of_list(kept) => return Known::plain(Verdict::Differs),
        Reading::Changing => return Known::plain(Verdict::Edited),
        Reading::Failed => return Known::plain(Verdict::Unreadable),
        Reading::Gone => return Known::plain(Verdict::Missing),
    };
    let Some(base) = &kept.content else {
        return Step::Judged(Known::with(Verdict::New, content).proving_if(is_fresh));
    };
    if is_same(base, content) {
        return match is_fresh {
            false => Step::Cached,
            true => Step::Judged(Known::with(as_it_was(kept), content).proving_if(is_fresh)),
        };
    }
    // A file that was edited before may rot, too.
    let edited = kept.proposal.as_ref().filter(|edited| !is_edit(edited, content));
    if edited.is_some_and(|edited| is_same(edited, content)) {
        return Step::Judged(Known::with(changed(kept, content), content));
    }
    // Times that a list has may be those of another copy: only where they are the same, they tell something.
    let is_unexplained =
        edited.is_none() && is_of_list(kept) && (base.stamp.is_none() || is_edit(base, content));
    // Rot after a visible edit leaves that edit as the proposal.
    let was_visible = edited.is_some_and(|edited| is_edit(base, edited));
    let base = edited.unwrap_or(base);
    let is_moved = !was_visible && is_moved(base, content);
    if is_edit(base, content) && !is_unexplained {
        return Step::Judged(Known::with(Verdict::Edited, content));
    }
    match again {
        None => Step::ReadAgain,
        Some(Reading::Whole { content: second, is_fresh: second_is_fresh }) => {
            let is_other = !is_same(base, second);
            let is_stable = is_same(content, second);
            let judged = match is_unexplained {
                true if is_other && (is_stable || is_edit(content, second)) => {
                    Known::with(Verdict::Differs, second)
                }
                false if is_other && is_edit(base, second) => Known::with(Verdict::Edited, second),
                false if is_other && is_moved && is_stable => Known::with(Verdict::Differs, second),
                false if is_stable && is_fresh && *second_is_fresh => Known::bare(Verdict::Rot),
                _ => Known::bare(Verdict::Unstable),
            };
            Step::Judged(judged)
        }
        Some(other) => judge(kept, other, None),
    }
}

/// Returns the verdict on a file that does not have the content which is kept.
fn changed(kept: &Kept, content: &Content) -> Verdict {
    let has_reason = kept.content.as_ref().is_none_or(|base| is_edit(base, content));
    if is_of_list(kept) || !has_reason { Verdict::Differs } else { Verdict::Edited }
}

/// Returns whether the content that is kept is that of a list, and no run has proved it.
fn is_of_list(kept: &Kept) -> bool {
    let has_counted = [Verdict::Verified, Verdict::Restored, Verdict::New, Verdict::Moved, Verdict::Edited];
    let has_times = kept.content.as_ref().is_some_and(|content| content.stamp.is_some());
    !has_times || kept.last == 0 && kept.verdict.is_none_or(|verdict| !has_counted.contains(&verdict))
}

/// Returns the verdict on a file that has the content which is kept.
fn as_it_was(kept: &Kept) -> Verdict {
    match kept.verdict {
        Some(was) if was.is_suspect() => Verdict::Restored,
        Some(Verdict::Missing | Verdict::Edited) => Verdict::Restored,
        _ if kept.was == Some(Verdict::Missing) => Verdict::Restored,
        _ => Verdict::Verified,
    }
}

/// Returns whether two contents are the same, as far as both are known. A short digest, or one of a list, may be that of another size.
fn is_same(one: &Content, other: &Content) -> bool {
    one.digests == other.digests && one.size.zip(other.size).is_none_or(|(one, other)| one == other)
}

/// Returns whether another content has a visible reason: the size or the time of modification differs, too. The ctime of
/// a file is none: links, permissions, owners, labels and copies move it. That of an object is its ETag and version.
pub(crate) fn is_edit(base: &Content, content: &Content) -> bool {
    let is_object = |stamp: Stamp| (stamp.device, stamp.inode) == (0, 0);
    let times = base.stamp.zip(content.stamp);
    base.size.is_some() && base.size != content.size
        || times.is_some_and(|(was, is)| was.mtime != is.mtime || is_object(is) && was.ctime != is.ctime)
}

/// Returns whether only the inode of a file changed with its content.
fn is_moved(base: &Content, content: &Content) -> bool {
    let times = base.stamp.zip(content.stamp);
    !is_edit(base, content) && times.is_some_and(|(was, is)| was.ctime != is.ctime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stamp;

    const STAMP: Stamp = Stamp { device: 1, inode: 2, mtime: (100, 5), ctime: (200, 6) };

    fn content(digest: u8, stamp: Stamp) -> Content {
        Content { digests: vec![digest; 32].into(), size: Some(10), stamp: Some(stamp) }
    }

    fn fresh(content: Content) -> Reading {
        Reading::Whole { content, is_fresh: true }
    }

    fn kept() -> Kept {
        Kept {
            content: Some(content(1, STAMP)),
            last: 1000,
            verdict: Some(Verdict::Verified),
            ..Kept::unread(Box::from(&b"a"[..]))
        }
    }

    fn word(step: Step) -> &'static str {
        match step {
            Step::Judged(known) => known.verdict.word(),
            Step::ReadAgain => "again",
            Step::Cached => "cached",
        }
    }

    #[test]
    fn an_equal_content_is_verified_or_restored() {
        let same = fresh(content(1, STAMP));
        assert_eq!(word(judge(&kept(), &same, None)), "verified");
        let touched = fresh(content(1, Stamp { mtime: (1, 1), ..STAMP }));
        assert_eq!(word(judge(&kept(), &touched, None)), "verified");
        for was in [Verdict::Rot, Verdict::Unstable, Verdict::Unreadable, Verdict::Missing, Verdict::Edited] {
            let bad = Kept { verdict: Some(was), ..kept() };
            assert_eq!(word(judge(&bad, &same, None)), "restored");
        }
        let cached = Reading::Whole { content: content(1, STAMP), is_fresh: false };
        assert_eq!(word(judge(&kept(), &cached, None)), "cached");
    }

    #[test]
    fn another_content_with_the_same_times_is_rot_if_two_readings_agree() {
        let bad = fresh(content(2, STAMP));
        assert_eq!(judge(&kept(), &bad, None), Step::ReadAgain);
        assert_eq!(word(judge(&kept(), &bad, Some(&bad))), "rot");
        for other in [1, 3] {
            assert_eq!(word(judge(&kept(), &bad, Some(&fresh(content(other, STAMP))))), "unstable");
        }
        let cached = Reading::Whole { content: content(2, STAMP), is_fresh: false };
        assert_eq!(word(judge(&kept(), &bad, Some(&cached))), "unstable");
        assert_eq!(word(judge(&kept(), &cached, Some(&cached))), "unstable");
        assert_eq!(word(judge(&kept(), &bad, Some(&Reading::Failed))), "unreadable");
        assert_eq!(word(judge(&kept(), &bad, Some(&Reading::Gone))), "missing");
        let edited = fresh(content(3, Stamp { mtime: (201, 0), ..STAMP }));
        assert_eq!(word(judge(&kept(), &bad, Some(&edited))), "edited");
    }

    #[test]
    fn size_and_time_of_modification_tell_an_edit() {
        let stamp = Stamp { mtime: (100, 6), ..STAMP };
        let Step::Judged(known) = judge(&kept(), &fresh(content(2, stamp)), None) else { panic!() };
        assert_eq!((known.verdict, known.content), (Verdict::Edited, Some(content(2, stamp))));
        let longer = Content { size: Some(11), ..content(2, STAMP) };
        assert_eq!(word(judge(&kept(), &fresh(longer), None)), "edited");
        // The ETag of an object tells it, too.
        let object = |tag| Stamp { device: 0, inode: 0, ctime: (tag, 0), ..STAMP };
        let stored = Kept { content: Some(content(1, object(1))), ..kept() };
        assert_eq!(word(judge(&stored, &fresh(content(2, object(2))), None)), "edited");
        // Another inode with the same times.
        let replaced = Stamp { inode: 3, ..STAMP };
        assert_eq!(judge(&kept(), &fresh(content(2, replaced)), None), Step::ReadAgain);
    }

    #[test]
    fn a_change_of_the_inode_alone_explains_no_other_content() {
        let stamp = Stamp { ctime: (200, 7), inode: 9, ..STAMP };
        let bad = fresh(content(2, stamp));
        assert_eq!(judge(&kept(), &bad, None), Step::ReadAgain);
        let Step::Judged(known) = judge(&kept(), &bad, Some(&bad)) else { panic!() };
        assert_eq!((known.verdict, &known.content), (Verdict::Differs, &Some(content(2, stamp))));
        assert_eq!(word(judge(&kept(), &bad, Some(&fresh(content(3, stamp))))), "unstable");
        let found = Kept { proposal: known.content, verdict: Some(Verdict::Differs), ..kept() };
        assert_eq!(found.moved(), ["ctime", "inode"]);
        // It stays so, also where an older program took it for an edit, and until it is as it was.
        for was in [Verdict::Differs, Verdict::Edited] {
            let later = content(2, Stamp { ctime: (300, 0), ..stamp });
            let judged = judge(&Kept { verdict: Some(was), ..found.clone() }, &fresh(later.clone()), None);
            assert_eq!(judged, Step::Judged(Known::with(Verdict::Differs, &later)));
        }
        assert_eq!(word(judge(&found, &fresh(content(1, stamp)), None)), "restored");
        // Rot behind an edit that everybody can see does not become what is proposed.
        let edited = content(2, Stamp { mtime: (300, 0), ..STAMP });
        let kept = Kept { proposal: Some(edited), verdict: Some(Verdict::Edited), ..kept() };
        let bad = fresh(content(3, Stamp { mtime: (300, 0), ctime: (301, 0), ..STAMP }));
        assert!(kept.moved().is_empty());
        assert_eq!(judge(&kept, &bad, Some(&bad)), Known::plain(Verdict::Rot));
    }

    #[test]
    fn a_file_that_is_there_again_is_what_it_was() {
        for was in [Verdict::Verified, Verdict::Rot, Verdict::Edited] {
            let missing = Kept { verdict: Some(Verdict::Missing), was: Some(was), ..kept() };
            let back = missing.back();
            assert_eq!((back.verdict, back.was), (Some(was), Some(Verdict::Missing)));
            assert_eq!(word(judge(&back, &fresh(content(1, STAMP)), None)), "restored");
        }
    }

    #[test]
    fn an_edited_file_stays_edited_and_may_rot() {
        let stamp = Stamp { mtime: (300, 0), ctime: (300, 0), ..STAMP };
        let kept = Kept { proposal: Some(content(2, stamp)), verdict: Some(Verdict::Edited), ..kept() };
        assert_eq!(word(judge(&kept, &fresh(content(2, stamp)), None)), "edited");
        let bad = fresh(content(3, stamp));
        assert_eq!(judge(&kept, &bad, None), Step::ReadAgain);
        assert_eq!(word(judge(&kept, &bad, Some(&bad))), "rot");
        let back = fresh(content(1, Stamp { ctime: (400, 0), ..STAMP }));
        assert_eq!(word(judge(&kept, &back, None)), "restored");
    }

    #[test]
    fn what_differs_from_a_list_without_times_is_neither_rot_nor_an_edit() {
        let base = Content { stamp: None, size: None, ..content(1, STAMP) };
        let listed = Kept { content: Some(base), last: 0, verdict: None, ..kept() };
        assert_eq!(word(judge(&listed, &fresh(content(1, STAMP)), None)), "verified");
        let other = fresh(content(2, STAMP));
        assert_eq!(judge(&listed, &other, None), Step::ReadAgain);
        let Step::Judged(known) = judge(&listed, &other, Some(&other)) else { panic!() };
        assert_eq!((known.verdict, known.content), (Verdict::Differs, Some(content(2, STAMP))));
        for second in [1, 3] {
            assert_eq!(word(judge(&listed, &other, Some(&fresh(content(second, STAMP))))), "unstable");
        }
        let later = fresh(content(3, Stamp { mtime: (1000, 0), ..STAMP }));
        assert_eq!(word(judge(&listed, &other, Some(&later))), "differs");
        // The size of a list counts, too.
        let longer = Content { stamp: None, size: Some(11), ..content(1, STAMP) };
        let listed_longer = Kept { content: Some(longer), ..listed.clone() };
        let same = fresh(content(1, STAMP));
        assert_eq!(word(judge(&listed_longer, &same, Some(&same))), "differs");
        // Of what was found the times are known.
        let found = Kept { proposal: Some(content(2, STAMP)), verdict: Some(Verdict::Differs), ..listed };
        assert_eq!(word(judge(&found, &other, None)), "differs");
        let rotten = fresh(content(4, STAMP));
        assert_eq!(word(judge(&found, &rotten, Some(&rotten))), "rot");
        assert_eq!(judge(&found, &later, None), Step::ReadAgain);
        assert_eq!(word(judge(&found, &later, Some(&later))), "differs");
        assert_eq!(word(judge(&found, &fresh(content(1, STAMP)), None)), "restored");
    }

    #[test]
    fn times_of_a_list_tell_something_where_they_are_the_same() {
        let listed = Kept { last: 0, verdict: None, ..kept() };
        let bad = fresh(content(2, STAMP));
        assert_eq!(word(judge(&listed, &bad, Some(&bad))), "rot");
        let copied = fresh(content(2, Stamp { ctime: (1000, 0), ..STAMP }));
        assert_eq!(judge(&listed, &copied, None), Step::ReadAgain);
        assert_eq!(word(judge(&listed, &copied, Some(&copied))), "differs");
        // An edit that was accepted, and not read yet, may be followed by another.
        let accepted = Kept { verdict: Some(Verdict::Verified), ..listed };
        let edited = fresh(content(3, Stamp { mtime: (1000, 0), ..STAMP }));
        assert_eq!(word(judge(&accepted, &edited, None)), "edited");
    }

    #[test]
    fn other_outcomes_are_told_as_they_are() {
        for (reading, wanted) in
            [(Reading::Failed, "unreadable"), (Reading::Gone, "missing"), (Reading::Changing, "edited")]
        {
            assert_eq!(word(judge(&kept(), &reading, None)), wanted);
        }
        let unread = Kept::unread(Box::from(&b"a"[..]));
        assert_eq!(word(judge(&unread, &fresh(content(1, STAMP)), None)), "new");
    }
}
