"""Read the official programme from JSON, and write it in its one canonical form (14.III.5.2).

Every fault is reported with its JSON pointer, and repeated names are faults too.
`core.kernel.documents.loads` refuses a document at its first repeated name.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, time
from typing import Any

from lototrot.engine import programme_fields as known
from lototrot.engine.programme import (
    MAX_BYTES,
    Faults,
    Programme,
    RaceRecord,
    Record,
    assemble,
    decode,
    excerpt,
)

FORMAT = "lototrot-programme-1"
_MEETING = tuple(field.name for field in known.MEETING)


class _Object(dict[str, Any]):
    """A JSON object that remembers the names it was given more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: list[str] = []
        if len(self) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            self.repeated = [name for name, times in counts.items() if times > 1]


def parse_json(data: bytes, *, max_bytes: int = MAX_BYTES) -> Programme:
    """Read a programme; raises `ProgrammeInvalid` with every fault and its JSON pointer."""
    faults = Faults()
    document = _load(decode(data, max_bytes, faults), faults)
    top = _object(document, "", ("format", "meeting", "racecourses", "races"), faults)
    if top is None:
        faults.refuse()
    if "format" not in top:
        faults.add("/format", "missing_field", name="format")
    elif top["format"] != FORMAT:
        faults.add("/format", "unknown_format", wanted=FORMAT)
    meeting = Record("/meeting")
    if "meeting" in top:
        _read(meeting, known.MEETING, top["meeting"], faults)
    else:
        faults.add("/meeting", "missing_field", name="meeting")
    racecourses = []
    for value, place in _items(top, "racecourses", "", faults) or ():
        racecourses.append(Record(place))
        _read(racecourses[-1], known.RACECOURSE, value, faults)
    races = _items(top, "races", "", faults)
    if races == []:
        faults.add("/races", "no_races")
    return assemble(
        meeting, racecourses, [_race(value, place, faults) for value, place in races or ()], faults
    )


def to_json(programme: Programme) -> bytes:
    """Return canonical JSON: equal programmes give equal bytes, and `parse_json` reads it back."""
    plain = asdict(programme)
    document = {
        "format": FORMAT,
        "meeting": {name: plain[name] for name in _MEETING},
        "racecourses": plain["racecourses"],
        "races": plain["races"],
    }
    text = json.dumps(_without_none(document), ensure_ascii=False, indent=1, default=_written)
    return text.encode() + b"\n"


def _written(value: Any) -> str:
    if isinstance(value, time):
        return value.isoformat(timespec="minutes")
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else str(value)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(item) for name, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, tuple | list) else value


def _load(text: str, faults: Faults) -> object:
    try:
        return json.loads(text, object_pairs_hook=_Object, parse_int=_int)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        faults.stop(place, "json_syntax", why=error.msg)
    except RecursionError:
        faults.stop("", "json_too_deep")


def _int(digits: str) -> int:
    return int(digits[: known.LONGEST_INTEGER + 1])


def _pointer(parent: str, name: str) -> str:
    return f"{parent}/{excerpt(name).replace('~', '~0').replace('/', '~1')}"


def _object(
    value: object, place: str, names: Sequence[str], faults: Faults
) -> Mapping[str, Any] | None:
    """Return an object; report its foreign and repeated names. Report any other value: None."""
    if not isinstance(value, _Object):
        faults.add(place, "wrong_type", wanted="an object")
        return None
    for name in value.repeated:
        faults.add(_pointer(place, name), "duplicate_key", name=excerpt(name))
    for name in value:
        if name not in names:
            faults.add(_pointer(place, name), "unknown_field", name=excerpt(name))
    return value


def _items(
    parent: Mapping[str, Any], name: str, place: str, faults: Faults
) -> list[tuple[object, str]] | None:
    """Return the items of a list and their places; None, reported, if there is no such list."""
    value = parent.get(name)
    if isinstance(value, list):
        return [(item, f"{place}/{name}/{index}") for index, item in enumerate(value)]
    if name in parent:
        faults.add(f"{place}/{name}", "wrong_type", wanted="a list")
    else:
        faults.add(f"{place}/{name}", "missing_field", name=name)
    return None


def _read(
    record: Record,
    fields: Sequence[known.Field],
    value: object,
    faults: Faults,
    *lists: str,
) -> Mapping[str, Any] | None:
    source = _object(value, record.place, [*(field.name for field in fields), *lists], faults)
    if source is not None:
        known.read_fields(record, fields, source, lambda name: f"{record.place}/{name}", faults)
    return source


def _race(value: object, place: str, faults: Faults) -> RaceRecord:
    race = RaceRecord(place)
    source = _read(race, known.RACE, value, faults, "runners")
    runners = None if source is None else _items(source, "runners", place, faults)
    if runners is not None:
        race.places["runners"] = f"{place}/runners"
        race.runners = []
        for item, at in runners:
            race.runners.append(Record(at))
            _read(race.runners[-1], known.RUNNER, item, faults)
    return race
