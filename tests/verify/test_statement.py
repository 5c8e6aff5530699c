"""Prizes of an emission reach the legal minimum, or the plan or statement is refused by name. And
the debt of a game cannot be forgotten, at its next closing or at its end.
"""

from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from core.staff.powers import Role
from promotrot.services import publications
from promotrot.services.closing import seed_reveal
from promotrot.services.debts import drawing
from promotrot.services.emissions import emission_get
from tests.support import emitting, factories
from tests.support.promotrot import owing
from tests.support.verifying.forging import (
    Entries,
    Refused,
    forged,
    public_key,
    published_log,
    written,
)
from tests.support.verifying.load import verifier

statement, forms = verifier("statement"), verifier("forms")
draw, emission = verifier("draw"), verifier("emission")
TIERS = [
    {"cash_cents": 10_000, "count": 10, "extra": False},
    {"in_kind": {"equivalent_cents": 5_000}, "count": 120, "extra": False},
]


def plan(**changes: Any) -> dict[str, Any]:
    """Return a plan of 10,000 tickets at 1.00 in one block, with 70 % in prizes."""
    block = {"blocks": 1, "tickets": 10_000, "prizes": [10, 120]}
    return {"tickets": 10_000, "price_cents": 100, "tiers": TIERS, "classes": [block]} | changes


def closing(**changes: Any) -> dict[str, Any]:
    """Return the statement of that emission, sold out."""
    return {
        "tickets": 10_000,
        "sold": 10_000,
        "unsold": 0,
        "refunded": 0,
        "unfinished": 0,
        "price_cents": 100,
        "takings_cents": 1_000_000,
        "awarded_cents": 700_000,
        "extra_awarded_cents": 0,
        "unclaimed_cents": 0,
        "minimum_percent": "70",
        "percent": "70",
        "shortfall_cents": 0,
        "owed_before_cents": 0,
        "owed_cents": 0,
    } | changes


HELD = Counter({0: 9_870, 1: 10, 2: 120})


def test_amounts_are_counted_and_rounded_up() -> None:
    assert statement.value(TIERS[0]) == 10_000
    assert statement.value(TIERS[1]) == 5_000
    assert statement.worth([10, 120], TIERS, extra=False) == 700_000
    assert statement.worth([10, 120], TIERS, extra=True) == 0
    assert [statement.percent_up(cents, 70) for cents in (0, 1, 10, 11)] == [0, 1, 7, 8]


@pytest.mark.article("15.III.6.2")
def test_a_plan_and_statement_at_the_minimum_hold() -> None:
    statement.check_plan(plan(), 70)
    statement.check_closing(closing(), plan(), HELD, Counter())


@pytest.mark.parametrize(
    "changes, minimum, field",
    [
        ({}, 69, "minimum_percent"),
        ({}, 71, r"classes\[0\]\.prizes"),
        ({"tickets": 9_999}, 70, "tickets"),
        ({"classes": [{"blocks": 1, "tickets": 10_000, "prizes": [10]}]}, 70, "prizes"),
        ({"classes": [{"blocks": 2, "tickets": 5_000, "prizes": [5, 60]}]}, 70, "tickets"),
        ({"tiers": [TIERS[0] | {"count": 11}, TIERS[1]]}, 70, "minimum_percent"),
        ({"tiers": [TIERS[0] | {"count": 9}, TIERS[1]]}, 70, r"tiers\[0\]\.count"),
    ],
)
def test_a_plan_against_the_law_is_refused_by_name(changes: Any, minimum: int, field: str) -> None:
    with pytest.raises(forms.Refused, match=field):
        statement.check_plan(plan(**changes), minimum)


