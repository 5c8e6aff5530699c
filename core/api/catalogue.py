"""List every error that the system can answer with, by walking the error classes."""

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

# Importing these would start something, or would import what is not part of the system, or need not
# be installed (`tracing`), or be there: a process for sales has no pages of staff (`admin` and
# `administration`).
_NOT_IMPORTED = {
    "admin",
    "administration",
    "config",
    "embedded",
    "migrations",
    "management",
    "sample",
    "tracing",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A code with its status, its English title, and whether the same request may succeed later."""

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
    for module_info in pkgutil.iter_modules(path, prefix):
        if module_info.name.rpartition(".")[2] in _NOT_IMPORTED:
            continue
        module = importlib.import_module(module_info.name)
        if module_info.ispkg:
            _import_under(module.__path__, f"{module_info.name}.")


def _walk(kind: type[DomainError]) -> Iterator[type[DomainError]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _walk(subclass)


def classes() -> list[type[DomainError]]:
    """Return every class of domain errors that defines a code, sorted by code."""
    _import_all()
    own = {
        kind
        for kind in _walk(DomainError)
        if "code" in vars(kind) and kind.__module__.partition(".")[0] != "tests"
    }
    return sorted(own, key=lambda kind: (kind.code, kind.__module__))


@functools.cache
def entries() -> dict[str, Entry]:
    """Return the table of codes. Raises ValueError if classes share a code and differ in status."""
    table: dict[str, Entry] = {}
    for kind in classes():
        entry = Entry(kind.code, status_of(kind), kind.message, kind.transient)
        first = table.setdefault(kind.code, entry)
        if first.status != entry.status:
            raise ValueError(f"the code {kind.code!r} has two statuses")
    return table


def as_markdown() -> str:
    """Return the table as Markdown, the content of docs/problems.md."""
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
