"""From entrants to what a kernel reads: one record a seat, with the code, address and parameters of each part."""

from __future__ import annotations

import inspect
import sys
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from pymacco_sim._check import PolicyError
from pymacco_sim.core.calls import Compiled
from pymacco_sim.core.limits import MAX_PARAMETERS
from pymacco_sim.games.policy import Decider, Entrant

MAX_PARTS = 3
"""Most kinds of decision that a game may have."""

LINEUP = np.dtype(
    [
        ("code", np.int64, (MAX_PARTS,)),
        ("address", np.int64, (MAX_PARTS,)),
        ("params", np.float64, (MAX_PARTS, MAX_PARAMETERS)),
    ],
    align=True,
)
"""One seat: for each part the built-in's code (-1: a user's), the user's address and the parameter row."""

MAX_LINES = 200_000
"""Lines of Python that one decision may take in rehearsal before it counts as endless."""

_compiled: dict[Any, Compiled] = {}

CompilePolicy = Callable[[Any, str, tuple[str, ...], bool], Compiled]


def pack_lineup(entrants: Sequence[Entrant], compile_part: CompilePolicy) -> tuple[np.ndarray, list[Compiled]]:
    """Pack a line-up for the kernels, compiling every user's policy once.

    Parameters
    ----------
    entrants : sequence of Entrant
    compile_part : callable
        ``(function, part, parameter names, takes_stream) -> Compiled``, the game's way to compile one part.

    Returns
    -------
    lineup : numpy.recarray of :data:`LINEUP`, one record an entrant
    keep : list of Compiled
        To be kept alive as long as `lineup` is used.

    Raises
    ------
    PolicyError
        If a user's policy does not compile.
    """
    lineup = np.zeros(len(entrants), dtype=LINEUP).view(np.recarray)
    keep = []
    for record, entrant in zip(lineup, entrants, strict=True):
        for index, decider in enumerate(entrant.deciders):
            record.code[index] = decider.policy.code
            record.params[index] = decider.encoded()
            if decider.policy.code < 0:
                keep.append(compile_user(decider, compile_part))
                record.address[index] = keep[-1].address
    return lineup, keep


def compile_user(decider: Decider, compile_part: CompilePolicy) -> Compiled:
    """Compile one user's policy, once a process.

    A failure is worded with the policy's name and the compiler's own first reason.
    """
    policy = decider.policy
    names = tuple(parameter.name for parameter in policy.parameters)
    key = (compile_part, policy.function, policy.part, names, policy.stochastic)
    if key in _compiled:
        return _compiled[key]
    try:
        _compiled[key] = compile_part(policy.function, policy.part, names, policy.stochastic)
        return _compiled[key]
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reasons = [line for line in lines if not line.startswith(("Failed in", "During", "File", "<source", "-"))]
        where = next((line for line in lines if line.startswith("File ") and "line" in line), "")
        raise PolicyError(
            f"policy {policy.name!r} does not compile: {reasons[0] if reasons else type(error).__name__} {where}"
        ) from error


def call_guarded(policy_name: str, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a user's function in plain Python, with its own exceptions named and endless loops cut off.

    Used to rehearse a policy on real positions before it is compiled: compiled code neither reports a wrong index
    nor can be interrupted.

    Raises
    ------
    PolicyError
        If the function raises, or runs longer than :data:`MAX_LINES` lines.

    Examples
    --------
    >>> call_guarded("half", lambda x: x // 2, (8,))
    4
    """
    lines, steps, compiling = MAX_LINES, 20 * MAX_LINES, 0

    def leave(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal compiling
        compiling -= event == "return"
        return leave

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines, steps, compiling
        if compiling:
            return None
        if event == "call" and str(frame.f_globals.get("__name__")).startswith("numba."):
            compiling += 1  # a helper is compiled at its first call: that is not the policy's time
            frame.f_trace_lines = False
            return leave
        frame.f_trace_opcodes = True  # a loop on a single line may have no line events
        steps -= 1
        lines -= event == "line"
        if lines < 0 or steps < 0:
            raise _EndlessError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return function(*arguments)
    except _EndlessError:
        raise PolicyError(
            f"policy {policy_name!r} seems endless: one decision took over {MAX_LINES:,} lines of Python."
        ) from None
    except Exception as error:
        line = error.__traceback__.tb_next.tb_lineno if error.__traceback__ and error.__traceback__.tb_next else 0
        place = f"{inspect.getsourcefile(function) or 'its source'}, line {line}"
        raise PolicyError(f"policy {policy_name!r} raised {type(error).__name__}: {error} ({place}).") from error
    finally:
        sys.settrace(before)


def rehearse(
    decider: Decider,
    positions: Iterable[tuple[Any, np.ndarray]],
    judge: Callable[[int, int], str | None],
) -> None:
    """Let a user's policy decide on sampled positions in plain Python, before it is compiled.

    Parameters
    ----------
    decider : Decider
    positions : iterable of (view, uint32[4])
        What the policy sees, with arrays read-only, and its random stream.
    judge : callable
        ``(position, decision) -> None`` if that decision is legal there, else what is wrong with it, in words.

    Raises
    ------
    PolicyError
        If the policy raises, writes into its view, seems endless, returns no whole number, decides against the rules,
        or decides differently when asked twice without a random stream.
    """
    policy = decider.policy
    names = tuple(parameter.name for parameter in policy.parameters) or ("none",)
    params = namedtuple("params", names)(*decider.encoded()[: len(names)])
    assert policy.function is not None
    for index, (view, stream) in enumerate(positions):
        arguments = (view, params, stream) if policy.stochastic else (view, params)
        decision = call_guarded(policy.name, policy.function, arguments)
        if isinstance(decision, (bool, np.bool_)) or not isinstance(decision, (int, np.integer)):
            raise PolicyError(
                f"policy {policy.name!r} returned {decision!r}, a {type(decision).__name__}; it must return an int."
            )
        wrong = judge(index, int(decision))
        if wrong is not None:
            raise PolicyError(f"policy {policy.name!r} took an illegal decision in rehearsal: {wrong}.")
        if not policy.stochastic and call_guarded(policy.name, policy.function, arguments) != decision:
            raise PolicyError(
                f"policy {policy.name!r} decides differently when asked twice; one that draws random numbers takes "
                "them from a third argument, its stream."
            )


class _EndlessError(BaseException):
    """Raised by the tracer to leave a loop that does not end."""
