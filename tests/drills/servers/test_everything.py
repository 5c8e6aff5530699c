"""One short round of the drill `everything`; `make drill DRILLS=everything` does ten whole ones."""

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django import DjangoDbBlocker

from core.tools.embedded.postgres import Postgres
from tests.drills.outcomes import Outcome
from tests.drills.servers.everything import Day
from tests.drills.servers.house import DATABASE, House
from tests.support.servers import SMALL, keep_in_memory, migrate, used

TERMINALS = 4


@pytest.fixture
def house(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[House]:
    postgres = Postgres(tmp_path / "postgres", {**SMALL, "max_connections": "60"})
    keep_in_memory(postgres)
    with django_db_blocker.unblock():
        migrate(postgres)
        with (
            House(tmp_path, postgres, {"VAR_DIR": os.environ["VAR_DIR"]}) as running,
            used(postgres),
        ):
            yield running


@pytest.mark.servers
@pytest.mark.article("14.III.1.5", "14.III.9.6", "14.III.10.2", "15.III.3")
def test_all_is_killed_by_day_and_by_night_and_nothing_is_lost_invented_or_paid_twice(
    house: House, record_property: Callable[[str, object], None]
) -> None:
    seed = int(os.environ.get("SEED") or secrets.randbits(32))
    record_property("seed", f"SEED={seed}")
    outcome, day = Outcome(), Day(house, seed, terminals=TERMINALS)
    before = day._rows()
    terminals = day.happens(outcome, singles=1, at_night=("worker-1", DATABASE))
    assert (outcome.lost, outcome.invented) == (0, 0), outcome.notes
    assert house.faults(terminals, before) == (0, 0, 0)
    # Each of the three is seen.
    terminals.answers.answered["sale"][uuid4()] = 0.0
    terminals.answers.asked["print"].pop()
    terminals.paid["a code"] = 2
    assert house.faults(terminals, before) == (1, 1, 1)
