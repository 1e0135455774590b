"""Locations with wildcards, as Hadoop's own readers take them: ``*``, ``?``, ``[a-z]``, ``{one,two}``; ``\\`` before a sign makes it plain."""

from __future__ import annotations

import re

_WILD = re.compile(rb"[*?\[{]")


def split(location: bytes) -> tuple[bytes, str] | None:
    """Returns the folder above the first part with a wildcard, and the pattern from there on; nothing for a plain location."""
    found = _WILD.search(location)
    if found is None:
        return None
    end = location.rfind(b"/", 0, found.start()) + 1
    return location[:end] or b".", location[end:].decode(errors="replace").rstrip("/")


def expressions(pattern: str) -> tuple[str, str]:
    """Returns two regular expressions: of the paths that match or are below a folder that matches, and of folders in which
    something may match."""
    parts = [_part(part) for part in re.split(r"/(?![^{\[]*[}\]])", pattern)]
    if any("/" in part.replace("[^/]", "") for part in parts):
        return f"(?s)^{'/'.join(parts)}(?:/.*)?$", "(?s).*"  # a brace has several levels
    above = ""
    for part in reversed(parts):
        above = f"{part}(?:/{above})?" if above else f"{part}(?:/.*)?"
    return f"(?s)^{'/'.join(parts)}(?:/.*)?$", f"(?s)^{above}$"


def _part(pattern: str) -> str:
    """Translates one part of a pattern."""
    found, at, depth = "", 0, 0
    while at < len(pattern):
        sign, at = pattern[at], at + 1
        end = pattern.find("]", at + 1) if sign == "[" else -1
        if sign == "\\" and at < len(pattern):
            found, at = found + re.escape(pattern[at]), at + 1
        elif end > 0:
            inner = pattern[at:end].replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&\\&")
            found, at = found + f"[{'^' if inner[0] in '!^' else ''}{inner.lstrip('!^')}]", end + 1
        elif sign == "{" or (sign in ",}" and depth):
            depth += {"{": 1, "}": -1}.get(sign, 0)
            found += {"{": "(?:", "}": ")", ",": "|"}[sign]
        else:
            found += {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign))
    if depth:
        raise ValueError(f"{pattern}: a brace is not closed")
    return found
