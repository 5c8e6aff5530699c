"""Check that no door shows a payee, an image, a ticket or an export before a look is on record.

The doors are read from the pages of the administration, the operations of the API and the models.
"""

import ast
import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection, transaction

from core.database.guards import guarded_models
from core.database.models import Guarded
from core.journal import acting
from core.journal.rules import broken
from core.looks import recording
from core.looks.journal_rules import DOOR, RULES
from core.looks.models import Look
from core.looks.recording import LookNotRecorded, look, look_by_operator
from core.payoffice.models import Cheque, Deposit, DepositImage, Payee, Payment
from core.payoffice.models.payments import Encrypted
from core.payoffice.services import checking, deposits
from core.staff.actor import StaffActor
from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.api import refused, staff_api
from tests.support.databases import Database
from tests.support.journaling import forge
from tests.support.openapi import committed

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
WATCHED = [model for model in guarded_models() if model.looks_recorded]


@pytest.fixture
def paid(db: None, monkeypatch: pytest.MonkeyPatch) -> given.Presented:
    """Return a ticket that was paid by cheque; another one was deposited and photographed.

    Every member of staff has every power.
    """
    factories.time_to(rounds.NOON)
    won, torn = given.worth(100_001, 500)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    deposit = given.deposited(torn.code, factories.point().actor)
    deposits.image_add(
        at=given.cashier(), deposit=deposit.uuid, media_type="image/png", content=PNG
    )
    monkeypatch.setattr(StaffActor, "may", lambda self, act: bool(self.roles))
    return won


def test_rows_of_players_say_so() -> None:
    """A model that holds what is encrypted, or a document that may be paid, is watched."""
    named = {model.__name__ for model in WATCHED}
    assert {model for model in guarded_models() if issubclass(model, Encrypted)} <= set(WATCHED)
    assert named >= {"Ticket", "Prize", "Voucher", "PlayTicket", "Claim", "Payment", "Cheque"}
    assert admin.site.is_registered(Look)


def test_what_is_encrypted_of_people_is_opened_in_one_place_that_records_it() -> None:
    """No page can show a payee or an image past it, no matter who writes the page."""
    openers = set()
    for path in [
        p for app in ("core", "lototrot", "promotrot") for p in Path(ROOT, app).rglob("*.py")
    ]:
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "decrypt" in text else ():
            is_call = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("decrypt")
            if is_call and re.search(r"\bPayee\b|DepositImage|type\(", ast.unparse(node)):
                openers.add(path.relative_to(ROOT).as_posix())
    assert openers == {"core/payoffice/services/personal_data.py"}


def test_every_page_of_rows_of_players_leaves_a_look(paid: given.Presented) -> None:
    desk = Desk(Role.AUDITOR)
    pages = [m for m in WATCHED if admin.site.is_registered(m)]
    assert len(pages) >= 9
    for model in pages:
        desk.get(list_url(model), e="1" if model is Ticket else "")
        left = Look.objects.latest("pk")
        assert (left.kind, left.subject) == (model._meta.label_lower, ""), model
        assert (left.user_id, left.door) == (desk.person.pk, door_of(model, "")), model
        for row in model.objects.order_by("-pk")[:1]:
            desk.get(row_url(row))
            left = Look.objects.latest("pk")
            assert (left.kind, left.subject) == tuple(map(str, row.seen_as())), model
    assert {"Ticket", "Prize", "Payee", "Cheque"} <= {
        model.__name__ for model in pages if model.objects.exists()
    }


def door_of(model: Any, rest: str) -> str:
    return f"admin_{model._meta.app_label}_{model._meta.model_name}_{rest}get"


