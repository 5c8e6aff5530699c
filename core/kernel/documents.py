"""Read JSON documents strictly: regulation, bet types, games, plans, cases of whatif.

`loads` parses a text, `Table` reads an object of it: each field has one type, and an unknown field
is an error. The first fault is raised, with its JSON path (`$.tiers[2].count`) as `data["place"]`;
or all faults are gathered, as a form needs them. A programme has a reader of its own, because one
table of fields reads its JSON and its CSV; request bodies are declared in `core.api.bodies`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from fractions import Fraction
from typing import Any, ClassVar, Final, NoReturn, TypeVar

from core.kernel.errors import Invalid
from core.kernel.money import BadPercent, parse_percent

MAX_DEPTH: Final = 32
MAX_ITEMS: Final = 128
_MAX_DIGITS: Final = 30
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HOUR: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")

T = TypeVar("T")


class NotJson(ValueError):
    """The text is not one JSON document; `position` is where it fails, if that is known."""

    def __init__(self, why: str, position: int | None = None) -> None:
        super().__init__(why)
        self.position = position


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotJson("An object has the same name twice.")
    return members


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not JSON.")


def _short(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
_exact_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=str, parse_float=str, parse_int=_short
)


def loads(text: str, *, exact: bool = False) -> Any:
    """Return the document. Raises NotJson.

    Besides bad syntax and trailing data it refuses repeated names, NaN and Infinity, integers of
    thousands of digits, and nesting deeper than MAX_DEPTH. With `exact`, each number stays the text
    it is, except integers of up to 30 digits: then one wrong number does not spoil the document.
    """
    try:
        document = (_exact_decoder if exact else _decoder).decode(text)
    except RecursionError as error:
        raise NotJson("The document is nested too deeply.") from error
    except json.JSONDecodeError as error:
        where = f"{error.msg} (line {error.lineno}, column {error.colno})."
        raise NotJson(where, error.pos) from error
    except NotJson:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise NotJson("A number is too long.") from error
    # Walking a document is slow: do so only if counting brackets shows a reason.
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(document)
    return document


def _check_depth(document: Any) -> None:
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise NotJson("The document is nested too deeply.")


def versions(text: str, refusal: type[Invalid]) -> list[Any]:
    """Return the list `versions` of a data file, which holds nothing else."""
    table = Table(loads(text), "$", refusal)
    dated = table.get("versions")
    table.finish()
    if not isinstance(dated, list):
        raise table.wrong("versions", "a list is needed")
    return dated


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that was gathered: its kind, the JSON path, the reason."""

    kind: str
    place: str
    why: str


