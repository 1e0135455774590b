"""The functions of other packages, with the same results and the engine's speed.

* :mod:`hashmill.compat.dirhash`: the package dirhash (Dirhash Standard 0.1.0);
* :mod:`hashmill.compat.checksumdir`: the package checksumdir.
"""
