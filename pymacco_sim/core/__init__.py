"""Compiled helpers that the games share: random streams, calls into user policies, counting."""
