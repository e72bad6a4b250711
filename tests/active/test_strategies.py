"""Query strategies against brute force, and what theory says of them."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from mlfs.active import (
    MIML,
    BayesianCompressedSensing,
    LiAdaptive,
    Pool,
    Uncertainty,
    li_adaptive,
)
from mlfs.active.diagnosis import label_covariance
from mlfs.active.hinge import HingeMachines
from mlfs.active.li_adaptive import BETAS, nominate
from mlfs.methods import registry

STRATEGIES = registry.methods(["strategy"])


def make_pool(n, n_labelled, seed=0, n_labels=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    Y = (X @ rng.standard_normal((3, n_labels)) + rng.standard_normal((n, n_labels)) > 0) * 1.0
    hidden = Y.copy()
    hidden[rng.permutation(n)[n_labelled:]] = np.nan
    pool = Pool(X, hidden)
    model = BayesianCompressedSensing(gamma=0.5, sigma2=0.05, chi2=0.05, random_state=0)
    return pool, model.fit(X[pool.labelled], hidden[pool.labelled]), Y


def make(name):
    """The strategy with a fixed seed where it takes one."""
    strategy = STRATEGIES[name]()
    return strategy.set_params(**{key: 0 for key in strategy.get_params() if key == "random_state"})


def conditional_variance(C, x, given):
    """var(x | given) as a ratio of determinants, computed from scratch."""
    given = list(given)
    with_x = np.linalg.slogdet(C[np.ix_([*given, x], [*given, x])])[1]
    return np.exp(with_x - np.linalg.slogdet(C[np.ix_(given, given)])[1])


def brute_force(C, labelled, unlabelled, n):
    chosen, left, gains = list(labelled), list(unlabelled), []
    for _ in range(n):
        ratios = [
            conditional_variance(C, x, chosen)
            / conditional_variance(C, x, [y for y in left if y != x])
            for x in left
        ]
        best = int(np.argmax(ratios))
        gains.append(np.log(ratios[best]))
        chosen.append(left.pop(best))
    return chosen[len(labelled) :], gains


@pytest.mark.parametrize("n_labelled", [1, 15])
@pytest.mark.parametrize("lazy", [False, True])
def test_miml_equals_brute_force(n_labelled, lazy):
    pool, model, _ = make_pool(60, n_labelled)
    strategy = MIML(lazy=lazy)
    picks = strategy.query(pool, model, 25)
    expected, gains = brute_force(
        model.covariance(pool.X), pool.labelled, pool.unlabelled.tolist(), 25
    )
    assert picks.tolist() == expected
    np.testing.assert_allclose(strategy.gains_, 0.5 * len(model.Phi_) * np.array(gains), atol=1e-7)


def test_sum_of_gains_is_the_mutual_information():
    """I(A; rest) from determinants, for the picks made from an all but unlabelled pool."""
    pool, model, _ = make_pool(40, 1)
    strategy = MIML()
    picks = strategy.query(pool, model, 10)
    C = model.covariance(pool.X)
    rest = np.setdiff1d(pool.unlabelled, picks)
    chosen = np.r_[pool.labelled, picks]

    def information(a, b):
        logdet = lambda rows: np.linalg.slogdet(C[np.ix_(rows, rows)])[1]  # noqa: E731
        return 0.5 * (logdet(a) + logdet(b) - logdet(np.r_[a, b]))

    gained = information(chosen, rest) - information(pool.labelled, pool.unlabelled)
    assert strategy.gains_.sum() == pytest.approx(len(model.Phi_) * gained, abs=1e-7)


def test_lazy_and_full_agree_on_repeated_points(load_slice):
    """medical has equal rows, whose gains tie."""
    X, Y = load_slice("medical", 200, 50)
    hidden = Y.copy()
    hidden[30:] = np.nan
    pool = Pool(np.vstack([X, X[:100]]), np.vstack([hidden, np.full((100, Y.shape[1]), np.nan)]))
    model = BayesianCompressedSensing(random_state=0).fit(X[:30], Y[:30])
    full, lazy = MIML(), MIML(lazy=True)
    assert np.array_equal(full.query(pool, model, 90), lazy.query(pool, model, 90))


@pytest.mark.parametrize("kernel", ["rbf", "linear", "affine"])
def test_gains_never_rise(yeast_slice, kernel):
    X, Y = yeast_slice(500)
    hidden = Y.copy()
    hidden[40:] = np.nan
    model = BayesianCompressedSensing(kernel=kernel, random_state=0).fit(X[:40], Y[:40])
    for strategy in (MIML(), Uncertainty()):
        strategy.query(Pool(X, hidden), model, 200)
        assert np.all(np.diff(strategy.gains_) <= 1e-8)


@pytest.mark.parametrize("strategy", ["miml", "uncertainty", "random"])
def test_picks_do_not_depend_on_labels_and_can_be_made_in_parts(strategy):
    pool, model, Y = make_pool(60, 10)
    at_once = make(strategy).query(pool, model, 12)
    flipped = Pool(pool.X, 1 - pool.Y)
    model.condition(pool.X[pool.labelled], flipped.Y[pool.labelled])
    assert np.array_equal(make(strategy).query(flipped, model, 12), at_once)
    assert len(set(at_once.tolist())) == 12
    assert np.isin(at_once, pool.unlabelled).all()
    if strategy != "random":
        first = make(strategy).query(pool, model, 5)
        pool.Y[first] = Y[first]
        assert np.array_equal(np.r_[first, make(strategy).query(pool, model, 7)], at_once)


def test_uncertainty_equals_brute_force():
    pool, model, _ = make_pool(40, 5)
    C, chosen = model.covariance(pool.X), pool.labelled.tolist()
    left = pool.unlabelled.tolist()
    for pick in Uncertainty().query(pool, model, 15):
        variances = [conditional_variance(C, x, chosen) for x in left]
        assert pick == left[int(np.argmax(variances))]
        chosen.append(pick)
        left.remove(pick)


def test_theorem_1_entropies_tend_to_gaussian_ones():
    """As a₀, b₀ → 0 the exact H(x|A) - H(x|Ā) tends to ½ log δ, and the same point wins."""
    pool, model, Y = make_pool(25, 5)
    C, targets = model.covariance(pool.X), Y[:, 0] - 0.5
    pairs = []
    for x in pool.unlabelled:
        for given in (pool.labelled, np.setdiff1d(pool.unlabelled, [x])):
            weights = np.linalg.solve(C[np.ix_(given, given)], C[given, x])
            pairs.append((weights @ targets[given], C[x, x] - weights @ C[given, x]))

    def entropy(mean, variance, tiny):
        deviation = np.sqrt(variance)
        points = sorted({mean, 0.0, -np.sqrt(2 * tiny), np.sqrt(2 * tiny)})

        def density(x):
            return np.exp(-((x - mean) ** 2) / (2 * variance)) * (1 + x * x / (2 * tiny)) ** -tiny

        def integral(f):
            ends = [mean - 10 * deviation, *points, mean + 10 * deviation]
            return sum(quad(f, a, b, limit=200)[0] for a, b in itertools.pairwise(sorted(ends)))

        total = integral(density)
        return integral(lambda x: -density(x) * np.log(max(density(x), 1e-300))) / total + np.log(
            total
        )

    gaussian = np.array([0.5 * np.log(2 * np.pi * np.e * v) for _, v in pairs]).reshape(-1, 2)
    errors = []
    for tiny in (1e-1, 1e-2, 1e-3, 1e-6):
        exact = np.array([entropy(m, v, tiny) for m, v in pairs]).reshape(-1, 2)
        errors.append(np.abs(exact - gaussian).max())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-4 < 1e-2 < errors[0]
    assert np.argmax(exact @ [1, -1]) == np.argmax(gaussian @ [1, -1])
    first = MIML().query(pool, model, 1)[0]
    assert pool.unlabelled[np.argmax(exact @ [1, -1])] == first


@pytest.mark.parametrize("criterion", ["miml", "uncertainty"])
def test_diagnosis_equals_brute_force(criterion):
    _, model, _ = make_pool(40, 30, n_labels=12)
    mu, v = model.compressed(np.ones((1, 3)))
    rng = np.random.default_rng(0)
    strategy = STRATEGIES[criterion]()
    labels, gains = strategy.choose_labels(model, mu[0], float(v[0]), 6, rng)
    C = label_covariance(model, mu[0], float(v[0]), np.full(12, np.nan))
    chosen, left = [], list(range(12))
    for label in labels:
        worth = [conditional_variance(C, x, chosen) if chosen else C[x, x] for x in left]
        if criterion == "miml":
            for i, x in enumerate(left):
                worth[i] /= conditional_variance(C, x, [y for y in left if y != x])
        assert label == left[int(np.argmax(worth))]
        chosen.append(int(label))
        left.remove(label)
    assert np.isfinite(gains).all()
    for count in (0, 13):
        with pytest.raises(ValueError, match=f"{count} labels asked for, but the point has 12 unk"):
            strategy.choose_labels(model, mu[0], float(v[0]), count, rng)


def test_the_covariance_of_labels_is_that_of_the_posterior():
    """Its diagonal is the variance that the model gives, for the labels that are not known."""
    _, model, _ = make_pool(40, 30, n_labels=12)
    mu, _ = model.compressed(np.ones((1, 3)))
    known = np.full(12, np.nan)
    known[[2, 5]] = 1.0, 0.0
    for v in (0.02, 0.5):
        found = model.posterior_of(mu, np.array([v]), known[None])
        C = label_covariance(model, mu[0], v, known)
        precision = np.diag(found.precision[0]) + model.Phi_.T @ model.Phi_ / v
        rest = np.isnan(known)
        np.testing.assert_allclose(C @ precision[np.ix_(rest, rest)], np.eye(10), atol=1e-8)


@pytest.mark.parametrize("name", ["miml", "uncertainty", "random"])
def test_one_label_is_the_first_of_many(name):
    _, model, _ = make_pool(40, 30, n_labels=12)
    mu, v = model.compressed(np.ones((1, 3)))

    def choose(count):
        rng = np.random.default_rng(4)
        return make(name).choose_labels(model, mu[0], float(v[0]), count, rng)

    labels, gains = choose(1)
    assert labels.shape == gains.shape == (1,)
    if name == "random":
        assert 0 <= labels[0] < 12 and np.isnan(gains[0])
    else:
        many = choose(5)
        assert labels[0] == many[0][0] and gains[0] == many[1][0]


@pytest.mark.parametrize("name", ["miml", "uncertainty"])
def test_labels_are_chosen_given_those_that_are_known(name):
    """The covariance of unknown labels given known ones, by the formula for Gaussians."""
    _, model, _ = make_pool(40, 30, n_labels=9)
    mu, v = (part[0] for part in model.compressed(np.ones((1, 3))))
    known = np.full(9, np.nan)
    known[[1, 4, 8]] = 1.0, 0.0, 1.0
    free, given = np.flatnonzero(np.isnan(known)), np.array([1, 4, 8])
    alpha = model.posterior_of(mu[None], np.array([v]), known[None]).precision[0]
    C = np.linalg.inv(np.diag(alpha) + model.Phi_.T @ model.Phi_ / v)
    left, chosen, expected = free.tolist(), given.tolist(), []
    for _ in range(4):
        worth = [conditional_variance(C, x, chosen) for x in left]
        if name == "miml":
            rest = [[*given, *(y for y in left if y != x)] for x in left]
            worth = [w / conditional_variance(C, x, r) for w, x, r in zip(worth, left, rest)]
        expected.append(left.pop(int(np.argmax(worth))))
        chosen.append(expected[-1])
    labels, _ = STRATEGIES[name]().choose_labels(model, mu, float(v), 4, None, known)
    assert labels.tolist() == expected
    drawn, _ = make("random").choose_labels(model, mu, v, 6, np.random.default_rng(0), known)
    assert sorted(drawn) == free.tolist()
    with pytest.raises(ValueError, match="7 labels asked for, but the point has 6 unknown"):
        STRATEGIES[name]().choose_labels(model, mu, float(v), 7, None, known)


def test_a_strategy_that_looks_at_labels_chooses_points_only():
    _, model, _ = make_pool(40, 30, n_labels=12)
    mu, v = model.compressed(np.ones((1, 3)))
    with pytest.raises(ValueError, match="LiAdaptive chooses points"):
        LiAdaptive().choose_labels(model, mu[0], float(v[0]), 2, np.random.default_rng(0))


@pytest.mark.parametrize("base", [None, LogisticRegression()])
def test_li_adaptive_equals_brute_force(base):
    """Every step of the paper written out with loops; the pick is the best nominee."""
    pool, model, _ = make_pool(40, 12, seed=3)
    rows, candidates = pool.labelled, pool.unlabelled
    machine = base or LinearSVC(loss="hinge", tol=1e-9, max_iter=200000)

    def scores(X, Y):
        columns = []
        for y in Y.T:
            one_class = len(set(y)) == 1
            fitted = None if one_class else machine.fit(X, y)
            columns.append(
                np.full(len(candidates), 2 * y[0] - 1.0)
                if one_class
                else fitted.decision_function(pool.X[candidates])
            )
        return np.array(columns).T

    F = scores(pool.X[rows], pool.Y[rows])
    cardinality = pool.Y[rows].sum(axis=1).mean()
    nominees = set()
    for beta in BETAS:
        value = []
        for f in F:
            gap = min(f[f > 0], default=np.inf) - max(f[f < 0], default=-np.inf)
            value.append((1 / gap) ** beta * abs((f > 0).sum() - cardinality) ** (1 - beta))
        nominees |= {i for i, v in enumerate(value) if v == max(value)}
    losses = {}
    for i in nominees:
        guess = (F[i] > 0).astype(float)
        new = scores(
            np.vstack([pool.X[rows], pool.X[candidates[i]]]), np.vstack([pool.Y[rows], guess])
        )
        losses[i] = sum(
            max((max(0, 1 - s) for s in f if s > 0), default=0)
            + max((max(0, 1 + s) for s in f if s < 0), default=0)
            for f in new
        )
    strategy = LiAdaptive(base=base, max_nominees=None, random_state=0)
    pick = strategy.query(pool, model, 1)[0]
    assert len(nominees) > 1
    assert pick == candidates[min(losses, key=losses.get)]
    assert -strategy.gains_[0] == pytest.approx(min(losses.values()), rel=1e-6)


def test_li_adaptive_buys_a_batch_as_printed():
    """Three picks, each after training with the guesses of the last; unknown counts as absent.

    A label seen in one class only scores 1 or -1 everywhere.
    """
    pool, _, _ = make_pool(40, 12, seed=3, n_labels=6)
    rows, candidates = pool.labelled.tolist(), pool.unlabelled.tolist()
    pool.Y[rows, 4], pool.Y[rows, 5] = 0.0, 1.0
    pool.Y[rows[0], [0, 4]] = pool.Y[rows[3], 1] = np.nan
    Y = [[1.0 if value == 1 else 0.0 for value in row] for row in pool.Y[rows]]

    def scores(rows, Y):
        columns = []
        for y in np.array(Y).T:
            if len(set(y)) == 1:
                columns.append(np.full(40, 1.0 if y[0] == 1 else -1.0))
            else:
                columns.append(LogisticRegression().fit(pool.X[rows], y).decision_function(pool.X))
        return np.array(columns).T

    picks, losses = [], []
    for _ in range(3):
        F = scores(rows, Y)
        cardinality = np.mean([sum(y) for y in Y])
        nominees = set()
        for beta in BETAS:
            value = {}
            for x in candidates:
                f = F[x]
                gap = min(f[f > 0], default=np.inf) - max(f[f < 0], default=-np.inf)
                value[x] = (1 / gap) ** beta * abs((f > 0).sum() - cardinality) ** (1 - beta)
            nominees |= {x for x in value if value[x] == max(value.values())}
        after = {}
        for x in nominees:
            new = scores([*rows, x], [*Y, (F[x] > 0) * 1.0])
            after[x] = sum(
                max((max(0, 1 - s) for s in new[i] if s > 0), default=0)
                + max((max(0, 1 + s) for s in new[i] if s < 0), default=0)
                for i in candidates
            )
        best = min(after, key=after.get)
        picks.append(best)
        losses.append(after[best])
        rows, Y = [*rows, best], [*Y, ((F[best] > 0) * 1.0).tolist()]
        candidates.remove(best)
    strategy = LiAdaptive(base=LogisticRegression(), max_nominees=None, random_state=0)
    assert strategy.query(pool, None, 3).tolist() == picks
    np.testing.assert_allclose(-strategy.gains_, losses, rtol=1e-9)


def test_li_adaptive_goes_on_from_its_last_query(monkeypatch):
    """One by one, with the true labels: as a strategy that starts anew each time."""
    pool, _, _ = make_pool(40, 12, seed=3)
    truth = (np.random.default_rng(0).random((40, 4)) < 0.4) * 1.0
    kept, trained = LiAdaptive(random_state=0), []
    original = HingeMachines.__init__
    monkeypatch.setattr(
        HingeMachines, "__init__", lambda *given: trained.append(1) or original(*given)
    )
    for _ in range(6):
        (pick,) = kept.query(pool, None, 1)
        assert len(trained) == 1
        anew = LiAdaptive(random_state=0)
        assert anew.query(pool, None, 1) == pick
        np.testing.assert_allclose(anew.gains_, kept.gains_, rtol=1e-7)
        trained.pop()
        pool.Y[pick] = truth[pick]
    kept.set_params(C=5.0).query(pool, None, 1)
    kept.query(Pool(pool.X.copy(), pool.Y), None, 1)
    assert len(trained) == 3


def tied_pool():
    """Rows that come thrice: whoever is nominated has two others beside it."""
    pool, _, _ = make_pool(40, 12, seed=3)
    X, Y = np.vstack([pool.X] * 3), np.vstack([pool.Y, np.full((80, 4), np.nan)])
    return Pool(X, Y), pool


@pytest.fixture
def looks(monkeypatch):
    """What was nominated for each pick, and the rows of the pool that were looked at."""
    sets, looked = [], []
    original = HingeMachines.scores_with
    monkeypatch.setattr(
        li_adaptive, "nominate", lambda *given: sets.append(nominate(*given)) or sets[-1]
    )
    monkeypatch.setattr(
        HingeMachines, "scores_with", lambda *given: looked.append(given[1]) or original(*given)
    )
    return sets, looked


def test_li_adaptive_without_a_limit_looks_at_every_nominee(looks):
    tied, _ = tied_pool()
    strategy = LiAdaptive(max_nominees=None, random_state=0)
    strategy.query(tied, None, 1)
    [nominees], looked = looks
    assert len(nominees) > 20
    assert sorted(looked) == sorted(tied.unlabelled[list(nominees)])
    assert strategy.most_nominees_ == len(nominees) and strategy.notes == []


def test_li_adaptive_says_where_its_limit_left_nominees_out(looks):
    tied, plain = tied_pool()
    strategy = LiAdaptive(max_nominees=2, random_state=0)
    assert strategy.notes == []
    strategy.query(tied, None, 1)
    strategy.query(plain, None, 1)
    [many, few], looked = looks
    assert len(looked) == 4 and len(set(looked)) == 4
    assert set(looked[:2]) < set(tied.unlabelled[list(many)])
    assert strategy.most_nominees_ == len(many) > len(few) > 2
    about = round(len(many), -1)
    assert strategy.notes == [f"LiAdaptive tried 2 nominees per pick of up to about {about}"]
    assert strategy.set_params(max_nominees=len(many)).notes == []
