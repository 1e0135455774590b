"""The command, as ``python -m hashmill`` and as the script ``hashmill``."""

from __future__ import annotations

import os
import sys

from hashmill import _hashmill


def script() -> str | None:
    """Returns the path of the script ``hashmill``: among this environment's scripts, or on the search path."""
    import shutil
    import sysconfig

    name = "hashmill.exe" if os.name == "nt" else "hashmill"
    schemes = (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"))
    for folder in schemes:
        found = os.path.join(folder, name)
        if os.access(found, os.X_OK) and not os.path.isdir(found):
            return found
    return shutil.which("hashmill")


def main() -> int:
    """Runs the command line, and returns its exit code."""
    # Only benchmarks need the path of the program, and finding it takes a while.
    program = script() if "bench" in sys.argv[1:] else None
    return _hashmill.command(["hashmill", *sys.argv[1:]], program)


if __name__ == "__main__":
    sys.exit(main())
