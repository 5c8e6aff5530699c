"""Lists of proposals: what they are about is read together, not row by row, whatever their kind."""

import itertools
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.database import clock
from core.database.reading.batches import the
from core.payoffice.models import Cheque, StockItem
from core.payoffice.services import goods
from core.premises.models import Authorisation, Premises, Suspension, Terminal
from core.premises.suspending import sales_suspend
from core.staff.models import Proposal, User
from core.staff.powers import Role
from core.staff.two_persons import kinds
from core.statements import guarantee
from lototrot.models.programme import Race, Racecourse
from lototrot.models.stops import SalesStop
from promotrot.models.emission import Emission
from promotrot.models.game import GameVersion
from promotrot.models.voucher import Voucher
from tests.support import emitting, factories, rounds
from tests.support import paying as given
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db
MANY = 3
Content = dict[str, Any]
Contents = Sequence[Content]


# --- Rows, and contents about each of them --------------------------------------------------------


def _places() -> list[Premises]:
    points = [factories.point() for _ in range(MANY)]
    return [point.premises for point in points]


def _about_premises() -> dict[str, Contents]:
    places, by = _places(), factories.staff(Role.ORGANISER)
    codes = [place.code for place in places]
    terminals = list(Terminal.objects.filter(premises__in=places))
    held = [Authorisation.objects.filter(premises=place).first() for place in places]
    for place in places:
        sales_suspend(by=by, reason="Storm", premises=place.code)
    one = {"premises": [], "authorisations": []}
    listed = [{"premises": [{"premises": code, "name": code}]} for code in codes]
    amount = {"limit_cents": 1, "amount_cents": 1, "statement": str(uuid.uuid4())}
    amounts = [{"premises": code, **amount} for code in codes]
    nobody = {
        "authorisation": None,
        "terminal": None,
        "premises": None,
        "effect": "sales_suspended",
    }
    return {
        "premises.opening": [
            {**one, "terminals": [{"code": "T", "premises": code}]} for code in codes
        ],
        "premises.enrolment": [{"terminals": [row.code]} for row in terminals],
        "premises.resolution": [
            *({**nobody, "authorisation": the(row).pk} for row in held),
            *({**nobody, "terminal": row.code} for row in terminals),
            *({**nobody, "premises": code} for code in codes),
        ],
        "premises.resuming": [{"suspension": row.pk} for row in Suspension.objects.all()],
        "premises.suspending": listed,
        "premises.lifting": listed,
        "statements.guarantees": listed,
        "statements.guarantee": amounts,
        "statements.remittance": amounts,
        "statements.rate": [
            {"game": "lototrot", "premises": code, "percent": "6.5"} for code in codes
        ],
    }


def _about_staff() -> dict[str, Contents]:
    for number in range(MANY):
        factories.account(f"desk-{number}", f"Person {number}", Role.CASHIER)
    people = [{"user": row.pk, "roles": ["cashier"]} for row in User.objects.all()]
    names = ("roles", "reactivation", "password", "second_factor")
    return {
        "staff.account": [{"username": "desk"}] * MANY,
        **{f"staff.{name}": people for name in names},
    }


