"""How much faster the classifiers are than the usual ones: python benchmarks/bench_classifiers.py.

Both sides of a ratio are measured once, in the same run, on one thread.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from common import print_header, print_row, timed
from sklearn.datasets import make_multilabel_classification
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from skmultilearn.adapt import MLkNN as SkmultilearnMLkNN
from threadpoolctl import threadpool_limits

from mlfs.classifiers import LibSVM, MLkNN
from mlfs.datasets import load
from mlfs.errors import UserError


def bench_libsvm() -> None:
    """Time LibSVM beside one SVC per label."""
    X, Y = make_multilabel_classification(
        n_samples=4000, n_features=500, n_classes=20, n_labels=4, random_state=0
    )
    X = StandardScaler().fit_transform(X)
    train, test = slice(0, 3000), slice(3000, 4000)

    def run(model: LibSVM | OneVsRestClassifier) -> np.ndarray:
        return model.fit(X[train], Y[train]).decision_function(X[test])

    ours, values = timed(lambda: run(LibSVM(C=1.0, gamma="auto")))
    baseline, expected = timed(lambda: run(OneVsRestClassifier(SVC(C=1.0, gamma="auto"))))
    gap = np.abs(values - expected).max()
    print_row(
        "LibSVM / OneVsRestClassifier(SVC), 3000 x 500, 20 labels",
        ours,
        baseline,
        f"largest gap {gap:.0e}",
    )


def bench_mlknn() -> None:
    """Time MLkNN beside that of scikit-multilearn."""
    data = load("bibtex")
    X, Y = data.X[data.train], data.Y[data.train]
    queries = data.X[data.test]
    # theirs indexes with the labels' sums, so they must be integers
    theirs = sp.csr_matrix(Y.astype(int))

    ours, _ = timed(lambda: MLkNN(k=10).fit(X, Y).decision_function(queries))
    baseline, _ = timed(lambda: SkmultilearnMLkNN(k=10).fit(X, theirs).predict_proba(queries))
    print_row("MLkNN / scikit-multilearn's MLkNN, bibtex official split", ours, baseline)


def main() -> None:
    """Run both."""
    print_header()
    with threadpool_limits(1):
        bench_libsvm()
        try:
            bench_mlknn()
        except UserError as error:
            print(f"MLkNN skipped: {error}")


if __name__ == "__main__":
    main()
