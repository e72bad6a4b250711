"""The Bayesian compressed-sensing model of multi-label data."""

from .compressed_sensing import BayesianCompressedSensing as BayesianCompressedSensing
