"""The built-in policies as users know them: names, words, parameters."""

from __future__ import annotations

from typing import Any

from pymacco_sim.games.base import Parameter, Policy
from pymacco_sim.games.macao import policies as code


def _play(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("macao", name, words, "play", parameters, code=number, **more)


def _suit(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("macao", name, words, "suit", parameters, code=number, **more)


POLICIES = (
    _play("random", code.RANDOM, "any legal action, all equally likely", stochastic=True, usual=("uniform",)),
    _play("greedy", code.GREEDY, "plays whenever it can, the card with the most penalty points first"),
    _play("thrifty", code.THRIFTY, "plays whenever it can, the card with the fewest penalty points first"),
    _suit("longest", code.LONGEST, "names the suit it holds most of"),
    _suit("uniform", code.UNIFORM, "names any suit, all equally likely", stochastic=True),
)
