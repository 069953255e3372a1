"""Sets as bits of an int64: count, lowest and highest member, members one by one.

A set of card kinds is an int64 with bit `k` set when kind `k` is in it (kinds 0 to 62, so it is never negative).
The functions work in compiled code and in plain Python alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable


@intrinsic
def _population(typingctx: Any, mask: Any) -> Any:
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return signature, generate


@intrinsic
def _trailing(typingctx: Any, mask: Any) -> Any:
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return signature, generate


@intrinsic
def _leading(typingctx: Any, mask: Any) -> Any:
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return signature, generate


def count_bits(mask):
    """Return how many members the set `mask` has.

    Examples
    --------
    >>> count_bits(0b10110)
    3
    """
    return int(mask).bit_count()


def lowest_bit(mask):
    """Return the smallest member of the set `mask`; 64 when it is empty.

    Examples
    --------
    >>> lowest_bit(0b10100)
    2
    """
    value = int(mask)
    return (value & -value).bit_length() - 1 if value else 64


def highest_bit(mask):
    """Return the greatest member of the set `mask`; -1 when it is empty.

    Examples
    --------
    >>> highest_bit(0b10100)
    4
    """
    return int(mask).bit_length() - 1


@overload(count_bits)
def _count_bits(mask):
    return lambda mask: _population(np.int64(mask))


@overload(lowest_bit)
def _lowest_bit(mask):
    return lambda mask: _trailing(np.int64(mask))


@overload(highest_bit)
def _highest_bit(mask):
    return lambda mask: 63 - _leading(np.int64(mask))


@register_jitable
def nth_bit(mask, index):
    """Return member number `index` (from 0, ascending) of the set `mask`, which must have that many.

    Examples
    --------
    >>> nth_bit(0b10110, 1)
    2
    """
    for _ in range(index):
        mask &= mask - 1
    return lowest_bit(mask)


@register_jitable
def has_bit(mask, member):
    """Return whether `member` is in the set `mask`.

    Examples
    --------
    >>> bool(has_bit(0b100, 2))
    True
    """
    return (mask >> member) & 1 != 0
