"""Every error the system can answer with, found by walking the classes: none is forgotten."""

import dataclasses
import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.apps import apps
from django.conf import settings

from core.api.problems import status_of
from core.kernel.errors import DomainError

# Modules that start something, or that are not the system's own.
_NOT_IMPORTED = {"config", "embedded", "migrations", "management", "sample"}


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A code, its status, its English title, and whether the same request may succeed later."""

    code: str
    status: int
    title: str
    transient: bool


def _import_all() -> None:
    roots = {
        config.name.partition(".")[0]
        for config in apps.get_app_configs()
        if Path(config.path).is_relative_to(settings.BASE_DIR)
        and "site-packages" not in Path(config.path).parts
    }
    for root in sorted(roots):
        _import_under(importlib.import_module(root).__path__, f"{root}.")


def _import_under(path: Iterable[str], prefix: str) -> None:
    for found in pkgutil.iter_modules(path, prefix):
        if found.name.rpartition(".")[2] in _NOT_IMPORTED:
            continue
        module = importlib.import_module(found.name)
        if found.ispkg:
            _import_under(module.__path__, f"{found.name}.")


def _walk(kind: type[DomainError]) -> Iterator[type[DomainError]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _walk(subclass)


def classes() -> list[type[DomainError]]:
    """Every class of domain errors with a code of its own, by code."""
    _import_all()
    own = {
        kind
        for kind in _walk(DomainError)
        if "code" in vars(kind) and kind.__module__.partition(".")[0] != "tests"
    }
    return sorted(own, key=lambda kind: (kind.code, kind.__module__))


@functools.cache
def entries() -> dict[str, Entry]:
    """The table of codes. Raises ValueError when two classes share a code and differ in status."""
    table: dict[str, Entry] = {}
    for kind in classes():
        entry = Entry(kind.code, status_of(kind), kind.message, kind.transient)
        known = table.setdefault(kind.code, entry)
        if known.status != entry.status:
            raise ValueError(f"the code {kind.code!r} has two statuses")
    return table


def as_markdown() -> str:
    """The table as docs/problems.md has it."""
    lines = [
        "# Problems",
        "",
        "Every refusal is `application/problem+json` (RFC 9457). Programs look at `code`, which is",
        "stable; `title` is for people, in the language of `Accept-Language` (ca, es, en). A",
        "transient problem may go away: send the same request again, after `Retry-After` if given.",
        "",
        "`manage.py problems` writes this page; a test keeps it equal to the code.",
        "",
        "| code | status | transient | title |",
        "| --- | --- | --- | --- |",
    ]
    for entry in entries().values():
        transient = "yes" if entry.transient else ""
        lines.append(f"| `{entry.code}` | {entry.status} | {transient} | {entry.title} |")
    return "\n".join(lines) + "\n"
