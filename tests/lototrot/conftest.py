"""A contest on sale, a place that displays it, and a person of the organiser: what many modules of
tests begin with; and noon, for those that play the days of `tests.support.rounds`.

Each module writes contest and place once, and each of its tests gets copies. A module whose contest
has other terms has its own `on_sale`.
"""

import copy

import pytest

from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from tests.support import factories, rounds


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    return factories.contest()


@pytest.fixture(scope="module")
def display(on_sale: Contest) -> factories.Point:
    point = factories.point()
    factories.acknowledge(on_sale, point)
    return point


@pytest.fixture
def contest(on_sale: Contest) -> Contest:
    return copy.deepcopy(on_sale)


@pytest.fixture
def place(display: factories.Point) -> factories.Point:
    return copy.deepcopy(display)


@pytest.fixture
def race(contest: Contest) -> Race:
    """The first race of the contest."""
    return factories.races_of(contest)[0]


@pytest.fixture
def by(db: None) -> StaffActor:
    """A person of the organiser."""
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def noon(db: None) -> None:
    factories.time_to(rounds.NOON)


@pytest.fixture
def point(noon: None) -> factories.Point:
    """A terminal at that noon."""
    return factories.point()
