"""Enter resolutions that took effect in the past: two persons, one subject, never longer [E10]."""

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.kernel.errors import DomainError
from core.premises import powers
from core.premises.models import Authorisation, Resolution, Suspension, Terminal
from core.premises.resolutions import (
    ReferenceMissing,
    ResolutionAhead,
    ResolutionNeedless,
    ResolutionSubject,
    resolution_propose,
    resolutions,
)
from core.premises.services import AuthorisationUnknown, PremisesUnknown, TerminalNotFound
from core.premises.suspending import (
    RESUMING,
    SuspensionByResolution,
    SuspensionUnknown,
    lifting_propose,
    resuming_propose,
    sales_resume,
    sales_suspend,
)
from core.staff import powers as staff_powers
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from core.staff.two_persons import SamePerson
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6")]
ENDED, REVOKED, SUSPENDED = Resolution.Effect.values


def licence(point: f.Point) -> Authorisation:
    return Authorisation.objects.get(premises=point.premises, game="lototrot")


def proposed(effect: str, days_ago: float = 1, **subject: object) -> Proposal:
    return resolution_propose(
        by=f.staff(Role.ORGANISER),
        effect=effect,
        effective_at=clock.now() - timedelta(days=days_ago),
        reference="DGJ 1/2030",
        **subject,
    )


def entered(proposal: Proposal) -> Resolution:
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))
    return Resolution.objects.get(proposal=proposal)


def test_an_authorisation_ends_as_of_the_instant_and_its_former_end_is_kept() -> None:
    period = licence(f.point())
    until = clock.now() + timedelta(days=9)
    Authorisation.objects.filter(pk=period.pk).update(valid_until=until)
    row = entered(proposed(ENDED, 3, authorisation=period.pk))
    period.refresh_from_db()
    assert period.valid_until == row.effective_at
    assert row.replaced_at == until
    again = entered(proposed(ENDED, 5, authorisation=period.pk))
    assert again.replaced_at == row.effective_at
    listed = resolutions(by=f.staff(Role.AUDITOR))
    assert set(listed) == {row, again}


def test_an_authorisation_that_began_later_was_never_in_force() -> None:
    period = licence(f.point())
    row = entered(proposed(ENDED, 900, authorisation=period.pk))
    period.refresh_from_db()
    assert period.valid_until == period.valid_from == row.effective_at


def test_a_terminal_is_revoked_and_sales_are_suspended_as_of_the_instant() -> None:
    point = f.point()
    row = entered(proposed(REVOKED, terminal=point.terminal.code))
    assert Terminal.objects.get(pk=point.terminal.pk).revoked_at == row.effective_at
    for subject in ({"premises": point.premises.code}, {"terminal": point.terminal.code}):
        row = entered(proposed(SUSPENDED, **subject))
        stop = Suspension.objects.get(resolution=row)
        assert (stop.since, stop.lifted_at) == (row.effective_at, None)
        _is_lifted_by_two_alone(stop)


def _is_lifted_by_two_alone(stop: Suspension) -> None:
    first, second = f.staff(Role.ORGANISER), f.staff(Role.ORGANISER)
    with pytest.raises(SuspensionByResolution):
        sales_resume(by=first, suspension=stop.pk)
    with pytest.raises(PowerMissing):
        resuming_propose(by=f.staff(Role.AUDITOR), suspension=stop.pk)
    proposal = resuming_propose(by=first, suspension=stop.pk)
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=first)
    _the_database_refuses_to_lift(stop, second)
    stop.refresh_from_db()
    assert stop.lifted_at is None
    two_persons.confirm(proposal=proposal.uuid, by=second)
    stop.refresh_from_db()
    assert stop.lifted_by_id == second.user_id
    for lift in (sales_resume, resuming_propose):
        with pytest.raises(SuspensionUnknown):
            lift(by=first, suspension=stop.pk)
    _the_database_refuses_to_lift(stop, second)


def _the_database_refuses_to_lift(stop: Suspension, by: StaffActor) -> None:
    """[E10]: now, as of the past, and also where two persons lifted it already."""
    past = clock.now() - timedelta(hours=1)
    for lifted_at, lifted_by in ((clock.now(), by.user_id), (past, by.user_id), (None, None)):
        if (stop.lifted_at, lifted_at) == (None, None):
            continue
        with pytest.raises(IntegrityError, match="two persons lift"), transaction.atomic():
            Suspension.objects.filter(pk=stop.pk).update(
                lifted_at=lifted_at, lifted_by_id=lifted_by
            )


def test_the_database_compares_a_lifting_with_its_proposal() -> None:
    """[E10]: with who confirmed it and when, and with the suspensions that it names."""
    first, second, codes = f.staff(Role.ORGANISER), f.staff(Role.ORGANISER), []
    for place in (f.point().premises, f.point().premises):
        entered(proposed(SUSPENDED, premises=place.code))
        codes.append(place.code)
    one, other = Suspension.objects.order_by("pk")
    lifting = lifting_propose(by=first, premises=codes[:1], reason="x").proposal
    now = clock.now()
    with transaction.atomic():
        Decision.objects.create(
            proposal=lifting,
            verdict="confirmed",
            decided_by_id=second.user_id,
            decided_in_id=second.session_id,
            decided_at=now,
        )
    for stop, by, at in (
        (other, second, now),
        (one, first, now),
        (one, second, now - timedelta(seconds=1)),
    ):
        with pytest.raises(IntegrityError, match="two persons lift"), transaction.atomic():
            Suspension.objects.filter(pk=stop.pk).update(lifted_at=at, lifted_by_id=by.user_id)
    Suspension.objects.filter(pk=one.pk).update(lifted_at=now, lifted_by_id=second.user_id)


