"""Every public name explains itself: shapes, units, errors, an example that runs (as a doctest)."""

from __future__ import annotations

import inspect

import pytest

import pymacco_sim as pm
from pymacco_sim import plots

FUNCTIONS = [(name, getattr(pm, name)) for name in pm.__all__ if inspect.isfunction(getattr(pm, name))]
FUNCTIONS += [(f"plots.{name}", getattr(plots, name)) for name in plots.__all__]
CLASSES = [(name, getattr(pm, name)) for name in pm.__all__ if inspect.isclass(getattr(pm, name))]


@pytest.mark.parametrize(("name", "function"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_a_public_function_is_documented(name: str, function: object) -> None:
    text = inspect.getdoc(function) or ""
    for section in ("Parameters", "Returns", "Examples"):
        assert f"{section}\n---" in text or (section == "Parameters" and not inspect.signature(function).parameters)
    for parameter in inspect.signature(function).parameters:
        assert parameter in text, f"{name}: parameter {parameter} is not explained"


@pytest.mark.parametrize(("name", "kind"), CLASSES, ids=[name for name, _ in CLASSES])
def test_a_public_class_is_documented(name: str, kind: type) -> None:
    assert inspect.getdoc(kind)
    for member, value in vars(kind).items():
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
            assert inspect.getdoc(value), f"{name}.{member} has no docstring"


def test_names_are_found_whatever_was_imported_before() -> None:
    import pymacco_sim.simulation
    import pymacco_sim.sweeps  # noqa: F401

    for name in pm.__all__:
        assert getattr(pm, name) is not None
    assert callable(pm.games)
    assert callable(pm.simulate)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pm.nothing
