"""Every page of the admin: who sees it, what it never shows, what it never does."""

from typing import Any

import pytest
from django.contrib import admin
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import override

from core.database.guards import guarded_models
from core.ledger.models import Transfer
from core.premises.models import Operator, Suspension, Terminal
from core.staff.actor import StaffActor
from core.staff.models import Proposal, User
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting
from lototrot.models.sealing import Seal
from lototrot.models.tickets import Ticket
from tests.support.admin_desk import Desk, RaceDay, list_url, row_url

pytestmark = pytest.mark.django_db
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
PARTS = 3  # so that several workers share the pages


@pytest.fixture
def day(shared_day: RaceDay) -> RaceDay:
    """Return one day for all tests here, which only look."""
    return shared_day


def _secrets(day: RaceDay) -> tuple[set[str], list[Any]]:
    """Return texts that no page may show, and the operator and user who have new ones."""
    secrets = {"pin hash", "argon2", day.point.token}
    terminal = Terminal.objects.get(pk=day.point.terminal.pk)
    operator = Operator.objects.create(
        premises=day.point.premises,
        number=900,
        name="Pere",
        pin="argon2$secret-pin",
        created_at=terminal.created_at,
        created_by_id=terminal.proposal.proposed_by_id,
    )
    user = User.objects.get(pk=day.organisers[0].user_id)
    user.password = "argon2$secret-password"
    user.save(update_fields=["password"])
    for model in guarded_models():
        if model._meta.app_label == "proofs" or model in (Meeting, Seal):
            continue  # These tables are published.
        for field in model._meta.concrete_fields:
            if isinstance(field, models.BinaryField):
                for value in model._default_manager.values_list(field.name, flat=True)[:5]:
                    if value:
                        secrets |= {bytes(value).hex(), str(bytes(value))}
    return secrets, [operator, user]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_list_and_page_answers_and_shows_no_secret_nor_its_digest(
    day: RaceDay, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StaffActor, "may", lambda self, act: True)
    secrets, owners = _secrets(day)
    assert len(secrets) > 20
    desk = Desk(Role.AUDITOR)
    urls = ["/admin/", *map(row_url, owners)]
    for model in REGISTERED[part::PARTS]:
        urls.append(list_url(model))
        urls += [row_url(row) for row in model._default_manager.order_by("-pk")[:5]]
    for url in urls:
        page = desk.get(url)
        assert [secret for secret in secrets if secret in page] == [], url


EMPTY = [
    "LogEntry",
    "Draw",
    "PlaceReason",
    "Batch",
    "RowForm",
    "OpeningBalance",
    "LongWork",
    "Look",
    "Block",
    "CarryOver",
    "CodeGiven",
    "FiguresAmendment",
    "GameEnd",
    "Lapse",
    "RaceDeclaration",
    "Reprint",
    "RetiredMarks",
    "RetiredPrizes",
    "RetiredSales",
    "SignalDevice",
    "StartAnnouncement",
    "Unprinted",
    "CashCeiling",
    "CashSession",
    "Cheque",
    "ChequeRecovery",
    "ChequeWriteOff",
    "Claim",
    "Deposit",
    "Payee",
    "Payment",
    "RetiredPayments",
    "StockItem",
    "VoidedChequePayment",
    "ClosedPeriod",
    "Retirement",
    "BurntRequest",
    "FormerToken",
    "TerminalCopy",
    "ClosingStatement",
    "DisplayAcknowledgement",
    "Emission",
    "Game",
    "GameType",
    "GameVersion",
    "Lane",
    "PlayMove",
    "PlayTicket",
    "PublicFigures",
    "RetiredPlays",
    "Valuation",
    "Voucher",
    "VoucherHandover",
    "VoucherSecret",
    "Receiver",
    "ReportOrder",
    "CashUp",
    "CommissionRate",
    "Mark",
    "Remittance",
    "RetiredCommission",
    "RetiredRemittances",
    "RetiredStatements",
    "Statement",
    "Incident",
    "Reading",
]
"""Tables of which the race day has no rows."""


def test_the_race_day_fills_every_table_but_those(day: RaceDay) -> None:
    """The pages of other tables are visited with rows by the tests of their apps."""
    empty = [model.__name__ for model in REGISTERED if not model._default_manager.exists()]
    assert empty == EMPTY


@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_pages_answer_in_every_language(day: RaceDay, language: str) -> None:
    desk = Desk(Role.AUDITOR, language=language)
    for row in (day.contest, day.settlement, Ticket.objects.latest("pk")):
        assert f'lang="{language}"' in desk.get(row_url(row))
    assert f'lang="{language}"' in desk.get("/admin/")


def test_every_table_of_the_project_is_somewhere_in_the_admin() -> None:
    """A table needs a page or an inline: docs/recipes.md, *A table*."""
    tables = set(REGISTERED)
    for page in admin.site._registry.values():
        tables |= {inline.model for inline in page.inlines}
    # One is a secret, one tells of secrets, two are states that other pages tell, one is a file
    # that is downloaded, and views stand on their lists.
    elsewhere = {"FirstAnswer", "NewPassword", "KeyMark", "ClockWatch", "FilePart", "SavedView"}
    assert {m.__name__ for m in guarded_models() if m not in tables} == elsewhere


def _fields_shown() -> list[tuple[str, Any]]:
    """Return the name and label of every column of pages and inlines."""
    columns = []
    for page in admin.site._registry.values():
        for part in (page, *page.get_inline_instances(None)):
            for each in (*getattr(part, "list_display", ()), *part.readonly_fields):
                column = getattr(part, each, None) if isinstance(each, str) else each
                label = getattr(column, "short_description", None)
                columns.append(
                    (f"{part.__class__.__name__}.{getattr(column, '__name__', each)}", label)
                )
    return columns


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
