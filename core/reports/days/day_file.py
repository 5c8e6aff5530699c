"""Write a day as a file of events, and replay the day from the file in an empty database.

The file has the balances at the first instant of the day, the earlier rows that its events need,
the events in order of time, and the figures at the end of the day. A replay computes every cent of
the day again, with the services and engines, and compares.
"""

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any, TextIO

from django.apps import apps
from django.db import connections, transaction
from django.db.models import Model

from core.database import clock
from core.database.guards import guarded_models
from core.database.models import ClockOffset
from core.database.reading.asking import fetch_value
from core.database.reading.snapshot import snapshot
from core.kernel.errors import Conflict, Invalid, InvariantBroken
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.ledger.models import Account
from core.ledger.openings import balances_before
from core.ledger.services import AccountCode, Line
from core.reports.days.rows import Carried, document, insert, row_of
from core.reports.parts import Event, Span, day_parts, replay_of

FORMAT = "day-file/1"
_OPENING = AccountCode("day:opening", Account.Side.DEBIT)
_NAMESPACE = uuid.UUID("6f1c5d6e-2f1e-4a63-9a52-0a7f5b1f0d21")


class NotADayFile(Invalid):
    code = "not_a_day_file"
    message = "This is not a day file of this version, or not a whole one."


class DatabaseNotEmpty(Conflict):
    code = "database_not_empty"
    message = "A day can be replayed only into a database that is empty but for `migrate`."


class DayDiffers(InvariantBroken):
    """The replay differs from the file. `data["found"]` lists figure, value of the file, value of
    the replay.
    """

    code = "day_differs"
    message = "The figures of the replayed day differ from those of the file."


def write(day: date, out: TextIO) -> int:
    """Write a day that has ended, read at one instant. Return the number of events."""
    span, events = Span.of(day), 0

    def line(content: dict[str, Any]) -> None:
        out.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")

    with snapshot():
        line({"format": FORMAT, "day": day.isoformat()})
        carried = Carried()
        for account, code, side, cents in balances_before(span.since):
            line({"opening": code, "id": account, "side": side, "cents": cents})
            carried.record(Account, account)
        for part in day_parts():
            for row in carried.after_theirs(part.context(span)):
                line({"row": document(row)})
        for event in _events(span):
            rows = [*event.rows, event.row] if event.row is not None else event.rows
            line(
                {
                    "event": event.kind,
                    "at": event.at.isoformat(),
                    "data": dict(event.data),
                    "rows": [document(row) for row in carried.after_theirs(rows)],
                }
            )
            events += 1
        for name, figure in _figures(span):
            line({"figure": name, "value": figure})
        line({"end": day.isoformat(), "events": events})
    return events


def _events(span: Span) -> list[Event]:
    events = [event for part in day_parts() for event in part.events(span)]
    return sorted(events, key=lambda event: (event.at, event.order))


def _figures(span: Span) -> Iterator[tuple[str, Any]]:
    """Return every balance at the end of the day that is not 0, and the figures that each app
    adds.
    """
    for _account, code, side, cents in balances_before(span.until):
        normal = cents if side == Account.Side.DEBIT else -cents
        if normal and code != _OPENING.code:
            yield f"balance {code}", normal
    for part in day_parts():
        yield from part.figures(span)


def replay(lines: Iterable[str]) -> int:
    """Replay a day and compare every figure. Return the number of figures.

    The database must be empty and the role its owner. The triggers of the tables are off meanwhile:
    what they would have refused was refused on the day itself. Raises NotADayFile,
    DatabaseNotEmpty, DayDiffers.
    """
    documents = _documents(lines)
    if not documents or documents[0].get("format") != FORMAT or "end" not in documents[-1]:
        raise NotADayFile
    _need_empty()
    span = Span.of(date.fromisoformat(documents[0]["day"]))
    with _unguarded():
        _move_clock(span.since - timedelta(hours=1))
        _open(documents)
        with transaction.atomic():
            for entry in documents:
                if "row" in entry:
                    insert(row_of(entry["row"]))
        _set_sequences(documents)
        for entry in documents:
            if "event" in entry:
                _carry_out(entry)
        return _compare(span, documents)


