"""List what two persons decided when one of them had been given the account lately; forget the
passwords that nobody can confirm any more.
"""

from datetime import date, timedelta
from hashlib import sha256

import pytest

from core.database import clock
from core.journal.acting import acting
from core.journal.models import Change
from core.kernel.days import natural_day
from core.nights.jobs import Outcome
from core.premises.powers import REGISTER
from core.staff import accounts, two_persons
from core.staff.actor import StaffActor
from core.staff.models import NewPassword, User
from core.staff.nightly import given_lately, passwords_forgotten
from core.staff.powers import Role
from core.staff.two_persons import Kind
from tests.support import factories

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
KIND = Kind("test.given_lately", REGISTER, apply=lambda proposal, by: None)


@pytest.fixture
def administrators(monkeypatch: pytest.MonkeyPatch) -> tuple[StaffActor, StaffActor]:
    monkeypatch.setitem(two_persons.kinds(), KIND.name, KIND)
    return factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)


def today() -> date:
    return natural_day(clock.now())


def of_kind(outcome: Outcome, kind: str) -> list[dict[str, object]]:
    return [dict(row) for row in outcome.listed.get("decisions", ()) if row["kind"] == kind]


def decided(by: StaffActor) -> None:
    """Confirm, as the person, the proposal of another organiser."""
    first = factories.staff(Role.ORGANISER)
    proposal = two_persons.propose(kind=KIND, subject="it", content={}, by=first)
    two_persons.confirm(proposal=proposal.uuid, by=by)


def test_who_was_reset_a_week_before_is_listed_with_who_did_it(
    administrators: tuple[StaffActor, StaffActor],
) -> None:
    one, two = administrators
    user = User.objects.get(pk=factories.staff(Role.ORGANISER).user_id)
    factories.time_pass(days=8)
    reset = accounts.password_propose(by=one, user_id=user.pk, password=PASSWORD)
    two_persons.confirm(proposal=reset.uuid, by=two)
    for days, listed in ((2, True), (8, False)):
        factories.time_pass(days=days)
        decided(factories.came(user))
        rows = of_kind(given_lately(today()), KIND.name)
        assert bool(rows) == listed
        if rows:
            assert (rows[0]["decided_by"], rows[0]["given"]) == (str(user), "staff.password")
            assert rows[0]["by_proposer"] is False
            assert given_lately(today() - timedelta(days=1)).listed == {}


def test_an_administrator_who_was_given_the_account_by_the_proposer(
    administrators: tuple[StaffActor, StaffActor],
) -> None:
    one, two = administrators
    new = accounts.account_propose(
        by=one, username="new", full_name="Maria Mas", password=PASSWORD, roles=["administrator"]
    )
    two_persons.confirm(proposal=new.uuid, by=two)
    factories.time_pass(days=2)
    cashier = factories.staff(Role.CASHIER)
    roles = accounts.roles_propose(by=one, user_id=cashier.user_id, roles=["supervisor"])
    two_persons.confirm(proposal=roles.uuid, by=factories.came(User.objects.get(username="new")))
    outcome = given_lately(today())
    (row,) = of_kind(outcome, "staff.roles")
    assert (row["decided_by"], row["given"]) == ("new", "staff.account")
    assert row["by_proposer"] is True
    assert outcome.counts["by_proposer"] == 1


@pytest.mark.parametrize("lapse", ["old", "proposer"])
def test_the_night_forgets_the_password_and_the_name_of_a_proposal_that_has_lapsed(
    administrators: tuple[StaffActor, StaffActor], lapse: str
) -> None:
    one, two = administrators
    proposal = accounts.account_propose(
        by=one, username="new", full_name="Maria Mas", password=PASSWORD, roles=["auditor"]
    )
    assert passwords_forgotten(today()).counts == {"proposals": 0}
    assert NewPassword.objects.get().password != ""
    if lapse == "old":
        factories.time_pass(days=2)
    else:
        accounts.user_deactivate(by=two, user_id=one.user_id)
    with acting("tests"):
        assert passwords_forgotten(today()).counts == {"proposals": 1}
    row = NewPassword.objects.get()
    assert (row.password, row.name_key) == ("", None)
    assert proposal.shown_content["full_name"] == ""
    assert passwords_forgotten(today()).counts == {"proposals": 0}
    two_persons.reject(proposal=proposal.uuid, by=two)


def test_the_journal_keeps_digests_of_what_was_forgotten(
    administrators: tuple[StaffActor, StaffActor],
) -> None:
    user = factories.staff(Role.ORGANISER)
    accounts.password_propose(by=administrators[0], user_id=user.user_id, password=PASSWORD)
    encoded = NewPassword.objects.get().password
    factories.time_pass(days=2)
    passwords_forgotten(today())
    change = Change.objects.get(relation="staff_newpassword")
    assert change.before["password"] == "sha256:" + sha256(encoded.encode()).hexdigest()
    assert encoded not in str((change.before, change.after))
