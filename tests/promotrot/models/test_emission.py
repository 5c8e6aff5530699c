"""Refuse in the database changes of a committed emission and of its lanes."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from core.database import clock
from core.ledger.services import Line
from core.staff import two_persons
from core.staff.powers import Role
from promotrot.engine.shortfall import Closing, Statement
from promotrot.models.emission import (
    Commitment,
    Emission,
    Lane,
    Opening,
    PrizeTier,
    SeedReveal,
    WitnessEntropy,
)
from promotrot.services import closing, emissions
from promotrot.services.closing import emission_close_propose
from promotrot.services.emissions import emission_commit
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def _skip(emission: Emission, state: str) -> None:
    Emission.objects.filter(pk=emission.pk).update(state=state)


FORBIDDEN: dict[str, Callable[[Emission], object]] = {
    "open without its lanes": lambda e: _skip(e, "open"),
    "closed without its statement": lambda e: _skip(e, "closed"),
    "back to a draft": lambda e: _skip(e, "draft"),
    "abandoned while its game goes on": lambda e: _skip(e, "abandoned"),
    "a second witness": lambda e: WitnessEntropy.objects.create(
        emission=e,
        entropy="x",
        source="x",
        entered_at=clock.now(),
        entered_by_id=factories.staff(Role.INSPECTOR).user_id,
        entered_in_id=factories.staff(Role.INSPECTOR).session_id,
    ),
    "another plan": lambda e: Emission.objects.filter(pk=e.pk).update(plan={}),
    "another price": lambda e: Emission.objects.filter(pk=e.pk).update(price_cents=1),
    "its seed before the closing": lambda e: SeedReveal.objects.create(
        emission=e, seed="00" * 32, revealed_at=clock.now()
    ),
    "another seed": lambda e: Commitment.objects.filter(emission=e).update(digest="00"),
}


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("case", FORBIDDEN)
def test_what_the_database_refuses_of_a_witnessed_emission(case: str) -> None:
    emission = emitting.planned(emitting.approved(emitting.small()))
    emission = emitting.witnessed(emitting.committed(emission))
    with pytest.raises(DatabaseError), transaction.atomic():
        FORBIDDEN[case](emission)


def test_the_database_refuses_a_witness_before_the_commitment_or_by_who_committed() -> None:
    emission = emitting.planned(emitting.approved(emitting.small()))
    organiser = factories.staff(Role.ORGANISER)
    witness = WitnessEntropy(
        emission=emission,
        entropy="x",
        source="x",
        entered_at=clock.now(),
        entered_by_id=organiser.user_id,
        entered_in_id=organiser.session_id,
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        witness.save()
    emission_commit(by=organiser, emission=emission, source="dice", pieces=10)
    with pytest.raises(IntegrityError), transaction.atomic():
        witness.save()


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(
    ("source", "entropy"), [("balls", " ".join("1" * 50)), ("dice", " ".join("1" * 49))]
)
def test_the_database_refuses_other_dice_than_those_committed_to(source: str, entropy: str) -> None:
    """A person who may choose how many count can roll until the key suits."""
    emission = emitting.committed(emitting.planned(emitting.approved(emitting.small())))
    inspector = factories.staff(Role.INSPECTOR)
    with pytest.raises(IntegrityError, match="those committed to"), transaction.atomic():
        WitnessEntropy.objects.create(
            emission=emission,
            entropy=entropy,
            source=source,
            entered_at=clock.now(),
            entered_by_id=inspector.user_id,
            entered_in_id=inspector.session_id,
        )


@pytest.mark.parametrize(
    "change",
    ["taken = taken + 2", "taken = taken - 1", "tickets = tickets + 1", "first = 7"],
)
def test_a_lane_is_taken_one_ticket_at_a_time(change: str) -> None:
    emission = emitting.opened(emitting.document("lap-of-honour"))
    lane = emission.lanes.order_by("opening", "first")[0]
    Lane.objects.filter(pk=lane.pk).update(taken=1)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE promotrot_lane SET {change} WHERE id = %s", [lane.pk])


@pytest.mark.article("15.II.2")
def test_no_lane_is_shut_while_its_emission_is_on_sale() -> None:
    """A program that knows where a prize lies could shut its lane, and sell the others."""
    emission = emitting.opened(emitting.small())
    lane = Lane.objects.filter(emission=emission).order_by("opening", "first")[:1].get()
    with pytest.raises(IntegrityError, match="on sale"), transaction.atomic():
        Lane.objects.filter(pk=lane.pk).update(open=False)
        _checked()
    emitting.closed(emission)
    _checked()
    assert not emission.lanes.filter(open=True).exists()
    for change in ({"open": True}, {"taken": 1}):
        with pytest.raises(DatabaseError, match="until it is shut"), transaction.atomic():
            Lane.objects.filter(pk=lane.pk).update(**change)


@pytest.mark.article("15.II.2")
def test_no_emission_is_opened_with_a_lane_that_is_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tickets and their prizes would be kept, as if it were shut later."""
    shut = partial(Lane, open=False)
    shut.objects = Lane.objects  # type: ignore[attr-defined]
    monkeypatch.setattr(emissions, "Lane", shut)
    with pytest.raises(IntegrityError, match="cannot become open"), transaction.atomic():
        emitting.opened(emitting.small())
    monkeypatch.undo()
    emitting.opened(emitting.small())


