"""The same bits from threads, processes and clusters, with the user's own policies on board."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import joblib
import pytest

import pymacco_sim as pm
from pymacco_sim import clusters, play, workers
from pymacco_sim._check import RequestError, WorkerError
from pymacco_sim.clusters import use_backend
from pymacco_sim.core.counting import Tally
from pymacco_sim.games.policy import Policy
from pymacco_sim.games.registry import make_cell
from pymacco_sim.play import play_games
from pymacco_sim.workers import Piece, read_jobs, run_pieces, run_tasks

FILE = '''
import numpy as np
GOALS = np.array([300, 350])

def goal(index):
    return GOALS[index]

def mine(points, dice, roll, choices):
    """Take every scoring die; stop at a goal."""
    best = choices[-1]
    return best, points + best.points >= goal(1)
'''
N_GAMES = 400_000


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("policies") / "mine.py"
    file.write_text(FILE)
    return f"{file}:mine"


@pytest.fixture(scope="module")
def expected(spec: str) -> Tally:
    return pm.simulate("macke", spec, n_games=N_GAMES, seed=1, n_jobs=1).tally


def simulate(policy: Any, **more: Any) -> Tally:
    return pm.simulate("macke", policy, n_games=N_GAMES, seed=1, **more).tally


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "TASK_SECONDS", 0.01)


# --- threads and processes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["threads", "loky"])
def test_file_policy_on(backend: str, spec: str, expected: Tally, small_tasks: None) -> None:
    with use_backend(backend, 2):
        assert simulate(spec) == expected


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_own_parallel_config_works(backend: str, spec: str, expected: Tally) -> None:
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert simulate(spec) == expected


def test_notebook_policy_travels() -> None:
    goal = 350

    @pm.policy("macke")
    def closure_stop(points: Any, dice: Any, roll: Any, choices: Any) -> Any:
        best = choices[-1]
        return best, points + best.points >= goal

    alone = simulate(closure_stop, n_jobs=1)
    with use_backend("loky", 2):
        assert simulate(closure_stop) == alone


def test_policy_is_one_object_in_a_process(spec: str) -> None:
    cell = make_cell("macke", spec)
    one, two = (pickle.loads(pickle.dumps(cell)) for _ in range(2))
    assert one == two
    functions = [c.entrants[0].main.policy.function for c in (one, two)]
    assert functions[0] is functions[1]
    built_in = make_cell("macke", "points:350")
    assert pickle.loads(pickle.dumps(built_in)) == built_in
    assert isinstance(pickle.loads(pickle.dumps(built_in.entrants[0].main.policy)), Policy)


def test_configured_jobs_are_respected() -> None:
    assert read_jobs(None) == -1
    assert read_jobs(3) == 3
    for n_jobs in (1, 2):
        with joblib.parallel_config(backend="threading", n_jobs=n_jobs):
            assert read_jobs(None) == n_jobs
    with joblib.parallel_config(backend="loky"):
        assert read_jobs(None) == -1
    main = threading.get_ident()
    with joblib.parallel_config(backend="threading", n_jobs=1):
        assert set(run_tasks(lambda _: threading.get_ident(), [(i,) for i in range(20)])) == {main}
    for wrong in (0, True, 1.5):
        with pytest.raises(RequestError, match="n_jobs is"):
            read_jobs(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("window", [None, 1, 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ordered_answers_are_in_order(n_jobs: int, window: int | None) -> None:
    calls = [(value, 0.001 * (value % 3)) for value in range(30)]

    def answer(value: int, seconds: float) -> int:
        time.sleep(seconds)
        return value

    assert list(run_tasks(answer, calls, n_jobs, ordered=True, window=window)) == list(range(30))


def test_stopping_early_is_silent() -> None:
    stream = run_tasks(abs, [(value,) for value in range(1000)], 2)
    next(stream)
    stream.close()  # joblib would warn, and warnings are errors here


def test_error_of_a_policy_comes_through(spec: str) -> None:
    def failing(item: Any, first: int, count: int) -> int:
        raise RequestError("wrong in a worker")

    for n_jobs in (1, 2):
        with pytest.raises(RequestError, match="wrong in a worker"):
            list(run_pieces(failing, [Piece(0, None, 0, 100, 1)], n_jobs))


def test_workers_that_keep_dying_end_the_run() -> None:
    def deadly(item: Any, first: int, count: int) -> int:
        import os

        os._exit(1)

    with use_backend("loky", 2), pytest.raises(WorkerError, match="died 3 times in a row"):
        list(run_pieces(deadly, [Piece(0, None, 0, 100, 1)]))


def test_wrong_backends_are_named() -> None:
    with pytest.raises(RequestError, match="did you mean 'loky'"), use_backend("loki"):
        pass
    with pytest.raises(RequestError, match="has none"), use_backend("threads", scheduler="tcp://127.0.0.1:1"):
        pass


def test_per_game_rows_are_the_same_everywhere(tmp_path: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(play, "ROWS_BYTES", 2**22)
    tables = []
    for n_jobs in (1, 2):
        path = tmp_path / f"rows-{n_jobs}.parquet"
        simulate(spec, n_jobs=n_jobs, rows=str(path))
        with pq.ParquetFile(path) as file:
            assert file.num_row_groups > 1
        tables.append(pq.read_table(path))
    assert tables[0].equals(tables[1])


# --- clusters ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dask_local_cluster(spec: str, expected: Tally, small_tasks: None) -> None:
    pytest.importorskip("distributed", reason="pip install 'pymacco-sim[dask]'")
    with use_backend("dask", 2):
        assert simulate(spec) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dask_scheduler_by_address_survives_a_killed_worker(spec: str) -> None:
    distributed = pytest.importorskip("distributed", reason="pip install 'pymacco-sim[dask]'")
    n_games = 6_000_000
    cell = make_cell("macke", spec, seed=1)
    alone = play_games(cell, n_games)
    killed = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def kill_one() -> None:
            import os
            import signal

            time.sleep(3)
            pid = next(iter(cluster.workers.values())).pid
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

        killer = threading.Thread(target=kill_one)
        killer.start()
        with use_backend("dask", scheduler=cluster.scheduler_address):
            n_done = 0
            total = None
            while not killed or total is None:  # long enough to be hit, however fast this machine is
                total = play_games(cell, n_games)
                n_done += 1
                assert total == alone
        killer.join()
    assert killed
    assert n_done >= 1


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dask_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="pip install 'pymacco-sim[dask]'")
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 1)
    with pytest.raises(RequestError, match="backend dask is not reached"), use_backend(None, None, "tcp://127.0.0.1:9"):
        pass


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_ray_local_run(tmp_path: Path, spec: str) -> None:
    pytest.importorskip("ray", reason="pip install 'pymacco-sim[ray]'")
    words = ["run", "macke", spec, "-n", str(N_GAMES), "--seed", "1", "-j", "2", "-o"]
    for name, more in (("plain", []), ("ray", ["--backend", "ray"])):
        subprocess.run(
            [sys.executable, "-m", "pymacco_sim", *words, name, *more], cwd=tmp_path, check=True, capture_output=True
        )
    for file in ("table.csv", "totals.csv", "games.counts"):
        one, two = (tmp_path / "results" / name / file for name in ("plain", "ray"))
        assert one.read_bytes() == two.read_bytes()
