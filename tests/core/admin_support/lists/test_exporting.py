"""A list that is too long for a request is a file that a worker writes, for who asked for it."""

import csv
import io
import tempfile
from typing import IO, NoReturn

import pytest
from django.contrib.contenttypes.models import ContentType
from openpyxl import load_workbook

from core.admin_support.lists import exporting, files
from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.looks.models import Look
from core.staff.models import User
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url, row_url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request writes two rows at most."""
    monkeypatch.setattr(files, "KINDS", {"csv": 2, "xlsx": 2})
    monkeypatch.setattr(files, "AT_ONCE", 2)


def _asked(desk: Desk, form: str, query: str = "") -> LongWork:
    answer = desk.client.post(f"{list_url(Ticket)}{form}/{query}")
    work = LongWork.objects.latest("pk")
    assert (answer.status_code, answer["Location"]) == (302, row_url(work))
    return work


def _content(work: LongWork) -> bytes:
    return b"".join(bytes(part.content) for part in work.parts.order_by("number"))


def test_what_a_request_is_too_short_for_is_written_by_a_worker_and_on_record() -> None:
    contest, one, other = factories.contest(), factories.point(), factories.point()
    tickets = rounds.sell(contest, one, [(1,) * 7] * 5)
    rounds.sell(contest, other, [(1,) * 7])
    desk = Desk(Role.AUDITOR)
    query = f"?premises.is={one.premises.code}"
    work = _asked(desk, "csv", query)
    assert _asked(desk, "csv", query) == work
    assert _asked(Desk(Role.AUDITOR), "csv", query) != work
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.result) == ("done", {"rows": 5})
    rows = list(csv.DictReader(io.StringIO(_content(work).decode("utf-8-sig"))))
    assert [row["uuid"] for row in rows] == [str(ticket.uuid) for ticket in reversed(tickets)]
    look = Look.objects.latest("pk")
    assert (look.kind, look.user) == ("lototrot.ticket", desk.person)
    assert look.asked == f"csv {query[1:]}"
    assert "Tickets · CSV" in desk.get(row_url(work))


def test_a_spreadsheet_is_in_the_language_of_who_asked() -> None:
    rounds.sell(factories.contest(), factories.point(), [(1,) * 7] * 3)
    work = _asked(Desk(Role.AUDITOR, language="es"), "xlsx")
    assert work_do(work.pk)
    work.refresh_from_db()
    sheet = load_workbook(io.BytesIO(_content(work))).worksheets[0]
    titles, *rows = sheet.iter_rows(values_only=True)
    assert len(rows) == 3 and "Importe" in titles


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"table": "nothing.here"}, "list_unknown"),
        ({"table": ContentType._meta.label_lower}, "list_unknown"),
        ({"query": "premises__pin=1"}, "list_unknown"),
    ],
)
def test_no_other_list_is_written(change: dict[str, str], fault: str) -> None:
    rounds.sell(factories.contest(), factories.point(), [(1,) * 7] * 3)
    work = _asked(Desk(Role.AUDITOR), "csv")
    rows = LongWork.objects.filter(pk=work.pk)
    asked = LongWork.objects.create(
        **{field: rows.values()[0][field] for field in ("asked_by_id", "asked_in_id", "asked_at")},
        kind=work.kind,
        content={**work.content, **change},
        key="other",
        language="en",
        state="waiting",
    )
    assert work_do(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, asked.fault) == ("failed", fault)
    assert not asked.parts.exists()


def test_a_file_that_could_not_be_written_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds.sell(factories.contest(), factories.point(), [(1,) * 7] * 3)
    work = _asked(Desk(Role.AUDITOR), "csv")
    opened: list[IO[bytes]] = []
    make = tempfile.TemporaryFile

    def make_kept() -> IO[bytes]:
        opened.append(make())
        return opened[-1]

    def unread(*_: object) -> NoReturn:
        raise OSError

    monkeypatch.setattr(tempfile, "TemporaryFile", make_kept)
    monkeypatch.setattr(files, "rows_of", unread)
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault) == ("failed", "unexpected_fault")
    assert [each.closed for each in opened] == [True]


def test_who_lost_the_list_gets_no_file_and_no_list_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds.sell(factories.contest(), factories.point(), [(1,) * 7] * 3)
    desk = Desk(Role.AUDITOR)
    work, long = _asked(desk, "csv"), _asked(desk, "xlsx")
    monkeypatch.setattr(exporting, "MOST", {"csv": 10, "xlsx": 2})
    assert work_do(long.pk)
    User.objects.filter(pk=desk.person.pk).update(roles=[Role.ADMINISTRATOR])
    assert work_do(work.pk)
    for each in (work, long):
        each.refresh_from_db()
    assert (long.state, long.fault, long.fault_data) == (
        "failed",
        "list_too_long",
        {"most": 2, "rows": 3},
    )
    assert (work.state, work.fault) == ("failed", "power_missing")
