"""Describe the official programme of a meeting and check it (14.III.5.1, 14.III.5.2).

The organiser sends it as JSON or CSV. Both readers (`programme_json`, `programme_csv`) end in
`assemble`, so both give the same object. A file is accepted completely, or refused completely with
a list of all faults. Selections refer to the runners' numbers of the programme (14.I.5).
Withdrawals and results are not part of it. `docs/programme-format.md` describes the format.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

from core.kernel.days import MADRID, add_days
from core.kernel.errors import Invalid
from core.kernel.regulation import shipped
from lototrot.engine.jornada import meeting_end

MAX_BYTES = 2_000_000
MAX_FAULTS = 1_000
FEWEST_RUNNERS = 2

# The codes are public and stable. The sentences are for the people who write programmes.
SENTENCES = {
    "too_large": "The file has {size} bytes; at most {limit} are read.",
    "not_utf8": "The file is not UTF-8 text.",
    "json_syntax": "This is not JSON: {why}.",
    "json_too_deep": "Lists and objects are nested too deeply.",
    "csv_syntax": "This is not CSV: {why}.",
    "too_many_errors": "There are more than {limit} errors; the rest was not looked at.",
    "unknown_format": "The format must be {wanted}.",
    "duplicate_key": "The field {name} is given more than once.",
    "unknown_field": "There is no field {name} here.",
    "missing_field": "The field {name} must be given.",
    "wrong_type": "This must be {wanted}.",
    "missing_column": "The column {name} must be in the first line.",
    "unknown_column": "There is no column {name}.",
    "repeated_column": "The column {name} is there more than once.",
    "row_length": "This line has {cells} cells, the first line has {columns}.",
    "no_rows": "There is no line after the first.",
    "inconsistent": "This differs from {other}, which must say the same.",
    "out_of_range": "This must be from {low} to {high}.",
    "too_long": "This has {length} characters; at most {limit} are allowed.",
    "control_character": "There is an invisible character (U+{point:04X}) at position {position}.",
    "bad_format": "This must look like {wanted}.",
    "not_allowed": "This must be one of {wanted}.",
    "bad_date": "There is no such day, or it is not written YYYY-MM-DD.",
    "bad_start": "There is no such time, or it is not written YYYY-MM-DDThh:mm+hh:mm.",
    "start_without_offset": "The start needs its offset from UTC, like +02:00.",
    "unknown_timezone": "There is no such time zone; they are written like Europe/Madrid.",
    "start_offset_mismatch": "In {zone} the offset is then {wanted}.",
    "start_not_on_day": "In {zone} this is on {local}, not on the meeting's day {day}.",
    "start_after_end": "The meeting of {day} ends at {end} of Madrid, before this.",
    "first_start_not_on_day": "The first start is on {local}, not on the meeting's day {day}.",
    "bad_hour": "There is no such hour, or it is not written hh:mm.",
    "end_not_in_the_morning": "A meeting ends at {most} of the next day at the latest.",
    "starts_out_of_order": "This is not later than race {number}'s start ({other}).",
    "no_races": "The programme has no race.",
    "repeated_racecourse": "The racecourse {name} is already at {other}.",
    "unknown_racecourse": "There is no racecourse {name} in this programme.",
    "racecourse_without_races": "The racecourse {name} has no race.",
    "repeated_race": "Race {number} of {name} is already at {other}.",
    "too_few_runners": "A race needs at least {fewest} runners.",
    "repeated_number": "The number {number} is already at {other}.",
}


@dataclass(frozen=True, slots=True)
class Racecourse:
    """A racecourse. `timezone` is an IANA name; `country` is two letters of ISO 3166-1."""

    code: str
    name: str
    timezone: str
    municipality: str
    country: str


@dataclass(frozen=True, slots=True)
class Runner:
    """A horse with its programme number, 1 to 31 (14.I.5).

    `distance_m` is set if the horse runs another distance than the race, in a handicap. `form` is
    its last results as the programme prints them, the newest first ("1 3 D 2").
    """

    number: int
    name: str
    driver: str | None = None
    trainer: str | None = None
    sex: str | None = None
    age_years: int | None = None
    distance_m: int | None = None
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Race:
    """A race. `number` is unique at `racecourse` (a code). `scheduled_start` is aware."""

    racecourse: str
    number: int
    name: str
    scheduled_start: datetime
    runners: tuple[Runner, ...]
    distance_m: int | None = None
    start_method: str | None = None
    conditions: str | None = None


@dataclass(frozen=True, slots=True)
class Programme:
    """The programme of one meeting: racecourses sorted by code, races by start.

    `ends_next_day_at` is the hour of the next morning at which it ends, if the programme states one
    [B15].
    """

    day: date
    name: str
    reference: str
    racecourses: tuple[Racecourse, ...]
    races: tuple[Race, ...]
    ends_next_day_at: time | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a file. `place` is a JSON pointer, or a line and a column."""

    place: str
    code: str
    message: str


