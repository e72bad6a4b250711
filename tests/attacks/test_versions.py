"""A worker that has other code than the run was planned with is refused."""

import pytest

from mlfs import config
from mlfs.engine.workers.executor import local
from mlfs.engine.workers.run_cell import record_from, run_cell
from mlfs.engine.workers.versions import OtherVersions
from mlfs.errors import UserError
from mlfs.methods.user_code import Source
from mlfs.protocols.plan import plan

CONFIG = {
    "name": "v",
    "protocol": "selection",
    "datasets": ["planted"],
    "methods": ["fsnm"],
    "sizes": [5],
    "metrics": ["average_precision"],
}


def cell(**versions):
    """A cell that was planned where something has another version."""
    [planned] = plan(config.parse(CONFIG, source="test"))
    return planned.cell.model_copy(update={"versions": planned.cell.versions | versions})


@pytest.mark.parametrize("name", ["fsnm", "mlknn", "selection"])
def test_another_version_of_anything_that_a_cell_uses_is_told(name):
    here = cell().versions[name]
    with pytest.raises(OtherVersions, match=f"has version {here} of '{name}', and this run needs"):
        run_cell(cell(**{name: 99}))
    assert run_cell(cell()).status == "done"


def test_a_local_worker_refuses_it_and_the_run_ends_with_a_sentence():
    with local(1, None) as place:
        future = place.submit(cell(fsnm=99), 0.0)
        with pytest.raises(UserError, match="install the same version of mlfs"):
            record_from(future)


def test_a_dask_worker_refuses_it_too():
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    from mlfs.engine.workers.dask_cluster import cluster

    with cluster(None, 1, None) as place:
        future = place.submit(cell(fsnm=99), 0.0)
        with pytest.raises(UserError, match="version 99: install the same version of mlfs"):
            record_from(future)


def test_the_digest_of_an_own_method_is_compared(tmp_path):
    """The text that came with the cell is not the one that its key was made of."""
    text = (
        "from sklearn.base import BaseEstimator\n\n\nclass Mine(BaseEstimator):\n"
        "    def fit(self, X, Y):\n        self.scores_ = X.std(axis=0)\n"
    )
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "c.yaml").write_text(
        "name: c\nprotocol: planted\nmethods: [mine:Mine]\nmetrics: [relevant_found]\n"
    )
    [planned, *_] = plan(config.load(tmp_path / "c.yaml"))
    other = Source("mine", str(tmp_path), {"mine": text.replace("std", "var")})
    with pytest.raises(OtherVersions, match="of 'mine:Mine', and this run needs version 1 sha256"):
        run_cell(planned.cell.model_copy(update={"code": {"mine": other}}))
