"""Put contributions of a test in place of the apps' contributions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from core import contributions


@contextmanager
def contributed(module: str, constant: str, *values: Any) -> Iterator[None]:
    """Make `values`, one per app, all that apps contribute as `constant` of `module`.

    Blocks may nest. When a block ends, what was contributed before it is contributed again.
    """
    with mock.patch.object(
        contributions, "contributions_by_app", _instead(module, constant, values)
    ):
        yield


def contribute(monkeypatch: pytest.MonkeyPatch, module: str, constant: str, *values: Any) -> None:
    """Do the same as `contributed` until the test ends."""
    monkeypatch.setattr(contributions, "contributions_by_app", _instead(module, constant, values))


def _instead(
    module: str, constant: str, values: tuple[Any, ...]
) -> Callable[[str, str], dict[Any, Any]]:
    of_apps = contributions.contributions_by_app

    def collect(asked_module: str, asked_constant: str) -> dict[Any, Any]:
        if (asked_module, asked_constant) == (module, constant):
            return dict(enumerate(values))
        return of_apps(asked_module, asked_constant)

    return collect
