"""Acts of two persons, by the services and by the database itself."""

import re
import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.journal import powers as journal_powers
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import DomainError
from core.premises import powers
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import Decision, Proposal
from core.staff.powers import Role, holders
from core.staff.two_persons import (
    Kind,
    ProposalDecided,
    ProposalOld,
    ProposalPending,
    ProposalUnknown,
    SamePerson,
    SecondPersonTooNew,
)
from tests.support import factories
from tests.support.databases import Database

done: list[tuple[str, int]] = []


def _refuse(proposal: Proposal, by: StaffActor) -> None:
    raise ProposalPending("It cannot be carried out any more.")


KIND = Kind(
    "test.two_persons",
    powers.REGISTER,
    apply=lambda proposal, _: done.append(("applied", proposal.pk)),
    reject=lambda proposal, _: done.append(("rejected", proposal.pk)),
)
OVERSEEN = replace(KIND, name="test.overseen", second=journal_powers.READ)
FAILING = Kind("test.failing", powers.REGISTER, apply=_refuse)


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (KIND, FAILING, OVERSEEN):
        monkeypatch.setitem(two_persons.kinds(), kind.name, kind)
    done.clear()


@pytest.fixture
def first(db: None) -> StaffActor:
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def second(db: None) -> StaffActor:
    return factories.staff(Role.ORGANISER)


def proposed(by: StaffActor, kind: Kind = KIND, subject: str = "it") -> Proposal:
    return two_persons.propose(kind=kind, subject=subject, content={"what": subject}, by=by)


def test_it_happens_when_another_person_confirms_and_once(
    first: StaffActor, second: StaffActor
) -> None:
    proposal = proposed(first)
    assert done == []
    assert bytes(proposal.content_digest) == canonical_sha256({"what": "it"})
    assert two_persons.confirm(proposal=proposal.uuid, by=second) == proposal
    assert two_persons.confirm(proposal=proposal.uuid, by=second) == proposal
    assert done == [("applied", proposal.pk)]
    decision = Decision.objects.get()
    assert (decision.decided_by_id, decision.decided_in_id) == (second.user_id, second.session_id)


def test_a_second_person_of_another_office_decides_and_the_proposer_only_withdraws(
    first: StaffActor, second: StaffActor
) -> None:
    proposal = proposed(first, OVERSEEN)
    auditor = factories.staff(Role.AUDITOR)
    assert two_persons.power_of(proposal) == journal_powers.READ
    for decide in (two_persons.confirm, two_persons.reject):
        with pytest.raises(PowerMissing):
            decide(proposal=proposal.uuid, by=second)
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=first)
    two_persons.confirm(proposal=proposal.uuid, by=auditor)
    assert done == [("applied", proposal.pk)]
    withdrawn = proposed(first, OVERSEEN)
    two_persons.reject(proposal=withdrawn.uuid, by=first)
    with pytest.raises(PowerMissing):
        proposed(auditor, OVERSEEN)


def test_nobody_confirms_their_own_in_any_session(first: StaffActor, second: StaffActor) -> None:
    proposal = proposed(first)
    for by in (first, factories.another_session(first)):
        with pytest.raises(SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=by)
    borrowed = replace(second, session_id=first.session_id)
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=borrowed)
    assert done == []
    assert not Decision.objects.exists()


def test_the_proposer_may_withdraw_and_then_it_never_happens(
    first: StaffActor, second: StaffActor
) -> None:
    proposal = proposed(first)
    two_persons.reject(proposal=proposal.uuid, by=first, reason="A mistake")
    with pytest.raises(ProposalDecided):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert done == [("rejected", proposal.pk)]
    assert proposed(first).pk != proposal.pk


def test_the_same_act_waits_once(first: StaffActor, second: StaffActor) -> None:
    proposal = proposed(first)
    with pytest.raises(ProposalPending):
        proposed(second)
    proposed(second, subject="another")
    two_persons.confirm(proposal=proposal.uuid, by=second)
    proposed(first)


def test_both_need_the_power(first: StaffActor) -> None:
    steward = factories.staff(Role.STEWARDS)
    with pytest.raises(PowerMissing):
        proposed(steward)
    proposal = proposed(first)
    for decide in (two_persons.confirm, two_persons.reject):
        with pytest.raises(PowerMissing):
            decide(proposal=proposal.uuid, by=steward)


def test_what_cannot_be_carried_out_is_not_decided(first: StaffActor, second: StaffActor) -> None:
    proposal = proposed(first, FAILING)
    with pytest.raises(ProposalPending, match="any more"):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert not Decision.objects.exists()
    two_persons.reject(proposal=proposal.uuid, by=second)


