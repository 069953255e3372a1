"""The command line: parse, call, print. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from pymacco_sim._check import InterruptedRun, RequestError, StorageError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``pymacco-sim``; exits with 0, with 2 for a bad request (one line), with 1 for a failure.

    Parameters
    ----------
    arguments : sequence of str, optional
        Instead of those of the process.

    Raises
    ------
    SystemExit
        Always.
    """
    import typer

    from pymacco_sim.cli.app import command

    usage_error: type[Exception] = typer.BadParameter.__mro__[
        1
    ]  # typer carries its own click, or uses the installed one
    if os.environ.get("PYMACCO_DEBUG"):
        command.main(args=arguments, prog_name="pymacco-sim")
    try:
        code = command.main(args=arguments, prog_name="pymacco-sim", standalone_mode=False)
    except RequestError as error:
        _fail(str(error), 2)
    except usage_error as error:
        _fail(_usage_line(error), 2)
    except InterruptedRun as error:
        _stop(str(error), arguments is None)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except StorageError as error:
        _fail(str(error), 1)
    except Exception as error:
        _fail(f"failed: {type(error).__name__}: {error} (PYMACCO_DEBUG=1 shows where)", 1)
    if code == 130:
        _stop("stopped.", arguments is None and "ray" in sys.modules)
    sys.exit(code if isinstance(code, int) else 0)


LISTS = {"game": "pymacco-sim games", **dict.fromkeys(("policies", "a", "b"), "pymacco-sim policies GAME")}
"""What lists the values that an argument may have."""


def _usage_line(error: object) -> str:
    message = " ".join(getattr(error, "format_message", lambda: str(error))().split())
    missing = getattr(getattr(error, "param", None), "name", None) if message.startswith("Missing argument") else None
    message = message.rstrip(".") + f"; {LISTS[missing]} lists what there is." if missing in LISTS else message
    message += "" if message.endswith((".", "?")) else "."
    context = getattr(error, "ctx", None)
    return f"{message} See: {context.command_path} --help" if context is not None else message


def _stop(message: str, whole_process: bool) -> None:
    """End after an interrupt; all is saved and closed. At once if it is the whole process: clusters' libraries take
    seconds to say goodbye, and Ray crashes if it was just starting.
    """
    if not whole_process:
        _fail(message, 130)
    print(f"pymacco-sim: {message}", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(130)


def _fail(message: str, code: int) -> None:
    print(f"pymacco-sim: {message}", file=sys.stderr)
    sys.exit(code)
