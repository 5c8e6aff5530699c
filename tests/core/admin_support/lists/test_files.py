"""Lists as files: the rows that are asked for, nothing that a spreadsheet runs, on record."""

import csv
import io

import pytest
from openpyxl import load_workbook

from core.admin_support.lists import files
from core.longwork.models import LongWork
from core.looks.models import Look
from core.premises.models import Premises, Suspension
from core.premises.suspending import sales_suspend
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db


def _csv(desk: Desk, model: type, **query: str) -> list[dict[str, str]]:
    answer = desk.client.get(f"{list_url(model)}csv/", query)
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith('attachment; filename="')
    assert "no-store" in answer["Cache-Control"]
    text = answer.getvalue().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def test_a_list_of_tickets_is_a_file_of_those_asked_and_on_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "AT_ONCE", 2)
    contest, one, other = factories.contest(), factories.point(), factories.point()
    tickets = rounds.sell(contest, one, [(1,) * 7] * 5)
    rounds.sell(contest, other, [(1,) * 7])
    desk = Desk(Role.AUDITOR)
    rows = _csv(desk, Ticket, **{"premises.is": one.premises.code})
    assert [row["uuid"] for row in rows] == [str(ticket.uuid) for ticket in reversed(tickets)]
    assert {row["amount_cents"] for row in rows} == {str(tickets[0].amount_cents)}
    assert rows[0]["sold_at"].endswith("+00:00")
    look = Look.objects.latest("pk")
    assert look.asked == f"csv premises.is={one.premises.code}"
    assert (look.kind, look.user) == ("lototrot.ticket", desk.person)


def test_a_file_is_for_those_who_read_the_list_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds.sell(factories.contest(), factories.point(), [(1,) * 7] * 2)
    for kind in files.KINDS:
        assert Desk(Role.CASHIER).client.get(f"{list_url(Ticket)}{kind}/").status_code == 403
    monkeypatch.setattr(files, "KINDS", {"csv": 1, "xlsx": 1})
    answer = Desk(Role.AUDITOR).client.get(f"{list_url(Ticket)}csv/")
    assert answer.status_code == 409
    assert "or ask for less" in answer.content.decode().lower()
    assert not LongWork.objects.exists()
    monkeypatch.setattr(StaffActor, "may", lambda self, act: act != files.LATER)
    answer = Desk(Role.AUDITOR).client.get(f"{list_url(Ticket)}csv/")
    assert answer.status_code == 409
    assert "Ask for less" in answer.content.decode()
    assert "<form method" not in answer.content.decode().partition("<main")[2]


def test_no_cell_is_a_formula_and_states_are_words() -> None:
    organiser, point = factories.staff(Role.ORGANISER), factories.point()
    sales_suspend(by=organiser, reason="=1+1", premises=point.premises.code)
    desk = Desk(Role.ORGANISER, language="ca")
    assert [row["reason"] for row in _csv(desk, Suspension)] == ["'=1+1"]
    kinds = {row["kind"] for row in _csv(desk, Premises)}
    assert kinds and not kinds & set(Premises.Kind.values)


@pytest.mark.parametrize(
    ("reason", "cell"),
    [
        ("Broken;=1+1", "Broken;'=1+1"),
        ("Broken;-2+3;@x", "Broken;'-2+3;'@x"),
        ("Bell\x07 and escape\x1b", "Bell\ufffd and escape\ufffd"),
    ],
)
def test_no_cell_is_two_cells_or_breaks_the_file(reason: str, cell: str) -> None:
    """A spreadsheet of this country takes a semicolon in a file of CSV for the end of a cell."""
    sales_suspend(
        by=factories.staff(Role.ORGANISER), reason=reason, premises=factories.point().premises.code
    )
    desk = Desk(Role.ORGANISER, language="en")
    assert [row["reason"] for row in _csv(desk, Suspension)] == [cell]
    answer = desk.client.get(f"{list_url(Suspension)}xlsx/")
    book = load_workbook(io.BytesIO(answer.getvalue()))
    assert cell in [value for (*row,) in book.worksheets[0].values for value in row]


def test_a_list_is_a_spreadsheet_with_euros_and_titles() -> None:
    (ticket,) = rounds.sell(factories.contest(), factories.point(), [(1,) * 7])
    answer = Desk(Role.AUDITOR, language="en").client.get(f"{list_url(Ticket)}xlsx/")
    book = load_workbook(io.BytesIO(answer.getvalue()))
    titles, first = book.worksheets[0].iter_rows(values_only=True)
    row = dict(zip(titles, first, strict=True))
    assert row["Amount"] == pytest.approx(ticket.amount_cents / 100)
    assert row["Time of sale"].tzinfo is None
