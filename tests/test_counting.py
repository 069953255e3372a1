"""Counting: the sums of a block against plain Python, and the same in any cut."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pymacco_sim.core.counting import ALL, PLAIN, SPEC, add_bins, count_values, rank_seats, sum_ratios
from pymacco_sim.core.moments import COLUMN, collect_moments, sum_columns

SEATS = 3
ROWS = 2 + SEATS  # status, one game outcome, one seat outcome


@st.composite
def blocks(draw: st.DrawFn) -> np.ndarray:
    deals = draw(st.integers(1, 8))
    out = draw(hnp.arrays(np.int32, (ROWS, SEATS * deals), elements=st.integers(0, 50)))
    out[0] = draw(hnp.arrays(np.int32, out.shape[1], elements=st.integers(0, 2)))
    return out


def specs(*rows: tuple[int, int, int, int, int, int, int]) -> np.ndarray:
    return np.array(list(rows), dtype=SPEC)


ALL_SPECS = specs(
    (2, 1, 1, -1, 0, ALL, PLAIN),
    (1, -1, -1, -1, 0, ALL, PLAIN),
    (1, -1, -1, -1, 0, 0, PLAIN),
    (2, 1, -1, -1, 1, ALL, PLAIN),
    (2, 1, -1, -1, 0, ALL, PLAIN),
    (2, 0, 1, -1, 1, ALL, PLAIN),
    (2, 2, 2, 0, 1, 2, PLAIN),
    (2, 1, -1, -1, 0, ALL, 0),
    (2, 1, -1, -1, 1, ALL, 3),
)


def plain_units(out: np.ndarray, unit: int, spec: np.void) -> tuple[list[int], list[int]]:
    tops, bottoms = [], []
    for start in range(0, out.shape[1], unit):
        p = q = 0
        for g in range(start, start + unit):
            if spec["mask"] in (ALL, out[0, g]):
                turn = g % SEATS if spec["turning"] else 0

                def row(base: int, seat: int, turn: int = turn) -> int:
                    return base if seat < 0 else base + (seat + turn) % SEATS

                number = int(out[row(spec["top"], spec["top_seat"]), g])
                p += number if spec["value"] == PLAIN else number == spec["value"]
                q += 1 if spec["bottom"] < 0 else int(out[row(spec["bottom"], spec["bottom_seat"]), g])
        tops.append(p)
        bottoms.append(q)
    return tops, bottoms


@given(blocks(), st.sampled_from([1, SEATS]))
def test_sums_equal_plain_python(out: np.ndarray, unit: int) -> None:
    sums = np.zeros((len(ALL_SPECS), 5), np.int64)
    sum_ratios(out, unit, SEATS, 0, ALL_SPECS, sums)
    for spec, row in zip(ALL_SPECS, sums, strict=True):
        x, y = map(np.array, plain_units(out, unit, spec))
        assert row.tolist() == [x.sum(), y.sum(), (x * x).sum(), (x * y).sum(), (y * y).sum()]


@given(blocks(), st.data())
def test_sums_do_not_depend_on_the_cut(out: np.ndarray, data: st.DataObject) -> None:
    whole = np.zeros((len(ALL_SPECS), 5), np.int64)
    sum_ratios(out, SEATS, SEATS, 0, ALL_SPECS, whole)
    cut = SEATS * data.draw(st.integers(0, out.shape[1] // SEATS))
    parts = np.zeros_like(whole)
    for start, piece in ((0, out[:, :cut]), (cut, out[:, cut:])):
        sum_ratios(np.ascontiguousarray(piece), SEATS, SEATS, start, ALL_SPECS, parts)
    assert np.array_equal(whole, parts)


@given(blocks(), st.sampled_from([1, SEATS]))
def test_unit_columns_equal_plain_python(out: np.ndarray, unit: int) -> None:
    kinds = [(1, -1, 0, ALL), (1, -1, 0, 0), (2, 1, 1, ALL), (2, 2, 0, 1), (-1, -1, 0, 0), (-1, -1, 0, ALL)]
    columns = np.array([*((*kind, PLAIN) for kind in kinds), (2, 1, 1, ALL, 3), (2, 0, 0, ALL, 0)], dtype=COLUMN)
    vectors = np.full((len(columns), out.shape[1] // unit), -1.0)
    sum_columns(out, unit, SEATS, 0, columns, vectors)
    for column, own in zip(columns, vectors, strict=True):
        row, seat, turning, mask, value = column.tolist()
        spec = np.array([(row, seat, -1, -1, turning, mask, value)], dtype=SPEC)[0]
        tops, counts = plain_units(out, unit, spec)
        assert own.tolist() == (counts if column["row"] < 0 else tops)


@given(hnp.arrays(np.int64, (4, 7), elements=st.integers(0, 10**6)))
def test_moments_are_exact(values: np.ndarray) -> None:
    found = collect_moments(values.astype(float), further=values[:1].astype(float))
    assert found.total.tolist() == [*values.sum(axis=1).tolist(), int(values[0].sum())]
    assert [[found.products[i, j] for j in range(4)] for i in range(4)] == (values @ values.T).tolist()


@given(blocks(), st.booleans())
def test_ranks_equal_plain_python(out: np.ndarray, kept: bool) -> None:
    values, ranks = out[1 : 1 + SEATS], np.full((SEATS, out.shape[1]), -1, np.int32)
    rank_seats(out[0], values, kept, ranks)
    for game, status in enumerate(out[0]):
        own = values[:, game].tolist()
        for seat, value in enumerate(own):
            placed = status == 0 or (kept and own.count(value) == 1)
            assert ranks[seat, game] == (1 + sum(v < value for v in own) if placed else 0)


@given(blocks())
def test_histogram_equals_bincount(out: np.ndarray) -> None:
    bins = np.zeros(60, np.int64)
    count_values(out[0], out[1], 0, bins)
    assert bins.tolist() == np.bincount(out[1][out[0] == 0], minlength=60).tolist()
    assert add_bins(bins, np.array([1])).sum() == bins.sum() + 1
