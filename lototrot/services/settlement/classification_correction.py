"""Correct a keying error in a classification against the announced text (14.III.5.3) [B14, B18].

The stewards' desk proposes it until the payment order, and the inspector or the auditor confirms it
with the announced text before them. It undoes the settlement.
"""

from collections.abc import Sequence

from django.db import transaction

from core.database import clock
from core.kernel.errors import Conflict
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.running import Classification
from lototrot.selectors.races import RaceRecord
from lototrot.services.races.classification import Entry, check_runners, entries_document
from lototrot.services.races.course import (
    contests_including,
    need_unordered,
    race_get,
    race_hold,
)
from lototrot.services.reasons import need_reason
from lototrot.services.settlement.breach import CLASSIFICATION_CORRECTION
from lototrot.services.settlement.settling import settlement_reverse


class NotClassified(Conflict):
    code = "not_classified"
    message = "The race has no classification to correct."


class NothingCorrected(Conflict):
    code = "nothing_corrected"
    message = "That is the classification already on record."


class ClassificationChanged(Conflict):
    code = "classification_changed"
    message = "The classification is no longer the one that the correction was to replace."


@transaction.atomic
def classification_correct(
    *, by: StaffActor, race_id: int, runners: Sequence[Entry], reason: str
) -> Proposal:
    """Propose to correct the entered classification to the announced one [B14].

    The inspector or the auditor confirms it; the proposal shows them the announced text [B18]. The
    text, its author and its time do not change. A stored settlement is reversed by the correction
    and is due again. Raise RaceUnknown, ReasonMissing, NotClassified, NothingCorrected,
    PaymentOrdered, and the errors of `check_runners`.
    """
    by.need(powers.CLASSIFY)
    need_reason(reason)
    race = race_get(race_id)
    current = Classification.objects.filter(race=race, in_force=True).first()
    if current is None:
        raise NotClassified(race=race_id)
    proposal = two_persons.propose(
        kind=CORRECTION,
        subject=f"race:{race_id}",
        by=by,
        content={
            "race": race_id,
            "corrects": current.pk,
            "announced_text": current.announced_text,
            "author": current.author,
            "announced_at": current.announced_at.isoformat(),
            "runners": entries_document(runners),
            "reason": reason,
        },
    )
    _need_correctable(race_hold(race), proposal)
    return proposal


def _need_correctable(record: RaceRecord, proposal: Proposal) -> Classification:
    """Return the classification to be replaced. Raise if it cannot be corrected."""
    current = record.classification
    if current is None or current.pk != proposal.content["corrects"]:
        raise ClassificationChanged(race=record.race_id)
    need_unordered(record.race_id)
    if current.runners == proposal.content["runners"]:
        raise NothingCorrected(race=record.race_id)
    check_runners(record, proposal.content["runners"])
    return current


def _corrected(proposal: Proposal, by: StaffActor) -> None:
    race = race_get(proposal.content["race"])
    current = _need_correctable(race_hold(race), proposal)
    for contest in contests_including(race.pk):
        if Contest.objects.filter(pk=contest, state=Contest.State.SETTLED).exists():
            settlement_reverse(contest_id=contest, by=by)
    Classification.objects.filter(pk=current.pk).update(in_force=False)
    Classification.objects.create(
        race=race,
        runners=proposal.content["runners"],
        announced_text=current.announced_text,
        announced_at=current.announced_at,
        author=current.author,
        proposal=proposal,
        confirmed_at=clock.now(),
        corrects=current,
    )


CORRECTION = two_persons.Kind(
    CLASSIFICATION_CORRECTION,
    powers.CLASSIFY,
    apply=_corrected,
    second=powers.CONFIRM_CORRECTION,
)
