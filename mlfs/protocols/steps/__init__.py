"""The steps of a cell that several protocols share."""
