"""Files, processes and memory of this machine; no other room is needed."""
