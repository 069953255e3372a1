"""Settings that all tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import matplotlib
import pytest
from hypothesis import HealthCheck, settings

matplotlib.use("Agg")
# The first call of a kernel compiles it, so no single example has a time limit.
settings.register_profile("compiled", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("compiled")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """No test leaves figures open: Matplotlib warns of the twenty-first."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
