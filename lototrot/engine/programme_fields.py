"""Define the fields of the official programme, in one table for both file formats (14.III.5.2).

A field is read from a JSON value or from the text of a CSV cell, by the same rules.
All faults are reported, each with its place in the file. `core.kernel.documents.Table` reads only
JSON.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.kernel.texts import invisible_at
from lototrot.engine.programme import Faults, Record
from lototrot.engine.races import HIGHEST_NUMBER, LOWEST_NUMBER

START_METHODS = ("autostart", "standing")
SPACES = " \u00a0"
SEXES = ("stallion", "gelding", "mare")

_ZONE = re.compile(r"UTC|[A-Za-z_]{1,32}(/[A-Za-z0-9_+-]{1,32}){1,2}")
_DAY = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(_DAY.pattern + r"T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")
_HOUR = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_LATEST_END = time(12)
LONGEST_INTEGER = 18  # digits; a longer one is out of every range, and slow to read
_OFFSET = re.compile(r"Z|[+-][0-9]{2}:[0-9]{2}")


class Wrong(ValueError):
    """A value is not what its field must be: a code of `programme.SENTENCES` and its data."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True)
class Field:
    """`convert` takes a value of the type `kind` (str or int) and raises `Wrong`."""

    name: str
    convert: Callable[[Any], object]
    kind: type = str
    required: bool = True


def _text(limit: int) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if len(text) <= limit:
            # Composed first, so that a name is one string whichever keyboard wrote it.
            text = unicodedata.normalize("NFC", text)
        if len(text) > limit:
            raise Wrong("too_long", length=len(text), limit=limit)
        place = invisible_at(text)
        if place is not None:
            raise Wrong("control_character", point=ord(text[place]), position=place + 1)
        return text

    return convert


def _integer(low: int, high: int) -> Callable[[int], int]:
    def convert(number: int) -> int:
        if not low <= number <= high:
            raise Wrong("out_of_range", low=low, high=high)
        return number

    return convert


def _pattern(pattern: str, wanted: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def convert(text: str) -> str:
        if compiled.fullmatch(text) is None:
            raise Wrong("bad_format", wanted=wanted)
        return text

    return convert


def _choice(options: Sequence[str]) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in options:
            raise Wrong("not_allowed", wanted=", ".join(options))
        return text

    return convert


def _day(text: str) -> date:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Wrong("bad_date")


def _morning(text: str) -> time:
    """Read the hour of the next morning at which a meeting ends [B15]."""
    if _HOUR.fullmatch(text) is None:
        raise Wrong("bad_hour")
    hour = time.fromisoformat(text)
    if hour > _LATEST_END:
        raise Wrong("end_not_in_the_morning", most=f"{_LATEST_END:%H:%M}")
    return hour


def _instant(text: str) -> datetime:
    """Read an instant in its one form: `fromisoformat` takes many, some of them ambiguous."""
    written = _INSTANT.match(text)
    if written is None:
        raise Wrong("bad_start")
    if written.end() == len(text):
        raise Wrong("start_without_offset")
    if _OFFSET.fullmatch(text, written.end()) is None:
        raise Wrong("bad_start")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Wrong("bad_start") from None


def _zone(text: str) -> str:
    # The pattern keeps the name from walking the disk; a folder of the database is an OSError.
    if _ZONE.fullmatch(text):
        try:
            ZoneInfo(text)
        except (ZoneInfoNotFoundError, OSError, ValueError):
            pass
        else:
            return text
    raise Wrong("unknown_timezone")


_CODE = _pattern(r"[A-Z][A-Z0-9-]{1,11}", "SONPARDO, 2 to 12 capitals, digits or hyphens")
_DISTANCE = Field("distance_m", _integer(200, 10_000), int, required=False)

MEETING = (
    Field("day", _day),
    Field("name", _text(120)),
    Field("reference", _text(40)),
    Field("ends_next_day_at", _morning, required=False),
)
RACECOURSE = (
    Field("code", _CODE),
    Field("name", _text(80)),
    Field("timezone", _zone),
    Field("municipality", _text(80)),
    Field("country", _pattern("[A-Z]{2}", "ES, two capitals")),
)
RACE = (
    Field("racecourse", _CODE),
    Field("number", _integer(1, 99), int),
    Field("name", _text(120)),
    Field("scheduled_start", _instant),
    _DISTANCE,
    Field("start_method", _choice(START_METHODS), required=False),
    Field("conditions", _text(500), required=False),
)
RUNNER = (
    Field("number", _integer(LOWEST_NUMBER, HIGHEST_NUMBER), int),
    Field("name", _text(80)),
    Field("driver", _text(80), required=False),
    Field("trainer", _text(80), required=False),
    Field("sex", _choice(SEXES), required=False),
    Field("age_years", _integer(1, 30), int, required=False),
    _DISTANCE,
    Field("form", _text(40), required=False),
)


def read_fields(
    record: Record,
    fields: Sequence[Field],
    source: Mapping[str, object],
    place_of: Callable[[str], str],
    faults: Faults,
) -> None:
    """Put into `record` the fields of `source` that are right; add a fault for each that is not.

    Nothing, and nothing but spaces, is an absent value in both formats; spaces around are dropped.
    """
    for field in fields:
        place = record.places[field.name] = place_of(field.name)
        value = source.get(field.name)
        if isinstance(value, str):
            value = value.strip(SPACES)
        if value is None or value == "":
            if field.required:
                faults.add(place, "missing_field", name=field.name)
        elif type(value) is not field.kind:
            wanted = "a whole number" if field.kind is int else "text"
            faults.add(place, "wrong_type", wanted=wanted)
        else:
            try:
                record.values[field.name] = field.convert(value)
            except Wrong as wrong:
                faults.add(place, wrong.code, **wrong.values)