class Table:
    """An object of the document. `finish` refuses the fields that the reader did not read.

    `refusal` is the error that every method raises, with `data["place"]`. Where a list of `faults`
    is given, nothing is raised: each fault is added to it, and the method returns a substitute. A
    subclass may say the reasons in its own `words`, by kind of fault.
    """

    words: ClassVar[Mapping[str, str]] = {
        "object": "an object is needed",
        "unknown": "nothing of that name belongs here",
        "text": "a text is needed",
        "whole": "a whole number from {least} to {most} is needed",
        "list": "a list of 1 to {most} items is needed",
        "day": "a day, YYYY-MM-DD, is needed",
        "hour": "an hour, hh:mm, is needed",
    }

    def __init__(
        self,
        value: object,
        place: str,
        refusal: type[Invalid],
        faults: list[Fault] | None = None,
    ) -> None:
        self.place = place
        self.refusal = refusal
        self.faults = faults
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            self.refuse("", "object", None)
            value, self.faults = {}, []  # that its fields are absent is no further fault
        self._values: Mapping[str, object] = value
        self.unread = dict.fromkeys(value)

    def has(self, key: str) -> bool:
        """Return whether the field is present."""
        return key in self._values

    def get(self, key: str) -> object:
        """Return the value of a field, None if the field is absent."""
        self.unread.pop(key, None)
        return self._values.get(key)

    def at(self, key: str) -> str:
        """Return the JSON path of a field; of the object itself for an empty key."""
        return ".".join(filter(None, (self.place, key)))

    def wrong(self, key: str, why: str) -> Invalid:
        """Return the error for a field; `why` is the reason."""
        place = self.at(key)
        return self.refusal(f"{place}: {why}", place=place)

    def refuse(self, key: str, kind: str, instead: T, **values: object) -> T:
        """Refuse a field, or note the fault and return the substitute."""
        why = self.words.get(kind, "{why}").format(**values)
        if self.faults is None:
            raise self.wrong(key, why)
        self.faults.append(Fault(kind, self.at(key), why))
        return instead

    def sound(self, key: str) -> bool:
        """Return whether no fault was gathered at the place of the field, nor below it."""
        place = self.at(key)
        return not any(f"{fault.place}.".startswith(f"{place}.") for fault in self.faults or ())

    def only(self, names: Iterable[str]) -> None:
        """Refuse the fields that have none of these names."""
        allowed = set(names)
        for key in self._values:
            if key not in allowed:
                self.refuse(key, "unknown", None)

    def inner(self, key: str, value: object) -> "Table":
        """Return a value as a table at the place of a field, with the same words and faults."""
        return type(self)(value, self.at(key), self.refusal, self.faults)

    def finish(self) -> None:
        """Refuse the fields that were not read."""
        for key in sorted(self.unread):
            self.refuse(key, "unknown", None)

    def text(self, key: str) -> str:
        """Return a text."""
        value = self.get(key)
        if not isinstance(value, str):
            return self.refuse(key, "text", "")
        return value

    def whole(self, key: str, most: int, least: int = 0) -> int:
        """Return a whole number from `least` to `most`, both inclusive; true and false are none."""
        value = self.get(key)
        if type(value) is not int or not least <= value <= most:
            return self.refuse(key, "whole", 0, least=least, most=most)
        return value

    def optional(self, key: str, most: int, default: int) -> int:
        """Return a whole number from 0 to `most`, or the default if the field is absent."""
        return self.whole(key, most) if key in self.unread else default

    def many(
        self, key: str, read: Callable[["Table", str], T], most: int = MAX_ITEMS
    ) -> tuple[T, ...]:
        """Return a list of 1 to `most` items, each read by `read(items, key)`; `key` names the
        item.
        """
        value = self.get(key)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            return self.refuse(key, "list", (), most=most)
        items = self.inner("", {f"{key}[{at}]": item for at, item in enumerate(value)})
        return tuple(read(items, f"{key}[{at}]") for at in range(len(value)))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return self.many(key, lambda items, at: items.text(at))

    def wholes(self, key: str, most: int) -> tuple[int, ...]:
        """Return a list of whole numbers from 0 to `most`."""
        return self.many(key, lambda items, at: items.whole(at, most))

    def tables(
        self, key: str, read: Callable[["Table"], T], most: int = MAX_ITEMS
    ) -> tuple[T, ...]:
        """Return a list of objects, each read by `read`."""
        return self.many(key, lambda items, at: items.table(at, read), most)

    def table(self, key: str, read: Callable[["Table"], T]) -> T:
        """Return an object, read by `read`. Fields that `read` did not read are refused."""
        inner = self.inner(key, self.get(key))
        result = read(inner)
        inner.finish()
        return result

    def mapping(self, key: str) -> dict[str, str]:
        """Return texts by identifier; an empty mapping if the field is absent."""
        if key not in self.unread:
            return {}
        return self.table(key, lambda inner: {name: inner.text(name) for name in [*inner.unread]})

    def day(self, key: str) -> date:
        """Return a day, YYYY-MM-DD."""
        text = self.get(key)
        if isinstance(text, str) and _DAY.fullmatch(text):
            with suppress(ValueError):
                return date.fromisoformat(text)
        return self.refuse(key, "day", date.min)

    def hour(self, key: str) -> time:
        """Return an hour and minute of the clock, hh:mm."""
        text = self.get(key)
        if isinstance(text, str) and _HOUR.fullmatch(text):
            return time.fromisoformat(text)
        return self.refuse(key, "hour", time.min)

    def percent(self, key: str) -> Fraction:
        """Return an exact percentage, written as a whole number or as a decimal text."""
        try:
            return parse_percent(self.get(key))
        except BadPercent as error:
            return self.refuse(key, error.code, Fraction(0), why=error.detail)
