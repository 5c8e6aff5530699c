"""Check, present, pay and lapse the winning tickets of one contest from several places at once."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from django.db import connection

from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.kernel.request_uuids import RANDOM_BITS, request_uuid
from core.payoffice.services import checking, paying, presenting
from lototrot import accounts
from lototrot.models.settlement import PaymentOrder
from lototrot.services.prizes import lapsing
from tests.histories.clients import Ending, Played, Step, ended_after, pauses, run
from tests.histories.document import DocumentModel, PrizesModel
from tests.histories.history import Answer, Recorder, about
from tests.support import factories
from tests.support.factories import Point
from tests.support.paying import Presented, worth

CLIENTS, DOCUMENTS = 5, 3
_READ = """
SELECT coalesce(sum(-e.cents) FILTER (WHERE a.code LIKE '%%prizes%%'), 0)::bigint,
       coalesce(sum(-e.cents) FILTER (WHERE a.code LIKE '%%held%%'), 0)::bigint,
       (SELECT coalesce(sum(p.amount_cents), 0) FROM payoffice_payment p
          JOIN payoffice_claim c ON c.id = p.claim_id WHERE c.document_id = ANY (%s))::bigint
  FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id WHERE a.code = ANY (%s)
"""


@dataclass(slots=True)
class PayingGround:
    """The winning tickets of a contest, the places that pay them, and the requests to do so."""

    random: Random
    documents: dict[str, Presented] = field(init=False)
    places: list[Point] = field(init=False)
    random_bits: dict[str, int] = field(init=False)
    requests: dict[str, UUID] = field(init=False, default_factory=dict)
    ends_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        prizes = worth(*[500 + 100 * n for n in range(DOCUMENTS)])
        self.documents = {f"T{n}": won for n, won in enumerate(prizes, start=1)}
        self.places = [factories.point() for _ in range(2)]
        self.random_bits = {f"P{n}": self.random.getrandbits(RANDOM_BITS) for n in range(1, 100)}
        order = PaymentOrder.objects.get(contest=self.contest_id)
        self.ends_at = day_bounds(order.last_claim_day)[1]

    @property
    def contest_id(self) -> int:
        return int(self.documents["T1"].contest.pk)

    def pay(self, name: str, request: str, place: int) -> Answer:
        """Pay the document by a request."""
        won = self.documents[name]
        made_now = request_uuid(clock.now(), self.random_bits[request])
        ident = self.requests.setdefault(request, made_now)
        paid = paying.payment_make(at=self.places[place].actor, request=won.request(uuid=ident))
        return Answer("paid", {"at": paid.paid_at})

    def present(self, name: str, place: int) -> Answer:
        """Present the document."""
        presentation = presenting.presentation_make(
            at=self.places[place].actor, code=self.documents[name].code
        )
        return Answer(
            "presented", {"receipt": str(presentation.uuid), "at": presentation.presented_at}
        )

    def check(self, name: str) -> Answer:
        """Check the document as its holder does."""
        return Answer(str(checking.holder_check(code=self.documents[name].code).state))

    def clock(self) -> Answer:
        """Move the clock past the last day to claim."""
        factories.time_on_to(self.ends_at)
        return Answer("moved")

    def lapse(self) -> Answer:
        """Lapse what nobody claimed, as the night does."""
        gone = lapsing.lapse(self.contest_id, natural_day(clock.now()))
        return Answer("lapsed", {"prizes": gone.documents, "cents": gone.cents})

    def read(self) -> Answer:
        """Read what is committed of the prizes, at one instant."""
        tickets = [won.ticket.pk for won in self.documents.values()]
        owed, held = accounts.owed_and_held(self.contest_id, is_refund=False)
        with connection.cursor() as cursor:
            cursor.execute(_READ, [tickets, [owed.code, held.code]])
            owed_cents, held_cents, paid_cents = cursor.fetchone()
        facts = {"owed_cents": owed_cents, "held_cents": held_cents, "paid_cents": paid_cents}
        return Answer("read", facts)

    def step(self, kind: str, *, kills: bool = True) -> Step:
        """Return an act at a moment and with a fault that the seed decides."""
        name = "" if kind in ("clock", "lapse", "read") else self.random.choice([*self.documents])
        place, insists = self.random.randrange(2), self.random.random() < 0.7
        inputs = {}
        if kind == "pay":
            request = f"P{self.random.randrange(2) * DOCUMENTS + int(name[1:])}"
            place, inputs = int(request[1:]) % 2, {"request": request}
            act = lambda: self.pay(name, request, place)  # noqa: E731
        elif kind == "present":
            act = lambda: self.present(name, place)  # noqa: E731
        elif kind == "check":
            act = lambda: self.check(name)  # noqa: E731
        else:
            act = getattr(self, kind)
        is_killed = kills and kind in ("pay", "present", "lapse")
        return Step(
            act,
            kind,
            name,
            inputs,
            pause_ms=pauses(self.random, 12),
            ended_after_ms=ended_after(self.random, 0.2, 8) if is_killed else None,
            is_lost=is_killed and self.random.random() < 0.1,
            again=act if insists else None,
        )

    def scripts(self) -> list[list[Step]]:
        """Return the scripts of the places, and of the night that comes meanwhile."""
        scripts = []
        for _ in range(CLIENTS - 1):
            kinds = self.random.choices(("pay", "present", "check", "read"), (6, 2, 2, 2), k=4)
            scripts.append([self.step(kind) for kind in kinds])
        nights = self.random.choice((["lapse"], ["clock", "lapse"], ["clock", "read", "lapse"]))
        if self.random.random() < 0.3:
            scripts[0].append(self.step("lapse"))
        return [*scripts, [self.step(kind) for kind in nights]]

    def finish(self) -> list[list[Step]]:
        """Return the last acts, which nothing disturbs."""
        kinds = ("read", "clock", "lapse", "read", "pay", "check")
        return [[self.step(kind, kills=False) for kind in kinds]]


def play(seed: int, serial: int, ending: Ending) -> Played:
    """Play the payment of a contest's prizes by a seed, and return its history."""
    ground, recorder = PayingGround(Random(f"paying {seed}")), Recorder()
    if ground.random.random() < 0.6:
        factories.time_on_to(ground.ends_at - timedelta(minutes=10))
    run(ground.scripts(), ending, recorder)
    run(ground.finish(), ending, recorder)
    acts = recorder.acts
    cents = {name: won.cents for name, won in ground.documents.items()}
    each = {
        f"ticket {name}": (DocumentModel(ground.ends_at), about(acts, name))
        for name in ground.documents
    }
    return Played(acts, {**each, "the prizes": (PrizesModel(ground.ends_at, cents), acts)})
