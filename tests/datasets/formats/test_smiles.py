"""Molecules as fingerprints: against RDKit's own calls, and what is said without RDKit."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.datasets import catalog
from mlfs.datasets.catalogue import known_digest
from mlfs.datasets.formats.smiles import digest_of_bits, fingerprints, read_smiles
from mlfs.errors import UserError

TABLE = "hot,cold,mol_id,smiles\n1,,m1,CCO\n0,1,m2,c1ccccc1O\n,0,m3,CC(=O)O[AlH3](O)O\n"
RECIPE = {"radius": 2, "bits": 64, "rdkit": "2026.9.1"}


def test_fingerprints_are_those_of_rdkit(tmp_path):
    pytest.importorskip("rdkit")
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    (tmp_path / "m.csv").write_text(TABLE)
    X, version = fingerprints(["CCO", "c1ccccc1O", "CC(=O)O[AlH3](O)O"], 2, 64)
    maker = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=64)
    for row, text in zip(X.toarray(), ("CCO", "c1ccccc1O")):
        assert row.tolist() == maker.GetFingerprintAsNumPy(Chem.MolFromSmiles(text)).tolist()
    assert X[2].sum() > 3  # RDKit alone refuses the valence of this salt
    # a water molecule has one neighbourhood, and its order in the text does not matter
    assert fingerprints(["O"], 2, 64)[0].sum() == 1
    assert digest_of_bits(fingerprints(["OCC"], 2, 64)[0]) == digest_of_bits(X[:1])
    found = read_smiles(tmp_path / "m.csv", RECIPE | {"sha256": digest_of_bits(X)})
    assert found.label_names == ["hot", "cold"] and found.feature_names[-1] == "bit63"
    np.testing.assert_array_equal(found.Y, [[1, np.nan], [0, 1], [np.nan, 0]])
    np.testing.assert_array_equal(found.X.toarray(), X.toarray())
    assert version in found.notes[0] and digest_of_bits(X)[:12] in found.notes[0]
    with pytest.raises(UserError, match=r"other fingerprints .* pip install rdkit==2026.9.1"):
        read_smiles(tmp_path / "m.csv", RECIPE | {"sha256": "0" * 64})
    with pytest.raises(UserError, match="is not a molecule in SMILES"):
        fingerprints(["C(C"], 2, 64)


def test_without_rdkit_a_sentence_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    (tmp_path / "m.csv").write_text(TABLE)
    with pytest.raises(UserError, match=r"pip install 'mlfs-bench\[chem\]'"):
        read_smiles(tmp_path / "m.csv", RECIPE | {"sha256": ""})


def test_tox21_is_known_without_rdkit(monkeypatch):
    """Its key follows from the catalogue, so results are read on a machine without RDKit."""
    monkeypatch.setitem(sys.modules, "rdkit", None)
    entry = catalog()["tox21"]
    assert (entry.n, entry.d, entry.l, entry.unknown_share) == (7831, 1024, 12, 0.1705)
    assert [one.name for one in catalog().values() if one.unknown_share] == ["tox21"]
    assert known_digest("tox21").startswith("4869b98ef312ba36")


def test_tox21_has_real_holes(real):
    pytest.importorskip("rdkit")
    data = real("tox21")
    assert data.X.shape == (7831, 1024) and set(data.X.data) == {1.0}
    assert data.unknown == pytest.approx(0.1705, abs=5e-5)
    assert data.density == pytest.approx(0.0752, abs=5e-5)
    assert np.isnan(data.Y).sum(axis=0).max() == 2021
    assert "RDKit" in data.notes[-1]


def test_the_digest_is_of_the_shape_and_the_places_of_ones():
    bits = np.zeros((3, 4))
    bits[0, 1] = bits[2, 3] = 1
    moved = bits[::-1].copy()
    other = bits.copy()
    other[0, [1, 2]] = 0, 1
    made = [bits, moved, other, bits[:, [1, 0, 2, 3]], np.hstack([bits, 0 * bits])]
    assert len({digest_of_bits(sp.csr_matrix(one)) for one in made}) == 5
    wide = sp.csr_matrix(bits)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert digest_of_bits(wide) == digest_of_bits(sp.csr_matrix(bits))
