"""The forms that build a game, in English."""

from collections.abc import Iterator

import pytest
from django.utils.translation import override


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with override("en"):
        yield
