"""A kind of long work for the tests, which does what a test wants."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.contributions import contributions_by_app
from core.longwork.kinds import Content, Outcome, WorkKind
from core.nights import powers
from core.staff.actor import StaffActor
from tests.support.contributing import contributed

SHARED, OWN, WHOLE = "tests.shared", "tests.own", "tests.whole"


@dataclass
class Bench:
    """A bench on which a test says what work does, and sees for whom it was done."""

    does: Callable[[Content], Outcome] = lambda content: Outcome({"rows": 3})
    done_for: list[int] = field(default_factory=list)

    def run(self, by: StaffActor, content: Content) -> Outcome:
        self.done_for.append(by.user_id)
        return self.does(content)


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Return a bench of the three kinds of this module, besides those of the apps."""
    workbench = Bench()
    own: list[Any] = [
        WorkKind(
            name=name,
            title="Work of a test",
            power=powers.RUN,
            run=workbench.run,
            shared=name == SHARED,
            whole=name == WHOLE,
            about=lambda content: content.get("about", ""),
            step_title=str.upper,
        )
        for name in (SHARED, OWN, WHOLE)
    ]
    kinds = [kind for each in contributions_by_app("long_work", "KINDS").values() for kind in each]
    with contributed("long_work", "KINDS", [*kinds, *own]):
        yield workbench
