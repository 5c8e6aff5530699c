"""Histories of the true system are explained; of each planted fault one is not.

`make histories` plays HISTORIES seeds on each ground and every fault, and writes docs/histories.md;
`make test` a few seeds, and the faults that are found at once.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from types import ModuleType

import pytest

from core.tools.embedded.server import ROOT
from tests.histories import drawing, paying, selling
from tests.histories.checker import fault_in_words
from tests.histories.clients import Played, endings
from tests.histories.planted import FAULTS, Fault
from tests.support.databases import Database

SEEDS = int(os.environ.get("HISTORIES", "0"))
FEW, MOST = 2, 200
ENOUGH = 50
"""Seeds in which all that can happen does."""
AT_ONCE = ("seal-lock", "claim-kept", "draw-lock")
HAPPENS = {
    selling: {
        *("sold", "contest_closed", "sales_stopped", "annulled", "ticket_unknown", "closed"),
        *("was_closed", "stopped", "confirmed", "rejected", "proposal_decided", "sealed"),
        *("settled", "read"),
    },
    paying: {
        *("paid", "already_paid", "claim_lapsed", "presented", "prize", "lapsed"),
        *("not_yet_over", "read"),
    },
    drawing: {
        *("committed", "drawn", "entropy_given", "entropy_too_early", "certified"),
        *("draw_not_drawn", "read"),
    },
}
"""The grounds, with answers that many seeds give."""
PAGE = ROOT / "docs" / "histories.md"
_serial = count(1)


def name_of(ground: ModuleType) -> str:
    return ground.__name__.rpartition(".")[2]


@dataclass(slots=True)
class Figures:
    """The seed that found each fault, and the acts on each ground of the true system."""

    found: dict[str, int] = field(default_factory=dict)
    acts: dict[str, Counter[str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def figures() -> Iterator[Figures]:
    """The figures of this run. A whole run writes the page at its end."""
    gathered = Figures()
    yield gathered
    if SEEDS and len(gathered.found) == len(FAULTS) and len(gathered.acts) == len(HAPPENS):
        PAGE.write_text(page(gathered))


def unexplained(played: Played) -> str:
    """Return why the history cannot be, empty if some order explains it."""
    for name, (model, acts) in played.objects.items():
        if words := fault_in_words(model, acts, name):
            return words
    return ""


@pytest.mark.article("14.III.1.4", "14.III.4", "14.III.5.4.4", "14.III.10.4", "14.III.10.7")
@pytest.mark.parametrize("ground", HAPPENS, ids=name_of)
def test_what_is_answered_under_faults_has_an_order(
    own_database: Database, figures: Figures, ground: ModuleType
) -> None:
    answers = figures.acts[name_of(ground)] = Counter()
    with endings(own_database) as ending:
        for seed in range(1, (SEEDS or FEW) + 1):
            played = ground.play(seed, next(_serial), ending)
            assert not (words := unexplained(played)), f"seed {seed}: {words}"
            answers.update(act.answer.outcome if act.answer else "" for act in played.acts)
    if SEEDS >= ENOUGH:
        assert HAPPENS[ground] - answers.keys() == set(), "the seeds reach what can happen"


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS if SEEDS or f.name in AT_ONCE], ids=lambda fault: fault.name
)
def test_a_planted_fault_is_found(own_database: Database, figures: Figures, fault: Fault) -> None:
    with endings(own_database) as ending, fault.plant(own_database):
        for seed in range(1, MOST + 1):
            if words := unexplained(fault.ground.play(seed, next(_serial), ending)):
                print(f"\n{fault.name}: {fault.words}, by seed {seed}\n{words}")
                figures.found[fault.name] = seed
                return
    pytest.fail(f"{MOST} seeds have not found {fault.words}")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(own_database: Database, fault: Fault) -> None:
    """`make test` looks for few of them, and the others are planted in a text that changes."""
    with fault.plant(own_database):
        assert fault.words


def page(gathered: Figures) -> str:
    """Return docs/histories.md."""
    load = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}"
    lines = [
        "# Histories: the last run",
        "",
        "Written by `make histories`; [Histories](operations/drills.md#histories) says how.",
        "",
        f"{datetime.now(UTC).date().isoformat()}, {load}. Every history of the true system has an",
        f"order that explains it, {SEEDS} seeds each:",
        "",
        "| histories | acts | without an answer |",
        "| --- | ---: | ---: |",
        *(
            f"| {name} | {answers.total():,} | {answers['']:,} |"
            for name, answers in gathered.acts.items()
        ),
        "",
        "Each planted fault is found, by the first seed whose history no order explains:",
        "",
        "| planted fault | found in | by seed |",
        "| --- | --- | ---: |",
        *(
            f"| {fault.words} | {name_of(fault.ground)} | {gathered.found[fault.name]} |"
            for fault in FAULTS
        ),
    ]
    return "\n".join(lines) + "\n"
