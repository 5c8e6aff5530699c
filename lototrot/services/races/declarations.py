"""Declare races without a classification, by two persons, and retract mistakes (14.III.5.4) [B17].

Every declaration replaces a result by a public draw. The proposal that a race or a meeting is not
run stops sales [E12]. Its confirmation closes every contest on the race for good [E1]. Its
rejection by a second person lets sales go on.
"""

import dataclasses
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.draws.services import draw_announce, draw_call_off
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting, Race
from lototrot.models.running import RaceDeclaration
from lototrot.selectors.draws import subject_of
from lototrot.selectors.races import RaceRecord, race_record, race_records
from lototrot.services.contest.closing import contest_close
from lototrot.services.races.course import (
    OutOfOrder,
    RaceDeclared,
    RaceNotStarted,
    WithdrawnTooLate,
    contests_including,
    need_undecided,
    need_undrawn,
    past_instant,
    race_get,
    race_hold,
)
from lototrot.services.races.drawing import RACE_DRAW
from lototrot.services.races.stopping import instant_of, stop_of, stop_place, stop_reject
from lototrot.services.reasons import need_reason

Kind = RaceDeclaration.Kind
Author = RaceDeclaration.Author
NEED_TEXT = (Kind.ALL_DISQUALIFIED, Kind.NO_WINNER)


class RaceStarted(Conflict):
    code = "race_started"
    message = "The race has started: it can be declared suspended, but not declared not run."


class NoStarters(Invalid):
    code = "no_starters"
    message = (
        "Horses left at the start must be in the programme and not withdrawn,"
        " and some must have started."
    )


class RulingMissing(Invalid):
    code = "ruling_missing"
    message = "A horse left at the start needs the stewards' recorded ruling [B5]."


class DeclarationTextMissing(Invalid):
    code = "declaration_text_missing"
    message = "A race that was run without a winner is declared with the stewards' text [B17]."


class AuthorityTextMissing(Invalid):
    code = "authority_text_missing"
    message = (
        "Before the day of the meeting, or as of an instant before it, a race is declared not run"
        " only with the text of the Federation or of the authority [B17]."
    )


class NothingToDeclare(Conflict):
    code = "nothing_to_declare"
    message = "Every race of the meeting was run or is already declared."


class DeclarationUnknown(Conflict):
    code = "declaration_unknown"
    message = "The race has no such declaration in force."


@dataclasses.dataclass(frozen=True, slots=True)
class Left:
    """A horse that was not withdrawn but did not take the start, with the stewards' ruling [B5]."""

    number: int
    ruling: str


@transaction.atomic
def race_declare(
    *,
    by: StaffActor,
    race_id: int,
    kind: str,
    reason: str,
    text: str = "",
    author: str = Author.STEWARDS,
    declared_at: datetime | None = None,
    left: Sequence[Left] = (),
    draw_place: str = "",
) -> Proposal:
    """Propose that a race was not run, or run without a classification (14.III.5.4.2, 5.4.3) [B17].

    A second person confirms it. Its result then comes from a certified draw. The confirmation
    announces the draw if the race has bets: at `draw_place`, by default the Central Office, within
    two hours of `declared_at`, by default the instant of the proposal. `text` is the whole decision
    of `author`. `left` lists the horses that did not take the start of a race that was run. A
    declaration in force may be proposed again. It then changes nothing, but announces the draw for
    a contest created since. Raise RaceUnknown, ReasonMissing, NaiveInstant, InstantAhead,
    RaceDeclared, RaceClassified, RaceStarted, RaceNotStarted, OutOfOrder, NoStarters,
    RulingMissing, WithdrawnTooLate, DeclarationTextMissing or AuthorityTextMissing.
    """
    by.need(powers.DECLARE_RACE)
    need_reason(reason)
    race = race_get(race_id)
    if standing := race_record(race_id).declaration:
        if standing.kind != kind or declared_at not in (None, standing.declared_at):
            raise RaceDeclared(race=race_id, kind=standing.kind)
        race_hold(race)
        _announce(by, race_id, draw_place)
        return standing.proposal
    content: two_persons.Content = {
        "kind": str(kind),
        "reason": reason,
        "text": text,
        "author": str(author),
        "declared_at": declared_at.isoformat() if declared_at else None,
        "left": [dataclasses.asdict(horse) for horse in left],
        "draw_place": draw_place,
    }
    return _propose(by, race.meeting_id, race, content)


