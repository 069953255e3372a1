"""Hints to the compiler that change nothing but speed."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic, overload


@intrinsic
def _expect_false(typingctx: Any, condition: Any) -> Any:
    signature = types.boolean(types.boolean)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        value = builder.trunc(args[0], bit) if args[0].type != bit else args[0]
        return builder.call(expect, [value, ir.Constant(bit, 0)])

    return signature, generate


def unlikely(condition):
    """Return `condition` (a bool), which is rarely true: its code is kept off the straight path.

    Examples
    --------
    >>> unlikely(2 > 1)
    True
    """
    return condition


@overload(unlikely)
def _unlikely(condition):
    return lambda condition: _expect_false(condition)
