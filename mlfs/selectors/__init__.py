"""Feature selectors, one file each; a new one is a file and a line in the registry below."""

from .base import Ranker
from .cmfs import CMFS
from .fsasl import FSASL
from .fsnm import FSNM
from .gmfs import GMFS
from .l20alm import L20ALM
from .lasso import Lasso
from .mcfs import MCFS
from .mddm import MDDM
from .mfsef import MFSEF
from .mfsls import MFSLS
from .mifs import MIFS
from .mlmlfs import MLMLFS
from .pmu import PMU
from .semfs import SemFS
from .sfus import SFUS
from .topmi import TopMutualInformation
from .trivial import AllFeatures, RandomSelector
from .wknn import WkNN

SELECTORS: dict[str, type[Ranker]] = {
    "all": AllFeatures,
    "cmfs": CMFS,
    "fsnm": FSNM,
    "gmfs": GMFS,
    "mifs": MIFS,
    "mlmlfs": MLMLFS,
    "sfus": SFUS,
    "random": RandomSelector,
    "fsasl": FSASL,
    "l20alm": L20ALM,
    "lasso": Lasso,
    "mcfs": MCFS,
    "semfs": SemFS,
    "wknn": WkNN,
    "mddm": MDDM,
    "mfsef": MFSEF,
    "mfsls": MFSLS,
    "pmu": PMU,
    "top_mi": TopMutualInformation,
}

__all__ = [
    "CMFS",
    "FSASL",
    "FSNM",
    "GMFS",
    "L20ALM",
    "MCFS",
    "MDDM",
    "MFSEF",
    "MFSLS",
    "MIFS",
    "MLMLFS",
    "PMU",
    "SELECTORS",
    "SFUS",
    "AllFeatures",
    "Lasso",
    "RandomSelector",
    "Ranker",
    "SemFS",
    "TopMutualInformation",
    "WkNN",
]