@transaction.atomic
def meeting_declare(
    *,
    by: StaffActor,
    meeting: Meeting,
    reason: str,
    text: str = "",
    author: str = Author.STEWARDS,
    declared_at: datetime | None = None,
    draw_place: str = "",
) -> Proposal:
    """Propose that every race of the meeting that has not started is not run (14.III.5.4.2) [B17].

    A second person confirms it; until then sales are stopped. Raise ReasonMissing, NaiveInstant,
    InstantAhead, NothingToDeclare or AuthorityTextMissing.
    """
    by.need(powers.DECLARE_RACE)
    need_reason(reason)
    content: two_persons.Content = {
        "kind": str(Kind.NOT_RUN),
        "reason": reason,
        "text": text,
        "author": str(author),
        "declared_at": declared_at.isoformat() if declared_at else None,
        "left": [],
        "draw_place": draw_place,
    }
    return _propose(by, meeting.pk, None, content)


def _propose(
    by: StaffActor, meeting_id: int, race: Race | None, content: two_persons.Content
) -> Proposal:
    proposal = two_persons.propose(
        kind=DECLARATION,
        subject=f"race:{race.pk}" if race else f"meeting:{meeting_id}",
        by=by,
        content={"meeting": meeting_id, "race": race.pk if race else None, **content},
    )
    if content["kind"] == Kind.NOT_RUN:
        reason = content["reason"]
        stop_place(stop_of(by, meeting_id=meeting_id, race=race, source=reason, proposal=proposal))
    _need_text(proposal)
    _declarable(proposal)
    return proposal


def _need_text(proposal: Proposal) -> None:
    content = proposal.content
    has_text = bool(content["text"].strip())
    if content["kind"] in NEED_TEXT and not has_text:
        raise DeclarationTextMissing
    meeting = Meeting.objects.only("day").get(pk=content["meeting"])
    by_authority = has_text and content["author"] != Author.STEWARDS
    # From the instant that it states on bets are in breach, and it may be long past.
    since = min(proposal.proposed_at, past_instant(instant_of(proposal, "declared_at")))
    if natural_day(since) < meeting.day and not by_authority:
        raise AuthorityTextMissing(day=meeting.day.isoformat())


def _declarable(proposal: Proposal) -> list[Race]:
    """Return the races that the proposal declares, with their locks held. Raise if it cannot."""
    content = proposal.content
    instant = past_instant(instant_of(proposal, "declared_at"))
    if content["race"] is not None:
        race = race_get(content["race"])
        left = [Left(**horse) for horse in content["left"]]
        _need_declarable(race_hold(race), Kind(content["kind"]), instant, left)
        return [race]
    meeting = content["meeting"]
    contests = Contest.objects.filter(meeting=meeting).values_list("pk", flat=True)
    hold((Lock.MEETING, meeting), *((Lock.CONTEST, contest) for contest in contests))
    races = list(Race.objects.filter(meeting=meeting).order_by("scheduled_start_at", "pk"))
    records = race_records([race.pk for race in races])
    ahead = [r for r in races if not records[r.pk].start and not records[r.pk].declaration]
    if not ahead:
        raise NothingToDeclare(meeting=meeting)
    return ahead


