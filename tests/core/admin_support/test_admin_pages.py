"""Every page of the admin: who sees it, what it never shows, what it never does."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.functional import Promise
from django.utils.translation import override

from core.admin_support.columns import SECRET
from core.database.guards import guarded_models
from core.ledger.models import Transfer
from core.nights.models import JobRun
from core.premises.models import Operator, Suspension, Terminal
from core.premises.services import terminal_reenrol
from core.premises.suspending import sales_suspend
from core.staff.models import Proposal, StaffSession, User
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting
from lototrot.models.sealing import Seal
from lototrot.models.tickets import Ticket
from lototrot.services.races import withdrawals
from tests.support import factories
from tests.support.admin_desk import Desk, RaceDay, list_url, race_day, row_url

pytestmark = pytest.mark.django_db
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.fixture
def day() -> RaceDay:
    made = race_day()
    organiser = made.organisers[0]
    sales_suspend(by=organiser, reason="Storm", premises=made.point.premises.code)
    terminal_reenrol(by=organiser, terminal=made.point.terminal.code)
    other = factories.contest(factories.meeting(first_start_at=factories.time_pass(days=1)))
    race = factories.races_of(other)[0]
    withdrawals.withdrawal_enter(by=organiser, race_id=race.pk, number=4, source="Vet")
    JobRun.objects.create(
        job="a", day=other.day, state=JobRun.State.RUNNING, started_at=other.created_at
    )
    return made


def test_every_list_and_page_answers_who_may_look(day: RaceDay) -> None:
    desk = Desk(Role.ORGANISER, Role.AUDITOR)
    assert desk.get("/admin/")
    empty = []
    for model in REGISTERED:
        assert desk.get(list_url(model))
        rows = list(model._default_manager.order_by("-pk")[:3])
        for row in rows:
            desk.get(row_url(row))
        if not rows:
            empty.append(model.__name__)
    assert empty == [
        "LogEntry",
        "Draw",
        "Batch",
        "RowForm",
        "Block",
        "CarryOver",
        "InternalBetType",
        "Lapse",
        "PrintConfirmation",
        "RaceDeclaration",
        "Reprint",
        "CashCeiling",
        "CashSession",
        "Cheque",
        "Claim",
        "Deposit",
        "Payee",
        "Payment",
        "StockItem",
        "BurntRequest",
        "ClosingStatement",
        "Emission",
        "Game",
        "GameType",
        "GameVersion",
        "Lane",
        "PlayMove",
        "PlayTicket",
        "PublicFigures",
        "Voucher",
        "VoucherHandover",
        "VoucherSecret",
        "Receiver",
        "CommissionRate",
        "GuaranteeLimit",
        "Mark",
        "Remittance",
        "Statement",
    ]


@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_pages_answer_in_every_language(day: RaceDay, language: str) -> None:
    desk = Desk(Role.ORGANISER, language=language)
    for row in (day.contest, day.settlement, Ticket.objects.latest("pk")):
        assert f'lang="{language}"' in desk.get(row_url(row))
    assert f'lang="{language}"' in desk.get("/admin/")


def test_every_table_of_the_project_is_somewhere_in_the_admin() -> None:
    shown = set(REGISTERED)
    for page in admin.site._registry.values():
        shown |= {inline.model for inline in page.inlines}
    assert {m.__name__ for m in guarded_models() if m not in shown} == {"FirstAnswer"}


def _fields_shown() -> list[tuple[str, Any]]:
    """Return the name and label of every column of pages and inlines."""
    found = []
    for page in admin.site._registry.values():
        for part in (page, *page.get_inline_instances(None)):
            for each in (*getattr(part, "list_display", ()), *part.readonly_fields):
                shown = getattr(part, each, None) if isinstance(each, str) else each
                label = getattr(shown, "short_description", None)
                found.append(
                    (f"{part.__class__.__name__}.{getattr(shown, '__name__', each)}", label)
                )
    return found


def test_every_label_is_a_translatable_text() -> None:
    """A model's own English field name would show in every language."""
    plain = {
        name
        for name, label in _fields_shown()
        if not isinstance(label, Promise) and not name.endswith((".__str__", ".id"))
    }
    assert plain == set()
    for model in REGISTERED:
        assert isinstance(model._meta.verbose_name_plural, Promise), model
        with override("ca"):
            assert str(model._meta.verbose_name_plural)


