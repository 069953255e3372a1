"""Random streams: bit-equal to numpy's Philox, compiled or not, and apart by purpose."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pymacco_sim.core.streams import draw, draw_below, draw_uniform, philox, seed_stream, shuffle

WORD = st.integers(0, 2**64 - 1)


def numpy_block(seed: int, cell: int, game: int, purpose: int) -> list[int]:
    """The block from numpy, which steps its counter once before the first block."""
    counter = (game + (purpose << 64) - 1) % 2**256
    words = np.array([(counter >> 64 * i) % 2**64 for i in range(4)], dtype=np.uint64)
    key = np.array([seed, cell], dtype=np.uint64)
    return [int(word) for word in np.random.Philox(key=key, counter=words).random_raw(4)]


def block(seed: int, cell: int, game: int, purpose: int) -> list[int]:
    return [int(word) for word in philox(*(np.uint64(word) for word in (seed, cell, game, purpose)))]


@given(WORD, WORD, WORD, WORD)
def test_block_equals_numpy(seed: int, cell: int, game: int, purpose: int) -> None:
    assert block(seed, cell, game, purpose) == numpy_block(seed, cell, game, purpose)


def reference_draws(words: list[int], n: int) -> list[int]:
    """xoshiro128++ from its published definition, on Python integers."""
    mask = 2**32 - 1

    def rotate(x: int, k: int) -> int:
        return (x << k | x >> (32 - k)) & mask

    s = list(words)
    result = []
    for _ in range(n):
        result.append((rotate((s[0] + s[3]) & mask, 7) + s[0]) & mask)
        t = s[1] << 9 & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 11)
    return result


@given(WORD, WORD, st.integers(0, 20))
def test_stream_is_xoshiro_seeded_by_the_block(seed: int, game: int, purpose: int) -> None:
    stream = np.zeros(4, np.uint32)
    seed_stream(stream, np.uint64(seed), np.uint64(0), np.uint64(game), purpose)
    low, high = numpy_block(seed, 0, game, purpose)[:2]
    words = [low & 0xFFFFFFFF, low >> 32, high & 0xFFFFFFFF, high >> 32]
    assert stream.tolist() == words
    assert [int(draw(stream)) for _ in range(20)] == reference_draws(words, 20)


def test_draws_below_are_uniform() -> None:
    stream = np.zeros(4, np.uint32)
    seed_stream(stream, 1, 0, 0, 0)
    counts = np.bincount([draw_below(stream, 6) for _ in range(60_000)], minlength=6)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 20.5  # chi-square, 5 degrees, p = 0.001
    assert all(0 <= draw_uniform(stream) < 1 for _ in range(1000))


def test_shuffle_is_a_permutation_and_each_place_is_as_likely() -> None:
    stream = np.zeros(4, np.uint32)
    seed_stream(stream, 2, 0, 0, 0)
    places = np.zeros((4, 4))
    for _ in range(12_000):
        cards = np.arange(4)
        shuffle(stream, cards)
        assert sorted(cards) == [0, 1, 2, 3]
        places[cards, np.arange(4)] += 1
    assert np.abs(places - 3000).max() < 4 * np.sqrt(3000 * 0.75)


def test_the_same_bits_without_the_compiler() -> None:
    code = (
        "import numpy as np; from pymacco_sim.core.streams import *\n"
        "s = np.zeros(4, np.uint32); seed_stream(s, 2**64 - 1, 3, 2**40, 7)\n"
        "cards = np.arange(52); shuffle(s, cards); print(cards.tolist(), [int(draw(s)) for _ in range(50)])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code.replace("2**64 - 1", "np.uint64(2**64 - 1)")],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    }
    assert len(printed) == 1