def _need_declarable(
    record: RaceRecord, kind: Kind, instant: datetime, left: Sequence[Left]
) -> None:
    need_undecided(record)
    absent = {horse.number for horse in left}
    if kind == Kind.NOT_RUN:
        if record.start:
            raise RaceStarted(race=record.race_id)
        if absent:
            raise NoStarters(numbers=sorted(absent))
        return
    if record.start is None:
        raise RaceNotStarted(race=record.race_id)
    if instant <= record.start.actual_start_at:
        raise OutOfOrder(after=record.start.actual_start_at.isoformat())
    _need_starters(record, left)


def _need_starters(record: RaceRecord, left: Sequence[Left]) -> None:
    """Raise unless it is known of each horse whether it started [B5, B8]."""
    absent = {horse.number for horse in left}
    possible = set(record.programme) - record.withdrawn
    if len(absent) != len(left) or not absent < possible:
        raise NoStarters(numbers=sorted(absent))
    if not all(horse.ruling.strip() for horse in left):
        raise RulingMissing(
            numbers=sorted(horse.number for horse in left if not horse.ruling.strip())
        )
    if late := record.withdrawn_late - absent:
        raise WithdrawnTooLate(numbers=sorted(late))


def _declared(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    instant = instant_of(proposal, "declared_at")
    for race in _declarable(proposal):
        RaceDeclaration.objects.create(
            race=race,
            kind=content["kind"],
            reason=content["reason"],
            text=content["text"],
            author=content["author"],
            left=content["left"],
            declared_at=instant,
            recorded_at=clock.now(),
            recorded_by_id=by.user_id,
            recorded_in_id=by.session_id,
            proposal=proposal,
        )
        if content["kind"] == Kind.NOT_RUN:
            for contest in contests_including(race.pk):
                contest_close(contest_id=contest, cause=Contest.Cause.NOT_RUN, at=instant)
        _announce(by, race.pk, content["draw_place"])


def _announce(by: StaffActor, race_id: int, place: str) -> None:
    """Announce the draw of a race that a contest includes. A second announcement does nothing."""
    if contests_including(race_id):
        draw_announce(by=by, kind=RACE_DRAW, subject=subject_of(race_id), place=place)


@transaction.atomic
def declaration_retract(*, by: StaffActor, race_id: int, reason: str) -> Proposal:
    """Propose to retract a mistaken declaration of a race; a second person confirms it.

    No contest reopens. The draw is called off; once it is committed to, the declaration stands.
    Raise RaceUnknown, ReasonMissing, DeclarationUnknown, DrawBegun or DrawCertified.
    """
    by.need(powers.DECLARE_RACE)
    need_reason(reason)
    race = race_get(race_id)
    standing = RaceDeclaration.objects.filter(race=race, superseded_at=None).first()
    if standing is None:
        raise DeclarationUnknown(race=race_id)
    proposal = two_persons.propose(
        kind=RETRACTION,
        subject=f"declaration:{standing.pk}",
        by=by,
        content={"race": race_id, "declaration": standing.pk, "reason": reason},
    )
    _need_retractable(race_hold(race), proposal)
    return proposal


def _need_retractable(record: RaceRecord, proposal: Proposal) -> None:
    if record.declaration is None or record.declaration.pk != proposal.content["declaration"]:
        raise DeclarationUnknown(race=record.race_id)
    need_undrawn(record)


def _retracted(proposal: Proposal, by: StaffActor) -> None:
    race_id = proposal.content["race"]
    _need_retractable(race_hold(race_get(race_id)), proposal)
    draw_call_off(
        by=by, kind=RACE_DRAW, subject=subject_of(race_id), reason=proposal.content["reason"]
    )
    RaceDeclaration.objects.filter(pk=proposal.content["declaration"]).update(
        superseded_at=clock.now(), retraction=proposal
    )


DECLARATION = two_persons.Kind(
    "lototrot.declaration",
    powers.DECLARE_RACE,
    apply=_declared,
    reject=stop_reject,
    good_for=None,
)
RETRACTION = two_persons.Kind(
    "lototrot.declaration_retraction", powers.DECLARE_RACE, apply=_retracted
)
