"""Figures as files."""

import pytest
from matplotlib.figure import Figure

from mlfs.errors import UserError
from mlfs.report.figures.style import save


def test_a_folder_that_cannot_be_written_to_is_one_sentence(tmp_path):
    (tmp_path / "notes").write_text("a file where a folder is wanted")
    with pytest.raises(UserError, match=r"cannot write to .*notes .*: choose another folder"):
        save(Figure(), tmp_path / "notes" / "curves", ["svg"])
