"""Put an emission on sale once for a module; play a month whose acts and prints are retired, and
ask what is told of it.
"""

import copy
import datetime
import uuid
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.db import connection
from django.utils import translation
from pytest_django import DjangoDbBlocker

from core.journal import rules
from core.journal.acting import name_process
from core.ledger.books import differences
from core.payoffice.services.paying import PayRequest, payment_make
from core.premises.requests import new_uuid
from core.reports.tables import Period, reports, table
from lototrot.reports import HISTORY
from promotrot import journal_rules
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct
from promotrot.models.voucher import Voucher
from promotrot.selectors.vouchers import held_vouchers, is_printed, unconfirmed_vouchers
from promotrot.services import vouchers
from promotrot.services.explaining import reasons
from promotrot.services.playing import PlayView, play_act, play_state
from promotrot.services.unfinished import play_end_unfinished
from tests.core.periods.archive.test_retiring import row_findings
from tests.core.periods.conftest import closed
from tests.support import databases, emitting, factories, rounds
from tests.support.factories import Point
from tests.support.journaling import seal_all
from tests.support.promotrot.leaving import MARCH_ENDS, Plays, month_played
from tests.support.stating import days_end

ACTS, PRINTS = "promotrot_playact", "promotrot_voucherprint"


@pytest.fixture(scope="module")
def seller(shared: None) -> Point:
    return factories.point()


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Emission:
    return emitting.opened(emitting.small())


@pytest.fixture(scope="module")
def ladder_on_sale(shared: None) -> Emission:
    return emitting.opened(emitting.document("trotters-ladder"))


@pytest.fixture
def place(seller: Point) -> Point:
    """The terminal of the module, as each test finds it."""
    return copy.deepcopy(seller)


@pytest.fixture
def emission(on_sale: Emission) -> Emission:
    """The small emission of the module, of which nothing is sold."""
    return copy.deepcopy(on_sale)


@pytest.fixture
def ladder(ladder_on_sale: Emission) -> Emission:
    """The emission of the trotters' ladder, of which nothing is sold."""
    return copy.deepcopy(ladder_on_sale)


@pytest.fixture
def plays(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Plays]:
    """The plays of March, which is closed, in a database of this test."""
    with django_db_blocker.unblock(), databases.restored(_played().backup):
        name_process("command:period_archive")
        yield _played()


@pytest.fixture
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Plays]:
    """The plays of March in games that are over, or owe; it is in a database of this test."""
    with django_db_blocker.unblock(), databases.restored(month_played().backup):
        name_process("command:period_archive")
        yield month_played()


@cache
def _played() -> Plays:
    of: dict[str, uuid.UUID] = {}
    points: list[Point] = []
    return Plays(databases.prepared(lambda: of.update(_play(points))), of, points)


def _play(points: list[Point]) -> dict[str, uuid.UUID]:
    """Play in March; a voucher was paid, others lapsed, one was never printed, one is held."""
    factories.time_to(rounds.NOON)
    point, drawn = factories.point(), emitting.opened(emitting.small())
    points.append(point)
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    of = {name: emitting.winning(point, drawn).uuid for name in ("paid", "lapsed", "unprinted")}
    seal_all()
    for name, ident in of.items():
        _printed_and_paid(point, acted(point, ident, "reveal"), name)
    seal_all()
    of["chance"] = _with_two_acts(point, ladder, ended=True)
    of["unfinished"] = _with_two_acts(point, ladder, ended=False)
    refund = emitting.buy(point, ladder)
    play_end_unfinished(refund)
    of["refund"] = refund.uuid
    seal_all()
    factories.time_to(MARCH_ENDS)
    late = factories.point(point.premises)
    of["midnight"] = _with_two_acts(late, ladder, ended=False)
    seal_all()
    factories.time_pass(minutes=5)
    emitting.finished(late, [of["midnight"]])
    seal_all()
    days_end(3)  # the vouchers of the third lapse in time
    days_end(70)
    closed()
    return of


def acted(point: Point, ident: uuid.UUID, act: str, number: int = 1) -> PlayView:
    """Do an act of a play at its terminal, or send it again."""
    return play_act(credentials=point.credentials, ident=ident, number=number, act=act)


def _printed_and_paid(point: Point, play: PlayView, name: str) -> None:
    (voucher,) = play.vouchers
    if name != "unprinted":
        vouchers.voucher_print_confirm(by=point.bare, ident=voucher.uuid)
    if name == "paid":
        assert voucher.code is not None
        code, cents = voucher.code.grouped, voucher.amount_cents
        payment_make(at=point.actor, request=PayRequest(new_uuid(), cents, intact=True, code=code))


def _with_two_acts(point: Point, emission: Emission, *, ended: bool) -> uuid.UUID:
    """Play until a play has two acts or more, or one and goes on; one that ended has a prize."""
    while True:
        ident = emitting.buy(point, emission).uuid
        play = play_state(credentials=point.credentials, ident=ident)
        play = acted(point, ident, play.legal[0])
        if not ended and play.legal:
            return ident
        if ended and play.legal:
            emitting.finished(point, [ident])
            if Voucher.objects.filter(ticket__uuid=ident).exists():
                return ident


def accounts_of_month(plays: Plays) -> dict[str, Any]:
    """Return what books, reports and lists say of the month."""
    month = Period(datetime.date(2030, 3, 1), datetime.date(2030, 4, 30))
    named = [each for each in reports() if each.dated and each.name != HISTORY.name]
    with translation.override("en"):
        why = {
            name: reasons(voucher.pk)
            for name in plays.of
            for voucher in Voucher.objects.filter(ticket__uuid=plays.of[name])
        }
    return {
        "books": differences(),
        "printed": {v.pk: is_printed(v) for v in Voucher.objects.order_by("pk")},
        "held": list(held_vouchers()),
        "unconfirmed": list(unconfirmed_vouchers()),
        "reasons": {name: each and (each.agrees, each.won[0].cents) for name, each in why.items()},
        **{each.name: table(each, month).rows for each in named},
    }


def need_as_told(plays: Plays, before: dict[str, Any]) -> None:
    """Refuse another word of books, reports, lists or the journal than before."""
    now = accounts_of_month(plays)
    assert {key: now[key] for key in now if now[key] != before[key]} == {}
    assert row_findings() == []
    mine = [rule for rule in journal_rules.RULES if "unprinted" in rule.name]
    assert len(mine) == 2 and [row for rule in mine for row in rules.broken(rule)] == []


def acts_here(plays: Plays) -> set[str]:
    """Return which of the plays have acts."""
    having = set(PlayAct.objects.values_list("ticket__uuid", flat=True))
    return {name for name, ident in plays.of.items() if ident in having}


def leaves(relation: str, row: int) -> bool:
    """Return what the database says of a row: whether it leaves, if it is retired."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {relation}_leaves(%s)", [row])
        return bool(cursor.fetchone()[0])
