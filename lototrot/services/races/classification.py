"""Record the stewards' definitive classification (14.III.5.3).

One person enters the announced classification and another confirms it. It does not change after its
announcement. A keying error is corrected in `settlement.classification_correction` [B14].
"""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from core.database import clock
from core.kernel.errors import Invalid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.races import check_result
from lototrot.models.running import Classification
from lototrot.selectors.races import RaceRecord, classified_facts
from lototrot.services.races.course import (
    OutOfOrder,
    RaceNotStarted,
    need_undecided,
    past_instant,
    race_get,
    race_hold,
)

OUTCOMES = ("winner", "started", "withdrawn", "left", "disqualified")


class ClassificationRefused(Invalid):
    """The entries do not agree with the runners. `data["errors"]` lists {code, number, detail}."""

    code = "classification_refused"
    message = "The classification does not agree with the runners of the race."


class AllDisqualified(Invalid):
    code = "all_disqualified"
    message = (
        "All runners that started are disqualified: declare it, and draw the race (14.III.5.4.3)."
    )


class AnnouncementIncomplete(Invalid):
    code = "announcement_incomplete"
    message = "The announced text and the stewards who signed it must be on record (14.III.5.3)."


_NO_WINNER = "There is no winner: two persons declare it, and the race is drawn [B17]."


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """The outcome of one runner; `outcome` is one of OUTCOMES.

    `place` may be given for a winner (1) and for a runner that started (from 2). `ruling` is the
    stewards' ruling on a horse left at the start [B5].
    """

    number: int
    outcome: str
    place: int | None = None
    ruling: str = ""


@transaction.atomic
def classification_propose(
    *,
    by: StaffActor,
    race_id: int,
    runners: Sequence[Entry],
    announced_text: str,
    author: str,
    announced_at: datetime,
) -> Proposal:
    """Enter the announced classification. It is in force when a second person confirms it.

    Raise RaceUnknown, RaceNotStarted, RaceDeclared, RaceClassified, AnnouncementIncomplete,
    NaiveInstant, InstantAhead, OutOfOrder, ClassificationRefused with every error, AllDisqualified
    or WrongWinner.
    """
    by.need(powers.CLASSIFY)
    race = race_get(race_id)
    proposal = two_persons.propose(
        kind=CLASSIFICATION,
        subject=f"race:{race_id}",
        by=by,
        content={
            "race": race_id,
            "runners": entries_document(runners),
            "announced_text": announced_text,
            "author": author,
            "announced_at": announced_at.isoformat(),
        },
    )
    _need_acceptable(race_hold(race), proposal)
    return proposal


def entries_document(runners: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the entries as they are stored, by number."""
    return [dataclasses.asdict(entry) for entry in sorted(runners, key=lambda e: e.number)]


def _need_acceptable(record: RaceRecord, proposal: Proposal) -> None:
    content = proposal.content
    need_undecided(record)
    if record.start is None:
        raise RaceNotStarted(race=record.race_id)
    if not content["announced_text"].strip() or not content["author"].strip():
        raise AnnouncementIncomplete
    announced_at = past_instant(datetime.fromisoformat(content["announced_at"]))
    if announced_at <= record.start.actual_start_at:
        raise OutOfOrder(after=record.start.actual_start_at.isoformat())
    check_runners(record, content["runners"])


def check_runners(record: RaceRecord, runners: Sequence[dict[str, Any]]) -> None:
    """Check that the entries give every runner one outcome, in agreement with the record.

    Raise ClassificationRefused, AllDisqualified or WrongWinner.
    """
    errors = [*_number_errors(record, runners), *_state_errors(record, runners)]
    if errors:
        raise ClassificationRefused(errors=errors)
    outcomes = {runner["outcome"] for runner in runners}
    if "disqualified" in outcomes and not outcomes & {"winner", "started"}:
        raise AllDisqualified(race=record.race_id)
    if "winner" not in outcomes:
        raise ClassificationRefused(errors=[_error("no_winner", None, _NO_WINNER)])
    check_result(classified_facts(record.programme, runners))


def _error(code: str, number: int | None, detail: str) -> dict[str, Any]:
    return {"code": code, "number": number, "detail": detail}


def _number_errors(record: RaceRecord, runners: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter(runner["number"] for runner in runners)
    listed = set(record.programme)
    errors = [
        _error("number_unknown", n, f"{n} is not in the programme.") for n in counts.keys() - listed
    ]
    errors += [
        _error("number_repeated", n, f"{n} is given {times} times.")
        for n, times in counts.items()
        if times > 1
    ]
    errors += [
        _error("number_missing", n, f"Nothing is said of {n}.") for n in listed - counts.keys()
    ]
    return sorted(errors, key=lambda error: (error["number"], error["code"]))


def _state_errors(record: RaceRecord, runners: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    errors = []
    for runner in runners:
        n, outcome, place = runner["number"], runner["outcome"], runner["place"]
        withdrawn = n in record.withdrawn
        if outcome not in OUTCOMES:
            errors.append(_error("outcome_unknown", n, f"{outcome} is none of {[*OUTCOMES]}."))
        if outcome == "left" and not runner["ruling"].strip():
            errors.append(_error("ruling_missing", n, "Left at the start needs a ruling [B5]."))
        if outcome == "withdrawn" and not withdrawn:
            errors.append(_error("not_withdrawn", n, f"No withdrawal of {n} is on record."))
        if outcome != "withdrawn" and withdrawn:
            errors.append(_error("is_withdrawn", n, f"{n} is on record as withdrawn."))
        if n in record.unconfirmed:
            errors.append(_error("withdrawal_unconfirmed", n, "A second person must confirm it."))
        elif not withdrawn and any(n == w.number for w in record.withdrawals):
            errors.append(_error("withdrawal_too_late", n, "It is not before the start."))
        if place is not None and not _is_place(outcome, place):
            errors.append(_error("place_wrong", n, f"A place of {place} cannot be."))
    return errors


def _is_place(outcome: str, place: int) -> bool:
    """Return whether a place fits an outcome: 1 for winners, also in a dead heat; else from 2."""
    return place == 1 if outcome == "winner" else outcome == "started" and place > 1


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    race = race_get(content["race"])
    _need_acceptable(race_hold(race), proposal)
    Classification.objects.create(
        race=race,
        runners=content["runners"],
        announced_text=content["announced_text"],
        announced_at=datetime.fromisoformat(content["announced_at"]),
        author=content["author"],
        proposal=proposal,
        confirmed_at=clock.now(),
    )


CLASSIFICATION = two_persons.Kind("lototrot.classification", powers.CLASSIFY, apply=_confirmed)
