"""Multi-label metrics as the papers computed them, and two measures of a clustering.

Scores S and labels Y or P are n x l arrays; a larger score means more relevant. ``ties`` chooses
how to treat equal scores, and instances that have all labels or no label:

- "zhang" (default) follows the MATLAB scripts of Zhang and Zhou, which nearly every paper uses.
  Among equal scores the larger label index ranks higher. Instances with all or no labels are left
  out of average precision, ranking loss and one-error (nan if none remains).
- "sklearn" follows scikit-learn. Equal scores share their worst rank, and every instance counts.

Y may have unknown labels: nan, None, pd.NA, or masked entries of a masked array. Every metric is
then computed over the known ones:

- Metrics that rank the labels of an instance (average precision, ranking loss, one-error, coverage,
  precision at k) rank its known labels. An instance counts if it has a known relevant and a known
  irrelevant label. Normalised coverage divides by the number of its known labels; precision at k
  looks at all of them if they are fewer than k.
- Metrics of labels (names with macro) use the instances where a label is known; a label without the
  known values that it needs is left out of the mean.
- The others (Hamming loss, names with micro) use all known entries. An instance matches exactly if
  all its known labels are right; for the Jaccard index of samples its known labels count.

With a complete Y nothing is left out.
"""

from __future__ import annotations

from .counting import (
    acc,
    exact_match,
    f1_by_label,
    hamming_loss,
    macro_f1,
    macro_jaccard,
    micro_f1,
    micro_jaccard,
    nmi,
    samples_jaccard,
)
from .label_wise import (
    auc_by_label,
    average_precision_by_label,
    macro_auc,
    macro_average_precision,
    micro_auc,
)
from .metric import METRICS, Metric, evaluate
from .probabilities import brier_score, expected_calibration_error
from .ranking import average_precision, coverage, one_error, precision_at_k, ranking_loss
from .scoring import scorer

__all__ = [
    "METRICS",
    "Metric",
    "acc",
    "auc_by_label",
    "average_precision",
    "average_precision_by_label",
    "brier_score",
    "coverage",
    "evaluate",
    "exact_match",
    "expected_calibration_error",
    "f1_by_label",
    "hamming_loss",
    "macro_auc",
    "macro_average_precision",
    "macro_f1",
    "macro_jaccard",
    "micro_auc",
    "micro_f1",
    "micro_jaccard",
    "nmi",
    "one_error",
    "precision_at_k",
    "ranking_loss",
    "samples_jaccard",
    "scorer",
]
