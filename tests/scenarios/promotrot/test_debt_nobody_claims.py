"""The debt of an ended game is drawn for a winner who never comes, drawn again, again, and then
stands on an account of its own for the authority: never the organiser's (scenario 7; second list,
P17; 15.III.6.2).
"""

import uuid
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.alarms.selectors import standing
from core.database import clock
from core.draws.models import Draw
from core.ledger.books import differences
from core.ledger.services import balance_cents
from core.nights.services import night_run
from core.payoffice.accounts import treasury
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.debt import DebtDraw, DebtStanding
from promotrot.models.game import Game
from promotrot.models.voucher import Voucher
from tests.support import emitting, factories, paying
from tests.support.api import refused, staff_api, terminal_api
from tests.support.factories import Point
from tests.support.promotrot.owing import nobody_comes

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.2")]
OWED, SOLD, WON = 50_000, 80, 6_000
"""80 of 100 tickets at 10.00 are sold: 70 % of 800.00 is 560.00, of which 60.00 were won."""


def owing(place: Point) -> Game:
    """Return a game whose only emission is closed and owes exactly 500.00 to prizes."""
    definition = emitting.small(
        "owing",
        tickets=100,
        block_tickets=100,
        price_cents=1_000,
        tiers=[{"cash_cents": 40_000, "count": 1}, {"cash_cents": 6_000, "count": 5}],
    )

    def wanted(tiers: bytes) -> bool:
        return (tiers[:SOLD].count(1), tiers[:SOLD].count(2)) == (0, 1)

    with emitting.seeded(emitting.seed_where("owing/1", wanted, definition)):
        emission = emitting.opened(definition)
    emitting.played(place, emitting.sold(emission, SOLD, place))
    return emitting.closed(emission).game


def confirmed(path: str, body: dict[str, Any]) -> Any:
    """Propose as one organiser and confirm as another; return the answer to the confirmation."""
    proposal = staff_api(Role.ORGANISER).post(path, body)
    assert proposal.status_code == 201, proposal.content
    return staff_api(Role.ORGANISER).post(f"proposals/{proposal.json()['proposal']}/confirmation")


def ended(game: Game, winners: int = 1) -> None:
    factories.central_office()
    path = f"promotrot/games/{game.code}/ending"
    assert confirmed(path, {"winners": winners}).status_code == 200


def drawn(game: Game) -> list[Voucher]:
    """Hold the announced draw over the API, at its time; return the vouchers of its winners."""
    draw = Draw.objects.filter(kind="promotrot.debt").latest("pk")
    assert draw.subject == f"{game.code}:{game.debt_draws.count()}"
    factories.announced_time(draw)
    organiser, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    path, dice = f"draws/{draw.uuid}", "3161425364"
    means = {"source": "dice", "pieces": len(dice)}
    entropy = {"source": "dice", "text": dice, "witness": "Una jugadora"}
    for by, step, body in (
        (inspector, "attendance", {}),
        (organiser, "commitment", means),
        (inspector, "entropy", entropy),
        (inspector, "certificate", {}),
    ):
        answer = by.post(f"{path}/{step}", body)
        assert answer.status_code in (200, 201), (step, answer.content)
    return list(Voucher.objects.filter(debt_draw__game=game, issued_at__gte=draw.created_at))


def stages() -> list[tuple[str, int]]:
    items = staff_api(Role.AUDITOR).get("promotrot/debts").json()["items"]
    return [(item["stage"], item["cents"]) for item in items]


def alarms() -> list[str]:
    return [each.row.words for each in standing() if each.alarm.code == "promotrot_debt"]


def balances(code: str) -> tuple[int, int]:
    """Return what is owed to prizes, and what stands before the authority.

    Only the ordinary prize of 60.00 that nobody claimed is ever the organiser's.
    """
    assert balance_cents(accounts.unclaimed()) in (0, WON)
    return balance_cents(accounts.prizes(code)), balance_cents(accounts.for_authority(code))


