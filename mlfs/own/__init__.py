"""What a person does with data of their own: choose features, fill in labels, compare methods."""
