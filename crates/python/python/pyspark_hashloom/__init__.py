"""Lets Spark find ``format("hashloom")`` without a call: it looks for ``DefaultSource`` in all packages of such a name."""

from hashloom.spark.source import HashloomSource as DefaultSource

__all__ = ["DefaultSource"]
