"""How much of a paper holds: comparison, scorecard, claims, audit."""
