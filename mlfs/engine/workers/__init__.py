"""The processes that run cells: on this machine, or on a dask cluster."""
