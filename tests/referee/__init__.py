"""Plain-Python referees, written from the rules pages alone."""