def _documents(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the lines of a file. Raises NotADayFile."""
    try:
        documents = [json.loads(text) for text in lines]
    except ValueError as error:  # no JSON, or no text at all
        raise NotADayFile from error
    if not all(isinstance(document, dict) for document in documents):
        raise NotADayFile
    return documents


@contextmanager
def _unguarded() -> Iterator[None]:
    """Turn the triggers of the project's tables off, and on again at the end."""
    tables = [model._meta.db_table for model in guarded_models()]
    with connections["owner"].cursor() as cursor:
        for table in tables:
            cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
    try:
        yield
    finally:
        with connections["owner"].cursor() as cursor:
            for table in tables:
                cursor.execute(f'ALTER TABLE "{table}" ENABLE TRIGGER USER')


def _need_empty() -> None:
    for model in guarded_models():
        if model._default_manager.exists():
            raise DatabaseNotEmpty(table=model._meta.db_table)


def _move_clock(instant: datetime) -> None:
    """Set the replay's clock to the time in the file. Such a database never serves."""
    real = fetch_value("SELECT core_server_clock()")
    ClockOffset.objects.create(offset=instant - real, set_at=instant, reason="a day is replayed")


def _open(documents: list[dict[str, Any]]) -> None:
    """Create the accounts under their own keys, and post the opening balances as transfers."""
    opening = [entry for entry in documents if "opening" in entry]
    now = clock.now()
    Account.objects.bulk_create(
        Account(pk=f["id"], code=f["opening"], side=f["side"], opened_at=now) for f in opening
    )
    _set_sequence(Account, max((f["id"] for f in opening), default=0))
    lines = []
    for entry in opening:
        account, cents = (
            AccountCode(entry["opening"], Account.Side(entry["side"])),
            entry["cents"],
        )
        debit, credit = (account, _OPENING) if cents > 0 else (_OPENING, account)
        lines.append(Line("day.opening", debit, credit, abs(cents)))
    for start in range(0, len(lines), 1000):
        part = lines[start : start + 1000]
        ledger.post(reference=derived_uuid(_NAMESPACE, str(start)), lines=part)


def _set_sequences(documents: Iterable[dict[str, Any]]) -> None:
    """Move the sequences past the keys of the file. Only the owner may do it."""
    highest: dict[str, int] = {}
    for entry in documents:
        for row in [entry["row"]] if "row" in entry else entry.get("rows", ()):
            model = apps.get_model(row["model"])
            key = row["fields"][model._meta.pk.attname]
            highest[row["model"]] = max(key, highest.get(row["model"], 0))
    for label, key in highest.items():
        _set_sequence(apps.get_model(label), key)


def _set_sequence(model: type[Model], key: int) -> None:
    meta = model._meta
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s), %s)",
            [meta.db_table, meta.pk.column, key + 1],
        )


def _carry_out(event: dict[str, Any]) -> None:
    act = replay_of(event["event"])
    if act is None:
        raise NotADayFile(event=event["event"])
    _move_clock(datetime.fromisoformat(event["at"]))
    with transaction.atomic():
        rows = [insert(row_of(row)) for row in event["rows"]]
        act(rows[-1] if rows else None, event["data"])


def _compare(span: Span, documents: list[dict[str, Any]]) -> int:
    _move_clock(span.until)
    replayed = {name: json.loads(json.dumps(value)) for name, value in _figures(span)}
    in_file = {entry["figure"]: entry["value"] for entry in documents if "figure" in entry}
    differing = [
        [name, in_file.get(name), replayed.get(name)]
        for name in sorted({*in_file, *replayed})
        if in_file.get(name) != replayed.get(name)
    ]
    if differing:
        raise DayDiffers(found=differing[:50], differing=len(differing))
    return len(in_file)
