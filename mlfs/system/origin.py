"""Find out which code and which machine made a result."""

from __future__ import annotations

import functools
import os
import platform
from importlib import metadata
from pathlib import Path

_PACKAGES = ("mlfs-bench", "numpy", "scipy", "scikit-learn", "pandas")


@functools.cache
def origin() -> dict[str, str]:
    """Return the versions of packages that affect numbers, the commit, Python and the CPU."""
    about = {name: metadata.version(name) for name in _PACKAGES}
    about |= {"python": platform.python_version(), "system": platform.system(), "cpu": _cpu()}
    commit = _commit()
    return about | ({"commit": commit} if commit else {})


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores"


def _commit() -> str | None:
    """Return the commit of the checkout; read .git directly, since git may not be installed."""
    git = Path(__file__).resolve().parents[2] / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head
        return (git / head.removeprefix("ref: ")).read_text(encoding="utf-8").strip()
    except OSError:
        return None