def _about_the_office() -> dict[str, Contents]:
    factories.time_to(rounds.NOON)
    won = given.worth(*(100_001 + each for each in range(MANY)))
    for paper in won:
        given.paid_by_two(given.cashier(), paper.request(payee=given.MARIA))
    place = factories.point().actor
    stocker = factories.staff(Role.SUPERVISOR)
    for number in range(MANY):
        goods.stock_register(by=stocker, code=f"t{number}", description="Thing", unit_cents=1)
    papers = [given.deposited("", place, "unreadable") for _ in range(MANY)]
    cheques = [{"cheque": number} for number in Cheque.objects.values_list("number", flat=True)]
    items = [
        {"item": code, "units": 1, "cents": 1, "from_cents": 1, "to_cents": 2}
        for code in StockItem.objects.values_list("code", flat=True)
    ]
    sessions = [
        {"cash_session": str(given.session_of(given.cashier()).uuid), "cents": -1, "count": {}}
        for _ in range(MANY)
    ]
    paid = [{"amount_cents": 1, "means": "cash", "game": "lototrot", "document": "x"}] * MANY
    of_cheques = ("cheque_void", "cheque_reissue", "cheque_paid_voided")
    of_losses = ("cheque_recovery", "cheque_write_off", "loss_reversal")
    return {
        "payoffice.payment": paid,
        "payoffice.exchange": paid,
        **{f"payoffice.{name}": cheques for name in (*of_cheques, *of_losses)},
        "payoffice.cash_ceiling": [{"cents": 1, "in_force_from": "2030-01-01"}] * MANY,
        "payoffice.ruling": [{"verdict": "granted", "deposit": str(row.uuid)} for row in papers],
        "payoffice.stock_movement": items,
        "payoffice.stock_correction": items,
        "payoffice.cash_taking": sessions,
        "payoffice.cash_closing": sessions,
    }


def _about_races() -> dict[str, Contents]:
    meetings = [factories.meeting(races=2, numbers=range(1, 3)) for _ in range(MANY)]
    races = [Race.objects.filter(meeting=meeting).first() for meeting in meetings]
    courses = list(Racecourse.objects.all())
    by = factories.staff(Role.STEWARDS)
    for race in races:
        SalesStop.objects.create(
            meeting_id=the(race).meeting_id,
            race=race,
            source="Fog",
            stopped_at=clock.now(),
            stopped_by_id=by.user_id,
            stopped_in_id=by.session_id,
        )
    codes = [factories.point().terminal.code for _ in range(MANY)]
    horse = {"number": 1, "runners": [{"number": 1, "outcome": "winner"}]}
    about = [{"race": the(race).pk, **horse} for race in races]
    names = ("withdrawal", "withdrawal_reversal", "start", "start_correction")
    classified = ("classification", "classification_correction")
    return {
        **{f"lototrot.{name}": about for name in (*names, *classified)},
        "lototrot.declaration": [
            *({"kind": "not_run", "race": the(race).pk} for race in races),
            *({"kind": "not_run", "race": None, "meeting": each.pk} for each in meetings),
        ],
        "lototrot.declaration_retraction": about,
        "lototrot.stop_lifting": [{"stop": row.pk} for row in SalesStop.objects.all()],
        "lototrot.signal_device": [
            {"terminal": code, "racecourse": courses[at % len(courses)].code}
            for at, code in enumerate(codes)
        ],
    }


def _about_contests() -> dict[str, Contents]:
    days = (factories.time_pass(days=1) for _ in range(MANY))
    contests = [factories.contest(factories.meeting(first_start_at=day)) for day in days]
    more = {
        "to_at": "2030-01-01T10:00:00+00:00",
        "tickets": 1,
        "amount_cents": 1,
        "verdict": "stand",
        "prizes_cents": 1,
    }
    about = [{"contest": row.pk, **more} for row in contests]
    names = ("contest_opening", "contest_discard", "closing_postponement", "breach_void")
    further = ("breach_block", "unprinted", "payment_order")
    types = [row.bet_type.document for row in contests]
    return {
        **{f"lototrot.{name}": about for name in (*names, *further)},
        "lototrot.bet_type": [{"document": document} for document in types],
        "lototrot.figures_amendment": [{"bet_type": {}, "in_force_from": "2030-01-01"}] * MANY,
        "lototrot.game_end": [
            *({"bet_type": row.bet_type_code} for row in contests),
            *({"bet_type": f"no-{each}"} for each in range(MANY)),
        ],
    }