@pytest.mark.parametrize(
    ("sizes", "field"),
    [
        ([(10**12, 10_000)], r"plan\.tickets"),
        ([(1, 10**9)], r"classes\[0\]\.tickets"),
        ([(1, 10_000), (10**12, 0)], r"classes\[1\]\.tickets"),
    ],
)
def test_a_plan_that_no_machine_can_deal_is_refused(
    sizes: list[tuple[int, int]], field: str
) -> None:
    """Its blocks are dealt in memory."""
    classes = [
        {"blocks": blocks, "tickets": each, "prizes": [10, each // 80] if each else [0, 0]}
        for blocks, each in sizes
    ]
    tickets = sum(blocks * each for blocks, each in sizes)
    with pytest.raises(forms.Refused, match=field):
        statement.check_plan(plan(tickets=tickets, classes=classes), 70)


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"sold": 9_999}, "sold"),
        ({"unsold": 1}, "unsold"),
        ({"price_cents": 200}, "price_cents"),
        ({"unfinished": 10_001}, "unfinished"),
        ({"refunded": 1_000, "takings_cents": 900_000, "percent": "700/9"}, "refunded"),
        ({"awarded_cents": 690_000}, "awarded_cents"),
        ({"extra_awarded_cents": 1}, "extra_awarded_cents"),
        ({"percent": "71"}, "percent"),
        ({"takings_cents": 999_999}, "takings_cents"),
        ({"shortfall_cents": 1}, "shortfall_cents"),
        ({"owed_cents": 1}, "owed_cents"),
        ({"unclaimed_cents": 700_001}, "unclaimed_cents"),
    ],
)
def test_a_statement_that_does_not_follow_is_refused_by_name(changes: Any, field: str) -> None:
    with pytest.raises(forms.Refused, match=field):
        statement.check_closing(closing(**changes), plan(), HELD, Counter())


@pytest.mark.article("15.III.6.2")
@pytest.mark.parametrize("name", ["awarded_cents", "extra_awarded_cents"])
def test_no_more_prizes_are_missing_than_plays_left_unfinished_held(name: str) -> None:
    """One of 10,000 plays that was unfinished was a reason to leave out all prizes."""
    is_extra = name != "awarded_cents"
    tiers = [tier | {"extra": is_extra} for tier in TIERS]

    def check(cents: int, silent: dict[int, int], refunded: int = 0) -> None:
        stated = {"unfinished": 2, "refunded": refunded, "awarded_cents": 0, name: cents}
        with mock.patch.object(statement, "check_sums"):
            statement.check_closing(closing(**stated), plan(tiers=tiers), HELD, Counter(silent))

    for cents, silent in ((700_000, {}), (680_000, {}), (685_000, {2: 1}), (690_000, {2: 2})):
        check(cents, silent)
    if is_extra:  # of a probabilistic game a price may be due back
        check(670_000, {}, refunded=1)
    for cents, silent in ((679_999, {}), (700_001, {}), (684_999, {2: 1}), (700_000, {2: 1})):
        with pytest.raises(forms.Refused, match=name):
            check(cents, silent)
    with pytest.raises(forms.Refused, match="1 tickets too many name no tier"):
        check(685_000, {2: 3})


def test_a_shortfall_is_owed() -> None:
    held = Counter({0: 9_880, 2: 120})
    short = closing(awarded_cents=600_000, percent="60", shortfall_cents=100_000)
    statement.check_closing(short | {"owed_cents": 100_000}, plan(), held, Counter())
    with pytest.raises(forms.Refused, match="owed_cents"):
        statement.check_closing(short, plan(), held, Counter())


class Bare(verifier("public_log").Log):
    """A log of some entries, not checked."""

    def __init__(self, entries: Entries) -> None:
        self.entries = {(each["kind"], each["subject"]): each for each in entries}


def lied(log: Entries, kind: str, about: str = "", **lies: Any) -> Entries:
    """Return the log with other values in the document of that kind, about that subject."""
    true = next(e for e in log if e["kind"] == kind and about in ("", e["subject"]))["document"]
    content = {name: value for name, value in true.items() if name != "digests"}
    return forged(log, kind, content | lies, about)


@pytest.mark.django_db
@pytest.mark.article("15.III.6.2")
def test_a_closing_begins_with_what_the_one_before_left_owing(tmp_path: Path) -> None:
    """[P2]: who forgets the debt makes sums that are right in themselves."""
    second = emitting.opened(owing.owing(140), extra_tier=2)
    emitting.sold_and_played(second, 3)
    assert seed_reveal(emission=emitting.closed(second))
    log, tickets = published_log(), tmp_path / "tickets.csv"
    tickets.write_text("".join(publications.tickets_file(emission_get("small/2"))), "ascii")

    def check(entries: Entries) -> str:
        file = written(tmp_path, "log.jsonl", entries)
        answer: str = emission.check(file, public_key(), "small/2", str(tickets))
        return answer

    assert "small/2" in check(log)
    closing = next(
        each["document"]
        for each in log
        if (each["kind"], each["subject"]) == (publications.CLOSING, "small/2")
    )
    assert closing["owed_before_cents"] == 140
    lie = {"owed_before_cents": 0, "owed_cents": closing["shortfall_cents"]}
    with pytest.raises(Refused, match=r"promotrot\.closing\.owed_before_cents: should be 140"):
        check(lied(log, publications.CLOSING, "small/2", **lie))


