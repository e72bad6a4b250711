"""The two classifiers of the papers: ML-kNN, and binary relevance with libSVM."""

from .base import MultiLabelClassifier
from .mlknn import MLkNN
from .svm import LibSVM

CLASSIFIERS: dict[str, type[MultiLabelClassifier]] = {"mlknn": MLkNN, "libsvm": LibSVM}

__all__ = ["CLASSIFIERS", "LibSVM", "MLkNN", "MultiLabelClassifier"]
