"""No sequence of requests makes one person two, tried by a state machine.

One administrator is dishonest. The two others confirm whatever is proposed to them, but notice
within a day whose account is not their own. The dishonest one holds the own account, and each one
whose password they proposed, until its person comes: a day after it was given.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from core.database import clock
from core.kernel.errors import DomainError
from core.kernel.regulation import shipped
from core.staff import accounts, services, two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal, User
from core.staff.powers import Role, holders
from core.staff.services import session_start
from tests.support import factories

PASSWORD = "correct horse battery"
STAFF = "staff."
ORDERS = sorted(name for name in two_persons.kinds() if not name.startswith(STAFF))
"""Every kind but those of accounts, which are done by their services."""
DISHONEST, HONEST = "dishonest", "honest"
THEN = st.sampled_from(["later", HONEST, DISHONEST])
"""The person who confirms at once, if anybody does."""
ROLES = st.sampled_from(["organiser", "administrator", "cashier", "stewards"])
ANY = st.integers(0, 7)
STEPS = 25
A_DAY_H = shipped().versions[0].second_person_after_s // 3600


class OnePerson(RuleBasedStateMachine):
    """Requests by the dishonest administrator and by everybody else."""

    def __init__(self) -> None:
        super().__init__()
        self.undone = transaction.atomic()
        self.undone.__enter__()
        self.names = itertools.count(1)
        roles = (*[Role.ADMINISTRATOR] * 3, *[Role.ORGANISER, Role.STEWARDS, Role.CASHIER] * 2)
        self.users = [factories.account(self.name(), "Person", role).pk for role in roles]
        self.dishonest = self.users[0]
        self.hours = 0
        self.held_until: dict[int, int] = {}  # the hour until when the dishonest one holds it
        self.proposed: dict[int, object] = {}  # who proposed, by proposal
        self.sessions: dict[int, int] = {}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.undone.__exit__(None, None, None)

    def name(self) -> str:
        return f"person{next(self.names)}"

    def human(self, user: int) -> object:
        """Return who acts with an account now."""
        is_held = user == self.dishonest or self.hours < self.held_until.get(user, 0)
        return DISHONEST if is_held else user

    def actor(self, user: int) -> StaffActor | None:
        """Return the account as it is now, signed on with a password of its own; None if closed."""
        row = User.objects.get(pk=user)
        if not row.is_active:
            return None
        if user not in self.sessions:
            self.sessions[user] = session_start(user=row, verified=True)[0].pk
        roles = frozenset(map(Role, row.roles))
        return StaffActor(user, self.sessions[user], str(row), roles, second_from=row.second_from)

    def anybody(self, number: int) -> StaffActor | None:
        return self.actor(self.users[number % len(self.users)])

    def may(self, user: int, power: str) -> bool:
        """Return whether an account is open and has the power."""
        by = self.actor(user)
        return by is not None and bool(by.roles & holders(power))

    def held(self) -> list[int]:
        """Return the accounts that the dishonest administrator holds."""
        return [user for user in self.users if self.human(user) == DISHONEST]

    def dishonest_one(self, number: int) -> StaffActor | None:
        held = self.held()
        return self.actor(held[number % len(held)])

    def tried(self, act: Callable[[], object]) -> object:
        """Do what is perhaps refused, with nothing left of it then."""
        try:
            with transaction.atomic():
                return act()
        except DomainError:
            return None

    def propose(
        self, by: StaffActor | None, act: Callable[[StaffActor], Proposal], then: str
    ) -> None:
        proposal = self.tried(lambda: act(by)) if by else None
        if by and isinstance(proposal, Proposal):
            self.proposed[proposal.pk] = self.human(by.user_id)
        if then == HONEST:
            self.somebody_confirms_all()
        elif then == DISHONEST:
            self.dishonest_confirms_all()

    def confirm(self, by: StaffActor | None, proposal: Proposal) -> None:
        done = by and self.tried(lambda: two_persons.confirm(proposal=proposal.uuid, by=by))
        if not by or not done:
            return
        first, content = self.proposed[proposal.pk], proposal.content
        assert first != self.human(by.user_id), f"{proposal} by {by.name}"
        if proposal.kind == "staff.account":
            self.users.append(User.objects.get(username=content["username"]).pk)
            content = {"user": self.users[-1]}
        if proposal.kind in ("staff.account", "staff.password") and first == DISHONEST:
            self.held_until[content["user"]] = self.hours + A_DAY_H

    def waiting(self) -> list[Proposal]:
        return list(Proposal.objects.filter(decision=None, pk__in=self.proposed).order_by("pk"))

    @rule(number=ANY, of=ANY, then=THEN)
    def dishonest_gives_a_password(self, number: int, of: int, then: str) -> None:
        by, user = self.dishonest_one(number), self.users[of % len(self.users)]
        self.propose(
            by, lambda by: accounts.password_propose(by=by, user_id=user, password=PASSWORD), then
        )

    @rule(number=ANY, of=ANY, roles=ROLES, then=THEN)
    def dishonest_gives_roles(self, number: int, of: int, roles: str, then: str) -> None:
        by, user = self.dishonest_one(number), self.users[of % len(self.users)]
        self.propose(
            by, lambda by: accounts.roles_propose(by=by, user_id=user, roles=[roles]), then
        )

    @rule(number=ANY, roles=ROLES, then=THEN)
    def dishonest_opens(self, number: int, roles: str, then: str) -> None:
        self.propose(
            self.dishonest_one(number),
            lambda by: accounts.account_propose(
                by=by, username=self.name(), full_name="Person", password=PASSWORD, roles=[roles]
            ),
            then,
        )

    @rule(number=ANY, of=ANY, then=THEN)
    def dishonest_closes_and_opens_again(self, number: int, of: int, then: str) -> None:
        by, user = self.dishonest_one(number), self.users[of % len(self.users)]
        self.tried(lambda: by and accounts.user_deactivate(by=by, user_id=user))
        self.propose(by, lambda by: accounts.reactivation_propose(by=by, user_id=user), then)

    @rule(name=st.sampled_from(ORDERS), number=ANY, mine=st.booleans(), then=THEN)
    def order(self, name: str, number: int, mine: bool, then: str) -> None:
        """Propose an act of any kind: with an account that may, if there is one."""
        kind = two_persons.kinds()[name]
        able = [user for user in self.users if self.may(user, kind.power)]
        held = [user for user in able if self.human(user) == DISHONEST] if mine else able
        users = held or able or self.users
        self.propose(
            self.actor(users[number % len(users)]),
            lambda by: two_persons.propose(kind=kind, subject=self.name(), content={}, by=by),
            then,
        )

    @rule()
    def dishonest_confirms_all(self) -> None:
        """Try each account that is held, on whatever waits."""
        for proposal in self.waiting():
            for user in self.held():
                self.confirm(self.actor(user), proposal)

    @rule()
    def somebody_confirms_all(self) -> None:
        """Confirm each waiting proposal as the first honest person who may."""
        for proposal in self.waiting():
            power = two_persons.power_of(proposal)
            honest = (user for user in self.users if self.human(user) == user)
            proposer = self.proposed[proposal.pk]
            for user in honest:
                if user != proposer and self.may(user, power):
                    self.confirm(self.actor(user), proposal)
                    break

    @rule(number=ANY)
    def somebody_rejects(self, number: int) -> None:
        by, waiting = self.anybody(number), self.waiting()
        if by and waiting:
            self.tried(lambda: two_persons.reject(proposal=waiting[0].uuid, by=by))

    @rule(hours=st.sampled_from([1, 12, 23, 25]))
    def time_passes(self, hours: int) -> None:
        factories.time_pass(hours=hours)
        self.hours += hours


def tried(machine: type[OnePerson] = OnePerson, **more: Any) -> None:
    """Try sequences of requests. Raise AssertionError if one makes one person two."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=6,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            **more,
        ),
    )


@pytest.fixture(autouse=True)
def _inert(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let acts of other kinds have no effect: what they are about does not exist here."""
    for name in ORDERS:
        kind = two_persons.kinds()[name]
        inert = replace(kind, apply=lambda proposal, by: None, reject=None)
        monkeypatch.setitem(two_persons.kinds(), name, inert)


def test_no_sequence_of_requests_makes_one_person_two() -> None:
    tried()


def test_without_the_day_of_waiting_a_sequence_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (accounts, services):
        monkeypatch.setattr(module, "waited_until", clock.now)
    with pytest.raises(AssertionError, match=" by person"):
        for number in range(8):  # one seed in four finds none in its six sequences
            machine = seed(number)(type("Seeded", (OnePerson,), {}))
            tried(machine, phases=[Phase.generate], report_multiple_bugs=False)
