"""The built-in policies as users know them: names, words, parameters."""

from __future__ import annotations

from typing import Any

from pymacco_sim.games.base import Parameter, Policy
from pymacco_sim.games.shithead import policies as code


def _play(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("shithead", name, words, "play", parameters, code=number, **more)


def _up(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("shithead", name, words, "face_up", parameters, code=number, **more)


def _down(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("shithead", name, words, "face_down", parameters, code=number, **more)


POLICIES = (
    _play("lowest", code.LOWEST, "plays the weakest legal rank, all copies"),
    _play("highest", code.HIGHEST, "plays the strongest legal rank, all copies"),
    _play("single", code.SINGLE, "plays one copy of the weakest legal rank"),
    _play(
        "random",
        code.RANDOM,
        "plays any legal rank and number of copies, all pairs equally likely",
        stochastic=True,
        usual=("uniform", "uniform"),
    ),
    _up("strongest", code.STRONGEST, "lays the strongest cards: wild and burning ones, then the highest"),
    _up("uniform", code.UNIFORM_UP, "lays any of its cards, all choices equally likely", stochastic=True),
    _down("known", code.KNOWN, "the weakest known card that can be played, else an unknown one, else the weakest"),
    _down("uniform", code.UNIFORM_DOWN, "any of its face-down cards, all equally likely", stochastic=True),
)
