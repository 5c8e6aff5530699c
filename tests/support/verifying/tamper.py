"""Make every change of one field of a document, at any depth."""

import copy
import re
from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]


def changes(document: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield (place, document with that one field changed, removed, added or moved)."""
    here = _inside(document, at)
    if isinstance(here, dict):
        for name in here:
            yield from changes(document, (*at, name))
            yield (*at, name), _with(document, at, {k: v for k, v in here.items() if k != name})
        yield (*at, "more"), _with(document, at, here | {"more": 1})
        return
    if isinstance(here, list):
        for number, item in enumerate(here):
            yield from changes(document, (*at, number))
            yield (*at, number), _with(document, at, here[:number] + here[number + 1 :])
            yield (*at, number), _with(document, at, [*here[:number], item, *here[number:]])
        if len(here) > 1 and here[::-1] != here:
            yield at, _with(document, at, here[::-1])
        yield at, _with(document, at, None)
        return
    for other in _others(here):
        yield at, _with(document, at, other)


def lies(document: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield (place, document with another value of the same sort there, or an item more or
    less).
    """
    here = _inside(document, at)
    if isinstance(here, dict):
        for name in here:
            yield from lies(document, (*at, name))
        return
    if isinstance(here, list):
        for number, item in enumerate(here):
            yield from lies(document, (*at, number))
            yield at, _with(document, at, here[:number] + here[number + 1 :])
            yield at, _with(document, at, [*here[:number], item, *here[number:]])
        return
    for other in _likely(here):
        yield at, _with(document, at, other)


def _likely(value: Any) -> list[Any]:
    """Return other values of the sort: near and far numbers, earlier and later moments, words of a
    list.
    """
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [*{value + 1, max(0, value - 1), 0, 10 * value + 7} - {value}]
    if value is None:
        return ["00" * 32, "2031-01-01T00:00:00.000000Z", "x"]
    if re.fullmatch(r"\d{4}-\d\d-\d\d(T.*)?", value):
        return [year + value[4:] for year in ("1999", "2099")]
    if re.fullmatch("[0-9a-f]{32,}", value):
        return ["00" * (len(value) // 2)]
    for words in LISTS:
        if value in words:
            return [word for word in words if word != value]
    return [value + "1", "1"] if value != "1" else ["2"]


LISTS = (
    ("run", "not_run", "suspended", "all_disqualified", "no_winner"),
    ("dice", "balls", "phrase"),
    ("schedule", "start", "not_run", "organiser"),
    ("computed", "balls"),
    ("9.2", "9.3"),
)


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 2, str(value), None]
    if isinstance(value, str) and value:
        last = "0" if value[-1] != "0" else "1"
        first = "f" if value[0] != "f" else "e"
        return [value[:-1] + last, first + value[1:], value + last, value.upper() + " ", 7, None]
    return ["x", 7]


def _inside(document: Any, at: Place) -> Any:
    for step in at:
        document = document[step]
    return document


def _with(document: Any, at: Place, value: Any) -> Any:
    """Return the document with that value there. It shares with the true one what is beside it."""
    if not at:
        return value
    step, *below = at
    changed = copy.copy(document)
    changed[step] = _with(document[step], tuple(below), value)
    return changed
