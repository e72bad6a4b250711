"""What all results of a comparison say together: who wins, by how much, and where."""
