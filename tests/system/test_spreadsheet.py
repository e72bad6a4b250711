"""Tables for spreadsheets: texts stay texts, numbers stay numbers."""

import io

import pandas as pd
import pytest

from mlfs.system.spreadsheet import csv_text


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "\tx"])
def test_what_looks_like_a_formula_gets_an_apostrophe(text):
    frame = pd.DataFrame({"method": [text, "usual"], text: [1.5, -2.0]})
    read = pd.read_csv(io.StringIO(csv_text(frame)))
    assert read.iloc[0, 0] == f"'{text}" and read.iloc[1, 0] == "usual"
    assert read.columns[1] == f"'{text}" and read.iloc[:, 1].tolist() == [1.5, -2.0]
    assert frame.iloc[0, 0] == text, "the frame itself stays"


def test_everything_else_is_written_as_pandas_does():
    columns = {"a": ["-0.5", "+3", "-", "a=b", None], "b": [-1, 2, 3, 4, 5], "c": [0.1] * 5}
    frame = pd.DataFrame(columns)
    frame["d"] = [True, "x", -1.5, float("nan"), "1e-3"]
    frame.insert(4, "a", frame["b"], allow_duplicates=True)
    assert csv_text(frame) == frame.to_csv(index=False).rstrip()
