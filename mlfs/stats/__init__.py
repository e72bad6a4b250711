"""Statistical tests that compare methods over datasets, and the stability of chosen features."""

from .bayesian import BayesianResult, bayesian_signed_rank
from .friedman import (
    FriedmanResult,
    bonferroni_dunn_cd,
    friedman,
    friedman_of_ranks,
    nemenyi_cd,
    rank_rows,
)
from .paired import (
    PairedResult,
    holm,
    holm_wilcoxon,
    paired_t,
    rank_biserial,
    smallest_wilcoxon_p,
    wilcoxon,
)
from .stability import StabilityResult, jaccard, stability, stability_index

__all__ = [
    "BayesianResult",
    "FriedmanResult",
    "PairedResult",
    "StabilityResult",
    "bayesian_signed_rank",
    "bonferroni_dunn_cd",
    "friedman",
    "friedman_of_ranks",
    "holm",
    "holm_wilcoxon",
    "jaccard",
    "nemenyi_cd",
    "paired_t",
    "rank_biserial",
    "rank_rows",
    "smallest_wilcoxon_p",
    "stability",
    "stability_index",
    "wilcoxon",
]
