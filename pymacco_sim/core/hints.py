"""Hints to the compiler that change nothing but speed."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from pymacco_sim._jit import JIT


@intrinsic
def _expect_false(typingctx: Any, condition: Any) -> Any:
    signature = types.boolean(types.boolean)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [args[0], ir.Constant(bit, 0)])

    return signature, generate


def _plain(condition: Any) -> Any:
    return condition


# An intrinsic of its own, with no function around it: the hint is lost when it has to be inlined first.
unlikely = _expect_false if JIT else _plain
"""``unlikely(condition)`` is `condition` (a bool) in a kernel's ``if``; its branch is kept off the straight path."""
