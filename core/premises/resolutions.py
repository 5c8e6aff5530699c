"""Enter resolutions of the authority that took effect before they were entered (14.I.6) [E10].

Two persons enter one, with its reference. It ends an authorisation, revokes a terminal, or suspends
sales, as of an instant in the past. What was sold since is in breach, and each game then reviews
what it has decided: an app lists its reviews in its `reviews.py`, as one constant `REVIEWS`.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from core.contributions import contributed_items
from core.database import clock
from core.kernel.days import NaiveInstant
from core.kernel.errors import Conflict, Invalid
from core.premises import powers
from core.premises.models import Authorisation, Resolution, Suspension, Terminal
from core.premises.services import AuthorisationUnknown, premises_by_code, terminal_by_code
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

Effect = Resolution.Effect


class ResolutionAhead(Invalid):
    code = "resolution_ahead"
    message = "That time is in the future. Enter a resolution only after it has taken effect."


class ResolutionNeedless(Conflict):
    code = "resolution_needless"
    message = "It had already ended by then: the resolution changes nothing."


class ResolutionSubject(Invalid):
    code = "resolution_subject"
    message = (
        "A resolution ends one authorisation, revokes one terminal, or suspends the sales of"
        " one premises or one terminal."
    )


class ReferenceMissing(Invalid):
    code = "reference_missing"
    message = "The reference of the resolution must be on record."


@dataclass(frozen=True, slots=True)
class Review:
    """A game's part in a resolution.

    `hold` takes the locks of what the game may have to undo, before anything is written. `after`
    undoes it in the same transaction, once the right has ended.
    """

    hold: Callable[[], None]
    after: Callable[[StaffActor], None]


@transaction.atomic
def resolution_propose(
    *,
    by: StaffActor,
    effect: str,
    effective_at: datetime.datetime,
    reference: str,
    authorisation: int | None = None,
    premises: str | None = None,
    terminal: str | None = None,
) -> Proposal:
    """Propose to enter a resolution; a second person confirms it.

    Raises PowerMissing, ReferenceMissing, NaiveInstant, ResolutionAhead, ResolutionSubject,
    AuthorisationUnknown, PremisesUnknown, TerminalNotFound or ResolutionNeedless.
    """
    by.need(powers.ENTER_RESOLUTION)
    if not reference.strip():
        raise ReferenceMissing
    row = _resolution(
        effect=effect, authorisation=authorisation, premises=premises, terminal=terminal
    )
    _take_effect(row, effective_at)
    return two_persons.propose(
        kind=RESOLUTION,
        subject=_subject(row),
        by=by,
        content={
            "effect": effect,
            "authorisation": authorisation,
            "premises": premises,
            "terminal": terminal,
            "effective_at": row.effective_at.isoformat(),
            "reference": reference,
        },
    )


def _resolution(
    *, effect: str, authorisation: int | None, premises: str | None, terminal: str | None
) -> Resolution:
    """Return an unsaved resolution with the one row that it is about."""
    present = [authorisation is not None, premises is not None, terminal is not None]
    allowed = {
        Effect.ENDED.value: ([True, False, False],),
        Effect.REVOKED.value: ([False, False, True],),
        Effect.SUSPENDED.value: ([False, True, False], [False, False, True]),
    }
    if present not in allowed[effect]:
        raise ResolutionSubject
    row = Resolution(effect=effect)
    if authorisation is not None:
        row.authorisation = Authorisation.objects.filter(pk=authorisation).first()
        if row.authorisation is None:
            raise AuthorisationUnknown(authorisation=authorisation)
    if premises is not None:
        row.premises = premises_by_code(premises)
    if terminal is not None:
        row.terminal = terminal_by_code(terminal)
    return row


def _take_effect(row: Resolution, instant: datetime.datetime) -> None:
    """Set the instant from which a resolution has effect, and the end that it replaces.

    An authorisation that began later is ended at its beginning, so it was never in force. Raises
    NaiveInstant, ResolutionAhead, ResolutionNeedless.
    """
    if instant.utcoffset() is None:
        raise NaiveInstant
    if instant > clock.now():
        raise ResolutionAhead(instant=instant.isoformat())
    row.effective_at = instant
    if row.effect == Effect.SUSPENDED:
        return
    if row.authorisation is not None:
        row.effective_at = max(instant, row.authorisation.valid_from)
        row.replaced_at = row.authorisation.valid_until
    elif row.terminal is not None:
        row.replaced_at = row.terminal.revoked_at
    if row.replaced_at is not None and row.replaced_at <= row.effective_at:
        raise ResolutionNeedless(ended_at=row.replaced_at.isoformat())


def _subject(row: Resolution) -> str:
    """Return what a proposal is about: one waits at a time."""
    if row.authorisation is not None:
        return f"authorisation:{row.authorisation.pk}"
    place = row.premises or row.terminal
    return f"{row.effect}:{place.code if place else ''}"


def _enter(proposal: Proposal, by: StaffActor) -> None:
    """Enter the resolution, end the right as of its instant, and let the games review."""
    content = proposal.content
    reviews: tuple[Review, ...] = contributed_items("reviews", "REVIEWS")
    for review in reviews:
        review.hold()
    row = _resolution(
        **{name: content[name] for name in ("effect", "authorisation", "premises", "terminal")}
    )
    _take_effect(row, datetime.datetime.fromisoformat(content["effective_at"]))
    row.reference, row.proposal, row.entered_at = content["reference"], proposal, clock.now()
    row.save()
    _carry_out(row, by)
    for review in reviews:
        review.after(by)


def _carry_out(row: Resolution, by: StaffActor) -> None:
    if row.effect == Effect.SUSPENDED:
        Suspension.objects.create(
            premises=row.premises,
            terminal=row.terminal,
            reason=row.reference,
            since=row.effective_at,
            suspended_by_id=by.user_id,
            suspended_in_id=by.session_id,
            resolution=row,
        )
    elif row.authorisation is not None:
        ended = Authorisation.objects.filter(pk=row.authorisation.pk)
        ended.update(valid_until=row.effective_at)
    elif row.terminal is not None:
        Terminal.objects.filter(pk=row.terminal.pk).update(revoked_at=row.effective_at)


def resolutions(*, by: StaffActor) -> QuerySet[Resolution]:
    """Return every resolution. Raises PowerMissing."""
    by.need(powers.READ)
    return Resolution.objects.select_related("authorisation", "premises", "terminal", "proposal")


RESOLUTION = two_persons.Kind(
    "premises.resolution", powers.ENTER_RESOLUTION, apply=_enter, good_for=two_persons.A_WEEK
)
