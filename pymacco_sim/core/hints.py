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


@intrinsic
def _no_overlap(typingctx: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        for argument in builder.function.args[2:]:  # behind the places for result and exception
            if isinstance(argument.type, ir.PointerType):
                argument.add_attribute("noalias")
        return context.get_dummy_value()

    return types.void(), generate


def _nothing() -> None:
    pass


no_overlap = _no_overlap if JIT else _nothing
"""``no_overlap()`` in a kernel promises that no two of its arrays share memory, so that what it has read from one need
not be read again after a write to another."""
