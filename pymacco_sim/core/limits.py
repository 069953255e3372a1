"""Sizes that records share; without the compiler, so that rules and policies can be listed at once."""

MAX_PARAMETERS = 8
"""Most parameters that one policy may have."""
