"""Let one dishonest person in each role try everything for a season; count what they could take.

Each role in turn asks every operation that lets it in, with things of this world and invented ones,
and confirms what it proposed itself; a thief and an operator sell as much as they can; a person
with a copy of the database presents what is in it. Honest people refuse all proposals: all are
false. Then the nights of a week pass, with another meeting, and they try again. What left the house
is counted from rows, in cents, without any service: the figures of docs/threats/money.md.

`make test` plays a week or two, `make season` twenty. DISHONEST_WEEKS says how many,
DISHONEST_ROUNDS how often each tries all of it in a week, DISHONEST_SEED with what.
"""

import base64
import os
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import time, timedelta
from ipaddress import ip_address
from random import Random

import pytest
from django.db import connection, transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from core.admin_support.roles import ENTITY, SELLER, TERMINAL, endpoints
from core.database import clock
from core.kernel.days import morning_after, natural_day
from core.nights.jobs import all_jobs
from core.nights.models import JobRun
from core.nights.services import night_run
from core.premises.models import Suspension
from core.premises.powers import SUSPEND
from core.premises.requests import new_uuid
from core.premises.suspending import sales_resume
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal, User
from core.staff.powers import Role, holders
from core.statements.models import Statement
from core.statements.services import statements_issue
from tests.support import factories, paying
from tests.support.contributing import contributed
from tests.support.operations.called import by_endpoint
from tests.support.operations.inventing import invented
from tests.support.operations.taking import Taken, counted, taken_since
from tests.support.operations.world import World, later, world

SEASON_WEEKS = 20 if os.environ.get("SEASON_MEETINGS") else 0
WEEKS = int(os.environ.get("DISHONEST_WEEKS") or SEASON_WEEKS)
"""The weeks that each tries; 0: one week, or two for those who can take something."""
ROUNDS = int(os.environ.get("DISHONEST_ROUNDS") or 1)
SEED = int(os.environ.get("DISHONEST_SEED") or 7)
ALONE_CENTS = 299_999
"""The most that one person records of one statement."""
LIMIT_CENTS = 50_00
"""The premises of the operator may owe this much."""
TICKET_CENTS = 4_00
OWED_CENTS = 1_00
"""They owe this much already when the operator begins."""
EXPECTED = {
    **{role.value: 0 for role in Role},
    Role.ORGANISER.value: (WEEKS or 1) * ALONE_CENTS,
    Role.SUPERVISOR.value: (WEEKS or 2) * ALONE_CENTS,
    SELLER: LIMIT_CENTS,
    ENTITY: 0,
    TERMINAL: 0,
}
AUDITS_ORDER = 90
TWICE = (Role.SUPERVISOR.value, SELLER)
House = tuple[World, dict[Role, int], factories.Point]
"""The world, the account of an honest person in each role, and a terminal of premises that owe."""
NOT_TRIED = {
    *("/api/v1/clock", "/api/v1/nights/runs"),
    *("/api/v1/staff/sessions/current", "/api/v1/terminal/session"),
}
"""Moving simulated time, which production has not; work of minutes; and the end of the day."""


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[House]:
    """A world with the statement of a week, in which premises owe."""
    with django_db_blocker.unblock(), transaction.atomic():
        # In the evening a meeting would be tomorrow's, and settled before the lapses of today.
        factories.time_to(morning_after(natural_day(clock.now()), time(10)))
        owing = factories.point()
        paying.settled(1, losers=2, at=owing)
        today = natural_day(factories.time_pass(days=8))
        statements_issue(until=today - timedelta(days=today.isoweekday()))
        house = world()
        factories.guarantee(house.seller.premises, LIMIT_CENTS)
        yield house, {role: factories.staff(role).user_id for role in Role}, owing
        transaction.set_rollback(True)


@pytest.fixture
def nights() -> Iterator[None]:
    """Leave audits out of the nights: factories write rows that no act made, in a transaction."""
    jobs = [job for job in all_jobs() if job.order < AUDITS_ORDER]
    with contributed("nightly", "JOBS", jobs):
        yield


