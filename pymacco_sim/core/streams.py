"""Random streams: one Philox4x64-10 block per (seed, cell, game, purpose) seeds a small xoshiro128++ generator.

A stream is an array of four uint32, so that a game can hold it in a record, many games can hold theirs side by
side in vector lanes, and copying one is copying 16 bytes. Any game can be replayed alone, and what one purpose
draws never moves another.

References
----------
J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011).
D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from pymacco_sim._jit import JIT, inline, jit

CHANCE = 0
"""Purpose of the stream of cards and dice; the policy of seat `s` draws from purpose ``1 + s``."""

STREAM = np.dtype((np.uint32, 4))
"""Dtype of one stream."""

_MASK = (1 << 64) - 1
_M0, _M1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_W0, _W1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)


@intrinsic
def _mulhi(typingctx: Any, a: Any, b: Any) -> Any:
    """High 64 bits of an unsigned 64 x 64 bit product, through LLVM's i128."""
    signature = types.uint64(types.uint64, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)

    return signature, generate


def _philox_jit(key0: Any, key1: Any, c0: Any, c1: Any) -> Any:
    k0, k1 = np.uint64(key0), np.uint64(key1)
    x0, x1, x2, x3 = np.uint64(c0), np.uint64(c1), np.uint64(0), np.uint64(0)
    for _ in range(10):
        hi0, lo0 = _mulhi(_M0, x0), _M0 * x0
        hi1, lo1 = _mulhi(_M1, x2), _M1 * x2
        x0, x1, x2, x3 = hi1 ^ x1 ^ k0, lo1, hi0 ^ x3 ^ k1, lo0
        k0 += _W0
        k1 += _W1
    return x0, x1, x2, x3


def _philox_python(key0: Any, key1: Any, c0: Any, c1: Any) -> Any:
    k0, k1 = int(key0) & _MASK, int(key1) & _MASK
    x0, x1, x2, x3 = int(c0) & _MASK, int(c1) & _MASK, 0, 0
    for _ in range(10):
        first, second = int(_M0) * x0, int(_M1) * x2
        x0, x1 = (second >> 64) ^ x1 ^ k0, second & _MASK
        x2, x3 = (first >> 64) ^ x3 ^ k1, first & _MASK
        k0, k1 = (k0 + int(_W0)) & _MASK, (k1 + int(_W1)) & _MASK
    return np.uint64(x0), np.uint64(x1), np.uint64(x2), np.uint64(x3)


philox = inline(_philox_jit) if JIT else _philox_python
philox.__doc__ = """Philox4x64-10 block of key ``(key0, key1)`` and counter ``(c0, c1, 0, 0)``: four uint64.

Bit-equal to ``numpy.random.Philox(key=..., counter=...)``, which steps its counter once before its first block.
"""


@inline
def seed_stream(stream, seed, cell, game, purpose):
    """Fill `stream` (4 x uint32) for one purpose of one game.

    Parameters
    ----------
    stream : uint32[4]
        Filled in place.
    seed, cell, game : uint64
        Key ``(seed, cell)`` and first counter word of the block.
    purpose : int
        :data:`CHANCE`, or ``1 + seat`` for the policy of a seat: second counter word.
    """
    x0, x1, _, _ = philox(seed, cell, game, purpose)
    stream[0] = np.uint32(x0 & np.uint64(0xFFFFFFFF))
    stream[1] = np.uint32(x0 >> np.uint64(32))
    stream[2] = np.uint32(x1 & np.uint64(0xFFFFFFFF))
    stream[3] = np.uint32(x1 >> np.uint64(32))


@inline
def _advance(a, b, c, d):
    """One step of xoshiro128++: the number drawn and the new state."""
    s = np.uint32(a + d)
    result = np.uint32(np.uint32((s << np.uint32(7)) | (s >> np.uint32(25))) + a)
    t = np.uint32(b << np.uint32(9))
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    return result, a, b, c, np.uint32((d << np.uint32(11)) | (d >> np.uint32(21)))


def _next_jit(stream: Any) -> Any:
    result, stream[0], stream[1], stream[2], stream[3] = _advance(stream[0], stream[1], stream[2], stream[3])
    return result


def _next_python(stream: Any) -> Any:
    a, b, c, d = (int(word) for word in stream)
    s = (a + d) & 0xFFFFFFFF
    result = ((((s << 7) & 0xFFFFFFFF) | (s >> 25)) + a) & 0xFFFFFFFF
    t = (b << 9) & 0xFFFFFFFF
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    stream[0], stream[1], stream[2], stream[3] = a, b, c, ((d << 11) & 0xFFFFFFFF) | (d >> 21)
    return np.uint32(result)


draw = inline(_next_jit) if JIT else _next_python
draw.__doc__ = """Next uint32 of `stream` (uint32[4], stepped in place)."""


@inline
def draw_below(stream, n):
    """Uniform integer in ``[0, n)`` from one 32-bit draw by multiply-shift.

    Parameters
    ----------
    stream : uint32[4]
        Stepped in place, by exactly one draw.
    n : int
        1 to 2**16. The bias of any outcome is below ``n / 2**32``.

    Returns
    -------
    int64
    """
    return np.int64((np.uint64(draw(stream)) * np.uint64(n)) >> np.uint64(32))


@inline
def draw_uniform(stream):
    """Uniform float64 in ``[0, 1)`` with 32 random bits, from one draw."""
    return np.float64(draw(stream)) * (1.0 / 4294967296.0)


def _shuffle_jit(stream: Any, cards: Any) -> None:
    a, b, c, d = stream[0], stream[1], stream[2], stream[3]
    for i in range(np.uint64(cards.size) - np.uint64(1), np.uint64(0), -1):
        number, a, b, c, d = _advance(a, b, c, d)
        j = (np.uint64(number) * np.uint64(i + 1)) >> np.uint64(32)
        card, cards[i] = cards[i], cards[j]
        cards[j] = card
    stream[0], stream[1], stream[2], stream[3] = a, b, c, d


def _shuffle_python(stream: Any, cards: Any) -> None:
    for i in range(cards.size - 1, 0, -1):
        j = draw_below(stream, i + 1)
        cards[i], cards[j] = cards[j], cards[i]


shuffle = jit(_shuffle_jit) if JIT else _shuffle_python
shuffle.__doc__ = """Shuffle the 1-d integer array `cards` in place (Fisher-Yates, one draw a swap)."""
