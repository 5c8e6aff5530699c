"""Make games of Promotrot that ended owing prizes, and draw what they owe."""

from core.database import clock
from core.draws.models import Draw
from core.kernel.days import add_days
from core.ledger.services import balance_cents
from core.nights.jobs import all_jobs
from core.nights.models import JobRun
from core.nights.services import last_day, night_run
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.game import Game
from promotrot.models.voucher import Voucher
from promotrot.services.debts.ending import game_end_propose
from tests.support import emitting, factories

_OF_DEBTS = {"work.due", "claims.lapse", "promotrot.debts"}


def owing(cents: int) -> Game:
    """Return a game whose only emission sold that many losing tickets at 1.00 and owes 70 % of
    it.
    """
    tickets = cents // 70
    seed = emitting.seed_where("small/1", lambda tiers: not any(tiers[:tickets]))
    with emitting.seeded(seed):
        emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, tickets)
    return emitting.closed(emission).game


def ended(cents: int, winners: int = 1) -> Game:
    """Return a game that has ended and owes so much, with its draw announced."""
    game = owing(cents)
    factories.central_office()
    emitting.both(game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=winners))
    return game


def drawn(game: Game) -> list[Voucher]:
    """Hold the announced draw of the game; return its vouchers."""
    factories.witnessed(Draw.objects.get(subject=f"{game.code}:{game.debt_draws.count()}"))
    return list(Voucher.objects.filter(debt_draw__game=game).order_by("pk"))


def nobody_comes(*, whole_night: bool = False) -> None:
    """Let the last day to claim pass, and the night after it; the nights before it did nothing.

    Of that night only the jobs that change debts are left to do, unless the whole is asked for.
    """
    factories.time_pass(days=31)
    now, night = clock.now(), last_day()
    eve = add_days(night, -1)
    left = {job.name for job in all_jobs() if whole_night or job.name in _OF_DEBTS}
    JobRun.objects.bulk_create(
        JobRun(
            job=job.name,
            day=eve if job.name in left else night,
            state=JobRun.State.DONE,
            started_at=now,
            ended_at=now,
        )
        for job in all_jobs()
    )
    assert {run.job for run in night_run()} >= _OF_DEBTS


def owed_cents(game: Game) -> int:
    return balance_cents(accounts.prizes(game.code))
