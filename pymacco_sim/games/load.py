"""The three ways in for a user's policy, and the reading of policy names.

A policy comes from the decorator :func:`policy`, from ``path/to/file.py:name``, or from an entry point of the group
``pymacco_sim.policies``. A name with values is written ``"points:350"``, ``"points:threshold=350"``,
``"my_policies.py:hoarder:greed=0.3"``; decisions of a further part go to another policy with ``+part=name``:
``"hoarder:keep=2+face_up=balanced"``.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pymacco_sim._check import PolicyError, RequestError, point_to_sweep, unknown
from pymacco_sim.games.base import Game
from pymacco_sim.games.policy import Decider, Entrant, Parameter, Policy

ENTRY_POINT_GROUP = "pymacco_sim.policies"

RANGE = re.compile(r"(?:(\w+)=)?(-?[\d.]+(?::-?[\d.]+){1,2})")
"""What looks like a range of a sweep where a policy's values stand."""

_decorated: dict[tuple[str, str, str], Policy] = {}
_modules: dict[tuple[Path, int], ModuleType] = {}


def make_policy(
    game: Game, function: Callable[..., Any], part: str | None, words: str | None, given: Mapping[str, Any]
) -> Policy:
    """Turn a Python function into a :class:`Policy` of `game`.

    Parameters
    ----------
    game : Game
    function : callable
        ``(view, params[, stream])``, or for a game with tabulated policies ``(points, dice, roll, choices[, params])``.
    part : str or None
        Which decisions it takes; None for the game's main part.
    words : str or None
        What it does; None for the first line of its docstring.
    given : mapping
        Parameters: name to default, or to ``(default, low, high)``.

    Raises
    ------
    PolicyError
        If the part, the parameters or the number of arguments do not fit the game.
    """
    name = getattr(function, "__name__", "")
    part = part or game.parts[0]
    if part not in game.parts:
        raise unknown(f"part of {game.name}", part, game.parts)
    if any(p.name == name and p.part == part for p in game.policies):
        raise PolicyError(f"policy {name!r}: {game.name} has a built-in policy of that name; choose another.")
    arity = len(inspect.signature(function).parameters)
    style = "table" if game.table_style and arity in (4, 5) else "compiled"
    if style == "compiled" and arity not in (2, 3):
        shape = " or (points, dice, roll, choices[, params])" if game.table_style else ""
        raise PolicyError(f"policy {name!r} takes {arity} arguments; it must take (view, params[, stream]){shape}.")
    doc = (inspect.getdoc(function) or "").strip().splitlines()
    return Policy(
        game=game.name,
        name=name,
        words=words or (doc[0] if doc else "a user's policy"),
        part=part,
        parameters=tuple(_parameter(name, key, value) for key, value in given.items()),
        stochastic=style == "compiled" and arity == 3,
        function=function,
        style=style,
        source="notebook",
    )


def _parameter(policy: str, name: str, value: Any) -> Parameter:
    if isinstance(value, (tuple, list)) and len(value) == 3:
        default, low, high = value
    else:
        default, low, high = value, -1e12, 1e12
    try:
        numbers = float(default), float(low), float(high)
    except (TypeError, ValueError):
        numbers = (float("nan"),) * 3
    if not numbers[1] <= numbers[0] <= numbers[2]:
        raise PolicyError(
            f"parameter {name!r} of policy {policy!r} is {value!r}; give a number or (default, lowest, highest)."
        )
    return Parameter(name, *numbers)


def decorate(
    game: Game, part: str | None = None, words: str | None = None, **parameters: Any
) -> Callable[[Callable[..., Any]], Policy]:
    """Return the decorator that makes a function a policy of `game` and remembers it by name."""

    def wrap(function: Callable[..., Any]) -> Policy:
        made = make_policy(game, function, part, words, parameters)
        _decorated[made.game, made.part, made.name] = made
        return made

    return wrap


def known_policies(game: Game) -> list[Policy]:
    """Return the built-in policies of a game, then the ones decorated in this process and those of entry points."""
    own = [policy for (family, _, _), policy in _decorated.items() if family == game.name]
    installed = [found for point in entry_points(group=ENTRY_POINT_GROUP) if (found := _from_entry(game, point))]
    return [*game.policies, *own, *installed]


def _from_entry(game: Game, point: Any) -> Policy | None:
    try:
        loaded = point.load()
    except Exception as error:
        raise PolicyError(f"entry point {point.name!r} ({point.value}) does not load: {error}.") from error
    if not isinstance(loaded, Policy) or loaded.game != game.name:
        return None
    return loaded


def find_policy(game: Game, name: str, part: str | None = None) -> Policy:
    """Return the policy of that name for a part: built-in, decorated, or of an entry point."""
    part = part or game.parts[0]
    candidates = [policy for policy in game.policies if policy.part == part]
    for policy in candidates:
        if policy.name == name.lower():
            return policy
    candidates = [policy for policy in known_policies(game) if policy.part == part]
    for policy in candidates:
        if policy.name == name:
            return policy
    raise unknown(f"{game.spoken} policy", name, [policy.name for policy in candidates])


