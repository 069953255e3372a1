"""Exact Macke: what Monte Carlo estimates, worked out; the best plans; advice for any roll.

>>> import pymacco_sim as pm
>>> round(pm.exact.evaluate("macke", "points:350").figures["turns_mean"], 4)
21.9206
>>> round(pm.exact.solve("macke", goal="session").value(), 4)
17.7458
>>> print(pm.exact.advise("macke", roll=[1, 1, 5, 2, 4], points=300).sentence)
Keep 1 1 5 and stop.
"""

from pymacco_sim.exact.advice import Advice, advise
from pymacco_sim.exact.evaluation import Distribution, Evaluation, evaluate
from pymacco_sim.exact.ranking import rank
from pymacco_sim.exact.solution import Solution, solve

__all__ = ["Advice", "Distribution", "Evaluation", "Solution", "advise", "evaluate", "rank", "solve"]

ENGINE = "the exact solver"
"""What is being compiled at the first run, in words."""
