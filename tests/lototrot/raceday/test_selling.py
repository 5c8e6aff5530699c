"""Sell at several terminals at once, and tell kinds, refusals and amounts apart."""

import threading
from collections import Counter
from typing import Any

import pytest

from lototrot.raceday import selling
from lototrot.raceday.meeting import PRICE_CENTS, Day
from lototrot.sample import facts
from tests.support.lototrot.answering import Answers, problem, seller_of, staff_of

TICKETS = "lototrot/tickets"


class Shop(Answers):
    """A system that sells what is asked, and refuses the requests of some positions."""

    def __init__(self, refused: tuple[int, ...] = ()) -> None:
        super().__init__()
        self._lock, self._refused = threading.Lock(), refused

    def post(self, path: str, body: Any = None) -> Any:
        with self._lock:
            self.asked.append((path, body))
            number = len(self.asked)
        if number in self._refused:
            raise problem("withdrawn_number")
        quick = [isinstance(race, dict) for race in body["races"]]
        return {
            "uuid": body["uuid"],
            "bets": body["amount_cents"] // body["price_cents"],
            "amount_cents": body["amount_cents"],
            "races": [{"quick_pick": drawn} for drawn in quick],
        }


@pytest.fixture
def day() -> Day:
    answers = Answers()
    return Day(facts.load(facts.SON_PARDO), staff_of(answers), contest=7)


def ticket(bets: int, *quick_picks: bool) -> dict[str, Any]:
    return {"bets": bets, "races": [{"quick_pick": drawn} for drawn in quick_picks]}


def test_the_kind_of_a_ticket_is_told_by_its_bets_and_its_quick_picks() -> None:
    assert selling.kind_of(ticket(1, False, False)) == "single"
    assert selling.kind_of(ticket(2, False, True)) == "multiple"
    assert selling.kind_of(ticket(1, True, True)) == "quick pick"


def test_every_ticket_of_the_mix_is_asked_for_once_and_paid_by_its_bets(day: Day) -> None:
    shop, mix = Shop(), selling.Mix(singles=4, multiples=3, quick_picks=2)
    sold = selling.sell_many(day, [seller_of(shop), seller_of(shop)], 1, mix)
    assert sold.kinds() == {"single": 4, "multiple": 3, "quick pick": 2}
    bodies = shop.bodies(TICKETS)
    assert len({body["uuid"] for body in bodies}) == 9
    for body in bodies:
        bets = 1
        for race in body["races"]:
            bets *= len(race) if isinstance(race, list) else 1
        assert body["amount_cents"] == bets * PRICE_CENTS
        assert (body["contest"], len(body["races"])) == (7, 7)


def test_the_same_seed_bets_the_same_and_withdrawn_numbers_are_left_out(day: Day) -> None:
    def numbers(seed: int, *without: facts.Withdrawal) -> list[Any]:
        shop = Shop()
        mix = selling.Mix(singles=30, multiples=0, quick_picks=0)
        selling.sell_many(day, [seller_of(shop)], seed, mix, without)
        return [body["races"] for body in shop.bodies(TICKETS)]

    assert numbers(1) == numbers(1) != numbers(2)
    race = day.facts.races[0]
    shares = day.facts.bet_shares()[0]
    favourite = max(shares, key=lambda number: shares[number])
    assert any(races[0] == [favourite] for races in numbers(1))
    out = facts.Withdrawal(race.racecourse, race.race, favourite)
    assert not any(races[0] == [favourite] for races in numbers(1, out))


def test_refusals_are_counted_by_code_and_do_not_stop_the_sale(day: Day) -> None:
    mix = selling.Mix(singles=5, multiples=0, quick_picks=0)
    sold = selling.sell_many(day, [seller_of(Shop(refused=(2, 4)))], 1, mix)
    assert len(sold.tickets) == 3
    assert sold.refusals == Counter(withdrawn_number=2)


def test_the_kinds_are_printed_with_their_amounts(capsys: pytest.CaptureFixture[str]) -> None:
    sold = selling.Sold([ticket(1, False) | {"amount_cents": 100} for _ in range(1200)])
    selling.show_kinds(sold)
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.split() == ["single", "1,200", "1,200.00", "€"]


def test_a_sale_that_must_be_refused_and_is_not_is_an_error() -> None:
    closed = Answers().to(TICKETS, problem("contest_closed"))
    assert selling.refused(seller_of(closed), {}) == "contest_closed"
    sold = Answers().to(TICKETS, {"uuid": "4f1c"})
    with pytest.raises(RuntimeError, match="4f1c"):
        selling.refused(seller_of(sold), {})


def test_a_paper_is_fetched_before_its_print_is_confirmed() -> None:
    paper, confirmation = (f"{TICKETS}/u/{act}" for act in ("slip.escpos", "print-confirmation"))
    answers = Answers().to(paper, b"\x1b@").to(confirmation, None)
    assert selling.print_confirm(seller_of(answers), {"uuid": "u"}) == b"\x1b@"
    assert [path for path, _ in answers.asked] == [paper, confirmation]


def test_each_terminal_confirms_the_prints_of_its_own_tickets() -> None:
    answers = Answers()
    for ident in "uv":
        answers.to(f"{TICKETS}/{ident}/print-confirmation", None)
    sold = [{"uuid": "u", "terminal": "T-1"}, {"uuid": "v", "terminal": "T-2"}]
    selling.prints_confirm([seller_of(answers, "T-1"), seller_of(Answers(), "T-3")], sold)
    assert [path for path, _ in answers.asked] == [f"{TICKETS}/u/print-confirmation"]


def test_an_instant_is_shown_as_the_time_in_palma() -> None:
    assert selling.clock_time("2027-07-01T16:05:00+00:00") == "18:05"
