"""Contributions of a test, in place of what the apps contribute."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from core import contributions


@contextmanager
def contributed(module: str, constant: str, *values: Any) -> Iterator[None]:
    """Make `values`, one per app, all that apps contribute as `constant` of `module`.

    Blocks may nest. When a block ends, what was contributed before it is contributed again.
    """
    of_apps = contributions.contributions

    def instead(asked_module: str, asked_constant: str) -> tuple[Any, ...]:
        if (asked_module, asked_constant) == (module, constant):
            return values
        return of_apps(asked_module, asked_constant)

    with mock.patch.object(contributions, "contributions", instead):
        yield
