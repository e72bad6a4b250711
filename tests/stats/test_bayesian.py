"""The Bayesian signed-rank test against closed forms, a literal draw, and its symmetries."""

import numpy as np
import pytest
from scipy.stats import beta

from mlfs.stats import bayesian_signed_rank

ERROR = 4 * 0.5 / 50_000**0.5  # four standard errors of a share of the draws


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("prior", [0.5, 2.0])
def test_equal_large_differences_have_a_closed_form(n, prior):
    """The mass of "equal" is w₀², and w₀ is a Beta(prior, n): better if w₀² < 1/2."""
    found = bayesian_signed_rank(np.full(n, 0.5), np.zeros(n), prior=prior)
    assert found.better == pytest.approx(beta.cdf(0.5**0.5, prior, n), abs=ERROR)
    assert found.worse == 0 and found.equal == pytest.approx(1 - found.better) and found.n == n


def test_a_difference_below_twice_the_rope_is_halved_by_the_added_zero():
    """(z + 0) / 2 is within the rope: the mass of "better" is w₁², and w₁ is a Beta(1, 1/2)."""
    found = bayesian_signed_rank([0.015], [0.0], rope=0.01)
    assert found.better == pytest.approx(beta.sf(0.5**0.5, 1, 0.5), abs=ERROR)


def test_differences_within_the_rope_are_equal_for_certain():
    a = np.array([0.50, 0.61, 0.72])
    assert bayesian_signed_rank(a, a + 0.01).equal == 1
    assert bayesian_signed_rank(a, a - 0.01).likeliest == "equal"
    assert bayesian_signed_rank(a, a - 0.01, rope=0.001).likeliest == "better"


def test_the_draws_are_literal():
    rng = np.random.default_rng(3)
    a, b = rng.random(6), rng.random(6)
    z = [*(a - b), 0.0]
    wins = {"better": 0, "equal": 0, "worse": 0}
    weights = np.random.default_rng(7).dirichlet([1] * 6 + [0.5], 2000)
    for w in weights:
        mass = dict.fromkeys(wins, 0.0)
        for i in range(7):
            for j in range(7):
                mean = (z[i] + z[j]) / 2
                where = "better" if mean > 0.01 else "worse" if mean < -0.01 else "equal"
                mass[where] += w[i] * w[j]
        wins[max(mass, key=mass.get)] += 1
    found = bayesian_signed_rank(a, b, random_state=7)
    for name, count in wins.items():
        assert getattr(found, name) == pytest.approx(count / 2000, abs=4 * 0.5 / 2000**0.5 + ERROR)


def test_exchanged_methods_exchange_better_and_worse_and_missing_pairs_do_not_count():
    rng = np.random.default_rng(0)
    a, b = rng.random(9), rng.random(9)
    one, other = bayesian_signed_rank(a, b), bayesian_signed_rank(b, a)
    assert (one.better, one.equal, one.worse) == (other.worse, other.equal, other.better)
    assert one.better + one.equal + one.worse == pytest.approx(1)
    with_gap = bayesian_signed_rank([*a, np.nan], [*b, 0.5])
    assert with_gap == one
    assert bayesian_signed_rank(a + 5, b + 5).better == pytest.approx(one.better, abs=1e-4)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([1.0], [1.0, 2.0]), "equal length"),
        (([np.nan], [1.0]), "no pair"),
        (([1.0], [1.0], -0.1), "rope >= 0"),
    ],
)
def test_what_cannot_be_compared_is_said(given, words):
    with pytest.raises(ValueError, match=words):
        bayesian_signed_rank(*given)
