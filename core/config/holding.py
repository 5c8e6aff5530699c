"""Take the keys of the own kind of process. A process without a key cannot lose it."""

from typing import Any, NoReturn

from django.core.exceptions import ImproperlyConfigured

from core.kernel.holding import HELD


class Absent:
    """The place of keys that this kind of process does not hold. Its use says so by name."""

    def __init__(self, name: str, process: str) -> None:
        self._name, self._process = name, process

    def _refuse(self, *_: Any) -> NoReturn:
        raise ImproperlyConfigured(f"a process of the kind {self._process} has no {self._name}")

    __iter__ = __getitem__ = _refuse

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def __repr__(self) -> str:
        return f"<no {self._name}>"


def held(process: str) -> frozenset[str]:
    """Return the names of the keys that a kind of process holds. Raises ImproperlyConfigured."""
    if process not in HELD:
        raise ImproperlyConfigured(f"PROCESS must be one of {', '.join(HELD)}, not {process!r}")
    return HELD[process]