def load_file(game: Game, path: str, name: str) -> Policy:
    """Return policy `name` of a Python file.

    Raises
    ------
    PolicyError
        If the file is missing, does not run, or holds no such policy for this game.
    """
    module = _load_module(Path(path))
    found = getattr(module, name, None)
    if found is None:
        fitting = [key for key, value in vars(module).items() if isinstance(value, Policy) or inspect.isfunction(value)]
        raise PolicyError(str(unknown(f"policy in {path}", name, fitting)))
    if inspect.isfunction(found):
        found = make_policy(game, found, None, None, {})
    if not isinstance(found, Policy):
        raise PolicyError(f"{name!r} in {path} is a {type(found).__name__}; it must be a function or a policy.")
    if found.game != game.name:
        raise PolicyError(f"policy {name!r} in {path} is written for {found.game}, not for {game.name}.")
    return Policy(**{**vars(found), "source": path})


def _load_module(path: Path) -> ModuleType:
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        raise PolicyError(f"policy file {str(path)!r} is not there; write path/to/file.py:name.") from None
    key = path.resolve(), stamp
    if key not in _modules:
        module_name = f"pymacco_sim_user_{path.stem}_{stamp}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None:
            raise PolicyError(f"policy file {str(path)!r} is no Python file.")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except SyntaxError as error:
            raise PolicyError(
                f"policy file {str(path)!r} does not parse (line {error.lineno}): {error.msg}."
            ) from error
        except RequestError as error:
            raise PolicyError(f"policy file {str(path)!r}: {error}") from error
        except Exception as error:
            raise PolicyError(f"policy file {str(path)!r} does not run: {type(error).__name__}: {error}.") from error
        _modules[key] = module
    return _modules[key]


def parse_entrant(game: Game, spec: object) -> Entrant:
    """Return the entrant that a name, a policy or a decider stands for.

    Parameters
    ----------
    game : Game
    spec : str, Policy, Decider or Entrant

    Raises
    ------
    RequestError
        If a name, a parameter or a value is not known or not allowed.
    """
    if isinstance(spec, Entrant):
        return spec
    if isinstance(spec, str):
        marks = "|".join(re.escape(part) for part in game.parts[1:])
        pieces = re.split(rf"\+(?=(?:{marks})=)", spec) if marks else [spec]
        main = parse_decider(game, pieces[0])
        asked = dict(piece.split("=", 1) for piece in pieces[1:])
    elif isinstance(spec, (Policy, Decider)):
        main, asked = parse_decider(game, spec), {}
    elif callable(spec):
        main, asked = parse_decider(game, make_policy(game, spec, None, None, {})), {}
    else:
        raise RequestError(f"policy is {spec!r}; give a name, such as {game.policies[0].name!r}, or a function.")
    if main.policy.part != game.parts[0]:
        raise RequestError(
            f"policy {main.policy.name!r} takes {main.policy.part} decisions only; add it to a line as "
            f"'{game.policies[0].name}+{main.policy.part}={main.policy.name}'."
        )
    usual = main.policy.usual or game.default_parts
    rest = [parse_decider(game, asked.get(part, name), part) for part, name in zip(game.parts[1:], usual, strict=True)]
    return Entrant((main, *rest), tuple(usual))


def parse_decider(game: Game, spec: str | Policy | Decider, part: str | None = None) -> Decider:
    """Return one policy with its values from ``"name[:value or :key=value]..."``, a policy or a decider."""
    if isinstance(spec, Decider):
        return spec
    if isinstance(spec, Policy):
        if spec.game != game.name:
            raise RequestError(f"policy {spec.name!r} is written for {spec.game}, not for {game.spoken}.")
        return Decider(spec, spec.values({}))
    match = re.match(r"^(.*\.py)(?::([^:]*))?(?::(.*))?$", spec)
    if match:
        path, name, rest = match.group(1), match.group(2), match.group(3)
        if not name:
            raise RequestError(f"policy {spec!r} names a file only; write {path}:NAME.")
        policy = load_file(game, path, name)
    else:
        name, _, rest = spec.partition(":")
        policy = find_policy(game, name.strip(), part)
    try:
        return Decider(policy, policy.values(_read_values(policy, rest.split(":") if rest else [])))
    except RequestError as error:
        span = RANGE.fullmatch(rest or "")
        if span is None or not policy.parameters:
            raise
        name = span.group(1) or policy.parameters[0].name
        raise RequestError(f"{error} {point_to_sweep(f'--{name} {span.group(2)}')}") from error


def _read_values(policy: Policy, texts: list[str]) -> dict[str, str]:
    names = [parameter.name for parameter in policy.parameters]
    given: dict[str, str] = {}
    for position, text in enumerate(texts):
        key, mark, value = text.partition("=")
        if not mark:
            if position >= len(names):
                raise RequestError(
                    f"policy {policy.name!r} has no place for {text!r}; its parameters are "
                    f"{', '.join(names) or 'none'}."
                )
            key, value = names[position], text
        given[key.strip()] = value.strip()
    return given
