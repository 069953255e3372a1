"""The built-in policies as users know them: names, words, parameters."""

from __future__ import annotations

from typing import Any

from pymacco_sim.games.policy import Parameter, Policy
from pymacco_sim.games.shithead import policies as code


def _play(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("shithead", name, words, "play", parameters, code=number, **more)


def _up(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("shithead", name, words, "face_up", parameters, code=number, **more)


def _down(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("shithead", name, words, "face_down", parameters, code=number, **more)


_PLANNED = ("together", "known")
_KEEP = Parameter("keep", 10, 0, 1000, "places of strength by which burns are kept back while there is a stock")
_FRAGILE = Parameter("fragile", 40, 0, 1000, "places by which a burning rank that may not fit later goes earlier")

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
    _play(
        "hoarder",
        code.HOARDER,
        "hoards what fits on everything, one at a time, and burns last while there is a stock; then sheds all copies, "
        "first of burning ranks that are not wild",
        Parameter("until", 0, 0, 480, "cards in the stock at which the end game begins", whole=True),
        _KEEP,
        _FRAGILE,
        usual=_PLANNED,
    ),
    _play(
        "thinner",
        code.THINNER,
        "sheds multiples first while its hand is large, and burning ranks that are not wild at once",
        Parameter("copies", 1, -1000, 1000, "places of strength that a further copy is worth"),
        Parameter("hand", 3, 0, 480, "hand cards up to which it plays its weakest cards instead", whole=True),
        _FRAGILE,
        usual=_PLANNED,
    ),
    _play(
        "burner",
        code.BURNER,
        "burns sooner than it must, above all with ranks that are not wild",
        Parameter("burn", 2, -1000, 1000, "places of strength that a burn is worth"),
        Parameter("pile", 0, -1000, 1000, "and for every card that burns with it"),
        _FRAGILE,
        usual=_PLANNED,
    ),
    _play(
        "blocker",
        code.BLOCKER,
        "as hoarder, but plays what the next seat can hardly follow once that seat is near the end",
        Parameter("block", 5, 0, 1000, "places of strength that it is worth to be sure that the next seat is stuck"),
        Parameter("few", 0, 0, 480, "hand cards with which the next seat is near the end", whole=True),
        _KEEP,
        _FRAGILE,
        usual=_PLANNED,
    ),
    _up("strongest", code.STRONGEST, "lays the strongest cards: wild and burning ones, then the highest"),
    _up("uniform", code.UNIFORM_UP, "lays any of its cards, all choices equally likely", stochastic=True),
    _up(
        "together",
        code.TOGETHER,
        "lays equal cards together, so that they go in one play; else the strongest",
        Parameter("copies", 15, 0, 1000, "places of strength that every further copy of a rank is worth"),
    ),
    _up(
        "plain",
        code.PLAIN,
        "lays its highest plain cards and keeps wild and burning ones in hand",
        Parameter("keep", 20, 0, 1000, "places of strength by which wild and burning ranks are kept back"),
    ),
    _down("known", code.KNOWN, "the weakest known card that can be played, else an unknown one, else the weakest"),
    _down(
        "prober",
        code.PROBER,
        "an unknown card while failing is cheap, else a known one that fits",
        Parameter("pile", 0, 0, 480, "pile cards up to which it tries an unknown card", whole=True),
        Parameter("weak", 8, 0, 15, "plain rank up to which a known card goes first on an empty pile", whole=True),
    ),
    _down("uniform", code.UNIFORM_DOWN, "any of its face-down cards, all equally likely", stochastic=True),
)