class Loaded:
    """The models of players whose rows were read from the database."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.models: set[type] = set()
        loaded = self

        def from_db(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if cls.looks_recorded:
                loaded.models.add(cls)
            return super(Guarded, cls).from_db(*args, **kwargs)

        monkeypatch.setattr(Guarded, "from_db", classmethod(from_db), raising=False)


def reading() -> Iterator[str]:
    """Yield the path of every operation by which staff read."""
    for path, operations in committed()["paths"].items():
        security = operations.get("get", {}).get("security", [])
        if any("staff" in each for each in security):
            yield path


def test_every_operation_that_shows_rows_of_players_leaves_a_look(
    paid: given.Presented, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, loaded = staff_api(Role.AUDITOR), Loaded(monkeypatch)
    payment = Payment.objects.get()
    paths = {
        "contest": paid.contest.pk,
        "number": Cheque.objects.get().number,
        "image": DepositImage.objects.get().uuid,
        "form": "pdf",
        "ident": payment.uuid,
        "deposit": Deposit.objects.get().uuid,
        "name": "payments",
    }
    silent, showing = [], 0
    for path in reading():
        url = re.sub(r"\{(\w+)\}", lambda part: str(paths.get(part[1], 1)), path)
        loaded.models.clear()
        before = Look.objects.count()
        answer = api.get(url.removeprefix("/api/v1/"))
        if answer.status_code == 200 and loaded.models:
            showing += 1
            if Look.objects.count() == before:
                silent.append((path, loaded.models.copy()))
    assert silent == []
    assert showing >= 6


def test_a_payee_an_image_and_a_list_of_winners_over_the_api(paid: given.Presented) -> None:
    api = staff_api(Role.SUPERVISOR)
    image = DepositImage.objects.get()
    for path, seen, door in (
        ("office/cheques/1.pdf", ("payoffice.payee", str(Payee.objects.get().uuid)), "pdf"),
        (f"office/images/{image.uuid}", ("payoffice.depositimage", str(image.uuid)), "image"),
        (f"lototrot/contests/{paid.contest.pk}/winning-tickets", ("lototrot.prize", ""), "winn"),
    ):
        assert api.get(path).status_code == 200, path
        left = Look.objects.latest("pk")
        assert (left.kind, left.subject) == seen
        assert left.user_id
        assert left.session_id
        assert left.door.endswith("_get")
        assert "Ferrer" not in f"{left.asked} {left.subject}"
        del door


@pytest.mark.parametrize("form", ["", ".csv", ".xlsx"])
def test_each_report_and_export_names_its_period(paid: given.Presented, form: str) -> None:
    desk = Desk(Role.AUDITOR)
    name = "sales-by-day"
    page = f"/admin/reports/{name}{form or '/'}"
    response = desk.client.get(page, {"first": "2030-03-01", "last": "2030-03-02"})
    assert response.status_code == 200, page
    left = Look.objects.latest("pk")
    assert (left.kind, left.subject, left.asked) == ("report", name, "2030-03-01 2030-03-02")


def test_a_refused_page_leaves_none(paid: given.Presented, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(Role.CASHIER)
    monkeypatch.setattr(StaffActor, "may", lambda self, act: False)
    for url in (list_url(Prize), row_url(Ticket.objects.latest("pk"))):
        assert desk.client.get(url).status_code == 403
    assert not Look.objects.exists()


@pytest.mark.django_db
def test_an_operator_is_told_once_in_ten_minutes_that_a_ticket_won() -> None:
    factories.time_to(rounds.NOON)
    won, lost = given.worth(500, 0)
    point = factories.point()
    for _ in range(3):
        checking.document_check(at=point.actor, code=won.code)
        checking.document_check(at=point.actor, code=lost.code)
    (left,) = Look.objects.all()
    assert (left.kind, left.subject) == ("document", f"lototrot:{won.ticket.pk}")
    assert (left.operator_id, left.terminal_id) == (point.operator.pk, point.terminal.pk)
    assert (left.door, left.asked, left.user_id) == ("claims_check_post", "code", None)
    factories.time_pass(minutes=11)
    checking.document_check(at=point.actor, code=won.code)
    assert Look.objects.count() == 2


@pytest.mark.django_db
def test_what_cannot_be_recorded_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        with pytest.raises(LookNotRecorded):
            look("export", "x")
        transaction.set_rollback(True)
    given.worth(500)

    def refuse(*_: Any, **__: Any) -> None:
        raise LookNotRecorded

    monkeypatch.setattr(recording, "look", refuse)
    page = Desk(Role.AUDITOR).client.get(list_url(Ticket))
    assert (page.status_code, "database cannot record" in page.content.decode()) == (503, True)
    answer = staff_api(Role.AUDITOR).get("office/cheques")
    refused(answer, 503, "look_not_recorded")


def test_the_journal_names_looks_of_nobody_or_through_another_door(
    own_database: Database,
) -> None:
    user = factories.staff(Role.AUDITOR)
    with acting.acting("admin_x_get", staff=user.user_id, staff_session=user.session_id):
        look("export", "x")
    assert [list(broken(rule)) for rule in RULES] == [[], []]
    pk = Look.objects.get().pk
    forge(f"UPDATE looks_look SET door = 'admin_y_get' WHERE id = {pk}")
    assert [row for _, row, _ in broken(DOOR)] == [pk]


@pytest.mark.django_db
def test_looks_of_operators_keep_the_act_that_was_in_progress() -> None:
    point = factories.point()
    act = acting.Acting("x", terminal=point.terminal.pk, operator=point.operator.pk)
    with acting.acting("before"):
        for _ in range(2):
            look_by_operator(
                "document", uuid.UUID(int=1), act=act, unless_within=timedelta(hours=1)
            )
        assert acting.present().name == "before"
        with connection.cursor() as cursor:
            cursor.execute("SELECT split_part(current_setting('core.act'), '|', 1)")
            assert cursor.fetchone() == ("before",)
    assert Look.objects.get().door == "x"


@pytest.mark.django_db
def test_a_look_of_an_operator_is_refused_where_the_database_only_reads() -> None:
    point = factories.point()
    act = acting.Acting("x", terminal=point.terminal.pk, operator=point.operator.pk)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        with pytest.raises(LookNotRecorded):
            look_by_operator("document", 1, act=act, unless_within=timedelta(hours=1))
        transaction.set_rollback(True)
