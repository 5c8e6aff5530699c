"""Check verify/races.py against the engine on every small race, and its days of the order."""

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lototrot.engine import races as engine
from tests.support.verifying.forging import Refused
from tests.support.verifying.load import verifier

races, settlement = verifier("races"), verifier("settlement")

numbers = st.sets(st.integers(1, 8))


@given(
    programme=st.sets(st.integers(1, 8), min_size=1),
    withdrawn=numbers,
    left=numbers,
    outcome=st.sampled_from(engine.Outcome),
    data=st.data(),
)
def test_the_numbers_that_are_right_are_the_engines(
    programme: set[int], withdrawn: set[int], left: set[int], outcome: Any, data: Any
) -> None:
    withdrawn, left = withdrawn & programme, (left & programme) - withdrawn
    assume(programme - withdrawn - left or outcome is engine.Outcome.NOT_RUN)
    document = {
        "programme": sorted(programme),
        "withdrawn": sorted(withdrawn),
        "left": sorted(left),
        "outcome": str(outcome),
    }
    field = races.starters(document, document["outcome"])
    most = 2 if outcome is engine.Outcome.RUN else 1  # a dead heat, or the first of a draw
    winners = st.sets(st.sampled_from(field), min_size=1, max_size=most)
    document["winners"] = sorted(data.draw(winners))
    race = engine.Race(
        programme=tuple(sorted(programme)),
        withdrawn=frozenset(withdrawn),
        left=frozenset(left),
        disqualified=frozenset(),
        winners=frozenset(document["winners"]),
        outcome=outcome,
    )
    for number in document["programme"]:
        assert races.deemed(number, document) == engine.substitute(number, race)[-1]
    assert races.right_numbers(document) == [*engine.numbers_of(engine.right_mask(race))]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [*product(("programme",), ([2, 1], [1, 1])), *product(("withdrawn", "left"), ([2, 1], [1, 3]))],
)
def test_numbers_that_are_none_of_the_programme_are_refused(name: str, numbers: list[int]) -> None:
    race = {"programme": [1, 2], "withdrawn": [], "left": []}
    races.check_numbers(race, "races[0]")
    with pytest.raises(Refused, match=rf"races\[0\]\.{name}"):
        races.check_numbers(race | {name: numbers}, "races[0]")


class Log:
    """A log with one payment order, or none."""

    def __init__(self, order: dict[str, Any] | None) -> None:
        self.order = order

    def has(self, kind: str, subject: str) -> bool:
        return self.order is not None

    def document(self, kind: str, subject: str) -> dict[str, Any]:
        assert self.order is not None
        return self.order

    def digest(self, kind: str, subject: str) -> str:
        return "ab"


CERTIFICATE = {
    "settlement": "s",
    "day": "2027-04-10",
    "races": [{"official_at": "2027-04-10T13:00:00Z"}, {"official_at": "2027-04-10T23:00:00Z"}],
}
ORDER = {
    "certificate": "ab",
    "ordered_at": "2027-04-12T10:00:00Z",
    "ordered_on": "2027-04-12",
    "results_day": "2027-04-11",
    "claim_days": 30,
    "first_pay_day": "2027-04-12",
    "last_claim_day": "2027-05-11",
}


def test_the_days_of_the_order_count_from_the_results() -> None:
    assert races.check_order(Log(None), CERTIFICATE) == ""
    assert races.check_order(Log(ORDER), CERTIFICATE) == "; payable until 2027-05-11"
    later = {"ordered_at": "2027-04-14T10:00:00Z", "ordered_on": "2027-04-14"}
    late = ORDER | later | {"last_claim_day": "2027-05-13"}
    assert races.check_order(Log(late), CERTIFICATE).endswith("2027-05-13")


def test_a_result_of_the_night_is_of_the_meetings_day_until_noon() -> None:
    """B15: not one of another day, nor that of an afternoon."""
    order = ORDER | {"results_day": "2027-04-10", "first_pay_day": "2027-04-11"}
    night = [{"official_at": "2027-04-11T03:00:00.000000Z"}]
    assert races.check_order(Log(order), CERTIFICATE | {"races": night})
    for day, at in (
        ("2027-04-10", "2027-04-11T11:00:00.000000Z"),
        ("2027-04-10", "2027-04-12T03:00:00.000000Z"),
        ("2027-04-09", "2027-04-11T03:00:00.000000Z"),
    ):
        other = CERTIFICATE | {"day": day, "races": [{"official_at": at}]}
        with pytest.raises(Refused, match=r"payment_order\.results_day"):
            races.check_order(Log(order), other)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("certificate", "cd"),
        ("results_day", "2027-04-09"),
        ("results_day", "2027-04-12"),
        ("ordered_on", "2027-04-14"),
        ("first_pay_day", "2027-04-13"),
        ("last_claim_day", "2027-05-10"),
    ],
)
def test_another_day_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(Refused, match=rf"payment_order\.{name}"):
        races.check_order(Log(ORDER | {name: value}), CERTIFICATE)


