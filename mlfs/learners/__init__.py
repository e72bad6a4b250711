"""Learners from incomplete labels, one file each; a new one is a file and a registry line."""

from ..classifiers.base import MultiLabelClassifier
from .fasttag import FastTag
from .glocal import GLOCAL
from .jfsc import JFSC
from .leml import LEML
from .llsf import LLSF
from .lsml import LSML
from .ml2 import ML2
from .rmfl import RMFL

LEARNERS: dict[str, type[MultiLabelClassifier]] = {
    "rmfl": RMFL,
    "fasttag": FastTag,
    "leml": LEML,
    "glocal": GLOCAL,
    "lsml": LSML,
    "ml2": ML2,
    "jfsc": JFSC,
    "llsf": LLSF,
}

__all__ = ["GLOCAL", "JFSC", "LEARNERS", "LEML", "LLSF", "LSML", "ML2", "RMFL", "FastTag"]
