"""``python -m hashmill.spark``: the job."""

import sys

from .job import main

sys.exit(main())
