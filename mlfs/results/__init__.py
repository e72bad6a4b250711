"""Store the records of cells, and read them again without the engine."""
