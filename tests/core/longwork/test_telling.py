"""Progress is stored at once for others to see, though the work is in a transaction."""

import pytest
from django.db import transaction

from core.database.reading import progress
from core.longwork import telling
from core.longwork.kinds import Content, Outcome
from core.longwork.models import LongWork
from core.longwork.services import work_ask, work_do
from core.staff.powers import Role
from tests.core.longwork.conftest import OWN, Bench
from tests.support import factories
from tests.support.databases import Database


def test_others_see_it_while_the_work_is_in_a_transaction(
    own_database: Database, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def does(content: Content) -> Outcome:
        with transaction.atomic():
            progress.step("count", 1, 2)
            seen.append(_seen())
            progress.tell(5, 10)  # within the same second
            seen.append(_seen())
            monkeypatch.setattr(telling, "EVERY_S", 0.0)
            progress.tell(6, 10)
            seen.append(_seen())
            raise ZeroDivisionError

    bench.does = does
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    assert work_do(work.pk)
    assert seen == [("count", 1, 2, 0, 0), ("count", 1, 2, 0, 0), ("count", 1, 2, 6, 10)]
    work.refresh_from_db()
    assert (work.state, work.done, work.total) == ("failed", 6, 10)


def _seen() -> tuple[object, ...]:
    row = LongWork.objects.values_list("step", "number", "steps", "done", "total")
    return tuple(row.get())


def test_the_work_goes_on_where_its_progress_cannot_be_stored(
    own_database: Database, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def does(content: Content) -> Outcome:
        progress.step("count", 1, 2)
        return Outcome({"rows": 1})

    monkeypatch.setattr(telling, "_TABLE", "nothing_of_this_name")
    bench.does = does
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.step) == ("done", "")
