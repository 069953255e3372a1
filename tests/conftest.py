"""Settings that all tests share."""

from __future__ import annotations

import matplotlib
from hypothesis import HealthCheck, settings

matplotlib.use("Agg")
# The first call of a kernel compiles it, so no single example has a time limit.
settings.register_profile("compiled", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("compiled")