class Dishonest:
    """A person, or a holder of a terminal, with their credentials."""

    def __init__(self, house: House, caller: str) -> None:
        (self.around, self.honest, self.owing), self.caller = house, caller
        self.weeks = WEEKS or 1 + (caller in TWICE)
        self.rng = Random(f"{SEED} {caller}")
        self.client = Client(raise_request_exception=False)
        self.done = 0

    def try_for_a_season(self) -> Taken:
        taken: Counter[str] = Counter()
        for week in range(self.weeks):
            if week:
                self.week_passes()
            before = counted()
            self.try_everything()
            taken.update(taken_since(before).by_way)
        return Taken(dict(taken))

    def week_passes(self) -> None:
        """Let seven nights pass and everybody sign on again, after another meeting."""
        nights_pass()
        self.let_sell()
        paying.settled(1, losers=2, at=self.owing)
        factories.time_pass(days=6)
        nights_pass()
        self.around = later(self.around)

    def try_everything(self) -> None:
        # Codes and tokens of others are not theirs.
        self.known = {n: v for n, v in self.around.members.items() if n != "code"}
        statements = Statement.objects.filter(premises=self.owing.premises)
        self.statements = list(statements.order_by("-number")[:1])
        for _ in range(ROUNDS):
            for endpoint in endpoints():
                if (
                    endpoint.method != "get"
                    and endpoint.cell(self.caller)
                    and endpoint.path not in NOT_TRIED
                ):
                    self.ask(endpoint.method, endpoint.path)
            self.remit()
            self.confirm_own()
            self.be_refused()
        self.sell()

    def ask(self, method: str, path: str) -> None:
        called = by_endpoint()[method, path]
        content = called.content.get("application/json")
        bodies = [self.around.body(called.sample)]
        if content:
            bodies.append(invented(content["schema"], self.rng, self.known))
        for body in bodies:
            self.send(method, path, body)

    def send(self, method: str, path: str, body: object = None, **parts: str) -> int:
        called = by_endpoint()[method, path]
        answer = called.send(
            self.client,
            path=self.around.path(called) | parts,
            headers=self.around.callers[self.caller],
            body=body,
        )
        assert answer.status_code < 500, (self.caller, method, path, body, answer.content)
        self.done += answer.status_code < 300
        return int(answer.status_code)

    def remit(self) -> None:
        """Say that premises paid, as much as one person may say, as often as it is believed."""
        for statement in self.statements:
            for cents in (ALONE_CENTS, ALONE_CENTS, 1, -1):
                body = {
                    "amount_cents": cents,
                    "paid_on": natural_day(clock.now()).isoformat(),
                    "reference": uuid.uuid4().hex,
                }
                self.send(
                    "post",
                    "/api/v1/statements/{statement}/remittances",
                    body,
                    statement=str(statement.uuid),
                )

    def sell(self) -> None:
        """Sell tickets without paying for them, until the house sells no more."""
        for _ in range(2_000):
            body = self.around.body(by_endpoint()["post", "/api/v1/lototrot/tickets"].sample) | {
                "uuid": str(new_uuid()),
                "races": [[1, 2], [1, 2], [1], [1], [1], [1], [1]],
                "price_cents": 100,
                "amount_cents": TICKET_CENTS,
            }
            if self.send("post", "/api/v1/lototrot/tickets", body) != 201:
                break

    def confirm_own(self) -> None:
        for proposal in Proposal.objects.filter(decision=None):
            path = "/api/v1/proposals/{proposal}/confirmation"
            self.send("post", path, {}, proposal=str(proposal.uuid))

    def be_refused(self) -> None:
        """Refuse the proposal as an honest person."""
        for proposal in Proposal.objects.filter(decision=None):
            by = self.honest_with(two_persons.kinds()[proposal.kind].decides)
            two_persons.reject(proposal=proposal.uuid, by=by, reason="False.")

    def let_sell(self) -> None:
        """Lift as an honest person what one person suspended, which takes nothing."""
        for suspension in Suspension.objects.filter(lifted_at=None):
            sales_resume(by=self.honest_with(SUSPEND), suspension=suspension.pk)

    def honest_with(self, power: str) -> StaffActor:
        return factories.signed_on(User.objects.get(pk=self.honest[min(holders(power))]))


def nights_pass() -> None:
    """Do what is due at night. What lapsed is carried over before another meeting settles."""
    runs = night_run()
    assert all(run.state == JobRun.State.DONE for run in runs), [run.error for run in runs]


@pytest.mark.parametrize("caller", list(EXPECTED))
@pytest.mark.usefixtures("nights")
def test_one_dishonest_person_takes_no_more_than_the_page_says(
    house: House, caller: str, capsys: pytest.CaptureFixture[str]
) -> None:
    dishonest = Dishonest(house, caller)
    with transaction.atomic():
        taken = dishonest.try_for_a_season()
        transaction.set_rollback(True)
    with capsys.disabled():
        acts = f"{dishonest.done} acts done in {dishonest.weeks} weeks"
        print(f"\n{caller}: {taken.cents} cents {taken.by_way}, {acts}")
    least = EXPECTED[caller] - TICKET_CENTS - OWED_CENTS if caller == SELLER else EXPECTED[caller]
    assert least <= taken.cents <= EXPECTED[caller], taken.by_way
    assert dishonest.done, "nothing that was tried was done"


def test_a_copy_of_the_database_opens_no_door(house: House) -> None:
    """Whatever bytes are in any table are presented as tokens, as they are and as texts.

    Each comes from another address: one alone is soon refused before its token is looked at.
    """
    client, opened = Client(raise_request_exception=False), []
    for number, held in enumerate(_bytes_in_tables()):
        address = str(ip_address("10.0.0.1") + number)
        for text in (held.hex(), base64.urlsafe_b64encode(held).decode().rstrip("=")):
            for path, headers in (
                ("alarms", {"Authorization": f"Bearer {text}"}),
                ("terminal", {"Authorization": f"Terminal {text}"}),
            ):
                answer = client.get(f"/api/v1/{path}", headers=headers, REMOTE_ADDR=address)
                if answer.status_code != 401:
                    opened.append((path, text, answer.status_code))
    assert not opened


def _bytes_in_tables() -> set[bytes]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND data_type = 'bytea'"
        )
        values: set[bytes] = set()
        for table, column in cursor.fetchall():
            cursor.execute(
                f'SELECT "{column}" FROM "{table}"'
                f' WHERE length("{column}") BETWEEN 16 AND 64 LIMIT 4'
            )
            values |= {bytes(value) for (value,) in cursor.fetchall()}
    assert len(values) > 20
    return values
