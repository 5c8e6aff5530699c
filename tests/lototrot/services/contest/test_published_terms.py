"""Publish the terms of a contest when it goes on sale, and seal it on no others."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.canonical import canonical_sha256
from core.proofs import keys, log
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.engine.bet_type import BetType as Rules
from lototrot.models.contest import Contest
from lototrot.models.sealing import Seal
from lototrot.selectors.contests import rules_of
from lototrot.selectors.published import SEAL
from lototrot.services.contest.published_terms import (
    OPENING,
    TermsUnsound,
    need_as_opened,
    published_terms,
)
from lototrot.services.seal.sealing import contest_seal, seal_verify
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets.putting_on_sale import contest_open_propose
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched
from tests.support.lototrot.putting_on_sale import created, opened, published

pytestmark = pytest.mark.article("14.III.5.2", "14.III.6.2")

OTHER_TERMS = {
    "price_cents": "UPDATE lototrot_contest SET price_cents = 200",
    "day": "UPDATE lototrot_contest SET day = day + 9",
    "legs": "DELETE FROM lototrot_runner WHERE number = 10",
    "programme": "UPDATE lototrot_meeting SET document_digest = sha256('x')",
    "rules": "UPDATE lototrot_bettype SET document = document || '{\"payout_step_cents\": 10}'",
}
TABLES = ("lototrot_contest", "lototrot_runner", "lototrot_meeting", "lototrot_bettype")


@pytest.mark.django_db
def test_a_contest_that_goes_on_sale_says_on_which_terms() -> None:
    by = factories.staff(Role.ORGANISER)
    contest = published(by, created(by))
    assert log.published(kind=OPENING, subject=f"contest:{contest.pk}") is None
    contest = opened(by, contest)
    entry = log.published(kind=OPENING, subject=f"contest:{contest.pk}")
    assert entry is not None
    rules = rules_of(contest.bet_type, contest.day).to_document()
    terms = entry.document
    assert terms["price_cents"] == 100 and terms["bet_type"] == "lototrot" and terms["races"] == 7
    assert terms["day"] == contest.day.isoformat()
    assert terms["rules"] == canonical_sha256(rules).hex()
    assert terms["programme"] == bytes(contest.meeting.document_digest).hex()
    races = factories.races_of(contest)
    assert terms["legs"] == [{"race": r.pk, "programme": [*range(1, 11)]} for r in races]
    assert terms["closes_at"] == contest.scheduled_close_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert terms["opened_at"] <= entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.mark.django_db
def test_a_seal_states_the_same_terms() -> None:
    contest = factories.contest_closed(factories.contest())
    opening, seal = (
        log.published(kind=kind, subject=f"contest:{contest.pk}") for kind in (OPENING, SEAL)
    )
    assert opening and seal and opening.sequence < seal.sequence
    terms = published_terms(contest)
    for entry in (opening, seal):
        assert entry.document | terms == entry.document


@pytest.mark.django_db
def test_a_contest_is_sealed_and_settled_by_a_release_that_writes_rules_in_another_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The terms are the same, whatever form the program gives them that is installed meanwhile."""
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.sell(contest, factories.point(), [(1, 1)])
    written = Rules.to_document
    monkeypatch.setattr(Rules, "to_document", lambda self: written(self) | {"form": 2})
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    settlement = contest_settle(contest_id=contest.pk)
    certificate = log.published(kind="lototrot.settlement", subject=str(settlement.uuid))
    seal = log.published(kind=SEAL, subject=f"contest:{contest.pk}")
    assert certificate and seal
    assert seal.document["rules"] == canonical_sha256(certificate.document["rules"]).hex()


@pytest.mark.django_db
def test_a_contest_whose_terms_cannot_be_signed_is_not_put_on_sale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by = factories.staff(Role.ORGANISER)
    contest = published(by, created(by))
    proposal = contest_open_propose(by=by, contest=contest)
    entries = LogEntry.objects.count()

    def missing(*_: object) -> bytes:
        raise keys.SigningKeyMissing

    with monkeypatch.context() as without_key:
        without_key.setattr(keys, "sign", missing)
        without_key.setattr(keys, "current_public", missing)
        with pytest.raises(keys.SigningKeyMissing):
            two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    contest.refresh_from_db()
    assert contest.state == Contest.State.DRAFT and contest.opened_at is None
    assert not hasattr(Proposal.objects.get(pk=proposal.pk), "decision")
    assert LogEntry.objects.count() == entries
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN
    need_as_opened(contest)


def test_a_contest_whose_terms_were_exchanged_is_neither_sealed_nor_settled(
    own_database: Database,
) -> None:
    """The owner of the database could seal another price than players paid, and sign it."""
    tomorrow = factories.meeting(first_start_at=clock.now() + timedelta(days=1))
    later = factories.contest_closed(factories.contest(tomorrow), sealed=False)
    before = factories.contest_closed(factories.contest())
    for term, exchange in OTHER_TERMS.items():
        with as_owner(own_database), touched(*TABLES):
            execute(exchange)
            for act in (
                lambda: contest_seal(contest_id=later.pk),
                lambda: seal_verify(Contest.objects.get(pk=before.pk)),
            ):
                with pytest.raises(TermsUnsound) as refusal:
                    act()
                assert refusal.value.data["term"] == term
                assert not Seal.objects.filter(contest=later).exists()
    with as_owner(own_database), touched("proofs_logentry"):
        execute(f"DELETE FROM proofs_logentry WHERE kind = '{OPENING}'")
        with pytest.raises(TermsUnsound):
            contest_seal(contest_id=later.pk)
