"""Find out which code and which machine made a result."""

from __future__ import annotations

import functools
import os
import platform
from importlib import metadata
from pathlib import Path

_PACKAGES = ("mlfs-bench", "numpy", "scipy", "scikit-learn", "pandas")
# what decides how sums are rounded
_ARITHMETIC = ("numpy", "scipy", "scikit-learn", "cpu", "blas")


@functools.cache
def origin() -> dict[str, str]:
    """Return the versions of packages that affect numbers, the commit, Python, CPU and BLAS."""
    about = {name: metadata.version(name) for name in _PACKAGES}
    about |= {"python": platform.python_version(), "system": platform.system()}
    about |= {"cpu": _cpu(), "blas": _blas()}
    commit = _commit()
    return about | ({"commit": commit} if commit else {})


def other_arithmetic(made_by: dict[str, str]) -> str:
    """Return what may round in another way here than where a result was made; "" if nothing."""
    here = origin()
    parts = []
    for name in _ARITHMETIC:
        there = made_by.get(name, "unknown")
        if there.split(", ")[0] != here[name].split(", ")[0]:  # the number of cores changes nothing
            parts.append(f"{name} {there}, here {here[name]}")
    return "; ".join(parts)


def _blas() -> str:
    """Return the kernels of the linear algebra libraries, which they choose by the processor."""
    import numpy  # noqa: F401 - before it is loaded there is no library to look at
    from threadpoolctl import threadpool_info

    kernels = {
        f"{one['internal_api']} {one.get('architecture') or one['version']}"
        for one in threadpool_info()
        if one["user_api"] == "blas"
    }
    return " and ".join(sorted(kernels)) or "unknown"


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
