"""A package that is installed for the time of a test, and offers code by entry points."""

import shutil
from contextlib import contextmanager

from mlfs.methods import registry, user_code
from mlfs.metrics import own_metrics


@contextmanager
def installed_package(site, name, module, entry_points, monkeypatch):
    """Install the file `module` as `name` 1.2 into the folder `site`, with these entry points."""
    about = site / f"{name}-1.2.dist-info"
    about.mkdir(parents=True)
    shutil.copy(module, site / f"{name}.py")
    project = name.replace("_", "-")
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.2\n")
    (about / "top_level.txt").write_text(f"{name}\n")
    (about / "entry_points.txt").write_text(entry_points)
    caches = (
        registry._entry_points,
        registry.offered_protocols,
        own_metrics.offered,
        user_code._distributions,
    )
    with monkeypatch.context() as patch:
        patch.syspath_prepend(site)
        for one in caches:
            one.cache_clear()
        yield
    for one in caches:
        one.cache_clear()
