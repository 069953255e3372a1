"""Monte Carlo for game strategies: millions of games under pluggable policies, with honest error bars.

>>> import pymacco_sim as pm
>>> table = pm.sweep("macke", "points", {"threshold": range(200, 401, 50)}, n_games=2000, seed=1)
>>> table.columns[:2].tolist()
['method', 'threshold']

Names are imported on first use, so that ``import pymacco_sim`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pymacco_sim import games
from pymacco_sim._check import PolicyError, RequestError
from pymacco_sim._version import __version__

if TYPE_CHECKING:
    from pymacco_sim import exact
    from pymacco_sim.catalog import policies, policy, rules
    from pymacco_sim.comparison import Comparison, compare
    from pymacco_sim.convergence import converge
    from pymacco_sim.experiments import run_experiment
    from pymacco_sim.house_rules import RuleComparison, compare_rules
    from pymacco_sim.replays import Replay, replay
    from pymacco_sim.search import find_game
    from pymacco_sim.simulation import Result, simulate
    from pymacco_sim.sweeps import sweep
    from pymacco_sim.tournaments import Tournament, tournament

_WHERE = {
    "policies": "catalog",
    "policy": "catalog",
    "rules": "catalog",
    "simulate": "simulation",
    "Result": "simulation",
    "sweep": "sweeps",
    "compare": "comparison",
    "Comparison": "comparison",
    "converge": "convergence",
    "compare_rules": "house_rules",
    "RuleComparison": "house_rules",
    "find_game": "search",
    "replay": "replays",
    "Replay": "replays",
    "tournament": "tournaments",
    "Tournament": "tournaments",
    "run_experiment": "experiments",
}

__all__ = [
    "Comparison",
    "PolicyError",
    "Replay",
    "RequestError",
    "Result",
    "RuleComparison",
    "Tournament",
    "__version__",
    "compare",
    "compare_rules",
    "converge",
    "exact",
    "find_game",
    "games",
    "policies",
    "policy",
    "replay",
    "rules",
    "run_experiment",
    "simulate",
    "sweep",
    "tournament",
]


class _ListedPackage(ModuleType):
    """The package :mod:`pymacco_sim.games`; called, it lists the games."""

    def __call__(self) -> Any:
        """Return the games and presets; see :func:`pymacco_sim.catalog.list_games`."""
        return import_module(f"{__name__}.catalog").list_games()


games.__class__ = _ListedPackage


def __getattr__(name: str) -> Any:
    if name == "exact":
        return import_module(f"{__name__}.exact")
    if name in _WHERE:
        value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