class ProgrammeInvalid(Invalid):
    """The file has errors; `data["errors"]` is a list of {place, code, message}."""

    code = "programme_invalid"
    message = "The programme is not valid."


@dataclass(slots=True)
class Faults:
    """Collect the errors of one file. Stop at `MAX_FAULTS`."""

    found: list[Fault] = field(default_factory=list)

    def add(self, place: str, code: str, /, **values: object) -> None:
        self.found.append(Fault(place, code, SENTENCES[code].format_map(values)))
        if len(self.found) == MAX_FAULTS and code != "too_many_errors":
            self.stop(place, "too_many_errors", limit=MAX_FAULTS)

    def stop(self, place: str, code: str, /, **values: object) -> NoReturn:
        """Add an error after which the rest cannot be read, and raise ProgrammeInvalid."""
        self.add(place, code, **values)
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raise ProgrammeInvalid with all errors."""
        first = self.found[0]
        where = f"{first.place}: " if first.place else ""
        raise ProgrammeInvalid(
            f"The programme has errors ({len(self.found)}). First: {where}{first.message}",
            errors=[asdict(fault) for fault in self.found],
        )


@dataclass(slots=True)
class Record:
    """A part of a file: the values that are valid on their own, and the place of each."""

    place: str
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class RaceRecord(Record):
    """A race of a file. `runners` is None if their list could not be read."""

    runners: list[Record] | None = None


def decode(data: bytes, max_bytes: int, faults: Faults) -> str:
    """Return the text of a UTF-8 file without a byte order mark, which office programs write."""
    if len(data) > max_bytes:
        faults.stop("", "too_large", size=len(data), limit=max_bytes)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        faults.stop(f"byte {error.start + 1}", "not_utf8")


def excerpt(text: str) -> str:
    """Return at most 40 characters of `text` for a message, without invisible characters."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in text[:40])
    return printable + ("..." if len(text) > 40 else "")


def assemble(
    meeting: Record,
    racecourses: Sequence[Record],
    races: Sequence[RaceRecord],
    faults: Faults,
) -> Programme:
    """Check the rules that concern several fields, and build the programme.

    A value that is invalid on its own is not in its record, so it causes no second error. Raises
    ProgrammeInvalid.
    """
    by_code = _check_racecourses(racecourses, races, faults)
    _check_races(meeting, by_code, races, faults)
    for race in races:
        _check_runners(race, faults)
    if faults.found:
        faults.refuse()
    return Programme(
        **meeting.values,
        racecourses=tuple(Racecourse(**by_code[code].values) for code in sorted(by_code)),
        races=tuple(sorted(map(_race, races), key=_running_order)),
    )


def _race(record: RaceRecord) -> Race:
    runners = (Runner(**runner.values) for runner in record.runners or ())
    return Race(**record.values, runners=tuple(sorted(runners, key=lambda runner: runner.number)))


def _running_order(race: Race) -> tuple[datetime, str, int]:
    return race.scheduled_start, race.racecourse, race.number


def _check_racecourses(
    racecourses: Sequence[Record], races: Sequence[RaceRecord], faults: Faults
) -> dict[str, Record]:
    by_code: dict[str, Record] = {}
    used = {race.values.get("racecourse") for race in races}
    all_known = bool(used) and None not in used
    for record in racecourses:
        code = record.values.get("code")
        if code is None:
            continue
        place = record.places["code"]
        first = by_code.setdefault(code, record)
        if first is not record:
            faults.add(place, "repeated_racecourse", name=code, other=first.places["code"])
        elif all_known and code not in used:
            faults.add(place, "racecourse_without_races", name=code)
    return by_code


