"""What other packages compute, with their results and the engine's speed.

* :mod:`hashloom.compat.dirhash`: the package dirhash (Dirhash Standard 0.1.0);
* :mod:`hashloom.compat.checksumdir`: the package checksumdir.
"""
