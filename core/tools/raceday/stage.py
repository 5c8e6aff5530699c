"""The demonstration as chapters: each app tells its own, in order, through the public API.

Anything that does not turn out as it must raises, and the command exits non-zero. After every
chapter the trial balance is zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any

from core.contributions import contributed_items
from core.tools.raceday import show
from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.people import Seller, Staff, administrator_create, sellers_open, staff_open

_NIGHT_WITHIN_S = 120


class Amiss(Exception):
    """Something did not turn out as it must."""


def need(holds: bool, what: str) -> None:
    """Raise Amiss unless it holds."""
    if not holds:
        raise Amiss(what)


@dataclass(slots=True)
class Stage:
    """Who is there, and what earlier chapters left for later ones (`kept`, by name)."""

    api: Api
    environment: Mapping[str, str]
    staff: Staff
    sellers: list[Seller]
    pin: str
    kept: dict[str, Any] = field(default_factory=dict)

    def move_to(self, instant: datetime, why: str) -> None:
        """Move simulated time; a system already past that instant stays where it is."""
        try:
            self.staff["org1"].post("clock", {"now": instant.isoformat(), "reason": why})
        except ApiProblem as problem:
            if problem.code != "clock_backwards":
                raise

    def another_day(self, instant: datetime, why: str) -> None:
        """Time jumps over the end of every session: all sign on anew."""
        self.move_to(instant, why)
        self.staff = self.staff.again()
        for seller in self.sellers:
            seller.sign_on(self.pin)

    def now(self) -> datetime:
        """The system's time."""
        return datetime.fromisoformat(self.api.get("clock")["now"])

    def nights(self) -> list[dict[str, Any]]:
        """Have the jobs of ended days done; what was done now. One that failed is amiss.

        The beat may be at it at this very minute: then it is asked again.
        """
        deadline = monotonic() + _NIGHT_WITHIN_S
        while True:
            try:
                runs: list[dict[str, Any]] = self.staff["org1"].post("nights", {})["items"]
                break
            except ApiProblem as problem:
                if problem.code not in ("night_running", "not_quiet") or monotonic() > deadline:
                    raise
                sleep(0.5)
        for run in runs:
            need(run["state"] == "done", f"{run['job']} of {run['day']} failed: {run['error']}")
        return runs


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the demonstration. Apps list theirs as `CHAPTERS` in `raceday/chapters.py`.

    Chapters are told by `order`. Simulated time first moves to the earliest `begins()`.
    """

    order: int
    title: str
    tell: Callable[[Stage], None]
    begins: Callable[[], datetime] | None = None


def chapters() -> list[Chapter]:
    """Return the chapters of all apps by their order, then by title."""
    found = contributed_items("raceday.chapters", "CHAPTERS")
    return sorted(found, key=lambda chapter: (chapter.order, chapter.title))


def play(base_url: str, environment: Mapping[str, str]) -> Stage:
    """Tell all chapters; what is then there, for who wants to look round."""
    api = Api(base_url)
    staff = staff_open(api, administrator_create(environment))
    stage = Stage(api, environment, staff, [], "")
    morning = min(chapter.begins() for chapter in chapters() if chapter.begins)
    stage.move_to(morning, "race day demonstration")
    stage.staff = staff.again()
    show.heading("People and places")
    since = (morning - timedelta(days=30)).isoformat()
    stage.sellers, stage.pin = sellers_open(api, stage.staff["org1"], since)
    show.step(f"{len(stage.sellers)} terminals enrolled, their operators signed on")
    for chapter in chapters():
        chapter.tell(stage)
        _need_balance(stage, chapter.title)
    stage.nights()  # of the days over which the last chapters jumped
    _books(stage)
    return stage


def _need_balance(stage: Stage, after: str) -> None:
    balance = stage.staff["aud1"].get("ledger/trial-balance")
    need(balance["difference_cents"] == 0, f"after {after} the trial balance is not zero")
    show.step(f"trial balance after {after}: 0.00 €")


def _books(stage: Stage) -> None:
    show.heading("Books")
    accounts = list(stage.staff["aud1"].pages("ledger/accounts", limit=200))
    show.table(
        ("account", "balance"),
        [
            (a["code"], show.euros(a["balance_cents"]))
            for a in accounts
            if a["balance_cents"] and not a["code"].startswith("premises:")
        ],
    )
    balance = stage.staff["aud1"].get("ledger/trial-balance")
    show.step(
        f"trial balance: debit {show.euros(balance['debit_cents'])},"
        f" credit {show.euros(balance['credit_cents'])},"
        f" difference {show.euros(balance['difference_cents'])}"
    )