def test_who_lifts_it_has_the_power_to_enter_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """[E10]: also among the suspensions of many premises; the power to suspend is not enough."""
    code = f.point().premises.code
    entered(proposed(SUSPENDED, premises=code))
    stop, by, other = Suspension.objects.get(), f.staff(Role.ORGANISER), f.staff(Role.ORGANISER)
    proposal = lifting_propose(by=by, premises=[code], reason="x").proposal
    others = staff_powers.table() | {powers.ENTER_RESOLUTION: frozenset({Role.STEWARDS})}
    with monkeypatch.context() as patch:
        patch.setattr(staff_powers, "table", lambda: others)
        for act in (
            lambda: resuming_propose(by=by, suspension=stop.pk),
            lambda: two_persons.confirm(proposal=proposal.uuid, by=other),
        ):
            with pytest.raises(PowerMissing) as refusal, transaction.atomic():
                act()
            assert refusal.value.data["act"] == powers.ENTER_RESOLUTION
        two_persons.reject(proposal=proposal.uuid, by=other)
        with pytest.raises(PowerMissing), transaction.atomic():
            lifting_propose(by=by, premises=[code], reason="x")
        sales_resume(by=by, suspension=sales_suspend(by=by, reason="Fire").pk)
    assert RESUMING.power == RESUMING.decides == powers.ENTER_RESOLUTION


@pytest.mark.parametrize(
    ("effect", "subject", "error"),
    [
        (ENDED, {}, ResolutionSubject),
        (ENDED, {"premises": "P"}, ResolutionSubject),
        (REVOKED, {"premises": "P"}, ResolutionSubject),
        (SUSPENDED, {"premises": "P", "terminal": "T"}, ResolutionSubject),
        (SUSPENDED, {}, ResolutionSubject),
        (ENDED, {"authorisation": 0}, AuthorisationUnknown),
        (SUSPENDED, {"premises": "nowhere"}, PremisesUnknown),
        (REVOKED, {"terminal": "nowhere"}, TerminalNotFound),
    ],
)
def test_it_is_about_one_row_that_exists(
    effect: str, subject: dict[str, object], error: type[DomainError]
) -> None:
    with pytest.raises(error):
        proposed(effect, **subject)
    assert not Proposal.objects.filter(kind="premises.resolution").exists()


def test_it_has_a_reference_and_an_instant_in_the_past_with_its_zone() -> None:
    period = licence(f.point())
    by = f.staff(Role.ORGANISER)

    def propose(at: datetime, reference: str = "DGJ 1/2030") -> None:
        resolution_propose(
            by=by, effect=ENDED, effective_at=at, reference=reference, authorisation=period.pk
        )

    with pytest.raises(ReferenceMissing):
        propose(clock.now(), " ")
    with pytest.raises(ResolutionAhead):
        propose(clock.now() + timedelta(minutes=1))
    with pytest.raises(NaiveInstant):
        propose(clock.now().replace(tzinfo=None))
    with pytest.raises(PowerMissing):
        resolution_propose(
            by=f.staff(Role.STEWARDS),
            effect=ENDED,
            effective_at=clock.now(),
            reference="x",
            authorisation=period.pk,
        )


def test_what_had_ended_by_then_is_not_ended_again_nor_made_longer() -> None:
    point = f.point()
    first = proposed(REVOKED, 2, terminal=point.terminal.code)
    entered(first)
    with pytest.raises(ResolutionNeedless):
        proposed(REVOKED, 1, terminal=point.terminal.code)


def test_what_changed_since_the_proposal_is_judged_again_at_its_confirmation() -> None:
    point = f.point()
    waiting = proposed(ENDED, 1, authorisation=licence(point).pk)
    period = licence(point)
    two_persons.reject(proposal=waiting.uuid, by=f.staff(Role.ORGANISER))
    entered(proposed(ENDED, 2, authorisation=period.pk))
    with pytest.raises(two_persons.ProposalDecided):
        two_persons.confirm(proposal=waiting.uuid, by=f.staff(Role.ORGANISER))


def test_the_database_refuses_an_end_in_the_past_without_a_resolution() -> None:
    point, past = f.point(), clock.now() - timedelta(days=1)
    stopped = {"reason": "x", "premises": point.premises, "since": past}
    by = f.staff(Role.ORGANISER)
    by_whom = {"suspended_by_id": by.user_id, "suspended_in_id": by.session_id}
    for change in (
        lambda: Authorisation.objects.filter(premises=point.premises).update(valid_until=past),
        lambda: Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=past),
        lambda: Suspension.objects.create(**stopped, **by_whom),
    ):
        with pytest.raises(IntegrityError, match="takes effect in the past"), transaction.atomic():
            change()
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Resolution.objects.create(
            effect=REVOKED,
            terminal=point.terminal,
            effective_at=past,
            reference="x",
            proposal=f.proposal("lototrot.breach_void", "other"),
            entered_at=clock.now(),
        )


def test_a_suspension_made_now_puts_nothing_in_the_past() -> None:
    by = f.staff(Role.ORGANISER)
    stop = sales_suspend(by=by, reason="Fire alarm")
    assert stop.resolution is None
    lifted = sales_resume(by=by, suspension=stop.pk)
    assert lifted.lifted_at > stop.since
