"""Which of many estimates is best, and which cannot be told from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pymacco_sim.stats.intervals import LEVEL


def find_best(
    values: Sequence[float], errors: Sequence[float], more_is_better: bool, level: float = LEVEL
) -> tuple[int, np.ndarray]:
    """Return the position of the best value and which ones cannot be told from it.

    Parameters
    ----------
    values, errors : sequence of float
        Estimates and their standard errors; NaN counts as unknown and is never best.
    more_is_better : bool
    level : float
        Probability that the marked set holds the truly best one.

    Returns
    -------
    best : int
    together : bool[n]
        True for the best and for all whose difference from it is within its simultaneous interval.

    Notes
    -----
    Multiple comparisons with the best (J. C. Hsu, *Multiple Comparisons*, 1996), with Bonferroni's bound for the
    number of comparisons and errors taken as independent. On common random numbers estimates are positively
    correlated, so the set is then on the safe (large) side; :func:`pymacco_sim.compare` uses the pairing.

    Examples
    --------
    >>> best, together = find_best([1.0, 2.0, 1.99], [0.01, 0.01, 0.01], True)
    >>> best, together.tolist()
    (1, [False, True, True])
    """
    from scipy.stats import norm

    signed = np.asarray(values, dtype=float) * (1 if more_is_better else -1)
    spread = np.asarray(errors, dtype=float)
    known = np.isfinite(signed)
    if not known.any():
        raise ValueError("no value is known")
    best = int(np.nanargmax(np.where(known, signed, -np.inf)))
    comparisons = max(int(known.sum()) - 1, 1)
    z = norm.ppf(1 - (1 - level) / comparisons)
    reach = z * np.sqrt(np.nan_to_num(spread) ** 2 + np.nan_to_num(spread[best]) ** 2)
    together = known & (signed[best] - np.where(known, signed, -np.inf) <= reach)
    return best, together
