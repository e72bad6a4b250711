"""The packages of the wheel: all of mlfs, and two folders that stand at the top of the checkout."""

from setuptools import find_namespace_packages, setup

setup(
    packages=[
        *find_namespace_packages(include=["mlfs", "mlfs.*"]),
        "mlfs.configs",
        "mlfs.reference",
    ]
)
