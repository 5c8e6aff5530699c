"""Use the admin as a browser does (signed on, with cookies and forms), and make a race day to show
at.
"""

import re
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils.timezone import localtime

from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal, StaffSession, User
from core.staff.powers import Role
from core.staff.signals import SESSION_KEY
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.models.tickets import Ticket
from lototrot.services.races import withdrawals
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement import breach, payment_order
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets import putting_on_sale
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support.lototrot.starting import start

RULES = {"ca": "Regles.", "es": "Reglas.", "en": "Rules."}


class Desk:
    """A browser of one person: the person given, or a new one with the roles given."""

    def __init__(self, *roles: Role, person: User | None = None, language: str = "en") -> None:
        self.person = person or User.objects.get(pk=factories.staff(*roles).user_id)
        self.client = Client(headers={"accept-language": language})
        self.sign_on()

    def sign_on(self) -> None:
        """Sign on with a second factor, for example after a time in which a session ends."""
        self.person.refresh_from_db()
        self.client.force_login(self.person)
        StaffSession.objects.filter(user=self.person).update(verified=True)

    def get(self, url: str, **query: Any) -> str:
        """Return the text of a page, which must exist."""
        response = self.client.get(url, query)
        assert response.status_code == 200, (url, response.status_code)
        return str(response.content.decode())

    def ask(self, row: Model | type[Model], act: str, /, **typed: Any) -> HttpResponse:
        """Do an act on a row or from a list: fill in its form and confirm it."""
        return self.client.post(act_url(row, act), {**typed, "do": "1"})

    def do(self, row: Model | type[Model], act: str, /, **typed: Any) -> HttpResponse:
        """Do an act, which must succeed."""
        response = self.ask(row, act, **typed)
        assert response.status_code == 302, text_of(response)
        assert not response["Location"].startswith(reverse("admin:login")), "not signed on"
        return response

    def refused(self, row: Model | type[Model], act: str, code: str, /, **typed: Any) -> str:
        """Do an act, which must be refused with that code."""
        response = self.ask(row, act, **typed)
        assert response.status_code == 200
        assert f"<code>{code}</code>" in response.content.decode(), text_of(response)
        return text_of(response)

    def offers(self, row: Model | type[Model], *acts: str) -> bool:
        """Return whether the page of the row, or the list, may be read and offers one of the acts.

        The page is asked for once, as most of the time of such a test is its rendering.
        """
        page = list_url(row) if isinstance(row, type) else row_url(row)
        response = self.client.get(page)
        if response.status_code == 403:
            return False
        assert response.status_code == 200, (page, response.status_code)
        text = response.content.decode()
        return any(f'href="{act_url(row, act)}"' in text for act in acts)


def list_url(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def row_url(row: Model) -> str:
    return f"{list_url(type(row))}{row.pk}/change/"


def act_url(row: Model | type[Model], act: str) -> str:
    if isinstance(row, type):
        return f"{list_url(row)}{act}/"
    return f"{list_url(type(row))}{row.pk}/{act}/"


def text_of(response: HttpResponse) -> str:
    """Return the text of a page, without scripts and tags."""
    html = re.sub(r"<(script|style).*?</\1>", " ", response.content.decode(), flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@dataclass(frozen=True, slots=True)
class RaceDay:
    """A contest from the first sale to the payment order, with rows in every table."""

    contest: Contest
    point: factories.Point
    settlement: Settlement
    organisers: tuple[StaffActor, StaffActor]


def race_day() -> RaceDay:
    """Sell, void a bet in breach, withdraw a horse, settle, and order payment."""
    first, second = factories.two_organisers()
    contest = factories.contest(state=Contest.State.DRAFT)
    putting_on_sale.contest_publish(by=first, contest=contest, rules=RULES)
    opening = putting_on_sale.contest_open_propose(by=first, contest=contest)
    two_persons.confirm(proposal=opening.uuid, by=second)
    contest.refresh_from_db()
    races, point = factories.races_of(contest), factories.point()
    for number in (1, 2):
        factories.sell(contest, point, [(number,)] * 7)
    out = withdrawals.withdrawal_enter(by=first, race_id=races[0].pk, number=9, source="Vet")
    two_persons.confirm(proposal=out.proposal.uuid, by=second)
    factories.sell(contest, factories.point(), [(3,)] * 7)
    _unauthorise(Ticket.objects.latest("pk").premises)
    begun = factories.time_pass(minutes=119)
    start(races[0], begun)
    factories.time_pass(hours=5)
    for race in races:
        factories.classified(race, [1])
    contest_seal(contest_id=contest.pk)
    factories.prints_ended(contest)
    void = breach.breach_void(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=void.uuid, by=second)
    settlement = contest_settle(contest_id=contest.pk)
    order = payment_order.payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=order.uuid, by=second)
    contest.refresh_from_db()
    return RaceDay(contest, point, settlement, (first, second))


def _unauthorise(place: Premises) -> None:
    """Make the authorisation end before the first sale."""
    for authorisation in place.authorisations.all():
        factories.ended(authorisation, authorisation.valid_from)


def sold_with_code(of: Contest, at: factories.Point) -> tuple[Ticket, str]:
    """Sell a ticket as a terminal does, and return it with the code on its paper."""
    factories.acknowledge(of, at)
    numbers = tuple((1,) for _ in of.offered_masks)
    request = SaleRequest(new_uuid(), of.pk, numbers, of.price_cents, of.price_cents)
    sold = ticket_sell(credentials=at.credentials, request=request)
    assert sold.code
    return Ticket.objects.get(uuid=request.uuid), sold.code.grouped


def as_typed(instant: Any) -> str:
    """Return an instant as a browser sends it: Madrid's time."""
    return str(localtime(instant).strftime("%Y-%m-%dT%H:%M:%S.%f"))


def confirm_pending(kind: str, *roles: Role) -> Desk:
    """Confirm the pending proposal of a kind as a second person, and return that person's desk."""
    desk = Desk(*roles)
    desk.do(Proposal.objects.get(kind=kind, decision=None), "confirm")
    return desk


def logged(desk: Desk, act: str) -> LogEntry:
    """The admin's record of the act: by this person, in this session."""
    entry: LogEntry = LogEntry.objects.latest("pk")
    assert entry.user_id == desk.person.pk
    session = desk.client.session[SESSION_KEY]
    assert act in entry.change_message
    assert f"session {session}" in entry.change_message
    return entry


def confirm_all(by: Desk) -> None:
    """Confirm every proposal that waits."""
    for proposal in Proposal.objects.filter(decision=None):
        by.do(proposal, "confirm")