def test_a_debt_is_drawn_three_times_and_then_stands_for_the_authority() -> None:
    game = owing(factories.point())
    assert stages() == [("extra", OWED)] and len(alarms()) == 1
    ended(game)
    again = "promotrot/games/owing/debt/draws"
    organiser = staff_api(Role.ORGANISER)
    refused(organiser.post(again), 409, "debt_draw_pending")
    for number in (1, 2, 3):
        assert stages() == [("announced", OWED)] and not alarms()
        (voucher,) = drawn(game)
        assert (voucher.amount_cents, voucher.code_digest) == (OWED, None)
        assert stages() == [("held", OWED)] and balances("owing") == (0, 0)
        nobody_comes(whole_night=True)
        if number == 3:
            break
        assert stages() == [("again", OWED)] and balances("owing") == (OWED, 0)
        assert "500.00" in alarms()[0] or "500,00" in alarms()[0]
        organiser = staff_api(Role.ORGANISER)
        refused(staff_api(Role.AUDITOR).post(again), 403, "power_missing")
        announced = organiser.post(again, {}, Idempotency_Key="k" * 20)
        assert announced.status_code == 201, announced.content
        assert announced.json() | {"draw": ""} == {
            "draw": "",
            "number": number + 1,
            "owed_cents": OWED,
            "winners": 1,
        }
        assert organiser.post(again, {}, Idempotency_Key="k" * 20).json() == announced.json()
    assert balances("owing") == (0, OWED), "never the organiser's"
    assert stages() == [("authority", OWED)] and len(alarms()) == 1
    refused(staff_api(Role.ORGANISER).post(again), 409, "debt_draws_over")
    night_run()
    assert DebtStanding.objects.count() == 1 and differences()[1] == []

    decision = {"cents": OWED + 1, "reference": "Resolució 12/2027", "payee": "Creu Roja"}
    path = "promotrot/games/owing/debt/decision"
    refused(staff_api(Role.ORGANISER).post(path, decision), 409, "debt_differs")
    before = balance_cents(treasury())
    assert confirmed(path, decision | {"cents": OWED}).status_code == 200
    assert balance_cents(treasury()) == before - OWED
    assert balances("owing") == (0, 0) and not stages() and not alarms()
    refused(staff_api(Role.ORGANISER).post(path, decision | {"cents": 1}), 409, "debt_differs")
    assert differences()[1] == []


def test_only_what_lapsed_is_drawn_again_a_ticket_for_each_prize() -> None:
    game = owing(factories.point())
    ended(game, winners=5)
    first, *others = drawn(game)
    code = paying.handed_over_by_api(paying.desk_api(), str(first.uuid))["code"]
    body = {"uuid": str(new_uuid()), "code": code, "amount_cents": 10_000, "intact": True}
    assert paying.desk_api().post("office/payments", body).status_code == 201
    nobody_comes(whole_night=True)
    again = staff_api(Role.ORGANISER).post("promotrot/games/owing/debt/draws").json()
    assert (again["owed_cents"], again["winners"]) == (40_000, 4)
    assert sorted(voucher.amount_cents for voucher in drawn(game)) == [10_000] * 4
    assert len(others) == 4 and differences()[1] == []


def test_every_play_leaves_a_code_that_says_it_may_win_later() -> None:
    place = factories.point()
    api, emission = terminal_api(place), emitting.opened(emitting.small())
    ident = str(new_uuid())
    for _ in range(2):  # the same request again has the same receipt
        body = {"uuid": ident, "emission": emission.pk, "price_cents": emission.price_cents}
        card = api.post("promotrot/plays", body, Accept_Language="en").json()
        assert card["receipt"]["code"] == ident and "may win later" in card["receipt"]["says"]
        assert len(card["receipt"]["proof"]) == 29
    for language, says in (("en", "may win later"), ("es", "más adelante"), ("ca", "més endavant")):
        path = f"promotrot/plays/{ident}/receipt.txt"
        text = " ".join(api.get(path, lang=language).content.decode().split())
        assert says in text and ident in text and card["receipt"]["proof"] in text


def test_the_database_keeps_the_debt_of_an_ended_game_for_prizes() -> None:
    game = owing(factories.point())
    ended(game, winners=2)
    terms: dict[str, Any] = {"game": game, "announced_at": clock.now(), "winners": 1}
    for number, cents in ((1, OWED), (2, OWED), (2, 0), (4, OWED)):
        with pytest.raises(DatabaseError), transaction.atomic():
            DebtDraw.objects.create(**terms, number=number, owed_cents=cents)
    stood = {"uuid": uuid.uuid4(), "game": game, "stood_at": clock.now()}
    with pytest.raises(DatabaseError), transaction.atomic():
        DebtStanding.objects.create(**stood, cents=OWED)
    (one, _) = drawn(game)
    with pytest.raises(DatabaseError), transaction.atomic():
        Voucher.objects.filter(pk=one.pk).update(debt_draw=None)
