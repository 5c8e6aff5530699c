"""Put the events of races on record for tests: withdrawals, starts, results, draws."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from core.database import clock
from core.draws.conducting import draw_certify, draw_commit, draw_enter
from core.draws.manual import manual_propose
from core.draws.models import Draw
from core.draws.services import announcement_of, draw_announce, draw_attend, draw_reannounce
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import (
    Contest,
)
from lototrot.models.programme import Race, Racecourse
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.models.stops import SignalDevice
from lototrot.selectors import draws
from lototrot.services.races.drawing import RACE_DRAW
from lototrot.services.seal.sealing import contest_seal
from tests.support.factories.batches import one_transaction
from tests.support.factories.contests import contest_closed
from tests.support.factories.people import proposal, somebody, staff, time_pass, time_to
from tests.support.factories.places import Point, central_office


@one_transaction
def withdrawal(of: Race, number: int, *, confirmed: bool = True) -> Withdrawal:
    """Record a standing withdrawal."""
    by, now = somebody(), clock.now()
    return Withdrawal.objects.create(
        race=of,
        number=number,
        effective_at=now,
        source="Stewards",
        entered_at=now,
        entered_by_id=by.user_id,
        entered_in=by,
        confirmed_at=now if confirmed else None,
        proposal=proposal(
            "lototrot.withdrawal",
            f"race:{of.pk}:{number}",
            {"race": of.pk, "number": number, "source": "Stewards", "effective_at": None},
        ),
    )


@one_transaction
def started(of: Race, *, at: datetime | None = None) -> RaceStart:
    """Record the race's actual start, by default now."""
    by, now = somebody(), clock.now()
    return RaceStart.objects.create(
        race=of,
        actual_start_at=at or now,
        source="Starter",
        recorded_at=now,
        recorded_by_id=by.user_id,
        recorded_in=by,
        proposal=proposal("lototrot.start", f"race:{of.pk}", start_of(of, at or now)),
    )


def start_of(of: Race, at: datetime, source: str = "Starter", **more: Any) -> dict[str, Any]:
    """Return the content of the proposal of a start."""
    return {"race": of.pk, "actual_start_at": at.isoformat(), "source": source, **more}


@one_transaction
def signal_device(course: Racecourse, point: Point) -> SignalDevice:
    """Appoint a terminal as the device that signals the starts of a racecourse."""
    return SignalDevice.objects.create(
        terminal=point.terminal,
        racecourse=course,
        appointed_at=clock.now(),
        proposal=proposal(
            "lototrot.signal_device",
            content={"terminal": point.terminal.code, "racecourse": course.code},
        ),
    )


@one_transaction
def declared(of: Race, kind: str = RaceDeclaration.Kind.NOT_RUN) -> RaceDeclaration:
    """Record a standing declaration that the race gave no classification."""
    by, now = somebody(), clock.now()
    content = declaration_of(of, now, kind)
    return RaceDeclaration.objects.create(
        race=of,
        kind=kind,
        reason=content["reason"],
        text=content["text"],
        author=content["author"],
        declared_at=now,
        recorded_at=now,
        recorded_by_id=by.user_id,
        recorded_in=by,
        proposal=proposal("lototrot.declaration", f"race:{of.pk}", content),
    )


def declaration_of(
    of: Race, at: datetime, kind: str = RaceDeclaration.Kind.NOT_RUN, **changes: Any
) -> dict[str, Any]:
    """Return the content of the proposal of a declaration."""
    return {
        "meeting": of.meeting_id,
        "race": of.pk,
        "kind": str(kind),
        "reason": "Storm",
        "text": "Resolució",
        "author": str(RaceDeclaration.Author.AUTHORITY),
        "left": [],
        "declared_at": at.isoformat(),
    } | changes