def _about_games() -> dict[str, Contents]:
    definitions = [emitting.small(f"small-{each}") for each in range(MANY)]
    emissions = [emitting.opened(definition) for definition in definitions]
    for emission in emissions:
        emitting.sold_and_played(emission, 2)
    versions = GameVersion.objects.select_related("game")
    money = {"owed_cents": 1, "cents": 1, "payee": "A school"}
    games = [{"game": row.game.code, "version": row.version, "digest": "x"} for row in versions]
    debts = [{**content, **money} for content in games]
    of_emissions = [{"emission": reference} for reference in _references()]
    plays = [{"play": str(uuid.uuid4())} for _ in range(MANY)]
    # How many plays won is chance, and may be none.
    won = Voucher.objects.values_list("uuid", flat=True)
    vouchers = [{"voucher": str(each)} for each in (*won, *(uuid.uuid4() for _ in range(MANY)))]
    return {
        "promotrot.game": [{"document": definition} for definition in definitions],
        "promotrot.approval": games,
        "promotrot.opening": of_emissions,
        "promotrot.closing": of_emissions,
        "promotrot.ending": debts,
        "promotrot.debt_decision": debts,
        "promotrot.play_end": plays,
        "promotrot.handover": vouchers,
    }


def _references() -> list[str]:
    return list(Emission.objects.values_list("reference", flat=True))


def _others() -> dict[str, Contents]:
    draws = [{"draw": str(uuid.uuid4())} for _ in range(MANY)]
    months = [{"first_day": "2030-01-01", "last_day": "2030-01-31"}] * MANY
    names: Content = {"names_of_staff": [1], "names_of_operators": []}
    return {
        "draws.manual": draws,
        "draws.abandonment": draws,
        "periods.closing": months,
        "periods.retirement": months,
        "periods.names": [names] * MANY,
    }


PARTS: dict[tuple[str, ...], Callable[[], dict[str, Contents]]] = {
    ("premises.", "statements."): _about_premises,
    ("staff.",): _about_staff,
    ("payoffice.",): _about_the_office,
    ("lototrot.",): lambda: _about_races() | _about_contests(),
    ("promotrot.",): _about_games,
    ("draws.", "periods."): _others,
}


# --- Tests ----------------------------------------------------------------------------------------


def _statements(kind: str, contents: Contents, *, together: bool = True) -> int:
    """Return how many statements the lines of new proposals take."""
    rows = [Proposal(kind=kind, content=content) for content in contents]
    with CaptureQueriesContext(connection) as queries, override("en"):
        if together:
            proposal_texts.read_together(rows)
        lines = [proposal_texts.subject_text(row) for row in rows]
    assert len(lines) == len(rows) and all(lines)
    return len(queries)


def test_every_kind_is_looked_at() -> None:
    begins = tuple(itertools.chain.from_iterable(PARTS))
    assert all(kind.startswith(begins) for kind in kinds())


@pytest.mark.parametrize("begins", PARTS)
def test_the_statements_of_a_list_do_not_grow_with_its_rows(begins: tuple[str, ...]) -> None:
    contents = PARTS[begins]()
    assert set(contents) == {kind for kind in kinds() if kind.startswith(begins)}
    for kind, rows in contents.items():
        _statements(kind, rows)  # keeps the facts of games and emissions in memory
        assert rows, kind
        alike: dict[tuple[str, ...], list[Content]] = {}
        for row in rows:
            alike.setdefault(tuple(key for key in row if row[key]), []).append(row)
        for each in alike.values():
            assert len(each) >= MANY, kind
            assert _statements(kind, each) == _statements(kind, each[:1]), kind


def test_neither_do_those_of_the_pages_that_list_them() -> None:
    desk, by = Desk(Role.ORGANISER), factories.staff(Role.ORGANISER)

    def listed() -> list[int]:
        """Return the statements of each page, with a proposal more for three new premises."""
        for _ in range(MANY):
            terms = {"premises": factories.premises().code, "limit_cents": 1, "reference": "Bank"}
            guarantee.guarantee_limit_propose(by=by, **terms)
        counts = []
        for page in ("/admin/", list_url(Proposal)):
            with CaptureQueriesContext(connection) as queries:
                assert terms["premises"] in desk.get(page)
            counts.append(len(queries))
        return counts

    listed()
    # A figure that is kept for some seconds may be asked for in one of them.
    assert all(later - before < MANY for before, later in zip(listed(), listed(), strict=True))
