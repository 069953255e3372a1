"""Sets of small numbers as bits of an int64: lowest and highest member, and how many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from pymacco_sim._jit import JIT, inline


@intrinsic
def _trailing(typingctx: Any, mask: Any) -> Any:
    """Number of zero bits below the lowest one, by one instruction."""
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@intrinsic
def _leading(typingctx: Any, mask: Any) -> Any:
    """Number of zero bits above the highest one, by one instruction."""
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@intrinsic
def _population(typingctx: Any, mask: Any) -> Any:
    """Number of one bits, by one instruction."""
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return signature, generate


def _lowest_jit(mask: Any) -> Any:
    return _trailing(np.int64(mask))


def _lowest_python(mask: Any) -> int:
    return (int(mask) & -int(mask)).bit_length() - 1


def _highest_jit(mask: Any) -> Any:
    return 63 - _leading(np.int64(mask))


def _highest_python(mask: Any) -> int:
    return int(mask).bit_length() - 1


def _count_jit(mask: Any) -> Any:
    return _population(np.int64(mask))


def _count_python(mask: Any) -> int:
    return int(mask).bit_count()


lowest_bit = inline(_lowest_jit) if JIT else _lowest_python
lowest_bit.__doc__ = """Smallest member of a set that is not empty (int64 mask).

>>> lowest_bit(0b1100)
2
"""

highest_bit = inline(_highest_jit) if JIT else _highest_python
highest_bit.__doc__ = """Greatest member of a set that is not empty (int64 mask).

>>> highest_bit(0b1100)
3
"""

count_bits = inline(_count_jit) if JIT else _count_python
count_bits.__doc__ = """Number of members of a set (int64 mask).

>>> count_bits(0b1101)
3
"""


@inline
def has(mask, member):
    """Whether `member` (0 to 62) belongs to the set `mask`."""
    return (np.int64(mask) >> member) & 1 != 0
