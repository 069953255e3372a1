"""Counts by rank (uint8[16]) as one vector register: each operation is a few instructions instead of a loop.

A compiler may not join sixteen byte loads and stores by itself, since two counts of one record could overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from pymacco_sim._jit import JIT, inline


def _pointer(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Pointer to the sixteen bytes of a counts array."""
    from llvmlite import ir

    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(data, ir.VectorType(ir.IntType(8), 16).as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return builder.load(_pointer(context, builder, kind, array), align=1)


def _words(context: Any, builder: Any, kind: Any, array: Any) -> list[Any]:
    """Pointers to the two words of eight bytes of a counts array."""
    from llvmlite import ir

    word, index = ir.IntType(64), ir.IntType(32)
    data = builder.bitcast(context.make_array(kind)(context, builder, array).data, word.as_pointer())
    return [builder.gep(data, [ir.Constant(index, number)]) for number in range(2)]


@intrinsic
def _add(typingctx: Any, target: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = [_words(context, builder, k, a) for k, a in zip(signature.args, args, strict=True)]
        for into, of in zip(*pairs, strict=True):
            builder.store(builder.add(builder.load(into, align=1), builder.load(of, align=1)), into, align=1)
        return context.get_dummy_value()

    return types.void(target, source), generate


@intrinsic
def _change(typingctx: Any, target: Any, rank: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        rank, number = args[1], args[2]
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        data = builder.bitcast(data, word.as_pointer())
        place = builder.gep(data, [builder.and_(builder.lshr(rank, ir.Constant(word, 3)), ir.Constant(word, 1))])
        shift = builder.shl(builder.and_(rank, ir.Constant(word, 7)), ir.Constant(word, 3))
        builder.store(builder.add(builder.load(place, align=1), builder.shl(number, shift)), place, align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64), generate


@intrinsic
def _copy(typingctx: Any, target: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = _load(context, builder, signature.args[1], args[1])
        builder.store(value, _pointer(context, builder, signature.args[0], args[0]), align=1)
        return context.get_dummy_value()

    return types.void(target, source), generate


@intrinsic
def _clear(typingctx: Any, target: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        zero = ir.Constant(ir.VectorType(ir.IntType(8), 16), None)
        builder.store(zero, _pointer(context, builder, signature.args[0], args[0]), align=1)
        return context.get_dummy_value()

    return types.void(target), generate


def _bits(builder: Any, vector: Any, other: Any) -> Any:
    """One bit for each entry that differs, as an int64."""
    from llvmlite import ir

    different = builder.icmp_unsigned("!=", vector, other)
    return builder.zext(builder.bitcast(different, ir.IntType(16)), ir.IntType(64))


@intrinsic
def _held(typingctx: Any, counts: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        zero = ir.Constant(ir.VectorType(ir.IntType(8), 16), None)
        return _bits(builder, _load(context, builder, signature.args[0], args[0]), zero)

    return types.int64(counts), generate


@intrinsic
def _unequal(typingctx: Any, left: Any, right: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _bits(builder, *(_load(context, builder, k, a) for k, a in zip(signature.args, args, strict=True)))

    return types.int64(left, right), generate


def _add_jit(target: Any, source: Any) -> None:
    _add(target, source)


def _add_python(target: Any, source: Any) -> None:
    target += source


def _change_jit(target: Any, rank: Any, number: Any) -> None:
    _change(target, np.int64(rank), np.int64(number))


def _change_python(target: Any, rank: Any, number: Any) -> None:
    target[rank] = int(target[rank]) + int(number)


def _copy_jit(target: Any, source: Any) -> None:
    _copy(target, source)


def _copy_python(target: Any, source: Any) -> None:
    target[:] = source


def _clear_jit(target: Any) -> None:
    _clear(target)


def _clear_python(target: Any) -> None:
    target[:] = 0


def _held_jit(counts: Any) -> Any:
    return _held(counts)


def _held_python(counts: Any) -> Any:
    return np.int64(sum(1 << rank for rank in range(16) if counts[rank]))


def _unequal_jit(left: Any, right: Any) -> Any:
    return _unequal(left, right)


def _unequal_python(left: Any, right: Any) -> Any:
    return np.int64(sum(1 << rank for rank in range(16) if left[rank] != right[rank]))


add_counts = inline(_add_jit) if JIT else _add_python
add_counts.__doc__ = """Add the counts `source` to `target` (uint8[16] each), in place."""

change_count = inline(_change_jit) if JIT else _change_python
change_count.__doc__ = """Add `number`, which may be negative, to the count of a rank in `target` (uint8[16])."""

copy_counts = inline(_copy_jit) if JIT else _copy_python
copy_counts.__doc__ = """Copy the counts `source` to `target` (uint8[16] each)."""

clear_counts = inline(_clear_jit) if JIT else _clear_python
clear_counts.__doc__ = """Set the counts `target` (uint8[16]) to 0."""

ranks_of = inline(_held_jit) if JIT else _held_python
ranks_of.__doc__ = """Set (int64, bits) of the ranks with a count above 0 in a uint8[16].

>>> counts = np.zeros(16, np.uint8)
>>> counts[[3, 5]] = 2
>>> bin(ranks_of(counts))
'0b101000'
"""

unequal_ranks = inline(_unequal_jit) if JIT else _unequal_python
unequal_ranks.__doc__ = """Set (int64, bits) of the ranks whose counts differ in two uint8[16]."""