@transaction.atomic
def drawn(of: Race, winner: int, *, late_cause: str = "", down_s: int = 0) -> Draw:
    """Record the certified draw of a declared race: balls drawn eleven minutes from now, at the
    Central Office, the winner first. The notice is ten minutes at least, and a test may be slow.
    With `down_s` the system is down from the draw on for so long, and the contest not sealed yet.
    """
    on_sale = Contest.objects.filter(legs__race=of).exclude(state__in=Contest.NEVER_ON_SALE)
    for on_it in on_sale:
        if on_it.state == Contest.State.OPEN:
            contest_closed(on_it, sealed=False)
        if not down_s:
            contest_seal(contest_id=on_it.pk)
    central_office()
    one, subject = staff(Role.ORGANISER), draws.subject_of(of.pk)
    soon = clock.now() + timedelta(minutes=11)
    draw = draw_announce(by=one, kind=RACE_DRAW, subject=subject, planned_at=soon)
    if not announcement_of(draw).place:
        draw_reannounce(by=one, draw=draw.uuid, place=central_office(), planned_at=soon)
    announced_time(draw)
    drawn_at = clock.now()
    if down_s:
        time_pass(seconds=down_s)
        for on_it in on_sale:
            contest_seal(contest_id=on_it.pk)
    balls = sorted(RACE_DRAW.field(subject).entries, key=lambda ball: ball != str(winner))
    assert balls[0] == str(winner)
    entered = manual_propose(
        by=one,
        draw=draw.uuid,
        order=balls,
        drawn_at=drawn_at,
        witness="Notary",
        cause="Test",
    )
    inspector = staff(Role.INSPECTOR)
    draw_attend(by=inspector, draw=draw.uuid)
    two_persons.confirm(proposal=entered.uuid, by=inspector)
    draw_certify(by=inspector, draw=draw.uuid, late_cause=late_cause)
    draw.refresh_from_db()
    return draw


def announced_time(draw: Draw) -> None:
    """Move the clock to the announced time of a draw, unless it has passed."""
    planned_at = announcement_of(draw).planned_at
    if clock.now() < planned_at:
        time_to(planned_at)


def witnessed(draw: Draw, *, organiser: StaffActor | None = None, text: str = "3161425364") -> Draw:
    """Take an announced draw to its certificate at the announced time, with these dice."""
    organiser, inspector = organiser or staff(Role.ORGANISER), staff(Role.INSPECTOR)
    announced_time(draw)
    draw_attend(by=inspector, draw=draw.uuid)
    draw_commit(by=organiser, draw=draw.uuid, source="dice", pieces=len(text))
    draw_enter(by=inspector, draw=draw.uuid, source="dice", text=text, witness="Una jugadora")
    draw_certify(by=inspector, draw=draw.uuid)
    draw.refresh_from_db()
    return draw


@one_transaction
def classified(
    of: Race,
    winners: Iterable[int],
    *,
    left: Mapping[int, str] | None = None,
    disqualified: Iterable[int] = (),
    start: bool = True,
    announced_at: datetime | None = None,
) -> Classification:
    """Record a classification in force and, by default, the start before it.

    It includes the standing withdrawals. `left` gives the ruling of each number [B5].
    """
    if start and not of.starts.exists():
        started(of)
    out = set(of.withdrawals.filter(reversed_at=None).values_list("number", flat=True))
    rulings, won, bad = dict(left or {}), set(winners), set(disqualified)
    runners = []
    for number in of.runners.order_by("number").values_list("number", flat=True):
        outcome = (
            "winner"
            if number in won
            else "withdrawn"
            if number in out
            else "left"
            if number in rulings
            else "disqualified"
            if number in bad
            else "started"
        )
        runners.append(
            {
                "number": number,
                "outcome": outcome,
                "place": 1 if outcome == "winner" else None,
                "ruling": rulings.get(number, ""),
            }
        )
    now = clock.now()
    announced: dict[str, Any] = {
        "runners": runners,
        "announced_text": "Classificació oficial",
        "author": "Comissaris",
    }
    at = announced_at or now
    content = {"race": of.pk, "announced_at": at.isoformat(), **announced}
    return Classification.objects.create(
        race=of,
        **announced,
        announced_at=at,
        confirmed_at=now,
        proposal=proposal("lototrot.classification", f"race:{of.pk}", content),
    )
