"""The demonstration in chapters, told in order through the public API.

An app tells its chapters in `raceday/chapters.py`, in the constant `CHAPTERS`. Anything that does
not turn out as it must raises an error, and the command exits non-zero. After every chapter the
trial balance is zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any, TypeVar

from core.contributions import contributed_items
from core.tools.raceday import show
from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.books import account_in_words
from core.tools.raceday.people import (
    STAFF,
    Seller,
    Staff,
    administrators_enter,
    sellers_open,
    staff_open,
)

T = TypeVar("T")
_NIGHT_WITHIN_S = 120
_WORK_WITHIN_S = 300
_BUSY = ("night_running", "not_quiet")
_FIRST = "org1"
"""The organiser who moves simulated time; the first account that is opened."""


class Amiss(Exception):
    """A step of the demonstration has another result than it must."""


def need(holds: bool, otherwise: str) -> None:
    """Raise Amiss with the text unless the condition holds."""
    if not holds:
        raise Amiss(otherwise)


def wait_for(
    look: Callable[[], T | None], what: str, *, within_s: float, every_s: float = 0.1
) -> T:
    """Repeat a look-up until its answer is not None. Raise Amiss when the time is over."""
    deadline = monotonic() + within_s
    while (answer := look()) is None:
        need(monotonic() < deadline, f"{what} did not come within {within_s:.0f} s")
        sleep(every_s)
    return answer


@dataclass(slots=True)
class Stage:
    """The system, its people, and what a chapter leaves for later ones (`kept`, by name)."""

    api: Api
    environment: Mapping[str, str]
    staff: Staff
    sellers: list[Seller] = field(default_factory=list)
    pin: str = ""
    kept: dict[str, Any] = field(default_factory=dict)

    def move_to(self, instant: datetime, why: str) -> None:
        """Move simulated time forward; a system already past that instant stays where it is."""
        try:
            self.staff[_FIRST].post("clock", {"now": instant.isoformat(), "reason": why})
        except ApiProblem as problem:
            if problem.code != "clock_backwards":
                raise

    def now(self) -> datetime:
        """Return the system's time."""
        return datetime.fromisoformat(self.api.get("clock")["now"])

    def nights(self) -> int:
        """Run the jobs of ended days in a worker; return how many. Raise Amiss if one failed.

        If the beat is running them already, ask again until it has ended.
        """
        deadline = monotonic() + _NIGHT_WITHIN_S
        while True:
            work = self._ended(self.staff[_FIRST].post("nights", {}))
            if work["fault"] not in _BUSY or monotonic() > deadline:
                break
            sleep(0.2)
        for run in work["fault_data"].get("jobs", ()):
            raise Amiss(f"{run['job']} of {run['day']} failed: {run['error']}")
        need(work["state"] == "done", f"the nights were not run: {work['fault']}")
        return int(work["result"]["jobs"])

    def _ended(self, work: dict[str, Any]) -> dict[str, Any]:
        """Return long work as it is when it has ended."""

        def look() -> dict[str, Any] | None:
            now: dict[str, Any] = self.staff[_FIRST].get(f"long-work/{work['id']}")
            return None if now["state"] in ("waiting", "running") else now

        return wait_for(look, "the end of the long work", within_s=_WORK_WITHIN_S, every_s=0.2)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the story. Chapters are told by `order`.

    `begins_at` returns the simulated time at which the story must begin for it.
    """

    order: int
    title: str
    tell: Callable[[Stage], None]
    begins_at: Callable[[], datetime] | None = None


def chapters() -> list[Chapter]:
    """Return the chapters of all apps in their order."""
    contributed = contributed_items("raceday.chapters", "CHAPTERS")
    return sorted(contributed, key=lambda chapter: (chapter.order, chapter.title))


def play(
    base_url: str, sales_url: str, environment: Mapping[str, str]
) -> tuple[Stage, list[tuple[str, float]]]:
    """Tell all chapters; terminals ask at `sales_url`.

    Return the stage as they leave it, and the seconds of each by title.
    """
    story = chapters()
    took: list[tuple[str, float]] = []
    began = monotonic()
    api = Api(base_url, sales_url=sales_url)
    stage = _prepared(api, environment, [c.begins_at() for c in story if c.begins_at])
    took.append(("People and places", monotonic() - began))
    for chapter in story:
        began = monotonic()
        chapter.tell(stage)
        _need_balance(stage)
        took.append((chapter.title, monotonic() - began))
    began = monotonic()
    show.heading("The books at the end")
    stage.nights()  # of the days over which the last chapters jumped
    _books(stage)
    took.append(("The books at the end", monotonic() - began))
    return stage, took


def _prepared(api: Api, environment: Mapping[str, str], mornings: list[datetime]) -> Stage:
    """Open accounts, move time to the first morning, and enrol the terminals.

    Accounts are opened a day and more before: until then nobody of theirs is a second person.
    """
    show.heading("People and places")
    stage = Stage(api, environment, Staff(api))
    administrators_enter(stage.staff, environment)
    staff_open(stage.staff, STAFF)
    morning = min(mornings)
    stage.move_to(max(morning, stage.now() + timedelta(days=1)), "race day demonstration")
    show.step(f"{len(STAFF)} people and two administrators signed on, each with a one-time code")
    show.doing("registering places and terminals")
    since = (morning - timedelta(days=30)).isoformat()
    stage.sellers, stage.pin = sellers_open(
        stage.staff[_FIRST], stage.staff["org2"], since, show.note
    )
    show.step(f"{len(stage.sellers)} terminals are enrolled and their operators signed on")
    return stage


def _need_balance(stage: Stage) -> None:
    balance = stage.staff["aud1"].get("ledger/trial-balance")
    need(balance["difference_cents"] == 0, "the trial balance is not zero")
    show.step("The books balance: debits and credits are equal")


def _books(stage: Stage) -> None:
    """Print every account with a balance; the premises' accounts as one line."""
    accounts = list(stage.staff["aud1"].pages("ledger/accounts", limit=200))
    of_premises = [a["balance_cents"] for a in accounts if a["code"].startswith("premises:")]
    rows = [
        (account_in_words(a["code"]), show.euros(a["balance_cents"]))
        for a in accounts
        if a["balance_cents"] and not a["code"].startswith("premises:")
    ]
    rows.append((f"{len(of_premises)} accounts of premises", show.euros(sum(of_premises))))
    show.table(("account", "balance"), rows)
    balance = stage.staff["aud1"].get("ledger/trial-balance")
    show.step(
        f"Trial balance: debits {show.euros(balance['debit_cents'])},"
        f" credits {show.euros(balance['credit_cents'])},"
        f" difference {show.euros(balance['difference_cents'])}"
    )
