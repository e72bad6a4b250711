"""Methods are found in the files of their package, and public names are what they were."""

import importlib

import pytest

from mlfs.methods import discovery, registry
from mlfs.methods.tags import Tags

from ..helpers import python

PUBLIC = {
    "mlfs.classifiers": "MLkNN LibSVM MultiLabelClassifier",
    "mlfs.selectors": "GMFS FSNM SFUS MIFS CMFS MLMLFS MFSEF MFSLS PMU MDDM SemFS MCFS FSASL Lasso "
    "L20ALM WkNN AllFeatures RandomSelector TopMutualInformation Ranker ForestImportance "
    "Univariate SCLS LRFS MDMR D2F FIMF GRRO RFML PPTMI L1Logistic MultiTaskLasso",
    "mlfs.learners": "RMFL FastTag LEML GLOCAL LSML ML2 JFSC LLSF BRLogistic BRRidge MAXIDE",
    "mlfs.active": "BayesianCompressedSensing MIML Uncertainty Random LiAdaptive Pool",
}
NAMES = {
    "selector": "all cmfs fsasl fsnm gmfs l20alm lasso mcfs mddm mfsef mfsls mifs mlmlfs pmu "
    "random semfs sfus top_mi wknn forest_importance univariate scls lrfs mdmr d2f fimf grro rf_ml "
    "ppt_mi l1_logistic multi_task_lasso",
    "learner": "br_logistic br_ridge fasttag glocal jfsc leml llsf lsml maxide ml2 rmfl",
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
    assert python("-c", code).returncode == 0


@pytest.mark.parametrize("kind", NAMES)
def test_the_source_tells_of_every_method_what_its_class_tells(kind):
    """Keys of cells have the version: one that only the class knows would change them."""
    for name, cls in registry.methods([kind]).items():
        package = cls.__module__.rpartition(".")[0]
        outline = discovery.outline(package, name)
        assert outline is not None, name
        assert (outline.load(), outline.version) == (cls, cls.version)
    assert discovery.outline(package, "nothing") is None
    assert discovery.outline(package, "tags") is None  # a word of every file


def test_the_version_of_a_method_is_known_without_its_class():
    code = (
        "import sys; from mlfs.methods import registry; "
        "print(registry.version('fsnm', ['selector'])); "
        "sys.exit(any(name in sys.modules for name in ('sklearn', 'mlfs.selectors')))"
    )
    done = python("-c", code)
    assert (done.returncode, done.stdout) == (0, "2\n")


def test_the_outline_of_a_method_knows_what_is_tuned_without_importing_it():
    for kind in registry.KINDS:
        for name, cls in registry.methods([kind]).items():
            outline = registry._outline(name, [kind])
            if outline is not None:
                assert outline.tuned == tuple(cls.tags.search_space), name
            assert list(registry.tuned(name, [kind])) == list(cls.tags.search_space)
    code = (
        "import sys; from mlfs.methods import registry; "
        "assert registry.tuned('fsnm', ['selector']) == ('gamma',); "
        "sys.exit('sklearn' in sys.modules)"
    )
    assert python("-c", code).returncode == 0


def test_a_search_space_that_the_source_computes_is_read_from_the_class():
    import ast

    def tuned(text):
        return discovery._tuned(ast.parse(text).body[0])

    assert tuned("class A:\n  tags = Tags(search_space={'a': [1], 'b': [2]})") == ("a", "b")
    assert tuned("class A:\n  tags = Tags(paper='')") == ()
    assert tuned("class A:\n  tags = Tags(search_space={n: [1] for n in 'ab'})") is None
    assert tuned("class A:\n  tags = Tags(search_space={**B, 'a': [1]})") is None
    assert tuned("class A:\n  tags = B.tags") is None
