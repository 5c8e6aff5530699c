"""The drill `everything`: the whole system is killed on a race day and in its night, and goes on.

In each round terminals sell, print, play and pay; processes, database and broker are killed one by
one at random moments, and then all of them at once. They are started again; every terminal repeats
until it is answered. Workers settle the day, and all dies again in the night. At the end nothing
may be lost, invented or paid twice, every audit is clean, and the night has ended without a hand.

It needs no cluster, and runs in a process of its own: `python -m tests.drills.servers.everything`.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import time as hour
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.server import var_folder
from core.tools.raceday.api import SERVER_CLOCK
from tests.drills.crowd import Goods, paid_at_a_shop
from tests.drills.outcomes import Outcome, counted
from tests.drills.servers.house import House, Terminals, rows, settled, wait_for

if TYPE_CHECKING:
    from lototrot.models.contest import Contest

ROUNDS, TERMINALS = 10, 12
SINGLES = 4
"""Processes or servers that are killed alone in each round, before all are."""
PAUSE_S, NIGHT_S = 1.5, 2.5
"""The longest pause before each death, and after the first job of the night."""
HOUR_S = 5.0
"""After so long without a night the next hour comes, when the beat asks for one."""
GAME = "lap-of-honour"


class Day:
    """One race day of the house after another, with deaths drawn from a seed."""

    def __init__(self, house: House, seed: int, *, terminals: int = TERMINALS) -> None:
        from tests.support import emitting, factories

        self.house, self.random, self.seed = house, Random(seed), seed
        game = emitting.approved(emitting.document(GAME, code=GAME))
        emissions = [emitting.opened(game) for _ in range(2)]
        self._emissions = [(each.pk, each.price_cents) for each in emissions]
        self._points = [factories.point() for _ in range(terminals)]
        self._won: list[tuple[str, int]] = []

    def happens(
        self, outcome: Outcome, *, singles: int = SINGLES, at_night: Sequence[str] = ()
    ) -> Terminals:
        """Sell, be killed, settle, and do the night; count in `outcome` what is wrong.

        So many die alone before everything does. Only those named die `at_night`, by default all.
        """
        contest = self._on_sale()
        terminals = self.house.terminals(
            len(self._points), self.seed, self._goods(contest), self._points
        )
        before = self._rows()
        terminals.bring(self._won)
        terminals.start()
        terminals.wait_sales()
        for name in self._victims(singles):
            self._pause(PAUSE_S)
            self.house.kill(name)
        self._pause(PAUSE_S)
        self.house.lose_power(self.random)
        outcome.first_sales_s.append(self._power_comes(terminals))
        terminals.wait_sales()
        terminals.finish()
        self._settle(contest)
        self._won = _prizes(contest, terminals)
        self._night(outcome, at_night)
        self._judge(outcome, terminals, before)
        outcome.rounds += 1
        return terminals

    def _on_sale(self) -> "Contest":
        """Put a contest on sale in the morning of the next day, of which the terminals hear."""
        from core.database import clock
        from core.kernel.days import morning_after, natural_day
        from tests.support import factories

        factories.time_to(morning_after(natural_day(clock.now()), hour(10)))
        SERVER_CLOCK.hear(clock.now().isoformat())
        contest = factories.contest(factories.meeting(numbers=range(1, 16)))
        for point in self._points:
            factories.acknowledge(contest, point)
        return contest

    def _goods(self, contest: "Contest") -> Goods:
        from tests.bench.parts.sale import Sales

        bodies = Sales(contest, self._points, seed=self.seed)._bodies
        return Goods(bodies, self._emissions)

    def _victims(self, number: int) -> Sequence[str]:
        return self.random.sample(self.house.names, number)

    def _pause(self, longest_s: float) -> None:
        pause_s = self.random.uniform(0, longest_s)  # of the drill's seed
        time.sleep(pause_s)

    def _rows(self) -> dict[str, set[UUID]]:
        with psycopg.connect(self.house.postgres.owner_url) as session:
            return rows(session)

    def _power_comes(self, terminals: Terminals) -> float:
        """Start everything; return after how many seconds the first sale was answered."""
        since = time.monotonic()
        self.house.return_power()
        return float(terminals.first_sale_after(since, 120.0))

    def _settle(self, contest: "Contest") -> None:
        """Run the races of the day. Workers close, seal and settle by themselves; two persons order
        the payment.
        """
        from core.staff import two_persons
        from core.staff.powers import Role
        from lototrot.models.contest import Contest
        from lototrot.services.settlement.payment_order import payment_order_propose
        from tests.support import factories

        races = factories.races_of(contest)
        factories.time_on_to(races[0].scheduled_start_at)
        wait_for("closing", lambda: Contest.objects.get(pk=contest.pk).closed_at)
        factories.time_on_to(races[-1].scheduled_start_at + timedelta(minutes=30))
        for race in races:
            factories.classified(race, [1])
        wait_for("settlement", partial(settled, contest))
        order = payment_order_propose(by=factories.staff(Role.ORGANISER), contest_id=contest.pk)
        two_persons.confirm(proposal=order.uuid, by=factories.staff(Role.ORGANISER))

    def _night(self, outcome: Outcome, victims: Sequence[str]) -> None:
        """Let the day end. They or all die in its night, which then ends without a hand."""
        from core.database import clock
        from core.kernel.days import morning_after, natural_day
        from core.nights.models import JobRun
        from core.nights.services import jobs_due
        from tests.support import factories

        today = natural_day(clock.now())
        factories.time_to(morning_after(today, hour(0, 10)))
        self.house.ask_for_night()
        wait_for("night", JobRun.objects.filter(day=today).exists)
        self._pause(NIGHT_S)
        for name in victims:
            self.house.kill(name)
        if not victims:
            self.house.lose_power(self.random)
            self.house.return_power()
        asked = [time.monotonic()]

        def ended() -> bool:
            if JobRun.objects.filter(state=JobRun.State.RUNNING).exists():
                asked[0] = time.monotonic()
            elif jobs_due() and time.monotonic() > asked[0] + HOUR_S:
                outcome.figures["hours"] = outcome.figures.get("hours", 0) + 1
                asked[0] = time.monotonic()
                self.house.ask_for_night()
            return not jobs_due()

        wait_for("end of the night", ended)

    def _judge(self, outcome: Outcome, terminals: Terminals, before: dict[str, set[UUID]]) -> None:
        """Compare answers with rows; audit books, settlements, seals, statements and journal."""
        from django.core.management import CommandError, call_command

        from core.nights.models import JobFailure
        from core.nights.services import CUT_OFF

        lost, invented, twice = self.house.faults(terminals, before)
        outcome.lost += lost + twice
        outcome.invented += invented
        if lost or invented or twice:
            outcome.notes.append(f"{lost} acts lost, {invented} invented, {twice} twice or halves")
        if unexpected := terminals.answers.refused.keys() - {"already_paid"}:
            outcome.lost += 1
            outcome.notes.append(f"refused: {counted(terminals.answers.refused)}; {unexpected}")
        for fault in JobFailure.objects.exclude(error=CUT_OFF):
            outcome.notes.append(f"{fault.run.job}: {fault.error}"[:300])
            outcome.lost += 1
        output = StringIO()
        try:
            call_command("audit", stdout=output)
        except CommandError as fault:
            outcome.lost += 1
            outcome.notes.append(f"audit: {fault}; {output.getvalue()[-600:]}")
        acts = sum(len(each) for each in terminals.answers.answered.values())
        for name, figure in {
            "acts": acts,
            "repeated": terminals.answers.faults.total(),
            "refused_second_payments": terminals.answers.refused["already_paid"],
            "jobs_cut_off": JobFailure.objects.filter(error=CUT_OFF).count(),
        }.items():
            outcome.figures[name] = outcome.figures.get(name, 0) + figure


def _prizes(contest: "Contest", terminals: Terminals) -> list[tuple[str, int]]:
    """Return the codes of the tickets that won what a shop pays, with their cents."""
    from lototrot.models.settlement import Prize

    won = Prize.objects.filter(settlement__contest=contest, prize_cents__gt=0).values_list(
        "ticket__uuid", "prize_cents"
    )
    return [(terminals.codes[ident], cents) for ident, cents in won if paid_at_a_shop(cents)]


def drilled(folder: Path, rounds: int, seed: int) -> Outcome:
    """Do the rounds on a system of its own; return what was lost."""
    from tests.drills.servers.moving import set_up

    outcome = Outcome()
    postgres = Postgres(folder / "postgres")
    postgres.start()
    set_up(postgres)
    from django.core.management import call_command

    call_command("migrate", database="owner", interactive=False, verbosity=0)
    with House(folder, postgres, {"VAR_DIR": str(folder)}) as house:
        day = Day(house, seed)
        for number in range(rounds):
            day.happens(outcome)
            print(f"round {number + 1}: {asdict(outcome)}", flush=True)
    outcome.notes.append(f"killed: {counted(house.died)}")
    outcome.passed = outcome.rounds == rounds and not (outcome.lost or outcome.invented)
    return outcome


def main() -> None:
    """Do the drill, and print its outcome as JSON in the last line."""
    folder = var_folder() / "everything"
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    seed = int(os.environ.get("SEED") or time.time())
    rounds = int(os.environ.get("ROUNDS") or ROUNDS)
    print(json.dumps(asdict(drilled(folder, rounds, seed))))


if __name__ == "__main__":
    main()
