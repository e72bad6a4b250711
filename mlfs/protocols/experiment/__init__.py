"""An experiment as a config describes it: its keys, one file each."""
