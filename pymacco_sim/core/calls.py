"""Call a user's policy from a compiled engine without recompiling the engine.

A policy is compiled once into a C function of five addresses, and the engine gets that function's address as a
plain int64. So any line-up runs in an engine that came from the disk cache. The policy itself never sees an
address: the wrapper turns them into the game's view, which holds what a player may see and nothing else.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from pymacco_sim._jit import JIT, inline
from pymacco_sim.core.limits import MAX_PARAMETERS

RAISED = -(2**62)
"""Decision that stands for an exception raised inside a policy."""

_INNER: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Functions that only compiled code calls: without the wrappers a policy compiles a fifth faster."""

_python_policies: list[Callable[..., int]] = []


@intrinsic
def _address(typingctx: Any, target: Any) -> Any:
    """Address of the first byte of an array's data or of a record."""
    signature = types.int64(target)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = args[0]
        if isinstance(signature.args[0], types.Array):
            pointer = context.make_array(signature.args[0])(context, builder, pointer).data
        return builder.ptrtoint(pointer, cgutils.intp_t)

    return signature, generate


@intrinsic
def _pointer(typingctx: Any, address: Any) -> Any:
    """Turn an int64 address back into a pointer for ``carray``."""
    signature = types.voidptr(address)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return signature, generate


@intrinsic
def _call(typingctx: Any, function: Any, state: Any, seat: Any, rules: Any, params: Any, stream: Any) -> Any:
    """Call the C function at an address with five int64 arguments."""
    signature = types.int64(*[types.int64] * 6)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(word, [word] * 5).as_pointer())
        return builder.call(function, args[1:])

    return signature, generate


@intrinsic
def _frozen_jit(typingctx: Any, array: Any) -> Any:
    """Retype an array as read-only; the compiler then refuses writes."""
    signature = array.copy(readonly=True)(array)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core.imputils import impl_ret_borrowed

        return impl_ret_borrowed(context, builder, signature.return_type, args[0])

    return signature, generate


def frozen(array):
    """Return the same `array` (a slice of a record's field, not the field itself), read-only.

    For views: a policy that writes into one does not compile, and raises in plain Python.
    """
    same = array.view()
    same.flags.writeable = False
    return same


@overload(frozen)
def _frozen(array):
    return lambda array: _frozen_jit(array)


def _ask_jit(function: Any, state: Any, seat: Any, rules: Any, params: Any, stream: Any) -> Any:
    return _call(function, _address(state), np.int64(seat), _address(rules), _address(params), _address(stream))


def _ask_python(function: Any, state: Any, seat: Any, rules: Any, params: Any, stream: Any) -> Any:
    return _python_policies[function](state, seat, rules, params, stream)


ask = inline(_ask_jit) if JIT else _ask_python
ask.__doc__ = """Ask the user's policy at address `function` for the decision of `seat`: an int64.

`state` and `rules` are records of the dtypes the policy was compiled for, `params` its float64 row, `stream` the
uint32[4] of its own randomness. An exception inside the policy comes back as :data:`RAISED`.
"""


@dataclass(frozen=True)
class Compiled:
    """A compiled policy: its address, and what must stay alive while the address is in use."""

    address: int
    keep: Any = field(repr=False, default=None)


def compile_policy(
    function: Callable[..., int],
    make_view: Any,
    state_dtype: np.dtype,
    rules_dtype: np.dtype,
    parameters: tuple[str, ...],
    takes_stream: bool,
) -> Compiled:
    """Compile ``function(view, params[, stream])`` for calls by :func:`ask`.

    Parameters
    ----------
    function : callable
        The user's Python function; returns an integer decision.
    make_view : jitted callable
        ``(state, seat, rules) -> namedtuple`` of what that seat may see.
    state_dtype, rules_dtype : numpy.dtype
        Structured dtypes of the game's state and rules records.
    parameters : tuple of str
        Names under which `params` offers its values; at most :data:`MAX_PARAMETERS`.
    takes_stream : bool
        Whether the function wants its random stream as a third argument.

    Returns
    -------
    Compiled

    Raises
    ------
    numba.core.errors.NumbaError
        If the function does not compile; the caller words the error.
    """
    names = parameters or ("none",)
    count = len(names)
    bundle = namedtuple("params", names)  # type: ignore[misc]
    if not JIT:
        return _register_python(function, make_view, bundle, count, takes_stream)
    body = numba.njit(error_model="numpy", nogil=True, **_INNER)(function)
    read = _reader(bundle, count)
    decide = _decider(body, takes_stream)

    @numba.cfunc("int64(int64,int64,int64,int64,int64)", error_model="numpy", nogil=True)
    def wrapper(state: Any, seat: Any, rules: Any, params: Any, stream: Any) -> Any:
        table = carray(_pointer(state), 1, state_dtype)[0]
        law = carray(_pointer(rules), 1, rules_dtype)[0]
        values = carray(_pointer(params), MAX_PARAMETERS, np.float64)
        draws = carray(_pointer(stream), 4, np.uint32)
        try:
            return np.int64(decide(make_view(table, seat, law), read(values), draws))
        except Exception:
            return RAISED

    return Compiled(int(wrapper.address or 0), wrapper)


def _decider(body: Any, takes_stream: bool) -> Any:
    if takes_stream:
        return numba.njit(error_model="numpy", **_INNER)(lambda view, params, stream: body(view, params, stream))
    return numba.njit(error_model="numpy", **_INNER)(lambda view, params, stream: body(view, params))


def _reader(bundle: Any, count: int) -> Any:
    """Build a jitted ``values -> namedtuple``; numba unpacks a tuple only when its length is a constant."""
    from numba.cpython.unsafe.tuple import tuple_setitem

    blank = (0.0,) * count

    @numba.njit(error_model="numpy")
    def read(values: Any) -> Any:
        row = blank
        for index in range(count):
            row = tuple_setitem(row, index, values[index])
        return bundle(*row)

    return read


def _register_python(function: Any, make_view: Any, bundle: Any, count: int, takes_stream: bool) -> Compiled:
    def call(state: Any, seat: int, rules: Any, params: Any, stream: Any) -> int:
        view, values = make_view(state, seat, rules), bundle(*params[:count])
        try:
            return int(function(view, values, stream) if takes_stream else function(view, values))
        except Exception:
            return RAISED

    _python_policies.append(call)
    return Compiled(len(_python_policies) - 1)
