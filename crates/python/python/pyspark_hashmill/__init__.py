"""Lets Spark find ``format("hashmill")`` without a call: it looks for ``DefaultSource`` in all packages with such a name.

If a dependency of the source is missing, the class is not defined: an error here would hide all other sources.
"""

import contextlib

with contextlib.suppress(ImportError):
    from hashmill.spark.source import HashmillSource as DefaultSource

__all__ = ["DefaultSource"]
