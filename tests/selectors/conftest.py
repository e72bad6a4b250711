"""Pieces of the methods, transcribed literally, that more than one test file compares with."""

import math
from functools import cache

import numpy as np
import pytest


@pytest.fixture(scope="module")
def with_zeros(emotions):
    """Features with many zeros, which give the same as a sparse matrix."""
    X, Y = emotions
    return np.where(X > -0.5, X, 0.0), Y


@pytest.fixture(scope="module", params=[(50, 20), (50, 72)], ids=["n > d", "n < d"])
def either_shape(request, load_slice):
    """More rows than features, and fewer."""
    return load_slice("emotions", *request.param)


@pytest.fixture(scope="session")
def nearest_rows():
    """``nearest_rows(X, k)``: the k nearest other rows of every row, by sorting all distances."""

    def find(X, k):
        n = len(X)
        return [
            sorted(
                (j for j in range(n) if j != i),
                key=lambda j: (round(sum((X[i] - X[j]) ** 2), 9), j),
            )[:k]
            for i in range(n)
        ]

    return find


@pytest.fixture(scope="session")
def heat_weights(nearest_rows):
    """``heat_weights(X, k)``: the symmetric heat graph, dense, pair by pair (METHODS, H1)."""

    def build(X, k):
        n = len(X)
        t = sum(math.dist(a, b) for a in X for b in X) / n**2
        S = np.zeros((n, n))
        for i, near in enumerate(nearest_rows(X, k)):
            for j in near:
                S[i, j] = S[j, i] = math.exp(-(math.dist(X[i], X[j]) ** 2) / (2 * t**2))
        return S

    return build


@pytest.fixture(scope="session")
def gmfs_step(nearest_rows):
    """``gmfs_step(...)``: E and M step of GMFS, (12), (13), (15)-(18), entry by entry.

    W is solved for exactly from `a`, the diagonal A of (17): one value a feature, or one an
    entry of W. A nan label has gamma 0 and is not counted in (18).
    """

    def expectations(Y, V, B, theta):
        zeta, gamma = np.empty(Y.shape), np.ones(Y.shape)
        for i, j in np.ndindex(Y.shape):
            psi = V[i] @ B[j]
            zeta[i, j] = np.tanh(psi / 2) / (2 * psi)  # (12)
            if Y[i, j] == 0:
                silent = theta[i, j] / (1 + np.exp(psi))
                gamma[i, j] = silent / (silent + 1 - theta[i, j])  # (13)
            elif np.isnan(Y[i, j]):
                gamma[i, j] = 0.0
        return zeta, gamma

    def step(X, Y, V, B, W, theta, a, *, k, lam=1e-3, s=5.0, alpha=0.5, beta=0.5):
        (n, l), c = Y.shape, V.shape[1]  # noqa: E741
        zeta, gamma = expectations(Y, V, B, theta)
        kappa = np.nan_to_num(Y) - 0.5
        newV, newB = np.empty((n, c)), np.empty((l, c))
        for i in range(n):
            A, r = lam * np.eye(c), lam * W.T @ X[i]
            for j in range(l):
                A += gamma[i, j] * zeta[i, j] * np.outer(B[j], B[j])
                r += gamma[i, j] * kappa[i, j] * B[j]
            newV[i] = np.linalg.solve(A, r)  # (15)
        for j in range(l):
            A, r = lam * np.eye(c), np.zeros(c)
            for i in range(n):
                A += gamma[i, j] * zeta[i, j] * np.outer(newV[i], newV[i])
                r += gamma[i, j] * kappa[i, j] * newV[i]
            newB[j] = np.linalg.solve(A, r)  # (16)
        a = np.asarray(a, dtype=float)
        columns = a.T if a.ndim == 2 else [a] * c
        newW = np.column_stack(
            [
                np.linalg.solve(lam * X.T @ X + np.diag(diagonal), lam * X.T @ v)
                for diagonal, v in zip(columns, newV.T)
            ]
        )  # (17)
        newtheta = np.empty((n, l))
        near = nearest_rows(X, k)
        for i, j in np.ndindex(n, l):
            known = np.count_nonzero(~np.isnan(Y[:, j]))
            pull = (s - 1) * sum(gamma[e, j] for e in near[i])
            top = alpha + gamma[:, j].sum() + pull - 1
            newtheta[i, j] = top / (alpha + beta + known + pull - 2)  # (18)
        names = ("zeta", "gamma", "V", "B", "W", "theta")
        return dict(zip(names, (zeta, gamma, newV, newB, newW, newtheta)))

    step.expectations = expectations
    return step


