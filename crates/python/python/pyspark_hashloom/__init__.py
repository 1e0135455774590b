"""Lets Spark find ``format("hashloom")`` without a call: it looks for ``DefaultSource`` in all packages of such a name.

Without what the source needs there is none: an error here would hide all other sources.
"""

import contextlib

with contextlib.suppress(ImportError):
    from hashloom.spark.source import HashloomSource as DefaultSource

__all__ = ["DefaultSource"]
