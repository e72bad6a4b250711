"""A library that is left out of an import can be used afterwards."""

import subprocess
import sys

import pytest

from mlfs.system.light_imports import left_out


def test_what_is_imported_already_stays():
    with left_out("json"):
        import json

        assert json.loads("1") == 1
    assert "json" in sys.modules


def test_parquet_files_can_be_read_after_pandas_was_imported_without_pyarrow(tmp_path):
    pytest.importorskip("pyarrow")
    code = f"""
import os, sys
from mlfs.system.light_imports import left_out
with left_out("pyarrow"):
    import pandas as pd
assert "pyarrow" not in sys.modules
frame = pd.DataFrame({{"a": [1.5, 2.5], "b": ["x", "y"]}})
frame.to_parquet({str(tmp_path / "a.parquet")!r})
back = pd.read_parquet({str(tmp_path / "a.parquet")!r})
assert back.equals(frame) and "pyarrow" in sys.modules
os._exit(0)  # threads of pyarrow sometimes abort a process that ends, also without mlfs
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
