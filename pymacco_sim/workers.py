"""Work on any number of workers: threads, processes or a cluster, whatever joblib is told to use.

Ranges of numbered games go out as tasks of about a quarter of a second: their size follows the measured pace, and a
worker that runs out of time hands back what is left. How a range is cut never shows in a result, because all that
comes back are sums of integers.
"""

from __future__ import annotations

import itertools
import math
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import joblib
from joblib.parallel import get_active_backend

from pymacco_sim._check import RequestError, WorkerError

T = TypeVar("T")

TASK_SECONDS = 0.25
MAX_PIECES = 100
"""Most ranges of one task."""
MAX_DEATHS = 3
"""Deaths of workers in a row, without an answer between them, after which a run ends."""

_stop = threading.Event()


@dataclass(frozen=True)
class Piece:
    """Numbers `first` to ``first + count - 1`` of one thing, still to be played in steps of `step`."""

    index: int
    item: Any
    first: int
    count: int
    step: int


@dataclass(frozen=True)
class Done:
    """What the numbers `first` to ``first + count - 1`` of thing `index` came to."""

    index: int
    first: int
    count: int
    value: Any


class Answer(NamedTuple):
    """What a worker returns: finished ranges, and what it did not get to."""

    task: int
    done: list[Done]
    left: list[Piece]
    seconds: float


def check_stop() -> None:
    """Leave a worker's loop when the run was interrupted."""
    if _stop.is_set():
        raise KeyboardInterrupt


def work(function: Callable[[Any, int, int], Any], task: int, pieces: Sequence[Piece], seconds: float) -> Answer:
    """Play pieces step by step until they are finished or the time is up (runs on a worker)."""
    started = time.perf_counter()
    done: list[Done] = []
    for position, piece in enumerate(pieces):
        at, end, value = piece.first, piece.first + piece.count, None
        while at < end:
            size = min(piece.step, end - at)
            part = function(piece.item, at, size)
            value = part if value is None else value + part
            at += size
            if time.perf_counter() - started > 2 * seconds:
                break
        done.append(Done(piece.index, piece.first, at - piece.first, value))
        if time.perf_counter() - started > 2 * seconds:
            rest = [replace(piece, first=at, count=end - at)] if at < end else []
            return Answer(task, done, [*rest, *pieces[position + 1 :]], time.perf_counter() - started)
    return Answer(task, done, [], time.perf_counter() - started)


class Supply:
    """Cuts pieces into tasks of the right length and keeps track of what is out.

    Parameters
    ----------
    pieces : sequence of Piece
    n_workers : int
    """

    def __init__(self, pieces: Sequence[Piece], n_workers: int) -> None:
        self.queue = deque(pieces)
        self.out: dict[int, list[Piece]] = {}
        self._left = sum(piece.count for piece in pieces)
        self._share = 4 * n_workers
        self._most_out = 8 * n_workers
        self._per_second = 0.0
        self._numbers = itertools.count()

    def tasks(self) -> Iterator[tuple[int, list[Piece]]]:
        """Yield tasks until nothing waits, or more are out than are taken back: answers must not pile up."""
        while self.queue and len(self.out) < self._most_out:
            number = next(self._numbers)
            self.out[number] = self._take()
            yield number, self.out[number]

    def _take(self) -> list[Piece]:
        room = min(self._per_second * TASK_SECONDS, self._left / self._share)
        taken: list[Piece] = []
        while self.queue and (not taken or room > 0) and len(taken) < MAX_PIECES:
            piece = self.queue.popleft()
            size = max(math.ceil(room / piece.step), 1) * piece.step
            if size < piece.count:
                self.queue.appendleft(replace(piece, first=piece.first + size, count=piece.count - size))
                piece = replace(piece, count=size)
            taken.append(piece)
            room -= piece.count
        return taken

    def settle(self, answer: Answer) -> None:
        """Take back what a worker left, and learn the pace."""
        del self.out[answer.task]
        self.queue.extendleft(reversed(answer.left))
        count = sum(done.count for done in answer.done)
        self._left -= count
        self._per_second = count / max(answer.seconds, 1e-6)

    def reclaim(self) -> None:
        """Put everything that is out back into the queue."""
        for number in sorted(self.out, reverse=True):
            self.queue.extendleft(reversed(self.out.pop(number)))


