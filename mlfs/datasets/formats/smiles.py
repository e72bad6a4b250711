"""Read a table of molecules, and compute their Morgan fingerprints with RDKit.

Rogers and Hahn, "Extended-connectivity fingerprints", J. Chem. Inf. Model. 50(5), 2010,
https://doi.org/10.1021/ci100050t.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from tqdm import tqdm

from ...errors import UserError
from ...types import Array
from ..dataset import Parsed
from .file_table import csv_rows

_MOLECULE, _ID = "smiles", "mol_id"  # columns that are not labels


def read_smiles(path: Path, recipe: Mapping[str, Any]) -> Parsed:
    """Read a csv file with molecules as SMILES, an id, and labels; an empty label is not known.

    Parameters
    ----------
    path : Path
        The file.
    recipe : mapping
        ``radius`` and ``bits`` of the fingerprints, and their ``sha256``. Another digest is
        refused, because results would be stored under the key of other features.

    Returns
    -------
    Parsed
        Fingerprints as a csr_matrix of 0 and 1, and the labels.
    """
    rows = csv_rows(path)
    _, header = next(rows)
    table = [cells for _, cells in rows if cells]
    place = header.index(_MOLECULE)
    labels = [i for i, name in enumerate(header) if name not in (_MOLECULE, _ID)]
    cells = [[row[i] for i in labels] for row in table]
    Y = np.array([[float(cell) if cell else np.nan for cell in row] for row in cells])
    X, version = fingerprints([row[place] for row in table], recipe["radius"], recipe["bits"])
    digest = digest_of_bits(X)
    if digest != recipe["sha256"]:
        raise UserError(
            f"RDKit {version} gives other fingerprints of {path.name} than those of the catalogue: "
            f"pip install rdkit=={recipe['rdkit']}"
        )
    return Parsed(
        X=X,
        Y=Y,
        feature_names=[f"bit{i}" for i in range(recipe["bits"])],
        label_names=[header[i] for i in labels],
        notes=(f"fingerprints (sha256 {digest[:12]}) were computed with RDKit {version}",),
    )


def fingerprints(molecules: Sequence[str], radius: int, bits: int) -> tuple[sp.csr_matrix, str]:
    """Compute Morgan fingerprints of molecules.

    Parameters
    ----------
    molecules : sequence of str
        The molecules as SMILES.
    radius : int
        How many bonds a neighbourhood of an atom reaches.
    bits : int
        Length of a fingerprint.

    Returns
    -------
    X : csr_matrix of shape (n, bits)
        1 where a molecule has a neighbourhood that belongs to the bit.
    version : str
        The version of RDKit.
    """
    try:
        from rdkit import rdBase
        from rdkit.Chem import rdFingerprintGenerator
    except ImportError as error:
        raise UserError(
            "fingerprints of molecules need an extra: pip install 'mlfs-bench[chem]'"
        ) from error
    maker = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=bits)
    with rdBase.BlockLogs():  # it reports every unusual valence
        on = [maker.GetFingerprint(molecule).GetOnBits() for molecule in _parsed(molecules)]
    ends = np.cumsum([0, *(len(one) for one in on)])
    places = np.concatenate([np.sort(np.array(one, dtype=np.int32)) for one in on])
    shape = (len(on), bits)
    return sp.csr_matrix((np.ones(len(places)), places, ends), shape=shape), rdBase.rdkitVersion


def _parsed(molecules: Sequence[str]) -> Iterator[Any]:
    from rdkit import Chem

    for text in tqdm(molecules, desc="fingerprints", unit="mol", leave=False):
        molecule = Chem.MolFromSmiles(text)
        if molecule is None:  # an unusual valence, such as that of aluminium salts
            molecule = Chem.MolFromSmiles(text, sanitize=False)
            if molecule is None:
                raise UserError(f"{text!r} is not a molecule in SMILES: correct it")
            molecule.UpdatePropertyCache(strict=False)
            Chem.GetSymmSSSR(molecule)
        yield molecule


def digest_of_bits(X: sp.csr_matrix) -> str:
    """Return the sha256 of the places of the ones of a matrix."""
    content = hashlib.sha256(repr(tuple(X.shape)).encode())
    for places in (X.indptr, X.indices):
        content.update(_portable(places))
    return content.hexdigest()


def _portable(places: Array) -> bytes:
    return np.asarray(places, dtype="<i8").tobytes()
