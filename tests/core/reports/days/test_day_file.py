"""Write a day as a file of events and replay it in an empty database, the same to the cent."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.kernel.errors import InvariantBroken
from core.payoffice import sources
from core.payoffice.models import (
    ChequeRecovery,
    ChequeWriteOff,
    DepositMatch,
    Payment,
    VoidedChequePayment,
)
from core.payoffice.services import cheques, goods
from core.payoffice.services.matching import deposit_match
from core.payoffice.services.presenting import presentation_make
from core.payoffice.services.recovering import loss_entry_reverse, loss_recover, loss_write_off
from core.payoffice.services.stock_values import stock_correct
from core.premises.requests import new_uuid
from core.reports.days import day_file
from core.reports.days.day_file import DayDiffers, NotADayFile
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import databases, emitting, factories, paying, rounds
from tests.support.databases import Database
from tests.support.history.weeks import record_nights
from tests.support.season import world as season
from tests.support.season.world import at

BEGINS = date(2030, 3, 4)
DAYS = 3


@contextmanager
def empty() -> Iterator[None]:
    """Use a fresh, migrated database."""
    with databases.clone():
        yield


def written(day: date) -> list[str]:
    out = io.StringIO()
    assert day_file.write(day, out) > 0
    return out.getvalue().splitlines()


def replayed(lines: list[str]) -> int:
    with empty():
        return day_file.replay(lines)


def play(world: season.World, days: int) -> None:
    """Play days of meetings and claims, each with its night."""
    day = world.begins
    for _ in range(days):
        world.claims(day)
        world.meeting(world.planned(day))
        day = add_days(day, 1)
        at(day, 0, 30)
        world.night()
        if day.isoweekday() == 2:
            world.remit()


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[season.World]:
    """Play days for all tests here that read past days. One of them lets the season go on."""
    with django_db_blocker.unblock(), databases.clone():
        begun = season.begin(Random(3), BEGINS)
        play(begun, DAYS)
        yield begun


def test_days_of_a_season_are_made_again_from_their_files(world: season.World) -> None:
    last = add_days(BEGINS, DAYS - 1)
    for number in (0, DAYS - 1):
        lines = written(add_days(BEGINS, number))
        kinds = {json.loads(line).get("event") for line in lines}
        assert {"lototrot.sale", "lototrot.settled", "lototrot.ordered"} <= kinds
        assert replayed(lines) > 12, number
    jump = add_days(BEGINS, 30)
    for day in (6, 9, 14, 29, 30):
        world.claims(add_days(BEGINS, day))
    # In most of these nights nothing is due. The week before the lapses has every job in it.
    record_nights(add_days(BEGINS, DAYS), add_days(jump, -7))
    paid_on = natural_day(Payment.objects.latest("paid_at").paid_at)
    matched_on = natural_day(DepositMatch.objects.latest("matched_at").matched_at)
    at(add_days(jump, 1), 9)
    world.night()
    world.put_on_sale(world.planned(add_days(jump, 9)), on=add_days(jump, 1))
    at(add_days(jump, 2), 1)
    world.night()
    kinds = set()
    for day in (add_days(jump, 1), paid_on, matched_on, last):
        lines = written(day)
        kinds |= {json.loads(line).get("event") for line in lines}
        assert replayed(lines) > 12, day
    assert {"lototrot.lapsed", "lototrot.opened", "payoffice.payment"} <= kinds
    assert {"payoffice.depositmatch", "statements.statement"} <= kinds


@pytest.mark.article("14.III.10.5")
@pytest.mark.parametrize("torn", [False, True])
def test_a_ticket_presented_beside_another_paper_is_made_again(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, torn: bool
) -> None:
    """[C5]: the match, the presentation, the ruling and the payment are each of another day, and so
    are a deposit of the ticket itself, and the ruling on it.
    """
    with django_db_blocker.unblock(), databases.clone():
        factories.time_to(rounds.NOON)
        (won,) = paying.settled(1)
        cashier, days = paying.cashier(), []
        deposit = paying.deposited("", factories.point().actor, "unreadable")

        def next_day(later: int = 1) -> None:
            days.append(natural_day(clock.now()))
            factories.time_pass(days=later)

        deposit_match(
            by=factories.staff(Role.SUPERVISOR),
            deposit=deposit.uuid,
            game="lototrot",
            document=won.ticket.uuid,
            evidence="Sold then.",
        )
        next_day()
        presentation_make(at=cashier, code=won.code)
        next_day(later=40)
        paying.ruled(deposit, "refused")
        next_day()
        receipt: dict[str, Any] = {}
        if torn:
            own = paying.deposited(won.code, factories.point().actor)
            next_day()
            paying.ruled(own, "granted")
            next_day()
            receipt = {"code": "", "deposit": own.uuid}
        paying.paid_alone(cashier, won.request(**receipt))
        next_day()
        for day in days:
            assert replayed(written(day)) > 0, day


@pytest.mark.article("14.III.10.6")
@pytest.mark.parametrize("days", [0, 1])
def test_days_of_a_cheque_voided_reissued_and_paid_all_the_same_are_made_again(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, days: int
) -> None:
    """[C3]: all of it on one day, or each act on the next."""
    with django_db_blocker.unblock(), databases.clone():
        factories.time_to(rounds.NOON)
        (won,) = paying.worth(100_001)
        paying.paid_by_two(paying.cashier(), won.request(payee=paying.MARIA))
        written_on = {natural_day(clock.now())}

        def then(propose: Callable[..., Proposal], **facts: Any) -> None:
            factories.time_pass(days=days)
            written_on.add(natural_day(clock.now()))
            proposal = propose(by=factories.staff(Role.SUPERVISOR), **facts)
            paying.confirmed(proposal, Role.ORGANISER)

        then(cheques.cheque_void, number=1, reason="Lost.")
        then(cheques.cheque_reissue, number=1)
        facts = {"number": 1, "amount_cents": 100_001, "presented_on": min(written_on)}
        facts |= {"outcome": "loss", "reason": "Statement."}
        then(cheques.voided_cheque_paid, **facts)
        mistaken = VoidedChequePayment.objects.get().uuid
        then(loss_entry_reverse, entry=mistaken, reason="Cheque 11.")
        then(cheques.voided_cheque_paid, **facts)
        back = {"reference": "TR 1", "returned_by": "bank", "amount_cents": 60_000}
        back |= {"number": 1, "credited_on": max(written_on)}
        then(loss_recover, **back)
        then(loss_entry_reverse, entry=ChequeRecovery.objects.get().uuid, reason="60 euros.")
        then(loss_recover, **back | {"amount_cents": 6_000})
        then(loss_write_off, number=1, amount_cents=94_001, reason="Closed.")
        then(loss_entry_reverse, entry=ChequeWriteOff.objects.get().uuid, reason="Sued.")
        factories.time_pass(days=1)
        for day in sorted(written_on):
            assert replayed(written(day)) > 0, day


def changed(lines: list[str], kind: str, change: Any) -> list[str]:
    """Return the file without its first event of a kind, or with that event changed."""
    documents = [json.loads(line) for line in lines]
    answer = next(d for d in documents if d.get("event") == kind)
    if change is None:
        documents.remove(answer)
    else:
        change(answer["rows"][-1]["fields"])
    return [json.dumps(d) for d in documents]


def cheaper(fields: dict[str, Any]) -> None:
    fields["amount_cents"] -= 1


def test_a_file_tells_the_truth_and_no_secrets(
    world: season.World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day = add_days(BEGINS, 1)
    lines = written(day)
    with pytest.raises(DayDiffers):
        replayed(changed(lines, "payoffice.payment", None))
    opening = next(n for n, line in enumerate(lines) if '"opening":"premises' in line)
    other = json.loads(lines[opening])
    other["cents"] += 1
    with pytest.raises(DayDiffers) as differs:
        replayed([*lines[:opening], json.dumps(other), *lines[opening + 1 :]])
    assert differs.value.data["found"][0][0] == f"balance {other['opening']}"
    with pytest.raises(InvariantBroken):  # the ticket is not the one that was sealed
        replayed(changed(lines, "lototrot.sale", cheaper))
    for broken in ([], lines[:-1], ['{"format":"day-file/0"}', *lines[1:]]):
        with pytest.raises(NotADayFile):
            replayed(broken)

    text = "\n".join(lines)
    assert "argon2" not in text
    for ticket in Ticket.objects.all():
        assert bytes(ticket.code_digest).hex() not in text

    call_command("day_file", "--day", day.isoformat())
    output = capsys.readouterr().out
    assert output.splitlines() == lines
    file = tmp_path / "day.jsonl"
    file.write_text(output)
    with pytest.raises(CommandError, match="database_not_empty"):
        call_command("day_replay", str(file))
    with empty():
        call_command("day_replay", str(file))
    assert "none differs" in capsys.readouterr().out
    with pytest.raises(CommandError, match="not ended"):
        call_command("day_file", "--day", natural_day(clock.now()).isoformat())


def test_a_day_of_instant_tickets_is_made_again(own_database: Database) -> None:
    at(BEGINS, 9)
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 20)
    at(add_days(BEGINS, 1), 9)
    emitting.sold_and_played(emission, 12)
    emitting.closed(emission)
    at(add_days(BEGINS, 40), 9)
    for source in sources.all_sources():
        for group in source.lapses_due(add_days(BEGINS, 40)):
            source.lapse(group, add_days(BEGINS, 40))
    at(add_days(BEGINS, 41), 1)
    for day, kind in ((1, "promotrot.closing"), (0, "promotrot.voucher"), (40, "promotrot.lapse")):
        lines = written(add_days(BEGINS, day))
        assert kind in {json.loads(line).get("event") for line in lines}
        assert replayed(lines) > 3


def test_a_drawer_that_was_short_is_made_again(own_database: Database) -> None:
    """Opened the day before or the same day, and closed with a difference after cash was taken."""
    at(BEGINS, 9)
    early = paying.cashier(float_cents=1_000)
    at(add_days(BEGINS, 1), 9)
    same_day = paying.cashier(float_cents=2_000)
    paying.cash_closed(early, paying.session_of(early), 990)
    paying.cash_taken(same_day, 500)
    paying.cash_closed(same_day, paying.session_of(same_day), 1_505)
    at(add_days(BEGINS, 2), 1)
    lines = written(add_days(BEGINS, 1))
    assert "Looked for twice." in "".join(lines)
    assert replayed(lines) > 1
    assert replayed(written(BEGINS)) > 0


def test_days_of_a_value_that_was_corrected_are_made_again(own_database: Database) -> None:
    """The file of the day before it is made after it, when the thing has another value."""
    at(BEGINS, 9)
    vouchers, who = paying.bicycles(), paying.cashier()
    place = paying.session_of(who).premises
    keeper = paying.stocked(place, 3)

    def exchange(of: paying.Presented) -> None:
        goods.exchange_make(by=who, request=goods.ExchangeRequest(new_uuid(), True, of.code))

    exchange(vouchers[0])
    at(add_days(BEGINS, 1), 9)
    paying.confirmed(stock_correct(by=keeper, item="bicycle", unit_cents=40, reason="Mistyped."))
    paying.stock_moved(keeper, place, 1)
    exchange(vouchers[1])
    at(add_days(BEGINS, 2), 1)
    for day, kind in ((0, "payoffice.stock_moved"), (1, "payoffice.stock_corrected")):
        lines = written(add_days(BEGINS, day))
        assert kind in {json.loads(line).get("event") for line in lines}
        assert replayed(lines) > 3
