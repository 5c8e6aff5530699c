"""The hall in which a draw is made."""

import pytest

from tests.support.urn import Hall, hall


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Hall:
    return hall(monkeypatch)
