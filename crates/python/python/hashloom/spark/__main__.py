"""``python -m hashloom.spark``: the job."""

import sys

from .job import main

sys.exit(main())