def test_no_page_shows_a_secret_or_its_digest(day: RaceDay) -> None:
    secrets = {"pin hash", "argon2"}
    terminal = Terminal.objects.get(pk=day.point.terminal.pk)
    operator = Operator.objects.create(
        premises=day.point.premises,
        number=900,
        name="Pere",
        pin="argon2$secret-pin",
        created_at=terminal.created_at,
        created_by_id=terminal.created_by_id,
    )
    user = User.objects.get(pk=day.organisers[0].user_id)
    user.password = "argon2$secret-password"
    user.save(update_fields=["password"])
    for model in guarded_models():
        if model._meta.app_label == "proofs" or model in (Meeting, Seal):
            continue  # all of it is published
        for field in model._meta.concrete_fields:
            if isinstance(field, models.BinaryField):
                for value in model._default_manager.values_list(field.name, flat=True)[:5]:
                    if value:
                        secrets |= {bytes(value).hex(), str(bytes(value))}
    assert len(secrets) > 20
    desk = Desk(Role.ORGANISER, Role.AUDITOR)
    seen = ""
    for model in REGISTERED:
        seen += desk.get(list_url(model))
        for row in model._default_manager.order_by("-pk")[:5]:
            seen += desk.get(row_url(row))
    seen += desk.get(row_url(operator)) + desk.get(row_url(user))
    assert not [secret for secret in secrets if secret in seen]
    assert day.point.token not in seen


def test_nothing_secret_can_be_named_as_a_column() -> None:
    for page in admin.site._registry.values():
        names = {getattr(f, "__name__", f) for f in (*page.list_display, *page.readonly_fields)}
        binary = {
            f.name for f in page.model._meta.concrete_fields if isinstance(f, models.BinaryField)
        }
        assert not names & (binary | SECRET)


@pytest.mark.parametrize("model", [Ticket, Transfer])
def test_large_lists_are_never_counted(day: RaceDay, model: type[models.Model]) -> None:
    desk = Desk(Role.ORGANISER)
    for query in ({}, {"q": "nothing"}, {"p": "3"}, {"all": ""}):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            desk.get(list_url(model), **query)
        table = model._meta.db_table
        of_table = [q["sql"] for q in asked if f'FROM "{table}"' in q["sql"]]
        assert not [sql for sql in of_table if "COUNT(" in sql.upper()]
        assert all("LIMIT" in sql for sql in of_table)


def test_a_page_deeper_than_the_deepest_is_refused(day: RaceDay) -> None:
    response = Desk(Role.ORGANISER).client.get(list_url(Ticket), {"p": "100000000"})
    assert response.status_code == 302


def test_tickets_are_found_by_uuid_and_by_terminal(day: RaceDay) -> None:
    desk = Desk(Role.ORGANISER)
    first, second = Ticket.objects.filter(terminal=day.point.terminal).order_by("pk")
    found = desk.get(list_url(Ticket), q=str(first.uuid))
    assert str(first.uuid) in found
    assert str(second.uuid) not in found
    found = desk.get(list_url(Ticket), q=day.point.terminal.code)
    assert str(first.uuid) in found
    assert str(second.uuid) in found


def test_money_reads_as_euros(day: RaceDay) -> None:
    ticket = Ticket.objects.earliest("pk")
    assert "€1.00" in Desk(Role.ORGANISER).get(row_url(ticket))
    assert "1,00 €" in Desk(Role.ORGANISER, language="ca").get(row_url(ticket))


def test_nothing_is_added_changed_or_deleted_by_form(day: RaceDay) -> None:
    desk = Desk(*Role)
    for model in REGISTERED:
        assert desk.client.get(f"{list_url(model)}add/").status_code == 403
        row = model._default_manager.order_by("pk").first()
        if row is None:
            continue
        assert desk.client.post(row_url(row), {"name": "x"}).status_code == 403
        assert desk.client.post(f"{list_url(model)}{row.pk}/delete/").status_code == 403
        action = {"action": "delete_selected", "_selected_action": [row.pk]}
        desk.client.post(list_url(model), action)
        assert model._default_manager.filter(pk=row.pk).exists()


