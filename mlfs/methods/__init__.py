"""What a method is: labels, base classes, tags, and how methods are found."""
