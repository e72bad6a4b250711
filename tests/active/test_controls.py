"""k-means and core-set sampling, controls that see no labels, against explicit loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from mlfs.active import CoreSet, KMeansSampling, Pool


def pool_of(n, n_labelled, seed=0, d=4):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, d)), (rng.random((n, 3)) < 0.5).astype(float)
    Y[rng.permutation(n)[n_labelled:]] = np.nan
    return Pool(X, Y)


def distance(a, b):
    return np.sqrt(((a - b) ** 2).sum())


@pytest.mark.parametrize("n_labelled", [0, 1, 7])
@pytest.mark.parametrize("seed", range(4))
def test_core_set_is_the_greedy_k_centre_solution(n_labelled, seed):
    pool = pool_of(30, n_labelled, seed)
    have, left = list(pool.labelled), list(pool.unlabelled)
    expected, gains = [], []
    for _ in range(10):
        if have:
            near = [min(distance(pool.X[i], pool.X[j]) for j in have) for i in left]
            best = left[int(np.argmax(near))]
            gains.append(max(near))
        else:
            centre = pool.X[left].mean(axis=0)
            best = left[int(np.argmin([distance(pool.X[i], centre) for i in left]))]
            gains.append(np.nan)
        expected.append(best)
        have.append(best)
        left.remove(best)
    strategy = CoreSet()
    assert strategy.query(pool, None, 10).tolist() == expected
    np.testing.assert_allclose(strategy.gains_, gains, atol=1e-7)
    sparse = Pool(sp.csr_matrix(pool.X), pool.Y)
    assert CoreSet().query(sparse, None, 10).tolist() == expected


def test_core_set_takes_equal_points_once_and_in_order():
    pool = Pool(np.zeros((5, 2)), np.array([[1.0]] + [[np.nan]] * 4))
    assert CoreSet().query(pool, None, 4).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(3))
def test_k_means_buys_the_point_nearest_to_each_centre_large_clusters_first(seed):
    pool = pool_of(60, 12, seed)
    strategy = KMeansSampling(random_state=seed)
    bought = strategy.query(pool, None, 6)
    X = pool.X[pool.unlabelled]
    start = np.random.RandomState(seed).randint(2**31 - 1)
    found = KMeans(n_clusters=6, n_init=1, random_state=start).fit(X)
    nearest = {}
    for k, centre in enumerate(found.cluster_centers_):
        inside = [i for i in range(len(X)) if found.labels_[i] == k]
        best = min(inside, key=lambda i, centre=centre: distance(X[i], centre))
        nearest[k] = (pool.unlabelled[best], len(inside) / len(X))
    assert set(bought) == {point for point, _ in nearest.values()}
    shares = dict(nearest.values())
    np.testing.assert_allclose(strategy.gains_, [shares[point] for point in bought])
    assert (np.diff(strategy.gains_) <= 0).all()
    again = KMeansSampling(random_state=seed).query(pool, None, 6)
    assert np.array_equal(again, bought)
    sparse = Pool(sp.csr_matrix(pool.X), pool.Y)
    assert set(KMeansSampling(random_state=seed).query(sparse, None, 6)) == set(bought)


def test_k_means_fills_up_where_points_are_equal():
    X = np.repeat([[0.0], [1.0], [5.0]], [4, 3, 1], axis=0)
    pool = Pool(X, np.full((8, 1), np.nan))
    strategy = KMeansSampling(random_state=0)
    bought = strategy.query(pool, None, 6)
    assert len(set(bought)) == 6 and bought[:3].tolist() == [0, 4, 7]
    np.testing.assert_allclose(strategy.gains_, [4 / 8, 3 / 8, 1 / 8, 0, 0, 0])


@pytest.mark.parametrize("strategy", [CoreSet(), KMeansSampling(random_state=1)])
def test_labels_have_no_part(strategy):
    pool = pool_of(40, 10)
    other = Pool(pool.X, np.where(np.isnan(pool.Y), np.nan, 1 - pool.Y))
    assert np.array_equal(strategy.query(pool, None, 5), strategy.query(other, None, 5))
