"""The benchmarks: every comparison is kept, wrong results are noticed, costs are stated."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def bench():
    """The modules of the checkout's benchmarks."""
    sys.path.insert(0, str(ROOT))
    try:
        names = ("__main__", "comparison", "growth", "measure")
        return {name: importlib.import_module(f"benchmarks.{name}") for name in names}
    finally:
        sys.path.remove(str(ROOT))


def test_every_method_states_its_cost(bench):
    growth = bench["growth"]
    for name, cls in growth.methods().items():
        for what in ("time", "memory"):
            for term in growth.stated(cls, what):
                assert growth.Size(2, 3, 5).term(term) >= 1, f"{name}: {term}"


def test_terms_are_read_as_they_are_written(bench):
    size = bench["growth"].Size(7, 5, 3)
    assert size.term("n d²") == 7 * 25
    assert size.term("n d min(n, d)") == 7 * 5 * 5
    assert size.term("n l c²") == 7 * 3 * 9  # factors are a share of the labels
    assert size.term("a² d") == 5  # what is labelled stays
    terms = ["n² d", "n d l", "d³"]
    found = {number: bench["growth"].steepest(terms, size, number) for number in "ndl"}
    assert found == {"n": 2.0, "d": 3.0, "l": 1.0}


def test_a_method_that_states_no_cost_is_named(bench):
    class Silent:
        """Says nothing."""

    with pytest.raises(ValueError, match="Silent does not say what it costs"):
        bench["growth"].stated(Silent, "time")


def test_slopes_are_exponents(bench):
    assert bench["measure"].slope([1, 2, 4], [5, 20, 80]) == pytest.approx(2.0)
    assert bench["measure"].peak(lambda: np.ones(1_000_000)) == pytest.approx(8.0, rel=0.01)


def pair(bench, fast, slow, **kwargs):
    comparison = bench["comparison"]
    make = lambda large=False: comparison.Pair(fast, slow, **kwargs)  # noqa: E731
    return comparison.Comparison("it", "another", make, "small")


def test_a_fast_form_that_gives_something_else_is_refused(bench):
    measure = bench["comparison"].measure
    with pytest.raises(AssertionError, match="it: the results differ by 1e-01"):
        measure(pair(bench, lambda: np.array([1.1]), lambda: np.array([1.0])))
    with pytest.raises(ValueError, match="longer"):
        measure(pair(bench, lambda: (1.0,), lambda: (1.0, 2.0)))
    measure(pair(bench, lambda: 1.1, lambda: 1.0, tol=None))


def test_a_ratio_below_half_of_the_one_kept_fails_and_a_better_one_does_not(
    bench, tmp_path, monkeypatch
):
    main = bench["__main__"]
    comparison = pair(bench, lambda: sum(range(1000)), lambda: sum(range(20_000)), tol=None)
    kept = tmp_path / "baseline.json"
    monkeypatch.setattr(main, "BASELINE", kept)
    monkeypatch.setattr(main, "FOUND", [comparison])

    def run(ratio, *options):
        kept.write_text(json.dumps({"quick": {"it / another": ratio}, "large": {}}))
        return CliRunner().invoke(main.main, ["--quick", *options])

    assert run(5.0, "--check").exit_code == 0
    slow = run(500.0, "--check")
    assert slow.exit_code == 1 and "slower than half of what was kept: it" in slow.output
    assert run(500.0).exit_code == 0, "only --check fails"
    assert run(1.0, "--write").exit_code == 0
    assert json.loads(kept.read_text())["quick"]["it / another"] > 2


def test_all_comparisons_are_kept(bench):
    kept = json.loads((ROOT / "benchmarks/baseline.json").read_text())
    names = {f"{one.name} / {one.against}" for one in bench["comparison"].FOUND}
    assert len(names) == len(bench["comparison"].FOUND) >= 20
    for kind in ("quick", "large"):
        assert set(kept[kind]) == names
