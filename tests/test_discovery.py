"""Methods are found in the files of their package, and public names are what they were."""

import importlib
import subprocess
import sys

import pytest

from mlfs import registry
from mlfs.tags import Tags

PUBLIC = {
    "mlfs.classifiers": "MLkNN LibSVM MultiLabelClassifier",
    "mlfs.selectors": "GMFS FSNM SFUS MIFS CMFS MLMLFS MFSEF MFSLS PMU MDDM SemFS MCFS FSASL Lasso "
    "L20ALM WkNN AllFeatures RandomSelector TopMutualInformation Ranker",
    "mlfs.learners": "RMFL FastTag LEML GLOCAL LSML ML2 JFSC LLSF",
    "mlfs.active": "BayesianCompressedSensing MIML Uncertainty Random LiAdaptive Pool",
}
NAMES = {
    "selector": "all cmfs fsasl fsnm gmfs l20alm lasso mcfs mddm mfsef mfsls mifs mlmlfs pmu "
    "random semfs sfus top_mi wknn",
    "learner": "fasttag glocal jfsc leml llsf lsml ml2 rmfl",
    "classifier": "libsvm mlknn",
    "strategy": "li_adaptive miml random uncertainty",
}


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_can_be_imported_and_are_listed(package):
    module = importlib.import_module(package)
    for name in PUBLIC[package].split():
        assert getattr(module, name).__name__ == name
        assert name in dir(module)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Nothing'"):
        _ = module.Nothing


@pytest.mark.parametrize("kind", NAMES)
def test_names_that_configs_use_are_registered(kind):
    """Those that shipped configs and stored results use are there; a new file adds its own."""
    found = registry.methods([kind])
    assert set(NAMES[kind].split()) <= set(found)
    assert all(isinstance(cls.tags, Tags) for cls in found.values())  # helper classes are none


def test_one_method_does_not_import_all_others():
    """What a notebook that wants one class waits for."""
    code = (
        "import sys; from mlfs.selectors.fsnm import FSNM; "
        "sys.exit(any(name in sys.modules for name in ('mlfs.selectors.gmfs', 'mlfs.active')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