def _check_races(
    meeting: Record,
    by_code: Mapping[str, Record],
    races: Sequence[RaceRecord],
    faults: Faults,
) -> None:
    seen: dict[tuple[str, int], RaceRecord] = {}
    for race in races:
        code, number = race.values.get("racecourse"), race.values.get("number")
        if code is not None and code not in by_code:
            faults.add(race.places["racecourse"], "unknown_racecourse", name=code)
        if code is not None and number is not None:
            first = seen.setdefault((code, number), race)
            if first is not race:
                place, other = race.places["number"], first.places["number"]
                faults.add(place, "repeated_race", number=number, name=code, other=other)
        _check_start(race, meeting, by_code.get(code or ""), faults)
    _check_first_start(meeting, races, faults)
    _check_order([seen[key] for key in sorted(seen)], faults)


def _check_start(
    race: RaceRecord, meeting: Record, racecourse: Record | None, faults: Faults
) -> None:
    """Check that a start has the racecourse's UTC offset and is inside the meeting [E2, B15].

    It is on the meeting's day, or after midnight before the meeting ends. Remove a wrong start from
    the record, so that it is not compared with the others.
    """
    start: datetime | None = race.values.get("scheduled_start")
    zone: str | None = racecourse.values.get("timezone") if racecourse else None
    if start is None or zone is None:
        return
    local = start.astimezone(ZoneInfo(zone))
    place = race.places["scheduled_start"]
    if local.utcoffset() != start.utcoffset():
        offset = local.isoformat()[-6:]
        faults.add(place, "start_offset_mismatch", zone=zone, wanted=offset)
    elif _inside(meeting, local, place, faults):
        return
    del race.values["scheduled_start"]


def _inside(meeting: Record, local: datetime, place: str, faults: Faults) -> bool:
    """Return whether a start is inside the meeting, as far as its day and end are known."""
    day: date | None = meeting.values.get("day")
    if day is None or ("ends_next_day_at" in meeting.places and _end_unknown(meeting, faults)):
        return True
    figures = shipped().in_force(day).lototrot.meeting
    end = meeting_end(day, meeting.values.get("ends_next_day_at"), figures)
    if local.date() == day and local >= end:  # at a racecourse far to the west
        shown_end = f"{end.astimezone(MADRID):%Y-%m-%d %H:%M}"
        faults.add(place, "start_after_end", day=day, end=shown_end)
        return False
    if local.date() == day or (local.date() == add_days(day, 1) and local < end):
        return True
    faults.add(place, "start_not_on_day", zone=local.tzinfo, local=local.date(), day=day)
    return False


def _end_unknown(meeting: Record, faults: Faults) -> bool:
    place = meeting.places["ends_next_day_at"]
    return any(fault.place == place for fault in faults.found)


def _check_first_start(meeting: Record, races: Sequence[RaceRecord], faults: Faults) -> None:
    """Check that the meeting begins on its own day; only races after its first may be at night."""
    day: date | None = meeting.values.get("day")
    if day is None or not races or any("scheduled_start" not in race.values for race in races):
        return
    first = min(races, key=lambda race: race.values["scheduled_start"])
    local: datetime = first.values["scheduled_start"]
    if local.date() != day:
        place = first.places["scheduled_start"]
        faults.add(place, "first_start_not_on_day", local=local.date(), day=day)


def _check_order(races: Sequence[RaceRecord], faults: Faults) -> None:
    """Check that races start in the order of their numbers. `races` are sorted by number."""
    before: RaceRecord | None = None
    for race in races:
        if "scheduled_start" not in race.values:
            continue
        if (
            before is not None
            and before.values["racecourse"] == race.values["racecourse"]
            and before.values["scheduled_start"] >= race.values["scheduled_start"]
        ):
            faults.add(
                race.places["scheduled_start"],
                "starts_out_of_order",
                number=before.values["number"],
                other=before.places["scheduled_start"],
            )
        before = race


def _check_runners(race: RaceRecord, faults: Faults) -> None:
    if race.runners is None:
        return
    if len(race.runners) < FEWEST_RUNNERS:
        place = race.places.get("runners", race.place)
        faults.add(place, "too_few_runners", fewest=FEWEST_RUNNERS)
    seen: dict[int, str] = {}
    for runner in race.runners:
        number = runner.values.get("number")
        if number is None:
            continue
        place = runner.places["number"]
        if seen.setdefault(number, place) != place:
            faults.add(place, "repeated_number", number=number, other=seen[number])
