"""Serve the players of a season: pay, present, take deposits, and rule on them."""

import dataclasses
import uuid
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from core.kernel.errors import DomainError
from core.payoffice.services import deposits, desk, paying, presenting, ruling
from core.payoffice.services.deposits import DepositRequest
from core.payoffice.services.matching import deposit_match
from core.payoffice.services.paying import PayRequest
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot.services.office.handing import handover_propose
from promotrot.services.vouchers import voucher_original, voucher_print_confirm
from tests.support import paying as given
from tests.support.season.moments import Moment
from tests.support.season.replay import request_uuid
from tests.support.season.state import Season, at

UP_TO_ESTABLISHMENTS_CENTS = 30_000
CASH_UP_TO_CENTS = 100_000


@dataclass
class Held:
    """A ticket that is held, and the day after which two persons decide about it.

    `deposit` is None for a blocked one. An unreadable one is identified on `identified_on`.
    """

    ident: str
    after: date
    deposit: uuid.UUID | None
    identified_on: date | None = None


@dataclass
class Office(Season):
    """Pay the players, and decide about what they deposit."""

    held: list[Held] = field(default_factory=list)

    # --- Players ----------------------------------------------------------------------------------

    def claims(self, day: date) -> None:
        """Serve the players who come today."""
        at(day, 9)
        self._sign_on()
        coming = [ident for when, ident in self.due if when <= day]
        self.due = [(when, ident) for when, ident in self.due if when > day]
        for ident in coming:
            self._comes_to_claim(ident, day)
        for held in [held for held in self.held if held.identified_on == day]:
            self.identify(held)
        for held in [held for held in self.held if held.after < day and not held.identified_on]:
            self.held.remove(held)
            self._rule(held, day)

    def _comes_to_claim(self, ident: str, day: date) -> None:
        """Claim as a player. The refusal of a claim that the auditors allow is a lost right."""
        voucher = self.papers[ident].voucher
        allowed = (self.instants if voucher else self.auditor).may_claim(ident, day)
        if allowed:
            self.rights.claimed(ident, day)
        try:
            (self._claim_voucher if voucher else self._claim_ticket)(ident, day)
        except DomainError as refusal:
            self.count("refused at the counter")
            if allowed:
                self.rights.became(ident, f"refused: {refusal.code}")
                self.incident(f"RIGHT LOST: {refusal.code}")

    def _claim_ticket(self, ident: str, day: date) -> None:
        ticket, chance = self.auditor.tickets[ident], self.rng.random()
        point = self.rng.choice(self.points)
        if ticket.claim or ticket.state == "refund" or chance < 0.85:
            self.pay(ident, day)
        elif self.run_incidents(Moment.CLAIM, ident):
            return
        elif chance < 0.93:
            self.deposit(ident)
        else:
            presenting.presentation_make(at=point.actor, code=self.papers[ident].code)
            self.auditor.presented(ident)
            self.due.append((day + timedelta(days=self.rng.choice((1, 40))), ident))
            self.count("presented")

    def deposit(self, ident: str) -> None:
        """Take in a torn ticket whose code can be read."""
        receipt = request_uuid()
        deposits.deposit_take(
            at=self.rng.choice(self.points).actor,
            request=DepositRequest(receipt, "damaged", "torn", code=self.papers[ident].code),
        )
        self.auditor.deposited(ident)
        self.held.append(Held(ident, self.last_claim_day(ident), receipt))
        self.count("deposited")

    def last_claim_day(self, ident: str) -> date:
        """Return the last day to claim; a far one while the payment is not ordered yet."""
        meeting = self.auditor.meetings[self.auditor.tickets[ident].contest]
        return meeting.last_claim_day or date.max

    def _claim_voucher(self, ident: str, day: date) -> None:
        """Pay a voucher. Without its paper the player asks where it may be had."""
        paper = self.papers[ident]
        if not paper.code:
            self._have_paper(ident, day)
        self.pay(ident, day)

    def _have_paper(self, ident: str, day: date) -> None:
        """Get a voucher that did not come out: at its terminal until noon, then at the office."""
        paper, voucher = self.papers[ident], uuid.UUID(ident)
        issuer = next((p for p in self.points if p.premises.pk == paper.premises), None)
        soon = self.instants.vouchers[ident].last_day - timedelta(days=29) == day
        if issuer and soon and self.happens(0.5):
            try:
                seller = dataclasses.replace(issuer.bare, operator_id=issuer.operator.pk)
                _, issued = voucher_original(by=seller, ident=voucher)
            except DomainError:  # it is held: it never was to be printed at a terminal
                self.count("sent to the office")
            else:
                assert issued.code is not None
                paper.code = issued.code.grouped
                voucher_print_confirm(by=issuer.bare, ident=voucher)
                self.count("printed in the morning")
                return
        at(day, 12, 1)
        # Who hands over does not pay: the other cashier does it.
        proposal = handover_propose(by=self.second, ident=voucher, claim="receipt of the play")
        two_persons.confirm(proposal=proposal.uuid, by=self.staff(Role.SUPERVISOR))
        _, issued = voucher_original(by=self.second, ident=voucher)
        assert issued.code is not None
        paper.code = issued.code.grouped
        voucher_print_confirm(by=self.second, ident=voucher)
        self.count("handed over")

    def pay(self, ident: str, day: date, deposit: uuid.UUID | None = None) -> None:
        paper = self.papers[ident]
        owed = self.instants.vouchers[ident] if paper.voucher else self.auditor.tickets[ident]
        cents = owed.cents if paper.voucher else self.auditor.tickets[ident].owed_cents
        asked: dict[str, Any] = {"uuid": request_uuid(), "amount_cents": cents, "intact": True}
        asked |= {"deposit": deposit} if deposit else {"code": paper.code}
        paid = (self.instants if paper.voucher else self.auditor).paid
        at_premises = cents < UP_TO_ESTABLISHMENTS_CENTS and self.happens(0.8)
        if at_premises and deposit is None:  # against a receipt an office alone pays (10.5)
            point = self.rng.choice(self.points)
            request = PayRequest(**asked)
            paying.payment_make(at=point.actor, request=request)
            if self.happens(0.1):
                paying.payment_make(at=point.actor, request=request)
            paid(ident, f"premises:{point.premises.pk}", day)
        else:
            by_cheque = cents > CASH_UP_TO_CENTS
            request = PayRequest(**asked, payee=given.MARIA if by_cheque else None)
            outcome = desk.desk_pay(by=self.cashier, request=request)
            if isinstance(outcome, Proposal):
                two_persons.confirm(proposal=outcome.uuid, by=self.second)
            paid(ident, "cheques" if by_cheque else self.session, day)
        self.count("paid")

    # --- What is held -----------------------------------------------------------------------------

    def identify(self, held: Held) -> None:
        """Find in the records which ticket an unreadable deposit is [C8]."""
        assert held.deposit is not None
        deposit_match(
            by=self.staff(Role.SUPERVISOR),
            deposit=held.deposit,
            game="lototrot",
            document=uuid.UUID(held.ident),
            evidence="Sold there at that time",
        )
        held.identified_on = None
        bearer = self.auditor.identified(held.ident)
        self.incident(f"unreadable deposit, paid from {bearer}")

    def _rule(self, held: Held, day: date) -> None:
        first, second = self.two(Role.SUPERVISOR)
        granted = self.happens(0.5)
        subject: dict[str, Any] = {"deposit": held.deposit}
        if held.deposit is None:
            subject = {"game": "lototrot", "document": uuid.UUID(held.ident)}
        proposal = ruling.ruling_propose(
            by=first, reason="Checked", verdict="granted" if granted else "refused", **subject
        )
        two_persons.confirm(proposal=proposal.uuid, by=second)
        if granted:
            self.auditor.granted(held.ident)
            self.pay(held.ident, day, held.deposit)
        else:
            self.auditor.refused(held.ident, day)
            self.count("refused")

    def unreadable(self, ident: str, *, identified_on: date) -> None:
        """Take in a ticket whose code cannot be read."""
        receipt, point = request_uuid(), self.rng.choice(self.points)
        deposits.deposit_take(
            at=point.actor, request=DepositRequest(receipt, "unreadable", "washed")
        )
        self.rights.became(ident, "held")
        self.held.append(Held(ident, self.last_claim_day(ident), receipt, identified_on))

    def two_confirm(self, proposal: Proposal, role: Role) -> None:
        """Confirm, as the second person in a role, the proposal of the first."""
        two_persons.confirm(proposal=proposal.uuid, by=self.staff(role, 2))
