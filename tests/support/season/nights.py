"""Run the nights and weeks of a season, and compare every account with the auditors' books."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from core.ledger.services import Balance, balances
from core.nights.services import last_day, night_run
from core.staff.powers import Role
from core.statements.balances import outstanding_cents
from core.statements.models import Statement
from lototrot.models.contest import Contest
from tests.support.season.instant import Instants
from tests.support.season.state import today
from tests.support.stating import remitted


@dataclass
class Nights(Instants):
    """Close the days, settle the weeks, compare the books."""

    audited: date | None = None
    cents_apart: int = 0

    def night(self) -> None:
        """Run the nights that are due, and the auditors' nights."""
        runs = night_run()
        failed = [(run.job, run.error) for run in runs if run.state != "done"]
        assert not failed, failed
        self.audit_nights()

    def audit_nights(self) -> None:
        """Let the auditors run their nights up to the last day that ended."""
        self.see_night()
        day = self.audited or self.begins - timedelta(days=1)
        while day < last_day():
            day += timedelta(days=1)
            self.auditor.night(day)
            self.instants.night(day)
            self.books.night(day)
        self.audited = day

    def remit(self) -> None:
        """Let some premises pay their last statement."""
        by = self.staff(Role.ORGANISER)
        for point in self.points:
            last = Statement.objects.filter(premises=point.premises).order_by("-number").first()
            owed = outstanding_cents(last) if last else 0
            if last is None or owed == 0 or self.happens(0.3):
                continue
            cents = owed if abs(owed) < 3 or self.happens(0.8) else owed // 2
            remitted(by, last, cents, last.week_to, f"TRF {secrets.token_hex(4)}")
            self.books.remitted(str(point.premises.pk), cents, today())
            self.count("remitted")

    # --- Comparing --------------------------------------------------------------------------------

    def compare(self) -> None:
        """Compare every account of the system with the auditors' books, to the cent."""
        cents_by_name = self._balances()
        expected: dict[str, int] = dict(self.books.accounts)
        expected["lapsing"] = sum(self.auditor.carried_over.values())
        differing = {
            name: (cents_by_name.get(name, 0), expected.get(name, 0))
            for name in sorted({*cents_by_name, *expected})
            if cents_by_name.get(name, 0) != expected.get(name, 0)
        }
        self.cents_apart = sum(abs(system - auditor) for system, auditor in differing.values())
        assert not differing, f"account: (system, auditor): {differing}"

    def statements_differ(self) -> Iterable[tuple[str, date]]:
        """Return the premises and weeks whose statement is not the auditor's."""
        stated = {(str(s.premises_id), s.week_to): s.closing_cents for s in Statement.objects.all()}
        assert len(stated) >= len(self.points)
        books = self.books.statements
        return [key for key, cents in stated.items() if books.get(key, 0) != cents]

    def _balances(self) -> dict[str, int]:
        """Return the system's balances under the auditors' names; lapsed prizes are one sum."""
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
            case ["lototrot", "season", "ended", _]:
                return "ended"
            case ["lototrot", "season", fund]:
                return fund
            case ["lototrot", "organiser", part]:
                return f"organiser:{part}"
            case ["payoffice", "cheques"]:
                return "cheques"
            case _:
                return code
