"""The built-in policies as users know them: names, words, parameters."""

from __future__ import annotations

from typing import Any

from pymacco_sim.games.macao import policies as code
from pymacco_sim.games.policy import Parameter, Policy


def _play(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("macao", name, words, "play", parameters, code=number, **more)


def _suit(name: str, number: int, words: str, *parameters: Parameter, **more: Any) -> Policy:
    return Policy("macao", name, words, "suit", parameters, code=number, **more)


def _danger(default: int) -> Parameter:
    return Parameter("danger", default, 0, 100, "cards of some rival at which it starts to shed points", whole=True)


POLICIES = (
    _play("random", code.RANDOM, "any legal action, all equally likely", stochastic=True, usual=("uniform",)),
    _play("greedy", code.GREEDY, "plays whenever it can, the card with the most penalty points first"),
    _play("thrifty", code.THRIFTY, "plays whenever it can, the card with the fewest penalty points first"),
    _play(
        "dumper",
        code.DUMPER,
        "plays the cheapest cards first until a rival has few cards left, then the dearest",
        _danger(1),
    ),
    _play(
        "planner",
        code.PLANNER,
        "searches its hand for the chain that sheds the most, and goes out whenever some chain does",
        Parameter("card", 5, 0, 1000, "what a card less is worth, in penalty points, beside its own"),
        Parameter("budget", 400, 1, 100_000, "cards tried in one search", whole=True),
    ),
    _play(
        "saver",
        code.SAVER,
        "plans chains, but keeps answers to penalties and aces back until a rival has few cards left",
        Parameter("answer", 10, -1000, 1000, "what keeping a card that attacks or answers is worth, in points"),
        Parameter("wild", 40, -1000, 1000, "what keeping a card that names suits is worth, in points"),
        _danger(2),
    ),
    _play(
        "holder",
        code.HOLDER,
        "draws, and holds its cards until one chain sheds them all; gives up when a rival has few cards left",
        _danger(4),
    ),
    _play(
        "attacker",
        code.ATTACKER,
        "plans chains that leave draws for the next seat when it is near the end or leads the match",
        Parameter("attack", 5, 0, 1000, "what a card that the next seat must draw is worth when it is near the end"),
        Parameter("near", 2, 0, 100, "cards with which the next seat is near the end", whole=True),
        Parameter("leader", 2, 0, 1000, "what such a card is worth when the next seat has the lowest total"),
    ),
    _suit("longest", code.LONGEST, "names the suit it holds most of"),
    _suit("uniform", code.UNIFORM, "names any suit, all equally likely", stochastic=True),
    _suit(
        "scarce",
        code.SCARCE,
        "names a suit that it holds and that has been played often, so that rivals should lack it",
        Parameter("own", 1, 0, 100, "weight of a card of the suit in the own hand"),
        Parameter("seen", 0.2, 0, 100, "weight of a card of the suit already played"),
    ),
)