# --- The chain ------------------------------------------------------------------------------------

KIND, ORDERED, REVERSAL = races.KIND, races.ORDER, races.REVERSAL


class Chain(verifier("public_log").Log):  # type: ignore[misc]
    """A log of entries that need no signatures."""

    def __init__(self, *items: tuple[str, str, dict[str, Any]]) -> None:
        self.entries = {
            (kind, subject): {
                "sequence": number,
                "kind": kind,
                "subject": subject,
                "document": document,
            }
            for number, (kind, subject, document) in enumerate(items, start=1)
        }


def settled(name: str, day: int, **more: Any) -> tuple[str, str, dict[str, Any]]:
    """A settlement of the contest of a day, with what it carries in and out."""
    figures = {"jackpot_in": 0, "reserve_in": 0, "jackpot_out": 10 * day, "reserve_out": day}
    document = {
        "settlement": name,
        "contest": day,
        "number": 1,
        "replaces": None,
        "day": f"2030-03-{day:02}",
        "rules": {"code": "lototrot"},
        "previous": None,
        "figures": figures | more.pop("figures", {}),
    }
    return KIND, name, document | more


def of(name: str, kind: str) -> tuple[str, str, dict[str, Any]]:
    return kind, name, {}


def following(log: Chain, name: str) -> dict[str, Any]:
    """The certificate, as one that follows on the settlement of the second day."""
    certificate = log.document(KIND, name)
    carried = {"jackpot_in": 20, "reserve_in": 2}
    before = {"previous": log.digest(KIND, "b")}
    return {**certificate, **before, "figures": certificate["figures"] | carried}


def test_the_one_before_is_the_newest_that_stood_then() -> None:
    log = Chain(
        settled("a", 1),
        of("a", ORDERED),
        settled("wrong", 2),
        of("wrong", REVERSAL),
        settled("b", 2, number=2, replaces="wrong"),
        of("b", ORDERED),
        settled("c", 3),
    )
    races.check_carried(log, following(log, "c"))
    races.check_carried(log, log.document(KIND, "a"))
    for name in ("a", "wrong"):
        other = following(log, "c") | {"previous": log.digest(KIND, name)}
        with pytest.raises(Refused, match=r"^lototrot\.settlement\.previous: "):
            races.check_carried(log, other)


def test_a_meeting_waits_for_the_order_of_the_one_before_and_for_its_day() -> None:
    early = Chain(settled("b", 2), settled("c", 3), of("b", ORDERED))
    with pytest.raises(Refused, match=r"^lototrot\.settlement\.sequence: "):
        races.check_carried(early, following(early, "c"))
    backwards = Chain(settled("b", 2), of("b", ORDERED), settled("a", 1))
    with pytest.raises(Refused, match=r"not of an earlier day"):
        races.check_carried(backwards, following(backwards, "a"))


def test_the_settlements_of_a_contest_replace_one_another() -> None:
    good = Chain(
        settled("a", 1),
        of("a", REVERSAL),
        settled("b", 1, number=2, replaces="a"),
        of("b", ORDERED),
    )
    for name in ("a", "b"):
        settlement.check_alone(good, good.document(KIND, name))
    late = Chain(settled("a", 1), settled("b", 1, number=2, replaces="a"), of("a", REVERSAL))
    never = Chain(settled("a", 1), settled("b", 1, number=2, replaces="a"))
    silent = Chain(settled("a", 1), of("a", REVERSAL), settled("b", 1))
    for log in (late, never, silent):
        for name in ("a", "b"):
            with pytest.raises(Refused, match=r"^lototrot\.settlement"):
                settlement.check_alone(log, log.document(KIND, name))


def test_what_an_ended_bet_type_sent_counts_between_two_entries() -> None:
    moves = [
        {"source": source, "bet_type": to, "cents": cents}
        for source, to, cents in (
            ("jackpot", "lototrot", 5),
            ("unclaimed", "lototrot", 7),
            ("reserve", "lototrot", 11),
            ("reserve", "another", 13),
        )
    ]
    log = Chain(of("a", ORDERED), (races.END, "old", {"bet_type": "old", "moves": moves}))
    assert races.sent_here(log, "lototrot", 1, 3) == {"jackpot": 12, "reserve": 11}
    assert not races.sent_here(log, "lototrot", 2, 9) and not races.sent_here(log, "x", 0, 9)
