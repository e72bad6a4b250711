"""The user's own data: how to read them, and their catalogue."""
