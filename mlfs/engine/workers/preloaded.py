"""What the fork server imports, and only the server: workers then begin with all of it.

Importing this module changes the process: BLAS has one thread, and orphans are adopted.
"""

from __future__ import annotations

from hashlib import sha256
from importlib import import_module

import numpy as np
from threadpoolctl import threadpool_limits

from ...system.origin import origin
from ...system.processes import adopt_orphans

for _name in (
    "engine.workers.run_cell",
    "engine.workers.worker",
    "methods.adapters",
    "methods.strategy",
    "protocols.selection",
    "classifiers.mlknn",
    "datasets.loading",
):
    import_module(f"mlfs.{_name}")
# libraries prepare themselves when they are first used
sha256()
import_module("mlfs.selectors.trivial").AllFeatures().fit(np.eye(3))
origin()  # reading the versions of packages takes as long as a small cell
threadpool_limits(1)  # only affects libraries that are already loaded
adopt_orphans()
