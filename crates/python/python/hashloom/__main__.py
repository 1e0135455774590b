"""``python -m hashloom``: the command, as the wheel brought it."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def command() -> str:
    """Where the command lies: among this environment's scripts, or on the search path.

    Raises ``FileNotFoundError`` if it is nowhere.
    """
    schemes = (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"))
    for folder in schemes:
        found = os.path.join(folder, "hashloom")
        if os.access(found, os.X_OK) and not os.path.isdir(found):
            return found
    elsewhere = shutil.which("hashloom")
    if elsewhere is None:
        raise FileNotFoundError(f"the command hashloom is neither in {schemes[0]} nor on the search path")
    return elsewhere


if __name__ == "__main__":
    try:
        program = command()
    except FileNotFoundError as error:
        sys.exit(f"hashloom: {error}")
    os.execv(program, [program, *sys.argv[1:]])
