"""Compiler options, in one place.

Every kernel of the package is compiled by :func:`jit`. With ``NUMBA_DISABLE_JIT=1`` the same functions run as
plain Python (slowly); the few that need a compiler's help carry a plain twin, chosen by :data:`JIT`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from pymacco_sim._notice import watch_compiler

JIT: bool = not numba.config.DISABLE_JIT
"""Whether kernels are compiled in this process."""

if JIT:
    watch_compiler()


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel: nopython, cached on disk, releasing the interpreter lock, numpy's error model.

    Parameters
    ----------
    function : callable
        A function of scalars, arrays and records.

    Returns
    -------
    callable
        The compiled function, or `function` itself with ``NUMBA_DISABLE_JIT=1``.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


def inline(function: Callable[..., Any]) -> Any:
    """Compile a small helper that LLVM should fold into every caller.

    Parameters
    ----------
    function : callable
        A function of a few lines on a hot path.

    Returns
    -------
    callable
        The compiled function, or `function` itself with ``NUMBA_DISABLE_JIT=1``.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function)


def reorder(function: Callable[..., Any]) -> Any:
    """Compile a kernel whose floating-point sums are exact in any order, so that LLVM may vectorise them.

    Parameters
    ----------
    function : callable
        A kernel that adds whole numbers below 2**53.

    Returns
    -------
    callable
        The compiled function, or `function` itself with ``NUMBA_DISABLE_JIT=1``.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})(function)