def test_what_follows_a_refused_act_follows_no_refused_person(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it fails or is cut off, it follows when the act is confirmed again."""
    faults: list[Exception] = [ConnectionError("The machine is ending.")]

    def follow(proposal: Proposal, error: DomainError) -> None:
        done.append((error.code, proposal.pk))
        assert not Decision.objects.exists()
        if faults:
            raise faults.pop()

    kind = replace(FAILING, failed=follow)
    monkeypatch.setitem(two_persons.kinds(), kind.name, kind)
    (first, second), steward = factories.two_organisers(), factories.staff(Role.STEWARDS)
    proposal = proposed(first, kind)

    def refused(by: StaffActor, error: type[Exception]) -> None:
        with pytest.raises(error):
            two_persons.confirm(proposal=proposal.uuid, by=by)

    refused(first, SamePerson)
    refused(steward, PowerMissing)
    refused(replace(second, second_from=clock.now() + timedelta(days=1)), SecondPersonTooNew)
    assert done == []
    refused(second, ConnectionError)
    refused(second, ProposalPending)
    assert done == [("proposal_pending", proposal.pk)] * 2
    factories.time_pass(hours=25)
    refused(second, ProposalOld)
    two_persons.reject(proposal=proposal.uuid, by=second)
    refused(second, ProposalDecided)
    assert len(done) == 2


def test_an_unknown_proposal_is_unknown(first: StaffActor) -> None:
    with pytest.raises(ProposalUnknown):
        two_persons.confirm(proposal=uuid.uuid4(), by=first)


def test_a_third_person_does_not_decide_again(first: StaffActor, second: StaffActor) -> None:
    proposal = proposed(first)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    third = factories.staff(Role.ORGANISER)
    for decide in (two_persons.confirm, two_persons.reject):
        with pytest.raises(ProposalDecided):
            decide(proposal=proposal.uuid, by=third)
    assert len(done) == 1


# --- The database ---------------------------------------------------------------------------------


def decide(proposal: Proposal, proposer: StaffActor, by: StaffActor, **changes: Any) -> None:
    """Write a decision past the services; `changes` falsify it."""
    with transaction.atomic():
        Decision.objects.bulk_create(
            [
                Decision(
                    **{
                        "proposal": proposal,
                        "verdict": "confirmed",
                        "decided_at": clock.now(),
                        "proposed_by_id": proposer.user_id,
                        "proposed_in_id": proposer.session_id,
                        "decided_by_id": by.user_id,
                        "decided_in_id": by.session_id,
                    }
                    | changes
                )
            ]
        )
        with transaction.get_connection().cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_the_database_refuses_every_way_of_being_both(
    first: StaffActor, second: StaffActor
) -> None:
    proposal = proposed(first)
    elsewhere = factories.another_session(first)
    third = factories.staff(Role.ORGANISER)
    in_the_same_session = replace(second, session_id=first.session_id)
    refused: list[tuple[str, StaffActor, StaffActor, dict[str, Any]]] = [
        ("confirmed_by_another_person", first, first, {}),
        ("confirmed_by_another_person", first, elsewhere, {}),
        ("confirmed_by|own_session", first, in_the_same_session, {}),
        ("decided_in_own_session", first, second, {"decided_in_id": third.session_id}),
        # With the proposer falsified so that the two differ.
        ("decision_of_proposer", third, first, {}),
        ("decision_of_proposer", elsewhere, second, {}),
        ("decision_verdict", first, second, {"verdict": "maybe"}),
    ]
    for constraint, proposer, by, changes in refused:
        with pytest.raises(IntegrityError, match=constraint):
            decide(proposal, proposer, by, **changes)
    assert not Decision.objects.exists()
    decide(proposal, first, second)
    with pytest.raises(IntegrityError):
        decide(proposal, first, third)


def test_the_database_refuses_a_proposal_in_anothers_session(
    first: StaffActor, second: StaffActor
) -> None:
    with pytest.raises(IntegrityError, match="proposed_in_own_session"), transaction.atomic():
        proposed(replace(first, session_id=second.session_id))
        with transaction.get_connection().cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_proposal_is_marked_with_its_decision_and_nobody_hides_one(
    first: StaffActor, second: StaffActor
) -> None:
    waiting, rejected = proposed(first), proposed(first, subject="another")
    two_persons.reject(proposal=rejected.uuid, by=second, reason="no")
    rejected.refresh_from_db()
    assert (waiting.decided, rejected.decided) == (False, True)
    for proposal in (waiting, rejected):
        with pytest.raises(IntegrityError, match="with its decision"), transaction.atomic():
            Proposal.objects.filter(pk=proposal.pk).update(decided=not proposal.decided)
    waiting.pk, waiting.uuid, waiting.decided = None, uuid.uuid4(), True
    with pytest.raises(IntegrityError, match="with its decision"), transaction.atomic():
        waiting.save(force_insert=True)


def test_the_owner_of_the_tables_is_refused_as_well(own_database: Database) -> None:
    first, second = factories.two_organisers()
    proposal = proposed(first)
    insert = (
        "INSERT INTO staff_decision (proposal_id, verdict, proposed_by_id, proposed_in_id,"
        " decided_by_id, decided_in_id, decided_at, reason)"
        " VALUES (%s, 'confirmed', %s, %s, %s, %s, now(), '')"
    )
    one, other = (first.user_id, first.session_id), (second.user_id, second.session_id)
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        for people in ((*one, *one), (*other, *one), (*one, second.user_id, first.session_id)):
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.errors.ForeignKeyViolation)):
                owner.execute(insert, [proposal.pk, *people])
        owner.execute(insert, [proposal.pk, *one, *other])
        for statement in (
            "UPDATE staff_decision SET verdict = 'rejected'",
            "UPDATE staff_proposal SET content = '{}'",
            "DELETE FROM staff_decision",
        ):
            with pytest.raises(psycopg.errors.RestrictViolation):
                owner.execute(statement)


def test_every_kind_needs_a_power_that_somebody_holds() -> None:
    names = {kind.name for kind in two_persons.kinds().values()}
    assert {"draws.manual", "payoffice.payment", "lototrot.payment_order"} <= names
    for name, kind in two_persons.kinds().items():
        assert name == kind.name
        assert holders(kind.power) and holders(kind.decides)


def test_two_kinds_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    same_name = Kind(KIND.name, powers.REGISTER, apply=_refuse)
    monkeypatch.setattr(two_persons, "contributions", lambda *_: ((KIND,), (same_name,)))
    with pytest.raises(ValueError, match=re.escape(KIND.name)):
        two_persons.kinds.__wrapped__()
