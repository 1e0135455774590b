"""Patterns of ``.gitignore`` for paths of files, by which the package dirhash selects.

Source: gitignore(5), "PATTERN FORMAT". A file below a directory that matches does match, too. The last pattern that matches decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Returns whether the last pattern that matches a path (with slashes, from the top down) selects it."""
    rules = [rule for rule in map(_rule, patterns) if rule is not None]

    def selected(path: str) -> bool:
        return next((wanted for wanted, rule in reversed(rules) if rule.match(path)), False)

    return selected


def _rule(pattern: str) -> tuple[bool, re.Pattern[str]] | None:
    """Returns whether a pattern selects, and what it matches; None for an empty one."""
    pattern = pattern.lstrip() if pattern.endswith("\\ ") else pattern.strip()
    if pattern.startswith("#") or pattern in ("", "/"):
        return None
    wanted = not pattern.startswith("!")
    parts = (pattern if wanted else pattern[1:]).split("/")
    is_directory = parts[-1] == ""
    if is_directory:
        parts.pop()
    anchored = len(parts) > 1
    if parts and parts[0] == "":
        parts.pop(0)
    if not parts:
        return None
    if any(map(_is_open, parts)):
        return None
    if not anchored:
        parts.insert(0, "**")
    return wanted, re.compile(_expression(parts, is_directory), re.DOTALL)


def _expression(parts: list[str], is_directory: bool) -> str:
    """Translates names with slashes between them; ``**`` stands for any number of names."""
    text, slash = "", False
    last = len(parts) - 1
    for place, part in enumerate(parts):
        if part != "**":
            text += ("/" if slash else "") + ("[^/]+" if part == "*" else _name(part))
            slash = True
        elif place == last:
            # Everything below the name, but not the name itself.
            return text + ("/.*$" if slash else ".+/.*$" if is_directory else ".+$")
        elif slash:
            text += "(?:/.+)?"
        else:
            text += "(?:.+/)?"
    return text + ("/.*$" if is_directory else "(?:/.*)?$")


def _name(part: str) -> str:
    """Translates one name: ``*``, ``?``, classes in brackets, a backslash before a literal character."""
    text, place = "", 0
    while place < len(part):
        letter = part[place]
        place += 1
        if letter == "\\" and place < len(part):
            text += re.escape(part[place])
            place += 1
        elif letter == "*":
            text += "[^/]*"
        elif letter == "?":
            text += "[^/]"
        elif letter == "[":
            end = _end_of_class(part, place)
            inner = part[place:end]
            negated = inner[0] in "!^"
            text += f"[{'^' if negated else ''}{(inner[1:] if negated else inner).replace(chr(92), chr(92) * 2)}]"
            place = end + 1
        else:
            text += re.escape(letter)
    return text


def _is_open(part: str) -> bool:
    """Returns whether a class in brackets has no end: such a pattern matches nothing."""
    place = 0
    while place < len(part):
        if part[place] == "[":
            end = _end_of_class(part, place + 1)
            if not end:
                return True
            place = end
        place += 2 if part[place] == "\\" else 1
    return False


def _end_of_class(part: str, start: int) -> int:
    """Returns where the class that begins at ``start`` has its closing bracket; 0 without one. A bracket that comes first is literal."""
    first = start + 1 if part[start : start + 1] in ("!", "^") else start
    end = part.find("]", first + 1)
    return max(end, 0)
