"""Check a chain of settlements by hand-made logs: which one is before another, and which stand."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support.lototrot.scheduling import postpone
from tests.support.verifying.forging import (
    Entries,
    Walk,
    published_log,
    quick_signatures,
    vouched_for,
)
from tests.support.verifying.load import verifier
from tests.support.verifying.settling import FACTS, run, sold

chain, forms, entry = verifier("chain"), verifier("forms"), verifier("entry")
races = verifier("races")
KIND, ORDER, REVERSAL = races.KIND, races.ORDER, races.REVERSAL
AT = "2030-03-01T{}:00.000000Z"


class Log(verifier("public_log").Log):
    """A log of entries that need no signatures."""

    def __init__(self, *items: tuple[str, str, dict[str, Any]]) -> None:
        self.entries = {
            (kind, subject): {
                "sequence": number,
                "kind": kind,
                "subject": subject,
                "document": document,
                "at": AT.format("09:00"),
            }
            for number, (kind, subject, document) in enumerate(items, start=1)
        }


def settled(name: str, day: int, **more: Any) -> tuple[str, str, dict[str, Any]]:
    """Return a settlement of the contest of a day, with what it carries in and out."""
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


def reversed_of(log: Log, name: str, **more: Any) -> Log:
    """Return the log, in which the reversal of a settlement names it as it was published."""
    contest = log.document(KIND, name)["contest"]
    names = {"contest": contest, "settlement": name, "certificate": log.digest(KIND, name)}
    log.entry(REVERSAL, name)["document"] = names | {"reversed_at": AT.format("09:00")} | more
    return log


def following(log: Log, name: str) -> dict[str, Any]:
    """The certificate, as one that follows on the settlement of the second day."""
    certificate = log.document(KIND, name)
    carried = {"jackpot_in": 20, "reserve_in": 2}
    before = {"previous": log.digest(KIND, "b")}
    return {**certificate, **before, "figures": certificate["figures"] | carried}


def test_the_one_before_is_the_newest_that_stood_then() -> None:
    log = Log(
        settled("a", 1),
        of("a", ORDER),
        settled("wrong", 2),
        of("wrong", REVERSAL),
        settled("b", 2, number=2, replaces="wrong"),
        of("b", ORDER),
        settled("c", 3),
    )
    chain.check_carried(log, following(log, "c"))
    chain.check_carried(log, log.document(KIND, "a"))
    for name in ("a", "wrong"):
        other = following(log, "c") | {"previous": log.digest(KIND, name)}
        with pytest.raises(forms.Refused, match=r"^lototrot\.settlement\.previous: "):
            chain.check_carried(log, other)


def test_a_meeting_waits_for_the_order_of_the_one_before_and_for_its_day() -> None:
    early = Log(settled("b", 2), settled("c", 3), of("b", ORDER))
    with pytest.raises(forms.Refused, match=r"^lototrot\.settlement\.sequence: "):
        chain.check_carried(early, following(early, "c"))
    backwards = Log(settled("b", 2), of("b", ORDER), settled("a", 1))
    with pytest.raises(forms.Refused, match=r"not of an earlier day"):
        chain.check_carried(backwards, following(backwards, "a"))


def sealed(contest: int, bet_type: str = "lototrot") -> tuple[str, str, dict[str, Any]]:
    seal = {"contest": contest, "bet_type": bet_type, "day": f"2030-03-{contest:02}"}
    return chain.SEAL, f"contest:{contest}", seal


@pytest.mark.article("14.III.9.5")
def test_a_meeting_that_was_sold_and_passed_over_is_missed() -> None:
    """Its takings, and what it would have carried on, would go to no player [A4]."""
    good = Log(sealed(1), settled("a", 1), of("a", ORDER), sealed(9), sealed(2), settled("b", 2))
    chain.check_waited(good, good.document(KIND, "b"))
    other = Log(sealed(1, "quartet"), sealed(2), settled("b", 2))
    chain.check_waited(other, other.document(KIND, "b"))
    never = Log(sealed(1), sealed(2), settled("b", 2))
    reversed_since = Log(sealed(1), settled("a", 1), of("a", REVERSAL), settled("b", 2))
    waits = Log(sealed(1), settled("a", 1), settled("b", 2))
    for log in (never, reversed_since, waits):
        with pytest.raises(forms.Refused, match=r"contest 1 of 2030-03-01 was on sale, and is not"):
            chain.check_waited(log, log.document(KIND, "b"))
    late = Log(sealed(1), settled("a", 1), settled("b", 2), of("a", ORDER))
    with pytest.raises(forms.Refused, match=r"^lototrot\.settlement\.sequence: "):
        chain.check_waited(late, late.document(KIND, "b"))


def test_the_settlements_of_a_contest_replace_one_another() -> None:
    first, second = settled("a", 1), settled("b", 1, number=2, replaces="a")
    good = reversed_of(Log(first, of("a", REVERSAL), second, of("b", ORDER)), "a")
    for name in ("a", "b"):
        chain.check_alone(good, good.document(KIND, name))
    late = reversed_of(Log(first, second, of("a", REVERSAL)), "a")
    never = Log(first, second)
    silent = reversed_of(Log(first, of("a", REVERSAL), settled("b", 1)), "a")
    for log in (late, never, silent):
        for name in ("a", "b"):
            with pytest.raises(forms.Refused, match=r"^lototrot\.settlement"):
                chain.check_alone(log, log.document(KIND, name))


@pytest.mark.article("14.III.8.1", "14.III.8.2")
def test_an_ordered_settlement_is_not_reversed() -> None:
    """B14: no later change has any effect."""
    both = reversed_of(Log(settled("a", 1), of("a", ORDER), of("a", REVERSAL)), "a")
    with pytest.raises(forms.Refused, match="reversal: its payment is ordered"):
        chain.check_alone(both, both.document(KIND, "a"))


@pytest.mark.article("14.III.8.2")
@pytest.mark.parametrize(
    "lie",
    [
        {"contest": 2},
        {"settlement": "b"},
        {"certificate": "00" * 32},
        {"reversed_at": AT.format("07:59")},
        {"reversed_at": AT.format("09:01")},
    ],
)
def test_a_reversal_names_its_settlement_and_its_time(lie: dict[str, Any]) -> None:
    log = reversed_of(Log(settled("a", 1), of("a", REVERSAL)), "a")
    chain.check_alone(log, log.document(KIND, "a"))
    false = reversed_of(log, "a", **lie)
    with pytest.raises(
        forms.Refused, match=rf"^lototrot\.settlement_reversal\.{next(iter(lie))}: "
    ):
        chain.check_alone(false, false.document(KIND, "a"))


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
    log = Log(of("a", ORDER), (chain.END, "old", {"bet_type": "old", "moves": moves}))
    assert chain.sent_here(log, "lototrot", 1, 3) == {"jackpot": 12, "reserve": 11}
    assert not chain.sent_here(log, "lototrot", 2, 9) and not chain.sent_here(log, "x", 0, 9)


# --- On which terms a contest was sold ------------------------------------------------------------

SOLD = {
    "contest": 1,
    "bet_type": "lototrot",
    "day": "2030-03-01",
    "races": 1,
    "programme": "ab",
    "legs": [{"race": 1, "programme": [1, 2]}],
    "price_cents": 100,
    "rules": "cd",
}


def dated(*items: tuple[str, str, str, dict[str, Any]]) -> Log:
    """Return a log of entries with the time of each."""
    log = Log(*((kind, subject, document) for _, kind, subject, document in items))
    for entry, (at, *_) in zip(log.entries.values(), items, strict=True):
        entry["at"] = AT.format(at)
    return log


def put_on_sale(at: str = "09:00", stated: str = "", **more: Any) -> Any:
    times = {"opened_at": AT.format(stated or at), "closes_at": AT.format("16:00")}
    return at, chain.OPENING, "contest:1", SOLD | times | more


def moved(place: int, at: str, old: str, new: str, *, stated: str = "", **more: Any) -> Any:
    times = {"moved_at": stated or at, "from": old, "to": new}
    names = {name: SOLD[name] for name in ("contest", "bet_type", "day")}
    move = names | {"number": place, "persons": 2} | {k: AT.format(v) for k, v in times.items()}
    return at, chain.SCHEDULE, f"contest:1:{place}", move | more


def closed(closed_at: str = "16:00", cause: str = "schedule", **more: Any) -> Any:
    seal = SOLD | {"closed_at": AT.format(closed_at), "closing_cause": cause}
    return "17:00", chain.SEAL, "contest:1", seal | more


@pytest.mark.article("14.III.4", "14.III.5.2")
def test_a_contest_is_sealed_on_the_terms_of_its_opening_at_its_announced_closing() -> None:
    for log in (
        dated(put_on_sale(), closed()),
        dated(put_on_sale(), closed("15:40", "start")),
        dated(put_on_sale(), closed("08:00", "start")),  # bets were in breach from the first on
        dated(moved(1, "08:00", "18:00", "17:00", persons=1), put_on_sale(), closed()),
        dated(put_on_sale(), moved(1, "10:00", "16:00", "16:20"), closed("16:20")),
        dated(
            moved(1, "08:00", "18:00", "17:00"),
            put_on_sale(),
            moved(2, "10:00", "16:00", "16:30"),
            moved(3, "16:10", "16:30", "16:20", persons=1),
            closed("16:20"),
        ),
    ):
        chain.check_sold(log, 1)


@pytest.mark.article("14.III.4", "14.III.5.2")
@pytest.mark.parametrize(
    ("items", "why"),
    [
        ([closed()], r"lototrot\.opening contest:1: not in the log"),
        ([closed(), put_on_sale()], "seal.sequence: published too early"),
        *(
            ([put_on_sale(), closed(**{name: value})], rf"seal\.{name}: should be")
            for name, value in {
                "bet_type": "quartet",
                "day": "2030-03-02",
                "races": 2,
                "programme": "ac",
                "legs": [{"race": 1, "programme": [1, 2, 3]}],
                "price_cents": 50,
                "rules": "ce",
            }.items()
        ),
        ([put_on_sale(stated="07:00"), closed()], "opened_at: not when it was published"),
        ([put_on_sale(stated="09:01"), closed()], "opened_at: not when it was published"),
        ([put_on_sale(contest=2), closed()], "opening.contest: should be 1"),
        ([put_on_sale(), closed("16:20", "start")], "closed_at: start, and .*16:00"),
        ([put_on_sale(), closed("16:20")], "closed_at: schedule, and .*16:00"),
        ([put_on_sale(), closed("15:40")], "closed_at: schedule, and .*16:00"),
        ([put_on_sale(), moved(1, "10:00", "15:00", "17:00"), closed("17:00")], "from: should be"),
        (
            [put_on_sale(), moved(1, "16:30", "16:00", "16:40"), closed("16:40")],
            "moved_at: the closing had come",
        ),
        (
            [put_on_sale(), moved(1, "17:30", "16:00", "17:00", stated="15:00"), closed("17:00")],
            "moved_at: not when it was published",
        ),
        *(
            ([put_on_sale(), moved(1, "10:00", "16:00", "17:00", **lie), closed("17:00")], why)
            for lie, why in (
                ({"persons": 1}, "persons: should be 2"),
                ({"persons": 3}, "persons: should be 2"),
                ({"contest": 2}, "schedule contest:1:1.contest: should be 1"),
                ({"number": 2}, "number: should be 1"),
                ({"day": "2030-03-02"}, "day: should be 2030-03-01"),
                ({"bet_type": "quartet"}, "bet_type: should be lototrot"),
            )
        ),
        ([put_on_sale(), moved(1, "10:00", "16:00", "15:00"), closed("15:00")], "should be 1"),
    ],
)
def test_other_terms_and_other_closings_are_refused(items: list[Any], why: str) -> None:
    with pytest.raises(forms.Refused, match=why):
        chain.check_sold(dated(*items), 1)


@pytest.mark.article("14.III.9.5")
def test_a_meeting_that_was_on_sale_and_never_sealed_is_missed() -> None:
    """Its players paid, and its takings would go to no player [A4]."""
    _, subject, first = sealed(1)
    unsealed = Log((chain.OPENING, subject, first), sealed(2), settled("b", 2))
    with pytest.raises(forms.Refused, match=r"contest 1 of 2030-03-01 was on sale, and is not"):
        chain.check_waited(unsealed, unsealed.document(KIND, "b"))
    other = Log((chain.OPENING, "contest:5", first))
    with pytest.raises(forms.Refused, match="contest:5: of another one"):
        chain.on_sale(other)


# --- A published log ------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.article("14.III.4", "14.III.8.1", "14.III.8.2")
def test_a_lie_about_a_move_a_reversal_or_an_order_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_signatures(monkeypatch)
    factories.time_to(rounds.NOON)
    contest = sold(factories.point(), 3)
    postpone(contest, contest.scheduled_close_at + timedelta(minutes=10))
    rounds.run(contest, FACTS)
    wrong = contest_settle(contest_id=contest.pk)
    settlement_reverse(contest_id=contest.pk, by=factories.two_stewards()[0])
    rounds.reclassify(factories.races_of(contest)[6], [2])
    rounds.order(contest)
    final = contest.settlements.get(in_force=True)

    def verified(log: Entries) -> str:
        assert run(tmp_path, log, wrong).startswith("REVERSED since")
        return run(tmp_path, log, final)

    kinds = (chain.SCHEDULE, REVERSAL, ORDER)
    walk = Walk(published_log(), verified)
    assert walk.check(walk.log).startswith("The settlement holds")
    assert walk.liars(*kinds) ^ vouched_for(*kinds) == set()
