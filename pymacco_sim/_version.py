"""The version; part of every manifest."""

__version__ = "0.1.0"
