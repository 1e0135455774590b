"""Forensic images: reads and verifies them."""

from __future__ import annotations

from hashmill import _hashmill, _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    from hashmill._options import Algorithms, Path, ReadOptions

#: The verdicts of unchanged images.
GOOD = frozenset({"verified", "verified-with-notes"})


@_options.worded
def info(path: Path, *, raw: bool = False, backing: Path | Iterable[Path] = ()) -> dict[str, Any]:
    """Returns everything that the headers of an image (E01, Ex01, L01, raw, split) contain.

    ``backing`` names files that QCOW2 images may be layers over, found by the file name that a layer states.

    Raises ``OSError`` if it can't be read, ``hashmill.Error`` if it is not an image.
    """
    import json

    parsed: dict[str, Any] = json.loads(_hashmill.image_info(_options.text(path), raw, _options.texts(backing)))
    return parsed


@_options.worded
def verify(
    images: Path | Iterable[Path],
    *,
    algorithms: Algorithms = (),
    raw: bool = False,
    backing: Path | Iterable[Path] = (),
    **options: Unpack[ReadOptions],
) -> list[dict[str, Any]]:
    """Verifies whole images: every chunk, table and section is checked, and every stored digest compared.

    ``backing`` names files that QCOW2 images may be layers over, found by the file name that a layer states.

    Returns a dict for each image with ``path``, ``verdict`` (good ones are :data:`GOOD`), findings and digests; for an image
    that can't be verified, ``verdict`` is the reason in a word, and ``error`` has details.
    """
    import json

    rest: dict[str, Any] = dict(options)
    paths = _options.texts(images)
    below = _options.texts(backing)
    resources = _options.resources(rest, paths, below)
    _options.nothing(rest, "verify")
    parsed: list[dict[str, Any]] = json.loads(
        _hashmill.image_verify(paths, raw, below, _options.names(algorithms).split(",") if algorithms else [], resources)
    )
    return parsed
