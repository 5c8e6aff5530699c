"""A terminal that takes claims at the hour at which the tests of the prize office begin."""

import pytest

from tests.support import factories
from tests.support.api import Api, terminal_api
from tests.support.factories import Point


@pytest.fixture
def place(noon: None) -> Point:
    return factories.point()


@pytest.fixture
def api(place: Point) -> Api:
    return terminal_api(place)