@pytest.mark.article("15.II.2")
def test_no_prize_is_added_after_the_plan() -> None:
    """Otherwise a program could add a large one, end a losing play with it, and be paid."""
    emission = emitting.opened(emitting.small())
    refused = pytest.raises(IntegrityError, match="its prizes are those of its plan")
    with refused, transaction.atomic():
        PrizeTier.objects.create(emission=emission, number=3, value_cents=1_000_000, extra=True)
    assert emission.tiers.count() == 2


def test_no_lane_is_added_to_an_emission_on_sale() -> None:
    emission = emitting.opened(emitting.small())
    with pytest.raises(IntegrityError), transaction.atomic():
        Lane.objects.create(emission=emission, opening=1, first=0, tickets=5)
    assert Opening.objects.count() == 1


def _checked() -> None:
    """Ask what is asked at the end of a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def _close(emission: Emission) -> None:
    """Close the emission, as a program does whose figures or postings are its own."""
    waiting = emission_close_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    two_persons.confirm(proposal=waiting.uuid, by=factories.staff(Role.ORGANISER))
    _checked()


@pytest.mark.article("15.III.6.2")
@pytest.mark.parametrize(
    "figure",
    [
        *("tickets", "sold", "refunded", "unfinished", "price_cents"),
        *("awarded_cents", "extra_awarded_cents", "unclaimed_cents", "owed_before_cents"),
    ],
)
def test_a_closing_states_what_its_plays_give(monkeypatch: pytest.MonkeyPatch, figure: str) -> None:
    """A program could state more prizes than were given, and owe less to the next ones [P1, P2]."""
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 12)
    emitting.sold(emission, 2)
    counted = closing.emission_figures

    def other(of: Emission) -> Closing:
        figures, more = counted(of), -1 if figure == "unfinished" else 1
        return dataclasses.replace(figures, **{figure: getattr(figures, figure) + more})

    monkeypatch.setattr(closing, "emission_figures", other)
    monkeypatch.setattr(closing.ledger, "need_balance", lambda *_: None)
    if figure == "unclaimed_cents":  # more cannot be unclaimed than was given
        monkeypatch.setattr(
            closing,
            "emission_figures",
            lambda of: dataclasses.replace(counted(of), unclaimed_cents=0),
        )
    with pytest.raises(IntegrityError, match="its plays give other figures"), transaction.atomic():
        _close(emission)
    monkeypatch.undo()
    _close(emission)


@pytest.mark.article("15.III.6.2")
def test_a_play_ends_while_a_closing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that wins nothing takes no lock of its emission. The closing is as true as it was."""
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 12)
    counted = closing.emission_figures

    def a_moment_before(of: Emission) -> Closing:
        figures = counted(of)
        return dataclasses.replace(figures, unfinished=figures.unfinished + 1)

    monkeypatch.setattr(closing, "emission_figures", a_moment_before)
    _close(emission)


@pytest.mark.article("15.III.6.2")
@pytest.mark.parametrize("kept", ["less", "nothing"])
def test_a_closing_posts_what_it_states(monkeypatch: pytest.MonkeyPatch, kept: str) -> None:
    """A program could give the organiser what is for prizes, or leave takings where they are."""
    emission = emitting.opened(emitting.small())
    emitting.sold(emission, 10)
    lines = closing.postings.closing_lines

    def other(*, statement: Statement, **names: Any) -> list[Line]:
        minimum, *rest = lines(statement=statement, **names)
        cents = minimum.amount_cents - 1 if kept == "less" else minimum.amount_cents
        share = rest[0].amount_cents + 1 if kept == "less" else rest[0].amount_cents - 1
        return [
            dataclasses.replace(minimum, amount_cents=cents),
            dataclasses.replace(rest[0], amount_cents=share),
            *rest[1:],
        ]

    monkeypatch.setattr(closing.postings, "closing_lines", other)
    with pytest.raises(IntegrityError, match="other sums were posted"), transaction.atomic():
        _close(emission)
    monkeypatch.undo()
    _close(emission)
