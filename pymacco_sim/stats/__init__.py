"""Intervals and tests on bare numbers; the mathematics comes from scipy and statsmodels."""
