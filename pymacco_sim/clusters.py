"""Backends by name: threads, processes, and the clusters that are opened and closed for a run."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import joblib

from pymacco_sim._check import RequestError, unknown
from pymacco_sim.workers import read_jobs, shield_children

BACKENDS = ("threads", "loky", "dask", "ray")
CONNECT_SECONDS = 10


@contextmanager
def use_backend(name: str | None = None, n_jobs: int | None = None, scheduler: str | None = None) -> Iterator[None]:
    """Run everything inside on a backend: what ``--backend`` and ``--scheduler`` do.

    Parameters
    ----------
    name : {None, "threads", "loky", "dask", "ray"}
        None for ``"dask"`` if a scheduler is named, else threads.
    n_jobs : int, optional
    scheduler : str, optional
        Address of a Dask scheduler (``tcp://host:8786``) or of a Ray head; None for a local cluster.

    Raises
    ------
    RequestError
        If the backend is not known, not installed, or not reached.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> with use_backend("threads", 2):
    ...     result = pm.simulate("macke", "points:350", n_games=1000, seed=1)
    """
    name = name or ("dask" if scheduler else "threads")
    if name not in BACKENDS:
        raise unknown("backend", name, BACKENDS)
    if scheduler and name not in ("dask", "ray"):
        raise RequestError(f"scheduler is {scheduler!r}, but backend {name} has none; use --backend dask or ray.")
    jobs = read_jobs(n_jobs)
    if name in ("threads", "loky"):
        with joblib.parallel_config(backend={"threads": "threading"}.get(name, name), n_jobs=jobs):
            yield
        return
    open_cluster = _open_dask if name == "dask" else _open_ray
    try:
        cluster = open_cluster(scheduler, n_jobs)
    except ImportError as error:
        raise RequestError(f"backend {name} is not installed; run: pip install 'pymacco-sim[{name}]'.") from error
    except (OSError, RuntimeError, ValueError) as error:
        raise RequestError(f"backend {name} is not reached at {scheduler or 'this machine'}: {error}.") from error
    with cluster, joblib.parallel_config(backend=name, n_jobs=jobs):
        yield


def _open_dask(scheduler: str | None, n_jobs: int | None) -> Any:
    from distributed import Client, LocalCluster

    if scheduler:
        return _close_dask(Client(scheduler, timeout=CONNECT_SECONDS), None)
    cluster = None
    try:
        with shield_children():
            cluster = LocalCluster(
                n_workers=None if n_jobs in (None, -1) else n_jobs,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.ERROR,
            )
        client = Client(cluster)
    except BaseException:
        if cluster is not None:
            _kill_workers(cluster)
            cluster.close()
        raise
    return _close_dask(client, cluster)


@contextmanager
def _close_dask(client: Any, cluster: Any) -> Iterator[None]:
    hurry = True
    try:
        yield
        hurry = False
    finally:
        with _silence() if hurry else nullcontext():  # the scheduler would tell of workers that are gone
            client.close()  # first: it would report answers that never come
            if cluster is not None:
                if hurry:
                    _kill_workers(cluster)
                cluster.close()


@contextmanager
def _silence() -> Iterator[None]:
    """Log nothing."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _kill_workers(cluster: Any) -> None:
    """End the workers of a local cluster at once: nobody wants what they play, and a polite end takes seconds."""
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid:
            with suppress(OSError):
                os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _open_ray(address: str | None, n_jobs: int | None) -> Any:
    import psutil
    import ray
    from ray.util.joblib import register_ray

    started = not ray.is_initialized()
    before = set(psutil.Process().children(recursive=True))
    if started:
        try:
            ray.init(
                address=address,
                num_cpus=None if address or n_jobs in (None, -1) else n_jobs,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except BaseException:
            _kill_children(before)
            raise
    register_ray()
    return _shut_down(ray, started, before)


@contextmanager
def _shut_down(ray: Any, started: bool, before: set[Any]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        node = getattr(ray._private.worker, "_global_node", None)
        if started and node is not None:  # a polite end takes seconds
            node.kill_all_processes = lambda **_: _kill_children(before)
        raise
    finally:
        if started:
            ray.shutdown()


def _kill_children(before: set[Any]) -> None:
    """End all processes below this one but those from `before`; listed first, as those of a killed one are lost."""
    import psutil

    for process in set(psutil.Process().children(recursive=True)) - before:
        with suppress(psutil.Error):
            process.kill()