@pytest.mark.parametrize("role", Role)
def test_every_role_has_its_pages(day: RaceDay, role: Role) -> None:
    """Books, premises and proposals are for those who may read them in the API, too."""
    desk = Desk(role)
    desk.get("/admin/")
    desk.get(list_url(Contest))
    reads = {
        Transfer: {Role.ORGANISER, Role.AUDITOR, Role.INSPECTOR},
        Suspension: set(Role) - {Role.STEWARDS, Role.CASHIER},
        Proposal: set(Role) - {Role.CASHIER},
    }
    for model, roles in reads.items():
        assert desk.client.get(list_url(model)).status_code == (200 if role in roles else 403)
        row = model._default_manager.order_by("pk").first()
        assert desk.client.get(row_url(row)).status_code == (200 if role in roles else 403)


def test_an_account_without_roles_is_sent_to_sign_on() -> None:
    desk = Desk()
    assert "/login/" in desk.client.get("/admin/")["Location"]


def test_nobody_is_a_superuser() -> None:
    user = Desk(*Role).person
    assert user.is_superuser is False
    assert user.has_perm("lototrot.view_contest")
    assert not any(
        user.has_perm(f"lototrot.{verb}_contest") for verb in ("add", "change", "delete")
    )


def test_a_session_that_has_ended_signs_on_again() -> None:
    desk = Desk(Role.ORGANISER)
    desk.get("/admin/")
    StaffSession.objects.filter(user=desk.person).update(ended_at=factories.time_pass(minutes=1))
    assert "/login/" in desk.client.get("/admin/")["Location"]


def test_a_session_ends_by_itself() -> None:
    desk = Desk(Role.ORGANISER)
    factories.time_pass(hours=9)
    assert "/login/" in desk.client.get("/admin/")["Location"]
    assert "/login/" in desk.client.post("/admin/database/clockoffset/move/")["Location"]


def test_an_idle_browser_is_forgotten_after_half_an_hour() -> None:
    desk = Desk(Role.ORGANISER)
    desk.get("/admin/")
    session = desk.client.session
    assert session.get_expiry_age() <= timedelta(minutes=30).total_seconds()


def test_signing_off_ends_the_staff_session() -> None:
    desk = Desk(Role.ORGANISER)
    desk.client.post("/admin/logout/")
    assert not StaffSession.objects.filter(user=desk.person, channel="admin", ended_at=None)


def test_signing_on_needs_name_password_and_code() -> None:
    user = User.objects.get(pk=factories.staff(Role.ORGANISER).user_id)
    user.set_password("a long enough secret")
    user.save(update_fields=["password"])
    secret = factories.second_factor(user)
    client = Client(headers={"accept-language": "ca"})
    form = client.get("/admin/login/").content.decode()
    assert "Lototrot" in form
    wrong = client.post("/admin/login/", {"username": user.username, "password": "no"})
    assert wrong.status_code == 200
    right = {"username": user.username, "password": "a long enough secret", "next": "/admin/"}
    assert client.post("/admin/login/", right).status_code == 200  # without the code
    right["code"] = factories.one_time_code(secret)
    assert client.post("/admin/login/", right)["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert StaffSession.objects.filter(user=user, channel="admin", ended_at=None).count() == 1


def test_the_language_can_be_chosen() -> None:
    desk = Desk(Role.ORGANISER)
    desk.client.post("/admin/language/", {"language": "es", "next": "/admin/"})
    assert 'lang="es"' in desk.get("/admin/")


def test_the_front_page_counts_down_by_the_servers_clock() -> None:
    contest = factories.contest()
    left = re.search(r'data-seconds-left="(\d+)"', Desk(Role.ORGANISER).get("/admin/"))
    assert left
    assert 7100 < int(left[1]) <= 7200
    assert str(contest) in Desk(Role.CASHIER).get("/admin/")


def test_simulated_time_is_said_on_every_page() -> None:
    assert "Simulated time:" not in Desk(Role.ORGANISER).get("/admin/")
    factories.time_pass(minutes=5)
    assert "Simulated time:" in Desk(Role.ORGANISER).get(list_url(Contest))
