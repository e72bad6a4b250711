"""Every method of mlfs keeps the contract, and the contract refuses methods that do not."""

import pytest

from mlfs.active import BayesianCompressedSensing
from mlfs.methods import registry
from mlfs.testing import checks

CASES = [
    pytest.param(check, id=f"{name}-{check}")
    for kind in registry.KINDS
    for name, cls in registry.methods([kind]).items()
    for check in checks(cls)
] + [
    pytest.param(check, id=f"bayesian_compressed_sensing-{check}")
    for check in checks(BayesianCompressedSensing)
]


@pytest.mark.parametrize("check", CASES)
def test_every_method_keeps_the_contract_of_its_kind(check):
    check()


def test_who_can_use_unobserved_labels():
    """Tags decide whether a protocol turns nan into 0 first: a change of one is meant."""
    able = [name for name, cls in registry.methods(["learner"]).items() if cls.tags.handles_missing]
    assert able == [
        "br_logistic",
        "br_ridge",
        "fasttag",
        "glocal",
        "leml",
        "lsml",
        "maxide",
        "rmfl",
    ]
    names = registry.methods(["selector"])
    able = [name for name, cls in names.items() if cls.tags.handles_missing and cls.uses_labels]
    assert sorted(able) == [
        *("d2f", "fimf", "forest_importance", "gmfs", "grro", "l1_logistic", "lrfs", "mdmr"),
        *("mlmlfs", "rf_ml", "scls", "top_mi", "univariate"),
    ]