@pytest.fixture(scope="session")
def small_sets():
    """``small_sets(missing=False)``: 20 random sets ``X, Y, bins``, with ties and a constant.

    With `missing`, about a third of the labels is nan, and in every fifth set one label entirely.
    """

    def make(missing=False):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            n, d, n_labels = rng.integers(18, 40), rng.integers(5, 9), rng.integers(1, 5)
            X = rng.integers(0, 6, size=(n, d)).astype(float)
            X[:, 3] = 2.0 if seed % 4 == 0 else X[:, 0] + rng.integers(0, 2, size=n)
            Y = (X[:, :n_labels] + rng.normal(size=(n, n_labels)) > 2.5).astype(float)
            if missing:
                Y[rng.random(Y.shape) < 0.35] = np.nan
                Y[:, 0] = np.nan if seed % 5 == 0 else Y[:, 0]
            yield X, Y, 2 + seed % 2

    return make


@pytest.fixture(scope="session")
def counted():
    """``counted(X, Y, bins)``: informations of columns by their definition, from counts of rows.

    A variable is ``("f", i)`` or ``("l", j)``; rows where a label among them is nan do not count.
    """

    class Counted:
        def __init__(self, X, Y, bins):
            self.columns = {("f", i): codes for i, codes in enumerate(cut(X, bins))}
            self.columns |= {("l", j): list(label) for j, label in enumerate(Y.T)}
            self.features = [name for name in self.columns if name[0] == "f"]
            self.labels = [name for name in self.columns if name[0] == "l"]
            self.H = cache(self.H)  # a criterion asks for each many times

        def H(self, *names, rows=()):
            """The joint entropy, over the rows where these and the variables `rows` are known."""
            counts, used = {}, [*names, *rows]
            for i in range(len(self.columns["f", 0])):
                if not any(math.isnan(self.columns[name][i]) for name in used):
                    state = tuple(self.columns[name][i] for name in names)
                    counts[state] = counts.get(state, 0) + 1
            n = sum(counts.values())
            return -sum(c / n * math.log(c / n) for c in counts.values())

        def mutual(self, a, b, rows=()):
            rows = (a, b, *rows)
            return self.H(a, rows=rows) + self.H(b, rows=rows) - self.H(a, b, rows=rows)

        def conditional(self, a, b, c):
            """I(a; b | c)"""
            rows = (a, b, c)
            first = self.H(a, c, rows=rows) + self.H(b, c, rows=rows)
            return first - self.H(a, b, c, rows=rows) - self.H(c, rows=rows)

        def co(self, a, b, c):
            """I(a; b; c) = I(a; c) − I(a; c | b), where all three are known."""
            return self.mutual(a, c, rows=(b,)) - self.conditional(a, c, b)

        def relevance(self, f):
            return sum(self.mutual(f, label) for label in self.labels)

    def cut(X, bins):
        """Bins of equal frequency, column by column, value by value."""
        for column in X.T:
            ordered = sorted(column)
            cuts = [ordered[math.ceil(k * len(column) / bins) - 1] for k in range(1, bins)]
            smaller = [value for value in ordered if value < ordered[-1]]
            last = smaller[-1] if smaller else -math.inf
            cuts = [last if value == ordered[-1] else value for value in cuts]
            yield [sum(threshold < value for threshold in cuts) for value in column]

    return Counted


@pytest.fixture(scope="session")
def greedy():
    """``greedy(names, J)``: the order and the gains when the largest J(f, S) is picked."""

    def run(names, J):
        S, gains = [], {}
        while len(S) < len(names):
            values = {f: J(f, S) for f in names if f not in S}
            best = max(values, key=lambda f: (round(values[f], 10), -names.index(f)))
            gains[best] = values[best]
            S.append(best)
        return [names.index(f) for f in S], [gains[f] for f in names]

    return run