def run_pieces(
    function: Callable[[Any, int, int], Any], pieces: Sequence[Piece], n_jobs: int | None = None
) -> Generator[Done, None, None]:
    """Play pieces on workers and yield what comes back, in any order and any cut; every number exactly once.

    Parameters
    ----------
    function : callable
        ``(item, first, count) -> value``; values of neighbouring ranges are added with ``+``.
    pieces : sequence of Piece
    n_jobs : int, optional
        As for :func:`run_tasks`.

    Raises
    ------
    WorkerError
        If workers keep dying. One that dies now and then only costs the time to play its games again.
    """
    workers = count_workers(n_jobs)
    if len(pieces) == 1 and pieces[0].count <= pieces[0].step:
        workers = 1
    supply = Supply(pieces, workers)
    deaths = 0
    while supply.queue:
        calls = ((function, number, task, TASK_SECONDS) for number, task in supply.tasks())
        try:
            with closing(run_tasks(work, calls, 1 if workers == 1 else n_jobs)) as answers:
                for answer in answers:
                    deaths = 0
                    supply.settle(answer)
                    yield from answer.done
        except _worker_deaths() as error:
            deaths += 1
            supply.reclaim()
            if deaths >= MAX_DEATHS:
                words = f"workers died {deaths} times in a row ({type(error).__name__}); is memory short?"
                raise WorkerError(words) from error


def _worker_deaths() -> tuple[type[BaseException], ...]:
    from concurrent.futures.process import BrokenProcessPool

    from joblib.externals.loky.process_executor import TerminatedWorkerError

    found: list[type[BaseException]] = [TerminatedWorkerError, BrokenProcessPool]
    for module, name in (("distributed", "KilledWorker"), ("ray.exceptions", "RayActorError")):
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def read_jobs(n_jobs: int | None) -> int:
    """Return the number of workers that joblib is asked for: `n_jobs`, else what an active ``parallel_config`` says,
    else -1 for all.

    Raises
    ------
    RequestError
        If `n_jobs` is no number of workers.
    """
    if n_jobs is None:
        config = getattr(getattr(joblib.parallel, "_backend", None), "config", None) or {}
        told = config.get("n_jobs")
        return told if isinstance(told, int) else -1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise RequestError(f"n_jobs is {n_jobs!r}; it must be a whole number of workers, or -1 for all cores.")
    return n_jobs


def count_workers(n_jobs: int | None) -> int:
    """Return how many workers `n_jobs` means, here and now."""
    asked = read_jobs(n_jobs)
    return asked if asked > 0 else max(joblib.effective_n_jobs(asked), 1)


def run_tasks(
    function: Callable[..., T],
    arguments: Iterable[tuple[Any, ...]],
    n_jobs: int | None = None,
    ordered: bool = False,
    window: int | None = None,
) -> Generator[T, None, None]:
    """Call a function with many arguments on workers and yield the answers as they come (or in order).

    Parameters
    ----------
    function : callable
    arguments : iterable of tuple
        Drawn as workers become free.
    n_jobs : int, optional
        Workers; None for all cores, or for what an active ``joblib.parallel_config`` says. Threads, unless it says
        otherwise: kernels release the interpreter lock.
    ordered : bool
    window : int, optional
        Most answers that wait for the caller; None for no limit.

    Raises
    ------
    RequestError
        If `n_jobs` is no number of workers.
    """
    asked = read_jobs(n_jobs)
    _stop.clear()
    backend, _ = get_active_backend(prefer="threads")
    if asked == 1 and getattr(backend, "uses_threads", False):
        yield from itertools.starmap(function, arguments)
        return
    streams = backend.supports_return_generator
    if not streams and window is None:
        window = 8 * count_workers(n_jobs)
    order = "list" if not streams else "generator" if ordered else "generator_unordered"
    calls = iter(arguments)
    parallel = joblib.Parallel(n_jobs=asked, prefer="threads", return_as=order, pre_dispatch="2*n_jobs", batch_size=1)
    with parallel:
        _leave_for_good(parallel)
        while wave := list(itertools.islice(calls, 1)):
            rest = calls if window is None else itertools.islice(calls, window - 1)
            rows = (joblib.delayed(function)(*row) for row in itertools.chain(wave, rest))
            with shield_children() if streams else nullcontext():  # loky starts its processes here
                answers = parallel(rows)
            yield from _drain(answers)


def _leave_for_good(parallel: joblib.Parallel) -> None:
    """Let a run that is interrupted not start new workers in place of those it ends; joblib would."""
    backend = parallel._backend
    abort = getattr(backend, "abort_everything", None)
    if abort is not None:
        backend.abort_everything = lambda ensure_ready=False: abort(ensure_ready=False)


@contextmanager
def shield_children() -> Iterator[None]:
    """Keep Ctrl-C from processes that are started inside: a terminal sends it to all, and only the one that was
    started by hand shall act on it. It does so on leaving.
    """
    mask = getattr(signal, "pthread_sigmask", None)
    if mask is None:
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    resource_tracker.ensure_running()  # their own start would end the shield
    loky_tracker.ensure_running()
    before = mask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        mask(signal.SIG_SETMASK, before)


def _drain(answers: Any) -> Iterator[Any]:
    """Yield answers; if the caller stops early or is interrupted, stop the workers at once.

    Whoever stops early knows that answers are lost: joblib's warning about it is silenced.
    """
    try:
        for answer in answers:  # noqa: UP028, yield from would close `answers` before the warning is silenced
            yield answer
    except BaseException:
        _stop.set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(answers, "close", bool)()
        raise
