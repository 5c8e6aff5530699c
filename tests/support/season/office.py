"""Serve the players of a season, run its nights and weeks, and compare every account."""

import secrets
import uuid
from datetime import date, timedelta
from typing import Any

from core.database import clock
from core.kernel.days import natural_day
from core.ledger.services import Balance, balances
from core.nights.services import last_day, night_run
from core.payoffice.services import deposits, desk, paying, presenting
from core.payoffice.services.deposits import DepositRequest
from core.payoffice.services.paying import PayRequest
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements.models import Statement
from core.statements.services import outstanding_cents, statement_settle
from lototrot.models.contest import Contest
from tests.support import factories
from tests.support import paying as given
from tests.support.season.state import Season, at


class Office(Season):
    """Pay the players, close the days and settle the weeks."""

    # --- Players ----------------------------------------------------------------------------------

    def claims(self, day: date) -> None:
        """Serve the players who come today."""
        at(day, 9)
        self._sign_on()
        today = [ident for when, ident in self.due if when <= day]
        self.due = [(when, ident) for when, ident in self.due if when > day]
        for ident in today:
            self._claim(ident, day)
        for when, ident, deposit in list(self.deposited):
            if when < day:
                self.deposited.remove((when, ident, deposit))
                self._rule(ident, deposit, day)

    def _claim(self, ident: str, day: date) -> None:
        ticket, chance = self.auditor.tickets[ident], self.rng.random()
        point = self.rng.choice(self.points)
        if ticket.state == "refund" or chance < 0.85:
            self.pay(ident)
        elif chance < 0.93:
            deposit = uuid.uuid4()
            deposits.deposit_take(
                at=point.actor,
                request=DepositRequest(deposit, "damaged", "torn", code=self.papers[ident].code),
            )
            self.auditor.deposited(ident)
            last = self.auditor.meetings[ticket.contest].last_claim_day
            assert last is not None
            self.deposited.append((last, ident, deposit))
            self.count("deposited")
        else:
            presenting.presentation_make(at=point.actor, code=self.papers[ident].code)
            self.auditor.presented(ident)
            self.due.append((day + timedelta(days=self.rng.choice((1, 40))), ident))
            self.count("presented")

    def pay(self, ident: str, deposit: uuid.UUID | None = None) -> None:
        ticket, day = self.auditor.tickets[ident], natural_day(clock.now())
        cents = ticket.cents if ticket.state == "refund" else ticket.prize_cents
        asked: dict[str, Any] = {"uuid": uuid.uuid4(), "amount_cents": cents, "intact": True}
        asked |= {"deposit": deposit} if deposit else {"code": self.papers[ident].code}
        if cents < 30_000 and self.rng.random() < 0.8:
            point = self.rng.choice(self.points)
            request = PayRequest(**asked)
            paying.payment_make(at=point.actor, request=request)
            if self.rng.random() < 0.1:
                paying.payment_make(at=point.actor, request=request)
            self.auditor.paid(ident, f"premises:{point.premises.pk}", day)
        else:
            by_cheque = cents > 100_000
            request = PayRequest(**asked, payee=given.MARIA if by_cheque else None)
            outcome = desk.desk_pay(by=self.cashier, request=request)
            if isinstance(outcome, Proposal):
                two_persons.confirm(proposal=outcome.uuid, by=self.second)
            self.auditor.paid(ident, "cheques" if by_cheque else self.session, day)
        self.count("paid")

    def _rule(self, ident: str, deposit: uuid.UUID, day: date) -> None:
        first, second = factories.staff(Role.SUPERVISOR), factories.staff(Role.SUPERVISOR)
        granted = self.rng.random() < 0.5
        proposal = deposits.ruling_propose(
            by=first, deposit=deposit, reason="Checked", verdict="granted" if granted else "refused"
        )
        two_persons.confirm(proposal=proposal.uuid, by=second)
        if granted:
            self.auditor.granted(ident)
            self.pay(ident, deposit)
        else:
            self.auditor.refused(ident, day)
            self.count("refused")

    # --- Nights and weeks -------------------------------------------------------------------------

    def night(self) -> None:
        """Run the nights that are due, and the auditor's nights."""
        runs = night_run()
        failed = [(run.job, run.error) for run in runs if run.state != "done"]
        assert not failed, failed
        self.audit_nights()

    def audit_nights(self) -> None:
        """Let the auditor run its nights up to the last day that ended."""
        day = getattr(self, "_audited", self.begins - timedelta(days=1))
        while day < last_day():
            day += timedelta(days=1)
            self.auditor.night(day)
        self._audited = day

    def remit(self) -> None:
        """Let some premises pay their last statement."""
        by = factories.staff(Role.ORGANISER)
        for point in self.points:
            last = Statement.objects.filter(premises=point.premises).order_by("-number").first()
            owed = outstanding_cents(last) if last else 0
            if last is None or owed == 0 or self.rng.random() < 0.3:
                continue
            cents = owed if abs(owed) < 3 or self.rng.random() < 0.8 else owed // 2
            statement_settle(
                by=by,
                statement=last.uuid,
                amount_cents=cents,
                paid_on=last.week_to,
                reference=f"TRF {secrets.token_hex(4)}",
            )
            self.auditor.remitted(str(point.premises.pk), cents, natural_day(clock.now()))
            self.count("remitted")

    # --- Comparing --------------------------------------------------------------------------------

    def compare(self) -> None:
        """Compare every account of the system with the auditor's books, to the cent."""
        books, cents_by_name = self.auditor.books, self._balances()
        expected: dict[str, int] = {}
        for name, cents in books.items():
            expected[name] = expected.get(name, 0) + cents
        expected["lapsing"] = sum(self.auditor.carried_over.values())
        differing = {
            name: (cents_by_name.get(name, 0), expected.get(name, 0))
            for name in sorted({*cents_by_name, *expected})
            if cents_by_name.get(name, 0) != expected.get(name, 0)
        }
        assert not differing, f"account: (system, auditor): {differing}"

    def _balances(self) -> dict[str, int]:
        """Return the system's balances under the auditor's names; lapsed prizes are one sum."""
        takings = dict(Contest.objects.values_list("takings_account__code", "pk").order_by("pk"))
        cents_by_name: dict[str, int] = {}
        for balance in balances():
            name = self._name(balance, takings)
            cents_by_name[name] = cents_by_name.get(name, 0) + balance.cents
        return cents_by_name

    @staticmethod
    def _name(balance: Balance, takings: dict[str, int]) -> str:
        code = balance.code
        if code in takings:
            return f"takings:{takings[code]}"
        if code.startswith("premises:"):
            return code
        parts = code.split(":")
        match parts:
            case ["lototrot", "contest", contest, "lapsed"]:
                return "lapsing" if contest else code
            case ["lototrot", "contest", contest, what]:
                return f"{what}:{contest}"
            case ["lototrot", "season", "carry_over", _]:
                return "lapsing"
            case ["lototrot", "season", fund]:
                return fund
            case ["lototrot", "organiser", part]:
                return f"organiser:{part}"
            case ["payoffice", "cheques"]:
                return "cheques"
            case _:
                return code
