"""All results on one HTML page that needs no other file."""