def held(folder: Path, log: Entries, number: int = 1) -> str:
    """Check a draw of the ended game."""
    minutes = [each["document"] for each in log if each["kind"] == "draws.minutes"]
    ident = next(each["draw"] for each in minutes if each["subject"] == f"small:{number}")
    answer: str = draw.check(written(folder, "log.jsonl", log), public_key(), ident)
    return answer


@pytest.mark.django_db
@pytest.mark.article("15.III.6.2")
def test_the_draw_of_a_debt_is_of_all_that_the_game_owes(tmp_path: Path) -> None:
    """[P2, P17]: smaller sums, fewer prizes and other games are refused under any signature."""
    owing.drawn(owing.ended(280, winners=2))
    log = published_log()
    assert "promotrot.debt small:1" in held(tmp_path, log)
    facts = next(e for e in log if e["kind"] == "draws.minutes")["document"]["facts"]
    for lie, why in (
        ({"owed_cents": 279}, "facts.owed_cents: should be 280"),
        ({"winners": 1}, "field.places: should be 1"),
        ({"emissions": []}, r"facts.emissions: should be \['small/1'\]"),
        ({"game": "other"}, "subject: should be other:1"),
        ({"draw": 2}, "subject: should be small:2"),
        ({"draw": 0}, "facts.draw: not 1 to 3"),
        ({"more": 1}, "facts.more"),
    ):
        with pytest.raises(Refused, match=why):
            held(tmp_path, lied(log, "draws.minutes", facts=facts | lie))


@pytest.mark.django_db
@pytest.mark.article("15.III.6.2")
def test_a_ticket_left_out_of_the_draw_of_a_debt_is_missed(tmp_path: Path) -> None:
    game, entries = owing.ended(280), drawing.debt_entries
    left_out = entries(game).latest("pk").pk
    with mock.patch.object(drawing, "debt_entries", lambda of: entries(of).exclude(pk=left_out)):
        owing.drawn(game)
    with pytest.raises(Refused, match=r"field\.size: 4 tickets were sold"):
        held(tmp_path, published_log())


@pytest.mark.django_db
@pytest.mark.article("15.III.6.2")
def test_an_emission_that_was_sold_and_never_closed_is_missed(tmp_path: Path) -> None:
    """The sum it falls short by would be owed to nobody."""
    owing.drawn(owing.ended(280, winners=2))
    log = published_log()
    true = next(each for each in log if each["kind"] == publications.OPENING)
    document = true["document"] | {"emission": "small/2", "commitment": None}
    second = {"sequence": len(log) + 1, "subject": "small/2", "document": document}
    minutes = next(each for each in log if each["kind"] == "draws.minutes")["document"]
    statement.check_debt(Bare(log), minutes)
    with pytest.raises(Refused, match=r"facts\.emissions: one was never closed"):
        statement.check_debt(Bare([*log, true | second]), minutes)


@pytest.mark.django_db
@pytest.mark.article("15.III.6.2")
def test_what_lapsed_is_drawn_again_after_the_first_draw(tmp_path: Path) -> None:
    """[P17]: no more than the game owed."""
    game = owing.ended(280, winners=2)
    owing.drawn(game)
    owing.nobody_comes(whole_night=True)
    drawing.debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)
    owing.drawn(game)
    log = published_log()
    assert "promotrot.debt small:2" in held(tmp_path, log, 2)
    second = [each for each in log if each["kind"] == "draws.minutes"][-1]
    facts = second["document"]["facts"]
    more = lied(log, "draws.minutes", second["subject"], facts=facts | {"owed_cents": 281})
    with pytest.raises(Refused, match=r"facts\.owed_cents: more than 280"):
        held(tmp_path, more, 2)
    never = [each for each in log if each["document"].get("subject") != "small:1"]
    with pytest.raises(Refused, match="small:1 was not drawn before"):
        statement.check_debt(Bare(never), second["document"])
